//! Different ways to the same solution, and options that change the work they are meant to change.

use crate::common::{distance, largest, problem, Run, Setup};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Block, Form};
use geoms::linalg::SolverKind;
use geoms::options::{Controller, Options};
use geoms_problems::{MassStructure, Problem};

const TOL: f64 = 1e-8;

type Change = fn(&mut Options);

/// Every way of solving that must not change the solution.
const WAYS: [(&str, Change); 19] = [
    ("defaults", |_| {}),
    ("FORM=1", |o| o.form = Form::Index1),
    ("DECOMPC=QR", |o| o.decompose_constraints = DecompositionKind::Qr),
    ("DECOMPC=SVD", |o| o.decompose_constraints = DecompositionKind::Svd),
    ("DECOMPD=QR", |o| o.decompose_differential = SolverKind::Qr),
    ("FORM=1, SVD, QR", |o| {
        o.form = Form::Index1;
        o.decompose_constraints = DecompositionKind::Svd;
        o.decompose_differential = SolverKind::Qr;
    }),
    ("PRED=2", |o| o.controller = Controller::Classical),
    ("NWTMAT=1", |o| o.newton_reference = Some(1)),
    ("NWTMAT=2", |o| o.newton_reference = Some(2)),
    ("NWTMAT=3", |o| o.newton_reference = Some(3)),
    ("STARTN=1", |o| o.zero_start = true),
    ("NWTUPD=1", |o| o.newton_updates = 1),
    ("NWTUPD=3, NWTMAT=3", |o| (o.newton_updates, o.newton_reference) = (3, Some(3))),
    ("SELCOMP=1", |o| o.selectors_every_step = true),
    ("THET=-1", |o| o.thet = -1.0),
    ("THET=0.1", |o| o.thet = 0.1),
    ("THET=0.5, QUOT", |o| (o.thet, o.quot1, o.quot2) = (0.5, 0.5, 2.0)),
    ("MASSTRCT=1", |o| o.mass = MassStructure::Full),
    ("FORM=1, NWTMAT=2", |o| (o.form, o.newton_reference) = (Form::Index1, Some(2))),
];

fn run(problem: &Problem, tol: f64, change: impl FnOnce(&mut Options)) -> Run {
    Setup::new(problem, Form::StrangenessFree, tol).with(change).run(problem).good(&problem.name)
}

/// Every way ends within `multiple`·TOL of the known solution, p and v relative to their size.
fn agree(name: &str, multiple: f64) {
    let problem = problem(name);
    let layout = problem.layout(Form::StrangenessFree);
    let mut end = problem.x0.clone();
    problem.at_end().unwrap().into_iter().for_each(|(i, value)| end[i] = value);
    let steps = run(&problem, TOL, |_| {}).stats.naccpt;
    for (way, change) in WAYS {
        let run = run(&problem, TOL, change);
        let error = |block: Block| distance(block, &run.x, &end) / largest(block.of(&end)).max(1.0) / TOL;
        let (p, v) = (error(layout.x.p), error(layout.x.v));
        println!("{name:14} {way:20} error/TOL p {p:8.2} v {v:8.2}  {}", run.stats);
        assert!(p <= multiple && v <= multiple, "{name} {way}: {p} {v}");
        // The error estimate must not depend on the point at which matrices are taken.
        assert!(run.stats.naccpt <= 2 * steps, "{name} {way}: {} steps", run.stats.naccpt);
    }
}

#[test]
fn all_ways_agree_on_the_pendulum() {
    agree("pendulum-2.8", 10.0);
}

/// The bound is that of the mechanism's conditioning: errors grow by about 100 over the interval.
#[test]
fn all_ways_agree_on_andrews() {
    agree("andrews", 100.0);
}

