//! Steps that are short beside those of the run, because they end at TEND or because the model refused longer ones.
//!
//! Positions satisfy the constraints to rounding and to what Newton's method leaves, velocities to the error of the steps before. A step
//! of size h turns δ in p into δ/(βh²) in the accelerations and multipliers and δγ/(βh) in v, and δ in v into δ/(βh): noise, if h is
//! much shorter than accuracy asks for. The new point of such a step gets velocities that satisfy gI, and accelerations and multipliers
//! that belong to positions and velocities, and the run goes on from these, as from a start.

use super::estimate::{Estimate, GROWTH};
use super::{Hht, Plan};

/// A step below this part of the usual one is short. Newton's method leaves at most 10⁻³ of the tolerance in p; where that is all
/// that the error of a step consists of, the step looks like a tenth of the usual one.
const SHORT: f64 = 0.1;
/// Rounding errors of p, as accelerations, that count beside those of the motion and of the forces.
const VISIBLE: f64 = 1e-3;

/// The step size that accuracy asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usual {
    /// Of accepted steps, 0 if none is known.
    pub(super) h: f64,
    /// With the step that is being tried.
    next: f64,
    /// The step that is being tried is short.
    pub(super) short: bool,
}

impl Usual {
    /// Between two steps.
    pub(super) fn restored(h: f64) -> Self {
        Usual { h, ..Usual::default() }
    }

    /// A step was too long, this one would not be.
    pub(super) fn refused(&mut self, h: f64) {
        self.h = self.h.min(h);
    }

    /// What a step that may be accepted says of the usual size. Where it is much shorter, its error may be noise and is no more than
    /// an upper limit.
    pub(super) fn found(&mut self, short: bool, plan: Plan, estimate: &Estimate) {
        let allowed = || plan.h * estimate.err.cbrt().recip();
        self.short = short;
        self.next = match (short, plan.cut_from) {
            (true, _) if SHORT * allowed() > plan.h => self.h,
            (true, _) => self.h.min(allowed()),
            // The proposal stays where steps end at TEND one after the other.
            (false, Some(proposed)) => proposed.max(allowed().min(GROWTH * self.h)),
            (false, None) => plan.h * estimate.factor,
        };
    }

    /// The step is accepted.
    pub(super) fn accept(&mut self) {
        self.h = self.next;
    }
}

impl Hht {
    /// True if noise may have spoilt what a step of this size has found.
    pub(super) fn is_short(&mut self, plan: Plan) -> bool {
        if self.layout.dims.nl + self.layout.dims.nm == 0 {
            return false;
        }
        let usual = self.usual.h.min(self.options.hmax.unwrap_or(f64::INFINITY));
        plan.h < SHORT * usual || self.is_noisy(plan.h)
    }

    /// True if rounding errors of p show in accelerations.
    fn is_noisy(&mut self, h: f64) -> bool {
        let (l, u, by_p) = (self.layout, self.unknowns, self.coefficients.position_error() * h * h);
        let noise = self.work.floor / VISIBLE;
        let motion = by_p * self.weights.rms(l.x.p, u.position().of(self.points.values(0)));
        if noise <= motion {
            return false;
        }
        // At rest the forces that balance count.
        for (k, i) in l.x.p.range().enumerate() {
            let size = if u.q.is_empty() {
                self.balance(u.a.start + k)
            } else {
                let row = u.q.start + k;
                self.matrix.assembled().row_sum(row, u.a.range(), |j, z| z.abs() * self.balance(j))
            };
            self.work.error[i] = size;
        }
        noise > by_p * self.weights.rms(l.x.p, l.x.p.of(&self.work.error))
    }

    /// The projected point as that of the run.
    pub(super) fn go_on_from_projected(&mut self) {
        let (l, u) = (self.layout, self.unknowns);
        let (new, index1, y) = (&mut self.new, &self.index1, &mut self.work.y);
        new.x.copy_from_slice(&new.reported);
        new.a.copy_from_slice(&new.reported_a);
        new.force.copy_from_slice(l.rda.f_dyn.of(&index1.rda));
        new.f_kin.copy_from_slice(l.rda.f_kin.of(&index1.rda));
        u.a.of_mut(y).copy_from_slice(&new.a);
        u.multipliers.of_mut(y).copy_from_slice(l.x.multipliers.of(&new.x));
        u.w.of_mut(y).copy_from_slice(l.x.w.of(&new.x));
        if self.general {
            let q = u.q.of_mut(y);
            index1.position_curvature(&new.a, q);
            q.iter_mut().for_each(|q| *q *= 0.5 / self.coefficients.beta);
        }
    }
}
