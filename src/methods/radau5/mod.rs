//! Radau IIA of order 5 on the projected-strangeness-free form (GECORE).
//!
//! [`Radau5::step`] makes one accepted step; `attempt` is the method as a table of
//! contents. Numerical blocks live elsewhere: constraints and reduced systems in [`crate::formulation`], stage
//! vectors in [`super::stages`], monitor and controllers in [`crate::newton`] and [`crate::control`].

mod estimate;
mod iterate;
mod linearize;
mod report;
pub mod save;
mod start;

use super::stages::Stages;
use super::state::{Linearized, State};
use super::tableau::{Transformation, NODES};
use crate::control::{self, Memory};
use crate::dense;
use crate::error::{Attempt, Code, Failure, Rejection};
use crate::formulation::rank::RankPolicy;
use crate::formulation::Formulation;
use crate::jacobian::Differences;
use crate::layout::Layout;
use crate::linalg::{Complex, ComplexSolver, RealSolver};
use crate::model::{self, Mass};
use crate::newton::stopping_criterion;
use crate::norm::{dominating, Scaling, Tolerance};
use crate::options::Options;
use crate::system::{JacobianBlocks, System};

/// Consecutive singular Newton matrices after which the run ends.
const MAX_SINGULAR: u32 = 5;
/// A step that is longer than this times the last one does not inherit its rate of convergence.
const STRONG_GROWTH: f64 = 2.0;
/// A step that ends within this relative distance of TEND is stretched to it.
const STRETCH: f64 = 1.0001;

/// Why an attempt did not become a step.
enum Setback {
    /// Try again with h times `factor`.
    Reject { why: Rejection, factor: f64, component: Option<usize> },
    /// End of the run.
    Fatal(Box<Failure>),
}

/// Size and end of the step that is being tried.
#[derive(Clone, Copy, Debug)]
struct Plan {
    h: f64,
    t_new: f64,
    /// The proposal, if it was cut by more than a stretch to land on TEND.
    cut_from: Option<f64>,
}

/// What a successful attempt knows.
struct Success {
    err: f64,
    newt: u32,
}

/// The integrator: its state, the linearisation in hand and its work space.
#[derive(Debug)]
pub struct Radau5 {
    /// State between steps.
    pub state: State,
    layout: Layout,
    options: Options,
    scaling: Scaling,
    transformation: Transformation,
    fnewt: f64,
    analytic: bool,
    formulation: Formulation,
    differences: Differences,
    fx: JacobianBlocks,
    mass: Mass,
    stage_mass: Mass,
    /// The stage's mass matrix is that of x_k, for the error estimate.
    estimate_with_stage_mass: bool,
    e1: RealSolver,
    e2: ComplexSolver,
    renew_selectors: bool,
    /// Step size for which E1 and E2 are in hand; 0 = none.
    decomposed_for: f64,
    singular: u32,
    stages: Stages,
    work: Work,
}

/// Vectors used within a step.
#[derive(Debug)]
struct Work {
    scal: Vec<f64>,
    /// rhs(t_k, x_k), and whether it is up to date.
    here: Vec<f64>,
    here_valid: bool,
    rhs: Vec<f64>,
    err: Vec<f64>,
    delta: Vec<f64>,
    /// Rounding errors of the components.
    noise: Vec<f64>,
    block: Vec<f64>,
    product: Vec<f64>,
    z_re: Vec<f64>,
    z_im: Vec<f64>,
    z_complex: Vec<Complex>,
}