#[test]
fn selectors_every_step() {
    let andrews = problem("andrews");
    let every: [Change; 4] = [
        |o| o.selectors_every_step = true,
        |o| o.decompose_differential = SolverKind::Qr,
        |o| o.decompose_constraints = DecompositionKind::Qr,
        |o| o.decompose_constraints = DecompositionKind::Svd,
    ];
    for change in every {
        let s = run(&andrews, 1e-6, |o| {
            o.thet = -1.0;
            change(o);
        })
        .stats;
        // Once for every predecomposition and after every failure of Newton's method.
        assert_eq!(s.nsel, s.npdec + s.ncrjct);
        assert_eq!(s.pivot_changes + s.selectors_poor, 0);
    }
    let s = run(&andrews, 1e-6, |o| o.thet = -1.0).stats;
    assert_eq!(s.nsel, 1 + s.ncrjct + s.pivot_changes + s.selectors_poor);
    assert!(s.pivot_changes > 0 && s.selectors_poor > 0 && s.nsel < s.npdec / 2, "{s:?}");
}

/// Kept selectors must cost neither steps nor accuracy.
#[test]
fn kept_selectors_are_as_good_as_new_ones() {
    for name in ["upright-disk", "slider-crank", "andrews", "top-steady", "double-pendulum"] {
        let problem = problem(name);
        let kept = run(&problem, TOL, |_| {}).stats;
        let fresh = run(&problem, TOL, |o| o.selectors_every_step = true).stats;
        assert!(kept.nbsub as f64 <= 1.03 * fresh.nbsub as f64, "{name}: {} {}", kept.nbsub, fresh.nbsub);
        assert!(kept.nsel * 2 < fresh.nsel, "{name}: {} {}", kept.nsel, fresh.nsel);
    }
}

/// The disk turns the free direction away from the row that was selected first.
#[test]
fn poor_selectors_are_renewed() {
    let disk = problem("upright-disk");
    let s = Setup::new(&disk, Form::StrangenessFree, 0.0).fixed(100, 1e-12).run(&disk).good("disk").stats;
    assert_eq!(s.pivot_changes, 0);
    assert!(s.selectors_poor >= 12, "{} half turns, {} renewals", 6, s.selectors_poor);
}

#[test]
fn jacobian_reuse() {
    let pendulum = problem("pendulum-2.8");
    let kept = run(&pendulum, TOL, |o| o.thet = 0.1).stats;
    assert!(kept.njac < kept.naccpt && kept.jacobian_reused > 0, "{kept:?}");
    assert_eq!(kept.npdec, kept.njac);
    // A linear system converges at once: the default keeps its Jacobian, a negative THET does not.
    let maxwell = problem("maxwell-element");
    let default = run(&maxwell, TOL, |_| {}).stats;
    assert!(default.njac < default.naccpt / 10, "{default:?}");
    let never = run(&maxwell, TOL, |o| o.thet = -1.0).stats;
    assert_eq!((never.njac, never.jacobian_reused), (never.naccpt, 0));
}

#[test]
fn frozen_step_size_saves_decompositions() {
    let pendulum = problem("pendulum-2.8");
    let default = run(&pendulum, TOL, |_| {}).stats;
    assert_eq!(default.nedec, default.nstep());
    let frozen = run(&pendulum, TOL, |o| (o.thet, o.quot1, o.quot2) = (0.5, 0.5, 2.0)).stats;
    assert!(frozen.nedec < frozen.nstep() * 3 / 4, "{frozen:?}");
    // QUOT does nothing where the Jacobian is renewed.
    let renewed = run(&pendulum, TOL, |o| (o.thet, o.quot1, o.quot2) = (-1.0, 0.5, 2.0)).stats;
    assert_eq!(renewed.nedec, renewed.nstep());
}

#[test]
fn newton_options_change_the_iterations() {
    let andrews = problem("andrews");
    let default = run(&andrews, 1e-6, |_| {}).stats;
    for reference in 1..=3 {
        let s = run(&andrews, 1e-6, |o| o.newton_reference = Some(reference)).stats;
        assert_ne!(s.nbsub, default.nbsub, "NWTMAT={reference}");
        // The reference point moves with h: a failure needs a new Jacobian, unlike at x_k.
        assert!(s.njac > s.naccpt, "NWTMAT={reference}: {s:?}");
    }
    let s = run(&andrews, 1e-6, |o| o.zero_start = true).stats;
    assert!(s.nbsub > default.nbsub, "STARTN: {s:?}");
    assert!(default.ncrjct > 0 && default.newton_updates == 0);
    let s = run(&andrews, 1e-6, |o| o.newton_updates = 1).stats;
    assert!(s.newton_updates > 0 && s.ncrjct < default.ncrjct, "NWTUPD: {s:?}");
    let s = run(&andrews, 1e-6, |o| o.nit = 4).stats;
    assert!(s.ncrjct > default.ncrjct, "NIT: {s:?}");
    let s = run(&andrews, 1e-6, |o| o.fnewt = Some(1e-6)).stats;
    assert!(s.nbsub > default.nbsub, "FNEWT: {s:?}");
}

