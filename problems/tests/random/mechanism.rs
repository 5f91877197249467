//! Mechanisms of bodies and elements: every element sees the coordinates of one or two bodies only, so that its derivatives,
//! by dual numbers, stay cheap. Planar bodies have (x, y, θ), spatial ones (r, q) with v = (r', ω), q' = ½ q ω.

use crate::gradient::Gradient;
use geoms_problems::dual::{Dual, Real};

/// Coordinates and velocities that an element sees at most.
pub const NQ: usize = 14;
pub const NV: usize = 12;

/// A point or direction in a body's frame; planar ones have no third component.
pub type Vec3 = [f64; 3];

#[derive(Clone, Debug)]
pub struct Body {
    pub mass: f64,
    /// Principal moments about the point of reference; planar bodies use the third.
    pub inertia: Vec3,
    /// Centre of mass in the body's frame: M depends on p unless it is zero.
    pub centre: Vec3,
}

/// Sine and cosine at once: nested dual numbers would call for each of them over and over.
pub trait Number: Real {
    fn sin_cos(self) -> (Self, Self);
}

impl Number for f64 {
    fn sin_cos(self) -> (Self, Self) {
        f64::sin_cos(self)
    }
}

impl<T: Number> Number for Dual<T> {
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.v.sin_cos();
        (Dual::new(s, self.d * c), Dual::new(c, -(self.d * s)))
    }
}

/// A law of time: a + b t + c sin(d t).
#[derive(Clone, Copy, Debug, Default)]
pub struct Law(pub [f64; 4]);

impl Law {
    #[inline]
    pub fn at<T: Number>(&self, t: T) -> T {
        let [a, b, c, d] = self.0;
        if c == 0.0 {
            return t * b + a;
        }
        t * b + (t * d).sin_cos().0 * c + a
    }
}

/// A point of a body, or of the ground.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub body: Option<usize>,
    pub at: Vec3,
}

/// One holonomic row.
#[derive(Clone, Debug)]
pub enum Row {
    /// A component of a - b, minus a law.
    Coincide { axis: usize, law: Law },
    /// A direction of b's body, times a - b.
    OnPlane { normal: Vec3 },
    /// (|a - b|² - l²)/2l.
    Distance { length: f64 },
    /// A direction of a's body times one of b's, minus a constant.
    Angle { first: Vec3, second: Vec3, value: f64 },
    /// θ_a - θ_b minus a law, planar.
    Turn { law: Law },
}

#[derive(Clone, Debug)]
pub struct Joint {
    pub a: Place,
    pub b: Place,
    pub row: Row,
    /// Follows from the other rows.
    pub implied: bool,
}

/// n·v of a point of a body, minus a law: a knife edge, or a driven one.
#[derive(Clone, Debug)]
pub struct Knife {
    pub at: Place,
    pub normal: Vec3,
    pub speed: Law,
}

#[derive(Clone, Debug)]
pub struct Spring {
    pub a: Place,
    pub b: Place,
    pub stiffness: f64,
    pub damping: f64,
    pub rest: f64,
}

#[derive(Clone, Debug)]
pub struct Mechanism {
    pub spatial: bool,
    pub bodies: Vec<Body>,
    pub joints: Vec<Joint>,
    pub knives: Vec<Knife>,
    pub springs: Vec<Spring>,
    /// Rows that are linear combinations of those of the joints.
    pub combinations: Vec<Vec<(usize, f64)>>,
    /// A force in x on the first body.
    pub push: Law,
}

/// Coordinates and velocities of one or two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Local<T> {
    pub q: [T; NQ],
    pub v: [T; NV],
}

#[inline]
pub fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub fn cross<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
fn real<T: Number>(a: Vec3) -> [T; 3] {
    a.map(T::real)
}

#[inline]
fn minus<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// R(q) u. It does not depend on |q|: constraints that are redundant for the attitude are so for all of q.
#[inline]
fn turn<T: Number>(spatial: bool, q: &[T], u: [T; 3]) -> [T; 3] {
    if !spatial {
        let (s, c) = q[2].sin_cos();
        return [c * u[0] - s * u[1], s * u[0] + c * u[1], T::zero()];
    }
    let w = [q[4], q[5], q[6]];
    let (x, square) = (dot(w, u), dot(w, w));
    let (y, size) = (q[3].sq() - square, q[3].sq() + square);
    let z = cross(w, u);
    [0, 1, 2].map(|i| (w[i] * x * 2.0 + u[i] * y + q[3] * z[i] * 2.0) / size)
}

