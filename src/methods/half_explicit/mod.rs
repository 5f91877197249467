//! Half-explicit Runge-Kutta method for nonstiff systems: explicit in r, v and p, implicit (and linear) in the multipliers.
//!
//! At every stage accelerations and multipliers solve the equations of motion together with the constraints on
//! acceleration level ([`super::motion`]), so the stages are those of an ordinary differential equation and the classical order
//! conditions hold (Hairer, Lubich, Roche 1989). The new point is projected onto the constraints of positions and
//! velocities (`project`); it moves by less than its local error, so that the order stays and nothing drifts. Order 5, and
//! order 8 for tight tolerances (`tableau`).
//!
//! [`Method::attempt`] is the method as a table of contents.

mod control;
mod output;
mod project;
mod save;
mod spectrum;
mod start;
mod tableau;

use super::motion::saddle::Saddle;
use super::motion::{setback, Halt, Motion, Source};
use super::{Attempted, Constraints, Method, Plan, Setback, State};
use crate::error::{Failure, Rejection};
use crate::layout::Layout;
use crate::linalg::products;
use crate::norm::Tolerance;
use crate::options::{MethodKind, Options};
use crate::rank::RankPolicy;
use crate::system::System;
use control::Stiffness;
use output::Interpolation;
use tableau::{Estimate, Tableau};

/// Order 8 is taken up to this RTOL: there it needs fewer evaluations than order 5 (Andrews' mechanism, car axis).
const TIGHT: f64 = 1e-6;
/// Part of the tolerance with which order 8 comes out as accurate as Radau IIA of order 9 with the whole of it (METHOD=-2).
const STRICT: f64 = 0.001;

/// So many tolerances, which the rounding of t changes a point by, are too many.
const LOST: f64 = 10.0;

/// The integrator: its state, the rates of the step in hand and its work space.
#[derive(Debug)]
pub struct HalfExplicit {
    state: State,
    layout: Layout,
    options: Options,
    tableau: &'static Tableau,
    motion: Motion,
    interpolation: Interpolation,
    /// RTOL, ATOL and ATOL/RTOL of (r, v, p); the part of the user's that the first two are.
    rtol: Vec<f64>,
    atol: Vec<f64>,
    part: f64,
    typical: Vec<f64>,
    /// (r, v, p) at the last point, at the current stage, at the new point.
    y: Vec<f64>,
    y_stage: Vec<f64>,
    y_new: Vec<f64>,
    /// Rates of the stages, one after the other; the first is that of the last point, if `begun`.
    k: Vec<f64>,
    begun: bool,
    error: Vec<f64>,
    scal: Vec<f64>,
    work: project::Work,
    /// Rate of convergence of the last projection.
    contraction: f64,
    stiffness: Stiffness,
    /// The polynomial of every step is wanted, not only that of the last one before TEND.
    output: bool,
}

/// Components (r, v, p) of a vector like x.
fn differential(layout: &Layout, v: &[f64]) -> Vec<f64> {
    let b = layout.x;
    [&v[b.r.start..b.v.end], b.p.of(v)].concat()
}

