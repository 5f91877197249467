//! A failed run: what the checks say about it becomes the message.

use super::check_model;
use crate::error::{Code, Failure};
use crate::layout::Layout;
use crate::norm::Tolerance;
use crate::options::Options;
use crate::system::{Outcome, System};

/// Findings that are put into a message; the first is the cause of most others.
const TOLD: usize = 3;

/// Failures behind which there may be a slip in the model.
fn is_suspicious(code: Code) -> bool {
    use Code::*;
    matches!(
        code,
        NewtonDiverges
            | ContradictoryConditions
            | InitialValuesDiverge
            | StoppedByEomInInitialValues
            | InconsistentInitialValues
            | SingularNewtonMatrix
            | QrOfNewtonMatrix
            | StepTooSmall
            | Fx1DeficientLu
            | Fx2DeficientLu
            | Fx3DeficientLu
            | Fx1DeficientQr
            | Fx2DeficientQr
            | Fx3DeficientQr
            | DeficiencyFx2
            | DeficiencyFx3
    )
}

/// Advice that fits the model: no word of a JAC or of conditions that it does not have. Nothing is evaluated.
pub fn tailored(mut failure: Failure, system: &mut dyn System) -> Failure {
    tailor(&mut failure, system);
    failure
}

/// The failure with what the checks find at (t, x), where its code is one that a slip in the model may lie behind, and with
/// advice that fits the model. A model that stopped is not asked again.
pub fn explain(
    mut failure: Failure,
    system: &mut dyn System,
    options: &Options,
    tolerance: &Tolerance,
    (t, x): (f64, &[f64]),
) -> Failure {
    tailor(&mut failure, system);
    if failure.code == Code::EomNotEvaluable {
        name_row(&mut failure, system, (t, x));
    }
    if !is_suspicious(failure.code) || failure.detail == "IERR < 0" {
        return failure;
    }
    if let Ok(report) = check_model(system, options, tolerance, t, x) {
        if let Some(first) = report.findings.first() {
            failure.note_mut().findings =
                report.findings.iter().take(TOLD).map(ToString::to_string).collect();
            failure.component = Some(first.row);
            failure.note_mut().advice = Some(format!(
                "Mend the model first: {first}. geoms_check_model shows {} in all.",
                report.findings.len()
            ));
        }
    }
    failure
}

/// Advice speaks of what the model has.
fn tailor(failure: &mut Failure, system: &mut dyn System) {
    let advice = match failure.code {
        Code::NewtonDiverges if !system.has_jacobian() => {
            "There is no JAC that could be wrong: check the model (geoms_check_model), look for a jump in EOM or a position from \
             which there is no motion, or try IOPT(4)=1 or IOPT(10)=1."
        }
        Code::ContradictoryConditions if system.initial_condition_count() == 0 => {
            failure.note_mut().sentence = Some("The constraints contradict each other at the initial values.");
            "Compare the named row with the others (geoms_check_model), or set IOPT(17)=1 if p and v are consistent."
        }
        _ => return,
    };
    failure.note_mut().advice = Some(advice.to_string());
}

/// The row that is not finite just beyond the last accepted point.
fn name_row(failure: &mut Failure, system: &mut dyn System, (t, x): (f64, &[f64])) {
    let l = Layout::new(system.dimensions(), system.form());
    let mut here = vec![0.0; l.m];
    if system.eom(t, x, &mut here) != Outcome::Continue {
        return;
    }
    let mut mass = vec![0.0; l.dims.nv * l.dims.nv];
    let acceleration = match system.mass(t, x, &mut mass) {
        Outcome::Continue => super::probe::solve(l.dims.nv, &mass, l.rda.f_dyn.of(&here)),
        _ => None,
    };
    let first =
        failure.attempts.iter().map(|a| a.h).fold(failure.h.abs(), f64::max).max(f64::EPSILON * t.abs());
    for k in 0..40 {
        let step = first * f64::from(1u32 << (k % 31)) * if k > 30 { 2e9 } else { 1.0 };
        let mut y = x.to_vec();
        for (p, rate) in l.x.p.of_mut(&mut y).iter_mut().zip(l.rda.f_kin.of(&here)) {
            *p += step * rate;
        }
        if let Some(a) = &acceleration {
            l.x.v.of_mut(&mut y).iter_mut().zip(a).for_each(|(v, a)| *v += step * a);
        }
        let mut rda = vec![0.0; l.m];
        if system.eom(t + step, &y, &mut rda) == Outcome::Stop {
            return;
        }
        if let Some((row, value)) = l.first_not_finite(&rda) {
            failure.detail = format!("{}; {row} = {value} at t = {:.9e}", failure.detail, t + step);
            failure.component = Some(row);
            return;
        }
    }
}
