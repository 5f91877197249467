//! Order 2 in positions, velocities and all multipliers with the default settings, and velocities that satisfy the constraints: several models,
//! steps of constant size and variable ones.

use crate::harness::*;
use crate::joints::{body, joint, part};
use crate::planar::*;
use geoms::gluing::port::{Function, PlanarFrame};
use geoms::gluing::{Assembly, Glued, Law, Part, Projection, Settings};
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, Options};
use geoms::system::{Outcome, System};

/// What is compared: p, v, and the multipliers and joint forces.
type Found = [Vec<f64>; 3];

/// λ of all pins in their order: those between subdomains are forces of joints.
fn pin_forces(b: &Bodies, parts: &[Vec<usize>], glued: &Glued<'_>) -> Vec<f64> {
    let part_of = |body: usize| parts.iter().position(|p| p.contains(&body)).unwrap();
    let (mut joints, mut inside) = (0, vec![0; parts.len()]);
    let mut out = Vec::new();
    for pin in &b.pins {
        let part = part_of(pin.body);
        match pin.other {
            Other::Body(other, _) if part_of(other) != part => {
                out.extend_from_slice(glued.joint_force(joints).unwrap());
                joints += 1;
            }
            _ => {
                out.extend_from_slice(&glued.state(part).unwrap()[2 * inside[part]..][..2]);
                inside[part] += 1;
            }
        }
    }
    out
}

fn found(b: &Bodies, parts: &[Vec<usize>], glued: &Glued<'_>) -> Found {
    let (v, p) = motion(glued, parts);
    [p, v, pin_forces(b, parts, glued)]
}

/// The same by Radau IIA on one model.
fn reference(b: &Bodies, tend: f64) -> Found {
    let mut model = Model::new(b.clone());
    let l = Layout::new(model.dimensions(), model.form());
    let options = Options { form: Form::Index1, mass: MassStructure::ConstantDiagonal, ..Options::default() };
    let (mut t, mut x, mut h) = (0.0, model.initial(), 1e-3);
    let tolerance = Tolerance::scalar(1e-12, 1e-12);
    let run = Integration { system: &mut model, observer: None, options: &options, tolerance: &tolerance };
    integrate(run, &mut t, &mut x, &mut h, tend, &mut geoms::stats::Stats::default()).unwrap();
    [l.x.p.of(&x).to_vec(), l.x.v.of(&x).to_vec(), l.x.lambda.of(&x).to_vec()]
}

/// Largest |gI| of all pins.
fn velocity_violation(b: &Bodies, [p, v, lambda]: &Found) -> f64 {
    let mut model = Model::new(b.clone());
    let l = Layout::new(model.dimensions(), model.form());
    let mut rda = vec![0.0; l.m];
    let x = [lambda.clone(), v.clone(), p.clone()].concat();
    assert_eq!(model.eom(0.0, &x, &mut rda), Outcome::Continue);
    l.rda.g_velocity.of(&rda).iter().fold(0.0, |m, g| f64::max(m, g.abs()))
}

fn orders(coarse: &Found, fine: &Found, exact: &Found) -> [f64; 3] {
    std::array::from_fn(|k| {
        (largest_difference(&coarse[k], &exact[k]) / largest_difference(&fine[k], &exact[k])).log2()
    })
}

