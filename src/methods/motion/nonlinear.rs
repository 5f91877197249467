//! What is not linear at a point: w, λ, μ where forces depend on them (friction), and contact points, by Newton's method.

use super::*;

/// Relative size of a correction that is only rounding.
const ROUNDING: f64 = 1e-14;
/// Contraction beyond which the matrix of the contact equations is renewed; a better one is not relied on.
const SLOW: f64 = 0.02;

impl Motion {
    /// The block of FX1 for w, λ, μ.
    pub(super) fn factor_algebraic(&mut self) -> Result {
        let entries = self.layout.m1() * self.layout.n1();
        self.algebraic.matrix_mut().copy_from_slice(&self.fx.fx[0][..entries]);
        Ok(self.algebraic.factor().map_err(|_| Defect::Constraints(None))?)
    }

    /// w, λ, μ from d, gII, hI by Newton's method, then the acceleration in place of f_dyn.
    pub(super) fn solve_coupled(&mut self, model: &mut Calls<'_>, (t, h): (f64, f64)) -> Result {
        let (l, n1) = (self.layout, self.layout.n1());
        self.factor_algebraic()?;
        let mut before = f64::INFINITY;
        for iteration in 0..MAX_ITERATIONS {
            self.evaluate(model, t)?;
            let step = &mut self.step[..n1];
            step.copy_from_slice(l.rda.rows1.of(&self.rda));
            self.algebraic.solve(step);
            model.stats.nbsub += 1;
            let x = l.x.algebraic.of_mut(&mut self.x);
            let scale = x.iter().fold(0.0f64, |s, x| s.max(x.abs()));
            let size = step.iter().fold(0.0f64, |s, d| s.max(d.abs()));
            x.iter_mut().zip(&*step).for_each(|(x, d)| *x += d);
            let scale = x.iter().fold(scale, |s, x| s.max(x.abs()));
            // Rows and forces follow linearly what was added last.
            for (k, rows) in [(3, l.rda.b), (4, l.rda.f_dyn)] {
                let n = rows.len();
                products::add_mul_vec(n, n1, -1.0, &self.fx.fx[k], step, rows.of_mut(&mut self.rda));
            }
            let stalled = iteration > 0 && size > 0.3 * before;
            let rate = contraction(size, before);
            if size * rate.max(SLOW) <= ROUNDING * scale || (stalled && size <= 1e-9 * scale) || size == 0.0 {
                return self.acceleration(model, (t, h));
            }
            if !size.is_finite() || (stalled && size > before) {
                return Err(Halt::Diverged);
            }
            before = size;
        }
        Err(Halt::Diverged)
    }

    /// f_dyn := a, the multipliers being known.
    fn acceleration(&mut self, model: &mut Calls<'_>, point: (f64, f64)) -> Result {
        if self.saddle.is_whole() {
            self.constraint_rate(model, point)?;
            factored(&mut self.saddle)?.solve(self.layout.rda.f_dyn.of_mut(&mut self.rda), &mut self.nu);
        } else {
            factored(&mut self.saddle)?.solve_mass(self.layout.rda.f_dyn.of_mut(&mut self.rda));
        }
        Ok(())
    }

    /// s from c(p, s) = 0 by Newton's method.
    pub(super) fn settle_contact(&mut self, model: &mut Calls<'_>, t: f64) -> Result {
        let (l, ns) = (self.layout, self.layout.dims.ns);
        if ns == 0 {
            return Ok(());
        }
        let (mut before, mut stalled) = (f64::INFINITY, true);
        for _ in 0..MAX_ITERATIONS {
            self.evaluate(model, t)?;
            if stalled {
                self.linearize(model, t)?;
                let m3 = l.m3();
                for (j, column) in self.contact.matrix_mut().chunks_exact_mut(ns).enumerate() {
                    column.copy_from_slice(&self.fx.fx[2][j * m3..j * m3 + ns]);
                }
                self.contact.factor().map_err(|_| Defect::Constraints(None))?;
            }
            let step = &mut self.step[..ns];
            step.copy_from_slice(l.rda.c.of(&self.rda));
            self.contact.solve(step);
            let s = l.x.s.of_mut(&mut self.x);
            let (mut size, mut scale) = (0.0f64, 0.0f64);
            for ((s, d), typical) in s.iter_mut().zip(&*step).zip(l.x.s.of(&self.typical)) {
                *s += d;
                size = size.max(d.abs());
                scale = scale.max(s.abs().max(*typical));
            }
            let (last, rate) = (stalled, contraction(size, before));
            stalled = rate > SLOW;
            if size * rate.max(SLOW) <= ROUNDING * scale || (last && size <= 1e-11 * scale) {
                return Ok(());
            }
            if !size.is_finite() || (last && size > 2.0 * before) {
                return Err(Halt::Diverged);
            }
            before = size;
        }
        Err(Halt::Diverged)
    }
}

/// Ratio of two corrections, 1 for the first one.
fn contraction(size: f64, before: f64) -> f64 {
    if before.is_finite() {
        (size / before).min(1.0)
    } else {
        1.0
    }
}
