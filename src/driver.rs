//! The step loop of all methods: plan, attempt, accept or reject; limits, counters of steps, the account of rejections, and
//! taking back what was tried or accepted.

use crate::error::{Attempt, Code, Failure, Rejection, Result};
use crate::layout::Layout;
use crate::methods::setback::{failure, final_code};
use crate::methods::{Attempted, Method, Plan, Setback, State};
use crate::options::Options;
use crate::stats::Stats;
use crate::system::System;

/// A step that ends within this relative distance of TEND is stretched to it.
const STRETCH: f64 = 1.0001;
/// A change of h by this part of it, for the rounding of t, is one.
const SHOWS: f64 = 1e-9;
/// A first step is chosen as for a run of so many times what positions take to change by their own size, if TEND lies farther: it may
/// stand for no end at all.
const LONG: f64 = 1e8;
/// The same at rest, in units of t.
const LONG_AT_REST: f64 = 1e12;

/// A method and where its last step began.
#[derive(Debug)]
pub struct Driver {
    method: Box<dyn Method>,
    /// Of the model.
    pub layout: Layout,
    /// Of the run; NMAX may change while it goes on.
    pub options: Options,
    /// An attempt that waits to be accepted or taken back.
    waiting: Option<(Plan, Attempted)>,
    /// Where the last accepted step began: the polynomial of a long step has lost digits there.
    before: Vec<f64>,
    /// The last accepted step has not been taken back.
    can_step_back: bool,
}

impl Driver {
    /// Drive a method that stands at its initial point; `stats` counts what was done before.
    pub fn new(mut method: Box<dyn Method>, layout: &Layout, options: &Options, stats: Stats) -> Self {
        method.state_mut().stats = stats;
        let before = method.state().x.clone();
        let (layout, options) = (*layout, options.clone());
        Driver { method, layout, options, waiting: None, before, can_step_back: false }
    }

    /// State between steps.
    pub fn state(&self) -> &State {
        self.method.state()
    }

    /// See [`Method::gap`].
    pub fn gap(&self) -> Option<f64> {
        self.method.gap()
    }

    /// Counters, for work that is done beside the steps.
    pub fn stats_mut(&mut self) -> &mut Stats {
        &mut self.method.state_mut().stats
    }

    /// See [`Method::expect_output`].
    pub fn expect_output(&mut self, every_step: bool) {
        self.method.expect_output(every_step);
    }

    /// The step size for the next step; if it is not positive one is chosen.
    pub fn propose(&mut self, h: f64) {
        self.method.state_mut().h = h;
    }

    /// Choose the size of the next step towards `tend`, if there is none.
    pub fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result {
        let state = self.method.state();
        if state.h <= 0.0 && state.t < tend && !self.options.fixed_step {
            let tend = tend.min(state.t + self.foreseeable());
            self.method.choose_first_step(system, tend)
        } else {
            Ok(())
        }
    }

    /// How far TEND is heeded.
    fn foreseeable(&self) -> f64 {
        let (x, blocks) = (&self.method.state().x, &self.layout.x);
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        LONG_AT_REST.min(LONG * (1.0 + largest(blocks.p.of(x))) / largest(blocks.v.of(x)))
    }

    /// One accepted step, not beyond `tend`.
    #[inline(never)] // a part of `make profile`
    pub fn step(&mut self, system: &mut dyn System, tend: f64) -> Result {
        self.begin_step();
        while self.try_once(system, tend)?.is_none() {}
        self.commit(system)
    }

    /// One attempt, which then waits for [`Driver::commit`] or [`Driver::take_back`]; `None` if it was rejected.
    pub fn attempt(&mut self, system: &mut dyn System, tend: f64) -> Result<Option<Attempted>> {
        self.begin_step();
        self.try_once(system, tend)
    }

    fn begin_step(&mut self) {
        if self.options.fixed_step {
            self.method.state_mut().meet_grid();
        }
        self.method.begin_step();
    }

