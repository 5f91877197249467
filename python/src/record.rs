//! What is kept of a run: its points, or those at given times, and the polynomials.

use crate::dense::Polynomials;
use crate::failure::Trap;
use geoms::events::Hit;
use geoms::system::{AcceptedStep, Observer, Outcome};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// How often progress is shown.
const SHOW: Duration = Duration::from_millis(200);

/// The record of a run.
#[pyclass(module = "geoms._core")]
pub struct Record {
    n: usize,
    t: Vec<f64>,
    /// Rows of points.
    x: Vec<f64>,
    /// Ends of all steps.
    grid: Vec<f64>,
    /// Times at which the solution is wanted instead of the points, and how many of them are done.
    wanted: Option<(Vec<f64>, usize)>,
    polynomials: Option<Polynomials>,
    /// Events: function, time, point.
    events: Vec<(usize, f64)>,
    event_points: Vec<f64>,
    on_step: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    shown: Instant,
    pub(crate) trap: Trap,
}

type Columns<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Record {
    #[new]
    fn new(
        n: usize,
        t_eval: Option<Vec<f64>>,
        dense: bool,
        on_step: Option<Py<PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> Self {
        Record {
            n,
            t: Vec::new(),
            x: Vec::new(),
            grid: Vec::new(),
            wanted: t_eval.map(|times| (times, 0)),
            polynomials: dense.then(|| Polynomials::of_length(n)),
            events: Vec::new(),
            event_points: Vec::new(),
            on_step,
            progress,
            shown: Instant::now(),
            trap: Trap::default(),
        }
    }

    /// Times and points, one row after the other; they are taken out, not copied.
    fn take_points<'py>(&mut self, py: Python<'py>) -> Columns<'py> {
        (std::mem::take(&mut self.t).into_pyarray(py), std::mem::take(&mut self.x).into_pyarray(py))
    }

    /// Ends of all steps.
    fn take_grid<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        std::mem::take(&mut self.grid).into_pyarray(py)
    }

    /// The polynomials, if they are kept.
    fn take_dense(&mut self) -> Option<Polynomials> {
        self.polynomials.take()
    }

    /// Function and time of every event, and the points.
    fn take_events<'py>(&mut self, py: Python<'py>) -> (Vec<(usize, f64)>, Bound<'py, PyArray1<f64>>) {
        (std::mem::take(&mut self.events), std::mem::take(&mut self.event_points).into_pyarray(py))
    }
}

impl Record {
    /// True if functions of Python are called.
    pub fn interpreted(&self) -> bool {
        self.on_step.is_some()
    }

    /// Events of the step just made.
    pub fn keep_events(&mut self, hits: &[Hit], step: &AcceptedStep<'_>) {
        for hit in hits {
            self.events.push((hit.index, hit.t));
            let at = self.event_points.len();
            self.event_points.resize(at + self.n, 0.0);
            let point = &mut self.event_points[at..];
            if hit.t >= step.t {
                point.copy_from_slice(step.x);
            } else {
                step.dense.all(hit.t, point);
            }
        }
    }

    fn tell(&mut self, step: &AcceptedStep<'_>) -> PyResult<bool> {
        if let Some(function) = &self.on_step {
            let stop = Python::attach(|py| {
                let x = PyArray1::from_slice(py, step.x);
                function.bind(py).call1((step.t, x))?.extract::<Option<bool>>()
            })?;
            if stop.unwrap_or(false) {
                return Ok(true);
            }
        }
        if let Some(function) = &self.progress {
            if self.shown.elapsed() >= SHOW {
                self.shown = Instant::now();
                Python::attach(|py| function.call1(py, (step.t, step.naccpt, step.h)))?;
            }
        }
        Ok(false)
    }
}

impl Observer for Record {
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome {
        self.grid.push(step.t);
        if let (Some(polynomials), true) = (&mut self.polynomials, step.naccpt > 0 && step.t > step.t_old) {
            polynomials.push(step.t_old, step.t, &step.dense);
        }
        match &mut self.wanted {
            None => {
                self.t.push(step.t);
                self.x.extend_from_slice(step.x);
            }
            Some((times, done)) => {
                while let Some(&t) = times.get(*done).filter(|t| **t <= step.t) {
                    *done += 1;
                    self.t.push(t);
                    if t == step.t {
                        self.x.extend_from_slice(step.x);
                    } else {
                        let at = self.x.len();
                        self.x.resize(at + self.n, 0.0);
                        step.dense.all(t, &mut self.x[at..]);
                    }
                }
            }
        }
        match self.tell(step) {
            Ok(false) => Outcome::Continue,
            Ok(true) => Outcome::Stop,
            Err(error) => {
                self.trap.keep(error);
                Outcome::Stop
            }
        }
    }
}
