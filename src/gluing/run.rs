//! A run of glued subdomains.

use super::attempt::{Attempt, Setback};
use super::check::{check_assembly, check_settings};
use super::coordinate::{Coordination, Report, Traffic};
use super::description::{Assembly, Settings, Statistics, Stop};
use super::front::Mode;
use super::joint::Joint;
use super::local::Local;
use super::save::Saving;
use super::scheme::Scheme;
use super::transport::{Alone, Lost, Transport};
use super::tree;
use super::watch::Watcher;
use crate::error::{Code, Failure};
use crate::model::Trouble;
use std::time::Instant;

/// A step may grow and shrink by these factors.
const GROWTH: (f64, f64) = (0.2, 5.0);
/// Aim at this part of the tolerance.
const SAFETY: f64 = 0.9;
/// Rejections without an accepted step after which the run ends.
const PATIENCE: u32 = 60;

/// Relative changes that end the iteration for accelerations and forces at the start, and that are accepted after so many.
const SETTLED: (f64, f64) = (1e-10, 1e-6);
const SETTLED_AFTER: u32 = 20;

/// Subdomains in motion.
pub struct Glued<'s> {
    pub(super) settings: Settings,
    pub(super) scheme: Scheme,
    pub(super) joints: Vec<Joint>,
    pub(super) owners: Vec<usize>,
    pub(super) locals: Vec<Local<'s>>,
    pub(super) watchers: Vec<Watcher<'s>>,
    pub(super) transport: Box<dyn Transport + 's>,
    pub(super) coordination: Coordination,
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) statistics: Statistics,
    /// Iterations of the last attempt.
    pub(super) iterations: u64,
    /// Root functions of all participants; not known before the first step.
    pub(super) watching: Option<usize>,
    pub(super) saving: Option<Saving>,
    /// What could not be evaluated last, and when; nothing once that time has passed.
    pub(super) trouble: Option<(Report, f64)>,
}

impl<'s> Glued<'s> {
    /// In one process, by one thread: all subdomains are here.
    pub fn alone(assembly: Assembly<'s>, settings: Settings, t: f64, h: f64) -> Result<Self, Failure> {
        Self::start(assembly, Box::new(Alone), settings, t, h)
    }

    /// Begin a run at time t with a first step h. All participants call this together.
    pub fn start(
        assembly: Assembly<'s>,
        transport: Box<dyn Transport + 's>,
        settings: Settings,
        t: f64,
        h: f64,
    ) -> Result<Self, Failure> {
        let mut made = Self::prepare(assembly, transport, settings, t, h)?;
        made.check_joints()?;
        made.settle()?;
        // What is counted are the steps.
        (made.statistics, made.coordination.traffic) = (Statistics::default(), Traffic::default());
        Ok(made)
    }

    /// Everything but the accelerations at the start, which a resumed run has. A refusal here is that of all participants.
    pub fn prepare(
        assembly: Assembly<'s>,
        mut transport: Box<dyn Transport + 's>,
        settings: Settings,
        t: f64,
        h: f64,
    ) -> Result<Self, Failure> {
        check_settings(&settings, t, h)?;
        check_assembly(&assembly, transport.size())?;
        let Assembly { owners, parts, roots, joints } = assembly;
        let nodes = tree::build(settings.topology, &owners, &joints);
        let rank = transport.rank();
        let mut coordination = Coordination::new(nodes, &joints, rank);
        let mut locals = Vec::new();
        let mut watchers = Vec::new();
        let mut refusal = None;
        for (subdomain, (part, roots)) in parts.into_iter().zip(roots).enumerate() {
            if owners[subdomain] != rank {
                continue;
            }
            let nodes = coordination.nodes();
            let leaf = nodes.iter().position(|n| n.subdomain == Some(subdomain)).unwrap_or(0);
            let made = match part {
                Some(part) => Local::new(part, (subdomain, leaf), &nodes[leaf].boundary, &joints),
                None => {
                    let text = format!(
                        "subdomain {subdomain} belongs to participant {rank}, which has no model for it"
                    );
                    Err(Failure::new(Code::NotReady, text))
                }
            };
            match made {
                Ok(local) => locals.push(local),
                Err(failure) => {
                    refusal.get_or_insert((subdomain, failure));
                }
            }
            watchers.extend(roots.map(|roots| Watcher::new(subdomain, roots)));
        }
        // Nobody begins without the others.
        let own = refusal.as_ref().map(|(subdomain, f)| Report {
            retry: false,
            code: f.code,
            not_finite: false,
            subdomain: *subdomain,
        });
        let mark = signature(&settings, &owners, &joints);
        let mut marks = [mark, -mark];
        let all = coordination.agree(&mut *transport, &mut marks, f64::min, own);
        if let Some((_, failure)) = refusal {
            return Err(failure);
        }
        let scheme = Scheme::new(settings.radius);
        let statistics = Statistics::default();
        let mut glued = Glued {
            settings,
            scheme,
            joints,
            owners,
            locals,
            watchers,
            transport,
            coordination,
            t,
            h,
            statistics,
            iterations: 0,
            watching: None,
            saving: None,
            trouble: None,
        };
        match all {
            Ok(None) if marks[0] != -marks[1] => {
                let text = "the participants do not have the same settings, owners and joints";
                Err(Failure::new(Code::BadArgument, text))
            }
            Ok(None) => Ok(glued),
            Ok(Some(report)) => Err(glued.failure(report)),
            Err(lost) => Err(glued.lost(lost)),
        }
    }

