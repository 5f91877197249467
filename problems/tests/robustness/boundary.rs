//! The argument list itself: what is refused, what is survived, and the corners of the interval.

use crate::fuzz::Random;
use crate::harness::{Call, Int, ARGUMENTS, NACCPT};
use crate::messages::Unit;
use geoms::layout::Form;
use geoms_problems::{self as testset, derived};
use std::cell::Cell;

fn pendulum() -> Call {
    Call::problem("pendulum-2.8").tend(0.5)
}

/// Everything is used: conditions, JAC, SOLOUT.
fn complete<I: Int>() -> Call<I> {
    let conditions = vec![(1, 2.8), (3, 0.0)];
    let options = derived::Options { conditions, ..derived::Options::new(Form::StrangenessFree, true) };
    Call::problem_with("pendulum-2.8", options).tend(0.5)
}

thread_local! {
    /// Calls of `refused` in this test: each test has a thread of its own.
    static REFUSED: Cell<u32> = const { Cell::new(0) };
}

/// Print how many of them there were.
fn told(what: &str) {
    println!("count: boundary: {} calls refused, data unchanged ({what})", REFUSED.with(Cell::get));
}

/// IDID is -1001, nothing else has changed and the message contains `text`.
fn refused<I: Int>(mut call: Call<I>, text: &str) {
    REFUSED.with(|n| n.set(n.get() + 1));
    let unit = Unit::new();
    call = call.iopt(2, unit.0);
    let before = call.image();
    assert_eq!(call.run(), -1001, "{text}");
    assert!(call.image() == before, "{text}: data of the caller have changed");
    assert_eq!(call.context.calls, [0; 5], "{text}: a subroutine was called");
    let said = unit.text();
    assert!(said.contains(text) && said.contains("IDID = -1001"), "{text}: {said}");
}

#[test]
fn null_pointers() {
    for (k, name) in ARGUMENTS.iter().enumerate() {
        let mut call = complete::<i32>();
        call.null = Some(k);
        match *name {
            "IDID" => {
                let before = call.image();
                assert_eq!(call.run(), 0, "nothing can be written");
                assert!(call.image() == before);
                assert_eq!(call.context.calls, [0; 5]);
            }
            // The unit is not known without it.
            "IOPT" => assert_eq!(call.run(), -1001),
            _ => refused(call, &format!("{name} = a null pointer")),
        }
    }
    for (k, name) in ARGUMENTS.iter().enumerate().take(34) {
        let mut call = complete::<i64>();
        call.null = Some(k);
        assert_eq!(call.run(), -1001, "{name}, 64 bits");
    }
    println!("count: boundary: {} null pointers", ARGUMENTS.len() + 34);
}

#[test]
fn dimensions() {
    for (k, name) in ARGUMENTS.iter().enumerate().take(8) {
        for value in [-1, i32::MIN] {
            let mut call = pendulum();
            call.dims[k] = value;
            refused(call, &format!("{name} = {value}"));
        }
        // One more than M and N were made for.
        let mut call = pendulum();
        call.dims[k] += 1;
        refused(call, if k == 7 { "M = 7" } else { "N = 5" });
    }
    for change in [-1, 1, 1000, -6] {
        let mut call = pendulum();
        call.n += change;
        refused(call, &format!("N = {}", 5 + change));
        let mut call = pendulum();
        call.m += change;
        refused(call, &format!("M = {}", 7 + change));
    }
    let mut call = pendulum();
    call.nivcond = -1;
    refused(call, "NIVCOND = -1");
    told("misdeclared M, N and dimensions");
}

