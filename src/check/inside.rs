//! What is inside of gII and hI: the forces and the mass of the v' that they were written with.

use super::findings::{Finding, Slip, Term};
use super::motion::Motion;
use super::probe::{solve, Direction, Probe};
use super::rates::{part_slip, Comparison};

/// A factor of v' in all rows, or one that nothing else explains, may be another mass.
pub(super) fn blame_mass(probe: &mut Probe<'_>, motions: &[Motion], wrong: &mut [Finding]) {
    let unexplained = |f: &Finding| {
        matches!(
            f.slip,
            None | Some(Slip::FactorOf(Term::Acceleration | Term::AccelerationOf(_), _) | Slip::OtherMass)
        )
    };
    if !wrong.iter().any(unexplained) {
        return;
    }
    let Some(slip) = motions.last().and_then(|m| mass_slip(probe, m)) else { return };
    let certain = matches!(slip, Slip::MassFactor(_) | Slip::MassEntry(..));
    for f in wrong {
        let same = |k: f64| matches!(slip, Slip::MassFactor(mass) if (mass - k).abs() < 1e-4);
        if (certain && unexplained(f))
            || f.slip.is_none()
            || matches!(f.slip, Some(Slip::Factor(k)) if same(k))
        {
            f.slip = Some(slip);
        }
    }
}

/// Where masses are small f_dyn is small beside M⁻¹ f_dyn, and v' = f_dyn looks like v' = 0: the better fit counts.
pub(super) fn or_without_mass(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    of: usize,
    slip: Slip,
) -> Slip {
    if slip != Slip::Missing(Term::Acceleration) {
        return slip;
    }
    let l = probe.l;
    let (mut without, mut raw) = (Vec::new(), Vec::new());
    for (m, expected) in motions.iter().zip(&c.expected) {
        let along = Direction::zero(l.n).with(l.x.v, l.rda.f_dyn.of(&m.at.rda));
        let Some(slope) = probe.slope(&m.at, &along) else { return slip };
        without.push(expected - m.by_v.value[of]);
        raw.push(expected - m.by_v.value[of] + slope.value[of]);
    }
    let (missing, forgotten) = (c.misfit(&without), c.misfit(&raw));
    if forgotten < 0.1 * missing && missing > 1.0 {
        Slip::ForgottenInverseMass
    } else {
        slip
    }
}

/// v' from other forces, or without the mass.
pub(super) fn force_slip(
    probe: &mut Probe<'_>,
    motions: &[Motion],
    c: &Comparison,
    of: usize,
) -> Option<Slip> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let (mut raw, mut constraint) = (Vec::new(), Vec::new());
    for m in motions {
        let force = l.rda.f_dyn.of(&m.at.rda);
        let along = Direction::zero(l.n).with(l.x.v, force);
        raw.push(probe.slope(&m.at, &along)?.value[of] - m.by_v.value[of]);
        let mut free = m.at.x.clone();
        l.x.multipliers.of_mut(&mut free).fill(0.0);
        let applied = probe.eom(m.at.t, &free)?;
        let reaction: Vec<f64> =
            force.iter().zip(l.rda.f_dyn.of(&applied)).map(|(all, applied)| all - applied).collect();
        let along = Direction::zero(l.n).with(l.x.v, &solve(nv, &m.mass, &reaction)?);
        constraint.push(probe.slope(&m.at, &along)?.value[of]);
    }
    if c.with_part(1.0, &raw) {
        return Some(Slip::ForgottenInverseMass);
    }
    if let Some(slip) = part_slip(c, Term::ConstraintForces, &constraint) {
        return Some(slip);
    }
    let applied: Vec<f64> = motions.iter().zip(&constraint).map(|(m, r)| m.by_v.value[of] - r).collect();
    part_slip(c, Term::AppliedForces, &applied)
}

/// The response of gII and hI to the multipliers tells the mass that they use.
fn mass_slip(probe: &mut Probe<'_>, m: &Motion) -> Option<Slip> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let levels: Vec<(usize, usize)> = l
        .rda
        .g_acceleration
        .range()
        .zip(l.rda.g_velocity.range())
        .chain(l.rda.h_acceleration.range().zip(l.rda.h.range()))
        .collect();
    // C by differences in v, of which gI and h are affine functions.
    let mut c = vec![vec![0.0; nv]; levels.len()];
    for k in 0..nv {
        let mut unit = Direction::zero(l.n);
        unit.dx[l.x.v.start + k] = 1.0;
        let column = probe.slope(&m.at, &unit)?;
        levels.iter().zip(&mut c).for_each(|((_, of), c)| c[k] = column.value[*of]);
    }
    let product = |c: &[f64], a: &[f64]| c.iter().zip(a).map(|(c, a)| c * a).sum::<f64>();
    let (mut given, mut expected, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    for j in l.x.multipliers.range() {
        let mut unit = Direction::zero(l.n);
        unit.dx[j] = m.at.size[j];
        let slope = probe.slope(&m.at, &unit)?;
        let force = l.rda.f_dyn.of(&slope.value).to_vec();
        let a = solve(nv, &m.mass, &force)?;
        given.push(levels.iter().map(|(row, _)| slope.value[*row]).collect::<Vec<f64>>());
        expected.push(c.iter().map(|c| product(c, &a)).collect::<Vec<f64>>());
        forces.push(a);
    }
    let flat = |v: &[Vec<f64>]| v.iter().flatten().copied().collect::<Vec<f64>>();
    let (given, expected) = (flat(&given), flat(&expected));
    let size = super::probe::largest(&expected).max(super::probe::largest(&given));
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-5 * size);
    if near(&given, &expected) {
        return None;
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let factor = dot(&given, &expected) / dot(&expected, &expected);
    if near(&given, &expected.iter().map(|e| factor * e).collect::<Vec<f64>>()) {
        return Some(Slip::MassFactor(factor));
    }
    let difference: Vec<f64> = given.iter().zip(&expected).map(|(g, e)| g - e).collect();
    for k in 0..nv {
        // M with another entry k,k: the inverse changes by a multiple of a dyad (Sherman and Morrison).
        let unit: Vec<f64> = (0..nv).map(|i| f64::from(u8::from(i == k))).collect();
        let column = solve(nv, &m.mass, &unit)?;
        let dyad: Vec<f64> = forces
            .iter()
            .flat_map(|a| c.iter().map(|c| product(c, &column) * a[k]).collect::<Vec<_>>())
            .collect();
        let theta = dot(&difference, &dyad) / dot(&dyad, &dyad);
        let changed: Vec<f64> = expected.iter().zip(&dyad).map(|(e, d)| e + theta * d).collect();
        if theta.is_finite() && near(&given, &changed) {
            let change = -theta / (1.0 + theta * column[k]);
            return Some(Slip::MassEntry(k, m.mass[k * (nv + 1)] + change));
        }
    }
    Some(Slip::OtherMass)
}
