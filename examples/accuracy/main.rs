//! Accuracy over the problem set (`make accuracy`): every problem, decomposition, formulation and controller at
//! TOL = 1e-4 ... 1e-12, the truck down to 1e-15; large problems in fewer ways. Writes `docs/accuracy.csv` (all runs), `docs/accuracy.md` (a summary) and
//! `docs/accuracy.svg` (work-precision diagrams), and fails if a run that reports success is far off on a
//! smooth problem.

mod plot;

use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{Controller, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use geoms::testset::{self, Problem};
use std::fmt::Write as _;
use std::io::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

/// Longest interval of the table of smooth problems with a closed form; longer ones are shown apart.
const LONGEST: f64 = 5.0;
/// Ends of the long intervals.
const LONG: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// A success must not be further off than this multiple of TOL on a smooth problem.
const LIMIT: f64 = 1000.0;

/// From this many unknowns on only LU and the predictive controller.
const LARGE: usize = 100;
/// From this many on only three tolerances.
const HUGE: usize = 300;

/// One way of solving.
#[derive(Clone, Copy, PartialEq)]
struct Way {
    form: Form,
    kind: DecompositionKind,
    controller: Controller,
}

/// One run.
struct Run {
    problem: String,
    way: Way,
    tol: f64,
    idid: i32,
    /// Errors of p, v and [λ μ], relative to max(1, ‖block‖).
    error: [f64; 3],
    /// Largest residuals of g, gI and gII (with c, h and d, hI) at accepted points.
    residual: [f64; 3],
    stats: Stats,
}

fn main() -> Result<()> {
    let problems: Vec<Problem> = testset::all().into_iter().filter(|p| target(p).is_some()).collect();
    let mut runs = Vec::new();
    let mut apart = Vec::new();
    for (problem, results) in problems.iter().zip(all_runs(&problems)) {
        if problem.rank_deficient { &mut apart } else { &mut runs }.extend(results);
    }
    std::fs::write("docs/accuracy.csv", csv(runs.iter().chain(&apart)))?;
    let long = long_runs();
    std::fs::write("docs/accuracy.md", summary(&runs, &apart, &long))?;
    std::fs::write("docs/accuracy.svg", diagrams(&runs))?;
    let bad: Vec<&Run> =
        runs.iter().filter(|r| r.idid == 0 && r.error[0].max(r.error[1]) > LIMIT * r.tol).collect();
    for run in &bad {
        eprintln!("success, but off: {}", row(run));
    }
    println!(
        "{} runs, {} apart, {} successes further off than {LIMIT}*TOL",
        runs.len(),
        apart.len(),
        bad.len()
    );
    std::process::exit(i32::from(!bad.is_empty()));
}

/// The runs of each problem. Nothing is timed, so problems are shared out among threads.
fn all_runs(problems: &[Problem]) -> Vec<Vec<Run>> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<Vec<Run>>> = problems.iter().map(|_| OnceLock::new()).collect();
    let work = || {
        while let Some((problem, result)) = {
            let i = next.fetch_add(1, Ordering::Relaxed);
            problems.get(i).zip(results.get(i))
        } {
            let start = Instant::now();
            result.get_or_init(|| runs_of(problem));
            eprintln!("{} ({:.0} s)", problem.name, start.elapsed().as_secs_f64());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    results.into_iter().map(|r| r.into_inner().unwrap_or_default()).collect()
}

fn runs_of(problem: &Problem) -> Vec<Run> {
    let Some((tend, end)) = target(problem) else { return Vec::new() };
    let mut list = Vec::new();
    for way in ways(problem) {
        for k in exponents(problem) {
            list.push(solve(problem, way, 10f64.powi(-k), tend, &end));
        }
    }
    list
}

/// TOL = 10^-k. The truck goes on to where the report's figure 8 ends.
fn exponents(problem: &Problem) -> Vec<i32> {
    match problem.name.as_str() {
        "truck" | "truck-physical" => (4..=15).collect(),
        _ if problem.x0.len() > HUGE => vec![4, 6, 8],
        _ => (4..=12).collect(),
    }
}

/// All combinations; of large problems only those that differ in the formulation.
fn ways(problem: &Problem) -> Vec<Way> {
    if problem.x0.len() > LARGE {
        return [Form::StrangenessFree, Form::Index1].map(default_way).to_vec();
    }
    let mut list = Vec::new();
    for form in [Form::StrangenessFree, Form::Index1] {
        for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            for controller in [Controller::Predictive, Controller::Classical] {
                list.push(Way { form, kind, controller });
            }
        }
    }
    list
}

/// End time and solution there.
fn target(problem: &Problem) -> Option<(f64, Vec<(usize, f64)>)> {
    match &problem.exact {
        Some(exact) if problem.tend > LONGEST && !problem.rank_deficient => {
            Some((LONGEST, exact(LONGEST).into_iter().enumerate().collect()))
        }
        _ => problem.at_end().map(|end| (problem.tend, end)),
    }
}

fn solve(problem: &Problem, way: Way, tol: f64, tend: f64, end: &[(usize, f64)]) -> Run {
    let layout = problem.layout(way.form);
    let mut system = problem.system(way.form, true);
    let mut witness = problem.system(way.form, true);
    let options = Options {
        mass: problem.mass,
        form: way.form,
        decompose_constraints: way.kind,
        controller: way.controller,
        consistent: true,
        nmax: 1_000_000,
        ..Options::default()
    };
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let mut residual = [0.0; 3];
    let mut rda = vec![0.0; layout.m];
    let mut observer = |step: &AcceptedStep<'_>| {
        if step.naccpt > 0 {
            watch(&mut *witness, &layout, step, &mut rda, &mut residual);
        }
        Outcome::Continue
    };
    let run = Integration {
        system: &mut *system,
        observer: Some(&mut observer),
        options: &options,
        tolerance: &Tolerance::scalar(tol, tol),
    };
    let result = integrate(run, &mut t, &mut x, &mut h, tend, &mut stats);
    let blocks = [layout.x.p, layout.x.v, layout.x.multipliers];
    Run {
        problem: problem.name.clone(),
        way,
        tol,
        idid: result.err().map_or(0, |f| f.code.idid()),
        error: blocks.map(|block| error(block, &x, end)),
        residual,
        stats,
    }
}

