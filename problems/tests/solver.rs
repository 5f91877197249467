//! Driving a run step by step: starting again, events, stop requests. What all methods have in common is in suite/.
#![allow(clippy::expect_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, Order};
use geoms::solver::{Ending, Solver};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, System};
use geoms_problems::{self as testset, pendulum, Problem};

fn options(problem: &Problem, form: Form) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    Options { mass: problem.mass, form, decompose_constraints: kind, ..Options::of_call() }
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

/// In the memory of a solver that has run: nothing of that run is left.
#[test]
fn a_run_started_again_is_bit_identical_to_a_new_one() {
    let mut cases = 0;
    for problem in testset::all() {
        for form in [Form::StrangenessFree, Form::Index1] {
            for (thet, order) in [(0.5, Order::Five), (0.5, Order::Nine), (0.001, Order::Automatic)] {
                let options = Options { thet, order, ..options(&problem, form) };
                let tolerance = Tolerance::scalar(1e-8, 1e-8);
                let mut system = problem.system(form, true);
                let start = (problem.t0, &problem.x0[..], 0.0);
                let Ok(mut new) = Solver::start(&mut *system, &options, &tolerance, start) else { continue };
                advance(&mut new, &problem, form, 25);
                let mut used = Solver::start(&mut *system, &options, &tolerance, start).expect("start");
                advance(&mut used, &problem, form, 40);
                let mut again = used.start_again(&mut *system, &options, &tolerance, start).expect("again");
                assert_eq!(again.stats().naccpt, 0);
                advance(&mut again, &problem, form, 25);
                let what = format!("{} {form:?} {order:?}", problem.name);
                assert_eq!((again.x(), again.t(), again.h()), (new.x(), new.t(), new.h()), "{what}");
                assert_eq!(again.stats(), new.stats(), "{what}");
                cases += 1;
            }
        }
    }
    println!("solver: {cases} runs started again");
    assert!(cases > 150);
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
    let mut stranger = Solver::start(&mut *pendulum, &Options::of_call(), &tolerance, start).expect("start");
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

/// Gravity with which the pendulum of length 1 has the period 2 if it is released horizontally.
const PERIOD_2: f64 = 13.750_371_636_040_746;

/// Impacts at p1 = 0 after a horizontal release, and the error of their times.
fn swing(tol: f64) -> (Vec<f64>, u64) {
    // p1 = 0 at t = 1/2, 3/2, 5/2 ...
    let start = pendulum::Start { gravity: PERIOD_2, angle: std::f64::consts::FRAC_PI_2, rate: 0.0 };
    let problem = pendulum::problem("period 2", "closed form", start, 5.0);
    let form = Form::StrangenessFree;
    let mut system = problem.system(form, true);
    let tolerance = Tolerance::scalar(tol, tol);
    let options = options(&problem, form);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-3)).expect("start");
    let rules = [Rule { direction: Direction::Any, terminal: true }, Rule::default()];
    let mut roots = Crossings { level: 10.0 };
    solver.watch(&mut roots, &rules, 0.0).expect("values");
    let mut told: Vec<(f64, f64)> = Vec::new();
    let mut observer = |step: &AcceptedStep<'_>| {
        assert_eq!(step.naccpt, told.len(), "a step that was made again counts once");
        told.push((step.t_old, step.t));
        Outcome::Continue
    };
    let mut times = Vec::new();
    while let Ending::Event(hit) =
        solver.integrate(&mut *system, Some(&mut observer), Some(&mut roots), 5.0).expect("run")
    {
        assert_eq!((hit.index, hit.t), (0, solver.t()));
        let (p1, p2) = (solver.x()[3], solver.x()[4]);
        assert!(p1.abs() < 1e-13, "{p1:e}: the root function vanishes at the point itself");
        assert!((p1 * p1 + p2 * p2 - 1.0).abs() < tol.max(1e-12));
        times.push(hit.t);
    }
    // Every point once, each step from the one before, no other points than those.
    assert!(told[1..].iter().zip(&told).all(|(now, before)| now.0 == before.1 && now.1 > before.1));
    assert!(times.iter().all(|t| told.iter().filter(|(_, to)| to == t).count() == 1));
    assert_eq!(times.len(), 5, "{times:?}");
    let errors = times.iter().enumerate().map(|(k, t)| (t - 0.5 - k as f64).abs()).collect();
    (errors, solver.stats().naccpt)
}

