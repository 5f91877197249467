//! Impacts: an event, other velocities, and on from there. Times are those of free flight.

use crate::joints::{body, joint, part};
use geoms::events::RootFunctions;
use geoms::gluing::transport::Alone;
use geoms::gluing::{Assembly, Glued, Law, Projection, Settings, Stop};
use geoms::system::Outcome;

const G: f64 = 9.81;

/// Height of a body over a floor.
struct Height(f64);

impl RootFunctions for Height {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[4] - self.0;
        Outcome::Continue
    }
}

/// Two bodies on a level bar fall from a height of 1; floors of those that are watched.
fn falling(floors: [Option<f64>; 2]) -> Assembly<'static> {
    let mut assembly = Assembly::new();
    for x in [0.0, 1.0] {
        let body = body([x, 1.0, 0.0], [0.0; 3], [1.0, 0.1], G);
        assembly.subdomain(0, Some(part(body, &[[0.0, 0.0]])));
    }
    assembly.join(joint((0, 0), (1, 0), Law::Distance { dimension: 2, length: 1.0 }));
    for (k, floor) in floors.into_iter().enumerate() {
        if let Some(floor) = floor {
            assembly.events(k, Box::new(Height(floor)));
        }
    }
    assembly
}

/// Both velocities are turned round, times `factor`.
fn bounce(glued: &mut Glued<'_>, factor: f64) {
    let turned = [0, 1].map(|k| {
        let mut x = glued.state(k).unwrap().to_vec();
        x[1] *= -factor;
        x
    });
    glued.restart(&[(0, &turned[0]), (1, &turned[1])]).unwrap();
}

fn variable(tol: f64) -> Settings {
    Settings { rtol: tol, atol: tol, ..Settings::default() }
}

/// A step may be as long as a whole flight, and longer.
#[test]
fn elastic_impacts_come_again_and_again() {
    let first = (2.0 / G).sqrt();
    let fixed = Settings { fixed_step: true, ..Settings::default() };
    for (settings, h) in [(variable(1e-6), 1e-3), (fixed.clone(), 0.01), (fixed.clone(), 0.6), (fixed, 1.0)] {
        let mut glued = Glued::alone(falling([Some(0.0), None]), settings, 0.0, h).unwrap();
        for n in 0..6 {
            let stop = glued.integrate(10.0).unwrap();
            assert_eq!(stop, Stop::Event { subdomain: 0, index: 0 });
            let exact = first * f64::from(2 * n + 1);
            assert!((glued.time() - exact).abs() < 1e-8, "h {h}, impact {n}: {} {exact}", glued.time());
            bounce(&mut glued, 1.0);
        }
    }
}

/// Each flight is 0.6 times as long as the last one: the steps are soon longer than the flights.
#[test]
fn inelastic_impacts() {
    let first = (2.0 / G).sqrt();
    let mut glued = Glued::alone(falling([Some(0.0), None]), variable(1e-6), 0.0, 1e-3).unwrap();
    let (mut exact, mut flight) = (first, 2.0 * first);
    for n in 0..12 {
        assert!(matches!(glued.integrate(10.0).unwrap(), Stop::Event { .. }), "impact {n}");
        assert!((glued.time() - exact).abs() < 1e-6, "impact {n}: {} {exact}", glued.time());
        bounce(&mut glued, 0.6);
        flight *= 0.6;
        exact += flight;
    }
}

/// Of events at the same instant, and within the accuracy of its time, all are told, and none of them comes again.
#[test]
fn events_at_the_same_instant() {
    for apart in [0.0, 2e-11, -2e-11] {
        let mut glued = Glued::alone(falling([Some(0.0), Some(apart)]), variable(1e-6), 0.0, 1e-3).unwrap();
        assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
        assert_eq!(glued.events(), [(0, 0), (1, 0)], "{apart}");
        bounce(&mut glued, 1.0);
        assert_eq!(glued.integrate(1.0).unwrap(), Stop::End);
        assert_eq!(glued.events(), []);
        assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
        assert_eq!(glued.events(), [(0, 0), (1, 0)], "{apart}");
        // Without an impact they fall on.
        assert_eq!(glued.integrate(3.0).unwrap(), Stop::End);
    }
    let mut glued = Glued::alone(falling([Some(0.0), Some(0.1)]), variable(1e-6), 0.0, 1e-3).unwrap();
    for subdomain in [1, 0] {
        assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain, index: 0 });
        assert_eq!(glued.events(), [(subdomain, 0)]);
    }
}

/// A restart at an event, elsewhere: the sign that is there counts.
#[test]
fn lifted_after_an_event() {
    let mut glued = Glued::alone(falling([Some(0.0), None]), variable(1e-6), 0.0, 1e-3).unwrap();
    assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
    let before = glued.time();
    let lifted = [0, 1].map(|k| {
        let mut x = glued.state(k).unwrap().to_vec();
        (x[1], x[4]) = (0.0, 0.5);
        x
    });
    glued.restart(&[(0, &lifted[0]), (1, &lifted[1])]).unwrap();
    assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
    assert!((glued.time() - before - (1.0 / G).sqrt()).abs() < 1e-8, "{} {before}", glued.time());
}

/// Started on the floor and thrown: the start is no event, the return is.
#[test]
fn thrown_from_the_floor() {
    for h in [1e-3, 0.5, 1.0] {
        let thrown = body([0.0; 3], [0.0, 2.0, 0.0], [1.0, 0.1], G);
        let settings = Settings { fixed_step: true, project: Projection::None, ..Settings::default() };
        let mut assembly = Assembly::new();
        assembly.subdomain(0, Some(part(thrown, &[])));
        assembly.events(0, Box::new(Height(0.0)));
        let mut glued = Glued::alone(assembly, settings, 0.0, h).unwrap();
        assert_eq!(glued.integrate(2.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
        assert!((glued.time() - 4.0 / G).abs() < 1e-8, "{h}: {}", glued.time());
    }
}

/// Saved at an event and after the impact: the rest is the same, bit for bit.
#[test]
fn saved_at_an_event() {
    let mut glued = Glued::alone(falling([Some(0.0), None]), variable(1e-6), 0.0, 1e-3).unwrap();
    glued.integrate(2.0).unwrap();
    for again in [true, false] {
        let saved = glued.save();
        let transport = Box::new(Alone);
        let mut other =
            Glued::prepare(falling([Some(0.0), None]), transport, variable(1e-6), 0.0, 1e-3).unwrap();
        other.restore(&saved).unwrap();
        if again {
            bounce(&mut other, 1.0);
            bounce(&mut glued, 1.0);
        }
        for run in [&mut glued, &mut other] {
            assert_eq!(run.integrate(10.0).unwrap(), Stop::Event { subdomain: 0, index: 0 });
        }
        assert_eq!(glued.time(), other.time());
        assert_eq!(glued.state(0), other.state(0));
        if again {
            bounce(&mut glued, 1.0);
        }
    }
}
