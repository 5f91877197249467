//! The functions of a C program: their types, and as a [`System`], [`RootFunctions`] and an [`Observer`].
//!
//! Every function has the caller's pointer as its last argument and returns 0 if all is well, a positive number if it
//! cannot be evaluated here (a smaller step is tried), a negative one to stop the run.

use super::handle::Handle;
use super::pattern::Pattern;
use crate::events::RootFunctions;
use crate::layout::{Dimensions, Form, Layout};
use crate::system::{AcceptedStep, JacobianBlocks, Observer, Outcome, Parts, Sparsity, System};
use std::ffi::{c_char, c_int, c_void, CString};

/// Right-hand sides RDA of all equations, M of them.
pub type EomFunction =
    Option<unsafe extern "C" fn(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int>;

/// Mass matrix, NV by NV, column-major, full storage whatever its structure.
pub type MassFunction =
    Option<unsafe extern "C" fn(t: f64, x: *const f64, mass: *mut f64, user: *mut c_void) -> c_int>;

/// NEGATIVE partial derivatives of RDA in six column-major blocks, FX1 to FX6, which come in as zeros.
pub type JacobianFunction =
    Option<unsafe extern "C" fn(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int>;

/// The parts of the equations of motion that the half-explicit method asks for, and no others: a pointer is null where that part
/// is not asked for, and at least one is not null. Matrices are column-major and come in as zeros.
///
/// - force: f_dyn for λ = μ = 0, NV.
/// - mass: the mass matrix, NV by NV, leading dimension NV, full storage whatever its structure. Not asked for where it is constant
///   and known.
/// - c: C, the derivative of the rows (gI, h) by v, NL+NM by NV, leading dimension NL+NM: G stacked on H. It has the sign of the
///   derivative, other than the blocks FX.
/// - gamma: the rows (gII, hI) for v' = 0, NL+NM: the rate of (gI, h) while p moves with v, and with t.
/// - velocity: the rows (gI, h), NL+NM.
/// - position: the rows g, NL.
///
/// The multipliers in x have no meaning here.
pub type PartsFunction = Option<
    unsafe extern "C" fn(
        t: f64,
        x: *const f64,
        force_or_null: *mut f64,
        mass_or_null: *mut f64,
        c_or_null: *mut f64,
        gamma_or_null: *mut f64,
        velocity_or_null: *mut f64,
        position_or_null: *mut f64,
        user: *mut c_void,
    ) -> c_int,
>;

/// Conditions on the initial values, zero where they are satisfied.
pub type ConditionsFunction =
    Option<unsafe extern "C" fn(t: f64, x: *const f64, cond: *mut f64, user: *mut c_void) -> c_int>;

/// Functions whose changes of sign are events.
pub type EventsFunction =
    Option<unsafe extern "C" fn(t: f64, x: *const f64, value: *mut f64, user: *mut c_void) -> c_int>;

/// Told of the initial point and of every accepted step; a negative number stops the run there.
pub type OutputFunction = Option<unsafe extern "C" fn(step: *const StepInfo, user: *mut c_void) -> c_int>;

/// Takes a message of one or more lines; a negative number stops the run.
pub type LogFunction =
    Option<unsafe extern "C" fn(level: c_int, text: *const c_char, user: *mut c_void) -> c_int>;

/// An accepted point. The pointers are valid during the call. Made by the library only: later versions may add members at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// The handle, for geoms_dense and geoms_time; other functions are refused during the call.
    pub solver: *mut Handle,
    /// Accepted steps so far; 0 at the initial point.
    pub naccpt: i64,
    /// The preceding point.
    pub t_old: f64,
    /// The current point.
    pub t: f64,
    /// The step just made.
    pub h: f64,
    /// The solution at t.
    pub x: *const f64,
    /// Its length.
    pub n: i64,
}

/// Failures.
pub const GEOMS_LOG_ERROR: c_int = 1;
/// What may need attention.
pub const GEOMS_LOG_WARNING: c_int = 2;
/// Beginnings, ends and events.
pub const GEOMS_LOG_INFO: c_int = 3;
/// Every accepted step.
pub const GEOMS_LOG_DEBUG: c_int = 4;

fn outcome(returned: c_int) -> Outcome {
    match returned {
        0 => Outcome::Continue,
        1.. => Outcome::Retry,
        _ => Outcome::Stop,
    }
}

/// The functions that describe the model.
#[derive(Clone)]
pub(super) struct Callbacks {
    pub layout: Layout,
    pub eom: EomFunction,
    pub mass: MassFunction,
    pub jacobian: JacobianFunction,
    pub parts: PartsFunction,
    pub pattern: Pattern,
    pub conditions: ConditionsFunction,
    pub condition_count: usize,
    pub user: *mut c_void,
}

impl Callbacks {
    /// What is missing for a run.
    pub fn missing(&self) -> Option<&'static str> {
        if self.eom.is_none() {
            Some("no equations of motion: call geoms_set_eom")
        } else if self.mass.is_none() && self.layout.dims.nv > 0 {
            Some("no mass matrix: call geoms_set_mass")
        } else {
            None
        }
    }
}

