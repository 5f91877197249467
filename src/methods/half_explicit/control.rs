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

/// Accepted steps over which h times the dominant frequency is averaged.
const WINDOW: u32 = 20;
/// Beyond this mean the steps are limited by stability. Along the real axis they are then at 3.3 (order 5) and 6.1 (order 8);
/// mechanisms whose motion limits them stay below, chains of many links included (tests/automatic.rs).
const STIFF: f64 = 1.8;
/// One step counts for no more than this, or its reciprocal.
const EXTREME: f64 = 50.0;

/// Detection of stiffness: mean of ln(h‖Δf‖/‖Δy‖) over the last accepted steps. For an oscillation the quotient moves with the phase,
/// between ω² and 1 where it should be ω; its geometric mean over the phases is exactly hω (docs/theory.md).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stiffness {
    /// Steps seen, up to the window.
    pub steps: u32,
    /// Mean of the logarithms.
    pub mean: f64,
}

impl Stiffness {
    /// Take notice of an accepted step with this quotient; true if the problem now counts as stiff, and then the watch begins anew.
    pub fn observe(&mut self, quotient: f64) -> bool {
        self.steps = (self.steps + 1).min(WINDOW);
        let value = quotient.clamp(1.0 / EXTREME, EXTREME).ln();
        self.mean += (value - self.mean) / f64::from(self.steps);
        let stiff = self.steps == WINDOW && self.mean > STIFF.ln();
        if stiff {
            *self = Stiffness::default();
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
        let options = Options::of_call();
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
    fn stiffness_needs_a_window_of_steps() {
        let mut s = Stiffness::default();
        assert!((0..19).all(|_| !s.observe(3.3)) && s.observe(3.3));
        assert_eq!(s, Stiffness::default());
        // Outliers are not enough.
        let mut s = Stiffness::default();
        assert!((0..200).all(|k| !s.observe(if k % 10 == 0 { 1e6 } else { 0.9 })));
    }

    #[test]
    fn the_mean_of_an_oscillation_is_its_frequency() {
        // f = (v, -ω² p) for (p, v) = (cos φ, ω sin φ), all phases equally often.
        let quotient = |omega: f64, h: f64, phase: f64| {
            let (p, v) = (phase.cos(), omega * phase.sin());
            h * (v * v + (omega * omega * p).powi(2)).sqrt() / (p * p + v * v).sqrt()
        };
        assert!((quotient(30.0, 0.1, 0.0) - 90.0).abs() < 1e-9);
        let phases = 720;
        for omega in [3.0f64, 30.0] {
            let mean = (0..phases)
                .map(|k| {
                    quotient(omega, 0.1, (f64::from(k) + 0.5) * std::f64::consts::PI / f64::from(phases)).ln()
                })
                .sum::<f64>()
                / f64::from(phases);
            assert!((mean.exp() - 0.1 * omega).abs() < 1e-9 * omega, "{omega}: {}", mean.exp());
        }
    }
}
