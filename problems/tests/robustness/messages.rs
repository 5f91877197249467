//! Messages on a unit, read back from the file that takes the place of a unit that was not opened.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::OnceLock;

/// A unit of its own, in a directory that is not the package's.
pub struct Unit(pub i64);

fn directory() -> &'static PathBuf {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("units-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        // No other test of this binary depends on the working directory.
        std::env::set_current_dir(&path).unwrap();
        path
    })
}

impl Unit {
    pub fn new() -> Self {
        static NEXT: AtomicI64 = AtomicI64::new(100);
        directory();
        Unit(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// What has been written since the last time; empty if there is no file.
    pub fn text(&self) -> String {
        let path = directory().join(format!("fort.{}", self.0));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let _ = std::fs::remove_file(path);
        text
    }
}
