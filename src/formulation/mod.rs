//! The linearised projected-strangeness-free form (12): constraints eliminated, selected differential
//! rows left (GEELIM*, GETRFRHSC, GEBSUBST).
//!
//! With FX = -F as JAC delivers it, a Newton correction Δx has to satisfy
//!
//! ```text
//! FX3·Δ[s p]                = b3            c, g
//! FX2·Δ[v | s p]            = b2            gI, h, e
//! FX1·Δx                    = b1            d, gII, hI
//! S (θ·blockdiag(I, M, I) + FX)·Δx = S b    b, f_dyn, f_kin
//! ```
//!
//! The three constraint blocks are decomposed once per point, independently of the step size (Remark
//! 3.3). Each gives the set of its solutions as a particular one plus a null space basis, so that
//!
//! ```text
//! Δx = x0(b) + N·z,   z = free parts of (v, [s p]), then r, and with FORM=1 also λ and μ
//! ```
//!
//! and the selected rows become (θ·B + C)·z = S b - S (θ·M + FX)·x0 with B = S·M·N and C = S·FX·N.
//! Only this small system depends on the step size; `kinematic.rs` makes it smaller still.

mod dependent;
mod kinematic;
pub mod rank;
pub mod selector;
mod solve;

pub use solve::{LaneWork, Missing};

use crate::decompose::{ConstraintDecomposition, DecompositionKind};
use crate::error::Code;
use crate::layout::{Block, Form, Layout};
use crate::linalg::lanes::{self, Lanes, Processor};
use crate::linalg::scalar::Scalar;
use crate::linalg::{dense, LinalgError, SolverKind};
use crate::model::Mass;
use crate::system::JacobianBlocks;
use dependent::Dependents;
use kinematic::Kinematics;
use rank::{RankPolicy, RESUME, SUSPEND};

/// A constraint block that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deficiency {
    /// Code of the decomposition and block.
    pub code: Code,
    /// Row of RDA concerned, if one can be named.
    pub row: Option<usize>,
    /// Rank found.
    pub rank: usize,
    /// Rows of the block.
    pub rows: usize,
}

/// Decisions of a [`Formulation`] that outlive a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Ranks of blocks 1..3 (SVD).
    pub known_ranks: Option<[usize; 3]>,
    /// Which invariants are imposed.
    pub imposed: Vec<bool>,
    /// Selected dynamic rows.
    pub rows_v: Vec<usize>,
    /// Selected kinematic rows.
    pub rows_p: Vec<usize>,
    /// Pivot columns for which they were selected.
    pub selected_for: Vec<usize>,
}

/// Predecomposition, selectors and reduced matrices at one reference point.
#[derive(Debug)]
pub struct Formulation {
    layout: Layout,
    kind: DecompositionKind,
    policy: RankPolicy,
    relax_invariants: bool,
    block1: ConstraintDecomposition,
    block2: ConstraintDecomposition,
    block3: ConstraintDecomposition,
    /// Columns of x that block 1 determines: `[w λ μ]`, with FORM=1 only w.
    solved: Block,
    /// Ranks of blocks 1..3 at the first point (SVD).
    known_ranks: Option<[usize; 3]>,
    /// Which invariants are imposed.
    imposed: Vec<bool>,
    /// Active rows of FX2, m2×(N3+N4), and of RDA.
    fx2: Vec<f64>,
    rows2: Vec<usize>,
    row_scale: Vec<f64>,
    free_v: usize,
    free_q: usize,
    /// N = ∂x/∂z, n×nz.
    columns: Vec<f64>,
    /// M·N on the velocity rows, nv×(free_v+free_q).
    mass_columns: Vec<f64>,
    rows_v: Vec<usize>,
    rows_p: Vec<usize>,
    /// The rows of RDA that they are, kinematic ones first, followed by those of the force equations.
    selected: Vec<usize>,
    selected_for: Vec<usize>,
    pivots: Vec<usize>,
    dependents: Dependents,
    mass_rows: MassRows,
    processor: Processor,
    /// B and C, nz×nz.
    b: Vec<f64>,
    c: Vec<f64>,
    kinematics: Kinematics,
    scratch: Scratch,
}

