//! Steady motions in closed form, in any units, with rows that repeat others.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::norm::Tolerance;

/// A conical pendulum of length l in units of length and mass; the second row, if there is one, is three times the first.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    pub length: f64,
    pub mass: f64,
    pub rows: usize,
}

/// A heavy top that precesses steadily, with a quaternion. Row 4 of the joint, if there is one, is row 1 + 2 row 2 - row 3.
#[derive(Clone, Copy, Debug)]
pub struct Top {
    pub length: f64,
    pub mass: f64,
    pub rows: usize,
}

/// What is known of a motion, beside its equations.
pub trait Steady: Mechanism + Clone {
    /// λ of smallest norm, v, p.
    fn exact(&self, t: f64) -> Vec<f64>;
    /// Sizes of all components.
    fn sizes(&self) -> Vec<f64>;
    /// The force of the joint, in units of its size, for multipliers in units of theirs.
    fn force_of(&self, multipliers: &[f64]) -> Vec<f64>;
    /// Multipliers that cause no force, if there are any, of length 1.
    fn free(&self) -> Vec<f64>;
}

/// The system, its state at the beginning and tolerances by the size of the components.
pub fn presented<M: Steady>(model: &M, form: Form, tol: f64) -> (Model<M>, Vec<f64>, Tolerance) {
    let x = model.exact(0.0);
    let system = Model::new(model.clone(), Presented::new(form, false), 0.0, &x);
    let atol = model.sizes().iter().map(|size| tol * size).collect();
    (system, x, Tolerance { rtol: vec![tol; model.sizes().len()], atol })
}

/// Errors of the motion, of the force and of the multipliers, in units of their sizes.
pub fn errors<M: Steady>(model: &M, t: f64, x: &[f64]) -> [f64; 3] {
    let (exact, sizes) = (model.exact(t), model.sizes());
    let n = Layout::new(model.dimensions(), Form::StrangenessFree).x.multipliers.len();
    let apart: Vec<f64> = x.iter().zip(&exact).zip(sizes).map(|((x, e), s)| (x - e) / s).collect();
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| if v.is_nan() { *v } else { m.max(v.abs()) });
    [largest(&apart[n..]), largest(&model.force_of(&apart[..n])), largest(&apart[..n])]
}

/// What multipliers have beyond the smallest ones, in units of their size.
pub fn beyond<M: Steady>(model: &M, x: &[f64]) -> f64 {
    model.free().iter().zip(x).map(|(n, y)| n * y).sum::<f64>().abs() / model.sizes()[0]
}

const COS: f64 = 0.8;
const SIN: f64 = 0.6;
const GRAVITY: f64 = 9.81;

impl Mechanism for Cone {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: self.rows, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..3).for_each(|i| m[4 * i] = T::real(self.mass));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[2] = T::real(-self.mass * self.length * GRAVITY);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let length = (p[0].sq() + p[1].sq() + p[2].sq()).sqrt() - self.length;
        g.iter_mut().zip([1.0, 3.0]).for_each(|(g, factor)| *g = length * factor);
    }
}

impl Steady for Cone {
    fn exact(&self, t: f64) -> Vec<f64> {
        let (rate, l) = ((GRAVITY / COS).sqrt(), self.length);
        let (sin, cos) = (rate * t).sin_cos();
        let force = self.mass * l * GRAVITY / COS;
        let mut x = if self.rows == 2 { vec![0.1 * force, 0.3 * force] } else { vec![force] };
        x.extend([-rate * sin * SIN * l, rate * cos * SIN * l, 0.0]);
        x.extend([cos * SIN * l, sin * SIN * l, -COS * l]);
        x
    }
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![self.mass * self.length; self.rows];
        sizes.extend([self.length; 6]);
        sizes
    }
    fn force_of(&self, multipliers: &[f64]) -> Vec<f64> {
        vec![multipliers.iter().zip([1.0, 3.0]).map(|(y, factor)| factor * y).sum()]
    }
    fn free(&self) -> Vec<f64> {
        [3.0, -1.0].map(|n| n / 10f64.sqrt())[..2 * (self.rows - 1)].to_vec()
    }
}

