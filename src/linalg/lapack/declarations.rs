//! Fortran interfaces of the routines in use, hidden CHARACTER lengths last.

use super::{Complex, Int};
use libc::{c_char, size_t};

/// What there is for real and for complex matrices.
macro_rules! interfaces {
    ($scalar:ty: $getrf:ident, $geqrf:ident, $gemm:ident) => {
        extern "C" {
            #[allow(dead_code)] // the complex one serves the tests
            pub(super) fn $getrf(
                m: *const Int,
                n: *const Int,
                a: *mut $scalar,
                lda: *const Int,
                ipiv: *mut Int,
                info: *mut Int,
            );
            pub(super) fn $geqrf(
                m: *const Int,
                n: *const Int,
                a: *mut $scalar,
                lda: *const Int,
                tau: *mut $scalar,
                work: *mut $scalar,
                lwork: *const Int,
                info: *mut Int,
            );
            pub(super) fn $gemm(
                transa: *const c_char,
                transb: *const c_char,
                m: *const Int,
                n: *const Int,
                k: *const Int,
                alpha: *const $scalar,
                a: *const $scalar,
                lda: *const Int,
                b: *const $scalar,
                ldb: *const Int,
                beta: *const $scalar,
                c: *mut $scalar,
                ldc: *const Int,
                transa_len: size_t,
                transb_len: size_t,
            );
        }
    };
}
interfaces!(f64: dgetrf_, dgeqrf_, dgemm_);
interfaces!(Complex: zgetrf_, zgeqrf_, zgemm_);

extern "C" {
    pub(super) fn dgeqp3_(
        m: *const Int,
        n: *const Int,
        a: *mut f64,
        lda: *const Int,
        jpvt: *mut Int,
        tau: *mut f64,
        work: *mut f64,
        lwork: *const Int,
        info: *mut Int,
    );
    pub(super) fn dormqr_(
        side: *const c_char,
        trans: *const c_char,
        m: *const Int,
        n: *const Int,
        k: *const Int,
        a: *mut f64,
        lda: *const Int,
        tau: *const f64,
        c: *mut f64,
        ldc: *const Int,
        work: *mut f64,
        lwork: *const Int,
        info: *mut Int,
        side_len: size_t,
        trans_len: size_t,
    );
    pub(super) fn dgesdd_(
        jobz: *const c_char,
        m: *const Int,
        n: *const Int,
        a: *mut f64,
        lda: *const Int,
        s: *mut f64,
        u: *mut f64,
        ldu: *const Int,
        vt: *mut f64,
        ldvt: *const Int,
        work: *mut f64,
        lwork: *const Int,
        iwork: *mut Int,
        info: *mut Int,
        jobz_len: size_t,
    );
}
