//! The handle of C programs from Rust: null pointers, wrong order, refused values, every function at least once.
#![allow(clippy::expect_used, clippy::panic, unsafe_code)]

use geoms::capi::diagnose::*;
use geoms::capi::functions::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, Parts, System};
use geoms::testset;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

const NULL: *mut Handle = null_mut();

fn text(from: *const c_char) -> String {
    // SAFETY: no string of an error is null, and each is terminated.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

/// The last error of a handle.
fn error(handle: *const Handle) -> (c_int, String) {
    let mut info = std::mem::MaybeUninit::uninit();
    // SAFETY: `info` is written in any case: the handle is not in use.
    let info = unsafe {
        geoms_last_error(handle, info.as_mut_ptr());
        info.assume_init()
    };
    (info.code, text(info.detail))
}

/// A problem of the library behind C functions; the user pointer of the handle.
struct Problem {
    system: Box<dyn System + Send>,
    blocks: JacobianBlocks,
    n: usize,
    m: usize,
    warnings: usize,
    /// Calls of `parts`, and how often it was asked for force, M, C, γ, velocities and positions.
    calls: u64,
    asked: [u64; 6],
    /// What `parts` returns, and which part it spoils: from this call on, once.
    fault: Option<(u64, c_int, Fault)>,
    /// What the parts of a test shift, and what a log heard.
    shift: Fault,
    said: String,
}

/// What is spoilt: none, or one of the six parts.
type Fault = Option<usize>;

fn returned(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Continue => 0,
        Outcome::Retry => 1,
        Outcome::Stop => -1,
    }
}

// SAFETY (all four): the arrays have the lengths of the problem, and `user` is the problem.
unsafe extern "C" fn eom(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let (x, rda) = unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(rda, p.m)) };
    returned(p.system.eom(t, x, rda))
}

unsafe extern "C" fn mass(t: f64, x: *const f64, mass: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let nv = p.system.dimensions().nv;
    let (x, mass) =
        unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(mass, nv * nv)) };
    returned(p.system.mass(t, x, mass))
}

unsafe extern "C" fn jacobian(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    p.blocks.clear();
    let x = unsafe { std::slice::from_raw_parts(x, p.n) };
    let outcome = p.system.jacobian(t, x, &mut p.blocks);
    for (k, block) in p.blocks.fx.iter().enumerate() {
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), *fx.add(k), block.len()) };
    }
    returned(outcome)
}

#[allow(clippy::too_many_arguments)] // the interface
unsafe extern "C" fn parts(
    t: f64,
    x: *const f64,
    force: *mut f64,
    mass: *mut f64,
    c: *mut f64,
    gamma: *mut f64,
    velocity: *mut f64,
    position: *mut f64,
    user: *mut c_void,
) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let d = p.system.dimensions();
    let l = Layout::new(d, Form::StrangenessFree);
    let (nc, m2) = (d.nl + d.nm, l.m2());
    let lengths = [d.nv, d.nv * d.nv, nc * d.nv, nc, nc, d.nl];
    let pointers = [force, mass, c, gamma, velocity, position];
    assert!(pointers.iter().any(|part| !part.is_null()), "a question that the library answers itself");
    p.calls += 1;
    let x = unsafe { std::slice::from_raw_parts(x, p.n) };
    let mut free = x.to_vec();
    l.x.multipliers.of_mut(&mut free).fill(0.0);
    let mut rda = vec![0.0; p.m];
    let _ = p.system.eom(t, &free, &mut rda);
    p.blocks.clear();
    let _ = p.system.jacobian(t, &free, &mut p.blocks);
    let fx2 = &p.blocks.fx[1];
    for (k, pointer) in pointers.into_iter().enumerate().filter(|(_, pointer)| !pointer.is_null()) {
        p.asked[k] += 1;
        let part = unsafe { std::slice::from_raw_parts_mut(pointer, lengths[k]) };
        if k == 1 || k == 2 {
            assert!(part.iter().all(|v| *v == 0.0), "matrices come in as zeros");
        }
        match k {
            0 => part.copy_from_slice(l.rda.f_dyn.of(&rda)),
            1 => {
                let _ = p.system.mass(t, x, part);
            }
            2 => {
                for (c, fx) in part.chunks_exact_mut(nc).zip(fx2.chunks_exact(m2)) {
                    c.iter_mut().zip(fx).for_each(|(c, fx)| *c = -fx);
                }
            }
            3 => {
                // The constraints of these problems do not depend on time.
                part.fill(0.0);
                for (fx, v) in fx2[d.nv * m2..].chunks_exact(m2).zip(l.x.v.of(x)) {
                    part.iter_mut().zip(fx).for_each(|(rate, fx)| *rate -= fx * v);
                }
            }
            4 => part.copy_from_slice(&rda[l.rda.g_velocity.start..l.rda.h.end]),
            _ => part.copy_from_slice(l.rda.g.of(&rda)),
        }
        if p.shift == Some(k) {
            part[0] += 0.25;
        }
    }
    match p.fault {
        Some((at, returned, what)) if at <= p.calls && what.is_none_or(|k| !pointers[k].is_null()) => {
            if let Some(k) = what {
                unsafe { *pointers[k] = if k % 2 == 0 { f64::NAN } else { f64::INFINITY } };
            }
            p.fault = None;
            returned
        }
        _ => 0,
    }
}

