//! The exact Jacobian of a mechanism: every element is differentiated by the coordinates and velocities of its two bodies.

use crate::dense::Matrix;
use crate::frame::Frame;
use crate::gradient::Gradient;
use crate::mechanism::Mechanism;
use crate::system::Equations;
use geoms::layout::{Block, Form};
use geoms_problems::dual::Dual;

/// Derivatives of the parts that the rows are made of.
struct Parts {
    /// Forces by p and by v.
    fp: Matrix,
    fv: Matrix,
    /// g by p, (gI, h) by p.
    position: Matrix,
    velocity: Matrix,
    /// (gII, hI) by p and by v while v' is held.
    by_p: Matrix,
    by_v: Matrix,
}

/// Two bodies, and the one of them whose coordinates are the directions.
#[derive(Clone, Copy)]
struct Pair {
    bodies: [Option<usize>; 2],
    along: usize,
}

impl Pair {
    /// Both of them in turn.
    fn each(bodies: [Option<usize>; 2]) -> impl Iterator<Item = (usize, Pair)> {
        (0..2).filter_map(move |along| Some((bodies[along]?, Pair { bodies, along })))
    }

    /// A coordinate of the k-th.
    #[inline]
    fn number<const K: usize>(self, k: usize, x: f64, l: usize) -> Gradient<f64, K> {
        if k == self.along {
            Gradient::along(x, l)
        } else {
            Gradient::constant(x)
        }
    }

    fn frames<const K: usize>(self, m: &Mechanism, p: &[f64]) -> [Frame<Gradient<f64, K>>; 2] {
        let nq = m.nq();
        [0, 1].map(|k| {
            self.bodies[k].map_or_else(Frame::ground, |i| {
                let mut q = [Gradient::constant(0.0); 7];
                (0..nq).for_each(|l| q[l] = self.number(k, p[i * nq + l], l));
                m.frame(&q[..nq])
            })
        })
    }

    /// The same, moving with v.
    fn moving<const K: usize>(
        self,
        m: &Mechanism,
        p: &[f64],
        v: &[f64],
    ) -> [Frame<Dual<Gradient<f64, K>>>; 2] {
        let (nq, nv) = (m.nq(), m.nv());
        [0, 1].map(|k| {
            self.bodies[k].map_or_else(Frame::ground, |i| {
                let zero = Gradient::constant(0.0);
                let (mut q, mut speed, mut rate) = ([zero; 7], [zero; 6], [zero; 7]);
                (0..nq).for_each(|l| q[l] = self.number(k, p[i * nq + l], l));
                (0..nv).for_each(|l| speed[l] = Gradient::constant(v[i * nv + l]));
                m.rates(&q[..nq], &speed[..nv], &mut rate[..nq]);
                let q: [_; 7] = std::array::from_fn(|l| Dual::new(q[l], rate[l]));
                m.frame(&q[..nq])
            })
        })
    }
}

impl Equations {
    /// Derivatives of all rows, M by N.
    pub fn derivatives(&self, t: f64, x: &[f64]) -> Matrix {
        // As many directions as coordinates of a body.
        if self.mechanism.spatial {
            self.derivatives_in::<7>(t, x)
        } else {
            self.derivatives_in::<3>(t, x)
        }
    }

