//! The polynomial over a step of methods that know rates at its ends: cubic Hermite polynomials where rates are given, straight lines for
//! all else.

use crate::layout::Block;

/// Nodes of the cubic Hermite polynomial, in the form of [`crate::polynomial`].
pub const NODES: [f64; 2] = [0.0, -1.0];

/// Coefficients from the points at both ends of a step of size h; each block comes with its rates at the first and at the last of them.
pub fn coefficients<const N: usize>(
    h: f64,
    (x0, x1): (&[f64], &[f64]),
    rates: [(Block, &[f64], &[f64]); N],
    contx: &mut [f64],
) {
    let n = x1.len();
    let (a0, rest) = contx.split_at_mut(n);
    let (a1, rest) = rest.split_at_mut(n);
    let (a2, a3) = rest.split_at_mut(n);
    a0.copy_from_slice(x1);
    for i in 0..n {
        (a1[i], a2[i], a3[i]) = (x1[i] - x0[i], 0.0, 0.0);
    }
    for (block, first, last) in rates {
        for ((i, first), last) in block.range().zip(first).zip(last) {
            // Divided differences on 0, 0, -1, -1.
            let chord = x1[i] - x0[i];
            a1[i] = h * last;
            a2[i] = h * last - chord;
            a3[i] = h * (first + last) - 2.0 * chord;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::DenseOutput;

    /// A cubic is met with its rates, and a component without rates goes straight.
    #[test]
    fn a_cubic_is_itself() {
        let q = |t: f64| 2.0 - t + 3.0 * t * t - 0.5 * t * t * t;
        let slope = |t: f64| -1.0 + 6.0 * t - 1.5 * t * t;
        let (t, h) = (1.5, 0.5);
        let mut contx = [0.0; 8];
        let (x0, x1) = ([7.0, q(t - h)], [9.0, q(t)]);
        let block = Block { start: 1, end: 2 };
        coefficients(h, (&x0, &x1), [(block, &[slope(t - h)], &[slope(t)])], &mut contx);
        let dense = DenseOutput { t, h, contx: &contx, nodes: &NODES };
        let mut all = [0.0; 2];
        for k in 0..=10 {
            let tau = 1.0 + 0.05 * f64::from(k);
            dense.all(tau, &mut all);
            assert!((all[0] - (7.0 + 4.0 * (tau - 1.0))).abs() < 1e-14, "{tau}: {all:?}");
            assert!((all[1] - q(tau)).abs() < 1e-14, "{tau}: {all:?}");
        }
    }
}
