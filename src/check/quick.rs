//! The few evaluations that a run can afford: gI, gII and hI against differences along the motion, the constraint forces in a random
//! combination, the mass matrix. They only raise a suspicion; [`super::check_model`] decides. Nothing is allocated.

use super::findings::Finding;
use super::mass::shape;
use super::probe::{largest, solve};
use super::supplied::{Answer, Supplied};
use super::{time_to, MOVED};
use crate::error::Code;
use crate::layout::Layout;
use crate::linalg::cholesky::Cholesky;
use crate::model::all_finite;
use crate::model::parts::Ask;
use crate::norm::Scaling;
use crate::options::Options;
use crate::system::{Outcome, System};

/// Width of a difference, relative to the size of the variables: near the cube root of the rounding unit.
const WIDTH: f64 = 1.0 / 65536.0;
/// What is suspicious, relative to what a row is the sum of.
const SUSPICIOUS: f64 = 1e-6;
const SEED: u64 = 0x2545_F491_4F6C_DD1D;
/// What rounding may do to a row, relative to what it is the sum of.
const ROUNDING: f64 = 256.0 * f64::EPSILON;
/// Initial values that are taken as consistent are wrong if they are off by so many tolerances.
const INCONSISTENT: f64 = 30.0;

/// What a quick look suspects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suspicion {
    /// gI is not the rate of g.
    Velocity,
    /// gII or hI is not the rate of gI or h.
    Acceleration,
    /// The multipliers do not enter f_dyn as they should.
    Forces,
    /// The mass matrix is not positive, or singular.
    Mass,
    /// PARTS are not those of EOM and MAS.
    Parts,
}

/// Number of kinds of suspicions.
pub(crate) const KINDS: usize = 5;

/// What a quick look saw.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub suspicions: [bool; KINDS],
    /// Certain without further evaluations.
    pub certain: Option<Finding>,
    pub calls: u64,
    /// Which function of the model asked to stop.
    pub stopped: Option<Code>,
}

impl Look {
    fn suspect(&mut self, kind: Suspicion) {
        self.suspicions[kind as usize] = true;
    }

    fn is_clear(&self) -> bool {
        self.suspicions == [false; KINDS]
    }
}

/// What counts as large in a variable.
pub(super) fn take_sizes(l: &Layout, x: &[f64], typical: &[f64], into: &mut [f64]) {
    let b = l.x;
    for block in [b.w, b.lambda, b.mu, b.r, b.v, b.s, b.p] {
        let top = largest(block.of(x));
        for i in block.range() {
            let size = x[i].abs().max(0.1 * top);
            into[i] = if size > 0.0 { size } else { typical[i] };
        }
    }
}

/// Room for a quick look.
#[derive(Debug)]
pub(crate) struct Quick {
    l: Layout,
    seed: u64,
    /// The time of the look: a model that stops at another one is none that stops.
    now: f64,
    x: Vec<f64>,
    direction: Vec<f64>,
    size: Vec<f64>,
    mass: Vec<f64>,
    first_mass: Vec<f64>,
    cholesky: Cholesky,
    supplied: Option<Supplied>,
    acceleration: Vec<f64>,
    /// Σ |C| times the size of v, mixed over the multipliers.
    coupling: f64,
    /// Rows here, ahead, behind, with changed v, with changed multipliers, at v + τ a.
    rows: [Vec<f64>; 6],
}

const HERE: usize = 0;
const AHEAD: usize = 1;
const BEHIND: usize = 2;
const FASTER: usize = 3;
const LOADED: usize = 4;
const SPED: usize = 5;

impl Quick {
    pub fn new(l: &Layout) -> Self {
        let nv = l.dims.nv;
        Quick {
            l: *l,
            seed: SEED,
            now: 0.0,
            x: vec![0.0; l.n],
            direction: vec![0.0; l.n],
            size: vec![0.0; l.n],
            mass: vec![0.0; nv * nv],
            first_mass: Vec::with_capacity(nv * nv),
            cholesky: Cholesky::new(nv),
            supplied: Supplied::new(l),
            acceleration: vec![0.0; nv],
            coupling: 0.0,
            rows: std::array::from_fn(|_| vec![0.0; l.m]),
        }
    }

