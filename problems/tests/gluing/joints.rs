//! Joints that are not linear, redundant joints, ports given by functions.

use crate::harness::*;
use crate::planar::*;
use geoms::gluing::port::{Function, PlanarFrame};
use geoms::gluing::{Assembly, End, Glued, Joint, Law, Part, Projection, Settings, Topology};
use geoms::options::MassStructure;
use geoms::system::Outcome;

/// A free body.
pub fn body(p: [f64; 3], v: [f64; 3], mass: [f64; 2], gravity: f64) -> Bodies {
    Bodies {
        bodies: vec![mass],
        pins: Vec::new(),
        torsions: Vec::new(),
        gravity,
        torque: 0.0,
        p: p.to_vec(),
        v: v.to_vec(),
    }
}

pub fn part<'s>(b: Bodies, at: &[[f64; 2]]) -> Part<'s> {
    let model = Model::new(b);
    let x = model.initial();
    let part = Part::new(Box::new(model), &x).with_mass(MassStructure::ConstantDiagonal);
    at.iter().fold(part, |part, &at| part.with_port(PlanarFrame { body: [0, 1, 2], at }))
}

pub fn joint(a: (usize, usize), b: (usize, usize), law: Law) -> Joint {
    let end = |(subdomain, port)| End { subdomain, port };
    Joint { ends: [end(a), end(b)], law }
}

