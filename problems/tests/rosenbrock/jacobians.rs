//! J1, J2, all other blocks of the reduced Jacobian and ∂f/∂t against differences of the reduced equations, on all problems.

use crate::harness::options;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model};
use geoms::methods::rosenbrock::Rosenbrock;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::Problem;

const FREE: Form = Form::StrangenessFree;
/// Part of the interval after which the points are taken, beside the initial one: where all move.
const LATER: f64 = 0.11;

/// A central difference of fourth order.
fn difference(mut at: impl FnMut(f64) -> Vec<f64>, width: f64) -> Vec<f64> {
    let weights = [(1.0, 2.0 / 3.0), (-1.0, -2.0 / 3.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0)];
    let mut sum = Vec::new();
    for (offset, weight) in weights {
        let found = at(offset * width);
        sum.resize(found.len(), 0.0);
        sum.iter_mut().zip(found).for_each(|(s, f)| *s += weight / width * f);
    }
    sum
}

/// Largest difference of J and of ∂f/∂t, beside the largest entry of each.
fn deviation(problem: &Problem, system: &mut dyn System, (t, x): (f64, &[f64])) -> Option<[f64; 2]> {
    let options = options(problem, FREE);
    let layout = problem.layout(FREE);
    let h = 1e-3 * (problem.tend - problem.t0).min(1.0);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let mut method = Rosenbrock::new(&layout, &options, &tolerance, true, (t, x, h));
    let space = method.state_space(system, h).ok()?;
    let n = space.z.len();
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let (mut worst, size) = ([0.0f64; 2], largest(&space.jacobian));
    let mut compare = |k: usize, exact: &[f64], found: &[f64], size: f64| {
        for (e, f) in exact.iter().zip(found) {
            worst[k] = worst[k].max((e - f).abs() / size.max(f64::MIN_POSITIVE));
        }
    };
    for k in 0..n {
        let width = 2e-3 * space.z[k].abs().max(0.1);
        let column = difference(
            |d| {
                let mut z = space.z.clone();
                z[k] += d;
                method.rate_at(system, t, &z, h).expect("near the point")
            },
            // Velocities are of the size of the motion; positions may not leave the constraints.
            if space.coordinates[k].block == "p" { 0.05 * width } else { width },
        );
        compare(0, &space.jacobian[k * n..(k + 1) * n], &column, size);
    }
    let width = 2e-4 * (problem.tend - problem.t0).min(1.0);
    let by_time = difference(|d| method.rate_at(system, t + d, &space.z, h).expect("near the point"), width);
    // Beside f itself where nothing depends on time.
    let size = largest(&space.by_time).max(largest(&space.rate));
    compare(1, &space.by_time, &by_time, size);
    Some(worst)
}

/// The initial point of a problem, and one in motion.
fn points(problem: &Problem) -> Vec<(f64, Vec<f64>)> {
    let mut points = vec![(problem.t0, problem.x0.clone())];
    let (mut system, options) = (problem.system(FREE, true), options(problem, FREE));
    let start = (problem.t0, &problem.x0[..], 0.0);
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    if let Ok(mut solver) = Solver::start(&mut *system, &options, &tolerance, start) {
        let later = problem.t0 + LATER * (problem.tend - problem.t0).min(10.0);
        if solver.integrate(&mut *system, None, None, later).is_ok() {
            points.push((solver.t(), solver.x().to_vec()));
        }
    }
    points
}

fn problems() -> impl Iterator<Item = Problem> {
    geoms_problems::all().into_iter().filter(|p| !p.rank_deficient && p.x0.len() <= 80)
}

#[test]
fn exact_with_the_jacobian_of_the_model() {
    let mut compared = 0;
    for problem in problems() {
        let mut system = problem.system(FREE, true);
        for (t, x) in points(&problem) {
            let found = deviation(&problem, &mut *system, (t, &x)).expect("a point of the solution");
            println!("{} t = {t:.3}: J {:.1e}, f_t {:.1e}", problem.name, found[0], found[1]);
            assert!(found[0] < 1e-8 && found[1] < 1e-6, "{} t = {t}: {found:?}", problem.name);
            compared += 1;
        }
    }
    println!("count: {compared} reduced Jacobians against differences");
    assert!(compared > 50, "{compared}");
}

/// v' = 2/M with M = 1 + t²/2: at t = 1 it falls with 2 M'/M² = 8/9. No problem has a mass matrix that depends on time.
#[test]
fn a_mass_that_depends_on_time() {
    #[derive(Clone)]
    struct Growing;
    impl Mechanism for Growing {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 1, nv: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, t: T, _p: &[T], m: &mut [T]) {
            m[0] = t.sq() * 0.5 + 1.0;
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = T::real(2.0);
        }
    }
    let (x0, h) = ([0.5, 0.25], 1e-3);
    for analytic in [true, false] {
        let mut system = Model::new(Growing, geoms_problems::Options::new(FREE, analytic), 1.0, &x0);
        let options = Options { method: MethodKind::RosenbrockNystroem, ..Options::of_call() };
        let (layout, tolerance) = (Layout::new(Growing.dimensions(), FREE), Tolerance::scalar(1e-6, 1e-6));
        let mut method = Rosenbrock::new(&layout, &options, &tolerance, analytic, (1.0, &x0, h));
        let space = method.state_space(&mut system, h).expect("a point of the solution");
        for (k, coordinate) in space.coordinates.iter().enumerate() {
            let (rate, by_time) = if coordinate.block == "v" { (4.0 / 3.0, -8.0 / 9.0) } else { (0.5, 0.0) };
            let found = (space.rate[k], space.by_time[k]);
            assert!(
                (found.0 - rate).abs() < 1e-14 && (found.1 - by_time).abs() < 1e-6,
                "{analytic}: {found:?}"
            );
        }
    }
}

/// Without gII, where second derivatives of the constraints are differences, and without JAC, J is nearly the same.
#[test]
fn the_same_without_the_constraints_on_acceleration_level() {
    let mut compared = 0;
    for problem in problems() {
        for (t, x) in points(&problem) {
            let of = |form, analytic| {
                let (options, layout) = (options(&problem, form), problem.layout(form));
                let (mut system, h) = (problem.system(form, analytic), 1e-3 * problem.tend.min(1.0));
                let tolerance = Tolerance::scalar(1e-6, 1e-6);
                let mut method = Rosenbrock::new(&layout, &options, &tolerance, analytic, (t, &x, h));
                method.state_space(&mut *system, h)
            };
            let exact = of(FREE, true).expect("a point of the solution");
            let size = exact.jacobian.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            for (form, analytic, bound) in [(Form::Index1, true, 1e-6), (FREE, false, 1e-6)] {
                let Ok(found) = of(form, analytic) else { continue };
                if found.coordinates != exact.coordinates {
                    continue;
                }
                let worst =
                    exact.jacobian.iter().zip(&found.jacobian).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                println!("{} t = {t:.3} {form:?} {analytic}: J {:.1e}", problem.name, worst / size);
                assert!(
                    worst <= bound * size,
                    "{} t = {t} {form:?} {analytic}: {}",
                    problem.name,
                    worst / size
                );
                compared += 1;
            }
        }
    }
    println!("count: {compared} reduced Jacobians with FORM=1 or without JAC");
    assert!(compared > 80, "{compared}");
}
