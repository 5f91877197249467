//! Stage vectors of Radau IIA and the linear maps between them: Z (increments of the stages), W = T⁻¹Z, and
//! residuals. No model is called here.

use crate::dense;
use crate::layout::{Block, Layout};
use crate::methods::tableau::{Transformation, ERROR_WEIGHTS, NODES};

/// Three vectors, one per stage.
pub type Triple = [Vec<f64>; 3];

fn triple(n: usize) -> Triple {
    [vec![0.0; n], vec![0.0; n], vec![0.0; n]]
}

/// Work vectors of one step.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Increments Z_i = X_i - x_k.
    pub z: Triple,
    /// W = T⁻¹ Z.
    pub w: Triple,
    /// Newton increments of W.
    pub dw: Triple,
    /// Residuals of the stages, then b = T⁻¹ R.
    pub r: Triple,
    /// A stage X_i.
    pub x: Vec<f64>,
}

impl Stages {
    /// Allocate.
    pub fn new(layout: &Layout) -> Self {
        let (n, m) = (layout.n, layout.m);
        Stages { z: triple(n), w: triple(n), dw: triple(n), r: triple(m), x: vec![0.0; n] }
    }

    /// Starting values: zero, or the polynomial of the last step (`contx`, step `h_last`) extrapolated to
    /// the new stages.
    pub fn predict(&mut self, contx: Option<&[f64]>, h: f64, h_last: f64) {
        let n = self.x.len();
        for (z, c) in self.z.iter_mut().zip(NODES) {
            match contx {
                None => z.fill(0.0),
                Some(contx) => {
                    let s = c * h / h_last;
                    for (i, z) in z.iter_mut().enumerate() {
                        *z = dense::evaluate(contx, n, i, s, &dense::RADAU5_NODES) - contx[i];
                    }
                }
            }
        }
    }

    /// X_i = x_k + Z_i.
    pub fn stage(&mut self, i: usize, x: &[f64]) -> &[f64] {
        for ((s, x), z) in self.x.iter_mut().zip(x).zip(&self.z[i]) {
            *s = x + z;
        }
        &self.x
    }

    /// W = T⁻¹ Z.
    pub fn transform(&mut self, tr: &Transformation) {
        combine(&tr.t_inv, &self.z, &mut self.w);
    }

    /// W += ΔW, Z = T W.
    pub fn update(&mut self, tr: &Transformation) {
        for (w, dw) in self.w.iter_mut().zip(&self.dw) {
            for (w, d) in w.iter_mut().zip(dw) {
                *w += d;
            }
        }
        combine(&tr.t, &self.w, &mut self.z);
    }

    /// b = T⁻¹ R, in place.
    pub fn transform_residuals(&mut self, tr: &Transformation) {
        let [r1, r2, r3] = &mut self.r;
        let t = &tr.t_inv;
        for ((a, b), c) in r1.iter_mut().zip(r2).zip(r3) {
            let (u, v, w) = (*a, *b, *c);
            *a = t[0][0] * u + t[0][1] * v + t[0][2] * w;
            *b = t[1][0] * u + t[1][1] * v + t[1][2] * w;
            *c = t[2][0] * u + t[2][1] * v + t[2][2] * w;
        }
    }

    /// Component block of (A⁻¹ Z)_i / h.
    pub fn derivative(&self, tr: &Transformation, i: usize, h: f64, block: Block, out: &mut [f64]) {
        let [a, b, c] = tr.a_inv[i];
        let (z1, z2, z3) = (block.of(&self.z[0]), block.of(&self.z[1]), block.of(&self.z[2]));
        for (o, ((x, y), z)) in out.iter_mut().zip(z1.iter().zip(z2).zip(z3)) {
            *o = (a * x + b * y + c * z) / h;
        }
    }

    /// (e1·Z1 + e2·Z2 + e3·Z3)/h on a block, for the error estimate.
    pub fn error_combination(&self, h: f64, block: Block, out: &mut [f64]) {
        let [a, b, c] = ERROR_WEIGHTS;
        let (z1, z2, z3) = (block.of(&self.z[0]), block.of(&self.z[1]), block.of(&self.z[2]));
        for (o, ((x, y), z)) in out.iter_mut().zip(z1.iter().zip(z2).zip(z3)) {
            *o = (a * x + b * y + c * z) / h;
        }
    }
}

/// out_i = Σ_j m_ij v_j.
fn combine(m: &[[f64; 3]; 3], v: &Triple, out: &mut Triple) {
    let [v1, v2, v3] = v;
    for (row, out) in m.iter().zip(out) {
        for (o, ((a, b), c)) in out.iter_mut().zip(v1.iter().zip(v2).zip(v3)) {
            *o = row[0] * a + row[1] * b + row[2] * c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};

    #[test]
    fn prediction_continues_a_cubic() {
        let layout = Layout::new(Dimensions { nr: 1, ..Dimensions::default() }, Form::StrangenessFree);
        let mut stages = Stages::new(&layout);
        let q = |t: f64| 1.0 + t - 2.0 * t * t + t * t * t;
        let z = |c: f64| [q(2.0 * c) - q(0.0)];
        let mut contx = [0.0; 4];
        dense::coefficients(&[q(2.0)], &z(NODES[0]), &z(NODES[1]), &z(1.0), &mut contx);
        stages.predict(Some(&contx), 0.5, 2.0);
        for (i, c) in NODES.iter().enumerate() {
            assert!((stages.z[i][0] - (q(2.0 + 0.5 * c) - q(2.0))).abs() < 1e-13);
        }
        let tr = Transformation::new();
        let before = stages.z.clone();
        stages.transform(&tr);
        stages.update(&tr);
        for (a, b) in before.iter().zip(&stages.z) {
            assert!((a[0] - b[0]).abs() < 1e-13);
        }
    }
}
