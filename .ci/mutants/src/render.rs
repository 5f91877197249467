//! A source file in which every mutant is written beside what it changes, chosen at run time. Only one is active at a time, so what
//! a mutant writes contains the rest of its expression as it was: the text grows with the depth, not exponentially.

use crate::find::{Change, Site};
use std::collections::BTreeMap;

/// The file with these numbered mutants. Marks in comments tell where each of them is.
pub fn render(text: &str, sites: &[(usize, &Site)]) -> String {
    // Outer before inner; of equal ranges the later found is the inner one.
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|&i| (sites[i].1.range.start, std::cmp::Reverse(sites[i].1.range.end), i));
    let list: Vec<(usize, &Site)> = order.iter().map(|&i| sites[i]).collect();
    let mut out = String::new();
    let mut next = 0;
    span(text, &list, &mut next, 0, text.len(), &mut out);
    out
}

fn span(text: &str, list: &[(usize, &Site)], next: &mut usize, from: usize, to: usize, out: &mut String) {
    let mut at = from;
    while *next < list.len() {
        let (id, site) = list[*next];
        if site.range.end > to {
            break;
        }
        *next += 1;
        out.push_str(&text[at..site.range.start]);
        out.push_str(&format!("/*<{id}*/"));
        let mut inner = String::new();
        if !site.range.is_empty() {
            span(text, list, next, site.range.start, site.range.end, &mut inner);
        }
        let on = format!("crate::mutation::on({id})");
        match &site.change {
            Change::Instead(other) if assigns(other) => {
                out.push_str(&format!("if {on} {{ {other} }} else {{ {inner} }}"));
            }
            Change::Instead(other) => out.push_str(&format!("(if {on} {{ {other} }} else {{ {inner} }})")),
            Change::Negated => out.push_str(&format!("({on} != ({inner}))")),
            Change::Deleted => out.push_str(&format!("if !{on} {{ {inner} }}")),
            Change::Returned(value) => out.push_str(&format!("if {on} {{ return {value}; }}")),
        }
        out.push_str(&format!("/*{id}>*/"));
        at = site.range.end;
    }
    out.push_str(&text[at..to]);
}

fn assigns(text: &str) -> bool {
    ["+=", "-=", "*=", "/="].iter().any(|op| text.contains(&format!(" {op} ")))
}

/// Of a rendered file, the innermost mutant around each (line, column), counted from 1.
pub fn innermost(rendered: &str, places: &[(usize, usize)]) -> Vec<Option<usize>> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(rendered.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ranges = Vec::new();
    for (at, _) in rendered.match_indices("/*") {
        let Some(end) = rendered[at..].find("*/").map(|k| at + k) else { continue };
        let mark = &rendered[at + 2..end];
        if let Some(id) = mark.strip_prefix('<').and_then(|id| id.parse().ok()) {
            open.insert(id, at);
        } else if let Some(id) = mark.strip_suffix('>').and_then(|id| id.parse().ok()) {
            if let Some(start) = open.remove(&id) {
                ranges.push((start, end + 2, id));
            }
        }
    }
    let find = |&(line, column): &(usize, usize)| {
        let start = *starts.get(line - 1)?;
        let at = start
            + rendered[start..].char_indices().nth(column - 1).map_or(0, |(offset, _)| offset);
        ranges.iter().filter(|r| r.0 <= at && at < r.1).min_by_key(|r| r.1 - r.0).map(|r| r.2)
    };
    places.iter().map(find).collect()
}
