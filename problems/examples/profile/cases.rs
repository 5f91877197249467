//! What is profiled: problems of the benchmark with its models, each with one setting.

use crate::lean::{andrews, pendulum, truck, Lean, Mass};
use crate::ours::Adapter;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, Options, Order};
use geoms::stats::Stats;
use geoms::system::System;
use geoms_problems::{self as testset, Problem};

/// RTOL = ATOL of every case.
pub const TOLERANCE: f64 = 1e-8;

/// A run.
pub struct Case {
    /// As the command line takes it.
    pub name: &'static str,
    /// Heading of its table.
    pub title: &'static str,
    problem: fn() -> Option<Problem>,
    model: Model,
    change: fn(&mut Options),
}

/// Where the rows come from.
enum Model {
    /// A model of `bench/src/lean`, with its mass matrix.
    Lean(fn(Form) -> Box<dyn System>, Mass),
    /// That of the test set, which is as lean.
    Own,
}

fn lean<L: Lean + 'static>(model: L, form: Form) -> Box<dyn System> {
    Box::new(Adapter::new(model, form))
}

const ANDREWS: Model = Model::Lean(|form| lean(andrews::Andrews::default(), form), Mass::Variable);

/// All cases.
pub const CASES: [Case; 5] = [
    Case {
        name: "pendulum",
        title: "Pendulum, order 5",
        problem: || {
            let start = testset::pendulum::Start { gravity: GRAVITY, angle: 1.0, rate: 0.0 };
            Some(testset::pendulum::problem("pendulum", "", start, 20.0))
        },
        model: Model::Lean(|form| lean(pendulum::Pendulum::new(GRAVITY), form), Mass::Diagonal),
        change: |_| {},
    },
    Case {
        name: "andrews",
        title: "Andrews' mechanism, order 9, FORM=1, NWTMAT=2",
        problem: || testset::by_name("andrews"),
        model: ANDREWS,
        change: |o| (o.order, o.form, o.newton_reference) = (Order::Nine, Form::Index1, Some(2)),
    },
    Case {
        name: "truck",
        title: "Truck, order 9, THET=0.1",
        problem: || testset::by_name("truck"),
        model: Model::Lean(|form| lean(truck::Truck::default(), form), Mass::Diagonal),
        change: |o| (o.order, o.thet) = (Order::Nine, 0.1),
    },
    Case {
        name: "chain-50",
        title: "Chain of 50 links, order 5",
        problem: || testset::by_name("chain-unit-50"),
        model: Model::Own,
        change: |_| {},
    },
    Case {
        name: "andrews-half-explicit",
        title: "Andrews' mechanism, half-explicit method of order 8",
        problem: || testset::by_name("andrews"),
        model: ANDREWS,
        change: |o| o.method = MethodKind::HalfExplicit,
    },
];

const GRAVITY: f64 = 9.81;

impl Case {
    /// The options; the mass matrix has the structure of the model, initial values are consistent.
    pub fn options(&self) -> Result<Options, Box<dyn std::error::Error>> {
        let mass = match self.model {
            Model::Lean(_, Mass::Variable) => MassStructure::Full,
            Model::Lean(_, Mass::Diagonal) => MassStructure::ConstantDiagonal,
            Model::Lean(_, Mass::Band(_)) => MassStructure::ConstantFull,
            Model::Own => self.problem()?.mass,
        };
        let mut options = Options { mass, consistent: true, ..Options::of_call() };
        (self.change)(&mut options);
        Ok(options)
    }

    fn problem(&self) -> Result<Problem, Box<dyn std::error::Error>> {
        Ok((self.problem)().ok_or("no such problem")?)
    }

    /// The dimensions.
    pub fn layout(&self) -> Result<Layout, Box<dyn std::error::Error>> {
        Ok(self.problem()?.layout(self.options()?.form))
    }

    /// Once from beginning to end; the counters.
    pub fn run(&self) -> Result<Stats, Box<dyn std::error::Error>> {
        let (problem, options) = (self.problem()?, self.options()?);
        let mut system: Box<dyn System> = match self.model {
            Model::Lean(build, _) => build(options.form),
            Model::Own => problem.system(options.form, true),
        };
        let tolerance = Tolerance::scalar(TOLERANCE, TOLERANCE);
        let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 1e-4, Stats::default());
        let run =
            Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
        integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats)?;
        Ok(stats)
    }
}
