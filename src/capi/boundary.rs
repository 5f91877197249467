//! What must not cross the boundary, and what C programs ask the library: its version and the texts of the codes.
//!
//! # Panics and exceptions
//!
//! A Rust panic never leaves the library: it ends the run with IDID = -1003, and the caller's data are as they were.
//!
//! A C++ exception must not be thrown out of a callback of the bare `geoms_` call. An exception of another language
//! cannot be caught and handed on by the guard against panics, so the process would end. Catch it in the callback, set
//! IERR to a negative number, which stops the run, and throw it again after the call has returned. The same holds
//! for `longjmp`.

use crate::error::{Code, CODES};
use std::ffi::{c_char, c_int, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::OnceLock;

/// Run `f`; a panic in it becomes [`Code::Internal`].
#[doc(hidden)] // public for the tests of the boundary
pub fn guarded<T>(f: impl FnOnce() -> T) -> Result<T, Code> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        // The payload may itself panic when it is dropped.
        std::mem::forget(payload);
        Code::Internal
    })
}

/// Version of the library as a string, "major.minor.patch"; static storage.
#[no_mangle]
pub extern "C" fn geoms_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What an IDID means, in one sentence; static storage, never null.
#[no_mangle]
pub extern "C" fn geoms_strerror(idid: c_int) -> *const c_char {
    text(idid, |texts| &texts.sentence, c"Success.", c"Not a code of this library.")
}

/// What to try after an IDID; static storage, never null, empty if there is nothing to say.
#[no_mangle]
pub extern "C" fn geoms_advice(idid: c_int) -> *const c_char {
    text(idid, |texts| &texts.advice, c"", c"")
}

struct Texts {
    idid: i32,
    sentence: CString,
    advice: CString,
}

/// The code table with terminated strings.
fn texts() -> &'static [Texts] {
    static TEXTS: OnceLock<Vec<Texts>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let terminated = |s: &str| CString::new(s).unwrap_or_default();
        let row = |code: &Code| Texts {
            idid: code.idid(),
            sentence: terminated(code.sentence()),
            advice: terminated(code.advice()),
        };
        CODES.iter().map(row).collect()
    })
}

fn text(
    idid: c_int,
    of: fn(&Texts) -> &CString,
    success: &'static std::ffi::CStr,
    unknown: &'static std::ffi::CStr,
) -> *const c_char {
    if idid >= 0 {
        return success.as_ptr();
    }
    texts().iter().find(|t| t.idid == idid).map_or(unknown.as_ptr(), |t| of(t).as_ptr())
}
