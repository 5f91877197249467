//! Driving a run step by step: stop and resume, events, stop requests.
#![allow(clippy::expect_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::{Ending, Solver};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome};
use geoms::testset::{self, pendulum, Problem};

fn options(problem: &Problem, form: Form) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    Options { mass: problem.mass, form, decompose_constraints: kind, ..Options::default() }
}

/// Up to `steps` steps; true if the end was reached.
fn advance(solver: &mut Solver, problem: &Problem, form: Form, steps: usize) -> bool {
    let mut system = problem.system(form, true);
    for _ in 0..steps {
        if solver.t() >= problem.tend || solver.step(&mut *system, problem.tend).is_err() {
            return true;
        }
    }
    solver.t() >= problem.tend
}

#[test]
fn stop_and_resume_is_bit_identical_on_every_problem() {
    let mut cases = 0;
    for problem in testset::all() {
        for form in [Form::StrangenessFree, Form::Index1] {
            for thet in [0.001, 0.5] {
                let options = Options { thet, consistent: true, ..options(&problem, form) };
                let tolerance = Tolerance::scalar(1e-6, 1e-6);
                let begin = || {
                    let mut system = problem.system(form, true);
                    Solver::start(&mut *system, &options, &tolerance, (problem.t0, &problem.x0, 1e-4))
                        .expect("start")
                };
                let mut whole = begin();
                advance(&mut whole, &problem, form, 60);
                let mut first = begin();
                advance(&mut first, &problem, form, 23);
                if first.stats().naccpt == 0 {
                    continue; // refused: redundant constraints with FORM=1
                }
                let saved = first.save();
                let mut second = begin();
                second.restore(&saved).expect("a state of the same run");
                assert_eq!(second.x(), first.x());
                advance(&mut second, &problem, form, 37);
                assert_eq!(second.x(), whole.x(), "{} {form:?} {thet}", problem.name);
                assert_eq!(second.stats(), whole.stats(), "{} {form:?} {thet}", problem.name);
                assert_eq!((second.t(), second.h()), (whole.t(), whole.h()), "{}", problem.name);
                cases += 1;
            }
        }
    }
    println!("solver: {cases} runs stopped and resumed");
    assert!(cases > 100);
}

#[test]
fn a_damaged_state_is_refused_and_changes_nothing() {
    let problem = testset::by_name("andrews").expect("problem");
    let form = Form::StrangenessFree;
    let options = Options { thet: 0.5, ..options(&problem, form) };
    let mut system = problem.system(form, true);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let start = (problem.t0, &problem.x0[..], 1e-5);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
    advance(&mut solver, &problem, form, 10);
    let saved = solver.save();
    for length in 0..saved.len() {
        if let Err(failure) = solver.restore(&saved[..length]) {
            assert_eq!(failure.code, Code::BadArgument);
        } else {
            panic!("{length} of {} bytes accepted", saved.len());
        }
    }
    let other = testset::by_name("pendulum-2.8").expect("problem");
    let mut pendulum = other.system(form, true);
    let start = (other.t0, &other.x0[..], 1e-2);
    let mut stranger = Solver::start(&mut *pendulum, &Options::default(), &tolerance, start).expect("start");
    assert!(stranger.restore(&saved).is_err());
    assert_eq!(solver.save(), saved);
}

#[test]
fn one_call_and_many_make_the_same_steps() {
    for problem in testset::all().into_iter().filter(|p| !p.rank_deficient) {
        let (form, tolerance) = (Form::StrangenessFree, Tolerance::scalar(1e-5, 1e-5));
        let options = Options { nmax: 300, ..options(&problem, form) };
        let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 1e-4, Stats::default());
        let mut system = problem.system(form, true);
        let run =
            Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
        let whole = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats).map_err(|f| f.code);
        let mut system = problem.system(form, true);
        let start = (problem.t0, &problem.x0[..], 1e-4);
        let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
        let mut stepped = Ok(());
        while solver.t() < problem.tend && stepped.is_ok() {
            stepped = solver.step(&mut *system, problem.tend).map_err(|f| f.code);
        }
        assert_eq!((whole, &x[..], stats), (stepped, solver.x(), *solver.stats()), "{}", problem.name);
    }
}

/// Crossings of the lowest position, p1 = 0, and of the altitude p2 = level.
struct Crossings {
    level: f64,
}

impl RootFunctions for Crossings {
    fn count(&self) -> usize {
        2
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[3];
        values[1] = x[4] - self.level;
        Outcome::Continue
    }
}

