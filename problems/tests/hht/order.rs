//! Orders of method 1 beside those of suite/: of its parameters, and without gII and hI.

use crate::harness::{blocks, distance, drive, fixed_system, FREE};
use crate::references::{lagging, lagging_options, LAGGING_START};
use geoms::layout::{Form, Layout};
use geoms::methods;
use geoms::norm::Tolerance;
use geoms::options::{Family, MethodKind, Options};
use geoms::system::System;
use geoms_problems::convergence::{judge, Expected, Study};

fn hht() -> Options {
    Options { method: MethodKind::Hht, ..Options::of_call() }
}

const fn study(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Study {
    Study { tol: 1e-14, ..Study::new(problem, tend, first, expected) }
}

/// ρ = 1/2 is of second order, ρ = 1 is not.
#[test]
fn force_element() {
    let layout = Layout::new(lagging(true).dimensions(), FREE);
    let end = |rho: f64, steps: u32| {
        fixed_system(&mut lagging(true), &lagging_options(rho), &LAGGING_START, 2.0, steps).good("r").x
    };
    let radau = Options { method: MethodKind::Radau, ..lagging_options(0.5) };
    let tolerance = Tolerance::scalar(1e-12, 1e-12);
    let reference = drive(&mut lagging(true), &radau, &tolerance, (0.0, &LAGGING_START, 1e-3, 2.0), |_| {})
        .good("radau")
        .x;
    for rho in [0.5, 1.0] {
        let mut table: Vec<_> = blocks(&layout).iter().map(|b| (b.0, Vec::new())).collect();
        for k in 0..4 {
            let x = end(rho, 1600 << k);
            for (row, (_, block)) in table.iter_mut().zip(blocks(&layout)) {
                row.1.push(distance(block, &x, &reference));
            }
        }
        const SECOND: &[Expected] =
            &[("p", 1.95, 2.05), ("v", 1.95, 2.05), ("r", 1.95, 2.05), ("lambda", 1.95, 2.05)];
        const FIRST: &[Expected] = &[("v", 1.0, 1.15)];
        let expected = if rho > 0.5 { FIRST } else { SECOND };
        judge(&format!("r, rho = {rho}"), &table, &study("", 2.0, 1600, expected));
    }
}

/// Without gII and hI: the multipliers of the start are found all the same.
#[test]
fn without_acceleration_level() {
    for (name, tend) in [("pendulum-2.8", 5.0), ("knife-edge", 10.0)] {
        let free = study(name, tend, 800, &[]);
        let index1 = Study { form: Form::Index1, ..free };
        let errors = [free, index1].map(|s| format!("{:.4?}", s.errors(methods::begin, &hht())));
        assert_eq!(errors[0], errors[1], "{name}");
    }
}

#[test]
fn generalized_alpha() {
    const ALL: &[Expected] = &[("p", 1.9, 2.3), ("v", 1.9, 2.3), ("lambda", 1.9, 2.3)];
    for radius in [0.2, 0.95] {
        let options = Options { family: Family::GeneralizedAlpha, dissipation: Some(radius), ..hht() };
        study("pendulum-2.8", 5.0, 800, ALL).check(methods::begin, &options);
        // Smaller steps meet rounding errors of λ.
        Study { runs: 3, ..study("andrews", 0.03, 1200, ALL) }.check(methods::begin, &options);
    }
}
