//! Columns of the Jacobian that differences can move together: no row depends on two of a group (Curtis, Powell & Reid, J. Inst.
//! Math. Appl. 13, 1974). Without a pattern every column is a group of its own.

use crate::layout::Layout;
use crate::system::Sparsity;

/// The groups, and of each column the entries that the pattern allows.
#[derive(Clone, Debug)]
pub struct Groups {
    columns: Vec<usize>,
    ends: Vec<usize>,
    pattern: Option<Entries>,
}

/// Entries (block, row of the block) of column j: `list[first[j]..first[j + 1]]`.
#[derive(Clone, Debug)]
struct Entries {
    list: Vec<(usize, usize)>,
    first: Vec<usize>,
}

impl Entries {
    fn of(&self, column: usize) -> &[(usize, usize)] {
        &self.list[self.first[column]..self.first[column + 1]]
    }
}

impl Groups {
    /// One column after the other.
    pub fn single(n: usize) -> Self {
        Groups { columns: (0..n).collect(), ends: (1..=n).collect(), pattern: None }
    }

    /// First fit: a column joins the first group that does not reach any of its rows.
    pub fn of_pattern(layout: &Layout, pattern: &Sparsity) -> Self {
        let position = layout.fx_position();
        let mut by_column = vec![Vec::new(); layout.n];
        for (k, list) in pattern.fx.iter().enumerate() {
            for &(row, column) in list {
                by_column[position[k].1 + column as usize].push((k, row as usize));
            }
        }
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut reached_by = vec![Vec::new(); layout.m];
        for (j, entries) in by_column.iter_mut().enumerate() {
            entries.sort_unstable();
            entries.dedup();
            let rows = || entries.iter().map(|&(k, row)| position[k].0.start + row);
            let taken = |group: usize| rows().any(|row| reached_by[row].contains(&group));
            let group = (0..members.len()).find(|&group| !taken(group)).unwrap_or(members.len());
            if group == members.len() {
                members.push(Vec::new());
            }
            members[group].push(j);
            rows().for_each(|row| reached_by[row].push(group));
        }
        let end = |total: &mut usize, length: usize| {
            *total += length;
            Some(*total)
        };
        let ends = members.iter().map(Vec::len).scan(0, end).collect();
        let first = std::iter::once(0).chain(by_column.iter().map(Vec::len).scan(0, end)).collect();
        Groups { columns: members.concat(), ends, pattern: Some(Entries { list: by_column.concat(), first }) }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no column.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The columns of a group.
    pub fn columns(&self, group: usize) -> &[usize] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.columns[start..self.ends[group]]
    }

    /// The entries (block, row of the block) that the pattern has in a column; `None`: all.
    pub fn entries(&self, column: usize) -> Option<&[(usize, usize)]> {
        self.pattern.as_ref().map(|pattern| pattern.of(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};

    /// Three bodies on a line, neighbours coupled: f_dyn(i) depends on p(i-1), p(i), p(i+1).
    #[test]
    fn columns_of_a_group_share_no_row() {
        let n = 7;
        let dims = Dimensions { np: n, nv: n, ..Dimensions::default() };
        let layout = Layout::new(dims, Form::StrangenessFree);
        let mut pattern = Sparsity::default();
        let (p, v) = (layout.x.p.start, layout.x.v.start);
        for i in 0..n {
            for j in i.saturating_sub(1)..(i + 2).min(n) {
                pattern.fx[4].push((i as u32, (p + j) as u32));
            }
            pattern.fx[5].push((i as u32, i as u32)); // columns from v on
        }
        let groups = Groups::of_pattern(&layout, &pattern);
        // Velocities share no row with each other nor with positions: they join the three groups of the band.
        assert_eq!(groups.len(), 3);
        let mut seen = vec![0; layout.n];
        for group in 0..groups.len() {
            let mut rows = vec![0; layout.m];
            for &j in groups.columns(group) {
                seen[j] += 1;
                for &(k, row) in groups.entries(j).unwrap() {
                    rows[layout.fx_position()[k].0.start + row] += 1;
                }
            }
            assert!(rows.iter().all(|&count| count <= 1), "group {group}");
        }
        assert!(seen.iter().all(|&count| count == 1));
        assert_eq!(groups.entries(v), Some(&[(5, 0)][..]));
        assert_eq!(Groups::single(4).len(), 4);
        assert!(Groups::single(4).entries(0).is_none());
    }
}
