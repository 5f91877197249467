//! The 35 arguments of the call: what is checked before anything is done, and what is written at the end.
//!
//! A refused argument changes nothing of the caller's data but IDID. All reads and writes allow for any alignment:
//! old programs keep their arrays in COMMON blocks.

use super::boundary::guarded;
use super::callback::{Callbacks, Output};
use super::fortran::Arguments;
use super::unit::Unit;
use super::width::{self, Mismatch};
use super::FortranInteger;
use crate::decompose::DecompositionKind;
use crate::error::{Code, Failure};
use crate::initial::check_conditions;
use crate::integrate::{integrate_and_warn, Integration};
use crate::layout::{Dimensions, Form, Layout};
use crate::linalg::SolverKind;
use crate::methods::features::cautions;
use crate::norm::Tolerance;
use crate::options::{BadOption, Options, Slot, OPTIONS};
use crate::stats::Stats;
use crate::system::Observer;
use std::fmt::{Display, Write};
/// The entries of IOPT and ROPT.
const SLOTS: usize = 40;

/// Perform the call.
///
/// # Safety
/// Every pointer is null or points to what the manual says.
pub(super) unsafe fn call<I: FortranInteger>(args: &Arguments<I>) {
    if args.idid.is_null() {
        return;
    }
    // SAFETY: the contract of this function.
    if let Some(mismatch) = unsafe { width::mismatch(args) } {
        // SAFETY: as above; the mismatch says how wide the caller's integers are.
        return unsafe { refuse_width(args, mismatch) };
    }
    // SAFETY: the contract of this function.
    let code = match guarded(|| unsafe { args.run() }) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) | Err(code) => code.idid(),
    };
    // SAFETY: not null, and the caller's own.
    unsafe { args.idid.write_unaligned(I::code(code)) }
}

/// Say that the program's INTEGER has another width, on its unit and in its IDID.
///
/// # Safety
/// As [`call`]; the caller's integers are as wide as the mismatch says.
unsafe fn refuse_width<I: FortranInteger>(args: &Arguments<I>, mismatch: Mismatch) {
    let code = Code::BadArgument.idid();
    // SAFETY: the contract of this function; IOPT has at least two entries.
    let (unit, is, allowed) = unsafe {
        match mismatch {
            Mismatch::Narrow => {
                args.idid.cast::<i32>().write_unaligned(code);
                let unit = args.iopt.cast::<i32>().add(1).read_unaligned().get();
                (unit, 32, "64 bits: link libgeoms, or compile with -fdefault-integer-8")
            }
            Mismatch::Wide => {
                args.idid.cast::<i64>().write_unaligned(code.into());
                let unit = args.iopt.cast::<i64>().add(1).read_unaligned();
                (unit, 64, "32 bits: link libgeoms64, or compile without -fdefault-integer-8")
            }
        }
    };
    report(Unit(unit), &refused("INTEGER of the program", format_args!("{is} bits"), allowed));
}

/// A call that has passed all checks: copies of everything that the core needs.
struct Request<I> {
    callbacks: Callbacks<I>,
    output: Option<Output<I>>,
    options: Options,
    tolerance: Tolerance,
    x: Vec<f64>,
    t: f64,
    tend: f64,
    h: f64,
}

impl<I: FortranInteger> Arguments<I> {
    /// # Safety
    /// As [`call`]; IDID is not null.
    unsafe fn run(&self) -> Result<(), Code> {
        // SAFETY: IOPT is null or has 40 entries.
        let unit =
            Unit(if self.iopt.is_null() { 0 } else { unsafe { self.iopt.add(1).read_unaligned() }.get() });
        // SAFETY: the contract of this function.
        let request = unsafe { self.decode() };
        let mut request = request.map_err(|failure| report(unit, &failure))?;
        if unit.listens() {
            // SAFETY: IOPT and ROPT have been checked for null.
            let (iopt, ropt) = unsafe { self.option_arrays() };
            unit.write(&request.opening(&iopt, &ropt));
        }
        let mut stats = Stats::default();
        let outcome = request.integrate(unit, &mut stats);
        // What the core refuses (a tolerance that does not fit an option, say) changes nothing either.
        if !matches!(&outcome, Err(failure) if failure.code == Code::BadArgument) {
            // SAFETY: X, T, H and IWORK have been checked for null and length.
            unsafe { self.store(&request, &stats) };
        }
        match outcome {
            Ok(()) => {
                if unit.listens() {
                    unit.write(&format!(
                        "finished at t = {:e}, next h = {:e}\n{stats}",
                        request.t, request.h
                    ));
                }
                Ok(())
            }
            Err(failure) => {
                unit.write(&stats.to_string());
                Err(report(unit, &failure))
            }
        }
    }

