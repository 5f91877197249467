//! Radau IIA with three stages: nodes, matrix, and the transformation that splits the stage equations
//! into one real and one complex system (report (17); Hairer & Wanner II, IV.8).
//!
//! The eigenvalues and eigenvectors of A⁻¹ are derived from A in code; the tests check the
//! defining equations.

/// √6, on which nodes and matrix are built.
const SQRT6: f64 = 2.449_489_742_783_178;

/// First node, (4-√6)/10.
pub const C1: f64 = (4.0 - SQRT6) / 10.0;
/// Second node, (4+√6)/10.
pub const C2: f64 = (4.0 + SQRT6) / 10.0;

/// Nodes c.
pub const NODES: [f64; 3] = [C1, C2, 1.0];

/// Runge-Kutta matrix A, row by row.
pub const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0],
    [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
];

/// Weights e of the error estimate (e·Z enters with the factor 1/h).
pub const ERROR_WEIGHTS: [f64; 3] = [(-13.0 - 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// Constants derived from A: A⁻¹ and its real block-diagonal form.
#[derive(Clone, Copy, Debug)]
pub struct Transformation {
    /// A⁻¹.
    pub a_inv: [[f64; 3]; 3],
    /// Real eigenvalue γ of A⁻¹.
    pub gamma: f64,
    /// Real part α of the complex pair.
    pub alpha: f64,
    /// Imaginary part β of the complex pair.
    pub beta: f64,
    /// T, with T⁻¹ A⁻¹ T = [γ | α -β; β α].
    pub t: [[f64; 3]; 3],
    /// T⁻¹.
    pub t_inv: [[f64; 3]; 3],
}

impl Transformation {
    /// Derive the transformation.
    pub fn new() -> Self {
        let a_inv = inverse(&A);
        // Eigenvalues of A⁻¹ in closed form (HW II, IV.8.6 ff.).
        let (r81, r9) = (81f64.cbrt(), 9f64.cbrt());
        let gamma = 30.0 / (6.0 + r81 - r9);
        let a = (12.0 - r81 + r9) / 60.0;
        let b = (r81 + r9) * 3f64.sqrt() / 60.0;
        let square = a * a + b * b;
        let (alpha, beta) = (a / square, b / square);

        // Columns of T: the real eigenvector, and u, w with (A⁻¹)(u - i w) = (α + iβ)(u - i w), so that
        // A⁻¹u = αu + βw and A⁻¹w = αw - βu. The last component is normalised to 1 (w: 0), so that
        // the end of the step needs no cancellation.
        let real = eigenvector(&a_inv, gamma, 0.0);
        let pair = eigenvector(&a_inv, alpha, beta);
        let mut t = [[0.0; 3]; 3];
        for i in 0..3 {
            t[i] = [real[i].0, pair[i].0, -pair[i].1];
        }
        Transformation { a_inv, gamma, alpha, beta, t, t_inv: inverse(&t) }
    }
}

impl Default for Transformation {
    fn default() -> Self {
        Transformation::new()
    }
}

/// Inverse of a 3 by 3 matrix by cofactors.
fn inverse(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |i: usize, j: usize| {
        let (r1, r2) = ((i + 1) % 3, (i + 2) % 3);
        let (c1, c2) = ((j + 1) % 3, (j + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let det = (0..3).map(|j| m[0][j] * minor(0, j)).sum::<f64>();
    let mut out = [[0.0; 3]; 3];
    for (i, row) in out.iter_mut().enumerate() {
        for (j, e) in row.iter_mut().enumerate() {
            *e = minor(j, i) / det;
        }
    }
    out
}

/// Eigenvector of `m` for the eigenvalue re + i·im with last component 1: solve the first two rows.
fn eigenvector(m: &[[f64; 3]; 3], re: f64, im: f64) -> [(f64, f64); 3] {
    let mul = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
    let sub = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0, a.1 - b.1);
    let div = |a: (f64, f64), b: (f64, f64)| {
        let s = b.0 * b.0 + b.1 * b.1;
        ((a.0 * b.0 + a.1 * b.1) / s, (a.1 * b.0 - a.0 * b.1) / s)
    };
    let d0 = (m[0][0] - re, -im);
    let d1 = (m[1][1] - re, -im);
    let (o01, o10) = ((m[0][1], 0.0), (m[1][0], 0.0));
    let (b0, b1) = ((-m[0][2], 0.0), (-m[1][2], 0.0));
    let det = sub(mul(d0, d1), mul(o01, o10));
    let x0 = div(sub(mul(b0, d1), mul(o01, b1)), det);
    let x1 = div(sub(mul(d0, b1), mul(b0, o10)), det);
    [x0, x1, (1.0, 0.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let mut c = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                c[i][j] = (0..3).map(|k| a[i][k] * b[k][j]).sum();
            }
        }
        c
    }

    fn assert_near(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], tol: f64) {
        for i in 0..3 {
            for j in 0..3 {
                assert!((a[i][j] - b[i][j]).abs() < tol, "({i},{j}): {} {}", a[i][j], b[i][j]);
            }
        }
    }

    const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn collocation_conditions_hold() {
        // C(3): Σ_j a_ij c_j^(k-1) = c_i^k / k, and B(5) with b = last row.
        for i in 0..3 {
            for k in 1..=3 {
                let sum: f64 = (0..3).map(|j| A[i][j] * NODES[j].powi(k - 1)).sum();
                assert!((sum - NODES[i].powi(k) / f64::from(k)).abs() < 1e-15);
            }
        }
        for k in 1..=5 {
            let sum: f64 = (0..3).map(|j| A[2][j] * NODES[j].powi(k - 1)).sum();
            assert!((sum - 1.0 / f64::from(k)).abs() < 1e-15);
        }
    }

    #[test]
    fn transformation_block_diagonalises() {
        let tr = Transformation::new();
        assert_near(&product(&A, &tr.a_inv), &IDENTITY, 1e-14);
        assert_near(&product(&tr.t, &tr.t_inv), &IDENTITY, 1e-14);
        let d = product(&product(&tr.t_inv, &tr.a_inv), &tr.t);
        let (g, a, b) = (tr.gamma, tr.alpha, tr.beta);
        assert_near(&d, &[[g, 0.0, 0.0], [0.0, a, -b], [0.0, b, a]], 1e-13);
        assert!((g - 3.637_834_252_744_496).abs() < 1e-14);
    }

    #[test]
    fn error_weights_annihilate_low_degrees() {
        // (γ0/h)(e·Z) + f(x0) with γ0 = 1 in these units vanishes on polynomials up to degree 3:
        // Z_i = c_i^k gives e·Z = 0 for k = 2, 3 and -1 for k = 1 (which cancels h f).
        for (k, expected) in [(1, -1.0), (2, 0.0), (3, 0.0)] {
            let sum: f64 = (0..3).map(|i| ERROR_WEIGHTS[i] * NODES[i].powi(k)).sum();
            assert!((sum - expected).abs() < 1e-13, "degree {k}: {sum}");
        }
    }
}
