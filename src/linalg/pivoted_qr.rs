//! Householder QR with column pivoting of a rectangular matrix.

use super::householder::{norm, reflect, reflector};
use super::lapack::{self, Int};
use super::{all_finite, LinalgError, Path, Result, PIVOTED_QR_OWN_MAX};

/// A P = Q R of an m by n matrix, stored as DGEQP3 does.
#[derive(Clone, Debug)]
pub struct PivotedQr {
    m: usize,
    n: usize,
    a: Vec<f64>,
    tau: Vec<f64>,
    r_diag: Vec<f64>,
    perm: Vec<usize>,
    jpvt: Vec<Int>,
    norms: Vec<ColumnNorm>,
    work: Vec<f64>,
}

/// Norm of the part of a column below the rows already done.
#[derive(Clone, Copy, Debug, Default)]
struct ColumnNorm {
    now: f64,
    /// When it was last computed afresh.
    exact: f64,
}

impl PivotedQr {
    /// Room for matrices up to `m_max` by `n_max`.
    pub fn new(m_max: usize, n_max: usize) -> Self {
        let r = m_max.min(n_max);
        // Asking LAPACK for its work space takes longer than a small decomposition, which is done without it.
        let work = match Path::up_to(PIVOTED_QR_OWN_MAX, m_max.max(n_max)) {
            Path::Own => 0,
            Path::Lapack => workspace(m_max, n_max),
        };
        PivotedQr {
            m: m_max,
            n: n_max,
            a: vec![0.0; m_max * n_max],
            tau: vec![0.0; r],
            r_diag: vec![0.0; r],
            perm: vec![0; n_max],
            jpvt: vec![0; n_max],
            norms: vec![ColumnNorm::default(); n_max],
            work: vec![0.0; work],
        }
    }

    /// Change the shape, at most to that given to [`PivotedQr::new`]. The contents are lost.
    pub fn resize(&mut self, m: usize, n: usize) {
        debug_assert!(n <= self.perm.len() && m * n <= self.a.len());
        self.m = m;
        self.n = n.min(self.perm.len());
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    /// The matrix, m by n, to be filled before [`PivotedQr::factor`].
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a[..self.m * self.n]
    }

    /// R on and above the diagonal, the reflectors below, leading dimension m.
    pub fn factors(&self) -> &[f64] {
        &self.a[..self.m * self.n]
    }

    /// |R_kk|, min(m, n) of them.
    pub fn r_diag(&self) -> &[f64] {
        &self.r_diag[..self.m.min(self.n)]
    }

    /// Column of A that stands at each column of Q R.
    pub fn perm(&self) -> &[usize] {
        &self.perm[..self.n]
    }

    /// Factor in place. A rank-deficient matrix is no error: see [`PivotedQr::r_diag`].
    pub fn factor(&mut self) -> Result {
        self.factor_by(Path::up_to(PIVOTED_QR_OWN_MAX, self.m.max(self.n)))
    }

    pub(crate) fn factor_by(&mut self, path: Path) -> Result {
        let (m, n) = (self.m, self.n);
        let r = m.min(n);
        if !all_finite(self.factors()) {
            return Err(LinalgError::NotFinite);
        }
        let perm = &mut self.perm[..n];
        perm.iter_mut().enumerate().for_each(|(j, p)| *p = j);
        if r == 0 {
            return Ok(());
        }
        let (a, tau) = (&mut self.a[..m * n], &mut self.tau[..r]);
        match path {
            Path::Own => triangularise(m, a, tau, perm, &mut self.norms[..n]),
            Path::Lapack => {
                let jpvt = &mut self.jpvt[..n];
                make_room(&mut self.work, m, n);
                lapack::dgeqp3((m, n), a, jpvt, tau, &mut self.work)?;
                for (p, &j) in perm.iter_mut().zip(jpvt.iter()) {
                    *p = usize::try_from(j).unwrap_or(0).saturating_sub(1);
                }
            }
        }
        let r_diag = &mut self.r_diag[..r];
        for (d, v) in r_diag.iter_mut().zip(a.iter().step_by(m + 1)) {
            *d = v.abs();
        }
        if all_finite(r_diag) {
            Ok(())
        } else {
            Err(LinalgError::NotFinite)
        }
    }

