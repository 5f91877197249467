//! The matrix of the stages, E = I/(hγ) - J for the first-order form of the equations.
//!
//! Where p' = v and nothing but positions and velocities is integrated J = [0 I; J1 J2], and half of the unknowns are eliminated:
//! U_q = hγ (r_q + U_u), (I/(hγ) - J2 - hγ J1) U_u = r_u + hγ J1 r_q. That is the matrix of the method of Nyström type, up to a factor
//! (Sandu et al. 2003, (21)), of the order of the degrees of freedom.

use crate::linalg::{products, LinalgError, LuReal};

/// Shape of J.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its order.
    pub order: usize,
    /// It is [0 I; J1 J2].
    pub nystroem: bool,
}

impl Shape {
    /// Order of the matrix that is decomposed.
    fn decomposed(self) -> usize {
        if self.nystroem {
            self.order / 2
        } else {
            self.order
        }
    }
}

/// E, factored for a step size.
#[derive(Debug)]
pub struct Shifted {
    shape: Shape,
    hg: f64,
    lu: LuReal,
}

impl Shifted {
    /// Room for J up to this order.
    pub fn new(order: usize) -> Self {
        Shifted { shape: Shape { order: 0, nystroem: false }, hg: 0.0, lu: LuReal::new(order) }
    }

    /// Factor for hγ.
    pub fn factor(&mut self, shape: Shape, j: &[f64], hg: f64) -> Result<(), LinalgError> {
        (self.shape, self.hg) = (shape, hg);
        let (n, order) = (shape.decomposed(), shape.order);
        self.lu.resize(n);
        if n == 0 {
            return Ok(());
        }
        let e = self.lu.matrix_mut();
        for (k, column) in e.chunks_exact_mut(n).enumerate() {
            if shape.nystroem {
                let (j1, j2) = (&j[k * order + n..(k + 1) * order], &j[(n + k) * order + n..]);
                for ((e, j1), j2) in column.iter_mut().zip(j1).zip(j2) {
                    *e = -j2 - hg * j1;
                }
            } else {
                column.iter_mut().zip(&j[k * order..]).for_each(|(e, j)| *e = -j);
            }
            column[k] += 1.0 / hg;
        }
        self.lu.factor()
    }

    /// rhs := E⁻¹ rhs, with the J of the factors.
    pub fn solve(&self, j: &[f64], rhs: &mut [f64]) {
        let (n, order) = (self.shape.decomposed(), self.shape.order);
        if n == 0 {
            return;
        }
        if !self.shape.nystroem {
            return self.lu.solve(rhs);
        }
        let (q, u) = rhs.split_at_mut(n);
        // J1 is the lower left block of J.
        products::add_mul_ld((n, n, 1), self.hg, (&j[n..], order), (q, n), (u, n));
        self.lu.solve(u);
        q.iter_mut().zip(u).for_each(|(q, u)| *q = self.hg * (*q + *u));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_solve_the_same_equations() {
        // [0 I; J1 J2] of two degrees of freedom, column by column.
        let j = [0.0, 0.0, -4.0, 1.5, 0.0, 0.0, 0.3, -90.0, 1.0, 0.0, -0.2, 0.7, 0.0, 1.0, 0.1, -3.0];
        let rhs = [0.4, -1.0, 2.5, 0.3];
        let [first, second] = [false, true].map(|nystroem| {
            let (mut e, mut x) = (Shifted::new(4), rhs);
            e.factor(Shape { order: 4, nystroem }, &j, 0.07).unwrap();
            e.solve(&j, &mut x);
            x
        });
        for i in 0..4 {
            let row: f64 = (0..4).map(|k| j[i + 4 * k] * first[k]).sum();
            assert!((first[i] / 0.07 - row - rhs[i]).abs() < 1e-13);
            assert!((first[i] - second[i]).abs() < 1e-15, "{first:?} {second:?}");
        }
    }

    #[test]
    fn without_degrees_of_freedom_there_is_nothing_to_solve() {
        let mut e = Shifted::new(0);
        e.factor(Shape { order: 0, nystroem: true }, &[], 0.1).unwrap();
        e.solve(&[], &mut []);
    }
}
