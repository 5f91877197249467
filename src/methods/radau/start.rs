//! The first step size, where the user gave none.

use super::{Radau, Setback};
use crate::error::Failure;
use crate::norm::weighted_rms;
use crate::system::System;

impl<const L: usize> Radau<L> {
    /// One hundredth of the time in which positions, force elements and velocities (with unit mass) change by
    /// their own size, and at most a thousandth of the interval. The evaluation serves the first error estimate too.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let l = self.layout;
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        let mut first = 1e-3 * span;
        match self.evaluate_here(system) {
            Ok(()) => {
                for (d, (x, typical)) in
                    self.work.delta.iter_mut().zip(self.state.x.iter().zip(&self.orders[0].scaling.typical))
                {
                    *d = x.abs() + typical;
                }
                for (block, rows) in [(l.x.p, l.rda.f_kin), (l.x.r, l.rda.b), (l.x.v, l.rda.f_dyn)] {
                    let change = weighted_rms(rows.of(&self.work.here), block.of(&self.work.delta));
                    if change > 0.0 {
                        first = first.min(0.01 / change);
                    }
                }
            }
            Err(Setback::Fatal(failure)) => return Err(*failure),
            // If the model cannot be evaluated the first step will say so.
            Err(Setback::Reject { .. }) => {}
        }
        self.state.h = first.max(1e-12 * span);
        Ok(())
    }
}
