//! A mechanism as the library sees it: rows of both formulations, mass matrix, exact Jacobian.

use crate::dense::{solve, Matrix};
use crate::gradient::Gradient;
use crate::mechanism::{Local, Mechanism, NQ, NV};
use geoms::layout::{Block, Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};

#[derive(Clone, Debug)]
pub struct Equations {
    pub mechanism: Mechanism,
    pub layout: Layout,
    pub analytic: bool,
}

/// p, v and the multipliers of the rows of the joints.
struct Point<'a> {
    t: f64,
    p: &'a [f64],
    v: &'a [f64],
    lambda: Vec<f64>,
    mu: &'a [f64],
}

/// The numbers of an element as directions of derivatives.
fn directions<const N: usize, const K: usize>(x: &[f64; N]) -> [Gradient<f64, K>; N] {
    std::array::from_fn(|i| Gradient::along(x[i], i))
}

/// The numbers of an element that are held.
fn held<const N: usize, const K: usize>(x: &[f64; N]) -> [Gradient<f64, K>; N] {
    x.map(Gradient::constant)
}

/// Rows of the joints and of the knife edges on their first two levels.
struct Rows {
    position: Vec<f64>,
    /// gI of the joints, then h.
    velocity: Vec<f64>,
    /// Its derivatives by v.
    matrix: Matrix,
}

impl Equations {
    pub fn new(mechanism: &Mechanism, form: Form, analytic: bool) -> Self {
        let bodies = mechanism.bodies.len();
        let dims = Dimensions {
            np: bodies * mechanism.nq(),
            nv: bodies * mechanism.nv(),
            nl: mechanism.rows(),
            nm: mechanism.knives.len(),
            ..Dimensions::default()
        };
        Equations { mechanism: mechanism.clone(), layout: Layout::new(dims, form), analytic }
    }

