//! gI is the rate of g, gII that of gI and hI that of h, along the motion that f_kin and M⁻¹ f_dyn say. A row that is not
//! is explained by trying what a differentiation by hand may have lost.

use super::findings::{Finding, Slip, Term};
use super::inside::{blame_mass, force_slip, or_without_mass};
use super::motion::{carry_contact, second_rate_of_g, Motion};
use super::probe::{Direction, Probe};
use crate::layout::Block;

/// Rates agree if they differ by this part of what they are the sum of.
pub(super) const AGREE: f64 = 1e-6;
/// An explanation may leave this part.
const EXPLAINED: f64 = 2e-5;

/// What one row holds and should hold at each point.
pub(super) struct Comparison {
    given: Vec<f64>,
    pub expected: Vec<f64>,
    scale: Vec<f64>,
    error: Vec<f64>,
}

impl Comparison {
    fn of(motions: &[Motion], row: usize, of: usize) -> Self {
        let given: Vec<f64> = motions.iter().map(|m| m.at.rda[row]).collect();
        let expected: Vec<f64> = motions.iter().map(|m| m.total.value[of]).collect();
        let scale = motions.iter().zip(&given).map(|(m, g)| m.scale(of) + g.abs()).collect();
        let error = motions.iter().map(|m| 10.0 * (m.error(of) + m.at.noise[row])).collect();
        Comparison { given, expected, scale, error }
    }

    /// The point at which the row is wrong most clearly, if it is anywhere.
    fn worst(&self) -> Option<usize> {
        let excess = |k: &usize| {
            let limit = AGREE * self.scale[*k] + self.error[*k];
            (self.given[*k] - self.expected[*k]).abs() / limit.max(f64::MIN_POSITIVE)
        };
        let worst = (0..self.given.len()).max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
        (excess(&worst) > 1.0).then_some(worst)
    }

    /// True if the candidate is what the row holds, at every point.
    fn explained(&self, candidate: &[f64]) -> bool {
        (0..self.given.len())
            .all(|k| (self.given[k] - candidate[k]).abs() <= EXPLAINED * self.scale[k] + 2.0 * self.error[k])
    }

    /// How badly the candidate fits, in units of what is allowed.
    pub fn misfit(&self, candidate: &[f64]) -> f64 {
        let part = |k: usize| {
            (self.given[k] - candidate[k]).abs()
                / (AGREE * self.scale[k] + self.error[k]).max(f64::MIN_POSITIVE)
        };
        (0..self.given.len()).map(part).fold(0.0, f64::max)
    }

    /// given = expected plus a multiple of a part of it.
    pub fn with_part(&self, factor: f64, part: &[f64]) -> bool {
        let candidate: Vec<f64> = self.expected.iter().zip(part).map(|(e, p)| e + factor * p).collect();
        self.explained(&candidate)
    }

    /// The row is zero at every point.
    fn is_not_set(&self) -> bool {
        self.given.iter().all(|given| *given == 0.0)
    }

    /// A constant factor.
    fn factor(&self) -> Option<f64> {
        let (num, den) = self
            .given
            .iter()
            .zip(&self.expected)
            .zip(self.scale.iter().zip(&self.error))
            .filter(|(_, (s, error))| **s > 1e4 * **error)
            .fold((0.0, 0.0), |(n, d), ((g, e), (s, _))| (n + g / s * (e / s), d + e / s * (e / s)));
        let factor = num / den;
        let moves = self.expected.iter().zip(&self.scale).any(|(e, s)| e.abs() > 1e-3 * s);
        let scaled: Vec<f64> = self.expected.iter().map(|e| e * factor).collect();
        (moves && factor.is_finite() && factor.abs() > 1e-3 && self.explained(&scaled)).then_some(factor)
    }
}

/// What is missing, has the wrong sign or a factor, given a part of the rate.
pub(super) fn part_slip(c: &Comparison, term: Term, part: &[f64]) -> Option<Slip> {
    let tries = [
        (-1.0, Slip::Missing(term)),
        (-2.0, Slip::SignOf(term)),
        (-0.5, Slip::FactorOf(term, 0.5)),
        (1.0, Slip::FactorOf(term, 2.0)),
    ];
    tries.into_iter().find(|(factor, _)| c.with_part(*factor, part)).map(|(_, slip)| slip)
}

