//! A matrix of which all entries are stored, column by column, or those of a pattern alone, row by row.
//!
//! Who makes it chooses; who reads or writes it by position need not know. As a slice it is what is stored, in that order: for
//! the dense kernels, which are given dense ones, and for saving.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

/// The matrix.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
    /// None: all entries.
    pattern: Option<Arc<Pattern>>,
}

/// Columns of the entries of row i, ascending: `columns[first[i]..first[i + 1]]`.
#[derive(Debug)]
struct Pattern {
    first: Vec<usize>,
    columns: Vec<u32>,
}

impl Pattern {
    /// Where the entries of a row are that lie in these columns.
    fn within(&self, row: usize, columns: &Range<usize>) -> Range<usize> {
        let (start, end) = (self.first[row], self.first[row + 1]);
        let list = &self.columns[start..end];
        let before = |bound: usize| start + list.partition_point(|&c| (c as usize) < bound);
        before(columns.start)..before(columns.end)
    }
}

impl Stored {
    /// All entries, zero.
    pub fn dense(rows: usize, columns: usize) -> Self {
        Stored { rows, columns, values: vec![0.0; rows * columns], pattern: None }
    }

    /// The entries at these positions (row, column), zero; positions may repeat, and must lie in the matrix.
    pub fn by_pattern(rows: usize, columns: usize, positions: &[(u32, u32)]) -> Self {
        let mut sorted = positions.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut first = vec![0; rows + 1];
        sorted.iter().for_each(|&(row, _)| first[row as usize + 1] += 1);
        (0..rows).for_each(|i| first[i + 1] += first[i]);
        let pattern = Pattern { first, columns: sorted.iter().map(|&(_, column)| column).collect() };
        Stored { rows, columns, values: vec![0.0; sorted.len()], pattern: Some(Arc::new(pattern)) }
    }

    /// True if all entries are stored.
    pub fn is_dense(&self) -> bool {
        self.pattern.is_none()
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The positions that are stored, if not all are: where each row begins, and the columns.
    pub fn positions(&self) -> Option<(&[usize], &[u32])> {
        self.pattern.as_deref().map(|pattern| (&pattern.first[..], &pattern.columns[..]))
    }

    #[inline]
    fn place(&self, row: usize, column: usize) -> Option<usize> {
        match &self.pattern {
            None => Some(row + column * self.rows),
            Some(pattern) => {
                Some(pattern.within(row, &(column..column + 1))).filter(|r| !r.is_empty()).map(|r| r.start)
            }
        }
    }

    /// An entry; zero outside of the pattern.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.place(row, column).map_or(0.0, |at| self.values[at])
    }

    /// Write an entry; without effect outside of the pattern.
    #[inline]
    pub fn set(&mut self, row: usize, column: usize, value: f64) {
        if let Some(at) = self.place(row, column) {
            self.values[at] = value;
        }
    }

