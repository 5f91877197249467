use super::*;
use crate::linalg::lanes::Processor;
use crate::linalg::testing::{assert_close, largest, product, transpose, Random};

const KINDS: [DecompositionKind; 3] = [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd];

/// Wide, square and tall shapes, on both sides of the crossovers.
const SHAPES: [(usize, usize); 14] = [
    (0, 0),
    (0, 3),
    (1, 1),
    (1, 4),
    (2, 2),
    (3, 5),
    (5, 12),
    (8, 8),
    (12, 7),
    (16, 33),
    (3, 64),
    (20, 65),
    (65, 65),
    (70, 100),
];

struct Case {
    m: usize,
    n: usize,
    a: Vec<f64>,
    scale: Vec<f64>,
}

impl Case {
    fn random(m: usize, n: usize, rank: usize, r: &mut Random) -> Case {
        let a = product((m, rank, n), &r.vec(m * rank), &r.vec(rank * n));
        let scale = (0..m).map(|_| 2.0 + r.next()).collect();
        Case { m, n, a, scale }
    }

    fn decompose(&self, kind: DecompositionKind, rank: usize) -> ConstraintDecomposition {
        let mut d = ConstraintDecomposition::new(kind, self.m + 2, self.n);
        d.decompose(self.m, &self.a, &self.scale).unwrap();
        d.set_rank(rank).unwrap();
        assert_eq!((d.rows(), d.cols(), d.rank()), (self.m, self.n, rank));
        d
    }
}

/// Random right-hand side in the range of A, and its particular solution.
fn consistent(case: &Case, d: &mut ConstraintDecomposition, r: &mut Random) -> (Vec<f64>, Vec<f64>) {
    let b = product((case.m, case.n, 1), &case.a, &r.vec(case.n));
    let mut x = vec![f64::NAN; case.n];
    d.particular(&b, &mut x);
    (b, x)
}

#[test]
fn solutions_satisfy_the_constraints() {
    let mut r = Random::new(21);
    for (m, n) in SHAPES {
        for rank in [m.min(n), m.min(n) / 2] {
            let case = Case::random(m, n, rank, &mut r);
            for kind in KINDS {
                let mut d = case.decompose(kind, rank);
                let free = n - rank;
                let k = d.null_basis().to_vec();
                assert_eq!(k.len(), n * free);
                let scale = largest(&case.a).max(1.0) * largest(&k).max(1.0);
                assert!(largest(&product((m, n, free), &case.a, &k)) < 1e-11 * scale, "{kind:?} {m} {n}");
                let (b, x) = consistent(&case, &mut d, &mut r);
                assert_close(&product((m, n, 1), &case.a, &x), &b, 1e-10);
                if kind != DecompositionKind::Lu {
                    let kt = transpose(n, free, &k);
                    let identity: Vec<f64> =
                        (0..free * free).map(|t| f64::from(t % free == t / free)).collect();
                    assert_close(&product((free, n, free), &kt, &k), &identity, 1e-12);
                    assert!(largest(&product((free, n, 1), &kt, &x)) < 1e-11 * largest(&x).max(1.0));
                }
            }
        }
    }
}

#[test]
fn the_kinds_describe_one_affine_set() {
    let mut r = Random::new(22);
    for (m, n) in SHAPES {
        let rank = m.min(n);
        let case = Case::random(m, n, rank, &mut r);
        let b = product((m, n, 1), &case.a, &r.vec(n));
        let mut reference = case.decompose(DecompositionKind::Svd, rank);
        let mut least = vec![0.0; n];
        reference.particular(&b, &mut least);
        for kind in KINDS {
            let mut d = case.decompose(kind, rank);
            let mut x = vec![0.0; n];
            d.particular(&b, &mut x);
            reference.project_on_row_space(&mut x);
            let scale = largest(&least).max(1.0);
            assert_close(&x, &least, 1e-9 * scale);
            for k in d.null_basis().chunks_exact(n.max(1)) {
                let mut k = k.to_vec();
                let size = largest(&k);
                reference.project_on_row_space(&mut k);
                assert!(largest(&k) < 1e-10 * size.max(1.0));
            }
        }
    }
}

