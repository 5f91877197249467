//! Every code that can be reached, provoked.

use crate::harness::{bits, Call, Who};
use crate::made::{linear, scalar, Made};
use crate::messages::Unit;
use geoms::capi::boundary::guarded;
use geoms::error::{Code, Origin, CODES};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::System;
use geoms_problems::derived;

fn pendulum() -> Call {
    Call::problem("pendulum-2.8").tend(0.5)
}

/// The swinging pendulum with its energy imposed, which loses its rank where the pendulum turns.
fn swinging_with_energy() -> Call {
    let options = derived::Options { invariants: true, ..derived::Options::new(Form::StrangenessFree, true) };
    Call::problem_with("pendulum-2.8", options).tend(5.0)
}

/// Negative IERR of a subroutine at its k-th call.
fn stopped(call: Call, who: Who, k: u64) -> Call {
    call.hook(move |event| {
        if event.who == who && event.number == k {
            *event.ierr = -1;
        }
    })
}

/// FX`block` of the pendulum becomes zero behind t = 0.2.
fn zero_block(block: usize) -> Call {
    pendulum().hook(move |event| {
        if event.who == Who::Jac && event.t > 0.2 {
            event.out[block - 1].fill(0.0);
        }
    })
}

/// Conditions on components of the pendulum, and its λ and v2 wrong at the start.
fn conditions(conditions: Vec<(usize, f64)>) -> Call {
    let options = derived::Options { conditions, ..derived::Options::new(Form::StrangenessFree, true) };
    let mut call = Call::problem_with("pendulum-2.8", options).tend(0.5);
    (call.x[0], call.x[2]) = (1.0, 0.3);
    call
}

/// One mass without mass and without force: E1 and E2 are zero in a row.
fn massless() -> Call {
    let dims = Dimensions { np: 1, nv: 1, ..Dimensions::default() };
    let made = linear(dims, Form::StrangenessFree, vec![0.0, 1.0, 0.0, 0.0], vec![0.0, 0.0]);
    Call::of(made.mass(|_, _, m| m[0] = 0.0).boxed(), &[0.0, 1.0], 0.0, 1.0)
}

/// Two constraints p1 = 0 and p1 + a·p2 = 0 on a mass at rest: redundant for a = 0. From t = 0.5 on `a` may be
/// another number in FX1, in FX2 and in FX3.
fn duplicate(a: [f64; 3]) -> Call {
    let dims = Dimensions { np: 2, nv: 2, nl: 2, ..Dimensions::default() };
    let made = Made::new(dims, |_, x, rda| {
        rda.fill(0.0);
        rda[6] = -x[0] - x[1];
        rda[8] = x[2];
        rda[9] = x[3];
    })
    .jac(move |t, _, fx| {
        let [a1, a2, a3] = if t < 0.5 { [0.0; 3] } else { a };
        // G G^T for FX1, -G for the others.
        fx.fx[0][..4].copy_from_slice(&[1.0, 1.0, 1.0, 1.0 + a1 * a1]);
        fx.fx[1][..4].copy_from_slice(&[-1.0, -1.0, 0.0, -a2]);
        fx.fx[2].copy_from_slice(&[-1.0, -1.0, 0.0, -a3]);
        fx.fx[4][..4].copy_from_slice(&[1.0, 0.0, 1.0, a1]);
        fx.fx[5][..4].copy_from_slice(&[-1.0, 0.0, 0.0, -1.0]);
    });
    Call::of(made.boxed(), &[0.0; 6], 0.0, 1.0).iopt(11, 3).ropt(7, 0.2)
}

/// A point on the unit circle whose p1 is driven as t, and an oscillator beside it: nothing is possible beyond t = 1.
fn driven_beyond_its_circle() -> Call {
    let dims = Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() };
    let made = Made::new(dims, |t, x, rda| {
        let [l1, l2, v1, v2, v3, p1, p2, p3] = std::array::from_fn(|i| x[i]);
        let f = [-l1 * p1 - l2, -1.0 - l1 * p2, -p3];
        let square = v1 * v1 + v2 * v2;
        let rows = [square + p1 * f[0] + p2 * f[1], f[0], p1 * v1 + p2 * v2, v1 - 1.0];
        rda[..4].copy_from_slice(&rows);
        rda[4..].copy_from_slice(&[0.5 * (p1 * p1 + p2 * p2 - 1.0), p1 - t, f[0], f[1], f[2], v1, v2, v3]);
    });
    Call::of(made.boxed(), &[2.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 1.0], 0.0, 2.0)
}

