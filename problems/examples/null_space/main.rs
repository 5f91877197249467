//! Figures 10, 16, 21 and 25 of the paper on the null-space method, remade (docs/newmark-*.svg), and CPU times beside its Tables 3 and 4
//! (docs/newmark.md, between its markers): `make newmark`; the times alone with `-- times`.

mod plot;

use geoms::decompose::DecompositionKind;
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, NewmarkScheme, Options, Singular};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::classical::Classical;
use geoms_problems::singular_mass::SingularMass;
use geoms_problems::{by_name, derived, Model, Problem};
use plot::{svg, Panel};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Line = Vec<(f64, f64)>;

const PAGE: &str = "docs/newmark.md";
const BEGIN: &str = "<!-- times: begin (made by `make newmark`) -->";
const END: &str = "<!-- times: end -->";

/// Runs that a time is the mean of.
const RUNS: u32 = 4;

fn options(scheme: NewmarkScheme, mass: MassStructure) -> Options {
    Options {
        method: MethodKind::Newmark,
        newmark_scheme: scheme,
        mass,
        fixed_step: true,
        consistent: true,
        nit: 50,
        nmax: 10_000_000,
        ..Options::of_call()
    }
}

/// What `of` sees at the points of a run.
fn trace(
    system: &mut dyn System,
    options: &Options,
    (x0, h, tend): (&[f64], f64, f64),
    of: impl Fn(&Solver) -> f64,
) -> Outcome<Line> {
    let tolerance = Tolerance::scalar(1e-12, 1e-12);
    let mut solver = Solver::start(system, options, &tolerance, (0.0, x0, h))?;
    let mut line = vec![];
    while solver.t() < tend {
        solver.step(system, tend)?;
        line.push((solver.t(), of(&solver)));
    }
    Ok(line)
}

/// The first multiplier along a run of the classical scheme, as long as it goes on and the numbers can be drawn.
fn classical(system: &mut dyn System, beta: f64, (x0, h, tend): (&[f64], f64, f64), most: f64) -> Line {
    let mut run = Classical::new(system, (beta, 0.5), x0);
    let mut line = vec![];
    while run.t < tend && run.step(h) && run.x[0].abs() < most {
        line.push((run.t, run.x[0]));
    }
    line
}

/// Figure 10: the horizontal reaction of the stiff pendulum.
fn reactions() -> Outcome<String> {
    let mut panels = vec![];
    for (amplitude, title) in [
        (5.0, "reaction x, torque 5 N·m, h = 0.1 s (s, N)"),
        (9.0, "reaction x, torque 9 N·m, h = 0.1 s (s, N)"),
    ] {
        let mechanism = SingularMass { amplitude };
        let x0 = mechanism.state(0.0, 0.0, 0.0);
        let make = || Model::new(mechanism, derived::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let run = (&x0[..], 0.1, 200.0);
        let chosen = options(NewmarkScheme::Trapezoidal, MassStructure::ConstantDiagonal);
        let smooth = trace(&mut make(), &chosen, run, |s| s.x()[0])?;
        let usual = classical(&mut make(), 0.25, run, 60.0);
        panels.push(Panel {
            title,
            lines: vec![("classical trapezoidal", usual), ("null-space trapezoidal", smooth)],
        });
    }
    Ok(svg(&panels))
}

/// Figure 16: the reactions in the fixed joint of the double pendulum.
fn joint() -> Outcome<String> {
    let problem = by_name("double-pendulum-springs").ok_or("no problem")?;
    let make = || problem.system(Form::StrangenessFree, true);
    let run = (&problem.x0[..], 5e-4, 0.3);
    let chosen = options(NewmarkScheme::FoxGoodwin, problem.mass);
    let smooth = trace(&mut *make(), &chosen, run, |s| s.x()[0])?;
    let largest = smooth.iter().fold(0.0f64, |m, p| m.max(p.1.abs()));
    let fox = classical(&mut *make(), 1.0 / 12.0, run, 4.0 * largest);
    // At the scale of the force the classical rule hides its oscillation.
    let precise = trace(&mut *make(), &chosen, (&problem.x0, 5e-5, 0.3), |s| s.x()[0])?;
    let apart = |line: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        let exact = precise.iter().skip(9).step_by(10);
        line.iter().zip(exact).map(|(point, exact)| (point.0, point.1 - exact.1)).take(100).collect()
    };
    let usual = apart(classical(&mut *make(), 0.25, run, 4.0 * largest));
    let trapezoidal = options(NewmarkScheme::Trapezoidal, problem.mass);
    let own = apart(trace(&mut *make(), &trapezoidal, run, |s| s.x()[0])?);
    Ok(svg(&[
        Panel {
            title: "joint force x, h = 5e-4 s (s, N)",
            lines: vec![("classical Fox-Goodwin", fox), ("null-space Fox-Goodwin", smooth)],
        },
        Panel {
            title: "its error, trapezoidal rule (s, N)",
            lines: vec![("classical trapezoidal", usual), ("null-space trapezoidal", own)],
        },
    ]))
}

