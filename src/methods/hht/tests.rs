//! Tests of the inner parts: conditioning of the iteration matrix, its derivation, recognition of Z ≠ I.

use super::*;
use crate::layout::{Dimensions, Form};
use crate::linalg::svd::Svd;
use crate::mechanism::dual::Real;
use crate::mechanism::samples::{Arm, Circle, Everything};
use crate::mechanism::{self, Blocks, Mechanism, Model};

fn condition(matrix: &[f64]) -> f64 {
    let n = matrix.len().isqrt();
    let mut svd = Svd::new(n, n);
    svd.compute(n, matrix).unwrap();
    let s = svd.singular_values();
    s[0] / s[n - 1]
}

fn analytic() -> Supplied<'static> {
    Supplied { jacobian: true, ..Supplied::default() }
}

/// One accepted step, as the driver makes it.
fn step(hht: &mut Hht, system: &mut dyn System) {
    hht.begin_step();
    loop {
        let h = hht.state.h;
        let plan = Plan { h, t_new: hht.state.t + h, cut_from: None, ends: false };
        match hht.attempt(system, &plan) {
            Ok(attempted) => {
                hht.accept(&plan, &attempted);
                hht.state.advance(&plan, if hht.options.fixed_step { h } else { attempted.next });
                return hht.complete(system, &plan).unwrap();
            }
            Err(Setback::Reject { why, factor, .. }) => {
                hht.reject(why);
                hht.state.h = h * factor;
            }
            Err(Setback::Fatal(failure)) => panic!("{failure}"),
        }
    }
}

#[test]
fn condition_does_not_depend_on_the_step_size() {
    let x0 = Circle::x0();
    let options = Options { method: crate::options::MethodKind::Hht, fixed_step: true, ..Options::of_call() };
    for h in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
        let mut system = Model::new(Circle, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let layout = Layout::new(system.dimensions(), Form::StrangenessFree);
        let tolerance = Tolerance::scalar(1e-12, 1e-12);
        let mut hht = Hht::new(&layout, &options, &tolerance, analytic(), (0.0, &x0, h));
        for _ in 0..20 {
            hht.matrix.discard();
            step(&mut hht, &mut system);
        }
        let found = condition(hht.matrix.assembled());
        println!("h = {h:.0e}: condition number {found:.2}");
        assert!((found - 3.78).abs() < 0.05, "h = {h:e}: {found}");
    }
}

/// The matrix is the derivative of the residuals, column by column, for every kind of unknown.
#[test]
fn matrix_is_the_derivative_of_the_residuals() {
    derivative_of_the_residuals("circle", Circle, &Circle::x0());
    derivative_of_the_residuals("arm", Arm, &Arm::x0());
    derivative_of_the_residuals("everything", Everything, &Everything::x0());
}

fn derivative_of_the_residuals(name: &str, mechanism: impl Mechanism + Clone, x0: &[f64]) {
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    {
        for family in [crate::options::Family::Hht, crate::options::Family::GeneralizedAlpha] {
            // With a = a_n the velocities v and ṽ agree, as the matrix takes them to do.
            let options = Options { family, zero_start: true, ..Options::of_call() };
            let presented = mechanism::Options::new(Form::StrangenessFree, true);
            let mut system = Model::new(mechanism.clone(), presented, 0.0, x0);
            let layout = Layout::new(system.dimensions(), Form::StrangenessFree);
            let mut hht = Hht::new(&layout, &options, &tolerance, analytic(), (0.0, x0, 1e-3));
            for _ in 0..3 {
                step(&mut hht, &mut system);
            }
            let h = 1e-2;
            let plan = Plan { h, t_new: hht.state.t + h, cut_from: None, ends: false };
            hht.predict(plan);
            hht.linearize(&mut system, plan).unwrap();
            let unknowns = hht.unknowns;
            let (n, y) = (unknowns.n, hht.work.y.clone());
            let assembled = hht.matrix.assembled().to_vec();
            let beta = hht.coefficients.beta;
            let mut moved = |j: usize, by: f64| {
                hht.work.y.copy_from_slice(&y);
                hht.work.y[j] += by;
                assert!(hht.evaluate_residuals(&mut system, plan).unwrap());
                hht.work.e.clone()
            };
            for j in 0..n {
                // Accelerations and q move the positions by 1e-6.
                let moves = unknowns.a.contains(j) || unknowns.q.contains(j);
                let by = 1e-5 * y[j].abs().max(1.0).max(if moves { 0.1 / (beta * h * h) } else { 0.0 });
                let (up, down) = (moved(j, by), moved(j, -by));
                let scale = if unknowns.s.contains(j) { beta * h * h } else { 1.0 };
                let column = &assembled[j * n..(j + 1) * n];
                let size = column.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                for (i, entry) in column.iter().enumerate() {
                    let slope = scale * (up[i] - down[i]) / (2.0 * by);
                    assert!(
                        (entry - slope).abs() < 2e-5 * size,
                        "{name} ({i}, {j}): {entry} against {slope}"
                    );
                }
            }
        }
    }
}

