//! Events: zeros of the user's root functions, located on the dense output of the last step.
//!
//! A root is a change of sign between two accepted points. It is bracketed on the collocation polynomial (`bracket.rs`) until
//! the bracket is as small as asked. The time of a terminal event is then corrected with points of the order of the
//! method ([`Landing`]).
//!
//! A function that is zero at a start or restart (a ball on the ground, about to leave it) has no sign there: it gets
//! that of the first moments of the step, so that the start itself is no event and a return within the step is one.

mod bracket;

use crate::polynomial::DenseOutput;
use crate::system::Outcome;
use bracket::Bracket;

/// The user's functions of (t, x) whose zeros are events.
pub trait RootFunctions {
    /// How many there are.
    fn count(&self) -> usize;
    /// Their values.
    fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome;
}

/// Which changes of sign count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Direction {
    /// Both.
    #[default]
    Any,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

/// How one root function is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rule {
    /// Which changes of sign count.
    pub direction: Direction,
    /// The integration stops at the event.
    pub terminal: bool,
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Root function, from 0.
    pub index: usize,
    /// Time.
    pub t: f64,
    /// True if the integration stops here.
    pub terminal: bool,
}

/// The root functions gave no usable values at this time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoValue {
    /// What they gave instead.
    pub instead: Instead,
    /// Time.
    pub t: f64,
}

/// What root functions give in place of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// NaN or Inf, this function, from 0.
    NotFinite(usize),
    /// They cannot be evaluated there: a smaller step may do.
    Retry,
    /// They end the run.
    Stop,
}

/// What the root functions give.
pub type Result<T = (), E = NoValue> = std::result::Result<T, E>;

/// Iterations of the bracketing; bisection alone would need about 60, a smooth function about ten.
const MAX_ITERATIONS: usize = 200;

/// A function is zero at a start if its value there is below this part of what it reaches in the first step...
const NEGLIGIBLE: f64 = 1e-12;
/// ... or below this one, if an event of this function is the reason of the restart.
const NEGLIGIBLE_AFTER_EVENT: f64 = 1e-8;
/// The first moments of a step are looked at down to this power of 1/2 of it.
const MOMENTS: i32 = 24;

/// Watches root functions over the steps.
#[derive(Clone, Debug)]
pub struct Watch {
    rules: Vec<Rule>,
    tolerance: f64,
    /// Value of each function at the last point; 0 where it has no sign.
    last: Vec<f64>,
    /// The values in `last` are those of a start or restart.
    fresh: bool,
    /// The functions whose event ended the last step.
    stopped: Vec<bool>,
    values: Vec<f64>,
    /// Those at the end of the step.
    end: Vec<f64>,
    x: Vec<f64>,
    hits: Vec<Hit>,
}

impl Watch {
    /// Watch functions with these rules; event times are located to `tolerance` (0: to rounding).
    pub fn new(rules: &[Rule], tolerance: f64, n: usize) -> Self {
        let count = rules.len();
        Watch {
            rules: rules.to_vec(),
            tolerance,
            last: vec![0.0; count],
            fresh: true,
            stopped: vec![false; count],
            values: vec![0.0; count],
            end: vec![0.0; count],
            x: vec![0.0; n],
            hits: Vec::with_capacity(count),
        }
    }

    /// Remember what ended the run that `other` has watched, if it has the same functions.
    pub fn inherit(&mut self, other: &Watch) {
        if self.rules == other.rules {
            self.stopped.copy_from_slice(&other.stopped);
        }
    }

    /// Values at a start or restart.
    pub fn begin(&mut self, roots: &mut dyn RootFunctions, t: f64, x: &[f64]) -> Result {
        self.evaluate(roots, t, x)?;
        self.last.copy_from_slice(&self.values);
        self.fresh = true;
        Ok(())
    }

