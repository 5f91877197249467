//! The driver (GEOMS): arguments, initial values, steps, output, end.

use crate::arguments::check_arguments;
use crate::error::Result;
use crate::layout::Layout;
use crate::norm::Tolerance;
use crate::options::Options;
use crate::solver::Solver;
use crate::stats::Stats;
use crate::system::{Observer, System};

/// What to integrate and how.
pub struct Integration<'a> {
    /// The equations of motion.
    pub system: &'a mut dyn System,
    /// Told of the initial point and of every accepted step.
    pub observer: Option<&'a mut dyn Observer>,
    /// Options.
    pub options: &'a Options,
    /// Tolerances.
    pub tolerance: &'a Tolerance,
}

/// Integrate from `t` to `tend`. On return `t` and `x` hold the last accepted point and `h` the step size
/// proposed for going on, also after a failure; `stats` holds the counters.
pub fn integrate(
    run: Integration<'_>,
    t: &mut f64,
    x: &mut [f64],
    h: &mut f64,
    tend: f64,
    stats: &mut Stats,
) -> Result {
    integrate_and_warn(run, t, x, h, tend, stats, &mut |_| {})
}

/// The same; what the checks of the model (CHECK, WATCH) have to say is told to `warn`.
pub fn integrate_and_warn(
    run: Integration<'_>,
    t: &mut f64,
    x: &mut [f64],
    h: &mut f64,
    tend: f64,
    stats: &mut Stats,
    warn: &mut dyn FnMut(&str),
) -> Result {
    let Integration { system, observer, options, tolerance } = run;
    let layout = Layout::new(system.dimensions(), system.form());
    check_arguments(&layout, options, tolerance, (*t, x, *h, tend))?;
    let first = if *h > 0.0 { h.min(tend - *t) } else { 0.0 };
    let mut solver = Solver::start(system, options, tolerance, (*t, x, first))?;
    solver.take_warnings().iter().for_each(|warning| warn(warning));
    let result = solver.integrate(system, observer, None, tend);
    solver.take_warnings().iter().for_each(|warning| warn(warning));
    x.copy_from_slice(solver.x());
    (*t, *stats) = (solver.t(), *solver.stats());
    if solver.h() > 0.0 {
        *h = solver.h();
    }
    result.map(|_| ())
}
