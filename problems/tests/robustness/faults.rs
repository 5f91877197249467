//! Faults in the subroutines: every subroutine, every call of a short run.

use crate::harness::{bits, Call, Event, Returned, Who, NACCPT, NCRJCT, NERJCT, NSTEP, SUBROUTINES};
use crate::tally::Tally;
use geoms::error::Code;
use geoms::layout::Form;
use geoms_problems::derived;

/// What goes wrong at call k.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// IERR = -1.
    Stop,
    /// One entry of the output at this call only.
    Once(f64),
    /// One entry from this call on.
    FromThenOn(f64),
    /// IERR = 1 at this call, with IOPT(20)=1.
    RecoverOnce,
    /// IERR = 1 from this call on, with IOPT(20)=1.
    RecoverNever,
    /// IERR = 1 without IOPT(20).
    Ignored,
}

const FAULTS: [Fault; 8] = [
    Fault::Stop,
    Fault::Once(f64::NAN),
    Fault::Once(f64::INFINITY),
    Fault::FromThenOn(f64::NAN),
    Fault::FromThenOn(f64::NEG_INFINITY),
    Fault::RecoverOnce,
    Fault::RecoverNever,
    Fault::Ignored,
];

impl Fault {
    fn inject(self, k: u64, event: &mut Event<'_, '_>) {
        let (here, later) = (event.number == k, event.number >= k);
        match self {
            Fault::Stop if here => *event.ierr = -1,
            Fault::Once(value) if here => event.spoil(value),
            Fault::FromThenOn(value) if later => event.spoil(value),
            Fault::RecoverOnce | Fault::Ignored if here => *event.ierr = 1,
            Fault::RecoverNever if later => *event.ierr = 1,
            _ => {}
        }
    }

    fn spoils(self) -> bool {
        matches!(self, Fault::Once(_) | Fault::FromThenOn(_))
    }

    fn persists(self) -> bool {
        matches!(self, Fault::FromThenOn(_) | Fault::RecoverNever)
    }
}

/// The calls before the first SOLOUT: those of the initial values and of the starting step.
#[derive(Clone, Copy, Debug, Default)]
struct Prelude {
    calls: [u64; 5],
    /// EOM calls among them that belong to the correction of the initial values.
    initial_eom: u64,
}

struct Run {
    name: &'static str,
    make: fn() -> Call,
}

fn pendulum(jacobian: bool) -> Call {
    let options = derived::Options::new(Form::StrangenessFree, jacobian);
    Call::problem_with("pendulum-2.8", options).tend(0.25).tol(1e-5).h(0.02)
}

fn everything() -> Call {
    let conditions = vec![(1, 2.8), (3, 0.0)];
    let options = derived::Options { conditions, ..derived::Options::new(Form::StrangenessFree, true) };
    let mut call = Call::problem_with("pendulum-2.8", options).tend(0.15).tol(1e-5).h(0.0);
    // λ and v2 are wrong and have to be found.
    (call.x[0], call.x[2]) = (1.0, 0.3);
    call
}

const RUNS: [Run; 13] = [
    Run { name: "JAC", make: || pendulum(true) },
    Run { name: "differences", make: || pendulum(false) },
    Run { name: "all subroutines", make: everything },
    Run { name: "mass of positions", make: || Call::problem("andrews").tend(2e-3).tol(1e-4).h(1e-4) },
    Run { name: "redundant, SVD", make: || Call::problem("coupler").tend(0.3).tol(1e-4).h(0.02).iopt(11, 3) },
    Run { name: "NWTMAT=2", make: || pendulum(true).iopt(9, 2) },
    Run { name: "NWTUPD=1", make: || pendulum(true).iopt(10, 1).iopt(3, 3) },
    Run { name: "FORM=1, QR", make: || form_one().iopt(11, 2).iopt(12, 1) },
    Run { name: "constant steps", make: || pendulum(true).extended(19, 1) },
    Run { name: "HHT", make: || pendulum(true).extended(18, 1) },
    Run { name: "HHT, differences, M(p)", make: || hht("andrews", false).tend(2e-3).h(1e-4) },
    Run { name: "HHT, projected, s", make: || hht("cycloid", true).tend(0.2).h(0.02).extended(22, 3) },
    Run { name: "HHT, Z(p)", make: || hht("top-nutating", true).tend(0.1).h(0.01).extended(23, 1) },
];