    /// Accelerations and forces at the start.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        let t = self.t;
        let mode = Mode::Start;
        let h = self.h;
        self.locals.iter_mut().for_each(|l| {
            l.begin();
            l.new.w.fill(0.0);
        });
        // Linear in a, λ, μ, unless there is friction or w: then the second iteration only confirms the first.
        for k in 0.. {
            let own = self.each(|local| {
                local.evaluate(t)?;
                local.check_start()?;
                local.linearize(t, mode)?;
                local.curvatures(t, h)?;
                local.solve(t, mode)
            });
            self.interface(mode, true, own)?;
            let [change, size] = self.update(mode)?;
            if change <= SETTLED.0 * (1.0 + size) || k > SETTLED_AFTER && change <= SETTLED.1 * (1.0 + size) {
                break;
            }
            if k > SETTLED_AFTER || !change.is_finite() {
                let text = "accelerations and forces at the start";
                return Err(Failure::new(Code::NewtonDiverges, text).at(t, h));
            }
        }
        for local in &mut self.locals {
            local.new.a.copy_from_slice(&local.new.w);
            local.accept(0.0);
        }
        self.coordination.states.iter_mut().flatten().for_each(super::front::JointState::accept);
        for watcher in &mut self.watchers {
            if let Some(local) = self.locals.iter().find(|l| l.subdomain == watcher.subdomain) {
                watcher.begin(t, &local.old.x);
            }
        }
        Ok(())
    }

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
        let begin = Instant::now();
        let agreed = self.coordination.agree(&mut *self.transport, values, combine, own);
        self.statistics.coordination_ns += begin.elapsed().as_nanos() as u64;
        match agreed {
            Ok(None) => Ok(()),
            Ok(Some(report)) => Err(self.failure(report)),
            Err(lost) => Err(self.lost(lost)),
        }
    }

    /// What a report means, the same in all participants.
    pub(super) fn failure(&self, report: Report) -> Failure {
        let owner = self.owners.get(report.subdomain).copied().unwrap_or(0);
        let why = if report.not_finite { ": NaN or Inf" } else { "" };
        let text = format!("subdomain {} of participant {owner}{why}", report.subdomain);
        Failure::new(report.code, text).at(self.t, self.h)
    }

    fn lost(&mut self, lost: Lost) -> Failure {
        self.transport.abandon(lost);
        let whose: Vec<String> =
            (0..self.owners.len()).filter(|&s| self.owners[s] == lost.rank).map(|s| s.to_string()).collect();
        let text = format!("participant {} (subdomains {}) does not answer", lost.rank, whose.join(", "));
        Failure::new(Code::PeerLost, text).at(self.t, self.h)
    }

    /// Make one step of at most the current size, not beyond `tend`, and save it if that is due.
    pub fn step(&mut self, tend: f64) -> Result<Stop, Failure> {
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
        if !tend.is_finite() {
            let text = format!("tend = {tend} is not allowed; allowed: finite");
            return Err(Failure::new(Code::BadArgument, text).at(self.t, self.h));
        }
        if tend < self.t {
            return Err(Failure::new(Code::TendBeforeT, format!("tend = {tend}")).at(self.t, self.h));
        }
        while self.t < tend {
            if let stop @ Stop::Event { .. } = self.step(tend)? {
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

    /// Go on from changed positions and velocities: all participants call this together, with the subdomains that change.
    pub fn restart(&mut self, changed: &[(usize, &[f64])]) -> Result<(), Failure> {
        let mut own = None;
        for (subdomain, x) in changed {
            if let Some(local) = self.locals.iter_mut().find(|l| l.subdomain == *subdomain) {
                if local.old.x.len() == x.len() && crate::linalg::all_finite(x) {
                    local.old.x.copy_from_slice(x);
                } else {
                    let code = Code::BadArgument;
                    own = Some(Report { retry: false, code, not_finite: false, subdomain: *subdomain });
                }
            }
        }
        self.agree(&mut [], |a, _| a, own)?;
        self.locals.iter_mut().for_each(Local::begin);
        self.check_joints()?;
        self.settle()
    }
}

/// A number that tells descriptions apart: FNV-1a of their text, as many bits as a double holds.
fn signature(settings: &Settings, owners: &[usize], joints: &[Joint]) -> f64 {
    let text = format!("{settings:?}{owners:?}{joints:?}");
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (text.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 12) as f64
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
        Trouble::Retry => (true, Code::EomNotEvaluable, false),
        Trouble::NotFinite => (true, Code::EomNotEvaluable, true),
    };
    Report { retry, code, not_finite, subdomain }
}
