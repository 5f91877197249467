//! Method 4: constraints to rounding, tolerances, dense output, parts, redundant constraints, what it refuses and what it
//! reports. What all methods have in common is in suite/.
#![allow(clippy::expect_used, clippy::panic)]

use geoms::decompose::DecompositionKind;
use geoms::error::Code;
use geoms::integrate::{integrate, Integration};
use geoms::layout::{Block, Dimensions, Form, Layout};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model};
use geoms::norm::Tolerance;
use geoms::options::{MethodKind, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Observer, Outcome, Parts, System};
use geoms_problems::trial::{drive, problem, Run};
use geoms_problems::{self as testset, Problem};

fn options(problem: &Problem) -> Options {
    let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
    Options {
        method: MethodKind::HalfExplicit,
        mass: problem.mass,
        decompose_constraints: kind,
        nmax: 1_000_000,
        ..Options::of_call()
    }
}

fn run_system(
    system: &mut dyn System,
    observer: Option<&mut dyn Observer>,
    options: &Options,
    tol: f64,
    (problem, h, tend): (&Problem, f64, f64),
) -> Run {
    // Without an observer the polynomial of a step is not asked for.
    let Some(observer) = observer else {
        let (t, x, tolerance) = (problem.t0, problem.x0.clone(), Tolerance::scalar(tol, tol));
        let mut run = Run { result: Ok(()), t, x, h, stats: Stats::default() };
        let silent = Integration { system, observer: None, options, tolerance: &tolerance };
        run.result = integrate(silent, &mut run.t, &mut run.x, &mut run.h, tend, &mut run.stats);
        return run;
    };
    let start = (problem.t0, &problem.x0[..], h, tend);
    drive(system, options, &Tolerance::scalar(tol, tol), start, |step| {
        let _ = observer.accepted(step);
    })
}

fn run(problem: &Problem, options: &Options, tol: f64, h: f64) -> Run {
    let mut system = problem.system(options.form, true);
    run_system(&mut *system, None, options, tol, (problem, h, problem.tend))
}

/// Largest error of a block, relative to its size or 1.
fn error(known: &[(usize, f64)], x: &[f64], block: Block) -> f64 {
    let known: Vec<_> = known.iter().filter(|(i, _)| block.contains(*i)).collect();
    let size = known.iter().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
    known.iter().fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs())) / size
}

/// All problems on which the method has to come to the end.
fn nonstiff() -> Vec<Problem> {
    let stiff = ["stiff-spring-1e6", "stiff-spring-1e8", "double-pendulum-stiff", "pendulum-horizontal"];
    let mut all = testset::all();
    all.retain(|p| !p.rank_deficient && !stiff.contains(&p.name.as_str()) && p.dimensions.nv < 60);
    all
}

#[test]
fn constraints_hold_to_rounding_at_every_accepted_point() {
    let mut points = 0;
    for problem in nonstiff() {
        for (form, tol) in
            [(Form::StrangenessFree, 1e-5), (Form::StrangenessFree, 1e-9), (Form::Index1, 1e-6)]
        {
            let mut other = problem.system(form, true);
            let l = Layout::new(other.dimensions(), form);
            let (mut rda, mut fx) = (vec![0.0; l.m], JacobianBlocks::new(&l));
            let mut observer = |step: &AcceptedStep<'_>| {
                if step.naccpt == 0 {
                    return Outcome::Continue;
                }
                points += 1;
                let _ = other.eom(step.t, step.x, &mut rda);
                fx.clear();
                let _ = other.jacobian(step.t, step.x, &mut fx);
                // What rounding of x alone leaves in a row: ε Σ |∂row/∂x_j| |x_j|.
                let noise = |row: usize| -> f64 {
                    let position = l.fx_position();
                    let k = (0..6).find(|&k| position[k].0.contains(row)).expect("a row of FX");
                    let (m, n) = fx.shape[k];
                    let (block, first) = position[k];
                    (0..n)
                        .map(|j| (fx.fx[k][row - block.start + j * m] * step.x[first + j]).abs())
                        .sum::<f64>()
                        * f64::EPSILON
                };
                for block in [l.rda.g, l.rda.g_velocity, l.rda.h, l.rda.c] {
                    for row in block.range() {
                        let bound = 50.0 * noise(row) + 1e-15;
                        assert!(
                            rda[row].abs() < bound,
                            "{} {form:?} {}: {:e} > {bound:e}",
                            problem.name,
                            l.residual_name(row),
                            rda[row]
                        );
                    }
                }
                // The multipliers belong to a point that differs by the last, tiny correction of v.
                for row in l.rda.rows1.range() {
                    let bound = 1e-3 * f64::max(tol, 1e-9) * (noise(row) / f64::EPSILON) + 1e-12;
                    assert!(
                        rda[row].abs() < bound,
                        "{} {}: {:e} > {bound:e}",
                        problem.name,
                        l.residual_name(row),
                        rda[row]
                    );
                }
                Outcome::Continue
            };
            let mut system = problem.system(form, true);
            let options = Options { form, ..options(&problem) };
            let run =
                run_system(&mut *system, Some(&mut observer), &options, tol, (&problem, 0.0, problem.tend));
            match run.result {
                Ok(()) => {}
                // w, s or friction without gII; redundant constraints without gII.
                Err(f) => {
                    assert!(form == Form::Index1 && f.code == Code::BadArgument, "{}: {f}", problem.name)
                }
            }
        }
    }
    println!("count: method 4: constraints hold at {points} accepted points");
    assert!(points > 5000);
}

