//! Method -1: where it goes over to Radau IIA and where not, what it promises across the change.
#![allow(clippy::expect_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, Order};
use geoms::solver::{Ending, Solver};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use geoms_problems::flexible_beam::FlexibleBeam;
use geoms_problems::{self as testset, derived, Problem};

fn problem(name: &str) -> Problem {
    testset::by_name(name).expect(name)
}

fn options(problem: &Problem, method: MethodKind) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    // The order of method 0 that method -1 takes.
    let order = if method == MethodKind::Radau { Order::Automatic } else { Order::Five };
    Options { method, order, mass: problem.mass, decompose_constraints: kind, ..Options::of_call() }
}

fn run(system: &mut dyn System, options: &Options, problem: &Problem, tol: f64) -> (Vec<f64>, Stats) {
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let tolerance = Tolerance::scalar(tol, tol);
    let run = Integration { system, observer: None, options, tolerance: &tolerance };
    let result = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats);
    result.unwrap_or_else(|f| panic!("{} {tol:e}: {f}", problem.name));
    (x, stats)
}

fn both(name: &str, tol: f64, other: MethodKind) -> [(Vec<f64>, Stats); 2] {
    let problem = problem(name);
    [MethodKind::Automatic, other].map(|method| {
        let mut system = problem.system(Form::StrangenessFree, true);
        run(&mut *system, &options(&problem, method), &problem, tol)
    })
}

fn error(known: &[(usize, f64)], x: &[f64], block: Block) -> f64 {
    let known: Vec<_> = known.iter().filter(|(i, _)| block.contains(*i)).collect();
    let size = known.iter().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
    known.iter().fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs())) / size
}

#[test]
fn errors_follow_the_tolerance_on_the_whole_problem_set() {
    let (mut runs, mut changed) = (0, 0);
    for problem in testset::all() {
        // A long run whose errors grow beyond the bound with every method.
        if problem.name == "pendulum-horizontal" {
            continue;
        }
        let Some(known) = problem.at_end() else { continue };
        let l = problem.layout(Form::StrangenessFree);
        for tol in [1e-4, 1e-6, 1e-9] {
            let mut system = problem.system(Form::StrangenessFree, true);
            let options = options(&problem, MethodKind::Automatic);
            let (x, stats) = run(&mut *system, &options, &problem, tol);
            let worst = error(&known, &x, l.x.p).max(error(&known, &x, l.x.v));
            assert!(worst < 1e4 * tol, "{} {tol:e}: {worst:e}", problem.name);
            assert_eq!(
                stats.ncrjct,
                stats.rejected_newton
                    + stats.rejected_singular
                    + stats.rejected_not_finite
                    + stats.rejected_by_model
            );
            runs += 1;
            changed += stats.stiffness_suspected;
        }
    }
    println!("count: method -1: {changed} of {runs} runs over the problem set changed the method");
    assert!(runs > 100 && changed > 5);
}

#[test]
fn nonstiff_problems_stay_with_the_half_explicit_method() {
    for name in [
        "andrews",
        "andrews-bodies",
        "pendulum-2.8",
        "pendulum-rotating",
        "bricard",
        "chain-10",
        "chain-unit-50",
        "chain-100",
        "car-axis",
        "slider-crank",
        "knife-edge",
        "coupler",
        "n-four-bar-1",
        "stiff-spring-1e2",
    ] {
        for tol in [1e-3, 1e-5, 1e-8] {
            let [automatic, explicit] = both(name, tol, MethodKind::HalfExplicit);
            assert_eq!(automatic, explicit, "{name} {tol:e}");
            assert_eq!((automatic.1.nedec, automatic.1.stiffness_suspected), (0, 0), "{name} {tol:e}");
        }
    }
}

/// The accepted step with which Radau IIA began.
fn change_at(problem: &Problem, tol: f64) -> u64 {
    let mut system = problem.system(Form::StrangenessFree, true);
    let tolerance = Tolerance::scalar(tol, tol);
    let start = (problem.t0, &problem.x0[..], 0.0);
    let options = options(problem, MethodKind::Automatic);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
    while solver.stats().nedec == 0 {
        assert!(solver.t() < problem.tend, "{} {tol:e} was not found to be stiff", problem.name);
        solver.step(&mut *system, problem.tend).expect("step");
    }
    solver.stats().naccpt
}

