//! Many runs at the same time, and a run inside a run.

use crate::harness::{bits, Call, Who};
use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::linalg::SolverKind;
use geoms::norm::Tolerance;
use geoms::options::{Controller, Options};
use geoms::stats::Stats;
use geoms_problems::{self as testset, Problem};
use std::sync::{Arc, Barrier, Mutex};

const THREADS: usize = 64;

/// One problem with one set of options; the steps are limited, and how a run ends does not matter.
#[derive(Clone)]
struct Task {
    problem: Problem,
    options: Options,
    tol: f64,
    jacobian: bool,
    through_the_call: bool,
}

fn tasks() -> Vec<Task> {
    let problems: Vec<Problem> = testset::all();
    let kinds = [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd];
    (0..THREADS)
        .map(|i| {
            // Every pass over the problems has other options.
            let (problem, round) = (problems[i % problems.len()].clone(), i / problems.len());
            let options = Options {
                nmax: 150,
                decompose_constraints: if problem.rank_deficient {
                    DecompositionKind::Svd
                } else {
                    kinds[(i + round) % 3]
                },
                decompose_differential: if round % 2 == 1 { SolverKind::Qr } else { SolverKind::Lu },
                controller: if i % 5 == 0 { Controller::Classical } else { Controller::Predictive },
                ..Options::of_call()
            };
            let tol = [1e-5, 1e-7, 1e-6][round % 3];
            Task { problem, options, tol, jacobian: (i + round) % 2 == 0, through_the_call: i % 3 == 0 }
        })
        .collect()
}

/// Everything that a run returns: code, x, t, h and counters.
type Result = (i64, Vec<u64>, u64, u64, Vec<i64>);

impl Task {
    fn run(&self) -> Result {
        if self.through_the_call {
            self.run_call()
        } else {
            self.run_rust()
        }
    }

    fn run_rust(&self) -> Result {
        let mut system = self.problem.system(self.options.form, self.jacobian);
        let tolerance = Tolerance::scalar(self.tol, self.tol);
        let run = Integration {
            system: system.as_mut(),
            observer: None,
            options: &self.options,
            tolerance: &tolerance,
        };
        let (mut t, mut x, mut h) = (self.problem.t0, self.problem.x0.clone(), 1e-3);
        let mut stats = Stats::default();
        let result = integrate(run, &mut t, &mut x, &mut h, self.problem.tend, &mut stats);
        let code = result.map_or_else(|f| i64::from(f.code.idid()), |()| 0);
        let counters = stats.iwork().iter().map(|c| c.1 as i64).collect();
        (code, bits(&x), t.to_bits(), h.to_bits(), counters)
    }

    fn run_call(&self) -> Result {
        let options = testset::Options::new(self.options.form, self.jacobian);
        let constraints = match self.options.decompose_constraints {
            DecompositionKind::Lu => 1,
            DecompositionKind::Qr => 2,
            DecompositionKind::Svd => 3,
        };
        let classical = self.options.controller == Controller::Classical;
        let mut call = Call::<i32>::problem_with(&self.problem.name, options)
            .tol(self.tol)
            .iopt(6, self.options.nmax as i64)
            .iopt(8, if classical { 2 } else { 1 })
            .iopt(11, constraints)
            .iopt(12, i64::from(self.options.decompose_differential == SolverKind::Qr));
        call.run();
        let r = call.returned();
        (r.idid, r.x, r.t, r.h, r.iwork[..11].to_vec())
    }
}

#[test]
fn sixty_four_threads() {
    let tasks = tasks();
    let serial: Vec<Result> = tasks.iter().map(Task::run).collect();
    for repetition in 0..3 {
        let barrier = Barrier::new(THREADS);
        let parallel: Vec<Result> = std::thread::scope(|scope| {
            let run = |task| {
                let barrier = &barrier;
                move || {
                    barrier.wait();
                    Task::run(task)
                }
            };
            let handles: Vec<_> = tasks.iter().map(|task| scope.spawn(run(task))).collect();
            handles.into_iter().map(|h| h.join().unwrap()).collect()
        });
        for ((task, one), other) in tasks.iter().zip(&serial).zip(&parallel) {
            assert_eq!(one, other, "{} in repetition {repetition}", task.problem.name);
        }
    }
    println!("count: threads: {} runs on {THREADS} threads", 3 * THREADS);
}

/// The same task through both interfaces.
#[test]
fn both_interfaces_agree() {
    let mut compared = 0;
    for task in tasks() {
        // By differences the call moves one column after the other: it knows no pattern.
        let pattern = task.problem.system(task.options.form, task.jacobian).sparsity().is_some();
        if task.jacobian || !pattern {
            assert_eq!(task.run_rust(), task.run_call(), "{}", task.problem.name);
            compared += 1;
        }
    }
    assert!(compared > THREADS / 2, "{compared}");
}

#[test]
fn a_call_inside_a_subroutine() {
    let outer = || Call::<i32>::problem("cycloid").tend(0.5);
    let inner = || Call::<i64>::problem("pendulum-2.8").tend(0.1);
    let (expected, expected_inner) = (outer().finish().returned(), inner().finish().returned());
    let seen = Arc::new(Mutex::new(Vec::new()));
    for who in [Who::Eom, Who::Mas, Who::Jac, Who::Solout] {
        let kept = seen.clone();
        let mut call = outer().hook(move |event| {
            if event.who == who {
                let mut nested = inner();
                nested.run();
                // Nothing may panic here.
                if let Ok(mut kept) = kept.lock() {
                    kept.push(nested.returned());
                }
            }
        });
        assert_eq!(call.run(), 0);
        assert_eq!(call.returned(), expected, "a call inside {who:?}");
        let results = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(results.len() as u64, call.context.calls[who as usize]);
        assert!(results.iter().all(|r| *r == expected_inner), "a call inside {who:?}");
    }
}
