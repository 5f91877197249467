//! Solving with a linearisation in hand: particular solution of the constraints, right-hand sides of the reduced systems, and
//! the way back to x (GETRFRHSC, GEBSUBST). All stages go together, one lane each.

use super::*;
use crate::linalg::{Complex, Factored, Theta};

/// Work space for L lanes.
#[derive(Clone, Debug)]
pub struct LaneWork<const L: usize> {
    rhs: Vec<Lanes<L>>,
    solved: Vec<Lanes<L>>,
    moved: Vec<Lanes<L>>,
    /// Dependent components.
    part: Vec<Lanes<L>>,
    /// The reduced solution, and one lane or pair of it.
    z: Vec<Lanes<L>>,
    real: Vec<f64>,
    complex: Vec<Complex>,
}

impl<const L: usize> LaneWork<L> {
    /// For a formulation.
    pub fn new(formulation: &Formulation) -> Self {
        let l = &formulation.layout;
        let rows = l.m1().max(l.m2()).max(l.m3());
        let nz = Formulation::largest_size(l);
        LaneWork {
            rhs: vec![[0.0; L]; rows],
            solved: vec![[0.0; L]; rows],
            moved: vec![[0.0; L]; l.n3()],
            part: vec![[0.0; L]; l.n],
            z: vec![[0.0; L]; nz],
            real: vec![0.0; nz],
            complex: vec![Complex::default(); if L > 1 { nz } else { 0 }],
        }
    }
}

/// What of W the residuals do not yet contain of M·Λ·W/h.
#[derive(Clone, Copy, Debug)]
pub enum Missing<'a, const L: usize> {
    /// Nothing.
    Nothing,
    /// The part of r and p: the mass matrices of the stages are in the residuals.
    Kinematic(&'a [Lanes<L>]),
    /// All of it.
    All(&'a [Lanes<L>]),
}

impl Factored<'_, Formulation> {
    /// Δx for residuals of the constraint rows of RDA and of the selected ones, and what is `missing` in the latter.
    #[inline(always)] // its parts are those of `make profile`
    pub fn solve<const L: usize>(
        &mut self,
        fx: &JacobianBlocks,
        (algebraic, selected): (&[Lanes<L>], &[Lanes<L>]),
        missing: Missing<'_, L>,
        work: &mut LaneWork<L>,
        x: &mut [Lanes<L>],
    ) {
        let theta = self.system.shifted.shifts.theta();
        self.system.particular(fx, algebraic, x, work);
        let mut z = std::mem::take(&mut work.z);
        self.system.reduced_rhs(&theta, selected, x, missing, work, &mut z);
        self.solve_reduced(&theta, &mut z, work, x);
        work.z = z;
    }

    /// x = x0 + N·z with z from the reduced systems.
    #[inline(always)] // its parts are those of `make profile`
    fn solve_reduced<const L: usize>(
        &self,
        theta: &Theta<L>,
        z: &mut [Lanes<L>],
        work: &mut LaneWork<L>,
        x: &mut [Lanes<L>],
    ) {
        let z = &mut z[..self.system.reduced_size()];
        // What is not eliminated comes last.
        let y = &mut z[self.system.eliminated()..];
        self.system.shifted.solve(y, &mut work.real, &mut work.complex);
        self.system.substitute(theta, z, work, x);
    }

    /// How well the components at x can be determined at all, by the constraint rows and by the differential rows, with
    /// rounding errors of size ε. Of the latter's two patterns of signs are tried, because one alone may move bodies against
    /// each other or together only.
    pub fn round_off(
        &mut self,
        (fx, x): (&JacobianBlocks, &[f64]),
        work: &mut LaneWork<1>,
        single: &mut [Lanes<1>],
        noise: &mut [f64],
    ) {
        let l = self.system.layout;
        self.system.round_off_of_constraints(fx, x, noise);
        let theta = self.system.shifted.shifts.theta();
        let mut z = std::mem::take(&mut work.z);
        for sign in [1.0, -1.0] {
            self.system.round_off_of_dynamics(&theta, (fx, x), sign, work, &mut z);
            single.fill([0.0]);
            self.solve_reduced(&theta, &mut z, work, single);
            for block in [l.x.r, l.x.v, l.x.contact_position] {
                let largest = block.of(single.as_flattened()).iter().fold(0.0f64, |m, v| m.max(v.abs()));
                block.of_mut(noise).iter_mut().for_each(|n| *n = n.max(largest));
            }
        }
        work.z = z;
    }
}

