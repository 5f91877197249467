//! The new point onto the constraints: positions to g = 0, velocities to gI = 0 and h = 0, by the smallest corrections in the
//! norm of the mass matrix.
//!
//! Positions move by Z u with C u = -g, since ∂g/∂p Z = C. The matrix is that of the last stage, which also lies at the end of
//! the step, so no matrix is made for it; Broyden's updates, kept as the corrections they consist of, make up for the distance
//! from the new point (Kelley 1995, 7.3).

use super::*;
use crate::linalg::Linear;
use crate::methods::motion::broyden::Broyden;
use crate::methods::motion::MAX_ITERATIONS;

/// A correction of this relative size leaves only rounding errors.
const ROUNDING: f64 = 4e-16;
/// What may be left in the velocities when the rate is taken, for the last correction of the positions too: they are corrected
/// once more after it.
const NEGLIGIBLE: f64 = 1e-13;
/// Below this size a correction that does not shrink is one of rounding errors.
const STALLED: f64 = 1e-9;

/// Vectors for corrections.
#[derive(Debug)]
pub struct Work {
    residual: Vec<f64>,
    u: Vec<f64>,
    /// Corrections u of the positions in this projection.
    broyden: Broyden,
}

impl Work {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let d = layout.dims;
        Work { residual: vec![0.0; d.nl + d.nm], u: vec![0.0; d.nv], broyden: Broyden::new(d.nv) }
    }

    /// The smallest correction that removes the residual, into `u`.
    fn correct(&mut self, saddle: &mut Linear<Saddle>) {
        match saddle.factored() {
            Some(mut factored) => factored.correction(&mut self.residual, &mut self.u),
            None => self.u.fill(f64::NAN),
        }
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
            let result = self.motion.residuals(&mut self.state.counted(system), t, &self.y_new);
            result.map_err(|halt| self.setback(halt))?;
            if l.dims.nl == 0 {
                self.correct_velocities(at_p, 0);
                return Ok(());
            }
            let size = self.correct_positions(at_p, k);
            let velocity = if supplied { 0.0 } else { self.correct_velocities(at_p, k) };
            let rate = size / before;
            if k == 1 && before > STALLED {
                self.contraction = rate.min(1.0);
            }
            // The next corrections would be of these sizes.
            let next = self.contraction.max(1e-3);
            let all = supplied || size.max(velocity * next) <= NEGLIGIBLE;
            if (all && size * next <= ROUNDING) || (size <= STALLED && rate > 0.3) {
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
            self.correct_velocities(self.y.len() - self.layout.dims.np, 0);
        }
    }

    /// p += Z u for the k-th time; the largest relative change.
    fn correct_positions(&mut self, at_p: usize, k: usize) -> f64 {
        let (l, w) = (self.layout, &mut self.work);
        w.residual.fill(0.0);
        w.residual[..l.dims.nl].copy_from_slice(l.rda.g.of(&self.motion.rda));
        w.correct(&mut self.motion.saddle);
        w.broyden.update(k, &mut w.u);
        let (moved, p) = (&mut self.error[at_p..], &mut self.y_new[at_p..]);
        moved.fill(0.0);
        self.motion.move_positions(&w.u, moved);
        let mut size = 0.0f64;
        for ((p, d), typical) in p.iter_mut().zip(moved).zip(&self.typical[at_p..]) {
            *p += *d;
            size = size.max(d.abs() / (p.abs() + typical));
        }
        size
    }

    /// v += u with the matrix after some updates; the largest relative change.
    fn correct_velocities(&mut self, at_p: usize, updates: usize) -> f64 {
        let (l, w) = (self.layout, &mut self.work);
        let rows = l.rda.g_velocity.start..l.rda.h.end;
        w.residual.copy_from_slice(&self.motion.rda[rows]);
        w.correct(&mut self.motion.saddle);
        w.broyden.apply(updates, &mut w.u);
        let v = &mut self.y_new[l.dims.nr..at_p];
        let mut size = 0.0f64;
        for ((v, u), typical) in v.iter_mut().zip(&w.u).zip(&self.typical[l.dims.nr..at_p]) {
            *v += *u;
            size = size.max(u.abs() / (v.abs() + typical));
        }
        size
    }
}
