//! A run that is driven step by step: stopped, looked at, saved, resumed, interrupted by events.
//!
//! [`crate::integrate::integrate`] is the whole of it in one call; both make the same steps.

mod checking;
mod choice;
mod stop;
mod told;
mod watching;

pub use stop::StopRequest;
pub use watching::Watched;

use crate::arguments::{check_arguments, check_memory, check_pattern};
use crate::check::{Run, Watching};
use crate::driver::Driver;
use crate::error::{Code, Failure, Rejection, Result};
use crate::events::{Hit, RootFunctions, Watch};
use crate::initial;
use crate::layout::Layout;
use crate::methods::{self, Attempted, Maker};
use crate::norm::{Scaling, Tolerance};
use crate::options::{CheckLevel, Options, WatchLevel};
use crate::polynomial::DenseOutput;
use crate::stats::Stats;
use crate::system::{AcceptedStep, Observer, Outcome, Sparsity, Supplied, System};
use std::borrow::Cow;

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
    matches!(
        code,
        StepTooSmall
            | NewtonDiverges
            | EomNotEvaluable
            | RootFunctionFailed
            | SingularNewtonMatrix
            | QrOfNewtonMatrix
            | Lockup
    )
}

/// A run between two calls.
#[derive(Debug)]
pub struct Solver {
    driver: Driver,
    make: Maker,
    tolerance: Tolerance,
    scaling: Scaling,
    analytic: bool,
    /// The pattern that the run was begun with.
    pattern: Option<Sparsity>,
    stop: StopRequest,
    watch: Option<Watch>,
    /// Events of the last call, in the order of time.
    events: Vec<Hit>,
    /// The observer has been told of the current point.
    told: bool,
    /// The last call ended with a step size that nothing can be done with: the next one chooses anew.
    used_up: bool,
    /// The checks of the model, if any are asked for.
    checks: Option<Watching>,
}

impl Solver {
    /// Check the arguments, make x consistent (unless `options.consistent`), and stand at (t, x). A step size h that
    /// is not positive is chosen when the first step is made.
    pub fn start(
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        start: (f64, &[f64], f64),
    ) -> Result<Self> {
        Self::start_with(methods::begin, system, options, tolerance, start)
    }

    /// The same with a method of the caller's own; that of the options is ignored.
    pub fn start_with(
        make: Maker,
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        start: (f64, &[f64], f64),
    ) -> Result<Self> {
        let mut run = None;
        Self::begin_chosen(&mut run, make, system, (options, tolerance), start, None)?;
        Self::begun(run)
    }

    /// The same, bit for bit, in the memory of this solver if it has the same system, options and tolerances: runs of many initial values
    /// allocate once (method 0; the others begin with new memory).
    pub fn start_again(
        self,
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        start: (f64, &[f64], f64),
    ) -> Result<Self> {
        let mut run = Some(self);
        Self::begin_run(&mut run, system, options, tolerance, start, None)?;
        Self::begun(run)
    }

    fn begun(run: Option<Solver>) -> Result<Self> {
        run.ok_or_else(|| Failure::new(Code::Internal, "a run without a solver"))
    }

    /// Begin a run in the place of another or of none, with events watched from its beginning. All that can fail comes first:
    /// after a failure the other run is as it was.
    pub fn begin_run(
        run: &mut Option<Solver>,
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        start: (f64, &[f64], f64),
        watched: Option<Watched<'_>>,
    ) -> Result {
        let make = run.as_ref().map_or(methods::begin as Maker, |solver| solver.make);
        Self::begin_chosen(run, make, system, (options, tolerance), start, watched)
    }