    fn reflector(&self, k: usize) -> &[f64] {
        &self.a[k * self.m + k + 1..(k + 1) * self.m]
    }

    /// x := H1…Hk x; with k = min(m, n) this is Q x.
    pub fn apply_q(&self, k: usize, x: &mut [f64]) {
        for (i, &tau) in self.tau[..k].iter().enumerate().rev() {
            reflect(self.reflector(i), tau, &mut x[i..self.m]);
        }
    }

    /// x := Hk…H1 x; with k = min(m, n) this is Qᵀ x.
    pub fn apply_qt(&self, k: usize, x: &mut [f64]) {
        for (i, &tau) in self.tau[..k].iter().enumerate() {
            reflect(self.reflector(i), tau, &mut x[i..self.m]);
        }
    }

    /// Columns `first..first + count` of H1…Hk, m by `count`, into `out`.
    pub fn q_columns(&mut self, k: usize, first: usize, count: usize, out: &mut [f64]) -> Result {
        let path = Path::up_to(PIVOTED_QR_OWN_MAX, self.m.max(self.n));
        self.q_columns_by(path, k, first, count, out)
    }

    fn q_columns_by(&mut self, path: Path, k: usize, first: usize, count: usize, out: &mut [f64]) -> Result {
        let m = self.m;
        let out = &mut out[..m * count];
        out.fill(0.0);
        out.iter_mut().skip(first).step_by(m + 1).take(count).for_each(|v| *v = 1.0);
        if out.is_empty() {
            return Ok(());
        }
        match path {
            Path::Own => {
                out.chunks_exact_mut(m).for_each(|c| self.apply_q(k, c));
                Ok(())
            }
            Path::Lapack => {
                let tau = &self.tau[..k];
                make_room(&mut self.work, m, self.n);
                lapack::dormqr((m, count, k), &mut self.a[..m * self.n], tau, out, &mut self.work)
            }
        }
    }
}

/// What LAPACK works in.
fn workspace(m: usize, n: usize) -> usize {
    lapack::dgeqp3_work(m, n).max(lapack::dormqr_work(m, m, m.min(n)))
}

/// For a small matrix that is given to LAPACK all the same.
fn make_room(work: &mut Vec<f64>, m: usize, n: usize) {
    if work.is_empty() {
        work.resize(workspace(m, n), 0.0);
    }
}

fn triangularise(m: usize, a: &mut [f64], tau: &mut [f64], perm: &mut [usize], norms: &mut [ColumnNorm]) {
    for (size, column) in norms.iter_mut().zip(a.chunks_exact(m)) {
        let exact = norm(column);
        *size = ColumnNorm { now: exact, exact };
    }
    for k in 0..tau.len() {
        let p = k + first_largest(&norms[k..]);
        if p != k {
            let (left, right) = a.split_at_mut(p * m);
            left[k * m..(k + 1) * m].swap_with_slice(&mut right[..m]);
            perm.swap(k, p);
            norms[p] = norms[k];
        }
        let (left, right) = a.split_at_mut((k + 1) * m);
        let column = &mut left[k * m + k..];
        tau[k] = reflector(column);
        for (c, size) in right.chunks_exact_mut(m).zip(&mut norms[k + 1..]) {
            reflect(&column[1..], tau[k], &mut c[k..]);
            size.remove(c[k], &c[k + 1..]);
        }
    }
}

impl ColumnNorm {
    /// Take `removed` out of the norm; `rest` is what remains. Drmač & Bujanović (2008), as in DLAQP2: afresh
    /// where the subtraction has cancelled about half of the digits.
    #[inline]
    fn remove(&mut self, removed: f64, rest: &[f64]) {
        if self.now == 0.0 {
            return;
        }
        let ratio = removed / self.now;
        let left = ((1.0 - ratio) * (1.0 + ratio)).max(0.0);
        let loss = left * (self.now / self.exact) * (self.now / self.exact);
        if loss <= f64::EPSILON.sqrt() {
            self.exact = norm(rest);
            self.now = self.exact;
        } else {
            self.now *= left.sqrt();
        }
    }
}

