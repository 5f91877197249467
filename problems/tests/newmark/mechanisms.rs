//! Andrews' mechanism in Cartesian coordinates, Bricard's and the double four-bar mechanism: the benchmarks of the paper.

use crate::harness::{fixed_for, problem, run};
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::options::{NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::Problem;

fn andrews(h: f64, tend: f64) -> Solver {
    let problem = problem("andrews-bodies");
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = fixed_for(&problem, NewmarkScheme::FoxGoodwin);
    run(&mut *system, &options, (&problem.x0, h, tend), |_, _| {}).expect("a run")
}

#[test]
fn andrews_is_stable_with_long_steps_and_accurate_with_short_ones() {
    let l = problem("andrews-bodies").layout(Form::StrangenessFree);
    let theta = |s: &Solver| l.x.p.of(s.x())[2];
    // Whole steps up to 0.05 s.
    for (h, expected) in [(5e-4, 32.791_953_852_849_46), (6e-4, 32.066_975_962_024_02)] {
        let solver = andrews(h, (0.05 / h).floor() * h);
        let frequency = solver.measure("largest_frequency").unwrap();
        println!("h {h}: angle {} largest frequency {frequency:.1}", theta(&solver));
        assert!((theta(&solver) / expected - 1.0).abs() < 1e-8, "{}", theta(&solver));
        assert!((1059.0..1064.0).contains(&frequency), "{frequency}");
    }
    let solver = andrews(1e-5, 0.03);
    let p = l.x.p.of(solver.x());
    let expected =
        [-9.151_437_877_640_22e-4, -9.440_258_320_854_26e-5, 15.810_755_698_156_6, -1.844_603_593_140_94e-2];
    for (p, expected) in p.iter().zip(expected) {
        assert!((p - expected).abs() < 1e-8, "{p} against {expected}");
    }
    assert!((solver.measure("largest_frequency").unwrap() - 1035.3).abs() < 0.5);
    let fine = andrews(2e-6, 0.03);
    let known = problem("andrews-bodies").at_end().expect("a reference");
    let worst = known
        .iter()
        .filter(|(i, _)| l.x.p.contains(*i))
        .fold(0.0f64, |m, (i, value)| m.max((fine.x()[*i] - value).abs()));
    println!("andrews-bodies h 2e-6: largest error of p {worst:.2e}");
    assert!(worst < 1e-6, "{worst}");
}

/// Largest change of the energy over ten seconds.
fn energy_drift(problem: &Problem, options: &Options, h: f64) -> (f64, Solver) {
    let presented = geoms_problems::Options {
        invariants: true,
        ..geoms_problems::Options::new(Form::StrangenessFree, true)
    };
    let mut with_energy = problem.system_with(presented);
    let l = geoms::layout::Layout::new(with_energy.dimensions(), Form::StrangenessFree);
    assert_eq!(l.dims.ni, 1, "{}", problem.name);
    let mut rda = vec![0.0; l.m];
    let _ = with_energy.eom(0.0, &problem.x0, &mut rda);
    let start = l.rda.e.of(&rda)[0];
    let mut worst = 0.0f64;
    let mut system = problem.system(Form::StrangenessFree, true);
    let look = |_: &mut dyn System, s: &Solver| {
        let _ = with_energy.eom(s.t(), s.x(), &mut rda);
        worst = worst.max((l.rda.e.of(&rda)[0] - start).abs());
    };
    let solver = run(&mut *system, options, (&problem.x0, h, 10.0), look).expect(&problem.name);
    println!("{} h {h}: energy within {worst:.2e} J", problem.name);
    (worst, solver)
}

#[test]
fn bricard_keeps_its_energy_within_a_millijoule() {
    let problem = problem("bricard");
    let options = Options {
        decompose_constraints: DecompositionKind::Svd,
        ..fixed_for(&problem, NewmarkScheme::FoxGoodwin)
    };
    let (drift, _) = energy_drift(&problem, &options, 5e-3);
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn the_double_four_bar_goes_through_its_singular_positions() {
    let problem = problem("n-four-bar-2-singular");
    let options = fixed_for(&problem, NewmarkScheme::FoxGoodwin);
    let (drift, solver) = energy_drift(&problem, &options, 5e-3);
    assert!(drift < 0.1, "{drift}");
    // It has stayed on its branch: the closed form, with the phase error of the steps.
    let exact = problem.exact.as_ref().expect("a closed form")(10.0);
    let l = problem.layout(Form::StrangenessFree);
    let error = l.x.p.range().fold(0.0f64, |m, i| m.max((solver.x()[i] - exact[i]).abs()));
    println!("error at 10 s: {error:.1e}");
    assert!(error < 0.05, "{error}");
}
