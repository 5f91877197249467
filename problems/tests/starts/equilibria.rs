//! Random equilibria and throws under every method and formulation. `GEOMS_EQUILIBRIA` says how many; a seed repeats.

use crate::draw::Draw;
use crate::net::{Ball, End, Net};
use crate::settings::{methods, redundant, run, FORMS};
use geoms::layout::{Form, Layout};
use geoms::norm::{Scaling, Tolerance};
use geoms::options::{MassStructure, Options};
use geoms::stats::Stats;
use geoms::system::System;
use geoms_problems::{Mechanism, Model, Options as Of};

type Build = Box<dyn Fn(Form, bool, &[f64]) -> Box<dyn System>>;

/// What is begun with and what is known of it.
struct Case {
    what: String,
    /// Builds the model.
    system: Build,
    v: Vec<f64>,
    p: Vec<f64>,
    /// p after a time.
    at: Box<dyn Fn(f64) -> Vec<f64>>,
    nl: usize,
    redundant: bool,
    /// A time of the motion.
    time: f64,
}

fn build<M: Mechanism + Clone + 'static>(mechanism: M) -> Build {
    Box::new(move |form, jacobian, x| {
        Box::new(Model::new(mechanism.clone(), Of::new(form, jacobian), 0.0, x))
    })
}

fn at_rest(what: String, net: Net, p: Vec<f64>, redundant: bool, time: f64) -> Case {
    let (nl, rest) = (net.rods.len(), p.clone());
    Case {
        what,
        system: build(net),
        v: vec![0.0; p.len()],
        p,
        at: Box::new(move |_| rest.clone()),
        nl,
        redundant,
        time,
    }
}

/// Half of the nets measure positions from where their particles rest: then p = 0.
fn place(draw: &mut Draw, points: &[[f64; 2]]) -> (Vec<[f64; 2]>, Vec<f64>) {
    if draw.below(2) == 0 {
        return (points.to_vec(), vec![0.0; 2 * points.len()]);
    }
    (vec![[0.0; 2]; points.len()], points.iter().flatten().copied().collect())
}

/// A chain that hangs along its field.
fn hanging_chain(draw: &mut Draw) -> Case {
    let n = 1 + draw.below(10);
    let (angle, size, gravity) = (draw.between(0.0, 6.3), draw.scale(1e-2, 1e2), draw.scale(0.1, 100.0));
    let (sin, cos) = angle.sin_cos();
    let anchor = [draw.between(-size, size), draw.between(-size, size)];
    let mut points = Vec::new();
    let (mut rods, mut last, mut before) = (Vec::new(), anchor, End::Fixed(anchor));
    for i in 0..n {
        let length = size * draw.between(0.3, 1.5);
        let next = [last[0] + length * sin, last[1] - length * cos];
        let exact = (next[0] - last[0]).hypot(next[1] - last[1]);
        rods.push((before, End::Particle(i), exact));
        (last, before) = (next, End::Particle(i));
        points.push(next);
    }
    let (origin, p) = place(draw, &points);
    let masses = (0..n).map(|_| draw.scale(0.1, 10.0)).collect();
    let net = Net { masses, origin, field: [gravity * sin, -gravity * cos], rods, springs: Vec::new() };
    at_rest(format!("chain of {n}"), net, p, false, (size / gravity).sqrt())
}

/// Masses on springs under each other, the first one on an anchor.
fn on_springs(draw: &mut Draw) -> Case {
    let n = 1 + draw.below(5);
    let (angle, size, gravity) = (draw.between(0.0, 6.3), draw.scale(1e-2, 1e2), draw.scale(0.1, 100.0));
    let (sin, cos) = angle.sin_cos();
    let masses: Vec<f64> = (0..n).map(|_| draw.scale(0.3, 3.0)).collect();
    let anchor = [draw.between(-size, size), draw.between(-size, size)];
    let (mut springs, mut points, mut last, mut before) =
        (Vec::new(), Vec::new(), anchor, End::Fixed(anchor));
    let soft = draw.scale(1e-4, 0.3);
    for i in 0..n {
        let below: f64 = masses[i..].iter().sum();
        let natural = size * draw.between(0.5, 1.5);
        // Extended by a part of its length.
        let stiffness = below * gravity / (soft * natural);
        let length = natural * (1.0 + soft);
        let next = [last[0] + length * sin, last[1] - length * cos];
        springs.push((before, End::Particle(i), natural, stiffness, 0.1 * (stiffness * masses[i]).sqrt()));
        (last, before) = (next, End::Particle(i));
        points.push(next);
    }
    let (origin, p) = place(draw, &points);
    let net = Net { masses, origin, field: [gravity * sin, -gravity * cos], rods: Vec::new(), springs };
    at_rest(format!("{n} on springs"), net, p, false, (size * soft / gravity).sqrt())
}

