//! Consistent initial values: corrected, left alone, or refused with the reason.

use crate::common::{blocks, problem, Run, Setup};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, Options, WatchLevel};
use geoms::solver::Solver;
use geoms::system::{Outcome, System};
use geoms_problems::counted::Counted;
use geoms_problems::Problem;

const TOL: f64 = 1e-9;

/// Only make consistent: T = TEND.
fn correct(problem: &Problem, form: Form, x0: &[f64], conditions: &[(usize, f64)], jacobian: bool) -> Run {
    let mut setup = Setup::new(problem, form, TOL);
    setup.conditions = conditions.to_vec();
    setup.jacobian = jacobian;
    setup.tend = 0.0;
    let mut points = 0;
    let run = setup.observe(problem, x0, |step| {
        points += 1;
        assert_eq!((step.naccpt, step.t), (0, 0.0));
    });
    if run.result.is_ok() {
        // SOLOUT sees the corrected point once.
        assert_eq!(points, 1);
        assert_eq!(run.stats.naccpt, 0);
    } else {
        assert_eq!(points, 0);
        assert_eq!(run.x, x0, "a refused x is not touched");
    }
    run
}

/// Largest residual of all constraint rows.
fn residual(problem: &Problem, form: Form, x: &[f64]) -> f64 {
    let mut system = problem.system(form, true);
    let layout = Layout::new(system.dimensions(), form);
    let mut rda = vec![0.0; layout.m];
    assert_eq!(system.eom(0.0, x, &mut rda), Outcome::Continue);
    rda[..layout.rda.b.start].iter().fold(0.0, |m: f64, r| m.max(r.abs()))
}

/// The failure of a run: code and component.
fn refusal(run: &Run) -> (i32, String) {
    let failure = run.result.as_ref().expect_err("refused");
    (failure.code.idid(), failure.component.map_or(String::new(), |c| c.to_string()))
}

// Components of the pendulum's x.
const LAMBDA: usize = 0;
const V1: usize = 1;
const V2: usize = 2;
const P1: usize = 3;
const P2: usize = 4;

/// Near p = (0.6, -0.8), v = (0.5, 0.375).
const NEAR: [f64; 5] = [1.0, 0.4, 0.1, 0.55, -0.9];

#[test]
fn conditions_correct_the_pendulum() {
    let problem = problem("pendulum-2.8");
    let mut second = Vec::new();
    for jacobian in [true, false] {
        let run = correct(&problem, Form::StrangenessFree, &NEAR, &[(P1, 0.6), (V1, 0.5)], jacobian).good("");
        let lambda = (0.25 + 0.375 * 0.375 + 13.75 * 0.8) / 2.0;
        for (x, value) in run.x.iter().zip([lambda, 0.5, 0.375, 0.6, -0.8]) {
            assert!((x - value).abs() < 1e-10, "{x} against {value}");
        }
        assert!(run.stats.eom_for_initial_values > 0 && run.stats.neom == 0);
        second = run.x;
    }
    // What has been corrected needs no correction.
    let again = correct(&problem, Form::StrangenessFree, &second, &[(P1, 0.6), (V1, 0.5)], true).good("");
    assert_eq!(again.x, second);
}

#[test]
fn evaluations_are_counted() {
    let problem = problem("pendulum-2.8");
    for analytic in [true, false] {
        let conditions = vec![(P1, 0.6), (V1, 0.5)];
        let presented = geoms_problems::Options {
            conditions,
            ..geoms_problems::Options::new(Form::StrangenessFree, analytic)
        };
        let mut system = Counted::new(problem.system_with(presented));
        let options = Options { check: CheckLevel::Off, watch: WatchLevel::Off, ..Options::of_call() };
        let start = (0.0, &NEAR[..], 1e-3);
        let solver =
            Solver::start(&mut system, &options, &Tolerance::scalar(TOL, TOL), start).expect("corrected");
        let calls = system.calls.eom as u64;
        assert!(calls > 3 && solver.stats().eom_for_initial_values == calls, "{}", solver.stats());
    }
}

#[test]
fn consistent_values_stay_as_they_are() {
    for name in
        ["pendulum-2.8", "andrews", "knife-edge", "cycloid", "friction-bead", "top-nutating", "coupler"]
    {
        let problem = problem(name);
        for form in [Form::StrangenessFree, Form::Index1] {
            for jacobian in [true, false] {
                let run = correct(&problem, form, &problem.x0, &[], jacobian).good(name);
                assert_eq!(run.x, problem.x0, "{name}");
            }
        }
    }
}

