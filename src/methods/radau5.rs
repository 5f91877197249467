//! Radau IIA of order 5 on the projected-strangeness-free form (GECORE).
//!
//! [`Radau5::step`] makes one accepted step; `attempt` is the method as a table of
//! contents. Numerical blocks live elsewhere: constraints and reduced systems in [`crate::formulation`], stage
//! vectors in [`super::stages`], monitor and controllers in [`crate::newton`] and [`crate::control`].

use super::stages::Stages;
use super::state::{Linearized, State};
use super::tableau::{Transformation, NODES};
use crate::control::{self, Memory};
use crate::decompose::DecompositionKind;
use crate::dense;
use crate::error::{Attempt, Code, Failure, Rejection};
use crate::formulation::rank::RankPolicy;
use crate::formulation::{Deficiency, Formulation};
use crate::jacobian::Differences;
use crate::layout::Layout;
use crate::linalg::{Complex, ComplexSolver, RealSolver, SolverKind};
use crate::model::{self, Mass, Trouble};
use crate::newton::{stopping_criterion, Monitor, Verdict};
use crate::norm::{dominating, weighted_rms, weighted_square, Scaling, Tolerance};
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
            let t_new = state.t_start + (state.stats.naccpt + 1) as f64 * state.h;
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

    /// Jacobian, mass matrix and predecomposition, unless those in hand can be used.
    fn linearize(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if self.state.linearized != Linearized::Nowhere {
            return Ok(());
        }
        let reference = self.options.newton_reference;
        if reference == 0 || self.state.is_first() {
            self.linearize_at(system, None, h)
        } else {
            self.linearize_at(system, Some(usize::from(reference) - 1), h)
        }
    }

    /// Linearise at x_k, or at the current iterate of a stage.
    fn linearize_at(&mut self, system: &mut dyn System, stage: Option<usize>, h: f64) -> Result<(), Setback> {
        let mut x = std::mem::take(&mut self.work.delta);
        let (t, here) = match stage {
            None => {
                x.copy_from_slice(&self.state.x);
                (self.state.t, Linearized::Here)
            }
            Some(i) => {
                x.copy_from_slice(self.stages.stage(i, &self.state.x));
                (self.state.t + NODES[i] * h, Linearized::Elsewhere)
            }
        };
        self.state.linearized = Linearized::Nowhere;
        let result = self.evaluate_matrices(system, t, &x);
        self.work.delta = x;
        result.map_err(|trouble| self.setback(trouble))?;
        self.state.stats.npdec += 1;
        self.decomposed_for = 0.0;
        if let Err(deficiency) = self.formulation.predecompose(&self.fx, &self.work.scal) {
            // A singular extrapolated point may be avoided by a smaller step; a singular x_k cannot.
            return match stage {
                None => Err(Setback::Fatal(Box::new(self.rank_failure(&deficiency)))),
                Some(_) => {
                    let why = Rejection::SingularMatrix;
                    Err(Setback::Reject { why, factor: 0.5, component: None })
                }
            };
        }
        self.formulation.apply_mass(&self.mass, &mut self.state.stats.mass_multiplications);
        self.state.linearized = here;
        Ok(())
    }

    /// Redundant constraints leave a part of the multipliers undetermined. Newton's method does not see it, so
    /// extrapolation would amplify its rounding errors from step to step: remove it from the starting values.
    fn clear_undetermined(&mut self) {
        if self.formulation.deficiency() == 0 {
            return;
        }
        for i in 0..3 {
            self.stages.stage(i, &self.state.x);
            self.formulation.minimum_norm_correction(&self.stages.x, &mut self.work.delta);
            subtract(&mut self.stages.z[i], -1.0, &self.work.delta);
        }
    }

    fn evaluate_matrices(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<(), Trouble> {
        let stats = &mut self.state.stats;
        if self.analytic {
            model::jacobian(system, t, x, &mut self.fx, &mut stats.njac)?;
        } else {
            stats.njac += 1;
            let central = self.options.decompose_constraints == DecompositionKind::Svd;
            self.differences.evaluate(
                system,
                &self.layout,
                Code::StoppedByEomInDifferences,
                central,
                (t, x),
                &self.scaling.typical,
                &mut self.fx,
                &mut stats.eom_for_differences,
            )?;
        }
        self.mass.evaluate(system, t, x, &mut stats.nmas)
    }

    /// Selectors S_p, S_v (SELCOMP), and the reduced matrices B and C.
    fn choose_selectors(&mut self) {
        if self.decomposed_for != 0.0 && !self.renew_selectors {
            return;
        }
        let keep = !self.renew_selectors
            && !self.options.selectors_every_step
            && self.options.decompose_differential == SolverKind::Lu
            && self.formulation.watches_pivots()
            && self.formulation.selectors_fit();
        let changed = self.formulation.pivots_changed();
        let poor = keep && !changed && self.formulation.selectors_poor(&self.fx);
        if !keep || changed || poor {
            if keep && changed {
                self.state.stats.pivot_changes += 1;
            }
            if poor {
                self.state.stats.selectors_poor += 1;
            }
            self.formulation.select(&self.fx);
            self.state.stats.nsel += 1;
        }
        self.renew_selectors = false;
        self.decomposed_for = 0.0;
        self.formulation.reduce(&self.fx);
    }

    /// E1 and E2 (GEDECDLU), unless those in hand belong to this step size.
    fn decompose_reduced(&mut self, h: f64) -> Result<(), Setback> {
        if self.decomposed_for == h {
            return Ok(());
        }
        self.state.stats.nedec += 1;
        let (nz, tr) = (self.formulation.reduced_size(), &self.transformation);
        self.e1.resize(nz);
        self.e2.resize(nz);
        self.formulation.real_matrix(tr.gamma / h, self.e1.matrix_mut());
        let theta = Complex { re: tr.alpha / h, im: tr.beta / h };
        self.formulation.complex_matrix(theta, self.e2.matrix_mut());
        if self.e1.factor().is_err() || self.e2.factor().is_err() {
            self.decomposed_for = 0.0;
            let why = Rejection::SingularMatrix;
            return Err(Setback::Reject { why, factor: 0.5, component: None });
        }
        self.decomposed_for = h;
        self.singular = 0;
        Ok(())
    }

    /// Simplified Newton iteration for the stages; returns the number of iterations.
    fn solve_stages(&mut self, system: &mut dyn System, h: f64) -> Result<u32, Setback> {
        let new_monitor = |faccon| {
            Monitor::new(self.options.nit, self.fnewt, self.options.uround, faccon, self.options.thet.abs())
        };
        // The rate of the last step says little about a step of quite another size: begin as in the first one.
        let grown = h > STRONG_GROWTH * self.state.h_last;
        let mut monitor = new_monitor(if grown { 1.0 } else { self.state.faccon });
        let fresh = new_monitor(1.0);
        let mut updates = self.options.newton_updates;
        self.stages.transform(&self.transformation);
        loop {
            self.evaluate_residuals(system, h)?;
            self.solve_increments(h);
            self.state.stats.nbsub += 1;
            let norm = self.increment_norm();
            let verdict = monitor.judge(norm);
            self.state.theta = monitor.theta;
            match verdict {
                Verdict::Continue => self.stages.update(&self.transformation),
                Verdict::Converged => {
                    self.stages.update(&self.transformation);
                    self.state.faccon = monitor.faccon;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged if updates > 0 => {
                    updates -= 1;
                    self.update_newton_matrix(system, h)?;
                    monitor = fresh;
                }
                Verdict::Slow { factor } => return Err(self.newton_failed(factor)),
                Verdict::Diverged => return Err(self.newton_failed(0.5)),
            }
        }
    }

    fn newton_failed(&self, factor: f64) -> Setback {
        let component = self.stages.dw.iter().find_map(|dw| dominating(dw, &self.work.scal));
        Setback::Reject { why: Rejection::Newton { theta: self.state.theta }, factor, component }
    }

    /// New Newton matrix at the current iterate (NWTUPD): at the stage of NWTMAT, or the middle one.
    fn update_newton_matrix(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let stage = match self.options.newton_reference {
            0 => 1,
            i => usize::from(i) - 1,
        };
        self.state.stats.newton_updates += 1;
        self.linearize_at(system, Some(stage), h)?;
        self.choose_selectors();
        self.decompose_reduced(h)
    }

    /// b = T⁻¹R with R_i = rhs(X_i) - M_i·(A⁻¹Z)_i/h, M_i the mass matrix OF THAT STAGE: with M(x_k)
    /// in all stages the order would fall from 5 to 1 for a mass matrix that depends on positions.
    fn evaluate_residuals(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let varying = !self.options.mass.is_constant();
        let l = self.layout;
        for (i, c) in NODES.iter().enumerate() {
            let t = self.state.t + c * h;
            self.stages.stage(i, &self.state.x);
            self.state.stats.neom += 1;
            let r = &mut self.stages.r[i];
            let mut result = model::eom(system, Code::StoppedByEom, t, &self.stages.x, r);
            if result.is_ok() && varying {
                result = self.stage_mass.evaluate(system, t, &self.stages.x, &mut self.state.stats.nmas);
            }
            result.map_err(|trouble| self.setback(trouble))?;
            if varying {
                let (block, product) = (&mut self.work.block[..l.n3()], &mut self.work.product[..l.n3()]);
                self.stages.derivative(&self.transformation, i, h, l.x.v, block);
                self.stage_mass.mul(1, block, product, &mut self.state.stats.mass_multiplications);
                subtract(l.rda.f_dyn.of_mut(&mut self.stages.r[i]), 1.0, product);
            }
        }
        self.stages.transform_residuals(&self.transformation);
        self.subtract_derivatives(h, !varying);
        Ok(())
    }

    /// The part of the residuals that is linear in W: Λ·W/h on r and p, and M·Λ·W/h on v if M is constant.
    fn subtract_derivatives(&mut self, h: f64, velocities: bool) {
        let l = self.layout;
        let tr = &self.transformation;
        let (gamma, alpha, beta) = (tr.gamma / h, tr.alpha / h, tr.beta / h);
        for (rows, block, with_mass) in
            [(l.rda.b, l.x.r, false), (l.rda.f_kin, l.x.p, false), (l.rda.f_dyn, l.x.v, true)]
        {
            if block.is_empty() || (with_mass && !velocities) {
                continue;
            }
            for (j, terms) in
                [[(0, gamma), (0, 0.0)], [(1, alpha), (2, -beta)], [(2, alpha), (1, beta)]].iter().enumerate()
            {
                let out = &mut self.work.block[..block.len()];
                out.fill(0.0);
                for &(k, factor) in terms {
                    if factor != 0.0 {
                        subtract(out, -factor, block.of(&self.stages.w[k]));
                    }
                }
                if with_mass {
                    let product = &mut self.work.product[..block.len()];
                    self.mass.mul(1, out, product, &mut self.state.stats.mass_multiplications);
                    subtract(rows.of_mut(&mut self.stages.r[j]), 1.0, product);
                } else {
                    subtract(rows.of_mut(&mut self.stages.r[j]), 1.0, out);
                }
            }
        }
    }

    /// ΔW from the real and the complex system.
    fn solve_increments(&mut self, h: f64) {
        let nz = self.formulation.reduced_size();
        let tr = &self.transformation;
        let theta = Complex { re: tr.alpha / h, im: tr.beta / h };
        let gamma = tr.gamma / h;
        let count = &mut self.state.stats.mass_multiplications;
        let (form, fx, mass) = (&mut self.formulation, &self.fx, &self.mass);
        let [b1, b2, b3] = &self.stages.r;
        let [dw1, dw2, dw3] = &mut self.stages.dw;
        let (re, im) = (&mut self.work.z_re[..nz], &mut self.work.z_im[..nz]);

        form.particular(fx, b1, dw1);
        form.real_rhs(mass, gamma, b1, dw1, re, count);
        self.e1.solve(re);
        form.substitute(re, dw1);

        form.particular(fx, b2, dw2);
        form.particular(fx, b3, dw3);
        form.complex_rhs(mass, theta, (b2, b3), (dw2, dw3), re, im, count);
        let z = &mut self.work.z_complex[..nz];
        for ((z, re), im) in z.iter_mut().zip(re.iter()).zip(im.iter()) {
            *z = Complex { re: *re, im: *im };
        }
        self.e2.solve(z);
        for ((z, re), im) in z.iter().zip(re.iter_mut()).zip(im.iter_mut()) {
            (*re, *im) = (z.re, z.im);
        }
        form.substitute(re, dw2);
        form.substitute(im, dw3);
    }

    /// ‖ΔW‖ over all three stages, (19).
    fn increment_norm(&self) -> f64 {
        let sum: f64 = self.stages.dw.iter().map(|dw| weighted_square(dw, &self.work.scal)).sum();
        (sum / (3 * self.layout.n) as f64).sqrt()
    }

    /// Norm of the error estimate (GEERREST): E1-solve of M·(e·Z)/h + rhs(x_k). If it is too large in the first
    /// step or after a rejection, it is filtered once more with rhs(x_k + err).
    fn estimate_error(&mut self, system: &mut dyn System, h: f64) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(0.0);
        }
        self.work.rhs.copy_from_slice(&self.work.here);
        self.mass_for_estimate(system)?;
        let mut err = self.error_norm(h);
        if err >= 1.0 && (self.state.is_first() || self.state.rejected) {
            for ((d, x), e) in self.work.delta.iter_mut().zip(&self.state.x).zip(&self.work.err) {
                *d = x + e;
            }
            self.state.stats.neom += 1;
            let (t, code) = (self.state.t, Code::StoppedByEom);
            match model::eom(system, code, t, &self.work.delta, &mut self.work.rhs) {
                Ok(()) => err = self.error_norm(h),
                Err(trouble @ Trouble::Stop { .. }) => return Err(self.setback(trouble)),
                // The point x_k + err need not exist; the first estimate stands.
                Err(_) => {}
            }
        }
        if err.is_nan() {
            let why = Rejection::NotFinite;
            return Err(Setback::Reject { why, factor: 0.5, component: None });
        }
        Ok(err)
    }

    /// M(x_k) for the error estimate, in which it has to balance rhs(x_k). That in hand belongs to another
    /// point if the Jacobian was reused (THET) or taken elsewhere (NWTMAT, NWTUPD): on Andrews' mechanism
    /// the estimate would then be wrong enough for 4 to 20 times the steps.
    fn mass_for_estimate(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        if self.options.mass.is_constant() || self.state.linearized == Linearized::Here {
            self.estimate_with_stage_mass = false;
            return Ok(());
        }
        let (state, mass) = (&mut self.state, &mut self.stage_mass);
        let result = mass.evaluate(system, state.t, &state.x, &mut state.stats.nmas);
        result.map_err(|trouble| self.setback(trouble))?;
        self.estimate_with_stage_mass = true;
        Ok(())
    }

    /// One error estimate with the right-hand side in `work.rhs`.
    fn error_norm(&mut self, h: f64) -> f64 {
        let l = self.layout;
        let rhs = &mut self.work.rhs;
        for (rows, block, with_mass) in
            [(l.rda.b, l.x.r, false), (l.rda.f_kin, l.x.p, false), (l.rda.f_dyn, l.x.v, true)]
        {
            let (out, product) = (&mut self.work.block[..block.len()], &mut self.work.product[..block.len()]);
            self.stages.error_combination(h, block, out);
            if with_mass {
                let mass = if self.estimate_with_stage_mass { &self.stage_mass } else { &self.mass };
                mass.mul(1, out, product, &mut self.state.stats.mass_multiplications);
                subtract(rows.of_mut(rhs), -1.0, product);
            } else {
                subtract(rows.of_mut(rhs), -1.0, out);
            }
        }
        let theta = self.transformation.gamma / h;
        let z = &mut self.work.z_re[..self.formulation.reduced_size()];
        let err = &mut self.work.err;
        self.formulation.particular(&self.fx, rhs, err);
        let count = &mut self.state.stats.mass_multiplications;
        self.formulation.real_rhs(&self.mass, theta, rhs, err, z, count);
        self.e1.solve(z);
        self.formulation.substitute(z, err);
        weighted_rms(err, &self.work.scal).max(1e-10)
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
        self.state.rejected = false;
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

    fn step_too_small(&self, h: f64) -> Failure {
        let why = self.state.history.last().map(|a| a.why);
        let code = why.map_or(Code::StepTooSmall, |why| self.final_code(why));
        let detail = match why {
            Some(why) => format!("h = {h:.3e} is too small at t = {:.9e}; last: {why}", self.state.t),
            None => format!("the first step size h = {h:.3e} is too small at t = {:.9e}", self.state.t),
        };
        self.failure(code, detail)
    }

    /// The code of a run that ended because steps were rejected for this reason.
    fn final_code(&self, why: Rejection) -> Code {
        match (why, self.options.decompose_differential) {
            (Rejection::ErrorTest { .. }, _) => Code::StepTooSmall,
            (Rejection::Newton { .. }, _) => Code::NewtonDiverges,
            (Rejection::SingularMatrix, SolverKind::Lu) => Code::SingularNewtonMatrix,
            (Rejection::SingularMatrix, SolverKind::Qr) => Code::QrOfNewtonMatrix,
            (Rejection::NotFinite | Rejection::Model, _) => Code::EomNotEvaluable,
        }
    }

    /// A report of the current situation.
    fn failure(&self, code: Code, detail: String) -> Failure {
        let last = self.state.history.last();
        let mut failure = Failure::new(code, detail).at(self.state.t, last.map_or(self.state.h, |a| a.h));
        failure.component = last.and_then(|a| a.component).map(|i| self.layout.state_name(i));
        failure.theta = (self.state.theta > 0.0).then_some(self.state.theta);
        failure.attempts = self.state.history.to_vec();
        failure
    }

    fn rank_failure(&self, deficiency: &Deficiency) -> Failure {
        let Deficiency { code, row, rank, rows } = *deficiency;
        let mut failure = self.failure(code, format!("rank {rank} of {rows} rows"));
        failure.component = row.map(|i| self.layout.residual_name(i));
        failure
    }

    fn setback(&self, trouble: Trouble) -> Setback {
        match trouble {
            Trouble::Stop { code, not_finite } => {
                let detail = if not_finite { "non-finite values (NaN or Inf), twice" } else { "IERR < 0" };
                let mut failure = self.failure(code, detail.to_string());
                failure.component = None;
                Setback::Fatal(Box::new(failure))
            }
            Trouble::Retry => Setback::Reject { why: Rejection::Model, factor: 0.25, component: None },
            Trouble::NotFinite => {
                Setback::Reject { why: Rejection::NotFinite, factor: 0.25, component: None }
            }
        }
    }
}

/// a -= factor·b.
fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}
