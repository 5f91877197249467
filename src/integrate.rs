//! The driver (GEOMS): arguments, initial values, steps, output, end.

use crate::error::{Code, Failure};
use crate::layout::Layout;
use crate::norm::{Scaling, Tolerance};
use crate::options::{BadOption, Options};
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
) -> Result<(), Failure> {
    let Integration { system, observer, options, tolerance } = run;
    let layout = Layout::new(system.dimensions(), system.form());
    check_arguments(&layout, options, tolerance, (*t, x, *h, tend))?;
    let first = if *h > 0.0 { h.min(tend - *t) } else { 0.0 };
    let mut solver = Solver::start(system, options, tolerance, (*t, x, first))?;
    let result = solver.integrate(system, observer, None, tend);
    x.copy_from_slice(solver.x());
    (*t, *stats) = (solver.t(), *solver.stats());
    if solver.h() > 0.0 {
        *h = solver.h();
    }
    result.map(|_| ())
}

/// Refuse arguments with which nothing can be begun.
pub(crate) fn check_arguments(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    (t, x, h, tend): (f64, &[f64], f64, f64),
) -> Result<(), Failure> {
    let bad = |bad: BadOption| Failure::new(Code::BadArgument, bad.to_string());
    let refuse = |name: &str, value: String, allowed: &str| {
        Err(bad(BadOption { name: name.into(), value, allowed: allowed.into() }))
    };
    options.validate().map_err(bad)?;
    tolerance.validate(layout.n, options.uround).map_err(bad)?;
    if layout.n == 0 || x.len() != layout.n {
        let allowed = format!("N = {} > 0 for these dimensions", layout.n);
        return refuse("length of X", x.len().to_string(), &allowed);
    }
    if layout.form != options.form {
        return refuse("IOPT(5) = FORM", format!("{:?}", options.form), "the formulation of the model");
    }
    if let Some(i) = x.iter().position(|v| !v.is_finite()) {
        return refuse(&format!("X({})", i + 1), x[i].to_string(), "finite numbers");
    }
    for (name, value) in [("T", t), ("TEND", tend)] {
        if !value.is_finite() {
            return refuse(name, value.to_string(), "finite numbers");
        }
    }
    if h.is_nan() {
        return refuse("H", h.to_string(), "a number; not positive: a starting step is chosen");
    }
    if options.fixed_step && !(h > 0.0 && h.is_finite()) && t < tend {
        return refuse("H", h.to_string(), "> 0 with IOPT(19) = FIXED = 1");
    }
    if let Some(fnewt) = options.fnewt {
        let least = options.uround / Scaling::new(tolerance, layout.n).rtol_first;
        if fnewt <= least {
            return refuse("ROPT(4) = FNEWT", fnewt.to_string(), &format!("> UROUND/RTOL' = {least:e}"));
        }
    }
    if t > tend {
        let detail = format!("T = {t:e}, TEND = {tend:e}");
        return Err(Failure::new(Code::TendBeforeT, detail).at(t, h));
    }
    Ok(())
}

/// The work space of the dense method in one estimate, so that a size that cannot be had is refused before
/// anything is done.
pub(crate) fn check_memory(layout: &Layout) -> Result<(), Failure> {
    let (n, m) = (layout.n as u128, layout.m as u128);
    let numbers = 12 * n * n + 4 * n * m + 40 * (n + m);
    let refuse = || Failure::new(Code::OutOfMemory, format!("{numbers} numbers needed for N = {n}, M = {m}"));
    let count = usize::try_from(numbers).map_err(|_| refuse())?;
    Vec::<f64>::new().try_reserve_exact(count).map_err(|_| refuse())
}
