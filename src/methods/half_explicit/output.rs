//! The polynomial over a step: of order 4 or 7 in r, v, p; algebraic variables are interpolated at stages.

use super::*;
use crate::linalg::LuReal;

/// Values of w, λ, μ, s at both ends and at chosen stages, as a polynomial.
#[derive(Debug)]
pub struct Interpolation {
    /// Rates whose points are used: the new point, the old one, inner stages.
    points: Vec<usize>,
    /// Newton coefficients from values, one column per point.
    weights: Vec<f64>,
    values: Vec<f64>,
    /// Components of x.
    components: Vec<usize>,
}

impl Interpolation {
    /// For a method and a layout.
    pub fn new(tableau: &Tableau, layout: &Layout) -> Self {
        let points: Vec<usize> =
            [tableau.stages(), 0].into_iter().chain(tableau.algebraic.iter().copied()).collect();
        let q = points.len();
        let mut basis = LuReal::new(q);
        for (row, &point) in points.iter().enumerate() {
            let s = tableau.c[point] - 1.0;
            let mut value = 1.0;
            for k in 0..q {
                basis.matrix_mut()[row + k * q] = value;
                value *= if k == 0 { s } else { s - tableau.nodes[k - 1] };
            }
        }
        let mut weights = vec![0.0; q * q];
        weights.iter_mut().step_by(q + 1).for_each(|w| *w = 1.0);
        // The nodes are constants of the method: never singular.
        if basis.factor().is_ok() {
            weights.chunks_exact_mut(q).for_each(|column| basis.solve(column));
        }
        let components: Vec<usize> = layout.x.algebraic.range().chain(layout.x.s.range()).collect();
        Interpolation { values: vec![0.0; q * components.len()], points, weights, components }
    }

    /// Remember the values that belong to rate i.
    pub fn keep(&mut self, i: usize, x: &[f64]) {
        let n = self.components.len();
        if let Some(at) = self.points.iter().position(|&p| p == i) {
            for (value, &c) in self.values[at * n..(at + 1) * n].iter_mut().zip(&self.components) {
                *value = x[c];
            }
        }
    }

    /// Write the coefficients of these components.
    fn coefficients(&self, contx: &mut [f64], n: usize) {
        let (q, count) = (self.points.len(), self.components.len());
        for (i, &c) in self.components.iter().enumerate() {
            for k in 1..q {
                let value = |at: usize| self.values[at * count + i];
                contx[k * n + c] = (0..q).map(|at| self.weights[k + at * q] * value(at)).sum();
            }
        }
    }
}

impl HalfExplicit {
    /// The polynomial of the accepted step, for which order 8 makes three more stages. If the model cannot be evaluated at one of
    /// them, the cubic of Hermite remains.
    pub(super) fn make_polynomial(&mut self, system: &mut dyn System, plan: Plan) -> Result<(), Failure> {
        let s = self.tableau.stages();
        // The new point is accepted already, and the stages belong to the step before it.
        let t = std::mem::replace(&mut self.state.t, self.state.t_old);
        let mut complete = true;
        for (i, a) in self.tableau.extra.iter().enumerate() {
            match self.rate_of_stage(system, plan.h, s + 1 + i, a) {
                Ok(()) => {}
                Err(Setback::Fatal(failure)) => {
                    self.state.t = t;
                    return Err(*failure);
                }
                Err(Setback::Reject { .. }) => {
                    complete = false;
                    break;
                }
            }
        }
        self.state.t = t;
        self.write_polynomial(plan.h, complete);
        Ok(())
    }

    fn write_polynomial(&mut self, h: f64, complete: bool) {
        let (n, nd, s) = (self.layout.n, self.y.len(), self.tableau.stages());
        self.state.contx.fill(0.0);
        self.state.contx[..n].copy_from_slice(&self.state.x);
        for i in 0..nd {
            let at = self.component(i);
            let (slopes, mut a) = ((h * self.k[i], h * self.k[s * nd + i]), [0.0; 3]);
            self.tableau.newton_form((self.y[i], self.y_new[i]), slopes, &mut a);
            a.iter().enumerate().for_each(|(k, a)| self.state.contx[(k + 1) * n + at] = *a);
            for (j, weights) in self.tableau.dense.iter().enumerate().filter(|_| complete) {
                let sum: f64 = weights.iter().enumerate().map(|(q, w)| w * self.k[q * nd + i]).sum();
                self.state.contx[(j + 4) * n + at] = h * self.tableau.sign(j) * sum;
            }
        }
        if complete {
            self.interpolation.coefficients(&mut self.state.contx, n);
        }
    }
}
