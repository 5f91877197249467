//! `make bench`: CPU time at equal accuracy, ours against RADAU5, RADAU, HEM5 and IDA, on the same models.
//!
//! A first sweep over the tolerances gives the work-precision curve of every solver and setting. Where a curve
//! crosses an accuracy, the two neighbouring points are then measured in interleaved rounds, and the time at that
//! accuracy is interpolated between them (log-log) in every round.

mod clock;
mod form;
mod hairer;
mod ida;
mod lean;
mod ours;
#[path = "../../problems/examples/accuracy/plot.rs"]
mod plot;
mod problems;
mod run;
mod settings;

use problems::{Case, NAMES};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One point of a work-precision curve.
#[derive(Clone, Copy, Debug)]
struct Point {
    tol: f64,
    error: f64,
    seconds: f64,
    steps: u64,
    calls: u64,
    jacobians: u64,
}

/// How much is measured.
struct Plan {
    quick: bool,
    rounds: usize,
    /// CPU seconds of a data point in a round.
    least: f64,
    /// A sweep ends where one run takes longer.
    longest: f64,
    /// Step through the tolerances in half decades or decades.
    stride: usize,
}

struct Curve {
    points: Vec<Point>,
    /// Last failure.
    failed: Option<(f64, i64)>,
    /// Ended because a run took too long.
    cut: bool,
}

/// Where a curve crosses an accuracy: the points on either side, or the cheapest one if all are better.
#[derive(Clone, Copy, Debug)]
enum Crossing {
    Between(usize, usize),
    At(usize),
}

fn time(case: &mut Case, entry: usize, tol: f64, least: f64) -> (f64, run::Ending, f64) {
    let (mut p, mut v) = (vec![0.0; case.start.p.len()], vec![0.0; case.start.v.len()]);
    let (mut runs, begin) = (0u32, clock::cpu());
    loop {
        let ending = case.entries[entry].runner.run(tol, &mut p, &mut v);
        runs += 1;
        let spent = clock::cpu() - begin;
        if spent >= least || !ending.reached {
            return (spent / f64::from(runs), ending, case.error(&p, &v));
        }
    }
}

fn sweep(case: &mut Case, entry: usize, plan: &Plan, stride: usize, (loose, tight): (f64, f64)) -> Curve {
    let _silence = clock::Silence::new();
    let mut curve = Curve { points: Vec::new(), failed: None, cut: false };
    let mut good = 0;
    let wanted = case.accuracies.len().min(if plan.quick { case.few } else { usize::MAX });
    let finest = case.accuracies[..wanted].iter().fold(1.0f64, |m, &a| m.min(a));
    let (first, last) = case.tolerances;
    for half in (first..=last).step_by(stride) {
        let tol = 10f64.powf(-f64::from(half) / 2.0);
        if tol > 1.01 * loose || tol < 0.99 * tight {
            continue;
        }
        let (mut seconds, ending, error) = time(case, entry, tol, 0.0);
        if !ending.reached || error.is_nan() {
            curve.failed = Some((tol, ending.code));
            continue;
        }
        // The first run of all warms up.
        if seconds < 0.05 {
            seconds = seconds.min(time(case, entry, tol, 0.004).0);
        }
        let run::Ending { steps, calls, jacobians, .. } = ending;
        curve.points.push(Point { tol, error, seconds, steps, calls, jacobians });
        if seconds > plan.longest {
            curve.cut = true;
            break;
        }
        // Two in a row: a single point may be a lucky one.
        good = if error < 0.3 * finest { good + 1 } else { 0 };
        if good == 2 {
            break;
        }
    }
    curve
}

/// The last place where the curve goes below the accuracy; a lucky point on the way does not count.
fn crossing(points: &[Point], accuracy: f64) -> Option<Crossing> {
    match points.iter().rposition(|p| p.error > accuracy) {
        None if points.is_empty() => None,
        None => Some(Crossing::At(0)),
        Some(i) if i + 1 < points.len() => Some(Crossing::Between(i, i + 1)),
        Some(_) => None,
    }
}