    fn begin_in(
        run: &mut Option<Solver>,
        make: Maker,
        system: &mut dyn System,
        (options, tolerance): (&Options, &Tolerance),
        (t, x, h): (f64, &[f64], f64),
        watched: Option<Watched<'_>>,
    ) -> Result {
        let layout = Layout::new(system.dimensions(), system.form());
        let analytic = system.has_jacobian();
        check_arguments(&layout, options, tolerance, (t, x, h, t))?;
        check_pattern(&layout, system.sparsity())?;
        let earlier = run.as_mut().filter(|e| {
            (*e.layout(), e.analytic, e.pattern.as_ref()) == (layout, analytic, system.sparsity())
                && (&e.driver.options, &e.tolerance) == (options, tolerance)
        });
        if earlier.is_none() {
            check_memory(&layout, options, Supplied::by(system))?;
        }
        let scaling = Scaling::new(tolerance, layout.n);
        let (mut x, mut stats) = (Cow::Borrowed(x), Stats::default());
        if !options.consistent {
            initial::make_consistent(system, &layout, options, &scaling, t, x.to_mut(), &mut stats)
                .map_err(|failure| checking::at_start(failure, system, options, tolerance, (t, &x)))?;
        }
        // A model that was looked at, and is started again from values made consistent, is not looked at before it moves.
        let quick = options.check == CheckLevel::Quick && !options.consistent;
        let trusted = quick && earlier.as_ref().is_some_and(|e| e.trusts_its_model());
        let run_of = Run { options, tolerance, scaling: &scaling };
        let mut checks = checking::begin(trusted, system, &layout, &run_of, (t, &x, h), &mut stats)?;
        let watch = watched.map(|watched| watched.begin(None, (t, &x, h))).transpose()?;
        if let Some(solver) = earlier {
            if trusted {
                checks = solver.checks.take().map(Watching::again);
            }
            if solver.driver.begin_again((t, &x, h), stats) {
                solver.stop = StopRequest::default();
                (solver.watch, solver.checks) = (watch, checks);
                solver.events.clear();
                (solver.told, solver.used_up) = (false, false);
                return Ok(());
            }
        }
        let method = make(&layout, options, tolerance, Supplied::by(system), (t, &x, h));
        *run = Some(Solver {
            driver: Driver::new(method, &layout, options, stats),
            make,
            tolerance: tolerance.clone(),
            scaling,
            analytic,
            pattern: system.sparsity().cloned(),
            stop: StopRequest::default(),
            watch,
            events: Vec::new(),
            told: false,
            used_up: false,
            checks,
        });
        Ok(())
    }

    fn resume_method(
        system: &mut dyn System,
        options: &Options,
        tolerance: &Tolerance,
        saved: &[u8],
    ) -> Result<Self> {
        let zeros = vec![0.0; Layout::new(system.dimensions(), system.form()).n];
        let (check, watch) = (CheckLevel::Off, WatchLevel::Off);
        let taken = Options { consistent: true, check, watch, ..options.clone() };
        let (mut run, start) = (None, (0.0, &zeros[..], 0.0));
        Self::begin_in(&mut run, methods::begin, system, (&taken, tolerance), start, None)?;
        let mut solver = Self::begun(run)?;
        solver.driver.options = options.clone();
        solver.restore(saved)?;
        if options.watch != WatchLevel::Off {
            solver.checks = Some(Watching::resumed(solver.layout(), solver.stats().naccpt));
        }
        Ok(solver)
    }

    /// The layout of x.
    pub fn layout(&self) -> &Layout {
        &self.driver.layout
    }

    /// Current time.
    pub fn t(&self) -> f64 {
        self.driver.state().t
    }

    /// Current point.
    pub fn x(&self) -> &[f64] {
        &self.driver.state().x
    }

    /// Step size proposed for the next step.
    pub fn h(&self) -> f64 {
        self.driver.state().h
    }

    /// Counters.
    pub fn stats(&self) -> &Stats {
        &self.driver.state().stats
    }

    /// Start and end of the last step with the polynomial over it; before the first step it is constant.
    pub fn last_step(&self) -> AcceptedStep<'_> {
        let state = self.driver.state();
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

    /// Another NMAX, from now on.
    pub fn limit_steps(&mut self, nmax: u64) {
        self.driver.options.nmax = nmax;
    }

