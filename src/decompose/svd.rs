//! Singular value decomposition of the constraint block (GEDECCSV).

use super::scale_rows;
use crate::linalg::{LinalgError, Scalar, Svd};

/// A = U Σ Vᵀ: the leading columns of V span the row space of A, the others its null space.
#[derive(Clone, Debug)]
pub(super) struct SvdDecomposition {
    svd: Svd,
    row_scale: Vec<f64>,
    /// Right-hand side times the row scales.
    scaled: Vec<f64>,
    /// Coefficients with respect to the leading right vectors.
    coefficients: Vec<f64>,
}

impl SvdDecomposition {
    pub(super) fn new(m_max: usize, n: usize) -> Self {
        SvdDecomposition {
            svd: Svd::new(m_max, n),
            row_scale: vec![1.0; m_max],
            scaled: vec![0.0; m_max],
            coefficients: vec![0.0; m_max.min(n)],
        }
    }

    pub(super) fn decompose(&mut self, m: usize, a: &[f64], row_scale: &[f64]) -> Result<(), LinalgError> {
        self.svd.resize(m);
        self.row_scale[..m].copy_from_slice(row_scale);
        scale_rows(a, row_scale, self.svd.matrix_mut());
        self.svd.factor()
    }

    pub(super) fn magnitudes(&self) -> &[f64] {
        self.svd.singular_values()
    }

    pub(super) fn null_basis(&mut self, rank: usize, basis: &mut [f64]) -> Result<(), LinalgError> {
        let (_, n) = self.svd.shape();
        for (k, column) in basis.chunks_exact_mut(n.max(1)).enumerate() {
            for (v, row) in column.iter_mut().zip(self.svd.vt().chunks_exact(n)) {
                *v = row[rank + k];
            }
        }
        Ok(())
    }

    /// The leading right vectors.
    pub(super) fn row_basis(&self, rank: usize, basis: &mut [f64]) {
        let (_, n) = self.svd.shape();
        for (k, column) in basis.chunks_exact_mut(n.max(1)).take(rank).enumerate() {
            for (v, row) in column.iter_mut().zip(self.svd.vt().chunks_exact(n)) {
                *v = row[k];
            }
        }
    }

    pub(super) fn particular(&mut self, rank: usize, b: &[f64], out: &mut [f64]) {
        let (m, _) = self.svd.shape();
        let scaled = &mut self.scaled[..m];
        for ((t, b), s) in scaled.iter_mut().zip(b).zip(&self.row_scale) {
            *t = b * s;
        }
        let c = &mut self.coefficients[..rank];
        let values = self.svd.singular_values();
        for ((c, u), s) in c.iter_mut().zip(self.svd.u().chunks_exact(m)).zip(values) {
            *c = f64::dot(u, scaled) / s;
        }
        combine(&self.svd, c, out);
    }

    /// x := V1 V1ᵀ x.
    pub(super) fn project(&mut self, rank: usize, x: &mut [f64]) {
        let (_, n) = self.svd.shape();
        let c = &mut self.coefficients[..rank];
        c.fill(0.0);
        for (x, column) in x.iter().zip(self.svd.vt().chunks_exact(n.max(1))) {
            f64::axpy(*x, &column[..rank], c);
        }
        combine(&self.svd, c, x);
    }

    pub(super) fn weakest_row(&self) -> Option<usize> {
        let (m, _) = self.svd.shape();
        let last = self.svd.u().chunks_exact(m).last()?;
        let mut at = 0;
        for (i, v) in last.iter().enumerate() {
            if v.abs() > last[at].abs() {
                at = i;
            }
        }
        Some(at)
    }
}

/// out := V1 c.
fn combine(svd: &Svd, c: &[f64], out: &mut [f64]) {
    let (_, n) = svd.shape();
    for (out, column) in out.iter_mut().zip(svd.vt().chunks_exact(n.max(1))) {
        *out = f64::dot(&column[..c.len()], c);
    }
}
