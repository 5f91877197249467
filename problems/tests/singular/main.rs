//! Positions where the constraints lose rank for one instant, while the motion is smooth: passed by every method, on the branch
//! on which it came, as accurately as the equation of one degree of freedom is integrated.
//!
//! `GEOMS_LONG=1 cargo test --release --test singular -- --nocapture` (`make singular`) runs all tolerances, decompositions and forms, and
//! prints the tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod accuracy;
mod across;
mod branches;
mod constant_steps;
mod gaps;
mod lengths;
mod mechanisms;
mod messages;
mod services;

/// The long form was asked for.
fn long() -> bool {
    std::env::var_os("GEOMS_LONG").is_some()
}
