//! Variables that follow from others by equations of their own, w from d and s from c: when their iteration has converged, and w that belongs
//! to the multipliers and velocities that are shown.

use super::local::Local;
use crate::error::Code;
use crate::model::Trouble;

/// Changes of w and s below this part of what the tolerances allow have converged.
const CONVERGED: f64 = 1e-3;
/// What the tolerances allow is not less than this, relative to 1 and the variable.
const FINEST: f64 = 1e-10;
/// Iterations for w, and the one that gets new derivatives.
const ITERATIONS: u32 = 12;
const SECOND_MATRIX: u32 = 3;

/// Changes of these variables, by the size of what the tolerances allow; a change that is no number is larger than that.
fn larger(
    changes: impl Iterator<Item = (f64, f64)>,
    (rtol, atol): (f64, f64),
    part: f64,
    slack: f64,
) -> usize {
    let allowed = |y: f64| (atol + rtol * y.abs()).max(FINEST * (1.0 + y.abs()));
    changes.filter(|&(change, y)| change.is_nan() || change.abs() > part * allowed(y) + slack).count()
}

impl Local<'_> {
    /// How many of w and s have changed by more than converged ones do, and by more than the tolerances allow. w inherits the
    /// round-off of the multipliers.
    pub fn unsettled(&self, tolerance: (f64, f64), round_off: f64) -> [f64; 2] {
        let (l, u, by_p) = (self.view.layout, self.unknowns, self.scales.by_p);
        let count = |part: f64| {
            let w = u.w.of(&self.solution).iter().zip(l.x.w.of(&self.new.x)).map(|(d, y)| (*d, *y));
            let s = u.s.of(&self.solution).iter().zip(l.x.s.of(&self.new.x)).map(|(d, y)| (by_p * d, *y));
            (larger(w, tolerance, part, round_off) + larger(s, tolerance, part, 0.0)) as f64
        };
        [count(CONVERGED), count(1.0)]
    }

    /// w from d = 0 with the positions, velocities and multipliers that are shown. Where d alone does not determine w it stays.
    pub fn renew_auxiliary(&mut self, t: f64, tolerance: (f64, f64)) -> Result<(), Trouble> {
        let l = self.view.layout;
        let n = l.dims.nw;
        if n == 0 {
            return Ok(());
        }
        for k in 0..ITERATIONS {
            self.view.evaluate(&mut *self.system, t, &self.new.x)?;
            if k == 0 || k == SECOND_MATRIX {
                if k > 0 {
                    self.view.differentiate(&mut *self.system, t, &self.new.x)?;
                }
                let matrix = self.of_w.matrix_mut();
                (0..n * n).for_each(|i| matrix[i] = self.view.negative_auxiliary_by_w(i % n, i / n));
                if self.of_w.factor().is_err() {
                    return Ok(());
                }
            }
            let change = &mut self.work[..n];
            change.copy_from_slice(self.view.rows(l.rda.d));
            self.of_w.solve(change);
            let w = l.x.w.of_mut(&mut self.new.x);
            w.iter_mut().zip(&*change).for_each(|(w, d)| *w += d);
            let changes = change.iter().zip(&*w).map(|(d, y)| (*d, *y));
            if larger(changes, tolerance, CONVERGED, 0.0) == 0 {
                return Ok(());
            }
        }
        Err(Trouble::Retry { code: Code::NewtonDiverges })
    }
}
