//! Choices of what a model is checked for.

/// How a model is checked at the start (IOPT(26) = CHECK).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckLevel {
    /// Not at all.
    Off,
    /// A few evaluations; more if they raise a suspicion.
    Quick,
    /// All that [`crate::check::check_model`] does.
    Full,
}

/// What a run does with a model that contradicts itself (IOPT(27) = WATCH).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchLevel {
    /// It does not look.
    Off,
    /// It looks at a few accepted points, and warns.
    Warn,
    /// It looks, and ends with a failure.
    Fail,
}
