//! Variable steps, events, restart.

use crate::harness::*;
use crate::planar::*;
use geoms::events::RootFunctions;
use geoms::gluing::{Glued, Projection, Settings, Stop};
use geoms::system::Outcome;

#[test]
fn errors_follow_the_tolerance() {
    let exact = geoms_problems::by_name("double-pendulum-rods").unwrap();
    let reference: Vec<f64> = exact.references[0].values.iter().map(|v| v.1).collect();
    let b = mild();
    let parts = b.pieces(2);
    for tolerance in [1e-4, 1e-5, 1e-6, 1e-7] {
        let settings = Settings { rtol: tolerance, atol: tolerance, ..Settings::default() };
        let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), settings, 0.0, 1e-3).unwrap();
        assert_eq!(glued.integrate(2.0).unwrap(), Stop::End);
        let error = largest_difference(&motion(&glued, &parts).1, &reference[10..16]);
        let s = glued.statistics();
        println!(
            "tolerance {tolerance:e}: error {error:.2e}, {} steps, {} rejected",
            s.steps, s.rejected_error
        );
        // The local error is of order 3, the global one of order 2.
        let constant = error / f64::powf(tolerance, 2.0 / 3.0);
        assert!((10.0..25.0).contains(&constant), "{constant}");
        assert!(s.rejected_error * 5 < s.steps + 20, "{s:?}");
    }
}

/// Steps are those of the whole system, also if only one subdomain moves.
#[test]
fn one_domain_makes_the_same_steps() {
    let b = mild();
    let runs = [b.all(), b.pieces(2)].map(|parts| {
        let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), Settings::default(), 0.0, 1e-3).unwrap();
        glued.integrate(2.0).unwrap();
        (glued.statistics().steps, glued.statistics().rejected_error, motion(&glued, &parts).1)
    });
    assert_eq!((runs[0].0, runs[0].1), (runs[1].0, runs[1].1));
    assert_near("p", &runs[0].2, &runs[1].2, 1e-10);
}

/// The angle of a body passes a value.
struct Passes {
    at: usize,
    value: f64,
}

impl RootFunctions for Passes {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[self.at] - self.value;
        Outcome::Continue
    }
}

/// The crank of the four-bar has an exact solution: q(t) = π/2 + 2πt - t³/81.
#[test]
fn events_of_any_subdomain_are_met() {
    let b = four_bar();
    let parts = b.pieces(3);
    for (fixed_step, tolerance) in [(true, 3e-3), (false, 1e-4)] {
        let mut assembly = b.cut(&parts, |_| 0, 0);
        // θ of the third body is that of the crank plus π.
        let value = four_bar_angle(0.7).0 + std::f64::consts::PI;
        assembly.events(2, Box::new(Passes { at: 2 + 3 + 2, value }));
        let settings = Settings { fixed_step, rtol: 1e-7, atol: 1e-7, ..Settings::default() };
        let mut glued = Glued::alone(assembly, settings, 0.0, 0.01).unwrap();
        let stop = glued.integrate(2.0).unwrap();
        assert_eq!(stop, Stop::Event { subdomain: 2, index: 0 });
        assert!((glued.time() - 0.7).abs() < tolerance, "{}", glued.time());
        assert!((glued.state(2).unwrap()[7] - value).abs() < 1e-8);
        assert!(glued.statistics().rejected_event > 0);
        // It goes on from there, and the same event does not come twice.
        assert_eq!(glued.integrate(1.0).unwrap(), Stop::End);
        assert_eq!(glued.time(), 1.0);
    }
}

/// Velocities are reversed: the way back is the way there, but for the moment, which is left out.
#[test]
fn restart_from_a_changed_state() {
    let mut b = four_bar();
    b.torque = 0.0;
    let parts = b.pieces(3);
    let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), fixed(Projection::Result), 0.0, 1e-3).unwrap();
    glued.integrate(0.2).unwrap();
    let back: Vec<Vec<f64>> = (0..3)
        .map(|k| {
            let mut x = glued.state(k).unwrap().to_vec();
            let n = x.len();
            x[n - 6..n - 3].iter_mut().for_each(|v| *v = -*v);
            x
        })
        .collect();
    let changed: Vec<(usize, &[f64])> = back.iter().enumerate().map(|(k, x)| (k, &x[..])).collect();
    glued.restart(&changed).unwrap();
    glued.integrate(0.4).unwrap();
    assert_near("p", &motion(&glued, &parts).1, &b.p, 2e-4);
}
