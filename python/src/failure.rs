//! Failures of the library as exceptions of Python.

use geoms::error::{Code, Failure};
use geoms::options::{in_names, BadOption};
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Where an exception of a callback waits until the run has ended.
#[derive(Clone, Default)]
pub struct Trap(Arc<Trapped>);

#[derive(Default)]
struct Trapped {
    slot: Mutex<Option<PyErr>>,
    /// It is no `Exception` of a model, which may be one that cannot be evaluated elsewhere, but an interrupt or an exit.
    ends: AtomicBool,
}

impl Trap {
    /// Keep the last one, or what ends the run.
    pub fn keep(&self, error: PyErr) {
        let ends = Python::attach(|py| !error.is_instance_of::<PyException>(py));
        if let Ok(mut slot) = self.0.slot.lock() {
            if !self.ends() {
                self.0.ends.store(ends, Ordering::Relaxed);
                *slot = Some(error);
            }
        }
    }

    /// True if no function is to be called any more.
    pub fn ends(&self) -> bool {
        self.0.ends.load(Ordering::Relaxed)
    }

    /// Take it out.
    pub fn take(&self) -> Option<PyErr> {
        self.0.ends.store(false, Ordering::Relaxed);
        self.0.slot.lock().ok().and_then(|mut slot| slot.take())
    }
}

/// A text of the library in the names of this package.
pub fn in_python(text: &str) -> String {
    let mut out = in_names(text);
    for (handle, here) in [
        ("geoms_set_conditions", "ivcond"),
        ("geoms_check_jacobian", "Model.check_jacobian"),
        ("geoms_check_model", "Model.check"),
        ("geoms_set_parts", "parts"),
        ("a negative number was returned", "the function ended the run"),
    ] {
        out = out.replace(handle, here);
    }
    out
}

/// A refused option or argument.
pub fn refused(bad: &BadOption) -> PyErr {
    PyValueError::new_err(in_python(&bad.to_string()))
}

/// The exception for a failure: what a callback raised, ValueError for wrong arguments, otherwise GeomsError.
pub fn raise(py: Python<'_>, trap: &Trap, failure: &Failure) -> PyErr {
    if let Some(error) = trap.take() {
        return error;
    }
    let report = in_python(&failure.to_string());
    match failure.code {
        Code::BadArgument | Code::NotReady | Code::TendBeforeT => {
            let text = if failure.detail.is_empty() { failure.sentence() } else { &failure.detail };
            PyValueError::new_err(in_python(text))
        }
        Code::OutOfMemory => PyMemoryError::new_err(report),
        _ => describe(py, failure, report).unwrap_or_else(|error| error),
    }
}

fn describe(py: Python<'_>, failure: &Failure, report: String) -> PyResult<PyErr> {
    let facts = PyDict::new(py);
    facts.set_item("code", failure.code.idid())?;
    facts.set_item("name", failure.code.name())?;
    facts.set_item("sentence", in_python(failure.sentence()))?;
    facts.set_item("advice", in_python(failure.advice()))?;
    facts.set_item("detail", in_python(&failure.detail))?;
    facts.set_item("report", report)?;
    facts.set_item("t", failure.t)?;
    facts.set_item("h", failure.h)?;
    facts.set_item("component", failure.component.map(|name| name.to_string()))?;
    facts.set_item("theta", failure.theta)?;
    let class = py.import("geoms._errors")?.getattr("GeomsError")?;
    Ok(PyErr::from_value(class.call((), Some(&facts))?))
}
