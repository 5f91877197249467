//! The multipliers enter f_dyn by -Zᵀ(Gᵀ, Hᵀ), with G from differences of g and H from differences of h. Friction, which depends
//! on multipliers and turns with the velocity, is averaged out over v and -v.

use super::findings::{Finding, Slip};
use super::motion::carry_contact;
use super::probe::{largest, Direction, Point, Probe};

/// Deviations below this part are no deviations.
const AGREE: f64 = 1e-6;

/// C = (G Z, H Z) and the derivative of f_dyn by the multipliers, both NC by NV, rows after each other.
pub(super) struct Coupling {
    pub c: Vec<Vec<f64>>,
    /// Minus the derivative of f_dyn.
    pub e: Vec<Vec<f64>>,
    /// G without Z, where NP = NV.
    plain: Option<Vec<Vec<f64>>>,
}

/// The direction in which p moves with velocities u.
pub(super) fn with_velocity(probe: &mut Probe<'_>, at: &Point, u: &[f64]) -> Option<Direction> {
    let l = probe.l;
    let mut x = at.x.clone();
    l.x.v.of_mut(&mut x).copy_from_slice(u);
    let rda = probe.eom(at.t, &x)?;
    let along = Direction::zero(l.n).with(l.x.p, l.rda.f_kin.of(&rda));
    carry_contact(probe, at, along)
}

/// C u: rates of g along p' = Z u, and of h with u.
pub(super) fn rates_with(probe: &mut Probe<'_>, at: &Point, u: &[f64]) -> Option<Vec<f64>> {
    let l = probe.l;
    let mut rates = Vec::new();
    if l.dims.nl > 0 {
        let along = with_velocity(probe, at, u)?;
        rates.extend_from_slice(l.rda.g.of(&probe.slope(at, &along)?.value));
    }
    if l.dims.nm > 0 {
        let along = Direction::zero(l.n).with(l.x.v, u);
        rates.extend_from_slice(l.rda.h.of(&probe.slope(at, &along)?.value));
    }
    Some(rates)
}

/// Derivative of f_dyn along multipliers, averaged over v and -v.
fn force_along(probe: &mut Probe<'_>, at: &Point, multipliers: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let l = probe.l;
    let along = Direction::zero(l.n).with(l.x.multipliers, multipliers);
    let there = probe.slope(at, &along)?;
    let mut back = at.clone();
    l.x.v.of_mut(&mut back.x).iter_mut().for_each(|v| *v = -*v);
    let back = probe.slope(&back, &along)?;
    let of = |s: &[f64]| l.rda.f_dyn.of(s).to_vec();
    let (a, b) = (of(&there.value), of(&back.value));
    let mean = a.iter().zip(&b).map(|(a, b)| 0.5 * (a + b)).collect();
    let error = of(&there.error).iter().zip(of(&back.error)).map(|(a, b)| a + b).collect();
    Some((mean, error))
}

/// Does a random combination agree?
pub(super) fn agree(probe: &mut Probe<'_>, at: &Point) -> Option<bool> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let u: Vec<f64> = (0..nv).map(|k| probe.random().signum() * at.size[l.x.v.start + k]).collect();
    let lambda: Vec<f64> = l.x.multipliers.range().map(|j| probe.random().signum() * at.size[j]).collect();
    let rates = rates_with(probe, at, &u)?;
    let (force, error) = force_along(probe, at, &lambda)?;
    let (mut sum, mut scale, mut noise) = (0.0, 0.0, 0.0);
    for ((f, u), e) in force.iter().zip(&u).zip(&error) {
        (sum, scale, noise) = (sum + f * u, scale + (f * u).abs(), noise + e * u.abs());
    }
    for (rate, lambda) in rates.iter().zip(&lambda) {
        (sum, scale) = (sum + rate * lambda, scale + (rate * lambda).abs());
    }
    Some(sum.abs() <= AGREE * scale + 10.0 * noise)
}

/// Both matrices in full.
pub(super) fn coupling(probe: &mut Probe<'_>, at: &Point) -> Option<Coupling> {
    let (l, nv) = (probe.l, probe.l.dims.nv);
    let nc = l.dims.nl + l.dims.nm;
    let square = l.dims.np == nv;
    let (mut c, mut e) = (vec![vec![0.0; nv]; nc], vec![vec![0.0; nv]; nc]);
    let mut plain = square.then(|| vec![vec![0.0; nv]; nc]);
    for k in 0..nv {
        let unit: Vec<f64> = (0..nv).map(|i| f64::from(u8::from(i == k))).collect();
        let column = rates_with(probe, at, &unit)?;
        c.iter_mut().zip(&column).for_each(|(c, v)| c[k] = *v);
        if let Some(plain) = &mut plain {
            let along = Direction::zero(l.n).with(l.x.p, &unit);
            let along = carry_contact(probe, at, along)?;
            let g = probe.slope(at, &along)?;
            for (row, value) in plain.iter_mut().zip(l.rda.g.of(&g.value)) {
                row[k] = *value;
            }
            (l.dims.nl..nc).for_each(|j| plain[j][k] = column[j]);
        }
    }
    for (j, row) in e.iter_mut().enumerate() {
        let mut unit = vec![0.0; nc];
        unit[j] = at.size[l.x.multipliers.start + j];
        let (force, _) = force_along(probe, at, &unit)?;
        row.iter_mut().zip(&force).for_each(|(e, f)| *e = -f / unit[j]);
    }
    Some(Coupling { c, e, plain })
}

