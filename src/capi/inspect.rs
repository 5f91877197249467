//! What a handle knows: the current point, statistics, events, the last error.

use super::boundary::{geoms_advice, geoms_strerror};
use super::handle::{call, look, null, refused, Handle};
use super::run::store;
use crate::error::{Code, Failure};
use crate::stats::Stats;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, CString};

/// Counters of a run. New ones are added at the end, together with a new SONAME.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Accepted steps.
    pub naccpt: u64,
    /// Evaluations of the equations of motion, without those for differences and initial values.
    pub neom: u64,
    /// Evaluations of the mass matrix.
    pub nmas: u64,
    /// Evaluations of the Jacobian.
    pub njac: u64,
    /// Determinations of selectors.
    pub nsel: u64,
    /// Predecompositions.
    pub npdec: u64,
    /// Decompositions of the Newton matrices.
    pub nedec: u64,
    /// Backward substitutions.
    pub nbsub: u64,
    /// Attempted steps: naccpt + nerjct + ncrjct.
    pub nstep: u64,
    /// Steps rejected by the error test.
    pub nerjct: u64,
    /// Steps rejected for another reason: the sum of the next four.
    pub ncrjct: u64,
    /// Newton's method diverged or was too slow.
    pub rejected_newton: u64,
    /// The Newton matrix was singular.
    pub rejected_singular: u64,
    /// NaN or Inf in the right-hand side.
    pub rejected_not_finite: u64,
    /// A callback asked for a smaller step.
    pub rejected_by_model: u64,
    /// Updates of the Newton matrix within a step.
    pub newton_updates: u64,
    /// Selectors renewed because the pivot columns changed.
    pub pivot_changes: u64,
    /// Selectors renewed because they had become a poor choice.
    pub selectors_poor: u64,
    /// Newton iterations that ended at the level of rounding errors.
    pub at_round_off: u64,
    /// Steps that reused the Jacobian of an earlier point.
    pub jacobian_reused: u64,
    /// Accepted points at which an invariant was suspended.
    pub invariants_suspended: u64,
    /// Evaluations of the equations of motion for difference Jacobians.
    pub eom_for_differences: u64,
    /// Evaluations of the equations of motion for the initial values.
    pub eom_for_initial_values: u64,
    /// Multiplications with entries of the mass matrix.
    pub mass_multiplications: u64,
    /// Times that the half-explicit method found the problem stiff. With the automatic choice (method -1) the first time ends its
    /// use: 1 from then on.
    pub stiffness_suspected: u64,
}

impl From<&Stats> for Statistics {
    fn from(s: &Stats) -> Self {
        Statistics {
            naccpt: s.naccpt,
            neom: s.neom,
            nmas: s.nmas,
            njac: s.njac,
            nsel: s.nsel,
            npdec: s.npdec,
            nedec: s.nedec,
            nbsub: s.nbsub,
            nstep: s.nstep(),
            nerjct: s.nerjct,
            ncrjct: s.ncrjct,
            rejected_newton: s.rejected_newton,
            rejected_singular: s.rejected_singular,
            rejected_not_finite: s.rejected_not_finite,
            rejected_by_model: s.rejected_by_model,
            newton_updates: s.newton_updates,
            pivot_changes: s.pivot_changes,
            selectors_poor: s.selectors_poor,
            at_round_off: s.at_round_off,
            jacobian_reused: s.jacobian_reused,
            invariants_suspended: s.invariants_suspended,
            eom_for_differences: s.eom_for_differences,
            eom_for_initial_values: s.eom_for_initial_values,
            mass_multiplications: s.mass_multiplications,
            stiffness_suspected: s.stiffness_suspected,
        }
    }
}

/// An error. No string is null; what is not known is an empty string, NaN or 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ErrorInfo {
    /// The code that was returned; 0 if nothing has gone wrong.
    pub code: c_int,
    /// What it means; static.
    pub sentence: *const c_char,
    /// What to try; static.
    pub advice: *const c_char,
    /// The case at hand: the argument and its value, the row, the rank. Valid until the next call on the handle.
    pub detail: *const c_char,
    /// All of this in several lines, with the last rejected steps. Valid until the next call on the handle.
    pub report: *const c_char,
    /// Last accepted time.
    pub t: f64,
    /// Step size of the last attempt.
    pub h: f64,
    /// Block of x or RDA concerned: w, lambda, mu, r, v, s, p or d, gII, hI, gI, h, e, c, g, b, f_dyn, f_kin.
    pub block: *const c_char,
    /// Number within the block, from 1.
    pub index: i64,
    /// Rate of convergence of Newton's method.
    pub theta: f64,
}

/// The last failure as C programs read it.
pub(super) struct LastError {
    code: c_int,
    detail: CString,
    report: CString,
    block: CString,
    index: i64,
    t: f64,
    h: f64,
    theta: f64,
}

thread_local! {
    /// Why `geoms_create` failed last in this thread.
    static OF_CREATE: RefCell<LastError> = RefCell::new(LastError::none());
}

impl LastError {
    /// Nothing has gone wrong.
    pub fn none() -> Self {
        let (detail, report, block) = (CString::default(), CString::default(), CString::default());
        LastError { code: 0, detail, report, block, index: 0, t: f64::NAN, h: f64::NAN, theta: f64::NAN }
    }

