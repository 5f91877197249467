//! Initial values that method 1 has returned. It imposes neither gI nor gII, so they are off by its own errors: the error of positions is
//! TOL = c h³ p''', from which h follows, that of velocities h² p''', which is (TOL/c)^(2/3) of their size. Multipliers have no bound: a
//! change of the step size excites them, and the method does not ask for them at its start. A call that goes on from there begins with
//! the nearest velocities that satisfy gI and h, and with the multipliers that belong to them.

use super::*;

/// c^(-2/3) is 3 for the default parameters; the rest is what a motion is worse than one of a single frequency.
const MARGIN: f64 = 10.0;

/// Make x consistent if it is off by what method 1 leaves; a failure if it is off by more. On failure x is unchanged.
pub(super) fn settle(
    system: &mut dyn System,
    of: (&Layout, &Options, &Scaling),
    (t, x): (f64, &mut [f64]),
    stats: &mut Stats,
) -> Result {
    let (l, _, scaling) = of;
    let velocities = MARGIN * scaling.rtol_user.powf(2.0 / 3.0) / scaling.rtol_first;
    let mut problem = Consistency::new(system, of, (t, x));
    problem.conditions = 0;
    problem.run(x, stats, |problem, y| {
        for ((rows, unknowns), most) in levels(l).into_iter().zip([1.0, velocities, f64::INFINITY]) {
            if rows.is_empty() {
                continue;
            }
            (problem.rows, problem.unknowns) = (rows.collect(), unknowns.range().collect());
            let residual = problem.residual(y)?;
            let first = problem.linearize(y, &residual)?;
            if first.size > most {
                return Err(Failure::new(Code::InconsistentInitialValues, "off by more").into());
            }
            problem.iterate(y, residual, first)?;
        }
        Ok(())
    })
}
