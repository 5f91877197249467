//! The tangent space of constraints C x = b: an orthonormal basis N of the null space of C, particular solutions of smallest norm, and
//! the multipliers of a force that C can carry, all from one rank-revealing factorisation: Cᵀ P = Q R with column pivoting. Where
//! constraints are redundant the independent rows of R are factored once more, Rᵀ Π = Z S (a complete orthogonal decomposition), so
//! that the multipliers of smallest norm are found without singular values.

use crate::decompose::DecompositionKind;
use crate::linalg::pivoted_qr::PivotedQr;
use crate::linalg::products::{add_mul_vec, mul_vec, mul_vec_transposed};
use crate::linalg::triangular::{solve_upper, solve_upper_transposed};
use crate::linalg::LinalgError;
use crate::rank::RankPolicy;

/// Of an m by n matrix C.
#[derive(Debug)]
pub struct TangentSpace {
    m: usize,
    n: usize,
    policy: RankPolicy,
    /// Constraints may be redundant.
    redundant: bool,
    qr: PivotedQr,
    /// Of the independent rows of R, transposed.
    second: PivotedQr,
    /// Rows are scaled to unit size before ranks are judged.
    scale: Vec<f64>,
    rank: usize,
    /// Orthonormal, n by n: first a basis of the range of Cᵀ, then N.
    basis: Vec<f64>,
    work: Vec<f64>,
    inner: Vec<f64>,
}

impl TangentSpace {
    /// Room for m rows and n columns.
    pub fn new(kind: DecompositionKind, policy: RankPolicy, m: usize, n: usize) -> Self {
        let redundant = kind == DecompositionKind::Svd;
        let small = if redundant { m.min(n) } else { 0 };
        let (scale, work) = (vec![1.0; m], vec![0.0; m.max(n)]);
        TangentSpace {
            m,
            n,
            policy,
            redundant,
            qr: PivotedQr::new(n, m),
            second: PivotedQr::new(if redundant { m } else { 0 }, small),
            scale,
            rank: 0,
            basis: vec![0.0; n * n],
            inner: work.clone(),
            work,
        }
    }

    /// Factor C, whose rank was `known`. Unless constraints may be redundant it must have full rank.
    pub fn factor(&mut self, matrix: &[f64], known: Option<usize>) -> Result<(), LinalgError> {
        let (m, n) = (self.m, self.n);
        for (i, scale) in self.scale.iter_mut().enumerate() {
            let size = (0..n).fold(0.0f64, |s, j| s + matrix[i + j * m] * matrix[i + j * m]).sqrt();
            *scale = if size > 0.0 { 1.0 / size } else { 1.0 };
        }
        let target = self.qr.matrix_mut();
        for (i, scale) in self.scale.iter().enumerate() {
            (0..n).for_each(|j| target[j + i * n] = scale * matrix[i + j * m]);
        }
        self.qr.factor()?;
        let known = if self.redundant { known } else { None };
        self.rank = self.policy.rank(self.qr.r_diag(), self.policy.constraint, known);
        let least = if self.redundant { known.unwrap_or(0) } else { m };
        if self.rank < least {
            return Err(LinalgError::Singular { pivot: self.rank });
        }
        if self.rank < m {
            self.second.resize(m, self.rank);
            let (r, target) = (self.qr.factors(), self.second.matrix_mut());
            // In the user's units again, in which multipliers are to be small.
            for (j, &row) in self.qr.perm().iter().enumerate() {
                let entry = |k: usize| if j >= k { r[k + j * n] / self.scale[row] } else { 0.0 };
                (0..self.rank).for_each(|k| target[j + k * m] = entry(k));
            }
            self.second.factor()?;
        }
        self.qr.q_columns(m.min(n), 0, n, &mut self.basis)
    }

    /// Independent rows.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Dimension of the null space.
    pub fn free(&self) -> usize {
        self.n - self.rank
    }

    /// N, n by [`TangentSpace::free`].
    pub fn null(&self) -> &[f64] {
        &self.basis[self.n * self.rank..]
    }

    /// Basis of the forces that constraints can exert, n by rank.
    pub fn range(&self) -> &[f64] {
        &self.basis[..self.n * self.rank]
    }

    /// The smallest x with C x = b, in the sense of least squares where rows contradict each other by rounding.
    pub fn particular(&mut self, b: &[f64], x: &mut [f64]) {
        let (m, rank) = (self.m, self.rank);
        let scaled = &mut self.work[..m];
        let factor = |i: usize| if rank == m { self.scale[i] } else { 1.0 };
        scaled.iter_mut().zip(self.qr.perm()).for_each(|(s, &i)| *s = factor(i) * b[i]);
        let y = &mut self.inner[..rank];
        if rank == m {
            solve_upper_transposed(self.qr.factors(), self.n, scaled);
            y.copy_from_slice(scaled);
        } else {
            self.second.apply_qt(rank, scaled);
            solve_upper(self.second.factors(), m, &mut scaled[..rank]);
            scaled.iter().zip(self.second.perm()).for_each(|(s, &i)| y[i] = *s);
        }
        mul_vec(self.n, rank, &self.basis, &self.inner, x);
    }

    /// The smallest λ for which Cᵀ λ has these coordinates in the basis of the range.
    pub fn multipliers(&mut self, coordinates: &[f64], lambda: &mut [f64]) {
        let (m, rank) = (self.m, self.rank);
        let y = &mut self.work[..m];
        if rank == m {
            y.copy_from_slice(&coordinates[..rank]);
            solve_upper(self.qr.factors(), self.n, y);
        } else {
            y.fill(0.0);
            y.iter_mut().zip(self.second.perm()).for_each(|(y, &i)| *y = coordinates[i]);
            solve_upper_transposed(self.second.factors(), m, &mut y[..rank]);
            self.second.apply_q(rank, y);
        }
        let factor = |i: usize| if rank == m { self.scale[i] } else { 1.0 };
        y.iter().zip(self.qr.perm()).for_each(|(y, &i)| lambda[i] = factor(i) * *y);
    }

