//! Selectors S_p and S_v (Theorem 2.4, Algorithm 2.6): the rows of the kinematic and dynamic equations that
//! are kept beside the constraints. They are chosen as the pivot rows of an elimination with partial
//! pivoting of K_p and of M·K_v, so that S_p K_p and S_v M K_v are as far from singular as row
//! choices allow.

/// Choose `n` of the `m` rows of `a` (m×n, column-major, destroyed), ascending. The choice is completed with
/// the first rows left over if `a` has not full column rank.
pub fn select_rows(m: usize, n: usize, a: &mut [f64], chosen: &mut Vec<usize>, taken: &mut [bool]) {
    chosen.clear();
    taken[..m].fill(false);
    for k in 0..n.min(m) {
        let (head, tail) = a.split_at_mut((k + 1) * m);
        let column = &head[k * m..];
        let mut pivot = None;
        let mut largest = 0.0;
        for (i, &value) in column.iter().enumerate() {
            if !taken[i] && value.abs() > largest {
                (pivot, largest) = (Some(i), value.abs());
            }
        }
        let Some(row) = pivot else { continue };
        taken[row] = true;
        chosen.push(row);
        for other in tail.chunks_exact_mut(m).take(n - k - 1) {
            let factor = other[row] / column[row];
            if factor != 0.0 {
                for (o, c) in other.iter_mut().zip(column) {
                    *o -= factor * c;
                }
            }
        }
    }
    for (i, t) in taken[..m].iter().enumerate() {
        if chosen.len() >= n.min(m) {
            break;
        }
        if !t {
            chosen.push(i);
        }
    }
    chosen.sort_unstable();
}

/// Pivots of a kept choice below this part of the largest possible ones make it a poor one. Measured over
/// the problem set: with 0.9 steps and errors are those of a choice made anew at every point.
const POOR: f64 = 0.9;

/// True if the rows `chosen` earlier are a poor choice for `a` (m×n, column-major, destroyed): an
/// elimination with pivots from these rows meets one that is small against what other rows offer.
pub fn is_poor(m: usize, n: usize, a: &mut [f64], chosen: &[usize], taken: &mut [bool]) -> bool {
    taken[..m].fill(false);
    if chosen.is_empty() {
        return false;
    }
    for k in 0..n.min(m) {
        let (head, tail) = a.split_at_mut((k + 1) * m);
        let column = &head[k * m..];
        let (mut row, mut best, mut largest) = (None, 0.0, 0.0f64);
        for (value, _) in column.iter().zip(&*taken).filter(|(_, taken)| !**taken) {
            largest = largest.max(value.abs());
        }
        for &i in chosen.iter().filter(|&&i| !taken[i]) {
            if column[i].abs() >= best {
                (row, best) = (Some(i), column[i].abs());
            }
        }
        if best < POOR * largest {
            return true;
        }
        let Some(row) = row.filter(|_| largest > 0.0) else { continue };
        taken[row] = true;
        for other in tail.chunks_exact_mut(m).take(n - k - 1) {
            let factor = other[row] / column[row];
            if factor != 0.0 {
                for (o, c) in other.iter_mut().zip(column) {
                    *o -= factor * c;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_poor_when_other_rows_offer_much_more() {
        let poor = |a: &[f64], chosen: &[usize]| is_poor(2, 1, &mut a.to_vec(), chosen, &mut [false; 2]);
        assert!(!poor(&[1.0, 0.9], &[0]) && !poor(&[0.9, 1.0], &[0]));
        assert!(poor(&[0.4, 1.0], &[0]) && poor(&[0.0, 1.0], &[0]));
        assert!(!poor(&[0.0, 0.0], &[0]));
        // Each column by itself is well served by rows 0 and 1, both together are not.
        let a = [1.0, 0.9, 0.1, 1.0, 0.9, 0.8];
        assert!(is_poor(3, 2, &mut a.to_vec(), &[0, 1], &mut [false; 3]));
        assert!(!is_poor(3, 2, &mut a.to_vec(), &[0, 2], &mut [false; 3]));
        // What the first row leaves of the second column: (0, 0, 1), and (0, 0.5, 0).
        let poor = |a: [f64; 6]| is_poor(3, 2, &mut a.to_vec(), &[0, 1], &mut [false; 3]);
        assert!(poor([2.0, 1.0, 0.0, 2.0, 1.0, 1.0]));
        assert!(!poor([2.0, 1.0, 0.5, 4.0, 2.5, 1.0]));
        // A column of zeros has no pivot, and the next one counts all the same.
        assert!(poor([0.0, 0.0, 0.0, 0.4, 0.3, 1.0]));
        assert!(!is_poor(3, 2, &mut [1.0; 6], &[], &mut [false; 3]));
    }

    fn choose(m: usize, n: usize, a: &[f64]) -> Vec<usize> {
        let mut chosen = Vec::new();
        select_rows(m, n, &mut a.to_vec(), &mut chosen, &mut vec![false; m]);
        chosen
    }

    #[test]
    fn takes_the_largest_rows() {
        assert_eq!(choose(2, 1, &[0.3, -0.9]), [1]);
        // The second column is a multiple of the first in rows 0 and 1: row 2 must come in.
        assert_eq!(choose(3, 2, &[2.0, 1.0, 0.5, 4.0, 2.0, 0.1]), [0, 2]);
        assert_eq!(choose(3, 2, &[2.0, 1.0, 0.0, 2.0, 1.0, 0.5]), [0, 2]);
        // Ascending, in whatever order they were found.
        assert_eq!(choose(3, 2, &[0.0, 0.1, 1.0, 1.0, 0.0, 0.0]), [0, 2]);
    }

    #[test]
    fn completes_a_deficient_choice() {
        assert_eq!(choose(3, 2, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]), [0, 1]);
        assert_eq!(choose(0, 0, &[]), Vec::<usize>::new());
    }
}
