//! Random mechanisms from a seed: the same number gives the same mechanism on every machine.

use crate::dense::{solve, Matrix};
use crate::frame::{cross, dot, Vec3};
use crate::mechanism::{Body, Joint, Knife, Law, Mechanism, Place, Row, Spring};
use crate::system::Equations;
use geoms::layout::Form;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

/// A mechanism with its start and end.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    pub mechanism: Mechanism,
    pub p: Vec<f64>,
    pub v: Vec<f64>,
    pub tend: f64,
}

/// How far a matrix of constraints may be from losing rank at the start.
const LEAST_PIVOT: f64 = 1e-3;

/// The mechanism of this seed. What is degenerate at its start is drawn again.
pub fn make(seed: u64) -> Case {
    for attempt in 0.. {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(attempt));
        random.next();
        if let Some(case) = draw(seed, &mut random) {
            return case;
        }
    }
    unreachable!()
}

struct Draft<'a> {
    random: &'a mut Random,
    mechanism: Mechanism,
    p: Vec<f64>,
}

fn draw(seed: u64, random: &mut Random) -> Option<Case> {
    let spatial = random.chance(0.3);
    let most = if spatial {
        3
    } else if random.chance(0.2) {
        8
    } else {
        4
    };
    let bodies = 1 + random.below(most);
    let varying = random.chance(0.3);
    let mut draft = Draft {
        random,
        mechanism: Mechanism {
            spatial,
            bodies: Vec::new(),
            joints: Vec::new(),
            knives: Vec::new(),
            springs: Vec::new(),
            combinations: Vec::new(),
            push: Law::default(),
        },
        p: Vec::new(),
    };
    for i in 0..bodies {
        draft.body(i, varying);
    }
    for i in 0..bodies {
        draft.tree_joint(i);
    }
    draft.loops();
    if draft.random.chance(0.3) {
        draft.knife();
    }
    draft.drive();
    draft.springs();
    draft.redundancy();
    if draft.random.chance(0.2) {
        let (size, rate) = (draft.random.within(0.0, 5.0), draft.random.within(0.5, 6.0));
        draft.mechanism.push = Law([0.0, 0.0, size, rate]);
    }
    let Draft { random, mechanism, p } = draft;
    let v = velocities(&mechanism, &p, random)?;
    let tend = random.within(0.3, 1.5);
    Some(Case { seed, mechanism, p, v, tend })
}

