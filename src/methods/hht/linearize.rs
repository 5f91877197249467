//! The iteration matrix: (14) of the paper, with M/(1+α) in place of M, and with all blocks of the equations of motion.
//! The rows of the constraints are divided by the step size (`crate::model::blocks`), so that the condition number stays bounded as
//! h → 0.

use super::*;
use crate::layout::Block;
use crate::model::blocks::{add_step, Scales};
use crate::model::index1::add_mass;

/// Relative change of the step size for which the matrix is kept.
const SIMILAR: f64 = 0.25;

impl Hht {
    /// True if the matrix in hand was made for a similar step size.
    pub(super) fn matrix_serves(&self, h: f64) -> bool {
        self.matrix.factored_for().is_some_and(|made_for| (h / made_for - 1.0).abs() <= SIMILAR)
    }

    /// New matrix at the predicted point.
    pub(super) fn linearize(&mut self, system: &mut dyn System, plan: Plan) -> Result<(), Setback> {
        let Plan { h, t_new: t, .. } = plan;
        self.matrix.discard();
        self.compose(h);
        self.mean_acceleration();
        let (model, x) = (&mut self.state.counted(system), &self.new.x);
        let mut result = self.derivatives.jacobian(model, t, x, &mut self.fx);
        if result.is_ok() {
            result = self.mass.evaluate(model.system, t, x, &mut model.stats.nmas);
        }
        if result.is_ok() {
            let slope = &mut self.work.mass_slope;
            result = self.derivatives.mass_times(model, (t, x), &self.work.mean, slope);
        }
        result.map_err(|trouble| self.setback(trouble))?;
        self.assemble(h);
        self.state.stats.nedec += 1;
        match self.matrix.factor(h, |matrix| matrix.factor(self.index1.deficiency)) {
            Ok(_) => Ok(()),
            Err(_) => Err(Setback::Reject { why: Rejection::SingularMatrix, factor: 0.5, component: None }),
        }
    }

    fn assemble(&mut self, h: f64) {
        self.matrix.values().clear();
        self.add_inertia(h);
        let c = &self.coefficients;
        let scales = Scales { by_v: c.gamma * h, by_p: c.beta * h * h, by_r: c.rho * h, h };
        add_step(&mut **self.matrix.values(), &self.layout, &self.unknowns, &self.fx, scales);
    }

    /// (1-α_m)/(1-α_f) M̄, and (M ā)_p with ā = (1-α_m) a + α_m a_n.
    fn add_inertia(&mut self, h: f64) {
        let (l, u, c) = (&self.layout, &self.unknowns, &self.coefficients);
        let nv = l.dims.nv;
        let factor = (1.0 - c.alpha_m) / (1.0 - c.alpha_f);
        if self.options.mass.is_constant() {
            add_mass(&mut **self.matrix.values(), &self.mass, nv, factor);
            return;
        }
        add_mass(&mut **self.matrix.values(), &self.mass, nv, factor * (1.0 - c.alpha_f));
        add_mass(&mut **self.matrix.values(), &self.mass_old, nv, factor * c.alpha_f);
        let whole = (Block { start: 0, end: nv }, Block { start: 0, end: l.dims.np });
        let (place, by_p) = ((u.a.start, u.position().start), c.beta * h * h);
        self.matrix.values().add_block(&self.work.mass_slope, nv, whole, place, by_p);
    }
}