    fn try_once(&mut self, system: &mut dyn System, tend: f64) -> Result<Option<Attempted>> {
        if self.waiting.is_some() {
            let detail = "the step that was attempted is neither accepted nor taken back".to_string();
            return Err(self.failure(Code::BadArgument, detail));
        }
        let plan = self.plan(tend)?;
        match self.method.attempt(system, &plan) {
            Ok(attempted) => {
                self.waiting = Some((plan, attempted));
                Ok(Some(attempted))
            }
            Err(Setback::Reject { why, factor, component }) => {
                self.reject(plan.h, why, factor, component)?;
                Ok(None)
            }
            Err(Setback::Fatal(failure)) => Err(*failure),
        }
    }

    /// Where the waiting attempt led: its time, and the point in x.
    pub fn attempted(&self, x: &mut [f64]) -> Option<f64> {
        self.waiting.map(|(plan, _)| {
            self.method.attempted(x);
            plan.t_new
        })
    }

    /// Accept the waiting attempt. An error may come behind the accepted point.
    pub fn commit(&mut self, system: &mut dyn System) -> Result {
        let Some((plan, attempted)) = self.waiting.take() else {
            return Err(self.failure(Code::BadArgument, "no attempted step waits to be accepted".to_string()));
        };
        self.before.copy_from_slice(&self.method.state().x);
        self.can_step_back = true;
        self.method.accept(&plan, &attempted);
        let state = self.method.state_mut();
        let next = if self.options.fixed_step { state.h } else { plan.next(attempted.next) };
        state.advance(&plan, next);
        self.method.complete(system, &plan)
    }

    /// Give the waiting attempt up, for a reason that the method does not know; the next one has step size h. Nothing is done
    /// without one: a step that was rejected has been taken back.
    pub fn take_back(&mut self, why: Rejection, h: f64) {
        if let Some((plan, _)) = self.waiting.take() {
            self.method.reject(why);
            self.count(plan.h, why, None);
            self.propose(h);
        }
    }

    /// Undo the last accepted step and count it as a rejection, for a reason that was seen behind it: the next one is smaller, or
    /// the run ends.
    pub fn reject_accepted(&mut self, why: Rejection) -> Result {
        let state = self.method.state();
        let h = state.t - state.t_old;
        if self.step_back() {
            self.propose(h);
        }
        self.reject(h, why, 0.25, None)
    }

    /// Undo the last accepted step: its evaluations count, the step does not. False if there is none, or if it has been
    /// undone.
    pub fn step_back(&mut self) -> bool {
        if !std::mem::take(&mut self.can_step_back) {
            return false;
        }
        self.waiting = None;
        let t = self.method.state().t_old;
        self.method.restart(t, &self.before);
        self.method.state_mut().stats.naccpt -= 1;
        true
    }

    /// Go on from another point, with the step size in hand and these counters. NMAX counts from here.
    pub fn restart(&mut self, (t, x): (f64, &[f64]), stats: Stats) {
        self.forget_steps();
        self.method.restart(t, x);
        let state = self.method.state_mut();
        (state.stats, state.limit_from) = (stats, stats.nstep());
    }

    fn forget_steps(&mut self) {
        (self.waiting, self.can_step_back) = (None, false);
    }

    /// Constant steps are counted from here, and the next one has size h.
    pub fn go_on_from_here(&mut self, h: f64) {
        let state = self.method.state_mut();
        (state.t_start, state.since_start, state.h) = (state.t, 0, h);
    }

    /// See [`Method::begin_again`].
    pub fn begin_again(&mut self, start: (f64, &[f64], f64), stats: Stats) -> bool {
        let begun = self.method.begin_again(start);
        if begun {
            self.forget_steps();
            self.method.state_mut().stats = stats;
        }
        begun
    }

    /// All that the next steps depend on, as bytes; an attempt that waits is not part of it.
    pub fn save(&self) -> Vec<u8> {
        self.method.save()
    }

    /// Drive another method of the same system.
    pub fn replace(&mut self, method: Box<dyn Method>) {
        self.forget_steps();
        self.method = method;
    }

