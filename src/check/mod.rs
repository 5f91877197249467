//! Checks of a model by experiments on its own equations: no Jacobian is needed, and no solution.
//!
//! A user writes g, then gI, gII, f_dyn, f_kin and M by hand, and any slip between them ends in a motion that
//! satisfies every equation written down and is wrong. But these rows repeat each other: gI is the rate of g along p' = f_kin,
//! gII that of gI along v' = M⁻¹ f_dyn, whatever the point, also off the constraints; the multipliers enter f_dyn by the derivatives of
//! g and h. [`check_model`] compares them at the given point and at random moving ones, and tries to explain what differs.
//!
//! | file | experiment |
//! | --- | --- |
//! | `probe` | derivatives along a direction with an estimate of their error |
//! | `points`, `motion` | where to look, and how the model moves there |
//! | `rates` | g → gI → gII, h → hI, and the slips of a differentiation by hand |
//! | `inside` | which forces and which mass gII and hI were written with |
//! | `forces` | ∂f_dyn/∂(λ, μ) = -Zᵀ(Gᵀ, Hᵀ) |
//! | `structure` | what rows may depend on; f_kin linear in v |
//! | `mass` | symmetric, positive, as MASSTRCT says |
//! | `singular` | gII and hI where M is singular |
//! | `invariants` | e constant along the motion |
//! | `derivatives`, `jacobian`, `parts` | JAC, PARTS, patterns |
//! | `findings` | what is reported |
//! | `quick` | the few evaluations of it that a run can afford |
//! | `agreement` | whether PARTS may be used |
//! | `watch` | when a run does |
//! | `explain` | a failed run: what the checks say about it |

mod agreement;
mod derivatives;
mod explain;
mod findings;
mod forces;
mod inside;
mod invariants;
mod jacobian;
mod mass;
mod motion;
mod parts;
mod points;
mod probe;
mod quick;
mod rates;
mod singular;
mod structure;
mod supplied;
mod watch;

pub(crate) use agreement::parts_agree;
pub use explain::{explain, tailored};
pub use findings::{Finding, Report, Slip, Term};
pub(crate) use jacobian::evaluate;
pub use jacobian::{check_jacobian, JacobianReport, Mismatch, Suspicion};
pub use parts::{check_parts, PartsMismatch};
pub(crate) use watch::Run;
pub use watch::Watching;

use crate::error::Failure;
use crate::layout::Layout;
use crate::model::Trouble;
use crate::norm::{Scaling, Tolerance};
use crate::options::Options;
use crate::system::System;
use jacobian::refused_at;
use motion::Motion;
use probe::{Point, Probe};

/// Random points beside the given one.
const POINTS: usize = 3;
/// A point off the constraints: p changed by this part of its size. On them, and where angles are zero, slips do not show.
const MOVED: f64 = 1e-3;

