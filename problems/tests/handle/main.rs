//! The handle of C programs from Rust: null pointers, wrong order, refused values, every function at least once.
#![allow(clippy::expect_used, clippy::panic, unsafe_code)]

mod model;
mod parts;
mod refusals;
mod runs;
mod saved;
mod unchanged;
