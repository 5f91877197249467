//! A model that stops, wants a smaller step or gives NaN at some call: documented codes, the last accepted point, and a run
//! that can go on.

use crate::listed::Listed;
use geoms::error::Code;
use geoms::layout::Form;
use geoms::options::Options;
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::trial::problem;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    Answer(Outcome),
    NotFinite,
}

/// Which function it happens in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Eom,
    Mass,
    Jacobian,
}

struct Troubled {
    inner: Box<dyn System + Send>,
    place: Place,
    at: u64,
    calls: u64,
    trouble: Trouble,
}

impl Troubled {
    /// The answer of this call, and what becomes of its results.
    fn answer(&mut self, place: Place, outcome: Outcome, results: &mut [f64]) -> Outcome {
        if place != self.place {
            return outcome;
        }
        self.calls += 1;
        match (self.calls == self.at, self.trouble) {
            (false, _) => outcome,
            (true, Trouble::Answer(answer)) => answer,
            (true, Trouble::NotFinite) => {
                results.iter_mut().for_each(|v| *v = f64::NAN);
                outcome
            }
        }
    }
}

impl System for Troubled {
    geoms_problems::pass_on!(dimensions, form);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.inner.eom(t, x, rda);
        self.answer(Place::Eom, outcome, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let outcome = self.inner.mass(t, x, mass);
        self.answer(Place::Mass, outcome, mass)
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let outcome = self.inner.jacobian(t, x, fx);
        let Some(block) = fx.fx.iter_mut().find(|block| !block.is_empty()) else { return outcome };
        self.answer(Place::Jacobian, outcome, block)
    }
}

pub fn check(method: &Listed) {
    let problem = problem("pendulum-2.8");
    let form = Form::StrangenessFree;
    let options = Options { recover: true, consistent: true, nmax: 1000, ..method.options(&problem, form) };
    let tend = 0.5;
    let (mut runs, mut reached) = (0, 0);
    for place in [Place::Eom, Place::Mass, Place::Jacobian] {
        for at in [1, 2, 3, 5, 11, 29, 57] {
            for trouble in
                [Trouble::Answer(Outcome::Stop), Trouble::Answer(Outcome::Retry), Trouble::NotFinite]
            {
                let inner = problem.system(form, true);
                let mut system = Troubled { inner, place, at, calls: 0, trouble };
                let what = format!("{} {place:?} call {at} {trouble:?}", method.name);
                let started = method.start(&mut system, &problem, &options, (method.tol, 0.0));
                let mut solver = match started {
                    Ok(solver) => solver,
                    Err(failure) => {
                        assert!(documented(failure.code), "{what}: {failure}");
                        continue;
                    }
                };
                runs += 1;
                let result = solver.integrate(&mut system, None, None, tend);
                assert!(solver.x().iter().all(|x| x.is_finite()), "{what}");
                let stats = *solver.stats();
                assert_eq!(stats.nstep(), stats.naccpt + stats.nerjct + stats.ncrjct);
                if let Err(failure) = result {
                    assert!(documented(failure.code), "{what}: {failure}");
                    assert!(failure.t.is_finite(), "{what}: {failure}");
                    assert!(system.calls >= at, "{what}: {failure}");
                    // It happens once: the run can go on from where it is.
                    let go_on = solver.integrate(&mut system, None, None, tend);
                    go_on.unwrap_or_else(|failure| panic!("{what}, going on: {failure}"));
                } else {
                    let stopped = trouble == Trouble::Answer(Outcome::Stop) && system.calls >= at;
                    assert!(!stopped, "{what}: a model that stops ends the run");
                }
                assert_eq!(solver.t(), tend, "{what}");
                reached += u32::from(system.calls >= at);
            }
        }
    }
    println!("count: {}: {runs} runs with a fault of the model, {reached} that met it", method.name);
    assert!(reached > 20, "{reached} of {runs}");
}

/// A code that says where it came from.
fn documented(code: Code) -> bool {
    !matches!(code, Code::BadArgument) && !code.sentence().is_empty()
}