impl Radau5 {
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
        let scaling = Scaling::new(tolerance, n);
        let kind = options.decompose_constraints;
        let policy = RankPolicy::new(kind, analytic, scaling.rtol_user);
        let nz = layout.n3() + layout.n4() + layout.n2() + layout.n1();
        let nq = layout.n3().max(layout.n4()).max(layout.n2()).max(1);
        Radau5 {
            state: State::new(t, x, h),
            fnewt: stopping_criterion(options.fnewt, options.uround, scaling.rtol_first, layout.dims.ni > 0),
            scaling,
            transformation: Transformation::new(),
            analytic,
            formulation: Formulation::new(layout, kind, policy, options.relax_invariants),
            differences: Differences::new(layout),
            fx: JacobianBlocks::new(layout),
            mass: Mass::new(layout, options.mass),
            stage_mass: Mass::new(layout, options.mass),
            estimate_with_stage_mass: false,
            e1: RealSolver::new(options.decompose_differential, nz),
            e2: ComplexSolver::new(options.decompose_differential, nz),
            renew_selectors: true,
            decomposed_for: 0.0,
            singular: 0,
            stages: Stages::new(layout),
            work: Work {
                scal: vec![1.0; n],
                here: vec![0.0; m],
                here_valid: false,
                rhs: vec![0.0; m],
                err: vec![0.0; n],
                delta: vec![0.0; n],
                noise: vec![0.0; n],
                block: vec![0.0; nq],
                product: vec![0.0; nq],
                z_re: vec![0.0; nz],
                z_im: vec![0.0; nz],
                z_complex: vec![Complex::default(); nz],
            },
            options: options.clone(),
            layout: *layout,
        }
    }

    /// True if the model supplies its Jacobian.
    pub fn is_analytic(&self) -> bool {
        self.analytic
    }

    /// Go on from another point, with the step size in hand.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        self.renew_selectors = true;
        self.decomposed_for = 0.0;
        self.work.here_valid = false;
    }

    /// One accepted step towards `tend`.
    pub fn step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        loop {
            let plan = self.plan(tend)?;
            match self.attempt(system, plan.h) {
                Ok(success) => return self.accept(system, plan, &success),
                Err(Setback::Reject { why, factor, component }) => {
                    self.reject(plan.h, why, factor, component)?;
                }
                Err(Setback::Fatal(failure)) => return Err(*failure),
            }
        }
    }

    /// Step size of the next attempt, limits checked, end of the interval met exactly.
    fn plan(&self, tend: f64) -> Result<Plan, Failure> {
        let state = &self.state;
        if state.stats.nstep() >= self.options.nmax {
            let detail =
                format!("{} steps made, {} of them accepted", state.stats.nstep(), state.stats.naccpt);
            return Err(self.failure(Code::TooManySteps, detail));
        }
        let left = tend - state.t;
        if self.options.fixed_step {
            // t_0 + k·h, so that rounding does not add up.
            let t_new = state.t_start + (state.since_start + 1) as f64 * state.h;
            let last = t_new >= tend - 1e-6 * state.h;
            let (h, t_new) = if last { (left, tend) } else { (state.h, t_new) };
            return Ok(Plan { h, t_new, cut_from: None });
        }
        let h = state.h.min(self.options.hmax.unwrap_or(f64::INFINITY));
        // Below this size t + c_i h is no longer resolved; around t = 0 the length of the run counts.
        let resolution = state.t.abs().max(1e-6 * (tend - state.t_start));
        if 0.1 * h <= self.options.uround * resolution {
            return Err(self.step_too_small(h));
        }
        if h * STRETCH >= left {
            let cut_from = (h > left * STRETCH).then_some(h);
            return Ok(Plan { h: left, t_new: tend, cut_from });
        }
        Ok(Plan { h, t_new: state.t + h, cut_from: None })
    }

    /// One attempt with step size h.
    fn attempt(&mut self, system: &mut dyn System, h: f64) -> Result<Success, Setback> {
        self.scaling.weights(&self.layout, &self.state.x, h, &mut self.work.scal);
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
            control::new_step(&self.options, None, h, err, newt) / h
        };
        let component = dominating(&self.work.err, &self.work.scal);
        Err(Setback::Reject { why: Rejection::ErrorTest { err }, factor, component })
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
        let state = &self.state;
        let extrapolate = !state.is_first() && !self.options.zero_start;
        self.stages.predict(extrapolate.then_some(&state.contx[..]), h, state.h_last);
    }

    /// Make the attempt the new point; choose the next step size; decide what is kept.
    fn accept(&mut self, system: &mut dyn System, plan: Plan, success: &Success) -> Result<(), Failure> {
        let h = plan.h;
        let keep_jacobian = self.state.theta <= self.options.thet
            && self.state.linearized != Linearized::Nowhere
            && self.options.newton_reference == 0
            && self.formulation.deficiency() == 0;
        self.advance(plan);
        self.choose_next_step(plan, success, keep_jacobian);
        self.state.memory = Some(Memory::after(h, success.err));
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
        let state = &mut self.state;
        let [z1, z2, z3] = &self.stages.z;
        for (x, z) in state.x.iter_mut().zip(z3) {
            *x += z;
        }
        dense::coefficients(&state.x, z1, z2, z3, &mut state.contx);
        (state.t_old, state.t, state.h_last) = (state.t, plan.t_new, plan.h);
        state.stats.naccpt += 1;
        state.since_start += 1;
    }

    /// HNEW by the controller; kept within QUOT1..QUOT2 if that saves the decomposition of E1, E2.
    fn choose_next_step(&mut self, plan: Plan, success: &Success, keep_jacobian: bool) {
        if self.options.fixed_step {
            return;
        }
        let (state, options) = (&mut self.state, &self.options);
        let mut h_new = control::new_step(options, state.memory, plan.h, success.err, success.newt);
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
        self.scaling.weights(&self.layout, &self.state.x, h, &mut self.work.scal);
        match self.linearize_at(system, None, h) {
            Ok(()) => {}
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // Not evaluable now: the next attempt meets it again and shortens the step.
            Err(Setback::Reject { .. }) => return Ok(()),
        }
        let state = &mut self.state;
        self.formulation.minimum_norm_correction(&state.x, &mut self.work.delta);
        for (z, c) in self.stages.z.iter_mut().zip(NODES) {
            // The stages have none of it at x_k, the end must have none at x_{k+1}: interpolate.
            subtract(z, -c, &self.work.delta);
        }
        subtract(&mut state.x, -1.0, &self.work.delta);
        let [z1, z2, z3] = &self.stages.z;
        dense::coefficients(&state.x, z1, z2, z3, &mut state.contx);
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
        let state = &mut self.state;
        let stats = &mut state.stats;
        if let Rejection::ErrorTest { .. } = why {
            stats.nerjct += 1;
        } else {
            stats.ncrjct += 1;
            self.renew_selectors = true;
        }
        match why {
            Rejection::ErrorTest { .. } => {}
            Rejection::Newton { .. } => stats.rejected_newton += 1,
            Rejection::SingularMatrix => {
                stats.rejected_singular += 1;
                self.singular += 1;
            }
            Rejection::NotFinite => stats.rejected_not_finite += 1,
            Rejection::Model => stats.rejected_by_model += 1,
        }
        state.history.push(Attempt { t: state.t, h, why, component });
        state.rejected = true;
        state.h = h * factor;
        // What belongs to x_k does not depend on h and is kept (Remark 3.3).
        if state.linearized != Linearized::Here {
            state.linearized = Linearized::Nowhere;
        }
        if self.singular >= MAX_SINGULAR {
            return Err(self.failure(self.final_code(why), String::new()));
        }
        if self.options.fixed_step {
            state.h = h;
            let detail = "the step size is constant (IOPT(19)=1) and cannot be reduced".to_string();
            return Err(self.failure(self.final_code(why), detail));
        }
        Ok(())
    }
}

/// a -= factor·b.
fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}
