//! How glued runs scale: measured with threads on this machine, and messages and amounts of data counted on the elimination trees of chains of up to
//! 10,000 subdomains. `docs/gluing.md` has the tables.
//!
//!     cargo run --release --example gluing_scale

#[allow(dead_code, clippy::unwrap_used)]
#[path = "../tests/gluing/planar.rs"]
mod planar;

use geoms::gluing::threads::participants;
use geoms::gluing::tree::{build, Node};
use geoms::gluing::{End, Glued, Joint, Law, Settings, Statistics, Topology};
use std::time::{Duration, Instant};

const REPETITIONS: usize = 5;
const TOPOLOGIES: [Topology; 3] = [Topology::Flat, Topology::Bisection, Topology::Neighbour];

/// The fastest of some runs: other programs on the machine disturb.
fn best(count: usize, bodies: usize, size: usize, steps: u32, topology: Topology) -> (f64, Statistics) {
    let runs = (0..REPETITIONS).map(|_| measure(count, bodies, size, steps, topology));
    runs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
}

/// Seconds for some steps of a chain of `count` subdomains with `bodies` rods on `size` threads, and the statistics of the first one.
fn measure(count: usize, bodies: usize, size: usize, steps: u32, topology: Topology) -> (f64, Statistics) {
    let (h, b) = (1e-3, planar::chain(count * bodies));
    let threads: Vec<_> = participants(size, Duration::from_secs(60))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            let b = b.clone();
            std::thread::spawn(move || {
                let assembly = b.cut(&b.pieces(count), |k| k * size / count, rank);
                let settings = Settings { topology, fixed_step: true, ..Settings::default() };
                let mut glued = Glued::start(assembly, Box::new(transport), settings, 0.0, h)?;
                let begin = Instant::now();
                glued.integrate(h * f64::from(steps))?;
                Ok::<_, geoms::error::Failure>((begin.elapsed().as_secs_f64(), glued.statistics()))
            })
        })
        .collect();
    let mut slowest = (0.0, Statistics::default());
    for (rank, thread) in threads.into_iter().enumerate() {
        match thread.join() {
            Ok(Ok((seconds, s))) => {
                slowest.0 = f64::max(slowest.0, seconds);
                if rank == 0 {
                    slowest.1 = s;
                }
            }
            Ok(Err(failure)) => println!("{failure}"),
            Err(_) => println!("a thread was lost"),
        }
    }
    slowest
}

/// Rows of a boundary of planar pins.
fn rows(node: &Node) -> usize {
    2 * node.boundary.len()
}

/// Per iteration with an old matrix: messages, numbers in them, messages one after the other, rows of the largest front; and the numbers of a new matrix.
fn count(nodes: &[Node]) -> [usize; 5] {
    let mut out = [0; 5];
    let mut hops = vec![0usize; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        let from = |&c: &usize| {
            let apart = nodes[c].owner != node.owner;
            hops[c] + usize::from(apart)
        };
        // Messages of several children arrive one after the other.
        let arriving = node.children.iter().filter(|&&c| nodes[c].owner != node.owner).count();
        let deepest = node.children.iter().map(from).max().unwrap_or(0);
        hops[i] = deepest.max(node.children.iter().map(|&c| hops[c]).max().unwrap_or(0) + arriving);
        out[3] = out[3].max(2 * (node.eliminated.len() + node.boundary.len()));
        if node.parent.is_some_and(|p| nodes[p].owner != node.owner) {
            out[0] += 2;
            out[1] += 2 * rows(node);
            out[4] += rows(node) * rows(node);
        }
    }
    out[2] = 2 * hops.last().copied().unwrap_or(0);
    out
}

fn main() {
    println!(
        "weak scaling: K subdomains of 50 rods, milliseconds per step and subdomain, part of the interface\n"
    );
    println!("| K | 1 thread | interface | 2 threads | interface | speed-up |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for k in [1, 2, 4, 8, 16] {
        let steps = (32 / k).max(4) as u32;
        let run = |size: usize| {
            let (seconds, s) = best(k, 50, size, steps, Topology::Bisection);
            (1e3 * seconds / f64::from(steps), 1e-6 * s.coordination_ns as f64 / f64::from(steps))
        };
        let one = run(1);
        if k == 1 {
            println!("| {k} | {:.3} | {:.4} | | | |", one.0, one.1);
            continue;
        }
        let two = run(2);
        let each = k as f64;
        println!(
            "| {k} | {:.3} | {:.4} | {:.3} | {:.4} | {:.2} |",
            one.0 / each,
            one.1 / each,
            two.0 / each,
            two.1 / each,
            one.0 / two.0
        );
    }
    println!("\ncoordination alone: K subdomains of one rod, microseconds per iteration in one process\n");
    println!("| K | rows | flat | bisection | neighbour |");
    println!("| --- | --- | --- | --- | --- |");
    for k in [4, 16, 64, 128, 256] {
        let steps = (512 / k).max(4) as u32;
        let times = TOPOLOGIES.map(|t| {
            let (_, s) = best(k, 1, 1, steps, t);
            1e-3 * s.coordination_ns as f64 / (s.iterations + s.steps) as f64
        });
        println!("| {k} | {} | {:.1} | {:.1} | {:.1} |", 2 * (k - 1), times[0], times[1], times[2]);
    }
    println!("\na chain of K subdomains, one for each process: per iteration\n");
    println!("| K | topology | messages | doubles | one after the other | largest front | doubles of a new matrix |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let joint = |i: usize| Joint {
        ends: [End { subdomain: i + 1, port: 0 }, End { subdomain: i, port: 1 }],
        law: Law::coincide(2),
    };
    for k in [2, 4, 8, 16, 100, 1000, 10_000] {
        let (owners, joints): (Vec<usize>, Vec<Joint>) = ((0..k).collect(), (0..k - 1).map(joint).collect());
        for topology in TOPOLOGIES {
            let [messages, doubles, hops, front, matrix] = count(&build(topology, &owners, &joints));
            println!("| {k} | {topology:?} | {messages} | {doubles} | {hops} | {front} | {matrix} |");
        }
    }
}