fn interpolate(points: &[Point], place: Crossing, accuracy: f64, seconds: impl Fn(usize) -> f64) -> f64 {
    match place {
        Crossing::At(i) => seconds(i),
        Crossing::Between(i, j) => {
            let part =
                (accuracy / points[i].error).ln() / (points[j].error.max(1e-300) / points[i].error).ln();
            (seconds(i).ln() * (1.0 - part) + seconds(j).ln() * part).exp()
        }
    }
}

fn spread(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0], values[values.len() - 1])
}

/// Lines of the diagrams; the first is our best setting.
const DRAWN: [&str; 7] = ["geoms", "legacy", "radau5-ggl", "radau5-2", "radau-1", "hem5", "ida-ggl"];

/// All of one problem: the table; adds to the CSV and to the lines for the machine.
fn bench(case: &mut Case, plan: &Plan, csv: &mut String, lines: &mut Vec<String>) -> Option<plot::Panel> {
    println!("\n== {} ({}; error of {:?} at t = {})", case.name, size(case), case.measure, case.start.tend);
    if !case.remark.is_empty() {
        println!("{}", case.remark);
    }
    if case.deviation.is_nan() || case.deviation > 1e-10 {
        println!("the model deviates from that of the test set by {:e}: not measured", case.deviation);
        return None;
    }
    // Our many settings in decades; those that win are refined below.
    let ladder = |case: &Case, k: usize| if case.entries[k].ours && k > DEFAULT { 2 } else { plan.stride };
    let accuracies =
        &case.accuracies[..case.accuracies.len().min(if plan.quick { case.few } else { usize::MAX })];
    let mut curves: Vec<Curve> = Vec::new();
    for k in 0..case.entries.len() {
        let stride = ladder(case, k);
        let whole = !case.entries[k].ours || k == DEFAULT || case.entries[k].name.starts_with("default-");
        let range = if whole { ALL } else { window(&curves, accuracies) };
        curves.push(sweep(case, k, plan, stride, range));
    }
    let mut winners: Vec<usize> = Vec::new();
    for &accuracy in accuracies {
        winners.extend(contenders(case, &curves, accuracy, false));
        winners.extend(contenders(case, &curves, accuracy, true));
    }
    winners.sort_unstable();
    winners.dedup();
    for k in winners {
        if ladder(case, k) != plan.stride {
            let range = window(&curves, accuracies);
            curves[k] = sweep(case, k, plan, plan.stride, range);
        }
    }
    for (entry, curve) in case.entries.iter().zip(&curves) {
        for p in &curve.points {
            let side = if entry.ours { "geoms" } else { "peer" };
            let Point { tol, error, seconds, steps, calls, jacobians } = p;
            let _ = writeln!(
                csv,
                "{},{side},{},{tol:.1e},{error:.3e},{seconds:.4e},{steps},{calls},{jacobians}",
                case.name, entry.name
            );
        }
    }
    let mut best = None;
    for &accuracy in accuracies {
        let setting = compare(case, &curves, accuracy, plan, lines);
        best = best.or(setting);
    }
    for (entry, curve) in case.entries.iter().zip(&curves) {
        if let Some((tol, code)) = curve.failed {
            let who = if entry.ours { format!("geoms {}", entry.name) } else { entry.name.clone() };
            println!("   {who} failed at tolerance {tol:.0e} with code {code}");
        }
    }
    // Where peers need a constraint removed, that curve is drawn.
    let find = |name: &str| {
        let whole =
            case.entries.iter().position(|e| e.name == name && !curves_empty(&curves, &case.entries, name));
        whole.or_else(|| case.entries.iter().position(|e| e.name == format!("{name}-cut")))
    };
    let line = |name: &str| {
        let entry = if name == "geoms" { best } else { find(name) };
        let points = entry.map_or(&[][..], |k| &curves[k].points);
        points.iter().filter(|p| p.error > 0.0).map(|p| (p.seconds, p.error)).collect()
    };
    Some(plot::Panel { title: case.name.into(), lines: DRAWN.iter().map(|name| line(name)).collect() })
}

