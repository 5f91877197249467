//! The stability monitor: the largest natural frequency of the motion in the tangent space, √ max Re eig(M_R⁻¹ K_R), with
//!
//! ```text
//! M_R = Nᵀ M N,    K_R = Nᵀ (K U + D Ẋ + M Ẍ),    U = Z N,    C Ẋ = -Ċ U,    C Ẍ = -(2 Ċ Z Ẋ + G̈ U)
//! ```
//!
//! where K = (M a)_p + (Zᵀ Gᵀ λ)_p - f_p and D = -f_v (section 5 of the paper). Ẋ and Ẍ are the velocities and accelerations that a
//! displacement along U brings with it. Force elements and auxiliary variables are held.

use crate::linalg::eigenvalues::Eigenvalues;
use crate::linalg::products::{add_mul_ld, mul, mul_transposed};
use crate::linalg::{LinalgError, RealSolver, SolverKind};

/// Work space for systems with up to n degrees of freedom.
#[derive(Debug)]
pub struct Monitor {
    n: usize,
    forces: Vec<f64>,
    stiffness: Vec<f64>,
    mass: RealSolver,
    eigenvalues: Eigenvalues,
}

/// What a displacement of the reduced coordinates means; columns of the given matrices belong to them.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'a> {
    /// N, NV rows.
    pub null: &'a [f64],
    /// U, NP rows.
    pub displacement: &'a [f64],
    /// Ẋ.
    pub velocity: &'a [f64],
    /// Ẍ.
    pub acceleration: &'a [f64],
    /// NV, NP and their number.
    pub shape: (usize, usize, usize),
}

impl Monitor {
    /// Allocate for NV velocities.
    pub fn new(n: usize) -> Self {
        Monitor {
            n,
            forces: vec![0.0; n * n],
            stiffness: vec![0.0; n * n],
            mass: RealSolver::new(SolverKind::Lu, n),
            eigenvalues: Eigenvalues::new(n),
        }
    }

    /// The frequency in rad per unit of time; 0 if nothing is drawn back, infinite if a free direction has no mass. K and D come with
    /// their leading dimension.
    pub fn largest(
        &mut self,
        mass: &[f64],
        (k, d, ld): (&[f64], &[f64], usize),
        reduced: &Reduced<'_>,
    ) -> f64 {
        let (nv, np, free) = reduced.shape;
        debug_assert_eq!(nv, self.n);
        if free == 0 {
            return 0.0;
        }
        let forces = &mut self.forces[..nv * free];
        mul(nv, nv, free, mass, reduced.acceleration, forces);
        add_mul_ld((nv, np, free), 1.0, (k, ld), (reduced.displacement, np), (forces, nv));
        add_mul_ld((nv, nv, free), 1.0, (d, ld), (reduced.velocity, nv), (forces, nv));
        mul_transposed(free, nv, free, reduced.null, forces, &mut self.stiffness);
        mul(nv, nv, free, mass, reduced.null, forces);
        self.mass.resize(free);
        mul_transposed(free, nv, free, reduced.null, forces, self.mass.matrix_mut());
        self.root().unwrap_or(f64::INFINITY)
    }

    fn root(&mut self) -> Result<f64, LinalgError> {
        let free = self.mass.n();
        self.mass.factor()?;
        self.eigenvalues.resize(free);
        let matrix = self.eigenvalues.matrix_mut();
        matrix.copy_from_slice(&self.stiffness[..free * free]);
        matrix.chunks_exact_mut(free).for_each(|column| self.mass.solve(column));
        let values = self.eigenvalues.compute()?;
        Ok(values.iter().fold(0.0f64, |m, v| m.max(v.re)).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two masses 1 and 4 on a line between walls, springs 2, 3, 5: ω² from the quadratic.
    #[test]
    fn frequencies_of_a_chain() {
        let (mass, k) = ([1.0, 0.0, 0.0, 4.0], [5.0, -3.0, -3.0, 8.0]);
        let identity = [1.0, 0.0, 0.0, 1.0];
        let zero = [0.0; 4];
        let reduced = Reduced {
            null: &identity,
            displacement: &identity,
            velocity: &zero,
            acceleration: &zero,
            shape: (2, 2, 2),
        };
        let found = Monitor::new(2).largest(&mass, (&k, &zero, 2), &reduced);
        // (5 - ω²)(8 - 4ω²) = 9.
        let square = (7.0 + (49.0f64 - 31.0).sqrt()) / 2.0;
        assert!((found - square.sqrt()).abs() < 1e-13, "{found}");
        let massless = Monitor::new(2).largest(&[1.0, 0.0, 0.0, 0.0], (&k, &zero, 2), &reduced);
        assert_eq!(massless, f64::INFINITY);
    }
}
