//! Jacobian, mass matrix, predecomposition, selectors and the reduced matrices E1, E2.

use super::*;
use crate::formulation::Selectors;
use crate::linalg::{LinalgError, SolverKind};
use crate::methods::setback::Result;
use crate::model;

impl<const L: usize> Radau<L> {
    /// Jacobian, mass matrix and predecomposition, unless those in hand can be used.
    pub(super) fn linearize(&mut self, system: &mut dyn System, h: f64) -> Result {
        if self.linearized != Linearized::Nowhere {
            return Ok(());
        }
        let reference = self.options.newton_reference();
        if reference == 0 || self.state.is_first() {
            self.linearize_at(system, None, h)
        } else {
            self.linearize_at(system, Some(self.reference_stage(reference)), h)
        }
    }

    /// The stage of NWTMAT: 1 the first, 2 the middle one, 3 the last.
    pub(super) fn reference_stage(&self, reference: u8) -> usize {
        let stages = self.tableau().stages;
        match reference {
            1 => 0,
            3 => stages - 1,
            _ => stages / 2,
        }
    }

    /// Linearise at x_k, or at the current iterate of a stage.
    pub(super) fn linearize_at(&mut self, system: &mut dyn System, stage: Option<usize>, h: f64) -> Result {
        let mut x = std::mem::take(&mut self.work.delta);
        let (t, here) = match stage {
            None => {
                x.copy_from_slice(&self.state.x);
                (self.state.t, Linearized::Here)
            }
            Some(i) => {
                x.copy_from_slice(self.stages.stage(i, &self.state.x));
                (self.state.t + self.tableau().nodes[i] * h, Linearized::Elsewhere)
            }
        };
        self.linearized = Linearized::Nowhere;
        let result = self.evaluate_matrices(system, t, &x);
        self.work.delta = x;
        result.map_err(|trouble| self.setback(trouble))?;
        self.state.stats.npdec += 1;
        let (fx, mass, scal) = (&self.fx, &self.mass, Some(&self.work.scal[..]));
        let count = &mut self.state.stats.mass_multiplications;
        if let Err(deficiency) = self.formulation.values().decompose(fx, mass, scal, count) {
            // A singular extrapolated point says nothing of x_k, a singular x_k cannot be avoided.
            return match stage {
                None => Err(Setback::Fatal(Box::new(self.rank_failure(&deficiency)))),
                Some(_) => self.linearize_at(system, None, h),
            };
        }
        self.linearized = here;
        Ok(())
    }

    /// Redundant constraints leave a part of the multipliers undetermined. Newton's method does not see it, so
    /// extrapolation would amplify its rounding errors from step to step: remove it from the starting values.
    pub(super) fn clear_undetermined(&mut self) {
        if self.formulation.deficiency() == 0 {
            return;
        }
        for i in 0..self.tableau().stages {
            self.stages.stage(i, &self.state.x);
            self.formulation.work_space().minimum_norm_correction(&self.stages.x, &mut self.work.delta);
            self.stages.z.iter_mut().zip(&self.work.delta).for_each(|(z, d)| z[i] += d);
        }
    }

    pub(super) fn evaluate_matrices(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> model::Result {
        self.rows.jacobian(system, (t, x), &mut self.fx, &mut self.state.stats)?;
        self.forget_closing();
        self.mass.evaluate(system, t, x, &mut self.state.stats.nmas)
    }

    /// Selectors S_p, S_v (SELCOMP), and the reduced matrices B and C.
    pub(super) fn choose_selectors(&mut self) {
        if self.formulation.factored_for().is_some() && !self.renew_selectors {
            return;
        }
        let keep = !self.renew_selectors
            && !self.options.selectors_every_step
            && self.options.decompose_differential == SolverKind::Lu;
        self.renew_selectors = false;
        let chosen = self.formulation.values().select_and_reduce(&self.fx, &self.mass, keep);
        let stats = &mut self.state.stats;
        stats.pivot_changes += u64::from(chosen == Selectors::PivotsChanged);
        stats.selectors_poor += u64::from(chosen == Selectors::Poor);
        stats.nsel += u64::from(chosen != Selectors::Kept);
    }

    /// E1 and E2 (GEDECDLU), unless those in hand belong to this step size.
    pub(super) fn decompose_reduced(&mut self, h: f64) -> Result {
        if self.formulation.factored_for().is_some_and(|shifts| shifts.h == h) {
            return Ok(());
        }
        self.state.stats.nedec += 1;
        self.factor_reduced(h).map_err(|_| singular())?;
        self.singular = 0;
        Ok(())
    }

    /// Assemble and decompose E1 and E2 for the step size h.
    #[inline(never)] // a part of `make profile`
    pub(super) fn factor_reduced(&mut self, h: f64) -> Result<(), LinalgError> {
        let of = self.tableau().of;
        let shifts = Shifts { gamma: of.gamma, pairs: of.pairs, h };
        self.formulation.factor(shifts, |formulation| formulation.factor(&shifts)).map(|_| ())
    }
}

/// E1 or E2 cannot be used.
pub(super) fn singular() -> Setback {
    Setback::Reject { why: Rejection::SingularMatrix, factor: 0.5, component: None }
}