/// NR force elements that are never looked at: the work space does not exist.
fn enormous() -> Call {
    let nr = 2_000_000;
    let mut call = Call::of(scalar(|_, _| 0.0, |_, _| 0.0).boxed(), &[0.0], 0.0, 1.0).iopt(17, 1);
    (call.dims[2], call.n, call.m) = (nr, nr, nr);
    call.x = vec![0.0; nr as usize];
    call
}

/// A run that ends with this code, if the code can be provoked through the call.
fn provoke(code: Code) -> Option<Call> {
    let wrong_start = |system: Made| Call::of(system.boxed(), &[1.0], 0.0, 1.0).iopt(17, 1);
    let one = |nw, nr| Dimensions { nw, nr, ..Dimensions::default() };
    Some(match code {
        Code::BadArgument => pendulum().iopt(11, 4),
        Code::NegativeIdid => {
            let mut call = pendulum();
            call.idid = -1;
            call
        }
        Code::OutOfMemory => enormous(),
        Code::StoppedBySolout => stopped(pendulum(), Who::Solout, 5),
        Code::StoppedByEom => stopped(pendulum(), Who::Eom, 100),
        Code::StoppedByMas => stopped(pendulum(), Who::Mas, 60),
        Code::StoppedByJac => stopped(pendulum(), Who::Jac, 6),
        Code::InconsistentInitialValues => {
            let mut call = pendulum();
            call.x[4] = -1.1;
            call
        }
        Code::TendBeforeT => pendulum().tend(-1.0),
        Code::EomNotEvaluable => {
            let root = |t: f64, r: f64| -1.0 / (2.0 * r.max(0.0).sqrt()) + 0.0 * t;
            Call::of(scalar(|_, r| -r.sqrt() - 0.5, root).boxed(), &[1.0], 0.0, 5.0)
        }
        Code::QrOfNewtonMatrix => massless().iopt(12, 1),
        Code::SingularNewtonMatrix => massless(),
        // A Newton matrix of the wrong sign, at a point that is not a solution.
        Code::NewtonDiverges => {
            let made = Made::new(one(1, 0), |_, x, rda| rda[0] = x[0] - 3.0);
            wrong_start(made.jac(|_, _, fx| fx.fx[0][0] = 1.0))
        }
        Code::TooManySteps => pendulum().iopt(6, 7),
        // r = 1/(1-t).
        Code::StepTooSmall => Call::of(scalar(|_, r| r * r, |_, r| 2.0 * r).boxed(), &[1.0], 0.0, 2.0),
        Code::ModelContradiction => {
            // Velocities that violate gI, taken as they are.
            let mut call = pendulum().iopt(17, 1).iopt(16, 1).iopt(26, 1).iopt(27, 2);
            call.x[1] += 0.1;
            call.x[2] += 0.1;
            call
        }
        Code::Lockup => driven_beyond_its_circle(),
        Code::StoppedByEomInDifferences => {
            let options = derived::Options::new(Form::StrangenessFree, false);
            let call = Call::problem_with("pendulum-2.8", options).tend(0.5).ropt(3, -1.0);
            // Differences move one component by a root of the rounding unit; no stage does.
            let mut last = [f64::NAN; 5];
            call.hook(move |event| {
                if event.who == Who::Eom {
                    let equal = event.x.iter().zip(&last).filter(|(a, b)| a == b).count();
                    last.copy_from_slice(event.x);
                    if equal >= 3 && event.t > 0.1 {
                        *event.ierr = -1;
                    }
                }
            })
        }
        Code::Fx1DeficientLu => Call::problem("coupler"),
        Code::Fx1DeficientQr => Call::problem("coupler").iopt(11, 2),
        Code::Fx2DeficientLu => swinging_with_energy(),
        Code::Fx2DeficientQr => swinging_with_energy().iopt(11, 2),
        Code::Fx3DeficientLu => zero_block(3),
        Code::Fx3DeficientQr => zero_block(3).iopt(11, 2),
        Code::StoppedByEomInInitialValues => stopped(pendulum(), Who::Eom, 1),
        Code::StoppedByIvcond => stopped(conditions(vec![(1, 2.8), (3, 0.0)]), Who::Ivcond, 2),
        Code::ContradictoryConditions => conditions(vec![(1, 2.8), (3, 2.0)]),
        // r² = -1.
        Code::InitialValuesDiverge => {
            let made = scalar(|_, r| -r, |_, _| -1.0).cond(1, |_, x, cond| cond[0] = x[0] * x[0] + 1.0);
            Call::of(made.boxed(), &[0.7], 0.0, 1.0)
        }
        Code::TooFewConditions => conditions(vec![(1, 2.8)]),
        Code::RankChanged => duplicate([1.0; 3]),
        Code::SingularConfiguration => Call::problem("n-four-bar-2-singular"),
        Code::DeficiencyFx2 => duplicate([0.0, 1.0, 0.0]),
        Code::DeficiencyFx3 => duplicate([0.0, 0.0, 1.0]),
        Code::RedundantIndex1 => {
            // One constraint twice, whose multipliers push in different directions.
            let dims = Dimensions { np: 2, nv: 2, nl: 2, ..Dimensions::default() };
            let made = Made::new(dims, |_, x, rda| {
                rda.fill(0.0);
                rda[4..].copy_from_slice(&[-x[0], -x[1], x[2], x[3]]);
            });
            let made = made.form(Form::Index1).jac(|_, _, fx| {
                fx.fx[1][..4].copy_from_slice(&[-1.0, -1.0, 0.0, 0.0]);
                fx.fx[2].copy_from_slice(&[-1.0, -1.0, 0.0, 0.0]);
                fx.fx[4][..4].copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
                fx.fx[5][..4].copy_from_slice(&[-1.0, 0.0, 0.0, -1.0]);
            });
            Call::of(made.boxed(), &[0.0; 6], 0.0, 1.0).iopt(11, 3)
        }
        _ => return None,
    })
}

