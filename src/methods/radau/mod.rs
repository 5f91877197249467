//! Radau IIA of orders 5, 9 and 13 on the projected-strangeness-free form (GECORE).
//!
//! [`Method::step`] makes one accepted step; `attempt` is the method as a table of
//! contents. Numerical blocks live elsewhere: constraints and reduced systems in [`crate::formulation`], stage
//! vectors in [`stages`], monitor and controllers in [`crate::newton`] and [`crate::control`].

mod coefficients;
mod estimate;
mod iterate;
mod linearize;
mod order;
mod report;
mod save;
pub mod stages;
mod start;
pub mod tableau;

use super::plan::{self, Plan, Setback};
use super::save::BadState;
use super::state::{Linearized, State};
use super::Method;
use crate::control::{self, Memory};
use crate::error::{Code, Failure, Rejection};
use crate::formulation::rank::RankPolicy;
use crate::formulation::{Formulation, LaneWork};
use crate::jacobian::Differences;
use crate::layout::Layout;
use crate::linalg::lanes::Lanes;
use crate::linalg::{Complex, ComplexSolver, RealSolver};
use crate::model::{self, Mass};
use crate::newton::stopping_criterion;
use crate::norm::{dominating, Scaling, Tolerance};
use crate::options::Options;
use crate::system::{JacobianBlocks, System};
use stages::Stages;
use tableau::Tableau;

/// Consecutive singular Newton matrices after which the run ends.
const MAX_SINGULAR: u32 = 5;
/// A step that is longer than this times the last one does not inherit its rate of convergence.
const STRONG_GROWTH: f64 = 2.0;
/// What a successful attempt knows.
struct Success {
    err: f64,
    newt: u32,
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
}

/// The integrator: its state, the linearisation in hand and its work space.
#[derive(Debug)]
pub struct Radau<const L: usize> {
    state: State,
    layout: Layout,
    options: Options,
    orders: Vec<Order<L>>,
    /// Which of them is in use.
    order: usize,
    /// What happened since the last accepted step and the last change of order.
    evidence: Evidence,
    analytic: bool,
    formulation: Formulation,
    differences: Differences,
    fx: JacobianBlocks,
    mass: Mass,
    stage_mass: Mass,
    /// The stage's mass matrix is that of x_k, for the error estimate.
    estimate_with_stage_mass: bool,
    e1: RealSolver,
    e2: Vec<ComplexSolver>,
    renew_selectors: bool,
    /// Step size for which E1 and E2 are in hand; 0 = none.
    decomposed_for: f64,
    singular: u32,
    stages: Stages<L>,
    work: Work<L>,
}

impl<const L: usize> Method for Radau<L> {
    fn state(&self) -> &State {
        &self.state
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        self.first_step(system, tend)
    }

    fn step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        loop {
            let plan = plan::plan(&self.state, &self.layout, &self.options, tend)?;
            match self.attempt(system, plan.h) {
                Ok(success) => return self.accept(system, plan, &success),
                Err(Setback::Reject { why, factor, component }) => {
                    self.reject(plan.h, why, factor, component)?;
                }
                Err(Setback::Fatal(failure)) => return Err(*failure),
            }
        }
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        self.renew_selectors = true;
        self.decomposed_for = 0.0;
        self.work.here_valid = false;
    }

    fn begin_again(&mut self, (t, x, h): (f64, &[f64], f64)) -> bool {
        self.order = self.orders.len() / 2;
        self.state.begin_again(t, x, h, self.orders[self.order].tableau.of.newton_nodes);
        self.evidence = Evidence::default();
        self.formulation.forget();
        self.mass.forget();
        self.stage_mass.forget();
        (self.renew_selectors, self.estimate_with_stage_mass) = (true, false);
        (self.decomposed_for, self.singular) = (0.0, 0);
        self.work.here_valid = false;
        true
    }

    fn save(&self) -> Vec<u8> {
        self.saved()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        self.put_back(saved)
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
    rhs: Vec<f64>,
    err: Vec<f64>,
    delta: Vec<f64>,
    /// Rounding errors of the components.
    noise: Vec<f64>,
    block: Vec<f64>,
    z: Vec<Lanes<L>>,
    z_real: Vec<f64>,
    z_complex: Vec<Complex>,
    lanes: LaneWork<L>,
    /// Right-hand side, solution and reduced solution of the error estimate.
    single_rhs: Vec<Lanes<1>>,
    single: Vec<Lanes<1>>,
    single_z: Vec<Lanes<1>>,
    single_work: LaneWork<1>,
}

