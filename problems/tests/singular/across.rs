//! Rows and variables of every kind in critical steps, events and invariants across the position.

use crate::mechanisms::{Crank, Parallelogram};
use geoms::decompose::DecompositionKind;
use geoms::events::{RootFunctions, Rule};
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Order};
use geoms::solver::Solver;
use geoms::system::Outcome;
use geoms_problems::trial::drive;

const METHODS: [MethodKind; 4] =
    [MethodKind::Radau, MethodKind::HalfExplicit, MethodKind::Automatic, MethodKind::Hht];

fn options(method: MethodKind) -> Options {
    let (mass, check) = (MassStructure::ConstantFull, CheckLevel::Off);
    Options { method, mass, check, consistent: true, nmax: 1_000_000, ..Options::default() }
}

fn bars() -> Parallelogram {
    Parallelogram::plain(1.0, 1.5, 0.3, [1.0, 0.7, 1.4])
}

/// The first time after `after` at which the crank has turned to θ, by bisection; it turns one way.
fn time_of(crank: &Crank, start: [f64; 2], theta: f64, span: f64) -> f64 {
    let (mut low, mut high) = (0.0, span);
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        let passed = (crank.swing(start, middle)[0] - theta) * start[1].signum() > 0.0;
        *(if passed { &mut high } else { &mut low }) = middle;
    }
    low
}

/// The cross product of crank and ground, which is zero where the constraints lose rank, and the height of B_0 less a half.
struct Collinear(Parallelogram, usize);

impl RootFunctions for Collinear {
    fn count(&self) -> usize {
        2
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        let (bars, p) = (&self.0, &x[self.1..]);
        values[0] = p[0] * bars.angle.sin() - p[1] * bars.angle.cos();
        values[1] = p[1] - 0.5;
        Outcome::Continue
    }
}

/// Events before, in and behind the position: found at their times; one that ends the run in it lets it go on.
#[test]
fn events_lie_in_it_and_around_it() {
    let (bars, start) = (bars(), [1.3, -6.0]);
    let (crank, x0) = (bars.crank(), bars.state(start[0], start[1]));
    let before = time_of(&crank, start, 0.5f64.asin(), 1.0);
    let inside = time_of(&crank, start, bars.angle, 1.0);
    let end = crank.swing(start, 1.0);
    let exact = bars.state(end[0], end[1]);
    for (method, terminal) in METHODS.into_iter().flat_map(|method| [(method, false), (method, true)]) {
        let options = options(method);
        let tol = if method == MethodKind::Hht { 1e-6 } else { 1e-8 };
        let bound = if method == MethodKind::Hht { 5e-3 } else { 1e-5 };
        let mut system = bars.model(Form::StrangenessFree, true, &x0);
        let tolerance = Tolerance::scalar(tol, tol);
        let mut solver = Solver::start(&mut *system, &options, &tolerance, (0.0, &x0, 0.0)).expect("start");
        let mut roots = Collinear(bars, 7);
        let rules = [Rule { terminal, ..Rule::default() }, Rule::default()];
        solver.watch(&mut roots, &rules, 0.0).expect("watch");
        let mut times = Vec::new();
        while solver.t() < 1.0 {
            let hit = solver.advance(&mut *system, None, Some(&mut roots), 1.0).expect("step");
            times.extend(solver.events().iter().map(|hit| (hit.index, hit.t)));
            assert_eq!(hit.is_some(), terminal && times.last().is_some_and(|last| last.1 == solver.t()));
        }
        let found = |index: usize| times.iter().filter(move |hit| hit.0 == index).map(|hit| hit.1);
        let (height, position): (Vec<f64>, Vec<f64>) = (found(1).collect(), found(0).collect());
        println!("{method:?} terminal {terminal}: {times:?}");
        assert!((height[0] - before).abs() < bound, "{method:?}: {height:?} {before}");
        assert!((position[0] - inside).abs() < bound, "{method:?}: {position:?} {inside}");
        let error = (3..11).fold(0.0f64, |m, i| m.max((solver.x()[i] - exact[i]).abs()));
        assert!(error < 10.0 * bound, "{method:?} terminal {terminal}: {error:e}");
    }
}

/// The energy is imposed in all but the critical steps, and the run ends with that of its start.
#[test]
fn invariants_hold_behind_it() {
    let (bars, start, tend) = (bars(), [1.3, -6.0], 3.0);
    let (crank, x0) = (bars.crank(), bars.state(start[0], start[1]));
    let end = crank.swing(start, tend);
    let exact = bars.state(end[0], end[1]);
    let energy = |x: &[f64]| {
        let mut e = [0.0];
        bars.invariants(0.0, &x[7..11], &x[3..7], &[], &mut e);
        e[0]
    };
    for order in [Order::Five, Order::Nine, Order::Thirteen, Order::Automatic] {
        for tol in [1e-4, 1e-6] {
            let options = Options { order, ..options(MethodKind::Radau) };
            let presented = Presented { invariants: true, ..Presented::new(Form::StrangenessFree, true) };
            let mut model = Model::new(bars, presented, 0.0, &x0);
            let run =
                drive(&mut model, &options, &Tolerance::scalar(tol, tol), (0.0, &x0, 0.0, tend), |_| {})
                    .good("with energy");
            let error = (3..11).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()));
            let change = (energy(&run.x) - energy(&x0)).abs();
            println!("{order:?} {tol:e}: error {error:.1e} energy {change:.1e}");
            assert!(run.stats.critical_steps > 0 && error < 30.0 * tol.powf(5.0 / 6.0), "{order:?}: {error}");
            assert!(change < 10.0 * tol, "{order:?} {tol:e}: {change}");
        }
    }
}

