//! Constraints near a point where they lose rank, with the rank kept: Aᵀ P = Q R with column pivoting, of which the first r columns
//! count whatever their size. Along a smooth motion the directions that they give are smooth through the point, although the
//! matrix is not of rank r in it.

use crate::linalg::pivoted_qr::PivotedQr;
use crate::linalg::triangular::{solve_upper, solve_upper_transposed};
use crate::linalg::LinalgError;

/// A x = b for m rows in n variables, rows scaled to unit size, rank r given.
#[derive(Debug)]
pub struct KeptRank {
    n: usize,
    rank: usize,
    qr: PivotedQr,
    /// Factors of the rows.
    scale: Vec<f64>,
    /// Null space basis, n by n - r, orthonormal.
    basis: Vec<f64>,
    part: Vec<f64>,
}

impl KeptRank {
    /// Room for m rows in n variables, of rank r.
    pub fn new(m: usize, n: usize, rank: usize) -> Self {
        let rank = rank.min(m).min(n);
        KeptRank {
            n,
            rank,
            qr: PivotedQr::new(n, m),
            scale: vec![1.0; m],
            basis: vec![0.0; n * (n - rank)],
            part: vec![0.0; n.max(m)],
        }
    }

    /// Decompose the first rows of `a`, whose columns have the length `ld`.
    pub fn decompose(&mut self, a: &[f64], ld: usize) -> Result<(), LinalgError> {
        let (m, n) = (self.scale.len(), self.n);
        let transposed = self.qr.matrix_mut();
        self.scale.fill(0.0);
        for column in a.chunks_exact(ld.max(1)).take(n) {
            self.scale.iter_mut().zip(column).for_each(|(s, v)| *s = s.max(v.abs()));
        }
        self.scale.iter_mut().for_each(|s| *s = if *s > 0.0 { 1.0 / *s } else { 1.0 });
        for i in 0..m {
            let row = &mut transposed[i * n..(i + 1) * n];
            row.iter_mut().enumerate().for_each(|(j, t)| *t = self.scale[i] * a[i + j * ld]);
        }
        self.qr.factor()?;
        self.qr.q_columns(self.rank, self.rank, n - self.rank, &mut self.basis)
    }

    /// The rank that is kept.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The smallest magnitude that counts, relative to the largest: nearly zero where the rank is lost.
    pub fn smallest(&self) -> f64 {
        match self.rank {
            0 => 1.0,
            r => self.qr.r_diag()[r - 1] / self.qr.r_diag()[0].max(f64::MIN_POSITIVE),
        }
    }

    /// Magnitudes above this part of the largest.
    pub fn count(&self, tolerance: f64) -> usize {
        let all = self.qr.r_diag();
        all.iter().filter(|d| **d > tolerance * all[0]).count()
    }

    /// The row that depends most on the others.
    pub fn weakest_row(&self) -> Option<usize> {
        self.rank.checked_sub(1).map(|r| self.qr.perm()[r])
    }

    /// y with yᵀ A as small as the smallest magnitude: how the weakest row depends on the others.
    pub fn dependence(&mut self, y: &mut [f64]) {
        y.fill(0.0);
        let Some(last) = self.rank.checked_sub(1) else { return };
        let (n, perm, factors) = (self.n, self.qr.perm(), self.qr.factors());
        let part = &mut self.part[..last];
        part.copy_from_slice(&factors[last * n..last * n + last]);
        solve_upper(factors, n, part);
        y[perm[last]] = self.scale[perm[last]];
        for (p, &i) in part.iter().zip(perm) {
            y[i] = -self.scale[i] * p;
        }
    }

    /// Null space basis, n by n - r.
    pub fn null_basis(&self) -> &[f64] {
        &self.basis
    }

    /// The shortest x with A x = b in the rows that count.
    pub fn particular(&mut self, b: &[f64], x: &mut [f64]) {
        self.particular_of(self.rank, b, x);
    }

    /// The same without the weakest row, whose share has the smallest magnitude in its denominator.
    pub fn particular_without_weakest(&mut self, b: &[f64], x: &mut [f64]) {
        self.particular_of(self.rank.saturating_sub(1), b, x);
    }

    fn particular_of(&mut self, r: usize, b: &[f64], x: &mut [f64]) {
        let n = self.n;
        let x = &mut x[..n];
        x[r..].fill(0.0);
        for (x, &i) in x.iter_mut().zip(&self.qr.perm()[..r]) {
            *x = self.scale[i] * b[i];
        }
        solve_upper_transposed(self.qr.factors(), n, &mut x[..r]);
        self.qr.apply_q(r, x);
    }