/// The first column of largest norm.
fn first_largest(norms: &[ColumnNorm]) -> usize {
    let (mut at, mut best) = (0, 0.0);
    for (i, v) in norms.iter().enumerate() {
        if v.now > best {
            (at, best) = (i, v.now);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, transpose, Random, SIZES};

    const PATHS: [Path; 2] = [Path::Own, Path::Lapack];

    fn factor(path: Path, m: usize, n: usize, a: &[f64]) -> Result<PivotedQr, LinalgError> {
        let mut qr = PivotedQr::new(m + 2, n + 1);
        qr.resize(m, n);
        qr.matrix_mut().copy_from_slice(a);
        qr.factor_by(path).map(|()| qr)
    }

    fn check(path: Path, m: usize, n: usize, a: &[f64]) -> PivotedQr {
        let mut qr = factor(path, m, n, a).unwrap();
        let r = m.min(n);
        let permuted: Vec<f64> = qr.perm().iter().flat_map(|&j| a[j * m..(j + 1) * m].to_vec()).collect();
        let mut q = vec![0.0; m * m];
        qr.q_columns_by(path, r, 0, m, &mut q).unwrap();
        let f = qr.factors();
        let upper: Vec<f64> = (0..m * n).map(|t| if t % m <= t / m { f[t] } else { 0.0 }).collect();
        assert_close(&product((m, m, n), &q, &upper), &permuted, 1e-12);
        let identity: Vec<f64> = (0..m * m).map(|t| f64::from(t % m == t / m)).collect();
        assert_close(&product((m, m, m), &transpose(m, m, &q), &q), &identity, 1e-12);
        if m > 0 {
            for (c, e) in q.chunks_exact_mut(m).zip(identity.chunks_exact(m)) {
                qr.apply_qt(r, c);
                assert_close(c, e, 1e-12);
            }
        }
        let mut part = vec![0.0; m * (m - r)];
        qr.q_columns_by(path, r, r, m - r, &mut part).unwrap();
        let at = product((n, m, m - r), &transpose(m, n, a), &part);
        assert_close(&at, &vec![0.0; n * (m - r)], 1e-12);
        qr
    }

    #[test]
    fn factors_give_back_the_matrix() {
        let mut r = Random::new(6);
        for m in SIZES {
            for n in [m, m / 2, m + 3] {
                let a = r.vec(m * n);
                let [own, lapack] = PATHS.map(|path| check(path, m, n, &a));
                assert_eq!(own.perm(), lapack.perm());
                assert_close(own.r_diag(), lapack.r_diag(), 1e-12);
                assert!(own.r_diag().windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)));
            }
        }
    }

    #[test]
    fn diagonal_shows_the_rank() {
        let mut r = Random::new(7);
        let (m, k, n) = (12, 4, 9);
        let a = product((m, k, n), &r.vec(m * k), &r.vec(k * n));
        for path in PATHS {
            let qr = check(path, m, n, &a);
            assert!(qr.r_diag()[3] > 1e-3 && qr.r_diag()[4] < 1e-14, "{:?}", qr.r_diag());
            assert_eq!(check(path, 4, 3, &[0.0; 12]).r_diag(), [0.0; 3]);
        }
    }

    #[test]
    fn cancelled_norms_are_computed_afresh() {
        // what is left of the second column is invisible in its norm
        let a = [2.0, 0.0, 0.0, 1.0, 1e-9, 0.0, 0.0, 0.0, 1e-12];
        for path in PATHS {
            let qr = check(path, 3, 3, &a);
            assert_eq!((qr.perm(), qr.r_diag()), (&[0, 1, 2][..], &[2.0, 1e-9, 1e-12][..]));
        }
    }

    #[test]
    fn non_finite_entries_are_refused() {
        for (path, bad) in PATHS.into_iter().flat_map(|p| [(p, f64::NAN), (p, f64::INFINITY)]) {
            for at in 0..12 {
                let mut a = [1.0; 12];
                a[at] = bad;
                assert_eq!(factor(path, 4, 3, &a).err(), Some(LinalgError::NotFinite));
            }
        }
    }
}
