//! One point of a critical step: constraints eliminated with the rank kept, differential rows projected on the null spaces.

use super::{Critical, Sizes};
use crate::decompose::kept::KeptRank;
use crate::layout::{Block, Layout};
use crate::linalg::scalar::Scalar;
use crate::linalg::{products, LinalgError};
use crate::model::Mass;
use crate::system::JacobianBlocks;

/// Δx = x0 + N z at one point, z = free parts of v, of [s p], and r; rows of the same number.
#[derive(Debug)]
pub(super) struct Reduced {
    layout: Layout,
    sizes: Sizes,
    /// The Jacobian, and its constraints decomposed on both levels.
    pub(super) fx: JacobianBlocks,
    pub(super) velocity: KeptRank,
    pub(super) position: KeptRank,
    /// With p' = v and holonomic constraints alone both levels have the same matrix: that of `velocity`.
    same: bool,
    /// Particular solution of the constraints.
    pub(super) x0: Vec<f64>,
    /// N, n by nz. Its part on v begins with K_v, that on [s p] is K_p.
    pub(super) columns: Vec<f64>,
    /// Mᵀ K_v.
    momentum: Vec<f64>,
    /// The projected rows of FX times N.
    pub(super) jacobian: Vec<f64>,
    /// The projected rows of RDA less FX x0.
    pub(super) residual: Vec<f64>,
    /// Smallest magnitude of the constraints, relative to the largest.
    pub(super) smallest: f64,
    /// Largest residual of the constraints, in the size of their rows.
    pub(super) violation: f64,
    rows: Vec<f64>,
    /// The projected rows of FX, nz by n.
    rows_of_fx: Vec<f64>,
}

impl Reduced {
    pub(super) fn new(layout: &Layout, sizes: Sizes) -> Self {
        let nz = sizes.all();
        let (rows, free) = (layout.dims.nl + layout.dims.nm, (sizes.v, sizes.q));
        Reduced {
            layout: *layout,
            sizes,
            fx: JacobianBlocks::new(layout),
            velocity: KeptRank::new(rows, layout.n3(), layout.n3() - free.0),
            position: KeptRank::new(layout.m3(), layout.n4(), layout.n4() - free.1),
            same: false,
            x0: vec![0.0; layout.n],
            columns: vec![0.0; layout.n * nz],
            momentum: vec![0.0; layout.n3() * sizes.v],
            jacobian: vec![0.0; nz * nz],
            residual: vec![0.0; nz],
            smallest: 1.0,
            violation: 0.0,
            rows: vec![0.0; layout.m],
            rows_of_fx: vec![0.0; layout.n * nz],
        }
    }

    /// The constraints on the level of positions.
    fn of_positions(&self) -> &KeptRank {
        if self.same {
            &self.velocity
        } else {
            &self.position
        }
    }

    /// The rows of both levels, where they are larger here than at other points.
    pub(super) fn lower_factors(&self, least: &mut [Vec<f64>; 2]) {
        self.velocity.lower_factors(&mut least[0]);
        self.of_positions().lower_factors(&mut least[1]);
    }

    /// A rank loss is a row that vanishes, too.
    pub(super) fn compare_rows(&mut self, least: &[Vec<f64>; 2]) {
        let rows = self.velocity.smallest_row(&least[0]).min(self.of_positions().smallest_row(&least[1]));
        self.smallest = self.smallest.min(rows);
    }

    fn column(&self, k: usize) -> &[f64] {
        &self.columns[k * self.layout.n..(k + 1) * self.layout.n]
    }

    /// out = [K_vᵀ f_dyn; K_pᵀ f_kin; b] of rows of RDA.
    pub(super) fn project_rows(&self, rda: &[f64], out: &mut [f64]) {
        let (l, s) = (&self.layout, self.sizes);
        for (k, out) in out[..s.v + s.q].iter_mut().enumerate() {
            let (block, rows) = if k < s.v { (l.x.v, l.rda.f_dyn) } else { (l.x.p, l.rda.f_kin) };
            *out = f64::dot(block.of(self.column(k)), rows.of(rda));
        }
        out[s.v + s.q..s.all()].copy_from_slice(l.rda.b.of(rda));
    }

