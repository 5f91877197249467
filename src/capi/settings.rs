//! The settings of a handle: callbacks, events, options by name, tolerances.

use super::arguments::copied;
use super::functions::{
    ConditionsFunction, EomFunction, EventsFunction, JacobianFunction, LogFunction, MassFunction,
    OutputFunction, PartsFunction, Roots,
};
use super::handle::{call, not_null, null, refused, Events, Handle, Inner};
use super::pattern;
use crate::error::Failure;
use crate::events::{Direction, Rule};
use crate::initial::check_conditions;
use crate::norm::Tolerance;
use crate::options::{BadOption, Options};
use crate::solver::Solver;
use std::ffi::{c_char, c_int, c_void, CStr};

/// More event functions than anybody has; a larger number is a mistake.
const MOST_EVENTS: usize = 1_000_000;

/// Change a setting that has nothing to be refused.
///
/// # Safety
/// As [`call`].
unsafe fn set(handle: *mut Handle, change: impl FnOnce(&mut Inner)) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            change(inner);
            inner.solver.iter_mut().for_each(Solver::distrust);
            Ok(0)
        })
    }
}

/// Set the pointer that is passed to all callbacks; acts at once.
///
/// # Safety
/// The handle is null or one of geoms_create. The pointer is whatever the callbacks take.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_user(handle: *mut Handle, user: *mut c_void) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        set(handle, |inner| {
            (inner.model.user, inner.running.user) = (user, user);
            (inner.log.user, inner.events.roots.user) = (user, user);
        })
    }
}

/// Set the equations of motion: RDA, in the order of docs/reference.md. Acts with the next geoms_start.
///
/// # Safety
/// The handle is null or one of geoms_create; the function keeps to its lengths and lets no exception out.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_eom(handle: *mut Handle, eom: EomFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| inner.model.eom = eom) }
}

/// Set the mass matrix. Acts with the next geoms_start. The option "masstrct" says what is known of it.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_mass(handle: *mut Handle, mass: MassFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| inner.model.mass = mass) }
}

/// Set the NEGATIVE partial derivatives of RDA; null: differences are used. Acts with the next geoms_start.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_jacobian(handle: *mut Handle, jacobian: JacobianFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| inner.model.jacobian = jacobian) }
}

/// Set a function that gives the parts of the equations of motion that are asked for; null: none. The half-explicit method
/// ("method" -2, the default, 4 or -1; at its stages also method 2) then calls it instead of EOM, MAS and JAC, which costs less: to set
/// it makes the default a half-explicit method, unless the problem is stiff or the parts contradict EOM or MAS. These must be
/// set all the same: initial values and the other methods take them. To set it says that p' = v, and that f_dyn depends on the multipliers by -Cᵀ(λ, μ) alone:
/// friction that depends on them is not for it. geoms_check_jacobian compares it with EOM and MAS. It is called if
/// NW = NS = NR = 0, NP = NV and NL+NM > 0; otherwise nothing changes. Of its calls NEOM counts those for the force or the
/// positions, NMAS those for the mass matrix, NJAC those for C. Acts with the next geoms_start.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_parts(handle: *mut Handle, parts: PartsFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| inner.model.parts = parts) }
}