    /// A sign; the same ones in every run.
    fn sign(&mut self) -> f64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        if self.seed & 1 == 0 {
            1.0
        } else {
            -1.0
        }
    }

    fn eom(&mut self, system: &mut dyn System, t: f64, into: usize, look: &mut Look) -> Option<()> {
        look.calls += 1;
        match system.eom(t, &self.x, &mut self.rows[into]) {
            Outcome::Continue if all_finite(&self.rows[into]) => Some(()),
            Outcome::Stop if t == self.now => {
                look.stopped = Some(Code::StoppedByEom);
                None
            }
            _ => None,
        }
    }

    /// Look at an accepted point, or at the initial one (`first`). `h` bounds the time over which differences are taken, if
    /// it is positive.
    pub fn look(
        &mut self,
        system: &mut dyn System,
        options: &Options,
        scaling: &Scaling,
        (t, x, h): (f64, &[f64], f64),
        first: bool,
    ) -> Look {
        let mut look = Look::default();
        let _ = self.try_look(system, options, scaling, (t, x, h), first, &mut look);
        look
    }

    fn try_look(
        &mut self,
        system: &mut dyn System,
        options: &Options,
        scaling: &Scaling,
        (t, x, h): (f64, &[f64], f64),
        first: bool,
        look: &mut Look,
    ) -> Option<()> {
        // The same signs at every look, so that a resumed run looks as it would have.
        (self.seed, self.now) = (SEED, t);
        take_sizes(&self.l, x, &scaling.typical, &mut self.size);
        self.x.copy_from_slice(x);
        self.eom(system, t, HERE, look)?;
        let known = self.look_at_mass(system, options, (t, x), first, look)?;
        // At rest velocities are small against what the forces make of them.
        let speed = (largest(&self.acceleration) * largest(self.l.x.p.of(&self.size))).sqrt();
        if speed.is_finite() {
            self.l.x.v.of_mut(&mut self.size).iter_mut().for_each(|s| *s = s.max(0.1 * speed));
        }
        self.look_at_forces(system, (t, x), look)?;
        let supplied = Supplied::asked_by(options.method) && self.look_at_parts(system, (t, x), look)?;
        if first && options.consistent {
            self.look_at_start(system, scaling, (t, x), look)?;
        }
        self.look_at_rates(system, (t, x, h), (known, supplied), look)
    }

    /// Shape of M, and the acceleration; false if there is none.
    fn look_at_mass(
        &mut self,
        system: &mut dyn System,
        options: &Options,
        (t, x): (f64, &[f64]),
        first: bool,
        look: &mut Look,
    ) -> Option<bool> {
        let nv = self.l.dims.nv;
        if nv == 0 {
            return Some(true);
        }
        self.mass.fill(0.0);
        match system.mass(t, x, &mut self.mass) {
            Outcome::Continue if all_finite(&self.mass) => {}
            Outcome::Stop => {
                look.stopped = Some(Code::StoppedByMas);
                return None;
            }
            _ => return None,
        }
        look.certain = shape(nv, &self.mass, options.mass, t);
        if first {
            self.first_mass.clear();
            self.first_mass.extend_from_slice(&self.mass);
        } else if options.mass.is_constant() && self.first_mass.len() == self.mass.len() {
            let size = largest(&self.first_mass);
            let moved = self.mass.iter().zip(&self.first_mass).any(|(a, b)| (a - b).abs() > 1e-9 * size);
            if moved {
                look.suspect(Suspicion::Mass);
            }
        }
        self.acceleration.copy_from_slice(self.l.rda.f_dyn.of(&self.rows[HERE]));
        self.cholesky.matrix_mut().copy_from_slice(&self.mass);
        if self.cholesky.factor().is_ok() {
            self.cholesky.solve_lower(&mut self.acceleration);
            self.cholesky.solve_lower_transposed(&mut self.acceleration);
            return Some(true);
        }
        if first {
            look.suspect(Suspicion::Mass);
        }
        match solve(nv, &self.mass, &self.acceleration) {
            Some(a) => self.acceleration.copy_from_slice(&a),
            None => return Some(false),
        }
        Some(true)
    }

    /// uᵀ(f(λ + δ) - f(λ)) = -δᵀ((gI, h)(v + u) - (gI, h)(v)), for random u and δ.
    fn look_at_forces(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &[f64]),
        look: &mut Look,
    ) -> Option<()> {
        let l = self.l;
        if l.x.multipliers.is_empty() {
            return Some(());
        }
        for i in l.x.v.range() {
            self.x[i] = x[i] + self.sign() * self.size[i];
        }
        self.eom(system, t, FASTER, look)?;
        let (mut sum, mut scale) = (0.0, 0.0);
        self.direction.copy_from_slice(x);
        for i in l.x.v.range() {
            self.direction[i] = self.x[i] - x[i];
        }
        self.x.copy_from_slice(x);
        for i in l.x.multipliers.range() {
            self.x[i] = x[i] + self.sign() * self.size[i];
        }
        self.eom(system, t, LOADED, look)?;
        let (here, faster, loaded) = (&self.rows[HERE], &self.rows[FASTER], &self.rows[LOADED]);
        for (row, i) in l.rda.f_dyn.range().zip(l.x.v.range()) {
            let part = self.direction[i] * (loaded[row] - here[row]);
            let rounding = f64::EPSILON * (self.direction[i] * here[row]).abs() / SUSPICIOUS;
            (sum, scale) = (sum + part, scale + part.abs() + rounding);
        }
        for (row, i) in (l.rda.g_velocity.start..l.rda.h.end).zip(l.x.multipliers.range()) {
            let part = (self.x[i] - x[i]) * (faster[row] - here[row]);
            (sum, scale) = (sum + part, scale + part.abs());
        }
        let power = l.rda.f_dyn.range().zip(l.x.v.range());
        let power: f64 = power.map(|(row, i)| ((loaded[row] - here[row]) * self.size[i]).abs()).sum();
        self.coupling = power / largest(l.x.multipliers.of(&self.size)).max(f64::MIN_POSITIVE);
        if sum.abs() > SUSPICIOUS * scale {
            look.suspect(Suspicion::Forces);
        }
        self.x.copy_from_slice(x);
        Some(())
    }

    /// PARTS against EOM off the constraints, where residuals are no rounding errors, M against MAS, and C against the change
    /// of (gI, h) with v; false if there are none.
    fn look_at_parts(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &[f64]),
        look: &mut Look,
    ) -> Option<bool> {
        let l = self.l;
        let Some(mut supplied) = self.supplied.take() else { return Some(false) };
        self.x.copy_from_slice(&self.direction);
        l.x.multipliers.of_mut(&mut self.x).fill(0.0);
        for i in l.x.v.range() {
            self.x[i] = x[i] + self.direction[i];
        }
        for i in l.x.p.range() {
            self.x[i] = x[i] + MOVED * self.sign() * self.size[i];
        }
        let mut answer = supplied.ask(system, (t, &self.x), Ask::Vectors);
        if answer == Answer::Given {
            look.calls += 1;
            if self.eom(system, t, SPED, look).is_some()
                && supplied.other_vectors(&l, &self.rows[SPED], SUSPICIOUS)
            {
                look.suspect(Suspicion::Parts);
            }
            answer = supplied.ask(system, (t, x), Ask::Matrices);
        }
        if answer == Answer::Given {
            let (here, faster) = (&self.rows[HERE], &self.rows[FASTER]);
            let first = l.rda.g_velocity.start;
            let change = |i: usize| faster[first + i] - here[first + i];
            if supplied.other_matrices(&self.mass, l.x.v.of(&self.direction), change, SUSPICIOUS) {
                look.suspect(Suspicion::Parts);
            }
        }
        self.x.copy_from_slice(x);
        self.supplied = Some(supplied);
        if answer == Answer::Stop {
            look.stopped = Some(Code::StoppedByParts);
        }
        look.stopped.is_none().then_some(answer == Answer::Given)
    }

    /// Values that are taken as they are must satisfy the constraints.
    fn look_at_start(
        &mut self,
        system: &mut dyn System,
        scaling: &Scaling,
        (t, x): (f64, &[f64]),
        look: &mut Look,
    ) -> Option<()> {
        let l = self.l;
        if l.dims.nl + l.dims.nm == 0 {
            return Some(());
        }
        for i in l.x.p.range() {
            self.x[i] = x[i] + MOVED * self.sign() * self.size[i];
        }
        self.eom(system, t, SPED, look)?;
        self.x.copy_from_slice(x);
        let (here, faster, moved) = (&self.rows[HERE], &self.rows[FASTER], &self.rows[SPED]);
        let velocity = (l.rda.g_velocity.start..l.rda.h.end).map(|i| (i, (faster[i] - here[i]).abs()));
        let position = l.rda.g.range().map(|i| (i, (moved[i] - here[i]).abs() / MOVED));
        for (row, response) in position.chain(velocity) {
            if here[row].abs() > INCONSISTENT * scaling.rtol_user * response && look.certain.is_none() {
                let name = l.residual_name(row);
                look.certain = Some(Finding {
                    row: name,
                    what: format!("{name} at the start"),
                    given: here[row],
                    expected: 0.0,
                    slip: Some(super::Slip::Inconsistent),
                    t,
                });
            }
        }
        Some(())
    }

    fn look_at_rates(
        &mut self,
        system: &mut dyn System,
        (t, x, h): (f64, &[f64], f64),
        (known, supplied): (bool, bool),
        look: &mut Look,
    ) -> Option<()> {
        let l = self.l;
        // Contact points would ask for the derivatives of c: left to the full check.
        if l.dims.ns > 0 || l.dims.nl + l.dims.nm == 0 {
            return Some(());
        }
        self.direction.fill(0.0);
        l.x.p.of_mut(&mut self.direction).copy_from_slice(l.rda.f_kin.of(&self.rows[HERE]));
        if known {
            l.x.v.of_mut(&mut self.direction).copy_from_slice(&self.acceleration);
        }
        let span = |(d, s): (&f64, &f64)| time_to(*s, *d);
        let mut tau = WIDTH * self.direction.iter().zip(&self.size).map(span).fold(f64::INFINITY, f64::min);
        if h > 0.0 {
            tau = tau.min(h);
        }
        if !tau.is_finite() {
            return Some(());
        }
        tau = tau.max(65536.0 * f64::EPSILON * t.abs());
        let (up, down) = (t + tau - t, t - tau - t);
        for (into, step) in [(AHEAD, up), (BEHIND, down)] {
            self.x.iter_mut().zip(x).zip(&self.direction).for_each(|((y, x), d)| *y = x + step * d);
            self.eom(system, t + step, into, look)?;
        }
        self.x.copy_from_slice(x);
        if known && !l.rda.rows1.is_empty() {
            let v = l.x.v.range();
            self.x[v].iter_mut().zip(&self.acceleration).for_each(|(y, a)| *y += tau * a);
            self.eom(system, t, SPED, look)?;
        }
        let [here, ahead, behind, faster, _, sped] = &self.rows;
        let rate = |row: usize| (ahead[row] - behind[row]) / (up - down);
        // G p is what g is the sum of, C v what gI is, C v' what gII is; u was as large as v may be.
        let (far, fast) =
            (largest(l.x.p.of(&self.size)), largest(l.x.v.of(&self.size)).max(f64::MIN_POSITIVE));
        let speeding = largest(&self.acceleration) / fast;
        // Few random signs may cancel in C u, those of the forces per multiplier do not.
        let response = (l.rda.g_velocity.start..l.rda.h.end).map(|row| (faster[row] - here[row]).abs());
        let unit = ROUNDING * response.fold(self.coupling, f64::max);
        let rows = l.rda.g_velocity.range().zip(l.rda.g.range());
        let moves = rows.into_iter().any(|(row, of)| {
            let scale = (faster[row] - here[row]).abs() + here[row].abs() + rate(of).abs();
            (here[row] - rate(of)).abs() > SUSPICIOUS * scale + unit * far / (fast * tau)
        });
        if moves {
            look.suspect(Suspicion::Velocity);
        }
        let rows = l.rda.g_acceleration.range().zip(l.rda.g_velocity.range());
        let mut rows = rows.chain(l.rda.h_acceleration.range().zip(l.rda.h.range()));
        let speeds = rows.any(|(row, of)| {
            let by_v = (sped[of] - here[of]) / tau;
            let scale = by_v.abs() + (rate(of) - by_v).abs() + here[row].abs();
            (here[row] - rate(of)).abs() > SUSPICIOUS * scale + unit * (1.0 / tau + speeding)
        });
        if known && speeds {
            look.suspect(Suspicion::Acceleration);
        }
        if let Some(parts) = self.supplied.as_ref().filter(|_| known && supplied) {
            let mut rows = (l.rda.g_velocity.start..l.rda.h.end).enumerate();
            let other = rows.any(|(i, of)| {
                let (sum, size) = parts.acceleration(i, &self.acceleration);
                (sum - rate(of)).abs() > SUSPICIOUS * (size + rate(of).abs()) + unit * (1.0 / tau + speeding)
            });
            if other {
                look.suspect(Suspicion::Parts);
            }
        }
        debug_assert!(look.is_clear() || look.calls > 0);
        Some(())
    }
}
