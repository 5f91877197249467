//! placeholder until merge
/// Kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverKind {
    /// LU.
    Lu,
    /// QR.
    Qr,
}
