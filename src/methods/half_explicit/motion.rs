//! The equations of motion at a point, solved for what an explicit method needs: rates of r, v, p and, with them, the
//! multipliers and the algebraic variables.
//!
//! For f_dyn = f - Cᵀ(λ, μ), the rule, the multipliers follow from the rows gII, hI, which the model gives with λ = μ = 0 as
//! C M⁻¹f + γ ([`Saddle::solve_reduced`]). If these rows are absent (FORM=1) or M is not definite, γ is the rate of
//! (gI, h) along the motion at constant v. If forces depend on the multipliers otherwise (friction), or there are
//! variables w, Newton's method on the rows d, gII, hI takes the place of the linear equation. A model may supply f, γ, M and C
//! themselves ([`System::parts`]).

use super::saddle::{Defect, Saddle};
use crate::error::Code;
use crate::jacobian::Differences;
use crate::layout::{Form, Layout};
use crate::linalg::lu::LuReal;
use crate::linalg::{all_finite, dense};
use crate::model::{self, Mass, Trouble};
use crate::options::Options;
use crate::stats::Stats;
use crate::system::{JacobianBlocks, Outcome, Parts, System};

/// Iterations for w, λ, μ or s, and for the projection.
pub const MAX_ITERATIONS: usize = 12;
/// Relative size of a correction that is only rounding.
const ROUNDING: f64 = 1e-14;
/// Contraction beyond which the matrix of the contact equations is renewed; a better one is not relied on.
const SLOW: f64 = 0.02;
/// Cᵀ and ∂f_dyn/∂(λ, μ) agree if they differ by less than this, relative to the largest entry.
const SAME_FORCE: f64 = 1e-7;

/// Why a point could not be used.
#[derive(Clone, Debug)]
pub enum Halt {
    /// The model.
    Trouble(Trouble),
    /// A matrix.
    Defect(Defect),
    /// Newton's method for s or w, λ, μ.
    Diverged,
    /// This method is not for this model: what stands against it.
    Refused(&'static str),
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Halt::Trouble(trouble)
    }
}

impl From<Defect> for Halt {
    fn from(defect: Defect) -> Self {
        Halt::Defect(defect)
    }
}

/// Where C comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Not yet known.
    Unknown,
    /// [`System::parts`]; then p' = v.
    Supplied,
    /// JAC.
    Jacobian,
    /// Differences of EOM.
    Differences,
}

/// What is asked of a model that supplies parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// All that a rate needs.
    Stage,
    /// M, C and the rows gI, h.
    Matrices,
    /// What a rate needs beside the matrices.
    Forces,
    /// The rows g.
    Positions,
}

/// The equations, with the last point that was evaluated.
#[derive(Debug)]
pub struct Motion {
    layout: Layout,
    autonomous: bool,
    /// The point; w, λ, μ and s are found, the rest is given.
    pub x: Vec<f64>,
    /// Rows of EOM there, f_dyn and b for the multipliers found.
    pub rda: Vec<f64>,
    /// The mass matrix there.
    pub mass: Mass,
    /// Decomposed there.
    pub saddle: Saddle,
    /// Where C comes from.
    pub source: Source,
    c: Vec<f64>,
    fx: JacobianBlocks,
    differences: Differences,
    typical: Vec<f64>,
    algebraic: LuReal,
    contact: LuReal,
    /// ν, or another vector of the length of the constraints.
    nu: Vec<f64>,
    step: Vec<f64>,
    moved: Vec<f64>,
    rows: Vec<f64>,
}

impl Motion {
    /// At no point yet. `typical` is ATOL/RTOL for each component of x.
    pub fn new(layout: &Layout, options: &Options, saddle: Saddle, typical: &[f64]) -> Self {
        let m = layout.dims.nl + layout.dims.nm;
        Motion {
            layout: *layout,
            autonomous: options.autonomous,
            x: vec![0.0; layout.n],
            rda: vec![0.0; layout.m],
            mass: Mass::new(layout, options.mass),
            saddle,
            source: Source::Unknown,
            c: vec![0.0; m * layout.dims.nv],
            fx: JacobianBlocks::new(layout),
            differences: Differences::new(layout),
            typical: typical.to_vec(),
            algebraic: LuReal::new(layout.n1()),
            contact: LuReal::new(layout.dims.ns),
            nu: vec![0.0; m],
            step: vec![0.0; layout.n1().max(layout.dims.ns)],
            moved: vec![0.0; layout.n],
            rows: vec![0.0; layout.m],
        }
    }

