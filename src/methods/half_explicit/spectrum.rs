//! Is the system at rest where it begins? Asked before the first step (METHOD=-2), at the price of two evaluations.
//!
//! A system that does not leave the tolerance within 1/ρ, the shortest time of its equations, is near an equilibrium. There an implicit
//! method makes steps of any length, an explicit one is limited by stability at once. ρ, the dominant eigenvalue, comes from two steps of
//! power iteration on differences of the rate: oscillations come in pairs ±iω, along which |J d| moves between ω² and 1 while |J² d| is
//! always ω², so that ρ is the root of both quotients.

use super::{HalfExplicit, Setback};
use crate::norm::weighted_rms;
use crate::system::System;

/// Relative size of the differences.
const DIFFERENCE: f64 = 1e-7;
/// A component that is zero, with ATOL=0, is looked at in units of this part of the largest.
const SMALLEST: f64 = 1e-6;

impl HalfExplicit {
    /// True if the system is at rest at the current point. What cannot be evaluated says nothing.
    pub(in crate::methods) fn rests(&mut self, system: &mut dyn System, h: f64) -> Result<bool, Setback> {
        match self.compare_speeds(system, h) {
            Err(Setback::Reject { .. }) => Ok(false),
            outcome => outcome,
        }
    }

    fn compare_speeds(&mut self, system: &mut dyn System, h: f64) -> Result<bool, Setback> {
        self.begin_step(system, h)?;
        let nd = self.y.len();
        for ((s, y), typical) in self.scal.iter_mut().zip(&self.y).zip(&self.typical) {
            *s = y.abs() + typical;
        }
        let least = SMALLEST * self.scal.iter().fold(0.0f64, |m, s| m.max(*s));
        self.scal.iter_mut().for_each(|s| *s = s.max(least));
        // A direction with a part along every eigenvector.
        for (i, (d, s)) in self.error.iter_mut().zip(&self.scal).enumerate() {
            *d = s * (1.0 + (i as f64 * 1.618).fract()) * if i % 3 == 1 { -1.0 } else { 1.0 };
        }
        let rho = (self.product(system, h)? * self.product(system, h)?).sqrt();
        let rtol = self.rtol.iter().fold(0.0f64, |m, r| m.max(*r));
        let moving = weighted_rms(&self.k[..nd], &self.scal);
        Ok(moving <= rtol * rho)
    }

    /// `error` := the derivative of the rate along it, by a difference; the quotient of both norms.
    fn product(&mut self, system: &mut dyn System, h: f64) -> Result<f64, Setback> {
        let nd = self.y.len();
        let size = weighted_rms(&self.error, &self.scal);
        if size == 0.0 {
            return Ok(0.0);
        }
        let width = DIFFERENCE / size;
        for ((moved, y), d) in self.y_stage.iter_mut().zip(&self.y).zip(&self.error) {
            *moved = y + width * d;
        }
        let (point, model) = ((self.state.t, h), &mut self.state.counted(system));
        let result = self.motion.rate(model, point, &self.y_stage, &mut self.k[nd..2 * nd]);
        result.map_err(|halt| self.setback(halt))?;
        let (here, there) = self.k.split_at(nd);
        for ((d, a), b) in self.error.iter_mut().zip(here).zip(there) {
            *d = (b - a) / width;
        }
        Ok(weighted_rms(&self.error, &self.scal) / size)
    }
}
