//! Sizes of increments, error estimate and step size.
//!
//! The local errors of v and r are h³/12 times the third derivative, that of p at least as much ([`super::scheme`]): a second difference
//! of the rates at the last three points gives it. Only what lies in the tangent space counts, the constraints keep the rest.

use super::{Newmark, Plan, Slopes};
use crate::layout::{Block, Layout};
use crate::methods::hht::estimate::step_factor;
use crate::methods::kinematics::{self, Ends};
use crate::norm::{dominating, weighted_rms, Tolerance};

/// Rounding errors in units of the sizes that cancel.
const FLOOR: f64 = 2.0 * f64::EPSILON;

/// ATOL_i + RTOL_i |x_i|, with the larger |x_i| of the ends of the step.
#[derive(Debug)]
pub struct Weights {
    every_rtol: Vec<f64>,
    every_atol: Vec<f64>,
    scal: Vec<f64>,
    /// The largest RTOL.
    pub rtol: f64,
}

impl Weights {
    /// For a tolerance.
    pub fn new(layout: &Layout, tolerance: &Tolerance) -> Self {
        let pick = |v: &[f64], i: usize| if v.len() == 1 { v[0] } else { v[i] };
        let all = |v: &[f64]| (0..layout.n).map(|i| pick(v, i)).collect::<Vec<_>>();
        Weights {
            every_rtol: all(&tolerance.rtol),
            every_atol: all(&tolerance.atol),
            scal: vec![1.0; layout.n],
            rtol: tolerance.rtol.iter().fold(0.0f64, |m, v| m.max(*v)),
        }
    }

    /// Weigh between two points.
    pub fn see(&mut self, old: &[f64], new: &[f64]) {
        for (i, scal) in self.scal.iter_mut().enumerate() {
            *scal = self.every_atol[i] + self.every_rtol[i] * old[i].abs().max(new[i].abs());
        }
    }

    /// Weighted rms norm of v, which belongs to a block of x; 0 if there is none.
    pub fn rms(&self, block: Block, v: &[f64]) -> f64 {
        if block.is_empty() {
            0.0
        } else {
            weighted_rms(v, block.of(&self.scal))
        }
    }

    /// The same for a vector whose entries are all of this size.
    fn uniform(&self, block: Block, size: f64) -> f64 {
        let sum: f64 = block.of(&self.scal).iter().map(|s| (size / s) * (size / s)).sum();
        (sum / block.len().max(1) as f64).sqrt()
    }

    /// The tolerance of p over that of v: the smallest of the one by the largest of the other.
    pub fn ratio(&self, layout: &Layout) -> f64 {
        let least = layout.x.p.of(&self.scal).iter().fold(f64::INFINITY, |m, s| m.min(*s));
        least / largest(layout.x.v.of(&self.scal))
    }
}

/// Result of the accuracy test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Accepted up to 1.
    pub err: f64,
    /// For the next step size.
    pub factor: f64,
    /// Component of x with the largest share.
    pub component: Option<usize>,
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

/// h³/12 times the second derivative of a rate that was `before`, `old` and is `new`; without the first of them no less than what
/// its change over the step says.
fn defect(h: f64, before: Option<(f64, f64)>, old: f64, new: f64) -> f64 {
    match before {
        Some((width, before)) => h * h * h / 6.0 * ((new - old) / h - (old - before) / width) / (h + width),
        None => h / 12.0 * (new - old),
    }
}

impl Newmark {
    /// Size of the last increments, in units of the tolerance.
    pub(super) fn increment_size(&mut self, h: f64) -> f64 {
        let (l, work) = (&self.layout, &self.work);
        self.weights.see(&self.old.x, &self.new.x);
        let w = &self.weights;
        let of_r = w.rms(l.x.r, &work.unknowns[l.dims.nv + l.dims.nw..]);
        let sizes = [w.rms(l.x.p, &work.p), w.rms(l.x.v, &work.v), h * w.rms(l.x.v, &work.a), of_r];
        // A maximum would lose NaN.
        sizes.into_iter().fold(0.0, |m, s| if s.is_nan() || s > m { s } else { m })
    }

