//! Radau IIA of orders 5, 9 and 13 on the projected-strangeness-free form (GECORE).
//!
//! [`Method::attempt`] is the method as a table of contents. Numerical blocks live elsewhere: constraints and reduced systems in
//! [`crate::formulation`], stage vectors in [`stages`], monitor and controllers in [`crate::newton`] and [`crate::control`].

mod accepted;
mod coefficients;
pub(super) mod critical;
mod estimate;
mod iterate;
mod linearize;
mod multipliers;
mod order;
mod report;
mod rows;
mod save;
pub mod stages;
mod start;
pub mod switching;
pub mod tableau;

use super::{Attempted, Method, Plan, Setback, State};
use crate::control::{self, Memory};
use crate::error::{Failure, Rejection};
use crate::formulation::{Formulation, LaneWork, Shifts};
use crate::layout::Layout;
use crate::linalg::{Lanes, Linear};
use crate::model::Mass;
use crate::newton::stopping_criterion;
use crate::norm::{Scaling, Tolerance};
use crate::options::{Options, StageMultipliers};
use crate::rank::RankPolicy;
use crate::system::{JacobianBlocks, System};
use iterate::Rescue;
use multipliers::Closing;
use rows::Rows;
use stages::Stages;
use tableau::Tableau;

/// Consecutive singular Newton matrices after which the run ends.
const MAX_SINGULAR: u32 = 5;
/// A step that is longer than this times the last one does not inherit its rate of convergence.
const STRONG_GROWTH: f64 = 2.0;
/// Nor, beyond this, its polynomial: a step that was cut to meet an end says nothing of stages a hundred times as far.
const FARTHEST: f64 = 10.0;

/// Where the Jacobian in hand was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linearized {
    /// There is none, or it must not be used again.
    Nowhere,
    /// At the current point x_k.
    Here,
    /// At another point: an earlier one (kept by THET), an extrapolated stage (NWTMAT) or an
    /// iterate (NWTUPD).
    Elsewhere,
}

/// The method of one order, for the tolerances of the run.
#[derive(Debug)]
struct Order<const L: usize> {
    tableau: Tableau<L>,
    scaling: Scaling,
    fnewt: f64,
}

/// What the choice of the order looks at, beside the step itself.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    /// Failures of Newton's method since the last change of order.
    failures: u32,
    /// Accepted steps since the last change of order.
    since_change: u32,
    /// Newton iterations of the last attempt.
    iterations: u32,
    /// Accepted steps in a row whose iterations converged slowly.
    slow: u32,
    /// Norm of the last increment of Newton's method.
    increment: f64,
}

/// The integrator: its state, the linearisation in hand and its work space.
#[derive(Debug)]
pub struct Radau<const L: usize> {
    state: State,
    /// As Newton's method sees it.
    layout: Layout,
    options: Options,
    orders: Vec<Order<L>>,
    /// Which of them is in use.
    order: usize,
    /// That of the last accepted step: the next one may have another.
    accepted_order: usize,
    /// What happened since the last accepted step and the last change of order.
    evidence: Evidence,
    /// FACCON of the last Newton iteration.
    faccon: f64,
    rescue: Rescue,
    /// Where the Jacobian in hand belongs.
    linearized: Linearized,
    /// The linearised equations; factored, E1 and E2 are in hand.
    formulation: Linear<Formulation, Shifts>,
    rows: Rows,
    /// w, λ, μ at the end of steps, if Newton's method does not see gII and hI.
    closing: Option<Closing>,
    fx: JacobianBlocks,
    mass: Mass,
    stage_mass: Mass,
    /// The stage's mass matrix is that of x_k, for the error estimate.
    estimate_with_stage_mass: bool,
    renew_selectors: bool,
    singular: u32,
    stages: Stages<L>,
    work: Work<L>,
    /// Steps past rank losses of the constraints, and what is remembered for them.
    critical: Option<Box<critical::Critical<L>>>,
    /// That of the run before, for one that begins again.
    spare: Option<Box<critical::Critical<L>>>,
    memory: critical::Memory,
    /// Steps that are judged by a part of the tolerance.
    strict: critical::Strict,
    /// RTOL of the run, which may be larger than that of this method: errors of this size may have come before.
    rtol_of_run: f64,
}

