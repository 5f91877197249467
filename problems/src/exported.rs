//! The problems for programs in other languages: a shared library (`make problems`) with the functions of
//! `problems/geoms_problems.h`. A problem is made by name, and its functions are callbacks of a handle whose user pointer it is.
#![allow(unsafe_code)] // a boundary, as `geoms::capi` is

use crate::{all, by_name, MassStructure, Options, Problem};
use geoms::capi::boundary::guarded;
use geoms::capi::handle::CDimensions;
use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::sync::OnceLock;

/// A problem in one formulation, with its equations.
pub struct Instance {
    problem: Problem,
    layout: Layout,
    system: Box<dyn System + Send>,
    blocks: JacobianBlocks,
    source: CString,
}

/// Name of problem number k, from 0; null behind the last one. Static.
#[no_mangle]
pub extern "C" fn geoms_problem_name(k: i64) -> *const c_char {
    static NAMES: OnceLock<Vec<CString>> = OnceLock::new();
    let list = || all().iter().map(|p| CString::new(p.name.as_str()).unwrap_or_default()).collect();
    let name = guarded(|| usize::try_from(k).ok().and_then(|k| NAMES.get_or_init(list).get(k)));
    name.ok().flatten().map_or(std::ptr::null(), |name| name.as_ptr())
}

/// The problem with this name, with the equations in the formulation that FORM gives (0, 1), with or without its Jacobian and its
/// solution invariants; null if there is none. To be freed with geoms_problem_free.
///
/// # Safety
/// `name` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_create(
    name: *const c_char,
    form: c_int,
    jacobian: c_int,
    invariants: c_int,
) -> *mut Instance {
    if name.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the contract of this function.
    let name = unsafe { CStr::from_ptr(name) };
    let made = guarded(|| {
        let problem = by_name(&name.to_string_lossy())?;
        let form = if form == 1 { Form::Index1 } else { Form::StrangenessFree };
        let options = Options { invariants: invariants != 0, ..Options::new(form, jacobian != 0) };
        let system = problem.system_with(options);
        let layout = Layout::new(system.dimensions(), form);
        let source = CString::new(problem.source).unwrap_or_default();
        Some(Box::new(Instance { blocks: JacobianBlocks::new(&layout), problem, layout, system, source }))
    });
    made.ok().flatten().map_or(std::ptr::null_mut(), Box::into_raw)
}

/// Free a problem; null is allowed.
///
/// # Safety
/// The pointer is null or was made by geoms_problem_create, and is not used any more.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_free(problem: *mut Instance) {
    if !problem.is_null() {
        // SAFETY: the contract of this function.
        let problem = unsafe { Box::from_raw(problem) };
        let _ = guarded(|| drop(problem));
    }
}

/// Run `f` with the problem; -1 if there is none, or after a panic.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create, and nobody else uses it now.
unsafe fn with(problem: *mut c_void, f: impl FnOnce(&mut Instance) -> c_int) -> c_int {
    // SAFETY: the contract of this function.
    let problem = unsafe { problem.cast::<Instance>().as_mut() };
    problem.map_or(-1, |problem| guarded(|| f(problem)).unwrap_or(-1))
}

/// Its dimensions. Returns 0.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create; `out` points to dimensions.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_dimensions(problem: *mut c_void, out: *mut CDimensions) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(problem, |problem| {
            let d = &problem.layout.dims;
            let [np, nv, nr, nw, ns, nl, nm, ni] =
                [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|n| n as i64);
            out.write_unaligned(CDimensions { np, nv, nr, nw, ns, nl, nm, ni });
            0
        })
    }
}

/// Where it was published. Valid as long as the problem.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_source(problem: *const Instance) -> *const c_char {
    // SAFETY: the contract of this function.
    unsafe { problem.as_ref() }.map_or(c"".as_ptr(), |problem| problem.source.as_ptr())
}

