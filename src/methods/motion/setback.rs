//! What a point that could not be used means for the attempt.

use super::saddle::Defect;
use super::Halt;
use crate::decompose::DecompositionKind;
use crate::error::{Code, Rejection};
use crate::layout::Layout;
use crate::methods::setback;
use crate::methods::{Setback, State};
use crate::model::Trouble;
use crate::options::Options;

/// At a stage, which in too long a step may lie anywhere.
pub fn of_stage(state: &State, layout: &Layout, options: &Options, halt: Halt) -> Setback {
    let reject = |why, factor| Setback::Reject { why, factor, component: None };
    match halt {
        Halt::Trouble(Trouble::Stop { not_finite: true, code }) => {
            reject(Rejection::NotFinite { by: Some(code) }, 0.25)
        }
        Halt::Trouble(trouble) => setback::of_trouble(state, layout, trouble),
        Halt::Defect(Defect::NotFinite) => reject(Rejection::NotFinite { by: None }, 0.25),
        Halt::Defect(Defect::Constraints(_)) => reject(Rejection::SingularMatrix, 0.25),
        Halt::Diverged => reject(Rejection::Newton { theta: 1.0 }, 0.5),
        Halt::Refused(why) => {
            let number = options.method as i64;
            let detail = format!("IOPT(18) = METHOD = {number} is not for this model: {why}");
            Setback::Fatal(Box::new(setback::failure(state, layout, Code::BadArgument, detail)))
        }
    }
}

/// At an accepted point, where dependent constraints are no accident of the step size.
pub fn at_point(state: &State, layout: &Layout, options: &Options, halt: Halt) -> Setback {
    let row = match halt {
        Halt::Defect(Defect::Constraints(row)) => row,
        Halt::Trouble(trouble) => return setback::of_trouble(state, layout, trouble),
        other => return of_stage(state, layout, options, other),
    };
    let code = match options.decompose_constraints {
        DecompositionKind::Lu => Code::Fx1DeficientLu,
        DecompositionKind::Qr => Code::Fx1DeficientQr,
        DecompositionKind::Svd => Code::RankChanged,
    };
    let mut failure = setback::failure(state, layout, code, String::new());
    failure.component = row.map(|i| layout.residual_name(layout.rda.g_velocity.start + i));
    Setback::Fatal(Box::new(failure))
}