#[test]
fn many_right_hand_sides_are_solved_as_one() {
    let mut r = Random::new(23);
    for (m, n) in SHAPES {
        let case = Case::random(m, n, m.min(n), &mut r);
        for kind in KINDS {
            let mut d = case.decompose(kind, m.min(n));
            for count in [1, 3, 8, 11] {
                let b = r.vec(m * count);
                let (mut many, mut one) = (vec![f64::NAN; n * count], vec![f64::NAN; n]);
                d.particular_many(Processor::detect(), count, &b, &mut many);
                for j in 0..count {
                    d.particular(&b[j * m..(j + 1) * m], &mut one);
                    assert_eq!(one, &many[j * n..(j + 1) * n]);
                }
            }
        }
    }
}

#[test]
fn magnitudes_show_the_rank_and_the_scale() {
    let mut r = Random::new(24);
    for (m, n, rank) in [(6, 10, 4), (10, 6, 3), (70, 90, 50)] {
        let mut case = Case::random(m, n, rank, &mut r);
        for kind in KINDS {
            let d = case.decompose(kind, rank);
            let s = d.magnitudes();
            assert_eq!(s.len(), m.min(n));
            assert!(s[rank - 1] > 1e-4 && s[rank] < 1e-12 * s[0], "{kind:?} {s:?}");
        }
        // a common factor of the rows is seen
        let before: Vec<f64> = KINDS.iter().map(|&k| case.decompose(k, rank).magnitudes()[0]).collect();
        case.scale.iter_mut().for_each(|s| *s *= 4.0);
        for (kind, before) in KINDS.into_iter().zip(before) {
            let after = case.decompose(kind, rank).magnitudes()[0];
            assert!((after / before - 4.0).abs() < 1e-13);
        }
    }
}

#[test]
fn dependent_columns_carry_the_identity_elsewhere() {
    let mut r = Random::new(25);
    let (m, n) = (4, 9);
    let case = Case::random(m, n, m, &mut r);
    let mut d = case.decompose(DecompositionKind::Lu, m);
    let dependent = d.dependent_columns().unwrap().to_vec();
    assert!(dependent.windows(2).all(|w| w[0] < w[1]) && dependent.len() == m);
    let independent: Vec<usize> = (0..n).filter(|j| !dependent.contains(j)).collect();
    for (c, column) in d.null_basis().chunks_exact(n).enumerate() {
        for (l, &i) in independent.iter().enumerate() {
            assert_eq!(column[i], f64::from(l == c));
        }
    }
    let (_, x) = consistent(&case, &mut d, &mut r);
    assert!(independent.iter().all(|&i| x[i] == 0.0));
    assert_eq!(case.decompose(DecompositionKind::Qr, m).dependent_columns(), None);
    assert_eq!(case.decompose(DecompositionKind::Svd, m).dependent_columns(), None);
}

#[test]
fn weakest_row_is_among_the_redundant_ones() {
    // rows 1 and 3 are parallel, so either of them is superfluous
    let rows = [[1.0, 0.0, 0.0, 1.0], [0.0, 2.0, 1.0, 0.0], [0.0, 0.0, 3.0, 1.0], [0.0, 1.0, 0.5, 0.0]];
    let a: Vec<f64> = (0..16).map(|t| rows[t % 4][t / 4]).collect();
    for kind in KINDS {
        let mut d = ConstraintDecomposition::new(kind, 5, 4);
        assert_eq!(d.weakest_row(), None);
        d.decompose(4, &a, &[1.0; 4]).unwrap();
        let row = d.weakest_row().unwrap();
        assert!(row == 1 || row == 3, "{kind:?} {row}");
        assert!(d.magnitudes()[3] < 1e-14);
        d.decompose(0, &[], &[]).unwrap();
        assert_eq!(d.weakest_row(), None);
    }
}

