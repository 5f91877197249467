//! Messages that lead to the mistake.

use super::handle::Solver;
use geoms::check::{check_model, tailored};
use geoms::error::{Code, Failure};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{in_names, CheckLevel, Options, WatchLevel};
use geoms::stats::Stats;
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems as testset;

/// A pendulum, spoilt as the number says.
#[derive(Clone, Copy)]
struct Pendulum {
    gi: f64,
    speeding: f64,
    /// Row that becomes NaN beyond this time.
    nan: Option<(usize, f64)>,
}

const RIGHT: Pendulum = Pendulum { gi: 1.0, speeding: 1.0, nan: None };
const START: [f64; 5] = [0.0, 0.0, 0.0, 1.0, 0.0];

impl System for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (lambda, v, p) = (x[0], [x[1], x[2]], [x[3], x[4]]);
        let f = [-2.0 * p[0] * lambda, -9.81 - 2.0 * p[1] * lambda];
        rda[0] = 2.0 * (v[0] * v[0] + v[1] * v[1] + self.speeding * (p[0] * f[0] + p[1] * f[1]));
        rda[1] = self.gi * 2.0 * (p[0] * v[0] + p[1] * v[1]);
        rda[2] = p[0] * p[0] + p[1] * p[1] - 1.0;
        rda[3..5].copy_from_slice(&f);
        rda[5..7].copy_from_slice(&v);
        if let Some((row, after)) = self.nan {
            if t >= after {
                rda[row] = f64::NAN;
            }
        }
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }
}

fn run(model: Pendulum, x: &[f64]) -> (i32, String, String, String) {
    let solver = Solver::new(Box::new(model), Form::StrangenessFree);
    let code = match solver.start(0.0, x) {
        0 => solver.integrate(3.0),
        code => code,
    };
    let error = solver.error();
    assert!(code == 0 || code == error.0);
    (code, error.1, error.2, error.3)
}

#[test]
fn the_right_one_runs() {
    assert_eq!(run(RIGHT, &START).0, 0);
}

#[test]
fn a_factor_of_gi_is_the_message_of_the_run_that_it_ends() {
    // With the JAC of the right model Newton's method meets the factor.
    let problem = testset::by_name("pendulum-2.8").expect("problem");
    let system = Tripled(problem.system(Form::StrangenessFree, true));
    let solver = Solver::new(Box::new(system), Form::StrangenessFree);
    assert_eq!(solver.start(0.0, &problem.x0), 0);
    let code = solver.integrate(5.0);
    let (_, _, advice, report) = solver.error();
    assert_eq!(code, -1116, "{report}");
    assert!(
        report.contains("check: gI(1) against the rate of g(1)") && report.contains("factor of 3"),
        "{report}"
    );
    assert!(advice.starts_with("Mend the model first: gI(1)"), "{advice}");
    // The advice does not speak of a JAC that there is not.
    let failure = Failure::new(Code::NewtonDiverges, "");
    assert!(failure.advice().starts_with("Check JAC"));
    let advice = in_names(tailored(failure, &mut RIGHT.clone()).advice());
    assert!(
        advice.contains("no JAC") && advice.contains("\"startn\" = 1") && !advice.contains("IOPT"),
        "{advice}"
    );
}

/// A model that jumps with every evaluation, without JAC.
struct Restless(u32);

impl System for Restless {
    fn dimensions(&self) -> Dimensions {
        RIGHT.dimensions()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let outcome = { RIGHT }.eom(t, x, rda);
        rda[1] += if t > 0.1 { f64::from(self.0 >> 8) * 1e-6 } else { 0.0 };
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        { RIGHT }.mass(t, x, mass)
    }
}

#[test]
fn a_model_without_a_jacobian_hears_nothing_of_one() {
    let solver = Solver::new(Box::new(Restless(0)), Form::StrangenessFree);
    assert_eq!(solver.start(0.0, &START), 0);
    let code = solver.integrate(5.0);
    let (_, _, advice, report) = solver.error();
    assert_eq!(code, -1116, "{report}");
    assert!(!report.contains("Check JAC") && !advice.contains("Check JAC"), "{report}");
}

/// gI three times what it should be, with the JAC of the right one.
struct Tripled(Box<dyn System + Send>);