/// The selected rows of M.
#[derive(Debug)]
struct MassRows {
    diagonal: bool,
    /// dv×nv, or the diagonal of M.
    entries: Vec<f64>,
}

impl MassRows {
    fn new(nv: usize) -> Self {
        MassRows { diagonal: false, entries: vec![0.0; nv * nv] }
    }

    fn take(&mut self, mass: &Mass, rows: &[usize]) {
        self.diagonal = mass.structure().is_diagonal();
        if self.diagonal {
            self.entries[..mass.diagonal().len()].copy_from_slice(mass.diagonal());
            return;
        }
        let nv = mass.order();
        for (target, column) in
            self.entries.chunks_exact_mut(rows.len().max(1)).zip(mass.full().chunks_exact(nv.max(1)))
        {
            target.iter_mut().zip(rows).for_each(|(t, &i)| *t = column[i]);
        }
    }

    /// z -= S·M·u.
    fn subtract_product<const L: usize>(
        &self,
        processor: Processor,
        rows: &[usize],
        u: &[Lanes<L>],
        z: &mut [Lanes<L>],
    ) {
        if self.diagonal {
            for (z, &i) in z.iter_mut().zip(rows) {
                z.iter_mut().zip(&u[i]).for_each(|(z, u)| *z -= self.entries[i] * u);
            }
        } else {
            lanes::subtract_product(processor, &self.entries, rows.len(), u, z);
        }
    }
}

#[derive(Debug)]
struct Scratch {
    rhs: Vec<f64>,
    many_rhs: Vec<f64>,
    many_out: Vec<f64>,
    select: Vec<f64>,
    taken: Vec<bool>,
}

impl Formulation {
    /// Allocate for a layout, the decomposition of the constraints and that of the reduced systems.
    pub fn new(
        layout: &Layout,
        (kind, differential): (DecompositionKind, SolverKind),
        policy: RankPolicy,
        relax_invariants: bool,
    ) -> Self {
        let l = *layout;
        let solved = match l.form {
            Form::StrangenessFree => l.x.algebraic,
            Form::Index1 => l.x.w,
        };
        let nz = Self::largest_size(layout);
        let rows = l.m1().max(l.m2()).max(l.m3());
        let cols = l.n.max(1);
        Formulation {
            block1: ConstraintDecomposition::new(kind, l.m1(), solved.len()),
            block2: ConstraintDecomposition::new(kind, l.m2(), l.n3()),
            block3: ConstraintDecomposition::new(kind, l.m3(), l.n4()),
            kind,
            policy,
            relax_invariants,
            solved,
            known_ranks: None,
            imposed: vec![true; l.dims.ni],
            fx2: vec![0.0; l.m2() * (l.n3() + l.n4())],
            rows2: Vec::with_capacity(l.m2()),
            row_scale: vec![1.0; rows],
            free_v: 0,
            free_q: 0,
            columns: vec![0.0; l.n * nz],
            mass_columns: vec![0.0; l.n3() * (l.n3() + l.n4())],
            rows_v: Vec::with_capacity(l.dims.nv),
            rows_p: Vec::with_capacity(l.dims.np),
            selected: Vec::with_capacity(nz),
            selected_for: Vec::with_capacity(l.n3() + l.n4() + 2),
            pivots: Vec::with_capacity(l.n3() + l.n4() + 2),
            dependents: Dependents::new(l.n, nz),
            mass_rows: MassRows::new(l.n3()),
            processor: Processor::detect(),
            b: vec![0.0; nz * nz],
            c: vec![0.0; nz * nz],
            kinematics: Kinematics::new(differential == SolverKind::Lu, nz, l.n3().min(l.n4())),
            scratch: Scratch {
                rhs: vec![0.0; rows.max(1)],
                many_rhs: vec![0.0; rows * nz],
                many_out: vec![0.0; cols * nz.max(1)],
                select: vec![0.0; cols * nz.max(1)],
                taken: vec![false; cols],
            },
            layout: l,
        }
    }

