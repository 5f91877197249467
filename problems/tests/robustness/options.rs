//! Every entry of the option table: refused by name out of range, and doing what it should within.

use crate::harness::*;
use crate::made::scalar;
use crate::messages::Unit;
use geoms::layout::Form;
use geoms::options::{Slot, OPTIONS};
use geoms_problems::derived;

/// The swinging pendulum: smooth, so that every change of the work shows.
fn pendulum() -> Call {
    Call::problem("pendulum-2.8").tend(2.0)
}

/// A force element that is pushed to and fro: steps are rejected at every jump.
fn front() -> Call {
    let slope = |t: f64, r: f64| -50.0 * (1.0 + 3.0 * r * r) - 0.0 * t;
    let made = scalar(move |t, r| 40.0 * (20.0 * t).sin().signum() - 50.0 * (r + r * r * r), slope);
    Call::of(made.boxed(), &[0.0], 0.0, 2.0).iopt(17, 1)
}

fn set(call: Call, slot: Slot, value: f64) -> Call {
    match slot {
        Slot::Iopt(k) => call.iopt(k, value as i64),
        Slot::Ropt(k) => call.ropt(k, value),
    }
}

/// Values that are not allowed, by name.
fn refused_values(name: &str) -> Vec<f64> {
    let nan = f64::NAN;
    match name {
        "LUN" | "NIT" | "NMAX" | "NWTUPD" => vec![-1.0, -2_147_483_648.0],
        "STARTN" | "FORM" | "DECOMPD" | "SELCOMP" | "AUTONOM" | "EXTEND" | "IVCNSST" | "FIXED"
        | "RECOVER" | "FAMILY" | "RELAXE" | "NWTMULT" => vec![-1.0, 2.0, 2_147_483_647.0],
        "PRED" => vec![-1.0, 3.0],
        "CHECK" | "WATCH" | "SINGULAR" | "MONITOR" => vec![-1.0, 3.0],
        "SCHEME" => vec![-1.0, 5.0],
        "BETA" => vec![-0.1, 1.5, nan, f64::INFINITY],
        "GAMMA" => vec![-0.5, 0.49, 1.5, nan, f64::INFINITY],
        "NWTMAT" | "DECOMPC" | "PROJECT" => vec![-1.0, 4.0],
        "MASSTRCT" => vec![-1.0, 5.0],
        "METHOD" => vec![-3.0, 5.0, 17.0],
        "ORDER" => vec![-2.0, 3.0, 7.0, 14.0],
        "UROUND" => vec![-1e-16, 1e-19, 1e-3, 1.0, nan, f64::INFINITY],
        "SAFE" => vec![-0.5, 0.001, 1.0, nan, f64::INFINITY],
        "THET" => vec![1.0, 2.0, nan, f64::INFINITY, f64::NEG_INFINITY],
        "FNEWT" => vec![-1e-3, 1.0, nan, f64::INFINITY],
        "QUOT1" => vec![-1.0, 1.5, nan, f64::INFINITY],
        "QUOT2" => vec![-1.0, 0.5, nan, f64::INFINITY],
        "HMAX" => vec![-1.0, nan, f64::INFINITY, f64::NEG_INFINITY],
        "FACL" => vec![-1.0, 0.5, nan, f64::INFINITY],
        "ALPHA" => vec![-0.34, 1.5, nan, f64::INFINITY],
        "RHO" => vec![-0.5, 0.49, 1.01, nan, f64::INFINITY],
        "FACR" => vec![-0.2, 1.5, nan, f64::INFINITY],
        _ => panic!("the option {name} has no test: add it here and to EFFECTS"),
    }
}

#[test]
fn out_of_range() {
    let mut cases = 0;
    for entry in OPTIONS {
        for value in refused_values(entry.name) {
            let unit = Unit::new();
            let mut call = set(pendulum().iopt(2, unit.0).iopt(16, 1), entry.slot, value);
            let before = call.image();
            assert_eq!(call.run(), -1001, "{} = {value}", entry.name);
            assert!(call.image() == before, "{} = {value}: data of the caller have changed", entry.name);
            assert_eq!(call.context.calls, [0; 5], "{} = {value}: a subroutine was called", entry.name);
            let said = unit.text();
            let named = format!("{} = {} = {value} ", entry.slot, entry.name);
            // Without a unit nothing can be said.
            let silent = entry.name == "LUN" && said.is_empty();
            assert!(silent || said.contains(&named) && said.contains(entry.range), "{named}: {said}");
            cases += 1;
        }
    }
    println!("count: options: {cases} values refused");
}

