//! The end of a step: what is left of the constraints is measured, and multipliers that redundant ones leave open are the least.

use super::{subtract, Radau, Setback};
use crate::error::Failure;
use crate::options::StageMultipliers;
use crate::system::System;

/// Part of the tolerance that may be left of a constraint. The derivatives in hand, which say what the tolerance is in its units,
/// belong to a point nearby.
const LEFT: f64 = 0.5;
/// Increments that fall by less do not converge.
const STAGNANT: f64 = 0.9;

impl<const L: usize> Radau<L> {
    /// How far the last increment of Newton's method is from the solution is inferred from its rate, and the first increments of a
    /// step exaggerate that. Where the tolerance is kept only if the rate is believed, the constraints at the end are evaluated,
    /// which the next step needs anyway, and Newton's method goes on until they are satisfied. Not with NWTMULT=0: the call's steps
    /// and counters are those of the manual.
    pub(super) fn confirm_constraints(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let measured =
            self.options.stage_multipliers == StageMultipliers::Automatic && !self.options.fixed_step;
        if !measured || self.evidence.increment * self.order().scaling.loosened() <= LEFT {
            return Ok(());
        }
        while self.left_of_constraints(system, h)? > LEFT {
            let before = self.evidence.increment;
            if self.evidence.iterations >= self.most_iterations() || !self.iterate_again(system, h)? {
                return Err(self.newton_failed(0.5));
            }
            if self.evidence.increment > STAGNANT * before {
                // At rounding errors more cannot be had.
                let settled = self.stages_at_round_off();
                return if settled { Ok(()) } else { Err(self.newton_failed(0.5)) };
            }
        }
        self.work.end_valid = true;
        Ok(())
    }

    /// One more iteration for the stages; false if its increment is not a number.
    fn iterate_again(&mut self, system: &mut dyn System, h: f64) -> Result<bool, Setback> {
        self.evaluate_residuals(system, h)?;
        self.solve_increments()?;
        self.state.stats.nbsub += 1;
        let (norm, before) = (self.increment_norm(), self.evidence.increment);
        if !norm.is_finite() {
            return Ok(false);
        }
        self.stages.update(&self.orders[self.order].tableau);
        self.evidence.iterations += 1;
        self.evidence.increment = norm;
        let rate = (norm / before).max(self.state.theta).min(STAGNANT);
        (self.state.theta, self.faccon) = (rate, rate / (1.0 - rate));
        Ok(true)
    }

    /// The largest residual of a constraint at the end of the attempted step, in units of what errors of the tolerance in all
    /// components would make of it.
    fn left_of_constraints(&mut self, system: &mut dyn System, h: f64) -> Result<f64, Setback> {
        let l = self.layout;
        let stages = self.tableau().stages;
        let mut x = std::mem::take(&mut self.work.delta);
        x.copy_from_slice(&self.state.x);
        self.stages.add_last(stages, &mut x);
        self.state.stats.neom += 1;
        let result = self.rows.eom(system, self.state.t + h, &x, &mut self.work.end);
        let allowed = &mut self.work.rhs[..l.rda.rows3.end];
        allowed.fill(0.0);
        let scaling = &self.orders[self.order].scaling;
        for (block, (rows, first)) in self.fx.fx.iter().zip(l.fx_position()).take(3) {
            for (column, j) in block.chunks_exact(rows.len().max(1)).zip(first..) {
                let error = scaling.tolerance(j, x[j]);
                rows.of_mut(allowed).iter_mut().zip(column).for_each(|(a, fx)| *a += fx.abs() * error);
            }
        }
        self.work.delta = x;
        if let Err(trouble) = result {
            return Err(self.setback(trouble));
        }
        let allowed = &self.work.rhs[..l.rda.rows3.end];
        let rows = self.work.end.iter().zip(allowed).enumerate();
        // Invariants have a criterion of their own, and what depends on nothing cannot be changed.
        let judged = rows.filter(|(i, (_, allowed))| !l.rda.e.contains(*i) && **allowed > 0.0);
        Ok(judged.fold(0.0f64, |most, (_, (row, allowed))| most.max(row.abs() / allowed)))
    }

    /// The rows at the end of the step that is accepted, if they were measured, are those here.
    pub(super) fn take_measured_end(&mut self) {
        if std::mem::take(&mut self.work.end_valid) {
            std::mem::swap(&mut self.work.end, &mut self.work.here);
            self.work.here_valid = true;
        }
    }

    /// Redundant constraints leave the multipliers undetermined: take those of minimum norm. They are
    /// found in the row space of FX1 at the new point, whose linearisation serves the next step.
    pub(super) fn minimise_multipliers(&mut self, system: &mut dyn System, h: f64) -> Result<(), Failure> {
        self.weigh(h);
        match self.linearize_at(system, None, h) {
            Ok(()) => {}
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // Not evaluable now: the next attempt meets it again and shortens the step.
            Err(Setback::Reject { .. }) => return Ok(()),
        }
        let state = &mut self.state;
        self.formulation.work_space().minimum_norm_correction(&state.x, &mut self.work.delta);
        let tableau = &self.orders[self.accepted_order].tableau;
        for (z, d) in self.stages.z.iter_mut().zip(&self.work.delta) {
            // The stages have none of it at x_k, the end must have none at x_{k+1}: interpolate.
            z.iter_mut().zip(&tableau.nodes).for_each(|(z, c)| *z += c * d);
        }
        subtract(&mut state.x, -1.0, &self.work.delta);
        self.stages.polynomial(tableau, &state.x, &mut state.contx);
        self.work.here_valid = false;
        Ok(())
    }
}
