//! The mass matrix: symmetric, positive on the velocities that the constraints allow, and what MASSTRCT says of it.

use super::findings::{Finding, Slip};
use super::motion::Motion;
use super::probe::Probe;
use crate::layout::Name;
use crate::options::MassStructure;
use ndarray::Array2;
use ndarray_linalg::{Eigh, SVD, UPLO};

/// Entries differ if they do by this part of the largest.
const SAME: f64 = 1e-9;

fn entry(i: usize, j: usize, nv: usize) -> (Name, String) {
    (Name { block: "M", number: i + j * nv + 1 }, format!("M({},{})", i + 1, j + 1))
}

/// Shape of one matrix, cheap enough for a run.
pub(crate) fn shape(nv: usize, mass: &[f64], structure: MassStructure, t: f64) -> Option<Finding> {
    let size = |i: usize, j: usize| (mass[i * (nv + 1)] * mass[j * (nv + 1)]).abs().sqrt();
    let finding = |i: usize, j: usize, given, expected, slip| {
        let (row, what) = entry(i, j, nv);
        Some(Finding { row, what, given, expected, slip: Some(slip), t })
    };
    for i in 0..nv {
        if mass[i * (nv + 1)] < 0.0 {
            return finding(i, i, mass[i * (nv + 1)], -mass[i * (nv + 1)], Slip::NegativeMass);
        }
    }
    for j in 0..nv {
        for i in 0..j {
            let (upper, lower) = (mass[i + j * nv], mass[j + i * nv]);
            let limit = SAME * size(i, j).max(upper.abs()).max(lower.abs());
            if (upper - lower).abs() > limit {
                return finding(j, i, lower, upper, Slip::NotSymmetric);
            }
            if structure.is_diagonal() && upper.abs() > SAME * size(i, j) {
                return finding(i, j, upper, 0.0, Slip::NotDiagonal);
            }
        }
    }
    None
}

/// All about the mass matrix.
pub(super) fn findings(probe: &mut Probe<'_>, motions: &[Motion], structure: MassStructure) -> Vec<Finding> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let mut found = Vec::new();
    let Some(first) = motions.first() else { return found };
    for m in motions {
        if let Some(finding) = shape(nv, &m.mass, structure, m.at.t) {
            return vec![finding];
        }
    }
    let scale = |k: usize| first.mass[k * (nv + 1)].abs();
    if structure.is_constant() {
        for m in &motions[1..] {
            for k in 0..nv * nv {
                let limit = SAME * (scale(k % nv) * scale(k / nv)).sqrt().max(first.mass[k].abs());
                if (m.mass[k] - first.mass[k]).abs() > limit {
                    let (row, what) = entry(k % nv, k / nv, nv);
                    let what = format!("{what} at another point");
                    let (given, expected) = (m.mass[k], first.mass[k]);
                    let slip = Some(Slip::NotConstant);
                    found.push(Finding { row, what, given, expected, slip, t: m.at.t });
                    return found;
                }
            }
        }
    }
    for m in motions {
        // M(p,t): not of velocities and forces.
        let mut x = m.at.x.clone();
        for i in 0..l.x.s.start {
            x[i] += m.at.size[i] * (0.3 + 0.1 * probe.random());
        }
        if let Some(other) = probe.mass(m.at.t, &x) {
            let k = (0..nv * nv).find(|&k| (other[k] - m.mass[k]).abs() > SAME * m.mass[k].abs());
            if let Some(k) = k {
                let (row, what) = entry(k % nv, k / nv, nv);
                let slip = Some(Slip::ForbiddenDependence("v, r, w, lambda or mu"));
                let (given, expected) = (other[k], m.mass[k]);
                found.push(Finding { row, what, given, expected, slip, t: m.at.t });
                return found;
            }
        }
        if let Some(finding) = positive(probe, m) {
            found.push(finding);
            return found;
        }
    }
    found
}

/// Positive on the null space of (gI, h) by v.
fn positive(probe: &mut Probe<'_>, m: &Motion) -> Option<Finding> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let mut scaled = Array2::from_shape_fn((nv, nv), |(i, j)| m.mass[i + j * nv]);
    let unit: Vec<f64> =
        (0..nv).map(|i| if m.mass[i * (nv + 1)] > 0.0 { m.mass[i * (nv + 1)].sqrt() } else { 1.0 }).collect();
    scaled.indexed_iter_mut().for_each(|((i, j), v)| *v /= unit[i] * unit[j]);
    let lowest = |a: &Array2<f64>| a.eigh(UPLO::Lower).ok().and_then(|(values, _)| values.first().copied());
    if nv == 0 || lowest(&scaled)? > 1e-12 {
        return None;
    }
    let nc = l.dims.nl + l.dims.nm;
    let rows = l.rda.g_velocity.start..l.rda.h.end;
    let mut c = Array2::zeros((nc.max(nv), nv));
    for k in 0..nv {
        let mut x = m.at.x.clone();
        x[l.x.v.start + k] += m.at.size[l.x.v.start + k];
        let moved = probe.eom(m.at.t, &x)?;
        for (i, row) in rows.clone().enumerate() {
            c[(i, k)] = (moved[row] - m.at.rda[row]) / m.at.size[l.x.v.start + k] / unit[k];
        }
    }
    let (_, s, vt) = c.svd(false, true).ok()?;
    let (vt, top) = (vt?, s.iter().fold(0.0f64, |m, v| m.max(*v)));
    let rank = s.iter().filter(|&&v| v > 1e-8 * top).count();
    if rank == nv {
        return None;
    }
    let basis = Array2::from_shape_fn((nv, nv - rank), |(i, j)| vt[(rank + j, i)]);
    let on_tangent = basis.t().dot(&scaled).dot(&basis);
    let (values, vectors) = on_tangent.eigh(UPLO::Lower).ok()?;
    let value = values.first().copied()?;
    let slip = match value {
        v if v < -1e-9 => Slip::NotPositive,
        v if v < 1e-11 => Slip::SingularMass,
        _ => return None,
    };
    let v = basis.dot(&vectors.column(0));
    let k = (0..nv).max_by(|&a, &b| (v[a]).abs().total_cmp(&v[b].abs()))?;
    let (row, what) = entry(k, k, nv);
    let what = format!("{what}, the energy of a velocity that the constraints allow");
    Some(Finding { row, what, given: value, expected: 1.0, slip: Some(slip), t: m.at.t })
}