#[test]
fn too_many_conditions_that_agree_are_fine() {
    let problem = problem("pendulum-2.8");
    let conditions = [(P1, 0.6), (P2, -0.8), (V1, 0.5), (V2, 0.375)];
    let run = correct(&problem, Form::StrangenessFree, &NEAR, &conditions, true).good("");
    assert!(residual(&problem, Form::StrangenessFree, &run.x) < 1e-10);
    assert!((run.x[P1] - 0.6).abs() < 1e-11 && (run.x[V2] - 0.375).abs() < 1e-11);
}

#[test]
fn contradictions_are_named() {
    let problem = problem("pendulum-2.8");
    for conditions in [
        vec![(P1, 0.6), (P2, -0.5), (V1, 0.5)],
        vec![(P1, 0.6), (V1, 0.5), (V2, 0.5)],
        vec![(P1, 0.6), (P1, 0.7), (V1, 0.5)],
    ] {
        let run = correct(&problem, Form::StrangenessFree, &NEAR, &conditions, true);
        let (idid, name) = refusal(&run);
        println!("{conditions:?}: {idid} {name}");
        assert_eq!(idid, -2104, "{conditions:?}");
        assert!(["COND(", "g(1)", "gI(1)", "gII(1)"].iter().any(|n| name.starts_with(n)), "{name}");
    }
}

#[test]
fn too_few_conditions_name_the_open_variable() {
    let problem = problem("pendulum-2.8");
    let run = correct(&problem, Form::StrangenessFree, &NEAR, &[(P1, 0.6)], true);
    let (idid, name) = refusal(&run);
    assert_eq!(idid, -2106);
    // The position is determined, the velocity along it is not.
    assert!(name == "v(1)" || name == "v(2)", "{name}");
}

/// A hanging pendulum: its constraint says v2 = 0, and nothing says v1, at the guess alone.
#[test]
fn a_rank_that_is_missing_at_the_guess_alone_is_found_beside_it() {
    let problem = problem("pendulum-2.8");
    for (guess, jacobian) in [(0.0, true), (0.0, false), (1e-12, true), (1e-8, true), (0.05, false)] {
        let x = [0.0, 0.0, 0.0, guess, -1.0];
        let run = correct(&problem, Form::StrangenessFree, &x, &[(P1, 0.4), (V2, 0.1)], jacobian).good("");
        let height = -(1.0f64 - 0.16).sqrt();
        for (i, value) in [(P1, 0.4), (P2, height), (V2, 0.1), (V1, -0.1 * height / 0.4)] {
            assert!((run.x[i] - value).abs() < 1e-9, "from {guess}: {i} {}", run.x[i]);
        }
        let left = residual(&problem, Form::StrangenessFree, &run.x);
        assert!(left < 1e-8, "{left}");
        // Missing there too: it is to hang, or nothing is said of v1.
        for conditions in [vec![(P1, 0.0), (V2, 0.0)], vec![(P1, 0.0), (V2, 0.1)], vec![(P1, 0.4)]] {
            let hanging = conditions.len() == 2 && guess != 0.0;
            let run = correct(&problem, Form::StrangenessFree, &x, &conditions, jacobian);
            if !hanging {
                let (idid, name) = refusal(&run);
                assert!(idid == -2106 && (name == "v(1)" || name == "v(2)"), "{conditions:?}: {idid} {name}");
            }
        }
    }
}

#[test]
fn no_conditions_and_inconsistent() {
    let problem = problem("pendulum-2.8");
    for (i, by, row) in [(P2, 1e-3, "g(1)"), (V2, 1e-3, "gI(1)"), (LAMBDA, 1e-1, "gII(1)")] {
        let mut x = problem.x0.clone();
        x[i] += by;
        let (idid, name) = refusal(&correct(&problem, Form::StrangenessFree, &x, &[], true));
        println!("x[{i}] + {by}: {idid} {name}");
        assert_eq!(idid, -1105);
        // p enters all three rows; the others only their own.
        assert!(name == row || i == P2, "{name}");
    }
}

/// p1 = 2 on a unit circle: the iteration comes to rest at p2 = 0, where g cannot be reduced further. That is
/// a contradiction (-2104), not a lack of convergence, though there are as many equations as unknowns.
#[test]
fn a_condition_out_of_reach_is_a_contradiction() {
    let problem = problem("pendulum-2.8");
    let run = correct(&problem, Form::StrangenessFree, &NEAR, &[(P1, 2.0), (V1, 0.5)], true);
    let (idid, name) = refusal(&run);
    println!("p1 = 2: {idid} {name}");
    assert_eq!(idid, -2104);
    assert!(!name.is_empty());
}

