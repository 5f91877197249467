//! Questions about a model at one point: is its Jacobian right, which constraints are redundant, what are the
//! constraint forces. A cold path: it allocates, and uses ndarray.

use crate::error::{Code, Failure, Result};
use crate::layout::{Layout, Name};
use crate::model::parts::{Ask, Room};
use crate::model::{self, At, Calls, Derivatives, Gamma, Span, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::rank::RankPolicy;
use crate::stats::Stats;
use crate::system::{JacobianBlocks, Outcome, Parts, System};
use ndarray::Array2;
use ndarray_linalg::SVD;
use std::fmt;

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
const DIFFERENCE_ERROR: f64 = 1e-6;

/// Compare JAC with central differences of EOM at (t, x).
pub fn check_jacobian(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<JacobianReport> {
    let layout = Layout::new(system.dimensions(), system.form());
    let given = evaluate(system, &layout, tolerance, (t, x), true)?;
    let expected = evaluate(system, &layout, tolerance, (t, x), false)?;
    let mut report = JacobianReport::default();
    let mut found: Vec<(f64, Mismatch)> = Vec::new();
    for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
        let (m, n) = given.shape[k];
        let (a, b) = (&given.fx[k], &expected.fx[k]);
        // Large entries anywhere in the block make differences of the small ones noisy.
        let largest = b.iter().fold(1.0f64, |s, v| s.max(v.abs()));
        let mut wrong = 0;
        for i in 0..m {
            let size = (0..n).fold(0.0f64, |s, j| s.max(b[i + j * m].abs()));
            for j in 0..n {
                let deviation = (a[i + j * m] - b[i + j * m]).abs();
                let scale = b[i + j * m].abs().max(size).max(1e-3 * largest);
                if deviation > DIFFERENCE_ERROR * scale {
                    wrong += 1;
                    let row = layout.residual_name(rows.start + i);
                    let column = layout.state_name(first + j);
                    let (given, expected) = (a[i + j * m], b[i + j * m]);
                    found.push((deviation / scale, Mismatch { block: k + 1, row, column, given, expected }));
                }
            }
        }
        if wrong > 0 {
            report.suspicions.extend(suspect(a, b, m, n).map(|s| (k + 1, s)));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    report.mismatches = found.into_iter().map(|(_, m)| m).collect();
    Ok(report)
}

/// A wrong number of PARTS ([`System::parts`]), or of what to supply them says.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsMismatch {
    /// Which one: a row of RDA, an entry of M or of C, or a derivative.
    pub what: String,
    /// What PARTS deliver or imply.
    pub given: f64,
    /// What EOM, MAS or a difference of EOM delivers.
    pub expected: f64,
}

impl fmt::Display for PartsMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartsMismatch { what, given, expected } = self;
        write!(f, "PARTS: {what} = {expected:.6e}, PARTS give {given:.6e}")
    }
}

/// Two ways to compute the same number may differ by this part of the largest of its kind.
const SAME: f64 = 1e-10;

