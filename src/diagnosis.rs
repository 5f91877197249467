//! Questions about a model at one point: is its Jacobian right, which constraints are redundant, what are the
//! constraint forces. A cold path: it allocates, and uses ndarray.

use crate::check::{confirmed, take_sizes};
use crate::error::{Code, Failure, Result};
use crate::layout::{Block, Layout, Name};
use crate::model::{self, Calls, Derivatives, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::rank::RankPolicy;
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};
use ndarray::Array2;
use ndarray_linalg::SVD;
use std::fmt;

pub use crate::check::{check_parts, PartsMismatch};

/// A wrong entry of JAC.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// FX1 to FX6: 1 to 6.
    pub block: usize,
    /// Equation of the row.
    pub row: Name,
    /// Variable of the column.
    pub column: Name,
    /// What JAC delivered.
    pub given: f64,
    /// Negative difference quotient of EOM.
    pub expected: f64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { block, row, column, given, expected } = self;
        write!(f, "FX{block}: -d {row}/d {column} = {expected:.6e}, JAC gives {given:.6e}")
    }
}

/// A mistake that explains the wrong entries of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// Positive instead of negative derivatives.
    Sign,
    /// Rows and columns exchanged.
    Transposed,
}

/// Comparison of JAC with differences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JacobianReport {
    /// Wrong entries, largest relative deviation first.
    pub mismatches: Vec<Mismatch>,
    /// Blocks (1 to 6) that one of the classic mistakes explains.
    pub suspicions: Vec<(usize, Suspicion)>,
}

/// Deviations below this, relative to the larger of the entry and a typical one of its row, are difference errors.
pub(crate) const DIFFERENCE_ERROR: f64 = 1e-6;
/// Part of that which rounding errors of a row make.
const ROUNDING: f64 = 1e-6;

/// An entry that may be wrong.
pub(crate) struct Suspect {
    /// Row of RDA and component of x.
    pub at: (usize, usize),
    pub mismatch: Mismatch,
    /// What counts as large beside it.
    pub scale: f64,
}

impl Suspect {
    fn deviation(&self) -> f64 {
        let deviation = (self.mismatch.given - self.mismatch.expected).abs();
        // The row may be zero but for this entry.
        deviation / self.scale.max(f64::EPSILON * deviation).max(f64::MIN_POSITIVE)
    }
}

/// Compare JAC with central differences of EOM at (t, x), and what differs with derivatives whose error is known.
pub fn check_jacobian(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<JacobianReport> {
    let layout = Layout::new(system.dimensions(), system.form());
    let given = evaluate(system, &layout, tolerance, (t, x), true)?;
    let expected = evaluate(system, &layout, tolerance, (t, x), false)?;
    let mut size = vec![0.0; layout.n];
    take_sizes(&layout, x, &Scaling::new(tolerance, layout.n).typical, &mut size);
    let mut rda = vec![0.0; layout.m];
    let eom = model::eom(system, Code::StoppedByEom, t, x, &mut rda);
    eom.map_err(|trouble| refused_at(trouble, t))?;
    let mut suspects = Vec::new();
    for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
        let (m, n) = given.shape[k];
        let (a, b) = (&given.fx[k], &expected.fx[k]);
        for i in 0..m {
            // What is small beside the largest term of the row, when the variable changes by its size, does not count, nor
            // what is rounding beside the terms that it may have.
            let terms =
                |size: &[f64]| (0..n).fold(0.0f64, |s, j| s.max((b[i + j * m] * size[first + j]).abs()));
            let term = terms(x).max(rda[rows.start + i].abs()).max(ROUNDING * terms(&size));
            for kind in kinds(&layout) {
                let columns = || (0..n).filter(|j| kind.contains(first + j));
                let largest = columns().fold(0.0f64, |s, j| s.max(b[i + j * m].abs()));
                for j in columns() {
                    let (given, expected) = (a[i + j * m], b[i + j * m]);
                    let scale = largest.max(term / size[first + j].max(f64::MIN_POSITIVE));
                    if (given - expected).abs() > DIFFERENCE_ERROR * scale {
                        let at = (rows.start + i, first + j);
                        let (row, column) = (layout.residual_name(at.0), layout.state_name(at.1));
                        let mismatch = Mismatch { block: k + 1, row, column, given, expected };
                        suspects.push(Suspect { at, mismatch, scale });
                    }
                }
            }
        }
    }
    let mut wrong = confirmed(system, tolerance, (t, x), suspects);
    wrong.sort_by(|a, b| b.deviation().total_cmp(&a.deviation()));
    let mut report = JacobianReport::default();
    for (k, &(m, n)) in given.shape.iter().enumerate() {
        if wrong.iter().any(|s| s.mismatch.block == k + 1) {
            report.suspicions.extend(suspect(&given.fx[k], &expected.fx[k], m, n).map(|s| (k + 1, s)));
        }
    }
    report.mismatches = wrong.into_iter().map(|s| s.mismatch).collect();
    Ok(report)
}

