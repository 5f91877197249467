//! Positions that are almost singular: lengths that differ by some tolerances leave a gap where the mechanism cannot pass. It locks up,
//! comes back or stays on its branch; it does not go on behind the gap as if there were none.

use crate::long;
use geoms::error::Code;
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Order, WatchLevel};
use geoms_problems::trial::{drive, Run};
use std::f64::consts::PI;

const METHODS: [(&str, MethodKind, Order); 7] = [
    ("order 5", MethodKind::Radau, Order::Five),
    ("order 9", MethodKind::Radau, Order::Nine),
    ("order 13", MethodKind::Radau, Order::Thirteen),
    ("order -1", MethodKind::Radau, Order::Automatic),
    ("method 1", MethodKind::Hht, Order::Nine),
    ("method 4", MethodKind::HalfExplicit, Order::Nine),
    ("method -1", MethodKind::Automatic, Order::Nine),
];

fn tolerances(method: MethodKind) -> Vec<f64> {
    let second = method == MethodKind::Hht;
    let all = if long() { vec![1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10] } else { vec![1e-4, 1e-7, 1e-10] };
    all.into_iter().filter(|tol| !second || *tol > 1e-6).collect()
}

fn forms(method: MethodKind) -> &'static [Form] {
    if method == MethodKind::Radau {
        &[Form::StrangenessFree, Form::Index1]
    } else {
        &[Form::StrangenessFree]
    }
}

fn run<M: Mechanism + 'static>(
    mechanism: M,
    (method, order, form): (MethodKind, Order, Form),
    tol: f64,
    x0: &[f64],
    tend: f64,
) -> Run {
    let options = Options {
        method,
        order,
        form,
        check: CheckLevel::Off,
        watch: WatchLevel::Off,
        mass: MassStructure::ConstantFull,
        consistent: true,
        nmax: 300_000,
        ..Options::default()
    };
    let mut model = Model::new(mechanism, Presented::new(form, true), 0.0, x0);
    drive(&mut model, &options, &Tolerance::scalar(tol, tol), (0.0, x0, 0.0, tend), |_| {})
}

/// Two links of length 1, whose end is driven to X = 2 + ε - (t-1)².
#[derive(Clone, Copy, Debug)]
struct Reach {
    epsilon: f64,
}

impl Reach {
    fn state(&self) -> Vec<f64> {
        let far = 1.0 + self.epsilon;
        let (x, y) = (0.5 * far, (1.0 - 0.25 * far * far).sqrt());
        vec![0.0, 0.0, 0.0, 0.0, 1.0, -x / y, 2.0, 0.0, x, y, far, 0.0]
    }
}

impl Mechanism for Reach {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: 4, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..4).for_each(|i| m[5 * i] = T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        (f[1], f[3]) = (T::real(-1.0), T::real(-1.0));
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
        g[1] = (p[2] - p[0]).sq() + (p[3] - p[1]).sq() - 1.0;
        g[2] = p[2] - (2.0 + self.epsilon) + (t - 1.0).sq();
        g[3] = p[3];
    }
}

/// Elbow of the last point beside that of the side it should be on.
fn elbow_error(reach: Reach, side: f64, run: &Run) -> f64 {
    let at_start = reach.state();
    (run.x[9] - side * at_start[9]).abs().max((run.x[8] - at_start[8]).abs())
}