impl<const L: usize> Radau<L> {
    /// An integrator at the initial point (t, x) with first step size h. `analytic` says whether the model
    /// supplies its Jacobian.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        (t, x, h): (f64, &[f64], f64),
    ) -> Self {
        let (n, m) = (layout.n, layout.m);
        let stages = options.order.stages();
        let orders: Vec<_> = stages.iter().map(|&s| Order::new(s, layout, options, tolerance)).collect();
        let middle = orders.len() / 2;
        let kind = options.decompose_constraints;
        let policy = RankPolicy::new(kind, analytic, orders[0].scaling.rtol_user);
        let nz = Formulation::largest_size(layout);
        let nq = layout.n3().max(layout.n4()).max(layout.n2()).max(1);
        let pairs = stages.iter().max().map_or(1, |s| s / 2);
        let kinds = (kind, options.decompose_differential);
        let formulation = Formulation::new(layout, kinds, policy, options.relax_invariants);
        let mut state = State::new(t, x, h, orders[middle].tableau.of.newton_nodes);
        state.make_room(L + 1);
        Radau {
            state,
            orders,
            // Where there is a choice begin in the middle: over the benchmark problems order 9 is the best single one.
            order: middle,
            evidence: Evidence::default(),
            analytic,
            differences: Differences::new(layout),
            fx: JacobianBlocks::new(layout),
            mass: Mass::new(layout, options.mass),
            stage_mass: Mass::new(layout, options.mass),
            estimate_with_stage_mass: false,
            e1: RealSolver::new(options.decompose_differential, nz),
            e2: (0..pairs).map(|_| ComplexSolver::new(options.decompose_differential, nz)).collect(),
            renew_selectors: true,
            decomposed_for: 0.0,
            singular: 0,
            stages: Stages::new(layout),
            work: Work {
                scal: vec![1.0; n],
                weight: vec![1.0; n],
                here: vec![0.0; m],
                here_valid: false,
                rhs: vec![0.0; m],
                err: vec![0.0; n],
                delta: vec![0.0; n],
                noise: vec![0.0; n],
                block: vec![0.0; nq],
                z: vec![[0.0; L]; nz],
                z_real: vec![0.0; nz],
                z_complex: vec![Complex::default(); nz],
                lanes: LaneWork::new(&formulation),
                single_rhs: vec![[0.0]; m],
                single: vec![[0.0]; n],
                single_z: vec![[0.0]; nz],
                single_work: LaneWork::new(&formulation),
            },
            formulation,
            options: options.clone(),
            layout: *layout,
        }
    }

    /// One attempt with step size h.
    fn attempt(&mut self, system: &mut dyn System, h: f64) -> Result<Success, Setback> {
        self.weigh(h);
        self.evaluate_here(system)?;
        self.predict_stages(h);
        self.linearize(system, h)?;
        self.clear_undetermined();
        self.choose_selectors();
        self.decompose_reduced(h)?;
        let newt = self.solve_stages(system, h)?;
        let err = self.estimate_error(system, h)?;
        if err < 1.0 {
            return Ok(Success { err, newt });
        }
        let factor = if self.state.is_first() {
            0.1
        } else {
            // The predictive controller speaks only of accepted steps.
            control::new_step(&self.options, self.tableau().stages, None, h, err, newt) / h
        };
        let component = dominating(&self.work.err, &self.work.scal);
        Err(Setback::Reject { why: Rejection::ErrorTest { err }, factor, component })
    }

    fn order(&self) -> &Order<L> {
        &self.orders[self.order]
    }

    fn tableau(&self) -> &Tableau<L> {
        &self.orders[self.order].tableau
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
        let result = model::eom(system, Code::StoppedByEom, state.t, &state.x, &mut self.work.here);
        result.map_err(|trouble| self.setback(trouble))?;
        self.work.here_valid = true;
        Ok(())
    }

    /// Starting values of the stages (STARTN).
    fn predict_stages(&mut self, h: f64) {
        let extrapolate = !self.state.is_first() && !self.options.zero_start;
        let last = extrapolate.then(|| self.state.dense());
        self.stages.predict(&self.orders[self.order].tableau, last, h);
    }

    /// Make the attempt the new point; choose the next step size; decide what is kept.
    #[inline(never)] // a part of `make profile`
    fn accept(&mut self, system: &mut dyn System, plan: Plan, success: &Success) -> Result<(), Failure> {
        let h = plan.h;
        let keep_jacobian = self.state.theta <= self.options.thet
            && self.state.linearized != Linearized::Nowhere
            && self.options.newton_reference() == 0
            && self.formulation.deficiency() == 0;
        self.advance(plan);
        self.choose_next_step(plan, success, keep_jacobian);
        self.state.memory = Some(Memory::after(h, success.err));
        self.choose_order(plan, success);
        (self.state.rejected, self.state.restarted) = (false, false);
        self.state.history.consecutive = 0;
        self.work.here_valid = false;
        self.state.linearized = if keep_jacobian { Linearized::Elsewhere } else { Linearized::Nowhere };
        if keep_jacobian {
            self.state.stats.jacobian_reused += 1;
        }
        if self.formulation.has_suspended_invariants() {
            self.state.stats.invariants_suspended += 1;
        }
        if self.formulation.deficiency() > 0 {
            self.minimise_multipliers(system, h)?;
        }
        Ok(())
    }

    /// x_{k+1} = x_k + Z_3 and the polynomial over the step.
    fn advance(&mut self, plan: Plan) {
        let (state, tableau) = (&mut self.state, &self.orders[self.order].tableau);
        for (x, z) in state.x.iter_mut().zip(&self.stages.z) {
            *x += z[tableau.stages - 1];
        }
        self.stages.polynomial(tableau, &state.x, &mut state.contx);
        state.nodes = tableau.of.newton_nodes;
        (state.t_old, state.t, state.h_last) = (state.t, plan.t_new, plan.h);
        state.stats.naccpt += 1;
        state.since_start += 1;
    }

    /// With an automatic choice: another order, if Newton's method and the step size speak for it.
    fn choose_order(&mut self, plan: Plan, success: &Success) {
        let Evidence { failures, since_change } = self.evidence;
        self.evidence.since_change = since_change.saturating_add(1);
        if self.orders.len() == 1 {
            return;
        }
        let seen = order::Evidence {
            theta: self.state.theta,
            iterations: success.newt,
            growth: self.state.h / plan.h,
            failures,
            since_change,
        };
        let order = order::choose(self.order, self.orders.len(), seen);
        if order != self.order {
            self.order = order;
            self.evidence = Evidence::default();
            // E1, E2, the controller's memory and FACCON belong to the old one.
            self.decomposed_for = 0.0;
            self.state.memory = None;
            self.state.faccon = 1.0;
        }
    }

    /// HNEW by the controller; kept within QUOT1..QUOT2 if that saves the decomposition of E1, E2.
    fn choose_next_step(&mut self, plan: Plan, success: &Success, keep_jacobian: bool) {
        if self.options.fixed_step {
            return;
        }
        let (state, options) = (&mut self.state, &self.options);
        let stages = self.orders[self.order].tableau.stages;
        let mut h_new = control::new_step(options, stages, state.memory, plan.h, success.err, success.newt);
        if state.rejected {
            h_new = h_new.min(plan.h);
        }
        let quotient = h_new / plan.h;
        if keep_jacobian && quotient >= options.quot1 && quotient <= options.quot2 {
            h_new = plan.h;
        }
        state.h = plan.cut_from.unwrap_or(h_new);
    }

    /// Redundant constraints leave the multipliers undetermined: take those of minimum norm. They are
    /// found in the row space of FX1 at the new point, whose linearisation serves the next step.
    fn minimise_multipliers(&mut self, system: &mut dyn System, h: f64) -> Result<(), Failure> {
        self.weigh(h);
        match self.linearize_at(system, None, h) {
            Ok(()) => {}
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // Not evaluable now: the next attempt meets it again and shortens the step.
            Err(Setback::Reject { .. }) => return Ok(()),
        }
        let state = &mut self.state;
        self.formulation.minimum_norm_correction(&state.x, &mut self.work.delta);
        let tableau = &self.orders[self.order].tableau;
        for (z, d) in self.stages.z.iter_mut().zip(&self.work.delta) {
            // The stages have none of it at x_k, the end must have none at x_{k+1}: interpolate.
            z.iter_mut().zip(&tableau.nodes).for_each(|(z, c)| *z += c * d);
        }
        subtract(&mut state.x, -1.0, &self.work.delta);
        self.stages.polynomial(tableau, &state.x, &mut state.contx);
        Ok(())
    }

    /// Count a rejection and prepare the next attempt.
    fn reject(
        &mut self,
        h: f64,
        why: Rejection,
        factor: f64,
        component: Option<usize>,
    ) -> Result<(), Failure> {
        let error_test = matches!(why, Rejection::ErrorTest { .. });
        self.evidence.failures = self.evidence.failures.saturating_add(u32::from(!error_test));
        self.renew_selectors |= !error_test;
        plan::reject(&mut self.state, &self.layout, &self.options, h, (why, factor, component))?;
        if why == Rejection::SingularMatrix {
            self.singular += 1;
        }
        if self.singular >= MAX_SINGULAR {
            return Err(self.failure(plan::final_code(&self.options, why), String::new()));
        }
        Ok(())
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
