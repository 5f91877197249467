//! Default runs of the handle: none with a slip that changes the motion ends in silence, and none without one is warned about.

use super::handle::Solver;
use super::named::initial;
use super::slips::{cases, Case, Plant};
use geoms::layout::Form;
use geoms::options::MassStructure;
use geoms_problems::{self as testset, Problem};

const TOL: f64 = 1e-6;

fn structure(s: MassStructure) -> i64 {
    match s {
        MassStructure::Full => 1,
        MassStructure::Diagonal => 2,
        MassStructure::ConstantFull => 3,
        MassStructure::ConstantDiagonal => 4,
    }
}

/// The end of the run without the slip.
fn right(case: &Case) -> Option<Vec<f64>> {
    let problem = case.problem();
    let system: Box<dyn geoms::system::System + Send> = match case.plant {
        Plant::Geared(_) => Box::new(super::geared::Geared(None)),
        _ => problem.system(case.form, true),
    };
    let solver = Solver::new(system, case.form);
    solver.set("masstrct", structure(problem.mass));
    let (t, x) = match case.plant {
        Plant::Unit => (problem.t0, problem.x0.clone()),
        _ => initial(case),
    };
    (solver.start(t, &x) == 0 && solver.integrate(tend(&problem)) == 0).then(|| solver.state())
}

fn tend(problem: &Problem) -> f64 {
    problem.tend.min(problem.t0 + 5.0)
}

#[test]
fn no_slip_changes_the_motion_in_silence() {
    let (mut silent, mut warned, mut failed, mut harmless, mut explained) = (Vec::new(), 0, 0, 0, 0);
    let mut codes = std::collections::BTreeMap::new();
    for case in cases() {
        let problem = case.problem();
        let solver = Solver::new(case.system(), case.form);
        solver.set("masstrct", structure(case.structure()));
        solver.set("nmax", 3000);
        let (t, x) = initial(&case);
        let code = match solver.start(t, &x) {
            0 => solver.integrate(tend(&problem)),
            code => code,
        };
        let name = format!("{} {}", case.model, case.name);
        if code != 0 {
            failed += 1;
            *codes.entry(code).or_insert(0) += 1;
            let report = solver.error().3;
            if report.contains("check: ") || !solver.warnings().is_empty() {
                explained += 1;
            } else {
                println!("not explained: {name}: {report}");
            }
            continue;
        }
        let end = solver.state();
        let Some(reference) = right(&case) else { panic!("{name}: the right model fails") };
        // Positions are last, and velocities before them.
        let n = problem.dimensions.np;
        let pairs = end.iter().rev().zip(reference.iter().rev()).take(n);
        let off = pairs.fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
        let told = !solver.warnings().is_empty();
        match (off > 100.0 * TOL, told) {
            (true, false) => silent.push(format!("{name}: off by {:.1e} TOL", off / TOL)),
            (true, true) => warned += 1,
            (false, _) => harmless += 1,
        }
    }
    println!("{warned} warned, {failed} failed ({explained} with a finding), {harmless} without effect on the motion; codes {codes:?}");
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn right_models_are_not_warned_about() {
    let mut wrong = Vec::new();
    let mut runs = 0;
    for problem in testset::all() {
        if problem.x0.len() > 100 || problem.name == "pendulum-horizontal" || problem.rank_deficient {
            continue;
        }
        for form in [Form::StrangenessFree, Form::Index1] {
            for jacobian in [true, false] {
                if (form == Form::Index1 && problem.redundant) || (!jacobian && problem.x0.len() > 40) {
                    continue;
                }
                let solver = Solver::new(problem.system(form, jacobian), form);
                solver.set("masstrct", structure(problem.mass));
                solver.set("decompc", if problem.redundant { 3 } else { 1 });
                runs += 1;
                let code = match solver.start(problem.t0, &problem.x0) {
                    0 => solver.integrate(problem.tend),
                    code => code,
                };
                if code != 0 {
                    wrong.push(format!("{} {form:?} {jacobian}: {}", problem.name, solver.error().3));
                }
                let heard = solver.behind.said.join("\n");
                if !solver.warnings().is_empty() {
                    wrong.push(format!("{} {form:?} {jacobian}: {heard}", problem.name));
                }
            }
        }
    }
    println!("{runs} runs");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inconsistent_velocities_that_are_taken_as_they_are_are_named() {
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let solver = Solver::new(problem.system(Form::StrangenessFree, true), Form::StrangenessFree);
    solver.set("ivcnsst", 1);
    let mut x = problem.x0.clone();
    x[1] += 0.1;
    x[2] += 0.1;
    assert_eq!(solver.start(problem.t0, &x), 0);
    let warnings = solver.warnings();
    assert!(warnings.len() == 1 && warnings[0].starts_with("gI(1)"), "{warnings:?}");
    // As a failure.
    assert_eq!(solver.set("watch", 2), 0);
    assert_eq!(solver.start(problem.t0, &x), -1120);
    assert!(solver.error().1.starts_with("gI(1)"), "{:?}", solver.error());
    // And not at all.
    assert_eq!((solver.set("watch", 0), solver.set("check", 0)), (0, 0));
    assert_eq!(solver.start(problem.t0, &x), 0);
    assert!(solver.warnings().is_empty());
}
