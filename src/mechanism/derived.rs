//! [`Model`]: a [`Mechanism`] as a [`System`], with its Jacobian exact to round-off.

use super::derivation::Workspace;
use super::dual::solve_in_place;
use super::lanes::{Lanes, LANES};
use super::Mechanism;
use crate::layout::{Dimensions, Form, Layout};
use crate::system::{JacobianBlocks, Outcome, System};
use std::ops::Range;

/// How a mechanism is presented to a solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Formulation of the rows.
    pub form: Form,
    /// Supply the analytic Jacobian.
    pub jacobian: bool,
    /// Impose the solution invariants that the mechanism has.
    pub invariants: bool,
    /// Initial value conditions `x[index] = value`.
    pub conditions: Vec<(usize, f64)>,
}

impl Options {
    /// A formulation, with or without analytic Jacobian.
    pub fn new(form: Form, jacobian: bool) -> Self {
        Options { form, jacobian, ..Options::default() }
    }

    /// Residuals of the initial value conditions.
    pub fn condition_residuals(&self, x: &[f64], cond: &mut [f64]) {
        for (c, &(index, value)) in cond.iter_mut().zip(&self.conditions) {
            *c = x[index] - value;
        }
    }
}

/// A mechanism as the integrators see it. After construction no call allocates.
#[derive(Clone, Debug)]
pub struct Model<M> {
    mechanism: M,
    layout: Layout,
    options: Options,
    constants: Vec<f64>,
    value: Workspace<f64>,
    slope: Workspace<Lanes>,
    x: Vec<Lanes>,
    rda: Vec<Lanes>,
    mass: Vec<Lanes>,
}

impl<M: Mechanism> Model<M> {
    /// The mechanism with these options. The constants of the invariants are those of `(t0, x0)`.
    pub fn new(mechanism: M, options: Options, t0: f64, x0: &[f64]) -> Self {
        let mut dims = mechanism.dimensions();
        if !options.invariants {
            dims.ni = 0;
        }
        let layout = Layout::new(dims, options.form);
        let flat = Lanes::constant(0.0);
        let mut model = Model {
            value: Workspace::new(&dims),
            slope: Workspace::new(&dims),
            x: vec![flat; layout.n],
            rda: vec![flat; layout.m],
            mass: vec![flat; dims.nv * dims.nv],
            constants: vec![0.0; dims.ni],
            mechanism,
            layout,
            options,
        };
        let (p, v, s) = (layout.x.p.of(x0), layout.x.v.of(x0), layout.x.s.of(x0));
        if dims.ni > 0 {
            model.mechanism.invariants(t0, p, v, s, &mut model.constants);
        }
        model
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }

    /// Determine w, λ, μ from the rows d, gII, hI at the given positions and velocities (Newton; the
    /// rows are linear in λ and μ for all mechanisms without friction).
    pub fn settle_algebraic(&mut self, t: f64, x: &mut [f64]) {
        let n = self.layout.n1();
        let mut rda = vec![0.0; self.layout.m];
        let mut matrix = vec![0.0; n * n];
        for _ in 0..4 {
            for first in (0..n).step_by(LANES) {
                self.differentiate(t, x, first..n.min(first + LANES));
                for j in first..n.min(first + LANES) {
                    (0..n).for_each(|i| matrix[i + j * n] = self.rda[i].d[j - first]);
                }
            }
            self.value.rows(&self.mechanism, &self.layout, t, x, &mut rda);
            let mut step = rda[..n].to_vec();
            solve_in_place(n, &mut matrix, &mut step);
            x.iter_mut().zip(&step).for_each(|(xi, d)| *xi -= d);
        }
    }

    /// Derivatives of all rows with respect to some components of x, into `self.rda`.
    fn differentiate(&mut self, t: f64, x: &[f64], columns: Range<usize>) {
        self.lift(x, columns);
        self.slope.rows(&self.mechanism, &self.layout, Lanes::constant(t), &self.x, &mut self.rda);
    }

    /// x, with a direction for each of these components.
    fn lift(&mut self, x: &[f64], columns: Range<usize>) {
        self.x.iter_mut().zip(x).for_each(|(lifted, x)| *lifted = Lanes::constant(*x));
        for (k, column) in columns.enumerate() {
            self.x[column].d[k] = 1.0;
        }
    }
}

impl<M: Mechanism> System for Model<M> {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.value.rows(&self.mechanism, &self.layout, t, x, rda);
        for (e, constant) in self.layout.rda.e.of_mut(rda).iter_mut().zip(&self.constants) {
            *e -= constant;
        }
        Outcome::Continue
    }

    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.fill(0.0);
        self.mechanism.mass(t, self.layout.x.p.of(x), mass);
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        self.options.jacobian
    }

    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let (n, places) = (self.layout.n, self.layout.fx_position());
        // G Z moves with s and p alone: along the other components it is found once.
        let still = self.layout.x.contact_position.start;
        let mut first = 0;
        while first < n {
            let last = (first + LANES).min(if first < still { still } else { n });
            self.slope.keeps_constraints(first > 0 && first < still);
            self.differentiate(t, x, first..last);
            for (k, &(rows, start)) in places.iter().enumerate() {
                let (m, width) = fx.shape[k];
                for column in first.max(start)..last.min(start + width) {
                    let target = &mut fx.fx[k][(column - start) * m..][..m];
                    for (entry, row) in target.iter_mut().zip(&self.rda[rows.range()]) {
                        *entry = -row.d[column - first];
                    }
                }
            }
            first = last;
        }
        self.slope.keeps_constraints(false);
        Outcome::Continue
    }

    fn initial_condition_count(&self) -> usize {
        self.options.conditions.len()
    }

    fn initial_conditions(&mut self, _t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        self.options.condition_residuals(x, cond);
        Outcome::Continue
    }

    fn mass_acceleration_dp(&mut self, t: f64, x: &[f64], a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        let (nv, p) = (self.layout.dims.nv, self.layout.x.p);
        for first in p.range().step_by(LANES) {
            let columns = first..p.end.min(first + LANES);
            self.lift(x, columns.clone());
            self.mass.fill(Lanes::constant(0.0));
            self.mechanism.mass(Lanes::constant(t), &self.x[p.range()], &mut self.mass);
            for (lane, j) in columns.map(|column| column - p.start).enumerate() {
                for i in 0..nv {
                    out[i + j * nv] = (0..nv).map(|k| self.mass[i + k * nv].d[lane] * a[k]).sum();
                }
            }
        }
        Some(Outcome::Continue)
    }
}
