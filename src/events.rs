//! Events: zeros of the user's root functions, located on the dense output of the last step.
//!
//! A root is a change of sign between two accepted points. It is bracketed on the collocation polynomial by the
//! Illinois variant of the secant method, safeguarded by bisection, until the bracket is as small as asked. A function
//! that is zero at a start or restart is watched from the first point on at which it is not.

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

/// Watches root functions over the steps.
#[derive(Clone, Debug)]
pub struct Watch {
    rules: Vec<Rule>,
    tolerance: f64,
    /// Last nonzero value of each function.
    last: Vec<f64>,
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
            values: vec![0.0; count],
            x: vec![0.0; n],
            hits: Vec::with_capacity(count),
        }
    }

    /// Values at a start or restart.
    pub fn begin(&mut self, roots: &mut dyn RootFunctions, t: f64, x: &[f64]) -> Result<(), NoValue> {
        self.evaluate(roots, t, Some(x), None)?;
        self.last.copy_from_slice(&self.values);
        Ok(())
    }

    /// Events in the last step, in the order of time, up to the first terminal one.
    pub fn search(
        &mut self,
        roots: &mut dyn RootFunctions,
        dense: &DenseOutput<'_>,
        t_old: f64,
    ) -> Result<&[Hit], NoValue> {
        self.hits.clear();
        self.evaluate(roots, dense.t, None, Some(dense))?;
        let end = self.values.clone();
        for (index, &right) in end.iter().enumerate() {
            let left = self.last[index];
            let rule = self.rules[index];
            let wanted = match rule.direction {
                Direction::Any => true,
                Direction::Rising => left < 0.0,
                Direction::Falling => left > 0.0,
            };
            // A zero at the end of the step counts there; it is no change of sign in the next one.
            if wanted && left != 0.0 && (right == 0.0 || (left < 0.0) != (right < 0.0)) {
                let t = self.locate(roots, dense, index, (t_old, left), (dense.t, right))?;
                self.hits.push(Hit { index, t, terminal: rule.terminal });
            }
        }
        self.hits.sort_by(|a, b| a.t.total_cmp(&b.t));
        if let Some(stop) = self.hits.iter().position(|hit| hit.terminal) {
            self.hits.truncate(stop + 1);
        }
        self.last.copy_from_slice(&end);
        // What lies behind a terminal event is not part of the run: the other functions are watched from there on.
        if let Some(stop) = self.hits.last().copied().filter(|hit| hit.terminal && hit.t < dense.t) {
            self.evaluate(roots, stop.t, None, Some(dense))?;
            self.last.copy_from_slice(&self.values);
            self.last[stop.index] = end[stop.index];
        }
        Ok(&self.hits)
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
        let enough = self.tolerance.max(4.0 * f64::EPSILON * a.abs().max(b.abs()));
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

#[cfg(test)]
mod tests {
    use super::*;

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