#[test]
fn work_arrays_one_short() {
    let mut call = pendulum();
    call.liwork = 19;
    refused(call, "LIWORK = 19");
    // (IVCNSST, DECOMPC, DECOMPD), least LRWORK; N = 5.
    for ((consistent, constraints, differential), least) in
        [((0, 1, 0), 25), ((1, 2, 0), 5), ((1, 3, 0), 10), ((1, 1, 1), 10), ((0, 3, 1), 25)]
    {
        let with = |lrwork: i32| {
            let mut call = pendulum().iopt(17, consistent).iopt(11, constraints).iopt(12, differential);
            call.lrwork = lrwork;
            call
        };
        refused(with(least - 1), &format!("LRWORK = {}", least - 1));
        assert_eq!(with(least).run(), 0, "LRWORK = {least}");
    }
    told("work arrays one short");
}

#[test]
fn numbers() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for i in 0..5 {
            let mut call = pendulum();
            call.x[i] = value;
            refused(call, &format!("X({}) = {value}", i + 1));
        }
        let mut call = pendulum();
        call.t = value;
        refused(call, &format!("T = {value}"));
        refused(pendulum().tend(value), &format!("TEND = {value}"));
        let mut call = pendulum();
        call.rtol[0] = value;
        refused(call, &format!("RTOL = {value}"));
        let mut call = pendulum();
        call.atol[0] = value;
        refused(call, &format!("ATOL = {value}"));
    }
    refused(pendulum().h(f64::NAN), "H = NaN");
    // Infinite but a number: cut to the interval, or not positive.
    for h in [f64::INFINITY, f64::NEG_INFINITY, -1.0, 0.0, f64::MIN_POSITIVE] {
        let mut call = pendulum().h(h);
        let idid = call.run();
        // The smallest positive number is a step that cannot be made.
        assert_eq!(idid, if h == f64::MIN_POSITIVE { -1118 } else { 0 }, "H = {h}");
        assert!(call.h.is_finite());
    }
    for (name, value) in [("ITOL", 2), ("IJAC", -1), ("IOUT", 7)] {
        let mut call = pendulum();
        match name {
            "ITOL" => call.itol = value,
            "IJAC" => call.ijac = value,
            _ => call.iout = value,
        }
        refused(call, &format!("{name} = {value}"));
    }
    told("numbers");
}

#[test]
fn tolerance_vectors() {
    let scalar = pendulum().finish();
    let vector = |rtol: [f64; 5], atol: [f64; 5]| {
        let mut call = pendulum();
        (call.itol, call.rtol, call.atol) = (1, rtol.to_vec(), atol.to_vec());
        call
    };
    assert_eq!(vector([1e-6; 5], [1e-6; 5]).finish().returned(), scalar.returned());
    for i in 0..5 {
        let mut rtol = [1e-6; 5];
        let mut atol = [1e-6; 5];
        (rtol[i], atol[i]) = (1e-9, 1e-9);
        let sharp = vector(rtol, atol).finish();
        assert!(sharp.count(NACCPT) > scalar.count(NACCPT), "component {i} has no weight");
        let mut bad = [1e-6; 5];
        for value in [0.0, -1e-6, f64::NAN, f64::INFINITY] {
            bad[i] = value;
            refused(vector(bad, [1e-6; 5]), &format!("RTOL({}) = {value}", i + 1));
            refused(vector([1e-6; 5], bad), &format!("ATOL({}) = {value}", i + 1));
        }
    }
    told("tolerance vectors");
}

#[test]
fn idid_on_entry() {
    for idid in [-1, -1001, i32::MIN] {
        let mut call = pendulum();
        call.idid = idid;
        let before = call.image();
        assert_eq!(call.run(), -1002);
        assert!(call.image() == before);
    }
    let mut call = pendulum();
    call.idid = 77;
    assert_eq!(call.run(), 0);
}