/// Particles held by more rods than are needed: nothing can move.
fn frame(draw: &mut Draw) -> Case {
    let n = 1 + draw.below(3);
    let (size, gravity, angle) = (draw.scale(1e-1, 1e1), draw.scale(0.1, 100.0), draw.between(0.0, 6.3));
    let point = |draw: &mut Draw| [draw.between(-size, size), draw.between(-size, size)];
    let points: Vec<[f64; 2]> = (0..n)
        .map(|i| {
            let q = point(draw);
            [q[0] + 3.0 * size * i as f64, q[1]]
        })
        .collect();
    let mut rods = Vec::new();
    for (i, p) in points.iter().enumerate() {
        let more = 1 + draw.below(2);
        for k in 0..2 + more {
            let direction = 2.1 * k as f64 + draw.between(-0.4, 0.4);
            let reach = size * draw.between(1.0, 2.0);
            let foot = [p[0] + reach * direction.cos(), p[1] + reach * direction.sin()];
            rods.push((End::Fixed(foot), End::Particle(i), (p[0] - foot[0]).hypot(p[1] - foot[1])));
        }
        if i > 0 {
            let q = points[i - 1];
            rods.push((End::Particle(i - 1), End::Particle(i), (p[0] - q[0]).hypot(p[1] - q[1])));
        }
    }
    let (origin, p) = place(draw, &points);
    let masses = (0..n).map(|_| draw.scale(0.3, 3.0)).collect();
    let field = [gravity * angle.sin(), -gravity * angle.cos()];
    let what = format!("frame of {n} on {} rods", rods.len());
    let net = Net { masses, origin, field, rods, springs: Vec::new() };
    at_rest(what, net, p, true, (size / gravity).sqrt())
}

/// Particles under a constant force, from the origin or elsewhere, at rest or thrown.
fn free(draw: &mut Draw) -> Case {
    let n = 1 + draw.below(3);
    let some = |draw: &mut Draw, size: f64| -> Vec<f64> {
        let zero = draw.below(2) == 0;
        (0..2 * n).map(|_| if zero { 0.0 } else { draw.between(-size, size) }).collect()
    };
    let (v, p) = (some(draw, 10.0), some(draw, 10.0));
    let field =
        if draw.below(4) == 0 { [0.0; 2] } else { [draw.between(-10.0, 10.0), draw.between(-10.0, 10.0)] };
    let masses: Vec<f64> = (0..n).map(|_| draw.scale(0.1, 10.0)).collect();
    let net = Net { masses, origin: vec![[0.0; 2]; n], field, rods: Vec::new(), springs: Vec::new() };
    let (v0, p0) = (v.clone(), p.clone());
    let at = move |t: f64| (0..2 * n).map(|i| p0[i] + t * (v0[i] + 0.5 * t * field[i % 2])).collect();
    Case {
        what: format!("{n} free"),
        system: build(net),
        v,
        p,
        at: Box::new(at),
        nl: 0,
        redundant: false,
        time: 1.0,
    }
}

