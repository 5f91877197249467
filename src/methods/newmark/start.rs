//! Consistent start, first step size, and what is left to find at a new point.

use super::{Newmark, Plan, Setback};
use crate::error::{Code, Failure};
use crate::methods::{plan, setback};
use crate::model;
use crate::model::{Calls, Halt};
use crate::system::System;

impl Newmark {
    /// a_0, λ_0, μ_0, w_0 from the index-1 system at the current point, unless that has been done.
    pub(super) fn begin(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if self.begun {
            return Ok(());
        }
        let (l, t) = (self.layout, self.state.t);
        let (old, stats, index1) = (&mut self.old, &mut self.state.stats, &mut self.index1);
        old.x.copy_from_slice(&self.state.x);
        old.a.fill(0.0);
        let (parts, point) = ((&mut self.derivatives, &mut self.mass), (t, &mut old.x[..]));
        let begun = index1.begin(&mut Calls { system, stats }, parts, point, (&mut old.a, h));
        begun.map_err(|halt| self.halted(halt))?;
        let (old, rda) = (&mut self.old, &self.index1.rda);
        old.mean.copy_from_slice(&old.a);
        old.slopes.t = t;
        old.slopes.p.copy_from_slice(l.rda.f_kin.of(rda));
        old.slopes.v.copy_from_slice(&old.a);
        old.slopes.r.copy_from_slice(l.rda.b.of(rda));
        self.general |= l.rda.f_kin.of(rda) != l.x.v.of(&old.x);
        (self.has_before, self.ranks, self.begun) = (false, None, true);
        self.points.clear();
        Ok(())
    }

    /// Half of the step over which accelerations of the present size would exhaust the tolerance, and at most a thousandth
    /// of the interval.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        let mut first = 1e-3 * span;
        match self.begin(system, first) {
            Ok(()) => {
                let l = &self.layout;
                self.weights.see(&self.old.x, &self.old.x);
                let curvature = l.x.p.of_mut(&mut self.work.error);
                self.index1.position_curvature(&self.old.a, curvature);
                let size = self.scheme.position_defect() * self.weights.rms(l.x.p, curvature);
                if size > 0.0 {
                    first = first.min(0.5 / size.sqrt());
                }
                let slopes = 0.1 * self.weights.rms(l.x.r, &self.old.slopes.r);
                if slopes > 0.0 {
                    // What a change of r' by its own size would leave.
                    first = first.min(1.0 / slopes);
                }
            }
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // If the model cannot be evaluated the first step will say so.
            Err(Setback::Reject { .. }) => {}
        }
        self.state.h = first.max(plan::least_first_step(&self.options, self.state.t, span));
        Ok(())
    }

    /// Rates at the new point.
    pub(super) fn complete_point(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Setback> {
        self.refine_multipliers(system, plan)
            .map_err(|trouble| setback::of_trouble(&self.state, &self.layout, trouble))?;
        let (l, s) = (self.layout, self.scheme);
        let (old, new) = (&self.old, &mut self.new);
        for (i, mean) in new.mean.iter_mut().enumerate() {
            *mean = s.algorithmic(new.a[i], old.a[i], old.mean[i]);
        }
        new.slopes.t = plan.t_new;
        new.slopes.v.copy_from_slice(&new.a);
        new.slopes.p.copy_from_slice(if self.general { &old.slopes.p } else { l.x.v.of(&new.x) });
        if self.general || l.dims.nr > 0 {
            self.state.stats.neom += 1;
            let rda = &mut self.lin.rda;
            model::eom(system, Code::StoppedByEom, plan.t_new, &new.x, rda)
                .map_err(|trouble| setback::of_trouble(&self.state, &self.layout, trouble))?;
            new.slopes.p.copy_from_slice(l.rda.f_kin.of(rda));
            new.slopes.r.copy_from_slice(l.rda.b.of(rda));
        }
        Ok(())
    }

    pub(super) fn halted(&self, halt: Halt) -> Setback {
        setback::of_halt(&self.state, &self.layout, &self.options, halt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form, Layout};
    use crate::mechanism::dual::Real;
    use crate::mechanism::{self, Blocks, Mechanism, Model};
    use crate::norm::Tolerance;
    use crate::options::Options;

    /// v' = a and r' = b.
    #[derive(Clone)]
    struct Pushed(f64, f64);
    impl Mechanism for Pushed {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 1, nv: 1, nr: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(1.0);
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = T::real(self.0);
        }
        fn force_element<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, b: &mut [T]) {
            b[0] = T::real(self.1);
        }
    }

    #[test]
    fn first_steps_follow_accelerations_and_force_elements() {
        let first = |a: f64, b: f64| {
            let (x0, model) = ([4.0, 0.0, 3.0], Pushed(a, b));
            let layout = Layout::new(model.dimensions(), Form::StrangenessFree);
            let presented = mechanism::Options::new(Form::StrangenessFree, true);
            let mut system = Model::new(model, presented, 0.0, &x0);
            let tolerance = Tolerance::scalar(1e-6, 1e-6);
            let mut method = Newmark::new(&layout, &Options::of_call(), &tolerance, true, (0.0, &x0, 0.0));
            method.first_step(&mut system, 50.0).expect("values");
            (method.state.h, method.scheme.position_defect())
        };
        let close = |h: f64, expected: f64| assert!((h / expected - 1.0).abs() < 1e-9, "{h} for {expected}");
        // In units of 1e-6 (1 + |x|).
        let (h, defect) = first(8.0, 0.0);
        close(h, 0.5 / (defect * 8.0 / 4e-6).sqrt());
        close(first(0.0, 2.0).0, 5e-6 / 0.2);
        close(first(0.0, 0.0).0, 0.05);
    }
}
