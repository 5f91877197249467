//! RADAU5, RADAU (orders 5, 9, 13) and HEM5 of E. Hairer, G. Wanner and V. Brasey, from the Debian package
//! libsiconos-numerics (libsiconos_externals.so).

use crate::form::Form;
use crate::lean::Lean;
use crate::run::{Ending, Runner, Start};
use libc::c_int;
use std::ffi::c_void;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

type Fcn = unsafe extern "C" fn(*const c_int, *const f64, *const f64, *mut f64, *mut c_void, *mut c_int);
type Jac = unsafe extern "C" fn(
    *const c_int,
    *const f64,
    *const f64,
    *mut f64,
    *const c_int,
    *mut c_void,
    *mut c_int,
);
type Mas = unsafe extern "C" fn(*const c_int, *mut f64, *const c_int, *mut c_void, *mut c_int);
type Fprob = unsafe extern "C" fn(
    *const c_int, // which
    *const c_int, // NQ
    *const c_int, // NV
    *const c_int, // NU
    *const c_int, // NL
    *const c_int, // LDG
    *const c_int, // LDF
    *const c_int, // LDA
    *const c_int, // NBLK
    *const c_int, // NMRC
    *mut c_int,   // NPGP
    *mut c_int,   // NPFL
    *mut c_int,   // INDGR
    *mut c_int,   // INDGC
    *mut c_int,   // INDFLR
    *mut c_int,   // INDFLC
    *const f64,   // T
    *const f64,   // Q
    *const f64,   // V
    *const f64,   // U
    *const f64,   // XL
    *mut f64,     // G
    *mut f64,     // GQ
    *mut f64,     // F
    *mut f64,     // GQQ
    *mut f64,     // GT
    *mut f64,     // FL
    *mut f64,     // QDOT
    *mut f64,     // UDOT
    *mut f64,     // AM
);

macro_rules! radau {
    ($name:ident) => {
        fn $name(
            n: *const c_int,
            fcn: Fcn,
            x: *mut f64,
            y: *mut f64,
            xend: *const f64,
            h: *mut f64,
            rtol: *const f64,
            atol: *const f64,
            itol: *const c_int,
            jac: Jac,
            ijac: *const c_int,
            mljac: *mut c_int,
            mujac: *mut c_int,
            mas: Mas,
            imas: *const c_int,
            mlmas: *mut c_int,
            mumas: *mut c_int,
            solout: unsafe extern "C" fn(),
            iout: *const c_int,
            work: *mut f64,
            lwork: *const c_int,
            iwork: *mut c_int,
            liwork: *const c_int,
            rpar: *mut c_void,
            ipar: *mut c_int,
            idid: *mut c_int,
        );
    };
}

unsafe extern "C" {
    radau!(radau5_);
    radau!(radau_);
    fn hem5_(
        nq: *const c_int,
        nv: *const c_int,
        nu: *const c_int,
        nl: *const c_int,
        fprob: Fprob,
        t: *mut f64,
        q: *mut f64,
        v: *mut f64,
        u: *mut f64,
        a: *mut f64,
        rlam: *mut f64,
        tend: *const f64,
        h: *mut f64,
        rtol: *const f64,
        atol: *const f64,
        itol: *const c_int,
        solout: unsafe extern "C" fn(),
        iout: *const c_int,
        wk: *mut f64,
        lwk: *const c_int,
        iwk: *mut c_int,
        liwk: *const c_int,
        idid: *mut c_int,
    );
}

unsafe extern "C" fn nothing() {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Radau5,
    /// Variable order.
    Radau,
}

/// RADAU5 or RADAU on a formulation.
pub struct Radau<L> {
    code: Code,
    form: Form<L>,
    start: Start,
    /// Equations left out of the linear algebra.
    skip: usize,
    y: Vec<f64>,
    work: Vec<f64>,
    iwork: Vec<c_int>,
}

impl<L: Lean> Radau<L> {
    pub fn new(code: Code, form: Form<L>, start: &Start) -> Self {
        let n = form.n();
        let stages = if code == Code::Radau { 7 } else { 3 };
        let work = vec![0.0; n * (2 * n + stages * n + 3 * stages + 12) + 40];
        let iwork = vec![0; 6 * n + 40];
        Radau { code, skip: form.trivial(), form, start: start.clone(), y: vec![0.0; n], work, iwork }
    }
}

fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

