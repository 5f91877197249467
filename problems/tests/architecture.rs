//! What src/lib.rs says of the rooms of the library is so: which uses which, where `unsafe` is, how long a file may be.

// A failing test has to say so.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of the longest file.
const LONGEST: usize = 500;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// All files of the library: path from src, text.
fn library() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&source(), &mut found);
    found.sort();
    let relative = |p: &Path| p.strip_prefix(source()).expect("prefix").to_string_lossy().into_owned();
    let read = |p: &PathBuf| fs::read_to_string(p).expect("text");
    found.iter().map(|p| (relative(p), read(p))).filter(|(name, _)| !name.starts_with("bin/")).collect()
}

/// The first folder or file name.
fn room(name: &str) -> &str {
    name.split('/').next().unwrap_or(name).trim_end_matches(".rs")
}

/// Without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Rooms that a text names after `crate::`.
fn used(text: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for after in text.split("crate::").skip(1) {
        let names = after.strip_prefix('{').map_or(after, |list| list.split('}').next().unwrap_or(list));
        let word = |s: &str| s.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if names.len() == after.len() {
            rooms.push(word(names));
        } else {
            rooms.extend(names.split(',').map(|name| word(name.trim())));
        }
    }
    rooms
}

/// The lines of the list in src/lib.rs, topmost first.
fn levels() -> Vec<Vec<String>> {
    let text = fs::read_to_string(source().join("lib.rs")).expect("lib.rs");
    let list = text.split("# Dependences").nth(1).expect("list").split("```").nth(1).expect("block");
    let lines = list.lines().skip(1).map(|line| line.trim_start_matches("//!").split_whitespace());
    lines.map(|line| line.map(str::to_owned).collect::<Vec<_>>()).filter(|line| !line.is_empty()).collect()
}

#[test]
fn rooms_use_only_what_is_below_them() {
    let mut level = BTreeMap::new();
    for (k, line) in levels().into_iter().enumerate() {
        line.into_iter().for_each(|room| assert!(level.insert(room, k).is_none(), "a room is listed twice"));
    }
    let mut seen = BTreeMap::new();
    for (name, text) in library().iter().filter(|(name, _)| name != "lib.rs") {
        let own = room(name);
        seen.insert(own.to_owned(), ());
        let here = level.get(own).unwrap_or_else(|| panic!("{own} is not in the list of src/lib.rs"));
        if name.ends_with("tests.rs") || name.contains("/tests") {
            continue;
        }
        for other in used(&code(text)).iter().filter(|other| *other != own) {
            // Macros and items of the crate itself are written without a room.
            let Some(there) = level.get(other) else { continue };
            assert!(here < there, "src/{name} uses {other}, which is not below {own}");
        }
    }
    let missing: Vec<_> = level.keys().filter(|room| !seen.contains_key(*room)).collect();
    assert!(missing.is_empty(), "listed but not there: {missing:?}");
}

#[test]
fn unsafe_is_where_it_is_said_to_be() {
    let text = fs::read_to_string(source().join("lib.rs")).expect("lib.rs");
    let said =
        text.split("`unsafe` is confined to").nth(1).expect("sentence").split("\n\n").next().expect("end");
    for (name, text) in library().iter().filter(|(name, _)| name != "lib.rs") {
        let has = code(text).split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == "unsafe");
        let module = name.trim_end_matches(".rs").replace('/', "::");
        let named = |module: &str| said.contains(&format!("[`{module}`]"));
        let above = module.rsplit_once("::").map_or("", |(above, _)| above);
        assert!(!has || named(&module) || named(above) || named(room(name)), "unsafe in src/{name}");
    }
}

#[test]
fn no_file_is_too_long() {
    for (name, text) in library() {
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "src/{name} has {lines} lines");
    }
}
