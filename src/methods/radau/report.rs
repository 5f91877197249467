//! What a run that ended says.

use super::{Radau, Setback};
use crate::error::{Code, Failure};
use crate::formulation::Deficiency;
use crate::methods::setback;
use crate::model::Trouble;

impl<const L: usize> Radau<L> {
    /// A report of the current situation.
    pub(super) fn failure(&self, code: Code, detail: String) -> Failure {
        setback::failure(&self.state, &self.layout, code, detail)
    }

    pub(super) fn rank_failure(&self, deficiency: &Deficiency) -> Failure {
        let Deficiency { code, row, rank, rows } = *deficiency;
        let mut failure = self.failure(code, format!("rank {rank} of {rows} rows"));
        failure.component = row.map(|i| self.layout.residual_name(i));
        failure
    }

    pub(super) fn setback(&self, trouble: Trouble) -> Setback {
        setback::of_trouble(&self.state, &self.layout, trouble)
    }
}
