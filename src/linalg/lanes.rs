//! Several right-hand sides at once: vectors whose entries are `[f64; L]`, one lane per stage of a Runge-Kutta method.
//!
//! Every entry of a matrix is then loaded once for all stages and multiplies a whole vector register.

#![allow(unsafe_code)] // calls of functions compiled for AVX2, after the processor was asked

use super::processor::{fused, kernel};
use super::Complex;

pub use super::processor::Processor;

/// One number per lane.
pub type Lanes<const L: usize> = [f64; L];

/// A block-diagonal matrix across the lanes: θ_0, then [re -im; im re] for lanes 1 and 2, 3 and 4, ...
#[derive(Clone, Copy, Debug)]
pub struct Theta<const L: usize> {
    diagonal: Lanes<L>,
    across: Lanes<L>,
}

impl<const L: usize> Theta<L> {
    /// From the real entry and the pairs (re, im).
    pub fn new(real: f64, pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut theta = Theta { diagonal: [0.0; L], across: [0.0; L] };
        theta.diagonal[0] = real;
        for (k, (re, im)) in pairs.enumerate() {
            let at = 2 * k + 1;
            (theta.diagonal[at], theta.diagonal[at + 1]) = (re, re);
            (theta.across[at], theta.across[at + 1]) = (-im, im);
        }
        theta
    }

    /// Its inverse; zero in lanes that are not used.
    pub fn inverse(&self) -> Self {
        let mut inverse = Theta { diagonal: [0.0; L], across: [0.0; L] };
        inverse.diagonal[0] = 1.0 / self.diagonal[0];
        for k in (1..L.saturating_sub(1)).step_by(2).filter(|&k| self.diagonal[k] != 0.0) {
            let Complex { re, im } =
                Complex::from(1.0) / Complex { re: self.diagonal[k], im: self.across[k + 1] };
            (inverse.diagonal[k], inverse.diagonal[k + 1]) = (re, re);
            (inverse.across[k], inverse.across[k + 1]) = (-im, im);
        }
        inverse
    }

    /// The matrix times one entry.
    #[inline(always)]
    pub fn apply(&self, u: &Lanes<L>) -> Lanes<L> {
        std::array::from_fn(|k| {
            // 0 | 1 2 | 3 4 | ...; the last lane of an even number has no partner and is not used.
            let partner = if k == 0 { 0 } else { (((k - 1) ^ 1) + 1).min(L - 1) };
            self.diagonal[k] * u[k] + self.across[k] * u[partner]
        })
    }
}

/// y += a·x in every lane.
#[inline(always)]
fn add<const L: usize, const FMA: bool>(a: f64, x: &Lanes<L>, y: &mut Lanes<L>) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = fused::<FMA>(a, *x, *y);
    }
}

kernel!(
    /// y -= A·x, A with `y.len()` rows and leading dimension `ld`.
    subtract_product, subtract_product_in, [const L: usize], [L], (a: &[f64], ld: usize, x: &[Lanes<L>], y: &mut [Lanes<L>])
);
kernel!(
    /// y += A·x, A with `y.len()` rows and leading dimension `ld`.
    add_product, add_product_in, [const L: usize], [L], (a: &[f64], ld: usize, x: &[Lanes<L>], y: &mut [Lanes<L>])
);
kernel!(
    /// x := U⁻¹ L⁻¹ x, with the factors of an LU decomposition of order `x.len()` and the reciprocals of the pivots.
    solve_lu, solve_lu_in, [const L: usize], [L], (lu: &[f64], ld: usize, reciprocals: &[f64], x: &mut [Lanes<L>])
);
kernel!(
    /// x := U⁻¹ L⁻¹ x, every lane with the roundings of a single right-hand side: divisions by the pivots, nothing fused.
    solve_lu_as_one, solve_lu_as_one_in, [const L: usize], [L], (lu: &[f64], ld: usize, x: &mut [Lanes<L>])
);
kernel!(
    /// `y_i = Σ_j x_i[j]·columns[j]`: a small matrix applied across the lanes of every entry.
    mix, mix_in, [const L: usize], [L], (columns: &[Lanes<L>], x: &[Lanes<L>], y: &mut [Lanes<L>])
);