#[test]
fn event_times_agree_with_the_closed_form() {
    for (tol, bound) in [(1e-6, 1e-5), (1e-8, 1e-7), (1e-10, 1e-10), (1e-11, 1e-10), (1e-12, 1e-10)] {
        let (errors, steps) = swing(tol);
        let worst = errors.iter().copied().fold(0.0, f64::max);
        println!("TOL {tol:e}: {steps} steps, event times right to {worst:.1e}");
        assert!(worst < bound, "TOL {tol:e}: {errors:?}");
    }
}

/// A ball that falls, x = [ v | p ]: every step is exact, whatever its length.
struct Ball;

impl System for Ball {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, ..Dimensions::default() }
    }
    fn form(&self) -> Form {
        Form::StrangenessFree
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        rda.copy_from_slice(&[-9.81, x[0]]);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass[0] = 1.0;
        Outcome::Continue
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, _t: f64, _x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        fx.fx[5][0] = -1.0;
        Outcome::Continue
    }
}

struct Ground;

impl RootFunctions for Ground {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[1];
        Outcome::Continue
    }
}

/// Up to `bounces` impacts of a ball thrown up from the ground with speed 1, restitution 0.7. With a step that is long
/// against every flight the ball leaves the ground and comes back within the first step after each impact.
fn bounce(h: f64, fixed_step: bool, direction: Direction, exact_zero: bool) {
    let (mut speed, restitution, mut expected) = (1.0, 0.7, 0.0);
    let options = Options { fixed_step, ..Options::of_call() };
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let mut solver = Solver::start(&mut Ball, &options, &tolerance, (0.0, &[speed, 0.0], h)).expect("start");
    solver.watch(&mut Ground, &[Rule { direction, terminal: true }], 0.0).expect("values");
    let mut seen = vec![];
    for bounce in 0..20 {
        let mut observer = |step: &AcceptedStep<'_>| {
            seen.push((step.t, step.x[0] > 0.0));
            Outcome::Continue
        };
        let ending = solver.integrate(&mut Ball, Some(&mut observer), Some(&mut Ground), 10.0).expect("run");
        expected += 2.0 * speed / 9.81;
        let Ending::Event(hit) = ending else { panic!("through the ground at bounce {bounce}, h = {h}") };
        let error = (hit.t - expected).abs();
        assert!(error < 1e-10, "bounce {bounce}, h = {h}: {} {expected} {error:e}", hit.t);
        speed *= restitution;
        let x = [-restitution * solver.x()[0], if exact_zero { 0.0 } else { solver.x()[1] }];
        assert!((x[0] - speed).abs() < 1e-10, "bounce {bounce}, h = {h}: {x:?} {speed}, {fixed_step}");
        solver.move_to(&mut Ball, hit.t, &x).expect("consistent");
        solver.rewatch(&mut Ground).expect("values");
    }
    // An impact is seen before and after it, every other point once.
    let twice = seen.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
    assert_eq!(twice, 19, "{seen:?}");
    assert!(seen.windows(2).all(|pair| pair[0].0 < pair[1].0 || (!pair[0].1 && pair[1].1)), "{seen:?}");
}

#[test]
fn a_ball_that_leaves_the_ground_and_returns_within_one_step_is_seen() {
    for h in [1e-3, 0.05, 0.21, 0.5] {
        for fixed in [false, true] {
            for direction in [Direction::Any, Direction::Falling] {
                bounce(h, fixed, direction, true);
                bounce(h, fixed, direction, false);
            }
        }
    }
}

