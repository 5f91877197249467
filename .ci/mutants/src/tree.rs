//! The copy of the project with all mutants in it.

use crate::find::{find, Site};
use crate::render::{innermost, render};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is mutated: files and folders of `src/`.
pub const SCOPE: [&str; 11] = [
    "control.rs", "newton.rs", "norm.rs", "events.rs", "events/", "polynomial.rs", "initial.rs", "initial/", "formulation/",
    "decompose/", "methods/",
];

/// What a mutant may look like to the compiler; a sum that it knows to overflow is an error by default, found by no `cargo check`.
const ALLOWED: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic)]";

/// A mutant with its number.
pub struct Mutant {
    pub id: usize,
    pub file: String,
    pub site: Site,
}

impl Mutant {
    pub fn name(&self) -> String {
        format!("{}:{} {}", self.file, self.site.line, self.site.what)
    }
}

fn write_if_changed(path: &Path, text: &[u8]) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

fn listed(root: &Path) -> std::io::Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(ToString::to_string).collect())
}

/// Writes the copy; mutants that do not compile are left out.
pub fn make(root: &Path, tree: &Path) -> Result<Vec<Mutant>, Box<dyn std::error::Error>> {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for name in listed(root)? {
        let Ok(bytes) = fs::read(root.join(&name)) else { continue };
        let inside = name.strip_prefix("src/").is_some_and(|rest| {
            SCOPE.iter().any(|s| rest == *s || s.ends_with('/') && rest.starts_with(s))
                && !rest.ends_with("tests.rs")
                && rest.ends_with(".rs")
        });
        if inside {
            sources.insert(name, String::from_utf8(bytes)?);
        } else if name == "src/lib.rs" {
            let text = format!("{}\n{}\n#[doc(hidden)]\npub mod mutation;\n", ALLOWED, String::from_utf8(bytes)?);
            write_if_changed(&tree.join(&name), text.as_bytes())?;
        } else if !name.starts_with(".ci/") && !name.starts_with("bench/") {
            write_if_changed(&tree.join(&name), &bytes)?;
        }
    }
    let mut mutants = Vec::new();
    for (file, text) in &sources {
        for site in find(text).map_err(|e| format!("{file}: {e}"))? {
            mutants.push(Mutant { id: mutants.len() + 1, file: file.clone(), site });
        }
    }
    let module = include_str!("mutation.rs.txt").replace("COUNT", &(mutants.len() + 1).to_string());
    write_if_changed(&tree.join("src/mutation.rs"), module.as_bytes())?;
    let kept = tree.join("dropped.txt");
    let mut dropped: BTreeSet<String> =
        fs::read_to_string(&kept).unwrap_or_default().lines().map(ToString::to_string).collect();
    for round in 1..30 {
        let mut rendered = BTreeMap::new();
        for (file, text) in &sources {
            let sites: Vec<(usize, &Site)> = mutants
                .iter()
                .filter(|m| m.file == *file && !dropped.contains(&m.name()))
                .map(|m| (m.id, &m.site))
                .collect();
            let new = render(text, &sites);
            write_if_changed(&tree.join(file), new.as_bytes())?;
            rendered.insert(file.clone(), new);
        }
        let output = Command::new("cargo")
            .args(["check", "--release", "-p", "geoms", "--lib", "--message-format", "short"])
            .current_dir(tree)
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_TARGET_DIR", target(root))
            .output()?;
        let log = String::from_utf8_lossy(&output.stderr).to_string();
        if output.status.success() {
            fs::write(&kept, dropped.iter().cloned().collect::<Vec<_>>().join("\n"))?;
            mutants.retain(|m| !dropped.contains(&m.name()));
            println!("{} mutants, {} do not compile", mutants.len(), dropped.len());
            return Ok(mutants);
        }
        let before = dropped.len();
        for line in log.lines().filter(|line| line.contains(": error")) {
            let mut fields = line.splitn(4, ':');
            let (Some(file), Some(row), Some(column)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let (Ok(row), Ok(column), Some(text)) = (row.parse(), column.parse(), rendered.get(file)) else { continue };
            if let Some(Some(id)) = innermost(text, &[(row, column)]).first() {
                dropped.insert(mutants[*id - 1].name());
            }
        }
        println!("round {round}: {} do not compile", dropped.len());
        if dropped.len() == before {
            return Err(format!("the copy does not compile:\n{log}").into());
        }
    }
    Err("the copy does not compile".into())
}

/// Shared with the project, so that other people's crates are built once.
fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
}

/// The tests of the copy: name of the suite and path of its program.
pub fn build(root: &Path, tree: &Path, suites: &[String]) -> Result<Vec<(String, PathBuf)>, Box<dyn std::error::Error>> {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--release", "--no-run", "-p", "geoms", "-p", "geoms-problems"])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", target(root))
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    for suite in suites {
        if suite == "lib" {
            command.arg("--lib");
        } else {
            command.args(["--test", suite]);
        }
    }
    let output = command.output()?;
    let log = String::from_utf8_lossy(&output.stderr).to_string();
    if !output.status.success() {
        return Err(log.into());
    }
    let mut programs = Vec::new();
    for line in log.lines().filter(|line| line.trim_start().starts_with("Executable")) {
        let Some(path) = line.split(['(', ')']).nth(1) else { continue };
        let stem = Path::new(path).file_name().map(|n| n.to_string_lossy().to_string()).unwrap_or_default();
        let name = stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_string());
        programs.push((name, root.join(path)));
    }
    Ok(programs)
}
