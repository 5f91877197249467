//! The boundary without the core: what is refused, what the subroutines are given, what is said on the unit.

use super::arguments::call;
use super::boundary::{geoms_advice, geoms_strerror, geoms_version, guarded};
use super::callback::{Callbacks, Output};
use super::fortran::{gedensout_, gedensout_64_, Arguments};
use super::unit::capture;
use crate::error::{Code, CODES};
use crate::layout::{Dimensions, Form, Layout};
use crate::polynomial::{DenseOutput, C1M1, C2M1};
use crate::system::{AcceptedStep, JacobianBlocks, Observer, Outcome, System};
use std::ffi::CStr;
use std::ptr::null_mut;

mod callbacks;

/// A caller with all dimensions different; X etc. hold recognisable numbers.
#[derive(Clone, Debug, PartialEq)]
struct Caller {
    dims: [i32; 8],
    m: i32,
    n: i32,
    nivcond: i32,
    x: Vec<f64>,
    t: f64,
    tend: f64,
    h: f64,
    rtol: Vec<f64>,
    atol: Vec<f64>,
    itol: i32,
    iopt: [i32; 40],
    ropt: [f64; 40],
    ijac: i32,
    iout: i32,
    liwork: i32,
    iwork: [i32; 20],
    lrwork: i32,
    rwork: Vec<f64>,
    rpar: [f64; 1],
    ipar: [i32; 1],
    ierr: i32,
    idid: i32,
}

/// NP NV NR NW NS NL NM NI.
const DIMS: [i32; 8] = [7, 6, 5, 4, 3, 2, 1, 1];
const N: i32 = 28;
const M: i32 = N + 2 * 2 + 1 + 1;

impl Caller {
    fn new() -> Self {
        let mut iopt = [0; 40];
        iopt[1] = capture::UNIT as i32;
        Caller {
            dims: DIMS,
            m: M,
            n: N,
            nivcond: 2,
            x: (0..N).map(f64::from).collect(),
            t: 0.25,
            tend: 1.0,
            h: 0.01,
            rtol: vec![1e-6; N as usize],
            atol: vec![1e-7; N as usize],
            itol: 1,
            iopt,
            ropt: [0.0; 40],
            ijac: 1,
            iout: 1,
            liwork: 20,
            iwork: [-9; 20],
            lrwork: 5 * N,
            rwork: vec![-9.0; 5 * N as usize],
            rpar: [2.5],
            ipar: [77],
            ierr: 0,
            idid: 0,
        }
    }

    fn arguments(&mut self) -> Arguments<i32> {
        let [np, nv, nr, nw, ns, nl, nm, ni] = self.dims.each_mut().map(|d| &raw const *d);
        Arguments {
            np,
            nv,
            nr,
            nw,
            ns,
            nl,
            nm,
            ni,
            m: &raw const self.m,
            n: &raw const self.n,
            nivcond: &raw const self.nivcond,
            x: self.x.as_mut_ptr(),
            t: &raw mut self.t,
            tend: &raw const self.tend,
            h: &raw mut self.h,
            rtol: self.rtol.as_ptr(),
            atol: self.atol.as_ptr(),
            itol: &raw const self.itol,
            iopt: self.iopt.as_ptr(),
            ropt: self.ropt.as_ptr(),
            ivcond: Some(ivcond),
            eom: Some(eom),
            mas: Some(mas),
            jac: Some(jac),
            ijac: &raw const self.ijac,
            solout: Some(solout),
            iout: &raw const self.iout,
            liwork: &raw const self.liwork,
            iwork: self.iwork.as_mut_ptr(),
            lrwork: &raw const self.lrwork,
            rwork: self.rwork.as_mut_ptr(),
            rpar: self.rpar.as_mut_ptr(),
            ipar: self.ipar.as_mut_ptr(),
            ierr: &raw mut self.ierr,
            idid: &raw mut self.idid,
        }
    }

    /// Make the call after `change` to the arguments, which must be refused with `code`; gives the message.
    fn refused(mut self, code: Code, change: impl FnOnce(&mut Arguments<i32>)) -> String {
        let before = self.clone();
        let mut arguments = self.arguments();
        change(&mut arguments);
        let _ = capture::text();
        // SAFETY: null or valid.
        unsafe { call(&arguments) };
        assert_eq!(self.idid, code.idid());
        self.idid = before.idid;
        // NaN is not equal to itself, so the two are compared as text.
        assert_eq!(format!("{self:?}"), format!("{before:?}"), "a refused call changed the caller's data");
        capture::text()
    }
}

/// The caller's number, which has to come through each subroutine unchanged and writes its marks.
unsafe fn marks(ipar: *mut i32, rpar: *mut f64) -> bool {
    unsafe { *ipar == 77 && *rpar == 2.5 }
}

