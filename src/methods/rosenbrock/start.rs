//! The first step size, where the user gave none (HNW I, II.4): here z'' = J z' + f_t is in hand.

use super::tableau::ORDER;
use super::{Rosenbrock, Setback};
use crate::error::Failure;
use crate::linalg::products;
use crate::methods::plan;
use crate::norm::weighted_rms;
use crate::system::System;

impl Rosenbrock {
    /// A hundredth of the time in which z changes by its own size; then the step for which h^order max(|z'|, |z''|) is a hundredth.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        let least = plan::least_first_step(&self.options, self.state.t, span);
        match self.begin(system, 1e-3 * span) {
            Ok(()) => {}
            Err(Setback::Fatal(failure)) => return Err(*failure),
            Err(Setback::Reject { .. }) => {
                // If the model cannot be evaluated the first step will say so.
                self.state.h = (1e-6 * span).max(least);
                return Ok(());
            }
        }
        let n = self.free.len();
        self.weigh(false);
        self.z.clear();
        self.z.extend(self.free.iter().map(|&i| self.y[i]));
        self.f.clear();
        self.f.extend(self.free.iter().map(|&i| self.rate[i]));
        let (size, rate) = (weighted_rms(&self.z, &self.scal), weighted_rms(&self.f, &self.scal));
        let guess = if size <= 1e-5 || rate <= 1e-5 { 1e-6 * span } else { (0.01 * size / rate).min(span) };
        self.error.clear();
        self.error.extend_from_slice(&self.reduced.time[..n]);
        products::add_mul_vec(n, n, 1.0, &self.reduced.j, &self.f, &mut self.error);
        let largest = rate.max(weighted_rms(&self.error, &self.scal));
        let next =
            if largest <= 1e-15 { 1e-3 * guess } else { (0.01 / largest).powf(1.0 / f64::from(ORDER)) };
        self.state.h = next.min(100.0 * guess).min(span).max(least);
        // Differences over parts of a step were taken for another one.
        self.linearized = !self.by_differences();
        Ok(())
    }
}