unsafe extern "C" fn conditions(t: f64, x: *const f64, cond: *mut f64, user: *mut c_void) -> c_int {
    let p = unsafe { &mut *user.cast::<Problem>() };
    let count = p.system.initial_condition_count();
    let (x, cond) =
        unsafe { (std::slice::from_raw_parts(x, p.n), std::slice::from_raw_parts_mut(cond, count)) };
    returned(p.system.initial_conditions(t, x, cond))
}

/// A handle for a problem of the library.
fn handle(name: &str) -> (*mut Handle, Box<Problem>, testset::Problem) {
    let problem = testset::by_name(name).expect("problem");
    let system = problem.system(Form::StrangenessFree, true);
    let d = system.dimensions();
    let layout = Layout::new(d, Form::StrangenessFree);
    let [np, nv, nr, nw, ns, nl, nm, ni] =
        [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|v| i64::try_from(v).expect("small"));
    let dims = CDimensions { np, nv, nr, nw, ns, nl, nm, ni };
    let mut user = Box::new(Problem {
        system,
        blocks: JacobianBlocks::new(&layout),
        n: layout.n,
        m: layout.m,
        warnings: 0,
        calls: 0,
        asked: [0; 6],
        fault: None,
        shift: None,
        said: String::new(),
    });
    // SAFETY: `user` outlives the handle in every test.
    unsafe {
        let handle = geoms_create(&raw const dims, GEOMS_FORM_STRANGENESS_FREE);
        assert!(!handle.is_null());
        assert_eq!(geoms_set_user(handle, (&raw mut *user).cast()), 0);
        assert_eq!(geoms_set_eom(handle, Some(eom)), 0);
        assert_eq!(geoms_set_mass(handle, Some(mass)), 0);
        assert_eq!(geoms_set_jacobian(handle, Some(jacobian)), 0);
        let count = i64::try_from(user.system.initial_condition_count()).expect("small");
        assert_eq!(geoms_set_conditions(handle, count, Some(conditions)), 0);
        (handle, user, problem)
    }
}

#[test]
fn null_handles_are_refused_by_every_function() {
    let bad = Code::BadArgument.idid();
    let mut x = [0.0; 5];
    let (x, mut length) = (x.as_mut_ptr(), 0usize);
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert!(geoms_create(null(), 0).is_null());
        assert!(error(null()).1.contains("dims = NULL"));
        geoms_free(NULL);
        geoms_request_stop(NULL);
        let codes = [
            geoms_set_user(NULL, null_mut()),
            geoms_set_eom(NULL, None),
            geoms_set_mass(NULL, None),
            geoms_set_jacobian(NULL, None),
            geoms_set_parts(NULL, None),
            geoms_set_conditions(NULL, 0, None),
            geoms_set_output(NULL, None),
            geoms_set_log(NULL, 0, None),
            geoms_set_events(NULL, 0, None, null(), null(), 0.0),
            geoms_set_int(NULL, c"nit".as_ptr(), 7),
            geoms_set_real(NULL, c"hmax".as_ptr(), 1.0),
            geoms_set_tolerance(NULL, 1e-6, 1e-6),
            geoms_set_tolerances(NULL, x, x),
            geoms_start(NULL, 0.0, x, 0.0),
            geoms_make_consistent(NULL, 0.0, x),
            geoms_integrate(NULL, 1.0),
            geoms_step(NULL, 1.0),
            geoms_reset(NULL, 0.0, x),
            geoms_dense(NULL, 0.0, x),
            geoms_state(NULL, x),
            geoms_statistics(NULL, null_mut()),
            geoms_event(NULL, 0, null_mut(), null_mut()),
            geoms_last_event(NULL, null_mut(), null_mut()),
            geoms_save(NULL, null_mut(), &raw mut length),
            geoms_restore(NULL, null(), 0),
            geoms_check_jacobian(NULL, 0.0, x, None),
            geoms_rank_report(NULL, 0.0, x, null_mut(), None),
            geoms_constraint_forces(NULL, 0.0, x, x),
        ];
        assert_eq!(codes, [bad; 28]);
        assert_eq!((geoms_dimension(NULL), geoms_equations(NULL), geoms_event_count(NULL)), (0, 0, 0));
        assert!(geoms_time(NULL).is_nan() && geoms_next_step(NULL).is_nan());
    }
}

