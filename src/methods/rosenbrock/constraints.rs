//! The constraints at a point, for the partition, the assembly and the tangent: G with the contact points eliminated, and C.

use super::Rosenbrock;
use crate::layout::Layout;
use crate::linalg::LuReal;
use crate::methods::motion::saddle::Defect;
use crate::methods::motion::Source;

/// The contact equations c(p, s, t) = 0, solved for s.
#[derive(Debug)]
pub struct Contact {
    /// c_s.
    pub lu: LuReal,
    /// c_s⁻¹ c_p, NS by NP.
    pub along: Vec<f64>,
    /// g_s, NL by NS.
    pub g_s: Vec<f64>,
}

impl Contact {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let d = layout.dims;
        Contact { lu: LuReal::new(d.ns), along: vec![0.0; d.ns * d.np], g_s: vec![0.0; d.nl * d.ns] }
    }
}

impl Rosenbrock {
    /// True if g and gI have the same matrix, so that positions and velocities share their partition.
    pub(super) fn shares(&self) -> bool {
        self.plain && self.layout.dims.nm == 0
    }

    /// G = g_p - g_s c_s⁻¹ c_p and C from FX3 and FX2.
    pub(super) fn read_constraints(&mut self) -> Result<(), Defect> {
        let (l, d) = (self.layout, self.layout.dims);
        let (fx3, (m3, _)) = (&self.motion.fx.fx[2], self.motion.fx.shape[2]);
        let (contact, g) = (&mut self.contact, self.positions.matrix_mut());
        if d.ns > 0 {
            for (k, column) in contact.lu.matrix_mut().chunks_exact_mut(d.ns).enumerate() {
                column.iter_mut().zip(&fx3[k * m3..]).for_each(|(c, fx)| *c = -fx);
            }
            contact.lu.factor().map_err(|_| Defect::Constraints(None))?;
            for (k, column) in contact.g_s.chunks_exact_mut(d.nl.max(1)).enumerate() {
                column.iter_mut().zip(&fx3[k * m3 + d.ns..]).for_each(|(c, fx)| *c = -fx);
            }
            for (j, column) in contact.along.chunks_exact_mut(d.ns).enumerate() {
                column.iter_mut().zip(&fx3[(d.ns + j) * m3..]).for_each(|(c, fx)| *c = -fx);
                contact.lu.solve(column);
            }
        }
        for (j, column) in g.chunks_exact_mut(d.nl.max(1)).enumerate() {
            column.iter_mut().zip(&fx3[(d.ns + j) * m3 + d.ns..]).for_each(|(g, fx)| *g = -fx);
            for k in 0..d.ns {
                let along = contact.along[k + j * d.ns];
                column.iter_mut().zip(&contact.g_s[k * d.nl..]).for_each(|(g, s)| *g -= s * along);
            }
        }
        let (fx2, m2, m) = (&self.motion.fx.fx[1], l.m2(), self.velocities.len());
        for (j, column) in self.velocities.matrix_mut().chunks_exact_mut(m.max(1)).enumerate() {
            column.iter_mut().zip(&fx2[j * m2..]).for_each(|(c, fx)| *c = -fx);
        }
        Ok(())
    }

    /// The matrices of the stage whose rate was taken last, where they come with the rate: they are nearer to the next point than
    /// those of the beginning.
    pub(super) fn renew_constraints(&mut self) -> Result<(), Defect> {
        let (nl, m) = (self.layout.dims.nl, self.velocities.len());
        if m == 0 {
            return Ok(());
        }
        if self.shares() && self.layout.dims.ns == 0 || self.motion.source == Source::Supplied {
            self.velocities.matrix_mut().copy_from_slice(&self.motion.c);
            let columns = self.motion.c.chunks_exact(m);
            for (g, c) in self.positions.matrix_mut().chunks_exact_mut(nl.max(1)).zip(columns) {
                g.copy_from_slice(&c[..nl]);
            }
        } else if self.motion.source == Source::Jacobian {
            self.read_constraints()?;
        } else {
            return Ok(());
        }
        self.positions.factor()?;
        self.velocities.factor()
    }

    /// Keep the partition, or choose one if there is none, if it has become poor, or if it is `unwanted`.
    pub(super) fn partition(&mut self, unwanted: bool) -> Result<(), Defect> {
        let had = self.positions.is_chosen() && self.velocities.is_chosen();
        let kept = had
            && !unwanted
            && self.positions.decompose().is_ok()
            && self.velocities.decompose().is_ok()
            && !self.positions.is_poor()
            && !self.velocities.is_poor();
        if !kept {
            self.bend.fill(0.0);
            self.positions.choose()?;
            if self.shares() {
                self.velocities.adopt(&self.positions)?;
            } else {
                self.velocities.choose()?;
            }
            self.state.stats.nsel += 1;
            self.state.stats.selectors_poor += u64::from(had);
        }
        self.fresh = !kept;
        self.list_free();
        Ok(())
    }

    /// Where the reduced state (p_I, v_J, r) lies in (r, v, p).
    pub(super) fn list_free(&mut self) {
        let d = self.layout.dims;
        self.free.clear();
        self.free.extend(self.positions.independent.iter().map(|i| d.nr + d.nv + i));
        self.free.extend(self.velocities.independent.iter().map(|j| d.nr + j));
        self.free.extend(0..d.nr);
    }
}