impl<const L: usize> Method for Radau<L> {
    super::parts_of_its_own!();

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        let h = plan.h;
        self.weigh(h);
        self.evaluate_here(system)?;
        self.forget_end();
        self.work.end_valid = false;
        if self.follows_rank_loss(h) {
            return self.pass_or_stay(system, h);
        }
        match self.attempt_regular(system, h) {
            Err(setback) if self.meets_rank_loss(h, &setback) => self.pass_or_stay(system, h),
            outcome => outcome,
        }
    }

    fn attempted(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.state.x);
        self.stages.add_last(self.tableau().stages, x);
    }

    /// x_{k+1} = x_k + Z_3, the polynomial over the step; decide what is kept.
    #[inline(never)] // a part of `make profile`
    fn accept(&mut self, plan: &Plan, attempted: &Attempted) {
        let keep_jacobian = self.keeps_jacobian();
        self.accepted_order = self.order;
        let (state, tableau) = (&mut self.state, &self.orders[self.order].tableau);
        self.stages.add_last(tableau.stages, &mut state.x);
        if state.is_first() {
            self.leave_out_start();
        }
        let (state, tableau) = (&mut self.state, &self.orders[self.order].tableau);
        self.stages.polynomial(tableau, &state.x, &mut state.contx);
        state.nodes = tableau.of.newton_nodes;
        state.memory = Some(Memory::after(plan.h, attempted.err));
        let slow = control::is_slow(state.theta, self.evidence.iterations);
        self.evidence.slow = if slow { self.evidence.slow.saturating_add(1) } else { 0 };
        if self.is_critical() {
            self.state.stats.critical_steps += 1;
        } else {
            self.memory.leave();
            let fallen = self.has_fallen();
            self.memory.refusal.forget_behind(plan.t_new, fallen);
            if !fallen {
                self.choose_order(plan.next(attempted.next) / plan.h);
            }
        }
        self.take_end();
        self.take_measured_end();
        self.linearized = if keep_jacobian { Linearized::Elsewhere } else { Linearized::Nowhere };
        let stats = &mut self.state.stats;
        stats.jacobian_reused += u64::from(keep_jacobian);
        stats.invariants_suspended += u64::from(self.formulation.has_suspended_invariants());
    }

    fn complete(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Failure> {
        if self.is_critical() {
            return self.settle_critical_point(system, plan.h);
        }
        if self.formulation.deficiency() > 0 {
            self.minimise_multipliers(system, plan.h)?;
        }
        self.refuse_turn(plan.h)
    }

    fn reject(&mut self, why: Rejection) -> bool {
        let error_test = matches!(why, Rejection::ErrorTest { .. });
        // A rank loss says nothing of the order.
        let newton = !error_test && !matches!(why, Rejection::RankLoss { .. });
        self.evidence.failures = self.evidence.failures.saturating_add(u32::from(newton));
        self.renew_selectors |= !error_test;
        // What belongs to x_k does not depend on h and is kept (Remark 3.3).
        if self.linearized != Linearized::Here {
            self.linearized = Linearized::Nowhere;
        }
        self.singular += u32::from(why == Rejection::SingularMatrix);
        self.singular < MAX_SINGULAR
    }

    fn gap(&self) -> Option<f64> {
        self.refusal().time()
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        self.forget();
    }

    fn begin_again(&mut self, (t, x, h): (f64, &[f64], f64)) -> bool {
        self.order = self.orders.len() / 2;
        self.state.begin_again(t, x, h, self.orders[self.order].tableau.of.newton_nodes);
        self.evidence = Evidence::default();
        self.formulation.values().forget();
        self.mass.forget();
        self.stage_mass.forget();
        (self.estimate_with_stage_mass, self.singular) = (false, 0);
        // Redundancy is found anew.
        self.spare = self.critical.take().or_else(|| self.spare.take());
        self.memory = critical::Memory::default();
        self.forget();
        true
    }
}

/// Vectors used within a step.
#[derive(Debug)]
struct Work<const L: usize> {
    scal: Vec<f64>,
    /// 1/scal.
    weight: Vec<f64>,
    /// rhs(t_k, x_k), and whether it is up to date.
    here: Vec<f64>,
    here_valid: bool,
    /// Those at the end of the attempted step, if they were measured.
    end: Vec<f64>,
    end_valid: bool,
    rhs: Vec<f64>,
    err: Vec<f64>,
    delta: Vec<f64>,
    /// Rounding errors of the components.
    noise: Vec<f64>,
    block: Vec<f64>,
    lanes: LaneWork<L>,
    /// Right-hand side and solution of the error estimate.
    single_rhs: Vec<Lanes<1>>,
    single: Vec<Lanes<1>>,
    single_work: LaneWork<1>,
    /// As long as z.
    single_block: Vec<f64>,
}

