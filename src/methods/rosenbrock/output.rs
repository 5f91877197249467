//! The polynomial over a step: the cubic of Hermite for r, v, p, whose rates at both ends are known, of order 4; w, λ, μ and s by
//! the parabola through both ends with their slope at the beginning.

use super::Rosenbrock;
use crate::decompose::DecompositionKind;

/// Inner nodes of its Newton form: 1, s, s², s²(s+1).
pub const NODES: [f64; 2] = [0.0, -1.0];

/// The coefficients beside the end point: both values, and both slopes times h.
fn cubic(values: (f64, f64), slopes: (f64, f64)) -> [f64; 3] {
    let second = slopes.1 - (values.1 - values.0);
    [slopes.1, second, slopes.0 - slopes.1 + 2.0 * second]
}

/// The same with the slope at the beginning alone.
fn parabola(values: (f64, f64), slope: f64) -> [f64; 3] {
    let increment = values.1 - values.0;
    [2.0 * increment - slope, increment - slope, 0.0]
}

impl Rosenbrock {
    /// The polynomial of the step that is being accepted: the new point is in `x`, the old one in `self.x`.
    pub(super) fn make_polynomial(&mut self, h: f64, x: &[f64]) {
        let (l, n) = (self.layout, self.layout.n);
        let contx = &mut self.state.contx;
        contx[..n].copy_from_slice(x);
        let mut write = |at: usize, a: [f64; 3]| {
            a.iter().enumerate().for_each(|(k, a)| contx[(k + 1) * n + at] = *a);
        };
        let differential = l.x.r.range().chain(l.x.v.range()).chain(l.x.p.range());
        for (i, at) in differential.enumerate() {
            let slopes = (h * self.rate[i], h * self.rate_new[i]);
            write(at, cubic((self.x[at], x[at]), slopes));
        }
        // The slope of multipliers of least norm is not known.
        let redundant = self.options.decompose_constraints == DecompositionKind::Svd;
        for at in l.x.algebraic.range().chain(l.x.s.range()) {
            let values = (self.x[at], x[at]);
            let known = !(redundant && l.x.multipliers.contains(at));
            let slope = if known { h * self.reduced.slope[at] } else { values.1 - values.0 };
            write(at, parabola(values, slope));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::evaluate;

    #[test]
    fn cubics_and_parabolas_are_reproduced() {
        let h = 0.5;
        let q = |s: f64| 2.0 - s + 3.0 * s * s - 0.5 * s * s * s;
        let slope = |s: f64| -1.0 + 6.0 * s - 1.5 * s * s;
        let a = cubic((q(-h), q(0.0)), (h * slope(-h), h * slope(0.0)));
        let p = |s: f64| 2.0 - s + 3.0 * s * s;
        let b = parabola((p(-h), p(0.0)), h * (-1.0 - 6.0 * h));
        for k in 0..=4 {
            let s = -0.25 * f64::from(k);
            assert!((evaluate(&[q(0.0), a[0], a[1], a[2]], 1, 0, s, &NODES) - q(h * s)).abs() < 1e-15);
            assert!((evaluate(&[p(0.0), b[0], b[1], b[2]], 1, 0, s, &NODES) - p(h * s)).abs() < 1e-15);
        }
    }
}
