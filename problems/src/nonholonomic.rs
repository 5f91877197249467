//! Problems with nonholonomic constraints, all with closed-form solutions.

use super::problem::{Exact, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;
use std::sync::Arc;

const BLOCH: &str = "A. M. Bloch, Nonholonomic Mechanics and Control, Springer 2003, chapter 1";
const ROSENBERG: &str = "R. M. Rosenberg, Analytical Dynamics of Discrete Systems, Plenum 1977";
const CLOSED_FORM: &str = "closed form, 25 digits";

fn diagonal<T: Real>(values: &[f64], m: &mut [T]) {
    let n = values.len();
    for (i, &v) in values.iter().enumerate() {
        m[i + i * n] = T::real(v);
    }
}

/// Knife edge (skate) on an inclined plane: p = (x, y, φ), started at rest with φ' = ω.
#[derive(Clone, Copy, Debug)]
pub struct KnifeEdge {
    /// g sin α.
    pub slope: f64,
    /// Rate of turn ω.
    pub rate: f64,
}

impl KnifeEdge {
    /// x(t) = (μ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (a, w) = (self.slope, self.rate);
        let (sin, cos) = (w * t).sin_cos();
        let k = a / (2.0 * w * w);
        vec![
            2.0 * a * sin,
            a / w * sin * cos,
            a / w * sin * sin,
            w,
            k * sin * sin,
            k * (w * t - sin * cos),
            w * t,
        ]
    }
}

impl Mechanism for KnifeEdge {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nm: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        diagonal(&[1.0, 1.0, 1.0], m);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = T::real(self.slope);
    }
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        h[0] = v[0] * p[2].sin() - v[1] * p[2].cos();
    }
}

/// Upright rolling disk: p = (x, y, θ, φ), constant spin and turn.
#[derive(Clone, Copy, Debug)]
pub struct UprightDisk {
    /// Spin θ'.
    pub spin: f64,
    /// Turn φ'.
    pub turn: f64,
}

impl UprightDisk {
    /// x(t) = (μ, v, p), for m = R = 1.
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (spin, turn) = (self.spin, self.turn);
        let (sin, cos) = (turn * t).sin_cos();
        vec![
            spin * turn * sin,
            -spin * turn * cos,
            spin * cos,
            spin * sin,
            spin,
            turn,
            spin / turn * sin,
            spin / turn * (1.0 - cos),
            spin * t,
            turn * t,
        ]
    }
}

impl Mechanism for UprightDisk {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nm: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        diagonal(&[1.0, 1.0, 0.5, 0.25], m);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        h[0] = v[0] - v[2] * p[3].cos();
        h[1] = v[1] - v[2] * p[3].sin();
    }
}

/// Rolling disk that leans: p = (x, y, yaw φ, inclination θ, spin ψ), in steady motion. m = 1.
#[derive(Clone, Copy, Debug)]
pub struct LeaningDisk {
    /// Radius.
    pub radius: f64,
    /// Acceleration of gravity.
    pub gravity: f64,
    /// Constant inclination (π/2 is upright).
    pub inclination: f64,
    /// Yaw rate.
    pub yaw: f64,
}

impl LeaningDisk {
    /// Moments of inertia about a diameter and about the axis.
    fn inertia(&self) -> (f64, f64) {
        (self.radius.powi(2) / 4.0, self.radius.powi(2) / 2.0)
    }

    /// x(t) = (μ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (r, om, (a, c)) = (self.radius, self.yaw, self.inertia());
        let (s, k) = self.inclination.sin_cos();
        // Steady rolling: the balance of moments about the contact point.
        let w3 = (a * om * om * s * k - self.gravity * r * k) / ((c + r * r) * om * s);
        let psi = w3 - om * k;
        let (sin, cos) = (om * t).sin_cos();
        vec![
            -r * w3 * om * sin,
            r * w3 * om * cos,
            -r * w3 * cos,
            -r * w3 * sin,
            om,
            0.0,
            psi,
            -r * w3 / om * sin,
            r * w3 / om * (cos - 1.0),
            om * t,
            self.inclination,
            psi * t,
        ]
    }
}

