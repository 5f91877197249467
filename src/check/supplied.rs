//! PARTS at a point of a run against the rows that the quick look has evaluated there: a suspicion, as in [`super::quick`].

use super::probe::largest;
use crate::layout::Layout;
use crate::model::all_finite;
use crate::options::MethodKind;
use crate::system::{Outcome, Parts, System};

/// Room for the parts of a model.
#[derive(Debug)]
pub(super) struct Supplied {
    force: Vec<f64>,
    mass: Vec<f64>,
    constraint: Vec<f64>,
    at_rest: Vec<f64>,
    velocity: Vec<f64>,
    position: Vec<f64>,
}

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
fn differ(given: &[f64], expected: &[f64], part: f64) -> bool {
    let bound = part * (largest(given) + largest(expected));
    given.iter().zip(expected).any(|(a, b)| (a - b).abs() > bound)
}

impl Supplied {
    /// None if nobody asks models of these dimensions for parts.
    pub fn new(l: &Layout) -> Option<Self> {
        let (nv, nl, nc) = (l.dims.nv, l.dims.nl, l.dims.nl + l.dims.nm);
        let room = |n: usize| vec![0.0; n];
        Parts::suit(&l.dims).then(|| Supplied {
            force: room(nv),
            mass: room(nv * nv),
            constraint: room(nc * nv),
            at_rest: room(nc),
            velocity: room(nc),
            position: room(nl),
        })
    }

    /// Methods that ask for parts.
    pub fn asked_by(method: MethodKind) -> bool {
        use MethodKind::{Automatic, ByModel, HalfExplicit, RosenbrockNystroem};
        matches!(method, HalfExplicit | RosenbrockNystroem | Automatic | ByModel)
    }

    /// The vectors at a point off the constraints with λ = μ = 0, where `rows` were evaluated.
    pub fn vectors(&mut self, system: &mut dyn System, (t, y): (f64, &[f64])) -> Answer {
        let position = Some(&mut self.position[..]).filter(|g| !g.is_empty());
        let (force, velocity) = (Some(&mut self.force[..]), Some(&mut self.velocity[..]));
        let outcome = system.parts(t, y, Parts { force, velocity, position, ..Parts::default() });
        answer(outcome, [&self.force, &self.velocity, &self.position])
    }

    /// M, C and γ at the point itself.
    pub fn matrices(&mut self, system: &mut dyn System, (t, x): (f64, &[f64])) -> Answer {
        self.mass.fill(0.0);
        self.constraint.fill(0.0);
        let (mass, constraint) = (Some(&mut self.mass[..]), Some(&mut self.constraint[..]));
        let at_rest = Some(&mut self.at_rest[..]);
        let outcome = system.parts(t, x, Parts { mass, constraint, at_rest, ..Parts::default() });
        answer(outcome, [&self.mass, &self.constraint, &self.at_rest])
    }

    /// The vectors are not those of the rows.
    pub fn other_vectors(&self, l: &Layout, rows: &[f64], part: f64) -> bool {
        differ(&self.force, l.rda.f_dyn.of(rows), part)
            || differ(&self.velocity, &rows[l.rda.g_velocity.start..l.rda.h.end], part)
            || differ(&self.position, l.rda.g.of(rows), part)
    }

    /// M is another, or C u is not what (gI, h) change by.
    pub fn other_matrices(&self, mass: &[f64], u: &[f64], change: impl Fn(usize) -> f64, part: f64) -> bool {
        differ(&self.mass, mass, part)
            || (0..self.at_rest.len()).any(|i| {
                let (sum, size) = self.times(i, u);
                (sum - change(i)).abs() > part * (size + change(i).abs())
            })
    }

    /// Row i of C v' + γ, and what it is the sum of.
    pub fn acceleration(&self, i: usize, a: &[f64]) -> (f64, f64) {
        let (sum, size) = self.times(i, a);
        (sum + self.at_rest[i], size + self.at_rest[i].abs())
    }

    /// Row i of C times a vector, and the sum of the absolute values.
    fn times(&self, i: usize, vector: &[f64]) -> (f64, f64) {
        let nc = self.at_rest.len();
        vector.iter().enumerate().fold((0.0, 0.0), |(sum, size), (j, v)| {
            let product = self.constraint[i + j * nc] * v;
            (sum + product, size + product.abs())
        })
    }
}

fn answer(outcome: Option<Outcome>, written: [&Vec<f64>; 3]) -> Answer {
    match outcome {
        Some(Outcome::Stop) => Answer::Stop,
        Some(Outcome::Continue) if written.iter().all(|part| all_finite(part)) => Answer::Given,
        _ => Answer::None,
    }
}