    /// Set r, v, p; the rest of the point stays as a first guess.
    fn place(&mut self, y: &[f64]) {
        let b = self.layout.x;
        let nrv = b.v.end - b.r.start;
        self.x[b.r.start..b.v.end].copy_from_slice(&y[..nrv]);
        b.p.of_mut(&mut self.x).copy_from_slice(&y[nrv..]);
    }

    /// y = (r, v, p): its rate, with w, λ, μ and s of the point in `x`. h is the size of the step, for differences in time.
    pub fn rate(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        y: &[f64],
        rate: &mut [f64],
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        self.place(y);
        if self.source == Source::Unknown {
            self.choose_source(system, t);
        }
        if self.source == Source::Supplied {
            self.ask(system, t, Ask::Stage, stats)?;
            self.saddle.decompose(&self.mass, &self.c)?;
            self.solve_supplied(stats);
        } else {
            self.settle_contact(system, t, stats)?;
            self.mass.evaluate(system, t, &self.x, &mut stats.nmas)?;
            let coupled = self.constraint_matrix(system, t, stats)?;
            self.saddle.decompose(&self.mass, &self.c)?;
            if coupled {
                self.solve_coupled(system, (t, h), stats)?;
            } else {
                self.layout.x.multipliers.of_mut(&mut self.x).fill(0.0);
                self.evaluate(system, t, stats)?;
                self.solve_linear(system, (t, h), stats)?;
            }
        }
        stats.npdec += 1;
        self.write_rate(rate);
        Ok(())
    }

    /// The matrices at y and the rows gI, h. For supplied parts only; then [`Motion::rate_with_matrices`].
    pub fn matrices(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        self.place(y);
        self.ask(system, t, Ask::Matrices, stats)?;
        self.saddle.decompose(&self.mass, &self.c)?;
        stats.npdec += 1;
        Ok(())
    }

    /// The rate at y, which differs in v alone from the point of the matrices.
    pub fn rate_with_matrices(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        rate: &mut [f64],
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        self.place(y);
        self.ask(system, t, Ask::Forces, stats)?;
        self.solve_supplied(stats);
        self.write_rate(rate);
        Ok(())
    }

    fn write_rate(&self, rate: &mut [f64]) {
        let (b, rows) = (self.layout.x, self.layout.rda);
        let (nr, nrv) = (b.r.len(), b.v.end - b.r.start);
        rate[..nr].copy_from_slice(rows.b.of(&self.rda));
        rate[nr..nrv].copy_from_slice(rows.f_dyn.of(&self.rda));
        let moving = if self.source == Source::Supplied { b.v.of(&self.x) } else { rows.f_kin.of(&self.rda) };
        rate[nrv..].copy_from_slice(moving);
    }

    /// Rows of EOM at y, contact points settled, with the multipliers in hand; of supplied parts the rows g alone.
    pub fn residuals(
        &mut self,
        system: &mut dyn System,
        t: f64,
        y: &[f64],
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        self.place(y);
        if self.source == Source::Supplied {
            return self.ask(system, t, Ask::Positions, stats);
        }
        self.settle_contact(system, t, stats)?;
        self.evaluate(system, t, stats)
    }

    fn evaluate(&mut self, system: &mut dyn System, t: f64, stats: &mut Stats) -> Result<(), Halt> {
        stats.neom += 1;
        Ok(model::eom(system, Code::StoppedByEom, t, &self.x, &mut self.rda)?)
    }