    /// Size of what the rows d and c by themselves ask of w and s, and of its rounding errors, in units of the tolerance.
    pub(super) fn algebraic_size(&self) -> (f64, f64) {
        let (l, w, work) = (&self.layout, &self.weights, &self.work);
        let of_w = match work.auxiliary.get(self.velocity.free() + self.velocity.rank()..) {
            Some(increments) => w.rms(l.x.w, &increments[..l.dims.nw]),
            None => 0.0,
        };
        let of_s = w.rms(l.x.s, &self.lin.contact_shift);
        let floor = FLOOR * w.rms(l.x.w, l.x.w.of(&self.new.x)).max(w.rms(l.x.s, l.x.s.of(&self.new.x)));
        // A maximum would lose NaN.
        (if of_w > of_s || of_w.is_nan() { of_w } else { of_s }, floor)
    }

    /// Increments below this are rounding errors: of positions and velocities, of their changes over the step, and of forces that
    /// balance.
    pub(super) fn round_off_floor(&self, h: f64) -> f64 {
        let (l, w, lin) = (&self.layout, &self.weights, &self.lin);
        let p = largest(l.x.p.of(&self.new.x)) + h * largest(l.rda.f_kin.of(&lin.rda));
        let v = largest(l.x.v.of(&self.new.x)) + h * self.balancing_acceleration();
        let r = largest(l.x.r.of(&self.new.x)) + h * largest(l.rda.b.of(&lin.rda));
        let of =
            |block: Block, size: f64| if block.is_empty() { 0.0 } else { FLOOR * w.uniform(block, size) };
        of(l.x.p, p).max(of(l.x.v, v)).max(of(l.x.r, r))
    }

    /// Largest acceleration that the terms of one row of forces would cause if they did not balance.
    fn balancing_acceleration(&self) -> f64 {
        let (l, lin) = (&self.layout, &self.lin);
        let ((ld, n), first) = (lin.fx.shape[4], l.fx_position()[4].1);
        let mut most = largest(&self.new.a);
        for (i, force) in l.rda.f_dyn.of(&lin.rda).iter().enumerate() {
            let own = self.work.mass[i * (l.dims.nv + 1)].abs();
            let terms: f64 = (0..n).map(|j| (lin.fx.fx[4][i + j * ld] * self.new.x[first + j]).abs()).sum();
            if own > 0.0 {
                most = most.max((terms + force.abs()) / own);
            }
        }
        most
    }

    /// Component with the largest share of the last increments.
    pub(super) fn dominating_increment(&self) -> Option<usize> {
        let (l, work) = (&self.layout, &self.work);
        let (block, increments) = match work.auxiliary.get(l.dims.nv..l.dims.nv + l.dims.nw) {
            Some(of_w) if work.unsettled && of_w.iter().any(|d| *d != 0.0) => (l.x.w, of_w),
            _ if work.unsettled && l.dims.nw == 0 => (l.x.s, &self.lin.contact_shift[..]),
            _ => (l.x.p, &work.p[..]),
        };
        dominating(increments, block.of(&self.weights.scal)).map(|i| block.start + i)
    }

