//! What is said of a step before it is tried and when it has succeeded: its size and end, what it led to.

use crate::options::Options;

/// Size and end of the step that is being tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Step size.
    pub h: f64,
    /// End of the step.
    pub t_new: f64,
    /// The proposal, if it was cut by more than a stretch to land on TEND.
    pub cut_from: Option<f64>,
    /// The step ends at TEND.
    pub ends: bool,
}

impl Plan {
    /// The step size after this step, where `proposed` is what its error allows.
    pub fn next(&self, proposed: f64) -> f64 {
        self.cut_from.unwrap_or(proposed)
    }
}

/// What an attempt that can be accepted says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempted {
    /// Norm of its estimated error: below 1, or 0 where none is estimated.
    pub err: f64,
    /// Step size that this error allows for the next step.
    pub next: f64,
}

/// Below this no first step is chosen: it would soon be lost in the rounding of t.
pub fn least_first_step(options: &Options, t: f64, span: f64) -> f64 {
    (1e-12 * span).max(100.0 * options.uround * t.abs()).min(span)
}
