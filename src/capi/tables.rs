//! The tables of options and methods, for programs that take names and texts from the library instead of repeating them.

use crate::methods::features::METHODS;
use crate::options::{OptionEntry, OPTIONS};
use std::ffi::{c_char, CStr, CString};
use std::sync::OnceLock;

/// Rows of a table: what it is called, and its text.
type Row = Vec<(CString, CString)>;

fn row(texts: Vec<(&str, String)>) -> Row {
    let terminated = |text: &str| CString::new(text).unwrap_or_default();
    texts.iter().map(|(what, text)| (terminated(what), terminated(text))).collect()
}

/// A text of row k; null behind the last row, and for what it does not have.
///
/// # Safety
/// `what` is null or a terminated string.
unsafe fn text(table: &'static [Row], k: i64, what: *const c_char) -> *const c_char {
    if what.is_null() {
        return std::ptr::null();
    }
    // SAFETY: the contract of this function.
    let what = unsafe { CStr::from_ptr(what) };
    let row = usize::try_from(k).ok().and_then(|k| table.get(k));
    let found = row.and_then(|row| row.iter().find(|(name, _)| name.as_c_str() == what));
    found.map_or(std::ptr::null(), |(_, text)| text.as_ptr())
}

fn of_option(entry: &OptionEntry) -> Row {
    row(vec![
        ("name", entry.name.to_owned()),
        ("kind", if entry.is_integer() { "integer" } else { "real" }.to_owned()),
        ("slot", entry.slot.to_string()),
        ("range", entry.range.to_owned()),
        ("default", entry.handle.unwrap_or(entry.default).to_owned()),
        ("meaning", entry.meaning.to_owned()),
    ])
}

/// A text of option number k of the option table, from 0: "name"; "kind", which is "integer" (geoms_set_int) or "real"
/// (geoms_set_real); "slot" of the call; "range"; "default" of a handle; "meaning". Null behind the last option, and for another text.
/// Static.
///
/// # Safety
/// `what` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_option_text(k: i64, what: *const c_char) -> *const c_char {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| OPTIONS.iter().map(of_option).collect());
    // SAFETY: the contract of this function.
    unsafe { text(rows, k, what) }
}

fn methods() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let of_method = METHODS.iter().map(|method| {
            // METHOD repeats the number.
            let features = method.rows().into_iter().filter(|(what, _)| *what != "METHOD");
            let (keyword, number) = (format!("{:?}", method.kind), (method.kind as i64).to_string());
            let first = [("keyword", keyword), ("name", method.name.to_owned()), ("number", number)];
            row(first.into_iter().chain(features).collect())
        });
        of_method.collect()
    })
}

/// A text of the k-th method, from 0: its "name", one word for it ("keyword"), its "number" as the option "method" takes it, or what
/// it does of a feature (geoms_feature_name): yes, no, a condition, orders. Null behind the last method, and for another text. Static.
///
/// # Safety
/// `what` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_method_text(k: i64, what: *const c_char) -> *const c_char {
    // SAFETY: the contract of this function.
    unsafe { text(methods(), k, what) }
}

/// Name of feature number k, from 0, as geoms_method_text takes it; null behind the last one. Static.
#[no_mangle]
pub extern "C" fn geoms_feature_name(k: i64) -> *const c_char {
    // Behind the keyword, the name and the number.
    let features = methods().first().and_then(|row| row.get(3..)).unwrap_or_default();
    let named = usize::try_from(k).ok().and_then(|k| features.get(k));
    named.map_or(std::ptr::null(), |(name, _)| name.as_ptr())
}
