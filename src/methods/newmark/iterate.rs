//! The iteration: section 5 of the paper for the increments of an iterate (p, v, a).
//!
//! ```text
//! δp = -G⁺ g - N_p N_pᵀ (D_p + h/2 Z N Nᵀ D_v)  + βκh² U A
//! δv = -C⁺ (gI, h) - C⁺ Ċ δp - N Nᵀ D_v         + γκh N A
//! δa = -C⁺ (C a + γ_acc) - C⁺ (G̈ δp + 2 Ċ Z δv) + N A
//! M δa + D δv + K δp + Cᵀ δ(λ, μ) + ... = f_dyn - M a
//! ```
//!
//! D_p, D_v are the defects of Newmark's formulas, G⁺ and C⁺ give solutions of smallest norm, and κ = ∂A/∂a. The unknowns are A, the
//! constraint forces in a basis of the range of Cᵀ, w and r: their matrix is regular if Nᵀ M N + γκh D_R + βκh² K_R is, whatever M and
//! the redundancy of the constraints. G, C and N belong to the iterate, so that what the iteration converges to does not depend on
//! how it comes there.

use super::frequency::Reduced;
use super::{Newmark, Plan, Setback};
use crate::error::Rejection;
use crate::layout::Block;
use crate::linalg::products::{add_mul, add_mul_ld, add_mul_vec, mul, mul_transposed, mul_vec};
use crate::linalg::LinalgError;
use crate::methods::hht::predict::{judge, judge_algebraic, Verdict};
use crate::model::Halt;
use crate::options::MonitorUse;
use crate::system::System;

/// Increments are solved to this part of the tolerance, unless FNEWT says otherwise ...
const CRITERION: f64 = 1e-3;
/// ... and with constant steps, where the tolerance has no other meaning, to rounding: h a is found to this relative size.
const PRECISE: f64 = 1e-18;
/// Increments of w and s, which the error test leaves out, to this part of it ...
const SETTLED: f64 = 0.1;
/// ... or to this relative size.
const RESOLVED: f64 = 1e-10;
/// Increments that do not shrink are rounding errors below this relative size, with JAC and with differences.
const STAGNANT: [f64; 2] = [1e-10, 1e-7];

/// After a relative increment of this size the constraints bend otherwise.
const FAR: f64 = 1e-4;

