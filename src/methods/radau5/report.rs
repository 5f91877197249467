//! What a run that ended says: code, point, component, rate of convergence, the last attempts.

use super::{Radau5, Setback};
use crate::error::{Code, Failure, Rejection};
use crate::formulation::Deficiency;
use crate::linalg::SolverKind;
use crate::model::Trouble;

impl Radau5 {
    pub(super) fn step_too_small(&self, h: f64) -> Failure {
        let why = self.state.history.last().map(|a| a.why);
        let code = why.map_or(Code::StepTooSmall, |why| self.final_code(why));
        let detail = match why {
            Some(why) => format!("h = {h:.3e} is too small at t = {:.9e}; last: {why}", self.state.t),
            None => format!("the first step size h = {h:.3e} is too small at t = {:.9e}", self.state.t),
        };
        self.failure(code, detail)
    }

    /// The code of a run that ended because steps were rejected for this reason.
    pub(super) fn final_code(&self, why: Rejection) -> Code {
        match (why, self.options.decompose_differential) {
            (Rejection::ErrorTest { .. }, _) => Code::StepTooSmall,
            (Rejection::Newton { .. }, _) => Code::NewtonDiverges,
            (Rejection::SingularMatrix, SolverKind::Lu) => Code::SingularNewtonMatrix,
            (Rejection::SingularMatrix, SolverKind::Qr) => Code::QrOfNewtonMatrix,
            (Rejection::NotFinite | Rejection::Model, _) => Code::EomNotEvaluable,
        }
    }

    /// A report of the current situation.
    pub(super) fn failure(&self, code: Code, detail: String) -> Failure {
        let last = self.state.history.last();
        let mut failure = Failure::new(code, detail).at(self.state.t, last.map_or(self.state.h, |a| a.h));
        failure.component = last.and_then(|a| a.component).map(|i| self.layout.state_name(i));
        failure.theta = (self.state.theta > 0.0).then_some(self.state.theta);
        failure.attempts = self.state.history.to_vec();
        failure
    }

    pub(super) fn rank_failure(&self, deficiency: &Deficiency) -> Failure {
        let Deficiency { code, row, rank, rows } = *deficiency;
        let mut failure = self.failure(code, format!("rank {rank} of {rows} rows"));
        failure.component = row.map(|i| self.layout.residual_name(i));
        failure
    }

    pub(super) fn setback(&self, trouble: Trouble) -> Setback {
        match trouble {
            Trouble::Stop { code, not_finite } => {
                let detail = if not_finite { "non-finite values (NaN or Inf), twice" } else { "IERR < 0" };
                let mut failure = self.failure(code, detail.to_string());
                failure.component = None;
                Setback::Fatal(Box::new(failure))
            }
            Trouble::Retry => Setback::Reject { why: Rejection::Model, factor: 0.25, component: None },
            Trouble::NotFinite => {
                Setback::Reject { why: Rejection::NotFinite, factor: 0.25, component: None }
            }
        }
    }
}
