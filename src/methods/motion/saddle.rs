//! The saddle point problem of every stage and projection:
//!
//! ```text
//! M a + Cᵀν = f,   C a = b,        C = ∂(gI, h)/∂v
//! ```
//!
//! With M = L Lᵀ and Y = C L⁻ᵀ the multipliers follow from S ν = Y L⁻¹f - b, S = Y Yᵀ = C M⁻¹ Cᵀ: about half the work of
//! the symmetric indefinite matrix. That one is taken where M is not definite; only on the null space of C it has to be.

use crate::decompose::DecompositionKind;
use crate::linalg::cholesky::Cholesky;
use crate::linalg::fixed::by_length;
use crate::linalg::pivoted_cholesky::{PivotedCholesky, RankRule};
use crate::linalg::{products, Factored, LinalgError, LuReal, Scalar};
use crate::model::Mass;
use crate::rank::RankPolicy;

/// Why a matrix could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// NaN or overflow.
    NotFinite,
    /// Row of C that depends on those before it, if one can be named.
    Constraints(Option<usize>),
}

/// How S is solved with.
#[derive(Debug)]
enum Schur {
    /// Independent constraints.
    Definite(Cholesky),
    /// Redundant ones (DECOMPC=3): forces from independent rows, the same ones over a step, since off the manifold other rows
    /// would make another differential equation; multipliers of least norm.
    LeastNorm { factor: Box<PivotedCholesky>, policy: RankPolicy },
}

/// The decomposed problem.
#[derive(Debug)]
pub struct Saddle {
    nv: usize,
    m: usize,
    mass: Cholesky,
    /// L is in hand and serves the whole run.
    mass_kept: bool,
    y: Vec<f64>,
    schur: Schur,
    /// M was found not to be definite: the whole matrix is used.
    whole: bool,
    lu: LuReal,
    rhs: Vec<f64>,
    /// Rank of the constraints at the start (least norm only).
    rank: Option<usize>,
}

impl Saddle {
    /// For nv velocities and m constraints.
    pub fn new(nv: usize, m: usize, kind: DecompositionKind, policy: RankPolicy) -> Self {
        let schur = match kind {
            DecompositionKind::Svd => Schur::LeastNorm { factor: Box::new(PivotedCholesky::new(m)), policy },
            _ => Schur::Definite(Cholesky::new(m)),
        };
        Saddle {
            nv,
            m,
            mass: Cholesky::new(nv),
            mass_kept: false,
            y: vec![0.0; nv * m],
            schur,
            whole: false,
            lu: LuReal::new(nv + m),
            rhs: vec![0.0; nv + m],
            rank: None,
        }
    }

    /// True if M was found not to be definite, so that M⁻¹ is not at hand.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Rank of the constraints, where it was decided.
    pub fn rank(&self) -> Option<usize> {
        self.rank
    }

    /// The smallest magnitude of the constraints that counts, in the norm of M and relative to the largest; `None` with the whole
    /// matrix.
    pub fn smallest(&self) -> Option<f64> {
        if self.whole || self.m == 0 {
            return None;
        }
        let (least, most) = match &self.schur {
            Schur::Definite(cholesky) => cholesky.extent(),
            Schur::LeastNorm { factor, .. } => factor.extent(),
        };
        Some(least / most.max(f64::MIN_POSITIVE))
    }

    /// The constraints that the forces are taken from, where the rank is decided.
    pub fn rows(&self) -> &[usize] {
        match &self.schur {
            Schur::LeastNorm { factor, .. } => factor.rows(),
            Schur::Definite(_) => &[],
        }
    }

    /// Put back the decisions of an earlier run.
    pub fn recall(&mut self, whole: bool, rank: Option<usize>, rows: &[usize]) {
        (self.whole, self.rank, self.mass_kept) = (whole, rank, false);
        if let (Schur::LeastNorm { factor, .. }, Some(_)) = (&mut self.schur, rank) {
            factor.keep_rows(rows);
        }
    }

    /// As new.
    pub fn forget(&mut self) {
        self.recall(false, None, &[]);
        if let Schur::LeastNorm { factor, .. } = &mut self.schur {
            factor.forget();
        }
    }

    /// Decompose for this mass matrix and C (m by nv).
    pub fn decompose(&mut self, mass: &Mass, c: &[f64]) -> Result<(), Defect> {
        if !self.whole && !self.decompose_mass(mass)? {
            self.whole = true;
        }
        if self.whole {
            return self.decompose_whole(mass, c);
        }
        self.y.copy_from_slice(c);
        self.mass.solve_rows(self.m, &mut self.y);
        self.decompose_schur()
    }

