//! Radau IIA: nodes, matrix, and the transformation that splits the stage equations into one real and some
//! complex systems (report (17); Hairer & Wanner II, IV.8).

use super::coefficients::{STAGES3, STAGES5, STAGES7};
use crate::linalg::Lanes;

/// Numbers of stages there are.
pub const STAGES: [usize; 3] = [3, 5, 7];

/// Constants of one method.
#[derive(Debug)]
pub struct Coefficients {
    /// Nodes c.
    pub nodes: &'static [f64],
    /// c_(s-1)-1, ..., c_1-1: inner nodes of the dense output.
    pub newton_nodes: &'static [f64],
    /// Real eigenvalue γ of A⁻¹.
    pub gamma: f64,
    /// Real and imaginary parts (α, β) of the complex pairs.
    pub pairs: &'static [(f64, f64)],
    /// Weights e of the error estimate (e·Z enters with the factor 1/h).
    pub error_weights: &'static [f64],
    /// Runge-Kutta matrix A, row by row.
    pub a: &'static [&'static [f64]],
    /// A⁻¹.
    pub a_inverse: &'static [&'static [f64]],
    /// T, with T⁻¹ A⁻¹ T = diag(γ, [α -β; β α], ...); its last row is 1, 1, 0, 1, 0, ...
    pub t: &'static [&'static [f64]],
    /// T⁻¹.
    pub t_inverse: &'static [&'static [f64]],
    /// Coefficients of the dense output as combinations of the stages.
    pub differences: &'static [&'static [f64]],
}

/// The constants of the method with `stages` stages; 3 if there is no such method.
pub fn coefficients(stages: usize) -> &'static Coefficients {
    match stages {
        5 => &STAGES5,
        7 => &STAGES7,
        _ => &STAGES3,
    }
}

/// The constants as they are applied: one lane per stage, zero in lanes that are not used.
#[derive(Clone, Copy, Debug)]
pub struct Tableau<const L: usize> {
    /// The constants.
    pub of: &'static Coefficients,
    /// Number of stages s.
    pub stages: usize,
    /// Nodes.
    pub nodes: Lanes<L>,
    /// Columns of T.
    pub t: [Lanes<L>; L],
    /// Columns of T⁻¹.
    pub t_inverse: [Lanes<L>; L],
    /// Columns of A⁻¹.
    pub a_inverse: [Lanes<L>; L],
    /// Rows of the coefficients of the dense output.
    pub differences: [Lanes<L>; L],
    /// Weights of the error estimate.
    pub error_weights: Lanes<L>,
}

