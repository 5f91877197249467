//! Mechanisms of bodies and elements: every element sees the coordinates of one or two bodies only, so that its derivatives,
//! by dual numbers, stay cheap. Planar bodies have (x, y, θ), spatial ones (r, q) with v = (r', ω), q' = ½ q ω.
//!
//! A row is written down twice: by its value, and by its derivatives along the velocities, the force of a multiplier of one. That
//! they agree is tested (`consistency.rs`); everything else follows from the second.

use crate::frame::{cross, dot, minus, real, turning, Frame, Number, Vec3};

/// Coordinates and velocities that an element sees at most.
pub const NV: usize = 12;

#[derive(Clone, Debug)]
pub struct Body {
    pub mass: f64,
    /// Principal moments about the point of reference; planar bodies use the third.
    pub inertia: Vec3,
    /// Centre of mass in the body's frame: M depends on p unless it is zero.
    pub centre: Vec3,
}

/// A law of time: a + b t + c sin(d t).
#[derive(Clone, Copy, Debug, Default)]
pub struct Law(pub [f64; 4]);

impl Law {
    pub fn at(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.0;
        a + b * t + c * (d * t).sin()
    }

    pub fn rate(&self, t: f64) -> f64 {
        let [_, b, c, d] = self.0;
        b + c * d * (d * t).cos()
    }

