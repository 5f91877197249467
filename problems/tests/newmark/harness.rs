//! Runs of method 3.

pub use geoms_problems::trial::problem;

use geoms::error::Failure;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::Problem;

/// Constant steps, solved to rounding.
pub fn fixed(scheme: NewmarkScheme) -> Options {
    Options {
        method: MethodKind::Newmark,
        newmark_scheme: scheme,
        fixed_step: true,
        consistent: true,
        nit: 50,
        nmax: 10_000_000,
        ..Options::of_call()
    }
}

/// The same for a problem.
pub fn fixed_for(problem: &Problem, scheme: NewmarkScheme) -> Options {
    Options { mass: problem.mass, ..fixed(scheme) }
}

/// Steps of size h up to tend; `look` sees every accepted point.
pub fn run(
    system: &mut dyn System,
    options: &Options,
    (x0, h, tend): (&[f64], f64, f64),
    mut look: impl FnMut(&mut dyn System, &Solver),
) -> Result<Solver, Failure> {
    let tolerance = Tolerance::scalar(1e-12, 1e-12);
    let mut solver = Solver::start(system, options, &tolerance, (0.0, x0, h))?;
    while solver.t() < tend {
        solver.step(system, tend)?;
        look(system, &solver);
    }
    Ok(solver)
}
