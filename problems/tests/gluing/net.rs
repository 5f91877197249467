//! A net: a grid of bodies, each a subdomain, with bars between neighbours. The joints close loops, and no cut is small.

use crate::planar::{Bodies, Model, Other, Pin};
use geoms::gluing::port::PlanarFrame;
use geoms::gluing::{Assembly, End, Joint, Law, Part};
use geoms::options::MassStructure;

/// n by n bodies at distance 1, at rest; the first one is pinned to the ground.
pub fn net<'s>(n: usize, owner: impl Fn(usize) -> usize, rank: usize) -> Assembly<'s> {
    let mut assembly = Assembly::new();
    for k in 0..n * n {
        let at = [(k % n) as f64, -((k / n) as f64)];
        let pin = Pin { body: 0, at: [0.0, 0.0], other: Other::Ground(at) };
        let body = Bodies {
            bodies: vec![[1.0, 0.1]],
            pins: if k == 0 { vec![pin] } else { Vec::new() },
            torsions: Vec::new(),
            gravity: 9.81,
            torque: 0.0,
            p: vec![at[0], at[1], 0.0],
            v: vec![0.0; 3],
        };
        let part = (owner(k) == rank).then(|| {
            let model = Model::new(body);
            let x = model.initial();
            let part = Part::new(Box::new(model), &x).with_mass(MassStructure::ConstantDiagonal);
            part.with_port(PlanarFrame { body: [0, 1, 2], at: [0.0, 0.0] })
        });
        assembly.subdomain(owner(k), part);
    }
    for joint in bars(n) {
        assembly.join(joint);
    }
    assembly
}

/// The bars.
pub fn bars(n: usize) -> Vec<Joint> {
    let bar = |a: usize, b: usize| Joint {
        ends: [a, b].map(|subdomain| End { subdomain, port: 0 }),
        law: Law::Distance { dimension: 2, length: 1.0 },
    };
    let right = (0..n * n).filter(|k| k % n + 1 < n).map(|k| bar(k, k + 1));
    right.chain((0..n * (n - 1)).map(|k| bar(k, k + n))).collect()
}