    pub fn second(&self, t: f64) -> f64 {
        let [_, _, c, d] = self.0;
        -c * d * d * (d * t).sin()
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

    #[inline]
    pub fn frame<T: Number>(&self, q: &[T]) -> Frame<T> {
        Frame::new(self.spatial, q)
    }

    /// ω of a body.
    #[inline]
    fn spin<T: Number>(&self, v: &[T]) -> [T; 3] {
        if self.spatial {
            [v[3], v[4], v[5]]
        } else {
            [T::zero(), T::zero(), v[2]]
        }
    }

    #[inline]
    fn point<T: Number>(&self, place: &Place, frame: &Frame<T>) -> [T; 3] {
        match place.body {
            Some(_) => frame.point(place.at),
            None => real(place.at),
        }
    }

    #[inline]
    fn direction<T: Number>(&self, place: &Place, frame: &Frame<T>, u: Vec3) -> [T; 3] {
        match place.body {
            Some(_) => frame.turn(u),
            None => real(u),
        }
    }

    /// Velocity of a point of a body.
    #[inline]
    fn speed<T: Number>(&self, place: &Place, frame: &Frame<T>, v: &[T]) -> [T; 3] {
        if place.body.is_none() {
            return [T::zero(); 3];
        }
        let arm = frame.turn_any(turning(self.spin(v), place.at));
        let third = if self.spatial { v[2] + arm[2] } else { T::zero() };
        [v[0] + arm[0], v[1] + arm[1], third]
    }

    /// The value of a row of a joint.
    #[inline]
    pub fn row<T: Number>(&self, joint: &Joint, t: f64, [fa, fb]: [&Frame<T>; 2]) -> T {
        let apart = || minus(self.point(&joint.a, fa), self.point(&joint.b, fb));
        match &joint.row {
            Row::Coincide { axis, law } => apart()[*axis] - law.at(t),
            Row::OnPlane { normal } => dot(self.direction(&joint.b, fb, *normal), apart()),
            Row::Distance { length } => {
                let d = apart();
                (dot(d, d) - length * length) / (2.0 * length)
            }
            Row::Angle { first, second, value } => {
                dot(self.direction(&joint.a, fa, *first), self.direction(&joint.b, fb, *second)) - *value
            }
            Row::Turn { law } => {
                let other = if joint.b.body.is_some() { fb.angle } else { T::zero() };
                fa.angle - other - law.at(t)
            }
        }
    }

    /// Its derivatives along the velocities of its bodies: gI is this times v, less the rate of the law.
    #[inline]
    pub fn row_columns<T: Number>(&self, joint: &Joint, [fa, fb]: [&Frame<T>; 2]) -> [T; NV] {
        let mut out = [T::zero(); NV];
        let (of_a, rest) = out.split_at_mut(self.nv());
        let of_b = &mut rest[..self.nv()];
        let mut pull = |force: [T; 3]| {
            self.apply(&joint.a, fa, force, of_a);
            self.apply(&joint.b, fb, force.map(|f| -f), of_b);
        };
        let apart = || minus(self.point(&joint.a, fa), self.point(&joint.b, fb));
        match &joint.row {
            Row::Coincide { axis, .. } => {
                pull(std::array::from_fn(|k| T::real(if k == *axis { 1.0 } else { 0.0 })));
            }
            Row::OnPlane { normal } => {
                pull(self.direction(&joint.b, fb, *normal));
                self.twist(&joint.b, fb, (*normal, apart()), of_b);
            }
            Row::Distance { length } => pull(apart().map(|d| d / *length)),
            Row::Angle { first, second, .. } => {
                self.twist(&joint.a, fa, (*first, self.direction(&joint.b, fb, *second)), of_a);
                self.twist(&joint.b, fb, (*second, self.direction(&joint.a, fa, *first)), of_b);
            }
            Row::Turn { .. } => {
                of_a[2] = T::real(1.0);
                if joint.b.body.is_some() {
                    of_b[2] = T::real(-1.0);
                }
            }
        }
        out
    }

    /// The same of a nonholonomic row: h is this times v, less the law.
    #[inline]
    pub fn knife_columns<T: Number>(&self, knife: &Knife, frame: &Frame<T>) -> [T; NV] {
        let mut out = [T::zero(); NV];
        self.apply(&knife.at, frame, self.direction(&knife.at, frame, knife.normal), &mut out);
        out
    }

    /// Generalised force of F at a point.
    #[inline]
    fn apply<T: Number>(&self, place: &Place, frame: &Frame<T>, force: [T; 3], out: &mut [T]) {
        if place.body.is_some() {
            (0..if self.spatial { 3 } else { 2 }).for_each(|k| out[k] += force[k]);
            self.twist(place, frame, (place.at, force), out);
        }
    }

    /// Generalised force that (R u)·F has as a potential while F is held.
    #[inline]
    fn twist<T: Number>(&self, place: &Place, frame: &Frame<T>, (u, force): (Vec3, [T; 3]), out: &mut [T]) {
        if place.body.is_none() {
            return;
        }
        let moment = turning(frame.back(force), u).map(|m| -m);
        if self.spatial {
            (0..3).for_each(|i| out[3 + i] += moment[i]);
        } else {
            out[2] += moment[2];
        }
    }

    /// Forces of a spring-damper on its bodies.
    #[inline]
    pub fn spring<T: Number>(&self, s: &Spring, [fa, fb]: [&Frame<T>; 2], v: &[T; NV]) -> [T; NV] {
        let nv = self.nv();
        let d = minus(self.point(&s.a, fa), self.point(&s.b, fb));
        let rate = minus(self.speed(&s.a, fa, &v[..nv]), self.speed(&s.b, fb, &v[nv..][..nv]));
        // Smooth also where the length vanishes.
        let length = (dot(d, d) + 1e-2).sqrt();
        let pull = (length - s.rest) * s.stiffness + dot(d, rate) / length * s.damping;
        let force = d.map(|d| -(d * pull) / length);
        let mut out = [T::zero(); NV];
        self.apply(&s.a, fa, force, &mut out[..nv]);
        self.apply(&s.b, fb, force.map(|f| -f), &mut out[nv..][..nv]);
        out
    }

    /// Gravity, gyroscopic forces, the push on the first body.
    #[inline]
    pub fn body_force<T: Number>(&self, i: usize, t: f64, frame: &Frame<T>, v: &[T], out: &mut [T]) {
        let b = &self.bodies[i];
        let push = if i == 0 { self.push.at(t) } else { 0.0 };
        let weight = -9.81 * b.mass;
        let load = if self.spatial { [push, 0.0, weight] } else { [push, weight, 0.0] };
        let place = Place { body: Some(i), at: b.centre };
        self.apply(&place, frame, real(load), out);
        if self.spatial {
            let w = [v[3], v[4], v[5]];
            // w × c, and w × (w × c) in the world.
            let swing = turning(w, b.centre);
            let outward = frame.turn_any(cross(w, swing));
            (0..3).for_each(|k| out[k] -= outward[k] * b.mass);
            let spin: [T; 3] = std::array::from_fn(|k| w[k] * b.inertia[k]);
            let gyro = cross(w, spin);
            // J about the point of reference has the part of the centre, too: -m ĉĉ.
            let shifted = turning(swing, b.centre).map(|s| s * -b.mass);
            let more = cross(w, shifted);
            (0..3).for_each(|k| out[3 + k] -= gyro[k] + more[k]);
        } else {
            let arm = frame.turn(b.centre);
            out[0] += v[2].sq() * arm[0] * b.mass;
            out[1] += v[2].sq() * arm[1] * b.mass;
        }
    }

    /// M of one body times a.
    #[inline]
    pub fn inertia_force<T: Number>(&self, i: usize, frame: &Frame<T>, a: &[T], out: &mut [T]) {
        let b = &self.bodies[i];
        if self.spatial {
            let alpha = [a[3], a[4], a[5]];
            let local = turning(alpha, b.centre);
            let swing = frame.turn_any(local);
            (0..3).for_each(|k| out[k] = (a[k] + swing[k]) * b.mass);
            let back = turning(frame.back([a[0], a[1], a[2]]), b.centre);
            let shifted = turning(local, b.centre);
            (0..3).for_each(|k| out[3 + k] = alpha[k] * b.inertia[k] - (back[k] + shifted[k]) * b.mass);
        } else {
            let arm = frame.turn(b.centre);
            out[0] = (a[0] - a[2] * arm[1]) * b.mass;
            out[1] = (a[1] + a[2] * arm[0]) * b.mass;
            let square: f64 = b.centre.iter().map(|c| c * c).sum();
            out[2] = a[2] * (b.inertia[2] + b.mass * square) + (arm[0] * a[1] - arm[1] * a[0]) * b.mass;
        }
    }
}
