//! Checks of a Jacobian and of parts, ranks and forces of redundant constraints, on the problem set.
#![allow(clippy::expect_used)]

use geoms::diagnosis::*;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Of};
use geoms::norm::Tolerance;
use geoms::system::{JacobianBlocks, Outcome, Parts, System};
use geoms_problems as testset;
use std::collections::BTreeSet;

fn tolerance() -> Tolerance {
    Tolerance::scalar(1e-6, 1e-6)
}

/// A system whose JAC is spoilt in one block.
struct Spoilt<F: FnMut(&mut JacobianBlocks)>(Box<dyn System + Send>, F);

impl<F: FnMut(&mut JacobianBlocks)> System for Spoilt<F> {
    fn dimensions(&self) -> Dimensions {
        self.0.dimensions()
    }
    fn form(&self) -> Form {
        self.0.form()
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.0.eom(t, x, rda)
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.0.mass(t, x, mass)
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let outcome = self.0.jacobian(t, x, fx);
        (self.1)(fx);
        outcome
    }
}

fn spoilt(change: impl FnMut(&mut JacobianBlocks)) -> JacobianReport {
    let problem = testset::by_name("andrews").expect("problem");
    let mut x = problem.x0.clone();
    // Away from the start, where velocities vanish.
    x.iter_mut().enumerate().for_each(|(i, v)| *v += 0.01 * (i as f64 + 1.0));
    let mut system = Spoilt(problem.system(Form::StrangenessFree, true), change);
    check_jacobian(&mut system, &tolerance(), 0.0, &x).expect("report")
}

#[test]
fn a_right_jacobian_passes_on_every_problem() {
    for problem in testset::all() {
        for form in [Form::StrangenessFree, Form::Index1] {
            let mut system = problem.system(form, true);
            let report = check_jacobian(&mut *system, &tolerance(), problem.t0, &problem.x0).expect("report");
            let first = report.mismatches.first().map(|m| m.to_string());
            assert_eq!(first, None, "{} {form:?}", problem.name);
        }
    }
}

#[test]
fn mistakes_are_named() {
    let one = spoilt(|fx| fx.fx[4][3] += 1.0);
    assert_eq!((one.mismatches.len(), one.suspicions.len()), (1, 0));
    assert!(one.mismatches[0].to_string().contains("FX5: -d f_dyn(4)/d lambda(1)"), "{}", one.mismatches[0]);
    let sign = spoilt(|fx| fx.fx[2].iter_mut().for_each(|v| *v = -*v));
    assert_eq!(sign.suspicions, [(3, Suspicion::Sign)]);
    let transposed = spoilt(|fx| {
        let (m, n) = fx.shape[2];
        let old = fx.fx[2].clone();
        for i in 0..m {
            for j in 0..n {
                fx.fx[2][j + i * n] = old[i + j * m];
            }
        }
    });
    assert_eq!(transposed.suspicions, [(3, Suspicion::Transposed)]);
}

/// A pendulum that supplies parts, and may be what parts say it is not: p' = gear v, friction in λ.
struct Declared {
    gear: f64,
    friction: f64,
    form: Form,
}

impl System for Declared {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn form(&self) -> Form {
        self.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = Layout::new(self.dimensions(), self.form);
        let (lambda, v, p) = (x[0], l.x.v.of(x), l.x.p.of(x));
        l.rda.g_velocity.of_mut(rda)[0] = 2.0 * self.gear * (p[0] * v[0] + p[1] * v[1]) - 2.0 * t;
        l.rda.g.of_mut(rda)[0] = p[0] * p[0] + p[1] * p[1] - 1.0 - t * t;
        for i in 0..2 {
            let c = 2.0 * self.gear * p[i];
            l.rda.f_dyn.of_mut(rda)[i] = -9.81 * i as f64 - c * lambda - self.friction * lambda.abs() * v[i];
            l.rda.f_kin.of_mut(rda)[i] = self.gear * v[i];
        }
        // gII is not looked at.
        l.rda.g_acceleration.of_mut(rda).fill(0.0);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        let [_, v1, v2, p1, p2] = *x else { return Some(Outcome::Stop) };
        let Parts { force, mass, constraint, at_rest, velocity, position } = parts;
        force.into_iter().for_each(|f| f.copy_from_slice(&[0.0, -9.81]));
        mass.into_iter().for_each(|m| (m[0], m[3]) = (1.0, 1.0));
        let gear = self.gear;
        constraint.into_iter().for_each(|c| c.copy_from_slice(&[2.0 * gear * p1, 2.0 * gear * p2]));
        at_rest.into_iter().for_each(|r| r[0] = 2.0 * gear * (v1 * v1 + v2 * v2) - 2.0);
        velocity.into_iter().for_each(|r| r[0] = 2.0 * gear * (p1 * v1 + p2 * v2) - 2.0 * t);
        position.into_iter().for_each(|r| r[0] = p1 * p1 + p2 * p2 - 1.0 - t * t);
        Some(Outcome::Continue)
    }
}

