//! The tables of the library: options, methods, counters, codes.

use crate::failure::refused;
use geoms::error::CODES;
use geoms::layout::Form;
use geoms::methods::features::METHODS;
use geoms::options::{Options, Slot, OPTIONS};
use geoms::stats::COUNTERS;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};

/// The options of a run by their names in the table, from the defaults of the handle.
pub fn options_of(given: &Bound<'_, PyDict>, form: Form) -> PyResult<Options> {
    let mut options = Options { form, recover: true, ..Options::default() };
    // In the order of the table, so that what contradicts itself is found whatever the order of the arguments.
    for entry in OPTIONS {
        let Some(value) = given.get_item(entry.name.to_lowercase())? else { continue };
        let set = match entry.slot {
            Slot::Iopt(_) => {
                let whole = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>();
                let number =
                    if whole { value.extract::<i64>() } else { value.call_method0("__index__")?.extract() };
                options.set_int(entry.name, number?)
            }
            Slot::Ropt(_) => options.set_real(entry.name, value.extract::<f64>()?),
        };
        set.map_err(|bad| refused(&bad))?;
    }
    Ok(options)
}

/// Refuse what is no option, or has no value of the right type.
#[pyfunction]
fn check_option(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(entry) = OPTIONS.iter().find(|entry| entry.name.eq_ignore_ascii_case(name)) else {
        let names: Vec<String> = OPTIONS.iter().map(|entry| entry.name.to_lowercase()).collect();
        return Err(PyTypeError::new_err(format!(
            "there is no option {name:?}; options: {}",
            names.join(", ")
        )));
    };
    let (fits, wanted) = match entry.slot {
        Slot::Iopt(_) => (value.extract::<i64>().is_ok() && value.hasattr("__index__")?, "an integer"),
        Slot::Ropt(_) => (value.extract::<f64>().is_ok(), "a number"),
    };
    if fits {
        return Ok(());
    }
    let value = value.repr()?;
    Err(PyTypeError::new_err(format!("{name} = {value} is not allowed; allowed: {wanted}, {}", entry.range)))
}

/// The option table: name, slot, range, default, meaning.
#[pyfunction]
fn options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let each = OPTIONS.iter().map(|entry| {
        let dict = PyDict::new(py);
        dict.set_item("name", entry.name.to_lowercase())?;
        dict.set_item("slot", entry.slot.to_string())?;
        dict.set_item("range", entry.range)?;
        dict.set_item("default", entry.handle.unwrap_or(entry.default))?;
        dict.set_item("meaning", entry.meaning)?;
        Ok(dict)
    });
    each.collect()
}

/// The name of a method in options: that of its variant, in small letters with underscores.
fn short_name(variant: &str) -> String {
    let mut name = String::new();
    for (i, letter) in variant.chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// The methods with what they do: number, name, title, and the rows of the table of features.
#[pyfunction]
fn methods(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let each = METHODS.iter().map(|features| {
        let (dict, rows) = (PyDict::new(py), PyDict::new(py));
        dict.set_item("number", features.kind as i64)?;
        dict.set_item("name", short_name(&format!("{:?}", features.kind)))?;
        dict.set_item("title", features.name)?;
        dict.set_item("orders", features.orders.to_vec())?;
        for (row, value) in features.rows() {
            rows.set_item(row, value)?;
        }
        dict.set_item("features", rows)?;
        // Of what a problem can ask for: does the method do it, by formulation?
        let does = PyDict::new(py);
        for (what, support) in [
            ("redundant", features.redundant),
            ("nonholonomic", features.nonholonomic),
            ("force_elements", features.force_elements),
            ("auxiliary", features.auxiliary),
            ("contact", features.contact),
            ("kinematics", features.kinematics),
            ("invariants", features.invariants),
            ("stiff", features.stiff),
        ] {
            does.set_item(what, (support.with(Form::StrangenessFree), support.with(Form::Index1)))?;
        }
        dict.set_item("does", does)?;
        Ok(dict)
    });
    each.collect()
}

/// The number of a method, given by number or name.
#[pyfunction]
fn method_number(method: &Bound<'_, PyAny>) -> PyResult<i64> {
    let known = || {
        let names =
            METHODS.iter().map(|f| format!("{} {:?}", f.kind as i64, short_name(&format!("{:?}", f.kind))));
        names.collect::<Vec<_>>().join(", ")
    };
    let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let found = if let Ok(name) = method.extract::<String>() {
        METHODS
            .iter()
            .find(|f| plain(&format!("{:?}", f.kind)) == plain(&name) || plain(f.name) == plain(&name))
    } else if let Ok(number) = method.extract::<i64>() {
        METHODS.iter().find(|f| f.kind as i64 == number)
    } else {
        let what = method.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "method is a {what}; allowed: a number or a name of {}",
            known()
        )));
    };
    found.map(|features| features.kind as i64).ok_or_else(|| {
        PyValueError::new_err(format!("method = {method} is not allowed; allowed: {}", known()))
    })
}

/// The counters and what they mean.
#[pyfunction]
fn counters() -> Vec<(&'static str, String)> {
    COUNTERS
        .iter()
        .map(|(name, text)| (*name, text.split_whitespace().collect::<Vec<_>>().join(" ")))
        .collect()
}

/// The codes: IDID, name, sentence, advice.
#[pyfunction]
fn codes() -> Vec<(i32, &'static str, String, String)> {
    let named = crate::failure::in_python;
    CODES.iter().map(|c| (c.idid(), c.name(), named(c.sentence()), named(c.advice()))).collect()
}

/// Put them into the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(check_option, m)?)?;
    m.add_function(wrap_pyfunction!(options, m)?)?;
    m.add_function(wrap_pyfunction!(methods, m)?)?;
    m.add_function(wrap_pyfunction!(method_number, m)?)?;
    m.add_function(wrap_pyfunction!(counters, m)?)?;
    m.add_function(wrap_pyfunction!(codes, m)?)
}
