//! Running callgrind and reading what it writes: instructions of functions and of their calls.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Instructions by function and by call.
pub struct Profile {
    /// (caller, callee) to (calls, instructions with all that was called).
    edges: HashMap<(String, String), (u64, u64)>,
}

/// Large fills and copies by vector instructions: those by `rep stosb` would be counted once per byte.
const TUNABLES: &str =
    "glibc.cpu.x86_rep_stosb_threshold=1000000000:glibc.cpu.x86_rep_movsb_threshold=1000000000";

/// Run this program on a case under callgrind; its output and its profile.
pub fn run(case: &str, file: &Path) -> Result<(String, Profile), Box<dyn std::error::Error>> {
    let mut out = std::ffi::OsString::from("--callgrind-out-file=");
    out.push(file);
    let result = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(out)
        .arg(std::env::current_exe()?)
        .arg(case)
        .env("GLIBC_TUNABLES", TUNABLES)
        .env("OPENBLAS_NUM_THREADS", "1")
        .output()?;
    if !result.status.success() {
        return Err(format!("valgrind: {}", String::from_utf8_lossy(&result.stderr)).into());
    }
    let profile = read(&std::fs::read_to_string(file)?)?;
    Ok((String::from_utf8(result.stdout)?, profile))
}

/// Read a profile ("Callgrind Format Specification" of the valgrind manual). Names are given once and then by number.
fn read(text: &str) -> Result<Profile, Box<dyn std::error::Error>> {
    let mut names = HashMap::new();
    let mut edges: HashMap<(String, String), (u64, u64)> = HashMap::new();
    let (mut function, mut callee, mut calls) = ("", "", None);
    for line in text.lines() {
        if let Some(item) = line.strip_prefix("fn=") {
            function = name(&mut names, item)?;
        } else if let Some(item) = line.strip_prefix("cfn=") {
            callee = name(&mut names, item)?;
        } else if let Some(item) = line.strip_prefix("calls=") {
            calls = Some(item.split(' ').next().unwrap_or("").parse::<u64>()?);
        } else if let Some(count) =
            calls.filter(|_| line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)))
        {
            // The line behind `calls=` says what they took.
            let cost: u64 = line.split(' ').nth(1).ok_or("a call without cost")?.parse()?;
            let edge = edges.entry((function.to_owned(), callee.to_owned())).or_default();
            *edge = (edge.0 + count, edge.1 + cost);
            calls = None;
        }
    }
    Ok(Profile { edges })
}

/// A name from `(number) name` or `(number)`.
fn name<'a>(names: &mut HashMap<&'a str, &'a str>, item: &'a str) -> Result<&'a str, &'static str> {
    let (number, rest) = item.split_once(')').ok_or("a name without number")?;
    if let Some(full) = rest.strip_prefix(' ') {
        names.insert(number, full);
    }
    names.get(number).copied().ok_or("a number without name")
}

impl Profile {
    /// Calls and instructions of functions whose names end in `callee`, called from those that end in `caller`; an
    /// empty `caller` is any. A name that begins with `!` is any but those.
    pub fn calls(&self, caller: &str, callee: &str) -> (u64, u64) {
        let fits = |name: &str| match caller.strip_prefix('!') {
            Some(other) => !name.ends_with(other),
            None => name.ends_with(caller),
        };
        let edges =
            self.edges.iter().filter(|((from, to), _)| fits(from) && to.ends_with(callee) && from != to);
        edges.fold((0, 0), |sum, (_, edge)| (sum.0 + edge.0, sum.1 + edge.1))
    }
}
