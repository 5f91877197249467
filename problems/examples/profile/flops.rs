//! Floating point operations that the parts of a step need, from the dimensions.
//!
//! An addition, a multiplication, a division count one each; a complex multiplication six, a complex addition two. Moduli,
//! comparisons and copies do not count, nor do zeros that the method knows of: products go over the dependent components
//! only (`src/formulation/dependent.rs`), stages are as many as the method has and not as many as there are lanes.
//!
//! With n components, n_v velocities, m_1, m_2, m_3 rows of the constraint blocks (acceleration, velocity, position), d
//! free velocities and as many free positions, s stages:
//!
//! - z has n_z = 2 d entries, with FORM=1 also the multipliers; n_d = n - n_z components of x depend on z;
//! - E1 and E2 are of order k = n_z - d, since the kinematic rows are eliminated (`src/formulation/kinematic.rs`);
//! - S keeps d_v dynamic rows: d, with FORM=1 all n_v.

use geoms::layout::{Form, Layout};
use geoms::options::{MethodKind, Options, Order};

/// Dimensions of a run, as above.
pub struct Dimensions {
    pub n: f64,
    pub nv: f64,
    pub m: [f64; 3],
    pub d: f64,
    pub nz: f64,
    pub nd: f64,
    pub k: f64,
    pub dv: f64,
    pub s: f64,
    pub half_explicit: bool,
    diagonal: bool,
    constant: bool,
}