/// Variables of one kind, whose derivatives can be compared with each other.
fn kinds(l: &Layout) -> [Block; 7] {
    [l.x.w, l.x.lambda, l.x.mu, l.x.r, l.x.v, l.x.s, l.x.p]
}

/// The classic mistake that turns `b` into `a`, if there is one.
fn suspect(a: &[f64], b: &[f64], m: usize, n: usize) -> Option<Suspicion> {
    let size = b.iter().fold(0.0f64, |s, v| s.max(v.abs()));
    let near = |x: f64, y: f64| (x - y).abs() <= 10.0 * DIFFERENCE_ERROR * size;
    if a.iter().zip(b).all(|(a, b)| near(*a, -b)) {
        return Some(Suspicion::Sign);
    }
    // A block filled row by row where columns were asked for.
    let transposed = (0..m).all(|i| (0..n).all(|j| near(a[j + i * n], b[i + j * m])));
    transposed.then_some(Suspicion::Transposed)
}

/// Ranks of the constraints at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct RankReport {
    /// Holonomic constraints, position level: rows of c, g and their rank.
    pub position: (usize, usize),
    /// Velocity level: rows of gI, h and their rank.
    pub velocity: (usize, usize),
    /// Groups of dependent rows: in each group one row can be dropped.
    pub dependent: Vec<Vec<Name>>,
    /// For each group that row; all of them can be dropped together.
    pub droppable: Vec<Name>,
    /// Smallest singular value that was kept, relative to the largest.
    pub smallest: f64,
}

/// Entries of a null vector below this do not take part in a dependence.
const PART: f64 = 1e-6;

/// Which constraints depend on each other at (t, x).
pub fn rank_report(system: &mut dyn System, tolerance: &Tolerance, t: f64, x: &[f64]) -> Result<RankReport> {
    let layout = Layout::new(system.dimensions(), system.form());
    let analytic = system.has_jacobian();
    let fx = evaluate(system, &layout, tolerance, (t, x), analytic)?;
    let (l, constraints) = (&layout, layout.dims.nl + layout.dims.nm);
    let position = rows_of(&fx.fx[2], layout.m3(), layout.m3(), layout.n4());
    let velocity = rows_of(&fx.fx[1], layout.m2(), constraints, layout.n3());
    let mut report = RankReport {
        position: (0, 0),
        velocity: (0, 0),
        dependent: vec![],
        droppable: vec![],
        smallest: 1.0,
    };
    let levels = [(position, l.rda.rows3.start, true), (velocity, l.rda.g_velocity.start, false)];
    for (matrix, first, is_position) in levels {
        let (rank, nulls, smallest) = dependences(&matrix, analytic)?;
        let sizes = (matrix.nrows(), rank);
        if is_position {
            report.position = sizes;
        } else {
            report.velocity = sizes;
        }
        report.smallest = report.smallest.min(smallest);
        let (nulls, pivots) = echelon(nulls);
        for (null, pivot) in nulls.into_iter().zip(pivots) {
            report.droppable.push(layout.residual_name(first + pivot));
            let group = null.iter().enumerate().filter(|(_, v)| v.abs() > PART);
            report.dependent.push(group.map(|(i, _)| layout.residual_name(first + i)).collect());
        }
    }
    Ok(report)
}

/// Combinations of the null vectors in each of which one row, the pivot, has a part that it has in no other: so that each
/// names the row to drop, and only the rows that it depends on. Late rows are dropped before early ones.
fn echelon(mut nulls: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<usize>) {
    let rows = nulls.first().map_or(0, Vec::len);
    let mut pivots: Vec<usize> = Vec::new();
    for k in 0..nulls.len() {
        // The last row whose part is not small against the largest left.
        let part = |i: usize, nulls: &[Vec<f64>]| nulls[k..].iter().fold(0.0f64, |m, v| m.max(v[i].abs()));
        let top = (0..rows).map(|i| part(i, &nulls)).fold(0.0, f64::max);
        let Some(pivot) = (0..rows).rev().find(|&i| part(i, &nulls) > 0.3 * top) else { break };
        let largest =
            (k..nulls.len()).max_by(|&a, &b| nulls[a][pivot].abs().total_cmp(&nulls[b][pivot].abs()));
        nulls.swap(k, largest.unwrap_or(k));
        let unit = nulls[k][pivot];
        nulls[k].iter_mut().for_each(|v| *v /= unit);
        let own = nulls[k].clone();
        for (_, other) in nulls.iter_mut().enumerate().filter(|(j, _)| *j != k) {
            let factor = other[pivot];
            other.iter_mut().zip(&own).for_each(|(o, v)| *o -= factor * v);
        }
        pivots.push(pivot);
    }
    (nulls, pivots)
}

