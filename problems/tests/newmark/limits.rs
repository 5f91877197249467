//! The stiff pendulum of the paper: a massless angle, so that M is singular, driven by T₀ sin 0.1t. Numbers after it: our own prototype
//! in another language.

use crate::harness::{fixed, run};
use geoms::layout::Form;
use geoms::options::{MassStructure, NewmarkScheme, Options};
use geoms::solver::Solver;
use geoms_problems::classical::Classical;
use geoms_problems::singular_mass::SingularMass;
use geoms_problems::{derived, Model};

const ANGLE: usize = 7;

fn model(amplitude: f64) -> (Model<SingularMass>, Vec<f64>) {
    let mechanism = SingularMass { amplitude };
    let x0 = mechanism.state(0.0, 0.0, 0.0);
    (Model::new(mechanism, derived::Options::new(Form::StrangenessFree, true), 0.0, &x0), x0)
}

fn options(scheme: NewmarkScheme) -> Options {
    Options { mass: MassStructure::ConstantDiagonal, ..fixed(scheme) }
}

/// Largest angle over 200 s, and the run.
fn largest(scheme: NewmarkScheme, h: f64, amplitude: f64) -> (f64, Solver) {
    let (mut system, x0) = model(amplitude);
    let mut most = 0.0f64;
    let look = |_: &mut dyn geoms::system::System, s: &Solver| most = most.max(s.x()[ANGLE].abs());
    let tend = (200.0 / h).round().max(1.0) * h;
    let solver = run(&mut system, &options(scheme), (&x0, h, tend), look).expect("a run");
    println!("{scheme:?} h {h}: largest angle {most:.4e}, stable step {:?}", solver.measure("stable_step"));
    (most, solver)
}

#[test]
fn fox_goodwin_is_stable_up_to_the_limit_that_the_monitor_gives() {
    for (h, expected) in [(0.1, 1.0540e-2), (0.6, 1.0693e-2), (0.7, 1.0941e-2), (0.78, 1.4310e-2)] {
        let (most, solver) = largest(NewmarkScheme::FoxGoodwin, h, 0.1);
        assert!((most / expected - 1.0).abs() < 1e-3, "h = {h}: {most}");
        let limit = solver.measure("stable_step").expect("measured");
        // √6/ω with ω² = 9.8 cos θ.
        assert!((limit - 0.78246).abs() < 1e-4, "{limit}");
        assert!((solver.measure("LARGEST_FREQUENCY").unwrap() - 9.8f64.sqrt()).abs() < 1e-4);
    }
    let (most, _) = largest(NewmarkScheme::FoxGoodwin, 0.79, 0.1);
    assert!(most > 0.2, "{most}");
}

#[test]
fn the_trapezoidal_rule_is_good_at_six_seconds() {
    for (h, expected) in [(0.1, 1.0540e-2), (0.7, 1.0511e-2), (0.79, 1.0541e-2)] {
        let (most, solver) = largest(NewmarkScheme::Trapezoidal, h, 0.1);
        assert!((most / expected - 1.0).abs() < 1e-3, "h = {h}: {most}");
        assert_eq!(solver.measure("stable_step"), Some(f64::INFINITY));
    }
    let (mut system, x0) = model(0.1);
    let mut most = 0.0f64;
    let look = |_: &mut dyn geoms::system::System, s: &Solver| most = most.max(s.x()[ANGLE].abs());
    run(&mut system, &options(NewmarkScheme::Trapezoidal), (&x0, 6.0, 240.0), look).expect("a run");
    assert!((most / 1.0483e-2 - 1.0).abs() < 1e-3, "{most}");
}

/// The scheme on positions alone.
fn classical(beta: f64, h: f64, amplitude: f64) -> (f64, f64) {
    let (mut system, x0) = model(amplitude);
    let mut run = Classical::new(&mut system, (beta, 0.5), &x0);
    let mut most = 0.0f64;
    while run.t < 200.0 - 1e-9 {
        if !run.step(h) {
            return (run.t, f64::INFINITY);
        }
        most = most.max(run.x[ANGLE].abs());
    }
    (run.t, most)
}

#[test]
fn a_torque_of_nine_is_solved_where_the_classical_scheme_fails() {
    let (most, solver) = largest(NewmarkScheme::Trapezoidal, 0.1, 9.0);
    assert!((solver.x()[ANGLE] - 0.998_509).abs() < 1e-6, "{}", solver.x()[ANGLE]);
    assert!(most < 1.5);
    // The double is the scheme it is said to be: with a small torque it solves the problem ...
    let (_, small) = classical(0.25, 0.1, 0.1);
    assert!((small / 1.054e-2 - 1.0).abs() < 1e-3, "{small}");
    // ... with a torque of nine it is lost, and so is Fox-Goodwin with any.
    let (t, nine) = classical(0.25, 0.1, 9.0);
    println!("classical trapezoidal rule, 9 N·m: t = {t}, largest angle {nine:.3e}");
    assert!(nine > 100.0, "{nine}");
    let (t, lost) = classical(1.0 / 12.0, 0.1, 0.1);
    assert!(lost > 100.0 && t < 3.0, "{t} {lost}");
}
