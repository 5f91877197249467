//! Any method past positions where the constraints lose rank: steps that meet such a position are critical steps of Radau IIA
//! ([`super::radau`], `critical`), all others are the method's own. The method goes on behind it as from a new start.
//!
//! The method's own decompositions say when to look: only if the smallest magnitude of the constraints falls fast, or a step
//! fails, the Jacobian is asked for and the time to the rank loss found.

use super::plan::{Attempted, Plan};
use super::radau::critical::{is_deficient, Refusal};
use super::radau::Radau;
use super::save::{BadState, Reader, Writer};
use super::setback::Setback;
use super::state::State;
use super::{setback, turning, Constraints, Method};
use crate::error::{Code, Failure, Rejection};
use crate::layout::Layout;
use crate::norm::{Scaling, Tolerance};
use crate::options::{MethodKind, Options, Order, Singular};
use crate::system::{Supplied, System};

/// The constraints are looked at if their smallest magnitude would fall to this part in the step, if it goes on as before ...
const FALLING: f64 = 0.5;
/// ... or has fallen to this part of the largest seen.
const FALLEN: f64 = 0.2;
/// A rank loss within so many steps is passed ...
const NEAR: f64 = 3.0;
/// ... and within so many after a failure.
const AFTER_FAILURE: f64 = 20.0;
/// No tolerance of a critical step is smaller.
const TIGHTEST: f64 = 1e-13;

/// A method, and the one that passes.
#[derive(Debug)]
pub struct Passing {
    layout: Layout,
    options: Options,
    method: Box<dyn Method>,
    passage: Radau<8>,
    /// The last step, or the attempt that waits, is a critical one.
    passing: bool,
    /// Step size of the method when it came to the rank loss.
    own_step: f64,
    watch: Watch,
    /// The user's tolerances, and the point before the last step: for turns that they explain.
    scaling: Scaling,
    before: Vec<f64>,
}

/// What was seen of the constraints.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    /// The largest smallest magnitude.
    best: f64,
    /// That of the last point and of the one before.
    last: Option<f64>,
    before: Option<f64>,
}

impl Watch {
    fn see(&mut self, seen: Option<Constraints>) {
        (self.before, self.last) = (self.last, seen.and_then(|c| c.smallest));
        self.best = self.best.max(self.last.unwrap_or(0.0));
    }

    fn has_fallen(&self) -> bool {
        self.last.is_some_and(|last| last < FALLEN * self.best)
    }

    /// True if a step that is `growth` times the last one is worth a look.
    fn suspects(&self, growth: f64) -> bool {
        let (Some(before), Some(last)) = (self.before, self.last) else { return false };
        self.has_fallen() || (before - last) * growth > FALLING * last
    }
}

