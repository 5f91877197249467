//! Eigenvalues of a small real matrix: reflections to Hessenberg form, then the QR iteration with Wilkinson's shift in complex
//! arithmetic (G. H. Golub, C. F. Van Loan, *Matrix Computations*, section 7.5).

use super::householder::{reflect, reflector};
use super::{all_finite, Complex, LinalgError};

/// Iterations for one eigenvalue after which the iteration counts as not convergent.
const MAX_ITERATIONS: usize = 60;

/// The matrix and its work space.
#[derive(Clone, Debug)]
pub struct Eigenvalues {
    n: usize,
    a: Vec<f64>,
    h: Vec<Complex>,
    row: Vec<f64>,
    rotations: Vec<(f64, Complex)>,
    values: Vec<Complex>,
}

impl Eigenvalues {
    /// Room for matrices up to order n.
    pub fn new(n: usize) -> Self {
        let zero = Complex::default();
        Eigenvalues {
            n,
            a: vec![0.0; n * n],
            h: vec![zero; n * n],
            row: vec![0.0; n],
            rotations: vec![(1.0, zero); n],
            values: vec![zero; n],
        }
    }

    /// Change the order, at most to that given to [`Eigenvalues::new`]. The contents are lost.
    pub fn resize(&mut self, n: usize) {
        debug_assert!(n <= self.values.len());
        self.n = n.min(self.values.len());
    }

    /// The matrix, n by n, to be filled before [`Eigenvalues::compute`], which destroys it.
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.a[..self.n * self.n]
    }

    /// The eigenvalues, in no order.
    pub fn compute(&mut self) -> Result<&[Complex], LinalgError> {
        if !all_finite(&self.a[..self.n * self.n]) {
            return Err(LinalgError::NotFinite);
        }
        self.reduce();
        let n = self.n;
        self.h.iter_mut().zip(&self.a[..n * n]).for_each(|(h, a)| *h = Complex::from(*a));
        let (mut last, mut iterations) = (n, 0);
        while last > 0 {
            let first = self.decouple(last);
            if first + 1 == last {
                self.values[last - 1] = self.h[(last - 1) * (n + 1)];
                (last, iterations) = (last - 1, 0);
                continue;
            }
            iterations += 1;
            if iterations > MAX_ITERATIONS {
                return Err(LinalgError::Lapack { routine: "QR iteration", info: 1 });
            }
            // Now and then another shift, against cycles.
            let shift = match iterations % 11 {
                0 => Complex::from(self.h[last - 1 + (last - 2) * n].abs()),
                _ => self.wilkinson(last),
            };
            self.sweep(first, last, shift);
        }
        Ok(&self.values[..n])
    }

    /// Hessenberg form by similarity.
    fn reduce(&mut self) {
        let n = self.n;
        for k in 0..n.saturating_sub(2) {
            let (left, right) = self.a.split_at_mut((k + 1) * n);
            let column = &mut left[k * n + k + 1..(k + 1) * n];
            let tau = reflector(column);
            right[..(n - k - 1) * n]
                .chunks_exact_mut(n)
                .for_each(|c| reflect(&column[1..], tau, &mut c[k + 1..]));
            // From the right: each row is reflected as a vector.
            for i in 0..n {
                let row = &mut self.row[..n - k - 1];
                row.iter_mut().enumerate().for_each(|(j, r)| *r = right[i + j * n]);
                reflect(&column[1..], tau, row);
                row.iter().enumerate().for_each(|(j, r)| right[i + j * n] = *r);
            }
            column[1..].fill(0.0);
        }
    }

    /// Beginning of the last block, of rows below `last`, that does not decouple.
    fn decouple(&mut self, last: usize) -> usize {
        let n = self.n;
        for k in (1..last).rev() {
            let size = self.h[(k - 1) * (n + 1)].abs1() + self.h[k * (n + 1)].abs1();
            if self.h[k + (k - 1) * n].abs1() <= f64::EPSILON * size {
                self.h[k + (k - 1) * n] = Complex::default();
                return k;
            }
        }
        0
    }

    /// The eigenvalue of the last two rows that is nearer to the last entry.
    fn wilkinson(&self, last: usize) -> Complex {
        let at = |i: usize, j: usize| self.h[last - i + (last - j) * self.n];
        let (a, b, c, d) = (at(2, 2), at(2, 1), at(1, 2), at(1, 1));
        let half = (a - d).scale(0.5);
        let root = sqrt(half * half + b * c);
        let (one, other) = (half + root, half - root);
        let larger = if one.abs1() >= other.abs1() { one } else { other };
        if larger.abs1() == 0.0 {
            d
        } else {
            d - b * c / larger
        }
    }

    /// H := R Q + s of H - s = Q R, in rows and columns first..last.
    fn sweep(&mut self, first: usize, last: usize, shift: Complex) {
        let n = self.n;
        (first..last).for_each(|k| self.h[k * (n + 1)] -= shift);
        for k in first..last - 1 {
            let (x, y) = (self.h[k * (n + 1)], self.h[k + 1 + k * n]);
            let size = x.abs().hypot(y.abs());
            // c real: [c s; -s̄ c] (x, y) = (r, 0).
            let (c, s) = match x.abs() {
                _ if size == 0.0 => (1.0, Complex::default()),
                0.0 => (0.0, y.conj().scale(1.0 / y.abs())),
                modulus => (modulus / size, x.scale(1.0 / modulus) * y.conj().scale(1.0 / size)),
            };
            self.rotations[k] = (c, s);
            for j in k..last {
                let (u, v) = (self.h[k + j * n], self.h[k + 1 + j * n]);
                self.h[k + j * n] = u.scale(c) + s * v;
                self.h[k + 1 + j * n] = v.scale(c) - s.conj() * u;
            }
        }
        for k in first..last - 1 {
            let (c, s) = self.rotations[k];
            for i in first..(k + 2).min(last) {
                let (u, v) = (self.h[i + k * n], self.h[i + (k + 1) * n]);
                self.h[i + k * n] = u.scale(c) + s.conj() * v;
                self.h[i + (k + 1) * n] = v.scale(c) - s * u;
            }
        }
        (first..last).for_each(|k| self.h[k * (n + 1)] += shift);
    }
}

