//! The point that belongs to a reduced state: dependent positions from g = 0, dependent velocities from gI = 0 and h = 0, and the rate
//! there.
//!
//! Positions by a simplified Newton method from the point that the tangent predicts, with Broyden's updates; velocities, which are
//! linear, on the way, or with their own matrix where the model supplies it apart.

use super::Rosenbrock;
use crate::layout::Layout;
use crate::methods::motion::broyden::Broyden;
use crate::methods::motion::{Halt, Source, MAX_ITERATIONS};
use crate::options::Options;
use crate::system::System;

/// A correction of this relative size leaves only rounding errors.
const ROUNDING: f64 = 1e-16;
/// Below this size a correction that does not shrink is one of rounding errors.
const STALLED: f64 = 1e-9;
/// No better rate of convergence is relied on; nor than the second one where none is known yet, and where rounding errors are not the aim.
const LEAST_RATE: f64 = 1e-3;
const USUAL_RATE: f64 = 0.1;
/// Stages are assembled to this part of the tolerance where steps follow it.
const STAGE: f64 = 1e-3;

/// Corrections below this part of the first one may be rounding errors: nothing is learned from them.
const NOISE: f64 = 1e-9;
/// Nor from smaller relative ones, where the prediction is so good that the first is small.
const LEARNED: f64 = 1e-13;
/// Updates of the matrix of the velocities begin when positions move by less.
const ASSEMBLED: f64 = 1e-6;

/// How the matrix of the velocities is brought up to date.
#[derive(Clone, Copy, Debug)]
pub enum Updates {
    /// It is that of the point.
    None,
    /// It is that of the positions.
    Shared,
    /// It has updates of its own; the positions have just moved by so much.
    Own(f64),
}

/// A point that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Its place in the step, from 0 to 1.
    pub node: f64,
    /// Relative size of corrections that need not be made.
    pub accuracy: f64,
}

impl Wanted {
    /// Assembled to rounding.
    pub fn exactly(node: f64) -> Self {
        Wanted { node, accuracy: ROUNDING }
    }

    /// As accurately as a stage has to be.
    pub fn at_stage(node: f64, options: &Options, rtol: f64) -> Self {
        let accuracy = if options.fixed_step { ROUNDING } else { (STAGE * rtol).max(ROUNDING) };
        Wanted { node, accuracy }
    }
}

/// Work space.
#[derive(Debug)]
pub struct Assembly {
    broyden: Broyden,
    velocity: Broyden,
    /// Corrections that updates were made of, of positions and of velocities.
    updates: [usize; 2],
    correction: Vec<f64>,
    residual: Vec<f64>,
}

impl Assembly {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let m = layout.dims.nl + layout.dims.nm;
        Assembly {
            broyden: Broyden::new(m),
            velocity: Broyden::new(m),
            updates: [0; 2],
            correction: vec![0.0; m],
            residual: vec![0.0; m],
        }
    }
}

impl Rosenbrock {
    /// The point (r, v, p) in `y` that belongs to the reduced state in `z`, at time t of a step of size h, and its rate in
    /// `rate_new`; w, λ, μ and s in `motion`.
    pub(super) fn evaluate(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        wanted: Wanted,
    ) -> Result<(), Halt> {
        self.predict(t, wanted.node * h);
        self.find(system, (t, h), wanted)?;
        self.learn(wanted.node * h);
        Ok(())
    }

    fn find(&mut self, system: &mut dyn System, (t, h): (f64, f64), wanted: Wanted) -> Result<(), Halt> {
        let enough = wanted.accuracy;
        if self.is_frozen() {
            let rate = self.settle(system, t, (enough, true)).and_then(|()| self.rate_with_frozen(system, t));
            match rate {
                Err(Halt::Diverged) => {}
                other => return other,
            }
            self.predict(t, wanted.node * h);
        }
        if let Err(halt) = self.settle(system, t, (enough, false)) {
            // Once more with matrices of where it came to.
            if !matches!(halt, Halt::Diverged) {
                return Err(halt);
            }
            self.frozen.spoiled = true;
            self.predict(t, wanted.node * h);
            self.motion.place(&self.y_new);
            self.motion.linearize(&mut self.state.counted(system), t)?;
            self.read_constraints()?;
            self.positions.factor()?;
            self.velocities.factor()?;
            self.settle(system, t, (enough, false))?;
        }
        self.frozen.spoiled = true;
        if self.motion.source == Source::Supplied {
            self.motion.matrices(&mut self.state.counted(system), t, &self.y_new)?;
            self.renew_constraints()?;
            self.correct_velocities(Updates::None);
            let (y, rate) = (&self.y_new, &mut self.rate_new);
            self.motion.rate_with_matrices(&mut self.state.counted(system), t, y, rate)
        } else {
            self.motion.rate(&mut self.state.counted(system), (t, h), &self.y_new, &mut self.rate_new)?;
            self.renew_constraints()?;
            Ok(())
        }
    }