unsafe extern "C" fn ivcond(
    n: *const i32,
    t: *const f64,
    x: *const f64,
    ncond: *const i32,
    cond: *mut f64,
    ipar: *mut i32,
    rpar: *mut f64,
    ierr: *mut i32,
) {
    unsafe {
        let good = *n == N && *t == 0.5 && *x.add(27) == 27.0 && *ncond == 2 && marks(ipar, rpar);
        *cond.add(1) = if good { 3.0 } else { -3.0 };
        *ierr = 4;
    }
}

unsafe extern "C" fn eom(
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
) {
    unsafe {
        let good = *m == M
            && *n == N
            && *t == 0.5
            && *x.add(27) == 27.0
            && *iopt.add(1) == capture::UNIT as i32
            && *ropt.add(39) == 0.0
            && marks(ipar, rpar);
        *rda.add(M as usize - 1) = if good { 3.0 } else { -3.0 };
        // What a careless subroutine does; only its own copies may suffer.
        *m.cast_mut() = 0;
        *n.cast_mut() = 0;
        *t.cast_mut() = f64::NAN;
        *x.cast_mut() = f64::NAN;
        *ierr = 0;
    }
}

unsafe extern "C" fn mas(
    t: *const f64,
    nx: *const i32,
    x: *const f64,
    m: *const i32,
    n: *const i32,
    ma: *mut f64,
    iopt: *const i32,
    _ropt: *const f64,
    ipar: *mut i32,
    rpar: *mut f64,
    ierr: *mut i32,
) {
    unsafe {
        let good = *t == 0.5
            && *nx == N
            && *m == 6
            && *n == 6
            && *x.add(1) == 1.0
            && *iopt.add(2) == 0
            && marks(ipar, rpar);
        *ma.add(35) = if good { 3.0 } else { -3.0 };
        *ierr = -4;
    }
}

unsafe extern "C" fn jac(
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
    _iopt: *const i32,
    _ropt: *const f64,
    rpar: *mut f64,
    ipar: *mut i32,
    ierr: *mut i32,
) {
    unsafe {
        let rows = [*m1, *m2, *m3, *m4, *m5, *m6];
        let good = rows == [7, 4, 5, 5, 6, 7]
            && [*n1, *n2, *n3, *n4] == [7, 5, 6, 10]
            && *m == M
            && *n == N
            && *t == 0.5
            && *x.add(2) == 2.0
            && marks(ipar, rpar);
        for (k, fx) in [fx1, fx2, fx3, fx4, fx5, fx6].into_iter().enumerate() {
            let columns = [28, 16, 10, 28, 28, 16][k];
            *fx.add((rows[k] * columns - 1) as usize) = if good { k as f64 + 1.0 } else { f64::NAN };
        }
        *ierr = 0;
    }
}

