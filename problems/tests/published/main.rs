//! The published problems under transformations that must not matter, and under conditions that are hard.

// Helpers of tests may panic.
#![allow(clippy::expect_used)]

mod hard;
mod harness;
mod metamorphic;
mod transformed;