    /// X, T and H of the last accepted point, and the counters.
    ///
    /// # Safety
    /// The arguments have passed [`Arguments::decode`].
    unsafe fn store(&self, request: &Request<I>, stats: &Stats) {
        for (i, value) in request.x.iter().enumerate() {
            // SAFETY: X has N entries.
            unsafe { self.x.add(i).write_unaligned(*value) };
        }
        // SAFETY: not null.
        unsafe {
            self.t.write_unaligned(request.t);
            self.h.write_unaligned(request.h);
        }
        for (i, (_, count)) in stats.iwork().into_iter().enumerate() {
            // SAFETY: IWORK has at least 20 entries.
            unsafe { self.iwork.add(i).write_unaligned(I::saturated(count)) };
        }
    }

    /// # Safety
    /// As [`call`].
    unsafe fn decode(&self) -> Result<Request<I>, Failure> {
        // SAFETY: not null.
        if unsafe { self.idid.read_unaligned() }.get() < 0 {
            return Err(Failure::new(Code::NegativeIdid, ""));
        }
        self.refuse_null()?;
        // SAFETY (this and the reads below): no argument is null, and each points to what the manual says.
        let int = |p: *const I| unsafe { p.read_unaligned() }.get();
        let real = |p: *const f64| unsafe { p.read_unaligned() };

        let (iopt, ropt) = unsafe { self.option_arrays() };
        let options = Options::from_arrays(&iopt, &ropt)?;
        let layout = self.layout(int, options.form)?;
        let (ijac, iout) = (switch("IJAC", int(self.ijac))?, switch("IOUT", int(self.iout))?);
        let itol = switch("ITOL", int(self.itol))?;
        let nivcond = not_negative("NIVCOND", int(self.nivcond))?;
        check_conditions(&layout, "NIVCOND", nivcond)?;
        at_least("LIWORK", int(self.liwork), 20)?;
        at_least("LRWORK", int(self.lrwork), minimal_lrwork(&layout, &options))?;

        let conditions = nivcond > 0 && !options.consistent;
        for (name, missing) in [
            ("EOM", self.eom.is_none()),
            ("MAS", self.mas.is_none()),
            ("JAC", ijac && self.jac.is_none()),
            ("SOLOUT", iout && self.solout.is_none()),
            ("IVCOND", conditions && self.ivcond.is_none()),
        ] {
            if missing {
                return Err(null(name));
            }
        }
        let (t, tend, h) = (real(self.t), real(self.tend), real(self.h));
        finite("T", t)?;
        finite("TEND", tend)?;
        if h.is_nan() {
            return Err(refused("H", h, "a number; not positive: a starting step is chosen"));
        }
        let x = unsafe { copied(self.x, layout.n) }?;
        for (i, value) in x.iter().enumerate() {
            finite(format_args!("X({})", i + 1), *value)?;
        }
        let entries = if itol { layout.n } else { 1 };
        let tolerance =
            unsafe { Tolerance { rtol: copied(self.rtol, entries)?, atol: copied(self.atol, entries)? } };
        tolerance.validate(layout.n, options.uround)?;
        if t > tend {
            return Err(Failure::new(Code::TendBeforeT, format!("T = {t:e}, TEND = {tend:e}")));
        }

        let callbacks = Callbacks {
            layout,
            x: zeros(layout.n)?,
            recover: options.recover,
            nivcond: if conditions { nivcond } else { 0 },
            has_jac: ijac,
            arguments: *self,
        };
        let contx = zeros(if iout { layout.n.saturating_mul(4) } else { 0 })?;
        let output = iout.then(|| Output { callbacks: callbacks.clone(), contx });
        Ok(Request { callbacks, output, options, tolerance, x, t, tend, h })
    }

