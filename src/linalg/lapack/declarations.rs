//! Fortran interfaces of the routines in use, hidden CHARACTER lengths last.

use super::{Complex, Int};
use libc::{c_char, size_t};

extern "C" {
    pub(super) fn dgetrf_(
        m: *const Int,
        n: *const Int,
        a: *mut f64,
        lda: *const Int,
        ipiv: *mut Int,
        info: *mut Int,
    );
    #[cfg(test)]
    pub(super) fn zgetrf_(
        m: *const Int,
        n: *const Int,
        a: *mut Complex,
        lda: *const Int,
        ipiv: *mut Int,
        info: *mut Int,
    );
    pub(super) fn dgeqrf_(
        m: *const Int,
        n: *const Int,
        a: *mut f64,
        lda: *const Int,
        tau: *mut f64,
        work: *mut f64,
        lwork: *const Int,
        info: *mut Int,
    );
    pub(super) fn zgeqrf_(
        m: *const Int,
        n: *const Int,
        a: *mut Complex,
        lda: *const Int,
        tau: *mut Complex,
        work: *mut Complex,
        lwork: *const Int,
        info: *mut Int,
    );
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
    pub(super) fn dgemm_(
        transa: *const c_char,
        transb: *const c_char,
        m: *const Int,
        n: *const Int,
        k: *const Int,
        alpha: *const f64,
        a: *const f64,
        lda: *const Int,
        b: *const f64,
        ldb: *const Int,
        beta: *const f64,
        c: *mut f64,
        ldc: *const Int,
        transa_len: size_t,
        transb_len: size_t,
    );
    pub(super) fn zgemm_(
        transa: *const c_char,
        transb: *const c_char,
        m: *const Int,
        n: *const Int,
        k: *const Int,
        alpha: *const Complex,
        a: *const Complex,
        lda: *const Int,
        b: *const Complex,
        ldb: *const Int,
        beta: *const Complex,
        c: *mut Complex,
        ldc: *const Int,
        transa_len: size_t,
        transb_len: size_t,
    );
}