fn curves_empty(curves: &[Curve], entries: &[problems::Entry], name: &str) -> bool {
    entries.iter().zip(curves).any(|(e, c)| e.name == name && c.points.is_empty())
}

fn size(case: &Case) -> String {
    format!("{} positions, {} constraints", case.start.p.len(), case.start.lambda.len())
}

/// Time at an accuracy by the sweep.
fn rough_time(curve: &Curve, accuracy: f64) -> Option<f64> {
    let place = crossing(&curve.points, accuracy)?;
    Some(interpolate(&curve.points, place, accuracy, |i| curve.points[i].seconds))
}

/// Place of the documented default among the entries.
const LEGACY: usize = 0;
/// And of what the handle begins with.
const DEFAULT: usize = 1;

/// So many of our settings are measured where one is to be the best.
const CONTENDERS: usize = 3;

/// All tolerances.
const ALL: (f64, f64) = (f64::INFINITY, 0.0);

/// Tolerances around those with which the documented default crosses the accuracies: our other settings cross them
/// nearby.
fn window(curves: &[Curve], accuracies: &[f64]) -> (f64, f64) {
    let Some(Curve { points, .. }) = curves.first() else { return ALL };
    let mut range = (0.0f64, f64::INFINITY);
    for &accuracy in accuracies {
        match crossing(points, accuracy) {
            Some(Crossing::Between(i, j)) => {
                range = (range.0.max(10.0 * points[i].tol), range.1.min(0.03 * points[j].tol));
            }
            Some(Crossing::At(i)) => range = (f64::INFINITY, range.1.min(0.03 * points[i].tol)),
            None => return ALL,
        }
    }
    range
}

/// Our settings that are fastest at an accuracy by the sweep, which is noisy; of the implicit core alone if asked for.
fn contenders(case: &Case, curves: &[Curve], accuracy: f64, core: bool) -> Vec<usize> {
    let rough = |k: usize| rough_time(&curves[k], accuracy).map(|seconds| (k, seconds));
    let mut ours: Vec<_> = (0..curves.len())
        .filter(|&k| {
            k > DEFAULT && case.entries[k].ours && !(core && case.entries[k].name == ours::HALF_EXPLICIT)
        })
        .filter_map(rough)
        .collect();
    ours.sort_by(|a, b| a.1.total_cmp(&b.1));
    ours.into_iter().map(|(k, _)| k).take(CONTENDERS).collect()
}

