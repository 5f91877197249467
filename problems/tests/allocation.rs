//! Nothing is allocated between the first accepted step and the end.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use geoms::capi::fortran::geoms_;
use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::events::{RootFunctions, Rule};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Form, Layout};
use geoms::linalg::SolverKind;
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, Order};
use geoms::solver::Solver;
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, System};
use geoms_problems::{self as testset, derived, Problem};
use std::alloc::{GlobalAlloc, Layout as Memory, System as Heap};
use std::cell::Cell;

/// Counts for each thread by itself: tests run side by side.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

fn count() {
    // A thread that is ending has no counter any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

// SAFETY: everything is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Memory) -> *mut u8 {
        count();
        // SAFETY (here and below): the contract of the trait.
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Memory) -> *mut u8 {
        count();
        unsafe { Heap.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Memory, size: usize) -> *mut u8 {
        count();
        unsafe { Heap.realloc(p, layout, size) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Memory) {
        unsafe { Heap.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A problem, or one with a kick that makes steps fail.
struct Bumpy {
    inner: Box<dyn System + Send>,
    layout: Layout,
    kicks: bool,
}

impl Bumpy {
    fn new(problem: &Problem, form: Form, jacobian: bool, kicks: bool) -> Self {
        let inner = problem.system(form, jacobian);
        Bumpy { layout: Layout::new(inner.dimensions(), form), inner, kicks }
    }
}

impl System for Bumpy {
    geoms_problems::pass_on!(form, mass, has_jacobian, jacobian);

    fn dimensions(&self) -> geoms::layout::Dimensions {
        self.inner.dimensions()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let outcome = self.inner.eom(t, x, rda);
        // A stiff spring in r is switched on and off: error tests and Newton's method fail around the switch.
        if self.kicks && (10.0 * t).fract() > 0.5 {
            self.layout.rda.b.of_mut(rda).iter_mut().for_each(|b| *b += 3e3 * (1.0 + x[0].abs()));
        }
        outcome
    }
}

const PROBLEMS: [(&str, bool); 7] = [
    ("pendulum-2.8", false),
    ("andrews", false),
    ("leaning-disk", false),
    ("cycloid", false),
    ("maxwell-element", true),
    ("coupler", false),
    ("top-nutating", false),
];

/// All combinations of problem, DECOMPC, DECOMPD, FORM and IJAC that can run.
fn combinations(mut each: impl FnMut(&Problem, bool, &Options, bool)) {
    for (name, kicks) in PROBLEMS {
        let problem = testset::by_name(name).unwrap();
        for constraints in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            for differential in [SolverKind::Lu, SolverKind::Qr] {
                for form in [Form::StrangenessFree, Form::Index1] {
                    for jacobian in [false, true] {
                        let redundant = form == Form::Index1 || constraints != DecompositionKind::Svd;
                        if problem.rank_deficient && redundant {
                            continue;
                        }
                        let options = Options {
                            form,
                            decompose_constraints: constraints,
                            decompose_differential: differential,
                            newton_updates: u32::from(kicks),
                            nmax: 120,
                            ..Options::of_call()
                        };
                        each(&problem, kicks, &options, jacobian);
                        each(
                            &problem,
                            kicks,
                            &Options { order: Order::Automatic, ..options.clone() },
                            jacobian,
                        );
                        let hht = Options {
                            method: MethodKind::Hht,
                            project: 3 * u8::from(jacobian),
                            ..options.clone()
                        };
                        each(&problem, kicks, &hht, jacobian);
                        let newmark = Options { method: MethodKind::Newmark, ..options.clone() };
                        each(&problem, kicks, &newmark, jacobian);
                        // Methods 2 and 4 have no DECOMPD; without gII they have no s and no forces in λ.
                        let suits = form == Form::StrangenessFree || problem.name != "cycloid";
                        if suits && differential == SolverKind::Lu {
                            for method in [MethodKind::RosenbrockNystroem, MethodKind::HalfExplicit] {
                                each(&problem, kicks, &Options { method, ..options.clone() }, jacobian);
                            }
                        }
                    }
                }
            }
        }
    }
}

fn acceptable(result: Result<(), Code>) -> bool {
    matches!(result, Ok(()) | Err(Code::TooManySteps))
}

#[test]
fn in_the_rust_interface() {
    let (mut cases, mut rejected, mut steps) = (0, 0, 0);
    combinations(|problem, kicks, options, jacobian| {
        let mut system = Bumpy::new(problem, options.form, jacobian, kicks);
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let (mut first, mut last, mut accepted) = (0, 0, 0);
        let mut observer = |step: &AcceptedStep<'_>| {
            if step.naccpt == 1 {
                first = allocations();
            }
            last = allocations();
            accepted = step.naccpt;
            Outcome::Continue
        };
        let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
        let run = Integration {
            system: &mut system,
            observer: Some(&mut observer),
            options,
            tolerance: &tolerance,
        };
        let result = integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats).map_err(|f| f.code);
        assert!(acceptable(result), "{} {options:?}: {result:?}", problem.name);
        assert!(accepted > 10, "{} {options:?}: {accepted} steps", problem.name);
        assert_eq!(last - first, 0, "{} {options:?}, JAC {jacobian}: allocations", problem.name);
        cases += 1;
        rejected += stats.nerjct + stats.ncrjct;
        steps += stats.nstep();
    });
    println!("count: allocation: {cases} combinations through the Rust API, 0 allocations, {rejected} of {steps} steps rejected");
    assert!(rejected > 500);
}

/// The automatic choice has the work space of both methods from the start.
#[test]
fn across_the_change_of_method() {
    for name in ["double-pendulum-stiff", "truck", "stiff-spring-1e8"] {
        let problem = testset::by_name(name).unwrap();
        let options = Options { method: MethodKind::Automatic, mass: problem.mass, ..Options::of_call() };
        let tolerance = Tolerance::scalar(1e-3, 1e-3);
        let (mut first, mut last) = (0, 0);
        let mut observer = |step: &AcceptedStep<'_>| {
            if step.naccpt == 1 {
                first = allocations();
            }
            last = allocations();
            Outcome::Continue
        };
        let mut system = problem.system(Form::StrangenessFree, true);
        let run = Integration {
            system: &mut *system,
            observer: Some(&mut observer),
            options: &options,
            tolerance: &tolerance,
        };
        let (mut t, mut x, mut h, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
        integrate(run, &mut t, &mut x, &mut h, problem.tend, &mut stats).unwrap();
        assert!(stats.stiffness_suspected == 1 && stats.nedec > 0, "{name}");
        assert_eq!(last - first, 0, "{name}: allocations");
    }
}

/// Functions whose zeros are events, watched in every step; a list of events that were found may grow.
#[test]
fn while_events_are_watched() {
    struct Never;
    impl RootFunctions for Never {
        fn count(&self) -> usize {
            3
        }
        fn evaluate(&mut self, t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
            values.copy_from_slice(&[t + 1.0, 10.0 + x[0], -x[1] * x[1] - 1.0]);
            Outcome::Continue
        }
    }
    let problem = testset::by_name("andrews").unwrap();
    let options = Options { mass: problem.mass, ..Options::default() };
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let mut system = problem.system(Form::StrangenessFree, true);
    let mut solver =
        Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 0.0)).expect("start");
    solver.watch(&mut Never, &[Rule::default(); 3], 0.0).expect("values");
    solver.integrate(&mut *system, None, Some(&mut Never), 1e-3).expect("begin");
    let (first, steps) = (allocations(), solver.stats().naccpt);
    solver.integrate(&mut *system, None, Some(&mut Never), problem.tend).expect("on");
    assert!(solver.stats().naccpt > steps + 10 && solver.events().is_empty());
    assert_eq!(allocations() - first, 0);
}

