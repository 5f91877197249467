//! Saved states: what is refused, with which words, and that the run in the handle goes on.

use crate::model::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

const METHODS: [i64; 6] = [0, 1, 2, 3, 4, -1];

fn saved(handle: *mut Handle) -> Vec<u8> {
    let mut length = 0;
    // SAFETY: the buffer has the length that was asked for.
    unsafe {
        assert_eq!(geoms_save(handle, null_mut(), &raw mut length), 0);
        let mut bytes = vec![0u8; length];
        assert_eq!(geoms_save(handle, bytes.as_mut_ptr().cast(), &raw mut length), 0);
        bytes
    }
}

/// A run of the pendulum by a method, and its state.
fn run(method: i64) -> (*mut Handle, Box<Problem>, Vec<u8>) {
    run_watched(method, 0)
}

/// With SINGULAR=1 the states of methods other than 0 lie within that of the one that watches them, with NWTMULT=-1 that of method 0
/// within that of the choice.
fn run_watched(method: i64, singular: i64) -> (*mut Handle, Box<Problem>, Vec<u8>) {
    let (handle, user, problem) = handle("pendulum-2.8");
    // SAFETY: x has N entries.
    unsafe {
        assert_eq!(geoms_set_int(handle, c"method".as_ptr(), method), 0);
        assert_eq!(geoms_set_int(handle, c"singular".as_ptr(), singular), 0);
        assert_eq!(geoms_set_int(handle, c"nwtmult".as_ptr(), -singular), 0);
        assert_eq!(geoms_set_tolerance(handle, 1e-5, 1e-5), 0);
        assert_eq!(geoms_start(handle, 0.0, problem.x0.as_ptr(), 0.01), 0);
        assert_eq!(geoms_integrate(handle, 0.7), 0);
    }
    (handle, user, saved(handle))
}

