//! The error estimate (GEERREST).

use super::{subtract, Attempted, Linearized, Radau, Setback};
use crate::control;
use crate::error::Rejection;
use crate::formulation::Missing;
use crate::layout::{Form, Layout};
use crate::methods::kinematics;
use crate::model::Trouble;
use crate::norm::{dominating, excess_square, weighted_rms};
use crate::system::{JacobianBlocks, System};

/// Rounding errors of a row in units of ε times the sum of its terms: models add up more than the linear terms
/// that are seen here, and subtract larger numbers.
const ROUND_OFF: f64 = 30.0;
/// The error norm of a step whose estimate rounding errors explain: accepted, and the next step about as long. As
/// zero it would grow eightfold on a number that says nothing of the step, and the step after it fail.
const EXPLAINED: f64 = 0.5;

impl<const L: usize> Radau<L> {
    /// Norm of the error estimate (GEERREST): E1-solve of M·(e·Z)/h + rhs(x_k). If it is too large in the first
    /// step or after a rejection, it is filtered once more with rhs(x_k + err).
    #[inline(never)] // a part of `make profile`
    pub(super) fn estimate_error(&mut self, system: &mut dyn System, h: f64) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(0.0);
        }
        self.work.rhs.copy_from_slice(&self.work.here);
        self.mass_for_estimate(system)?;
        let mut err = self.error_norm(h);
        if err >= 1.0 && (self.state.is_first() || self.state.rejected) {
            for ((d, x), e) in self.work.delta.iter_mut().zip(&self.state.x).zip(&self.work.err) {
                *d = x + e;
            }
            self.state.stats.neom += 1;
            match self.rows.eom(system, self.state.t, &self.work.delta, &mut self.work.rhs) {
                Ok(()) => err = self.error_norm(h),
                Err(trouble @ Trouble::Stop { .. }) => return Err(self.setback(trouble)),
                // The point x_k + err need not exist; the first estimate stands.
                Err(_) => {}
            }
        }
        if err >= 1.0 && self.layout.form == Form::Index1 {
            err = err.min(self.error_of_step(h));
        }
        if err.is_nan() {
            let why = Rejection::NotFinite { by: None };
            return Err(Setback::Reject { why, factor: 0.5, component: None });
        }
        if err >= 1.0 {
            err = self.error_above_round_off(h);
        }
        self.find_missed(h);
        let missed = rows_missed(&self.layout, &self.fx, &self.work.block, &self.work.scal);
        Ok(self.error_beside_constraints(err, missed))
    }

    /// `work.block`: by how much the stages miss p' = Zv, by the embedded formula.
    pub(super) fn find_missed(&mut self, h: f64) {
        let (l, tableau) = (self.layout, &self.orders[self.order].tableau);
        let missed = &mut self.work.block[..l.dims.np];
        self.stages.error_combination(tableau, h, l.x.p, missed);
        subtract(missed, -1.0, l.rda.f_kin.of(&self.work.here));
        missed.iter_mut().for_each(|m| *m *= h / tableau.of.gamma);
    }

    /// The norm, or what the step misses of p' = Zv where constraints determine p.
    pub(super) fn error_beside_constraints(&mut self, err: f64, missed: f64) -> f64 {
        let felt = kinematics::felt(err, missed);
        if felt > err {
            let (block, work) = (self.layout.x.p, &mut self.work);
            work.err.fill(0.0);
            block.of_mut(&mut work.err).copy_from_slice(&work.block[..block.len()]);
        }
        felt
    }

    /// The norm without what x_k leaves of the constraints, which is no error of this step. With FORM=1 it moves λ by its
    /// size over h, and λ is weighted with h: the norm would stay where it is at any step size.
    fn error_of_step(&mut self, h: f64) -> f64 {
        self.take_satisfied_rows();
        let err = self.error_norm(h);
        if err >= 1.0 && self.state.rejected {
            self.error_behind_jump(h, err)
        } else {
            err
        }
    }

    /// The stages have it, too: they lie on the constraints, so all of them jump by what x_k is beside these, however short the step,
    /// and the weights of the estimate, which add up to -s², make up to 49 times as much of it. Where that alone fails the test, the
    /// norm of the step that begins behind the jump.
    fn error_behind_jump(&mut self, h: f64, err: f64) -> f64 {
        self.work.delta.copy_from_slice(&self.work.err);
        self.solve_jump();
        self.take_satisfied_rows();
        self.leave_out_jump(h);
        let behind = self.error_norm(h);
        let pairs = self.work.delta.iter().zip(&self.work.err).zip(&self.work.weight);
        let square: f64 = pairs.map(|((with, without), weight)| ((with - without) * weight).powi(2)).sum();
        if (square / self.layout.n as f64).sqrt() >= 1.0 {
            return behind;
        }
        self.work.err.copy_from_slice(&self.work.delta);
        err
    }

    /// `work.rhs`: the rows at x_k as if it satisfied the constraints.
    fn take_satisfied_rows(&mut self) {
        self.work.rhs.copy_from_slice(&self.work.here);
        self.work.rhs[..self.layout.rda.rows3.end].fill(0.0);
    }

    /// `work.single`: the increment of all stages that the residuals of the constraints at x_k alone make.
    fn solve_jump(&mut self) {
        let (algebraic, selected) = self.work.single_rhs.split_at_mut(self.layout.rda.rows3.end);
        algebraic.iter_mut().zip(&self.work.here).for_each(|(s, row)| *s = [*row]);
        selected.fill([0.0]);
        self.state.stats.mass_multiplications += self.formulation.mass_products(1);
        let (jump, work) = (&mut self.work.single, &mut self.work.single_work);
        let residuals = (&*algebraic, &*selected);
        match self.formulation.factored() {
            Some(mut factored) => factored.solve(&self.fx, residuals, Missing::Nothing, work, jump),
            None => jump.fill([f64::NAN]),
        }
    }

    /// Take the jump in `work.single` from M·(e·Z)/h, which is added to `work.rhs`.
    fn leave_out_jump(&mut self, h: f64) {
        let (l, rhs, jump) = (self.layout, &mut self.work.rhs, self.work.single.as_flattened());
        let weight = self.orders[self.order].tableau.error_weights.iter().sum::<f64>() / h;
        subtract(l.rda.b.of_mut(rhs), weight, l.x.r.of(jump));
        subtract(l.rda.f_kin.of_mut(rhs), weight, l.x.p.of(jump));
        let mass = if self.estimate_with_stage_mass { &self.stage_mass } else { &self.mass };
        let (rows, count) =
            (self.formulation.selected_dynamics(), &mut self.state.stats.mass_multiplications);
        mass.add_rows(rows, -weight, l.x.v.of(jump), l.rda.f_dyn.of_mut(rhs), count);
    }

    /// The norm without what rounding errors explain: no step size would make that smaller.
    fn error_above_round_off(&mut self, h: f64) -> f64 {
        self.estimate_round_off();
        self.round_off_of_multipliers(h);
        let left = excess_square(&self.work.err, &self.work.noise, &self.work.scal);
        (left / self.layout.n as f64).sqrt().max(EXPLAINED)
    }

    /// `work.noise`: how well the components at x_k can be determined at all; nothing is noise without a matrix.
    pub(super) fn estimate_round_off(&mut self) {
        let noise = &mut self.work.noise;
        noise.fill(0.0);
        if let Some(mut factored) = self.formulation.factored() {
            let (work, x) = (&mut self.work.single_work, &mut self.work.single);
            factored.round_off((&self.fx, &self.state.x), work, x, noise);
        }
        noise.iter_mut().for_each(|n| *n *= ROUND_OFF);
    }

    /// `work.noise` of w, λ, μ of the stages where the dynamic rows determine them: rounding errors of the constraints move v, and
    /// λ follows by that over h. Two patterns of signs, as for the other components.
    pub(super) fn round_off_of_stage_multipliers(&mut self) {
        let (l, x) = (self.layout, &self.state.x);
        let size = &mut self.work.rhs;
        size.fill(0.0);
        for (block, (rows, first)) in self.fx.fx.iter().zip(l.fx_position()) {
            for (column, x) in block.chunks_exact(rows.len().max(1)).zip(&x[first..]) {
                let rows = rows.of_mut(size).iter_mut().zip(column);
                rows.for_each(|(r, a)| *r += ROUND_OFF * f64::EPSILON * (a * x).abs());
            }
        }
        let block = l.x.algebraic;
        for alternate in [1.0, -1.0] {
            let size = &mut self.work.rhs;
            let signs = std::iter::successors(Some(1.0), |s| Some(s * alternate));
            size.iter_mut().zip(signs).for_each(|(r, s)| *r *= s);
            let (algebraic, selected) = self.work.single_rhs.split_at_mut(l.rda.rows3.end);
            algebraic.iter_mut().zip(size.iter()).for_each(|(s, r)| *s = [*r]);
            let chosen = self.formulation.selected_rows();
            selected.iter_mut().zip(chosen).for_each(|(s, &row)| *s = [size[row]]);
            let (solution, work) = (&mut self.work.single, &mut self.work.single_work);
            let Some(mut factored) = self.formulation.factored() else { return };
            factored.solve(&self.fx, (&*algebraic, &*selected), Missing::Nothing, work, solution);
            let found = block.of(solution.as_flattened());
            let largest = found.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            block.of_mut(&mut self.work.noise).iter_mut().for_each(|n| *n = n.max(largest));
        }
    }

    /// M(x_k) for the error estimate, in which it has to balance rhs(x_k). That in hand belongs to another
    /// point if the Jacobian was reused (THET) or taken elsewhere (NWTMAT, NWTUPD): on Andrews' mechanism
    /// the estimate would then be wrong enough for 4 to 20 times the steps.
    pub(super) fn mass_for_estimate(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        if self.options.mass.is_constant() || self.linearized == Linearized::Here {
            self.estimate_with_stage_mass = false;
            return Ok(());
        }
        let (state, mass) = (&mut self.state, &mut self.stage_mass);
        let result = mass.evaluate(system, state.t, &state.x, &mut state.stats.nmas);
        result.map_err(|trouble| self.setback(trouble))?;
        self.estimate_with_stage_mass = true;
        Ok(())
    }

    /// One error estimate with the right-hand side in `work.rhs`.
    pub(super) fn error_norm(&mut self, h: f64) -> f64 {
        let l = self.layout;
        let (rhs, tableau) = (&mut self.work.rhs, &self.orders[self.order].tableau);
        for (rows, block, with_mass) in
            [(l.rda.b, l.x.r, false), (l.rda.f_kin, l.x.p, false), (l.rda.f_dyn, l.x.v, true)]
        {
            let out = &mut self.work.block[..block.len()];
            self.stages.error_combination(tableau, h, block, out);
            if with_mass {
                let mass = if self.estimate_with_stage_mass { &self.stage_mass } else { &self.mass };
                let count = &mut self.state.stats.mass_multiplications;
                mass.add_rows(self.formulation.selected_dynamics(), 1.0, out, rows.of_mut(rhs), count);
            } else {
                subtract(rows.of_mut(rhs), -1.0, out);
            }
        }
        let (algebraic, selected) = self.work.single_rhs.split_at_mut(l.rda.rows3.end);
        algebraic.iter_mut().zip(rhs.iter()).for_each(|(s, r)| *s = [*r]);
        selected.iter_mut().zip(self.formulation.selected_rows()).for_each(|(s, &row)| *s = [rhs[row]]);
        self.state.stats.mass_multiplications += self.formulation.mass_products(1);
        let (x0, work) = (&mut self.work.single, &mut self.work.single_work);
        let residuals = (&*algebraic, &*selected);
        match self.formulation.factored() {
            Some(mut factored) => factored.solve(&self.fx, residuals, Missing::Nothing, work, x0),
            None => x0.fill([f64::NAN]),
        }
        let err = &mut self.work.err;
        err.copy_from_slice(x0.as_flattened());
        self.error_of_multipliers(h);
        let err = &self.work.err;
        weighted_rms(err, &self.work.scal).max(1e-10)
    }

    pub(super) fn error_too_large(&self, h: f64, err: f64, settled: bool) -> Setback {
        let factor = if settled {
            1.0
        } else if self.state.is_first() {
            0.1
        } else {
            // The predictive controller speaks only of accepted steps.
            let iterations = self.evidence.iterations;
            control::new_step(&self.options, self.tableau().stages, None, h, err, iterations) / h
        };
        let component = dominating(&self.work.err, &self.work.scal);
        Setback::Reject { why: Rejection::ErrorTest { err }, factor, component }
    }

    /// Judge an attempt by a part of the tolerance.
    pub(super) fn be_strict(&self, h: f64, attempted: Attempted, part: f64) -> Result<Attempted, Setback> {
        let err = attempted.err / part;
        if err < 1.0 {
            Ok(attempted)
        } else {
            Err(self.error_too_large(h, err, false))
        }
    }
}

