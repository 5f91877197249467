//! Models as Python hands them over: the recipe of which every run makes a system of its own.

use crate::failure::{raise, Trap};
use crate::functions::{CompiledFunction, Function, Functions, Jacobian, Mass};
use crate::python::PythonFunction;
use geoms::error::{Code, Failure};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::Options as Presented;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;

/// A function as `geoms/_model.py` describes it: "compiled" with an address, "python" with a callable and whether it works in
/// place, "constant" with an array.
type Given = (String, Py<PyAny>, bool);

enum Source {
    Functions {
        eom: Given,
        mass: Option<Given>,
        jacobian: Option<Given>,
        parts: usize,
        conditions: Option<(usize, Given)>,
        user: usize,
    },
    Problem(String, Presented),
}

/// A model: dimensions and functions, or a problem of the library.
#[pyclass(module = "geoms._core", frozen)]
pub struct CoreModel {
    /// Of x and RDA.
    pub layout: Layout,
    source: Source,
    /// Something in it is written in Python.
    pub interpreted: bool,
}

fn form_of(form: i64) -> PyResult<Form> {
    match form {
        0 => Ok(Form::StrangenessFree),
        1 => Ok(Form::Index1),
        _ => Err(PyValueError::new_err(format!("form = {form} is not allowed; allowed: 0, 1"))),
    }
}

fn function(py: Python<'_>, name: &'static str, given: &Given, trap: &Trap) -> PyResult<Function> {
    let (kind, object, in_place) = given;
    if kind == "compiled" {
        let address = object.extract::<usize>(py)?;
        // SAFETY: who gives an address says what is there.
        let compiled = unsafe { CompiledFunction::at(address) };
        return compiled
            .map(Function::Compiled)
            .ok_or_else(|| PyValueError::new_err(format!("{name}: the address is 0")));
    }
    Ok(Function::Python(PythonFunction::new(name, object.clone_ref(py), *in_place, trap.clone())))
}

impl CoreModel {
    /// A system for one run. Exceptions of its functions go into the trap.
    pub fn system(&self, py: Python<'_>, trap: &Trap) -> PyResult<Box<dyn System + Send>> {
        match &self.source {
            Source::Problem(name, presented) => {
                let problem = geoms_problems::by_name(name)
                    .ok_or_else(|| PyValueError::new_err(format!("there is no problem {name:?}")))?;
                Ok(problem.system_with(presented.clone()))
            }
            Source::Functions { eom, mass, jacobian, parts, conditions, user } => {
                let mass = match mass {
                    None => Mass::Constant(Vec::new()),
                    Some((kind, object, _)) if kind == "constant" => {
                        let array: PyReadonlyArray2<'_, f64> = object.extract(py)?;
                        Mass::Constant(array.as_array().t().iter().copied().collect())
                    }
                    Some(given) => Mass::Function(function(py, "mass", given, trap)?),
                };
                let eom = function(py, "eom", eom, trap)?;
                let mut functions = Functions::new(self.layout, eom, mass, *user, trap);
                functions.parts = *parts;
                functions.jacobian = match jacobian {
                    None => None,
                    Some((kind, object, _)) if kind == "compiled" => {
                        Some(Jacobian::Compiled(object.extract(py)?))
                    }
                    Some((_, object, in_place)) => {
                        let f = PythonFunction::new("jac", object.clone_ref(py), *in_place, trap.clone());
                        Some(if *in_place { Jacobian::Blocks(f) } else { Jacobian::Full(f, Vec::new()) })
                    }
                };
                functions.conditions = match conditions {
                    None => None,
                    Some((count, given)) => Some((*count, function(py, "ivcond", given, trap)?)),
                };
                Ok(Box::new(functions))
            }
        }
    }

    /// Run something on a system of this model that can fail, outside of the interpreter if nothing in it needs it.
    pub fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&mut dyn System) -> Result<T, Failure> + Send,
    ) -> PyResult<T> {
        let trap = Trap::default();
        let mut system = self.system(py, &trap)?;
        let answer = if self.interpreted {
            question(system.as_mut())
        } else {
            py.detach(|| question(system.as_mut()))
        };
        answer.map_err(|failure| raise(py, &trap, &failure))
    }

    /// Refuse a vector of another length than x.
    pub fn check_length(&self, name: &str, x: &[f64]) -> PyResult<()> {
        if x.len() == self.layout.n {
            return Ok(());
        }
        let (given, n) = (x.len(), self.layout.n);
        Err(PyValueError::new_err(format!("{name} has {given} entries; allowed: N = {n}, {}", self.order())))
    }

    fn order(&self) -> String {
        let d = &self.layout.dims;
        let blocks =
            [("w", d.nw), ("lambda", d.nl), ("mu", d.nm), ("r", d.nr), ("v", d.nv), ("s", d.ns), ("p", d.np)];
        let there: Vec<String> =
            blocks.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{name}({n})")).collect();
        format!("x = [{}]", there.join(" "))
    }
}

/// An outcome as a result.
fn passed(outcome: Outcome, code: Code, t: f64) -> Result<(), Failure> {
    match outcome {
        Outcome::Continue => Ok(()),
        Outcome::Retry => {
            Err(Failure::new(Code::EomNotEvaluable, "a positive number was returned").at(t, 0.0))
        }
        Outcome::Stop => Err(Failure::new(code, "a negative number was returned").at(t, 0.0)),
    }
}

fn slices<'py>(py: Python<'py>, blocks: &[(&str, Range<usize>)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, range) in blocks {
        dict.set_item(name, (range.start, range.end))?;
    }
    Ok(dict)
}

