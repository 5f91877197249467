//! Whole runs: output, events, log, stop and resume, methods by name.

use crate::model::*;
use geoms::capi::diagnose::*;
use geoms::capi::functions::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms_problems as testset;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

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

unsafe extern "C" fn at_03(t: f64, _x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: one value.
    unsafe { *value = t - 0.3 };
    0
}

/// To integrate until something happens, however far TEND: moving and at rest, with and without JAC.
#[test]
fn a_far_end_stands_for_none() {
    for (method, moving, differences) in
        [0, 1, 2, 3, 4].iter().flat_map(|m| [(*m, true, false), (*m, false, false), (*m, true, true)])
    {
        let mut ends = Vec::new();
        for tend in [1.0, 1e15, 1e20, 1e300] {
            let (handle, user, problem) = handle("pendulum-2.8");
            let (mut x, mut stats) = (problem.x0.clone(), Statistics::default());
            if !moving {
                x.copy_from_slice(&[1.0, 0.0, 0.0, 0.6, -0.8]);
            }
            let terminal = 1;
            // SAFETY: x has N entries; `user` lives to the end.
            unsafe {
                assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
                assert_eq!(geoms_set_events(handle, 1, Some(at_03), null(), &raw const terminal, 0.0), 0);
                if differences {
                    assert_eq!(geoms_set_jacobian(handle, None), 0);
                }
                assert_eq!(geoms_make_consistent(handle, 0.0, x.as_mut_ptr()), 0, "{:?}", error(handle));
                assert_eq!(geoms_start(handle, 0.0, x.as_ptr(), 0.0), 0);
                let what = format!("method {method} moving {moving} to {tend:e}");
                assert_eq!(geoms_integrate(handle, tend), GEOMS_EVENT, "{what}: {:?}", error(handle));
                assert!((geoms_time(handle) - 0.3).abs() < 1e-9, "{what}");
                geoms_state(handle, x.as_mut_ptr());
                geoms_statistics(handle, &raw mut stats);
                geoms_free(handle);
            }
            drop(user);
            ends.push((x, stats.nstep));
        }
        let near = |x: &[f64]| x[3..].iter().zip(&ends[0].0[3..]).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(ends.iter().all(|(x, _)| near(x)), "method {method} moving {moving}: {ends:?}");
        // From some TEND on it does not matter at all.
        assert_eq!(ends[2], ends[3], "method {method} moving {moving}");
    }
}

/// The smallest step is that of the length of a run, which may be short.
#[test]
fn a_short_run_goes_on() {
    for method in -2..=4 {
        let (handle, _user, problem) = handle("pendulum-2.8");
        // SAFETY: x0 has N entries.
        unsafe {
            assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
            assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.0), 0);
            if method == 1 {
                // It divides by h².
                assert_eq!(geoms_integrate(handle, 1e-300), Code::StepTooSmall.idid());
                assert!(error(handle).1.contains("its square"), "{:?}", error(handle));
            }
            for tend in [if method == 1 { 1e-20 } else { 1e-300 }, 1e-18, 1e-3] {
                let reached = geoms_integrate(handle, tend);
                assert_eq!(reached, GEOMS_REACHED, "method {method} to {tend:e}: {:?}", error(handle));
            }
            geoms_free(handle);
        }
    }
}

/// Where TEND is reached a step has nothing to do, as integrate.
#[test]
fn at_the_end_no_step_is_made() {
    let (handle, user, problem) = handle("pendulum-2.8");
    let mut ends = [vec![0.0; user.n], vec![0.0; user.n]];
    let mut stats = [Statistics::default(); 2];
    // SAFETY: all arrays have N entries; `user` lives to the end.
    unsafe {
        assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
        assert_eq!(geoms_step(handle, 0.0), GEOMS_REACHED, "{:?}", error(handle));
        assert_eq!(geoms_integrate(handle, 0.3), GEOMS_REACHED);
        for k in 0..2 {
            geoms_state(handle, ends[k].as_mut_ptr());
            geoms_statistics(handle, &raw mut stats[k]);
            assert_eq!(geoms_step(handle, 0.3), GEOMS_REACHED, "{:?}", error(handle));
            assert_eq!(geoms_integrate(handle, 0.3), GEOMS_REACHED);
            assert_eq!(geoms_time(handle), 0.3);
        }
        assert_eq!(geoms_step(handle, 0.29), Code::TendBeforeT.idid());
        geoms_free(handle);
    }
    assert_eq!(ends[0], ends[1]);
    assert_eq!(format!("{:?}", stats[0]), format!("{:?}", stats[1]));
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

/// A constant step size, stopped between two points of its grid: the next step begins where the run stands.
#[test]
fn a_constant_step_size_may_be_cut_at_the_end_of_a_call() {
    for (method, bound) in [(0, 1e-6), (1, 1e-2), (4, 1e-6)] {
        let end = |ends: &[f64], fixed: bool, method: i64| {
            let tol = if fixed { 1e-5 } else { 1e-10 };
            let (handle, _user, problem) = handle("pendulum-2.8");
            let mut x = problem.x0.clone();
            // SAFETY: x has N entries.
            unsafe {
                assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
                assert_eq!(geoms_set_int(handle, c"fixed".as_ptr(), i64::from(fixed)), 0);
                assert_eq!(geoms_set_tolerance(handle, tol, tol), 0);
                assert_eq!(geoms_start(handle, 0.0, x.as_ptr(), 0.01), 0);
                for tend in ends {
                    assert_eq!(
                        geoms_integrate(handle, *tend),
                        0,
                        "method {method}, {ends:?}: {:?}",
                        error(handle)
                    );
                }
                assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
                geoms_free(handle);
            }
            x
        };
        let exact = end(&[1.0], false, 0);
        // The last steps before these ends have 40 %, 50 and 70 %, 1 %, and a hundred-thousandth of the step size. The last is not for
        // method 1: gI is not imposed, and a short step turns what is left of it into an acceleration, gI/h.
        let small = [0.25 + 1e-7, 0.75, 0.76 + 1e-7, 1.0];
        let all = [&[1.0][..], &[0.254, 1.0], &[0.105, 0.2, 0.207, 0.5, 1.0], &[0.2501, 1.0], &small];
        for ends in all.into_iter().take(if method == 1 { 4 } else { 5 }) {
            let x = end(ends, true, method);
            let error = x[1..].iter().zip(&exact[1..]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(error < bound, "method {method}, {ends:?}: {error:e}");
        }
    }
}
