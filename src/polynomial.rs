//! Dense output: the collocation polynomial of the last step (GEDENSOUT).
//!
//! The polynomial q of degree 3 satisfies q(t_k) = x_k and q(t_k + c_i h) = X_i. With
//! s = (τ - t_{k+1})/h it is kept in Newton form on the nodes 0, c2-1, c1-1 (the fourth node, -1, is
//! used by the last coefficient only):
//!
//! ```text
//! q = a0 + s (a1 + (s - (c2-1)) (a2 + (s - (c1-1)) a3))
//! ```
//!
//! The four coefficient vectors lie one after the other in `CONTX`.

/// √6, on which nodes and matrix of Radau IIA of order 5 are built.
const SQRT6: f64 = 2.449_489_742_783_178;
/// First node of the method of order 5, (4-√6)/10.
pub const C1: f64 = (4.0 - SQRT6) / 10.0;
/// Second node, (4+√6)/10.
pub const C2: f64 = (4.0 + SQRT6) / 10.0;

/// c1 - 1, passed to SOLOUT as C1M1.
pub const C1M1: f64 = C1 - 1.0;
/// c2 - 1, passed to SOLOUT as C2M1.
pub const C2M1: f64 = C2 - 1.0;

/// The inner nodes of the cubic of Radau IIA with three stages.
pub const RADAU5_NODES: [f64; 2] = [C2M1, C1M1];

/// Component `i` at s of the polynomial with `nodes.len() + 2` coefficient vectors of length n in `contx`:
/// `a0 + s (a1 + (s - nodes[0]) (a2 + (s - nodes[1]) (a3 + ...)))`.
pub fn evaluate(contx: &[f64], n: usize, i: usize, s: f64, nodes: &[f64]) -> f64 {
    let last = nodes.len() + 1;
    let mut value = contx[i + last * n];
    for (k, node) in nodes.iter().enumerate().rev() {
        value = contx[i + (k + 1) * n] + (s - node) * value;
    }
    contx[i] + s * value
}

/// Newton coefficients from the new point and the stage increments z_i = X_i - x_k (z3 ends the step).
pub fn coefficients(x_new: &[f64], z1: &[f64], z2: &[f64], z3: &[f64], contx: &mut [f64]) {
    let n = x_new.len();
    let (a0, rest) = contx.split_at_mut(n);
    let (a1, rest) = rest.split_at_mut(n);
    let (a2, a3) = rest.split_at_mut(n);
    a0.copy_from_slice(x_new);
    for i in 0..n {
        // Divided differences on the nodes s = 0, c2-1, c1-1, -1 with values x_k + (z3, z2, z1, 0).
        let d01 = (z2[i] - z3[i]) / C2M1;
        let d12 = (z1[i] - z2[i]) / (C1 - C2);
        let d23 = z1[i] / C1;
        let d012 = (d12 - d01) / C1M1;
        let d123 = (d12 - d23) / C2;
        a1[i] = d01;
        a2[i] = d012;
        a3[i] = d012 - d123;
    }
}

/// The polynomial over `[t - h, t]`.
#[derive(Clone, Copy, Debug)]
pub struct DenseOutput<'a> {
    /// End of the step.
    pub t: f64,
    /// Length of the step.
    pub h: f64,
    /// Coefficient vectors, one after the other: two more than nodes.
    pub contx: &'a [f64],
    /// Inner nodes of the Newton form in s = (τ - t)/h.
    pub nodes: &'static [f64],
}

impl DenseOutput<'_> {
    /// Number of components.
    pub fn dimension(&self) -> usize {
        self.contx.len() / (self.nodes.len() + 2)
    }

    /// The polynomial as a cubic, as SOLOUT is told of it: coefficients in `contx` (4n) and C1M1, C2M1. A polynomial of
    /// higher degree is replaced by the cubic through its ends and its values at the nodes of Radau IIA of order 5.
    pub fn as_cubic(&self, contx: &mut [f64]) -> (f64, f64) {
        if let [c2m1, c1m1] = *self.nodes {
            contx.copy_from_slice(self.contx);
            return (c1m1, c2m1);
        }
        let n = self.dimension();
        for i in 0..n {
            let at = |s: f64| evaluate(self.contx, n, i, s, self.nodes);
            let start = at(-1.0);
            let z = [C1M1, C2M1, 0.0].map(|s| at(s) - start);
            let mut a = [0.0; 4];
            coefficients(&[self.contx[i]], &z[..1], &z[1..2], &z[2..], &mut a);
            a.iter().enumerate().for_each(|(k, a)| contx[i + k * n] = *a);
        }
        (C1M1, C2M1)
    }

    /// Component `i` at time `tau`.
    pub fn component(&self, i: usize, tau: f64) -> f64 {
        let s = (tau - self.t) / self.h;
        evaluate(self.contx, self.dimension(), i, s, self.nodes)
    }

    /// All components at time `tau`.
    pub fn all(&self, tau: f64, out: &mut [f64]) {
        for (i, o) in out.iter_mut().enumerate().take(self.dimension()) {
            *o = self.component(i, tau);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quartic_becomes_the_cubic_through_its_nodes() {
        // s (s+1) (s-C1M1) (s-C2M1) vanishes at all of them.
        static NODES: [f64; 3] = [C2M1, C1M1, -1.0];
        let dense = DenseOutput { t: 0.0, h: 1.0, contx: &[1.0, 2.0, 3.0, 4.0, 5.0], nodes: &NODES };
        let mut cubic = [0.0; 4];
        assert_eq!(dense.as_cubic(&mut cubic), (C1M1, C2M1));
        for (a, b) in cubic.iter().zip([1.0, 2.0, 3.0, 4.0]) {
            assert!((a - b).abs() < 1e-13, "{cubic:?}");
        }
        // Of two components, whose coefficients take turns.
        let contx = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0];
        let mut both = [0.0; 8];
        DenseOutput { t: 0.0, h: 1.0, contx: &contx, nodes: &NODES }.as_cubic(&mut both);
        for (pair, b) in both.chunks(2).zip([1.0, 2.0, 3.0, 4.0]) {
            assert!((pair[0] - b).abs() < 1e-13 && (pair[1] + b).abs() < 1e-13, "{both:?}");
        }
    }

    #[test]
    fn reproduces_a_cubic_exactly() {
        let q = |s: f64| 2.0 - s + 3.0 * s * s - 0.5 * s * s * s;
        let x0 = q(0.0);
        let z = |c: f64| [q(c) - x0];
        let mut contx = [0.0; 4];
        coefficients(&[q(1.0)], &z(C1), &z(C2), &z(1.0), &mut contx);
        let dense = DenseOutput { t: 1.0, h: 1.0, contx: &contx, nodes: &RADAU5_NODES };
        for k in 0..=10 {
            let s = 0.1 * f64::from(k);
            assert!((dense.component(0, s) - q(s)).abs() < 1e-14);
        }
    }
}
