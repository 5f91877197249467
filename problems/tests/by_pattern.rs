//! Matrices that are stored and factored by the pattern of the model, with method 1: the same results as with dense ones, in
//! memory that grows with the number of entries.
#![allow(unsafe_code, clippy::unwrap_used)]

use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::layout::{Form, Layout};
use geoms::mechanism;
use geoms::methods::numbers;
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Singular};
use geoms::solver::Solver;
use geoms::system::{JacobianBlocks, Outcome, Sparsity, Supplied, System};
use geoms_problems::chain::Chain;
use geoms_problems::linkage::{Linkage, LinkageSystem};
use geoms_problems::Problem;
use std::alloc::{GlobalAlloc, Layout as Memory, System as Heap};
use std::cell::Cell;

/// Counts what each thread has and had at most, in bytes, and how often it asked: tests run side by side.
struct Counting;

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
    /// Memory of this size is not counted: it is asked for and given back to see whether it can be had.
    static TRIED: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    if TRIED.try_with(Cell::get) == Ok(bytes.abs()) {
        return;
    }
    let _ = NOW.try_with(|now| now.set(now.get() + bytes));
    let _ = MOST.try_with(|most| most.set(most.get().max(NOW.try_with(Cell::get).unwrap_or(0))));
    if bytes > 0 {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
    }
}

// SAFETY: everything is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        count(memory.size() as i64);
        // SAFETY (here and below): the contract of the trait.
        unsafe { Heap.alloc(memory) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, memory: Memory) {
        count(-(memory.size() as i64));
        unsafe { Heap.dealloc(pointer, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that was allocated at once during this, in bytes.
fn most_of<T>(run: impl FnOnce() -> T) -> (T, i64) {
    let before = NOW.with(Cell::get);
    MOST.with(|most| most.set(before));
    let result = run();
    (result, MOST.with(Cell::get) - before)
}

/// How a model says what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// No pattern.
    Nothing,
    /// The pattern, and dense arrays.
    Pattern,
    /// The pattern, and its entries.
    Entries,
}

/// A chain that says more or less of itself.
struct Said {
    inner: Box<dyn System + Send>,
    says: Says,
}

impl System for Said {
    geoms_problems::pass_on!(dimensions, form, eom, mass, has_jacobian, entries);

    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        assert!(fx.is_dense());
        self.inner.jacobian(t, x, fx)
    }
    fn sparsity(&self) -> Option<&Sparsity> {
        self.inner.sparsity().filter(|_| self.says != Says::Nothing)
    }
    fn has_entries(&self) -> bool {
        self.says == Says::Entries
    }
}

fn chain(links: usize) -> Problem {
    Chain::of_unit_links(links).problem("chain", 0.2)
}

fn options(problem: &Problem, form: Form) -> Options {
    Options { method: MethodKind::Hht, form, mass: problem.mass, consistent: true, ..Options::of_call() }
}

fn tolerance() -> Tolerance {
    Tolerance::scalar(1e-4, 1e-4)
}

/// A solver at the start, and its model.
fn start(
    links: usize,
    form: Form,
    jacobian: bool,
    says: Says,
    mass: Option<MassStructure>,
) -> (Solver, Said) {
    let problem = chain(links);
    let mut system = Said { inner: problem.system(form, jacobian), says };
    let mut options = options(&problem, form);
    options.mass = mass.unwrap_or(options.mass);
    let from = (problem.t0, &problem.x0[..], 0.0);
    (Solver::start(&mut system, &options, &tolerance(), from).unwrap(), system)
}

const TEND: f64 = 0.2;

#[test]
fn results_are_those_of_dense_matrices() {
    // 200 links: an iteration matrix of order 600.
    for form in [Form::StrangenessFree, Form::Index1] {
        for jacobian in [false, true] {
            let run = |says, mass| {
                let (mut solver, mut system) = start(200, form, jacobian, says, mass);
                solver.integrate(&mut system, None, None, TEND).unwrap();
                let saved = solver.save().len();
                (solver.x().to_vec(), *solver.stats(), saved)
            };
            let (dense, of_dense, large) = run(Says::Nothing, None);
            let blocks = Layout::new(chain(200).dimensions, form).x;
            for (says, mass) in [
                (Says::Pattern, None),
                (Says::Entries, None),
                (Says::Entries, Some(MassStructure::ConstantFull)),
            ] {
                let (x, stats, small) = run(says, mass);
                let far = [blocks.p, blocks.v, blocks.lambda].map(|block| {
                    let pairs = block.of(&x).iter().zip(block.of(&dense));
                    pairs.fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
                });
                println!("{form:?}, JAC {jacobian}, {says:?}, {mass:?}: p, v, λ differ by {far:?}");
                // Rounding errors of other pivots, of which v and λ see the h-th and the h²-th part; differences by columns
                // have their noise also where the pattern has nothing.
                let most = if jacobian { [1e-12, 1e-10, 1e-6] } else { [1e-9, 1e-7, 1e-4] };
                assert!(far.iter().zip(most).all(|(far, most)| *far < most), "{far:?}");
                assert_eq!(
                    (stats.naccpt, stats.nedec, stats.neom),
                    (of_dense.naccpt, of_dense.nedec, of_dense.neom)
                );
                // 600² entries of the matrix and 400² of the masses are not there.
                assert!(small < large / 10, "{small} of {large} bytes saved");
            }
        }
    }
}

#[test]
fn a_saved_run_goes_on_bit_for_bit() {
    for (says, general) in [(Says::Pattern, false), (Says::Entries, true)] {
        let mass = general.then_some(MassStructure::ConstantFull);
        let (mut solver, mut system) = start(170, Form::Index1, true, says, mass);
        solver.integrate(&mut system, None, None, 0.05).unwrap();
        let saved = solver.save();
        solver.integrate(&mut system, None, None, TEND).unwrap();
        let (mut other, mut model) = start(170, Form::Index1, true, says, mass);
        other.restore(&saved).unwrap();
        other.integrate(&mut model, None, None, TEND).unwrap();
        let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(solver.x()), bits(other.x()));
        // Not into a run whose matrices are stored otherwise.
        let (mut dense, _) = start(170, Form::Index1, true, Says::Nothing, mass);
        assert_eq!(dense.restore(&saved).unwrap_err().code, Code::BadArgument);
        // Nor with bytes missing or changed.
        for wrong in [&saved[..saved.len() / 2], &[&saved[..saved.len() - 9], &[1; 9]].concat()] {
            assert_eq!(other.restore(wrong).unwrap_err().code, Code::BadArgument);
        }
    }
}

