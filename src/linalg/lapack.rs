//! The only calls of LAPACK and BLAS, and the only unsafe code below the C interface.
//!
//! The declarations are our own because the binding crates leave out the hidden lengths of CHARACTER
//! arguments, which gfortran-compiled code may rely on (Reference-LAPACK/lapack#339). Integers are 32 bits
//! wide (LP64); [`integers_are_32_bit`] tells whether the library agrees.
//!
//! Each wrapper checks the lengths of its slices and answers a wrong one as LAPACK would: INFO = -(number of
//! the argument). Whether the entries are finite is checked by the callers, once for both paths.

#![allow(unsafe_code)]
#![warn(clippy::indexing_slicing)]

mod declarations;

// build.rs says which library; with the feature openblas-src these crates do.
extern crate lapack_src as _;
#[cfg(feature = "openblas-src")]
extern crate openblas_src as _;

use super::{Complex, LinalgError, Result, Scalar};
use declarations::*;
use libc::{c_char, c_int, size_t};

/// INTEGER of the linked library.
pub type Int = c_int;

/// Length of the CHARACTER*1 arguments.
const LEN: size_t = 1;

/// A CHARACTER*1 argument.
fn flag(letter: &u8) -> *const c_char {
    std::ptr::from_ref(letter).cast()
}

fn wrong(routine: &'static str, argument: Int) -> LinalgError {
    LinalgError::Lapack { routine, info: -argument }
}

fn int(routine: &'static str, argument: Int, value: usize) -> Result<Int> {
    Int::try_from(value).map_err(|_| wrong(routine, argument))
}

fn need(routine: &'static str, argument: Int, enough: bool) -> Result {
    if enough {
        Ok(())
    } else {
        Err(wrong(routine, argument))
    }
}

/// Entries from the first to the last of a matrix with leading dimension `ld`; `None` if that overflows.
fn extent(rows: usize, cols: usize, ld: usize) -> Option<usize> {
    match cols.checked_sub(1) {
        Some(last) if rows > 0 => last.checked_mul(ld)?.checked_add(rows),
        _ => Some(0),
    }
}

fn holds(len: usize, rows: usize, cols: usize, ld: usize) -> bool {
    ld >= rows && extent(rows, cols, ld).is_some_and(|e| e <= len)
}

fn finished(routine: &'static str, info: Int) -> Result {
    if info == 0 {
        Ok(())
    } else {
        Err(LinalgError::Lapack { routine, info })
    }
}

/// A workspace length out of a query, never below `least`.
fn work_length(info: Int, answer: f64, least: usize) -> usize {
    // the answer is a small positive integer; anything else falls to the least
    if info == 0 && answer.is_finite() {
        least.max(answer as usize)
    } else {
        least
    }
}

/// The routines that there are for real and for complex matrices.
pub trait Routines: Sized {
    /// Householder QR of a square matrix; `work` has at least n entries.
    fn geqrf(n: usize, a: &mut [Self], tau: &mut [Self], work: &mut [Self]) -> Result;

    /// Best workspace of [`Routines::geqrf`].
    fn geqrf_work(n: usize) -> usize;

    /// A22 -= A21 A12 in place, where A11 are the rows and columns k0..k1 of the n by n matrix.
    fn subtract_product(n: usize, k0: usize, k1: usize, a: &mut [Self]) -> Result;
}

