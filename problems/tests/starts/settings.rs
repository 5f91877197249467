//! The methods with their variants, and runs of them.

use geoms::decompose::DecompositionKind;
use geoms::error::Failure;
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{Family, MethodKind, NewmarkScheme, Options, Order};
use geoms::solver::Solver;
use geoms::stats::Stats;
use geoms::system::System;

pub const FORMS: [Form; 2] = [Form::StrangenessFree, Form::Index1];

/// Every method with the variants that begin differently.
pub fn methods() -> Vec<(&'static str, Options)> {
    let of = |method, order| Options { method, order, nmax: 1_000_000, ..Options::default() };
    vec![
        ("radau 5", of(MethodKind::Radau, Order::Five)),
        ("radau 9", of(MethodKind::Radau, Order::Nine)),
        ("radau 13", of(MethodKind::Radau, Order::Thirteen)),
        ("hht", of(MethodKind::Hht, Order::Five)),
        ("hht projected", Options { project: 3, ..of(MethodKind::Hht, Order::Five) }),
        ("alpha", Options { family: Family::GeneralizedAlpha, ..of(MethodKind::Hht, Order::Five) }),
        ("rosenbrock", of(MethodKind::RosenbrockNystroem, Order::Five)),
        ("newmark", of(MethodKind::Newmark, Order::Five)),
        (
            "newmark damped",
            Options { newmark_scheme: NewmarkScheme::Damped, ..of(MethodKind::Newmark, Order::Five) },
        ),
        ("half-explicit", of(MethodKind::HalfExplicit, Order::Five)),
        ("automatic", of(MethodKind::Automatic, Order::Nine)),
    ]
}

/// Constraints that depend on one another.
pub fn redundant(options: Options) -> Options {
    Options { decompose_constraints: DecompositionKind::Svd, ..options }
}

/// x at the end, and the size of the last step.
pub fn run_and_last_step(
    system: &mut dyn System,
    options: &Options,
    tol: f64,
    (t, x, h, tend): (f64, &[f64], f64, f64),
) -> Result<(Vec<f64>, f64), Failure> {
    let tolerance = Tolerance::scalar(tol, tol);
    let mut solver = Solver::start(system, options, &tolerance, (t, x, h))?;
    solver.integrate(system, None, None, tend)?;
    Ok((solver.x().to_vec(), solver.last_step().h))
}

/// x at the end, and counters.
pub fn run(
    system: &mut dyn System,
    options: &Options,
    tol: f64,
    (t, x, h, tend): (f64, &[f64], f64, f64),
) -> Result<(Vec<f64>, Stats), Failure> {
    let (mut t, mut x, mut h, mut stats) = (t, x.to_vec(), h, Stats::default());
    let tolerance = Tolerance::scalar(tol, tol);
    let run = Integration { system, observer: None, options, tolerance: &tolerance };
    integrate(run, &mut t, &mut x, &mut h, tend, &mut stats)?;
    Ok((x, stats))
}