/// R(q)ᵀ u.
#[inline]
pub fn turn_back<T: Number>(spatial: bool, q: &[T], u: [T; 3]) -> [T; 3] {
    if spatial {
        let back = [q[0], q[1], q[2], q[3], -q[4], -q[5], -q[6]];
        turn(true, &back, u)
    } else {
        turn(false, &[q[0], q[1], -q[2]], u)
    }
}

impl Mechanism {
    /// Coordinates of a body.
    pub fn nq(&self) -> usize {
        if self.spatial {
            7
        } else {
            3
        }
    }

    /// Velocities of a body.
    pub fn nv(&self) -> usize {
        if self.spatial {
            6
        } else {
            3
        }
    }

    /// Holonomic rows, combinations included.
    pub fn rows(&self) -> usize {
        self.joints.len() + self.combinations.len()
    }

    pub fn redundant(&self) -> bool {
        !self.combinations.is_empty() || self.joints.iter().any(|j| j.implied)
    }

    pub fn constant_mass(&self) -> bool {
        self.bodies.iter().all(|b| b.centre == [0.0; 3])
    }

    /// The bodies of an element.
    pub fn pair(a: &Place, b: &Place) -> [Option<usize>; 2] {
        [a.body, b.body]
    }

    /// Gather what an element sees.
    pub fn gather(&self, bodies: [Option<usize>; 2], p: &[f64], v: &[f64]) -> Local<f64> {
        let mut local = Local { q: [0.0; NQ], v: [0.0; NV] };
        for (k, body) in bodies.into_iter().enumerate() {
            if let Some(i) = body {
                let (nq, nv) = (self.nq(), self.nv());
                local.q[k * nq..][..nq].copy_from_slice(&p[i * nq..][..nq]);
                local.v[k * nv..][..nv].copy_from_slice(&v[i * nv..][..nv]);
            }
        }
        local
    }

