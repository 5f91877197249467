//! What is said of initial values that are not consistent, or cannot be made so.

use super::*;

impl Consistency<'_> {
    /// NaN names its row.
    pub(super) fn name_row(&self, trouble: Trouble, mut stopped: Stopped) -> Stopped {
        let row =
            self.layout.first_not_finite(&self.rda).filter(|_| matches!(trouble, Trouble::NotFinite { .. }));
        if let Some((row, value)) = row {
            stopped.failure.detail = format!("non-finite values (NaN or Inf): {row} = {value}");
            stopped.failure.component = Some(row);
        }
        stopped
    }

    /// Not enough equations: only the consistency of what was given can be checked.
    pub(super) fn check_only(&self, linear: &Linear, residual: &[f64]) -> Result<(), Failure> {
        if linear.size <= 1.0 && largest(&linear.leftover).1 <= 1.0 {
            return Ok(());
        }
        let (row, value) = largest(residual);
        let row = self.row_name(row);
        if self.conditions == 0 {
            let (row, levels) = self.worst_of_levels(residual, row);
            let detail =
                format!("largest residuals: {levels}; correction {:.2e} times the tolerance", linear.size);
            return Err(Failure::new(Code::InconsistentInitialValues, detail).about(row));
        }
        let variable = linear.undetermined.map_or(row, |i| self.layout.state_name(i));
        let detail = format!(
            "{} equations of rank {} for {} unknowns; {variable} is not determined; largest residual \
             {value:.3e} in {row}",
            self.rows.len() + self.conditions,
            linear.rank,
            self.unknowns.len()
        );
        Err(Failure::new(Code::TooFewConditions, detail).about(variable))
    }

    /// The worst residual of each level, and the row to look at first: that of the lowest level that is not satisfied, because
    /// what lies above it follows from it.
    fn worst_of_levels(&self, residual: &[f64], worst: Name) -> (Name, String) {
        let r = self.layout.rda;
        let (mut first, mut text) = (None, String::new());
        for block in [r.c, r.g, r.h, r.g_velocity, r.d, r.g_acceleration, r.h_acceleration] {
            let of_level = self.rows.iter().zip(residual).filter(|(row, _)| block.contains(**row));
            let largest = of_level.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            let Some((&row, &value)) = largest else { continue };
            let name = self.layout.residual_name(row);
            let separator = if text.is_empty() { "" } else { ", " };
            text.push_str(&format!("{separator}{name} = {value:.3e}"));
            if first.is_none() && value.abs() > 10.0 * self.scaling.rtol_first * self.row_size(row) {
                first = Some(name);
            }
        }
        (first.unwrap_or(worst), text)
    }

    /// What a row changes by if the variables do by their size; FX of the last linearisation is at hand.
    fn row_size(&self, row: usize) -> f64 {
        for (k, (block, first)) in self.layout.fx_position().into_iter().enumerate() {
            if block.contains(row) {
                let (m, n) = self.fx.shape[k];
                let entry =
                    |j: usize| (self.fx.fx[k][row - block.start + j * m] * self.size[first + j]).abs();
                return (0..n).map(entry).fold(0.0, f64::max);
            }
        }
        0.0
    }

    pub(super) fn check_leftover(&self, linear: &Linear) -> Result<(), Failure> {
        let (row, value) = largest(&linear.leftover);
        if value <= 1.0 {
            return Ok(());
        }
        let name = self.row_name(row);
        let detail =
            format!("{name} cannot be satisfied together with the others ({value:.2e} times the tolerance)");
        Err(Failure::new(Code::ContradictoryConditions, detail).about(name))
    }
}
