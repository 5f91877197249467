//! The critical step: past a position where the constraints lose rank for one instant, while p and v are smooth.
//!
//! Along the motion a singular value σ of the constraints passes zero. One Jacobian for all stages multiplies the error of the
//! constraints by 1 - σ_i/σ_k, more than 1 in every stage behind the position, at any step size. So here the constraints
//! are decomposed at every stage and every iterate, with the rank kept, and the collocation equations are
//!
//! ```text
//! K_pᵀ(p' - Z v) = 0,  c = g = 0,   K_vᵀ(M v' - f) = 0,  gI = h = 0,   r' = b,   d = 0
//! ```
//!
//! with K_p, K_v bases of the null spaces of the constraints at that stage: λ and μ, which may have poles, have dropped
//! out. They are found afterwards and are in no norm. Invariants are not imposed.
//!
//! `watch.rs` says when it is due, `eliminate.rs` reduces one point, `iterate.rs` solves for the stages, `estimate.rs`
//! estimates the error, `gap.rs` refuses steps over positions that do not exist, `settle.rs` finds the multipliers of the accepted point, `behind.rs` says how accurate the steps are that follow.

mod behind;
mod eliminate;
mod estimate;
mod gap;
mod iterate;
mod settle;
mod watch;

use super::{Radau, Setback};
use crate::decompose::kept::KeptRank;
use crate::layout::Layout;
use crate::linalg::lanes::Lanes;
use crate::linalg::{RealSolver, SolverKind};
use crate::methods::plan::Attempted;
use crate::model::index1::Index1;
use crate::options::Options;
use crate::singular::Ahead;
use crate::system::System;
pub(super) use behind::Strict;
use eliminate::Reduced;
pub(in crate::methods) use gap::Refusal;
pub(in crate::methods) use watch::is_deficient;
pub(super) use watch::Memory;

/// Work space of critical steps.
#[derive(Debug)]
pub(super) struct Critical<const L: usize> {
    sizes: Sizes,
    velocity: KeptRank,
    ahead: Ahead,
    auxiliary: RealSolver,
    index1: Index1,
    a: Vec<f64>,
    /// One per stage, and x_k behind them.
    points: Vec<Reduced>,
    /// One of the path between the stages.
    between: Reduced,
    gap: gap::Gap,
    /// Factors of the constraints on both levels, at the stage where each is largest.
    factors: [Vec<f64>; 2],
    rates: Vec<Lanes<L>>,
    matrix: RealSolver,
    rhs: Vec<f64>,
    /// The waiting attempt was a critical one.
    attempted: bool,
    /// Forces do not depend on multipliers but by the constraints.
    suits: bool,
}

/// Numbers of free directions: of v, of [s p], and of r.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    v: usize,
    q: usize,
    r: usize,
}

impl Sizes {
    fn all(&self) -> usize {
        self.v + self.q + self.r
    }
}

impl<const L: usize> Critical<L> {
    /// For so many constraints that depend on others everywhere, and up to so many stages. The layouts are that of Newton's
    /// method and that of the model.
    fn new(
        (layout, model): (&Layout, &Layout),
        options: &Options,
        analytic: bool,
        rtol: f64,
        redundant: usize,
        stages: usize,
    ) -> Self {
        let rows = layout.dims.nl + layout.dims.nm;
        let velocity = KeptRank::new(rows, layout.n3(), rows - redundant);
        let position = (layout.m3() - redundant).min(layout.n4());
        let sizes = Sizes { v: layout.n3() - velocity.rank(), q: layout.n4() - position, r: layout.n2() };
        let mut index1 = Index1::new(model, options, analytic, rtol);
        index1.deficiency = redundant;
        let unknowns = sizes.all() * stages;
        Critical {
            ahead: Ahead::new(layout),
            auxiliary: RealSolver::new(SolverKind::Lu, layout.dims.nw),
            index1,
            a: vec![0.0; layout.n3()],
            points: (0..=stages).map(|_| Reduced::new(layout, sizes)).collect(),
            between: Reduced::new(layout, sizes),
            gap: gap::Gap::new(layout),
            factors: [vec![1.0; rows], vec![1.0; rows.max(layout.m3())]],
            rates: vec![[0.0; L]; layout.n],
            matrix: RealSolver::new(SolverKind::Lu, unknowns),
            rhs: vec![0.0; unknowns],
            attempted: false,
            suits: true,
            sizes,
            velocity,
        }
    }
}

impl<const L: usize> Critical<L> {
    /// Constraints that depend on others everywhere.
    pub(super) fn redundant(&self) -> usize {
        self.index1.deficiency
    }

    /// Constraints of the level of positions that do not depend on others.
    fn position_rank(&self) -> usize {
        self.between.position.rank()
    }

    /// What belongs to the last point.
    pub(super) fn forget(&mut self) {
        self.attempted = false;
    }
}

impl<const L: usize> Radau<L> {
    /// Room for critical steps, as soon as the redundancy of the constraints is known.
    pub(in crate::methods) fn make_room_for_critical_steps(&mut self, redundant: usize) {
        if !self.passes_rank_losses() || self.critical.is_some() {
            return;
        }
        if let Some(mut room) = self.spare.take().filter(|room| room.redundant() == redundant) {
            (room.attempted, room.suits) = (false, true);
            self.critical = Some(room);
            return;
        }
        let stages = self.orders.iter().map(|order| order.tableau.stages).max().unwrap_or(L);
        let rtol = self.orders[0].scaling.rtol_user;
        let analytic = self.rows.derivatives.are_supplied();
        let layouts = (&self.layout, &self.rows.layout);
        let room = Critical::new(layouts, &self.options, analytic, rtol, redundant, stages);
        self.critical = Some(Box::new(room));
    }

    /// A critical step of size h as a table of contents.
    pub(super) fn attempt_critical(&mut self, system: &mut dyn System, h: f64) -> Result<Attempted, Setback> {
        let Some(mut critical) = self.critical.take() else { return Err(super::linearize::singular()) };
        let result = self.attempt_with(&mut critical, system, h);
        critical.attempted = result.is_ok();
        self.critical = Some(critical);
        result
    }

    fn attempt_with(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<Attempted, Setback> {
        self.forget_linearisation();
        self.begin_stages(critical, system, h)?;
        self.evidence.iterations = self.solve_critical_stages(critical, system, h)?;
        let err = self.estimate_critical_error(critical, system, h)?;
        let err = self.judged_critical(err);
        if err < 1.0 {
            self.refuse_gap(critical, system, h)?;
            return Ok(Attempted { err, next: self.next_step(h, err) });
        }
        Err(self.error_too_large(h, err, false))
    }

    /// A critical step for another method.
    pub(in crate::methods) fn attempt_to_pass(
        &mut self,
        system: &mut dyn System,
        h: f64,
    ) -> Result<Attempted, Setback> {
        self.weigh(h);
        self.evaluate_here(system)?;
        self.attempt_critical(system, h)
    }

    /// The waiting attempt was a critical one.
    pub(super) fn is_critical(&self) -> bool {
        self.critical.as_ref().is_some_and(|critical| critical.attempted)
    }

    fn forget_linearisation(&mut self) {
        self.linearized = super::Linearized::Nowhere;
        self.formulation.discard();
        (self.faccon, self.renew_selectors) = (1.0, true);
        if let Some(closing) = &mut self.closing {
            (closing.decomposed, closing.evaluated) = (false, false);
        }
    }
}
