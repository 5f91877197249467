//! The generated equations against themselves: a mistake here would look like one of the library.

use crate::generator::{make, Case};
use crate::reference::{initial_state, reference, Motion, SAMPLES};
use crate::system::Equations;
use geoms::layout::Form;
use geoms::system::System;

/// A point off the constraints, in motion.
fn somewhere(case: &Case) -> Vec<f64> {
    let mut x = initial_state(case);
    x.iter_mut().enumerate().for_each(|(i, x)| *x += 0.05 * (1.0 + i as f64).sin());
    x
}

fn rows(equations: &mut Equations, t: f64, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; equations.layout.m];
    let _ = equations.eom(t, x, &mut out);
    out
}

/// The Jacobian is that of the rows.
#[test]
fn derivatives_agree_with_differences() {
    for seed in 1..40 {
        let case = make(seed);
        for form in [Form::StrangenessFree, Form::Index1] {
            let mut e = Equations::new(&case.mechanism, form, true);
            let (x, t) = (somewhere(&case), 0.3);
            let exact = e.derivatives(t, &x);
            for j in 0..e.layout.n {
                let (mut up, mut down) = (x.clone(), x.clone());
                let h = 1e-5 * (1.0 + x[j].abs());
                (up[j], down[j]) = (x[j] + h, x[j] - h);
                let (up, down) = (rows(&mut e, t, &up), rows(&mut e, t, &down));
                for i in 0..e.layout.m {
                    let (slope, value) = ((up[i] - down[i]) / (2.0 * h), exact.get(i, j));
                    let size = 1.0 + up[i].abs() + value.abs();
                    assert!(
                        (slope - value).abs() < 1e-5 * size,
                        "seed {seed} row {i} column {j}: {slope} {value}"
                    );
                }
            }
        }
    }
}

/// gI is the rate of g, gII that of gI and hI that of h along the motion that f_dyn, M and Z describe.
#[test]
fn levels_are_rates_of_each_other() {
    for seed in 1..60 {
        let case = make(seed);
        let mut e = Equations::new(&case.mechanism, Form::StrangenessFree, true);
        let (x, t, h) = (somewhere(&case), 0.3, 1e-5);
        let (at, rda) = (e.layout.x, e.layout.rda);
        let here = rows(&mut e, t, &x);
        let mut a = crate::dense::Matrix::new(e.layout.dims.nv, 1);
        a.a.copy_from_slice(rda.f_dyn.of(&here));
        crate::dense::solve(e.mass_matrix(at.p.of(&x)), &mut a);
        let moved = |h: f64| {
            let mut y = x.clone();
            at.v.of_mut(&mut y).iter_mut().zip(&a.a).for_each(|(v, a)| *v += h * a);
            at.p.of_mut(&mut y).iter_mut().zip(rda.f_kin.of(&here)).for_each(|(p, d)| *p += h * d);
            y
        };
        let (up, down) = (rows(&mut e, t + h, &moved(h)), rows(&mut e, t - h, &moved(-h)));
        let pairs =
            [(rda.g, rda.g_velocity), (rda.g_velocity, rda.g_acceleration), (rda.h, rda.h_acceleration)];
        for (low, high) in pairs {
            for k in 0..low.len() {
                let rate = (up[low.start + k] - down[low.start + k]) / (2.0 * h);
                let value = here[high.start + k];
                assert!(
                    (rate - value).abs() < 1e-5 * (1.0 + value.abs()),
                    "seed {seed} row {k}: {rate} {value}"
                );
            }
        }
    }
}

/// The reference stays on the constraints that it knows only by their second derivatives.
#[test]
fn reference_does_not_drift() {
    let mut judged = 0;
    for seed in [1, 2, 3, 4, 5, 6, 8, 10, 12, 13] {
        let case = make(seed);
        let Motion::Whole(samples) = reference(&case).motion else { continue };
        let e = Equations::new(&case.mechanism, Form::StrangenessFree, true);
        let (p, v) = samples[SAMPLES].split_at(e.layout.dims.np);
        let worst = |rows: Vec<f64>| rows.iter().fold(0.0f64, |m, r| m.max(r.abs()));
        assert!(worst(e.position_rows(case.tend, p)) < 1e-10, "seed {seed}");
        assert!(worst(e.velocity_rows(case.tend, p, v)) < 1e-9, "seed {seed}");
        judged += 1;
    }
    assert!(judged > 5);
}

/// The bound from below of what errors make of the rows, at points on and off the constraints.
#[test]
fn least_scales_lie_below_those_of_the_jacobian() {
    for seed in 1..80 {
        let case = make(seed);
        for form in [Form::StrangenessFree, Form::Index1] {
            let e = Equations::new(&case.mechanism, form, true);
            for x in [initial_state(&case), somewhere(&case)] {
                let (least, slopes) = (e.least_scales(0.3, &x), e.derivatives(0.3, &x));
                let rda = e.layout.rda;
                for i in rda.g.range().chain(rda.rows2.range()).chain(rda.rows1.range()) {
                    let scale: f64 =
                        (0..e.layout.n).map(|j| slopes.get(i, j).abs() * (1.0 + x[j].abs())).sum();
                    assert!(0.0 < least[i] && least[i] <= scale, "seed {seed} row {i}: {} {scale}", least[i]);
                }
            }
        }
    }
}
