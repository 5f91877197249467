//! w, λ, μ at the end of a step from d = 0, gII = 0, hI = 0, where Newton's method has left out gII and hI (NWTMULT=1).
//!
//! FX1 of the step's linearisation belongs to another point, so an iteration with it converges at a rate of h. Broyden's method
//! in the form that keeps the increments (Kelley, Iterative Methods for Linear and Nonlinear Equations, 1995, 7.3) makes that
//! superlinear at the cost of inner products. The last evaluation serves the next step, and what Newton's method knows of the last
//! stage, whose end this is, serves the first increment.

use super::linearize::singular;
use super::{Radau, Rows, Setback};
use crate::decompose::{ConstraintDecomposition, DecompositionKind};
use crate::linalg::Scalar;
use crate::rank::RankPolicy;
use crate::system::System;

/// Increments after which w, λ, μ count as not determined.
const MOST: usize = 10;

/// FX1 on the columns of w, λ, μ, and the increments of Broyden's method.
#[derive(Debug)]
pub(super) struct Closing {
    policy: RankPolicy,
    block: ConstraintDecomposition,
    /// The block is that of the linearisation in hand.
    pub(super) decomposed: bool,
    /// Of d, gII, hI.
    residuals: Vec<f64>,
    /// Increments in units of the tolerance.
    increments: Vec<f64>,
    squares: [f64; MOST],
    scale: Vec<f64>,
    /// The rows at the end of the attempted step, and whether they are up to date.
    pub(super) end: Vec<f64>,
    pub(super) evaluated: bool,
}

impl Closing {
    /// None if Newton's method sees all rows.
    pub(super) fn new(rows: &Rows, kind: DecompositionKind, policy: RankPolicy) -> Option<Self> {
        let (l, m1) = (&rows.layout, rows.layout.m1());
        rows.whole.as_ref().map(|_| Closing {
            policy,
            block: ConstraintDecomposition::new(kind, m1, l.n1()),
            decomposed: false,
            residuals: vec![0.0; m1],
            increments: vec![0.0; l.n1() * MOST],
            squares: [0.0; MOST],
            scale: vec![1.0; m1.max(l.n1())],
            end: vec![0.0; rows.newton_layout().m],
            evaluated: false,
        })
    }

    /// Decompose FX1; false if its rank is not the expected one.
    fn decompose(&mut self, rows: &Rows, deficiency: usize) -> bool {
        let Some(whole) = &rows.whole else { return false };
        let (m, n) = (rows.layout.m1(), rows.layout.n1());
        let a = &whole.fx.fx[0][..m * n];
        self.scale.fill(1.0);
        if self.block.decompose(m, a, &self.scale).is_err() {
            return false;
        }
        let rank = self.policy.rank(self.block.magnitudes(), self.policy.acceleration, Some(m - deficiency));
        self.decomposed = rank == m - deficiency && self.block.set_rank(rank).is_ok();
        self.decomposed
    }

    /// The increment number k, in units of the tolerance, for residuals of d, gII, hI; its norm.
    fn increment(&mut self, k: usize, residuals: &[f64], weight: &[f64]) -> f64 {
        let n = weight.len();
        let (before, now) = self.increments.split_at_mut(n * k);
        let now = &mut now[..n];
        self.block.particular(residuals, now);
        now.iter_mut().zip(weight).for_each(|(d, w)| *d *= w);
        for j in 1..k {
            let (last, this) = (&before[n * (j - 1)..n * j], &before[n * j..n * (j + 1)]);
            f64::axpy(f64::dot(last, now) / self.squares[j - 1], this, now);
        }
        if k > 0 {
            let left = 1.0 - f64::dot(&before[n * (k - 1)..], now) / self.squares[k - 1];
            now.iter_mut().for_each(|d| *d /= left);
        }
        self.squares[k] = f64::dot(now, now);
        (self.squares[k] / n.max(1) as f64).sqrt()
    }
}

impl<const L: usize> Radau<L> {
    /// FX1 has changed.
    pub(super) fn forget_closing(&mut self) {
        if let Some(closing) = &mut self.closing {
            closing.decomposed = false;
        }
    }

