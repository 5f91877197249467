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
    moved: Vec<f64>,
}

impl Reduced {
    pub(super) fn new(layout: &Layout, sizes: Sizes) -> Self {
        let nz = sizes.all();
        Reduced {
            layout: *layout,
            sizes,
            x0: vec![0.0; layout.n],
            columns: vec![0.0; layout.n * nz],
            momentum: vec![0.0; layout.n3() * sizes.v],
            jacobian: vec![0.0; nz * nz],
            residual: vec![0.0; nz],
            smallest: 1.0,
            violation: 0.0,
            rows: vec![0.0; layout.m],
            moved: vec![0.0; layout.m],
        }
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

    /// x += x0 + N z.
    pub(super) fn add_increment(&self, z: &[f64], x: &mut [f64]) {
        self.add_columns(z, x);
        x.iter_mut().zip(&self.x0).for_each(|(x, x0)| *x += x0);
    }

    /// x += N z.
    pub(super) fn add_columns(&self, z: &[f64], x: &mut [f64]) {
        products::add_mul_vec(self.layout.n, self.sizes.all(), 1.0, &self.columns, z, x);
    }
}

/// What is known at a point.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) fx: &'a JacobianBlocks,
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
        let Reduced { layout: l, sizes, .. } = *reduced;
        let (fx, q) = (known.fx, l.x.contact_position);
        let (nv, nq, nz) = (l.n3(), l.n4(), sizes.all());
        let ld = fx.shape[1].0;
        self.velocity.decompose(&fx.fx[1], ld)?;
        // With p' = v and holonomic constraints alone both levels have the same matrix.
        let same = levels_agree(&l, fx);
        if !same {
            self.position.decompose(&fx.fx[2], fx.shape[2].0)?;
        }
        let position = if same { &mut self.velocity } else { &mut self.position };
        reduced.smallest = position.smallest();
        let sizes_of = |kept: &KeptRank, rows: &[f64]| -> f64 {
            rows.iter().enumerate().fold(0.0, |m: f64, (i, r)| m.max(kept.scale(i) * r.abs()))
        };
        let speeds = &l.rda.rows2.of(known.rda)[..l.dims.nl + l.dims.nm];
        reduced.violation = sizes_of(position, l.rda.rows3.of(known.rda));
        let by_q = &fx.fx[1][ld * nv..];

        // Particular solution: c, g, then gI, h.
        let x0 = &mut reduced.x0;
        x0.fill(0.0);
        position.particular(l.rda.rows3.of(known.rda), q.of_mut(x0));
        reduced.smallest = reduced.smallest.min(self.velocity.smallest());
        reduced.violation = reduced.violation.max(sizes_of(&self.velocity, speeds));
        let rows = &mut reduced.rows[..ld];
        rows.copy_from_slice(l.rda.rows2.of(known.rda));
        products::add_mul_vec(ld, nq, -1.0, by_q, q.of(x0), rows);
        self.velocity.particular(rows, l.x.v.of_mut(x0));

        // N on v, [s p] and r.
        let columns = &mut reduced.columns;
        columns.fill(0.0);
        for (k, column) in columns.chunks_exact_mut(l.n.max(1)).enumerate() {
            if k < sizes.v {
                l.x.v.of_mut(column).copy_from_slice(&self.velocity.null_basis()[k * nv..(k + 1) * nv]);
            } else if k < sizes.v + sizes.q {
                let k = k - sizes.v;
                let position = if same { &self.velocity } else { &self.position };
                let free = &position.null_basis()[k * nq..(k + 1) * nq];
                q.of_mut(column).copy_from_slice(free);
                rows.fill(0.0);
                products::add_mul_vec(ld, nq, -1.0, by_q, free, rows);
                self.velocity.particular(rows, l.x.v.of_mut(column));
            } else {
                column[l.x.r.start + k - sizes.v - sizes.q] = 1.0;
            }
        }
        self.eliminate_auxiliary(point, known)?;

        let reduced = &mut self.points[point];
        let mut momentum = std::mem::take(&mut reduced.momentum);
        for (out, k) in momentum.chunks_exact_mut(nv.max(1)).zip(0..sizes.v) {
            transposed_product(known.mass, l.x.v.of(reduced.column(k)), out, count);
        }
        reduced.momentum = momentum;

        // The projected rows.
        let mut rows = std::mem::take(&mut reduced.rows);
        let mut moved = std::mem::take(&mut reduced.moved);
        let mut out = std::mem::take(&mut reduced.residual);
        differential_rows(&l, fx, &reduced.x0, &mut rows);
        for block in [l.rda.f_dyn, l.rda.f_kin, l.rda.b] {
            let rows = block.of(&rows).iter();
            block
                .of_mut(&mut moved)
                .iter_mut()
                .zip(block.of(known.rda).iter().zip(rows))
                .for_each(|(m, (r, f))| *m = r - f);
        }
        reduced.project_rows(&moved, &mut out);
        let mut jacobian = std::mem::take(&mut reduced.jacobian);
        for (k, column) in jacobian.chunks_exact_mut(nz.max(1)).enumerate() {
            differential_rows(&l, fx, reduced.column(k), &mut rows);
            reduced.project_rows(&rows, column);
        }
        (reduced.rows, reduced.moved, reduced.residual, reduced.jacobian) = (rows, moved, out, jacobian);
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
        let (fx, ld) = (&known.fx.fx[0], known.fx.shape[0].0);
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

    /// λ and μ that the rows M a = f leave open: Cᵀ Δ(λ, μ) = f - M a, by least squares, added to `multipliers`. `f` holds
    /// f - M a.
    pub(super) fn correct_multipliers(&mut self, f: &[f64], out: &mut [f64]) {
        self.velocity.multipliers(f, out);
        // FX2 holds -C.
        out.iter_mut().for_each(|d| *d = -*d);
    }
}

/// True if FX3 is FX2 by v.
fn levels_agree(l: &Layout, fx: &JacobianBlocks) -> bool {
    let (ld2, ld3) = (fx.shape[1].0.max(1), fx.shape[2].0.max(1));
    let square = l.dims.ns == 0 && l.dims.nm == 0 && l.n3() == l.n4();
    let mut columns = fx.fx[1].chunks_exact(ld2).zip(fx.fx[2].chunks_exact(ld3));
    square && columns.all(|(by_v, by_p)| by_v[..ld3] == *by_p)
}

/// FX4, FX5 and FX6 times x, as rows of RDA, without the columns of the multipliers.
fn differential_rows(l: &Layout, fx: &JacobianBlocks, x: &[f64], rows: &mut [f64]) {
    let skipped = l.x.multipliers;
    for (k, block) in [(3, l.rda.b), (4, l.rda.f_dyn), (5, l.rda.f_kin)] {
        let first = l.fx_position()[k].1;
        let out = block.of_mut(rows);
        out.fill(0.0);
        if out.is_empty() {
            continue;
        }
        for (j, column) in fx.fx[k].chunks_exact(out.len()).enumerate() {
            let j = first + j;
            if x[j] != 0.0 && !skipped.contains(j) {
                f64::axpy(x[j], column, out);
            }
        }
    }
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
