//! One step, as a table of contents: iterate, project, estimate the error, look for events.

use super::coordinate::Report;
use super::description::{Projection, Stop};
use super::front::Mode;
use super::run::Glued;
use super::sum::{Sum, DIGITS};
use crate::error::{Code, Failure};
use crate::model::Trouble;

/// Iterations of Newton's method.
const MAX_ITERATIONS: u64 = 20;
/// A second matrix is made for this iteration, counted from 0.
const SECOND_MATRIX: u64 = 4;
/// Changes of the accelerations relative to 1 and to them, at which the iteration has converged.
const CONVERGED: f64 = 1e-10;
/// Round-off of the positions, which the rows g/(β̂h²) magnify.
const ROUND_OFF: f64 = 1e-14;
/// Changes below this may be round-off, if they do not become smaller: near singular configurations.
const STAGNATED: f64 = 1e-6;
/// After so many iterations changes of w and s that the tolerances allow are taken for round-off.
const SETTLED_AFTER: u64 = 10;
/// Changes above this diverge.
const DIVERGED: f64 = 1e12;

/// What became of an attempt.
pub(super) enum Attempt {
    /// To be accepted: the factor for the next step.
    Done { factor: f64, stop: Stop },
    /// All take it back.
    TakenBack(Setback),
}

/// Why a step is taken back.
pub(super) enum Setback {
    /// Its error is too large.
    Error(f64),
    /// An event lies within it; the size that ends there.
    Event(f64),
    /// No convergence, or something could not be evaluated.
    Newton(Option<Report>),
}

