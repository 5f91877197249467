//! The two methods of second order beside each other: error, energy, residuals of all three levels, time, with constant steps.

use super::cpu_seconds;
use geoms::decompose::DecompositionKind;
use geoms::layout::{Block, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms_problems::{by_name, Problem};
use std::time::Instant;

/// Where the table goes.
pub const MARKERS: (&str, &str) =
    ("<!-- levels: begin (made by `make which-method`) -->", "<!-- levels: end -->");

/// Problems whose energy is constant, and step sizes.
const CASES: [(&str, f64); 4] =
    [("pendulum-2.8", 1e-2), ("double-pendulum", 5e-3), ("andrews-bodies", 2e-5), ("bricard", 1e-2)];

fn methods() -> [(&'static str, Options); 4] {
    let of = |method| Options { method, fixed_step: true, consistent: true, nit: 50, ..Options::of_call() };
    let newmark = |newmark_scheme| Options { newmark_scheme, ..of(MethodKind::Newmark) };
    [
        ("1 HHT", of(MethodKind::Hht)),
        ("3 Fox-Goodwin", newmark(NewmarkScheme::FoxGoodwin)),
        ("3 trapezoidal", newmark(NewmarkScheme::Trapezoidal)),
        ("3 damped", newmark(NewmarkScheme::Damped)),
    ]
}

struct Measured {
    error: f64,
    energy: f64,
    levels: [f64; 3],
    seconds: f64,
}

fn measure(problem: &Problem, options: &Options, h: f64) -> Option<Measured> {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    let options = Options { mass: problem.mass, decompose_constraints: kind, ..options.clone() };
    let with_energy = geoms_problems::Options {
        invariants: true,
        ..geoms_problems::Options::new(Form::StrangenessFree, true)
    };
    let mut witness = problem.system_with(with_energy);
    let l = Layout::new(witness.dimensions(), Form::StrangenessFree);
    let mut rda = vec![0.0; l.m];
    let largest = |block: Block, rda: &[f64]| block.of(rda).iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let _ = witness.eom(0.0, &problem.x0, &mut rda);
    let start = *l.rda.e.of(&rda).first()?;
    let (mut energy, mut levels) = (0.0f64, [0.0f64; 3]);
    let tolerance = Tolerance::scalar(1e-10, 1e-10);
    let mut system = problem.system(Form::StrangenessFree, true);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, h)).ok()?;
    while solver.t() < problem.tend {
        solver.step(&mut *system, problem.tend).ok()?;
        let _ = witness.eom(solver.t(), solver.x(), &mut rda);
        energy = energy.max((l.rda.e.of(&rda)[0] - start).abs());
        for (most, rows) in levels.iter_mut().zip([l.rda.g, l.rda.g_velocity, l.rda.g_acceleration]) {
            *most = most.max(largest(rows, &rda));
        }
    }
    let known = problem.at_end()?;
    let inside = known.iter().filter(|k| l.x.p.contains(k.0));
    let error = inside.fold(0.0f64, |m, k| m.max((solver.x()[k.0] - k.1).abs()));
    let clock = Instant::now();
    let (before, mut runs) = (cpu_seconds(&clock), 0.0);
    while runs < 1.0 || cpu_seconds(&clock) - before < 0.1 {
        let mut solver = Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, h)).ok()?;
        solver.integrate(&mut *system, None, None, problem.tend).ok()?;
        runs += 1.0;
    }
    Some(Measured { error, energy, levels, seconds: (cpu_seconds(&clock) - before) / runs })
}

/// One row per problem and method.
pub fn table() -> String {
    let mut table = String::from(
        "| problem, h | method | error of p | energy | g | gI | gII | ms |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (name, h) in CASES {
        let Some(problem) = by_name(name) else { continue };
        for (k, (method, options)) in methods().iter().enumerate() {
            let name = if k == 0 { format!("`{name}`, {h:.0e}") } else { String::new() };
            table += &match measure(&problem, options, h) {
                Some(m) => format!(
                    "| {name} | {method} | {:.1e} | {:.1e} | {:.0e} | {:.0e} | {:.0e} | {:.2} |\n",
                    m.error,
                    m.energy,
                    m.levels[0],
                    m.levels[1],
                    m.levels[2],
                    1e3 * m.seconds
                ),
                None => format!("| {name} | {method} | - | - | - | - | - | - |\n"),
            };
        }
    }
    table
}
