//! Solving with a linearisation in hand: particular solution of the constraints, right-hand sides of the reduced systems, and
//! the way back to x (GETRFRHSC, GEBSUBST).

use super::Formulation;
use crate::decompose::ConstraintDecomposition;
use crate::layout::Block;
use crate::linalg::{dense, Complex};
use crate::model::Mass;
use crate::system::JacobianBlocks;

impl Formulation {
    /// Particular solution x0 of the constraint rows for the right-hand side `b` (as long as RDA).
    pub fn particular(&mut self, fx: &JacobianBlocks, b: &[f64], x0: &mut [f64]) {
        let l = self.layout;
        let (nv, nq) = (l.n3(), l.n4());
        let rhs = &mut self.scratch.rhs;
        x0.fill(0.0);
        self.block3.particular(l.rda.rows3.of(b), l.x.contact_position.of_mut(x0));

        let m2 = self.rows2.len();
        for (r, &row) in rhs.iter_mut().zip(&self.rows2) {
            *r = b[row];
        }
        let fx2q = &self.fx2[m2 * nv..m2 * (nv + nq)];
        dense::add_mul_vec(m2, nq, -1.0, fx2q, l.x.contact_position.of(x0), &mut rhs[..m2]);
        self.block2.particular(&rhs[..m2], l.x.v.of_mut(x0));

        let (m1, ns) = (l.m1(), self.solved.len());
        let tail = l.x.v.start;
        rhs[..m1].copy_from_slice(l.rda.rows1.of(b));
        dense::add_mul_vec(m1, l.n - tail, -1.0, &fx.fx[0][m1 * tail..], &x0[tail..], &mut rhs[..m1]);
        self.block1.particular(&rhs[..m1], &mut x0[..ns]);
    }

    /// S·b on the differential rows.
    fn select_residual(&self, b: &[f64], out: &mut [f64]) {
        let rda = &self.layout.rda;
        let (dv, dp) = (self.rows_v.len(), self.rows_p.len());
        for (o, &i) in out.iter_mut().zip(&self.rows_v) {
            *o = b[rda.f_dyn.start + i];
        }
        for (o, &i) in out[dv..].iter_mut().zip(&self.rows_p) {
            *o = b[rda.f_kin.start + i];
        }
        out[dv + dp..].copy_from_slice(rda.b.of(b));
    }

    /// S·blockdiag(M, I, I)·x0 on the selected rows, `mv` = M·x0_v.
    fn select_mass(&self, mv: &[f64], x0: &[f64], out: &mut [f64]) {
        let (dv, dp) = (self.rows_v.len(), self.rows_p.len());
        for (o, &i) in out.iter_mut().zip(&self.rows_v) {
            *o = mv[i];
        }
        for (o, &i) in out[dv..].iter_mut().zip(&self.rows_p) {
            *o = x0[self.layout.x.p.start + i];
        }
        // r has no particular part.
        out[dv + dp..].fill(0.0);
    }

    /// Right-hand side of the real reduced system, from b and its particular solution x0.
    pub fn real_rhs(
        &mut self,
        mass: &Mass,
        theta: f64,
        b: &[f64],
        x0: &[f64],
        z: &mut [f64],
        count: &mut u64,
    ) {
        let nz = self.reduced_size();
        let mut mv = std::mem::take(&mut self.scratch.mass);
        let mut rows = std::mem::take(&mut self.scratch.rows);
        let nv = self.layout.n3();
        mass.mul(1, self.layout.x.v.of(x0), &mut mv[..nv], count);
        self.select_mass(&mv, x0, &mut rows[..nz]);
        self.select_residual(b, z);
        for (z, m) in z.iter_mut().zip(&rows[..nz]) {
            *z -= theta * m;
        }
        dense::add_mul_vec(nz, self.layout.n, -1.0, &self.fx_rows, x0, z);
        self.scratch.mass = mv;
        self.scratch.rows = rows;
    }