    /// IOPT and ROPT as the option table reads them.
    ///
    /// # Safety
    /// Both have 40 entries.
    unsafe fn option_arrays(&self) -> ([i64; SLOTS], [f64; SLOTS]) {
        // SAFETY: the contract of this function.
        unsafe {
            let iopt = std::array::from_fn(|k| self.iopt.add(k).read_unaligned().get());
            let ropt = std::array::from_fn(|k| self.ropt.add(k).read_unaligned());
            (iopt, ropt)
        }
    }

    /// All arguments but the subroutines, of which some may be missing.
    fn refuse_null(&self) -> Result<(), Failure> {
        let integers = [
            ("NP", self.np),
            ("NV", self.nv),
            ("NR", self.nr),
            ("NW", self.nw),
            ("NS", self.ns),
            ("NL", self.nl),
            ("NM", self.nm),
            ("NI", self.ni),
            ("M", self.m),
            ("N", self.n),
            ("NIVCOND", self.nivcond),
            ("ITOL", self.itol),
            ("IOPT", self.iopt),
            ("IJAC", self.ijac),
            ("IOUT", self.iout),
            ("LIWORK", self.liwork),
            ("IWORK", self.iwork),
            ("LRWORK", self.lrwork),
            ("IPAR", self.ipar),
            ("IERR", self.ierr),
        ];
        let reals = [
            ("X", self.x.cast_const()),
            ("T", self.t),
            ("TEND", self.tend),
            ("H", self.h),
            ("RTOL", self.rtol),
            ("ATOL", self.atol),
            ("ROPT", self.ropt),
            ("RWORK", self.rwork),
            ("RPAR", self.rpar),
        ];
        let missing = integers.iter().find(|a| a.1.is_null()).map(|a| a.0);
        match missing.or_else(|| reals.iter().find(|a| a.1.is_null()).map(|a| a.0)) {
            Some(name) => Err(null(name)),
            None => Ok(()),
        }
    }

    /// The dimensions, which N and M must fit.
    fn layout(&self, int: impl Fn(*const I) -> i64, form: Form) -> Result<Layout, Failure> {
        let dims = Dimensions {
            np: not_negative("NP", int(self.np))?,
            nv: not_negative("NV", int(self.nv))?,
            nr: not_negative("NR", int(self.nr))?,
            nw: not_negative("NW", int(self.nw))?,
            ns: not_negative("NS", int(self.ns))?,
            nl: not_negative("NL", int(self.nl))?,
            nm: not_negative("NM", int(self.nm))?,
            ni: not_negative("NI", int(self.ni))?,
        };
        // The sums are made before the layout, in a type that cannot overflow.
        let [np, nv, nr, nw, ns, nl, nm, ni] =
            [dims.np, dims.nv, dims.nr, dims.nw, dims.ns, dims.nl, dims.nm, dims.ni].map(|d| d as i128);
        let n = np + nv + nr + nw + ns + nl + nm;
        let (m, rule) = match form {
            Form::StrangenessFree => (n + 2 * nl + nm + ni, "NP+NV+NR+NW+NS+3*NL+2*NM+NI"),
            Form::Index1 => (n + nl + ni, "NP+NV+NR+NW+NS+2*NL+NM+NI"),
        };
        let (given_n, given_m) = (int(self.n), int(self.m));
        if i128::from(given_n) != n {
            return Err(refused("N", given_n, format_args!("{n} = NP+NV+NR+NW+NS+NL+NM")));
        }
        at_least("N", given_n, 1)?;
        if i128::from(given_m) != m {
            return Err(refused("M", given_m, format_args!("{m} = {rule} (IOPT(5))")));
        }
        Ok(Layout::new(dims, form))
    }
}

impl<I: FortranInteger> Request<I> {
    fn integrate(&mut self, unit: Unit, stats: &mut Stats) -> Result<(), Failure> {
        let run = Integration {
            system: &mut self.callbacks,
            observer: self.output.as_mut().map(|output| output as &mut dyn Observer),
            options: &self.options,
            tolerance: &self.tolerance,
        };
        let mut warn = |text: &str| unit.write(&format!("warning: {text}"));
        integrate_and_warn(run, &mut self.t, &mut self.x, &mut self.h, self.tend, stats, &mut warn)
    }