macro_rules! routines {
    ($scalar:ty: $geqrf_name:literal $geqrf:ident, $gemm_name:literal $gemm:ident) => {
        // SAFETY of all calls: Complex has the layout of COMPLEX*16.
        impl Routines for $scalar {
            fn geqrf(n: usize, a: &mut [Self], tau: &mut [Self], work: &mut [Self]) -> Result {
                let ni = int($geqrf_name, 2, n)?;
                need($geqrf_name, 3, holds(a.len(), n, n, n))?;
                need($geqrf_name, 5, tau.len() >= n)?;
                need($geqrf_name, 7, work.len() >= n.max(1))?;
                let (ld, lwork, mut info) = (ni.max(1), int($geqrf_name, 7, work.len())?, 0);
                // SAFETY: a is n by n, tau has n entries, work has lwork >= max(1, n), all checked above.
                unsafe {
                    let (a, tau, work) = (a.as_mut_ptr(), tau.as_mut_ptr(), work.as_mut_ptr());
                    $geqrf(&ni, &ni, a, &ld, tau, work, &lwork, &mut info);
                }
                finished($geqrf_name, info)
            }

            fn geqrf_work(n: usize) -> usize {
                let Ok(ni) = Int::try_from(n) else { return n };
                let (mut a, mut tau, mut work) = (Self::default(), Self::default(), Self::default());
                let mut info = 0;
                // SAFETY: with LWORK = -1 only work[0] and info are written.
                unsafe { $geqrf(&ni, &ni, &mut a, &ni.max(1), &mut tau, &mut work, &-1, &mut info) };
                work_length(info, Scalar::re(work), n.max(1))
            }

            fn subtract_product(n: usize, k0: usize, k1: usize, a: &mut [Self]) -> Result {
                need($gemm_name, 7, k0 <= k1 && k1 <= n && holds(a.len(), n, n, n))?;
                let (rest, k) = (int($gemm_name, 3, n - k1)?, int($gemm_name, 5, k1 - k0)?);
                let ld = int($gemm_name, 8, n)?;
                if rest == 0 || k == 0 {
                    return Ok(());
                }
                let (one, minus) = (Self::from(1.0), Self::from(-1.0));
                // SAFETY: k0 < k1 < n, so the three blocks start and end within a; they do not overlap.
                unsafe {
                    let a = a.as_mut_ptr();
                    let (a21, a12, a22) = (a.add(k1 + k0 * n), a.add(k0 + k1 * n), a.add(k1 + k1 * n));
                    let plain = flag(&b'N');
                    $gemm(
                        plain, plain, &rest, &rest, &k, &minus, a21, &ld, a12, &ld, &one, a22, &ld, LEN, LEN,
                    );
                }
                Ok(())
            }
        }
    };
}
routines!(f64: "dgeqrf" dgeqrf_, "dgemm" dgemm_);
routines!(Complex: "zgeqrf" zgeqrf_, "zgemm" zgemm_);

/// QR with column pivoting, all columns free; `jpvt` counted from 1.
pub fn dgeqp3(
    (m, n): (usize, usize),
    a: &mut [f64],
    jpvt: &mut [Int],
    tau: &mut [f64],
    work: &mut [f64],
) -> Result {
    let (mi, ni) = (int("dgeqp3", 1, m)?, int("dgeqp3", 2, n)?);
    need("dgeqp3", 3, holds(a.len(), m, n, m))?;
    need("dgeqp3", 5, jpvt.len() >= n)?;
    need("dgeqp3", 6, tau.len() >= m.min(n))?;
    need("dgeqp3", 8, work.len() > 3 * n)?;
    jpvt.fill(0);
    let (ld, lwork, mut info) = (mi.max(1), int("dgeqp3", 8, work.len())?, 0);
    // SAFETY: lengths checked above; jpvt = 0 marks every column free.
    unsafe {
        let (a, jpvt, tau, work) = (a.as_mut_ptr(), jpvt.as_mut_ptr(), tau.as_mut_ptr(), work.as_mut_ptr());
        dgeqp3_(&mi, &ni, a, &ld, jpvt, tau, work, &lwork, &mut info);
    }
    finished("dgeqp3", info)
}

/// Best workspace of [`dgeqp3`].
pub fn dgeqp3_work(m: usize, n: usize) -> usize {
    let least = 3 * n + 1;
    let (Ok(mi), Ok(ni)) = (Int::try_from(m), Int::try_from(n)) else { return least };
    let (mut a, mut jpvt, mut tau, mut work, mut info) = (0.0, 0, 0.0, 0.0, 0);
    // SAFETY: with LWORK = -1 only work[0] and info are written.
    unsafe { dgeqp3_(&mi, &ni, &mut a, &mi.max(1), &mut jpvt, &mut tau, &mut work, &-1, &mut info) };
    work_length(info, work, least)
}

/// C := H1…Hk C for an m by n matrix C, with the reflectors in the first k columns of `a` (m rows).
///
/// `a` is mutable because older versions of LAPACK change it and restore it.
pub fn dormqr(
    (m, n, k): (usize, usize, usize),
    a: &mut [f64],
    tau: &[f64],
    c: &mut [f64],
    work: &mut [f64],
) -> Result {
    let (mi, ni, ki) = (int("dormqr", 3, m)?, int("dormqr", 4, n)?, int("dormqr", 5, k)?);
    need("dormqr", 5, k <= m)?;
    need("dormqr", 6, holds(a.len(), m, k, m))?;
    need("dormqr", 8, tau.len() >= k)?;
    need("dormqr", 9, holds(c.len(), m, n, m))?;
    need("dormqr", 12, work.len() >= n.max(1))?;
    let (ld, lwork, mut info) = (mi.max(1), int("dormqr", 12, work.len())?, 0);
    // SAFETY: lengths checked above.
    unsafe {
        let (a, tau, c, work) = (a.as_mut_ptr(), tau.as_ptr(), c.as_mut_ptr(), work.as_mut_ptr());
        let (left, plain) = (flag(&b'L'), flag(&b'N'));
        dormqr_(left, plain, &mi, &ni, &ki, a, &ld, tau, c, &ld, work, &lwork, &mut info, LEN, LEN);
    }
    finished("dormqr", info)
}

