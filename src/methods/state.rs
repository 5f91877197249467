//! What an integrator knows between two steps: everything that determines how it goes on.

use super::Plan;
use crate::control::Memory;
use crate::error::{Attempt, HISTORY};
use crate::model::Calls;
use crate::polynomial::DenseOutput;
use crate::stats::{Measures, Stats};
use crate::system::System;

/// State of the integration at an accepted point. It can be cloned and put back.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Solution.
    pub x: Vec<f64>,
    /// Step size proposed for the next step.
    pub h: f64,
    /// The last accepted step, 0 before the first.
    pub h_last: f64,
    /// Start of the last accepted step.
    pub t_old: f64,
    /// Coefficients of the collocation polynomial over the last step (CONTX).
    pub contx: Vec<f64>,
    /// Inner nodes of its Newton form ([`crate::polynomial`]).
    pub nodes: &'static [f64],
    /// Memory of the predictive controller.
    pub memory: Option<Memory>,
    /// Rate of convergence of the last Newton iteration.
    pub theta: f64,
    /// The last attempt was rejected.
    pub rejected: bool,
    /// The point was set from outside: there is no step before it to extrapolate.
    pub restarted: bool,
    /// Counters.
    pub stats: Stats,
    /// What the method measures beside the solution.
    pub measures: Measures,
    /// The last rejected attempts.
    pub history: History,
    /// Time of the start or last restart.
    pub t_start: f64,
    /// Accepted steps since then.
    pub since_start: u64,
    /// Attempts before the start or the move from which NMAX counts.
    pub limit_from: u64,
}

impl State {
    /// At the initial point.
    pub fn new(t: f64, x: &[f64], h: f64, nodes: &'static [f64]) -> Self {
        let contx = vec![0.0; (nodes.len() + 2) * x.len()];
        let mut state = State { x: x.to_vec(), h, contx, nodes, ..State::default() };
        state.restart(t, x);
        state
    }

    /// As new at another initial point.
    pub fn begin_again(&mut self, t: f64, x: &[f64], h: f64, nodes: &'static [f64]) {
        self.restart(t, x);
        (self.h, self.nodes, self.theta) = (h, nodes, 0.0);
        (self.stats, self.history, self.limit_from) = (Stats::default(), History::default(), 0);
        self.measures = Measures::default();
    }

    /// With a constant step size the points are t_start + k h; where a step was cut at TEND they begin anew.
    pub fn meet_grid(&mut self) {
        if self.t_start + self.since_start as f64 * self.h != self.t {
            (self.t_start, self.since_start) = (self.t, 0);
        }
    }

    /// The polynomial over the last step.
    pub fn dense(&self) -> DenseOutput<'_> {
        let used = (self.nodes.len() + 2) * self.x.len();
        DenseOutput { t: self.t, h: self.h_last, contx: &self.contx[..used], nodes: self.nodes }
    }

    /// Make room for polynomials with up to so many coefficients, where the degree may change.
    pub fn make_room(&mut self, coefficients: usize) {
        let n = self.x.len();
        self.contx.resize(self.contx.len().max(coefficients * n), 0.0);
    }

    /// The planned step has been accepted, and `h` is the size of the next one.
    pub fn advance(&mut self, plan: &Plan, h: f64) {
        (self.t_old, self.t, self.h_last, self.h) = (self.t, plan.t_new, plan.h, h);
        self.stats.naccpt += 1;
        self.since_start += 1;
        (self.rejected, self.restarted) = (false, false);
        self.history.consecutive = 0;
    }

    /// The model, its evaluations counted here.
    pub fn counted<'a>(&'a mut self, system: &'a mut dyn System) -> Calls<'a> {
        Calls { system, stats: &mut self.stats }
    }

    /// True before the first accepted step of the run or after a restart.
    pub fn is_first(&self) -> bool {
        self.restarted
    }

    /// Go on from another point: what was learned from the last step is forgotten.
    pub fn restart(&mut self, t: f64, x: &[f64]) {
        let n = x.len();
        (self.t, self.t_old, self.h_last) = (t, t, 0.0);
        (self.t_start, self.since_start) = (t, 0);
        self.x.copy_from_slice(x);
        self.contx.fill(0.0);
        self.contx[..n].copy_from_slice(x);
        self.memory = None;
        (self.rejected, self.restarted) = (false, true);
    }
}

/// The last rejected attempts, without allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct History {
    ring: [Option<Attempt>; HISTORY],
    next: usize,
    /// Rejections since the last accepted step.
    pub consecutive: u32,
}

impl History {
    /// Remember a rejected attempt.
    pub fn push(&mut self, attempt: Attempt) {
        self.ring[self.next] = Some(attempt);
        self.next = (self.next + 1) % HISTORY;
        self.consecutive = self.consecutive.saturating_add(1);
    }

    /// The last one.
    pub fn last(&self) -> Option<Attempt> {
        self.ring[(self.next + HISTORY - 1) % HISTORY]
    }

    /// All that are kept, oldest first.
    pub fn to_vec(&self) -> Vec<Attempt> {
        let (new, old) = self.ring.split_at(self.next);
        old.iter().chain(new).flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Rejection;

    /// An accepted step clears what the last rejection and a restart had left.
    #[test]
    fn a_step_forward() {
        let mut state = State::new(1.0, &[2.0], 0.1, &[]);
        assert!(state.restarted);
        (state.rejected, state.history.consecutive) = (true, 3);
        let plan = Plan { h: 0.25, t_new: 1.25, cut_from: None, ends: false };
        state.advance(&plan, 0.5);
        assert_eq!((state.t_old, state.t, state.h_last, state.h), (1.0, 1.25, 0.25, 0.5));
        assert_eq!((state.stats.naccpt, state.since_start, state.history.consecutive), (1, 1, 0));
        assert!(!state.rejected && !state.restarted);
    }

    /// Constant steps are counted from where the grid begins.
    #[test]
    fn a_cut_step_begins_a_new_grid() {
        let mut state = State::new(0.0, &[2.0], 0.25, &[]);
        (state.t, state.since_start) = (0.5, 2);
        state.meet_grid();
        assert_eq!((state.t_start, state.since_start), (0.0, 2));
        state.t = 0.6;
        state.meet_grid();
        assert_eq!((state.t_start, state.since_start), (0.6, 0));
    }

    /// The oldest attempts make room for new ones.
    #[test]
    fn the_last_rejected_attempts_are_kept_in_order() {
        let mut history = History::default();
        assert_eq!((history.last(), history.to_vec()), (None, vec![]));
        let why = Rejection::NotFinite { by: None };
        let attempt = |t: usize| Attempt { t: t as f64, h: 1.0, why, component: None };
        for t in 0..2 * HISTORY + 1 {
            history.push(attempt(t));
            assert_eq!((history.last(), history.consecutive), (Some(attempt(t)), t as u32 + 1));
            let kept: Vec<Attempt> = (0..=t).skip((t + 1).saturating_sub(HISTORY)).map(attempt).collect();
            assert_eq!(history.to_vec(), kept);
        }
    }
}