/// A number that belongs to it: "t0", "tend", "masstrct" and "decompc" (the options that it needs), "rank_deficient" (1 if the
/// constraints lose rank on the way). NaN for another name.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create; `what` is null or a terminated string.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_number(problem: *const Instance, what: *const c_char) -> f64 {
    // SAFETY: the contract of this function.
    let Some(problem) = (unsafe { problem.as_ref() }).map(|instance| &instance.problem) else {
        return f64::NAN;
    };
    // SAFETY: the contract of this function.
    let what = if what.is_null() { c"" } else { unsafe { CStr::from_ptr(what) } };
    match what.to_bytes() {
        b"t0" => problem.t0,
        b"tend" => problem.tend,
        b"masstrct" => match problem.mass {
            MassStructure::Full => 1.0,
            MassStructure::Diagonal => 2.0,
            MassStructure::ConstantFull => 3.0,
            MassStructure::ConstantDiagonal => 4.0,
        },
        b"decompc" => f64::from(if problem.redundant { 3 } else { 1 }),
        b"rank_deficient" => f64::from(u8::from(problem.rank_deficient)),
        _ => f64::NAN,
    }
}

/// Its consistent initial values, N of them. Returns 0.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create; `x` has N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_initial(problem: *mut c_void, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(problem, |problem| {
            store(&problem.problem.x0, x);
            0
        })
    }
}

/// What is known of its solution at time t, N numbers, NaN for those that are not. Returns how many are known.
///
/// # Safety
/// The pointer is null or one of geoms_problem_create; `x` has N entries.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_solution(problem: *mut c_void, t: f64, x: *mut f64) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(problem, |instance| {
            let problem = &instance.problem;
            let known = match &problem.exact {
                Some(exact) => exact(t).into_iter().enumerate().collect(),
                None => problem.references.iter().find(|r| r.t == t).map_or(Vec::new(), |r| r.values.clone()),
            };
            let mut values = vec![f64::NAN; instance.layout.n];
            known.iter().for_each(|&(i, value)| values[i] = value);
            store(&values, x);
            c_int::try_from(known.len()).unwrap_or(c_int::MAX)
        })
    }
}

/// # Safety
/// `to` has as many entries.
unsafe fn store(values: &[f64], to: *mut f64) {
    // SAFETY: the contract of this function.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), to, values.len()) };
}

fn code(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Continue => 0,
        Outcome::Retry => 1,
        Outcome::Stop => -1,
    }
}

/// Equations of motion: a geoms_eom_fn whose user pointer is the problem.
///
/// # Safety
/// The lengths are those of a geoms_eom_fn.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_eom(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(user, |problem| {
            let (n, m) = (problem.layout.n, problem.layout.m);
            let (x, rda) = (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(rda, m));
            code(problem.system.eom(t, x, rda))
        })
    }
}

/// Mass matrix: a geoms_mass_fn whose user pointer is the problem.
///
/// # Safety
/// The lengths are those of a geoms_mass_fn.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_mass(
    t: f64,
    x: *const f64,
    mass: *mut f64,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(user, |problem| {
            let (n, nv) = (problem.layout.n, problem.layout.dims.nv);
            let (x, mass) = (std::slice::from_raw_parts(x, n), std::slice::from_raw_parts_mut(mass, nv * nv));
            code(problem.system.mass(t, x, mass))
        })
    }
}

/// Jacobian: a geoms_jacobian_fn whose user pointer is the problem.
///
/// # Safety
/// The lengths are those of a geoms_jacobian_fn.
#[no_mangle]
pub unsafe extern "C" fn geoms_problem_jacobian(
    t: f64,
    x: *const f64,
    fx: *const *mut f64,
    user: *mut c_void,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe {
        with(user, |problem| {
            let x = std::slice::from_raw_parts(x, problem.layout.n);
            problem.blocks.clear();
            let outcome = problem.system.jacobian(t, x, &mut problem.blocks);
            for (k, block) in problem.blocks.fx.iter().enumerate() {
                store(block, *fx.add(k));
            }
            code(outcome)
        })
    }
}
