//! The integration methods, and the state they share.

pub mod radau5;
pub mod stages;
pub mod state;
pub mod tableau;