impl Formulation {
    /// Particular solution x0 of the constraint rows for the right-hand side `b`, the constraint rows of RDA.
    #[inline(never)] // a part of `make profile`
    fn particular<const L: usize>(
        &mut self,
        fx: &JacobianBlocks,
        b: &[Lanes<L>],
        x0: &mut [Lanes<L>],
        work: &mut LaneWork<L>,
    ) {
        let l = self.layout;
        let (v, q) = (l.x.v.range(), l.x.contact_position.range());
        let LaneWork { rhs, solved, .. } = work;
        x0[l.x.multipliers.end..v.start].fill([0.0; L]);
        self.block3.particular_lanes(self.processor, &b[l.rda.rows3.range()], solved, &mut x0[q.clone()]);

        let m2 = self.rows2.len();
        for (r, &row) in rhs.iter_mut().zip(&self.rows2) {
            *r = b[row];
        }
        lanes::subtract_product(self.processor, &self.fx2[m2 * v.len()..], m2, &x0[q], &mut rhs[..m2]);
        self.block2.particular_lanes(self.processor, &rhs[..m2], solved, &mut x0[v.clone()]);

        let (m1, ns) = (l.m1(), self.solved.len());
        x0[ns..l.x.algebraic.end].fill([0.0; L]);
        rhs[..m1].copy_from_slice(&b[l.rda.rows1.range()]);
        lanes::subtract_product(
            self.processor,
            &fx.fx[0][m1 * v.start..],
            m1,
            &x0[v.start..],
            &mut rhs[..m1],
        );
        self.block1.particular_lanes(self.processor, &rhs[..m1], solved, &mut x0[..ns]);
    }

    /// Rows of RDA that the selectors keep: of the kinematic, of the dynamic, of the force equations.
    pub fn selected_rows(&self) -> &[usize] {
        &self.selected
    }

    /// The selected dynamic equations.
    pub fn selected_dynamics(&self) -> &[usize] {
        &self.rows_v
    }

    /// Right-hand side of the reduced systems from the selected rows `b` of the residuals, the particular solution x0,
    /// and what is `missing` in b.
    #[inline(never)] // a part of `make profile`
    fn reduced_rhs<const L: usize>(
        &self,
        theta: &Theta<L>,
        b: &[Lanes<L>],
        x0: &[Lanes<L>],
        missing: Missing<'_, L>,
        work: &mut LaneWork<L>,
        z: &mut [Lanes<L>],
    ) {
        let l = &self.layout;
        let (dv, dp) = (self.rows_v.len(), self.rows_p.len());
        let z = &mut z[..self.reduced_size()];
        z.copy_from_slice(&b[..z.len()]);
        let LaneWork { moved, part, .. } = work;
        let Dependents { rows, fx, .. } = &self.dependents;
        part.iter_mut().zip(rows).for_each(|(p, &i)| *p = x0[i]);
        lanes::subtract_product(self.processor, fx, z.len(), &part[..rows.len()], z);

        let velocities = &x0[l.x.v.range()];
        match missing {
            Missing::All(w) => {
                for ((m, x0), w) in moved.iter_mut().zip(velocities).zip(&w[l.x.v.range()]) {
                    *m = theta.apply(&std::array::from_fn(|k| x0[k] + w[k]));
                }
            }
            Missing::Nothing | Missing::Kinematic(_) => {
                for (m, x0) in moved.iter_mut().zip(velocities) {
                    *m = theta.apply(x0);
                }
            }
        }
        let p = l.x.p.start;
        let (z_p, z_rest) = z.split_at_mut(dp);
        for (z, &i) in z_p.iter_mut().zip(&self.rows_p) {
            let u = match missing {
                Missing::Nothing => x0[p + i],
                Missing::Kinematic(w) | Missing::All(w) => {
                    std::array::from_fn(|k| x0[p + i][k] + w[p + i][k])
                }
            };
            subtract(z, &theta.apply(&u));
        }
        let (z_v, z_r) = z_rest.split_at_mut(dv);
        self.mass_rows.subtract_product(self.processor, &self.rows_v, moved, z_v);
        if let Missing::Kinematic(w) | Missing::All(w) = missing {
            // r has no particular part.
            for (z, w) in z_r.iter_mut().zip(&w[l.x.r.range()]) {
                subtract(z, &theta.apply(w));
            }
        }
        self.eliminate_velocities(theta, z, moved);
    }

