//! What the next steps depend on beside the common state: the last two points with their rates, the ranks of the constraints, and a
//! constant mass matrix.

use super::{Newmark, Slopes, MAX_SINGULAR};
use crate::methods::save::{require, BadState, Reader, Writer};

impl Newmark {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        for flag in [self.general, self.begun, self.has_before, self.ranks.is_some()] {
            w.flag(flag);
        }
        w.state(&self.state);
        w.int(u64::from(self.singular));
        let measured = &self.state.measures;
        [
            measured.frequency,
            measured.largest_frequency,
            measured.stable_step,
            measured.growth,
            measured.excited,
        ]
        .into_iter()
        .for_each(|v| w.real(v));
        self.ranks.unwrap_or([0; 2]).into_iter().for_each(|rank| w.int(rank as u64));
        let old = &self.old;
        [&old.x, &old.a, &old.mean].into_iter().for_each(|part| w.reals(part));
        for slopes in [Some(&old.slopes), self.has_before.then_some(&self.before)].into_iter().flatten() {
            w.real(slopes.t);
            [&slopes.p, &slopes.v, &slopes.r].into_iter().for_each(|part| w.reals(part));
        }
        self.points.save(&mut w);
        w.reals(self.mass.saved().unwrap_or(&[]));
        w.seal()
    }

    /// Put a saved state back. After an error the integrator must not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        let general = r.flag("kinematics")?;
        require("kinematics", general || self.layout.dims.np == self.layout.dims.nv)?;
        let begun = r.flag("begun")?;
        let (before, ranks) = (r.flag("the point before")?, r.flag("ranks")?);
        require("the point before", begun || !(before || ranks))?;
        r.state(&mut self.state)?;
        self.singular = r.small("singular matrices", MAX_SINGULAR)?;
        let measured = &mut self.state.measures;
        measured.frequency = r.not_negative("frequency")?;
        measured.largest_frequency = r.not_negative("largest frequency")?;
        measured.stable_step = r.not_negative("stable step")?;
        measured.growth = r.not_negative("growth")?;
        measured.excited = r.not_negative("excited frequency")?;
        let d = &self.layout.dims;
        let most = [d.nl.min(d.np), (d.nl + d.nm).min(d.nv)];
        let found = [r.index("ranks", most[0] + 1)?, r.index("ranks", most[1] + 1)?];
        self.ranks = ranks.then_some(found);
        let old = &mut self.old;
        for part in [&mut old.x, &mut old.a, &mut old.mean] {
            r.reals("the last point", part)?;
        }
        let l = &self.layout;
        for block in [l.x.p, l.x.v, l.x.r] {
            require("the last point", !begun || block.of(&old.x) == block.of(&self.state.x))?;
        }
        restore_slopes(&mut r, &mut old.slopes)?;
        require("the last point", !begun || old.slopes.t == self.state.t)?;
        self.has_before = before;
        if before {
            restore_slopes(&mut r, &mut self.before)?;
            require("the point before", self.before.t < self.old.slopes.t)?;
        }
        self.points.restore(&mut r, self.state.t, before)?;
        let mut full = vec![0.0; d.nv * d.nv];
        if r.optional("mass matrix", &mut full)? && d.nv > 0 {
            self.mass.restore(&full);
        }
        require("mass matrix", !begun || d.nv == 0 || self.mass.saved().is_some())?;
        (self.general, self.begun) = (general, begun);
        r.end()
    }
}

fn restore_slopes(r: &mut Reader<'_>, slopes: &mut Slopes) -> Result<(), BadState> {
    slopes.t = r.finite("rates")?;
    [&mut slopes.p, &mut slopes.v, &mut slopes.r].into_iter().try_for_each(|part| r.reals("rates", part))
}
