//! The mass matrix.

use super::{all_finite, check, twice, Result};
use crate::error::Code;
use crate::layout::Layout;
use crate::linalg::{Scalar, Stored};
use crate::options::MassStructure;
use crate::system::{Entries, Sparsity, System};

/// The mass matrix with its structure (MASSTRCT): products cost NV multiplications per vector if it is
/// diagonal, NV² if it is full.
#[derive(Clone, Debug)]
pub struct Mass {
    structure: MassStructure,
    nv: usize,
    full: Stored,
    diagonal: Vec<f64>,
    evaluated: bool,
}

impl Mass {
    /// Not yet evaluated.
    pub fn new(layout: &Layout, structure: MassStructure) -> Self {
        Self::stored(layout, structure, None)
    }

    /// The same, stored by the pattern, if there is one: only for a constant matrix, whose dense form is needed but once.
    pub fn stored(layout: &Layout, structure: MassStructure, pattern: Option<&Sparsity>) -> Self {
        let nv = layout.dims.nv;
        let diagonal = if structure.is_diagonal() { nv } else { 0 };
        let full = match pattern {
            Some(pattern) => Stored::by_pattern(nv, nv, &pattern.mass),
            None => Stored::dense(nv, nv),
        };
        Mass { structure, nv, full, diagonal: vec![0.0; diagonal], evaluated: false }
    }

    /// The structure.
    pub fn structure(&self) -> MassStructure {
        self.structure
    }

    /// The entries that are stored, once it was evaluated; their number is [`Mass::len`].
    pub fn saved(&self) -> Option<&[f64]> {
        self.evaluated.then_some(&self.full)
    }

    /// How many entries are stored.
    #[allow(clippy::len_without_is_empty)] // a matrix is not empty
    pub fn len(&self) -> usize {
        self.full.len()
    }

    /// The matrix as it is stored, once it was evaluated.
    pub fn entries(&self) -> Option<&Stored> {
        self.evaluated.then_some(&self.full)
    }

    /// The entries, those off the diagonal zero if the structure says so.
    pub fn copy_to(&self, full: &mut [f64]) {
        if self.structure.is_diagonal() {
            full.fill(0.0);
            full.iter_mut().step_by(self.nv + 1).zip(&self.diagonal).for_each(|(m, d)| *m = *d);
        } else {
            full.copy_from_slice(&self.full);
        }
    }

    /// To be evaluated again, also if it is constant.
    pub fn forget(&mut self) {
        self.evaluated = false;
    }

    /// Put back what [`Mass::saved`] gave.
    pub fn restore(&mut self, full: &[f64]) {
        self.full.copy_from_slice(full);
        self.evaluated = true;
        self.extract_diagonal();
    }

    fn extract_diagonal(&mut self) {
        for (i, d) in self.diagonal.iter_mut().enumerate() {
            *d = self.full.get(i, i);
        }
    }

    /// NV.
    pub fn order(&self) -> usize {
        self.nv
    }

    /// The matrix, of which all entries are stored.
    pub fn full(&self) -> &[f64] {
        &self.full
    }

    /// Its diagonal; empty unless the structure is diagonal.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// y += factor·M·x in the given rows of y; adds the multiplications with entries of M made to `count`.
    pub fn add_rows(&self, rows: &[usize], factor: f64, x: &[f64], y: &mut [f64], count: &mut u64) {
        if self.structure.is_diagonal() {
            *count += rows.len() as u64;
            rows.iter().for_each(|&i| y[i] += factor * (self.diagonal[i] * x[i]));
            return;
        }
        *count += (rows.len() * self.nv) as u64;
        let nv = self.nv.max(1);
        if rows.len() == self.nv {
            self.full.chunks_exact(nv).zip(x).for_each(|(column, x)| f64::axpy(factor * x, column, y));
            return;
        }
        for &i in rows {
            let row = self.full.iter().skip(i).step_by(nv);
            y[i] = row.zip(x).fold(y[i], |y, (m, x)| y + factor * x * m);
        }
    }

    /// Evaluate MAS; a constant matrix only once.
    pub fn evaluate(&mut self, system: &mut dyn System, t: f64, x: &[f64], calls: &mut u64) -> Result {
        if self.nv == 0 || (self.evaluated && self.structure.is_constant()) {
            return Ok(());
        }
        let code = Code::StoppedByMas;
        let full = &mut self.full;
        let evaluate = || {
            full.fill(0.0);
            let outcome = if full.is_dense() {
                system.mass(t, x, full)
            } else if system.has_entries() {
                system.entries(t, x, Entries::Mass(full))
            } else {
                let mut whole = vec![0.0; self.nv * self.nv];
                let outcome = system.mass(t, x, &mut whole);
                full.take_from(&whole);
                outcome
            };
            check(outcome, code, || all_finite(full))
        };
        twice(code, evaluate, calls)?;
        self.evaluated = true;
        self.extract_diagonal();
        Ok(())
    }

    /// Where to write the matrix, zeros, unless it is constant and known; then [`Mass::received`].
    pub fn receive(&mut self) -> Option<&mut [f64]> {
        if self.nv == 0 || (self.evaluated && self.structure.is_constant()) {
            return None;
        }
        self.full.fill(0.0);
        Some(&mut self.full)
    }

    /// Take what was written after [`Mass::receive`]; false if it is not finite.
    pub fn received(&mut self) -> bool {
        self.evaluated = all_finite(&self.full);
        self.extract_diagonal();
        self.evaluated
    }

    /// Y = M X for k columns; adds the multiplications made to `count`.
    pub fn mul(&self, k: usize, x: &[f64], y: &mut [f64], count: &mut u64) {
        let nv = self.nv;
        if nv == 0 {
            return;
        }
        if self.structure.is_diagonal() {
            for (x, y) in x.chunks_exact(nv).zip(y.chunks_exact_mut(nv)).take(k) {
                for ((y, x), d) in y.iter_mut().zip(x).zip(&self.diagonal) {
                    *y = d * x;
                }
            }
            *count += (k * nv) as u64;
        } else if !self.full.is_dense() {
            for (x, y) in x.chunks_exact(nv).zip(y.chunks_exact_mut(nv)).take(k) {
                y.iter_mut().enumerate().for_each(|(i, y)| *y = self.full.row_times(i, 0..nv, x));
            }
            *count += (k * self.full.len()) as u64;
        } else {
            crate::linalg::products::mul(nv, nv, k, &self.full, x, y);
            *count += (k * nv * nv) as u64;
        }
    }
}
