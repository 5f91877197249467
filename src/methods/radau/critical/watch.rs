//! When a critical step is due. Nothing here calls the model, and nothing but one comparison is done in a step of a regular
//! run that succeeds.

use super::super::iterate::Rescue;
use super::{Radau, Setback};
use crate::decompose::kept::KeptRank;
use crate::decompose::DecompositionKind;
use crate::error::{Code, Rejection};
use crate::linalg::LinalgError;
use crate::options::Singular;
use crate::singular;
use crate::system::{JacobianBlocks, System};

/// Constraints whose smallest magnitude has fallen to this part of the largest seen may be about to lose rank.
const FALLEN: f64 = 0.2;
/// A rank loss within so many steps makes a step critical if the magnitude has fallen ...
const NEAR: f64 = 20.0;
/// ... if it has and the step failed ...
const AFTER_FAILURE: f64 = 50.0;
/// ... if Newton's method failed, whatever the magnitude ...
const AFTER_NEWTON: f64 = 2.0;
/// ... more where positions have components that no velocity moves (|q| of quaternions): as lengths they drift, and steps that creep
/// towards the rank loss feel it ...
const AFTER_NEWTON_WITH_DRIFT: f64 = 4.0;
/// ... and behind a critical step.
const BEHIND: f64 = 4.0;

/// What is remembered of the constraints from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in super::super) struct Memory {
    /// The largest smallest magnitude so far.
    pub(in super::super) best: f64,
    /// Signed time to the rank loss from x_k, after a critical step.
    pub(in super::super) time: Option<f64>,
    /// The last step was a critical one: its multipliers are not to be extrapolated.
    pub(in super::super) passed: bool,
    /// Steps made shorter in a row to keep off the rank loss.
    pub(in super::super) shifts: u32,
    /// A gap that is not to be passed.
    pub(in super::super) refusal: super::Refusal,
}

impl Memory {
    /// After a step that is not critical.
    pub(in super::super) fn leave(&mut self) {
        (self.passed, self.time) = (false, None);
    }
}

impl<const L: usize> Radau<L> {
    /// The constraints are much nearer to a rank loss than they were.
    pub(in super::super) fn has_fallen(&self) -> bool {
        self.critical.is_some() && self.formulation.conditioning() < FALLEN * self.memory.best
    }

    /// True if the last step says that this one is critical.
    pub(in crate::methods) fn follows_rank_loss(&self, h: f64) -> bool {
        let always = self.options.singular == Singular::Always;
        self.critical.is_some()
            && !self.memory.refusal.is_final()
            && (always || self.memory.time.is_some_and(|time| time.abs() < BEHIND * h))
    }

    /// There are constraints, and the options say so.
    pub(super) fn passes_rank_losses(&self) -> bool {
        self.options.singular != Singular::Stop && self.layout.dims.nl + self.layout.dims.nm > 0
    }

    /// After the constraints were decomposed: a rank loss that is near ends the attempt, to be repeated as a critical one.
    pub(in super::super) fn look_ahead(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if !self.passes_rank_losses() {
            return Ok(());
        }
        if self.critical.is_none() {
            self.begin_watching(system)?;
        }
        let smallest = self.formulation.conditioning();
        self.memory.best = self.memory.best.max(smallest);
        if smallest < FALLEN * self.memory.best
            && !self.memory.refusal.is_final()
            && self.loses_rank_within(NEAR * h)
        {
            return Err(rank_loss(smallest));
        }
        Ok(())
    }

    /// At the first point. A rank that is missing here and regained along the motion is no redundancy.
    fn begin_watching(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        let redundant = self.formulation.deficiency();
        if redundant > 0 {
            self.refuse_singular_rest(system)?;
            return if self.begins_in_rank_loss() { Err(rank_loss(0.0)) } else { Ok(()) };
        }
        self.make_room_for_critical_steps(redundant);
        match self.options.singular {
            Singular::Always => Err(rank_loss(self.formulation.conditioning())),
            _ => Ok(()),
        }
    }

    /// At rest a missing rank may be that of a singular position, which could be left in more than one way: it is, if some
    /// free velocity regains it.
    fn refuse_singular_rest(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        let l = self.layout;
        let mut x = self.state.x.clone();
        if l.x.v.of(&x).iter().any(|v| *v != 0.0) {
            return Ok(());
        }
        let (rows, rank) = (l.dims.nl + l.dims.nm, singular::rank_here(&l, &self.fx));
        let mut kept = KeptRank::new(rows, l.n3(), rank);
        if kept.decompose(&self.fx.fx[1], self.fx.shape[1].0).is_ok() {
            for (k, column) in kept.null_basis().chunks_exact(l.n3().max(1)).enumerate() {
                let share = (1.0 + k as f64).sqrt();
                l.x.v.of_mut(&mut x).iter_mut().zip(column).for_each(|(v, c)| *v += share * c);
            }
        }
        let mut fx = JacobianBlocks::new(&l);
        let (t, stats) = (self.state.t, &mut self.state.stats);
        let result = self.rows.jacobian(system, (t, &x), &mut fx, stats);
        result.map_err(|trouble| self.setback(trouble))?;
        if singular::rank_ahead(&l, &fx) > rank {
            let failure = self.failure(Code::SingularConfiguration, String::new());
            return Err(Setback::Fatal(Box::new(failure)));
        }
        Ok(())
    }

