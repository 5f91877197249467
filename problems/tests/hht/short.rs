//! Steps that are much shorter than accuracy asks for: what they end with is as right as what others end with.

use crate::steady::{errors, presented, Cone};
use geoms::error::Code;
use geoms::layout::Form;
use geoms::mechanism::Model;
use geoms::options::{MethodKind, Options};
use geoms::solver::Solver;
use geoms::system::{Outcome, System};

const CONE: Cone = Cone { length: 0.7, mass: 0.9, rows: 1 };

fn options(form: Form) -> Options {
    Options { method: MethodKind::Hht, form, nmax: 10_000_000, ..Options::of_call() }
}

/// Pieces of any length, after a run and from the beginning.
#[test]
fn pieces() {
    for form in [Form::StrangenessFree, Form::Index1] {
        for first in [0.0, 1.0] {
            for piece in [1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
                let (mut system, x0, tolerance) = presented(&CONE, form, 1e-5);
                let mut solver =
                    Solver::start(&mut system, &options(form), &tolerance, (0.0, &x0, 0.0)).expect("start");
                if first > 0.0 {
                    solver.integrate(&mut system, None, None, first).expect("first");
                }
                let before = errors(&CONE, solver.t(), solver.x())[0];
                let mut worst = [0.0f64; 2];
                for k in 1..=200 {
                    solver.integrate(&mut system, None, None, first + f64::from(k) * piece).expect("piece");
                    let [motion, _, multipliers] = errors(&CONE, solver.t(), solver.x());
                    worst = [worst[0].max(motion), worst[1].max(multipliers)];
                }
                println!("{form:?} from {first} pieces {piece:e}: {before:.1e} {worst:?}");
                assert!(worst[0] <= 2.0 * before + 1e-3, "from {first} pieces {piece:e}: {before} {worst:?}");
                assert!(worst[1] <= 0.02, "from {first} pieces {piece:e}: {worst:?}");
                // The run goes on from there.
                solver.integrate(&mut system, None, None, first + 1.0).expect("rest");
                assert!(errors(&CONE, solver.t(), solver.x())[0] < 0.01);
            }
        }
    }
}

/// A model that ends at t = 1.
struct Ending {
    inner: Model<Cone>,
}

impl System for Ending {
    geoms_problems::pass_on!(dimensions, form, mass, has_jacobian, jacobian);
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        if t > 1.0 {
            return Outcome::Retry;
        }
        self.inner.eom(t, x, rda)
    }
}

/// Steps become shorter and shorter, and the last accepted point is a good one.
#[test]
fn before_the_end_of_a_model() {
    for tol in [1e-3, 1e-5] {
        let (inner, x0, tolerance) = presented(&CONE, Form::StrangenessFree, tol);
        let mut system = Ending { inner };
        let options = options(Form::StrangenessFree);
        let mut solver = Solver::start(&mut system, &options, &tolerance, (0.0, &x0, 0.0)).expect("start");
        solver.integrate(&mut system, None, None, 0.9).expect("first");
        let before = errors(&CONE, solver.t(), solver.x());
        let failure = solver.integrate(&mut system, None, None, 2.0).expect_err("there is no end");
        let found = errors(&CONE, solver.t(), solver.x());
        println!("{tol:e}: {} {before:?} {found:?}", 1.0 - solver.t());
        assert_eq!(failure.code, Code::EomNotEvaluable);
        assert!(1.0 - solver.t() < 1e-3 && found[0] < 2.0 * before[0], "{before:?} {found:?}");
        assert!(found[2] < 0.05, "{found:?}");
    }
}
