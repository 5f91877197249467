//! What goes wrong at one participant ends the run of all, and a saved run goes on as if nothing had happened.

use crate::harness::*;
use crate::planar::*;
use geoms::error::{Code, Failure};
use geoms::gluing::save::Saving;
use geoms::gluing::threads::participants;
use geoms::gluing::{Glued, Projection, Settings};
use geoms::layout::{Dimensions, Form};
use geoms::options::MassStructure;
use geoms::system::{JacobianBlocks, Outcome, System};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Stop,
    NotFinite,
    BadMass,
    BadJacobian,
    Jacobian,
    Vanish,
}

/// A model that fails behind a time.
struct Failing {
    model: Model,
    fault: Option<Fault>,
    behind: f64,
}

impl System for Failing {
    fn dimensions(&self) -> Dimensions {
        self.model.dimensions()
    }
    fn form(&self) -> Form {
        self.model.form()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.model.eom(t, x, rda);
        match self.fault.filter(|_| t > self.behind) {
            Some(Fault::Stop) => Outcome::Stop,
            Some(Fault::NotFinite) => {
                rda[0] = f64::NAN;
                outcome
            }
            Some(Fault::Vanish) => panic!("vanishes"),
            _ => outcome,
        }
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let outcome = self.model.mass(t, x, mass);
        if self.fault == Some(Fault::BadMass) && t > self.behind {
            mass[0] = f64::NAN;
        }
        outcome
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        match self.fault.filter(|_| t > self.behind) {
            Some(Fault::Jacobian) => Outcome::Stop,
            Some(Fault::BadJacobian) => {
                let outcome = self.model.jacobian(t, x, fx);
                fx.fx[4][0] = f64::INFINITY;
                outcome
            }
            _ => self.model.jacobian(t, x, fx),
        }
    }
}

const SIZE: usize = 4;
const AT: usize = 2;

struct Ended {
    result: Result<(), Failure>,
    t: f64,
    seconds: f64,
}

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("glue-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A chain of four rods on four threads, one of which fails at t = 0.2. A thread that vanishes has no result.
fn all_with(
    fault: Option<Fault>,
    settings: &Settings,
    prefix: Option<PathBuf>,
    resume: bool,
) -> (Vec<Option<Ended>>, Vec<Vec<f64>>) {
    let threads: Vec<_> = participants(SIZE, Duration::from_secs(5))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            let (settings, prefix) = (settings.clone(), prefix.clone());
            std::thread::spawn(move || {
                let b = chain(SIZE);
                let assembly = b.cut_with(
                    &b.pieces(SIZE),
                    |k| k,
                    rank,
                    |k, model| {
                        let fault = fault.filter(|_| k == AT);
                        // What is said to be constant is not asked for again.
                        let mass = if fault == Some(Fault::BadMass) {
                            MassStructure::Full
                        } else {
                            MassStructure::ConstantDiagonal
                        };
                        (Box::new(Failing { model, fault, behind: 0.2 }), mass)
                    },
                );
                let begin = Instant::now();
                let saving = prefix.map(|prefix| Saving { prefix, every: 1 });
                let mut glued = if resume {
                    let mut glued =
                        Glued::prepare(assembly, Box::new(transport), settings, 0.0, 1.0).unwrap();
                    let t = glued.resume(saving.as_ref().unwrap()).unwrap();
                    assert!(t > 0.15 && t < 0.25, "{t}");
                    glued
                } else {
                    let mut glued =
                        Glued::start(assembly, Box::new(transport), settings, 0.0, 0.005).unwrap();
                    saving.into_iter().for_each(|s| glued.save_to(s).unwrap());
                    glued
                };
                let result = glued.integrate(0.5).map(|_| ());
                let x = glued.state(rank).unwrap().to_vec();
                (Ended { result, t: glued.time(), seconds: begin.elapsed().as_secs_f64() }, x)
            })
        })
        .collect();
    let mut ends = Vec::new();
    let mut states = Vec::new();
    for thread in threads {
        match thread.join() {
            Ok((ended, x)) => {
                ends.push(Some(ended));
                states.push(x);
            }
            Err(_) => {
                ends.push(None);
                states.push(Vec::new());
            }
        }
    }
    (ends, states)
}

