//! What a failed run is told as.

use super::Solver;
use crate::error::Failure;
use crate::system::System;
use crate::{lockup, singularity};

impl Solver {
    /// A failure as what it is: a lockup, or a position where the constraints lose rank.
    pub(super) fn told(&self, system: &mut dyn System, tend: f64, failure: Failure) -> Failure {
        let (state, layout, typical) = (self.driver.state(), &self.driver.layout, &self.scaling.typical);
        let gap = self.driver.gap();
        let failure = lockup::explain(system, layout, typical, (state.t, &state.x, tend), gap, failure);
        singularity::explain(system, layout, typical, (state.t, &state.x, tend - state.t_start), failure)
    }
}
