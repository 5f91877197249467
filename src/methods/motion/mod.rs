//! The equations of motion at a point, solved for what an explicit method needs: rates of r, v, p and, with them, the
//! multipliers and the algebraic variables.
//!
//! For f_dyn = f - Cᵀ(λ, μ), the rule, the multipliers follow from the rows gII, hI, which the model gives with λ = μ = 0 as
//! C M⁻¹f + γ (`Saddle`). If these rows are absent (FORM=1) or M is not definite, γ is the rate of
//! (gI, h) along the motion at constant v. If forces depend on the multipliers otherwise (friction), or there are
//! variables w, Newton's method on the rows d, gII, hI takes the place of the linear equation. A model may supply f, γ, M and C
//! themselves ([`System::parts`]).

mod affine;
pub mod broyden;
mod nonlinear;
pub mod saddle;
mod save;
pub mod setback;
mod supplied;

use crate::layout::{Form, Layout};
use crate::linalg::{products, Factored, Linear, LuReal};
use crate::model::{index1, At, Calls, Derivatives, Gamma, Mass, Span, Trouble};
use crate::options::Options;
use crate::system::{JacobianBlocks, Parts, System};
use saddle::{Defect, Saddle};
use supplied::Ask;

/// Iterations for w, λ, μ or s, and for the projection.
pub const MAX_ITERATIONS: usize = 12;
/// Cᵀ and ∂f_dyn/∂(λ, μ) agree if they differ by less than this, relative to the largest entry.
pub(super) const SAME_FORCE: f64 = 1e-7;

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

impl From<index1::Halt> for Halt {
    fn from(halt: index1::Halt) -> Self {
        match halt {
            index1::Halt::Model(trouble) => Halt::Trouble(trouble),
            index1::Halt::Singular | index1::Halt::Dependent(_) => Halt::Defect(Defect::Constraints(None)),
            index1::Halt::NoConvergence => Halt::Diverged,
        }
    }
}

impl From<Defect> for Halt {
    fn from(defect: Defect) -> Self {
        Halt::Defect(defect)
    }
}

/// What is found at a point, or why it could not be used.
type Result<T = (), E = Halt> = std::result::Result<T, E>;

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

/// The equations, with the last point that was evaluated.
#[derive(Debug)]
pub struct Motion {
    pub(super) layout: Layout,
    /// The point; w, λ, μ and s are found, the rest is given.
    pub x: Vec<f64>,
    /// Rows of EOM there, f_dyn and b for the multipliers found.
    pub rda: Vec<f64>,
    /// The mass matrix there.
    pub mass: Mass,
    /// Decomposed there.
    pub saddle: Linear<Saddle>,
    /// Where C comes from.
    pub source: Source,
    /// The forces were seen to depend on λ, μ by -Cᵀ(λ, μ) alone.
    pub(super) suits: bool,
    pub(super) c: Vec<f64>,
    pub(super) fx: JacobianBlocks,
    derivatives: Derivatives,
    pub(super) typical: Vec<f64>,
    pub(super) algebraic: LuReal,
    pub(super) contact: LuReal,
    /// ν, or another vector of the length of the constraints.
    pub(super) nu: Vec<f64>,
    pub(super) step: Vec<f64>,
    pub(super) moved: Vec<f64>,
    /// Rows of EOM at another point.
    pub(super) rows: Vec<f64>,
    /// Multipliers to begin with, and f_dyn without any.
    pub(super) guess: Vec<f64>,
    pub(super) force: Vec<f64>,
    /// Forces were seen to depend on the multipliers otherwise than by -Cᵀ(λ, μ).
    pub(super) other_forces: bool,
    gamma: Gamma,
}

impl Motion {
    /// At no point yet. `typical` is ATOL/RTOL for each component of x.
    pub fn new(layout: &Layout, options: &Options, saddle: Saddle, analytic: bool, typical: &[f64]) -> Self {
        let m = layout.dims.nl + layout.dims.nm;
        Motion {
            layout: *layout,
            x: vec![0.0; layout.n],
            rda: vec![0.0; layout.m],
            mass: Mass::new(layout, options.mass),
            saddle: Linear::analysed(saddle),
            source: Source::Unknown,
            suits: false,
            c: vec![0.0; m * layout.dims.nv],
            fx: JacobianBlocks::new(layout),
            derivatives: Derivatives::of_rows(layout, analytic, true, typical.to_vec()),
            typical: typical.to_vec(),
            algebraic: LuReal::new(layout.n1()),
            contact: LuReal::new(layout.dims.ns),
            nu: vec![0.0; m],
            step: vec![0.0; layout.n1().max(layout.dims.ns)],
            moved: vec![0.0; layout.n],
            rows: vec![0.0; layout.m],
            guess: vec![0.0; m],
            force: vec![0.0; layout.dims.nv],
            other_forces: false,
            gamma: Gamma::new(layout, options.autonomous),
        }
    }

