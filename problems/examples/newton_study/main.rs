//! What Newton's method costs (`make newton-study`): random mechanisms by method 0 with FORM=0 and FORM=1 at three tolerances.
//! Printed are quantiles over the mechanisms of the attempted steps of FORM=0 relative to those of FORM=1, of the rejections by
//! Newton's method per attempt, and of evaluations, Jacobians and decompositions relative to FORM=1.
//!
//! STUDY_COUNT mechanisms (300), from seed STUDY_FIRST (1). STUDY_SET: options of FORM=0 by name, "nwtmult=0 order=5"; STUDY_SET1
//! those of FORM=1. STUDY_VERBOSE=1 prints every run. With the argument `library` (`make newton-library`) the problems of the library
//! by method 0 with NWTMULT=0 and with the default.
#![allow(dead_code, missing_docs)]

#[path = "../../tests/random/dense.rs"]
mod dense;
#[path = "../../tests/random/frame.rs"]
mod frame;
#[path = "../../tests/random/generator.rs"]
mod generator;
#[path = "../../tests/random/gradient.rs"]
mod gradient;
mod library;
#[path = "../../tests/random/mechanism.rs"]
mod mechanism;
#[path = "../../tests/random/reference.rs"]
mod reference;
#[path = "../../tests/random/slopes.rs"]
mod slopes;
#[path = "../../tests/random/system.rs"]
mod system;

use generator::Case;
use geoms::decompose::DecompositionKind;
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, Options};
use geoms::stats::Stats;

const TOLERANCES: [f64; 3] = [1e-4, 1e-6, 1e-8];
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 1.0];

/// One run.
struct Run {
    stats: Stats,
}

impl Run {
    fn attempts(&self) -> f64 {
        (self.stats.naccpt + self.stats.nerjct + self.stats.ncrjct) as f64
    }

    fn newton_share(&self) -> f64 {
        self.stats.ncrjct as f64 / self.attempts()
    }

    fn decompositions(&self) -> f64 {
        (self.stats.nedec + self.stats.npdec) as f64
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn options(case: &Case, form: Form) -> Options {
    let constant = case.mechanism.constant_mass();
    let mut options = Options {
        form,
        decompose_constraints: if case.mechanism.redundant() {
            DecompositionKind::Svd
        } else {
            DecompositionKind::Lu
        },
        mass: if constant { MassStructure::ConstantDiagonal } else { MassStructure::Full },
        consistent: true,
        nmax: 20_000,
        ..Options::default()
    };
    set(&mut options, if form == Form::StrangenessFree { "STUDY_SET" } else { "STUDY_SET1" });
    options
}

/// The options that a variable of the environment has.
fn set(options: &mut Options, name: &str) {
    for word in variable(name).unwrap_or_default().split_whitespace() {
        let set = word.split_once('=').and_then(|(name, value)| {
            let value = value.parse::<f64>().ok()?;
            let integer = options.set_int(name, value as i64);
            integer.or_else(|_| options.set_real(name, value)).ok()
        });
        if set.is_none() {
            eprintln!("{word} is no option");
            std::process::exit(1);
        }
    }
}

/// `None` if it failed.
fn run(case: &Case, form: Form, tol: f64) -> Option<Run> {
    let mut equations = system::Equations::new(&case.mechanism, form, true);
    let mut x = reference::initial_state(case);
    let (options, tolerance) = (options(case, form), Tolerance::scalar(tol, tol));
    let (mut t, mut h, mut stats) = (0.0, 0.0, Stats::default());
    let integration =
        Integration { system: &mut equations, observer: None, options: &options, tolerance: &tolerance };
    let result = integrate(integration, &mut t, &mut x, &mut h, case.tend, &mut stats);
    let found = Run { stats };
    if variable("STUDY_VERBOSE").is_some() {
        let why = result.as_ref().err().map_or(String::new(), |e| e.to_string());
        println!("seed {} {form:?} {tol:.0e}: {stats} {why}", case.seed);
    }
    result.ok().map(|()| found)
}

fn print_quantiles(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |q: f64| values[((values.len() - 1) as f64 * q).ceil() as usize];
    let list: Vec<String> = QUANTILES.iter().map(|q| format!("{:9.3}", at(*q))).collect();
    println!("  {what:<44} {}", list.join(" "));
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("library") {
        library::compare();
        return;
    }
    let number = |name, otherwise| variable(name).and_then(|v| v.parse().ok()).unwrap_or(otherwise);
    let (first, count) = (number("STUDY_FIRST", 1), number("STUDY_COUNT", 300));
    let cases: Vec<Case> = (first..first + count).map(generator::make).collect();
    for tol in TOLERANCES {
        let (mut pairs, mut failed) = (Vec::new(), [0, 0]);
        for case in &cases {
            let (zero, one) = (run(case, Form::StrangenessFree, tol), run(case, Form::Index1, tol));
            failed[0] += u32::from(zero.is_none());
            failed[1] += u32::from(one.is_none());
            pairs.extend(zero.zip(one));
        }
        println!(
            "TOL {tol:.0e}: {} mechanisms, {} and {} failed with FORM=0 and FORM=1; 50 %, 90 %, 99 %, worst",
            cases.len(),
            failed[0],
            failed[1]
        );
        let ratio = |of: &dyn Fn(&Run) -> f64| pairs.iter().map(|(a, b)| of(a) / of(b)).collect::<Vec<_>>();
        print_quantiles("attempted steps, FORM=0 / FORM=1", ratio(&Run::attempts));
        print_quantiles("evaluations, FORM=0 / FORM=1", ratio(&|r| r.stats.neom as f64));
        print_quantiles("Jacobians, FORM=0 / FORM=1", ratio(&|r| r.stats.njac as f64));
        print_quantiles("decompositions, FORM=0 / FORM=1", ratio(&Run::decompositions));
        print_quantiles(
            "Newton rejections per attempt, FORM=0",
            pairs.iter().map(|p| p.0.newton_share()).collect(),
        );
        print_quantiles(
            "Newton rejections per attempt, FORM=1",
            pairs.iter().map(|p| p.1.newton_share()).collect(),
        );
        for (form, pick) in [(0, true), (1, false)] {
            let sum = |of: &dyn Fn(&Run) -> f64| {
                pairs.iter().map(|(a, b)| of(if pick { a } else { b })).sum::<f64>()
            };
            println!(
                "  FORM={form} in all: {} attempts, {} by Newton, {} by error, {} evaluations, {} Jacobians, {} solves",
                sum(&Run::attempts),
                sum(&|r| r.stats.ncrjct as f64),
                sum(&|r| r.stats.nerjct as f64),
                sum(&|r| r.stats.neom as f64),
                sum(&|r| r.stats.njac as f64),
                sum(&|r| r.stats.nbsub as f64)
            );
        }
    }
}
