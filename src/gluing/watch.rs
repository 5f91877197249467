//! Events of any subdomain: a change of sign is located by repeating the step with other sizes, by all participants, so that the
//! point reached has the accuracy of the method.

use super::coordinate::Report;
use super::description::Stop;
use super::run::Glued;
use crate::error::{Code, Failure};
use crate::events::RootFunctions;
use crate::system::Outcome;

/// Attempts to land on an event; halving alone needs about 50.
const ATTEMPTS: u32 = 100;

/// The root functions of one subdomain.
pub(super) struct Watcher<'s> {
    pub subdomain: usize,
    roots: Box<dyn RootFunctions + 's>,
    /// Values at the accepted point; one that is zero there has no sign.
    last: Vec<f64>,
    now: Vec<f64>,
}

impl<'s> Watcher<'s> {
    pub fn new(subdomain: usize, roots: Box<dyn RootFunctions + 's>) -> Self {
        let n = roots.count();
        Watcher { subdomain, roots, last: vec![0.0; n], now: vec![0.0; n] }
    }

    /// The values here are where the signs count from.
    pub fn begin(&mut self, t: f64, x: &[f64]) {
        let mut now = std::mem::take(&mut self.now);
        if self.roots.evaluate(t, x, &mut now) == Outcome::Continue {
            self.last.copy_from_slice(&now);
        }
        self.now = now;
    }

    /// The values from which signs count.
    pub fn signs(&self) -> &[f64] {
        &self.last
    }

    /// Put them back.
    pub fn set_signs(&mut self, signs: &[f64]) {
        self.last.copy_from_slice(signs);
    }

    /// Values at a trial point; false if there are none.
    fn look(&mut self, t: f64, x: &[f64]) -> bool {
        let answered = self.roots.evaluate(t, x, &mut self.now) == Outcome::Continue;
        answered && self.now.iter().all(|v| v.is_finite())
    }

    /// The first function that has changed its sign.
    fn changed(&self) -> Option<usize> {
        self.last.iter().zip(&self.now).position(|(a, b)| *a != 0.0 && *b != 0.0 && (*a < 0.0) != (*b < 0.0))
    }
}

impl Glued<'_> {
    /// Look at the trial point; the values of all root functions, of all subdomains, have no sign changed: None. Otherwise the
    /// subdomain and function that comes first.
    fn changed_at(&mut self, t: f64) -> Result<Option<(usize, usize)>, Failure> {
        if self.total_watchers()? == 0 {
            return Ok(None);
        }
        let mut trouble = None;
        let mut found = f64::INFINITY;
        for watcher in &mut self.watchers {
            let Some(local) = self.locals.iter().find(|l| l.subdomain == watcher.subdomain) else { continue };
            if !watcher.look(t, &local.new.x) {
                trouble = Some(Report {
                    retry: false,
                    code: Code::RootFunctionFailed,
                    not_finite: true,
                    subdomain: watcher.subdomain,
                });
            } else if let Some(index) = watcher.changed() {
                found = found.min((watcher.subdomain * 1_000_000 + index) as f64);
            }
        }
        let mut values = [found];
        self.agree(&mut values, f64::min, trouble)?;
        let code = values[0];
        Ok(code.is_finite().then_some(((code as usize) / 1_000_000, (code as usize) % 1_000_000)))
    }

    /// Participants that watch; asked once, at the first step.
    fn total_watchers(&mut self) -> Result<usize, Failure> {
        if let Some(known) = self.watching {
            return Ok(known);
        }
        let mut sum = [self.watchers.len() as f64];
        self.agree(&mut sum, |a, b| a + b, None)?;
        self.watching = Some(sum[0] as usize);
        Ok(sum[0] as usize)
    }

    /// If there is an event within the step, its size; otherwise the signs count from its end.
    pub(super) fn event_within(&mut self, h: f64) -> Result<Option<f64>, Failure> {
        if self.changed_at(self.t + h)?.is_some() {
            return Ok(Some(h));
        }
        self.watchers.iter_mut().for_each(|w| w.last.copy_from_slice(&w.now));
        Ok(None)
    }

    /// Land on the first event within a step of size h: bisection, accelerated by the secant through the values of the function
    /// that has changed. The point after the event is taken, so that the sign has changed there.
    pub(super) fn land(&mut self, h: f64) -> Result<(f64, Stop), Failure> {
        let (mut before, mut after) = (0.0, h);
        let tolerance = self.settings.event_tolerance * 1.0f64.max(self.t.abs());
        let mut found = self.changed_at(self.t + after)?;
        let [mut old, mut new] = self.values(found)?;
        for attempt in 0..ATTEMPTS {
            if after - before <= tolerance {
                break;
            }
            // The secant, aimed a little behind the zero and a little before it in turns, so that both ends close in; every third
            // attempt halves.
            let zero = before + (after - before) * old / (old - new);
            let aimed = if attempt % 3 == 0 { zero + 0.3 * tolerance } else { zero - 0.3 * tolerance };
            let inside = aimed > before && aimed < after;
            let trial = if attempt % 3 == 2 || !inside { 0.5 * (before + after) } else { aimed };
            if self.solve_step(trial)?.is_some() {
                return Err(Failure::new(Code::NewtonDiverges, "on the way to an event").at(self.t, trial));
            }
            let changed = self.changed_at(self.t + trial)?;
            if changed.is_some() {
                (after, found) = (trial, changed);
                new = self.values(found)?[1];
            } else {
                before = trial;
                old = self.values(found)?[1];
            }
        }
        let _ = self.solve_step(after)?;
        let _ = self.changed_at(self.t + after)?;
        self.watchers.iter_mut().for_each(|w| {
            w.last.copy_from_slice(&w.now);
        });
        let (subdomain, index) = found.unwrap_or((0, 0));
        Ok((self.t + after, Stop::Event { subdomain, index }))
    }

    /// Values of a root function at the accepted and at the trial point, told to everybody.
    fn values(&mut self, which: Option<(usize, usize)>) -> Result<[f64; 2], Failure> {
        let mut values = [0.0; 2];
        if let Some((subdomain, index)) = which {
            if let Some(w) = self.watchers.iter().find(|w| w.subdomain == subdomain) {
                values = [w.last[index], w.now[index]];
            }
        }
        self.agree(&mut values, |a, b| a + b, None)?;
        Ok(values)
    }
}
