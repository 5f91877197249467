//! What a handle knows: the current point, statistics, events, the last error.

use super::boundary::{geoms_advice, geoms_strerror};
use super::handle::{call, look, not_null, refused, Handle};
use super::run::store;
use crate::error::{Code, Failure};
use crate::options::in_names;
use crate::stats::{with_counters, Stats, COUNTERS, MEASURES};
use std::cell::RefCell;
use std::ffi::{c_char, c_int, CStr, CString};
use std::sync::OnceLock;

macro_rules! structure {
    ({ $($(#[$d:meta])* $before:ident,)* } { $($(#[$e:meta])* $behind:ident,)* } { $($later:tt)* }) => {
        /// Counters of a run. The structure does not grow: counters of later versions are read by name, with geoms_counter.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Statistics {
            $($(#[$d])* pub $before: u64,)*
            /// Attempted steps: naccpt + nerjct + ncrjct.
            pub nstep: u64,
            $($(#[$e])* pub $behind: u64,)*
        }

        impl Statistics {
            /// Number of its counters, the first of the table.
            pub const LENGTH: usize = [$(stringify!($before),)* "nstep", $(stringify!($behind),)*].len();
        }

        impl From<&Stats> for Statistics {
            fn from(s: &Stats) -> Self {
                Statistics { $($before: s.$before,)* nstep: s.nstep(), $($behind: s.$behind,)* }
            }
        }
    };
}
with_counters!(structure);

/// An error. No string is null; what is not known is an empty string, NaN or 0. The structure does not grow: what later versions
/// know of an error is read by name, with geoms_error_text and geoms_error_number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ErrorInfo {
    /// The code that was returned; 0 if nothing has gone wrong.
    pub code: c_int,
    /// What it means. Valid until the next call on the handle.
    pub sentence: *const c_char,
    /// What to try, in the names of the options. Valid until the next call on the handle.
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

/// The last error of a handle: the texts, and where they are.
pub(super) struct LastError {
    _texts: [CString; 5],
    info: ErrorInfo,
}

thread_local! {
    /// Why `geoms_create` failed last in this thread.
    static OF_CREATE: RefCell<LastError> = RefCell::new(LastError::none());
}

impl LastError {
    /// No error has happened: it has the texts of the table.
    pub fn none() -> Self {
        let (sentence, advice, nothing, none) = (geoms_strerror(0), geoms_advice(0), c"".as_ptr(), f64::NAN);
        let (detail, report, block) = (nothing, nothing, nothing);
        let (t, h, theta) = (none, none, none);
        let info = ErrorInfo { code: 0, sentence, advice, detail, report, t, h, block, index: 0, theta };
        LastError { _texts: Default::default(), info }
    }

    pub fn new(failure: &Failure) -> Self {
        let component = failure.component;
        let block = component.map_or("", |name| name.block);
        let texts = [failure.sentence(), failure.advice(), &failure.detail, &failure.to_string(), block]
            .map(|text| CString::new(in_names(text)).unwrap_or_default());
        let [sentence, advice, detail, report, block] = texts.each_ref().map(|text| text.as_ptr());
        let info = ErrorInfo {
            code: failure.code.idid(),
            sentence,
            advice,
            detail,
            report,
            t: failure.t,
            h: failure.h,
            block,
            index: component.map_or(0, |name| i64::try_from(name.number).unwrap_or(i64::MAX)),
            theta: failure.theta.unwrap_or(f64::NAN),
        };
        LastError { _texts: texts, info }
    }

    /// Keep why a handle could not be made.
    pub fn of_create(failure: &Failure) {
        OF_CREATE.with_borrow_mut(|error| *error = LastError::new(failure));
    }

    /// As C sees it; the texts live as long as this.
    pub fn info(&self) -> ErrorInfo {
        self.info
    }
}

/// The last error of a handle; with a null handle that of the last geoms_create of this thread that returned null.
/// Returns its code, 0 if nothing has gone wrong.
///
/// # Safety
/// The handle is null or one of geoms_create; `out` is null or points to an error.
#[no_mangle]
pub unsafe extern "C" fn geoms_last_error(handle: *const Handle, out: *mut ErrorInfo) -> c_int {
    // SAFETY: the contract of this function.
    let Some(info) = (unsafe { error_info(handle) }) else { return Code::InUse.idid() };
    if !out.is_null() {
        // SAFETY: not null, and the caller's.
        unsafe { out.write_unaligned(info) };
    }
    info.code
}

/// `None` while the handle is in use.
///
/// # Safety
/// The handle is null or one of geoms_create.
unsafe fn error_info(handle: *const Handle) -> Option<ErrorInfo> {
    if handle.is_null() {
        Some(OF_CREATE.with_borrow(LastError::info))
    } else {
        // SAFETY: the contract of this function.
        unsafe { look(handle, |inner| inner.error.info()) }
    }
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
            not_null("x", x)?;
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
            not_null("out", out)?;
            out.write_unaligned(Statistics::from(inner.run()?.stats()));
            Ok(0)
        })
    }
}

/// One counter of the run by its name, that of a member of geoms_stats or of a later version, in any case.
///
/// # Safety
/// The handle is null or one of geoms_create; `name` is null or a terminated string; `count` is null or points to a number.
#[no_mangle]
pub unsafe extern "C" fn geoms_counter(handle: *mut Handle, name: *const c_char, count: *mut u64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            not_null("name", name)?;
            not_null("count", count)?;
            let name = CStr::from_ptr(name).to_string_lossy();
            let found = inner.run()?.stats().by_name(&name);
            let known = || COUNTERS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            count.write_unaligned(found.ok_or_else(|| refused("name", &name, known()))?);
            Ok(0)
        })
    }
}

