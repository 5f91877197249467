//! PARTS against EOM, MAS and derivatives of EOM, each with what rounding and the difference itself may be wrong by: nothing below it
//! is called wrong. What counts as small is said by the terms of a row, not by its unit.

use super::jacobian::{refused_at, DIFFERENCE_ERROR};
use super::probe::{largest, Direction, Point, Probe, Slope};
use super::{evaluable, first_point, MOVED};
use crate::error::{Code, Failure, Result};
use crate::layout::Layout;
use crate::model::parts::{Ask, Room};
use crate::model::{self, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::system::{Outcome, Parts, System};
use std::fmt;

/// A wrong number of PARTS ([`System::parts`]), or of what to supply them says.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsMismatch {
    /// Which one: a row of RDA, an entry of M or of C, or a derivative.
    pub what: String,
    /// What PARTS deliver or imply.
    pub given: f64,
    /// What EOM, MAS or a difference of EOM delivers.
    pub expected: f64,
}

impl fmt::Display for PartsMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartsMismatch { what, given, expected } = self;
        write!(f, "PARTS: {what} = {expected:.6e}, PARTS give {given:.6e}")
    }
}

/// Two ways to compute the same number may differ by this part of what it is the sum of.
const SAME: f64 = 1e-10;
/// And by this part of the largest of its kind, where terms cancel.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Rounding errors are seen in a few samples, derivatives with an estimate of their error.
const SAFETY: f64 = 10.0;

