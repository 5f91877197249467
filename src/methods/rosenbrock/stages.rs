//! The stages: one linear system each, with the same matrix.

use super::assemble::Wanted;
use super::tableau::{A, C, EMBEDDED, GAMMA, LAST_RATE, M, NODES, STAGES, TIME};
use super::{Rosenbrock, Setback};
use crate::error::Rejection;
use crate::linalg::{all_finite, LinalgError};
use crate::norm::weighted_rms;
use crate::system::System;

impl Rosenbrock {
    /// E = I/(hγ) - J.
    pub(super) fn shift(&mut self, h: f64) -> Result<(), Setback> {
        let reject = |why| Setback::Reject { why, factor: 0.5, component: None };
        self.state.stats.nedec += 1;
        self.shifted.factor(self.reduced.shape, &self.reduced.j, h * GAMMA).map_err(|e| match e {
            LinalgError::NotFinite => reject(Rejection::NotFinite { by: None }),
            _ => reject(Rejection::SingularMatrix),
        })
    }

    /// E U_i = f(Y_i) + Σ c_ij/h U_j + γ_i h f_t, Y_i = y + Σ a_ij U_j (HW II, (7.25)).
    pub(super) fn stages(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let n = self.free.len();
        self.u.resize(n * STAGES, 0.0);
        self.gather_rate(true);
        for i in 0..STAGES {
            if i > 0 && i <= LAST_RATE {
                self.combine(&A[i], i);
                let t = self.state.t + NODES[i] * h;
                let wanted = Wanted::at_stage(NODES[i], &self.options, self.least_rtol);
                self.evaluate(system, (t, h), wanted).map_err(|halt| self.setback(halt))?;
                self.gather_rate(false);
            }
            let (before, rest) = self.u.split_at_mut(i * n);
            let u = &mut rest[..n];
            for (k, u) in u.iter_mut().enumerate() {
                let sum: f64 = (0..i).map(|j| C[i][j] * before[j * n + k]).sum();
                *u = self.f[k] + sum / h + TIME[i] * h * self.reduced.time[k];
            }
            self.shifted.solve(&self.reduced.j, u);
            self.state.stats.nbsub += 1;
            if !all_finite(u) {
                return Err(Setback::Reject {
                    why: Rejection::NotFinite { by: None },
                    factor: 0.25,
                    component: None,
                });
            }
        }
        self.combine(&M, STAGES);
        Ok(())
    }

    /// z := z_n + Σ of the first `count` stages with these weights.
    fn combine(&mut self, weights: &[f64], count: usize) {
        let n = self.free.len();
        self.z.clear();
        self.z.extend((0..n).map(|k| {
            let sum: f64 = (0..count).map(|j| weights[j] * self.u[j * n + k]).sum();
            self.y[self.free[k]] + sum
        }));
    }

    /// The rates of the reduced state, at the last point or at the stage.
    fn gather_rate(&mut self, of_point: bool) {
        let rate = if of_point { &self.rate } else { &self.rate_new };
        self.f.clear();
        self.f.extend(self.free.iter().map(|&i| rate[i]));
    }

    /// Weighted rms norm of the difference to the embedded formula, which stays in `error`.
    pub(super) fn error_norm(&mut self) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(0.0);
        }
        let n = self.free.len();
        self.error.clear();
        self.error.extend(
            (0..n).map(|k| (0..STAGES).map(|j| (M[j] - EMBEDDED[j]) * self.u[j * n + k]).sum::<f64>()),
        );
        self.weigh(true);
        let err = weighted_rms(&self.error, &self.scal);
        if err.is_finite() {
            Ok(err)
        } else {
            Err(Setback::Reject { why: Rejection::NotFinite { by: None }, factor: 0.25, component: None })
        }
    }

    /// Weights of the reduced state: ATOL + RTOL times its size at the last point, or the larger one of both ends.
    pub(super) fn weigh(&mut self, both: bool) {
        self.scal.clear();
        self.scal.extend(self.free.iter().enumerate().map(|(k, &i)| {
            let old = self.y[i].abs();
            let size = if both { old.max(self.z[k].abs()) } else { old };
            self.atol[i] + self.rtol[i] * size
        }));
    }
}
