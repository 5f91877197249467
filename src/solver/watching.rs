//! Watching for events: what is watched, looking for events in a step, and going back to a terminal one.

use super::*;
use crate::events::{slope, Advice, Instead, Landing, NoValue, Rule};

/// Root functions, what is wanted of each, and to what event times are located.
pub struct Watched<'a> {
    /// The functions.
    pub roots: &'a mut dyn RootFunctions,
    /// One rule for each.
    pub rules: &'a [Rule],
    /// 0: to rounding.
    pub tolerance: f64,
}

impl Watched<'_> {
    /// A watch that begins at (t, x), after an earlier one.
    pub(super) fn begin(self, earlier: Option<&Watch>, (t, x, h): (f64, &[f64], f64)) -> Result<Watch> {
        let mut watch = Watch::new(self.rules, self.tolerance, x.len());
        if let Some(earlier) = earlier {
            watch.inherit(earlier);
        }
        watch.begin(self.roots, t, x).map_err(|bad| no_value(bad).at(t, h))?;
        Ok(watch)
    }
}

/// A root function without a value.
fn no_value(bad: NoValue) -> Failure {
    let what = match bad.instead {
        Instead::NotFinite(index) => format!("root function {} is NaN or Inf", index + 1),
        Instead::Retry => "the root functions cannot be evaluated (a positive return)".to_string(),
        Instead::Stop => "the root functions stopped the run (a negative return)".to_string(),
    };
    Failure::new(Code::RootFunctionFailed, format!("{what} at t = {:.15e}", bad.t))
}

impl Solver {
    /// What the method measures, by its name ([`crate::stats::MEASURES`]).
    pub fn measure(&self, name: &str) -> Option<f64> {
        self.driver.state().measures.by_name(name)
    }

    /// Watch root functions from here on; event times are located to `tolerance` (0: to rounding).
    pub fn watch(&mut self, roots: &mut dyn RootFunctions, rules: &[Rule], tolerance: f64) -> Result {
        let here = (self.t(), self.x(), self.h());
        self.watch = Some(Watched { roots, rules, tolerance }.begin(self.watch.as_ref(), here)?);
        Ok(())
    }

    /// Begin to watch again after the state was changed.
    pub fn rewatch(&mut self, roots: &mut dyn RootFunctions) -> Result {
        if let Some(mut watch) = self.watch.take() {
            let begun = watch.begin(roots, self.t(), self.x());
            self.watch = Some(watch);
            begun.map_err(|bad| self.no_value(bad))?;
        }
        Ok(())
    }

    pub(super) fn no_value(&self, bad: NoValue) -> Failure {
        no_value(bad).at(self.t(), self.h())
    }

    /// Look for events in the step just made; go back to a terminal one; tell the observer.
    pub(super) fn after_step(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut Option<&mut dyn RootFunctions>,
    ) -> Result<Option<Hit>> {
        self.told = false;
        let (Some(roots), Some(mut watch)) = (roots.as_deref_mut(), self.watch.take()) else {
            self.report(observer)?;
            return Ok(None);
        };
        let state = self.driver.state();
        let found = watch.search(roots, &state.dense(), state.t_old).map(|hits| {
            self.events.extend_from_slice(hits);
            hits.iter().find(|hit| hit.terminal).copied()
        });
        let landed = match found {
            Ok(Some(hit)) => self.land(system, observer, roots, &mut watch, hit).map(Some),
            Ok(None) => Ok(None),
            // As for the model: the step is not made, and a smaller one is tried.
            Err(NoValue { instead: Instead::Retry, .. }) => {
                self.told = true;
                let why = Rejection::Model { by: Code::RootFunctionFailed };
                self.driver.reject_accepted(why).map(|()| None)
            }
            Err(bad) => Err(self.no_value(bad)),
        };
        self.watch = Some(watch);
        let terminal = landed?;
        if !self.told {
            self.report(observer)?;
        }
        Ok(terminal)
    }

    /// Go back to a terminal event within the last step: the point there is made by a step to it, so that it has the order
    /// of the method and satisfies the constraints, which an interpolated one does not. The time is corrected until the
    /// root function vanishes at such a point. A repeated step counts once; its evaluations count.
    fn land(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut dyn RootFunctions,
        watch: &mut Watch,
        mut hit: Hit,
    ) -> Result<Hit> {
        let (proposal, end, first) = (self.h(), self.t(), hit.t);
        let begin = self.driver.state().t_old;
        // Steps from which nothing could be seen are not made: the event is where the step began, or where it ended.
        let smallest = (16.0 * f64::EPSILON * end.abs()).max(1e-13 * (end - begin));
        if hit.t - begin <= smallest {
            self.driver.step_back();
            (hit.t, self.told) = (begin, true);
        } else if hit.t < end {
            self.step_again(system, observer, hit.t)?;
            let f = watch.value(roots, hit.index, self.t(), self.x()).map_err(|bad| self.no_value(bad))?;
            let step = self.last_step();
            let enough = watch.enough(step.t_old, end);
            let near = step.t - 1e-3 * (step.t - step.t_old);
            let before = watch.value_within(roots, hit.index, near, &step.dense);
            let before = before.map_err(|bad| self.no_value(bad))?;
            let slope = slope((near, before), (hit.t, f));
            let mut landing = Landing::new((step.t_old + smallest, end), enough, (hit.t, f, slope));
            let mut advice = landing.begin();
            // Where a landing takes several steps (in a rank loss of the constraints) the next one begins with the last of them, and
            // would be shorter each time.
            let mut split = u32::from(step.t_old > begin);
            while let Advice::Try(t) | Advice::Back(t) = advice {
                let from = self.driver.state().t_old;
                self.step_again(system, observer, t)?;
                hit.t = self.t();
                split += u32::from(self.driver.state().t_old > from);
                if matches!(advice, Advice::Back(_)) || split > 1 {
                    break;
                }
                let f =
                    watch.value(roots, hit.index, self.t(), self.x()).map_err(|bad| self.no_value(bad))?;
                advice = landing.next(t, f);
            }
        }
        // The events at the same time stay so, and none before it is put behind it.
        for event in &mut self.events {
            event.t = if event.t >= first { hit.t } else { event.t.min(hit.t) };
        }
        self.driver.go_on_from_here(proposal);
        Ok(hit)
    }

    /// Make the last step again from its beginning, but to time t. If it had to be divided the points before t are part
    /// of the run, and the last of them is the new beginning.
    fn step_again(&mut self, system: &mut dyn System, observer: &mut dyn Observer, t: f64) -> Result {
        self.driver.step_back();
        self.driver.propose(t - self.t());
        self.told = true;
        while self.t() < t {
            self.driver.step(system, t)?;
            self.told = false;
            if self.t() < t {
                self.report(observer)?;
            }
        }
        Ok(())
    }
}