/// FNV-1a, as the format has it.
fn seal(bytes: &mut [u8]) {
    let length = (bytes.len() as u64).to_le_bytes();
    bytes[8..16].copy_from_slice(&length);
    let all = bytes[..16].iter().chain(&bytes[24..]);
    let sum = all.fold(0xcbf2_9ce4_8422_2325u64, |s, b| (s ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
}

fn restore(handle: *mut Handle, bytes: &[u8]) -> (i32, String) {
    // SAFETY: the buffer and its length.
    let code = unsafe { geoms_restore(handle, bytes.as_ptr().cast(), bytes.len()) };
    (code, if code == 0 { String::new() } else { error(handle).1 })
}

#[test]
fn a_flipped_bit_is_refused_and_the_run_goes_on() {
    for method in METHODS {
        let (handle, _user, bytes) = run(method);
        for bit in (0..8 * bytes.len()).step_by(13) {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let (code, _) = restore(handle, &changed);
            assert_eq!(code, Code::BadArgument.idid(), "method {method}, bit {bit}");
        }
        for length in (0..bytes.len()).step_by(7) {
            assert_eq!(restore(handle, &bytes[..length]).0, Code::BadArgument.idid(), "{length} bytes");
        }
        assert_eq!(saved(handle), bytes, "method {method}");
        assert_eq!(restore(handle, &bytes).0, 0);
        // SAFETY: made above.
        unsafe { geoms_free(handle) };
    }
}

/// Before the first step, and before the first one after a new point, there is less to save.
#[test]
fn a_state_before_a_step_is_accepted() {
    for method in METHODS {
        for singular in [0, 1] {
            let (handle, user, _) = run_watched(method, singular);
            let (mut x, mut ends) = (vec![0.0; user.n], Vec::new());
            // SAFETY: x has N entries.
            unsafe {
                assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
                assert_eq!(geoms_reset(handle, 0.2, x.as_ptr()), 0);
            }
            let bytes = saved(handle);
            for _ in 0..2 {
                let (code, detail) = restore(handle, &bytes);
                assert_eq!(code, 0, "method {method}, SINGULAR={singular}: {detail}");
                // SAFETY: a handle.
                unsafe { assert_eq!(geoms_integrate(handle, 0.5), 0) };
                ends.push(saved(handle));
            }
            assert_eq!(ends[0], ends[1], "method {method}");
            // SAFETY: made above.
            unsafe { geoms_free(handle) };
        }
    }
}

#[test]
fn a_state_says_why_it_is_refused() {
    let (handle, _user, bytes) = run(0);
    let says = |bytes: &[u8], what: &str| {
        let (code, detail) = restore(handle, bytes);
        assert_eq!(code, Code::BadArgument.idid());
        assert!(detail.contains(what), "{detail}");
    };
    says(b"", "not a saved state");
    says(b"something else", "not a saved state");
    // The format of before.
    let mut older = bytes.clone();
    older[7] = 2;
    says(&older, "format 2, allowed: 4");
    let mut damaged = bytes.clone();
    damaged[100] ^= 1;
    says(&damaged, "checksum");
    let mut different = bytes.clone();
    different[24] = 9;
    seal(&mut different);
    says(&different, "another system");
    // t, t_old, t_start, h, h_last, theta stand behind the 14 numbers that must agree.
    let names = ["t ", "t_old", "t_start", "h ", "h_last", "theta"];
    for (k, name) in names.iter().enumerate() {
        for value in [f64::NAN, f64::NEG_INFINITY] {
            let mut changed = bytes.clone();
            let at = 24 + 8 * (14 + k);
            changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
            seal(&mut changed);
            says(&changed, &format!("damaged: {}", name.trim_end()));
        }
    }
    assert_eq!(saved(handle), bytes);
    // SAFETY: made above.
    unsafe { geoms_free(handle) };
}

unsafe extern "C" fn first_position(_t: f64, x: *const f64, value: *mut f64, _user: *mut c_void) -> c_int {
    // SAFETY: the pendulum has five variables, and there is one function.
    unsafe { *value = *x.add(3) };
    0
}

/// Wherever the time or a component of x is kept, NaN is refused, and the run that was in the handle goes on.
#[test]
fn no_number_of_a_state_may_be_nan() {
    for method in METHODS {
        for events in [false, true] {
            let (handle, _user, _) = run(method);
            let (mut x, mut places) = ([0.0; 5], 0);
            // SAFETY: arrays as long as they are said to be.
            let (t, bytes) = unsafe {
                if events {
                    assert_eq!(geoms_set_events(handle, 1, Some(first_position), null(), null(), 1e-6), 0);
                    assert_eq!(geoms_integrate(handle, 0.8), 0);
                }
                assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
                (geoms_time(handle), saved(handle))
            };
            for value in [&[t], &x[..]].concat() {
                for at in (0..bytes.len() - 8).filter(|&at| bytes[at..at + 8] == value.to_le_bytes()) {
                    let mut changed = bytes.clone();
                    changed[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
                    seal(&mut changed);
                    let (code, detail) = restore(handle, &changed);
                    assert_eq!(code, Code::BadArgument.idid(), "method {method}, {value} at {at}: {detail}");
                    assert_eq!(saved(handle), bytes, "method {method}, {value} at {at}");
                    places += 1;
                }
            }
            assert!(places >= 6, "{places}");
            // SAFETY: made above.
            unsafe { geoms_free(handle) };
        }
    }
}

/// With a right checksum a field may be changed: the state is refused, or its run ends with a code and with numbers.
#[test]
fn whatever_is_accepted_goes_on() {
    for (method, singular) in [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (-1, 0)] {
        let (handle, user, bytes) = run_watched(method, singular);
        let (mut accepted, mut refused) = (0, 0);
        let values = [f64::NAN.to_bits(), f64::INFINITY.to_bits(), 0, 1, 6, u64::MAX, 1e300f64.to_bits()];
        for at in (24..bytes.len() - 7).step_by(8) {
            for value in values {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
                if method == -1 {
                    // The state of the method in use has a seal of its own.
                    let inner = 24 + 8 * 16;
                    if at < inner {
                        continue;
                    }
                    seal(&mut changed[inner..]);
                }
                seal(&mut changed);
                let (code, detail) = restore(handle, &changed);
                if code < 0 {
                    assert_eq!(code, Code::BadArgument.idid(), "{detail}");
                    refused += 1;
                    continue;
                }
                accepted += 1;
                let mut x = vec![0.0; user.n];
                // SAFETY: x has N entries.
                unsafe {
                    let code = geoms_integrate(handle, geoms_time(handle) + 0.05);
                    assert_ne!(code, Code::Internal.idid(), "method {method}, byte {at}, {value:x}");
                    assert_eq!(geoms_state(handle, x.as_mut_ptr()), 0);
                    assert!(
                        geoms_time(handle).is_finite() && x.iter().all(|v| v.is_finite()),
                        "{at} {value:x}"
                    );
                }
                assert_eq!(restore(handle, &bytes).0, 0);
            }
        }
        assert!(accepted > 10 && refused > 100, "method {method}: {accepted} accepted, {refused} refused");
        // SAFETY: made above.
        unsafe { geoms_free(handle) };
    }
}
