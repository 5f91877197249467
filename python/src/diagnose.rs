//! Questions about a model at one point.

use crate::model::CoreModel;
use crate::tables::options_of;
use geoms::check;
use geoms::diagnosis;
use geoms::initial::move_to_constraints;
use geoms::norm::{Scaling, Tolerance};
use geoms::stats::Stats;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn point(model: &CoreModel, x: &PyReadonlyArray1<'_, f64>) -> PyResult<Vec<f64>> {
    let x = x.as_array().to_vec();
    model.check_length("x", &x)?;
    Ok(x)
}

fn tolerance() -> Tolerance {
    Tolerance::scalar(1e-6, 1e-6)
}

/// Rows that do not fit each other, each as a sentence.
#[pyfunction]
fn check_model(
    py: Python<'_>,
    model: &CoreModel,
    options: &Bound<'_, PyDict>,
    t: f64,
    x: PyReadonlyArray1<'_, f64>,
) -> PyResult<Vec<String>> {
    let (x, options) = (point(model, &x)?, options_of(options, model.layout.form)?);
    let report = model.ask(py, |system| check::check_model(system, &options, &tolerance(), t, &x))?;
    Ok(report.findings.iter().map(ToString::to_string).collect())
}

/// Entries of the Jacobian, and parts, that are not those of differences.
#[pyfunction]
fn check_jacobian(
    py: Python<'_>,
    model: &CoreModel,
    t: f64,
    x: PyReadonlyArray1<'_, f64>,
) -> PyResult<Vec<String>> {
    let x = point(model, &x)?;
    model.ask(py, |system| {
        let mut all = Vec::new();
        if system.has_jacobian() {
            let report = diagnosis::check_jacobian(system, &tolerance(), t, &x)?;
            let why = |s: &diagnosis::Suspicion| match s {
                diagnosis::Suspicion::Sign => "has the wrong sign",
                diagnosis::Suspicion::Transposed => "is transposed",
            };
            all.extend(report.suspicions.iter().map(|(block, s)| format!("FX{block} {}", why(s))));
            all.extend(report.mismatches.iter().map(ToString::to_string));
        }
        let parts = diagnosis::check_parts(system, &tolerance(), t, &x)?.unwrap_or_default();
        all.extend(parts.iter().map(ToString::to_string));
        Ok(all)
    })
}

/// Ranks of the constraints: rows and rank of position and velocity level, smallest singular value, groups of dependent
/// rows, what can be dropped.
#[pyfunction]
fn rank_report<'py>(
    py: Python<'py>,
    model: &CoreModel,
    t: f64,
    x: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let x = point(model, &x)?;
    let report = model.ask(py, |system| diagnosis::rank_report(system, &tolerance(), t, &x))?;
    let dict = PyDict::new(py);
    dict.set_item("position", report.position)?;
    dict.set_item("velocity", report.velocity)?;
    dict.set_item("smallest", report.smallest)?;
    let names = |group: &Vec<geoms::layout::Name>| group.iter().map(ToString::to_string).collect::<Vec<_>>();
    dict.set_item("dependent", report.dependent.iter().map(names).collect::<Vec<_>>())?;
    dict.set_item("droppable", names(&report.droppable))?;
    Ok(dict)
}

/// The constraint forces at (t, x).
#[pyfunction]
fn constraint_forces<'py>(
    py: Python<'py>,
    model: &CoreModel,
    t: f64,
    x: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let x = point(model, &x)?;
    let forces = model.ask(py, |system| {
        let mut forces = vec![0.0; model.layout.dims.nv];
        diagnosis::constraint_forces(system, &tolerance(), t, &x, &mut forces)?;
        Ok(forces)
    })?;
    Ok(forces.into_pyarray(py))
}

/// A consistent point near x.
#[pyfunction]
fn make_consistent<'py>(
    py: Python<'py>,
    model: &CoreModel,
    options: &Bound<'py, PyDict>,
    t: f64,
    x: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (mut x, options) = (point(model, &x)?, options_of(options, model.layout.form)?);
    let moved = model.ask(py, |system| {
        let (layout, scaling) = (&model.layout, Scaling::new(&tolerance(), model.layout.n));
        move_to_constraints(system, layout, &options, &scaling, t, &mut x, &mut Stats::default())?;
        Ok(x)
    })?;
    Ok(moved.into_pyarray(py))
}

/// Put them into the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(check_model, m)?)?;
    m.add_function(wrap_pyfunction!(check_jacobian, m)?)?;
    m.add_function(wrap_pyfunction!(rank_report, m)?)?;
    m.add_function(wrap_pyfunction!(constraint_forces, m)?)?;
    m.add_function(wrap_pyfunction!(make_consistent, m)?)
}
