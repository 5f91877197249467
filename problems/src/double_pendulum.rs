//! Conservative planar double pendulum: two unit point masses on massless rods of length 1, in
//! Cartesian coordinates. Two degrees of freedom; the energy is an invariant.

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str =
    "double mathematical pendulum, L. D. Landau, E. M. Lifshitz, Mechanics, section 5, problem 1";
const INTEGRATED: &str = "extrapolation of Lagrange's equations in the angles, 12 digits";
const GRAVITY: f64 = 9.81;

/// The mechanism, p = (x1, y1, x2, y2).
#[derive(Clone, Copy, Debug)]
pub struct DoublePendulum;

impl DoublePendulum {
    /// Angular accelerations of the angles from the downward vertical.
    pub fn angular_accelerations(angle: [f64; 2], rate: [f64; 2]) -> [f64; 2] {
        // M = [2, cos δ; cos δ, 1], δ = a1 - a2.
        let (sin, cos) = (angle[0] - angle[1]).sin_cos();
        let right = [
            -sin * rate[1] * rate[1] - 2.0 * GRAVITY * angle[0].sin(),
            sin * rate[0] * rate[0] - GRAVITY * angle[1].sin(),
        ];
        let det = 2.0 - cos * cos;
        [(right[0] - cos * right[1]) / det, (2.0 * right[1] - cos * right[0]) / det]
    }

    /// x = (λ, v, p) from the angles and their rates.
    pub fn state(angle: [f64; 2], rate: [f64; 2]) -> Vec<f64> {
        let acc = Self::angular_accelerations(angle, rate);
        let ((s1, c1), (s2, c2)) = (angle[0].sin_cos(), angle[1].sin_cos());
        // Tension of the lower rod along (s2, -c2), then of the upper one: each is 2λ.
        let a1 = [c1 * acc[0] - s1 * rate[0].powi(2), s1 * acc[0] + c1 * rate[0].powi(2)];
        let a2 = [a1[0] + c2 * acc[1] - s2 * rate[1].powi(2), a1[1] + s2 * acc[1] + c2 * rate[1].powi(2)];
        let lower = -(s2 * a2[0] - c2 * (a2[1] + GRAVITY));
        let upper = -(s1 * (a1[0] + a2[0]) - c1 * (a1[1] + a2[1] + 2.0 * GRAVITY));
        let v = [c1 * rate[0], s1 * rate[0], c1 * rate[0] + c2 * rate[1], s1 * rate[0] + s2 * rate[1]];
        vec![0.5 * upper, 0.5 * lower, v[0], v[1], v[2], v[3], s1, -c1, s1 + s2, -c1 - c2]
    }
}

impl Mechanism for DoublePendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: 2, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..4).for_each(|i| m[5 * i] = T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-GRAVITY);
        f[3] = T::real(-GRAVITY);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
        g[1] = (p[2] - p[0]).sq() + (p[3] - p[1]).sq() - 1.0;
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        e[0] = v.iter().fold((p[1] + p[3]) * GRAVITY, |sum, v| sum + v.sq() * 0.5);
    }
}

/// Angles at the start, at rest.
const START: [f64; 2] = [1.0, 1.5];
/// Angles and rates at t = 5.
const END: ([f64; 2], [f64; 2]) =
    ([0.023_538_744_922_6, 0.230_514_488_168_0], [2.890_895_174_245_3, 2.369_904_081_918_3]);

/// The problem of this file.
pub fn problems() -> Vec<Problem> {
    let x0 = DoublePendulum::state(START, [0.0; 2]);
    let problem = Problem::of_mechanism("double-pendulum", SOURCE, DoublePendulum, 5.0, x0)
        .with_mass(MassStructure::ConstantDiagonal)
        .with_reference(5.0, INTEGRATED, from_index(0, &DoublePendulum::state(END.0, END.1)));
    vec![problem]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::integrate;

    #[test]
    fn end_values_follow_from_lagrange_equations() {
        let slope = |_: f64, y: &[f64]| {
            let a = DoublePendulum::angular_accelerations([y[0], y[1]], [y[2], y[3]]);
            vec![y[2], y[3], a[0], a[1]]
        };
        let y = integrate(slope, 0.0, 5.0, &[START[0], START[1], 0.0, 0.0], 200);
        for (y, value) in y.iter().zip([END.0, END.1].as_flattened()) {
            assert!((y - value).abs() < 1e-11, "{y} against {value}");
        }
    }
}
