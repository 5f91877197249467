//! LU with partial pivoting of a matrix that is stored by its pattern, by merging rows (multifrontal; A. George & E. Ng, SIAM J.
//! Sci. Stat. Comput. 8 (1987) 877, for the structure that holds for every choice of pivots).
//!
//! To eliminate a column all rows that may have an entry there are put together into a small dense matrix, its front. One of them
//! is the pivot row, whichever it is; the others go on, with the columns of all of them, to the front of the next of these columns.
//! So the structure is found once and serves every matrix with this pattern: any row of a front can be the pivot, as in a
//! dense LU with partial pivoting, and nothing is allocated again. Columns are eliminated in the order of minimum degree: the
//! one next whose front has the fewest columns.

use super::{all_finite, LinalgError, Stored};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The factors, and the room for them.
#[derive(Clone, Debug)]
pub struct RowMergeLu {
    n: usize,
    fronts: Vec<Front>,
    /// Rows of the fronts, one front after the other: the pivot row first, multipliers in the first column of the others.
    values: Vec<f64>,
    /// Which row of the matrix each of them is.
    row_of: Vec<u32>,
    work: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Front {
    /// Of its rows in `values`.
    first: usize,
    /// Of its rows in `row_of`.
    first_row: usize,
    rows: usize,
    /// Columns of the matrix, in the order of elimination: the own one first.
    columns: Vec<u32>,
    /// Rows of the matrix that begin here.
    begin: Vec<Own>,
    /// Fronts whose rows go on here, and where their columns but the first are found.
    from: Vec<(u32, Vec<u32>)>,
}

/// A row of the matrix, and where its entries go.
#[derive(Clone, Debug)]
struct Own {
    row: u32,
    places: Vec<u32>,
}

/// Rows with the same columns, that wait for the first of these to be eliminated.
struct Element {
    columns: Vec<usize>,
    rows: usize,
    source: Source,
}

enum Source {
    Row(usize),
    Front(usize),
}

impl RowMergeLu {
    /// Find order and structure; `None` if the pattern has no regular matrix, or if the fronts would hold more than `most` numbers.
    pub fn analyse(pattern: &Stored, most: usize) -> Option<Self> {
        let (first, columns) = pattern.positions()?;
        let n = pattern.shape().0;
        let chosen = eliminate(n, first, columns, most)?;
        let mut position = vec![0; n];
        chosen.iter().enumerate().for_each(|(k, front)| position[front.column] = k);
        let mut lu = RowMergeLu {
            n,
            fronts: Vec::with_capacity(n),
            values: Vec::new(),
            row_of: Vec::new(),
            work: vec![0.0; n],
        };
        let mut local = vec![0u32; n];
        for front in chosen {
            let mut list = front.others;
            list.push(front.column);
            list.sort_unstable_by_key(|&c| position[c]);
            list.iter().enumerate().for_each(|(at, &c)| local[c] = at as u32);
            let (mut begin, mut from) = (Vec::new(), Vec::new());
            for source in front.sources {
                match source {
                    Source::Row(row) => {
                        let places = columns[first[row]..first[row + 1]].iter().map(|&c| local[c as usize]);
                        begin.push(Own { row: row as u32, places: places.collect() });
                    }
                    Source::Front(k) => {
                        let others = lu.fronts[k].columns[1..].iter();
                        from.push((k as u32, others.map(|&c| local[c as usize]).collect()));
                    }
                }
            }
            let columns = list.iter().map(|&c| c as u32).collect();
            let (first, first_row) = (lu.values.len(), lu.row_of.len());
            lu.values.resize(first + front.rows * list.len(), 0.0);
            lu.row_of.resize(first_row + front.rows, 0);
            lu.fronts.push(Front { first, first_row, rows: front.rows, columns, begin, from });
        }
        Some(lu)
    }

    /// Numbers of eight bytes that the factors and their structure take.
    pub fn numbers(&self) -> usize {
        let lists = |f: &Front| -> usize {
            let begin: usize = f.begin.iter().map(|own| 8 + own.places.len()).sum();
            let from: usize = f.from.iter().map(|(_, places)| 8 + places.len()).sum();
            begin + from + f.columns.len() + f.rows + 40
        };
        self.values.len() + self.n + self.fronts.iter().map(lists).sum::<usize>() / 2
    }

