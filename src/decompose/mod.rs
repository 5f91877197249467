//! Decomposition of a constraint block: rank, null space and particular solutions.
//!
//! A block A of m constraint rows in n variables is decomposed in one of three ways, GEDECCLU, GEDECCQR and
//! GEDECCSV of the manual. All give the same affine set of solutions of A x = b, in different coordinates:
//!
//! | kind | decomposition | null basis K | particular solution |
//! | --- | --- | --- | --- |
//! | LU | P A Q = L U | some variables depend on the others | independent variables zero |
//! | QR | Aᵀ P = Q R | orthonormal | least norm |
//! | SVD | A = U Σ Vᵀ | orthonormal | least norm, least squares if rank-deficient |
//!
//! The rank is for the caller to decide, from [`ConstraintDecomposition::magnitudes`].

pub mod kept;
mod lu;
mod qr;
mod svd;

use crate::linalg::lanes::Processor;
use crate::linalg::{Lanes, LinalgError};
use lu::LuDecomposition;
use qr::QrDecomposition;
use svd::SvdDecomposition;

/// How constraint blocks are decomposed (IOPT(11)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DecompositionKind {
    /// LU with complete pivoting: the cheapest.
    #[default]
    Lu,
    /// QR with column pivoting of the transposed block.
    Qr,
    /// Singular values: the safest.
    Svd,
}

/// A x = b for a wide constraint block A (m rows of constraints, n columns of variables): every solution is
/// `particular(b) + K z`.
#[derive(Clone, Debug)]
pub struct ConstraintDecomposition {
    m: usize,
    m_max: usize,
    n: usize,
    rank: usize,
    /// Null space basis, n by n - rank.
    basis: Vec<f64>,
    method: Method,
    /// One lane of right-hand sides and of solutions.
    lane: (Vec<f64>, Vec<f64>),
}

#[derive(Clone, Debug)]
enum Method {
    Lu(LuDecomposition),
    Qr(QrDecomposition),
    Svd(SvdDecomposition),
}

/// Run the same call on whichever method is in use.
macro_rules! each {
    ($method:expr, $d:ident => $call:expr) => {
        match $method {
            Method::Lu($d) => $call,
            Method::Qr($d) => $call,
            Method::Svd($d) => $call,
        }
    };
}

impl ConstraintDecomposition {
    /// Room for up to `m_max` constraints in `n` variables.
    pub fn new(kind: DecompositionKind, m_max: usize, n: usize) -> Self {
        let method = match kind {
            DecompositionKind::Lu => Method::Lu(LuDecomposition::new(m_max, n)),
            DecompositionKind::Qr => Method::Qr(QrDecomposition::new(m_max, n)),
            DecompositionKind::Svd => Method::Svd(SvdDecomposition::new(m_max, n)),
        };
        ConstraintDecomposition {
            m: 0,
            m_max,
            n,
            rank: 0,
            basis: vec![0.0; n * n],
            method,
            lane: (vec![0.0; m_max], vec![0.0; n]),
        }
    }

    /// Decompose the m by n matrix `a`, row i multiplied by `row_scale[i]`; `a` itself is not changed.
    ///
    /// More rows than variables are allowed; the rank is then at most n. Until [`Self::set_rank`] the rank is 0,
    /// and it stays 0 after an error.
    pub fn decompose(&mut self, m: usize, a: &[f64], row_scale: &[f64]) -> Result<(), LinalgError> {
        let wrong = |argument: i32| Err(LinalgError::Lapack { routine: "decompose", info: -argument });
        (self.m, self.rank) = (0, 0);
        if m > self.m_max {
            return wrong(1);
        }
        if a.len() < m * self.n {
            return wrong(2);
        }
        if row_scale.len() < m {
            return wrong(3);
        }
        let (a, row_scale) = (&a[..m * self.n], &row_scale[..m]);
        each!(&mut self.method, d => d.decompose(m, a, row_scale))?;
        self.m = m;
        Ok(())
    }

    /// Rank-revealing magnitudes of the row-scaled matrix, min(m, n) of them: moduli of the pivots (LU), of the
    /// diagonal of R (QR), or singular values (SVD). They tend to fall; only the singular values always do.
    pub fn magnitudes(&self) -> &[f64] {
        let all = each!(&self.method, d => d.magnitudes());
        &all[..all.len().min(self.m)]
    }

    /// Fix the rank and make the null basis; to be called after [`Self::decompose`].
    ///
    /// [`LinalgError::Singular`] if a magnitude within the rank is zero or missing; the rank is then unchanged.
    pub fn set_rank(&mut self, rank: usize) -> Result<(), LinalgError> {
        let magnitudes = self.magnitudes();
        let usable = magnitudes.iter().position(|&v| v == 0.0).unwrap_or(magnitudes.len());
        if rank > usable {
            return Err(LinalgError::Singular { pivot: usable });
        }
        let basis = &mut self.basis[..self.n * (self.n - rank)];
        if self.m == 0 || self.n == 0 {
            // nothing has been decomposed: all directions are free
            basis.fill(0.0);
            basis.iter_mut().step_by(self.n + 1).for_each(|v| *v = 1.0);
        } else {
            each!(&mut self.method, d => d.null_basis(rank, basis))?;
            if let Method::Svd(d) = &self.method {
                d.row_basis(rank, &mut self.basis[self.n * (self.n - rank)..]);
            }
        }
        self.rank = rank;
        Ok(())
    }

