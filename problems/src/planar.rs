//! Planar rigid bodies (x, y, θ of the centre of mass) with revolute joints: rod double pendulums with
//! torsional springs, and a slider-crank. M is constant and diagonal.

use super::problem::{from_index, Problem};
use geoms::layout::{Dimensions, Layout};
use geoms::mechanism::derived::{Model, Options};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;
use std::f64::consts::PI;

const RODS: &str = "two rods with torsional spring-dampers, after D. Negrut, R. Rampalli, G. Ottarsson, A. Sajdak, On an \
                    implementation of the Hilber-Hughes-Taylor method in the context of index 3 DAEs (2007); own data";
const SLIDER_CRANK: &str = "slider-crank mechanism of textbooks, own data";
const INTEGRATED: &str =
    "DOP853 on the index-1 equations, tolerance 1e-13; p, v confirmed and λ supplied by extrapolation";
const LAGRANGE: &str = "classical Runge-Kutta method on Lagrange's equations in the angles, 12 digits";
const GRAVITY: f64 = 9.81;

/// Mass and moment of inertia.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Mass.
    pub mass: f64,
    /// Moment of inertia about the centre.
    pub inertia: f64,
}

/// Revolute joint between a point of one body and a point of another, or of the ground.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The body and the point in its frame.
    pub body: (usize, [f64; 2]),
    /// The other body and point; `None` is the origin of the ground.
    pub other: Option<(usize, [f64; 2])>,
}

/// Torsional spring-damper between a body and another, or the ground.
#[derive(Clone, Copy, Debug)]
pub struct Torsion {
    /// The body.
    pub body: usize,
    /// The other body.
    pub other: Option<usize>,
    /// Stiffness.
    pub stiffness: f64,
    /// Damping.
    pub damping: f64,
    /// Angle without moment.
    pub rest: f64,
}

/// Bodies under gravity in -y. Constraints: two per joint, then the coordinates that are held at zero.
#[derive(Clone, Debug)]
pub struct Planar {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// Indices of coordinates held at zero.
    pub held: Vec<usize>,
    /// Spring-dampers.
    pub torsions: Vec<Torsion>,
    /// Moment `amplitude · sin(frequency · t)` on the first body.
    pub drive: Option<(f64, f64)>,
}

fn point<T: Real>(p: &[T], (body, [a, b]): (usize, [f64; 2])) -> [T; 2] {
    let (s, c) = (p[3 * body + 2].sin(), p[3 * body + 2].cos());
    [p[3 * body] + c * a - s * b, p[3 * body + 1] + s * a + c * b]
}