/// Largest residuals of the three levels of constraints.
fn watch(
    system: &mut dyn System,
    layout: &Layout,
    step: &AcceptedStep<'_>,
    rda: &mut [f64],
    residual: &mut [f64; 3],
) {
    if system.eom(step.t, step.x, rda) == Outcome::Continue {
        let levels = [layout.rda.rows3, layout.rda.rows2, layout.rda.rows1];
        for (r, rows) in residual.iter_mut().zip(levels) {
            *r = rows.of(rda).iter().fold(*r, |m, v| m.max(v.abs()));
        }
    }
}

fn error(block: Block, x: &[f64], end: &[(usize, f64)]) -> f64 {
    let known = || end.iter().filter(|(i, _)| block.contains(*i));
    let size = known().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
    known().fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs())) / size
}

fn name(way: Way) -> String {
    let form = if way.form == Form::StrangenessFree { 0 } else { 1 };
    let pred = if way.controller == Controller::Predictive { 1 } else { 2 };
    format!("{form},{:?},{pred}", way.kind).to_uppercase()
}

fn row(run: &Run) -> String {
    let [p, v, l] = run.error;
    let [g, g1, g2] = run.residual;
    let s = &run.stats;
    format!(
        "{},{},{:.0e},{},{p:.1e},{v:.1e},{l:.1e},{g:.1e},{g1:.1e},{g2:.1e},{},{},{},{},{}",
        run.problem,
        name(run.way),
        run.tol,
        run.idid,
        s.naccpt,
        s.neom,
        s.njac,
        s.nerjct,
        s.ncrjct
    )
}

fn csv<'a>(runs: impl Iterator<Item = &'a Run>) -> String {
    let mut out = String::from(
        "problem,form,decomposition,controller,tol,idid,error p,error v,error multipliers,residual g,residual gI,\
         residual gII,NACCPT,NEOM,NJAC,NERJCT,NCRJCT\n",
    );
    for run in runs {
        out += &row(run);
        out.push('\n');
    }
    out
}

/// Exponent of TOL in the error of v, by least squares over the runs above round-off.
fn slope(runs: &[&Run]) -> Option<f64> {
    let points: Vec<(f64, f64)> = runs
        .iter()
        .filter(|r| r.idid == 0 && r.error[1] > 1e-12 && r.tol <= 1e-5)
        .map(|r| (r.tol.log10(), r.error[1].log10()))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let (sxy, sxx) =
        points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - sx) * (y - sy), b + (x - sx) * (x - sx)));
    Some(sxy / sxx)
}

fn default_way(form: Form) -> Way {
    Way { form, kind: DecompositionKind::Lu, controller: Controller::Predictive }
}