#[test]
fn what_parts_say_of_the_model_is_checked() {
    let x = [1.5, 0.3, -0.4, 0.6, -0.8];
    for form in [Form::StrangenessFree, Form::Index1] {
        let check = |gear, friction| {
            let mut system = Declared { gear, friction, form };
            let found = check_parts(&mut system, &tolerance(), 0.5, &x).expect("checked").expect("parts");
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(check(1.0, 0.0), Vec::<String>::new());
        let geared = check(2.0, 0.0);
        // γ follows p' = v, which is what PARTS are for.
        assert_eq!(geared.len(), 3, "{geared:?}");
        let named = ["gamma(1)", "f_kin(1)", "f_kin(2)"];
        assert!(geared.iter().zip(named).all(|(finding, name)| finding.contains(name)), "{geared:?}");
        let rubbing = check(1.0, 0.25);
        assert_eq!(rubbing.len(), 2, "{rubbing:?}");
        assert!(rubbing[0].contains("d f_dyn(1)/d lambda(1)"), "{rubbing:?}");
    }
    let none = testset::by_name("andrews").expect("problem");
    let mut system = none.system(Form::StrangenessFree, true);
    assert_eq!(check_parts(&mut *system, &tolerance(), 0.0, &none.x0).expect("checked"), None);
}

#[test]
fn dependent_constraints_are_named() {
    let problem = testset::by_name("coupler").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let report = rank_report(&mut *system, &tolerance(), 0.0, &problem.x0).expect("report");
    assert_eq!((report.position, report.velocity), ((3, 2), (3, 2)));
    let names: Vec<String> = report.dependent[0].iter().map(ToString::to_string).collect();
    assert_eq!(names, ["g(1)", "g(2)", "g(3)"]);
    let regular = testset::by_name("andrews").expect("problem");
    let mut system = regular.system(Form::StrangenessFree, false);
    let report = rank_report(&mut *system, &tolerance(), 0.0, &regular.x0).expect("report");
    assert!(report.dependent.is_empty() && report.smallest > 1e-4, "{report:?}");
}

#[test]
fn forces_do_not_depend_on_undetermined_multipliers() {
    let problem = testset::by_name("coupler").expect("problem");
    let mut system = problem.system(Form::StrangenessFree, true);
    let mut x = problem.x0.clone();
    let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
    constraint_forces(&mut *system, &tolerance(), 0.0, &x, &mut a).expect("forces");
    // (1, -2, 1) is the direction that the three links leave open.
    x.iter_mut().zip([5.0, -10.0, 5.0]).for_each(|(x, d)| *x += d);
    constraint_forces(&mut *system, &tolerance(), 0.0, &x, &mut b).expect("forces");
    // At rest the links carry the part of the weight along them: m g cos 60° in the direction of the links.
    let (weight, cos) = (2.0 * 9.81, 0.5);
    let expected = [weight * cos * problem.x0[6], weight * cos * problem.x0[7], 0.0];
    for k in 0..3 {
        assert!((a[k] - b[k]).abs() < 1e-12 && (a[k] - expected[k]).abs() < 1e-9, "{a:?} {b:?} {expected:?}");
    }
}

/// A planar four-bar of bodies in space, joined by four hinges of five rows each; only the `kept` rows. A body has its place and
/// three angles, turned about x, y, z in this order.
struct SpatialFourBar {
    kept: Vec<usize>,
}

const BARS: [f64; 3] = [1.0, 2.5, 1.8];
const GROUND: f64 = 2.6;

impl SpatialFourBar {
    /// A point of a body, or a direction (`place` = 0).
    fn carried<T: Real>(p: &[T], place: f64, u: [f64; 3]) -> [T; 3] {
        let (sin, cos) = ([p[3].sin(), p[4].sin(), p[5].sin()], [p[3].cos(), p[4].cos(), p[5].cos()]);
        let [x, y, z] = u.map(T::real);
        let (y, z) = (cos[0] * y - sin[0] * z, sin[0] * y + cos[0] * z);
        let (x, z) = (cos[1] * x + sin[1] * z, cos[1] * z - sin[1] * x);
        let (x, y) = (cos[2] * x - sin[2] * y, sin[2] * x + cos[2] * y);
        [x + p[0] * place, y + p[1] * place, z + p[2] * place]
    }

    fn rows<T: Real>(p: &[T]) -> Vec<T> {
        let ground = [0.0; 6].map(T::real);
        // Hinge: two bodies, the point in each.
        let body = |i: usize| if i == 0 { &ground[..] } else { &p[6 * (i - 1)..6 * i] };
        let half = |i: usize| 0.5 * BARS[i - 1];
        let hinges = [
            (0, [0.0; 3], 1, [-half(1), 0.0, 0.0]),
            (1, [half(1), 0.0, 0.0], 2, [-half(2), 0.0, 0.0]),
            (2, [half(2), 0.0, 0.0], 3, [-half(3), 0.0, 0.0]),
            (3, [half(3), 0.0, 0.0], 0, [GROUND, 0.0, 0.0]),
        ];
        let mut rows = Vec::new();
        for (i, a, j, b) in hinges {
            let (from, to) = (Self::carried(body(i), 1.0, a), Self::carried(body(j), 1.0, b));
            (0..3).for_each(|k| rows.push(from[k] - to[k]));
            let axis = Self::carried(body(j), 0.0, [0.0, 0.0, 1.0]);
            for across in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
                let across = Self::carried(body(i), 0.0, across);
                rows.push(axis[0] * across[0] + axis[1] * across[1] + axis[2] * across[2]);
            }
        }
        rows
    }

    /// Closed in the plane, the first bar turned by 1.
    fn start(&self) -> Vec<f64> {
        let [a, b, c] = BARS;
        let end = [a * 1f64.cos(), a * 1f64.sin()];
        let (dx, dy) = (GROUND - end[0], -end[1]);
        let distance = dx.hypot(dy);
        let second = dy.atan2(dx) + ((b * b + distance * distance - c * c) / (2.0 * b * distance)).acos();
        let knee = [end[0] + b * second.cos(), end[1] + b * second.sin()];
        let third = (-knee[1]).atan2(GROUND - knee[0]);
        let middle = |from: [f64; 2], to: [f64; 2], angle: f64| {
            [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.0, 0.0, 0.0, angle]
        };
        let p = [middle([0.0; 2], end, 1.0), middle(end, knee, second), middle(knee, [GROUND, 0.0], third)];
        [vec![0.0; self.kept.len() + 18], p.concat()].concat()
    }
}