    /// One accepted step, not beyond `tend`; none at `tend`.
    pub fn step(&mut self, system: &mut dyn System, tend: f64) -> Result {
        if self.t() == tend {
            return Ok(());
        }
        self.check_step(tend)?;
        self.driver.choose_first_step(system, tend)?;
        self.driver.step(system, tend)
    }

    /// Try one step with the step size in hand, not beyond `tend`, and stay where it begins: systems that make their steps in
    /// common all [`Solver::commit`] it, or all [`Solver::take_back`]. `None` if the step is rejected: that is counted, and
    /// the step size reduced.
    pub fn attempt(&mut self, system: &mut dyn System, tend: f64) -> Result<Option<Attempted>> {
        self.check_step(tend)?;
        self.driver.choose_first_step(system, tend)?;
        self.driver.attempt(system, tend)
    }

    /// Time and point to which the last [`Solver::attempt`] led, if it waits to be accepted; the time.
    pub fn attempted(&self, x: &mut [f64]) -> Option<f64> {
        self.driver.attempted(x)
    }

    /// Accept what [`Solver::attempt`] tried.
    pub fn commit(&mut self, system: &mut dyn System) -> Result {
        let accepted = self.stats().naccpt;
        let outcome = self.driver.commit(system);
        self.told &= self.stats().naccpt == accepted;
        outcome
    }

    /// Give up what [`Solver::attempt`] tried, counted as a rejection for this reason; the next attempt has step size h. Nothing is
    /// done if the attempt was rejected already.
    pub fn take_back(&mut self, why: Rejection, h: f64) {
        self.driver.take_back(why, h);
    }

    /// Undo the last accepted step: stand where it began, as after a restart there. False if there is none to undo.
    pub fn step_back(&mut self) -> bool {
        self.driver.step_back()
    }

    /// The step size for the next step or attempt.
    pub fn propose(&mut self, h: f64) {
        self.driver.propose(h);
    }

    fn check_step(&self, tend: f64) -> Result {
        self.before_end(tend)?;
        if self.driver.options.fixed_step && !(self.h() > 0.0 && self.h().is_finite()) {
            let detail = format!("H = {} is not allowed; allowed: > 0 with IOPT(19) = FIXED = 1", self.h());
            return Err(Failure::new(Code::BadArgument, detail).at(self.t(), self.h()));
        }
        if self.stop.take() {
            return Err(Failure::new(Code::StopRequested, "").at(self.t(), self.h()));
        }
        Ok(())
    }

    /// Refuse a step where there is no room for one.
    fn before_end(&self, tend: f64) -> Result {
        if self.t() < tend {
            return Ok(());
        }
        let detail = format!("T = {:e}, TEND = {tend:e}", self.t());
        Err(Failure::new(Code::TendBeforeT, detail).at(self.t(), self.h()))
    }

