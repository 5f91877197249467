//! Test problems with known solutions, for convergence studies, benchmarks and examples.
//!
//! A problem is written once as a [`Mechanism`]; [`Model`] derives all rows of the reduced derivative
//! array, for either formulation, and the Jacobian from it ([`geoms::mechanism`]). [`all`] lists the problems. No part of
//! the library: the command `geoms`, the tests, the studies in `examples/` and the benchmark use it.

pub mod andrews;
pub mod andrews_bodies;
pub mod bricard;
pub mod car_axis;
pub mod chain;
mod chain_references;
pub mod classical;
pub mod convergence;
pub mod counted;
pub mod double_pendulum;
pub mod elliptic;
#[cfg(test)]
mod explicit;
pub mod exported;
pub mod features;
pub mod flexible_beam;
pub mod four_bar;
pub mod linkage;
pub mod nonholonomic;
mod pass_on;
pub mod pendulum;
pub mod planar;
pub mod problem;
pub mod rooted;
pub mod singular_mass;
pub mod spatial;
pub mod stiff_spring;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_linkage;
#[cfg(test)]
mod tests_structure;
pub mod trial;
pub mod truck;
pub mod wheel;

pub use geoms::mechanism::{derived, dual, Blocks, Mechanism, Model, Options};
pub use geoms::options::MassStructure;
use std::sync::OnceLock;

pub use counted::{Calls, Counted};
pub use problem::{Exact, Problem, Reference};

/// All problems.
pub fn all() -> Vec<Problem> {
    list().to_vec()
}

/// The list, made once: initial values of some problems are computed.
fn list() -> &'static [Problem] {
    static LIST: OnceLock<Vec<Problem>> = OnceLock::new();
    LIST.get_or_init(make)
}

fn make() -> Vec<Problem> {
    [
        pendulum::problems(),
        nonholonomic::problems(),
        features::problems(),
        singular_mass::problems(),
        four_bar::problems(),
        andrews::problems(),
        andrews_bodies::problems(),
        car_axis::problems(),
        truck::problems(),
        bricard::problems(),
        chain::problems(),
        wheel::problems(),
        stiff_spring::problems(),
        spatial::problems(),
        planar::problems(),
        double_pendulum::problems(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The problem with this name.
pub fn by_name(name: &str) -> Option<Problem> {
    list().iter().find(|p| p.name == name).cloned()
}
