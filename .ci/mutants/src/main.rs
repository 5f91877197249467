//! Mutation testing: how many slips in the source do the tests notice?
//!
//! All mutants are compiled into one copy of the project and switched by an environment variable, so that a mutant costs the tests
//! that pass it and no build. Tests are recorded once: how long they take, which mutants they pass. A mutant meets them
//! from the fastest on until one fails.
//!
//!   mutants [sample=N] [seed=S] [jobs=J] [longest=SECONDS] [budget=SECONDS] [only=TEXT] [suites=A,B] [again=survived] [reuse=1]
//!
//! sample: how many mutants, drawn by the seed; 0 is all. longest: slower tests are not used. budget: CPU seconds of tests per mutant.
//! reuse=1: neither the copy nor its programs are made anew, whatever has happened to the sources.
//! only: words that the file or name of a mutant contains. again=survived: survivors of before without an explanation meet the tests as
//! they are now.
//! Verdicts are kept in target/mutants/results.tsv, and a run goes on with what is missing. Survivors that `explained.txt` beside this
//! program lists are counted apart.

mod find;
mod render;
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use tests::{Ending, Test};

/// A mutant: file, line and what is done there; of several with the same words in one line the later ones have a number.
struct Mutant {
    id: usize,
    name: String,
}

/// The name of a mutant without the line, which changes with the file.
fn what(name: &str) -> String {
    let name = name.rsplit_once(" #").map_or(name, |(name, _)| name);
    let (file, rest) = name.split_once(':').unwrap_or((name, ""));
    let what = rest.split_once(' ').map_or(rest, |(_, what)| what);
    format!("{file}: {what}")
}

/// What `explained.txt` lists.
fn explained(here: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(here.join("explained.txt")).unwrap_or_default();
    text.lines().filter_map(|l| l.split_once(" | ").map(|(what, _)| what.trim().to_string())).collect()
}

type Failure = Box<dyn std::error::Error>;

fn argument(name: &str, otherwise: &str) -> String {
    let prefix = format!("{name}=");
    std::env::args()
        .find_map(|a| a.strip_prefix(&prefix).map(ToString::to_string))
        .unwrap_or_else(|| otherwise.to_string())
}

/// What the tests say of a mutant.
fn judge(mutant: &Mutant, tests: &[Test], budget: f64) -> std::io::Result<String> {
    let passing: Vec<&Test> = tests.iter().filter(|t| t.passes.contains(&mutant.id)).collect();
    if passing.is_empty() {
        return Ok("not reached".into());
    }
    let (mut at, mut used, mut size) = (0, 0.0, 0.25);
    while at < passing.len() && used < budget {
        // As many tests of one program as take no longer than all before.
        let mut until = at + 1;
        let mut seconds = passing[at].seconds;
        while until < passing.len()
            && passing[until].program == passing[at].program
            && seconds + passing[until].seconds < size
        {
            seconds += passing[until].seconds;
            until += 1;
        }
        let names: Vec<&str> = passing[at..until].iter().map(|t| t.name.as_str()).collect();
        let limit = 4.0 * seconds + 3.0;
        let first = format!("{} {}", passing[at].suite, passing[at].name);
        match tests::run(&passing[at].program, &names, &mutant.id.to_string(), Path::new("/dev/null"), limit)? {
            Ending::Passed => {}
            Ending::Failed => return Ok(format!("killed by {first} or the {} behind it", until - at - 1)),
            Ending::OutOfTime => return Ok(format!("killed: out of time in {first}")),
        }
        used += seconds;
        size = used.max(size);
        at = until;
    }
    Ok(if at < passing.len() { format!("survived {at} of {} tests", passing.len()) } else { "survived".into() })
}

