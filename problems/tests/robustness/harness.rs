//! One call of the library with everything that it is given: the 35 arguments, and subroutines that pass their
//! work on to a [`System`], count, and misbehave where a test asks for it.

use geoms::capi::fortran::{gedensout_, gedensout_64_, geoms_, geoms_64_};
use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::{self as testset, derived};
use std::ffi::c_void;
use std::fmt::Debug;
use std::ptr::null_mut;

/// The subroutines of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Ivcond,
    Eom,
    Mas,
    Jac,
    Solout,
}

pub const SUBROUTINES: [Who; 5] = [Who::Ivcond, Who::Eom, Who::Mas, Who::Jac, Who::Solout];

/// A call of a subroutine, after it has done its work.
pub struct Event<'a, 'b> {
    pub who: Who,
    /// Number of this call, from 1.
    pub number: u64,
    pub t: f64,
    pub x: &'a [f64],
    pub out: &'a mut [&'b mut [f64]],
    pub ierr: &'a mut i64,
}

impl Event<'_, '_> {
    /// Write one entry of the output; which one changes from call to call.
    pub fn spoil(&mut self, value: f64) {
        let all: usize = self.out.iter().map(|o| o.len()).sum();
        if all == 0 {
            return;
        }
        let mut place = (self.number as usize * 7 + 3) % all;
        for out in self.out.iter_mut() {
            if place < out.len() {
                out[place] = value;
                return;
            }
            place -= out.len();
        }
    }
}

pub type Hook = Box<dyn FnMut(&mut Event<'_, '_>) + Send>;

/// An accepted point as SOLOUT saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub naccpt: i64,
    pub told: f64,
    pub t: f64,
    pub h: f64,
    pub x: Vec<f64>,
}

/// What the subroutines find behind RPAR.
pub struct Context {
    system: Box<dyn System + Send>,
    layout: Layout,
    fx: JacobianBlocks,
    pub calls: [u64; 5],
    pub hook: Option<Hook>,
    /// Times at which each subroutine was called.
    pub times: [Vec<f64>; 5],
    pub grid: Vec<Point>,
    /// Largest deviation of GEDENSOUT from the grid points: at TOLD relative to the size of x, at T absolute.
    pub dense: (f64, f64),
    /// Overwrite what has to remain unchanged: all scalars, X, CONTX, IOPT and ROPT.
    pub careless: bool,
    /// After this many calls in all the run is stopped: it would not have ended.
    pub cap: u64,
}

impl Context {
    fn new(system: Box<dyn System + Send>) -> Self {
        let layout = Layout::new(system.dimensions(), system.form());
        Context {
            fx: JacobianBlocks::new(&layout),
            layout,
            system,
            calls: [0; 5],
            hook: None,
            times: Default::default(),
            grid: Vec::new(),
            dense: (0.0, 0.0),
            careless: false,
            cap: 1_000_000,
        }
    }

    /// Count, let the hook interfere, and say what IERR shall be.
    fn finish(&mut self, who: Who, answer: Outcome, t: f64, x: &[f64], out: &mut [&mut [f64]]) -> i64 {
        self.calls[who as usize] += 1;
        self.times[who as usize].push(t);
        let mut ierr = match answer {
            Outcome::Continue => 0,
            Outcome::Retry => 1,
            Outcome::Stop => -1,
        };
        let number = self.calls[who as usize];
        if let Some(hook) = &mut self.hook {
            hook(&mut Event { who, number, t, x, out, ierr: &mut ierr });
        }
        if self.calls.iter().sum::<u64>() > self.cap {
            ierr = -99;
        }
        ierr
    }

    pub fn ran_away(&self) -> bool {
        self.calls.iter().sum::<u64>() > self.cap
    }
}

/// INTEGER of the calling program.
pub trait Int: Copy + PartialEq + Debug + Send + 'static {
    fn of(value: i64) -> Self;
    fn get(self) -> i64;
    /// # Safety
    /// The pointers are null or what the manual says.
    unsafe fn geoms(p: &[*mut c_void; 35]);
    /// # Safety
    /// As GEDENSOUT.
    unsafe fn gedensout(i: Self, tout: f64, p: &Dense<Self>) -> f64;
}

/// What SOLOUT hands on to GEDENSOUT.
pub struct Dense<I> {
    n: [*const I; 4],
    t: *const f64,
    h: *const f64,
    contx: *const f64,
    c1m1: *const f64,
    c2m1: *const f64,
}

