//! What the next steps depend on beside the common state: the last points with their accelerations and forces, the matrix
//! in hand as it was assembled (its factors are made again, they are deterministic), and the magnitudes seen so far.

use super::{Hht, Points, Usual, MAX_SINGULAR};
use crate::methods::save::{require, BadState, Reader, Writer};

impl Hht {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        for flag in [self.general, self.begun] {
            w.flag(flag);
        }
        w.state(&self.state);
        w.int(u64::from(self.singular));
        w.int(self.index1.deficiency as u64);
        w.reals(&self.weights.peak);
        let old = &self.old;
        for part in [&old.x, &old.a, &old.slope, &old.force, &old.f_kin, &old.reported, &old.reported_a] {
            w.reals(part);
        }
        w.flag(self.excited);
        if self.excited {
            [&old.smooth, &self.smooth_before].into_iter().for_each(|part| w.reals(part));
        }
        w.mass(&self.mass);
        w.mass(&self.mass_old);
        self.points.save(&mut w);
        w.real(self.usual.h);
        let made_for = self.matrix.factored_for();
        w.real(made_for.unwrap_or(0.0));
        if made_for.is_some() {
            w.reals(self.matrix.assembled());
        }
        w.seal()
    }

    /// Put a saved state back. After an error the integrator must not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        let general = r.flag("kinematics")?;
        require("kinematics", general || !self.general)?;
        if general && !self.general {
            self.use_general_kinematics();
        }
        let begun = r.flag("begun")?;
        r.state(&mut self.state)?;
        self.singular = r.small("singular matrices", MAX_SINGULAR)?;
        self.index1.deficiency = r.index("deficiency", self.unknowns.multipliers.len() + 1)?;
        r.reals("largest magnitudes", &mut self.weights.peak)?;
        require("largest magnitudes", self.weights.peak.iter().all(|v| *v >= 0.0))?;
        self.weights.renew();
        let old = &mut self.old;
        for part in [
            &mut old.x,
            &mut old.a,
            &mut old.slope,
            &mut old.force,
            &mut old.f_kin,
            &mut old.reported,
            &mut old.reported_a,
        ] {
            r.reals("the last point", part)?;
        }
        require("the last point", !begun || self.old.reported == self.state.x)?;
        self.excited = r.flag("force elements")?;
        if self.excited {
            r.reals("force elements", &mut self.old.smooth)?;
            r.reals("force elements", &mut self.smooth_before)?;
        }
        self.restore_masses(&mut r, begun)?;
        self.points = Points::new(self.unknowns.n);
        self.points.restore(&mut r, self.state.t, begun)?;
        if !self.excited {
            let slopes = |k: usize| self.unknowns.slope.of(self.points.values(k));
            self.old.smooth.copy_from_slice(&self.old.slope);
            self.smooth_before.copy_from_slice(slopes(1));
        }
        self.usual = Usual::restored(r.size("usual step size")?);
        self.restore_matrix(&mut r)?;
        self.begun = begun;
        r.end()
    }

    fn restore_masses(&mut self, r: &mut Reader<'_>, begun: bool) -> Result<(), BadState> {
        r.mass(&mut self.mass)?;
        r.mass(&mut self.mass_old)?;
        let needed = if self.options.mass.is_constant() { &self.mass } else { &self.mass_old };
        require("mass matrix", !begun || needed.saved().is_some())
    }

    fn restore_matrix(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let made_for = r.size("step size of the matrix")?;
        self.matrix.discard();
        if made_for > 0.0 {
            r.reals("matrix", self.matrix.values().assembled_mut())?;
            let factored = self.matrix.factor(made_for, |matrix| matrix.factor(self.index1.deficiency));
            require("matrix", factored.is_ok())?;
        }
        Ok(())
    }
}
