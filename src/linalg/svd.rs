//! Full singular value decomposition by DGESDD.

use super::lapack::{self, Int, SvdArrays};
use super::{all_finite, LinalgError, Result};

/// A = U Σ Vᵀ of an m by n matrix, m up to a given maximum.
#[derive(Clone, Debug)]
pub struct Svd {
    m: usize,
    n: usize,
    a: Vec<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
    vt: Vec<f64>,
    work: Vec<f64>,
    iwork: Vec<Int>,
}

impl Svd {
    /// Room for matrices of up to `m_max` rows and `n` columns.
    pub fn new(m_max: usize, n: usize) -> Self {
        let small = m_max.min(n);
        // DGESDD switches algorithms with the shape, so the largest shape need not want most
        let work = (1..=m_max).map(|m| lapack::dgesdd_work(m, n)).max().unwrap_or(1);
        Svd {
            m: m_max,
            n,
            a: vec![0.0; m_max * n],
            s: vec![0.0; small],
            u: vec![0.0; m_max * m_max],
            vt: vec![0.0; n * n],
            work: vec![0.0; work],
            iwork: vec![0; 8 * small],
        }
    }

    /// Change the number of rows, at most to that given to [`Svd::new`]. The contents are lost.
    pub fn resize(&mut self, m: usize) {
        debug_assert!(m * m <= self.u.len());
        self.m = m;
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    /// The matrix, m by n, to be filled before [`Svd::factor`].
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a[..self.m * self.n]
    }

    /// Decompose a copy of the m by n matrix `a`.
    pub fn compute(&mut self, m: usize, a: &[f64]) -> Result {
        self.resize(m);
        let a = &a[..m * self.n];
        self.matrix_mut().copy_from_slice(a);
        self.factor()
    }

    /// Decompose the matrix, which is destroyed.
    pub fn factor(&mut self) -> Result {
        let (m, n) = (self.m, self.n);
        let a = &mut self.a[..m * n];
        if !all_finite(a) {
            return Err(LinalgError::NotFinite);
        }
        let (s, u) = (&mut self.s[..m.min(n)], &mut self.u[..m * m]);
        let vt = &mut self.vt[..];
        if m == 0 || n == 0 {
            set_identity(m, u);
            set_identity(n, vt);
            return Ok(());
        }
        let (work, iwork) = (&mut self.work[..], &mut self.iwork[..]);
        lapack::dgesdd(m, n, a, SvdArrays { s, u, vt, work, iwork })?;
        if all_finite(self.singular_values()) {
            Ok(())
        } else {
            Err(LinalgError::NotFinite)
        }
    }

    /// Singular values, non-increasing, min(m, n) of them.
    pub fn singular_values(&self) -> &[f64] {
        &self.s[..self.m.min(self.n)]
    }

    /// U, m by m.
    pub fn u(&self) -> &[f64] {
        &self.u[..self.m * self.m]
    }

    /// Vᵀ, n by n: the right singular vectors are its rows.
    pub fn vt(&self) -> &[f64] {
        &self.vt
    }
}

fn set_identity(n: usize, a: &mut [f64]) {
    a.fill(0.0);
    a.iter_mut().step_by(n + 1).for_each(|v| *v = 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, transpose, Random, SIZES};

    #[test]
    fn factors_give_back_the_matrix() {
        let mut r = Random::new(8);
        for n in SIZES {
            let mut svd = Svd::new(2 * n + 2, n);
            for m in [n, n / 2, 2 * n + 2, 1, 0] {
                let a = r.vec(m * n);
                svd.compute(m, &a).unwrap();
                assert_eq!(svd.shape(), (m, n));
                let mut sigma = vec![0.0; m * n];
                svd.singular_values().iter().enumerate().for_each(|(k, s)| sigma[k + k * m] = *s);
                let us = product((m, m, n), svd.u(), &sigma);
                assert_close(&product((m, n, n), &us, svd.vt()), &a, 1e-12);
                for (k, q) in [(m, svd.u()), (n, svd.vt())] {
                    let identity: Vec<f64> = (0..k * k).map(|t| f64::from(t % k == t / k)).collect();
                    assert_close(&product((k, k, k), &transpose(k, k, q), q), &identity, 1e-12);
                }
            }
        }
    }

    #[test]
    fn empty_matrix_has_unit_vectors() {
        let mut svd = Svd::new(2, 2);
        svd.compute(0, &[]).unwrap();
        assert_eq!((svd.vt(), svd.u().len()), (&[1.0, 0.0, 0.0, 1.0][..], 0));
        let mut svd = Svd::new(2, 0);
        svd.compute(2, &[]).unwrap();
        assert_eq!((svd.u(), svd.vt().len()), (&[1.0, 0.0, 0.0, 1.0][..], 0));
    }

    #[test]
    fn non_finite_entries_are_refused() {
        let mut svd = Svd::new(3, 4);
        for bad in [f64::NAN, f64::INFINITY] {
            for at in 0..12 {
                let mut a = [1.0; 12];
                a[at] = bad;
                assert_eq!(svd.compute(3, &a), Err(LinalgError::NotFinite));
            }
        }
        svd.compute(3, &[0.0; 12]).unwrap();
        assert_eq!(svd.singular_values(), [0.0; 3]);
    }
}