    /// q' of one body.
    #[inline]
    pub fn rates<T: Number>(&self, q: &[T], v: &[T], out: &mut [T]) {
        out[..3].copy_from_slice(&v[..3]);
        if self.spatial {
            let (q, w) = (&q[3..], &v[3..]);
            out[3] = (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) * -0.5;
            out[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * 0.5;
            out[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) * 0.5;
            out[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * 0.5;
        }
    }

    /// q' of both.
    #[inline]
    pub fn local_rates<T: Number>(&self, q: &[T; NQ], v: &[T; NV]) -> [T; NQ] {
        let mut out = [T::zero(); NQ];
        let (nq, nv) = (self.nq(), self.nv());
        for k in 0..2 {
            self.rates(&q[k * nq..][..nq], &v[k * nv..][..nv], &mut out[k * nq..][..nq]);
        }
        out
    }

    #[inline]
    fn point<T: Number>(&self, place: &Place, q: &[T]) -> [T; 3] {
        if place.body.is_none() {
            return real(place.at);
        }
        let arm = turn(self.spatial, q, real(place.at));
        let third = if self.spatial { q[2] } else { T::zero() };
        [q[0] + arm[0], q[1] + arm[1], third + arm[2]]
    }

    #[inline]
    fn direction<T: Number>(&self, place: &Place, q: &[T], u: Vec3) -> [T; 3] {
        match place.body {
            Some(_) => turn(self.spatial, q, real(u)),
            None => real(u),
        }
    }

    /// Velocity of a point of a body.
    #[inline]
    fn speed<T: Number>(&self, place: &Place, q: &[T], v: &[T]) -> [T; 3] {
        if place.body.is_none() {
            return [T::zero(); 3];
        }
        if self.spatial {
            let arm = turn(true, q, cross([v[3], v[4], v[5]], real(place.at)));
            [v[0] + arm[0], v[1] + arm[1], v[2] + arm[2]]
        } else {
            let arm = turn(false, q, real(place.at));
            [v[0] - v[2] * arm[1], v[1] + v[2] * arm[0], T::zero()]
        }
    }

    /// The value of a row of a joint.
    #[inline]
    pub fn row<T: Number>(&self, joint: &Joint, t: T, q: &[T; NQ]) -> T {
        let (qa, qb) = (&q[..self.nq()], &q[self.nq()..][..self.nq()]);
        let apart = || minus(self.point(&joint.a, qa), self.point(&joint.b, qb));
        match &joint.row {
            Row::Coincide { axis, law } => apart()[*axis] - law.at(t),
            Row::OnPlane { normal } => dot(self.direction(&joint.b, qb, *normal), apart()),
            Row::Distance { length } => {
                let d = apart();
                (dot(d, d) - length * length) / (2.0 * length)
            }
            Row::Angle { first, second, value } => {
                dot(self.direction(&joint.a, qa, *first), self.direction(&joint.b, qb, *second)) - *value
            }
            Row::Turn { law } => {
                let other = if joint.b.body.is_some() { qb[2] } else { T::zero() };
                qa[2] - other - law.at(t)
            }
        }
    }

    /// It and its rate along p' = Z v.
    #[inline]
    pub fn row_and_rate<T: Number>(&self, joint: &Joint, t: T, x: &Local<T>) -> Dual<T> {
        let rate = self.local_rates(&x.q, &x.v);
        let q = std::array::from_fn(|i| Dual::new(x.q[i], rate[i]));
        self.row(joint, Dual::new(t, T::real(1.0)), &q)
    }

    /// Its second derivative with v' = a.
    #[inline]
    pub fn row_acceleration<T: Number>(&self, joint: &Joint, t: T, x: &Local<T>, a: &[T; NV]) -> T {
        let q = {
            let rate = self.local_rates(&x.q, &x.v);
            std::array::from_fn(|i| Dual::new(x.q[i], rate[i]))
        };
        let v = std::array::from_fn(|i| Dual::new(x.v[i], a[i]));
        let rate = self.local_rates(&q, &v);
        let q = std::array::from_fn(|i| Dual::new(q[i], rate[i]));
        let one = T::real(1.0);
        self.row(joint, Dual::new(Dual::new(t, one), Dual::constant(one)), &q).d.d
    }

    /// Its derivative by the j-th velocity.
    #[inline]
    pub fn row_column<T: Number>(&self, joint: &Joint, t: T, q: &[T; NQ], j: usize) -> T {
        let mut unit = [T::zero(); NV];
        unit[j] = T::real(1.0);
        let rate = self.local_rates(q, &unit);
        let q = std::array::from_fn(|i| Dual::new(q[i], rate[i]));
        self.row(joint, Dual::constant(t), &q).d
    }

    /// The row, its derivatives by the K - 1 velocities of its bodies, and its rate: all from one evaluation.
    #[inline]
    pub fn row_and_rates<const K: usize>(&self, joint: &Joint, t: f64, x: &Local<f64>) -> Gradient<f64, K> {
        let mut q = x.q.map(Gradient::constant);
        for k in 0..K {
            let (mut unit, motion) = ([0.0; NV], k == K - 1);
            if !motion {
                unit[k] = 1.0;
            }
            let rate = self.local_rates(&x.q, if motion { &x.v } else { &unit });
            q.iter_mut().zip(rate).for_each(|(q, rate)| q.d[k] = rate);
        }
        self.row(joint, Gradient::along(t, K - 1), &q)
    }

    /// The nonholonomic row.
    #[inline]
    pub fn knife<T: Number>(&self, knife: &Knife, t: T, x: &Local<T>) -> T {
        let n = self.direction(&knife.at, &x.q, knife.normal);
        dot(n, self.speed(&knife.at, &x.q, &x.v)) - knife.speed.at(t)
    }

    /// Its rate with v' = a.
    #[inline]
    pub fn knife_rate<T: Number>(&self, knife: &Knife, t: T, x: &Local<T>, a: &[T; NV]) -> T {
        let rate = self.local_rates(&x.q, &x.v);
        let local = Local {
            q: std::array::from_fn(|i| Dual::new(x.q[i], rate[i])),
            v: std::array::from_fn(|i| Dual::new(x.v[i], a[i])),
        };
        self.knife(knife, Dual::new(t, T::real(1.0)), &local).d
    }

    /// Its derivative by the j-th velocity: it is affine in v.
    #[inline]
    pub fn knife_column<T: Number>(&self, knife: &Knife, q: &[T; NQ], j: usize) -> T {
        let mut v = [T::zero(); NV];
        v[j] = T::real(1.0);
        let knife = Knife { speed: Law::default(), ..knife.clone() };
        self.knife(&knife, T::zero(), &Local { q: *q, v })
    }

    /// Generalised force of F at a point.
    #[inline]
    fn apply<T: Number>(&self, place: &Place, q: &[T], force: [T; 3], out: &mut [T]) {
        if place.body.is_none() {
            return;
        }
        out[0] += force[0];
        out[1] += force[1];
        if self.spatial {
            out[2] += force[2];
            let moment = cross(real(place.at), turn_back(true, q, force));
            (0..3).for_each(|i| out[3 + i] += moment[i]);
        } else {
            let arm = turn(false, q, real(place.at));
            out[2] += arm[0] * force[1] - arm[1] * force[0];
        }
    }

    /// Forces of a spring-damper on its bodies.
    #[inline]
    pub fn spring<T: Number>(&self, s: &Spring, x: &Local<T>) -> [T; NV] {
        let (nq, nv) = (self.nq(), self.nv());
        let (qa, qb) = (&x.q[..nq], &x.q[nq..][..nq]);
        let d = minus(self.point(&s.a, qa), self.point(&s.b, qb));
        let rate = minus(self.speed(&s.a, qa, &x.v[..nv]), self.speed(&s.b, qb, &x.v[nv..][..nv]));
        // Smooth also where the length vanishes.
        let length = (dot(d, d) + 1e-2).sqrt();
        let pull = (length - s.rest) * s.stiffness + dot(d, rate) / length * s.damping;
        let force = d.map(|d| -(d * pull) / length);
        let mut out = [T::zero(); NV];
        self.apply(&s.a, qa, force, &mut out[..nv]);
        self.apply(&s.b, qb, force.map(|f| -f), &mut out[nv..][..nv]);
        out
    }

    /// Gravity, gyroscopic forces, the push on the first body.
    #[inline]
    pub fn body_force<T: Number>(&self, i: usize, t: T, q: &[T], v: &[T], out: &mut [T]) {
        let b = &self.bodies[i];
        let push = if i == 0 { self.push.at(t) } else { T::zero() };
        let up = if self.spatial {
            [T::zero(), T::zero(), T::real(-9.81 * b.mass)]
        } else {
            [T::zero(), T::real(-9.81 * b.mass), T::zero()]
        };
        let place = Place { body: Some(i), at: b.centre };
        self.apply(&place, q, [push + up[0], up[1], up[2]], out);
        if self.spatial {
            let w = [v[3], v[4], v[5]];
            let c: [T; 3] = real(b.centre);
            let outward = turn(true, q, cross(w, cross(w, c)));
            (0..3).for_each(|k| out[k] -= outward[k] * b.mass);
            let spin: [T; 3] = std::array::from_fn(|k| w[k] * b.inertia[k]);
            let gyro = cross(w, spin);
            // J about the point of reference has the part of the centre, too: -m ĉĉ.
            let shifted = cross(c, cross(w, c)).map(|s| s * b.mass);
            let more = cross(w, shifted);
            (0..3).for_each(|k| out[3 + k] -= gyro[k] + more[k]);
        } else {
            let arm = turn(false, q, real(b.centre));
            out[0] += v[2].sq() * arm[0] * b.mass;
            out[1] += v[2].sq() * arm[1] * b.mass;
        }
    }

    /// M of one body times a.
    #[inline]
    pub fn inertia_force<T: Number>(&self, i: usize, q: &[T], a: &[T], out: &mut [T]) {
        let b = &self.bodies[i];
        let c: [T; 3] = real(b.centre);
        if self.spatial {
            let alpha = [a[3], a[4], a[5]];
            let swing = turn(true, q, cross(alpha, c));
            (0..3).for_each(|k| out[k] = (a[k] + swing[k]) * b.mass);
            let back = cross(c, turn_back(true, q, [a[0], a[1], a[2]]));
            let shifted = cross(c, cross(alpha, c));
            (0..3).for_each(|k| out[3 + k] = alpha[k] * b.inertia[k] + (back[k] + shifted[k]) * b.mass);
        } else {
            let arm = turn(false, q, c);
            out[0] = (a[0] - a[2] * arm[1]) * b.mass;
            out[1] = (a[1] + a[2] * arm[0]) * b.mass;
            let square: f64 = b.centre.iter().map(|c| c * c).sum();
            out[2] = a[2] * (b.inertia[2] + b.mass * square) + (arm[0] * a[1] - arm[1] * a[0]) * b.mass;
        }
    }
}
