//! The first step size, where the user gave none, and what to do about multipliers at the start that do not belong to p and v.

use super::{Linearized, Radau, Setback};
use crate::error::Failure;
use crate::initial;
use crate::layout::Form;
use crate::methods::plan;
use crate::norm::weighted_rms;
use crate::system::System;

/// A jump in the first step, relative to the multiplier after it, that is more than a rounding error.
const JUMP: f64 = 1e-9;

/// Lagrange's polynomial of the node c_j at zero.
fn at_start(nodes: &[f64], c_j: f64) -> f64 {
    // Compilers divide before they ask: the divisor is never zero.
    let factor = |c: &f64| if *c == c_j { (1.0, 1.0) } else { (*c, c - c_j) };
    nodes.iter().map(factor).map(|(above, below)| above / below).product()
}

impl<const L: usize> Radau<L> {
    /// One hundredth of the time in which positions, force elements and velocities (with unit mass) change by
    /// their own size, and at most a thousandth of the interval. The evaluation serves the first error estimate too.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let l = self.layout;
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        let mut first = 1e-3 * span;
        match self.evaluate_here(system) {
            Ok(()) => {
                for (d, (x, typical)) in
                    self.work.delta.iter_mut().zip(self.state.x.iter().zip(&self.orders[0].scaling.typical))
                {
                    *d = x.abs() + typical;
                }
                for (block, rows) in [(l.x.p, l.rda.f_kin), (l.x.r, l.rda.b), (l.x.v, l.rda.f_dyn)] {
                    let change = weighted_rms(rows.of(&self.work.here), block.of(&self.work.delta));
                    if change > 0.0 {
                        first = first.min(0.01 / change);
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

    /// After a first step: w, λ, μ at its start, where they are far from what the stages say of them, leave the polynomial. They need
    /// not be right (FORM=1, or IVCNSST=1), and extrapolated to the next step a jump grows with the power of the order.
    pub(super) fn leave_out_start(&mut self) {
        let tableau = &self.orders[self.order].tableau;
        let c = &tableau.nodes[..tableau.stages];
        for i in self.layout.x.algebraic.range() {
            let z = &mut self.stages.z[i][..c.len()];
            let jump: f64 = z.iter().zip(c).map(|(z, c_j)| z * at_start(c, *c_j)).sum();
            let change = z.iter().fold(0.0f64, |m, z| m.max((z - jump).abs()));
            if jump.abs() > JUMP * self.state.x[i].abs() && jump.abs() > change {
                z.iter_mut().for_each(|z| *z -= jump);
            }
        }
    }

    /// After a first error test that failed: true if w, λ, μ did not belong to p and v, and now do. The user may leave them
    /// open (IVCNSST=1), but the estimate sees their error in steps of any size.
    pub(super) fn settle_start(&mut self, system: &mut dyn System) -> bool {
        if !self.state.is_first() || !self.options.consistent || self.layout.form != Form::StrangenessFree {
            return false;
        }
        let (layout, scaling, state) = (&self.layout, &self.orders[self.order].scaling, &mut self.state);
        let (x, stats) = (&mut self.work.delta, &mut state.stats);
        x.copy_from_slice(&state.x);
        if initial::settle_multipliers(system, layout, &self.options, scaling, state.t, x, stats).is_err() {
            return false;
        }
        let block = layout.x.algebraic;
        let moved = block.range().any(|i| (x[i] - state.x[i]).abs() > self.work.scal[i]);
        if moved {
            block.of_mut(&mut state.x).copy_from_slice(block.of(x));
            self.work.here_valid = false;
            self.linearized = Linearized::Nowhere;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Rejection;
    use crate::layout::{Dimensions, Layout};
    use crate::mechanism::dual::Real;
    use crate::mechanism::{self, Blocks, Mechanism, Model};
    use crate::methods::{Method, Plan};
    use crate::norm::Tolerance;
    use crate::options::{Options, Order, StageMultipliers};

    /// (1 - s)/(1 - 1/2), (s - 1/2)/(1 - 1/2) at zero; of a parabola all three reproduce its value there.
    #[test]
    fn values_at_nodes_say_what_is_at_the_start() {
        assert_eq!([0.5, 1.0].map(|c| at_start(&[0.5, 1.0], c)), [2.0, -1.0]);
        let nodes = [0.25, 0.5, 1.0];
        let sum: f64 = nodes.iter().map(|&c| at_start(&nodes, c) * (3.0 - c + 2.0 * c * c)).sum();
        assert!((sum - 3.0).abs() < 1e-14, "{sum}");
    }

    /// A point mass on the unit circle with friction that grows with the square of the normal force.
    struct Rubbing;

    impl Mechanism for Rubbing {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nw: 1, nl: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (m[0], m[3]) = (T::real(1.0), T::real(1.0));
        }
        fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
            (f[0], f[1]) = (-(x.w[0] * x.v[0]), -(x.w[0] * x.v[1]) - 9.81);
        }
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
        }
        fn auxiliary<T: Real>(&self, _t: T, x: &Blocks<'_, T>, d: &mut [T]) {
            d[0] = x.w[0] - x.lambda[0].sq() * 0.01;
        }
    }

    /// f_dyn holds -λ p, so its negative derivative by p is λ: the one that was found, not the one that was left open.
    #[test]
    fn behind_multipliers_that_were_settled_the_jacobian_is_that_of_the_new_ones() {
        let (h, lambda, stage_multipliers) = (1e-3, 1.0 - 0.8 * 9.81, StageMultipliers::Constraints);
        let options =
            Options { order: Order::Five, consistent: true, stage_multipliers, ..Options::of_call() };
        let x0 = [0.0, 0.0, -0.8, 0.6, 0.6, 0.8];
        let mut system = Model::new(Rubbing, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let layout = Layout::new(Rubbing.dimensions(), Form::StrangenessFree);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let mut radau = Radau::<3>::new(&layout, &options, &tolerance, true, (0.0, &x0, h));
        let plan = Plan { h, t_new: h, cut_from: None, ends: false };
        let by_position = |radau: &Radau<3>| {
            let (rows, first) = layout.fx_position()[4];
            radau.fx.fx[4][(layout.x.p.start - first) * rows.len()]
        };
        let Err(Setback::Reject { why, factor, .. }) = radau.attempt(&mut system, &plan) else {
            panic!("multipliers that were left open pass the error test")
        };
        assert!(matches!(why, Rejection::ErrorTest { .. }) && factor == 1.0, "{why:?} {factor}");
        assert_eq!(by_position(&radau), 0.0);
        assert!((layout.x.multipliers.of(&radau.state.x)[0] - lambda).abs() < 1e-9);
        assert!(radau.reject(why) && radau.attempt(&mut system, &plan).is_ok());
        assert!((by_position(&radau) - lambda).abs() < 1e-9, "{}", by_position(&radau));
    }
}
