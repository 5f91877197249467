//! Test problems with known solutions, for convergence studies, benchmarks and examples.
//!
//! A problem is written once as a [`Mechanism`]; [`Model`] derives all rows of the reduced derivative
//! array, for either formulation, and the Jacobian from it. [`all`] lists the problems.

pub mod counted;
mod derivation;
pub mod dual;
pub mod elliptic;
pub mod mechanism;
pub mod model;
pub mod pendulum;
pub mod problem;
#[cfg(test)]
mod tests;

pub use counted::{Calls, Counted};
pub use mechanism::{Blocks, Mechanism};
pub use model::{Model, Options};
pub use problem::{Exact, MassStructure, Problem, Reference};

/// All problems.
pub fn all() -> Vec<Problem> {
    let mut list = pendulum::problems();
    list.shrink_to_fit();
    list
}

/// The problem with this name.
pub fn by_name(name: &str) -> Option<Problem> {
    all().into_iter().find(|p| p.name == name)
}
