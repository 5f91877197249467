//! Symmetric positive definite systems: A = L Lᵀ, half the work of an LU and no exchanges.

use super::fixed::by_length;
use super::{LinalgError, Scalar};

/// A pivot below this, relative to its diagonal entry, counts as zero: the row depends on those before it.
const DEPENDENT: f64 = 1e-13;

/// L of A = L Lᵀ in the lower triangle, column-major; the diagonal holds the reciprocals of its entries.
#[derive(Clone, Debug)]
pub struct Cholesky {
    n: usize,
    a: Vec<f64>,
    diagonal: Vec<f64>,
    /// No entry off the diagonal: solving costs n operations.
    is_diagonal: bool,
}

impl Cholesky {
    /// Room for matrices of order `n`.
    pub fn new(n: usize) -> Self {
        Cholesky { n, a: vec![0.0; n * n], diagonal: vec![0.0; n], is_diagonal: false }
    }

    /// The matrix, n by n, to be filled before [`Cholesky::factor`]; only the lower triangle is read.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a
    }

    /// Factor the matrix in place. [`LinalgError::Singular`] means that it is not safely positive definite.
    pub fn factor(&mut self) -> Result<(), LinalgError> {
        let a = &mut self.a[..];
        self.is_diagonal = by_length!(self.n, cholesky(a, DEPENDENT), return self.factor_large())?;
        Ok(())
    }

    /// Smallest and largest diagonal entry of L.
    pub fn extent(&self) -> (f64, f64) {
        // The diagonal holds reciprocals.
        let diagonal = self.a.iter().step_by(self.n + 1);
        let (least, most) = diagonal.fold((f64::INFINITY, 0.0f64), |(l, m), d| (l.min(*d), m.max(*d)));
        (1.0 / most, 1.0 / least)
    }

    fn factor_large(&mut self) -> Result<(), LinalgError> {
        let n = self.n;
        for (d, a) in self.diagonal.iter_mut().zip(self.a.iter().step_by(n + 1)) {
            *d = *a;
        }
        self.is_diagonal = true;
        for k in 0..n {
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let column = &mut left[k * n + k..];
            let pivot = column[0];
            if !pivot.is_finite() {
                return Err(LinalgError::NotFinite);
            }
            if pivot <= DEPENDENT * self.diagonal[k] || pivot < f64::MIN_POSITIVE {
                return Err(LinalgError::Singular { pivot: k });
            }
            let reciprocal = 1.0 / pivot.sqrt();
            column[0] = reciprocal;
            let below = &mut column[1..];
            below.iter_mut().for_each(|v| *v *= reciprocal);
            for (j, target) in right.chunks_exact_mut(n).enumerate() {
                // Mass matrices of multibody systems have many zeros.
                if below[j] != 0.0 {
                    self.is_diagonal = false;
                    f64::axpy(-below[j], &below[j..], &mut target[k + 1 + j..]);
                }
            }
        }
        Ok(())
    }

    /// x := L⁻¹ x.
    pub fn solve_lower(&self, x: &mut [f64]) {
        if self.is_diagonal {
            return self.scale(x);
        }
        by_length!(self.n, solve_lower(&self.a, x), self.solve_lower_large(x));
    }

    fn solve_lower_large(&self, x: &mut [f64]) {
        for (k, column) in self.a.chunks_exact(self.n.max(1)).enumerate() {
            x[k] *= column[k];
            let (head, tail) = x.split_at_mut(k + 1);
            f64::axpy(-head[k], &column[k + 1..], tail);
        }
    }

    /// x := L⁻ᵀ x.
    pub fn solve_lower_transposed(&self, x: &mut [f64]) {
        if self.is_diagonal {
            return self.scale(x);
        }
        by_length!(self.n, solve_lower_transposed(&self.a, x), self.solve_lower_transposed_large(x));
    }

    fn solve_lower_transposed_large(&self, x: &mut [f64]) {
        for (k, column) in self.a.chunks_exact(self.n.max(1)).enumerate().rev() {
            let (head, tail) = x.split_at_mut(k + 1);
            head[k] = (head[k] - f64::dot(&column[k + 1..], &tail[..self.n - k - 1])) * column[k];
        }
    }

    fn scale(&self, x: &mut [f64]) {
        for (x, d) in x.iter_mut().zip(self.a.iter().step_by(self.n + 1)) {
            *x *= d;
        }
    }

    /// X := X L⁻ᵀ for X with m rows, column-major: all rows at once.
    pub fn solve_rows(&self, m: usize, x: &mut [f64]) {
        let (n, diagonal) = (self.n, self.is_diagonal);
        by_length!(m, solve_rows(n, diagonal, &self.a, x), self.solve_many_rows(m, x));
    }

    fn solve_many_rows(&self, m: usize, x: &mut [f64]) {
        if m == 0 {
            return;
        }
        for (k, column) in self.a.chunks_exact(self.n.max(1)).enumerate() {
            let (head, tail) = x.split_at_mut((k + 1) * m);
            let done = &mut head[k * m..];
            done.iter_mut().for_each(|v| *v *= column[k]);
            if self.is_diagonal {
                continue;
            }
            for (target, l) in tail.chunks_exact_mut(m).zip(&column[k + 1..]) {
                if *l != 0.0 {
                    f64::axpy(-l, done, target);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, transpose, Random, SIZES};

    #[test]
    fn systems_are_solved() {
        let mut r = Random::new(11);
        for n in SIZES {
            let b = if n == 2 { vec![2.0, 0.0, 0.0, 3.0] } else { r.vec(n * n) };
            let mut a = product((n, n, n), &b, &transpose(n, n, &b));
            a.iter_mut().step_by(n + 1).for_each(|d| *d += 1.0);
            let mut cholesky = Cholesky::new(n);
            cholesky.matrix_mut().copy_from_slice(&a);
            cholesky.factor().unwrap();
            let x = r.vec(n);
            let mut y = product((n, n, 1), &a, &x);
            cholesky.solve_lower(&mut y);
            cholesky.solve_lower_transposed(&mut y);
            assert_close(&y, &x, 1e-9);
            // X Lᵀ⁻¹ row by row is L⁻¹ of the row.
            let m = 3;
            let rows = r.vec(m * n);
            let mut all = rows.clone();
            cholesky.solve_rows(m, &mut all);
            for i in 0..m {
                let mut row: Vec<f64> = rows.iter().skip(i).step_by(m).copied().collect();
                cholesky.solve_lower(&mut row);
                let got: Vec<f64> = all.iter().skip(i).step_by(m).copied().collect();
                assert_close(&got, &row, 1e-12);
            }
        }
    }

    #[test]
    fn what_is_not_definite_is_named() {
        let mut cholesky = Cholesky::new(2);
        for (a, expected) in [
            ([1.0, 1.0, 1.0, 1.0], LinalgError::Singular { pivot: 1 }),
            ([-1.0, 0.0, 0.0, 1.0], LinalgError::Singular { pivot: 0 }),
            ([1.0, f64::NAN, 0.0, 1.0], LinalgError::NotFinite),
        ] {
            cholesky.matrix_mut().copy_from_slice(&a);
            assert_eq!(cholesky.factor(), Err(expected));
        }
    }
}
