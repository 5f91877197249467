//! Events: zeros of the user's root functions, located on the dense output of the last step.
//!
//! A root is a change of sign between two accepted points. It is bracketed on the collocation polynomial by the
//! Illinois variant of the secant method, safeguarded by bisection, until the bracket is as small as asked. The time of
//! a terminal event is then corrected with points of the order of the method ([`Landing`]).
//!
//! A function that is zero at a start or restart (a ball on the ground, about to leave it) has no sign there: it gets
//! that of the first moments of the step, so that the start itself is no event and a return within the step is one.

use crate::dense::DenseOutput;
use crate::system::Outcome;

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

/// A root function gave no usable value at this time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoValue {
    /// Root function, from 0; 0 if the call as a whole failed.
    pub index: usize,
    /// Time.
    pub t: f64,
}

/// Iterations of the bracketing; bisection alone would need about 60.
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
    pub fn begin(&mut self, roots: &mut dyn RootFunctions, t: f64, x: &[f64]) -> Result<(), NoValue> {
        self.evaluate(roots, t, Some(x), None)?;
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
    ) -> Result<&[Hit], NoValue> {
        self.hits.clear();
        self.evaluate(roots, dense.t, None, Some(dense))?;
        let end = self.values.clone();
        if self.fresh {
            self.drop_negligible(roots, dense, t_old, &end)?;
        }
        for (index, &right) in end.iter().enumerate() {
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
        self.last.copy_from_slice(&end);
        (self.fresh, self.stopped) = (false, vec![false; end.len()]);
        let Some(stop) = self.hits.iter().find(|hit| hit.terminal).copied() else { return Ok(&self.hits) };
        let at_once = self.enough(t_old, dense.t);
        self.hits.retain(|hit| hit.t <= stop.t + at_once);
        // What lies behind a terminal event is not part of the run: the other functions are watched from there on.
        if stop.t < dense.t {
            self.evaluate(roots, stop.t, None, Some(dense))?;
            self.last.copy_from_slice(&self.values);
        }
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
    pub fn value(
        &mut self,
        roots: &mut dyn RootFunctions,
        index: usize,
        t: f64,
        x: &[f64],
    ) -> Result<f64, NoValue> {
        self.evaluate(roots, t, Some(x), None)?;
        Ok(self.values[index])
    }

    /// Value of one function at a time within a step.
    pub fn value_within(
        &mut self,
        roots: &mut dyn RootFunctions,
        index: usize,
        t: f64,
        dense: &DenseOutput<'_>,
    ) -> Result<f64, NoValue> {
        self.evaluate(roots, t, None, Some(dense))?;
        Ok(self.values[index])
    }

    /// In the first step after a start: values that are zero but for rounding errors have no sign.
    fn drop_negligible(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        t_old: f64,
        end: &[f64],
    ) -> Result<(), NoValue> {
        let h = dense.t - t_old;
        self.evaluate(roots, t_old + 0.5 * h, None, Some(dense))?;
        for (index, last) in self.last.iter_mut().enumerate() {
            let part = if self.stopped[index] { NEGLIGIBLE_AFTER_EVENT } else { NEGLIGIBLE };
            let part = part.max(2.0 * self.tolerance / h).min(0.01);
            if last.abs() <= part * end[index].abs().max(self.values[index].abs()) {
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
    ) -> Result<Option<(f64, f64, f64, f64)>, NoValue> {
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

    /// Bracket a zero of function `index` between a and b, where its signs differ; the side behind the zero is
    /// returned, so that a restart there does not find it again.
    fn locate(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        index: usize,
        (mut a, mut fa): (f64, f64),
        (mut b, mut fb): (f64, f64),
    ) -> Result<f64, NoValue> {
        let enough = self.enough(a, b);
        let mut side = 0;
        for k in 0..MAX_ITERATIONS {
            if b - a <= enough || fb == 0.0 {
                break;
            }
            let secant = b - fb * (b - a) / (fb - fa);
            let middle = a + 0.5 * (b - a);
            // Every third time bisect: the secant may creep.
            let t = if k % 3 < 2 && secant > a && secant < b { secant } else { middle };
            self.evaluate(roots, t, None, Some(dense))?;
            let f = self.values[index];
            if (f < 0.0) == (fa < 0.0) && f != 0.0 {
                (a, fa) = (t, f);
                if side == -1 {
                    fb *= 0.5;
                }
                side = -1;
            } else {
                (b, fb) = (t, f);
                if side == 1 {
                    fa *= 0.5;
                }
                side = 1;
            }
        }
        Ok(b)
    }

    fn evaluate(
        &mut self,
        roots: &mut dyn RootFunctions,
        t: f64,
        x: Option<&[f64]>,
        dense: Option<&DenseOutput<'_>>,
    ) -> Result<(), NoValue> {
        if let Some(dense) = dense {
            dense.all(t, &mut self.x);
        }
        let outcome = roots.evaluate(t, x.unwrap_or(&self.x), &mut self.values);
        if outcome != Outcome::Continue {
            return Err(NoValue { index: 0, t });
        }
        match self.values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(NoValue { index, t }),
            None => Ok(()),
        }
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
        self.best = (t, f, (f - f_best) / (t - t_best));
        self.begin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x(t) = t - t²/φ: leaves zero and returns at φ.
    struct Flight;
    impl RootFunctions for Flight {
        fn count(&self) -> usize {
            1
        }
        fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
            values[0] = x[0];
            Outcome::Continue
        }
    }

    fn flight(phi: f64, offset: f64, contx: &mut [f64; 4]) -> DenseOutput<'_> {
        use crate::methods::radau::tableau::{C1, C2};
        let z = |t: f64| [t - t * t / phi];
        crate::dense::coefficients(&[z(1.0)[0] + offset], &z(C1), &z(C2), &z(1.0), contx);
        DenseOutput { t: 1.0, h: 1.0, contx, nodes: &crate::dense::RADAU5_NODES }
    }

    #[test]
    fn a_return_to_zero_within_the_first_step_is_found_and_the_start_is_not() {
        for phi in [0.9, 0.5, 0.03, 1e-3, 1e-4] {
            for (offset, after_event) in [(0.0, false), (1e-15, false), (-1e-15, false), (-1e-10, true)] {
                let mut contx = [0.0; 4];
                let dense = flight(phi, offset, &mut contx);
                let rule = Rule { terminal: true, ..Rule::default() };
                let mut watch = Watch::new(&[rule], 0.0, 1);
                watch.begin(&mut Flight, 0.0, &[offset]).expect("values");
                watch.stopped = vec![after_event];
                let hits = watch.search(&mut Flight, &dense, 0.0).expect("values");
                assert_eq!(hits.len(), 1, "{phi} {offset}");
                assert!((hits[0].t - phi).abs() < 1e-8, "{phi} {offset} {hits:?}");
            }
        }
        // It leaves and stays away, also tangentially: nothing.
        for phi in [Some(2.0), Some(f64::INFINITY), None] {
            for offset in [0.0, 1e-16, -1e-16] {
                let mut contx = [0.0; 4];
                let dense = match phi {
                    Some(phi) => flight(phi, offset, &mut contx),
                    None => parabola(&mut contx),
                };
                let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
                watch.begin(&mut Flight, 0.0, &[offset]).expect("values");
                assert_eq!(watch.search(&mut Flight, &dense, 0.0).expect("values"), [], "{phi:?} {offset}");
            }
        }
    }

    #[test]
    fn a_landing_converges_or_goes_back() {
        // F(t) = t³ - 1/8 from a time that is wrong by 1e-5.
        let f = |t: f64| t * t * t - 0.125;
        let t = 0.500_01;
        let mut landing = Landing::new((0.0, 1.0), 1e-15, (t, f(t), 0.74));
        let (mut advice, mut t, mut steps) = (landing.begin(), t, 0);
        while let Advice::Try(next) = advice {
            (t, steps) = (next, steps + 1);
            advice = landing.next(t, f(t));
        }
        assert!((t - 0.5).abs() < 1e-14 && steps <= 4, "{t} {steps} {advice:?}");
        // Not better, outside, or with a slope that says nothing: the first time stays.
        let mut noisy = Landing::new((0.0, 1.0), 0.0, (0.5, 1e-9, 1.0));
        assert!(matches!(noisy.begin(), Advice::Try(_)));
        assert_eq!(noisy.next(0.5 - 1e-9, 2e-9), Advice::Back(0.5));
        for slope in [0.0, 1e-12, f64::NAN] {
            assert_eq!(Landing::new((0.0, 1.0), 0.0, (0.5, 1e-9, slope)).begin(), Advice::Stay);
        }
    }

    #[test]
    fn events_at_the_same_time_end_the_run_together() {
        struct Twice;
        impl RootFunctions for Twice {
            fn count(&self) -> usize {
                3
            }
            fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
                values.copy_from_slice(&[x[0] - 0.25, 0.5 - t, t - 0.6]);
                Outcome::Continue
            }
        }
        let mut contx = [0.0; 4];
        let dense = parabola(&mut contx);
        let mut watch = Watch::new(&[Rule { terminal: true, ..Rule::default() }; 3], 0.0, 1);
        watch.begin(&mut Twice, 0.0, &[0.0]).expect("values");
        let hits = watch.search(&mut Twice, &dense, 0.0).expect("values");
        let mut found: Vec<usize> = hits.iter().map(|hit| hit.index).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1]);
    }

    struct Parabola;
    impl RootFunctions for Parabola {
        fn count(&self) -> usize {
            2
        }
        fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
            values[0] = x[0] - 0.25;
            values[1] = t - 0.75;
            Outcome::Continue
        }
    }

    /// x(t) = t² over [0, 1].
    fn parabola(contx: &mut [f64; 4]) -> DenseOutput<'_> {
        use crate::methods::radau::tableau::{C1, C2};
        crate::dense::coefficients(&[1.0], &[C1 * C1], &[C2 * C2], &[1.0], contx);
        DenseOutput { t: 1.0, h: 1.0, contx, nodes: &crate::dense::RADAU5_NODES }
    }

    #[test]
    fn zeros_are_found_in_order_and_cut_at_a_terminal_one() {
        let mut contx = [0.0; 4];
        let dense = parabola(&mut contx);
        for (terminal, expected) in [(false, 2), (true, 1)] {
            let rules = [Rule { terminal, ..Rule::default() }, Rule::default()];
            let mut watch = Watch::new(&rules, 0.0, 1);
            watch.begin(&mut Parabola, 0.0, &[0.0]).expect("values");
            let hits = watch.search(&mut Parabola, &dense, 0.0).expect("values");
            assert_eq!(hits.len(), expected);
            assert!(hits[0].index == 0 && (hits[0].t - 0.5).abs() < 1e-14, "{hits:?}");
            let t = hits[0].t;
            // What lies behind a terminal event is found when the run has gone on.
            let rest: Vec<usize> =
                watch.search(&mut Parabola, &dense, t).expect("values").iter().map(|h| h.index).collect();
            assert_eq!(rest, if terminal { vec![1] } else { vec![] });
        }
    }

    #[test]
    fn direction_and_nan() {
        let mut contx = [0.0; 4];
        let dense = parabola(&mut contx);
        let falling = [Rule { direction: Direction::Falling, terminal: false }; 2];
        let mut watch = Watch::new(&falling, 0.0, 1);
        watch.begin(&mut Parabola, 0.0, &[0.0]).expect("values");
        assert_eq!(watch.search(&mut Parabola, &dense, 0.0).expect("values"), []);
        struct Broken;
        impl RootFunctions for Broken {
            fn count(&self) -> usize {
                1
            }
            fn evaluate(&mut self, t: f64, _x: &[f64], values: &mut [f64]) -> Outcome {
                values[0] = if t > 0.0 { f64::NAN } else { 1.0 };
                Outcome::Continue
            }
        }
        let mut watch = Watch::new(&[Rule::default()], 0.0, 1);
        watch.begin(&mut Broken, 0.0, &[0.0]).expect("values");
        assert_eq!(watch.search(&mut Broken, &dense, 0.0), Err(NoValue { index: 0, t: 1.0 }));
    }
}
