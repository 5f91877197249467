//! What gluing needs to know of a model: masses, forces, constraints and their derivatives, from the callbacks of a [`System`].
//!
//! Everything here goes through [`crate::model::derivatives`].

use crate::decompose::DecompositionKind;
use crate::error::Code;
use crate::layout::{Block, Layout};
use crate::model::blocks::{self, Scales};
use crate::model::index1::{add_mass, decompose_velocity_constraints, span};
use crate::model::{At, Calls, Derivatives, Gamma, Halt, IterationMatrix, Mass, Trouble, Unknowns};
use crate::options::{MassStructure, Options};
use crate::rank::RankPolicy;
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
    shifted: Vec<f64>,
    gamma: Gamma,
    analytic: bool,
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
            shifted: vec![0.0; layout.m],
            gamma: Gamma::new(&layout, false),
            analytic: system.has_jacobian(),
            stats: Stats::default(),
            layout,
        }
    }

    /// EOM and MAS at (t, x).
    pub fn evaluate(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<(), Trouble> {
        Calls { system, stats: &mut self.stats }.eom(t, x, &mut self.rda)?;
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
        let model = &mut Calls { system, stats: &mut self.stats };
        self.derivatives.jacobian(model, t, x, &mut self.fx)?;
        self.mass.evaluate(model.system, t, x, &mut model.stats.nmas)?;
        self.derivatives.mass_times(model, (t, x), a, &mut self.mass_slope)
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

    /// ∂g/∂p.
    pub fn constraint_by_position(&self, k: usize, j: usize) -> f64 {
        let l = &self.layout;
        let rows = self.fx.shape[2].0;
        let (row, column) =
            (l.rda.g.start - l.rda.rows3.start + k, l.x.p.start - l.x.contact_position.start + j);
        -self.fx.fx[2][row + column * rows]
    }

    /// The matrix of a step.
    pub fn add_step(&self, matrix: &mut dyn IterationMatrix, u: &Unknowns, scales: Scales) {
        let (nv, np) = (self.layout.dims.nv, self.layout.dims.np);
        add_mass(matrix, &self.mass, nv, 1.0);
        if !self.mass_slope.is_empty() {
            let whole = (Block { start: 0, end: nv }, Block { start: 0, end: np });
            let place = (u.a.start, u.position().start);
            matrix.add_block(&self.mass_slope, nv, whole, place, scales.by_p);
        }
        blocks::add_step(matrix, &self.layout, u, &self.fx, scales);
    }

    /// The matrix of accelerations and velocities at a point; unknowns that are not there keep their values.
    pub fn add_accelerations(&self, matrix: &mut dyn IterationMatrix, u: &Unknowns) {
        add_mass(matrix, &self.mass, self.layout.dims.nv, 1.0);
        blocks::add_accelerations(matrix, &self.layout, u, &self.fx);
        [u.slope, u.s, u.q].into_iter().for_each(|block| matrix.add_identity(block));
    }

    /// Constraints that depend on others, on velocity level.
    pub fn count_dependent(&self) -> usize {
        let m = self.layout.dims.nl + self.layout.dims.nm;
        if m == 0 {
            return 0;
        }
        let decomposed = decompose_velocity_constraints(DecompositionKind::Svd, &self.layout, &self.fx);
        decomposed.map_or(0, |d| m - RankPolicy::of_constraints(self.analytic, d.magnitudes()))
    }

    /// FX1: -∂d/∂w.
    pub fn negative_auxiliary_by_w(&self, i: usize, j: usize) -> f64 {
        let l = &self.layout;
        let row = l.rda.d.start - l.rda.rows1.start + i;
        self.fx.fx[0][row + (l.x.w.start + j) * self.fx.shape[0].0]
    }

    /// FX1..FX6 alone.
    pub fn differentiate(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<(), Trouble> {
        let model = &mut Calls { system, stats: &mut self.stats };
        self.derivatives.jacobian(model, t, x, &mut self.fx)
    }

    /// Z.
    pub fn position_rate_by_velocity(&self, i: usize, j: usize) -> f64 {
        -self.fx.fx[5][i + j * self.fx.shape[5].0]
    }

    /// p' at another point.
    pub fn position_rate(&mut self, system: &mut dyn System, t: f64, x: &[f64]) -> Result<&[f64], Trouble> {
        Calls { system, stats: &mut self.stats }.eom(t, x, &mut self.shifted)?;
        Ok(self.layout.rda.f_kin.of(&self.shifted))
    }

    /// What gI' and h' have beside v'. FX1..FX6 must be those of this point.
    pub fn evaluate_gamma(
        &mut self,
        system: &mut dyn System,
        t: f64,
        x: &[f64],
        h: f64,
    ) -> Result<(), Trouble> {
        let at = At { t, x, rda: &self.rda };
        let model = &mut Calls { system, stats: &mut self.stats };
        self.gamma.by_jacobian(model, &self.fx, at, span(h)).map_err(|halt| match halt {
            Halt::Model(trouble) => trouble,
            _ => Trouble::Stop { code: Code::SingularNewtonMatrix, not_finite: false },
        })
    }

    /// The same: of gI, then of h.
    pub fn gamma(&self) -> &[f64] {
        &self.gamma.value
    }

    /// FX2 a, the rows gI and h: -G Z a, -H Z a.
    pub fn negative_constraint_acceleration(&self, row: usize, a: &[f64]) -> f64 {
        let ld = self.fx.shape[1].0;
        a.iter().enumerate().map(|(j, a)| self.fx.fx[1][row + j * ld] * a).sum()
    }

    /// p'' without Z v': (Z v)_p p' + (Z v)_s s'.
    pub fn position_curvature(&self, out: &mut [f64]) {
        let l = &self.layout;
        let (fx, ld, first) = (&self.fx.fx[5], self.fx.shape[5].0, l.x.v.start);
        for (i, out) in out.iter_mut().enumerate() {
            let along = |block: Block, rate: &[f64]| -> f64 {
                block.range().zip(rate).map(|(j, r)| fx[i + (j - first) * ld] * r).sum()
            };
            *out = -along(l.x.p, l.rda.f_kin.of(&self.rda)) - along(l.x.s, &self.gamma.contact_rate);
        }
    }
}
