//! A value with its derivatives along several directions at once: what [`Dual`](super::dual::Dual) is for one direction, with the same
//! rounding. The value, and with it sines and roots, is computed once for all of them.

use super::dual::Real;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Directions at once.
pub const LANES: usize = 4;

/// Value and directional derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes {
    /// Value.
    pub v: f64,
    /// Derivatives.
    pub d: [f64; LANES],
}

impl Lanes {
    /// A number that does not vary.
    #[inline]
    pub fn constant(v: f64) -> Self {
        Lanes { v, d: [0.0; LANES] }
    }

    /// Another value, and a derivative for each of the present ones.
    #[inline]
    fn map(self, v: f64, slope: impl Fn(f64) -> f64) -> Self {
        let [a, b, c, d] = self.d;
        Lanes { v, d: [slope(a), slope(b), slope(c), slope(d)] }
    }

    /// The same of two numbers.
    #[inline]
    fn with(self, o: Self, v: f64, slope: impl Fn(f64, f64) -> f64) -> Self {
        let ([a, b, c, d], [p, q, r, s]) = (self.d, o.d);
        Lanes { v, d: [slope(a, p), slope(b, q), slope(c, r), slope(d, s)] }
    }
}

impl Real for Lanes {
    #[inline]
    fn real(v: f64) -> Self {
        Lanes::constant(v)
    }
    #[inline]
    fn value(self) -> f64 {
        self.v
    }
    #[inline]
    fn is_zero(self) -> bool {
        self.v == 0.0 && self.d == [0.0; LANES]
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.v.sqrt();
        self.map(root, |d| d / (root * 2.0))
    }
    #[inline]
    fn sin(self) -> Self {
        let (sine, cosine) = (self.v.sin(), self.v.cos());
        self.map(sine, |d| d * cosine)
    }
    #[inline]
    fn cos(self) -> Self {
        let (sine, cosine) = (self.v.sin(), self.v.cos());
        self.map(cosine, |d| -(d * sine))
    }
    #[inline]
    fn exp(self) -> Self {
        let e = self.v.exp();
        self.map(e, |d| d * e)
    }
    #[inline]
    fn abs(self) -> Self {
        if self.v.is_sign_negative() {
            -self
        } else {
            self
        }
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(-self.v, |d| -d)
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        self.with(o, self.v + o.v, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self.with(o, self.v - o.v, |a, b| a - b)
    }
}

// The product and quotient rules have more than the operator's own sign in them.
#[allow(clippy::suspicious_arithmetic_impl)]
impl Mul for Lanes {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        self.with(o, self.v * o.v, |a, b| a * o.v + self.v * b)
    }
}

#[allow(clippy::suspicious_arithmetic_impl)]
impl Div for Lanes {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let q = self.v / o.v;
        self.with(o, q, |a, b| (a - q * b) / o.v)
    }
}

impl Add<f64> for Lanes {
    type Output = Self;
    #[inline]
    fn add(self, o: f64) -> Self {
        Lanes { v: self.v + o, ..self }
    }
}

impl Sub<f64> for Lanes {
    type Output = Self;
    #[inline]
    fn sub(self, o: f64) -> Self {
        Lanes { v: self.v - o, ..self }
    }
}

impl Mul<f64> for Lanes {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        self.map(self.v * o, |d| d * o)
    }
}

impl Div<f64> for Lanes {
    type Output = Self;
    #[inline]
    fn div(self, o: f64) -> Self {
        self.map(self.v / o, |d| d / o)
    }
}

impl AddAssign for Lanes {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl SubAssign for Lanes {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl MulAssign for Lanes {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::dual::Dual;

    fn sample<T: Real>(x: T, y: T) -> T {
        let mut z =
            (x.sin() * y.exp() + x.sqrt() / y.cos()).powi(3) - x.tan() * 2.0 + (y - 3.0).abs().recip();
        z += -x / 3.0;
        z -= y + 0.1;
        z *= x;
        z
    }

    #[test]
    fn every_lane_is_the_dual_number_of_its_direction() {
        let directions = [[1.0, 0.0], [0.0, 1.0], [0.3, -2.0], [0.0, 0.0]];
        let along = |i: usize| directions.map(|direction| direction[i]);
        let all = sample(Lanes { v: 0.7, d: along(0) }, Lanes { v: 1.1, d: along(1) });
        for (k, [dx, dy]) in directions.into_iter().enumerate() {
            let one = sample(Dual::new(0.7, dx), Dual::new(1.1, dy));
            assert_eq!((all.v, all.d[k]), (one.v, one.d), "direction {k}");
        }
        assert!(Lanes::zero().is_zero() && !Lanes { v: 0.0, d: along(0) }.is_zero());
    }
}