macro_rules! int {
    ($int:ty, $geoms:path, $gedensout:path) => {
        impl Int for $int {
            fn of(value: i64) -> Self {
                value as $int
            }
            fn get(self) -> i64 {
                self as i64
            }
            unsafe fn geoms(p: &[*mut c_void; 35]) {
                // SAFETY: the contract of this function.
                unsafe {
                    $geoms(
                        p[0].cast(),
                        p[1].cast(),
                        p[2].cast(),
                        p[3].cast(),
                        p[4].cast(),
                        p[5].cast(),
                        p[6].cast(),
                        p[7].cast(),
                        p[8].cast(),
                        p[9].cast(),
                        p[10].cast(),
                        p[11].cast(),
                        p[12].cast(),
                        p[13].cast(),
                        p[14].cast(),
                        p[15].cast(),
                        p[16].cast(),
                        p[17].cast(),
                        p[18].cast(),
                        p[19].cast(),
                        if p[20].is_null() { None } else { Some(ivcond::<$int>) },
                        if p[21].is_null() { None } else { Some(eom::<$int>) },
                        if p[22].is_null() { None } else { Some(mas::<$int>) },
                        if p[23].is_null() { None } else { Some(jac::<$int>) },
                        p[24].cast(),
                        if p[25].is_null() { None } else { Some(solout::<$int>) },
                        p[26].cast(),
                        p[27].cast(),
                        p[28].cast(),
                        p[29].cast(),
                        p[30].cast(),
                        p[31].cast(),
                        p[32].cast(),
                        p[33].cast(),
                        p[34].cast(),
                    )
                }
            }
            unsafe fn gedensout(i: Self, tout: f64, p: &Dense<Self>) -> f64 {
                // SAFETY: the contract of this function.
                unsafe {
                    $gedensout(
                        &raw const i,
                        &raw const tout,
                        p.n[0],
                        p.n[1],
                        p.n[2],
                        p.n[3],
                        p.t,
                        p.h,
                        p.contx,
                        p.c1m1,
                        p.c2m1,
                    )
                }
            }
        }
    };
}
int!(i32, geoms_, gedensout_);
int!(i64, geoms_64_, gedensout_64_);

/// The names of the arguments in the order of the call.
pub const ARGUMENTS: [&str; 35] = [
    "NP", "NV", "NR", "NW", "NS", "NL", "NM", "NI", "M", "N", "NIVCOND", "X", "T", "TEND", "H", "RTOL",
    "ATOL", "ITOL", "IOPT", "ROPT", "IVCOND", "EOM", "MAS", "JAC", "IJAC", "SOLOUT", "IOUT", "LIWORK",
    "IWORK", "LRWORK", "RWORK", "RPAR", "IPAR", "IERR", "IDID",
];

/// The arguments of a call, owned.
pub struct Call<I = i32> {
    pub dims: [I; 8],
    pub m: I,
    pub n: I,
    pub nivcond: I,
    pub x: Vec<f64>,
    pub t: f64,
    pub tend: f64,
    pub h: f64,
    pub rtol: Vec<f64>,
    pub atol: Vec<f64>,
    pub itol: I,
    pub iopt: [I; 40],
    pub ropt: [f64; 40],
    pub ijac: I,
    pub iout: I,
    pub liwork: I,
    pub iwork: Vec<I>,
    pub lrwork: I,
    pub rwork: Vec<f64>,
    pub ipar: [I; 4],
    pub ierr: I,
    pub idid: I,
    pub context: Context,
    /// Argument that is passed as a null pointer.
    pub null: Option<usize>,
}

/// What a call returns, comparable bit by bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    pub idid: i64,
    pub x: Vec<u64>,
    pub t: u64,
    pub h: u64,
    pub iwork: Vec<i64>,
}

/// Counters by their place in IWORK.
pub const NACCPT: usize = 1;
pub const NEOM: usize = 2;
pub const NMAS: usize = 3;
pub const NJAC: usize = 4;
pub const NSEL: usize = 5;
pub const NPDEC: usize = 6;
pub const NEDEC: usize = 7;
pub const NBSUB: usize = 8;
pub const NSTEP: usize = 9;
pub const NERJCT: usize = 10;
pub const NCRJCT: usize = 11;

