//! The exported symbols. Argument lists are those of the manual; `_64_` is for programs with 64-bit INTEGER.
//!
//! Each function is written once, with `Int` for INTEGER; `twins!` makes one of 32 and one of 64 bits of it, and the header
//! is made from the same text (documents/build.rs). The types of the subroutines are written out in place because the
//! header shows them.

#![allow(clippy::too_many_arguments, clippy::type_complexity)]

use super::arguments::call;
use super::FortranInteger;
use crate::polynomial;

/// `fn narrow | wide(arguments) as function(Gathered);`: the function for INTEGER of 32 bits and the one for 64 bits, whose
/// arguments are gathered in a structure and handed to `function`.
macro_rules! twins {
    ($($(#[$doc:meta])* fn $narrow:ident | $wide:ident($($name:ident: $type:ty,)*) $(-> $result:ty)? as $function:ident($gathered:ident);)*) => {
        pub use {narrow::*, wide::*};

        $(
            #[doc = concat!("The arguments of `", stringify!($narrow), "`.")]
            #[derive(Clone, Copy)]
            pub(super) struct $gathered<Int> {
                $(pub $name: $type,)*
            }
        )*

        mod narrow {
            use super::*;
            type Int = i32;
            $(
                $(#[$doc])*
                #[no_mangle]
                pub unsafe extern "C" fn $narrow($($name: $type),*) $(-> $result)? {
                    // SAFETY: the contract of this function.
                    unsafe { $function(&$gathered { $($name),* }) }
                }
            )*
        }

        mod wide {
            use super::*;
            type Int = i64;
            $(
                #[doc = concat!("The same as `", stringify!($narrow), "` for programs with 64-bit INTEGER.")]
                ///
                /// # Safety
                #[doc = concat!("As `", stringify!($narrow), "`.")]
                #[no_mangle]
                pub unsafe extern "C" fn $wide($($name: $type),*) $(-> $result)? {
                    // SAFETY: the contract of this function.
                    unsafe { $function(&$gathered { $($name),* }) }
                }
            )*
        }
    };
}

twins! {
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
    fn geoms_ | geoms_64_(
        np: *const Int,
        nv: *const Int,
        nr: *const Int,
        nw: *const Int,
        ns: *const Int,
        nl: *const Int,
        nm: *const Int,
        ni: *const Int,
        m: *const Int,
        n: *const Int,
        nivcond: *const Int,
        x: *mut f64,
        t: *mut f64,
        tend: *const f64,
        h: *mut f64,
        rtol: *const f64,
        atol: *const f64,
        itol: *const Int,
        iopt: *const Int,
        ropt: *const f64,
        ivcond: Option<
            unsafe extern "C" fn(
                n: *const Int,
                t: *const f64,
                x: *const f64,
                ncond: *const Int,
                cond: *mut f64,
                ipar: *mut Int,
                rpar: *mut f64,
                ierr: *mut Int,
            ),
        >,
        eom: Option<
            unsafe extern "C" fn(
                m: *const Int,
                n: *const Int,
                t: *const f64,
                x: *const f64,
                rda: *mut f64,
                iopt: *const Int,
                ropt: *const f64,
                ipar: *mut Int,
                rpar: *mut f64,
                ierr: *mut Int,
            ),
        >,
        mas: Option<
            unsafe extern "C" fn(
                t: *const f64,
                nx: *const Int,
                x: *const f64,
                m: *const Int,
                n: *const Int,
                ma: *mut f64,
                iopt: *const Int,
                ropt: *const f64,
                ipar: *mut Int,
                rpar: *mut f64,
                ierr: *mut Int,
            ),
        >,
        jac: Option<
            unsafe extern "C" fn(
                m1: *const Int,
                m2: *const Int,
                m3: *const Int,
                m4: *const Int,
                m5: *const Int,
                m6: *const Int,
                n1: *const Int,
                n2: *const Int,
                n3: *const Int,
                n4: *const Int,
                m: *const Int,
                n: *const Int,
                t: *const f64,
                x: *const f64,
                fx1: *mut f64,
                fx2: *mut f64,
                fx3: *mut f64,
                fx4: *mut f64,
                fx5: *mut f64,
                fx6: *mut f64,
                iopt: *const Int,
                ropt: *const f64,
                rpar: *mut f64,
                ipar: *mut Int,
                ierr: *mut Int,
            ),
        >,
        ijac: *const Int,
        solout: Option<
            unsafe extern "C" fn(
                naccpt: *const Int,
                told: *const f64,
                t: *const f64,
                x: *const f64,
                n: *const Int,
                nn2: *const Int,
                nn3: *const Int,
                nn4: *const Int,
                contx: *const f64,
                h: *const f64,
                c1m1: *const f64,
                c2m1: *const f64,
                rpar: *mut f64,
                ipar: *mut Int,
                ierr: *mut Int,
            ),
        >,
        iout: *const Int,
        liwork: *const Int,
        iwork: *mut Int,
        lrwork: *const Int,
        rwork: *mut f64,
        rpar: *mut f64,
        ipar: *mut Int,
        ierr: *mut Int,
        idid: *mut Int,
    ) as call(Arguments);

    /// Component I (from 1) of the solution at TOUT in the last step, from the data passed to SOLOUT.
    ///
    /// NaN if an argument is null or I is not in 1..N.
    ///
    /// # Safety
    /// Every pointer is null or points to what SOLOUT was given.
    fn gedensout_ | gedensout_64_(
        i: *const Int,
        tout: *const f64,
        n: *const Int,
        nn2: *const Int,
        nn3: *const Int,
        nn4: *const Int,
        t: *const f64,
        h: *const f64,
        contx: *const f64,
        c1m1: *const f64,
        c2m1: *const f64,
    ) -> f64 as interpolate(Interpolation);
}

/// GEDENSOUT; NaN if an argument is null or the component does not exist.
///
/// # Safety
/// As `gedensout_`.
unsafe fn interpolate<I: FortranInteger>(args: &Interpolation<I>) -> f64 {
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
    let value = || {
        let [n, nn2, nn3, nn4] = [int(args.n)?, int(args.nn2)?, int(args.nn3)?, int(args.nn4)?];
        let component = int(args.i)?.checked_sub(1).filter(|&k| k < n)?;
        let (tout, t, h) = (real(args.tout)?, real(args.t)?, real(args.h)?);
        let nodes = [real(args.c2m1)?, real(args.c1m1)?];
        if args.contx.is_null() || [n, nn2, nn3].iter().any(|&offset| offset > nn4.saturating_sub(n)) {
            return None;
        }
        // SAFETY: CONTX has NN4 entries, and no offset reaches beyond them.
        let coefficient = |offset| unsafe { args.contx.add(component + offset).read_unaligned() };
        Some(polynomial::evaluate(&[0, n, nn2, nn3].map(coefficient), 1, 0, (tout - t) / h, &nodes))
    };
    value().unwrap_or(f64::NAN)
}
