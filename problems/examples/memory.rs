//! What a run of each method allocates, for chains of some lengths, beside what `check_memory` takes for granted: numbers of
//! eight bytes in all, and as a multiple of the Jacobian blocks.

use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options, Order};
use geoms::solver::Solver;
use geoms::system::Supplied;
use geoms_problems::chain::Chain;
use std::alloc::{GlobalAlloc, Layout as Memory, System as Heap};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes everything on to the allocator of the system.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        let now = NOW.fetch_add(memory.size(), Ordering::Relaxed) + memory.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the contract of this function.
        unsafe { Heap.alloc(memory) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, memory: Memory) {
        NOW.fetch_sub(memory.size(), Ordering::Relaxed);
        // SAFETY: the contract of this function.
        unsafe { Heap.dealloc(pointer, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Method 1 by the pattern: bytes that were allocated at most, those that the method said before, and CPU time.
fn by_pattern(links: usize) -> Result<(), Box<dyn std::error::Error>> {
    let problem = Chain::of_unit_links(links).problem("chain", 0.1);
    let form = Form::Index1;
    let mut system = problem.system(form, true);
    let method = MethodKind::Hht;
    let options = Options { method, form, mass: problem.mass, consistent: true, ..Options::of_call() };
    let layout = Layout::new(system.dimensions(), form);
    let said = geoms::methods::numbers(&layout, &options, Supplied::by(&*system)).unwrap_or(0);
    let (before, tolerance) = (NOW.load(Ordering::Relaxed), Tolerance::scalar(1e-4, 1e-4));
    MOST.store(before, Ordering::Relaxed);
    let begin = std::time::Instant::now();
    let start = (problem.t0, &problem.x0[..], 0.0);
    let mut solver = Solver::start(&mut *system, &options, &tolerance, start)?;
    solver.integrate(&mut *system, None, None, problem.tend)?;
    let (stats, needed) = (solver.stats(), (MOST.load(Ordering::Relaxed) - before) / 8);
    println!(
        "{links:4} links, method 1 by pattern: {needed} numbers ({said} said), {} steps, {} matrices in {:.3} s",
        stats.naccpt,
        stats.nedec,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let methods = [
        ("Radau 5", MethodKind::Radau, Order::Five),
        ("Radau 9", MethodKind::Radau, Order::Nine),
        ("Radau auto", MethodKind::Radau, Order::Automatic),
        ("HHT", MethodKind::Hht, Order::Five),
        ("Rosenbrock", MethodKind::RosenbrockNystroem, Order::Five),
        ("Newmark", MethodKind::Newmark, Order::Five),
        ("half-explicit", MethodKind::HalfExplicit, Order::Five),
        ("automatic", MethodKind::Automatic, Order::Five),
    ];
    for length in [10, 40, 80] {
        let problem = Chain::of_unit_links(length).problem("chain", 1.0);
        for form in [Form::StrangenessFree, Form::Index1] {
            let layout = Layout::new(problem.system(form, true).dimensions(), form);
            let blocks: usize = layout.fx_shapes().iter().map(|(m, n)| m * n).sum();
            for (name, method, order) in methods {
                let mut system = problem.system(form, true);
                let options = Options { method, order, form, mass: problem.mass, ..Options::of_call() };
                let (before, tolerance) = (NOW.load(Ordering::Relaxed), Tolerance::scalar(1e-6, 1e-6));
                MOST.store(before, Ordering::Relaxed);
                let start = (problem.t0, &problem.x0[..], 0.0);
                let mut solver = Solver::start(&mut *system, &options, &tolerance, start)?;
                let _ = solver.step(&mut *system, problem.tend);
                let needed = (MOST.load(Ordering::Relaxed) - before) / 8;
                let of_blocks = needed as f64 / blocks as f64;
                println!("{length:4} links, N = {:4}, M = {:4}, {form:?}, {name:14} {needed:10} numbers, {of_blocks:.2} of FX", layout.n, layout.m);
            }
        }
    }
    [170, 250, 500, 1000, 2000, 4000].into_iter().try_for_each(by_pattern)
}
