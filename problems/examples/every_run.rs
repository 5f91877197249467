//! Every problem of the library by every method, order, decomposition and formulation: one line for each run, with the
//! end point in hexadecimal digits and all counters. `.ci/compare-revisions` compares the lines of two revisions.

use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms_problems::{self as testset, Problem};
use std::fmt::Write as _;
use std::io::Write as _;

/// Settings by name, as `name=value,...`.
fn settings() -> Vec<String> {
    let mut all = Vec::new();
    for decomposition in 1..=3 {
        for order in [5, 9, 13, -1] {
            for differential in 0..=1 {
                all.push(format!("method=0,order={order},decompc={decomposition},decompd={differential}"));
            }
        }
        for method in ["method=1", "method=1,family=1", "method=4", "method=-1"] {
            all.push(format!("{method},decompc={decomposition}"));
        }
    }
    // Branches of the step that no decomposition takes.
    for more in ["startn=1", "pred=2", "nwtmat=2", "nwtupd=2", "selcomp=1", "project=3", "recover=1"] {
        all.push(format!("method=0,order=5,{more}"));
    }
    for more in ["method=1,project=3", "method=4,project=3"] {
        all.push(more.into());
    }
    all
}

fn run(problem: &Problem, form: Form, variant: &str, settings: &str) -> Result<String, String> {
    let mut model = testset::Options::new(form, variant != "differences");
    model.invariants = variant == "invariants";
    let mut system = problem.system_with(model);
    let mut options = Options { mass: problem.mass, form, ..Options::of_call() };
    for item in settings.split(',') {
        let (name, value) = item.split_once('=').ok_or("name=value")?;
        let value = value.parse().map_err(|_| item)?;
        options.set_int(name, value).map_err(|bad| bad.to_string())?;
    }
    // Enough for rejections, new matrices and new selectors; the large ones are there for the kernels of their size.
    options.nmax = match problem.x0.len() {
        0..30 => 120,
        30..100 => 30,
        _ => 4,
    };
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
    let run = Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
    let result = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats);
    let mut line = format!("idid={}", result.err().map_or(0, |failure| failure.code.idid()));
    for (name, value) in [("t", t), ("h", h)] {
        let _ = write!(line, " {name}={:016x}", value.to_bits());
    }
    let digits: Vec<String> = x.iter().map(|v| format!("{:016x}", v.to_bits())).collect();
    let _ = write!(line, " x={}", digits.join(","));
    // `Stats { naccpt: 3, ... }` has every counter by its name, whichever there are.
    let counters = format!("{stats:?}").replace(": ", "=");
    for counter in counters.split([' ', ',']).filter(|word| word.contains('=')) {
        let _ = write!(line, " {counter}");
    }
    Ok(line)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for problem in testset::all() {
        if !wanted.is_empty() && !wanted.contains(&problem.name) {
            continue;
        }
        for (form, name) in [(Form::StrangenessFree, 0), (Form::Index1, 1)] {
            for variant in ["jacobian", "differences", "invariants"] {
                if variant == "invariants" && problem.dimensions.ni == 0 {
                    continue;
                }
                for settings in settings() {
                    let line = run(&problem, form, variant, &settings)?;
                    writeln!(out, "{} form={name},{variant},{settings} {line}", problem.name)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}
