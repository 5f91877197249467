//! JAC against EOM: central differences find what may be wrong, derivatives whose error is known decide.

use super::first_point;
use super::probe::{Direction, Probe, Slope};
use super::quick::take_sizes;
use crate::error::{Code, Failure, Result};
use crate::layout::{Block, Layout, Name};
use crate::model::{self, Calls, Derivatives, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};
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
pub(super) const DIFFERENCE_ERROR: f64 = 1e-6;
/// Part of that which rounding errors of a row make.
const ROUNDING: f64 = 1e-6;

/// An entry that may be wrong.
struct Suspect {
    /// Row of RDA and component of x.
    at: (usize, usize),
    mismatch: Mismatch,
    /// What counts as large beside it.
    scale: f64,
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

/// Of the entries of JAC that may be wrong those that differ from the derivative by more than it may be wrong, with its value.
fn confirmed(
    system: &mut dyn System,
    tolerance: &Tolerance,
    (t, x): (f64, &[f64]),
    mut suspects: Vec<Suspect>,
) -> Vec<Suspect> {
    if suspects.is_empty() {
        return suspects;
    }
    let mut probe = Probe::new(system, t);
    let l = probe.l;
    let typical = Scaling::new(tolerance, l.n).typical;
    let Some(at) = first_point(&mut probe, (t, x), &typical) else { return suspects };
    let mut columns: Vec<Option<Option<Slope>>> = vec![None; l.n];
    suspects.retain_mut(|suspect| {
        let (row, column) = suspect.at;
        let slope = columns[column].get_or_insert_with(|| {
            let mut unit = Direction::zero(l.n);
            unit.dx[column] = 1.0;
            probe.slope(&at, &unit)
        });
        let Some(slope) = slope else { return false };
        let mismatch = &mut suspect.mismatch;
        mismatch.expected = -slope.value[row];
        let (given, expected) = (mismatch.given, mismatch.expected);
        let scale = given.abs().max(expected.abs()).max(suspect.scale);
        let limit = DIFFERENCE_ERROR * scale + 10.0 * slope.error[row];
        (given - expected).abs() > limit
    });
    suspects
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

/// FX1..FX6 by JAC or by central differences.
pub(crate) fn evaluate(
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
pub(super) fn refused_at(trouble: Trouble, t: f64) -> Failure {
    let (code, detail) = match trouble {
        Trouble::Stop { code, not_finite: false } => (code, "IERR < 0".to_string()),
        Trouble::Stop { code, not_finite: true } => (code, "non-finite values (NaN or Inf)".to_string()),
        Trouble::Retry { code } | Trouble::NotFinite { code } => {
            (Code::EomNotEvaluable, format!("{} at the point of the diagnosis", code.callback()))
        }
    };
    Failure::new(code, detail).at(t, 0.0)
}