    /// The end of an attempt that was given up is none of this one, which may be critical and leave no rows of its own.
    pub(super) fn forget_end(&mut self) {
        if let Some(closing) = &mut self.closing {
            closing.evaluated = false;
        }
    }

    /// The rows at the end of the step that is accepted, if they are known, are those here.
    pub(super) fn take_end(&mut self) {
        self.work.here_valid = false;
        if let Some(closing) = self.closing.as_mut().filter(|closing| closing.evaluated) {
            std::mem::swap(&mut closing.end, &mut self.work.here);
            (closing.evaluated, self.work.here_valid) = (false, true);
        }
    }

    /// Solve d = 0, gII = 0, hI = 0 for w, λ, μ at the end of the attempted step.
    pub(super) fn determine_multipliers(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        let Some(mut closing) = self.closing.take() else { return Ok(()) };
        let result = self.close(system, h, &mut closing);
        self.closing = Some(closing);
        result
    }

    /// w, λ, μ of the last stage from its residuals before the last increment of Newton's method, which are in hand.
    pub(super) fn correct_last_stage(&mut self) -> Result<(), Setback> {
        let (Some(closing), Some(whole)) = (&mut self.closing, &self.rows.whole) else { return Ok(()) };
        if !closing.decomposed && !closing.decompose(&self.rows, self.formulation.deficiency()) {
            return Err(singular());
        }
        let tableau = &self.orders[self.order].tableau;
        let (block, m1, last) = (self.layout.x.algebraic, self.rows.layout.m1(), tableau.stages - 1);
        closing.residuals.copy_from_slice(self.rows.layout.rda.rows1.of(&whole.rda));
        for (column, dw) in whole.fx.fx[0].chunks_exact(m1).zip(&self.stages.dw) {
            let dz: f64 = tableau.t.iter().zip(dw).map(|(t, d)| t[last] * d).sum();
            f64::axpy(-dz, column, &mut closing.residuals);
        }
        let change = &mut closing.increments[..block.len()];
        closing.block.particular(&closing.residuals, change);
        self.stages.z[block.range()].iter_mut().zip(change).for_each(|(z, d)| z[last] += *d);
        Ok(())
    }

    /// Errors of w, λ, μ at the end of a step: what those of r, v, s, p in `work.err` make of d, gII, hI, as with NWTMULT=0. That
    /// of the stages, which the dynamic rows give, is another one.
    pub(super) fn error_of_multipliers(&mut self, h: f64) {
        let (Some(closing), Some(whole)) = (&mut self.closing, &self.rows.whole) else { return };
        if !closing.decomposed {
            return;
        }
        let (block, m1) = (self.layout.x.algebraic, self.rows.layout.m1());
        closing.residuals.fill(0.0);
        let columns = whole.fx.fx[0].chunks_exact(m1).zip(&self.work.err).skip(block.end);
        columns.for_each(|(column, e)| f64::axpy(-e, column, &mut closing.residuals));
        let err = block.of_mut(&mut self.work.err);
        closing.block.particular(&closing.residuals, err);
        // The weights of Newton's method have a factor of h on this block.
        err.iter_mut().for_each(|e| *e /= h.min(1.0));
    }

    /// `work.noise` of w, λ, μ at the end of a step, from that of the other components and rounding errors of the rows.
    pub(super) fn round_off_of_multipliers(&mut self, h: f64) {
        let (Some(closing), Some(whole)) = (&mut self.closing, &self.rows.whole) else { return };
        if !closing.decomposed {
            return;
        }
        let (block, m1, noise) = (self.layout.x.algebraic, self.rows.layout.m1(), &mut self.work.noise);
        closing.residuals.fill(0.0);
        for ((column, x), n) in whole.fx.fx[0].chunks_exact(m1).zip(&self.state.x).zip(&*noise) {
            let size = n + f64::EPSILON * x.abs();
            closing.residuals.iter_mut().zip(column).for_each(|(r, a)| *r += (a * size).abs());
        }
        let found = &mut closing.increments[..block.len()];
        closing.block.particular(&closing.residuals, found);
        let largest = found.iter().fold(0.0f64, |m, v| m.max(v.abs())) / h.min(1.0);
        block.of_mut(noise).iter_mut().for_each(|n| *n = n.max(largest));
    }

