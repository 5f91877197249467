//! What the Rosenbrock-Nyström method (method 2) must show beside the common suite: fixed-step reference values, its Jacobian
//! against differences, residuals, stiffness, what is free, fixed or refused.
//!
//! `cargo test --release --test rosenbrock -- --nocapture` prints the measured tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod algebraic;
mod harness;
mod jacobians;
mod ode;
mod references;
mod special;
mod stiff;
