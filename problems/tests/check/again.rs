//! Runs in the memory of others: a model that was found clear is not looked at again before it moves, and one that has changed is.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::Solver;
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems as testset;

/// A pendulum whose gII can be spoilt between two runs; the initial values stay consistent.
struct Changing {
    inner: Box<dyn System + Send>,
    l: Layout,
    wrong: bool,
}

impl System for Changing {
    fn dimensions(&self) -> Dimensions {
        self.l.dims
    }
    fn form(&self) -> Form {
        self.l.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.inner.eom(t, x, rda);
        if self.wrong {
            let v = self.l.x.v.of(x);
            self.l.rda.g_acceleration.of_mut(rda)[0] += t * v.iter().map(|v| v * v).sum::<f64>();
        }
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.inner.mass(t, x, mass)
    }
    fn has_jacobian(&self) -> bool {
        false
    }
    fn jacobian(&mut self, _: f64, _: &[f64], _: &mut JacobianBlocks) -> Outcome {
        Outcome::Stop
    }
}

#[test]
fn a_clear_model_is_looked_at_once_before_it_moves() {
    let problem = testset::by_name("pendulum-2.8").expect("pendulum");
    let inner = problem.system(Form::StrangenessFree, true);
    let l = Layout::new(inner.dimensions(), inner.form());
    let mut system = Changing { inner, l, wrong: false };
    let (options, tolerance) = (Options::default(), Tolerance::scalar(1e-6, 1e-6));
    let start = (problem.t0, &problem.x0[..], 0.0);

    let solver = Solver::start(&mut system, &options, &tolerance, start).expect("start");
    let looked = solver.stats().eom_for_checks;
    assert!(looked > 0);
    // Nothing is known of a model that has not moved.
    let mut solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
    assert_eq!(solver.stats().eom_for_checks, looked);
    solver.integrate(&mut system, None, None, problem.tend).expect("run");
    let end = solver.x().to_vec();

    let mut solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
    assert_eq!(solver.stats().eom_for_checks, 0);
    solver.integrate(&mut system, None, None, problem.tend).expect("run");
    assert_eq!(solver.x(), &end[..]);
    assert!(solver.take_warnings().is_empty());

    // Said to have changed, it is looked at from the start; if not, as soon as it moves.
    for told in [true, false] {
        system.wrong = false;
        let mut solver = Solver::start(&mut system, &options, &tolerance, start).expect("start");
        solver.integrate(&mut system, None, None, problem.tend).expect("run");
        if told {
            solver.distrust();
        }
        system.wrong = true;
        let mut solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
        assert_eq!(solver.stats().eom_for_checks > 0, told);
        let _ = solver.integrate(&mut system, None, None, problem.tend);
        let warnings = solver.take_warnings();
        assert!(warnings.iter().any(|w| w.contains("gII")), "{told} {warnings:?}");
        // What was found is not forgotten: the next run begins with a look.
        system.wrong = false;
        let solver = solver.start_again(&mut system, &options, &tolerance, start).expect("again");
        assert!(solver.stats().eom_for_checks > 0);
    }
}
