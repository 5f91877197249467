//! Several participants: threads must get what one process gets.

use crate::harness::*;
use crate::planar::*;
use geoms::gluing::threads::participants;
use geoms::gluing::{Glued, Settings, Statistics, Topology};
use std::time::Duration;

/// x of all subdomains and the statistics of all participants.
fn on_threads(
    b: &Bodies,
    parts: &[Vec<usize>],
    size: usize,
    settings: &Settings,
    tend: f64,
    h: f64,
) -> (Vec<Vec<f64>>, Vec<Statistics>) {
    let count = parts.len();
    let threads: Vec<_> = participants(size, Duration::from_secs(30))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            let (b, parts, settings) = (b.clone(), parts.to_vec(), settings.clone());
            std::thread::spawn(move || {
                let assembly = b.cut(&parts, |k| k * size / count, rank);
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

#[test]
fn threads_get_what_one_process_gets() {
    let b = chain(8);
    let parts = b.pieces(8);
    for topology in [Topology::Flat, Topology::Bisection, Topology::Neighbour] {
        let settings = Settings { topology, ..fixed(true) };
        let alone = run(&b, &parts, settings.clone(), 0.25, 50);
        for size in [1, 2, 3, 4, 8] {
            let (states, statistics) = on_threads(&b, &parts, size, &settings, 0.25, 0.005);
            for (k, x) in states.iter().enumerate() {
                assert_near(&format!("{topology:?} {size}"), x, alone.state(k).unwrap(), 1e-9);
                let n = x.len();
                assert_near("v, p", &x[n - 6..], &alone.state(k).unwrap()[n - 6..], 1e-12);
            }
            let interface: u64 = statistics.iter().map(|s| s.interface_doubles).sum();
            assert_eq!(interface, alone.statistics().interface_doubles, "{topology:?} {size}");
            assert_eq!(statistics[0].messages == 0, size == 1);
        }
    }
}

/// With one subdomain for each of two participants what is sent is what the formula counts, less what stays at the root.
#[test]
fn only_the_interface_is_sent() {
    let b = chain(8);
    let (_, s) = on_threads(&b, &b.pieces(2), 2, &fixed(true), 0.25, 0.005);
    let interface: u64 = s.iter().map(|s| s.interface_doubles).sum();
    let sent: u64 = s.iter().map(|s| s.doubles).sum();
    assert_eq!(2 * sent, interface);
}

/// A chain along the joints: every participant talks to its neighbours alone, whose number does not grow.
#[test]
fn neighbours_exchange_a_constant_amount() {
    let per_step = |count: usize| {
        let b = chain(count);
        let settings = Settings { topology: Topology::Neighbour, ..fixed(true) };
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
        assert_near("x", &x[x.len() - 6..], &alone.state(k).unwrap()[x.len() - 6..], 1e-10);
    }
}