impl Passing {
    /// At the initial point (t, x) with first step size h.
    pub fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        supplied: Supplied<'_>,
        start: (f64, &[f64], f64),
    ) -> Self {
        // `Always` is meant for method 0.
        let (method, order, singular) = (MethodKind::Radau, Order::Thirteen, Singular::Pass);
        let critical = Options { method, order, singular, ..options.clone() };
        let tight = tighter(tolerance, options.method);
        let scaling = Scaling::new(tolerance, layout.n);
        let mut passage = Radau::new(layout, &critical, &tight, supplied.jacobian, start);
        passage.belongs_to_run_with(scaling.rtol_user);
        Passing {
            method: super::unwatched(layout, options, tolerance, supplied, start),
            passage,
            passing: false,
            own_step: 0.0,
            watch: Watch::default(),
            scaling,
            before: start.1.to_vec(),
            layout: *layout,
            options: options.clone(),
        }
    }

    /// For critical steps, as soon as the redundancy of the constraints is known.
    fn make_room(&mut self) {
        if let Some(constraints) = self.method.constraints() {
            self.passage.make_room_for_critical_steps(constraints.redundant);
        }
    }

    fn active(&self) -> &dyn Method {
        if self.passing {
            &self.passage
        } else {
            &*self.method
        }
    }

    fn active_mut(&mut self) -> &mut dyn Method {
        if self.passing {
            &mut self.passage
        } else {
            &mut *self.method
        }
    }

    /// True if a rank is lost within this time; what the look costs is counted.
    fn loses_rank(&mut self, system: &mut dyn System, time: f64) -> Result<bool, Setback> {
        self.lend_point();
        let found = self.passage.loses_rank_here(system, time);
        self.method.state_mut().stats = self.passage.state().stats;
        found
    }

    /// A run that changes its branch within the tolerance ends, whichever of both methods made the step.
    fn refuse_turn(&mut self, system: &mut dyn System, h: f64) -> Result<(), Failure> {
        let (x, before) = (&self.active().state().x, &self.before);
        let tolerance = (self.scaling.rtol_user, &self.scaling.typical[..]);
        let seen = self.passing || self.watch.last.is_none() || self.watch.has_fallen();
        if !seen || !turning::is_explained(&self.layout, tolerance, x, |k| x[k] - before[k]) {
            return Ok(());
        }
        if !self.passing {
            self.lend_point();
        }
        let near = (h, turning::next_to(self.scaling.rtol_user));
        let turned = self.passage.has_turned_next_to_rank_loss(system, near, self.passing);
        if !self.passing {
            self.method.state_mut().stats = self.passage.state().stats;
        }
        match turned {
            Ok(true) => {
                let (code, reason) = (Code::SingularConfiguration, turning::REASON.to_string());
                Err(setback::failure(self.active().state(), &self.layout, code, reason))
            }
            Err(Setback::Fatal(failure)) => Err(*failure),
            _ => Ok(()),
        }
    }

    /// The point of the method to the other one, for a look.
    fn lend_point(&mut self) {
        let (from, to) = (self.method.state(), &mut self.passage);
        let refusal = to.refusal();
        to.restart(from.t, &from.x);
        to.recall_refusal(refusal);
        (to.state_mut().stats, to.state_mut().restarted) = (from.stats, from.restarted);
    }

    /// The same at the start.
    fn begins_in_rank_loss(&mut self, system: &mut dyn System) -> Result<bool, Setback> {
        self.loses_rank(system, 0.0)
    }

    /// To the critical steps, at the point of the method.
    fn go_over(&mut self, h: f64) {
        let refusal = self.passage.refusal();
        hand_over(self.method.state(), &mut self.passage);
        self.passage.recall_refusal(refusal);
        self.own_step = h;
        self.passing = true;
    }

    /// Back to the method, at the point behind.
    fn go_back(&mut self) {
        hand_over(self.passage.state(), &mut *self.method);
        self.watch = Watch { best: self.watch.best, ..Watch::default() };
        self.passing = false;
    }

    /// A critical step, or where it would leap over a gap one of the method, unless that has failed already.
    fn pass_or_stay(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        let known = self.passage.refusal().is_final();
        let outcome = self.passage.attempt_to_pass(system, plan.h);
        if !matches!(outcome, Err(Setback::Reject { .. })) || !self.passage.refusal().is_final() {
            return outcome;
        }
        if self.method.state().t == self.passage.state().t {
            self.method.state_mut().stats = self.passage.state().stats;
            self.passing = false;
        } else {
            self.go_back();
            self.method.begin_step();
        }
        if known {
            outcome
        } else {
            self.method.attempt(system, plan)
        }
    }

    /// True if an attempt that failed met a rank loss.
    fn meets_rank_loss(
        &mut self,
        system: &mut dyn System,
        h: f64,
        setback: &Setback,
    ) -> Result<bool, Setback> {
        let suspected = self.watch.has_fallen();
        let time =
            match setback {
                Setback::Fatal(failure) if is_deficient(failure.code) => f64::INFINITY,
                Setback::Reject { why: Rejection::Newton { .. } | Rejection::SingularMatrix, .. } => {
                    (if suspected { AFTER_FAILURE } else { NEAR }) * h
                }
                Setback::Reject {
                    why: Rejection::ErrorTest { .. } | Rejection::NotFinite { .. }, ..
                } if suspected => AFTER_FAILURE * h,
                _ => return Ok(false),
            };
        self.loses_rank(system, time)
    }
}

/// Critical steps are so accurate that the method's own errors stand out.
fn tighter(tolerance: &Tolerance, method: MethodKind) -> Tolerance {
    if method == MethodKind::Hht {
        return tolerance.clone();
    }
    let rtol: Vec<f64> = tolerance.rtol.iter().map(|r| (0.1 * r).powf(1.3).max(TIGHTEST).min(*r)).collect();
    let atol = tolerance.atol.iter().zip(&tolerance.rtol).zip(&rtol).map(|((a, r), tight)| a / r * tight);
    Tolerance { atol: atol.collect(), rtol }
}

/// The other method goes on from the point of the first.
fn hand_over(from: &State, to: &mut dyn Method) {
    to.restart(from.t, &from.x);
    let to = to.state_mut();
    (to.h, to.stats, to.history, to.rejected) = (from.h, from.stats, from.history, from.rejected);
    (to.t_start, to.since_start, to.limit_from) = (from.t_start, from.since_start, from.limit_from);
}

