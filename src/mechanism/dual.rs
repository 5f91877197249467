//! Forward-mode differentiation by dual numbers, nestable for higher derivatives.
//!
//! A mechanism is written once over [`Real`]; the constraints on velocity and acceleration level and
//! the Jacobian follow from it without hand derivation (Griewank & Walther, Evaluating Derivatives).

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number that the equations of a mechanism can be evaluated with.
pub trait Real:
    Copy
    + Debug
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The constant `v`.
    fn real(v: f64) -> Self;
    /// The value without any derivative.
    fn value(self) -> f64;
    /// True if the value and all derivatives vanish.
    fn is_zero(self) -> bool;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Exponential function.
    fn exp(self) -> Self;
    /// Absolute value; its derivative is the sign, at zero that of +0.
    fn abs(self) -> Self;

    /// Zero.
    #[inline]
    fn zero() -> Self {
        Self::real(0.0)
    }
    /// Tangent.
    #[inline]
    fn tan(self) -> Self {
        self.sin() / self.cos()
    }
    /// Reciprocal.
    #[inline]
    fn recip(self) -> Self {
        Self::real(1.0) / self
    }
    /// Square.
    #[inline]
    fn sq(self) -> Self {
        self * self
    }
    /// Integer power.
    #[inline]
    fn powi(self, n: i32) -> Self {
        let power = (0..n.unsigned_abs()).fold(Self::real(1.0), |acc, _| acc * self);
        if n < 0 {
            power.recip()
        } else {
            power
        }
    }
}

impl Real for f64 {
    #[inline]
    fn real(v: f64) -> Self {
        v
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn is_zero(self) -> bool {
        self == 0.0
    }
    #[inline]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline]
    fn sin(self) -> Self {
        self.sin()
    }
    #[inline]
    fn cos(self) -> Self {
        self.cos()
    }
    #[inline]
    fn exp(self) -> Self {
        self.exp()
    }
    #[inline]
    fn abs(self) -> Self {
        self.abs()
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        self.powi(n)
    }
}

/// Value and directional derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T> {
    /// Value.
    pub v: T,
    /// Derivative.
    pub d: T,
}

impl<T: Real> Dual<T> {
    /// A number with a given derivative.
    #[inline]
    pub fn new(v: T, d: T) -> Self {
        Dual { v, d }
    }

    /// A number that does not vary.
    #[inline]
    pub fn constant(v: T) -> Self {
        Dual { v, d: T::zero() }
    }
}

impl<T: Real> Real for Dual<T> {
    #[inline]
    fn real(v: f64) -> Self {
        Dual::constant(T::real(v))
    }
    #[inline]
    fn value(self) -> f64 {
        self.v.value()
    }
    #[inline]
    fn is_zero(self) -> bool {
        self.v.is_zero() && self.d.is_zero()
    }
    #[inline]
    fn sqrt(self) -> Self {
        let root = self.v.sqrt();
        Dual::new(root, self.d / (root * 2.0))
    }
    #[inline]
    fn sin(self) -> Self {
        Dual::new(self.v.sin(), self.d * self.v.cos())
    }
    #[inline]
    fn cos(self) -> Self {
        Dual::new(self.v.cos(), -(self.d * self.v.sin()))
    }
    #[inline]
    fn exp(self) -> Self {
        let e = self.v.exp();
        Dual::new(e, self.d * e)
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

impl<T: Real> Neg for Dual<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual::new(-self.v, -self.d)
    }
}

impl<T: Real> Add for Dual<T> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Dual::new(self.v + o.v, self.d + o.d)
    }
}

impl<T: Real> Sub for Dual<T> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Dual::new(self.v - o.v, self.d - o.d)
    }
}

impl<T: Real> Mul for Dual<T> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Dual::new(self.v * o.v, self.d * o.v + self.v * o.d)
    }
}

