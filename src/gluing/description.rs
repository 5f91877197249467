//! What a run is made from and what it tells of itself: subdomains and joints, settings, counters.

use super::joint::Joint;
use super::part::Part;
use super::tree::Topology;
use crate::events::RootFunctions;

/// What is glued: subdomains, who has them, and joints.
#[derive(Default)]
pub struct Assembly<'s> {
    pub(super) owners: Vec<usize>,
    pub(super) parts: Vec<Option<Part<'s>>>,
    pub(super) roots: Vec<Option<Box<dyn RootFunctions + 's>>>,
    pub(super) joints: Vec<Joint>,
}

impl<'s> Assembly<'s> {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A subdomain of the participant `owner`, which gives its part; the others give `None`. Returns its number.
    pub fn subdomain(&mut self, owner: usize, part: Option<Part<'s>>) -> usize {
        self.owners.push(owner);
        self.parts.push(part);
        self.roots.push(None);
        self.owners.len() - 1
    }

    /// Functions of a subdomain at whose changes of sign the run stops.
    pub fn events(&mut self, subdomain: usize, roots: Box<dyn RootFunctions + 's>) {
        if let Some(slot) = self.roots.get_mut(subdomain) {
            *slot = Some(roots);
        }
    }

    /// A joint; returns its number.
    pub fn join(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.joints.len() - 1
    }
}

/// What becomes of the velocities of a step, which satisfy the constraints to O(h²). The recursion needs them as they are: they make up for the error
/// of the positions along the constraints, which otherwise goes into the accelerations, divided by h, and with these into λ (M. Arnold,
/// A. Cardona, O. Brüls, *Order reduction in time integration caused by velocity projection*, 2014).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Nothing.
    None,
    /// They are projected onto the constraints for the result; the next step goes on from those that were computed.
    Result,
    /// The next step goes on from the projected ones: λ has an error O(h).
    Continued,
}

/// How the run is made; the same in all participants.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Spectral radius at infinity of generalised-α, from 0 to below 1.
    pub radius: f64,
    /// Project the velocities onto the constraints after every step.
    pub project: Projection,
    /// Steps of constant size.
    pub fixed_step: bool,
    /// Relative tolerance of the positions.
    pub rtol: f64,
    /// Absolute tolerance of the positions.
    pub atol: f64,
    /// Steps are not longer than this.
    pub hmax: f64,
    /// Order of elimination.
    pub topology: Topology,
    /// Accuracy of the time of an event.
    pub event_tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            radius: 0.8,
            project: Projection::Result,
            fixed_step: false,
            rtol: 1e-6,
            atol: 1e-6,
            hmax: f64::INFINITY,
            topology: Topology::Flat,
            event_tolerance: 1e-10,
        }
    }
}

/// Counters of this participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Accepted steps.
    pub steps: u64,
    /// Steps taken back because of their error.
    pub rejected_error: u64,
    /// Steps taken back because Newton's method did not converge or a model could not be evaluated.
    pub rejected_newton: u64,
    /// Steps taken back to land on an event.
    pub rejected_event: u64,
    /// Newton iterations of accepted steps.
    pub iterations: u64,
    /// Most of them in one step.
    pub most_iterations: u64,
    /// New matrices.
    pub refreshes: u64,
    /// Numbers between the subdomains of this participant and the interface, in either direction.
    pub interface_doubles: u64,
    /// Messages to other participants.
    pub messages: u64,
    /// Numbers of the interface in them.
    pub doubles: u64,
    /// Undetermined directions of the joint forces in the last step, at one node.
    pub deficiency: u64,
    /// Nanoseconds of interface equations and exchange, waiting included.
    pub coordination_ns: u64,
}

/// Why [`Glued::integrate`](super::run::Glued::integrate) has returned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The end is reached.
    End,
    /// A root function changed its sign: the first one, if several did at this instant ([`Glued::events`](super::run::Glued::events)).
    Event {
        /// The subdomain.
        subdomain: usize,
        /// Its root function.
        index: usize,
    },
}
