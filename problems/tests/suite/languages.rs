//! The call of Fortran, the handle of C and Rust with the same options and the same compiled functions: the same bits and
//! counters, on every problem of the library, in both formulations, with every decomposition, with and without Jacobian.
//! (The same from compiled Fortran and C: `make test-identity`.)
#![allow(clippy::too_many_arguments, unsafe_code)]

use crate::listed::Listed;
use geoms::capi::fortran::geoms_;
use geoms::capi::functions::*;
use geoms::capi::handle::*;
use geoms::capi::inspect::*;
use geoms::capi::run::*;
use geoms::capi::settings::*;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{Family, Options, Order};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, System};
use geoms_problems as testset;
use std::ffi::{c_int, c_void, CString};

/// A problem of the library: the user pointer of the handle, RPAR of the call.
struct Model {
    system: Box<dyn System + Send>,
    blocks: JacobianBlocks,
    layout: Layout,
    points: Vec<(u64, Vec<u64>)>,
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|v| v.to_bits()).collect()
}

fn returned(outcome: Outcome) -> c_int {
    match outcome {
        Outcome::Continue => 0,
        Outcome::Retry => 1,
        Outcome::Stop => -1,
    }
}

// SAFETY (all of them): the arrays have the lengths of the problem, and `user` or `rpar` is the model.

unsafe extern "C" fn eom(t: f64, x: *const f64, rda: *mut f64, user: *mut c_void) -> c_int {
    let m = unsafe { &mut *user.cast::<Model>() };
    let x = unsafe { std::slice::from_raw_parts(x, m.layout.n) };
    let rda = unsafe { std::slice::from_raw_parts_mut(rda, m.layout.m) };
    returned(m.system.eom(t, x, rda))
}

unsafe extern "C" fn mass(t: f64, x: *const f64, mass: *mut f64, user: *mut c_void) -> c_int {
    let m = unsafe { &mut *user.cast::<Model>() };
    let nv = m.layout.dims.nv;
    let x = unsafe { std::slice::from_raw_parts(x, m.layout.n) };
    returned(m.system.mass(t, x, unsafe { std::slice::from_raw_parts_mut(mass, nv * nv) }))
}

unsafe extern "C" fn jacobian(t: f64, x: *const f64, fx: *const *mut f64, user: *mut c_void) -> c_int {
    let m = unsafe { &mut *user.cast::<Model>() };
    m.blocks.clear();
    let x = unsafe { std::slice::from_raw_parts(x, m.layout.n) };
    let outcome = m.system.jacobian(t, x, &mut m.blocks);
    for (k, block) in m.blocks.fx.iter().enumerate() {
        unsafe { std::ptr::copy_nonoverlapping(block.as_ptr(), *fx.add(k), block.len()) };
    }
    returned(outcome)
}

unsafe extern "C" fn output(step: *const StepInfo, user: *mut c_void) -> c_int {
    let (m, step) = unsafe { (&mut *user.cast::<Model>(), &*step) };
    m.points.push((step.t.to_bits(), bits(unsafe { std::slice::from_raw_parts(step.x, m.layout.n) })));
    0
}

unsafe extern "C" fn legacy_eom(
    _m: *const i32,
    _n: *const i32,
    t: *const f64,
    x: *const f64,
    rda: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    _ipar: *mut i32,
    rpar: *mut f64,
    ierr: *mut i32,
) {
    unsafe { *ierr = eom(*t, x, rda, rpar.cast()) };
}

unsafe extern "C" fn legacy_mas(
    t: *const f64,
    _nx: *const i32,
    x: *const f64,
    _m: *const i32,
    _n: *const i32,
    ma: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    _ipar: *mut i32,
    rpar: *mut f64,
    ierr: *mut i32,
) {
    unsafe { *ierr = mass(*t, x, ma, rpar.cast()) };
}

unsafe extern "C" fn legacy_jac(
    _m1: *const i32,
    _m2: *const i32,
    _m3: *const i32,
    _m4: *const i32,
    _m5: *const i32,
    _m6: *const i32,
    _n1: *const i32,
    _n2: *const i32,
    _n3: *const i32,
    _n4: *const i32,
    _m: *const i32,
    _n: *const i32,
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
    _ipar: *mut i32,
    ierr: *mut i32,
) {
    unsafe { *ierr = jacobian(*t, x, [fx1, fx2, fx3, fx4, fx5, fx6].as_ptr(), rpar.cast()) };
}

unsafe extern "C" fn legacy_solout(
    _naccpt: *const i32,
    _told: *const f64,
    t: *const f64,
    x: *const f64,
    n: *const i32,
    _nn2: *const i32,
    _nn3: *const i32,
    _nn4: *const i32,
    _contx: *const f64,
    _h: *const f64,
    _c1m1: *const f64,
    _c2m1: *const f64,
    rpar: *mut f64,
    _ipar: *mut i32,
    _ierr: *mut i32,
) {
    let m = unsafe { &mut *rpar.cast::<Model>() };
    m.points.push(unsafe { ((*t).to_bits(), bits(std::slice::from_raw_parts(x, *n as usize))) });
}

