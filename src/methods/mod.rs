//! The integration methods, and what they share: the state between steps, planning, saving.

pub mod automatic;
pub mod half_explicit;
pub mod hht;
pub mod plan;
pub mod radau;
pub mod save;
pub mod state;

use crate::error::Failure;
use crate::layout::Layout;
use crate::norm::Tolerance;
use crate::options::{MethodKind, Options, Order};
use crate::system::System;
use save::BadState;
use state::State;
use std::fmt::Debug;

/// An integration method: makes accepted steps of one system.
pub trait Method: Debug + Send {
    /// State between steps.
    fn state(&self) -> &State;

    /// State between steps.
    fn state_mut(&mut self) -> &mut State;

    /// Choose the size of the first step towards `tend`, where none was given.
    fn choose_first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure>;

    /// One accepted step, not beyond `tend`.
    fn step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure>;

    /// Say whether the polynomial of every step will be asked for (the default) or only that of a step that ends at its
    /// `tend`: where it costs evaluations they can be saved.
    fn expect_output(&mut self, _every_step: bool) {}

    /// Go on from another point, with the step size in hand.
    fn restart(&mut self, t: f64, x: &[f64]);

    /// Begin from other initial values as if new, in the memory in hand; false if the method does not do that.
    fn begin_again(&mut self, _start: (f64, &[f64], f64)) -> bool {
        false
    }

    /// All that the next steps depend on, as bytes.
    fn save(&self) -> Vec<u8>;

    /// Put a saved state back. After an error the method must not be used.
    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState>;
}

/// The method chosen by the options, at the initial point (t, x) with first step size h. `analytic` says whether
/// the model supplies its Jacobian.
pub fn begin(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    analytic: bool,
    start: (f64, &[f64], f64),
) -> Box<dyn Method> {
    match options.method {
        // One lane per stage, and as many lanes as a vector register or two hold.
        MethodKind::Radau if options.order == Order::Five => {
            Box::new(radau::Radau::<4>::new(layout, options, tolerance, analytic, start))
        }
        MethodKind::Radau => Box::new(radau::Radau::<8>::new(layout, options, tolerance, analytic, start)),
        MethodKind::Hht => Box::new(hht::Hht::new(layout, options, tolerance, analytic, start)),
        MethodKind::HalfExplicit => {
            Box::new(half_explicit::HalfExplicit::new(layout, options, tolerance, analytic, start))
        }
        MethodKind::Automatic => {
            Box::new(automatic::Automatic::new(layout, options, tolerance, analytic, start))
        }
    }
}
