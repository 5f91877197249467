//! What method 2 saves beside the common state: the rate at the point, which is not evaluated again, the partition and decisions.

use super::partition::Level;
use super::{differential, Rosenbrock};
use crate::methods::save::{require, BadState, Reader, Writer};

impl Rosenbrock {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.state(&self.state);
        w.flag(self.begun);
        w.reals(if self.begun { &self.rate } else { &[] });
        w.reals(&self.x);
        w.reals(&self.bend);
        save_level(&mut w, &self.positions);
        save_level(&mut w, &self.velocities);
        self.motion.save(&mut w);
        w.seal()
    }

    /// Put a saved state back. The integrator must have been made for the same system and options. After an error it must
    /// not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let (d, nd) = (self.layout.dims, self.y.len());
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        r.state(&mut self.state)?;
        self.y.copy_from_slice(&differential(&self.layout, &self.state.x));
        self.begun = r.flag("rate")?;
        let given = r.optional("rate", &mut self.rate)?;
        require("rate", given == self.begun || nd == 0)?;
        r.reals("point of the rate", &mut self.x)?;
        r.reals("bend of the points", &mut self.bend)?;
        self.linearized = false;
        read_level(&mut r, &mut self.positions, (d.nl, d.np))?;
        read_level(&mut r, &mut self.velocities, (d.nl + d.nm, d.nv))?;
        self.motion.put_back(&mut r)?;
        r.end()
    }
}

fn save_level(w: &mut Writer, level: &Level) {
    w.flag(level.is_chosen());
    w.real(level.chosen);
    for list in [&level.dependent, &level.rows] {
        w.indices(list.iter().map(|&i| i as u64));
    }
}

/// For m constraints of n coordinates.
fn read_level(r: &mut Reader<'_>, level: &mut Level, (m, n): (usize, usize)) -> Result<(), BadState> {
    let is_chosen = r.flag("partition")?;
    let chosen = r.size("partition")?;
    let dependent = r.distinct("dependent coordinates", n)?;
    let rows = r.distinct("constraints of the partition", m)?;
    require("partition", dependent.len() == rows.len() && (is_chosen || rows.is_empty()))?;
    let independent: Vec<usize> = (0..n).filter(|j| is_chosen && !dependent.contains(j)).collect();
    level.put_back(&independent, &dependent, &rows, (is_chosen.then_some(rows.len()), chosen));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Form, Layout};
    use crate::mechanism::samples::Circle;
    use crate::mechanism::Mechanism;
    use crate::norm::Tolerance;
    use crate::options::Options;

    /// A rate that is said to be there and is not.
    #[test]
    fn a_state_without_its_rate_is_refused() {
        let layout = Layout::new(Circle.dimensions(), Form::StrangenessFree);
        let (options, tolerance, x0) = (Options::of_call(), Tolerance::scalar(1e-6, 1e-6), Circle::x0());
        let make = || Rosenbrock::new(&layout, &options, &tolerance, true, (0.0, &x0, 0.1));
        let mut other = make();
        assert_eq!(make().put_back(&other.saved()), Ok(()));
        other.begun = true;
        assert_eq!(make().put_back(&other.saved()), Ok(()));
        other.rate.clear();
        assert_eq!(make().put_back(&other.saved()), Err(BadState::Field("rate")));
    }
}