impl<I: Int> Call<I> {
    /// A call for this system with defaults everywhere and tolerance 1e-6.
    pub fn of(system: Box<dyn System + Send>, x: &[f64], t: f64, tend: f64) -> Self {
        let d = system.dimensions();
        let conditions = system.initial_condition_count();
        let analytic = system.has_jacobian();
        let context = Context::new(system);
        let (m, n) = (context.layout.m, context.layout.n);
        let int = |value: usize| I::of(value as i64);
        let mut iopt = [I::of(0); 40];
        iopt[4] = I::of(i64::from(context.layout.form == Form::Index1));
        Call {
            dims: [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(int),
            m: int(m),
            n: int(n),
            nivcond: int(conditions),
            x: x.to_vec(),
            t,
            tend,
            h: 1e-3,
            rtol: vec![1e-6],
            atol: vec![1e-6],
            itol: int(0),
            iopt,
            ropt: [0.0; 40],
            ijac: int(usize::from(analytic)),
            iout: int(1),
            liwork: int(20),
            iwork: vec![I::of(-7); 20],
            lrwork: int(5 * n.max(m)),
            rwork: vec![0.5; 5 * n.max(m)],
            ipar: [I::of(5); 4],
            ierr: int(0),
            idid: int(0),
            context,
            null: None,
        }
    }

    /// A problem of the test set with its analytic Jacobian.
    pub fn problem(name: &str) -> Self {
        Self::problem_with(name, derived::Options::new(Form::StrangenessFree, true))
    }

    pub fn problem_with(name: &str, options: derived::Options) -> Self {
        let problem = testset::by_name(name).expect("a problem of the test set");
        Self::of(problem.system_with(options), &problem.x0, problem.t0, problem.tend)
    }

    pub fn iopt(mut self, slot: usize, value: i64) -> Self {
        self.iopt[slot - 1] = I::of(value);
        self
    }

    /// An option of the slots that IOPT(16) opens.
    pub fn extended(self, slot: usize, value: i64) -> Self {
        self.iopt(16, 1).iopt(slot, value)
    }

    pub fn ropt(mut self, slot: usize, value: f64) -> Self {
        self.ropt[slot - 1] = value;
        self
    }

    pub fn tol(mut self, tol: f64) -> Self {
        (self.rtol, self.atol) = (vec![tol], vec![tol]);
        self
    }

    pub fn tend(mut self, tend: f64) -> Self {
        self.tend = tend;
        self
    }

    pub fn h(mut self, h: f64) -> Self {
        self.h = h;
        self
    }

    pub fn hook(mut self, hook: impl FnMut(&mut Event<'_, '_>) + Send + 'static) -> Self {
        self.context.hook = Some(Box::new(hook));
        self
    }

    /// Make the call; returns IDID.
    pub fn run(&mut self) -> i64 {
        // The address says that there is a subroutine; which one is known by its place.
        let present: *mut c_void = (&raw mut self.context).cast();
        let d: *mut I = self.dims.as_mut_ptr();
        let mut p: [*mut c_void; 35] = [
            d.cast(),
            d.wrapping_add(1).cast(),
            d.wrapping_add(2).cast(),
            d.wrapping_add(3).cast(),
            d.wrapping_add(4).cast(),
            d.wrapping_add(5).cast(),
            d.wrapping_add(6).cast(),
            d.wrapping_add(7).cast(),
            (&raw mut self.m).cast(),
            (&raw mut self.n).cast(),
            (&raw mut self.nivcond).cast(),
            self.x.as_mut_ptr().cast(),
            (&raw mut self.t).cast(),
            (&raw mut self.tend).cast(),
            (&raw mut self.h).cast(),
            self.rtol.as_mut_ptr().cast(),
            self.atol.as_mut_ptr().cast(),
            (&raw mut self.itol).cast(),
            self.iopt.as_mut_ptr().cast(),
            self.ropt.as_mut_ptr().cast(),
            present,
            present,
            present,
            present,
            (&raw mut self.ijac).cast(),
            present,
            (&raw mut self.iout).cast(),
            (&raw mut self.liwork).cast(),
            self.iwork.as_mut_ptr().cast(),
            (&raw mut self.lrwork).cast(),
            self.rwork.as_mut_ptr().cast(),
            present,
            self.ipar.as_mut_ptr().cast(),
            (&raw mut self.ierr).cast(),
            (&raw mut self.idid).cast(),
        ];
        if let Some(k) = self.null {
            p[k] = null_mut();
        }
        // SAFETY: every pointer is null or to data of this call, of the lengths that are passed; the context
        // outlives it and is used only by the subroutines meanwhile.
        unsafe { I::geoms(&p) };
        self.idid.get()
    }

    /// Run and insist on success.
    pub fn finish(mut self) -> Self {
        assert_eq!(self.run(), 0);
        self
    }

    /// Entry of IWORK, counted from 1.
    pub fn count(&self, place: usize) -> i64 {
        self.iwork[place - 1].get()
    }

    pub fn returned(&self) -> Returned {
        Returned {
            idid: self.idid.get(),
            x: bits(&self.x),
            t: self.t.to_bits(),
            h: self.h.to_bits(),
            iwork: self.iwork.iter().map(|i| i.get()).collect(),
        }
    }

    /// All data of the caller but IDID.
    pub fn image(&self) -> (Vec<i64>, Vec<u64>) {
        let scalars = [
            self.m,
            self.n,
            self.nivcond,
            self.itol,
            self.ijac,
            self.iout,
            self.liwork,
            self.lrwork,
            self.ierr,
        ];
        let integers =
            self.dims.iter().chain(&scalars).chain(&self.iopt).chain(&self.iwork).chain(&self.ipar);
        let mut reals = bits(&self.x);
        reals.extend(bits(&[self.t, self.tend, self.h]));
        for part in [&self.rtol[..], &self.atol, &self.ropt, &self.rwork] {
            reals.extend(bits(part));
        }
        (integers.map(|i| i.get()).collect(), reals)
    }
}

pub fn bits(v: &[f64]) -> Vec<u64> {
    v.iter().map(|v| v.to_bits()).collect()
}

/// # Safety
/// `rpar` is what [`Call::run`] passed.
unsafe fn context<'a>(rpar: *mut f64) -> &'a mut Context {
    // SAFETY: the contract of this function; nobody else uses it during a callback.
    unsafe { &mut *rpar.cast::<Context>() }
}

/// # Safety
/// `data` points to `len` numbers, or `len` is zero.
unsafe fn output<'a>(data: *mut f64, len: usize) -> &'a mut [f64] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the contract of this function.
    unsafe { std::slice::from_raw_parts_mut(data, len) }
}

