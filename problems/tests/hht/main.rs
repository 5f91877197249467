//! What HHT on the index-3 equations (method 1) must show: the reference values of fixed steps, orders, dissipation,
//! adaptive runs, projection, interfaces, faults.
//!
//! `cargo test --release --test hht -- --nocapture` prints the measured tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adaptive;
mod again;
mod algebraic;
mod dissipation;
mod harness;
mod interfaces;
mod order;
mod redundant;
mod references;
mod short;
mod steady;
