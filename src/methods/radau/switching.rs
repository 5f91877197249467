//! Radau IIA with NWTMULT=-1: multipliers of the stages from gII and hI until they limit the step, then from the dynamic rows.
//!
//! With gII and hI a step costs less, as long as Newton's method converges. Where the multipliers forbid what the error allows, it
//! gets a new matrix within the step; where they do so again, the step and all later ones are made without them
//! (`multipliers.rs`). The polynomial, the step size and the order go over. Work space of both is allocated at the start.

use super::critical::Strict;
use super::iterate::Rescue;
use super::Radau;
use crate::control::Memory;
use crate::error::{Failure, Rejection};
use crate::layout::{Form, Layout};
use crate::methods::plan::{Attempted, Plan};
use crate::methods::save::{BadState, Reader, Writer};
use crate::methods::setback::Setback;
use crate::methods::state::State;
use crate::methods::Method;
use crate::norm::Tolerance;
use crate::options::{Options, StageMultipliers};
use crate::system::System;

/// Two failures by multipliers within so many accepted steps are no accident.
const OFTEN: u64 = 3;
/// Part of the tolerance without gII and hI, and the least with a new matrix: steps that Newton's method kept short were more accurate
/// than asked for.
const STRICT: f64 = 0.05;
/// With a new matrix a step may have so many times the error that the last one lets expect.
const EXPECTED: f64 = 1.4;

/// With the dynamic rows a step may have a twentieth of the tolerance. One that the error test has chosen is expected to have 0.19 of it, at
/// which the controller aims: it would be shorter with those rows, and dearer (chains).
const LIMITED_BY_ERROR: f64 = 0.15;

/// With a larger RTOL a run has a dozen steps, of which the dearer ones behind the change save none (chain-10).
const LOOSEST: f64 = 1e-3;

/// Both ways, one of them in use.
#[derive(Debug)]
pub struct Switching<const L: usize> {
    layout: Layout,
    options: Options,
    by_constraints: Radau<L>,
    by_dynamics: Radau<L>,
    switched: bool,
    /// Accepted steps at the last failure by multipliers.
    failed_at: Option<u64>,
    /// The last accepted step and its error, as it was measured.
    last: Option<Memory>,
}

/// Radau IIA as the options ask for it.
pub fn begin<const L: usize>(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    analytic: bool,
    start: (f64, &[f64], f64),
) -> Box<dyn Method> {
    // A constant step size is not limited by anything.
    let choice = options.stage_multipliers == StageMultipliers::Automatic && !options.fixed_step;
    let pays = tolerance.rtol.iter().all(|r| *r <= LOOSEST);
    if choice && pays && layout.rda.rows1.len() > layout.rda.d.len() {
        return Box::new(Switching::<L>::new(layout, options, tolerance, analytic, start));
    }
    let mut radau = Radau::<L>::new(layout, options, tolerance, analytic, start);
    radau.strict = if radau.layout.form == Form::Index1 { Strict::Behind } else { Strict::Critical };
    Box::new(radau)
}

impl<const L: usize> Switching<L> {
    fn new(
        layout: &Layout,
        options: &Options,
        tolerance: &Tolerance,
        analytic: bool,
        start: (f64, &[f64], f64),
    ) -> Self {
        let dynamics = Options {
            stage_multipliers: StageMultipliers::Dynamics,
            newton_updates: options.newton_updates.max(1),
            ..options.clone()
        };
        let mut by_constraints = Radau::new(layout, options, tolerance, analytic, start);
        by_constraints.strict = Strict::Critical;
        let mut by_dynamics = Radau::new(layout, &dynamics, &tolerance.part(STRICT), analytic, start);
        by_dynamics.rtol_of_run = by_constraints.rtol_of_run;
        by_dynamics.strict = Strict::Critical;
        Switching {
            by_constraints,
            by_dynamics,
            switched: false,
            failed_at: None,
            last: None,
            layout: *layout,
            options: options.clone(),
        }
    }

    fn active(&self) -> &Radau<L> {
        if self.switched {
            &self.by_dynamics
        } else {
            &self.by_constraints
        }
    }

    fn active_mut(&mut self) -> &mut Radau<L> {
        if self.switched {
            &mut self.by_dynamics
        } else {
            &mut self.by_constraints
        }
    }

    /// For critical steps, while nothing has been switched.
    fn make_room(&mut self) {
        let redundant = |radau: &Radau<L>| radau.critical.as_ref().map(|room| room.redundant());
        let (wanted, had) = (redundant(&self.by_constraints), redundant(&self.by_dynamics));
        if let Some(wanted) = wanted.filter(|_| wanted != had) {
            self.by_dynamics.critical = None;
            self.by_dynamics.make_room_for_critical_steps(wanted);
        }
    }

