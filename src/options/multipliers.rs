//! The choice of NWTMULT.

/// What the multipliers of the stages of method 0 follow from (IOPT(28) = NWTMULT), with FORM=0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageMultipliers {
    /// From gII and hI at every stage.
    Constraints,
    /// From the dynamic equations; those of accepted points from gII and hI.
    Dynamics,
    /// From gII and hI until Newton's method limits the step, then from the dynamic equations.
    Automatic,
}