/// The default way, or the SVD where only it applies.
fn series<'a>(runs: &'a [Run], problem: &str, form: Form) -> Vec<&'a Run> {
    let pick = |kind| {
        let way = Way { kind, ..default_way(form) };
        runs.iter().filter(|r| r.problem == problem && r.way == way).collect::<Vec<_>>()
    };
    let lu = pick(DecompositionKind::Lu);
    if lu.iter().all(|r| r.idid != 0) {
        pick(DecompositionKind::Svd)
    } else {
        lu
    }
}

fn problems(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = runs.iter().map(|r| r.problem.clone()).collect();
    names.dedup();
    names
}

/// The pendulum over long intervals, default way.
fn long_runs() -> Vec<(f64, Run)> {
    let mut list = Vec::new();
    for name in ["pendulum-horizontal", "pendulum-rotating"] {
        let Some(problem) = testset::by_name(name) else { continue };
        let Some(exact) = problem.exact.clone() else { continue };
        for tend in LONG {
            let end: Vec<(usize, f64)> = exact(tend).into_iter().enumerate().collect();
            list.push((tend, solve(&problem, default_way(Form::StrangenessFree), 1e-8, tend, &end)));
        }
    }
    list
}

fn summary(runs: &[Run], apart: &[Run], long: &[(f64, Run)]) -> String {
    let mut out = String::from(
        "# Accuracy\n\nMade by `make accuracy`; all runs are in [accuracy.csv](accuracy.csv). Errors at the end of the \
         interval, relative to max(1, largest entry of the block); residuals are maxima over all accepted points, \
         in the units of the problem. RTOL = ATOL = TOL, exact Jacobian. *slope* is the exponent of TOL in the \
         error of v: 5/6 is what an estimate of order 4 on a method of order 5 with RTOL' = 0.1 RTOL^(2/3) gives.\n\n\
         ![work-precision diagrams](accuracy.svg)\n\n## Smooth problems\n\n",
    );
    table(&mut out, runs);
    out += "\n## Problems with singular positions\n\nThe constraint matrix loses rank on the way and the multipliers have \
            poles there. A run either passes between two points of its grid, and then the error shows what the \
            singularity costs, or it stops with a code. A result at the far side is not to be trusted beyond the \
            errors below.\n\n";
    table(&mut out, apart);
    out += "\n## Long intervals\n\nTOL = 1e-8, FORM=0. Without dissipation an error of the energy changes the period, so the \
            phase error grows with the square of the time while the energy error grows linearly; constraints \
            do not drift at all. Imposing the energy as invariant (NI=1) makes the growth linear.\n\n\
            | problem | end | error p | error v | res. g | res. gI | res. gII | steps |\n\
            | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (tend, run) in long {
        let [p, v, _] = run.error;
        let [g, g1, g2] = run.residual;
        let steps = run.stats.naccpt;
        let _ = writeln!(
            out,
            "| {} | {tend} | {p:.0e} | {v:.0e} | {g:.0e} | {g1:.0e} | {g2:.0e} | {steps} |",
            run.problem
        );
    }
    out
}

fn table(out: &mut String, runs: &[Run]) {
    out.push_str(
        "| problem | FORM | TOL | IDID | error p | error v | error λ, μ | res. g, c | res. gI, h | res. gII, hI, d | steps | NEOM | slope |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for problem in problems(runs) {
        for form in [Form::StrangenessFree, Form::Index1] {
            let list = series(runs, &problem, form);
            let slope = slope(&list).map_or(String::new(), |s| format!("{s:.2}"));
            for run in list.iter().filter(|r| {
                [1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13, 1e-14, 1e-15]
                    .iter()
                    .any(|t| (r.tol / t - 1.0).abs() < 1e-6)
            }) {
                let number = usize::from(form == Form::Index1);
                let _ = write!(out, "| {problem} | {number} | {:.0e} | {} |", run.tol, run.idid);
                if run.idid == 0 {
                    for value in run.error.iter().chain(&run.residual) {
                        let _ = write!(out, " {value:.0e} |");
                    }
                } else {
                    out.push_str(" | | | | | |");
                }
                let _ = writeln!(out, " {} | {} | {slope} |", run.stats.naccpt, run.stats.neom);
            }
        }
    }
}

fn diagrams(runs: &[Run]) -> String {
    let panels = problems(runs)
        .into_iter()
        .map(|problem| plot::Panel {
            lines: [Form::StrangenessFree, Form::Index1].map(|form| {
                series(runs, &problem, form)
                    .iter()
                    .filter(|r| r.idid == 0 && r.error[1] > 0.0)
                    .map(|r| (r.stats.neom as f64, r.error[1]))
                    .collect()
            }),
            title: problem,
        })
        .collect::<Vec<_>>();
    plot::svg("Evaluations of EOM (right) against error of v (up)", ["FORM=0", "FORM=1"], &panels)
}