    /// Add to an entry; without effect outside of the pattern.
    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        if let Some(at) = self.place(row, column) {
            self.values[at] += value;
        }
    }

    /// Take from a dense array, column by column, the entries that are stored.
    pub fn take_from(&mut self, dense: &[f64]) {
        let Some(pattern) = &self.pattern else { return self.values.copy_from_slice(dense) };
        for (row, bounds) in pattern.first.windows(2).enumerate() {
            for at in bounds[0]..bounds[1] {
                self.values[at] = dense[row + pattern.columns[at] as usize * self.rows];
            }
        }
    }

    /// Sum of terms (column, entry) over a row, within these columns.
    pub fn row_sum(&self, row: usize, columns: Range<usize>, term: impl Fn(usize, f64) -> f64) -> f64 {
        match &self.pattern {
            None => columns.map(|j| term(j, self.values[row + j * self.rows])).sum(),
            Some(pattern) => {
                let within = pattern.within(row, &columns);
                within.map(|at| term(pattern.columns[at] as usize, self.values[at])).sum()
            }
        }
    }

    /// The part of a row in these columns times x, which belongs to them.
    pub fn row_times(&self, row: usize, columns: Range<usize>, x: &[f64]) -> f64 {
        match &self.pattern {
            None => columns.zip(x).map(|(j, x)| self.values[row + j * self.rows] * x).sum(),
            Some(_) => {
                let first = columns.start;
                self.row_sum(row, columns, |j, value| value * x[j - first])
            }
        }
    }

    /// The largest size of the entries of a row, within these columns.
    pub fn row_largest(&self, row: usize, columns: Range<usize>) -> f64 {
        match &self.pattern {
            None => columns.fold(0.0f64, |m, j| m.max(self.values[row + j * self.rows].abs())),
            Some(pattern) => pattern.within(row, &columns).fold(0.0f64, |m, at| m.max(self.values[at].abs())),
        }
    }

    /// Every entry in a part that is stored, and not zero.
    pub fn each(&self, rows: Range<usize>, columns: Range<usize>, mut with: impl FnMut(usize, usize, f64)) {
        let mut with = |i: usize, j: usize, value: f64| {
            if value != 0.0 {
                with(i, j, value);
            }
        };
        match &self.pattern {
            None => {
                for j in columns {
                    let first = j * self.rows;
                    let column = &self.values[first + rows.start..first + rows.end];
                    rows.clone().zip(column).for_each(|(i, value)| with(i, j, *value));
                }
            }
            Some(pattern) => {
                for i in rows {
                    for at in pattern.within(i, &columns) {
                        with(i, pattern.columns[at] as usize, self.values[at]);
                    }
                }
            }
        }
    }
}

impl Deref for Stored {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.values
    }
}

impl DerefMut for Stored {
    #[inline]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }
}

impl<'a> IntoIterator for &'a Stored {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds with the same entries, 3 by 4.
    fn both() -> [Stored; 2] {
        let entries = [(2, 3, 7.0), (0, 1, 2.0), (2, 0, -3.0), (0, 3, 5.0)];
        let positions: Vec<(u32, u32)> = entries.iter().map(|&(i, j, _)| (i as u32, j as u32)).collect();
        [Stored::dense(3, 4), Stored::by_pattern(3, 4, &[&positions[..], &[(2, 3), (1, 1)]].concat())].map(
            |mut a| {
                entries.iter().for_each(|&(i, j, value)| a.set(i, j, value));
                a.add(0, 1, 0.5);
                a
            },
        )
    }

    #[test]
    fn both_kinds_have_the_same_entries() {
        let [dense, mut sparse] = both();
        assert!(dense.is_dense() && !sparse.is_dense());
        assert_eq!((dense.len(), sparse.len()), (12, 5));
        let x = [1.0, 10.0, 100.0, 1000.0];
        for i in 0..3 {
            for j in 0..4 {
                assert_eq!(dense.get(i, j), sparse.get(i, j), "({i}, {j})");
            }
            for columns in [0..4, 1..3, 3..4, 2..2] {
                let part = &x[columns.clone()];
                assert_eq!(dense.row_times(i, columns.clone(), part), sparse.row_times(i, columns, part));
            }
        }
        assert_eq!(dense.row_times(0, 0..4, &x), 5025.0);
        assert_eq!(sparse.row_sum(2, 0..4, |j, value| j as f64 * value.abs()), 21.0);
        let all = |a: &Stored| {
            let mut list = Vec::new();
            a.each(0..3, 1..4, |i, j, value| list.push((i, j, value)));
            list.sort_by_key(|&(i, j, _)| (i, j));
            list
        };
        assert_eq!(all(&dense), [(0, 1, 2.5), (0, 3, 5.0), (2, 3, 7.0)]);
        assert_eq!(all(&dense), all(&sparse));
        sparse.fill(0.0);
        sparse.set(0, 0, 9.0); // not in the pattern
        assert!(sparse.iter().all(|v| *v == 0.0));
        sparse.take_from(&dense);
        assert_eq!(all(&dense), all(&sparse));
    }
}
