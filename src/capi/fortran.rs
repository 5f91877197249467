//! The exported symbols. Argument lists are those of the manual; `_64_` is for programs with 64-bit INTEGER.
//!
//! The types of the subroutines are written out in place because the header is generated from them.

#![allow(clippy::too_many_arguments, clippy::type_complexity)]

use super::arguments::{call, Arguments};
use super::FortranInteger;
use crate::dense;

/// Integrate the equations of motion of a constrained multibody system from T to TEND.
///
/// The argument list is that of the subroutine GEOMS: every argument by reference, arrays column-major, INTEGER of
/// 32 bits. The meaning of each argument, option and code is in `docs/reference.md`.
///
/// On return X and T hold the last accepted point, H the next step size, IWORK(1..11) the counters and IDID 0 or the
/// reason of the failure; a refused argument changes nothing but IDID. RTOL, ATOL, IOPT and ROPT are never written.
///
/// # Safety
/// Every pointer is null (which is refused) or points to what the manual says. A subroutine must return: no C++
/// exception and no longjmp may leave it; it stops the run with a negative IERR.
#[no_mangle]
pub unsafe extern "C" fn geoms_(
    np: *const i32,
    nv: *const i32,
    nr: *const i32,
    nw: *const i32,
    ns: *const i32,
    nl: *const i32,
    nm: *const i32,
    ni: *const i32,
    m: *const i32,
    n: *const i32,
    nivcond: *const i32,
    x: *mut f64,
    t: *mut f64,
    tend: *const f64,
    h: *mut f64,
    rtol: *const f64,
    atol: *const f64,
    itol: *const i32,
    iopt: *const i32,
    ropt: *const f64,
    ivcond: Option<
        unsafe extern "C" fn(
            n: *const i32,
            t: *const f64,
            x: *const f64,
            ncond: *const i32,
            cond: *mut f64,
            ipar: *mut i32,
            rpar: *mut f64,
            ierr: *mut i32,
        ),
    >,
    eom: Option<
        unsafe extern "C" fn(
            m: *const i32,
            n: *const i32,
            t: *const f64,
            x: *const f64,
            rda: *mut f64,
            iopt: *const i32,
            ropt: *const f64,
            ipar: *mut i32,
            rpar: *mut f64,
            ierr: *mut i32,
        ),
    >,
    mas: Option<
        unsafe extern "C" fn(
            t: *const f64,
            nx: *const i32,
            x: *const f64,
            m: *const i32,
            n: *const i32,
            ma: *mut f64,
            iopt: *const i32,
            ropt: *const f64,
            ipar: *mut i32,
            rpar: *mut f64,
            ierr: *mut i32,
        ),
    >,
    jac: Option<
        unsafe extern "C" fn(
            m1: *const i32,
            m2: *const i32,
            m3: *const i32,
            m4: *const i32,
            m5: *const i32,
            m6: *const i32,
            n1: *const i32,
            n2: *const i32,
            n3: *const i32,
            n4: *const i32,
            m: *const i32,
            n: *const i32,
            t: *const f64,
            x: *const f64,
            fx1: *mut f64,
            fx2: *mut f64,
            fx3: *mut f64,
            fx4: *mut f64,
            fx5: *mut f64,
            fx6: *mut f64,
            iopt: *const i32,
            ropt: *const f64,
            rpar: *mut f64,
            ipar: *mut i32,
            ierr: *mut i32,
        ),
    >,
    ijac: *const i32,
    solout: Option<
        unsafe extern "C" fn(
            naccpt: *const i32,
            told: *const f64,
            t: *const f64,
            x: *const f64,
            n: *const i32,
            nn2: *const i32,
            nn3: *const i32,
            nn4: *const i32,
            contx: *const f64,
            h: *const f64,
            c1m1: *const f64,
            c2m1: *const f64,
            rpar: *mut f64,
            ipar: *mut i32,
            ierr: *mut i32,
        ),
    >,
    iout: *const i32,
    liwork: *const i32,
    iwork: *mut i32,
    lrwork: *const i32,
    rwork: *mut f64,
    rpar: *mut f64,
    ipar: *mut i32,
    ierr: *mut i32,
    idid: *mut i32,
) {
    let arguments = Arguments {
        np,
        nv,
        nr,
        nw,
        ns,
        nl,
        nm,
        ni,
        m,
        n,
        nivcond,
        x,
        t,
        tend,
        h,
        rtol,
        atol,
        itol,
        iopt,
        ropt,
        ivcond,
        eom,
        mas,
        jac,
        ijac,
        solout,
        iout,
        liwork,
        iwork,
        lrwork,
        rwork,
        rpar,
        ipar,
        ierr,
        idid,
    };
    // SAFETY: the contract of this function.
    unsafe { call(&arguments) }
}