fn hht(name: &str, jacobian: bool) -> Call {
    let options = derived::Options::new(Form::StrangenessFree, jacobian);
    Call::problem_with(name, options).tol(1e-4).extended(18, 1)
}

fn form_one() -> Call {
    let options = derived::Options::new(Form::Index1, true);
    Call::problem_with("pendulum-2.8", options).tend(0.2).tol(1e-4).h(0.02)
}

fn prepared(run: &Run) -> Call {
    let mut call = (run.make)().iopt(6, 300);
    call.context.cap = 20_000;
    call
}

/// What every return must satisfy, whatever happened.
fn check_return(call: &Call, start: &Call, label: &str) {
    let idid = call.idid;
    assert!(call.x.iter().all(|v| v.is_finite()), "{label}: X = {:?}", call.x);
    assert!(call.h.is_finite(), "{label}: H = {}", call.h);
    let steps = call.count(NACCPT) + call.count(NERJCT) + call.count(NCRJCT);
    assert_eq!(call.count(NSTEP), steps, "{label}: IWORK");
    match call.context.grid.last() {
        Some(last) => {
            assert_eq!(bits(&call.x), bits(&last.x), "{label}: X is not the last point of SOLOUT");
            assert_eq!(call.t.to_bits(), last.t.to_bits(), "{label}: T is not the last point of SOLOUT");
            assert_eq!(call.count(NACCPT), last.naccpt, "{label}: NACCPT");
        }
        None => {
            assert_eq!(call.t.to_bits(), start.t.to_bits(), "{label}: T");
            assert_eq!(call.count(NACCPT), 0, "{label}: NACCPT");
            // Nothing was accepted. Only a failure behind the correction may return its result.
            if idid < -2000 && idid > -2200 {
                assert_eq!(bits(&call.x), bits(&start.x), "{label}: X");
            }
        }
    }
}

/// The codes that a stop by this subroutine may have; `early` = before the first SOLOUT.
fn stop_codes(who: Who, k: u64, prelude: &Prelude, differences: bool) -> Vec<Code> {
    match who {
        Who::Ivcond => vec![Code::StoppedByIvcond],
        Who::Eom if k <= prelude.initial_eom => vec![Code::StoppedByEomInInitialValues],
        Who::Eom if differences => vec![Code::StoppedByEom, Code::StoppedByEomInDifferences],
        Who::Eom => vec![Code::StoppedByEom],
        Who::Mas => vec![Code::StoppedByMas],
        Who::Jac => vec![Code::StoppedByJac],
        Who::Solout => vec![Code::StoppedBySolout],
    }
}

/// What IDID must be, beyond being documented.
fn check_code(
    run: &Run,
    who: Who,
    fault: Fault,
    (k, last): (u64, u64),
    prelude: &Prelude,
    call: &Call,
    label: &str,
) {
    let code = Code::from_idid(call.idid);
    let differences = call.ijac == 0;
    let early = k <= prelude.calls[who as usize];
    let stops = stop_codes(who, k, prelude, differences);
    match fault {
        Fault::Stop => assert!(code.is_some_and(|c| stops.contains(&c)), "{label}: {code:?}"),
        // SOLOUT has nothing to spoil and cannot ask for a smaller step.
        _ if who == Who::Solout => assert_eq!(code, None, "{label}"),
        // A correction that leads where IVCOND has no value is halved: the first call behind each difference
        // Jacobian (2·N calls) is such a trial.
        Fault::Once(_) | Fault::RecoverOnce if who == Who::Ivcond => {
            let trial = k > 1 && (k - 1) % (2 * call.x.len() as u64 + 1) == 0;
            assert_eq!(code, if trial { None } else { Some(Code::StoppedByIvcond) }, "{label}");
        }
        _ if who == Who::Ivcond => assert_eq!(code, Some(Code::StoppedByIvcond), "{label}"),
        // A second evaluation at the same point repairs it.
        Fault::Once(_) if who != Who::Eom => assert_eq!(code, None, "{label}"),
        Fault::FromThenOn(_) if who != Who::Eom => assert_eq!(code, Some(stops[0]), "{label}"),
        // The given point itself has no residual.
        _ if who == Who::Eom && k == 1 => {
            assert_eq!(code, Some(Code::StoppedByEomInInitialValues), "{label}")
        }
        // Behind the last step only the multipliers of redundant constraints are left: there is no step to shorten.
        Fault::RecoverNever if run.name == "redundant, SVD" && who != Who::Eom && k == last => {
            assert_eq!(code, None, "{label}");
        }
        _ if early => {
            let allowed =
                [None, Some(stops[0]), Some(Code::StoppedByEomInInitialValues), Some(Code::EomNotEvaluable)];
            assert!(allowed.contains(&code), "{label}: {code:?}");
        }
        _ if fault.persists() || run.name == "constant steps" => {
            assert_eq!(code, Some(Code::EomNotEvaluable), "{label}");
        }
        // A smaller step leads on.
        _ => assert_eq!(code, None, "{label}"),
    }
}

