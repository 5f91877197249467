//! Models at the edge: no constraints, no degree of freedom, equilibria, both formulations, differences instead of JAC.

use crate::harness::{fixed_for, problem, run};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Dimensions, Form};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::dual::Real;
use geoms_problems::{derived, Blocks, Mechanism, Model};

fn options() -> Options {
    Options { method: MethodKind::Newmark, mass: MassStructure::ConstantDiagonal, ..Options::of_call() }
}

fn adaptive(system: &mut dyn System, options: &Options, tol: f64, x0: &[f64], tend: f64) -> Solver {
    let mut solver =
        Solver::start(system, options, &Tolerance::scalar(tol, tol), (0.0, x0, 0.0)).expect("a start");
    solver.integrate(system, None, None, tend).expect("a run");
    solver
}

/// x'' = -4x and y'' = 0: no constraint.
struct Free;

impl Mechanism for Free {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(2.0));
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = x.p[0] * -4.0;
    }
}

#[test]
fn free_bodies() {
    let x0 = [0.0, 3.0, 1.0, 0.0];
    for scheme in [
        NewmarkScheme::FoxGoodwin,
        NewmarkScheme::LinearAcceleration,
        NewmarkScheme::Trapezoidal,
        NewmarkScheme::Damped,
    ] {
        let mut system = Model::new(Free, derived::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let solver = adaptive(&mut system, &Options { newmark_scheme: scheme, ..options() }, 1e-6, &x0, 5.0);
        let error = (solver.x()[2] - 10.0f64.cos()).abs().max((solver.x()[3] - 15.0).abs());
        println!("{scheme:?}: error {error:.1e} with {} steps", solver.stats().naccpt);
        assert!(error < 1e-3, "{error}");
        assert!((solver.measure("frequency").unwrap() - 2.0).abs() < 1e-9);
    }
}

/// A mass that is moved as sin t: no degree of freedom. λ = -a.
struct Moved;

impl Mechanism for Moved {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0] - t.sin();
    }
}

#[test]
fn no_degree_of_freedom() {
    for form in [Form::StrangenessFree, Form::Index1] {
        let x0 = [0.0, 1.0, 0.0];
        let mut system = Model::new(Moved, derived::Options::new(form, true), 0.0, &x0);
        let solver = adaptive(&mut system, &Options { form, ..options() }, 1e-6, &x0, 7.0);
        let (sin, cos) = 7.0f64.sin_cos();
        for (x, exact, allowed) in
            [(solver.x()[2], sin, 1e-12), (solver.x()[1], cos, 1e-12), (solver.x()[0], sin, 1e-6)]
        {
            assert!((x - exact).abs() < allowed, "{form:?} {x} for {exact}");
        }
        assert_eq!(solver.measure("frequency"), Some(0.0));
    }
}

#[test]
fn formulations_and_differences_agree() {
    for name in ["double-pendulum-rods", "andrews", "leaning-disk", "singular-mass"] {
        let problem = problem(name);
        let ends: Vec<Vec<f64>> =
            [(Form::StrangenessFree, true), (Form::Index1, true), (Form::Index1, false)]
                .map(|(form, analytic)| {
                    let mut system = problem.system(form, analytic);
                    let options = Options { form, ..fixed_for(&problem, NewmarkScheme::FoxGoodwin) };
                    let start = (&problem.x0[..], 1e-3 * problem.tend, problem.tend);
                    run(&mut *system, &options, start, |_, _| {}).expect(name).x().to_vec()
                })
                .to_vec();
        let p = problem.layout(Form::StrangenessFree).x.p;
        for (other, allowed) in ends[1..].iter().zip([1e-9, 1e-5]) {
            let apart =
                p.range().fold(0.0f64, |m, i| m.max((ends[0][i] - other[i]).abs() / (1.0 + other[i].abs())));
            println!("{name}: {apart:.1e} apart");
            assert!(apart < allowed, "{name}: {apart}");
        }
    }
}

#[test]
fn redundant_constraints_need_singular_values() {
    let problem = problem("bricard");
    let mut system = problem.system(Form::StrangenessFree, true);
    let refuse = Options { mass: problem.mass, ..options() };
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let failure = Solver::start(&mut *system, &refuse, &tolerance, (0.0, &problem.x0, 0.0))
        .and_then(|mut s| s.step(&mut *system, 1.0))
        .expect_err("dependent rows");
    assert!(failure.to_string().contains("rank"), "{failure}");
    let take = Options { decompose_constraints: DecompositionKind::Svd, ..refuse };
    let solver = adaptive(&mut *system, &take, 1e-6, &problem.x0, problem.tend);
    let known = problem.at_end().expect("a reference");
    let p = problem.layout(Form::StrangenessFree).x.p;
    let error =
        known.iter().filter(|k| p.contains(k.0)).fold(0.0f64, |m, k| m.max((solver.x()[k.0] - k.1).abs()));
    println!("bricard: {error:.1e} with {} steps", solver.stats().naccpt);
    assert!(error < 1e-3, "{error}");
}

#[test]
fn parameters_are_checked() {
    let mut options = Options::of_call();
    for (name, value) in [("BETA", -0.1), ("BETA", 1.5), ("GAMMA", 0.4), ("GAMMA", f64::NAN)] {
        let before = options.clone();
        let refused = options.set_real(name, value).expect_err(name);
        assert!(refused.to_string().contains(name), "{refused}");
        options = before;
    }
    assert!(options.set_int("SCHEME", 5).is_err() && options.set_int("MONITOR", 3).is_err());
    options.set_int("method", 3).expect("the method");
    options.set_int("scheme", 4).expect("a scheme");
    options.set_real("gamma", 0.6).expect("a parameter");
    assert_eq!((options.method, options.newmark_gamma), (MethodKind::Newmark, Some(0.6)));
}
