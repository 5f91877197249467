//! Events, dense output, saving and counters across a position where the constraints lose rank.

use crate::mechanisms::Parallelogram;
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Order, Singular, StageMultipliers};
use geoms::solver::Solver;
use geoms_problems::four_bar::natural;
use geoms_problems::trial::drive;
use geoms_problems::Problem;

fn options(problem: &Problem, method: MethodKind) -> Options {
    Options { method, mass: problem.mass, check: CheckLevel::Off, ..Options::default() }
}

#[test]
fn the_polynomial_follows_the_motion_through() {
    let problem = natural("row", 2, 3.0);
    let exact = problem.exact.clone().unwrap();
    for (method, bound) in [(MethodKind::Radau, 1e-5), (MethodKind::HalfExplicit, 1e-5)] {
        let options = options(&problem, method);
        let mut system = problem.system(Form::StrangenessFree, true);
        let (mut worst, mut x) = (0.0f64, vec![0.0; problem.x0.len()]);
        let start = (0.0, &problem.x0[..], 0.0, 3.0);
        let run = drive(system.as_mut(), &options, &Tolerance::scalar(1e-8, 1e-8), start, |step| {
            for k in 1..8 {
                let t = step.t_old + (step.t - step.t_old) * f64::from(k) / 8.0;
                let known = exact(t);
                (0..x.len()).for_each(|i| x[i] = step.dense.component(i, t));
                worst = (5..17).fold(worst, |m, i| m.max((x[i] - known[i]).abs()));
            }
        });
        let stats = run.good("dense").stats;
        println!("{method:?}: largest error between points {worst:.1e}");
        assert!(stats.critical_steps > 0 && worst < bound, "{method:?}: {worst}");
    }
}

#[test]
fn a_run_can_be_saved_before_in_and_behind_it() {
    let problem = natural("row", 2, 1.5);
    for method in [MethodKind::Radau, MethodKind::HalfExplicit, MethodKind::Hht, MethodKind::Automatic] {
        let options = options(&problem, method);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let make = |system: &mut dyn geoms::system::System| {
            Solver::start(system, &options, &tolerance, (0.0, &problem.x0, 0.0)).expect("solver")
        };
        let mut system = problem.system(Form::StrangenessFree, true);
        let mut whole = make(system.as_mut());
        let mut saved = Vec::new();
        while whole.t() < 1.5 {
            saved.push(whole.save());
            whole.advance(system.as_mut(), None, None, 1.5).expect("step");
        }
        for bytes in saved.iter().step_by(saved.len().div_ceil(12)) {
            let mut again = make(system.as_mut());
            again.restore(bytes).expect("restore");
            while again.t() < 1.5 {
                again.advance(system.as_mut(), None, None, 1.5).expect("step");
            }
            assert_eq!(again.x(), whole.x(), "{method:?}");
            assert_eq!(again.stats().naccpt, whole.stats().naccpt);
        }
    }
}

/// Output exactly at the rank loss: the run ends and begins again there.
#[test]
fn runs_may_end_and_begin_in_it() {
    let bars = Parallelogram::plain(1.0, 1.5, 0.3, [1.0, 0.7, 1.4]);
    let (start, crank) = ([1.3, -6.0], bars.crank());
    // The time at which θ = 0.3, by bisection.
    let (mut low, mut high) = (0.0, 0.5);
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        if crank.swing(start, middle)[0] > 0.3 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x0 = bars.state(start[0], start[1]);
    let end = crank.swing(start, 1.0);
    let exact = bars.state(end[0], end[1]);
    for order in [Order::Five, Order::Nine, Order::Thirteen] {
        let mass = MassStructure::ConstantFull;
        let options = Options { order, mass, consistent: true, check: CheckLevel::Off, ..Options::default() };
        let mut system = bars.model(Form::StrangenessFree, true, &x0);
        let tolerance = Tolerance::scalar(1e-8, 1e-8);
        let first =
            drive(system.as_mut(), &options, &tolerance, (0.0, &x0, 0.0, low), |_| {}).good("into it");
        let second =
            drive(system.as_mut(), &options, &tolerance, (low, &first.x, 0.0, 1.0), |_| {}).good("out of it");
        let error = (3..11).fold(0.0f64, |m, i| m.max((second.x[i] - exact[i]).abs()));
        println!("{order:?}: error {error:.1e}");
        assert!(error < 1e-5, "{order:?}: {error}");
    }
}

