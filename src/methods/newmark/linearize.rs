//! The model at an iterate: constraints of all three levels with their derivatives, and the rows of the equations of motion.
//!
//! With F = (M a - f_dyn, -d, r - r_n - h [(1-ρ) r'_n + ρ b]) the derivatives of F are those of FX5, FX1 and FX4 as they are, which
//! hold negative ones. Contact points follow the positions: δs = -c_s⁻¹ (c + c_p δp).

use crate::layout::{Block, Layout};
use crate::linalg::products::add_mul;
use crate::linalg::{RealSolver, SolverKind};
use crate::model::index1::span;
use crate::model::{At, Calls, Derivatives, Gamma, Halt, Mass};
use crate::options::Options;
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};

/// Everything that is known of the model at (t, x) with accelerations a. Matrices are column-major.
#[derive(Debug)]
pub struct Linearization {
    layout: Layout,
    /// Rows of EOM.
    pub rda: Vec<f64>,
    pub(super) fx: JacobianBlocks,
    gamma: Gamma,
    contact: RealSolver,
    /// -c_s⁻¹ c, and -c_s⁻¹ c_p, NS by NP.
    pub contact_shift: Vec<f64>,
    /// See `contact_shift`.
    pub contact_slope: Vec<f64>,
    /// G = dg/dp, NL by NP.
    pub position: Vec<f64>,
    /// C, the derivative of (gI, h) by v, m by NV.
    pub velocity: Vec<f64>,
    /// The derivative of (gI, h) by p, m by NP: Ċ, as it acts on displacements.
    pub rate: Vec<f64>,
    /// Z, NP by NV.
    pub kinematic: Vec<f64>,
    /// C a + γ, the constraints on acceleration level.
    pub acceleration: Vec<f64>,
    /// Derivatives of F by v, p (with contacts and (M a)_p), λ and μ, w, r.
    pub by_v: Vec<f64>,
    /// See `by_v`.
    pub by_p: Vec<f64>,
    /// See `by_v`.
    pub by_multipliers: Vec<f64>,
    /// See `by_v`.
    pub by_w: Vec<f64>,
    /// See `by_v`.
    pub by_r: Vec<f64>,
    mass_slope: Vec<f64>,
    by_contact: Vec<f64>,
}

/// A matrix to be filled: its entries, its leading dimension and the row to begin with.
struct Into<'a>(&'a mut [f64], usize, usize);

/// `factor` times the derivatives in FX of some rows by some columns; structural zeros where FX has none.
fn copy(l: &Layout, fx: &JacobianBlocks, rows: Block, columns: Block, factor: f64, into: Into<'_>) {
    let Into(out, ld, at) = into;
    let places = l.fx_position();
    let Some(k) = (0..places.len()).find(|&k| rows.start >= places[k].0.start && rows.end <= places[k].0.end)
    else {
        return;
    };
    let ((all, first), (height, _)) = (places[k], fx.shape[k]);
    for (j, column) in columns.range().enumerate() {
        for (i, row) in rows.range().enumerate() {
            let covered = column >= first;
            let value = if covered { fx.fx[k][row - all.start + (column - first) * height] } else { 0.0 };
            out[at + i + j * ld] = factor * value;
        }
    }
}

impl Linearization {
    /// Allocate.
    pub fn new(l: &Layout, options: &Options) -> Self {
        let d = &l.dims;
        let (m, rows) = (d.nl + d.nm, d.nv + d.nw + d.nr);
        let zeros = |n: usize| vec![0.0; n];
        Linearization {
            layout: *l,
            rda: zeros(l.m),
            fx: JacobianBlocks::new(l),
            gamma: Gamma::new(l, options.autonomous),
            contact: RealSolver::new(SolverKind::Lu, d.ns),
            contact_shift: zeros(d.ns),
            contact_slope: zeros(d.ns * d.np),
            position: zeros(d.nl * d.np),
            velocity: zeros(m * d.nv),
            rate: zeros(m * d.np),
            kinematic: zeros(d.np * d.nv),
            acceleration: zeros(m),
            by_v: zeros(rows * d.nv),
            by_p: zeros(rows * d.np),
            by_multipliers: zeros(rows * m),
            by_w: zeros(rows * d.nw),
            by_r: zeros(rows * d.nr),
            mass_slope: zeros(d.nv * d.np),
            by_contact: zeros(rows.max(m).max(d.nl) * d.ns),
        }
    }

    /// s', of the last point.
    pub fn contact_rate(&self) -> &[f64] {
        &self.gamma.contact_rate
    }

