//! What the methods share around a step: its size and end, and the account of attempts that failed.

use super::state::{Linearized, State};
use crate::error::{Attempt, Code, Failure, Rejection};
use crate::layout::Layout;
use crate::linalg::SolverKind;
use crate::model::Trouble;
use crate::options::Options;

/// A step that ends within this relative distance of TEND is stretched to it.
const STRETCH: f64 = 1.0001;

/// Why an attempt did not become a step.
#[derive(Debug)]
pub enum Setback {
    /// Try again with h times `factor`.
    Reject {
        /// The reason.
        why: Rejection,
        /// Of the step size.
        factor: f64,
        /// Component of x with the largest share, if one can be named.
        component: Option<usize>,
    },
    /// End of the run.
    Fatal(Box<Failure>),
}

/// Size and end of the step that is being tried.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Step size.
    pub h: f64,
    /// End of the step.
    pub t_new: f64,
    /// The proposal, if it was cut by more than a stretch to land on TEND.
    pub cut_from: Option<f64>,
}

/// Step size of the next attempt, limits checked, end of the interval met exactly.
pub fn plan(state: &State, layout: &Layout, options: &Options, tend: f64) -> Result<Plan, Failure> {
    if state.stats.nstep() >= options.nmax {
        let detail = format!("{} steps made, {} of them accepted", state.stats.nstep(), state.stats.naccpt);
        return Err(failure(state, layout, Code::TooManySteps, detail));
    }
    let left = tend - state.t;
    if options.fixed_step {
        // t_0 + k·h, so that rounding does not add up.
        let t_new = state.t_start + (state.since_start + 1) as f64 * state.h;
        let last = t_new >= tend - 1e-6 * state.h;
        let (h, t_new) = if last { (left, tend) } else { (state.h, t_new) };
        return Ok(Plan { h, t_new, cut_from: None });
    }
    let h = state.h.min(options.hmax.unwrap_or(f64::INFINITY));
    // Below this size t + c_i h is no longer resolved; around t = 0 the length of the run counts.
    let resolution = state.t.abs().max(1e-6 * (tend - state.t_start));
    if 0.1 * h <= options.uround * resolution {
        return Err(step_too_small(state, layout, options, h));
    }
    if h * STRETCH >= left {
        let cut_from = (h > left * STRETCH).then_some(h);
        return Ok(Plan { h: left, t_new: tend, cut_from });
    }
    Ok(Plan { h, t_new: state.t + h, cut_from: None })
}

/// Count a rejection of a step of size h and prepare the next attempt; an error if there is none.
pub fn reject(
    state: &mut State,
    layout: &Layout,
    options: &Options,
    h: f64,
    (why, factor, component): (Rejection, f64, Option<usize>),
) -> Result<(), Failure> {
    let stats = &mut state.stats;
    match why {
        Rejection::ErrorTest { .. } => stats.nerjct += 1,
        _ => stats.ncrjct += 1,
    }
    match why {
        Rejection::ErrorTest { .. } => {}
        Rejection::Newton { .. } => stats.rejected_newton += 1,
        Rejection::SingularMatrix => stats.rejected_singular += 1,
        Rejection::NotFinite => stats.rejected_not_finite += 1,
        Rejection::Model => stats.rejected_by_model += 1,
    }
    state.history.push(Attempt { t: state.t, h, why, component });
    state.rejected = true;
    state.h = h * factor;
    // What belongs to x_k does not depend on h and is kept (Remark 3.3).
    if state.linearized != Linearized::Here {
        state.linearized = Linearized::Nowhere;
    }
    if options.fixed_step {
        state.h = h;
        let detail = "the step size is constant (IOPT(19)=1) and cannot be reduced".to_string();
        return Err(failure(state, layout, final_code(options, why), detail));
    }
    Ok(())
}

fn step_too_small(state: &State, layout: &Layout, options: &Options, h: f64) -> Failure {
    let why = state.history.last().map(|a| a.why);
    let code = why.map_or(Code::StepTooSmall, |why| final_code(options, why));
    let detail = match why {
        Some(why) => format!("h = {h:.3e} is too small at t = {:.9e}; last: {why}", state.t),
        None => format!("the first step size h = {h:.3e} is too small at t = {:.9e}", state.t),
    };
    failure(state, layout, code, detail)
}

/// The code of a run that ended because steps were rejected for this reason.
pub fn final_code(options: &Options, why: Rejection) -> Code {
    match (why, options.decompose_differential) {
        (Rejection::ErrorTest { .. }, _) => Code::StepTooSmall,
        (Rejection::Newton { .. }, _) => Code::NewtonDiverges,
        (Rejection::SingularMatrix, SolverKind::Lu) => Code::SingularNewtonMatrix,
        (Rejection::SingularMatrix, SolverKind::Qr) => Code::QrOfNewtonMatrix,
        (Rejection::NotFinite | Rejection::Model, _) => Code::EomNotEvaluable,
    }
}

/// A report of the current situation: code, point, component, rate of convergence, the last attempts.
pub fn failure(state: &State, layout: &Layout, code: Code, detail: String) -> Failure {
    let last = state.history.last();
    let mut failure = Failure::new(code, detail).at(state.t, last.map_or(state.h, |a| a.h));
    failure.component = last.and_then(|a| a.component).map(|i| layout.state_name(i));
    failure.theta = (state.theta > 0.0).then_some(state.theta);
    failure.attempts = state.history.to_vec();
    failure
}

/// What an evaluation that gave no result means for the attempt.
pub fn setback(state: &State, layout: &Layout, trouble: Trouble) -> Setback {
    match trouble {
        Trouble::Stop { code, not_finite } => {
            let detail = if not_finite { "non-finite values (NaN or Inf), twice" } else { "IERR < 0" };
            let mut failure = failure(state, layout, code, detail.to_string());
            failure.component = None;
            Setback::Fatal(Box::new(failure))
        }
        Trouble::Retry => Setback::Reject { why: Rejection::Model, factor: 0.25, component: None },
        Trouble::NotFinite => Setback::Reject { why: Rejection::NotFinite, factor: 0.25, component: None },
    }
}
