//! Runs of a case in many settings, judged by the reference and by the residuals at every accepted point.

use crate::generator::{Case, Random};
use crate::reference::{distance, initial_state, Motion, Reference, SAMPLES};
use crate::system::Equations;
use geoms::decompose::DecompositionKind;
use geoms::error::{Code, Failure};
use geoms::integrate::{integrate, Integration};
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, Options, Order};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, Outcome, System};
use std::fmt;

/// How a case is run.
#[derive(Clone, Debug)]
pub struct Setting {
    pub method: MethodKind,
    pub order: Order,
    pub kind: DecompositionKind,
    pub form: Form,
    pub analytic: bool,
    pub tol: f64,
    /// None as the call has it, else the handle's.
    pub reference_point: Option<u8>,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { method, order, kind, form, analytic, tol, reference_point } = self;
        let jac = if *analytic { "JAC" } else { "differences" };
        write!(
            f,
            "{method:?} order {order:?} {kind:?} {form:?} {jac} NWTMAT {reference_point:?} TOL {tol:.0e}"
        )
    }
}

impl Setting {
    /// As tight as rounding may allow: a run that is given up with a code is no defect.
    pub fn is_tight(&self) -> bool {
        self.tol < 1e-11
    }
}

/// All settings that a case allows.
pub fn settings(case: &Case) -> Vec<Setting> {
    let mut list = Vec::new();
    let redundant = case.mechanism.redundant();
    if !redundant {
        for order in [Order::Five, Order::Nine, Order::Thirteen] {
            list.push(Setting {
                method: MethodKind::Radau,
                order,
                kind: DecompositionKind::Lu,
                form: Form::StrangenessFree,
                analytic: true,
                tol: 1e-12,
                reference_point: None,
            });
        }
    }
    for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
        for form in [Form::StrangenessFree, Form::Index1] {
            // Redundant constraints need the SVD.
            if redundant && kind != DecompositionKind::Svd {
                continue;
            }
            for analytic in [true, false] {
                for tol in [1e-4, 1e-6, 1e-8] {
                    let base = Setting {
                        method: MethodKind::Radau,
                        order: Order::Five,
                        kind,
                        form,
                        analytic,
                        tol,
                        reference_point: None,
                    };
                    for order in [Order::Five, Order::Nine, Order::Thirteen, Order::Automatic] {
                        for reference_point in [None, Some(0)] {
                            list.push(Setting { order, reference_point, ..base.clone() });
                        }
                    }
                    list.push(Setting { method: MethodKind::HalfExplicit, ..base.clone() });
                    list.push(Setting { method: MethodKind::RosenbrockNystroem, ..base.clone() });
                    if kind == DecompositionKind::Lu || redundant {
                        list.push(Setting { method: MethodKind::ByModel, ..base.clone() });
                        list.push(Setting { method: MethodKind::Automatic, ..base.clone() });
                    }
                    list.push(Setting { method: MethodKind::Newmark, ..base.clone() });
                    list.push(Setting { method: MethodKind::Hht, ..base });
                }
            }
        }
    }
    list
}

/// Residuals below this part of what is allowed are not measured further.
const NEGLIGIBLE: f64 = 1e-2;

/// Levels on which constraints are judged: HHT imposes positions only.
fn levels(method: MethodKind) -> usize {
    if method == MethodKind::Hht {
        1
    } else {
        3
    }
}

/// What a run was found to be.
#[derive(Debug)]
pub struct Finding {
    /// Error at the end over TOL and growth.
    pub error: f64,
    /// Worst residual over TOL times scale: g, (gI, h), (gII, hI).
    pub residual: [f64; 3],
    pub stats: Stats,
    pub failure: Option<Failure>,
    pub t: f64,
}

impl Finding {
    /// The residuals in short.
    pub fn levels(&self) -> String {
        let [g, velocity, acceleration] = self.residual;
        format!("g {g:.1e} gI {velocity:.1e} gII {acceleration:.1e}")
    }
}