/// A ball in space, at rest or thrown, without spin.
fn ball(draw: &mut Draw) -> Case {
    let some = |draw: &mut Draw| -> Vec<f64> {
        let zero = draw.below(2) == 0;
        (0..3).map(|_| if zero { 0.0 } else { draw.between(-10.0, 10.0) }).collect()
    };
    let (speed, mut p) = (some(draw), some(draw));
    let angle = draw.between(0.0, 3.0);
    let force = [0.0, draw.between(-5.0, 5.0), draw.between(-10.0, 10.0)];
    let ball = Ball { mass: draw.scale(0.1, 10.0), inertia: draw.scale(0.1, 10.0), force };
    p.extend([angle.cos(), angle.sin(), 0.0, 0.0]);
    let mut v = speed.clone();
    v.extend([0.0; 3]);
    let (p0, mass) = (p.clone(), ball.mass);
    let at = move |t: f64| {
        let mut p = p0.clone();
        (0..3).for_each(|i| p[i] += t * (speed[i] + 0.5 * t * force[i] / mass));
        p
    };
    Case {
        what: "ball".into(),
        system: build(ball),
        v,
        p,
        at: Box::new(at),
        nl: 0,
        redundant: false,
        time: 1.0,
    }
}

fn case(seed: u64) -> Case {
    let draw = &mut Draw::new(seed);
    match seed % 5 {
        0 => hanging_chain(draw),
        1 => on_springs(draw),
        2 => frame(draw),
        3 => free(draw),
        _ => ball(draw),
    }
}

/// All runs from one start: failures by name.
fn begin(seed: u64, failures: &mut Vec<String>) -> usize {
    let case = case(seed);
    let draw = &mut Draw::new(seed.wrapping_add(1 << 32));
    let mut runs = 0;
    for form in FORMS {
        let tol = [1e-3, 1e-5, 1e-7, 1e-9][draw.below(4)];
        let analytic = draw.below(3) > 0;
        let h = [0.0, 1e-4, 1.0][draw.below(3)] * case.time;
        let mut x = vec![0.0; case.nl];
        // Multipliers that are not right follow from positions and velocities.
        x.iter_mut().for_each(|l| *l = draw.between(-5.0, 5.0));
        x.extend(&case.v);
        x.extend(&case.p);
        let mut system = (case.system)(form, analytic, &x);
        let layout = Layout::new(system.dimensions(), form);
        let base = Options { form, mass: MassStructure::ConstantDiagonal, ..Options::default() };
        let scaling = Scaling::new(&Tolerance::scalar(tol, tol), layout.n);
        let stats = &mut Stats::default();
        geoms::initial::move_to_constraints(&mut *system, &layout, &base, &scaling, 0.0, &mut x, stats)
            .expect("consistent");
        for (name, options) in methods() {
            let options = Options { form, mass: MassStructure::ConstantDiagonal, ..options };
            let options = if case.redundant { redundant(options) } else { options };
            let tend = 2.0 * case.time;
            runs += 1;
            let what = || {
                format!("seed {seed}: {}, {name}, {form:?}, TOL {tol:e}, JAC {analytic}, h {h:e}", case.what)
            };
            match run(&mut *system, &options, tol, (0.0, &x, h.min(tend), tend)) {
                Err(failure) => {
                    failures.push(format!("{}: {}", what(), failure.to_string().lines().next().unwrap_or("")))
                }
                Ok((end, _)) => {
                    let size = case.p.iter().fold(1.0f64, |m, p| m.max(p.abs()));
                    let exact = (case.at)(tend);
                    let error =
                        layout.x.p.of(&end).iter().zip(&exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                    if error.is_nan() || error > 20.0 * tol * size {
                        failures.push(format!("{}: error {:.1e} TOL", what(), error / tol));
                    }
                }
            }
        }
    }
    runs
}

/// A start does not fail because forces balance, nothing moves or nothing has moved yet, and nothing moves that rests.
#[test]
fn every_method_starts_in_equilibrium() {
    let count: u64 = std::env::var("GEOMS_EQUILIBRIA").ok().and_then(|v| v.parse().ok()).unwrap_or(100);
    let (mut failures, mut runs) = (Vec::new(), 0);
    for seed in 0..count {
        runs += begin(seed, &mut failures);
    }
    println!("{count} starts, {runs} runs, {} failures", failures.len());
    assert!(
        failures.is_empty(),
        "{} of {runs}:\n{}",
        failures.len(),
        failures[..failures.len().min(60)].join("\n")
    );
}
