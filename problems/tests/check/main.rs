//! Checks of models: right ones raise no alarm, planted slips are named, and runs with them warn.
#![allow(clippy::expect_used, clippy::panic, unsafe_code)]

mod again;
mod call;
mod driven;
mod geared;
mod handle;
mod messages;
mod named;
mod quaternion;
mod right;
mod runs;
mod slips;
mod supplied;
