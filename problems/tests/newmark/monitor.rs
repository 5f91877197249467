//! The stability monitor: what it reports, bounds and costs.

use crate::harness::{fixed, problem, run};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Dimensions, Form};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, MonitorUse, NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms_problems::dual::Real;
use geoms_problems::{derived, Blocks, Mechanism, Model};

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

/// What a default run of method 3 with checks says at its end, and how far v is off in units of 1 + |v|.
fn told(name: &str, scheme: NewmarkScheme, monitor: MonitorUse, tol: f64) -> (Vec<String>, f64, u64) {
    let problem = problem(name);
    let mut system = problem.system(Form::StrangenessFree, true);
    let (method, nmax) = (MethodKind::Newmark, 10_000_000);
    let options =
        Options { method, newmark_scheme: scheme, monitor, mass: problem.mass, nmax, ..Options::default() };
    let tolerance = Tolerance::scalar(tol, tol);
    let start = (0.0, &problem.x0[..], 0.0);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start).expect(name);
    let mut warnings = solver.take_warnings();
    solver.integrate(&mut *system, None, None, problem.tend).expect(name);
    warnings.extend(solver.take_warnings());
    let v = problem.layout(Form::StrangenessFree).x.v;
    let reference = problem.exact.as_ref().expect(name)(problem.tend);
    let pairs = v.of(solver.x()).iter().zip(v.of(&reference));
    let error = pairs.map(|(a, b)| (a - b).abs() / (1.0 + b.abs())).fold(0.0, f64::max);
    (warnings, error, solver.stats().naccpt)
}

/// The spring is at rest in the exact solution; steps beyond the limit excite it until p is off by the tolerance, and v by ω times that.
#[test]
fn an_oscillation_that_the_steps_excite_is_told() {
    let (name, tol) = ("stiff-spring-1e6", 1e-4);
    let (warnings, excited, steps) = told(name, NewmarkScheme::FoxGoodwin, MonitorUse::Report, tol);
    println!("{name}: v off by {:.0} TOL after {steps} steps; {warnings:?}", excited / tol);
    assert!(excited > 1000.0 * tol, "{excited}");
    assert!(warnings.iter().any(|w| w.contains("frequency") && w.contains("scheme=3")), "{warnings:?}");
    // What the warning advises helps, and is quiet.
    let advised = [
        (NewmarkScheme::Trapezoidal, MonitorUse::Report),
        (NewmarkScheme::Damped, MonitorUse::Report),
        (NewmarkScheme::FoxGoodwin, MonitorUse::Bound),
    ];
    for (scheme, monitor) in advised {
        let (warnings, error, steps) = told(name, scheme, monitor, tol);
        println!("    {scheme:?} {monitor:?}: {:.1} TOL after {steps} steps", error / tol);
        assert!(warnings.is_empty() && error < 0.1 * excited, "{warnings:?} {error}");
    }
}

/// Problems that are not stiff are integrated without that warning.
#[test]
fn no_oscillation_is_told_where_nothing_is_stiff() {
    let stiff = ["stiff-spring-1e6", "stiff-spring-1e8", "double-pendulum-stiff", "pendulum-horizontal"];
    let mut quiet = 0;
    for problem in geoms_problems::all().iter().filter(|p| !p.rank_deficient) {
        if stiff.contains(&problem.name.as_str()) {
            continue;
        }
        for tol in [1e-3, 1e-5] {
            let mut system = problem.system(Form::StrangenessFree, true);
            let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
            let options = Options {
                method: MethodKind::Newmark,
                mass: problem.mass,
                decompose_constraints: kind,
                ..Options::default()
            };
            let (tolerance, start) = (Tolerance::scalar(tol, tol), (problem.t0, &problem.x0[..], 0.0));
            let Ok(mut solver) = Solver::start(&mut *system, &options, &tolerance, start) else { continue };
            if solver.integrate(&mut *system, None, None, problem.tend).is_err() {
                continue;
            }
            let told = solver.take_warnings();
            assert!(!told.iter().any(|w| w.contains("oscillation")), "{} at {tol}: {told:?}", problem.name);
            quiet += 1;
        }
    }
    println!("{quiet} runs without the warning");
    assert!(quiet > 60, "{quiet}");
}

/// Free of forces on y = x²/2, with mass 3 along x and 1 along y: as a carriage and what it lifts.
struct Parabola;

impl Mechanism for Parabola {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(3.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[1] - p[0].sq() * 0.5;
    }
}

/// A displacement along the tangent (1, x) turns the velocity by Ẋ and the acceleration by Ẍ, both along the normal n = (-x, 1), where the
/// masses differ: Ẍ is not orthogonal to the motion. With v = u (1, x) and w = 1 + x² by hand, for the displacement (1, x):
/// Ẋ = u/w n, Ẍ = -(2 Ċ Ẋ + G̈ U)/w n with Ċ Ẋ = u² x/w and G̈ U = -a, a = x''.
#[test]
fn constraints_that_bend_while_they_move_have_their_part_in_the_frequency() {
    for (x, u) in [(1.0, 2.0), (0.5, -3.0), (-1.5, 1.0)] {
        let x0 = [0.0, u, u * x, x, 0.5 * x * x];
        let mut system = Model::new(Parabola, derived::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let options = fixed(NewmarkScheme::FoxGoodwin);
        let solver = run(&mut system, &options, (&x0, 1e-3, 1e-2), |_, _| {}).expect("a run");
        let (u, x) = (solver.x()[1], solver.x()[3]);
        let (w, mass) = (1.0 + x * x, 3.0 + x * x);
        // 3 x'' = λ x and y'' = x x'' + x'² = -λ.
        let a = -x * u * u / mass;
        let lambda = -(x * a + u * u);
        let bent = (2.0 * u * u * x / w - a) / w;
        let exact = ((-lambda + (3.0 - 1.0) * x * bent) / mass).sqrt();
        let found = solver.measure("frequency").expect("a measure");
        println!("at {x:.3} with {u:.3}: frequency {found:.8} for {exact:.8}");
        assert!((found / exact - 1.0).abs() < 1e-5, "{found} {exact}");
    }
}