#[test]
fn nothing_is_allocated_after_the_first_step() {
    for (says, jacobian) in [(Says::Entries, true), (Says::Entries, false), (Says::Pattern, true)] {
        let (mut solver, mut system) = start(200, Form::Index1, jacobian, says, None);
        solver.step(&mut system, TEND).unwrap();
        let (calls, decomposed) = (CALLS.with(Cell::get), solver.stats().nedec);
        while solver.t() < TEND {
            solver.step(&mut system, TEND).unwrap();
        }
        assert!(solver.stats().nedec > decomposed + 2);
        assert_eq!(CALLS.with(Cell::get), calls, "{says:?}, JAC {jacobian}");
    }
}

#[test]
fn memory_grows_with_the_entries() {
    let bytes: Vec<i64> = [250, 500, 1000, 2000]
        .map(|links| {
            let problem = chain(links);
            let mut system = problem.system(Form::StrangenessFree, true);
            let options = options(&problem, Form::StrangenessFree);
            let from = (problem.t0, &problem.x0[..], 0.0);
            let layout = Layout::new(system.dimensions(), Form::StrangenessFree);
            let said = 8 * numbers(&layout, &options, Supplied::by(&*system)).unwrap() as i64;
            TRIED.with(|tried| tried.set(said));
            let (steps, bytes) = most_of(|| {
                let mut solver = Solver::start(&mut *system, &options, &tolerance(), from).unwrap();
                solver.integrate(&mut *system, None, None, 0.05).unwrap();
                solver.stats().naccpt
            });
            println!("{links} links: {steps} steps, at most {} bytes, {said} said before", bytes);
            // What the method says before is enough, and not far more.
            assert!(bytes <= said && said <= 3 * bytes, "{bytes} bytes, {said} said");
            bytes
        })
        .to_vec();
    assert!(bytes.windows(2).all(|pair| pair[1] < 23 * pair[0] / 10), "{bytes:?}");
    // Dense it would be 14 GB.
    assert!(bytes[3] < 100_000_000, "{bytes:?}");
}

