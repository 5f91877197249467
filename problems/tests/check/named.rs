//! Every planted slip is named by the check.

use super::quaternion::WithUnit;
use super::slips::{cases, Case, Plant};
use geoms::check::{check_model, Report};
use geoms::layout::Layout;
use geoms::norm::Tolerance;
use geoms::options::Options;

pub fn initial(case: &Case) -> (f64, Vec<f64>) {
    let problem = case.problem();
    let x = match case.plant {
        Plant::Unit => {
            let system = problem.system(case.form, false);
            WithUnit::longer(&problem.x0, &Layout::new(system.dimensions(), case.form))
        }
        Plant::Geared(_) => super::geared::Geared::start(),
        _ => problem.x0.clone(),
    };
    (problem.t0, x)
}

pub fn options(case: &Case) -> Options {
    Options { mass: case.structure(), form: case.form, ..Options::default() }
}

fn check(case: &Case) -> Report {
    let mut system = case.system();
    let (t, x) = initial(case);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    check_model(&mut *system, &options(case), &tolerance, t, &x).expect(case.name)
}

#[test]
fn planted_slips_are_named() {
    let cases = cases();
    let models: std::collections::BTreeSet<_> = cases.iter().map(|c| c.model).collect();
    println!("{} slips over {} models", cases.len(), models.len());
    assert!(cases.len() >= 80 && models.len() >= 12);
    let mut missed = Vec::new();
    let only = std::env::var("GEOMS_SLIP").ok();
    for case in cases.iter().filter(|c| only.as_ref().is_none_or(|o| *o == format!("{} {}", c.model, c.name)))
    {
        let report = check(case);
        let first = report.findings.first();
        let named = first.is_some_and(|f| f.row.block == case.block && (case.expect)(f.slip));
        if !named {
            missed.push(format!("{} {}: {}", case.model, case.name, report));
        }
    }
    assert!(missed.is_empty(), "{} of {} not named\n{}", missed.len(), cases.len(), missed.join("\n"));
}
