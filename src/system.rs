//! The equations of motion, as the integrators see them.
//!
//! Every method of this crate works on the same model: [`System`]. A model answers each call with an
//! [`Outcome`]: go on, not here (try a smaller step), or stop.

use crate::layout::{Dimensions, Form, Layout};
use crate::linalg::{all_finite, Stored};

/// What a model says after it has been called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The result is valid.
    Continue,
    /// The model cannot be evaluated here; the step is repeated with a smaller size.
    Retry,
    /// End the integration.
    Stop,
}

/// What is asked for by [`System::parts`]: where to write it.
#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// f_dyn for λ = μ = 0, NV.
    pub force: Option<&'a mut [f64]>,
    /// The mass matrix, NV by NV; comes in as zeros.
    pub mass: Option<&'a mut [f64]>,
    /// C, the derivative of the rows (gI, h) with respect to v, NL+NM by NV; comes in as zeros.
    pub constraint: Option<&'a mut [f64]>,
    /// The rows gII, hI for v' = 0.
    pub at_rest: Option<&'a mut [f64]>,
    /// The rows gI, h.
    pub velocity: Option<&'a mut [f64]>,
    /// The rows g.
    pub position: Option<&'a mut [f64]>,
}

impl Parts<'_> {
    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        let Parts { force, mass, constraint, at_rest, velocity, position } = self;
        [force, mass, constraint, at_rest, velocity, position].iter().all(|part| part.is_none())
    }

    /// True if parts are asked of models with these dimensions: p' = v and f = f(p, v, t) leave no room for w, r and s.
    pub fn suit(d: &Dimensions) -> bool {
        d.nw + d.ns + d.nr == 0 && d.np == d.nv && d.nl + d.nm > 0
    }
}

/// Constrained equations of motion (1)-(8) of the GEOMS manual.
///
/// Arrays are column-major. The layout of `x`, `rda` and the Jacobian blocks is that of
/// [`Layout`], made from [`System::dimensions`] and [`System::form`].
pub trait System {
    /// Numbers of variables and constraints.
    fn dimensions(&self) -> Dimensions;

    /// The formulation for which [`System::eom`] supplies its rows.
    fn form(&self) -> Form {
        Form::StrangenessFree
    }

    /// Right-hand side of the reduced derivative array (EOM). `rda` has length M.
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome;

    /// Mass matrix, NV by NV, full storage whatever its structure (MAS).
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome;

    /// True if [`System::jacobian`] is supplied (IJAC=1); otherwise differences are used.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// NEGATIVE partial derivatives of the rows of RDA (JAC). Blocks come in as zeros.
    fn jacobian(&mut self, _t: f64, _x: &[f64], _fx: &mut JacobianBlocks) -> Outcome {
        Outcome::Stop
    }

    /// Number of initial value conditions (NIVCOND).
    fn initial_condition_count(&self) -> usize {
        0
    }

    /// Residuals of the initial value conditions (IVCOND).
    fn initial_conditions(&mut self, _t: f64, _x: &[f64], _cond: &mut [f64]) -> Outcome {
        Outcome::Continue
    }

    /// Derivative of `M(p,t)·a` with respect to p at fixed `a`, NV by NP; `None` if the model does
    /// not supply it, in which case a method that needs it takes differences of the mass matrix.
    fn mass_acceleration_dp(&mut self, _t: f64, _x: &[f64], _a: &[f64], _out: &mut [f64]) -> Option<Outcome> {
        None
    }

    /// The parts of the equations of motion that an explicit method asks for, and no others; `None` if the model does not
    /// supply them: then they are taken from [`System::eom`], [`System::mass`] and [`System::jacobian`], which costs more. The
    /// multipliers in `x` have no meaning here. To supply it says that p' = v, and that f_dyn depends on the multipliers
    /// by -Cᵀ(λ, μ) alone. A call that asks for nothing asks whether they are supplied.
    fn parts(&mut self, _t: f64, _x: &[f64], _parts: Parts<'_>) -> Option<Outcome> {
        None
    }

    /// Nonzero positions of the mass matrix and the Jacobian blocks; `None` means dense. Differences move the columns together
    /// that share no row, and method 1 stores large matrices by the pattern. What is not in the pattern is taken for zero.
    fn sparsity(&self) -> Option<&Sparsity> {
        None
    }

    /// True if [`System::entries`] is supplied. Otherwise matrices that are stored by the pattern are taken from dense ones.
    fn has_entries(&self) -> bool {
        false
    }

    /// What [`System::mass`] and [`System::jacobian`] write, into matrices that are stored by the pattern, with
    /// [`Stored::set`] and [`Stored::add`]. They come in as zeros.
    fn entries(&mut self, _t: f64, _x: &[f64], _of: Entries<'_>) -> Outcome {
        Outcome::Stop
    }
}