#[test]
fn unused_slots_are_reserved() {
    for slot in 18..=40 {
        if OPTIONS.iter().all(|e| e.slot != Slot::Iopt(slot)) {
            assert_eq!(pendulum().extended(slot, 1).run(), -1001, "IOPT({slot})");
        }
    }
    for slot in 10..=40 {
        if OPTIONS.iter().all(|e| e.slot != Slot::Ropt(slot)) {
            assert_eq!(pendulum().ropt(slot, 1.0).run(), -1001, "ROPT({slot})");
        }
    }
    // The manual leaves these two to nobody.
    for slot in [1, 7] {
        assert_eq!(pendulum().iopt(slot, -5).finish().returned(), pendulum().finish().returned());
    }
}

/// Name of an option and the test of what it does.
const EFFECTS: &[(&str, fn())] = &[
    ("LUN", lun),
    ("NIT", nit),
    ("STARTN", startn),
    ("FORM", form),
    ("NMAX", nmax),
    ("PRED", pred),
    ("NWTMAT", nwtmat),
    ("NWTUPD", nwtupd),
    ("DECOMPC", decompc),
    ("DECOMPD", decompd),
    ("SELCOMP", selcomp),
    ("AUTONOM", autonom),
    ("MASSTRCT", masstrct),
    ("EXTEND", extend),
    ("IVCNSST", ivcnsst),
    ("METHOD", method),
    ("FIXED", fixed),
    ("ORDER", order),
    ("RECOVER", recover),
    ("PROJECT", project),
    ("FAMILY", family),
    ("RELAXE", relaxe),
    ("CHECK", check),
    ("WATCH", watch),
    ("NWTMULT", nwtmult),
    ("SCHEME", scheme),
    ("MONITOR", monitor),
    ("SINGULAR", singular),
    ("UROUND", uround),
    ("SAFE", safe),
    ("THET", thet),
    ("FNEWT", fnewt),
    ("QUOT1", quot1),
    ("QUOT2", quot2),
    ("HMAX", hmax),
    ("FACL", facl),
    ("FACR", facr),
    ("ALPHA", alpha),
    ("RHO", rho),
    ("BETA", beta),
    ("GAMMA", gamma),
];

#[test]
fn every_option_has_its_effect() {
    for entry in OPTIONS {
        let (_, test) = EFFECTS.iter().find(|(name, _)| *name == entry.name).expect(entry.name);
        test();
    }
    assert_eq!(EFFECTS.len(), OPTIONS.len());
    println!("count: options: {} effects", OPTIONS.len());
}

fn same(a: Call, b: Call) {
    assert_eq!(a.finish().returned(), b.finish().returned());
}

/// The solutions agree, but not bit by bit.
fn close(a: &Call, b: &Call) {
    assert_ne!(bits(&a.x), bits(&b.x));
    assert!(a.x.iter().zip(&b.x).all(|(a, b)| (a - b).abs() < 1e-3), "{:?} {:?}", a.x, b.x);
}

fn lun() {
    let unit = Unit::new();
    let loud = pendulum().iopt(2, unit.0).finish();
    let said = unit.text();
    assert!(said.contains("starts with NP=2 NV=2") && said.contains("NACCPT="), "{said}");
    assert!(said.lines().all(|line| line.starts_with(" GEOMS: ")));
    assert_eq!(loud.returned(), pendulum().finish().returned());
    assert_eq!(unit.text(), "");
}

fn nit() {
    same(pendulum().iopt(3, 0), pendulum().iopt(3, 10));
    let (few, many) = (pendulum().iopt(3, 2).finish(), pendulum().iopt(3, 20).finish());
    assert!(few.count(NCRJCT) > many.count(NCRJCT), "{} {}", few.count(NCRJCT), many.count(NCRJCT));
    // No attempt makes more than two iterations.
    assert!(few.count(NBSUB) <= 2 * few.count(NSTEP));
}

