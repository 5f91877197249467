//! Events: a pendulum that hits a wall in its lowest position and bounces with restitution 0.8.
//!
//!     cargo run --release --example events

mod common;

use common::{pendulum, START};
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::{Ending, Solver};
use geoms::system::Outcome;

/// The wall stands at p1 = 0.
struct Wall;

impl RootFunctions for Wall {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[3];
        Outcome::Continue
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let restitution = 0.8;
    let mut model = pendulum();
    let tolerance = Tolerance::scalar(1e-9, 1e-9);
    let mut solver = Solver::start(&mut model, &Options::default(), &tolerance, (0.0, &START, 0.0))?;
    let rule = Rule { direction: Direction::Falling, terminal: true };
    solver.watch(&mut Wall, &[rule], 0.0)?;
    let (mut bounces, tend) = (0, 6.0);
    while let Ending::Event(hit) = solver.integrate(&mut model, None, Some(&mut Wall), tend)? {
        bounces += 1;
        // The velocity is horizontal there: turn it around, keep the rest. The multiplier is found anew.
        let mut x = solver.x().to_vec();
        let speed = x[1];
        x[1] = -restitution * speed;
        println!("impact {bounces} at t = {:.9} with speed {:.6}", hit.t, speed.abs());
        solver.move_to(&mut model, hit.t, &x)?;
        solver.rewatch(&mut Wall)?;
        // The fall from the height of the support gives v² = 2 g.
        let expected = f64::sqrt(2.0 * 9.81) * f64::powi(restitution, bounces - 1);
        assert!((speed.abs() - expected).abs() < 1e-6, "each impact keeps 0.8 of the speed");
    }
    println!("{} steps, {bounces} impacts up to t = {tend}", solver.stats().naccpt);
    assert!(bounces >= 5);
    Ok(())
}