impl Coupling {
    /// What has to be added to f_dyn so that the multipliers enter as they should.
    pub fn correction(&self, multipliers: &[f64]) -> Vec<f64> {
        let nv = self.c.first().map_or(0, Vec::len);
        let part = |k: usize| {
            multipliers.iter().enumerate().map(|(j, lambda)| (self.e[j][k] - self.c[j][k]) * lambda).sum()
        };
        (0..nv).map(part).collect()
    }

    fn wrong(&self) -> Vec<(usize, usize)> {
        let mut wrong = Vec::new();
        for (j, (c, e)) in self.c.iter().zip(&self.e).enumerate() {
            let size = largest(c).max(largest(e));
            wrong.extend((0..c.len()).filter(|&k| (c[k] - e[k]).abs() > 1e-5 * size).map(|k| (k, j)));
        }
        wrong
    }

    /// The findings at this point: a slip of the whole matrix, of a column, or of entries.
    pub fn findings(&self, probe: &Probe<'_>, at: &Point) -> Vec<Finding> {
        let l = probe.l;
        let wrong = self.wrong();
        let finding = |k: usize, j: usize, slip| {
            let (row, by) = (l.residual_name(l.rda.f_dyn.start + k), l.state_name(l.x.multipliers.start + j));
            Finding {
                row,
                what: format!("d {row}/d {by} against -Z^T (G^T, H^T)"),
                given: -self.e[j][k],
                expected: -self.c[j][k],
                slip,
                t: at.t,
            }
        };
        let size = |j: usize| largest(&self.c[j]).max(largest(&self.e[j]));
        let is = |j: usize, factor: f64| {
            let (c, e) = (&self.c[j], &self.e[j]);
            c.iter().zip(e).all(|(c, e)| (factor * c - e).abs() <= 1e-5 * size(j))
        };
        if let Some(plain) = &self.plain {
            let same =
                |j: usize| plain[j].iter().zip(&self.e[j]).all(|(p, e)| (p - e).abs() <= 1e-5 * size(j));
            if !wrong.is_empty() && (0..self.c.len()).all(same) {
                return vec![finding(wrong[0].0, wrong[0].1, Some(Slip::ForgottenZTransposed))];
            }
        }
        let nc = self.c.len();
        if wrong.len() > 1 && nc > 1 && self.c.iter().all(|c| c.len() == nc) {
            let transposed =
                (0..nc).all(|j| (0..nc).all(|k| (self.c[k][j] - self.e[j][k]).abs() <= 1e-5 * size(j)));
            if transposed {
                return vec![finding(wrong[0].0, wrong[0].1, Some(Slip::Transposed))];
            }
        }
        let mut found = Vec::new();
        for j in 0..self.c.len() {
            let rows: Vec<usize> = wrong.iter().filter(|w| w.1 == j).map(|w| w.0).collect();
            let Some(&first) = rows.first() else { continue };
            let (c, e) = (&self.c[j], &self.e[j]);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let factor = dot(c, e) / dot(c, c);
            let column = |f: f64| c.iter().filter(|c| c.abs() > 1e-5 * size(j)).count() > 1 && is(j, f);
            if factor.is_finite() && factor.abs() > 1e-5 && column(factor) {
                let slip = if (factor + 1.0).abs() < 1e-4 { Slip::Sign } else { Slip::Factor(factor) };
                found.push(finding(first, j, Some(slip)));
                continue;
            }
            for k in rows {
                let entry = |factor: f64| (e[k] - factor * c[k]).abs() <= 1e-5 * size(j);
                let slip = if entry(0.0) {
                    Some(Slip::MultiplierMissing)
                } else if entry(-1.0) {
                    Some(Slip::Sign)
                } else if c[k].abs() > 1e-5 * size(j) {
                    Some(Slip::Factor(e[k] / c[k]))
                } else {
                    None
                };
                found.push(finding(k, j, slip));
            }
        }
        found
    }
}
