//! A run that is driven step by step: stopped, looked at, saved, resumed, interrupted by events.
//!
//! [`crate::integrate::integrate`] is the whole of it in one call; both make the same steps.

use crate::dense::DenseOutput;
use crate::error::{Code, Failure};
use crate::events::{Advice, Hit, Landing, NoValue, RootFunctions, Rule, Watch};
use crate::initial;
use crate::integrate::{check_arguments, check_memory};
use crate::layout::Layout;
use crate::methods::save::BadState;
use crate::methods::{self, Method};
use crate::norm::{Scaling, Tolerance};
use crate::options::Options;
use crate::stats::Stats;
use crate::system::{AcceptedStep, Observer, Outcome, System};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Asks a running integration to stop after the current step, from any thread or signal handler.
#[derive(Clone, Debug, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Ask.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once if it was asked for.
    fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// Why [`Solver::integrate`] came back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// The end of the interval.
    Reached,
    /// A terminal event; the solver stands at it.
    Event(Hit),
}

/// True for failures that come after the step size has been reduced as far as it goes.
fn used_up(code: Code) -> bool {
    use Code::*;
    matches!(code, StepTooSmall | NewtonDiverges | EomNotEvaluable | SingularNewtonMatrix | QrOfNewtonMatrix)
}

/// A run between two calls.
#[derive(Debug)]
pub struct Solver {
    layout: Layout,
    options: Options,
    tolerance: Tolerance,
    scaling: Scaling,
    method: Box<dyn Method>,
    analytic: bool,
    stop: StopRequest,
    watch: Option<Watch>,
    /// Events of the last call, in the order of time.
    events: Vec<Hit>,
    /// The observer has been told of the current point.
    told: bool,
    /// Where the last step began, if events are watched: the polynomial of a long step has lost digits there.
    before: Vec<f64>,
    /// The last call ended with a step size that nothing can be done with: the next one chooses anew.
    used_up: bool,
}

impl Solver {
    /// Check the arguments, make x consistent (unless `options.consistent`), and stand at (t, x). A step size h that
    /// is not positive is chosen when the first step is made.
    pub fn start(
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        (t, x, h): (f64, &[f64], f64),
    ) -> Result<Self, Failure> {
        Self::start_in(None, system, options, tolerance, (t, x, h))
    }

    /// The same, bit for bit, in the memory of this solver if it has the same system, options and tolerances: runs of many initial values
    /// allocate once (method 0; the others begin with new memory).
    pub fn start_again(
        self,
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        start: (f64, &[f64], f64),
    ) -> Result<Self, Failure> {
        Self::start_in(Some(self), system, options, tolerance, start)
    }

    fn start_in(
        earlier: Option<Solver>,
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        (t, x, h): (f64, &[f64], f64),
    ) -> Result<Self, Failure> {
        let layout = Layout::new(system.dimensions(), system.form());
        let analytic = system.has_jacobian();
        check_arguments(&layout, options, tolerance, (t, x, h, t))?;
        let earlier = earlier.filter(|e| {
            (e.layout, e.analytic) == (layout, analytic) && (&e.options, &e.tolerance) == (options, tolerance)
        });
        if earlier.is_none() {
            check_memory(&layout)?;
        }
        let (mut x, mut stats) = (Cow::Borrowed(x), Stats::default());
        if !options.consistent {
            let scaling = Scaling::new(tolerance, layout.n);
            initial::make_consistent(system, &layout, options, &scaling, t, x.to_mut(), &mut stats)?;
        }
        if let Some(mut solver) = earlier {
            if solver.method.begin_again((t, &x, h)) {
                solver.method.state_mut().stats = stats;
                solver.stop = StopRequest::default();
                solver.watch = None;
                solver.events.clear();
                solver.before.clear();
                (solver.told, solver.used_up) = (false, false);
                return Ok(solver);
            }
        }
        let scaling = Scaling::new(tolerance, layout.n);
        let mut method = methods::begin(&layout, options, tolerance, analytic, (t, &x, h));
        method.state_mut().stats = stats;
        Ok(Solver {
            layout,
            options: options.clone(),
            tolerance: tolerance.clone(),
            scaling,
            method,
            analytic,
            stop: StopRequest::default(),
            watch: None,
            events: Vec::new(),
            told: false,
            before: Vec::new(),
            used_up: false,
        })
    }