#[test]
fn bad_input_is_refused() {
    let mut r = Random::new(26);
    for (m, n) in SHAPES {
        let case = Case::random(m, n, m.min(n), &mut r);
        for kind in KINDS {
            let mut d = case.decompose(kind, m.min(n));
            for bad in [f64::NAN, f64::INFINITY] {
                for at in (0..m * n).step_by(1 + m * n / 9) {
                    let mut a = case.a.clone();
                    a[at] = bad;
                    assert_eq!(d.decompose(m, &a, &case.scale), Err(LinalgError::NotFinite));
                    assert_eq!((d.rank(), d.rows(), d.magnitudes().len()), (0, 0, 0));
                }
                if m * n > 0 {
                    let mut scale = case.scale.clone();
                    scale[m - 1] = bad;
                    assert_eq!(d.decompose(m, &case.a, &scale), Err(LinalgError::NotFinite));
                }
            }
            let code = |info| Err(LinalgError::Lapack { routine: "decompose", info });
            assert_eq!(d.decompose(m + 3, &vec![1.0; (m + 3) * n], &vec![1.0; m + 3]), code(-1));
            if m * n > 0 {
                assert_eq!(d.decompose(m, &case.a[1..], &case.scale), code(-2));
                assert_eq!(d.decompose(m, &case.a, &case.scale[1..]), code(-3));
            }
            d.decompose(m, &case.a, &case.scale).unwrap();
            assert!(matches!(d.set_rank(m.min(n) + 1), Err(LinalgError::Singular { .. })));
        }
    }
}

#[test]
fn zero_matrix_has_rank_zero() {
    for (m, n) in SHAPES {
        for kind in KINDS {
            let mut d = ConstraintDecomposition::new(kind, m, n);
            d.decompose(m, &vec![0.0; m * n], &vec![1.0; m]).unwrap();
            assert!(d.magnitudes().iter().all(|&v| v == 0.0));
            assert_eq!(d.set_rank(1), Err(LinalgError::Singular { pivot: 0 }));
            d.set_rank(0).unwrap();
            let mut x = vec![1.0; n];
            d.particular(&vec![1.0; m], &mut x);
            assert!(x.iter().all(|&v| v == 0.0));
            // K is orthogonal in every kind, and for LU the identity
            let k = d.null_basis();
            let identity: Vec<f64> = (0..n * n).map(|t| f64::from(t % n == t / n)).collect();
            assert_close(&product((n, n, n), &transpose(n, n, k), k), &identity, 1e-14);
        }
    }
}

#[test]
fn least_squares_when_the_equations_contradict() {
    // x = 1 and x = 3 with equal weights: the SVD takes the mean
    let mut d = ConstraintDecomposition::new(DecompositionKind::Svd, 2, 2);
    d.decompose(2, &[1.0, 1.0, 0.0, 0.0], &[1.0; 2]).unwrap();
    d.set_rank(1).unwrap();
    let mut x = [9.0; 2];
    d.particular(&[1.0, 3.0], &mut x);
    assert!((x[0] - 2.0).abs() < 1e-15 && x[1] == 0.0);
}

#[test]
fn a_new_block_replaces_the_old() {
    let mut r = Random::new(27);
    for kind in KINDS {
        let n = 9;
        let mut d = ConstraintDecomposition::new(kind, 12, n);
        for m in [12, 3, 0, 9, 5, 1] {
            let case = Case::random(m, n, m.min(n), &mut r);
            d.decompose(m, &case.a, &case.scale).unwrap();
            d.set_rank(m.min(n)).unwrap();
            let fresh = case.decompose(kind, m.min(n));
            assert_eq!((d.null_basis(), d.magnitudes()), (fresh.null_basis(), fresh.magnitudes()));
        }
    }
}

#[test]
fn large_blocks_fit_an_ordinary_thread() {
    let mut r = Random::new(28);
    let case = Case::random(150, 320, 150, &mut r);
    for kind in KINDS {
        let mut d = case.decompose(kind, 150);
        let (b, x) = consistent(&case, &mut d, &mut r);
        assert_close(&product((150, 320, 1), &case.a, &x), &b, 1e-9);
    }
}
