//! Coordinate partitioning: which coordinates are independent, and how the others follow from them.
//!
//! One [`Level`] for positions, with G = ∂g/∂p, and one for velocities, with C = ∂(gI, h)/∂v. Complete pivoting of the matrix, its
//! rows scaled to unit length, makes the columns of the pivots the dependent coordinates D; the other ones are independent. Rows
//! beyond the rank are redundant and determine nothing.

use crate::decompose::DecompositionKind;
use crate::linalg::full_pivot::FullPivotLu;
use crate::linalg::{LinalgError, LuReal};
use crate::methods::motion::saddle::Defect;
use crate::rank::RankPolicy;

/// A partition is given up when its measure has grown by this factor.
const GROWTH: f64 = 1.25;

/// The constraints of one level, their partition and the dependence H = -A_D⁻¹ A_I of the dependent coordinates.
#[derive(Debug)]
pub struct Level {
    m: usize,
    n: usize,
    kind: DecompositionKind,
    policy: RankPolicy,
    /// A, m by n.
    a: Vec<f64>,
    /// Independent coordinates, in their order.
    pub independent: Vec<usize>,
    /// Dependent coordinates.
    pub dependent: Vec<usize>,
    /// The constraints that determine them.
    pub rows: Vec<usize>,
    /// Rank, from the first choice on.
    pub rank: Option<usize>,
    /// κ where the partition was chosen.
    pub chosen: f64,
    kappa: f64,
    h: Vec<f64>,
    lu: LuReal,
    pivoting: FullPivotLu,
}

impl Level {
    /// For m constraints of n coordinates; no partition yet.
    pub fn new(m: usize, n: usize, kind: DecompositionKind, policy: RankPolicy) -> Self {
        let most = m.min(n);
        Level {
            m,
            n,
            kind,
            policy,
            a: vec![0.0; m * n],
            independent: Vec::with_capacity(n),
            dependent: Vec::with_capacity(most),
            rows: Vec::with_capacity(most),
            rank: None,
            chosen: 0.0,
            kappa: 0.0,
            h: vec![0.0; most * n],
            lu: LuReal::new(most),
            pivoting: FullPivotLu::new(m, n),
        }
    }

    /// A, m by n, to be filled.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Number of constraints.
    pub fn len(&self) -> usize {
        self.m
    }

    /// True without constraints.
    pub fn is_empty(&self) -> bool {
        self.m == 0
    }

    /// True once there is a partition.
    pub fn is_chosen(&self) -> bool {
        self.rank.is_some()
    }

    /// True if the dependent coordinates depend on the independent ones so much more than at the choice that it is to be made anew.
    /// κ = ‖A_D⁻¹ A‖ in the norm of Frobenius: unlike the condition number of A_D it sees a single constraint turn away from
    /// its coordinate, and unlike ‖A‖‖A_D⁻¹‖ it does not depend on units of the constraints.
    pub fn is_poor(&self) -> bool {
        self.kappa > GROWTH * self.chosen
    }

    /// Choose the partition for the matrix in hand, and decompose.
    pub fn choose(&mut self) -> Result<(), Defect> {
        let (m, n) = (self.m, self.n);
        self.pivoting.matrix_mut().copy_from_slice(&self.a);
        scale_rows(m, self.pivoting.matrix_mut());
        self.pivoting.factor().map_err(|_| Defect::NotFinite)?;
        let pivots = self.pivoting.pivots();
        let found = self.policy.rank(pivots, self.policy.constraint, None);
        let rank = self.rank.unwrap_or(found);
        if found < rank || (found < m && self.kind != DecompositionKind::Svd) {
            return Err(Defect::Constraints(self.pivoting.rows().get(found).copied()));
        }
        self.rank = Some(rank);
        let (rows, cols) = (self.pivoting.rows(), self.pivoting.cols());
        self.rows.clear();
        self.dependent.clear();
        self.independent.clear();
        self.rows.extend_from_slice(&rows[..rank]);
        self.dependent.extend_from_slice(&cols[..rank]);
        self.independent.extend((0..n).filter(|j| !cols[..rank].contains(j)));
        self.decompose()?;
        self.chosen = self.kappa;
        Ok(())
    }

    /// The partition of another level with the same coordinates and constraints.
    pub fn adopt(&mut self, other: &Level) -> Result<(), Defect> {
        self.put_back(&other.independent, &other.dependent, &other.rows, (other.rank, other.chosen));
        self.decompose()
    }

    /// The partition of an earlier choice.
    pub fn put_back(
        &mut self,
        independent: &[usize],
        dependent: &[usize],
        rows: &[usize],
        (rank, chosen): (Option<usize>, f64),
    ) {
        for (mine, theirs) in
            [(&mut self.independent, independent), (&mut self.dependent, dependent), (&mut self.rows, rows)]
        {
            mine.clear();
            mine.extend_from_slice(theirs);
        }
        (self.rank, self.chosen) = (rank, chosen);
    }