unsafe extern "C" fn solout(
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
) {
    unsafe {
        let (i, tout) = (3, 0.45);
        let value = gedensout_(&raw const i, &raw const tout, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
        let good = *naccpt == 4
            && [*told, *t, *h] == [0.25, 0.5, 0.25]
            && *x == 0.0
            && [*n, *nn2, *nn3, *nn4] == [N, 2 * N, 3 * N, 4 * N]
            && *c1m1 == C1M1
            && *c2m1 == C2M1
            && marks(ipar, rpar);
        *rpar = if good { value } else { f64::NAN };
        *ierr = 1;
    }
}

#[test]
fn every_argument_but_idid_may_not_be_null() {
    macro_rules! data {
        ($($name:ident)*) => { $(
            let said = Caller::new().refused(Code::BadArgument, |a| a.$name = null_mut());
            let name = stringify!($name).to_uppercase();
            // Without IOPT the unit is not known.
            let told = said.contains(&format!("{name} = a null pointer is not allowed"));
            assert!(told || name == "IOPT" && said.is_empty(), "{name}: {said}");
        )* };
    }
    data!(np nv nr nw ns nl nm ni m n nivcond x t tend h rtol atol itol iopt ropt ijac iout liwork iwork lrwork
          rwork rpar ipar ierr);
    macro_rules! subroutine {
        ($($name:ident)*) => { $(
            let said = Caller::new().refused(Code::BadArgument, |a| a.$name = None);
            assert!(said.contains(&format!("{} = a null", stringify!($name).to_uppercase())), "{said}");
        )* };
    }
    subroutine!(ivcond eom mas jac solout);
    // Nothing can be said or written without IDID.
    let mut caller = Caller::new();
    let before = caller.clone();
    let mut arguments = caller.arguments();
    arguments.idid = null_mut();
    // SAFETY: null or valid.
    unsafe { call(&arguments) };
    assert_eq!(caller, before);
}

#[test]
fn subroutines_that_are_not_called_may_be_null() {
    let mut caller = Caller { ijac: 0, iout: 0, nivcond: 0, ..Caller::new() };
    let mut arguments = caller.arguments();
    (arguments.jac, arguments.solout, arguments.ivcond) = (None, None, None);
    // SAFETY: null or valid.
    unsafe { call(&arguments) };
    assert_ne!(caller.idid, Code::BadArgument.idid());
    assert!(capture::text().contains("starts with NP=7 NV=6"));
}

#[test]
fn values_out_of_range_are_named() {
    type Change = fn(&mut Caller);
    let cases: &[(&str, Change)] = &[
        ("N = 27 is not allowed; allowed: 28 = NP+NV+NR+NW+NS+NL+NM", |c| c.n -= 1),
        ("M = 35 is not allowed; allowed: 34", |c| c.m += 1),
        ("M = 34 is not allowed; allowed: 31 = NP+NV+NR+NW+NS+2*NL+NM+NI", |c| c.iopt[4] = 1),
        ("N = 0 is not allowed; allowed: >= 1", |c| (c.dims, c.n, c.m) = ([0; 8], 0, 0)),
        ("NIVCOND = -1", |c| c.nivcond = -1),
        ("ITOL = 2", |c| c.itol = 2),
        ("IJAC = -1", |c| c.ijac = -1),
        ("IOUT = 3", |c| c.iout = 3),
        ("LIWORK = 19 is not allowed; allowed: >= 20", |c| c.liwork = 19),
        ("LRWORK = 139 is not allowed; allowed: >= 140", |c| c.lrwork = 139),
        ("X(28) = NaN", |c| c.x[27] = f64::NAN),
        ("X(1) = inf", |c| c.x[0] = f64::INFINITY),
        ("T = NaN", |c| c.t = f64::NAN),
        ("TEND = inf", |c| c.tend = f64::INFINITY),
        ("H = NaN", |c| c.h = f64::NAN),
        ("RTOL(3) = 0", |c| c.rtol[2] = 0.0),
        ("ATOL(28) = -1", |c| c.atol[27] = -1.0),
        ("IOPT(11) = DECOMPC = 4", |c| c.iopt[10] = 4),
        ("ROPT(2) = SAFE = 1.5", |c| c.ropt[1] = 1.5),
    ];
    for (expected, change) in cases {
        let mut caller = Caller::new();
        change(&mut caller);
        let said = caller.refused(Code::BadArgument, |_| ());
        assert!(said.starts_with(" GEOMS: IDID = -1001"), "{said}");
        assert!(said.contains(&format!("cause: {expected}")), "{expected}: {said}");
        assert!(said.lines().all(|line| line.starts_with(" GEOMS: ")));
    }
    for k in 0..8 {
        let mut caller = Caller::new();
        caller.dims[k] = -1;
        let name = ["NP", "NV", "NR", "NW", "NS", "NL", "NM", "NI"][k];
        let said = caller.refused(Code::BadArgument, |_| ());
        assert!(said.contains(&format!("{name} = -1 is not allowed; allowed: >= 0")), "{said}");
    }
}

#[test]
fn the_work_array_follows_the_rules_of_the_manual() {
    // (IVCNSST, DECOMPC, DECOMPD) and the smallest LRWORK; N=28, the largest of M1..N4 is N4=10.
    let rules = [
        ((0, 0, 0), 140),
        ((1, 0, 0), 0),
        ((1, 1, 0), 0),
        ((1, 3, 0), 50),
        ((1, 2, 0), 28),
        ((1, 2, 1), 56),
        ((1, 3, 1), 56),
        ((1, 0, 1), 56),
    ];
    for ((consistent, constraints, differential), least) in rules {
        let mut caller = Caller::new();
        (caller.iopt[16], caller.iopt[10], caller.iopt[11]) = (consistent, constraints, differential);
        let said = Caller { lrwork: least - 1, ..caller.clone() }.refused(Code::BadArgument, |_| ());
        assert!(
            said.contains(&format!("LRWORK = {} is not allowed; allowed: >= {least}", least - 1)),
            "{said}"
        );
        caller.lrwork = least;
        let arguments = caller.arguments();
        // SAFETY: valid.
        unsafe { call(&arguments) };
        assert_ne!(caller.idid, Code::BadArgument.idid(), "{}", capture::text());
        let _ = capture::text();
    }
}

#[test]
fn order_of_the_checks() {
    // A negative IDID wins over everything else.
    let said = Caller { idid: -1, n: 0, ..Caller::new() }.refused(Code::NegativeIdid, |a| a.x = null_mut());
    assert!(said.contains("IDID = -1002"), "{said}");
    let said = Caller { t: 2.0, ..Caller::new() }.refused(Code::TendBeforeT, |_| ());
    assert!(said.contains("T = 2e0, TEND = 1e0"), "{said}");
}

#[test]
fn without_a_unit_nothing_is_said() {
    for lun in [0, -1] {
        let mut caller = Caller { n: 0, ..Caller::new() };
        caller.iopt[1] = lun;
        assert_eq!(caller.refused(Code::BadArgument, |_| ()), "");
    }
}

#[test]
fn huge_dimensions_do_not_overflow() {
    for dims in [[i32::MAX; 8], [i32::MAX, 0, 0, 0, 0, 0, 0, 0]] {
        let caller = Caller { dims, ..Caller::new() };
        let said = caller.refused(Code::BadArgument, |_| ());
        assert!(said.contains("N = 28 is not allowed"), "{said}");
    }
}
