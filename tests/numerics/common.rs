//! Runs of test problems with everything settable, and errors by block.

use geoms::error::Failure;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use geoms::testset::{self, Problem};

/// How a problem is integrated.
#[derive(Clone, Debug)]
pub struct Setup {
    pub options: Options,
    pub jacobian: bool,
    pub invariants: bool,
    pub conditions: Vec<(usize, f64)>,
    pub tol: f64,
    pub h: f64,
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

    pub fn system(&self, problem: &Problem) -> Box<dyn System + Send> {
        problem.system_with(testset::Options {
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
    pub fn drive(&self, system: &mut dyn System, x0: &[f64], mut look: impl FnMut(&AcceptedStep<'_>)) -> Run {
        let mut observer = |step: &AcceptedStep<'_>| {
            look(step);
            Outcome::Continue
        };
        let tolerance = Tolerance::scalar(self.tol, self.tol);
        let mut run = Run { result: Ok(()), t: 0.0, x: x0.to_vec(), h: self.h, stats: Stats::default() };
        let integration = Integration {
            system,
            observer: Some(&mut observer),
            options: &self.options,
            tolerance: &tolerance,
        };
        run.result = integrate(integration, &mut run.t, &mut run.x, &mut run.h, self.tend, &mut run.stats);
        run
    }
}

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

    /// IDID of the run.
    pub fn idid(&self) -> i32 {
        self.result.as_ref().err().map_or(0, |f| f.code.idid())
    }
}

/// The problem with this name.
pub fn problem(name: &str) -> Problem {
    testset::by_name(name).unwrap_or_else(|| panic!("no problem {name}"))
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
