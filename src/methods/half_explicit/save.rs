//! What method 4 saves beside the common state: the rate at the point, which is not evaluated again, and decisions.

use super::motion::Source;
use super::{differential, HalfExplicit};
use crate::methods::save::{BadState, Reader, Writer};

impl HalfExplicit {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let nd = self.y.len();
        let mut w = Writer::begin(&self.layout, &self.options);
        w.int(u64::from(self.tableau.order));
        w.state(&self.state);
        w.reals(if self.begun { &self.k[..nd] } else { &[] });
        w.reals(&[self.contraction]);
        w.int(u64::from(self.stiffness.steps));
        w.reals(&[self.stiffness.mean]);
        w.int(self.motion.source as u64);
        w.int(u64::from(self.motion.saddle.is_whole()));
        w.int(self.motion.saddle.rank().map_or(u64::MAX, |r| r as u64));
        w.indices(self.motion.saddle.rows().iter().map(|&row| row as u64));
        let constant = self.motion.mass.structure().is_constant();
        w.reals(self.motion.mass.saved().filter(|_| constant).unwrap_or(&[]));
        w.0
    }

    /// Put a saved state back. The integrator must have been made for the same system and options. After an error it must
    /// not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let nd = self.y.len();
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        if r.int()? != u64::from(self.tableau.order) {
            return Err(BadState::Different);
        }
        r.state(&mut self.state)?;
        self.y.copy_from_slice(&differential(&self.layout, &self.state.x));
        self.begun = read_optional(&mut r, &mut self.k[..nd])?;
        let mut number = [0.0];
        r.reals(&mut number)?;
        self.contraction = number[0];
        self.stiffness.steps = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        r.reals(&mut number)?;
        self.stiffness.mean = number[0];
        self.motion.source = match r.int()? {
            0 => Source::Unknown,
            1 => Source::Supplied,
            2 => Source::Jacobian,
            3 => Source::Differences,
            _ => return Err(BadState::Damaged),
        };
        let whole = r.flag()?;
        let rank = match r.int()? {
            u64::MAX => None,
            rank if rank <= self.layout.n as u64 => Some(rank as usize),
            _ => return Err(BadState::Damaged),
        };
        let rows = r.indices(self.layout.dims.nl + self.layout.dims.nm)?;
        // Each row once.
        if (1..rows.len()).any(|i| rows[..i].contains(&rows[i])) || rows.contains(&usize::MAX) {
            return Err(BadState::Damaged);
        }
        self.motion.saddle.recall(whole, rank, &rows);
        let mut full = vec![0.0; self.layout.dims.nv * self.layout.dims.nv];
        if read_optional(&mut r, &mut full)? {
            self.motion.mass.restore(&full);
        }
        self.interpolation.keep(0, &self.state.x);
        r.end()
    }
}

/// Numbers that may be absent; false if they are.
fn read_optional(r: &mut Reader<'_>, into: &mut [f64]) -> Result<bool, BadState> {
    match r.length()? {
        0 => Ok(into.is_empty()),
        n if n == into.len() => into.iter_mut().try_for_each(|v| r.real().map(|x| *v = x)).map(|()| true),
        _ => Err(BadState::Damaged),
    }
}
