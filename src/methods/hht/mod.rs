//! HHT-α and generalised-α on the index-3 equations (D. Negrut, R. Rampalli, G. Ottarsson, A. Sajdak, *On an
//! implementation of the Hilber-Hughes-Taylor method in the context of index 3 differential-algebraic equations of
//! multibody dynamics*, J. Comput. Nonlinear Dynam. 2 (2007) 73; "the paper").
//!
//! Newmark's formulas ([`family`]) turn the equations of motion and g = 0 into a nonlinear system for accelerations and
//! multipliers, which is solved with a recycled matrix. Constraints on velocity level and invariants are not imposed.
//! [`Method::attempt`] is the method as a table of contents.

pub(super) mod estimate;
pub mod family;
mod iterate;
mod linearize;
pub mod predict;
mod save;
mod short;
mod start;
#[cfg(test)]
mod tests;

use super::plan::{Attempted, Plan};
use super::setback::{self, Setback};
use super::state::State;
use super::{Constraints, Method};
use crate::error::{Code, Rejection};
use crate::layout::Layout;
use crate::methods::hermite;
use crate::model::by_pattern::{self, Purpose};
use crate::model::derivatives::Derivatives;
use crate::model::index1::{Halt, Index1};
use crate::model::matrix::Matrix;
use crate::model::unknowns::Unknowns;
use crate::model::{Mass, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::options::Options;
use crate::system::{JacobianBlocks, Sparsity, Supplied, System};
use estimate::Weights;
use family::Coefficients;
use iterate::Newton;
use predict::{Points, POINTS};
use short::Usual;

/// Consecutive singular matrices after which the run ends.
const MAX_SINGULAR: u32 = 5;
/// More iterations than this, and the next step begins with a new matrix.
const MANY_ITERATIONS: u32 = 4;

/// The integrator.
#[derive(Debug)]
pub struct Hht {
    state: State,
    layout: Layout,
    options: Options,
    coefficients: Coefficients,
    weights: Weights,
    /// Accelerations and multipliers are those of the current point.
    begun: bool,
    /// Z ≠ I was seen: positions are unknowns of their own.
    general: bool,
    unknowns: Unknowns,
    /// By which matrices are stored.
    pattern: Option<Sparsity>,
    derivatives: Derivatives,
    index1: Index1,
    fx: JacobianBlocks,
    /// Factored for a step size.
    matrix: Matrix,
    singular: u32,
    /// Mass matrix at the iterate, or the constant one.
    mass: Mass,
    /// Mass matrix at t_n, if it is not constant.
    mass_old: Mass,
    old: Point,
    new: Point,
    /// r' depends on w, λ or μ.
    excited: bool,
    /// `smooth` of the point before the last one.
    smooth_before: Vec<f64>,
    points: Points,
    usual: Usual,
    work: Work,
}

/// What is known at one point.
#[derive(Clone, Debug)]
struct Point {
    x: Vec<f64>,
    a: Vec<f64>,
    slope: Vec<f64>,
    /// The same as the error test sees it: with multipliers of the accelerations where they have a part in it.
    smooth: Vec<f64>,
    /// f_dyn, with the multipliers of this point.
    force: Vec<f64>,
    /// p'.
    f_kin: Vec<f64>,
    /// x as it is reported, and its acceleration: projected if PROJECT says so.
    reported: Vec<f64>,
    reported_a: Vec<f64>,
}

impl Point {
    fn new(layout: &Layout) -> Self {
        let d = &layout.dims;
        Point {
            x: vec![0.0; layout.n],
            a: vec![0.0; d.nv],
            slope: vec![0.0; d.nr],
            smooth: vec![0.0; d.nr],
            force: vec![0.0; d.nv],
            f_kin: vec![0.0; d.np],
            reported: vec![0.0; layout.n],
            reported_a: vec![0.0; d.nv],
        }
    }
}

/// Vectors used within a step.
#[derive(Debug)]
struct Work {
    /// Unknowns, and their residuals or increments.
    y: Vec<f64>,
    e: Vec<f64>,
    /// Increments from the rows d alone; empty without w.
    d: Vec<f64>,
    /// The last w did not satisfy d.
    unsettled: bool,
    /// Increments below this are rounding errors, in the step in hand.
    floor: f64,
    rda: Vec<f64>,
    x: Vec<f64>,
    mean: Vec<f64>,
    inertia: Vec<f64>,
    product: Vec<f64>,
    mass_slope: Vec<f64>,
    error: Vec<f64>,
}

impl Hht {
    /// Positions are divided by βh².
    fn check_square(&self, h: f64) -> Result<(), Setback> {
        if h * h >= f64::MIN_POSITIVE / f64::EPSILON {
            return Ok(());
        }
        let detail = format!("h = {h:e}: its square, which method 1 divides by, is lost");
        let failure = setback::failure(&self.state, &self.layout, Code::StepTooSmall, detail);
        Err(Setback::Fatal(Box::new(failure)))
    }
}

impl Method for Hht {
    super::parts_of_its_own!();

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        self.check_square(plan.h)?;
        self.begin(system, plan.h)?;
        let iterations = self.solve(system, *plan)?;
        self.smooth_slopes(system, *plan)?;
        let estimate = self.estimate_error(*plan);
        if estimate.err > 1.0 && !self.options.fixed_step {
            self.usual.refused(plan.h * estimate.factor);
            let why = Rejection::ErrorTest { err: estimate.err };
            return Err(Setback::Reject { why, factor: estimate.factor, component: estimate.component });
        }
        self.complete_point(system, *plan)?;
        let short = self.is_short(*plan);
        self.project_output(system, *plan, short)?;
        if short {
            self.go_on_from_projected();
        }
        self.usual.found(short, *plan, &estimate);
        if iterations > MANY_ITERATIONS {
            self.matrix.discard();
        }
        Ok(Attempted { err: estimate.err, next: plan.h * estimate.factor })
    }

    fn attempted(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.new.reported);
    }

    fn accept(&mut self, plan: &Plan, _attempted: &Attempted) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.smooth_before.copy_from_slice(&self.new.smooth);
        if !self.options.mass.is_constant() {
            std::mem::swap(&mut self.mass, &mut self.mass_old);
        }
        self.usual.accept();
        if self.usual.short && self.general {
            // Where p'' belongs to the point there is no step behind it.
            self.points.clear();
        }
        self.points.push(plan.t_new, &self.work.y);
        self.weights.see(&self.layout, &self.old.x);
        let (l, state) = (&self.layout, &mut self.state);
        let (old, new) = (&self.new, &self.old);
        let rates = [
            (l.x.p, &old.f_kin[..], &new.f_kin[..]),
            (l.x.v, &old.reported_a, &new.reported_a),
            (l.x.r, &old.slope, &new.slope),
        ];
        hermite::coefficients(plan.h, (&old.reported, &new.reported), rates, &mut state.contx);
        state.x.copy_from_slice(&self.old.reported);
        self.singular = 0;
    }

    fn reject(&mut self, why: Rejection) -> bool {
        if !matches!(why, Rejection::ErrorTest { .. }) {
            // What was extrapolated led astray.
            self.points.keep_newest();
            self.matrix.discard();
        }
        self.singular += u32::from(why == Rejection::SingularMatrix);
        self.singular < MAX_SINGULAR
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
        self.begun = false;
        self.usual = Usual::default();
        self.matrix.discard();
    }

    fn constraints(&self) -> Option<Constraints> {
        Some(Constraints { smallest: None, redundant: self.index1.deficiency })
    }
}

