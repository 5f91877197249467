//! The discretised equations and Newton's method for them.

use super::predict::{judge, judge_algebraic, Verdict};
use super::*;
use crate::methods::setback::Result;

/// Increments are solved to this part of the tolerance, c of (30) of the paper, unless FNEWT says otherwise.
const CRITERION: f64 = 1e-3;

/// And w, which the error test leaves out, to this part of it.
const SETTLED: f64 = 0.1;

/// How an iteration ended.
pub(super) enum Newton {
    /// After so many iterations.
    Converged(u32),
    /// Not at all.
    Failed,
    /// f_kin ≠ v was seen: the unknowns do not suffice.
    GeneralKinematics,
}

impl Hht {
    /// Starting values of the unknowns at the end of the step.
    pub(super) fn predict(&mut self, plan: Plan) {
        self.points.forget_dense(plan.h);
        let degree = self.degree();
        self.points.predict(plan.t_new, degree, &mut self.work.y);
    }

    /// x at the end of the step from the unknowns (Newmark's formulas).
    pub(super) fn compose(&mut self, h: f64) {
        let (l, u, c) = (&self.layout, &self.unknowns, &self.coefficients);
        let (old, x, y) = (&self.old, &mut self.new.x, &self.work.y);
        let (a, a_old) = (u.a.of(y), &old.a);
        for (i, v) in l.x.v.of_mut(x).iter_mut().enumerate() {
            *v = l.x.v.of(&old.x)[i] + h * ((1.0 - c.gamma) * a_old[i] + c.gamma * a[i]);
        }
        let (p_old, half) = (l.x.p.of(&old.x), 0.5 * h * h);
        if self.general {
            for (i, p) in l.x.p.of_mut(x).iter_mut().enumerate() {
                *p = p_old[i] + h * old.f_kin[i] + h * h * c.beta * u.q.of(y)[i];
            }
        } else {
            let v_old = l.x.v.of(&old.x);
            for (i, p) in l.x.p.of_mut(x).iter_mut().enumerate() {
                let mean = (1.0 - 2.0 * c.beta) * a_old[i] + 2.0 * c.beta * a[i];
                *p = p_old[i] + h * v_old[i] + half * mean;
            }
        }
        for (i, r) in l.x.r.of_mut(x).iter_mut().enumerate() {
            *r = l.x.r.of(&old.x)[i] + h * ((1.0 - c.rho) * old.slope[i] + c.rho * u.slope.of(y)[i]);
        }
        l.x.multipliers.of_mut(x).copy_from_slice(u.multipliers.of(y));
        l.x.w.of_mut(x).copy_from_slice(u.w.of(y));
        l.x.s.of_mut(x).copy_from_slice(u.s.of(y));
    }

    /// ā = (1-α_m) a + α_m a_n.
    pub(super) fn mean_acceleration(&mut self) {
        let alpha_m = self.coefficients.alpha_m;
        let a = self.unknowns.a.of(&self.work.y);
        for ((mean, a), old) in self.work.mean.iter_mut().zip(a).zip(&self.old.a) {
            *mean = (1.0 - alpha_m) * a + alpha_m * old;
        }
    }

    /// M̄ ā.
    pub(super) fn inertia(&mut self) {
        let alpha_f = self.coefficients.alpha_f;
        let (work, count) = (&mut self.work, &mut self.state.stats.mass_multiplications);
        self.mass.mul(1, &work.mean, &mut work.inertia, count);
        if self.options.mass.is_constant() {
            return;
        }
        self.mass_old.mul(1, &work.mean, &mut work.product, count);
        for (i, p) in work.inertia.iter_mut().zip(&work.product) {
            *i = (1.0 - alpha_f) * *i + alpha_f * p;
        }
    }

    /// Residuals at the current unknowns; false if f_kin ≠ v where it must not be.
    pub(super) fn evaluate_residuals(&mut self, system: &mut dyn System, plan: Plan) -> Result<bool> {
        let Plan { h, t_new: t, .. } = plan;
        self.compose(h);
        let l = self.layout;
        let mut result = self.state.counted(system).eom(t, &self.new.x, &mut self.work.rda);
        if result.is_ok() && (!self.options.mass.is_constant() || self.mass.saved().is_none()) {
            result = self.mass.evaluate(system, t, &self.new.x, &mut self.state.stats.nmas);
        }
        result.map_err(|trouble| self.setback(trouble))?;
        if !self.general && l.rda.f_kin.of(&self.work.rda) != l.x.v.of(&self.new.x) {
            return Ok(false);
        }
        self.mean_acceleration();
        self.inertia();
        let (u, c) = (self.unknowns, self.coefficients);
        let (e, rda) = (&mut self.work.e, &self.work.rda);
        let (lead, past) = (1.0 / (1.0 - c.alpha_f), c.alpha_f / (1.0 - c.alpha_f));
        for (i, e) in u.a.of_mut(e).iter_mut().enumerate() {
            *e = lead * self.work.inertia[i] - l.rda.f_dyn.of(rda)[i] - past * self.old.force[i];
        }
        let (by_v, by_p) = (-1.0 / (c.gamma * h), -1.0 / (c.beta * h * h));
        for (block, rows, factor) in
            [(u.lambda, l.rda.g, by_p), (u.mu, l.rda.h, by_v), (u.w, l.rda.d, -1.0), (u.s, l.rda.c, by_p)]
        {
            block.of_mut(e).iter_mut().zip(rows.of(rda)).for_each(|(e, r)| *e = factor * r);
        }
        let slopes = u.slope.of(&self.work.y).iter().zip(l.rda.b.of(rda));
        u.slope.of_mut(e).iter_mut().zip(slopes).for_each(|(e, (s, b))| *e = s - b);
        if self.general {
            self.evaluate_kinematics(system, plan)?;
        }
        Ok(true)
    }

