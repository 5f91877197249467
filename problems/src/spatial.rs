//! Heavy symmetric top on a fixed point: a spatial body with Z(p) ≠ I and NP ≠ NV.
//!
//! p = (r, q) with the unit quaternion q of the attitude, v = (r', ω) with the angular velocity in the
//! body frame, q' = ½ q ω. The joint is holonomic: r = R(q) (0, 0, l).

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;
use std::sync::Arc;

const SOURCE: &str =
    "Lagrange's top: H. Goldstein, Classical Mechanics, section 5-7; attitude by quaternions";
const INTEGRATED: &str = "extrapolation of Lagrange's equations in Euler angles, 12 digits";

/// The top; mass 1, gravity 9.81.
#[derive(Clone, Copy, Debug)]
pub struct Top {
    /// Distance of the centre of mass from the fixed point.
    pub arm: f64,
    /// Moments of inertia about the centre of mass: transverse, axial.
    pub inertia: (f64, f64),
}

/// Euler angles (z, x, z): precession φ, nutation θ, spin ψ, and their rates.
#[derive(Clone, Copy, Debug)]
pub struct Euler {
    /// φ, θ, ψ.
    pub angle: [f64; 3],
    /// φ', θ', ψ'.
    pub rate: [f64; 3],
}

impl Top {
    const GRAVITY: f64 = 9.81;

    /// φ'', θ'', ψ'' by Lagrange's equations about the fixed point.
    pub fn accelerations(&self, e: &Euler) -> [f64; 3] {
        let (a, c) = (self.inertia.0 + self.arm * self.arm, self.inertia.1);
        let (s, k) = e.angle[1].sin_cos();
        let [dphi, dtheta, dpsi] = e.rate;
        let axial = c * (dpsi + dphi * k);
        let phi = (axial - 2.0 * a * dphi * k) * dtheta / (a * s);
        let theta = (a * dphi * dphi * s * k - axial * dphi * s + Self::GRAVITY * self.arm * s) / a;
        [phi, theta, dphi * s * dtheta - phi * k]
    }

    /// x = (λ, v, p).
    pub fn state(&self, e: &Euler) -> Vec<f64> {
        let ((sf, cf), (s, k), (sp, cp)) = (e.angle[0].sin_cos(), e.angle[1].sin_cos(), e.angle[2].sin_cos());
        let [df, dt, dp] = e.rate;
        let [af, at, _] = self.accelerations(e);
        // Axis of the top, its rate and acceleration.
        let axis = [s * sf, -s * cf, k];
        let rate = [k * sf * dt + s * cf * df, -k * cf * dt + s * sf * df, -s * dt];
        let square = df * df + dt * dt;
        let acc = [
            k * sf * at + s * cf * af - s * sf * square + 2.0 * k * cf * dt * df,
            -k * cf * at + s * sf * af + s * cf * square + 2.0 * k * sf * dt * df,
            -s * at - k * dt * dt,
        ];
        let l = self.arm;
        let (sum, difference) = (0.5 * (e.angle[0] + e.angle[2]), 0.5 * (e.angle[0] - e.angle[2]));
        let (sh, ch) = (0.5 * e.angle[1]).sin_cos();
        let mut x = vec![-l * acc[0], -l * acc[1], -l * acc[2] - Self::GRAVITY];
        x.extend(rate.map(|v| l * v));
        x.extend([df * s * sp + dt * cp, df * s * cp - dt * sp, df * k + dp]);
        x.extend(axis.map(|v| l * v));
        x.extend([ch * sum.cos(), sh * difference.cos(), sh * difference.sin(), ch * sum.sin()]);
        x
    }

    /// Steady precession at inclination θ with φ' = Ω: the spin that keeps θ constant.
    pub fn steady(&self, inclination: f64, precession: f64) -> Euler {
        let (a, c) = (self.inertia.0 + self.arm * self.arm, self.inertia.1);
        let k = inclination.cos();
        let axial = (Self::GRAVITY * self.arm + a * precession * precession * k) / (c * precession);
        Euler { angle: [0.0, inclination, 0.0], rate: [precession, 0.0, axial - precession * k] }
    }
}

impl Mechanism for Top {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 7, nv: 6, nl: 3, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let (a, c) = self.inertia;
        for (i, value) in [1.0, 1.0, 1.0, a, a, c].into_iter().enumerate() {
            m[7 * i] = T::real(value);
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (a, c) = self.inertia;
        let w = &x.v[3..];
        f[2] = T::real(-Self::GRAVITY);
        // -ω × J ω.
        f[3] = w[1] * w[2] * (a - c);
        f[4] = w[2] * w[0] * (c - a);
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
        let q = &p[3..];
        g[0] = p[0] - (q[1] * q[3] + q[0] * q[2]) * (2.0 * self.arm);
        g[1] = p[1] - (q[2] * q[3] - q[0] * q[1]) * (2.0 * self.arm);
        g[2] = p[2] - (q[0].sq() - q[1].sq() - q[2].sq() + q[3].sq()) * self.arm;
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let (a, c) = self.inertia;
        e[0] = (v[0].sq() + v[1].sq() + v[2].sq()) * 0.5
            + (v[3].sq() + v[4].sq()) * (0.5 * a)
            + v[5].sq() * (0.5 * c)
            + p[2] * Self::GRAVITY;
    }
}

/// The top of the problems.
const TOP: Top = Top { arm: 0.5, inertia: (0.1, 0.2) };
/// Released without precession.
const RELEASED: Euler = Euler { angle: [0.0, 1.0, 0.0], rate: [0.0, 0.0, 12.0] };

/// Where it is at t = 2.
const END: Euler = Euler {
    angle: [3.941_803_268_045_0, 1.009_210_840_977_1, 23.561_372_657_151_4],
    rate: [0.074_403_673_242_4, 0.462_507_436_245_1, 11.960_377_898_145_9],
};

/// The problems of this file.
pub fn problems() -> Vec<Problem> {
    let start = TOP.steady(std::f64::consts::FRAC_PI_3, 4.0);
    let steady = move |t: f64| {
        let mut now = start;
        for (angle, rate) in now.angle.iter_mut().zip(start.rate) {
            *angle += rate * t;
        }
        TOP.state(&now)
    };
    vec![
        Problem::of_solution("top-steady", SOURCE, TOP, 5.0, Arc::new(steady))
            .with_mass(MassStructure::ConstantDiagonal),
        Problem::of_mechanism("top-nutating", SOURCE, TOP, 2.0, TOP.state(&RELEASED))
            .with_mass(MassStructure::ConstantDiagonal)
            .with_reference(2.0, INTEGRATED, from_index(0, &TOP.state(&END))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::integrate;

    #[test]
    fn end_values_follow_from_lagrange_equations() {
        let slope = |_: f64, y: &[f64]| {
            let e = Euler { angle: [y[0], y[1], y[2]], rate: [y[3], y[4], y[5]] };
            [&y[3..], &TOP.accelerations(&e)].concat()
        };
        let start = [RELEASED.angle, RELEASED.rate];
        let y = integrate(slope, 0.0, 2.0, start.as_flattened(), 100);
        for (y, value) in y.iter().zip([END.angle, END.rate].as_flattened()) {
            assert!((y - value).abs() < 1e-11, "{y} against {value}");
        }
    }
}
