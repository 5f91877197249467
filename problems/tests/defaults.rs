//! What the handle and Rust programs begin with: right on the whole problem set, in both formulations, with and without JAC,
//! and less work than with the defaults of the call.
#![allow(clippy::expect_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms_problems::{self as testset, Problem};

/// Largest error of positions and velocities in units of TOL, and the counters, if the run gets through.
fn run(problem: &Problem, base: Options, jacobian: bool, tol: f64) -> Option<(f64, Stats)> {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    let options = Options { mass: problem.mass, decompose_constraints: kind, ..base };
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let mut system = problem.system(options.form, jacobian);
    let tolerance = Tolerance::scalar(tol, tol);
    let work = Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
    integrate(work, &mut t, &mut x, &mut h, problem.tend, &mut stats).ok()?;
    let known = problem.at_end().expect("reference");
    let error = |block: Block| {
        let known: Vec<_> = known.iter().filter(|(i, _)| block.contains(*i)).collect();
        let size = known.iter().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
        known.iter().fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs())) / size
    };
    let l = problem.layout(options.form);
    Some((error(l.x.p).max(error(l.x.v)) / tol, stats))
}

#[test]
fn they_are_right_on_the_whole_problem_set() {
    let (mut runs, mut stopped, mut worst) = (0, Vec::new(), (0.0, String::new()));
    for problem in testset::all() {
        // 1000 s, over which the errors of every method grow beyond the bound.
        if problem.name == "pendulum-horizontal" || problem.at_end().is_none() {
            continue;
        }
        for form in [Form::StrangenessFree, Form::Index1] {
            if form == Form::Index1 && problem.redundant {
                continue;
            }
            for jacobian in [true, false] {
                let large = problem.x0.len() > 40;
                if large && !jacobian {
                    continue; // differences of large systems take long and have nothing new
                }
                for &tol in if jacobian && !large { &[1e-4, 1e-6, 1e-9][..] } else { &[1e-6] } {
                    let base = Options { form, ..Options::default() };
                    let Some((error, _)) = run(&problem, base, jacobian, tol) else {
                        stopped.push(problem.name.clone());
                        continue;
                    };
                    if error > worst.0 {
                        worst = (error, format!("{} {form:?} {jacobian} {tol:e}", problem.name));
                    }
                    assert!(
                        error < 1e3,
                        "{} {form:?} JAC {jacobian}: {error:.0} TOL at {tol:e}",
                        problem.name
                    );
                    runs += 1;
                }
            }
        }
    }
    println!(
        "count: {runs} runs with the defaults of the handle, the worst {:.0} TOL ({})",
        worst.0, worst.1
    );
    // Singular positions are passed.
    stopped.dedup();
    assert!(stopped.is_empty(), "{stopped:?}");
    assert!(runs > 200);
}

/// Evaluations by the defaults of the handle over those by the call's, at tolerances where the former come out as accurate.
#[test]
fn they_need_fewer_evaluations_than_those_of_the_call() {
    let mut ratios = Vec::new();
    for problem in testset::all() {
        if problem.at_end().is_none() || problem.name == "pendulum-horizontal" {
            continue;
        }
        let Some((_, call)) = run(&problem, Options::of_call(), true, 1e-8) else { continue };
        let Some((_, ours)) = run(&problem, Options::default(), true, 1e-8) else {
            panic!("{} is solved with the call's defaults", problem.name);
        };
        let work = |s: &Stats| (s.neom + s.nmas + s.njac) as f64;
        ratios.push(work(&ours) / work(&call));
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!(
        "count: evaluations with the defaults of the handle, median of {}: {median:.2} of the call's",
        ratios.len()
    );
    assert!(median < 0.8, "{ratios:?}");
}
