//! A subdomain as it is given, and its state at a point.

use super::port::Port;
use super::scheme::{Errors, Scheme};
use crate::layout::{Block, Dimensions};
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
    /// v from which the next step goes on; x has the projected one.
    pub v: Vec<f64>,
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
    /// Of λ, μ and the forces of the joints: the impulses of the projection, and the errors that follow from these.
    pub impulse: Vec<f64>,
    /// See [`Scheme::force_errors`].
    pub delta: Vec<f64>,
    /// See there.
    pub zeta: Vec<f64>,
    /// Forces of the joints without their errors.
    pub shown: Vec<f64>,
}

impl Point {
    /// A point with these values, everything else zero.
    pub fn new(dims: &Dimensions, x: Vec<f64>, forces: usize) -> Self {
        let zeros = |n: usize| vec![0.0; n];
        Point {
            x,
            v: zeros(dims.nv),
            w: zeros(dims.nv),
            a: zeros(dims.nv),
            slope: zeros(dims.nr),
            slope_before: zeros(dims.nr),
            h_before: 0.0,
            q: zeros(dims.np),
            p_rate: zeros(dims.np),
            force: zeros(forces),
            impulse: zeros(dims.nl + dims.nm + forces),
            delta: zeros(dims.nl + dims.nm + forces),
            zeta: zeros(dims.nl + dims.nm + forces),
            shown: zeros(forces),
        }
    }

    /// What is saved.
    pub fn vectors(&mut self) -> [&mut Vec<f64>; 12] {
        let Point { x, v, w, a, slope, slope_before, q, force, impulse, delta, zeta, shown, .. } = self;
        [x, v, w, a, slope, slope_before, q, force, impulse, delta, zeta, shown]
    }

    /// Become another point of the same subdomain, in place.
    pub fn copy_from(&mut self, other: &Point) {
        self.x.copy_from_slice(&other.x);
        self.v.copy_from_slice(&other.v);
        self.w.copy_from_slice(&other.w);
        self.a.copy_from_slice(&other.a);
        self.slope.copy_from_slice(&other.slope);
        self.slope_before.copy_from_slice(&other.slope_before);
        self.h_before = other.h_before;
        self.q.copy_from_slice(&other.q);
        self.p_rate.copy_from_slice(&other.p_rate);
        self.force.copy_from_slice(&other.force);
        self.impulse.copy_from_slice(&other.impulse);
        self.delta.copy_from_slice(&other.delta);
        self.zeta.copy_from_slice(&other.zeta);
        self.shown.copy_from_slice(&other.shown);
    }

    /// No errors are known.
    pub fn forget_errors(&mut self) {
        [&mut self.impulse, &mut self.delta, &mut self.zeta].into_iter().for_each(|v| v.fill(0.0));
        self.shown.copy_from_slice(&self.force);
    }

    /// Take the errors of a step h off the multipliers and forces that are shown; the recursion keeps what it has.
    pub fn correct_forces(&mut self, old: &Point, (scheme, h): (&Scheme, f64), multipliers: Block) {
        for i in 0..self.impulse.len() {
            let before = Errors { delta: old.delta[i], zeta: old.zeta[i] };
            let now = scheme.force_errors(h, [old.impulse[i], self.impulse[i]], before);
            (self.delta[i], self.zeta[i]) = (now.delta, now.zeta);
        }
        let (of_model, of_joints) = self.zeta.split_at(multipliers.len());
        multipliers.of_mut(&mut self.x).iter_mut().zip(of_model).for_each(|(l, z)| *l -= z);
        for ((shown, f), z) in self.shown.iter_mut().zip(&self.force).zip(of_joints) {
            *shown = f - z;
        }
    }
}