    /// The rank given to [`Self::set_rank`].
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of constraints m.
    pub fn rows(&self) -> usize {
        self.m
    }

    /// Number of variables n.
    pub fn cols(&self) -> usize {
        self.n
    }

    /// A solution of A x = b: the one with zero independent variables (LU) or of least norm (QR, SVD). `b` is
    /// scaled as the rows were.
    ///
    /// If the rank is less than m, the first `rank` pivoted rows are satisfied (LU, QR), or all of them in the
    /// sense of least squares (SVD).
    pub fn particular(&mut self, b: &[f64], out: &mut [f64]) {
        let (rank, out) = (self.rank, &mut out[..self.n]);
        if rank == 0 {
            out.fill(0.0);
            return;
        }
        each!(&mut self.method, d => d.particular(rank, &b[..self.m], out));
    }

    /// [`Self::particular`] for k right-hand sides: `b` is m by k, `out` is n by k.
    pub fn particular_many(&mut self, processor: Processor, k: usize, b: &[f64], out: &mut [f64]) {
        let (m, n, rank) = (self.m, self.n, self.rank);
        let out = &mut out[..n * k];
        if rank == 0 {
            out.fill(0.0);
            return;
        }
        if let (Method::Lu(d), true) = (&mut self.method, k >= lu::MANY) {
            d.particular_many(processor, rank, &b[..m * k], out);
            return;
        }
        each!(&mut self.method, d => {
            for (b, out) in b.chunks_exact(m).zip(out.chunks_exact_mut(n)) {
                d.particular(rank, b, out);
            }
        });
    }

    /// [`Self::particular`] for L right-hand sides that lie in lanes; `work` has at least m entries.
    pub fn particular_lanes<const L: usize>(
        &mut self,
        processor: Processor,
        b: &[Lanes<L>],
        work: &mut [Lanes<L>],
        out: &mut [Lanes<L>],
    ) {
        let (m, rank, out) = (self.m, self.rank, &mut out[..self.n]);
        if rank == 0 {
            out.fill([0.0; L]);
            return;
        }
        if let Method::Lu(d) = &self.method {
            d.particular_lanes(processor, rank, &b[..m], work, out);
            return;
        }
        // QR and SVD are chosen for safety, not for speed: lane by lane.
        let (rhs, solution) = (&mut self.lane.0[..m], &mut self.lane.1[..]);
        for k in 0..L {
            rhs.iter_mut().zip(b).for_each(|(r, b)| *r = b[k]);
            each!(&mut self.method, d => d.particular(rank, rhs, solution));
            out.iter_mut().zip(solution.iter()).for_each(|(o, s)| o[k] = *s);
        }
    }

    /// Null space basis K, n by n - rank, column-major.
    ///
    /// LU: rows of the independent variables are the identity, these in ascending order; the other rows are
    /// -U11⁻¹ U12. QR and SVD: orthonormal columns.
    pub fn null_basis(&self) -> &[f64] {
        &self.basis[..self.n * (self.n - self.rank)]
    }

    /// SVD: orthonormal basis of the row space, n by rank. Empty for LU and QR.
    pub fn row_basis(&self) -> &[f64] {
        match &self.method {
            Method::Svd(_) => &self.basis[self.n * (self.n - self.rank)..self.n * self.n],
            Method::Lu(_) | Method::Qr(_) => &[],
        }
    }

    /// LU: the dependent variables, ascending. `None` for QR and SVD, which mix the variables.
    pub fn dependent_columns(&self) -> Option<&[usize]> {
        match &self.method {
            Method::Lu(d) => Some(d.dependent(self.rank)),
            Method::Qr(_) | Method::Svd(_) => None,
        }
    }

    /// SVD: orthogonal projection of x onto the row space of A. LU and QR leave x as it is.
    pub fn project_on_row_space(&mut self, x: &mut [f64]) {
        if let Method::Svd(d) = &mut self.method {
            d.project(self.rank, &mut x[..self.n]);
        }
    }

    /// The constraint that depends most on the others: the row pivoted last (LU), the column of Aᵀ pivoted last
    /// (QR), the largest entry of the left vector of the smallest singular value (SVD).
    pub fn weakest_row(&self) -> Option<usize> {
        if self.m == 0 {
            return None;
        }
        each!(&self.method, d => d.weakest_row())
    }
}

/// Scale row i of the m-row matrix `a` by `row_scale[i]`.
fn scale_rows(a: &[f64], row_scale: &[f64], out: &mut [f64]) {
    let m = row_scale.len().max(1);
    for (out, a) in out.chunks_exact_mut(m).zip(a.chunks_exact(m)) {
        for ((out, a), s) in out.iter_mut().zip(a).zip(row_scale) {
            *out = a * s;
        }
    }
}

#[cfg(test)]
mod tests;
