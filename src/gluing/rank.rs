//! Factors of the interface matrix. Joints may be redundant: then the matrix is singular, the forces are not unique, and those of
//! minimum norm are taken by singular values.

use crate::linalg::{LinalgError, RealSolver, SolverKind, Svd};

/// A condition number above which directions are looked for in which nothing is determined.
const SUSPICIOUS: f64 = 1e12;
/// Singular values below this part of the largest are zero: the entries of S have errors of that size, relative to the largest.
const NEGLIGIBLE: f64 = 1e-12;

/// A square matrix, its factors, and what it does not determine.
#[derive(Debug)]
pub struct Factor {
    n: usize,
    matrix: Vec<f64>,
    solver: RealSolver,
    /// Made when it is first needed.
    svd: Option<Svd>,
    rank: usize,
    work: Vec<f64>,
}

impl Factor {
    /// Room for order n.
    pub fn new(n: usize) -> Self {
        Factor {
            n,
            matrix: vec![0.0; n * n],
            solver: RealSolver::new(SolverKind::Lu, n),
            svd: None,
            rank: n,
            work: vec![0.0; n],
        }
    }

    /// To be filled before [`Factor::factor`].
    pub fn matrix_mut(&mut self) -> &mut [f64] {
        &mut self.matrix
    }

    /// Directions that are not determined.
    pub fn deficiency(&self) -> usize {
        self.n - self.rank
    }

    /// Entry i of the k-th direction that is not determined.
    pub fn undetermined(&self, k: usize, i: usize) -> f64 {
        self.svd.as_ref().map_or(0.0, |svd| svd.vt()[self.rank + k + i * self.n])
    }

    /// Factor by LU, or by singular values if that is not safe.
    pub fn factor(&mut self) -> Result<(), LinalgError> {
        self.rank = self.n;
        if self.n == 0 {
            return Ok(());
        }
        self.solver.matrix_mut().copy_from_slice(&self.matrix);
        match self.solver.factor() {
            Ok(()) if self.condition() < SUSPICIOUS => return Ok(()),
            Err(LinalgError::NotFinite) => return Err(LinalgError::NotFinite),
            _ => {}
        }
        let svd = self.svd.get_or_insert_with(|| Svd::new(self.n, self.n));
        svd.matrix_mut().copy_from_slice(&self.matrix);
        svd.factor()?;
        let values = svd.singular_values();
        let largest = values.first().copied().unwrap_or(0.0);
        self.rank = values.iter().take_while(|&&s| s > NEGLIGIBLE * largest).count();
        Ok(())
    }

    /// From below: how much longer A⁻¹ makes a vector without special directions.
    fn condition(&mut self) -> f64 {
        let n = self.n;
        let mut state = 1u64;
        for w in &mut self.work {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *w = if state >> 63 == 0 { 1.0 } else { -1.0 }
                * (1.0 + (state >> 40) as f64 / (1u64 << 24) as f64);
        }
        let size = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let norm = self.matrix.chunks_exact(n).map(size).fold(0.0, f64::max);
        let before = size(&self.work);
        self.solver.solve(&mut self.work);
        let found = norm * size(&self.work) / before;
        if found.is_finite() {
            found
        } else {
            f64::INFINITY
        }
    }

    /// b := A⁺ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        let svd = match &self.svd {
            Some(svd) if self.rank < n => svd,
            _ => return self.solver.solve(b),
        };
        let (u, vt, sigma) = (svd.u(), svd.vt(), svd.singular_values());
        self.work.fill(0.0);
        for k in 0..self.rank {
            let along: f64 = u[k * n..(k + 1) * n].iter().zip(b.iter()).map(|(u, b)| u * b).sum();
            for (j, w) in self.work.iter_mut().enumerate() {
                *w += along / sigma[k] * vt[k + j * n];
            }
        }
        b.copy_from_slice(&self.work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_and_singular_systems() {
        let mut f = Factor::new(2);
        f.matrix_mut().copy_from_slice(&[2.0, 1.0, 0.0, 4.0]);
        f.factor().unwrap();
        let mut b = [2.0, 9.0];
        f.solve(&mut b);
        assert_eq!((b, f.deficiency()), ([1.0, 2.0], 0));
        // Two equal joints share the force.
        for perturbation in [0.0, 1e-16] {
            f.matrix_mut().copy_from_slice(&[3.0, 3.0, 3.0, 3.0 + perturbation]);
            f.factor().unwrap();
            let mut b = [12.0, 12.0];
            f.solve(&mut b);
            assert_eq!(f.deficiency(), 1);
            assert!(b.iter().all(|b| (b - 2.0).abs() < 1e-14), "{b:?}");
        }
        f.matrix_mut().copy_from_slice(&[f64::NAN, 0.0, 0.0, 1.0]);
        assert_eq!(f.factor(), Err(LinalgError::NotFinite));
    }
}