    /// Remove from λ what causes no force.
    pub fn keep_determined(&mut self, lambda: &mut [f64]) {
        let (m, rank) = (self.m, self.rank);
        if rank == m {
            return;
        }
        let y = &mut self.work[..m];
        y.iter_mut().zip(self.qr.perm()).for_each(|(y, &i)| *y = lambda[i]);
        self.second.apply_qt(rank, y);
        y[rank..].fill(0.0);
        self.second.apply_q(rank, y);
        y.iter().zip(self.qr.perm()).for_each(|(y, &i)| lambda[i] = *y);
    }

    /// Coordinates Nᵀ x of the tangential part of x.
    pub fn coordinates(&self, x: &[f64], out: &mut [f64]) {
        mul_vec_transposed(self.n, self.free(), self.null(), x, out);
    }

    /// x := N Nᵀ x.
    pub fn keep_tangential(&mut self, x: &mut [f64]) {
        let (n, rank) = (self.n, self.rank);
        mul_vec_transposed(n, rank, &self.basis, x, &mut self.inner);
        add_mul_vec(n, rank, -1.0, &self.basis, &self.inner, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(kind: DecompositionKind, rows: &[[f64; 3]]) -> TangentSpace {
        let m = rows.len();
        let policy = RankPolicy::new(kind, true, 1e-6);
        let mut space = TangentSpace::new(kind, policy, m, 3);
        let matrix: Vec<f64> = (0..3).flat_map(|j| rows.iter().map(move |r| r[j])).collect();
        space.factor(&matrix, None).unwrap();
        space
    }

    #[test]
    fn both_factorisations_give_the_same_tangent_space() {
        let rows = [[1.0, 2.0, 3.0], [0.0, 1e3, -1e3]];
        for kind in [DecompositionKind::Qr, DecompositionKind::Svd] {
            let mut s = space(kind, &rows);
            assert_eq!((s.rank(), s.free()), (2, 1));
            let mut x = [0.0; 3];
            s.particular(&[6.0, 0.0], &mut x);
            let product = |r: &[f64; 3], x: &[f64]| r.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
            assert!((product(&rows[0], &x) - 6.0).abs() < 1e-13 && product(&rows[1], &x).abs() < 1e-10);
            // No component along the null space.
            assert!(product(&[s.null()[0], s.null()[1], s.null()[2]], &x).abs() < 1e-14);
            // Cᵀ λ gives back the force.
            let force: Vec<f64> = (0..3).map(|j| 2.0 * rows[0][j] - 0.5 * rows[1][j]).collect();
            let (mut y, mut lambda) = ([0.0; 2], [0.0; 2]);
            mul_vec_transposed(3, 2, s.range(), &force, &mut y);
            s.multipliers(&y, &mut lambda);
            assert!((lambda[0] - 2.0).abs() < 1e-12 && (lambda[1] + 0.5).abs() < 1e-12, "{lambda:?}");
            let mut moved = [1.0, 1.0, 1.0];
            s.keep_tangential(&mut moved);
            assert!(rows.iter().all(|r| product(r, &moved).abs() < 1e-12));
        }
    }

    #[test]
    fn redundant_rows_share_the_load() {
        let mut s = space(DecompositionKind::Svd, &[[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        assert_eq!((s.rank(), s.free()), (1, 2));
        let mut y = [0.0; 2];
        mul_vec_transposed(3, 1, s.range(), &[4.0, 0.0, 0.0], &mut y);
        let mut lambda = [0.0; 2];
        s.multipliers(&y, &mut lambda);
        assert!((lambda[0] - 2.0).abs() < 1e-14 && (lambda[1] - 2.0).abs() < 1e-14);
        // Rows of different size: the smallest (λ1, λ2) with λ1 + 2 λ2 = 5.
        let mut s = space(DecompositionKind::Svd, &[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        mul_vec_transposed(3, 1, s.range(), &[5.0, 0.0, 0.0], &mut y);
        s.multipliers(&y, &mut lambda);
        assert!((lambda[0] - 1.0).abs() < 1e-14 && (lambda[1] - 2.0).abs() < 1e-14, "{lambda:?}");
        // (2, -1) causes no force.
        let mut moved = [5.0, 0.0];
        s.keep_determined(&mut moved);
        assert!((moved[0] - 1.0).abs() < 1e-14 && (moved[1] - 2.0).abs() < 1e-14, "{moved:?}");
        let mut x = [0.0; 3];
        s.particular(&[3.0, 6.0], &mut x);
        assert!((x[0] - 3.0).abs() < 1e-14 && x[1].abs() + x[2].abs() < 1e-14, "{x:?}");
        let twice = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let policy = RankPolicy::new(DecompositionKind::Qr, true, 1e-6);
        let mut qr = TangentSpace::new(DecompositionKind::Qr, policy, 2, 3);
        assert!(matches!(qr.factor(&twice, None), Err(LinalgError::Singular { pivot: 1 })));
    }

    #[test]
    fn without_constraints_all_is_free() {
        for kind in [DecompositionKind::Qr, DecompositionKind::Svd] {
            let mut s = space(kind, &[]);
            assert_eq!(s.free(), 3);
            let mut x = [1.0, 2.0, 3.0];
            s.keep_tangential(&mut x);
            assert_eq!(x, [1.0, 2.0, 3.0]);
            s.particular(&[], &mut x);
            assert_eq!(x, [0.0; 3]);
        }
    }
}