    /// What decides how to go on, beside the matrices: ranks, imposed invariants, selectors.
    pub fn memory(&self) -> Memory {
        Memory {
            known_ranks: self.known_ranks,
            imposed: self.imposed.clone(),
            rows_v: self.rows_v.clone(),
            rows_p: self.rows_p.clone(),
            selected_for: self.selected_for.clone(),
        }
    }

    /// Decide everything anew from here on.
    pub fn forget(&mut self) {
        self.known_ranks = None;
        self.imposed.fill(true);
        self.rows_v.clear();
        self.rows_p.clear();
        self.selected_for.clear();
    }

    /// Put back what [`Formulation::memory`] gave.
    pub fn recall(&mut self, memory: &Memory) {
        self.known_ranks = memory.known_ranks;
        self.imposed.clone_from(&memory.imposed);
        self.rows_v.clone_from(&memory.rows_v);
        self.rows_p.clone_from(&memory.rows_p);
        self.selected_for.clone_from(&memory.selected_for);
    }

    /// No z is longer than this.
    pub fn largest_size(layout: &Layout) -> usize {
        layout.n3() + layout.n4() + layout.n2() + free_multipliers(layout).len()
    }

    /// Length of z.
    pub fn reduced_size(&self) -> usize {
        self.free_v + self.free_q + self.layout.n2() + self.free_multipliers().len()
    }

    fn free_multipliers(&self) -> Block {
        free_multipliers(&self.layout)
    }

    /// Number of constraint rows that depend on the others.
    pub fn deficiency(&self) -> usize {
        self.layout.m3() - self.block3.rank().min(self.layout.m3())
    }

    /// True if at least one invariant is suspended.
    pub fn has_suspended_invariants(&self) -> bool {
        self.imposed.iter().any(|i| !i)
    }

    /// Decompose the constraint blocks (GEDECCLU, GEDECCQR, GEDECCSV) and build N.
    /// Which invariants are imposed depends on `scal`; without it they stay as they are.
    pub fn predecompose(&mut self, fx: &JacobianBlocks, scal: Option<&[f64]>) -> Result<(), Deficiency> {
        self.decompose_block1(fx)?;
        self.decompose_block2(fx, scal)?;
        self.decompose_block3(fx)?;
        self.compare_ranks()?;
        self.build_columns(fx);
        Ok(())
    }

    /// d, gII, hI on the columns they determine.
    fn decompose_block1(&mut self, fx: &JacobianBlocks) -> Result<(), Deficiency> {
        let m = self.layout.m1();
        let a = &fx.fx[0][..m * self.solved.len()];
        unit_rows(m, a, &mut self.row_scale);
        let first = self.layout.rda.rows1.start;
        let rule = self.rule(1);
        rule.decide(&mut self.block1, m, a, &self.row_scale, |i| first + i)
    }

    /// gI, h and the imposed invariants on v.
    fn decompose_block2(&mut self, fx: &JacobianBlocks, scal: Option<&[f64]>) -> Result<(), Deficiency> {
        let l = self.layout;
        let constraints = l.dims.nl + l.dims.nm;
        if let Some(scal) = scal.filter(|_| l.dims.ni > 0) {
            self.gather_rows2(fx, constraints);
            let a = &self.fx2[..constraints * l.n3()];
            unit_rows(constraints, a, &mut self.row_scale);
            let (rule, rows) = (self.rule(2), &self.rows2);
            rule.decide(&mut self.block2, constraints, a, &self.row_scale, |i| rows[i])?;
            self.judge_invariants(fx, scal)?;
        }
        self.gather_rows2(fx, l.m2());
        let m = self.rows2.len();
        unit_rows(m, &self.fx2[..m * l.n3()], &mut self.row_scale);
        let (rule, rows) = (self.rule(2), &self.rows2);
        rule.decide(&mut self.block2, m, &self.fx2[..m * l.n3()], &self.row_scale, |i| rows[i])
    }

