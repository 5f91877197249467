//! Parallelograms in the plane and in space, and the equation of one degree of freedom behind each.

use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::system::System;

pub const GRAVITY: f64 = 9.81;

/// θ'' of one degree of freedom: J θ'' = Q(θ, θ').
#[derive(Clone, Copy, Debug)]
pub struct Crank {
    /// Moment of inertia J.
    pub inertia: f64,
    /// Q = -weight cos θ + spring·(…) - damping θ'.
    pub weight: f64,
    /// A spring of no length from the end of the crank to a fixed point: k r (S × e(θ)).
    pub spring: (f64, [f64; 2]),
    /// Damping of the end: d r².
    pub damping: f64,
    /// Torque beside it: drive·t.
    pub drive: f64,
}

impl Crank {
    /// (θ, θ') at the end, by the classical method of order 4 with very small steps.
    pub fn swing(&self, start: [f64; 2], tend: f64) -> [f64; 2] {
        let (k, s) = self.spring;
        let slope = |y: [f64; 2], t: f64| {
            let (e, c) = y[0].sin_cos();
            let torque = -self.weight * c + k * (c * s[1] - e * s[0]) - self.damping * y[1] + self.drive * t;
            [y[1], torque / self.inertia]
        };
        let steps = (20_000.0 * tend).ceil();
        let (h, mut y) = (tend / steps, start);
        for step in 0..steps as usize {
            let t = h * step as f64;
            let at = |k: [f64; 2], c: f64| [y[0] + c * h * k[0], y[1] + c * h * k[1]];
            let k1 = slope(y, t);
            let k2 = slope(at(k1, 0.5), t + 0.5 * h);
            let k3 = slope(at(k2, 0.5), t + 0.5 * h);
            let k4 = slope(at(k3, 1.0), t + h);
            (0..2).for_each(|i| y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        y
    }
}

impl Mechanism for Crank {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(self.inertia);
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (k, s) = self.spring;
        let (c, e) = (x.p[0].cos(), x.p[0].sin());
        f[0] = c * -self.weight + (c * s[1] - e * s[0]) * k - x.v[0] * self.damping + t * self.drive;
    }
}

/// A parallelogram in natural coordinates: cranks of length r to the points B_0 and B_1, coupler of length l, ground in the
/// direction `angle`. Optional spring and damper at B_0, duplicated rows.
#[derive(Clone, Copy, Debug)]
pub struct Parallelogram {
    pub r: f64,
    pub l: f64,
    pub angle: f64,
    pub mass: [f64; 3],
    pub spring: (f64, [f64; 2]),
    pub damping: f64,
    /// Rows of the first crank and of the coupler come twice.
    pub redundant: bool,
    /// What the second crank is longer than the first: no parallelogram, and no rank loss.
    pub longer: f64,
}

impl Parallelogram {
    pub fn plain(r: f64, l: f64, angle: f64, mass: [f64; 3]) -> Self {
        Parallelogram {
            r,
            l,
            angle,
            mass,
            spring: (0.0, [0.0; 2]),
            damping: 0.0,
            redundant: false,
            longer: 0.0,
        }
    }

    /// The equation of θ.
    pub fn crank(&self) -> Crank {
        let [a, b, c] = self.mass;
        let r = self.r;
        Crank {
            inertia: r * r * (a / 3.0 + b + c / 3.0),
            weight: r * GRAVITY * (0.5 * (a + c) + b),
            spring: (self.spring.0 * r, self.spring.1),
            damping: self.damping * r * r,
            drive: 0.0,
        }
    }

