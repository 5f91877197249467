//! Newton's method for the stages of a critical step: all stages coupled, each with its own matrices.

use super::eliminate::{multipliers_drop_out, Known};
use super::{Critical, Radau, Setback};
use crate::error::Rejection;
use crate::linalg::lanes::Lanes;
use crate::linalg::scalar::Scalar;
use crate::newton::{Monitor, Verdict};
use crate::system::System;

/// Stages whose smallest magnitude is below this part of the largest one are too close to the rank loss: rounding errors grow
/// with its inverse, in v with the square.
const TOO_CLOSE: f64 = 0.03;
/// The step is made shorter for them by this factor ...
const SHIFT: f64 = 0.8;
/// ... at most so often.
const SHIFTS: u32 = 6;
/// Rounding errors in units of ε: a stage is a sum of all others, with the weights of A⁻¹.
const ROUND_OFF: f64 = 30.0;
/// The part of h by which a stage hands on the rounding errors of its velocity: entries of A are not larger next to each other.
const HANDED_ON: f64 = 0.1;
/// Accelerations are determined above this smallest magnitude: errors of x_k are divided by it.
const STEADY: f64 = 1e-3;
/// Multipliers at a point whose distance from the rank loss is below this part of the step say nothing of the stages.
const POLE: f64 = 0.1;
/// Branches are distinct in stages whose smallest magnitude is this times the tolerance ...
const DISTINCT: f64 = 100.0;
/// ... and steps that begin in the rank loss are made longer by this factor until they are.
const FARTHER: f64 = 8.0;
/// Below this one a stage is in the rank loss.
const IN_IT: f64 = 1e-6;
/// The part of the tolerance that extrapolated stages may miss the constraints by. A smaller one would have the steps creep into the
/// rank loss, where v is known to ε/σ².
const TOLERABLE: f64 = 1e-2;
/// Below this smallest magnitude a failure of Newton's method is one of the rank loss.
const SINGULAR: f64 = 0.1;

