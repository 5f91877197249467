//! Rank decisions, all in one place.
//!
//! The constraint rows are scaled to unit size before they are decomposed, so magnitudes (pivots,
//! diagonal of R, singular values) are compared with the largest one. Two kinds of noise stand against the
//! decision: rounding or difference errors in the matrix, and the distance of the iterate from the
//! constraint manifold, on which alone redundant constraints are exactly dependent.
//!
//! - FX2 and FX3 contain G; FX1 contains G M⁻¹ Gᵀ, whose small singular values are the squares of those of G,
//!   so it is judged with a smaller tolerance. Differences allow that, too: the rows are affine in the multipliers (but for
//!   friction), so that these are moved further than other variables ([`crate::model::differences`]).
//! - With redundant constraints the rank is decided at the start, where the values are consistent to
//!   rounding. From then on a dropped singular value may grow with the error of the solution: the rank
//!   counts as changed only if it grows beyond [`RankPolicy::regrown`].

use crate::decompose::DecompositionKind;

/// Tolerances for rank decisions, relative to the largest magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankPolicy {
    /// For FX2 and FX3.
    pub constraint: f64,
    /// For FX1.
    pub acceleration: f64,
    /// A dropped singular value beyond this means that the rank has changed.
    pub regrown: f64,
    /// An invariant whose derivative by v, along the free directions and measured in the user's
    /// tolerances, is smaller than this has lost its rank.
    pub invariant: f64,
}

/// With RELAXE an invariant is suspended below this measure ...
pub const SUSPEND: f64 = 0.05;
/// ... and imposed again above this one.
pub const RESUME: f64 = 0.1;

impl RankPolicy {
    /// Choose by decomposition, kind of Jacobian and tolerance.
    pub fn new(kind: DecompositionKind, analytic: bool, rtol: f64) -> Self {
        let (constraint, acceleration) = match (kind, analytic) {
            (DecompositionKind::Svd, true) => (1e-9, 1e-13),
            // Central differences: noise about 1e-10.
            (DecompositionKind::Svd, false) => (1e-8, 1e-10),
            (_, true) => (1e-11, 1e-13),
            // One-sided differences: noise about 1e-8.
            (_, false) => (1e-7, 1e-11),
        };
        // A residual of the size of the tolerance leaves v uncertain by its root where e_v vanishes.
        RankPolicy { constraint, acceleration, regrown: 1e-3, invariant: rtol.sqrt().max(1e-6) }
    }

    /// Rank of constraints, beside a run, from their singular values: the initial values and the diagnosis decide as the run does
    /// with DECOMPC=3.
    pub fn of_constraints(analytic: bool, singular_values: &[f64]) -> usize {
        let policy = Self::new(DecompositionKind::Svd, analytic, 0.0);
        policy.rank(singular_values, policy.constraint, None)
    }

    /// Rank from non-increasing magnitudes; `known` is the rank of the step before (SVD only).
    pub fn rank(&self, magnitudes: &[f64], tolerance: f64, known: Option<usize>) -> usize {
        let largest = magnitudes.iter().fold(0.0f64, |m, &v| m.max(v));
        if largest == 0.0 {
            return 0;
        }
        let rank = magnitudes.iter().filter(|&&v| v > tolerance * largest).count();
        match known {
            Some(known) if rank > known && magnitudes[known] <= self.regrown * largest => known,
            _ => rank,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_above_the_tolerance() {
        let policy = RankPolicy::new(DecompositionKind::Lu, true, 1e-6);
        assert_eq!(policy.rank(&[2.0, 1.0, 1e-9], policy.constraint, None), 3);
        assert_eq!(policy.rank(&[2.0, 1.0, 1e-12], policy.constraint, None), 2);
        assert_eq!(policy.rank(&[0.0, 0.0], policy.constraint, None), 0);
        assert_eq!(policy.rank(&[], policy.constraint, None), 0);
        // A difference Jacobian cannot tell 1e-9 from its noise.
        let noisy = RankPolicy::new(DecompositionKind::Lu, false, 1e-6);
        assert_eq!(noisy.rank(&[2.0, 1.0, 1e-9], noisy.constraint, None), 2);
    }

    #[test]
    fn a_nearly_redundant_row_counts() {
        for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            let policy = RankPolicy::new(kind, true, 1e-3);
            assert_eq!(policy.rank(&[1.0, 1e-6], policy.constraint, None), 2);
            assert_eq!(policy.rank(&[1.0, 1e-12], policy.acceleration, None), 2);
        }
    }

    #[test]
    fn rank_is_kept_until_the_dropped_value_has_regrown() {
        let policy = RankPolicy::new(DecompositionKind::Svd, true, 1e-6);
        assert_eq!(policy.rank(&[1.0, 0.5, 1e-6], policy.constraint, Some(2)), 2);
        assert_eq!(policy.rank(&[1.0, 0.5, 1e-2], policy.constraint, Some(2)), 3);
        assert_eq!(policy.rank(&[1.0, 1e-12, 1e-13], policy.constraint, Some(2)), 1);
    }
}