/// What a subroutine does that takes its arguments for its own.
///
/// # Safety
/// There are `len` numbers, which may be written.
unsafe fn overwrite(data: *const f64, len: usize) {
    for i in 0..len {
        // SAFETY: the contract of this function.
        unsafe { data.cast_mut().add(i).write(f64::NAN) };
    }
}

unsafe extern "C" fn ivcond<I: Int>(
    n: *const I,
    t: *const f64,
    x: *const f64,
    ncond: *const I,
    cond: *mut f64,
    _ipar: *mut I,
    rpar: *mut f64,
    ierr: *mut I,
) {
    // SAFETY (here and below): the arguments are those of the manual.
    unsafe {
        let c = context(rpar);
        let data = x;
        let x = std::slice::from_raw_parts(data, (*n).get() as usize);
        let cond = output(cond, (*ncond).get() as usize);
        let answer = c.system.initial_conditions(*t, x, cond);
        *ierr = I::of(c.finish(Who::Ivcond, answer, *t, x, &mut [cond]));
        if c.careless {
            *n.cast_mut() = I::of(-1);
            *ncond.cast_mut() = I::of(-1);
            *t.cast_mut() = f64::NAN;
            overwrite(data, x.len());
        }
    }
}

unsafe extern "C" fn eom<I: Int>(
    m: *const I,
    n: *const I,
    t: *const f64,
    x: *const f64,
    rda: *mut f64,
    iopt: *const I,
    _ropt: *const f64,
    _ipar: *mut I,
    rpar: *mut f64,
    ierr: *mut I,
) {
    unsafe {
        let c = context(rpar);
        let data = x;
        let x = std::slice::from_raw_parts(data, (*n).get() as usize);
        let rda = output(rda, (*m).get() as usize);
        let answer = c.system.eom(*t, x, rda);
        *ierr = I::of(c.finish(Who::Eom, answer, *t, x, &mut [rda]));
        if c.careless {
            *m.cast_mut() = I::of(-1);
            *n.cast_mut() = I::of(-1);
            *t.cast_mut() = f64::NAN;
            overwrite(data, x.len());
            for k in 0..40 {
                *iopt.cast_mut().add(k) = I::of(-3);
            }
        }
    }
}

