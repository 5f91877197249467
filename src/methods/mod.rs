//! The integration methods.

pub mod tableau;
