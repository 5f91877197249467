//! The root functions of one subdomain: their signs, also where a run begins or goes on from a zero.
//!
//! As with a handle ([`crate::events`]) a function that is zero at a start or restart has no sign there: it gets that of the first moments
//! of the step, so that the start itself is no event and a return within the step is one.

use super::local::Local;
use crate::events::RootFunctions;
use crate::linalg::all_finite;
use crate::system::Outcome;

/// A function is zero at a start if its value there is below this part of what it reaches in the first step...
const NEGLIGIBLE: f64 = 1e-12;
/// ... or below this one, if an event of this function is the reason of the restart.
const NEGLIGIBLE_AFTER_EVENT: f64 = 1e-8;
/// The first moments of a step are looked at down to this power of 1/2 of it.
const MOMENTS: i32 = 24;
/// So many moments in which a function goes to zero in good order are no rounding error.
const IN_ORDER: u32 = 4;

/// The root functions of one subdomain.
pub(super) struct Watcher<'s> {
    pub subdomain: usize,
    roots: Box<dyn RootFunctions + 's>,
    /// Values at the accepted point; one that is zero there has no sign.
    pub last: Vec<f64>,
    pub now: Vec<f64>,
    end: Vec<f64>,
    /// `last` is of a start or restart.
    fresh: bool,
    /// Whose event the accepted point is.
    fired: Vec<bool>,
    x: Vec<f64>,
}

/// The sign has changed from one that there was.
fn changes(from: f64, to: f64) -> bool {
    from != 0.0 && (to == 0.0 || (from < 0.0) != (to < 0.0))
}

/// x at a moment of a step of size h, from both ends and the rates at the first.
fn point_within(local: &Local<'_>, moment: f64, h: f64, x: &mut [f64]) {
    let l = local.view.layout;
    let (old, new, part) = (&local.old, &local.new, moment / h);
    for ((x, a), b) in x.iter_mut().zip(&old.x).zip(&new.x) {
        *x = a + part * (b - a);
    }
    let rate_of_p = if local.is_general() { &old.p_rate } else { l.x.v.of(&old.x) };
    for (block, rates) in [(l.x.r, &old.slope[..]), (l.x.v, &old.w), (l.x.p, rate_of_p)] {
        for (i, rate) in block.range().zip(rates) {
            let bend = new.x[i] - old.x[i] - h * rate;
            x[i] = old.x[i] + moment * rate + part * part * bend;
        }
    }
}

impl<'s> Watcher<'s> {
    pub fn new(subdomain: usize, roots: Box<dyn RootFunctions + 's>) -> Self {
        let n = roots.count();
        let zeros = || vec![0.0; n];
        let (last, now, end) = (zeros(), zeros(), zeros());
        Watcher { subdomain, roots, last, now, end, fresh: true, fired: vec![false; n], x: Vec::new() }
    }

    /// The values here are where the signs count from.
    pub fn begin(&mut self, t: f64, x: &[f64]) {
        let mut now = std::mem::take(&mut self.now);
        if self.roots.evaluate(t, x, &mut now) == Outcome::Continue {
            self.last.copy_from_slice(&now);
        }
        (self.now, self.fresh) = (now, true);
    }

    /// All that the signs to come depend on.
    pub fn memory(&self) -> Vec<f64> {
        let flag = |set: bool| f64::from(u8::from(set));
        let flags = self.fired.iter().map(|f| flag(*f)).chain([flag(self.fresh)]);
        self.last.iter().copied().chain(flags).collect()
    }

    /// Put it back.
    pub fn set_memory(&mut self, memory: &[f64]) {
        let n = self.last.len();
        self.last.iter_mut().zip(memory).for_each(|(last, m)| *last = *m);
        self.fired.iter_mut().zip(memory.iter().skip(n)).for_each(|(fired, m)| *fired = *m != 0.0);
        self.fresh = memory.last().is_some_and(|m| *m != 0.0);
    }

    /// Values at a trial point; false if there are none.
    pub fn look(&mut self, t: f64, x: &[f64]) -> bool {
        let answered = self.roots.evaluate(t, x, &mut self.now) == Outcome::Continue;
        answered && all_finite(&self.now)
    }

    /// The same at a moment of the step.
    fn look_within(&mut self, local: &Local<'_>, t: f64, (moment, h): (f64, f64)) -> bool {
        let mut x = std::mem::take(&mut self.x);
        x.resize(local.old.x.len(), 0.0);
        point_within(local, moment, h, &mut x);
        let answered = self.look(t + moment, &x);
        self.x = x;
        answered
    }

    /// The first function that has changed its sign.
    pub fn changed(&self) -> Option<usize> {
        self.last.iter().zip(&self.now).position(|(a, b)| changes(*a, *b))
    }

    /// The step up to the point that was looked at is accepted, without an event.
    pub fn accept(&mut self) {
        self.last.copy_from_slice(&self.now);
        self.fired.fill(false);
        self.fresh = false;
    }

    /// In the first step after a start: signs of functions that are zero there. False if there are no values.
    pub fn find_signs(&mut self, local: &Local<'_>, t: f64, h: f64, tolerance: f64) -> bool {
        if !self.fresh {
            return true;
        }
        self.end.copy_from_slice(&self.now);
        let mut answered = self.look_within(local, t, (0.5 * h, h));
        for (index, last) in self.last.iter_mut().enumerate() {
            let part = if self.fired[index] { NEGLIGIBLE_AFTER_EVENT } else { NEGLIGIBLE };
            let part = part.max(2.0 * tolerance / h).min(0.01);
            if answered && last.abs() <= part * self.end[index].abs().max(self.now[index].abs()) {
                *last = 0.0;
            }
        }
        for index in 0..self.last.len() {
            if answered && self.last[index] == 0.0 {
                answered = self.departure(local, t, h, index);
            }
        }
        self.now.copy_from_slice(&self.end);
        answered
    }

    /// A function that was zero and is back within the step has the sign in between.
    fn departure(&mut self, local: &Local<'_>, t: f64, h: f64, index: usize) -> bool {
        let end = self.end[index];
        let (mut later, mut sign, mut run) = (end, 0.0, 0);
        for k in 1..=MOMENTS {
            if !self.look_within(local, t, (h * 0.5f64.powi(k), h)) {
                return false;
            }
            let f = self.now[index];
            if f == 0.0 || !changes(f, end) {
                (sign, run) = (0.0, 0);
            } else if run == 0 {
                (sign, run) = (f, 1);
            } else {
                // Half the time: half the way, or a quarter of it; more in the beginning of a short flight.
                run = if f.abs() < 0.9 * later.abs() { run + 1 } else { 1 };
            }
            later = f;
            if run >= IN_ORDER {
                self.last[index] = sign;
                return true;
            }
        }
        true
    }

    /// The point that was looked at is that of an event: it is one of all functions that change their signs up to there or within the
    /// tolerance behind.
    pub fn fire(&mut self, local: &Local<'_>, t: f64, h: f64, tolerance: f64) {
        self.end.copy_from_slice(&self.now);
        let seen = self.look_within(local, t, (h + tolerance, h));
        for (i, last) in self.last.iter_mut().enumerate() {
            let (here, behind) = (self.end[i], self.now[i]);
            let soon = seen && !changes(*last, here) && changes(*last, behind);
            self.fired[i] = soon || changes(*last, here);
            *last = if soon { behind } else { here };
        }
        self.fresh = false;
    }

    /// The first function from number `first` on whose event the accepted point is.
    pub fn fired_from(&self, first: usize) -> Option<usize> {
        (first..self.fired.len()).find(|&i| self.fired[i])
    }
}
