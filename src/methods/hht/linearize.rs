//! The iteration matrix: (14) of the paper, with M/(1+α) in place of M, and with all blocks of the equations of motion.
//!
//! With Δx = κ Δy the columns of FX are multiplied by κ = 1 for w, λ, μ, ρh for r, γh for v, βh² for s and p; the rows c and g
//! by 1/(βh²), h by 1/(γh). Then no entry grows as h → 0, and the condition number stays bounded.

use super::{Hht, Plan, Setback};
use crate::error::Rejection;
use crate::layout::Block;
use crate::model::index1::{add_mass, local};
use crate::system::System;

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
        let (stats, x) = (&mut self.state.stats, &self.new.x);
        let mut result = self.derivatives.jacobian(system, t, x, &mut self.fx, stats);
        if result.is_ok() {
            result = self.mass.evaluate(system, t, x, &mut stats.nmas);
        }
        if result.is_ok() {
            let slope = &mut self.work.mass_slope;
            result = self.derivatives.mass_times(system, (t, x), &self.work.mean, slope, stats);
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
        let (l, u, c) = (&self.layout, &self.unknowns, &self.coefficients);
        let (by_v, by_p) = (c.gamma * h, c.beta * h * h);
        let columns = [
            (l.x.w, u.w, 1.0),
            (l.x.lambda, u.lambda, 1.0),
            (l.x.mu, u.mu, 1.0),
            (l.x.r, u.slope, c.rho * h),
            (l.x.v, u.a, by_v),
            (l.x.s, u.s, by_p),
            (l.x.p, u.position(), by_p),
        ];
        let rows = [
            (0, l.rda.d, u.w, 1.0),
            (1, l.rda.h, u.mu, 1.0 / by_v),
            (2, l.rda.c, u.s, 1.0 / by_p),
            (2, l.rda.g, u.lambda, 1.0 / by_p),
            (3, l.rda.b, u.slope, 1.0),
            (4, l.rda.f_dyn, u.a, 1.0),
        ];
        let mut add = |k: usize, from: (Block, Block), to: (Block, Block), factor: f64| {
            let (all, first) = l.fx_position()[k];
            let covered = from.1.start >= first && !from.1.is_empty();
            if covered && !from.0.is_empty() {
                let columns = Block { start: from.1.start - first, end: from.1.end - first };
                let place = (to.0.start, to.1.start);
                let (fx, (ld, _)) = (&self.fx.fx[k], self.fx.shape[k]);
                self.matrix.values().add_block(fx, ld, (local(from.0, all), columns), place, factor);
            }
        };
        for (k, row, to, row_factor) in rows {
            for (column, unknown, factor) in columns {
                add(k, (row, column), (to, unknown), row_factor * factor);
            }
        }
        if self.general {
            // q - (f_kin(p, ṽ) - f_kin,n)/(2βh), where ṽ changes by 2βh.
            for (column, unknown, factor) in [(l.x.v, u.a, 1.0), (l.x.s, u.s, 0.5 * h), (l.x.p, u.q, 0.5 * h)]
            {
                add(5, (l.rda.f_kin, column), (u.q, unknown), factor);
            }
            self.matrix.values().add_identity(u.q);
        }
        self.matrix.values().add_identity(u.slope);
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
