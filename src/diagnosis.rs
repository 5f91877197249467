//! Questions about a model at one point: is its Jacobian right, which constraints are redundant, what are the
//! constraint forces. A cold path: it allocates, and uses ndarray.

use crate::check::evaluate;
use crate::error::{Code, Failure, Result};
use crate::layout::{Layout, Name};
use crate::norm::Tolerance;
use crate::rank::RankPolicy;
use crate::system::System;
use ndarray::Array2;
use ndarray_linalg::SVD;

pub use crate::check::{check_jacobian, check_parts, JacobianReport, Mismatch, PartsMismatch, Suspicion};

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
