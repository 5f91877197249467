//! `geoms-bench --settings`: our settings against each other, over problems and accuracies. The defaults of the handle and of the
//! Rust interface are those that win overall.

use crate::ours::CANDIDATES;
use crate::problems;
use crate::{rough_time, sweep, Plan, ALL};

/// Time at equal accuracy of every candidate related to the first, which has the options of the `geoms_` call: per problem the
/// geometric mean over the accuracies, and over all problems.
pub fn compare(names: &[&str], plan: &Plan) -> Result<(), Box<dyn std::error::Error>> {
    let mut columns: Vec<Vec<Option<f64>>> = Vec::new();
    let mut missed = vec![0; CANDIDATES.len()];
    for name in names {
        let mut case = problems::make(name, CANDIDATES).ok_or("no such problem")?;
        let curves: Vec<_> =
            (0..CANDIDATES.len()).map(|k| sweep(&mut case, k, plan, plan.stride, ALL)).collect();
        let mut logarithms = vec![Vec::new(); CANDIDATES.len()];
        for &accuracy in case.accuracies {
            let Some(first) = rough_time(&curves[0], accuracy) else { continue };
            for (k, curve) in curves.iter().enumerate() {
                match rough_time(curve, accuracy) {
                    Some(seconds) => logarithms[k].push((seconds / first).ln()),
                    None => missed[k] += 1,
                }
            }
        }
        columns.push(logarithms.iter().map(|l| mean(l)).collect());
    }
    print!("{:<24}", "time / that of the call");
    names.iter().for_each(|name| print!(" {name:>13}"));
    println!(" {:>9} {:>7}", "all", "missed");
    for (k, candidate) in CANDIDATES.iter().enumerate() {
        print!("{:<24}", candidate.name);
        let cell = |m: Option<f64>| m.map_or("-".into(), |m| format!("{:.2}", m.exp()));
        columns.iter().for_each(|column| print!(" {:>13}", cell(column[k])));
        let means: Vec<f64> = columns.iter().filter_map(|column| column[k]).collect();
        println!(" {:>9} {:>7}", cell(mean(&means)), missed[k]);
    }
    Ok(())
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