impl Draft<'_> {
    fn vector(&mut self, size: f64) -> Vec3 {
        let third = if self.mechanism.spatial { self.random.within(-size, size) } else { 0.0 };
        [self.random.within(-size, size), self.random.within(-size, size), third]
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let u = self.vector(1.0);
            let length = dot(u, u).sqrt();
            if length > 0.1 {
                return u.map(|c| c / length);
            }
        }
    }

    fn body(&mut self, i: usize, varying: bool) {
        let mass = 10f64.powf(self.random.within(-0.7, 0.7));
        let radius = self.random.within(0.2, 0.6);
        let inertia = [0.0; 3].map(|_: f64| mass * radius * radius * self.random.within(0.6, 1.0));
        let centre = if varying { self.vector(0.3) } else { [0.0; 3] };
        self.mechanism.bodies.push(Body { mass, inertia, centre });
        // Near the body before it, so that the bodies of a chain are not far apart.
        let near = if i == 0 { [0.0; 3] } else { self.centre(i - 1) };
        let away = self.vector(1.0);
        self.p.extend([near[0] + away[0], near[1] + away[1]]);
        if self.mechanism.spatial {
            self.p.push(near[2] + away[2]);
            let q: Vec<f64> = (0..4).map(|_| self.random.within(-1.0, 1.0)).collect();
            let length = q.iter().map(|q| q * q).sum::<f64>().sqrt().max(1e-3);
            self.p.extend(q.iter().map(|q| q / length));
        } else {
            let angle = self.random.within(-3.0, 3.0);
            self.p.push(angle);
        }
    }

    fn centre(&self, i: usize) -> Vec3 {
        let q = &self.p[i * self.mechanism.nq()..];
        [q[0], q[1], if self.mechanism.spatial { q[2] } else { 0.0 }]
    }

    /// A place of a body at a point of the world.
    fn place(&self, body: Option<usize>, world: Vec3) -> Place {
        let Some(i) = body else { return Place { body, at: world } };
        let c = self.centre(i);
        let away = [world[0] - c[0], world[1] - c[1], world[2] - c[2]];
        Place { body, at: self.in_body(i, away) }
    }

    fn in_body(&self, i: usize, u: Vec3) -> Vec3 {
        let q = &self.p[i * self.mechanism.nq()..][..self.mechanism.nq()];
        self.mechanism.frame(q).back(u)
    }

    fn direction_in(&self, body: Option<usize>, u: Vec3) -> Vec3 {
        body.map_or(u, |i| self.in_body(i, u))
    }

    fn add(&mut self, a: Place, b: Place, row: Row) {
        self.mechanism.joints.push(Joint { a, b, row, implied: false });
    }

    /// A point between two bodies, or near the first.
    fn between(&mut self, a: usize, b: Option<usize>) -> Vec3 {
        let (ca, away) = (self.centre(a), self.vector(0.4));
        let cb = b.map_or(ca, |b| self.centre(b));
        std::array::from_fn(|k| 0.5 * (ca[k] + cb[k]) + away[k])
    }

    fn axes(&self) -> std::ops::Range<usize> {
        0..if self.mechanism.spatial { 3 } else { 2 }
    }

    fn pin(&mut self, a: usize, b: Option<usize>, world: Vec3) {
        let (pa, pb) = (self.place(Some(a), world), self.place(b, world));
        for axis in self.axes() {
            self.add(pa, pb, Row::Coincide { axis, law: Law::default() });
        }
    }

    /// A joint of body i with the ground or an earlier body.
    fn tree_joint(&mut self, i: usize) {
        let other = if i == 0 || self.random.chance(0.15) { None } else { Some(self.random.below(i)) };
        let world = self.between(i, other);
        match self.random.below(10) {
            0..=5 => {
                self.pin(i, other, world);
                if self.mechanism.spatial && self.random.chance(0.6) {
                    self.hinge(i, other, world);
                }
            }
            6 | 7 => {
                let there = self.between(i, other);
                let apart: Vec3 = std::array::from_fn(|k| world[k] - there[k]);
                let length = dot(apart, apart).sqrt();
                if length > 0.2 {
                    let (a, b) = (self.place(Some(i), world), self.place(other, there));
                    self.add(a, b, Row::Distance { length });
                }
            }
            8 => {
                let normal = self.direction();
                let (a, b) = (self.place(Some(i), world), self.place(other, world));
                let normal = self.direction_in(other, normal);
                self.add(a, b, Row::OnPlane { normal });
                if !self.mechanism.spatial && self.random.chance(0.5) {
                    let angle = self.p[3 * i + 2] - other.map_or(0.0, |b| self.p[3 * b + 2]);
                    self.add(a, b, Row::Turn { law: Law([angle, 0.0, 0.0, 0.0]) });
                }
            }
            _ => {}
        }
    }

    /// The two rows that make a spherical joint a hinge; sometimes a second, redundant pin on its axis.
    fn hinge(&mut self, a: usize, b: Option<usize>, world: Vec3) {
        let axis = self.direction();
        let (one, two) = loop {
            let u = self.direction();
            let one = cross(axis, u);
            let length = dot(one, one).sqrt();
            if length > 0.3 {
                let one = one.map(|c| c / length);
                break (one, cross(axis, one));
            }
        };
        let (pa, pb) = (self.place(Some(a), world), self.place(b, world));
        for normal in [one, two] {
            let (first, second) = (self.direction_in(Some(a), axis), self.direction_in(b, normal));
            self.add(pa, pb, Row::Angle { first, second, value: 0.0 });
        }
        if self.random.chance(0.1) {
            let there = std::array::from_fn(|k| world[k] + 0.7 * axis[k]);
            let before = self.mechanism.joints.len();
            self.pin(a, b, there);
            self.mechanism.joints[before..].iter_mut().for_each(|j| j.implied = true);
        }
    }

    fn freedom(&self) -> usize {
        let rows = self.mechanism.joints.iter().filter(|j| !j.implied).count() + self.mechanism.knives.len();
        (self.mechanism.bodies.len() * self.mechanism.nv()).saturating_sub(rows)
    }

    /// Closed loops while freedom is left.
    fn loops(&mut self) {
        let bodies = self.mechanism.bodies.len();
        while self.freedom() > 3 && self.random.chance(0.5) {
            let a = self.random.below(bodies);
            let b = self.random.below(bodies + 1);
            let b = (b < bodies).then_some(b);
            if b == Some(a) {
                continue;
            }
            let world = self.between(a, b);
            let there = self.between(a, b);
            let apart: Vec3 = std::array::from_fn(|k| world[k] - there[k]);
            let length = dot(apart, apart).sqrt();
            match self.random.below(3) {
                0 if self.freedom() > self.axes().len() => self.pin(a, b, world),
                1 if length > 0.2 => {
                    let (a, b) = (self.place(Some(a), world), self.place(b, there));
                    self.add(a, b, Row::Distance { length });
                }
                _ => {
                    let normal = self.direction();
                    let (pa, pb) = (self.place(Some(a), world), self.place(b, world));
                    let normal = self.direction_in(b, normal);
                    self.add(pa, pb, Row::OnPlane { normal });
                }
            }
        }
    }

    fn knife(&mut self) {
        if self.freedom() < 2 {
            return;
        }
        let body = self.random.below(self.mechanism.bodies.len());
        let (at, normal) = (self.vector(0.4), self.direction());
        let speed = if self.random.chance(0.3) {
            Law([self.random.within(-0.5, 0.5), 0.0, 0.3, 2.0])
        } else {
            Law::default()
        };
        self.mechanism.knives.push(Knife { at: Place { body: Some(body), at }, normal, speed });
    }

    fn drive(&mut self) {
        if self.freedom() < 2 || !self.random.chance(0.3) {
            return;
        }
        let i = self.random.below(self.mechanism.bodies.len());
        let (rate, size, pulse) =
            (self.random.within(-2.0, 2.0), self.random.within(-0.5, 0.5), self.random.within(1.0, 6.0));
        if self.mechanism.spatial {
            let world = self.between(i, None);
            let axis = self.random.below(3);
            let (a, b) = (self.place(Some(i), world), self.place(None, world));
            self.add(a, b, Row::Coincide { axis, law: Law([0.0, 0.2 * rate, 0.4 * size, pulse]) });
        } else {
            let other = if i > 0 && self.random.chance(0.5) { Some(i - 1) } else { None };
            let angle = self.p[3 * i + 2] - other.map_or(0.0, |b| self.p[3 * b + 2]);
            let (a, b) = (Place { body: Some(i), at: [0.0; 3] }, Place { body: other, at: [0.0; 3] });
            self.add(a, b, Row::Turn { law: Law([angle, rate, size, pulse]) });
        }
    }

    /// From soft to stiff; stiff ones are damped well beyond their critical damping or not at all.
    fn springs(&mut self) {
        let bodies = self.mechanism.bodies.len();
        while self.random.chance(0.5) {
            let a = self.random.below(bodies);
            let b = (bodies > 1 && self.random.chance(0.5)).then(|| (a + 1) % bodies);
            let stiffness = 10f64.powf(self.random.within(0.0, 5.0));
            let mass = self.mechanism.bodies[a].mass;
            let damping = match self.random.below(3) {
                0 if stiffness < 1e3 => 0.0,
                1 => self.random.within(0.1, 2.0) * (stiffness * mass).sqrt(),
                _ => self.random.within(2.0, 5.0) * (stiffness * mass).sqrt(),
            };
            let (wa, wb) = (self.between(a, b), self.between(a, b));
            let apart: Vec3 = std::array::from_fn(|k| wa[k] - wb[k]);
            let length = (dot(apart, apart) + 1e-2).sqrt();
            // Strained by a force of some tens.
            let rest = length * self.random.within(0.8, 1.2)
                + self.random.within(-30.0, 30.0) / stiffness.max(100.0);
            let (pa, pb) = (self.place(Some(a), wa), self.place(b, wb));
            let rest =
                if stiffness > 1e3 { length + self.random.within(-30.0, 30.0) / stiffness } else { rest };
            self.mechanism.springs.push(Spring { a: pa, b: pb, stiffness, damping, rest });
        }
    }

    fn redundancy(&mut self) {
        let rows = self.mechanism.joints.len();
        if rows < 2 || !self.random.chance(0.15) {
            return;
        }
        for _ in 0..1 + self.random.below(2) {
            let mut parts = vec![(self.random.below(rows), self.random.within(0.5, 1.5))];
            let other = self.random.below(rows);
            if other != parts[0].0 {
                parts.push((other, self.random.within(-1.5, 1.5)));
            }
            self.mechanism.combinations.push(parts);
        }
    }
}