#[test]
fn errors_follow_the_tolerance() {
    for problem in nonstiff() {
        let Some(known) = problem.at_end() else { continue };
        let l = problem.layout(Form::StrangenessFree);
        let mut last = f64::INFINITY;
        for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
            let run = run(&problem, &options(&problem), tol, 0.0);
            run.result.unwrap_or_else(|f| panic!("{} {tol:e}: {f}", problem.name));
            let worst = error(&known, &run.x, l.x.p).max(error(&known, &run.x, l.x.v));
            // Printed references of some problems have 10 or 11 digits.
            assert!(
                worst < 1e4 * tol && (worst < 0.3 * last || worst < 2e-9),
                "{} {tol:e}: {worst:e}",
                problem.name
            );
            last = worst;
        }
    }
}

#[test]
fn dense_output_is_as_good_as_the_points() {
    for name in ["leaning-disk", "maxwell-element", "pendulum-rotating", "upright-disk", "rotating-rod"] {
        let problem = problem(name);
        let Some(exact) = problem.exact.clone() else { continue };
        let l = problem.layout(Form::StrangenessFree);
        for (tol, factor, algebraic) in [(1e-5, 300.0, 3e4), (1e-9, 300.0, 3e5)] {
            let (mut worst, mut worst_algebraic) = (0.0f64, 0.0f64);
            let mut at_points: f64 = tol;
            let mut observer = |step: &AcceptedStep<'_>| {
                if step.naccpt > 0 {
                    for part in [0.0, 0.15, 0.37, 0.5, 0.71, 0.93, 1.0] {
                        let t = step.t_old + part * (step.t - step.t_old);
                        let mut x = vec![0.0; l.n];
                        step.dense.all(t, &mut x);
                        let known: Vec<_> = exact(t).into_iter().enumerate().collect();
                        let e = [l.x.r, l.x.v, l.x.p]
                            .map(|b| error(&known, &x, b))
                            .into_iter()
                            .fold(0.0, f64::max);
                        worst = worst.max(e);
                        if part == 1.0 {
                            at_points = at_points.max(e);
                            assert!(
                                x.iter().zip(step.x).all(|(a, b)| a == b),
                                "{name}: the end is the point"
                            );
                        }
                        let scale =
                            1.0 + l.x.multipliers.of(step.x).iter().fold(0.0f64, |m, v| m.max(v.abs()));
                        let difference = known.iter().filter(|(i, _)| l.x.multipliers.contains(*i));
                        worst_algebraic =
                            difference.fold(worst_algebraic, |m, (i, v)| m.max((x[*i] - v).abs() / scale));
                    }
                }
                Outcome::Continue
            };
            let mut system = problem.system(Form::StrangenessFree, true);
            let run = run_system(
                &mut *system,
                Some(&mut observer),
                &options(&problem),
                tol,
                (&problem, 0.0, problem.tend),
            );
            run.result.unwrap_or_else(|f| panic!("{name}: {f}"));
            println!(
                "{name} {tol:e}: {at_points:.1e} at points, {worst:.1e} between, λ {worst_algebraic:.1e}"
            );
            assert!(worst < factor * at_points, "{name} {tol:e}: {worst:e} against {at_points:e}");
            assert!(worst_algebraic < algebraic * tol, "{name} {tol:e}: {worst_algebraic:e}");
        }
    }
}