impl<T: Real> Div for Dual<T> {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let q = self.v / o.v;
        Dual::new(q, (self.d - q * o.d) / o.v)
    }
}

impl<T: Real> Add<f64> for Dual<T> {
    type Output = Self;
    #[inline]
    fn add(self, o: f64) -> Self {
        Dual::new(self.v + o, self.d)
    }
}

impl<T: Real> Sub<f64> for Dual<T> {
    type Output = Self;
    #[inline]
    fn sub(self, o: f64) -> Self {
        Dual::new(self.v - o, self.d)
    }
}

impl<T: Real> Mul<f64> for Dual<T> {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        Dual::new(self.v * o, self.d * o)
    }
}

impl<T: Real> Div<f64> for Dual<T> {
    type Output = Self;
    #[inline]
    fn div(self, o: f64) -> Self {
        Dual::new(self.v / o, self.d / o)
    }
}

impl<T: Real> AddAssign for Dual<T> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Real> SubAssign for Dual<T> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Real> MulAssign for Dual<T> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

/// Solve `A x = b` for a small column-major matrix by elimination with row pivoting on the values;
/// `b` becomes x, `a` is overwritten. Exact zeros are skipped, so that a banded or diagonal matrix is
/// cheap. A singular matrix gives non-finite values.
pub fn solve_in_place<T: Real>(n: usize, a: &mut [T], b: &mut [T]) {
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i + k * n].value().abs() > a[pivot + k * n].value().abs() {
                pivot = i;
            }
        }
        if pivot != k {
            for j in k..n {
                a.swap(k + j * n, pivot + j * n);
            }
            b.swap(k, pivot);
        }
        for i in k + 1..n {
            if a[i + k * n].is_zero() {
                continue;
            }
            let factor = a[i + k * n] / a[k + k * n];
            for j in k + 1..n {
                if !a[k + j * n].is_zero() {
                    let update = factor * a[k + j * n];
                    a[i + j * n] -= update;
                }
            }
            let update = factor * b[k];
            b[i] -= update;
        }
    }
    for k in (0..n).rev() {
        b[k] = b[k] / a[k + k * n];
        for i in 0..k {
            if !a[i + k * n].is_zero() {
                let update = a[i + k * n] * b[k];
                b[i] -= update;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample<T: Real>(x: T) -> T {
        (x.sin() * x.exp() + x.sqrt() / x.cos()).powi(3) - x.tan() * 2.0 + (x - 3.0).abs().recip()
    }

    #[test]
    fn first_and_second_derivatives_agree_with_differences() {
        let (x, h) = (0.7, 1e-4);
        let y = sample(Dual::new(Dual::new(x, 1.0), Dual::constant(1.0)));
        let first = (sample(x + h) - sample(x - h)) / (2.0 * h);
        let second = (sample(x + h) - 2.0 * sample(x) + sample(x - h)) / (h * h);
        assert_eq!(y.v.d, y.d.v);
        assert!((y.v.d - first).abs() < 1e-5 * first.abs());
        assert!((y.d.d - second).abs() < 1e-5 * second.abs());
    }

    #[test]
    fn elimination_pivots_and_differentiates() {
        // x = A⁻¹ b, x' = A⁻¹ (b' - A' x).
        let d = Dual::new;
        let mut a = [d(0.0, 1.0), d(2.0, 0.0), d(1.0, 0.5), d(3.0, 0.0)];
        let mut b = [d(1.0, 0.0), d(5.0, 1.0)];
        solve_in_place(2, &mut a, &mut b);
        assert!((b[0].v - 1.0).abs() < 1e-15 && (b[1].v - 1.0).abs() < 1e-15);
        let r = [0.0 - b[0].v - 0.5 * b[1].v, 1.0];
        assert!((b[1].d - r[0]).abs() < 1e-15);
        assert!((2.0 * b[0].d + 3.0 * b[1].d - r[1]).abs() < 1e-14);
    }
}
