//! The error estimate of a critical step: that of every other step, reduced to the free directions at x_k. Multipliers are
//! not in the norm.

use super::super::estimate::rows_missed;
use super::eliminate::{Known, Reduced};
use super::{Critical, Radau, Setback};
use crate::error::Rejection;
use crate::model::Trouble;
use crate::norm::weighted_rms;
use crate::system::System;

/// Below this smallest magnitude x_k lies in the rank loss itself: its free directions are those of the motion through it.
const IN_IT: f64 = 1e-5;

impl<const L: usize> Radau<L> {
    /// Norm of the error estimate.
    pub(super) fn estimate_critical_error(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<f64, Setback> {
        if self.options.fixed_step {
            return Ok(0.0);
        }
        let (point, in_it) = self.reduce_here(critical, system)?;
        self.decompose_estimate(critical, point, h)?;
        self.work.rhs.copy_from_slice(&self.work.here);
        if in_it {
            self.evaluate_without_multipliers(system)?;
        }
        let mut err = self.critical_error_norm(critical, point, h);
        if err >= 1.0 && (self.state.is_first() || self.state.rejected) {
            for ((d, x), e) in self.work.delta.iter_mut().zip(&self.state.x).zip(&self.work.err) {
                *d = x + e;
            }
            self.state.stats.neom += 1;
            let t = self.state.t;
            match self.rows.eom(system, t, &self.work.delta, &mut self.work.rhs) {
                Ok(()) => err = self.critical_error_norm(critical, point, h),
                Err(trouble @ Trouble::Stop { .. }) => return Err(self.setback(trouble)),
                // The point x_k + err need not exist; the first estimate stands.
                Err(_) => {}
            }
        }
        if err.is_nan() {
            return Err(Setback::Reject {
                why: Rejection::NotFinite { by: None },
                factor: 0.5,
                component: None,
            });
        }
        self.find_missed(h);
        let missed = rows_missed(&self.layout, &critical.points[point].fx, &self.work.block, &self.work.scal);
        Ok(self.error_beside_constraints(err, missed))
    }

    /// The equations at x_k reduced, or those of the first stage if they cannot be; which of the points it is, and whether x_k lies in
    /// the rank loss.
    fn reduce_here(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
    ) -> Result<(usize, bool), Setback> {
        let here = critical.points.len() - 1;
        let (t, x, stats) = (self.state.t, &self.state.x, &mut self.state.stats);
        let mut result = self.rows.jacobian(system, (t, x), &mut critical.points[here].fx, stats);
        if result.is_ok() {
            result = self.mass.evaluate(system, t, x, &mut stats.nmas);
        }
        result.map_err(|trouble| self.setback(trouble))?;
        let products = &mut self.state.stats.mass_multiplications;
        let known = Known { mass: &self.mass, rda: &self.work.here };
        let mut reduced = critical.eliminate(here, known, products).is_ok();
        critical.points[here].compare_rows(&critical.factors);
        let in_it = critical.points[here].smallest < IN_IT;
        if reduced && in_it {
            let Critical { ahead, points, .. } = critical;
            let Reduced { fx, velocity, position, .. } = &mut points[here];
            if position.decompose(&fx.fx[2], fx.shape[2].0).is_ok() {
                ahead.replace_lost_rows(&self.layout, fx, (velocity, position), IN_IT);
                reduced = critical.eliminate(here, known, products).is_ok();
            }
        }
        Ok((if reduced { here } else { 0 }, in_it || !reduced))
    }

    /// Rows at x_k with λ = μ = 0: in the rank loss they mean nothing.
    fn evaluate_without_multipliers(&mut self, system: &mut dyn System) -> Result<(), Setback> {
        let (l, t) = (self.layout, self.state.t);
        self.work.delta.copy_from_slice(&self.state.x);
        l.x.multipliers.of_mut(&mut self.work.delta).fill(0.0);
        self.state.stats.neom += 1;
        let result = self.rows.eom(system, t, &self.work.delta, &mut self.work.rhs);
        result.map_err(|trouble| self.setback(trouble))
    }

    /// γ/h [K_vᵀ M N_v; K_pᵀ N_p; N_r] + the projected Jacobian.
    fn decompose_estimate(
        &mut self,
        critical: &mut Critical<L>,
        point: usize,
        h: f64,
    ) -> Result<(), Setback> {
        let (n, nz) = (self.layout.n, critical.sizes.all());
        let factor = self.tableau().of.gamma / h;
        let Critical { matrix, points, .. } = critical;
        let reduced = &points[point];
        matrix.resize(nz);
        for (c, target) in matrix.matrix_mut().chunks_exact_mut(nz.max(1)).enumerate() {
            reduced.project_rates(&reduced.columns[c * n..(c + 1) * n], target);
            let own = &reduced.jacobian[c * nz..(c + 1) * nz];
            target.iter_mut().zip(own).for_each(|(t, d)| *t = factor * *t + d);
        }
        matrix.factor().map_err(|_| super::super::linearize::singular())
    }

    /// One estimate with the rows in `work.rhs`.
    ///
    /// Next to a rank loss errors ε of p are errors ε/σ² of v along the direction that it frees. They are gone as soon as it lies
    /// behind; shorter steps, which would end closer to it, only have more of them. So a step over it does not count them.
    fn critical_error_norm(&mut self, critical: &mut Critical<L>, point: usize, h: f64) -> f64 {
        let (l, nz) = (self.layout, critical.sizes.all());
        let tableau = &self.orders[self.order].tableau;
        let Critical { matrix, points, rhs, .. } = critical;
        let err = &mut self.work.err;
        err.fill(0.0);
        for block in [l.x.r, l.x.v, l.x.p] {
            self.stages.error_combination(tableau, h, block, block.of_mut(err));
        }
        let (out, part) = (&mut rhs[..nz], &mut self.work.single_block[..nz]);
        points[point].project_rates(err, out);
        points[point].project_rows(&self.work.rhs, part);
        out.iter_mut().zip(part.iter()).for_each(|(o, p)| *o += p);
        matrix.solve(out);
        err.fill(0.0);
        points[point].add_columns(out, err);
        let end = tableau.stages - 1;
        let (here, there) = (points[point].smallest, points[end].smallest);
        let within = points[..end].iter().any(|stage| stage.smallest < here.min(there));
        if within || there > here {
            l.x.v.of_mut(err).fill(0.0);
            points[point].add_free_velocity(out, err);
            points[if there > here { end } else { point }].add_dependent_velocity(err);
        }
        l.x.algebraic.of_mut(err).fill(0.0);
        let first = l.x.algebraic.end;
        weighted_rms(&err[first..], &self.work.scal[first..]).max(1e-10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form, Layout};
    use crate::mechanism::dual::Real;
    use crate::mechanism::{self, Blocks, Mechanism, Model};
    use crate::methods::{Method, Plan};
    use crate::norm::Tolerance;
    use crate::options::{Options, Order, Singular};

    /// Rates at which the force elements decay.
    const DECAY: [f64; 2] = [3.0, 40.0];

    /// A point mass that rests on the unit circle, with two force elements that act on nothing.
    struct Decaying;

    impl Mechanism for Decaying {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nr: 2, nl: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (m[0], m[3]) = (T::real(1.0), T::real(1.0));
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
        }
        fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
            b.iter_mut().zip(x.r).zip(DECAY).for_each(|((b, r), decay)| *b = *r * -decay);
        }
    }