impl<L: Lean> Runner for Radau<L> {
    fn run(&mut self, tol: f64, p: &mut [f64], v: &mut [f64]) -> Ending {
        let (n, np, skip) = (self.form.n(), p.len(), self.skip);
        let (mut x, mut h, xend) = (self.start.t0, self.start.h0, self.start.tend);
        let mut y = std::mem::take(&mut self.y);
        self.form.start(&self.start, &mut y, None);
        self.work[..20].fill(0.0);
        self.iwork[..20].fill(0);
        self.iwork[1] = 10_000_000;
        for (slot, count) in self.iwork[4..7].iter_mut().zip(self.form.indices()) {
            *slot = int(count);
        }
        (self.iwork[8], self.iwork[9]) = (int(skip), int(if skip > 0 { np } else { 0 }));
        let (full, zero, one, band) = (int(n - skip), 0, 1, int(self.form.band()));
        let (mut mljac, mut mujac, mut mlmas, mut mumas) = (full, full, band, band);
        let (lwork, liwork, size) = (int(self.work.len()), int(self.iwork.len()), int(n));
        let mut idid = 0;
        let mut ipar = 0;
        let call = if self.code == Code::Radau { radau_ } else { radau5_ };
        let (work, iwork) = (self.work.as_mut_ptr(), self.iwork.as_mut_ptr());
        let context: *mut Self = self;
        // SAFETY: all arrays have the lengths that are passed; the callbacks get `self` back as RPAR.
        unsafe {
            call(
                &size,
                fcn::<L>,
                &mut x,
                y.as_mut_ptr(),
                &xend,
                &mut h,
                &tol,
                &tol,
                &zero,
                jac::<L>,
                &one,
                &mut mljac,
                &mut mujac,
                mas::<L>,
                &one,
                &mut mlmas,
                &mut mumas,
                nothing,
                &zero,
                work,
                &lwork,
                iwork,
                &liwork,
                context.cast(),
                &mut ipar,
                &mut idid,
            );
        }
        p.copy_from_slice(&y[..np]);
        v.copy_from_slice(&y[np..2 * np]);
        self.y = y;
        let count = |i: usize| u64::try_from(self.iwork[i]).unwrap_or(0);
        match idid {
            1 => Ending::reached(count(15), count(13), count(14)),
            _ => Ending::failed(idid.into()),
        }
    }
}

unsafe extern "C" fn fcn<L: Lean>(
    n: *const c_int,
    x: *const f64,
    y: *const f64,
    f: *mut f64,
    rpar: *mut c_void,
    _ipar: *mut c_int,
) {
    // SAFETY: RPAR is the `Radau<L>` that made the call; y and f have length n.
    unsafe {
        let n = *n as usize;
        let form = &mut (*rpar.cast::<Radau<L>>()).form;
        form.right(*x, from_raw_parts(y, n), from_raw_parts_mut(f, n));
    }
}

unsafe extern "C" fn jac<L: Lean>(
    n: *const c_int,
    x: *const f64,
    y: *const f64,
    dfy: *mut f64,
    ldfy: *const c_int,
    rpar: *mut c_void,
    _ipar: *mut c_int,
) {
    // SAFETY: as for fcn; dfy is ldfy by n.
    unsafe {
        let (n, ld) = (*n as usize, *ldfy as usize);
        let this = &mut *rpar.cast::<Radau<L>>();
        let skip = this.skip;
        let dfy = from_raw_parts_mut(dfy, ld * n);
        dfy.fill(0.0);
        let mut put = |i: usize, j: usize, value: f64| dfy[i - skip + j * ld] += value;
        this.form.jacobian(*x, from_raw_parts(y, n), skip, &mut put);
    }
}

unsafe extern "C" fn mas<L: Lean>(
    n: *const c_int,
    am: *mut f64,
    lmas: *const c_int,
    rpar: *mut c_void,
    _ipar: *mut c_int,
) {
    // SAFETY: as for fcn; am is lmas by n, the equations left out are not among the n.
    unsafe {
        let (n, ld) = (*n as usize, *lmas as usize);
        let this = &mut *rpar.cast::<Radau<L>>();
        let (skip, band) = (this.skip, this.form.band());
        let am = from_raw_parts_mut(am, ld * n);
        am.fill(0.0);
        this.form.left(&mut |i: usize, j: usize, value: f64| {
            if i >= skip {
                am[i + band - j + (j - skip) * ld] += value;
            }
        });
    }
}

/// HEM5, half-explicit of order 5, projecting onto the constraints after every step.
pub struct Hem5<L> {
    model: L,
    start: Start,
    lambda: Vec<f64>,
    acceleration: Vec<f64>,
    work: Vec<f64>,
    iwork: Vec<c_int>,
    /// End of the current step. HEM5 projects at the end of a step but passes its beginning as time.
    end: f64,
}

/// HEM5 has no parameter for the user.
static HEM5: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

impl<L: Lean> Hem5<L> {
    pub fn new(model: L, start: &Start) -> Self {
        let (np, nl) = (model.np(), model.nl());
        let nm = np + nl;
        let work = vec![0.0; 100 + 80 * (np + nm) + 8 * nm * nm + 10 * np * nl];
        let iwork = vec![0; 400 + 80 * nm];
        let (lambda, acceleration) = (vec![0.0; nl], vec![0.0; np]);
        Hem5 { model, start: start.clone(), lambda, acceleration, work, iwork, end: 0.0 }
    }
}