    /// A_D of the matrix in hand.
    pub fn factor(&mut self) -> Result<(), Defect> {
        let rank = self.rows.len();
        self.lu.resize(rank);
        let target = self.lu.matrix_mut();
        for (column, &j) in target.chunks_exact_mut(rank.max(1)).zip(&self.dependent) {
            column.iter_mut().zip(&self.rows).for_each(|(t, &i)| *t = self.a[i + j * self.m]);
        }
        if rank == 0 {
            return Ok(());
        }
        self.lu.factor().map_err(|e| match e {
            LinalgError::Singular { pivot } => Defect::Constraints(self.rows.get(pivot).copied()),
            _ => Defect::NotFinite,
        })
    }

    /// A_D, H and κ of the matrix in hand.
    pub fn decompose(&mut self) -> Result<(), Defect> {
        self.factor()?;
        let rank = self.rows.len();
        let mut square = 0.0;
        for (k, &j) in self.independent.iter().enumerate() {
            let column = &mut self.h[k * rank..(k + 1) * rank];
            column.iter_mut().zip(&self.rows).for_each(|(h, &i)| *h = -self.a[i + j * self.m]);
            if rank > 0 {
                self.lu.solve(column);
            }
            square += column.iter().map(|h| h * h).sum::<f64>();
        }
        self.kappa = (rank as f64 + square).sqrt();
        if self.kappa.is_finite() {
            Ok(())
        } else {
            Err(Defect::Constraints(self.rows.first().copied()))
        }
    }

    /// How the dependent coordinates move with independent one number k.
    pub fn dependence(&self, k: usize) -> &[f64] {
        let rank = self.rows.len();
        &self.h[k * rank..(k + 1) * rank]
    }

    /// The changes of the dependent coordinates that add `change` to the constraints, with its sign turned: -A_D⁻¹ change.
    pub fn compensate(&self, change: &[f64], out: &mut [f64]) {
        let rank = self.rows.len();
        out[..rank].iter_mut().zip(&self.rows).for_each(|(o, &i)| *o = -change[i]);
        if rank > 0 {
            self.lu.solve(&mut out[..rank]);
        }
    }
}

/// Rows of unit length.
fn scale_rows(m: usize, a: &mut [f64]) {
    for i in 0..m {
        let size = a.iter().skip(i).step_by(m).fold(0.0f64, |s, v| s.hypot(*v));
        if size > 0.0 && size.is_finite() {
            a.iter_mut().skip(i).step_by(m).for_each(|v| *v /= size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(m: usize, n: usize, kind: DecompositionKind, a: &[f64]) -> Level {
        let mut level = Level::new(m, n, kind, RankPolicy::new(kind, true, 1e-6));
        level.matrix_mut().copy_from_slice(a);
        level
    }

    #[test]
    fn one_constraint_turning_away_is_seen() {
        let mut l = level(1, 2, DecompositionKind::Lu, &[1.0, 0.1]);
        l.choose().unwrap();
        assert_eq!((&l.dependent[..], &l.independent[..]), (&[0][..], &[1][..]));
        assert!((l.dependence(0)[0] + 0.1).abs() < 1e-16);
        // κ = |A|/|A_D|, and units of the constraint do not matter.
        for (a, poor) in [([1.0, 0.7], false), ([1.0, 0.8], true), ([1e6, 8e5], true), ([0.0, 1.0], true)] {
            l.matrix_mut().copy_from_slice(&a);
            let result = l.decompose();
            assert!(result.is_err() || l.is_poor() == poor, "{a:?}");
        }
    }

    /// (1, 0, 0) comes before (0.8, 0.6, 0), whatever their units.
    #[test]
    fn pivots_are_those_of_rows_of_unit_length() {
        for (first, second) in [(0.05, 0.9), (0.05, 20.0), (3.0, 20.0)] {
            let a = [first, 0.8 * second, 0.0, 0.6 * second, 0.0, 0.0];
            let mut l = level(2, 3, DecompositionKind::Lu, &a);
            l.choose().unwrap();
            assert_eq!(
                (&l.rows[..], &l.dependent[..], &l.independent[..]),
                (&[0, 1][..], &[0, 1][..], &[2][..])
            );
        }
    }

    #[test]
    fn redundant_rows_determine_nothing() {
        let a = [1.0, 2.0, 0.0, 0.5, 1.0, 1.0, 0.0, 0.0, 0.2];
        let mut l = level(3, 3, DecompositionKind::Svd, &a);
        l.choose().unwrap();
        assert_eq!((l.rank, l.rows.len(), l.independent.len()), (Some(2), 2, 1));
        let mut out = [0.0; 2];
        let residual = [0.3, 0.6, -0.1];
        l.compensate(&residual, &mut out);
        for i in 0..3 {
            let left: f64 =
                residual[i] + l.dependent.iter().zip(out).map(|(&j, d)| a[i + 3 * j] * d).sum::<f64>();
            assert!(left.abs() < 1e-15, "row {i}: {left}");
        }
        let mut l = level(3, 3, DecompositionKind::Lu, &a);
        assert!(matches!(l.choose(), Err(Defect::Constraints(Some(_)))));
    }

    #[test]
    fn nothing_is_free_or_all_is() {
        let mut none = level(2, 2, DecompositionKind::Lu, &[1.0, 0.0, 0.0, 1.0]);
        none.choose().unwrap();
        assert!(none.independent.is_empty() && !none.is_poor());
        let mut all = level(0, 2, DecompositionKind::Lu, &[]);
        all.choose().unwrap();
        assert_eq!(all.independent, [0, 1]);
        all.compensate(&[], &mut []);
    }
}