fn startn() {
    let (polynomial, point) = (pendulum().finish(), pendulum().iopt(4, 1).finish());
    let rate = |c: &Call| c.count(NBSUB) as f64 / c.count(NSTEP) as f64;
    assert!(rate(&point) > rate(&polynomial), "{} {}", rate(&point), rate(&polynomial));
    close(&polynomial, &point);
}

fn form() {
    let index1 = || Call::problem_with("pendulum-2.8", derived::Options::new(Form::Index1, true)).tend(2.0);
    let call = index1().finish();
    assert_eq!((call.iopt[4], call.m), (1, 6));
    close(&call, &pendulum().finish());
    // The same M for the other formulation is refused.
    assert_eq!(index1().iopt(5, 0).run(), -1001);
    assert_eq!(pendulum().iopt(5, 1).run(), -1001);
}

fn nmax() {
    for nmax in [1, 5, 17] {
        let mut call = pendulum().iopt(6, nmax);
        assert_eq!((call.run(), call.count(NSTEP)), (-1117, nmax));
    }
    let needed = pendulum().finish().count(NSTEP);
    assert_eq!(pendulum().iopt(6, needed).run(), 0);
    assert_eq!(pendulum().iopt(6, needed - 1).run(), -1117);
}

fn pred() {
    same(pendulum().iopt(8, 0), pendulum().iopt(8, 1));
    let (predictive, classical) = (front().iopt(8, 1).finish(), front().iopt(8, 2).finish());
    assert_ne!(predictive.returned(), classical.returned());
    // Both see the same error in the first accepted step, and only one of them looks back in the second.
    let h = |c: &Call| c.context.grid.iter().map(|p| p.h).collect::<Vec<_>>();
    assert_eq!(h(&predictive)[..3], h(&classical)[..3]);
}

fn nwtmat() {
    let nodes = [(4.0 - 6f64.sqrt()) / 10.0, (4.0 + 6f64.sqrt()) / 10.0, 1.0];
    for reference in 0..=3 {
        let call = pendulum().iopt(9, reference).ropt(3, -1.0).finish();
        // The Jacobian of an accepted step belongs to t_k, or to a stage; that of the first to its start.
        let taken = &call.context.times[Who::Jac as usize];
        for point in call.context.grid.iter().skip(2) {
            let at = match reference {
                0 => point.told,
                i => point.told + nodes[i as usize - 1] * point.h,
            };
            assert!(taken.iter().any(|t| (t - at).abs() < 1e-13), "NWTMAT={reference}: no JAC at {at}");
        }
        assert_eq!(taken[0], 0.0);
    }
    assert_eq!(pendulum().iopt(9, 1).iopt(4, 1).run(), -1001);
}

fn nwtupd() {
    let with = |updates| pendulum().iopt(3, 3).iopt(10, updates).finish();
    let (none, some) = (with(0), with(2));
    assert!(none.count(NCRJCT) > 0 && some.count(NCRJCT) < none.count(NCRJCT));
    // New matrices within steps.
    let per_step = |c: &Call| c.count(NPDEC) as f64 / c.count(NSTEP) as f64;
    assert!(per_step(&some) > per_step(&none));
}

fn decompc() {
    same(pendulum().iopt(11, 0), pendulum().iopt(11, 1));
    let [lu, qr, svd] = [1, 2, 3].map(|kind| pendulum().iopt(11, kind).finish());
    close(&lu, &qr);
    close(&lu, &svd);
    let coupler = |kind| Call::<i32>::problem("coupler").tend(1.0).iopt(11, kind).run();
    assert_eq!([1, 2, 3].map(coupler), [-2601, -1401, 0]);
}

fn decompd() {
    let cycloid = |kind| Call::<i32>::problem("cycloid").tend(2.0).iopt(12, kind).finish();
    close(&cycloid(0), &cycloid(1));
    // QR renews the selectors every time.
    let call = pendulum().iopt(12, 1).finish();
    assert_eq!(call.count(NSEL), call.count(NPDEC));
}

fn selcomp() {
    let (kept, renewed) = (pendulum().finish(), pendulum().iopt(13, 1).finish());
    assert!(kept.count(NSEL) < kept.count(NPDEC));
    assert_eq!(renewed.count(NSEL), renewed.count(NPDEC));
}

fn autonom() {
    same(pendulum().iopt(14, 0), pendulum().iopt(14, 1));
    let rod = || Call::problem("rotating-rod").tend(1.0);
    same(rod().iopt(14, 0), rod().iopt(14, 1));
}