#[test]
fn a_chain_that_no_dense_method_can_hold() {
    // N = 32000: more than the INTEGER of LAPACK counts.
    let problem = chain(6400);
    let mut system = Said { inner: problem.system(Form::Index1, false), says: Says::Entries };
    let options = options(&problem, Form::Index1);
    let from = (problem.t0, &problem.x0[..], 0.0);
    let mut refused = |options: &Options, says: Says| {
        system.says = says;
        let failure = Solver::start(&mut system, options, &tolerance(), from).unwrap_err();
        assert_eq!(failure.code, Code::OutOfMemory);
        failure.to_string()
    };
    let said = refused(&options, Says::Nothing);
    assert!(said.contains("up to 30000"), "{said}");
    let said = refused(&Options { method: MethodKind::Radau, ..options.clone() }, Says::Entries);
    assert!(said.contains("up to 30000"), "{said}");
    // What else asks for dense matrices is named.
    for (asking, name) in [
        (Options { consistent: false, ..options.clone() }, "IVCNSST"),
        (Options { check: CheckLevel::Quick, ..options.clone() }, "CHECK"),
        (Options { singular: Singular::Pass, ..options.clone() }, "SINGULAR"),
    ] {
        let said = refused(&asking, Says::Entries);
        assert!(said.contains("by pattern") && said.contains(name), "{said}");
    }
    system.says = Says::Entries;
    let mut solver = Solver::start(&mut system, &options, &tolerance(), from).unwrap();
    solver.integrate(&mut system, None, None, 0.01).unwrap();
    // A body at the free end, with nothing below it that moves yet, falls freely.
    let (p, n) = (solver.layout().x.p, 2 * 6400);
    let fallen = -p.of(solver.x())[n - 1];
    assert!((fallen - 0.5 * 9.81 * 1e-4).abs() < 1e-9, "{fallen:e}");
}

/// A chain whose last link comes twice.
fn doubled(links: usize) -> Linkage {
    let mut linkage = Chain::of_unit_links(links).linkage();
    linkage.bars.extend(linkage.bars.last().copied());
    linkage
}

#[test]
fn dependent_constraints_are_refused() {
    let links = 200;
    for jacobian in [true, false] {
        let linkage = doubled(links);
        let layout = Layout::new(linkage.dimensions(), Form::Index1);
        let mut x = vec![0.0; layout.n];
        let p = Chain::of_unit_links(links).start()[3 * links..].to_vec();
        layout.x.p.of_mut(&mut x).copy_from_slice(&p);
        let form = mechanism::Options::new(Form::Index1, jacobian);
        let mut system = LinkageSystem::new(linkage, form, &x);
        let options = options(&chain(links), Form::Index1);
        let run = |system: &mut dyn System, options: &Options| {
            let mut solver = Solver::start(system, options, &tolerance(), (0.0, &x, 0.0)).unwrap();
            solver.integrate(system, None, None, 0.01).map(|_| ())
        };
        let failure = run(&mut system, &options).unwrap_err();
        assert_eq!(failure.code, Code::Fx2DeficientLu, "{failure}");
        assert!(
            failure.component.is_none_or(|name| name.block == "gI" && name.number >= links - 1),
            "{failure}"
        );
        // The SVD copes with them, with dense matrices.
        let svd = Options { decompose_constraints: DecompositionKind::Svd, ..options };
        assert!(numbers(&layout, &svd, Supplied::by(&system)).is_none());
    }
}
