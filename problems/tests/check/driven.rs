//! A pendulum on a driven support, with exact parts and Jacobian: at late times, with fast drives, in all units.

use geoms::check::{check_model, Slip};
use geoms::diagnosis::{check_jacobian, check_parts};
use geoms::integrate::{integrate_and_warn, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, WatchLevel};
use geoms::stats::Stats;
use geoms::system::{JacobianBlocks, Outcome, Parts, System};

const G: f64 = 9.81;

/// The support moves by amplitude·sin(omega (t - start)) in x.
#[derive(Clone, Copy, Debug)]
struct Driven {
    mass: f64,
    length: f64,
    amplitude: f64,
    omega: f64,
    start: f64,
    /// Factors of what PARTS and JAC give: gravity, mass, γ; the block FX5.
    slips: [f64; 4],
    /// Factor of the support's acceleration in gII.
    drive: f64,
}

const RIGHT: [f64; 4] = [1.0; 4];
const SI: Driven =
    Driven { mass: 1.0, length: 1.0, amplitude: 0.3, omega: 3.0, start: 0.0, slips: RIGHT, drive: 1.0 };

impl Driven {
    fn layout(&self) -> Layout {
        Layout::new(self.dimensions(), Form::StrangenessFree)
    }

    /// Support, its velocity and acceleration.
    fn support(&self, t: f64) -> [f64; 3] {
        let (sin, cos) = (self.omega * (t - self.start)).sin_cos();
        let Driven { amplitude: a, omega, .. } = *self;
        [a * sin, a * omega * cos, -a * omega * omega * sin]
    }

    fn gravity(&self) -> f64 {
        -self.mass * G * self.length
    }

    /// λ, v, p: half a radian from below, moving with the support.
    fn state(&self) -> Vec<f64> {
        let [x, v, a] = self.support(self.start);
        let (sin, cos) = 0.5f64.sin_cos();
        let lambda = self.mass * (G * cos - a / self.length * sin) / (2.0 * self.length) * self.length;
        vec![lambda, v, 0.0, x + self.length * sin, -self.length * cos]
    }

    /// r, r' and the support's acceleration.
    fn arm(&self, t: f64, x: &[f64]) -> ([f64; 2], [f64; 2], f64) {
        let [at, speed, acceleration] = self.support(t);
        ([x[3] - at, x[4]], [x[1] - speed, x[2]], acceleration)
    }

    fn tolerance(&self) -> Tolerance {
        let l = self.length;
        Tolerance {
            rtol: vec![1e-6; 5],
            atol: vec![1e-6 * self.mass, 1e-6 * l, 1e-6 * l, 1e-6 * l, 1e-6 * l],
        }
    }

    /// What the checks say of it, one line each.
    fn findings(&mut self) -> Vec<String> {
        let (x, tolerance, t) = (self.state(), self.tolerance(), self.start);
        let report = check_model(self, &Options::default(), &tolerance, t, &x).expect("checked");
        let mut all: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        let jac = check_jacobian(self, &tolerance, t, &x).expect("checked");
        all.extend(jac.mismatches.iter().map(ToString::to_string));
        let parts = check_parts(self, &tolerance, t, &x).expect("checked").expect("parts");
        all.extend(parts.iter().map(ToString::to_string));
        all
    }
}

