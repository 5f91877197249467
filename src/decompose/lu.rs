//! LU with complete pivoting of the constraint block (GEDECCLU): dependent and independent variables.

use super::scale_rows;
use crate::linalg::full_pivot::FullPivotLu;
use crate::linalg::lanes::{self, Processor};
use crate::linalg::scalar::divide;
use crate::linalg::triangular::{solve_unit_lower, solve_upper};
use crate::linalg::{Lanes, LinalgError, Scalar};

/// Right-hand sides that are solved for at once: every entry of L and U is loaded once for them.
const TOGETHER: usize = 8;
/// From so many on it pays.
pub(super) const MANY: usize = 4;

/// P A Q = L U; the leading `rank` columns of A Q are the dependent variables.
#[derive(Clone, Debug)]
pub(super) struct LuDecomposition {
    lu: FullPivotLu,
    row_scale: Vec<f64>,
    /// 1/pivot, as many as the rank.
    reciprocals: Vec<f64>,
    /// Dependent variables in ascending order, as many as the rank.
    dependent: Vec<usize>,
    /// Place of each variable in the order of the pivots.
    place: Vec<usize>,
    /// Room for U11⁻¹ U12.
    rows: Vec<f64>,
    work: Vec<f64>,
    /// Right-hand sides together.
    together: Vec<Lanes<TOGETHER>>,
}

impl LuDecomposition {
    pub(super) fn new(m_max: usize, n: usize) -> Self {
        LuDecomposition {
            lu: FullPivotLu::new(m_max, n),
            row_scale: vec![1.0; m_max],
            reciprocals: vec![0.0; m_max.min(n)],
            dependent: vec![0; n],
            place: vec![0; n],
            // rank times n - rank is largest at half of n
            rows: vec![0.0; n * n / 4],
            work: vec![0.0; m_max.min(n)],
            together: vec![[0.0; TOGETHER]; m_max.min(n)],
        }
    }

    pub(super) fn decompose(&mut self, m: usize, a: &[f64], row_scale: &[f64]) -> Result<(), LinalgError> {
        let (_, n) = self.lu.shape();
        self.lu.resize(m, n);
        self.row_scale[..m].copy_from_slice(row_scale);
        scale_rows(a, row_scale, self.lu.matrix_mut());
        self.lu.factor()
    }

    pub(super) fn magnitudes(&self) -> &[f64] {
        self.lu.pivots()
    }

    pub(super) fn null_basis(&mut self, rank: usize, basis: &mut [f64]) -> Result<(), LinalgError> {
        let (m, n) = self.lu.shape();
        let (cols, f) = (self.lu.cols(), self.lu.factors());
        let dependent = &mut self.dependent[..rank];
        dependent.copy_from_slice(&cols[..rank]);
        dependent.sort_unstable();
        for (r, u) in self.reciprocals.iter_mut().zip(f.iter().step_by(m + 1)).take(rank) {
            *r = 1.0 / u;
        }
        cols.iter().enumerate().for_each(|(k, &j)| self.place[j] = k);

        basis.fill(0.0);
        let free = n - rank;
        if free == 0 {
            return Ok(());
        }
        // U11⁻¹ U12 by rows, each over the independent variables: longer loops than by columns
        let rows = &mut self.rows[..rank * free];
        let independent = (0..n).filter(|&j| self.place[j] >= rank);
        for (c, j) in independent.enumerate() {
            basis[j + c * n] = 1.0;
            let column = &f[self.place[j] * m..][..rank];
            rows.iter_mut().skip(c).step_by(free).zip(column).for_each(|(r, u)| *r = *u);
        }
        for k in (0..rank).rev() {
            let column = &f[k * m..][..k + 1];
            let (above, row) = rows.split_at_mut(k * free);
            let row = &mut row[..free];
            divide(row, column[k]);
            for (r, u) in above.chunks_exact_mut(free).zip(column) {
                f64::axpy(-u, row, r);
            }
            basis[cols[k]..].iter_mut().step_by(n).zip(row.iter()).for_each(|(b, r)| *b = -r);
        }
        Ok(())
    }

    pub(super) fn particular(&mut self, rank: usize, b: &[f64], out: &mut [f64]) {
        let (m, _) = self.lu.shape();
        let w = &mut self.work[..rank];
        for (w, &i) in w.iter_mut().zip(self.lu.rows()) {
            *w = b[i] * self.row_scale[i];
        }
        solve_unit_lower(self.lu.factors(), m, w);
        solve_upper(self.lu.factors(), m, w);
        out.fill(0.0);
        self.lu.cols().iter().zip(w.iter()).for_each(|(&j, w)| out[j] = *w);
    }

    /// For the columns of `b`; what they leave of the last lanes is not used.
    pub(super) fn particular_many(&mut self, processor: Processor, rank: usize, b: &[f64], out: &mut [f64]) {
        let (m, n) = self.lu.shape();
        let w = &mut self.together[..rank];
        out.fill(0.0);
        for (b, out) in b.chunks(TOGETHER * m).zip(out.chunks_mut(TOGETHER * n)) {
            for (w, &i) in w.iter_mut().zip(self.lu.rows()) {
                w.iter_mut().zip(b[i..].iter().step_by(m)).for_each(|(w, b)| *w = b * self.row_scale[i]);
            }
            lanes::solve_lu_as_one(processor, self.lu.factors(), m, w);
            for (w, &j) in w.iter().zip(self.lu.cols()) {
                out[j..].iter_mut().step_by(n).zip(w).for_each(|(out, w)| *out = *w);
            }
        }
    }

    /// `w` is work space of length m.
    pub(super) fn particular_lanes<const L: usize>(
        &self,
        processor: Processor,
        rank: usize,
        b: &[Lanes<L>],
        w: &mut [Lanes<L>],
        out: &mut [Lanes<L>],
    ) {
        let (m, _) = self.lu.shape();
        let w = &mut w[..rank];
        for (w, &i) in w.iter_mut().zip(self.lu.rows()) {
            *w = b[i].map(|b| b * self.row_scale[i]);
        }
        lanes::solve_lu(processor, self.lu.factors(), m, &self.reciprocals, w);
        out.fill([0.0; L]);
        self.lu.cols().iter().zip(w.iter()).for_each(|(&j, w)| out[j] = *w);
    }

    pub(super) fn dependent(&self, rank: usize) -> &[usize] {
        &self.dependent[..rank]
    }

    pub(super) fn weakest_row(&self) -> Option<usize> {
        self.lu.rows().last().copied()
    }
}