/// Z = I at the start by accident: it is noticed, and the run has the same order.
#[test]
fn general_kinematics_is_noticed() {
    /// p' = (1 + p²) v, f such that p = tan(t)·½ is a solution.
    #[derive(Clone)]
    struct Stretched;
    impl Mechanism for Stretched {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 1, nv: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(1.0);
        }
        fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = -x.p[0];
        }
        fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
            pdot[0] = (p[0].sq() + 1.0) * v[0];
        }
    }
    let layout = Layout::new(Stretched.dimensions(), Form::StrangenessFree);
    let options =
        Options { mass: crate::options::MassStructure::ConstantFull, fixed_step: true, ..Options::of_call() };
    let x0 = [1.0, 0.0];
    // v²/2 + ln(1+p²)/2 is constant.
    let drift = |steps: u32| {
        let mut system =
            Model::new(Stretched, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let h = 1.0 / f64::from(steps);
        let mut hht =
            Hht::new(&layout, &options, &Tolerance::scalar(1e-12, 1e-12), analytic(), (0.0, &x0, h));
        assert!(!hht.general);
        while hht.state.t < 1.0 {
            step(&mut hht, &mut system);
        }
        assert!(hht.general);
        let [v, p] = hht.state.x[..] else { panic!() };
        (v * v + (1.0 + p * p).ln() - 1.0).abs()
    };
    let order = (drift(200) / drift(400)).log2();
    assert!(order > 1.9, "{order}");
}

/// p' = gear v under a force that makes p the same function of time whatever the gear.
#[derive(Clone)]
struct Geared(f64);

impl Mechanism for Geared {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
    }
    fn force<T: Real>(&self, t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = (t + 0.3).sin() * (1.0 / self.0);
    }
    fn kinematics<T: Real>(&self, _p: &[T], v: &[T], pdot: &mut [T]) {
        pdot[0] = v[0] * self.0;
    }
}

