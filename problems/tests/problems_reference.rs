//! The problems of the test set at TOL = 1e-10 against their references or closed forms, and the hard ones among them:
//! tolerances down to 1e-15, stiff springs, a badly scaled system, singular positions. Every measured error is printed
//! (`cargo test --release --test problems_reference -- --nocapture`).

#![allow(clippy::unwrap_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::AcceptedStep;
use geoms_problems::{by_name, Problem};

/// Largest errors of v and p relative to max(1, |value|).
#[derive(Debug)]
struct Errors {
    v: f64,
    p: f64,
}

fn run(problem: &Problem, form: Form, tol: f64, decomposition: DecompositionKind) -> Errors {
    let end = problem.at_end().unwrap();
    run_to(problem, form, tol, decomposition, (problem.tend, &end))
}

/// The same up to a given time, where the solution is known.
fn run_to(
    problem: &Problem,
    form: Form,
    tol: f64,
    decomposition: DecompositionKind,
    (tend, end): (f64, &[(usize, f64)]),
) -> Errors {
    let mut system = problem.system(form, true);
    let options = Options {
        form,
        mass: problem.mass,
        autonomous: !problem.time_dependent,
        decompose_constraints: decomposition,
        ..Options::of_call()
    };
    let tolerance = Tolerance::scalar(tol, tol);
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let start = std::time::Instant::now();
    let run =
        Integration { system: system.as_mut(), observer: None, options: &options, tolerance: &tolerance };
    integrate(run, &mut t, &mut x, &mut h, tend, &mut stats).unwrap();
    let layout = problem.layout(form);
    let mut errors = Errors { v: 0.0, p: 0.0 };
    for &(i, value) in end {
        let error = (x[i] - value).abs() / value.abs().max(1.0);
        if layout.x.p.contains(i) {
            errors.p = errors.p.max(error);
        } else if layout.x.v.contains(i) {
            errors.v = errors.v.max(error);
        }
    }
    println!(
        "{:22} {form:?} TOL={tol:.0e}: p {:.1e}, v {:.1e}; {} steps, {} Jacobians, {:.3} s",
        problem.name,
        errors.p,
        errors.v,
        stats.nstep(),
        stats.njac,
        start.elapsed().as_secs_f64()
    );
    errors
}

/// Both formulations with LU: p within 1e-8, v within 1e-6.
fn check(name: &str) {
    let problem = by_name(name).unwrap();
    for form in [Form::StrangenessFree, Form::Index1] {
        judge(&problem, &run(&problem, form, 1e-10, DecompositionKind::Lu));
    }
}

fn judge(problem: &Problem, errors: &Errors) {
    assert!(errors.p < 1e-8, "{}: p is wrong by {:e}", problem.name, errors.p);
    assert!(errors.v < 1e-6, "{}: v is wrong by {:e}", problem.name, errors.v);
}

#[test]
fn andrews_in_angles() {
    check("andrews");
}

#[test]
fn andrews_as_bodies() {
    check("andrews-bodies");
}

#[test]
fn car_axis() {
    check("car-axis");
}

#[test]
fn truck() {
    check("truck");
    check("truck-physical");
}

#[test]
fn bricard() {
    // Redundant constraints: only the strangeness-free formulation determines λ, and only with the SVD.
    let problem = by_name("bricard").unwrap();
    judge(&problem, &run(&problem, Form::StrangenessFree, 1e-10, DecompositionKind::Svd));
}

#[test]
fn chains() {
    for name in ["chain-10", "chain-unit-10", "chain-unit-50"] {
        check(name);
    }
}

#[test]
fn wheel() {
    check("wheel");
}

/// Both formulations, p and v, also where the tolerances of λ and v are below the rounding errors of a stiff force.
#[test]
fn stiff_springs() {
    for exponent in [2, 4, 6, 8] {
        let problem = by_name(&format!("stiff-spring-1e{exponent}")).unwrap();
        for form in [Form::StrangenessFree, Form::Index1] {
            let errors = run(&problem, form, 1e-8, DecompositionKind::Lu);
            assert!(errors.p < 1e-6 && errors.v < 1e-6, "1e{exponent} {form:?}: {errors:?}");
        }
    }
    for exponent in [2, 4, 6, 8] {
        check(&format!("stiff-spring-1e{exponent}"));
    }
    // Steps that follow rounding errors excite the spring: without their allowance in the differential rows v was
    // off by 1200 TOL after 62000 steps.
    let problem = by_name("stiff-spring-1e8").unwrap();
    for decomposition in [DecompositionKind::Lu, DecompositionKind::Svd] {
        let errors = run(&problem, Form::StrangenessFree, 1e-12, decomposition);
        assert!(errors.p < 1e-9 && errors.v < 1e-9, "{decomposition:?}: {errors:?}");
    }
}

/// Where closed forms are compared at the latest: errors of the period grow with the square of the time.
const SHORT: f64 = 5.0;

/// A problem with a closed form: p within 1e-8 with FORM=0.
fn check_closed_form(name: &str, decomposition: DecompositionKind) {
    let problem = by_name(name).unwrap();
    let tend = problem.tend.min(SHORT);
    let end: Vec<_> = problem.exact.as_ref().unwrap()(tend).into_iter().enumerate().collect();
    judge(&problem, &run_to(&problem, Form::StrangenessFree, 1e-10, decomposition, (tend, &end)));
}

#[test]
fn pendulums() {
    for name in ["2.8", "2.9", "horizontal", "rotating", "iftomm"] {
        check_closed_form(&format!("pendulum-{name}"), DecompositionKind::Lu);
    }
}

