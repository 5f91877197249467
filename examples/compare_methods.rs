//! The same model by every method: steps, evaluations, drift of the energy, and what each method does not do.
//!
//!     cargo run --release --example compare_methods

mod common;

use common::{pendulum, START};
use geoms::integrate::{integrate, Integration};
use geoms::methods::features::METHODS;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:38} {:>8} {:>6} {:>8} {:>12}", "method", "TOL", "steps", "EOM", "energy");
    for method in &METHODS {
        for tol in [1e-4, 1e-8] {
            let mut model = pendulum();
            let options = Options { method: method.kind, ..Options::default() };
            let tolerance = Tolerance::scalar(tol, tol);
            let (mut t, mut x, mut h, mut stats) = (0.0, START, 0.0, Stats::default());
            let run =
                Integration { system: &mut model, observer: None, options: &options, tolerance: &tolerance };
            integrate(run, &mut t, &mut x, &mut h, 10.0, &mut stats)?;
            let energy = 0.5 * (x[1] * x[1] + x[2] * x[2]) + 9.81 * x[4];
            println!("{:38} {tol:8.0e} {:6} {:8} {energy:12.1e}", method.name, stats.nstep(), stats.neom);
            assert!((x[3] * x[3] + x[4] * x[4] - 1.0).abs() < 1e-6, "{} stays on the circle", method.name);
        }
    }
    for method in &METHODS {
        let missing: Vec<&str> =
            method.rows().into_iter().filter(|(_, how)| how == "no").map(|(what, _)| what).collect();
        println!(
            "{}: without {}",
            method.name,
            if missing.is_empty() { "-".into() } else { missing.join(", ") }
        );
    }
    Ok(())
}
