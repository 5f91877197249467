//! The square solvers behind one face, chosen at run time.

use super::lu::Lu;
use super::qr::Qr;
use super::{Complex, Result, Scalar};

/// Which factorisation a [`Solver`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SolverKind {
    /// LU with partial pivoting.
    #[default]
    Lu,
    /// Householder QR.
    Qr,
}

/// Real [`Solver`].
pub type RealSolver = Solver<f64>;
/// Complex [`Solver`].
pub type ComplexSolver = Solver<Complex>;

/// A square system, by LU or QR.
#[derive(Clone, Debug)]
pub enum Solver<T> {
    /// LU with partial pivoting.
    Lu(Lu<T>),
    /// Householder QR.
    Qr(Qr<T>),
}

/// Run the same call on whichever is in use.
macro_rules! either {
    ($solver:expr, $s:ident => $call:expr) => {
        match $solver {
            Solver::Lu($s) => $call,
            Solver::Qr($s) => $call,
        }
    };
}

impl<T: Scalar> Solver<T> {
    /// Room for matrices up to order `n`.
    pub fn new(kind: SolverKind, n: usize) -> Self {
        match kind {
            SolverKind::Lu => Solver::Lu(Lu::new(n)),
            SolverKind::Qr => Solver::Qr(Qr::new(n)),
        }
    }

    /// Change the order, at most to that given to [`Solver::new`]. The contents are lost.
    pub fn resize(&mut self, n: usize) {
        either!(self, s => s.resize(n))
    }

    /// The order.
    pub fn n(&self) -> usize {
        either!(self, s => s.n())
    }

    /// The matrix, n by n, to be filled before [`Solver::factor`].
    pub fn matrix_mut(&mut self) -> &mut [T] {
        either!(self, s => s.matrix_mut())
    }

    /// Factor the matrix in place.
    pub fn factor(&mut self) -> Result {
        either!(self, s => s.factor())
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [T]) {
        either!(self, s => s.solve(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_solve() {
        for kind in [SolverKind::Lu, SolverKind::Qr] {
            let mut s = RealSolver::new(kind, 4);
            s.resize(2);
            assert_eq!((s.n(), s.matrix_mut().len()), (2, 4));
            s.matrix_mut().copy_from_slice(&[0.0, 2.0, 4.0, 0.0]);
            s.factor().unwrap();
            let mut b = [8.0, 6.0];
            s.solve(&mut b);
            assert!((b[0] - 3.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15, "{b:?}");
        }
    }
}
