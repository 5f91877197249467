//! Newmark's method in the tangent space of the constraints (I. Fernández de Bustos, H. Uriarte, G. Urkullu, V. García-Marina, *A
//! non-damped stabilization algorithm for multibody dynamics*, Meccanica (2021); "the paper").
//!
//! With an orthonormal basis N of the null space of C = ∂(gI, h)/∂v, and N_p of that of G = ∂g/∂p, both at the end of the step, one step
//! solves
//!
//! ```text
//! N_pᵀ [p - p_n - h/2 (p'_n + Z ṽ)] = 0,    ṽ = v + h (2β-γ) (A - A_n)       g = 0
//! Nᵀ [v - v_n - h ((1-γ) A_n + γ A)] = 0                                      gI = 0,  h = 0
//! M a = f - Cᵀ (λ, μ)                                                         C a + γ_acc = 0
//! r = r_n + h [(1-ρ) r'_n + ρ r'],    d = 0,    c = 0
//! ```
//!
//! so that constraints hold on all three levels. With Z = I the first row is Newmark's formula for p. The iteration is the paper's
//! section 5 written for increments (`iterate.rs`): particular solutions of smallest norm on each level and the motion along N, whose
//! reduced matrices also give the largest natural frequency ([`frequency`]). [`Method::attempt`] is the method as a table of
//! contents.

mod curvature;
mod estimate;
pub mod frequency;
mod iterate;
mod linearize;
pub mod null_space;
mod predict;
mod refine;
mod save;
pub mod scheme;
mod start;

use super::{Attempted, Method, Plan, Setback, State};
use crate::error::Rejection;
use crate::layout::Layout;
use crate::linalg::{RealSolver, SolverKind};
use crate::methods::hermite;
use crate::methods::hht::predict::Points;
use crate::model::{Derivatives, Index1, Mass};
use crate::norm::{Scaling, Tolerance};
use crate::options::{MonitorUse, Options};
use crate::rank::RankPolicy;
use crate::system::System;
use curvature::Curvature;
use estimate::Weights;
use frequency::Monitor;
use linearize::Linearization;
use null_space::TangentSpace;
use scheme::Scheme;

/// Consecutive singular matrices after which the run ends.
const MAX_SINGULAR: u32 = 12;

/// Points that starting values are extrapolated from.
const KEPT: usize = 7;

/// The integrator.
#[derive(Debug)]
pub struct Newmark {
    state: State,
    layout: Layout,
    options: Options,
    scheme: Scheme,
    weights: Weights,
    /// Accelerations and multipliers are those of the current point.
    begun: bool,
    /// Z ≠ I was seen.
    general: bool,
    /// Ranks of the constraints on position and velocity level.
    ranks: Option<[usize; 2]>,
    singular: u32,
    /// The model supplies its Jacobian.
    analytic: bool,
    derivatives: Derivatives,
    index1: Index1,
    mass: Mass,
    lin: Linearization,
    curvature: Curvature,
    monitor: Monitor,
    /// Tangent space of g; not used if that of (gI, h) is the same.
    position: TangentSpace,
    /// Tangent space of (gI, h).
    velocity: TangentSpace,
    /// G and C are the same matrix.
    shared: bool,
    matrix: RealSolver,
    /// Of the rows gII, hI for λ, μ.
    rows: RealSolver,
    /// Rates at the point before the last one, and whether there is one.
    before: Slopes,
    has_before: bool,
    /// x and a at the last points, for the start of the iteration.
    points: Points<KEPT>,
    old: Point,
    new: Point,
    work: Work,
}

/// What is known at one point.
#[derive(Clone, Debug)]
struct Point {
    x: Vec<f64>,
    a: Vec<f64>,
    /// A: the acceleration of Newmark's formulas.
    mean: Vec<f64>,
    slopes: Slopes,
}