    /// Rows of q: p = p_n + h/2 (f_kin,n + f_kin(p, ṽ)) with ṽ = v + h (2β-γ)(a - a_n). With Z = I this is Newmark's formula,
    /// and it is of second order for any Z(p), without a derivative of Z.
    fn evaluate_kinematics(&mut self, system: &mut dyn System, plan: Plan) -> Result {
        let (l, u, c, h) = (self.layout, self.unknowns, self.coefficients, plan.h);
        let shift = 2.0 * c.beta - c.gamma;
        if shift != 0.0 {
            let x = &mut self.work.x;
            x.copy_from_slice(&self.new.x);
            let a = u.a.of(&self.work.y).iter().zip(&self.old.a);
            for (v, (a, old)) in l.x.v.of_mut(x).iter_mut().zip(a) {
                *v += h * shift * (a - old);
            }
            let result = self.state.counted(system).eom(plan.t_new, x, &mut self.work.rda);
            result.map_err(|trouble| self.setback(trouble))?;
        }
        let (work, inverse) = (&mut self.work, 0.5 / (c.beta * h));
        for (i, e) in u.q.of_mut(&mut work.e).iter_mut().enumerate() {
            *e = u.q.of(&work.y)[i] - inverse * (l.rda.f_kin.of(&work.rda)[i] - self.old.f_kin[i]);
        }
        Ok(())
    }

    /// Newton's method with the matrix in hand, or with a new one at each iterate: where d bends much over a step, increments may grow
    /// before they shrink.
    pub(super) fn iterate(&mut self, system: &mut dyn System, plan: Plan, anew: bool) -> Result<Newton> {
        let criterion = self.options.fnewt.unwrap_or(CRITERION);
        let (mut before, mut moving) = ([None; 2], true);
        self.work.unsettled = false;
        let most = if anew { self.options.nit.saturating_mul(2) } else { self.options.nit };
        for iteration in 1..=most {
            if anew {
                self.linearize(system, plan)?;
            }
            if !self.evaluate_residuals(system, plan)? {
                return Ok(Newton::GeneralKinematics);
            }
            self.only_auxiliary();
            let Some(mut factored) = self.matrix.factored() else { return Ok(Newton::Failed) };
            factored.solve(&mut self.work.e);
            if !self.work.d.is_empty() {
                factored.solve(&mut self.work.d);
                self.state.stats.nbsub += 1;
            }
            self.state.stats.nbsub += 1;
            self.update(plan.h);
            let size = self.increment_size(plan.h);
            if let Some(before) = before[0] {
                self.state.theta = size / before;
            }
            let without = (0.0, Verdict::Converged);
            let (left, settled) =
                if self.work.d.is_empty() { without } else { self.judge_auxiliary(before[1]) };
            self.work.unsettled = settled == Verdict::Continue || settled == Verdict::Diverged;
            // What has converged stays so while it is small: behind it only w moves.
            let mut verdict = match judge(size, before[0], criterion, self.work.floor) {
                _ if !moving && size <= criterion => Verdict::Converged,
                Verdict::Diverged if self.is_stagnation(size, criterion, plan.h) => Verdict::AtRoundOff,
                verdict => verdict,
            };
            moving = matches!(verdict, Verdict::Continue | Verdict::Diverged);
            if settled == Verdict::Diverged || (settled == Verdict::Continue && !moving) {
                verdict = settled;
            }
            match verdict {
                Verdict::Diverged if anew && size.is_finite() && left.is_finite() => {}
                Verdict::Diverged => return Ok(Newton::Failed),
                Verdict::Continue => {}
                Verdict::Converged => return Ok(Newton::Converged(iteration)),
                Verdict::AtRoundOff => {
                    self.state.stats.at_round_off += 1;
                    return Ok(Newton::Converged(iteration));
                }
            }
            before = [Some(size), Some(left)];
        }
        Ok(Newton::Failed)
    }

