//! METHOD=-2: parts that a model supplies are used, where that is sound, and nothing gets
//! worse by it.
#![allow(clippy::expect_used, clippy::panic)]

mod supplied;

use geoms::decompose::DecompositionKind;
use geoms::error::Failure;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MethodKind, Options, StageMultipliers, WatchLevel};
use geoms::solver::Solver;
use geoms::stats::Stats;
use geoms::system::{Parts, System};
use geoms_problems::{self as testset, Problem};
use supplied::{Part, Supplied};

fn problem(name: &str) -> Problem {
    testset::by_name(name).expect(name)
}

/// What a user chooses who chooses nothing but what the model needs.
fn options(problem: &Problem) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    Options { mass: problem.mass, decompose_constraints: kind, nmax: 300_000, ..Options::default() }
}

struct Run {
    x: Vec<f64>,
    stats: Stats,
}

fn run(system: &mut dyn System, options: &Options, problem: &Problem, tol: f64) -> Result<Run, Failure> {
    let tolerance = Tolerance::scalar(tol, tol);
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut solver = Solver::start(system, options, &tolerance, start)?;
    solver.integrate(system, None, None, problem.tend)?;
    Ok(Run { x: solver.x().to_vec(), stats: *solver.stats() })
}

fn error(problem: &Problem, x: &[f64]) -> f64 {
    problem.error_at_end(x).expect("reference")
}

/// Problems whose models may supply parts: p' = v, f and Cᵀ as the method takes them.
fn suited() -> Vec<Problem> {
    let of_interest =
        |p: &Problem| Parts::suit(&p.dimensions) && p.dimensions.ni == 0 && p.at_end().is_some();
    testset::all().into_iter().filter(of_interest).filter(|p| p.x0.len() < 120).collect()
}

fn radau(options: &Options) -> Options {
    Options { method: MethodKind::Radau, ..options.clone() }
}

/// Method 0 with gII and hI at every stage.
fn plain_radau(options: &Options) -> Options {
    Options { stage_multipliers: StageMultipliers::Constraints, ..radau(options) }
}

/// Errors with parts are at most twice those of method 0 at the same tolerance.
#[test]
fn parts_make_no_error_larger() {
    let (mut runs, mut explicit, mut larger) = (0, 0, Vec::new());
    for problem in suited() {
        for tol in [1e-4, 1e-6, 1e-8] {
            let chosen = options(&problem);
            let [(with, stats), (without, _)] = [chosen.clone(), plain_radau(&chosen)].map(|options| {
                let mut system = Supplied::new(&problem, Form::StrangenessFree);
                let run = run(&mut system, &options, &problem, tol)
                    .unwrap_or_else(|f| panic!("{} {tol:e} {:?}: {f}", problem.name, options.method));
                (error(&problem, &run.x), run.stats)
            });
            runs += 1;
            explicit += u32::from(stats.nedec == 0);
            // What changes the method within the run has other steps from there on.
            let bound =
                if stats.stiffness_suspected > 0 { (2.0 * without).max(0.1 * tol) } else { 2.0 * without };
            if with > bound {
                larger.push(format!("{} {tol:e}: {with:.1e} for {without:.1e}", problem.name));
            }
        }
    }
    println!("count: {runs} runs with parts, {explicit} half-explicit to the end");
    assert!(runs > 40 && explicit > 20 && larger.is_empty(), "{larger:?}");
}

/// Without parts, or with what the half-explicit method is not for, it is method 0 bit for bit.
#[test]
fn all_others_are_method_0() {
    for name in ["andrews", "slider-crank", "truck", "friction-bead", "maxwell-element", "n-four-bar-2"] {
        let problem = problem(name);
        let chosen = options(&problem);
        let [a, b] = [chosen.clone(), radau(&chosen)].map(|options| {
            run(&mut *problem.system(Form::StrangenessFree, true), &options, &problem, 1e-6).expect(name)
        });
        assert_eq!((a.x, a.stats), (b.x, b.stats), "{name}");
    }
    let problem = problem("slider-crank");
    for (form, fixed_step, h) in [(Form::Index1, false, 0.0), (Form::StrangenessFree, true, 1e-3)] {
        let chosen = Options { form, fixed_step, ..options(&problem) };
        let ends = [chosen.clone(), radau(&chosen)].map(|options| {
            let mut system = Supplied::new(&problem, form);
            let (tolerance, start) = (Tolerance::scalar(1e-6, 1e-6), (problem.t0, &problem.x0[..], h));
            let mut solver = Solver::start(&mut system, &options, &tolerance, start).expect("start");
            solver.integrate(&mut system, None, None, problem.t0 + 0.1).expect("run");
            assert_eq!(system.asked, 0);
            (solver.x().to_vec(), *solver.stats())
        });
        assert_eq!(ends[0], ends[1]);
    }
}

/// At rest at the start: method 0 from the first step, the look costs three evaluations.
#[test]
fn what_begins_at_rest_is_left_to_radau() {
    for name in ["truck", "truck-physical", "singular-mass"] {
        let problem = problem(name);
        let chosen = options(&problem);
        for tol in [1e-2, 1e-4, 1e-8] {
            let [a, b] = [chosen.clone(), radau(&chosen)].map(|options| {
                let mut system = Supplied::new(&problem, Form::StrangenessFree);
                run(&mut system, &options, &problem, tol).expect(name)
            });
            assert_eq!(a.x, b.x, "{name} {tol:e}");
            assert_eq!((a.stats.nedec, a.stats.naccpt), (b.stats.nedec, b.stats.naccpt), "{name} {tol:e}");
            assert!(a.stats.neom <= b.stats.neom + 3, "{name} {tol:e}: {} {}", a.stats.neom, b.stats.neom);
        }
    }
}