impl System for Driven {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn form(&self) -> Form {
        Form::StrangenessFree
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (l, (r, s, a)) = (self.layout(), self.arm(t, x));
        let f = [-2.0 * r[0] * x[0], self.gravity() - 2.0 * r[1] * x[0]];
        let square = s[0] * s[0] + s[1] * s[1];
        let second = r[0] * (f[0] / self.mass - self.drive * a) + r[1] * f[1] / self.mass + square;
        l.rda.g_acceleration.of_mut(rda)[0] = 2.0 * second;
        l.rda.g_velocity.of_mut(rda)[0] = 2.0 * (r[0] * s[0] + r[1] * s[1]);
        l.rda.g.of_mut(rda)[0] = r[0] * r[0] + r[1] * r[1] - self.length * self.length;
        l.rda.f_dyn.of_mut(rda).copy_from_slice(&f);
        l.rda.f_kin.of_mut(rda).copy_from_slice(&x[1..3]);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[self.mass, 0.0, 0.0, self.mass]);
        Outcome::Continue
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let (m, (r, s, a)) = (self.mass, self.arm(t, x));
        let f = [-2.0 * r[0] * x[0], self.gravity() - 2.0 * r[1] * x[0]];
        let by_lambda = -4.0 * (r[0] * r[0] + r[1] * r[1]) / m;
        let by_p = |i: usize| 2.0 * (f[i] / m - [a, 0.0][i]) - 4.0 * r[i] * x[0] / m;
        for (to, value) in fx.fx[0].iter_mut().zip([by_lambda, 4.0 * s[0], 4.0 * s[1], by_p(0), by_p(1)]) {
            *to = -value;
        }
        let rates = [2.0 * r[0], 2.0 * r[1], 2.0 * s[0], 2.0 * s[1]];
        fx.fx[1].iter_mut().zip(rates).for_each(|(to, value)| *to = -value);
        fx.fx[2].iter_mut().zip(r).for_each(|(to, r)| *to = -2.0 * r);
        let wrong = self.slips[3];
        for (k, value) in [(0, r[0]), (1, r[1]), (6, x[0]), (9, x[0])] {
            fx.fx[4][k] = wrong * 2.0 * value;
        }
        (fx.fx[5][0], fx.fx[5][3]) = (-1.0, -1.0);
        Outcome::Continue
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        let ((r, s, a), [gravity, heavy, at_rest, _]) = (self.arm(t, x), self.slips);
        let Parts { force, mass, constraint, at_rest: rate, velocity, position } = parts;
        force.into_iter().for_each(|f| f.copy_from_slice(&[0.0, gravity * self.gravity()]));
        mass.into_iter().for_each(|m| (m[0], m[3]) = (heavy * self.mass, self.mass));
        constraint.into_iter().for_each(|c| c.copy_from_slice(&[2.0 * r[0], 2.0 * r[1]]));
        let gamma = 2.0 * (s[0] * s[0] + s[1] * s[1] - r[0] * a);
        rate.into_iter().for_each(|g| g[0] = at_rest * gamma);
        velocity.into_iter().for_each(|g| g[0] = 2.0 * (r[0] * s[0] + r[1] * s[1]));
        let square = self.length * self.length;
        position.into_iter().for_each(|g| g[0] = r[0] * r[0] + r[1] * r[1] - square);
        Some(Outcome::Continue)
    }
}

/// A default run with this method, where what contradicts itself ends it.
fn watched(model: &mut Driven, method: MethodKind, watch: WatchLevel) -> Vec<String> {
    let options = Options { method, watch, ..Options::default() };
    let (tolerance, mut x, mut t, mut h) = (model.tolerance(), model.state(), model.start, 0.0);
    let tend = t + 0.1 / model.omega.max(1.0);
    let mut warnings = Vec::new();
    let run = Integration { system: model, observer: None, options: &options, tolerance: &tolerance };
    let mut warn = |text: &str| warnings.push(text.to_string());
    let ended = integrate_and_warn(run, &mut t, &mut x, &mut h, tend, &mut Stats::default(), &mut warn);
    warnings.extend(ended.err().map(|failure| failure.to_string()));
    warnings
}

/// Differences in time say less the later it is, and the faster the drive.
#[test]
fn right_parts_are_not_accused() {
    for start in [0.0, 1e3, 1e5, 1e7, 1.7e9] {
        for (amplitude, omega) in [(0.3, 3.0), (1e-3, 1e3), (1e-5, 1e5), (0.0, 1.0)] {
            // Late and fast, it turns between two times that can be told apart.
            if omega * start > 1e13 {
                continue;
            }
            let mut model = Driven { amplitude, omega, start, ..SI };
            assert_eq!(model.findings(), Vec::<String>::new(), "{model:?}");
            if omega * start < 1e10 {
                for method in [MethodKind::ByModel, MethodKind::Automatic, MethodKind::Radau] {
                    let told = watched(&mut model, method, WatchLevel::Fail);
                    assert_eq!(told, Vec::<String>::new(), "{model:?} {method:?}");
                }
            }
        }
    }
}