    /// Evaluate the model; `slope` is the factor h ρ of the rows b.
    #[allow(clippy::too_many_arguments)] // what an iterate consists of
    pub fn evaluate(
        &mut self,
        system: &mut dyn System,
        derivatives: &mut Derivatives,
        mass: &mut Mass,
        (t, x): (f64, &[f64]),
        a: &[f64],
        (h, slope): (f64, f64),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let model = &mut Calls { system, stats };
        model.eom(t, x, &mut self.rda)?;
        derivatives.jacobian(model, t, x, &mut self.fx)?;
        mass.evaluate(model.system, t, x, &mut model.stats.nmas)?;
        derivatives.mass_times(model, (t, x), a, &mut self.mass_slope)?;
        let at = At { t, x, rda: &self.rda };
        self.gamma.by_jacobian(model, &self.fx, at, span(h))?;
        self.follow_contacts()?;
        self.constraints(a);
        self.motion(slope);
        Ok(())
    }

    /// Contact points as functions of the positions.
    fn follow_contacts(&mut self) -> Result<(), Halt> {
        let l = &self.layout;
        let ns = l.dims.ns;
        if ns == 0 {
            return Ok(());
        }
        copy(l, &self.fx, l.rda.c, l.x.s, -1.0, Into(self.contact.matrix_mut(), ns, 0));
        copy(l, &self.fx, l.rda.c, l.x.p, 1.0, Into(&mut self.contact_slope, ns, 0));
        self.contact.factor()?;
        self.contact_slope.chunks_exact_mut(ns).for_each(|column| self.contact.solve(column));
        self.contact_shift.iter_mut().zip(l.rda.c.of(&self.rda)).for_each(|(s, c)| *s = -c);
        self.contact.solve(&mut self.contact_shift);
        Ok(())
    }

    /// G, C, Ċ, Z and the residual on acceleration level.
    fn constraints(&mut self, a: &[f64]) {
        let l = self.layout;
        let d = &l.dims;
        let (m, levels) = (d.nl + d.nm, Block { start: l.rda.g_velocity.start, end: l.rda.h.end });
        copy(&l, &self.fx, l.rda.g, l.x.p, -1.0, Into(&mut self.position, d.nl, 0));
        copy(&l, &self.fx, levels, l.x.v, -1.0, Into(&mut self.velocity, m, 0));
        copy(&l, &self.fx, levels, l.x.p, -1.0, Into(&mut self.rate, m, 0));
        copy(&l, &self.fx, l.rda.f_kin, l.x.v, -1.0, Into(&mut self.kinematic, d.np, 0));
        if d.ns > 0 {
            copy(&l, &self.fx, l.rda.g, l.x.s, -1.0, Into(&mut self.by_contact, d.nl, 0));
            add_mul(d.nl, d.ns, d.np, 1.0, &self.by_contact, &self.contact_slope, &mut self.position);
            copy(&l, &self.fx, levels, l.x.s, -1.0, Into(&mut self.by_contact, m, 0));
            add_mul(m, d.ns, d.np, 1.0, &self.by_contact, &self.contact_slope, &mut self.rate);
        }
        crate::linalg::products::mul_vec(m, d.nv, &self.velocity, a, &mut self.acceleration);
        self.acceleration.iter_mut().zip(&self.gamma.value).for_each(|(q, gamma)| *q += gamma);
    }

    /// Derivatives of F.
    fn motion(&mut self, slope: f64) {
        let l = self.layout;
        let d = &l.dims;
        let rows = d.nv + d.nw + d.nr;
        let parts = [(l.rda.f_dyn, 0, 1.0), (l.rda.d, d.nv, 1.0), (l.rda.b, d.nv + d.nw, slope)];
        for (of, at, factor) in parts {
            for (columns, out) in [
                (l.x.v, &mut self.by_v),
                (l.x.p, &mut self.by_p),
                (l.x.multipliers, &mut self.by_multipliers),
                (l.x.w, &mut self.by_w),
                (l.x.r, &mut self.by_r),
                (l.x.s, &mut self.by_contact),
            ] {
                copy(&l, &self.fx, of, columns, factor, Into(out, rows, at));
            }
        }
        (0..d.nr).for_each(|i| self.by_r[d.nv + d.nw + i + i * rows] += 1.0);
        add_mul(rows, d.ns, d.np, 1.0, &self.by_contact, &self.contact_slope, &mut self.by_p);
        for (column, slope) in
            self.by_p.chunks_exact_mut(rows.max(1)).zip(self.mass_slope.chunks_exact(d.nv.max(1)))
        {
            column.iter_mut().zip(slope).for_each(|(c, s)| *c += s);
        }
    }
}