/// Supplies the parts that are asked for, and does odd things on request.
struct Made {
    inner: Box<dyn System + Send>,
    layout: Layout,
    fx: JacobianBlocks,
    supplied: bool,
    calls: u64,
    /// Answer or number at this call of EOM.
    trouble: Option<(u64, Outcome, f64)>,
}

impl Made {
    fn new(problem: &Problem) -> Self {
        let inner = problem.system(Form::StrangenessFree, true);
        let layout = Layout::new(inner.dimensions(), Form::StrangenessFree);
        Made { inner, layout, fx: JacobianBlocks::new(&layout), supplied: true, calls: 0, trouble: None }
    }
}

impl System for Made {
    geoms_problems::pass_on!(dimensions, mass, jacobian);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.calls += 1;
        let outcome = self.inner.eom(t, x, rda);
        match self.trouble {
            Some((at, answer, number)) if at == self.calls => {
                rda[0] += number;
                answer
            }
            _ => outcome,
        }
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        if !self.supplied {
            return None;
        }
        if parts.force.is_none() && parts.constraint.is_none() && parts.position.is_none() {
            return Some(Outcome::Continue);
        }
        let l = self.layout;
        let mut at = x.to_vec();
        l.x.multipliers.of_mut(&mut at).fill(0.0);
        let mut rda = vec![0.0; l.m];
        let outcome = self.eom(t, &at, &mut rda);
        self.fx.clear();
        let _ = self.inner.jacobian(t, &at, &mut self.fx);
        let (nv, m, m2, fx2) = (l.dims.nv, l.dims.nl + l.dims.nm, l.m2(), &self.fx.fx[1]);
        let rows = l.rda.g_velocity.start..l.rda.h.end;
        if let Some(mass) = parts.mass {
            let _ = self.inner.mass(t, &at, mass);
        }
        if let Some(c) = parts.constraint {
            for (c, fx) in c.chunks_exact_mut(m).zip(fx2.chunks_exact(m2)) {
                c.iter_mut().zip(fx).for_each(|(c, fx)| *c = -fx);
            }
        }
        if let Some(at_rest) = parts.at_rest {
            // All of these problems are autonomous: the rate of (gI, h) with p moving alone.
            at_rest.fill(0.0);
            for (fx, v) in fx2[nv * m2..].chunks_exact(m2).zip(l.x.v.of(x)) {
                at_rest.iter_mut().zip(fx).for_each(|(rate, fx)| *rate -= fx * v);
            }
        }
        for (part, rows) in
            [(parts.force, l.rda.f_dyn.range()), (parts.velocity, rows), (parts.position, l.rda.g.range())]
        {
            if let Some(part) = part {
                // What was put into the rows as trouble is put into every part.
                part.copy_from_slice(&rda[rows]);
                part[0] += 0.0 * rda[0];
            }
        }
        Some(outcome)
    }
}

#[test]
fn supplied_parts_change_only_the_cost() {
    for name in [
        "andrews",
        "pendulum-2.8",
        "leaning-disk",
        "top-nutating",
        "maxwell-element",
        "singular-mass",
        "bricard",
    ] {
        let problem = problem(name);
        let runs = [true, false].map(|supplied| {
            let mut system = Made { supplied, ..Made::new(&problem) };
            let run = run_system(&mut system, None, &options(&problem), 1e-8, (&problem, 0.0, problem.tend));
            run.result.unwrap_or_else(|f| panic!("{name}: {f}"));
            run.x
        });
        let size = runs[0].iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let difference = runs[0].iter().zip(&runs[1]).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(difference < 1e-6 * size, "{name}: {difference:e}");
        // All constraints of the point, those of the accelerations with its multipliers too.
        let l = problem.layout(Form::StrangenessFree);
        let (mut made, mut rda) = (Made::new(&problem), vec![0.0; l.m]);
        let _ = made.inner.eom(problem.tend, &runs[0], &mut rda);
        for (block, bound) in [(l.rda.g, 1e-14), (l.rda.g_velocity, 1e-13), (l.rda.h, 1e-13)] {
            let worst = block.of(&rda).iter().fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(worst < bound * size, "{name}: {worst:e} for {size:e}");
        }
    }
}