/// Past positions where the constraints lose rank, one of them met by the end of a step.
#[test]
fn past_rank_losses() {
    let problem = geoms_problems::four_bar::natural("row", 2, 10.0);
    let met = 0.714_355_529_292_960_6;
    let methods = [
        (MethodKind::Radau, Order::Five),
        (MethodKind::Radau, Order::Nine),
        (MethodKind::Radau, Order::Automatic),
        (MethodKind::HalfExplicit, Order::Nine),
        (MethodKind::Automatic, Order::Nine),
        (MethodKind::Hht, Order::Nine),
        (MethodKind::Newmark, Order::Nine),
    ];
    for (method, order) in methods {
        let options = Options {
            method,
            order,
            mass: problem.mass,
            consistent: true,
            nmax: 100_000,
            ..Options::default()
        };
        let tolerance = Tolerance::scalar(1e-4, 1e-4);
        let mut system = problem.system(Form::StrangenessFree, true);
        let mut solver =
            Solver::start(&mut *system, &options, &tolerance, (0.0, &problem.x0, 0.0)).expect("start");
        solver.integrate(&mut *system, None, None, 0.1).expect("begin");
        let first = allocations();
        solver.integrate(&mut *system, None, None, met).expect("into it");
        solver.integrate(&mut *system, None, None, 3.0).expect("out of it");
        let critical = solver.stats().critical_steps;
        assert_eq!(allocations() - first, 0, "{method:?} {order:?}: allocations, {critical} critical steps");
        // Methods 1 and 3 may step over them.
        let steps_over = matches!(method, MethodKind::Hht | MethodKind::Newmark);
        assert!(critical > 0 || steps_over, "{method:?} {order:?}");
    }
}

