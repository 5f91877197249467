//! Small problems for single features of the equations of motion: redundant constraints, auxiliary
//! variables, dynamic force elements, contact variables. All have closed-form solutions.

use super::pendulum::Start;
use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;
use std::sync::Arc;

const SOURCE: &str =
    "elementary mechanics; chosen to exercise one block of the equations (1) of WIAS preprint 1259";
const CLOSED_FORM: &str = "closed form, 25 digits";
const GRAVITY: f64 = 9.81;

/// Rigid coupler p = (x, y, θ) on three parallel massless links of length 1: rank 2 of 3.
#[derive(Clone, Copy, Debug)]
pub struct Coupler;

impl Coupler {
    const MASS: f64 = 2.0;
    const INERTIA: f64 = 0.3;
    const PIVOTS: [f64; 3] = [-0.5, 0.0, 0.5];

    /// x(t) = (λ, v, p) with the multipliers of minimum norm.
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let start = Start { gravity: GRAVITY, angle: std::f64::consts::FRAC_PI_3, rate: 0.0 };
        let (sin, cos, rate) = start.motion(t);
        let lambda = Self::MASS * (rate * rate + GRAVITY * cos) / 6.0;
        vec![lambda, lambda, lambda, rate * cos, rate * sin, 0.0, sin, -cos, 0.0]
    }
}

impl Mechanism for Coupler {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 3, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(Self::MASS);
        m[4] = T::real(Self::MASS);
        m[8] = T::real(Self::INERTIA);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-Self::MASS * GRAVITY);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        for (g, pivot) in g.iter_mut().zip(Self::PIVOTS) {
            let (x, y) = (p[0] + p[2].cos() * pivot - pivot, p[1] + p[2].sin() * pivot);
            *g = x.sq() + y.sq() - 1.0;
        }
    }
}

/// Bead on a horizontal unit circle with Coulomb friction: the normal force is an auxiliary variable.
#[derive(Clone, Copy, Debug)]
pub struct FrictionBead {
    /// Coefficient of friction.
    pub friction: f64,
    /// Initial speed.
    pub speed: f64,
}

impl FrictionBead {
    /// x(t) = (w, λ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let stretch = 1.0 + self.friction * self.speed * t;
        let (sin, cos) = (stretch.ln() / self.friction).sin_cos();
        let speed = self.speed / stretch;
        let lambda = 0.5 * speed * speed;
        vec![2.0 * lambda, lambda, -speed * sin, speed * cos, cos, sin]
    }
}

impl Mechanism for FrictionBead {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nw: 1, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let pull = x.w[0] * self.friction / (x.v[0].sq() + x.v[1].sq()).sqrt();
        f[0] = -(pull * x.v[0]);
        f[1] = -(pull * x.v[1]);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
    }
    fn auxiliary<T: Real>(&self, _t: T, x: &Blocks<'_, T>, d: &mut [T]) {
        d[0] = x.w[0] - x.lambda[0].abs() * 2.0;
    }
}

/// Mass on an inclined guide with a spring and a Maxwell element, whose force is r. m = 1.
#[derive(Clone, Copy, Debug)]
pub struct MaxwellElement {
    /// Stiffness of the parallel spring.
    pub spring: f64,
    /// Stiffness of the Maxwell element.
    pub stiffness: f64,
    /// Damping of the Maxwell element.
    pub damping: f64,
    /// Direction of the guide.
    pub angle: f64,
}

impl MaxwellElement {
    /// x(t) = (λ, r, v, p), started at rest at distance 1: linear, by the exponential of the matrix
    /// of y = (ξ, ξ', r, 1).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (sin, cos) = self.angle.sin_cos();
        let a = [
            [0.0, 1.0, 0.0, 0.0],
            [-self.spring, 0.0, -1.0, -GRAVITY * sin],
            [0.0, self.stiffness, -self.stiffness / self.damping, 0.0],
            [0.0; 4],
        ];
        let e = exponential(&a, t);
        let y = e.map(|row| row[0] + row[3]);
        vec![-GRAVITY * cos, y[2], y[1] * cos, y[1] * sin, y[0] * cos, y[0] * sin]
    }
}

fn product(a: &[[f64; 4]; 4], b: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let mut c = [[0.0; 4]; 4];
    for (row, ai) in c.iter_mut().zip(a) {
        for (aik, bk) in ai.iter().zip(b) {
            row.iter_mut().zip(bk).for_each(|(cij, bkj)| *cij += aik * bkj);
        }
    }
    c
}

/// exp(t A) by Taylor's series on a short interval and squaring.
fn exponential(a: &[[f64; 4]; 4], t: f64) -> [[f64; 4]; 4] {
    let norm = a.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs())) * t.abs() * 4.0;
    let halvings = if norm > 0.5 { (norm / 0.5).log2().ceil() as i32 } else { 0 };
    let step = a.map(|row| row.map(|v| v * t * 0.5_f64.powi(halvings)));
    let mut sum = [[0.0; 4]; 4];
    (0..4).for_each(|i| sum[i][i] = 1.0);
    let mut term = sum;
    for k in 1..18 {
        term = product(&term, &step).map(|row| row.map(|v| v / f64::from(k)));
        for (s, t) in sum.iter_mut().flatten().zip(term.iter().flatten()) {
            *s += t;
        }
    }
    (0..halvings).fold(sum, |e, _| product(&e, &e))
}

impl Mechanism for MaxwellElement {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nr: 1, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (sin, cos) = self.angle.sin_cos();
        let pull = (x.p[0] * cos + x.p[1] * sin) * self.spring + x.r[0];
        f[0] = -(pull * cos);
        f[1] = -(pull * sin) - GRAVITY;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let (sin, cos) = self.angle.sin_cos();
        g[0] = p[1] * cos - p[0] * sin;
    }
    fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        let (sin, cos) = self.angle.sin_cos();
        b[0] = (x.v[0] * cos + x.v[1] * sin) * self.stiffness - x.r[0] * (self.stiffness / self.damping);
    }
}

