//! C and Z by differences that are exact: the rows gI, h and f_kin are affine in v, so a difference over any width has only
//! rounding errors, and one over the size of v itself has the fewest. A column costs one evaluation, and only those of v are
//! needed: whether forces depend on λ, μ by -Cᵀ(λ, μ) alone is seen where it matters, at the multipliers found.

use super::{Halt, Motion, Result, Source, SAME_FORCE};
use crate::error::Code;
use crate::layout::Form;
use crate::model::{eom, Calls, Trouble};

impl Motion {
    /// True if the matrices of this point come from differences in v.
    pub(super) fn is_affine(&self) -> bool {
        let d = self.layout.dims;
        self.source == Source::Differences && d.nw + d.ns == 0 && !self.nu.is_empty() && !self.other_forces
    }

    /// λ, μ and the acceleration (in place of f_dyn); false if forces depend on the multipliers otherwise, or the model cannot be
    /// evaluated at velocities so far away. Then the point is as before.
    pub(super) fn solve_affine(&mut self, model: &mut Calls<'_>, (t, h): (f64, f64)) -> Result<bool> {
        let (l, m) = (self.layout, self.nu.len());
        let multipliers = l.x.multipliers;
        self.guess.copy_from_slice(multipliers.of(&self.x));
        multipliers.of_mut(&mut self.x).fill(0.0);
        self.evaluate(model, t)?;
        model.stats.njac += 1;
        if !self.velocity_columns(model, t)? {
            multipliers.of_mut(&mut self.x).copy_from_slice(&self.guess);
            return Ok(false);
        }
        self.decompose()?;
        self.force.copy_from_slice(l.rda.f_dyn.of(&self.rda));
        self.solve_linear(model, (t, h))?;
        model.eom(t, &self.x, &mut self.rows)?;
        let (mut difference, mut scale) = (0.0f64, 0.0f64);
        for ((c, free), bound) in self.c.chunks_exact(m).zip(&self.force).zip(l.rda.f_dyn.of(&self.rows)) {
            let by_constraints: f64 = c.iter().zip(&self.nu).map(|(c, nu)| c * nu).sum();
            difference = difference.max((free - by_constraints - bound).abs());
            scale = scale.max(by_constraints.abs() + free.abs());
        }
        if difference > SAME_FORCE * scale {
            if self.suits && l.form == Form::Index1 {
                // A stage that has run away shows rounding errors of its forces.
                return Err(Halt::Diverged);
            }
            self.other_forces = true;
            multipliers.of_mut(&mut self.x).copy_from_slice(&self.guess);
            return Ok(false);
        }
        self.suits = true;
        l.rda.b.of_mut(&mut self.rda).copy_from_slice(l.rda.b.of(&self.rows));
        Ok(true)
    }

    /// C, and Z in FX6, with the rows at the point in `rda`; false if the model cannot be evaluated on either side.
    fn velocity_columns(&mut self, model: &mut Calls<'_>, t: f64) -> Result<bool> {
        let (l, m) = (self.layout, self.nu.len());
        let np = l.dims.np;
        self.moved.copy_from_slice(&self.x);
        for (j, at) in l.x.v.range().enumerate() {
            let v = self.x[at];
            let width = power_of_two(v.abs().max(self.typical[at]));
            let mut found = None;
            for step in [width, -width] {
                self.moved[at] = v + step;
                model.stats.eom_for_differences += 1;
                let code = Code::StoppedByEomInDifferences;
                match eom(model.system, code, t, &self.moved, &mut self.rows) {
                    Ok(()) => {
                        found = Some(self.moved[at] - v);
                        break;
                    }
                    Err(trouble @ Trouble::Stop { .. }) => return Err(trouble.into()),
                    Err(_) => {}
                }
            }
            self.moved[at] = v;
            let Some(step) = found else { return Ok(false) };
            let rate = |row: usize| (self.rows[row] - self.rda[row]) / step;
            for (i, c) in self.c[j * m..(j + 1) * m].iter_mut().enumerate() {
                *c = rate(l.rda.g_velocity.start + i);
            }
            for (i, z) in self.fx.fx[5][j * np..(j + 1) * np].iter_mut().enumerate() {
                *z = -rate(l.rda.f_kin.start + i);
            }
        }
        Ok(true)
    }
}

/// The largest power of two that is not above v > 0.
fn power_of_two(v: f64) -> f64 {
    v.log2().floor().exp2()
}
