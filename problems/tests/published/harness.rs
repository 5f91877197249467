//! Runs of any system.

use geoms::layout::Block;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::system::System;
use geoms_problems::trial::{drive, Run};

/// Integrate.
pub fn run(
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    (t0, tend, h0): (f64, f64, f64),
    x0: &[f64],
) -> Run {
    drive(system, options, tolerance, (t0, x0, h0, tend), |_| {})
}

/// Largest difference on a block, relative to max(1, size of the block).
pub fn difference(block: Block, a: &[f64], b: &[f64]) -> f64 {
    let size = block.of(b).iter().fold(1.0f64, |m, v| m.max(v.abs()));
    block.of(a).iter().zip(block.of(b)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}
