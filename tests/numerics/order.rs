//! Observed order of convergence with constant steps.
//!
//! Expected for Radau IIA with three stages: 5 for p, v, r, s with both formulations; 5 for w, λ, μ with
//! FORM=0, where they follow algebraically from p and v; 3 with FORM=1, where they are of index 2. Errors are
//! the largest over all grid points, or those at the end where only end values are known.

use crate::common::{blocks, distance, problem, Setup};
use geoms::layout::Form;
use geoms::options::Order;

/// A series of runs, each with half the step size of the one before.
struct Study {
    name: &'static str,
    tend: f64,
    /// Steps of the first run.
    first: u32,
    runs: usize,
    /// Relative increments at which Newton's method stops. As small as round-off allows: what is left of the
    /// iteration adds up over the steps.
    increment: f64,
    order: Order,
}

impl Study {
    fn new(name: &'static str, tend: f64, first: u32) -> Self {
        Study { name, tend, first, runs: 4, increment: 3e-15, order: Order::Five }
    }

    /// Error of each block in each run.
    fn errors(&self, form: Form) -> Vec<(&'static str, Vec<f64>)> {
        let mut problem = problem(self.name);
        problem.tend = self.tend;
        let layout = problem.layout(form);
        let mut table: Vec<_> = blocks(&layout).iter().map(|b| (b.0, Vec::new())).collect();
        for k in 0..self.runs {
            let steps = self.first << k;
            let mut worst = vec![0.0; table.len()];
            let mut compare = |x: &[f64], reference: &[f64]| {
                for (w, (_, block)) in worst.iter_mut().zip(blocks(&layout)) {
                    *w = f64::max(*w, distance(block, x, reference));
                }
            };
            let setup = Setup::new(&problem, form, 0.0).fixed(steps, self.increment).with(|o| {
                o.order = self.order;
                // The long steps of high orders: a Newton matrix from their middle, and time to converge.
                if self.order != Order::Five {
                    (o.newton_reference, o.newton_updates, o.nit) = (Some(2), 2, 30);
                }
            });
            let run = setup
                .observe(&problem, &problem.x0, |step| {
                    if let Some(exact) = &problem.exact {
                        compare(step.x, &exact(step.t));
                    }
                })
                .good(self.name);
            assert_eq!(run.stats.naccpt, u64::from(steps));
            if problem.exact.is_none() {
                let mut reference = run.x.clone();
                problem.at_end().unwrap().into_iter().for_each(|(i, value)| reference[i] = value);
                compare(&run.x, &reference);
            }
            table.iter_mut().zip(worst).for_each(|(row, w)| row.1.push(w));
        }
        table
    }

    /// Measure, print, and compare every slope of the given blocks with its range.
    fn check(&self, form: Form, expected: &[(&str, std::ops::RangeInclusive<f64>)]) {
        let table = self.errors(form);
        for (block, errors) in &table {
            let slopes: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
            let columns: String = errors.iter().map(|e| format!("{e:9.1e}")).collect();
            let orders: String = slopes.iter().map(|s| format!("{s:6.2}")).collect();
            println!("{:22} {form:15?} {block:7} {columns} |{orders}", self.name);
            if let Some((_, range)) = expected.iter().find(|e| e.0 == *block) {
                for slope in slopes {
                    assert!(range.contains(&slope), "{} {form:?} {block}: order {slope:.2}", self.name);
                }
            }
        }
        for (name, _) in expected {
            assert!(table.iter().any(|row| row.0 == *name), "{}: no block {name}", self.name);
        }
    }
}

const FREE: Form = Form::StrangenessFree;
const INDEX1: Form = Form::Index1;

#[test]
fn pendulum() {
    let study = Study::new("pendulum-2.8", 5.0, 100);
    study.check(FREE, &[("p", 4.9..=5.2), ("v", 4.9..=5.2), ("lambda", 4.9..=5.2)]);
    study.check(INDEX1, &[("p", 4.9..=5.1), ("v", 4.9..=5.1), ("lambda", 2.9..=3.1)]);
}

/// A rotating pendulum goes through all pivot changes.
#[test]
fn rotating_pendulum() {
    let study = Study::new("pendulum-rotating", 5.0, 200);
    study.check(FREE, &[("p", 4.9..=5.2), ("v", 4.9..=5.2), ("lambda", 4.9..=5.2)]);
    study.check(INDEX1, &[("p", 4.9..=5.1), ("v", 4.9..=5.1), ("lambda", 2.9..=3.1)]);
}

/// Before the first singular position. (The other four-bar, in relative angles, cannot show an order: its
/// angles are cubics of time, on which the method is exact.)
#[test]
fn four_bar() {
    let study = Study::new("n-four-bar-2", 0.5, 10);
    study.check(FREE, &[("p", 4.8..=5.2), ("v", 4.8..=5.2), ("lambda", 4.8..=5.2)]);
    study.check(INDEX1, &[("p", 4.8..=5.2), ("v", 4.8..=5.2), ("lambda", 2.8..=3.2)]);
}

