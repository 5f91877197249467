//! A run: started, driven, looked at, saved, resumed.

use crate::failure::{in_python, raise, refused, Trap};
use crate::model::CoreModel;
use crate::python::Pulse;
use crate::record::Record;
use crate::roots::{GivenEvents, Roots};
use crate::tables::options_of;
use geoms::error::{Code, Failure};
use geoms::layout::Layout;
use geoms::methods::features::cautions;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::{Ending, Solver, StopRequest, Watched};
use geoms::stats::COUNTERS;
use geoms::system::{AcceptedStep, Observer, Outcome, System};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, TryLockError};

/// A run of a model.
#[pyclass(module = "geoms._core", frozen)]
pub struct Run {
    inner: Mutex<Inner>,
    stop: StopRequest,
}

/// What a call has to itself.
struct Inner {
    layout: Layout,
    system: Box<dyn System + Send>,
    roots: Option<Roots>,
    event_tolerance: f64,
    /// How often each event has happened.
    happened: Vec<u64>,
    solver: Solver,
    warnings: Vec<String>,
    /// Something in the model is written in Python, so the interpreter is kept.
    interpreted: bool,
    trap: Trap,
}

/// Where a run begins.
enum Begin<'a> {
    At(f64, &'a [f64], f64),
    Saved(&'a [u8]),
}

/// Root functions as the library takes them.
fn watched(roots: &mut Option<Roots>, tolerance: f64) -> Option<Watched<'_>> {
    let Roots { evaluated, rules, .. } = roots.as_mut()?;
    Some(Watched { roots: evaluated, rules, tolerance })
}

/// A solver that stands where the run begins.
fn stand(
    system: &mut dyn System,
    (options, tolerance): (&Options, &Tolerance),
    watched: Option<Watched<'_>>,
    begin: Begin<'_>,
) -> Result<Solver, Failure> {
    match begin {
        Begin::At(t, x, h) => {
            let mut solver = None;
            Solver::begin_run(&mut solver, system, options, tolerance, (t, x, h), watched)?;
            solver.ok_or_else(|| Failure::new(Code::Internal, "a run without a solver"))
        }
        Begin::Saved(saved) => {
            let mut solver = Solver::resume(system, options, tolerance, saved)?;
            if let Some(Watched { roots, rules, tolerance }) = watched {
                solver.watch(roots, rules, tolerance)?;
            }
            Ok(solver)
        }
    }
}

impl Inner {
    fn begin(
        py: Python<'_>,
        model: &CoreModel,
        options: &Bound<'_, PyDict>,
        (rtol, atol): (Vec<f64>, Vec<f64>),
        (events, event_tolerance): (&GivenEvents, f64),
        begin: Begin<'_>,
    ) -> PyResult<Self> {
        let options = options_of(options, model.layout.form)?;
        let tolerance = Tolerance { rtol, atol };
        tolerance.validate(model.layout.n, options.uround).map_err(|bad| refused(&bad))?;
        let trap = Trap::default();
        let mut system = model.system(py, &trap)?;
        let mut roots = events.roots(py, &trap)?;
        let interpreted = model.interpreted || events.interpreted();
        let mut warnings: Vec<String> =
            cautions(&options, &model.layout.dims).iter().map(|text| in_python(text)).collect();
        let made = {
            let (system, roots) = (system.as_mut(), &mut roots);
            let start = || stand(system, (&options, &tolerance), watched(roots, event_tolerance), begin);
            if interpreted {
                start()
            } else {
                py.detach(start)
            }
        };
        let mut solver = made.map_err(|failure| raise(py, &trap, &failure))?;
        warnings.extend(solver.take_warnings().iter().map(|text| in_python(text)));
        let happened = vec![0; roots.as_ref().map_or(0, |roots| roots.rules.len())];
        let layout = model.layout;
        Ok(Inner { layout, system, roots, event_tolerance, happened, solver, warnings, interpreted, trap })
    }

    /// Steps until the end, a terminal event, or one step; true at a terminal event.
    fn drive(&mut self, record: &mut Record, tend: f64, whole: bool) -> Result<bool, Failure> {
        let Inner { system, solver, roots, happened, trap, .. } = self;
        let mut pulse = Pulse::new(trap.clone());
        if (whole && roots.is_none()) || solver.t() >= tend {
            let mut observer = |step: &AcceptedStep<'_>| match pulse.beat() {
                Outcome::Stop => Outcome::Stop,
                _ => record.accepted(step),
            };
            let roots = roots.as_mut().map(|roots| &mut roots.evaluated as _);
            let ending = solver.integrate(system.as_mut(), Some(&mut observer), roots, tend)?;
            return Ok(matches!(ending, Ending::Event(_)));
        }
        // Step by step, because the point of an event has to be taken from the step in which it lies.
        while solver.t() < tend {
            let watched = roots.as_mut().map(|roots| &mut roots.evaluated as _);
            let advanced = solver.advance(system.as_mut(), Some(record), watched, tend);
            record.keep_events(solver.events(), &solver.last_step());
            for hit in solver.events() {
                happened[hit.index] += 1;
            }
            let hit = advanced?;
            let enough =
                |index: usize| roots.as_ref().is_none_or(|roots| happened[index] >= roots.needed[index]);
            if hit.is_some_and(|hit| enough(hit.index)) {
                return Ok(true);
            }
            if pulse.beat() == Outcome::Stop {
                return Err(Failure::new(Code::StopRequested, "").at(solver.t(), solver.h()));
            }
            if !whole {
                break;
            }
        }
        Ok(false)
    }
}