const FIRST: f64 = 1e-4;
const NMAX: i32 = 20;

#[derive(Clone)]
struct Case {
    method: Listed,
    problem: testset::Problem,
    form: Form,
    decompc: i32,
    decompd: i32,
    analytic: bool,
}

/// What can be said through callbacks of Fortran and C; a system in Rust may offer more.
struct Callbacks<'a>(&'a mut dyn System, bool);

impl System for Callbacks<'_> {
    fn dimensions(&self) -> Dimensions {
        self.0.dimensions()
    }
    fn form(&self) -> Form {
        self.0.form()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.0.eom(t, x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.0.mass(t, x, mass)
    }
    fn has_jacobian(&self) -> bool {
        self.1
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.0.jacobian(t, x, fx)
    }
}

/// Code, t, next h, x, counters, and every point on the way.
#[derive(Debug, PartialEq)]
struct Run {
    idid: i32,
    t: u64,
    h: u64,
    x: Vec<u64>,
    counters: [i64; 11],
    points: Vec<(u64, Vec<u64>)>,
}

impl Case {
    fn model(&self) -> Box<Model> {
        let system = self.problem.system(self.form, self.analytic);
        let layout = Layout::new(system.dimensions(), self.form);
        Box::new(Model { system, blocks: JacobianBlocks::new(&layout), layout, points: Vec::new() })
    }

    fn settings(&self) -> Options {
        self.method.options(&self.problem, self.form)
    }

    /// Name, slot in IOPT and value of all that is not the default of the call; the handle begins with others.
    fn options(&self) -> [(&'static str, usize, i32); 11] {
        let o = self.settings();
        let order = match o.order {
            Order::Five => 5,
            Order::Nine => 9,
            Order::Thirteen => 13,
            Order::Automatic => -1,
        };
        [
            ("nmax", 6, NMAX),
            ("form", 5, i32::from(self.form == Form::Index1)),
            ("decompc", 11, self.decompc),
            ("decompd", 12, self.decompd),
            ("masstrct", 15, self.problem.mass as i32 + 1),
            ("nwtmat", 9, o.newton_reference.map_or(0, i32::from)),
            ("order", 21, order),
            ("method", 18, o.method as i32),
            ("family", 23, i32::from(o.family == Family::GeneralizedAlpha)),
            // The call ends in singular positions, the handle passes them.
            ("singular", 32, 0),
            // And multipliers of its stages come from gII and hI.
            ("nwtmult", 28, 0),
        ]
    }

    fn rust(&self) -> Run {
        let mut model = self.model();
        let (mut iopt, ropt) = ([0; 40], [0.0; 40]);
        for (_, slot, value) in self.options() {
            iopt[slot - 1] = i64::from(value);
        }
        (iopt[15], iopt[19]) = (1, 1);
        let options = Options::from_arrays(&iopt, &ropt).expect("options");
        let tolerance = Tolerance::scalar(self.method.tol, self.method.tol);
        let (mut t, mut x, mut h, mut stats) =
            (self.problem.t0, self.problem.x0.clone(), FIRST, Stats::default());
        let mut points = Vec::new();
        let mut observer = |step: &AcceptedStep<'_>| {
            points.push((step.t.to_bits(), bits(step.x)));
            Outcome::Continue
        };
        let run = Integration {
            system: &mut Callbacks(&mut *model.system, self.analytic),
            observer: Some(&mut observer),
            options: &options,
            tolerance: &tolerance,
        };
        let result = integrate(run, &mut t, &mut x, &mut h, self.problem.tend, &mut stats);
        let idid = result.err().map_or(0, |failure| failure.code.idid());
        let counters = stats.iwork().map(|(_, value)| value as i64);
        Run { idid, t: t.to_bits(), h: h.to_bits(), x: bits(&x), counters, points }
    }

