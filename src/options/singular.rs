//! The choice of SINGULAR.

/// What a run does where the constraints lose rank for an instant (IOPT(32) = SINGULAR).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Singular {
    /// It ends.
    Stop,
    /// It passes, by steps that are made for that.
    Pass,
    /// All steps of method 0 are made so, for comparison.
    Always,
}