    /// x = (λ, v, p) at the angle θ; multipliers are left zero.
    pub fn state(&self, theta: f64, rate: f64) -> Vec<f64> {
        let (s, c) = theta.sin_cos();
        let (dx, dy) = (self.l * self.angle.cos(), self.l * self.angle.sin());
        let mut x = vec![0.0; self.dimensions().nl];
        let (v, b) = ([-self.r * rate * s, self.r * rate * c], [self.r * c, self.r * s]);
        // B_1 and its velocity; from those of a parallelogram they are found by Newton's method.
        let (mut v1, mut p) = (v, [dx + b[0], dy + b[1]]);
        if self.longer != 0.0 {
            for _ in 0..50 {
                let rows = [[p[0] - dx, p[1] - dy], [p[0] - b[0], p[1] - b[1]]];
                let solve = |f: [f64; 2]| {
                    let [[a, b], [c, d]] = rows;
                    let determinant = a * d - b * c;
                    [(d * f[0] - b * f[1]) / determinant, (a * f[1] - c * f[0]) / determinant]
                };
                let square = |row: [f64; 2]| row[0] * row[0] + row[1] * row[1];
                let step = solve([
                    0.5 * ((self.r + self.longer).powi(2) - square(rows[0])),
                    0.5 * (self.l * self.l - square(rows[1])),
                ]);
                v1 = solve([0.0, rows[1][0] * v[0] + rows[1][1] * v[1]]);
                (0..2).for_each(|i| p[i] += step[i]);
            }
        }
        x.extend(v.iter().chain(&v1).chain(&b).chain(&p));
        x
    }

    pub fn model(&self, form: Form, jacobian: bool, x0: &[f64]) -> Box<dyn System + Send> {
        Box::new(Model::new(*self, Presented::new(form, jacobian), 0.0, x0))
    }
}

impl Mechanism for Parallelogram {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: if self.redundant { 5 } else { 3 }, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let [a, b, c] = self.mass;
        for i in 0..2 {
            m[i * 5] = T::real((a + b) / 3.0);
            m[(i + 2) * 5] = T::real((b + c) / 3.0);
            m[i + (i + 2) * 4] = T::real(b / 6.0);
            m[i + 2 + i * 4] = T::real(b / 6.0);
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let [a, b, c] = self.mass;
        let (k, s) = self.spring;
        f[0] = (x.p[0] - s[0]) * -k - x.v[0] * self.damping;
        f[1] = (x.p[1] - s[1]) * -k - x.v[1] * self.damping - 0.5 * GRAVITY * (a + b);
        f[3] = T::real(-0.5 * GRAVITY * (b + c));
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let (dx, dy) = (self.l * self.angle.cos(), self.l * self.angle.sin());
        g[0] = p[0].sq() + p[1].sq() - self.r * self.r;
        g[1] = (p[2] - dx).sq() + (p[3] - dy).sq() - (self.r + self.longer).powi(2);
        g[2] = (p[2] - p[0]).sq() + (p[3] - p[1]).sq() - self.l * self.l;
        if self.redundant {
            g[3] = g[0] * 2.0;
            g[4] = g[2] * -0.5;
        }
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let [a, b, c] = self.mass;
        for i in 0..2 {
            e[0] +=
                v[i].sq() * ((a + b) / 6.0) + v[i + 2].sq() * ((b + c) / 6.0) + v[i] * v[i + 2] * (b / 6.0);
        }
        e[0] += p[1] * (0.5 * GRAVITY * (a + b)) + p[3] * (0.5 * GRAVITY * (b + c));
    }
}

/// The parallel four-bar of the relative problem in Cartesian coordinates: (x, y, angle) of crank, coupler, crank; torque -2t on
/// the first crank.
#[derive(Clone, Copy, Debug)]
pub struct CartesianFourBar;

impl CartesianFourBar {
    /// The angle of the crank and its rate.
    pub fn angle(t: f64) -> [f64; 2] {
        use std::f64::consts::PI;
        [0.5 * PI + 2.0 * PI * t - t.powi(3) / 81.0, 2.0 * PI - t * t / 27.0]
    }

    pub fn exact(t: f64) -> Vec<f64> {
        let [q, w] = Self::angle(t);
        Self::state(q, w)
    }

