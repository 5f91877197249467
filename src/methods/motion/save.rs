//! What the methods on the manifold save of their motion: decisions that are not made again.

use super::{Motion, Source};
use crate::methods::save::{BadState, Reader, Writer};

impl Motion {
    /// Into the bytes of a state.
    pub fn save(&self, w: &mut Writer) {
        w.int(self.source as u64);
        w.flag(self.saddle.is_whole());
        w.indices(self.saddle.rank().map(|r| r as u64).into_iter());
        w.indices(self.saddle.rows().iter().map(|&row| row as u64));
        let constant = self.mass.structure().is_constant();
        w.reals(self.mass.saved().filter(|_| constant).unwrap_or(&[]));
    }

    /// Back from them.
    pub fn put_back(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let sources = [Source::Unknown, Source::Supplied, Source::Jacobian, Source::Differences];
        self.source = r.choice("source of C", &sources)?;
        let constraints = self.layout.dims.nl + self.layout.dims.nm;
        let whole = r.flag("kind of the matrix")?;
        let rank = match r.distinct("rank", constraints + 1)?[..] {
            [] => None,
            [rank] => Some(rank),
            _ => return Err(BadState::Field("rank")),
        };
        let rows = r.distinct("independent constraints", constraints)?;
        self.saddle.values().recall(whole, rank, &rows);
        r.mass(&mut self.mass)
    }
}
