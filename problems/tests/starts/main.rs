//! Runs that begin where much cancels: in equilibrium, at rest, at the origin, and far from t = 0.
#![allow(clippy::expect_used, clippy::panic)]

mod defects;
mod draw;
mod equilibria;
mod far_from_zero;
mod nearly_dependent;
mod net;
mod settings;
mod within;
