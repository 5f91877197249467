//! The rows that Newton's method works on: those of the model, or with FORM=0 and NWTMULT=1 all of them but gII and hI. λ and μ of
//! the stages then follow from the dynamic rows, as with FORM=1, and those of accepted points from gII and hI (`multipliers.rs`).

use crate::decompose::DecompositionKind;
use crate::error::Code;
use crate::layout::{Form, Layout};
use crate::model::{self, Calls, Derivatives, Trouble};
use crate::options::{Options, StageMultipliers};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};

/// How the rows are had from the model.
#[derive(Debug)]
pub(super) struct Rows {
    /// Of the model.
    pub(super) layout: Layout,
    pub(super) derivatives: Derivatives,
    /// All rows and FX1 of the model at their last points, if Newton's method does not see them all.
    pub(super) whole: Option<Whole>,
}

/// Rows and derivatives of the model.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) rda: Vec<f64>,
    /// FX1 is complete, the other blocks are work space.
    pub(super) fx: JacobianBlocks,
}

impl Rows {
    /// For a model with this layout.
    pub(super) fn new(layout: &Layout, options: &Options, analytic: bool, typical: Vec<f64>) -> Self {
        let central = options.decompose_constraints == DecompositionKind::Svd;
        let dynamics = options.stage_multipliers == StageMultipliers::Dynamics;
        let leave_out = dynamics && layout.rda.rows1.len() > layout.rda.d.len();
        Rows {
            layout: *layout,
            derivatives: Derivatives::of_rows(layout, analytic, central, typical),
            whole: leave_out.then(|| Whole { rda: vec![0.0; layout.m], fx: JacobianBlocks::new(layout) }),
        }
    }

    /// The layout that Newton's method sees; x is the same.
    pub(super) fn newton_layout(&self) -> Layout {
        let form = if self.whole.is_some() { Form::Index1 } else { self.layout.form };
        Layout::new(self.layout.dims, form)
    }

    /// The rows at (t, x).
    #[inline]
    pub(super) fn eom(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
        rows: &mut [f64],
    ) -> Result<(), Trouble> {
        let code = Code::StoppedByEom;
        let Some(whole) = &mut self.whole else { return model::eom(system, code, t, x, rows) };
        model::eom(system, code, t, x, &mut whole.rda)?;
        whole.select(&self.layout, rows);
        Ok(())
    }

    /// FX1..FX6 at (t, x).
    pub(super) fn jacobian(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &[f64]),
        fx: &mut JacobianBlocks,
        stats: &mut Stats,
    ) -> Result<(), Trouble> {
        let model = &mut Calls { system, stats };
        let Some(whole) = &mut self.whole else { return self.derivatives.jacobian(model, t, x, fx) };
        self.derivatives.jacobian(model, t, x, &mut whole.fx)?;
        let (few, all) = (fx.shape[0].0, whole.fx.shape[0].0);
        for (few, all) in fx.fx[0].chunks_exact_mut(few.max(1)).zip(whole.fx.fx[0].chunks_exact(all.max(1))) {
            few.copy_from_slice(&all[..few.len()]);
        }
        for (few, all) in fx.fx.iter_mut().zip(&mut whole.fx.fx).skip(1) {
            std::mem::swap(few, all);
        }
        Ok(())
    }
}

impl Whole {
    /// All rows but gII and hI, which lie together.
    pub(super) fn select(&self, layout: &Layout, rows: &mut [f64]) {
        let (before, behind) = (layout.rda.d.end, layout.rda.rows1.end);
        rows[..before].copy_from_slice(&self.rda[..before]);
        rows[before..].copy_from_slice(&self.rda[behind..]);
    }
}