    /// The message at the start: dimensions, interval, tolerances and the options that were set.
    fn opening(&self, iopt: &[i64; SLOTS], ropt: &[f64; SLOTS]) -> String {
        let l = &self.callbacks.layout;
        let d = &l.dims;
        let mut s = format!(
            "starts with NP={} NV={} NR={} NW={} NS={} NL={} NM={} NI={} M={} N={} NIVCOND={}\n",
            d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni, l.m, l.n, self.callbacks.nivcond
        );
        // Writing to a String cannot fail.
        let _ = write!(s, "T={:e} TEND={:e} H={:e}", self.t, self.tend, self.h);
        for (name, values) in [("RTOL", &self.tolerance.rtol), ("ATOL", &self.tolerance.atol)] {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(0.0, f64::max);
            let _ = if low == high {
                write!(s, " {name}={low:e}")
            } else {
                write!(s, " {name}={low:e}..{high:e}")
            };
        }
        for entry in OPTIONS {
            let _ = match entry.slot {
                Slot::Iopt(k) if iopt[k - 1] != 0 && (k < 18 || self.options.extended) => {
                    write!(s, " {}={}", entry.name, iopt[k - 1])
                }
                Slot::Ropt(k) if ropt[k - 1] != 0.0 => write!(s, " {}={:e}", entry.name, ropt[k - 1]),
                _ => Ok(()),
            };
        }
        for caution in cautions(&self.options, &self.callbacks.layout.dims) {
            let _ = write!(s, "\n{caution}");
        }
        s
    }
}

/// The manual's minima for the options chosen (argument LRWORK). RWORK itself is not used: the library has its
/// own work space.
fn minimal_lrwork(layout: &Layout, options: &Options) -> i128 {
    let n = layout.n as i128;
    let mut least = 0;
    if !options.consistent {
        least = least.max(5 * n);
    }
    match options.decompose_constraints {
        DecompositionKind::Svd => {
            let sizes = [layout.m1(), layout.m2(), layout.m3(), layout.n1(), layout.n3(), layout.n4()];
            least = sizes.into_iter().fold(least, |least, size| least.max(5 * size as i128));
        }
        DecompositionKind::Qr => least = least.max(n),
        DecompositionKind::Lu => {}
    }
    if options.decompose_differential == SolverKind::Qr {
        least = least.max(2 * n);
    }
    least
}

/// Say it on the unit, and reduce it to its code.
fn report(unit: Unit, failure: &Failure) -> Code {
    if unit.listens() {
        unit.write(&failure.to_string());
    }
    failure.code
}

/// `len` values of the caller.
///
/// # Safety
/// `from` points to `len` values.
pub(super) unsafe fn copied(from: *const f64, len: usize) -> Result<Vec<f64>, Failure> {
    let mut values = zeros(len)?;
    for (i, value) in values.iter_mut().enumerate() {
        // SAFETY: the contract of this function.
        *value = unsafe { from.add(i).read_unaligned() };
    }
    Ok(values)
}

/// `len` zeros, or the code of an allocation that failed.
fn zeros(len: usize) -> Result<Vec<f64>, Failure> {
    let mut values = Vec::new();
    if values.try_reserve_exact(len).is_err() {
        return Err(Failure::new(Code::OutOfMemory, format!("{len} numbers")));
    }
    values.resize(len, 0.0);
    Ok(values)
}

fn refused(name: impl Display, value: impl Display, allowed: impl Display) -> Failure {
    BadOption::new(name, value, allowed).into()
}

fn null(name: &str) -> Failure {
    refused(name, "a null pointer", "an argument or subroutine of the program")
}

fn switch(name: &str, value: i64) -> Result<bool, Failure> {
    match value {
        0 | 1 => Ok(value == 1),
        _ => Err(refused(name, value, "0, 1")),
    }
}

fn not_negative(name: &str, value: i64) -> Result<usize, Failure> {
    usize::try_from(value).map_err(|_| refused(name, value, ">= 0"))
}

fn at_least(name: &str, value: i64, least: i128) -> Result<(), Failure> {
    if i128::from(value) < least {
        return Err(refused(name, value, format_args!(">= {least}")));
    }
    Ok(())
}

fn finite(name: impl Display, value: f64) -> Result<(), Failure> {
    if !value.is_finite() {
        return Err(refused(name, value, "a finite number"));
    }
    Ok(())
}