pub fn start(parts: Vec<Part<'_>>, joints: Vec<Joint>, settings: Settings, h: f64) -> Glued<'_> {
    let mut assembly = Assembly::new();
    parts.into_iter().for_each(|p| {
        assembly.subdomain(0, Some(p));
    });
    joints.into_iter().for_each(|j| {
        assembly.join(j);
    });
    Glued::alone(assembly, settings, 0.0, h).unwrap()
}

/// Two masses on a rod turn about their centre: positions and the force in the rod are known. Convergence is that of Newton's method.
#[test]
fn two_masses_on_a_rod_turn() {
    let (length, rate) = (1.2, 3.0);
    let side =
        |s: f64| body([s * 0.5 * length, 0.0, 0.0], [0.0, s * 0.5 * length * rate, 0.0], [2.0, 0.1], 0.0);
    let law = Law::Distance { dimension: 2, length };
    let make = |n: f64| {
        let mut glued = start(
            vec![part(side(1.0), &[[0.0, 0.0]]), part(side(-1.0), &[[0.0, 0.0]])],
            vec![joint((0, 0), (1, 0), law.clone())],
            fixed(Projection::Result),
            1.0 / n,
        );
        glued.integrate(1.0).unwrap();
        glued
    };
    let errors = [100.0, 200.0].map(|n| {
        let glued = make(n);
        assert!(iterations_per_step(&glued) < 4.5, "{}", iterations_per_step(&glued));
        let x = glued.state(0).unwrap();
        let (c, s) = (0.5 * length * rate.cos(), 0.5 * length * rate.sin());
        // Each mass is drawn to the other with m ω² r; -F acts on a along r_a - r_b.
        let f = glued.joint_force(0).unwrap();
        let pull = 2.0 * rate * rate * 0.5 * length;
        assert!((f[0].hypot(f[1]) - pull).abs() < 0.02 * pull, "{f:?} {pull}");
        let d = [2.0 * x[3], 2.0 * x[4]];
        assert!(f[0] * d[0] + f[1] * d[1] > 0.0);
        assert!((d[0].hypot(d[1]) - length).abs() < 1e-12, "the length is kept");
        (x[3] - c).hypot(x[4] - s)
    });
    let order = (errors[0] / errors[1]).log2();
    assert!((1.9..2.1).contains(&order), "{errors:?}");
}

/// A mass on a spring against a heavy one: the frequency of the relative motion.
#[test]
fn spring_damper_along_a_line() {
    let (k, m1, m2, rest) = (50.0, 2.0, 3.0, 1.0);
    let frequency = f64::sqrt(k * (1.0 / m1 + 1.0 / m2));
    let law = Law::SpringDamper { dimension: 2, stiffness: k, damping: 0.0, length: rest };
    let errors = [1e-2, 5e-3].map(|h| {
        let mut glued = start(
            vec![
                part(body([0.0; 3], [0.0; 3], [m1, 1.0], 0.0), &[[0.0, 0.0]]),
                part(body([1.3, 0.0, 0.0], [0.0; 3], [m2, 1.0], 0.0), &[[0.0, 0.0]]),
            ],
            vec![joint((0, 0), (1, 0), law.clone())],
            fixed(Projection::Result),
            h,
        );
        glued.integrate(1.0).unwrap();
        let distance = glued.state(1).unwrap()[3] - glued.state(0).unwrap()[3];
        assert!((glued.joint_force(0).unwrap()[0] + k * (distance - rest)).abs() < 1e-8);
        (distance - rest - 0.3 * frequency.cos()).abs()
    });
    let order = (errors[0] / errors[1]).log2();
    assert!((1.8..2.3).contains(&order), "{errors:?}");
}

/// A block slides in a slot of a turning table, both free: momentum, angular momentum and energy are kept, the slot is not left.
#[test]
fn block_in_a_slot() {
    let (direction, offset) = (0.3_f64, 0.2);
    let (s, c) = direction.sin_cos();
    // The block at 0.5 along the slot; it slides with 1 and turns with the table, 0.7.
    let (x, y) = (0.5 * c - offset * s, 0.5 * s + offset * c);
    let rate = 0.7;
    let table = body([0.0; 3], [0.0, 0.0, rate], [4.0, 0.5], 0.0);
    let block = body([x, y, 0.4], [-rate * y + c, rate * x + s, rate], [1.0, 0.05], 0.0);
    let law = Law::Prismatic { direction, offset, angle: 0.4 };
    let quantities = |states: [&[f64]; 2]| {
        let mut out = [0.0; 4];
        for (z, [m, j]) in states.iter().zip([[4.0, 0.5], [1.0, 0.05]]) {
            let (v, p) = z.split_at(3);
            out[0] += m * v[0];
            out[1] += m * v[1];
            out[2] += m * (p[0] * v[1] - p[1] * v[0]) + j * v[2];
            out[3] += 0.5 * m * (v[0] * v[0] + v[1] * v[1]) + 0.5 * j * v[2] * v[2];
        }
        out
    };
    let drift = [4e-3, 2e-3].map(|h| {
        let mut glued = start(
            vec![part(table.clone(), &[[0.0, 0.0]]), part(block.clone(), &[[0.0, 0.0]])],
            vec![joint((0, 0), (1, 0), law.clone())],
            fixed(Projection::Result),
            h,
        );
        let before = quantities([glued.state(0).unwrap(), glued.state(1).unwrap()]);
        glued.integrate(1.0).unwrap();
        let (a, b) = (glued.state(0).unwrap(), glued.state(1).unwrap());
        let after = quantities([a, b]);
        let (s, c) = (a[5] + direction).sin_cos();
        assert!(
            (-s * (b[3] - a[3]) + c * (b[4] - a[4]) - offset).abs() < 1e-11
                && (b[5] - a[5] - 0.4).abs() < 1e-11
        );
        assert!(iterations_per_step(&glued) < 4.0);
        largest_difference(&after, &before)
    });
    assert!(drift[0] < 1e-4 && drift[0] / drift[1] > 3.5, "{drift:?}");
}

/// The same revolute joint twice: the interface is singular, the motion is not, and each joint carries half.
#[test]
fn redundant_joints_share_the_force() {
    let b = chain(4);
    let parts = b.pieces(2);
    let once = run(&b, &parts, fixed(Projection::Result), 0.5, 100);
    for topology in [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Dissection] {
        let mut assembly = b.cut(&parts, |_| 0, 0);
        assembly.join(joint((1, 0), (0, 0), Law::coincide(2)));
        let mut twice =
            Glued::alone(assembly, Settings { topology, ..fixed(Projection::Result) }, 0.0, 0.005).unwrap();
        twice.integrate(0.5).unwrap();
        assert_near("p", &motion(&twice, &parts).1, &motion(&once, &parts).1, 1e-11);
        assert_eq!(twice.statistics().deficiency, 2);
        let halves: Vec<f64> = once.joint_force(0).unwrap().iter().map(|f| 0.5 * f).collect();
        assert_near("force", twice.joint_force(0).unwrap(), &halves, 1e-7);
        assert_near("force", twice.joint_force(1).unwrap(), &halves, 1e-7);
    }
}

/// A grid of bodies with bars, whose joints close nine loops: the result does not depend on the order of elimination, the bars keep their
/// lengths, and energy is kept but for O(h²).
#[test]
fn net_with_loops() {
    let swing = |topology: Topology, h: f64| {
        let settings = Settings { topology, ..fixed(Projection::Result) };
        let mut glued = Glued::alone(crate::net::net(4, |_| 0, 0), settings, 0.0, h).unwrap();
        glued.integrate(0.4).unwrap();
        glued
    };
    let states = |g: &Glued<'_>| -> Vec<f64> { (1..16).flat_map(|k| g.state(k).unwrap().to_vec()).collect() };
    let flat = swing(Topology::Flat, 0.005);
    for topology in [Topology::Bisection, Topology::Neighbour, Topology::Grouped, Topology::Dissection] {
        let other = swing(topology, 0.005);
        assert_near("v, p", &states(&other), &states(&flat), 1e-10);
        assert_eq!(other.statistics().iterations, flat.statistics().iterations, "{topology:?}");
    }
    let at = |g: &Glued<'_>, k: usize| g.state(k).map(|x| [x[x.len() - 3], x[x.len() - 2]]).unwrap();
    for bar in crate::net::bars(4) {
        let [a, b] = bar.ends.map(|e| at(&flat, e.subdomain));
        assert!(((a[0] - b[0]).hypot(a[1] - b[1]) - 1.0).abs() < 1e-12);
    }
    let energy = |g: &Glued<'_>| -> f64 {
        let of = |x: &[f64]| 0.5 * (x[0] * x[0] + x[1] * x[1] + 0.1 * x[2] * x[2]) + 9.81 * x[4];
        (0..16).map(|k| of(&g.state(k).unwrap()[if k == 0 { 2 } else { 0 }..])).sum()
    };
    let start: f64 = (0..16).map(|k| -9.81 * f64::from(k / 4)).sum();
    let drift = [0.005, 0.0025].map(|h| (energy(&swing(Topology::Dissection, h)) - start).abs());
    println!("net: energy lost {drift:?}, moved {:?}", at(&flat, 15));
    assert!(drift[0] < 1e-2 && drift[0] / drift[1] > 3.0, "{drift:?}");
}

