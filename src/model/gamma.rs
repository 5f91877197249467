//! γ: what the total time derivatives of gI and h have beside the accelerations, their rate while p moves with p', s with s', and
//! time goes on.

use super::index1::Result;
use super::{Calls, Span, TimeRate};
use crate::layout::{Block, Layout};
use crate::linalg::{RealSolver, SolverKind};
use crate::system::JacobianBlocks;

/// A point and the rows of EOM there.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Time.
    pub t: f64,
    /// Point.
    pub x: &'a [f64],
    /// Rows of EOM.
    pub rda: &'a [f64],
}

/// γ of the last point.
#[derive(Debug)]
pub struct Gamma {
    layout: Layout,
    autonomous: bool,
    by_time: TimeRate,
    contact: RealSolver,
    moved: Vec<f64>,
    /// s'.
    pub contact_rate: Vec<f64>,
    /// Of the rows gI, h.
    pub value: Vec<f64>,
    /// Sizes of its terms.
    pub size: Vec<f64>,
}

impl Gamma {
    /// Allocate; `autonomous` if no row depends on time.
    pub fn new(layout: &Layout, autonomous: bool) -> Self {
        let (ns, rows) = (layout.dims.ns, layout.dims.nl + layout.dims.nm);
        Gamma {
            layout: *layout,
            autonomous,
            by_time: TimeRate::new(layout.m),
            contact: RealSolver::new(SolverKind::Lu, ns),
            moved: vec![0.0; layout.n],
            contact_rate: vec![0.0; ns],
            value: vec![0.0; rows],
            size: vec![0.0; rows],
        }
    }

    /// From FX1..FX6 of the point, and differences in time alone.
    pub fn by_jacobian(
        &mut self,
        model: &mut Calls<'_>,
        fx: &JacobianBlocks,
        at: At<'_>,
        span: Span,
    ) -> Result {
        let l = self.layout;
        let end = if l.dims.ns > 0 { l.rda.c.end } else { l.rda.h.end };
        if self.autonomous {
            self.by_time.rate.fill(0.0);
        } else {
            let rows = Block { start: l.rda.g_velocity.start, end };
            let rows_at = |offset, rows: &mut [f64]| model.eom(at.t + offset, at.x, rows);
            self.by_time.evaluate((at.t, at.rda), rows, span, rows_at)?;
        }
        let f_kin = l.rda.f_kin.of(at.rda);
        self.contact_rates(fx, f_kin)?;
        let (fx2, first) = (&fx.fx[1], l.x.v.start);
        for (i, (value, size)) in self.value.iter_mut().zip(&mut self.size).enumerate() {
            let along =
                |block: Block, rate: &[f64]| fx2.row_times(i, block.start - first..block.end - first, rate);
            let (positions, contacts) = (along(l.x.p, f_kin), along(l.x.s, &self.contact_rate));
            let time = self.by_time.rate[l.rda.g_velocity.start + i];
            *value = time - positions - contacts;
            *size = time.abs() + positions.abs() + contacts.abs();
        }
        Ok(())
    }

    /// c_s s' = -(c_p p' + c_t).
    fn contact_rates(&mut self, fx: &JacobianBlocks, f_kin: &[f64]) -> Result {
        let l = &self.layout;
        let (ns, np) = (l.dims.ns, l.dims.np);
        if ns == 0 {
            return Ok(());
        }
        let fx3 = &fx.fx[2];
        let target = self.contact.matrix_mut();
        for (i, rate) in self.contact_rate.iter_mut().enumerate() {
            *rate = self.by_time.rate[l.rda.c.start + i] - fx3.row_times(i, ns..ns + np, f_kin);
            (0..ns).for_each(|j| target[i + j * ns] = fx3.get(i, j));
        }
        self.contact.factor()?;
        self.contact.solve(&mut self.contact_rate);
        Ok(())
    }

    /// By differences along (p', 1), where there is no Jacobian; not with contact variables.
    pub fn along_motion(&mut self, model: &mut Calls<'_>, at: At<'_>, span: Span) -> super::Result {
        let (l, moved) = (self.layout, &mut self.moved);
        let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
        moved.copy_from_slice(at.x);
        self.by_time.evaluate((at.t, at.rda), rows, span, |offset, rows| {
            let rates = l.x.p.of(at.x).iter().zip(l.rda.f_kin.of(at.rda));
            for (moved, (p, rate)) in l.x.p.of_mut(moved).iter_mut().zip(rates) {
                *moved = p + offset * rate;
            }
            model.eom(at.t + offset, moved, rows)
        })?;
        self.value.copy_from_slice(rows.of(&self.by_time.rate));
        Ok(())
    }
}
