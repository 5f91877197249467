//! Broyden's updates of a matrix that is not made anew, kept as the corrections they consist of (Kelley 1995, 7.3).

use super::MAX_ITERATIONS;
use crate::linalg::Scalar;

/// A correction is enlarged tenfold at most.
const LARGEST_PART: f64 = 0.9;

/// The corrections of one iteration, one after the other, and the squares of their norms.
#[derive(Debug)]
pub struct Broyden {
    n: usize,
    corrections: Vec<f64>,
    squares: [f64; MAX_ITERATIONS],
}

impl Broyden {
    /// For up to n unknowns.
    pub fn new(n: usize) -> Self {
        Broyden { n, corrections: vec![0.0; n * MAX_ITERATIONS], squares: [0.0; MAX_ITERATIONS] }
    }

    /// Another number of unknowns, at most that of [`Broyden::new`].
    pub fn resize(&mut self, n: usize) {
        self.n = n.min(self.corrections.len() / MAX_ITERATIONS);
    }

    /// Correction k, as the matrix gives it in u, for the updated matrix.
    pub fn update(&mut self, k: usize, u: &mut [f64]) {
        let n = self.n;
        self.apply(k.saturating_sub(1), u);
        if k > 0 {
            let last = &self.corrections[(k - 1) * n..k * n];
            let part = f64::dot(last, u) / self.squares[k - 1];
            // Beyond that the update would be nearly singular.
            let factor = 1.0 / (1.0 - part.min(LARGEST_PART));
            u.iter_mut().for_each(|u| *u *= factor);
        }
        self.corrections[k * n..(k + 1) * n].copy_from_slice(u);
        self.squares[k] = f64::dot(u, u).max(f64::MIN_POSITIVE);
    }

    /// The correction that the matrix gives in u, for the matrix with all updates of the `made` corrections before; it makes another
    /// one unless it is below this part of the first one, or there are too many.
    pub fn correct(&mut self, made: &mut usize, noise: f64, u: &mut [f64]) {
        let size = f64::dot(u, u);
        let first = if *made == 0 { size } else { self.squares[0] };
        if *made < MAX_ITERATIONS && size > noise * noise * first {
            self.update(*made, u);
            *made += 1;
        } else {
            self.apply(made.saturating_sub(1), u);
        }
    }

    /// The first updates on the correction in u.
    pub fn apply(&self, count: usize, u: &mut [f64]) {
        let n = self.n;
        for j in 0..count {
            let (last, this) = self.corrections[j * n..(j + 2) * n].split_at(n);
            f64::axpy(f64::dot(last, u) / self.squares[j], this, u);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A x = 0 with A = [2 0.5; -0.25 1.5], by a matrix that is 1 instead: Broyden's method ends after 2n steps.
    #[test]
    fn a_linear_system_is_solved_in_twice_its_size() {
        let mut broyden = Broyden::new(3);
        broyden.resize(2);
        let (mut x, mut made) = ([1.0, -0.5], 0);
        let residual = |x: &[f64; 2]| [-(2.0 * x[0] + 0.5 * x[1]), -(1.5 * x[1] - 0.25 * x[0])];
        for _ in 0..4 {
            let mut u = residual(&x);
            broyden.correct(&mut made, 0.0, &mut u);
            x.iter_mut().zip(u).for_each(|(x, u)| *x += u);
        }
        assert!(made == 4 && x[0].hypot(x[1]) < 1e-14, "{made} {x:?}");
    }
}