    /// L; false if M is not definite.
    fn decompose_mass(&mut self, mass: &Mass) -> Result<bool, Defect> {
        if self.mass_kept {
            return Ok(true);
        }
        mass.copy_to(self.mass.matrix_mut());
        match self.mass.factor() {
            Ok(()) => {
                self.mass_kept = mass.structure().is_constant();
                Ok(true)
            }
            Err(LinalgError::Singular { .. }) => Ok(false),
            Err(_) => Err(Defect::NotFinite),
        }
    }

    fn decompose_schur(&mut self) -> Result<(), Defect> {
        let m = self.m;
        if m == 0 {
            return Ok(());
        }
        let target = match &mut self.schur {
            Schur::Definite(cholesky) => cholesky.matrix_mut(),
            Schur::LeastNorm { factor, .. } => factor.matrix_mut(),
        };
        by_length!(m, gram(&self.y, target), gram_lower(m, &self.y, target));
        match &mut self.schur {
            Schur::Definite(cholesky) => cholesky.factor().map_err(|e| match e {
                LinalgError::Singular { pivot } => Defect::Constraints(Some(pivot)),
                _ => Defect::NotFinite,
            }),
            Schur::LeastNorm { factor, policy } => {
                // Off the manifold redundant constraints look independent: the rank is that of the start.
                let rule = RankRule { zero: policy.acceleration, regrown: policy.regrown, known: self.rank };
                factor.factor(&rule).map_err(|_| Defect::NotFinite)?;
                self.rank = self.rank.or(Some(factor.rows().len()));
                Ok(())
            }
        }
    }

    fn decompose_whole(&mut self, mass: &Mass, c: &[f64]) -> Result<(), Defect> {
        let (nv, m) = (self.nv, self.m);
        let n = nv + m;
        // Where L was tried before.
        let full = self.mass.matrix_mut();
        mass.copy_to(full);
        let a = self.lu.matrix_mut();
        a.fill(0.0);
        for j in 0..nv {
            a[j * n..j * n + nv].copy_from_slice(&full[j * nv..(j + 1) * nv]);
            a[j * n + nv..(j + 1) * n].copy_from_slice(&c[j * m..(j + 1) * m]);
            for i in 0..m {
                a[j + (nv + i) * n] = c[i + j * m];
            }
        }
        self.lu.factor().map_err(|e| match e {
            LinalgError::Singular { .. } => Defect::Constraints(None),
            _ => Defect::NotFinite,
        })
    }
}

impl Factored<'_, Saddle> {
    /// f := a and b := ν of M a + Cᵀν = f, C a = b.
    pub fn solve(&mut self, f: &mut [f64], b: &mut [f64]) {
        let s = &mut *self.system;
        let (nv, m) = (s.nv, s.m);
        if s.whole {
            let (upper, lower) = s.rhs.split_at_mut(nv);
            upper.copy_from_slice(f);
            lower.copy_from_slice(b);
            s.lu.solve(&mut s.rhs);
            f.copy_from_slice(&s.rhs[..nv]);
            b.copy_from_slice(&s.rhs[nv..]);
            return;
        }
        s.mass.solve_lower(f);
        b.iter_mut().for_each(|b| *b = -*b);
        products::add_mul_vec(m, nv, 1.0, &s.y, f, b);
        s.solve_multipliers(b);
        s.finish(f, b);
        s.least_norm(b);
    }

    /// f := a = M⁻¹(f - Cᵀν) and b := ν, where b holds C M⁻¹f + γ: the row gII as the model gives it for ν = 0. Not
    /// with the whole matrix.
    pub fn solve_reduced(&mut self, f: &mut [f64], b: &mut [f64]) {
        let s = &mut *self.system;
        s.mass.solve_lower(f);
        s.solve_multipliers(b);
        s.finish(f, b);
        s.least_norm(b);
    }

    /// b := S⁻¹ b. Not with the whole matrix.
    pub fn multipliers(&mut self, b: &mut [f64]) {
        self.system.solve_multipliers(b);
    }

    /// f := M⁻¹ f. Not with the whole matrix.
    pub fn solve_mass(&self, f: &mut [f64]) {
        let s = &*self.system;
        s.mass.solve_lower(f);
        s.mass.solve_lower_transposed(f);
    }

    /// The smallest correction u, in the norm of M, with C u = -residual; `residual` becomes the multipliers.
    pub fn correction(&mut self, residual: &mut [f64], u: &mut [f64]) {
        if self.system.whole {
            u.fill(0.0);
            residual.iter_mut().for_each(|r| *r = -*r);
            return self.solve(u, residual);
        }
        let s = &mut *self.system;
        s.solve_multipliers(residual);
        u.fill(0.0);
        s.finish(u, residual);
    }
}