    pub fn new(failure: &Failure) -> Self {
        let text = |s: &str| CString::new(s).unwrap_or_default();
        let component = failure.component;
        LastError {
            code: failure.code.idid(),
            detail: text(&failure.detail),
            report: text(&failure.to_string()),
            block: text(component.map_or("", |name| name.block)),
            index: component.map_or(0, |name| i64::try_from(name.number).unwrap_or(i64::MAX)),
            t: failure.t,
            h: failure.h,
            theta: failure.theta.unwrap_or(f64::NAN),
        }
    }

    /// Keep why a handle could not be made.
    pub fn of_create(failure: &Failure) {
        OF_CREATE.with_borrow_mut(|error| *error = LastError::new(failure));
    }

    fn info(&self) -> ErrorInfo {
        ErrorInfo {
            code: self.code,
            sentence: geoms_strerror(self.code),
            advice: geoms_advice(self.code),
            detail: self.detail.as_ptr(),
            report: self.report.as_ptr(),
            t: self.t,
            h: self.h,
            block: self.block.as_ptr(),
            index: self.index,
            theta: self.theta,
        }
    }
}

/// The last error of a handle; with a null handle that of the last geoms_create of this thread that returned null.
/// Returns its code, 0 if nothing has gone wrong.
///
/// # Safety
/// The handle is null or one of geoms_create; `out` is null or points to an error.
#[no_mangle]
pub unsafe extern "C" fn geoms_last_error(handle: *const Handle, out: *mut ErrorInfo) -> c_int {
    let info = if handle.is_null() {
        OF_CREATE.with_borrow(LastError::info)
    } else {
        // SAFETY: the contract of this function.
        match unsafe { look(handle, |inner| inner.error.info()) } {
            Some(info) => info,
            None => return Code::InUse.idid(),
        }
    };
    if !out.is_null() {
        // SAFETY: not null, and the caller's.
        unsafe { out.write_unaligned(info) };
    }
    info.code
}

/// Length N of x; 0 if there is no handle or it is in use.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_dimension(handle: *const Handle) -> i64 {
    // SAFETY: the contract of this function.
    let n = unsafe { look(handle, |inner| inner.layout.n) };
    n.and_then(|n| i64::try_from(n).ok()).unwrap_or(0)
}

/// Length M of RDA; 0 if there is no handle or it is in use.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_equations(handle: *const Handle) -> i64 {
    // SAFETY: the contract of this function.
    let m = unsafe { look(handle, |inner| inner.layout.m) };
    m.and_then(|m| i64::try_from(m).ok()).unwrap_or(0)
}

/// Current time; NaN if there is no run. May be called from the output function.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_time(handle: *const Handle) -> f64 {
    // SAFETY: the contract of this function.
    if let Some(view) = unsafe { handle.as_ref() }.and_then(Handle::view) {
        return view.t;
    }
    // SAFETY: the contract of this function.
    let t = unsafe { look(handle, |inner| inner.solver.as_ref().map(|solver| solver.t())) };
    t.flatten().unwrap_or(f64::NAN)
}

/// Step size proposed for the next step; NaN if there is no run, 0 if it has not been chosen.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_next_step(handle: *const Handle) -> f64 {
    // SAFETY: the contract of this function.
    let h = unsafe { look(handle, |inner| inner.solver.as_ref().map(|solver| solver.h())) };
    h.flatten().unwrap_or(f64::NAN)
}

/// The current point.
///
/// # Safety
/// The handle is null or one of geoms_create; `x` is null or has N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_state(handle: *mut Handle, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            if x.is_null() {
                return Err(null("x"));
            }
            store(inner.run()?.x(), x);
            Ok(0)
        })
    }
}

/// The counters of the run.
///
/// # Safety
/// The handle is null or one of geoms_create; `out` is null or points to statistics.
#[no_mangle]
pub unsafe extern "C" fn geoms_statistics(handle: *mut Handle, out: *mut Statistics) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            if out.is_null() {
                return Err(null("out"));
            }
            out.write_unaligned(Statistics::from(inner.run()?.stats()));
            Ok(0)
        })
    }
}

/// Number of events that the last geoms_integrate or geoms_step met, terminal or not.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_event_count(handle: *const Handle) -> i64 {
    // SAFETY: the contract of this function.
    let count = unsafe { look(handle, |inner| inner.run().map_or(0, |solver| solver.events().len())) };
    count.and_then(|count| i64::try_from(count).ok()).unwrap_or(0)
}

/// Event number k of the last call, from 0 and in the order of time: which event function, from 0, and when.
///
/// # Safety
/// The handle is null or one of geoms_create; `index` and `t` are null or point to a number.
#[no_mangle]
pub unsafe extern "C" fn geoms_event(handle: *mut Handle, k: i64, index: *mut i64, t: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let events = inner.run()?.events();
            let hit = usize::try_from(k).ok().and_then(|k| events.get(k));
            let hit = hit.ok_or_else(|| refused("k", k, format!("0 <= k < {}", events.len())))?;
            if !index.is_null() {
                index.write_unaligned(i64::try_from(hit.index).unwrap_or(i64::MAX));
            }
            if !t.is_null() {
                t.write_unaligned(hit.t);
            }
            Ok(0)
        })
    }
}

/// The last event of the last call; after GEOMS_EVENT it is the one at which the handle stands.
///
/// # Safety
/// As geoms_event.
#[no_mangle]
pub unsafe extern "C" fn geoms_last_event(handle: *mut Handle, index: *mut i64, t: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { geoms_event(handle, geoms_event_count(handle) - 1, index, t) }
}
