//! The members of Newmark's family, and how long a step of them may be.
//!
//! ```text
//! p = p_n + h v_n + h² [(1/2-β) A_n + β A],    v = v_n + h [(1-γ) A_n + γ A]
//! (1-α_m) A + α_m A_n = (1-α_f) a + α_f a_n
//! ```
//!
//! A is the acceleration a itself but in the damped member, where it is that of the generalised-α method (M. Arnold, O. Brüls,
//! *Convergence of the generalized-α scheme for constrained mechanical systems*, Multibody Syst. Dyn. 18 (2007) 185): the equations
//! of motion then hold for a at the end of the step, whatever the damping, and the order stays 2.

use crate::methods::hht::family::Coefficients;
use crate::options::{NewmarkScheme, Options};

/// The parameters of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Weight of the last A.
    pub alpha_m: f64,
    /// Weight of the last a.
    pub alpha_f: f64,
    /// Newmark's β.
    pub beta: f64,
    /// Newmark's γ (α of the paper).
    pub gamma: f64,
    /// Weight of the new slope of the force elements.
    pub rho: f64,
}

impl Scheme {
    /// As the options say.
    pub fn new(options: &Options) -> Self {
        let of =
            |beta: f64| Scheme { alpha_m: 0.0, alpha_f: 0.0, beta, gamma: 0.5, rho: options.slope_weight };
        let mut scheme = match options.newmark_scheme {
            NewmarkScheme::FoxGoodwin => of(1.0 / 12.0),
            NewmarkScheme::LinearAcceleration => of(1.0 / 6.0),
            NewmarkScheme::Trapezoidal => of(0.25),
            NewmarkScheme::Damped => {
                let c = Coefficients::new(options);
                Scheme { alpha_m: c.alpha_m, alpha_f: c.alpha_f, beta: c.beta, gamma: c.gamma, rho: c.rho }
            }
        };
        scheme.beta = options.newmark_beta.unwrap_or(scheme.beta);
        scheme.gamma = options.newmark_gamma.unwrap_or(scheme.gamma);
        scheme
    }