impl<const L: usize> Radau<L> {
    /// At the initial point (t, x) with first step size h. `analytic`: the model supplies its Jacobian.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        (t, x, h): (f64, &[f64], f64),
    ) -> Self {
        let stages = options.order.stages();
        let orders: Vec<_> = stages.iter().map(|&s| Order::new(s, layout, options, tolerance)).collect();
        let middle = orders.len() / 2;
        let kind = options.decompose_constraints;
        let rtol_of_run = orders[0].scaling.rtol_user;
        let policy = RankPolicy::new(kind, analytic, rtol_of_run);
        let rows = Rows::new(layout, options, analytic, orders[0].scaling.typical.clone());
        let layout = &rows.newton_layout();
        let (n, m) = (layout.n, layout.m);
        let nq = layout.n3().max(layout.n4()).max(layout.n2()).max(1);
        let pairs = stages.iter().max().map_or(1, |s| s / 2);
        let kinds = (kind, options.decompose_differential);
        let formulation = Formulation::new(layout, kinds, policy, options.relax_invariants, pairs);
        let mut state = State::new(t, x, h, orders[middle].tableau.of.newton_nodes);
        state.make_room(L + 1);
        Radau {
            state,
            orders,
            // Where there is a choice begin in the middle: over the benchmark problems order 9 is the best single one.
            order: middle,
            accepted_order: middle,
            evidence: Evidence::default(),
            faccon: 1.0,
            rescue: Rescue::Refused,
            linearized: Linearized::Nowhere,
            closing: Closing::new(&rows, kind, policy),
            rows,
            fx: JacobianBlocks::new(layout),
            mass: Mass::new(layout, options.mass),
            stage_mass: Mass::new(layout, options.mass),
            estimate_with_stage_mass: false,
            renew_selectors: true,
            singular: 0,
            stages: Stages::new(layout),
            work: Work {
                scal: vec![1.0; n],
                weight: vec![1.0; n],
                here: vec![0.0; m],
                here_valid: false,
                end: vec![0.0; m],
                end_valid: false,
                rhs: vec![0.0; m],
                err: vec![0.0; n],
                delta: vec![0.0; n],
                noise: vec![0.0; n],
                block: vec![0.0; nq],
                lanes: LaneWork::new(&formulation),
                single_rhs: vec![[0.0]; m],
                single: vec![[0.0]; n],
                single_work: LaneWork::new(&formulation),
                single_block: vec![0.0; Formulation::largest_size(layout)],
            },
            critical: None,
            spare: None,
            memory: critical::Memory::default(),
            strict: critical::Strict::None,
            rtol_of_run,
            formulation: Linear::analysed(formulation),
            options: options.clone(),
            layout: *layout,
        }
    }

    /// What was learned from the last steps, but for their order and rate of convergence.
    fn forget(&mut self) {
        (self.faccon, self.linearized) = (1.0, Linearized::Nowhere);
        self.renew_selectors = true;
        self.formulation.discard();
        self.work.here_valid = false;
        self.memory = critical::Memory { best: self.memory.best, ..critical::Memory::default() };
        if let Some(critical) = &mut self.critical {
            critical.forget();
        }
    }

    fn order(&self) -> &Order<L> {
        &self.orders[self.order]
    }

    fn tableau(&self) -> &Tableau<L> {
        &self.orders[self.order].tableau
    }

    /// A critical step, or where it would leap over a gap one of the other kind. Where the gap is known that one has failed already, and
    /// a critical step is made if it stays on this side.
    fn pass_or_stay(&mut self, system: &mut dyn System, h: f64) -> Result<Attempted, Setback> {
        let known = self.memory.refusal.is_final();
        match self.attempt_critical(system, h) {
            Err(Setback::Reject { .. }) if !known && self.memory.refusal.is_final() => {
                self.attempt_regular(system, h)
            }
            outcome => outcome,
        }
    }

    /// A step with one linearisation for all stages.
    fn attempt_regular(&mut self, system: &mut dyn System, h: f64) -> Result<Attempted, Setback> {
        self.predict_stages(h);
        self.linearize(system, h)?;
        self.look_ahead(system, h)?;
        self.clear_undetermined();
        self.choose_selectors();
        self.decompose_reduced(h)?;
        self.evidence.iterations = self.solve_stages(system, h)?;
        self.correct_last_stage()?;
        let err = self.estimate_error(system, h)?;
        let err = self.judged(err);
        if err < 1.0 {
            self.confirm_constraints(system, h)?;
            self.determine_multipliers(system, h)?;
            return Ok(Attempted { err, next: self.next_step(h, err) });
        }
        let settled = self.settle_start(system);
        Err(self.error_too_large(h, err, settled))
    }

    /// The weights of the norm at x_k.
    fn weigh(&mut self, h: f64) {
        let scaling = &self.orders[self.order].scaling;
        scaling.weights(&self.layout, &self.state.x, h, &mut self.work.scal);
        for (w, s) in self.work.weight.iter_mut().zip(&self.work.scal) {
            *w = 1.0 / s;
        }
    }

    /// rhs(t_k, x_k), once per accepted point, for the error estimate.
    fn evaluate_here(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        if self.work.here_valid || self.options.fixed_step {
            return Ok(());
        }
        let state = &mut self.state;
        state.stats.neom += 1;
        let result = self.rows.eom(system, state.t, &state.x, &mut self.work.here);
        result.map_err(|trouble| self.setback(trouble))?;
        self.work.here_valid = true;
        Ok(())
    }

    /// Starting values of the stages (STARTN).
    fn predict_stages(&mut self, h: f64) {
        let last = self.can_extrapolate(h).then(|| self.state.dense());
        self.stages.predict(&self.orders[self.order].tableau, last, h);
        if self.memory.passed {
            self.stages.z[self.layout.x.multipliers.range()].fill([0.0; L]);
        }
    }

    /// True if the polynomial of the last step says where the stages of the next one are.
    fn can_extrapolate(&self, h: f64) -> bool {
        !self.state.is_first() && !self.options.zero_start && h <= FARTHEST * self.state.h_last
    }

    /// True if the Jacobian serves the next step too (THET).
    fn keeps_jacobian(&self) -> bool {
        self.state.theta <= self.options.thet
            && self.linearized != Linearized::Nowhere
            && self.options.newton_reference() == 0
            && self.formulation.deficiency() == 0
    }

    /// HNEW by the controller; kept within QUOT1..QUOT2 if that saves the decomposition of E1, E2.
    fn next_step(&self, h: f64, err: f64) -> f64 {
        let (state, options) = (&self.state, &self.options);
        if options.fixed_step {
            return state.h;
        }
        let iterations = self.evidence.iterations;
        let mut h_new = control::new_step(options, self.tableau().stages, state.memory, h, err, iterations);
        if state.rejected {
            h_new = h_new.min(h);
        }
        if options.stage_multipliers == StageMultipliers::Dynamics {
            h_new = h_new.min(h * control::growth_by_rate(state.theta, iterations, self.evidence.slow));
        }
        let quotient = h_new / h;
        if self.keeps_jacobian() && quotient >= options.quot1 && quotient <= options.quot2 {
            h_new = h;
        }
        h_new
    }

    /// With an automatic choice: another order, if Newton's method and the growth of the step size speak for it.
    fn choose_order(&mut self, growth: f64) {
        let Evidence { failures, since_change, iterations, .. } = self.evidence;
        self.evidence.since_change = since_change.saturating_add(1);
        if self.orders.len() == 1 {
            return;
        }
        let theta = self.state.theta;
        let seen = order::Evidence { theta, iterations, growth, failures, since_change };
        let order = order::choose(self.order, self.orders.len(), seen);
        if order != self.order {
            self.order = order;
            self.evidence = Evidence::default();
            // E1, E2, the controller's memory and FACCON belong to the old one.
            self.formulation.discard();
            self.state.memory = None;
            self.faccon = 1.0;
        }
    }
}

impl<const L: usize> Order<L> {
    fn new(stages: usize, layout: &Layout, options: &Options, tolerance: &Tolerance) -> Self {
        let scaling = Scaling::for_stages(tolerance, layout.n, stages);
        let (uround, invariants) = (options.uround, layout.dims.ni > 0);
        let fnewt = stopping_criterion(options.fnewt, uround, scaling.rtol_first, stages, invariants);
        Order { tableau: Tableau::new(stages), scaling, fnewt }
    }
}

/// a -= factor·b.
fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}