#[test]
fn null_arrays_are_refused_and_named() {
    let (handle, _user, problem) = handle("pendulum-2.8");
    let x = problem.x0.as_ptr();
    let refused = |code: c_int, name: &str| {
        assert_eq!(code, Code::BadArgument.idid(), "{name}");
        assert_eq!(error(handle).1, format!("{name} = NULL is not allowed; allowed: not NULL"));
    };
    // SAFETY: the arrays are null or have N entries.
    unsafe {
        refused(geoms_start(handle, 0.0, null(), 0.0), "x");
        refused(geoms_make_consistent(handle, 0.0, null_mut()), "x");
        refused(geoms_set_tolerances(handle, x, null()), "atol");
        refused(geoms_set_int(handle, null(), 0), "name");
        refused(geoms_set_conditions(handle, 2, None), "conditions");
        refused(geoms_set_events(handle, 1, None, null(), null(), 0.0), "events");
        refused(geoms_constraint_forces(handle, 0.0, x, null_mut()), "force");
        assert_eq!(geoms_start(handle, 0.0, x, 0.01), 0);
        refused(geoms_state(handle, null_mut()), "x");
        refused(geoms_dense(handle, 0.0, null_mut()), "x");
        refused(geoms_reset(handle, 0.0, null()), "x");
        refused(geoms_statistics(handle, null_mut()), "out");
        refused(geoms_save(handle, null_mut(), null_mut()), "length");
        refused(geoms_restore(handle, null(), 8), "buffer");
        geoms_free(handle);
    }
}

#[test]
fn calls_in_the_wrong_order_say_what_is_missing() {
    let dims = CDimensions { np: 2, nv: 2, nr: 0, nw: 0, ns: 0, nl: 1, nm: 0, ni: 0 };
    let mut x = [0.0, 0.0, 0.0, 0.0, -1.0];
    let (x, mut length) = (x.as_mut_ptr(), 0);
    // SAFETY: the arrays have N = 5 entries.
    unsafe {
        let handle = geoms_create(&raw const dims, GEOMS_FORM_STRANGENESS_FREE);
        let not_ready = |code: c_int, what: &str| {
            assert_eq!(code, Code::NotReady.idid(), "{what}");
            let (code, detail) = error(handle);
            assert!(code == Code::NotReady.idid() && detail.contains(what), "{detail}");
        };
        assert_eq!(error(handle), (0, String::new()));
        not_ready(geoms_start(handle, 0.0, x, 0.0), "geoms_set_eom");
        not_ready(geoms_restore(handle, x.cast(), 8), "geoms_set_eom");
        geoms_set_eom(handle, Some(eom));
        not_ready(geoms_start(handle, 0.0, x, 0.0), "geoms_set_mass");
        not_ready(geoms_make_consistent(handle, 0.0, x), "geoms_set_mass");
        geoms_set_mass(handle, Some(mass));
        not_ready(geoms_check_jacobian(handle, 0.0, x, None), "geoms_set_jacobian");
        not_ready(geoms_integrate(handle, 1.0), "geoms_start");
        not_ready(geoms_step(handle, 1.0), "geoms_start");
        not_ready(geoms_reset(handle, 0.0, x), "geoms_start");
        not_ready(geoms_dense(handle, 0.0, x), "geoms_start");
        not_ready(geoms_state(handle, x), "geoms_start");
        not_ready(geoms_save(handle, null_mut(), &raw mut length), "geoms_start");
        assert!(geoms_time(handle).is_nan() && geoms_event_count(handle) == 0);
        geoms_free(handle);
    }
}