    fn point<'a>(&self, t: f64, x: &'a [f64]) -> Point<'a> {
        let at = &self.layout.x;
        let all = at.lambda.of(x);
        let (own, combined) = all.split_at(self.mechanism.joints.len());
        let mut lambda = own.to_vec();
        for (parts, value) in self.mechanism.combinations.iter().zip(combined) {
            parts.iter().for_each(|&(k, c)| lambda[k] += c * value);
        }
        Point { t, p: at.p.of(x), v: at.v.of(x), lambda, mu: at.mu.of(x) }
    }

    /// Where the local coordinates (or velocities) of the bodies of an element are in p (or v).
    fn places(&self, bodies: [Option<usize>; 2], each: usize) -> impl Iterator<Item = (usize, usize)> {
        let list = bodies.into_iter().enumerate().filter_map(|(k, b)| b.map(|b| (k, b)));
        list.flat_map(move |(k, b)| (0..each).map(move |i| (k * each + i, b * each + i)))
    }

    fn local_of(&self, bodies: [Option<usize>; 2], all: &[f64]) -> [f64; NV] {
        let mut out = [0.0; NV];
        self.places(bodies, self.mechanism.nv()).for_each(|(l, g)| out[l] = all[g]);
        out
    }

    fn rows(&self, t: f64, p: &[f64], v: &[f64]) -> Rows {
        // As many directions as velocities of two bodies, and the motion.
        if self.mechanism.spatial {
            self.rows_in::<13>(t, p, v)
        } else {
            self.rows_in::<7>(t, p, v)
        }
    }

    fn rows_in<const K: usize>(&self, t: f64, p: &[f64], v: &[f64]) -> Rows {
        let m = &self.mechanism;
        let mut c = Matrix::new(m.joints.len() + m.knives.len(), self.layout.dims.nv);
        let (mut position, mut velocity) = (Vec::with_capacity(c.rows), Vec::with_capacity(c.rows));
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let row = m.row_and_rates::<K>(joint, t, &m.gather(bodies, p, v));
            position.push(row.v);
            velocity.push(row.d[K - 1]);
            self.places(bodies, m.nv()).for_each(|(l, g)| *c.at(i, g) = row.d[l]);
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let bodies = [knife.at.body, None];
            let x = m.gather(bodies, p, v);
            let row = m.joints.len() + i;
            velocity.push(m.knife(knife, t, &x));
            self.places(bodies, m.nv()).for_each(|(l, g)| *c.at(row, g) = m.knife_column(knife, &x.q, l));
        }
        Rows { position, velocity, matrix: c }
    }

    /// C: derivatives of gI (joints only) and h by v.
    pub fn constraint_matrix(&self, t: f64, p: &[f64]) -> Matrix {
        self.rows(t, p, &vec![0.0; self.layout.dims.nv]).matrix
    }

    /// Applied forces.
    pub fn forces(&self, t: f64, p: &[f64], v: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        let mut f = vec![0.0; v.len()];
        for i in 0..m.bodies.len() {
            m.body_force(i, t, &p[i * nq..][..nq], &v[i * nv..][..nv], &mut f[i * nv..][..nv]);
        }
        for spring in &m.springs {
            let bodies = Mechanism::pair(&spring.a, &spring.b);
            let out = m.spring(spring, &m.gather(bodies, p, v));
            self.places(bodies, nv).for_each(|(l, g)| f[g] += out[l]);
        }
        f
    }

    /// M, NV by NV.
    pub fn mass_matrix(&self, p: &[f64]) -> Matrix {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        let mut mass = Matrix::new(self.layout.dims.nv, self.layout.dims.nv);
        for i in 0..m.bodies.len() {
            for j in 0..nv {
                let (mut unit, mut column) = ([0.0; NV], [0.0; NV]);
                unit[j] = 1.0;
                m.inertia_force(i, &p[i * nq..][..nq], &unit[..nv], &mut column[..nv]);
                (0..nv).for_each(|k| *mass.at(i * nv + k, i * nv + j) = column[k]);
            }
        }
        mass
    }

    /// M⁻¹ B, body by body.
    pub fn solve_mass(&self, p: &[f64], b: &mut Matrix) {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        let mut part = Matrix::new(nv, b.columns);
        for i in 0..m.bodies.len() {
            let mut mass = Matrix::new(nv, nv);
            for (j, column) in mass.a.chunks_exact_mut(nv).enumerate() {
                let mut unit = [0.0; NV];
                unit[j] = 1.0;
                m.inertia_force(i, &p[i * nq..][..nq], &unit[..nv], column);
            }
            let rows = b.rows;
            let own = |j: usize| i * nv + j * rows..(i + 1) * nv + j * rows;
            part.a.chunks_exact_mut(nv).enumerate().for_each(|(j, to)| to.copy_from_slice(&b.a[own(j)]));
            solve(mass, &mut part);
            part.a.chunks_exact(nv).enumerate().for_each(|(j, from)| b.a[own(j)].copy_from_slice(from));
        }
    }

    /// Second derivatives of the rows of the joints and rates of the knife edges with v' = a.
    pub fn acceleration_rows(&self, t: f64, p: &[f64], v: &[f64], a: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let mut out = Vec::with_capacity(m.joints.len() + m.knives.len());
        for joint in &m.joints {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            out.push(m.row_acceleration(joint, t, &m.gather(bodies, p, v), &self.local_of(bodies, a)));
        }
        for knife in &m.knives {
            let bodies = [knife.at.body, None];
            out.push(m.knife_rate(knife, t, &m.gather(bodies, p, v), &self.local_of(bodies, a)));
        }
        out
    }

    pub fn position_rows(&self, t: f64, p: &[f64]) -> Vec<f64> {
        self.rows(t, p, &vec![0.0; self.layout.dims.nv]).position
    }

    /// gI of the joints, then h.
    pub fn velocity_rows(&self, t: f64, p: &[f64], v: &[f64]) -> Vec<f64> {
        self.rows(t, p, v).velocity
    }

    /// Z v.
    pub fn kinematics(&self, p: &[f64], v: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let (nq, nv) = (m.nq(), m.nv());
        let mut out = vec![0.0; p.len()];
        for i in 0..m.bodies.len() {
            m.rates(&p[i * nq..][..nq], &v[i * nv..][..nv], &mut out[i * nq..][..nq]);
        }
        out
    }

    /// f - Cᵀ(λ, μ).
    fn dynamics(&self, x: &Point<'_>, c: &Matrix) -> Vec<f64> {
        let mut f = self.forces(x.t, x.p, x.v);
        for (j, f) in f.iter_mut().enumerate() {
            let multipliers = x.lambda.iter().chain(x.mu).enumerate();
            *f -= multipliers.map(|(i, l)| c.get(i, j) * l).sum::<f64>();
        }
        f
    }

    /// Rows of the joints, continued by the combinations of them.
    fn combined(&self, own: &[f64], out: &mut [f64]) {
        let (head, tail) = out.split_at_mut(self.mechanism.joints.len());
        head.copy_from_slice(&own[..head.len()]);
        for (parts, out) in self.mechanism.combinations.iter().zip(tail) {
            *out = parts.iter().map(|&(k, c)| c * own[k]).sum();
        }
    }

    /// A row of derivatives goes to the row of the joint and to the combinations that it is a part of.
    fn targets(&self, block: Block, joint: usize) -> Vec<(usize, f64)> {
        let mut list = vec![(block.start + joint, 1.0)];
        for (i, parts) in self.mechanism.combinations.iter().enumerate() {
            let row = block.start + self.mechanism.joints.len() + i;
            list.extend(parts.iter().filter(|p| p.0 == joint).map(|&(_, c)| (row, c)));
        }
        list
    }

    /// Derivatives of all rows, M by N.
    pub fn derivatives(&self, t: f64, x: &[f64]) -> Matrix {
        if self.mechanism.spatial {
            self.derivatives_in::<NQ, NV>(t, x)
        } else {
            self.derivatives_in::<6, 6>(t, x)
        }
    }

    /// Two bodies have Q coordinates and V velocities.
    #[allow(clippy::too_many_lines)] // one pass over the elements
    fn derivatives_in<const Q: usize, const V: usize>(&self, t: f64, x: &[f64]) -> Matrix {
        let (m, at, rda) = (&self.mechanism, self.layout.x, self.layout.rda);
        let (nq, nv, dims) = (m.nq(), m.nv(), self.layout.dims);
        let point = self.point(t, x);
        let (p, v) = (point.p, point.v);
        let c = self.constraint_matrix(t, p);
        let f = self.dynamics(&point, &c);
        let mut full = Matrix::new(self.layout.m, self.layout.n);
        let mut velocity = Matrix::new(c.rows, dims.np); // ∂(gI, h)/∂p
        let mut position = Matrix::new(m.joints.len(), dims.np);
        // Forces by p and v.
        let mut fp = Matrix::new(dims.nv, dims.np);
        let mut fv = Matrix::new(dims.nv, dims.nv);
        for spring in &m.springs {
            let bodies = Mechanism::pair(&spring.a, &spring.b);
            let local = m.gather(bodies, p, v);
            let by_q = m.spring(spring, &Local { q: directions::<NQ, Q>(&local.q), v: held(&local.v) });
            let by_v = m.spring(spring, &Local { q: held(&local.q), v: directions::<NV, V>(&local.v) });
            for (r, row) in self.places(bodies, nv) {
                self.places(bodies, nq).for_each(|(l, g)| *fp.at(row, g) += by_q[r].d[l]);
                self.places(bodies, nv).for_each(|(l, g)| *fv.at(row, g) += by_v[r].d[l]);
            }
        }
        for i in 0..m.bodies.len() {
            let local = m.gather([Some(i), None], p, v);
            fn one<const K: usize>(
                m: &Mechanism,
                (i, t): (usize, f64),
                q: &[Gradient<f64, K>; NQ],
                v: &[Gradient<f64, K>; NV],
            ) -> ([Gradient<f64, K>; NV], [Gradient<f64, K>; NQ]) {
                let (nq, nv) = (m.nq(), m.nv());
                let (mut out, mut rates) = ([Gradient::constant(0.0); NV], [Gradient::constant(0.0); NQ]);
                m.body_force(i, Gradient::constant(t), &q[..nq], &v[..nv], &mut out[..nv]);
                m.rates(&q[..nq], &v[..nv], &mut rates[..nq]);
                (out, rates)
            }
            let (force, rate) = one::<Q>(m, (i, t), &directions(&local.q), &held(&local.v));
            for l in 0..nq {
                (0..nv).for_each(|r| *fp.at(i * nv + r, i * nq + l) += force[r].d[l]);
                (0..nq).for_each(|r| {
                    *full.at(rda.f_kin.start + i * nq + r, at.p.start + i * nq + l) = rate[r].d[l]
                });
            }
            let (force, rate) = one::<V>(m, (i, t), &held(&local.q), &directions(&local.v));
            for l in 0..nv {
                (0..nv).for_each(|r| *fv.at(i * nv + r, i * nv + l) += force[r].d[l]);
                (0..nq).for_each(|r| {
                    *full.at(rda.f_kin.start + i * nq + r, at.v.start + i * nv + l) = rate[r].d[l]
                });
            }
        }
        // Constraint forces by p; rows on position and velocity level.
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let local = m.gather(bodies, p, v);
            let (q, v) = (directions::<NQ, Q>(&local.q), held(&local.v));
            let time = Gradient::constant(t);
            let rate = m.row_and_rate(joint, time, &Local { q, v });
            for (l, g) in self.places(bodies, nq) {
                *position.at(i, g) += rate.v.d[l];
                *velocity.at(i, g) += rate.d.d[l];
            }
            for (r, row) in self.places(bodies, nv) {
                let column = m.row_column(joint, time, &q, r);
                self.places(bodies, nq).for_each(|(l, g)| *fp.at(row, g) -= column.d[l] * point.lambda[i]);
            }
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let bodies = [knife.at.body, None];
            let local = m.gather(bodies, p, v);
            let (q, v) = (directions::<NQ, Q>(&local.q), held(&local.v));
            let row = m.knife(knife, Gradient::constant(t), &Local { q, v });
            self.places(bodies, nq).for_each(|(l, g)| *velocity.at(m.joints.len() + i, g) += row.d[l]);
            for (r, row) in self.places(bodies, nv) {
                let column = m.knife_column(knife, &q, r);
                self.places(bodies, nq).for_each(|(l, g)| *fp.at(row, g) -= column.d[l] * point.mu[i]);
            }
        }
        // f_dyn by λ and μ: -Cᵀ.
        for i in 0..c.rows {
            let columns = if i < m.joints.len() {
                self.targets(at.lambda, i)
            } else {
                vec![(at.mu.start + i - m.joints.len(), 1.0)]
            };
            for (column, factor) in columns {
                (0..dims.nv).for_each(|j| *full.at(rda.f_dyn.start + j, column) -= factor * c.get(i, j));
            }
        }
        for j in 0..dims.np {
            (0..dims.nv).for_each(|i| *full.at(rda.f_dyn.start + i, at.p.start + j) = fp.get(i, j));
        }
        for j in 0..dims.nv {
            (0..dims.nv).for_each(|i| *full.at(rda.f_dyn.start + i, at.v.start + j) = fv.get(i, j));
        }
        let rows_of = |block: Block, other: Block, i: usize| {
            if i < m.joints.len() {
                self.targets(block, i)
            } else {
                vec![(other.start + i - m.joints.len(), 1.0)]
            }
        };
        for i in 0..c.rows {
            for (row, factor) in rows_of(rda.g_velocity, rda.h, i) {
                (0..dims.nv).for_each(|j| *full.at(row, at.v.start + j) += factor * c.get(i, j));
                (0..dims.np).for_each(|j| *full.at(row, at.p.start + j) += factor * velocity.get(i, j));
            }
        }
        for i in 0..m.joints.len() {
            for (row, factor) in self.targets(rda.g, i) {
                (0..dims.np).for_each(|j| *full.at(row, at.p.start + j) += factor * position.get(i, j));
            }
        }
        if self.layout.form == Form::Index1 {
            return full;
        }
        // v' by (λ, μ), v, p: the columns of all three at once.
        let mut acceleration = Matrix::new(dims.nv, 1);
        acceleration.a.copy_from_slice(&f);
        self.solve_mass(p, &mut acceleration);
        let a = acceleration.a;
        if !m.constant_mass() {
            for i in 0..m.bodies.len() {
                let local = m.gather([Some(i), None], p, v);
                let own = self.local_of([Some(i), None], &a);
                let mut out = [Gradient::constant(0.0); NV];
                m.inertia_force(i, &directions::<NQ, Q>(&local.q)[..nq], &held(&own)[..nv], &mut out[..nv]);
                for l in 0..nq {
                    (0..nv).for_each(|r| *fp.at(i * nv + r, i * nq + l) -= out[r].d[l]);
                }
            }
        }
        let mut slopes = Matrix::new(dims.nv, self.layout.n);
        for j in 0..dims.nv {
            for k in at.multipliers.range() {
                *slopes.at(j, k) = full.get(rda.f_dyn.start + j, k);
            }
            (0..dims.nv).for_each(|k| *slopes.at(j, at.v.start + k) = fv.get(j, k));
            (0..dims.np).for_each(|k| *slopes.at(j, at.p.start + k) = fp.get(j, k));
        }
        self.solve_mass(p, &mut slopes);
        let mut rows = c.times(&slopes);
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let (x, own) = (m.gather(bodies, p, v), self.local_of(bodies, &a));
            let by_q = Local { q: directions::<NQ, Q>(&x.q), v: held(&x.v) };
            let by_v = Local { q: held(&x.q), v: directions::<NV, V>(&x.v) };
            let by_q = m.row_acceleration(joint, Gradient::constant(t), &by_q, &held(&own));
            let by_v = m.row_acceleration(joint, Gradient::constant(t), &by_v, &held(&own));
            self.places(bodies, nq).for_each(|(l, g)| *rows.at(i, at.p.start + g) += by_q.d[l]);
            self.places(bodies, nv).for_each(|(l, g)| *rows.at(i, at.v.start + g) += by_v.d[l]);
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let (bodies, row) = ([knife.at.body, None], m.joints.len() + i);
            let (x, own) = (m.gather(bodies, p, v), self.local_of(bodies, &a));
            let by_q = Local { q: directions::<NQ, Q>(&x.q), v: held(&x.v) };
            let by_v = Local { q: held(&x.q), v: directions::<NV, V>(&x.v) };
            let by_q = m.knife_rate(knife, Gradient::constant(t), &by_q, &held(&own));
            let by_v = m.knife_rate(knife, Gradient::constant(t), &by_v, &held(&own));
            self.places(bodies, nq).for_each(|(l, g)| *rows.at(row, at.p.start + g) += by_q.d[l]);
            self.places(bodies, nv).for_each(|(l, g)| *rows.at(row, at.v.start + g) += by_v.d[l]);
        }
        for i in 0..c.rows {
            for (row, factor) in rows_of(rda.g_acceleration, rda.h_acceleration, i) {
                (0..self.layout.n).for_each(|j| *full.at(row, j) += factor * rows.get(i, j));
            }
        }
        full
    }
}

