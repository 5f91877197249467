//! Models that are made for the time of the run only, as one that looks a drive up in a table.

use crate::settings::{methods, redundant, run, FORMS};
use geoms::layout::{Dimensions, Form};
use geoms::options::{CheckLevel, Options, WatchLevel};
use geoms::system::{JacobianBlocks, Outcome, Parts, System};
use geoms_problems as testset;

struct Within {
    inner: Box<dyn System + Send>,
    times: (f64, f64),
    elsewhere: Outcome,
}

impl Within {
    fn refuses(&self, t: f64) -> bool {
        t < self.times.0 || t > self.times.1
    }
}

impl System for Within {
    fn dimensions(&self) -> Dimensions {
        self.inner.dimensions()
    }
    fn form(&self) -> Form {
        self.inner.form()
    }
    fn has_jacobian(&self) -> bool {
        self.inner.has_jacobian()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        if self.refuses(t) {
            return self.elsewhere;
        }
        self.inner.eom(t, x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        if self.refuses(t) {
            return self.elsewhere;
        }
        self.inner.mass(t, x, mass)
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        if self.refuses(t) {
            return self.elsewhere;
        }
        self.inner.jacobian(t, x, fx)
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        if self.refuses(t) {
            return Some(self.elsewhere);
        }
        self.inner.parts(t, x, parts)
    }
}

#[test]
fn nobody_is_asked_for_a_time_outside_of_the_run_in_vain() {
    let (tol, mut bad) = (1e-6, Vec::new());
    for problem in testset::all().into_iter().filter(|p| p.time_dependent && !p.rank_deficient) {
        for (name, options) in methods() {
            for form in FORMS {
                for analytic in [true, false] {
                    let tend = problem.t0 + problem.tend.min(0.5);
                    let (check, watch) = (CheckLevel::Quick, WatchLevel::Warn);
                    let options = Options { form, mass: problem.mass, check, watch, ..options.clone() };
                    let options = if problem.redundant { redundant(options) } else { options };
                    let span = (problem.t0, &problem.x0[..], 0.0, tend);
                    let mut everywhere = problem.system(form, analytic);
                    let inner = problem.system(form, analytic);
                    // Method 2 has a stage behind the end of its step.
                    let beyond = if name == "rosenbrock" { 0.2 } else { 0.0 };
                    // Method 0 takes differences in time at singular positions only and can do with a model that stops there.
                    let stops = name.starts_with("radau") && problem.name != "four-bar-relative";
                    let elsewhere = if stops { Outcome::Stop } else { Outcome::Retry };
                    let mut within = Within { inner, times: (problem.t0, tend + beyond), elsewhere };
                    let [free, bound] = [everywhere.as_mut(), &mut within as &mut dyn System]
                        .map(|system| run(system, &options, tol, span));
                    let what = format!("{} {name} {form:?} JAC {analytic}", problem.name);
                    match (free, bound) {
                        (Ok((x, _)), Ok((y, _))) => {
                            let far = x.iter().zip(&y).any(|(a, b)| (a - b).abs() > 1e-2 * (1.0 + a.abs()));
                            if far {
                                bad.push(format!("{what}: {x:?} {y:?}"));
                            }
                        }
                        (Ok(_), Err(failure)) => bad.push(format!("{what}: {failure}")),
                        (Err(_), _) => {}
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
