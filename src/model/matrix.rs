//! The iteration matrix behind a small interface: blocks are scattered into it entry by entry, whatever stands behind it. Here is
//! the dense one; [`super::by_pattern`] is the other.

use super::redundant::Redundant;
use super::Unknowns;
use crate::layout::Block;
use crate::linalg::{Factored, LinalgError, Linear, RealSolver, SolverKind, Stored};
use std::fmt::Debug;

/// A square matrix that is assembled, factored and solved with, in the life of a [`Linear`].
pub trait IterationMatrix: Debug + Send {
    /// The matrix as assembled.
    fn assembled(&self) -> &Stored;

    /// The matrix, to be assembled.
    fn assembled_mut(&mut self) -> &mut Stored;

    /// Factor what was assembled. `deficiency` directions of the multipliers are undetermined.
    fn factor(&mut self, deficiency: usize) -> Result<(), LinalgError>;

    /// The row at which a pivot up to this size is met, if the matrix is factored by its pattern.
    fn weakest_row(&mut self, _least: f64) -> Option<usize> {
        None
    }

    /// b := A⁻¹ b with the factors; with a deficiency the solution of minimum norm.
    fn solve_factored(&mut self, b: &mut [f64]);

    /// Remove from y what the factored equations do not determine.
    fn project(&mut self, y: &mut [f64]);

    /// All entries zero.
    fn clear(&mut self) {
        self.assembled_mut().fill(0.0);
    }

    /// Add to an entry.
    fn add(&mut self, row: usize, column: usize, value: f64) {
        self.assembled_mut().add(row, column, value);
    }

    /// Add `factor` times a block of a column-major array with leading dimension `ld`: `rows` and `columns` of the array
    /// go to (row, column) and on.
    fn add_block(
        &mut self,
        array: &[f64],
        ld: usize,
        (rows, columns): (Block, Block),
        (row, column): (usize, usize),
        factor: f64,
    ) {
        for j in 0..columns.len() {
            let first = (columns.start + j) * ld;
            for (i, value) in array[first + rows.start..first + rows.end].iter().enumerate() {
                if *value != 0.0 {
                    self.add(row + i, column + j, factor * value);
                }
            }
        }
    }

    /// The same of a matrix.
    fn add_stored(
        &mut self,
        matrix: &Stored,
        (rows, columns): (Block, Block),
        (row, column): (usize, usize),
        factor: f64,
    ) {
        if matrix.is_dense() {
            return self.add_block(matrix, matrix.shape().0, (rows, columns), (row, column), factor);
        }
        matrix.each(rows.range(), columns.range(), |i, j, value| {
            self.add(row + i - rows.start, column + j - columns.start, factor * value);
        });
    }

    /// Add 1 on the diagonal of a block.
    fn add_identity(&mut self, block: Block) {
        block.range().for_each(|i| self.add(i, i, 1.0));
    }
}

/// The matrix behind its life: room once, factors for a step size, solutions.
pub type Matrix = Linear<Box<dyn IterationMatrix>, f64>;

impl Factored<'_, Box<dyn IterationMatrix>> {
    /// b := A⁻¹ b; with a deficiency the solution of minimum norm.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.system.solve_factored(b);
    }

    /// Remove from y what no equation determines.
    pub fn remove_undetermined(&mut self, y: &mut [f64]) {
        self.system.project(y);
    }
}

/// Room for a dense matrix of these unknowns; `redundant` if constraints may be.
pub fn analyse(kind: SolverKind, unknowns: Unknowns, redundant: bool) -> Matrix {
    Linear::analysed(Box::new(Full::new(kind, unknowns, redundant)))
}

/// Dense: LU or QR; bordered if constraints are redundant.
#[derive(Debug)]
struct Full {
    unknowns: Unknowns,
    assembled: Stored,
    solver: RealSolver,
    redundant: Option<Redundant>,
}

impl Full {
    /// Room for these unknowns; `redundant` if constraints may be.
    fn new(kind: SolverKind, unknowns: Unknowns, redundant: bool) -> Self {
        let n = unknowns.n;
        Full {
            unknowns,
            assembled: Stored::dense(n, n),
            solver: RealSolver::new(kind, n),
            redundant: redundant.then(|| Redundant::new(kind, unknowns)),
        }
    }

    fn redundant(&mut self) -> Option<&mut Redundant> {
        self.redundant.as_mut().filter(|r| r.deficiency() > 0)
    }
}

impl IterationMatrix for Full {
    fn assembled(&self) -> &Stored {
        &self.assembled
    }

    fn assembled_mut(&mut self) -> &mut Stored {
        &mut self.assembled
    }

    fn factor(&mut self, deficiency: usize) -> Result<(), LinalgError> {
        if let Some(redundant) = &mut self.redundant {
            redundant.set_deficiency(deficiency);
            if deficiency > 0 {
                return redundant.factor(&self.assembled);
            }
        }
        self.solver.matrix_mut().copy_from_slice(&self.assembled);
        self.solver.factor()
    }

    fn solve_factored(&mut self, b: &mut [f64]) {
        match self.redundant() {
            Some(redundant) => redundant.solve(b),
            None => self.solver.solve(b),
        }
    }

    fn project(&mut self, y: &mut [f64]) {
        let block = self.unknowns.multipliers;
        if let Some(redundant) = self.redundant() {
            redundant.remove(block.of_mut(y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form, Layout};

    /// [M Gᵀ; G 0] with two equal rows of G.
    fn twice(matrix: &mut dyn IterationMatrix) {
        matrix.clear();
        for (i, j, value) in [(0, 0, 2.0), (0, 1, 3.0), (0, 2, 3.0), (1, 0, 3.0), (2, 0, 3.0)] {
            matrix.add(i, j, value);
        }
    }

    #[test]
    fn redundant_constraints_give_equal_multipliers() {
        let dims = Dimensions { np: 1, nv: 1, nl: 2, ..Dimensions::default() };
        let unknowns = Unknowns::new(&Layout::new(dims, Form::StrangenessFree), false);
        let mut matrix = analyse(SolverKind::Lu, unknowns, true);
        twice(&mut **matrix.values());
        assert!(matrix.factor(1.0, |m| m.factor(0)).is_err());
        assert!(matrix.factored().is_none());
        let mut matrix = matrix.factor(1.0, |m| m.factor(1)).unwrap();
        // 2a + 3(λ1 + λ2) = 8, 3a = 3.
        let mut b = [8.0, 3.0, 3.0];
        matrix.solve(&mut b);
        for (b, expected) in b.iter().zip([1.0, 1.0, 1.0]) {
            assert!((b - expected).abs() < 1e-14, "{b}");
        }
        let mut y = [5.0, 3.0, 1.0];
        matrix.remove_undetermined(&mut y);
        assert!(y[0] == 5.0 && (y[1] - 2.0).abs() < 1e-14 && (y[2] - 2.0).abs() < 1e-14, "{y:?}");
    }
}