#[test]
fn interval() {
    // Backwards.
    let mut call = pendulum().tend(-1e-300);
    let before = call.image();
    assert_eq!(call.run(), -1106);
    assert!(call.image() == before);

    // No interval: the initial values are made consistent and reported once.
    let mut call = complete::<i32>().tend(0.0);
    (call.x[0], call.x[2]) = (1.0, 0.3);
    let call = call.finish();
    assert!((call.x[0] - 0.5 * (2.8 * 2.8 + 13.75)).abs() < 1e-4 && call.x[2].abs() < 1e-5, "{:?}", call.x);
    assert_eq!((call.context.grid.len(), call.count(NACCPT), call.t), (1, 0, 0.0));
    let point = &call.context.grid[0];
    assert!(point.h != 0.0 && point.told == point.t && call.context.dense == (0.0, 0.0));

    // Hardly any interval, at zero and elsewhere.
    for start in [0.0, 1.0, -3.0] {
        let mut call = pendulum();
        (call.t, call.tend) = (start, start + 1e-12);
        let (before, end) = (call.x.clone(), call.tend);
        let call = call.finish();
        assert_eq!(call.t, end);
        assert!(call.x.iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", call.x);
    }

    // H larger than the interval is cut.
    let call = pendulum().tend(1e-3).h(100.0).finish();
    assert_eq!(call.t, 1e-3);
    assert!(call.context.grid.iter().all(|p| p.t <= 1e-3));
}

#[test]
fn far_from_zero() {
    let exact = testset::by_name("pendulum-2.8").unwrap().exact.unwrap();
    let mut call = pendulum();
    (call.t, call.tend) = (1e9, 1e9 + 0.5);
    let call = call.ropt(7, 1e-3).finish();
    assert!(call.count(NACCPT) >= 500 && call.t == 1e9 + 0.5);
    // Times are resolved to 1e-7 there.
    let error = call.x.iter().zip(exact(0.5)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(error < 1e-3, "{error:e}");
    assert!(call.context.grid.windows(2).all(|w| w[1].t > w[0].t && w[1].told == w[0].t));
}

#[test]
fn careless_subroutines() {
    for conditions in [false, true] {
        let make = || if conditions { complete() } else { pendulum() };
        let clean = make().finish();
        let mut call: Call = make();
        call.context.careless = true;
        assert_eq!(call.run(), 0);
        assert_eq!(call.returned(), clean.returned());
        assert_eq!(call.iopt, [-3; 40], "the subroutine was given the caller's own IOPT");
    }
    println!("count: boundary: 2 runs with subroutines that write IOPT and other arguments");
}

#[test]
fn twin_with_64_bits() {
    let mut random = Random::new(64);
    for problem in testset::all() {
        let mut short = Call::<i32>::problem(&problem.name).iopt(6, 60).iopt(11, 3);
        let mut long = Call::<i64>::problem(&problem.name).iopt(6, 60).iopt(11, 3);
        let tol = random.pick(&[1e-4, 1e-6]);
        (short, long) = (short.tol(tol), long.tol(tol));
        let codes = (short.run(), long.run());
        assert_eq!(codes.0, codes.1, "{}", problem.name);
        assert_eq!(short.returned(), long.returned(), "{}", problem.name);
        assert_eq!(short.context.grid, long.context.grid, "{}", problem.name);
    }
}

#[test]
fn dense_output_meets_the_grid() {
    for problem in testset::all() {
        let mut call = Call::<i32>::problem(&problem.name).iopt(6, 60).iopt(11, 3);
        call.run();
        assert!(call.context.grid.len() > 2, "{}: {}", problem.name, call.idid);
        let (first, last) = call.context.dense;
        assert!(first < 1e-11, "{}: {first:e} at TOLD", problem.name);
        assert!(last == 0.0, "{}: {last:e} at T", problem.name);
    }
}

#[test]
fn solout_protocol() {
    let call = complete::<i32>().finish();
    for (k, point) in call.context.grid.iter().enumerate() {
        assert_eq!(point.naccpt, k as i64);
        if k > 0 {
            assert_eq!(point.told, call.context.grid[k - 1].t);
            assert!((point.h - (point.t - point.told)).abs() < 1e-15);
        }
    }
    // Without it nothing else changes.
    let mut silent = complete::<i32>();
    silent.iout = 0;
    let silent = silent.finish();
    assert_eq!(silent.returned(), call.returned());
    assert_eq!(silent.context.grid.len(), 0);
}
