//! A subdomain as it is given, and its state at a point.

use super::port::Port;
use crate::layout::Dimensions;
use crate::options::MassStructure;
use crate::system::System;

/// A model with its ports, to be glued.
pub struct Part<'s> {
    /// The equations of motion.
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
    /// w, λ, μ, r, v, s, p in the order of the model.
    pub x: Vec<f64>,
    /// v'.
    pub w: Vec<f64>,
    /// The auxiliary acceleration of generalised-α.
    pub a: Vec<f64>,
    /// r'.
    pub slope: Vec<f64>,
    /// r' one point before, and the step from there; 0 if there is none.
    pub slope_before: Vec<f64>,
    /// See there.
    pub h_before: f64,
    /// Curvature of the positions, if Z ≠ I: p = p_n + h p'_n + β̂h² q.
    pub q: Vec<f64>,
    /// p', if Z ≠ I; computed anew in every step.
    pub p_rate: Vec<f64>,
    /// Forces of the joints, in the order of the connections.
    pub force: Vec<f64>,
}

impl Point {
    /// A point with these values, everything else zero.
    pub fn new(dims: &Dimensions, x: Vec<f64>, forces: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        Point {
            x,
            w: zeros(dims.nv),
            a: zeros(dims.nv),
            slope: zeros(dims.nr),
            slope_before: zeros(dims.nr),
            h_before: 0.0,
            q: zeros(dims.np),
            p_rate: zeros(dims.np),
            force: zeros(forces),
        }
    }

    /// What is saved.
    pub fn vectors(&mut self) -> [&mut Vec<f64>; 7] {
        let Point { x, w, a, slope, slope_before, q, force, .. } = self;
        [x, w, a, slope, slope_before, q, force]
    }

    /// Become another point of the same subdomain, in place.
    pub fn copy_from(&mut self, other: &Point) {
        self.x.copy_from_slice(&other.x);
        self.w.copy_from_slice(&other.w);
        self.a.copy_from_slice(&other.a);
        self.slope.copy_from_slice(&other.slope);
        self.slope_before.copy_from_slice(&other.slope_before);
        self.h_before = other.h_before;
        self.q.copy_from_slice(&other.q);
        self.p_rate.copy_from_slice(&other.p_rate);
        self.force.copy_from_slice(&other.force);
    }
}
