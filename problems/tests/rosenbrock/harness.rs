//! Runs of method 2.

pub use geoms_problems::trial::{distance, drive, problem, Run};

use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::system::{AcceptedStep, System};
use geoms_problems::Problem;

/// Method 2 for a problem.
pub fn options(problem: &Problem, form: Form) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    Options {
        method: MethodKind::RosenbrockNystroem,
        form,
        mass: problem.mass,
        nmax: 10_000_000,
        decompose_constraints: kind,
        ..Options::of_call()
    }
}

/// Constant steps.
pub fn fixed(problem: &Problem, options: &Options, steps: u32, look: impl FnMut(&AcceptedStep<'_>)) -> Run {
    let mut system = problem.system(options.form, true);
    fixed_system(system.as_mut(), options, (&problem.x0, problem.tend, steps), look)
}

/// The same for any system, from t = 0.
pub fn fixed_system(
    system: &mut dyn System,
    options: &Options,
    (x0, tend, steps): (&[f64], f64, u32),
    look: impl FnMut(&AcceptedStep<'_>),
) -> Run {
    let options = Options { fixed_step: true, consistent: true, ..options.clone() };
    let start = (0.0, x0, tend / f64::from(steps), tend);
    drive(system, &options, &Tolerance::scalar(1e-6, 1e-6), start, look)
}
