//! Accelerations and multipliers that belong to positions and velocities: the index-1 system
//!
//! ```text
//! M a = f_dyn(λ, μ, w),    0 = d(λ, μ, w),    G Z a + γ_g = 0,    H Z a + γ_h = 0
//! ```
//!
//! γ is what the total time derivatives of gI and h have beside a. They are taken from the second row block of JAC and
//! differences in t, so that neither gII and hI (FORM=1) nor M⁻¹ is needed. Used for a consistent start and for smooth
//! multipliers at output points. The same matrix projects velocities onto gI = 0, h = 0.

use super::blocks::add_accelerations;
use super::by_pattern::{self, add_constraints, Purpose};
use super::{At, Calls, Derivatives, Gamma, IterationMatrix, Mass, Matrix, Span, Trouble, Unknowns};
use crate::decompose::{ConstraintDecomposition, DecompositionKind};
use crate::layout::{Block, Dimensions, Layout};
use crate::linalg::{all_finite, LinalgError};
use crate::options::Options;
use crate::rank::RankPolicy;
use crate::stats::Stats;
use crate::system::{JacobianBlocks, Sparsity};

/// Iterations after which λ, μ, w count as not determined. Without friction the second one only confirms the first.
const MAX_ITERATIONS: u32 = 20;
/// Increments that end the iteration, relative to the unknowns.
const ENOUGH: f64 = 1e-12;
/// Increments that no longer shrink are accepted below this.
const TOLERABLE: f64 = 1e-6;
/// What errors of differences make of multipliers at most, relative to them.
const DIFFERENCES: f64 = 1e-3;
/// Residuals that are only rounding errors, relative to the terms that cancel in them: in equilibrium a is nothing else.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Part of the step size over which γ is differenced in time.
const TIME_DIFFERENCE: f64 = 1e-3;
/// Far from t = 0: steps are short beside the motion, so wider differences are tried up to a thousand steps.
const FURTHER: usize = 10;

/// Widths of differences in time for steps of this size.
pub fn span(h: f64) -> Span {
    Span { narrow: TIME_DIFFERENCE * h, smooth: h, further: FURTHER }
}

/// Why there is no result.
#[derive(Debug)]
pub enum Halt {
    /// The model.
    Model(Trouble),
    /// The matrix is singular.
    Singular,
    /// The iteration for λ, μ, w does not converge.
    NoConvergence,
    /// Constraints depend on others where only the SVD would do.
    Dependent(Dependent),
}

/// What is found, or why there is nothing.
pub type Result<T = (), E = Halt> = std::result::Result<T, E>;

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Halt::Model(trouble)
    }
}

impl From<LinalgError> for Halt {
    fn from(_: LinalgError) -> Self {
        Halt::Singular
    }
}

/// The constraints on velocity level are dependent and DECOMPC is not the SVD.
#[derive(Clone, Copy, Debug)]
pub struct Dependent {
    /// Row of RDA.
    pub row: Option<usize>,
    /// Independent rows.
    pub rank: usize,
}

/// The system and its work space.
#[derive(Debug)]
pub struct Index1 {
    layout: Layout,
    kind: DecompositionKind,
    policy: RankPolicy,
    unknowns: Unknowns,
    matrix: Matrix,
    /// Constraints that depend on others.
    pub deficiency: usize,
    /// FX1..FX6 at the last point.
    pub fx: JacobianBlocks,
    /// Rows of RDA at the last point.
    pub rda: Vec<f64>,
    gamma: Gamma,
    e: Vec<f64>,
    y: Vec<f64>,
    /// Largest sizes of the terms of each row in this solution.
    terms: Vec<f64>,
}

impl Index1 {
    /// Allocate.
    pub fn new(layout: &Layout, options: &Options, analytic: bool, rtol: f64) -> Self {
        Self::stored(layout, options, analytic, rtol, None)
    }

    /// The unknowns: a, λ, μ, w alone, what else there is is known.
    pub fn unknowns(layout: &Layout) -> Unknowns {
        let dims = Dimensions { nr: 0, ns: 0, ..layout.dims };
        Unknowns::new(&Layout::new(dims, layout.form), false)
    }

