//! What METHOD=-2 means for a model, decided at its start.

use super::{Solver, Watched};
use crate::check::parts_agree;
use crate::error::Result;
use crate::layout::Layout;
use crate::methods::{automatic, Maker};
use crate::norm::Tolerance;
use crate::options::{CheckLevel, MethodKind, Options, WatchLevel};
use crate::system::{Parts, System};
use std::borrow::Cow;

/// The options with METHOD=-2 resolved, and the calls of EOM that it took. Parts are functions that only explicit methods call: who
/// supplies them has a stage of the half-explicit method for about one evaluation, and without them nothing beats Radau IIA. Parts
/// that contradict the other functions are not used, and named if the model is to be checked; `known` says that they agree.
pub(super) fn by_model<'o>(
    system: &mut dyn System,
    (options, tolerance): (&'o Options, &Tolerance),
    (t, x): (f64, &[f64]),
    known: bool,
) -> (Cow<'o, Options>, u64) {
    let (mut chosen, mut calls) = (Cow::Borrowed(options), 0);
    if options.method == MethodKind::ByModel {
        let layout = Layout::new(system.dimensions(), system.form());
        // What is not allowed is refused where the run begins.
        let allowed = x.len() == layout.n && tolerance.validate(layout.n, options.uround).is_ok();
        let suited = automatic::suits(&layout, options) && Parts::suit(&layout.dims) && allowed;
        if !(suited && (known || parts_agree(system, &layout, tolerance, (t, x), &mut calls))) {
            let chosen = chosen.to_mut();
            chosen.method = MethodKind::Radau;
            // Calls of EOM: there are parts, and they say something else. The full check names them.
            let checked = (options.check, options.watch) != (CheckLevel::Off, WatchLevel::Off);
            if calls > 0 && checked {
                chosen.check = CheckLevel::Full;
            }
        }
    }
    (chosen, calls)
}

impl Solver {
    /// [`Solver::begin_in`] with METHOD=-2 resolved.
    pub(super) fn begin_chosen(
        run: &mut Option<Solver>,
        make: Maker,
        system: &mut dyn System,
        (options, tolerance): (&Options, &Tolerance),
        start: (f64, &[f64], f64),
        watched: Option<Watched<'_>>,
    ) -> Result {
        // An earlier run of such a model whose looks raised nothing has found that parts agree.
        let layout = Layout::new(system.dimensions(), system.form());
        let agree = |earlier: &Solver| {
            let by_parts = earlier.driver.options.method == MethodKind::ByModel;
            by_parts && *earlier.layout() == layout && earlier.trusts_its_model()
        };
        let known = run.as_ref().is_some_and(agree);
        let (options, calls) = by_model(system, (options, tolerance), (start.0, start.1), known);
        Self::begin_in(run, make, system, (&options, tolerance), start, watched)?;
        if let Some(solver) = run {
            solver.driver.stats_mut().eom_for_checks += calls;
        }
        Ok(())
    }

    /// A solver that stands where a saved one stood ([`Solver::save`]), of the same system, options and tolerances.
    pub fn resume(
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        saved: &[u8],
    ) -> Result<Self> {
        if options.method == MethodKind::ByModel {
            // What it was resolved to is known to the saved state alone.
            let resumed = Self::resume_method(system, options, tolerance, saved);
            let radau = Options { method: MethodKind::Radau, ..options.clone() };
            return resumed.or_else(|_| Self::resume_method(system, &radau, tolerance, saved));
        }
        Self::resume_method(system, options, tolerance, saved)
    }
}