fn masstrct() {
    same(pendulum().iopt(15, 0), pendulum().iopt(15, 1));
    let counts = [1, 2, 3, 4].map(|s| pendulum().iopt(15, s).finish().count(NMAS));
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
    assert_eq!(counts[2..], [1, 1]);
    // What stands beside the diagonal is not looked at if it is said to be zero.
    let spoiled = |s| {
        pendulum().iopt(15, s).hook(|event| {
            if event.who == Who::Mas {
                (event.out[0][1], event.out[0][2]) = (0.25, 0.25);
            }
        })
    };
    for s in [2, 4] {
        same(spoiled(s), pendulum().iopt(15, s));
    }
    for s in [1, 3] {
        let mut call = spoiled(s);
        call.run();
        assert_ne!(call.returned().x, pendulum().iopt(15, s).finish().returned().x);
    }
}

fn extend() {
    let mut call = pendulum();
    for slot in 18..=40 {
        call = call.iopt(slot, -12345);
    }
    assert_eq!(call.finish().returned(), pendulum().finish().returned());
    same(pendulum().iopt(16, 1), pendulum());
    assert_eq!(pendulum().extended(40, -12345).run(), -1001);
    // Without it FIXED is not read.
    same(pendulum().iopt(19, 1), pendulum());
    assert_ne!(pendulum().extended(19, 1).finish().returned(), pendulum().finish().returned());
}

fn ivcnsst() {
    let wrong = |consistent| {
        let mut call = pendulum().iopt(17, consistent);
        call.x[0] += 0.1;
        call
    };
    assert_eq!(wrong(0).run(), -1105);
    assert_ne!(wrong(1).run(), -1105);
    // Nothing but the steps calls EOM.
    let call = pendulum().iopt(17, 1).finish();
    assert_eq!(call.context.calls[Who::Eom as usize] as i64, call.count(NEOM));
    let call = pendulum().finish();
    assert!(call.context.calls[Who::Eom as usize] as i64 > call.count(NEOM));
}

fn method() {
    same(pendulum().extended(18, 0), pendulum());
    near(&hht().finish(), &pendulum().finish());
    // Linearly implicit: one decomposition per attempt, of one degree of freedom, and no iteration of Newton's method.
    let rosenbrock = pendulum().extended(18, 2).finish();
    near(&rosenbrock, &pendulum().finish());
    assert_eq!(rosenbrock.count(NEDEC), rosenbrock.count(NSTEP));
    // The half-explicit method decomposes nothing of size E1, E2, and comes to the same end.
    let (radau, explicit) = (pendulum().finish(), pendulum().extended(18, 4).finish());
    assert!(radau.iwork[6] > 0 && explicit.iwork[6] == 0 && explicit.iwork[5] > 0);
    assert!(radau.x.iter().zip(&explicit.x).all(|(a, b)| (a - b).abs() < 1e-3 * (1.0 + a.abs())));
    // The automatic choice stays with it here, and leaves a stiff element to Radau IIA.
    same(pendulum().extended(18, -1), pendulum().extended(18, 4));
    let stiff = |method: i64| -> Call {
        let made = scalar(|t, r| 1e4 * (t.cos() - r), |_, _| -1e4);
        Call::of(made.boxed(), &[1.0], 0.0, 2.0).iopt(17, 1).extended(18, method).finish()
    };
    let (explicit, automatic) = (stiff(4), stiff(-1));
    assert!(automatic.count(NEDEC) > 0 && 20 * automatic.count(NSTEP) < explicit.count(NSTEP));
}

/// Method 1, second order: its errors are larger, above all those of the multipliers.
fn hht() -> Call {
    pendulum().extended(18, 1)
}

fn near(a: &Call, b: &Call) {
    assert_ne!(bits(&a.x), bits(&b.x));
    assert!(a.x[1..].iter().zip(&b.x[1..]).all(|(a, b)| (a - b).abs() < 1e-2), "{:?} {:?}", a.x, b.x);
}

fn project() {
    let call = hht().extended(22, 3).finish();
    let (plain, x) = (hht().finish(), &call.x);
    assert!((x[1] * x[3] + x[2] * x[4]).abs() < 1e-12);
    assert!((plain.x[1] * plain.x[3] + plain.x[2] * plain.x[4]).abs() > 1e-9);
    assert_eq!(bits(&call.x[3..]), bits(&plain.x[3..]), "positions are not touched");
    same(pendulum().extended(22, 3), pendulum());
}

