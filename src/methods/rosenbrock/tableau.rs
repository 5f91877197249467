//! Coefficients: four stages, order 4, embedded order 3, L-stable; the fourth stage takes the rate of the third.
//!
//! The family is that of Hairer and Wanner II, IV.7 (ROS4), as the Rosenbrock-Nyström method of Sandu, Negrut, Haug, Potra and
//! Sandu (2003) uses it. γ is the root of γ⁴ - 4γ³ + 3γ² - 2γ/3 + 1/24 near 0.57, to all digits, so that R(∞) = 0; the published
//! sets have it rounded to five. α₂ = 2γ, α₃ = (1/5 - α₂/4)/(1/4 - α₂/3), α₄ⱼ = α₃ⱼ, b₃ = 0, b̂₄ = 0, β₄₃ = 1 - γ - α₃; the order
//! conditions then leave no choice. They are checked below, for the transformed coefficients as they are used:
//!
//! ```text
//! A = α Γ⁻¹,   C = I/γ - Γ⁻¹,   M = b Γ⁻¹,   M̂ = b̂ Γ⁻¹
//! ```

/// Number of stages.
pub const STAGES: usize = 4;
/// Order, which the error of a step exceeds by one.
pub const ORDER: u32 = 4;
/// The diagonal of Γ.
pub const GAMMA: f64 = 0.572_816_062_482_134_855;
/// α_i: where in the step the stages lie.
pub const NODES: [f64; STAGES] =
    [0.0, 1.145_632_124_964_269_71, 0.655_214_977_162_467_036, 0.655_214_977_162_467_036];
/// γ_i = Σ γ_ij: the weight of ∂f/∂t.
pub const TIME: [f64; STAGES] = [
    0.572_816_062_482_134_855,
    -1.769_177_077_710_920_87,
    0.759_293_945_002_120_551,
    -0.104_894_626_207_866_763,
];
/// a_ij, row by row.
pub const A: [[f64; STAGES - 1]; STAGES] = [
    [0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0],
    [1.867_948_146_655_978_4, 0.234_445_568_140_910_093, 0.0],
    [1.867_948_146_655_978_4, 0.234_445_568_140_910_093, 0.0],
];
/// c_ij, row by row.
pub const C: [[f64; STAGES - 1]; STAGES] = [
    [0.0, 0.0, 0.0],
    [-7.137_649_921_358_897_06, 0.0, 0.0],
    [2.580_923_530_693_604_04, 0.651_629_865_327_706_424, 0.0],
    [-2.137_115_287_755_275_81, -0.321_469_529_725_735_914, -0.694_966_054_449_037_819],
];
/// m_i.
pub const M: [f64; STAGES] = [
    2.255_566_231_026_840_43,
    0.287_055_059_579_841_481,
    0.435_311_967_147_277_942,
    1.093_507_652_998_849_41,
];
/// m̂_i of the embedded formula.
pub const EMBEDDED: [f64; STAGES] =
    [1.974_022_145_775_932_05, 0.214_289_417_708_472_782, 0.327_099_056_491_557_947, 0.0];
