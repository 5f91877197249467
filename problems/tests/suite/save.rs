//! A run that is saved and resumed goes on bit for bit; what is not a state of it is refused and changes nothing.

use crate::listed::{all, Listed};
use geoms::error::Code;
use geoms::layout::Form;
use geoms::options::Options;
use geoms::solver::Solver;
use geoms_problems::trial::problem;
use geoms_problems::Problem;

/// Up to so many steps.
fn advance(solver: &mut Solver, problem: &Problem, form: Form, steps: usize) {
    let mut system = problem.system(form, true);
    for _ in 0..steps {
        if solver.t() >= problem.tend || solver.step(&mut *system, problem.tend).is_err() {
            return;
        }
    }
}

/// On every problem that the method is for. A loose THET keeps the Jacobian of an earlier point, which is then part of the
/// state, and so is what PROJECT reports.
pub fn check(method: &Listed) {
    let mut cases = 0;
    for problem in geoms_problems::all() {
        for (form, thet, project) in
            [(Form::StrangenessFree, 0.001, 0), (Form::StrangenessFree, 0.5, 3), (Form::Index1, 0.5, 0)]
        {
            if !method.is_for(&problem, form) {
                continue;
            }
            let options = Options { thet, project, consistent: true, ..method.options(&problem, form) };
            let begin = || {
                let mut system = problem.system(form, true);
                method.start(&mut *system, &problem, &options, (method.tol, 1e-4))
            };
            // Some models are refused at the start (friction without gII, M that is not definite).
            let Ok(mut whole) = begin() else { continue };
            advance(&mut whole, &problem, form, 40);
            let mut first = begin().expect("as before");
            advance(&mut first, &problem, form, 17);
            if first.stats().naccpt == 0 {
                continue;
            }
            let mut second = begin().expect("as before");
            second.restore(&first.save()).expect("a state of the same run");
            let what = format!("{} {} {form:?} {thet}", method.name, problem.name);
            assert_eq!(second.x(), first.x(), "{what}");
            advance(&mut second, &problem, form, 23);
            assert_eq!(second.x(), whole.x(), "{what}");
            assert_eq!(second.stats(), whole.stats(), "{what}");
            assert_eq!((second.t(), second.h()), (whole.t(), whole.h()), "{what}");
            assert_eq!(second.last_step().dense.contx, whole.last_step().dense.contx, "{what}");
            cases += 1;
        }
    }
    println!("count: {}: {cases} runs saved and resumed", method.name);
    assert!(cases > 15, "{cases}");
}

pub fn damaged(method: &Listed) {
    for name in ["pendulum-2.8", "andrews"] {
        let problem = problem(name);
        let form = Form::StrangenessFree;
        let options = Options { thet: 0.5, ..method.options(&problem, form) };
        let mut system = problem.system(form, true);
        let mut solver =
            method.start(&mut *system, &problem, &options, (method.tol, 1e-5)).expect(method.name);
        advance(&mut solver, &problem, form, 10);
        let saved = solver.save();
        for length in (0..saved.len()).step_by(7) {
            let failure = solver.restore(&saved[..length]).expect_err("too short");
            assert_eq!(failure.code, Code::BadArgument, "{} {name}", method.name);
        }
        assert_eq!(solver.save(), saved, "{} {name}: as before", method.name);
        // A state of another method is not one of this.
        for other in all().iter().filter(|o| o.in_options && o.features.kind != method.features.kind) {
            let options = other.options(&problem, form);
            let mut stranger =
                other.start(&mut *system, &problem, &options, (other.tol, 1e-5)).expect(other.name);
            let failure = stranger.restore(&saved).expect_err("another method");
            assert_eq!(failure.code, Code::BadArgument, "{} to {}", method.name, other.name);
        }
    }
}