    /// Events in the last step, in the order of time, up to the first terminal one and those at the same time.
    pub fn search(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        t_old: f64,
    ) -> Result<&[Hit]> {
        self.hits.clear();
        self.evaluate_within(roots, dense.t, dense)?;
        self.end.copy_from_slice(&self.values);
        if self.fresh {
            self.drop_negligible(roots, dense, t_old)?;
        }
        for index in 0..self.end.len() {
            let right = self.end[index];
            let (a, left, b, right) = match self.last[index] {
                0.0 => match self.departure(roots, dense, index, (t_old, right))? {
                    Some(bracket) => bracket,
                    None => continue,
                },
                left => (t_old, left, dense.t, right),
            };
            let rule = self.rules[index];
            let wanted = match rule.direction {
                Direction::Any => true,
                Direction::Rising => left < 0.0,
                Direction::Falling => left > 0.0,
            };
            // A zero at the end of the step counts there; it is no change of sign in the next one.
            if wanted && (right == 0.0 || (left < 0.0) != (right < 0.0)) {
                let t = self.locate(roots, dense, index, (a, left), (b, right))?;
                self.hits.push(Hit { index, t, terminal: rule.terminal });
            }
        }
        self.hits.sort_by(|a, b| a.t.total_cmp(&b.t));
        let stop = self.hits.iter().find(|hit| hit.terminal).copied();
        // What lies behind a terminal event is not part of the run: the other functions are watched from there on.
        if let Some(stop) = stop.filter(|stop| stop.t < dense.t) {
            self.evaluate_within(roots, stop.t, dense)?;
            self.end.copy_from_slice(&self.values);
        }
        // From here on nothing fails: a step whose end was not seen can be made again.
        self.last.copy_from_slice(&self.end);
        self.fresh = false;
        self.stopped.fill(false);
        let Some(stop) = stop else { return Ok(&self.hits) };
        let at_once = self.enough(t_old, dense.t);
        self.hits.retain(|hit| hit.t <= stop.t + at_once);
        for hit in self.hits.iter().filter(|hit| hit.t >= stop.t) {
            (self.last[hit.index], self.stopped[hit.index]) = (0.0, true);
        }
        Ok(&self.hits)
    }

    /// To what event times between these are located.
    pub fn enough(&self, a: f64, b: f64) -> f64 {
        self.tolerance.max(4.0 * f64::EPSILON * a.abs().max(b.abs()))
    }

    /// Value of one function at a point.
    pub fn value(&mut self, roots: &mut dyn RootFunctions, index: usize, t: f64, x: &[f64]) -> Result<f64> {
        self.evaluate(roots, t, x)?;
        Ok(self.values[index])
    }

    /// Value of one function at a time within a step.
    pub fn value_within(
        &mut self,
        roots: &mut dyn RootFunctions,
        index: usize,
        t: f64,
        dense: &DenseOutput<'_>,
    ) -> Result<f64> {
        self.evaluate_within(roots, t, dense)?;
        Ok(self.values[index])
    }

    /// In the first step after a start: values that are zero but for rounding errors have no sign.
    fn drop_negligible(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        t_old: f64,
    ) -> Result {
        let h = dense.t - t_old;
        self.evaluate_within(roots, t_old + 0.5 * h, dense)?;
        for (index, last) in self.last.iter_mut().enumerate() {
            let part = if self.stopped[index] { NEGLIGIBLE_AFTER_EVENT } else { NEGLIGIBLE };
            let part = if h > 0.0 { part.max(2.0 * self.tolerance / h).min(0.01) } else { part };
            if last.abs() <= part * self.end[index].abs().max(self.values[index].abs()) {
                *last = 0.0;
            }
        }
        Ok(())
    }

    /// A function without sign at t_old: the bracket (a, f(a), b, f(b)) of its return to zero within the step, if it left
    /// to the other side first. The signs of the first moments count if the function leaves zero in good order: a
    /// value that does not grow with time is a rounding error.
    fn departure(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        index: usize,
        (t_old, end): (f64, f64),
    ) -> Result<Option<(f64, f64, f64, f64)>> {
        let h = dense.t - t_old;
        let (mut later, mut run) = ((dense.t, end), 0);
        let mut bracket = None;
        for k in 1..=MOMENTS {
            let t = t_old + h * 0.5f64.powi(k);
            let f = self.value_within(roots, index, t, dense)?;
            let other_side = f != 0.0 && (end == 0.0 || (f < 0.0) != (end < 0.0));
            if !other_side {
                (later, run, bracket) = ((t, f), 0, None);
                continue;
            }
            match bracket {
                None => (bracket, run) = (Some((t, f, later.0, later.1)), 1),
                // Half the time: half the way, or a quarter of it; more in the beginning of a short flight.
                Some(_) if f.abs() < 0.9 * later.1.abs() => run += 1,
                Some(_) => run = 1,
            }
            later = (t, f);
            if run >= 4 {
                return Ok(bracket);
            }
        }
        Ok(None)
    }