/// Say where a matrix may have entries other than zero: `block` 0 is the mass matrix, 1 to 6 are FX1 to FX6; count positions
/// (row, column), from 0 on; count = -1: anywhere, as before the first call. Without a Jacobian differences then move the
/// columns together that share no row: a chain of bodies costs some ten calls of EOM however long it is. METHOD = 1 stores
/// and factors matrices of order 500 and more by the pattern if all seven are said, the mass matrix is constant, and DECOMPC and DECOMPD
/// are 1; IVCNSST = 1 and SINGULAR, CHECK, WATCH = 0 avoid other dense matrices. What is not in the pattern is taken for
/// zero; geoms_check_model compares. Acts with the next geoms_start.
///
/// # Safety
/// As geoms_set_eom; `rows` and `columns` have count entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_pattern(
    handle: *mut Handle,
    block: c_int,
    count: i64,
    rows: *const i64,
    columns: *const i64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let matrix = usize::try_from(block).ok().filter(|b| *b <= 6);
            let matrix = matrix.ok_or_else(|| refused("block", i64::from(block), "0 ... 6"))?;
            if count == -1 {
                inner.model.pattern.set(&inner.layout, matrix, None);
                return Ok(0);
            }
            let size = usize::try_from(count).map_err(|_| refused("count", count, ">= 0, or -1"))?;
            let (m, n) = pattern::shape(&inner.layout, matrix);
            if size > m * n {
                return Err(refused("count", count, format!("at most {m} times {n}")));
            }
            if size > 0 {
                not_null("rows", rows)?;
                not_null("columns", columns)?;
            }
            let mut list = Vec::with_capacity(size);
            for k in 0..size {
                let (row, column) = (rows.add(k).read_unaligned(), columns.add(k).read_unaligned());
                for (name, value, size) in [("rows", row, m), ("columns", column, n)] {
                    if usize::try_from(value).map_or(true, |value| value >= size) {
                        return Err(refused(format!("{name}[{k}]"), value, format!("0 ... {}", size - 1)));
                    }
                }
                list.push((row as u32, column as u32));
            }
            inner.model.pattern.set(&inner.layout, matrix, Some(list));
            Ok(0)
        })
    }
}

/// Set n conditions with which geoms_start makes the initial values consistent; n = 0: none.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_conditions(
    handle: *mut Handle,
    n: i64,
    conditions: ConditionsFunction,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let count = usize::try_from(n).map_err(|_| refused("n", n, ">= 0"))?;
            if count > 0 && conditions.is_none() {
                return Err(null("conditions"));
            }
            check_conditions(&inner.layout, "n", count)?;
            (inner.model.conditions, inner.model.condition_count) = (conditions, count);
            Ok(0)
        })
    }
}

/// Set a function that is told of the initial point and of every accepted step; null: none. Acts at once.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_output(handle: *mut Handle, output: OutputFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| inner.output = output) }
}

/// Set a function that gets messages up to a level, GEOMS_LOG_ERROR to GEOMS_LOG_DEBUG; null: silent. Acts at once.
///
/// # Safety
/// As geoms_set_eom.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_log(handle: *mut Handle, level: c_int, log: LogFunction) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { set(handle, |inner| (inner.log.function, inner.log.level) = (log, level)) }
}

/// Set n event functions; n = 0: none. A direction is 0 for any change of sign, 1 for rising, -1 for falling ones; at a
/// terminal event the run stops. Null for `direction` or `terminal` means zeros. Event times are located to `tolerance`;
/// 0: to rounding errors. Acts at once, from the current point on.
///
/// The time of a terminal event is that of a zero of the function at the point at which the run stands, so it is as
/// accurate as the solution; that of another event is as accurate as the interpolation (geoms_dense). A zero at a start or
/// restart is no event; a return to zero within the first step is one. Otherwise only a change of sign between two accepted
/// points is seen: where a function can cross zero twice in a step, bound the step by "hmax".
///
/// # Safety
/// As geoms_set_eom; `direction` and `terminal` are null or have n entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_events(
    handle: *mut Handle,
    n: i64,
    events: EventsFunction,
    direction: *const c_int,
    terminal: *const c_int,
    tolerance: f64,
) -> c_int {
    // SAFETY: n entries, or null; the contract of this function.
    let entry = |array: *const c_int, k: usize| {
        if array.is_null() {
            0
        } else {
            unsafe { array.add(k).read_unaligned() }
        }
    };
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let count = usize::try_from(n).map_err(|_| refused("n", n, ">= 0"))?;
            if count > 0 && events.is_none() {
                return Err(null("events"));
            }
            if !(tolerance >= 0.0 && tolerance.is_finite()) {
                return Err(refused("tolerance", tolerance, ">= 0"));
            }
            if count > MOST_EVENTS {
                return Err(refused("n", n, format!("0 <= n <= {MOST_EVENTS}")));
            }
            let mut rules = Vec::with_capacity(count);
            for k in 0..count {
                let direction = match entry(direction, k) {
                    0 => Direction::Any,
                    1 => Direction::Rising,
                    -1 => Direction::Falling,
                    other => return Err(refused(format!("direction[{k}]"), other, "-1, 0, 1")),
                };
                rules.push(Rule { direction, terminal: entry(terminal, k) != 0 });
            }
            let mut wanted =
                Events { roots: Roots { function: events, count, ..inner.events.roots }, rules, tolerance };
            if let (Some(solver), Some(watched)) = (&mut inner.solver, wanted.watched()) {
                solver.watch(watched.roots, watched.rules, watched.tolerance)?;
            }
            inner.events = wanted;
            Ok(0)
        })
    }
}

