//! Dense output: the collocation polynomial of the last step (GEDENSOUT).
//!
//! The polynomial q of degree 3 satisfies q(t_k) = x_k and q(t_k + c_i h) = X_i. With
//! s = (τ - t_{k+1})/h it is kept in Newton form on the nodes 0, c2-1, c1-1 (the fourth node, -1, is
//! used by the last coefficient only):
//!
//! ```text
//! q = a0 + s (a1 + (s - (c2-1)) (a2 + (s - (c1-1)) a3))
//! ```
//!
//! The four coefficient vectors lie one after the other in `CONTX`.

use crate::methods::tableau::{C1, C2};

/// c1 - 1, passed to SOLOUT as C1M1.
pub const C1M1: f64 = C1 - 1.0;
/// c2 - 1, passed to SOLOUT as C2M1.
pub const C2M1: f64 = C2 - 1.0;

/// Component `i` of the polynomial at `tau`, from the four coefficients in `contx` (length 4n).
pub fn evaluate(contx: &[f64], n: usize, i: usize, s: f64, c1m1: f64, c2m1: f64) -> f64 {
    contx[i] + s * (contx[i + n] + (s - c2m1) * (contx[i + 2 * n] + (s - c1m1) * contx[i + 3 * n]))
}

/// Newton coefficients from the new point and the stage increments z_i = X_i - x_k (z3 ends the step).
pub fn coefficients(x_new: &[f64], z1: &[f64], z2: &[f64], z3: &[f64], contx: &mut [f64]) {
    let n = x_new.len();
    let (a0, rest) = contx.split_at_mut(n);
    let (a1, rest) = rest.split_at_mut(n);
    let (a2, a3) = rest.split_at_mut(n);
    a0.copy_from_slice(x_new);
    for i in 0..n {
        // Divided differences on the nodes s = 0, c2-1, c1-1, -1 with values x_k + (z3, z2, z1, 0).
        let d01 = (z2[i] - z3[i]) / C2M1;
        let d12 = (z1[i] - z2[i]) / (C1 - C2);
        let d23 = z1[i] / C1;
        let d012 = (d12 - d01) / C1M1;
        let d123 = (d12 - d23) / C2;
        a1[i] = d01;
        a2[i] = d012;
        a3[i] = d012 - d123;
    }
}

/// The polynomial over `[t - h, t]`.
#[derive(Clone, Copy, Debug)]
pub struct DenseOutput<'a> {
    /// End of the step.
    pub t: f64,
    /// Length of the step.
    pub h: f64,
    /// Coefficients, 4 n long.
    pub contx: &'a [f64],
}

impl DenseOutput<'_> {
    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.contx.len() / 4
    }

    /// Component `i` at time `tau`.
    pub fn component(&self, i: usize, tau: f64) -> f64 {
        let s = (tau - self.t) / self.h;
        evaluate(self.contx, self.dimension(), i, s, C1M1, C2M1)
    }

    /// All components at time `tau`.
    pub fn all(&self, tau: f64, out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate().take(self.dimension()) {
            *o = self.component(i, tau);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduces_a_cubic_exactly() {
        let q = |s: f64| 2.0 - s + 3.0 * s * s - 0.5 * s * s * s;
        let x0 = q(0.0);
        let z = |c: f64| [q(c) - x0];
        let mut contx = [0.0; 4];
        coefficients(&[q(1.0)], &z(C1), &z(C2), &z(1.0), &mut contx);
        let dense = DenseOutput { t: 1.0, h: 1.0, contx: &contx };
        for k in 0..=10 {
            let s = 0.1 * f64::from(k);
            assert!((dense.component(0, s) - q(s)).abs() < 1e-14);
        }
    }
}
