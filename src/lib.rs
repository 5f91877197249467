//! Drift-free integration of the equations of motion of constrained multibody systems.
// The boundary is where raw pointers come in.
#[allow(unsafe_code)]
pub mod capi;
pub mod control;
pub mod decompose;
pub mod dense;
pub mod error;
pub mod formulation;
pub mod initial;
pub mod integrate;
pub mod jacobian;
pub mod layout;
pub mod linalg;
pub mod methods;
pub mod model;
pub mod newton;
pub mod norm;
pub mod options;
pub mod reference;
pub mod stats;
pub mod system;
pub mod testset;