    /// c, g on [s p].
    fn decompose_block3(&mut self, fx: &JacobianBlocks) -> Result<(), Deficiency> {
        let m = self.layout.m3();
        unit_rows(m, &fx.fx[2], &mut self.row_scale);
        let first = self.layout.rda.rows3.start;
        let rule = self.rule(3);
        rule.decide(&mut self.block3, m, &fx.fx[2], &self.row_scale, |i| first + i)
    }

    /// Copy the first `limit` rows of FX2, without suspended invariants.
    fn gather_rows2(&mut self, fx: &JacobianBlocks, limit: usize) {
        let l = self.layout;
        let first = l.rda.rows2.start;
        let constraints = l.dims.nl + l.dims.nm;
        self.rows2.clear();
        for i in 0..limit {
            if i < constraints || self.imposed[i - constraints] {
                self.rows2.push(first + i);
            }
        }
        let (m2, m) = (l.m2(), self.rows2.len());
        for j in 0..l.n3() + l.n4() {
            for (k, &row) in self.rows2.iter().enumerate() {
                self.fx2[k + j * m] = fx.fx[1][row - first + j * m2];
            }
        }
    }

    /// How much each invariant still says about the free velocities: |e_v K| against what errors of the
    /// size of the tolerance do to e. Condition e) of the manual fails where this vanishes.
    fn judge_invariants(&mut self, fx: &JacobianBlocks, scal: &[f64]) -> Result<(), Deficiency> {
        let l = self.layout;
        let (m2, nv, nq) = (l.m2(), l.n3(), l.n4());
        let free = nv - self.block2.rank();
        let scal_v = rms(l.x.v.of(scal));
        let scal_q = l.x.contact_position.of(scal);
        for i in 0..l.dims.ni {
            let row = l.dims.nl + l.dims.nm + i;
            let entry = |j: usize| fx.fx[1][row + j * m2];
            let by_v = (0..nv).fold(0.0f64, |m, j| m.max(entry(j).abs()));
            let by_q = (0..nq).fold(0.0f64, |m, j| m.max(entry(nv + j).abs() * scal_q[j] / scal_v));
            let mut along = 0.0f64;
            for column in self.block2.null_basis().chunks_exact(nv.max(1)).take(free) {
                let dot: f64 = column.iter().enumerate().map(|(j, k)| entry(j) * k).sum();
                let size = column.iter().map(|k| k * k).sum::<f64>().sqrt();
                along = along.max(dot.abs() / size);
            }
            let measure = along / by_v.max(by_q).max(f64::MIN_POSITIVE);
            if self.relax_invariants {
                self.imposed[i] = measure > if self.imposed[i] { SUSPEND } else { RESUME };
            } else if measure < self.policy.invariant {
                let code = self.code(2).unwrap_or(Code::RankChanged);
                let rank = self.block2.rank();
                return Err(Deficiency { code, row: Some(l.rda.e.start + i), rank, rows: m2 });
            }
        }
        Ok(())
    }

    /// Redundancy must be uniform (SVD), and is refused by LU and QR and by FORM=1.
    fn compare_ranks(&mut self) -> Result<(), Deficiency> {
        let blocks = [&self.block1, &self.block2, &self.block3];
        let ranks = blocks.map(|b| b.rank());
        let missing = blocks.map(|b| b.rows() - b.rank());
        self.pivots.clear();
        if let (Some(v), Some(q)) = (self.block2.dependent_columns(), self.block3.dependent_columns()) {
            self.pivots.extend_from_slice(v);
            self.pivots.push(usize::MAX);
            self.pivots.extend_from_slice(q);
        }
        if self.kind != DecompositionKind::Svd {
            return Ok(());
        }
        let refuse = |code, k: usize| {
            let (rank, rows) = (ranks[k], blocks[k].rows());
            Err(Deficiency { code, row: None, rank, rows })
        };
        if self.layout.form == Form::Index1 {
            if let Some(k) = missing.iter().position(|&m| m > 0) {
                return refuse(Code::RedundantIndex1, k);
            }
        } else if missing[0] != missing[1] {
            return refuse(Code::DeficiencyFx2, 1);
        } else if missing[0] != missing[2] {
            return refuse(Code::DeficiencyFx3, 2);
        }
        match self.known_ranks {
            // Suspended invariants change the rank of block 2 on purpose.
            Some(known) if known[0] != ranks[0] || known[2] != ranks[2] => {
                refuse(Code::RankChanged, if known[0] == ranks[0] { 2 } else { 0 })
            }
            Some(_) => Ok(()),
            None => {
                self.known_ranks = Some(ranks);
                Ok(())
            }
        }
    }

