//! A run that is written to a file, read by another program and goes on bit for bit.
//!
//!     cargo run --release --example save

mod common;

use common::{pendulum, START};
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::Solver;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, tolerance) = (Options::default(), Tolerance::scalar(1e-8, 1e-8));
    let mut model = pendulum();
    let mut whole = Solver::start(&mut model, &options, &tolerance, (0.0, &START, 0.0))?;
    for _ in 0..20 {
        whole.step(&mut model, 10.0)?;
    }
    let file = std::env::temp_dir().join(format!("geoms-save-{}", std::process::id()));
    std::fs::write(&file, whole.save())?;
    println!(
        "saved at t = {:.6} after {} steps, {} bytes",
        whole.t(),
        whole.stats().naccpt,
        whole.save().len()
    );
    whole.integrate(&mut model, None, None, 10.0)?;

    // Somewhere else, some time later: the same model, options and tolerances.
    let mut model = pendulum();
    let mut resumed = Solver::resume(&mut model, &options, &tolerance, &std::fs::read(&file)?)?;
    std::fs::remove_file(&file)?;
    resumed.integrate(&mut model, None, None, 10.0)?;
    println!("p1 = {:.17} and {:.17}", whole.x()[3], resumed.x()[3]);
    assert_eq!(
        (whole.x(), whole.stats()),
        (resumed.x(), resumed.stats()),
        "the same bits, the same counters"
    );
    Ok(())
}