    /// Allocate, by the pattern of the model if there is one ([`by_pattern::of_run`]).
    pub fn stored(
        layout: &Layout,
        options: &Options,
        analytic: bool,
        rtol: f64,
        pattern: Option<&Sparsity>,
    ) -> Self {
        let kind = options.decompose_constraints;
        let unknowns = Self::unknowns(layout);
        Index1 {
            layout: *layout,
            kind,
            policy: RankPolicy::new(kind, analytic, rtol),
            unknowns,
            matrix: by_pattern::analyse(Purpose::Accelerations, (layout, unknowns), options, pattern),
            deficiency: 0,
            fx: JacobianBlocks::stored(layout, pattern),
            rda: vec![0.0; layout.m],
            gamma: Gamma::new(layout, options.autonomous),
            e: vec![0.0; unknowns.n],
            y: vec![0.0; unknowns.n],
            terms: vec![0.0; unknowns.n],
        }
    }

    /// Columns of FX2 and FX6: [v s p].
    fn columns(&self, block: Block) -> Block {
        let first = self.layout.x.v.start;
        Block { start: block.start - first, end: block.end - first }
    }

    /// JAC and MAS at (t, x).
    pub fn linearize(
        &mut self,
        model: &mut Calls<'_>,
        derivatives: &mut Derivatives,
        mass: &mut Mass,
        (t, x): (f64, &[f64]),
    ) -> super::Result {
        derivatives.jacobian(model, t, x, &mut self.fx)?;
        mass.evaluate(model.system, t, x, &mut model.stats.nmas)
    }

    /// Accelerations and multipliers of the first point, with the rows there in `rda`.
    pub fn begin(
        &mut self,
        model: &mut Calls<'_>,
        (derivatives, mass): (&mut Derivatives, &mut Mass),
        (t, x): (f64, &mut [f64]),
        (a, h): (&mut [f64], f64),
    ) -> Result {
        self.linearize(model, derivatives, mass, (t, x))?;
        self.count_dependent().map_err(Halt::Dependent)?;
        self.decompose(mass, model.stats)?;
        self.solve(model, mass, (t, x), a, h)?;
        Ok(model.eom(t, x, &mut self.rda)?)
    }

    /// Count dependent constraints; only the SVD copes with them. A cold path: it allocates.
    fn count_dependent(&mut self) -> Result<(), Dependent> {
        let m = self.layout.dims.nl + self.layout.dims.nm;
        self.deficiency = 0;
        if m == 0 {
            return Ok(());
        }
        if !self.matrix.assembled().is_dense() {
            return self.find_dependent(m);
        }
        let Ok(decomposition) = decompose_velocity_constraints(self.kind, &self.layout, &self.fx) else {
            return Err(Dependent { row: None, rank: 0 });
        };
        let rank = self.policy.rank(decomposition.magnitudes(), self.policy.constraint, None);
        if rank < m && self.kind != DecompositionKind::Svd {
            let row = decomposition.weakest_row().map(|i| self.layout.rda.g_velocity.start + i);
            return Err(Dependent { row, rank });
        }
        self.deficiency = m - rank;
        Ok(())
    }

    /// The same by pattern: whether there are any, and one of them. G Gᵀ has the squares of the singular values, as FX1 does.
    fn find_dependent(&mut self, rows: usize) -> Result<(), Dependent> {
        let (l, u) = (&self.layout, &self.unknowns);
        let matrix = &mut **self.matrix.values();
        matrix.clear();
        add_constraints(matrix, l, u, &self.fx);
        let Some(weakest) = matrix.weakest_row(self.policy.acceleration) else { return Ok(()) };
        let row = weakest.checked_sub(u.multipliers.start).filter(|i| *i < rows);
        Err(Dependent { row: row.map(|i| l.rda.g_velocity.start + i), rank: rows - 1 })
    }

    /// Assemble and factor the matrix of the linearisation in hand.
    pub fn decompose(&mut self, mass: &Mass, stats: &mut Stats) -> Result {
        let (l, u) = (&self.layout, &self.unknowns);
        let matrix = &mut **self.matrix.values();
        matrix.clear();
        add_mass(matrix, mass, l.dims.nv, 1.0);
        add_accelerations(matrix, l, u, &self.fx);
        stats.nedec += 1;
        let deficiency = self.deficiency;
        self.matrix.factor(0.0, |matrix| matrix.factor(deficiency))?;
        Ok(())
    }

