//! Square systems by LU with partial pivoting.
//!
//! Large matrices are eliminated in panels with xGEMM, and not by xGETRF: that of OpenBLAS, when
//! threaded, takes half a megabyte of stack per level of its recursion and overflows the 2 MB of an ordinary Rust
//! thread already at n = 100 (OpenMathLib/OpenBLAS#246, #3229).

use super::complex::Complex;
use super::scalar::{divide, finite, Scalar};
use super::triangular::solve_unit_lower;
use super::{LinalgError, Path};

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
}

impl<T: Scalar> Lu<T> {
    /// Room for matrices up to order `n`.
    pub fn new(n: usize) -> Self {
        Lu { n, a: vec![T::default(); n * n], exchanges: vec![0; n], reciprocals: vec![T::default(); n] }
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
        &mut self.a[..self.n * self.n]
    }

    /// Factor the matrix in place. [`LinalgError::Singular`] means a pivot that is exactly zero.
    pub fn factor(&mut self) -> Result<(), LinalgError> {
        self.factor_by(Path::up_to(T::LU_OWN_MAX, self.n))
    }

    pub(crate) fn factor_by(&mut self, path: Path) -> Result<(), LinalgError> {
        let n = self.n;
        let (a, exchanges) = (&mut self.a[..n * n], &mut self.exchanges[..n]);
        if !finite(a) {
            return Err(LinalgError::NotFinite);
        }
        match path {
            Path::Own => eliminate(n, n, a, exchanges)?,
            Path::Lapack => eliminate(n, BLOCK, a, exchanges)?,
        }
        // an overflow on the way spreads to a later pivot
        if !a.iter().step_by(n + 1).all(|p| p.abs1() <= f64::MAX) {
            return Err(LinalgError::NotFinite);
        }
        for (r, p) in self.reciprocals.iter_mut().zip(a.iter().step_by(n + 1)) {
            *r = T::from(1.0) / *p;
        }
        Ok(())
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [T]) {
        let n = self.n;
        let b = &mut b[..n];
        self.exchanges[..n].iter().enumerate().for_each(|(k, &p)| b.swap(k, p));
        solve_unit_lower(&self.a, n, b);
        for k in (0..n).rev() {
            let (head, last) = b.split_at_mut(k);
            last[0] = last[0] * self.reciprocals[k];
            T::axpy(-last[0], &self.a[k * n..k * n + k], head);
        }
    }
}

/// Right-looking elimination in panels of `block` columns, the rest updated by a matrix product. With
/// `block = n` it is the plain algorithm.
fn eliminate<T: Scalar>(
    n: usize,
    block: usize,
    a: &mut [T],
    exchanges: &mut [usize],
) -> Result<(), LinalgError> {
    for k0 in (0..n).step_by(block.max(1)) {
        let k1 = (k0 + block).min(n);
        let (left, right) = a.split_at_mut(k1 * n);
        let (before, panel) = left.split_at_mut(k0 * n);
        eliminate_panel(n, k0, panel, exchanges)?;
        let exchange = |c: &mut [T]| (k0..k1).for_each(|k| c.swap(k, exchanges[k]));
        before.chunks_exact_mut(n).for_each(exchange);
        if right.is_empty() {
            continue;
        }
        for c in right.chunks_exact_mut(n) {
            exchange(c);
            solve_unit_lower(&panel[k0..], n, &mut c[k0..k1]);
        }
        T::subtract_product(n, k0, k1, a)?;
    }
    Ok(())
}

/// Eliminate the columns of a panel that starts on the diagonal at k0; rows are exchanged within it only.
fn eliminate_panel<T: Scalar>(
    n: usize,
    k0: usize,
    panel: &mut [T],
    exchanges: &mut [usize],
) -> Result<(), LinalgError> {
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
        divide(multipliers, head[k]);
        for c in right.chunks_exact_mut(n) {
            c.swap(k, p);
            let (head, tail) = c.split_at_mut(k + 1);
            T::axpy(-head[k], multipliers, tail);
        }
    }
    Ok(())
}

/// Position of the first entry of largest modulus (IxAMAX).
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
    use crate::linalg::lapack::{self, Int};
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
            check(n, || r.next(), lapack::dgetrf);
            check(n, || Complex::new(r.next(), r.next()), lapack::zgetrf);
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
