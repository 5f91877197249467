//! Random mechanisms against an independent reference. `make random` runs thousands of them in all settings; this test takes a
//! hundred, each in a few settings drawn by its seed.
//!
//! RANDOM_FIRST, RANDOM_COUNT: the seeds. RANDOM_SETTINGS: how many settings of each, 0 for all. RANDOM_FILTER: words
//! that the name of a setting must contain. RANDOM_VERBOSE: 1 prints every run, 2 the mechanisms and what exceeds half of its
//! limit, too. Every bad case is printed with its seed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod consistency;
mod dense;
mod frame;
mod generator;
mod gradient;
mod judge;
mod mechanism;
mod reference;
mod slopes;
mod system;

use reference::Motion;
use std::collections::BTreeMap;

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// Cases that went wrong once: seed, words of the setting, and what happened.
const ONCE: [(u64, &str, &str); 15] = [
    (3, "Radau Thirteen Lu StrangenessFree JAC None TOL 1e-12", "-1116 at t = 0.161"),
    (4, "Radau Five Lu Index1 JAC None TOL 1e-4", "-1118 at t = 0.3455"),
    (4, "Radau Nine Lu Index1 JAC Some(0) TOL 1e-4", "residuals of 26 TOL"),
    (4, "Radau Five Svd Index1 differences Some(0) TOL 1e-8", "residuals of 8.7 TOL"),
    (8, "Radau Thirteen Lu StrangenessFree JAC None TOL 1e-12", "-1116 at t = 0.278"),
    (24, "Radau Nine Lu StrangenessFree JAC None TOL 1e-12", "-1116 at t = 0.882"),
    (518, "Radau Thirteen Lu StrangenessFree JAC None TOL 1e-8", "residuals of 1.2 TOL"),
    (518, "Radau Thirteen Svd StrangenessFree differences None TOL 1e-8", "residuals of 1.9 TOL"),
    (95, "Newmark Lu StrangenessFree differences TOL 1e-8", "residuals of gII of 2.2 TOL"),
    (609, "Newmark Qr StrangenessFree differences TOL 1e-8", "residuals of gII of 1.3 TOL"),
    (87, "Radau Five Lu StrangenessFree JAC None TOL 1e-12", "a lockup told as -2406"),
    (511, "Radau Thirteen Lu StrangenessFree JAC None TOL 1e-12", "residuals of gII of 2.8 TOL in critical steps"),
    (348, "Radau Thirteen Lu StrangenessFree JAC None TOL 1e-12", "residuals of gII of 14 TOL in critical steps"),
    (292, "Radau Thirteen Svd Index1 differences None TOL 1e-4", "-1118 at t = 0.835"),
    (292, "Radau Thirteen Svd Index1 differences Some(0) TOL 1e-4", "-1118 at t = 0.835"),
];

#[test]
fn cases_that_went_wrong_once() {
    for (seed, words, then) in ONCE {
        let case = generator::make(seed);
        let truth = reference::reference(&case);
        let of = |s: &judge::Setting| words.split_whitespace().all(|word| s.to_string().contains(word));
        let list: Vec<_> = judge::settings(&case).into_iter().filter(of).collect();
        assert_eq!(list.len(), 1, "{words}");
        let found = judge::run(&case, &list[0], &truth);
        let verdict = judge::verdict(&case, &list[0], &truth, &found);
        assert!(verdict.is_none(), "seed {seed} [{words}], once {then}: {verdict:?}");
    }
}

#[test]
fn random_mechanisms() {
    let (first, count) = (variable("RANDOM_FIRST", 1), variable("RANDOM_COUNT", 100));
    let settings = usize::try_from(variable("RANDOM_SETTINGS", 6)).unwrap();
    let filter = std::env::var("RANDOM_FILTER").unwrap_or_default();
    let verbose = variable("RANDOM_VERBOSE", 0);
    let (mut runs, mut bad, mut lockups, mut unknown) = (0, 0, 0, 0);
    let mut worst: BTreeMap<String, (f64, u64, String)> = BTreeMap::new();
    let mut times: BTreeMap<String, f64> = BTreeMap::new();
    for seed in first..first + count {
        let case = generator::make(seed);
        let begun = std::time::Instant::now();
        let truth = reference::reference(&case);
        let spent = begun.elapsed().as_secs_f64();
        *times.entry("reference".into()).or_default() += spent;
        let (runs_before, bad_before) = (runs, bad);
        let mut slowest = (spent, String::from("reference"));
        match &truth.motion {
            Motion::Whole(_) if truth.growth > 1e6 => {
                unknown += 1;
                println!("seed {seed}: not judged, errors grow by {:.1e}", truth.growth);
                continue;
            }
            Motion::Whole(_) => {}
            Motion::Lockup(_) => lockups += 1,
            Motion::Unknown(why) => {
                unknown += 1;
                println!("seed {seed}: not judged, {why}");
                continue;
            }
        }
        if verbose > 1 {
            println!("seed {seed}: {:?} growth {:.1e}", case.mechanism, truth.growth);
        }
        let list = if settings == 0 { judge::settings(&case) } else { judge::drawn(&case, settings) };
        for setting in list {
            let name = setting.to_string();
            if !filter.split_whitespace().all(|word| name.contains(word)) {
                continue;
            }
            let begun = std::time::Instant::now();
            let found = judge::run(&case, &setting, &truth);
            let spent = begun.elapsed().as_secs_f64();
            *times.entry(format!("{:?}", setting.method)).or_default() += spent;
            if spent > slowest.0 {
                slowest = (spent, format!("{name}, {} steps", found.stats.naccpt));
            }
            runs += 1;
            if verbose > 0 {
                println!(
                    "seed {seed} {name}: error {:.1e} residuals {} {}",
                    found.error,
                    found.levels(),
                    found.stats
                );
            }
            if let Some(why) = judge::verdict(&case, &setting, &truth, &found) {
                bad += 1;
                println!("BAD seed {seed} [{name}]: {why}");
            } else if found.failure.is_none() {
                let label = format!("{:?}", setting.method);
                for (what, value) in [
                    ("error", found.error),
                    ("g", found.residual[0]),
                    ("gI", found.residual[1]),
                    ("gII", found.residual[2]),
                ] {
                    let entry = worst.entry(format!("{label} {what}")).or_insert((0.0, 0, String::new()));
                    if value > entry.0 {
                        *entry = (value, seed, name.clone());
                    }
                }
            }
        }
        if settings == 0 {
            let (runs, bad) = (runs - runs_before, bad - bad_before);
            let (spent, (most, of)) = (begun.elapsed().as_secs_f64(), slowest);
            println!("seed {seed}: {runs} runs, {bad} bad, {spent:.1} s; slowest {most:.2} s: {of}");
        }
    }
    if settings == 0 {
        times.iter().for_each(|(what, spent)| println!("time of {what}: {spent:.1} s"));
    }
    for (what, (value, seed, name)) in &worst {
        println!("worst {what}: {value:.2e} seed {seed} [{name}]");
    }
    println!(
        "count: {count} mechanisms, {lockups} of them lock up, {unknown} not judged; {runs} runs, {bad} bad"
    );
    assert_eq!(bad, 0);
}