/// And what turns out to be stiff later, with the order of the options.
#[test]
fn what_becomes_stiff_goes_over() {
    let problem = problem("double-pendulum-stiff");
    let mut system = Supplied::new(&problem, Form::StrangenessFree);
    let end = run(&mut system, &options(&problem), &problem, 1e-6).expect("run");
    assert_eq!(end.stats.stiffness_suspected, 1);
    assert!(end.stats.nedec > 0 && error(&problem, &end.x) < 1e-6);
}

/// In the memory of a run that was something else, and resumed from a saved state at any time.
#[test]
fn runs_are_started_again_and_resumed_bit_for_bit() {
    for name in ["slider-crank", "coupler", "truck", "double-pendulum-stiff", "rotating-rod"] {
        let problem = problem(name);
        for method in [MethodKind::ByModel, MethodKind::Automatic, MethodKind::HalfExplicit] {
            let options = Options { method, ..options(&problem) };
            let tolerance = Tolerance::scalar(1e-6, 1e-6);
            let start = (problem.t0, &problem.x0[..], 0.0);
            let mut system = Supplied::new(&problem, Form::StrangenessFree);
            let mut used = Solver::start(&mut system, &options, &tolerance, start).expect("start");
            let advance = |solver: &mut Solver, system: &mut Supplied, steps: u32| {
                for _ in 0..steps {
                    if solver.t() < problem.tend {
                        solver.step(system, problem.tend).unwrap_or_else(|f| panic!("{name}: {f}"));
                    }
                }
                (solver.x().to_vec(), solver.t(), solver.h(), *solver.stats())
            };
            let new = advance(&mut used, &mut system, 30);
            advance(&mut used, &mut system, 10);
            let mut again = used.start_again(&mut system, &options, &tolerance, start).expect("again");
            assert_eq!(again.stats().naccpt, 0);
            for part in [0, 3, 22] {
                advance(&mut again, &mut system, part);
                let saved = again.save();
                again = Solver::resume(&mut system, &options, &tolerance, &saved).expect("resumed");
            }
            assert_eq!(advance(&mut again, &mut system, 5), new, "{name} {method:?}");
        }
    }
}

/// A model that was found clear is not asked for its parts' agreement again, with the same run; said to have changed, it is.
#[test]
fn parts_that_agreed_are_not_compared_again() {
    let problem = problem("slider-crank");
    let (options, tolerance) = (options(&problem), Tolerance::scalar(1e-6, 1e-6));
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut system = Supplied::new(&problem, Form::StrangenessFree);
    let mut solver = Solver::start(&mut system, &options, &tolerance, start).expect("start");
    solver.integrate(&mut system, None, None, problem.tend).expect("run");
    let (end, asked) = (solver.x().to_vec(), system.asked);
    let mut solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
    assert_eq!((system.asked, solver.stats().eom_for_checks), (asked, 0));
    solver.integrate(&mut system, None, None, problem.tend).expect("run");
    assert_eq!((solver.x(), solver.stats().nedec), (&end[..], 0));
    solver.distrust();
    system.wrong = Some(Part::Force);
    let mut solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
    solver.integrate(&mut system, None, None, problem.tend).expect("run");
    assert!(solver.stats().nedec > 0, "contradictory parts were used");
}

/// Parts that contradict EOM or MAS are not used, though the slip does not show at rest, and the checks name them.
#[test]
fn wrong_parts_are_not_used() {
    let problem = problem("slider-crank");
    let chosen = options(&problem);
    let right = run(&mut *problem.system(Form::StrangenessFree, true), &radau(&chosen), &problem, 1e-6)
        .expect("method 0");
    for (wrong, name) in Part::ALL.into_iter().zip(["f", "M", "C", "gamma", "gI", "g"]) {
        let unchecked = Options { check: CheckLevel::Off, watch: WatchLevel::Off, ..chosen.clone() };
        for options in [&chosen, &unchecked] {
            let mut system = Supplied::new(&problem, Form::StrangenessFree);
            system.wrong = Some(wrong);
            let (tolerance, start) = (Tolerance::scalar(1e-6, 1e-6), (problem.t0, &problem.x0[..], 0.0));
            let mut solver = Solver::start(&mut system, options, &tolerance, start).expect("start");
            solver
                .integrate(&mut system, None, None, problem.tend)
                .unwrap_or_else(|f| panic!("{wrong:?}: {f}"));
            let counted = |s: &Stats| (s.naccpt, s.neom, s.njac, s.nedec, s.half_explicit_steps);
            assert_eq!(
                (solver.x(), counted(solver.stats())),
                (&right.x[..], counted(&right.stats)),
                "{wrong:?}"
            );
            let said = solver.take_warnings();
            if options.check == CheckLevel::Off {
                assert_eq!((system.asked, said.len()), (1, 0), "{wrong:?}: {said:?}");
            } else {
                let named = said.iter().any(|text| text.contains("PARTS: ") && text.contains(name));
                assert!(named, "{wrong:?}: {said:?}");
            }
        }
    }
    let mut system = Supplied::new(&problem, Form::StrangenessFree);
    let end = run(&mut system, &chosen, &problem, 1e-6).expect("right parts");
    assert!(end.stats.half_explicit_steps == end.stats.naccpt && end.stats.warnings == 0);
}
