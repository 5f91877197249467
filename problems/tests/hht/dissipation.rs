//! Numerical dissipation: energy loss, spectral radius at infinity, and what happens without it.

use crate::harness::{drive, fixed_system, options, problem};
use geoms::error::Code;
use geoms::layout::Dimensions;
use geoms::norm::Tolerance;
use geoms::options::{Family, MassStructure, MethodKind, Options};
use geoms::system::{Outcome, System};

/// Energy of the pendulum at the end of [0, 20], relative to nothing: it begins with 0.
fn energy(alpha: f64, steps: u32) -> Result<f64, Code> {
    let mut problem = problem("pendulum-iftomm");
    problem.tend = 20.0;
    let options = Options { dissipation: Some(alpha), ..options(&problem) };
    let run = crate::harness::fixed(&problem, &options, steps);
    run.result.map_err(|f| f.code)?;
    let (v, p) = (&run.x[1..3], &run.x[3..5]);
    Ok(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * p[1])
}

/// Values computed independently; the loss is of third order.
#[test]
fn energy_loss_is_of_third_order() {
    for (alpha, expected) in [
        (-0.05, [-1.8266e-3, -2.3478e-4]),
        (-0.1, [-3.2361e-3, -4.1217e-4]),
        (-0.3, [-5.8226e-3, -7.3738e-4]),
        (-1.0 / 3.0, [-5.8651e-3, -7.4254e-4]),
    ] {
        let found = [2000, 4000].map(|steps| energy(alpha, steps).unwrap());
        let order = (found[0] / found[1]).log2();
        println!("energy loss, alpha {alpha:6.3}: {:.4e} {:.4e}, order {order:.2}", found[0], found[1]);
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-4 * expected.abs(),
                "alpha {alpha}: {found} against {expected}"
            );
        }
        assert!((2.9..=3.05).contains(&order), "alpha {alpha}: order {order}");
    }
}

/// Without dissipation errors of λ grow until Newton's method fails; the options say so beforehand.
#[test]
fn without_dissipation() {
    for steps in [2000, 4000] {
        assert_eq!(energy(1.0, steps), Err(Code::NewtonDiverges), "{steps} steps");
    }
    // An interval of two seconds is still possible, but λ has lost what p has kept: see the column of λ.
    let mut problem = problem("pendulum-iftomm");
    problem.tend = 2.0;
    let exact = (problem.exact.clone().unwrap())(2.0);
    let errors = |alpha: f64| {
        let run =
            crate::harness::fixed(&problem, &Options { dissipation: Some(alpha), ..options(&problem) }, 200);
        let x = run.good("two seconds").x;
        ((x[3] - exact[3]).hypot(x[4] - exact[4]), (x[0] - exact[0]).abs())
    };
    let ((p_undamped, undamped), (p_damped, damped)) = (errors(1.0), errors(-0.3));
    println!("alpha 0: error of p {p_undamped:.1e}, of lambda {undamped:.1e}; alpha -0.3: {p_damped:.1e}, {damped:.1e}");
    assert!(p_undamped < p_damped && undamped > 5.0 * damped);

    let hht = Options { method: MethodKind::Hht, ..Options::of_call() };
    assert_eq!(hht.caution(), None);
    assert_eq!(Options { dissipation: Some(-0.05), ..hht.clone() }.caution(), None);
    assert!(Options { dissipation: Some(1.0), ..hht.clone() }.caution().unwrap().contains("weakly stable"));
    let family = Family::GeneralizedAlpha;
    assert!(Options { dissipation: Some(1.0), family, ..hht.clone() }.caution().is_some());
    assert_eq!(Options { dissipation: Some(0.9), family, ..hht }.caution(), None);
}

/// p'' = -k p.
struct Oscillator(f64);

impl System for Oscillator {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 1, nv: 1, ..Dimensions::default() }
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        rda.copy_from_slice(&[-self.0 * x[1], x[0]]);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass[0] = 1.0;
        Outcome::Continue
    }
}

/// Rate at which a stiff oscillation dies out, from steps 100 to 300.
fn decay(family: Family, dissipation: f64) -> f64 {
    let options = Options {
        method: MethodKind::Hht,
        mass: MassStructure::ConstantDiagonal,
        family,
        dissipation: Some(dissipation),
        fixed_step: true,
        ..Options::of_call()
    };
    let mut sizes = Vec::new();
    let start = (0.0, &[0.0, 1e-12][..], 1.0, 300.0);
    drive(&mut Oscillator(1e12), &options, &Tolerance::scalar(1e-10, 1e-10), start, |step| {
        sizes.push(step.x[0].abs());
    })
    .good("oscillator");
    // The largest of ten steps: an oscillation may pass through zero.
    let around = |k: usize| sizes[k..k + 10].iter().fold(0.0f64, |m, v| m.max(*v));
    (around(290) / around(100)).powf(1.0 / 190.0)
}

#[test]
fn spectral_radius_at_infinity() {
    for alpha in [-0.05, -0.1, -0.2, -0.3, -1.0 / 3.0] {
        let (found, expected) = (decay(Family::Hht, alpha), (1.0 + alpha) / (1.0 - alpha));
        println!(
            "alpha {alpha:6.3}: spectral radius at infinity {found:.4}, (1+alpha)/(1-alpha) = {expected:.4}"
        );
        assert!((found - expected).abs() < 0.01, "alpha {alpha}: {found} against {expected}");
    }
    for radius in [0.3, 0.5, 0.8, 0.95] {
        let found = decay(Family::GeneralizedAlpha, radius);
        println!("generalised-alpha {radius}: spectral radius at infinity {found:.4}");
        assert!((found - radius).abs() < 0.02, "{found} against {radius}");
    }
}

/// An oscillator with moderate steps keeps its phase and amplitude: nothing but high frequencies is damped.
#[test]
fn low_frequencies_are_kept() {
    let options =
        Options { method: MethodKind::Hht, mass: MassStructure::ConstantDiagonal, ..Options::of_call() };
    let run = fixed_system(&mut Oscillator(1.0), &options, &[0.0, 1.0], 10.0, 2000).good("oscillator");
    let amplitude = run.x[0].hypot(run.x[1]);
    assert!((amplitude - 1.0).abs() < 1e-6, "{amplitude}");
}