impl Hht {
    /// An integrator at the initial point (t, x) with first step size h.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        supplied: Supplied<'_>,
        (t, x, h): (f64, &[f64], f64),
    ) -> Self {
        let d = &layout.dims;
        let scaling = Scaling::new(tolerance, layout.n);
        let general = d.np != d.nv;
        let unknowns = Unknowns::new(layout, general);
        let varying = !options.mass.is_constant();
        let (pattern, analytic) = (by_pattern::of_run(layout, options, supplied), supplied.jacobian);
        Hht {
            state: State::new(t, x, h, &hermite::NODES),
            coefficients: Coefficients::new(options),
            weights: Weights::new(layout, tolerance),
            begun: false,
            general,
            unknowns,
            index1: Index1::stored(layout, options, analytic, scaling.rtol_user, pattern),
            derivatives: Derivatives::new(layout, options, analytic, scaling.typical),
            fx: JacobianBlocks::stored(layout, pattern),
            matrix: by_pattern::analyse(Purpose::Step, (layout, unknowns), options, pattern),
            singular: 0,
            mass: Mass::stored(layout, options.mass, pattern),
            mass_old: Mass::stored(layout, options.mass, pattern),
            pattern: pattern.cloned(),
            old: Point::new(layout),
            new: Point::new(layout),
            excited: false,
            smooth_before: vec![0.0; d.nr],
            points: Points::new(unknowns.n),
            usual: Usual::default(),
            work: Work {
                y: vec![0.0; unknowns.n],
                e: vec![0.0; unknowns.n],
                d: vec![0.0; if d.nw > 0 { unknowns.n } else { 0 }],
                unsettled: false,
                floor: 0.0,
                rda: vec![0.0; layout.m],
                x: vec![0.0; layout.n],
                mean: vec![0.0; d.nv],
                inertia: vec![0.0; d.nv],
                product: vec![0.0; d.nv],
                mass_slope: vec![0.0; if varying { d.nv * d.np } else { 0 }],
                error: vec![0.0; layout.n],
            },
            options: options.clone(),
            layout: *layout,
        }
    }

    /// Solve the discretised equations: with the matrix in hand if it serves, otherwise with a new one.
    fn solve(&mut self, system: &mut dyn System, plan: Plan) -> Result<u32, Setback> {
        self.work.floor = self.round_off_floor();
        loop {
            self.predict(plan);
            let renewed = !self.matrix_serves(plan.h);
            if renewed {
                self.linearize(system, plan)?;
            }
            self.remove_undetermined();
            match self.iterate(system, plan, false)? {
                Newton::Converged(iterations) => {
                    self.remove_undetermined();
                    return Ok(iterations);
                }
                Newton::GeneralKinematics => {
                    self.use_general_kinematics();
                    self.begin(system, plan.h)?;
                }
                Newton::Failed if !renewed => {
                    self.matrix.discard();
                    self.state.stats.newton_updates += 1;
                }
                Newton::Failed if self.work.unsettled => {
                    self.points.predict(plan.t_new, 0, &mut self.work.y);
                    if let Newton::Converged(iterations) = self.iterate(system, plan, true)? {
                        self.remove_undetermined();
                        return Ok(iterations);
                    }
                    return Err(self.newton_failed());
                }
                Newton::Failed => return Err(self.newton_failed()),
            }
        }
    }

    /// Remove from λ, μ what redundant constraints leave undetermined: extrapolation would enlarge it.
    fn remove_undetermined(&mut self) {
        if let Some(mut factored) = self.matrix.factored() {
            factored.remove_undetermined(&mut self.work.y);
        }
    }

    /// From here on positions are unknowns of their own (Z ≠ I).
    fn use_general_kinematics(&mut self) {
        self.general = true;
        self.unknowns = Unknowns::new(&self.layout, true);
        let n = self.unknowns.n;
        let of = (&self.layout, self.unknowns);
        self.matrix = by_pattern::analyse(Purpose::Step, of, &self.options, self.pattern.as_ref());
        self.points = Points::new(n);
        self.work.y = vec![0.0; n];
        self.work.e = vec![0.0; n];
        self.work.d.resize(if self.layout.dims.nw > 0 { n } else { 0 }, 0.0);
        // The run goes on from the point as it is, with what general kinematics needs.
        self.begun = false;
    }

    fn setback(&self, trouble: Trouble) -> Setback {
        setback::of_trouble(&self.state, &self.layout, trouble)
    }

    fn halted(&self, halt: Halt) -> Setback {
        setback::of_halt(&self.state, &self.layout, &self.options, halt)
    }

    /// Degree of the prediction: constant in the first steps and after a failure, cubic in the end.
    fn degree(&self) -> usize {
        if self.options.zero_start {
            0
        } else {
            POINTS - 1
        }
    }
}