/// What a row is the sum of says what counts as small in it.
#[test]
fn units_hide_no_slip() {
    for (mass, length) in [(1.0, 1.0), (1e-6, 1e-3), (1e-12, 1e-6), (1e-20, 1e-9), (1e6, 1e3)] {
        for start in [0.0, 1e4] {
            let amplitude = 0.3 * length;
            let right = Driven { mass, length, amplitude, start, ..SI };
            assert_eq!({ right }.findings(), Vec::<String>::new(), "{right:?}");
            assert_eq!(watched(&mut { right }, MethodKind::ByModel, WatchLevel::Fail), Vec::<String>::new());
            for (k, part) in
                ["PARTS: f_dyn(2)", "PARTS: M(1,1)", "PARTS: gamma(1)", "FX5: "].iter().enumerate()
            {
                for factor in [-1.0, 0.0, 0.5, 1.001] {
                    let mut slips = RIGHT;
                    slips[k] = factor;
                    let mut model = Driven { slips, ..right };
                    let found = model.findings();
                    let named = found.iter().filter(|f| f.starts_with(part)).count();
                    assert!(named > 0 && named == found.len(), "{model:?}: {found:?}");
                    if k < 3 {
                        let told = watched(&mut model, MethodKind::ByModel, WatchLevel::Warn);
                        assert!(told.iter().any(|w| w.contains(part)), "{model:?}: {told:?}");
                    }
                }
            }
        }
    }
}

/// The rate of gI by time is more than the acceleration of the drive: -r·c'' is one of its terms.
#[test]
fn a_forgotten_acceleration_of_a_drive_is_named() {
    for (mass, length, start) in [(1.0, 1.0, 0.0), (1e-6, 1e-3, 0.0), (1e6, 1e3, 0.3), (1.0, 1.0, 1e4)] {
        for drive in [0.0, -1.0, 0.5, 3.0] {
            let mut model = Driven { mass, length, amplitude: 0.3 * length, start, drive, ..SI };
            let (x, tolerance) = (model.state(), model.tolerance());
            let report =
                check_model(&mut model, &Options::default(), &tolerance, start, &x).expect("checked");
            let [first, others @ ..] = &report.findings[..] else { panic!("{model:?}") };
            assert_eq!(
                (first.row.to_string(), first.slip),
                ("gII(1)".to_string(), Some(Slip::Drive)),
                "{model:?}"
            );
            // JAC has the derivatives of the right row.
            assert!(others.iter().all(|f| f.row == first.row), "{model:?}: {report}");
            // Methods that take γ from PARTS do not use it.
            let told = watched(&mut model, MethodKind::Radau, WatchLevel::Warn);
            assert!(told.iter().any(|w| w.contains("gII(1)")), "{model:?}: {told:?}");
        }
    }
}
/// Steps and the end of a run of 4 s.
fn run(start: f64, method: MethodKind, tol: f64) -> (u64, Vec<f64>) {
    let mut model = Driven { start, ..SI };
    let (options, tolerance) = (Options { method, ..Options::default() }, Tolerance::scalar(tol, tol));
    let (mut x, mut t, mut h, mut stats) = (model.state(), start, 0.0, Stats::default());
    let run = Integration { system: &mut model, observer: None, options: &options, tolerance: &tolerance };
    let ended =
        integrate_and_warn(run, &mut t, &mut x, &mut h, start + 4.0, &mut stats, &mut |w| panic!("{w}"));
    ended.expect("the run succeeds");
    (stats.nstep(), x)
}

/// The rounding of t is noise in the rates, which no step size removes: it neither makes steps short nor adds up over them.
#[test]
fn late_runs_take_no_more_steps() {
    let (_, exact) = run(0.0, MethodKind::Radau, 1e-12);
    for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
        for method in [MethodKind::ByModel, MethodKind::Automatic, MethodKind::Radau] {
            let (early, _) = run(0.0, method, tol);
            let most = early.max(run(0.0, MethodKind::Radau, tol).0);
            for start in [-2.2e9, 1e3, 1e6, 1e8, 1e9, 2.2e9] {
                let (steps, x) = run(start, method, tol);
                let what = format!("{method:?} {tol:e} from {start:e}: {steps} steps, {early} from 0");
                assert!(steps <= most + most / 10 + 2, "{what}");
                // v and p; |v'| stays below 10.
                let error = (1..5).map(|i| (x[i] - exact[i]).abs()).fold(0.0, f64::max);
                let allowed = 30.0 * tol + 10.0 * f64::EPSILON * start.abs() * 10.0;
                assert!(error <= allowed, "{what}: error {error:e}");
            }
        }
    }
}