    /// out = [K_vᵀ M v; K_pᵀ p; r] of rates, a vector like x.
    pub(super) fn project_rates(&self, rates: &[f64], out: &mut [f64]) {
        let (l, s) = (&self.layout, self.sizes);
        let nv = l.n3();
        for (k, out) in out[..s.v + s.q].iter_mut().enumerate() {
            *out = if k < s.v {
                f64::dot(&self.momentum[k * nv..(k + 1) * nv], l.x.v.of(rates))
            } else {
                f64::dot(l.x.p.of(self.column(k)), l.x.p.of(rates))
            };
        }
        out[s.v + s.q..s.all()].copy_from_slice(l.x.r.of(rates));
    }

    /// The same of column k of any point: the first ones, on v, have no p and r.
    pub(super) fn project_column(&self, k: usize, column: &[f64], out: &mut [f64]) {
        let (l, s) = (&self.layout, self.sizes);
        if k >= s.v {
            return self.project_rates(column, out);
        }
        let nv = l.n3();
        for (k, out) in out[..s.v].iter_mut().enumerate() {
            *out = f64::dot(&self.momentum[k * nv..(k + 1) * nv], l.x.v.of(column));
        }
        out[s.v..s.all()].fill(0.0);
    }

    /// x += x0 + N z.
    pub(super) fn add_increment(&self, z: &[f64], x: &mut [f64]) {
        self.add_columns(z, x);
        x.iter_mut().zip(&self.x0).for_each(|(x, x0)| *x += x0);
    }

    /// x += N z.
    pub(super) fn add_columns(&self, z: &[f64], x: &mut [f64]) {
        products::add_mul_vec(self.layout.n, self.sizes.all(), 1.0, &self.columns, z, x);
    }

    /// v += K_v z_v.
    pub(super) fn add_free_velocity(&self, z: &[f64], x: &mut [f64]) {
        for (k, z) in z[..self.sizes.v].iter().enumerate() {
            f64::axpy(*z, self.layout.x.v.of(self.column(k)), self.layout.x.v.of_mut(x));
        }
    }

    /// v += the shortest velocity that the constraints, without the weakest, want for the change [s p] in x. The particular solution is
    /// overwritten.
    pub(super) fn add_dependent_velocity(&mut self, x: &mut [f64]) {
        let (l, ld) = (&self.layout, self.fx.shape[1].0);
        let rows = &mut self.rows[..ld];
        rows.fill(0.0);
        let by_q = &self.fx.fx[1][ld * l.n3()..];
        products::add_mul_vec(ld, l.n4(), -1.0, by_q, l.x.contact_position.of(x), rows);
        self.velocity.particular_without_weakest(rows, l.x.v.of_mut(&mut self.x0));
        f64::axpy(1.0, l.x.v.of(&self.x0), l.x.v.of_mut(x));
    }

    /// The constraints decomposed.
    pub(super) fn decompose(&mut self) -> Result<(), LinalgError> {
        self.velocity.decompose(&self.fx.fx[1], self.fx.shape[1].0)?;
        self.same = levels_agree(&self.layout, &self.fx);
        if !self.same {
            self.position.decompose(&self.fx.fx[2], self.fx.shape[2].0)?;
        }
        self.smallest = self.of_positions().smallest().min(self.velocity.smallest());
        Ok(())
    }

