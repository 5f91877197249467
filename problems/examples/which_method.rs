//! Which method when (`make which-method`): CPU time of each method to reach a given error, over problems of several kinds.
//! The table goes to docs/which-method.md, between its markers, with one of what the runs count, and one of the methods of second
//! order ([`levels`]), which alone is renewed by `-- levels`.

use geoms::integrate::{integrate, Integration};
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use geoms_problems::flexible_beam::FlexibleBeam;
use geoms_problems::{self as testset, derived};
use std::time::Instant;

#[path = "which_method/levels.rs"]
mod levels;

const PAGE: &str = "docs/which-method.md";
const BEGIN: &str = "<!-- which-method: begin (made by `make which-method`) -->";
const END: &str = "<!-- which-method: end -->";
/// Errors to be reached, relative to max(1, largest position).
const TARGETS: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
/// The one whose counts are shown.
const COUNTED: usize = 2;
const COUNTS: (&str, &str) = ("<!-- counts: begin (made by `make which-method`) -->", "<!-- counts: end -->");
/// Runs that take more CPU seconds than this are given up: no answer beside those of milliseconds.
const LONGEST: f64 = 0.5;
/// CPU seconds over which a mean is taken.
const REPEATED: f64 = 0.15;
const METHODS: [(&str, MethodKind); 5] = [
    ("0 Radau IIA", MethodKind::Radau),
    ("1 HHT", MethodKind::Hht),
    ("2 Rosenbrock", MethodKind::RosenbrockNystroem),
    ("3 Newmark", MethodKind::Newmark),
    ("4 half-explicit", MethodKind::HalfExplicit),
];

type Make = Box<dyn Fn() -> Box<dyn System + Send>>;

struct Case {
    kind: String,
    make: Make,
    mass: MassStructure,
    x0: Vec<f64>,
    tend: f64,
}

fn library(name: &str, kind: &str, tend: f64) -> Option<Case> {
    let problem = testset::by_name(name)?;
    let (mass, x0) = (problem.mass, problem.x0.clone());
    let make: Make = Box::new(move || problem.system(Form::StrangenessFree, true));
    Some(Case { kind: format!("{kind} (`{name}`)"), make, mass, x0, tend })
}

fn beam(cells: usize, stiffness: f64) -> Option<Case> {
    let new = move || FlexibleBeam::new(cells, stiffness, derived::Options::new(Form::StrangenessFree, true));
    let x0 = new().start()?;
    let kind = format!("flexible arm, {} coordinates, springs {stiffness:.0e}", 4 * cells + 6);
    Some(Case { kind, make: Box::new(move || Box::new(new())), mass: FlexibleBeam::MASS, x0, tend: 1.0 })
}

/// One run: x, CPU seconds, counters; `None` if it failed or was given up.
fn run(case: &Case, method: MethodKind, tol: f64, limit: f64) -> Option<(Vec<f64>, f64, Stats)> {
    let mut system = (case.make)();
    let options =
        Options { method, mass: case.mass, consistent: true, nmax: 2_000_000, ..Options::of_call() };
    let (mut t, mut x, mut h, mut stats) = (0.0, case.x0.clone(), 0.0, Stats::default());
    let tolerance = Tolerance::scalar(tol, tol);
    let clock = Instant::now();
    let (before, mut steps) = (cpu_seconds(&clock), 0);
    // The clock is looked at so rarely that it costs nothing.
    let mut watch = |_: &AcceptedStep<'_>| {
        steps += 1;
        let late = steps % 256 == 0 && cpu_seconds(&clock) - before > limit;
        if late {
            Outcome::Stop
        } else {
            Outcome::Continue
        }
    };
    let run = Integration {
        system: &mut *system,
        observer: Some(&mut watch),
        options: &options,
        tolerance: &tolerance,
    };
    integrate(run, &mut t, &mut x, &mut h, case.tend, &mut stats).ok()?;
    (t >= case.tend).then(|| (x, cpu_seconds(&clock) - before, stats))
}