    /// Factor a matrix of this pattern; pivots up to `least` in size count as zero.
    pub fn factor(&mut self, matrix: &Stored, least: f64) -> Result<(), LinalgError> {
        if !all_finite(matrix) {
            return Err(LinalgError::NotFinite);
        }
        let Some((first, _)) = matrix.positions() else { return Err(LinalgError::Singular { pivot: 0 }) };
        for (k, front) in self.fronts.iter().enumerate() {
            let width = front.columns.len();
            let (before, rest) = self.values.split_at_mut(front.first);
            let (rows_before, rows_rest) = self.row_of.split_at_mut(front.first_row);
            let block = &mut rest[..front.rows * width];
            let row_of = &mut rows_rest[..front.rows];
            block.fill(0.0);
            let mut targets = block.chunks_exact_mut(width).zip(row_of.iter_mut());
            for (own, (target, of)) in front.begin.iter().zip(&mut targets) {
                let entries = &matrix[first[own.row as usize]..];
                own.places.iter().zip(entries).for_each(|(&place, entry)| target[place as usize] = *entry);
                *of = own.row;
            }
            for (source, places) in &front.from {
                let source = &self.fronts[*source as usize];
                let rows = before[source.first..].chunks_exact(places.len() + 1).take(source.rows);
                let ids = rows_before[source.first_row..].iter();
                for ((row, id), (target, of)) in rows.zip(ids).skip(1).zip(&mut targets) {
                    places.iter().zip(&row[1..]).for_each(|(&place, entry)| target[place as usize] = *entry);
                    *of = *id;
                }
            }
            eliminate_first(block, row_of, width, least).map_err(|()| LinalgError::Singular { pivot: k })?;
        }
        // Overflow shows in the factors: the pivots are finite if all that led to them is.
        let finite = |f: &Front| all_finite(&self.values[f.first..f.first + f.columns.len()]);
        if self.fronts.iter().all(finite) {
            Ok(())
        } else {
            Err(LinalgError::NotFinite)
        }
    }

    /// The row of the matrix that had the largest entry at an elimination step.
    pub fn pivot_row(&self, step: usize) -> Option<usize> {
        self.fronts.get(step).map(|front| self.row_of[front.first_row] as usize)
    }

    /// b := A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        for (front, kept) in self.fronts.iter().zip(&mut self.work) {
            let row_of = &self.row_of[front.first_row..front.first_row + front.rows];
            let Some((pivot, others)) = row_of.split_first() else { continue };
            let along = b[*pivot as usize];
            *kept = along;
            let rows = self.values[front.first..].chunks_exact(front.columns.len()).skip(1);
            for (row, of) in rows.zip(others) {
                b[*of as usize] -= row[0] * along;
            }
        }
        for (front, kept) in self.fronts.iter().zip(&self.work).rev() {
            let row = &self.values[front.first..front.first + front.columns.len()];
            let later =
                row.iter().zip(&front.columns).skip(1).fold(*kept, |sum, (u, &c)| sum - u * b[c as usize]);
            b[front.columns[0] as usize] = later / row[0];
        }
    }
}

/// Move the row with the largest first entry to the top and subtract it from the others; an error if all are too small.
fn eliminate_first(block: &mut [f64], row_of: &mut [u32], width: usize, least: f64) -> Result<(), ()> {
    let mut best = (0, 0.0);
    for (i, row) in block.chunks_exact(width).enumerate() {
        if row[0].abs() > best.1 {
            best = (i, row[0].abs());
        }
    }
    row_of.swap(0, best.0);
    let (pivot, others) = block.split_at_mut(width);
    if best.0 > 0 {
        pivot.swap_with_slice(&mut others[(best.0 - 1) * width..best.0 * width]);
    }
    if best.1 <= least {
        return Err(());
    }
    for row in others.chunks_exact_mut(width) {
        let factor = row[0] / pivot[0];
        row[0] = factor;
        if factor != 0.0 {
            row[1..].iter_mut().zip(&pivot[1..]).for_each(|(r, p)| *r -= factor * p);
        }
    }
    Ok(())
}

/// One column, the others of its front, and its rows.
struct Chosen {
    column: usize,
    others: Vec<usize>,
    rows: usize,
    sources: Vec<Source>,
}