    /// Particular solution: c, g, then gI, h.
    fn find_particular(&mut self, rda: &[f64]) {
        let l = &self.layout;
        let ld = self.fx.shape[1].0;
        let position = if self.same { &mut self.velocity } else { &mut self.position };
        let size = |kept: &KeptRank, rows: &[f64]| -> f64 {
            rows.iter().enumerate().fold(0.0, |m: f64, (i, r)| m.max(kept.scale(i) * r.abs()))
        };
        self.violation = size(position, l.rda.rows3.of(rda));
        self.x0.fill(0.0);
        position.particular(l.rda.rows3.of(rda), l.x.contact_position.of_mut(&mut self.x0));
        let speeds = &l.rda.rows2.of(rda)[..l.dims.nl + l.dims.nm];
        self.violation = self.violation.max(size(&self.velocity, speeds));
        let rows = &mut self.rows[..ld];
        rows.copy_from_slice(l.rda.rows2.of(rda));
        let by_q = &self.fx.fx[1][ld * l.n3()..];
        products::add_mul_vec(ld, l.n4(), -1.0, by_q, l.x.contact_position.of(&self.x0), rows);
        self.velocity.particular(rows, l.x.v.of_mut(&mut self.x0));
    }

    /// N on v, [s p] and r.
    fn find_columns(&mut self) {
        let (l, sizes) = (&self.layout, self.sizes);
        let (nv, nq, ld) = (l.n3(), l.n4(), self.fx.shape[1].0);
        let by_q = &self.fx.fx[1][ld * nv..];
        let rows = &mut self.rows[..ld];
        self.columns.fill(0.0);
        for (k, column) in self.columns.chunks_exact_mut(l.n.max(1)).enumerate() {
            if k < sizes.v {
                l.x.v.of_mut(column).copy_from_slice(&self.velocity.null_basis()[k * nv..(k + 1) * nv]);
            } else if k < sizes.v + sizes.q {
                let k = k - sizes.v;
                let position = if self.same { &self.velocity } else { &self.position };
                let free = &position.null_basis()[k * nq..(k + 1) * nq];
                l.x.contact_position.of_mut(column).copy_from_slice(free);
                rows.fill(0.0);
                products::add_mul_vec(ld, nq, -1.0, by_q, free, rows);
                self.velocity.particular(rows, l.x.v.of_mut(column));
            } else {
                column[l.x.r.start + k - sizes.v - sizes.q] = 1.0;
            }
        }
    }

    fn find_momentum(&mut self, mass: &Mass, count: &mut u64) {
        let (n, nv) = (self.layout.n.max(1), self.layout.n3().max(1));
        for (out, column) in self.momentum.chunks_exact_mut(nv).zip(self.columns.chunks_exact(n)) {
            transposed_product(mass, self.layout.x.v.of(column), out, count);
        }
    }

    /// The projected rows of FX, of RDA less FX x0, and of FX times N.
    fn project(&mut self, rda: &[f64]) {
        let (l, s, nz) = (self.layout, self.sizes, self.sizes.all());
        if nz == 0 {
            return;
        }
        let mut rows = std::mem::take(&mut self.rows_of_fx);
        rows.fill(0.0);
        let (dynamics, kinematics) = (s.v, s.v + s.q);
        for (k, of, free) in [(4, l.x.v, 0..dynamics), (5, l.x.p, dynamics..kinematics)] {
            let (block, first) = l.fx_position()[k];
            for i in free {
                let direction = of.of(self.column(i));
                let columns = self.fx.fx[k].chunks_exact(block.len().max(1));
                let out = rows[first * nz..].chunks_exact_mut(nz);
                out.zip(columns).for_each(|(out, column)| out[i] = f64::dot(direction, column));
            }
        }
        if s.r > 0 {
            let columns = rows.chunks_exact_mut(nz).zip(self.fx.fx[3].chunks_exact(s.r));
            columns.for_each(|(out, column)| out[kinematics..].copy_from_slice(column));
        }
        // λ and μ have dropped out.
        rows[l.x.multipliers.start * nz..l.x.multipliers.end * nz].fill(0.0);
        let first = if l.dims.nw == 0 { l.x.multipliers.end } else { 0 };
        let add = |factor: f64, x: &[f64], out: &mut [f64]| {
            for (row, x) in rows.chunks_exact(nz).zip(x).skip(first) {
                out.iter_mut().zip(row).for_each(|(o, r)| *o += factor * x * r);
            }
        };
        let mut residual = std::mem::take(&mut self.residual);
        self.project_rows(rda, &mut residual);
        add(-1.0, &self.x0, &mut residual);
        let mut jacobian = std::mem::take(&mut self.jacobian);
        jacobian.fill(0.0);
        for (k, column) in jacobian.chunks_exact_mut(nz).enumerate() {
            add(1.0, self.column(k), column);
        }
        (self.rows_of_fx, self.residual, self.jacobian) = (rows, residual, jacobian);
    }

