//! A system that counts how often each of its parts is called.

use geoms::system::{Entries, JacobianBlocks, Outcome, System};

/// Calls so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Of [`System::eom`].
    pub eom: usize,
    /// Of [`System::mass`].
    pub mass: usize,
    /// Of [`System::jacobian`].
    pub jacobian: usize,
    /// Of [`System::initial_conditions`].
    pub conditions: usize,
}

/// Passes everything on to `inner` and counts.
#[derive(Clone, Debug)]
pub struct Counted<S: ?Sized> {
    /// Calls so far.
    pub calls: Calls,
    /// The system that answers.
    pub inner: Box<S>,
}

impl<S: System + ?Sized> Counted<S> {
    /// Start counting.
    pub fn new(inner: Box<S>) -> Self {
        Counted { calls: Calls::default(), inner }
    }
}

impl<S: System + ?Sized> System for Counted<S> {
    crate::pass_on!(dimensions, form, has_jacobian, initial_condition_count, sparsity, has_entries);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.calls.eom += 1;
        self.inner.eom(t, x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.calls.mass += 1;
        self.inner.mass(t, x, mass)
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.calls.jacobian += 1;
        self.inner.jacobian(t, x, fx)
    }
    fn initial_conditions(&mut self, t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        self.calls.conditions += 1;
        self.inner.initial_conditions(t, x, cond)
    }
    fn mass_acceleration_dp(&mut self, t: f64, x: &[f64], a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        self.inner.mass_acceleration_dp(t, x, a, out)
    }
    fn entries(&mut self, t: f64, x: &[f64], of: Entries<'_>) -> Outcome {
        match of {
            Entries::Mass(_) => self.calls.mass += 1,
            Entries::Jacobian(_) => self.calls.jacobian += 1,
        }
        self.inner.entries(t, x, of)
    }
}