    fn legacy(&self) -> Run {
        let mut model = self.model();
        let (d, m, n) = (model.layout.dims, model.layout.m as i32, model.layout.n as i32);
        let dims = [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|v| v as i32);
        let [np, nv, nr, nw, ns, nl, nm, ni] = dims.each_ref().map(std::ptr::from_ref);
        let (mut x, mut t, mut h) = (self.problem.x0.clone(), self.problem.t0, FIRST);
        let (mut iopt, ropt, mut iwork) = ([0; 40], [0.0; 40], [0; 20]);
        for (_, slot, value) in self.options() {
            iopt[slot - 1] = value;
        }
        // The handle always takes a positive return value as a wish for a smaller step.
        (iopt[15], iopt[19]) = (1, 1);
        let lrwork = 10 * n.max(m);
        let (mut rwork, mut ipar, mut ierr, mut idid) = (vec![0.0; lrwork as usize], [0], 0, 0);
        let (zero, one, liwork, ijac) = (0, 1, 20, i32::from(self.analytic));
        // SAFETY: as the manual says.
        unsafe {
            geoms_(
                np,
                nv,
                nr,
                nw,
                ns,
                nl,
                nm,
                ni,
                &raw const m,
                &raw const n,
                &raw const zero,
                x.as_mut_ptr(),
                &raw mut t,
                &raw const self.problem.tend,
                &raw mut h,
                &raw const self.method.tol,
                &raw const self.method.tol,
                &raw const zero,
                iopt.as_ptr(),
                ropt.as_ptr(),
                None,
                Some(legacy_eom),
                Some(legacy_mas),
                Some(legacy_jac),
                &raw const ijac,
                Some(legacy_solout),
                &raw const one,
                &raw const liwork,
                iwork.as_mut_ptr(),
                &raw const lrwork,
                rwork.as_mut_ptr(),
                (&raw mut *model).cast(),
                ipar.as_mut_ptr(),
                &raw mut ierr,
                &raw mut idid,
            );
        }
        let counters = std::array::from_fn(|k| i64::from(iwork[k]));
        Run { idid, t: t.to_bits(), h: h.to_bits(), x: bits(&x), counters, points: model.points }
    }

    fn handle(&self) -> Run {
        let mut model = self.model();
        let d = model.layout.dims;
        let [np, nv, nr, nw, ns, nl, nm, ni] =
            [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|v| v as i64);
        let dims = CDimensions { np, nv, nr, nw, ns, nl, nm, ni };
        let mut x = vec![0.0; model.layout.n];
        let mut s = Statistics::default();
        // SAFETY: the arrays have N entries, and the model outlives the handle.
        unsafe {
            let handle = geoms_create(&raw const dims, i32::from(self.form == Form::Index1));
            let set = [
                geoms_set_user(handle, (&raw mut *model).cast()),
                geoms_set_eom(handle, Some(eom)),
                geoms_set_mass(handle, Some(mass)),
                geoms_set_jacobian(handle, if self.analytic { Some(jacobian) } else { None }),
                geoms_set_output(handle, Some(output)),
                geoms_set_tolerance(handle, self.method.tol, self.method.tol),
            ];
            assert_eq!(set, [0; 6]);
            for (name, _, value) in self.options() {
                let name = CString::new(name).expect("name");
                assert_eq!(geoms_set_int(handle, name.as_ptr(), i64::from(value)), 0, "{name:?} = {value}");
            }
            assert_eq!(geoms_start(handle, self.problem.t0, self.problem.x0.as_ptr(), FIRST), 0);
            let idid = geoms_integrate(handle, self.problem.tend);
            assert_eq!((geoms_state(handle, x.as_mut_ptr()), geoms_statistics(handle, &raw mut s)), (0, 0));
            let (t, h) = (geoms_time(handle).to_bits(), geoms_next_step(handle).to_bits());
            geoms_free(handle);
            let counters = [
                s.naccpt, s.neom, s.nmas, s.njac, s.nsel, s.npdec, s.nedec, s.nbsub, s.nstep, s.nerjct,
                s.ncrjct,
            ];
            Run { idid, t, h, x: bits(&x), counters: counters.map(|c| c as i64), points: model.points }
        }
    }
}

pub fn check(method: &Listed) {
    if !method.in_options {
        return;
    }
    let (mut cases, mut steps, mut ended) = (0, 0, std::collections::BTreeMap::new());
    for problem in testset::all() {
        for form in [Form::StrangenessFree, Form::Index1] {
            for (decompc, decompd) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)] {
                for analytic in [true, false] {
                    if !analytic && problem.x0.len() > 40 {
                        continue; // differences of large systems take long and have nothing new
                    }
                    // All of them once; no boundary depends on the method.
                    if method.name != "radau_5" && (decompd == 1 || decompc == 2 || problem.x0.len() > 100) {
                        continue;
                    }
                    let case =
                        Case { method: *method, problem: problem.clone(), form, decompc, decompd, analytic };
                    let what =
                        format!("{} {} {form:?} {decompc} {decompd} {analytic}", method.name, problem.name);
                    let (mut legacy, handle, rust) = (case.legacy(), case.handle(), case.rust());
                    // A refused call changes nothing of the caller's, IWORK included.
                    if legacy.idid == Code::BadArgument.idid() {
                        legacy.counters = handle.counters;
                    }
                    assert_eq!(legacy, handle, "{what}");
                    assert_eq!(legacy, rust, "{what}");
                    (cases, steps) = (cases + 1, steps + legacy.counters[0]);
                    *ended.entry(legacy.idid).or_insert(0) += 1;
                }
            }
        }
    }
    println!(
        "count: {}: {cases} runs, {steps} steps, by Fortran's call, C's handle and Rust the same; IDID: {ended:?}",
        method.name
    );
    assert!(cases > 250 && steps > 2000, "{cases} {steps}");
}