impl System for Callbacks {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let Some(eom) = self.eom else { return Outcome::Stop };
        // SAFETY: x and rda have N and M entries; the function is the caller's, as is `user`.
        outcome(unsafe { eom(t, x.as_ptr(), rda.as_mut_ptr(), self.user) })
    }

    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let Some(function) = self.mass else { return Outcome::Stop };
        // SAFETY: x and mass have N and NV·NV entries; the function is the caller's, as is `user`.
        outcome(unsafe { function(t, x.as_ptr(), mass.as_mut_ptr(), self.user) })
    }

    fn has_jacobian(&self) -> bool {
        self.jacobian.is_some()
    }

    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let Some(jacobian) = self.jacobian.filter(|_| fx.is_dense()) else { return Outcome::Stop };
        let blocks = fx.fx.each_mut().map(|block| block.as_mut_ptr());
        // SAFETY: x has N entries, the blocks have the shapes of Layout::fx_shapes; the function is the caller's.
        outcome(unsafe { jacobian(t, x.as_ptr(), blocks.as_ptr(), self.user) })
    }

    fn sparsity(&self) -> Option<&Sparsity> {
        self.pattern.whole()
    }

    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        let function = self.parts?;
        if parts.is_empty() {
            return Some(Outcome::Continue);
        }
        let Parts { force, mass, constraint, at_rest, velocity, position } = parts;
        let [force, mass, c, gamma, velocity, position] =
            [force, mass, constraint, at_rest, velocity, position]
                .map(|part| part.map_or(std::ptr::null_mut(), <[f64]>::as_mut_ptr));
        // SAFETY: x has N entries, every part is null or has the length that `PartsFunction` says; the function is the caller's.
        Some(outcome(unsafe {
            function(t, x.as_ptr(), force, mass, c, gamma, velocity, position, self.user)
        }))
    }

    fn initial_condition_count(&self) -> usize {
        self.condition_count
    }

    fn initial_conditions(&mut self, t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        let Some(conditions) = self.conditions.filter(|_| cond.len() == self.condition_count) else {
            return Outcome::Stop;
        };
        // SAFETY: x has N entries and cond as many as the caller announced; the function is the caller's.
        outcome(unsafe { conditions(t, x.as_ptr(), cond.as_mut_ptr(), self.user) })
    }
}

/// Root functions.
#[derive(Clone, Copy)]
pub(super) struct Roots {
    pub function: EventsFunction,
    pub count: usize,
    pub user: *mut c_void,
}

impl RootFunctions for Roots {
    fn count(&self) -> usize {
        self.count
    }

    fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        let Some(function) = self.function.filter(|_| values.len() == self.count) else {
            return Outcome::Stop;
        };
        // SAFETY: x has N entries and values as many as the caller announced; the function is the caller's.
        outcome(unsafe { function(t, x.as_ptr(), values.as_mut_ptr(), self.user) })
    }
}

/// Where messages go.
#[derive(Clone, Copy)]
pub(super) struct Log {
    pub function: LogFunction,
    pub level: c_int,
    pub user: *mut c_void,
}

impl Log {
    /// The function, if it wants messages of this level.
    fn at(&self, level: c_int) -> LogFunction {
        self.function.filter(|_| level <= self.level)
    }

    /// Hand over a message, which is composed only if somebody listens.
    pub fn write(&self, level: c_int, text: impl FnOnce() -> String) -> Outcome {
        let Some(function) = self.at(level) else { return Outcome::Continue };
        let text = CString::new(text()).unwrap_or_default();
        // SAFETY: the text is terminated and lives during the call; the function is the caller's.
        match outcome(unsafe { function(level, text.as_ptr(), self.user) }) {
            Outcome::Stop => Outcome::Stop,
            _ => Outcome::Continue,
        }
    }
}

/// Output and messages of the steps.
pub(super) struct Output<'a> {
    pub handle: &'a Handle,
    pub function: OutputFunction,
    pub log: Log,
    pub user: *mut c_void,
}

impl Observer for Output<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome {
        let line = || format!("step {}: t = {:.15e}, h = {:.3e}", step.naccpt, step.t, step.h);
        if self.log.write(GEOMS_LOG_DEBUG, line) == Outcome::Stop {
            return Outcome::Stop;
        }
        let Some(function) = self.function else { return Outcome::Continue };
        let info = StepInfo {
            solver: std::ptr::from_ref(self.handle).cast_mut(),
            naccpt: i64::try_from(step.naccpt).unwrap_or(i64::MAX),
            t_old: step.t_old,
            t: step.t,
            h: step.h,
            x: step.x.as_ptr(),
            n: i64::try_from(step.x.len()).unwrap_or(i64::MAX),
        };
        self.handle.show(step);
        // SAFETY: what `info` points to lives during the call; the function is the caller's.
        let returned = unsafe { function(&raw const info, self.user) };
        self.handle.hide();
        outcome(returned)
    }
}
