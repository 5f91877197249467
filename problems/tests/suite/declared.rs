//! What a method declares is what it does: constraints at accepted points, kinds of equations, invariants.

use crate::listed::Listed;
use geoms::layout::{Form, Layout};
use geoms::methods::features::Support;
use geoms::system::{JacobianBlocks, System};
use geoms_problems::trial::problem;

/// Rows of RDA at x, and what relative errors of x leave in them: Σ |∂row/∂x_j| (|x_j| + least).
struct Residuals {
    layout: Layout,
    rda: Vec<f64>,
    fx: JacobianBlocks,
}

impl Residuals {
    fn evaluate(&mut self, system: &mut dyn System, t: f64, x: &[f64]) {
        let _ = system.eom(t, x, &mut self.rda);
        self.fx.clear();
        let _ = system.jacobian(t, x, &mut self.fx);
    }

    fn size(&self, row: usize, x: &[f64], least: f64) -> f64 {
        let position = self.layout.fx_position();
        let k = (0..6).find(|&k| position[k].0.contains(row)).expect("a row of FX");
        let (m, n) = self.fx.shape[k];
        let (block, first) = position[k];
        (0..n).map(|j| self.fx.fx[k][row - block.start + j * m].abs() * (x[first + j].abs() + least)).sum()
    }
}

/// The constraints that it declares to hold do so, to rounding or to the accuracy of its equations, at every accepted point.
pub fn constraints(method: &Listed) {
    let mut points = 0;
    for problem in geoms_problems::all() {
        if problem.rank_deficient || problem.x0.len() > 40 {
            continue;
        }
        for form in [Form::StrangenessFree, Form::Index1] {
            if !method.is_for(&problem, form) {
                continue;
            }
            let mut system = problem.system(form, true);
            let layout = Layout::new(system.dimensions(), form);
            let options = method.options(&problem, form);
            let Ok(mut solver) = method.start(&mut *system, &problem, &options, (method.tol, 0.0)) else {
                continue;
            };
            let mut residuals =
                Residuals { layout, rda: vec![0.0; layout.m], fx: JacobianBlocks::new(&layout) };
            let rows = &layout.rda;
            let levels = [
                (rows.g, method.features.position),
                (rows.c, method.features.position),
                (rows.g_velocity, method.features.velocity),
                (rows.h, method.features.velocity),
                (rows.g_acceleration, method.features.acceleration),
                (rows.h_acceleration, method.features.acceleration),
            ];
            while solver.t() < problem.tend && solver.stats().naccpt < 60 {
                if solver.step(&mut *system, problem.tend).is_err() {
                    break;
                }
                points += 1;
                residuals.evaluate(&mut *system, solver.t(), solver.x());
                for (block, _) in levels.iter().filter(|(_, level)| level_holds(*level, form)) {
                    for row in block.range() {
                        // Rounding is relative; Newton's method measures in |x_j| + ATOL/RTOL.
                        let least = if method.features.projects { 0.0 } else { 1.0 };
                        let size = residuals.size(row, solver.x(), least);
                        // Multipliers of a projected point belong to one that differs by the last, tiny correction of v.
                        let level = rows.rows1.contains(row);
                        let relative = match (method.features.projects, level) {
                            (true, false) => 50.0 * f64::EPSILON,
                            (true, true) => 1e-3 * method.tol.max(1e-9),
                            // Newton's methods stop at a part of the tolerance, Radau's at a part of RTOL' = 0.1 RTOL^(2/3).
                            (false, _) => 0.1 * method.tol.max(0.1 * method.tol.powf(2.0 / 3.0)),
                        };
                        let bound = relative * size + if level { 1e-12 } else { 1e-15 };
                        let found = residuals.rda[row].abs();
                        let name = layout.residual_name(row);
                        assert!(
                            found < bound,
                            "{} {} {form:?} {name}: {found:e} > {bound:e}",
                            method.name,
                            problem.name
                        );
                    }
                }
            }
        }
    }
    println!("count: {}: constraints hold at {points} accepted points", method.name);
    assert!(points > 300, "{points}");
}

/// Without an option of the method itself.
fn level_holds(level: Support, form: Form) -> bool {
    level.with(form) && !matches!(level, Support::If(condition) if condition.contains("PROJECT"))
}

/// It begins what it declares to be for, and refuses with a code, or warns about, what it does not.
pub fn refusals(method: &Listed) {
    let (mut begun, mut refused) = (0, 0);
    for problem in geoms_problems::all() {
        if problem.rank_deficient || problem.x0.len() > 70 {
            continue;
        }
        for form in [Form::StrangenessFree, Form::Index1] {
            let mut system = problem.system(form, true);
            let options = method.options(&problem, form);
            let started = method.start(&mut *system, &problem, &options, (method.tol, 0.0));
            let result = started.and_then(|mut solver| {
                (0..3).try_for_each(|_| match solver.t() < problem.tend {
                    true => solver.step(&mut *system, problem.tend),
                    false => Ok(()),
                })
            });
            let declared = method.is_for(&problem, form);
            match result {
                Ok(()) => begun += 1,
                Err(failure) => {
                    refused += 1;
                    assert!(!declared, "{} {} {form:?}: {failure}", method.name, problem.name);
                }
            }
        }
    }
    println!("count: {}: {begun} models begun, {refused} refused", method.name);
    if method.in_options {
        invariants(method);
    }
}

/// Imposed, or ignored with a warning.
fn invariants(method: &Listed) {
    // It never comes to rest, where the derivative of its energy would vanish.
    let problem = problem("pendulum-rotating");
    assert!(problem.dimensions.ni > 0);
    let form = Form::StrangenessFree;
    let imposed = geoms_problems::Options { invariants: true, ..geoms_problems::Options::new(form, true) };
    let mut system = problem.system_with(imposed);
    let layout = Layout::new(system.dimensions(), form);
    let options = method.options(&problem, form);
    let warnings = geoms::methods::features::cautions(&options, &layout.dims);
    let mut solver = method.start(&mut *system, &problem, &options, (1e-4, 0.0)).expect(method.name);
    solver.integrate(&mut *system, None, None, problem.tend).expect(method.name);
    let mut rda = vec![0.0; layout.m];
    let _ = system.eom(solver.t(), solver.x(), &mut rda);
    let drift = layout.rda.e.of(&rda).iter().fold(0.0f64, |m, e| m.max(e.abs()));
    match method.features.invariants {
        Support::No => {
            assert!(drift > 1e-9 && warnings.len() == 1, "{}: {drift:e} {warnings:?}", method.name)
        }
        // To the accuracy of Newton's method, with an energy of about 100.
        _ => assert!(drift < 1e-5 && warnings.is_empty(), "{}: {drift:e} {warnings:?}", method.name),
    }
}