/// CPU time of this thread so far, which does not see other programs; wall-clock time where the system does not tell.
fn cpu_seconds(clock: &Instant) -> f64 {
    let own = || {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse::<f64>().ok()
    };
    own().map_or_else(|| clock.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// Mean over several runs, if they are short.
fn timed(case: &Case, method: MethodKind, tol: f64) -> Option<(Vec<f64>, f64, Stats)> {
    let (x, once, stats) = run(case, method, tol, LONGEST)?;
    // The system counts in steps of milliseconds: one difference over all runs.
    let clock = Instant::now();
    let (before, mut spent, mut repeats) = (cpu_seconds(&clock), 0.0, 0.0);
    while once < REPEATED && spent < REPEATED {
        run(case, method, tol, LONGEST)?;
        repeats += 1.0;
        spent = cpu_seconds(&clock) - before;
    }
    let mean = if repeats > 0.0 { spent / repeats } else { once };
    Some((x, mean, stats))
}

/// What a method needs for each target: seconds and counters.
type Needed = [Option<(f64, Stats)>; TARGETS.len()];

fn measure(case: &Case, method: MethodKind, reference: &[f64]) -> Needed {
    let system = (case.make)();
    let p = Layout::new(system.dimensions(), Form::StrangenessFree).x.p;
    let size = p.of(reference).iter().fold(1.0f64, |m, v| m.max(v.abs()));
    let mut needed: Needed = std::array::from_fn(|_| None);
    let mut failures = 0;
    for half in 4..=24 {
        let tol = 10f64.powf(-0.5 * f64::from(half));
        if needed.iter().all(Option::is_some) {
            break;
        }
        let Some((x, seconds, stats)) = timed(case, method, tol) else {
            // Given up, or too loose a tolerance for the method.
            failures += 1;
            if failures > 2 {
                break;
            }
            continue;
        };
        let error =
            p.of(&x).iter().zip(p.of(reference)).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size;
        for (best, target) in needed.iter_mut().zip(TARGETS) {
            if error <= target && best.as_ref().is_none_or(|(time, _)| seconds < *time) {
                *best = Some((seconds, stats));
            }
        }
        // The next one would be given up.
        if seconds > 0.7 * LONGEST {
            break;
        }
    }
    needed
}

/// The method with the least time and its lead over the next one.
fn fastest(seconds: &[Option<f64>; METHODS.len()]) -> String {
    let mut order: Vec<(f64, usize)> =
        seconds.iter().enumerate().filter_map(|(k, s)| s.map(|s| (s, k))).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    match order[..] {
        [] => "-".into(),
        [(_, k)] => METHODS[k].0.into(),
        [(first, k), (second, _), ..] => format!("{}, {:.1} times", METHODS[k].0, second / first),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    write(levels::MARKERS, &levels::table())?;
    if std::env::args().any(|a| a == "levels") {
        return Ok(());
    }
    let cases = [
        library("pendulum-2.8", "one body, smooth", 5.0),
        library("slider-crank", "small mechanism", 1.0),
        library("andrews", "small mechanism, M(p)", 0.03),
        library("car-axis", "time-dependent constraint", 3.0),
        library("knife-edge", "nonholonomic", 10.0),
        library("double-pendulum-stiff", "stiff and damped", 0.5),
        library("stiff-spring-1e6", "one stiff spring", 5.0),
        library("chain-unit-10", "chain of 10 links", 1.0),
        library("chain-unit-50", "chain of 50 links", 1.0),
        beam(5, 1e6),
        beam(10, 1e6),
        beam(20, 1e6),
    ];
    let mut table = String::from("| problem | error of p | ");
    let mut counts = String::from("| problem | ");
    METHODS.iter().for_each(|(name, _)| table += &format!("{name}: ms (steps) | "));
    METHODS.iter().for_each(|(name, _)| counts += &format!("{name} | "));
    let rule = METHODS.map(|_| " --- |").concat();
    table += &format!("fastest |\n| --- | --- |{rule} --- |\n");
    counts += &format!("\n| --- |{rule}\n");
    for case in cases {
        let case = case.ok_or("a problem is missing")?;
        let (reference, _, _) = run(&case, MethodKind::Radau, 1e-11, f64::INFINITY).ok_or("no reference")?;
        let needed = METHODS.map(|(_, method)| measure(&case, method, &reference));
        for (k, target) in TARGETS.iter().enumerate() {
            table += &format!("| {} | {target:.0e} | ", if k == 0 { &case.kind } else { "" });
            for n in &needed {
                let entry = |(s, stats): &(f64, Stats)| format!("{:.3} ({}) | ", 1e3 * s, stats.nstep());
                table += &n[k].as_ref().map_or("- | ".into(), entry);
            }
            let seconds = std::array::from_fn(|m| needed[m][k].as_ref().map(|one| one.0));
            table += &format!("{} |\n", fastest(&seconds));
        }
        counts += &format!("| {} | ", case.kind);
        for n in &needed {
            let entry = |(_, s): &(f64, Stats)| {
                format!("{}, {}, {}, {} | ", s.nstep(), s.neom, s.njac, s.nedec + s.npdec)
            };
            counts += &n[COUNTED].as_ref().map_or("- | ".into(), entry);
        }
        counts += "\n";
        eprintln!("{}", case.kind);
        // As far as it has come.
        write(COUNTS, &counts)?;
        write((BEGIN, END), &table)?;
    }
    println!("{table}\n{counts}");
    Ok(())
}

/// Put a table between its markers.
fn write((begin, end): (&str, &str), table: &str) -> Result<(), Box<dyn std::error::Error>> {
    let page = std::fs::read_to_string(PAGE)?;
    let (before, rest) = page.split_once(begin).ok_or("no marker in the page")?;
    let (_, after) = rest.split_once(end).ok_or("no end marker in the page")?;
    std::fs::write(PAGE, format!("{before}{begin}\n{table}{end}{after}"))?;
    Ok(())
}
