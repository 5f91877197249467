//! Choice of the order from step to step: a pure function of how Newton's method converged and how the step
//! size moves (Hairer & Wanner, Stiff differential equations solved by Radau methods, JCAM 111, 1999).
//!
//! A high order pays where Newton's method converges fast, because steps are then limited by accuracy; slow
//! convergence means that the steps are too long for it already.

/// A rate of convergence below which the order is raised (RADAU: 0.002, which mechanisms hardly reach) ...
const RAISE: f64 = 0.02;
/// ... and above which it is lowered.
const LOWER: f64 = 0.8;
/// Steps per failure of Newton's method below which the order is lowered.
const FAILURES: u32 = 10;
/// The order is raised only while the step size is steady: HNEW/H within these.
const STEADY: (f64, f64) = (0.8, 1.2);
/// Steps after a change during which the order is not raised.
const REST: u32 = 10;

/// What a step has to say about the order.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Rate of convergence of Newton's method.
    pub theta: f64,
    /// Newton iterations.
    pub iterations: u32,
    /// HNEW/H.
    pub growth: f64,
    /// How often Newton's method failed since the last change of order.
    pub failures: u32,
    /// Accepted steps since the last change of order.
    pub since_change: u32,
}

/// The index of the order for the next step, among `count` of them.
pub fn choose(order: usize, count: usize, e: Evidence) -> usize {
    // One failure may be an accident, one in ten steps is none.
    let failing = e.failures >= 2 && e.failures * FAILURES > e.since_change;
    if e.theta >= LOWER || failing {
        return order.saturating_sub(1);
    }
    let fast = e.iterations <= 1 || e.theta <= RAISE;
    let steady = e.growth >= STEADY.0 && e.growth <= STEADY.1;
    if fast && steady && e.since_change > REST {
        (order + 1).min(count - 1)
    } else {
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Evidence =
        Evidence { theta: 1e-3, iterations: 2, growth: 1.0, failures: 0, since_change: 20 };

    #[test]
    fn fast_convergence_raises_and_trouble_lowers() {
        assert_eq!(choose(0, 3, CALM), 1);
        assert_eq!(choose(2, 3, CALM), 2);
        assert_eq!(choose(1, 3, Evidence { theta: 0.1, ..CALM }), 1);
        assert_eq!(choose(1, 3, Evidence { theta: 0.9, ..CALM }), 0);
        assert_eq!(choose(1, 3, Evidence { failures: 3, ..CALM }), 0);
        assert_eq!(choose(0, 3, Evidence { failures: 3, ..CALM }), 0);
        assert_eq!(choose(1, 3, Evidence { failures: 1, theta: 0.1, ..CALM }), 1);
    }

    #[test]
    fn a_change_needs_a_steady_step_size_and_a_rest() {
        assert_eq!(choose(0, 3, Evidence { growth: 2.0, ..CALM }), 0);
        assert_eq!(choose(0, 3, Evidence { since_change: 5, ..CALM }), 0);
    }

    #[test]
    fn limits_belong_to_the_calm_side_or_not() {
        let changed = |e: Evidence| choose(1, 3, e) as i32 - 1;
        assert_eq!(changed(Evidence { theta: LOWER, ..CALM }), -1);
        assert_eq!(changed(Evidence { theta: 0.99 * LOWER, ..CALM }), 0);
        assert_eq!(changed(Evidence { theta: RAISE, ..CALM }), 1);
        assert_eq!(changed(Evidence { theta: 1.01 * RAISE, ..CALM }), 0);
        assert_eq!(changed(Evidence { theta: 0.5, iterations: 1, ..CALM }), 1);
        for (growth, change) in [(0.79, 0), (0.8, 1), (1.2, 1), (1.21, 0)] {
            assert_eq!(changed(Evidence { growth, ..CALM }), change, "{growth}");
        }
        for (since_change, change) in [(REST, 0), (REST + 1, 1)] {
            assert_eq!(changed(Evidence { since_change, ..CALM }), change, "{since_change}");
        }
        // Two failures in twenty steps are one in ten, in nineteen more.
        assert_eq!(changed(Evidence { failures: 2, ..CALM }), 1);
        assert_eq!(changed(Evidence { failures: 2, since_change: 19, ..CALM }), -1);
    }
}