#[pymethods]
impl Run {
    /// Begin at (t, x).
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn start(
        py: Python<'_>,
        model: &CoreModel,
        options: &Bound<'_, PyDict>,
        rtol: Vec<f64>,
        atol: Vec<f64>,
        events: GivenEvents,
        event_tolerance: f64,
        t: f64,
        x: PyReadonlyArray1<'_, f64>,
        h: f64,
    ) -> PyResult<Self> {
        let x = x.as_array().to_vec();
        model.check_length("x0", &x)?;
        let begin = Begin::At(t, &x, h);
        let inner = Inner::begin(py, model, options, (rtol, atol), (&events, event_tolerance), begin)?;
        Ok(Run { stop: inner.solver.stop_request(), inner: Mutex::new(inner) })
    }

    /// Go on where a saved run was.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn resume(
        py: Python<'_>,
        model: &CoreModel,
        options: &Bound<'_, PyDict>,
        rtol: Vec<f64>,
        atol: Vec<f64>,
        events: GivenEvents,
        event_tolerance: f64,
        saved: &[u8],
    ) -> PyResult<Self> {
        let saved = saved.to_vec();
        let begin = Begin::Saved(&saved);
        let inner = Inner::begin(py, model, options, (rtol, atol), (&events, event_tolerance), begin)?;
        Ok(Run { stop: inner.solver.stop_request(), inner: Mutex::new(inner) })
    }

    /// Integrate to `tend`, or make one step towards it; true at a terminal event.
    fn integrate(
        &self,
        py: Python<'_>,
        record: &Bound<'_, Record>,
        tend: f64,
        whole: bool,
    ) -> PyResult<bool> {
        self.with(|run| {
            if !tend.is_finite() {
                let text = format!("tend = {tend} is not allowed; allowed: finite numbers");
                return Err(PyValueError::new_err(text));
            }
            if tend < run.solver.t() {
                let t = run.solver.t();
                return Err(PyValueError::new_err(format!("tend = {tend:e} lies before t = {t:e}")));
            }
            // What an earlier call has left behind.
            drop(run.trap.take());
            let mut record = record.try_borrow_mut().map_err(|e| PyRuntimeError::new_err(e.to_string()))?;
            let record = &mut *record;
            let ended = if run.interpreted || record.interpreted() {
                run.drive(record, tend, whole)
            } else {
                py.detach(|| run.drive(record, tend, whole))
            };
            if whole && run.roots.is_some() {
                run.solver.end_checks();
            }
            run.warnings.extend(run.solver.take_warnings().iter().map(|text| in_python(text)));
            if let (Err(_), Some(error)) = (&ended, record.trap.take()) {
                return Err(error);
            }
            ended.map_err(|failure| raise(py, &run.trap, &failure))
        })
    }

    /// Go on from another point.
    fn reset(&self, py: Python<'_>, t: f64, x: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let x = x.as_array().to_vec();
        self.with(|run| {
            if x.len() != run.layout.n {
                let (given, n) = (x.len(), run.layout.n);
                return Err(PyValueError::new_err(format!("x has {given} entries; allowed: N = {n}")));
            }
            let Inner { system, solver, roots, event_tolerance, .. } = run;
            let moved = solver.move_watching(system.as_mut(), t, &x, watched(roots, *event_tolerance));
            moved.map_err(|failure| raise(py, &run.trap, &failure))
        })
    }

    /// The solution at a time within the last step.
    fn dense<'py>(&self, py: Python<'py>, t: f64) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.with(|run| {
            let last = run.solver.last_step();
            if !(last.t_old <= t && t <= last.t) {
                let (a, b) = (last.t_old, last.t);
                let text = format!("t = {t} is not allowed; allowed: {a:e} to {b:e}, the last step");
                return Err(PyValueError::new_err(text));
            }
            let mut x = vec![0.0; run.layout.n];
            last.dense.all(t, &mut x);
            Ok(x.into_pyarray(py))
        })
    }

    /// All that the rest of the run depends on.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with(|run| Ok(PyBytes::new(py, &run.solver.save())))
    }

    /// Ask the run to stop after the current step; from any thread, at any time.
    fn request_stop(&self) {
        self.stop.request();
    }

    /// Current time.
    #[getter]
    fn t(&self) -> PyResult<f64> {
        self.with(|run| Ok(run.solver.t()))
    }

    /// Start of the last step.
    #[getter]
    fn t_old(&self) -> PyResult<f64> {
        self.with(|run| Ok(run.solver.last_step().t_old))
    }

    /// Step size proposed for the next step.
    #[getter]
    fn h(&self) -> PyResult<f64> {
        self.with(|run| Ok(run.solver.h()))
    }

    /// Current point.
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.with(|run| Ok(PyArray1::from_slice(py, run.solver.x())))
    }

    /// Warnings since the start.
    #[getter]
    fn warnings(&self) -> PyResult<Vec<String>> {
        self.with(|run| Ok(run.warnings.clone()))
    }

    /// All counters.
    #[getter]
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.with(|run| {
            let (dict, stats) = (PyDict::new(py), run.solver.stats());
            for (name, _) in COUNTERS {
                dict.set_item(name, stats.by_name(name))?;
            }
            Ok(dict)
        })
    }

    /// Another limit of the number of steps.
    fn limit_steps(&self, nmax: u64) -> PyResult<()> {
        self.with(|run| {
            run.solver.limit_steps(nmax);
            Ok(())
        })
    }
}

impl Run {
    /// Do something with the run, unless somebody else does.
    fn with<T>(&self, f: impl FnOnce(&mut Inner) -> PyResult<T>) -> PyResult<T> {
        match self.inner.try_lock() {
            Ok(mut inner) => f(&mut inner),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the run is in use: called from one of its functions, or from another thread",
            )),
            Err(TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("the run is lost after an internal error"))
            }
        }
    }
}
