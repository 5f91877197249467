//! JAC, PARTS and patterns against EOM and MAS.

use super::findings::{Finding, Slip};
use super::jacobian::{check_jacobian, Suspicion};
use super::parts::compare;
use super::probe::{Point, Probe};
use crate::error::Failure;
use crate::layout::Name;
use crate::model::{Calls, Derivatives};
use crate::norm::Tolerance;
use crate::stats::Stats;
use crate::system::JacobianBlocks;

/// Entries of JAC that are reported.
const REPORTED: usize = 8;

/// Entries of JAC that differ from the derivative by more than the derivative may be wrong.
pub(super) fn jacobian(
    probe: &mut Probe<'_>,
    tolerance: &Tolerance,
    at: &Point,
) -> Result<Vec<Finding>, Failure> {
    if !probe.system.has_jacobian() {
        return Ok(Vec::new());
    }
    let report = check_jacobian(probe.system, tolerance, at.t, &at.x)?;
    let mut found = Vec::new();
    for mismatch in report.mismatches.iter().take(REPORTED) {
        let (given, expected) = (mismatch.given, mismatch.expected);
        let suspicion = report.suspicions.iter().find(|(block, _)| *block == mismatch.block);
        let slip = match suspicion {
            Some((block, Suspicion::Sign)) => Some(Slip::JacobianSign(*block)),
            Some((block, Suspicion::Transposed)) => Some(Slip::JacobianTransposed(*block)),
            None if (given + expected).abs() <= 1e-4 * given.abs() => Some(Slip::Sign),
            None if given == 0.0 => None,
            None => Some(Slip::Factor(given / expected)).filter(|_| expected != 0.0),
        };
        let what = format!("FX{}: -d {}/d {}", mismatch.block, mismatch.row, mismatch.column);
        let explained =
            |f: &Finding| matches!(f.slip, Some(Slip::JacobianSign(_) | Slip::JacobianTransposed(_)));
        if found.iter().any(|f| explained(f) && f.slip == slip) {
            continue;
        }
        found.push(Finding { row: mismatch.row, what, given, expected, slip, t: at.t });
    }
    Ok(found)
}

/// PARTS against EOM and MAS.
pub(super) fn parts(probe: &mut Probe<'_>, at: &Point, typical: &[f64]) -> Result<Vec<Finding>, Failure> {
    let found = compare(probe, at, typical)?.unwrap_or_default();
    let row = Name { block: "PARTS", number: 1 };
    Ok(found
        .into_iter()
        .map(|m| Finding {
            row,
            what: format!("PARTS: {}", m.what),
            given: m.given,
            expected: m.expected,
            slip: None,
            t: at.t,
        })
        .collect())
}

/// Entries of M and of FX1..FX6 outside of the pattern that the model declares.
pub(super) fn patterns(probe: &mut Probe<'_>, at: &Point, mass: &[f64]) -> Vec<Finding> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let Some(declared) = probe.system.sparsity().cloned() else { return Vec::new() };
    let inside = |list: &[(u32, u32)], i: usize, j: usize| {
        list.iter().any(|&(a, b)| (a as usize, b as usize) == (i, j))
    };
    let outside = |row: Name, what: String, given: f64| Finding {
        row,
        what,
        given,
        expected: 0.0,
        slip: Some(Slip::OutsidePattern),
        t: at.t,
    };
    let mut found = Vec::new();
    for k in (0..nv * nv).filter(|&k| mass[k] != 0.0) {
        let (i, j) = (k % nv, k / nv);
        if !inside(&declared.mass, i, j) {
            let name = Name { block: "M", number: k + 1 };
            found.push(outside(name, format!("M({},{})", i + 1, j + 1), mass[k]));
        }
    }
    // Without JAC by differences, whose noise is no entry.
    let analytic = probe.system.has_jacobian();
    let mut fx = JacobianBlocks::new(&l);
    let mut derivatives = Derivatives::of_rows(&l, analytic, true, vec![1.0; l.n]).by_columns();
    let model = &mut Calls { system: probe.system, stats: &mut Stats::default() };
    if derivatives.jacobian(model, at.t, &at.x, &mut fx).is_err() {
        return found;
    }
    for (b, (rows, first)) in l.fx_position().into_iter().enumerate() {
        let (m, n) = fx.shape[b];
        let largest = fx.fx[b].iter().fold(0.0f64, |most, entry| most.max(entry.abs()));
        let noise = if analytic { 0.0 } else { 1e-6 * largest };
        for k in (0..m * n).filter(|&k| fx.fx[b][k].abs() > noise) {
            if !inside(&declared.fx[b], k % m, k / m) {
                let (row, column) = (l.residual_name(rows.start + k % m), l.state_name(first + k / m));
                found.push(outside(row, format!("FX{}: -d {row}/d {column}", b + 1), fx.fx[b][k]));
            }
        }
    }
    found
}
