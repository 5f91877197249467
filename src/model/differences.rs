//! Jacobian of the right-hand side by differences (GEFXNUM), used if IJAC=0.
//!
//! Increments respect the scale of each variable: √ε·max(|x_j|, ATOL_j/RTOL_j), the second being the
//! magnitude below which the user calls x_j small. One-sided differences have an error of about
//! √ε; where ranks are decided by the SVD, central differences (about ε^(2/3)) are taken. λ and μ enter the equations
//! linearly, but for friction, and G M⁻¹ Gᵀ has the squares of the singular values of G: their increments are ε^(1/4) of their
//! size, which leaves the rounding errors (about ε^(3/4)) alone.

use super::groups::Groups;
use super::{Calls, Result, Trouble};
use crate::error::Code;
use crate::layout::Layout;
use crate::system::JacobianBlocks;

/// Work space for difference Jacobians.
#[derive(Clone, Debug)]
pub struct Differences {
    x: Vec<f64>,
    base: Vec<f64>,
    moved: Vec<f64>,
    back: Vec<f64>,
    /// Of each column: how far it was moved, forward and in all.
    width: Vec<f64>,
    /// Columns that are moved together, once the model was asked for its pattern.
    groups: Option<Groups>,
}

/// Where and how differences are taken: what stays the same over all columns.
pub struct At<'a> {
    /// Of the model.
    pub layout: &'a Layout,
    /// Reported if EOM stops the run.
    pub code: Code,
    /// Central differences, or one-sided ones.
    pub central: bool,
    /// Time.
    pub t: f64,
    /// Point.
    pub x: &'a [f64],
    /// ATOL/RTOL per component.
    pub typical: &'a [f64],
}

impl At<'_> {
    /// The increment of a component.
    fn step(&self, j: usize) -> f64 {
        let relative = match (self.layout.x.multipliers.contains(j), self.central) {
            (true, _) => f64::EPSILON.sqrt().sqrt(),
            (false, true) => f64::EPSILON.cbrt(),
            (false, false) => f64::EPSILON.sqrt(),
        };
        let size = relative * self.x[j].abs().max(self.typical[j]);
        if self.x[j] < 0.0 {
            -size
        } else {
            size
        }
    }
}

impl Differences {
    /// Allocate for a layout.
    pub fn new(layout: &Layout) -> Self {
        Differences {
            x: vec![0.0; layout.n],
            base: vec![0.0; layout.m],
            moved: vec![0.0; layout.m],
            back: vec![0.0; layout.m],
            width: vec![0.0; layout.n],
            groups: None,
        }
    }

    /// One column after the other, whatever pattern the model declares: to check it.
    pub fn by_columns(layout: &Layout) -> Self {
        Differences { groups: Some(Groups::single(layout.n)), ..Self::new(layout) }
    }

    /// Fill `fx` with NEGATIVE differences. EOM is called once, and once for each group of columns (twice if they are central).
    pub fn evaluate(&mut self, model: &mut Calls<'_>, at: &At<'_>, fx: &mut JacobianBlocks) -> Result {
        let layout = at.layout;
        self.x.copy_from_slice(at.x);
        model.stats.eom_for_differences += 1;
        super::eom(model.system, at.code, at.t, at.x, &mut self.base)?;
        let groups = self.groups.take().unwrap_or_else(|| match model.system.sparsity() {
            Some(pattern) => Groups::of_pattern(layout, pattern),
            None => Groups::single(layout.n),
        });
        let result = (0..groups.len()).try_for_each(|group| {
            let columns = groups.columns(group);
            self.difference(model, at, columns)?;
            columns.iter().for_each(|&j| match groups.entries(j) {
                None => self.store_column(layout, j, fx),
                Some(entries) => self.store_entries(layout, j, entries, fx),
            });
            Ok(())
        });
        self.groups = Some(groups);
        result
    }

    /// Rows at the two points of a difference in these columns into `moved` and `back`, the distances into `width`.
    fn difference(&mut self, model: &mut Calls<'_>, at: &At<'_>, columns: &[usize]) -> Result {
        columns.iter().for_each(|&j| self.width[j] = 0.0);
        match (self.moved_by(model, at, columns, 1.0), at.central) {
            (Ok(()), false) => self.back.copy_from_slice(&self.base),
            (Ok(()), true) => {
                std::mem::swap(&mut self.moved, &mut self.back);
                self.moved_by(model, at, columns, -1.0)?;
                std::mem::swap(&mut self.moved, &mut self.back);
            }
            (Err(Trouble::Stop { code, not_finite }), _) => {
                return Err(Trouble::Stop { code, not_finite });
            }
            // The model may not reach beyond the point: look to the other side.
            (Err(_), _) => {
                columns.iter().for_each(|&j| self.width[j] = 0.0);
                self.moved_by(model, at, columns, -1.0)?;
                columns.iter().for_each(|&j| self.width[j] = -self.width[j]);
                self.back.copy_from_slice(&self.base);
            }
        }
        Ok(())
    }

    /// EOM at x + sign·step in these columns into `moved`; adds to the widths what was moved in floating point.
    fn moved_by(&mut self, model: &mut Calls<'_>, at: &At<'_>, columns: &[usize], sign: f64) -> Result {
        model.stats.eom_for_differences += 1;
        for &j in columns {
            self.x[j] = at.x[j] + sign * at.step(j);
            self.width[j] += sign * (self.x[j] - at.x[j]);
        }
        let result = super::eom(model.system, at.code, at.t, &self.x, &mut self.moved);
        columns.iter().for_each(|&j| self.x[j] = at.x[j]);
        result
    }

    /// All rows of a column.
    fn store_column(&self, layout: &Layout, j: usize, fx: &mut JacobianBlocks) {
        for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
            let (m, n) = fx.shape[k];
            if j < first || j >= first + n || !fx.fx[k].is_dense() {
                continue;
            }
            let column = &mut fx.fx[k][(j - first) * m..(j - first + 1) * m];
            for ((c, moved), back) in column.iter_mut().zip(rows.of(&self.moved)).zip(rows.of(&self.back)) {
                *c = (back - moved) / self.width[j];
            }
        }
    }

    /// Those that the pattern has, as (block, row); the others are zero.
    fn store_entries(&self, layout: &Layout, j: usize, entries: &[(usize, usize)], fx: &mut JacobianBlocks) {
        for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
            let ((m, n), block) = (fx.shape[k], &mut fx.fx[k]);
            if j < first || j >= first + n {
                continue;
            }
            if block.is_dense() {
                block[(j - first) * m..(j - first + 1) * m].fill(0.0);
            }
            let (back, moved) = (rows.of(&self.back), rows.of(&self.moved));
            for &(_, i) in entries.iter().filter(|entry| entry.0 == k) {
                block.set(i, j - first, (back[i] - moved[i]) / self.width[j]);
            }
        }
    }
}
