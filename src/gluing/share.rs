//! How redundant joints share their forces: those of the joints that are eliminated at one node have minimum norm, the forces themselves and
//! not only their changes. The directions that are not determined turn with the bodies: forces that were least once are not so later.
//!
//! What is taken away along these directions goes the way of all changes dF, so that multipliers within the subdomains follow; it moves nothing.

use super::front::{Front, JointState, Mode};

/// Directions whose forces are below this part of their length have none: they change multipliers of joints alone.
const FORCELESS: f64 = 1e-8;

impl Front {
    /// The undetermined directions of new factors.
    pub(super) fn find_free(&mut self) {
        let (n, count) = (self.unknowns, self.factor.deficiency());
        self.free.clear();
        if count == 0 {
            return;
        }
        // Once, as there may be more directions later.
        self.free.reserve(n * n);
        for k in 0..count {
            let begin = self.free.len();
            self.free.extend((0..n).map(|i| self.factor.undetermined(k, i)));
            let (before, new) = self.free.split_at_mut(begin);
            // Twice: once leaves round-off behind where two directions have nearly the same forces.
            for other in before.chunks_exact(n).chain(before.chunks_exact(n)) {
                let along = self.eliminated.iter().map(|p| dot(p.unknown, p.rows, new, other)).sum::<f64>();
                new.iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
            }
            let square: f64 = self.eliminated.iter().map(|p| dot(p.unknown, p.rows, new, new)).sum();
            if square.sqrt() > FORCELESS {
                new.iter_mut().for_each(|v| *v /= square.sqrt());
            } else {
                self.free.truncate(begin);
            }
        }
    }

    /// Take from z what makes the forces longer than they must be.
    pub(super) fn share_among_redundant(&mut self, mode: Mode, states: &[Option<JointState>]) {
        let n = self.unknowns;
        for direction in self.free.chunks_exact(n.max(1)) {
            let mut along = 0.0;
            for p in &self.eliminated {
                along += dot(p.unknown, p.rows, direction, &self.z);
                if let (Some(state), true) = (&states[p.joint], mode != Mode::Project) {
                    let forces = direction[p.unknown..p.unknown + p.rows].iter().zip(&state.force);
                    along += forces.map(|(d, f)| d * f).sum::<f64>();
                }
            }
            self.z.iter_mut().zip(direction).for_each(|(z, d)| *z -= along * d);
        }
    }
}

fn dot(start: usize, count: usize, a: &[f64], b: &[f64]) -> f64 {
    let rows = start..start + count;
    a[rows.clone()].iter().zip(&b[rows]).map(|(a, b)| a * b).sum()
}