fn family() {
    near(&hht().extended(23, 1).finish(), &hht().finish());
    same(hht().extended(23, 1).ropt(10, 0.8), hht().extended(23, 1));
    same(pendulum().extended(23, 1), pendulum());
}

fn alpha() {
    same(hht().ropt(10, -0.3), hht());
    near(&hht().ropt(10, -0.1).finish(), &hht().finish());
    same(pendulum().ropt(10, -0.1), pendulum());
    // A radius is no alpha, and the other way round.
    assert_eq!(hht().ropt(10, 0.8).run(), -1001);
    assert_eq!(hht().extended(23, 1).ropt(10, -0.1).run(), -1001);
    // alpha = 0 is allowed, with a warning.
    for (value, warned) in [(1.0, true), (-0.05, false)] {
        let unit = Unit::new();
        hht().iopt(2, unit.0).tend(0.1).ropt(10, value).finish();
        assert_eq!(unit.text().contains("weakly stable"), warned, "alpha {value}");
    }
}

fn rho() {
    let element = || Call::<i32>::problem("maxwell-element").tend(1.0).extended(18, 1);
    same(element().ropt(11, 0.5), element());
    assert!(element().ropt(11, 1.0).finish().count(NACCPT) > element().finish().count(NACCPT));
    same(Call::<i32>::problem("maxwell-element").ropt(11, 0.8), Call::<i32>::problem("maxwell-element"));
}

fn newmark() -> Call {
    pendulum().extended(18, 3)
}

fn scheme() {
    same(newmark().extended(30, 1), newmark());
    for scheme in 2..=4 {
        near(&newmark().extended(30, scheme).finish(), &newmark().finish());
    }
    same(pendulum().extended(30, 3), pendulum());
}

/// What is not looked for costs no evaluations; a bound costs steps where the frequency is high.
fn monitor() {
    let (plain, off) = (newmark().finish(), newmark().extended(31, 2).finish());
    assert!(off.count(NEOM) < plain.count(NEOM), "{} {}", off.count(NEOM), plain.count(NEOM));
    let stiff = |use_of_it| {
        let stiff = Call::<i32>::problem("double-pendulum-stiff").tend(0.05).tol(1e-2).extended(18, 3);
        stiff.extended(31, use_of_it).finish()
    };
    let (free, bounded) = (stiff(0), stiff(1));
    println!("MONITOR: {} steps, bounded {}", free.count(NACCPT), bounded.count(NACCPT));
    assert_ne!(bits(&free.x), bits(&bounded.x));
    same(pendulum().extended(31, 1), pendulum());
}

fn beta() {
    same(newmark().ropt(12, 1.0 / 12.0), newmark());
    near(&newmark().ropt(12, 0.25).finish(), &newmark().finish());
    same(pendulum().ropt(12, 0.25), pendulum());
}

fn gamma() {
    same(newmark().ropt(13, 0.5), newmark());
    let (damped, plain) = (newmark().ropt(13, 0.6).finish(), newmark().finish());
    assert!(damped.count(NACCPT) > plain.count(NACCPT), "a method of order 1 takes more steps");
    same(pendulum().ropt(13, 0.6), pendulum());
}

/// A higher order makes fewer steps at a tight tolerance; the automatic choice comes to it by itself.
fn order() {
    let at = |order: i64| pendulum().tol(1e-11).extended(21, order).finish();
    let (five, nine, thirteen, automatic) = (at(0), at(9), at(13), at(-1));
    println!("ORDER: {:?}", [&five, &nine, &thirteen, &automatic].map(|c| c.count(NACCPT)));
    same(pendulum().extended(21, 5), pendulum());
    assert!(nine.count(NACCPT) * 4 < five.count(NACCPT));
    assert!(thirteen.count(NACCPT) < five.count(NACCPT) && automatic.count(NACCPT) * 2 < five.count(NACCPT));
    for call in [nine, thirteen, automatic] {
        assert!(call.x.iter().zip(&five.x).all(|(a, b)| (a - b).abs() < 1e-8 * (1.0 + b.abs())));
    }
    // Other methods have orders of their own.
    same(hht().extended(21, 9), hht());
}

