//! Elliptic integrals and Jacobi's elliptic functions, as the closed forms of pendulums need them.
//!
//! Arithmetic-geometric mean and descending Landen transformation (Abramowitz & Stegun 16.4, 17.6);
//! incomplete integral by Carlson's duplication (Numerical Algorithms 10, 1995).

/// Enough halvings for the mean of any pair of doubles in use here.
const MEANS: usize = 12;

/// sn, cn, dn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi {
    /// sn(u | m).
    pub sn: f64,
    /// cn(u | m).
    pub cn: f64,
    /// dn(u | m).
    pub dn: f64,
}

/// Complete integral of the first kind K(m), parameter m = k², 0 <= m < 1.
pub fn complete(m: f64) -> f64 {
    let (mut a, mut b) = (1.0_f64, (1.0 - m).sqrt());
    for _ in 0..MEANS {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// Incomplete integral of the first kind F(φ | m) from s = sin φ, |φ| <= π/2.
pub fn incomplete(s: f64, m: f64) -> f64 {
    s * carlson_rf(1.0 - s * s, 1.0 - m * s * s, 1.0)
}

fn carlson_rf(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    // Each duplication divides the spread by 4; the series below is of order 6 in it.
    for _ in 0..14 {
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda));
    }
    let mean = (x + y + z) / 3.0;
    let (dx, dy) = (1.0 - x / mean, 1.0 - y / mean);
    let dz = -(dx + dy);
    let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
    (1.0 + e2 * (e2 / 24.0 - 0.1 - 3.0 * e3 / 44.0) + e3 / 14.0) / mean.sqrt()
}

/// sn, cn, dn of u with parameter m, 0 <= m < 1.
pub fn jacobi(u: f64, m: f64) -> Jacobi {
    // Reduction to one period keeps the phase below small for long simulations.
    let period = 4.0 * complete(m);
    let u = u - period * (u / period).round();
    let mut a = [1.0; MEANS + 1];
    let mut c = [0.0; MEANS + 1];
    let mut b = (1.0 - m).sqrt();
    for i in 0..MEANS {
        a[i + 1] = 0.5 * (a[i] + b);
        c[i + 1] = 0.5 * (a[i] - b);
        b = (a[i] * b).sqrt();
    }
    let mut phi = u * a[MEANS] * f64::from(1_u32 << MEANS);
    for i in (1..=MEANS).rev() {
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    // dn² = 1 - m sn² = (1-m) + m cn²: the sum without cancellation.
    Jacobi { sn, cn, dn: ((1.0 - m) + m * cn * cn).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_integral_has_the_tabulated_values() {
        // Abramowitz & Stegun, table 17.1.
        assert!((complete(0.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((complete(0.5) - 1.854_074_677_301_372).abs() < 1e-15);
        assert!((complete(0.99) - 3.695_637_362_989_874).abs() < 2e-15);
    }

    #[test]
    fn jacobi_functions_at_known_points() {
        for m in [0.1, 0.5, 0.98] {
            let k = complete(m);
            let half = jacobi(0.5 * k, m);
            // sn²(K/2) = 1/(1+√(1-m)).
            assert!((half.sn.powi(2) - 1.0 / (1.0 + (1.0_f64 - m).sqrt())).abs() < 4e-15);
            let full = jacobi(k, m);
            assert!((full.sn - 1.0).abs() < 1e-15 && full.cn.abs() < 1e-14);
            assert!((full.dn - (1.0 - m).sqrt()).abs() < 1e-14);
        }
        // The limit m = 0 is the circular function.
        assert!((jacobi(1.0, 0.0).sn - 1.0_f64.sin()).abs() < 1e-15);
    }

    #[test]
    fn functions_satisfy_their_differential_equations() {
        let h = 1e-5;
        for m in [0.2, 0.7, 0.97] {
            for u in [-3.1, 0.3, 1.7, 9.9] {
                let (lo, at, hi) = (jacobi(u - h, m), jacobi(u, m), jacobi(u + h, m));
                assert!(((hi.sn - lo.sn) / (2.0 * h) - at.cn * at.dn).abs() < 1e-9);
                assert!(((hi.cn - lo.cn) / (2.0 * h) + at.sn * at.dn).abs() < 1e-9);
                assert!(((hi.dn - lo.dn) / (2.0 * h) + m * at.sn * at.cn).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn incomplete_integral_inverts_sn() {
        for m in [0.1, 0.5, 0.95] {
            for u in [-1.2, 0.4, 1.5] {
                assert!((incomplete(jacobi(u, m).sn, m) - u).abs() < 1e-14, "{m} {u}");
            }
            assert!((incomplete(1.0, m) - complete(m)).abs() < 4e-15);
        }
    }
}
