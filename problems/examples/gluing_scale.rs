//! How glued runs scale: measured with threads on this machine, and messages and amounts of data counted on the elimination trees of chains of up to
//! 10,000 subdomains. `docs/gluing.md` has the tables.
//!
//!     cargo run --release --example gluing_scale [weak | coordination | grids | messages]

#[allow(dead_code, clippy::unwrap_used)]
#[path = "../tests/gluing/planar.rs"]
mod planar;

#[allow(dead_code, clippy::unwrap_used)]
#[path = "../tests/gluing/net.rs"]
mod net;

use geoms::gluing::threads::participants;
use geoms::gluing::tree::{build, Node};
use geoms::gluing::{End, Glued, Joint, Law, Settings, Statistics, Topology};
use std::time::{Duration, Instant};

const REPETITIONS: usize = 5;
const TOPOLOGIES: [Topology; 4] =
    [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Dissection];

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

/// Microseconds of coordination per iteration of a net of n by n subdomains, one process.
fn net_time(n: usize, topology: Topology) -> f64 {
    let settings = Settings { topology, fixed_step: true, ..Settings::default() };
    let h = 1e-3;
    let times = (0..3).map(|_| {
        let mut glued = Glued::alone(net::net(n, |_| 0, 0), settings.clone(), 0.0, h)?;
        glued.integrate(4.0 * h)?;
        let s = glued.statistics();
        Ok::<_, geoms::error::Failure>(1e-3 * s.coordination_ns as f64 / (s.iterations + s.steps) as f64)
    });
    times.map(|t| t.unwrap_or(f64::NAN)).fold(f64::INFINITY, f64::min)
}

/// Nets of bars: measured, and counted on the trees where a run is too long.
fn grids() {
    println!(
        "\na net of n by n subdomains: microseconds per iteration in one process, new matrices included\n"
    );
    println!("| n | subdomains | joints | flat | bisection | neighbour | dissection |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for n in [2, 4, 8, 12, 16] {
        print!("| {n} | {} | {}", n * n, 2 * n * (n - 1));
        for topology in TOPOLOGIES {
            // Fronts with all joints in them: minutes.
            if n > 12 && matches!(topology, Topology::Flat | Topology::Neighbour) {
                print!(" |");
            } else {
                print!(" | {:.0}", net_time(n, topology));
            }
        }
        println!(" |");
    }
    println!("\nthe same counted: rows of the largest front, operations of all factors (millions), products with S that cost as much, messages one after the other\n");
    println!("| n | subdomains | topology | largest front | operations | products | one after the other |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for n in [4, 16, 32, 100] {
        let (owners, joints): (Vec<usize>, Vec<Joint>) = ((0..n * n).collect(), net::bars(n));
        for topology in TOPOLOGIES {
            let nodes = build(topology, &owners, &joints);
            let [_, _, hops, front, _] = count(&nodes);
            // Factors of the eliminated rows (2 and one multiplier for each bar), and their effect on the boundary.
            let work = |node: &Node| {
                let (e, b) = (3.0 * node.eliminated.len() as f64, 2.0 * node.boundary.len() as f64);
                2.0 / 3.0 * e * e * e + 2.0 * e * e * b + 2.0 * e * b * b
            };
            let total: f64 = nodes.iter().map(work).sum();
            // S = Σ S_k is never put together for a product.
            let leaves = nodes.iter().filter(|n| n.subdomain.is_some());
            let product: f64 = leaves.map(|n| 2.0 * (rows(n) as f64).powi(2)).sum();
            print!("| {n} | {} | {topology:?} | {front} | {:.3}", n * n, 1e-6 * total);
            println!(" | {:.0} | {hops} |", total / product);
        }
    }
}

fn weak() {
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
}

fn coordination() {
    println!("\ncoordination alone: K subdomains of one rod, microseconds per iteration in one process\n");
    println!("| K | rows | flat | bisection | neighbour | dissection |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for k in [4, 16, 64, 128, 256] {
        let steps = (512 / k).max(4) as u32;
        let times = TOPOLOGIES.map(|t| {
            let (_, s) = best(k, 1, 1, steps, t);
            1e-3 * s.coordination_ns as f64 / (s.iterations + s.steps) as f64
        });
        print!("| {k} | {}", 2 * (k - 1));
        times.iter().for_each(|t| print!(" | {t:.1}"));
        println!(" |");
    }
}

fn messages() {
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

fn main() {
    let wanted = std::env::args().nth(1);
    let sections: [(&str, fn()); 4] =
        [("weak", weak), ("coordination", coordination), ("grids", grids), ("messages", messages)];
    for (name, section) in sections {
        if wanted.as_ref().is_none_or(|w| w == name) {
            section();
        }
    }
}
