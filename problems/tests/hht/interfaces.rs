//! The projection of what is reported, restarts, dense output, refusals. What all methods have in common is in suite/.

use crate::harness::{distance, drive, fixed_system, options, problem, FREE};
use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, Options, PROJECT_ACCELERATIONS, PROJECT_VELOCITIES};
use geoms::system::{Outcome, System};

/// Largest |gI| of a run, and largest error of λ in its first five steps.
fn residuals(project: u8, steps: u32) -> (f64, f64, Vec<f64>) {
    let problem = problem("pendulum-2.8");
    // Somewhere on the way: at the lowest point the first steps are better than elsewhere.
    let (t0, tend) = (0.3, 2.3);
    let exact = problem.exact.clone().expect("closed form");
    let options = Options { project, fixed_step: true, consistent: true, ..options(&problem) };
    let (mut velocity, mut multiplier) = (0.0f64, 0.0f64);
    let mut system = problem.system(FREE, true);
    let x0 = exact(t0);
    let start = (t0, &x0[..], (tend - t0) / f64::from(steps), tend);
    let run = drive(&mut *system, &options, &Tolerance::scalar(1e-12, 1e-12), start, |step| {
        let x = step.x;
        velocity = velocity.max((x[1] * x[3] + x[2] * x[4]).abs());
        if step.naccpt <= 5 {
            multiplier = multiplier.max((x[0] - exact(step.t)[0]).abs());
        }
    })
    .good("projection");
    (velocity, multiplier, run.x[3..].to_vec())
}

#[test]
fn projection_of_what_is_reported() {
    let plain = [400, 800].map(|n| residuals(0, n));
    let both = [400, 800].map(|n| residuals(PROJECT_VELOCITIES | PROJECT_ACCELERATIONS, n));
    println!(
        "|gI| and error of lambda: {:.1e} {:.1e}, projected {:.1e} {:.1e}",
        plain[1].0, plain[1].1, both[1].0, both[1].1
    );
    // Without projection λ begins with an error of first order; with it the error is of second order there too.
    let order = |pair: &[(f64, f64, Vec<f64>); 2]| (pair[0].1 / pair[1].1).log2();
    assert!((0.8..1.3).contains(&order(&plain)), "order {}", order(&plain));
    assert!(order(&both) > 1.8, "order {}", order(&both));
    assert!(plain[1].0 > 1e-6 && both[1].0 < 1e-13, "{} {}", plain[1].0, both[1].0);
    let velocities = residuals(PROJECT_VELOCITIES, 800);
    assert!(velocities.0 < 1e-13 && (velocities.1 - plain[1].1).abs() < 1e-12);
    // The run itself does not see it.
    for other in [&both[1], &velocities] {
        assert_eq!(other.2, plain[1].2);
    }
}

/// In a run with changing steps λ is the least accurate part. Projected it has the errors of p and v, no more and no less.
#[test]
fn projection_smooths_multipliers() {
    for (name, better) in [
        ("double-pendulum-rods", true),
        ("andrews", true),
        ("slider-crank", true),
        // λ is a small force between large ones here, and suffers from the error of v.
        ("car-axis", false),
        ("leaning-disk", false),
        ("cycloid", false),
        ("friction-bead", false),
        ("top-nutating", false),
    ] {
        let problem = problem(name);
        let l = problem.layout(FREE);
        let mut reference = problem.x0.clone();
        problem.at_end().expect("end values").iter().for_each(|(i, value)| reference[*i] = *value);
        let end = |project: u8, tol: f64| {
            let options = Options { project, ..options(&problem) };
            let mut system = problem.system(FREE, true);
            let start = (0.0, &problem.x0[..], 0.0, problem.tend);
            drive(&mut *system, &options, &Tolerance::scalar(tol, tol), start, |_| {}).good(name).x
        };
        let error = |x: &[f64]| distance(l.x.algebraic, x, &reference);
        let (plain, projected, fine) = (end(0, 1e-6), end(3, 1e-6), end(3, 1e-8));
        println!(
            "{name:22} error of w, lambda, mu: {:.1e}, projected {:.1e}, at 1e-8 {:.1e}",
            error(&plain),
            error(&projected),
            error(&fine)
        );
        assert_eq!(l.x.p.of(&plain), l.x.p.of(&projected), "{name}");
        assert!(error(&fine) < error(&projected) / 8.0, "{name}");
        assert!(!better || error(&projected) < error(&plain), "{name}");
    }
}