    /// How the rank of FX`block` is decided.
    fn rule(&self, block: usize) -> Rule {
        let tolerance = if block == 1 { self.policy.acceleration } else { self.policy.constraint };
        // Invariants come and go (RELAXE): the rank of block 2 is then no constant.
        let watched = block != 2 || self.layout.dims.ni == 0;
        let known = self.known_ranks.filter(|_| watched).map(|k| k[block - 1]);
        Rule { policy: self.policy, tolerance, known, code: self.code(block) }
    }

    /// The code for a rank deficiency of FX`block`; the SVD allows it.
    fn code(&self, block: usize) -> Option<Code> {
        match (self.kind, block) {
            (DecompositionKind::Lu, 1) => Some(Code::Fx1DeficientLu),
            (DecompositionKind::Lu, 2) => Some(Code::Fx2DeficientLu),
            (DecompositionKind::Lu, _) => Some(Code::Fx3DeficientLu),
            (DecompositionKind::Qr, 1) => Some(Code::Fx1DeficientQr),
            (DecompositionKind::Qr, 2) => Some(Code::Fx2DeficientQr),
            (DecompositionKind::Qr, _) => Some(Code::Fx3DeficientQr),
            (DecompositionKind::Svd, _) => None,
        }
    }

    /// N = ∂x/∂z from the null space bases.
    fn build_columns(&mut self, fx: &JacobianBlocks) {
        let l = self.layout;
        let (n, nv, nq, nr) = (l.n, l.n3(), l.n4(), l.n2());
        self.free_v = nv - self.block2.rank();
        self.free_q = nq - self.block3.rank();
        self.find_dependents();
        let multipliers = self.free_multipliers();
        let nz = self.reduced_size();
        let (fv, fq) = (self.free_v, self.free_q);
        let columns = &mut self.columns[..n * nz];
        columns.fill(0.0);

        // [s p] and its effect on v through gI, h, e.
        let m2 = self.rows2.len();
        let fx2q = &self.fx2[m2 * nv..m2 * (nv + nq)];
        let (many, out) = (&mut self.scratch.many_rhs, &mut self.scratch.many_out);
        dense::mul(m2, nq, fq, fx2q, self.block3.null_basis(), many);
        self.block2.particular_many(self.processor, fq, &many[..m2 * fq], out);
        for j in 0..fv {
            let column = &mut columns[n * j..n * (j + 1)];
            l.x.v.of_mut(column).copy_from_slice(&self.block2.null_basis()[nv * j..nv * (j + 1)]);
        }
        for j in 0..fq {
            let column = &mut columns[n * (fv + j)..n * (fv + j + 1)];
            l.x.contact_position
                .of_mut(column)
                .copy_from_slice(&self.block3.null_basis()[nq * j..nq * (j + 1)]);
            for (v, p) in l.x.v.of_mut(column).iter_mut().zip(&out[nv * j..nv * (j + 1)]) {
                *v = -p;
            }
        }
        for j in 0..nr {
            columns[n * (fv + fq + j) + l.x.r.start + j] = 1.0;
        }
        for j in 0..multipliers.len() {
            columns[n * (fv + fq + nr + j) + multipliers.start + j] = 1.0;
        }

        // What block 1 determines follows all of these.
        let (m1, ns) = (l.m1(), self.solved.len());
        let Dependents { rows, free, .. } = &self.dependents;
        let of_fx1 = |j: usize| &fx.fx[0][m1 * j..m1 * (j + 1)];
        for (k, (column, rhs)) in
            columns.chunks_exact(n.max(1)).zip(many[..m1 * nz].chunks_exact_mut(m1.max(1))).enumerate()
        {
            match free.get(k) {
                Some(&j) => rhs.copy_from_slice(of_fx1(j)),
                None => rhs.fill(0.0),
            }
            for &j in rows.iter().filter(|&&j| j >= ns && column[j] != 0.0) {
                f64::axpy(column[j], of_fx1(j), rhs);
            }
        }
        self.block1.particular_many(self.processor, nz, &many[..m1 * nz], out);
        for (column, y) in columns.chunks_exact_mut(n.max(1)).zip(out.chunks_exact(ns.max(1))).take(nz) {
            for (c, y) in column[..ns].iter_mut().zip(y) {
                *c = -y;
            }
        }
        self.gather_dependent_rows();
    }