    /// y with Aᵀ y = f as nearly as possible, zero in the rows that do not count.
    pub fn multipliers(&mut self, f: &[f64], y: &mut [f64]) {
        let (r, n) = (self.rank, self.n);
        let part = &mut self.part[..n];
        part.copy_from_slice(&f[..n]);
        self.qr.apply_qt(r, part);
        solve_upper(self.qr.factors(), n, &mut part[..r]);
        y.fill(0.0);
        for (p, &i) in part.iter().zip(&self.qr.perm()[..r]) {
            y[i] = self.scale[i] * p;
        }
    }

    /// Factor of a row.
    pub fn scale(&self, row: usize) -> f64 {
        self.scale[row]
    }

    /// The least factors of the rows at several points: that of the point where a row is largest.
    pub fn lower_factors(&self, least: &mut [f64]) {
        least.iter_mut().zip(&self.scale).for_each(|(l, s)| *l = l.min(*s));
    }

    /// The size of the row that has become smallest, relative to what it is elsewhere. A row that vanishes as a whole is
    /// not seen by [`KeptRank::smallest`]: rows are scaled.
    pub fn smallest_row(&self, least: &[f64]) -> f64 {
        self.qr.perm()[..self.rank].iter().fold(1.0, |m: f64, &i| m.min(least[i] / self.scale[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two bars from the ground to two points and one between them, at the angle θ.
    fn parallelogram(theta: f64) -> Vec<f64> {
        let (s, c) = theta.sin_cos();
        let rows = [[s, c, 0.0, 0.0], [0.0, 0.0, s, c], [-1.0, 0.0, 1.0, 0.0]];
        (0..4).flat_map(|j| rows.map(|row| row[j])).collect()
    }

    #[test]
    fn directions_are_smooth_where_the_rank_is_lost() {
        let mut kept = KeptRank::new(3, 4, 3);
        let quarter = std::f64::consts::FRAC_PI_2;
        for distance in [1e-1, 1e-3, 1e-5, -1e-5, -1e-3] {
            let theta = quarter + distance;
            let a = parallelogram(theta);
            kept.decompose(&a, 3).unwrap();
            let (s, c) = theta.sin_cos();
            let along = [c, -s, c, -s].map(|v| v / 2f64.sqrt());
            let cosine: f64 = kept.null_basis().iter().zip(along).map(|(k, a)| k * a).sum();
            assert!((cosine.abs() - 1.0).abs() < 1e-10, "{distance}: {cosine}");
            assert!((kept.smallest() / distance.abs() - 1.0).abs() < 0.5);
            let mut y = [0.0; 3];
            kept.dependence(&mut y);
            let left = |j: usize| (0..3).map(|i| y[i] * a[i + 3 * j]).sum::<f64>().abs();
            assert!((0..4).all(|j| left(j) < 3.0 * distance.abs()) && y.iter().any(|y| y.abs() > 0.5));
            let mut x = [0.0; 4];
            kept.particular(&[0.3, -0.2, 0.1], &mut x);
            for (i, b) in [0.3, -0.2, 0.1].iter().enumerate() {
                let sum: f64 = (0..4).map(|j| a[i + 3 * j] * x[j]).sum();
                assert!((sum - b).abs() < 1e-10);
            }
        }
    }

    /// One row of two is smaller at the second point: by its own size there is no difference.
    #[test]
    fn a_row_that_vanishes_is_seen_from_elsewhere() {
        let mut kept = [1.0, 1e-3].map(|small| {
            let mut kept = KeptRank::new(2, 3, 2);
            kept.decompose(&[2.0, 0.0, 0.0, small, 0.0, small], 2).unwrap();
            kept
        });
        assert_eq!(kept[0].smallest(), kept[1].smallest());
        let mut least = [f64::INFINITY; 2];
        kept.iter().for_each(|kept| kept.lower_factors(&mut least));
        assert_eq!(kept.each_mut().map(|kept| kept.smallest_row(&least)), [1.0, 1e-3]);
    }

    #[test]
    fn multipliers_belong_to_the_rows() {
        // The third row is the sum of the others.
        let a = [1.0, 0.5, 1.5, 0.2, -1.0, -0.8, 0.3, 0.4, 0.7];
        let mut kept = KeptRank::new(3, 3, 2);
        kept.decompose(&a, 3).unwrap();
        assert_eq!(kept.count(1e-9), 2);
        let transposed =
            |y: &[f64]| -> Vec<f64> { (0..3).map(|j| (0..3).map(|i| a[i + 3 * j] * y[i]).sum()).collect() };
        let f = transposed(&[2.0, -1.0, 0.5]);
        let mut y = [0.0; 3];
        kept.multipliers(&f, &mut y);
        assert!(transposed(&y).iter().zip(&f).all(|(a, b)| (a - b).abs() < 1e-13));
    }
}