unsafe extern "C" fn mas<I: Int>(
    t: *const f64,
    nx: *const I,
    x: *const f64,
    m: *const I,
    n: *const I,
    ma: *mut f64,
    _iopt: *const I,
    ropt: *const f64,
    _ipar: *mut I,
    rpar: *mut f64,
    ierr: *mut I,
) {
    unsafe {
        let c = context(rpar);
        let data = x;
        let x = std::slice::from_raw_parts(data, (*nx).get() as usize);
        let ma = output(ma, ((*m).get() * (*n).get()) as usize);
        let answer = c.system.mass(*t, x, ma);
        *ierr = I::of(c.finish(Who::Mas, answer, *t, x, &mut [ma]));
        if c.careless {
            *nx.cast_mut() = I::of(-1);
            *m.cast_mut() = I::of(-1);
            *n.cast_mut() = I::of(-1);
            *t.cast_mut() = f64::NAN;
            overwrite(data, x.len());
            for k in 0..40 {
                *ropt.cast_mut().add(k) = f64::NAN;
            }
        }
    }
}

unsafe extern "C" fn jac<I: Int>(
    m1: *const I,
    m2: *const I,
    m3: *const I,
    m4: *const I,
    m5: *const I,
    m6: *const I,
    n1: *const I,
    n2: *const I,
    n3: *const I,
    n4: *const I,
    m: *const I,
    n: *const I,
    t: *const f64,
    x: *const f64,
    fx1: *mut f64,
    fx2: *mut f64,
    fx3: *mut f64,
    fx4: *mut f64,
    fx5: *mut f64,
    fx6: *mut f64,
    _iopt: *const I,
    _ropt: *const f64,
    rpar: *mut f64,
    _ipar: *mut I,
    ierr: *mut I,
) {
    unsafe {
        let c = context(rpar);
        let data = x;
        let x = std::slice::from_raw_parts(data, (*n).get() as usize);
        c.fx.clear();
        let answer = c.system.jacobian(*t, x, &mut c.fx);
        let size = |m: *const I, columns: i64| ((*m).get() * columns) as usize;
        let (all, right) = ((*n).get(), (*n3).get() + (*n4).get());
        let mut out = [
            output(fx1, size(m1, all)),
            output(fx2, size(m2, right)),
            output(fx3, size(m3, (*n4).get())),
            output(fx4, size(m4, all)),
            output(fx5, size(m5, all)),
            output(fx6, size(m6, right)),
        ];
        for (out, fx) in out.iter_mut().zip(&c.fx.fx) {
            out.copy_from_slice(fx);
        }
        *ierr = I::of(c.finish(Who::Jac, answer, *t, x, &mut out));
        if c.careless {
            for p in [m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n] {
                *p.cast_mut() = I::of(-1);
            }
            *t.cast_mut() = f64::NAN;
            overwrite(data, x.len());
        }
    }
}

unsafe extern "C" fn solout<I: Int>(
    naccpt: *const I,
    told: *const f64,
    t: *const f64,
    x: *const f64,
    n: *const I,
    nn2: *const I,
    nn3: *const I,
    nn4: *const I,
    contx: *const f64,
    h: *const f64,
    c1m1: *const f64,
    c2m1: *const f64,
    rpar: *mut f64,
    _ipar: *mut I,
    ierr: *mut I,
) {
    unsafe {
        let c = context(rpar);
        let data = x;
        let x = std::slice::from_raw_parts(data, (*n).get() as usize);
        let dense = Dense { n: [n, nn2, nn3, nn4], t, h, contx, c1m1, c2m1 };
        for (i, value) in x.iter().enumerate() {
            let at = |tout| I::gedensout(I::of(i as i64 + 1), tout, &dense);
            let old = c.grid.last().map_or(*value, |p| p.x[i]);
            // `max` would drop a NaN.
            let worse = |a: f64, b: f64| if b <= a { a } else { b.max(f64::MIN_POSITIVE) };
            let first = if at(*told).is_nan() { f64::INFINITY } else { (at(*told) - old).abs() };
            let last = if at(*t).is_nan() { f64::INFINITY } else { (at(*t) - value).abs() };
            // Multipliers at the start need not be those of the motion: then the polynomial of the first step has the latter.
            if c.grid.len() > 1 || !c.layout.x.algebraic.contains(i) {
                c.dense.0 = worse(c.dense.0, first / old.abs().max(1.0));
            }
            c.dense.1 = worse(c.dense.1, last);
        }
        c.grid.push(Point { naccpt: (*naccpt).get(), told: *told, t: *t, h: *h, x: x.to_vec() });
        *ierr = I::of(c.finish(Who::Solout, Outcome::Continue, *t, x, &mut []));
        if c.careless {
            overwrite(contx, 4 * x.len());
            overwrite(data, x.len());
            for p in [naccpt, n, nn2, nn3, nn4] {
                *p.cast_mut() = I::of(-1);
            }
            for p in [told, t, h, c1m1, c2m1] {
                *p.cast_mut() = f64::NAN;
            }
        }
    }
}
