//! Checks that hold for every problem of the set.

use super::*;
use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};

const FORMS: [Form; 2] = [Form::StrangenessFree, Form::Index1];

pub(super) fn eom(system: &mut dyn System, t: f64, x: &[f64]) -> Vec<f64> {
    let layout = Layout::new(system.dimensions(), system.form());
    let mut rda = vec![f64::NAN; layout.m];
    assert_eq!(system.eom(t, x, &mut rda), Outcome::Continue);
    assert!(rda.iter().all(|v| v.is_finite()));
    rda
}

/// Deterministic numbers in (-1, 1).
pub(super) fn noise(seed: usize) -> f64 {
    (seed as f64 * 12.9898 + 4.1).sin() * 0.99
}

fn options(form: Form) -> Options {
    Options { form, jacobian: true, invariants: true, conditions: Vec::new() }
}

#[test]
fn names_are_unique_and_found() {
    let list = all();
    for p in &list {
        assert_eq!(list.iter().filter(|q| q.name == p.name).count(), 1);
        assert_eq!(by_name(&p.name).map(|q| q.x0), Some(p.x0.clone()));
        assert_eq!(p.x0.len(), p.layout(Form::Index1).n);
    }
}

#[test]
fn exact_jacobian_agrees_with_differences() {
    for problem in all() {
        for form in FORMS {
            for point in 0..2 {
                let scale = 1e-2 * point as f64;
                let x: Vec<f64> = problem
                    .x0
                    .iter()
                    .enumerate()
                    .map(|(i, v)| v + scale * v.abs().max(1.0) * noise(i))
                    .collect();
                check_jacobian(&problem, form, 0.3 * point as f64, &x);
            }
        }
    }
}

pub(super) fn check_jacobian(problem: &Problem, form: Form, t: f64, x: &[f64]) {
    let mut system = problem.system_with(options(form));
    assert!(system.has_jacobian());
    let layout = Layout::new(system.dimensions(), form);
    let mut fx = JacobianBlocks::new(&layout);
    assert_eq!(system.jacobian(t, x, &mut fx), Outcome::Continue);
    let mut full = vec![0.0; layout.m * layout.n];
    for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
        let (m, n) = fx.shape[k];
        for j in 0..n {
            for i in 0..m {
                full[rows.start + i + (first + j) * layout.m] = -fx.fx[k][i + j * m];
            }
        }
    }
    // Forces of the size of the multipliers may cancel in a row, their round-off does not.
    let forces = layout.x.multipliers.of(x).iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    for j in 0..layout.n {
        let h = 1e-5 * x[j].abs().max(1.0);
        let mut shifted = |step: f64| {
            let mut y = x.to_vec();
            y[j] += step;
            eom(system.as_mut(), t, &y)
        };
        let (near, far) = ((shifted(h), shifted(-h)), (shifted(2.0 * h), shifted(-2.0 * h)));
        for i in 0..layout.m {
            let difference = (8.0 * (near.0[i] - near.1[i]) - (far.0[i] - far.1[i])) / (12.0 * h);
            let size = near.0[i].abs().max(near.1[i].abs()).max(forces);
            let value = full[i + j * layout.m];
            assert!(
                (value - difference).abs() < 1e-7 * value.abs().max(1.0) + 1e-9 * size,
                "{} {form:?} {} by {}: {value} against {difference}",
                problem.name,
                layout.residual_name(i),
                layout.state_name(j),
            );
        }
    }
}

/// Largest constraint residual relative to the sizes in the problem.
fn constraint_residual(system: &mut dyn System, t: f64, x: &[f64]) -> f64 {
    let layout = Layout::new(system.dimensions(), system.form());
    let rda = eom(system, t, x);
    let size = x.iter().fold(1.0, |a: f64, b| a.max(b.abs()));
    let r = &layout.rda;
    let largest = |range: std::ops::Range<usize>| rda[range].iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let force = largest(r.f_dyn.range()).max(1.0);
    let rows = [(r.rows1, size * size.max(force)), (r.rows2, size * size), (r.rows3, size)];
    rows.iter().map(|(b, scale)| largest(b.range()) / scale).fold(0.0, f64::max)
}