    /// Local errors of p, v and r.
    pub(super) fn estimate_error(&mut self, plan: &Plan) -> Estimate {
        let (l, h, scheme) = (self.layout, plan.h, self.scheme);
        let width = self.old.slopes.t - self.before.t;
        let before = self.has_before.then_some(&self.before);
        let (old, error) = (&self.old.slopes, &mut self.work.error);
        // The rates at the new point, as far as they are known: p' is completed when the step is accepted.
        let rates = l.rda.f_kin.of(&self.lin.rda);
        let kinematic = if self.general { rates } else { l.x.v.of(&self.new.x) };
        let last = |of: fn(&Slopes) -> &[f64], i: usize| before.map(|b| (width, of(b)[i]));
        for (i, e) in l.x.p.of_mut(error).iter_mut().enumerate() {
            *e = 12.0 * scheme.position_defect() * defect(h, last(|s| &s.p, i), old.p[i], kinematic[i]);
        }
        let first_order = scheme.velocity_defect();
        for (i, e) in l.x.v.of_mut(error).iter_mut().enumerate() {
            let (a_old, a) = (old.v[i], self.new.a[i]);
            *e = defect(h, last(|s| &s.v, i), a_old, a) + first_order * h * (a - a_old);
        }
        let elements = l.rda.b.of(&self.lin.rda);
        for (i, e) in l.x.r.of_mut(error).iter_mut().enumerate() {
            let change = elements[i] - old.r[i];
            *e = defect(h, last(|s| &s.r, i), old.r[i], elements[i]) + (scheme.rho - 0.5) * h * change;
        }
        self.weights.see(&self.old.x, &self.new.x);
        let scal = l.x.p.of(&self.weights.scal);
        let ends = Ends {
            p: [l.x.p.of(&self.old.x), l.x.p.of(&self.new.x)],
            rates: [&old.p, kinematic],
            bend: (!self.general).then(|| [&old.v[..], &self.new.a]),
        };
        let missed = ends.missed(h, |i| scal[i]);
        let space = if self.shared { &mut self.velocity } else { &mut self.position };
        space.keep_tangential(l.x.p.of_mut(error));
        self.velocity.keep_tangential(l.x.v.of_mut(error));
        let power = if first_order > 0.0 || scheme.rho > 0.5 { 2.0 } else { 3.0 };
        let (block, err) = [l.x.p, l.x.v, l.x.r]
            .map(|block| (block, self.weights.rms(block, block.of(error))))
            .into_iter()
            .fold((l.x.p, 0.0), |worst, one| if one.1 > worst.1 { one } else { worst });
        let err = kinematics::felt(err, missed);
        let component = dominating(block.of(error), block.of(&self.weights.scal)).map(|i| block.start + i);
        Estimate { err, factor: step_factor(&self.options, err, power), component }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Form;
    use crate::mechanism::samples::Circle;
    use crate::mechanism::{self, Mechanism, Model};
    use crate::methods::Method;
    use crate::options::Options;

    #[test]
    fn the_defect_is_that_of_a_quadratic_rate() {
        // Rate 3 t² has the third derivative 6 of its integral: h³/12 · 6.
        let rate = |t: f64| 3.0 * t * t + t;
        let (h, width) = (0.3, 0.5);
        let found = defect(h, Some((width, rate(-width))), rate(0.0), rate(h));
        assert!((found - h * h * h / 2.0).abs() < 1e-14, "{found}");
        assert!(defect(h, Some((width, -width)), 0.0, h).abs() < 1e-16);
        assert!((defect(h, None, 0.0, h) - h * h / 12.0).abs() < 1e-16);
    }

    /// Errors fall with h³, or with h² where γ is not 1/2 or ρ is larger.
    #[test]
    fn step_sizes_follow_the_order() {
        let (layout, x0) =
            (Layout::new(Circle.dimensions(), Form::StrangenessFree), [-6.848, -0.8, 0.6, 0.6, 0.8]);
        for (gamma, rho, power, other) in [(0.5, 0.5, 3.0, 2.0), (0.6, 0.5, 2.0, 3.0), (0.5, 0.6, 2.0, 3.0)] {
            let options = Options { newmark_gamma: Some(gamma), slope_weight: rho, ..Options::of_call() };
            let presented = mechanism::Options::new(Form::StrangenessFree, true);
            let mut system = Model::new(Circle, presented, 0.0, &x0);
            let tolerance = Tolerance::scalar(1e-5, 1e-5);
            let mut method = Newmark::new(&layout, &options, &tolerance, true, (0.0, &x0, 1e-2));
            let plan = Plan { h: 1e-2, t_new: 1e-2, cut_from: None, ends: false };
            let _ = method.attempt(&mut system, &plan);
            let found = method.estimate_error(&plan);
            assert_eq!(found.factor, step_factor(&options, found.err, power), "{gamma} {rho}");
            assert_ne!(found.factor, step_factor(&options, found.err, other), "{gamma} {rho}");
        }
    }
}
