//! Messages on a Fortran unit (IOPT(2) = LUN).
//!
//! A unit can only be written by Fortran. If the program has linked `gewrit_` (shipped as `fortran/gewrit.f`) the
//! text goes there, otherwise unit 6 is standard output and another unit N the file `fort.N`. The choice needs a weak
//! symbol, and that a few lines of C: `unit.c`.

use std::ffi::c_char;

extern "C" {
    fn geoms_unit_write(lun: i64, text: *const c_char, len: i64);
}

/// A unit; 0 is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit(pub i64);

impl Unit {
    /// False if a message would go nowhere, so that it need not be composed.
    pub fn listens(self) -> bool {
        self.0 > 0
    }

    /// Write a message; its lines begin with ` GEOMS: `.
    pub fn write(self, message: &str) {
        if !self.listens() {
            return;
        }
        let mut text = String::new();
        for line in message.lines() {
            text.push_str(" GEOMS: ");
            text.push_str(line);
            text.push('\n');
        }
        #[cfg(test)]
        if capture::take(self, &text) {
            return;
        }
        // SAFETY: `text` is valid for `len` bytes during the call, which keeps no reference to it.
        unsafe { geoms_unit_write(self.0, text.as_ptr().cast(), text.len() as i64) }
    }
}

/// Messages on unit 99 of a test are kept for it. (Units of programs are tested in `fortran-tests/messages.f`.)
#[cfg(test)]
pub(super) mod capture {
    use super::Unit;
    use std::cell::RefCell;

    pub const UNIT: i64 = 99;

    thread_local!(static TEXT: RefCell<String> = const { RefCell::new(String::new()) });

    pub fn take(unit: Unit, text: &str) -> bool {
        if unit.0 == UNIT {
            TEXT.with_borrow_mut(|kept| kept.push_str(text));
        }
        unit.0 == UNIT
    }

    /// What has been written by this thread since the last call.
    pub fn text() -> String {
        TEXT.take()
    }
}
