//! Checks of the derived rows: total derivatives in time, virtual work, Lagrange's equations.

use super::tests::{check_jacobian, eom, noise};
use super::*;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::mechanism::dual::{solve_in_place, Dual, Real};
use geoms::system::{Outcome, System};

/// A mechanism with every kind of variable, all of it depending on time, and Z ≠ I.
#[derive(Clone, Copy, Debug)]
struct Everything;

impl Mechanism for Everything {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 5, nv: 4, nr: 1, nw: 1, ns: 1, nl: 1, nm: 1, ni: 1 }
    }
    fn mass<T: Real>(&self, t: T, p: &[T], m: &mut [T]) {
        for i in 0..4 {
            m[5 * i] = p[i].sq() + t.sin() * 0.1 + 2.0;
        }
        m[1] = p[2].sin() * 0.3;
        m[4] = m[1];
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = x.r[0] - x.w[0] * x.v[1];
        f[1] = x.s[0] * x.p[4] + t.cos();
        f[2] = x.v[0] * x.v[3];
        f[3] = -x.p[3].exp();
    }
    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        pdot[..4].copy_from_slice(v);
        pdot[0] = v[0] + p[1] * v[1];
        pdot[4] = p[4] * v[2] - p[0] * v[3];
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], s: &[T], g: &mut [T]) {
        g[0] = p[0] * p[1] + s[0].sq() * p[4] + (t * p[2]).sin();
    }
    fn nonholonomic<T: Real>(&self, t: T, p: &[T], v: &[T], s: &[T], h: &mut [T]) {
        h[0] = v[2] * p[3] - v[0] * s[0] * t + t.sq() * p[1];
    }
    fn contact<T: Real>(&self, t: T, p: &[T], s: &[T], c: &mut [T]) {
        c[0] = s[0].powi(3) + s[0] - p[3] * t.cos() - p[1];
    }
    fn auxiliary<T: Real>(&self, t: T, x: &Blocks<'_, T>, d: &mut [T]) {
        d[0] = x.w[0] + x.w[0].powi(3) - x.lambda[0] * x.mu[0] - t;
    }
    fn force_element<T: Real>(&self, t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        b[0] = x.v[0] * x.s[0] - x.r[0] * x.w[0] + t + x.lambda[0];
    }
    fn invariants<T: Real>(&self, t: T, p: &[T], v: &[T], s: &[T], e: &mut [T]) {
        e[0] = p[0] * v[1].sq() + t * s[0];
    }
}

fn everything() -> Problem {
    let x0 = (0..14).map(|i| 0.5 + noise(3 * i)).collect();
    Problem::of_mechanism("everything", "", Everything, 1.0, x0)
}

/// A point near the initial values, the multipliers moved too.
fn perturbed(problem: &Problem) -> Vec<f64> {
    problem.x0.iter().enumerate().map(|(i, v)| v + 0.02 * v.abs().max(1.0) * noise(7 * i)).collect()
}

/// Solve c(p, s, t) = 0 for the one contact variable.
fn settle_contact(system: &mut dyn System, t: f64, x: &mut [f64]) {
    let layout = Layout::new(system.dimensions(), system.form());
    if layout.dims.ns == 0 {
        return;
    }
    let (s, row) = (layout.x.s.start, layout.rda.c.start);
    for _ in 0..20 {
        let c = eom(system, t, x)[row];
        x[s] += 1e-5;
        let above = eom(system, t, x)[row];
        x[s] -= 1e-5;
        x[s] -= c * 1e-5 / (above - c);
    }
}

#[test]
fn a_mechanism_with_everything_has_an_exact_jacobian() {
    let problem = everything();
    for form in [Form::StrangenessFree, Form::Index1] {
        check_jacobian(&problem, form, 0.4, &problem.x0);
    }
}