/// The fronts in the order of elimination. `None` as for [`RowMergeLu::analyse`].
fn eliminate(n: usize, first: &[usize], columns: &[u32], most: usize) -> Option<Vec<Chosen>> {
    let mut elements: Vec<Option<Element>> = Vec::with_capacity(2 * n);
    let mut touching = vec![Vec::new(); n];
    for i in 0..n {
        let list: Vec<usize> = columns[first[i]..first[i + 1]].iter().map(|&c| c as usize).collect();
        list.iter().for_each(|&c| touching[c].push(i));
        elements.push(Some(Element { columns: list, rows: 1, source: Source::Row(i) }));
    }
    let mut mark = vec![usize::MAX; n];
    let mut tag = 0;
    let mut degree = vec![0; n];
    let mut queue = BinaryHeap::new();
    let mut count = |c: usize, touching: &[Vec<usize>], elements: &[Option<Element>]| {
        tag += 1;
        let of = |e: &usize| elements[*e].iter().flat_map(|element| &element.columns);
        touching[c].iter().flat_map(of).filter(|&&d| std::mem::replace(&mut mark[d], tag) != tag).count()
    };
    for (c, size) in degree.iter_mut().enumerate() {
        *size = count(c, &touching, &elements);
        queue.push(Reverse((*size, c)));
    }
    let (mut chosen, mut total) = (Vec::with_capacity(n), 0usize);
    let mut done = vec![false; n];
    while let Some(Reverse((size, column))) = queue.pop() {
        if done[column] || size != degree[column] {
            continue;
        }
        done[column] = true;
        let merged = std::mem::take(&mut touching[column]);
        let (mut others, mut sources, mut rows) = (Vec::new(), Vec::new(), 0);
        for &e in &merged {
            let Some(element) = elements[e].take() else { continue };
            rows += element.rows;
            others.extend(element.columns);
            sources.push(element.source);
        }
        others.sort_unstable();
        others.dedup();
        others.retain(|&c| c != column);
        total = total.saturating_add(rows.saturating_mul(others.len() + 1));
        // No row for this column, or rows without a column that is left.
        if rows == 0 || (others.is_empty() && rows > 1) || total > most {
            return None;
        }
        let k = chosen.len();
        for &c in &others {
            touching[c].retain(|&e| elements[e].is_some());
            touching[c].push(elements.len());
        }
        let source = Source::Front(k);
        // Without further rows nothing goes on.
        let element = (rows > 1).then(|| Element { columns: others.clone(), rows: rows - 1, source });
        elements.push(element);
        for &c in &others {
            degree[c] = count(c, &touching, &elements);
            queue.push(Reverse((degree[c], c)));
        }
        chosen.push(Chosen { column, others, rows, sources });
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::Random;
    use crate::linalg::{RealSolver, SolverKind};

    fn index(i: usize) -> u32 {
        u32::try_from(i).unwrap()
    }

    /// A matrix with these entries.
    fn matrix(n: usize, entries: &[(usize, usize, f64)]) -> Stored {
        let positions: Vec<(u32, u32)> = entries.iter().map(|&(i, j, _)| (index(i), index(j))).collect();
        let mut a = Stored::by_pattern(n, n, &positions);
        entries.iter().for_each(|&(i, j, value)| a.add(i, j, value));
        a
    }

    /// Random entries, a few in each row, and a permutation among them so that the pattern has a regular matrix.
    fn random(n: usize, in_row: usize, random: &mut Random) -> Vec<(usize, usize, f64)> {
        let mut any = |n: usize| ((random.next() * 0.5 + 0.5) * n as f64) as usize % n;
        let mut order: Vec<usize> = (0..n).collect();
        (0..n).for_each(|i| order.swap(i, any(n)));
        let mut list: Vec<(usize, usize)> = order.into_iter().enumerate().collect();
        (0..n).for_each(|i| list.extend((1..in_row).map(|_| (i, any(n)))));
        list.sort_unstable();
        list.dedup();
        list.into_iter().map(|(i, j)| (i, j, random.next())).collect()
    }

    /// [M Gᵀ; G 0] of a chain: zeros on the diagonal.
    fn saddle(links: usize, random: &mut Random) -> Vec<(usize, usize, f64)> {
        let mut list: Vec<_> = (0..2 * links).map(|i| (i, i, 1.5 + random.next())).collect();
        for k in 0..links {
            for j in (2 * k).saturating_sub(2)..2 * k + 2 {
                let value = random.next();
                list.extend([(2 * links + k, j, value), (j, 2 * links + k, value)]);
            }
        }
        list
    }

    fn residual(a: &Stored, x: &[f64], b: &[f64]) -> f64 {
        let n = b.len();
        (0..n).fold(0.0f64, |m, i| m.max((a.row_times(i, 0..n, x) - b[i]).abs()))
    }

    #[test]
    fn solutions_are_those_of_a_dense_lu() {
        let mut rng = Random::new(7);
        for (n, entries) in [1, 2, 3, 5, 8, 20, 60, 120]
            .map(|n| (n, random(n, 3, &mut rng)))
            .into_iter()
            .chain([(3 * 30, saddle(30, &mut Random::new(1))), (3 * 5, saddle(5, &mut Random::new(2)))])
        {
            let mut a = matrix(n, &entries);
            let mut lu = RowMergeLu::analyse(&a, usize::MAX).unwrap();
            // The structure serves other values, and so other pivots.
            for round in 0..4 {
                a.iter_mut().for_each(|v| *v = if round == 0 { *v } else { rng.next() });
                let mut dense = RealSolver::new(SolverKind::Lu, n);
                let full = dense.matrix_mut();
                full.fill(0.0);
                a.each(0..n, 0..n, |i, j, value| full[i + j * n] = value);
                let (dense_ok, own_ok) = (dense.factor().is_ok(), lu.factor(&a, 0.0).is_ok());
                assert_eq!(dense_ok, own_ok, "n = {n}");
                if !own_ok {
                    continue;
                }
                let b = rng.vec(n);
                let (mut x, mut y) = (b.clone(), b.clone());
                lu.solve(&mut x);
                dense.solve(&mut y);
                let size = x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
                assert!(residual(&a, &x, &b) < 1e-12 * size, "n = {n}: {:e}", residual(&a, &x, &b));
                let far = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
                assert!(far < 1e-9 * size * size, "n = {n}: {far:e} of {size:e}");
            }
        }
    }

    #[test]
    fn fronts_of_a_chain_do_not_grow_with_it() {
        let numbers = [100, 200, 400].map(|links| {
            let a = matrix(3 * links, &saddle(links, &mut Random::new(3)));
            RowMergeLu::analyse(&a, usize::MAX).unwrap().numbers()
        });
        assert!(numbers[2] < 41 * numbers[0] / 10 && numbers[2] < 100 * 1200, "{numbers:?}");
        // More than is allowed.
        let a = matrix(300, &saddle(100, &mut Random::new(3)));
        assert!(RowMergeLu::analyse(&a, 300).is_none());
    }

    #[test]
    fn what_has_no_solution_is_refused() {
        // An empty column, and two rows with one column.
        for entries in
            [vec![(0, 0, 1.0), (1, 0, 1.0)], vec![(0, 0, 1.0), (1, 0, 2.0), (2, 1, 1.0), (2, 2, 1.0)]]
        {
            let n = 1 + entries.iter().map(|e| e.0).max().unwrap();
            assert!(RowMergeLu::analyse(&matrix(n, &entries), usize::MAX).is_none());
        }
        let twice = [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0), (1, 1, 4.0)];
        let mut a = matrix(2, &twice);
        let mut lu = RowMergeLu::analyse(&a, usize::MAX).unwrap();
        assert_eq!(lu.factor(&a, 0.0), Err(LinalgError::Singular { pivot: 1 }));
        a.set(1, 1, 4.0 + 1e-9);
        assert_eq!(lu.factor(&a, 1e-8), Err(LinalgError::Singular { pivot: 1 }));
        assert_eq!(lu.pivot_row(1), Some(0));
        assert_eq!(lu.factor(&a, 0.0), Ok(()));
        for bad in [f64::NAN, f64::INFINITY] {
            a.set(0, 1, bad);
            assert_eq!(lu.factor(&a, 0.0), Err(LinalgError::NotFinite));
        }
        a.set(0, 1, 1e300);
        a.set(1, 0, 1e300);
        a.set(0, 0, 1e-300);
        a.set(1, 1, 1e300);
        assert_eq!(lu.factor(&a, 0.0), Ok(()));
    }
}