/// Rates of p, v and r at one time.
#[derive(Clone, Debug)]
struct Slopes {
    t: f64,
    p: Vec<f64>,
    v: Vec<f64>,
    r: Vec<f64>,
}

impl Point {
    fn new(l: &Layout) -> Self {
        let d = &l.dims;
        Point { x: vec![0.0; l.n], a: vec![0.0; d.nv], mean: vec![0.0; d.nv], slopes: Slopes::new(l) }
    }
}

impl Slopes {
    fn new(l: &Layout) -> Self {
        let d = &l.dims;
        Slopes { t: 0.0, p: vec![0.0; d.np], v: vec![0.0; d.nv], r: vec![0.0; d.nr] }
    }
}

/// Vectors and matrices used within a step; columns of the latter belong to the directions of N.
#[derive(Debug)]
struct Work {
    /// Defects of Newmark's formulas, then increments, at A = 0.
    p: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    coordinates: Vec<f64>,
    rows: Vec<f64>,
    /// U = Z N.
    displacement: Vec<f64>,
    /// Ẋ: velocities that a displacement along U brings with it.
    velocity: Vec<f64>,
    /// Ẍ likewise, and then increments of v and a for a unit acceleration along N.
    acceleration: Vec<f64>,
    by_v: Vec<f64>,
    by_a: Vec<f64>,
    /// G̈ U, and the N for which it was found.
    bend: Vec<f64>,
    bend_first: Vec<f64>,
    null_first: Vec<f64>,
    turned: Vec<f64>,
    free_first: usize,
    mass: Vec<f64>,
    unknowns: Vec<f64>,
    /// Increments from the rows d alone; empty without w.
    auxiliary: Vec<f64>,
    /// The last w or s did not satisfy d or c.
    unsettled: bool,
    carried: Vec<f64>,
    multipliers: Vec<f64>,
    spare: Vec<f64>,
    error: Vec<f64>,
    /// x and a.
    extrapolated: Vec<f64>,
}

impl Work {
    fn new(l: &Layout) -> Self {
        let d = &l.dims;
        let (m, n) = (d.nl + d.nm, d.nv.max(d.np));
        let zeros = |n: usize| vec![0.0; n];
        Work {
            p: zeros(d.np),
            v: zeros(d.nv),
            a: zeros(d.nv),
            coordinates: zeros(n),
            rows: zeros(m),
            displacement: zeros(d.np * d.nv),
            velocity: zeros(d.nv * d.nv),
            acceleration: zeros(d.nv * d.nv),
            by_v: zeros(d.nv * d.nv),
            by_a: zeros(d.nv * d.nv),
            bend: zeros(m * d.nv),
            bend_first: zeros(m * d.nv),
            null_first: zeros(d.nv * d.nv),
            turned: zeros(d.nv * d.nv),
            free_first: usize::MAX,
            mass: zeros(d.nv * d.nv),
            unknowns: zeros(d.nv + d.nw + d.nr),
            auxiliary: zeros(if d.nw > 0 { d.nv + d.nw + d.nr } else { 0 }),
            unsettled: false,
            carried: zeros(m * d.nv.min(m)),
            multipliers: zeros(m),
            spare: zeros(n),
            error: zeros(l.n),
            extrapolated: zeros(l.n + d.nv),
        }
    }
}

