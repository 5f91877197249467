//! Random parallelograms: none leaves its branch, none fails, wherever it begins.

use crate::long;
use crate::mechanisms::Parallelogram;
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Order, Singular};
use geoms_problems::trial::{drive, Run};
use std::f64::consts::PI;

/// Numbers in [0, 1): a linear congruential generator.
pub struct Draw(pub u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// Speed with which the crank turns all the way round.
fn lively(bars: &Parallelogram, draw: &mut Draw) -> f64 {
    let crank = bars.crank();
    let sign = if draw.unit() < 0.5 { -1.0 } else { 1.0 };
    sign * (draw.between(0.2, 3.0) + 2.0 * (1.3 * crank.weight / crank.inertia).sqrt())
}

fn options(method: MethodKind, order: Order) -> Options {
    let check = CheckLevel::Off;
    Options {
        method,
        order,
        check,
        consistent: true,
        mass: MassStructure::ConstantFull,
        ..Options::default()
    }
}

fn run(bars: &Parallelogram, options: &Options, tol: f64, start: [f64; 2], tend: f64) -> Run {
    let x0 = bars.state(start[0], start[1]);
    let mut system = bars.model(options.form, true, &x0);
    drive(system.as_mut(), options, &Tolerance::scalar(tol, tol), (0.0, &x0, 0.0, tend), |_| {})
}

/// Error of p beside the exact solution; 1 or more off the branch.
fn error(bars: &Parallelogram, run: &Run, start: [f64; 2], tend: f64) -> f64 {
    let end = bars.crank().swing(start, tend);
    let exact = bars.state(end[0], end[1]);
    let first = exact.len() - 4;
    exact[first..].iter().zip(&run.x[first..]).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

#[test]
fn random_parallelograms_stay_on_their_branch() {
    let mut draw = Draw(17);
    let (mut bad, mut worst) = (Vec::new(), 0.0f64);
    let count = if long() { 200 } else { 60 };
    for k in 0..count {
        let bars = Parallelogram::plain(
            draw.between(0.3, 2.0),
            draw.between(0.3, 3.0),
            draw.between(0.0, 2.0 * PI),
            [draw.between(0.2, 5.0), draw.between(0.2, 5.0), draw.between(0.2, 5.0)],
        );
        let rate = lively(&bars, &mut draw);
        // Anywhere, or within some distance of the rank loss, or in it.
        let away = [1.0, 1e-4, 1e-8, 1e-12, 0.0][k % 5];
        let side = PI * f64::from(u8::from(draw.unit() < 0.5));
        let theta = bars.angle + side + away * draw.between(-1.0, 1.0);
        let methods = [
            (MethodKind::Radau, Order::Nine),
            (MethodKind::Radau, Order::Five),
            (MethodKind::HalfExplicit, Order::Nine),
            (MethodKind::Hht, Order::Nine),
        ];
        for (method, order) in methods {
            let tol = if k % 2 == 0 { 1e-6 } else { 1e-4 };
            let options = options(method, order);
            let run = run(&bars, &options, tol, [theta, rate], 3.0);
            let what = format!("{k} {method:?} {order:?} {tol:e} from {away:e}");
            match &run.result {
                Err(failure) => bad.push(format!("{what}: {}", failure.to_string().replace('\n', ";"))),
                Ok(()) => {
                    let error = error(&bars, &run, [theta, rate], 3.0);
                    if method != MethodKind::Hht {
                        worst = worst.max(error / tol);
                    }
                    let bound = if method == MethodKind::Hht { 0.3 } else { 2000.0 * tol };
                    if error > bound {
                        bad.push(format!("{what}: error {error:.2e}"));
                    }
                }
            }
        }
    }
    println!("largest error beside TOL: {worst:.1e}");
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}

/// A four-bar whose second crank is a little longer has no rank loss: behind the position near it the other component of its
/// configurations lies as close as the difference; it is not jumped to.
#[test]
fn nearly_parallelograms_go_their_own_way() {
    let plain = Parallelogram::plain(1.0, 1.5, 0.3, [1.0, 0.7, 1.4]);
    let (start, tend) = ([1.3, -6.0], 0.4);
    let mut bad = Vec::new();
    for longer in [1e-1, 1e-2, 1e-3, -1e-2, -1e-3] {
        let bars = Parallelogram { longer, ..plain };
        let go = |options: Options, tol: f64| {
            run(&bars, &Options { nmax: 1_000_000, ..options }, tol, start, tend)
        };
        let careful = Options { singular: Singular::Stop, ..options(MethodKind::Radau, Order::Nine) };
        let known = [1e-10, 1e-11].map(|tol| go(careful.clone(), tol).good("reference").x);
        let far = |a: &[f64], b: &[f64]| (7..11).fold(0.0f64, |m, i| m.max((a[i] - b[i]).abs()));
        println!("{longer:e}: reference {:?} to {:.1e}", &known[1][7..11], far(&known[0], &known[1]));
        for (method, order) in [
            (MethodKind::Radau, Order::Nine),
            (MethodKind::Radau, Order::Five),
            (MethodKind::Radau, Order::Thirteen),
            (MethodKind::HalfExplicit, Order::Nine),
            (MethodKind::Automatic, Order::Nine),
        ] {
            for tol in [1e-4, 1e-6, 1e-8] {
                let run = go(options(method, order), tol);
                let error = far(&run.x, &known[1]);
                let critical = run.stats.critical_steps;
                let what =
                    format!("{longer:e} {method:?} {order:?} {tol:e}: {error:.1e}, {critical} critical");
                println!("{what} {:?}", run.result.as_ref().err().map(|f| f.code));
                if run.result.is_err() || error > 100.0 * tol {
                    bad.push(what);
                }
            }
        }
    }
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}
