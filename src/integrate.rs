//! The driver (GEOMS): arguments, initial values, steps, output, end.

use crate::dense::DenseOutput;
use crate::error::{Code, Failure};
use crate::initial;
use crate::layout::Layout;
use crate::methods::radau5::Radau5;
use crate::model::{self, Trouble};
use crate::norm::{weighted_rms, Scaling, Tolerance};
use crate::options::{BadOption, Options};
use crate::stats::Stats;
use crate::system::{AcceptedStep, Observer, Outcome, System};

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
    let Integration { system, mut observer, options, tolerance } = run;
    let layout = Layout::new(system.dimensions(), system.form());
    check_arguments(&layout, options, tolerance, (*t, x, *h, tend))?;
    check_memory(&layout)?;

    let scaling = Scaling::new(tolerance, layout.n);
    if !options.consistent {
        initial::make_consistent(system, &layout, options, &scaling, *t, x, stats)?;
    }
    let first = if *h > 0.0 { h.min(tend - *t) } else { 0.0 };
    let analytic = system.has_jacobian();
    let mut integrator = Radau5::new(&layout, options, tolerance, analytic, (*t, x, first));
    integrator.state.stats = *stats;

    let result = drive(&mut integrator, system, &mut observer, options, &scaling, tend);
    let state = &integrator.state;
    x.copy_from_slice(&state.x);
    (*t, *stats) = (state.t, state.stats);
    if state.h > 0.0 {
        *h = state.h;
    }
    result
}

/// Report the initial point, then step to the end.
fn drive(
    integrator: &mut Radau5,
    system: &mut dyn System,
    observer: &mut Option<&mut dyn Observer>,
    options: &Options,
    scaling: &Scaling,
    tend: f64,
) -> Result<(), Failure> {
    if integrator.state.h <= 0.0 && integrator.state.t < tend && !options.fixed_step {
        integrator.state.h = starting_step(integrator, system, options, scaling, tend)?;
    }
    report(integrator, observer)?;
    while integrator.state.t < tend {
        let accepted = integrator.state.stats.naccpt;
        let outcome = integrator.step(system, tend);
        // A run can end behind an accepted point (multipliers of redundant constraints): it is reported all the same.
        let told =
            if integrator.state.stats.naccpt > accepted { report(integrator, observer) } else { Ok(()) };
        outcome.and(told)?;
    }
    Ok(())
}

/// Tell the observer of the current point (SOLOUT).
fn report(integrator: &Radau5, observer: &mut Option<&mut dyn Observer>) -> Result<(), Failure> {
    let Some(observer) = observer else { return Ok(()) };
    let state = &integrator.state;
    // Before the first step the polynomial is constant; any nonzero step evaluates it.
    let h = match (state.h_last, state.h) {
        (last, _) if last > 0.0 => last,
        (_, next) if next > 0.0 => next,
        _ => 1.0,
    };
    let step = AcceptedStep {
        naccpt: usize::try_from(state.stats.naccpt).unwrap_or(usize::MAX),
        t_old: state.t_old,
        t: state.t,
        x: &state.x,
        h,
        dense: DenseOutput { t: state.t, h, contx: &state.contx },
    };
    match observer.accepted(&step) {
        Outcome::Continue | Outcome::Retry => Ok(()),
        Outcome::Stop => Err(Failure::new(Code::StoppedBySolout, "IERR < 0").at(state.t, h)),
    }
}

/// A first step size where the user gave none: one hundredth of the time in which positions, force elements and
/// velocities (with unit mass) change by their own size, and at most a thousandth of the interval.
fn starting_step(
    integrator: &mut Radau5,
    system: &mut dyn System,
    options: &Options,
    scaling: &Scaling,
    tend: f64,
) -> Result<f64, Failure> {
    let state = &integrator.state;
    let layout = Layout::new(system.dimensions(), system.form());
    let span = (tend - state.t).min(options.hmax.unwrap_or(f64::INFINITY));
    let mut rda = vec![0.0; layout.m];
    let size: Vec<f64> = state.x.iter().zip(&scaling.typical).map(|(x, typical)| x.abs() + typical).collect();
    let mut first = 1e-3 * span;
    let result = model::eom(system, Code::StoppedByEom, state.t, &state.x, &mut rda);
    if let Err(Trouble::Stop { code, .. }) = result {
        return Err(Failure::new(code, "IERR < 0").at(state.t, 0.0));
    }
    // If the model cannot be evaluated the first step will say so.
    if result.is_ok() {
        let pairs =
            [(layout.x.p, layout.rda.f_kin), (layout.x.r, layout.rda.b), (layout.x.v, layout.rda.f_dyn)];
        for (block, rows) in pairs {
            let change = weighted_rms(rows.of(&rda), block.of(&size));
            if change > 0.0 {
                first = first.min(0.01 / change);
            }
        }
    }
    Ok(first.max(1e-12 * span))
}

fn check_arguments(
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
fn check_memory(layout: &Layout) -> Result<(), Failure> {
    let (n, m) = (layout.n as u128, layout.m as u128);
    let numbers = 12 * n * n + 4 * n * m + 40 * (n + m);
    let refuse = || Failure::new(Code::OutOfMemory, format!("{numbers} numbers needed for N = {n}, M = {m}"));
    let count = usize::try_from(numbers).map_err(|_| refuse())?;
    Vec::<f64>::new().try_reserve_exact(count).map_err(|_| refuse())
}
