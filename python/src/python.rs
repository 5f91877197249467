//! Calling Python functions: arguments as arrays, results into the memory of the library.

use crate::failure::Trap;
use geoms::linalg::stored::Stored;
use geoms::system::Outcome;
use numpy::ndarray::Dim;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// How often Ctrl-C is looked for.
const BEAT: Duration = Duration::from_millis(50);

/// Looks for Ctrl-C every so often.
pub struct Pulse {
    /// Calls until the clock is read, and how many they were at first.
    left: u32,
    interval: u32,
    last: Instant,
    trap: Trap,
}

impl Pulse {
    /// A pulse that keeps the exception in a trap.
    pub fn new(trap: Trap) -> Self {
        Pulse { left: 1, interval: 1, last: Instant::now(), trap }
    }

    /// Stop if Ctrl-C was pressed. Called often: the clock is read the more rarely the shorter the time between calls, because that
    /// costs as much as a small model.
    pub fn beat(&mut self) -> Outcome {
        if self.trap.ends() {
            return Outcome::Stop;
        }
        self.left -= 1;
        if self.left > 0 {
            return Outcome::Continue;
        }
        let elapsed = self.last.elapsed();
        self.interval = next_interval(self.interval, elapsed);
        self.left = self.interval;
        if elapsed < BEAT {
            return Outcome::Continue;
        }
        self.last = Instant::now();
        match Python::attach(|py| py.check_signals()) {
            Ok(()) => Outcome::Continue,
            Err(error) => {
                self.trap.keep(error);
                Outcome::Stop
            }
        }
    }
}

/// After how many calls the clock is read again, if so many have brought it to `elapsed` since the last look at signals.
fn next_interval(now: u32, elapsed: Duration) -> u32 {
    if elapsed < BEAT / 4 {
        (2 * now).min(64)
    } else if elapsed > 2 * BEAT {
        1
    } else {
        now
    }
}

/// A function of Python that fills an array, or returns one.
pub struct PythonFunction {
    /// What it is called in messages.
    name: &'static str,
    callable: Py<PyAny>,
    /// It takes (t, x, result) and writes to the result; otherwise it takes (t, x) and returns it.
    in_place: bool,
    trap: Trap,
    x: Option<Py<PyArray1<f64>>>,
}

impl PythonFunction {
    /// Of the object given by the user.
    pub fn new(name: &'static str, callable: Py<PyAny>, in_place: bool, trap: Trap) -> Self {
        PythonFunction { name, callable, in_place, trap, x: None }
    }

