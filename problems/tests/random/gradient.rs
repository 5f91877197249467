//! A number with derivatives in several directions at once: as many dual numbers that share their value, so that sines and
//! cosines are taken once for all of them. Every derivative is that of a dual number, bit by bit.

use crate::frame::Number;
use geoms_problems::dual::Real;
use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

#[derive(Clone, Copy, Debug)]
pub struct Gradient<T, const K: usize> {
    pub v: T,
    pub d: [T; K],
}

impl<T: Real, const K: usize> Gradient<T, K> {
    #[inline]
    pub fn constant(v: T) -> Self {
        Gradient { v, d: [T::zero(); K] }
    }

    /// A number that is one of the directions.
    #[inline]
    pub fn along(v: T, direction: usize) -> Self {
        Gradient { v, d: from_fn(|k| T::real(if k == direction { 1.0 } else { 0.0 })) }
    }

    /// The derivatives by a rule.
    #[inline]
    fn each(v: T, rule: impl Fn(usize) -> T) -> Self {
        Gradient { v, d: from_fn(rule) }
    }
}

impl<T: Real, const K: usize> Real for Gradient<T, K> {
    #[inline]
    fn real(v: f64) -> Self {
        Self::constant(T::real(v))
    }
    #[inline]
    fn value(self) -> f64 {
        self.v.value()
    }
    #[inline]
    fn is_zero(self) -> bool {
        self.v.is_zero() && self.d.iter().all(|d| d.is_zero())
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.v.sqrt();
        Self::each(root, |k| self.d[k] / (root * 2.0))
    }
    #[inline]
    fn sin(self) -> Self {
        let slope = self.v.cos();
        Self::each(self.v.sin(), |k| self.d[k] * slope)
    }
    #[inline]
    fn cos(self) -> Self {
        let slope = self.v.sin();
        Self::each(self.v.cos(), |k| -(self.d[k] * slope))
    }
    #[inline]
    fn exp(self) -> Self {
        let e = self.v.exp();
        Self::each(e, |k| self.d[k] * e)
    }
    #[inline]
    fn abs(self) -> Self {
        if self.value().is_sign_negative() {
            -self
        } else {
            self
        }
    }
}

impl<T: Number, const K: usize> Number for Gradient<T, K> {
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.v.sin_cos();
        (Self::each(s, |k| self.d[k] * c), Self::each(c, |k| -(self.d[k] * s)))
    }
}

impl<T: Real, const K: usize> Neg for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::each(-self.v, |k| -self.d[k])
    }
}

impl<T: Real, const K: usize> Add for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::each(self.v + o.v, |k| self.d[k] + o.d[k])
    }
}

impl<T: Real, const K: usize> Sub for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::each(self.v - o.v, |k| self.d[k] - o.d[k])
    }
}

// The product and quotient rules have more than the operator's own sign in them.
#[allow(clippy::suspicious_arithmetic_impl)]
impl<T: Real, const K: usize> Mul for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self::each(self.v * o.v, |k| self.d[k] * o.v + self.v * o.d[k])
    }
}

#[allow(clippy::suspicious_arithmetic_impl)]
impl<T: Real, const K: usize> Div for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let q = self.v / o.v;
        Self::each(q, |k| (self.d[k] - q * o.d[k]) / o.v)
    }
}

impl<T: Real, const K: usize> Add<f64> for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn add(self, o: f64) -> Self {
        Gradient { v: self.v + o, d: self.d }
    }
}

impl<T: Real, const K: usize> Sub<f64> for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn sub(self, o: f64) -> Self {
        Gradient { v: self.v - o, d: self.d }
    }
}

impl<T: Real, const K: usize> Mul<f64> for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        Self::each(self.v * o, |k| self.d[k] * o)
    }
}

impl<T: Real, const K: usize> Div<f64> for Gradient<T, K> {
    type Output = Self;
    #[inline]
    fn div(self, o: f64) -> Self {
        Self::each(self.v / o, |k| self.d[k] / o)
    }
}

impl<T: Real, const K: usize> AddAssign for Gradient<T, K> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real, const K: usize> SubAssign for Gradient<T, K> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Real, const K: usize> MulAssign for Gradient<T, K> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}