    /// (γ/h + a) e = s for r' = -a r; with the rate at r + e in s for that at r it is (γ/h + a) e' = s - a e, and e' = e/(1 + a h/γ).
    #[test]
    fn the_second_estimate_of_a_critical_step_leaves_out_what_decays() {
        let (h, x0) = (0.05, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        let options = Options { order: Order::Five, singular: Singular::Always, ..Options::of_call() };
        let presented = mechanism::Options::new(Form::StrangenessFree, true);
        let mut system = Model::new(Decaying, presented, 0.0, &x0);
        let layout = Layout::new(Decaying.dimensions(), Form::StrangenessFree);
        let tolerance = Tolerance::scalar(1e-9, 1e-9);
        let mut radau = Radau::<3>::new(&layout, &options, &tolerance, true, (0.0, &x0, h));
        let plan = Plan { h, t_new: h, cut_from: None, ends: false };
        let Err(Setback::Reject { why: Rejection::ErrorTest { .. }, .. }) = radau.attempt(&mut system, &plan)
        else {
            panic!("a long step passes the error test")
        };
        let mut critical = radau.critical.take().expect("a critical step");
        radau.state.restarted = false;
        let [once, twice] = [false, true].map(|rejected| {
            radau.state.rejected = rejected;
            assert!(radau.estimate_critical_error(&mut critical, &mut system, h).is_ok_and(|err| err > 1.0));
            layout.x.r.of(&radau.work.err).to_vec()
        });
        let gamma = radau.tableau().of.gamma;
        for ((once, twice), decay) in once.iter().zip(&twice).zip(DECAY) {
            let expected = once / (1.0 + decay * h / gamma);
            assert!((twice / expected - 1.0).abs() < 1e-9, "{decay}: {once} {twice} {expected}");
        }
    }
}
