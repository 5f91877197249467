//! Method 4 and the parts that a model supplies to it.

use crate::model::*;
use geoms::capi::diagnose::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, Parts, System};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

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

/// Calls are counted: none for checks.
fn unchecked(handle: *mut Handle) {
    for option in [c"check", c"watch"] {
        // SAFETY: the handle is alive.
        assert_eq!(unsafe { geoms_set_int(handle, option.as_ptr(), 0) }, 0);
    }
}

/// x at the end, the statistics and what was asked of `parts` in a run.
fn run_parts(name: &str, supplied: bool, method: i64, tol: f64) -> (Vec<f64>, Statistics, [u64; 6]) {
    let (handle, user, problem) = handle(name);
    let (mut x, mut stats) = (problem.x0.clone(), Statistics::default());
    unchecked(handle);
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
            // The same without JAC: there is something to compare.
            assert_eq!(geoms_set_jacobian(handle, None), 0);
            let found = geoms_check_jacobian(handle, problem.t0, x.as_ptr(), Some(heard));
            assert_eq!(found, c_int::from(wrong.is_some()), "{name} {wrong:?} without JAC: {}", user.said);
            assert_eq!(geoms_set_parts(handle, None), 0);
            let nothing = geoms_check_jacobian(handle, problem.t0, x.as_ptr(), Some(heard));
            assert_eq!(nothing, Code::NotReady.idid());
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
            // The checks at the start ask for parts, too.
            let code = unsafe {
                match geoms_start(handle, problem.t0, problem.x0.as_ptr(), 0.0) {
                    0 => geoms_integrate(handle, problem.tend),
                    refused => refused,
                }
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
        unchecked(handle);
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