fn check(what: impl Fn(&Run, f64, f64) -> bool, sign: f64, factors: &[f64]) {
    let mut bad = Vec::new();
    for (name, method, order) in METHODS {
        for &form in forms(method) {
            for tol in tolerances(method) {
                for factor in factors {
                    let epsilon = sign * factor * tol;
                    if epsilon.abs() > 0.1 {
                        continue;
                    }
                    let reach = Reach { epsilon };
                    let run = run(reach, (method, order, form), tol, &reach.state(), 2.0);
                    if !what(&run, epsilon, tol) {
                        let (end, y) = (run.result.as_ref().err().map(|f| f.code), run.x[9]);
                        bad.push(format!("{name} {form:?} {tol:.0e} {factor}: {end:?} t={} y={y}", run.t));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}

/// Below this TOL rounding errors of the velocity in the gap are larger than the tolerance.
const TIGHT: f64 = 1e-8;

fn is_told(code: Code, tol: f64) -> bool {
    code == Code::Lockup || (tol < TIGHT && code == Code::SingularConfiguration)
}

#[test]
fn a_drive_beyond_the_reach_locks_up() {
    let locks_up = |run: &Run, epsilon: f64, tol: f64| {
        let told = run.result.as_ref().is_err_and(|f| is_told(f.code, tol));
        told && run.t < 1.0 && (run.t - (1.0 - epsilon.sqrt())).abs() < 1e-2
    };
    check(locks_up, 1.0, &[10.0, 30.0, 100.0, 1000.0, 1e4]);
}

#[test]
fn a_drive_within_the_reach_comes_back() {
    let comes_back = |run: &Run, epsilon: f64, tol: f64| match &run.result {
        Ok(()) => elbow_error(Reach { epsilon }, 1.0, run) < 1e3 * tol,
        Err(failure) => tol < TIGHT && is_told(failure.code, tol),
    };
    check(comes_back, -1.0, &[10.0, 30.0, 100.0, 1000.0, 1e4]);
}

#[test]
fn a_drive_to_the_reach_passes() {
    let passes = |run: &Run, epsilon: f64, tol: f64| {
        run.result.is_ok() && elbow_error(Reach { epsilon }, -1.0, run) < 1e3 * tol
    };
    check(passes, 1.0, &[0.0, 1e-2]);
}

/// Crank of length 1, rod of length 1 + ε, slider, in free motion: angles of both and the way of the slider.
#[derive(Clone, Copy, Debug)]
struct SliderCrank {
    epsilon: f64,
}

const INERTIA: [f64; 3] = [0.5, 0.3, 0.4];
const START: f64 = 0.5;

impl SliderCrank {
    /// Angle and relative speed of the rod, and speed of the slider, at unit speed of the crank. Beyond the position the rod of length 1
    /// goes on turning.
    fn rod(&self, angle: f64) -> [f64; 3] {
        let (l, s, c) = (1.0 + self.epsilon, angle.sin(), angle.cos());
        if self.epsilon == 0.0 {
            return [angle, 1.0, -2.0 * s];
        }
        let of_rod = (self.epsilon * (2.0 + self.epsilon) + c * c).sqrt();
        [(s / l).asin(), c / of_rod, -s - s * c / of_rod]
    }

    fn energy(&self, angle: f64) -> f64 {
        let [_, rod, slider] = self.rod(angle);
        INERTIA[0] + INERTIA[1] * rod * rod + INERTIA[2] * slider * slider
    }

    fn state(&self) -> Vec<f64> {
        let [rod, speed, slider] = self.rod(START);
        let way = START.cos() + (1.0 + self.epsilon) * rod.cos();
        vec![0.0, 0.0, 1.0, speed, slider, START, rod, way]
    }

    /// Angle of the crank, from its energy. Steps are as short as the way the motion turns on.
    fn angle(&self, tend: f64) -> f64 {
        let whole = self.energy(START);
        let speed = |angle: f64| (whole / self.energy(angle)).sqrt();
        let (mut t, mut angle) = (0.0, START);
        while t < tend {
            let away = ((angle - 0.5 * PI) / PI).round() * PI + 0.5 * PI - angle;
            // Without a gap the motion is smooth.
            let gap = if self.epsilon == 0.0 { 0.1 } else { self.epsilon.sqrt() };
            let h = ((away.abs() + gap) / 100.0).clamp(1e-7, 1e-3).min(tend - t);
            let k1 = speed(angle);
            let k2 = speed(angle + 0.5 * h * k1);
            let k3 = speed(angle + 0.5 * h * k2);
            let k4 = speed(angle + h * k3);
            angle += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
            t += h;
        }
        angle
    }
}

impl Mechanism for SliderCrank {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..3).for_each(|i| m[4 * i] = T::real(INERTIA[i]));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let l = 1.0 + self.epsilon;
        g[0] = p[0].sin() - p[1].sin() * l;
        g[1] = p[2] - p[0].cos() - p[1].cos() * l;
    }
}

#[test]
fn a_rod_that_is_longer_stays_on_its_branch() {
    let (tend, mut bad) = (4.0, Vec::new());
    for (name, method, order) in METHODS {
        for &form in forms(method) {
            for tol in tolerances(method) {
                let mut ended = 0;
                for factor in [0.0, 5.0, 20.0, 100.0, 1000.0] {
                    let bars = SliderCrank { epsilon: factor * tol };
                    let run = run(bars, (method, order, form), tol, &bars.state(), tend);
                    let angle = bars.angle(tend);
                    let error = (run.x[5] - angle).abs().max((run.x[6] - bars.rod(angle)[0]).abs());
                    let what = format!("{name} {form:?} {tol:.0e} {factor}: {error:.1e}");
                    // The error test of method 1 lets errors follow TOL^(2/3), and the motion turns on √ε.
                    let bound = if method == MethodKind::Hht { 0.3 } else { 1e3 * tol };
                    match &run.result {
                        Ok(()) if error < bound => {}
                        Ok(()) => bad.push(what),
                        Err(failure) => {
                            println!("{what} {:?} at {}", failure.code, run.t);
                            ended += 1;
                        }
                    }
                }
                println!("{name} {form:?} {tol:.0e}: {ended} end");
            }
        }
    }
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}
