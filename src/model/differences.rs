//! Jacobian of the right-hand side by differences (GEFXNUM), used if IJAC=0.
//!
//! Increments respect the scale of each variable: √ε·max(|x_j|, ATOL_j/RTOL_j), the second being the
//! magnitude below which the user calls x_j small. One-sided differences have an error of about
//! √ε; where ranks are decided by the SVD, central differences (about ε^(2/3)) are taken. λ and μ enter the equations
//! linearly, but for friction, and G M⁻¹ Gᵀ has the squares of the singular values of G: their increments are ε^(1/4) of their
//! size, which leaves the rounding errors (about ε^(3/4)) alone.

use super::Trouble;
use crate::error::Code;
use crate::layout::Layout;
use crate::system::{JacobianBlocks, System};

/// Work space for difference Jacobians.
#[derive(Clone, Debug)]
pub struct Differences {
    x: Vec<f64>,
    base: Vec<f64>,
    moved: Vec<f64>,
    back: Vec<f64>,
}

impl Differences {
    /// Allocate for a layout.
    pub fn new(layout: &Layout) -> Self {
        Differences {
            x: vec![0.0; layout.n],
            base: vec![0.0; layout.m],
            moved: vec![0.0; layout.m],
            back: vec![0.0; layout.m],
        }
    }

    /// Fill `fx` with NEGATIVE differences at (t, x). `typical` is ATOL/RTOL per component; `code` is
    /// reported if EOM stops the run; EOM calls are added to `calls`.
    #[allow(clippy::too_many_arguments)] // one call site per purpose; a struct would only rename them
    pub fn evaluate(
        &mut self,
        system: &mut dyn System,
        layout: &Layout,
        code: Code,
        central: bool,
        (t, x): (f64, &[f64]),
        typical: &[f64],
        fx: &mut JacobianBlocks,
        calls: &mut u64,
    ) -> Result<(), Trouble> {
        self.x.copy_from_slice(x);
        *calls += 1;
        super::eom(system, code, t, x, &mut self.base)?;
        let relative = if central { f64::EPSILON.cbrt() } else { f64::EPSILON.sqrt() };
        for j in 0..layout.n {
            let linear = layout.x.multipliers.contains(j);
            let relative = if linear { f64::EPSILON.sqrt().sqrt() } else { relative };
            let size = relative * x[j].abs().max(typical[j]);
            let step = if x[j] < 0.0 { -size } else { size };
            let moved = self.moved_by(system, code, t, j, x[j], step, calls);
            let width = match (moved, central) {
                (Ok(forward), false) => {
                    self.back.copy_from_slice(&self.base);
                    forward
                }
                (Ok(forward), true) => {
                    std::mem::swap(&mut self.moved, &mut self.back);
                    let backward = self.moved_by(system, code, t, j, x[j], -step, calls)?;
                    std::mem::swap(&mut self.moved, &mut self.back);
                    forward - backward
                }
                // The model may not reach beyond the point: look to the other side.
                (Err(Trouble::Stop { code, not_finite }), _) => {
                    return Err(Trouble::Stop { code, not_finite });
                }
                (Err(_), _) => {
                    self.back.copy_from_slice(&self.base);
                    self.moved_by(system, code, t, j, x[j], -step, calls)?
                }
            };
            self.store_column(layout, j, width, fx);
        }
        Ok(())
    }

    /// EOM at x + step·e_j into `moved`; returns the step as it was in floating point.
    #[allow(clippy::too_many_arguments)] // private helper of the loop above
    fn moved_by(
        &mut self,
        system: &mut dyn System,
        code: Code,
        t: f64,
        j: usize,
        xj: f64,
        step: f64,
        calls: &mut u64,
    ) -> Result<f64, Trouble> {
        *calls += 1;
        self.x[j] = xj + step;
        let exact = self.x[j] - xj;
        let result = super::eom(system, code, t, &self.x, &mut self.moved);
        self.x[j] = xj;
        result.map(|()| exact)
    }

    fn store_column(&self, layout: &Layout, j: usize, width: f64, fx: &mut JacobianBlocks) {
        for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
            let (m, n) = fx.shape[k];
            if j < first || j >= first + n {
                continue;
            }
            let column = &mut fx.fx[k][(j - first) * m..(j - first + 1) * m];
            for ((c, moved), back) in column.iter_mut().zip(rows.of(&self.moved)).zip(rows.of(&self.back)) {
                *c = (back - moved) / width;
            }
        }
    }
}