    /// Multiplications with entries of M that [`Factored::solve`] makes for so many right-hand sides.
    pub fn mass_products(&self, sides: usize) -> u64 {
        (self.rows_v.len() * sides * if self.mass_rows.diagonal { 1 } else { self.layout.n3() }) as u64
    }

    /// x = x0 + N·z, with z as the reduced systems left it (GEBSUBST).
    #[inline(never)] // a part of `make profile`
    fn substitute<const L: usize>(
        &self,
        theta: &Theta<L>,
        z: &mut [Lanes<L>],
        work: &mut LaneWork<L>,
        x: &mut [Lanes<L>],
    ) {
        let z = &mut z[..self.reduced_size()];
        self.restore_velocities(theta, z, &mut work.moved);
        let Dependents { rows, free, n, .. } = &self.dependents;
        for (z, &i) in z.iter().zip(free) {
            // A particular solution is zero here.
            x[i] = *z;
        }
        let part = &mut work.part[..rows.len()];
        part.iter_mut().zip(rows).for_each(|(p, &i)| *p = x[i]);
        lanes::add_product(self.processor, n, rows.len(), z, part);
        part.iter().zip(rows).for_each(|(p, &i)| x[i] = *p);
    }

    /// What rounding errors of size ε in the constraint rows do to the components that the rows determine: per
    /// block the largest entry of its solution for the right-hand side ε·Σ_j |FX_ij|·|x_j|. Zero elsewhere.
    fn round_off_of_constraints(&mut self, fx: &JacobianBlocks, x: &[f64], out: &mut [f64]) {
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

    /// Right-hand side of the reduced system for rounding errors of size ε in the selected differential rows,
    /// ε·Σ_j |FX_ij|·|x_j|, their signs alternating if `sign` is negative.
    fn round_off_of_dynamics(
        &mut self,
        theta: &Theta<1>,
        (fx, x): (&JacobianBlocks, &[f64]),
        sign: f64,
        work: &mut LaneWork<1>,
        z: &mut [Lanes<1>],
    ) {
        let z = &mut z[..self.reduced_size()];
        z.fill([0.0]);
        let mut column = std::mem::take(&mut self.scratch.select);
        for (j, x) in x.iter().enumerate() {
            self.selected_column(fx, j, &mut column);
            for (z, a) in z.iter_mut().zip(&column) {
                z[0] += f64::EPSILON * (a * x).abs();
            }
        }
        self.scratch.select = column;
        let mut factor = 1.0;
        for z in z.iter_mut() {
            z[0] *= factor;
            factor *= sign;
        }
        self.eliminate_velocities(theta, z, &mut work.moved);
    }

    /// Change of the multipliers at x that gives them minimum norm among all that redundant constraints allow.
    pub fn minimum_norm_correction(&mut self, x: &[f64], delta: &mut [f64]) {
        let l = self.layout;
        let solved = self.solved;
        delta.fill(0.0);
        l.x.multipliers.of_mut(delta).copy_from_slice(l.x.multipliers.of(x));
        match &mut self.forces {
            Some(block) if self.free_m < l.x.multipliers.len() => {
                block.project_on_row_space(l.x.multipliers.of_mut(delta));
            }
            _ => self.block1.project_on_row_space(solved.of_mut(delta)),
        }
        for i in l.x.multipliers.range() {
            delta[i] -= x[i];
        }
    }
}

/// a -= b.
#[inline(always)]
fn subtract<const L: usize>(a: &mut Lanes<L>, b: &Lanes<L>) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= b);
}
