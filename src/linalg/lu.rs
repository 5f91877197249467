//! Square systems by LU with partial pivoting.
//!
//! Large matrices are eliminated in panels with xGEMM, and not by xGETRF: that of OpenBLAS, when
//! threaded, takes half a megabyte of stack per level of its recursion and overflows the 2 MB of an ordinary Rust
//! thread already at n = 100 (OpenMathLib/OpenBLAS#246, #3229).

#![allow(unsafe_code)] // in the macro `kernel`

use super::processor::kernel;
use super::scalar::{divide, finite};
use super::triangular::solve_unit_lower_by;
use super::{Complex, LinalgError, Path, Processor, Result, Scalar};

/// Columns of a panel: about the best measured from n = 24 to 250, since xGEMM is faster than the panel.
const BLOCK: usize = 8;

/// Real LU.
pub type LuReal = Lu<f64>;
/// Complex LU.
pub type LuComplex = Lu<Complex>;

/// P A = L U of a square matrix, L and U in place of A.
#[derive(Clone, Debug)]
pub struct Lu<T> {
    n: usize,
    a: Vec<T>,
    /// Row exchanged with row k in step k.
    exchanges: Vec<usize>,
    /// 1/pivot: a division per pivot at the factorisation instead of one per solve.
    reciprocals: Vec<T>,
    processor: Processor,
}

impl<T: Scalar> Lu<T> {
    /// Room for matrices up to order `n`.
    pub fn new(n: usize) -> Self {
        Lu {
            n,
            a: Vec::with_capacity(n * n),
            exchanges: vec![0; n],
            reciprocals: vec![T::default(); n],
            processor: Processor::detect(),
        }
    }

    /// Change the order, at most to that given to [`Lu::new`]. The contents are lost.
    pub fn resize(&mut self, n: usize) {
        debug_assert!(n <= self.exchanges.len());
        self.n = n.min(self.exchanges.len());
    }

    /// The order.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The matrix, n by n, to be filled before [`Lu::factor`].
    pub fn matrix_mut(&mut self) -> &mut [T] {
        let size = self.n * self.n;
        if self.a.len() < size {
            // within the capacity, and no more than is used: runs of ten steps notice it
            self.a.resize(size, T::default());
        }
        &mut self.a[..size]
    }

    /// Factor the matrix in place. [`LinalgError::Singular`] means a pivot that is exactly zero.
    pub fn factor(&mut self) -> Result {
        self.factor_by(Path::up_to(T::LU_OWN_MAX, self.n))
    }

    pub(crate) fn factor_by(&mut self, path: Path) -> Result {
        let n = self.n;
        let (a, exchanges) = (&mut self.a[..n * n], &mut self.exchanges[..n]);
        if let [pivot] = a {
            // Mechanisms of one degree of freedom: spare them the call.
            if !finite(&[*pivot]) {
                return Err(LinalgError::NotFinite);
            }
            if *pivot == T::default() {
                return Err(LinalgError::Singular { pivot: 0 });
            }
            (exchanges[0], self.reciprocals[0]) = (0, T::from(1.0) / *pivot);
            return Ok(());
        }
        let block = if path == Path::Own { n } else { BLOCK };
        eliminate(self.processor, n, block, a, exchanges, &mut self.reciprocals[..n])
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        let (b, a) = (&mut b[..n], &self.a[..n * n]);
        if let [b] = b {
            *b = *b * self.reciprocals[0];
            return;
        }
        self.exchanges[..n].iter().enumerate().for_each(|(k, &p)| b.swap(k, p));
        solve_factored(self.processor, n, a, &self.reciprocals[..n], b);
    }
}

kernel!(
    /// Right-looking elimination in panels of `block` columns, the rest updated by a matrix product. With
    /// `block = n` it is the plain algorithm.
    eliminate, eliminate_in, [T: Scalar], [T],
    (n: usize, block: usize, a: &mut [T], exchanges: &mut [usize], reciprocals: &mut [T]) -> Result
);
kernel!(
    /// b := U⁻¹ L⁻¹ b.
    solve_factored, solve_factored_in, [T: Scalar], [T], (n: usize, a: &[T], reciprocals: &[T], b: &mut [T])
);

#[inline(always)]
fn solve_factored_in<T: Scalar, const FMA: bool>(n: usize, a: &[T], reciprocals: &[T], b: &mut [T]) {
    solve_unit_lower_by::<T, FMA>(a, n, b);
    for k in (0..n).rev() {
        let (head, last) = b.split_at_mut(k);
        last[0] = last[0] * reciprocals[k];
        T::axpy_by::<FMA>(-last[0], &a[k * n..k * n + k], head);
    }
}

#[inline(always)]
fn eliminate_in<T: Scalar, const FMA: bool>(
    n: usize,
    block: usize,
    a: &mut [T],
    exchanges: &mut [usize],
    reciprocals: &mut [T],
) -> Result {
    if !finite(a) {
        return Err(LinalgError::NotFinite);
    }
    for k0 in (0..n).step_by(block.max(1)) {
        let k1 = (k0 + block).min(n);
        let (left, right) = a.split_at_mut(k1 * n);
        let (before, panel) = left.split_at_mut(k0 * n);
        eliminate_panel::<T, FMA>(n, k0, panel, exchanges, reciprocals)?;
        let exchange = |c: &mut [T]| (k0..k1).for_each(|k| c.swap(k, exchanges[k]));
        before.chunks_exact_mut(n).for_each(exchange);
        if right.is_empty() {
            continue;
        }
        for c in right.chunks_exact_mut(n) {
            exchange(c);
            solve_unit_lower_by::<T, FMA>(&panel[k0..], n, &mut c[k0..k1]);
        }
        T::subtract_product(n, k0, k1, a)?;
    }
    // an overflow on the way spreads to a later pivot
    if a.iter().step_by(n + 1).all(|p| p.abs1() <= f64::MAX) {
        Ok(())
    } else {
        Err(LinalgError::NotFinite)
    }
}