/// Figures 21 and 25: the largest natural frequency along the motion.
fn frequencies() -> Outcome<String> {
    let mut panels = vec![];
    for (name, h, tend, title) in [
        ("double-pendulum-springs", 5e-4, 1.0, "double pendulum: largest frequency (s, rad/s)"),
        ("andrews-bodies", 2e-5, 0.05, "Andrews: largest frequency (s, rad/s)"),
    ] {
        let problem = by_name(name).ok_or("no problem")?;
        let mut system = problem.system(Form::StrangenessFree, true);
        let chosen = options(NewmarkScheme::FoxGoodwin, problem.mass);
        let of = |s: &Solver| s.measure("frequency").unwrap_or_default();
        let line = trace(&mut *system, &chosen, (&problem.x0, h, tend), of)?;
        panels.push(Panel { title, lines: vec![("null-space Fox-Goodwin", line)] });
    }
    Ok(svg(&panels))
}

/// CPU seconds of ten simulated seconds and the largest change of the energy. The method does not need gII, so the model does not
/// give it (FORM=1); nothing depends on time (AUTONOM=1). The numbers are the same.
fn benchmark(problem: &Problem, scheme: NewmarkScheme, h: f64) -> Outcome<(f64, f64)> {
    let mut chosen = Options { autonomous: true, singular: Singular::Pass, ..options(scheme, problem.mass) };
    if problem.redundant {
        chosen.decompose_constraints = DecompositionKind::Svd;
    }
    let with_energy = geoms_problems::Options {
        invariants: true,
        ..geoms_problems::Options::new(Form::StrangenessFree, true)
    };
    let mut witness = problem.system_with(with_energy);
    let l = Layout::new(witness.dimensions(), Form::StrangenessFree);
    let mut rda = vec![0.0; l.m];
    let mut energy = |t: f64, x: &[f64]| {
        let _ = witness.eom(t, x, &mut rda);
        l.rda.e.of(&rda)[0]
    };
    let start = energy(0.0, &problem.x0);
    chosen.form = Form::Index1;
    let mut system = problem.system(Form::Index1, true);
    let tolerance = Tolerance::scalar(1e-9, 1e-9);
    let mut solver = Solver::start(&mut *system, &chosen, &tolerance, (0.0, &problem.x0, h))?;
    let mut drift = 0.0f64;
    while solver.t() < 10.0 {
        solver.step(&mut *system, 10.0)?;
        drift = drift.max((energy(solver.t(), solver.x()) - start).abs());
    }
    let mut best = f64::MAX;
    for _ in 0..3 {
        // The system counts in steps of milliseconds: means over several runs.
        let clock = Instant::now();
        let before = cpu_seconds(&clock);
        for _ in 0..RUNS {
            let mut solver = Solver::start(&mut *system, &chosen, &tolerance, (0.0, &problem.x0, h))?;
            solver.integrate(&mut *system, None, None, 10.0)?;
        }
        best = best.min((cpu_seconds(&clock) - before) / f64::from(RUNS));
    }
    Ok((best, drift))
}

/// CPU time of this thread so far; wall-clock time where the system does not tell.
fn cpu_seconds(clock: &Instant) -> f64 {
    let own = || {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse::<f64>().ok()
    };
    own().map_or_else(|| clock.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split_once(": "));
    line.map_or("an unknown processor", |l| l.1).to_string()
}

fn times() -> Outcome<String> {
    let mut table = format!(
        "On {}, one core:\n\n| mechanism, 10 s | scheme | h (s) | energy within (J) | CPU (s) | paper (s) |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        processor()
    );
    for (name, title, h, paper) in [
        ("n-four-bar-2-singular", "double four-bar, limit 0.1 J", 7e-3, "0.4"),
        ("n-four-bar-2-singular", "", 3.5e-3, ""),
        ("bricard", "Bricard, limit 0.001 J", 1.5e-2, "0.357"),
        ("bricard", "", 5e-3, ""),
    ] {
        let problem = by_name(name).ok_or("no problem")?;
        let (seconds, drift) = benchmark(&problem, NewmarkScheme::FoxGoodwin, h)?;
        table += &format!("| {title} | Fox-Goodwin | {h:.1e} | {drift:.1e} | {seconds:.4} | {paper} |\n");
    }
    Ok(table)
}

fn main() -> Outcome<()> {
    if !std::env::args().any(|a| a == "times") {
        std::fs::write("docs/newmark-reaction.svg", reactions()?)?;
        std::fs::write("docs/newmark-joint.svg", joint()?)?;
        std::fs::write("docs/newmark-frequency.svg", frequencies()?)?;
    }
    let table = times()?;
    println!("{table}");
    let page = std::fs::read_to_string(PAGE)?;
    let (before, rest) = page.split_once(BEGIN).ok_or("no marker in the page")?;
    let (_, after) = rest.split_once(END).ok_or("no end marker in the page")?;
    std::fs::write(PAGE, format!("{before}{BEGIN}\n{table}{END}{after}"))?;
    Ok(())
}
