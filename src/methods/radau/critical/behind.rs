//! How accurate critical steps are, and steps behind the first rank loss where Newton's method sees the multipliers of the dynamic
//! rows (FORM=1, NWTMULT=1).
//!
//! The measure is the equation of one degree of freedom, which loses no rank. Its steps are kept short by the rate of Newton's method,
//! and their errors are a few hundredths of the tolerance. A critical step has a matrix for every stage, so that only its error limits
//! it: it would be twice as long and use up the tolerance. What Newton's method leaves has the same sign step after step and adds up.
//!
//! Constraints that lose rank again and again change in the time between two losses: one matrix for all stages converges linearly, with
//! a rate of a third instead of a hundredth, and what Newton's method leaves adds up there too. All is paid for by a part of the
//! tolerance. Runs without a rank loss are as they were.

use super::Radau;

/// Newton's method is asked for this part of its tolerance ...
const NEWTON: f64 = 0.1;
/// ... a step behind a rank loss for this one ...
const STEP: f64 = 0.25;
/// ... and a critical step for this one.
const CRITICAL_STEP: f64 = 0.05;

/// Which steps are asked for a part of the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Strict {
    /// None: the tolerance is a part of the user's already.
    None,
    /// Critical steps.
    Critical,
    /// Critical steps, and all behind the first one.
    Behind,
}

impl<const L: usize> Radau<L> {
    fn is_strict(&self) -> bool {
        self.strict == Strict::Behind && self.state.stats.critical_steps > 0
    }

    /// FNEWT, or a part of it.
    pub(in super::super) fn newton_tolerance(&self) -> f64 {
        if self.is_strict() {
            self.strict_newton_tolerance()
        } else {
            self.order().fnewt
        }
    }

    /// That of a critical step.
    pub(super) fn critical_newton_tolerance(&self) -> f64 {
        if self.strict == Strict::None {
            self.order().fnewt
        } else {
            self.strict_newton_tolerance()
        }
    }

    /// Not below rounding errors.
    fn strict_newton_tolerance(&self) -> f64 {
        let order = self.order();
        if self.options.fnewt.is_some() {
            return order.fnewt;
        }
        let round_off = 10.0 * self.options.uround / order.scaling.rtol_first;
        (NEWTON * order.fnewt).max(round_off).min(order.fnewt)
    }

    /// The error norm of a step, in units of that part of the tolerance.
    pub(in super::super) fn judged(&self, err: f64) -> f64 {
        if self.is_strict() {
            self.judged_by(STEP, err)
        } else {
            err
        }
    }

    /// That of a critical step.
    pub(super) fn judged_critical(&self, err: f64) -> f64 {
        if self.strict == Strict::None {
            err
        } else {
            self.judged_by(CRITICAL_STEP, err)
        }
    }

    /// The estimate has the order of the stages.
    fn judged_by(&self, part: f64, err: f64) -> f64 {
        let stages = self.tableau().stages as f64;
        let scaling = &self.order().scaling;
        // The tolerance may be a part of the run's already.
        let part = scaling.possible_part(part * self.rtol_of_run / scaling.rtol_user);
        err * part.powf(-(stages + 1.0) / (2.0 * stages))
    }
}
