//! PARTS at a point of a run against the rows that the quick look has evaluated there: a suspicion, as in [`super::quick`].

use super::probe::largest;
use crate::layout::Layout;
use crate::model::parts::{Ask, Room};
use crate::options::MethodKind;
use crate::system::{Outcome, Parts, System};

/// The parts of a model.
#[derive(Debug)]
pub(super) struct Supplied(Room);

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The model supplies none, or not here.
    None,
    Given,
    /// The model asked to stop.
    Stop,
}

/// Do two ways to compute the same numbers differ?
pub(super) fn differ(given: &[f64], expected: &[f64], part: f64) -> bool {
    let bound = part * (largest(given) + largest(expected));
    given.iter().zip(expected).any(|(a, b)| (a - b).abs() > bound)
}

impl Supplied {
    /// None if nobody asks models of these dimensions for parts.
    pub fn new(l: &Layout) -> Option<Self> {
        Parts::suit(&l.dims).then(|| Supplied(Room::new(l)))
    }

    /// Methods that ask for parts.
    pub fn asked_by(method: MethodKind) -> bool {
        use MethodKind::{Automatic, ByModel, HalfExplicit, RosenbrockNystroem};
        matches!(method, HalfExplicit | RosenbrockNystroem | Automatic | ByModel)
    }

    /// Ask at a point off the constraints with λ = μ = 0, where rows were evaluated, or at that of the run itself.
    pub fn ask(&mut self, system: &mut dyn System, (t, y): (f64, &[f64]), what: Ask) -> Answer {
        match self.0.ask(system, t, y, what) {
            Some(Outcome::Stop) => Answer::Stop,
            Some(Outcome::Continue) if self.0.is_finite(what) => Answer::Given,
            _ => Answer::None,
        }
    }

    /// The vectors are not those of the rows.
    pub fn other_vectors(&self, l: &Layout, rows: &[f64], part: f64) -> bool {
        differ(&self.0.force, l.rda.f_dyn.of(rows), part)
            || differ(&self.0.velocity, &rows[l.rda.g_velocity.start..l.rda.h.end], part)
            || differ(&self.0.position, l.rda.g.of(rows), part)
    }

    /// M is another, or C u is not what (gI, h) change by.
    pub fn other_matrices(&self, mass: &[f64], u: &[f64], change: impl Fn(usize) -> f64, part: f64) -> bool {
        differ(&self.0.mass, mass, part)
            || (0..self.0.at_rest.len()).any(|i| {
                let (sum, size) = self.times(i, u);
                (sum - change(i)).abs() > part * (size + change(i).abs())
            })
    }

    /// Row i of C v' + γ, and what it is the sum of.
    pub fn acceleration(&self, i: usize, a: &[f64]) -> (f64, f64) {
        let (sum, size) = self.times(i, a);
        (sum + self.0.at_rest[i], size + self.0.at_rest[i].abs())
    }

    /// Row i of C times a vector, and the sum of the absolute values.
    fn times(&self, i: usize, vector: &[f64]) -> (f64, f64) {
        let nc = self.0.at_rest.len();
        vector.iter().enumerate().fold((0.0, 0.0), |(sum, size), (j, v)| {
            let product = self.0.constraint[i + j * nc] * v;
            (sum + product, size + product.abs())
        })
    }
}