impl Method for Passing {
    fn state(&self) -> &State {
        self.active().state()
    }

    fn state_mut(&mut self) -> &mut State {
        self.active_mut().state_mut()
    }

    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        match self.active_mut().choose_first_step(system, tend) {
            Err(failure) if !self.passing && is_deficient(failure.code) => {
                if !matches!(self.loses_rank(system, f64::INFINITY), Ok(true)) {
                    return Err(failure);
                }
                self.go_over(0.0);
                self.passage.choose_first_step(system, tend)
            }
            outcome => outcome,
        }
    }

    fn begin_step(&mut self) {
        let h = self.passage.state().h;
        if self.passing && !self.passage.state().is_first() && !self.passage.follows_rank_loss(h) {
            self.go_back();
            // Behind the rank loss the method goes on with steps of its own size.
            let (state, own) = (self.method.state_mut(), self.own_step);
            if own > 0.0 && !self.options.fixed_step {
                state.h = state.h.min(own);
            }
        }
        if !self.passing {
            self.method.begin_step();
        }
    }

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        let h = plan.h;
        if !self.passing && !self.passage.refusal().is_final() {
            let growth = h / self.method.state().h_last.max(f64::MIN_POSITIVE);
            if self.watch.suspects(growth) && self.loses_rank(system, NEAR * h)? {
                self.go_over(h);
            }
        }
        if self.passing {
            return self.pass_or_stay(system, plan);
        }
        let outcome = self.method.attempt(system, plan);
        // A rank that is missing at the start may be that of a singular position.
        let redundant = self.method.constraints().map_or(0, |constraints| constraints.redundant);
        if self.method.state().is_first() && redundant > 0 && self.begins_in_rank_loss(system)? {
            self.go_over(h);
            return self.pass_or_stay(system, plan);
        }
        match outcome {
            Err(setback) if self.meets_rank_loss(system, h, &setback)? => {
                self.go_over(h);
                self.pass_or_stay(system, plan)
            }
            outcome => outcome,
        }
    }

    fn attempted(&self, x: &mut [f64]) {
        self.active().attempted(x);
    }

    fn accept(&mut self, plan: &Plan, attempted: &Attempted) {
        let x = &(if self.passing { self.passage.state() } else { self.method.state() }).x;
        self.before.copy_from_slice(x);
        if !self.passing {
            // The last decomposition of the method is that of the new point.
            self.watch.see(self.method.constraints());
            let mut refusal = self.passage.refusal();
            refusal.forget_behind(plan.t_new, self.watch.has_fallen());
            self.passage.recall_refusal(refusal);
        }
        self.active_mut().accept(plan, attempted);
    }

    fn complete(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Failure> {
        self.make_room();
        self.active_mut().complete(system, plan)?;
        self.refuse_turn(system, plan.h)
    }

    fn reject(&mut self, why: Rejection) -> bool {
        self.active_mut().reject(why)
    }

    fn gap(&self) -> Option<f64> {
        self.passage.gap().or_else(|| self.method.gap())
    }

    fn expect_output(&mut self, every_step: bool) {
        self.method.expect_output(every_step);
    }

    fn restart(&mut self, t: f64, x: &[f64]) {
        if self.passing {
            self.go_back();
        }
        self.passage.recall_refusal(Refusal::default());
        self.method.restart(t, x);
    }

    fn begin_again(&mut self, start: (f64, &[f64], f64)) -> bool {
        (self.passing, self.watch, self.own_step) = (false, Watch::default(), 0.0);
        self.passage.begin_again(start) && self.method.begin_again(start)
    }

    fn save(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.flag(self.passing);
        w.real(self.own_step);
        w.real(self.watch.best);
        for seen in [self.watch.last, self.watch.before] {
            w.reals(seen.as_slice());
        }
        self.passage.refusal().save(&mut w);
        w.nested(&self.method.save());
        if self.passing {
            w.nested(&self.passage.save());
        }
        w.seal()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        self.passing = r.flag("passing")?;
        self.own_step = r.not_negative("step size of the method")?;
        self.watch.best = r.not_negative("constraints")?;
        for seen in [&mut self.watch.last, &mut self.watch.before] {
            let mut value = [0.0];
            *seen = r.optional("constraints", &mut value)?.then_some(value[0]);
        }
        let refusal = Refusal::restore(&mut r)?;
        self.method.restore(r.nested("state of the method")?)?;
        if self.passing {
            self.passage.restore(r.nested("state of the passage")?)?;
        } else if !self.method.state().is_first() {
            self.make_room();
        }
        self.passage.recall_refusal(refusal);
        r.end()
    }
}
