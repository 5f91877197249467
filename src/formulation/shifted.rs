//! The matrices that depend on the step size, E1 = θ·B + C for a real shift and E2 for complex ones, and their factors.

use super::Formulation;
use crate::linalg::{Complex, ComplexSolver, Lanes, LinalgError, RealSolver, SolverKind, Theta};

/// The shifts θ of a method: γ/h and the pairs (α ± iβ)/h.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifts {
    /// γ.
    pub gamma: f64,
    /// (α, β).
    pub pairs: &'static [(f64, f64)],
    /// h.
    pub h: f64,
}

impl Shifts {
    /// Λ/h for so many lanes; one lane is the real shift alone.
    pub(super) fn theta<const L: usize>(&self) -> Theta<L> {
        let pairs = self.pairs.iter().take((L - 1) / 2);
        Theta::new(self.gamma / self.h, pairs.map(|(alpha, beta)| (alpha / self.h, beta / self.h)))
    }
}

/// E1 and E2.
#[derive(Debug)]
pub(super) struct Shifted {
    /// For which they are factored, or were last.
    pub(super) shifts: Shifts,
    e1: RealSolver,
    e2: Vec<ComplexSolver>,
}

impl Shifted {
    pub(super) fn new(kind: SolverKind, nz: usize, pairs: usize) -> Self {
        Shifted {
            shifts: Shifts { gamma: 1.0, pairs: &[], h: 1.0 },
            e1: RealSolver::new(kind, nz),
            e2: (0..pairs).map(|_| ComplexSolver::new(kind, nz)).collect(),
        }
    }

    /// Solve in place: the first lane belongs to the real shift, two more to each pair.
    pub(super) fn solve<const L: usize>(
        &self,
        y: &mut [Lanes<L>],
        real: &mut [f64],
        complex: &mut [Complex],
    ) {
        let real = &mut real[..y.len()];
        real.iter_mut().zip(y.iter()).for_each(|(r, y)| *r = y[0]);
        self.e1.solve(real);
        y.iter_mut().zip(real.iter()).for_each(|(y, r)| y[0] = *r);
        for (k, e2) in self.e2.iter().enumerate().take(self.shifts.pairs.len().min((L - 1) / 2)) {
            let complex = &mut complex[..y.len()];
            let (re, im) = (2 * k + 1, 2 * k + 2);
            complex.iter_mut().zip(y.iter()).for_each(|(c, y)| *c = Complex { re: y[re], im: y[im] });
            e2.solve(complex);
            y.iter_mut().zip(complex.iter()).for_each(|(y, c)| (y[re], y[im]) = (c.re, c.im));
        }
    }
}

impl Formulation {
    /// Assemble E1 and E2 from B and C and factor them (GEDECDLU).
    pub fn factor(&mut self, shifts: &Shifts) -> Result<(), LinalgError> {
        let reduced = Reduced { b: &self.b, c: &self.c, nz: self.reduced_size(), d: self.eliminated() };
        let Shifted { shifts: last, e1, e2 } = &mut self.shifted;
        *last = *shifts;
        e1.resize(reduced.nz - reduced.d);
        reduced.real_matrix(shifts.gamma / shifts.h, e1.matrix_mut());
        e1.factor()?;
        for (e2, (alpha, beta)) in e2.iter_mut().zip(shifts.pairs) {
            e2.resize(reduced.nz - reduced.d);
            let theta = Complex { re: alpha / shifts.h, im: beta / shifts.h };
            reduced.complex_matrix(theta, e2.matrix_mut());
            e2.factor()?;
        }
        Ok(())
    }
}

/// B and C of order nz, of whose rows d give the free velocities.
struct Reduced<'a> {
    b: &'a [f64],
    c: &'a [f64],
    nz: usize,
    d: usize,
}

impl Reduced<'_> {
    /// E1 = θ·B + C; with the free velocities eliminated -θ·B_v + (B_p - C_v) + C_p/θ in the columns of w.
    fn real_matrix(&self, theta: f64, e: &mut [f64]) {
        let Reduced { nz, d, .. } = *self;
        let of = |j: usize| nz * j + d..nz * (j + 1);
        let inverse = 1.0 / theta;
        for (j, e) in e.chunks_exact_mut((nz - d).max(1)).enumerate() {
            let (b, c) = (&self.b[of(j + d)], &self.c[of(j + d)]);
            if j < d {
                for (((e, b_v), b), c) in e.iter_mut().zip(&self.b[of(j)]).zip(b).zip(c) {
                    *e = b - theta * b_v + inverse * c;
                }
            } else {
                e.iter_mut().zip(b).zip(c).for_each(|((e, b), c)| *e = theta * b + c);
            }
        }
    }

    /// E2, the same with complex θ.
    fn complex_matrix(&self, theta: Complex, e: &mut [Complex]) {
        let Reduced { nz, d, .. } = *self;
        let of = |j: usize| nz * j + d..nz * (j + 1);
        let inverse = Complex::from(1.0) / theta;
        for (j, e) in e.chunks_exact_mut((nz - d).max(1)).enumerate() {
            let (b, c) = (&self.b[of(j + d)], &self.c[of(j + d)]);
            if j < d {
                for (((e, b_v), b), c) in e.iter_mut().zip(&self.b[of(j)]).zip(b).zip(c) {
                    let re = b - theta.re * b_v + inverse.re * c;
                    *e = Complex { re, im: inverse.im * c - theta.im * b_v };
                }
            } else {
                for ((e, b), c) in e.iter_mut().zip(b).zip(c) {
                    *e = Complex { re: theta.re * b + c, im: theta.im * b };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theta_pairs_the_lanes() {
        let shifts = Shifts { gamma: 6.0, pairs: &[(5.0, 1.0), (4.0, 3.0)], h: 0.5 };
        let out = shifts.theta::<8>().apply(&[1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0]);
        assert_eq!(out, [12.0, 14.0, 34.0, 2.0, 64.0, 0.0, 0.0, 0.0]);
        let one = Shifts { pairs: &[(5.0, 1.0)], ..shifts }.theta::<4>().apply(&[1.0, 1.0, 1.0, 1.0]);
        assert_eq!(one, [12.0, 8.0, 12.0, 0.0]);
        assert_eq!(shifts.theta::<1>().apply(&[1.0]), [12.0]);
    }
}
