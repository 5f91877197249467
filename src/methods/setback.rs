//! Why an attempt did not become a step: a rejection, or the failure that ends the run.

use super::State;
use crate::decompose::DecompositionKind;
use crate::error::{Code, Failure, Rejection};
use crate::layout::Layout;
use crate::linalg::SolverKind;
use crate::model::index1::Dependent;
use crate::model::{never_finite, Halt, Trouble};
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

/// What a part of an attempt gives.
pub type Result<T = (), E = Setback> = std::result::Result<T, E>;

/// The code of a run that ended because steps were rejected for this reason.
pub fn final_code(options: &Options, why: Rejection) -> Code {
    match (why, options.decompose_differential) {
        (Rejection::ErrorTest { .. }, _) => Code::StepTooSmall,
        (Rejection::Newton { .. }, _) => Code::NewtonDiverges,
        (Rejection::RankLoss { .. }, _) => Code::SingularConfiguration,
        (Rejection::SingularMatrix, SolverKind::Lu) => Code::SingularNewtonMatrix,
        (Rejection::SingularMatrix, SolverKind::Qr) => Code::QrOfNewtonMatrix,
        (Rejection::NotFinite { by: Some(code) }, _) => never_finite(code),
        // Root functions are no part of the model.
        (Rejection::Model { by: code @ Code::RootFunctionFailed }, _) => code,
        (Rejection::NotFinite { by: None } | Rejection::Model { .. }, _) => Code::EomNotEvaluable,
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
pub fn of_trouble(state: &State, layout: &Layout, trouble: Trouble) -> Setback {
    let rejected = |why| Setback::Reject { why, factor: 0.25, component: None };
    match trouble {
        Trouble::Stop { code, not_finite } => {
            let detail = if not_finite { "non-finite values (NaN or Inf), twice" } else { "IERR < 0" };
            let mut failure = failure(state, layout, code, detail.to_string());
            failure.component = None;
            Setback::Fatal(Box::new(failure))
        }
        Trouble::Retry { code: by } => rejected(Rejection::Model { by }),
        Trouble::NotFinite { code } => rejected(Rejection::NotFinite { by: Some(code) }),
    }
}

/// What accelerations and multipliers that were not found mean for the attempt.
pub fn of_halt(state: &State, layout: &Layout, options: &Options, halt: Halt) -> Setback {
    let why = match halt {
        Halt::Model(trouble) => return of_trouble(state, layout, trouble),
        Halt::Singular => Rejection::SingularMatrix,
        Halt::NoConvergence => Rejection::Newton { theta: state.theta },
        Halt::Dependent(found) => {
            return Setback::Fatal(Box::new(dependent(state, layout, options, found)));
        }
    };
    Setback::Reject { why, factor: 0.25, component: None }
}

/// Constraints that depend on others, where DECOMPC does not cope with them.
fn dependent(state: &State, layout: &Layout, options: &Options, dependent: Dependent) -> Failure {
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
