//! Where the iteration begins: a Taylor polynomial of the last point, or the polynomial through the last points if that would have
//! foretold the last of them much better. Positions that are passed, and steps that hardly resolve the motion, are such that it would not.

use super::{Newmark, Plan};
use crate::decompose::DecompositionKind;

/// Degrees that are tried.
const DEGREES: [usize; 2] = [3, 5];
/// A polynomial has to be better than Taylor's by this factor.
const BETTER: f64 = 0.25;

impl Newmark {
    /// Starting values at the end of the step.
    pub(super) fn predict(&mut self, plan: &Plan) {
        let (l, h) = (self.layout, plan.h);
        self.points.forget_dense(h);
        if let Some(degree) = self.best_degree() {
            let (kept, new) = (&mut self.work.extrapolated, &mut self.new);
            self.points.predict(plan.t_new, degree, kept);
            new.x.copy_from_slice(&kept[..l.n]);
            new.a.copy_from_slice(&kept[l.n..]);
            if self.options.decompose_constraints == DecompositionKind::Svd {
                // What redundant constraints leave open the iteration does not correct: it would grow from step to step.
                l.x.multipliers.of_mut(&mut new.x).copy_from_slice(l.x.multipliers.of(&self.old.x));
            }
            return;
        }
        self.predict_by_taylor(plan);
    }

    /// The Taylor polynomial, which an iteration that did not converge from another start has once more.
    pub(super) fn predict_by_taylor(&mut self, plan: &Plan) {
        let (l, h) = (self.layout, plan.h);
        let (old, new) = (&self.old, &mut self.new);
        new.x.copy_from_slice(&old.x);
        new.a.copy_from_slice(&old.a);
        let bent = l.dims.np == l.dims.nv && !self.general;
        for (i, p) in l.x.p.of_mut(&mut new.x).iter_mut().enumerate() {
            *p += h * old.slopes.p[i] + if bent { 0.5 * h * h * old.a[i] } else { 0.0 };
        }
        l.x.v.of_mut(&mut new.x).iter_mut().zip(&old.a).for_each(|(v, a)| *v += h * a);
        l.x.r.of_mut(&mut new.x).iter_mut().zip(&old.slopes.r).for_each(|(r, slope)| *r += h * slope);
    }

    /// The degree of the polynomial that would have been best for the last point; `None` if Taylor's is to be taken.
    fn best_degree(&mut self) -> Option<usize> {
        if self.points.count() < DEGREES[0] + 2 {
            return None;
        }
        let (l, kept) = (self.layout, &mut self.work.extrapolated);
        let h = self.points.times()[0] - self.points.times()[1];
        let (last, before) = (self.points.values(0), self.points.values(1));
        // Displacements; h times what velocities and h² times what accelerations are missed by.
        let miss = |x: &[f64]| -> f64 {
            let part = |range: std::ops::Range<usize>, factor: f64| {
                range.fold(0.0f64, |m, i| m.max(factor * (x[i] - last[i]).abs()))
            };
            let accelerations = part(l.n..last.len(), h * h);
            part(l.x.p.range(), 1.0).max(part(l.x.v.range(), h)).max(accelerations)
        };
        kept.copy_from_slice(before);
        for i in 0..l.dims.nv {
            kept[l.x.v.start + i] += h * before[l.n + i];
        }
        for (i, slope) in self.before.p.iter().enumerate() {
            let bent = if self.general { 0.0 } else { 0.5 * h * h * before[l.n + i] };
            kept[l.x.p.start + i] += h * slope + bent;
        }
        let mut best = (None, BETTER * miss(kept));
        let tried = if self.options.fixed_step { DEGREES.len() } else { 1 };
        for degree in DEGREES.into_iter().take(tried) {
            if self.points.foretell(degree, kept) {
                let missed = miss(kept);
                if missed < best.1 {
                    best = (Some(degree), missed);
                }
            }
        }
        best.0
    }
}
