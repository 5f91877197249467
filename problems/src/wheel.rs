//! Wheel that rolls without slipping on a wavy rail: contact variable, holonomic and nonholonomic
//! constraint together.
//!
//! p = (x, y, angle); s is the abscissa of the contact point (s, h(s)), h = a cos(k s). The contact
//! equation says that the centre lies on the normal of the rail, the holonomic constraint that it is one
//! radius away, the nonholonomic one that the point of contact does not slip.

use super::problem::{from_index, Problem};
use geoms::layout::{Dimensions, Layout};
use geoms::mechanism::derived::{Model, Options};
use geoms::mechanism::dual::{Dual, Real};
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str =
    "rolling disk on a curved rail, elementary mechanics; contact coordinates after E. Eich-Soellner, C. Führer, \
     Numerical Methods in Multibody Dynamics, Teubner 1998";
const REDUCED: &str =
    "extrapolation of the equation of motion in s alone, 12 digits; λ, μ from acceleration level";
const GRAVITY: f64 = 9.81;

/// The wheel, a homogeneous disk of mass 1.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// Radius.
    pub radius: f64,
    /// Amplitude of the rail.
    pub amplitude: f64,
    /// Wave number of the rail.
    pub wave: f64,
}

impl Wheel {
    const INERTIA: f64 = 0.5;

    /// h(s) and h'(s).
    fn rail<T: Real>(&self, s: T) -> (T, T) {
        let phase = s * self.wave;
        (phase.cos() * self.amplitude, phase.sin() * (-self.amplitude * self.wave))
    }

    /// Centre of the wheel that touches at s.
    fn centre<T: Real>(&self, s: T) -> [T; 2] {
        let (h, slope) = self.rail(s);
        let arm = (slope.sq() + 1.0).sqrt().recip() * self.radius;
        [s - slope * arm, h + arm]
    }

    /// s'' on the rail: (1 + I/R²) (|C'|² s'' + C'·C'' s'²) = -g C_y' for the centre C(s).
    pub fn acceleration(&self, s: f64, rate: f64) -> f64 {
        let [x, y] = self.centre(Dual::new(Dual::new(s, 1.0), Dual::constant(1.0)));
        let first = [x.v.d, y.v.d];
        let second = [x.d.d, y.d.d];
        let metric = first[0] * first[0] + first[1] * first[1];
        let slope = first[0] * second[0] + first[1] * second[1];
        -(GRAVITY * first[1] / (1.0 + Self::INERTIA) + slope * rate * rate) / metric
    }

    /// x for a contact at s with the rate s', the wheel turned by `angle`.
    fn state(&self, s: f64, rate: f64, angle: f64) -> Vec<f64> {
        let [x, y] = self.centre(Dual::new(s, rate));
        let (_, slope) = self.rail(s);
        let turn = -(x.d + slope * y.d) / (self.radius * (1.0 + slope * slope).sqrt());
        let mut state = vec![0.0, 0.0, x.d, y.d, turn, s, x.v, y.v, angle];
        debug_assert_eq!(state.len(), Layout::new(self.dimensions(), Options::default().form).n);
        let start = state.clone();
        Model::new(*self, Options::default(), 0.0, &start).settle_algebraic(0.0, &mut state);
        state
    }
}

impl Mechanism for Wheel {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, ns: 1, nl: 1, nm: 1, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[4] = T::real(1.0);
        m[8] = T::real(Self::INERTIA * self.radius * self.radius);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-GRAVITY);
    }
    fn contact<T: Real>(&self, _t: T, p: &[T], s: &[T], c: &mut [T]) {
        let (h, slope) = self.rail(s[0]);
        c[0] = p[0] - s[0] + (p[1] - h) * slope;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], s: &[T], g: &mut [T]) {
        let (h, slope) = self.rail(s[0]);
        g[0] = (p[1] - h - (p[0] - s[0]) * slope) / (slope.sq() + 1.0).sqrt() - self.radius;
    }
    fn nonholonomic<T: Real>(&self, _t: T, _p: &[T], v: &[T], s: &[T], h: &mut [T]) {
        let (_, slope) = self.rail(s[0]);
        h[0] = (v[0] + v[1] * slope) / (slope.sq() + 1.0).sqrt() + v[2] * self.radius;
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let turning = v[2].sq() * (0.5 * Self::INERTIA * self.radius * self.radius);
        e[0] = (v[0].sq() + v[1].sq()) * 0.5 + turning + p[1] * GRAVITY;
    }
}

/// The wheel of the problem: the rail's sharpest hollow has radius 0.8, the wheel 0.25.
const WHEEL: Wheel = Wheel { radius: 0.25, amplitude: 0.2, wave: 2.5 };
/// s, s' and the angle at the start, on a crest.
const START: [f64; 3] = [0.0, 2.0, 0.0];
/// The same at t = 2.
const END: [f64; 3] = [5.528_190_226_703, 2.529_549_542_372, -23.851_907_898_145];

/// The problem `wheel`.
pub fn problems() -> Vec<Problem> {
    let state = |[s, rate, angle]: [f64; 3]| WHEEL.state(s, rate, angle);
    vec![Problem::of_mechanism("wheel", SOURCE, WHEEL, 2.0, state(START))
        .with_mass(MassStructure::ConstantDiagonal)
        .with_reference(2.0, REDUCED, from_index(0, &state(END)))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit::integrate;

    /// s and s' from one equation; the angle by the distance the wheel has rolled.
    #[test]
    fn end_values_follow_from_one_degree_of_freedom() {
        let slope = |_: f64, y: &[f64]| {
            let [x, z] = WHEEL.centre(Dual::new(y[0], y[1]));
            let speed = x.d.hypot(z.d).copysign(y[1]);
            vec![y[1], WHEEL.acceleration(y[0], y[1]), -speed / WHEEL.radius]
        };
        let y = integrate(slope, 0.0, 2.0, &START, 400);
        let z = integrate(slope, 0.0, 2.0, &START, 300);
        for ((y, z), value) in y.iter().zip(z).zip(END) {
            assert!((y - z).abs() < 1e-11 * y.abs().max(1.0), "{y:.16} against {z:.16}");
            assert!((y - value).abs() < 1e-11 * y.abs().max(1.0), "{y:.16} against {value:.16}");
        }
    }
}
