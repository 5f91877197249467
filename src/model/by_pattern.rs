//! Matrices by the pattern of the model: when they are stored so, and the iteration matrix that is factored so.

use super::blocks::{add_accelerations, add_step, Scales};
use super::index1::add_mass;
use super::matrix;
use super::{IterationMatrix, Mass, Matrix, Unknowns};
use crate::decompose::DecompositionKind;
use crate::layout::Layout;
use crate::linalg::row_merge::RowMergeLu;
use crate::linalg::{LinalgError, Linear, SolverKind, Stored};
use crate::options::Options;
use crate::system::{JacobianBlocks, Sparsity, Supplied};

/// Smaller iteration matrices are dense: they are no burden, and results stay what they were without a pattern.
pub const FROM_ORDER: usize = 500;
/// A pattern with more entries than this part of the matrix is not worth it.
const SPARSE: usize = 32;

/// The pattern by which a method that can do so stores its matrices: one of a large system with a constant mass matrix, whose
/// equations are solved by LU, without singular values.
pub fn of_run<'a>(layout: &Layout, options: &Options, supplied: Supplied<'a>) -> Option<&'a Sparsity> {
    let by_lu = options.decompose_differential == SolverKind::Lu
        && options.decompose_constraints != DecompositionKind::Svd;
    let large = Unknowns::new(layout, false).n >= FROM_ORDER;
    supplied.pattern.filter(|_| large && by_lu && options.mass.is_constant())
}

/// What a matrix is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The unknowns of a step.
    Step,
    /// Accelerations and multipliers at given positions and velocities.
    Accelerations,
}

/// Room for a matrix of these unknowns by the pattern of the model; dense if there is none, or if the factors are not sparse.
pub fn analyse(
    purpose: Purpose,
    (layout, unknowns): (&Layout, Unknowns),
    options: &Options,
    pattern: Option<&Sparsity>,
) -> Matrix {
    match pattern.and_then(|pattern| ByPattern::new(purpose, (layout, unknowns), options, pattern)) {
        Some(matrix) => Linear::analysed(Box::new(matrix)),
        None => {
            let redundant = options.decompose_constraints == DecompositionKind::Svd;
            matrix::analyse(options.decompose_differential, unknowns, redundant)
        }
    }
}

/// Numbers of eight bytes that this matrix will take.
pub fn numbers(
    purpose: Purpose,
    (layout, unknowns): (&Layout, Unknowns),
    options: &Options,
    pattern: &Sparsity,
) -> usize {
    match ByPattern::new(purpose, (layout, unknowns), options, pattern) {
        // The pattern beside the values.
        Some(matrix) => 2 * matrix.assembled.len() + matrix.factors.numbers(),
        None => unknowns.n.saturating_mul(unknowns.n).saturating_mul(2),
    }
}

/// Add something wherever the matrix may have an entry.
fn assemble(
    matrix: &mut dyn IterationMatrix,
    purpose: Purpose,
    (layout, u): (&Layout, Unknowns),
    options: &Options,
    pattern: &Sparsity,
) {
    let mut fx = JacobianBlocks::stored(layout, Some(pattern));
    fx.fx.iter_mut().for_each(|block| block.fill(1.0));
    let mut mass = Mass::stored(layout, options.mass, Some(pattern));
    mass.restore(&vec![1.0; mass.len()]);
    add_mass(matrix, &mass, layout.dims.nv, 1.0);
    match purpose {
        Purpose::Step => {
            add_step(matrix, layout, &u, &fx, Scales { by_v: 1.0, by_p: 1.0, by_r: 1.0, h: 1.0 });
        }
        Purpose::Accelerations => {
            add_accelerations(matrix, layout, &u, &fx);
            // What dependent constraints are found with.
            add_constraints(matrix, layout, &u, &fx);
        }
    }
}

/// [1 Cᵀ; C 0] with rows of C of unit size: singular if the constraints on velocity level depend on each other.
pub fn add_constraints(matrix: &mut dyn IterationMatrix, layout: &Layout, u: &Unknowns, fx: &JacobianBlocks) {
    let (c, nv) = (&fx.fx[1], layout.dims.nv);
    matrix.add_identity(u.a);
    matrix.add_identity(u.w);
    for i in 0..u.multipliers.len() {
        let size = c.row_sum(i, 0..nv, |_, value| value * value).sqrt();
        c.each(i..i + 1, 0..nv, |i, j, value| {
            let (row, column) = (u.multipliers.start + i, u.a.start + j);
            matrix.add(row, column, value / size);
            matrix.add(column, row, value / size);
        });
    }
}

/// LU by pattern.
#[derive(Debug)]
struct ByPattern {
    assembled: Stored,
    factors: RowMergeLu,
}

impl ByPattern {
    fn new(
        purpose: Purpose,
        (layout, unknowns): (&Layout, Unknowns),
        options: &Options,
        pattern: &Sparsity,
    ) -> Option<Self> {
        let n = unknowns.n;
        let mut positions = Positions { list: Vec::new(), nothing: Stored::default() };
        assemble(&mut positions, purpose, (layout, unknowns), options, pattern);
        let assembled = Stored::by_pattern(n, n, &positions.list);
        if assembled.len() > n * n / SPARSE {
            return None;
        }
        RowMergeLu::analyse(&assembled, n * n).map(|factors| ByPattern { assembled, factors })
    }
}

impl IterationMatrix for ByPattern {
    fn assembled(&self) -> &Stored {
        &self.assembled
    }

    fn assembled_mut(&mut self) -> &mut Stored {
        &mut self.assembled
    }

    fn factor(&mut self, _deficiency: usize) -> Result<(), LinalgError> {
        self.factors.factor(&self.assembled, 0.0)
    }

    fn weakest_row(&mut self, least: f64) -> Option<usize> {
        match self.factors.factor(&self.assembled, least) {
            Err(LinalgError::Singular { pivot }) => self.factors.pivot_row(pivot),
            _ => None,
        }
    }

    fn solve_factored(&mut self, b: &mut [f64]) {
        self.factors.solve(b);
    }

    fn project(&mut self, _y: &mut [f64]) {}
}

/// Where something is added; not a matrix to solve with.
#[derive(Debug)]
struct Positions {
    list: Vec<(u32, u32)>,
    nothing: Stored,
}

impl IterationMatrix for Positions {
    fn assembled(&self) -> &Stored {
        &self.nothing
    }

    fn assembled_mut(&mut self) -> &mut Stored {
        &mut self.nothing
    }

    fn add(&mut self, row: usize, column: usize, _value: f64) {
        self.list.push((row as u32, column as u32));
    }

    fn factor(&mut self, _deficiency: usize) -> Result<(), LinalgError> {
        Err(LinalgError::Singular { pivot: 0 })
    }

    fn solve_factored(&mut self, _b: &mut [f64]) {}

    fn project(&mut self, _y: &mut [f64]) {}
}
