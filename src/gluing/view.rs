//! What gluing needs to know of a model: masses, forces, constraints and their derivatives, from the callbacks of a [`System`].
//!
//! Everything here goes through [`crate::model::derivatives`].

use crate::error::Code;
use crate::layout::{Block, Layout};
use crate::model::derivatives::Derivatives;
use crate::model::{self, Mass, Trouble};
use crate::options::{MassStructure, Options};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};

/// The derived objects of a model at one point.
#[derive(Debug)]
pub struct View {
    /// Where everything is.
    pub layout: Layout,
    /// Calls made.
    pub stats: Stats,
    derivatives: Derivatives,
    fx: JacobianBlocks,
    mass: Mass,
    mass_slope: Vec<f64>,
    rda: Vec<f64>,
    early: Vec<f64>,
    late: Vec<f64>,
}

impl View {
    /// Of a model whose mass matrix has this structure.
    pub fn new(system: &dyn System, mass: MassStructure) -> Self {
        let layout = Layout::new(system.dimensions(), system.form());
        let options = Options { mass, form: layout.form, ..Options::default() };
        let varying = if mass.is_constant() { 0 } else { layout.dims.nv * layout.dims.np };
        View {
            derivatives: Derivatives::new(&layout, &options, system.has_jacobian(), vec![1.0; layout.n]),
            fx: JacobianBlocks::new(&layout),
            mass: Mass::new(&layout, mass),
            mass_slope: vec![0.0; varying],
            rda: vec![0.0; layout.m],
            early: vec![0.0; layout.m],
            late: vec![0.0; layout.m],
            stats: Stats::default(),
            layout,
        }
    }

    /// EOM and MAS at (t, x).
    pub fn evaluate(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<(), Trouble> {
        self.stats.neom += 1;
        model::eom(system, Code::StoppedByEom, t, x, &mut self.rda)?;
        self.mass.evaluate(system, t, x, &mut self.stats.nmas)
    }

    /// JAC, MAS and (M a)_p at (t, x).
    pub fn linearize(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
        a: &[f64],
    ) -> Result<(), Trouble> {
        self.derivatives.jacobian(system, t, x, &mut self.fx, &mut self.stats)?;
        self.mass.evaluate(system, t, x, &mut self.stats.nmas)?;
        self.derivatives.mass_times(system, (t, x), a, &mut self.mass_slope, &mut self.stats)
    }

    /// A block of the last evaluation.
    pub fn rows(&self, block: Block) -> &[f64] {
        block.of(&self.rda)
    }

    /// out := M a.
    pub fn mass_times(&mut self, a: &[f64], out: &mut [f64]) {
        self.mass.mul(1, a, out, &mut self.stats.mass_multiplications);
    }

    /// M, full.
    pub fn copy_mass(&self, out: &mut [f64]) {
        self.mass.copy_to(out);
    }

    /// M - by_v f_v + by_p [(M a)_p - f_p] into the leading block of a matrix with `ld` rows.
    pub fn stiffness(&self, (by_v, by_p): (f64, f64), out: &mut [f64], ld: usize) {
        let (l, nv) = (&self.layout, self.layout.dims.nv);
        let fx5 = &self.fx.fx[4];
        for j in 0..nv {
            let column = &mut out[j * ld..j * ld + nv];
            if self.mass.structure().is_diagonal() {
                column.fill(0.0);
                column[j] = self.mass.diagonal()[j];
            } else {
                column.copy_from_slice(&self.mass.full()[j * nv..(j + 1) * nv]);
            }
            let (of_v, of_p) = (&fx5[(l.x.v.start + j) * nv..], &fx5[(l.x.p.start + j) * nv..]);
            for (i, c) in column.iter_mut().enumerate() {
                *c += by_v * of_v[i] + by_p * of_p[i];
            }
            if !self.mass_slope.is_empty() {
                let slope = &self.mass_slope[j * nv..(j + 1) * nv];
                column.iter_mut().zip(slope).for_each(|(c, s)| *c += by_p * s);
            }
        }
    }

    /// -f_λ, NV by NL, entry by entry.
    pub fn force_by_multiplier(&self, i: usize, k: usize) -> f64 {
        self.fx.fx[4][i + (self.layout.x.lambda.start + k) * self.layout.dims.nv]
    }

    /// ∂g/∂p.
    pub fn constraint_by_position(&self, k: usize, j: usize) -> f64 {
        let l = &self.layout;
        let rows = self.fx.shape[2].0;
        let (row, column) =
            (l.rda.g.start - l.rda.rows3.start + k, l.x.p.start - l.x.contact_position.start + j);
        -self.fx.fx[2][row + column * rows]
    }

    /// ∂gI/∂v.
    pub fn constraint_by_velocity(&self, k: usize, j: usize) -> f64 {
        -self.velocity_rows(k, j)
    }

    /// FX2, row k of gI and column j of (v, s, p).
    fn velocity_rows(&self, k: usize, j: usize) -> f64 {
        let row = self.layout.rda.g_velocity.start - self.layout.rda.rows2.start + k;
        self.fx.fx[1][row + j * self.fx.shape[1].0]
    }

    /// gII without G v': (∂gI/∂p) p' + ∂gI/∂t, the second by differences.
    pub fn gamma(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<(), Trouble> {
        let l = self.layout;
        let d = f64::EPSILON.cbrt() * t.abs().max(1.0);
        self.stats.neom += 2;
        model::eom(system, Code::StoppedByEom, t + d, x, &mut self.late)?;
        model::eom(system, Code::StoppedByEom, t - d, x, &mut self.early)?;
        let (late, early) = (l.rda.g_velocity.of(&self.late), l.rda.g_velocity.of(&self.early));
        let first = l.x.p.start - l.x.v.start;
        for (k, out) in out.iter_mut().enumerate() {
            let moving = l.rda.f_kin.of(&self.rda).iter().enumerate();
            let sum: f64 = moving.map(|(j, p)| -self.velocity_rows(k, first + j) * p).sum();
            *out = sum + (late[k] - early[k]) / (2.0 * d);
        }
        Ok(())
    }
}
