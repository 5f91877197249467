//! A run that watches itself: quick looks at the start and at a few accepted points, further and further apart, and the full check where
//! one of them raises a suspicion.

use super::quick::{Look, Quick, KINDS};
use super::{check_model, Finding};
use crate::error::{Code, Failure};
use crate::layout::{Layout, Name};
use crate::norm::{Scaling, Tolerance};
use crate::options::{CheckLevel, Options, WatchLevel};
use crate::stats::{Measures, Stats};
use crate::system::System;

/// The first accepted step after which a run is looked at.
const FIRST: u64 = 4;
/// From one look to the next the number of steps grows by this factor.
const GROWTH: u64 = 4;

/// What a run knows about its own model.
#[derive(Debug)]
pub struct Watching {
    quick: Quick,
    /// Accepted steps before the next look.
    next: u64,
    /// Suspicions that the full check did not confirm: not raised again.
    dismissed: [bool; KINDS],
    known: Vec<Name>,
    warnings: Vec<String>,
    /// The warning about Newton's method was given.
    told_newton: bool,
    /// The warning about an unstable scheme was given.
    told_unstable: bool,
    /// The next run may have another model.
    distrusted: bool,
}

/// A run, as the checks see it.
pub(crate) struct Run<'a> {
    pub options: &'a Options,
    pub tolerance: &'a Tolerance,
    pub scaling: &'a Scaling,
}

/// The looks of a run are at fixed numbers of steps, so that a resumed run goes on as it would have.
fn next_after(naccpt: u64) -> u64 {
    let mut next = FIRST;
    while next <= naccpt {
        next = next.saturating_mul(GROWTH);
    }
    next
}

impl Watching {
    pub(crate) fn new(layout: &Layout) -> Self {
        Watching {
            quick: Quick::new(layout),
            next: FIRST,
            dismissed: [false; KINDS],
            known: Vec::new(),
            warnings: Vec::new(),
            told_newton: false,
            told_unstable: false,
            distrusted: false,
        }
    }

    /// What the options ask for, begun at the initial point; none if nothing is asked for.
    pub(crate) fn begin(
        system: &mut dyn System,
        layout: &Layout,
        run: &Run<'_>,
        point: (f64, &[f64], f64),
        stats: &mut Stats,
    ) -> Result<Option<Self>, Failure> {
        if (run.options.check, run.options.watch) == (CheckLevel::Off, WatchLevel::Off) {
            return Ok(None);
        }
        let mut checks = Watching::new(layout);
        checks.start(system, run, point, stats)?;
        Ok(Some(checks))
    }

    /// In a run that goes on after so many accepted steps, whose looks are not known.
    pub(crate) fn resumed(layout: &Layout, naccpt: u64) -> Self {
        Watching { next: next_after(naccpt), distrusted: true, ..Watching::new(layout) }
    }

    /// No look has raised anything, and one was made behind the start.
    pub(crate) fn is_clear(&self) -> bool {
        !self.distrusted && self.next > FIRST && self.known.is_empty() && self.dismissed == [false; KINDS]
    }

    /// The next run is looked at from its start.
    pub(crate) fn distrust(&mut self) {
        self.distrusted = true;
    }

    /// For another run of the same model, whose first look can wait.
    pub(crate) fn again(mut self) -> Self {
        (self.next, self.told_newton, self.told_unstable) = (FIRST * GROWTH, false, false);
        self.warnings.clear();
        self
    }

    /// Warnings since the last call.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// The initial point: a quick look, or the full check.
    fn start(
        &mut self,
        system: &mut dyn System,
        run: &Run<'_>,
        (t, x, h): (f64, &[f64], f64),
        stats: &mut Stats,
    ) -> Result<(), Failure> {
        match run.options.check {
            CheckLevel::Off => Ok(()),
            CheckLevel::Quick => self.look(system, run, (t, x, h), true, stats),
            CheckLevel::Full => {
                let look = self.quick.look(system, run.options, run.scaling, (t, x, h), true);
                stats.eom_for_checks += look.calls;
                let report = check_model(system, run.options, run.tolerance, t, x)?;
                stats.eom_for_checks += report.evaluations;
                self.tell(look.certain.into_iter().chain(report.findings).collect(), run, stats)
            }
        }
    }

    /// After an accepted step.
    pub(crate) fn accepted(
        &mut self,
        system: &mut dyn System,
        run: &Run<'_>,
        point: (f64, &[f64], f64),
        stats: &mut Stats,
    ) -> Result<(), Failure> {
        if run.options.watch == WatchLevel::Off || stats.naccpt < self.next {
            return Ok(());
        }
        self.next = next_after(stats.naccpt);
        self.look(system, run, point, false, stats)
    }

    fn look(
        &mut self,
        system: &mut dyn System,
        run: &Run<'_>,
        (t, x, h): (f64, &[f64], f64),
        first: bool,
        stats: &mut Stats,
    ) -> Result<(), Failure> {
        let Look { suspicions, certain, calls, stopped } =
            self.quick.look(system, run.options, run.scaling, (t, x, h), first);
        stats.eom_for_checks += calls;
        if let Some(code) = stopped {
            return Err(Failure::new(code, "IERR < 0 during a check of the model").at(t, h));
        }
        let raised = suspicions.iter().zip(&self.dismissed).any(|(s, d)| *s && !*d);
        let mut findings: Vec<Finding> = certain.into_iter().collect();
        if raised {
            let report = check_model(system, run.options, run.tolerance, t, x)?;
            stats.eom_for_checks += report.evaluations;
            findings.extend(report.findings);
            if findings.is_empty() {
                self.dismissed.iter_mut().zip(suspicions).for_each(|(d, s)| *d |= s);
            }
        }
        self.tell(findings, run, stats)
    }

    fn tell(&mut self, findings: Vec<Finding>, run: &Run<'_>, stats: &mut Stats) -> Result<(), Failure> {
        for finding in findings {
            if self.known.contains(&finding.row) {
                continue;
            }
            self.known.push(finding.row);
            stats.warnings += 1;
            if run.options.watch == WatchLevel::Fail {
                let failure = Failure::new(Code::ModelContradiction, finding.to_string()).at(finding.t, 0.0);
                return Err(failure.about(finding.row));
            }
            self.warnings.push(finding.to_string());
        }
        Ok(())
    }

    /// At the end of a call: what is said about all of the steps.
    pub(crate) fn ended(&mut self, analytic: bool, measured: &Measures, stats: &mut Stats) {
        self.judge_newton(analytic, stats);
        if measured.excited > 0.0 && !self.told_unstable {
            self.told_unstable = true;
            stats.warnings += 1;
            self.warnings.push(format!(
                "steps beyond the linear limit let an oscillation of frequency {:.3e} grow until the accuracy test saw it, and nothing \
                 damps it: v may be off by this times the tolerance of p. The scheme is for systems that are not stiff; take \
                 scheme=3 or 4, or monitor=1",
                measured.excited
            ));
        }
    }

    /// Is Newton's method the main trouble of the run?
    fn judge_newton(&mut self, analytic: bool, stats: &mut Stats) {
        if self.told_newton || stats.rejected_newton < 10 || stats.rejected_newton <= stats.naccpt {
            return;
        }
        self.told_newton = true;
        stats.warnings += 1;
        let cause = if analytic { "JAC may not belong to EOM (geoms_check_model)" } else { "EOM may jump" };
        self.warnings.push(format!(
            "Newton's method failed in {} attempts, more than the {} accepted steps: {cause}; if not, results are none the worse, and \
             order=5 or a smaller hmax may be faster",
            stats.rejected_newton, stats.naccpt
        ));
    }
}