/// Stiff springs turn the round-off of p into forces: how much more is to be expected of them.
fn roundoff_factor(system: &mut dyn System, t: f64, x: &[f64]) -> f64 {
    let layout = Layout::new(system.dimensions(), system.form());
    let mut fx = JacobianBlocks::new(&layout);
    assert_eq!(system.jacobian(t, x, &mut fx), Outcome::Continue);
    fx.fx[4].iter().fold(1.0, |a: f64, b| a.max(1e-4 * b.abs()))
}

#[test]
fn initial_values_are_consistent() {
    for problem in all() {
        let mut system = problem.system_with(options(Form::StrangenessFree));
        let residual = constraint_residual(system.as_mut(), problem.t0, &problem.x0);
        let factor = roundoff_factor(system.as_mut(), problem.t0, &problem.x0);
        assert!(residual < 1e-13 * factor, "{}: {residual:e}", problem.name);
    }
}

#[test]
fn closed_forms_solve_the_equations() {
    for problem in all() {
        let Some(exact) = &problem.exact else { continue };
        let mut system = problem.system_with(options(Form::StrangenessFree));
        for k in 0..6 {
            let t = problem.tend.min(10.0) * (0.11 + 0.17 * k as f64);
            check_solution(&problem.name, system.as_mut(), t, exact.as_ref());
        }
    }
}

fn check_solution(
    name: &str,
    system: &mut dyn System,
    t: f64,
    exact: &(dyn Fn(f64) -> Vec<f64> + Send + Sync),
) {
    let layout = Layout::new(system.dimensions(), system.form());
    let x = exact(t);
    let residual = constraint_residual(system, t, &x);
    let factor = roundoff_factor(system, t, &x);
    assert!(residual < 1e-11 * factor, "{name} at {t}: {residual:e}");
    let h = 1e-4;
    let at: Vec<Vec<f64>> = [-2.0, -1.0, 1.0, 2.0].iter().map(|k| exact(t + k * h)).collect();
    let rate: Vec<f64> =
        (0..layout.n).map(|i| (8.0 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12.0 * h)).collect();
    let rda = eom(system, t, &x);
    let mut mass = vec![0.0; layout.dims.nv * layout.dims.nv];
    assert_eq!(system.mass(t, &x, &mut mass), Outcome::Continue);
    let size = rda.iter().chain(&rate).fold(1.0, |a: f64, b| a.max(b.abs()));
    let vdot = layout.x.v.of(&rate);
    for (i, f) in layout.rda.f_dyn.of(&rda).iter().enumerate() {
        let ma: f64 = (0..vdot.len()).map(|j| mass[i + j * vdot.len()] * vdot[j]).sum();
        assert!((ma - f).abs() < 1e-8 * size, "{name} at {t}, row {i}: {ma} against {f}");
    }
    let pairs = [(layout.x.p, layout.rda.f_kin), (layout.x.r, layout.rda.b)];
    for (state, rows) in pairs {
        for (a, b) in state.of(&rate).iter().zip(rows.of(&rda)) {
            assert!((a - b).abs() < 1e-8 * size, "{name} at {t}: {a} against {b}");
        }
    }
}

#[test]
fn closed_forms_have_the_printed_values() {
    for problem in all() {
        let Some(exact) = &problem.exact else { continue };
        for reference in &problem.references {
            let x = exact(reference.t);
            for &(i, value) in &reference.values {
                // A phase error of t·ε is unavoidable in double precision.
                let tolerance = 1e-12 * reference.t.max(10.0) * 0.1 * value.abs().max(1.0);
                assert!(
                    (x[i] - value).abs() < tolerance,
                    "{} x[{i}] at {}: {} against {value}",
                    problem.name,
                    reference.t,
                    x[i]
                );
            }
        }
    }
}

#[test]
fn references_are_consistent() {
    for problem in all() {
        let mut system = problem.system_with(options(Form::StrangenessFree));
        for reference in problem.references.iter().filter(|r| r.values.len() == problem.x0.len()) {
            let x: Vec<f64> = reference.values.iter().map(|(_, v)| *v).collect();
            let residual = constraint_residual(system.as_mut(), reference.t, &x);
            assert!(residual < 1e-11, "{} at {}: {residual:e}", problem.name, reference.t);
        }
    }
}