    /// λ and μ that the rows M a = f leave open: Cᵀ Δ(λ, μ) = f - M a, by least squares. `f` holds f - M a.
    pub(super) fn correct_multipliers(&mut self, f: &[f64], out: &mut [f64]) {
        self.velocity.multipliers(f, out);
        // FX2 holds -C.
        out.iter_mut().for_each(|d| *d = -*d);
    }
}

/// What is known at a point, beside its Jacobian.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) mass: &'a Mass,
    pub(super) rda: &'a [f64],
}

impl<const L: usize> Critical<L> {
    /// Reduce the equations at a point to its free directions.
    pub(super) fn eliminate(
        &mut self,
        point: usize,
        known: Known<'_>,
        count: &mut u64,
    ) -> Result<(), LinalgError> {
        let reduced = &mut self.points[point];
        reduced.decompose()?;
        reduced.find_particular(known.rda);
        reduced.find_columns();
        self.eliminate_auxiliary(point, known)?;
        let reduced = &mut self.points[point];
        reduced.find_momentum(known.mass, count);
        reduced.project(known.rda);
        Ok(())
    }

    /// w follows from d = 0.
    fn eliminate_auxiliary(&mut self, point: usize, known: Known<'_>) -> Result<(), LinalgError> {
        let reduced = &mut self.points[point];
        let l = reduced.layout;
        let nw = l.dims.nw;
        if nw == 0 {
            return Ok(());
        }
        let (fx, ld) = (&reduced.fx.fx[0], reduced.fx.shape[0].0);
        for (out, column) in
            self.auxiliary.matrix_mut().chunks_exact_mut(nw).zip(fx[l.x.w.start * ld..].chunks_exact(ld))
        {
            out.copy_from_slice(&column[..nw]);
        }
        self.auxiliary.factor()?;
        let solver = &self.auxiliary;
        let rows = &mut reduced.rows[..nw];
        let vectors =
            std::iter::once(&mut reduced.x0[..]).chain(reduced.columns.chunks_exact_mut(l.n.max(1)));
        for (k, vector) in vectors.enumerate() {
            rows.fill(0.0);
            if k == 0 {
                rows.copy_from_slice(l.rda.d.of(known.rda));
            }
            for (column, x) in fx.chunks_exact(ld).zip(vector.iter()).skip(l.x.multipliers.end) {
                rows.iter_mut().zip(column).for_each(|(r, a)| *r -= a * x);
            }
            solver.solve(rows);
            l.x.w.of_mut(vector).copy_from_slice(rows);
        }
        Ok(())
    }
}

/// True if FX3 is FX2 by v.
fn levels_agree(l: &Layout, fx: &JacobianBlocks) -> bool {
    let (ld2, ld3) = (fx.shape[1].0.max(1), fx.shape[2].0.max(1));
    let square = l.dims.ns == 0 && l.dims.nm == 0 && l.n3() == l.n4();
    let mut columns = fx.fx[1].chunks_exact(ld2).zip(fx.fx[2].chunks_exact(ld3));
    square && columns.all(|(by_v, by_p)| by_v[..ld3] == *by_p)
}

/// Mᵀ x.
fn transposed_product(mass: &Mass, x: &[f64], out: &mut [f64], count: &mut u64) {
    if mass.structure().is_diagonal() {
        mass.mul(1, x, out, count);
        return;
    }
    *count += (x.len() * x.len()) as u64;
    products::mul_vec_transposed(x.len(), x.len(), mass.full(), x, out);
}