impl<const L: usize> Tableau<L> {
    /// Put the constants of a method with at most L stages into lanes.
    pub fn new(stages: usize) -> Self {
        let of = coefficients(stages);
        let padded = |row: &[f64]| std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0));
        let rows = |m: &[&[f64]]| std::array::from_fn(|i| m.get(i).map_or([0.0; L], |row| padded(row)));
        let columns = |m: &[&[f64]]| {
            std::array::from_fn(|j| {
                std::array::from_fn(|i| m.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0.0))
            })
        };
        Tableau {
            of,
            stages: of.nodes.len(),
            nodes: padded(of.nodes),
            t: columns(of.t),
            t_inverse: columns(of.t_inverse),
            a_inverse: columns(of.a_inverse),
            differences: rows(of.differences),
            error_weights: padded(of.error_weights),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::{C1, C2};

    fn product(a: &[&[f64]], b: &[&[f64]]) -> Vec<Vec<f64>> {
        let n = b[0].len();
        a.iter().map(|row| (0..n).map(|j| row.iter().zip(b).map(|(x, b)| x * b[j]).sum()).collect()).collect()
    }

    fn assert_near(a: &[Vec<f64>], expected: impl Fn(usize, usize) -> f64, tol: f64) {
        for (i, row) in a.iter().enumerate() {
            for (j, v) in row.iter().enumerate() {
                assert!((v - expected(i, j)).abs() < tol, "({i},{j}): {v} {}", expected(i, j));
            }
        }
    }

    #[test]
    fn order_conditions_hold() {
        // C(s): Σ_j a_ij c_j^(k-1) = c_i^k/k, and B(2s-1) with b = the last row.
        for s in STAGES {
            let t = coefficients(s);
            for (i, row) in t.a.iter().enumerate() {
                let last = if i + 1 == s { 2 * s - 1 } else { s };
                for k in 1..=last as i32 {
                    let sum: f64 = row.iter().zip(t.nodes).map(|(a, c)| a * c.powi(k - 1)).sum();
                    assert!(
                        (sum - t.nodes[i].powi(k) / f64::from(k)).abs() < 1e-15,
                        "{s} stages, row {i}, {k}"
                    );
                }
            }
        }
        for (c, expected) in coefficients(3).nodes.iter().zip([C1, C2, 1.0]) {
            assert!((c - expected).abs() <= f64::EPSILON);
        }
    }

    #[test]
    fn transformation_block_diagonalises() {
        let identity = |i, j| f64::from(u8::from(i == j));
        for s in STAGES {
            let t = coefficients(s);
            assert_near(&product(t.a, t.a_inverse), identity, 1e-13);
            assert_near(&product(t.t, t.t_inverse), identity, 1e-12);
            let left = product(t.t_inverse, t.a_inverse);
            let left: Vec<&[f64]> = left.iter().map(|r| &r[..]).collect();
            let expected = |i: usize, j: usize| match (i, j) {
                (0, 0) => t.gamma,
                (0, _) | (_, 0) => 0.0,
                (i, j) if (i - 1) / 2 == (j - 1) / 2 => {
                    let (alpha, beta) = t.pairs[(i - 1) / 2];
                    match j as isize - i as isize {
                        0 => alpha,
                        1 => -beta,
                        _ => beta,
                    }
                }
                _ => 0.0,
            };
            assert_near(&product(&left, t.t), expected, 1e-10);
            for (j, last) in t.t[s - 1].iter().enumerate() {
                assert_eq!(*last, f64::from(u8::from(j == 0 || j % 2 == 1)));
            }
        }
        assert!((coefficients(3).gamma - 3.637_834_252_744_496).abs() < 1e-14);
    }

    #[test]
    fn error_weights_annihilate_low_degrees() {
        // (e·Z)/h + f(x0) vanishes on polynomials up to degree s: Z_i = c_i^k gives -1 for k = 1 and 0 above.
        for s in STAGES {
            let t = coefficients(s);
            for k in 1..=s as i32 {
                let sum: f64 = t.error_weights.iter().zip(t.nodes).map(|(e, c)| e * c.powi(k)).sum();
                let expected = if k == 1 { -1.0 } else { 0.0 };
                assert!((sum - expected).abs() < 1e-13, "{s} stages, degree {k}: {sum}");
            }
        }
        let sqrt6 = 6f64.sqrt();
        let published = [(-13.0 - 7.0 * sqrt6) / 3.0, (-13.0 + 7.0 * sqrt6) / 3.0, -1.0 / 3.0];
        for (e, p) in coefficients(3).error_weights.iter().zip(published) {
            assert!((e - p).abs() < 1e-14);
        }
    }

    #[test]
    fn dense_coefficients_are_divided_differences() {
        for s in STAGES {
            let t = coefficients(s);
            // The stages of τ^k over [0,1]; the Newton form must give it back at any point.
            for k in 1..=s as i32 {
                let a: Vec<f64> = t
                    .differences
                    .iter()
                    .map(|row| row.iter().zip(t.nodes).map(|(d, c)| d * c.powi(k)).sum())
                    .collect();
                let contx: Vec<f64> = std::iter::once(1.0).chain(a).collect();
                for tau in [0.0, 0.3, 0.77, 1.0, 1.2] {
                    let value = crate::polynomial::evaluate(&contx, 1, 0, tau - 1.0, t.newton_nodes);
                    assert!((value - f64::powi(tau, k)).abs() < 1e-11, "{s} stages, degree {k}, at {tau}");
                }
            }
        }
    }
}