impl Mechanism for SpatialFourBar {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 18, nv: 18, nl: self.kept.len(), ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..18).for_each(|i| m[19 * i] = T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let rows = Self::rows(p);
        g.iter_mut().zip(&self.kept).for_each(|(g, k)| *g = rows[*k]);
    }
}

/// Twenty rows of rank 17: each group says something of its own, and without what they name the rest is independent.
#[test]
fn the_rows_that_are_named_can_be_dropped() {
    let ranks = |bar: SpatialFourBar| {
        let x = bar.start();
        let mut model = Model::new(bar, Of::new(Form::StrangenessFree, true), 0.0, &x);
        rank_report(&mut model, &tolerance(), 0.0, &x).expect("report")
    };
    let whole = ranks(SpatialFourBar { kept: (0..20).collect() });
    assert_eq!((whole.position, whole.velocity), ((20, 17), (20, 17)));
    // Three groups of each level.
    let groups: BTreeSet<String> = whole.dependent.iter().map(|g| format!("{g:?}")).collect();
    assert_eq!(groups.len(), 6, "{groups:?}");
    let dropped: BTreeSet<usize> =
        whole.droppable.iter().filter(|n| n.block == "g").map(|n| n.number - 1).collect();
    assert_eq!(dropped.len(), 3, "{:?}", whole.droppable);
    let rest = ranks(SpatialFourBar { kept: (0..20).filter(|k| !dropped.contains(k)).collect() });
    assert_eq!((rest.position, rest.velocity), ((17, 17), (17, 17)));
    assert!(rest.dependent.is_empty());
}
