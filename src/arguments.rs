//! Arguments of a run, refused before anything is done.

use crate::error::{Code, Failure, Result};
use crate::layout::Layout;
use crate::methods;
use crate::norm::{Scaling, Tolerance};
use crate::options::{BadOption, CheckLevel, MethodKind, Options, Singular, WatchLevel};
use crate::system::{Sparsity, Supplied};

/// Refuse arguments with which nothing can be begun.
pub(crate) fn check_arguments(
    layout: &Layout,
    options: &Options,
    tolerance: &Tolerance,
    (t, x, h, tend): (f64, &[f64], f64, f64),
) -> Result {
    let refuse = |name: &str, value: String, allowed: &str| Err(BadOption::new(name, value, allowed).into());
    options.validate()?;
    tolerance.validate(layout.n, options.uround)?;
    if layout.n == 0 || x.len() != layout.n {
        let allowed = format!("N = {} > 0 for these dimensions", layout.n);
        return refuse("length of X", x.len().to_string(), &allowed);
    }
    if layout.form != options.form {
        return refuse("IOPT(5) = FORM", format!("{:?}", options.form), "the formulation of the model");
    }
    // Its Newton iteration and its error test measure positions.
    if options.method == MethodKind::Hht && layout.dims.np == 0 && layout.dims.nv > 0 {
        return refuse("IOPT(18) = METHOD", "1".into(), "with NP = 0 and NV > 0: 0, 2, 3, 4, -1, -2");
    }
    if let Some(i) = x.iter().position(|v| !v.is_finite()) {
        return refuse(&format!("X({})", i + 1), x[i].to_string(), "finite numbers");
    }
    for (name, value) in [("T", t), ("TEND", tend)] {
        if !value.is_finite() {
            return refuse(name, value.to_string(), "finite numbers");
        }
    }
    if h.is_nan() {
        return refuse("H", h.to_string(), "a number; not positive: a starting step is chosen");
    }
    if options.fixed_step && !(h > 0.0 && h.is_finite()) && t < tend {
        return refuse("H", h.to_string(), "> 0 with IOPT(19) = FIXED = 1");
    }
    if let Some(fnewt) = options.fnewt {
        let least = options.uround / Scaling::new(tolerance, layout.n).rtol_first;
        if fnewt <= least {
            return refuse("ROPT(4) = FNEWT", fnewt.to_string(), &format!("> UROUND/RTOL' = {least:e}"));
        }
    }
    if t > tend {
        let detail = format!("T = {t:e}, TEND = {tend:e}");
        return Err(Failure::new(Code::TendBeforeT, detail).at(t, h));
    }
    Ok(())
}

impl From<BadOption> for Failure {
    fn from(bad: BadOption) -> Self {
        Failure::new(Code::BadArgument, bad.to_string())
    }
}

/// Refuse a pattern with positions that are not there.
pub(crate) fn check_pattern(layout: &Layout, pattern: Option<&Sparsity>) -> Result {
    let Some((name, (row, column), (rows, columns))) = pattern.and_then(|p| p.outside(layout)) else {
        return Ok(());
    };
    let allowed = format!("rows and columns from 0 on, below {rows} and {columns}");
    Err(BadOption::new(format_args!("pattern of {name}"), format_args!("({row}, {column})"), allowed).into())
}

/// Sizes of matrices and of work space in LAPACK are counted in 32 bits with a sign; the largest one is 2 N².
const LARGEST_ORDER: usize = 30_000;

/// Refuse sizes whose vectors alone cannot be had, whatever will be asked for.
pub(crate) fn check_vectors(layout: &Layout) -> Result {
    reserve(layout, vectors(layout), "")
}

/// Refuse a run whose memory cannot be had before anything is done. The method says what it needs; if that is not for dense
/// matrices, other parts of the run may still ask for them.
pub(crate) fn check_memory(layout: &Layout, options: &Options, supplied: Supplied<'_>) -> Result {
    match methods::numbers(layout, options, supplied) {
        Some(own) => check_by_pattern(layout, options, own),
        None => check_order(layout, methods::work_spaces(options) * dense(layout), ""),
    }
}

/// A method that stores by the pattern: are there others that ask for dense matrices?
fn check_by_pattern(layout: &Layout, options: &Options, own: u128) -> Result {
    let dense_parts = [
        ("the initial values, unless IOPT(17) = IVCNSST = 1", !options.consistent),
        ("CHECK", options.check != CheckLevel::Off),
        ("WATCH", options.watch != WatchLevel::Off),
        ("SINGULAR", options.singular != Singular::Stop),
    ];
    let asking: Vec<&str> = dense_parts.iter().filter(|part| part.1).map(|part| part.0).collect();
    if asking.is_empty() {
        return reserve(layout, own, " by pattern");
    }
    let why = format!(", {own} of them by pattern; dense matrices are asked for by {}", asking.join(", "));
    check_order(layout, own + dense(layout), &why)
}

/// So many numbers in dense matrices of this order.
fn check_order(layout: &Layout, numbers: u128, why: &str) -> Result {
    if layout.n.max(layout.m) > LARGEST_ORDER {
        let detail = format!("N = {}, M = {}; allowed: up to {LARGEST_ORDER}{why}", layout.n, layout.m);
        return Err(Failure::new(Code::OutOfMemory, detail));
    }
    reserve(layout, numbers, why)
}

/// The work space of a dense method in one estimate.
fn dense(layout: &Layout) -> u128 {
    let (n, m) = (layout.n as u128, layout.m as u128);
    12 * n * n + 4 * n * m + vectors(layout)
}

fn vectors(layout: &Layout) -> u128 {
    40 * (layout.n as u128 + layout.m as u128)
}

fn reserve(layout: &Layout, numbers: u128, why: &str) -> Result {
    let (n, m) = (layout.n, layout.m);
    let refuse =
        || Failure::new(Code::OutOfMemory, format!("{numbers} numbers needed for N = {n}, M = {m}{why}"));
    let count = usize::try_from(numbers).map_err(|_| refuse())?;
    Vec::<f64>::new().try_reserve_exact(count).map_err(|_| refuse())
}