#[test]
fn nonholonomic_problems() {
    for name in ["knife-edge", "upright-disk", "leaning-disk", "nonholonomic-particle"] {
        check_closed_form(name, DecompositionKind::Lu);
    }
}

#[test]
fn feature_problems() {
    for name in ["rotating-rod", "friction-bead", "maxwell-element", "cycloid"] {
        check_closed_form(name, DecompositionKind::Lu);
    }
    // No closed form, but values at the end.
    let problem = by_name("singular-mass").unwrap();
    judge(&problem, &run(&problem, Form::StrangenessFree, 1e-10, DecompositionKind::Lu));
    // Redundant.
    check_closed_form("coupler", DecompositionKind::Svd);
}

/// Figure 8 of the report goes down to TOL = 1e-15. Its truck of 11 coordinates is not published; this is the one of
/// 9 coordinates, badly scaled as it is: λ is about -68000, p and v are 1e-4 ... 3. Forces of 1e5
/// with a rounding error of 1e-16 over masses of 1e3 leave v to about 1e-14, whatever the tolerance.
#[test]
fn truck_to_the_last_digit() {
    let problem = by_name("truck").unwrap();
    assert!(problem.x0[1] < -6e4, "λ is large");
    for tol in [1e-12, 1e-13, 1e-14, 1e-15] {
        let errors = run(&problem, Form::StrangenessFree, tol, DecompositionKind::Lu);
        let bound = 10.0 * tol + 1e-13;
        assert!(errors.p < bound && errors.v < bound, "TOL = {tol:e}: {errors:?}");
    }
}

/// Two parallelograms pass positions with singular constraints: until t = 10 the energy stays within orders of
/// magnitude of the limit of the benchmark, 0.1 J, and the positions are right, or the run ends with a code.
#[test]
fn four_bars_through_singular_positions() {
    let problem = by_name("n-four-bar-2-singular").unwrap();
    let (mut passed, mut refused) = (0, 0);
    for form in [Form::StrangenessFree, Form::Index1] {
        for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            for tol in [1e-6, 1e-8, 1e-10] {
                let end = four_bars(&problem, form, kind, tol);
                let what = format!("{form:?} {kind:?} {tol:e}: {end:?}");
                // Right as far as it came, and never a success that is wrong.
                assert!(end.energy < 1e-4 && end.p < 1e-4, "{what}");
                match end.code {
                    None => passed += 1,
                    Some(
                        Code::SingularConfiguration
                        | Code::NewtonDiverges
                        | Code::StepTooSmall
                        | Code::RankChanged,
                    ) => refused += 1,
                    Some(_) => panic!("{what}"),
                }
                assert!(end.code.is_none() || end.t > 0.7, "before the singular position: {what}");
            }
        }
    }
    println!("count: n-four-bar-2 to t=10: {passed} right, {refused} refused with a code");
}

/// How a run of the four bars ended: largest deviation of the energy on the way and error of p at the end.
#[derive(Debug)]
struct FourBars {
    code: Option<Code>,
    t: f64,
    energy: f64,
    p: f64,
}

fn four_bars(problem: &Problem, form: Form, kind: DecompositionKind, tol: f64) -> FourBars {
    let mut system = problem.system(form, true);
    let wanted = geoms_problems::Options { invariants: true, ..geoms_problems::Options::new(form, true) };
    let mut witness = problem.system_with(wanted);
    let layout = Layout::new(witness.dimensions(), form);
    let (mut rda, mut energy) = (vec![0.0; layout.m], 0.0f64);
    let mut observer = |step: &AcceptedStep<'_>| {
        let outcome = witness.eom(step.t, step.x, &mut rda);
        energy = energy.max(layout.rda.e.of(&rda)[0].abs());
        outcome
    };
    let options = Options { form, mass: problem.mass, decompose_constraints: kind, ..Options::of_call() };
    let tolerance = Tolerance::scalar(tol, tol);
    let (mut t, mut x, mut h, mut stats) = (0.0, problem.x0.clone(), 1e-3, Stats::default());
    let run = Integration {
        system: system.as_mut(),
        observer: Some(&mut observer),
        options: &options,
        tolerance: &tolerance,
    };
    let result = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats);
    let exact = problem.exact.as_ref().unwrap()(t);
    let p = layout.x.p.range().fold(0.0f64, |m, i| m.max((x[i] - exact[i]).abs()));
    let code = result.err().map(|f| f.code);
    println!("n-four-bar-2 {form:?} {kind:?} TOL={tol:.0e}: {code:?} at t={t:.4}, energy {energy:.1e} J, p {p:.1e}");
    FourBars { code, t, energy, p }
}

/// With conditions for v and p the multipliers of redundant constraints are found, of minimum norm.
#[test]
fn multipliers_of_redundant_constraints_are_found() {
    let problem = by_name("bricard").unwrap();
    let conditions = (5..15).map(|i| (i, problem.x0[i])).collect();
    let wanted =
        geoms_problems::Options { conditions, ..geoms_problems::Options::new(Form::StrangenessFree, true) };
    let mut system = problem.system_with(wanted);
    let options = Options { decompose_constraints: DecompositionKind::Svd, ..Options::of_call() };
    let tolerance = Tolerance::scalar(1e-10, 1e-10);
    let (mut t, mut x, mut h, mut stats) = (0.0, vec![0.0; 15], 0.0, Stats::default());
    let run =
        Integration { system: system.as_mut(), observer: None, options: &options, tolerance: &tolerance };
    integrate(run, &mut t, &mut x, &mut h, 0.0, &mut stats).unwrap();
    for (x, expected) in x.iter().zip(&problem.x0) {
        assert!((x - expected).abs() < 1e-9 * expected.abs().max(1.0), "{x} against {expected}");
    }
}