    /// x = (λ, v, p), multipliers left zero.
    pub fn state(q: f64, w: f64) -> Vec<f64> {
        use std::f64::consts::PI;
        let (s, c) = q.sin_cos();
        let mut x = vec![0.0; 8];
        x.extend([-0.5 * w * s, 0.5 * w * c, w, -w * s, w * c, 0.0, -0.5 * w * s, 0.5 * w * c, w]);
        x.extend([0.5 * c, 0.5 * s, q, 1.0 + c, s, 0.0, 2.0 + 0.5 * c, 0.5 * s, PI + q]);
        x
    }
}

impl Mechanism for CartesianFourBar {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 9, nv: 9, nl: 8, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        for (i, value) in [10.0, 10.0, 1.0, 20.0, 20.0, 2.0, 10.0, 10.0, 1.0].into_iter().enumerate() {
            m[10 * i] = T::real(value);
        }
    }
    fn force<T: Real>(&self, t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[2] = t * -2.0;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let end = |body: usize, at: f64| {
            let a = p[3 * body + 2];
            [p[3 * body] + a.cos() * at, p[3 * body + 1] + a.sin() * at]
        };
        let ground = |x: f64| [T::real(x), T::real(0.0)];
        let joints = [
            (end(0, -0.5), ground(0.0)),
            (end(0, 0.5), end(1, -1.0)),
            (end(1, 1.0), end(2, -0.5)),
            (end(2, 0.5), ground(2.0)),
        ];
        for (k, (a, b)) in joints.into_iter().enumerate() {
            g[2 * k] = a[0] - b[0];
            g[2 * k + 1] = a[1] - b[1];
        }
    }
}

/// Its first crank alone with the inertia of the whole, in the same coordinates: one degree of freedom, no rank loss.
#[derive(Clone, Copy, Debug)]
pub struct CartesianCrank;

impl CartesianCrank {
    /// x = (λ, v, p), multipliers left zero.
    pub fn state([q, w]: [f64; 2]) -> Vec<f64> {
        let (s, c) = q.sin_cos();
        vec![0.0, 0.0, -0.5 * w * s, 0.5 * w * c, w, 0.5 * c, 0.5 * s, q]
    }
}

impl Mechanism for CartesianCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        for (i, value) in [10.0, 10.0, 24.5].into_iter().enumerate() {
            m[4 * i] = T::real(value);
        }
    }
    fn force<T: Real>(&self, t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[2] = t * -2.0;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0] - p[2].cos() * 0.5;
        g[1] = p[1] - p[2].sin() * 0.5;
    }
}

/// A parallelogram of three bodies in space with quaternions (Z ≠ I), joined by four revolute joints about z: 20 constraints of
/// rank 17. Links of length 1, 2, 1; masses 1, 2, 1; slender.
#[derive(Clone, Copy, Debug)]
pub struct SpatialFourBar {
    /// Rotations are divided by |q|².
    pub normalised: bool,
}

const HALF: [f64; 3] = [0.5, 1.0, 0.5];
const MASS: [f64; 3] = [1.0, 2.0, 1.0];

impl SpatialFourBar {
    pub const NL: usize = 20;

    fn inertia(body: usize) -> [f64; 3] {
        let across = MASS[body] * (2.0 * HALF[body]).powi(2) / 12.0;
        [0.01, across, across]
    }

    pub fn crank() -> Crank {
        let own: f64 = [0, 2].iter().map(|&b| Self::inertia(b)[2] + MASS[b] * 0.25).sum();
        Crank {
            inertia: own + MASS[1],
            weight: GRAVITY * (0.5 + 0.5 + 2.0),
            spring: (0.0, [0.0; 2]),
            damping: 0.0,
            drive: 0.0,
        }
    }