/// All references without closed form, against the index-1 equations with these numbers of steps.
#[test]
fn references_are_reproduced_by_extrapolation() {
    let list = [
        ("andrews", 80, 1e-8),
        ("double-pendulum-rods", 80, 1e-10),
        ("slider-crank", 80, 1e-9),
        ("double-pendulum", 120, 1e-10),
        ("top-nutating", 40, 1e-10),
        ("andrews-bodies", 80, 1e-8),
        ("car-axis", 200, 1e-9),
        ("chain-10", 100, 1e-10),
        ("chain-unit-10", 60, 1e-10),
        ("chain-unit-50", 60, 1e-10),
        ("truck", 200, 1e-10),
        ("truck-physical", 200, 1e-10),
    ];
    for (name, steps, tolerance) in list {
        let problem = by_name(name).unwrap();
        let mut system = problem.system(Form::StrangenessFree, true);
        let x = explicit::solve_index1(system.as_mut(), problem.t0, problem.tend, &problem.x0, steps);
        let mut compared = 0;
        let known = problem.at_end().unwrap();
        let multipliers = problem.layout(Form::Index1).x.multipliers;
        // One small force among large ones is not known better than these.
        let largest =
            known.iter().filter(|(i, _)| multipliers.contains(*i)).fold(1.0, |a: f64, b| a.max(b.1.abs()));
        for (i, value) in known {
            let size = if multipliers.contains(i) { largest } else { value.abs().max(1.0) };
            let error = (x[i] - value).abs() / size;
            assert!(error < tolerance, "{name} x[{i}]: {} against {value}", x[i]);
            compared += 1;
        }
        assert_eq!(compared, x.len(), "{name}: all components are known");
    }
}

#[test]
fn every_problem_has_a_known_solution_at_its_end() {
    for problem in all() {
        let known = problem.at_end().unwrap_or_default();
        assert!(known.iter().any(|&(i, _)| problem.layout(Form::Index1).x.p.contains(i)), "{}", problem.name);
        assert!(known.iter().all(|(_, v)| v.is_finite()), "{}", problem.name);
    }
}

#[test]
fn derivative_of_the_inertia_forces_agrees_with_differences() {
    for problem in all() {
        let mut system = problem.system(Form::Index1, true);
        let layout = problem.layout(Form::Index1);
        let (nv, np) = (layout.dims.nv, layout.dims.np);
        let a: Vec<f64> = (0..nv).map(noise).collect();
        let mut exact = vec![f64::NAN; nv * np];
        assert_eq!(system.mass_acceleration_dp(0.0, &problem.x0, &a, &mut exact), Some(Outcome::Continue));
        let mut times = |x: &[f64]| -> Vec<f64> {
            let mut m = vec![f64::NAN; nv * nv];
            assert_eq!(system.mass(0.0, x, &mut m), Outcome::Continue);
            (0..nv).map(|i| (0..nv).map(|j| m[i + j * nv] * a[j]).sum()).collect()
        };
        for j in 0..np {
            let (mut lo, mut hi) = (problem.x0.clone(), problem.x0.clone());
            lo[layout.x.p.start + j] -= 1e-5;
            hi[layout.x.p.start + j] += 1e-5;
            for (i, (l, h)) in times(&lo).into_iter().zip(times(&hi)).enumerate() {
                assert!((exact[i + j * nv] - (h - l) / 2e-5).abs() < 1e-8, "{} {i} {j}", problem.name);
            }
        }
    }
}

#[test]
fn calls_are_counted_and_conditions_answered() {
    let problem = by_name("friction-bead").unwrap();
    let conditions = vec![(3, 4.0), (4, 1.0)];
    let options = Options { conditions, ..Options::new(Form::Index1, false) };
    let mut system = Counted::new(problem.system_with(options));
    let mut cond = [f64::NAN; 2];
    assert_eq!(system.initial_condition_count(), 2);
    assert_eq!(system.initial_conditions(0.0, &problem.x0, &mut cond), Outcome::Continue);
    assert_eq!(cond, [1.0, 0.0]);
    eom(&mut system, 0.0, &problem.x0);
    eom(&mut system, 0.0, &problem.x0);
    assert!(!system.has_jacobian());
    assert_eq!(system.calls, Calls { eom: 2, conditions: 1, ..Calls::default() });
}