/// A port given by a function, with differences for what it does not supply, gives what the built-in one gives.
#[test]
fn port_by_function() {
    let b = chain(2);
    let parts = b.pieces(2);
    let expected = run(&b, &parts, fixed(Projection::Result), 0.5, 100);
    let mut assembly = Assembly::new();
    for (k, at) in [(0, 0.25), (1, -0.25)] {
        let model = Model::new(b.some(&parts[k]));
        let x = model.initial();
        let function = move |_t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
            let (s, c) = p[2].sin_cos();
            y.copy_from_slice(&[p[0] + at * c, p[1] + at * s]);
            jacobian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0, -at * s, at * c]);
            Outcome::Continue
        };
        let port = Function { size: 2, depends_on_time: false, function };
        let part = Part::new(Box::new(model), &x).with_mass(MassStructure::ConstantDiagonal).with_port(port);
        assembly.subdomain(0, Some(part));
    }
    assembly.join(joint((1, 0), (0, 0), Law::coincide(2)));
    let mut glued = Glued::alone(assembly, fixed(Projection::Result), 0.0, 0.005).unwrap();
    glued.integrate(0.5).unwrap();
    assert_near("p", &motion(&glued, &parts).1, &motion(&expected, &parts).1, 1e-7);
}

/// A port that moves with time carries a body along: y = p - a sin(ωt) is held at that of a very heavy body at rest.
#[test]
fn port_that_depends_on_time() {
    let moving = |amplitude: f64| Function {
        size: 2,
        depends_on_time: true,
        function: move |t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
            y.copy_from_slice(&[p[0] - amplitude * (2.0 * t).sin(), p[1]]);
            jacobian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
            Outcome::Continue
        },
    };
    let errors = [1e-2, 5e-3].map(|h| {
        let light = part(body([0.0; 3], [0.6, 0.0, 0.0], [1.0, 1.0], 0.0), &[]).with_port(moving(0.3));
        let heavy = part(body([0.0; 3], [0.0; 3], [1e9, 1.0], 0.0), &[[0.0, 0.0]]);
        let mut glued = start(
            vec![light, heavy],
            vec![joint((0, 0), (1, 0), Law::coincide(2))],
            fixed(Projection::Result),
            h,
        );
        glued.integrate(1.0).unwrap();
        let (x, f) = (glued.state(0).unwrap(), glued.joint_force(0).unwrap());
        assert!((x[3] - 0.3 * 2.0_f64.sin()).abs() < 1e-7, "{}", x[3]);
        assert!((x[0] - 0.6 * 2.0_f64.cos()).abs() < 1e-6, "{}", x[0]);
        (f[0] - 1.2 * 2.0_f64.sin()).abs()
    });
    assert!(errors[1] < 1e-3, "{errors:?}");
}