    /// M·N, needed by selectors and B.
    pub fn apply_mass(&mut self, mass: &Mass, count: &mut u64) {
        let l = self.layout;
        let (n, nv) = (l.n, l.n3());
        if nv == 0 {
            return;
        }
        let k = self.free_v + self.free_q;
        let gathered = &mut self.scratch.many_out;
        for (column, out) in self.columns.chunks_exact(n.max(1)).zip(gathered.chunks_exact_mut(nv)).take(k) {
            out.copy_from_slice(l.x.v.of(column));
        }
        mass.mul(k, &gathered[..nv * k], &mut self.mass_columns[..nv * k], count);
    }

    /// True if the selectors were made for other pivot columns.
    pub fn pivots_changed(&self) -> bool {
        self.pivots != self.selected_for
    }

    /// True if the pivot columns of the constraints can be watched (LU), so that selectors may be kept.
    pub fn watches_pivots(&self) -> bool {
        self.kind == DecompositionKind::Lu
    }

    /// True if the selectors in hand fit the sizes of the current predecomposition.
    pub fn selectors_fit(&self) -> bool {
        self.rows_v.len() == self.dynamic_rows() && self.rows_p.len() == self.free_q
    }

    fn dynamic_rows(&self) -> usize {
        (self.free_v + self.free_multipliers().len()).min(self.layout.dims.nv)
    }

    /// Determine selectors from the current predecomposition. With FORM=1 the dynamic rows also carry λ and μ:
    /// all of them are kept, less one for each invariant.
    pub fn select(&mut self, fx: &JacobianBlocks) {
        let (nv, np) = (self.layout.dims.nv, self.layout.dims.np);
        let columns = self.gather_dynamic(fx);
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::select_rows(nv, columns, select, &mut self.rows_v, taken);
        self.gather_kinematic();
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::select_rows(np, self.free_q, select, &mut self.rows_p, taken);
        self.selected_for.clone_from(&self.pivots);
    }

    /// True if the selectors in hand have become a poor choice although the pivot columns are the same: the
    /// mass matrix and the free directions have turned. Kept, they slow Newton's method down and cost
    /// accuracy (slider-crank at TOL = 1e-8: 40 times).
    pub fn selectors_poor(&mut self, fx: &JacobianBlocks) -> bool {
        let (nv, np) = (self.layout.dims.nv, self.layout.dims.np);
        let columns = self.gather_dynamic(fx);
        let Scratch { select, taken, .. } = &mut self.scratch;
        if selector::is_poor(nv, columns, select, &self.rows_v, taken) {
            return true;
        }
        self.gather_kinematic();
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::is_poor(np, self.free_q, select, &self.rows_p, taken)
    }

    /// M·K_v, with FORM=1 followed by the columns of λ and μ, into the work space; returns the columns.
    fn gather_dynamic(&mut self, fx: &JacobianBlocks) -> usize {
        let (nv, multipliers) = (self.layout.dims.nv, self.free_multipliers());
        let work = &mut self.scratch.select;
        work[..nv * self.free_v].copy_from_slice(&self.mass_columns[..nv * self.free_v]);
        let columns = self.free_v + multipliers.len();
        work[nv * self.free_v..nv * columns]
            .copy_from_slice(&fx.fx[4][nv * multipliers.start..nv * multipliers.end]);
        columns
    }