    /// What d asks of w, and whether that is little enough.
    fn judge_auxiliary(&mut self, before: Option<f64>) -> (f64, Verdict) {
        let (left, rounding) = self.auxiliary_size();
        (left, judge_algebraic(left, before, SETTLED, rounding))
    }

    /// The residuals of d, without the other ones.
    fn only_auxiliary(&mut self) {
        let (w, work) = (self.unknowns.w, &mut self.work);
        if !work.d.is_empty() {
            work.d.fill(0.0);
            w.of_mut(&mut work.d).copy_from_slice(w.of(&work.e));
        }
    }

    /// y := y - κ e; the contact variables have the scale βh² in the matrix.
    fn update(&mut self, h: f64) {
        let u = &self.unknowns;
        let scale = self.coefficients.beta * h * h;
        for (i, (y, e)) in self.work.y.iter_mut().zip(&self.work.e).enumerate() {
            *y -= if u.s.contains(i) { scale * e } else { *e };
        }
    }

    pub(super) fn newton_failed(&self) -> Setback {
        let (l, u, work) = (&self.layout, &self.unknowns, &self.work);
        let component = if work.unsettled {
            self.weights.dominating(l.x.w, u.w.of(&work.d))
        } else {
            self.weights.dominating(l.x.p, u.position().of(&work.e))
        };
        Setback::Reject { why: Rejection::Newton { theta: self.state.theta }, factor: 0.25, component }
    }

    /// What belongs to the new point: mass matrix, force and p'. The force is the one that satisfies the equation exactly:
    /// evaluated, it would carry the error of Newton's method times the stiffness.
    pub(super) fn complete_point(&mut self, system: &mut dyn System, plan: Plan) -> Result {
        self.compose(plan.h);
        let (t, x) = (plan.t_new, &self.new.x);
        let mut result = Ok(());
        if !self.options.mass.is_constant() {
            result = self.mass.evaluate(system, t, x, &mut self.state.stats.nmas);
        }
        if result.is_ok() && self.general {
            result = self.state.counted(system).eom(t, x, &mut self.work.rda);
        }
        result.map_err(|trouble| self.setback(trouble))?;
        let l = &self.layout;
        let f_kin = if self.general { l.rda.f_kin.of(&self.work.rda) } else { l.x.v.of(&self.new.x) };
        self.new.f_kin.copy_from_slice(f_kin);
        self.mean_acceleration();
        self.inertia();
        let (u, alpha_f, new) = (&self.unknowns, self.coefficients.alpha_f, &mut self.new);
        for ((force, inertia), old) in new.force.iter_mut().zip(&self.work.inertia).zip(&self.old.force) {
            *force = (inertia - alpha_f * old) / (1.0 - alpha_f);
        }
        new.a.copy_from_slice(u.a.of(&self.work.y));
        new.slope.copy_from_slice(u.slope.of(&self.work.y));
        Ok(())
    }

    /// r' of the new point for the error test. Where multipliers have a part in it they are those of the accelerations: the multipliers of
    /// the scheme answer each change of h by O(1/h), which steps that become shorter only enlarge.
    pub(super) fn smooth_slopes(&mut self, system: &mut dyn System, plan: Plan) -> Result {
        let l = self.layout;
        self.new.smooth.copy_from_slice(self.unknowns.slope.of(&self.work.y));
        self.excited |= depends_on_multipliers(&l, &self.fx);
        if !self.excited || self.options.fixed_step {
            return Ok(());
        }
        self.compose(plan.h);
        let (index1, x, a) = (&mut self.index1, &mut self.new.reported, &mut self.new.reported_a);
        x.copy_from_slice(&self.new.x);
        a.copy_from_slice(self.unknowns.a.of(&self.work.y));
        let (mass, model) = (&mut self.mass, &mut self.state.counted(system));
        let mut found = || -> std::result::Result<(), Halt> {
            index1.linearize(model, &mut self.derivatives, mass, (plan.t_new, x))?;
            index1.decompose(mass, model.stats)?;
            index1.solve(model, mass, (plan.t_new, x), a, plan.h)?;
            Ok(model.eom(plan.t_new, x, &mut index1.rda)?)
        };
        match found() {
            Ok(()) => self.new.smooth.copy_from_slice(l.rda.b.of(&self.index1.rda)),
            Err(Halt::Model(trouble)) => return Err(self.setback(trouble)),
            Err(_) => {}
        }
        Ok(())
    }
}

/// True if r' depends on w, λ or μ at this point.
pub(super) fn depends_on_multipliers(l: &Layout, fx: &JacobianBlocks) -> bool {
    (0..l.dims.nr).any(|i| fx.fx[3].row_largest(i, l.x.algebraic.range()) > 0.0)
}
