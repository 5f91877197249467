//! The handle of C programs: what it is, who may use it when, its beginning and end.
//!
//! # Who may call what, and when
//!
//! A handle is used by one call at a time. The calling thread is written down while a call runs; a second call, from a
//! callback or from another thread, finds it and is refused with [`Code::InUse`]. So the mutable part is borrowed once,
//! whatever a program does. Two things lie outside it: the stop request, an atomic flag, and what an output
//! function may look at (`view`), which is only shown to the thread that runs.

use super::boundary::guarded;
use super::functions::{Callbacks, Log, OutputFunction, Roots, GEOMS_LOG_ERROR};
use super::inspect::LastError;
use super::pattern::Pattern;
use crate::arguments::check_vectors;
use crate::error::{Code, Failure};
use crate::events::Rule;
use crate::layout::{Dimensions, Form, Layout};
use crate::norm::Tolerance;
use crate::options::{in_names, BadOption, Options};
use crate::solver::{Solver, StopRequest, Watched};
use crate::system::AcceptedStep;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, CString};
use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The equations are given with gII and hI.
pub const GEOMS_FORM_STRANGENESS_FREE: c_int = 0;
/// The equations are given without gII and hI.
pub const GEOMS_FORM_INDEX1: c_int = 1;

/// Numbers of variables and constraints.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CDimensions {
    /// Position variables p.
    pub np: i64,
    /// Velocity variables v.
    pub nv: i64,
    /// Dynamic force element variables r.
    pub nr: i64,
    /// Auxiliary variables w.
    pub nw: i64,
    /// Contact point variables s.
    pub ns: i64,
    /// Holonomic constraints g and multipliers λ.
    pub nl: i64,
    /// Nonholonomic constraints h and multipliers μ.
    pub nm: i64,
    /// Solution invariants e.
    pub ni: i64,
}

/// A solver: callbacks, options, and the run.
pub struct Handle {
    stop: StopRequest,
    /// Mark of the thread whose call runs, 0 if none.
    owner: AtomicUsize,
    view: Cell<Option<View>>,
    inner: UnsafeCell<Inner>,
}

/// What an output function may look at: the last step.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub t_old: f64,
    pub t: f64,
    pub h: f64,
    pub n: usize,
    pub contx: *const f64,
    pub nodes: &'static [f64],
}

/// The part that a call borrows.
pub(super) struct Inner {
    pub layout: Layout,
    pub options: Options,
    pub tolerance: Tolerance,
    /// The functions as they are set now.
    pub model: Callbacks,
    /// The functions with which the run was started.
    pub running: Callbacks,
    pub output: OutputFunction,
    pub log: Log,
    pub events: Events,
    pub solver: Option<Solver>,
    pub error: LastError,
    pub warnings: Vec<CString>,
}

/// Event functions and what is wanted of them: one thing, so that no part of it is replaced alone.
pub(super) struct Events {
    pub roots: Roots,
    pub rules: Vec<Rule>,
    pub tolerance: f64,
}

impl Events {
    /// For a solver; none if there are no functions.
    pub fn watched(&mut self) -> Option<Watched<'_>> {
        let Events { roots, rules, tolerance } = self;
        (roots.count > 0).then_some(Watched { roots, rules, tolerance: *tolerance })
    }
}

/// An address that no other thread has.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}

/// Gives the handle free again, also after a panic.
struct Release<'a>(&'a AtomicUsize);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

impl Handle {
    /// Run `f` with the handle to itself; `None` if another call runs.
    fn exclusively<T>(&self, f: impl FnOnce(&mut Inner) -> T) -> Option<T> {
        let taken = self.owner.compare_exchange(0, this_thread(), Ordering::Acquire, Ordering::Relaxed);
        if taken.is_err() {
            return None;
        }
        let _release = Release(&self.owner);
        // SAFETY: `owner` was 0, so no other call has a reference, and none gets one before it is 0 again.
        Some(f(unsafe { &mut *self.inner.get() }))
    }

    /// Let the output function look at this step.
    pub(super) fn show(&self, step: &AcceptedStep<'_>) {
        let dense = &step.dense;
        let (n, contx) = (step.x.len(), dense.contx.as_ptr());
        self.view.set(Some(View { t_old: step.t_old, t: step.t, h: dense.h, n, contx, nodes: dense.nodes }));
    }

    /// The output function has returned.
    pub(super) fn hide(&self) {
        self.view.set(None);
    }

    /// The step shown to the output function from which this is called.
    pub(super) fn view(&self) -> Option<View> {
        // Only the running thread may look: the others would see it change.
        if self.owner.load(Ordering::Relaxed) == this_thread() {
            self.view.get()
        } else {
            None
        }
    }

    pub(super) fn stop(&self) -> &StopRequest {
        &self.stop
    }
}

/// Perform a call on a handle: its result, or the code of what went wrong, which is kept for `geoms_last_error`.
///
/// # Safety
/// The handle is null or was made by `geoms_create` and not freed.
pub(super) unsafe fn call(
    handle: *const Handle,
    f: impl FnOnce(&Handle, &mut Inner) -> Result<c_int, Failure>,
) -> c_int {
    // SAFETY: the contract of this function; only shared references to a handle are ever made.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return Code::BadArgument.idid() };
    let result = handle.exclusively(|inner| {
        let failure = match guarded(|| f(handle, inner)) {
            Ok(Ok(value)) => return value,
            Ok(Err(failure)) => failure,
            Err(code) => {
                // A run that was interrupted anywhere is not continued.
                inner.solver = None;
                handle.hide();
                Failure::new(code, "the run is lost; settings are kept")
            }
        };
        let kept = guarded(|| {
            inner.error = LastError::new(&failure);
            let _ = inner.log.write(GEOMS_LOG_ERROR, || in_names(&failure.to_string()));
        });
        kept.map_or_else(Code::idid, |()| failure.code.idid())
    });
    result.unwrap_or(Code::InUse.idid())
}

