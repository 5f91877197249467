//! `make profile`: where the instructions of a step go, and how many floating point operations each part needs. Writes
//! docs/profile.md; `profile CASE` makes one run, the one that callgrind looks at; `profile --check` compares the parts
//! that the page names with those that are found.
//!
//! A part is a function that the profile has to contain, called as often as the counters of the run say; otherwise
//! nothing is written ([`parts`]). The operations are counted in [`flops`].

mod callgrind;
mod cases;
mod flops;
#[path = "../../../bench/src/lean/mod.rs"]
#[allow(dead_code)]
mod lean;
#[path = "../../../bench/src/ours.rs"]
#[allow(dead_code)]
mod ours;
mod parts;
#[path = "../../../bench/src/run.rs"]
#[allow(dead_code)]
mod run;

use cases::{Case, CASES};
use flops::Dimensions;
use parts::{Counted, Row};
use std::fmt::Write;
use std::path::PathBuf;

/// What stands before the tables.
const INTRODUCTION: &str = include_str!("introduction.md");

/// The page.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/profile.md");

/// What `--check` looks at: both methods, a few seconds.
const CHECKED: [&str; 2] = ["pendulum", "andrews-half-explicit"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => {
            let mut page = String::from(INTRODUCTION);
            for case in &CASES {
                page.push_str(&section(case)?);
            }
            Ok(std::fs::write(FILE, page)?)
        }
        [flag] if flag == "--check" => check(),
        [name, ..] => {
            let case = CASES.iter().find(|case| case.name == name).ok_or("no such case")?;
            println!("{}", case.run()?);
            Ok(())
        }
    }
}

/// Does the page have the parts that the profile has? Its numbers may be older.
fn check() -> Result<(), Box<dyn std::error::Error>> {
    let page = std::fs::read_to_string(FILE)?;
    let parts = |text: &str| -> Vec<String> {
        let rows = text.lines().filter_map(|l| l.strip_prefix("| ")?.split(" |").next());
        rows.map(str::to_owned).collect()
    };
    let (mut good, mut bad) = (0, 0);
    for case in CASES.iter().filter(|case| CHECKED.contains(&case.name)) {
        let heading = format!("## {}\n", case.title);
        let old = page.split(&heading).nth(1).map_or("", |rest| rest.split("\n## ").next().unwrap_or(""));
        let new = section(case)?;
        if parts(old) == parts(&new) {
            good += 1;
        } else {
            bad += 1;
            println!("docs/profile.md, {}: other parts than the profile has; run make profile", case.title);
        }
    }
    println!("profile: {good} passed, {bad} failed");
    if bad == 0 {
        Ok(())
    } else {
        Err("docs/profile.md is out of date".into())
    }
}

/// The table of a case.
fn section(case: &Case) -> Result<String, Box<dyn std::error::Error>> {
    let directory: PathBuf = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    let directory = directory.join("profile");
    std::fs::create_dir_all(&directory)?;
    // The counters are those of a run without valgrind: both have to be the same run.
    let stats = case.run()?;
    let (counters, profile) = callgrind::run(case.name, &directory.join(case.name).with_extension("out"))?;
    if counters.trim() != stats.to_string() {
        return Err(format!("{}: under valgrind {counters}, without {stats}", case.name).into());
    }
    let dimensions = Dimensions::new(&case.layout()?, &case.options()?)?;
    let mut counted = Counted::new(&profile);
    let (run, steps) = parts::totals(&mut counted, &stats);
    let make = if dimensions.half_explicit { parts::half_explicit } else { parts::radau };
    let rows = make(&mut counted, &stats, &dimensions, steps);
    counted.finish().map_err(|why| format!("{}: {why}", case.name))?;

    let accepted = stats.naccpt as f64;
    let mut text = format!("\n## {}\n\n{}.\n{stats}.\n\n", case.title, dimensions.describe());
    text.push_str("| part | times | instructions | share | operations | instructions per operation |\n");
    text.push_str("| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for row in &rows {
        line(&mut text, row, accepted, steps)?;
    }
    let all = Row {
        name: "a step",
        detail: false,
        times: stats.naccpt,
        instructions: steps,
        flops: Some(rows.iter().filter(|r| !r.detail).filter_map(|r| r.flops).sum()),
    };
    line(&mut text, &all, accepted, steps)?;
    // What is done once depends a little on where memory comes from, so it is rounded.
    let (start, driver) = ((run.all - run.driven) as f64 / 1000.0, run.driven - steps);
    writeln!(
        text,
        "\nBeside this: {:.0} instructions per step in the driver, about {start:.0} thousand once per run.",
        driver as f64 / accepted
    )?;
    Ok(text)
}

/// One line of a table, per accepted step.
fn line(text: &mut String, row: &Row, accepted: f64, steps: u64) -> std::fmt::Result {
    let instructions = row.instructions as f64;
    let share = 100.0 * instructions / steps as f64;
    let mark = if row.detail { "– " } else { "" };
    let (times, per_step) = (row.times as f64 / accepted, instructions / accepted);
    write!(text, "| {mark}{} | {times:.2} | {per_step:.0} | {share:.1} % |", row.name)?;
    match row.flops {
        Some(flops) => writeln!(text, " {:.0} | {:.2} |", flops / accepted, instructions / flops),
        None => writeln!(text, " | |"),
    }
}
