//! Transformations of a problem that leave its motion alone. No reference solution is needed.

use super::harness::{difference, run};
use super::transformed::{Doubled, Factors, Renumbered, Units};
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms_problems::trial::drive;
use geoms_problems::{self as testset, Problem};

const SMOOTH: [&str; 8] = [
    "pendulum-2.9",
    "knife-edge",
    "upright-disk",
    "nonholonomic-particle",
    "n-four-bar-2",
    "andrews",
    "double-pendulum",
    "slider-crank",
];

fn problem(name: &str) -> Problem {
    testset::by_name(name).expect("a problem of the test set")
}

fn options(problem: &Problem, form: Form) -> Options {
    Options { mass: problem.mass, form, consistent: true, ..Options::of_call() }
}

/// At most two seconds of a problem.
fn end(problem: &Problem) -> f64 {
    problem.tend.min(2.0)
}

#[test]
fn units_change_only_exponents() {
    // Powers of two scale without rounding. Only the order of pivots in E1, E2 sees the units of its rows, so the
    // numbers agree below the tolerance and the steps are the same.
    let units = Factors { length: 1024.0, multiplier: 0.125, force: 64.0, constraint: 0.25, clock: 4.0 };
    for name in SMOOTH {
        let p = problem(name);
        for form in [Form::StrangenessFree, Form::Index1] {
            for jacobian in [true, false] {
                // Multipliers of index 2 are weighted by h (FORM=1), which has a unit: the clock stays.
                let clock = if form == Form::Index1 { 1.0 } else { units.clock };
                let factors = Factors { clock, ..units };
                let options = options(&p, form);
                let tol = 1e-7;
                let plain = run(
                    &mut *p.system(form, jacobian),
                    &options,
                    &Tolerance::scalar(tol, tol),
                    (p.t0, end(&p), 1e-4),
                    &p.x0,
                );
                let mut units = Units::new(p.system(form, jacobian), factors);
                let x0: Vec<f64> = p.x0.iter().zip(&units.state).map(|(x, d)| x * d).collect();
                let tolerance = Tolerance {
                    rtol: vec![tol; x0.len()],
                    atol: units.state.iter().map(|d| tol * d).collect(),
                };
                let span = (p.t0 * factors.clock, end(&p) * factors.clock, 1e-4 * factors.clock);
                let scaled = run(&mut units, &options, &tolerance, span, &x0);
                let back: Vec<f64> = scaled.x.iter().zip(&units.state).map(|(x, d)| x / d).collect();
                assert_eq!(plain.idid(), 0, "{name} {form:?}");
                assert_eq!(plain.stats.naccpt, scaled.stats.naccpt, "{name} {form:?} {jacobian}");
                let layout = p.layout(form);
                for block in [layout.x.p, layout.x.v] {
                    let d = difference(block, &back, &plain.x);
                    assert!(d < 0.1 * tol, "{name} {form:?} {jacobian}: {d:e}");
                }
            }
        }
    }
}

#[test]
fn time_has_no_origin() {
    for name in SMOOTH {
        let p = problem(name);
        if p.time_dependent {
            continue;
        }
        let (options, tol) = (options(&p, Form::StrangenessFree), 1e-8);
        let run_from = |t0: f64| {
            let span = (t0, t0 + end(&p), 1e-4);
            run(
                &mut *p.system(Form::StrangenessFree, true),
                &options,
                &Tolerance::scalar(tol, tol),
                span,
                &p.x0,
            )
        };
        let (early, late) = (run_from(0.0), run_from(64.0));
        let layout = p.layout(Form::StrangenessFree);
        for block in [layout.x.p, layout.x.v] {
            let d = difference(block, &late.x, &early.x);
            assert!(d < 100.0 * tol, "{name}: {d:e}");
        }
    }
}

#[test]
fn numbering_does_not_matter() {
    for name in SMOOTH {
        let p = problem(name);
        for form in [Form::StrangenessFree, Form::Index1] {
            let (options, tol) = (options(&p, form), 1e-8);
            let tolerance = Tolerance::scalar(tol, tol);
            let span = (p.t0, end(&p), 1e-4);
            let plain = run(&mut *p.system(form, true), &options, &tolerance, span, &p.x0);
            let mut turned = Renumbered::new(p.system(form, true));
            let x0 = turned.swap(&p.x0);
            let other = run(&mut turned, &options, &tolerance, span, &x0);
            assert_eq!(other.idid(), 0, "{name} {form:?}");
            let back = turned.swap(&other.x);
            let layout = p.layout(form);
            for block in [layout.x.p, layout.x.v] {
                let d = difference(block, &back, &plain.x);
                assert!(d < 200.0 * tol, "{name} {form:?}: {d:e}");
            }
        }
    }
}

#[test]
fn a_constraint_stated_twice_changes_nothing() {
    for name in ["pendulum-2.9", "n-four-bar-2", "andrews", "double-pendulum", "slider-crank"] {
        let p = problem(name);
        let form = Form::StrangenessFree;
        let options = Options { decompose_constraints: DecompositionKind::Svd, ..options(&p, form) };
        let tol = 1e-8;
        let tolerance = Tolerance::scalar(tol, tol);
        let span = (p.t0, end(&p), 1e-4);
        let plain = run(&mut *p.system(form, true), &options, &tolerance, span, &p.x0);
        let mut doubled = Doubled::new(p.system(form, true));
        let (x0, new, old) = (doubled.start(&p.x0), doubled.layout(), p.layout(form));
        let other = run(&mut doubled, &options, &tolerance, span, &x0);
        assert_eq!(other.idid(), 0, "{name}: {}", other.result.expect_err("failure"));
        for (a, b) in [(new.x.p, old.x.p), (new.x.v, old.x.v)] {
            let size = b.of(&plain.x).iter().fold(1.0f64, |m, v| m.max(v.abs()));
            for (x, y) in a.of(&other.x).iter().zip(b.of(&plain.x)) {
                assert!((x - y).abs() < 100.0 * tol * size, "{name}: {x} {y}");
            }
        }
        // Minimum norm: both copies carry the same.
        let lambda = new.x.lambda.of(&other.x);
        let (first, last) = (lambda[0], lambda[lambda.len() - 1]);
        assert!((first - last).abs() < 1e-9 * first.abs().max(1.0), "{name}: {first} {last}");
    }
}

#[test]
fn a_restart_goes_on() {
    for name in SMOOTH {
        let p = problem(name);
        let (options, tol) = (options(&p, Form::StrangenessFree), 1e-8);
        let tolerance = Tolerance::scalar(tol, tol);
        let mut system = p.system(Form::StrangenessFree, true);
        let mut points = Vec::new();
        let whole = drive(&mut *system, &options, &tolerance, (p.t0, &p.x0, 1e-4, end(&p)), |step| {
            points.push((step.t, step.x.to_vec()));
        });
        let (t, x) = &points[points.len() / 2];
        let rest = run(&mut *system, &options, &tolerance, (*t, end(&p), 1e-4), x);
        assert_eq!(rest.idid(), 0, "{name}");
        let layout = p.layout(Form::StrangenessFree);
        for block in [layout.x.p, layout.x.v] {
            let d = difference(block, &rest.x, &whole.x);
            assert!(d < 100.0 * tol, "{name}: {d:e}");
        }
    }
}
