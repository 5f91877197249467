//! Looks at the model during a run ([`crate::check`]).

use super::Solver;
use crate::check::{self, Run, Watching};
use crate::error::Failure;
use crate::layout::Layout;
use crate::norm::Tolerance;
use crate::options::{CheckLevel, Options};
use crate::stats::Stats;
use crate::system::System;

impl Solver {
    /// What the checks have to say since the last call of this function.
    pub fn take_warnings(&mut self) -> Vec<String> {
        self.checks.as_mut().map(Watching::take_warnings).unwrap_or_default()
    }

    /// Looks at its model raised nothing.
    pub(super) fn trusts_its_model(&self) -> bool {
        self.checks.as_ref().is_some_and(Watching::is_clear)
    }

    /// The next run, in the memory of this one, may have another model: it is looked at from its start.
    pub fn distrust(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.distrust();
        }
    }

    /// Look at the point just accepted, if it is time to.
    pub(super) fn look(&mut self, system: &mut dyn System) -> Result<(), Failure> {
        let Some(checks) = &mut self.checks else { return Ok(()) };
        let mut stats = self.driver.state().stats;
        let state = self.driver.state();
        let (options, tolerance, scaling) = (&self.driver.options, &self.tolerance, &self.scaling);
        let run = Run { options, tolerance, scaling };
        let looked = checks.accepted(system, &run, (state.t, &state.x, state.h_last), &mut stats);
        *self.driver.stats_mut() = stats;
        looked
    }

    /// The end of a series of steps, as [`Solver::integrate`] makes it: what the checks have to say about all of them.
    pub fn end_checks(&mut self) {
        if let Some(checks) = &mut self.checks {
            let measured = self.driver.state().measures;
            checks.ended(self.analytic, &measured, self.driver.stats_mut());
        }
    }

    /// The failure with what the checks say about it.
    pub(super) fn explained(&self, failure: Failure, system: &mut dyn System) -> Failure {
        if self.checks.is_none() {
            return check::tailored(failure, system);
        }
        check::explain(failure, system, &self.driver.options, &self.tolerance, (self.t(), self.x()))
    }
}

/// The same for initial values that cannot be made consistent.
pub(super) fn at_start(
    failure: Failure,
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    point: (f64, &[f64]),
) -> Failure {
    match options.check {
        CheckLevel::Off => check::tailored(failure, system),
        _ => check::explain(failure, system, options, tolerance, point),
    }
}

/// Look at the model, unless it is trusted.
pub(super) fn begin(
    trusted: bool,
    system: &mut dyn System,
    layout: &Layout,
    run: &Run<'_>,
    start: (f64, &[f64], f64),
    stats: &mut Stats,
) -> Result<Option<Watching>, Failure> {
    if trusted {
        return Ok(None);
    }
    Watching::begin(system, layout, run, start, stats)
}
