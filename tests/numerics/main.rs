//! What the numerics must show: orders of convergence, published counters, accuracy and residuals on the
//! problem set, invariants, agreement of formulations, initial values.
//!
//! `cargo test --release --test numerics -- --nocapture` prints the measured tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod dense_output;
mod formulations;
mod initial_values;
mod invariants;
mod order;
mod problems;
mod tables;
