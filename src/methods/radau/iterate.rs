//! The simplified Newton iteration for the stages.

use super::linearize::singular;
use super::{Radau, Setback, STRONG_GROWTH};
use crate::error::Rejection;
use crate::formulation::Missing;
use crate::layout::Form;
use crate::newton::{Monitor, Verdict};
use crate::norm::dominating;
use crate::options::StageMultipliers;
use crate::system::System;

/// A new Newton matrix within a step that the multipliers make fail (NWTMULT=-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rescue {
    Refused,
    Offered,
    Taken,
}

impl<const L: usize> Radau<L> {
    /// Simplified Newton iteration for the stages; returns the number of iterations.
    pub(super) fn solve_stages(&mut self, system: &mut dyn System, h: f64) -> Result<u32, Setback> {
        let new_monitor = |faccon| {
            Monitor::new(
                self.most_iterations(),
                self.newton_tolerance(),
                self.options.uround,
                faccon,
                self.options.thet.abs(),
            )
        };
        // The rate of the last step says little about a step of quite another size: begin as in the first one.
        let grown = h > STRONG_GROWTH * self.state.h_last;
        let mut monitor = new_monitor(if grown { 1.0 } else { self.faccon });
        let fresh = new_monitor(1.0);
        let mut updates = self.options.newton_updates;
        self.stages.transform(&self.orders[self.order].tableau);
        loop {
            self.evaluate_residuals(system, h)?;
            self.solve_increments()?;
            self.state.stats.nbsub += 1;
            let norm = self.increment_norm();
            self.evidence.increment = norm;
            let verdict = monitor.judge(norm);
            self.state.theta = monitor.theta;
            match verdict {
                Verdict::Continue => self.stages.update(&self.orders[self.order].tableau),
                Verdict::Converged => {
                    self.stages.update(&self.orders[self.order].tableau);
                    self.faccon = monitor.faccon;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged
                    if norm.is_finite() && self.stages_at_round_off() =>
                {
                    self.stages.update(&self.orders[self.order].tableau);
                    self.faccon = 1.0;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged if updates > 0 => {
                    updates -= 1;
                    self.update_newton_matrix(system, h)?;
                    monitor = fresh;
                }
                Verdict::Slow { .. } | Verdict::Diverged if self.is_rescued(h) => {
                    self.update_newton_matrix(system, h)?;
                    monitor = fresh;
                }
                Verdict::Slow { factor } => return Err(self.newton_failed(factor)),
                Verdict::Diverged => return Err(self.newton_failed(0.5)),
            }
        }
    }

    /// True once, if it may be, where the multipliers make Newton's method fail, and not a rank loss.
    fn is_rescued(&mut self, h: f64) -> bool {
        if self.rescue != Rescue::Offered {
            return false;
        }
        let component = self.largest_increment();
        let rescued =
            component.is_some_and(|i| self.layout.x.algebraic.contains(i)) && !self.newton_meets_rank_loss(h);
        if rescued {
            self.rescue = Rescue::Taken;
        }
        rescued
    }

    /// NIT; with NWTMULT=1 one more for each stage beyond three (RADAU: 2.5).
    pub(super) fn most_iterations(&self) -> u32 {
        let more = if self.options.stage_multipliers == StageMultipliers::Dynamics {
            self.tableau().stages - 3
        } else {
            0
        };
        self.options.nit.saturating_add(more as u32)
    }

    /// True if the increments are as small as rounding errors allow: with stiff forces and tight tolerances that is
    /// more than Newton's method is asked for, at any step size.
    pub(super) fn stages_at_round_off(&mut self) -> bool {
        self.estimate_round_off();
        if self.layout.form == Form::Index1 {
            self.round_off_of_stage_multipliers();
        }
        let lanes = self.tableau().stages;
        let t = self.tableau().t;
        let (mut transformed, mut stages) = (0.0, 0.0);
        for ((dw, noise), weight) in self.stages.dw.iter().zip(&self.work.noise).zip(&self.work.weight) {
            let left = |d: f64| ((d.abs() - noise).max(0.0) * weight).powi(2);
            transformed += dw.iter().map(|d| left(*d)).sum::<f64>();
            let of_stage = |i: usize| t.iter().zip(dw).map(|(column, d)| column[i] * d).sum::<f64>();
            stages += (0..lanes).map(|i| left(of_stage(i))).sum::<f64>();
        }
        // The rows of T⁻¹ add up to 5 with three stages, to 600 with seven: rounding errors of the stages' size are that much
        // larger in W, and are as they were in Z.
        let left = if lanes > 3 { stages.min(transformed) } else { transformed };
        let converged = (left / (lanes * self.layout.n) as f64).sqrt() <= self.newton_tolerance();
        self.state.stats.at_round_off += u64::from(converged);
        converged
    }

    /// The component whose increments are largest in the norm.
    fn largest_increment(&mut self) -> Option<usize> {
        for (d, dw) in self.work.delta.iter_mut().zip(&self.stages.dw) {
            // NaN counts as largest.
            *d = dw.iter().fold(0.0, |m: f64, d| if d.abs() <= m { m } else { d.abs() });
        }
        dominating(&self.work.delta, &self.work.scal)
    }

    pub(super) fn newton_failed(&mut self, factor: f64) -> Setback {
        let component = self.largest_increment();
        Setback::Reject { why: Rejection::Newton { theta: self.state.theta }, factor, component }
    }

    /// New Newton matrix at the current iterate (NWTUPD): at the stage of NWTMAT, or the middle one.
    pub(super) fn update_newton_matrix(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let stage = self.reference_stage(self.options.newton_reference());
        self.state.stats.newton_updates += 1;
        self.linearize_at(system, Some(stage), h)?;
        self.choose_selectors();
        self.decompose_reduced(h)
    }

    /// b = T⁻¹R with R_i = rhs(X_i) - M_i·(A⁻¹Z)_i/h, M_i the mass matrix OF THAT STAGE: with M(x_k)
    /// in all stages the order would fall from 5 to 1 for a mass matrix that depends on positions.
    pub(super) fn evaluate_residuals(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let varying = !self.options.mass.is_constant();
        let l = self.layout;
        let (constraints, tableau) = (l.rda.rows3.end, &self.orders[self.order].tableau);
        if varying {
            self.stages.velocity_rates(tableau, l.x.v);
        }
        for i in 0..tableau.stages {
            let t = self.state.t + tableau.nodes[i] * h;
            self.stages.stage(i, &self.state.x);
            self.state.stats.neom += 1;
            let rda = &mut self.work.rhs;
            let mut result = self.rows.eom(system, t, &self.stages.x, rda);
            if result.is_ok() && varying {
                result = self.stage_mass.evaluate(system, t, &self.stages.x, &mut self.state.stats.nmas);
            }
            if let Err(trouble) = result {
                return Err(self.setback(trouble));
            }
            if varying {
                let block = &mut self.work.block[..l.n3()];
                block.iter_mut().zip(&self.stages.rates).for_each(|(b, rate)| *b = rate[i]);
                let count = &mut self.state.stats.mass_multiplications;
                let rows = self.formulation.selected_dynamics();
                self.stage_mass.add_rows(rows, -1.0 / h, block, l.rda.f_dyn.of_mut(rda), count);
            }
            let (algebraic, selected) = self.stages.r.split_at_mut(constraints);
            algebraic.iter_mut().zip(rda.iter()).for_each(|(r, v)| r[i] = *v);
            for (r, &row) in selected.iter_mut().zip(self.formulation.selected_rows()) {
                r[i] = rda[row];
            }
        }
        self.stages.transform_residuals(tableau, constraints + self.formulation.reduced_size());
        Ok(())
    }

    /// ΔW from the real and the complex systems.
    #[inline(never)] // a part of `make profile`
    pub(super) fn solve_increments(&mut self) -> Result<(), Setback> {
        let residuals = self.stages.r.split_at(self.layout.rda.rows3.end);
        let (w, stages) = (&self.stages.w, self.orders[self.order].tableau.stages);
        let missing = if self.options.mass.is_constant() { Missing::All(w) } else { Missing::Kinematic(w) };
        self.state.stats.mass_multiplications += self.formulation.mass_products(stages);
        let mut factored = self.formulation.factored().ok_or_else(singular)?;
        factored.solve(&self.fx, residuals, missing, &mut self.work.lanes, &mut self.stages.dw);
        Ok(())
    }

    /// ‖ΔW‖ over all stages, (19).
    pub(super) fn increment_norm(&self) -> f64 {
        let mut sum = [0.0; L];
        for (dw, weight) in self.stages.dw.iter().zip(&self.work.weight) {
            for (s, d) in sum.iter_mut().zip(dw) {
                *s += (d * weight) * (d * weight);
            }
        }
        (sum.iter().sum::<f64>() / (self.tableau().stages * self.layout.n) as f64).sqrt()
    }
}