impl System for Equations {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }
    fn form(&self) -> Form {
        self.layout.form
    }
    fn eom(&mut self, t: f64, x: &[f64], out: &mut [f64]) -> Outcome {
        let rda = self.layout.rda;
        let point = self.point(t, x);
        let joints = self.mechanism.joints.len();
        let rows = self.rows(t, point.p, point.v);
        let f = self.dynamics(&point, &rows.matrix);
        self.combined(&rows.velocity, rda.g_velocity.of_mut(out));
        rda.h.of_mut(out).copy_from_slice(&rows.velocity[joints..]);
        self.combined(&rows.position, rda.g.of_mut(out));
        rda.f_kin.of_mut(out).copy_from_slice(&self.kinematics(point.p, point.v));
        if self.layout.form == Form::StrangenessFree {
            let mut a = Matrix::new(f.len(), 1);
            a.a.copy_from_slice(&f);
            self.solve_mass(point.p, &mut a);
            let rows = self.acceleration_rows(t, point.p, point.v, &a.a);
            self.combined(&rows, rda.g_acceleration.of_mut(out));
            rda.h_acceleration.of_mut(out).copy_from_slice(&rows[joints..]);
        }
        rda.f_dyn.of_mut(out).copy_from_slice(&f);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&self.mass_matrix(self.layout.x.p.of(x)).a);
        Outcome::Continue
    }
    fn has_jacobian(&self) -> bool {
        self.analytic
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        fx.set_from_full(&self.layout, &self.derivatives(t, x).a);
        Outcome::Continue
    }
}
