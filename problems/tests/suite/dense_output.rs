//! The polynomial of a step: its order between accepted points, and its ends.

use crate::listed::Listed;
use geoms::layout::Form;
use geoms::options::Options;
use geoms::system::{AcceptedStep, Outcome};
use geoms_problems::trial::{distance, problem};
use geoms_problems::Problem;

/// Where in the step, as a part of it.
const INSIDE: [f64; 5] = [0.1, 0.3, 0.5, 0.75, 0.95];

/// Problem, end, steps of the first run at order 5. Short intervals: over long ones the errors that the points gather hide
/// those of the interpolation.
const CASES: [(&str, f64, f64); 4] = [
    ("pendulum-2.8", 1.0, 20.0),
    ("top-steady", 0.2, 8.0),
    ("knife-edge", 1.0, 20.0),
    ("maxwell-element", 1.0, 60.0),
];

/// Largest error of p and v inside the steps, with constant steps.
fn errors(method: &Listed, problem: &Problem, options: &Options, steps: u32) -> [f64; 2] {
    let exact = problem.exact.as_ref().expect("closed form");
    let layout = problem.layout(options.form);
    let mut worst = [0.0f64; 2];
    let mut x = vec![0.0; layout.n];
    let mut look = |step: &AcceptedStep<'_>| {
        if step.naccpt > 0 {
            for part in INSIDE {
                let tau = step.t - (1.0 - part) * (step.t - step.t_old);
                step.dense.all(tau, &mut x);
                let solution = exact(tau);
                for (worst, block) in worst.iter_mut().zip([layout.x.p, layout.x.v]) {
                    *worst = worst.max(distance(block, &x, &solution));
                }
            }
        }
        Outcome::Continue
    };
    let mut system = problem.system(options.form, true);
    let h = problem.tend / f64::from(steps);
    let mut solver =
        method.start(&mut *system, problem, options, (method.tol.min(1e-6), h)).expect(method.name);
    solver.integrate(&mut *system, Some(&mut look), None, problem.tend).expect(method.name);
    worst
}

pub fn check(method: &Listed) {
    let declared = f64::from(method.features.dense[method.nth]);
    for (name, tend, first) in CASES {
        let mut problem = problem(name);
        problem.tend = tend;
        // The higher the order the longer the steps whose errors are above rounding.
        let first = (first * (5.0 / declared).powf(1.5)).clamp(3.0, 400.0) as u32;
        for form in [Form::StrangenessFree, Form::Index1] {
            if !method.is_for(&problem, form) {
                continue;
            }
            let mut options =
                Options { fixed_step: true, consistent: true, nit: 100, ..method.options(&problem, form) };
            options.newton_updates = 2;
            let tol = method.tol.min(1e-6);
            options.fnewt = Some((1e-14 / (0.1 * tol.powf(2.0 / 3.0))).max(1e-9));
            let runs = [first, 2 * first].map(|steps| errors(method, &problem, &options, steps));
            for (k, block) in ["p", "v"].iter().enumerate() {
                let order = (runs[0][k] / runs[1][k]).log2();
                println!(
                    "{} {name} {form:?} {block}: {:.1e} {:.1e}, order {order:.2}",
                    method.name, runs[0][k], runs[1][k]
                );
                assert!(
                    order > declared - 0.5 || runs[0][k] < 1e-10,
                    "{} {name} {form:?} {block}: order {order:.2}, {declared} is declared",
                    method.name
                );
            }
        }
    }
}

/// At its end the polynomial is the accepted point, at its beginning the one before.
pub fn ends(method: &Listed) {
    for name in ["pendulum-2.8", "knife-edge", "maxwell-element"] {
        let problem = problem(name);
        for form in [Form::StrangenessFree, Form::Index1] {
            if !method.is_for(&problem, form) {
                continue;
            }
            let layout = problem.layout(form);
            let mut system = problem.system(form, true);
            let options = method.options(&problem, form);
            let mut solver =
                method.start(&mut *system, &problem, &options, (method.tol, 0.0)).expect(method.name);
            let (mut last, mut x) = (problem.x0.clone(), problem.x0.clone());
            for _ in 0..50 {
                solver.step(&mut *system, problem.tend).expect(method.name);
                let step = solver.last_step();
                step.dense.all(step.t, &mut x);
                for block in [layout.x.r, layout.x.v, layout.x.p] {
                    assert_eq!(block.of(&x), block.of(step.x), "{} {name} {form:?}", method.name);
                }
                step.dense.all(step.t_old, &mut x);
                for block in [layout.x.r, layout.x.v, layout.x.p] {
                    for (a, b) in block.of(&x).iter().zip(block.of(&last)) {
                        assert!(
                            (a - b).abs() < 1e-12 * b.abs().max(1.0),
                            "{} {name}: {a} against {b}",
                            method.name
                        );
                    }
                }
                last.copy_from_slice(step.x);
                if solver.t() >= problem.tend {
                    break;
                }
            }
        }
    }
}
