//! Slips in what a model supplies beside its rows: parts and patterns.

use geoms::check::{check_model, Slip};
use geoms::integrate::{integrate_and_warn, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{JacobianBlocks, Outcome, Parts, Sparsity, System};
use geoms_problems::{self as testset};

const FREE: Form = Form::StrangenessFree;
const MODELS: [&str; 4] = ["pendulum-2.8", "andrews", "car-axis", "chain-10"];

/// One of the six parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Force,
    Mass,
    Matrix,
    AtRest,
    Velocity,
    Position,
}

/// A slip in it: what a part becomes.
#[derive(Clone, Copy, Debug)]
struct Wrong(Part, f64);

/// A model that supplies parts, taken from its rows, and a pattern.
struct Supplying {
    inner: Box<dyn System + Send>,
    l: Layout,
    parts: bool,
    wrong: Option<Wrong>,
    pattern: Option<Sparsity>,
    unit: Unit,
}

/// Units of mass and length in which the model is written: all of p counts as lengths, and g is one.
#[derive(Clone, Copy, Debug)]
struct Unit {
    mass: f64,
    length: f64,
}

const SI: Unit = Unit { mass: 1.0, length: 1.0 };

impl Supplying {
    fn new(name: &str, form: Form, jacobian: bool) -> Self {
        let inner = testset::by_name(name).expect(name).system(form, jacobian);
        let l = Layout::new(inner.dimensions(), form);
        Supplying { inner, l, parts: false, wrong: None, pattern: None, unit: SI }
    }

    /// A point of the problem in the units of the model.
    fn in_units(&self, x: &[f64]) -> Vec<f64> {
        let (l, Unit { mass, length }) = (self.l, self.unit);
        let mut y: Vec<f64> = x.iter().map(|x| x * length).collect();
        l.x.multipliers.of_mut(&mut y).iter_mut().for_each(|m| *m *= mass);
        y
    }

    /// The same tolerance in these units for everything.
    fn tolerance(&self, tol: f64) -> Tolerance {
        let n = self.l.n;
        Tolerance { rtol: vec![tol; n], atol: self.in_units(&vec![tol; n]) }
    }

    fn rows(&mut self, t: f64, x: &[f64]) -> Vec<f64> {
        let (l, Unit { mass, length }) = (self.l, self.unit);
        let mut y: Vec<f64> = x.iter().map(|x| x / length).collect();
        l.x.multipliers.of_mut(&mut y).iter_mut().for_each(|m| *m /= mass);
        let mut rda = vec![0.0; l.m];
        let _ = self.inner.eom(t, &y, &mut rda);
        rda.iter_mut().for_each(|r| *r *= length);
        l.rda.f_dyn.of_mut(&mut rda).iter_mut().for_each(|f| *f *= mass);
        rda
    }

    /// C, from differences in v, which (gI, h) are linear in.
    fn matrix(&mut self, t: f64, x: &[f64], c: &mut [f64]) {
        let (l, first) = (self.l, self.l.rda.g_velocity.start);
        let (nc, mut y) = (l.dims.nl + l.dims.nm, x.to_vec());
        l.x.v.of_mut(&mut y).fill(0.0);
        let rest = self.rows(t, &y);
        for j in 0..l.dims.nv {
            y[l.x.v.start + j] = 1.0;
            let moved = self.rows(t, &y);
            y[l.x.v.start + j] = 0.0;
            (0..nc).for_each(|i| c[i + j * nc] = moved[first + i] - rest[first + i]);
        }
    }

    /// The rates of (gI, h) along p' = v, by differences of fourth order.
    fn gamma(&mut self, t: f64, x: &[f64]) -> Vec<f64> {
        let (l, first, tau, length) = (self.l, self.l.rda.g_velocity.start, 1e-3, self.unit.length);
        let mut at = |step: f64| {
            let mut y = x.to_vec();
            let v = l.x.v.of(x).to_vec();
            l.x.p.of_mut(&mut y).iter_mut().zip(&v).for_each(|(p, v)| *p += step * v);
            self.rows(t + step, &y)
        };
        // A fast mechanism turns far in a millisecond.
        let tau = tau / x.iter().fold(1.0f64, |m, v| m.max(v.abs() / length));
        let (a, b, c, d) = (at(tau), at(-tau), at(2.0 * tau), at(-2.0 * tau));
        let of = |i: usize| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * tau);
        (first..l.rda.h.end).map(of).collect()
    }
}

impl System for Supplying {
    geoms_problems::pass_on!(has_jacobian, jacobian);

