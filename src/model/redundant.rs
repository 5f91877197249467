//! The matrix of a step, or of accelerations, where constraints are redundant. Its columns of λ, μ and its rows of g, h depend on each
//! other. It is bordered by what is missing,
//!
//! ```text
//! [ A   B ] [ y ]   [ b ]
//! [ Nᵀ  0 ] [ s ] = [ 0 ]
//! ```
//!
//! where N spans the multipliers that cause no force: those found are the smallest in the user's units, whatever these are. B takes
//! up what contradicts itself in b. Ranks and pivots are found in scaled unknowns: accelerations by their masses, multipliers
//! by the forces that they cause, all else by these two.

use super::Unknowns;
use crate::layout::Block;
use crate::linalg::{LinalgError, RealSolver, SolverKind, Svd};

/// The bordered matrix, its scaling and its border.
#[derive(Debug)]
pub struct Redundant {
    unknowns: Unknowns,
    deficiency: usize,
    /// Of the forces by the multipliers, scaled.
    svd: Svd,
    bordered: RealSolver,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    /// N, orthonormal, and the same in scaled unknowns.
    null: Vec<f64>,
    border: Vec<f64>,
    work: Vec<f64>,
}

impl Redundant {
    /// Room for these unknowns.
    pub fn new(kind: SolverKind, unknowns: Unknowns) -> Self {
        let (n, m) = (unknowns.n, unknowns.multipliers.len());
        Redundant {
            unknowns,
            deficiency: 0,
            svd: Svd::new(unknowns.a.len(), m),
            bordered: RealSolver::new(kind, n + m),
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            null: vec![0.0; m * m],
            border: vec![0.0; m * m],
            work: vec![0.0; n + m],
        }
    }

    /// Directions of the multipliers that are undetermined.
    pub fn deficiency(&self) -> usize {
        self.deficiency
    }

    /// So many are from here on.
    pub fn set_deficiency(&mut self, deficiency: usize) {
        self.deficiency = deficiency.min(self.unknowns.multipliers.len());
    }

    /// Factor `a`, column-major.
    pub fn factor(&mut self, a: &[f64]) -> Result<(), LinalgError> {
        self.scale_accelerations(a);
        self.scale_multipliers(a);
        self.find_undetermined(a)?;
        self.scale_rest(a);
        let (n, d, block) = (self.unknowns.n, self.deficiency, self.unknowns.multipliers);
        let (size, m) = (n + d, block.len());
        self.bordered.resize(size);
        let target = self.bordered.matrix_mut();
        target.fill(0.0);
        for (j, c) in self.column_scale.iter().enumerate() {
            for (i, r) in self.row_scale.iter().enumerate() {
                target[i + j * size] = a[i + j * n] * r * c;
            }
        }
        let vt = self.svd.vt();
        for k in 0..d {
            for i in 0..m {
                target[block.start + i + (n + k) * size] = vt[m - d + k + i * m];
                target[n + k + (block.start + i) * size] = self.border[i + k * m];
            }
        }
        self.bordered.factor()
    }

    /// b := the solution y.
    pub fn solve(&mut self, b: &mut [f64]) {
        let work = &mut self.work[..b.len() + self.deficiency];
        work.fill(0.0);
        for ((w, b), r) in work.iter_mut().zip(b.iter()).zip(&self.row_scale) {
            *w = b * r;
        }
        self.bordered.solve(work);
        for ((b, w), c) in b.iter_mut().zip(work.iter()).zip(&self.column_scale) {
            *b = w * c;
        }
    }

    /// Remove from multipliers what causes no force.
    pub fn remove(&self, multipliers: &mut [f64]) {
        let m = multipliers.len();
        self.null.chunks_exact(m.max(1)).take(self.deficiency).for_each(|n| subtract_along(n, multipliers));
    }

    /// Accelerations by the root of their mass. Those without mass get one factor, with which forces on them are as large as on others.
    fn scale_accelerations(&mut self, a: &[f64]) {
        let (u, n) = (&self.unknowns, self.unknowns.n);
        let force = |i: usize| u.multipliers.range().fold(0.0f64, |m, j| m.max(a[i + j * n].abs()));
        let (mut massive, mut massless) = (0.0f64, 0.0f64);
        for i in u.a.range() {
            let mass = a[i + i * n].abs();
            self.column_scale[i] = if mass > 0.0 { 1.0 / mass.sqrt() } else { 0.0 };
            if mass > 0.0 {
                massive = massive.max(force(i) * self.column_scale[i]);
            } else {
                massless = massless.max(force(i));
            }
        }
        let other = inverse(if massive > 0.0 { massless / massive } else { massless });
        u.a.of_mut(&mut self.column_scale).iter_mut().filter(|s| **s == 0.0).for_each(|s| *s = other);
    }

