//! Several participants: threads must get what one process gets.

use crate::harness::*;
use crate::planar::*;
use geoms::gluing::threads::participants;
use geoms::gluing::{Glued, Projection, Settings, Statistics, Topology};
use std::time::Duration;

type Found = (Vec<Vec<f64>>, Vec<Statistics>);

/// x of all subdomains and the statistics of all participants.
fn on_threads(
    b: &Bodies,
    parts: &[Vec<usize>],
    size: usize,
    settings: &Settings,
    tend: f64,
    h: f64,
) -> Found {
    let count = parts.len();
    spread(b, parts, (size, move |k| k * size / count), settings, tend, h)
}

/// The same with subdomain k at `owner(k)`.
fn spread(
    b: &Bodies,
    parts: &[Vec<usize>],
    (size, owner): (usize, impl Fn(usize) -> usize + Copy + Send + 'static),
    settings: &Settings,
    tend: f64,
    h: f64,
) -> Found {
    let count = parts.len();
    let threads: Vec<_> = participants(size, Duration::from_secs(30))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            let (b, parts, settings) = (b.clone(), parts.to_vec(), settings.clone());
            std::thread::spawn(move || {
                let assembly = b.cut(&parts, owner, rank);
                let mut glued = Glued::start(assembly, Box::new(transport), settings, 0.0, h).unwrap();
                glued.integrate(tend).unwrap();
                let mine: Vec<(usize, Vec<f64>)> =
                    (0..count).filter_map(|k| glued.state(k).map(|x| (k, x.to_vec()))).collect();
                (mine, glued.statistics())
            })
        })
        .collect();
    let mut states = vec![Vec::new(); count];
    let mut statistics = Vec::new();
    for thread in threads {
        let (mine, s) = thread.join().unwrap();
        mine.into_iter().for_each(|(k, x)| states[k] = x);
        statistics.push(s);
    }
    (states, statistics)
}

/// Bit for bit, whoever has which subdomain, except where the order of elimination depends on it.
#[test]
fn threads_get_what_one_process_gets() {
    let b = chain(8);
    let parts = b.pieces(8);
    for topology in
        [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Grouped, Topology::Dissection]
    {
        let settings = Settings { topology, ..fixed(Projection::Result) };
        let alone = run(&b, &parts, settings.clone(), 0.25, 50);
        for size in [1, 2, 3, 4, 8] {
            let (states, statistics) = on_threads(&b, &parts, size, &settings, 0.25, 0.005);
            for (k, x) in states.iter().enumerate() {
                let (n, expected) = (x.len(), alone.state(k).unwrap());
                if topology == Topology::Grouped {
                    assert_near("lambda", &x[..n - 6], &expected[..n - 6], 1e-9);
                    assert_near("v, p", &x[n - 6..], &expected[n - 6..], 1e-12);
                } else {
                    assert_eq!(x, expected, "{topology:?} {size}");
                }
            }
            let interface: u64 = statistics.iter().map(|s| s.interface_doubles).sum();
            if topology == Topology::Grouped {
                // Round-off may decide about an iteration: as many numbers as the formula says for those that were made.
                let rows = |k: u64| 2 * (u64::from(k > 0) + u64::from(k < 7));
                let (matrix, vector): (u64, u64) =
                    ((0..8).map(|k| rows(k).pow(2)).sum(), (0..8).map(|k| 2 * rows(k)).sum());
                let s = statistics[0];
                assert_eq!(
                    interface,
                    (s.refreshes + s.steps) * matrix + (s.iterations + s.steps) * vector,
                    "{size}"
                );
            } else {
                assert_eq!(interface, alone.statistics().interface_doubles, "{topology:?} {size}");
            }
            assert_eq!(statistics[0].messages == 0, size == 1);
        }
    }
}

/// Branching, and with owners in no order at all: messages to one participant then come from many nodes of the tree.
#[test]
fn owners_in_any_order() {
    let mut b = chain(13);
    for i in 1..13 {
        let parent = (i - 1) / 2;
        b.pins[i].other = Other::Body(parent, [0.25, 0.0]);
        b.p[3 * i] = b.p[3 * parent] + 0.5;
    }
    let parts = b.pieces(13);
    for topology in
        [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Grouped, Topology::Dissection]
    {
        let settings = Settings { topology, ..fixed(Projection::Result) };
        let alone = run(&b, &parts, settings.clone(), 0.1, 20);
        for (size, factor) in [(2, 1), (3, 2), (5, 2), (5, 3), (13, 5)] {
            let owner = move |k: usize| (k * factor + 1) % size;
            let (states, _) = spread(&b, &parts, (size, owner), &settings, 0.1, 0.005);
            for (k, x) in states.iter().enumerate() {
                let (n, expected) = (x.len(), alone.state(k).unwrap());
                assert_near("v, p", &x[n - 6..], &expected[n - 6..], 1e-12);
                assert!(topology == Topology::Grouped || x == expected, "{topology:?} {size} {factor}");
            }
        }
    }
}

/// With one subdomain for each of two participants what is sent is what the formula counts, less what stays at the root.
#[test]
fn only_the_interface_is_sent() {
    let b = chain(8);
    let (_, s) = on_threads(&b, &b.pieces(2), 2, &fixed(Projection::Result), 0.25, 0.005);
    let interface: u64 = s.iter().map(|s| s.interface_doubles).sum();
    let sent: u64 = s.iter().map(|s| s.doubles).sum();
    assert_eq!(2 * sent, interface);
}

/// A chain along the joints: every participant talks to its neighbours alone, whose number does not grow.
#[test]
fn neighbours_exchange_a_constant_amount() {
    let per_step = |count: usize| {
        let b = chain(count);
        let settings = Settings { topology: Topology::Neighbour, ..fixed(Projection::Result) };
        let (_, s) = on_threads(&b, &b.pieces(count), count, &settings, 0.05, 0.005);
        s.iter().map(|s| s.doubles as f64 / s.iterations as f64).fold(0.0, f64::max)
    };
    let (eight, sixteen) = (per_step(8), per_step(16));
    assert!(sixteen <= eight * 1.05, "{eight} {sixteen}");
}

/// Variable steps and events are the same for everybody.
#[test]
fn variable_steps_on_threads() {
    let b = mild();
    let parts = b.pieces(2);
    let settings = Settings { rtol: 1e-6, atol: 1e-6, ..Settings::default() };
    let mut alone = Glued::alone(b.cut(&parts, |_| 0, 0), settings.clone(), 0.0, 1e-3).unwrap();
    alone.integrate(2.0).unwrap();
    let (states, s) = on_threads(&b, &parts, 2, &settings, 2.0, 1e-3);
    assert_eq!(s[0].steps, alone.statistics().steps);
    assert_eq!(s[1].steps, s[0].steps);
    for (k, x) in states.iter().enumerate() {
        assert_eq!(x, alone.state(k).unwrap());
    }
}