/// Compare the rows of a model with each other at (t, x) and at moving points near it. `options` says what is known of
/// the mass matrix. An error if the model cannot be evaluated at (t, x).
pub fn check_model(
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<Report, Failure> {
    let l = Layout::new(system.dimensions(), system.form());
    evaluable(system, &l, t, x)?;
    let mut probe = Probe::new(system, t);
    let typical = Scaling::new(tolerance, l.n).typical;
    let mut points = Vec::new();
    if let Some(given) = first_point(&mut probe, (t, x), &typical) {
        for _ in 0..POINTS {
            points.extend(points::near(&mut probe, &given, &typical));
        }
        points.insert(0, given);
    }
    let findings = experiments(&mut probe, options, tolerance, &points, &typical)?;
    match probe.stopped.take() {
        Some(failure) if findings.is_empty() => Err(failure),
        _ => Ok(Report { findings, evaluations: probe.calls, points: points.len() }),
    }
}

/// The point in question, with sizes that know how fast the model is.
fn first_point(probe: &mut Probe<'_>, (t, x): (f64, &[f64]), typical: &[f64]) -> Option<Point> {
    let given = probe.point(t, x, typical)?;
    probe.speed = points::typical_speed(probe, &given);
    probe.point(t, x, typical)
}

/// An error that names the row, if the model cannot be evaluated at the point in question.
fn evaluable(system: &mut dyn System, l: &Layout, t: f64, x: &[f64]) -> Result<(), Failure> {
    let mut rda = vec![0.0; l.m];
    match crate::model::eom(system, crate::error::Code::StoppedByEom, t, x, &mut rda) {
        Ok(()) => Ok(()),
        Err(trouble @ Trouble::NotFinite { .. }) => {
            let mut failure = refused_at(trouble, t);
            if let Some((row, value)) = l.first_not_finite(&rda) {
                failure.detail = format!("{row} = {value} at the point of the check");
                failure.component = Some(row);
            }
            Err(failure)
        }
        Err(trouble) => Err(refused_at(trouble, t)),
    }
}

fn experiments(
    probe: &mut Probe<'_>,
    options: &Options,
    tolerance: &Tolerance,
    points: &[Point],
    typical: &[f64],
) -> Result<Vec<Finding>, Failure> {
    let l = probe.l;
    let mut found = Vec::new();
    let at: Vec<&Point> = points.iter().collect();
    for point in points {
        merge(&mut found, structure::dependences(probe, point));
        merge(&mut found, structure::linearity(probe, point));
    }
    if !found.is_empty() {
        // Nothing that is built on these rows would mean anything.
        return Ok(found);
    }
    found.extend(structure::already_conserved(probe, &at));
    let mut motions: Vec<Motion> =
        points.iter().filter_map(|point| Motion::new(probe, point.clone(), None)).collect();
    found.extend(mass::findings(probe, &motions, options.mass));
    let rates = rates::velocity_level(probe, &motions);
    let mut forces = force_findings(probe, points);
    let wrong: Vec<usize> = rates.iter().map(|f| f.row.number - 1).collect();
    let mut accelerations = acceleration_findings(probe, &motions, &wrong);
    if !forces.is_empty() && !accelerations.is_empty() {
        // gII may be right, and only f_dyn wrong: with the forces that belong there it fits.
        if let Some(corrected) = corrected(probe, points) {
            let again = acceleration_findings(probe, &corrected, &wrong);
            if again.len() <= accelerations.len() {
                (accelerations, motions) = (again, corrected);
            }
        }
    }
    let rates = blame(probe, rates, &mut forces, &accelerations);
    found.extend(rates);
    found.extend(forces);
    let broken_mass = found.iter().any(|f| f.row.block == "M");
    if !broken_mass || accelerations.iter().any(|f| !about_mass(f)) {
        found.extend(accelerations.into_iter().filter(|f| !(broken_mass && about_mass(f))));
    }
    if found.is_empty() {
        found.extend(invariants::findings(probe, options, &at, typical));
    }
    for point in points.iter().take(2) {
        merge(&mut found, derivatives::jacobian(probe, tolerance, point)?);
        merge(&mut found, derivatives::parts(probe, point, typical)?);
    }
    if let Some(m) = motions.first() {
        found.extend(derivatives::patterns(probe, &m.at, &m.mass));
    }
    debug_assert!(found.iter().all(|f| f.given.is_finite()), "{l:?}");
    Ok(found)
}

fn about_mass(finding: &Finding) -> bool {
    matches!(finding.slip, Some(Slip::MassFactor(_) | Slip::MassEntry(..) | Slip::OtherMass) | None)
}

/// Add findings about rows that have none.
fn merge(found: &mut Vec<Finding>, more: Vec<Finding>) {
    for finding in more {
        if !found.iter().any(|f| f.row == finding.row && f.what == finding.what) {
            found.push(finding);
        }
    }
}

fn acceleration_findings(probe: &mut Probe<'_>, motions: &[Motion], wrong: &[usize]) -> Vec<Finding> {
    if motions.iter().all(|m| m.acceleration.is_some()) {
        rates::acceleration_level(probe, motions, wrong)
    } else {
        singular::findings(probe, motions)
    }
}

fn force_findings(probe: &mut Probe<'_>, points: &[Point]) -> Vec<Finding> {
    if probe.l.x.multipliers.is_empty() {
        return Vec::new();
    }
    let Some(at) = points.iter().rev().find(|at| forces::agree(probe, at) == Some(false)) else {
        return Vec::new();
    };
    forces::coupling(probe, at).map_or_else(Vec::new, |both| both.findings(probe, at))
}

/// The motions with the constraint forces that belong into f_dyn.
fn corrected(probe: &mut Probe<'_>, points: &[Point]) -> Option<Vec<Motion>> {
    let l = probe.l;
    let mut motions = Vec::new();
    for at in points {
        let both = forces::coupling(probe, at)?;
        let correction = both.correction(l.x.multipliers.of(&at.x));
        motions.push(Motion::new(probe, at.clone(), Some(&correction))?);
    }
    Some(motions)
}

/// Where gI does not fit g, but gII and the constraint forces fit gI, it is g that is wrong.
fn blame(
    probe: &mut Probe<'_>,
    rates: Vec<Finding>,
    forces: &mut Vec<Finding>,
    accelerations: &[Finding],
) -> Vec<Finding> {
    let l = probe.l;
    let named =
        |f: &Finding, j: usize| f.what.contains(&format!("/d {} ", l.state_name(l.x.lambda.start + j)));
    let mut out = Vec::new();
    for mut f in rates {
        let j = f.row.number - 1;
        let column = forces.iter().any(|force| named(force, j));
        let above = accelerations.iter().any(|a| a.row.block == "gII" && a.row.number == f.row.number);
        if column && !above && l.rda.g_acceleration.len() == l.dims.nl {
            forces.retain(|force| !named(force, j));
            f.row = l.residual_name(l.rda.g.start + j);
            f.what = format!("rate of {} against gI({})", f.row, j + 1);
            std::mem::swap(&mut f.given, &mut f.expected);
            f.slip = Some(Slip::PositionLevel);
        }
        out.push(f);
    }
    out
}

/// The time in which a rate covers a way, infinite at rest. Compilers divide before they ask: the divisor is never zero, for programs
/// with traps on.
fn time_to(way: f64, rate: f64) -> f64 {
    let rate = rate.abs();
    if rate == 0.0 {
        f64::INFINITY
    } else {
        way / rate.max(f64::MIN_POSITIVE)
    }
}
