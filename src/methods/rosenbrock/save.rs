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
