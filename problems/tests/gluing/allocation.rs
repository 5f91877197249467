//! Nothing is allocated after the first step, in one process.
#![allow(unsafe_code)]

use crate::harness::fixed;
use crate::planar::{chain, mild};
use geoms::gluing::{Glued, Projection, Settings, Topology};
use std::alloc::{GlobalAlloc, Layout, System as Heap};
use std::cell::Cell;

/// Counts for each thread by itself: tests run side by side.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

fn count() {
    // A thread that is ending has no counter any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: everything is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY (here and below): the contract of the trait.
        unsafe { Heap.alloc(layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { Heap.realloc(p, layout, size) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { Heap.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nothing_is_allocated_after_the_first_step() {
    for topology in [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Dissection] {
        for (b, count) in [(chain(8), 4), (mild(), 2)] {
            for settings in [
                Settings { topology, ..fixed(Projection::Result) },
                Settings { topology, ..Settings::default() },
            ] {
                let mut glued = Glued::alone(b.cut(&b.pieces(count), |_| 0, 0), settings, 0.0, 5e-3).unwrap();
                let _ = glued.step(0.5).unwrap();
                let before = ALLOCATIONS.with(Cell::get);
                glued.integrate(0.5).unwrap();
                assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0, "{topology:?} {count}");
            }
        }
    }
}
