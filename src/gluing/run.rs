//! A run of glued subdomains.

use super::attempt::{Attempt, Setback};
use super::coordinate::{Coordination, Report, Traffic};
use super::description::{Settings, Statistics, Stop};
use super::front::Mode;
use super::joint::Joint;
use super::local::Local;
use super::save::Saving;
use super::scheme::Scheme;
use super::transport::{Lost, Transport};
use super::watcher::Watcher;
use crate::error::{Code, Failure};
use crate::model::{never_finite, Trouble};
use std::time::Instant;

/// A step may grow and shrink by these factors.
const GROWTH: (f64, f64) = (0.2, 5.0);
/// Aim at this part of the tolerance.
const SAFETY: f64 = 0.9;
/// Rejections without an accepted step after which the run ends.
const PATIENCE: u32 = 60;

/// What there is in all participants together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Census {
    /// Subdomains with root functions.
    pub watchers: usize,
    /// Subdomains with w.
    pub auxiliary: usize,
}

/// Subdomains in motion.
pub struct Glued<'s> {
    pub(super) settings: Settings,
    pub(super) scheme: Scheme,
    pub(super) joints: Vec<Joint>,
    pub(super) owners: Vec<usize>,
    pub(super) locals: Vec<Local<'s>>,
    pub(super) watchers: Vec<Watcher<'s>>,
    /// Subdomain and function of all events at the instant at which the run has stopped.
    pub(super) events: Vec<(usize, usize)>,
    pub(super) transport: Box<dyn Transport + 's>,
    pub(super) coordination: Coordination,
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) statistics: Statistics,
    /// Iterations of the last attempt.
    pub(super) iterations: u64,
    /// Not known before the first step.
    pub(super) census: Option<Census>,
    pub(super) saving: Option<Saving>,
    /// What could not be evaluated last, and when; nothing once that time has passed.
    pub(super) trouble: Option<(Report, f64)>,
}

