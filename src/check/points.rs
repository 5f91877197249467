//! Where a model is looked at: moving points near the given one, which need not satisfy the constraints.

use super::motion::carry_contact;
use super::probe::{largest, solve, Direction, Point, Probe};

/// Positions are moved by this part of their size.
const AWAY: f64 = 0.05;

/// A random moving point near `at`, closer if the model cannot be evaluated far away.
pub(super) fn near(probe: &mut Probe<'_>, at: &Point, typical: &[f64]) -> Option<Point> {
    let l = probe.l;
    let speed = probe.speed;
    let force = largest(l.rda.f_dyn.of(&at.rda));
    let mut away = AWAY;
    for _ in 0..5 {
        let mut x = at.x.clone();
        for i in l.x.p.range().chain(l.x.w.range()).chain(l.x.r.range()) {
            x[i] += away * at.size[i] * probe.random();
        }
        for i in l.x.v.range() {
            let size = (0.5 * at.size[i]).max(if x[i] == 0.0 { speed } else { 0.1 * speed });
            x[i] += size * probe.random();
        }
        for i in l.x.multipliers.range() {
            let size = if at.x[i] == 0.0 && force > 0.0 { force } else { at.size[i] };
            x[i] += size * (0.5 + 0.5 * probe.random().abs());
        }
        let t = at.t + away * at.time.min(1.0) * probe.random();
        if let Some(point) = probe.point(t, &x, typical) {
            return settle_contact(probe, point, typical);
        }
        if probe.stopped.is_some() {
            return None;
        }
        away /= 8.0;
    }
    None
}

/// What is fast in this model: the speed that its forces give it over its own size.
pub(super) fn typical_speed(probe: &mut Probe<'_>, at: &Point) -> f64 {
    let l = probe.l;
    // In equilibrium forces vanish: what they are a little away counts as well.
    let mut away = at.x.clone();
    for i in l.x.p.range() {
        away[i] += AWAY * at.size[i] * probe.random();
    }
    let there = probe.eom(at.t, &away);
    let forces = [Some(&at.rda), there.as_ref()];
    let acceleration = probe.mass(at.t, &at.x).map_or(0.0, |mass| {
        let of = |rda: &Vec<f64>| solve(l.dims.nv, &mass, l.rda.f_dyn.of(rda)).map_or(0.0, |a| largest(&a));
        forces.into_iter().flatten().map(of).fold(0.0, f64::max)
    });
    let given = largest(l.x.v.of(&at.x));
    let speed = given.max((acceleration * largest(l.x.p.of(&at.size))).sqrt());
    if speed > 0.0 && speed.is_finite() {
        speed
    } else {
        1.0
    }
}

/// Contact points that satisfy c, if Newton's method finds them.
fn settle_contact(probe: &mut Probe<'_>, start: Point, typical: &[f64]) -> Option<Point> {
    let l = probe.l;
    let mut point = start;
    for _ in 0..6 {
        if l.dims.ns == 0 || largest(l.rda.c.of(&point.rda)) == 0.0 {
            break;
        }
        let mut matrix = vec![0.0; l.dims.ns * l.dims.ns];
        for k in 0..l.dims.ns {
            let mut unit = Direction::zero(l.n);
            unit.dx[l.x.s.start + k] = 1.0;
            let column = probe.slope(&point, &unit)?;
            matrix[k * l.dims.ns..(k + 1) * l.dims.ns].copy_from_slice(l.rda.c.of(&column.value));
        }
        let Some(step) = solve(l.dims.ns, &matrix, l.rda.c.of(&point.rda)) else { break };
        let mut x = point.x.clone();
        l.x.s.of_mut(&mut x).iter_mut().zip(&step).for_each(|(s, d)| *s -= d);
        match probe.point(point.t, &x, typical) {
            Some(better) if largest(l.rda.c.of(&better.rda)) <= largest(l.rda.c.of(&point.rda)) => {
                point = better
            }
            _ => break,
        }
    }
    // The derivative by s exists, or nothing can be said of the rates.
    carry_contact(probe, &point, Direction::zero(l.n))?;
    Some(point)
}