#[test]
fn refused_values_are_named_with_what_is_allowed() {
    let (handle, _user, problem) = handle("pendulum-2.8");
    let int = |name: &str, value: i64| {
        let name = CString::new(name).expect("name");
        // SAFETY: the name is terminated.
        unsafe { geoms_set_int(handle, name.as_ptr(), value) }
    };
    let real = |name: &str, value: f64| {
        let name = CString::new(name).expect("name");
        // SAFETY: the name is terminated.
        unsafe { geoms_set_real(handle, name.as_ptr(), value) }
    };
    let refused = |code: c_int, parts: &[&str]| {
        assert_eq!(code, Code::BadArgument.idid(), "{parts:?}");
        let detail = error(handle).1;
        assert!(parts.iter().all(|part| detail.contains(part)), "{detail}");
    };
    assert_eq!((int("decompc", 3), int("DecompC", 1), real("hmax", 0.1)), (0, 0, 0));
    refused(int("decompc", 9), &["DECOMPC", "= 9 ", "allowed: 0, 1, 2, 3"]);
    refused(real("safe", 2.0), &["SAFE", "= 2 ", "0.001 < SAFE < 1"]);
    refused(int("hmax", 1), &["HMAX"]);
    refused(real("nit", 1.0), &["NIT"]);
    refused(int("nonsense", 1), &["nonsense"]);
    refused(int("form", 1), &["FORM", "geoms_create"]);
    refused(int("lun", 6), &["LUN", "geoms_set_log"]);
    refused(int("recover", 0), &["RECOVER"]);
    let bad = CDimensions { np: -1, nv: 1, nr: 0, nw: 0, ns: 0, nl: 0, nm: 0, ni: 0 };
    let none = CDimensions { np: 0, nv: 0, ..bad };
    let huge = CDimensions { np: i64::MAX, ..bad };
    let big = CDimensions { np: 1 << 40, ..bad };
    // SAFETY: dimensions are refused or not; arrays have N entries.
    unsafe {
        refused(geoms_set_tolerance(handle, 0.0, 1.0), &["RTOL", "= 0 ", "10*UROUND"]);
        refused(geoms_set_tolerance(handle, 1e-6, 0.0), &["ATOL", "> 0"]);
        let direction = 2;
        let wrong = geoms_set_events(handle, 1, Some(conditions), &raw const direction, null(), 0.0);
        refused(wrong, &["direction[0] = 2", "-1, 0, 1"]);
        refused(geoms_set_events(handle, 1, Some(conditions), null(), null(), f64::NAN), &["tolerance"]);
        refused(geoms_start(handle, f64::NAN, problem.x0.as_ptr(), 0.0), &["T = NaN"]);
        refused(geoms_start(handle, 0.0, problem.x0.as_ptr(), f64::NAN), &["H = NaN"]);
        assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.0), 0);
        refused(geoms_integrate(handle, f64::INFINITY), &["tend = inf"]);
        assert_eq!(geoms_integrate(handle, -1.0), Code::TendBeforeT.idid());
        let mut x = problem.x0.clone();
        refused(geoms_dense(handle, 3.0, x.as_mut_ptr()), &["t = 3", "the last step"]);
        refused(geoms_event(handle, 0, null_mut(), null_mut()), &["k = 0", "0 <= k < 0"]);
        for (dims, code) in [
            (bad, Code::BadArgument),
            (none, Code::BadArgument),
            (huge, Code::OutOfMemory),
            (big, Code::OutOfMemory),
        ] {
            assert!(geoms_create(&raw const dims, 0).is_null());
            assert_eq!(error(null()).0, code.idid(), "{dims:?}");
        }
        assert!(geoms_create(&raw const bad, 7).is_null());
        assert!(error(null()).1.contains("form = 7"));
        geoms_free(handle);
    }
}

#[test]
fn the_half_explicit_method_gives_the_numbers_of_the_rust_interface() {
    use geoms::integrate::{integrate, Integration};
    use geoms::options::{MethodKind, Options};
    for (name, tol) in [("andrews", 1e-4), ("andrews", 1e-8), ("leaning-disk", 1e-8), ("cycloid", 1e-6)] {
        let (handle, _user, problem) = handle(name);
        let mut x = problem.x0.clone();
        // SAFETY: arrays have N entries.
        unsafe {
            assert_eq!(geoms_set_int(handle, c"method".as_ptr(), 4), 0);
            assert_eq!(geoms_set_tolerance(handle, tol, tol), 0);
            assert_eq!(geoms_start(handle, problem.t0, problem.x0.as_ptr(), 0.0), 0);
            assert_eq!(geoms_integrate(handle, problem.tend), 0, "{name}");
            assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
            geoms_free(handle);
        }
        let options = Options { method: MethodKind::HalfExplicit, ..Options::of_call() };
        let tolerance = geoms::norm::Tolerance::scalar(tol, tol);
        let mut system = problem.system(Form::StrangenessFree, true);
        let run =
            Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
        let (mut t, mut y, mut h) = (problem.t0, problem.x0.clone(), 0.0);
        integrate(run, &mut t, &mut y, &mut h, problem.tend, &mut geoms::stats::Stats::default())
            .expect("run");
        assert_eq!(x, y, "{name} {tol:e}");
    }
}

/// x at the end, the statistics and what was asked of `parts` in a run.
fn run_parts(name: &str, supplied: bool, method: i64, tol: f64) -> (Vec<f64>, Statistics, [u64; 6]) {
    let (handle, user, problem) = handle(name);
    let (mut x, mut stats) = (problem.x0.clone(), Statistics::default());
    // SAFETY: arrays have N entries.
    unsafe {
        assert_eq!(geoms_set_parts(handle, if supplied { Some(parts) } else { None }), 0);
        assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
        assert_eq!(geoms_set_tolerance(handle, tol, tol), 0);
        assert_eq!(geoms_start(handle, problem.t0, problem.x0.as_ptr(), 0.0), 0);
        assert_eq!(geoms_integrate(handle, problem.tend), 0, "{name}: {:?}", error(handle));
        assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
        assert_eq!(geoms_statistics(handle, &raw mut stats), 0);
        geoms_free(handle);
    }
    (x, stats, user.asked)
}

