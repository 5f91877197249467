//! Rosenbrock-Nyström method in state space: linearly implicit, for stiff and nonstiff systems at medium accuracy (A. Sandu, D. Negrut,
//! E. J. Haug, F. A. Potra, C. Sandu, *A Rosenbrock-Nyström state space implicit approach for the dynamic analysis of mechanical
//! systems*, 2003).
//!
//! Constraints split the coordinates into dependent and independent ones (`partition`), and only the latter are integrated: an
//! ordinary differential equation z' = f(t, z) with z = (p_I, v_J, r), whose rates are accelerations and multipliers of the point
//! that belongs to z (`assemble`). A step solves one linear system per stage with one matrix (`stages`, `shifted`); nothing is
//! iterated but the assembly of dependent coordinates. The Jacobian has to be exact (`jacobians`).
//!
//! [`Method::attempt`] is the method as a table of contents.

mod assemble;
mod constraints;
mod control;
mod curvature;
mod frozen;
mod jacobians;
mod output;
mod partition;
mod predict;
mod save;
mod shifted;
mod stages;
mod start;
pub mod state_space;
mod tableau;
mod tangent;

use super::kinematics::{self, Ends};
use super::motion::saddle::Saddle;
use super::motion::{setback, Halt, Motion, Source};
use super::{Attempted, Method, Plan, Setback, State};
use crate::error::Rejection;
use crate::layout::{Form, Layout};
use crate::norm::Tolerance;
use crate::options::Options;
use crate::rank::RankPolicy;
use crate::system::System;
use assemble::{Assembly, Updates, Wanted};
use constraints::Contact;
use curvature::Curvature;
use frozen::Frozen;
use jacobians::Reduced;
use partition::Level;
use shifted::Shifted;
use tangent::Tangent;

/// The integrator: its state, the linearisation of the last point and its work space.
#[derive(Debug)]
pub struct Rosenbrock {
    state: State,
    layout: Layout,
    options: Options,
    motion: Motion,
    positions: Level,
    velocities: Level,
    contact: Contact,
    /// The partition was chosen at this point.
    fresh: bool,
    /// p' = v.
    plain: bool,
    /// Forces depend on w, λ, μ otherwise than by -Cᵀ(λ, μ).
    coupled: bool,
    tangent: Tangent,
    reduced: Reduced,
    curvature: Curvature,
    shifted: Shifted,
    assembly: Assembly,
    frozen: Frozen,
    /// RTOL and ATOL of (r, v, p); ATOL/RTOL of x.
    rtol: Vec<f64>,
    atol: Vec<f64>,
    typical: Vec<f64>,
    /// The smallest RTOL.
    least_rtol: f64,
    /// The last point with w, λ, μ, s of its rate, its (r, v, p) and their rate, if `begun`.
    x: Vec<f64>,
    y: Vec<f64>,
    rate: Vec<f64>,
    begun: bool,
    linearized: bool,
    /// Of the points over the tangent: see `predict`.
    bend: Vec<f64>,
    /// The same at the stage or new point.
    x_new: Vec<f64>,
    y_new: Vec<f64>,
    rate_new: Vec<f64>,
    /// Where the reduced state lies in (r, v, p).
    free: Vec<usize>,
    /// The reduced state at a stage, its rate, the stages, the error and its weights.
    z: Vec<f64>,
    f: Vec<f64>,
    u: Vec<f64>,
    error: Vec<f64>,
    scal: Vec<f64>,
}

/// Components (r, v, p) of a vector like x.
fn differential(layout: &Layout, v: &[f64]) -> Vec<f64> {
    let b = layout.x;
    [&v[b.r.start..b.v.end], b.p.of(v)].concat()
}

