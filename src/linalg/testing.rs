//! Random matrices and common checks for the tests of this folder.

use super::scalar::Scalar;
use super::{LinalgError, Path};

/// Orders on both sides of every crossover and unrolling.
pub(crate) const SIZES: [usize; 11] = [0, 1, 2, 3, 5, 8, 16, 33, 64, 65, 100];

/// Xorshift generator (Marsaglia 2003), the same numbers on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Uniform in (-1, 1).
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vec(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.next()).collect()
    }
}

/// C = A B by definition.
pub(crate) fn product<T: Scalar>((m, k, n): (usize, usize, usize), a: &[T], b: &[T]) -> Vec<T> {
    let mut c = vec![T::default(); m * n];
    for j in 0..n {
        for l in 0..k {
            for i in 0..m {
                c[i + j * m] += a[i + l * m] * b[l + j * k];
            }
        }
    }
    c
}

pub(crate) fn transpose(m: usize, n: usize, a: &[f64]) -> Vec<f64> {
    (0..m * n).map(|t| a[t / n + (t % n) * m]).collect()
}

pub(crate) fn largest<T: Scalar>(x: &[T]) -> f64 {
    x.iter().fold(0.0, |m, v| if v.abs1() > m || v.abs1().is_nan() { v.abs1() } else { m })
}

#[track_caller]
pub(crate) fn assert_close<T: Scalar>(x: &[T], y: &[T], tolerance: f64) {
    assert_eq!(x.len(), y.len());
    let difference: Vec<T> = x.iter().zip(y).map(|(&x, &y)| x - y).collect();
    let (error, scale) = (largest(&difference), largest(y).max(1.0));
    assert!(error <= tolerance * scale, "error {error:e} at scale {scale:e}");
}

/// Residuals, agreement of the paths, and refusal of NaN, infinite and zero matrices.
///
/// `solve` gets a path, the matrix and the right-hand side to be overwritten.
pub(crate) fn check_square_solver<T: Scalar>(
    random: impl Fn(&mut Random) -> T,
    solve: impl Fn(Path, &[T], &mut [T]) -> Result<(), LinalgError>,
) {
    let mut r = Random::new(11);
    for n in SIZES {
        let a: Vec<T> = (0..n * n).map(|_| random(&mut r)).collect();
        let x: Vec<T> = (0..n).map(|_| random(&mut r)).collect();
        let b = product((n, n, 1), &a, &x);
        let [own, lapack] = [Path::Own, Path::Lapack].map(|path| {
            let mut y = b.clone();
            solve(path, &a, &mut y).unwrap();
            assert_close(&product((n, n, 1), &a, &y), &b, 1e-12);
            y
        });
        // the matrices have condition numbers up to about 1e4
        assert_close(&own, &lapack, 1e-11);
        assert_close(&own, &x, 1e-11);

        for path in [Path::Own, Path::Lapack] {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for at in (0..n * n).step_by(1 + n * n / 7) {
                    let mut a = a.clone();
                    a[at] = T::from(bad);
                    assert_eq!(solve(path, &a, &mut b.clone()), Err(LinalgError::NotFinite));
                    a[at] = T::from_parts(0.0, bad);
                    if !a[at].im().is_finite() {
                        assert_eq!(solve(path, &a, &mut b.clone()), Err(LinalgError::NotFinite));
                    }
                }
            }
            if n > 0 {
                let zero = vec![T::default(); n * n];
                assert_eq!(solve(path, &zero, &mut b.clone()), Err(LinalgError::Singular { pivot: 0 }));
                let mut column = a.clone();
                column[(n - 1) * n..].fill(T::default());
                assert_eq!(solve(path, &column, &mut b.clone()), Err(LinalgError::Singular { pivot: n - 1 }));
            }
        }
    }
}
