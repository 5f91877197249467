//! Room for the parts that a model may supply ([`System::parts`]).

use super::all_finite;
use crate::layout::Layout;
use crate::system::{Outcome, Parts, System};

/// All parts of a model at a point.
#[derive(Debug)]
pub(crate) struct Room {
    pub force: Vec<f64>,
    pub mass: Vec<f64>,
    pub constraint: Vec<f64>,
    /// γ.
    pub at_rest: Vec<f64>,
    pub velocity: Vec<f64>,
    pub position: Vec<f64>,
}

impl Room {
    /// Filled with zeros.
    pub fn new(l: &Layout) -> Self {
        let (nv, nl, nc) = (l.dims.nv, l.dims.nl, l.dims.nl + l.dims.nm);
        let [force, mass, constraint] = [nv, nv * nv, nc * nv].map(|n| vec![0.0; n]);
        let [at_rest, velocity, position] = [nc, nc, nl].map(|n| vec![0.0; n]);
        Room { force, mass, constraint, at_rest, velocity, position }
    }

    /// Ask for the vectors f, (gI, h) and g, for the matrices M and C with γ, or for both.
    pub fn ask(&mut self, system: &mut dyn System, t: f64, x: &[f64], what: Ask) -> Option<Outcome> {
        let mut parts = Parts::default();
        if what != Ask::Matrices {
            parts.force = Some(&mut self.force);
            parts.velocity = Some(&mut self.velocity);
            parts.position = Some(&mut self.position[..]).filter(|g| !g.is_empty());
        }
        if what != Ask::Vectors {
            self.mass.fill(0.0);
            self.constraint.fill(0.0);
            parts.mass = Some(&mut self.mass);
            parts.constraint = Some(&mut self.constraint);
            parts.at_rest = Some(&mut self.at_rest);
        }
        system.parts(t, x, parts)
    }

    /// No NaN, no Inf in what was asked for.
    pub fn is_finite(&self, what: Ask) -> bool {
        let vectors = [&self.force, &self.velocity, &self.position];
        let matrices = [&self.mass, &self.constraint, &self.at_rest];
        (what == Ask::Matrices || vectors.iter().all(|part| all_finite(part)))
            && (what == Ask::Vectors || matrices.iter().all(|part| all_finite(part)))
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    Vectors,
    Matrices,
    All,
}
