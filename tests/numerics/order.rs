//! Observed order of convergence with constant steps.

use crate::common::{blocks, distance, problem, Setup};
use geoms::layout::Form;
use geoms::testset::Problem;

/// Error of each block for each number of steps: the largest at accepted points where a closed form
/// is known, at the end otherwise.
fn errors(problem: &Problem, form: Form, steps: &[u32]) -> Vec<(&'static str, Vec<f64>)> {
    let layout = problem.layout(form);
    let mut table: Vec<(&str, Vec<f64>)> = blocks(&layout).iter().map(|b| (b.0, Vec::new())).collect();
    for &n in steps {
        let mut worst = vec![0.0; table.len()];
        let mut compare = |x: &[f64], reference: &[f64]| {
            for (w, (_, block)) in worst.iter_mut().zip(blocks(&layout)) {
                *w = f64::max(*w, distance(block, x, reference));
            }
        };
        let setup = Setup::new(problem, form, 1e-13).fixed(n);
        let run = setup
            .observe(problem, &problem.x0, |step| {
                if let Some(exact) = &problem.exact {
                    compare(step.x, &exact(step.t));
                }
            })
            .good(&problem.name);
        assert_eq!(run.stats.naccpt, u64::from(n));
        if problem.exact.is_none() {
            let mut reference = run.x.clone();
            problem.at_end().unwrap().into_iter().for_each(|(i, value)| reference[i] = value);
            compare(&run.x, &reference);
        }
        table.iter_mut().zip(worst).for_each(|(row, w)| row.1.push(w));
    }
    table
}

/// Slopes between successive halvings.
fn slopes(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

/// Measure, print, and compare every slope of every named block with its range.
fn check(name: &str, form: Form, steps: &[u32], expected: &[(&str, f64, f64)]) {
    let problem = problem(name);
    let table = errors(&problem, form, steps);
    for (block, errors) in &table {
        let list = |v: &[f64], digits: bool| -> String {
            v.iter().map(|e| if digits { format!("{e:9.1e}") } else { format!("{e:6.2}") }).collect()
        };
        let slopes = slopes(errors);
        println!("{name:24} {form:?} {block:7} {} |{}", list(errors, true), list(&slopes, false));
    }
    for &(block, low, high) in expected {
        let (_, errors) = table.iter().find(|row| row.0 == block).unwrap();
        for slope in slopes(errors) {
            assert!((low..=high).contains(&slope), "{name} {form:?} {block}: order {slope:.2}");
        }
    }
}
#[test]
fn explore() {
    for (name, steps) in [
        ("pendulum-2.8", [50, 100, 200, 400, 800]),
        ("pendulum-rotating", [200, 400, 800, 1600, 3200]),
        ("four-bar-relative", [20, 40, 80, 160, 320]),
        ("n-four-bar-2", [5, 10, 20, 40, 80]),
        ("andrews", [300, 600, 1200, 2400, 4800]),
        ("friction-bead", [200, 400, 800, 1600, 3200]),
        ("maxwell-element", [25, 50, 100, 200, 400]),
        ("cycloid", [50, 100, 200, 400, 800]),
        ("rotating-rod", [10, 20, 40, 80, 160]),
        ("leaning-disk", [100, 200, 400, 800, 1600]),
        ("knife-edge", [50, 100, 200, 400, 800]),
        ("nonholonomic-particle", [50, 100, 200, 400, 800]),
        ("upright-disk", [50, 100, 200, 400, 800]),
        ("top-nutating", [50, 100, 200, 400, 800]),
        ("top-steady", [100, 200, 400, 800, 1600]),
        ("singular-mass", [25, 50, 100, 200, 400]),
    ] {
        for form in [Form::StrangenessFree, Form::Index1] {
            let _ = std::panic::catch_unwind(|| check(name, form, &steps, &[]));
        }
    }
}
