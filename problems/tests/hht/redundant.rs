//! Redundant constraints in any units: the motion, the force of the joint, and the multipliers of smallest norm.

use crate::steady::{beyond, errors, presented, Cone, Steady, Top};
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::options::{MethodKind, Options};
use geoms_problems::trial::drive;

/// How wrong the methods may be where all units are 1: the motion, the force, the multipliers.
const METHODS: [(MethodKind, [f64; 3]); 4] = [
    (MethodKind::Radau, [1e-3, 0.05, 0.05]),
    // λ is its least accurate part.
    (MethodKind::Hht, [0.06, 2.5, 2.0]),
    (MethodKind::Newmark, [0.06, 0.2, 0.2]),
    (MethodKind::HalfExplicit, [1e-2, 1e-2, 1e-2]),
];

fn check<M: Steady + std::fmt::Debug>(model: &M, form: Form, tol: f64) -> Vec<String> {
    let mut wrong = Vec::new();
    for (method, bounds) in METHODS {
        let (mut system, x0, tolerance) = presented(model, form, tol);
        let decompose_constraints = DecompositionKind::Svd;
        let options = Options { method, form, decompose_constraints, ..Options::of_call() };
        let run = drive(&mut system, &options, &tolerance, (0.0, &x0, 0.0, 0.5), |_| {});
        let (found, beyond) = (errors(model, run.t, &run.x), beyond(model, &run.x));
        println!("{method:?} {model:?} {form:?}: {} {found:?} {beyond:.1e}", run.idid());
        if run.idid() != 0 || found.iter().zip(bounds).any(|(e, b)| e.is_nan() || *e > b) || beyond > 1e-6 {
            wrong.push(format!("{method:?} {model:?} {form:?}: {} {found:?} {beyond:.1e}", run.idid()));
        }
    }
    wrong
}

/// A mass as with water, and others.
const UNITS: [(f64, f64); 10] = [
    (1.0, 1.0),
    (1e-2, 1e-3),
    (1e-3, 1e-9),
    (1e-4, 1e-9),
    (1e-5, 1e-12),
    (1e-6, 1.0),
    (1e-6, 1e-15),
    (1e3, 1e12),
    (1e4, 1e-9),
    (1e5, 1e18),
];

#[test]
fn a_top_with_a_row_too_many() {
    let wrong: Vec<String> = UNITS
        .iter()
        .zip([Form::StrangenessFree, Form::Index1].iter().cycle())
        .flat_map(|((length, mass), form)| check(&Top { length: *length, mass: *mass, rows: 4 }, *form, 1e-4))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_conical_pendulum_with_a_row_twice() {
    let wrong: Vec<String> = UNITS
        .iter()
        .chain(&[(1e6, 1.0), (1e6, 1e-12), (1e-6, 1e12)])
        .flat_map(|(length, mass)| check(&Cone { length: *length, mass: *mass, rows: 2 }, Form::Index1, 1e-5))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
