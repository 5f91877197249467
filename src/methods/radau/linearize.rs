//! Jacobian, mass matrix, predecomposition, selectors and the reduced matrices E1, E2.

use super::{Radau, Setback};
use crate::decompose::DecompositionKind;
use crate::error::{Code, Rejection};
use crate::linalg::{Complex, LinalgError, SolverKind};
use crate::methods::state::Linearized;
use crate::model::{self, Trouble};
use crate::system::System;

impl<const L: usize> Radau<L> {
    /// Jacobian, mass matrix and predecomposition, unless those in hand can be used.
    pub(super) fn linearize(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if self.state.linearized != Linearized::Nowhere {
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
    pub(super) fn linearize_at(
        &mut self,
        system: &mut dyn System,
        stage: Option<usize>,
        h: f64,
    ) -> Result<(), Setback> {
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
        self.state.linearized = Linearized::Nowhere;
        let result = self.evaluate_matrices(system, t, &x);
        self.work.delta = x;
        result.map_err(|trouble| self.setback(trouble))?;
        self.state.stats.npdec += 1;
        self.decomposed_for = 0.0;
        if let Err(deficiency) = self.formulation.predecompose(&self.fx, Some(&self.work.scal)) {
            // A singular extrapolated point may be avoided by a smaller step; a singular x_k cannot.
            return match stage {
                None => Err(Setback::Fatal(Box::new(self.rank_failure(&deficiency)))),
                Some(_) => {
                    let why = Rejection::SingularMatrix;
                    Err(Setback::Reject { why, factor: 0.5, component: None })
                }
            };
        }
        self.formulation.apply_mass(&self.mass, &mut self.state.stats.mass_multiplications);
        self.state.linearized = here;
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
            self.formulation.minimum_norm_correction(&self.stages.x, &mut self.work.delta);
            self.stages.z.iter_mut().zip(&self.work.delta).for_each(|(z, d)| z[i] += d);
        }
    }

    pub(super) fn evaluate_matrices(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
    ) -> Result<(), Trouble> {
        let stats = &mut self.state.stats;
        if self.analytic {
            model::jacobian(system, t, x, &mut self.fx, &mut stats.njac)?;
        } else {
            stats.njac += 1;
            let central = self.options.decompose_constraints == DecompositionKind::Svd;
            self.differences.evaluate(
                system,
                &self.layout,
                Code::StoppedByEomInDifferences,
                central,
                (t, x),
                &self.orders[0].scaling.typical,
                &mut self.fx,
                &mut stats.eom_for_differences,
            )?;
        }
        self.mass.evaluate(system, t, x, &mut stats.nmas)
    }

    /// Selectors S_p, S_v (SELCOMP), and the reduced matrices B and C.
    pub(super) fn choose_selectors(&mut self) {
        if self.decomposed_for != 0.0 && !self.renew_selectors {
            return;
        }
        let keep = !self.renew_selectors
            && !self.options.selectors_every_step
            && self.options.decompose_differential == SolverKind::Lu
            && self.formulation.watches_pivots()
            && self.formulation.selectors_fit();
        let changed = self.formulation.pivots_changed();
        let poor = keep && !changed && self.formulation.selectors_poor(&self.fx);
        if !keep || changed || poor {
            if keep && changed {
                self.state.stats.pivot_changes += 1;
            }
            if poor {
                self.state.stats.selectors_poor += 1;
            }
            self.formulation.select(&self.fx);
            self.state.stats.nsel += 1;
        }
        self.renew_selectors = false;
        self.decomposed_for = 0.0;
        self.formulation.reduce(&self.fx, &self.mass);
    }

    /// E1 and E2 (GEDECDLU), unless those in hand belong to this step size.
    pub(super) fn decompose_reduced(&mut self, h: f64) -> Result<(), Setback> {
        if self.decomposed_for == h {
            return Ok(());
        }
        self.state.stats.nedec += 1;
        if self.factor_reduced(h).is_err() {
            let why = Rejection::SingularMatrix;
            return Err(Setback::Reject { why, factor: 0.5, component: None });
        }
        self.singular = 0;
        Ok(())
    }

    /// Assemble and decompose E1 and E2 for the step size h.
    pub(super) fn factor_reduced(&mut self, h: f64) -> Result<(), LinalgError> {
        let order = self.formulation.system_size();
        let of = self.tableau().of;
        self.decomposed_for = 0.0;
        self.e1.resize(order);
        self.formulation.real_matrix(of.gamma / h, self.e1.matrix_mut());
        self.e1.factor()?;
        for (e2, (alpha, beta)) in self.e2.iter_mut().zip(of.pairs) {
            e2.resize(order);
            self.formulation.complex_matrix(Complex { re: alpha / h, im: beta / h }, e2.matrix_mut());
            e2.factor()?;
        }
        self.decomposed_for = h;
        Ok(())
    }
}
