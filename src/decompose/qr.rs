//! QR with column pivoting of the transposed constraint block (GEDECCQR).

use crate::linalg::pivoted_qr::PivotedQr;
use crate::linalg::triangular::solve_upper_transposed;
use crate::linalg::LinalgError;

/// Aᵀ P = Q R: the leading columns of Q span the row space of A, the others its null space.
#[derive(Clone, Debug)]
pub(super) struct QrDecomposition {
    n: usize,
    qr: PivotedQr,
    row_scale: Vec<f64>,
}

impl QrDecomposition {
    pub(super) fn new(m_max: usize, n: usize) -> Self {
        QrDecomposition { n, qr: PivotedQr::new(n, m_max), row_scale: vec![1.0; m_max] }
    }

    pub(super) fn decompose(&mut self, m: usize, a: &[f64], row_scale: &[f64]) -> Result<(), LinalgError> {
        self.qr.resize(self.n, m);
        self.row_scale[..m].copy_from_slice(row_scale);
        for (i, (column, s)) in
            self.qr.matrix_mut().chunks_exact_mut(self.n.max(1)).zip(row_scale).enumerate()
        {
            for (t, a) in column.iter_mut().zip(a[i..].iter().step_by(m)) {
                *t = a * s;
            }
        }
        self.qr.factor()
    }

    pub(super) fn magnitudes(&self) -> &[f64] {
        self.qr.r_diag()
    }

    pub(super) fn null_basis(&mut self, rank: usize, basis: &mut [f64]) -> Result<(), LinalgError> {
        // later reflectors only turn the basis within the null space
        self.qr.q_columns(rank, rank, self.n - rank, basis)
    }

    pub(super) fn particular(&mut self, rank: usize, b: &[f64], out: &mut [f64]) {
        let (head, tail) = out.split_at_mut(rank);
        for (x, &i) in head.iter_mut().zip(self.qr.perm()) {
            *x = b[i] * self.row_scale[i];
        }
        solve_upper_transposed(self.qr.factors(), self.n, head);
        tail.fill(0.0);
        self.qr.apply_q(rank, out);
    }

    pub(super) fn weakest_row(&self) -> Option<usize> {
        self.qr.perm().last().copied()
    }
}