/// Multipliers of redundant constraints are moved after the choice of the next order: the polynomial stays that of its step.
#[test]
fn the_polynomial_of_redundant_constraints_has_the_order_of_its_step() {
    let plain = Parallelogram::plain(1.0, 1.5, 0.3, [1.0, 0.7, 1.4]);
    let bars = Parallelogram { redundant: true, ..plain };
    let (start, crank) = ([1.3, -6.0], bars.crank());
    let x0 = bars.state(start[0], start[1]);
    let options = Options {
        method: MethodKind::Radau,
        order: Order::Automatic,
        stage_multipliers: StageMultipliers::Constraints,
        mass: MassStructure::ConstantFull,
        decompose_constraints: DecompositionKind::Svd,
        consistent: true,
        check: CheckLevel::Off,
        ..Options::default()
    };
    let mut system = bars.model(Form::StrangenessFree, true, &x0);
    let (mut worst, mut degrees) = (0.0f64, Vec::new());
    let run =
        drive(system.as_mut(), &options, &Tolerance::scalar(1e-8, 1e-8), (0.0, &x0, 0.0, 2.0), |step| {
            let t = 0.5 * (step.t_old + step.t);
            let end = crank.swing(start, t);
            let known = bars.state(end[0], end[1]);
            worst = (5..13).fold(worst, |m, i| m.max((step.dense.component(i, t) - known[i]).abs()));
            degrees.push(step.dense.nodes.len());
        });
    run.good("redundant");
    degrees.dedup();
    println!("orders change {} times, largest error between points {worst:.1e}", degrees.len() - 1);
    assert!(degrees.len() > 1 && worst < 1e-5, "{degrees:?}: {worst}");
}

/// Nothing is passed where nothing is lost: regular runs have the same bits, whether rank losses are passed or not.
#[test]
fn regular_runs_are_untouched() {
    let mut differ = Vec::new();
    let mut compared = 0;
    for problem in geoms_problems::all() {
        // 1000 s of one, and large ones, have nothing new.
        let long = problem.name == "pendulum-horizontal" || problem.x0.len() > 60;
        if long || problem.name.contains("singular") || problem.name.contains("four-bar") {
            continue;
        }
        for (method, kind) in [
            (MethodKind::Radau, DecompositionKind::Lu),
            (MethodKind::Radau, DecompositionKind::Svd),
            (MethodKind::HalfExplicit, DecompositionKind::Lu),
        ] {
            let run = |singular| {
                let options = Options {
                    method,
                    singular,
                    decompose_constraints: kind,
                    mass: problem.mass,
                    consistent: true,
                    check: CheckLevel::Off,
                    ..Options::default()
                };
                let mut system = problem.system(Form::StrangenessFree, true);
                let start =
                    (problem.t0, &problem.x0[..], 0.0, problem.t0 + 0.3 * (problem.tend - problem.t0));
                drive(system.as_mut(), &options, &Tolerance::scalar(1e-5, 1e-5), start, |_| {})
            };
            let (stopping, passing) = (run(Singular::Stop), run(Singular::Pass));
            if stopping.result.is_err() {
                continue;
            }
            compared += 1;
            if passing.result.is_err() || passing.x != stopping.x || passing.stats.critical_steps > 0 {
                let critical = passing.stats.critical_steps;
                differ.push(format!("{} {method:?} {kind:?}: {critical} critical steps", problem.name));
            }
        }
    }
    println!("{compared} runs compared, {} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(compared > 60 && differ.is_empty(), "{}", differ.join("\n"));
}