impl HalfExplicit {
    /// An integrator at the initial point (t, x) with first step size h.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        (t, x, h): (f64, &[f64], f64),
    ) -> Self {
        let [rtol, atol] = tolerance.of_components(layout.n);
        let typical: Vec<f64> = atol.iter().zip(&rtol).map(|(a, r)| a / r).collect();
        let user = rtol.iter().fold(0.0f64, |m, r| m.max(*r));
        let by_model = options.method == MethodKind::ByModel;
        let tableau = if by_model || user <= TIGHT { &tableau::EIGHT } else { &tableau::FIVE };
        let strict = tolerance.part(if by_model { STRICT } else { 1.0 }).of_components(layout.n);
        // It is less strict where rounding errors would count.
        let part = strict[0].first().zip(rtol.first()).map_or(1.0, |(strict, user)| strict / user);
        let kind = options.decompose_constraints;
        let policy = RankPolicy::new(kind, analytic, user);
        let saddle = Saddle::new(layout.dims.nv, layout.dims.nl + layout.dims.nm, kind, policy);
        let nd = layout.dims.nr + layout.dims.nv + layout.dims.np;
        HalfExplicit {
            state: State::new(t, x, h, tableau.nodes),
            tableau,
            motion: Motion::new(layout, options, saddle, analytic, &typical),
            interpolation: Interpolation::new(tableau, layout),
            rtol: differential(layout, &strict[0]),
            atol: differential(layout, &strict[1]),
            part,
            typical: differential(layout, &typical),
            y: differential(layout, x),
            y_stage: vec![0.0; nd],
            y_new: vec![0.0; nd],
            k: vec![0.0; nd * tableau.rates()],
            begun: false,
            error: vec![0.0; nd],
            scal: vec![1.0; nd],
            work: project::Work::new(layout),
            contraction: 0.0,
            stiffness: Stiffness::default(),
            output: true,
            options: options.clone(),
            layout: *layout,
        }
    }

    /// The error test.
    fn pass(&self, err: f64) -> Result<(), Setback> {
        if err < 1.0 {
            return Ok(());
        }
        let factor = control::shrink(self.tableau, &self.options, err);
        let component = crate::norm::dominating(&self.error, &self.scal).map(|i| self.component(i));
        Err(Setback::Reject { why: Rejection::ErrorTest { err }, factor, component })
    }

    /// The rate at the last point; it is that of the new point of the step before.
    fn begin_step(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        // First guess of w and s, and multipliers for output.
        self.motion.x.copy_from_slice(&self.state.x);
        if self.begun {
            return Ok(());
        }
        let nd = self.y.len();
        let point = (self.state.t, h);
        let model = &mut self.state.counted(system);
        let result = self.motion.rate(model, point, &self.y, &mut self.k[..nd]);
        result.map_err(|halt| self.setback_at_start(halt))?;
        self.interpolation.keep(0, &self.motion.x);
        self.begun = true;
        Ok(())
    }

    /// Y_i = y + h Σ a_ij k_j and their rates.
    fn explicit_stages(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        for i in 1..self.tableau.stages() {
            self.rate_of_stage(system, h, i, self.tableau.a[i])?;
        }
        Ok(())
    }

    fn rate_of_stage(&mut self, system: &mut dyn System, h: f64, i: usize, a: &[f64]) -> Result<(), Setback> {
        let nd = self.y.len();
        self.y_stage.copy_from_slice(&self.y);
        let (before, rest) = self.k.split_at_mut(i * nd);
        products::add_mul_vec(nd, a.len(), h, before, a, &mut self.y_stage);
        let point = (self.state.t + self.tableau.c[i] * h, h);
        let model = &mut self.state.counted(system);
        let result = self.motion.rate(model, point, &self.y_stage, &mut rest[..nd]);
        result.map_err(|halt| self.setback(halt))?;
        self.interpolation.keep(i, &self.motion.x);
        Ok(())
    }

    /// y_new = y + h Σ b_i k_i.
    fn combine_stages(&mut self, h: f64) {
        let (nd, b) = (self.y.len(), self.tableau.b);
        self.y_new.copy_from_slice(&self.y);
        products::add_mul_vec(nd, b.len(), h, &self.k, b, &mut self.y_new);
    }

    /// The rate at the projected point serves the estimate, the dense output and the next step. Velocities are projected with the
    /// matrix of that point: before the rate is taken where the model gives the matrix apart, otherwise after it.
    fn evaluate_new_point(&mut self, system: &mut dyn System, plan: Plan) -> Result<(), Setback> {
        let (nd, s) = (self.y.len(), self.tableau.stages());
        if self.motion.source == Source::Supplied {
            let model = &mut self.state.counted(system);
            let result = self.motion.matrices(model, plan.t_new, &self.y_new);
            result.map_err(|halt| self.setback(halt))?;
            self.project_velocities();
        }
        let (rate, model) = (&mut self.k[s * nd..(s + 1) * nd], &mut self.state.counted(system));
        let result = match self.motion.source {
            Source::Supplied => self.motion.rate_with_matrices(model, plan.t_new, &self.y_new, rate),
            _ => self.motion.rate(model, (plan.t_new, plan.h), &self.y_new, rate),
        };
        result.map_err(|halt| self.setback(halt))?;
        if self.motion.source != Source::Supplied {
            self.project_velocities();
        }
        self.interpolation.keep(s, &self.motion.x);
        Ok(())
    }

    /// Weighted rms norm of the estimated error.
    fn error_norm(&mut self, h: f64) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(0.0);
        }
        self.scale_error();
        let err = match self.tableau.estimate {
            Estimate::One(e) => self.estimate(h, e),
            Estimate::Two(e5, e3) => {
                let third = self.estimate(h, e3);
                let fifth = self.estimate(h, e5);
                if fifth == 0.0 {
                    0.0
                } else {
                    fifth * fifth / (fifth * fifth + 0.01 * third * third).sqrt()
                }
            }
        };
        if err.is_finite() {
            Ok(err)
        } else {
            Err(Setback::Reject { why: Rejection::NotFinite { by: None }, factor: 0.25, component: None })
        }
    }

    /// What an error of this size counts as 1. More than the user asks for is not asked of what the rounding of t changes: where a model
    /// depends on t that is noise, which no step size removes.
    fn scale_error(&mut self) {
        let (nd, rounding) = (self.y.len(), f64::EPSILON * self.state.t.abs());
        let last = &self.k[(self.tableau.stages() - 1) * nd..];
        for (i, s) in self.scal.iter_mut().enumerate() {
            let strict = self.atol[i] + self.rtol[i] * self.y[i].abs().max(self.y_new[i].abs());
            let noise = rounding * self.k[i].abs().max(last[i].abs());
            *s = strict.max(noise.min(strict / self.part));
        }
    }

    /// True if the rounding of t changes the point by more than a few of the user's tolerances: the estimate, a small difference of rates,
    /// would be the noise that they have where the model depends on t, at any step size.
    pub(super) fn is_lost_in_rounding(&self) -> bool {
        let rounding = f64::EPSILON * self.state.t.abs();
        let share = |((y, k), (a, r)): ((&f64, &f64), (&f64, &f64))| {
            (rounding * k * self.part / (a + r * y.abs())).powi(2)
        };
        let all = self.y.iter().zip(&self.k).zip(self.atol.iter().zip(&self.rtol));
        self.begun && all.map(share).sum::<f64>() > LOST * LOST * self.y.len() as f64
    }

    /// Norm of h Σ e_i k_i, which stays in `error`.
    fn estimate(&mut self, h: f64, e: &[f64]) -> f64 {
        self.error.fill(0.0);
        products::add_mul_vec(self.y.len(), e.len(), h, &self.k, e, &mut self.error);
        crate::norm::weighted_rms(&self.error, &self.scal)
    }

    /// The next step size after a step that is accepted.
    fn next_step(&self, h: f64, err: f64) -> f64 {
        let proposed = control::next_step(self.tableau, &self.options, self.state.memory, h, err);
        if self.state.rejected {
            proposed.min(h)
        } else {
            proposed
        }
    }

    /// h‖k_new - k_s‖/‖y_new - Y_s‖, both at the end of the step, looks at h times the dominant eigenvalue (HNW II, IV.2).
    fn look_for_stiffness(&mut self, h: f64) {
        let (nd, s) = (self.y.len(), self.tableau.stages());
        let (last, new) = (&self.k[(s - 1) * nd..s * nd], &self.k[s * nd..(s + 1) * nd]);
        let square = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(&self.scal).map(|((a, b), w)| ((a - b) / w).powi(2)).sum::<f64>()
        };
        let (rates, points) = (square(new, last), square(&self.y_new, &self.y_stage));
        if points > 0.0 && self.stiffness.observe(h * (rates / points).sqrt()) {
            self.state.stats.stiffness_suspected += 1;
        }
    }

    /// True if a stage costs much more than one evaluation of each kind: C or the rate of the constraints by differences.
    pub(super) fn is_costly(&self) -> bool {
        match self.motion.source {
            Source::Differences => true,
            Source::Supplied => false,
            Source::Unknown | Source::Jacobian => self.motion.saddle.is_whole(),
        }
    }

    /// Index into x of component i of (r, v, p).
    fn component(&self, i: usize) -> usize {
        self.layout.x.with_rate(i)
    }

    /// What an evaluation that gave no result means for the attempt.
    fn setback(&self, halt: Halt) -> Setback {
        setback::of_stage(&self.state, &self.layout, &self.options, halt)
    }

    /// The same at an accepted point.
    fn setback_at_start(&self, halt: Halt) -> Setback {
        setback::at_point(&self.state, &self.layout, &self.options, halt)
    }
}

