//! Mechanisms whose constraints, drives among them, leave no or little freedom: any step ends on the constraints, and only p' = Zv says
//! whether it ends on the branch it came on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MethodKind, Options, Order};
use geoms::solver::Solver;

/// A slider-crank of lengths 1 and 2, driven at the crank with angle ωt; beside it, perhaps, an oscillator with x'' = -x/4.
#[derive(Clone, Copy, Debug)]
struct Driven {
    speed: f64,
    oscillator: bool,
}

impl Driven {
    fn np(&self) -> usize {
        3 + usize::from(self.oscillator)
    }

    /// Crank angle, rod angle, slider, oscillator; and their rates.
    fn exact(&self, t: f64) -> [Vec<f64>; 2] {
        let (angle, rate) = (self.speed * t, self.speed);
        let rod = -(0.5 * angle.sin()).asin();
        let rod_rate = -0.5 * rate * angle.cos() / rod.cos();
        let mut p = vec![angle, rod, angle.cos() + 2.0 * rod.cos()];
        let mut v = vec![rate, rod_rate, -rate * angle.sin() - 2.0 * rod_rate * rod.sin()];
        if self.oscillator {
            p.push((0.5 * t).cos());
            v.push(-0.5 * (0.5 * t).sin());
        }
        [p, v]
    }
}

impl Mechanism for Driven {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: self.np(), nv: self.np(), nl: 3, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let n = self.np();
        (0..n).for_each(|i| m[i * (n + 1)] = T::real(1.0 + i as f64));
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = x.p[0].cos() * -9.81;
        f[2] = x.v[2] * -0.5;
        if self.oscillator {
            f[3] = -x.p[3];
        }
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].cos() + p[1].cos() * 2.0 - p[2];
        g[1] = p[0].sin() + p[1].sin() * 2.0;
        g[2] = p[0] - t * self.speed;
    }
}

fn settings() -> Vec<(MethodKind, Order)> {
    use MethodKind::*;
    let mut list: Vec<_> =
        [Order::Five, Order::Nine, Order::Thirteen, Order::Automatic].map(|order| (Radau, order)).into();
    list.extend(
        [HalfExplicit, Automatic, ByModel, RosenbrockNystroem, Newmark, Hht].map(|m| (m, Order::Nine)),
    );
    list
}

/// Largest error of p at accepted points and in between, in units of the tolerance, and steps.
fn follow(driven: Driven, options: &Options, tol: f64, tend: f64) -> (f64, f64, u64) {
    let [p, v] = driven.exact(0.0);
    let x0 = [vec![0.0; 3], v, p].concat();
    let mut model = Model::new(driven, Presented::new(options.form, true), 0.0, &x0);
    let what =
        format!("{driven:?} {:?} {:?} {:?} {tol:e} {tend}", options.method, options.order, options.form);
    let mut solver = Solver::start(&mut model, options, &Tolerance::scalar(tol, tol), (0.0, &x0, 0.0))
        .unwrap_or_else(|f| panic!("{what}: {f}"));
    let (first, mut at, mut between) = (3 + driven.np(), 0.0f64, 0.0f64);
    let error = |t: f64, x: &[f64]| {
        let [p, _] = driven.exact(t);
        let size = |e: f64| tol * (1.0 + e.abs());
        p.iter().zip(&x[first..]).fold(0.0f64, |m, (e, x)| m.max((x - e).abs() / size(*e)))
    };
    let mut x = vec![0.0; x0.len()];
    while solver.t() < tend {
        let old = solver.t();
        solver.step(&mut model, tend).unwrap_or_else(|f| panic!("{what}: {f}"));
        at = at.max(error(solver.t(), solver.x()));
        for k in 1..8 {
            let t = old + f64::from(k) / 8.0 * (solver.t() - old);
            solver.last_step().dense.all(t, &mut x);
            between = between.max(error(t, &x));
        }
    }
    (at, between, solver.stats().naccpt)
}

/// Errors of the polynomial in TOL: method 0 takes steps by RTOL' = 0.1 TOL^((s+1)/2s), of which ten are allowed.
fn allowed_between(method: MethodKind, order: Order, tol: f64) -> f64 {
    let stages = match (method, order) {
        (MethodKind::Radau, Order::Thirteen) => 7.0,
        (MethodKind::Radau | MethodKind::ByModel, Order::Nine) => 5.0,
        (MethodKind::Radau, _) => 3.0,
        _ => return 1e3,
    };
    let internal = 0.1 * f64::powf(tol, (stages + 1.0) / (2.0 * stages));
    100.0 * internal / tol
}

/// Also between the points of the run, by the polynomial over the step.
#[test]
fn driven_mechanisms_stay_on_their_branch() {
    let mut bad = Vec::new();
    for oscillator in [false, true] {
        for (method, order) in settings() {
            for form in [Form::StrangenessFree, Form::Index1] {
                for (speed, tend) in [(1.0, 2.0), (1.0, 6.2), (1.0, 20.0), (1.0, 60.0), (7.0, 20.0)] {
                    for tol in [1e-3, 1e-6, 1e-9] {
                        if tol < 1e-6 && matches!(method, MethodKind::Hht | MethodKind::Newmark) {
                            continue;
                        }
                        let options = Options {
                            method,
                            order,
                            form,
                            consistent: true,
                            check: CheckLevel::Off,
                            ..Options::default()
                        };
                        let (at, between, steps) = follow(Driven { speed, oscillator }, &options, tol, tend);
                        let line = format!("{oscillator} {method:?} {order:?} {form:?} speed {speed} to {tend} {tol:e}: {at:.1e} {between:.1e} TOL in {steps} steps");
                        println!("{line}");
                        if at > 1e3 || between > allowed_between(method, order, tol) {
                            bad.push(line);
                        }
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}:\n{}", bad.len(), bad.join("\n"));
}