/// Quotients of successive step sizes, the cut at the end left out.
fn step_sizes(problem: &Problem, change: impl FnOnce(&mut Options)) -> Vec<f64> {
    let setup = Setup::new(problem, Form::StrangenessFree, 1e-6).with(change);
    let mut sizes = Vec::new();
    setup
        .observe(problem, &problem.x0, |step| {
            if step.naccpt > 0 && step.t < problem.tend {
                sizes.push(step.h);
            }
        })
        .good(&problem.name);
    sizes
}

#[test]
fn step_size_options_bound_the_steps() {
    let pendulum = problem("pendulum-2.8");
    let default = step_sizes(&pendulum, |_| {});
    assert!(default.iter().any(|&h| h > 0.03));
    assert!(step_sizes(&pendulum, |o| o.hmax = Some(0.03)).iter().all(|&h| h <= 0.03));

    let largest = |sizes: &[f64]| sizes.windows(2).fold(0.0, |m: f64, w| m.max(w[1] / w[0]));
    assert!(largest(&default) > 1.3);
    assert!(largest(&step_sizes(&pendulum, |o| o.facl = 1.1)) <= 1.1 + 1e-12);

    // A factor that may not fall below 0.95 makes rejections come in series.
    let rods = problem("double-pendulum-rods");
    let free = run(&rods, 1e-5, |_| {}).stats;
    let bound = run(&rods, 1e-5, |o| o.facr = 0.95).stats;
    assert!(free.nerjct > 0 && bound.nerjct > free.nerjct, "FACR: {free:?} {bound:?}");

    let default = run(&pendulum, 1e-6, |_| {}).stats;
    let careful = run(&pendulum, 1e-6, |o| o.safe = 0.5).stats;
    assert!(careful.naccpt > default.naccpt, "SAFE: {careful:?}");
    let classical = run(&pendulum, 1e-6, |o| o.controller = Controller::Classical).stats;
    // The predictive controller takes the smaller of both proposals.
    assert!(classical.naccpt < default.naccpt, "PRED: {classical:?}");
}

/// Constant diagonal mass: each structure saves evaluations or multiplications, and nothing else changes.
#[test]
fn mass_structures_save_work() {
    for name in ["pendulum-2.8", "top-nutating"] {
        let problem = problem(name);
        let structures = [
            MassStructure::Full,
            MassStructure::Diagonal,
            MassStructure::ConstantFull,
            MassStructure::ConstantDiagonal,
        ];
        let runs = structures.map(|mass| run(&problem, TOL, |o| o.mass = mass));
        let calls = runs.each_ref().map(|r| r.stats.nmas);
        let products = runs.each_ref().map(|r| r.stats.mass_multiplications);
        println!("{name}: NMAS {calls:?}, multiplications {products:?}");
        assert_eq!(calls[0], calls[1]);
        assert!(calls[1] > 3 * runs[1].stats.nbsub, "every stage has its own");
        assert_eq!(calls[2..], [1, 1]);
        assert!(products[0] > products[1] && products[2] > products[3], "diagonal");
        // A constant matrix saves evaluations, not products.
        assert!(products[0] >= products[2] && products[1] >= products[3], "constant");
        for run in &runs[1..] {
            for (a, b) in run.x.iter().zip(&runs[0].x) {
                assert!((a - b).abs() <= 10.0 * TOL * (1.0 + b.abs()), "{name}: {a} against {b}");
            }
        }
    }
}
