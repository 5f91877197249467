//! What a caller may rely on whatever happens: options, codes, faults in the subroutines, threads, the boundary.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod boundary;
mod faults;
mod fuzz;
mod harness;
mod idid;
mod made;
mod messages;
mod options;
mod tally;
mod texts;
mod threads;