fn parts<'m>(motions: &'m [Motion], f: impl Fn(&'m Motion) -> f64) -> Vec<f64> {
    motions.iter().map(f).collect()
}

/// Position level: gI against the rate of g.
pub(super) fn velocity_level(probe: &mut Probe<'_>, motions: &[Motion]) -> Vec<Finding> {
    let l = probe.l;
    let mut wrong = Vec::new();
    for i in 0..l.dims.nl {
        let (row, of) = (l.rda.g_velocity.start + i, l.rda.g.start + i);
        let c = Comparison::of(motions, row, of);
        let Some(k) = c.worst() else { continue };
        let slip = explain_velocity(probe, motions, &c, row, of);
        wrong.push(finding(probe, row, of, &c, k, slip, motions));
    }
    blame_kinematics(probe, motions, &mut wrong);
    wrong
}

fn finding(
    probe: &Probe<'_>,
    row: usize,
    of: usize,
    c: &Comparison,
    k: usize,
    slip: Option<Slip>,
    motions: &[Motion],
) -> Finding {
    let (name, below) = (probe.l.residual_name(row), probe.l.residual_name(of));
    Finding {
        row: name,
        what: format!("{name} against the rate of {below}"),
        given: c.given[k],
        expected: c.expected[k],
        slip,
        t: motions[k].at.t,
    }
}

fn explain_velocity(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    row: usize,
    of: usize,
) -> Option<Slip> {
    let l = probe.l;
    if c.is_not_set() {
        return Some(Slip::NotSet);
    }
    match c.factor() {
        Some(f) if (f + 1.0).abs() < 1e-4 => return Some(Slip::Sign),
        Some(f) => return Some(Slip::Factor(f)),
        None => {}
    }
    let time = parts(motions, |m| m.by_t.value[of]);
    if let Some(slip) = part_slip(c, Term::Time, &time) {
        return Some(slip);
    }
    if let Some(slip) = other_row(probe, motions, c, l.rda.g, of) {
        return Some(slip);
    }
    if l.dims.np == l.dims.nv {
        let mut direct = Vec::new();
        for m in motions {
            let along = Direction::zero(l.n).with(l.x.p, l.x.v.of(&m.at.x));
            let along = carry_contact(probe, &m.at, along)?;
            direct.push(probe.slope(&m.at, &along)?.value[of] + m.by_t.value[of]);
        }
        if c.explained(&direct) {
            return Some(Slip::ForgottenZ);
        }
    }
    let moving = parts(motions, |m| m.by_p.value[of]);
    if let Some(slip) = part_slip(c, Term::MovingMatrix, &moving) {
        return Some(slip);
    }
    if let Some(slip) = contact_slip(probe, motions, c, of) {
        return Some(slip);
    }
    position_slip(probe, motions, c, of, row)
}

/// The row of another constraint.
fn other_row(probe: &Probe<'_>, motions: &[Motion], c: &Comparison, block: Block, of: usize) -> Option<Slip> {
    let found = block.range().filter(|j| *j != of).find(|&j| {
        let other = parts(motions, |m| m.total.value[j]);
        let apart = other.iter().zip(&c.expected).zip(&c.scale).any(|((o, e), s)| (o - e).abs() > 1e-3 * s);
        apart && c.explained(&other)
    })?;
    let l = probe.l;
    let level = if block == l.rda.g {
        l.rda.g_velocity
    } else if block == l.rda.g_velocity {
        l.rda.g_acceleration
    } else {
        l.rda.h_acceleration
    };
    Some(Slip::OtherRow(l.residual_name(level.start + found - block.start)))
}