impl<'s> Glued<'s> {
    /// Do something for every subdomain here; the gravest trouble.
    pub(super) fn each(
        &mut self,
        mut f: impl FnMut(&mut Local<'s>) -> Result<(), Trouble>,
    ) -> Option<Report> {
        let mut found: Option<Report> = None;
        for local in &mut self.locals {
            if let Err(trouble) = f(local) {
                let report = report(trouble, local.subdomain);
                if found.is_none_or(|r| r.retry && !report.retry) {
                    found = Some(report);
                }
            }
        }
        found
    }

    pub(super) fn evaluate_all(&mut self, t: f64) -> Option<Report> {
        self.each(|local| local.evaluate(t))
    }

    /// The interface equations with what the subdomains have solved. A failure of anybody is that of all.
    pub(super) fn interface(
        &mut self,
        mode: Mode,
        refresh: bool,
        own: Option<Report>,
    ) -> Result<(), Failure> {
        match self.try_interface(mode, refresh, own)? {
            None => Ok(()),
            Some(report) => Err(self.failure(report)),
        }
    }

    /// The same; trouble that a smaller step may help against comes back.
    pub(super) fn try_interface(
        &mut self,
        mode: Mode,
        refresh: bool,
        own: Option<Report>,
    ) -> Result<Option<Report>, Failure> {
        for local in &self.locals {
            let (s, e) = self.coordination.input(local.leaf, mode, refresh);
            if own.is_none() {
                local.write(&self.joints, mode, s, e);
            }
            let (rows, sent) = local.message(&self.joints, mode);
            let matrix = if refresh { rows * rows } else { 0 };
            self.statistics.interface_doubles += (matrix + sent + rows) as u64;
        }
        let begin = Instant::now();
        let solved = self.coordination.solve(&mut *self.transport, (mode, refresh), &self.joints, own);
        self.statistics.coordination_ns += begin.elapsed().as_nanos() as u64;
        match solved {
            Ok(Some(report)) if !report.retry => Err(self.failure(report)),
            Ok(report) => Ok(report),
            Err(lost) => Err(self.lost(lost)),
        }
    }

    /// Combine numbers of all participants.
    pub(super) fn agree(
        &mut self,
        values: &mut [f64],
        combine: fn(f64, f64) -> f64,
        own: Option<Report>,
    ) -> Result<(), Failure> {
        match self.try_agree(values, combine, own)? {
            None => Ok(()),
            Some(report) => Err(self.failure(report)),
        }
    }

    /// The same; trouble that a smaller step may help against comes back.
    pub(super) fn try_agree(
        &mut self,
        values: &mut [f64],
        combine: fn(f64, f64) -> f64,
        own: Option<Report>,
    ) -> Result<Option<Report>, Failure> {
        let begin = Instant::now();
        let agreed = self.coordination.agree(&mut *self.transport, values, combine, own);
        self.statistics.coordination_ns += begin.elapsed().as_nanos() as u64;
        match agreed {
            Ok(Some(report)) if !report.retry => Err(self.failure(report)),
            Ok(report) => Ok(report),
            Err(lost) => Err(self.lost(lost)),
        }
    }

    /// Asked once, at the first step.
    pub(super) fn census(&mut self) -> Result<Census, Failure> {
        if let Some(known) = self.census {
            return Ok(known);
        }
        let auxiliary = self.locals.iter().filter(|l| l.view.layout.dims.nw > 0).count();
        let mut sums = [self.watchers.len() as f64, auxiliary as f64];
        self.agree(&mut sums, |a, b| a + b, None)?;
        let known = Census { watchers: sums[0] as usize, auxiliary: sums[1] as usize };
        self.census = Some(known);
        Ok(known)
    }

    /// What a report means, the same in all participants.
    pub(super) fn failure(&self, report: Report) -> Failure {
        let why = if report.not_finite { ": NaN or Inf" } else { "" };
        let text = match self.owners.get(report.subdomain) {
            Some(owner) => format!("subdomain {} of participant {owner}{why}", report.subdomain),
            None => format!("what participant {} was given", report.subdomain.saturating_sub(ARGUMENTS)),
        };
        Failure::new(report.code, text).at(self.t, self.h)
    }

    pub(super) fn lost(&mut self, lost: Lost) -> Failure {
        self.transport.abandon(lost);
        let whose: Vec<String> =
            (0..self.owners.len()).filter(|&s| self.owners[s] == lost.rank).map(|s| s.to_string()).collect();
        let text = format!("participant {} (subdomains {}) does not answer", lost.rank, whose.join(", "));
        Failure::new(Code::PeerLost, text).at(self.t, self.h)
    }

    /// Make one step of at most the current size, not beyond `tend`, and save it if that is due.
    pub fn step(&mut self, tend: f64) -> Result<Stop, Failure> {
        let fits = if tend > self.t {
            Ok(())
        } else {
            let text = format!("tend = {tend} is not allowed; allowed: > {}", self.t);
            Err(Failure::new(Code::BadArgument, text).at(self.t, self.h))
        };
        self.agree_on_end(tend, fits)?;
        self.saved_step(tend)
    }

    /// All must want the same; what one refuses all are told.
    fn agree_on_end(&mut self, tend: f64, fits: Result<(), Failure>) -> Result<(), Failure> {
        let fits = if tend.is_finite() {
            fits
        } else {
            let text = format!("tend = {tend} is not allowed; allowed: finite");
            Err(Failure::new(Code::BadArgument, text).at(self.t, self.h))
        };
        fits.map_err(|failure| tell(&mut *self.transport, failure))?;
        let mut ends = [tend, -tend];
        self.agree(&mut ends, f64::min, None)?;
        if ends[0] != -ends[1] {
            let text = format!("tend = {tend}, but the participants go from {} to {}", ends[0], -ends[1]);
            return Err(Failure::new(Code::BadArgument, text).at(self.t, self.h));
        }
        Ok(())
    }

    fn saved_step(&mut self, tend: f64) -> Result<Stop, Failure> {
        self.events.clear();
        let made = self.unsaved_step(tend).and_then(|stop| self.write_if_due().map(|()| stop));
        if made.is_err() {
            self.write_last();
        }
        made
    }

    fn unsaved_step(&mut self, tend: f64) -> Result<Stop, Failure> {
        let mut rejected = 0;
        loop {
            let left = tend - self.t;
            let wanted = self.h.min(self.settings.hmax);
            let h = last_steps(left, wanted, self.settings.fixed_step);
            if h <= 10.0 * f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE) {
                return Err(self.too_small(h));
            }
            rejected += 1;
            if rejected > PATIENCE {
                return Err(self.too_small(h));
            }
            match self.attempt(h)? {
                Attempt::Done { factor, stop } => {
                    self.accept(tend, h);
                    let grown = factor.clamp(GROWTH.0, GROWTH.1);
                    // A step that was cut says nothing against longer ones.
                    if !self.settings.fixed_step && (h >= wanted || grown < 1.0) {
                        self.h = h * grown;
                    }
                    return Ok(stop);
                }
                Attempt::TakenBack(setback) => {
                    let smaller = match setback {
                        Setback::Error(factor) => {
                            self.statistics.rejected_error += 1;
                            h * factor.clamp(GROWTH.0, SAFETY)
                        }
                        Setback::Event(h) => {
                            self.statistics.rejected_event += 1;
                            let (t, stop) = self.land(h)?;
                            self.accept(t, t - self.t);
                            return Ok(stop);
                        }
                        Setback::Newton(report) => {
                            self.statistics.rejected_newton += 1;
                            if let Some(report) = report {
                                self.trouble = Some((report, self.t + h));
                            }
                            if self.settings.fixed_step {
                                return Err(match report {
                                    Some(report) => self.failure(report),
                                    None => Failure::new(Code::NewtonDiverges, "steps of constant size")
                                        .at(self.t, h),
                                });
                            }
                            0.5 * h
                        }
                    };
                    self.h = smaller;
                }
            }
        }
    }