/// The rows g that belong to what is missed in p, in units of what errors of the tolerance would make of them.
pub(super) fn rows_missed(l: &Layout, fx: &JacobianBlocks, missed: &[f64], scal: &[f64]) -> f64 {
    let (first, height) = (l.fx_position()[2].1, fx.shape[2].0);
    let columns = &fx.fx[2][(l.x.p.start - first) * height..];
    let of_row = |i: usize| {
        let (mut along, mut size) = (0.0f64, f64::MIN_POSITIVE);
        for ((column, m), s) in columns.chunks_exact(height).zip(missed).zip(l.x.p.of(scal)) {
            along += column[i] * m;
            size += (column[i] * s).abs();
        }
        along.abs() / size
    };
    (0..height).map(of_row).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::samples::Circle;
    use crate::mechanism::{self, Mechanism, Model};
    use crate::methods::{Method, Plan};
    use crate::norm::Tolerance;
    use crate::options::{Options, Order, StageMultipliers};

    const H: f64 = 1e-6;

    /// A point mass on the circle at speed 1, after a step that is so short that errors of forces do not count.
    fn radau(stage_multipliers: StageMultipliers) -> Radau<3> {
        let options = Options { order: Order::Five, stage_multipliers, ..Options::of_call() };
        let x0 = [1.0 - 0.8 * 9.81, -0.8, 0.6, 0.6, 0.8];
        let presented = mechanism::Options::new(Form::StrangenessFree, true);
        let mut system = Model::new(Circle, presented, 0.0, &x0);
        let layout = Layout::new(Circle.dimensions(), Form::StrangenessFree);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let mut radau = Radau::<3>::new(&layout, &options, &tolerance, true, (0.0, &x0, H));
        let plan = Plan { h: H, t_new: H, cut_from: None, ends: false };
        assert!(radau.attempt(&mut system, &plan).is_ok());
        radau
    }

    /// The terms of g, gI and gII are summed up without signs; what depends is divided by the larger entry of the row, 0.8.
    #[test]
    fn rounding_errors_of_constraints() {
        let mut radau = radau(StageMultipliers::Constraints);
        radau.estimate_round_off();
        let lambda: f64 = 0.8 * 9.81 - 1.0;
        let terms = lambda + 2.0 + 0.72 * lambda + (9.81 - 1.6 * lambda).abs() * 0.8;
        let unit = ROUND_OFF * f64::EPSILON;
        for (noise, expected) in radau.work.noise.iter().zip([terms, 2.4, 2.4, 1.25, 1.25]) {
            assert!((noise / (unit * expected) - 1.0).abs() < 1e-4, "{:?}", radau.work.noise);
        }
    }

    /// All stages jump to the constraints, whatever the step size, and the estimate makes up to nine times as much of it. A first attempt
    /// is judged with that, the next one without.
    #[test]
    fn behind_a_rejected_attempt_a_jump_to_the_constraints_is_no_error() {
        let (h, beside) = (1e-3, 1.0 + 8e-5);
        let options = Options { order: Order::Five, form: Form::Index1, ..Options::of_call() };
        let x0 = [1.0 - 0.8 * 9.81, -0.8, 0.6, 0.6 * beside, 0.8 * beside];
        let mut system = Model::new(Circle, mechanism::Options::new(Form::Index1, true), 0.0, &x0);
        let layout = Layout::new(Circle.dimensions(), Form::Index1);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let mut radau = Radau::<3>::new(&layout, &options, &tolerance, true, (0.0, &x0, h));
        let plan = Plan { h, t_new: h, cut_from: None, ends: false };
        let Err(Setback::Reject { why: Rejection::ErrorTest { err }, .. }) =
            radau.attempt(&mut system, &plan)
        else {
            panic!("the jump passes the error test")
        };
        assert!((1.5..9.0).contains(&err), "{err}");
        radau.state.rejected = true;
        assert!(radau.attempt(&mut system, &plan).is_ok());
    }

    /// They grow with the components.
    #[test]
    fn rounding_errors_are_relative() {
        let mut radau = radau(StageMultipliers::Dynamics);
        let of_stages = |radau: &mut Radau<3>| {
            radau.work.noise.fill(0.0);
            radau.round_off_of_stage_multipliers();
            radau.work.noise.clone()
        };
        let of_ends = |radau: &mut Radau<3>| {
            radau.estimate_round_off();
            radau.round_off_of_multipliers(H);
            radau.work.noise.clone()
        };
        let single = (of_stages(&mut radau), of_ends(&mut radau));
        radau.state.x.iter_mut().for_each(|x| *x *= 2.0);
        let twice = |v: &[f64]| v.iter().map(|v| 2.0 * v).collect::<Vec<f64>>();
        assert!(single.0[0] > 0.0 && single.1.iter().all(|n| *n > 0.0), "{single:?}");
        assert_eq!((of_stages(&mut radau), of_ends(&mut radau)), (twice(&single.0), twice(&single.1)));
    }
}