/// Eliminate the columns of a panel that starts on the diagonal at k0; rows are exchanged within it only.
#[inline(always)]
fn eliminate_panel<T: Scalar, const FMA: bool>(
    n: usize,
    k0: usize,
    panel: &mut [T],
    exchanges: &mut [usize],
    reciprocals: &mut [T],
) -> Result {
    for (at, k) in (k0..k0 + panel.len() / n).enumerate() {
        let (left, right) = panel.split_at_mut((at + 1) * n);
        let (before, column) = left.split_at_mut(at * n);
        let p = k + first_largest(&column[k..]);
        exchanges[k] = p;
        column.swap(k, p);
        if column[k] == T::default() {
            return Err(LinalgError::Singular { pivot: k });
        }
        if p != k {
            before.chunks_exact_mut(n).for_each(|c| c.swap(k, p));
        }
        let (head, multipliers) = column.split_at_mut(k + 1);
        reciprocals[k] = divide(multipliers, head[k]);
        for c in right.chunks_exact_mut(n) {
            c.swap(k, p);
            let (head, tail) = c.split_at_mut(k + 1);
            T::axpy_by::<FMA>(-head[k], multipliers, tail);
        }
    }
    Ok(())
}

/// Position of the first entry of largest modulus (IxAMAX).
#[inline(always)]
fn first_largest<T: Scalar>(x: &[T]) -> usize {
    let (mut at, mut best) = (0, 0.0);
    for (i, v) in x.iter().enumerate() {
        let size = v.abs1();
        if size > best {
            (at, best) = (i, size);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::lapack::{reference::Reference, Int};
    use crate::linalg::testing::{assert_close, check_square_solver, product, Random, SIZES};

    fn solve_all<T: Scalar>(random: impl Fn(&mut Random) -> T) {
        check_square_solver(random, |path, a, b| {
            let n = b.len();
            let mut lu = Lu::<T>::new(n + 3);
            lu.resize(n);
            assert_eq!(lu.n(), n);
            lu.matrix_mut().copy_from_slice(a);
            lu.factor_by(path)?;
            lu.solve(b);
            Ok(())
        });
    }

    #[test]
    fn real_systems_are_solved_by_both_paths() {
        solve_all(|r| r.next());
    }

    #[test]
    fn complex_systems_are_solved_by_both_paths() {
        solve_all(|r| Complex::new(r.next(), r.next()));
    }

    #[test]
    fn factors_are_those_of_lapack() {
        fn check<T: Scalar + Send + 'static>(
            n: usize,
            random: impl FnMut() -> T,
            reference: impl Fn(usize, &mut [T], &mut [Int]) -> Result<(), LinalgError> + Send + 'static,
        ) {
            let mut own = Lu::<T>::new(n);
            own.a = std::iter::repeat_with(random).take(n * n).collect();
            let (mut blocked, mut lapack) = (own.clone(), own.clone());
            own.factor_by(Path::Own).unwrap();
            blocked.factor_by(Path::Lapack).unwrap();
            // see the head of this file
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            let lapack = thread.spawn(move || {
                let mut ipiv = vec![0; n];
                reference(n, &mut lapack.a, &mut ipiv).unwrap();
                lapack.exchanges = ipiv.iter().map(|&p| p as usize - 1).collect();
                lapack
            });
            let lapack = lapack.unwrap().join().unwrap();
            assert_eq!((&own.exchanges, &blocked.exchanges), (&lapack.exchanges, &lapack.exchanges));
            assert_close(&own.a, &lapack.a, 1e-12);
            assert_close(&blocked.a, &lapack.a, 1e-12);
        }
        let mut r = Random::new(5);
        for n in SIZES {
            check(n, || r.next(), f64::getrf);
            check(n, || Complex::new(r.next(), r.next()), Complex::getrf);
        }
    }

    #[test]
    fn overflow_is_reported() {
        for path in [Path::Own, Path::Lapack] {
            let mut lu = LuReal::new(2);
            lu.matrix_mut().copy_from_slice(&[1e308, -1e308, 1e308, 1e308]);
            assert_eq!(lu.factor_by(path), Err(LinalgError::NotFinite));
        }
    }

    #[test]
    fn large_matrix_fits_an_ordinary_thread() {
        let (mut r, n) = (Random::new(9), 300);
        let mut lu = LuComplex::new(n);
        lu.matrix_mut().iter_mut().for_each(|v| *v = Complex::new(r.next(), r.next()));
        let (a, mut b) = (lu.a.clone(), lu.a[..n].to_vec());
        lu.factor().unwrap();
        lu.solve(&mut b);
        // the right-hand side is the first column
        assert_close(&product((n, n, 1), &a, &b), &a[..n], 1e-11);
    }
}