/// The parallelogram with the square of p1 as a contact variable, a wheel that the crank drives by a nonholonomic row, a spring
/// whose stretch is an auxiliary variable, and a force element that follows p1.
#[derive(Clone, Copy, Debug)]
struct Everything {
    bars: Parallelogram,
    wheel: f64,
    ratio: f64,
}

impl Everything {
    /// The equation of θ: the wheel adds to the inertia.
    fn crank(&self) -> Crank {
        let crank = self.bars.crank();
        Crank { inertia: crank.inertia + self.wheel * self.ratio.powi(2), ..crank }
    }

    /// x = (w, λ, μ, r, v, s, p).
    fn state(&self, theta: f64, rate: f64) -> Vec<f64> {
        let plain = self.bars.state(theta, rate);
        let (v, p) = plain[3..].split_at(4);
        let mut x = vec![p[1] - self.bars.spring.1[1], 0.0, 0.0, 0.0, 0.0, p[0]];
        x.extend(v);
        x.push(self.ratio * rate);
        x.push(p[0] * p[0]);
        x.extend(p);
        x.push(self.ratio * theta);
        x
    }
}

impl Mechanism for Everything {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 5, nv: 5, nl: 3, nm: 1, ns: 1, nw: 1, nr: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, t: T, p: &[T], m: &mut [T]) {
        let mut inner = [T::real(0.0); 16];
        self.bars.mass(t, &p[..4], &mut inner);
        for (k, value) in inner.into_iter().enumerate() {
            m[k % 4 + 5 * (k / 4)] = value;
        }
        m[24] = T::real(self.wheel);
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let without = Parallelogram { spring: (0.0, [0.0; 2]), ..self.bars };
        let inner = Blocks { v: &x.v[..4], p: &x.p[..4], ..*x };
        without.force(t, &inner, &mut f[..4]);
        let (k, s) = self.bars.spring;
        f[0] = f[0] - (x.r[0] - s[0]) * k;
        f[1] = f[1] - x.w[0] * k;
    }
    fn auxiliary<T: Real>(&self, _t: T, x: &Blocks<'_, T>, d: &mut [T]) {
        d[0] = x.w[0] - x.p[1] + self.bars.spring.1[1];
    }
    fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        b[0] = x.v[0];
    }
    fn contact<T: Real>(&self, _t: T, p: &[T], s: &[T], c: &mut [T]) {
        c[0] = s[0] - p[0].sq();
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], s: &[T], g: &mut [T]) {
        self.bars.holonomic(t, &p[..4], &[], g);
        g[0] = s[0] + p[1].sq() - self.bars.r * self.bars.r;
    }
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        let turning = (p[0] * v[1] - p[1] * v[0]) * (self.ratio / (self.bars.r * self.bars.r));
        h[0] = v[4] - turning;
    }
}

#[test]
fn rows_of_every_kind_go_through() {
    let bars = Parallelogram { spring: (20.0, [0.5, 0.8]), damping: 0.3, ..bars() };
    let all = Everything { bars, wheel: 0.4, ratio: 1.7 };
    let (start, tend) = ([1.0, 9.0], 3.0);
    let x0 = all.state(start[0], start[1]);
    let end = all.crank().swing(start, tend);
    let exact = all.state(end[0], end[1]);
    let kinds = [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd];
    let mut bad = Vec::new();
    for (method, order) in [
        (MethodKind::Radau, Order::Five),
        (MethodKind::Radau, Order::Nine),
        (MethodKind::Radau, Order::Thirteen),
        (MethodKind::Radau, Order::Automatic),
        (MethodKind::HalfExplicit, Order::Nine),
        (MethodKind::Automatic, Order::Nine),
        (MethodKind::Hht, Order::Nine),
    ] {
        for (form, kind, tol) in [Form::StrangenessFree, Form::Index1].into_iter().flat_map(|form| {
            kinds.into_iter().flat_map(move |kind| [1e-4, 1e-6].map(|tol| (form, kind, tol)))
        }) {
            let hht = method == MethodKind::Hht;
            // Method 4 has w by gII and hI only.
            if hht && tol < 1e-5 || method == MethodKind::HalfExplicit && form == Form::Index1 {
                continue;
            }
            let options = Options { order, form, decompose_constraints: kind, ..options(method) };
            let mut model = Model::new(all, Presented::new(form, true), 0.0, &x0);
            let run =
                drive(&mut model, &options, &Tolerance::scalar(tol, tol), (0.0, &x0, 0.0, tend), |_| {});
            let what = format!("{method:?} {order:?} {form:?} {kind:?} {tol:e}");
            if let Err(failure) = &run.result {
                bad.push(format!("{what}: {}", failure.to_string().replace('\n', ";")));
                continue;
            }
            // All but the multipliers: w, r, v, s, p.
            let counts = |i: &usize| !(1..5).contains(i);
            let error =
                (0..exact.len()).filter(counts).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()));
            println!("{what}: error {error:.1e} critical {}", run.stats.critical_steps);
            let bound = if hht { 500.0 * tol.powf(2.0 / 3.0) } else { 30.0 * tol.powf(5.0 / 6.0) };
            let passed = run.stats.critical_steps > 0 || method != MethodKind::Radau;
            if error > bound || !passed {
                bad.push(format!("{what}: {error:.1e}, {} critical steps", run.stats.critical_steps));
            }
        }
    }
    assert!(bad.is_empty(), "{} of them:\n{}", bad.len(), bad.join("\n"));
}
