//! The new point onto the constraints: positions to g = 0, velocities to gI = 0 and h = 0, by the smallest corrections in the
//! norm of the mass matrix.
//!
//! Positions move by Z u with C u = -g, since ∂g/∂p Z = C. The matrix is that of the last stage, which also lies at the end of
//! the step, so no matrix is made for it; Broyden's updates, kept as the corrections they consist of, make up for the distance
//! from the new point (Kelley 1995, 7.3).

use super::motion::{Source, MAX_ITERATIONS};
use super::{HalfExplicit, Setback};
use crate::error::Rejection;
use crate::layout::Layout;
use crate::linalg::scalar::Scalar;
use crate::system::System;

/// A correction of this relative size leaves only rounding errors.
const ROUNDING: f64 = 4e-16;
/// Below this size a correction that does not shrink is one of rounding errors.
const STALLED: f64 = 1e-9;

/// A correction is enlarged tenfold at most.
const LARGEST_PART: f64 = 0.9;

/// Vectors for corrections.
#[derive(Debug)]
pub struct Work {
    residual: Vec<f64>,
    u: Vec<f64>,
    /// Corrections of the positions in this projection, one after the other, and the squares of their norms.
    corrections: Vec<f64>,
    squares: [f64; MAX_ITERATIONS],
}

impl Work {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let d = layout.dims;
        Work {
            residual: vec![0.0; d.nl + d.nm],
            u: vec![0.0; d.nv],
            corrections: vec![0.0; d.np * MAX_ITERATIONS],
            squares: [0.0; MAX_ITERATIONS],
        }
    }

    /// Make the correction that the matrix gives, number k in place, that of the updated matrix.
    fn update(&mut self, np: usize, k: usize) {
        let (before, rest) = self.corrections.split_at_mut(k * np);
        let correction = &mut rest[..np];
        for j in 1..k {
            let (last, this) = before[(j - 1) * np..(j + 1) * np].split_at(np);
            f64::axpy(f64::dot(last, correction) / self.squares[j - 1], this, correction);
        }
        if k > 0 {
            let part = f64::dot(&before[(k - 1) * np..], correction) / self.squares[k - 1];
            // Beyond that the update would be nearly singular.
            let factor = 1.0 / (1.0 - part.min(LARGEST_PART));
            correction.iter_mut().for_each(|c| *c *= factor);
        }
        self.squares[k] = f64::dot(correction, correction).max(f64::MIN_POSITIVE);
    }
}

impl HalfExplicit {
    /// g(p) = 0 by simplified Newton iterations. Where EOM gives all rows velocities follow on the way, once if there is no g.
    pub(super) fn project_positions(&mut self, system: &mut dyn System, t: f64) -> Result<(), Setback> {
        let l = self.layout;
        let supplied = self.motion.source == Source::Supplied;
        if l.dims.nl + l.dims.nm == 0 || (l.dims.nl == 0 && supplied) {
            return Ok(());
        }
        let at_p = self.y.len() - l.dims.np;
        let mut before = f64::INFINITY;
        for k in 0..MAX_ITERATIONS {
            let result = self.motion.residuals(system, t, &self.y_new, &mut self.state.stats);
            result.map_err(|halt| self.setback(halt))?;
            if !supplied {
                self.correct_velocities(at_p);
            }
            if l.dims.nl == 0 {
                return Ok(());
            }
            let size = self.correct_positions(at_p, k);
            let rate = size / before;
            if before.is_finite() && before > STALLED {
                self.contraction = rate.min(1.0);
            }
            // The next correction would be of this size.
            if size * self.contraction.max(1e-3) <= ROUNDING || (size <= STALLED && rate > 0.3) {
                return Ok(());
            }
            if !size.is_finite() || rate > 2.0 {
                break;
            }
            before = size;
        }
        let why = Rejection::Newton { theta: self.contraction };
        Err(Setback::Reject { why, factor: 0.5, component: None })
    }

    /// What is left in the constraints of the velocities, which are linear, with the matrix of the new point itself. A rate that
    /// was taken before stays as it is: what is left is smaller than the error by the contraction of the iteration above.
    pub(super) fn project_velocities(&mut self) {
        if !self.work.residual.is_empty() {
            self.correct_velocities(self.y.len() - self.layout.dims.np);
        }
    }

    /// p += Z u for the k-th time; the largest relative change.
    fn correct_positions(&mut self, at_p: usize, k: usize) -> f64 {
        let (l, w) = (self.layout, &mut self.work);
        let np = l.dims.np;
        w.residual.fill(0.0);
        w.residual[..l.dims.nl].copy_from_slice(l.rda.g.of(&self.motion.rda));
        self.motion.saddle.correction(&mut w.residual, &mut w.u);
        let moved = &mut w.corrections[k * np..(k + 1) * np];
        moved.fill(0.0);
        self.motion.move_positions(&w.u, moved);
        w.update(np, k);
        let (moved, p) = (&w.corrections[k * np..(k + 1) * np], &mut self.y_new[at_p..]);
        let mut size = 0.0f64;
        for ((p, d), typical) in p.iter_mut().zip(moved).zip(&self.typical[at_p..]) {
            *p += *d;
            size = size.max(d.abs() / (p.abs() + typical));
        }
        size
    }

    fn correct_velocities(&mut self, at_p: usize) {
        let (l, w) = (self.layout, &mut self.work);
        let rows = l.rda.g_velocity.start..l.rda.h.end;
        w.residual.copy_from_slice(&self.motion.rda[rows]);
        self.motion.saddle.correction(&mut w.residual, &mut w.u);
        let v = &mut self.y_new[l.dims.nr..at_p];
        v.iter_mut().zip(&w.u).for_each(|(v, u)| *v += u);
    }
}
