//! Generalised-α in the form of M. Arnold and O. Brüls (*Convergence of the generalized-α scheme for constrained mechanical
//! systems*, Multibody Syst. Dyn. 18 (2007) 185), with the true accelerations w = v' beside the auxiliary ones a:
//!
//! ```text
//! (1-α_m) a + α_m a_n = (1-α_f) w + α_f w_n,    M w = f_dyn, g = 0 at the new point
//! p = p_n + h v_n + h² [(1/2-β) a_n + β a],     v = v_n + h [(1-γ) a_n + γ a]
//! ```
//!
//! M need not be averaged over the step: the order is 2 also if it depends on positions.

use crate::methods::hht::family::Coefficients;

/// See [`Scheme::force_errors`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// That of the force that belongs to a.
    pub delta: f64,
    /// That of λ.
    pub zeta: f64,
}

/// The parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Weight of the last auxiliary acceleration.
    pub alpha_m: f64,
    /// Weight of the last true acceleration.
    pub alpha_f: f64,
    /// Newmark's β.
    pub beta: f64,
    /// Newmark's γ.
    pub gamma: f64,
    /// dp = β̂h² dw.
    pub beta_hat: f64,
    /// dv = γ̂h dw.
    pub gamma_hat: f64,
    /// ṽ = v + h (2β-γ)(a - a_n), with which p = p_n + h/2 (f_kin,n + f_kin(p, ṽ)) is the formula above where Z = I.
    pub shift: f64,
    /// Weight of the new slope: r = r_n + h [(1-ρ) r'_n + ρ r'].
    pub rho: f64,
    /// c in the local error c h² (a - a_n) of the positions.
    pub error: f64,
}

impl Scheme {
    /// With this spectral radius at infinity, from 0 to below 1.
    pub fn new(radius: f64) -> Self {
        let c = Coefficients::generalized_alpha(radius, 0.5);
        let ratio = (1.0 - c.alpha_f) / (1.0 - c.alpha_m);
        Scheme {
            alpha_m: c.alpha_m,
            alpha_f: c.alpha_f,
            beta: c.beta,
            gamma: c.gamma,
            beta_hat: c.beta * ratio,
            gamma_hat: c.gamma * ratio,
            shift: 2.0 * c.beta - c.gamma,
            rho: c.rho,
            error: c.position_error(),
        }
    }

    /// Errors of forces of constraints, from what the projection of the velocities has found. Velocities are those that satisfy the constraints plus
    /// M⁻¹Gᵀη; w and a err by -M⁻¹Gᵀζ and -M⁻¹Gᵀδ, where ζ is the error of λ. Along the constraints the formulas above say
    ///
    /// ```text
    /// η = η_n - h [(1-γ) δ_n + γ δ] + O(h³),    (1-α_m) δ + α_m δ_n = (1-α_f) ζ + α_f ζ_n
    /// ```
    ///
    /// which gives δ and ζ to O(h²). At constant h they are not larger than that; after a start and where h changes they are O(h) and oscillate.
    pub fn force_errors(&self, h: f64, impulses: [f64; 2], old: Errors) -> Errors {
        let [before, now] = impulses;
        let delta = ((before - now) / h - (1.0 - self.gamma) * old.delta) / self.gamma;
        let filtered = (1.0 - self.alpha_m) * delta + self.alpha_m * old.delta;
        Errors { delta, zeta: (filtered - self.alpha_f * old.zeta) / (1.0 - self.alpha_f) }
    }
}