#[test]
fn redundant_constraints_keep_the_order_and_have_multipliers_of_least_norm() {
    let problem = problem("bricard");
    let (known, l) = (problem.at_end().expect("known"), problem.layout(Form::StrangenessFree));
    for (tol, n, order) in [(1e-4, 30, 4.6), (1e-8, 15, 7.2)] {
        let errors = [n, 2 * n].map(|n| {
            let options = Options { fixed_step: true, ..options(&problem) };
            let run = run(&problem, &options, tol, (problem.tend - problem.t0) / f64::from(n));
            run.result.unwrap_or_else(|f| panic!("{f}"));
            // The force of least norm has no part along the dependence of the constraints: G^T n = 0.
            let mut system = problem.system(Form::StrangenessFree, true);
            let mut fx = JacobianBlocks::new(&l);
            let _ = system.jacobian(problem.tend, &run.x, &mut fx);
            let (m2, m) = (l.m2(), l.dims.nl);
            let gram = |x: &[f64]| -> Vec<f64> {
                // G G^T x.
                let mut out = vec![0.0; m];
                for column in fx.fx[1].chunks_exact(m2).take(l.dims.nv) {
                    let along: f64 = column.iter().zip(x).map(|(g, x)| g * x).sum();
                    out.iter_mut().zip(column).for_each(|(o, g)| *o += g * along);
                }
                out
            };
            // What repeated products with 1 - G G^T/size leave is the dependence.
            let size = fx.fx[1].iter().map(|g| g * g).sum::<f64>();
            let mut null = vec![1.0, 0.3, -0.7, 0.2, 0.9];
            for _ in 0..20_000 {
                let product = gram(&null);
                null.iter_mut().zip(&product).for_each(|(x, p)| *x -= p / size);
            }
            let norm = null.iter().map(|v| v * v).sum::<f64>().sqrt();
            let lambda = l.x.multipliers.of(&run.x);
            let along: f64 = lambda.iter().zip(&null).map(|(l, n)| l * n / norm).sum();
            assert!(norm > 1e-3 && along.abs() < 1e-9, "{tol:e}: {along:e}, {norm:e}");
            error(&known, &run.x, l.x.p).max(error(&known, &run.x, l.x.v))
        });
        let observed = (errors[0] / errors[1]).log2();
        println!("bricard {tol:e}: errors {errors:?}, order {observed:.2}");
        assert!(observed > order, "{tol:e}: {errors:?}, order {observed}");
    }
}

#[test]
fn stiffness_is_noticed_and_only_there() {
    for (name, stiff) in
        [("stiff-spring-1e6", true), ("double-pendulum-stiff", true), ("andrews", false), ("car-axis", false)]
    {
        let problem = problem(name);
        let run = run(&problem, &options(&problem), 1e-5, 0.0);
        assert_eq!(run.stats.stiffness_suspected > 0, stiff, "{name}: {:?}", run.stats);
    }
}

#[test]
fn what_the_method_is_not_for_is_said() {
    for (name, what) in [("friction-bead", "lambda"), ("cycloid", "contact variables s")] {
        let problem = problem(name);
        let options = Options { form: Form::Index1, ..options(&problem) };
        let failure = run(&problem, &options, 1e-5, 0.0).result.expect_err(name);
        assert_eq!(failure.code, Code::BadArgument);
        assert!(
            failure.detail.contains("METHOD = 4") && failure.detail.contains(what),
            "{name}: {}",
            failure.detail
        );
    }
}

#[test]
fn redundant_constraints_need_the_svd() {
    let redundant: Vec<Problem> = testset::all().into_iter().filter(|p| p.redundant).collect();
    assert!(!redundant.is_empty());
    for problem in redundant {
        for (kind, code) in
            [(DecompositionKind::Lu, Code::Fx1DeficientLu), (DecompositionKind::Qr, Code::Fx1DeficientQr)]
        {
            let options = Options { decompose_constraints: kind, consistent: true, ..options(&problem) };
            let failure = run(&problem, &options, 1e-5, 0.0).result.expect_err(&problem.name);
            assert_eq!(failure.code, code, "{}: {failure}", problem.name);
            assert!(failure.component.is_some());
        }
        let run = run(&problem, &options(&problem), 1e-7, 0.0);
        run.result.unwrap_or_else(|f| panic!("{}: {f}", problem.name));
        if let Some(known) = problem.at_end() {
            let l = problem.layout(Form::StrangenessFree);
            assert!(error(&known, &run.x, l.x.p) < 1e-4, "{}", problem.name);
        }
    }
}