    /// Parts that the model supplies.
    fn ask(&mut self, system: &mut dyn System, t: f64, ask: Ask, stats: &mut Stats) -> Result<(), Halt> {
        let (rows, mut parts) = (self.layout.rda, Parts::default());
        let (matrices, forces) =
            (matches!(ask, Ask::Stage | Ask::Matrices), matches!(ask, Ask::Stage | Ask::Forces));
        let written = match ask {
            Ask::Stage | Ask::Forces => rows.f_dyn.range(),
            Ask::Matrices => rows.g_velocity.start..rows.h.end,
            Ask::Positions => rows.g.range(),
        };
        let vector = Some(&mut self.rda[written.clone()]);
        if matrices {
            stats.njac += 1;
            self.c.fill(0.0);
            parts.constraint = Some(&mut self.c);
            parts.mass = self.mass.receive();
        }
        let with_mass = parts.mass.is_some();
        stats.nmas += u64::from(with_mass);
        stats.neom += u64::from(ask != Ask::Matrices);
        match ask {
            Ask::Stage | Ask::Forces => (parts.force, parts.at_rest) = (vector, Some(&mut self.nu[..])),
            Ask::Matrices => parts.velocity = vector,
            Ask::Positions => parts.position = vector,
        }
        let outcome = system.parts(t, &self.x, parts).unwrap_or(Outcome::Stop);
        // What a refused call left in M is none.
        let finite = !with_mass || outcome != Outcome::Continue || self.mass.received();
        let (vector, c, nu) = (&self.rda[written], &self.c, &self.nu);
        let finite =
            || finite && all_finite(vector) && (!matrices || all_finite(c)) && (!forces || all_finite(nu));
        Ok(model::check(outcome, Code::StoppedByParts, finite)?)
    }

    /// λ, μ and the acceleration (in place of f_dyn) from supplied parts.
    fn solve_supplied(&mut self, stats: &mut Stats) {
        let (b, rows) = (self.layout.x, self.layout.rda);
        // C a = -γ.
        self.nu.iter_mut().for_each(|nu| *nu = -*nu);
        self.saddle.solve(rows.f_dyn.of_mut(&mut self.rda), &mut self.nu);
        b.multipliers.of_mut(&mut self.x).copy_from_slice(&self.nu);
        stats.nbsub += 1;
    }

    /// C; true if the forces depend on w, λ, μ otherwise than by -Cᵀ(λ, μ).
    fn constraint_matrix(
        &mut self,
        system: &mut dyn System,
        t: f64,
        stats: &mut Stats,
    ) -> Result<bool, Halt> {
        let m = self.nu.len();
        if m == 0 && self.layout.dims.nw == 0 {
            return Ok(false);
        }
        self.linearize(system, t, stats)?;
        let (nv, m2) = (self.layout.dims.nv, self.layout.m2());
        let fx2 = &self.fx.fx[1];
        for (c, column) in self.c.chunks_exact_mut(m.max(1)).zip(fx2.chunks_exact(m2.max(1))).take(nv) {
            c.iter_mut().zip(column).for_each(|(c, fx)| *c = -fx);
        }
        let coupled = self.layout.dims.nw > 0 || self.has_other_forces();
        if coupled && self.layout.form == Form::Index1 {
            let why = "w, or forces that depend on lambda or mu, need the rows gII and hI (FORM=0)";
            return Err(Halt::Refused(why));
        }
        Ok(coupled)
    }

    /// Decided once: parts if the model supplies them, otherwise C from the Jacobian.
    fn choose_source(&mut self, system: &mut dyn System, t: f64) {
        let suits = Parts::suit(&self.layout.dims);
        self.source = if suits && system.parts(t, &self.x, Parts::default()).is_some() {
            Source::Supplied
        } else if system.has_jacobian() {
            Source::Jacobian
        } else {
            Source::Differences
        };
    }

    /// FX1..FX6 at the point.
    fn linearize(&mut self, system: &mut dyn System, t: f64, stats: &mut Stats) -> Result<(), Halt> {
        stats.njac += 1;
        let mut calls = 0;
        let result = if self.source == Source::Differences {
            let (code, fx) = (Code::StoppedByEomInDifferences, &mut self.fx);
            let point = (t, &self.x[..]);
            let (l, typical) = (&self.layout, &self.typical);
            let result = self.differences.evaluate(system, l, code, true, point, typical, fx, &mut calls);
            stats.eom_for_differences += calls;
            result
        } else {
            let result = model::jacobian(system, t, &self.x, &mut self.fx, &mut calls);
            stats.njac += calls.saturating_sub(1);
            result
        };
        Ok(result?)
    }