    /// Step to `tend` or to a terminal event. The observer is told of the current point first if no step has been
    /// made, then of every accepted step.
    pub fn integrate(
        &mut self,
        system: &mut dyn System,
        observer: Option<&mut dyn Observer>,
        mut roots: Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Ending> {
        let mut silent = ();
        self.driver.expect_output(observer.is_some() || roots.is_some());
        let observer = observer.map_or(&mut silent as &mut dyn Observer, |observer| observer);
        let ending = self.drive(system, observer, &mut roots, tend);
        self.driver.expect_output(true);
        self.end_checks();
        ending
    }

    fn drive(
        &mut self,
        system: &mut dyn System,
        observer: &mut dyn Observer,
        roots: &mut Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Ending> {
        self.begin(system, observer, tend)?;
        while self.t() < tend {
            if let Some(hit) = self.one(system, observer, roots, tend)? {
                return Ok(Ending::Event(hit));
            }
        }
        Ok(Ending::Reached)
    }

    /// One step as [`Solver::integrate`] makes it, with output and events; the terminal event, if it ends there. None is made at
    /// `tend`.
    pub fn advance(
        &mut self,
        system: &mut dyn System,
        observer: Option<&mut dyn Observer>,
        mut roots: Option<&mut dyn RootFunctions>,
        tend: f64,
    ) -> Result<Option<Hit>> {
        let mut silent = ();
        let observer = observer.map_or(&mut silent as &mut dyn Observer, |observer| observer);
        if self.t() != tend {
            self.before_end(tend)?;
        }
        self.begin(system, observer, tend)?;
        let accepted = self.stats().naccpt;
        while self.t() < tend && self.stats().naccpt == accepted {
            if let Some(hit) = self.one(system, observer, &mut roots, tend)? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    fn begin(&mut self, system: &mut dyn System, observer: &mut dyn Observer, tend: f64) -> Result {
        self.events.clear();
        if std::mem::take(&mut self.used_up) && !self.driver.options.fixed_step {
            self.driver.propose(0.0);
        }
        let chosen = self.driver.choose_first_step(system, tend);
        chosen.map_err(|failure| self.told(system, tend, failure))?;
        if self.driver.state().restarted && !self.told {
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
    ) -> Result<Option<Hit>> {
        let accepted = self.stats().naccpt;
        let mut outcome = self.step(system, tend);
        if let Err(failure) = outcome {
            outcome = Err(self.told(system, tend, failure));
        }
        if self.stats().naccpt == accepted {
            self.used_up = matches!(&outcome, Err(failure) if used_up(failure.code));
            return outcome.map(|()| None).map_err(|failure| self.explained(failure, system));
        }
        self.look(system)?;
        // A run can end behind an accepted point (multipliers of redundant constraints): it is reported all the same.
        let ending = self.after_step(system, observer, roots);
        outcome?;
        ending
    }

    /// Tell the observer of the current point (SOLOUT).
    fn report(&mut self, observer: &mut dyn Observer) -> Result {
        self.told = true;
        let step = self.last_step();
        match observer.accepted(&step) {
            Outcome::Continue | Outcome::Retry => Ok(()),
            Outcome::Stop => Err(Failure::new(Code::StoppedBySolout, "IERR < 0").at(step.t, step.h)),
        }
    }

    /// Go on from another point, for example after an impact: positions, velocities and multipliers are made consistent
    /// in this order, each with the smallest correction, and the run begins anew with the step size in hand. NMAX counts from
    /// here. After a failure the run is as it was.
    pub fn move_to(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result {
        self.move_watching(system, t, x, None)
    }

    /// The same, with these events watched from there on.
    pub fn move_watching(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
        watched: Option<Watched<'_>>,
    ) -> Result {
        let (layout, options) = (&self.driver.layout, &self.driver.options);
        check_arguments(layout, options, &self.tolerance, (t, x, self.h(), t))?;
        let (mut y, mut stats) = (x.to_vec(), *self.stats());
        initial::move_to_constraints(system, layout, options, &self.scaling, t, &mut y, &mut stats)?;
        if let Some(watched) = watched {
            self.watch = Some(watched.begin(self.watch.as_ref(), (t, &y, self.h()))?);
        }
        self.driver.restart((t, &y), stats);
        self.told = false;
        Ok(())
    }

    /// Everything the run depends on, as bytes.
    pub fn save(&self) -> Vec<u8> {
        self.driver.save()
    }

    /// Put a saved state back, made by a solver of the same system, options and tolerances: the run goes on as if it
    /// had not been interrupted. If the bytes are refused the solver stays as it was.
    pub fn restore(&mut self, saved: &[u8]) -> Result {
        let x = self.x().to_vec();
        let start = (0.0, &x[..], 0.0);
        let (layout, options) = (&self.driver.layout, &self.driver.options);
        let supplied = Supplied { jacobian: self.analytic, entries: false, pattern: self.pattern.as_ref() };
        let mut fresh = (self.make)(layout, options, &self.tolerance, supplied, start);
        fresh.restore(saved).map_err(|bad| Failure::new(Code::BadArgument, bad.to_string()))?;
        self.driver.replace(fresh);
        self.told = false;
        Ok(())
    }
}