#[test]
fn faults_of_the_model_have_their_codes() {
    let problem = problem("andrews");
    let nan = f64::NAN;
    for supplied in [false, true] {
        for at in [2, 3, 20, 57, 200] {
            let with = |trouble| Made { supplied, trouble: Some(trouble), ..Made::new(&problem) };
            let recover = Options { recover: true, consistent: true, ..options(&problem) };
            for tol in [1e-4, 1e-8] {
                let go = |system: &mut Made| {
                    run_system(system, None, &recover, tol, (&problem, 0.0, problem.tend))
                };
                let stopped = go(&mut with((at, Outcome::Stop, 0.0))).result.expect_err("stopped");
                let code = if supplied { Code::StoppedByParts } else { Code::StoppedByEom };
                assert_eq!(stopped.code, code, "call {at}: {stopped}");
                for (answer, number) in [(Outcome::Retry, 0.0), (Outcome::Continue, nan)] {
                    let run = go(&mut with((at, answer, number)));
                    run.result.unwrap_or_else(|f| panic!("call {at} {answer:?}: {f}"));
                    assert!(run.x.iter().all(|x| x.is_finite()));
                }
            }
        }
    }
}

/// Force elements may depend on the force of a constraint, which is known only when the linear equations are solved: on a circle of
/// radius 1 at speed 1 it is 1, and r' = λ - r gives r = 1 - exp(-t).
#[test]
fn force_elements_see_constraint_forces() {
    #[derive(Clone)]
    struct Weighed;
    impl Mechanism for Weighed {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nr: 1, nl: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (m[0], m[3]) = (T::real(1.0), T::real(1.0));
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
        }
        fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
            b[0] = x.lambda[0] - x.r[0];
        }
    }
    let layout = Layout::new(Weighed.dimensions(), Form::StrangenessFree);
    let mut x0 = vec![0.0; layout.n];
    layout.x.lambda.of_mut(&mut x0)[0] = 1.0;
    layout.x.v.of_mut(&mut x0)[1] = 1.0;
    layout.x.p.of_mut(&mut x0)[0] = 1.0;
    for method in [MethodKind::HalfExplicit, MethodKind::RosenbrockNystroem, MethodKind::Radau] {
        for form in [Form::StrangenessFree, Form::Index1] {
            let mut system = Model::new(Weighed, testset::Options::new(form, true), 0.0, &x0);
            let options = Options { method, form, ..Options::of_call() };
            let start = (0.0, &x0[..], 0.0, 2.0);
            let run =
                drive(&mut system, &options, &Tolerance::scalar(1e-7, 1e-7), start, |_| {}).good("weighed");
            let (lambda, r) = (layout.x.lambda.of(&run.x)[0], layout.x.r.of(&run.x)[0]);
            let expected = 1.0 - (-2.0f64).exp();
            assert!(
                (lambda - 1.0).abs() < 1e-5 && (r - expected).abs() < 1e-5,
                "{method:?} {form:?}: {:?}",
                run.x
            );
        }
    }
}

/// Friction along a circle, in units in which the constraint is small beside the motion: v' = -v³/100.
#[test]
fn small_constraints_may_have_friction() {
    const SCALE: f64 = 1e-3;
    #[derive(Clone)]
    struct Rubbing;
    impl Mechanism for Rubbing {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (m[0], m[3]) = (T::real(1.0), T::real(1.0));
        }
        fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
            (f[0], f[1]) = (-x.v[0] * x.lambda[0] * (0.01 * SCALE), -x.v[1] * x.lambda[0] * (0.01 * SCALE));
        }
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = (p[0].sq() + p[1].sq() - 1.0) * (0.5 * SCALE);
        }
    }
    let layout = Layout::new(Rubbing.dimensions(), Form::StrangenessFree);
    let mut x0 = vec![0.0; layout.n];
    layout.x.lambda.of_mut(&mut x0)[0] = 1.0 / SCALE;
    layout.x.v.of_mut(&mut x0)[1] = 1.0;
    layout.x.p.of_mut(&mut x0)[0] = 1.0;
    for method in [MethodKind::HalfExplicit, MethodKind::RosenbrockNystroem] {
        let mut system = Model::new(Rubbing, testset::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let options = Options { method, ..Options::of_call() };
        let start = (0.0, &x0[..], 0.0, 5.0);
        let run = drive(&mut system, &options, &Tolerance::scalar(1e-7, 1e-7), start, |_| {}).good("rubbing");
        let v = layout.x.v.of(&run.x);
        assert!((v[0].hypot(v[1]) - 1.0 / 1.1f64.sqrt()).abs() < 1e-5, "{method:?}: {:?}", run.x);
    }
}
