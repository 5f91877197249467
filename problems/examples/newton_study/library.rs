//! The problems of the library: errors, evaluations and CPU time of method 0 with NWTMULT=0 and with the default (or STUDY_SET), at
//! equal tolerances.

use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, StageMultipliers};
use geoms::stats::Stats;
use geoms_problems::{self as testset, Problem};
use std::time::Instant;

struct Run {
    /// Of p and v, and of λ and μ, relative to max(1, ‖block‖).
    error: [f64; 2],
    stats: Stats,
    seconds: f64,
}

fn run(problem: &Problem, new: bool, form: Form, tol: f64, end: &[(usize, f64)]) -> Option<Run> {
    let mut options = Options {
        mass: problem.mass,
        form,
        decompose_constraints: if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu },
        nmax: 200_000,
        method: MethodKind::Radau,
        ..Options::default()
    };
    if new {
        super::set(&mut options, "STUDY_SET");
    } else {
        options.stage_multipliers = StageMultipliers::Constraints;
    }
    let layout = problem.layout(form);
    let mut system = problem.system(form, true);
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let tolerance = Tolerance::scalar(tol, tol);
    let integration =
        Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
    let clock = Instant::now();
    integrate(integration, &mut t, &mut x, &mut h, problem.tend, &mut stats).ok()?;
    let seconds = clock.elapsed().as_secs_f64();
    let multiplier = |i: usize| layout.x.multipliers.contains(i);
    let error = [false, true].map(|wanted| {
        let of = |value: &dyn Fn(usize, f64) -> f64| {
            let known = end.iter().filter(|(i, _)| multiplier(*i) == wanted && !layout.x.w.contains(*i));
            known.fold(0.0f64, |m, (i, e)| m.max(value(*i, *e).abs()))
        };
        of(&|i, e| x[i] - e) / of(&|_, e| e).max(1.0)
    });
    Some(Run { error, stats, seconds })
}

pub fn compare() {
    println!("problem, FORM, TOL: errors of p and v and of multipliers, attempts, evaluations, seconds, before and now, and ratios");
    let only = std::env::var("STUDY_PROBLEMS").ok();
    let chosen = |p: &Problem| only.as_ref().is_none_or(|o| o.split_whitespace().any(|n| n == p.name));
    for problem in testset::all().into_iter().filter(chosen) {
        let Some(end) = problem.at_end() else { continue };
        for (form, tol) in
            [Form::StrangenessFree, Form::Index1].into_iter().flat_map(|f| super::TOLERANCES.map(|t| (f, t)))
        {
            let [before, now] = [false, true].map(|new| run(&problem, new, form, tol, &end));
            let name = format!("{:<24} {} {tol:.0e}", problem.name, i32::from(form == Form::Index1));
            match (before, now) {
                (Some(a), Some(b)) => println!(
                    "{name}  {:.1e} {:.1e} ({:.2})  {:.1e} {:.1e} ({:.2})  {} {} ({:.2})  {} {} ({:.2})  {:.4} {:.4} ({:.2})",
                    a.error[0],
                    b.error[0],
                    b.error[0] / a.error[0],
                    a.error[1],
                    b.error[1],
                    b.error[1] / a.error[1],
                    a.stats.nstep(),
                    b.stats.nstep(),
                    b.stats.nstep() as f64 / a.stats.nstep() as f64,
                    a.stats.neom,
                    b.stats.neom,
                    b.stats.neom as f64 / a.stats.neom as f64,
                    a.seconds,
                    b.seconds,
                    b.seconds / a.seconds
                ),
                (a, b) => println!("{name}  before: {}, now: {}", said(&a), said(&b)),
            }
        }
    }
}

fn said(run: &Option<Run>) -> &'static str {
    if run.is_some() {
        "success"
    } else {
        "failure"
    }
}
