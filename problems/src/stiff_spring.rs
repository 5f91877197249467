//! Two masses coupled by a spring of any stiffness, the inner one on a circle, both in uniform rotation:
//! the spring is stretched just so much that it holds the outer mass. The solution is smooth however
//! stiff the spring is; its own oscillation, of frequency √(2k/m), is not excited.

use super::problem::Problem;
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;
use std::sync::Arc;

const SOURCE: &str =
    "two masses in relative equilibrium, elementary mechanics; after the stiff spring pendulum of C. \
                      Lubich, Integration of stiff mechanical systems by Runge-Kutta methods, ZAMP 44 (1993)";

/// p = (inner mass, outer mass); masses 1, horizontal plane.
#[derive(Clone, Copy, Debug)]
pub struct StiffSpring {
    /// Stiffness, larger than the squared rate.
    pub stiffness: f64,
    /// Rest length of the spring.
    pub rest: f64,
    /// Rate of turn.
    pub rate: f64,
}

impl StiffSpring {
    /// Radius of the outer mass: k (R - 1 - rest) = R ω².
    pub fn radius(&self) -> f64 {
        (1.0 + self.rest) / (1.0 - self.rate * self.rate / self.stiffness)
    }

    /// x(t) = (λ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (w, radius) = (self.rate, self.radius());
        let (sin, cos) = (w * t).sin_cos();
        let lambda = 0.5 * w * w * (1.0 + radius);
        let (v, r) = (radius * w, radius);
        vec![lambda, -w * sin, w * cos, -v * sin, v * cos, cos, sin, r * cos, r * sin]
    }
}

impl Mechanism for StiffSpring {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: 1, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..4).for_each(|i| m[5 * i] = T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (dx, dy) = (x.p[2] - x.p[0], x.p[3] - x.p[1]);
        let length = (dx.sq() + dy.sq()).sqrt();
        let pull = (length - self.rest) * self.stiffness / length;
        f[0] = pull * dx;
        f[1] = pull * dy;
        f[2] = -f[0];
        f[3] = -f[1];
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let length = ((p[2] - p[0]).sq() + (p[3] - p[1]).sq()).sqrt();
        e[0] = (length - self.rest).sq() * (0.5 * self.stiffness);
        v.iter().for_each(|v| e[0] += v.sq() * 0.5);
    }
}

/// A spring of given stiffness as a problem.
pub fn spring(name: &str, stiffness: f64) -> Problem {
    let pair = StiffSpring { stiffness, rest: 0.5, rate: 2.0 };
    Problem::of_solution(name, SOURCE, pair, 5.0, Arc::new(move |t| pair.exact(t)))
        .with_mass(MassStructure::ConstantDiagonal)
}

/// Stiffness 1e2, 1e4, 1e6 and 1e8.
pub fn problems() -> Vec<Problem> {
    [2, 4, 6, 8].map(|e| spring(&format!("stiff-spring-1e{e}"), 10.0_f64.powi(e))).into()
}
