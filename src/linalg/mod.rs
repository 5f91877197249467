//! Linear algebra of the step: dense matrices are column-major, and every workspace is made in `new`.
//!
//! | task | small | large |
//! | --- | --- | --- |
//! | square systems, real and complex | [`lu`], [`qr`], own kernels | panels with gemm; geqrf |
//! | square systems by pattern ([`stored`]) | | [`row_merge`], own kernel |
//! | definite systems | [`cholesky`], own kernel | the same |
//! | semidefinite systems | [`pivoted_cholesky`], own kernel | the same |
//! | rank by complete pivoting | [`full_pivot`], own kernel | the same |
//! | rank by column pivoting | [`pivoted_qr`], own kernel | dgeqp3, dormqr |
//! | rank by singular values | [`svd`], dgesdd | the same |
//! | eigenvalues | [`eigenvalues`], own kernel | the same |
//! | products | [`products`], own loops | dgemm |
//!
//! For the sizes of a mechanism the calling overhead of LAPACK is as long as the work, so the own kernels win;
//! the crossovers below are measured. Both paths store their factors alike, so that one solve serves them.
//!
//! Every factorisation refuses a matrix that is not finite before it starts: a pivot search passes NaN
//! silently, and some LAPACK builds stop the process or hang on it.

pub mod cholesky;
pub mod complex;
pub mod eigenvalues;
pub(crate) mod fixed;
pub mod full_pivot;
mod householder;
pub mod lanes;
pub mod lapack;
pub mod linear;
pub mod lu;
pub mod pivoted_cholesky;
pub mod pivoted_qr;
pub mod processor;
pub mod products;
pub mod qr;
pub mod row_merge;
pub mod scalar;
pub mod square;
pub mod stored;
pub mod svd;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod triangular;

pub use complex::Complex;
pub use lanes::{Lanes, Theta};
pub use linear::{Factored, Linear};
pub use lu::LuReal;
pub use processor::Processor;
pub use scalar::Scalar;
pub use square::{ComplexSolver, RealSolver, SolverKind};
pub use stored::Stored;
pub use svd::Svd;

use std::fmt;

/// Largest order of a real LU by the own kernel alone.
pub const LU_REAL_OWN_MAX: usize = 40;
/// Largest order of a complex LU by the own kernel alone.
pub const LU_COMPLEX_OWN_MAX: usize = 20;
/// Largest order of a real unpivoted QR by the own kernel.
pub const QR_REAL_OWN_MAX: usize = 48;
/// Largest order of a complex unpivoted QR by the own kernel.
pub const QR_COMPLEX_OWN_MAX: usize = 24;
/// Largest dimension of a column-pivoted QR by the own kernel.
pub const PIVOTED_QR_OWN_MAX: usize = 64;
/// Products with at least this many multiplications go to dgemm.
pub const GEMM_MIN: usize = 1000;

/// Why a factorisation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinalgError {
    /// The matrix has an entry that is NaN or infinite, or its factors overflow.
    NotFinite,
    /// The matrix is singular.
    Singular {
        /// Elimination step at which it showed, from 0.
        pivot: usize,
    },
    /// A routine gave up (`info > 0`) or was given a wrong argument (number `-info`, from 1).
    Lapack {
        /// Name of the routine.
        routine: &'static str,
        /// Its INFO.
        info: i32,
    },
}

impl fmt::Display for LinalgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinalgError::NotFinite => write!(f, "matrix with NaN or infinite entries"),
            LinalgError::Singular { pivot } => write!(f, "matrix singular at pivot {}", pivot + 1),
            LinalgError::Lapack { routine, info } => write!(f, "{routine} returned INFO = {info}"),
        }
    }
}

impl std::error::Error for LinalgError {}

/// What a factorisation gives.
pub type Result<T = (), E = LinalgError> = std::result::Result<T, E>;

/// Which implementation a factorisation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    Own,
    Lapack,
}

impl Path {
    fn up_to(own_max: usize, n: usize) -> Path {
        if n <= own_max {
            Path::Own
        } else {
            Path::Lapack
        }
    }
}

/// True if all entries are finite. Without early exit, so that it vectorises.
#[inline]
pub(crate) fn all_finite(a: &[f64]) -> bool {
    a.iter().fold(true, |ok, v| ok & (v.abs() <= f64::MAX))
}
