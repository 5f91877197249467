//! Runs that begin at T = 1e3 ... 1e9; with `GEOMS_FAR` at every power of ten between.

use crate::settings::{methods, redundant, run_and_last_step, FORMS};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, Order};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, Parts, System};
use geoms_problems::{self as testset, Problem};

/// A model in the time t + `by`, which it rounds on its way to its own, as one that evaluates sin ωt does.
struct Later {
    inner: Box<dyn System + Send>,
    by: f64,
}

impl Later {
    fn local(&self, t: f64) -> f64 {
        (t * 3.0) / 3.0 - self.by
    }
}

impl System for Later {
    geoms_problems::pass_on!(dimensions, form, has_jacobian);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.inner.eom(self.local(t), x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.inner.mass(self.local(t), x, mass)
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.inner.jacobian(self.local(t), x, fx)
    }
    fn mass_acceleration_dp(&mut self, t: f64, x: &[f64], a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        self.inner.mass_acceleration_dp(self.local(t), x, a, out)
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        self.inner.parts(self.local(t), x, parts)
    }
}

/// The end of a run: a time that is resolved everywhere.
fn end(problem: &Problem) -> f64 {
    let end = problem.tend.min(1.0) * 1024.0;
    end.floor() / 1024.0
}

fn distance(block: Block, x: &[f64], y: &[f64]) -> f64 {
    let size = block.of(y).iter().fold(1.0f64, |m, v| m.max(v.abs()));
    block.of(x).iter().zip(block.of(y)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}

/// Errors of (r, v, s, p) and of (w, λ, μ), and the last step.
fn errors(
    problem: &Problem,
    options: &Options,
    analytic: bool,
    tol: f64,
    by: f64,
    exact: &[f64],
) -> Result<([f64; 2], f64), String> {
    let mut system = Later { inner: problem.system(options.form, analytic), by };
    let span = (problem.t0 + by, &problem.x0[..], 0.0, problem.t0 + by + end(problem));
    let (x, h) = run_and_last_step(&mut system, options, tol, span).map_err(|failure| failure.to_string())?;
    let l = Layout::new(system.dimensions(), options.form);
    let differential = Block { start: l.x.r.start, end: l.x.p.end };
    Ok(([distance(differential, &x, exact), distance(l.x.algebraic, &x, exact)], h))
}

fn options_for(problem: &Problem, options: Options, form: Form) -> Options {
    let options = Options { form, mass: problem.mass, ..options };
    if problem.redundant {
        redundant(options)
    } else {
        options
    }
}

/// The accepted points of a run at T = 0.
fn follow(problem: &Problem, options: &Options, tol: f64) -> Vec<(f64, Vec<f64>)> {
    let mut path = Vec::new();
    let mut observer = |step: &AcceptedStep<'_>| {
        path.push((step.t, step.x.to_vec()));
        Outcome::Continue
    };
    let (mut system, tolerance) = (problem.system(options.form, true), Tolerance::scalar(tol, tol));
    let run =
        Integration { system: &mut *system, observer: Some(&mut observer), options, tolerance: &tolerance };
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let tend = problem.t0 + end(problem);
    integrate(run, &mut t, &mut x, &mut h, tend, &mut stats)
        .unwrap_or_else(|f| panic!("{}: {f}", problem.name));
    path
}

/// Largest rates on the way, relative to the sizes that errors are relative to: of (r, v, s, p) and of (w, λ, μ).
fn rates(path: &[(f64, Vec<f64>)], blocks: [Block; 2]) -> [f64; 2] {
    let (_, end) = path.last().expect("end");
    blocks.map(|block| {
        let steps = path.windows(2).map(|w| distance(block, &w[1].1, &w[0].1) / (w[1].0 - w[0].0));
        let size = |x: &[f64]| block.of(x).iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let largest = path.iter().fold(1.0f64, |m, (_, x)| m.max(size(x)));
        steps.fold(0.0f64, f64::max) * largest / size(end)
    })
}

/// The bound of the documents: what times that are ε|T| apart explain. A run of another rounding is another run within its
/// tolerance; the model's own time is wrong by ε|T|, and so is every constraint that depends on it. Multipliers feel
/// accelerations, which come from velocities a step apart where there is no gII.
fn allowed(at_zero: [f64; 2], tol: f64, resolved: f64, rates: [f64; 2], h: f64) -> [f64; 2] {
    let of = |error: f64, least: f64, rate: f64| 3.0 * error.max(least) + 10.0 * resolved * rate;
    [of(at_zero[0], tol, rates[0]), of(at_zero[1], 10.0 * tol, rates[1] + rates[0] / h)]
}

#[test]
fn errors_grow_as_times_are_rounded() {
    let all = std::env::var_os("GEOMS_FAR").is_some();
    let shifts: &[f64] = if all { &[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] } else { &[1e3, 1e6, 1e9] };
    let (tol, mut worst, mut bad) = (1e-6, [0.0f64; 2], Vec::new());
    for problem in testset::all().into_iter().filter(|p| p.time_dependent && !p.rank_deficient) {
        let fine = options_for(&problem, methods()[2].1.clone(), FORMS[0]);
        let exact = follow(&problem, &fine, 1e-11).pop().expect("end").1;
        let path = follow(&problem, &Options { order: Order::Five, ..fine }, 1e-8);
        for (name, options) in methods() {
            for form in FORMS {
                for analytic in [true, false] {
                    let options = options_for(&problem, options.clone(), form);
                    let l = Layout::new(problem.system(form, true).dimensions(), form);
                    let blocks = [Block { start: l.x.r.start, end: l.x.p.end }, l.x.algebraic];
                    let rates = rates(&path, blocks);
                    let what = format!("{} {name} {form:?} JAC {analytic}", problem.name);
                    let (at_zero, _) = match errors(&problem, &options, analytic, tol, 0.0, &exact) {
                        Ok(result) => result,
                        Err(failure) => {
                            bad.push(format!("{what}: {failure}"));
                            continue;
                        }
                    };
                    for &by in shifts {
                        let (found, h) = match errors(&problem, &options, analytic, tol, by, &exact) {
                            Ok(result) => result,
                            Err(failure) => {
                                bad.push(format!("{what}, T = {by:e}: {failure}"));
                                continue;
                            }
                        };
                        let resolved = f64::EPSILON * by;
                        let allowed = allowed(at_zero, tol, resolved, rates, h);
                        // λ of the index-3 equations comes from positions, 1/h² apart from accelerations.
                        let judged =
                            if options.method == MethodKind::Hht && options.project == 0 { 1 } else { 2 };
                        for k in 0..judged {
                            let share = found[k] / allowed[k];
                            worst[k] = worst[k].max(share);
                            if share > 1.0 || share.is_nan() {
                                bad.push(format!("{what}, T = {by:e}: {found:?}, at T = 0 {at_zero:?}, allowed {allowed:?}"));
                            }
                        }
                    }
                }
            }
        }
    }
    println!("largest part of the bound: {worst:?}");
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}
