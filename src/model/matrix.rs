//! The iteration matrix behind a small interface: blocks are scattered into it entry by entry, whatever stands behind it. Here is
//! the dense one; [`super::by_pattern`] is the other.

use super::Unknowns;
use crate::layout::Block;
use crate::linalg::{Factored, LinalgError, Linear, RealSolver, SolverKind, Stored, Svd};
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

/// Dense: LU or QR; singular values if constraints are redundant.
#[derive(Debug)]
struct Full {
    unknowns: Unknowns,
    assembled: Stored,
    solver: RealSolver,
    redundant: Option<Redundant>,
}

/// The decomposition with singular values, the scaling before it, and the undetermined directions behind it.
#[derive(Debug)]
struct Redundant {
    svd: Svd,
    deficiency: usize,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    work: Vec<f64>,
}

impl Full {
    /// Room for these unknowns; `redundant` if constraints may be.
    fn new(kind: SolverKind, unknowns: Unknowns, redundant: bool) -> Self {
        let n = unknowns.n;
        Full {
            unknowns,
            assembled: Stored::dense(n, n),
            solver: RealSolver::new(kind, n),
            redundant: redundant.then(|| Redundant {
                svd: Svd::new(n, n),
                deficiency: 0,
                row_scale: vec![1.0; n],
                column_scale: vec![1.0; n],
                work: vec![0.0; n],
            }),
        }
    }

    fn redundant(&mut self) -> Option<&mut Redundant> {
        self.redundant.as_mut().filter(|r| r.deficiency > 0)
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
            redundant.deficiency = deficiency;
            if deficiency > 0 {
                redundant.scale(&self.unknowns, &self.assembled);
                return redundant.svd.factor();
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
            redundant.remove(block.of_mut(y), block);
        }
    }
}

impl Redundant {
    /// Accelerations and multipliers are measured such that M and G are of size 1, each with one factor for its whole
    /// block: so minimum norm keeps its meaning for the multipliers. All else by its largest entry.
    fn scale(&mut self, u: &Unknowns, a: &[f64]) {
        let n = u.n;
        let at = |i: usize, j: usize| a[i + j * n].abs();
        let largest = |rows: Block, columns: Block| {
            let column = |j: usize| rows.range().fold(0.0f64, |m, i| m.max(at(i, j)));
            let size = columns.range().fold(0.0f64, |m, j| m.max(column(j)));
            if size > 0.0 {
                size
            } else {
                1.0
            }
        };
        let mass = largest(u.a, u.a).sqrt();
        let (right, left) = (largest(u.a, u.multipliers), largest(u.multipliers, u.a));
        self.column_scale.fill(1.0);
        self.row_scale.fill(1.0);
        for (block, column, row) in
            [(u.a, 1.0 / mass, 1.0 / mass), (u.multipliers, mass / right, mass / left)]
        {
            block.of_mut(&mut self.column_scale).fill(column);
            block.of_mut(&mut self.row_scale).fill(row);
        }
        let whole = Block { start: 0, end: n };
        for i in u.slope.start..n {
            let single = Block { start: i, end: i + 1 };
            self.row_scale[i] = 1.0 / largest(single, whole);
        }
        for (j, column) in self.svd.matrix_mut().chunks_exact_mut(n).enumerate() {
            for (i, entry) in column.iter_mut().enumerate() {
                *entry = a[i + j * n] * self.row_scale[i] * self.column_scale[j];
            }
        }
    }

    fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        b.iter_mut().zip(&self.row_scale).for_each(|(b, s)| *b *= s);
        let rank = n - self.deficiency;
        let (u, vt, sigma) = (self.svd.u(), self.svd.vt(), self.svd.singular_values());
        self.work.fill(0.0);
        for k in 0..rank {
            let along: f64 = u[k * n..(k + 1) * n].iter().zip(b.iter()).map(|(u, b)| u * b).sum();
            for (j, w) in self.work.iter_mut().enumerate() {
                *w += along / sigma[k] * vt[k + j * n];
            }
        }
        for ((b, w), s) in b.iter_mut().zip(&self.work).zip(&self.column_scale) {
            *b = w * s;
        }
    }

    fn remove(&self, multipliers: &mut [f64], block: Block) {
        let n = self.column_scale.len();
        let vt = self.svd.vt();
        for k in n - self.deficiency..n {
            let direction = |j: usize| vt[k + (block.start + j) * n];
            let square: f64 = (0..block.len()).map(|j| direction(j) * direction(j)).sum();
            let along: f64 = multipliers.iter().enumerate().map(|(j, y)| direction(j) * y).sum();
            if square > 0.0 {
                multipliers.iter_mut().enumerate().for_each(|(j, y)| *y -= along / square * direction(j));
            }
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