/// Look something up; `None` if there is no handle or it is in use.
///
/// # Safety
/// As [`call`].
pub(super) unsafe fn look<T>(handle: *const Handle, f: impl FnOnce(&Inner) -> T) -> Option<T> {
    // SAFETY: the contract of this function.
    let handle = unsafe { handle.as_ref() }?;
    handle.exclusively(|inner| guarded(|| f(inner)).ok()).flatten()
}

/// A refused argument.
pub(super) fn refused(name: impl Display, value: impl Display, allowed: impl Display) -> Failure {
    BadOption::new(name, value, allowed).into()
}

/// A refused null pointer.
pub(super) fn not_null<T>(name: &str, pointer: *const T) -> Result<(), Failure> {
    if pointer.is_null() {
        return Err(null(name));
    }
    Ok(())
}

pub(super) fn null(name: &str) -> Failure {
    refused(name, "NULL", "not NULL")
}

fn layout(dims: &CDimensions, form: c_int) -> Result<Layout, Failure> {
    let form = match form {
        GEOMS_FORM_STRANGENESS_FREE => Form::StrangenessFree,
        GEOMS_FORM_INDEX1 => Form::Index1,
        _ => return Err(refused("form", form, "GEOMS_FORM_STRANGENESS_FREE, GEOMS_FORM_INDEX1")),
    };
    let mut total = 0usize;
    let mut size = |name: &str, value: i64| {
        let size = usize::try_from(value).map_err(|_| refused(name, value, ">= 0"))?;
        // RDA has up to three rows for one of these.
        total = total
            .checked_add(size.saturating_mul(3))
            .filter(|&sum| isize::try_from(sum).is_ok())
            .ok_or_else(|| Failure::new(Code::OutOfMemory, format!("{name} = {value}")))?;
        Ok::<_, Failure>(size)
    };
    let dims = Dimensions {
        np: size("np", dims.np)?,
        nv: size("nv", dims.nv)?,
        nr: size("nr", dims.nr)?,
        nw: size("nw", dims.nw)?,
        ns: size("ns", dims.ns)?,
        nl: size("nl", dims.nl)?,
        nm: size("nm", dims.nm)?,
        ni: size("ni", dims.ni)?,
    };
    let layout = Layout::new(dims, form);
    if layout.n == 0 {
        return Err(refused("np+nv+nr+nw+ns+nl+nm", 0, "> 0"));
    }
    check_vectors(&layout)?;
    Ok(layout)
}

/// A solver for a system of these dimensions whose equations are given in this form; null if that is not possible,
/// and then geoms_last_error with a null handle says why. To be freed with geoms_free. It begins with METHOD = -2, ORDER = 9,
/// NWTMAT = 2, NWTMULT = -1, and SINGULAR, CHECK and WATCH = 1; with all seven 0 it does what the call does, but for positive
/// returns of the callbacks, which are as with RECOVER = 1.
///
/// # Safety
/// `dims` is null or points to dimensions.
#[no_mangle]
pub unsafe extern "C" fn geoms_create(dims: *const CDimensions, form: c_int) -> *mut Handle {
    let made = guarded(|| {
        not_null("dims", dims)?;
        // SAFETY: not null, and the caller's.
        let layout = layout(&unsafe { dims.read_unaligned() }, form)?;
        let user = std::ptr::null_mut();
        let model = Callbacks {
            layout,
            eom: None,
            mass: None,
            jacobian: None,
            parts: None,
            pattern: Pattern::default(),
            conditions: None,
            condition_count: 0,
            user,
        };
        let inner = Inner {
            layout,
            options: Options { form: layout.form, recover: true, ..Options::default() },
            tolerance: Tolerance::scalar(1e-6, 1e-6),
            running: model.clone(),
            model,
            output: None,
            log: Log { function: None, level: 0, user },
            events: Events {
                roots: Roots { function: None, count: 0, user },
                rules: Vec::new(),
                tolerance: 0.0,
            },
            solver: None,
            error: LastError::none(),
            warnings: Vec::new(),
        };
        Ok(Box::new(Handle {
            stop: StopRequest::default(),
            owner: AtomicUsize::new(0),
            view: Cell::new(None),
            inner: UnsafeCell::new(inner),
        }))
    });
    let failure = match made {
        Ok(Ok(handle)) => return Box::into_raw(handle),
        Ok(Err(failure)) => failure,
        Err(code) => Failure::new(code, ""),
    };
    LastError::of_create(&failure);
    std::ptr::null_mut()
}

/// Free a solver; null is allowed. Has no effect from within one of its callbacks.
///
/// # Safety
/// The handle is null or was made by `geoms_create`, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn geoms_free(handle: *mut Handle) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the contract of this function.
    if unsafe { &*handle }.owner.load(Ordering::Acquire) != 0 {
        return;
    }
    // SAFETY: made by Box::into_raw, and no call runs.
    let boxed = unsafe { Box::from_raw(handle) };
    let _ = guarded(|| drop(boxed));
}