#[test]
fn parts_change_only_the_cost() {
    // With parts velocities are projected before the rate of the new point is taken, without them after it: what differs is not
    // round-off but as large as the tolerance makes it. The bounds are ten times the differences at the end, relative to 1 + |x|.
    for (name, tol, bound) in [
        ("andrews", 1e-4, 9e-5),
        ("andrews", 1e-8, 8e-7),
        ("pendulum-2.8", 1e-6, 4e-11),
        ("knife-edge", 1e-6, 2e-13),
    ] {
        for method in [4, -1] {
            let (x, stats, asked) = run_parts(name, true, method, tol);
            let (y, plain, none) = run_parts(name, false, method, tol);
            let far = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs() / (1.0 + y.abs())));
            assert!(far < bound, "{name} {tol:e}: {far:e}");
            assert!(stats.nstep < plain.nstep + plain.nstep / 10, "{name} {tol:e}: {stats:?} {plain:?}");
            // What the counters count.
            let [force, mass, c, gamma, velocity, position] = asked;
            assert_eq!((stats.neom, stats.nmas, stats.njac), (force + position, mass, c), "{name}");
            assert_eq!((gamma, stats.npdec), (force, c), "{name}");
            assert!(stats.naccpt <= velocity && velocity <= stats.nstep, "{name}: {asked:?}");
            assert_eq!(none, [0; 6]);
            assert_eq!(stats.stiffness_suspected, 0);
        }
        let (_, _, asked) = run_parts(name, true, 0, tol);
        assert_eq!(asked, [0; 6], "method 0 takes no parts");
    }
    // p' is not v, contact points, force elements: they are not asked for.
    for name in ["top-nutating", "cycloid", "maxwell-element"] {
        let (x, _, asked) = run_parts(name, true, 4, 1e-5);
        assert_eq!(x, run_parts(name, false, 4, 1e-5).0, "{name}");
        assert_eq!(asked, [0; 6], "{name}");
    }
}

/// The same parts from Rust.
struct ByRust(Box<Problem>);

