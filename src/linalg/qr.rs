//! Square systems by Householder QR without pivoting.

use super::householder::{reflect, reflector};
use super::scalar::finite;
use super::triangular::solve_upper;
use super::{Complex, LinalgError, Path, Result, Scalar};

/// Real QR.
pub type QrReal = Qr<f64>;
/// Complex QR.
pub type QrComplex = Qr<Complex>;

/// A = Q R of a square matrix, stored as xGEQRF does.
#[derive(Clone, Debug)]
pub struct Qr<T> {
    n: usize,
    a: Vec<T>,
    tau: Vec<T>,
    work: Vec<T>,
}

impl<T: Scalar> Qr<T> {
    /// Room for matrices up to order `n`.
    pub fn new(n: usize) -> Self {
        let zeros = |len| vec![T::default(); len];
        Qr { n, a: zeros(n * n), tau: zeros(n), work: zeros(T::geqrf_work(n)) }
    }

    /// Change the order, at most to that given to [`Qr::new`]. The contents are lost.
    pub fn resize(&mut self, n: usize) {
        debug_assert!(n <= self.tau.len());
        self.n = n.min(self.tau.len());
    }

    /// The order.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The matrix, n by n, to be filled before [`Qr::factor`].
    pub fn matrix_mut(&mut self) -> &mut [T] {
        &mut self.a[..self.n * self.n]
    }

    /// Factor the matrix in place. [`LinalgError::Singular`] means that a column depends on the preceding ones
    /// to working precision: |R_kk| is at most eps times the largest entry of column k of R.
    pub fn factor(&mut self) -> Result {
        self.factor_by(Path::up_to(T::QR_OWN_MAX, self.n))
    }

    pub(crate) fn factor_by(&mut self, path: Path) -> Result {
        let n = self.n;
        let (a, tau) = (&mut self.a[..n * n], &mut self.tau[..n]);
        if !finite(a) {
            return Err(LinalgError::NotFinite);
        }
        match path {
            Path::Own => triangularise(n, a, tau),
            Path::Lapack => T::geqrf(n, a, tau, &mut self.work)?,
        }
        check_diagonal(n, a)
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        let b = &mut b[..n];
        for (k, tau) in self.tau[..n].iter().enumerate() {
            reflect(&self.a[k * n + k + 1..(k + 1) * n], tau.conj(), &mut b[k..]);
        }
        solve_upper(&self.a, n, b);
    }
}

fn triangularise<T: Scalar>(n: usize, a: &mut [T], tau: &mut [T]) {
    for k in 0..n {
        let (left, right) = a.split_at_mut((k + 1) * n);
        let column = &mut left[k * n + k..];
        tau[k] = reflector(column);
        for c in right.chunks_exact_mut(n) {
            reflect(&column[1..], tau[k].conj(), &mut c[k..]);
        }
    }
}

/// Measured against its own column, so that the scaling of the unknowns does not matter.
fn check_diagonal<T: Scalar>(n: usize, a: &[T]) -> Result {
    for k in 0..n {
        let column = &a[k * n..k * n + k + 1];
        let (size, largest) = (column[k].abs1(), column.iter().fold(0.0_f64, |m, v| m.max(v.abs1())));
        if !(size <= f64::MAX && largest <= f64::MAX) {
            return Err(LinalgError::NotFinite);
        }
        // a 1 by 1 matrix has only itself to compare with
        if size == 0.0 || size <= f64::EPSILON * largest {
            return Err(LinalgError::Singular { pivot: k });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{check_square_solver, Random};

    fn solve_all<T: Scalar>(random: impl Fn(&mut Random) -> T) {
        check_square_solver(random, |path, a, b| {
            let n = b.len();
            let mut qr = Qr::<T>::new(n + 3);
            qr.resize(n);
            assert_eq!(qr.n(), n);
            qr.matrix_mut().copy_from_slice(a);
            qr.factor_by(path)?;
            qr.solve(b);
            Ok(())
        });
    }

    #[test]
    fn real_systems_are_solved_by_both_paths() {
        solve_all(|r| r.next());
    }

    #[test]
    fn complex_systems_are_solved_by_both_paths() {
        solve_all(|r| Complex::new(r.next(), r.next()));
    }

    #[test]
    fn dependent_column_is_singular_whatever_its_scale() {
        for scale in [1.0, 1e-20, 1e20] {
            let mut qr = QrReal::new(2);
            qr.matrix_mut().copy_from_slice(&[1.0, 0.0, scale, 0.0]);
            assert_eq!(qr.factor(), Err(LinalgError::Singular { pivot: 1 }));
            qr.matrix_mut().copy_from_slice(&[1.0, 0.0, scale, 1e-17 * scale]);
            assert_eq!(qr.factor(), Err(LinalgError::Singular { pivot: 1 }));
            qr.matrix_mut().copy_from_slice(&[1.0, 0.0, 0.0, scale]);
            assert_eq!(qr.factor(), Ok(()));
        }
    }
}