/// r' = -r with the condition r² + 1 = 0.
struct NoSolution;

impl System for NoSolution {
    fn dimensions(&self) -> Dimensions {
        Dimensions { nr: 1, ..Dimensions::default() }
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        rda[0] = -x[0];
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], _mass: &mut [f64]) -> Outcome {
        Outcome::Continue
    }
    fn initial_condition_count(&self) -> usize {
        1
    }
    fn initial_conditions(&mut self, _t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        cond[0] = x[0] * x[0] + 1.0;
        Outcome::Continue
    }
}

#[test]
fn an_iteration_that_wanders_diverges() {
    let setup = Setup::new(&problem("pendulum-2.8"), Form::StrangenessFree, TOL);
    let run = setup.drive(&mut NoSolution, &[0.7], |_| {});
    assert_eq!(refusal(&run).0, -2105);
    assert_eq!(run.x, [0.7]);
}

#[test]
fn index_1_leaves_the_multipliers_alone() {
    let problem = problem("pendulum-2.8");
    let x0 = [123.0, 0.4, 0.1, 0.55, -0.9];
    let run = correct(&problem, Form::Index1, &x0, &[(P1, 0.6), (V1, 0.5)], true).good("");
    assert_eq!(run.x[LAMBDA], 123.0);
    for (x, value) in run.x[1..].iter().zip([0.5, 0.375, 0.6, -0.8]) {
        assert!((x - value).abs() < 1e-10, "{x} against {value}");
    }
}

/// Every kind of variable: disturb everything, give the true values of a set of independent variables.
#[test]
fn all_blocks_are_corrected() {
    let cases: [(&str, &[&str]); 6] = [
        ("friction-bead", &["p(2)", "v(2)"]),
        ("maxwell-element", &["p(1)", "v(1)", "r(1)"]),
        ("cycloid", &["p(1)", "v(1)"]),
        ("knife-edge", &["p(1)", "p(2)", "p(3)", "v(1)", "v(3)"]),
        ("leaning-disk", &["p(1)", "p(2)", "p(3)", "p(4)", "p(5)", "v(3)", "v(4)", "v(5)"]),
        ("top-nutating", &["p(4)", "p(5)", "p(6)", "p(7)", "v(4)", "v(5)", "v(6)"]),
    ];
    for (name, given) in cases {
        let problem = problem(name);
        for form in [Form::StrangenessFree, Form::Index1] {
            let layout = problem.layout(form);
            let conditions: Vec<(usize, f64)> = (0..layout.n)
                .filter(|&i| given.contains(&layout.state_name(i).to_string().as_str()))
                .map(|i| (i, problem.x0[i]))
                .collect();
            assert_eq!(conditions.len(), given.len(), "{name}");
            // With FORM=1 the multipliers are given, and w follows from them.
            let given = |i| form == Form::Index1 && layout.x.multipliers.contains(i);
            let disturbance = |i: usize| if given(i) { 0.0 } else { 0.02 * (1.0 + i as f64).sin() };
            let x0: Vec<f64> = problem.x0.iter().enumerate().map(|(i, x)| x + disturbance(i)).collect();
            let run = correct(&problem, form, &x0, &conditions, true).good(name);
            for (block_name, block) in blocks(&layout) {
                for i in block.range() {
                    let value = problem.x0[i];
                    let error = (run.x[i] - value).abs();
                    assert!(error < 1e-9 * (1.0 + value.abs()), "{name} {form:?} {block_name}: {error:e}");
                }
            }
        }
    }
}

/// Redundant constraints leave the multipliers open, but positions and velocities can be corrected.
#[test]
fn redundant_constraints() {
    let problem = problem("coupler");
    // x = (λ1..3, v1..3, p1..3); one degree of freedom.
    let mut x0 = problem.x0.clone();
    x0[6] += 0.01;
    x0[7] -= 0.02;
    x0[3] += 0.01;
    let conditions = [(6, problem.x0[6]), (3, 0.0)];
    let mut setup = Setup::new(&problem, Form::StrangenessFree, TOL)
        .with(|o| o.decompose_constraints = DecompositionKind::Svd);
    setup.conditions = conditions.to_vec();
    setup.tend = 0.0;
    let run = setup.observe(&problem, &x0, |_| {}).good("coupler");
    for (x, value) in run.x[3..].iter().zip(&problem.x0[3..]) {
        assert!((x - value).abs() < 1e-9, "{x} against {value}");
    }
    assert!(residual(&problem, Form::StrangenessFree, &run.x) < 1e-9);
}