#[test]
fn event_times_agree_with_the_closed_form() {
    // Horizontal release with the gravity that gives the period 2: p1 = 0 at t = 1/2, 3/2, 5/2 ...
    let gravity = 13.750_371_636_040_746;
    let start = pendulum::Start { gravity, angle: std::f64::consts::FRAC_PI_2, rate: 0.0 };
    let problem = pendulum::problem("period 2", "closed form", start, 5.0);
    let form = Form::StrangenessFree;
    let mut system = problem.system(form, true);
    let tolerance = Tolerance::scalar(1e-13, 1e-13);
    let options = options(&problem, form);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-3)).expect("start");
    let rules = [Rule { direction: Direction::Any, terminal: true }, Rule::default()];
    let mut roots = Crossings { level: 10.0 };
    solver.watch(&mut roots, &rules, 0.0).expect("values");
    let mut times = Vec::new();
    while let Ending::Event(hit) = solver.integrate(&mut *system, None, Some(&mut roots), 5.0).expect("run") {
        assert_eq!((hit.index, hit.t), (0, solver.t()));
        assert!(
            solver.x()[3].abs() < 1e-9 && (solver.x()[3].powi(2) + solver.x()[4].powi(2) - 1.0).abs() < 1e-12
        );
        times.push(hit.t);
    }
    let expected: Vec<f64> = (0..5).map(|k| 0.5 + f64::from(k)).collect();
    assert_eq!(times.len(), expected.len(), "{times:?}");
    for (t, exact) in times.iter().zip(&expected) {
        println!("event at {t:.15}, error {:.1e}", t - exact);
        assert!((t - exact).abs() < 1e-10, "{t} {exact}");
    }
}

#[test]
fn an_impact_changes_the_velocity_and_the_run_goes_on() {
    // A wall at p1 = 0: the pendulum released horizontally bounces with restitution e, and rises after the impact to
    // the altitude that its energy allows: 1 - cos = e².
    let start = pendulum::Start { gravity: 13.75, angle: std::f64::consts::FRAC_PI_2, rate: 0.0 };
    let problem = pendulum::problem("bouncing", "closed form", start, 2.0);
    let form = Form::StrangenessFree;
    let mut system = problem.system(form, true);
    let tolerance = Tolerance::scalar(1e-11, 1e-11);
    let options = options(&problem, form);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-3)).expect("start");
    let rules = [Rule { direction: Direction::Falling, terminal: true }, Rule::default()];
    let mut roots = Crossings { level: 10.0 };
    solver.watch(&mut roots, &rules, 0.0).expect("values");
    let restitution = 0.5;
    let ending = solver.integrate(&mut *system, None, Some(&mut roots), 2.0).expect("run");
    assert!(matches!(ending, Ending::Event(hit) if hit.index == 0), "{ending:?}");
    let mut x = solver.x().to_vec();
    x[1] *= -restitution;
    x[2] *= -restitution;
    let t = solver.t();
    solver.move_to(&mut *system, t, &x).expect("consistent");
    solver.rewatch(&mut roots).expect("values");
    let mut highest = -1.0f64;
    let mut observer = |step: &AcceptedStep<'_>| {
        for k in 0..=20 {
            let tau = step.t_old + (step.t - step.t_old) * f64::from(k) / 20.0;
            highest = highest.max(step.dense.component(4, tau));
        }
        Outcome::Continue
    };
    let ending = solver.integrate(&mut *system, Some(&mut observer), Some(&mut roots), t + 0.9).expect("run");
    assert!(matches!(ending, Ending::Event(_)), "falls back onto the wall: {ending:?}");
    let expected = -1.0 + restitution * restitution;
    assert!((highest - expected).abs() < 1e-5, "{highest} {expected}");
}

#[test]
fn a_root_function_without_value_is_an_error() {
    struct Broken;
    impl RootFunctions for Broken {
        fn count(&self) -> usize {
            1
        }
        fn evaluate(&mut self, t: f64, _x: &[f64], values: &mut [f64]) -> Outcome {
            values[0] = if t > 0.5 { f64::NAN } else { 1.0 };
            Outcome::Continue
        }
    }
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let options = options(&problem, Form::StrangenessFree);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-2)).expect("start");
    solver.watch(&mut Broken, &[Rule::default()], 0.0).expect("finite at the start");
    let failure = solver.integrate(&mut *system, None, Some(&mut Broken), 5.0).expect_err("NaN");
    assert_eq!(failure.code, Code::RootFunctionFailed);
    assert!(solver.t() > 0.5 && solver.t() < 0.7 && failure.to_string().contains("root function 1"));
}

#[test]
fn a_stop_request_ends_the_run_and_can_be_resumed() {
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let options = options(&problem, Form::StrangenessFree);
    let start = (0.0, &problem.x0[..], 1e-2);
    let mut whole = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
    whole.integrate(&mut *system, None, None, 5.0).expect("run");
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
    let stop = solver.stop_request();
    let mut observer = |step: &AcceptedStep<'_>| {
        if step.naccpt == 40 {
            stop.request();
        }
        Outcome::Continue
    };
    let failure = solver.integrate(&mut *system, Some(&mut observer), None, 5.0).expect_err("stopped");
    assert_eq!((failure.code, solver.stats().naccpt), (Code::StopRequested, 40));
    solver.integrate(&mut *system, None, None, 5.0).expect("resumed");
    assert_eq!((solver.x(), solver.stats()), (whole.x(), whole.stats()));
}
