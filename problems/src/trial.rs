//! Runs with everything settable, and errors by block: what the tests share.
#![allow(clippy::panic)] // a run that a test takes for granted has to say why it failed

use crate::{by_name, Options as Presented, Problem};
use geoms::error::Failure;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};

/// How a problem is integrated.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Options.
    pub options: Options,
    /// With the Jacobian of the problem, otherwise by differences.
    pub jacobian: bool,
    /// The invariants of the problem are imposed.
    pub invariants: bool,
    /// Conditions on the initial values, `x[index] = value`.
    pub conditions: Vec<(usize, f64)>,
    /// RTOL and ATOL.
    pub tol: f64,
    /// First step size.
    pub h: f64,
    /// End.
    pub tend: f64,
}

impl Setup {
    /// Defaults for a problem: its own mass structure and interval, analytic Jacobian, RTOL = ATOL = TOL.
    pub fn new(problem: &Problem, form: Form, tol: f64) -> Self {
        let options = Options { form, mass: problem.mass, nmax: 10_000_000, ..Options::of_call() };
        Setup {
            options,
            jacobian: true,
            invariants: false,
            conditions: Vec::new(),
            tol,
            h: 1e-3 * (problem.tend - problem.t0),
            tend: problem.tend,
        }
    }

    /// The same with other options.
    pub fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Constant steps; Newton's method stops at increments of this relative size.
    pub fn fixed(mut self, steps: u32, increment: f64) -> Self {
        self.tol = 1e-13;
        self.h = self.tend / f64::from(steps);
        self.options.fnewt = Some(increment / (0.1 * self.tol.powf(2.0 / 3.0)));
        self.with(|o| {
            o.fixed_step = true;
            o.consistent = true;
            o.nit = 200;
        })
    }

    /// The equations as this setup presents them.
    pub fn system(&self, problem: &Problem) -> Box<dyn System + Send> {
        problem.system_with(Presented {
            form: self.options.form,
            jacobian: self.jacobian,
            invariants: self.invariants,
            conditions: self.conditions.clone(),
        })
    }

    /// Integrate the problem.
    pub fn run(&self, problem: &Problem) -> Run {
        self.observe(problem, &problem.x0, |_| {})
    }

    /// Integrate from `x0` and look at every accepted point.
    pub fn observe(&self, problem: &Problem, x0: &[f64], look: impl FnMut(&AcceptedStep<'_>)) -> Run {
        let mut system = self.system(problem);
        self.drive(system.as_mut(), x0, look)
    }

    /// The same for any system, from t = 0.
    pub fn drive(&self, system: &mut dyn System, x0: &[f64], look: impl FnMut(&AcceptedStep<'_>)) -> Run {
        let tolerance = Tolerance::scalar(self.tol, self.tol);
        drive(system, &self.options, &tolerance, (0.0, x0, self.h, self.tend), look)
    }
}

/// Integrate a system from (t, x) with first step size h to tend and look at every accepted point.
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

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    /// Success, or why not.
    pub result: Result<(), Failure>,
    /// Time reached.
    pub t: f64,
    /// The last accepted point.
    pub x: Vec<f64>,
    /// Next step size.
    pub h: f64,
    /// Counters.
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

    /// IDID of the run.
    pub fn idid(&self) -> i32 {
        self.result.as_ref().err().map_or(0, |f| f.code.idid())
    }
}

/// The problem with this name.
pub fn problem(name: &str) -> Problem {
    by_name(name).unwrap_or_else(|| panic!("no problem {name}"))
}

/// The named nonempty blocks of x.
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

/// Largest magnitude.
pub fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}
