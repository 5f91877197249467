//! Times the pendulum of the report over [0,1000] (`make bench`): wall-clock time per step, error and counters, best of
//! three runs. It informs, it does not judge.

use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::testset;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = testset::by_name("pendulum-horizontal").ok_or("no such problem")?;
    let exact = problem.at_end().ok_or("no closed form")?;
    let options = Options { mass: problem.mass, nmax: 1_000_000, ..Options::default() };
    for tol in [1e-5, 1e-7, 1e-9] {
        let mut best = f64::INFINITY;
        let (mut x, mut stats) = (Vec::new(), Stats::default());
        for _ in 0..3 {
            let mut system = problem.system(Form::StrangenessFree, true);
            let (mut t, mut h) = (problem.t0, 0.01);
            (x, stats) = (problem.x0.clone(), Stats::default());
            let tolerance = Tolerance::scalar(tol, tol);
            let clock = Instant::now();
            let run = Integration {
                system: &mut *system,
                observer: None,
                options: &options,
                tolerance: &tolerance,
            };
            integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats)?;
            best = best.min(clock.elapsed().as_secs_f64());
        }
        let error = exact.iter().filter(|(i, _)| problem.layout(Form::StrangenessFree).x.v.contains(*i));
        let error = error.fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs()));
        let step = 1e6 * best / stats.nstep() as f64;
        println!(
            "pendulum [0,1000], TOL = {tol:.0e}: {best:.3} s, {step:.2} us per step, error of v {error:.1e}"
        );
        println!("  {stats}");
    }
    Ok(())
}
