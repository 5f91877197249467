//! The boundary: what Fortran and C programs call.
//!
//! | file | what |
//! | --- | --- |
//! | [`fortran`] | the exported symbols `geoms_`, `gedensout_` and their twins for 64-bit INTEGER |
//! | `arguments` | the 35 arguments of the call: checks, copies in, copies out |
//! | `callback` | the callbacks of the caller as a [`System`](crate::system::System) and an [`Observer`](crate::system::Observer) |
//! | [`boundary`] | panics become codes; version and texts of the codes for C |
//! | `unit` | messages on a Fortran unit |
//! | `width` | refuses a program whose INTEGER has another width |
//! | [`handle`] | the handle of C programs: who may use it when, its beginning and end |
//! | [`settings`] | its callbacks, events, options and tolerances |
//! | [`functions`] | the functions of a C program as a model, root functions and output |
//! | [`run`] | start, step, integrate, interpolate, save and restore with a handle |
//! | [`diagnose`] | questions about the model: Jacobian, redundant constraints, constraint forces |
//! | [`gluing`] | glued runs: subdomains, ports, joints, transports |
//! | [`interrupt`] | Ctrl-C in a program of ours |
//! | [`inspect`] | what a handle knows: point, statistics, events, the last error |
//! | [`tables`] | the tables of options and methods as texts |
//!
//! There are no numerics here, and with `linalg::lapack` this is the only place with `unsafe` code.

mod arguments;
pub mod boundary;
mod callback;
pub mod diagnose;
pub mod fortran;
pub mod functions;
pub mod gluing;
pub mod handle;
pub mod inspect;
pub mod interrupt;
mod pattern;
pub mod run;
pub mod settings;
pub mod tables;
mod unit;
mod width;

#[cfg(test)]
mod tests;

/// INTEGER of the calling program: 32 bits, or 64 with `-fdefault-integer-8`.
pub(crate) trait FortranInteger: Copy + From<i32> + Into<i64> + TryFrom<u64> + 'static {
    /// The largest one.
    const MAX: Self;

    /// The value.
    fn get(self) -> i64 {
        self.into()
    }

    /// The nearest value of this width.
    fn saturated(value: u64) -> Self {
        Self::try_from(value).unwrap_or(Self::MAX)
    }

    /// An IDID; all codes fit in either width.
    fn code(value: i32) -> Self {
        value.into()
    }
}

impl FortranInteger for i32 {
    const MAX: Self = i32::MAX;
}

impl FortranInteger for i64 {
    const MAX: Self = i64::MAX;
}
