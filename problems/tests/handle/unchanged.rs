//! Refused means unchanged: after a refused call the run goes on bit for bit as one that was not disturbed.

use crate::model::*;
use geoms::capi::functions::EventsFunction;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use std::ffi::{c_int, c_void};
use std::ptr::null;

/// What can be seen of a run: time, next step, point, counters and events.
fn observed(handle: *mut Handle, n: usize) -> (u64, u64, Vec<u64>, String, Vec<(i64, u64)>) {
    let (mut x, mut stats) = (vec![0.0; n], Statistics::default());
    // SAFETY: the arrays have the lengths of the handle.
    unsafe {
        if geoms_state(handle, x.as_mut_ptr()) != 0 {
            x.fill(f64::NAN);
        }
        geoms_statistics(handle, &raw mut stats);
        let events = (0..geoms_event_count(handle)).map(|k| {
            let (mut index, mut t) = (0, 0.0f64);
            geoms_event(handle, k, &raw mut index, &raw mut t);
            (index, t.to_bits())
        });
        let events = events.collect();
        let x = x.into_iter().map(f64::to_bits).collect();
        (geoms_time(handle).to_bits(), geoms_next_step(handle).to_bits(), x, format!("{stats:?}"), events)
    }
}

unsafe extern "C" fn position(_t: f64, x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    unsafe { *value = *x.add(3) };
    0
}

/// Writes the 64 values that it was announced with.
unsafe extern "C" fn many(t: f64, _x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    (0..64).for_each(|k| unsafe { *value.add(k) = 1.0 + t });
    0
}

unsafe extern "C" fn many_nan(_t: f64, _x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    (0..64).for_each(|k| unsafe { *value.add(k) = f64::NAN });
    0
}

unsafe extern "C" fn many_stop(_t: f64, _x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    (0..64).for_each(|k| unsafe { *value.add(k) = 1.0 });
    1
}

/// Disturb one of two equal runs by a call that is refused with this code; both go on in the same way.
fn undisturbed(code: Code, what: &str, refused: impl Fn(*mut Handle) -> c_int) {
    undisturbed_after(|_| (), code, what, refused);
}

/// The same with other settings before the start.
fn undisturbed_after(
    set: impl Fn(*mut Handle),
    code: Code,
    what: &str,
    refused: impl Fn(*mut Handle) -> c_int,
) {
    for method in [0, 1, 4, -1] {
        for events in [false, true] {
            let ends = [false, true].map(|disturbed| {
                let (handle, user, problem) = handle("pendulum-2.8");
                // SAFETY: arrays have N entries.
                unsafe {
                    assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
                    assert_eq!(geoms_set_tolerance(handle, 1e-5, 1e-5), 0);
                    if events {
                        assert_eq!(geoms_set_events(handle, 1, Some(position), null(), null(), 0.0), 0);
                    }
                    set(handle);
                    assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
                    assert_eq!(geoms_integrate(handle, 0.7), 0);
                    let before = observed(handle, user.n);
                    if disturbed {
                        assert_eq!(refused(handle), code.idid(), "{what}, method {method}");
                        assert_eq!(observed(handle, user.n), before, "{what}, method {method}");
                    }
                    assert_eq!(geoms_integrate(handle, 2.0), 0, "{what}: {:?}", error(handle));
                    let end = observed(handle, user.n);
                    geoms_free(handle);
                    end
                }
            });
            assert_eq!(ends[0], ends[1], "{what}, method {method}, events {events}");
        }
    }
}

#[test]
fn refused_event_functions_are_not_called_again() {
    for function in [many_nan, many_stop] {
        let f: EventsFunction = Some(function);
        // SAFETY: 64 values as announced.
        undisturbed(Code::RootFunctionFailed, "events", |handle| unsafe {
            geoms_set_events(handle, 64, f, null(), null(), 0.0)
        });
    }
    let direction = [0, 0, 7];
    // SAFETY: three values of 64, three directions.
    undisturbed(Code::BadArgument, "direction", |handle| unsafe {
        geoms_set_events(handle, 3, Some(many), direction.as_ptr(), null(), 0.0)
    });
    for n in [-1, i64::MAX, 1 << 40] {
        // SAFETY: refused before it is called.
        undisturbed(Code::BadArgument, "number of events", |handle| unsafe {
            geoms_set_events(handle, n, Some(many), null(), null(), 0.0)
        });
    }
}

