//! Null pointers, wrong order, refused values.

use crate::model::*;
use geoms::capi::diagnose::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use std::ffi::{c_int, CString};
use std::ptr::{null, null_mut};

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