fn reference(run: &Run) -> (Call, Returned, Prelude) {
    let mut call = prepared(run);
    let prelude = std::sync::Arc::new(std::sync::Mutex::new(Prelude::default()));
    let seen = prelude.clone();
    let mut calls = [0; 5];
    call = call.hook(move |event| {
        calls[event.who as usize] = event.number;
        if event.who == Who::Solout && event.number == 1 {
            seen.lock().unwrap().calls = calls;
        }
    });
    assert_eq!(call.run(), 0, "{}", run.name);
    let mut prelude = *prelude.lock().unwrap();
    // Without H one EOM call before the first SOLOUT belongs to the starting step.
    prelude.initial_eom = prelude.calls[Who::Eom as usize] - u64::from(prepared(run).h <= 0.0);
    let returned = call.returned();
    (call, returned, prelude)
}

/// All faults of one subroutine in one run; returns the number of cases.
fn all_faults(run: &Run) -> u64 {
    let (clean, expected, prelude) = reference(run);
    let mut tally = Tally::default();
    for who in SUBROUTINES {
        let last = clean.context.calls[who as usize];
        for k in 1..=last {
            for fault in FAULTS {
                if fault.spoils() && who == Who::Solout {
                    continue;
                }
                if !tally.takes_next() {
                    continue;
                }
                let label = format!("{}: {who:?} call {k}, {fault:?}", run.name);
                let start = prepared(run);
                let mut call = prepared(run);
                if matches!(fault, Fault::RecoverOnce | Fault::RecoverNever) {
                    call = call.extended(20, 1);
                }
                call = call.hook(move |event| {
                    if event.who == who {
                        fault.inject(k, event);
                    }
                });
                tally.run(&mut call, &label);
                check_return(&call, &start, &label);
                if fault == Fault::Ignored {
                    assert_eq!(call.returned(), expected, "{label}");
                } else {
                    check_code(run, who, fault, (k, last), &prelude, &call, &label);
                }
                if call.idid == 0 {
                    assert_eq!(call.t.to_bits(), call.tend.to_bits(), "{label}: T");
                }
                // Nothing of the failed call is left behind.
                let mut next = prepared(run);
                next.run();
                assert_eq!(next.returned(), expected, "{label}: the next call");
            }
        }
    }
    tally.finish("faults", &format!(" ({})", run.name))
}

macro_rules! runs {
    ($($test:ident = $i:literal)*) => { $(
        #[test]
        fn $test() {
            assert!(all_faults(&RUNS[$i]) > 100);
        }
    )* };
}

runs! {
    jacobian = 0
    differences = 1
    all_subroutines = 2
    mass_of_positions = 3
    redundant = 4
    reference_point = 5
    updates = 6
    index_one = 7
    constant_steps = 8
    hht_pendulum = 9
    hht_differences = 10
    hht_projected = 11
    hht_general_kinematics = 12
}

/// Noise in the output of EOM, with a recorded seed: no code but a documented one, and nothing non-finite.
#[test]
fn noise() {
    let mut tally = Tally::default();
    for seed in 0..200u64 {
        for size in [1e-12, 1e-6, 1e-2, 1e3] {
            if !tally.takes_next() {
                continue;
            }
            let mut random = crate::fuzz::Random::new(seed + 1);
            let mut call = prepared(&RUNS[(seed % RUNS.len() as u64) as usize]).hook(move |event| {
                if event.who != Who::Solout {
                    let noise = size * (random.unit() - 0.5);
                    let place = random.below(1000) as usize;
                    for out in event.out.iter_mut().filter(|out| !out.is_empty()) {
                        let i = place % out.len();
                        out[i] += noise;
                    }
                }
            });
            let start = prepared(&RUNS[(seed % RUNS.len() as u64) as usize]);
            let label = format!("noise {size:e}, seed {seed}");
            tally.run(&mut call, &label);
            check_return(&call, &start, &label);
        }
    }
    assert_eq!(tally.finish("noise", " (seeds 0..200)"), 800);
}