    /// K_p into the work space.
    fn gather_kinematic(&mut self) {
        let (ns, np, nq) = (self.layout.dims.ns, self.layout.dims.np, self.layout.n4());
        let kq = self.block3.null_basis();
        for j in 0..self.free_q {
            let column = &kq[nq * j..nq * (j + 1)];
            self.scratch.select[np * j..np * (j + 1)].copy_from_slice(&column[ns..]);
        }
    }

    /// B = S·M·N and C = S·FX·N.
    pub fn reduce(&mut self, fx: &JacobianBlocks, mass: &Mass) {
        self.mass_rows.take(mass, &self.rows_v);
        let rda = &self.layout.rda;
        self.selected.clear();
        self.selected.extend(self.rows_p.iter().map(|i| rda.f_kin.start + i));
        self.selected.extend(self.rows_v.iter().map(|i| rda.f_dyn.start + i));
        self.selected.extend(rda.b.range());
        let l = self.layout;
        let (n, nz, nv) = (l.n, self.reduced_size(), l.dims.nv);
        let (dv, dp) = (self.rows_v.len(), self.rows_p.len());
        let k = self.free_v + self.free_q;

        self.reduce_jacobian(fx);
        let b = &mut self.b[..nz * nz];
        b.fill(0.0);
        for j in 0..nz {
            let column = &self.columns[n * j..n * (j + 1)];
            let target = &mut b[nz * j..nz * (j + 1)];
            for (t, &i) in target.iter_mut().zip(&self.rows_p) {
                *t = column[l.x.p.start + i];
            }
            if j < k {
                for (t, &i) in target[dp..].iter_mut().zip(&self.rows_v) {
                    *t = self.mass_columns[i + j * nv];
                }
            }
            target[dp + dv..].copy_from_slice(l.x.r.of(column));
        }
        self.solve_kinematics();
    }
}

/// λ and μ with FORM=1, where no algebraic equation determines them.
fn free_multipliers(layout: &Layout) -> Block {
    match layout.form {
        Form::StrangenessFree => Block::default(),
        Form::Index1 => layout.x.multipliers,
    }
}

/// Scale factors that give every row of `a` (m×n) the largest entry 1; a zero row stays.
fn unit_rows(m: usize, a: &[f64], scale: &mut [f64]) {
    scale[..m].fill(0.0);
    for column in a.chunks_exact(m.max(1)) {
        for (s, v) in scale.iter_mut().zip(column) {
            *s = s.max(v.abs());
        }
    }
    for s in &mut scale[..m] {
        *s = if *s > 0.0 { 1.0 / *s } else { 1.0 };
    }
}

/// How the rank of a block is decided; with a `code` full row rank is required.
struct Rule {
    policy: RankPolicy,
    tolerance: f64,
    known: Option<usize>,
    code: Option<Code>,
}

impl Rule {
    /// Decompose a block and fix its rank.
    fn decide(
        &self,
        block: &mut ConstraintDecomposition,
        m: usize,
        a: &[f64],
        scale: &[f64],
        row_of: impl Fn(usize) -> usize,
    ) -> Result<(), Deficiency> {
        let code = self.code.unwrap_or(Code::SvdFailed);
        let failed = |_: LinalgError| Deficiency { code, row: None, rank: 0, rows: m };
        block.decompose(m, a, scale).map_err(failed)?;
        let rank = self.policy.rank(block.magnitudes(), self.tolerance, self.known);
        if self.code.is_some() && rank < m {
            return Err(Deficiency { code, row: block.weakest_row().map(row_of), rank, rows: m });
        }
        block.set_rank(rank).map_err(failed)
    }
}

fn rms(v: &[f64]) -> f64 {
    (v.iter().map(|x| x * x).sum::<f64>() / v.len().max(1) as f64).sqrt().max(f64::MIN_POSITIVE)
}
