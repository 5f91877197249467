//! Stage vectors and the linear maps between them: Z (increments of the stages), W = T⁻¹Z, and residuals. All
//! stages of a component lie together, one lane each. No model is called here.

use super::tableau::Tableau;
use crate::layout::{Block, Layout};
use crate::linalg::lanes::{self, Processor};
use crate::linalg::Lanes;
use crate::polynomial::DenseOutput;

/// Work vectors of one step.
#[derive(Clone, Debug)]
pub struct Stages<const L: usize> {
    /// Increments Z_i = X_i - x_k.
    pub z: Vec<Lanes<L>>,
    /// W = T⁻¹ Z.
    pub w: Vec<Lanes<L>>,
    /// Newton increments of W.
    pub dw: Vec<Lanes<L>>,
    /// Residuals of the stages, then b = T⁻¹ R: constraint rows, then selected differential rows.
    pub r: Vec<Lanes<L>>,
    /// h·v' in the stages, (A⁻¹Z)_i on the velocities.
    pub rates: Vec<Lanes<L>>,
    /// A stage X_i.
    pub x: Vec<f64>,
    processor: Processor,
}

impl<const L: usize> Stages<L> {
    /// Allocate.
    pub fn new(layout: &Layout) -> Self {
        let lanes = |n: usize| vec![[0.0; L]; n];
        let n = layout.n;
        Stages {
            z: lanes(n),
            w: lanes(n),
            dw: lanes(n),
            r: lanes(layout.m),
            rates: lanes(layout.n3()),
            x: vec![0.0; n],
            processor: Processor::detect(),
        }
    }

    /// Starting values: zero, or the polynomial of the last step extrapolated to the new stages.
    #[inline(never)] // a part of `make profile`
    pub fn predict(&mut self, tableau: &Tableau<L>, last: Option<DenseOutput<'_>>, h: f64) {
        let Some(last) = last else {
            self.z.fill([0.0; L]);
            return;
        };
        let n = self.z.len();
        let s = tableau.nodes.map(|c| c * h / last.h);
        let degree = last.nodes.len() + 1;
        for (i, z) in self.z.iter_mut().enumerate() {
            // Horner's scheme as in `polynomial::evaluate`, without the constant term.
            let mut value = [last.contx[i + degree * n]; L];
            for (k, node) in last.nodes.iter().enumerate().rev() {
                let a = last.contx[i + (k + 1) * n];
                for (value, s) in value.iter_mut().zip(&s) {
                    *value = a + (s - node) * *value;
                }
            }
            *z = std::array::from_fn(|lane| s[lane] * value[lane]);
        }
    }

    /// X_i = x_k + Z_i, left in `x`.
    pub fn stage(&mut self, i: usize, x: &[f64]) -> &[f64] {
        for ((s, x), z) in self.x.iter_mut().zip(x).zip(&self.z) {
            *s = x + z[i];
        }
        &self.x
    }

    /// W = T⁻¹ Z.
    #[inline(never)] // a part of `make profile`
    pub fn transform(&mut self, tableau: &Tableau<L>) {
        lanes::mix(self.processor, &tableau.t_inverse[..tableau.stages], &self.z, &mut self.w);
    }

    /// W += ΔW, Z = T W.
    pub fn update(&mut self, tableau: &Tableau<L>) {
        for (w, dw) in self.w.iter_mut().zip(&self.dw) {
            for (w, d) in w.iter_mut().zip(dw) {
                *w += d;
            }
        }
        lanes::mix(self.processor, &tableau.t[..tableau.stages], &self.w, &mut self.z);
    }

    /// b = T⁻¹ R of the first `rows` rows, in place.
    #[inline(never)] // a part of `make profile`
    pub fn transform_residuals(&mut self, tableau: &Tableau<L>, rows: usize) {
        lanes::mix_in_place(self.processor, &tableau.t_inverse[..tableau.stages], &mut self.r[..rows]);
    }

    /// `rates` of all stages at once.
    pub fn velocity_rates(&mut self, tableau: &Tableau<L>, v: Block) {
        let columns = &tableau.a_inverse[..tableau.stages];
        lanes::mix(self.processor, columns, &self.z[v.range()], &mut self.rates);
    }

    /// (e·Z)/h on a block, for the error estimate.
    pub fn error_combination(&self, tableau: &Tableau<L>, h: f64, block: Block, out: &mut [f64]) {
        for (o, z) in out.iter_mut().zip(&self.z[block.range()]) {
            *o = tableau.error_weights.iter().zip(z).map(|(w, z)| w * z).sum::<f64>() / h;
        }
    }

    /// x += Z_s, the end of the step.
    pub fn add_last(&self, stages: usize, x: &mut [f64]) {
        for (x, z) in x.iter_mut().zip(&self.z) {
            *x += z[stages - 1];
        }
    }

    /// Coefficients of the polynomial over the step that ends at x.
    pub fn polynomial(&self, tableau: &Tableau<L>, x: &[f64], contx: &mut [f64]) {
        let n = x.len();
        let (constant, rest) = contx.split_at_mut(n);
        constant.copy_from_slice(x);
        for (row, a) in tableau.differences.iter().zip(rest.chunks_exact_mut(n.max(1))).take(tableau.stages) {
            for (a, z) in a.iter_mut().zip(&self.z) {
                *a = row.iter().zip(z).map(|(d, z)| d * z).sum();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};

    /// A polynomial of the degree of the method is continued exactly, and W ↔ Z is one to one.
    fn continues<const L: usize>(stages: usize) {
        let layout = Layout::new(Dimensions { nr: 1, ..Dimensions::default() }, Form::StrangenessFree);
        let (mut work, tableau) = (Stages::<L>::new(&layout), Tableau::<L>::new(stages));
        let q = |t: f64| 1.0 + t - 2.0 * t * t + t.powi(stages as i32);
        work.z[0] =
            std::array::from_fn(|i| if i < stages { q(2.0 * tableau.nodes[i]) - q(0.0) } else { 0.0 });
        let mut contx = vec![0.0; stages + 1];
        work.polynomial(&tableau, &[q(2.0)], &mut contx);
        let last = DenseOutput { t: 2.0, h: 2.0, contx: &contx, nodes: tableau.of.newton_nodes };
        assert!((last.component(0, 0.7) - q(0.7)).abs() < 1e-10);
        work.predict(&tableau, Some(last), 0.5);
        for i in 0..stages {
            let expected = q(2.0 + 0.5 * tableau.nodes[i]) - q(2.0);
            assert!((work.z[0][i] - expected).abs() < 1e-9 * expected.abs().max(1.0));
        }
        let before = work.z.clone();
        work.transform(&tableau);
        work.dw.fill([0.0; L]);
        work.update(&tableau);
        for (before, after) in before[0].iter().zip(&work.z[0]) {
            assert!((before - after).abs() < 1e-12 * before.abs().max(1.0));
        }
    }

    #[test]
    fn prediction_continues_a_polynomial() {
        continues::<4>(3);
        for stages in super::super::tableau::STAGES {
            continues::<8>(stages);
        }
    }
}
