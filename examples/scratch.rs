use geoms::integrate::*;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::*;
use geoms::stats::Stats;
use geoms::testset::pendulum::{Start, Pendulum};
fn main() {
    for v0 in [2.8, 2.9] {
        for tol in [1e-7, 1e-8, 1e-9] {
            let start = Start { gravity: 13.75, angle: 0.0, rate: v0 };
            let mut sys = Pendulum::new(&start, geoms::testset::model::Options::new(Form::StrangenessFree, true));
            let mut options = Options { mass: MassStructure::ConstantDiagonal, ..Options::default() };
            for (k, v) in std::env::args().skip(1).zip(std::env::args().skip(2)).step_by(2) { options.set_int(&k, v.parse().unwrap()).unwrap(); }
            let mut x = start.exact(0.0);
            let (mut t, mut h) = (0.0, 0.01);
            let mut stats = Stats::default();
            let tolerance = Tolerance::scalar(tol, tol);
            let r = integrate(Integration { system: &mut sys, observer: None, options: &options, tolerance: &tolerance }, &mut t, &mut x, &mut h, 5.0, &mut stats);
            let e = start.exact(5.0);
            let err: Vec<f64> = x.iter().zip(&e).map(|(a, b)| (a - b) / tol).collect();
            println!("{v0} {tol:e} {:?} t={t} h={h:.3e} {stats} pc={} err/tol={err:.2?}", r.map_err(|f| f.to_string()), stats.pivot_changes);
            let (a, b, c) = (3 * stats.nbsub + stats.naccpt == stats.neom, stats.nedec == stats.nstep(), stats.njac == stats.naccpt && stats.npdec == stats.naccpt);
            println!("   identities {a} {b} {c} nsel {}", stats.nsel == 1 + stats.ncrjct + stats.pivot_changes);
        }
    }
}
