//! The linearised equations of the initial values, and how they are decomposed.

use super::{largest, norm, Linear};
use crate::decompose::DecompositionKind;
use crate::linalg::pivoted_qr::PivotedQr;
use crate::rank::RankPolicy;
use ndarray::{Array1, Array2};
use ndarray_linalg::SVD;

/// Rows are independent beyond doubt if the last pivot is not less than this part of the first.
const INDEPENDENT: f64 = 1e-3;

/// One linearised system: rows scaled to unit size, unknowns in D.
pub(super) struct Scaled {
    pub a: Array2<f64>,
    pub rhs: Array1<f64>,
    /// Rows of zeros.
    pub dependent_rows: usize,
}

impl Scaled {
    /// True if the smallest correction is at most so large beyond doubt: no singular value that counts could make more of the
    /// residuals, or a QR decomposition shows independent rows and says how large it is, at a fraction of the cost of the SVD. That is
    /// made where there is anything to say of ranks or to correct.
    pub fn clearly_hold(&self, most: f64, analytic: bool) -> bool {
        let (rows, cols) = self.a.dim();
        let most = most * (cols as f64).sqrt();
        // The largest singular value is one at least.
        let least = RankPolicy::new(DecompositionKind::Svd, analytic, 0.0).constraint;
        if self.rhs.dot(&self.rhs).sqrt() <= most * least {
            return self.a.iter().all(|v| v.is_finite());
        }
        if rows > cols || !self.a.iter().chain(&self.rhs).all(|v| v.is_finite()) {
            return false;
        }
        let mut qr = PivotedQr::new(cols, rows);
        for (column, row) in qr.matrix_mut().chunks_exact_mut(cols.max(1)).zip(self.a.rows()) {
            column.iter_mut().zip(row).for_each(|(c, v)| *c = *v);
        }
        if qr.factor().is_err() {
            return false;
        }
        let (Some(first), Some(last)) = (qr.r_diag().first(), qr.r_diag().last()) else { return false };
        if *last < INDEPENDENT * first {
            return false;
        }
        // The correction Q y with Rᵀ y = Pᵀ rhs has the size of y.
        let mut y = Vec::with_capacity(rows);
        for (k, (column, &i)) in qr.factors().chunks_exact(cols).zip(qr.perm()).enumerate() {
            let known: f64 = column.iter().zip(&y).map(|(r, y)| r * y).sum();
            y.push((self.rhs[i] - known) / column[k]);
        }
        norm(&y) <= most
    }
}

/// Minimum-norm least-squares solution with rank and null space. Columns that are `free` may be undetermined:
/// the multipliers of redundant constraints are so by nature, and get minimum norm.
pub(super) fn decompose(
    a: &Array2<f64>,
    rhs: &Array1<f64>,
    analytic: bool,
    free: impl Fn(usize) -> bool,
) -> Option<Linear> {
    let (rows, cols) = a.dim();
    if rows == 0 || cols == 0 {
        let undetermined = (0..cols).find(|&k| !free(k));
        let leftover = rhs.iter().map(|v| v.abs()).collect();
        let correction = vec![0.0; cols];
        return Some(Linear {
            correction,
            size: 0.0,
            leftover,
            undetermined,
            overdetermined: false,
            rank: 0,
        });
    }
    if !a.iter().chain(rhs).all(|v| v.is_finite()) {
        return None;
    }
    let (u, s, vt) = a.svd(true, true).ok()?;
    let (u, vt) = (u?, vt?);
    let rank = RankPolicy::of_constraints(analytic, s.as_slice()?);
    let mut solution = Array1::<f64>::zeros(cols);
    let mut leftover = rhs.clone();
    for k in 0..rank {
        let coefficient = u.column(k).dot(rhs);
        solution.scaled_add(coefficient / s[k], &vt.row(k));
        leftover.scaled_add(-coefficient, &u.column(k));
    }
    let undetermined = (rank..cols).find_map(|k| {
        let row: Vec<f64> =
            vt.row(k).iter().enumerate().map(|(i, v)| if free(i) { 0.0 } else { *v }).collect();
        let (i, v) = largest(&row);
        (v.abs() > 1e-6).then_some(i)
    });
    let size = (solution.iter().map(|v| v * v).sum::<f64>() / cols as f64).sqrt();
    let leftover = leftover.iter().map(|v| v.abs()).collect();
    Some(Linear { correction: solution.to_vec(), size, leftover, undetermined, overdetermined: false, rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of unit size; the last one repeats the first if they are to depend on each other.
    fn equations(dependent: bool) -> Scaled {
        let mut a = Array2::from_shape_fn((5, 8), |(i, j)| ((7 * i + 3 * j * j + i * j) as f64).sin());
        for mut row in a.rows_mut() {
            let unit = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            row.mapv_inplace(|v| v / unit);
        }
        if dependent {
            let first = a.row(0).to_owned();
            a.row_mut(4).assign(&first);
        }
        Scaled { a, rhs: Array1::from_vec(vec![3e-7, -1e-7, 2e-7, 5e-7, 1e-7]), dependent_rows: 0 }
    }

    /// The size that decides is that of the SVD's correction.
    #[test]
    fn independent_rows_are_judged_as_by_the_svd() {
        let equations = equations(false);
        let size =
            decompose(&equations.a, &equations.rhs, true, |_| false).map_or(f64::NAN, |linear| linear.size);
        assert!(size > 1e-8, "{size}");
        assert!(equations.clearly_hold(1.001 * size, true));
        assert!(!equations.clearly_hold(0.999 * size, true));
    }

    /// Rows that depend on each other, more rows than unknowns, and numbers that are none are left to the SVD, unless residuals are
    /// too small for any singular value that counts.
    #[test]
    fn what_is_not_clear_is_not_decided() {
        let mut dependent = equations(true);
        assert!(!dependent.clearly_hold(1.0, true));
        dependent.rhs *= 1e-8;
        assert!(dependent.clearly_hold(1e-3, true));
        assert!(!dependent.clearly_hold(1e-8, true));
        dependent.a[(1, 1)] = f64::NAN;
        assert!(!dependent.clearly_hold(1e-3, true));
        let mut unknown = equations(false);
        unknown.rhs[2] = f64::NAN;
        assert!(!unknown.clearly_hold(1e9, true));
        let Scaled { a, .. } = equations(false);
        let rhs = Array1::from_elem(8, 1e-7);
        assert!(!Scaled { a: a.reversed_axes(), rhs, dependent_rows: 0 }.clearly_hold(1.0, true));
    }
}