fn fixed() {
    let call = pendulum().extended(19, 1).h(0.02).finish();
    assert_eq!(call.context.grid.len(), 101);
    for (k, point) in call.context.grid.iter().enumerate().skip(1) {
        assert!((point.t - 0.02 * k as f64).abs() < 1e-14 && (point.h - 0.02).abs() < 1e-14);
    }
    assert_eq!(pendulum().extended(19, 1).h(0.0).run(), -1001);
}

fn recover() {
    let failing = |recover| {
        let call = pendulum().extended(20, recover).hook(|event| {
            if event.who == Who::Eom && event.number == 100 {
                *event.ierr = 1;
            }
        });
        call.finish()
    };
    let (ignored, retried) = (failing(0), failing(1));
    assert_eq!(ignored.returned(), pendulum().finish().returned());
    assert_eq!(retried.count(NCRJCT), ignored.count(NCRJCT) + 1);
    assert_eq!(retried.ierr, 0, "the library resets it");
}

/// Velocities that violate gI, taken as they are.
fn inconsistent() -> Call {
    let mut call = pendulum().iopt(17, 1);
    call.x[1] += 0.1;
    call.x[2] += 0.1;
    call
}

fn check() {
    let unit = Unit::new();
    let (mut silent, mut told) =
        (inconsistent().iopt(2, unit.0), inconsistent().iopt(2, unit.0).extended(26, 1));
    let end = silent.run();
    assert!(!unit.text().contains("warning"));
    assert_eq!(told.run(), end);
    let said = unit.text();
    assert!(said.contains("warning: gI(1)"), "{said}");
    // The run and its counters are as they were.
    assert_eq!(told.returned(), silent.returned());
}

fn watch() {
    let ends = |watch| inconsistent().extended(26, 1).iopt(27, watch).run();
    assert_eq!((ends(1), ends(2)), (inconsistent().run(), -1120));
    // A right model is only evaluated more often.
    let (plain, watched) = (pendulum().finish(), pendulum().extended(27, 2).finish());
    assert_eq!(watched.returned(), plain.returned());
    let calls = |call: &Call| call.context.calls[Who::Eom as usize];
    assert!(calls(&watched) > calls(&plain));
}

/// Longer steps where λ limited them, and the same solution with gII = 0.
fn nwtmult() {
    let cycloid = |mode| Call::<i32>::problem("cycloid").tol(1e-8).extended(21, 9).iopt(28, mode).finish();
    let (gii, dynamic) = (cycloid(0), cycloid(1));
    println!("NWTMULT: {:?}", [&gii, &dynamic].map(|c| [c.count(NSTEP), c.count(NEOM), c.count(NCRJCT)]));
    assert!(5 * dynamic.count(NSTEP) < 4 * gii.count(NSTEP) && dynamic.count(NEOM) < gii.count(NEOM));
    assert!(dynamic.x.iter().zip(&gii.x).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs())));
}

fn singular() {
    let row = |singular| {
        let options = derived::Options::new(Form::StrangenessFree, true);
        Call::<i32>::problem_with("n-four-bar-2-singular", options).extended(32, singular).run()
    };
    assert_eq!((row(0), row(1), row(2)), (-2406, pendulum().run(), pendulum().run()));
}

fn relaxe() {
    let swinging = |relax| {
        let options =
            derived::Options { invariants: true, ..derived::Options::new(Form::StrangenessFree, true) };
        Call::<i32>::problem_with("pendulum-2.8", options).extended(25, relax)
    };
    assert_eq!(swinging(0).run(), -2602);
    let call = swinging(1).finish();
    assert_eq!(call.t, 5.0);
}

fn uround() {
    same(pendulum().ropt(1, 0.0), pendulum().ropt(1, 1e-16));
    // RTOL must be at least ten of it.
    assert_eq!(pendulum().tol(1e-6).ropt(1, 1.1e-7).run(), -1001);
    assert_eq!(pendulum().tol(1e-6).ropt(1, 0.9e-7).run(), 0);
    // Steps below it are too small.
    assert_eq!(pendulum().h(1e-15).ropt(1, 1e-8).run(), -1118);
    assert_eq!(pendulum().h(1e-15).run(), 0);
}