/// Numbers of eight bytes that a run by pattern takes; `None` if its matrices are dense.
pub(super) fn numbers(layout: &Layout, options: &Options, supplied: Supplied<'_>) -> Option<u128> {
    let pattern = by_pattern::of_run(layout, options, supplied)?;
    let (d, big) = (&layout.dims, |n: usize| n as u128);
    // Two Jacobians, two mass matrices, groups for differences, and the lists that they are made from.
    let entries = pattern.mass.len() + pattern.fx.iter().map(Vec::len).sum::<usize>();
    let of = |purpose, unknowns| big(by_pattern::numbers(purpose, (layout, unknowns), options, pattern));
    // Positions may become unknowns of their own. While a matrix is analysed parts of its structure exist twice and more.
    let step = of(Purpose::Step, Unknowns::new(layout, true));
    let matrices = 3 * (step + of(Purpose::Accelerations, Index1::unknowns(layout)));
    let whole = |(m, n): (usize, usize)| big(m) * big(n);
    let jacobian: u128 = layout.fx_shapes().map(whole).iter().sum();
    // What the model can only write in full.
    let full = match (supplied.entries, supplied.jacobian) {
        (true, _) => 0,
        (false, false) => whole((d.nv, d.nv)),
        (false, true) => whole((d.nv, d.nv)) + jacobian,
    };
    Some(12 * big(entries) + matrices + full + whole((d.ns, d.ns)) + 40 * big(layout.n + layout.m))
}