/// Component I (from 1) of the solution at TOUT in the last step, from the data passed to SOLOUT.
///
/// NaN if an argument is null or I is not in 1..N.
///
/// # Safety
/// Every pointer is null or points to what SOLOUT was given.
#[no_mangle]
pub unsafe extern "C" fn gedensout_(
    i: *const i32,
    tout: *const f64,
    n: *const i32,
    nn2: *const i32,
    nn3: *const i32,
    nn4: *const i32,
    t: *const f64,
    h: *const f64,
    contx: *const f64,
    c1m1: *const f64,
    c2m1: *const f64,
) -> f64 {
    // SAFETY: the contract of this function.
    unsafe { interpolate(i, tout, [n, nn2, nn3, nn4], t, h, contx, c1m1, c2m1) }.unwrap_or(f64::NAN)
}

/// The same as `geoms_` for programs with 64-bit INTEGER.
///
/// # Safety
/// As `geoms_`.
#[no_mangle]
pub unsafe extern "C" fn geoms_64_(
    np: *const i64,
    nv: *const i64,
    nr: *const i64,
    nw: *const i64,
    ns: *const i64,
    nl: *const i64,
    nm: *const i64,
    ni: *const i64,
    m: *const i64,
    n: *const i64,
    nivcond: *const i64,
    x: *mut f64,
    t: *mut f64,
    tend: *const f64,
    h: *mut f64,
    rtol: *const f64,
    atol: *const f64,
    itol: *const i64,
    iopt: *const i64,
    ropt: *const f64,
    ivcond: Option<
        unsafe extern "C" fn(
            n: *const i64,
            t: *const f64,
            x: *const f64,
            ncond: *const i64,
            cond: *mut f64,
            ipar: *mut i64,
            rpar: *mut f64,
            ierr: *mut i64,
        ),
    >,
    eom: Option<
        unsafe extern "C" fn(
            m: *const i64,
            n: *const i64,
            t: *const f64,
            x: *const f64,
            rda: *mut f64,
            iopt: *const i64,
            ropt: *const f64,
            ipar: *mut i64,
            rpar: *mut f64,
            ierr: *mut i64,
        ),
    >,
    mas: Option<
        unsafe extern "C" fn(
            t: *const f64,
            nx: *const i64,
            x: *const f64,
            m: *const i64,
            n: *const i64,
            ma: *mut f64,
            iopt: *const i64,
            ropt: *const f64,
            ipar: *mut i64,
            rpar: *mut f64,
            ierr: *mut i64,
        ),
    >,
    jac: Option<
        unsafe extern "C" fn(
            m1: *const i64,
            m2: *const i64,
            m3: *const i64,
            m4: *const i64,
            m5: *const i64,
            m6: *const i64,
            n1: *const i64,
            n2: *const i64,
            n3: *const i64,
            n4: *const i64,
            m: *const i64,
            n: *const i64,
            t: *const f64,
            x: *const f64,
            fx1: *mut f64,
            fx2: *mut f64,
            fx3: *mut f64,
            fx4: *mut f64,
            fx5: *mut f64,
            fx6: *mut f64,
            iopt: *const i64,
            ropt: *const f64,
            rpar: *mut f64,
            ipar: *mut i64,
            ierr: *mut i64,
        ),
    >,
    ijac: *const i64,
    solout: Option<
        unsafe extern "C" fn(
            naccpt: *const i64,
            told: *const f64,
            t: *const f64,
            x: *const f64,
            n: *const i64,
            nn2: *const i64,
            nn3: *const i64,
            nn4: *const i64,
            contx: *const f64,
            h: *const f64,
            c1m1: *const f64,
            c2m1: *const f64,
            rpar: *mut f64,
            ipar: *mut i64,
            ierr: *mut i64,
        ),
    >,
    iout: *const i64,
    liwork: *const i64,
    iwork: *mut i64,
    lrwork: *const i64,
    rwork: *mut f64,
    rpar: *mut f64,
    ipar: *mut i64,
    ierr: *mut i64,
    idid: *mut i64,
) {
    let arguments = Arguments {
        np,
        nv,
        nr,
        nw,
        ns,
        nl,
        nm,
        ni,
        m,
        n,
        nivcond,
        x,
        t,
        tend,
        h,
        rtol,
        atol,
        itol,
        iopt,
        ropt,
        ivcond,
        eom,
        mas,
        jac,
        ijac,
        solout,
        iout,
        liwork,
        iwork,
        lrwork,
        rwork,
        rpar,
        ipar,
        ierr,
        idid,
    };
    // SAFETY: the contract of this function.
    unsafe { call(&arguments) }
}