/// gI, gII and hI are the derivatives of g, gI and h along p' = Zv, M v' = f_dyn, c = 0.
#[test]
fn higher_levels_are_total_time_derivatives() {
    let list: Vec<Problem> =
        all().into_iter().chain([everything()]).filter(|p| p.name != "singular-mass").collect();
    for problem in list {
        let mut system = problem.system(Form::StrangenessFree, true);
        let layout = problem.layout(Form::StrangenessFree);
        let (t, h, nv) = (0.4, 1e-4, layout.dims.nv);
        let mut x = perturbed(&problem);
        settle_contact(system.as_mut(), t, &mut x);
        let rda = eom(system.as_mut(), t, &x);
        let mut mass = vec![0.0; nv * nv];
        assert_eq!(system.mass(t, &x, &mut mass), Outcome::Continue);
        let mut vdot = layout.rda.f_dyn.of(&rda).to_vec();
        solve_in_place(nv, &mut mass, &mut vdot);
        // Large accelerations ask for a shorter way.
        let h = h / vdot.iter().fold(1.0, |a: f64, b| a.max(b.abs())).sqrt();
        let mut ahead = |step: f64| {
            let mut y = x.clone();
            for (v, a) in layout.x.v.of_mut(&mut y).iter_mut().zip(&vdot) {
                *v += step * a;
            }
            for (p, a) in layout.x.p.of_mut(&mut y).iter_mut().zip(layout.rda.f_kin.of(&rda)) {
                *p += step * a;
            }
            settle_contact(system.as_mut(), t + step, &mut y);
            eom(system.as_mut(), t + step, &y)
        };
        let (lo, hi) = (ahead(-h), ahead(h));
        let r = &layout.rda;
        for (low, high) in [(r.g, r.g_velocity), (r.g_velocity, r.g_acceleration), (r.h, r.h_acceleration)] {
            for (i, j) in low.range().zip(high.range()) {
                let difference = (hi[i] - lo[i]) / (2.0 * h);
                let size = vdot.iter().chain(&x).fold(1.0, |a: f64, b| a.max(b.abs()));
                assert!(
                    (difference - rda[j]).abs() < 1e-6 * size,
                    "{} {}: {} against {difference}",
                    problem.name,
                    layout.residual_name(j),
                    rda[j]
                );
            }
        }
    }
}

/// The constraint forces do the work λ·gI + μ·h on every virtual velocity.
#[test]
fn constraint_forces_are_those_of_virtual_work() {
    for problem in all().into_iter().chain([everything()]) {
        let mut system = problem.system(Form::Index1, true);
        let layout = problem.layout(Form::Index1);
        let x = perturbed(&problem);
        let base = eom(system.as_mut(), 0.4, &x);
        for (k, row) in layout.x.multipliers.range().zip(layout.rda.g_velocity.start..) {
            let mut y = x.clone();
            y[k] += 1.0;
            let loaded = eom(system.as_mut(), 0.4, &y);
            for (j, f) in layout.x.v.range().zip(layout.rda.f_dyn.range()) {
                let mut z = x.clone();
                z[j] += 1.0;
                let moved = eom(system.as_mut(), 0.4, &z);
                let (force, work) = (loaded[f] - base[f], base[row] - moved[row]);
                assert!((force - work).abs() < 1e-10 * base[f].abs().max(1.0), "{} {k} {j}", problem.name);
            }
        }
    }
}

/// Energies whose Lagrangian gives the forces of a mechanism.
trait Lagrangian {
    fn value<T: Real>(&self, q: &[T], v: &[T]) -> T;
}

/// L = vᵀMv - E for a mechanism with the energy E as its invariant.
struct OfEnergy<M>(M);

impl<M: Mechanism> Lagrangian for OfEnergy<M> {
    fn value<T: Real>(&self, q: &[T], v: &[T]) -> T {
        let n = v.len();
        let mut m = vec![T::zero(); n * n];
        let mut e = [T::zero()];
        self.0.mass(T::zero(), q, &mut m);
        self.0.invariants(T::zero(), q, v, &[], &mut e);
        (0..n * n).fold(-e[0], |sum, k| sum + m[k] * v[k / n] * v[k % n])
    }
}

/// Kinetic energy of the relative four-bar from the velocities of its bodies.
struct OfBodies;

