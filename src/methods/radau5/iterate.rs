//! The simplified Newton iteration for the stages.

use super::{subtract, Radau5, Setback, STRONG_GROWTH};
use crate::error::{Code, Rejection};
use crate::linalg::Complex;
use crate::methods::tableau::NODES;
use crate::model;
use crate::newton::{Monitor, Verdict};
use crate::norm::{dominating, excess_square, weighted_square};
use crate::system::System;

impl Radau5 {
    /// Simplified Newton iteration for the stages; returns the number of iterations.
    pub(super) fn solve_stages(&mut self, system: &mut dyn System, h: f64) -> Result<u32, Setback> {
        let new_monitor = |faccon| {
            Monitor::new(self.options.nit, self.fnewt, self.options.uround, faccon, self.options.thet.abs())
        };
        // The rate of the last step says little about a step of quite another size: begin as in the first one.
        let grown = h > STRONG_GROWTH * self.state.h_last;
        let mut monitor = new_monitor(if grown { 1.0 } else { self.state.faccon });
        let fresh = new_monitor(1.0);
        let mut updates = self.options.newton_updates;
        self.stages.transform(&self.transformation);
        loop {
            self.evaluate_residuals(system, h)?;
            self.solve_increments(h);
            self.state.stats.nbsub += 1;
            let norm = self.increment_norm();
            let verdict = monitor.judge(norm);
            self.state.theta = monitor.theta;
            match verdict {
                Verdict::Continue => self.stages.update(&self.transformation),
                Verdict::Converged => {
                    self.stages.update(&self.transformation);
                    self.state.faccon = monitor.faccon;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged
                    if norm.is_finite() && self.stages_at_round_off() =>
                {
                    self.stages.update(&self.transformation);
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
        let left: f64 =
            self.stages.dw.iter().map(|dw| excess_square(dw, &self.work.noise, &self.work.scal)).sum();
        let converged = (left / (3 * self.layout.n) as f64).sqrt() <= self.fnewt;
        self.state.stats.at_round_off += u64::from(converged);
        converged
    }

    pub(super) fn newton_failed(&self, factor: f64) -> Setback {
        let component = self.stages.dw.iter().find_map(|dw| dominating(dw, &self.work.scal));
        Setback::Reject { why: Rejection::Newton { theta: self.state.theta }, factor, component }
    }

    /// New Newton matrix at the current iterate (NWTUPD): at the stage of NWTMAT, or the middle one.
    pub(super) fn update_newton_matrix(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let stage = match self.options.newton_reference {
            0 => 1,
            i => usize::from(i) - 1,
        };
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
        for (i, c) in NODES.iter().enumerate() {
            let t = self.state.t + c * h;
            self.stages.stage(i, &self.state.x);
            self.state.stats.neom += 1;
            let r = &mut self.stages.r[i];
            let mut result = model::eom(system, Code::StoppedByEom, t, &self.stages.x, r);
            if result.is_ok() && varying {
                result = self.stage_mass.evaluate(system, t, &self.stages.x, &mut self.state.stats.nmas);
            }
            result.map_err(|trouble| self.setback(trouble))?;
            if varying {
                let (block, product) = (&mut self.work.block[..l.n3()], &mut self.work.product[..l.n3()]);
                self.stages.derivative(&self.transformation, i, h, l.x.v, block);
                self.stage_mass.mul(1, block, product, &mut self.state.stats.mass_multiplications);
                subtract(l.rda.f_dyn.of_mut(&mut self.stages.r[i]), 1.0, product);
            }
        }
        self.stages.transform_residuals(&self.transformation);
        self.subtract_derivatives(h, !varying);
        Ok(())
    }

    /// The part of the residuals that is linear in W: Λ·W/h on r and p, and M·Λ·W/h on v if M is constant.
    pub(super) fn subtract_derivatives(&mut self, h: f64, velocities: bool) {
        let l = self.layout;
        let tr = &self.transformation;
        let (gamma, alpha, beta) = (tr.gamma / h, tr.alpha / h, tr.beta / h);
        for (rows, block, with_mass) in
            [(l.rda.b, l.x.r, false), (l.rda.f_kin, l.x.p, false), (l.rda.f_dyn, l.x.v, true)]
        {
            if block.is_empty() || (with_mass && !velocities) {
                continue;
            }
            for (j, terms) in
                [[(0, gamma), (0, 0.0)], [(1, alpha), (2, -beta)], [(2, alpha), (1, beta)]].iter().enumerate()
            {
                let out = &mut self.work.block[..block.len()];
                out.fill(0.0);
                for &(k, factor) in terms {
                    if factor != 0.0 {
                        subtract(out, -factor, block.of(&self.stages.w[k]));
                    }
                }
                if with_mass {
                    let product = &mut self.work.product[..block.len()];
                    self.mass.mul(1, out, product, &mut self.state.stats.mass_multiplications);
                    subtract(rows.of_mut(&mut self.stages.r[j]), 1.0, product);
                } else {
                    subtract(rows.of_mut(&mut self.stages.r[j]), 1.0, out);
                }
            }
        }
    }

    /// ΔW from the real and the complex system.
    pub(super) fn solve_increments(&mut self, h: f64) {
        let nz = self.formulation.reduced_size();
        let tr = &self.transformation;
        let theta = Complex { re: tr.alpha / h, im: tr.beta / h };
        let gamma = tr.gamma / h;
        let count = &mut self.state.stats.mass_multiplications;
        let (form, fx, mass) = (&mut self.formulation, &self.fx, &self.mass);
        let [b1, b2, b3] = &self.stages.r;
        let [dw1, dw2, dw3] = &mut self.stages.dw;
        let (re, im) = (&mut self.work.z_re[..nz], &mut self.work.z_im[..nz]);

        form.particular(fx, b1, dw1);
        form.real_rhs(mass, gamma, b1, dw1, re, count);
        self.e1.solve(re);
        form.substitute(re, dw1);

        form.particular(fx, b2, dw2);
        form.particular(fx, b3, dw3);
        form.complex_rhs(mass, theta, (b2, b3), (dw2, dw3), re, im, count);
        let z = &mut self.work.z_complex[..nz];
        for ((z, re), im) in z.iter_mut().zip(re.iter()).zip(im.iter()) {
            *z = Complex { re: *re, im: *im };
        }
        self.e2.solve(z);
        for ((z, re), im) in z.iter().zip(re.iter_mut()).zip(im.iter_mut()) {
            (*re, *im) = (z.re, z.im);
        }
        form.substitute(re, dw2);
        form.substitute(im, dw3);
    }

    /// ‖ΔW‖ over all three stages, (19).
    pub(super) fn increment_norm(&self) -> f64 {
        let sum: f64 = self.stages.dw.iter().map(|dw| weighted_square(dw, &self.work.scal)).sum();
        (sum / (3 * self.layout.n) as f64).sqrt()
    }
}