    /// x as an array that cannot be written to. The same one is used again unless the function has kept it.
    fn point<'py>(&mut self, py: Python<'py>, x: &[f64]) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if let Some(kept) = &self.x {
            let array = kept.bind(py);
            // SAFETY: the pointer is that of a live object.
            let alone = unsafe { pyo3::ffi::Py_REFCNT(array.as_ptr()) } == 1;
            if alone && array.len()? == x.len() {
                // SAFETY: ours alone: nothing else refers to the array.
                unsafe { std::slice::from_raw_parts_mut(array.data(), x.len()) }.copy_from_slice(x);
                return Ok(array.clone());
            }
        }
        let array = PyArray1::from_slice(py, x);
        array.call_method1("setflags", (false,))?;
        self.x = Some(array.clone().unbind());
        Ok(array)
    }

    /// What the function made of an exception: none, "not here", or the end.
    fn settle(&self, result: PyResult<()>) -> Outcome {
        match result {
            Ok(()) => Outcome::Continue,
            Err(error) => Python::attach(|py| {
                let retry = py.import("geoms._errors").and_then(|m| m.getattr("StepRefused"));
                if retry.is_ok_and(|class| error.matches(py, class).unwrap_or(false)) {
                    return Outcome::Retry;
                }
                self.trap.keep(error);
                Outcome::Stop
            }),
        }
    }

    /// A vector-valued function. In place, it begins with NaN: a row that is forgotten is noticed.
    pub fn vector(&mut self, t: f64, x: &[f64], out: &mut [f64]) -> Outcome {
        let result = Python::attach(|py| {
            let at = self.point(py, x)?;
            if self.in_place {
                let array = PyArray1::from_vec(py, vec![f64::NAN; out.len()]);
                self.callable.call1(py, (t, at, &array))?;
                let array = array.try_readonly()?;
                out.copy_from_slice(array.as_slice()?);
                return Ok(());
            }
            let returned = self.callable.bind(py).call1((t, at))?;
            if let Ok(array) = returned.extract::<PyReadonlyArray1<'_, f64>>() {
                if array.len()? == out.len() {
                    out.iter_mut().zip(array.as_array()).for_each(|(o, v)| *o = *v);
                    return Ok(());
                }
            }
            let array: PyReadonlyArray1<'_, f64> = self.converted(py, &returned, &[out.len()])?.extract()?;
            out.iter_mut().zip(array.as_array()).for_each(|(o, v)| *o = *v);
            Ok(())
        });
        self.settle(result)
    }

    /// A matrix-valued function; `out` is column-major.
    pub fn matrix(&mut self, t: f64, x: &[f64], (rows, columns): (usize, usize), out: &mut [f64]) -> Outcome {
        let result = Python::attach(|py| {
            let at = self.point(py, x)?;
            let fill = |array: &Bound<'_, PyArray2<f64>>, out: &mut [f64]| -> PyResult<()> {
                let array = array.try_readonly()?;
                let view = array.as_array();
                for j in 0..columns {
                    for i in 0..rows {
                        out[i + j * rows] = view[[i, j]];
                    }
                }
                Ok(())
            };
            if self.in_place {
                let array = PyArray2::zeros(py, Dim([rows, columns]), true);
                self.callable.call1(py, (t, at, &array))?;
                return fill(&array, out);
            }
            let returned = self.callable.bind(py).call1((t, at))?;
            let array: PyReadonlyArray2<'_, f64> =
                self.converted(py, &returned, &[rows, columns])?.extract()?;
            fill(&array, out)
        });
        self.settle(result)
    }

    /// The blocks FX1..FX6, in place.
    pub fn blocks(
        &mut self,
        t: f64,
        x: &[f64],
        shapes: &[(usize, usize); 6],
        fx: &mut [Stored; 6],
    ) -> Outcome {
        let result = Python::attach(|py| {
            let at = self.point(py, x)?;
            let arrays = shapes.map(|(rows, columns)| PyArray2::<f64>::zeros(py, Dim([rows, columns]), true));
            let tuple = pyo3::types::PyTuple::new(py, &arrays)?;
            self.callable.call1(py, (t, at, tuple))?;
            for (block, array) in fx.iter_mut().zip(&arrays) {
                // Made in column order, and Python cannot change that.
                let array = array.try_readonly()?;
                block.iter_mut().zip(array.as_array().t().iter()).for_each(|(o, v)| *o = *v);
            }
            Ok(())
        });
        self.settle(result)
    }

    /// One of several scalar functions.
    pub fn scalar(&mut self, t: f64, x: &[f64], out: &mut f64) -> Outcome {
        let result = Python::attach(|py| {
            let at = self.point(py, x)?;
            let returned = self.callable.bind(py).call1((t, at))?;
            *out = match returned.extract::<f64>() {
                Ok(value) => value,
                Err(_) => self.converted(py, &returned, &[])?.extract()?,
            };
            Ok(())
        });
        self.settle(result)
    }

    /// What was returned as an array of doubles of this shape, or why it is not one.
    fn converted<'py>(
        &self,
        py: Python<'py>,
        returned: &Bound<'py, PyAny>,
        shape: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = pyo3::types::PyTuple::new(py, shape)?;
        py.import("geoms._convert")?.call_method1("returned", (self.name, returned, shape))
    }
}
