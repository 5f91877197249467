//! The polynomials of the steps of a run: the solution at any time.

use geoms::polynomial::DenseOutput;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Nodes of Newton forms that occur in a run: few.
type Nodes = Vec<Vec<f64>>;

/// Polynomials over consecutive intervals.
#[pyclass(module = "geoms._core")]
#[derive(Clone, Debug, Default)]
pub struct Polynomials {
    n: usize,
    /// Where each step begins.
    begin: Vec<f64>,
    /// Where it ends.
    end: Vec<f64>,
    /// The h of its polynomial.
    h: Vec<f64>,
    /// Which nodes.
    kind: Vec<u32>,
    /// Where its coefficients begin.
    start: Vec<u64>,
    coefficients: Vec<f64>,
    nodes: Nodes,
}

impl Polynomials {
    /// None yet, of vectors of length n.
    pub fn of_length(n: usize) -> Self {
        Polynomials { n, ..Polynomials::default() }
    }

    /// Keep the polynomial of a step.
    pub fn push(&mut self, t_old: f64, t: f64, dense: &DenseOutput<'_>) {
        let known = self.nodes.iter().position(|nodes| nodes == dense.nodes);
        let kind = known.unwrap_or_else(|| {
            self.nodes.push(dense.nodes.to_vec());
            self.nodes.len() - 1
        });
        self.begin.push(t_old);
        self.end.push(t);
        self.h.push(dense.h);
        self.kind.push(u32::try_from(kind).unwrap_or(u32::MAX));
        self.start.push(self.coefficients.len() as u64);
        self.coefficients.extend_from_slice(dense.contx);
    }

    /// x(t) from the step that holds t, the first or the last one beyond them.
    fn evaluate(&self, t: f64, x: &mut [f64]) {
        // The step that ends at t or later, as SciPy does it.
        let k = self.end.partition_point(|end| *end < t).min(self.end.len() - 1);
        let start = usize::try_from(self.start[k]).unwrap_or(0);
        let nodes = &self.nodes[self.kind[k] as usize];
        let contx = &self.coefficients[start..start + (nodes.len() + 2) * self.n];
        let s = (t - self.end[k]) / self.h[k];
        for (i, x) in x.iter_mut().enumerate() {
            *x = geoms::polynomial::evaluate(contx, self.n, i, s, nodes);
        }
    }
}

type State = (usize, Vec<f64>, Vec<f64>, Vec<f64>, Vec<u32>, Vec<u64>, Py<PyArray1<f64>>, Nodes);

#[pymethods]
impl Polynomials {
    #[new]
    fn new() -> Self {
        Polynomials::default()
    }

    /// Number of steps.
    fn __len__(&self) -> usize {
        self.end.len()
    }

    /// Ends of the steps, with the beginning of the first.
    #[getter]
    fn ts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let first = self.begin.first().copied();
        first.into_iter().chain(self.end.iter().copied()).collect::<Vec<f64>>().into_pyarray(py)
    }

    /// The solution at each of the times, one row for each.
    fn at<'py>(&self, py: Python<'py>, t: PyReadonlyArray1<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if self.end.is_empty() {
            return Err(PyValueError::new_err("there is no step to interpolate in"));
        }
        let times = t.as_array();
        let mut x = Array2::zeros((times.len(), self.n));
        for (t, mut row) in times.iter().zip(x.rows_mut()) {
            if let Some(row) = row.as_slice_mut() {
                self.evaluate(*t, row);
            }
        }
        Ok(x.into_pyarray(py))
    }

    fn __getstate__(&self, py: Python<'_>) -> State {
        (
            self.n,
            self.begin.clone(),
            self.end.clone(),
            self.h.clone(),
            self.kind.clone(),
            self.start.clone(),
            PyArray1::from_slice(py, &self.coefficients).unbind(),
            self.nodes.clone(),
        )
    }

    fn __setstate__(&mut self, py: Python<'_>, state: State) -> PyResult<()> {
        let (n, begin, end, h, kind, start, coefficients, nodes) = state;
        let coefficients = coefficients.bind(py).extract::<PyReadonlyArray1<'_, f64>>()?.as_array().to_vec();
        // What comes from a file is not trusted.
        let steps = end.len();
        let lengths = [begin.len(), h.len(), kind.len(), start.len()];
        let sound = lengths.iter().all(|len| *len == steps)
            && kind.iter().zip(&start).all(|(kind, start)| {
                let size = nodes.get(*kind as usize).map(|nodes| (nodes.len() + 2).checked_mul(n));
                let end = size.flatten().and_then(|size| usize::try_from(*start).ok()?.checked_add(size));
                end.is_some_and(|end| end <= coefficients.len())
            });
        if !sound {
            return Err(PyValueError::new_err("the saved polynomials are damaged"));
        }
        *self = Polynomials { n, begin, end, h, kind, start, coefficients, nodes };
        Ok(())
    }
}