/// Mass on a cycloid, whose parameter s is a contact variable; Huygens' tautochrone. m = 1.
#[derive(Clone, Copy, Debug)]
pub struct Cycloid {
    /// Radius of the rolling circle.
    pub radius: f64,
    /// s(0), at rest.
    pub start: f64,
}

impl Cycloid {
    /// x(t) = (λ, v, s, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (a, w) = (self.radius, 0.5 * (GRAVITY / self.radius).sqrt());
        let amplitude = (0.5 * self.start).sin();
        // u = sin(s/2), p2 = -2a(1-u²), and cos(s/2) s' = 2u'.
        let (u, du) = (amplitude * (w * t).cos(), -amplitude * w * (w * t).sin());
        let s = 2.0 * u.asin();
        let half_cos = (1.0 - u * u).sqrt();
        let p = [a * (s + s.sin()), -2.0 * a * half_cos * half_cos];
        let v = [4.0 * a * half_cos * du, 4.0 * a * u * du];
        let lambda = -(GRAVITY + 4.0 * a * (du * du - w * w * u * u));
        vec![lambda, v[0], v[1], s, p[0], p[1]]
    }
}

impl Mechanism for Cycloid {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, ns: 1, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-GRAVITY);
    }
    fn contact<T: Real>(&self, _t: T, p: &[T], s: &[T], c: &mut [T]) {
        c[0] = p[0] - (s[0] + s[0].sin()) * self.radius;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], s: &[T], g: &mut [T]) {
        g[0] = p[1] + (s[0].cos() + 1.0) * self.radius;
    }
}

/// Bead on a rod that turns with constant rate in the horizontal plane: a rheonomic constraint. m = 1.
#[derive(Clone, Copy, Debug)]
pub struct RotatingRod {
    /// Rate of turn.
    pub rate: f64,
    /// Initial distance from the axis, at rest on the rod.
    pub start: f64,
}

impl RotatingRod {
    /// x(t) = (λ, v, p); the distance is start · cosh(rate · t).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (w, angle) = (self.rate, self.rate * t);
        let (distance, speed) = (self.start * angle.cosh(), self.start * w * angle.sinh());
        let (sin, cos) = angle.sin_cos();
        vec![
            -2.0 * w * speed,
            speed * cos - distance * w * sin,
            speed * sin + distance * w * cos,
            distance * cos,
            distance * sin,
        ]
    }
}

impl Mechanism for RotatingRod {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let angle = t * self.rate;
        g[0] = p[1] * angle.cos() - p[0] * angle.sin();
    }
}

/// The problems of this file.
pub fn problems() -> Vec<Problem> {
    let bead = FrictionBead { friction: 0.3, speed: 5.0 };
    let maxwell =
        MaxwellElement { spring: 10.0, stiffness: 40.0, damping: 2.0, angle: std::f64::consts::FRAC_PI_6 };
    let rod = RotatingRod { rate: 1.5, start: 0.2 };
    let turning = Problem::of_solution("rotating-rod", SOURCE, rod, 2.0, Arc::new(move |t| rod.exact(t)));
    let cycloid = Cycloid { radius: 0.5, start: 2.5 };
    let coupler = Problem::of_solution("coupler", SOURCE, Coupler, 10.0, Arc::new(|t| Coupler.exact(t)));
    let lambda = 4.528_507_834_452_66;
    let list = [
        Problem { time_dependent: true, ..turning },
        Problem { rank_deficient: true, redundant: true, ..coupler }.with_reference(
            10.0,
            CLOSED_FORM,
            from_index(
                0,
                &[
                    lambda,
                    lambda,
                    lambda,
                    1.912_360_807_424_452_3,
                    -1.459_414_886_566_605,
                    0.0,
                    -0.606_668_495_921_778_3,
                    -0.794_954_927_059_394_5,
                    0.0,
                ],
            ),
        ),
        Problem::of_solution("friction-bead", SOURCE, bead, 10.0, Arc::new(move |t| bead.exact(t)))
            .with_reference(
                10.0,
                CLOSED_FORM,
                from_index(
                    0,
                    &[
                        0.097_656_25,
                        0.048_828_125,
                        -0.056_812_163_909_854_834,
                        -0.307_292_414_536_837_84,
                        -0.983_335_726_517_881_1,
                        0.181_798_924_511_535_47,
                    ],
                ),
            ),
        Problem::of_solution("maxwell-element", SOURCE, maxwell, 5.0, Arc::new(move |t| maxwell.exact(t)))
            .with_reference(
                5.0,
                CLOSED_FORM,
                from_index(
                    0,
                    &[
                        -8.495_709_211_125_343,
                        -0.002_601_353_926_566_570_7,
                        0.002_221_404_729_945_781_6,
                        0.001_282_528_618_813_305,
                        -0.430_590_654_046_703_45,
                        -0.248_601_630_024_401_25,
                    ],
                ),
            ),
        Problem::of_solution("cycloid", SOURCE, cycloid, 10.0, Arc::new(move |t| cycloid.exact(t)))
            .with_reference(
                10.0,
                CLOSED_FORM,
                from_index(
                    0,
                    &[
                        -1.402_378_483_131_697_9,
                        0.227_479_951_084_367_94,
                        -0.612_569_007_740_402_5,
                        -2.430_451_950_491_115,
                        -1.541_575_181_491_371_8,
                        -0.121_191_083_021_100_3,
                    ],
                ),
            ),
    ];
    list.into_iter().map(|p| p.with_mass(MassStructure::ConstantDiagonal)).collect()
}
