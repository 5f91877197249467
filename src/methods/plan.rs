//! What is said of a step before and after it is tried: its size and end, what it led to, why it did not become a step.

use super::state::State;
use crate::decompose::DecompositionKind;
use crate::error::{Code, Failure, Rejection};
use crate::layout::Layout;
use crate::linalg::SolverKind;
use crate::model::index1::{Dependent, Halt};
use crate::model::Trouble;
use crate::options::Options;

/// Why an attempt did not become a step.
#[derive(Debug)]
pub enum Setback {
    /// Try again with h times `factor`.
    Reject {
        /// The reason.
        why: Rejection,
        /// Of the step size.
        factor: f64,
        /// Component of x with the largest share, if one can be named.
        component: Option<usize>,
    },
    /// End of the run.
    Fatal(Box<Failure>),
}

/// Size and end of the step that is being tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Step size.
    pub h: f64,
    /// End of the step.
    pub t_new: f64,
    /// The proposal, if it was cut by more than a stretch to land on TEND.
    pub cut_from: Option<f64>,
    /// The step ends at TEND.
    pub ends: bool,
}

impl Plan {
    /// The step size after this step, where `proposed` is what its error allows.
    pub fn next(&self, proposed: f64) -> f64 {
        self.cut_from.unwrap_or(proposed)
    }
}

/// What an attempt that can be accepted says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempted {
    /// Norm of its estimated error: below 1, or 0 where none is estimated.
    pub err: f64,
    /// Step size that this error allows for the next step.
    pub next: f64,
}

/// Below this no first step is chosen: it would soon be lost in the rounding of t.
pub fn least_first_step(options: &Options, t: f64, span: f64) -> f64 {
    (1e-12 * span).max(100.0 * options.uround * t.abs()).min(span)
}

/// The code of a run that ended because steps were rejected for this reason.
pub fn final_code(options: &Options, why: Rejection) -> Code {
    match (why, options.decompose_differential) {
        (Rejection::ErrorTest { .. }, _) => Code::StepTooSmall,
        (Rejection::Newton { .. }, _) => Code::NewtonDiverges,
        (Rejection::RankLoss { .. }, _) => Code::SingularConfiguration,
        (Rejection::SingularMatrix, SolverKind::Lu) => Code::SingularNewtonMatrix,
        (Rejection::SingularMatrix, SolverKind::Qr) => Code::QrOfNewtonMatrix,
        (Rejection::NotFinite | Rejection::Model, _) => Code::EomNotEvaluable,
    }
}

/// A report of the current situation: code, point, component, rate of convergence, the last attempts.
pub fn failure(state: &State, layout: &Layout, code: Code, detail: String) -> Failure {
    let last = state.history.last();
    let mut failure = Failure::new(code, detail).at(state.t, last.map_or(state.h, |a| a.h));
    failure.component = last.and_then(|a| a.component).map(|i| layout.state_name(i));
    failure.theta = (state.theta > 0.0).then_some(state.theta);
    failure.attempts = state.history.to_vec();
    failure
}

/// What an evaluation that gave no result means for the attempt.
pub fn setback(state: &State, layout: &Layout, trouble: Trouble) -> Setback {
    match trouble {
        Trouble::Stop { code, not_finite } => {
            let detail = if not_finite { "non-finite values (NaN or Inf), twice" } else { "IERR < 0" };
            let mut failure = failure(state, layout, code, detail.to_string());
            failure.component = None;
            Setback::Fatal(Box::new(failure))
        }
        Trouble::Retry => Setback::Reject { why: Rejection::Model, factor: 0.25, component: None },
        Trouble::NotFinite => Setback::Reject { why: Rejection::NotFinite, factor: 0.25, component: None },
    }
}

/// What accelerations and multipliers that were not found mean for the attempt.
pub fn halted(state: &State, layout: &Layout, halt: Halt) -> Setback {
    let why = match halt {
        Halt::Model(trouble) => return setback(state, layout, trouble),
        Halt::Singular => Rejection::SingularMatrix,
        Halt::NoConvergence => Rejection::Newton { theta: state.theta },
    };
    Setback::Reject { why, factor: 0.25, component: None }
}

/// Constraints that depend on others, where DECOMPC does not cope with them.
pub fn dependent(state: &State, layout: &Layout, options: &Options, dependent: Dependent) -> Failure {
    let code = match options.decompose_constraints {
        DecompositionKind::Qr => Code::Fx2DeficientQr,
        _ => Code::Fx2DeficientLu,
    };
    let rows = layout.dims.nl + layout.dims.nm;
    let detail = format!("rank {} of {rows} rows", dependent.rank);
    let mut failure = failure(state, layout, code, detail);
    failure.component = dependent.row.map(|i| layout.residual_name(i));
    failure
}
