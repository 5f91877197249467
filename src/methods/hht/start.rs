//! Consistent start, first step size, and projection of what is reported.

use super::*;
use crate::error::Failure;
use crate::methods::plan;
use crate::options::{PROJECT_ACCELERATIONS, PROJECT_VELOCITIES};

impl Hht {
    /// a_0, λ_0, μ_0, w_0 from the index-1 system at the current point, unless that has been done.
    pub(super) fn begin(&mut self, system: &mut dyn System, h: f64) -> Result<(), Setback> {
        if self.begun {
            return Ok(());
        }
        let l = self.layout;
        let t = self.state.t;
        let (old, new) = (&mut self.old, &mut self.new);
        old.x.copy_from_slice(&self.state.x);
        new.a.fill(0.0);
        // The index-1 system of the run begins with the multipliers given.
        let mass = if self.options.mass.is_constant() { &mut self.mass } else { &mut self.mass_old };
        let index1 = &mut self.index1;
        let point = (t, &mut old.x[..]);
        let model = &mut self.state.counted(system);
        let begun = index1.begin(model, (&mut self.derivatives, mass), point, (&mut new.a, h));
        begun.map_err(|halt| self.halted(halt))?;
        let (old, rda) = (&mut self.old, &self.index1.rda);
        old.a.copy_from_slice(&self.new.a);
        old.force.copy_from_slice(l.rda.f_dyn.of(rda));
        old.f_kin.copy_from_slice(l.rda.f_kin.of(rda));
        old.slope.copy_from_slice(l.rda.b.of(rda));
        old.smooth.copy_from_slice(&old.slope);
        old.reported.copy_from_slice(&old.x);
        old.reported_a.copy_from_slice(&old.a);
        self.first_unknowns();
        self.weights.see(&self.layout, &self.old.x);
        self.begun = true;
        Ok(())
    }

    /// The unknowns at the start as the first point of the prediction.
    fn first_unknowns(&mut self) {
        let (l, u, old) = (&self.layout, self.unknowns, &self.old);
        let y = &mut self.work.y;
        u.a.of_mut(y).copy_from_slice(&old.a);
        u.multipliers.of_mut(y).copy_from_slice(l.x.multipliers.of(&old.x));
        u.slope.of_mut(y).copy_from_slice(&old.slope);
        u.w.of_mut(y).copy_from_slice(l.x.w.of(&old.x));
        u.s.of_mut(y).copy_from_slice(l.x.s.of(&old.x));
        if self.general {
            // p - p_n - h p' = βh² q → h²/2 p''.
            let q = u.q.of_mut(y);
            self.index1.position_curvature(&old.a, q);
            q.iter_mut().for_each(|q| *q *= 0.5 / self.coefficients.beta);
        }
        self.points.clear();
        self.points.push(self.state.t, y);
    }

    /// Half of the step over which accelerations of the present size would exhaust the tolerance, and at most a thousandth
    /// of the interval.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        let mut first = 1e-3 * span;
        match self.begin(system, first) {
            Ok(()) => {
                let (l, c) = (&self.layout, &self.coefficients);
                let curvature = self.unknowns.position().of(self.points.values(0));
                let factor = if self.general { 2.0 * c.beta } else { 1.0 };
                let size = factor * c.position_error() * self.weights.rms(l.x.p, curvature);
                if size > 0.0 {
                    first = first.min(0.5 / size.sqrt());
                }
                // Force elements: a hundredth of the time in which they change by their own size.
                for (i, slope) in l.x.r.range().zip(&self.old.slope) {
                    let own = self.weights.size(i);
                    if *slope != 0.0 {
                        first = first.min(0.01 * own / slope.abs());
                    }
                }
            }
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // If the model cannot be evaluated the first step will say so.
            Err(Setback::Reject { .. }) => {}
        }
        self.state.h = first.max(plan::least_first_step(&self.options, self.state.t, span));
        Ok(())
    }

    /// What is reported of the new point (PROJECT): velocities that satisfy gI, accelerations and multipliers that belong to
    /// positions and velocities. The run itself goes on from the point as it is, unless the step was `short`.
    pub(super) fn project_output(
        &mut self,
        system: &mut dyn System,
        plan: Plan,
        short: bool,
    ) -> Result<(), Setback> {
        let new = &mut self.new;
        new.reported.copy_from_slice(&new.x);
        new.reported_a.copy_from_slice(&new.a);
        let whole = PROJECT_VELOCITIES | PROJECT_ACCELERATIONS;
        let project = if short { whole } else { self.options.project };
        if project == 0 {
            return Ok(());
        }
        // Differences in time over a short step would be noise, too.
        let h = if short { plan.h.max(self.usual.h) } else { plan.h };
        let (t, index1) = (plan.t_new, &mut self.index1);
        let (mass, model) = (&mut self.mass, &mut self.state.counted(system));
        let mut run = || -> Result<(), Halt> {
            index1.linearize(model, &mut self.derivatives, mass, (t, &new.reported))?;
            index1.decompose(mass, model.stats)?;
            if project & PROJECT_VELOCITIES != 0 {
                model.eom(t, &new.reported, &mut index1.rda)?;
                index1.project_velocities(&mut new.reported);
            }
            if project & PROJECT_ACCELERATIONS != 0 {
                let (x, a) = (&mut new.reported, &mut new.reported_a);
                match index1.solve(model, mass, (t, x), a, h) {
                    // The model may end behind this point.
                    Err(Halt::Model(Trouble::Retry { .. } | Trouble::NotFinite { .. })) if short => {
                        index1.solve(model, mass, (t, x), a, plan.h)?
                    }
                    other => other?,
                }
            }
            if short {
                model.eom(t, &new.reported, &mut index1.rda)?;
            }
            Ok(())
        };
        let result = run();
        result.map_err(|halt| self.halted(halt))
    }
}