/// The estimate of the error of p does not depend on how velocities are written: p'' and its change are seen in q where Z ≠ I.
#[test]
fn estimates_with_and_without_kinematics_agree() {
    let errors = |gear: f64, sizes: &[f64]| -> Vec<f64> {
        let mechanism = Geared(gear);
        let layout = Layout::new(mechanism.dimensions(), Form::StrangenessFree);
        let options = Options {
            mass: crate::options::MassStructure::ConstantFull,
            fixed_step: true,
            ..Options::of_call()
        };
        let x0 = [1.0 / gear, 2.0];
        let mut system =
            Model::new(mechanism, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let tolerance = Tolerance::scalar(1e-9, 1e-9);
        let mut hht = Hht::new(&layout, &options, &tolerance, analytic(), (0.0, &x0, sizes[0]));
        let estimated = |h: &f64| {
            hht.begin_step();
            let plan = Plan { h: *h, t_new: hht.state.t + h, cut_from: None, ends: false };
            let attempted = hht.attempt(&mut system, &plan).unwrap_or_else(|_| panic!("rejected"));
            hht.accept(&plan, &attempted);
            hht.state.advance(&plan, *h);
            hht.complete(&mut system, &plan).unwrap();
            attempted.err
        };
        sizes.iter().map(estimated).collect()
    };
    // The first step, constant ones, shorter ones, longer ones.
    let sizes = [0.04, 0.04, 0.04, 0.02, 0.02, 0.06, 0.06];
    let (plain, geared) = (errors(1.0, &sizes), errors(3.0, &sizes));
    // p'' of the scheme, and q = ((1/2 - β) a_n + β a_{n+1})/β.
    let c = Coefficients::new(&Options::of_call());
    let force = |t: f64| (t + 0.3).sin();
    let (mut t, mut a, mut q, mut before) = (0.0, force(0.0), force(0.0) / (2.0 * c.beta), None);
    for (k, h) in sizes.into_iter().enumerate() {
        let a_new = (1.0 - c.alpha_f) * force(t + h) + c.alpha_f * force(t);
        let q_new = ((0.5 - c.beta) * a + c.beta * a_new) / c.beta;
        let distance = before.map_or(h / 3.0, |b: f64| (2.0 * b + h) / 3.0);
        let expected = 2.0 * c.beta * h / distance * (q_new - q) / (a_new - a);
        let ratio = geared[k] / plain[k];
        assert!((ratio / expected - 1.0).abs() < 1e-5, "step {k}: {ratio} and not {expected}");
        if k == 2 {
            assert!((ratio - 1.0).abs() < 0.02, "constant steps: {ratio}");
        }
        (t, a, q, before) = (t + h, a_new, q_new, Some(h));
    }
}

/// With M = 1 the terms of a row, which is divided by 1 - α, are the acceleration and the force.
#[test]
fn accelerations_balance_forces() {
    let layout = Layout::new(Geared(1.0).dimensions(), Form::StrangenessFree);
    let options = Options { fixed_step: true, ..Options::of_call() };
    let (x0, tolerance) = ([1.0, 2.0], Tolerance::scalar(1e-9, 1e-9));
    let mut system = Model::new(Geared(1.0), mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
    let mut hht = Hht::new(&layout, &options, &tolerance, analytic(), (0.0, &x0, 0.1));
    step(&mut hht, &mut system);
    let part = 1.0 - hht.coefficients.alpha_f;
    let expected = hht.points.values(0)[0].abs() + part * hht.old.force[0].abs();
    let found = hht.balancing_acceleration();
    assert!(expected > 0.5 && (found / expected - 1.0).abs() < 1e-12, "{found} and not {expected}");
}

/// By acceleration, where it is so large that half of the step over which it exhausts the tolerance is shorter; a thousandth of the
/// interval at rest.
#[test]
fn first_steps_follow_the_acceleration() {
    #[derive(Clone)]
    struct Pushed(f64);
    impl Mechanism for Pushed {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 1, nv: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(0.5);
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = T::real(self.0);
        }
    }
    let (options, x0) = (Options::of_call(), [0.0, 3.0]);
    let first = |force: f64, tend: f64| {
        let layout = Layout::new(Pushed(force).dimensions(), Form::StrangenessFree);
        let presented = mechanism::Options::new(Form::StrangenessFree, true);
        let mut system = Model::new(Pushed(force), presented, 0.0, &x0);
        let mut hht =
            Hht::new(&layout, &options, &Tolerance::scalar(1e-6, 1e-6), analytic(), (0.0, &x0, 0.0));
        hht.first_step(&mut system, tend).unwrap();
        hht.state.h
    };
    assert_eq!((first(0.0, 50.0), first(1e-9, 50.0)), (0.05, 0.05));
    // a = 8 in units of 1e-6 (1 + 3).
    let size = Coefficients::new(&options).position_error() * 8.0 / 4e-6;
    assert!((first(4.0, 50.0) * size.sqrt() / 0.5 - 1.0).abs() < 1e-9, "{}", first(4.0, 50.0));
}