    /// No step is small enough: because something cannot be evaluated, or because of errors.
    fn too_small(&self, h: f64) -> Failure {
        match self.trouble {
            Some((report, _)) => self.failure(report),
            None => Failure::new(Code::StepTooSmall, "the steps of all subdomains").at(self.t, h),
        }
    }

    pub(super) fn accept(&mut self, tend: f64, h: f64) {
        let near = (self.t + h - tend).abs() <= 1e-12 * tend.abs().max(h);
        self.t = if near { tend } else { self.t + h };
        self.trouble = self.trouble.filter(|(_, at)| *at > self.t);
        self.locals.iter_mut().for_each(|l| l.accept(h));
        self.coordination.states.iter_mut().flatten().for_each(super::front::JointState::accept);
        self.statistics.steps += 1;
        self.statistics.iterations += self.iterations;
        self.statistics.most_iterations = self.statistics.most_iterations.max(self.iterations);
    }

    /// Steps until `tend` or an event.
    pub fn integrate(&mut self, tend: f64) -> Result<Stop, Failure> {
        let before = || Failure::new(Code::TendBeforeT, format!("tend = {tend}")).at(self.t, self.h);
        let fits = if tend < self.t { Err(before()) } else { Ok(()) };
        self.agree_on_end(tend, fits)?;
        while self.t < tend {
            if let stop @ Stop::Event { .. } = self.saved_step(tend)? {
                return Ok(stop);
            }
        }
        Ok(Stop::End)
    }

    /// Factor of the step size for a weighted error, whose order is 3.
    pub(super) fn factor(error: f64) -> f64 {
        SAFETY * error.max(1e-10).cbrt().recip()
    }

    /// Time.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Subdomain and function of every event at the instant at which the last step has stopped, in this order.
    pub fn events(&self) -> &[(usize, usize)] {
        &self.events
    }

    /// The size of the next step.
    pub fn next_step(&self) -> f64 {
        self.h
    }

    /// x of a subdomain, if it is here.
    pub fn state(&self, subdomain: usize) -> Option<&[f64]> {
        self.local(subdomain).map(|l| &l.old.x[..])
    }

    /// v' of a subdomain, if it is here.
    pub fn acceleration(&self, subdomain: usize) -> Option<&[f64]> {
        self.local(subdomain).map(|l| &l.old.w[..])
    }

    fn local(&self, subdomain: usize) -> Option<&Local<'s>> {
        self.locals.iter().find(|l| l.subdomain == subdomain)
    }

    /// The force F of a joint along its relative coordinates, if one of its ends is here. It acts as -F on end a along y_a - y_b.
    pub fn joint_force(&self, joint: usize) -> Option<&[f64]> {
        let ends = self.joints.get(joint)?.ends;
        ends.iter().find_map(|e| self.local(e.subdomain)).and_then(|l| l.joint_force(joint))
    }

    /// Counters.
    pub fn statistics(&self) -> Statistics {
        let Traffic { messages, doubles } = self.coordination.traffic;
        let deficiency = self.coordination.deficiency() as u64;
        Statistics { messages, doubles, deficiency, ..self.statistics }
    }

    /// Number of subdomains.
    pub fn subdomains(&self) -> usize {
        self.owners.len()
    }
}

/// In a report in place of a subdomain, plus the number of a participant: its arguments were refused.
const ARGUMENTS: usize = 1 << 40;

/// A refusal, of which the others hear in place of what they would have agreed on.
pub(super) fn tell(transport: &mut dyn Transport, failure: Failure) -> Failure {
    let rank = transport.rank();
    let report = Report { retry: false, code: failure.code, not_finite: false, subdomain: ARGUMENTS + rank };
    // Whoever is lost now will be missed later.
    let _ = Coordination::new(Vec::new(), &[], rank).agree(transport, &mut [0.0; 2], f64::min, Some(report));
    failure
}

/// The next step so that the end is met and the last step is not tiny.
fn last_steps(left: f64, wanted: f64, fixed: bool) -> f64 {
    if wanted >= left * (1.0 - 1e-10) {
        left
    } else if !fixed && left < 2.0 * wanted {
        0.5 * left
    } else {
        wanted
    }
}

pub(super) fn report(trouble: Trouble, subdomain: usize) -> Report {
    let (retry, code, not_finite) = match trouble {
        Trouble::Stop { code, not_finite } => (false, code, not_finite),
        Trouble::Retry { code: code @ (Code::NewtonDiverges | Code::SingularNewtonMatrix) } => {
            (true, code, false)
        }
        Trouble::Retry { .. } => (true, Code::EomNotEvaluable, false),
        Trouble::NotFinite { code } => (true, never_finite(code), true),
    };
    Report { retry, code, not_finite, subdomain }
}