impl System for Tripled {
    fn dimensions(&self) -> Dimensions {
        self.0.dimensions()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.0.eom(t, x, rda);
        rda[1] *= 3.0;
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.0.mass(t, x, mass)
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.0.jacobian(t, x, fx)
    }
}

#[test]
fn inconsistent_velocities_are_named_with_every_level() {
    let mut x = START;
    x[1] = 0.5;
    let (code, detail, _, report) = run(RIGHT, &x);
    assert_eq!(code, -1105, "{report}");
    for level in ["g(1) = ", "gI(1) = 1.000e0", "gII(1) = "] {
        assert!(detail.contains(level), "{detail}");
    }
    assert!(report.contains("component: gI(1)"), "{report}");
}

#[test]
fn a_model_without_conditions_hears_nothing_of_conditions() {
    // gII without v' cannot be satisfied by any multiplier.
    let mut x = START;
    x[2] = 1.0;
    let (code, _, advice, report) = run(Pendulum { speeding: 0.0, ..RIGHT }, &x);
    assert!(code < 0, "{report}");
    assert!(!report.contains("IVCOND") && !report.contains("onditions of"), "{report}");
    assert!(report.contains("check: gII(1)") && report.contains("the term with v' is missing"), "{report}");
    assert!(advice.contains("gII(1)"), "{advice}");
}

#[test]
fn nan_names_its_row() {
    let (code, detail, _, report) = run(Pendulum { nan: Some((4, 0.0)), ..RIGHT }, &START);
    assert_eq!(code, -2101, "{report}");
    assert!(detail.contains("f_dyn(2) = NaN"), "{detail}");
    let (code, detail, _, report) = run(Pendulum { nan: Some((1, 1.0)), ..RIGHT }, &START);
    assert_eq!(code, -1107, "{report}");
    assert!(detail.contains("gI(1) = NaN"), "{detail}");
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let mut model = Pendulum { nan: Some((2, 0.0)), ..RIGHT };
    let failure = check_model(&mut model, &Options::default(), &tolerance, 1.0, &START).expect_err("NaN");
    assert!(failure.detail.contains("g(1) = NaN"), "{failure}");
}

#[test]
fn the_handle_speaks_of_options_by_name() {
    let problem = testset::by_name("coupler").expect("problem");
    let solver = Solver::new(problem.system(Form::StrangenessFree, true), Form::StrangenessFree);
    let code = match solver.start(0.0, &problem.x0) {
        0 => solver.integrate(1.0),
        code => code,
    };
    let (_, _, advice, report) = solver.error();
    assert!(code < 0 && advice.contains("\"decompc\" = 3"), "{report}");
    assert!(!report.contains("IOPT(") && !report.contains("ROPT("), "{report}");
    let said = solver.behind.said.join("\n");
    assert!(!said.contains("IOPT("), "{said}");
}

#[test]
fn debug_of_a_failure_is_its_report() {
    let options = Options { nmax: 3, ..Options::default() };
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let (mut t, mut x, mut h, mut stats) = (0.0, START.to_vec(), 0.01, Stats::default());
    let run =
        Integration { system: &mut RIGHT.clone(), observer: None, options: &options, tolerance: &tolerance };
    let failure = integrate(run, &mut t, &mut x, &mut h, 10.0, &mut stats).expect_err("steps");
    assert_eq!(format!("{failure:?}"), failure.to_string());
    assert!(failure.to_string().starts_with("IDID = -1117"));
}

#[test]
fn the_call_is_not_checked_unless_asked() {
    assert_eq!((Options::of_call().check, Options::of_call().watch), (CheckLevel::Off, WatchLevel::Off));
    let l = Layout::new(RIGHT.dimensions(), Form::StrangenessFree);
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    for (check, watch) in [(CheckLevel::Off, WatchLevel::Off), (CheckLevel::Quick, WatchLevel::Warn)] {
        let options = Options { check, watch, ..Options::of_call() };
        let (mut t, mut x, mut h, mut stats) = (0.0, START.to_vec(), 0.01, Stats::default());
        let run = Integration {
            system: &mut RIGHT.clone(),
            observer: None,
            options: &options,
            tolerance: &tolerance,
        };
        integrate(run, &mut t, &mut x, &mut h, 1.0, &mut stats).expect("run");
        assert_eq!(x.len(), l.n);
        assert_eq!(stats.eom_for_checks > 0, check == CheckLevel::Quick);
        assert_eq!(stats.warnings, 0);
    }
}
