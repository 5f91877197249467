//! Small systems made for one purpose.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};

type Rows = Box<dyn FnMut(f64, &[f64], &mut [f64]) + Send>;
type Blocks = Box<dyn FnMut(f64, &[f64], &mut JacobianBlocks) + Send>;

/// A system of closures. The mass matrix is the unit matrix and there is no JAC unless one is given.
pub struct Made {
    dims: Dimensions,
    form: Form,
    eom: Rows,
    mass: Option<Rows>,
    jac: Option<Blocks>,
    conditions: usize,
    cond: Option<Rows>,
}

impl Made {
    pub fn new(dims: Dimensions, eom: impl FnMut(f64, &[f64], &mut [f64]) + Send + 'static) -> Self {
        Made {
            dims,
            form: Form::StrangenessFree,
            eom: Box::new(eom),
            mass: None,
            jac: None,
            conditions: 0,
            cond: None,
        }
    }

    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    pub fn mass(mut self, mass: impl FnMut(f64, &[f64], &mut [f64]) + Send + 'static) -> Self {
        self.mass = Some(Box::new(mass));
        self
    }

    pub fn jac(mut self, jac: impl FnMut(f64, &[f64], &mut JacobianBlocks) + Send + 'static) -> Self {
        self.jac = Some(Box::new(jac));
        self
    }

    pub fn cond(
        mut self,
        conditions: usize,
        cond: impl FnMut(f64, &[f64], &mut [f64]) + Send + 'static,
    ) -> Self {
        self.conditions = conditions;
        self.cond = Some(Box::new(cond));
        self
    }

    pub fn boxed(self) -> Box<dyn System + Send> {
        Box::new(self)
    }
}

impl System for Made {
    fn dimensions(&self) -> Dimensions {
        self.dims
    }
    fn form(&self) -> Form {
        self.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        (self.eom)(t, x, rda);
        Outcome::Continue
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        match &mut self.mass {
            Some(f) => f(t, x, mass),
            None => mass.iter_mut().step_by(self.dims.nv + 1).for_each(|m| *m = 1.0),
        }
        Outcome::Continue
    }
    fn has_jacobian(&self) -> bool {
        self.jac.is_some()
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        if let Some(f) = &mut self.jac {
            f(t, x, fx);
        }
        Outcome::Continue
    }
    fn initial_condition_count(&self) -> usize {
        self.conditions
    }
    fn initial_conditions(&mut self, t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        if let Some(f) = &mut self.cond {
            f(t, x, cond);
        }
        Outcome::Continue
    }
}

/// One force element: r' = b(t, r) with its derivative.
pub fn scalar(
    b: impl Fn(f64, f64) -> f64 + Send + 'static,
    slope: impl Fn(f64, f64) -> f64 + Send + 'static,
) -> Made {
    let dims = Dimensions { nr: 1, ..Dimensions::default() };
    Made::new(dims, move |t, x, rda| rda[0] = b(t, x[0])).jac(move |t, x, fx| fx.fx[3][0] = -slope(t, x[0]))
}

/// RDA = A x + b with an exact JAC; `full` is A, M by N, column-major.
pub fn linear(dims: Dimensions, form: Form, full: Vec<f64>, shift: Vec<f64>) -> Made {
    let layout = Layout::new(dims, form);
    let (m, n) = (layout.m, layout.n);
    assert_eq!((full.len(), shift.len()), (m * n, m));
    let matrix = full.clone();
    Made::new(dims, move |_, x, rda| {
        rda.copy_from_slice(&shift);
        for (column, x) in matrix.chunks_exact(m).zip(x) {
            rda.iter_mut().zip(column).for_each(|(r, a)| *r += a * x);
        }
    })
    .form(form)
    .jac(move |_, _, fx| fx.set_from_full(&layout, &full))
}
