//! Drift-free integration of the equations of motion of constrained multibody systems.
pub mod dense;
pub mod layout;
pub mod methods;
pub mod system;
pub mod testset;
