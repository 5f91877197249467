//! Events of any subdomain: a change of sign is located by repeating the step with other sizes, by all participants, so that the
//! point reached has the accuracy of the method.

use super::coordinate::Report;
use super::description::Stop;
use super::run::Glued;
use crate::error::{Code, Failure};

/// Attempts to land on an event; halving alone needs about 50.
const ATTEMPTS: u32 = 100;
/// More root functions than a subdomain has.
const MANY: usize = 1_000_000;

impl Glued<'_> {
    /// Look at the trial point; the values of all root functions, of all subdomains, have no sign changed: None. Otherwise the
    /// subdomain and function that comes first.
    fn changed_at(&mut self, t: f64) -> Result<Option<(usize, usize)>, Failure> {
        if self.census()?.watchers == 0 {
            return Ok(None);
        }
        let tolerance = self.event_tolerance();
        let mut trouble = None;
        let mut found = f64::INFINITY;
        for watcher in &mut self.watchers {
            let Some(local) = self.locals.iter().find(|l| l.subdomain == watcher.subdomain) else { continue };
            let h = t - self.t;
            if !(watcher.look(t, &local.new.x) && watcher.find_signs(local, self.t, h, tolerance)) {
                trouble = Some(Report {
                    retry: false,
                    code: Code::RootFunctionFailed,
                    not_finite: true,
                    subdomain: watcher.subdomain,
                });
            } else if let Some(index) = watcher.changed() {
                found = found.min((watcher.subdomain * MANY + index) as f64);
            }
        }
        let mut values = [found];
        self.agree(&mut values, f64::min, trouble)?;
        let code = values[0];
        Ok(code.is_finite().then_some(((code as usize) / MANY, (code as usize) % MANY)))
    }

    /// If there is an event within the step, its size; otherwise the signs count from its end.
    pub(super) fn event_within(&mut self, h: f64) -> Result<Option<f64>, Failure> {
        if self.changed_at(self.t + h)?.is_some() {
            return Ok(Some(h));
        }
        self.watchers.iter_mut().for_each(super::watcher::Watcher::accept);
        Ok(None)
    }

    /// To what event times are located.
    fn event_tolerance(&self) -> f64 {
        self.settings.event_tolerance * 1.0f64.max(self.t.abs())
    }

    /// Land on the first event within a step of size h: bisection, accelerated by the secant through the values of the function
    /// that has changed. The point after the event is taken, so that the sign has changed there.
    pub(super) fn land(&mut self, h: f64) -> Result<(f64, Stop), Failure> {
        let (mut before, mut after) = (0.0, h);
        let tolerance = self.event_tolerance();
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
        for watcher in &mut self.watchers {
            if let Some(local) = self.locals.iter().find(|l| l.subdomain == watcher.subdomain) {
                watcher.fire(local, self.t, after, tolerance);
            }
        }
        self.gather_events()?;
        let (subdomain, index) = self.events.first().copied().unwrap_or(found.unwrap_or((0, 0)));
        Ok((self.t + after, Stop::Event { subdomain, index }))
    }

    /// All participants know all events of the instant.
    fn gather_events(&mut self) -> Result<(), Failure> {
        let (mut subdomain, mut index) = (0, 0);
        loop {
            let codes = self.watchers.iter().filter(|w| w.subdomain >= subdomain).filter_map(|w| {
                let first = if w.subdomain == subdomain { index } else { 0 };
                w.fired_from(first).map(|i| (w.subdomain * MANY + i) as f64)
            });
            let mut values = [codes.fold(f64::INFINITY, f64::min)];
            self.agree(&mut values, f64::min, None)?;
            if !values[0].is_finite() {
                return Ok(());
            }
            (subdomain, index) = ((values[0] as usize) / MANY, (values[0] as usize) % MANY);
            self.events.push((subdomain, index));
            index += 1;
        }
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