/// Compare PARTS with EOM, MAS and central differences of EOM at (t, x), and p' = v and -Cᵀ as the derivative of f_dyn by the
/// multipliers with EOM; `None` if there are none, or none are asked for with these dimensions.
pub fn check_parts(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<Option<Vec<PartsMismatch>>> {
    let l = Layout::new(system.dimensions(), system.form());
    if !Parts::suit(&l.dims) || system.parts(t, x, Parts::default()).is_none() {
        return Ok(None);
    }
    let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
    let mut parts = Room::new(&l);
    let outcome = parts.ask(system, t, x, Ask::All).unwrap_or(Outcome::Stop);
    let refuse = |trouble| refused_at(trouble, t);
    model::check(outcome, Code::StoppedByParts, || parts.is_finite(Ask::All)).map_err(refuse)?;

    let mut free = x.to_vec();
    l.x.multipliers.of_mut(&mut free).fill(0.0);
    let (mut rows, mut full) = (vec![0.0; l.m], vec![0.0; nv * nv]);
    model::eom(system, Code::StoppedByEom, t, &free, &mut rows).map_err(refuse)?;
    let outcome = system.mass(t, x, &mut full);
    model::check(outcome, Code::StoppedByMas, || model::all_finite(&full)).map_err(refuse)?;
    // With the multipliers of the point: without them friction does not show.
    let fx = evaluate(system, &l, tolerance, (t, x), false)?;
    let expected_c: Vec<f64> = (0..nc * nv).map(|k| -fx.fx[1][k % nc + k / nc * l.m2()]).collect();
    let size = |v: &[f64]| v.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    let smooth = size(l.x.p.of(&free)) / size(l.x.v.of(&free));
    let span = Span { narrow: f64::EPSILON.cbrt() * smooth, smooth, further: 0 };
    let (mut rate, at) = (Gamma::new(&l, false), At { t, x: &free, rda: &rows });
    rate.along_motion(&mut Calls { system, stats: &mut Stats::default() }, at, span).map_err(refuse)?;

    let mut found = Vec::new();
    let mut compare = |given: &[f64], expected: &[f64], part: f64, name: &dyn Fn(usize) -> String| {
        let largest = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for (k, (&given, &expected)) in given.iter().zip(expected).enumerate() {
            if (given - expected).abs() > part * largest {
                found.push(PartsMismatch { what: name(k), given, expected });
            }
        }
    };
    let (at, first) = (l.rda, l.rda.g_velocity.start);
    let row = |start: usize| move |k: usize| l.residual_name(start + k).to_string();
    compare(&parts.force, at.f_dyn.of(&rows), SAME, &row(at.f_dyn.start));
    compare(&parts.mass, &full, SAME, &|k| format!("M({},{})", k % nv + 1, k / nv + 1));
    let derivative = |i: usize, j: usize| format!("d {}/d {}", row(first)(i), l.state_name(l.x.v.start + j));
    let entry = |k: usize| format!("C({},{}) = {}", k % nc + 1, k / nc + 1, derivative(k % nc, k / nc));
    compare(&parts.constraint, &expected_c, DIFFERENCE_ERROR, &entry);
    compare(&parts.at_rest, &rate.value, DIFFERENCE_ERROR, &|k| {
        format!("gamma({}), the rate of {}", k + 1, row(first)(k))
    });
    compare(&parts.velocity, &rows[first..at.h.end], SAME, &row(first));
    compare(&parts.position, at.g.of(&rows), SAME, &row(at.g.start));
    compare(l.x.v.of(x), at.f_kin.of(&rows), SAME, &row(at.f_kin.start));
    let multipliers = l.x.multipliers.start;
    let by_multipliers: Vec<f64> =
        (0..nc * nv).map(|k| -fx.fx[4][k / nc + (multipliers + k % nc) * nv]).collect();
    let negative: Vec<f64> = expected_c.iter().map(|c| -c).collect();
    let entry =
        |k: usize| format!("d {}/d {}", row(at.f_dyn.start)(k / nc), l.state_name(multipliers + k % nc));
    compare(&negative, &by_multipliers, DIFFERENCE_ERROR, &entry);
    Ok(Some(found))
}

/// The classic mistake that turns `b` into `a`, if there is one.
fn suspect(a: &[f64], b: &[f64], m: usize, n: usize) -> Option<Suspicion> {
    let size = b.iter().fold(0.0f64, |s, v| s.max(v.abs())).max(1e-3);
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
        Trouble::Stop { code, not_finite: false } => (code, "IERR < 0".to_string()),
        Trouble::Stop { code, not_finite: true } => (code, "non-finite values (NaN or Inf)".to_string()),
        Trouble::Retry { code } | Trouble::NotFinite { code } => {
            (Code::EomNotEvaluable, format!("{} at the point of the diagnosis", code.callback()))
        }
    };
    Failure::new(code, detail).at(t, 0.0)
}