impl Newmark {
    /// Iterate to convergence.
    pub(super) fn iterate(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Setback> {
        let precise = PRECISE / self.weights.rtol;
        let criterion = match self.options.fnewt {
            Some(given) => given,
            None if self.options.fixed_step => precise,
            None => CRITERION,
        };
        let settled_at = if self.options.fixed_step { RESOLVED / self.weights.rtol } else { SETTLED };
        let (mut before, mut last, mut moving) = (None, None, true);
        self.work.free_first = usize::MAX;
        for iteration in 0..self.options.nit.saturating_mul(2) {
            // From far away w and s take more.
            if iteration >= self.options.nit && !self.work.unsettled {
                break;
            }
            self.linearize(system, plan)?;
            self.correct(plan).map_err(|_| singular())?;
            self.state.stats.nbsub += 1;
            let size = self.increment_size(plan.h);
            let (left, rounding) = self.algebraic_size();
            let settled = judge_algebraic(left, last, settled_at, rounding);
            last = Some(left);
            self.work.unsettled = matches!(settled, Verdict::Continue | Verdict::Diverged);
            if let Some(before) = before {
                self.state.theta = size / before;
            }
            if size * self.weights.rtol > FAR {
                self.work.free_first = usize::MAX;
            }
            let newton =
                self.is_newton() && before.is_some_and(|before| next_increment(size, before) <= criterion);
            let verdict = match judge(size, before, criterion, self.round_off_floor(plan.h)) {
                // What has converged stays so while it is small: behind it only w and s move.
                _ if newton || (!moving && size <= criterion) => Verdict::Converged,
                Verdict::Diverged if self.is_negligible(size) => Verdict::AtRoundOff,
                verdict => verdict,
            };
            moving = matches!(verdict, Verdict::Continue | Verdict::Diverged);
            match verdict {
                _ if !size.is_finite() || !left.is_finite() => break,
                Verdict::Converged | Verdict::AtRoundOff if self.work.unsettled => {}
                Verdict::Converged => return Ok(()),
                Verdict::AtRoundOff => {
                    self.state.stats.at_round_off += 1;
                    return Ok(());
                }
                Verdict::Continue => {}
                // The first increments are those of a start that was no iterate.
                Verdict::Diverged if self.state.theta < 2.0 || self.work.unsettled => {}
                Verdict::Diverged => break,
            }
            before = Some(size);
        }
        if !self.work.unsettled && before.is_some_and(|size| self.is_negligible(size)) {
            self.state.stats.at_round_off += 1;
            return Ok(());
        }
        let component = self.dominating_increment();
        Err(Setback::Reject { why: Rejection::Newton { theta: self.state.theta }, factor: 0.25, component })
    }

    /// All derivatives are those of the iterate, so that the number of right digits doubles. That is not relied on where rounding errors
    /// are the aim, nor with contact points: gII of the cycloid then missed its part of the tolerance.
    fn is_newton(&self) -> bool {
        let options = &self.options;
        self.analytic && self.layout.dims.ns == 0 && options.monitor != MonitorUse::Off && !options.fixed_step
    }

    /// Increments that do not shrink are taken for rounding errors, which near singular positions are large; in steps that are chosen by
    /// the tolerance only if that hides them.
    fn is_negligible(&self, size: f64) -> bool {
        size * self.weights.rtol <= STAGNANT[usize::from(!self.analytic)]
            && (self.options.fixed_step || size <= 0.1)
    }

    /// The model at the iterate, and its tangent spaces.
    fn linearize(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Setback> {
        let l = self.layout;
        let at = (plan.t_new, &self.new.x[..]);
        let stats = &mut self.state.stats;
        let slope = (plan.h, plan.h * self.scheme.rho);
        let (derivatives, mass) = (&mut self.derivatives, &mut self.mass);
        self.lin
            .evaluate(system, derivatives, mass, at, &self.new.a, slope, stats)
            .map_err(|halt| self.halted(halt))?;
        self.mass.copy_to(&mut self.work.mass);
        self.general |= l.rda.f_kin.of(&self.lin.rda) != l.x.v.of(&self.new.x);
        self.state.stats.nedec += 1;
        self.shared = !self.general && l.dims.nm == 0 && self.lin.position == self.lin.velocity;
        let [of_p, of_v] = self.ranks.map_or([None; 2], |ranks| ranks.map(Some));
        let mut factored = self.velocity.factor(&self.lin.velocity, of_v);
        if !self.shared && factored.is_ok() {
            factored = self.position.factor(&self.lin.position, of_p);
        }
        factored.map_err(|_| singular())?;
        self.displacements();
        self.bend(system, plan).map_err(|halt| self.halted(halt))
    }

    /// U = Z N, and the velocities Ẋ = -C⁺ Ċ U that go with it.
    fn displacements(&mut self) {
        let d = &self.layout.dims;
        let (np, nv, m, free) = (d.np, d.nv, d.nl + d.nm, self.velocity.free());
        let work = &mut self.work;
        if self.general {
            mul(np, nv, free, &self.lin.kinematic, self.velocity.null(), &mut work.displacement);
        } else {
            work.displacement[..np * free].copy_from_slice(self.velocity.null());
        }
        for j in 0..free {
            mul_vec(m, np, &self.lin.rate, &work.displacement[j * np..(j + 1) * np], &mut work.rows);
            let out = &mut work.velocity[j * nv..(j + 1) * nv];
            self.velocity.particular(&work.rows, out);
            out.iter_mut().for_each(|v| *v = -*v);
        }
    }

    /// G̈ U: evaluated at the first iterate and where the next one is far from it, and turned with the basis at the others.
    fn bend(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Halt> {
        let d = &self.layout.dims;
        let (np, nv, m, free) = (d.np, d.nv, d.nl + d.nm, self.velocity.free());
        let work = &mut self.work;
        if self.options.monitor == MonitorUse::Off {
            work.bend.fill(0.0);
            return Ok(());
        }
        if work.free_first == free {
            let turned = &mut work.turned[..free * free];
            mul_transposed(free, nv, free, &work.null_first, self.velocity.null(), turned);
            mul(m, free, free, &work.bend_first, turned, &mut work.bend);
            return Ok(());
        }
        let (at, motion) = ((plan.t_new, &self.new.x[..]), (&self.new.a[..], plan.h));
        let (directions, out) = (&work.displacement[..np * free], &mut work.bend[..m * free]);
        self.curvature.evaluate(system, &self.lin, at, motion, directions, out, &mut self.state.stats)?;
        work.bend_first[..m * free].copy_from_slice(out);
        work.null_first[..nv * free].copy_from_slice(self.velocity.null());
        work.free_first = free;
        Ok(())
    }

    /// Solve for the increments and apply them.
    fn correct(&mut self, plan: &Plan) -> Result<(), LinalgError> {
        self.defects(plan.h);
        self.particular_increments(plan.h);
        self.reduced_increments(plan.h);
        self.assemble(plan.h)?;
        self.right_hand_side(plan.h);
        self.matrix.solve(&mut self.work.unknowns);
        if !self.work.auxiliary.is_empty() {
            let (l, first) = (&self.layout, self.layout.dims.nv);
            let out = &mut self.work.auxiliary;
            out.fill(0.0);
            out[first..first + l.dims.nw].copy_from_slice(l.rda.d.of(&self.lin.rda));
            self.matrix.solve(out);
        }
        self.apply(plan.h);
        Ok(())
    }

    /// D_p and D_v, what Newmark's formulas leave at the iterate.
    fn defects(&mut self, h: f64) {
        let (l, s, work) = (&self.layout, &self.scheme, &mut self.work);
        let (old, new) = (&self.old, &mut self.new);
        for (i, mean) in new.mean.iter_mut().enumerate() {
            *mean = s.algorithmic(new.a[i], old.a[i], old.mean[i]);
        }
        let (v, v_old) = (l.x.v.of(&new.x), l.x.v.of(&old.x));
        for (i, defect) in work.v.iter_mut().enumerate() {
            let mean = (1.0 - s.gamma) * old.mean[i] + s.gamma * new.mean[i];
            *defect = v[i] - v_old[i] - h * mean;
            work.spare[i] = h * (2.0 * s.beta - s.gamma) * (new.mean[i] - old.mean[i]);
        }
        let (p, p_old, rate) = (l.x.p.of(&new.x), l.x.p.of(&old.x), l.rda.f_kin.of(&self.lin.rda));
        for (i, defect) in work.p.iter_mut().enumerate() {
            *defect = p[i] - p_old[i] - 0.5 * h * (old.slopes.p[i] + rate[i]);
        }
        add_mul_vec(l.dims.np, l.dims.nv, -0.5 * h, &self.lin.kinematic, &work.spare, &mut work.p);
    }

    /// δp, δv, δa at A = 0: minimum-norm corrections of the constraints, and of the defects along N.
    fn particular_increments(&mut self, h: f64) {
        let (l, lin, work) = (&self.layout, &self.lin, &mut self.work);
        let (np, nv, m) = (l.dims.np, l.dims.nv, l.dims.nl + l.dims.nm);
        let (rda, levels) = (&lin.rda, Block { start: l.rda.g_velocity.start, end: l.rda.h.end });
        self.velocity.keep_tangential(&mut work.v);
        add_mul_vec(np, nv, 0.5 * h, &lin.kinematic, &work.v, &mut work.p);
        let space = if self.shared { &mut self.velocity } else { &mut self.position };
        space.keep_tangential(&mut work.p);
        space.particular(l.rda.g.of(rda), &mut work.spare[..np]);
        work.p.iter_mut().zip(&work.spare).for_each(|(p, normal)| *p = -*p - normal);
        // gI and h at the moved positions.
        work.rows.copy_from_slice(levels.of(rda));
        add_mul_vec(m, np, 1.0, &lin.rate, &work.p, &mut work.rows);
        self.velocity.particular(&work.rows, &mut work.spare[..nv]);
        work.v.iter_mut().zip(&work.spare).for_each(|(v, normal)| *v = -*v - normal);
        // C a + γ at the moved positions and velocities; G̈ δp is of second order in what is left of the defects.
        mul_vec(np, nv, &lin.kinematic, &work.v, &mut work.spare);
        work.rows.copy_from_slice(&lin.acceleration);
        add_mul_vec(m, np, 2.0, &lin.rate, &work.spare, &mut work.rows);
        self.velocity.particular(&work.rows, &mut work.a);
        work.a.iter_mut().for_each(|a| *a = -*a);
    }

    /// Increments of v and a for unit accelerations along N.
    fn reduced_increments(&mut self, h: f64) {
        let (d, lin, s, work) = (&self.layout.dims, &self.lin, &self.scheme, &mut self.work);
        let (np, nv, m, free) = (d.np, d.nv, d.nl + d.nm, self.velocity.free());
        let (by_v, by_p) = (s.gamma * s.lead() * h, s.beta * s.lead() * h * h);
        for j in 0..free {
            let column = j * nv..(j + 1) * nv;
            for i in column.clone() {
                work.by_v[i] = by_v * self.velocity.null()[i] + by_p * work.velocity[i];
            }
            mul_vec(np, nv, &lin.kinematic, &work.by_v[column.clone()], &mut work.spare);
            work.rows.iter_mut().zip(&work.bend[j * m..(j + 1) * m]).for_each(|(r, b)| *r = by_p * b);
            add_mul_vec(m, np, 2.0, &lin.rate, &work.spare, &mut work.rows);
            self.velocity.particular(&work.rows, &mut work.by_a[column.clone()]);
            for i in column {
                work.by_a[i] = self.velocity.null()[i] - work.by_a[i];
            }
        }
    }

    /// The matrix of A, constraint forces, w and r; factored.
    fn assemble(&mut self, h: f64) -> Result<(), LinalgError> {
        let (d, lin, s, work) = (&self.layout.dims, &self.lin, &self.scheme, &mut self.work);
        let (np, nv, m, rows) = (d.np, d.nv, d.nl + d.nm, d.nv + d.nw + d.nr);
        let (free, rank) = (self.velocity.free(), self.velocity.rank());
        let by_p = s.beta * s.lead() * h * h;
        let matrix = self.matrix.matrix_mut();
        matrix.fill(0.0);
        let (accelerations, rest) = matrix.split_at_mut(rows * free);
        add_mul_ld((nv, nv, free), 1.0, (&work.mass, nv), (&work.by_a, nv), (accelerations, rows));
        add_mul(rows, nv, free, 1.0, &lin.by_v, &work.by_v, accelerations);
        add_mul(rows, np, free, by_p, &lin.by_p, &work.displacement, accelerations);
        let (forces, rest) = rest.split_at_mut(rows * rank);
        work.coordinates.fill(0.0);
        for (j, carried) in work.carried.chunks_exact_mut(m.max(1)).take(rank).enumerate() {
            work.coordinates[j] = 1.0;
            self.velocity.multipliers(&work.coordinates, carried);
            work.coordinates[j] = 0.0;
        }
        add_mul(rows, m, rank, 1.0, &lin.by_multipliers, &work.carried, forces);
        let (by_w, by_r) = rest.split_at_mut(rows * d.nw);
        by_w.copy_from_slice(&lin.by_w);
        by_r.copy_from_slice(&lin.by_r);
        self.matrix.factor()
    }

    /// -F at the iterate, less what the increments at A = 0 change of it.
    fn right_hand_side(&mut self, h: f64) {
        let (l, lin, s, work) = (&self.layout, &self.lin, &self.scheme, &mut self.work);
        let (np, nv, rows) = (l.dims.np, l.dims.nv, work.unknowns.len());
        let (forces, rest) = work.unknowns.split_at_mut(nv);
        forces.copy_from_slice(l.rda.f_dyn.of(&lin.rda));
        // M (a + δa) at once.
        work.spare.iter_mut().zip(&self.new.a).zip(&work.a).for_each(|((sum, a), change)| *sum = a + change);
        add_mul_vec(nv, nv, -1.0, &work.mass, &work.spare, forces);
        let (auxiliary, elements) = rest.split_at_mut(l.dims.nw);
        auxiliary.copy_from_slice(l.rda.d.of(&lin.rda));
        let (r, r_old, b) = (l.x.r.of(&self.new.x), l.x.r.of(&self.old.x), l.rda.b.of(&lin.rda));
        for (i, e) in elements.iter_mut().enumerate() {
            let slope = (1.0 - s.rho) * self.old.slopes.r[i] + s.rho * b[i];
            *e = -(r[i] - r_old[i] - h * slope);
        }
        add_mul_vec(rows, nv, -1.0, &lin.by_v, &work.v, &mut work.unknowns);
        add_mul_vec(rows, np, -1.0, &lin.by_p, &work.p, &mut work.unknowns);
    }

    /// The increments of all, in `work`, and the new iterate.
    fn apply(&mut self, h: f64) {
        let (l, lin, s, work) = (&self.layout, &self.lin, &self.scheme, &mut self.work);
        let (np, nv, ns) = (l.dims.np, l.dims.nv, l.dims.ns);
        let (free, rank) = (self.velocity.free(), self.velocity.rank());
        let (along, rest) = work.unknowns.split_at(free);
        let (forces, others) = rest.split_at(rank);
        add_mul_vec(np, free, s.beta * s.lead() * h * h, &work.displacement, along, &mut work.p);
        add_mul_vec(nv, free, 1.0, &work.by_v, along, &mut work.v);
        add_mul_vec(nv, free, 1.0, &work.by_a, along, &mut work.a);
        self.velocity.multipliers(forces, &mut work.multipliers);
        let x = &mut self.new.x;
        for (block, change) in [
            (l.x.p, &work.p[..]),
            (l.x.v, &work.v),
            (l.x.multipliers, &work.multipliers),
            (l.x.w, &others[..l.dims.nw]),
            (l.x.r, &others[l.dims.nw..]),
            (l.x.s, &lin.contact_shift),
        ] {
            block.of_mut(x).iter_mut().zip(change).for_each(|(x, d)| *x += d);
        }
        // What is extrapolated into them grows.
        self.velocity.keep_determined(l.x.multipliers.of_mut(x));
        add_mul_vec(ns, np, 1.0, &lin.contact_slope, &work.p, l.x.s.of_mut(x));
        self.new.a.iter_mut().zip(&work.a).for_each(|(a, d)| *a += d);
    }

    /// The largest natural frequency at the last linearisation and the linear limit of h, which is returned.
    pub(super) fn watch_frequency(&mut self) -> f64 {
        if self.options.monitor == MonitorUse::Off {
            return f64::INFINITY;
        }
        let (d, lin, work) = (&self.layout.dims, &self.lin, &mut self.work);
        let (np, nv, m, rows) = (d.np, d.nv, d.nl + d.nm, d.nv + d.nw + d.nr);
        let free = self.velocity.free();
        for j in 0..free {
            let column = j * nv..(j + 1) * nv;
            mul_vec(np, nv, &lin.kinematic, &work.velocity[column.clone()], &mut work.spare);
            work.rows.copy_from_slice(&work.bend[j * m..(j + 1) * m]);
            add_mul_vec(m, np, 2.0, &lin.rate, &work.spare, &mut work.rows);
            self.velocity.particular(&work.rows, &mut work.acceleration[column.clone()]);
            work.acceleration[column].iter_mut().for_each(|a| *a = -*a);
        }
        let reduced = Reduced {
            null: self.velocity.null(),
            displacement: &work.displacement,
            velocity: &work.velocity,
            acceleration: &work.acceleration,
            shape: (nv, np, free),
        };
        let frequency = self.monitor.largest(&work.mass, (&lin.by_p, &lin.by_v, rows), &reduced);
        let limit = self.scheme.stable_step(frequency);
        (self.state.measures.frequency, self.state.measures.stable_step) = (frequency, limit);
        limit
    }
}

/// What Newton's method would find next at most, from two increments: their ratio falls, but not everywhere as fast as its square (gII was
/// 1.3 TOL off where that was believed).
fn next_increment(size: f64, before: f64) -> f64 {
    let rate = size / before;
    if rate < 0.1 {
        size * rate
    } else {
        f64::INFINITY
    }
}

fn singular() -> Setback {
    Setback::Reject { why: Rejection::SingularMatrix, factor: 0.5, component: None }
}