/// What the subroutines find behind RPAR.
struct Context {
    system: Bumpy,
    fx: JacobianBlocks,
    first: u64,
    last: u64,
    accepted: i32,
}

unsafe extern "C" fn eom(
    m: *const i32,
    n: *const i32,
    t: *const f64,
    x: *const f64,
    rda: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    _ipar: *mut i32,
    rpar: *mut f64,
    _ierr: *mut i32,
) {
    // SAFETY (here and below): the arguments are those of the manual, RPAR is the context.
    unsafe {
        let x = std::slice::from_raw_parts(x, *n as usize);
        let rda = std::slice::from_raw_parts_mut(rda, *m as usize);
        let _ = (*rpar.cast::<Context>()).system.eom(*t, x, rda);
    }
}

unsafe extern "C" fn mas(
    t: *const f64,
    nx: *const i32,
    x: *const f64,
    m: *const i32,
    n: *const i32,
    ma: *mut f64,
    _iopt: *const i32,
    _ropt: *const f64,
    _ipar: *mut i32,
    rpar: *mut f64,
    _ierr: *mut i32,
) {
    unsafe {
        let x = std::slice::from_raw_parts(x, *nx as usize);
        let ma = std::slice::from_raw_parts_mut(ma, (*m * *n) as usize);
        let _ = (*rpar.cast::<Context>()).system.mass(*t, x, ma);
    }
}

unsafe extern "C" fn jac(
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
    _ipar: *mut i32,
    _ierr: *mut i32,
) {
    unsafe {
        let c = &mut *rpar.cast::<Context>();
        let x = std::slice::from_raw_parts(x, *n as usize);
        c.fx.clear();
        let _ = c.system.jacobian(*t, x, &mut c.fx);
        for (out, fx) in [fx1, fx2, fx3, fx4, fx5, fx6].into_iter().zip(&c.fx.fx) {
            out.copy_from_nonoverlapping(fx.as_ptr(), fx.len());
        }
    }
}

unsafe extern "C" fn solout(
    naccpt: *const i32,
    _told: *const f64,
    _t: *const f64,
    _x: *const f64,
    _n: *const i32,
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
    unsafe {
        let c = &mut *rpar.cast::<Context>();
        c.last = allocations();
        c.accepted = *naccpt;
        if *naccpt == 1 {
            c.first = c.last;
        }
    }
}

