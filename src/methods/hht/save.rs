//! What the next steps depend on beside the common state: the last points with their accelerations and forces, the matrix
//! in hand as it was assembled (its factors are made again, they are deterministic), and the magnitudes seen so far.

use super::{Hht, Points};
use crate::methods::save::{BadState, Reader, Writer};

impl Hht {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        for flag in [self.general, self.begun] {
            w.int(u64::from(flag));
        }
        w.state(&self.state);
        w.int(u64::from(self.singular));
        w.int(self.index1.deficiency as u64);
        w.reals(&self.weights.peak);
        let old = &self.old;
        for part in [&old.x, &old.a, &old.slope, &old.force, &old.f_kin, &old.reported, &old.reported_a] {
            w.reals(part);
        }
        w.reals(self.mass.saved().unwrap_or(&[]));
        w.reals(self.mass_old.saved().unwrap_or(&[]));
        w.reals(self.points.times());
        (0..self.points.count()).for_each(|k| w.reals(self.points.values(k)));
        w.reals(&[self.matrix_for]);
        if self.matrix_for > 0.0 {
            w.reals(self.matrix.entries());
        }
        w.0
    }

    /// Put a saved state back. After an error the integrator must not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        if r.flag()? && !self.general {
            self.use_general_kinematics();
        }
        let begun = r.flag()?;
        r.state(&mut self.state)?;
        self.singular = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        let multipliers = self.unknowns.multipliers.len() as u64;
        let deficiency = r.int()?;
        if deficiency > multipliers {
            return Err(BadState::Damaged);
        }
        self.index1.deficiency = deficiency as usize;
        r.reals(&mut self.weights.peak)?;
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
            r.reals(part)?;
        }
        self.restore_masses(&mut r)?;
        self.restore_points(&mut r)?;
        self.restore_matrix(&mut r)?;
        self.begun = begun;
        r.end()
    }

    fn restore_masses(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let mut full = vec![0.0; self.layout.dims.nv * self.layout.dims.nv];
        for mass in [&mut self.mass, &mut self.mass_old] {
            match r.length()? {
                0 => {}
                n if n == full.len() => {
                    full.iter_mut().try_for_each(|v| r.real().map(|x| *v = x))?;
                    mass.restore(&full);
                }
                _ => return Err(BadState::Damaged),
            }
        }
        Ok(())
    }

    fn restore_points(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let count = r.length()?;
        let mut times = [0.0; super::POINTS];
        let times = times.get_mut(..count).ok_or(BadState::Damaged)?;
        times.iter_mut().try_for_each(|t| r.real().map(|v| *t = v))?;
        let n = self.unknowns.n;
        let mut values = vec![vec![0.0; n]; count];
        values.iter_mut().try_for_each(|v| r.reals(v))?;
        self.points = Points::new(n);
        times.iter().zip(&values).rev().for_each(|(t, v)| self.points.push(*t, v));
        Ok(())
    }

    fn restore_matrix(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let mut matrix_for = [0.0];
        r.reals(&mut matrix_for)?;
        self.matrix_for = 0.0;
        if matrix_for[0] > 0.0 {
            let mut entries = vec![0.0; self.matrix.entries().len()];
            r.reals(&mut entries)?;
            let ready =
                self.matrix.set_entries(&entries) && self.matrix.factor(self.index1.deficiency).is_ok();
            if !ready {
                return Err(BadState::Damaged);
            }
            self.matrix_for = matrix_for[0];
        }
        Ok(())
    }
}
