//! Order of the dense output: error of interpolated values inside the steps, constant steps.
//!
//! The polynomial goes through x_k and the three stages, whose error is O(h⁴). So with FORM=0 all
//! components are of order 4 between grid points (5 at them); with FORM=1 p and v are of order 4, λ and μ of
//! order 3 as at the grid points.

use crate::common::{blocks, distance, problem, Setup};
use geoms::layout::Form;

/// Where in the step, as a part of it.
const INSIDE: [f64; 5] = [0.1, 0.3, 0.5, 0.75, 0.95];

fn check(name: &str, tend: f64, form: Form, first: u32, expected: &[(&str, f64)]) {
    let mut problem = problem(name);
    problem.tend = tend;
    let exact = problem.exact.as_ref().unwrap();
    let layout = problem.layout(form);
    let blocks = blocks(&layout);
    // errors[point][block][run]
    let mut errors = vec![vec![Vec::new(); blocks.len()]; INSIDE.len()];
    for k in 0..4 {
        let setup = Setup::new(&problem, form, 0.0).fixed(first << k, 3e-15);
        let mut worst = vec![vec![0.0; blocks.len()]; INSIDE.len()];
        let mut x = vec![0.0; layout.n];
        setup
            .observe(&problem, &problem.x0, |step| {
                if step.naccpt == 0 {
                    return;
                }
                for (worst, part) in worst.iter_mut().zip(INSIDE) {
                    let tau = step.t - (1.0 - part) * step.h;
                    step.dense.all(tau, &mut x);
                    let solution = exact(tau);
                    for (w, (_, block)) in worst.iter_mut().zip(&blocks) {
                        *w = f64::max(*w, distance(*block, &x, &solution));
                    }
                }
            })
            .good(name);
        for (errors, worst) in errors.iter_mut().zip(worst) {
            errors.iter_mut().zip(worst).for_each(|(e, w)| e.push(w));
        }
    }
    for (part, errors) in INSIDE.iter().zip(&errors) {
        for ((block, _), errors) in blocks.iter().zip(errors) {
            let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
            let columns: String = errors.iter().map(|e| format!("{e:9.1e}")).collect();
            let orders: String = slopes.iter().map(|s| format!("{s:6.2}")).collect();
            println!("{name:14} {form:15?} at {part:4} {block:7} {columns} |{orders}");
            let (_, order) = expected.iter().find(|e| e.0 == *block).unwrap();
            for slope in slopes {
                let range = order - 0.2..=order + 0.3;
                assert!(range.contains(&slope), "{name} {form:?} at {part} {block}: order {slope:.2}");
            }
        }
    }
}

/// Short intervals: over long ones the error of order 5 that the grid points gather hides the interpolation.
#[test]
fn order_4_and_3_for_index_2_multipliers() {
    for (name, tend, first, multiplier) in
        [("pendulum-2.8", 1.0, 20, "lambda"), ("top-steady", 0.2, 8, "lambda"), ("knife-edge", 1.0, 20, "mu")]
    {
        check(name, tend, Form::StrangenessFree, first, &[("p", 4.0), ("v", 4.0), (multiplier, 4.0)]);
        check(name, tend, Form::Index1, first, &[("p", 4.0), ("v", 4.0), (multiplier, 3.0)]);
    }
}

/// At the ends of a step the polynomial is the solution of the method, and it is continuous.
#[test]
fn ends_of_the_step_are_the_grid_points() {
    for form in [Form::StrangenessFree, Form::Index1] {
        let problem = problem("pendulum-2.8");
        let mut last = problem.x0.clone();
        let mut x = last.clone();
        let setup = Setup::new(&problem, form, 1e-6);
        let run = setup.observe(&problem, &problem.x0, |step| {
            step.dense.all(step.t, &mut x);
            assert_eq!(x, step.x);
            step.dense.all(step.t_old, &mut x);
            for (a, b) in x.iter().zip(&last) {
                assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{a} against {b}");
            }
            last.copy_from_slice(step.x);
        });
        assert!(run.good("pendulum").stats.naccpt > 50);
    }
}
