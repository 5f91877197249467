//! What rows may depend on, and what follows from it: g and c not on v, constraints not on forces, f_kin linear in v, a constraint
//! that p' = Z v keeps by itself.

use super::findings::{Finding, Slip};
use super::forces::{rates_with, with_velocity};
use super::probe::{largest, Direction, Point, Probe};
use crate::layout::Block;

/// Changes below this part are rounding errors.
const UNCHANGED: f64 = 1e-9;

/// Rows of a block that change.
fn changed(at: &Point, moved: &[f64], block: Block) -> Vec<usize> {
    let top = largest(block.of(&at.rda)).max(largest(block.of(moved)));
    let limit = |i: usize| UNCHANGED * top + 100.0 * at.noise[i];
    block.range().filter(|&i| (moved[i] - at.rda[i]).abs() > limit(i)).collect()
}

/// Dependences that must not be, at a point.
pub(super) fn dependences(probe: &mut Probe<'_>, at: &Point) -> Vec<Finding> {
    let l = probe.l;
    let mut found = Vec::new();
    let finding = |row: usize, other: &[f64], slip, on: &str| Finding {
        row: l.residual_name(row),
        what: format!("{} when only {on} changes", l.residual_name(row)),
        given: other[row],
        expected: at.rda[row],
        slip: Some(slip),
        t: at.t,
    };
    let mut x = at.x.clone();
    for i in l.x.v.range() {
        x[i] += at.size[i] * (0.5 + 0.25 * probe.random());
    }
    if let Some(moved) = probe.eom(at.t, &x) {
        for row in changed(at, &moved, l.rda.rows3) {
            let slip = if l.rda.g.contains(row) {
                Slip::VelocityLevelInPlace
            } else {
                Slip::ForbiddenDependence("v")
            };
            found.push(finding(row, &moved, slip, "v"));
        }
    }
    let mut x = at.x.clone();
    for i in l.x.algebraic.range().chain(l.x.r.range()) {
        x[i] += at.size[i] * (0.1 + 0.05 * probe.random());
    }
    if let Some(moved) = probe.eom(at.t, &x) {
        for block in [l.rda.rows2, l.rda.rows3, l.rda.f_kin] {
            let on = "w, lambda, mu or r";
            let rows = changed(at, &moved, block);
            found.extend(rows.into_iter().map(|row| finding(row, &moved, Slip::ForbiddenDependence(on), on)));
        }
    }
    found
}

/// f_kin(u + w) = f_kin(u) + f_kin(w), f_kin(0) = 0.
pub(super) fn linearity(probe: &mut Probe<'_>, at: &Point) -> Vec<Finding> {
    let l = probe.l;
    let sample =
        |probe: &mut Probe<'_>| -> Vec<f64> { l.x.v.range().map(|i| at.size[i] * probe.random()).collect() };
    let (u, w) = (sample(probe), sample(probe));
    let sum: Vec<f64> = u.iter().zip(&w).map(|(u, w)| u + w).collect();
    let zero = vec![0.0; l.dims.nv];
    let mut value = |v: &[f64]| {
        let mut x = at.x.clone();
        l.x.v.of_mut(&mut x).copy_from_slice(v);
        probe.eom(at.t, &x).map(|rda| l.rda.f_kin.of(&rda).to_vec())
    };
    let (Some(a), Some(b), Some(both), Some(none)) = (value(&u), value(&w), value(&sum), value(&zero)) else {
        return Vec::new();
    };
    let top = [&a, &b, &both, &none].iter().fold(0.0f64, |m, v| m.max(largest(v)));
    let mut found = Vec::new();
    for k in 0..l.dims.np {
        let row = l.residual_name(l.rda.f_kin.start + k);
        let limit = UNCHANGED * top + 100.0 * at.noise[l.rda.f_kin.start + k];
        let (given, expected) = (both[k] - none[k], a[k] + b[k] - 2.0 * none[k]);
        let finding = |what: String, given, expected| Finding {
            row,
            what,
            given,
            expected,
            slip: Some(Slip::NotLinear),
            t: at.t,
        };
        if (given - expected).abs() > limit {
            found.push(finding(format!("{row} for the sum of two velocities"), given, expected));
        } else if none[k].abs() > limit {
            found.push(finding(format!("{row} for v = 0"), none[k], 0.0));
        }
    }
    found
}

/// Constraints whose row of G Z is zero at all points, although that of G is not.
pub(super) fn already_conserved(probe: &mut Probe<'_>, points: &[&Point]) -> Vec<Finding> {
    let l = probe.l;
    let mut suspects: Vec<usize> = (0..l.dims.nl).collect();
    for at in points {
        let u: Vec<f64> = l.x.v.range().map(|i| at.size[i] * probe.random()).collect();
        let q: Vec<f64> = l.x.p.range().map(|i| at.size[i] * probe.random()).collect();
        let along = Direction::zero(l.n).with(l.x.p, &q);
        let (Some(rates), Some(any)) = (rates_with(probe, at, &u), probe.slope(at, &along)) else {
            return Vec::new();
        };
        let Some(moving) = with_velocity(probe, at, &u) else { return Vec::new() };
        // The time in which Z u moves p as q does.
        let time = moving.dx.iter().zip(&along.dx).filter(|(m, _)| **m != 0.0).map(|(m, q)| (q / m).abs());
        let time = time.fold(0.0, f64::max);
        let speed = u.iter().zip(l.x.v.range()).fold(0.0f64, |m, (u, i)| m.max(u.abs() / at.size[i]));
        suspects.retain(|&i| {
            let row = l.rda.g.start + i;
            let size = any.value[row].abs();
            speed > 0.0 && size > 0.0 && time * rates[i].abs() <= 1e-7 * size + 100.0 * at.noise[row]
        });
    }
    let Some(at) = points.first() else { return Vec::new() };
    let finding = |i: usize| {
        let row = l.residual_name(l.rda.g.start + i);
        Finding {
            row,
            what: format!("{row}: its derivative along p' = Z v is zero whatever v"),
            given: 0.0,
            expected: 1.0,
            slip: Some(Slip::AlreadyConserved),
            t: at.t,
        }
    };
    suspects.into_iter().map(finding).collect()
}
