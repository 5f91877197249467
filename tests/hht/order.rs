//! Observed order of convergence with constant steps: 2 for every block, at the end of the interval. (In the first steps λ and
//! a have an error of order h, which dies out with the spectral radius at infinity.)

use crate::harness::{blocks, distance, drive, fixed, fixed_system, options, problem, FREE};
use crate::references::{lagging, lagging_options, LAGGING_START};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{Family, MethodKind, Options};
use geoms::system::System;

struct Study {
    name: &'static str,
    tend: f64,
    first: u32,
    runs: u32,
    form: Form,
    change: fn(&mut Options),
}

impl Study {
    fn new(name: &'static str, tend: f64, first: u32) -> Self {
        Study { name, tend, first, runs: 4, form: FREE, change: |_| {} }
    }

    /// Errors at the end for each block.
    fn errors(&self) -> Vec<(&'static str, Vec<f64>)> {
        let mut problem = problem(self.name);
        problem.tend = self.tend;
        let layout = problem.layout(self.form);
        let mut settings = Options { form: self.form, ..options(&problem) };
        (self.change)(&mut settings);
        let mut table: Vec<_> = blocks(&layout).iter().map(|b| (b.0, Vec::new())).collect();
        let end = problem.at_end().expect("end values");
        for k in 0..self.runs {
            let run = fixed(&problem, &settings, self.first << k).good(self.name);
            let mut reference = run.x.clone();
            end.iter().for_each(|(i, value)| reference[*i] = *value);
            for (row, (_, block)) in table.iter_mut().zip(blocks(&layout)) {
                row.1.push(distance(block, &run.x, &reference));
            }
        }
        table
    }

    fn check(&self, expected: &[(&str, std::ops::RangeInclusive<f64>)]) {
        judge(self.name, &self.errors(), expected);
    }
}

fn judge(name: &str, table: &[(&str, Vec<f64>)], expected: &[(&str, std::ops::RangeInclusive<f64>)]) {
    for (block, errors) in table {
        let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
        let columns: String = errors.iter().map(|e| format!("{e:9.1e}")).collect();
        let orders: String = slopes.iter().map(|s| format!("{s:6.2}")).collect();
        println!("{name:22} {block:7} {columns} |{orders}");
    }
    for (block, range) in expected {
        let row = table.iter().find(|row| row.0 == *block).expect("block");
        for pair in row.1.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            assert!(range.contains(&slope), "{name} {block}: order {slope:.2}");
        }
    }
}

#[test]
fn pendulum() {
    Study::new("pendulum-2.8", 5.0, 800).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("lambda", 1.9..=2.1)]);
}

/// Mass matrix that depends on positions.
#[test]
fn andrews() {
    let study = Study::new("andrews", 0.03, 600);
    study.check(&[("p", 1.95..=2.2), ("v", 1.95..=2.2), ("lambda", 1.95..=2.1)]);
}

#[test]
fn time_dependent_constraints() {
    Study::new("car-axis", 3.0, 6000).check(&[("p", 1.9..=2.2), ("v", 1.9..=2.2), ("lambda", 1.9..=2.2)]);
    Study::new("rotating-rod", 2.0, 100).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("lambda", 1.9..=2.1)]);
}

#[test]
fn nonholonomic() {
    // The angle of the knife edge is exact, and μ is better than of second order.
    Study::new("knife-edge", 10.0, 800).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1)]);
    for (name, first) in [("upright-disk", 1600), ("leaning-disk", 3200)] {
        Study::new(name, 10.0, first).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("mu", 1.9..=2.1)]);
    }
}

/// Z ≠ I, NP ≠ NV.
#[test]
fn general_kinematics() {
    Study::new("top-steady", 5.0, 2000).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("lambda", 1.9..=2.1)]);
    Study::new("top-nutating", 2.0, 1000).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("lambda", 1.9..=2.1)]);
}

#[test]
fn contact_and_auxiliary_variables() {
    let all = 1.9..=2.1;
    Study::new("cycloid", 2.5, 200).check(&[
        ("p", all.clone()),
        ("v", all.clone()),
        ("s", all.clone()),
        ("lambda", all.clone()),
    ]);
    Study::new("friction-bead", 1.0, 100).check(&[
        ("p", all.clone()),
        ("v", all.clone()),
        ("w", all.clone()),
        ("lambda", all),
    ]);
}

/// ρ = 1/2 is of second order, ρ = 1 is not.
#[test]
fn force_element() {
    Study::new("maxwell-element", 5.0, 200).check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("r", 1.9..=2.1)]);
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
        let second = ["p", "v", "r", "lambda"].map(|block| (block, 1.95..=2.05));
        let first = [("v", 1.0..=1.15)];
        judge(&format!("r, rho = {rho}"), &table, if rho > 0.5 { &first } else { &second });
    }
}

#[test]
fn redundant_constraints() {
    let study = Study {
        change: |o| o.decompose_constraints = DecompositionKind::Svd,
        ..Study::new("coupler", 10.0, 2000)
    };
    study.check(&[("p", 1.9..=2.1), ("v", 1.9..=2.1), ("lambda", 1.9..=2.1)]);
}

/// Without gII and hI: the multipliers of the start are found all the same.
#[test]
fn without_acceleration_level() {
    for name in ["pendulum-2.8", "knife-edge"] {
        let study = Study { form: Form::Index1, ..Study::new(name, 5.0, 800) };
        let free = Study { form: FREE, ..study };
        let problem = problem(name);
        if problem.tend == 5.0 || problem.exact.is_some() {
            assert_eq!(format!("{:.4?}", study.errors()), format!("{:.4?}", free.errors()));
        }
    }
}

#[test]
fn generalized_alpha() {
    for radius in [0.2, 0.8, 0.95] {
        let change: fn(&mut Options) = match radius {
            0.2 => |o| (o.family, o.dissipation) = (Family::GeneralizedAlpha, Some(0.2)),
            0.8 => |o| (o.family, o.dissipation) = (Family::GeneralizedAlpha, None),
            _ => |o| (o.family, o.dissipation) = (Family::GeneralizedAlpha, Some(0.95)),
        };
        let all = 1.9..=2.3;
        let expected = [("p", all.clone()), ("v", all.clone()), ("lambda", all)];
        Study { change, ..Study::new("pendulum-2.8", 5.0, 800) }.check(&expected);
        // Smaller steps meet rounding errors of λ.
        Study { change, runs: 3, ..Study::new("andrews", 0.03, 1200) }.check(&expected);
    }
}