/// The last stage whose rate is evaluated.
pub const LAST_RATE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; STAGES]; STAGES];
    const N: std::ops::Range<usize> = 0..STAGES;

    fn square(rows: &[[f64; STAGES - 1]; STAGES]) -> Matrix {
        rows.map(|[a, b, c]| [a, b, c, 0.0])
    }

    fn product(a: &Matrix, b: &Matrix) -> Matrix {
        std::array::from_fn(|i| std::array::from_fn(|j| N.map(|k| a[i][k] * b[k][j]).sum()))
    }

    fn row(a: &[f64; STAGES], b: &Matrix) -> [f64; STAGES] {
        std::array::from_fn(|j| N.map(|k| a[k] * b[k][j]).sum())
    }

    fn sums(a: &Matrix) -> [f64; STAGES] {
        a.map(|row| row.iter().sum())
    }

    /// The inverse of a lower triangular matrix.
    fn inverse(a: &Matrix) -> Matrix {
        let mut x = [[0.0; STAGES]; STAGES];
        for j in N {
            for i in j..STAGES {
                let unit = f64::from(u8::from(i == j));
                x[i][j] = (unit - (j..i).map(|k| a[i][k] * x[k][j]).sum::<f64>()) / a[i][i];
            }
        }
        x
    }

    /// Γ, α, and b or b̂ from the coefficients in use.
    fn classical() -> (Matrix, Matrix, [f64; STAGES], [f64; STAGES]) {
        let mut gamma = square(&C).map(|row| row.map(|c| -c));
        N.for_each(|i| gamma[i][i] = 1.0 / GAMMA);
        let gamma = inverse(&gamma);
        (gamma, product(&square(&A), &gamma), row(&M, &gamma), row(&EMBEDDED, &gamma))
    }

    fn weighted(b: &[f64; STAGES], term: impl Fn(usize) -> f64) -> f64 {
        N.map(|i| b[i] * term(i)).sum()
    }

    /// Defects of the conditions of order 4 (HW II, (7.11)), those of order 3 first.
    fn conditions(b: &[f64; STAGES]) -> [f64; 8] {
        let (gamma, alpha, ..) = classical();
        let beta: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| alpha[i][j] + gamma[i][j]));
        let (a, s) = (sums(&alpha), sums(&beta));
        let along = |m: &Matrix, v: &[f64; STAGES], i: usize| N.map(|j| m[i][j] * v[j]).sum::<f64>();
        let twice: [f64; STAGES] = std::array::from_fn(|i| along(&beta, &s, i));
        let squares = a.map(|a| a * a);
        [
            weighted(b, |_| 1.0) - 1.0,
            weighted(b, |i| s[i]) - 1.0 / 2.0,
            weighted(b, |i| squares[i]) - 1.0 / 3.0,
            weighted(b, |i| twice[i]) - 1.0 / 6.0,
            weighted(b, |i| a[i].powi(3)) - 1.0 / 4.0,
            weighted(b, |i| a[i] * along(&alpha, &s, i)) - 1.0 / 8.0,
            weighted(b, |i| along(&beta, &squares, i)) - 1.0 / 12.0,
            weighted(b, |i| along(&beta, &twice, i)) - 1.0 / 24.0,
        ]
    }

    #[test]
    fn order_conditions_hold() {
        let (.., b, embedded) = classical();
        for (k, defect) in conditions(&b).into_iter().enumerate() {
            assert!(defect.abs() < 1e-14, "condition {}: {defect:e}", k + 1);
        }
        let third = conditions(&embedded);
        for (k, defect) in third[..4].iter().enumerate() {
            assert!(defect.abs() < 1e-14, "embedded, condition {}: {defect:e}", k + 1);
        }
        assert!(third[4..].iter().any(|defect| defect.abs() > 1e-3), "no estimate if it had order 4, too");
    }

    #[test]
    fn nodes_weights_of_time_and_equal_stages() {
        let (gamma, alpha, ..) = classical();
        for i in N {
            assert!((sums(&alpha)[i] - NODES[i]).abs() < 1e-14 && (sums(&gamma)[i] - TIME[i]).abs() < 1e-14);
        }
        assert!(A[3] == A[LAST_RATE] && NODES[3] == NODES[LAST_RATE], "the rate of stage 3 serves stage 4");
        let g = GAMMA;
        assert!((g.powi(4) - 4.0 * g.powi(3) + 3.0 * g * g - 2.0 / 3.0 * g + 1.0 / 24.0).abs() < 1e-15);
    }

    /// R(∞) = 1 - b (α + Γ)⁻¹ 1.
    #[test]
    fn stability_at_infinity() {
        let (gamma, alpha, b, embedded) = classical();
        let beta: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| alpha[i][j] + gamma[i][j]));
        let one = sums(&inverse(&beta));
        assert!((1.0 - weighted(&b, |i| one[i])).abs() < 1e-13);
        // The embedded formula is only A-stable: it overestimates the errors of stiff components.
        assert!((1.0 - weighted(&embedded, |i| one[i]) + 0.5525).abs() < 1e-4);
    }

    /// A step of y'' = f(y, y') by Theorem 1 of Sandu et al. with its own coefficients δ, θ, μ is one of y' = u, u' = f(y, u) by
    /// the coefficients above. f = -ω²y - d u + e y u, at a point where all terms count.
    #[test]
    fn the_method_of_nystroem_type_is_the_one_of_first_order() {
        let (gamma, alpha, b, _) = classical();
        let inverse = inverse(&gamma);
        let theta: Matrix = {
            let second = product(&product(&alpha, &alpha), &inverse);
            std::array::from_fn(|i| std::array::from_fn(|j| alpha[i][j] + second[i][j]))
        };
        let delta: Matrix = {
            let second = product(&product(&gamma, &alpha), &inverse);
            std::array::from_fn(|i| std::array::from_fn(|j| gamma[i][j] + second[i][j]))
        };
        let through = row(&row(&b, &alpha), &inverse);
        let mu: [f64; STAGES] = std::array::from_fn(|i| b[i] + through[i]);
        let (y, u, h, g) = (0.7, -0.4, 0.3, GAMMA);
        let f = |y: f64, u: f64| -4.0 * y - 0.5 * u + 1.5 * y * u;
        let (j1, j2) = (-4.0 + 1.5 * u, -0.5 + 1.5 * y);

        let mut z = [0.0; STAGES];
        for i in N {
            let sum = |m: &Matrix| (0..i).map(|j| m[i][j] * z[j]).sum::<f64>();
            let rate = f(y + h * NODES[i] * u + h * sum(&theta), u + sum(&square(&A)));
            let right = h * g * rate
                + h * h * g * TIME[i] * j1 * u
                + g * sum(&square(&C))
                + h * h * g * j1 * sum(&delta);
            z[i] = right / (1.0 - h * g * j2 - h * h * g * g * j1);
        }
        let nystroem =
            [y + h * u + h * N.map(|i| mu[i] * z[i]).sum::<f64>(), u + N.map(|i| M[i] * z[i]).sum::<f64>()];

        let mut k = [[0.0; 2]; STAGES];
        for i in N {
            let sum = |m: &Matrix, c: usize| (0..i).map(|j| m[i][j] * k[j][c]).sum::<f64>();
            let (yi, ui) = (y + sum(&square(&A), 0), u + sum(&square(&A), 1));
            let right = [ui + sum(&square(&C), 0) / h, f(yi, ui) + sum(&square(&C), 1) / h];
            let hg = h * g;
            let second = (right[1] + hg * j1 * right[0]) / (1.0 / hg - j2 - hg * j1);
            k[i] = [hg * (right[0] + second), second];
        }
        let first: [f64; 2] = std::array::from_fn(|c| [y, u][c] + N.map(|i| M[i] * k[i][c]).sum::<f64>());
        for (a, b) in nystroem.iter().zip(first) {
            assert!((a - b).abs() < 1e-14, "{nystroem:?} {first:?}");
        }
    }
}