    fn close(&mut self, system: &mut dyn System, h: f64, closing: &mut Closing) -> Result<(), Setback> {
        let (block, stages) = (self.layout.x.algebraic, self.tableau().stages);
        let mut x = std::mem::take(&mut self.work.delta);
        x.copy_from_slice(&self.state.x);
        self.stages.add_last(stages, &mut x);
        let weight = &mut closing.scale;
        weight.iter_mut().zip(block.of(&self.work.weight)).for_each(|(s, w)| *s = w / h.min(1.0));
        let found = self.iterate_multipliers(system, self.state.t + h, &mut x, closing);
        if let Ok(true) = found {
            for (z, (x, before)) in
                self.stages.z[block.range()].iter_mut().zip(block.of(&x).iter().zip(block.of(&self.state.x)))
            {
                // All stages, so that the polynomial does not bend.
                let change = x - before - z[stages - 1];
                let nodes = &self.orders[self.order].tableau.nodes;
                z.iter_mut().zip(nodes).take(stages - 1).for_each(|(z, c)| *z += c * change);
                z[stages - 1] = x - before;
            }
        }
        self.work.delta = x;
        if found? {
            Ok(())
        } else {
            Err(self.newton_failed(0.5))
        }
    }

    /// Broyden's method for w, λ, μ in x; false if it does not converge.
    fn iterate_multipliers(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &mut [f64],
        closing: &mut Closing,
    ) -> Result<bool, Setback> {
        let (block, n) = (self.layout.x.algebraic, self.layout.n1());
        let fnewt = self.order().fnewt;
        let weight = std::mem::take(&mut closing.scale);
        let mut converged = Ok(false);
        let mut last = f64::INFINITY;
        for k in 0..MOST {
            self.state.stats.neom += 1;
            if let Err(trouble) = self.rows.eom(system, t, x, &mut closing.end) {
                converged = Err(self.setback(trouble));
                break;
            }
            let Some(whole) = &self.rows.whole else { break };
            let residuals = self.rows.layout.rda.rows1.of(&whole.rda);
            let size = closing.increment(k, residuals, &weight[..n]);
            if size <= fnewt {
                converged = Ok(true);
                break;
            }
            if size.is_nan() || size > 10.0 * last {
                break;
            }
            last = size;
            let increment = &closing.increments[n * k..n * (k + 1)];
            for ((x, d), w) in block.of_mut(x).iter_mut().zip(increment).zip(&weight) {
                *x += d / w;
            }
        }
        closing.scale = weight;
        closing.evaluated = matches!(converged, Ok(true));
        converged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A x = 0 with A = [2 0.5; -0.25 1.5], by a matrix that is 1 instead: Broyden's method ends after 2n steps.
    #[test]
    fn increments_end_after_twice_their_number() {
        let (n, kind) = (2, DecompositionKind::Lu);
        let mut closing = Closing {
            policy: RankPolicy::new(kind, true, 1e-6),
            block: ConstraintDecomposition::new(kind, n, n),
            decomposed: true,
            residuals: vec![],
            increments: vec![0.0; n * MOST],
            squares: [0.0; MOST],
            scale: vec![],
            end: vec![],
            evaluated: false,
        };
        closing.block.decompose(n, &[1.0, 0.0, 0.0, 1.0], &[1.0; 2]).expect("regular");
        closing.block.set_rank(n).expect("regular");
        let (mut x, weight) = ([1.0, -0.5], [1.0, 2.0]);
        for k in 0..4 {
            let residuals = [-(2.0 * x[0] + 0.5 * x[1]), -(1.5 * x[1] - 0.25 * x[0])];
            let size = closing.increment(k, &residuals, &weight);
            let found = &closing.increments[n * k..n * (k + 1)];
            assert!((size - found[0].hypot(found[1]) / 2f64.sqrt()).abs() < 1e-15);
            x.iter_mut().zip(found).zip(weight).for_each(|((x, d), w)| *x += d / w);
        }
        assert!(x[0].hypot(x[1]) < 1e-14, "{x:?}");
    }
}