/// Compare PARTS with EOM, MAS and derivatives of EOM at (t, x), and p' = v and -Cᵀ as the derivative of f_dyn by the
/// multipliers with EOM; `None` if there are none, or none are asked for with these dimensions.
pub fn check_parts(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<Option<Vec<PartsMismatch>>> {
    let l = Layout::new(system.dimensions(), system.form());
    if !Parts::suit(&l.dims) || system.parts(t, x, Parts::default()).is_none() {
        return Ok(None);
    }
    evaluable(system, &l, t, x)?;
    let typical = Scaling::new(tolerance, l.n).typical;
    let mut probe = Probe::new(system, t);
    match first_point(&mut probe, (t, x), &typical) {
        Some(at) => compare(&mut probe, &at, &typical),
        None => Err(unanswered(&mut probe, t)),
    }
}

fn unanswered(probe: &mut Probe<'_>, t: f64) -> Failure {
    probe.stopped.take().unwrap_or_else(|| refused_at(Trouble::Retry { code: Code::StoppedByParts }, t))
}

/// The same at a point of a check.
pub(super) fn compare(
    probe: &mut Probe<'_>,
    at: &Point,
    typical: &[f64],
) -> Result<Option<Vec<PartsMismatch>>> {
    let (l, t) = (probe.l, at.t);
    if !Parts::suit(&l.dims) || probe.system.parts(t, &at.x, Parts::default()).is_none() {
        return Ok(None);
    }
    let mut parts = Room::new(&l);
    let outcome = parts.ask(probe.system, t, &at.x, Ask::All).unwrap_or(Outcome::Stop);
    model::check(outcome, Code::StoppedByParts, || parts.is_finite(Ask::All))
        .map_err(|trouble| refused_at(trouble, t))?;
    let mass = probe.mass(t, &at.x);
    let free = l.x.multipliers.of(&at.x).iter().all(|m| *m == 0.0).then(|| at.clone()).or_else(|| {
        let mut x = at.x.clone();
        l.x.multipliers.of_mut(&mut x).fill(0.0);
        probe.point(t, &x, typical)
    });
    let found = free.and_then(|free| {
        let expected = Expected::new(probe, at, free, mass?)?;
        Some(expected.compare(&l, &parts))
    });
    found.map(Some).ok_or_else(|| unanswered(probe, t))
}

/// What PARTS should be, and how well that is known.
struct Expected {
    /// With λ = μ = 0.
    free: Point,
    /// What counts as large in a row.
    scale: Vec<f64>,
    mass: Vec<f64>,
    /// Rates of the rows by each velocity: the columns of C.
    by_velocity: Vec<Slope>,
    /// Rates by each multiplier, which friction in them makes another at λ = μ = 0.
    by_multiplier: Vec<Slope>,
    /// Rates along the motion, and what they are the sum of.
    rate: Slope,
    rate_size: Vec<f64>,
}

impl Expected {
    fn new(probe: &mut Probe<'_>, at: &Point, free: Point, mass: Vec<f64>) -> Option<Self> {
        let l = probe.l;
        // Residuals are small on the constraints, and velocities at rest.
        let mut x = free.x.clone();
        for i in l.x.p.range() {
            x[i] += MOVED * free.size[i] * probe.random();
        }
        for i in l.x.v.range() {
            x[i] += free.size[i] * probe.random();
        }
        let moved = probe.eom(free.t, &x);
        let moved = moved.as_ref().unwrap_or(&free.rda);
        let scale = free.rda.iter().zip(moved).map(|(a, b)| a.abs().max(b.abs())).collect();
        let unit = |i: usize| {
            let mut along = Direction::zero(l.n);
            along.dx[i] = 1.0;
            along
        };
        let by_velocity: Option<Vec<Slope>> = l.x.v.range().map(|i| probe.slope(&free, &unit(i))).collect();
        let by_multiplier: Option<Vec<Slope>> =
            l.x.multipliers.range().map(|i| probe.slope(at, &unit(i))).collect();
        let moving = Direction { within: free.time, ..Direction::zero(l.n) };
        let mut moving = moving.with(l.x.p, l.rda.f_kin.of(&free.rda));
        let by_p = probe.slope(&free, &moving)?;
        let by_t = probe.slope(&free, &Direction { dt: 1.0, ..Direction::zero(l.n) })?;
        // With random signs: what cancels in the other.
        moving.dx.iter_mut().for_each(|d| *d *= probe.random().signum());
        let shuffled = probe.slope(&free, &moving)?;
        let terms = by_p.value.iter().zip(&by_t.value).zip(&shuffled.value);
        let rate_size = terms.map(|((p, t), s)| p.abs() + t.abs() + s.abs()).collect();
        let rate = by_p.plus(&by_t);
        let (by_velocity, by_multiplier) = (by_velocity?, by_multiplier?);
        Some(Expected { free, scale, mass, by_velocity, by_multiplier, rate, rate_size })
    }

    /// Rows of EOM; `start` is the first.
    fn rows(&self, l: &Layout, given: &[f64], start: usize, found: &mut Found) {
        let block = ROUNDING * largest(&self.scale[start..start + given.len()]);
        for (row, &given) in (start..).zip(given) {
            let limit = SAME * self.scale[row] + block + SAFETY * SAFETY * self.free.noise[row];
            found.differs(|| l.residual_name(row).to_string(), given, self.free.rda[row], limit);
        }
    }

    fn compare(&self, l: &Layout, parts: &Room) -> Vec<PartsMismatch> {
        let (nv, nc, first) = (l.dims.nv, l.dims.nl + l.dims.nm, l.rda.g_velocity.start);
        let mut found = Found(Vec::new());
        self.rows(l, &parts.force, l.rda.f_dyn.start, &mut found);
        for (k, (&given, &expected)) in parts.mass.iter().zip(&self.mass).enumerate() {
            let (i, j) = (k % nv, k / nv);
            // What an entry of a positive matrix may be as large as.
            let unit = (self.mass[i + i * nv] * self.mass[j + j * nv]).abs().sqrt();
            let what = || format!("M({},{})", i + 1, j + 1);
            found.differs(what, given, expected, SAME * unit.max(expected.abs()));
        }
        let c = |i: usize, j: usize| {
            let column = &self.by_velocity[j];
            (column.value[first + i], column.error[first + i])
        };
        // The largest term of C v.
        let sizes = l.x.v.of(&self.free.size);
        let term = |i: usize| (0..nv).fold(0.0f64, |m, j| m.max((c(i, j).0 * sizes[j]).abs()));
        let terms: Vec<f64> = (0..nc).map(term).collect();
        let limit = |i: usize, j: usize, expected: f64, error: f64| {
            let noise = SAME * terms[i] / sizes[j].max(f64::MIN_POSITIVE);
            DIFFERENCE_ERROR * expected.abs() + SAFETY * error + noise
        };
        let derivative =
            |row: usize, column: usize| format!("d {}/d {}", l.residual_name(row), l.state_name(column));
        for (k, &given) in parts.constraint.iter().enumerate() {
            let (i, j) = (k % nc, k / nc);
            let (expected, error) = c(i, j);
            let what = || format!("C({},{}) = {}", i + 1, j + 1, derivative(first + i, l.x.v.start + j));
            found.differs(what, given, expected, limit(i, j, expected, error));
        }
        for (i, &given) in parts.at_rest.iter().enumerate() {
            let row = first + i;
            let size = DIFFERENCE_ERROR * self.rate_size[row] + SAME * self.scale[row] / self.free.time;
            let what = || format!("gamma({}), the rate of {}", i + 1, l.residual_name(row));
            found.differs(what, given, self.rate.value[row], size + SAFETY * self.rate.error[row]);
        }
        self.rows(l, &parts.velocity, first, &mut found);
        self.rows(l, &parts.position, l.rda.g.start, &mut found);
        self.rows(l, l.x.v.of(&self.free.x), l.rda.f_kin.start, &mut found);
        for k in 0..nc * nv {
            let (i, j) = (k % nc, k / nc);
            let row = l.rda.f_dyn.start + j;
            let (column, (entry, error)) = (&self.by_multiplier[i], c(i, j));
            let what = || derivative(row, l.x.multipliers.start + i);
            let limit = limit(i, j, column.value[row], error + column.error[row]);
            found.differs(what, -entry, column.value[row], limit);
        }
        found.0
    }
}

struct Found(Vec<PartsMismatch>);

impl Found {
    fn differs(&mut self, what: impl Fn() -> String, given: f64, expected: f64, limit: f64) {
        if (given - expected).abs() > limit {
            self.0.push(PartsMismatch { what: what(), given, expected });
        }
    }
}
