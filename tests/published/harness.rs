//! One way to run a system and look at everything that came out.

use geoms::error::Failure;
use geoms::integrate::{integrate, Integration};
use geoms::layout::Block;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};

/// End of a run.
pub struct Outcomes {
    pub result: Result<(), Failure>,
    pub t: f64,
    pub x: Vec<f64>,
    pub stats: Stats,
    /// All accepted points.
    pub points: Vec<(f64, Vec<f64>)>,
}

impl Outcomes {
    /// Code of the failure, 0 for success.
    pub fn idid(&self) -> i32 {
        self.result.as_ref().err().map_or(0, |f| f.code.idid())
    }
}

/// Integrate and record.
pub fn run(
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    (t0, tend, h0): (f64, f64, f64),
    x0: &[f64],
) -> Outcomes {
    let (mut t, mut x, mut h, mut stats) = (t0, x0.to_vec(), h0, Stats::default());
    let mut points = Vec::new();
    let mut observer = |step: &AcceptedStep<'_>| {
        points.push((step.t, step.x.to_vec()));
        Outcome::Continue
    };
    let run = Integration { system, observer: Some(&mut observer), options, tolerance };
    let result = integrate(run, &mut t, &mut x, &mut h, tend, &mut stats);
    Outcomes { result, t, x, stats, points }
}

/// Largest difference on a block, relative to max(1, size of the block).
pub fn difference(block: Block, a: &[f64], b: &[f64]) -> f64 {
    let size = block.of(b).iter().fold(1.0f64, |m, v| m.max(v.abs()));
    block.of(a).iter().zip(block.of(b)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}
