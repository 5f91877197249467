//! Step size controllers: pure functions of the error, the step and the controller's memory
//! (HW II, IV.8; report, IOPT(8)).

use crate::options::{Controller, Options};

/// What the predictive controller remembers of the last accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// Its size.
    pub h: f64,
    /// Its error norm, at least 0.01.
    pub err: f64,
}

impl Memory {
    /// After an accepted step.
    pub fn after(h: f64, err: f64) -> Self {
        Memory { h, err: err.max(0.01) }
    }

    /// The error norm to be expected of a step of another size.
    pub fn expected(&self, h: f64, stages: usize) -> f64 {
        self.err * (h / self.h).powi(stages as i32 + 1)
    }
}

/// The new step size after a step of size `h` with error norm `err`, which took `newt` Newton iterations.
///
/// The classical controller aims at err = SAFE⁴ (with s stages: SAFE^(s+1)), a little less after many iterations. The predictive one
/// extrapolates the errors of the last two accepted steps; as in RADAU5 the smaller of both proposals is
/// taken. The predictive proposal alone comes closest to the step counts of the report (Tables 3 and 4),
/// but over the problem set it rejects more steps and, at equal error, needs more evaluations.
pub fn new_step(
    options: &Options,
    stages: usize,
    memory: Option<Memory>,
    h: f64,
    err: f64,
    newt: u32,
) -> f64 {
    let root = |e: f64| if stages == 3 { e.sqrt().sqrt() } else { e.powf(1.0 / (stages + 1) as f64) };
    let clip = |quot: f64| quot.clamp(1.0 / options.facl, 1.0 / options.facr);
    let nit2 = 2.0 * f64::from(options.nit);
    let fac = options.safe.min(options.safe * (1.0 + nit2) / (f64::from(newt) + nit2));
    let classical = clip(root(err) / fac);
    let quot = match (options.controller, memory) {
        (Controller::Predictive, Some(last)) => {
            let predictive = clip((last.h / h) * root(err * err / last.err) / options.safe);
            classical.max(predictive)
        }
        _ => classical,
    };
    h / quot
}

/// Rate of Newton's method that steps aim at (Gustafsson & Söderlind, Control strategies for the iterative solution of nonlinear
/// equations in ODE solvers, SIAM J. Sci. Comput. 18, 1997, ask for 0.2 to 0.4). Over the random mechanisms of `make newton-study` 0.15
/// has the fewest evaluations.
const RATE: f64 = 0.15;
/// The least factor for a step that converged slowly ...
const SHRINK: f64 = 0.7;
/// ... for so many steps in a row: a rate that has not changed by then does not depend on the step size, and the step grows again ...
const PATIENCE: u32 = 3;
/// ... by this factor at least.
const GROW: f64 = 1.1;

/// True if Newton's method converged more slowly than steps aim at.
pub fn is_slow(theta: f64, newt: u32) -> bool {
    newt > 1 && theta > RATE
}