/// The contact point taken as fixed.
fn contact_slip(probe: &mut Probe<'_>, motions: &[Motion], c: &Comparison, of: usize) -> Option<Slip> {
    let l = probe.l;
    if l.dims.ns == 0 {
        return None;
    }
    let mut part = Vec::new();
    for m in motions {
        let carried = m.moving.plus(&m.passing);
        let only = Direction::zero(l.n).with(l.x.s, l.x.s.of(&carried.dx));
        part.push(probe.slope(&m.at, &only)?.value[of]);
    }
    part_slip(c, Term::Contact, &part)
}

/// One position's contribution.
fn position_slip(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    of: usize,
    _row: usize,
) -> Option<Slip> {
    let l = probe.l;
    for k in 0..l.dims.np {
        let mut part = Vec::new();
        for m in motions {
            let mut along = Direction::zero(l.n);
            along.dx[l.x.p.start + k] = m.moving.dx[l.x.p.start + k];
            part.push(probe.slope(&m.at, &along)?.value[of]);
        }
        if let Some(slip) = part_slip(c, Term::Position(k), &part) {
            return Some(slip);
        }
    }
    None
}

/// Several rates that are wrong by what one component of f_kin would do.
fn blame_kinematics(probe: &mut Probe<'_>, motions: &[Motion], wrong: &mut [Finding]) {
    let l = probe.l;
    if wrong.len() < 2
        || wrong.iter().all(|f| f.slip.is_some_and(|s| matches!(s, Slip::Sign | Slip::Factor(_))))
    {
        return;
    }
    let rows: Vec<usize> = wrong.iter().map(|f| f.row.number - 1).collect();
    'component: for k in 0..l.dims.np {
        for m in motions {
            let mut unit = Direction::zero(l.n);
            unit.dx[l.x.p.start + k] = 1.0;
            let Some(column) = probe.slope(&m.at, &unit) else { return };
            let (mut num, mut den) = (0.0, 0.0);
            let deviation =
                |i: usize| m.at.rda[l.rda.g_velocity.start + i] - m.total.value[l.rda.g.start + i];
            for &i in &rows {
                let g = column.value[l.rda.g.start + i];
                (num, den) = (num + g * deviation(i), den + g * g);
            }
            let change = num / den;
            let fits = rows.iter().all(|&i| {
                let of = l.rda.g.start + i;
                let limit = EXPLAINED * (m.scale(of) + deviation(i).abs()) + 10.0 * m.error(of);
                (deviation(i) - column.value[of] * change).abs() <= limit
            });
            if !(den > 0.0 && fits) {
                continue 'component;
            }
        }
        wrong.iter_mut().for_each(|f| f.slip = Some(Slip::Kinematics(k)));
        return;
    }
}

/// Acceleration level: gII against the rate of gI, or where gI is wrong against the second rate of g; hI against that of h.
pub(super) fn acceleration_level(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    gi_wrong: &[usize],
) -> Vec<Finding> {
    let l = probe.l;
    let mut wrong = Vec::new();
    if motions.iter().any(|m| m.acceleration.is_none()) {
        return wrong;
    }
    let pairs = l.rda.g_acceleration.range().zip(l.rda.g_velocity.range());
    for (row, of) in pairs.chain(l.rda.h_acceleration.range().zip(l.rda.h.range())) {
        let c = Comparison::of(motions, row, of);
        let Some(k) = c.worst() else { continue };
        let number = row.wrapping_sub(l.rda.g_acceleration.start);
        if l.rda.g_acceleration.contains(row)
            && gi_wrong.contains(&number)
            && follows_g(probe, motions, &c, number)
        {
            continue;
        }
        let slip = explain_acceleration(probe, motions, &c, row, of);
        wrong.push(finding(probe, row, of, &c, k, slip, motions));
    }
    blame_mass(probe, motions, &mut wrong);
    wrong
}

/// gII is right although gI is not.
fn follows_g(probe: &mut Probe<'_>, motions: &[Motion], c: &Comparison, number: usize) -> bool {
    (0..motions.len()).all(|k| match second_rate_of_g(probe, &motions[k]) {
        Some(rate) => {
            let size = rate[number].abs() + c.scale[k];
            (c.given[k] - rate[number]).abs() <= 1e-4 * size + 10.0 * c.error[k]
        }
        None => true,
    })
}