/// What the caller finds afterwards: the last point that SOLOUT was told of, or the data as they were.
fn check_point(call: &Call, code: Code, start: &(Vec<f64>, f64)) {
    match call.context.grid.last() {
        Some(last) => {
            assert_eq!((bits(&call.x), call.t), (bits(&last.x), last.t), "{code:?}");
        }
        None => assert_eq!((bits(&call.x), call.t), (bits(&start.0), start.1), "{code:?}"),
    }
    assert!(call.x.iter().all(|v| v.is_finite()), "{code:?}");
}

#[test]
fn every_reachable_code() {
    let mut cases = 0;
    let reference = pendulum().finish().returned();
    // What the legacy call does not have: see tests/solver.rs, tests/handle and tests/gluing.
    let elsewhere = [
        Code::StopRequested,
        Code::RootFunctionFailed,
        Code::InUse,
        Code::NotReady,
        Code::StoppedByParts,
        Code::PeerLost,
        Code::InterfaceSingular,
        Code::StoppedByPort,
        Code::NotGlueable,
    ];
    let reachable: Vec<Code> = CODES
        .iter()
        .copied()
        .filter(|c| c.origin() != Origin::Unreachable && !elsewhere.contains(c))
        .collect();
    for &code in &reachable {
        if code == Code::Internal {
            // Not by the call: a panic that leaves a subroutine ends the process. See below.
            continue;
        }
        let mut call = provoke(code).unwrap_or_else(|| panic!("no case for {code:?}"));
        let start = (call.x.clone(), call.t);
        assert_eq!(call.run(), i64::from(code.idid()), "{code:?}, T = {}", call.t);
        check_point(&call, code, &start);
        assert_eq!(pendulum().finish().returned(), reference, "the call after {code:?}");
        cases += 1;
    }
    println!("count: idid codes: {cases} of {} reachable ones provoked through the call", reachable.len());
}

