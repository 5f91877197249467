//! The stability monitor: what it reports, bounds and costs.

use crate::harness::problem;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, MonitorUse, Options};
use geoms::solver::Solver;

/// Steps of a run with error control, the longest of them beside the limit, and the end.
fn adaptive(name: &str, monitor: MonitorUse, tol: f64) -> (u64, f64, Solver) {
    let problem = problem(name);
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = Options { method: MethodKind::Newmark, mass: problem.mass, monitor, ..Options::of_call() };
    let tolerance = Tolerance::scalar(tol, tol);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 0.0)).expect(name);
    let mut longest = 0.0f64;
    while solver.t() < problem.tend {
        solver.step(&mut *system, problem.tend).expect(name);
        let limit = solver.measure("stable_step").expect("a measure");
        if limit > 0.0 {
            longest = longest.max(solver.last_step().h / limit);
        }
    }
    (solver.stats().naccpt, longest, solver)
}

#[test]
fn a_bound_keeps_steps_below_the_limit() {
    // At a loose tolerance steps of the damped rods are longer than stability allows.
    let (_, free, _) = adaptive("double-pendulum-springs", MonitorUse::Report, 0.3);
    let (steps, bounded, _) = adaptive("double-pendulum-springs", MonitorUse::Bound, 0.3);
    println!("longest step beside the limit: {free:.2} free, {bounded:.3} bounded, {steps} steps");
    assert!(free > 1.0, "{free}");
    assert!(bounded <= 1.0 && bounded > 0.5, "{bounded}");
}

#[test]
fn without_the_monitor_the_run_is_the_same() {
    let (_, _, with) = adaptive("andrews", MonitorUse::Report, 1e-5);
    let (_, _, without) = adaptive("andrews", MonitorUse::Off, 1e-5);
    let p = problem("andrews").layout(Form::StrangenessFree).x.p;
    for (a, b) in p.of(with.x()).iter().zip(p.of(without.x())) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    assert_eq!(without.measure("frequency"), Some(0.0));
    assert!(without.stats().neom < with.stats().neom);
    assert_eq!(with.measure("nonsense"), None);
}
