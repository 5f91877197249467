//! The published problems under transformations that must not matter, and under conditions that are hard.

mod hard;
mod harness;
mod metamorphic;
mod transformed;
