//! Semidefinite systems: S = L Lᵀ with L of full column rank, by diagonal pivoting.
//!
//! The pivots name independent rows, which may be kept for matrices nearby: then they need not be searched again, and the
//! solution depends smoothly on the matrix.

use super::{all_finite, LinalgError, Scalar};

/// Kept rows are given up if one of them is this near, in the square of the sine, to the span of those before it.
const NEARLY_DEPENDENT: f64 = 1e-4;

/// When the search for pivots ends, relative to the largest one.
#[derive(Clone, Copy, Debug)]
pub struct RankRule {
    /// At this pivot in any case.
    pub zero: f64,
    /// At this one where the rank is the known one.
    pub regrown: f64,
    /// The known rank.
    pub known: Option<usize>,
}

/// L, its rows numbered as those of S.
#[derive(Clone, Debug)]
pub struct PivotedCholesky {
    n: usize,
    s: Vec<f64>,
    l: Vec<f64>,
    /// Diagonal of what is left of S.
    left: Vec<f64>,
    reciprocals: Vec<f64>,
    /// The rows of the pivots, `rank` of them, then all others.
    order: Vec<usize>,
    rank: usize,
    /// No rows have been chosen.
    fresh: bool,
    work: Vec<f64>,
    /// Orthonormal basis of the null space of Lᵀ.
    null: Vec<f64>,
}

impl PivotedCholesky {
    /// Room for matrices of order `n`.
    pub fn new(n: usize) -> Self {
        PivotedCholesky {
            n,
            s: vec![0.0; n * n],
            l: vec![0.0; n * n],
            left: vec![0.0; n],
            reciprocals: vec![0.0; n],
            order: (0..n).collect(),
            rank: 0,
            fresh: true,
            work: vec![0.0; n],
            null: vec![0.0; n * n],
        }
    }

