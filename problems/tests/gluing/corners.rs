//! What a user tries next: equilibrium, subdomains that are free or have no coordinates at all, participants without a subdomain, times far from 0.

use crate::harness::*;
use crate::joints::{body, joint, part};
use crate::planar::*;
use geoms::gluing::port::Function;
use geoms::gluing::threads::participants;
use geoms::gluing::{Assembly, Glued, Law, Part, Settings};
use geoms::layout::{Dimensions, Form};
use geoms::system::{Outcome, System};
use std::f64::consts::PI;

/// A chain that hangs straight down.
fn hanging(nb: usize) -> Bodies {
    let mut b = chain(nb);
    b.p = (0..nb).flat_map(|i| [0.0, -0.5 * (i as f64 + 0.5), -0.5 * PI]).collect();
    b
}

/// At rest it stays, the steps grow, and every joint carries what hangs on it.
#[test]
fn equilibrium() {
    let b = hanging(4);
    let parts = b.pieces(4);
    let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), Settings::default(), 0.0, 1e-3).unwrap();
    glued.integrate(100.0).unwrap();
    let (v, p) = motion(&glued, &parts);
    assert_near("p", &p, &b.p, 1e-9);
    assert_near("v", &v, &[0.0; 12], 1e-9);
    assert!(glued.statistics().steps < 40, "{:?}", glued.statistics());
    for j in 0..3 {
        let below = 9.81 * (3.0 - j as f64);
        assert_near("force", glued.joint_force(j).unwrap(), &[0.0, -below], 1e-7);
    }
}

/// A subdomain that nothing holds and nothing touches flies straight on beside the others.
#[test]
fn free_subdomain() {
    let b = chain(2);
    let parts = b.pieces(2);
    let alone = run(&b, &parts, fixed(Settings::default().project), 0.5, 100);
    let mut assembly = b.cut(&parts, |_| 0, 0);
    let free =
        assembly.subdomain(0, Some(part(body([1.0, 2.0, 0.0], [3.0, -1.0, 0.5], [2.0, 0.1], 0.0), &[])));
    let mut glued = Glued::alone(assembly, fixed(Settings::default().project), 0.0, 0.005).unwrap();
    glued.integrate(0.5).unwrap();
    assert_near("x", glued.state(free).unwrap(), &[3.0, -1.0, 0.5, 2.5, 1.5, 0.25], 1e-12);
    assert_near("p", &motion(&glued, &parts).1, &motion(&alone, &parts).1, 1e-12);
}

/// A model without any coordinates: the ground as a subdomain of its own.
struct Ground;

impl System for Ground {
    fn dimensions(&self) -> Dimensions {
        Dimensions::default()
    }
    fn form(&self) -> Form {
        Form::Index1
    }
    fn eom(&mut self, _t: f64, _x: &[f64], _rda: &mut [f64]) -> Outcome {
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], _mass: &mut [f64]) -> Outcome {
        Outcome::Continue
    }
}

/// A rod on the ground that is a subdomain moves as one that has its pin within; and on a ground that moves, as d'Alembert says.
#[test]
fn subdomain_without_coordinates() {
    let b = chain(1);
    let pinned = run(&b, &b.all(), fixed(Settings::default().project), 0.5, 100);
    let on_ground = |amplitude: f64| {
        let ground = Function {
            size: 2,
            depends_on_time: amplitude != 0.0,
            function: move |t: f64, _p: &[f64], y: &mut [f64], _jacobian: &mut [f64]| {
                y.copy_from_slice(&[0.0, amplitude * 0.5 * t * t]);
                Outcome::Continue
            },
        };
        let mut rod = b.clone();
        rod.pins.clear();
        let mut assembly = Assembly::new();
        assembly.subdomain(0, Some(Part::new(Box::new(Ground), &[]).with_port(ground)));
        assembly.subdomain(0, Some(part(rod, &[[-0.25, 0.0]])));
        assembly.join(joint((1, 0), (0, 0), Law::coincide(2)));
        let mut glued = Glued::alone(assembly, fixed(Settings::default().project), 0.0, 0.005).unwrap();
        glued.integrate(0.5).unwrap();
        glued
    };
    let glued = on_ground(0.0);
    let (found, expected) = (glued.state(1).unwrap(), pinned.state(0).unwrap());
    assert_near("v, p", found, &expected[2..], 1e-11);
    assert_near("force", glued.joint_force(0).unwrap(), &expected[..2], 1e-7);
    assert_eq!(glued.state(0).unwrap().len(), 0);
    // Ground accelerated downwards with g: there is no weight, the rod keeps its angle.
    let falling = on_ground(-9.81);
    let x = falling.state(1).unwrap();
    assert_near("angle", &[x[5], x[2]], &[0.0, 0.0], 1e-6);
    assert_near("force", falling.joint_force(0).unwrap(), &[0.0, 0.0], 1e-4);
}

/// Participants that own nothing take part: more of them than subdomains, and a gap between owners.
#[test]
fn participants_without_a_subdomain() {
    let b = chain(4);
    let parts = b.pieces(2);
    let alone = run(&b, &parts, fixed(Settings::default().project), 0.1, 20);
    let threads: Vec<_> = participants(5, std::time::Duration::from_secs(10))
        .into_iter()
        .enumerate()
        .map(|(rank, transport)| {
            let (b, parts) = (b.clone(), parts.clone());
            std::thread::spawn(move || {
                let assembly = b.cut(&parts, |k| [1, 3][k], rank);
                let settings = fixed(Settings::default().project);
                let mut glued = Glued::start(assembly, Box::new(transport), settings, 0.0, 0.005).unwrap();
                glued.integrate(0.1).unwrap();
                let x: Vec<Option<Vec<f64>>> = (0..2).map(|k| glued.state(k).map(<[f64]>::to_vec)).collect();
                (x, glued.joint_force(0).map(<[f64]>::to_vec), glued.time())
            })
        })
        .collect();
    for (rank, thread) in threads.into_iter().enumerate() {
        let (x, force, t) = thread.join().unwrap();
        assert_eq!(t, 0.1);
        for (k, owner) in [1, 3].into_iter().enumerate() {
            let expected = (rank == owner).then(|| alone.state(k).unwrap().to_vec());
            assert_eq!(x[k], expected, "participant {rank}");
        }
        let owns = rank == 1 || rank == 3;
        assert_eq!(force, owns.then(|| alone.joint_force(0).unwrap().to_vec()));
    }
}

/// Far from t = 0 steps are as long and results as good.
#[test]
fn far_from_zero() {
    let b = chain(4);
    let parts = b.pieces(4);
    let [near, far] = [0.0, 1e6].map(|t| {
        let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), Settings::default(), t, 1e-3).unwrap();
        glued.integrate(t + 0.5).unwrap();
        assert_eq!(glued.time(), t + 0.5);
        (motion(&glued, &parts).1, glued.statistics().steps)
    });
    assert_near("p", &near.0, &far.0, 1e-6);
    assert_eq!(near.1, far.1);
}

/// Nothing to do, and what is not there.
#[test]
fn one_subdomain_without_joints_and_end_at_the_start() {
    let b = chain(1);
    let mut glued = Glued::alone(b.cut(&b.all(), |_| 0, 0), Settings::default(), 0.0, 1e-3).unwrap();
    glued.integrate(0.0).unwrap();
    assert_eq!((glued.time(), glued.statistics().steps), (0.0, 0));
    assert!(glued.step(0.0).is_err() && glued.integrate(-1.0).is_err());
    glued.integrate(0.1).unwrap();
    assert_eq!(glued.joint_force(0), None);
    assert_eq!(glued.state(7), None);
}
