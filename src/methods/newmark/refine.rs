//! λ and μ once more, from the rows gII and hI of the point where the model gives them: the iteration leaves rounding errors of forces,
//! which small masses enlarge in accelerations, and without a Jacobian the errors of differences.

use super::{Newmark, Plan};
use crate::decompose::DecompositionKind;
use crate::error::Code;
use crate::layout::Form;
use crate::linalg::all_finite;
use crate::model::{self, Trouble};
use crate::system::System;

/// A larger correction, relative to the multipliers, is none of rounding errors: the rows have no say in it.
const ROUNDING: f64 = 1e-9;
/// The same of differences.
const DIFFERENCES: f64 = 1e-5;

impl Newmark {
    /// With constant steps, which are solved to rounding, and with differences; not where multipliers are not unique or not alone.
    pub(super) fn refine_multipliers(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Trouble> {
        let (l, d) = (self.layout, self.layout.dims);
        let m = d.nl + d.nm;
        let possible = (self.options.fixed_step || !self.analytic)
            && l.form == Form::StrangenessFree
            && self.options.decompose_constraints != DecompositionKind::Svd
            && (d.nw, d.ns) == (0, 0)
            && m > 0;
        if !possible {
            return Ok(());
        }
        self.state.stats.neom += 1;
        let rda = &mut self.lin.rda;
        match model::eom(system, Code::StoppedByEom, plan.t_new, &self.new.x, rda) {
            Err(stop @ Trouble::Stop { .. }) => return Err(stop),
            Err(_) => return Ok(()),
            Ok(()) => {}
        }
        // FX1 begins with the columns of w, λ, μ.
        self.rows.matrix_mut().copy_from_slice(&self.lin.fx.fx[0][..m * m]);
        if self.rows.factor().is_err() {
            return Ok(());
        }
        let step = &mut self.work.multipliers;
        step.copy_from_slice(l.rda.rows1.of(rda));
        self.rows.solve(step);
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let multipliers = l.x.multipliers.of_mut(&mut self.new.x);
        let most = if self.analytic { ROUNDING } else { DIFFERENCES };
        if all_finite(step) && largest(step) <= most * largest(multipliers) {
            multipliers.iter_mut().zip(step.iter()).for_each(|(x, d)| *x += d);
        }
        Ok(())
    }
}