    fn derivatives_in<const B: usize>(&self, t: f64, x: &[f64]) -> Matrix {
        let (at, rda, dims) = (self.layout.x, self.layout.rda, self.layout.dims);
        let joints = self.mechanism.joints.len();
        let point = self.point(t, x);
        let (p, v) = (point.p, point.v);
        let c = self.constraint_matrix(t, p);
        let mut a = Matrix::new(dims.nv, 1);
        let free = self.layout.form == Form::StrangenessFree;
        if free {
            a.a = self.dynamics(&point, &c);
            self.solve_mass(p, &mut a);
        }
        let mut full = Matrix::new(self.layout.m, self.layout.n);
        let mut parts = Parts {
            fp: Matrix::new(dims.nv, dims.np),
            fv: Matrix::new(dims.nv, dims.nv),
            position: Matrix::new(joints, dims.np),
            velocity: Matrix::new(c.rows, dims.np),
            by_p: Matrix::new(c.rows, dims.np),
            by_v: Matrix::new(c.rows, dims.nv),
        };
        self.of_springs::<B>((p, v), &mut parts);
        self.of_bodies::<B>(t, (p, v), &mut parts, &mut full);
        for i in 0..c.rows {
            let multiplier = if i < joints { point.lambda[i] } else { point.mu[i - joints] };
            self.of_low_row::<B>(i, (t, p, v), multiplier, &mut parts);
            if free {
                self.of_high_row::<B>(i, (p, v, &a.a), &mut parts);
            }
        }
        let rows_of = |block: Block, other: Block, i: usize| {
            if i < joints {
                self.targets(block, i)
            } else {
                vec![(other.start + i - joints, 1.0)]
            }
        };
        // f_dyn by λ and μ: -Cᵀ.
        for i in 0..c.rows {
            for (column, factor) in rows_of(at.lambda, at.mu, i) {
                (0..dims.nv).for_each(|j| *full.at(rda.f_dyn.start + j, column) -= factor * c.get(i, j));
            }
            for (row, factor) in rows_of(rda.g_velocity, rda.h, i) {
                (0..dims.nv).for_each(|j| *full.at(row, at.v.start + j) += factor * c.get(i, j));
                (0..dims.np).for_each(|j| *full.at(row, at.p.start + j) += factor * parts.velocity.get(i, j));
            }
        }
        full.put(&parts.fp, rda.f_dyn.start, at.p.start);
        full.put(&parts.fv, rda.f_dyn.start, at.v.start);
        for i in 0..joints {
            for (row, factor) in self.targets(rda.g, i) {
                (0..dims.np).for_each(|j| *full.at(row, at.p.start + j) += factor * parts.position.get(i, j));
            }
        }
        if !free {
            return full;
        }
        // v' by (λ, μ), v, p: the columns of all three at once.
        if !self.mechanism.constant_mass() {
            self.of_inertia::<B>(p, &a.a, &mut parts.fp);
        }
        let mut slopes = Matrix::new(dims.nv, self.layout.n);
        for k in at.multipliers.range() {
            (0..dims.nv).for_each(|j| *slopes.at(j, k) = full.get(rda.f_dyn.start + j, k));
        }
        slopes.put(&parts.fv, 0, at.v.start);
        slopes.put(&parts.fp, 0, at.p.start);
        self.solve_mass(p, &mut slopes);
        let mut rows = c.times(&slopes);
        for i in 0..c.rows {
            (0..dims.np).for_each(|g| *rows.at(i, at.p.start + g) += parts.by_p.get(i, g));
            (0..dims.nv).for_each(|g| *rows.at(i, at.v.start + g) += parts.by_v.get(i, g));
            for (row, factor) in rows_of(rda.g_acceleration, rda.h_acceleration, i) {
                (0..self.layout.n).for_each(|j| *full.at(row, j) += factor * rows.get(i, j));
            }
        }
        full
    }

    fn of_springs<const B: usize>(&self, (p, v): (&[f64], &[f64]), parts: &mut Parts) {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        for spring in &m.springs {
            let bodies = Mechanism::pair(&spring.a, &spring.b);
            let own = self.local_of(bodies, v);
            let nowhere = Pair { bodies, along: 2 };
            let held = nowhere.frames::<B>(m, p);
            for (body, pair) in Pair::each(bodies) {
                let by_q = m.spring(spring, pair.frames::<B>(m, p).each_ref(), &own.map(Gradient::constant));
                let speeds = std::array::from_fn(|i| pair.number(i / nv, own[i], i % nv));
                let by_v = m.spring(spring, held.each_ref(), &speeds);
                for (r, row) in self.places(bodies, nv) {
                    (0..nq).for_each(|l| *parts.fp.at(row, body * nq + l) += by_q[r].d[l]);
                    (0..nv).for_each(|l| *parts.fv.at(row, body * nv + l) += by_v[r].d[l]);
                }
            }
        }
    }

