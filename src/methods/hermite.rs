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