    /// g = 0 and, where EOM gives all rows, gI = 0 and h = 0; with `multipliers` also d, gII and hI, nearly.
    /// Corrections below `enough` need not be made.
    fn settle(
        &mut self,
        system: &mut dyn System,
        t: f64,
        (enough, multipliers): (f64, bool),
    ) -> Result<(), Halt> {
        let (nl, m) = (self.positions.len(), self.velocities.len());
        let supplied = self.motion.source == Source::Supplied;
        if (m == 0 && !multipliers) || (nl == 0 && supplied) {
            return Ok(());
        }
        self.assembly.broyden.resize(self.positions.rows.len());
        self.assembly.velocity.resize(self.velocities.rows.len());
        self.frozen.begin();
        self.assembly.updates = [0; 2];
        let (mut before, mut assembled) = ((f64::INFINITY, f64::INFINITY), false);
        for _ in 0..MAX_ITERATIONS {
            self.motion.residuals(&mut self.state.counted(system), t, &self.y_new)?;
            let mut size = 0.0;
            if !assembled {
                let position = self.correct_positions();
                let kind = if self.shares() { Updates::Shared } else { Updates::Own(position) };
                let velocity = if supplied { 0.0 } else { self.correct_velocities(kind) };
                size = larger(position, velocity);
                let rate = size / before.1;
                // The next corrections would be of this size at most; updates make them smaller.
                let least = if enough > ROUNDING || before.1.is_infinite() { USUAL_RATE } else { LEAST_RATE };
                let next = rate.clamp(least, 1.0);
                assembled = size * next <= enough || (size <= STALLED && rate > 0.3);
                // Velocities follow the positions by one iteration, and may first move away; rounding errors grow without meaning anything.
                if !assembled && (!size.is_finite() || position > (2.0 * before.0).max(STALLED)) {
                    break;
                }
                before = (position, size);
            }
            let found = !multipliers || self.correct_algebraic(size, enough)?;
            if assembled && found {
                return Ok(());
            }
        }
        Err(Halt::Diverged)
    }

    /// Correct the dependent positions; the largest relative change.
    fn correct_positions(&mut self) -> f64 {
        let (l, w) = (self.layout, &mut self.assembly);
        let correction = &mut w.correction[..self.positions.rows.len()];
        self.positions.compensate(l.rda.g.of(&self.motion.rda), correction);
        let first = self.y_new.len() - l.dims.np;
        let typical = l.x.p.of(&self.typical);
        let p = &mut self.y_new[first..];
        let moved = |(&i, d): (&usize, &f64)| d.abs() > LEARNED * (p[i].abs() + typical[i]);
        let tells = self.positions.dependent.iter().zip(correction.iter()).any(moved);
        w.broyden.correct(&mut w.updates[0], if tells { NOISE } else { f64::INFINITY }, correction);
        let mut size = 0.0f64;
        for (&i, d) in self.positions.dependent.iter().zip(&w.correction) {
            p[i] += d;
            size = larger(size, d.abs() / (p[i].abs() + typical[i]));
        }
        size
    }

    /// Correct the dependent velocities; the largest relative change.
    pub(super) fn correct_velocities(&mut self, updates: Updates) -> f64 {
        let l = self.layout;
        let (w, count) = (&mut self.assembly, self.velocities.rows.len());
        w.residual.copy_from_slice(&self.motion.rda[l.rda.g_velocity.start..l.rda.h.end]);
        self.velocities.compensate(&w.residual, &mut w.correction);
        match updates {
            Updates::Shared => w.broyden.apply(w.updates[0].saturating_sub(1), &mut w.correction[..count]),
            Updates::Own(moved) if moved <= ASSEMBLED => {
                w.velocity.correct(&mut w.updates[1], NOISE, &mut w.correction[..count]);
            }
            Updates::Own(_) | Updates::None => {}
        }
        let typical = l.x.v.of(&self.typical);
        let v = &mut self.y_new[l.dims.nr..l.dims.nr + l.dims.nv];
        let mut size = 0.0f64;
        for (&i, d) in self.velocities.dependent.iter().zip(&w.correction) {
            v[i] += d;
            size = larger(size, d.abs() / (v[i].abs() + typical[i]));
        }
        size
    }
}

/// The maximum, NaN if one of them is.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() {
        b
    } else {
        a
    }
}