    /// Forces on single bodies, and f_kin.
    fn of_bodies<const B: usize>(
        &self,
        t: f64,
        (p, v): (&[f64], &[f64]),
        parts: &mut Parts,
        full: &mut Matrix,
    ) {
        let (m, at, kin) = (&self.mechanism, self.layout.x, self.layout.rda.f_kin);
        let (nq, nv) = (m.nq(), m.nv());
        for i in 0..m.bodies.len() {
            let mut one = |by_q: bool| {
                let zero = Gradient::<f64, B>::constant(0.0);
                let (mut q, mut w) = ([zero; 7], [zero; 6]);
                let along = |x: f64, l: usize, is: bool| {
                    if is {
                        Gradient::along(x, l)
                    } else {
                        Gradient::constant(x)
                    }
                };
                (0..nq).for_each(|l| q[l] = along(p[i * nq + l], l, by_q));
                (0..nv).for_each(|l| w[l] = along(v[i * nv + l], l, !by_q));
                let (mut force, mut rate) = ([zero; 6], [zero; 7]);
                m.body_force(i, t, &m.frame(&q[..nq]), &w[..nv], &mut force[..nv]);
                m.rates(&q[..nq], &w[..nv], &mut rate[..nq]);
                let (each, to, start) =
                    if by_q { (nq, &mut parts.fp, at.p.start) } else { (nv, &mut parts.fv, at.v.start) };
                for l in 0..each {
                    (0..nv).for_each(|r| *to.at(i * nv + r, i * each + l) += force[r].d[l]);
                    (0..nq)
                        .for_each(|r| *full.at(kin.start + i * nq + r, start + i * each + l) = rate[r].d[l]);
                }
            };
            one(true);
            one(false);
        }
    }

    /// -∂(M a)/∂p, added to the forces.
    fn of_inertia<const B: usize>(&self, p: &[f64], a: &[f64], fp: &mut Matrix) {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        for i in 0..m.bodies.len() {
            let zero = Gradient::<f64, B>::constant(0.0);
            let (mut q, mut own, mut out) = ([zero; 7], [zero; 6], [zero; 6]);
            (0..nq).for_each(|l| q[l] = Gradient::along(p[i * nq + l], l));
            (0..nv).for_each(|l| own[l] = Gradient::constant(a[i * nv + l]));
            m.inertia_force(i, &m.frame(&q[..nq]), &own[..nv], &mut out[..nv]);
            for l in 0..nq {
                (0..nv).for_each(|r| *fp.at(i * nv + r, i * nq + l) -= out[r].d[l]);
            }
        }
    }

    /// A row on position and velocity level, and its force, by p.
    fn of_low_row<const B: usize>(
        &self,
        i: usize,
        (t, p, v): (f64, &[f64], &[f64]),
        multiplier: f64,
        parts: &mut Parts,
    ) {
        let (m, nq) = (&self.mechanism, self.mechanism.nq());
        let bodies = self.bodies_of(i);
        for (body, pair) in Pair::each(bodies) {
            let seen = pair.frames::<B>(m, p);
            if let Some(joint) = m.joints.get(i) {
                let row = m.row(joint, t, seen.each_ref());
                (0..nq).for_each(|l| *parts.position.at(i, body * nq + l) = row.d[l]);
            }
            let columns = self.columns_of(i, seen.each_ref());
            for (r, row) in self.places(bodies, m.nv()) {
                for (l, slope) in columns[r].d[..nq].iter().enumerate() {
                    *parts.fp.at(row, body * nq + l) -= slope * multiplier;
                    *parts.velocity.at(i, body * nq + l) += slope * v[row];
                }
            }
        }
    }

    /// The acceleration level, Ċ v + C a with C = C(p), Ċ = C_p Z v, while a is held.
    fn of_high_row<const B: usize>(&self, i: usize, (p, v, a): (&[f64], &[f64], &[f64]), parts: &mut Parts) {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        let bodies = self.bodies_of(i);
        for (turn, (body, pair)) in Pair::each(bodies).enumerate() {
            let columns = self.columns_of(i, pair.moving::<B>(m, p, v).each_ref());
            // (C v)_p.
            let mut bend = [0.0; 7];
            for (r, row) in self.places(bodies, nv) {
                let (now, rate) = (&columns[r].v, &columns[r].d);
                if turn == 0 {
                    *parts.by_v.at(i, row) += rate.v;
                }
                for (l, bend) in bend.iter_mut().enumerate().take(nq) {
                    *bend += now.d[l] * v[row];
                    *parts.by_p.at(i, body * nq + l) += now.d[l] * a[row] + rate.d[l] * v[row];
                }
            }
            // A change of v changes p', and Ċ with it.
            for s in 0..nv {
                let (mut unit, mut rate) = ([0.0; 6], [0.0; 7]);
                unit[s] = 1.0;
                m.rates(&p[body * nq..][..nq], &unit[..nv], &mut rate[..nq]);
                *parts.by_v.at(i, body * nv + s) += rate.iter().zip(&bend).map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }
}