    /// As new: nothing of the model is known.
    pub fn forget(&mut self) {
        self.mass.forget();
        self.saddle.values().forget();
        (self.source, self.suits, self.other_forces) = (Source::Unknown, false, false);
        self.x.fill(0.0);
    }

    /// Set r, v, p; the rest of the point stays as a first guess.
    pub(super) fn place(&mut self, y: &[f64]) {
        put(&self.layout, y, &mut self.x);
    }

    /// r, v, p of y with w, λ, μ, s of the last rate.
    pub fn complete(&self, y: &[f64], x: &mut [f64]) {
        x.copy_from_slice(&self.x);
        put(&self.layout, y, x);
    }

    /// y = (r, v, p): its rate, with w, λ, μ and s of the point in `x`. h is the size of the step, for differences in time.
    pub fn rate(&mut self, model: &mut Calls<'_>, (t, h): (f64, f64), y: &[f64], rate: &mut [f64]) -> Result {
        self.place(y);
        if self.source == Source::Unknown {
            self.choose_source(model.system, t);
        }
        if self.source == Source::Supplied {
            self.ask(model, t, Ask::Stage)?;
            self.decompose()?;
            self.solve_supplied(model.stats)?;
        } else {
            self.settle_contact(model, t)?;
            self.mass.evaluate(model.system, t, &self.x, &mut model.stats.nmas)?;
            if !(self.is_affine() && self.solve_affine(model, (t, h))?) {
                self.solve_linearized(model, (t, h))?;
            }
        }
        model.stats.npdec += 1;
        self.write_rate(rate);
        Ok(())
    }

    /// λ, μ and the acceleration (in place of f_dyn) with FX1..FX6.
    fn solve_linearized(&mut self, model: &mut Calls<'_>, point: (f64, f64)) -> Result {
        let coupled = self.constraint_matrix(model, point.0)?;
        self.decompose()?;
        if coupled {
            return self.solve_coupled(model, point);
        }
        self.layout.x.multipliers.of_mut(&mut self.x).fill(0.0);
        self.evaluate(model, point.0)?;
        self.solve_linear(model, point)?;
        self.add_to_forces();
        Ok(())
    }

    /// Factors of the matrices in hand.
    pub(super) fn decompose(&mut self) -> Result<(), Defect> {
        self.saddle.factor((), |saddle| saddle.decompose(&self.mass, &self.c)).map(|_| ())
    }

    pub(super) fn write_rate(&self, rate: &mut [f64]) {
        let (b, rows) = (self.layout.x, self.layout.rda);
        let (nr, nrv) = (b.r.len(), b.v.end - b.r.start);
        rate[..nr].copy_from_slice(rows.b.of(&self.rda));
        rate[nr..nrv].copy_from_slice(rows.f_dyn.of(&self.rda));
        let moving = if self.source == Source::Supplied { b.v.of(&self.x) } else { rows.f_kin.of(&self.rda) };
        rate[nrv..].copy_from_slice(moving);
    }

    /// Rows of EOM at y, contact points settled, with the multipliers in hand; of supplied parts the rows g alone.
    pub fn residuals(&mut self, model: &mut Calls<'_>, t: f64, y: &[f64]) -> Result {
        self.place(y);
        if self.source == Source::Supplied {
            return self.ask(model, t, Ask::Positions);
        }
        self.settle_contact(model, t)?;
        self.evaluate(model, t)
    }

    pub(super) fn evaluate(&mut self, model: &mut Calls<'_>, t: f64) -> Result {
        Ok(model.eom(t, &self.x, &mut self.rda)?)
    }

    /// C; true if the forces depend on w, λ, μ otherwise than by -Cᵀ(λ, μ).
    fn constraint_matrix(&mut self, model: &mut Calls<'_>, t: f64) -> Result<bool> {
        let m = self.nu.len();
        if m == 0 && self.layout.dims.nw == 0 {
            return Ok(false);
        }
        self.linearize(model, t)?;
        self.read_constraint_matrix()
    }

    /// C from FX2, compared with the forces in FX5; true if they depend on w, λ, μ otherwise than by -Cᵀ(λ, μ).
    fn read_constraint_matrix(&mut self) -> Result<bool> {
        let (m, nv, m2) = (self.nu.len(), self.layout.dims.nv, self.layout.m2());
        let (fx2, fx5) = (&self.fx.fx[1], &self.fx.fx[4][self.layout.x.multipliers.start * nv..]);
        // All are finite, so that a comparison will do where `max` looks for NaN.
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let (mut largest, mut difference) = (0.0, 0.0);
        for j in 0..nv {
            let (c, rows) = (&mut self.c[j * m..(j + 1) * m], &fx2[j * m2..j * m2 + m]);
            for i in 0..m {
                c[i] = -rows[i];
                largest = larger(largest, c[i].abs());
                difference = larger(difference, (c[i] - fx5[j + i * nv]).abs());
            }
        }
        let coupled = self.layout.dims.nw > 0 || difference > SAME_FORCE * largest;
        if coupled && self.layout.form == Form::Index1 {
            let why = "w, or forces that depend on lambda or mu, need the rows gII and hI (FORM=0)";
            // Differences at a stage that has run away show rounding errors of its forces.
            return Err(if self.suits { Halt::Diverged } else { Halt::Refused(why) });
        }
        self.suits |= !coupled;
        Ok(coupled)
    }