/// A limit that was exceeded, in words. Errors may be 1000 TOL × growth. HHT controls what a step does to p: TOL at most. In v, of order
/// h less, that is TOL/h, and N steps of h = T/N add N TOL/h: N² TOL, in units of the length of the run.
pub fn verdict(case: &Case, setting: &Setting, reference: &Reference, found: &Finding) -> Option<String> {
    match (&found.failure, &reference.motion) {
        (Some(failure), Motion::Lockup(at)) => {
            let told = failure.code == Code::Lockup;
            let near = found.t > 0.98 * at - 0.02 * case.tend;
            (!told || !near).then(|| format!("lockup at {at:.6} told at {:.6} as {failure}", found.t))
        }
        (Some(failure), _) => Some(format!("failed at t = {:.6}: {failure}", found.t)),
        (None, Motion::Lockup(at)) => Some(format!("went past the lockup at {at:.6}")),
        (None, _) => {
            let steps = found.stats.naccpt as f64;
            let limit = match setting.method {
                MethodKind::Hht => steps * steps,
                _ => 1e3,
            };
            if found.error.is_nan() || found.error > limit {
                return Some(format!("error {:.1e} TOL × growth", found.error));
            }
            let worst = found.residual.iter().fold(0.0f64, |m, r| m.max(*r));
            (worst > 1.0).then(|| format!("residuals {} TOL × scale", found.levels()))
        }
    }
}

pub fn run(case: &Case, setting: &Setting, reference: &Reference) -> Finding {
    let mut equations = Equations::new(&case.mechanism, setting.form, setting.analytic);
    let layout = equations.layout;
    let mut x = initial_state(case);
    // Methods of low order take many: a stiff spring that swings is followed with 20,000 of order 4 at 1e-8.
    let low_order =
        matches!(setting.method, MethodKind::Newmark | MethodKind::Hht | MethodKind::RosenbrockNystroem);
    let mass =
        if case.mechanism.constant_mass() { MassStructure::ConstantDiagonal } else { MassStructure::Full };
    let options = Options {
        method: setting.method,
        order: setting.order,
        decompose_constraints: setting.kind,
        form: setting.form,
        newton_reference: setting.reference_point,
        mass,
        consistent: true,
        nmax: if low_order && setting.tol <= 1e-8 { 10_000_000 } else { 20_000 },
        ..Options::default()
    };
    let mut residual = [0.0f64; 3];
    let mut rda = vec![0.0; layout.m];
    let mut own = equations.clone();
    let levels = levels(setting.method);
    let verbose = crate::variable("RANDOM_VERBOSE", 0) > 1;
    let mut observer = |step: &AcceptedStep<'_>| {
        let _ = own.eom(step.t, step.x, &mut rda);
        let least = own.least_scales(step.t, step.x);
        let mut slopes = None;
        let blocks = [layout.rda.g, layout.rda.rows2, layout.rda.rows1];
        for (worst, block) in residual.iter_mut().zip(blocks).take(levels) {
            for i in block.range() {
                // The Jacobian is taken where it can matter.
                if rda[i].abs() <= setting.tol * least[i] * worst.max(NEGLIGIBLE) {
                    continue;
                }
                let slopes = slopes.get_or_insert_with(|| own.derivatives(step.t, step.x));
                // What an error of TOL in every component would make of the row.
                let scale: f64 =
                    (0..layout.n).map(|j| slopes.get(i, j).abs() * (1.0 + step.x[j].abs())).sum();
                debug_assert!(scale >= least[i], "row {i}: {scale} below {}", least[i]);
                let relative = rda[i].abs() / (setting.tol * scale);
                if verbose && relative > 0.5 {
                    println!(
                        "t = {:.12} row {i}: {:.2e}, scale {scale:.2e}: {relative:.2e} TOL",
                        step.t, rda[i]
                    );
                }
                if relative.is_nan() || relative > *worst {
                    *worst = relative;
                }
            }
        }
        Outcome::Continue
    };
    let tolerance = Tolerance::scalar(setting.tol, setting.tol);
    let (mut t, mut h, mut stats) = (0.0, 0.0, Stats::default());
    let integration = Integration {
        system: &mut equations,
        observer: Some(&mut observer),
        options: &options,
        tolerance: &tolerance,
    };
    let result = integrate(integration, &mut t, &mut x, &mut h, case.tend, &mut stats);
    let error = match &reference.motion {
        Motion::Whole(samples) => {
            let found = [layout.x.p.of(&x), layout.x.v.of(&x)].concat();
            distance(&samples[SAMPLES], &found) / setting.tol / reference.growth
        }
        _ => 0.0,
    };
    Finding { error, residual, stats, failure: result.err(), t }
}

/// Some of the settings, drawn by the seed.
pub fn drawn(case: &Case, count: usize) -> Vec<Setting> {
    let all = settings(case);
    let mut random = Random(case.seed ^ 0x00c0_ffee);
    (0..count).map(|_| all[random.below(all.len())].clone()).collect()
}