impl Dimensions {
    /// For problems without r, s, w and invariants, p' = v, and the LU decomposition.
    pub fn new(l: &Layout, options: &Options) -> Result<Self, &'static str> {
        let z = l.dims;
        if z.nr + z.ns + z.nw + z.ni > 0 || z.np != z.nv {
            return Err("the formulas are for p' = v, g and h only");
        }
        let d = z.nv - l.m2();
        let multipliers = if l.form == Form::Index1 { l.m2() } else { 0 };
        let nz = 2 * d + multipliers;
        let stages = match options.order {
            Order::Five => 3,
            Order::Nine => 5,
            Order::Thirteen => 7,
            Order::Automatic => return Err("the number of stages has to be fixed"),
        };
        let of = |k: usize| k as f64;
        Ok(Dimensions {
            n: of(l.n),
            nv: of(z.nv),
            m: [of(l.m1()), of(l.m2()), of(l.m3())],
            d: of(d),
            nz: of(nz),
            nd: of(l.n - nz),
            k: of(nz - d),
            dv: of((d + multipliers).min(z.nv)),
            s: of(stages),
            half_explicit: options.method == MethodKind::HalfExplicit,
            diagonal: options.mass.is_diagonal(),
            constant: options.mass.is_constant(),
        })
    }

    /// In words, for the heading of a table.
    pub fn describe(&self) -> String {
        let Dimensions { n, nv, m, d, nz, nd, k, s, .. } = self;
        if self.half_explicit {
            return format!("n_v = {nv}, m = {} constraints, {STAGES} stages", m[1]);
        }
        format!("n = {n}, n_v = {nv}, m_1, m_2, m_3 = {}, {}, {}, d = {d}, n_z = {nz}, n_d = {nd}, k = {k}, s = {s}", m[0], m[1], m[2])
    }

    /// Stages from the polynomial of the last step: for each Horner's scheme of degree s, 2 (s-1) + 1.
    pub fn predict(&self) -> f64 {
        self.n * self.s * (2.0 * self.s - 1.0)
    }

    /// LU of the three blocks, their rows scaled.
    pub fn constraint_lu(&self) -> f64 {
        let [m1, m2, m3] = self.m;
        lu(m1, m1) + lu(m2, self.nv) + lu(m3, self.nv) + m1 * m1 + (m2 + m3) * self.nv
    }

    /// Null spaces: U11⁻¹ U12 for the d free columns of two blocks, m² each.
    pub fn null_spaces(&self) -> f64 {
        (self.m[1].powi(2) + self.m[2].powi(2)) * self.d
    }

    /// N: the effect of free positions on velocities, a product over m_3 dependent positions and a solve with block 2;
    /// and what block 1 gives, a product over dependent velocities and positions and a solve.
    pub fn null_space_of_all(&self) -> f64 {
        let [m1, m2, m3] = self.m;
        let velocities = (2.0 * m2 * m3 + 2.0 * m2 * m2) * self.d;
        let multipliers = if m1 > 0.0 { (2.0 * m1 * (m2 + m3) + 2.0 * m1 * m1) * self.nz } else { 0.0 };
        velocities + multipliers
    }

    /// M N for the 2 d columns of free velocities and positions: over m_2 dependent velocities, or n_v diagonal entries.
    pub fn mass_columns(&self) -> f64 {
        2.0 * self.d * if self.diagonal { self.nv } else { 2.0 * self.nv * self.m[1] }
    }

    /// Selectors: elimination of n_v rows in the columns of the dynamic rows, and of n_v rows in d columns.
    pub fn selectors(&self) -> f64 {
        let columns = self.k.min(self.nv);
        lu(self.nv, columns) + lu(self.nv, self.d)
    }

    /// C = S FX N over the dependent components, and B_p - C_v.
    pub fn reduce(&self) -> f64 {
        2.0 * self.nz * self.nd * self.nz + self.k * self.d
    }

    /// E1 and the (s-1)/2 matrices E2: assembled (4 and 7 operations in d columns, 2 and 3 in the others) and decomposed.
    pub fn decompose(&self) -> f64 {
        let (k, pairs, others) = (self.k, (self.s - 1.0) / 2.0, self.k - self.d);
        k * (4.0 * self.d + 2.0 * others)
            + lu(k, k)
            + pairs * (k * (7.0 * self.d + 3.0 * others) + complex_lu(k))
    }

    /// W = T⁻¹ Z, once per attempt.
    pub fn transform(&self) -> f64 {
        mix(self.s) * self.n
    }

    /// With a mass matrix that varies: A⁻¹ Z on the velocities, and M_i times it in d_v rows of every stage.
    pub fn stage_masses(&self) -> f64 {
        if self.constant {
            return 0.0;
        }
        mix(self.s) * self.nv + self.s * self.mass_product()
    }

    /// T⁻¹ R for the constraint rows and the selected ones.
    pub fn transform_residuals(&self) -> f64 {
        mix(self.s) * (self.m.iter().sum::<f64>() + self.nz)
    }

    /// X_i = x + Z_i, and the norm of the increments: 3 operations per component and stage.
    pub fn stages_and_norm(&self) -> f64 {
        4.0 * self.n * self.s
    }

    /// Particular solution: one solve with each block, products over dependent components between them.
    pub fn particular(&self, lanes: f64) -> f64 {
        let [m1, m2, m3] = self.m;
        lanes * (solve(m3) + solve(m2) + solve(m1) + 2.0 * m2 * m3 + 2.0 * m1 * (m2 + m3))
    }

    /// Right-hand side: S FX x0 over dependent components, S M (θ·), and the kinematic rows taken out: (θ B_v + C_v) r_p.
    pub fn right_hand_side(&self, lanes: f64) -> f64 {
        let theta = theta(lanes);
        lanes * (2.0 * self.nz * self.nd + self.mass_product() + 4.0 * self.k * self.d)
            + theta * (self.nv + 2.0 * self.d)
            + lanes * (self.nv + 2.0 * self.d)
    }

    /// Solves with E1 and E2.
    pub fn solves(&self) -> f64 {
        solve(self.k) + (self.s - 1.0) / 2.0 * complex_solve(self.k)
    }

    /// x0 + N z over the dependent components, free velocities restored.
    pub fn substitute(&self, lanes: f64) -> f64 {
        lanes * (2.0 * self.nd * self.nz + self.d) + theta(lanes) * self.d
    }

    /// W += ΔW, Z = T W.
    pub fn update(&self) -> f64 {
        self.n * (self.s + mix(self.s))
    }

    /// One error estimate: M (e·Z)/h on 2 n_v components, then as one iteration with one lane, and a norm.
    pub fn estimate(&self) -> f64 {
        2.0 * self.s * 2.0 * self.nv
            + self.mass_product()
            + self.particular(1.0)
            + self.right_hand_side(1.0)
            + solve(self.k)
            + self.substitute(1.0)
            + 3.0 * self.n
    }

    /// x + Z_s and the coefficients of the polynomial.
    pub fn accept(&self) -> f64 {
        self.n + mix(self.s) * self.n
    }

    /// d_v rows of M times a vector.
    fn mass_product(&self) -> f64 {
        2.0 * self.dv * if self.diagonal { 1.0 } else { self.nv }
    }

    /// Rounding errors: |FX| |x| for all rows, one solve per block, and two patterns of signs through E1.
    pub fn round_off(&self) -> f64 {
        let [m1, m2, m3] = self.m;
        let rows = 2.0 * (m1 * self.n + 2.0 * m2 * self.nv + m3 * self.nv);
        let pattern = 2.0 * self.nz * self.n + 4.0 * self.k * self.d + solve(self.k) + self.substitute(1.0);
        rows + solve(m1) + solve(m2) + solve(m3) + 2.0 * pattern
    }

    /// Half-explicit: L of M and of S.
    pub fn mass_and_schur(&self) -> f64 {
        cholesky(self.nv) + cholesky(self.m[1])
    }

    /// Y = C L⁻ᵀ.
    pub fn eliminated_rows(&self) -> f64 {
        self.m[1] * self.nv * self.nv
    }

    /// One triangle of S = Y Yᵀ.
    pub fn schur_matrix(&self) -> f64 {
        self.m[1] * (self.m[1] + 1.0) * self.nv
    }

    /// Multipliers and accelerations: two triangles of M, two of S, a product with Yᵀ.
    pub fn saddle_solve(&self) -> f64 {
        self.nv * self.nv + self.saddle_correction()
    }

    /// A correction onto the constraints: the same without the first triangle of M.
    pub fn saddle_correction(&self) -> f64 {
        let (nv, m) = (self.nv, self.m[1]);
        2.0 * m * m + 2.0 * m * nv + nv * nv
    }

    /// y + h Σ a_ij k_j for all stages of an attempt, by the coefficients that are not zero.
    pub fn explicit_stages(&self) -> f64 {
        2.0 * 2.0 * self.nv * COEFFICIENTS
    }

    /// Two estimates with weights and norms.
    pub fn explicit_estimate(&self) -> f64 {
        2.0 * self.nv * (2.0 * ESTIMATES + 2.0 * 3.0 + 2.0)
    }
}