/// What is asked for by [`System::entries`].
#[derive(Debug)]
pub enum Entries<'a> {
    /// The mass matrix.
    Mass(&'a mut Stored),
    /// The negative derivatives, if the model has them.
    Jacobian(&'a mut JacobianBlocks),
}

/// What a model says of its derivatives and matrices before it is called.
#[derive(Clone, Copy, Debug, Default)]
pub struct Supplied<'a> {
    /// [`System::has_jacobian`].
    pub jacobian: bool,
    /// [`System::has_entries`].
    pub entries: bool,
    /// [`System::sparsity`].
    pub pattern: Option<&'a Sparsity>,
}

impl<'a> Supplied<'a> {
    /// By this model.
    pub fn by(system: &'a dyn System) -> Self {
        Supplied {
            jacobian: system.has_jacobian(),
            entries: system.has_entries(),
            pattern: system.sparsity(),
        }
    }
}

/// Positions (row, column) of the structural nonzeros of a model's matrices, from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sparsity {
    /// Of the mass matrix.
    pub mass: Vec<(u32, u32)>,
    /// Of FX1..FX6.
    pub fx: [Vec<(u32, u32)>; 6],
}

impl Sparsity {
    /// The first position that is outside of its matrix: name of the matrix, position, its (rows, columns).
    #[allow(clippy::type_complexity)] // one tuple for one message
    pub fn outside(&self, layout: &Layout) -> Option<(&'static str, (u32, u32), (usize, usize))> {
        const NAMES: [&str; 7] = ["M", "FX1", "FX2", "FX3", "FX4", "FX5", "FX6"];
        let nv = layout.dims.nv;
        let shapes = std::iter::once((nv, nv)).chain(layout.fx_shapes());
        let lists = std::iter::once(&self.mass).chain(&self.fx);
        NAMES.into_iter().zip(lists.zip(shapes)).find_map(|(name, (list, shape))| {
            let beyond = |at: &&(u32, u32)| at.0 as usize >= shape.0 || at.1 as usize >= shape.1;
            list.iter().find(beyond).map(|&at| (name, at, shape))
        })
    }
}

/// FX1..FX6 of the manual: negative partial derivatives, one matrix per block. [`System::jacobian`] is given dense ones, which
/// can be written as column-major arrays.
#[derive(Clone, Debug, Default)]
pub struct JacobianBlocks {
    /// FX1..FX6 in order.
    pub fx: [Stored; 6],
    /// Their (rows, columns).
    pub shape: [(usize, usize); 6],
    by_pattern: bool,
}

impl JacobianBlocks {
    /// Zero blocks for a layout.
    pub fn new(layout: &Layout) -> Self {
        let shape = layout.fx_shapes();
        JacobianBlocks { fx: shape.map(|(m, n)| Stored::dense(m, n)), shape, by_pattern: false }
    }

    /// Zero blocks of which the entries of the pattern are stored, if there is one.
    pub fn stored(layout: &Layout, pattern: Option<&Sparsity>) -> Self {
        let Some(pattern) = pattern else { return Self::new(layout) };
        let shape = layout.fx_shapes();
        let block = |k: usize| Stored::by_pattern(shape[k].0, shape[k].1, &pattern.fx[k]);
        JacobianBlocks { fx: std::array::from_fn(block), shape, by_pattern: true }
    }

    /// True if all entries are stored.
    pub fn is_dense(&self) -> bool {
        !self.by_pattern
    }

    /// Set all entries to zero.
    pub fn clear(&mut self) {
        self.fx.iter_mut().for_each(|b| b.fill(0.0));
    }

    /// True if every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.fx.iter().all(|b| all_finite(b))
    }

    /// Write the negative of a full Jacobian (M by N, column-major) into the blocks. Entries outside
    /// the blocks are structural zeros and are ignored.
    pub fn set_from_full(&mut self, layout: &Layout, full: &[f64]) {
        for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
            let (m, n) = self.shape[k];
            for j in 0..n {
                for i in 0..m {
                    self.fx[k][i + j * m] = -full[rows.start + i + (first + j) * layout.m];
                }
            }
        }
    }
}

/// What is passed to an [`Observer`]: an accepted point and the polynomial over the last step.
#[derive(Clone, Copy, Debug)]
pub struct AcceptedStep<'a> {
    /// Accepted steps so far; 0 at the initial point.
    pub naccpt: usize,
    /// The preceding grid point.
    pub t_old: f64,
    /// The current grid point.
    pub t: f64,
    /// The solution at `t`.
    pub x: &'a [f64],
    /// Step just made.
    pub h: f64,
    /// Collocation polynomial over `[t_old, t]`.
    pub dense: crate::polynomial::DenseOutput<'a>,
}

/// Is told of the initial point and of every accepted step (SOLOUT).
pub trait Observer {
    /// Called at an accepted point; [`Outcome::Stop`] ends the run there.
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome;
}

/// An observer that does nothing.
impl Observer for () {
    fn accepted(&mut self, _step: &AcceptedStep<'_>) -> Outcome {
        Outcome::Continue
    }
}

impl<F: FnMut(&AcceptedStep<'_>) -> Outcome> Observer for F {
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome {
        self(step)
    }
}
