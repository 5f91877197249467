//! The model as methods, initial values and diagnosis see it: every answer is checked, every number must be finite, every call is
//! counted once, and what the model does not supply is had by differences.
//!
//! | what | where |
//! | --- | --- |
//! | rows of EOM, JAC, guarded | [`eom`], [`jacobian`] |
//! | M, and products with it | [`Mass`] |
//! | FX1..FX6, which hold Z, GZ, HZ, G, H and the derivatives of f, by JAC or differences; (M a)_p | [`derivatives`] |
//! | columns that differences move together, by the pattern of the model | [`groups`] |
//! | matrices that are stored and factored by that pattern | [`by_pattern`] |
//! | rates of rows in time | [`time_rate`] |
//! | γ, the rates of gI and h beside accelerations | [`gamma`] |
//! | accelerations and multipliers at (p, v), velocities that satisfy gI and h | [`index1`] |
//! | where these blocks go in the matrices of steps and accelerations | [`blocks`] |
//! | all of it at one point, for a method without matrices of its own | [`view`] |

pub mod blocks;
pub mod by_pattern;
pub mod derivatives;
pub mod differences;
pub mod gamma;
pub mod groups;
pub mod index1;
mod mass;
pub mod matrix;
pub(crate) mod parts;
mod redundant;
pub mod time_rate;
pub mod unknowns;
pub mod view;

pub use derivatives::Derivatives;
pub use gamma::{At, Gamma};
pub use index1::{Halt, Index1};
pub use mass::Mass;
pub use matrix::{IterationMatrix, Matrix};
pub use time_rate::{Span, TimeRate};
pub use unknowns::Unknowns;

use crate::error::Code;
use crate::stats::Stats;
use crate::system::{Entries, JacobianBlocks, Outcome, System};

/// Why an evaluation gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The model ends the run, or its output stays non-finite where it must not be.
    Stop {
        /// The code of the callback.
        code: Code,
        /// True if the reason was NaN or Inf.
        not_finite: bool,
    },
    /// The model cannot be evaluated here.
    Retry {
        /// The code of the callback.
        code: Code,
    },
    /// NaN or Inf.
    NotFinite {
        /// The code of the callback.
        code: Code,
    },
}

/// The code of a run that ends because what this callback gives is not finite at any step size: matrices have codes of their own, and so
/// have ports.
pub(crate) const fn never_finite(by: Code) -> Code {
    match by {
        Code::StoppedByMas | Code::StoppedByJac | Code::StoppedByPort => by,
        _ => Code::EomNotEvaluable,
    }
}

/// What the model gives, or why it could not be evaluated.
pub type Result<T = (), E = Trouble> = std::result::Result<T, E>;

/// Check an answer and its numbers.
#[inline]
pub(crate) fn check(outcome: Outcome, code: Code, finite: impl FnOnce() -> bool) -> Result {
    match outcome {
        Outcome::Stop => Err(Trouble::Stop { code, not_finite: false }),
        Outcome::Retry => Err(Trouble::Retry { code }),
        Outcome::Continue if finite() => Ok(()),
        Outcome::Continue => Err(Trouble::NotFinite { code }),
    }
}

pub(crate) use crate::linalg::all_finite;

/// Evaluate EOM; `code` is reported if the model stops the run here.
#[inline]
pub fn eom(system: &mut dyn System, code: Code, t: f64, x: &[f64], rda: &mut [f64]) -> Result {
    let outcome = system.eom(t, x, rda);
    check(outcome, code, || all_finite(rda))
}

/// The calls of a model: the model, and the counters of its evaluations.
pub struct Calls<'a> {
    /// The model.
    pub system: &'a mut dyn System,
    /// What is counted.
    pub stats: &'a mut Stats,
}

impl Calls<'_> {
    /// Evaluate EOM within a run.
    #[inline]
    pub fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Result {
        self.stats.neom += 1;
        eom(self.system, Code::StoppedByEom, t, x, rda)
    }
}

/// Try an evaluation a second time if it was not finite; twice non-finite stops the run with `code`.
fn twice(code: Code, mut evaluate: impl FnMut() -> Result, calls: &mut u64) -> Result {
    *calls += 1;
    match evaluate() {
        Err(Trouble::NotFinite { .. }) => {
            *calls += 1;
            match evaluate() {
                Err(Trouble::NotFinite { .. }) => Err(Trouble::Stop { code, not_finite: true }),
                other => other,
            }
        }
        other => other,
    }
}

/// Evaluate JAC; into blocks that are stored by the pattern only if the model has [`System::entries`].
pub fn jacobian(model: &mut Calls<'_>, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Result {
    let code = Code::StoppedByJac;
    let evaluate = || {
        fx.clear();
        let outcome = if fx.is_dense() {
            model.system.jacobian(t, x, fx)
        } else {
            model.system.entries(t, x, Entries::Jacobian(fx))
        };
        check(outcome, code, || fx.is_finite())
    };
    twice(code, evaluate, &mut model.stats.njac)
}