    /// Step size of the next attempt, limits checked, end of the interval met exactly.
    fn plan(&self, tend: f64) -> Result<Plan> {
        let (state, options) = (self.method.state(), &self.options);
        if state.stats.nstep().saturating_sub(state.limit_from) >= options.nmax {
            let (made, accepted) = (state.stats.nstep(), state.stats.naccpt);
            let detail = format!("{made} steps made, {accepted} of them accepted");
            return Err(self.failure(Code::TooManySteps, detail));
        }
        let left = tend - state.t;
        if options.fixed_step {
            // t_0 + k·h, so that rounding does not add up.
            let t_new = state.t_start + (state.since_start + 1) as f64 * state.h;
            let ends = t_new >= tend - 1e-6 * state.h;
            let (h, t_new) = if ends { (left, tend) } else { (state.h, t_new) };
            return Ok(Plan { h, t_new, cut_from: None, ends });
        }
        let h = state.h.min(options.hmax.unwrap_or(f64::INFINITY));
        // Below this size t + c_i h is no longer resolved; around t = 0 the length of the run counts, if a step failed or none was made.
        let small = state.rejected || state.is_first();
        let length = if small { (tend - state.t_start).min(self.foreseeable()) } else { 0.0 };
        let resolution = state.t.abs().max(1e-6 * length);
        if 0.1 * h <= options.uround * resolution {
            return Err(self.step_too_small(h));
        }
        if h * STRETCH >= left {
            let cut_from = (h > left * STRETCH).then_some(h);
            return Ok(Plan { h: left, t_new: tend, cut_from, ends: true });
        }
        let t_new = state.t + h;
        // Where the rounding of t shows in h the step is as long as the times say, or it would add up over the steps.
        let shows = f64::EPSILON * t_new.abs() > SHOWS * h;
        Ok(Plan { h: if shows { t_new - state.t } else { h }, t_new, cut_from: None, ends: false })
    }

    /// Count a rejection of a step of size h and prepare the next attempt; an error if there is none.
    fn reject(&mut self, h: f64, why: Rejection, factor: f64, component: Option<usize>) -> Result {
        let go_on = self.method.reject(why);
        self.count(h, why, component);
        let mut detail = String::new();
        if self.options.fixed_step {
            self.propose(h);
            detail += "the step size is constant (IOPT(19)=1) and cannot be reduced";
        } else {
            self.propose(h * factor);
            if go_on {
                return Ok(());
            }
        }
        Err(self.failure(final_code(&self.options, why), detail))
    }

    /// The account of a rejection.
    fn count(&mut self, h: f64, why: Rejection, component: Option<usize>) {
        let state = self.method.state_mut();
        let stats = &mut state.stats;
        let kind = match why {
            Rejection::ErrorTest { .. } => &mut stats.nerjct,
            Rejection::Newton { .. } => &mut stats.rejected_newton,
            Rejection::SingularMatrix => &mut stats.rejected_singular,
            Rejection::RankLoss { .. } => &mut stats.rejected_rank_loss,
            Rejection::NotFinite { .. } => &mut stats.rejected_not_finite,
            Rejection::Model { .. } => &mut stats.rejected_by_model,
        };
        *kind += 1;
        stats.ncrjct += u64::from(!matches!(why, Rejection::ErrorTest { .. }));
        state.history.push(Attempt { t: state.t, h, why, component });
        state.rejected = true;
    }

    fn step_too_small(&self, h: f64) -> Failure {
        let state = self.method.state();
        let why = state.history.last().map(|a| a.why);
        let code = why.map_or(Code::StepTooSmall, |why| final_code(&self.options, why));
        let (t, apart) = (state.t, self.options.uround * state.t.abs());
        let detail = match why {
            Some(why) => format!(
                "h = {h:.3e} is too small at t = {t:.9e}, where times are {apart:.1e} apart; last: {why}"
            ),
            None => format!(
                "the step size h = {h:.3e} is too small at t = {t:.9e}, where times are {apart:.1e} apart"
            ),
        };
        self.failure(code, detail)
    }

    fn failure(&self, code: Code, detail: String) -> Failure {
        failure(self.method.state(), &self.layout, code, detail)
    }
}