impl Saddle {
    /// f := L⁻ᵀ(f - Yᵀν).
    fn finish(&self, f: &mut [f64], nu: &[f64]) {
        products::add_mul_vec_transposed(self.m, self.nv, -1.0, &self.y, nu, f);
        self.mass.solve_lower_transposed(f);
    }

    /// b := S⁻¹ b, or a solution with as many entries as the rank.
    fn solve_multipliers(&mut self, b: &mut [f64]) {
        match &mut self.schur {
            Schur::Definite(cholesky) => {
                cholesky.solve_lower(b);
                cholesky.solve_lower_transposed(b);
            }
            Schur::LeastNorm { factor, .. } => factor.solve(b),
        }
    }

    /// ν of least norm from the solution in hand.
    fn least_norm(&mut self, nu: &mut [f64]) {
        if let Schur::LeastNorm { factor, .. } = &mut self.schur {
            factor.least_norm(nu);
        }
    }
}

/// The lower triangle of S := Y Yᵀ for Y with m rows.
fn gram_lower(m: usize, y: &[f64], s: &mut [f64]) {
    s.fill(0.0);
    for column in y.chunks_exact(m) {
        for (j, &f) in column.iter().enumerate() {
            if f != 0.0 {
                f64::axpy(f, &column[j..], &mut s[j * m + j..(j + 1) * m]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form, Layout};
    use crate::linalg::linear::Linear;
    use crate::options::MassStructure;

    fn mass(full: &[f64]) -> Mass {
        let dims = Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() };
        let mut mass = Mass::new(&Layout::new(dims, Form::StrangenessFree), MassStructure::Full);
        mass.restore(full);
        mass
    }

    fn residuals(m: &[f64], c: &[f64], a: &[f64], nu: &[f64], f: &[f64], b: &[f64]) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..3 {
            let ma: f64 = (0..3).map(|j| m[i + 3 * j] * a[j]).sum();
            let force: f64 = (0..2).map(|k| c[k + 2 * i] * nu[k]).sum();
            worst = worst.max((ma + force - f[i]).abs());
        }
        for k in 0..2 {
            let ca: f64 = (0..3).map(|j| c[k + 2 * j] * a[j]).sum();
            worst = worst.max((ca - b[k]).abs());
        }
        worst
    }

    #[test]
    fn definite_singular_and_redundant_systems_are_solved() {
        let regular = [1.0, 0.5, 2.0, -1.0, 0.0, 1.5];
        let redundant = [1.0, 2.0, 2.0, 4.0, 0.0, 0.0];
        let definite = [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 3.0];
        let singular = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        for (m, c, kind, b) in [
            (definite, regular, DecompositionKind::Lu, [0.25, -1.0]),
            (singular, regular, DecompositionKind::Lu, [0.25, -1.0]),
            (definite, redundant, DecompositionKind::Svd, [0.5, 1.0]),
        ] {
            let policy = RankPolicy::new(kind, true, 1e-6);
            let mut saddle = Linear::analysed(Saddle::new(3, 2, kind, policy));
            let mut saddle = saddle.factor((), |s| s.decompose(&mass(&m), &c)).unwrap();
            let f = [1.0, -2.0, 0.5];
            let (mut a, mut nu) = (f, b);
            saddle.solve(&mut a, &mut nu);
            assert!(residuals(&m, &c, &a, &nu, &f, &b) < 1e-13);
            if kind == DecompositionKind::Svd {
                assert_eq!(saddle.system.rank(), Some(1));
                assert!((nu[1] - 2.0 * nu[0]).abs() < 1e-13, "least norm lies along (1, 2)");
            }
            let (mut u, mut residual) = ([9.0; 3], b.map(|v| -v));
            saddle.correction(&mut residual, &mut u);
            assert!(residuals(&m, &c, &u, &residual, &[0.0; 3], &b) < 1e-13);
        }
    }

    #[test]
    fn a_dependent_row_is_named() {
        let definite = [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 3.0];
        let mut saddle =
            Saddle::new(3, 2, DecompositionKind::Lu, RankPolicy::new(DecompositionKind::Lu, true, 1e-6));
        let redundant = [1.0, 2.0, 2.0, 4.0, 0.0, 0.0];
        assert_eq!(saddle.decompose(&mass(&definite), &redundant), Err(Defect::Constraints(Some(1))));
    }
}