#[pymethods]
impl CoreModel {
    #[new]
    #[pyo3(signature = (dims, form, eom, mass, jacobian, parts, conditions, user))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        dims: [usize; 8],
        form: i64,
        eom: Given,
        mass: Option<Given>,
        jacobian: Option<Given>,
        parts: usize,
        conditions: Option<(usize, Given)>,
        user: usize,
    ) -> PyResult<Self> {
        let [np, nv, nr, nw, ns, nl, nm, ni] = dims;
        let layout = Layout::new(Dimensions { np, nv, nr, nw, ns, nl, nm, ni }, form_of(form)?);
        let functions = [Some(&eom), mass.as_ref(), jacobian.as_ref(), conditions.as_ref().map(|(_, f)| f)];
        let interpreted = functions.into_iter().flatten().any(|(kind, ..)| kind == "python");
        let source = Source::Functions { eom, mass, jacobian, parts, conditions, user };
        Ok(CoreModel { layout, source, interpreted })
    }

    /// A problem of the library; `conditions` are x[index] = value.
    #[staticmethod]
    fn problem(
        name: String,
        form: i64,
        jacobian: bool,
        invariants: bool,
        conditions: Vec<(usize, f64)>,
    ) -> PyResult<Self> {
        let problem = geoms_problems::by_name(&name)
            .ok_or_else(|| PyValueError::new_err(format!("there is no problem {name:?}")))?;
        let presented = Presented { form: form_of(form)?, jacobian, invariants, conditions };
        let system = problem.system_with(presented.clone());
        let layout = Layout::new(system.dimensions(), system.form());
        Ok(CoreModel { layout, source: Source::Problem(name, presented), interpreted: false })
    }

    /// Length of x.
    #[getter]
    fn n(&self) -> usize {
        self.layout.n
    }

    /// Length of RDA.
    #[getter]
    fn m(&self) -> usize {
        self.layout.m
    }

    /// np, nv, nr, nw, ns, nl, nm, ni.
    #[getter]
    fn dims(&self) -> [usize; 8] {
        let d = &self.layout.dims;
        [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni]
    }

    /// Begin and end of the blocks of x.
    #[getter]
    fn state_blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let x = &self.layout.x;
        slices(
            py,
            &[
                ("w", x.w.range()),
                ("lambda", x.lambda.range()),
                ("mu", x.mu.range()),
                ("r", x.r.range()),
                ("v", x.v.range()),
                ("s", x.s.range()),
                ("p", x.p.range()),
            ],
        )
    }

    /// Begin and end of the blocks of RDA.
    #[getter]
    fn residual_blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let r = &self.layout.rda;
        slices(
            py,
            &[
                ("d", r.d.range()),
                ("gII", r.g_acceleration.range()),
                ("hI", r.h_acceleration.range()),
                ("gI", r.g_velocity.range()),
                ("h", r.h.range()),
                ("e", r.e.range()),
                ("c", r.c.range()),
                ("g", r.g.range()),
                ("b", r.b.range()),
                ("f_dyn", r.f_dyn.range()),
                ("f_kin", r.f_kin.range()),
            ],
        )
    }

    /// RDA at many points: t has K entries, x is K by N; K by M.
    fn rda<'py>(
        &self,
        py: Python<'py>,
        t: PyReadonlyArray1<'py, f64>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (k, n) = (t.len(), x.shape()[1]);
        if n != self.layout.n || x.shape()[0] != k {
            return Err(PyValueError::new_err(format!(
                "x has shape {:?}; allowed: ({k}, {}), {}",
                x.shape(),
                self.layout.n,
                self.order()
            )));
        }
        let (t, x) = (t.as_array().to_vec(), x.as_array().iter().copied().collect::<Vec<f64>>());
        let m = self.layout.m;
        let rows = self.ask(py, |system| {
            let mut rows = vec![0.0; k * m];
            for ((t, x), rda) in t.iter().zip(x.chunks(n)).zip(rows.chunks_mut(m)) {
                passed(system.eom(*t, x, rda), Code::StoppedByEom, *t)?;
            }
            Ok(rows)
        })?;
        let array = Array2::from_shape_vec((k, m), rows);
        Ok(array.map_err(|e| PyValueError::new_err(e.to_string()))?.into_pyarray(py))
    }

    /// The mass matrix at (t, x).
    fn mass<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (x, nv) = (x.as_array().to_vec(), self.layout.dims.nv);
        self.check_length("x", &x)?;
        let columns = self.ask(py, |system| {
            let mut mass = vec![0.0; nv * nv];
            passed(system.mass(t, &x, &mut mass), Code::StoppedByMas, t)?;
            Ok(mass)
        })?;
        let array = Array2::from_shape_fn((nv, nv), |(i, j)| columns[i + j * nv]);
        Ok(array.into_pyarray(py))
    }

    /// FX1..FX6 at (t, x), or None if the model has no Jacobian.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        t: f64,
        x: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Option<Vec<Bound<'py, PyArray2<f64>>>>> {
        let x = x.as_array().to_vec();
        self.check_length("x", &x)?;
        let blocks = self.ask(py, |system| {
            if !system.has_jacobian() {
                return Ok(None);
            }
            let mut fx = JacobianBlocks::new(&self.layout);
            passed(system.jacobian(t, &x, &mut fx), Code::StoppedByJac, t)?;
            Ok(Some(fx))
        })?;
        Ok(blocks.map(|fx| {
            let arrays = fx.fx.iter().zip(fx.shape).map(|(block, (m, n))| {
                Array2::from_shape_fn((m, n), |(i, j)| block[i + j * m]).into_pyarray(py)
            });
            arrays.collect()
        }))
    }
}
