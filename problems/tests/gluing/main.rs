//! Gluing: reference values, equality with one domain, orders, transports, faults.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod adaptive;
mod allocation;
mod corners;
mod dependent;
mod events;
mod faults;
mod gauss;
mod harness;
mod joints;
mod net;
mod order;
mod planar;
mod redundant;
mod refusals;
mod schur;
mod several;
mod space;
mod whole;