#[test]
fn a_failure_of_one_is_that_of_all() {
    let cases = [
        (Fault::Stop, Code::StoppedByEom),
        (Fault::NotFinite, Code::EomNotEvaluable),
        (Fault::BadMass, Code::StoppedByMas),
        (Fault::Jacobian, Code::StoppedByJac),
        (Fault::BadJacobian, Code::StoppedByJac),
    ];
    for (fault, code) in cases {
        for fixed_step in [true, false] {
            let settings = Settings { fixed_step, ..Settings::default() };
            let (ends, _) = all_with(Some(fault), &settings, None, false);
            for end in ends {
                let end = end.unwrap();
                let failure = end.result.unwrap_err();
                assert_eq!(failure.code, code, "{fault:?}: {failure}");
                assert!(failure.detail.contains("subdomain 2 of participant 2"), "{}", failure.detail);
                assert!(end.t <= 0.2 && end.t > 0.1, "{}", end.t);
                assert!(end.seconds < 5.0);
            }
        }
    }
}

/// A participant disappears; the others end with the same code, and what was saved goes on to the digits of an undisturbed run.
#[test]
fn a_lost_participant_and_a_resumed_run() {
    for (name, settings) in [("fixed", fixed(Projection::Result)), ("variable", Settings::default())] {
        let (undisturbed, expected) = all_with(None, &settings, None, false);
        assert!(undisturbed.iter().all(|e| e.as_ref().is_some_and(|e| e.result.is_ok())));
        let prefix = folder(name).join("run");
        let (ends, _) = all_with(Some(Fault::Vanish), &settings, Some(prefix.clone()), false);
        for (rank, end) in ends.iter().enumerate() {
            let Some(end) = end else {
                assert_eq!(rank, AT);
                continue;
            };
            let failure = end.result.as_ref().unwrap_err();
            assert_eq!(failure.code, Code::PeerLost);
            assert!(
                failure.detail.contains("participant 2 (subdomains 2)"),
                "rank {rank}: {}",
                failure.detail
            );
            assert!(end.seconds < 10.0);
        }
        let (ends, found) = all_with(None, &settings, Some(prefix.clone()), true);
        assert!(ends.iter().all(|e| e.as_ref().is_some_and(|e| e.result.is_ok() && e.t == 0.5)));
        for (a, b) in expected.iter().zip(&found) {
            assert_eq!(a, b, "bit for bit");
        }
        std::fs::remove_dir_all(prefix.parent().unwrap()).unwrap();
    }
}

/// States that do not fit are refused and change nothing.
#[test]
fn foreign_states_are_refused() {
    let b = chain(4);
    let parts = b.pieces(2);
    let glued = run(&b, &parts, fixed(Projection::Result), 0.1, 20);
    let saved = glued.save();
    let mut other = Glued::alone(b.cut(&parts, |_| 0, 0), fixed(Projection::Result), 0.0, 0.005).unwrap();
    let before = other.save();
    for bad in [&saved[..20], &saved[..saved.len() - 8], b"nonsense", &[&saved[..], &[0; 8]].concat()] {
        assert!(other.restore(bad).is_err());
        assert_eq!(other.save(), before);
    }
    let three = chain(6);
    let mut different =
        Glued::alone(three.cut(&three.pieces(3), |_| 0, 0), fixed(Projection::Result), 0.0, 0.005).unwrap();
    assert!(different.restore(&saved).is_err());
    other.restore(&saved).unwrap();
    assert_eq!(other.save(), saved);
    assert_eq!(other.time(), 0.1);
    let text = other.resume(&Saving { prefix: folder("none").join("nothing"), every: 1 }).unwrap_err();
    assert!(text.detail.contains("nothing"), "{}", text.detail);
}
