//! placeholder until merge
/// Kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecompositionKind {
    /// LU.
    Lu,
    /// QR.
    Qr,
    /// SVD.
    Svd,
}