/// A number from the seed; splitmix64.
fn draw(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn main() -> Result<(), Failure> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2).ok_or("no root")?;
    let work = root.join("target/mutants");
    let tree = work.join("tree");
    let (list, built) = (work.join("mutants.txt"), work.join("programs.txt"));
    if argument("reuse", "") != "1" {
        let names: String = tree::make(root, &tree)?.iter().map(|m| format!("{}\t{}\n", m.id, m.name())).collect();
        let suites = argument("suites", "lib,numerics,solver,hht,half_explicit,starts,suite");
        let suites: Vec<String> = suites.split(',').map(ToString::to_string).collect();
        let programs = tree::build(root, &tree, &suites)?;
        // Numbers of mutants belong to one state of the sources, what a test passes to one state of the tests.
        let _ = fs::remove_dir_all(work.join("recorded"));
        fs::write(&list, names)?;
        let lines = programs.iter().map(|(name, path)| format!("{name}\t{}\n", path.display()));
        fs::write(&built, lines.collect::<String>())?;
    }
    let pairs = |file: &Path| -> Result<Vec<(String, String)>, Failure> {
        let text = fs::read_to_string(file)?;
        Ok(text.lines().filter_map(|l| l.split_once('\t').map(|(a, b)| (a.to_string(), b.to_string()))).collect())
    };
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut mutants = Vec::new();
    for (id, name) in pairs(&list)? {
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name} #{count}") } else { name };
        mutants.push(Mutant { id: id.parse()?, name });
    }
    let programs: Vec<(String, PathBuf)> =
        pairs(&built)?.into_iter().map(|(name, path)| (name, PathBuf::from(path))).collect();
    let tests = tests::record(&programs, &work.join("recorded"), argument("longest", "10").parse()?)?;
    println!("{} tests, {:.0} s", tests.len(), tests.iter().map(|t| t.seconds).sum::<f64>());
    if argument("stop", "") == "recorded" {
        return Ok(());
    }

    let results = work.join("results.tsv");
    let mut known: BTreeMap<String, String> = fs::read_to_string(&results)
        .unwrap_or_default()
        .lines()
        .filter_map(|l| l.split_once('\t').map(|(name, verdict)| (name.to_string(), verdict.to_string())))
        .collect();
    let only = argument("only", "");
    let mut chosen: Vec<&Mutant> = mutants.iter().filter(|m| m.name.contains(&only)).collect();
    let mut seed: u64 = argument("seed", "1").parse()?;
    for i in (1..chosen.len()).rev() {
        chosen.swap(i, (draw(&mut seed) % (i as u64 + 1)) as usize);
    }
    let sample: usize = argument("sample", "300").parse()?;
    if sample > 0 {
        chosen.truncate(sample);
    }
    if argument("again", "") == "survived" {
        let explained = explained(here);
        known.retain(|name, verdict| verdict.starts_with("killed") || explained.contains(&what(name)));
    }
    let todo: Vec<&Mutant> = chosen.iter().copied().filter(|m| !known.contains_key(&m.name)).collect();
    println!("{} mutants drawn of {}, {} to do", chosen.len(), mutants.len(), todo.len());
    let budget: f64 = argument("budget", "60").parse()?;
    let next = AtomicUsize::new(0);
    let log = Mutex::new(fs::OpenOptions::new().create(true).append(true).open(&results)?);
    let verdicts = Mutex::new(known);
    std::thread::scope(|scope| {
        for _ in 0..argument("jobs", "2").parse().unwrap_or(1) {
            scope.spawn(|| loop {
                let Some(mutant) = todo.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let verdict = judge(mutant, &tests, budget).unwrap_or_else(|e| format!("not run: {e}"));
                if !verdict.starts_with("killed") {
                    println!("{}: {verdict}", mutant.name);
                }
                if let (Ok(mut log), Ok(mut all)) = (log.lock(), verdicts.lock()) {
                    let _ = writeln!(log, "{}\t{verdict}", mutant.name);
                    all.insert(mutant.name.clone(), verdict);
                }
            });
        }
    });
    report(here, &chosen, &verdicts.into_inner()?, mutants.len())
}

fn report(here: &Path, chosen: &[&Mutant], verdicts: &BTreeMap<String, String>, all: usize) -> Result<(), Failure> {
    let explained = explained(here);
    let (mut killed, mut known, mut left) = (0, 0, Vec::new());
    for mutant in chosen {
        let verdict = verdicts.get(&mutant.name).map_or("not run", String::as_str);
        if verdict.starts_with("killed") {
            killed += 1;
        } else if explained.contains(&what(&mutant.name)) {
            known += 1;
        } else {
            left.push(format!("{}: {verdict}", mutant.name));
        }
    }
    println!("\nsurvivors without an explanation:");
    for line in &left {
        println!("  {line}");
    }
    println!(
        "count: {} mutants of {all}: {killed} killed ({:.1} %), {known} explained, {} left",
        chosen.len(),
        100.0 * killed as f64 / chosen.len().max(1) as f64,
        left.len()
    );
    Ok(())
}