/// Chains, the four-bar before and behind its singular position, springs across the interface.
#[test]
fn second_order_with_the_default_projection() {
    let models = [
        ("chain of 4", chain(4), 4, 0.3, 60, true),
        ("chain of 8", chain(8), 3, 0.3, 120, true),
        ("four-bar", four_bar(), 3, 0.2, 100, true),
        ("double pendulum", mild(), 2, 0.5, 100, false),
    ];
    for (name, b, count, tend, steps, loses) in models {
        let (parts, exact) = (b.pieces(count), reference(&b, tend));
        let errors = |project: Projection| {
            [steps, 2 * steps].map(|n| found(&b, &parts, &run(&b, &parts, fixed(project), tend, n)))
        };
        let [coarse, fine] = errors(Settings::default().project);
        let order = orders(&coarse, &fine, &exact);
        let violation = velocity_violation(&b, &fine);
        println!("{name}: orders of p, v, forces {order:.2?}, gI {violation:.1e}");
        assert!(order.iter().all(|o| (1.9..2.3).contains(o)), "{name}: {order:?}");
        assert!(violation < 1e-12, "{name}: {violation:e}");
        // The computed velocities alone have gI = O(h²); to go on from the projected ones costs the forces an order.
        let [coarse, fine] = errors(Projection::None);
        let smaller = velocity_violation(&b, &coarse) / velocity_violation(&b, &fine);
        assert!((3.5..4.5).contains(&smaller), "{name}: {smaller}");
        let [coarse, fine] = errors(Projection::Continued);
        let order = orders(&coarse, &fine, &exact);
        println!("{name}: gone on from projected velocities {order:.2?}");
        assert!(order[0] > 1.9 && (!loses || order[2] < 1.5), "{name}: {order:?}");
    }
}

/// Forces follow the tolerance, like TOL^(2/3), also where the steps change their size: without the correction by the impulses of the projection
/// they have an error O(h) wherever h changes.
#[test]
fn forces_follow_the_tolerance_with_variable_steps() {
    for (name, b, count, tend) in [
        ("chain of 4", chain(4), 4, 0.5),
        ("four-bar", four_bar(), 3, 0.2),
        ("double pendulum", mild(), 2, 2.0),
    ] {
        let (parts, exact) = (b.pieces(count), reference(&b, tend));
        let error = |tol: f64, project: Projection| {
            let settings = Settings { rtol: tol, atol: tol, project, ..Settings::default() };
            let mut glued = Glued::alone(b.cut(&parts, |_| 0, 0), settings, 0.0, 1e-3).unwrap();
            glued.integrate(tend).unwrap();
            largest_difference(&found(&b, &parts, &glued)[2], &exact[2])
        };
        let errors = [1e-4, 1e-5, 1e-6, 1e-7].map(|tol: f64| {
            let [plain, corrected] = [Projection::None, Settings::default().project].map(|p| error(tol, p));
            println!("{name} {tol:e}: error of forces {corrected:.2e}, as computed {plain:.2e}");
            assert!(corrected < plain, "{name} {tol:e}: {corrected:e} {plain:e}");
            corrected
        });
        assert!(errors[0] / errors[3] > 60.0, "{name}: {errors:?}");
    }
}

/// Forces are accurate from the first step on: without the correction they oscillate there with an error O(h).
#[test]
fn forces_of_the_first_steps() {
    let b = four_bar();
    let parts = b.pieces(3);
    let error = |project: Projection, steps: u32| {
        let mut glued =
            Glued::alone(b.cut(&parts, |_| 0, 0), fixed(project), 0.0, 0.1 / f64::from(steps)).unwrap();
        let mut worst = 0.0_f64;
        for k in 1..=10 {
            let tend = 0.01 * f64::from(k);
            glued.integrate(tend).unwrap();
            worst = worst.max(largest_difference(&found(&b, &parts, &glued)[2], &reference(&b, tend)[2]));
        }
        worst
    };
    let [plain, corrected] =
        [Projection::None, Projection::Result].map(|p| [10, 20].map(|steps| error(p, steps)));
    println!("first steps: {corrected:?}, as computed {plain:?}");
    assert!(plain[0] / plain[1] < 2.5, "{plain:?}");
    assert!(corrected[0] / corrected[1] > 3.4, "{corrected:?}");
}

/// Differences of three runs with h, h/2, h/4: the order that they show.
fn observed(make: impl Fn(f64) -> Found, h: f64) -> [f64; 3] {
    let [a, b, c] = [h, 0.5 * h, 0.25 * h].map(make);
    std::array::from_fn(|k| (largest_difference(&a[k], &b[k]) / largest_difference(&b[k], &c[k])).log2())
}