    /// Multipliers by the forces that they cause.
    fn scale_multipliers(&mut self, a: &[f64]) {
        let (u, n) = (&self.unknowns, self.unknowns.n);
        for j in u.multipliers.range() {
            let size = u.a.range().fold(0.0f64, |s, i| s.hypot(a[i + j * n] * self.column_scale[i]));
            self.column_scale[j] = inverse(size);
        }
    }

    fn find_undetermined(&mut self, a: &[f64]) -> Result<(), LinalgError> {
        let (u, n, d, m) =
            (&self.unknowns, self.unknowns.n, self.deficiency, self.unknowns.multipliers.len());
        let (rows, scale) = (u.a.len(), &self.column_scale);
        let target = self.svd.matrix_mut();
        for (column, j) in target.chunks_exact_mut(rows.max(1)).zip(u.multipliers.range()) {
            for (entry, i) in column.iter_mut().zip(u.a.range()) {
                *entry = a[i + j * n] * scale[i] * scale[j];
            }
        }
        self.svd.factor()?;
        let (vt, scale) = (self.svd.vt(), u.multipliers.of(scale));
        let largest = scale.iter().fold(0.0f64, |m, s| m.max(*s));
        for k in 0..d {
            for (i, s) in scale.iter().map(|s| s / largest).enumerate() {
                let direction = vt[m - d + k + i * m];
                self.null[i + k * m] = s * direction;
                self.border[i + k * m] = s * s * direction;
            }
        }
        orthonormalise(&mut self.null[..m * d], m);
        orthonormalise(&mut self.border[..m * d], m);
        Ok(())
    }

    /// All other unknowns by what accelerations make of them, or by the forces that they cause; then the rows by their largest entry.
    fn scale_rest(&mut self, a: &[f64]) {
        let u = self.unknowns;
        for i in u.q.range() {
            let size = self.largest(a, i, &[u.a]);
            self.column_scale[i] = if size > 0.0 { size } else { 1.0 };
        }
        for i in u.s.range() {
            self.row_scale[i] = inverse(self.largest(a, i, &[u.position()]));
        }
        for (rows, columns) in [(u.s, u.s), (u.a, u.w), (u.a, u.slope)] {
            for j in columns.range() {
                let by = if rows == u.s { &self.row_scale } else { &self.column_scale };
                let size = rows.range().fold(0.0f64, |m, i| m.max(by[i] * a[i + j * u.n].abs()));
                self.column_scale[j] = inverse(size);
            }
        }
        for i in 0..u.n {
            self.row_scale[i] = inverse(self.largest(a, i, &[Block { start: 0, end: u.n }]));
        }
    }

    /// Largest scaled entry of a row in some columns.
    fn largest(&self, a: &[f64], row: usize, columns: &[Block]) -> f64 {
        let entry = |j: usize| (a[row + j * self.unknowns.n] * self.column_scale[j]).abs();
        columns.iter().flat_map(|block| block.range()).fold(0.0, |m, j| m.max(entry(j)))
    }
}

fn inverse(size: f64) -> f64 {
    if size > 0.0 {
        1.0 / size
    } else {
        1.0
    }
}

/// y := y - n nᵀ y.
fn subtract_along(n: &[f64], y: &mut [f64]) {
    let along: f64 = n.iter().zip(y.iter()).map(|(n, y)| n * y).sum();
    y.iter_mut().zip(n).for_each(|(y, n)| *y -= along * n);
}

/// Gram and Schmidt's way, twice for the rounding errors.
fn orthonormalise(columns: &mut [f64], m: usize) {
    let count = columns.len().checked_div(m).unwrap_or(0);
    for k in 0..count {
        let (before, rest) = columns.split_at_mut(k * m);
        let this = &mut rest[..m];
        for _ in 0..2 {
            before.chunks_exact(m).for_each(|n| subtract_along(n, this));
            let size = this.iter().fold(0.0f64, |s, v| s.hypot(*v));
            let factor = inverse(size);
            this.iter_mut().for_each(|v| *v *= factor);
        }
    }
}