    /// x = (λ, v, p), multipliers left zero.
    pub fn state(theta: f64, w: f64) -> Vec<f64> {
        let (s, c) = theta.sin_cos();
        let (sh, ch) = (0.5 * theta).sin_cos();
        let mut x = vec![0.0; Self::NL];
        for (arm, turning) in [(0.5, w), (1.0, 0.0), (0.5, w)] {
            x.extend([-arm * w * s, arm * w * c, 0.0, 0.0, 0.0, turning]);
        }
        for (r, q) in [
            ([0.5 * c, 0.5 * s], [ch, 0.0, 0.0, sh]),
            ([c + 1.0, s], [1.0, 0.0, 0.0, 0.0]),
            ([2.0 + 0.5 * c, 0.5 * s], [ch, 0.0, 0.0, sh]),
        ] {
            x.extend([r[0], r[1], 0.0]);
            x.extend(q);
        }
        x
    }
}

/// Columns of R(q), divided by |q|² or not. Without the division |q|, which is constant only as accurately as it is integrated, is a
/// length of the links, and with links of other lengths the branches are no longer connected as they were.
fn rotation<T: Real>(q: &[T], normalised: bool) -> [[T; 3]; 3] {
    let (a, b, c, d) = (q[0], q[1], q[2], q[3]);
    let square = if normalised { a.sq() + b.sq() + c.sq() + d.sq() } else { T::real(1.0) };
    [
        [a.sq() + b.sq() - c.sq() - d.sq(), (b * c + a * d) * 2.0, (b * d - a * c) * 2.0],
        [(b * c - a * d) * 2.0, a.sq() - b.sq() + c.sq() - d.sq(), (c * d + a * b) * 2.0],
        [(b * d + a * c) * 2.0, (c * d - a * b) * 2.0, a.sq() - b.sq() - c.sq() + d.sq()],
    ]
    .map(|column| column.map(|entry| entry / square))
}

impl Mechanism for SpatialFourBar {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 21, nv: 18, nl: Self::NL, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        for body in 0..3 {
            let inertia = Self::inertia(body);
            for i in 0..3 {
                m[(6 * body + i) * 19] = T::real(MASS[body]);
                m[(6 * body + 3 + i) * 19] = T::real(inertia[i]);
            }
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        for body in 0..3 {
            let (j, w) = (Self::inertia(body), &x.v[6 * body + 3..]);
            f[6 * body + 1] = T::real(-GRAVITY * MASS[body]);
            f[6 * body + 3] = w[1] * w[2] * (j[1] - j[2]);
            f[6 * body + 4] = w[2] * w[0] * (j[2] - j[0]);
            f[6 * body + 5] = w[0] * w[1] * (j[0] - j[1]);
        }
    }
    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        for body in 0..3 {
            let (q, w, out) = (&p[7 * body + 3..], &v[6 * body + 3..], &mut pdot[7 * body..7 * body + 7]);
            out[..3].copy_from_slice(&v[6 * body..6 * body + 3]);
            out[3] = (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) * -0.5;
            out[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * 0.5;
            out[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) * 0.5;
            out[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * 0.5;
        }
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let frames = [0, 1, 2].map(|b| rotation(&p[7 * b + 3..7 * b + 7], self.normalised));
        let zero = T::real(0.0);
        let end = |b: usize, sign: f64| -> [T; 3] {
            std::array::from_fn(|i| p[7 * b + i] + frames[b][0][i] * (sign * HALF[b]))
        };
        let ground = |x: f64| [T::real(x), zero, zero];
        let unit = |i: usize| -> [T; 3] { std::array::from_fn(|k| T::real(f64::from(u8::from(i == k)))) };
        let fixed = [unit(0), unit(1), unit(2)];
        let joints = [
            (end(0, -1.0), ground(0.0), frames[0], fixed),
            (end(0, 1.0), end(1, -1.0), frames[0], frames[1]),
            (end(1, 1.0), end(2, 1.0), frames[1], frames[2]),
            (end(2, -1.0), ground(2.0), frames[2], fixed),
        ];
        for (k, (a, b, frame, other)) in joints.into_iter().enumerate() {
            (0..3).for_each(|i| g[5 * k + i] = a[i] - b[i]);
            for i in 0..2 {
                let axis = frame[2];
                g[5 * k + 3 + i] = axis[0] * other[i][0] + axis[1] * other[i][1] + axis[2] * other[i][2];
            }
        }
    }
}