#[test]
fn the_same_codes_behind_the_start() {
    // These end in the middle of a run: T has moved, and X with it.
    for code in [
        Code::StoppedBySolout,
        Code::StoppedByEom,
        Code::StoppedByMas,
        Code::StoppedByJac,
        Code::EomNotEvaluable,
        Code::TooManySteps,
        Code::StepTooSmall,
        Code::StoppedByEomInDifferences,
        Code::Fx2DeficientLu,
        Code::Fx2DeficientQr,
        Code::Fx3DeficientLu,
        Code::Fx3DeficientQr,
        Code::RankChanged,
        Code::DeficiencyFx2,
        Code::DeficiencyFx3,
    ] {
        let mut call = provoke(code).unwrap();
        call.run();
        assert!(call.t > 0.0 && call.context.grid.len() > 1, "{code:?}: T = {}", call.t);
    }
}

#[test]
fn a_failed_run_can_be_continued() {
    let whole = pendulum().finish();
    let mut call = pendulum().iopt(6, 7);
    let mut calls = 0;
    while call.run() == i64::from(Code::TooManySteps.idid()) {
        call.idid = 0;
        calls += 1;
        assert!(calls < 20);
    }
    assert_eq!((call.idid, call.t), (0, 0.5));
    assert!(calls > 1 && call.x.iter().zip(&whole.x).all(|(a, b)| (a - b).abs() < 1e-4));
}

/// A panic cannot come out of an `extern "C"` subroutine, so the guard around the call is tried by itself, on a run
/// of the library whose model panics in its 40th evaluation.
#[test]
fn a_panic_becomes_a_code() {
    let reference = pendulum().finish().returned();
    let mut evaluations = 0;
    let made = scalar(|_, r| -r, |_, _| -1.0);
    let dims = made.dimensions();
    let mut system = Made::new(dims, move |_, x, rda| {
        evaluations += 1;
        assert!(evaluations < 40, "deliberately");
        rda[0] = -x[0];
    });
    let (options, tolerance) = (Options::of_call(), Tolerance::scalar(1e-6, 1e-6));
    let run = Integration { system: &mut system, observer: None, options: &options, tolerance: &tolerance };
    let result = guarded(move || {
        let (mut t, mut x, mut h, mut stats) = (0.0, [1.0], 1e-3, Stats::default());
        integrate(run, &mut t, &mut x, &mut h, 10.0, &mut stats).map_err(|f| f.code)
    });
    assert_eq!(result, Err(Code::Internal));
    assert_eq!(pendulum().finish().returned(), reference);
}

/// With constant steps a singular matrix ends the run at once, with the code of its decomposition.
#[test]
fn singular_matrices_by_decomposition() {
    for (decomposition, code) in [(0, Code::SingularNewtonMatrix), (1, Code::QrOfNewtonMatrix)] {
        let mut call = massless().iopt(12, decomposition).extended(19, 1);
        assert_eq!(call.run(), i64::from(code.idid()));
    }
}

/// The callback that returns NaN, or a positive number, is the one that is named.
#[test]
fn what_cannot_be_evaluated_is_named_whatever_the_method() {
    for method in [0, 1, 2, 3, 4, -1] {
        for (who, name, code) in [
            (Who::Mas, "MAS", Code::StoppedByMas),
            (Who::Jac, "JAC", Code::StoppedByJac),
            (Who::Eom, "EOM", Code::EomNotEvaluable),
        ] {
            let call = || {
                let unit = Unit::new();
                (pendulum().iopt(2, unit.0).extended(18, method), unit)
            };
            let (call_nan, unit) = call();
            let mut call_nan = call_nan.hook(move |event| {
                if event.who == who && event.t > 0.2 {
                    event.spoil(f64::NAN);
                }
            });
            assert_eq!(call_nan.run(), i64::from(code.idid()), "{name}, method {method}: {}", unit.text());
            let (positive, unit) = call();
            let mut positive = positive.extended(20, 1).hook(move |event| {
                if event.who == who && event.t > 0.2 {
                    *event.ierr = 1;
                }
            });
            assert_eq!(positive.run(), i64::from(Code::EomNotEvaluable.idid()), "{name}, method {method}");
            let said = unit.text();
            let named = format!("last: {name} asked for a smaller step with a positive return");
            assert!(said.contains(&named), "{name}, method {method}: {said}");
        }
    }
}