#[test]
fn stiff_problems_are_left_to_radau_early() {
    // Name, steps before the change, evaluations of EOM compared with method 0 of automatic order and with method 4.
    for (name, tol, before, with_radau, with_explicit) in [
        ("double-pendulum-stiff", 1e-3, 25, 2.0, 0.01),
        ("double-pendulum-stiff", 1e-8, 40, 2.5, 0.01),
        ("truck", 1e-3, 25, 3.5, 0.4),
        ("truck", 1e-5, 25, 2.0, 0.4),
        ("truck", 1e-8, 25, 2.0, 0.3),
        ("stiff-spring-1e6", 1e-3, 60, 1.5, 0.8),
        ("stiff-spring-1e8", 1e-3, 25, 1.2, 0.6),
        ("stiff-spring-1e8", 1e-5, 25, 1.5, 0.7),
    ] {
        let at = change_at(&problem(name), tol);
        assert!(at <= before, "{name} {tol:e}: after {at} steps");
        let problem = problem(name);
        let [automatic, radau, explicit] =
            [MethodKind::Automatic, MethodKind::Radau, MethodKind::HalfExplicit].map(|method| {
                let mut system = problem.system(Form::StrangenessFree, true);
                run(&mut *system, &options(&problem, method), &problem, tol).1
            });
        assert_eq!(automatic.stiffness_suspected, 1, "{name} {tol:e}");
        let (a, r, e) = (automatic.neom as f64, radau.neom as f64, explicit.neom as f64);
        println!("{name} {tol:e}: after {at} steps, EOM {a}, method 0 {r}, method 4 {e}");
        assert!(a < with_radau * r && a < with_explicit * e, "{name} {tol:e}: {a} {r} {e}");
    }
}

#[test]
fn a_flexible_beam_is_left_to_radau() {
    let make = || FlexibleBeam::new(5, 1e6, derived::Options::new(Form::StrangenessFree, true));
    let x0 = make().start().expect("start");
    let [automatic, radau] = [MethodKind::Automatic, MethodKind::Radau].map(|method| {
        let options = Options {
            method,
            order: Order::Automatic,
            mass: FlexibleBeam::MASS,
            consistent: true,
            ..Options::of_call()
        };
        let (mut t, mut x, mut h, mut stats) = (0.0, x0.clone(), 0.0, Stats::default());
        let (mut system, tolerance) = (make(), Tolerance::scalar(1e-3, 1e-3));
        let run =
            Integration { system: &mut system, observer: None, options: &options, tolerance: &tolerance };
        integrate(run, &mut t, &mut x, &mut h, 0.2, &mut stats).unwrap_or_else(|f| panic!("{f}"));
        (x, stats)
    });
    println!("flexible beam: EOM {} and {}", automatic.1.neom, radau.1.neom);
    assert_eq!(automatic.1.stiffness_suspected, 1);
    assert!(automatic.1.neom < 3 * radau.1.neom, "{} {}", automatic.1.neom, radau.1.neom);
}

#[test]
fn models_that_the_half_explicit_method_is_not_for_begin_with_radau() {
    let energy = derived::Options { invariants: true, ..derived::Options::new(Form::StrangenessFree, true) };
    type Change = fn(&mut Options);
    let cases: [(&str, derived::Options, Change); 4] = [
        ("andrews", derived::Options::new(Form::Index1, true), |o| o.form = Form::Index1),
        ("cycloid", derived::Options::new(Form::StrangenessFree, true), |_| {}),
        ("pendulum-rotating", energy, |_| {}),
        ("pendulum-2.8", derived::Options::new(Form::StrangenessFree, true), |o| o.fixed_step = true),
    ];
    for (name, model, change) in cases {
        let problem = problem(name);
        let [automatic, radau] = [MethodKind::Automatic, MethodKind::Radau].map(|method| {
            let mut options = options(&problem, method);
            change(&mut options);
            let mut system = problem.system_with(model.clone());
            let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.01, Stats::default());
            let tolerance = Tolerance::scalar(1e-6, 1e-6);
            let run = Integration {
                system: &mut *system,
                observer: None,
                options: &options,
                tolerance: &tolerance,
            };
            let result = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats);
            result.unwrap_or_else(|f| panic!("{name}: {f}"));
            (x, stats)
        });
        assert_eq!(automatic, radau, "{name}");
        assert!(automatic.1.nedec > 0 && automatic.1.stiffness_suspected == 0, "{name}");
    }
    // Without JAC, and with a mass matrix that is not definite, it shows at the first point.
    for (name, jacobian) in [("andrews", false), ("singular-mass", true)] {
        let problem = problem(name);
        let mut system = problem.system(Form::StrangenessFree, jacobian);
        let tolerance = Tolerance::scalar(1e-5, 1e-5);
        let options = options(&problem, MethodKind::Automatic);
        let start = (problem.t0, &problem.x0[..], 0.0);
        let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
        solver.step(&mut *system, problem.tend).expect("step");
        assert!(solver.stats().nedec > 0, "{name}");
    }
}