    fn dimensions(&self) -> Dimensions {
        self.l.dims
    }
    fn form(&self) -> Form {
        self.l.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        rda.copy_from_slice(&self.rows(t, x));
        Outcome::Continue
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let y: Vec<f64> = x.iter().map(|x| x / self.unit.length).collect();
        let outcome = self.inner.mass(t, &y, mass);
        mass.iter_mut().for_each(|m| *m *= self.unit.mass);
        outcome
    }
    fn sparsity(&self) -> Option<&Sparsity> {
        self.pattern.as_ref()
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        if !self.parts {
            return None;
        }
        let (l, wrong) = (self.l, self.wrong);
        let spoil = |part: Part, values: &mut [f64]| {
            if let Some(Wrong(_, factor)) = wrong.filter(|w| w.0 == part) {
                values.iter_mut().for_each(|v| *v *= factor);
            }
        };
        let mut free = x.to_vec();
        l.x.multipliers.of_mut(&mut free).fill(0.0);
        let rows = self.rows(t, &free);
        let Parts { force, mass, constraint, at_rest, velocity, position } = parts;
        if let Some(to) = force {
            to.copy_from_slice(l.rda.f_dyn.of(&rows));
            spoil(Part::Force, to);
        }
        if let Some(to) = mass {
            let _ = self.mass(t, x, to);
            spoil(Part::Mass, to);
        }
        if let Some(to) = constraint {
            self.matrix(t, &free, to);
            spoil(Part::Matrix, to);
        }
        if let Some(to) = at_rest {
            to.copy_from_slice(&self.gamma(t, &free));
            spoil(Part::AtRest, to);
        }
        if let Some(to) = velocity {
            to.copy_from_slice(&rows[l.rda.g_velocity.start..l.rda.h.end]);
            spoil(Part::Velocity, to);
        }
        if let Some(to) = position {
            to.copy_from_slice(l.rda.g.of(&rows));
            spoil(Part::Position, to);
        }
        Some(Outcome::Continue)
    }
}

/// Each part with a wrong sign, forgotten, doubled; and what its name contains.
const SLIPS: [(Wrong, &str); 12] = [
    (Wrong(Part::Force, -1.0), "f_dyn("),
    (Wrong(Part::Force, 0.0), "f_dyn("),
    (Wrong(Part::Mass, 2.0), "M("),
    (Wrong(Part::Mass, 0.5), "M("),
    (Wrong(Part::Matrix, -1.0), "C("),
    (Wrong(Part::Matrix, 2.0), "C("),
    (Wrong(Part::AtRest, -1.0), "gamma("),
    (Wrong(Part::AtRest, 0.0), "gamma("),
    (Wrong(Part::Velocity, -1.0), "gI("),
    (Wrong(Part::Velocity, 2.0), "gI("),
    (Wrong(Part::Position, -1.0), "g("),
    (Wrong(Part::Position, 2.0), "g("),
];

fn report(system: &mut Supplying, name: &str) -> geoms::check::Report {
    let problem = testset::by_name(name).expect(name);
    let options = Options { mass: problem.mass, form: system.l.form, ..Options::default() };
    let x = system.in_units(&problem.x0);
    let tolerance = system.tolerance(1e-6);
    check_model(system, &options, &tolerance, problem.t0, &x).expect(name)
}

