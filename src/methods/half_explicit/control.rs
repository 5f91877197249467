//! Step size control: pure functions of the error norm and of what is remembered of the last step (HNW I, II.4; II, IV.2).

use super::tableau::Tableau;
use crate::control::Memory;
use crate::options::Options;

/// Share of the last error in the choice for order 5, which keeps steps steady near the stability limit.
const BETA: f64 = 0.04;
/// The least error that is remembered.
const LEAST: f64 = 1e-4;

/// Largest growth of the first step, whose size may be a guess.
const FIRST_GROWTH: f64 = 100.0;

/// Where the error of successive steps differs much, as on Andrews' mechanism, SAFE alone rejects a third of the steps.
fn safety(options: &Options) -> f64 {
    options.safe * options.safe
}

fn beta(tableau: &Tableau) -> f64 {
    if tableau.order == 5 {
        BETA
    } else {
        0.0
    }
}

/// What to remember of an accepted step.
pub fn remember(h: f64, err: f64) -> Memory {
    Memory { h, err: err.max(LEAST) }
}

/// The next step size after an accepted step.
pub fn next_step(tableau: &Tableau, options: &Options, memory: Option<Memory>, h: f64, err: f64) -> f64 {
    let beta = beta(tableau);
    let last = memory.map_or(LEAST, |m| m.err);
    let quot = err.powf(tableau.exponent - 0.75 * beta) / last.powf(beta) / safety(options);
    let growth = if memory.is_none() { FIRST_GROWTH.max(options.facl) } else { options.facl };
    h / quot.clamp(1.0 / growth, 1.0 / options.facr)
}

/// Factor of the step size after a step whose error is too large.
pub fn shrink(tableau: &Tableau, options: &Options, err: f64) -> f64 {
    let quot = err.powf(tableau.exponent - 0.75 * beta(tableau)) / safety(options);
    1.0 / quot.clamp(1.0, 1.0 / options.facr)
}

/// Accepted steps in a row, nearly, whose size stability limits: then the problem is called stiff.
const SUSPICIOUS: u32 = 15;
/// Steps in a row that are limited by accuracy and clear the suspicion.
const CLEARED: u32 = 6;

/// Detection of stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stiffness {
    /// Steps limited by stability.
    pub limited: u32,
    /// Steps since the last of them.
    pub free: u32,
}

impl Stiffness {
    /// Take notice of an accepted step; true if the problem now counts as stiff.
    pub fn observe(&mut self, limited: bool) -> bool {
        if limited {
            (self.limited, self.free) = (self.limited + 1, 0);
        } else {
            self.free = self.free.saturating_add(1);
            if self.free >= CLEARED {
                self.limited = 0;
            }
        }
        let stiff = self.limited >= SUSPICIOUS;
        if stiff {
            self.limited = 0;
        }
        stiff
    }
}

#[cfg(test)]
mod tests {
    use super::super::tableau::{EIGHT, FIVE};
    use super::*;

    #[test]
    fn steps_follow_the_order() {
        let options = Options::default();
        let h = next_step(&EIGHT, &options, None, 0.1, 1.0 / 256.0);
        assert!((h - 0.1 * 0.81 * 2.0).abs() < 1e-14);
        assert!((shrink(&EIGHT, &options, 256.0) - 0.405).abs() < 1e-14);
        assert!(
            next_step(&FIVE, &options, Some(remember(0.1, 0.9)), 0.1, 0.5)
                > next_step(&FIVE, &options, None, 0.1, 0.5)
        );
        assert!((next_step(&FIVE, &options, Some(remember(1.0, 0.0)), 1.0, 0.0) - 8.0).abs() < 1e-14);
        assert!((next_step(&FIVE, &options, None, 1.0, 0.0) - 100.0).abs() < 1e-12);
        assert!((shrink(&FIVE, &options, 1e30) - 0.2).abs() < 1e-15);
    }

    #[test]
    fn a_few_limited_steps_are_forgiven() {
        let mut s = Stiffness::default();
        for _ in 0..40 {
            assert!((0..10).all(|_| !s.observe(true)) && (0..6).all(|_| !s.observe(false)));
        }
        assert!((0..14).all(|_| !s.observe(true)) && !s.observe(false) && s.observe(true));
    }
}