#[test]
fn a_run_that_goes_on_after_an_event_does_not_find_it_again() {
    // Thrown up from below: through the ground at 0.1.. upwards, back at 0.9.., and nothing else, without any reset.
    let speed: f64 = 5.0;
    let below = -0.4;
    let root = (speed * speed + 2.0 * 9.81 * below).sqrt();
    let expected = [(speed - root) / 9.81, (speed + root) / 9.81];
    let tolerance = Tolerance::scalar(1e-4, 1e-4);
    for h in [1e-3, 1e-2, 0.2] {
        let start = (0.0, &[speed, below][..], h);
        let mut solver = Solver::start(&mut Ball, &Options::of_call(), &tolerance, start).expect("start");
        solver.watch(&mut Ground, &[Rule { terminal: true, ..Rule::default() }], 0.0).expect("values");
        let mut times = Vec::new();
        while let Ending::Event(hit) = solver.integrate(&mut Ball, None, Some(&mut Ground), 1.0).expect("run")
        {
            times.push(hit.t);
            // Also not after saving and resuming at the event.
            let saved = solver.save();
            solver = Solver::resume(&mut Ball, &Options::of_call(), &tolerance, &saved).expect("resumed");
            solver.watch(&mut Ground, &[Rule { terminal: true, ..Rule::default() }], 0.0).expect("values");
        }
        assert_eq!(times.len(), 2, "h = {h}: {times:?}");
        assert!(times.iter().zip(&expected).all(|(t, exact)| (t - exact).abs() < 1e-12), "{times:?}");
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

/// Values of x3 that exist up to a time only.
struct Until {
    end: f64,
    refused: usize,
}

impl RootFunctions for Until {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[3];
        if t > self.end {
            self.refused += 1;
            return Outcome::Retry;
        }
        Outcome::Continue
    }
}

/// A smaller step is tried, as where the model cannot be evaluated.
#[test]
fn root_functions_that_ask_for_a_smaller_step_get_it() {
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    let rules = [Rule { direction: Direction::Any, terminal: true }];
    // x3 is zero first at this time.
    let mut crossing = 0.0;
    for method in [MethodKind::Radau, MethodKind::HalfExplicit, MethodKind::RosenbrockNystroem] {
        let options = Options { method, ..options(&problem, Form::StrangenessFree) };
        for part in [1e3, 1.001, 0.5] {
            let end = if part > 2.0 { f64::INFINITY } else { part * crossing };
            let mut roots = Until { end, refused: 0 };
            let mut solver =
                Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-2)).expect("start");
            solver.watch(&mut roots, &rules, 0.0).expect("values");
            let (mut last, mut told) = (f64::NEG_INFINITY, 0);
            let mut observer = |step: &AcceptedStep<'_>| {
                assert!(step.t > last, "{} after {last}", step.t);
                (last, told) = (step.t, told + 1);
                Outcome::Continue
            };
            let ending = solver.integrate(&mut *system, Some(&mut observer), Some(&mut roots), 5.0);
            let stats = *solver.stats();
            assert!(stats.rejected_by_model as usize <= roots.refused, "{method:?}: {stats}");
            assert_eq!(
                (roots.refused > 0, stats.rejected_by_model > 0),
                (end < 5.0, end < 5.0),
                "{method:?}"
            );
            if end > crossing {
                assert!(matches!(ending, Ok(Ending::Event(_))), "{method:?}, {end}: {ending:?}");
                assert!(crossing == 0.0 || (solver.t() - crossing).abs() < 1e-6, "{method:?}");
                crossing = solver.t();
            } else {
                let failure = ending.expect_err("no values");
                assert_eq!(failure.code, Code::RootFunctionFailed);
                assert!(
                    failure.to_string().contains("the root functions asked for a smaller step"),
                    "{failure}"
                );
                assert!((solver.t() - end).abs() < 1e-10 && last == solver.t(), "{} {end}", solver.t());
                assert!(told > 1);
                roots.end = f64::INFINITY;
                let ending = solver.integrate(&mut *system, None, Some(&mut roots), 5.0);
                assert!(matches!(ending, Ok(Ending::Event(_))), "{method:?}: {ending:?}");
            }
        }
    }
}

/// One step is a step, also if its end was refused once.
#[test]
fn a_step_is_made_where_root_functions_refuse_the_first_attempt() {
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = options(&problem, Form::StrangenessFree);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 1e-2)).expect("start");
    let mut roots = Until { end: 5e-3, refused: 0 };
    solver.watch(&mut roots, &[Rule::default()], 0.0).expect("values");
    let hit = solver.advance(&mut *system, None, Some(&mut roots), 1.0).expect("a step");
    assert_eq!((hit, roots.refused, solver.stats().naccpt, solver.t()), (None, 1, 1, 2.5e-3));
    // At the end there is none to be made.
    let here = solver.t();
    solver.step(&mut *system, here).expect("nothing to do");
    solver.advance(&mut *system, None, Some(&mut roots), here).expect("nothing to do");
    assert_eq!((solver.t(), solver.stats().naccpt), (here, 1));
    assert_eq!(solver.step(&mut *system, 0.0).expect_err("back").code, Code::TendBeforeT);
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
