//! LU with complete pivoting of a rectangular matrix: the rank-revealing decomposition of the LU variant.

#![allow(unsafe_code)] // in the macro `kernel`

use super::processor::kernel;
use super::scalar::divide;
use super::{all_finite, LinalgError, Processor, Result, Scalar};

/// Matrices above this may overflow during the elimination, so their factors are checked.
const MAY_OVERFLOW: f64 = 1e290;

/// P A Q = L U of an m by n matrix, L unit lower and U upper trapezoidal.
///
/// The next pivot is the largest remaining entry; among equal ones the first in column-major order, so that
/// the choice does not depend on the machine.
#[derive(Clone, Debug)]
pub struct FullPivotLu {
    m: usize,
    n: usize,
    a: Vec<f64>,
    rows: Vec<usize>,
    cols: Vec<usize>,
    pivots: Vec<f64>,
    processor: Processor,
}

/// The largest entry and where it is.
#[derive(Clone, Copy, Default)]
struct Largest {
    size: f64,
    row: usize,
    col: usize,
}

impl Largest {
    /// Take column `col` into account, of which `x` are the entries from `row` on.
    #[inline(always)]
    fn look_at(&mut self, x: &[f64], row: usize, col: usize) {
        let size = max_abs(x);
        if size > self.size {
            let at = x.iter().position(|v| v.abs() == size).unwrap_or(0);
            *self = Largest { size, row: row + at, col };
        }
    }
}

/// Largest modulus, in four partial maxima.
#[inline(always)]
fn max_abs(x: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let mut max = [0.0; 4];
    let chunks = x.chunks_exact(4);
    let tail = chunks.remainder().iter().fold(0.0, |m, v| larger(m, v.abs()));
    for c in chunks {
        for i in 0..4 {
            max[i] = larger(max[i], c[i].abs());
        }
    }
    larger(larger(larger(max[0], max[1]), larger(max[2], max[3])), tail)
}

impl FullPivotLu {
    /// Room for matrices up to `m_max` by `n_max`.
    pub fn new(m_max: usize, n_max: usize) -> Self {
        FullPivotLu {
            m: m_max,
            n: n_max,
            a: vec![0.0; m_max * n_max],
            rows: vec![0; m_max],
            cols: vec![0; n_max],
            pivots: vec![0.0; m_max.min(n_max)],
            processor: Processor::detect(),
        }
    }

    /// Change the shape, at most to that given to [`FullPivotLu::new`]. The contents are lost.
    pub fn resize(&mut self, m: usize, n: usize) {
        debug_assert!(m <= self.rows.len() && n <= self.cols.len());
        self.m = m.min(self.rows.len());
        self.n = n.min(self.cols.len());
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.m, self.n)
    }

    /// The matrix, m by n, to be filled before [`FullPivotLu::factor`].
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a[..self.m * self.n]
    }

    /// L below and U on and above the diagonal, leading dimension m.
    pub fn factors(&self) -> &[f64] {
        &self.a[..self.m * self.n]
    }

    /// Moduli of the pivots, min(m, n); zero from where nothing is left.
    pub fn pivots(&self) -> &[f64] {
        &self.pivots[..self.m.min(self.n)]
    }

    /// Row of A that stands at each row of L U.
    pub fn rows(&self) -> &[usize] {
        &self.rows[..self.m]
    }

    /// Column of A that stands at each column of L U.
    pub fn cols(&self) -> &[usize] {
        &self.cols[..self.n]
    }

    /// Factor in place. A rank-deficient matrix is no error: see [`FullPivotLu::pivots`].
    pub fn factor(&mut self) -> Result {
        let (m, n) = (self.m, self.n);
        let a = &mut self.a[..m * n];
        if !all_finite(a) {
            return Err(LinalgError::NotFinite);
        }
        let (rows, cols) = (&mut self.rows[..m], &mut self.cols[..n]);
        let pivots = &mut self.pivots[..m.min(n)];
        rows.iter_mut().enumerate().for_each(|(i, r)| *r = i);
        cols.iter_mut().enumerate().for_each(|(j, c)| *c = j);
        pivots.fill(0.0);
        if pivots.is_empty() {
            return Ok(());
        }

        let largest = eliminate(self.processor, m, a, rows, cols, pivots);
        if largest > MAY_OVERFLOW && !all_finite(a) {
            return Err(LinalgError::NotFinite);
        }
        Ok(())
    }
}

kernel!(
    /// The elimination; returns the largest entry of the matrix. Wide registers only and no fused operations: the pivots
    /// are to be the same on every machine.
    eliminate, eliminate_in, [], [],
    (m: usize, a: &mut [f64], rows: &mut [usize], cols: &mut [usize], pivots: &mut [f64]) -> f64
);

