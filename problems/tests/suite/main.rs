//! One suite, every method: what any method has to show on problems that it is for. A new method is tested by an entry in
//! the list of listed.rs, which takes what has to hold from the features that the method declares.
//!
//! `cargo test --release --test suite -- --nocapture` prints the measured tables; `suite hht` runs the tests of one method.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod declared;
mod dense_output;
mod euler;
mod events;
mod faults;
mod languages;
mod listed;
mod processor;
mod save;
mod steps;
mod studies;