impl Method for HalfExplicit {
    super::parts_of_its_own!();

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        self.begin_step(system, plan.h)?;
        self.explicit_stages(system, plan.h)?;
        self.combine_stages(plan.h);
        let early = self.tableau.estimate_is_early();
        let mut err = if early { self.error_norm(plan.h)? } else { 0.0 };
        self.pass(err)?;
        self.project_positions(system, plan.t_new)?;
        self.evaluate_new_point(system, *plan)?;
        if !early {
            err = self.error_norm(plan.h)?;
        }
        self.pass(err)?;
        Ok(Attempted { err, next: self.next_step(plan.h, err) })
    }

    /// r, v, p of the projected point with w, λ, μ, s of its rate.
    fn attempted(&self, x: &mut [f64]) {
        self.motion.complete(&self.y_new, x);
    }

    fn accept(&mut self, plan: &Plan, attempted: &Attempted) {
        let mut x = std::mem::take(&mut self.state.x);
        self.attempted(&mut x);
        self.state.x = x;
        self.state.stats.half_explicit_steps += 1;
        self.look_for_stiffness(plan.h);
        self.state.memory = Some(control::remember(plan.h, attempted.err));
    }

    /// The polynomial, if it is wanted; then the new point and its rate take the place of the old ones.
    fn complete(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Failure> {
        let (nd, s) = (self.y.len(), self.tableau.stages());
        let made = if self.output || plan.ends {
            self.make_polynomial(system, *plan)
        } else {
            self.state.contx.fill(0.0);
            self.state.contx[..self.layout.n].copy_from_slice(&self.state.x);
            Ok(())
        };
        self.y.copy_from_slice(&self.y_new);
        self.k.copy_within(s * nd..(s + 1) * nd, 0);
        self.interpolation.keep(0, &self.state.x);
        made
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        super::copy_differential(&self.layout, x, &mut self.y);
        self.begun = false;
    }

    fn begin_again(&mut self, (t, x, h): (f64, &[f64], f64)) -> bool {
        self.state.begin_again(t, x, h, self.tableau.nodes);
        self.motion.forget();
        (self.contraction, self.stiffness, self.output) = (0.0, Stiffness::default(), true);
        self.restart(t, x);
        self.state.h = h;
        true
    }

    fn expect_output(&mut self, every_step: bool) {
        self.output = every_step;
    }

    fn constraints(&self) -> Option<Constraints> {
        let saddle = &self.motion.saddle;
        let rows = self.layout.dims.nl + self.layout.dims.nm;
        let redundant = saddle.rank().map_or(0, |rank| rows - rank);
        Some(Constraints { smallest: saddle.smallest(), redundant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Form;
    use crate::mechanism::samples::Circle;
    use crate::mechanism::Mechanism;

    /// An error of the size of the tolerance is too large, and the component with the largest part in it is named.
    #[test]
    fn the_error_test() {
        let (layout, x0) = (Layout::new(Circle.dimensions(), Form::StrangenessFree), Circle::x0());
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let mut method = HalfExplicit::new(&layout, &Options::of_call(), &tolerance, true, (0.0, &x0, 0.1));
        assert!(method.pass(0.99).is_ok());
        method.error[1] = 3.0;
        for err in [1.0, 2.0] {
            let Err(Setback::Reject { why, factor, component }) = method.pass(err) else { panic!("{err}") };
            assert_eq!((why, component), (Rejection::ErrorTest { err }, Some(layout.x.v.start + 1)));
            assert!(factor < 1.0);
        }
    }

    /// What the rounding of t changes counts up to the tolerance of the user and no further, also where that leaves no part of it.
    #[test]
    fn no_more_is_allowed_for_the_rounding_of_t_than_the_tolerance() {
        let (layout, x0) = (Layout::new(Circle.dimensions(), Form::StrangenessFree), Circle::x0());
        let options = Options { method: MethodKind::ByModel, ..Options::of_call() };
        for tol in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
            let tolerance = Tolerance::scalar(tol, tol);
            let mut method = HalfExplicit::new(&layout, &options, &tolerance, true, (1e12, &x0, 0.1));
            method.k.fill(1e3);
            method.scale_error();
            let most =
                method.y.iter().zip(&method.y_new).map(|(y, new)| tol * (1.0 + y.abs().max(new.abs())));
            assert!(method.scal.iter().zip(most).all(|(s, most)| (s / most - 1.0).abs() < 1e-12), "{tol:e}");
        }
    }
}
