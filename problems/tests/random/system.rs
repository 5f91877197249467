//! A mechanism as the library sees it: rows of both formulations, mass matrix, exact Jacobian.

use crate::dense::{solve, Matrix};
use crate::mechanism::{Local, Mechanism, Number, NQ, NV};
use geoms::layout::{Block, Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::dual::Dual;

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

/// A number of an element, with derivative 1 where it is differentiated.
fn seeded<T: Number, const K: usize>(x: &[f64; K], at: Option<usize>) -> [Dual<T>; K] {
    std::array::from_fn(|i| Dual::new(T::real(x[i]), T::real(if at == Some(i) { 1.0 } else { 0.0 })))
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

    /// C: derivatives of gI (joints only) and h by v.
    pub fn constraint_matrix(&self, t: f64, p: &[f64]) -> Matrix {
        let m = &self.mechanism;
        let v = vec![0.0; self.layout.dims.nv];
        let mut c = Matrix::new(m.joints.len() + m.knives.len(), self.layout.dims.nv);
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let x = m.gather(bodies, p, &v);
            self.places(bodies, m.nv()).for_each(|(l, g)| *c.at(i, g) = m.row_column(joint, t, &x.q, l));
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let bodies = [knife.at.body, None];
            let x = m.gather(bodies, p, &v);
            let row = m.joints.len() + i;
            self.places(bodies, m.nv()).for_each(|(l, g)| *c.at(row, g) = m.knife_column(knife, &x.q, l));
        }
        c
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
        let m = &self.mechanism;
        let v = vec![0.0; self.layout.dims.nv];
        m.joints.iter().map(|j| m.row(j, t, &m.gather(Mechanism::pair(&j.a, &j.b), p, &v).q)).collect()
    }

    /// gI of the joints, then h.
    pub fn velocity_rows(&self, t: f64, p: &[f64], v: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let joints = m.joints.iter().map(|j| m.row_rate(j, t, &m.gather(Mechanism::pair(&j.a, &j.b), p, v)));
        let knives = m.knives.iter().map(|k| m.knife(k, t, &m.gather([k.at.body, None], p, v)));
        joints.chain(knives).collect()
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
    #[allow(clippy::too_many_lines)] // one pass over the elements
    pub fn derivatives(&self, t: f64, x: &[f64]) -> Matrix {
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
            for (l, g) in self.places(bodies, nq) {
                let out = m.spring(
                    spring,
                    &Local { q: seeded(&local.q, Some(l)), v: seeded::<f64, NV>(&local.v, None) },
                );
                self.places(bodies, nv).for_each(|(r, row)| *fp.at(row, g) += out[r].d);
            }
            for (l, g) in self.places(bodies, nv) {
                let out = m.spring(
                    spring,
                    &Local { q: seeded(&local.q, None), v: seeded::<f64, NV>(&local.v, Some(l)) },
                );
                self.places(bodies, nv).for_each(|(r, row)| *fv.at(row, g) += out[r].d);
            }
        }
        for i in 0..m.bodies.len() {
            let bodies = [Some(i), None];
            let local = m.gather(bodies, p, v);
            let one = |lq: Option<usize>, lv: Option<usize>| {
                let (q, v) = (seeded::<f64, NQ>(&local.q, lq), seeded::<f64, NV>(&local.v, lv));
                let mut out = [Dual::constant(0.0); NV];
                m.body_force(i, Dual::constant(t), &q[..nq], &v[..nv], &mut out[..nv]);
                let mut rates = [Dual::constant(0.0); NQ];
                m.rates(&q[..nq], &v[..nv], &mut rates[..nq]);
                (out, rates)
            };
            for l in 0..nq {
                let (force, rate) = one(Some(l), None);
                (0..nv).for_each(|r| *fp.at(i * nv + r, i * nq + l) += force[r].d);
                (0..nq).for_each(|r| {
                    *full.at(rda.f_kin.start + i * nq + r, at.p.start + i * nq + l) = rate[r].d
                });
            }
            for l in 0..nv {
                let (force, rate) = one(None, Some(l));
                (0..nv).for_each(|r| *fv.at(i * nv + r, i * nv + l) += force[r].d);
                (0..nq).for_each(|r| {
                    *full.at(rda.f_kin.start + i * nq + r, at.v.start + i * nv + l) = rate[r].d
                });
            }
        }
        // Constraint forces by p; rows on position and velocity level.
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let local = m.gather(bodies, p, v);
            for (l, g) in self.places(bodies, nq) {
                let q = seeded(&local.q, Some(l));
                let (time, v) = (Dual::constant(t), seeded::<f64, NV>(&local.v, None));
                *position.at(i, g) += m.row(joint, time, &q).d;
                *velocity.at(i, g) += m.row_rate(joint, time, &Local { q, v }).d;
                for (r, row) in self.places(bodies, nv) {
                    *fp.at(row, g) -= m.row_column(joint, time, &q, r).d * point.lambda[i];
                }
            }
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let bodies = [knife.at.body, None];
            let local = m.gather(bodies, p, v);
            for (l, g) in self.places(bodies, nq) {
                let q = seeded(&local.q, Some(l));
                let v = seeded::<f64, NV>(&local.v, None);
                *velocity.at(m.joints.len() + i, g) += m.knife(knife, Dual::constant(t), &Local { q, v }).d;
                for (r, row) in self.places(bodies, nv) {
                    *fp.at(row, g) -= m.knife_column(knife, &q, r).d * point.mu[i];
                }
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
        let mass = self.mass_matrix(p);
        solve(mass.clone(), &mut acceleration);
        let a = acceleration.a;
        if !m.constant_mass() {
            for i in 0..m.bodies.len() {
                let local = m.gather([Some(i), None], p, v);
                let own = self.local_of([Some(i), None], &a);
                for l in 0..nq {
                    let q = seeded::<f64, NQ>(&local.q, Some(l));
                    let mut out = [Dual::constant(0.0); NV];
                    m.inertia_force(i, &q[..nq], &own.map(Dual::constant)[..nv], &mut out[..nv]);
                    (0..nv).for_each(|r| *fp.at(i * nv + r, i * nq + l) -= out[r].d);
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
        solve(mass, &mut slopes);
        let mut rows = c.times(&slopes);
        let constant = |x: &[f64; NV]| seeded::<f64, NV>(x, None);
        for (i, joint) in m.joints.iter().enumerate() {
            let bodies = Mechanism::pair(&joint.a, &joint.b);
            let (local, own) = (m.gather(bodies, p, v), constant(&self.local_of(bodies, &a)));
            let time = Dual::constant(t);
            for (l, g) in self.places(bodies, nq) {
                let x = Local { q: seeded(&local.q, Some(l)), v: constant(&local.v) };
                *rows.at(i, at.p.start + g) += m.row_acceleration(joint, time, &x, &own).d;
            }
            for (l, g) in self.places(bodies, nv) {
                let x = Local { q: seeded(&local.q, None), v: seeded(&local.v, Some(l)) };
                *rows.at(i, at.v.start + g) += m.row_acceleration(joint, time, &x, &own).d;
            }
        }
        for (i, knife) in m.knives.iter().enumerate() {
            let bodies = [knife.at.body, None];
            let (local, own) = (m.gather(bodies, p, v), constant(&self.local_of(bodies, &a)));
            let (time, row) = (Dual::constant(t), m.joints.len() + i);
            for (l, g) in self.places(bodies, nq) {
                let x = Local { q: seeded(&local.q, Some(l)), v: constant(&local.v) };
                *rows.at(row, at.p.start + g) += m.knife_rate(knife, time, &x, &own).d;
            }
            for (l, g) in self.places(bodies, nv) {
                let x = Local { q: seeded(&local.q, None), v: seeded(&local.v, Some(l)) };
                *rows.at(row, at.v.start + g) += m.knife_rate(knife, time, &x, &own).d;
            }
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
        let c = self.constraint_matrix(t, point.p);
        let f = self.dynamics(&point, &c);
        let velocity = self.velocity_rows(t, point.p, point.v);
        self.combined(&velocity, rda.g_velocity.of_mut(out));
        rda.h.of_mut(out).copy_from_slice(&velocity[joints..]);
        self.combined(&self.position_rows(t, point.p), rda.g.of_mut(out));
        rda.f_kin.of_mut(out).copy_from_slice(&self.kinematics(point.p, point.v));
        if self.layout.form == Form::StrangenessFree {
            let mut a = Matrix::new(f.len(), 1);
            a.a.copy_from_slice(&f);
            solve(self.mass_matrix(point.p), &mut a);
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