    /// The matrix, n by n, to be filled before [`Self::factor`]; only the lower triangle is read.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.s
    }

    /// The independent rows.
    pub fn rows(&self) -> &[usize] {
        &self.order[..self.rank]
    }

    /// Smallest and largest diagonal entry of L in the independent rows.
    pub fn extent(&self) -> (f64, f64) {
        let reciprocals = &self.reciprocals[..self.rank];
        let (least, most) =
            reciprocals.iter().fold((f64::INFINITY, 0.0f64), |(l, m), d| (l.min(*d), m.max(*d)));
        (1.0 / most, 1.0 / least)
    }

    /// Go on with these rows, which must be different and exist.
    pub fn keep_rows(&mut self, rows: &[usize]) {
        (self.rank, self.fresh) = (0, false);
        self.order.iter_mut().enumerate().for_each(|(i, o)| *o = i);
        for &row in rows {
            let at = self.order.iter().position(|&o| o == row).unwrap_or(self.rank);
            self.order.swap(self.rank, at);
            self.rank += 1;
        }
    }

    /// Choose rows as the first time.
    pub fn forget(&mut self) {
        self.keep_rows(&[]);
        self.fresh = true;
    }

    /// Factor with the rows in hand; with others where these do not serve.
    pub fn factor(&mut self, rule: &RankRule) -> Result<(), LinalgError> {
        let n = self.n;
        for j in 0..n {
            for i in 0..j {
                self.s[i + j * n] = self.s[j + i * n];
            }
        }
        if !all_finite(&self.s) {
            return Err(LinalgError::NotFinite);
        }
        let another = rule.known.is_some_and(|known| known != self.rank);
        if self.fresh || another || !self.factor_rows(rule) {
            self.choose_rows(rule);
        }
        Ok(())
    }

    /// False if the rows in hand do not serve.
    fn factor_rows(&mut self, rule: &RankRule) -> bool {
        self.begin();
        let mut largest = 0.0f64;
        for k in 0..self.rank {
            let row = self.order[k];
            let pivot = self.left[row];
            if pivot <= NEARLY_DEPENDENT * self.s[row * (self.n + 1)] {
                return false;
            }
            largest = largest.max(pivot);
            self.eliminate(k);
        }
        self.order[self.rank..].iter().all(|&row| self.left[row] <= rule.regrown * largest)
    }

    fn choose_rows(&mut self, rule: &RankRule) {
        self.begin();
        (self.rank, self.fresh) = (0, false);
        let mut largest = 0.0f64;
        for k in 0..self.n {
            let mut at = k;
            for i in k + 1..self.n {
                if self.left[self.order[i]] > self.left[self.order[at]] {
                    at = i;
                }
            }
            let pivot = self.left[self.order[at]];
            largest = largest.max(pivot);
            let known = rule.known == Some(k) && pivot <= rule.regrown * largest;
            if known || pivot <= rule.zero * largest {
                break;
            }
            self.order.swap(k, at);
            self.eliminate(k);
            self.rank = k + 1;
        }
    }

    fn begin(&mut self) {
        for (left, s) in self.left.iter_mut().zip(self.s.iter().step_by(self.n + 1)) {
            *left = *s;
        }
    }

    /// Column k of L.
    fn eliminate(&mut self, k: usize) {
        let (n, row) = (self.n, self.order[k]);
        let (before, rest) = self.l.split_at_mut(k * n);
        let column = &mut rest[..n];
        column.copy_from_slice(&self.s[row * n..(row + 1) * n]);
        for l in before.chunks_exact(n) {
            f64::axpy(-l[row], l, column);
        }
        let reciprocal = 1.0 / self.left[row].sqrt();
        column.iter_mut().for_each(|v| *v *= reciprocal);
        self.reciprocals[k] = reciprocal;
        // Rows that were eliminated before have no part in this column.
        self.order[..k].iter().for_each(|&done| column[done] = 0.0);
        self.left.iter_mut().zip(&*column).for_each(|(left, l)| *left -= l * l);
    }

    /// b := a solution of S x = b, zero but for the independent rows, of which alone b is read.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        for (k, column) in self.l.chunks_exact(n.max(1)).enumerate().take(self.rank) {
            self.work[k] = b[self.order[k]] * self.reciprocals[k];
            f64::axpy(-self.work[k], column, b);
        }
        b.fill(0.0);
        for (k, column) in self.l.chunks_exact(n.max(1)).enumerate().take(self.rank).rev() {
            b[self.order[k]] = (self.work[k] - f64::dot(column, b)) * self.reciprocals[k];
        }
    }

    /// The solution of least norm from another one.
    pub fn least_norm(&mut self, x: &mut [f64]) {
        let n = self.n;
        for (q, &row) in self.order[self.rank..].iter().enumerate() {
            let (before, rest) = self.null.split_at_mut(q * n);
            let vector = &mut rest[..n];
            // This row of L as a combination of the independent ones.
            vector.fill(0.0);
            for (k, column) in self.l.chunks_exact(n).enumerate().take(self.rank).rev() {
                vector[self.order[k]] = -(column[row] + f64::dot(column, vector)) * self.reciprocals[k];
            }
            vector[row] = 1.0;
            for other in before.chunks_exact(n) {
                f64::axpy(-f64::dot(other, vector), other, vector);
            }
            let scale = 1.0 / f64::dot(vector, vector).sqrt();
            vector.iter_mut().for_each(|v| *v *= scale);
            f64::axpy(-f64::dot(vector, x), vector, x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::svd::Svd;
    use crate::linalg::testing::{assert_close, product, transpose, Random};

    const RULE: RankRule = RankRule { zero: 1e-13, regrown: 1e-3, known: None };

    /// Of rank r.
    fn semidefinite(r: &mut Random, n: usize, rank: usize) -> Vec<f64> {
        let b = r.vec(n * rank);
        product((n, rank, n), &b, &transpose(n, rank, &b))
    }

    /// Least-norm solution by singular values.
    fn by_svd(n: usize, rank: usize, s: &[f64], b: &[f64]) -> Vec<f64> {
        let mut svd = Svd::new(n, n);
        svd.compute(n, s).unwrap();
        let mut x = vec![0.0; n];
        for k in 0..rank {
            let u = &svd.u()[k * n..(k + 1) * n];
            let part = f64::dot(u, b) / svd.singular_values()[k];
            (0..n).for_each(|i| x[i] += part * svd.vt()[k + i * n]);
        }
        x
    }

    #[test]
    fn least_norm_solutions_are_those_of_the_singular_values() {
        let mut r = Random::new(5);
        for (n, rank) in [(1, 1), (2, 1), (5, 4), (6, 6), (7, 3), (9, 0), (12, 10)] {
            let mut p = PivotedCholesky::new(n);
            // The second matrix is a neighbour of the first and keeps its rows.
            let mut s = semidefinite(&mut r, n, rank);
            for _ in 0..2 {
                p.matrix_mut().copy_from_slice(&s);
                p.factor(&RULE).unwrap();
                assert_eq!(p.rows().len(), rank);
                let rows = p.rows().to_vec();
                let b = product((n, n, 1), &s, &r.vec(n));
                let mut x = b.clone();
                p.solve(&mut x);
                assert_close(&product((n, n, 1), &s, &x), &b, 1e-9);
                assert!((0..n).all(|i| rows.contains(&i) || x[i] == 0.0));
                p.least_norm(&mut x);
                assert_close(&x, &by_svd(n, rank, &s, &b), 1e-8);
                s.iter_mut().for_each(|v| *v *= 1.25);
                let kept: Vec<usize> = rows.iter().rev().copied().collect();
                p.keep_rows(&kept);
            }
        }
    }

    #[test]
    fn rows_are_kept_until_they_depend_on_each_other() {
        // Two rows of three: the angle between the first two goes to zero.
        let gram = |angle: f64| {
            let y = [[1.1, 0.0], [angle.cos(), angle.sin()], [0.1, 0.8]];
            let mut s = vec![0.0; 9];
            (0..9).for_each(|k| s[k] = y[k % 3][0] * y[k / 3][0] + y[k % 3][1] * y[k / 3][1]);
            s
        };
        let rule = RankRule { known: Some(2), ..RULE };
        let mut p = PivotedCholesky::new(3);
        p.keep_rows(&[1, 0]);
        for (angle, rows) in [(1.5, [1, 0]), (0.1, [1, 0]), (0.001, [0, 2]), (1.5, [0, 2])] {
            p.matrix_mut().copy_from_slice(&gram(angle));
            p.factor(&rule).unwrap();
            assert_eq!(p.rows(), rows, "{angle}");
        }
        // A third independent direction.
        let mut s = gram(1.5);
        s[4] += 0.5;
        p.matrix_mut().copy_from_slice(&s);
        p.factor(&rule).unwrap();
        assert_eq!(p.rows().len(), 3);
        // As large as the distance from the manifold may make it.
        let mut s = gram(1.5);
        s[4] += 1e-6;
        p.matrix_mut().copy_from_slice(&s);
        p.fresh = true;
        p.factor(&rule).unwrap();
        assert_eq!(p.rows().len(), 2);
        s[4] = f64::NAN;
        p.matrix_mut().copy_from_slice(&s);
        assert_eq!(p.factor(&rule), Err(LinalgError::NotFinite));
    }
}
