//! What the kernels need to know of a number, real or complex.

use super::lapack::Routines;
use super::processor::fused;
use super::{Complex, LU_COMPLEX_OWN_MAX, LU_REAL_OWN_MAX, QR_COMPLEX_OWN_MAX, QR_REAL_OWN_MAX};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for super::Complex {}
}

/// `f64` or [`Complex`].
pub trait Scalar:
    sealed::Sealed
    + Routines
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
    /// Largest order at which the own QR is used.
    const QR_OWN_MAX: usize;

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
    /// y += f x, with fused operations if FMA.
    fn axpy_by<const FMA: bool>(f: Self, x: &[Self], y: &mut [Self]);
    /// y += f x.
    #[inline]
    fn axpy(f: Self, x: &[Self], y: &mut [Self]) {
        Self::axpy_by::<false>(f, x, y);
    }
    /// xᴴ y.
    fn dot(x: &[Self], y: &[Self]) -> Self;
}

impl Scalar for f64 {
    const LU_OWN_MAX: usize = LU_REAL_OWN_MAX;
    const QR_OWN_MAX: usize = QR_REAL_OWN_MAX;

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
    #[inline(always)]
    fn axpy_by<const FMA: bool>(f: f64, x: &[f64], y: &mut [f64]) {
        for (y, &x) in y.iter_mut().zip(x) {
            *y = fused::<FMA>(f, x, *y);
        }
    }
    /// In four partial sums, so that it vectorises.
    #[inline]
    fn dot(x: &[f64], y: &[f64]) -> f64 {
        let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
        let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(x, y)| x * y).sum();
        let mut sum = [0.0; 4];
        for (x, y) in xs.zip(ys) {
            for i in 0..4 {
                sum[i] += x[i] * y[i];
            }
        }
        (sum[0] + sum[2]) + (sum[1] + sum[3]) + tail
    }
}

impl Scalar for Complex {
    const LU_OWN_MAX: usize = LU_COMPLEX_OWN_MAX;
    const QR_OWN_MAX: usize = QR_COMPLEX_OWN_MAX;

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
    /// Both parts by the same operations, so that a number is half a vector register (FMA) or a whole one.
    #[inline(always)]
    fn axpy_by<const FMA: bool>(f: Complex, x: &[Complex], y: &mut [Complex]) {
        // a negation the compiler may not turn back into a subtraction
        let minus = 0.0 - f.im;
        if !FMA {
            for (y, x) in y.iter_mut().zip(x) {
                y.re += f.re * x.re + minus * x.im;
                y.im += f.re * x.im + f.im * x.re;
            }
            return;
        }
        let len = x.len().min(y.len());
        let (xs, ys) = (x[..len].chunks_exact(2), y[..len].chunks_exact_mut(2));
        let last = xs.remainder();
        let (straight, crossed) = ([f.re; 4], [minus, f.im, minus, f.im]);
        for (x, y) in xs.zip(ys) {
            let turned = [x[0].im, x[0].re, x[1].im, x[1].re];
            let x = [x[0].re, x[0].im, x[1].re, x[1].im];
            let mut sum = [y[0].re, y[0].im, y[1].re, y[1].im];
            for k in 0..4 {
                sum[k] = fused::<FMA>(straight[k], x[k], sum[k]);
            }
            for k in 0..4 {
                sum[k] = fused::<FMA>(crossed[k], turned[k], sum[k]);
            }
            (y[0], y[1]) = (Complex { re: sum[0], im: sum[1] }, Complex { re: sum[2], im: sum[3] });
        }
        if let [x] = last {
            let y = &mut y[len - 1];
            y.re = fused::<FMA>(minus, x.im, fused::<FMA>(f.re, x.re, y.re));
            y.im = fused::<FMA>(f.im, x.re, fused::<FMA>(f.re, x.im, y.im));
        }
    }
    /// In partial sums of equal operations, as in `axpy`.
    #[inline]
    fn dot(x: &[Complex], y: &[Complex]) -> Complex {
        let (mut straight, mut crossed) = ([0.0; 2], [0.0; 2]);
        for (x, y) in x.iter().zip(y) {
            straight[0] += x.re * y.re;
            straight[1] += x.im * y.im;
            crossed[0] += x.re * y.im;
            crossed[1] += x.im * y.re;
        }
        Complex { re: straight[0] + straight[1], im: crossed[0] - crossed[1] }
    }
}

/// True if no entry is NaN or infinite. Without early exit, so that it vectorises.
pub(crate) fn finite<T: Scalar>(a: &[T]) -> bool {
    a.iter().fold(true, |ok, v| ok & (v.re().abs() <= f64::MAX) & (v.im().abs() <= f64::MAX))
}

/// Divide all entries by `d`; returns 1/d.
#[inline]
pub(crate) fn divide<T: Scalar>(x: &mut [T], d: T) -> T {
    let factor = T::from(1.0) / d;
    // the reciprocal of a subnormal number overflows
    if d.abs1() >= f64::MIN_POSITIVE {
        x.iter_mut().for_each(|v| *v = *v * factor);
    } else {
        x.iter_mut().for_each(|v| *v = *v / d);
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_sees_both_parts() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!finite(&[0.0, bad, 1.0]));
            assert!(!finite(&[Complex::new(bad, 0.0)]) && !finite(&[Complex::new(0.0, bad)]));
        }
        assert!(finite::<f64>(&[]) && finite(&[f64::MAX, -0.0]) && finite(&[Complex::new(1.0, -1.0)]));
    }

    #[test]
    fn subnormal_divisors_do_not_overflow() {
        let mut x = [5e-324, 1e-323];
        divide(&mut x, 5e-324);
        assert_eq!(x, [1.0, 2.0]);
    }
}
