//! The simplified Newton iteration for the stages.

use super::{Radau, Setback, STRONG_GROWTH};
use crate::error::{Code, Rejection};
use crate::formulation::Missing;
use crate::linalg::Complex;
use crate::model;
use crate::newton::{Monitor, Verdict};
use crate::norm::dominating;
use crate::system::System;

impl<const L: usize> Radau<L> {
    /// Simplified Newton iteration for the stages; returns the number of iterations.
    pub(super) fn solve_stages(&mut self, system: &mut dyn System, h: f64) -> Result<u32, Setback> {
        let new_monitor = |faccon| {
            Monitor::new(
                self.options.nit,
                self.order().fnewt,
                self.options.uround,
                faccon,
                self.options.thet.abs(),
            )
        };
        // The rate of the last step says little about a step of quite another size: begin as in the first one.
        let grown = h > STRONG_GROWTH * self.state.h_last;
        let mut monitor = new_monitor(if grown { 1.0 } else { self.state.faccon });
        let fresh = new_monitor(1.0);
        let mut updates = self.options.newton_updates;
        self.stages.transform(&self.orders[self.order].tableau);
        loop {
            self.evaluate_residuals(system, h)?;
            self.solve_increments(h);
            self.state.stats.nbsub += 1;
            let norm = self.increment_norm();
            let verdict = monitor.judge(norm);
            self.state.theta = monitor.theta;
            match verdict {
                Verdict::Continue => self.stages.update(&self.orders[self.order].tableau),
                Verdict::Converged => {
                    self.stages.update(&self.orders[self.order].tableau);
                    self.state.faccon = monitor.faccon;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged
                    if norm.is_finite() && self.stages_at_round_off() =>
                {
                    self.stages.update(&self.orders[self.order].tableau);
                    self.state.faccon = 1.0;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged if updates > 0 => {
                    updates -= 1;
                    self.update_newton_matrix(system, h)?;
                    monitor = fresh;
                }
                Verdict::Slow { factor } => return Err(self.newton_failed(factor)),
                Verdict::Diverged => return Err(self.newton_failed(0.5)),
            }
        }
    }

    /// True if the increments are as small as rounding errors allow: with stiff forces and tight tolerances that is
    /// more than Newton's method is asked for, at any step size.
    fn stages_at_round_off(&mut self) -> bool {
        self.estimate_round_off();
        let lanes = self.tableau().stages;
        let mut left = 0.0;
        for ((dw, noise), weight) in self.stages.dw.iter().zip(&self.work.noise).zip(&self.work.weight) {
            left += dw.iter().map(|d| ((d.abs() - noise).max(0.0) * weight).powi(2)).sum::<f64>();
        }
        let converged = (left / (lanes * self.layout.n) as f64).sqrt() <= self.order().fnewt;
        self.state.stats.at_round_off += u64::from(converged);
        converged
    }

    pub(super) fn newton_failed(&mut self, factor: f64) -> Setback {
        for (d, dw) in self.work.delta.iter_mut().zip(&self.stages.dw) {
            // NaN counts as largest.
            *d = dw.iter().fold(0.0, |m: f64, d| if d.abs() <= m { m } else { d.abs() });
        }
        let component = dominating(&self.work.delta, &self.work.scal);
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
            let mut result = model::eom(system, Code::StoppedByEom, t, &self.stages.x, rda);
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
    pub(super) fn solve_increments(&mut self, h: f64) {
        let nz = self.formulation.reduced_size();
        let (algebraic, selected) = self.stages.r.split_at(self.layout.rda.rows3.end);
        let (dw, work, z) = (&mut self.stages.dw, &mut self.work.lanes, &mut self.work.z[..nz]);
        let (w, theta) = (&self.stages.w, self.orders[self.order].tableau.theta(h));
        let missing = if self.options.mass.is_constant() { Missing::All(w) } else { Missing::Kinematic(w) };
        self.state.stats.mass_multiplications +=
            self.formulation.mass_products(self.orders[self.order].tableau.stages);
        self.formulation.particular(&self.fx, algebraic, dw, work);
        self.formulation.reduced_rhs(&theta, selected, dw, missing, work, z);

        // What is not eliminated comes last.
        let y = &mut z[self.formulation.eliminated()..];
        let real = &mut self.work.z_real[..y.len()];
        real.iter_mut().zip(y.iter()).for_each(|(r, y)| *r = y[0]);
        self.e1.solve(real);
        y.iter_mut().zip(real.iter()).for_each(|(y, r)| y[0] = *r);
        let complex = &mut self.work.z_complex[..y.len()];
        for (k, e2) in self.e2.iter().enumerate().take(self.orders[self.order].tableau.stages / 2) {
            let (re, im) = (2 * k + 1, 2 * k + 2);
            complex.iter_mut().zip(y.iter()).for_each(|(c, y)| *c = Complex { re: y[re], im: y[im] });
            e2.solve(complex);
            y.iter_mut().zip(complex.iter()).for_each(|(y, c)| (y[re], y[im]) = (c.re, c.im));
        }
        self.formulation.substitute(&theta, z, work, dw);
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