/// Of the explicit method of order 8 (`src/methods/half_explicit/tableau.rs`): stages, coefficients of A and b that are
/// not zero, and those of its two error estimates.
const STAGES: f64 = 12.0;
const COEFFICIENTS: f64 = 58.0;
const ESTIMATES: f64 = 16.0;

/// LU decomposition of an m×n matrix: Σ_j (m-j) divisions and 2 (m-j)(n-j) operations; 2/3 n³ for a large square one.
fn lu(m: f64, n: f64) -> f64 {
    let count = m.min(n) as usize;
    (1..=count).map(|j| j as f64).map(|j| (m - j) * (1.0 + 2.0 * (n - j))).sum()
}

/// The same with complex numbers: 8/3 n³.
fn complex_lu(n: f64) -> f64 {
    (1..=n as usize).map(|j| n - j as f64).map(|left| left * (6.0 + 8.0 * left)).sum()
}

/// Both triangles: n (n-1) multiplications and as many additions, and n products with reciprocal pivots.
fn solve(n: f64) -> f64 {
    n * (2.0 * n - 1.0)
}

/// The same with complex numbers.
fn complex_solve(n: f64) -> f64 {
    n * (8.0 * n - 2.0)
}

/// A symmetric matrix: n³/3.
fn cholesky(n: f64) -> f64 {
    n * (n + 1.0) * (2.0 * n + 1.0) / 6.0
}

/// An s×s matrix times a vector.
fn mix(s: f64) -> f64 {
    s * (2.0 * s - 1.0)
}

/// Multiplication by θ in all lanes: one real number, and pairs with six operations each.
fn theta(lanes: f64) -> f64 {
    1.0 + 3.0 * (lanes - 1.0)
}
