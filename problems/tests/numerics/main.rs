//! What the numerics of method 0 must show: published counters, accuracy and residuals on the
//! problem set, invariants, agreement of formulations, initial values.
//!
//! `cargo test --release --test numerics -- --nocapture` prints the measured tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use geoms_problems::trial as common;

mod formulations;
mod initial_values;
mod invariants;
mod problems;
mod tables;
