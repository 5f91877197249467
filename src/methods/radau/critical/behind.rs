//! How accurate steps are behind the first rank loss, where Newton's method sees the multipliers of the dynamic rows (FORM=1, NWTMULT=1).
//!
//! Constraints that lose rank again and again change in the time between two losses: one matrix for all stages converges linearly, with
//! a rate of a third instead of a hundredth, and what Newton's method leaves in every step adds up. And a mechanism that passes rank
//! losses has more components in the norm than move with its one degree of freedom. Both are paid for by a part of the tolerance. Runs
//! without a rank loss are as they were.

use super::Radau;

/// Newton's method is asked for this part of its tolerance ...
const NEWTON: f64 = 0.1;
/// ... and a step for this one.
const STEP: f64 = 0.25;

impl<const L: usize> Radau<L> {
    fn is_strict(&self) -> bool {
        self.strict_behind && self.state.stats.critical_steps > 0
    }

    /// FNEWT, or a part of it, not below rounding errors.
    pub(in super::super) fn newton_tolerance(&self) -> f64 {
        let order = self.order();
        if !self.is_strict() || self.options.fnewt.is_some() {
            return order.fnewt;
        }
        let round_off = 10.0 * self.options.uround / order.scaling.rtol_first;
        (NEWTON * order.fnewt).max(round_off).min(order.fnewt)
    }

    /// The error norm of a step, in units of that part of the tolerance: the estimate has the order of the stages.
    pub(in super::super) fn judged(&self, err: f64) -> f64 {
        if !self.is_strict() {
            return err;
        }
        let stages = self.tableau().stages as f64;
        err * STEP.powf(-(stages + 1.0) / (2.0 * stages))
    }
}