/// Of the top: mass, distance, moments of inertia, inclination, rate of precession, row 4.
const MASS: f64 = 1.2;
const DISTANCE: f64 = 0.8;
const INERTIA: [f64; 3] = [0.3, 0.3, 0.2];
const INCLINATION: f64 = 0.7;
const PRECESSION: f64 = 1.1;
const SUM: [f64; 3] = [1.0, 2.0, -1.0];

impl Top {
    /// Rate of rotation about its own axis, with which it precesses steadily.
    fn own(&self) -> f64 {
        let across = INERTIA[0] + MASS * DISTANCE * DISTANCE;
        let torque = MASS * GRAVITY * DISTANCE;
        (across * INCLINATION.cos() * PRECESSION * PRECESSION + torque) / (INERTIA[2] * PRECESSION)
    }
}

impl Mechanism for Top {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 7, nv: 6, nl: self.rows, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        for i in 0..3 {
            m[7 * i] = T::real(self.mass * MASS);
            m[7 * (i + 3)] = T::real(self.mass * self.length * self.length * INERTIA[i]);
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let unit = self.mass * self.length * self.length * (INERTIA[0] - INERTIA[2]);
        f[2] = T::real(-self.mass * self.length * MASS * GRAVITY);
        f[3] = x.v[4] * x.v[5] * unit;
        f[4] = x.v[5] * x.v[3] * -unit;
    }
    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        let (q, w) = (&p[3..], &v[3..]);
        pdot[..3].copy_from_slice(&v[..3]);
        pdot[3] = (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) * -0.5;
        pdot[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * 0.5;
        pdot[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) * 0.5;
        pdot[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * 0.5;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let (q, l) = (&p[3..], DISTANCE * self.length);
        g[0] = p[0] - (q[1] * q[3] + q[0] * q[2]) * (2.0 * l);
        g[1] = p[1] - (q[2] * q[3] - q[0] * q[1]) * (2.0 * l);
        g[2] = p[2] - l + (q[1].sq() + q[2].sq()) * (2.0 * l);
        if self.rows == 4 {
            g[3] = g[0] * SUM[0] + g[1] * SUM[1] + g[2] * SUM[2];
        }
    }
}

impl Steady for Top {
    fn exact(&self, t: f64) -> Vec<f64> {
        let turned = self.own() - PRECESSION * INCLINATION.cos();
        let (a, b, c) = (0.5 * PRECESSION * t, 0.5 * INCLINATION, 0.5 * turned * t);
        let (sin, cos) = (INCLINATION.sin(), INCLINATION.cos());
        let l = DISTANCE * self.length;
        let angle = PRECESSION * t;
        let p = [l * sin * angle.sin(), -l * sin * angle.cos(), l * cos];
        let unit = MASS * self.mass;
        let square = PRECESSION * PRECESSION;
        let force = [unit * square * p[0], unit * square * p[1], -unit * GRAVITY * self.length];
        let mut x = force.to_vec();
        if self.rows == 4 {
            // (1 + c cᵀ) λ = F, and the fourth one is c of the others.
            let along: f64 = SUM.iter().zip(force).map(|(c, f)| c * f).sum::<f64>() / 7.0;
            x.iter_mut().zip(SUM).for_each(|(x, c)| *x -= c * along);
            x.push(along);
        }
        x.extend([-PRECESSION * p[1], PRECESSION * p[0], 0.0]);
        let spin = turned * t;
        x.extend([PRECESSION * sin * spin.sin(), PRECESSION * sin * spin.cos(), self.own()]);
        x.extend(p);
        let (cb, sb) = (b.cos(), b.sin());
        x.extend([cb * (a + c).cos(), sb * (a - c).cos(), sb * (a - c).sin(), cb * (a + c).sin()]);
        x
    }
    fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![self.mass * self.length; self.rows];
        sizes.extend([self.length, self.length, self.length, 1.0, 1.0, 1.0]);
        sizes.extend([self.length, self.length, self.length, 1.0, 1.0, 1.0, 1.0]);
        sizes
    }
    fn force_of(&self, multipliers: &[f64]) -> Vec<f64> {
        let fourth = multipliers.get(3).copied().unwrap_or(0.0);
        (0..3).map(|i| multipliers[i] + SUM[i] * fourth).collect()
    }
    fn free(&self) -> Vec<f64> {
        [1.0, 2.0, -1.0, -1.0].map(|n| n / 7f64.sqrt())[..4 * (self.rows - 3)].to_vec()
    }
}
