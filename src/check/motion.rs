//! How a model moves at a point, as its own equations say: p' = f_kin, s' from c, v' = M⁻¹ f_dyn, and the rates of all rows
//! along each part of it. The point need not satisfy the constraints.

use super::probe::{solve, Direction, Point, Probe, Slope};

/// A point with its motion.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub at: Point,
    pub mass: Vec<f64>,
    /// M⁻¹ f_dyn; nothing if M is singular.
    pub acceleration: Option<Vec<f64>>,
    /// p' = f_kin, and s with it.
    pub moving: Direction,
    /// t' = 1, and s with it.
    pub passing: Direction,
    pub by_p: Slope,
    pub by_t: Slope,
    pub by_v: Slope,
    /// The same motion with random signs: what cancels in the others.
    pub shuffled: Slope,
    pub total: Slope,
}

/// What is added to f_dyn before the acceleration is computed: constraint forces that belong there and are missing.
pub(super) type Correction<'a> = Option<&'a [f64]>;

impl Motion {
    /// The motion at a point.
    pub fn new(probe: &mut Probe<'_>, at: Point, correction: Correction<'_>) -> Option<Self> {
        let l = probe.l;
        let mass = probe.mass(at.t, &at.x)?;
        let mut force = l.rda.f_dyn.of(&at.rda).to_vec();
        if let Some(more) = correction {
            force.iter_mut().zip(more).for_each(|(f, c)| *f += c);
        }
        let acceleration = solve(l.dims.nv, &mass, &force);
        let (moving, passing) = contact_rates(probe, &at)?;
        let speeding = match &acceleration {
            Some(a) => Direction::zero(l.n).with(l.x.v, a),
            None => Direction::zero(l.n),
        };
        let by_p = probe.slope(&at, &moving)?;
        let by_t = probe.slope(&at, &passing)?;
        let by_v = probe.slope(&at, &speeding)?;
        let total = by_p.plus(&by_t).plus(&by_v);
        let mut signs = moving.plus(&speeding);
        signs.dx.iter_mut().for_each(|d| *d *= probe.random().signum());
        let shuffled = probe.slope(&at, &signs)?;
        Some(Motion { at, mass, acceleration, moving, passing, by_p, by_t, by_v, shuffled, total })
    }

    /// Sizes of what a rate of this row is the sum of.
    pub fn scale(&self, row: usize) -> f64 {
        let parts = [&self.by_p, &self.by_t, &self.by_v, &self.shuffled, &self.total];
        parts.iter().map(|s| s.value[row].abs()).sum()
    }

    /// How wrong the rate of this row may be.
    pub fn error(&self, row: usize) -> f64 {
        self.total.error[row]
    }
}

/// The directions of p' = f_kin and of t' = 1, s so that c stays as it is.
fn contact_rates(probe: &mut Probe<'_>, at: &Point) -> Option<(Direction, Direction)> {
    let l = probe.l;
    let moving = Direction { within: at.time, ..Direction::zero(l.n) }.with(l.x.p, l.rda.f_kin.of(&at.rda));
    let passing = Direction { dt: 1.0, ..Direction::zero(l.n) };
    Some((carry_contact(probe, at, moving)?, carry_contact(probe, at, passing)?))
}

/// The direction with s' = -c_s⁻¹ c', so that c stays as it is.
pub(super) fn carry_contact(probe: &mut Probe<'_>, at: &Point, along: Direction) -> Option<Direction> {
    let (l, ns) = (probe.l, probe.l.dims.ns);
    if ns == 0 {
        return Some(along);
    }
    let rate = probe.slope(at, &along)?;
    let mut matrix = vec![0.0; ns * ns];
    for k in 0..ns {
        let mut unit = Direction::zero(l.n);
        unit.dx[l.x.s.start + k] = 1.0;
        let column = probe.slope(at, &unit)?;
        matrix[k * ns..(k + 1) * ns].copy_from_slice(l.rda.c.of(&column.value));
    }
    let opposite: Vec<f64> = l.rda.c.of(&rate.value).iter().map(|c| -c).collect();
    let s = solve(ns, &matrix, &opposite)?;
    Some(along.with(l.x.s, &s))
}

/// The rate of g along p' = f_kin and t' = 1 at a point near `at`, with its sizes.
fn rate_of_g(probe: &mut Probe<'_>, at: &Point, t: f64, x: &[f64]) -> Option<Vec<f64>> {
    let rda = probe.eom(t, x)?;
    let here = Point { t, x: x.to_vec(), rda, ..at.clone() };
    let (moving, passing) = contact_rates(probe, &here)?;
    let slope = probe.slope(&here, &moving.plus(&passing))?;
    Some(probe.l.rda.g.of(&slope.value).to_vec())
}

/// The second rate of g along the motion, for rows whose gI cannot be relied on.
pub(super) fn second_rate_of_g(probe: &mut Probe<'_>, motion: &Motion) -> Option<Vec<f64>> {
    let l = probe.l;
    let along = match &motion.acceleration {
        Some(a) => motion.moving.plus(&motion.passing).with(l.x.v, a),
        None => return None,
    };
    let at = &motion.at;
    let span = |(d, s): (&f64, &f64)| if *d == 0.0 { f64::INFINITY } else { s / d.abs() };
    let span = along.dx.iter().zip(&at.size).map(span).fold(at.time, f64::min);
    let mut quotients = Vec::new();
    for width in [span / 64.0, span / 256.0] {
        let mut ends = Vec::new();
        for sign in [1.0, -1.0] {
            let step = at.t + sign * width - at.t;
            let x: Vec<f64> = at.x.iter().zip(&along.dx).map(|(x, d)| x + step * d).collect();
            ends.push((step, rate_of_g(probe, at, at.t + step, &x)?));
        }
        let (up, down) = (&ends[0], &ends[1]);
        let w = up.0 - down.0;
        quotients.push(up.1.iter().zip(&down.1).map(|(u, d)| (u - d) / w).collect::<Vec<f64>>());
    }
    Some(quotients[1].iter().zip(&quotients[0]).map(|(fine, coarse)| fine + (fine - coarse) / 15.0).collect())
}