impl<const L: usize> Radau<L> {
    /// Starting values: p and v extrapolated, or with the accelerations at x_k if the last step says nothing of this one: at x_k itself
    /// the stages would lie in the rank loss that it may end in. λ, μ as they are at x_k.
    pub(super) fn begin_stages(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<(), Setback> {
        self.predict_stages(h);
        let l = self.layout;
        if !self.can_extrapolate(h) {
            self.state.stats.neom += 1;
            let state = &self.state;
            let result = self.rows.eom(system, state.t, &state.x, &mut self.work.rhs);
            result.map_err(|trouble| self.setback(trouble))?;
            let mut x = std::mem::take(&mut self.work.delta);
            x.copy_from_slice(&self.state.x);
            let found = self.multipliers_at(critical, system, &mut x, h);
            self.work.delta = x;
            let curvature = &mut self.work.block[..l.dims.np];
            curvature.fill(0.0);
            match found {
                Ok(()) if critical.velocity.smallest() > STEADY => {
                    critical.index1.position_curvature(&critical.a, curvature)
                }
                // In the rank loss itself: along the velocity.
                _ => critical.a.fill(0.0),
            }
            let nodes = self.orders[self.order].tableau.nodes;
            let rates = l.rda.f_kin.of(&self.work.rhs).iter().zip(curvature.iter());
            for (z, (rate, change)) in self.stages.z[l.x.p.range()].iter_mut().zip(rates) {
                *z = nodes.map(|c| c * h * (rate + 0.5 * c * h * change));
            }
            for (z, a) in self.stages.z[l.x.v.range()].iter_mut().zip(&critical.a) {
                *z = nodes.map(|c| c * h * a);
            }
        }
        // Next to the rank loss they are those of a pole, or none.
        let none = self.memory.time.is_some_and(|time| time.abs() < POLE * h);
        for k in l.x.multipliers.range() {
            self.stages.z[k] = [if none { -self.state.x[k] } else { 0.0 }; L];
        }
        Ok(())
    }

    /// Newton's method; returns the number of iterations.
    pub(super) fn solve_critical_stages(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<u32, Setback> {
        let options = &self.options;
        let (nit, uround, thet) = (options.nit, options.uround, options.thet.abs());
        let mut monitor = Monitor::new(nit, self.critical_newton_tolerance(), uround, 1.0, thet);
        loop {
            self.reduce_stages(critical, system, h)?;
            if monitor.iterations() == 0 {
                if self.ends_in_it(critical, h) {
                    self.state.stats.at_round_off += 1;
                    return Ok(1);
                }
                self.keep_off(critical, h)?;
            }
            self.solve_coupled(critical, h)?;
            self.state.stats.nbsub += 1;
            let verdict = monitor.judge(self.critical_norm());
            self.state.theta = monitor.theta;
            for (z, d) in self.stages.z.iter_mut().zip(&self.stages.dw) {
                z.iter_mut().zip(d).for_each(|(z, d)| *z += d);
            }
            match verdict {
                Verdict::Continue => {}
                Verdict::Converged => return Ok(monitor.iterations()),
                Verdict::Slow { .. } | Verdict::Diverged if self.at_noise_of_rank_loss(critical, h) => {
                    self.state.stats.at_round_off += 1;
                    return Ok(monitor.iterations());
                }
                Verdict::Slow { .. } | Verdict::Diverged => {
                    return Err(self.critical_newton_failed(critical, h))
                }
            }
        }
    }

    /// Rows, Jacobians and mass matrices of all stages, reduced; multipliers by least squares.
    fn reduce_stages(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<(), Setback> {
        let l = self.layout;
        let stages = self.tableau().stages;
        critical.find_rates(&self.orders[self.order].tableau.a_inverse, stages, h, &self.stages.z);
        for i in 0..stages {
            let t = self.state.t + self.tableau().nodes[i] * h;
            self.stages.stage(i, &self.state.x);
            let (x, stats) = (&self.stages.x, &mut self.state.stats);
            stats.neom += 1;
            let mut result = self.rows.eom(system, t, x, &mut self.work.rhs);
            if result.is_ok() {
                result = self.rows.jacobian(system, (t, x), &mut critical.points[i].fx, stats);
            }
            if result.is_ok() {
                result = self.stage_mass.evaluate(system, t, x, &mut stats.nmas);
            }
            result.map_err(|trouble| self.setback(trouble))?;
            if i == 0 && !multipliers_drop_out(&l, &critical.points[0].fx) {
                critical.suits = false;
                return Err(self.critical_newton_failed(critical, h));
            }
            self.state.stats.npdec += 1;
            let known = Known { mass: &self.stage_mass, rda: &self.work.rhs };
            let products = &mut self.state.stats.mass_multiplications;
            critical.eliminate(i, known, products).map_err(|_| super::super::linearize::singular())?;
            // f - M a, of which the multipliers take what lies along the constraints.
            let force = l.rda.f_dyn.of_mut(&mut self.work.rhs);
            let rates = critical.rates[l.x.v.range()].iter();
            self.work.block[..l.n3()].iter_mut().zip(rates).for_each(|(a, rate)| *a = rate[i]);
            let (a, products) = (&mut critical.a, &mut self.state.stats.mass_multiplications);
            self.stage_mass.mul(1, &self.work.block[..l.n3()], a, products);
            force.iter_mut().zip(a.iter()).for_each(|(f, a)| *f -= a);
            let lambda = &mut self.work.delta[..l.x.multipliers.len()];
            critical.points[i].correct_multipliers(force, lambda);
            for (z, d) in self.stages.z[l.x.multipliers.range()].iter_mut().zip(lambda.iter()) {
                z[i] += d;
            }
        }
        critical.compare_rows(stages);
        Ok(())
    }

    /// Stages too close to the rank loss, the end of the step above all, ask for another step size.
    fn keep_off(&mut self, critical: &mut Critical<L>, h: f64) -> Result<(), Setback> {
        let stages = &critical.points[..self.tableau().stages];
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
        stages.iter().for_each(|s| (smallest, largest) = (smallest.min(s.smallest), largest.max(s.smallest)));
        if smallest >= TOO_CLOSE * largest || self.options.fixed_step || self.memory.shifts >= SHIFTS {
            return Ok(());
        }
        // A shorter step would not be farther from a rank loss that lies at x_k or behind it, to which the first stage is closest.
        if self.has_rank_loss_behind(h) && stages[0].smallest == smallest {
            return Ok(());
        }
        self.memory.shifts += 1;
        Err(Setback::Reject { why: Rejection::RankLoss { smallest }, factor: SHIFT, component: None })
    }

    /// ΔZ of all stages from the coupled system.
    fn solve_coupled(&mut self, critical: &mut Critical<L>, h: f64) -> Result<(), Setback> {
        let tableau = &self.orders[self.order].tableau;
        let (n, nz, stages) = (self.layout.n, critical.sizes.all(), tableau.stages);
        let size = nz * stages;
        critical.matrix.resize(size);
        let x = &mut self.work.delta;
        let Critical { matrix, points, rhs, rates, .. } = critical;
        for i in 0..stages {
            // Rates of the iterate and of the particular solutions.
            x.iter_mut().zip(rates.iter()).for_each(|(x, rate)| *x = rate[i]);
            for (point, column) in points.iter().zip(&tableau.a_inverse[..stages]) {
                f64::axpy(column[i] / h, &point.x0, x);
            }
            let out = &mut rhs[i * nz..(i + 1) * nz];
            points[i].project_rates(x, out);
            out.iter_mut().zip(&points[i].residual).for_each(|(o, r)| *o = r - *o);
        }
        let part = &mut self.work.single_block[..nz];
        for j in 0..stages {
            for c in 0..nz {
                let column = &points[j].columns[c * n..(c + 1) * n];
                let target = &mut matrix.matrix_mut()[(j * nz + c) * size..(j * nz + c + 1) * size];
                for (i, out) in target.chunks_exact_mut(nz).enumerate() {
                    points[i].project_column(c, column, part);
                    let factor = tableau.a_inverse[j][i] / h;
                    out.iter_mut().zip(part.iter()).for_each(|(o, p)| *o = factor * p);
                    if i == j {
                        let own = &points[j].jacobian[c * nz..(c + 1) * nz];
                        out.iter_mut().zip(own).for_each(|(o, d)| *o += d);
                    }
                }
            }
        }
        self.state.stats.nedec += 1;
        matrix.factor().map_err(|_| super::super::linearize::singular())?;
        matrix.solve(&mut rhs[..size]);
        for i in 0..stages {
            x.fill(0.0);
            points[i].add_increment(&rhs[i * nz..(i + 1) * nz], x);
            self.stages.dw.iter_mut().zip(x.iter()).for_each(|(d, x)| d[i] = *x);
        }
        for d in &mut self.stages.dw {
            d[stages..].fill(0.0);
        }
        Ok(())
    }

    /// The norm of ΔZ without w, λ and μ.
    fn critical_norm(&self) -> f64 {
        let first = self.layout.x.algebraic.end;
        let pairs = self.stages.dw[first..].iter().zip(&self.work.weight[first..]);
        let sum: f64 = pairs.map(|(d, w)| d.iter().map(|d| (d * w).powi(2)).sum::<f64>()).sum();
        (sum / (self.tableau().stages * (self.layout.n - first)) as f64).sqrt()
    }

    /// True if the step ends in the rank loss itself (at TEND), where there is no Newton's method, and is so short that the
    /// extrapolated stages satisfy the constraints.
    fn ends_in_it(&self, critical: &Critical<L>, h: f64) -> bool {
        let stages = &critical.points[..self.tableau().stages];
        let smallest = self.layout.x.p.of(&self.work.scal).iter().fold(f64::INFINITY, |m, s| m.min(*s));
        let tolerable = TOLERABLE * smallest;
        let extrapolated = !self.state.is_first() && h <= self.state.h_last;
        extrapolated
            && stages.last().is_some_and(|end| end.smallest < IN_IT)
            && stages.iter().all(|stage| stage.violation <= tolerable)
    }

    /// True if the increments are as small as rounding errors allow at the distance of each stage from the rank loss: ε/σ
    /// in the positions, ε/σ² in the velocities. The positions of all stages are sums of velocities, also of the closest.
    fn at_noise_of_rank_loss(&self, critical: &Critical<L>, h: f64) -> bool {
        let (l, fnewt, stages) = (&self.layout, self.order().fnewt, self.tableau().stages);
        let close = |i: usize, power: i32| critical.points[i].smallest.max(f64::EPSILON).powi(power);
        let size = |x: f64| ROUND_OFF * f64::EPSILON * (1.0 + x.abs());
        let fastest = l.x.v.of(&self.state.x).iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let closest = (0..stages).map(|i| close(i, 2)).fold(f64::INFINITY, f64::min);
        let handed_on = HANDED_ON * h * size(fastest) / closest;
        let noise = |block: crate::layout::Block, power: i32, more: f64| {
            block.range().all(|k| {
                let tolerable = fnewt * self.work.scal[k] + more;
                let size = size(self.state.x[k]);
                (0..stages).all(|i| self.stages.dw[k][i].abs() <= tolerable + size / close(i, power))
            })
        };
        noise(l.x.contact_position, 1, handed_on) && noise(l.x.v, 2, 0.0) && noise(l.x.r, 2, 0.0)
    }

    fn critical_newton_failed(&mut self, critical: &Critical<L>, h: f64) -> Setback {
        let of_stages = critical.points[..self.tableau().stages].iter().map(|point| point.smallest);
        let smallest = of_stages.fold(f64::INFINITY, f64::min);
        if smallest >= SINGULAR {
            return self.newton_failed(0.5);
        }
        // Behind a rank loss the errors of x_k decide on the branch of stages that are too close to it.
        let error = self.layout.x.p.of(&self.work.scal).iter().fold(0.0f64, |m, s| m.max(*s));
        let beyond = self.has_rank_loss_behind(h) && smallest < DISTINCT * error;
        let factor = if beyond && self.memory.shifts < SHIFTS {
            self.memory.shifts += 1;
            FARTHER
        } else {
            0.5
        };
        Setback::Reject { why: Rejection::RankLoss { smallest }, factor, component: None }
    }

    /// The rank loss lies at x_k or behind it.
    fn has_rank_loss_behind(&self, h: f64) -> bool {
        let first = self.tableau().nodes[0] * h;
        self.memory.time.is_some_and(|time| time < 0.5 * first)
    }
}

impl<const L: usize> Critical<L> {
    /// The constraints of the stages, relative to where they are largest in the step.
    fn compare_rows(&mut self, stages: usize) {
        let Critical { points, factors, .. } = self;
        factors.iter_mut().for_each(|least| least.fill(f64::INFINITY));
        points[..stages].iter().for_each(|point| point.lower_factors(factors));
        points[..stages].iter_mut().for_each(|point| point.compare_rows(factors));
    }

    /// (A⁻¹ Z)_i/h of all components.
    fn find_rates(&mut self, columns: &[Lanes<L>; L], stages: usize, h: f64, z: &[Lanes<L>]) {
        let per_step = 1.0 / h;
        for (rate, z) in self.rates.iter_mut().zip(z) {
            *rate = [0.0; L];
            for (column, z) in columns[..stages].iter().zip(z) {
                let z = z * per_step;
                rate.iter_mut().zip(column).for_each(|(r, c)| *r += c * z);
            }
        }
    }
}