#[test]
fn in_the_fortran_call() {
    let mut cases = 0;
    combinations(|problem, kicks, options, jacobian| {
        let system = Bumpy::new(problem, options.form, jacobian, kicks);
        let l = system.layout;
        let mut context = Context { fx: JacobianBlocks::new(&l), system, first: 0, last: 0, accepted: 0 };
        let d = l.dims;
        let dims = [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|d| d as i32);
        let (m, n, none, length) = (l.m as i32, l.n as i32, 0, (5 * l.m) as i32);
        let mut x = problem.x0.clone();
        let (mut t, mut h, tol) = (problem.t0, 0.0, 1e-6);
        let mut iopt = [0; 40];
        iopt[4] = i32::from(options.form == Form::Index1);
        iopt[5] = 120;
        iopt[9] = options.newton_updates as i32;
        iopt[10] = match options.decompose_constraints {
            DecompositionKind::Lu => 1,
            DecompositionKind::Qr => 2,
            DecompositionKind::Svd => 3,
        };
        iopt[11] = i32::from(options.decompose_differential == SolverKind::Qr);
        (iopt[15], iopt[17], iopt[21]) = (1, options.method as i32, i32::from(options.project));
        iopt[20] = if options.order == Order::Automatic { -1 } else { 0 };
        let (ijac, iout, liwork, mut iwork) = (i32::from(jacobian), 1, 20, [0; 20]);
        let (ropt, mut rwork, mut ipar, mut ierr, mut idid) = ([0.0; 40], vec![0.0; 5 * l.m], [0; 1], 0, 0);
        // SAFETY: all arrays have the lengths that are passed.
        unsafe {
            geoms_(
                &raw const dims[0],
                &raw const dims[1],
                &raw const dims[2],
                &raw const dims[3],
                &raw const dims[4],
                &raw const dims[5],
                &raw const dims[6],
                &raw const dims[7],
                &raw const m,
                &raw const n,
                &raw const none,
                x.as_mut_ptr(),
                &raw mut t,
                &raw const problem.tend,
                &raw mut h,
                &raw const tol,
                &raw const tol,
                &raw const none,
                iopt.as_ptr(),
                ropt.as_ptr(),
                None,
                Some(eom),
                Some(mas),
                Some(jac),
                &raw const ijac,
                Some(solout),
                &raw const iout,
                &raw const liwork,
                iwork.as_mut_ptr(),
                &raw const length,
                rwork.as_mut_ptr(),
                (&raw mut context).cast(),
                ipar.as_mut_ptr(),
                &raw mut ierr,
                &raw mut idid,
            );
        }
        let result = if idid == 0 { Ok(()) } else { Err(Code::from_idid(idid).expect("a code")) };
        assert!(acceptable(result), "{} {options:?}: {result:?}", problem.name);
        assert!(context.accepted > 10, "{} {options:?}", problem.name);
        assert_eq!(context.last - context.first, 0, "{} {options:?}, JAC {jacobian}", problem.name);
        // The same numbers as through the Rust interface.
        let mut system = Bumpy::new(problem, options.form, jacobian, kicks);
        let (mut t2, mut x2, mut h2, mut stats) = (problem.t0, problem.x0.clone(), 0.0, Stats::default());
        let mut observer = |_: &AcceptedStep<'_>| Outcome::Continue;
        let tolerance = Tolerance::scalar(tol, tol);
        let run = Integration {
            system: &mut system,
            observer: Some(&mut observer),
            options,
            tolerance: &tolerance,
        };
        let _ = integrate(run, &mut t2, &mut x2, &mut h2, problem.tend, &mut stats);
        assert_eq!((t, h, &x), (t2, h2, &x2), "{} {options:?}", problem.name);
        assert_eq!(iwork[1] as u64, stats.neom, "{} {options:?}", problem.name);
        cases += 1;
    });
    println!("count: allocation: {cases} combinations through the call, 0 allocations");
}

/// The counter works.
#[test]
fn the_counter_counts() {
    let before = allocations();
    let v = std::hint::black_box(vec![1.0; 10]);
    assert_eq!(allocations() - before, 1);
    drop(v);
    // The model of a problem allocates nothing after its construction either, or the test above would see it.
    let mut system = testset::by_name("andrews").unwrap().system_with(derived::Options::default());
    let (mut rda, x) = (vec![0.0; 33], testset::by_name("andrews").unwrap().x0);
    rda.resize(Layout::new(system.dimensions(), Form::StrangenessFree).m, 0.0);
    let before = allocations();
    let _ = system.eom(0.0, &x, &mut rda);
    assert_eq!(allocations(), before);
}