    /// a, λ, μ, w at (t, x), the latter three in x. The matrix must have been decomposed there.
    pub fn solve(
        &mut self,
        model: &mut Calls<'_>,
        mass: &Mass,
        (t, x): (f64, &mut [f64]),
        a: &mut [f64],
        h: f64,
    ) -> Result {
        let (l, u) = (self.layout, self.unknowns);
        let (mut last, mut excess_before) = (f64::INFINITY, f64::INFINITY);
        self.terms.fill(0.0);
        self.scatter(x, a);
        self.matrix.factored().ok_or(Halt::Singular)?.remove_undetermined(&mut self.y);
        self.gather(x, a);
        for iteration in 0..MAX_ITERATIONS {
            model.eom(t, x, &mut self.rda)?;
            if iteration == 0 {
                let at = At { t, x, rda: &self.rda };
                self.gamma.by_jacobian(model, &self.fx, at, span(h))?;
            }
            self.e.fill(0.0);
            mass.mul(1, a, u.a.of_mut(&mut self.e), &mut model.stats.mass_multiplications);
            subtract(u.a.of_mut(&mut self.e), l.rda.f_dyn.of(&self.rda));
            subtract(u.w.of_mut(&mut self.e), l.rda.d.of(&self.rda));
            let (fx, v) = (&self.fx.fx[1], self.columns(l.x.v));
            for (i, e) in u.multipliers.of_mut(&mut self.e).iter_mut().enumerate() {
                *e = fx.row_times(i, v.range(), a) - self.gamma.value[i];
            }
            let excess = self.relative_residual(mass, x);
            self.matrix.factored().ok_or(Halt::Singular)?.solve(&mut self.e);
            subtract(&mut self.y, &self.e);
            self.gather(x, a);
            let size = self.relative_increment();
            let stagnates = |now: f64, before: f64| now >= 0.5 * before && now <= TOLERABLE;
            if size <= ENOUGH || stagnates(size, last) {
                return Ok(());
            }
            if !all_finite(&self.y) {
                return Err(Halt::NoConvergence);
            }
            if excess <= ROUNDING || stagnates(excess, excess_before) {
                return Ok(());
            }
            (last, excess_before) = (size, excess);
        }
        Err(Halt::NoConvergence)
    }

    /// λ, μ, w once more behind [`Index1::solve`], from the rows gII and hI where the model has them: γ has the errors of differences. A
    /// larger correction than those explain is none.
    pub fn refine(&mut self, model: &mut Calls<'_>, (t, x): (f64, &mut [f64]), a: &mut [f64]) -> Result {
        let (l, u) = (self.layout, self.unknowns);
        let rows = Block { start: l.rda.d.end, end: l.rda.rows1.end };
        if rows.is_empty() {
            return Ok(());
        }
        model.eom(t, x, &mut self.rda)?;
        self.e.fill(0.0);
        u.multipliers.of_mut(&mut self.e).iter_mut().zip(rows.of(&self.rda)).for_each(|(e, r)| *e = -r);
        self.matrix.factored().ok_or(Halt::Singular)?.solve(&mut self.e);
        if self.relative_increment() <= DIFFERENCES {
            subtract(&mut self.y, &self.e);
            self.gather(x, a);
        }
        Ok(())
    }

    /// Largest residual in `e` beside the terms that it consists of: forces |f_x x| and M a, accelerations |C a| and γ, each
    /// as large as it has been in this solution. Increments cannot be measured so: where forces balance, a is zero.
    fn relative_residual(&mut self, mass: &Mass, x: &[f64]) -> f64 {
        let (l, u) = (self.layout, self.unknowns);
        let sizes = |k: usize, row: usize| -> f64 {
            let ((_, n), (rows, first)) = (self.fx.shape[k], l.fx_position()[k]);
            self.fx.fx[k].row_sum(row - rows.start, 0..n, |j, value| (value * x[first + j]).abs())
        };
        let mut worst = 0.0f64;
        for (k, rows, block) in [(4, l.rda.f_dyn, u.a), (0, l.rda.d, u.w)] {
            for (row, i) in rows.range().zip(block.range()) {
                // M a is what the residual and f_dyn add up to.
                let size = sizes(k, row) + 2.0 * self.rda[row].abs() + self.e[i].abs();
                self.terms[i] = self.terms[i].max(size);
                worst = worst.max(self.e[i].abs() / self.terms[i].max(f64::MIN_POSITIVE));
            }
        }
        let (fx, v) = (&self.fx.fx[1], self.columns(l.x.v));
        // What the single forces would accelerate by, and a itself.
        let acceleration = |j: usize| {
            let own = mass.entries().map_or(0.0, |full| full.get(j, j).abs());
            let forced = if own > 0.0 { self.terms[u.a.start + j] / own } else { 0.0 };
            forced.max(self.y[u.a.start + j].abs())
        };
        for (i, at) in u.multipliers.range().enumerate() {
            let along = fx.row_sum(i, v.range(), |c, value| value.abs() * acceleration(c - v.start));
            worst = worst.max(self.e[at].abs() / (along + self.gamma.size[i]).max(f64::MIN_POSITIVE));
        }
        worst
    }