impl<L: Lean> Runner for Hem5<L> {
    fn run(&mut self, tol: f64, p: &mut [f64], v: &mut [f64]) -> Ending {
        let (mut t, mut h, tend) = (self.start.t0, self.start.h0, self.start.tend);
        p.copy_from_slice(&self.start.p);
        v.copy_from_slice(&self.start.v);
        self.lambda.copy_from_slice(&self.start.lambda);
        self.work[..20].fill(0.0);
        self.iwork[..40].fill(0);
        self.iwork[10] = 10_000_000;
        self.iwork[12] = 1;
        let (np, nl, zero) = (int(p.len()), int(self.lambda.len()), 0);
        // Its own elimination is faster for small systems, LAPACK for large ones.
        self.iwork[13] = if np + nl > 20 { 2 } else { 0 };
        let (lwork, liwork) = (int(self.work.len()), int(self.iwork.len()));
        let (mut idid, mut u) = (0, 0.0);
        let (lambda, acceleration) = (self.lambda.as_mut_ptr(), self.acceleration.as_mut_ptr());
        let (work, iwork) = (self.work.as_mut_ptr(), self.iwork.as_mut_ptr());
        let context: *mut Self = self;
        HEM5.store(context.cast(), Ordering::Relaxed);
        // SAFETY: all arrays have the lengths that are passed; the callback finds `self` in HEM5.
        unsafe {
            hem5_(
                &np,
                &np,
                &zero,
                &nl,
                fprob::<L>,
                &mut t,
                p.as_mut_ptr(),
                v.as_mut_ptr(),
                &mut u,
                acceleration,
                lambda,
                &tend,
                &mut h,
                &tol,
                &tol,
                &zero,
                nothing,
                &zero,
                work,
                &lwork,
                iwork,
                &liwork,
                &mut idid,
            );
        }
        let count = |i: usize| u64::try_from(self.iwork[i]).unwrap_or(0);
        // This version never sets IDID; a failed run ends before tend.
        if (t - tend).abs() <= 1e-12 * tend.abs() {
            Ending::reached(count(30), count(33), count(34))
        } else {
            Ending::failed(idid.into())
        }
    }
}

unsafe extern "C" fn fprob<L: Lean>(
    which: *const c_int,
    nq: *const c_int,
    _nv: *const c_int,
    _nu: *const c_int,
    nl: *const c_int,
    ldg: *const c_int,
    _ldf: *const c_int,
    lda: *const c_int,
    _nblk: *const c_int,
    _nmrc: *const c_int,
    _npgp: *mut c_int,
    _npfl: *mut c_int,
    _indgr: *mut c_int,
    _indgc: *mut c_int,
    _indflr: *mut c_int,
    _indflc: *mut c_int,
    t: *const f64,
    q: *const f64,
    v: *const f64,
    _u: *const f64,
    _xl: *const f64,
    g: *mut f64,
    gq: *mut f64,
    f: *mut f64,
    _gqq: *mut f64,
    gt: *mut f64,
    _fl: *mut f64,
    qdot: *mut f64,
    _udot: *mut f64,
    am: *mut f64,
) {
    // SAFETY: the sizes are those of the call; arrays that `which` does not ask for are not touched.
    unsafe {
        let (which, np, nl) = (*which, *nq as usize, *nl as usize);
        if which == 0 {
            return;
        }
        if matches!(which, 1 | 2 | 10) {
            std::ptr::copy_nonoverlapping(v, qdot, np);
            if which == 2 {
                return;
            }
        }
        let this = &mut *HEM5.load(Ordering::Relaxed).cast::<Hem5<L>>();
        if which == 6 {
            this.end = *t;
        }
        // 4, 9 and 11 are called by the projection only.
        let time = if matches!(which, 4 | 9 | 11) { this.end } else { *t };
        let model = &mut this.model;
        model.prepare(time, from_raw_parts(q, np));
        if matches!(which, 1 | 5 | 7 | 8) {
            model.force(from_raw_parts(v, np), from_raw_parts_mut(f, np));
        }
        if matches!(which, 3 | 6 | 10 | 11) {
            model.gt(from_raw_parts_mut(gt, nl));
        }
        if which == 4 {
            model.g(from_raw_parts_mut(g, nl));
        }
        if matches!(which, 6 | 10 | 11) {
            let ld = *ldg as usize;
            let gq = from_raw_parts_mut(gq, ld * np);
            gq.fill(0.0);
            model.gq(&mut |i: usize, j: usize, value: f64| gq[i + j * ld] += value);
        }
        if matches!(which, 1 | 7 | 8 | 9 | 10 | 11) {
            let ld = *lda as usize;
            let am = from_raw_parts_mut(am, ld * np);
            am.chunks_exact_mut(ld).for_each(|column| column[..np].fill(0.0));
            model.mass(&mut |i: usize, j: usize, value: f64| am[i + j * ld] += value);
        }
    }
}