    /// FX5 for (λ, μ) against Cᵀ.
    fn has_other_forces(&self) -> bool {
        let (m, nv, first) = (self.nu.len(), self.layout.dims.nv, self.layout.x.multipliers.start);
        let fx5 = &self.fx.fx[4][first * nv..];
        let (mut largest, mut difference) = (0.0f64, 0.0f64);
        for (j, c) in self.c.chunks_exact(m.max(1)).enumerate() {
            for (i, c) in c.iter().enumerate() {
                largest = largest.max(c.abs());
                difference = difference.max((c - fx5[j + i * nv]).abs());
            }
        }
        difference > SAME_FORCE * largest
    }

    /// λ, μ and the acceleration (in place of f_dyn) from linear equations, EOM being evaluated with λ = μ = 0.
    fn solve_linear(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let (b, rows) = (self.layout.x, self.layout.rda);
        if self.layout.form == Form::StrangenessFree && !self.saddle.is_whole() {
            self.nu.copy_from_slice(&self.rda[rows.g_acceleration.start..rows.h_acceleration.end]);
            let f = rows.f_dyn.of_mut(&mut self.rda);
            self.saddle.solve_reduced(f, &mut self.nu);
        } else {
            self.constraint_rate(system, (t, h), stats)?;
            let f = rows.f_dyn.of_mut(&mut self.rda);
            self.saddle.solve(f, &mut self.nu);
        }
        b.multipliers.of_mut(&mut self.x).copy_from_slice(&self.nu);
        stats.nbsub += 1;
        self.add_to_forces()
    }

    /// b for the multipliers found: it was evaluated without them.
    fn add_to_forces(&mut self) -> Result<(), Halt> {
        let (rows, first) = (self.layout.rda, self.layout.x.multipliers.start);
        let nr = rows.b.len();
        if nr > 0 && !self.nu.is_empty() {
            let fx4 = &self.fx.fx[3][first * nr..];
            dense::add_mul_vec(nr, self.nu.len(), -1.0, fx4, &self.nu, rows.b.of_mut(&mut self.rda));
        }
        Ok(())
    }

    /// ν := -γ, minus the rate of (gI, h) at constant v, for EOM evaluated at the point.
    fn constraint_rate(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let (l, m) = (self.layout, self.nu.len());
        if m == 0 {
            return Ok(());
        }
        if l.dims.ns > 0 {
            return Err(Halt::Refused(
                "contact variables s need the rows gII (FORM=0) and a definite mass matrix",
            ));
        }
        let exact = self.source == Source::Jacobian;
        self.nu.fill(0.0);
        if exact {
            // γ = -FX2(p) f_kin + time.
            let fx2p = &self.fx.fx[1][l.dims.nv * l.m2()..];
            for (column, rate) in fx2p.chunks_exact(l.m2()).zip(l.rda.f_kin.of(&self.rda)) {
                self.nu.iter_mut().zip(column).for_each(|(nu, fx)| *nu += fx * rate);
            }
            if self.autonomous {
                return Ok(());
            }
        }
        // Central difference along (p', 1), or in time alone.
        let dt = f64::EPSILON.cbrt() * h.max(1e-3 * t.abs());
        for (sign, weight) in [(1.0, -0.5 / dt), (-1.0, 0.5 / dt)] {
            self.moved.copy_from_slice(&self.x);
            if !exact {
                for (p, rate) in l.x.p.of_mut(&mut self.moved).iter_mut().zip(l.rda.f_kin.of(&self.rda)) {
                    *p += sign * dt * rate;
                }
            }
            stats.neom += 1;
            model::eom(system, Code::StoppedByEom, t + sign * dt, &self.moved, &mut self.rows)?;
            let rows = &self.rows[l.rda.g_velocity.start..l.rda.h.end];
            self.nu.iter_mut().zip(rows).for_each(|(nu, row)| *nu += weight * row);
        }
        Ok(())
    }