impl Inner {
    /// Change the options; if the change is refused nothing has changed.
    fn change(&mut self, f: impl FnOnce(&mut Options) -> Result<(), BadOption>) -> Result<c_int, Failure> {
        let mut options = self.options.clone();
        f(&mut options)?;
        let refusal = if options.form != self.layout.form {
            Some(("FORM", "the form given to geoms_create"))
        } else if options.lun != self.options.lun {
            Some(("LUN", "0; messages of a handle go to geoms_set_log"))
        } else if !options.recover {
            Some(("RECOVER", "1; a positive number returned by a callback always asks for a smaller step"))
        } else {
            None
        };
        if let Some((name, allowed)) = refusal {
            return Err(refused(name, "this value", allowed));
        }
        if let Some(solver) = self.solver.as_mut().filter(|_| options.nmax != self.options.nmax) {
            solver.limit_steps(options.nmax);
        }
        self.options = options;
        Ok(0)
    }
}

/// The name of an option.
///
/// # Safety
/// `name` is null or a terminated string.
unsafe fn option_name(name: *const c_char) -> Result<String, Failure> {
    not_null("name", name)?;
    // SAFETY: the contract of this function.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// Set an integer option by its name in the option table, in any case: geoms_set_int(h, "decompc", 3). Acts with the
/// next geoms_start, "nmax" at once.
///
/// # Safety
/// The handle is null or one of geoms_create; `name` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_int(handle: *mut Handle, name: *const c_char, value: i64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let name = option_name(name)?;
            inner.change(|options| options.set_int(&name, value))
        })
    }
}

/// Set a real option by its name in the option table, in any case: geoms_set_real(h, "hmax", 0.1). Acts with the next
/// geoms_start.
///
/// # Safety
/// As geoms_set_int.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_real(handle: *mut Handle, name: *const c_char, value: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let name = option_name(name)?;
            inner.change(|options| options.set_real(&name, value))
        })
    }
}

/// Set the tolerances for all components; 1e-6 both if never set. Acts with the next geoms_start.
///
/// # Safety
/// The handle is null or one of geoms_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_tolerance(handle: *mut Handle, rtol: f64, atol: f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { call(handle, |_, inner| inner.set_tolerance(Tolerance::scalar(rtol, atol))) }
}

/// Set the tolerances of each component, in the order of x. Acts with the next geoms_start.
///
/// # Safety
/// The handle is null or one of geoms_create; `rtol` and `atol` are null or have N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_set_tolerances(
    handle: *mut Handle,
    rtol: *const f64,
    atol: *const f64,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        call(handle, |_, inner| {
            let given = |name, from| inner.given(name, from);
            let tolerance = Tolerance { rtol: given("rtol", rtol)?, atol: given("atol", atol)? };
            inner.set_tolerance(tolerance)
        })
    }
}

impl Inner {
    fn set_tolerance(&mut self, tolerance: Tolerance) -> Result<c_int, Failure> {
        tolerance.validate(self.layout.n, self.options.uround)?;
        self.tolerance = tolerance;
        Ok(0)
    }

    /// A copy of N numbers of the caller.
    ///
    /// # Safety
    /// `from` is null or points to N numbers.
    pub unsafe fn given(&self, name: &str, from: *const f64) -> Result<Vec<f64>, Failure> {
        not_null(name, from)?;
        // SAFETY: the contract of this function.
        unsafe { copied(from, self.layout.n) }
    }
}