impl Method for Newmark {
    super::parts_of_its_own!();

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        self.begin(system, plan.h)?;
        self.predict(plan);
        match self.iterate(system, plan) {
            Err(Setback::Reject { why: Rejection::Newton { .. } | Rejection::SingularMatrix, .. }) => {
                self.predict_by_taylor(plan);
                self.iterate(system, plan)?;
            }
            other => other?,
        }
        let limit = self.watch_frequency();
        let estimate = self.estimate_error(plan);
        let bounded = self.options.monitor == MonitorUse::Bound && limit > 0.0 && limit.is_finite();
        let most = if bounded { self.options.safe * limit } else { f64::INFINITY };
        if !self.options.fixed_step && (estimate.err > 1.0 || (bounded && plan.h > limit)) {
            if estimate.err > 1.0 {
                self.state.measures.inaccurate(self.weights.ratio(&self.layout));
            }
            let why = Rejection::ErrorTest { err: estimate.err };
            let factor = estimate.factor.min(most / plan.h);
            return Err(Setback::Reject { why, factor, component: estimate.component });
        }
        self.complete_point(system, plan)?;
        Ok(Attempted { err: estimate.err, next: (plan.h * estimate.factor).min(most) })
    }

    fn attempted(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.new.x);
    }

    fn accept(&mut self, plan: &Plan, _attempted: &Attempted) {
        let (l, state, old, new) = (&self.layout, &mut self.state, &mut self.old, &mut self.new);
        let slopes = [
            (l.x.p, &old.slopes.p[..], &new.slopes.p[..]),
            (l.x.v, &old.slopes.v, &new.slopes.v),
            (l.x.r, &old.slopes.r, &new.slopes.r),
        ];
        hermite::coefficients(plan.h, (&old.x, &new.x), slopes, &mut state.contx);
        state.x.copy_from_slice(&new.x);
        state.measures.see();
        state.measures.accepted(self.scheme.growth(plan.h * state.measures.frequency));
        std::mem::swap(&mut self.before, &mut old.slopes);
        self.has_before = true;
        std::mem::swap(old, new);
        let kept = &mut self.work.extrapolated;
        kept[..l.n].copy_from_slice(&old.x);
        kept[l.n..].copy_from_slice(&old.a);
        self.points.push(plan.t_new, kept);
        self.ranks = Some([self.position_space().rank(), self.velocity.rank()]);
        self.singular = 0;
    }

    fn reject(&mut self, why: Rejection) -> bool {
        self.singular += u32::from(why == Rejection::SingularMatrix);
        self.singular < MAX_SINGULAR
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        (self.has_before, self.ranks, self.begun) = (false, None, false);
    }
}

impl Newmark {
    /// An integrator at the initial point (t, x) with first step size h. `analytic` says whether the model supplies its
    /// Jacobian.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        (t, x, h): (f64, &[f64], f64),
    ) -> Self {
        let d = &layout.dims;
        let scaling = Scaling::new(tolerance, layout.n);
        let kind = options.decompose_constraints;
        let policy = RankPolicy::new(kind, analytic, scaling.rtol_user);
        Newmark {
            state: State::new(t, x, h, &hermite::NODES),
            scheme: Scheme::new(options),
            weights: Weights::new(layout, tolerance),
            begun: false,
            general: d.np != d.nv,
            ranks: None,
            singular: 0,
            analytic,
            index1: Index1::new(layout, options, analytic, scaling.rtol_user),
            curvature: Curvature::new(layout, &scaling.typical),
            derivatives: Derivatives::new(layout, options, analytic, scaling.typical),
            mass: Mass::new(layout, options.mass),
            lin: Linearization::new(layout, options),
            monitor: Monitor::new(d.nv),
            position: TangentSpace::new(kind, policy, d.nl, d.np),
            velocity: TangentSpace::new(kind, policy, d.nl + d.nm, d.nv),
            shared: false,
            matrix: RealSolver::new(SolverKind::Lu, d.nv + d.nw + d.nr),
            rows: RealSolver::new(SolverKind::Lu, d.nl + d.nm),
            before: Slopes::new(layout),
            has_before: false,
            points: Points::new(layout.n + d.nv),
            old: Point::new(layout),
            new: Point::new(layout),
            work: Work::new(layout),
            options: options.clone(),
            layout: *layout,
        }
    }

    /// The tangent space of g.
    fn position_space(&self) -> &TangentSpace {
        if self.shared {
            &self.velocity
        } else {
            &self.position
        }
    }
}
