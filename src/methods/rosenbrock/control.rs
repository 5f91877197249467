//! Step size control: pure functions of the error norm (HW II, IV.7, with the embedded formula of order 3).

use super::tableau::ORDER;
use crate::options::Options;

/// The next step size after a step of size h with error norm `err`, accepted or not.
fn proposed(options: &Options, h: f64, err: f64) -> f64 {
    let quot = err.powf(1.0 / f64::from(ORDER)) / options.safe;
    h / quot.clamp(1.0 / options.facl, 1.0 / options.facr)
}

/// After an accepted step; none grows directly after a rejection.
pub fn next_step(options: &Options, h: f64, err: f64, rejected: bool) -> f64 {
    let next = proposed(options, h, err);
    if rejected {
        next.min(h)
    } else {
        next
    }
}

/// Factor of the step size after a step whose error is too large.
pub fn shrink(options: &Options, err: f64) -> f64 {
    proposed(options, 1.0, err).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_order_and_are_limited() {
        let options = Options::of_call();
        assert!((next_step(&options, 0.1, 1.0 / 16.0, false) - 0.18).abs() < 1e-15);
        assert_eq!(next_step(&options, 0.1, 1.0 / 16.0, true), 0.1);
        assert!((next_step(&options, 1.0, 0.0, false) - options.facl).abs() < 1e-14);
        assert!((shrink(&options, 16.0) - 0.45).abs() < 1e-15);
        assert!((shrink(&options, 1e30) - options.facr).abs() < 1e-15);
        assert!(shrink(&options, 1.0) < 1.0);
    }
}