#[inline(always)]
fn eliminate_in<const FMA: bool>(
    m: usize,
    a: &mut [f64],
    rows: &mut [usize],
    cols: &mut [usize],
    pivots: &mut [f64],
) -> f64 {
    let mut next = Largest::default();
    a.chunks_exact(m).enumerate().for_each(|(j, c)| next.look_at(c, 0, j));
    let largest = next.size;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        if next.size == 0.0 {
            break; // the rest is zero and so are its multipliers
        }
        *pivot = next.size;
        rows.swap(k, next.row);
        cols.swap(k, next.col);
        next = eliminate_column(m, a, k, next);
    }
    largest
}

/// Step k with the given pivot; finds the next pivot while the columns are at hand.
#[inline(always)]
fn eliminate_column(m: usize, a: &mut [f64], k: usize, pivot: Largest) -> Largest {
    let p = pivot.row;
    let (left, right) = a.split_at_mut((k + 1) * m);
    if pivot.col > k {
        let at = (pivot.col - k - 1) * m;
        left[k * m..].swap_with_slice(&mut right[at..at + m]);
    }
    if p != k {
        left.chunks_exact_mut(m).for_each(|c| c.swap(k, p));
    }
    let (head, multipliers) = left[k * m..].split_at_mut(k + 1);
    divide(multipliers, head[k]);

    let mut next = Largest::default();
    for (j, c) in right.chunks_exact_mut(m).enumerate() {
        c.swap(k, p);
        let (head, tail) = c.split_at_mut(k + 1);
        f64::axpy_by::<false>(-head[k], multipliers, tail);
        next.look_at(tail, k + 1, k + 1 + j);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, Random, SIZES};

    fn factor(m: usize, n: usize, a: &[f64]) -> Result<FullPivotLu, LinalgError> {
        let mut lu = FullPivotLu::new(m + 2, n + 1);
        lu.resize(m, n);
        lu.matrix_mut().copy_from_slice(a);
        lu.factor().map(|()| lu)
    }

    fn check(m: usize, n: usize, a: &[f64]) -> FullPivotLu {
        let lu = factor(m, n, a).unwrap();
        let r = m.min(n);
        let (mut l, mut u) = (vec![0.0; m * r], vec![0.0; r * n]);
        let f = lu.factors();
        for j in 0..n {
            for i in 0..m {
                if i > j && j < r {
                    assert!(f[i + j * m].abs() <= 1.0);
                    l[i + j * m] = f[i + j * m];
                } else if i < r {
                    u[i + j * r] = f[i + j * m];
                }
            }
        }
        (0..r).for_each(|i| l[i + i * m] = 1.0);
        let permuted: Vec<f64> =
            lu.cols().iter().flat_map(|&j| lu.rows().iter().map(move |&i| a[i + j * m])).collect();
        assert_close(&product((m, r, n), &l, &u), &permuted, 1e-13);
        (0..r).for_each(|k| assert_eq!(lu.pivots()[k], f[k + k * m].abs()));
        lu
    }

    #[test]
    fn factors_give_back_the_matrix() {
        let mut r = Random::new(3);
        for m in SIZES {
            for n in [m, m / 2, 2 * m, m + 3] {
                check(m, n, &r.vec(m * n));
            }
        }
    }

    #[test]
    fn pivots_show_the_rank() {
        let mut r = Random::new(4);
        let (m, k, n) = (9, 4, 12);
        let a = product((m, k, n), &r.vec(m * k), &r.vec(k * n));
        let lu = check(m, n, &a);
        assert!(lu.pivots()[3] > 1e-3 && lu.pivots()[4] < 1e-14, "{:?}", lu.pivots());
        let lu = check(3, 4, &[0.0; 12]);
        assert_eq!(lu.pivots(), [0.0; 3]);
    }

    #[test]
    fn first_of_equal_entries_is_the_pivot() {
        let lu = check(2, 3, &[1.0, -2.0, 2.0, 2.0, -2.0, 1.0]);
        assert_eq!((lu.rows()[0], lu.cols()[0]), (1, 0));
    }

    #[test]
    fn non_finite_entries_are_refused() {
        for bad in [f64::NAN, f64::INFINITY] {
            for at in 0..12 {
                let mut a = [1.0; 12];
                a[at] = bad;
                assert_eq!(factor(3, 4, &a).err(), Some(LinalgError::NotFinite));
            }
        }
        let a = [1.6e308, -1.6e308, 1.6e308, 1.6e308];
        assert_eq!(factor(2, 2, &a).err(), Some(LinalgError::NotFinite));
    }
}