kernel!(
    /// [`mix`] in place.
    mix_in_place, mix_in_place_in, [const L: usize], [L], (columns: &[Lanes<L>], x: &mut [Lanes<L>])
);

#[inline(always)]
fn mix_in_place_in<const L: usize, const FMA: bool>(columns: &[Lanes<L>], x: &mut [Lanes<L>]) {
    for x in x {
        let mut sum = [0.0; L];
        for (c, x) in columns.iter().zip(x.iter()) {
            add::<L, FMA>(*x, c, &mut sum);
        }
        *x = sum;
    }
}

#[inline(always)]
fn subtract_product_in<const L: usize, const FMA: bool>(
    a: &[f64],
    ld: usize,
    x: &[Lanes<L>],
    y: &mut [Lanes<L>],
) {
    products::<L, FMA>(-1.0, a, ld, x, y);
}

#[inline(always)]
fn add_product_in<const L: usize, const FMA: bool>(a: &[f64], ld: usize, x: &[Lanes<L>], y: &mut [Lanes<L>]) {
    products::<L, FMA>(1.0, a, ld, x, y);
}

/// y += sign·A·x, two columns at a time: half the traffic of y.
#[inline(always)]
fn products<const L: usize, const FMA: bool>(
    sign: f64,
    a: &[f64],
    ld: usize,
    x: &[Lanes<L>],
    y: &mut [Lanes<L>],
) {
    let m = y.len();
    if m == 0 {
        return;
    }
    let signed = |x: &Lanes<L>| x.map(|x| sign * x);
    let pairs = x.chunks_exact(2);
    if let [last] = pairs.remainder() {
        let column = &a[(x.len() - 1) * ld..][..m];
        let last = signed(last);
        for (y, a) in y.iter_mut().zip(column) {
            add::<L, FMA>(*a, &last, y);
        }
    }
    for (x, a) in pairs.zip(a.chunks(2 * ld)) {
        let (x0, x1) = (signed(&x[0]), signed(&x[1]));
        let (a0, a1) = (&a[..m], &a[ld..][..m]);
        for ((y, a0), a1) in y.iter_mut().zip(a0).zip(a1) {
            let mut sum = *y;
            add::<L, FMA>(*a0, &x0, &mut sum);
            add::<L, FMA>(*a1, &x1, &mut sum);
            *y = sum;
        }
    }
}

#[inline(always)]
fn solve_lu_as_one_in<const L: usize, const FMA: bool>(lu: &[f64], ld: usize, x: &mut [Lanes<L>]) {
    eliminate_below::<L, false>(lu, ld, x);
    for k in (0..x.len()).rev() {
        let column = &lu[k * ld..k * ld + k + 1];
        let (head, last) = x.split_at_mut(k);
        last[0] = last[0].map(|v| v / column[k]);
        let factor = last[0].map(|v| -v);
        for (h, a) in head.iter_mut().zip(column) {
            add::<L, false>(*a, &factor, h);
        }
    }
}

/// x := L⁻¹ x.
#[inline(always)]
fn eliminate_below<const L: usize, const FMA: bool>(lu: &[f64], ld: usize, x: &mut [Lanes<L>]) {
    let n = x.len();
    for k in 0..n {
        let column = &lu[k * ld + k + 1..k * ld + n];
        let (head, tail) = x.split_at_mut(k + 1);
        let factor = head[k].map(|v| -v);
        for (t, a) in tail.iter_mut().zip(column) {
            add::<L, FMA>(*a, &factor, t);
        }
    }
}

#[inline(always)]
fn solve_lu_in<const L: usize, const FMA: bool>(
    lu: &[f64],
    ld: usize,
    reciprocals: &[f64],
    x: &mut [Lanes<L>],
) {
    eliminate_below::<L, FMA>(lu, ld, x);
    for k in (0..x.len()).rev() {
        let column = &lu[k * ld..k * ld + k];
        let (head, last) = x.split_at_mut(k);
        last[0] = last[0].map(|v| v * reciprocals[k]);
        let factor = last[0].map(|v| -v);
        for (h, a) in head.iter_mut().zip(column) {
            add::<L, FMA>(*a, &factor, h);
        }
    }
}