    /// FX1..FX6, M and C at (t, x), decomposed for a solution with all of them; true if the forces depend on w, λ, μ otherwise
    /// than by -Cᵀ(λ, μ). Then the block of FX1 for them is decomposed, too.
    pub fn linearize_all(&mut self, model: &mut Calls<'_>, (t, x): (f64, &[f64])) -> Result<bool> {
        self.x.copy_from_slice(x);
        self.mass.evaluate(model.system, t, &self.x, &mut model.stats.nmas)?;
        self.linearize(model, t)?;
        let coupled = self.read_constraint_matrix()?;
        self.decompose()?;
        if coupled {
            self.factor_algebraic()?;
        }
        model.stats.npdec += 1;
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
    pub(super) fn linearize(&mut self, model: &mut Calls<'_>, t: f64) -> Result {
        Ok(self.derivatives.jacobian(model, t, &self.x, &mut self.fx)?)
    }

    /// λ, μ and the acceleration (in place of f_dyn) from linear equations, EOM being evaluated with λ = μ = 0.
    pub(super) fn solve_linear(&mut self, model: &mut Calls<'_>, (t, h): (f64, f64)) -> Result {
        let (b, rows) = (self.layout.x, self.layout.rda);
        if self.layout.form == Form::StrangenessFree && !self.saddle.is_whole() {
            self.nu.copy_from_slice(&self.rda[rows.g_acceleration.start..rows.h_acceleration.end]);
            let f = rows.f_dyn.of_mut(&mut self.rda);
            factored(&mut self.saddle)?.solve_reduced(f, &mut self.nu);
        } else {
            self.constraint_rate(model, (t, h))?;
            let f = rows.f_dyn.of_mut(&mut self.rda);
            factored(&mut self.saddle)?.solve(f, &mut self.nu);
        }
        b.multipliers.of_mut(&mut self.x).copy_from_slice(&self.nu);
        model.stats.nbsub += 1;
        Ok(())
    }

    /// b for the multipliers found: it was evaluated without them.
    fn add_to_forces(&mut self) {
        let (rows, first) = (self.layout.rda, self.layout.x.multipliers.start);
        let nr = rows.b.len();
        if nr > 0 && !self.nu.is_empty() {
            let fx4 = &self.fx.fx[3][first * nr..];
            products::add_mul_vec(nr, self.nu.len(), -1.0, fx4, &self.nu, rows.b.of_mut(&mut self.rda));
        }
    }

    /// ν := -γ, minus the rate of (gI, h) at constant v, for EOM evaluated at the point.
    pub(super) fn constraint_rate(&mut self, model: &mut Calls<'_>, (t, h): (f64, f64)) -> Result {
        if self.nu.is_empty() {
            return Ok(());
        }
        if self.layout.dims.ns > 0 {
            return Err(Halt::Refused(
                "contact variables s need the rows gII (FORM=0) and a definite mass matrix",
            ));
        }
        let span = Span { narrow: f64::EPSILON.cbrt() * h, smooth: h, further: 0 };
        let at = At { t, x: &self.x, rda: &self.rda };
        if self.source == Source::Jacobian {
            self.gamma.by_jacobian(model, &self.fx, at, span)?;
        } else {
            self.gamma.along_motion(model, at, span)?;
        }
        self.nu.iter_mut().zip(&self.gamma.value).for_each(|(nu, gamma)| *nu = 0.0 - gamma);
        Ok(())
    }

    /// p += Z u with Z of the last point whose rate was taken.
    pub fn move_positions(&self, u: &[f64], p: &mut [f64]) {
        if self.source == Source::Supplied {
            p.iter_mut().zip(u).for_each(|(p, u)| *p += u);
        } else {
            products::add_mul_vec(p.len(), u.len(), -1.0, &self.fx.fx[5], u, p);
        }
    }
}

/// The factors of the last point.
pub(super) fn factored(saddle: &mut Linear<Saddle>) -> Result<Factored<'_, Saddle>, Defect> {
    saddle.factored().ok_or(Defect::Constraints(None))
}

/// y = (r, v, p) into its places in x.
#[inline]
fn put(layout: &Layout, y: &[f64], x: &mut [f64]) {
    let b = layout.x;
    let nrv = b.v.end - b.r.start;
    x[b.r.start..b.v.end].copy_from_slice(&y[..nrv]);
    b.p.of_mut(x).copy_from_slice(&y[nrv..]);
}