/// Best workspace of [`dormqr`].
pub fn dormqr_work(m: usize, n: usize, k: usize) -> usize {
    let least = n.max(1);
    let (Ok(mi), Ok(ni), Ok(ki)) = (Int::try_from(m), Int::try_from(n), Int::try_from(k)) else {
        return least;
    };
    let (ld, mut a, tau, mut c, mut work, mut info) = (mi.max(1), 0.0, 0.0, 0.0, 0.0, 0);
    // SAFETY: with LWORK = -1 only work[0] and info are written.
    unsafe {
        let (left, plain) = (flag(&b'L'), flag(&b'N'));
        let (a, tau, c, work) = (&mut a, &tau, &mut c, &mut work);
        dormqr_(left, plain, &mi, &ni, &ki, a, &ld, tau, c, &ld, work, &-1, &mut info, LEN, LEN);
    }
    work_length(info, work, least)
}

/// The arrays that [`dgesdd`] fills and works in.
pub struct SvdArrays<'a> {
    /// Singular values, min(m, n).
    pub s: &'a mut [f64],
    /// Left vectors, m by m.
    pub u: &'a mut [f64],
    /// Right vectors transposed, n by n.
    pub vt: &'a mut [f64],
    /// Workspace of at least [`dgesdd_work`].
    pub work: &'a mut [f64],
    /// Workspace, 8 min(m, n).
    pub iwork: &'a mut [Int],
}

/// Full singular value decomposition; `a` is destroyed.
pub fn dgesdd(m: usize, n: usize, a: &mut [f64], out: SvdArrays<'_>) -> Result {
    let (mi, ni) = (int("dgesdd", 2, m)?, int("dgesdd", 3, n)?);
    need("dgesdd", 4, holds(a.len(), m, n, m))?;
    need("dgesdd", 6, out.s.len() >= m.min(n))?;
    need("dgesdd", 7, holds(out.u.len(), m, m, m))?;
    need("dgesdd", 9, holds(out.vt.len(), n, n, n))?;
    need("dgesdd", 12, out.work.len() >= dgesdd_least(m, n))?;
    need("dgesdd", 13, out.iwork.len() >= 8 * m.min(n))?;
    let (ldm, ldn) = (mi.max(1), ni.max(1));
    let (lwork, mut info) = (int("dgesdd", 12, out.work.len())?, 0);
    // SAFETY: lengths checked above.
    unsafe {
        let (a, s, u, vt) = (a.as_mut_ptr(), out.s.as_mut_ptr(), out.u.as_mut_ptr(), out.vt.as_mut_ptr());
        let (work, iwork) = (out.work.as_mut_ptr(), out.iwork.as_mut_ptr());
        let all = flag(&b'A');
        dgesdd_(all, &mi, &ni, a, &ldm, s, u, &ldm, vt, &ldn, work, &lwork, iwork, &mut info, LEN);
    }
    finished("dgesdd", info)
}

/// LWORK below this is refused by DGESDD with JOBZ = 'A'.
fn dgesdd_least(m: usize, n: usize) -> usize {
    let small = m.min(n);
    4 * small * small + 6 * small + m.max(n).max(1)
}

/// Best workspace of [`dgesdd`].
pub fn dgesdd_work(m: usize, n: usize) -> usize {
    let least = dgesdd_least(m, n);
    let (Ok(mi), Ok(ni)) = (Int::try_from(m), Int::try_from(n)) else { return least };
    let (ldm, ldn) = (mi.max(1), ni.max(1));
    let (mut a, mut s, mut u, mut vt, mut work, mut iwork, mut info) = (0.0, 0.0, 0.0, 0.0, 0.0, 0, 0);
    // SAFETY: with LWORK = -1 only work[0] and info are written.
    unsafe {
        let (a, s, u, vt, work) = (&mut a, &mut s, &mut u, &mut vt, &mut work);
        let all = flag(&b'A');
        dgesdd_(all, &mi, &ni, a, &ldm, s, u, &ldm, vt, &ldn, work, &-1, &mut iwork, &mut info, LEN);
    }
    work_length(info, work, least)
}

/// C := alpha op(A) B + beta C, with op(A) m by k. Matrices come with their leading dimensions.
pub fn dgemm(
    transposed: bool,
    (m, k, n): (usize, usize, usize),
    alpha: f64,
    (a, lda): (&[f64], usize),
    (b, ldb): (&[f64], usize),
    beta: f64,
    (c, ldc): (&mut [f64], usize),
) -> Result {
    let (mi, ni, ki) = (int("dgemm", 3, m)?, int("dgemm", 4, n)?, int("dgemm", 5, k)?);
    let (a_rows, a_cols) = if transposed { (k, m) } else { (m, k) };
    need("dgemm", 7, holds(a.len(), a_rows, a_cols, lda))?;
    need("dgemm", 9, holds(b.len(), k, n, ldb))?;
    need("dgemm", 12, holds(c.len(), m, n, ldc))?;
    let lda = int("dgemm", 8, lda)?.max(1);
    let (ldb, ldc) = (int("dgemm", 10, ldb)?.max(1), int("dgemm", 13, ldc)?.max(1));
    let op = if transposed { b'T' } else { b'N' };
    // SAFETY: extents of the three matrices checked above.
    unsafe {
        let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
        let (op, plain) = (flag(&op), flag(&b'N'));
        dgemm_(op, plain, &mi, &ni, &ki, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, LEN, LEN);
    }
    Ok(())
}