/// Whatever the units.
#[test]
fn slips_in_parts_are_named() {
    let (mut missed, mut slips) = (Vec::new(), 0);
    let units = [SI, Unit { mass: 1e-12, length: 1e-6 }, Unit { mass: 1e6, length: 1e3 }];
    for (name, unit) in MODELS.into_iter().flat_map(|name| units.map(|unit| (name, unit))) {
        let mut system = Supplying { parts: true, unit, ..Supplying::new(name, FREE, false) };
        let right = report(&mut system, name);
        assert!(right.findings.is_empty(), "{name} {unit:?}: {right}");
        for (wrong, part) in SLIPS {
            system.wrong = Some(wrong);
            let found = report(&mut system, name);
            let named = found.findings.first().is_some_and(|f| f.what.starts_with(&format!("PARTS: {part}")));
            slips += 1;
            if !named {
                missed.push(format!("{name} {unit:?} {wrong:?}: {found}"));
            }
        }
    }
    println!("{slips} slips in parts");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// A run with default checks: its end, if it has one, and what it was warned of.
fn run(system: &mut Supplying, name: &str, method: MethodKind) -> (Option<Vec<f64>>, Vec<String>) {
    let problem = testset::by_name(name).expect(name);
    let options =
        Options { method, mass: problem.mass, form: system.l.form, nmax: 2000, ..Options::default() };
    let tolerance = Tolerance::scalar(TOL, TOL);
    let (mut t, mut x, mut h, mut warnings) = (problem.t0, problem.x0.clone(), 0.0, Vec::new());
    let integration = Integration { system, observer: None, options: &options, tolerance: &tolerance };
    let mut warn = |text: &str| warnings.push(text.to_string());
    let tend = problem.tend.min(problem.t0 + 0.5);
    let ended =
        integrate_and_warn(integration, &mut t, &mut x, &mut h, tend, &mut Stats::default(), &mut warn);
    (ended.is_ok().then_some(x), warnings)
}

const TOL: f64 = 1e-6;

/// Methods that ask for parts take their word for it: none of their default runs ends elsewhere in silence.
#[test]
fn no_slip_in_parts_changes_the_motion_in_silence() {
    use MethodKind::{Automatic, ByModel, HalfExplicit, RosenbrockNystroem};
    let (mut silent, mut warned, mut failed, mut harmless) = (Vec::new(), 0, 0, 0);
    for (name, form) in MODELS.iter().flat_map(|name| [(*name, FREE), (*name, Form::Index1)]) {
        for method in [HalfExplicit, RosenbrockNystroem, Automatic, ByModel] {
            let mut system = Supplying { parts: true, ..Supplying::new(name, form, true) };
            let (right, warnings) = run(&mut system, name, method);
            let right = right.expect(name);
            assert!(warnings.is_empty(), "{name} {form:?} {method:?}: {warnings:?}");
            for (wrong, part) in SLIPS {
                system.wrong = Some(wrong);
                let (end, warnings) = run(&mut system, name, method);
                let told = warnings.iter().any(|w| w.contains("PARTS: ") && w.contains(part));
                let Some(end) = end else {
                    failed += 1;
                    continue;
                };
                let p = system.l.x.p;
                let pairs = p.of(&end).iter().zip(p.of(&right));
                let off = pairs.fold(0.0f64, |m, (a, b)| m.max((a - b).abs() / (1.0 + b.abs())));
                match (off > 100.0 * TOL, told) {
                    (true, false) => {
                        let off = off / TOL;
                        silent.push(format!(
                            "{name} {form:?} {method:?} {wrong:?}: {off:.0e} TOL {warnings:?}"
                        ));
                    }
                    (true, true) => warned += 1,
                    (false, _) => harmless += 1,
                }
            }
        }
    }
    println!("wrong parts: {warned} warned, {failed} failed, {harmless} without effect on the motion");
    assert!(silent.is_empty() && warned > 20, "{}", silent.join("\n"));
}

/// The whole pattern of a model at some points.
fn whole(system: &mut Supplying, t: f64, x: &[f64]) -> Sparsity {
    let l = system.l;
    let all = |m: usize, n: usize| (0..m * n).map(|k| ((k % m) as u32, (k / m) as u32)).collect::<Vec<_>>();
    let (mut fx, mut mass) = (JacobianBlocks::new(&l), vec![0.0; l.dims.nv * l.dims.nv]);
    let _ = (system.inner.jacobian(t, x, &mut fx), system.inner.mass(t, x, &mut mass));
    let blocks: [Vec<(u32, u32)>; 6] = std::array::from_fn(|b| all(fx.shape[b].0, fx.shape[b].1));
    Sparsity { mass: all(l.dims.nv, l.dims.nv), fx: blocks }
}

#[test]
fn entries_outside_of_a_pattern_are_named() {
    let mut planted = 0;
    for name in MODELS {
        let problem = testset::by_name(name).expect(name);
        let mut system = Supplying::new(name, FREE, true);
        let declared = whole(&mut system, problem.t0, &problem.x0);
        let l = system.l;
        let mut fx = JacobianBlocks::new(&l);
        let _ = system.inner.jacobian(problem.t0, &problem.x0, &mut fx);
        system.pattern = Some(declared.clone());
        let right = report(&mut system, name);
        assert!(right.findings.is_empty(), "{name}: {right}");
        let mut named = |pattern: Sparsity, what: &str| {
            system.pattern = Some(pattern);
            let found = report(&mut system, name);
            let first = found.findings.first();
            let right =
                first.is_some_and(|f| f.slip == Some(Slip::OutsidePattern) && f.what.starts_with(what));
            assert!(right, "{name} {what}: {found}");
            planted += 1;
        };
        let mut pattern = declared.clone();
        pattern.mass.retain(|e| *e != (0, 0));
        named(pattern, "M(1,1)");
        for b in 0..6 {
            let m = fx.shape[b].0;
            let Some(k) = fx.fx[b].iter().position(|v| *v != 0.0) else { continue };
            let mut pattern = declared.clone();
            pattern.fx[b].retain(|e| *e != ((k % m) as u32, (k / m) as u32));
            named(pattern, &format!("FX{}: ", b + 1));
        }
    }
    println!("{planted} entries outside of a pattern");
}
