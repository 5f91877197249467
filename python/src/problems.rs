//! The problem library.

use geoms_problems::{all, by_name, MassStructure, Problem};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn find(name: &str) -> PyResult<Problem> {
    by_name(name).ok_or_else(|| {
        let names: Vec<String> = all().into_iter().map(|p| p.name).collect();
        PyValueError::new_err(format!("there is no problem {name:?}; problems: {}", names.join(", ")))
    })
}

/// The names of all problems.
#[pyfunction]
fn problem_names() -> Vec<String> {
    all().into_iter().map(|problem| problem.name).collect()
}

/// What is known of a problem.
#[pyfunction]
fn problem<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let p = find(name)?;
    let (dict, d) = (PyDict::new(py), &p.dimensions);
    dict.set_item("name", &p.name)?;
    dict.set_item("source", p.source)?;
    dict.set_item("dims", [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni])?;
    dict.set_item("t0", p.t0)?;
    dict.set_item("tend", p.tend)?;
    dict.set_item("x0", p.x0.clone().into_pyarray(py))?;
    let structure = match p.mass {
        MassStructure::Full => 1,
        MassStructure::Diagonal => 2,
        MassStructure::ConstantFull => 3,
        MassStructure::ConstantDiagonal => 4,
    };
    dict.set_item("masstrct", structure)?;
    dict.set_item("time_dependent", p.time_dependent)?;
    dict.set_item("rank_deficient", p.rank_deficient)?;
    dict.set_item("redundant", p.redundant)?;
    dict.set_item("has_exact", p.exact.is_some())?;
    let references: Vec<_> = p.references.iter().map(|r| (r.t, r.values.clone(), r.source)).collect();
    dict.set_item("references", references)?;
    dict.set_item("at_end", p.at_end())?;
    Ok(dict)
}

/// The closed form of the solution.
#[pyfunction]
fn problem_exact<'py>(py: Python<'py>, name: &str, t: f64) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let exact = find(name)?.exact;
    let exact = exact.ok_or_else(|| PyValueError::new_err(format!("{name}: no closed form is known")))?;
    Ok(exact(t).into_pyarray(py))
}

/// Put them into the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(problem_names, m)?)?;
    m.add_function(wrap_pyfunction!(problem, m)?)?;
    m.add_function(wrap_pyfunction!(problem_exact, m)?)
}
