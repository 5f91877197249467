//! Runs of method 1.

pub use geoms_problems::trial::{blocks, distance, drive, problem, Run};

use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::system::System;
use geoms_problems::Problem;

/// Method 1 for a problem.
pub fn options(problem: &Problem) -> Options {
    Options { method: MethodKind::Hht, mass: problem.mass, nmax: 10_000_000, ..Options::of_call() }
}

/// Constant steps, solved to rounding.
pub fn fixed(problem: &Problem, options: &Options, steps: u32) -> Run {
    let mut system = problem.system(options.form, true);
    fixed_system(system.as_mut(), options, &problem.x0, problem.tend, steps)
}

/// The same for any system.
pub fn fixed_system(system: &mut dyn System, options: &Options, x0: &[f64], tend: f64, steps: u32) -> Run {
    let options = Options { fixed_step: true, consistent: true, nit: 50, ..options.clone() };
    let start = (0.0, x0, tend / f64::from(steps), tend);
    drive(system, &options, &Tolerance::scalar(1e-14, 1e-14), start, |_| {})
}

pub const FREE: Form = Form::StrangenessFree;
