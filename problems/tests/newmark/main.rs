//! What Newmark's method in the tangent space (method 3) must show: limits of stability and their prediction, residuals on all three
//! levels, the reference values of fixed steps, orders, mechanisms through singular positions, unusual models.
//!
//! `cargo test --release --test newmark -- --nocapture` prints the measured numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod algebraic;
mod harness;
mod limits;
mod mechanisms;
mod monitor;
mod order;
mod passing;
mod references;
mod residuals;
mod unusual;