    /// Largest increment of a, of the multipliers and of w beside the largest of each.
    fn relative_increment(&self) -> f64 {
        let u = &self.unknowns;
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| if v.is_nan() { *v } else { m.max(v.abs()) });
        let part = |block: Block| {
            let (d, y) = (largest(block.of(&self.e)), largest(block.of(&self.y)));
            if d == 0.0 {
                0.0
            } else {
                d / y
            }
        };
        part(u.a).max(part(u.multipliers)).max(part(u.w))
    }

    /// Correct the velocities in x by the smallest amount, in the norm of M, that satisfies gI = 0 and h = 0; `rda` are the
    /// rows at x. The matrix must have been decomposed there.
    pub fn project_velocities(&mut self, x: &mut [f64]) {
        let (l, u) = (self.layout, self.unknowns);
        self.e.fill(0.0);
        let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
        u.multipliers.of_mut(&mut self.e).copy_from_slice(rows.of(&self.rda));
        let Some(mut factored) = self.matrix.factored() else { return };
        factored.solve(&mut self.e);
        l.x.v.of_mut(x).iter_mut().zip(u.a.of(&self.e)).for_each(|(v, d)| *v += d);
    }

    fn scatter(&mut self, x: &[f64], a: &[f64]) {
        let (l, u) = (&self.layout, &self.unknowns);
        u.a.of_mut(&mut self.y).copy_from_slice(a);
        u.multipliers.of_mut(&mut self.y).copy_from_slice(l.x.multipliers.of(x));
        u.w.of_mut(&mut self.y).copy_from_slice(l.x.w.of(x));
    }

    fn gather(&self, x: &mut [f64], a: &mut [f64]) {
        let (l, u) = (&self.layout, &self.unknowns);
        a.copy_from_slice(u.a.of(&self.y));
        l.x.multipliers.of_mut(x).copy_from_slice(u.multipliers.of(&self.y));
        l.x.w.of_mut(x).copy_from_slice(u.w.of(&self.y));
    }

    /// p'' = Z a + (Z v)_p p' + (Z v)_s s' at the last point.
    pub fn position_curvature(&self, a: &[f64], out: &mut [f64]) {
        let l = &self.layout;
        let fx = &self.fx.fx[5];
        let (v, p, s) = (self.columns(l.x.v), self.columns(l.x.p), self.columns(l.x.s));
        for (i, out) in out.iter_mut().enumerate() {
            let along = |block: Block, rate: &[f64]| fx.row_times(i, block.range(), rate);
            *out = -along(v, a) - along(p, l.rda.f_kin.of(&self.rda)) - along(s, &self.gamma.contact_rate);
        }
    }
}

/// gI and h by v, rows scaled to unit size, decomposed. A cold path: it allocates.
pub fn decompose_velocity_constraints(
    kind: DecompositionKind,
    layout: &Layout,
    fx: &JacobianBlocks,
) -> Result<ConstraintDecomposition, LinalgError> {
    let (m, n) = (layout.dims.nl + layout.dims.nm, layout.dims.nv);
    let entry = |i: usize, j: usize| fx.fx[1].get(i, j);
    let a: Vec<f64> = (0..n).flat_map(|j| (0..m).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect();
    let scale: Vec<f64> = (0..m)
        .map(|i| (0..n).fold(0.0f64, |s, j| s.hypot(entry(i, j))))
        .map(|size| if size > 0.0 { 1.0 / size } else { 1.0 })
        .collect();
    let mut decomposition = ConstraintDecomposition::new(kind, m, n);
    decomposition.decompose(m, &a, &scale)?;
    Ok(decomposition)
}

/// Add `factor` times the mass matrix to the rows and columns of a.
pub fn add_mass(matrix: &mut dyn IterationMatrix, mass: &Mass, nv: usize, factor: f64) {
    let Some(full) = mass.entries() else { return };
    if mass.structure().is_diagonal() {
        (0..nv).for_each(|i| matrix.add(i, i, factor * full.get(i, i)));
    } else {
        let all = Block { start: 0, end: nv };
        matrix.add_stored(full, (all, all), (0, 0), factor);
    }
}

fn subtract(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= b);
}