    /// To the dynamic rows, at the point reached and with what the last steps have shown.
    fn switch(&mut self) {
        let (from, to) = (&mut self.by_constraints, &mut self.by_dynamics);
        to.forget();
        std::mem::swap(&mut from.state, &mut to.state);
        // It belongs to another tolerance.
        to.state.memory = None;
        to.state.stats.multipliers_switched += 1;
        (to.order, to.accepted_order, to.evidence) = (from.order, from.accepted_order, from.evidence);
        to.memory = from.memory;
        to.formulation.values().take_decisions(&from.formulation);
        self.switched = true;
    }

    /// True if the multipliers made an attempt fail within the last steps.
    fn has_failed(&self) -> bool {
        let accepted = self.state().stats.naccpt;
        self.failed_at.is_some_and(|before| accepted.saturating_sub(before) < OFTEN)
    }

    /// True if longer steps than this one may be expected of the dynamic rows.
    fn gains_by_switching(&self, h: f64) -> bool {
        let stages = self.by_constraints.tableau().stages;
        self.last.is_none_or(|last| last.expected(h, stages) < LIMITED_BY_ERROR)
    }

    /// Part of the tolerance for a step of this size with a new matrix. Where Newton's method did not keep steps short, their errors are
    /// what is to be expected, and to ask for less would be to make the step twice (chain-10).
    fn part_expected(&self, h: f64) -> f64 {
        let stages = self.by_constraints.tableau().stages;
        self.last.map_or(STRICT, |last| (EXPECTED * last.expected(h, stages)).clamp(STRICT, 1.0))
    }

    /// True if an attempt failed by the multipliers, and not for the first time.
    fn is_limited(&mut self, outcome: &Result<Attempted, Setback>) -> bool {
        let Err(Setback::Reject { why: Rejection::Newton { .. }, component: Some(i), .. }) = outcome else {
            return false;
        };
        if !self.layout.x.algebraic.contains(*i) {
            return false;
        }
        let again = self.has_failed();
        self.failed_at = Some(self.state().stats.naccpt);
        again
    }
}

impl<const L: usize> Method for Switching<L> {
    fn state(&self) -> &State {
        self.active().state()
    }

    fn state_mut(&mut self) -> &mut State {
        self.active_mut().state_mut()
    }

    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        self.active_mut().choose_first_step(system, tend)
    }

    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        if self.switched {
            return self.by_dynamics.attempt(system, plan);
        }
        let gains = self.gains_by_switching(plan.h);
        let goes_over = self.has_failed() && gains;
        self.by_constraints.rescue = if goes_over { Rescue::Refused } else { Rescue::Offered };
        let outcome = self.by_constraints.attempt(system, plan);
        self.make_room();
        if self.by_constraints.rescue == Rescue::Taken {
            self.failed_at = Some(self.state().stats.naccpt);
            let part = self.part_expected(plan.h);
            return outcome.and_then(|attempted| self.by_constraints.be_strict(plan.h, attempted, part));
        }
        if !(self.is_limited(&outcome) && gains) {
            return outcome;
        }
        self.switch();
        self.by_dynamics.attempt(system, plan)
    }

    fn attempted(&self, x: &mut [f64]) {
        self.active().attempted(x);
    }

    fn accept(&mut self, plan: &Plan, attempted: &Attempted) {
        self.last = Some(Memory { h: plan.h, err: attempted.err });
        self.active_mut().accept(plan, attempted);
    }

    fn complete(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Failure> {
        self.active_mut().complete(system, plan)
    }

    fn reject(&mut self, why: Rejection) -> bool {
        self.active_mut().reject(why)
    }

    fn gap(&self) -> Option<f64> {
        self.active().gap()
    }

    /// The model is the same.
    fn restart(&mut self, t: f64, x: &[f64]) {
        self.last = None;
        self.active_mut().restart(t, x);
    }

    fn begin_again(&mut self, start: (f64, &[f64], f64)) -> bool {
        // What was not used needs nothing: its state comes with the change.
        let used = std::mem::take(&mut self.switched);
        (self.failed_at, self.last) = (None, None);
        if !used {
            return self.by_constraints.begin_again(start);
        }
        let room = self.by_dynamics.critical.take();
        let begun = self.by_constraints.begin_again(start) && self.by_dynamics.begin_again(start);
        self.by_dynamics.critical = room;
        self.by_dynamics.forget();
        begun
    }

    fn save(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.flag(self.switched);
        w.int(self.failed_at.map_or(0, |accepted| accepted + 1));
        w.reals(self.last.map(|last| [last.h, last.err]).as_slice().as_flattened());
        w.nested(&self.active().save());
        w.seal()
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        self.switched = r.flag("multipliers")?;
        self.failed_at = r.at_most("failure by multipliers", u64::MAX)?.checked_sub(1);
        let mut last = [0.0; 2];
        let known = r.optional("last step", &mut last)?;
        self.last = known.then_some(Memory { h: last[0], err: last[1] }).filter(|last| last.h != 0.0);
        let saved = r.nested("state of the method")?;
        self.active_mut().restore(saved)?;
        r.end()
    }
}