impl Lagrangian for OfBodies {
    fn value<T: Real>(&self, q: &[T], v: &[T]) -> T {
        let (lengths, masses, inertias) = ([1.0, 2.0, 1.0], [10.0, 20.0, 10.0], [1.0, 2.0, 1.0]);
        let (mut angle, mut rate, mut tip) = (T::zero(), T::zero(), [T::zero(); 2]);
        let mut energy = T::zero();
        for i in 0..3 {
            angle += q[i];
            rate += v[i];
            let along = [-(angle.sin() * rate), angle.cos() * rate];
            let centre = [tip[0] + along[0] * (0.5 * lengths[i]), tip[1] + along[1] * (0.5 * lengths[i])];
            energy += (centre[0].sq() + centre[1].sq()) * (0.5 * masses[i]) + rate.sq() * (0.5 * inertias[i]);
            tip = [tip[0] + along[0] * lengths[i], tip[1] + along[1] * lengths[i]];
        }
        energy
    }
}

/// M and f of a mechanism with p' = v against d/dt ∂L/∂v - ∂L/∂q = 0.
fn check_lagrange(name: &str, lagrangian: &impl Lagrangian, mechanism: &impl Mechanism) {
    type D = Dual<Dual<f64>>;
    let n = mechanism.dimensions().nv;
    let (q, v): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (0.4 + noise(i), 3.0 * noise(i + 31))).unzip();
    // Derivatives along (dq, dv), inner, and in one outer coordinate.
    let second = |inner: (&[f64], &[f64]), outer: (Option<usize>, Option<usize>)| {
        let unit = |on: bool| if on { 1.0 } else { 0.0 };
        let lift = |value: &[f64], slope: &[f64], which: Option<usize>| -> Vec<D> {
            (0..n)
                .map(|i| D::new(Dual::new(value[i], slope[i]), Dual::constant(unit(which == Some(i)))))
                .collect()
        };
        lagrangian.value(&lift(&q, inner.0, outer.0), &lift(&v, inner.1, outer.1)).d
    };
    let zero = vec![0.0; n];
    let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
    mechanism.mass(0.0, &q, &mut mass);
    let x = Blocks { w: &[], lambda: &[], mu: &[], r: &[], v: &v[..], s: &[], p: &q[..] };
    mechanism.force(0.0, &x, &mut force);
    for i in 0..n {
        let expected = second((&zero, &zero), (Some(i), None)).v - second((&v, &zero), (None, Some(i))).d;
        let size = force.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        assert!((force[i] - expected).abs() < 1e-12 * size, "{name} f({i}): {} against {expected}", force[i]);
        for j in 0..n {
            let unit: Vec<f64> = (0..n).map(|k| if k == j { 1.0 } else { 0.0 }).collect();
            let expected = second((&zero, &unit), (None, Some(i))).d;
            let entry = mass[i + j * n];
            assert!(
                (entry - expected).abs() < 1e-12 * mass[i + i * n],
                "{name} M({i},{j}): {entry} against {expected}"
            );
        }
    }
}

#[test]
fn masses_and_forces_follow_from_lagrangians() {
    let disk = nonholonomic::LeaningDisk { radius: 0.5, gravity: 9.81, inclination: 1.0, yaw: 4.0 };
    check_lagrange("leaning-disk", &OfEnergy(disk), &disk);
    check_lagrange("andrews", &OfEnergy(andrews::Andrews), &andrews::Andrews);
    check_lagrange(
        "andrews-bodies",
        &OfEnergy(andrews_bodies::AndrewsBodies),
        &andrews_bodies::AndrewsBodies,
    );
    check_lagrange("bricard", &OfEnergy(bricard::Bricard), &bricard::Bricard);
    let chain = chain::Chain::of_unit_length(3);
    check_lagrange("chain", &OfEnergy(chain), &chain);
    let spring = stiff_spring::StiffSpring { stiffness: 1e4, rest: 0.5, rate: 2.0 };
    check_lagrange("stiff-spring", &OfEnergy(spring), &spring);
    let bars = four_bar::NaturalFourBar { n: 3 };
    check_lagrange("n-four-bar", &OfEnergy(bars), &bars);
    let pendulum = double_pendulum::DoublePendulum;
    check_lagrange("double-pendulum", &OfEnergy(pendulum), &pendulum);
    check_lagrange("four-bar-relative", &OfBodies, &four_bar::RelativeFourBar);
}