#[inline(always)]
fn mix_in<const L: usize, const FMA: bool>(columns: &[Lanes<L>], x: &[Lanes<L>], y: &mut [Lanes<L>]) {
    for (y, x) in y.iter_mut().zip(x) {
        let mut sum = [0.0; L];
        for (c, x) in columns.iter().zip(x) {
            add::<L, FMA>(*x, c, &mut sum);
        }
        *y = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::testing::{assert_close, product, Random, SIZES};

    fn lanes<const L: usize>(n: usize, r: &mut Random) -> Vec<Lanes<L>> {
        (0..n).map(|_| std::array::from_fn(|_| r.next())).collect()
    }

    fn lane<const L: usize>(x: &[Lanes<L>], k: usize) -> Vec<f64> {
        x.iter().map(|x| x[k]).collect()
    }

    /// Every lane is what the plain product gives, with and without FMA.
    fn products_agree<const L: usize>() {
        let mut r = Random::new(11);
        for m in SIZES {
            for n in [0, 1, 2, m, m + 3] {
                let a = r.vec(m * n);
                let (x, y) = (lanes::<L>(n, &mut r), lanes::<L>(m, &mut r));
                for (sign, case) in [(-1.0, 0), (-1.0, 1), (1.0, 2)] {
                    let mut z = y.clone();
                    match case {
                        0 => subtract_product(Processor::detect(), &a, m, &x, &mut z),
                        1 => products::<L, false>(-1.0, &a, m, &x, &mut z),
                        _ => products::<L, false>(1.0, &a, m, &x, &mut z),
                    }
                    for k in 0..L {
                        let ax = product((m, n, 1), &a, &lane(&x, k));
                        let expected: Vec<f64> =
                            lane(&y, k).iter().zip(&ax).map(|(y, ax)| y + sign * ax).collect();
                        assert_close(&lane(&z, k), &expected, 1e-13);
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_all_lanes() {
        products_agree::<1>();
        products_agree::<4>();
        products_agree::<8>();
    }

    #[test]
    fn triangles_are_solved_in_all_lanes() {
        let mut r = Random::new(12);
        for n in SIZES {
            let mut lu = crate::linalg::full_pivot::FullPivotLu::new(n, n);
            let a = r.vec(n * n);
            lu.matrix_mut().copy_from_slice(&a);
            lu.factor().unwrap();
            let reciprocals: Vec<f64> = (0..n).map(|k| 1.0 / lu.factors()[k * (n + 1)]).collect();
            let b = lanes::<4>(n, &mut r);
            let mut w: Vec<Lanes<4>> = lu.rows().iter().map(|&i| b[i]).collect();
            solve_lu(Processor::detect(), lu.factors(), n, &reciprocals, &mut w);
            let mut x = vec![[0.0; 4]; n];
            lu.cols().iter().zip(&w).for_each(|(&j, w)| x[j] = *w);
            for k in 0..4 {
                assert_close(&product((n, n, 1), &a, &lane(&x, k)), &lane(&b, k), 1e-9);
            }
        }
    }

    #[test]
    fn theta_has_an_inverse() {
        let theta = Theta::<8>::new(2.5, [(3.0, 1.5), (-0.5, 4e200)].into_iter());
        let u = [1.0, -2.0, 3.0, 0.5, 0.25, 0.0, 0.0, 0.0];
        let back = theta.inverse().apply(&theta.apply(&u));
        assert_close(&back, &u, 1e-15);
    }

    #[test]
    fn mixing_is_a_small_matrix() {
        let columns = [[1.0, 2.0, 0.0, 0.0], [0.5, -1.0, 3.0, 0.0]];
        let mut y = [[0.0; 4]];
        mix(Processor::detect(), &columns, &[[2.0, 4.0, 9.0, 9.0]], &mut y);
        assert_eq!(y, [[4.0, 0.0, 12.0, 0.0]]);
        let mut x = [[2.0, 4.0, 9.0, 9.0]];
        mix_in_place(Processor::detect(), &columns, &mut x);
        assert_eq!(x, y);
    }
}
