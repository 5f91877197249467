//! The choice of METHOD.

/// Integration method (IOPT(18) = METHOD).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// Not a method but the choice between two: as `Automatic` if the model supplies what the half-explicit method needs
    /// ([`crate::system::System::parts`]), otherwise as `Radau`. A run resolves it at its start.
    ByModel = -2,
    /// Half-explicit, and Radau IIA of automatic order as soon as the problem is found to be stiff.
    Automatic = -1,
    /// Radau IIA on the projected-strangeness-free form.
    Radau = 0,
    /// HHT-α on the index-3 equations, or its relative generalised-α.
    Hht = 1,
    /// Rosenbrock-Nyström in state space, linearly implicit.
    RosenbrockNystroem = 2,
    /// Newmark's method in the tangent space of the constraints.
    Newmark = 3,
    /// Half-explicit Runge-Kutta with projection, for nonstiff systems.
    HalfExplicit = 4,
}

impl MethodKind {
    /// All of them, by their numbers.
    pub const ALL: [MethodKind; 7] = [
        MethodKind::ByModel,
        MethodKind::Automatic,
        MethodKind::Radau,
        MethodKind::Hht,
        MethodKind::RosenbrockNystroem,
        MethodKind::Newmark,
        MethodKind::HalfExplicit,
    ];
}