#[test]
fn redundant_constraints_need_the_svd() {
    let problem = problem("coupler");
    for (kind, code) in [
        (DecompositionKind::Lu, Err(Code::Fx2DeficientLu)),
        (DecompositionKind::Qr, Err(Code::Fx2DeficientQr)),
        (DecompositionKind::Svd, Ok(())),
    ] {
        for form in [FREE, Form::Index1] {
            for jacobian in [true, false] {
                let options =
                    Options { decompose_constraints: kind, form, consistent: true, ..options(&problem) };
                let mut system = problem.system(form, jacobian);
                let start = (0.0, &problem.x0[..], 0.0, 10.0);
                let run = drive(&mut *system, &options, &Tolerance::scalar(1e-6, 1e-6), start, |_| {});
                let found = match &run.result {
                    Ok(()) => Ok(()),
                    Err(failure) => Err(failure.code),
                };
                assert_eq!(found, code, "{kind:?} {form:?} {jacobian}");
                if let Err(failure) = &run.result {
                    assert!(failure.to_string().contains("rank 2 of 3"), "{failure}");
                } else {
                    // The multipliers are those of minimum norm: all three alike.
                    let lambda = &run.x[..3];
                    assert!(lambda.iter().all(|v| (v - lambda[0]).abs() < 1e-3), "{lambda:?}");
                    assert!((lambda[0] - 4.528_507_834_452_66).abs() < 0.1, "{lambda:?}");
                }
            }
        }
    }
}

/// The polynomial over a step has the order of the method.
#[test]
fn dense_output() {
    for name in ["pendulum-2.8", "maxwell-element", "top-steady", "knife-edge"] {
        let problem = problem(name);
        let exact = problem.exact.clone().expect("closed form");
        let l = problem.layout(FREE);
        let error = |steps: u32| {
            let options = Options { fixed_step: true, consistent: true, ..options(&problem) };
            let mut system = problem.system(FREE, true);
            let start = (0.0, &problem.x0[..], 2.0 / f64::from(steps), 2.0);
            let (mut worst, mut x) = ([0.0f64; 2], vec![0.0; l.n]);
            drive(&mut *system, &options, &Tolerance::scalar(1e-12, 1e-12), start, |step| {
                if step.naccpt > 0 {
                    let t = step.t_old + 0.37 * (step.t - step.t_old);
                    step.dense.all(t, &mut x);
                    for (worst, block) in worst.iter_mut().zip([l.x.p, l.x.v]) {
                        *worst = worst.max(distance(block, &x, &exact(t)));
                    }
                    // The ends are those of the step.
                    step.dense.all(step.t, &mut x);
                    assert!(distance(l.x.p, &x, step.x) == 0.0);
                }
            })
            .good(name);
            worst
        };
        let (coarse, fine) = (error(400), error(800));
        for k in 0..2 {
            let order = (coarse[k] / fine[k]).log2();
            assert!(order > 1.9, "{name}: order {order}");
        }
    }
}

/// Values of the options that are refused, by name.
#[test]
fn refusals() {
    let arrays = |family: i64, alpha: f64, rho: f64| {
        let (mut iopt, mut ropt) = ([0; 40], [0.0; 40]);
        (iopt[15], iopt[17], iopt[22]) = (1, 1, family);
        (ropt[9], ropt[10]) = (alpha, rho);
        Options::from_arrays(&iopt, &ropt)
    };
    for (family, alpha) in [(0, -0.34), (0, 0.1), (0, 0.999), (1, -0.1), (1, 1.1), (0, f64::NAN), (2, 0.0)] {
        assert!(arrays(family, alpha, 0.0).is_err(), "{family} {alpha}");
    }
    for (family, alpha) in [(0, -1.0 / 3.0), (0, -0.05), (0, 1.0), (0, 0.0), (1, 1.0), (1, 0.01), (1, 0.0)] {
        assert!(arrays(family, alpha, 0.0).is_ok(), "{family} {alpha}");
    }
    for rho in [0.49, 1.01, -0.5, f64::NAN] {
        assert!(arrays(0, 0.0, rho).expect_err("rho").to_string().contains("RHO"), "{rho}");
    }
    let message = arrays(0, 0.1, 0.0).expect_err("alpha").to_string();
    assert!(message.contains("ROPT(10) = ALPHA") && message.contains("-1/3"), "{message}");
}

