//! A subdomain as it is given, and its state at a point.

use super::port::Port;
use crate::options::MassStructure;
use crate::system::System;

/// A model with its ports, to be glued.
pub struct Part<'s> {
    /// The equations of motion: p' = v, with holonomic constraints.
    pub system: Box<dyn System + 's>,
    /// Initial values; λ is computed.
    pub x: Vec<f64>,
    /// Structure of its mass matrix.
    pub mass: MassStructure,
    /// What it shows of itself.
    pub ports: Vec<Box<dyn Port + 's>>,
}

impl<'s> Part<'s> {
    /// A model without ports, with a mass matrix that is full and not constant.
    pub fn new(system: Box<dyn System + 's>, x: &[f64]) -> Self {
        Part { system, x: x.to_vec(), mass: MassStructure::Full, ports: Vec::new() }
    }

    /// With this structure of the mass matrix.
    #[must_use]
    pub fn with_mass(mut self, mass: MassStructure) -> Self {
        self.mass = mass;
        self
    }

    /// With one more port; ports are numbered in this order.
    #[must_use]
    pub fn with_port(mut self, port: impl Port + 's) -> Self {
        self.ports.push(Box::new(port));
        self
    }
}

/// What is known at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// λ, v, p in the order of the model.
    pub x: Vec<f64>,
    /// v'.
    pub w: Vec<f64>,
    /// The auxiliary acceleration of generalised-α.
    pub a: Vec<f64>,
    /// Forces of the joints, in the order of the connections.
    pub force: Vec<f64>,
}

impl Point {
    /// Become another point of the same subdomain, in place.
    pub fn copy_from(&mut self, other: &Point) {
        self.x.copy_from_slice(&other.x);
        self.w.copy_from_slice(&other.w);
        self.a.copy_from_slice(&other.a);
        self.force.copy_from_slice(&other.force);
    }
}