/// The largest factor for the next step that the rate of convergence allows: the rate of a simplified Newton method is
/// proportional to h. `slow` steps in a row before this one converged slowly.
pub fn growth_by_rate(theta: f64, newt: u32, slow: u32) -> f64 {
    if newt <= 1 {
        // Nothing is known of the rate.
        return f64::INFINITY;
    }
    let least = if slow < PATIENCE { SHRINK } else { GROW };
    (RATE / theta).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classical_follows_the_fourth_root() {
        let options = Options { controller: Controller::Classical, ..Options::of_call() };
        let h = new_step(&options, 3, None, 0.1, 1.0 / 16.0, 1);
        assert!((h - 0.1 * 0.9 * 2.0).abs() < 1e-15);
        assert!(new_step(&options, 3, None, 0.1, 1.0 / 16.0, 7) < h);
    }

    #[test]
    fn quotients_are_limited() {
        let options = Options::of_call();
        assert!((new_step(&options, 3, None, 1.0, 1e-10, 2) - 8.0).abs() < 1e-14);
        assert!((new_step(&options, 3, None, 1.0, 1e10, 2) - 0.2).abs() < 1e-15);
    }

    /// As in RADAU5: an error below 0.01 is taken for 0.01, or the next proposal would be far too small.
    #[test]
    fn memory_does_not_keep_tiny_errors() {
        assert_eq!(Memory::after(0.1, 0.002).err, 0.01);
        assert_eq!(Memory::after(0.1, 0.02).err, 0.02);
    }

    #[test]
    fn errors_are_expected_to_grow_as_estimates_do() {
        let last = Memory::after(0.1, 0.02);
        assert_eq!(last.expected(0.1, 3), 0.02);
        assert!((last.expected(0.2, 3) - 0.32).abs() < 1e-15);
        assert!((last.expected(0.05, 5) - 0.02 / 64.0).abs() < 1e-17);
    }

    #[test]
    fn steps_follow_the_rate_while_it_follows_them() {
        assert_eq!(growth_by_rate(0.9, 1, 0), f64::INFINITY);
        assert!((growth_by_rate(RATE / 4.0, 3, 9) - 4.0).abs() < 1e-15);
        assert!((growth_by_rate(RATE * 1.25, 3, 0) - 0.8).abs() < 1e-15);
        assert_eq!(growth_by_rate(0.9, 3, PATIENCE - 1), SHRINK);
        // A rate of 0.3 at every step size, as of a poor Jacobian, must not stop the run.
        let mut h = 1.0;
        (0..200).for_each(|slow| h *= growth_by_rate(0.3, 5, slow));
        assert!(h > 1.0 && is_slow(0.3, 5) && !is_slow(0.3, 1));
    }

    /// Each proposal by hand.
    #[test]
    fn both_proposals_are_those_of_the_formulas() {
        let options = Options { nit: 10, safe: 0.9, facl: 8.0, facr: 0.2, ..Options::of_call() };
        // After 7 iterations of 10 SAFE counts as 0.9·21/27 = 0.7; with five stages the root is the sixth.
        assert!((new_step(&options, 3, None, 0.1, 1.0 / 16.0, 7) - 0.14).abs() < 1e-15);
        assert!((new_step(&options, 5, None, 0.1, 1.0 / 64.0, 7) - 0.14).abs() < 1e-15);
        // (0.2/0.1)·(0.5²/0.1)^(1/4)/0.9, more than the classical one.
        let memory = Some(Memory::after(0.2, 0.1));
        let quotient = 2.0 * 2.5f64.powf(0.25) / 0.9;
        assert!((new_step(&options, 3, memory, 0.1, 0.5, 1) - 0.1 / quotient).abs() < 1e-15);
        // A short last step with a larger error promises more than the classical proposal, which counts.
        let memory = Some(Memory::after(0.05, 0.9));
        assert_eq!(new_step(&options, 3, memory, 0.1, 0.5, 1), new_step(&options, 3, None, 0.1, 0.5, 1));
        // Nor is it asked for without being chosen.
        let classical = Options { controller: Controller::Classical, ..options.clone() };
        let growing = Some(Memory::after(0.2, 0.1));
        assert_eq!(new_step(&classical, 3, growing, 0.1, 0.5, 1), new_step(&options, 3, None, 0.1, 0.5, 1));
    }

    #[test]
    fn limits_of_the_rate() {
        assert!(is_slow(1.01 * RATE, 2) && !is_slow(RATE, 2));
        assert_eq!(growth_by_rate(0.9, 2, PATIENCE), GROW);
        assert!((growth_by_rate(RATE / 2.0, 2, 0) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn predictive_sees_a_growing_error() {
        let options = Options::of_call();
        let memory = Some(Memory::after(0.1, 0.1));
        let classical = new_step(&options, 3, None, 0.1, 0.5, 3);
        assert!(new_step(&options, 3, memory, 0.1, 0.5, 3) < classical);
    }
}