fn explain_acceleration(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    row: usize,
    of: usize,
) -> Option<Slip> {
    let l = probe.l;
    if c.is_not_set() {
        return Some(Slip::NotSet);
    }
    match c.factor() {
        Some(f) if (f + 1.0).abs() < 1e-4 => return Some(Slip::Sign),
        Some(f) if (f.abs().log2().round() - f.abs().log2()).abs() < 1e-4 => return Some(Slip::Factor(f)),
        _ => {}
    }
    let moving = parts(motions, |m| m.by_p.value[of]);
    let time = parts(motions, |m| m.by_t.value[of]);
    let speeding = parts(motions, |m| m.by_v.value[of]);
    let present = |part: &[f64]| part.iter().zip(&c.scale).any(|(p, s)| p.abs() > 1e-5 * s);
    for (term, part) in [(Term::MovingMatrix, &moving), (Term::Time, &time), (Term::Acceleration, &speeding)]
    {
        if present(part) {
            if let Some(slip) = part_slip(c, term, part) {
                return Some(or_without_mass(probe, motions, c, of, slip));
            }
        }
    }
    if present(&time) {
        if let Some(slip) = time_slip(probe, motions, c, of, &time) {
            return Some(slip);
        }
    }
    let block = if l.rda.h.contains(of) { l.rda.h } else { l.rda.g_velocity };
    if let Some(slip) = other_row(probe, motions, c, block, of) {
        return Some(slip);
    }
    if let Some(slip) = force_slip(probe, motions, c, of) {
        return Some(slip);
    }
    if let Some(slip) = contact_slip(probe, motions, c, of) {
        return Some(slip);
    }
    for k in 0..l.dims.nv {
        let mut part = Vec::new();
        for m in motions {
            let mut along = Direction::zero(l.n);
            along.dx[l.x.v.start + k] = m.acceleration.as_ref()?[k];
            part.push(probe.slope(&m.at, &along)?.value[of]);
        }
        if let Some(slip) = part_slip(c, Term::AccelerationOf(k), &part) {
            return Some(slip);
        }
    }
    if let Some(slip) = position_slip(probe, motions, c, of, row) {
        return Some(slip);
    }
    if present(&time) && is_without_velocities(probe, motions, c, (row, of)) == Some(true) {
        return Some(Slip::Drive);
    }
    c.factor().map(Slip::Factor)
}

/// What is wrong in the row stays the same where all velocities are zero.
fn is_without_velocities(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    (row, of): (usize, usize),
) -> Option<bool> {
    let mut still = Vec::new();
    for m in motions {
        let mut at = m.at.clone();
        probe.l.x.v.of_mut(&mut at.x).fill(0.0);
        at.rda = probe.eom(at.t, &at.x)?;
        still.push(Motion::new(probe, at, None)?);
    }
    let wrong = parts(&still, |m| m.at.rda[row] - m.total.value[of]);
    Some(c.with_part(1.0, &wrong))
}

/// The partial derivatives by time, one by one: with v = 0 only the second one is left.
fn time_slip(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    of: usize,
    time: &[f64],
) -> Option<Slip> {
    let l = probe.l;
    let mut second = Vec::new();
    for m in motions {
        let mut still = m.at.clone();
        l.x.v.of_mut(&mut still.x).fill(0.0);
        second.push(probe.slope(&still, &m.passing)?.value[of]);
    }
    if let Some(slip) = part_slip(c, Term::SecondTime, &second) {
        return Some(slip);
    }
    let mixed: Vec<f64> = time.iter().zip(&second).map(|(t, s)| t - s).collect();
    if let Some(slip) = part_slip(c, Term::Mixed, &mixed) {
        return Some(slip);
    }
    let both: Vec<f64> = mixed.iter().map(|m| 2.0 * m).collect();
    if let Some(slip) = part_slip(c, Term::Mixed, &both) {
        return Some(slip);
    }
    let all: Vec<f64> = both.iter().zip(&second).map(|(b, s)| b + s).collect();
    c.with_part(-1.0, &all).then_some(Slip::Missing(Term::AllTime))
}