fn safe() {
    same(pendulum().ropt(2, 0.0), pendulum().ropt(2, 0.9));
    let steps = [0.3, 0.6, 0.9].map(|safe| pendulum().ropt(2, safe).finish().count(NACCPT));
    assert!(steps[0] > steps[1] && steps[1] > steps[2], "{steps:?}");
}

fn thet() {
    same(pendulum().ropt(3, 0.0), pendulum().ropt(3, 0.001));
    let [never, seldom, often] = [-1.0, 0.001, 0.3].map(|thet| pendulum().ropt(3, thet).finish());
    // A new Jacobian after every accepted step; attempts at the same point share it.
    assert_eq!(never.count(NJAC), never.count(NACCPT));
    assert!(often.count(NJAC) < seldom.count(NJAC) && seldom.count(NJAC) <= seldom.count(NACCPT));
}

fn fnewt() {
    let rtol = 0.1 * 1e-6f64.powf(2.0 / 3.0);
    same(pendulum().ropt(4, 0.0), pendulum().ropt(4, rtol.sqrt().min(0.03)));
    let [sharp, blunt] = [1e-6, 0.03].map(|f| pendulum().ropt(4, f).finish());
    assert!(sharp.count(NBSUB) > blunt.count(NBSUB));
    // Beyond the rounding unit.
    let unit = Unit::new();
    let mut call = pendulum().iopt(2, unit.0).ropt(4, 1e-16 / rtol);
    let before = call.image();
    assert_eq!(call.run(), -1001);
    assert!(call.image() == before, "data of the caller have changed");
    assert!(unit.text().contains("ROPT(4) = FNEWT"));
}

/// Steps that are exactly as long as the one before.
fn kept(call: &Call) -> usize {
    let grid = &call.context.grid;
    grid.windows(2).skip(1).filter(|w| w[0].h == w[1].h).count()
}

fn quot1() {
    let with = |quot1| pendulum().ropt(3, 0.3).ropt(5, quot1).ropt(6, 1.0).finish();
    let (narrow, wide) = (with(1.0), with(0.3));
    same(pendulum().ropt(5, 0.0), pendulum().ropt(5, 1.0));
    assert!(kept(&wide) > kept(&narrow), "{} {}", kept(&wide), kept(&narrow));
}

fn quot2() {
    let with = |quot2| pendulum().ropt(3, 0.3).ropt(6, quot2).finish();
    let (narrow, wide) = (with(1.0), with(3.0));
    same(pendulum().ropt(6, 0.0), pendulum().ropt(6, 1.2));
    assert!(kept(&wide) > kept(&narrow), "{} {}", kept(&wide), kept(&narrow));
    assert!(wide.count(NEDEC) * narrow.count(NSTEP) < narrow.count(NEDEC) * wide.count(NSTEP));
}

fn hmax() {
    let longest = |c: &Call| c.context.grid.iter().skip(1).fold(0.0f64, |m, p| m.max(p.h));
    let (free, limited) = (pendulum().finish(), pendulum().ropt(7, 0.01).finish());
    assert!(longest(&free) > 0.02 && longest(&limited) <= 0.01 * 1.0001);
    same(pendulum().ropt(7, 0.0), pendulum().ropt(7, 2.0));
}

/// Quotients of the sizes of accepted steps, the last left out: it is cut.
fn quotients(call: &Call) -> Vec<f64> {
    let grid = &call.context.grid;
    grid[1..grid.len() - 1].windows(2).map(|w| w[1].h / w[0].h).collect()
}

fn facl() {
    same(pendulum().ropt(8, 0.0), pendulum().ropt(8, 8.0));
    for limit in [1.3, 8.0] {
        let call = pendulum().h(1e-7).ropt(8, limit).finish();
        let largest = quotients(&call).into_iter().fold(0.0, f64::max);
        assert!((largest - limit).abs() < 1e-9, "{largest} {limit}");
    }
}

fn facr() {
    same(front().ropt(9, 0.0), front().ropt(9, 0.2));
    let [soft, hard] = [0.2, 0.95].map(|facr| front().ropt(9, facr).finish());
    // Small reductions are not enough at a front: more of them are needed.
    assert!(hard.count(NERJCT) > 2 * soft.count(NERJCT), "{} {}", hard.count(NERJCT), soft.count(NERJCT));
}
