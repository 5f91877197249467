//! Complex numbers, laid out as COMPLEX*16.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A complex number in double precision.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// `re + i im`.
    pub const fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }

    /// `|re| + |im|`, the cheap modulus of the pivot searches.
    pub fn abs1(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    /// Modulus.
    pub fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Conjugate.
    pub const fn conj(self) -> Self {
        Complex { re: self.re, im: -self.im }
    }

    /// Product with a real number.
    pub fn scale(self, factor: f64) -> Self {
        Complex { re: self.re * factor, im: self.im * factor }
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Complex { re, im: 0.0 }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Complex { re: self.re + b.re, im: self.im + b.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Complex { re: self.re - b.re, im: self.im - b.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Complex { re: self.re * b.re - self.im * b.im, im: self.re * b.im + self.im * b.re }
    }
}

impl Div for Complex {
    type Output = Self;
    /// Smith (1962): scaled by the larger part of the divisor, so that its square cannot overflow.
    fn div(self, b: Self) -> Self {
        if b.re.abs() >= b.im.abs() {
            let ratio = b.im / b.re;
            let d = b.re + b.im * ratio;
            Complex { re: (self.re + self.im * ratio) / d, im: (self.im - self.re * ratio) / d }
        } else {
            let ratio = b.re / b.im;
            let d = b.im + b.re * ratio;
            Complex { re: (self.re * ratio + self.im) / d, im: (self.im * ratio - self.re) / d }
        }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: -self.re, im: -self.im }
    }
}

impl AddAssign for Complex {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl SubAssign for Complex {
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_agrees_with_hand_computation() {
        let (a, b) = (Complex::new(1.0, 2.0), Complex::new(3.0, -4.0));
        assert_eq!(a + b, Complex::new(4.0, -2.0));
        assert_eq!(a - b, Complex::new(-2.0, 6.0));
        assert_eq!(a * b, Complex::new(11.0, 2.0));
        let q = a / b;
        assert!((q - Complex::new(-0.2, 0.4)).abs() < 1e-16);
        let q = a / Complex::new(-4.0, 3.0);
        assert!((q - Complex::new(0.08, -0.44)).abs() < 1e-16);
        assert_eq!(-a, Complex::new(-1.0, -2.0));
        assert_eq!((a.abs1(), b.abs(), a.conj().im), (3.0, 5.0, -2.0));
    }

    #[test]
    fn division_survives_large_divisors() {
        let big = Complex::new(1e300, 1e300);
        let q = big / big;
        assert!((q - Complex::new(1.0, 0.0)).abs() < 1e-15);
    }
}