    /// True if a rank is missing here that is regained along the motion; by the Jacobian in hand.
    fn begins_in_rank_loss(&mut self) -> bool {
        let rows = self.layout.dims.nl + self.layout.dims.nm;
        let redundant = rows - singular::rank_ahead(&self.layout, &self.fx).min(rows);
        let missing = rows - singular::rank_here(&self.layout, &self.fx);
        let begins = redundant < missing;
        if begins {
            self.formulation.values().forget();
        }
        if begins || redundant == 0 || self.options.decompose_constraints == DecompositionKind::Svd {
            self.make_room_for_critical_steps(redundant.min(missing));
        }
        begins
    }

    /// True if an attempt that failed is to be repeated as a critical one.
    pub(in super::super) fn meets_rank_loss(&mut self, h: f64, setback: &Setback) -> bool {
        if !self.passes_rank_losses() {
            return false;
        }
        let fallen = self.has_fallen();
        match setback {
            Setback::Fatal(failure) if is_deficient(failure.code) => {
                self.critical.is_some() || self.begins_in_rank_loss()
            }
            Setback::Fatal(_) => false,
            Setback::Reject { why: Rejection::RankLoss { .. }, .. } => true,
            Setback::Reject { why: Rejection::Newton { .. } | Rejection::SingularMatrix, .. } => {
                // A new matrix belongs to an iterate that went astray; before it was made the question had been asked.
                self.rescue != Rescue::Taken && self.newton_meets_rank_loss(h)
            }
            Setback::Reject { why: Rejection::ErrorTest { .. }, .. } => {
                fallen && self.loses_rank_within(AFTER_FAILURE * h)
            }
            Setback::Reject { .. } => false,
        }
    }

    /// True if a rank loss ahead makes Newton's method fail, by the Jacobian in hand.
    pub(in super::super) fn newton_meets_rank_loss(&mut self, h: f64) -> bool {
        let drifts = self.layout.dims.np > self.layout.dims.nv;
        let otherwise = if drifts { AFTER_NEWTON_WITH_DRIFT } else { AFTER_NEWTON };
        // Rows that vanish as a whole are not seen to fall.
        let close = self.has_fallen() || self.memory.refusal.is_final();
        let within = if close { AFTER_FAILURE } else { otherwise };
        self.passes_rank_losses() && self.loses_rank_within(within * h)
    }

    /// For another method: true if a rank is lost within this time from the point of the state, or missing there and regained
    /// along the motion.
    pub(in crate::methods) fn loses_rank_here(
        &mut self,
        system: &mut dyn System,
        time: f64,
    ) -> Result<bool, Setback> {
        self.linearized = super::super::Linearized::Nowhere;
        let (state, fx) = (&mut self.state, &mut self.fx);
        let result = self.rows.jacobian(system, (state.t, &state.x), fx, &mut state.stats);
        result.map_err(|trouble| self.setback(trouble))?;
        let begins = self.critical.is_none() && self.begins_in_rank_loss();
        if self.state.is_first() && !begins {
            self.refuse_singular_rest(system)?;
        }
        Ok(begins || self.loses_rank_within(time))
    }

    /// By the Jacobian in hand.
    pub(super) fn loses_rank_within(&mut self, time: f64) -> bool {
        let Some(critical) = &mut self.critical else { return false };
        let (fx, kept) = (&self.fx, &mut critical.velocity);
        let found: Result<(), LinalgError> = kept.decompose(&fx.fx[1], fx.shape[1].0);
        found.is_ok() && critical.ahead.time(&self.layout, fx, kept).is_some_and(|tau| tau.abs() < time)
    }
}

fn rank_loss(smallest: f64) -> Setback {
    Setback::Reject { why: Rejection::RankLoss { smallest }, factor: 1.0, component: None }
}

/// A constraint block without its rank.
pub(in crate::methods) fn is_deficient(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        Fx1DeficientLu
            | Fx2DeficientLu
            | Fx3DeficientLu
            | Fx1DeficientQr
            | Fx2DeficientQr
            | Fx3DeficientQr
            | RankChanged
            | DeficiencyFx2
            | DeficiencyFx3
    )
}