impl Mechanism for LeaningDisk {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 5, nv: 5, nm: 2, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        let (a, c) = self.inertia();
        let (s, k) = (p[3].sin(), p[3].cos());
        m[0] = T::real(1.0);
        m[6] = T::real(1.0);
        m[12] = s.sq() * a + k.sq() * c;
        m[18] = k.sq() * self.radius.powi(2) + a;
        m[24] = T::real(c);
        m[14] = k * c;
        m[22] = m[14];
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (a, c) = self.inertia();
        let (s, k) = (x.p[3].sin(), x.p[3].cos());
        let (phi, theta, w3) = (x.v[2], x.v[3], x.v[4] + x.v[2] * k);
        f[2] = s * theta * (phi * k * (c - 2.0 * a) + w3 * c);
        f[3] = k * s * (theta.sq() * self.radius.powi(2) + phi.sq() * a)
            - w3 * phi * s * c
            - k * (self.gravity * self.radius);
        f[4] = phi * s * theta * c;
    }
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        let (tip, w3) = (v[3] * p[3].sin(), v[4] + v[2] * p[3].cos());
        h[0] = v[0] - (tip * p[2].sin() - w3 * p[2].cos()) * self.radius;
        h[1] = v[1] + (tip * p[2].cos() + w3 * p[2].sin()) * self.radius;
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let (a, c) = self.inertia();
        let (s, k) = (p[3].sin(), p[3].cos());
        let w3 = v[4] + v[2] * k;
        e[0] = (v[0].sq() + v[1].sq() + (k * v[3] * self.radius).sq()) * 0.5
            + (v[3].sq() + (v[2] * s).sq()) * (0.5 * a)
            + w3.sq() * (0.5 * c)
            + s * (self.gravity * self.radius);
    }
}

/// Free particle with z' = y x', started at the origin with velocity (c, u, 0).
#[derive(Clone, Copy, Debug)]
pub struct FreeParticle {
    /// x'(0).
    pub c: f64,
    /// y'(0).
    pub u: f64,
}

impl FreeParticle {
    /// x(t) = (μ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (c, u) = (self.c, self.u);
        let y = u * t;
        let root = (1.0 + y * y).sqrt();
        vec![
            -c * u / root.powi(3),
            c / root,
            u,
            c * y / root,
            c / u * y.asinh(),
            y,
            c / u * y * y / (root + 1.0),
        ]
    }
}

impl Mechanism for FreeParticle {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nm: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        diagonal(&[1.0, 1.0, 1.0], m);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        h[0] = v[2] - p[1] * v[0];
    }
}

/// Pair values with the components of x, from the first.
fn values(list: &[f64]) -> Vec<(usize, f64)> {
    super::problem::from_index(0, list)
}

/// The nonholonomic problems.
pub fn problems() -> Vec<Problem> {
    let knife = KnifeEdge { slope: 4.905, rate: 2.0 };
    let upright = UprightDisk { spin: 3.0, turn: 2.0 };
    let leaning =
        LeaningDisk { radius: 0.5, gravity: 9.81, inclination: std::f64::consts::FRAC_PI_3, yaw: 4.0 };
    let particle = FreeParticle { c: 1.0, u: 1.0 };
    let constant = MassStructure::ConstantDiagonal;
    let closed: [Exact; 4] = [
        Arc::new(move |t| knife.exact(t)),
        Arc::new(move |t| upright.exact(t)),
        Arc::new(move |t| leaning.exact(t)),
        Arc::new(move |t| particle.exact(t)),
    ];
    let [knife_exact, upright_exact, leaning_exact, particle_exact] = closed;
    vec![
        Problem::of_solution("knife-edge", BLOCH, knife, 10.0, knife_exact)
            .with_mass(constant)
            .with_reference(
                10.0,
                CLOSED_FORM,
                values(&[
                    8.955_992_909_638_027,
                    0.913_695_013_037_801_5,
                    2.044_082_798_101_086,
                    2.0,
                    0.511_020_699_525_271_5,
                    12.034_076_246_740_55,
                    20.0,
                ]),
            ),
        Problem::of_solution("upright-disk", BLOCH, upright, 10.0, upright_exact)
            .with_mass(constant)
            .with_reference(
                10.0,
                CLOSED_FORM,
                values(&[
                    5.477_671_504_365_766,
                    -2.448_492_370_880_352,
                    1.224_246_185_440_176,
                    2.738_835_752_182_883,
                    3.0,
                    2.0,
                    1.369_417_876_091_441_5,
                    0.887_876_907_279_912,
                    30.0,
                    20.0,
                ]),
            ),
        Problem::of_solution("leaning-disk", BLOCH, leaning, 10.0, leaning_exact).with_reference(
            10.0,
            CLOSED_FORM,
            values(&[
                2.316_708_888_931_598_4,
                2.073_646_551_622_582_3,
                -0.518_411_637_905_645_6,
                0.579_177_222_232_899_6,
                4.0,
                0.0,
                -3.554_602_046_916_743,
                0.144_794_305_558_224_9,
                0.323_928_165_341_004_26,
                40.0,
                1.047_197_551_196_597_7,
                -35.546_020_469_167_43,
            ]),
        ),
        Problem::of_solution("nonholonomic-particle", ROSENBERG, particle, 10.0, particle_exact)
            .with_mass(constant)
            .with_reference(
                10.0,
                CLOSED_FORM,
                values(&[
                    -0.000_985_185_336_841_573_4,
                    0.099_503_719_020_998_91,
                    1.0,
                    0.995_037_190_209_989_1,
                    2.998_222_950_297_97,
                    10.0,
                    9.049_875_621_120_89,
                ]),
            ),
    ]
}
