//! placeholder until merge
use crate::error::{Code, Failure};
use crate::norm::Tolerance;
use crate::options::Options;
use crate::stats::Stats;
use crate::system::{Observer, System};
/// What to integrate and how.
pub struct Integration<'a> {
    /// The equations of motion.
    pub system: &'a mut dyn System,
    /// Told of every accepted step.
    pub observer: Option<&'a mut dyn Observer>,
    /// Options.
    pub options: &'a Options,
    /// Tolerances.
    pub tolerance: &'a Tolerance,
}
/// Integrate from `t` to `tend`. On return `t`, `x` hold the last accepted point and `h` the next step
/// size, also after a failure.
pub fn integrate(
    _run: Integration<'_>,
    _t: &mut f64,
    _x: &mut [f64],
    _h: &mut f64,
    _tend: f64,
    _stats: &mut Stats,
) -> Result<(), Failure> {
    Err(Failure::new(Code::Internal, ""))
}
