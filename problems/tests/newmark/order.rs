//! Fox-Goodwin is of fourth order where the tangent space does not turn and the start is corrected, and of second order on curved
//! constraints: the rotating tangent space takes the rest.

use crate::harness::{fixed, fixed_for, problem, run};
use geoms::layout::{Dimensions, Form};
use geoms::options::{MassStructure, NewmarkScheme, Options};
use geoms_problems::dual::Real;
use geoms_problems::{derived, Blocks, Mechanism, Model};

/// A point mass on the line y = x/2, with x'' = -a sin x along it (tangential force).
struct OnLine;

const STIFFNESS: f64 = 4.0;

impl Mechanism for OnLine {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let pull = x.p[0].sin() * -STIFFNESS;
        (f[0], f[1]) = (pull, pull * 0.5);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[1] - p[0] * 0.5;
    }
}

/// x after time 2 from x = 0.3 with this velocity, by the classical Runge-Kutta method with small steps.
fn exact(v: f64) -> f64 {
    let (mut x, mut v, h) = (0.3, v, 1e-4);
    let f = |x: f64| -STIFFNESS * f64::sin(x);
    for _ in 0..20_000 {
        let (k1, l1) = (v, f(x));
        let (k2, l2) = (v + 0.5 * h * l1, f(x + 0.5 * h * k1));
        let (k3, l3) = (v + 0.5 * h * l2, f(x + 0.5 * h * k2));
        let (k4, l4) = (v + h * l3, f(x + h * k3));
        x += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        v += h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
    }
    x
}

fn slopes(v: f64, corrected: bool) -> Vec<f64> {
    let reference = exact(v);
    let errors: Vec<f64> = [50u32, 100, 200, 400]
        .iter()
        .map(|&steps| {
            let h = 2.0 / f64::from(steps);
            // v + h²/12 times the jerk: what Fox-Goodwin integrates is v at the end of that correction.
            let start = v + if corrected { h * h / 12.0 * -STIFFNESS * 0.3f64.cos() * v } else { 0.0 };
            let x0 = [0.0, start, 0.5 * start, 0.3, 0.15];
            let mut system = Model::new(OnLine, derived::Options::new(Form::StrangenessFree, true), 0.0, &x0);
            let options =
                Options { mass: MassStructure::ConstantDiagonal, ..fixed(NewmarkScheme::FoxGoodwin) };
            let solver = run(&mut system, &options, (&x0, h, 2.0), |_, _| {}).expect("a run");
            (solver.x()[3] - reference).abs()
        })
        .collect();
    let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("flat, v = {v}, corrected {corrected}: {errors:?} {slopes:.2?}");
    slopes
}

#[test]
fn fourth_order_on_a_flat_constraint() {
    assert!(slopes(0.0, false).iter().all(|s| (3.9..4.1).contains(s)), "at rest");
    assert!(slopes(0.4, true).iter().all(|s| (3.9..4.1).contains(s)), "corrected");
    assert!(slopes(0.4, false).iter().all(|s| (1.9..2.1).contains(s)), "not corrected");
}

#[test]
fn second_order_on_a_curved_one_also_from_rest() {
    let problem = problem("pendulum-iftomm");
    // Released at rest, as in the corrected flat case.
    let reference = [-0.793_566_195_343_33, -0.608_483_930_443_48];
    let errors: Vec<f64> = [100u32, 200, 400]
        .iter()
        .map(|&steps| {
            let mut system = problem.system(Form::StrangenessFree, true);
            let options = fixed_for(&problem, NewmarkScheme::FoxGoodwin);
            let solver = run(&mut *system, &options, (&problem.x0, 2.0 / f64::from(steps), 2.0), |_, _| {})
                .expect("a run");
            let p = problem.layout(Form::StrangenessFree).x.p;
            p.of(solver.x()).iter().zip(reference).fold(0.0f64, |m, (x, r)| m.max((x - r).abs()))
        })
        .collect();
    println!("curved, at rest: {errors:?}");
    for (found, printed) in errors.iter().zip([1.349e-3, 3.377e-4, 8.441e-5]) {
        assert!((found / printed - 1.0).abs() < 2e-3, "{found} against {printed}");
    }
}