/// The same as `gedensout_` for programs with 64-bit INTEGER.
///
/// # Safety
/// As `gedensout_`.
#[no_mangle]
pub unsafe extern "C" fn gedensout_64_(
    i: *const i64,
    tout: *const f64,
    n: *const i64,
    nn2: *const i64,
    nn3: *const i64,
    nn4: *const i64,
    t: *const f64,
    h: *const f64,
    contx: *const f64,
    c1m1: *const f64,
    c2m1: *const f64,
) -> f64 {
    // SAFETY: the contract of this function.
    unsafe { interpolate(i, tout, [n, nn2, nn3, nn4], t, h, contx, c1m1, c2m1) }.unwrap_or(f64::NAN)
}

/// GEDENSOUT; `None` if an argument is null or the component does not exist.
///
/// # Safety
/// As `gedensout_`.
unsafe fn interpolate<I: FortranInteger>(
    i: *const I,
    tout: *const f64,
    offsets: [*const I; 4],
    t: *const f64,
    h: *const f64,
    contx: *const f64,
    c1m1: *const f64,
    c2m1: *const f64,
) -> Option<f64> {
    // SAFETY: null is refused; otherwise the contract of this function.
    let int = |p: *const I| {
        if p.is_null() {
            None
        } else {
            usize::try_from(unsafe { p.read_unaligned() }.get()).ok()
        }
    };
    // SAFETY: as above.
    let real = |p: *const f64| if p.is_null() { None } else { Some(unsafe { p.read_unaligned() }) };
    let [n, nn2, nn3, nn4] = [int(offsets[0])?, int(offsets[1])?, int(offsets[2])?, int(offsets[3])?];
    let component = int(i)?.checked_sub(1).filter(|&k| k < n)?;
    let (tout, t, h, c1m1, c2m1) = (real(tout)?, real(t)?, real(h)?, real(c1m1)?, real(c2m1)?);
    if contx.is_null() || [n, nn2, nn3].iter().any(|&offset| offset > nn4.saturating_sub(n)) {
        return None;
    }
    // SAFETY: CONTX has NN4 entries, and no offset reaches beyond them.
    let coefficients =
        [0, n, nn2, nn3].map(|offset| unsafe { contx.add(component + offset).read_unaligned() });
    Some(dense::evaluate(&coefficients, 1, 0, (tout - t) / h, &[c2m1, c1m1]))
}