fn compare(
    case: &mut Case,
    curves: &[Curve],
    accuracy: f64,
    plan: &Plan,
    lines: &mut Vec<String>,
) -> Option<usize> {
    let places: Vec<Option<Crossing>> = curves.iter().map(|c| crossing(&c.points, accuracy)).collect();
    let named = |k: usize| case.entries[k].ours && case.entries[k].name.starts_with("default-");
    let kept: Vec<bool> = (0..curves.len()).map(|k| k == LEGACY || k == DEFAULT || named(k)).collect();
    let kept = |k: usize| kept[k];
    let rivals = [false, true].map(|core| contenders(case, curves, accuracy, core));
    let Some(&first) = rivals[0].first() else {
        println!("-- error {accuracy:.0e}: none of our settings reaches it");
        return None;
    };
    // A quick run does not wait for those that are far behind, except the peer that all are related to and the core.
    let limit =
        if plan.quick { 3.0 * rough_time(&curves[first], accuracy).unwrap_or(0.0) } else { f64::INFINITY };
    let measured: Vec<usize> = (0..curves.len())
        .filter(|&k| {
            case.entries[k].name == "radau5-ggl"
                || rivals[1].contains(&k)
                || k == DEFAULT
                || rough_time(&curves[k], accuracy).is_some_and(|s| s <= limit)
        })
        .filter(|&k| places[k].is_some())
        .filter(|&k| !case.entries[k].ours || kept(k) || rivals.iter().any(|r| r.contains(&k)))
        .collect();
    // Rounds, interleaved over the solvers.
    let mut times: Vec<BTreeMap<usize, f64>> = Vec::new();
    {
        let _silence = clock::Silence::new();
        // Long runs are less noisy.
        let slow = rough_time(&curves[first], accuracy).unwrap_or(0.0) > 0.1;
        for _ in 0..if slow { 3 } else { plan.rounds } {
            let mut round = BTreeMap::new();
            for &k in &measured {
                let Some(place) = places[k] else { continue };
                let points = &curves[k].points;
                let mut at = |i: usize| time(case, k, points[i].tol, plan.least).0;
                let (i, j) = match place {
                    Crossing::At(i) => (i, i),
                    Crossing::Between(i, j) => (i, j),
                };
                let first = at(i);
                let second = if i == j { first } else { at(j) };
                let seconds = interpolate(points, place, accuracy, |k| if k == i { first } else { second });
                round.insert(k, seconds);
            }
            times.push(round);
        }
    }
    let row = |k: usize| spread(times.iter().map(|round| round[&k]).collect());
    let [best, core] = rivals.each_ref().map(|rivals| {
        let measured = rivals.iter().copied().filter(|k| measured.contains(k));
        measured.min_by(|a, b| row(*a).0.total_cmp(&row(*b).0)).unwrap_or(first)
    });
    let name = &case.entries[best].name;
    println!("-- error {accuracy:.0e}: geoms {:.4} ms with the setting '{name}'", 1e3 * row(best).0);
    if core != best {
        let name = &case.entries[core].name;
        println!("   the implicit core: {:.4} ms with the setting '{name}'", 1e3 * row(core).0);
    }
    println!(
        "   {:<16} {:>10}  {:>24}  {:>24}  {:>24}  {:>24}",
        "",
        "ms",
        "geoms/peer (min..max)",
        "core/peer (min..max)",
        "default/peer (min..max)",
        "legacy/peer (min..max)"
    );
    for &k in &measured {
        if case.entries[k].ours && !kept(k) {
            continue;
        }
        let ratio = |ours: usize| spread(times.iter().map(|round| round[&ours] / round[&k]).collect());
        let cell = |(m, lo, hi): (f64, f64, f64)| format!("{m:.3} ({lo:.3}..{hi:.3})");
        let mark = match places[k] {
            Some(Crossing::At(_)) => " (at its largest tolerance)",
            _ => "",
        };
        let title = match k {
            LEGACY => "geoms legacy",
            DEFAULT => "geoms default",
            _ => &case.entries[k].name,
        };
        let old = |of: usize| {
            if k == of || k == LEGACY || !measured.contains(&of) {
                String::new()
            } else {
                cell(ratio(of))
            }
        };
        let (first, second) = (cell(ratio(best)), cell(ratio(core)));
        let (default, legacy) = (old(DEFAULT), old(LEGACY));
        println!(
            "   {title:<16} {:>10.4}  {first:>24}  {second:>24}  {default:>24}  {legacy:>24}{mark}",
            1e3 * row(k).0
        );
        let title = title.replace(' ', "-");
        if !default.is_empty() {
            lines.push(format!("ratio-default {} {accuracy:.0e} {title} {:.4}", case.name, ratio(DEFAULT).0));
        }
        lines.push(format!("ratio {} {accuracy:.0e} {title} {:.4}", case.name, ratio(best).0));
        lines.push(format!("ratio-core {} {accuracy:.0e} {title} {:.4}", case.name, ratio(core).0));
    }
    let behind: Vec<&str> = (0..curves.len())
        .filter(|&k| places[k].is_some() && !case.entries[k].ours && !measured.contains(&k))
        .map(|k| case.entries[k].name.as_str())
        .collect();
    if !behind.is_empty() {
        println!("   more than three times slower: {}", behind.join(", "));
    }
    let missing = |cut: bool| -> Vec<&str> {
        let unmeasured = (0..curves.len()).filter(|&k| places[k].is_none() && curves[k].cut == cut);
        unmeasured
            .filter(|&k| !case.entries[k].ours || kept(k))
            .map(|k| case.entries[k].name.as_str())
            .collect()
    };
    for (cut, text) in
        [(true, "a run took too long before it was reached"), (false, "not reached with any tolerance")]
    {
        if !missing(cut).is_empty() {
            println!("   {text}: {}", missing(cut).join(", "));
        }
    }
    for (kind, k) in [("setting", best), ("setting-core", core)] {
        lines.push(format!("{kind} {} {accuracy:.0e} {}", case.name, case.entries[k].name));
    }
    Some(best)
}

