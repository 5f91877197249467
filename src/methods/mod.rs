//! The integration methods, and what they share: the state between steps, planning, saving.

pub mod automatic;
pub mod features;
pub mod half_explicit;
mod hermite;
pub mod hht;
mod kinematics;
pub mod motion;
pub mod newmark;
pub mod passing;
pub mod plan;
pub mod radau;
pub mod rosenbrock;
pub mod save;
pub mod setback;
pub mod state;
mod turning;

pub use plan::{Attempted, Plan};
pub use setback::Setback;
pub use state::State;

use crate::error::{Failure, Rejection};
use crate::layout::Layout;
use crate::norm::Tolerance;
use crate::options::{MethodKind, Options, Order, Singular, StageMultipliers};
use crate::system::{Supplied, System};
use save::BadState;
use std::fmt::Debug;

/// An integration method: how a step is tried, accepted, rejected and taken back. When that is done is the driver's
/// ([`crate::driver`]), which also plans the steps and keeps time, counters of steps and the account of rejections in the
/// method's [`State`].
pub trait Method: Debug + Send {
    /// State between steps.
    fn state(&self) -> &State;

    /// State between steps.
    fn state_mut(&mut self) -> &mut State;

    /// Choose the size of the first step towards `tend`, where none was given.
    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure>;

    /// A step is about to be made, in one attempt or more.
    fn begin_step(&mut self) {}

    /// Try the planned step. The state stays at its beginning, but for counters of evaluations.
    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback>;

    /// The point to which the last attempt led.
    fn attempted(&self, x: &mut [f64]);

    /// Make the last attempt the new point: x and the polynomial over the step in the state, and all that the next attempt
    /// begins with.
    fn accept(&mut self, plan: &Plan, attempted: &Attempted);

    /// What is left to do at a point that has been accepted and may fail: the point stays.
    fn complete(&mut self, _system: &mut dyn System, _plan: &Plan) -> Result<(), Failure> {
        Ok(())
    }

    /// The last attempt is not accepted, for this reason; false if another one would be of no use.
    fn reject(&mut self, _why: Rejection) -> bool {
        true
    }

    /// Say whether the polynomial of every step will be asked for (the default) or only that of a step that ends at its
    /// `tend`: where it costs evaluations they can be saved.
    fn expect_output(&mut self, _every_step: bool) {}

    /// Go on from another point, with the step size in hand: one given by the user, or the beginning of an accepted step that
    /// is taken back.
    fn restart(&mut self, t: f64, x: &[f64]);

    /// Begin from other initial values as if new, in the memory in hand; false if the method does not do that.
    fn begin_again(&mut self, _start: (f64, &[f64], f64)) -> bool {
        false
    }

    /// What the last decomposition showed of the constraints, for a method that is watched ([`passing`]).
    fn constraints(&self) -> Option<Constraints> {
        None
    }

    /// Time of a position next to a singular one that the motion would have to leap over.
    fn gap(&self) -> Option<f64> {
        None
    }

    /// All that the next steps depend on, as bytes.
    fn save(&self) -> Vec<u8>;

    /// Put a saved state back. After an error the method must not be used.
    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState>;
}

/// What a method has in files of its own, as [`Method`] asks for it: its state, the choice of the first step (`start.rs`), saving and
/// restoring (`save.rs`).
macro_rules! parts_of_its_own {
    () => {
        fn state(&self) -> &crate::methods::state::State {
            &self.state
        }

        fn state_mut(&mut self) -> &mut crate::methods::state::State {
            &mut self.state
        }

        fn choose_first_step(
            &mut self,
            system: &mut dyn crate::system::System,
            tend: f64,
        ) -> crate::error::Result {
            self.first_step(system, tend)
        }

        fn save(&self) -> Vec<u8> {
            self.saved()
        }

        fn restore(&mut self, saved: &[u8]) -> Result<(), crate::methods::save::BadState> {
            self.put_back(saved)
        }
    };
}
use parts_of_its_own;

/// Constraints as a decomposition shows them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraints {
    /// The smallest magnitude that counts, relative to the largest, if a decomposition shows it.
    pub smallest: Option<f64>,
    /// How many depend on others everywhere.
    pub redundant: usize,
}

/// Makes a method, as [`begin`] does: at the initial point (t, x) with first step size h.
pub type Maker = fn(&Layout, &Options, &Tolerance, Supplied<'_>, (f64, &[f64], f64)) -> Box<dyn Method>;

/// The method chosen by the options, at the initial point (t, x) with first step size h, for what the model supplies.
pub fn begin(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    supplied: Supplied<'_>,
    start: (f64, &[f64], f64),
) -> Box<dyn Method> {
    let passes = options.singular != Singular::Stop && options.method != MethodKind::Radau;
    if passes && layout.dims.nl + layout.dims.nm > 0 {
        return Box::new(passing::Passing::new(layout, options, tolerance, supplied, start));
    }
    unwatched(layout, options, tolerance, supplied, start)
}

/// Numbers of eight bytes that the method will take; `None` if its matrices are dense.
pub fn numbers(layout: &Layout, options: &Options, supplied: Supplied<'_>) -> Option<u128> {
    match options.method {
        MethodKind::Hht => hht::numbers(layout, options, supplied),
        _ => None,
    }
}

/// Dense work spaces of its parts, which are all made at the start.
pub fn work_spaces(options: &Options) -> u128 {
    let radau = 1 + u128::from(options.stage_multipliers == StageMultipliers::Automatic);
    match options.method {
        MethodKind::Radau => radau,
        MethodKind::Automatic | MethodKind::ByModel => 1 + radau,
        _ => 1,
    }
}

/// The method itself, whatever lies ahead.
fn unwatched(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    supplied: Supplied<'_>,
    start: (f64, &[f64], f64),
) -> Box<dyn Method> {
    let analytic = supplied.jacobian;
    match options.method {
        // One lane per stage, and as many lanes as a vector register or two hold.
        MethodKind::Radau if options.order == Order::Five => {
            radau::switching::begin::<4>(layout, options, tolerance, analytic, start)
        }
        MethodKind::Radau => radau::switching::begin::<8>(layout, options, tolerance, analytic, start),
        MethodKind::Hht => Box::new(hht::Hht::new(layout, options, tolerance, supplied, start)),
        MethodKind::RosenbrockNystroem => {
            Box::new(rosenbrock::Rosenbrock::new(layout, options, tolerance, analytic, start))
        }
        MethodKind::Newmark => Box::new(newmark::Newmark::new(layout, options, tolerance, analytic, start)),
        MethodKind::HalfExplicit => {
            Box::new(half_explicit::HalfExplicit::new(layout, options, tolerance, analytic, start))
        }
        MethodKind::Automatic | MethodKind::ByModel => {
            Box::new(automatic::Automatic::new(layout, options, tolerance, analytic, start))
        }
    }
}

/// Components (r, v, p) of a vector like x.
fn copy_differential(layout: &Layout, x: &[f64], out: &mut [f64]) {
    let b = layout.x;
    let (first, last) = out.split_at_mut(b.v.end - b.r.start);
    first.copy_from_slice(&x[b.r.start..b.v.end]);
    last.copy_from_slice(b.p.of(x));
}