/// Principal square root.
fn sqrt(z: Complex) -> Complex {
    let modulus = z.abs();
    if modulus == 0.0 {
        return z;
    }
    let re = (0.5 * (modulus + z.re.abs())).sqrt();
    let im = 0.5 * z.im / re;
    if z.re >= 0.0 {
        Complex::new(re, im)
    } else {
        Complex::new(im.abs(), re.copysign(z.im))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::Random;

    #[test]
    fn trace_and_characteristic_polynomial() {
        let mut r = Random::new(5);
        for n in [0, 1, 2, 3, 5, 12, 40] {
            let mut e = Eigenvalues::new(n + 2);
            e.resize(n);
            let a = r.vec(n * n);
            e.matrix_mut().copy_from_slice(&a);
            let values = e.compute().unwrap().to_vec();
            let at = |i: usize, j: usize| a[i + j * n];
            let trace: f64 = (0..n).map(|i| at(i, i)).sum();
            let square: f64 =
                (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j) * at(j, i)).sum();
            let sum = values.iter().fold(Complex::default(), |s, v| s + *v);
            let squares = values.iter().fold(Complex::default(), |s, v| s + *v * *v);
            assert!((sum - Complex::from(trace)).abs() < 1e-12 * (n + 1) as f64, "{n}");
            assert!((squares - Complex::from(square)).abs() < 1e-11 * (n + 1) as f64, "{n}");
        }
    }

    #[test]
    fn known_spectra() {
        // A rotation, a defective block, a permutation.
        for (n, a, largest, modulus) in [
            (2, vec![0.0, -2.0, 2.0, 0.0], 0.0, 2.0),
            (2, vec![3.0, 0.0, 1.0, 3.0], 3.0, 3.0),
            (3, vec![0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0], 1.0, 1.0),
            (2, vec![0.0; 4], 0.0, 0.0),
        ] {
            let mut e = Eigenvalues::new(n);
            e.matrix_mut().copy_from_slice(&a);
            let values = e.compute().unwrap();
            let real = values.iter().fold(f64::MIN, |m, v| m.max(v.re));
            assert!((real - largest).abs() < 1e-7 && values.iter().all(|v| (v.abs() - modulus).abs() < 1e-7));
        }
        let mut e = Eigenvalues::new(1);
        e.matrix_mut()[0] = f64::NAN;
        assert_eq!(e.compute(), Err(LinalgError::NotFinite));
    }
}
