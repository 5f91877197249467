//! Event functions, of Python or compiled.

use crate::failure::Trap;
use crate::functions::CompiledFunction;
use crate::python::PythonFunction;
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::system::Outcome;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The functions themselves.
pub enum Evaluated {
    /// One by one.
    Python(Vec<PythonFunction>),
    /// All at once: function, its last argument, how many there are.
    Compiled(CompiledFunction, usize, usize),
}

/// Event functions and what is wanted of each.
pub struct Roots {
    /// The functions.
    pub evaluated: Evaluated,
    /// One for each function.
    pub rules: Vec<Rule>,
    /// A terminal event ends the run when it has happened so often.
    pub needed: Vec<u64>,
}

/// As `geoms/_events.py` hands them over: callables or an address, and for each function direction and, if it is
/// terminal, the number of times.
#[derive(FromPyObject)]
pub struct GivenEvents {
    callables: Vec<Py<PyAny>>,
    address: usize,
    user: usize,
    direction: Vec<i32>,
    terminal: Vec<u64>,
}

impl GivenEvents {
    /// True if functions of Python are called.
    pub fn interpreted(&self) -> bool {
        !self.callables.is_empty()
    }

    /// None if there are no functions.
    pub fn roots(&self, py: Python<'_>, trap: &Trap) -> PyResult<Option<Roots>> {
        let count = self.direction.len();
        if count == 0 {
            return Ok(None);
        }
        let evaluated = if self.interpreted() {
            let each = |f: &Py<PyAny>| PythonFunction::new("event", f.clone_ref(py), false, trap.clone());
            Evaluated::Python(self.callables.iter().map(each).collect())
        } else {
            // SAFETY: who gives an address says what is there.
            let function = unsafe { CompiledFunction::at(self.address) };
            let function = function.ok_or_else(|| PyValueError::new_err("events: the address is 0"))?;
            Evaluated::Compiled(function, self.user, count)
        };
        let rule = |(direction, terminal): (&i32, &u64)| Rule {
            direction: match direction {
                1.. => Direction::Rising,
                0 => Direction::Any,
                _ => Direction::Falling,
            },
            terminal: *terminal > 0,
        };
        let rules = self.direction.iter().zip(&self.terminal).map(rule).collect();
        Ok(Some(Roots { evaluated, rules, needed: self.terminal.clone() }))
    }
}

impl RootFunctions for Evaluated {
    fn count(&self) -> usize {
        match self {
            Evaluated::Python(functions) => functions.len(),
            Evaluated::Compiled(_, _, count) => *count,
        }
    }

    fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        match self {
            Evaluated::Compiled(function, user, _) => function.call(t, x, values, *user),
            Evaluated::Python(functions) => {
                for (function, value) in functions.iter_mut().zip(values) {
                    match function.scalar(t, x, value) {
                        Outcome::Continue => {}
                        other => return other,
                    }
                }
                Outcome::Continue
            }
        }
    }
}