#[test]
fn a_start_that_fails_leaves_the_run() {
    let x0 = [(2.8 * 2.8 + 13.75) / 2.0, 2.8, 0.0, 0.0, -1.0];
    let nan = [f64::NAN; 5];
    // SAFETY: N = 5.
    unsafe {
        undisturbed(Code::BadArgument, "null", |h| geoms_start(h, 0.0, null(), 0.0));
        undisturbed(Code::BadArgument, "NaN", |h| geoms_start(h, 0.0, nan.as_ptr(), 0.0));
        undisturbed(Code::BadArgument, "t", |h| geoms_start(h, f64::INFINITY, x0.as_ptr(), 0.0));
        undisturbed(Code::NotReady, "no model", |h| {
            geoms_set_mass(h, None);
            let code = geoms_start(h, 0.0, x0.as_ptr(), 0.0);
            geoms_set_mass(h, Some(mass));
            code
        });
        // Conditions that contradict the constraints.
        undisturbed(Code::TooFewConditions, "conditions", |h| {
            geoms_set_conditions(h, 2, Some(impossible));
            geoms_start(h, 0.0, x0.as_ptr(), 0.0)
        });
        // Event functions that fail at the new point only.
        let set = |h| assert_eq!(geoms_set_events(h, 1, Some(not_at_one), null(), null(), 0.0), 0);
        undisturbed_after(set, Code::RootFunctionFailed, "events at the start", |h| {
            let code = geoms_start(h, 1.0, x0.as_ptr(), 0.0);
            let reset = geoms_reset(h, 1.0, x0.as_ptr());
            assert_eq!(reset, Code::RootFunctionFailed.idid());
            code
        });
    }
}

unsafe extern "C" fn at_the_bottom(_t: f64, x: *const f64, cond: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: two conditions, five variables.
    unsafe {
        *cond = *x.add(3);
        *cond.add(1) = *x.add(1) - 2.8;
    }
    0
}

unsafe extern "C" fn impossible(_t: f64, x: *const f64, cond: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: two conditions, five variables.
    unsafe {
        *cond = *x.add(3) - 3.0;
        *cond.add(1) = *x.add(4) - 3.0;
    }
    0
}

/// x(4), but nothing at t = 1.
unsafe extern "C" fn not_at_one(t: f64, x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: one value, five variables.
    unsafe { *value = if t == 1.0 { f64::NAN } else { *x.add(3) } };
    0
}

#[test]
fn a_reset_that_fails_leaves_the_run() {
    let far = [0.0, 2.8, 0.0, 0.0, 0.0];
    let nan = [f64::NAN; 5];
    // SAFETY: N = 5.
    unsafe {
        undisturbed(Code::BadArgument, "null", |h| geoms_reset(h, 0.0, null()));
        undisturbed(Code::BadArgument, "NaN", |h| geoms_reset(h, 0.0, nan.as_ptr()));
        // At the centre of the circle no correction leads to it.
        undisturbed(Code::ContradictoryConditions, "far", |h| geoms_reset(h, 0.0, far.as_ptr()));
    }
}

#[test]
fn integrating_backwards_or_to_nowhere_is_refused_in_full() {
    // SAFETY: no arrays.
    unsafe {
        undisturbed(Code::TendBeforeT, "back", |h| geoms_integrate(h, -1.0));
        undisturbed(Code::TendBeforeT, "back", |h| geoms_step(h, -1.0));
        undisturbed(Code::BadArgument, "NaN", |h| geoms_integrate(h, f64::NAN));
        undisturbed(Code::BadArgument, "inf", |h| geoms_step(h, f64::INFINITY));
    }
}

#[test]
fn too_many_conditions_are_refused_and_named() {
    let (handle, user, problem) = handle("pendulum-2.8");
    // SAFETY: two conditions; the others are refused, so never called.
    unsafe {
        assert_eq!(geoms_set_conditions(handle, 2, Some(at_the_bottom)), 0);
        for n in [50_000, 65_534, 65_537, 1 << 34, i64::MAX] {
            assert_eq!(geoms_set_conditions(handle, n, Some(conditions)), Code::BadArgument.idid(), "{n}");
            let (_, detail) = error(handle);
            assert!(
                detail.contains(&format!("n = {n} ")) && detail.contains("allowed: 0 <= n <="),
                "{detail}"
            );
        }
        // The conditions of before are still there.
        let mut x = problem.x0.clone();
        x[1] += 0.1;
        assert_eq!(geoms_start(handle, 0.0, x.as_ptr(), 0.0), 0);
        assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
        assert!((x[1] - problem.x0[1]).abs() < 1e-6 && user.n == 5, "{x:?}");
        geoms_free(handle);
    }
}

