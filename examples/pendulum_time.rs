//! Times the pendulum of the report over [0,1000] (`make bench`): wall-clock time and counters, best of three runs.

use geoms::integrate::{integrate, Integration};
use geoms::layout::Dimensions;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::stats::Stats;
use geoms::system::{JacobianBlocks, Outcome, System};
use std::time::Instant;

const GRAVITY: f64 = 13.75;

/// x = [ λ | v1 v2 | p1 p2 ], unit mass and length.
struct Pendulum;

impl System for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }

    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (lambda, v1, v2, p1, p2) = (x[0], x[1], x[2], x[3], x[4]);
        rda[0] = 2.0 * (v1 * v1 + v2 * v2) - 2.0 * GRAVITY * p2 - 4.0 * (p1 * p1 + p2 * p2) * lambda;
        rda[1] = 2.0 * (p1 * v1 + p2 * v2);
        rda[2] = p1 * p1 + p2 * p2 - 1.0;
        rda[3] = -2.0 * p1 * lambda;
        rda[4] = -GRAVITY - 2.0 * p2 * lambda;
        rda[5] = v1;
        rda[6] = v2;
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let (lambda, v, p) = (x[0], [x[1], x[2]], [x[3], x[4]]);
        fx.fx[0][0] = 4.0 * (p[0] * p[0] + p[1] * p[1]);
        for i in 0..2 {
            fx.fx[0][1 + i] = -4.0 * v[i];
            fx.fx[0][3 + i] = 8.0 * p[i] * lambda;
            fx.fx[1][i] = -2.0 * p[i];
            fx.fx[1][2 + i] = -2.0 * v[i];
            fx.fx[2][i] = -2.0 * p[i];
            fx.fx[4][i] = 2.0 * p[i];
            fx.fx[4][i + 2 * (3 + i)] = 2.0 * lambda;
            fx.fx[5][i + 2 * i] = -1.0;
        }
        fx.fx[0][4] += 2.0 * GRAVITY;
        Outcome::Continue
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options::default();
    options.set_int("MASSTRCT", 4).map_err(|bad| bad.to_string())?;
    for tol in [1e-5, 1e-7, 1e-9] {
        let tolerance = Tolerance::scalar(tol, tol);
        let mut best = f64::INFINITY;
        let mut stats = Stats::default();
        for _ in 0..3 {
            // Released from the horizontal: the motion has a period of about 2.
            let (mut t, mut h, mut x) = (0.0, 0.01, [0.0, 0.0, 0.0, 1.0, 0.0]);
            stats = Stats::default();
            let run = Integration {
                system: &mut Pendulum,
                observer: None,
                options: &options,
                tolerance: &tolerance,
            };
            let start = Instant::now();
            integrate(run, &mut t, &mut x, &mut h, 1000.0, &mut stats)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        let per_step = 1e6 * best / stats.nstep().max(1) as f64;
        println!("pendulum [0,1000], TOL = {tol:.0e}: {best:.3} s, {per_step:.2} us per step\n  {stats}");
    }
    Ok(())
}
