//! Driven pendulum with a massless angle: the mass matrix diag(1, 1, 0) is singular.
//!
//! p = (x, y, θ), constraints x = sin θ, y = -cos θ, torque on θ. Since M⁻¹ does not exist, the rows
//! on acceleration level are gained by eliminating θ'' from the twice differentiated constraints, and
//! by the balance of moments, which is algebraic.

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str = "I. Fernandez de Bustos, H. Uriarte, G. Urkullu, V. Garcia-Marina (2021), null-space integration of DAEs, \
     stiff pendulum";
const INTEGRATED: &str = "extrapolation of the reduced equation θ'' = -9.8 sin θ + 0.1 sin 0.1t, 12 digits";
const GRAVITY: f64 = 9.8;

/// The mechanism, with the amplitude of its torque.
#[derive(Clone, Copy, Debug)]
pub struct SingularMass {
    /// In N·m.
    pub amplitude: f64,
}

/// The amplitude of the problem.
const AMPLITUDE: f64 = 0.1;

impl SingularMass {
    fn torque<T: Real>(&self, t: T) -> T {
        (t * 0.1).sin() * self.amplitude
    }

    /// x = (λ, v, p) on the constraint manifold, from θ and θ'.
    pub fn state(&self, t: f64, theta: f64, rate: f64) -> Vec<f64> {
        let (sin, cos) = theta.sin_cos();
        let acceleration = -GRAVITY * sin + self.torque(t);
        let a = [cos * acceleration - sin * rate * rate, sin * acceleration + cos * rate * rate];
        vec![-a[0], -a[1] - GRAVITY, rate * cos, rate * sin, rate, sin, -cos, theta]
    }
}

impl Mechanism for SingularMass {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[4] = T::real(1.0);
    }
    fn force<T: Real>(&self, t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-GRAVITY);
        f[2] = self.torque(t);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0] - p[2].sin();
        g[1] = p[1] + p[2].cos();
    }
    fn acceleration_level<T: Real>(&self, t: T, x: &Blocks<'_, T>, g: &mut [T], _h: &mut [T]) -> bool {
        let (sin, cos) = (x.p[2].sin(), x.p[2].cos());
        let (ax, ay) = (-x.lambda[0], -x.lambda[1] - GRAVITY);
        g[0] = sin * ax - cos * ay + x.v[2].sq();
        g[1] = self.torque(t) + cos * x.lambda[0] + sin * x.lambda[1];
        true
    }
}

/// The problem of this file.
pub fn problems() -> Vec<Problem> {
    let mechanism = SingularMass { amplitude: AMPLITUDE };
    let known = |t, theta, rate| from_index(0, &mechanism.state(t, theta, rate));
    let problem =
        Problem::of_mechanism("singular-mass", SOURCE, mechanism, 10.0, mechanism.state(0.0, 0.0, 0.0))
            .with_mass(MassStructure::ConstantDiagonal)
            .with_reference(
                10.0,
                INTEGRATED,
                known(10.0, 8.631_523_727_822_021e-3, -4.632_197_100_608_842e-4),
            )
            .with_reference(
                100.0,
                INTEGRATED,
                known(100.0, -5.264_148_373_345_01e-3, -1.307_941_467_904_148e-3),
            );
    vec![Problem { time_dependent: true, ..problem }]
}

#[cfg(test)]
mod tests {
    use super::*;

    const MECHANISM: SingularMass = SingularMass { amplitude: AMPLITUDE };

    #[test]
    fn printed_states_follow_from_the_reduced_equation() {
        let slope = |t: f64, y: &[f64]| vec![y[1], MECHANISM.torque(t) - GRAVITY * y[0].sin()];
        let problem = problems().remove(0);
        for reference in &problem.references {
            let y = crate::explicit::integrate(slope, 0.0, reference.t, &[0.0, 0.0], 300);
            let x = MECHANISM.state(reference.t, y[0], y[1]);
            for &(i, value) in &reference.values {
                assert!((x[i] - value).abs() < 1e-12, "x[{i}]: {} against {value}", x[i]);
            }
        }
    }

    #[test]
    fn printed_acceleration_belongs_to_the_printed_state() {
        let x = MECHANISM.state(10.0, 8.631_523_727_822_021e-3, -4.632_197_100_608_842e-4);
        let rate: f64 = x[4];
        // θ'' = cos θ x'' + sin θ y''.
        let theta: f64 = x[7];
        let acceleration = -theta.cos() * x[0] - theta.sin() * (x[1] + GRAVITY);
        assert!((acceleration + 4.407_836_980_595_787e-4).abs() < 1e-12, "{acceleration} {rate}");
    }
}
