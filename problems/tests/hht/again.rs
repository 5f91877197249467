//! Calls that go on from what method 1 has returned: gI and gII are off there by the errors of the method.

use crate::harness::options;
use geoms::error::{Code, Failure};
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{Family, Options};
use geoms::stats::Stats;
use geoms_problems::{self as testset, Problem};

/// One call.
fn call(
    problem: &Problem,
    options: &Options,
    tol: f64,
    x: &mut [f64],
    span: [f64; 2],
    h: &mut f64,
) -> Result<(), Failure> {
    let mut system = problem.system(options.form, true);
    let tolerance = Tolerance::scalar(tol, tol);
    let mut t = span[0];
    let run = Integration { system: &mut *system, observer: None, options, tolerance: &tolerance };
    integrate(run, &mut t, x, h, span[1], &mut Stats::default())
}

/// A loop over TEND, on every problem that one call gets through.
#[test]
fn a_loop_over_the_final_time() {
    let (mut loops, mut refused) = (0, Vec::new());
    for problem in testset::all().iter().filter(|p| p.x0.len() < 60) {
        for (tol, project, form) in
            [(1e-3, 0, 0), (1e-4, 1, 1), (1e-5, 2, 0), (1e-6, 0, 0), (1e-6, 1, 0), (1e-7, 0, 1)]
        {
            let form = [Form::StrangenessFree, Form::Index1][form];
            let family = if project == 1 { Family::GeneralizedAlpha } else { Family::Hht };
            let options = Options { project, family, form, consistent: false, ..options(problem) };
            let end = problem.t0 + 0.1 * (problem.tend - problem.t0);
            let mut whole = problem.x0.clone();
            if call(problem, &options, tol, &mut whole, [problem.t0, end], &mut 0.0).is_err() {
                continue;
            }
            let (mut x, mut h) = (problem.x0.clone(), 0.0);
            loops += 1;
            for k in 0..8 {
                let at = |k: i32| problem.t0 + (end - problem.t0) * f64::from(k) / 8.0;
                if let Err(failure) = call(problem, &options, tol, &mut x, [at(k), at(k + 1)], &mut h) {
                    refused.push(format!(
                        "{} {tol:e} {project} {form:?} call {}: {failure}",
                        problem.name,
                        k + 1
                    ));
                    break;
                }
            }
        }
    }
    println!("{loops} loops");
    assert!(refused.is_empty() && loops > 100, "{} of {loops}:\n{}", refused.len(), refused.join("\n"));
}

/// What is off by more than the method's errors is refused, and what is off by less begins on gI = 0.
#[test]
fn only_its_own_errors_are_forgiven() {
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let (options, tol) = (Options { consistent: false, ..options(&problem) }, 1e-6);
    // λ, v, p of a pendulum of length 1.
    for (i, off, allowed) in [(0, 3.0, true), (2, 3e-4, true), (2, 1e-2, false), (4, 1e-3, false)] {
        let mut x = problem.x0.clone();
        x[i] += off;
        let ended = call(&problem, &options, tol, &mut x, [problem.t0; 2], &mut 0.0);
        let code = ended.as_ref().err().map(|failure| failure.code);
        assert_eq!(code, (!allowed).then_some(Code::InconsistentInitialValues), "x[{i}] + {off}");
        if allowed {
            assert!((x[3] * x[1] + x[4] * x[2]).abs() < 1e-9, "{x:?}");
            assert!((x[0] - problem.x0[0]).abs() < 1e-3, "{x:?}");
        }
    }
}
