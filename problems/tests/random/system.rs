//! A mechanism as the library sees it: rows of both formulations, mass matrix, exact Jacobian.

use crate::dense::{solve, Matrix};
use crate::frame::{Frame, Number};
use crate::mechanism::{Mechanism, Row, NV};
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
pub struct Point<'a> {
    t: f64,
    pub p: &'a [f64],
    pub v: &'a [f64],
    pub lambda: Vec<f64>,
    pub mu: &'a [f64],
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

    pub(crate) fn point<'a>(&self, t: f64, x: &'a [f64]) -> Point<'a> {
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
    #[inline]
    pub(crate) fn places(
        &self,
        bodies: [Option<usize>; 2],
        each: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (mut list, mut len) = ([(0, 0); 14], 0);
        for (k, body) in bodies.into_iter().enumerate() {
            let Some(b) = body else { continue };
            for i in 0..each {
                list[len] = (k * each + i, b * each + i);
                len += 1;
            }
        }
        list.into_iter().take(len)
    }

    pub(crate) fn local_of(&self, bodies: [Option<usize>; 2], all: &[f64]) -> [f64; NV] {
        let mut out = [0.0; NV];
        self.places(bodies, self.mechanism.nv()).for_each(|(l, g)| out[l] = all[g]);
        out
    }

    /// Frames of all bodies, then that of the ground.
    fn frames<T: Number>(&self, q: &[T]) -> Vec<Frame<T>> {
        let own = q.chunks_exact(self.mechanism.nq()).map(|q| self.mechanism.frame(q));
        own.chain(std::iter::once(Frame::ground())).collect()
    }

    /// The same, with their rates along p'.
    fn moving(&self, p: &[f64], rates: &[f64]) -> Vec<Frame<Dual<f64>>> {
        let q: Vec<_> = p.iter().zip(rates).map(|(p, d)| Dual::new(*p, *d)).collect();
        self.frames(&q)
    }

    /// The frames that an element sees.
    fn seen<T: Number>(frames: &[Frame<T>], bodies: [Option<usize>; 2]) -> [&Frame<T>; 2] {
        bodies.map(|body| body.map_or(&frames[frames.len() - 1], |i| &frames[i]))
    }

    /// The rows of the joints, then those of the knife edges.
    fn own_rows(&self) -> usize {
        self.mechanism.joints.len() + self.mechanism.knives.len()
    }

    pub(crate) fn bodies_of(&self, row: usize) -> [Option<usize>; 2] {
        let m = &self.mechanism;
        match m.joints.get(row) {
            Some(joint) => Mechanism::pair(&joint.a, &joint.b),
            None => [m.knives[row - m.joints.len()].at.body, None],
        }
    }

    pub(crate) fn columns_of<T: Number>(&self, row: usize, frames: [&Frame<T>; 2]) -> [T; NV] {
        let m = &self.mechanism;
        match m.joints.get(row) {
            Some(joint) => m.row_columns(joint, frames),
            None => m.knife_columns(&m.knives[row - m.joints.len()], frames[0]),
        }
    }

    /// What time alone does to a row on velocity and on acceleration level.
    fn drive_of(&self, row: usize, t: f64) -> [f64; 2] {
        let m = &self.mechanism;
        match m.joints.get(row).map(|j| &j.row) {
            Some(Row::Coincide { law, .. } | Row::Turn { law }) => [law.rate(t), law.second(t)],
            Some(_) => [0.0; 2],
            None => {
                let law = &m.knives[row - m.joints.len()].speed;
                [law.at(t), law.rate(t)]
            }
        }
    }

    fn rows(&self, t: f64, frames: &[Frame<f64>], v: &[f64]) -> Rows {
        let m = &self.mechanism;
        let mut c = Matrix::new(self.own_rows(), self.layout.dims.nv);
        let (mut position, mut velocity) = (Vec::with_capacity(c.rows), Vec::with_capacity(c.rows));
        for i in 0..c.rows {
            let bodies = self.bodies_of(i);
            let seen = Self::seen(frames, bodies);
            if let Some(joint) = m.joints.get(i) {
                position.push(m.row(joint, t, seen));
            }
            let columns = self.columns_of(i, seen);
            let mut rate = -self.drive_of(i, t)[0];
            for (l, g) in self.places(bodies, m.nv()) {
                rate += columns[l] * v[g];
                *c.at(i, g) = columns[l];
            }
            velocity.push(rate);
        }
        Rows { position, velocity, matrix: c }
    }

    /// C: derivatives of gI (joints only) and h by v.
    pub fn constraint_matrix(&self, t: f64, p: &[f64]) -> Matrix {
        self.rows(t, &self.frames(p), &vec![0.0; self.layout.dims.nv]).matrix
    }

    /// Applied forces.
    pub fn forces(&self, t: f64, p: &[f64], v: &[f64]) -> Vec<f64> {
        self.forces_at(t, &self.frames(p), v)
    }

    fn forces_at(&self, t: f64, frames: &[Frame<f64>], v: &[f64]) -> Vec<f64> {
        let m = &self.mechanism;
        let nv = m.nv();
        let mut f = vec![0.0; v.len()];
        for (i, frame) in frames[..m.bodies.len()].iter().enumerate() {
            m.body_force(i, t, frame, &v[i * nv..][..nv], &mut f[i * nv..][..nv]);
        }
        for spring in &m.springs {
            let bodies = Mechanism::pair(&spring.a, &spring.b);
            let out = m.spring(spring, Self::seen(frames, bodies), &self.local_of(bodies, v));
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
            let frame = m.frame(&p[i * nq..][..nq]);
            for j in 0..nv {
                let (mut unit, mut column) = ([0.0; NV], [0.0; NV]);
                unit[j] = 1.0;
                m.inertia_force(i, &frame, &unit[..nv], &mut column[..nv]);
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
            let frame = m.frame(&p[i * nq..][..nq]);
            if m.bodies[i].centre == [0.0; 3] {
                let mut own = [0.0; NV];
                m.inertia_force(i, &frame, &[1.0; NV][..nv], &mut own[..nv]);
                for column in b.a.chunks_exact_mut(b.rows) {
                    column[i * nv..].iter_mut().zip(&own[..nv]).for_each(|(b, own)| *b /= own);
                }
                continue;
            }
            let mut mass = Matrix::new(nv, nv);
            for (j, column) in mass.a.chunks_exact_mut(nv).enumerate() {
                let mut unit = [0.0; NV];
                unit[j] = 1.0;
                m.inertia_force(i, &frame, &unit[..nv], column);
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
        let frames = self.moving(p, &self.kinematics(p, v));
        let row = |i| {
            let bodies = self.bodies_of(i);
            let columns = self.columns_of(i, Self::seen(&frames, bodies));
            let terms = self.places(bodies, self.mechanism.nv());
            terms.fold(-self.drive_of(i, t)[1], |sum, (l, g)| sum + columns[l].v * a[g] + columns[l].d * v[g])
        };
        (0..self.own_rows()).map(row).collect()
    }

    /// Less than what an error of 1 + |x_j| in every x_j would make of the rows of the constraints, without a Jacobian: for gI and h
    /// their columns of v; for g, C = G Z has columns of at most 2 Σ|G_ik| while |q| < 4; for gII and hI the column of their own
    /// multiplier, C M⁻¹ Cᵀ, with the trace of M for its largest eigenvalue.
    pub fn least_scales(&self, t: f64, x: &[f64]) -> Vec<f64> {
        let (m, nv, rda) = (&self.mechanism, self.mechanism.nv(), self.layout.rda);
        let point = self.point(t, x);
        let (c, mass) = (self.constraint_matrix(t, point.p), self.mass_matrix(point.p));
        let multipliers = self.layout.x.lambda.of(x).iter().chain(point.mu);
        let mut out = vec![0.0; self.layout.m];
        for (i, multiplier) in multipliers.enumerate() {
            let holonomic = i < m.rows();
            let row: Vec<f64> = match i.checked_sub(m.joints.len()).and_then(|k| m.combinations.get(k)) {
                Some(parts) => {
                    (0..c.columns).map(|j| parts.iter().map(|&(k, f)| f * c.get(k, j)).sum()).collect()
                }
                None => {
                    let own = if holonomic { i } else { i - m.combinations.len() };
                    (0..c.columns).map(|j| c.get(own, j)).collect()
                }
            };
            let velocity: f64 = row.iter().zip(point.v).map(|(c, v)| c.abs() * (1.0 + v.abs())).sum();
            if holonomic {
                out[rda.g.start + i] = row.iter().fold(0.0f64, |m, c| m.max(c.abs())) / 2.0;
                out[rda.g_velocity.start + i] = velocity;
            } else {
                out[rda.h.start + i - m.rows()] = velocity;
            }
            if self.layout.form == Form::StrangenessFree {
                let of = |b: usize| {
                    let trace: f64 = (b * nv..(b + 1) * nv).map(|j| mass.get(j, j)).sum();
                    row[b * nv..][..nv].iter().map(|c| c * c).sum::<f64>() / trace
                };
                let place = if holonomic {
                    rda.g_acceleration.start + i
                } else {
                    rda.h_acceleration.start + i - m.rows()
                };
                out[place] = (0..m.bodies.len()).map(of).sum::<f64>() * (1.0 + multiplier.abs());
            }
        }
        out
    }

    pub fn position_rows(&self, t: f64, p: &[f64]) -> Vec<f64> {
        self.rows(t, &self.frames(p), &vec![0.0; self.layout.dims.nv]).position
    }

    /// gI of the joints, then h.
    pub fn velocity_rows(&self, t: f64, p: &[f64], v: &[f64]) -> Vec<f64> {
        self.rows(t, &self.frames(p), v).velocity
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
    pub(crate) fn dynamics(&self, x: &Point<'_>, c: &Matrix) -> Vec<f64> {
        let mut f = self.forces(x.t, x.p, x.v);
        for (i, multiplier) in x.lambda.iter().chain(x.mu).enumerate() {
            for (_, g) in self.places(self.bodies_of(i), self.mechanism.nv()) {
                f[g] -= c.get(i, g) * multiplier;
            }
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
    pub(crate) fn targets(&self, block: Block, joint: usize) -> Vec<(usize, f64)> {
        let mut list = vec![(block.start + joint, 1.0)];
        for (i, parts) in self.mechanism.combinations.iter().enumerate() {
            let row = block.start + self.mechanism.joints.len() + i;
            list.extend(parts.iter().filter(|p| p.0 == joint).map(|&(_, c)| (row, c)));
        }
        list
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
        let (m, rda, nv) = (&self.mechanism, self.layout.rda, self.mechanism.nv());
        let point = self.point(t, x);
        let (joints, count, v) = (m.joints.len(), self.own_rows(), point.v);
        let frames = self.frames(point.p);
        let rates = self.kinematics(point.p, v);
        let mut f = self.forces_at(t, &frames, v);
        let free = self.layout.form == Form::StrangenessFree;
        let moving = if free { self.moving(point.p, &rates) } else { Vec::new() };
        let (mut position, mut velocity) = (Vec::with_capacity(joints), Vec::with_capacity(count));
        // C by rows, and what it does in motion.
        let (mut columns, mut bias) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (i, multiplier) in point.lambda.iter().chain(point.mu).enumerate() {
            let (bodies, drive) = (self.bodies_of(i), self.drive_of(i, t));
            let seen = Self::seen(&frames, bodies);
            if let Some(joint) = m.joints.get(i) {
                position.push(m.row(joint, t, seen));
            }
            let (mut rate, mut turn) = (-drive[0], -drive[1]);
            let own = if free {
                let own = self.columns_of(i, Self::seen(&moving, bodies));
                self.places(bodies, nv).for_each(|(l, g)| turn += own[l].d * v[g]);
                own.map(|c| c.v)
            } else {
                self.columns_of(i, seen)
            };
            for (l, g) in self.places(bodies, nv) {
                rate += own[l] * v[g];
                f[g] -= own[l] * multiplier;
            }
            velocity.push(rate);
            columns.push(own);
            bias.push(turn);
        }
        self.combined(&velocity, rda.g_velocity.of_mut(out));
        rda.h.of_mut(out).copy_from_slice(&velocity[joints..]);
        self.combined(&position, rda.g.of_mut(out));
        rda.f_kin.of_mut(out).copy_from_slice(&rates);
        if free {
            let mut a = Matrix { rows: f.len(), columns: 1, a: f.clone() };
            self.solve_mass(point.p, &mut a);
            for (i, row) in bias.iter_mut().enumerate() {
                self.places(self.bodies_of(i), nv).for_each(|(l, g)| *row += columns[i][l] * a.a[g]);
            }
            self.combined(&bias, rda.g_acceleration.of_mut(out));
            rda.h_acceleration.of_mut(out).copy_from_slice(&bias[joints..]);
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