/// True if the linked library has 32-bit integers, as the declarations here assume.
///
/// Factors a 2 by 2 matrix with every integer in a zero-extended 64-bit slot, which is valid for both widths.
pub fn integers_are_32_bit() -> bool {
    // [0 1; 1 0] needs the interchange 1 <-> 2, so IPIV = (2, 2)
    let (n, mut a, mut ipiv, mut info) = (2_i64.to_le(), [0.0, 1.0, 1.0, 0.0], [0_i64; 2], 0_i64);
    let n = std::ptr::from_ref(&n).cast();
    // SAFETY: a is 2 by 2 and the integer arrays have room for two 64-bit integers.
    unsafe {
        let info = std::ptr::from_mut(&mut info).cast();
        dgetrf_(n, n, a.as_mut_ptr(), n, ipiv.as_mut_ptr().cast(), info);
    }
    ipiv == [(2_i64 << 32 | 2).to_le(), 0]
}

/// LU by LAPACK, with which the own elimination is compared ([`super::lu`]).
#[cfg(test)]
pub(crate) mod reference {
    use super::*;

    pub(crate) trait Reference: Sized {
        /// LU of a square matrix; `ipiv` counted from 1.
        fn getrf(n: usize, a: &mut [Self], ipiv: &mut [Int]) -> Result;
    }

    macro_rules! reference {
        ($scalar:ty: $name:literal $getrf:ident) => {
            impl Reference for $scalar {
                fn getrf(n: usize, a: &mut [Self], ipiv: &mut [Int]) -> Result {
                    let ni = int($name, 2, n)?;
                    need($name, 3, holds(a.len(), n, n, n))?;
                    need($name, 5, ipiv.len() >= n)?;
                    let mut info = 0;
                    // SAFETY: a holds n columns of n entries, ipiv holds n, all checked above; Complex has the layout of COMPLEX*16.
                    unsafe { $getrf(&ni, &ni, a.as_mut_ptr(), &ni.max(1), ipiv.as_mut_ptr(), &mut info) };
                    factored($name, info)
                }
            }
        };
    }

    reference!(f64: "dgetrf" dgetrf_);
    reference!(Complex: "zgetrf" zgetrf_);

    /// INFO > 0 of xGETRF is the first zero pivot.
    fn factored(routine: &'static str, info: Int) -> Result {
        match usize::try_from(info) {
            Ok(k) if k > 0 => Err(LinalgError::Singular { pivot: k - 1 }),
            _ => finished(routine, info),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reference::Reference;
    use super::*;

    #[test]
    fn library_has_32_bit_integers() {
        assert!(integers_are_32_bit());
    }

    #[test]
    fn short_slices_are_errors() {
        let (mut a, mut ipiv, mut tau, mut work) = ([1.0; 8], [1; 3], [0.0; 3], [0.0; 64]);
        let info = |r: Result<(), LinalgError>| match r {
            Err(LinalgError::Lapack { info, .. }) => info,
            _ => 0,
        };
        assert_eq!(info(f64::getrf(3, &mut a, &mut ipiv)), -3);
        assert_eq!(info(f64::subtract_product(3, 1, 2, &mut a)), -7);
        assert_eq!(info(f64::subtract_product(2, 2, 1, &mut a)), -7);
        assert_eq!(info(f64::geqrf(3, &mut a, &mut tau, &mut work)), -3);
        assert_eq!(info(dgeqp3((2, 4), &mut a, &mut ipiv, &mut tau, &mut work)), -5);
        assert_eq!(info(dormqr((2, 1, 3), &mut a, &tau, &mut [0.0; 2], &mut work)), -5);
        let c = (&mut [0.0; 4][..], 2);
        assert_eq!(info(dgemm(false, (2, 2, 2), 1.0, (&a, 1), (&a, 2), 0.0, c)), -7);
        let mut none: [Int; 0] = [];
        let out =
            SvdArrays { s: &mut tau, u: &mut [0.0; 4], vt: &mut [0.0; 4], work: &mut work, iwork: &mut none };
        assert_eq!(info(dgesdd(2, 2, &mut a, out)), -13);
    }
}
