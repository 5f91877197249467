//! No false alarm on the problem library, in all forms, at consistent and at random points.

use geoms::check::check_model;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms_problems::{self as testset, derived, Problem};

fn options(problem: &Problem, form: Form) -> Options {
    Options { mass: problem.mass, form, ..Options::default() }
}

/// The ways in which a problem is presented: both forms, with and without JAC, with invariants.
fn presentations(problem: &Problem) -> Vec<derived::Options> {
    let mut ways = Vec::new();
    for form in [Form::StrangenessFree, Form::Index1] {
        for jacobian in [true, false] {
            ways.push(derived::Options { invariants: jacobian, ..derived::Options::new(form, jacobian) });
        }
    }
    if problem.x0.len() > 100 {
        ways.truncate(2);
        ways.remove(0);
    }
    ways
}

#[test]
fn the_problem_library_raises_no_alarm() {
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let (mut checks, mut wrong) = (0, Vec::new());
    let mut seed = 12345u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let only = std::env::var("GEOMS_PROBLEM").ok();
    for problem in testset::all().iter().filter(|p| only.as_ref().is_none_or(|o| *o == p.name)) {
        for way in presentations(problem) {
            let form = way.form;
            let mut system = problem.system_with(way.clone());
            let mut points = vec![(problem.t0, problem.x0.clone())];
            let trials = if problem.x0.len() > 100 { 0 } else { 4 };
            for k in 0..trials {
                let size = [1e-3, 0.05, 0.3, 1.0][k];
                let x = problem.x0.iter().map(|x| x + size * random() * (x.abs() + 0.1)).collect();
                let t = if problem.time_dependent { [0.3, 7.0, 1e4, 1e6][k] } else { problem.t0 };
                points.push((t, x));
            }
            for (t, x) in points {
                checks += 1;
                match check_model(&mut *system, &options(problem, form), &tolerance, t, &x) {
                    Ok(report) if report.findings.is_empty() => {}
                    Ok(report) => {
                        wrong.push(format!("{} {form:?} {} t = {t}:\n{report}", problem.name, way.jacobian));
                    }
                    Err(failure) => wrong.push(format!("{} {form:?}: {failure}", problem.name)),
                }
            }
        }
    }
    println!("{checks} checks of {} problems", testset::all().len());
    assert!(wrong.is_empty(), "{} false alarms\n{}", wrong.len(), wrong.join("\n"));
}
