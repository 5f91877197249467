//! Choices within the methods of second order.

/// Member of the family of method 1 (IOPT(23) = FAMILY).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// HHT-α.
    Hht,
    /// Generalised-α.
    GeneralizedAlpha,
}

/// Member of the family of method 3 (IOPT(30) = SCHEME).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewmarkScheme {
    /// β = 1/12.
    FoxGoodwin,
    /// β = 1/6.
    LinearAcceleration,
    /// β = 1/4.
    Trapezoidal,
    /// Numerical dissipation as in method 1, by FAMILY and ALPHA.
    Damped,
}

/// What method 3 does with the largest natural frequency (IOPT(31) = MONITOR).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorUse {
    /// It is found in every step and reported.
    Report,
    /// It also bounds the step size.
    Bound,
    /// It is not found.
    Off,
}
