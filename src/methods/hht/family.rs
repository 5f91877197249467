//! The HHT-α method and its relative, the generalised-α method, as two members of one family.
//!
//! ```text
//! p = p_n + h v_n + h²/2 [(1-2β) a_n + 2β a],    v = v_n + h [(1-γ) a_n + γ a],    r = r_n + h [(1-ρ) r'_n + ρ r']
//! (1-α_m) M̄ a + α_m M̄ a_n = (1-α_f) f_dyn + α_f f_dyn,n,    M̄ = (1-α_f) M + α_f M_n
//! ```
//!
//! HHT is α_m = 0, α_f = -α. With M instead of M̄, as in the paper's (10), the order falls to 1 if M depends on
//! positions: a belongs to the time t_n + (1-α_f) h, and so must M.

use crate::options::{Family, Options};

/// α of HHT if none is given.
pub const DEFAULT_ALPHA: f64 = -0.3;
/// Spectral radius at infinity of generalised-α if none is given.
pub const DEFAULT_RADIUS: f64 = 0.8;

/// The parameters of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// Weight of the last acceleration.
    pub alpha_m: f64,
    /// Weight of the last force.
    pub alpha_f: f64,
    /// Newmark's β.
    pub beta: f64,
    /// Newmark's γ.
    pub gamma: f64,
    /// Weight of the new slope of the force elements.
    pub rho: f64,
}

impl Coefficients {
    /// As the options say.
    pub fn new(options: &Options) -> Self {
        let rho = options.slope_weight;
        match options.family {
            // 1 stands for α = 0, because 0 is the default of the arrays.
            Family::Hht => match options.dissipation {
                Some(1.0) => Self::hht(0.0, rho),
                alpha => Self::hht(alpha.unwrap_or(DEFAULT_ALPHA), rho),
            },
            Family::GeneralizedAlpha => {
                Self::generalized_alpha(options.dissipation.unwrap_or(DEFAULT_RADIUS), rho)
            }
        }
    }

    /// HHT: γ = (1-2α)/2, β = (1-α)²/4 (Hilber, Hughes, Taylor 1977).
    pub fn hht(alpha: f64, rho: f64) -> Self {
        Coefficients {
            alpha_m: 0.0,
            alpha_f: -alpha,
            beta: 0.25 * (1.0 - alpha) * (1.0 - alpha),
            gamma: 0.5 - alpha,
            rho,
        }
    }

    /// Generalised-α with this spectral radius at infinity (Chung, Hulbert 1993).
    pub fn generalized_alpha(radius: f64, rho: f64) -> Self {
        let alpha_m = (2.0 * radius - 1.0) / (radius + 1.0);
        let alpha_f = radius / (radius + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Coefficients { alpha_m, alpha_f, beta: 0.25 * (0.5 + gamma) * (0.5 + gamma), gamma, rho }
    }

    /// c in the local error c h² (a - a_n) of the positions: β - 1/(6(1+α)) for HHT, (25) of the paper.
    pub fn position_error(&self) -> f64 {
        self.beta - (1.0 - self.alpha_m) / (6.0 * (1.0 - self.alpha_f))
    }

    /// Factor of h in the local error of the force elements: ρ - 1/2, (34) of the paper. It vanishes at ρ = 1/2, where the
    /// error h³/6 of a second divided difference of r' takes its place.
    pub fn state_error(&self) -> f64 {
        self.rho - 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spectral radius of a'' = -ω² a for ω h → ∞, from the matrix of (p, h v, h² a, h² f_n).
    fn radius(c: &Coefficients) -> f64 {
        let z = 1e12;
        // f = -z p with unit mass; h² a =: A, h² f_n =: F.
        let lhs = (1.0 - c.alpha_m) + (1.0 - c.alpha_f) * z * c.beta;
        let step = |[p, v, a, f]: [f64; 4]| {
            let free = p + v + (0.5 - c.beta) * a;
            let a1 = (-(1.0 - c.alpha_f) * z * free + c.alpha_f * f - c.alpha_m * a) / lhs;
            let p1 = free + c.beta * a1;
            [p1, v + (1.0 - c.gamma) * a + c.gamma * a1, a1, -z * p1]
        };
        let mut y = [0.3, 0.7, -0.2, 0.1];
        let mut growth = vec![];
        for _ in 0..400 {
            let next = step(y);
            let size = |y: &[f64; 4]| y[1].hypot(y[2]);
            growth.push((size(&next) / size(&y)).ln());
            let scale = size(&next);
            y = next.map(|v| v / scale);
        }
        let last = &growth[200..];
        (last.iter().sum::<f64>() / last.len() as f64).exp()
    }

    #[test]
    fn spectral_radius_at_infinity() {
        for alpha in [-0.05, -0.1, -0.3, -1.0 / 3.0] {
            let expected = (1.0 + alpha) / (1.0 - alpha);
            let found = radius(&Coefficients::hht(alpha, 0.5));
            assert!((found - expected).abs() < 0.01, "alpha {alpha}: {found} against {expected}");
        }
        for expected in [0.2, 0.5, 0.8, 0.95] {
            let found = radius(&Coefficients::generalized_alpha(expected, 0.5));
            assert!((found - expected).abs() < 0.02, "{found} against {expected}");
        }
    }

    #[test]
    fn second_order_in_both_families() {
        let radii = (0..=10).map(|k| Coefficients::generalized_alpha(0.1 * f64::from(k), 0.5));
        for c in (0..=10).map(|k| Coefficients::hht(-f64::from(k) / 30.0, 0.5)).chain(radii) {
            assert!((c.gamma - 0.5 - c.alpha_f + c.alpha_m).abs() < 1e-15);
            assert!(c.position_error() > 0.08, "{c:?}");
        }
        // Without dissipation nothing is damped at infinity.
        assert!(Coefficients::hht(0.0, 0.5).gamma <= 0.5 && Coefficients::hht(-0.01, 0.5).gamma > 0.5);
    }
}
