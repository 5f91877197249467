//! Triangular solves with one right-hand side; the triangle is the leading part of `a`, column-major with
//! leading dimension `ld`.

use super::Scalar;

/// x := U⁻¹ x, with U of order `x.len()`.
#[inline]
pub(crate) fn solve_upper<T: Scalar>(a: &[T], ld: usize, x: &mut [T]) {
    for k in (0..x.len()).rev() {
        let column = &a[k * ld..k * ld + k + 1];
        let (head, last) = x.split_at_mut(k);
        last[0] = last[0] / column[k];
        T::axpy(-last[0], &column[..k], head);
    }
}

/// x := L⁻¹ x, with L unit lower triangular of order `x.len()`.
#[inline]
pub(crate) fn solve_unit_lower<T: Scalar>(a: &[T], ld: usize, x: &mut [T]) {
    solve_unit_lower_by::<T, false>(a, ld, x);
}

/// The same, with fused operations if FMA.
#[inline(always)]
pub(crate) fn solve_unit_lower_by<T: Scalar, const FMA: bool>(a: &[T], ld: usize, x: &mut [T]) {
    let n = x.len();
    for k in 0..n {
        let column = &a[k * ld + k + 1..k * ld + n];
        let (head, tail) = x.split_at_mut(k + 1);
        T::axpy_by::<FMA>(-head[k], column, tail);
    }
}

/// x := U⁻ᵀ x, with a real U of order `x.len()`.
#[inline]
pub(crate) fn solve_upper_transposed(a: &[f64], ld: usize, x: &mut [f64]) {
    for k in 0..x.len() {
        let column = &a[k * ld..k * ld + k + 1];
        x[k] = (x[k] - f64::dot(&column[..k], &x[..k])) / column[k];
    }
}
