//! The extension module `geoms._core`: models of Python functions, compiled functions or problems of the library, runs of them, the
//! tables of the library. What a user sees is made of it in `geoms/`.

mod dense;
mod diagnose;
mod failure;
mod functions;
mod model;
mod problems;
mod python;
mod record;
mod roots;
mod run;
mod tables;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", geoms::VERSION)?;
    m.add_class::<model::CoreModel>()?;
    m.add_class::<run::Run>()?;
    m.add_class::<record::Record>()?;
    m.add_class::<dense::Polynomials>()?;
    tables::register(m)?;
    problems::register(m)?;
    diagnose::register(m)?;
    Ok(())
}
