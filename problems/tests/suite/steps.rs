//! Steps that are tried, committed, taken back and undone by the caller.

use crate::listed::Listed;
use geoms::error::Rejection;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::{by_name, Problem};

fn start(method: &Listed, problem: &Problem, system: &mut dyn System, tol: f64) -> Solver {
    let options = method.options(problem, Form::StrangenessFree);
    method.start(system, problem, &options, (tol, 0.0)).expect(method.name)
}

fn system(problem: &Problem) -> Box<dyn System + Send> {
    problem.system(Form::StrangenessFree, true)
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

/// Step by step, and by attempts that are committed.
pub fn attempts_make_the_run_of_the_steps(method: &Listed) {
    let name = method.name;
    let problem = by_name("pendulum-2.8").expect("problem");
    {
        let mut model = system(&problem);
        let mut whole = start(method, &problem, &mut *model, 1e-4);
        let mut other = start(method, &problem, &mut *model, 1e-4);
        let mut x = vec![0.0; problem.x0.len()];
        while whole.t() < problem.tend && whole.stats().naccpt < 40 {
            whole.step(&mut *model, problem.tend).expect(name);
            while other.attempt(&mut *model, problem.tend).expect(name).is_none() {}
            let t = other.attempted(&mut x).expect("an attempt waits");
            assert!(other.t() < t, "{name}: the solver stays where the step begins");
            let refused = other.attempt(&mut *model, problem.tend).expect_err("one attempt waits");
            assert!(refused.to_string().contains("neither accepted nor taken back"), "{name}: {refused}");
            other.commit(&mut *model).expect(name);
            assert_eq!(bits(whole.x()), bits(other.x()), "{name}");
            assert_eq!(
                (whole.t(), whole.h(), whole.stats()),
                (other.t(), other.h(), other.stats()),
                "{name}"
            );
            // What was attempted is what was accepted, but for the multipliers of redundant constraints.
            assert_eq!((t, bits(&x)), (other.t(), bits(other.x())), "{name}");
            assert_eq!(other.attempted(&mut x), None);
            let refused = other.commit(&mut *model).expect_err("nothing waits");
            assert!(refused.to_string().contains("no attempted step waits"), "{name}: {refused}");
        }
    }
}

/// By Radau IIA.
fn reference(problem: &Problem, system: &mut dyn System, tend: f64) -> Vec<f64> {
    let options = Options { mass: problem.mass, ..Options::default() };
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut solver =
        Solver::start(system, &options, &Tolerance::scalar(1e-9, 1e-9), start).expect("reference");
    solver.integrate(system, None, None, tend).expect("reference");
    solver.x().to_vec()
}

/// Two runs with common steps: each step is the smaller proposal, and if one rejects both go back.
pub fn a_common_step_is_taken_by_all_or_by_none(method: &Listed) {
    let name = method.name;
    let names = ["pendulum-2.8", "car-axis"];
    {
        let problems = names.map(|n| by_name(n).expect("problem"));
        let mut models: Vec<_> = problems.iter().map(system).collect();
        let mut solvers: Vec<_> = problems
            .iter()
            .zip(&mut models)
            .map(|(problem, model)| start(method, problem, &mut **model, 1e-4))
            .collect();
        let (tend, mut h, mut taken_back, mut made, mut refuse) = (0.2, 1e-3, 0, 0, true);
        while solvers[0].t() < tend {
            let at: Vec<_> = solvers.iter().map(|s| (s.t(), bits(s.x()))).collect();
            let mut next = f64::INFINITY;
            let mut good = true;
            for (solver, model) in solvers.iter_mut().zip(&mut models) {
                solver.propose(h);
                match solver.attempt(&mut **model, tend).expect(name) {
                    Some(attempted) => next = next.min(attempted.next),
                    None => (good, next) = (false, next.min(solver.h())),
                }
            }
            // Once in a while the coupling itself refuses.
            let refused = good && made % 7 == 3 && std::mem::replace(&mut refuse, false);
            for (k, (solver, model)) in solvers.iter_mut().zip(&mut models).enumerate() {
                if good && !refused {
                    solver.commit(&mut **model).expect(name);
                } else {
                    solver.take_back(Rejection::ErrorTest { err: 2.0 }, 0.5 * h);
                    assert_eq!((solver.t(), bits(solver.x())), at[k], "{name}: as if nothing had been tried");
                }
            }
            taken_back += u32::from(refused);
            made += u32::from(good && !refused);
            refuse |= made % 7 == 4;
            h = if refused { 0.5 * h } else { next.min(2.0 * h) };
        }
        assert!(taken_back > 0, "{name}");
        assert_eq!(solvers[0].t(), solvers[1].t(), "{name}");
        for (solver, problem) in solvers.iter().zip(&problems) {
            let stats = solver.stats();
            assert_eq!(stats.naccpt, u64::from(made), "{name}");
            assert!(stats.nerjct >= u64::from(taken_back), "{name}");
            // Steps that are not longer do not err more.
            let mut model = system(problem);
            let exact = reference(problem, &mut *model, tend);
            let mut alone = start(method, problem, &mut *model, 1e-4);
            alone.integrate(&mut *model, None, None, tend).expect(name);
            let p = solver.layout().x.p;
            let pairs = |x| p.of(x).iter().zip(p.of(&exact[..]));
            let error = |x| pairs(x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            let (together, alone) = (error(solver.x()), error(alone.x()));
            assert!(together < 1.5 * alone + 1e-6, "{name}, {}: {together:e}, {alone:e}", problem.name);
        }
    }
}

pub fn an_accepted_step_is_undone_once(method: &Listed) {
    let name = method.name;
    let problem = by_name("pendulum-2.8").expect("problem");
    {
        let mut model = system(&problem);
        let mut solver = start(method, &problem, &mut *model, 1e-4);
        assert!(!solver.step_back(), "{name}: no step yet");
        (0..5).for_each(|_| solver.step(&mut *model, problem.tend).expect(name));
        let (before, accepted) = ((solver.t(), bits(solver.x())), solver.stats().naccpt);
        solver.step(&mut *model, problem.tend).expect(name);
        assert!(solver.step_back(), "{name}");
        assert_eq!((solver.t(), bits(solver.x())), before, "{name}");
        assert_eq!(solver.stats().naccpt, accepted, "{name}");
        assert!(!solver.step_back(), "{name}: only once");
        solver.step(&mut *model, problem.tend).expect(name);
        assert!(solver.t() > before.0, "{name}");
    }
}