#[test]
fn after_nmax_steps_a_raised_limit_or_a_reset_goes_on() {
    for method in [0, 1, 4, -1] {
        for reset in [false, true] {
            let (handle, user, problem) = handle("pendulum-2.8");
            let mut x = problem.x0.clone();
            // SAFETY: arrays have N entries.
            unsafe {
                assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
                assert_eq!(geoms_set_int(handle, c"nmax".as_ptr(), 7), 0);
                assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
                assert_eq!(geoms_integrate(handle, 5.0), Code::TooManySteps.idid());
                let stopped = observed(handle, user.n);
                // Nothing was changed, so nothing changes.
                assert_eq!(geoms_integrate(handle, 5.0), Code::TooManySteps.idid());
                assert_eq!(observed(handle, user.n), stopped);
                let t = geoms_time(handle);
                assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
                if reset {
                    assert_eq!(geoms_reset(handle, t, x.as_ptr()), 0);
                    assert_eq!(geoms_integrate(handle, 5.0), Code::TooManySteps.idid());
                    assert!(geoms_time(handle) > t, "method {method}");
                } else {
                    assert_eq!(geoms_set_int(handle, c"nmax".as_ptr(), 100_000), 0);
                    assert_eq!(geoms_integrate(handle, 2.0), 0, "method {method}: {:?}", error(handle));
                }
                let mut stats = Statistics::default();
                assert_eq!(geoms_statistics(handle, &raw mut stats), 0);
                assert!(stats.nstep >= 14, "the counters go on: {stats:?}");
                geoms_free(handle);
            }
        }
    }
}

#[test]
fn a_raised_limit_changes_no_step() {
    let ends = [7, 0].map(|nmax| {
        let (handle, user, problem) = handle("pendulum-2.8");
        // SAFETY: arrays have N entries.
        unsafe {
            assert_eq!(geoms_set_int(handle, c"nmax".as_ptr(), nmax), 0);
            assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
            let code = geoms_integrate(handle, 2.0);
            assert_eq!(code, if nmax == 0 { 0 } else { Code::TooManySteps.idid() });
            assert_eq!(geoms_set_int(handle, c"nmax".as_ptr(), 100_000), 0);
            assert_eq!(geoms_integrate(handle, 2.0), 0);
            let end = observed(handle, user.n);
            geoms_free(handle);
            end
        }
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn any_number_of_newton_iterations_is_a_limit_only() {
    let ends = [1000, i64::from(i32::MAX), 1 << 31, (1 << 32) - 1, 1 << 40, i64::MAX].map(|nit| {
        let (handle, _user, problem) = handle("pendulum-2.8");
        // SAFETY: no arrays but x.
        unsafe {
            assert_eq!(geoms_set_int(handle, c"nit".as_ptr(), nit), 0);
            assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
            assert_eq!(geoms_integrate(handle, 2.0), 0, "NIT = {nit}: {:?}", error(handle));
            let t = geoms_time(handle);
            geoms_free(handle);
            t
        }
    });
    assert_eq!(ends, [2.0; 6]);
}

/// -1 before t = 0.3, 1 from there on.
unsafe extern "C" fn jump(t: f64, _x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: one value.
    unsafe { *value = if t < 0.3 { -1.0 } else { 1.0 } };
    0
}

extern "C" {
    fn feclearexcept(flags: c_int) -> c_int;
    fn fetestexcept(flags: c_int) -> c_int;
}

/// A program may have traps on: it would get a signal.
#[test]
fn an_event_function_that_jumps_divides_nothing_by_zero() {
    let division = if cfg!(target_arch = "x86_64") { 4 } else { 2 };
    for method in [0, 1, 4] {
        for tolerance in [0.0, 1e-3] {
            let (handle, _user, problem) = handle("pendulum-2.8");
            let terminal = 1;
            // SAFETY: one event; the flags are those of this thread.
            unsafe {
                assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
                assert_eq!(
                    geoms_set_events(handle, 1, Some(jump), null(), &raw const terminal, tolerance),
                    0
                );
                assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
                feclearexcept(division);
                assert_eq!(geoms_integrate(handle, 1.0), GEOMS_EVENT);
                assert_eq!(fetestexcept(division), 0, "method {method}, tolerance {tolerance}");
                assert!((geoms_time(handle) - 0.3).abs() < 1e-2);
                geoms_free(handle);
            }
        }
    }
}