/// Name of counter number k, from 0; null behind the last one. Static.
#[no_mangle]
pub extern "C" fn geoms_counter_name(k: i64) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let terminated = |(name, _): &(&str, &str)| CString::new(*name).unwrap_or_default();
    let names = NAMES.get_or_init(|| COUNTERS.iter().map(terminated).collect());
    let name = usize::try_from(k).ok().and_then(|k| names.get(k));
    name.map_or(std::ptr::null(), |name| name.as_ptr())
}

/// What the method measures beside the solution, by its name, in any case: "frequency", "largest_frequency", "stable_step" of method 3.
/// Zero as long as nothing has been measured.
///
/// # Safety
/// The handle is null or one of geoms_create; `name` is null or a terminated string; `value` is null or points to a number.
#[no_mangle]
pub unsafe extern "C" fn geoms_measure(handle: *mut Handle, name: *const c_char, value: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            not_null("name", name)?;
            not_null("value", value)?;
            let name = CStr::from_ptr(name).to_string_lossy();
            let found = inner.run()?.measure(&name);
            let known = || MEASURES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            value.write_unaligned(found.ok_or_else(|| refused("name", &name, known()))?);
            Ok(0)
        })
    }
}

/// A text of the last error by its name: sentence, advice, detail, report, block. Null for another name, so that a program can ask
/// what this version of the library knows. Valid until the next call on the handle.
///
/// # Safety
/// As geoms_last_error; `name` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_error_text(handle: *const Handle, name: *const c_char) -> *const c_char {
    // SAFETY: the contract of this function.
    let Some((info, name)) = (unsafe { error_and_name(handle, name) }) else { return std::ptr::null() };
    match &*name {
        "sentence" => info.sentence,
        "advice" => info.advice,
        "detail" => info.detail,
        "report" => info.report,
        "block" => info.block,
        _ => std::ptr::null(),
    }
}

/// A number of the last error by its name: code, t, h, index, theta. NaN if it is not known, or for another name.
///
/// # Safety
/// As geoms_error_text.
#[no_mangle]
pub unsafe extern "C" fn geoms_error_number(handle: *const Handle, name: *const c_char) -> f64 {
    // SAFETY: the contract of this function.
    let Some((info, name)) = (unsafe { error_and_name(handle, name) }) else { return f64::NAN };
    match &*name {
        "code" => f64::from(info.code),
        "t" => info.t,
        "h" => info.h,
        "index" => info.index as f64,
        "theta" => info.theta,
        _ => f64::NAN,
    }
}

/// What the two functions above begin with; `None` without a name or while the handle is in use.
///
/// # Safety
/// As geoms_error_text.
unsafe fn error_and_name(handle: *const Handle, name: *const c_char) -> Option<(ErrorInfo, String)> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the contract of this function.
    let (info, name) = unsafe { (error_info(handle)?, CStr::from_ptr(name)) };
    Some((info, name.to_string_lossy().to_ascii_lowercase()))
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

/// Number of warnings since geoms_start: rows of the model that do not fit each other ("check", "watch"), more failures of Newton's
/// method than steps. They are also messages to the log.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_warning_count(handle: *const Handle) -> i64 {
    // SAFETY: the contract of this function.
    let count = unsafe { look(handle, |inner| inner.warnings.len()) };
    count.and_then(|count| i64::try_from(count).ok()).unwrap_or(0)
}

/// Warning number k, from 0; an empty string if there is none. Valid until the next call on the handle.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_warning(handle: *const Handle, k: i64) -> *const c_char {
    let k = usize::try_from(k).unwrap_or(usize::MAX);
    // SAFETY: the contract of this function.
    let text = unsafe { look(handle, |inner| inner.warnings.get(k).map(|text| text.as_ptr())) };
    text.flatten().unwrap_or(c"".as_ptr())
}
