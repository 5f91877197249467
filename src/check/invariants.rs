//! e stays constant along the motion: at consistent points, with the multipliers that the constraints ask for.

use super::findings::{Finding, Slip};
use super::forces::coupling;
use super::motion::Motion;
use super::probe::{solve, Point, Probe};
use crate::initial::move_to_constraints;
use crate::layout::Form;
use crate::norm::{Scaling, Tolerance};
use crate::options::Options;
use crate::stats::Stats;

/// The projection onto the constraints leaves this part.
const PROJECTED: f64 = 1e-5;

/// Invariants that change near the given points.
pub(super) fn findings(
    probe: &mut Probe<'_>,
    options: &Options,
    points: &[&Point],
    typical: &[f64],
) -> Vec<Finding> {
    let l = probe.l;
    let mut found: Vec<Finding> = Vec::new();
    if l.dims.ni == 0 {
        return found;
    }
    let tight = Scaling::new(&Tolerance::scalar(1e-11, 1e-11), l.n);
    for start in points {
        let (mut x, mut stats) = (start.x.clone(), Stats::default());
        let moved =
            move_to_constraints(probe.system, &l, options, &tight, start.t, &mut x, &mut stats).is_ok();
        if !moved {
            continue;
        }
        let Some(mut at) = probe.point(start.t, &x, typical) else { continue };
        if l.form == Form::Index1 && !settle_multipliers(probe, &mut at, typical) {
            continue;
        }
        let Some(motion) = Motion::new(probe, at, None) else { continue };
        if motion.acceleration.is_none() {
            continue;
        }
        for row in l.rda.e.range() {
            let (rate, scale) = (motion.total.value[row], motion.scale(row));
            let known = found.iter().any(|f| f.row == l.residual_name(row));
            if !known && rate.abs() > PROJECTED * scale + 10.0 * motion.error(row) {
                let name = l.residual_name(row);
                found.push(Finding {
                    row: name,
                    what: format!("rate of {name} along the motion"),
                    given: rate,
                    expected: 0.0,
                    slip: Some(Slip::NotInvariant),
                    t: motion.at.t,
                });
            }
        }
    }
    found
}

/// Without gII and hI the multipliers follow from C v' + γ = 0.
fn settle_multipliers(probe: &mut Probe<'_>, at: &mut Point, typical: &[f64]) -> bool {
    let l = probe.l;
    let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
    if nc == 0 {
        return true;
    }
    let Some(motion) = Motion::new(probe, at.clone(), None) else { return false };
    let (Some(both), Some(_)) = (coupling(probe, at), &motion.acceleration) else { return false };
    let mut matrix = vec![0.0; nc * nc];
    for (j, e) in both.e.iter().enumerate() {
        let Some(y) = solve(nv, &motion.mass, e) else { return false };
        for (i, c) in both.c.iter().enumerate() {
            matrix[i + j * nc] = c.iter().zip(&y).map(|(c, y)| c * y).sum();
        }
    }
    let residual = &motion.total.value[l.rda.g_velocity.start..l.rda.h.end];
    let Some(step) = solve(nc, &matrix, residual) else { return false };
    let mut x = at.x.clone();
    l.x.multipliers.of_mut(&mut x).iter_mut().zip(&step).for_each(|(m, s)| *m += s);
    match probe.point(at.t, &x, typical) {
        Some(point) => {
            *at = point;
            true
        }
        None => false,
    }
}
