//! The accepted point of a critical step: its multipliers, and how far away the rank loss is now.

use super::{Critical, Radau};
use crate::error::{Code, Failure};
use crate::methods::setback::Setback;
use crate::methods::turning;
use crate::model::index1::Halt;
use crate::system::System;

/// In the rank loss, as far as a motion that comes to rest is concerned.
const IN_IT: f64 = 1e-3;
/// A turn within so many steps of a rank loss may be one between its branches.
const TURN_NEAR: f64 = 100.0;
/// Movements over a step that are none, relative to the positions.
const AT_REST: f64 = 1e-6;

impl<const L: usize> Radau<L> {
    /// λ, μ and w that belong to p and v, as large as they are there, and the time to the rank loss.
    pub(in super::super) fn settle_critical_point(
        &mut self,
        system: &mut dyn System,
        h: f64,
    ) -> Result<(), Failure> {
        let Some(mut critical) = self.critical.take() else { return Ok(()) };
        critical.attempted = false;
        let result = self.settle_with(&mut critical, system, h);
        self.critical = Some(critical);
        result
    }

    fn settle_with(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<(), Failure> {
        let l = self.layout;
        self.memory.passed = true;
        self.memory.shifts = 0;
        self.memory.time = None;
        let mut x = std::mem::take(&mut self.work.delta);
        x.copy_from_slice(&self.state.x);
        let mut found = self.multipliers_at(critical, system, &mut x, h);
        if found.is_ok() {
            let (t, model) = (self.state.t, &mut self.state.counted(system));
            found = critical.index1.refine(model, (t, &mut x), &mut critical.a);
        }
        if found.is_ok() {
            let (block, last) = (l.x.algebraic, self.tableau().stages - 1);
            for k in block.range() {
                self.stages.z[k][last] += x[k] - self.state.x[k];
                self.state.x[k] = x[k];
            }
            let tableau = &self.orders[self.order].tableau;
            self.stages.polynomial(tableau, &self.state.x, &mut self.state.contx);
        }
        self.work.delta = x;
        if self.comes_to_rest(critical, h) {
            return Err(self.failure(Code::SingularConfiguration, String::new()));
        }
        if self.turns() && critical.velocity.smallest() < self.next_to() {
            return Err(self.refused_turn());
        }
        match found {
            Err(Halt::Model(trouble)) => match self.setback(trouble) {
                Setback::Fatal(failure) => Err(*failure),
                // Not evaluable now: the next attempt meets it again and shortens the step.
                Setback::Reject { .. } => Ok(()),
            },
            // In the rank loss itself there are no multipliers: those of the last stage stand.
            _ => Ok(()),
        }
    }

    /// A turn next to a rank loss on which the tolerance decides ends the run, after a step that was not critical.
    pub(in super::super) fn refuse_turn(&mut self, h: f64) -> Result<(), Failure> {
        if self.has_fallen() && self.turns() && self.is_next_to_rank_loss(h, self.next_to()) {
            return Err(self.refused_turn());
        }
        Ok(())
    }

    fn turns(&self) -> bool {
        let last = self.tableau().stages - 1;
        let change = |k: usize| self.stages.z[k][last];
        let tolerance = (self.rtol_of_run, &self.orders[0].scaling.typical[..]);
        turning::is_explained(&self.layout, tolerance, &self.state.x, change)
    }

    fn next_to(&self) -> f64 {
        turning::next_to(self.rtol_of_run)
    }

    fn refused_turn(&self) -> Failure {
        self.failure(Code::SingularConfiguration, turning::REASON.to_string())
    }

    /// By the Jacobian in hand: a turn in a step of size h is one between the branches of a rank loss. It must be near and close at
    /// once: what begins to move in short steps turns as sharply, and constraints may be ill-conditioned everywhere.
    fn is_next_to_rank_loss(&mut self, h: f64, smallest: f64) -> bool {
        self.loses_rank_within(TURN_NEAR * h)
            && self.critical.as_ref().is_some_and(|critical| critical.velocity.smallest() < smallest)
    }

    /// For another method: its last step, of size h, which turned, ended next to a rank loss. `passed` is true if it was a critical step of this
    /// one.
    pub(in crate::methods) fn has_turned_next_to_rank_loss(
        &mut self,
        system: &mut dyn System,
        (h, smallest): (f64, f64),
        passed: bool,
    ) -> Result<bool, Setback> {
        if !passed {
            return Ok(self.loses_rank_here(system, TURN_NEAR * h)? && self.is_next_to_rank_loss(h, smallest));
        }
        let critical = self.critical.as_ref();
        Ok(critical.is_some_and(|critical| critical.velocity.smallest() < smallest))
    }

    /// True if the mechanism stands still in the rank loss: it could go on in more than one way.
    fn comes_to_rest(&self, critical: &Critical<L>, h: f64) -> bool {
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let (v, p) = (self.layout.x.v.of(&self.state.x), self.layout.x.p.of(&self.state.x));
        critical.velocity.smallest() < IN_IT && largest(v) * h < AT_REST * (1.0 + largest(p))
    }

    /// λ, μ and w in x, the accelerations in `critical.a`, and the time to the rank loss.
    pub(super) fn multipliers_at(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        x: &mut [f64],
        h: f64,
    ) -> Result<(), Halt> {
        let (t, model) = (self.state.t, &mut self.state.counted(system));
        let Critical { index1, velocity, ahead, a, .. } = critical;
        index1.linearize(model, &mut self.rows.derivatives, &mut self.mass, (t, x))?;
        if velocity.decompose(&index1.fx.fx[1], index1.fx.shape[1].0).is_ok() {
            self.memory.time = ahead.time(&self.layout, &index1.fx, velocity);
        }
        index1.decompose(&self.mass, model.stats)?;
        a.fill(0.0);
        index1.solve(model, &self.mass, (t, x), a, h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form, Layout};
    use crate::mechanism::samples::Circle;
    use crate::mechanism::{self, Mechanism, Model};
    use crate::methods::{Method, Plan};
    use crate::norm::Tolerance;
    use crate::options::{Options, Order, Singular};
    use crate::system::{JacobianBlocks, Outcome};

    /// The same dimensions, and no point where it can be evaluated.
    struct Nowhere;

    impl System for Nowhere {
        fn dimensions(&self) -> Dimensions {
            Circle.dimensions()
        }
        fn eom(&mut self, _t: f64, _x: &[f64], _rda: &mut [f64]) -> Outcome {
            Outcome::Retry
        }
        fn mass(&mut self, _t: f64, _x: &[f64], _mass: &mut [f64]) -> Outcome {
            Outcome::Retry
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, _t: f64, _x: &[f64], _fx: &mut JacobianBlocks) -> Outcome {
            Outcome::Retry
        }
    }

    /// The time to a rank loss is counted from the point before; a step as long as this one would be taken for critical by it.
    #[test]
    fn where_the_model_cannot_be_evaluated_the_time_to_the_rank_loss_is_not_that_of_another_point() {
        let (h, x0) = (1e-3, [1.0 - 0.8 * 9.81, -0.8, 0.6, 0.6, 0.8]);
        let options = Options { order: Order::Five, singular: Singular::Pass, ..Options::of_call() };
        let presented = mechanism::Options::new(Form::StrangenessFree, true);
        let mut system = Model::new(Circle, presented, 0.0, &x0);
        let layout = Layout::new(Circle.dimensions(), Form::StrangenessFree);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let mut radau = Radau::<3>::new(&layout, &options, &tolerance, true, (0.0, &x0, h));
        radau.make_room_for_critical_steps(0);
        let plan = Plan { h, t_new: h, cut_from: None, ends: false };
        let attempted = radau.attempt_to_pass(&mut system, h).expect("a critical step");
        radau.memory.time = Some(h);
        assert!(radau.follows_rank_loss(h));
        radau.accept(&plan, &attempted);
        assert!(radau.complete(&mut Nowhere, &plan).is_ok());
        assert!(!radau.follows_rank_loss(h), "{:?}", radau.memory);
    }
}
