//! Andrews' squeezing mechanism as seven rigid bodies in the plane: 21 coordinates (x, y of the centre
//! of mass and θ per body), 20 joint constraints, M constant and diagonal.
//!
//! Bodies, data and angles are those of [`super::andrews`]: θ = (β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε).

use super::andrews::*;
use super::problem::{from_index, Problem};
use geoms::layout::{Dimensions, Layout};
use geoms::mechanism::derived::{Model, Options};
use geoms::mechanism::dual::{Dual, Real};
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str =
    "Andrews' squeezing mechanism of the Test Set for IVP Solvers, in Cartesian coordinates of its bodies";
const FROM_ANGLES: &str = "from the reference in seven angles; λ from the constraints on acceleration level";

/// A point of a body, or of the ground.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Body and coordinates in its frame, from the centre of mass.
    On(usize, [f64; 2]),
    Ground([f64; 2]),
}

use Place::{Ground, On};

const POINT_E: Place = On(1, [DA - D, 0.0]);
const POINT_A: Place = Ground([XA, YA]);

/// The joints O, F, E (three bodies on the second), B, G, H, A, A.
const JOINTS: [(Place, Place); 10] = [
    (On(0, [-RA, 0.0]), Ground([0.0, 0.0])),
    (On(1, [DA, 0.0]), On(0, [RR - RA, 0.0])),
    (POINT_E, On(2, [-SB, SA - SS])),
    (POINT_E, On(3, [0.0, Z - E])),
    (POINT_E, On(5, [ZF - W, 0.0])),
    (On(2, [-SB, SA]), Ground([XB, YB])),
    (On(3, [0.0, Z]), On(4, [ZT - TA, -TB])),
    (On(5, [-W, 0.0]), On(6, [UB, UA - U])),
    (On(4, [-TA, -TB]), POINT_A),
    (On(6, [UB, UA]), POINT_A),
];
/// Where the spring is fixed to the third body.
const SPRING: [f64; 2] = [SD - SB, SA - SC];

impl Place {
    fn at<T: Real>(self, p: &[T]) -> [T; 2] {
        match self {
            Ground(at) => at.map(T::real),
            On(body, [a, b]) => {
                let (s, c) = (p[3 * body + 2].sin(), p[3 * body + 2].cos());
                [p[3 * body] + c * a - s * b, p[3 * body + 1] + s * a + c * b]
            }
        }
    }
}

/// The mechanism. Invariant: the energy, with the work of the drive.
#[derive(Clone, Copy, Debug)]
pub struct AndrewsBodies;

impl AndrewsBodies {
    /// p of the bodies at the seven angles (β, Θ, γ, Φ, δ, Ω, ε).
    pub fn positions<T: Real>(q: &[T]) -> Vec<T> {
        let theta = [q[0], q[0] + q[1], q[2], q[3] + q[4], q[4], q[5] + q[6], q[6]];
        let mut p = vec![T::zero(); 21];
        theta.iter().enumerate().for_each(|(i, &angle)| p[3 * i + 2] = angle);
        // Hang every body on one that is placed already.
        for joint in [0, 1, 5, 8, 9, 6, 7] {
            let (new, old) = JOINTS[joint];
            let On(body, _) = new else { continue };
            let (target, own) = (old.at(&p), new.at(&p));
            p[3 * body] = target[0] - own[0];
            p[3 * body + 1] = target[1] - own[1];
        }
        p
    }

    /// The seven angles of the bodies, or their rates.
    pub fn angles(p: &[f64]) -> [f64; 7] {
        let theta = |i: usize| p[3 * i + 2];
        let (delta, epsilon) = (theta(4), theta(6));
        [theta(0), theta(1) - theta(0), theta(2), theta(3) - delta, delta, theta(5) - epsilon, epsilon]
    }

    /// x at given angles and rates.
    fn state(q: &[f64], rate: &[f64]) -> Vec<f64> {
        let moving: Vec<Dual<f64>> = q.iter().zip(rate).map(|(&a, &b)| Dual::new(a, b)).collect();
        let p = Self::positions(&moving);
        let layout = Layout::new(AndrewsBodies.dimensions(), Options::default().form);
        let mut x = vec![0.0; layout.n];
        for (i, p) in p.iter().enumerate() {
            x[layout.x.v.start + i] = p.d;
            x[layout.x.p.start + i] = p.v;
        }
        let start = x.clone();
        Model::new(AndrewsBodies, Options::default(), 0.0, &start).settle_algebraic(0.0, &mut x);
        x
    }

    /// Vector from the spring's end in the ground to that in the third body.
    fn spring<T: Real>(p: &[T]) -> [T; 2] {
        let at = On(2, SPRING).at(p);
        [at[0] - XC, at[1] - YC]
    }
}

impl Mechanism for AndrewsBodies {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 21, nv: 21, nl: 20, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        for i in 0..7 {
            for (k, value) in [M[i], M[i], I[i]].into_iter().enumerate() {
                m[22 * (3 * i + k)] = T::real(value);
            }
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let [dx, dy] = Self::spring(x.p);
        let length = (dx.sq() + dy.sq()).sqrt();
        let pull = (length - L0) / length * -C0;
        let (fx, fy) = (pull * dx, pull * dy);
        let (s, c) = (x.p[8].sin(), x.p[8].cos());
        let [a, b] = SPRING;
        f[2] = T::real(MOMENT);
        f[6] = fx;
        f[7] = fy;
        f[8] = (c * a - s * b) * fy - (s * a + c * b) * fx;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        for (g, (one, other)) in g.chunks_mut(2).zip(JOINTS) {
            let (a, b) = (one.at(p), other.at(p));
            g[0] = a[0] - b[0];
            g[1] = a[1] - b[1];
        }
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let [dx, dy] = Self::spring(p);
        e[0] = ((dx.sq() + dy.sq()).sqrt() - L0).sq() * (0.5 * C0) - p[2] * MOMENT;
        for i in 0..7 {
            e[0] += (v[3 * i].sq() + v[3 * i + 1].sq()) * (0.5 * M[i]) + v[3 * i + 2].sq() * (0.5 * I[i]);
        }
    }
}

/// The problem `andrews-bodies`.
pub fn problems() -> Vec<Problem> {
    let angles = super::andrews::problems().swap_remove(0);
    let of = |x: &[f64]| AndrewsBodies::state(&x[13..20], &x[6..13]);
    let mut problem =
        Problem::of_mechanism("andrews-bodies", SOURCE, AndrewsBodies, angles.tend, of(&angles.x0))
            .with_mass(MassStructure::ConstantDiagonal);
    for reference in angles.references.iter().filter(|r| r.values.len() == angles.x0.len()) {
        let x: Vec<f64> = reference.values.iter().map(|&(_, v)| v).collect();
        problem = problem.with_reference(reference.t, FROM_ANGLES, from_index(0, &of(&x)));
    }
    vec![problem]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_and_positions_are_inverse() {
        let q = [0.3, -0.2, 0.5, 0.7, -1.1, 0.4, 0.9];
        for (a, b) in AndrewsBodies::angles(&AndrewsBodies::positions(&q)).iter().zip(q) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}