    /// Change of A with a.
    pub fn lead(&self) -> f64 {
        (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// A at the end of a step.
    pub fn algorithmic(&self, a: f64, a_old: f64, old: f64) -> f64 {
        ((1.0 - self.alpha_f) * a + self.alpha_f * a_old - self.alpha_m * old) / (1.0 - self.alpha_m)
    }

    /// Factor of h² a' in the local error of v: zero where the order is 2.
    pub fn velocity_defect(&self) -> f64 {
        (self.gamma + self.alpha_m - self.alpha_f - 0.5).abs()
    }

    /// Factor of h³ p''' in the local error of p. Where it is smaller than that of v, h³/12, it counts for no less: in the next step
    /// the error of v is one of p.
    pub fn position_defect(&self) -> f64 {
        let lead = self.lead();
        // A belongs to t + (α_m - α_f) h.
        (self.beta * lead + (self.alpha_f - self.alpha_m) * 0.5 - 1.0 / 6.0).abs().max(1.0 / 12.0)
    }

    /// Steps that stay stable for undamped oscillations of circular frequency ω, by the linear theory: h ω <= 1/√(γ/2 - β); infinite
    /// for β >= γ/2. (The paper has the strict inequality; the trapezoidal rule lies on the boundary.)
    pub fn stable_step(&self, frequency: f64) -> f64 {
        let room = 0.5 * self.gamma - self.beta;
        if room <= 1e-14 || frequency <= 0.0 || self.alpha_f != 0.0 || self.alpha_m != 0.0 {
            f64::INFINITY
        } else {
            1.0 / (frequency * room.sqrt())
        }
    }

    /// Factor of an undamped oscillation in a step, for Ω = h ω: the spectral radius of the recursion, 1 as far as it is stable. (An
    /// infinite frequency is that of a direction without mass, which does not oscillate.)
    pub fn growth(&self, omega: f64) -> f64 {
        if self.stable_step(1.0) == f64::INFINITY || !omega.is_finite() {
            return 1.0;
        }
        // The limit for Ω → ∞ also where Ω² overflows.
        let part = 1.0 / (self.beta + 1.0 / (omega * omega));
        let (half, product) = (1.0 - 0.5 * (self.gamma + 0.5) * part, 1.0 - (self.gamma - 0.5) * part);
        let root = half * half - product;
        if root > 0.0 {
            (half.abs() + root.sqrt()).max(1.0)
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(change: impl FnOnce(&mut Options)) -> Scheme {
        let mut options = Options::of_call();
        change(&mut options);
        Scheme::new(&options)
    }

    /// Largest |p| of p'' = -p from (1, 0) over many steps.
    fn growth(scheme: &Scheme, h: f64) -> f64 {
        let (mut p, mut v, mut a, mut mean) = (1.0, 0.0, -1.0, -1.0f64);
        let mut largest = 1.0f64;
        for _ in 0..4000 {
            // a = -p, with A affine in a.
            let rest = scheme.algorithmic(0.0, a, mean);
            let known = p + h * v + h * h * ((0.5 - scheme.beta) * mean + scheme.beta * rest);
            let new = -known / (1.0 + scheme.beta * scheme.lead() * h * h);
            let next = scheme.algorithmic(new, a, mean);
            v += h * ((1.0 - scheme.gamma) * mean + scheme.gamma * next);
            (p, a, mean) = (-new, new, next);
            largest = largest.max(p.abs());
        }
        largest
    }

    #[test]
    fn the_linear_limit_is_where_oscillations_begin_to_grow() {
        for scheme in [
            of(|_| {}),
            of(|o| o.newmark_scheme = NewmarkScheme::LinearAcceleration),
            of(|o| o.newmark_beta = Some(0.01)),
        ] {
            let limit = scheme.stable_step(1.0);
            assert!(growth(&scheme, 0.999 * limit) < 100.0, "{scheme:?}");
            assert!(growth(&scheme, 1.001 * limit) > 1e6, "{scheme:?}");
        }
        assert!((of(|_| {}).stable_step(2.0) - 6.0f64.sqrt() / 2.0).abs() < 1e-15);
        for kind in [NewmarkScheme::Trapezoidal, NewmarkScheme::Damped] {
            let scheme = of(|o| o.newmark_scheme = kind);
            assert_eq!(scheme.stable_step(1e9), f64::INFINITY);
            assert!(growth(&scheme, 1e3) < 100.0, "{scheme:?}");
        }
    }

    #[test]
    fn the_factor_of_a_step_is_that_of_the_recursion() {
        let fox = of(|_| {});
        for (scheme, h) in [
            (fox, 2.6),
            (fox, 9.0),
            (of(|o| o.newmark_scheme = NewmarkScheme::LinearAcceleration), 4.0),
            (of(|o| (o.newmark_beta, o.newmark_gamma) = (Some(0.1), Some(0.6))), 5.0),
        ] {
            // 4000 steps overflow; the first hundred are enough.
            let (mut p, mut v, mut a) = (1.0f64, 0.0, -1.0f64);
            let mut sizes = Vec::new();
            for _ in 0..100 {
                let new = -(p + h * v + h * h * (0.5 - scheme.beta) * a) / (1.0 + scheme.beta * h * h);
                v += h * ((1.0 - scheme.gamma) * a + scheme.gamma * new);
                (p, a) = (-new, new);
                sizes.push(p.abs());
            }
            let found = (sizes[99] / sizes[79]).powf(1.0 / 20.0);
            assert!((found / scheme.growth(h) - 1.0).abs() < 1e-10, "{scheme:?} {h}: {found}");
            assert_eq!(scheme.growth(0.999 * scheme.stable_step(1.0)), 1.0);
        }
        assert!((fox.growth(1e200) - (5.0 + 24.0f64.sqrt())).abs() < 1e-14);
        assert_eq!(of(|o| o.newmark_scheme = NewmarkScheme::Damped).growth(1e9), 1.0);
        assert_eq!((fox.growth(0.0), fox.growth(f64::INFINITY)), (1.0, 1.0));
    }

    #[test]
    fn damping_keeps_the_second_order() {
        let damped = of(|o| o.newmark_scheme = NewmarkScheme::Damped);
        assert!(damped.velocity_defect() < 1e-15 && damped.alpha_f != 0.0);
        assert!(growth(&damped, 1e3) < 1.5);
        assert!((of(|o| o.newmark_gamma = Some(0.6)).velocity_defect() - 0.1).abs() < 1e-15);
    }
}