/// ρ = 1 is of first order, and its own error test holds the error.
#[test]
fn states_of_first_order() {
    let end = |rho: f64, tol: f64| {
        let options = crate::references::lagging_options(rho);
        let mut system = crate::references::lagging(true);
        let start = (0.0, &crate::references::LAGGING_START[..], 0.0, 2.0);
        let run = drive(&mut system, &options, &Tolerance::scalar(tol, tol), start, |_| {}).good("r");
        (run.x[1], run.stats.naccpt)
    };
    let (reference, _) = end(0.5, 1e-10);
    for (rho, power) in [(0.5, 0.6), (1.0, 0.4)] {
        let errors = [1e-4, 1e-6].map(|tol| (end(rho, tol).0 - reference).abs());
        let slope = (errors[0] / errors[1]).log10() / 2.0;
        println!("rho {rho}: error of r ~ tol^{slope:.2}");
        assert!(slope > power, "rho {rho}: {errors:?}");
    }
    assert!(end(1.0, 1e-6).1 > 2 * end(0.5, 1e-6).1);
}

/// A Jacobian by differences, of M too, leads to the same solution.
#[test]
fn differences() {
    for (name, steps) in [("andrews", 600), ("leaning-disk", 500), ("cycloid", 200)] {
        let problem = problem(name);
        let options = options(&problem);
        let l = Layout::new(problem.system(FREE, true).dimensions(), FREE);
        let end = |jacobian: bool| {
            let mut system = problem.system(FREE, jacobian);
            fixed_system(&mut *system, &options, &problem.x0, 0.5 * problem.tend, steps).good(name)
        };
        let (exact, differenced) = (end(true), end(false));
        let size = l.x.p.of(&exact.x).iter().fold(1.0f64, |m, v| m.max(v.abs()));
        assert!(distance(l.x.p, &exact.x, &differenced.x) < 1e-9 * size, "{name}");
        assert!(differenced.stats.eom_for_differences > 0);
    }
}

/// Euler's equations of a free body have no positions, of which the method measures errors and increments.
#[test]
fn without_positions_it_is_refused() {
    struct Spinning;
    impl System for Spinning {
        fn dimensions(&self) -> Dimensions {
            Dimensions { nv: 3, ..Dimensions::default() }
        }
        fn form(&self) -> Form {
            FREE
        }
        fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
            rda.copy_from_slice(&[-x[1] * x[2], 2.0 * x[2] * x[0], -x[0] * x[1]]);
            Outcome::Continue
        }
        fn mass(&mut self, _t: f64, _x: &[f64], m: &mut [f64]) -> Outcome {
            m.fill(0.0);
            (m[0], m[4], m[8]) = (1.0, 2.0, 3.0);
            Outcome::Continue
        }
    }
    for method in MethodKind::ALL {
        let options = Options { method, mass: MassStructure::ConstantFull, ..Options::default() };
        let start = (0.0, &[1.0, 2.0, 0.5][..], 0.0, 10.0);
        let run = drive(&mut Spinning, &options, &Tolerance::scalar(1e-7, 1e-7), start, |_| {});
        if method == MethodKind::Hht {
            let failure = run.result.expect_err("refused");
            assert!(failure.code == Code::BadArgument && failure.to_string().contains("METHOD"), "{failure}");
            continue;
        }
        let x = run.good("spinning").x;
        let energy = x[0] * x[0] + 2.0 * x[1] * x[1] + 3.0 * x[2] * x[2];
        assert!((energy - 9.75).abs() < 1e-4, "{method:?}: {energy}");
    }
}