/// Mass matrix that depends on positions.
#[test]
fn andrews() {
    // λ is badly conditioned: smaller increments meet round-off.
    let study = Study { increment: 1e-13, ..Study::new("andrews", 0.03, 600) };
    study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("lambda", 4.8..=5.3)]);
    // With FORM=1 the weight 1/h of λ admits larger increments, which end the series in v earlier ...
    let study = Study { runs: 3, ..Study { first: 400, ..study } };
    study.check(INDEX1, &[("p", 4.8..=5.2), ("v", 4.8..=5.2)]);
    // ... while λ reaches its order only with small steps.
    let study = Study { first: 2400, ..study };
    study.check(INDEX1, &[("lambda", 2.7..=3.1)]);
}

#[test]
fn force_element_r() {
    // λ is constant here and exact to round-off.
    let study = Study::new("maxwell-element", 5.0, 100);
    for form in [FREE, INDEX1] {
        study.check(form, &[("p", 4.8..=5.2), ("v", 4.8..=5.2), ("r", 4.8..=5.2)]);
    }
}

#[test]
fn contact_variable_s() {
    let study = Study::new("cycloid", 2.5, 50);
    study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("s", 4.8..=5.3), ("lambda", 4.8..=5.3)]);
    study.check(INDEX1, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("s", 4.8..=5.3), ("lambda", 2.8..=3.2)]);
}

/// With FORM=1 the h³ term of w and λ is small, because the motion is nearly uniform, and of the sign opposite to
/// the next one: slopes of 4.5 turn to 1.6 and go back to 3 only where round-off begins. They are printed.
#[test]
fn auxiliary_variable_w() {
    let study = Study { runs: 3, ..Study::new("friction-bead", 1.0, 50) };
    study.check(FREE, &[("p", 4.7..=5.3), ("v", 4.7..=5.3), ("w", 4.7..=5.3), ("lambda", 4.7..=5.3)]);
    study.check(INDEX1, &[("p", 4.7..=5.3), ("v", 4.7..=5.3)]);
}

/// Rheonomic constraint. With FORM=1 λ gains an order: the coefficient of h³ is that of G v⁗ + G' p⁗, which
/// vanishes for this motion (p = r exp(iωt), r = cosh ωt, has p⁗ = -4ω⁴ p).
#[test]
fn rotating_rod() {
    let study = Study::new("rotating-rod", 2.0, 20);
    study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("lambda", 4.8..=5.3)]);
    study.check(INDEX1, &[("p", 4.7..=5.3), ("v", 4.7..=5.3), ("lambda", 3.8..=4.2)]);
}

#[test]
fn nonholonomic_mu() {
    for (name, first) in [("knife-edge", 100), ("upright-disk", 100)] {
        let study = Study::new(name, 10.0, first);
        study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("mu", 4.8..=5.3)]);
        study.check(INDEX1, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("mu", 2.9..=3.1)]);
    }
    // Mass matrix that depends on positions. μ with FORM=1 comes down to 3 from above.
    let study = Study::new("leaning-disk", 10.0, 200);
    study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("mu", 4.8..=5.3)]);
    study.check(INDEX1, &[("p", 4.7..=5.3), ("v", 4.7..=5.3), ("mu", 2.9..=3.6)]);
}

/// Z ≠ I, NP ≠ NV.
#[test]
fn top() {
    for study in [Study::new("top-steady", 5.0, 200), Study::new("top-nutating", 2.0, 100)] {
        study.check(FREE, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("lambda", 4.8..=5.3)]);
        study.check(INDEX1, &[("p", 4.8..=5.3), ("v", 4.8..=5.3), ("lambda", 2.9..=3.1)]);
    }
}

/// Singular mass matrix; errors at the end only.
#[test]
fn singular_mass() {
    let study = Study::new("singular-mass", 10.0, 50);
    study.check(FREE, &[("v", 4.7..=5.3)]);
    study.check(INDEX1, &[("v", 4.7..=5.3)]);
}

/// Five and seven stages: 9 and 13 for p, v, λ, and s = 5, 7 for λ with FORM=1.
#[test]
fn higher_orders() {
    let study = |name, tend, first, order, runs| Study { runs, order, ..Study::new(name, tend, first) };
    let nine = study("pendulum-2.8", 5.0, 20, Order::Nine, 3);
    nine.check(FREE, &[("p", 8.7..=9.3), ("v", 8.7..=9.3), ("lambda", 8.7..=9.3)]);
    nine.check(INDEX1, &[("p", 8.7..=9.3), ("v", 8.7..=9.3), ("lambda", 4.8..=5.3)]);
    let thirteen = study("pendulum-2.8", 5.0, 15, Order::Thirteen, 2);
    thirteen.check(FREE, &[("p", 12.4..=13.6), ("v", 12.4..=13.6), ("lambda", 12.4..=13.6)]);
    // Here p and v meet round-off first.
    study("pendulum-2.8", 5.0, 20, Order::Thirteen, 2).check(INDEX1, &[("lambda", 6.6..=7.5)]);
    // A mass matrix that depends on positions, nonholonomic and rheonomic constraints.
    for (name, tend, first) in [("leaning-disk", 10.0, 100), ("rotating-rod", 2.0, 5)] {
        let nine = study(name, tend, first, Order::Nine, 2);
        nine.check(FREE, &[("p", 8.3..=9.9), ("v", 8.3..=9.9)]);
    }
}
