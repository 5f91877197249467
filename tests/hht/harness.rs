//! Runs of method 1 with everything settable.

use geoms::error::Failure;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use geoms::testset::{self, Problem};

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    pub result: Result<(), Failure>,
    pub t: f64,
    pub x: Vec<f64>,
    pub h: f64,
    pub stats: Stats,
}

impl Run {
    /// The run, which must have succeeded.
    pub fn good(self, what: &str) -> Self {
        if let Err(failure) = &self.result {
            panic!("{what}: {failure:?}");
        }
        self
    }
}

/// The problem with this name.
pub fn problem(name: &str) -> Problem {
    testset::by_name(name).unwrap_or_else(|| panic!("no problem {name}"))
}

/// Method 1 for a problem.
pub fn options(problem: &Problem) -> Options {
    Options { method: MethodKind::Hht, mass: problem.mass, nmax: 10_000_000, ..Options::of_call() }
}

/// Integrate a system and look at every accepted point.
pub fn drive(
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    (t, x, h, tend): (f64, &[f64], f64, f64),
    mut look: impl FnMut(&AcceptedStep<'_>),
) -> Run {
    let mut observer = |step: &AcceptedStep<'_>| {
        look(step);
        Outcome::Continue
    };
    let mut run = Run { result: Ok(()), t, x: x.to_vec(), h, stats: Stats::default() };
    let integration = Integration { system, observer: Some(&mut observer), options, tolerance };
    run.result = integrate(integration, &mut run.t, &mut run.x, &mut run.h, tend, &mut run.stats);
    run
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

/// The blocks of x, nonempty ones.
pub fn blocks(layout: &Layout) -> Vec<(&'static str, Block)> {
    let x = &layout.x;
    [("w", x.w), ("lambda", x.lambda), ("mu", x.mu), ("r", x.r), ("v", x.v), ("s", x.s), ("p", x.p)]
        .into_iter()
        .filter(|(_, block)| !block.is_empty())
        .collect()
}

/// Largest difference of two vectors in a block.
pub fn distance(block: Block, a: &[f64], b: &[f64]) -> f64 {
    block.of(a).iter().zip(block.of(b)).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

pub const FREE: Form = Form::StrangenessFree;