impl Mechanism for Planar {
    fn dimensions(&self) -> Dimensions {
        let np = 3 * self.bodies.len();
        Dimensions { np, nv: np, nl: 2 * self.joints.len() + self.held.len(), ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let step = 3 * self.bodies.len() + 1;
        for (i, body) in self.bodies.iter().enumerate() {
            m[3 * i * step] = T::real(body.mass);
            m[(3 * i + 1) * step] = T::real(body.mass);
            m[(3 * i + 2) * step] = T::real(body.inertia);
        }
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        for (i, body) in self.bodies.iter().enumerate() {
            f[3 * i + 1] = T::real(-GRAVITY * body.mass);
        }
        for spring in &self.torsions {
            let own = 3 * spring.body + 2;
            let (mut angle, mut rate) = (x.p[own] - spring.rest, x.v[own]);
            if let Some(other) = spring.other {
                angle -= x.p[3 * other + 2];
                rate -= x.v[3 * other + 2];
            }
            let moment = angle * -spring.stiffness - rate * spring.damping;
            f[own] += moment;
            if let Some(other) = spring.other {
                f[3 * other + 2] -= moment;
            }
        }
        if let Some((amplitude, frequency)) = self.drive {
            f[2] += (t * frequency).sin() * amplitude;
        }
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let (in_joints, in_held) = g.split_at_mut(2 * self.joints.len());
        for (g, joint) in in_joints.chunks_mut(2).zip(&self.joints) {
            let a = point(p, joint.body);
            let b = joint.other.map_or([T::zero(); 2], |o| point(p, o));
            g[0] = a[0] - b[0];
            g[1] = a[1] - b[1];
        }
        for (g, &i) in in_held.iter_mut().zip(&self.held) {
            *g = p[i];
        }
    }
}

/// Consistent x from v and p: the multipliers follow from the constraints on acceleration level.
fn settled(mechanism: &Planar, v: &[f64], p: &[f64]) -> Vec<f64> {
    let layout = Layout::new(mechanism.dimensions(), Options::default().form);
    let mut x = vec![0.0; layout.n];
    layout.x.v.of_mut(&mut x).copy_from_slice(v);
    layout.x.p.of_mut(&mut x).copy_from_slice(p);
    let start = x.clone();
    Model::new(mechanism.clone(), Options::default(), 0.0, &start).settle_algebraic(0.0, &mut x);
    x
}

const ROD: [f64; 2] = [1.0, 1.5];

/// Two rods of masses 3 and 0.3, lengths 1 and 1.5; stiffness and damping of both springs.
fn rods(springs: [[f64; 2]; 2]) -> Planar {
    let body = |mass: f64, length: f64| Body { mass, inertia: mass * length * length / 12.0 };
    let torsion = |i: usize, other, rest| Torsion {
        body: i,
        other,
        stiffness: springs[i][0],
        damping: springs[i][1],
        rest,
    };
    Planar {
        bodies: vec![body(3.0, ROD[0]), body(0.3, ROD[1])],
        joints: vec![
            Joint { body: (0, [-0.5 * ROD[0], 0.0]), other: None },
            Joint { body: (1, [-0.5 * ROD[1], 0.0]), other: Some((0, [0.5 * ROD[0], 0.0])) },
        ],
        held: Vec::new(),
        torsions: vec![torsion(0, None, 1.5 * PI), torsion(1, Some(0), 0.0)],
        drive: None,
    }
}

/// p of the rods at given angles.
fn rod_positions(a: f64, b: f64) -> [f64; 6] {
    let ([l1, l2], (s1, c1), (s2, c2)) = (ROD, a.sin_cos(), b.sin_cos());
    [0.5 * l1 * c1, 0.5 * l1 * s1, a, l1 * c1 + 0.5 * l2 * c2, l1 * s1 + 0.5 * l2 * s2, b]
}

/// v of the rods at given angles and rates.
fn rod_velocities(angle: [f64; 2], rate: [f64; 2]) -> [f64; 6] {
    let ([l1, l2], (s1, c1), (s2, c2)) = (ROD, angle[0].sin_cos(), angle[1].sin_cos());
    let [a, b] = rate;
    let joint = [-l1 * s1 * a, l1 * c1 * a];
    [0.5 * joint[0], 0.5 * joint[1], a, joint[0] - 0.5 * l2 * s2 * b, joint[1] + 0.5 * l2 * c2 * b, b]
}

fn rod_pendulum(name: &str, springs: [[f64; 2]; 2], angles: [f64; 2], tend: f64) -> Problem {
    let mechanism = rods(springs);
    let x0 = settled(&mechanism, &[0.0; 6], &rod_positions(1.5 * PI + angles[0], 1.5 * PI + angles[1]));
    Problem::of_mechanism(name, RODS, mechanism, tend, x0)
}

fn slider_crank() -> Problem {
    let (l1, l2) = (0.15, 0.56);
    let mechanism = Planar {
        bodies: vec![
            Body { mass: 0.36, inertia: 0.002_727 },
            Body { mass: 0.151, inertia: 0.0032 },
            Body { mass: 0.5, inertia: 0.001 },
        ],
        joints: vec![
            Joint { body: (0, [-0.5 * l1, 0.0]), other: None },
            Joint { body: (1, [-0.5 * l2, 0.0]), other: Some((0, [0.5 * l1, 0.0])) },
            Joint { body: (2, [0.0, 0.0]), other: Some((1, [0.5 * l2, 0.0])) },
        ],
        held: vec![7, 8],
        torsions: Vec::new(),
        drive: Some((0.1, 5.0)),
    };
    let (crank, rate) = (0.25 * PI, 10.0);
    let rod = -(l1 * crank.sin() / l2).asin();
    let rod_rate = -l1 * crank.cos() * rate / (l2 * rod.cos());
    let ((s1, c1), (s2, c2)) = (crank.sin_cos(), rod.sin_cos());
    let p = [
        0.5 * l1 * c1,
        0.5 * l1 * s1,
        crank,
        l1 * c1 + 0.5 * l2 * c2,
        l1 * s1 + 0.5 * l2 * s2,
        rod,
        l1 * c1 + l2 * c2,
        0.0,
        0.0,
    ];
    let v = [
        -0.5 * l1 * s1 * rate,
        0.5 * l1 * c1 * rate,
        rate,
        -l1 * s1 * rate - 0.5 * l2 * s2 * rod_rate,
        l1 * c1 * rate + 0.5 * l2 * c2 * rod_rate,
        rod_rate,
        -l1 * s1 * rate - l2 * s2 * rod_rate,
        0.0,
        0.0,
    ];
    let x0 = settled(&mechanism, &v, &p);
    let end = [
        -6.420_818_670_1,
        3.729_201_083_5,
        -5.392_579_120_7,
        1.729_748_673_2,
        -4.310_416_815_1,
        0.891_089_467_72,
        -5.796_089_467_72,
        0.0,
        -0.748_226_053_423_9,
        -0.665_859_746_385_87,
        13.354_725_697_948_34,
        -1.360_465_632_383_54,
        -0.665_859_746_385_87,
        2.427_156_949_147_34,
        -1.224_479_157_919_28,
        0.0,
        0.0,
        -0.049_859_485_057_66,
        0.056_027_062_655_35,
        14.864_383_806_304_59,
        0.174_618_355_544_56,
        0.056_027_062_655_35,
        -0.201_456_567_165_65,
        0.448_955_681_204_44,
        0.0,
        0.0,
    ];
    let problem = Problem::of_mechanism("slider-crank", SLIDER_CRANK, mechanism, 1.0, x0);
    Problem { time_dependent: true, ..problem }.with_reference(1.0, INTEGRATED, from_index(0, &end))
}

/// Stiffness and damping of the rods with which the null-space method was shown (the paper's own data are not printed).
const SPRINGS: [[f64; 2]; 2] = [[400.0, 15.0], [300.0, 5.0]];

/// The problems of this file.
pub fn problems() -> Vec<Problem> {
    let mild = [
        5.585_591_067_34,
        -34.303_732_751_5,
        -3.601_702_656_58,
        -4.737_361_183_43,
        -1.288_500_469_358_1e-2,
        1.898_610_077_268_65e-4,
        -2.577_280_684_410_19e-2,
        2.478_191_863_244_23,
        -3.811_030_705_569_56e-1,
        3.377_139_928_827_5,
        -0.007_366_718_296_08,
        -0.499_945_728_516_14,
        4.697_655_010_699_06,
        -0.127_693_752_306_68,
        -1.741_335_970_852_2,
        4.561_199_900_564_51,
    ];
    let angle = [4.753_416_748_821_35, 4.753_421_573_346_07];
    let rate = [-0.464_717_122_514_3, -0.464_701_144_938_9];
    let stiff = [rod_velocities(angle, rate), rod_positions(angle[0], angle[1])].concat();
    let (angle, rate) =
        ([4.718_899_728_493_83, 4.720_711_627_149_51], [-0.069_150_059_712_13, -0.100_410_127_143_9]);
    let springs = [rod_velocities(angle, rate), rod_positions(angle[0], angle[1])].concat();
    let list =
        [
            rod_pendulum("double-pendulum-rods", [[40.0, 0.5], [30.0, 0.2]], [0.5, -0.7], 2.0)
                .with_reference(2.0, INTEGRATED, from_index(0, &mild)),
            rod_pendulum("double-pendulum-stiff", [[400.0, 15.0], [3e5, 5e4]], [0.3, 0.3], 0.5)
                .with_reference(0.5, LAGRANGE, from_index(4, &stiff)),
            rod_pendulum("double-pendulum-springs", SPRINGS, [0.5, -0.7], 1.0).with_reference(
                1.0,
                LAGRANGE,
                from_index(4, &springs),
            ),
            slider_crank(),
        ];
    list.into_iter().map(|p| p.with_mass(MassStructure::ConstantDiagonal)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::integrate;

    /// (a1, a2, w1, w2)' of the rods in their angles, by Lagrange's equations.
    fn slope(springs: [[f64; 2]; 2], y: &[f64]) -> Vec<f64> {
        let [m1, m2] = [3.0, 0.3];
        let [l1, l2] = ROD;
        let (sin, cos) = (y[0] - y[1]).sin_cos();
        let mass = [m1 * l1 * l1 / 3.0 + m2 * l1 * l1, 0.5 * m2 * l1 * l2 * cos, m2 * l2 * l2 / 3.0];
        let [first, second] = springs;
        let between = -second[0] * (y[1] - y[0]) - second[1] * (y[3] - y[2]);
        let ground = -first[0] * (y[0] - 1.5 * PI) - first[1] * y[2];
        let coupling = 0.5 * m2 * l1 * l2 * sin;
        let f1 = ground - between - coupling * y[3] * y[3] - (0.5 * m1 + m2) * GRAVITY * l1 * y[0].cos();
        let f2 = between + coupling * y[2] * y[2] - 0.5 * m2 * GRAVITY * l2 * y[1].cos();
        let det = mass[0] * mass[2] - mass[1] * mass[1];
        vec![y[2], y[3], (mass[2] * f1 - mass[1] * f2) / det, (mass[0] * f2 - mass[1] * f1) / det]
    }

    fn compare(name: &str, y: &[f64], tolerance: f64) {
        let problem = problems().into_iter().find(|p| p.name == name).unwrap();
        let x = [rod_velocities([y[0], y[1]], [y[2], y[3]]), rod_positions(y[0], y[1])].concat();
        for &(i, value) in problem.references[0].values.iter().filter(|(i, _)| *i >= 4) {
            assert!((x[i - 4] - value).abs() < tolerance, "{name} x[{i}]: {} against {value}", x[i - 4]);
        }
    }

    #[test]
    fn rods_agree_with_lagrange_equations() {
        let start = [1.5 * PI + 0.5, 1.5 * PI - 0.7, 0.0, 0.0];
        let y = integrate(|_, y| slope([[40.0, 0.5], [30.0, 0.2]], y), 0.0, 2.0, &start, 100);
        compare("double-pendulum-rods", &y, 1e-11);
        let start = [1.5 * PI + 0.3, 1.5 * PI + 0.3, 0.0, 0.0];
        let y = runge_kutta(|y| slope([[400.0, 15.0], [3e5, 5e4]], y), 0.5, &start, 100_000);
        compare("double-pendulum-stiff", &y, 1e-11);
        let start = [1.5 * PI + 0.5, 1.5 * PI - 0.7, 0.0, 0.0];
        let y = runge_kutta(|y| slope(SPRINGS, y), 1.0, &start, 20_000);
        compare("double-pendulum-springs", &y, 1e-11);
    }

    /// Classical Runge-Kutta method: stable for the stiff rods with steps of 5e-6.
    fn runge_kutta(f: impl Fn(&[f64]) -> Vec<f64>, tend: f64, y0: &[f64], steps: usize) -> Vec<f64> {
        let h = tend / steps as f64;
        let mut y = y0.to_vec();
        let ahead =
            |y: &[f64], k: &[f64], c: f64| -> Vec<f64> { y.iter().zip(k).map(|(a, b)| a + c * b).collect() };
        for _ in 0..steps {
            let k1 = f(&y);
            let k2 = f(&ahead(&y, &k1, 0.5 * h));
            let k3 = f(&ahead(&y, &k2, 0.5 * h));
            let k4 = f(&ahead(&y, &k3, h));
            for i in 0..y.len() {
                y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
            }
        }
        y
    }
}
