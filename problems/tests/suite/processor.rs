//! Whole runs with the kernels for any processor, beside those for one with AVX2 and FMA.

use crate::listed::Listed;
use geoms::layout::Form;
use geoms::linalg::processor::{without_fma, Processor};
use geoms::stats::Stats;

/// Last bits differ; after a whole run solutions differ by about the tolerance, and counters by some steps.
pub fn check(method: &Listed) {
    if !Processor::detect().has_fma() {
        println!("{}: this processor has no FMA, there is nothing to compare", method.name);
        return;
    }
    let mut runs = 0;
    for problem in geoms_problems::all() {
        if problem.rank_deficient || problem.x0.len() > 70 || problem.name == "pendulum-horizontal" {
            continue;
        }
        for form in [Form::StrangenessFree, Form::Index1] {
            if !method.is_for(&problem, form) {
                continue;
            }
            let run = || -> Option<(f64, Vec<f64>, Stats)> {
                let mut system = problem.system(form, true);
                let options = method.options(&problem, form);
                let mut solver = method.start(&mut *system, &problem, &options, (method.tol, 0.0)).ok()?;
                while solver.t() < problem.tend && solver.stats().naccpt < 150 {
                    solver.step(&mut *system, problem.tend).ok()?;
                }
                Some((solver.t(), solver.x().to_vec(), *solver.stats()))
            };
            let (with, without) = (run(), without_fma(run));
            let what = format!("{} {} {form:?}", method.name, problem.name);
            assert_eq!(with.is_some(), without.is_some(), "{what}");
            let (Some((t, x, stats)), Some((other_t, other, other_stats))) = (with, without) else {
                continue;
            };
            runs += 1;
            // Where increments are rounding errors (order 13, stiff forces) they decide whether Newton's method ends.
            let close = |a: u64, b: u64| a.abs_diff(b) <= 5 + a.max(b) / 4;
            assert!(close(stats.naccpt, other_stats.naccpt), "{what}: {stats:?} {other_stats:?}");
            // Runs that were cut at a number of steps end at slightly different times.
            if t == other_t {
                let layout = problem.layout(form);
                for block in [layout.x.p, layout.x.v] {
                    let size = block.of(&x).iter().fold(1.0f64, |m, v| m.max(v.abs()));
                    for (a, b) in block.of(&x).iter().zip(block.of(&other)) {
                        assert!((a - b).abs() < 100.0 * method.tol * size, "{what}: {a} {b}");
                    }
                }
            }
        }
    }
    println!("count: {}: {runs} whole runs with and without FMA", method.name);
    assert!(runs > 10, "{runs}");
}