impl Rosenbrock {
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
        let kind = options.decompose_constraints;
        let policy = RankPolicy::new(kind, analytic, user);
        let d = layout.dims;
        let constraints = d.nl + d.nm;
        let saddle = Saddle::new(d.nv, constraints, kind, policy);
        let nd = d.nr + d.nv + d.np;
        Rosenbrock {
            state: State::new(t, x, h, &output::NODES),
            motion: Motion::new(layout, options, saddle, analytic, &typical),
            positions: Level::new(d.nl, d.np, kind, policy),
            velocities: Level::new(constraints, d.nv, kind, policy),
            contact: Contact::new(layout),
            fresh: false,
            plain: false,
            coupled: false,
            tangent: Tangent::new(layout),
            reduced: Reduced::new(layout, options),
            curvature: Curvature::new(layout),
            shifted: Shifted::new(nd),
            assembly: Assembly::new(layout),
            frozen: Frozen::new(layout, options),
            least_rtol: rtol.iter().fold(f64::INFINITY, |m, r| m.min(*r)),
            rtol: differential(layout, &rtol),
            atol: differential(layout, &atol),
            typical,
            x: x.to_vec(),
            y: differential(layout, x),
            rate: vec![0.0; nd],
            begun: false,
            linearized: false,
            bend: vec![0.0; layout.n],
            x_new: vec![0.0; layout.n],
            y_new: vec![0.0; nd],
            rate_new: vec![0.0; nd],
            free: Vec::with_capacity(nd),
            z: Vec::with_capacity(nd),
            f: Vec::with_capacity(nd),
            u: Vec::with_capacity(nd * tableau::STAGES),
            error: Vec::with_capacity(nd),
            scal: Vec::with_capacity(nd),
            options: options.clone(),
            layout: *layout,
        }
    }

    /// True if derivatives of the constraints on acceleration level come from differences over a part of the step.
    fn by_differences(&self) -> bool {
        self.layout.form == Form::Index1 || self.motion.saddle.is_whole()
    }

    /// Rate and linearisation at the last point, where they are not in hand.
    fn begin(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if !self.begun {
            self.motion.x.copy_from_slice(&self.state.x);
            let point = (self.state.t, h);
            let result = self.motion.rate(&mut self.state.counted(system), point, &self.y, &mut self.rate);
            result.map_err(|halt| self.setback_at_point(halt))?;
            self.x.copy_from_slice(&self.motion.x);
            self.begun = true;
        }
        if !self.linearized {
            self.linearize(system, h, false).map_err(|halt| self.setback_at_point(halt))?;
        }
        Ok(())
    }

    /// The stages, and the reduced state that they lead to. If dependent coordinates could not be found the partition may be the
    /// reason: once more with another one.
    fn solve_stages(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        self.shift(h)?;
        match self.stages(system, h) {
            Err(Setback::Reject { why: Rejection::Newton { .. } | Rejection::SingularMatrix, .. })
                if !self.fresh && !self.velocities.is_empty() =>
            {
                self.linearize(system, h, true).map_err(|halt| self.setback_at_point(halt))?;
                self.shift(h)?;
                self.stages(system, h)
            }
            other => other,
        }
    }

    /// The error test.
    fn pass(&self, err: f64) -> Result<(), Setback> {
        if err < 1.0 {
            return Ok(());
        }
        let factor = control::shrink(&self.options, err);
        let component =
            crate::norm::dominating(&self.error, &self.scal).map(|k| self.component(self.free[k]));
        Err(Setback::Reject { why: Rejection::ErrorTest { err }, factor, component })
    }

    /// The new point with its rate, which the polynomial and the next step take. Velocities once more with the matrix of the point
    /// itself: they are linear.
    fn evaluate_new_point(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Setback> {
        self.evaluate(system, (plan.t_new, plan.h), Wanted::exactly(1.0))
            .map_err(|halt| self.setback(halt))?;
        if self.motion.source != Source::Supplied {
            self.correct_velocities(Updates::None);
            if self.plain {
                let first = self.layout.dims.nr;
                self.rate_new[first + self.layout.dims.nv..]
                    .copy_from_slice(&self.y_new[first..first + self.layout.dims.nv]);
            }
        }
        Ok(())
    }

    /// The error norm, or what the step misses of p' = Zv where constraints determine p.
    fn error_beside_constraints(&self, err: f64, h: f64) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(err);
        }
        let (r, v) = (self.layout.dims.nr, self.layout.dims.nr + self.layout.dims.nv);
        let ends = Ends {
            p: [&self.y[v..], &self.y_new[v..]],
            rates: [&self.rate[v..], &self.rate_new[v..]],
            bend: self.plain.then(|| [&self.rate[r..v], &self.rate_new[r..v]]),
        };
        let size = |i: usize| self.y[i].abs().max(self.y_new[i].abs());
        let missed = ends.missed(h, |i| self.atol[v + i] + self.rtol[v + i] * size(v + i));
        match kinematics::felt(err, missed) {
            err if err < 1.0 => Ok(err),
            err => {
                let factor = control::shrink(&self.options, err);
                Err(Setback::Reject { why: Rejection::ErrorTest { err }, factor, component: None })
            }
        }
    }

    /// Index into x of component i of (r, v, p).
    fn component(&self, i: usize) -> usize {
        self.layout.x.with_rate(i)
    }

    fn setback(&self, halt: Halt) -> Setback {
        setback::of_stage(&self.state, &self.layout, &self.options, halt)
    }

    fn setback_at_point(&self, halt: Halt) -> Setback {
        setback::at_point(&self.state, &self.layout, &self.options, halt)
    }
}

impl Method for Rosenbrock {
    super::parts_of_its_own!();

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        self.begin(system, plan.h)?;
        self.solve_stages(system, plan.h)?;
        let err = self.error_norm()?;
        self.pass(err)?;
        self.evaluate_new_point(system, plan)?;
        let err = self.error_beside_constraints(err, plan.h)?;
        Ok(Attempted { err, next: control::next_step(&self.options, plan.h, err, self.state.rejected) })
    }

    /// r, v, p of the assembled point with w, λ, μ, s of its rate.
    fn attempted(&self, x: &mut [f64]) {
        self.motion.complete(&self.y_new, x);
    }

    fn accept(&mut self, plan: &Plan, _attempted: &Attempted) {
        let mut x = std::mem::take(&mut self.x_new);
        self.attempted(&mut x);
        self.make_polynomial(plan.h, &x);
        self.state.x.copy_from_slice(&x);
        self.x.copy_from_slice(&x);
        self.x_new = x;
        self.y.copy_from_slice(&self.y_new);
        self.rate.copy_from_slice(&self.rate_new);
        self.linearized = false;
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        super::copy_differential(&self.layout, x, &mut self.y);
        self.bend.fill(0.0);
        (self.begun, self.linearized) = (false, false);
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
        let mut method = Rosenbrock::new(&layout, &Options::of_call(), &tolerance, true, (0.0, &x0, 0.1));
        assert!(method.pass(0.99).is_ok());
        (method.free, method.error, method.scal) = (vec![0, 3], vec![0.0, 3.0], vec![1.0; 2]);
        for err in [1.0, 2.0] {
            let Err(Setback::Reject { why, factor, component }) = method.pass(err) else { panic!("{err}") };
            assert_eq!((why, component), (Rejection::ErrorTest { err }, Some(layout.x.p.start + 1)));
            assert!(factor < 1.0);
        }
    }
}
