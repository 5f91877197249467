//! Patterns of the model's matrices: what differences make of them.
#![allow(clippy::unwrap_used)]

use geoms::error::Code;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::solver::Solver;
use geoms::system::{Sparsity, System};
use geoms_problems::chain::Chain;

/// A model with another pattern than its own.
struct Said {
    inner: Box<dyn System>,
    pattern: Option<Sparsity>,
}

impl System for Said {
    geoms_problems::pass_on!(dimensions, form, eom, mass, jacobian);

    fn sparsity(&self) -> Option<&Sparsity> {
        self.pattern.as_ref()
    }
}

/// End point and calls of EOM for one Jacobian.
fn run(links: usize, form: Form, method: MethodKind, with_pattern: bool) -> (Vec<f64>, u64) {
    let problem = Chain::of_unit_links(links).problem("chain", 0.2);
    let inner = problem.system(form, false);
    let pattern = inner.sparsity().filter(|_| with_pattern).cloned();
    assert_eq!(pattern.is_some(), with_pattern);
    let mut system = Said { inner, pattern };
    let options = Options { method, form, mass: problem.mass, ..Options::of_call() };
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut solver = Solver::start(&mut system, &options, &tolerance, start).unwrap();
    solver.integrate(&mut system, None, None, problem.tend).unwrap();
    let stats = solver.stats();
    (solver.x().to_vec(), stats.eom_for_differences / stats.njac)
}

#[test]
fn differences_by_groups_are_those_by_columns() {
    for form in [Form::StrangenessFree, Form::Index1] {
        for method in [MethodKind::Radau, MethodKind::Hht] {
            let mut of_groups = Vec::new();
            for links in [4, 8, 16] {
                let (columns, one_by_one) = run(links, form, method, false);
                let (groups, together) = run(links, form, method, true);
                let equal = columns.iter().zip(&groups).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(equal, "{links} links, {form:?}, {method:?}");
                assert_eq!(one_by_one, columns.len() as u64 + 1);
                of_groups.push(together);
            }
            println!("{form:?} {method:?}: {of_groups:?} calls of EOM for a Jacobian of 4, 8, 16 links");
            // The work does not grow with the chain.
            assert_eq!(of_groups[1], of_groups[2]);
            assert!(of_groups[2] < 40, "{of_groups:?}");
        }
    }
}

#[test]
fn a_position_outside_is_refused() {
    let problem = Chain::of_unit_links(3).problem("chain", 0.2);
    let inner = problem.system(Form::StrangenessFree, false);
    let mut pattern = inner.sparsity().unwrap().clone();
    pattern.fx[2].push((3, 0));
    let mut system = Said { inner, pattern: Some(pattern) };
    let (options, tolerance) =
        (Options { mass: problem.mass, ..Options::default() }, Tolerance::scalar(1e-6, 1e-6));
    let start = (problem.t0, &problem.x0[..], 0.0);
    let failure = Solver::start(&mut system, &options, &tolerance, start).unwrap_err();
    assert_eq!(failure.code, Code::BadArgument);
    let said = failure.to_string();
    assert!(said.contains("pattern of FX3") && said.contains("(3, 0)") && said.contains("below 3"), "{said}");
}

#[test]
fn started_again_with_another_pattern() {
    let problem = Chain::of_unit_links(6).problem("chain", 0.2);
    let (options, tolerance) =
        (Options { mass: problem.mass, ..Options::default() }, Tolerance::scalar(1e-6, 1e-6));
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut calls = Vec::new();
    let mut run: Option<Solver> = None;
    for with in [true, false, true] {
        let inner = problem.system(Form::StrangenessFree, false);
        let pattern = inner.sparsity().filter(|_| with).cloned();
        let mut system = Said { inner, pattern };
        let mut solver = match run.take() {
            None => Solver::start(&mut system, &options, &tolerance, start).unwrap(),
            Some(earlier) => earlier.start_again(&mut system, &options, &tolerance, start).unwrap(),
        };
        solver.integrate(&mut system, None, None, problem.tend).unwrap();
        calls.push(solver.stats().eom_for_differences / solver.stats().njac);
        run = Some(solver);
    }
    assert!(calls[0] == calls[2] && calls[1] > calls[0], "{calls:?}");
}