/// The first `rows` rows of a block, each scaled to unit size.
fn rows_of(block: &[f64], m: usize, rows: usize, columns: usize) -> Array2<f64> {
    let mut out = Array2::from_shape_fn((rows, columns), |(i, j)| block[i + j * m]);
    for mut row in out.rows_mut() {
        let size = row.iter().fold(0.0f64, |s, v| s.max(v.abs()));
        if size > 0.0 {
            row.mapv_inplace(|v| v / size);
        }
    }
    out
}

/// Rank, left null vectors and smallest kept singular value.
#[allow(clippy::type_complexity)] // three results of one decomposition
fn dependences(a: &Array2<f64>, analytic: bool) -> Result<(usize, Vec<Vec<f64>>, f64)> {
    let (rows, columns) = a.dim();
    if rows == 0 || columns == 0 {
        let unit = |k: usize| (0..rows).map(|i| f64::from(u8::from(i == k))).collect();
        return Ok((0, (0..rows).map(unit).collect(), 1.0));
    }
    let failed = || Failure::new(Code::SvdFailed, "singular values of the constraints");
    let (u, s, _) = a.svd(true, false).map_err(|_| failed())?;
    let u = u.ok_or_else(failed)?;
    let top = s.iter().fold(0.0f64, |m, v| m.max(*v));
    let rank = RankPolicy::of_constraints(analytic, s.as_slice().unwrap_or(&[]));
    let nulls = (rank..rows).map(|k| u.column(k).to_vec()).collect();
    let smallest = if rank > 0 { s[rank - 1] / top } else { 1.0 };
    Ok((rank, nulls, smallest))
}

/// Constraint forces Zᵀ(Gᵀλ + Hᵀμ) at (t, x), NV long: unique also where redundant constraints leave the multipliers
/// undetermined. They enter the dynamic equations with a minus sign.
pub fn constraint_forces(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
    force: &mut [f64],
) -> Result {
    let layout = Layout::new(system.dimensions(), system.form());
    let analytic = system.has_jacobian();
    let fx = evaluate(system, &layout, tolerance, (t, x), analytic)?;
    let (m2, multipliers) = (layout.m2(), layout.x.multipliers.of(x));
    for (j, f) in force.iter_mut().enumerate().take(layout.dims.nv) {
        // GZ and HZ are the derivatives of gI and h by v, of which FX2 holds the negative.
        *f = multipliers.iter().enumerate().map(|(i, lambda)| -fx.fx[1][i + j * m2] * lambda).sum();
    }
    Ok(())
}

/// FX1..FX6 by JAC or by central differences.
fn evaluate(
    system: &mut dyn System,
    layout: &Layout,
    tolerance: &Tolerance,
    (t, x): (f64, &[f64]),
    by_jac: bool,
) -> Result<JacobianBlocks> {
    let mut fx = JacobianBlocks::new(layout);
    let typical = Scaling::new(tolerance, layout.n).typical;
    let mut derivatives = Derivatives::of_rows(layout, by_jac, true, typical).by_columns();
    let model = &mut Calls { system, stats: &mut Stats::default() };
    let result = derivatives.jacobian(model, t, x, &mut fx);
    result.map_err(|trouble| refused_at(trouble, t))?;
    Ok(fx)
}

/// A model that cannot be evaluated at the point in question.
pub(crate) fn refused_at(trouble: Trouble, t: f64) -> Failure {
    let (code, detail) = match trouble {
        Trouble::Stop { code, not_finite: false } => (code, "IERR < 0"),
        Trouble::Stop { code, not_finite: true } => (code, "non-finite values (NaN or Inf)"),
        Trouble::Retry | Trouble::NotFinite => (Code::EomNotEvaluable, "at the point of the diagnosis"),
    };
    Failure::new(code, detail).at(t, 0.0)
}
