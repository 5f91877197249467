//! Drift-free integration of the equations of motion of constrained multibody systems.
pub mod decompose;
pub mod dense;
pub mod layout;
pub mod linalg;
pub mod methods;
pub mod system;