impl Glued<'_> {
    /// One attempt with step size h, by all participants.
    pub(super) fn attempt(&mut self, h: f64) -> Result<Attempt, Failure> {
        if let Some(setback) = self.solve_step(h)? {
            return Ok(Attempt::TakenBack(setback));
        }
        let mut factor = 1.0;
        if !self.settings.fixed_step {
            let error = self.estimate(h)?;
            factor = Self::factor(error);
            if error > 1.0 {
                return Ok(Attempt::TakenBack(Setback::Error(factor)));
            }
        }
        if let Some(shorter) = self.event_within(h)? {
            return Ok(Attempt::TakenBack(Setback::Event(shorter)));
        }
        Ok(Attempt::Done { factor, stop: Stop::End })
    }

    /// Iterate and project.
    pub(super) fn solve_step(&mut self, h: f64) -> Result<Option<Setback>, Failure> {
        if let Some(setback) = self.iterate(h)? {
            return Ok(Some(setback));
        }
        if self.settings.project != Projection::None {
            if let Some(report) = self.project(h)? {
                return Ok(Some(Setback::Newton(Some(report))));
            }
        }
        let (project, scheme) = (self.settings.project, self.scheme);
        self.locals.iter_mut().for_each(|l| l.finish(project, &scheme, h));
        if self.census()?.auxiliary > 0 {
            let (t, tolerance) = (self.t + h, (self.settings.rtol, self.settings.atol));
            let own = self.each(|local| local.renew_auxiliary(t, tolerance));
            let report = self.try_agree(&mut [], f64::min, own)?;
            return Ok(report.map(|report| Setback::Newton(Some(report))));
        }
        Ok(None)
    }

    /// Newton's method on the whole system, by blocks.
    fn iterate(&mut self, h: f64) -> Result<Option<Setback>, Failure> {
        let (scheme, t) = (self.scheme, self.t + h);
        let mode = Mode::Step { by_v: scheme.gamma_hat * h, by_p: scheme.beta_hat * h * h };
        let round_off = ROUND_OFF / (scheme.beta_hat * h * h);
        self.locals.iter_mut().for_each(super::local::Local::begin);
        self.coordination.states.iter_mut().flatten().for_each(super::front::JointState::take_back);
        let mut last = f64::INFINITY;
        for k in 0..MAX_ITERATIONS {
            let refresh = k == 0 || k == SECOND_MATRIX;
            self.statistics.refreshes += u64::from(refresh);
            let old = self.t;
            let own = self.each(|local| {
                if k == 0 {
                    local.evaluate_rates(old)?;
                }
                local.compose(&scheme, h);
                local.evaluate(t)?;
                if refresh || local.is_stale() {
                    // Where the iteration has gone astray a matrix may be anything.
                    let astray = |trouble| match trouble {
                        Trouble::Stop { code: code @ Code::SingularNewtonMatrix, .. } if k > 0 => {
                            Trouble::Retry { code }
                        }
                        trouble => trouble,
                    };
                    local.linearize(t, mode).map_err(astray)?;
                }
                local.solve(t, mode)
            });
            if let Some(report) = self.try_interface(mode, refresh, own)? {
                return Ok(Some(Setback::Newton(Some(report))));
            }
            let ([change, size], [unsettled, beyond]) = self.update(mode, round_off)?;
            if change.is_nan() || change > DIVERGED || !size.is_finite() {
                return Ok(Some(Setback::Newton(None)));
            }
            let settled = unsettled == 0.0 || k > SETTLED_AFTER && beyond == 0.0;
            let stagnated = k > 2 && change > 0.5 * last && change < STAGNATED * (1.0 + size);
            if settled && (change <= CONVERGED * (1.0 + size) + round_off || stagnated) {
                self.iterations = k + 1;
                self.locals.iter_mut().for_each(|l| l.compose(&scheme, h));
                return Ok(None);
            }
            last = change;
        }
        Ok(Some(Setback::Newton(None)))
    }

    /// Add what the interface has found; norms of changes and accelerations over all subdomains, and how many of w and s have not settled.
    pub(super) fn update(&mut self, mode: Mode, round_off: f64) -> Result<([f64; 2], [f64; 2]), Failure> {
        let (mut sums, mut counts) = ([Sum::default(); 2], [0.0; 2]);
        let tolerance = (self.settings.rtol, self.settings.atol);
        for local in &mut self.locals {
            let found = local.update(&self.joints, mode, self.coordination.output(local.leaf, mode));
            sums.iter_mut().zip(found).for_each(|(sum, term)| sum.add(term));
            counts.iter_mut().zip(local.unsettled(tolerance, round_off)).for_each(|(sum, n)| *sum += n);
        }
        let (sums, counts) = self.total(sums, counts)?;
        Ok((sums.map(f64::sqrt), counts))
    }

    /// Sums over all participants.
    fn total(&mut self, mut sums: [Sum; 2], counts: [f64; 2]) -> Result<([f64; 2], [f64; 2]), Failure> {
        let mut digits = [0.0; 2 * DIGITS + 2];
        digits[2 * DIGITS..].copy_from_slice(&counts);
        let parts = |k: usize| k * DIGITS..(k + 1) * DIGITS;
        sums.iter().enumerate().for_each(|(k, s)| digits[parts(k)].copy_from_slice(&s.0));
        self.agree(&mut digits, |a, b| a + b, None)?;
        sums.iter_mut().enumerate().for_each(|(k, s)| s.0.copy_from_slice(&digits[parts(k)]));
        Ok((sums.map(|s| s.value()), [digits[2 * DIGITS], digits[2 * DIGITS + 1]]))
    }

    /// Velocities that satisfy the constraints, at the smallest kinetic energy of the change.
    fn project(&mut self, h: f64) -> Result<Option<Report>, Failure> {
        let (mode, t) = (Mode::Project, self.t + h);
        let own = self.each(|local| {
            local.evaluate(t)?;
            local.linearize(t, mode)?;
            local.solve(t, mode)
        });
        if let Some(report) = self.try_interface(mode, true, own)? {
            return Ok(Some(report));
        }
        for local in &mut self.locals {
            let _ = local.update(&self.joints, mode, self.coordination.output(local.leaf, mode));
        }
        Ok(None)
    }

    /// Weighted root mean square of the local error of all positions.
    fn estimate(&mut self, h: f64) -> Result<f64, Failure> {
        let (factor, tolerance) = (self.scheme.error, (self.settings.rtol, self.settings.atol));
        let mut sums = [Sum::default(); 2];
        for local in &self.locals {
            let found = local.error(factor, h, tolerance);
            sums.iter_mut().zip(found).for_each(|(sum, term)| sum.add(term));
        }
        let ([sum, count], _) = self.total(sums, [0.0; 2])?;
        Ok((sum / count.max(1.0)).sqrt())
    }
}