/// True if λ and μ act by -Cᵀ alone: d and b do not depend on them, and f_dyn does by -Cᵀ(λ, μ). With friction that depends
/// on normal forces the projected rows would keep them.
pub(super) fn multipliers_drop_out(l: &Layout, fx: &JacobianBlocks) -> bool {
    let Block { start, end } = l.x.multipliers;
    let (nw, ld1) = (l.dims.nw, fx.shape[0].0);
    let (nr, nv, ld2) = (l.dims.nr, l.n3(), fx.shape[1].0);
    (start..end).all(|j| {
        let in_d = fx.fx[0][j * ld1..][..nw].iter().any(|v| *v != 0.0);
        let in_b = fx.fx[3][j * nr..][..nr].iter().any(|v| *v != 0.0);
        let row = j - start;
        let column = &fx.fx[4][j * nv..][..nv];
        let size = column.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let by_constraint = (0..nv).all(|i| (column[i] + fx.fx[1][row + i * ld2]).abs() <= 1e-6 * size);
        !in_d && !in_b && by_constraint
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};
    use crate::mechanism::samples::Everything;
    use crate::mechanism::{self, Model};
    use crate::options::MassStructure;
    use crate::system::System;

    #[test]
    fn products_with_the_transposed_mass_are_counted() {
        let dims = Dimensions { np: 2, nv: 2, ..Dimensions::default() };
        let mut mass = Mass::new(&Layout::new(dims, Form::StrangenessFree), MassStructure::Full);
        mass.restore(&[1.0, 2.0, 3.0, 4.0]);
        let (mut out, mut count) = ([0.0; 2], 5);
        transposed_product(&mass, &[1.0, 10.0], &mut out, &mut count);
        assert_eq!((out, count), ([21.0, 43.0], 9));
    }

    /// The reduced equations are FX N and RDA - FX x0 in the free directions, whatever w the columns have.
    #[test]
    fn reduced_equations_are_projections() {
        let mut x = Everything::x0();
        let mut system =
            Model::new(Everything, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x);
        let l = Layout::new(system.dimensions(), Form::StrangenessFree);
        // Not on the constraints, so that there is something to correct.
        l.x.p.of_mut(&mut x)[1] += 0.01;
        let sizes = Sizes { v: 1, q: 2, r: 1 };
        let (mut reduced, mut rda) = (Reduced::new(&l, sizes), vec![0.0; l.m]);
        let _ = (system.eom(0.0, &x, &mut rda), system.jacobian(0.0, &x, &mut reduced.fx));
        reduced.decompose().expect("regular");
        reduced.find_particular(&rda);
        reduced.find_columns();
        for (k, column) in reduced.columns.chunks_exact_mut(l.n).enumerate() {
            l.x.w.of_mut(column)[0] = k as f64 - 1.5;
        }
        l.x.w.of_mut(&mut reduced.x0)[0] = 0.7;
        reduced.project(&rda);
        let product = |x: &[f64]| {
            let mut rows = vec![0.0; l.m];
            for (fx, (block, first)) in reduced.fx.fx.iter().zip(l.fx_position()) {
                for (column, x) in fx.chunks_exact(block.len()).zip(&x[first..]) {
                    block.of_mut(&mut rows).iter_mut().zip(column).for_each(|(r, a)| *r += a * x);
                }
            }
            rows
        };
        let same = |found: &[f64], rows: &[f64]| {
            let mut expected = [0.0; 4];
            reduced.project_rows(rows, &mut expected);
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?} {expected:?}");
            found.iter().any(|v| v.abs() > 1e-3)
        };
        for (k, found) in reduced.jacobian.chunks_exact(4).enumerate() {
            assert!(same(found, &product(reduced.column(k))));
        }
        let left: Vec<f64> = rda.iter().zip(product(&reduced.x0)).map(|(r, p)| r - p).collect();
        assert!(same(&reduced.residual, &left));
        // The constraints of positions and velocities are met by x0 and not moved by the columns.
        let constraints = |rows: &[f64]| {
            let met = |block: Block| block.of(rows).iter().all(|r| r.abs() < 1e-14);
            [l.rda.c, l.rda.g, l.rda.g_velocity, l.rda.h].into_iter().all(met)
        };
        assert!(constraints(&left) && (0..4).all(|k| constraints(&product(reduced.column(k)))));
    }
}