    /// A zero of function `index` between two times at which its signs differ; the side behind the zero is
    /// returned, so that a restart there does not find it again.
    fn locate(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        index: usize,
        left: (f64, f64),
        right: (f64, f64),
    ) -> Result<f64> {
        let enough = self.enough(left.0, right.0);
        if right.1 == 0.0 {
            return self.first_zero(roots, dense, index, (left.0, right.0), enough);
        }
        let mut bracket = Bracket::new(left, right);
        for _ in 0..MAX_ITERATIONS {
            if bracket.width() <= enough {
                break;
            }
            let t = bracket.next(enough);
            let f = self.value_within(roots, index, t, dense)?;
            if f == 0.0 {
                return self.first_zero(roots, dense, index, (left.0, t), enough);
            }
            bracket.narrow((t, f));
        }
        Ok(bracket.later())
    }

    /// Where a function becomes zero that is zero at `zero` and not at `before`: there, unless it stays zero for a time.
    fn first_zero(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        index: usize,
        (mut before, mut zero): (f64, f64),
        enough: f64,
    ) -> Result<f64> {
        let just_before = zero - enough;
        if just_before <= before || self.value_within(roots, index, just_before, dense)? != 0.0 {
            return Ok(zero);
        }
        zero = just_before;
        while zero - before > enough {
            let t = before + 0.5 * (zero - before);
            if self.value_within(roots, index, t, dense)? == 0.0 {
                zero = t;
            } else {
                before = t;
            }
        }
        Ok(zero)
    }

    /// All functions at (t, x).
    fn evaluate(&mut self, roots: &mut dyn RootFunctions, t: f64, x: &[f64]) -> Result {
        let instead = match roots.evaluate(t, x, &mut self.values) {
            Outcome::Continue => self.values.iter().position(|v| !v.is_finite()).map(Instead::NotFinite),
            Outcome::Retry => Some(Instead::Retry),
            Outcome::Stop => Some(Instead::Stop),
        };
        instead.map_or(Ok(()), |instead| Err(NoValue { instead, t }))
    }

    /// The same at a time within the step.
    fn evaluate_within(&mut self, roots: &mut dyn RootFunctions, t: f64, dense: &DenseOutput<'_>) -> Result {
        let mut x = std::mem::take(&mut self.x);
        dense.all(t, &mut x);
        let evaluated = self.evaluate(roots, t, &x);
        self.x = x;
        evaluated
    }
}

/// Corrects the time of an event with points that were reached by a step to that time: the root function along them,
/// F(t), is the one whose zero is wanted; that of the dense output differs from it by the error of the interpolation.
#[derive(Clone, Debug)]
pub struct Landing {
    /// The zero lies between these times.
    between: (f64, f64),
    enough: f64,
    /// (t, F, slope) of the best point so far.
    best: (f64, f64, f64),
    steps: usize,
}

/// Slope between two points (t, F); 0, which says nothing, if they have the same time.
pub fn slope((a, fa): (f64, f64), (b, fb): (f64, f64)) -> f64 {
    if a == b {
        0.0
    } else {
        (fb - fa) / (b - a)
    }
}

/// Where to land next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advice {
    /// Try this time.
    Try(f64),
    /// The last point is the event.
    Stay,
    /// An earlier point was better: go back to this time.
    Back(f64),
}

/// Steps for one correction; two are the rule.
const MAX_LANDINGS: usize = 5;

impl Landing {
    /// Begin with F and its slope at the first time; `between` are the ends of the step.
    pub fn new(between: (f64, f64), enough: f64, first: (f64, f64, f64)) -> Self {
        Landing { between, enough, best: first, steps: 0 }
    }

    /// Advice after the first point.
    pub fn begin(&mut self) -> Advice {
        self.steps += 1;
        let (t, f, slope) = self.best;
        // Where the function is a step its slope says nothing.
        if slope == 0.0 {
            return Advice::Stay;
        }
        let next = t - f / slope;
        let inside = next > self.between.0 && next <= self.between.1;
        if (next - t).abs() <= self.enough || !inside || self.steps > MAX_LANDINGS {
            Advice::Stay
        } else {
            Advice::Try(next)
        }
    }

    /// Advice after F was found at the time that was advised.
    pub fn next(&mut self, t: f64, f: f64) -> Advice {
        let (t_best, f_best, _) = self.best;
        if f.abs() >= f_best.abs() {
            return Advice::Back(t_best);
        }
        self.best = (t, f, slope((t_best, f_best), (t, f)));
        self.begin()
    }
}

#[cfg(test)]
mod tests;