impl System for ByRust {
    fn dimensions(&self) -> Dimensions {
        self.0.system.dimensions()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.0.system.eom(t, x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.0.system.mass(t, x, mass)
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.0.system.jacobian(t, x, fx)
    }
    fn parts(&mut self, t: f64, x: &[f64], asked: Parts<'_>) -> Option<Outcome> {
        if asked.is_empty() {
            return Some(Outcome::Continue);
        }
        let at = |part: Option<&mut [f64]>| part.map_or(null_mut(), <[f64]>::as_mut_ptr);
        let (force, mass, c) = (at(asked.force), at(asked.mass), at(asked.constraint));
        let (gamma, velocity, position) = (at(asked.at_rest), at(asked.velocity), at(asked.position));
        // SAFETY: the contract of `parts`.
        let returned = unsafe {
            parts(t, x.as_ptr(), force, mass, c, gamma, velocity, position, (&raw mut *self.0).cast())
        };
        assert_eq!(returned, 0);
        Some(Outcome::Continue)
    }
}

#[test]
fn parts_of_c_and_of_rust_give_the_same_bits() {
    for (name, tol) in [("andrews", 1e-4), ("andrews", 1e-8), ("pendulum-2.8", 1e-6), ("knife-edge", 1e-6)] {
        let (x, stats, asked) = run_parts(name, true, 4, tol);
        let (unused, user, problem) = handle(name);
        // SAFETY: not used.
        unsafe { geoms_free(unused) };
        let mut system = ByRust(user);
        let options = Options { method: MethodKind::HalfExplicit, ..Options::of_call() };
        let tolerance = Tolerance::scalar(tol, tol);
        // As with the handle, the polynomial of every step is wanted.
        let mut observer = |_: &AcceptedStep<'_>| Outcome::Continue;
        let run = Integration {
            system: &mut system,
            observer: Some(&mut observer),
            options: &options,
            tolerance: &tolerance,
        };
        let (mut t, mut y, mut h, mut counted) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
        integrate(run, &mut t, &mut y, &mut h, problem.tend, &mut counted).expect("run");
        assert_eq!(x, y, "{name} {tol:e}");
        assert_eq!((stats.neom, stats.njac, stats.naccpt), (counted.neom, counted.njac, counted.naccpt));
        assert_eq!(asked, system.0.asked, "{name} {tol:e}");
    }
}

#[test]
fn stiffness_is_in_the_statistics() {
    let (_, stats, _) = run_parts("truck", true, 4, 1e-3);
    assert!(stats.stiffness_suspected > 1 && stats.nedec == 0, "{stats:?}");
    let (_, stats, _) = run_parts("truck", true, -1, 1e-3);
    assert!(stats.stiffness_suspected == 1 && stats.nedec > 0, "{stats:?}");
}

/// One wrong entry of a kind.
#[test]
fn the_check_of_the_jacobian_looks_at_parts() {
    unsafe extern "C" fn heard(_level: c_int, message: *const c_char, user: *mut c_void) -> c_int {
        // SAFETY: `user` is the problem.
        let p = unsafe { &mut *user.cast::<Problem>() };
        p.said.push_str(&text(message));
        0
    }
    for (name, wrong, said) in [
        ("andrews", None, ""),
        ("andrews", Some(0), "PARTS: f_dyn(1)"),
        ("andrews", Some(1), "PARTS: M(1,1)"),
        ("andrews", Some(2), "PARTS: C(1,1) = d gI(1)/d v(1)"),
        ("andrews", Some(3), "PARTS: gamma(1), the rate of gI(1)"),
        ("andrews", Some(4), "PARTS: gI(1)"),
        ("andrews", Some(5), "PARTS: g(1)"),
        ("knife-edge", None, ""),
        ("knife-edge", Some(2), "PARTS: C(1,1) = d h(1)/d v(1)"),
        ("knife-edge", Some(3), "PARTS: gamma(1), the rate of h(1)"),
    ] {
        let (handle, mut user, problem) = handle(name);
        user.shift = wrong;
        // Away from the start, where velocities vanish.
        let x: Vec<f64> = problem.x0.iter().enumerate().map(|(i, x)| x + 0.01 * (i as f64 + 1.0)).collect();
        // SAFETY: arrays have N entries.
        unsafe {
            assert_eq!(geoms_set_parts(handle, Some(parts)), 0);
            let found = geoms_check_jacobian(handle, problem.t0, x.as_ptr(), Some(heard));
            assert_eq!(found, c_int::from(wrong.is_some()), "{name} {wrong:?}: {}", user.said);
            geoms_free(handle);
        }
        assert!(user.said.contains(said), "{name} {wrong:?}: {}", user.said);
    }
}

#[test]
fn faults_of_parts_are_their_own() {
    for at in [1, 2, 3, 30] {
        let (handle, mut user, problem) = handle("andrews");
        let mut go = |returned: c_int, what: Fault| {
            (user.calls, user.fault) = (0, Some((at, returned, what)));
            // SAFETY: arrays have N entries.
            let code = unsafe {
                assert_eq!(geoms_start(handle, problem.t0, problem.x0.as_ptr(), 0.0), 0);
                geoms_integrate(handle, problem.tend)
            };
            assert!(user.fault.is_none(), "call {at} {what:?}: nothing happened");
            code
        };
        // SAFETY: the handle is alive.
        unsafe {
            assert_eq!(geoms_set_parts(handle, Some(parts)), 0);
            assert_eq!(geoms_set_int(handle, c"method".as_ptr(), 4), 0);
        }
        assert_eq!(go(-1, None), Code::StoppedByParts.idid(), "call {at}");
        let mut info = std::mem::MaybeUninit::uninit();
        // SAFETY: written in any case.
        let sentence = unsafe {
            geoms_last_error(handle, info.as_mut_ptr());
            text(info.assume_init().sentence)
        };
        assert!(sentence.contains("PARTS"), "{sentence}");
        // Once: a smaller step leads on, and a repeated call at the first point.
        assert_eq!(go(1, None), 0, "call {at}");
        for what in 0..6 {
            assert_eq!(go(0, Some(what)), 0, "call {at} {what}");
        }
        // SAFETY: not used any more.
        unsafe { geoms_free(handle) };
    }
}

/// A constant mass matrix that came with a refused call is not the mass matrix.
#[test]
fn what_a_refused_call_wrote_is_not_used() {
    #[allow(clippy::too_many_arguments)] // the interface
    unsafe extern "C" fn late(
        t: f64,
        x: *const f64,
        force: *mut f64,
        mass: *mut f64,
        c: *mut f64,
        gamma: *mut f64,
        velocity: *mut f64,
        position: *mut f64,
        user: *mut c_void,
    ) -> c_int {
        // SAFETY: as `parts`.
        unsafe {
            if (*user.cast::<Problem>()).fault.take().is_some() {
                return 1;
            }
            parts(t, x, force, mass, c, gamma, velocity, position, user)
        }
    }
    let ends = [false, true].map(|refusing| {
        let (handle, mut user, problem) = handle("pendulum-2.8");
        user.fault = refusing.then_some((1, 1, None));
        let mut x = problem.x0.clone();
        // SAFETY: arrays have N entries.
        unsafe {
            assert_eq!(geoms_set_parts(handle, Some(late)), 0);
            assert_eq!(geoms_set_int(handle, c"method".as_ptr(), 4), 0);
            assert_eq!(geoms_set_int(handle, c"masstrct".as_ptr(), 4), 0);
            assert_eq!(geoms_start(handle, problem.t0, problem.x0.as_ptr(), 0.01), 0);
            assert_eq!(geoms_integrate(handle, problem.tend), 0, "{:?}", error(handle));
            assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
            geoms_free(handle);
        }
        assert_eq!((user.fault, user.asked[1]), (None, 1));
        x
    });
    let difference = ends[0].iter().zip(&ends[1]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(difference < 1e-3, "{difference:e}");
}

unsafe extern "C" fn nothing(_step: *const StepInfo, _user: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn stop(_step: *const StepInfo, _user: *mut c_void) -> c_int {
    -1
}

unsafe extern "C" fn first(_t: f64, x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: one value, and x of the pendulum.
    unsafe { *value = *x.add(3) };
    0
}

unsafe extern "C" fn silent(_level: c_int, _text: *const c_char, _user: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn refusing(_level: c_int, _text: *const c_char, _user: *mut c_void) -> c_int {
    -1
}

#[test]
fn a_run_with_everything() {
    let (handle, user, problem) = handle("pendulum-2.8");
    let n = user.n;
    let (mut x, mut y) = (problem.x0.clone(), vec![0.0; n]);
    let (x, y, tolerances) = (x.as_mut_ptr(), y.as_mut_ptr(), vec![1e-8; n]);
    let (mut index, mut t, mut length) = (-1, 0.0, 0);
    let mut stats = Statistics::default();
    // SAFETY: all arrays have N entries; `user` lives to the end.
    unsafe {
        assert_eq!(geoms_set_tolerances(handle, tolerances.as_ptr(), tolerances.as_ptr()), 0);
        assert_eq!(geoms_set_output(handle, Some(nothing)), 0);
        assert_eq!(geoms_set_log(handle, GEOMS_LOG_DEBUG, Some(silent)), 0);
        assert_eq!(geoms_make_consistent(handle, 0.0, x), 0);
        assert_eq!(geoms_check_jacobian(handle, 0.0, x, None), 0);
        assert_eq!(geoms_rank_report(handle, 0.0, x, null_mut(), Some(silent)), 0);
        assert_eq!(geoms_constraint_forces(handle, 0.0, x, y), 0);
        assert_eq!(geoms_start(handle, 0.0, x, 0.01), 0);
        let terminal = 1;
        assert_eq!(geoms_set_events(handle, 1, Some(first), null(), &raw const terminal, 0.0), 0);
        assert_eq!(geoms_step(handle, 5.0), GEOMS_REACHED);
        assert_eq!(geoms_dense(handle, 0.5 * geoms_time(handle), y), 0);
        assert_eq!(geoms_integrate(handle, 5.0), GEOMS_EVENT);
        assert_eq!(geoms_last_event(handle, &raw mut index, &raw mut t), 0);
        assert_eq!((index, t, geoms_event_count(handle)), (0, geoms_time(handle), 1));
        assert_eq!(geoms_state(handle, y), 0);
        assert_eq!(geoms_reset(handle, t, y), 0);
        assert_eq!(geoms_set_events(handle, 0, None, null(), null(), 0.0), 0);
        assert_eq!(geoms_save(handle, null_mut(), &raw mut length), 0);
        let mut bytes = vec![0u8; length];
        assert_eq!(geoms_save(handle, bytes.as_mut_ptr().cast(), &raw mut length), 0);
        geoms_request_stop(handle);
        assert_eq!(geoms_integrate(handle, 5.0), Code::StopRequested.idid());
        assert_eq!(geoms_integrate(handle, 5.0), GEOMS_REACHED);
        assert_eq!(geoms_statistics(handle, &raw mut stats), 0);
        assert!(stats.naccpt > 10 && stats.nstep == stats.naccpt + stats.nerjct + stats.ncrjct);
        assert_eq!(geoms_state(handle, y), 0);
        let end = std::slice::from_raw_parts(y, n).to_vec();
        assert_eq!(geoms_restore(handle, bytes.as_ptr().cast(), bytes.len()), 0);
        assert_eq!(geoms_time(handle), t);
        assert_eq!(geoms_integrate(handle, 5.0), GEOMS_REACHED);
        assert_eq!(geoms_state(handle, y), 0);
        assert_eq!(std::slice::from_raw_parts(y, n), end);
        assert!(geoms_next_step(handle) > 0.0);
        assert_eq!(usize::try_from(geoms_dimension(handle)), Ok(n));
        assert_eq!(usize::try_from(geoms_equations(handle)), Ok(user.m));
        // Whoever refuses stops the run.
        assert_eq!(geoms_set_output(handle, Some(stop)), 0);
        assert_eq!(geoms_integrate(handle, 6.0), Code::StoppedBySolout.idid());
        assert_eq!(geoms_set_log(handle, GEOMS_LOG_INFO, Some(refusing)), 0);
        assert_eq!(geoms_start(handle, 0.0, x, 0.01), Code::StoppedBySolout.idid());
        geoms_free(handle);
    }
}

/// Save and resume through the handle on every problem, as the C programs do it.
#[test]
fn stop_and_resume_on_every_problem() {
    let mut cases = 0;
    for problem in testset::all() {
        let (handle, user, problem) = handle(&problem.name);
        let mut ends = [vec![0.0; user.n], vec![0.0; user.n]];
        let mut stats = [Statistics::default(); 2];
        // SAFETY: all arrays have N entries; `user` lives to the end.
        unsafe {
            geoms_set_int(handle, c"decompc".as_ptr(), if problem.rank_deficient { 3 } else { 1 });
            geoms_set_int(handle, c"ivcnsst".as_ptr(), 1);
            for k in 0..2 {
                assert_eq!(geoms_start(handle, problem.t0, problem.x0.as_ptr(), 1e-4), 0, "{}", problem.name);
                for step in 0..40 {
                    if k == 1 && step == 17 {
                        let mut length = 0;
                        geoms_save(handle, null_mut(), &raw mut length);
                        let mut bytes = vec![0u8; length];
                        assert_eq!(geoms_save(handle, bytes.as_mut_ptr().cast(), &raw mut length), 0);
                        geoms_start(handle, problem.t0, problem.x0.as_ptr(), 1e-4);
                        assert_eq!(
                            geoms_restore(handle, bytes.as_ptr().cast(), length),
                            0,
                            "{}",
                            problem.name
                        );
                    }
                    if geoms_step(handle, problem.tend) != 0 {
                        break;
                    }
                }
                geoms_state(handle, ends[k].as_mut_ptr());
                geoms_statistics(handle, &raw mut stats[k]);
            }
            geoms_free(handle);
        }
        assert_eq!(ends[0], ends[1], "{}", problem.name);
        assert_eq!(format!("{:?}", stats[0]), format!("{:?}", stats[1]), "{}", problem.name);
        cases += 1;
    }
    assert!(cases > 15, "{cases}");
}

/// The method is chosen by name; the run is that of the Rust interface, bit by bit. A caution goes to the log.
#[test]
fn methods_by_name() {
    unsafe extern "C" fn count(level: c_int, text: *const c_char, user: *mut c_void) -> c_int {
        let p = unsafe { &mut *user.cast::<Problem>() };
        p.warnings += usize::from(level == GEOMS_LOG_WARNING && self::text(text).contains("weakly stable"));
        0
    }
    for (name, alpha, warnings) in [("pendulum-2.8", -0.3, 0), ("cycloid", -0.1, 0), ("top-nutating", 1.0, 1)]
    {
        let (handle, mut user, problem) = handle(name);
        let tend = 0.2 * problem.tend;
        let mut x = vec![0.0; user.n];
        // SAFETY: all arrays have N entries; `user` lives to the end.
        unsafe {
            assert_eq!(geoms_set_int(handle, c"method".as_ptr(), 1), 0);
            assert_eq!(geoms_set_real(handle, c"alpha".as_ptr(), alpha), 0);
            assert_eq!(geoms_set_real(handle, c"alpha".as_ptr(), 0.5), Code::BadArgument.idid());
            assert_eq!(geoms_set_int(handle, c"ivcnsst".as_ptr(), 1), 0);
            assert_eq!(geoms_set_tolerance(handle, 1e-6, 1e-6), 0);
            assert_eq!(geoms_set_log(handle, GEOMS_LOG_WARNING, Some(count)), 0);
            assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 1e-4), 0);
            assert_eq!(geoms_integrate(handle, tend), GEOMS_REACHED);
            assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
            geoms_free(handle);
        }
        assert_eq!(user.warnings, warnings, "{name}");
        let options = Options {
            method: MethodKind::Hht,
            dissipation: Some(alpha),
            consistent: true,
            ..Options::of_call()
        };
        let (mut t, mut y, mut h, mut stats) = (0.0, problem.x0.clone(), 1e-4, Stats::default());
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let run = Integration {
            system: &mut *user.system,
            observer: None,
            options: &options,
            tolerance: &tolerance,
        };
        integrate(run, &mut t, &mut y, &mut h, tend, &mut stats).expect("run");
        assert_eq!(x, y, "{name}");
    }
}