/// x of the subdomains as (p, v, multipliers) and the forces of joints.
fn gathered(glued: &Glued<'_>, layouts: &[Layout], joints: usize) -> Found {
    let mut out: Found = Default::default();
    for (k, l) in layouts.iter().enumerate() {
        let x = glued.state(k).unwrap();
        out[0].extend_from_slice(l.x.p.of(x));
        out[1].extend_from_slice(l.x.v.of(x));
        out[2].extend_from_slice(l.x.multipliers.of(x));
    }
    (0..joints).for_each(|j| out[2].extend_from_slice(glued.joint_force(j).unwrap()));
    out
}

/// A rod hangs on a port that moves with time, on another rod that is pinned to the ground.
#[test]
fn second_order_with_a_joint_that_moves_with_time() {
    let b = chain(2);
    let parts = b.pieces(2);
    let layouts: Vec<Layout> =
        parts.iter().map(|p| Model::new(b.some(p))).map(|m| Layout::new(m.dimensions(), m.form())).collect();
    let make = |h: f64| {
        let mut assembly = Assembly::new();
        for (k, at, amplitude) in [(0, 0.25, 0.1), (1, -0.25, 0.0)] {
            let mut b = b.some(&parts[k]);
            if k == 1 {
                b.v[0] = 0.3;
            }
            let model = Model::new(b);
            let x = model.initial();
            let function = move |t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]| {
                let (s, c) = p[2].sin_cos();
                y.copy_from_slice(&[p[0] + at * c + amplitude * (3.0 * t).sin(), p[1] + at * s]);
                jacobian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0, -at * s, at * c]);
                Outcome::Continue
            };
            let port = Function { size: 2, depends_on_time: amplitude > 0.0, function };
            let mass = MassStructure::ConstantDiagonal;
            assembly.subdomain(0, Some(Part::new(Box::new(model), &x).with_mass(mass).with_port(port)));
        }
        assembly.join(joint((1, 0), (0, 0), Law::coincide(2)));
        let mut glued = Glued::alone(assembly, fixed(Settings::default().project), 0.0, h).unwrap();
        glued.integrate(0.4).unwrap();
        gathered(&glued, &layouts, 1)
    };
    let order = observed(make, 0.01);
    println!("joint that moves with time: {order:.2?}");
    assert!(order.iter().all(|o| (1.8..2.3).contains(o)), "{order:?}");
}

/// A knife edge (nonholonomic) that pulls a rod; and the same joint twice.
#[test]
fn second_order_with_a_knife_edge_and_redundant_joints() {
    let knife = geoms_problems::by_name("knife-edge").unwrap();
    let l = knife.layout(Form::Index1);
    let (p, v) = (l.x.p.of(&knife.x0), l.x.v.of(&knife.x0));
    // The rod begins where the blade is, in its direction, and moves with it.
    let (s, c) = p[2].sin_cos();
    let rod = body(
        [p[0] + 0.25 * c, p[1] + 0.25 * s, p[2]],
        [v[0] - 0.25 * s * v[2], v[1] + 0.25 * c * v[2], v[2]],
        [0.5, 0.02],
        3.0,
    );
    let layouts = [l, Layout::new(Model::new(rod.clone()).dimensions(), Form::Index1)];
    for joints in [1, 2] {
        let make = |h: f64| {
            let mut assembly = Assembly::new();
            let port = PlanarFrame { body: [0, 1, 2], at: [0.0, 0.0] };
            let blade = Part::new(knife.system(Form::Index1, true), &knife.x0).with_mass(knife.mass);
            assembly.subdomain(0, Some(blade.with_port(port)));
            assembly.subdomain(0, Some(part(rod.clone(), &[[-0.25, 0.0]])));
            (0..joints).for_each(|_| {
                assembly.join(joint((1, 0), (0, 0), Law::coincide(2)));
            });
            let mut glued = Glued::alone(assembly, fixed(Settings::default().project), 0.0, h).unwrap();
            glued.integrate(1.0).unwrap();
            assert_eq!(glued.statistics().deficiency, 2 * (joints as u64 - 1));
            gathered(&glued, &layouts, joints)
        };
        let order = observed(make, 0.01);
        println!("knife edge with a rod, {joints} joints: {order:.2?}");
        assert!(order.iter().all(|o| (1.8..2.3).contains(o)), "{order:?}");
    }
}