/// The rows of C that are not implied by others.
pub fn independent(mechanism: &Mechanism, c: &Matrix) -> (Matrix, Vec<usize>) {
    let rows: Vec<usize> =
        (0..c.rows).filter(|&i| mechanism.joints.get(i).is_none_or(|j| !j.implied)).collect();
    let mut out = Matrix::new(rows.len(), c.columns);
    for (k, &i) in rows.iter().enumerate() {
        (0..c.columns).for_each(|j| *out.at(k, j) = c.get(i, j));
    }
    (out, rows)
}

/// Random velocities that satisfy the constraints: the least correction with C Cᵀ. None if C is nearly deficient.
fn velocities(mechanism: &Mechanism, p: &[f64], random: &mut Random) -> Option<Vec<f64>> {
    let equations = Equations::new(mechanism, Form::StrangenessFree, true);
    let (c, rows) = independent(mechanism, &equations.constraint_matrix(0.0, p));
    if c.rows > c.columns {
        return None;
    }
    let size = if random.chance(0.15) { 0.0 } else { 2.0 };
    let mut v: Vec<f64> = (0..c.columns).map(|_| random.within(-size, size)).collect();
    let transposed = c.transposed();
    for _ in 0..3 {
        let residual = equations.velocity_rows(0.0, p, &v);
        let mut b = Matrix::new(c.rows, 1);
        rows.iter().enumerate().for_each(|(k, &i)| b.a[k] = residual[i]);
        if solve(c.times(&transposed), &mut b) < LEAST_PIVOT * LEAST_PIVOT {
            return None;
        }
        let correction = transposed.times(&b);
        v.iter_mut().zip(&correction.a).for_each(|(v, d)| *v -= d);
    }
    // Fast motions take long to judge and say no more.
    (v.iter().all(|v| v.abs() < 15.0)).then_some(v)
}
