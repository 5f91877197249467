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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_step_is_seen_in_t_and_fits() {
        let options = Options { uround: 1e-16, ..Options::of_call() };
        let least = |t: f64, span: f64| least_first_step(&options, t, span);
        assert_eq!(least(0.0, 2.0), 2e-12);
        assert!((least(-1e6, 2.0) / 1e-8 - 1.0).abs() < 1e-12);
        assert_eq!(least(-1e6, 1e-9), 1e-9);
    }

    /// A step that was cut to land on TEND says nothing of the next one.
    #[test]
    fn a_cut_step_is_followed_by_what_was_proposed() {
        let plan = Plan { h: 0.1, t_new: 1.0, cut_from: None, ends: true };
        assert_eq!(plan.next(0.3), 0.3);
        assert_eq!(Plan { cut_from: Some(0.7), ..plan }.next(0.3), 0.7);
    }
}