    /// w, λ, μ from d, gII, hI by Newton's method, then the acceleration in place of f_dyn.
    fn solve_coupled(
        &mut self,
        system: &mut dyn System,
        (t, h): (f64, f64),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let (l, n1) = (self.layout, self.layout.n1());
        let m1 = l.m1();
        self.algebraic.matrix_mut().copy_from_slice(&self.fx.fx[0][..m1 * n1]);
        self.algebraic.factor().map_err(|_| Defect::Constraints(None))?;
        let mut before = f64::INFINITY;
        for iteration in 0..MAX_ITERATIONS {
            self.evaluate(system, t, stats)?;
            let step = &mut self.step[..n1];
            step.copy_from_slice(l.rda.rows1.of(&self.rda));
            self.algebraic.solve(step);
            stats.nbsub += 1;
            let x = l.x.algebraic.of_mut(&mut self.x);
            let scale = x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
            let size = step.iter().fold(0.0f64, |s, d| s.max(d.abs()));
            x.iter_mut().zip(&*step).for_each(|(x, d)| *x += d);
            let scale = x.iter().fold(scale, |s, x| s.max(x.abs()));
            // Rows and forces follow linearly what was added last.
            for (k, rows) in [(3, l.rda.b), (4, l.rda.f_dyn)] {
                let n = rows.len();
                dense::add_mul_vec(n, n1, -1.0, &self.fx.fx[k], step, rows.of_mut(&mut self.rda));
            }
            let stalled = iteration > 0 && size > 0.3 * before;
            let rate = contraction(size, before);
            if size * rate.max(SLOW) <= ROUNDING * scale || (stalled && size <= 1e-9 * scale) || size == 0.0 {
                return self.acceleration(system, (t, h), stats);
            }
            if !size.is_finite() || (stalled && size > before) {
                return Err(Halt::Diverged);
            }
            before = size;
        }
        Err(Halt::Diverged)
    }

    /// f_dyn := a, the multipliers being known.
    fn acceleration(
        &mut self,
        system: &mut dyn System,
        point: (f64, f64),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        if self.saddle.is_whole() {
            self.constraint_rate(system, point, stats)?;
            self.saddle.solve(self.layout.rda.f_dyn.of_mut(&mut self.rda), &mut self.nu);
        } else {
            self.saddle.solve_mass(self.layout.rda.f_dyn.of_mut(&mut self.rda));
        }
        Ok(())
    }

    /// s from c(p, s) = 0 by Newton's method.
    fn settle_contact(&mut self, system: &mut dyn System, t: f64, stats: &mut Stats) -> Result<(), Halt> {
        let (l, ns) = (self.layout, self.layout.dims.ns);
        if ns == 0 {
            return Ok(());
        }
        let (mut before, mut stalled) = (f64::INFINITY, true);
        for _ in 0..MAX_ITERATIONS {
            self.evaluate(system, t, stats)?;
            if stalled {
                self.linearize(system, t, stats)?;
                let m3 = l.m3();
                for (j, column) in self.contact.matrix_mut().chunks_exact_mut(ns).enumerate() {
                    column.copy_from_slice(&self.fx.fx[2][j * m3..j * m3 + ns]);
                }
                self.contact.factor().map_err(|_| Defect::Constraints(None))?;
            }
            let step = &mut self.step[..ns];
            step.copy_from_slice(l.rda.c.of(&self.rda));
            self.contact.solve(step);
            let s = l.x.s.of_mut(&mut self.x);
            let (mut size, mut scale) = (0.0f64, 0.0f64);
            for ((s, d), typical) in s.iter_mut().zip(&*step).zip(l.x.s.of(&self.typical)) {
                *s += d;
                size = size.max(d.abs());
                scale = scale.max(s.abs().max(*typical));
            }
            let (last, rate) = (stalled, contraction(size, before));
            stalled = rate > SLOW;
            if size * rate.max(SLOW) <= ROUNDING * scale || (last && size <= 1e-11 * scale) {
                return Ok(());
            }
            if !size.is_finite() || (last && size > 2.0 * before) {
                return Err(Halt::Diverged);
            }
            before = size;
        }
        Err(Halt::Diverged)
    }

    /// p += Z u with Z of the last point whose rate was taken.
    pub fn move_positions(&self, u: &[f64], p: &mut [f64]) {
        if self.source == Source::Supplied {
            p.iter_mut().zip(u).for_each(|(p, u)| *p += u);
        } else {
            dense::add_mul_vec(p.len(), u.len(), -1.0, &self.fx.fx[5], u, p);
        }
    }
}

/// Ratio of two corrections, 1 for the first one.
fn contraction(size: f64, before: f64) -> f64 {
    if before.is_finite() {
        (size / before).min(1.0)
    } else {
        1.0
    }
}