/// `--once PROBLEM SOLVER TOL RUNS`: the same run so many times, to be looked at with a profiler.
fn once(problem: &str, entry: &str, tol: f64, runs: u32) -> Result<(), Box<dyn std::error::Error>> {
    let settings = [ours::SETTINGS, ours::DEFAULTS].concat();
    let mut case = problems::make(problem, &settings).ok_or("no such problem")?;
    let k = case.entries.iter().position(|e| e.name == entry).ok_or("no such solver")?;
    let (mut p, mut v) = (vec![0.0; case.start.p.len()], vec![0.0; case.start.v.len()]);
    let begin = clock::cpu();
    for run in 0..runs {
        let ending = case.entries[k].runner.run(tol, &mut p, &mut v);
        if run + 1 == runs {
            println!("{ending:?} error {:.2e}", case.error(&p, &v));
        }
    }
    println!("{:.1} us per run", 1e6 * (clock::cpu() - begin) / f64::from(runs));
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, problem, entry, tol, runs] = &arguments[..] {
        if flag == "--once" {
            return once(problem, entry, tol.parse()?, runs.parse()?);
        }
    }
    let quick = arguments.iter().any(|a| a == "--quick");
    let mut names: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    if let Some(unknown) = names.iter().find(|n| !NAMES.contains(n)) {
        return Err(format!("no problem {unknown}; there are: {}", NAMES.join(" ")).into());
    }
    if names.is_empty() {
        names = if quick { vec!["pendulum", "andrews", "car-axis", "chain-10"] } else { NAMES.to_vec() };
    }
    let plan = if quick {
        Plan { quick, rounds: 3, least: 0.02, longest: 0.6, stride: 2 }
    } else {
        Plan { quick, rounds: 5, least: 0.05, longest: 1.0, stride: 1 }
    };
    if arguments.iter().any(|a| a == "--settings") {
        return settings::compare(&names, &plan);
    }
    let defaults = arguments.iter().any(|a| a == "--defaults");
    let settings = if defaults { ours::DEFAULTS } else { ours::SETTINGS };
    println!("CPU time at equal accuracy, one thread{}", if plan.quick { ", quick" } else { "" });
    let mut csv = String::from("problem,side,solver,tolerance,error,seconds,steps,calls,jacobians\n");
    let (mut lines, mut panels) = (Vec::new(), Vec::new());
    for name in names {
        let Some(mut case) = problems::make(name, settings) else {
            return Err(format!("cannot make {name}").into());
        };
        panels.extend(bench(&mut case, &plan, &mut csv, &mut lines));
    }
    println!();
    lines.iter().for_each(|line| println!("{line}"));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/results.csv");
    std::fs::write(file, csv)?;
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/work-precision.svg");
    std::fs::write(file, plot::svg("CPU seconds (right) against error (up)", &DRAWN, &panels))?;
    Ok(())
}
