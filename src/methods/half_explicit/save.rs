//! What method 4 saves beside the common state: the rate at the point, which is not evaluated again, and decisions.

use super::{differential, HalfExplicit};
use crate::methods::motion::Source;
use crate::methods::save::{require, BadState, Reader, Writer};

impl HalfExplicit {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let nd = self.y.len();
        let mut w = Writer::begin(&self.layout, &self.options);
        w.int(u64::from(self.tableau.order));
        w.state(&self.state);
        w.flag(self.begun);
        w.reals(if self.begun { &self.k[..nd] } else { &[] });
        w.real(self.contraction);
        w.int(u64::from(self.stiffness.steps));
        w.real(self.stiffness.mean);
        w.int(self.motion.source as u64);
        w.flag(self.motion.saddle.is_whole());
        w.indices(self.motion.saddle.rank().map(|r| r as u64).into_iter());
        w.indices(self.motion.saddle.rows().iter().map(|&row| row as u64));
        let constant = self.motion.mass.structure().is_constant();
        w.reals(self.motion.mass.saved().filter(|_| constant).unwrap_or(&[]));
        w.seal()
    }

    /// Put a saved state back. The integrator must have been made for the same system and options. After an error it must
    /// not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let nd = self.y.len();
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        if r.at_most("order", u64::from(u32::MAX))? != u64::from(self.tableau.order) {
            return Err(BadState::Different);
        }
        r.state(&mut self.state)?;
        self.y.copy_from_slice(&differential(&self.layout, &self.state.x));
        self.begun = r.flag("rate")?;
        let given = r.optional("rate", &mut self.k[..nd])?;
        require("rate", given == self.begun || nd == 0)?;
        self.contraction = r.not_negative("rate of convergence")?;
        self.stiffness.steps = r.small("steps of the test for stiffness", u32::MAX - 1)?;
        self.stiffness.mean = r.finite("mean of the test for stiffness")?;
        let sources = [Source::Unknown, Source::Supplied, Source::Jacobian, Source::Differences];
        self.motion.source = r.choice("source of C", &sources)?;
        let constraints = self.layout.dims.nl + self.layout.dims.nm;
        let whole = r.flag("kind of the matrix")?;
        let rank = match r.distinct("rank", constraints + 1)?[..] {
            [] => None,
            [rank] => Some(rank),
            _ => return Err(BadState::Field("rank")),
        };
        let rows = r.distinct("independent constraints", constraints)?;
        self.motion.saddle.values().recall(whole, rank, &rows);
        let mut full = vec![0.0; self.layout.dims.nv * self.layout.dims.nv];
        if r.optional("mass matrix", &mut full)? {
            self.motion.mass.restore(&full);
        }
        self.interpolation.keep(0, &self.state.x);
        r.end()
    }
}
