//! Stopping a run from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Asks a running integration to stop after the current step, from any thread or signal handler.
#[derive(Clone, Debug, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Ask.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once if it was asked for.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}