    /// Right-hand side of the complex reduced system: b = b_re + i·b_im, likewise x0.
    #[allow(clippy::too_many_arguments)] // real and imaginary parts of the same three things
    pub fn complex_rhs(
        &mut self,
        mass: &Mass,
        theta: Complex,
        b: (&[f64], &[f64]),
        x0: (&[f64], &[f64]),
        re: &mut [f64],
        im: &mut [f64],
        count: &mut u64,
    ) {
        let nz = self.reduced_size();
        let nv = self.layout.n3();
        let mut mv = std::mem::take(&mut self.scratch.mass);
        let mut rows = std::mem::take(&mut self.scratch.rows);
        let (mass_re, mass_im) = rows.split_at_mut(nz);
        mass.mul(1, self.layout.x.v.of(x0.0), &mut mv[..nv], count);
        self.select_mass(&mv, x0.0, mass_re);
        mass.mul(1, self.layout.x.v.of(x0.1), &mut mv[..nv], count);
        self.select_mass(&mv, x0.1, &mut mass_im[..nz]);
        self.select_residual(b.0, re);
        self.select_residual(b.1, im);
        for i in 0..nz {
            re[i] -= theta.re * mass_re[i] - theta.im * mass_im[i];
            im[i] -= theta.re * mass_im[i] + theta.im * mass_re[i];
        }
        dense::add_mul_vec(nz, self.layout.n, -1.0, &self.fx_rows, x0.0, re);
        dense::add_mul_vec(nz, self.layout.n, -1.0, &self.fx_rows, x0.1, im);
        self.scratch.mass = mv;
        self.scratch.rows = rows;
    }

    /// x = x0 + N·z (GEBSUBST).
    pub fn substitute(&self, z: &[f64], x: &mut [f64]) {
        dense::add_mul_vec(self.layout.n, self.reduced_size(), 1.0, &self.columns, z, x);
    }

    /// What rounding errors of size ε in the constraint rows do to the components that the rows determine: per
    /// block the largest entry of its solution for the right-hand side ε·Σ_j |FX_ij|·|x_j|. Zero elsewhere.
    pub fn round_off(&mut self, fx: &JacobianBlocks, x: &[f64], out: &mut [f64]) {
        let l = self.layout;
        out.fill(0.0);
        let (v0, q0, solved) = (l.x.v.start, l.x.contact_position.start, self.solved);
        let (rhs, part) = (&mut self.scratch.rhs, &mut self.scratch.many_out);
        let m2 = self.rows2.len();
        let blocks: [(&mut ConstraintDecomposition, usize, &[f64], usize, Block); 3] = [
            (&mut self.block1, l.m1(), &fx.fx[0], 0, solved),
            (&mut self.block2, m2, &self.fx2[..m2 * (l.n3() + l.n4())], v0, l.x.v),
            (&mut self.block3, l.m3(), &fx.fx[2], q0, l.x.contact_position),
        ];
        for (block, m, a, first, target) in blocks {
            if m == 0 || target.is_empty() {
                continue;
            }
            rhs[..m].fill(0.0);
            for (column, x) in a.chunks_exact(m).zip(&x[first..]) {
                for (r, a) in rhs.iter_mut().zip(column) {
                    *r += f64::EPSILON * (a * x).abs();
                }
            }
            let part = &mut part[..target.len()];
            block.particular(&rhs[..m], part);
            let largest = part.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            target.of_mut(out).fill(largest);
        }
    }

    /// Rounding errors of size ε in the selected differential rows, ε·Σ_j |FX_ij|·|x_j|, their signs alternating if
    /// `sign` is negative.
    pub fn round_off_of_dynamics(&self, x: &[f64], sign: f64, z: &mut [f64]) {
        z.fill(0.0);
        for (column, x) in self.fx_rows.chunks_exact(z.len().max(1)).zip(x) {
            for (z, a) in z.iter_mut().zip(column) {
                *z += f64::EPSILON * (a * x).abs();
            }
        }
        let mut factor = 1.0;
        for z in z {
            *z *= factor;
            factor *= sign;
        }
    }

    /// Change of the multipliers at x that gives them minimum norm among all that redundant constraints allow.
    pub fn minimum_norm_correction(&mut self, x: &[f64], delta: &mut [f64]) {
        let l = self.layout;
        let solved = self.solved;
        delta.fill(0.0);
        l.x.multipliers.of_mut(delta).copy_from_slice(l.x.multipliers.of(x));
        self.block1.project_on_row_space(solved.of_mut(delta));
        for i in l.x.multipliers.range() {
            delta[i] -= x[i];
        }
    }
}