    /// A solver that stands where a saved one stood ([`Solver::save`]), of the same system, options and tolerances.
    pub fn resume(
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        saved: &[u8],
    ) -> Result<Self, Failure> {
        let zeros = vec![0.0; Layout::new(system.dimensions(), system.form()).n];
        let taken = Options { consistent: true, ..options.clone() };
        let mut solver = Solver::start(system, &taken, tolerance, (0.0, &zeros, 0.0))?;
        solver.options = options.clone();
        solver.restore(saved)?;
        Ok(solver)
    }

    /// The layout of x.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Current time.
    pub fn t(&self) -> f64 {
        self.method.state().t
    }

    /// Current point.
    pub fn x(&self) -> &[f64] {
        &self.method.state().x
    }

    /// Step size proposed for the next step.
    pub fn h(&self) -> f64 {
        self.method.state().h
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.method.state().stats
    }

    /// Start and end of the last step with the polynomial over it; before the first step it is constant.
    pub fn last_step(&self) -> AcceptedStep<'_> {
        let state = self.method.state();
        // Any nonzero step evaluates a constant polynomial.
        let h = match (state.h_last, state.h) {
            (last, _) if last > 0.0 => last,
            (_, next) if next > 0.0 => next,
            _ => 1.0,
        };
        AcceptedStep {
            naccpt: usize::try_from(state.stats.naccpt).unwrap_or(usize::MAX),
            t_old: state.t_old,
            t: state.t,
            x: &state.x,
            h,
            dense: DenseOutput { h, ..state.dense() },
        }
    }

    /// A handle with which the run can be asked to stop.
    pub fn stop_request(&self) -> StopRequest {
        self.stop.clone()
    }

    /// From now on listen to this one.
    pub fn stop_with(&mut self, request: StopRequest) {
        self.stop = request;
    }

    /// Events found by the last call of [`Solver::integrate`] or [`Solver::advance`], terminal or not.
    pub fn events(&self) -> &[Hit] {
        &self.events
    }

    /// Watch root functions from here on; event times are located to `tolerance` (0: to rounding).
    pub fn watch(
        &mut self,
        roots: &mut dyn RootFunctions,
        rules: &[Rule],
        tolerance: f64,
    ) -> Result<(), Failure> {
        let mut watch = Watch::new(rules, tolerance, self.layout.n);
        if let Some(before) = &self.watch {
            watch.inherit(before);
        }
        watch.begin(roots, self.t(), self.x()).map_err(|bad| self.no_value(bad))?;
        self.watch = Some(watch);
        Ok(())
    }

    /// One accepted step, not beyond `tend`.
    pub fn step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        if self.t() >= tend {
            let detail = format!("T = {:e}, TEND = {tend:e}", self.t());
            return Err(Failure::new(Code::TendBeforeT, detail).at(self.t(), self.h()));
        }
        if self.options.fixed_step && !(self.h() > 0.0 && self.h().is_finite()) {
            let detail = format!("H = {} is not allowed; allowed: > 0 with IOPT(19) = FIXED = 1", self.h());
            return Err(Failure::new(Code::BadArgument, detail).at(self.t(), self.h()));
        }
        if self.stop.take() {
            return Err(Failure::new(Code::StopRequested, "").at(self.t(), self.h()));
        }
        self.choose_first_step(system, tend)?;
        self.method.step(system, tend)
    }

    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let needed = self.method.state().h <= 0.0 && self.t() < tend && !self.options.fixed_step;
        if needed {
            self.method.choose_first_step(system, tend)
        } else {
            Ok(())
        }
    }

    /// Step to `tend` or to a terminal event. The observer is told of the current point first if no step has been
    /// made, then of every accepted step.
    pub fn integrate(
        &mut self,
        system: &mut dyn System,
        observer: Option<&mut dyn Observer>,
        mut roots: Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Ending, Failure> {
        let mut silent = ();
        self.method.expect_output(observer.is_some() || roots.is_some());
        let observer = match observer {
            Some(observer) => observer,
            None => &mut silent,
        };
        let ending = self.drive(system, observer, &mut roots, tend);
        self.method.expect_output(true);
        ending
    }

    fn drive(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Ending, Failure> {
        self.begin(system, observer, tend)?;
        while self.t() < tend {
            if let Some(hit) = self.one(system, observer, roots, tend)? {
                return Ok(Ending::Event(hit));
            }
        }
        Ok(Ending::Reached)
    }

    /// One step as [`Solver::integrate`] makes it, with output and events; the terminal event, if it ends there.
    pub fn advance(
        &mut self,
        system: &mut dyn System,
        observer: Option<&mut dyn Observer>,
        mut roots: Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Option<Hit>, Failure> {
        let mut silent = ();
        let observer = match observer {
            Some(observer) => observer,
            None => &mut silent,
        };
        self.begin(system, observer, tend)?;
        self.one(system, observer, &mut roots, tend)
    }

    fn begin(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        tend: f64,
    ) -> Result<(), Failure> {
        self.events.clear();
        if std::mem::take(&mut self.used_up) && !self.options.fixed_step {
            self.method.state_mut().h = 0.0;
        }
        self.choose_first_step(system, tend)?;
        if self.method.state().restarted && !self.told {
            self.report(observer)?;
        }
        Ok(())
    }

    fn one(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Option<Hit>, Failure> {
        let accepted = self.stats().naccpt;
        if roots.is_some() {
            self.before.clear();
            self.before.extend_from_slice(&self.method.state().x);
        }
        let outcome = self.step(system, tend);
        if self.stats().naccpt == accepted {
            self.used_up = matches!(&outcome, Err(failure) if used_up(failure.code));
            return outcome.map(|()| None);
        }
        // A run can end behind an accepted point (multipliers of redundant constraints): it is reported all the same.
        let ending = self.after_step(system, observer, roots);
        outcome?;
        ending
    }

    /// Look for events in the step just made; go back to a terminal one; tell the observer.
    fn after_step(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut Option<&mut dyn RootFunctions>,
    ) -> Result<Option<Hit>, Failure> {
        self.told = false;
        let (Some(roots), Some(mut watch)) = (roots.as_deref_mut(), self.watch.take()) else {
            self.report(observer)?;
            return Ok(None);
        };
        let state = self.method.state();
        let found = watch.search(roots, &state.dense(), state.t_old).map(|hits| {
            self.events.extend_from_slice(hits);
            hits.iter().find(|hit| hit.terminal).copied()
        });
        let landed = match found {
            Ok(Some(hit)) => self.land(system, observer, roots, &mut watch, hit).map(Some),
            Ok(None) => Ok(None),
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
    ) -> Result<Hit, Failure> {
        let (proposal, end, first) = (self.h(), self.t(), hit.t);
        let mut base = (self.method.state().t_old, self.before.clone());
        // Steps from which nothing could be seen are not made: the event is where the step began, or where it ended.
        let smallest = (16.0 * f64::EPSILON * end.abs()).max(1e-13 * (end - base.0));
        if hit.t - base.0 <= smallest {
            self.method.restart(base.0, &base.1);
            self.method.state_mut().stats.naccpt -= 1;
            (hit.t, self.told) = (base.0, true);
        } else if hit.t < end {
            self.step_again(system, observer, &mut base, hit.t)?;
            let enough = watch.enough(base.0, end);
            let f = watch.value(roots, hit.index, self.t(), self.x()).map_err(|bad| self.no_value(bad))?;
            let step = self.last_step();
            let near = step.t - 1e-3 * (step.t - step.t_old);
            let before = watch.value_within(roots, hit.index, near, &step.dense);
            let before = before.map_err(|bad| self.no_value(bad))?;
            let slope = (f - before) / (hit.t - near);
            let mut landing = Landing::new((base.0 + smallest, end), enough, (hit.t, f, slope));
            let mut advice = landing.begin();
            while let Advice::Try(t) | Advice::Back(t) = advice {
                self.step_again(system, observer, &mut base, t)?;
                hit.t = self.t();
                if matches!(advice, Advice::Back(_)) {
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
        let state = self.method.state_mut();
        (state.t_start, state.since_start, state.h) = (state.t, 0, proposal);
        Ok(hit)
    }

    /// Make the last step again from its beginning, but to time t. If it had to be divided the points before t are part
    /// of the run, and the last of them is the new beginning.
    fn step_again(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        base: &mut (f64, Vec<f64>),
        t: f64,
    ) -> Result<(), Failure> {
        self.method.restart(base.0, &base.1);
        self.method.state_mut().h = t - base.0;
        self.method.state_mut().stats.naccpt -= 1;
        self.told = true;
        while self.t() < t {
            self.method.step(system, t)?;
            self.told = false;
            if self.t() < t {
                self.report(observer)?;
                *base = (self.t(), self.x().to_vec());
            }
        }
        Ok(())
    }

    /// Tell the observer of the current point (SOLOUT).
    fn report(&mut self, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.told = true;
        let step = self.last_step();
        match observer.accepted(&step) {
            Outcome::Continue | Outcome::Retry => Ok(()),
            Outcome::Stop => Err(Failure::new(Code::StoppedBySolout, "IERR < 0").at(step.t, step.h)),
        }
    }

    /// Go on from another point, for example after an impact: positions, velocities and multipliers are made consistent
    /// in this order, each with the smallest correction, and the run begins anew with the step size in hand.
    pub fn move_to(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<(), Failure> {
        check_arguments(&self.layout, &self.options, &self.tolerance, (t, x, self.h(), t))?;
        let mut y = x.to_vec();
        let stats = &mut self.method.state_mut().stats;
        let (layout, options, scaling) = (&self.layout, &self.options, &self.scaling);
        initial::move_to_constraints(system, layout, options, scaling, t, &mut y, stats)?;
        self.method.restart(t, &y);
        self.told = false;
        Ok(())
    }

    /// Begin to watch again after the state was changed.
    pub fn rewatch(&mut self, roots: &mut dyn RootFunctions) -> Result<(), Failure> {
        if let Some(mut watch) = self.watch.take() {
            let begun = watch.begin(roots, self.t(), self.x());
            self.watch = Some(watch);
            begun.map_err(|bad| self.no_value(bad))?;
        }
        Ok(())
    }

    fn no_value(&self, bad: NoValue) -> Failure {
        let detail = format!("root function {} at t = {:.15e}", bad.index + 1, bad.t);
        Failure::new(Code::RootFunctionFailed, detail).at(self.t(), self.h())
    }

    /// Everything the run depends on, as bytes.
    pub fn save(&self) -> Vec<u8> {
        self.method.save()
    }

    /// Put a saved state back, made by a solver of the same system, options and tolerances: the run goes on as if it
    /// had not been interrupted. If the bytes are refused the solver stays as it was.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), Failure> {
        let x = self.x().to_vec();
        let start = (0.0, &x[..], 0.0);
        let mut fresh = methods::begin(&self.layout, &self.options, &self.tolerance, self.analytic, start);
        fresh.restore(saved).map_err(|bad| {
            let detail = match bad {
                BadState::Foreign => "the saved state is not one of this version",
                BadState::Different => "the saved state belongs to another system or other options",
                BadState::Damaged => "the saved state is damaged",
            };
            Failure::new(Code::BadArgument, detail)
        })?;
        self.method = fresh;
        self.told = false;
        Ok(())
    }
}
