//! Is a lean model the one of the test set? All rows and all derivatives are compared, through our own adapter.

use super::Lean;
use crate::ours::Adapter;
use geoms::layout::Form;
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::Problem;

/// Largest relative deviation of rows, Jacobian and mass matrix at points around the initial values.
pub fn deviation(model: impl Lean + Clone, problem: &Problem) -> f64 {
    let mut worst = 0.0f64;
    for form in [Form::StrangenessFree, Form::Index1] {
        let layout = problem.layout(form);
        let mut ours = Adapter::new(model.clone(), form);
        let mut theirs = problem.system(form, true);
        for round in 0..3 {
            let shift = |i: usize| 0.1 * ((1 + round + 7 * i) as f64 * 12.9898).sin();
            let x: Vec<f64> =
                problem.x0.iter().enumerate().map(|(i, x)| x * (1.0 + shift(i)) + shift(i)).collect();
            let t = 0.3 * round as f64;
            let mut rows = [vec![f64::NAN; layout.m], vec![f64::NAN; layout.m]];
            let mut fx = [JacobianBlocks::new(&layout), JacobianBlocks::new(&layout)];
            let mut mass = [vec![0.0; layout.n3() * layout.n3()], vec![0.0; layout.n3() * layout.n3()]];
            let outcomes = [
                ours.eom(t, &x, &mut rows[0]),
                theirs.eom(t, &x, &mut rows[1]),
                ours.jacobian(t, &x, &mut fx[0]),
                theirs.jacobian(t, &x, &mut fx[1]),
                ours.mass(t, &x, &mut mass[0]),
                theirs.mass(t, &x, &mut mass[1]),
            ];
            if outcomes != [Outcome::Continue; 6] {
                return f64::NAN;
            }
            let mut compare = |a: &[f64], b: &[f64]| {
                let scale = b.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
                for (a, b) in a.iter().zip(b) {
                    let difference = (a - b).abs() / scale;
                    worst = if difference.is_nan() { f64::NAN } else { worst.max(difference) };
                }
            };
            compare(&rows[0], &rows[1]);
            compare(&mass[0], &mass[1]);
            for k in 0..6 {
                compare(&fx[0].fx[k], &fx[1].fx[k]);
            }
        }
    }
    worst
}