#[test]
fn stop_and_resume_is_bit_identical_at_every_step() {
    for (name, tol) in
        [("double-pendulum-stiff", 1e-5), ("truck", 1e-3), ("andrews", 1e-6), ("cycloid", 1e-5)]
    {
        let problem = problem(name);
        let options = options(&problem, MethodKind::Automatic);
        let tolerance = Tolerance::scalar(tol, tol);
        let mut system = problem.system(Form::StrangenessFree, true);
        let begin = |system: &mut dyn System| {
            let start = (problem.t0, &problem.x0[..], 0.0);
            Solver::start(system, &options, &tolerance, start).expect("start")
        };
        let mut whole = begin(&mut *system);
        let (mut states, mut points) = (vec![whole.save()], Vec::new());
        while whole.t() < problem.tend {
            whole.step(&mut *system, problem.tend).expect("step");
            points.push((whole.t(), whole.x().to_vec(), *whole.stats(), whole.h()));
            states.push(whole.save());
        }
        for (k, saved) in states[..points.len()].iter().enumerate() {
            let mut other = begin(&mut *system);
            other.restore(saved).expect("a state of the same run");
            // Far enough to cross the change from before it.
            for expected in points[k..].iter().take(4) {
                other.step(&mut *system, problem.tend).expect("step");
                let found = (other.t(), other.x().to_vec(), *other.stats(), other.h());
                assert_eq!(&found, expected, "{name}, saved at step {k}");
            }
            for length in [0, 7, saved.len() / 2, saved.len() - 1] {
                assert!(other.restore(&saved[..length]).is_err(), "{name}: {length} of {}", saved.len());
            }
        }
        // States of other methods belong to other options.
        let radau = Options { method: MethodKind::Radau, ..options.clone() };
        let start = (problem.t0, &problem.x0[..], 0.0);
        let foreign = Solver::start(&mut *system, &radau, &tolerance, start).expect("start").save();
        let refused = whole.restore(&foreign).expect_err("another method");
        assert!(refused.detail.contains("other options"), "{refused}");
    }
}

/// Vanishes at a time.
struct At(f64);

impl RootFunctions for At {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, t: f64, _x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = t - self.0;
        Outcome::Continue
    }
}

#[test]
fn output_and_events_around_the_change() {
    let problem = problem("truck");
    let options = options(&problem, MethodKind::Automatic);
    let tolerance = Tolerance::scalar(1e-5, 1e-5);
    let mut system = problem.system(Form::StrangenessFree, true);
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut grid = Vec::new();
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
    let mut observer = |step: &AcceptedStep<'_>| {
        // The polynomial joins the points, whichever method made it.
        let (mut a, mut b) = (vec![0.0; step.x.len()], vec![0.0; step.x.len()]);
        step.dense.all(step.t_old, &mut a);
        step.dense.all(step.t, &mut b);
        assert_eq!(b, step.x);
        grid.push((step.t, step.x.to_vec(), a));
        Outcome::Continue
    };
    solver.integrate(&mut *system, Some(&mut observer), None, problem.tend).expect("run");
    let l = problem.layout(Form::StrangenessFree);
    for pair in grid.windows(2).skip(1) {
        for i in l.x.v.range().chain(l.x.p.range()) {
            let (point, polynomial) = (pair[0].1[i], pair[1].2[i]);
            assert!((point - polynomial).abs() < 1e-6 * (1.0 + point.abs()), "t = {}: {i}", pair[0].0);
        }
    }
    let at = usize::try_from(change_at(&problem, 1e-5)).expect("small");
    // Terminal events within the last steps of the one method and the first ones of the other.
    for k in at - 3..at + 2 {
        let time = 0.4 * grid[k].0 + 0.6 * grid[k + 1].0;
        let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
        let rule = Rule { direction: Direction::Any, terminal: true };
        solver.watch(&mut At(time), &[rule], 0.0).expect("watch");
        let ending = solver.integrate(&mut *system, None, Some(&mut At(time)), problem.tend).expect("run");
        let Ending::Event(hit) = ending else { panic!("no event at {time}") };
        assert!((hit.t - time).abs() < 1e-12 * (1.0 + time) && solver.t() == hit.t, "{} {time}", hit.t);
        solver.integrate(&mut *system, None, None, problem.tend).expect("the rest");
        let known = problem.at_end().expect("known");
        assert!(error(&known, solver.x(), l.x.p) < 1e-5);
        assert_eq!(solver.stats().stiffness_suspected, 1);
    }
}
