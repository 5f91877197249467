//! What the kernels need to know of a number, real or complex.

use super::complex::Complex;
use super::lapack::{self, Int};
use super::{LinalgError, LU_COMPLEX_OWN_MAX, LU_REAL_OWN_MAX};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for super::Complex {}
}

/// `f64` or [`Complex`].
pub trait Scalar:
    sealed::Sealed
    + Copy
    + Default
    + PartialEq
    + std::fmt::Debug
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Largest order at which the own LU is used.
    const LU_OWN_MAX: usize;

    /// `|re| + |im|`.
    fn abs1(self) -> f64;
    /// Real part.
    fn re(self) -> f64;
    /// Imaginary part.
    fn im(self) -> f64;
    /// `re + i im`; a real number ignores `im`.
    fn from_parts(re: f64, im: f64) -> Self;
    /// Conjugate.
    fn conj(self) -> Self;
    /// A22 -= A21 A12 by xGEMM, where A11 are the rows and columns k0..k1 of a square matrix.
    fn subtract_product(n: usize, k0: usize, k1: usize, a: &mut [Self]) -> Result<(), LinalgError>;
    /// xGETRS with one right-hand side.
    fn getrs(n: usize, a: &[Self], ipiv: &[Int], b: &mut [Self]) -> Result<(), LinalgError>;
    /// xGEQRF of a square matrix.
    fn geqrf(n: usize, a: &mut [Self], tau: &mut [Self], work: &mut [Self]) -> Result<(), LinalgError>;
    /// Best workspace of xGEQRF.
    fn geqrf_work(n: usize) -> usize;
}

impl Scalar for f64 {
    const LU_OWN_MAX: usize = LU_REAL_OWN_MAX;

    #[inline]
    fn abs1(self) -> f64 {
        self.abs()
    }
    #[inline]
    fn re(self) -> f64 {
        self
    }
    #[inline]
    fn im(self) -> f64 {
        0.0
    }
    #[inline]
    fn from_parts(re: f64, _im: f64) -> Self {
        re
    }
    #[inline]
    fn conj(self) -> Self {
        self
    }
    fn subtract_product(n: usize, k0: usize, k1: usize, a: &mut [Self]) -> Result<(), LinalgError> {
        lapack::dgemm_trailing(n, k0, k1, a)
    }
    fn getrs(n: usize, a: &[Self], ipiv: &[Int], b: &mut [Self]) -> Result<(), LinalgError> {
        lapack::dgetrs(n, a, ipiv, b)
    }
    fn geqrf(n: usize, a: &mut [Self], tau: &mut [Self], work: &mut [Self]) -> Result<(), LinalgError> {
        lapack::dgeqrf(n, a, tau, work)
    }
    fn geqrf_work(n: usize) -> usize {
        lapack::dgeqrf_work(n)
    }
}

impl Scalar for Complex {
    const LU_OWN_MAX: usize = LU_COMPLEX_OWN_MAX;

    #[inline]
    fn abs1(self) -> f64 {
        Complex::abs1(self)
    }
    #[inline]
    fn re(self) -> f64 {
        self.re
    }
    #[inline]
    fn im(self) -> f64 {
        self.im
    }
    #[inline]
    fn from_parts(re: f64, im: f64) -> Self {
        Complex { re, im }
    }
    #[inline]
    fn conj(self) -> Self {
        Complex::conj(self)
    }
    fn subtract_product(n: usize, k0: usize, k1: usize, a: &mut [Self]) -> Result<(), LinalgError> {
        lapack::zgemm_trailing(n, k0, k1, a)
    }
    fn getrs(n: usize, a: &[Self], ipiv: &[Int], b: &mut [Self]) -> Result<(), LinalgError> {
        lapack::zgetrs(n, a, ipiv, b)
    }
    fn geqrf(n: usize, a: &mut [Self], tau: &mut [Self], work: &mut [Self]) -> Result<(), LinalgError> {
        lapack::zgeqrf(n, a, tau, work)
    }
    fn geqrf_work(n: usize) -> usize {
        lapack::zgeqrf_work(n)
    }
}

/// True if no entry is NaN or infinite. Without early exit, so that it vectorises.
pub(crate) fn finite<T: Scalar>(a: &[T]) -> bool {
    a.iter().fold(true, |ok, v| ok & (v.re().abs() <= f64::MAX) & (v.im().abs() <= f64::MAX))
}

/// y += f x.
#[inline]
pub(crate) fn axpy<T: Scalar>(f: T, x: &[T], y: &mut [T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += f * x;
    }
}

/// `xᴴ y`, in four partial sums.
#[inline]
pub(crate) fn dot<T: Scalar>(x: &[T], y: &[T]) -> T {
    let mut sum = [T::default(); 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = xs.remainder().iter().zip(ys.remainder());
    for (x, y) in xs.zip(ys) {
        for i in 0..4 {
            sum[i] += x[i].conj() * y[i];
        }
    }
    let tail = rest.fold(T::default(), |s, (&x, &y)| s + x.conj() * y);
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + tail
}

/// Divide all entries by `d`.
#[inline]
pub(crate) fn divide<T: Scalar>(x: &mut [T], d: T) {
    // the reciprocal of a subnormal number overflows
    if d.abs1() >= f64::MIN_POSITIVE {
        let factor = T::from(1.0) / d;
        x.iter_mut().for_each(|v| *v = *v * factor);
    } else {
        x.iter_mut().for_each(|v| *v = *v / d);
    }
}
