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
//!
//! Held as a [`crate::linalg::linear::Linear`]: [`Formulation::decompose`] and [`Formulation::select_and_reduce`] give it values,
//! [`Formulation::factor`] factors it for [`Shifts`], and what is solved is written for the factored form alone.

mod constraints;
mod dependent;
mod kinematic;
mod reduce;
pub mod selector;
mod shifted;
mod solve;

pub use reduce::Selectors;
pub use shifted::Shifts;
pub use solve::{LaneWork, Missing};

use crate::decompose::{ConstraintDecomposition, DecompositionKind};
use crate::error::Code;
use crate::layout::{Block, Form, Layout};
use crate::linalg::lanes::{self, Processor};
use crate::linalg::{Lanes, SolverKind};
use crate::model::Mass;
use crate::rank::RankPolicy;
use crate::system::JacobianBlocks;
use dependent::Dependents;
use kinematic::Kinematics;
use shifted::Shifted;

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

/// What a constraint block gives.
pub type Result<T = (), E = Deficiency> = std::result::Result<T, E>;

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
    /// Multipliers, or combinations of them, among the unknowns: FORM=1.
    free_m: usize,
    /// FX5 on the columns of λ and μ, which redundant constraints leave with a null space (FORM=1, SVD).
    forces: Option<ConstraintDecomposition>,
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
    shifted: Shifted,
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
    /// Allocate for a layout, the decomposition of the constraints, that of the reduced systems, and so many pairs of shifts.
    pub fn new(
        layout: &Layout,
        (kind, differential): (DecompositionKind, SolverKind),
        policy: RankPolicy,
        relax_invariants: bool,
        pairs: usize,
    ) -> Self {
        let l = *layout;
        let solved = match l.form {
            Form::StrangenessFree => l.x.algebraic,
            Form::Index1 => l.x.w,
        };
        let nz = Self::largest_size(layout);
        let rows = l.m1().max(l.m2()).max(l.m3()).max(l.n3());
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
            free_m: 0,
            forces: (l.form == Form::Index1 && kind == DecompositionKind::Svd)
                .then(|| ConstraintDecomposition::new(kind, l.n3(), l.x.multipliers.len())),
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
            shifted: Shifted::new(differential, nz, pairs),
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

    /// Go on with the ranks and imposed invariants of another formulation of the same model. Redundant rows are dependent to rounding
    /// at the start alone: at a later point, which fulfils its constraints to the tolerance, a rank found anew may be a larger one.
    pub fn take_decisions(&mut self, other: &Formulation) {
        self.forget();
        self.imposed.copy_from_slice(&other.imposed);
        let lacks = if self.layout.form == Form::Index1 { 0 } else { other.deficiency() };
        self.known_ranks = other.known_ranks.map(|[_, v, q]| [self.layout.m1() - lacks, v, q]);
    }

    /// No z is longer than this.
    pub fn largest_size(layout: &Layout) -> usize {
        layout.n3() + layout.n4() + layout.n2() + free_multipliers(layout).len()
    }

    /// Length of z.
    pub fn reduced_size(&self) -> usize {
        self.free_v + self.free_q + self.layout.n2() + self.free_m
    }

    /// Number of constraint rows that depend on the others.
    pub fn deficiency(&self) -> usize {
        self.layout.m3() - self.block3.rank().min(self.layout.m3())
    }

    /// The smallest magnitude of the constraints that counts, relative to the largest; 1 without constraints. Where there are more
    /// positions than velocities (quaternions) that of the position level need not fall in a rank loss: directions in which nothing
    /// can move keep its rank.
    pub fn conditioning(&self) -> f64 {
        let dims = &self.layout.dims;
        let of = |block: &ConstraintDecomposition| {
            let magnitudes = block.magnitudes();
            match (magnitudes.first(), block.rank()) {
                (Some(largest), rank @ 1..) => magnitudes[rank - 1] / largest,
                _ => 1.0,
            }
        };
        match (dims.nm > 0, dims.np != dims.nv) {
            (true, _) => of(&self.block2),
            (false, true) => of(&self.block2).min(of(&self.block3)),
            (false, false) => of(&self.block3),
        }
    }

    /// Decompose the constraints at a new point and prepare M·N. Which invariants are imposed depends on `scal`; without it they
    /// stay as they are.
    pub fn decompose(
        &mut self,
        fx: &JacobianBlocks,
        mass: &Mass,
        scal: Option<&[f64]>,
        count: &mut u64,
    ) -> Result {
        self.predecompose(fx, scal)?;
        self.apply_mass(mass, count);
        Ok(())
    }

    /// True if at least one invariant is suspended.
    pub fn has_suspended_invariants(&self) -> bool {
        self.imposed.iter().any(|i| !i)
    }
}

/// λ and μ with FORM=1, where no algebraic equation determines them.
fn free_multipliers(layout: &Layout) -> Block {
    match layout.form {
        Form::StrangenessFree => Block::default(),
        Form::Index1 => layout.x.multipliers,
    }
}
