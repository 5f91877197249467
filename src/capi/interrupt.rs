//! Ctrl-C: the signal asks the run to stop, as a program with a handle would do with geoms_request_stop.

use crate::solver::StopRequest;
use std::ffi::c_int;
use std::sync::OnceLock;

static REQUEST: OnceLock<StopRequest> = OnceLock::new();

/// Only loads and stores atomics, which a signal handler may do.
extern "C" fn interrupted(_signal: c_int) {
    if let Some(request) = REQUEST.get() {
        request.request();
    }
}

/// From now on the first SIGINT asks this run to stop and the second one ends the process, as it would without this. For
/// programs, one run each; a library leaves the signals of its process alone.
pub fn stop_on_interrupt(request: StopRequest) -> std::io::Result<()> {
    if REQUEST.set(request).is_err() {
        return Err(std::io::Error::other("another run listens already"));
    }
    // SAFETY: the structure is zeroed where it is not set, which is valid, and the handler keeps to what is allowed there.
    let set = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = interrupted as extern "C" fn(c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESETHAND;
        libc::sigaction(libc::SIGINT, &raw const action, std::ptr::null_mut())
    };
    if set == 0 {
        Ok(())
    } else {
        Err(std::io::Error::last_os_error())
    }
}
