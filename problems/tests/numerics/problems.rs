//! Accuracy and residuals of every special problem, for every combination of decompositions, formulations and
//! Jacobians that applies, at RTOL = ATOL = TOL = 1e-8.

use crate::common::{blocks, distance, largest, problem, Run, Setup};
use geoms::decompose::DecompositionKind;
use geoms::layout::{Block, Dimensions, Form, Layout};
use geoms::linalg::SolverKind;
use geoms::options::Options;
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::{MassStructure, Problem};

const TOL: f64 = 1e-8;
const KINDS: [DecompositionKind; 3] = [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd];
const FORMS: [Form; 2] = [Form::StrangenessFree, Form::Index1];

/// Residuals of the constraints of x against their scale.
///
/// The scale of a row is what a relative change of x by 1 does to it: Σ_j |∂row/∂x_j|·(|x_j|+1), from
/// the exact Jacobian. A residual of TOL·scale is a relative error of TOL in x.
struct Residuals {
    system: Box<dyn System + Send>,
    layout: Layout,
    rda: Vec<f64>,
    fx: JacobianBlocks,
    rows: Vec<(&'static str, Block)>,
    /// Largest residual/(TOL·scale) per kind of row.
    worst: Vec<f64>,
}

impl Residuals {
    /// For all constraint rows of FORM=0; `multipliers` says whether gII and hI are looked at.
    fn new(problem: &Problem, multipliers: bool) -> Self {
        let system = problem.system(Form::StrangenessFree, true);
        let layout = problem.layout(Form::StrangenessFree);
        let r = &layout.rda;
        let mut rows = vec![("g", r.g), ("gI", r.g_velocity), ("h", r.h), ("c", r.c), ("d", r.d)];
        if multipliers {
            rows.extend([("gII", r.g_acceleration), ("hI", r.h_acceleration)]);
        }
        rows.retain(|(_, block)| !block.is_empty());
        let (rda, fx) = (vec![0.0; layout.m], JacobianBlocks::new(&layout));
        Residuals { system, layout, rda, fx, worst: vec![0.0; rows.len()], rows }
    }

    fn look(&mut self, t: f64, x: &[f64]) {
        assert_eq!(self.system.eom(t, x, &mut self.rda), Outcome::Continue);
        self.fx.clear();
        assert_eq!(self.system.jacobian(t, x, &mut self.fx), Outcome::Continue);
        let mut scale = vec![0.0; self.layout.m];
        for (k, (rows, first)) in self.layout.fx_position().into_iter().enumerate() {
            let (m, n) = self.fx.shape[k];
            for j in 0..n {
                for i in 0..m {
                    scale[rows.start + i] += self.fx.fx[k][i + j * m].abs() * (x[first + j].abs() + 1.0);
                }
            }
        }
        for ((_, block), worst) in self.rows.iter().zip(&mut self.worst) {
            for i in block.range() {
                *worst = worst.max(self.rda[i].abs() / (TOL * scale[i]));
            }
        }
    }

    fn check(&self, what: &str) {
        for ((name, _), worst) in self.rows.iter().zip(&self.worst) {
            assert!(*worst <= 10.0, "{what}: residual of {name} {worst:.2} times TOL·scale");
        }
    }
}

/// One combination, as a Setup.
fn setup(
    problem: &Problem,
    form: Form,
    kind: DecompositionKind,
    solver: SolverKind,
    jacobian: bool,
) -> Setup {
    let mut setup = Setup::new(problem, form, TOL).with(|o| {
        o.decompose_constraints = kind;
        o.decompose_differential = solver;
    });
    setup.jacobian = jacobian;
    setup
}

/// Largest errors at the end over all combinations, by block, and residuals by row.
#[derive(Default)]
struct Summary(Vec<(String, f64)>);

impl Summary {
    fn note(&mut self, name: &str, value: f64) {
        match self.0.iter_mut().find(|e| e.0 == name) {
            Some(entry) => entry.1 = entry.1.max(value),
            None => self.0.push((name.to_owned(), value)),
        }
    }
}

/// Error of a block relative to max(1, ‖block‖∞).
fn relative_error(block: Block, x: &[f64], reference: &[f64]) -> f64 {
    distance(block, x, reference) / largest(block.of(reference)).max(1.0)
}

fn check_run(problem: &Problem, setup: &Setup, summary: &mut Summary) -> Run {
    let form = setup.options.form;
    let o = &setup.options;
    let what = format!(
        "{} {form:?} {:?} {:?} IJAC={}",
        problem.name,
        o.decompose_constraints,
        o.decompose_differential,
        u8::from(setup.jacobian)
    );
    let mut residuals = Residuals::new(problem, form == Form::StrangenessFree);
    let mut smallest_step = f64::INFINITY;
    let run = setup
        .observe(problem, &problem.x0, |step| {
            residuals.look(step.t, step.x);
            // Without the initial point and the last step, which is cut.
            if step.naccpt > 0 && step.t < problem.tend {
                smallest_step = smallest_step.min(step.h);
            }
        })
        .good(&what);
    residuals.check(&what);
    for ((name, _), worst) in residuals.rows.iter().zip(&residuals.worst) {
        summary.note(&format!("res {name}"), *worst);
    }

    let layout = problem.layout(form);
    let mut reference = vec![f64::NAN; layout.n];
    problem.at_end().unwrap().into_iter().for_each(|(i, value)| reference[i] = value);
    for (name, block) in blocks(&layout) {
        let error = relative_error(block, &run.x, &reference);
        summary.note(name, error);
        let index2 = form == Form::Index1 && layout.x.algebraic.contains(block.start);
        let bound = if index2 {
            // Of order 3, and controlled with the weight h: the error test holds h·δλ to RTOL' = 0.1·TOL^(2/3)
            // in the mean over n components.
            0.1 * TOL.powf(2.0 / 3.0) * (layout.n as f64).sqrt() / smallest_step
        } else if layout.x.algebraic.contains(block.start) {
            1e-5
        } else {
            1e-6
        };
        assert!(error <= bound, "{what}: error of {name} {error:.2e}, bound {bound:.2e}");
    }
    run
}

/// All combinations for one problem.
fn check(name: &str) {
    let problem = problem(name);
    for form in FORMS {
        let mut summary = Summary::default();
        for kind in KINDS {
            for solver in [SolverKind::Lu, SolverKind::Qr] {
                for jacobian in [true, false] {
                    check_run(&problem, &setup(&problem, form, kind, solver, jacobian), &mut summary);
                }
            }
        }
        print(name, form, &summary);
    }
}

fn print(name: &str, form: Form, summary: &Summary) {
    let columns: String = summary.0.iter().map(|(n, v)| format!("  {n} {v:.1e}")).collect();
    println!("{name:22} {form:15?}{columns}");
}

macro_rules! problems {
    ($($test:ident: $name:literal)*) => { $( #[test] fn $test() { check($name); } )* };
}

problems! {
    knife_edge: "knife-edge"
    upright_disk: "upright-disk"
    leaning_disk: "leaning-disk"
    nonholonomic_particle: "nonholonomic-particle"
    rotating_rod: "rotating-rod"
    friction_bead: "friction-bead"
    maxwell_element: "maxwell-element"
    cycloid: "cycloid"
    singular_mass: "singular-mass"
    top_steady: "top-steady"
    top_nutating: "top-nutating"
}

/// Redundant constraints: SVD, with multipliers of minimum norm; codes for the rest.
#[test]
fn coupler() {
    let problem = problem("coupler");
    let mut summary = Summary::default();
    for solver in [SolverKind::Lu, SolverKind::Qr] {
        for jacobian in [true, false] {
            let svd = DecompositionKind::Svd;
            for (form, limit) in [(Form::StrangenessFree, 1e-7), (Form::Index1, 1e-5)] {
                let run = check_run(&problem, &setup(&problem, form, svd, solver, jacobian), &mut summary);
                // λ_i = m(|v|² - g y)/(6 l²), m = 2, l = 1, of the numerical solution itself.
                let x = &run.x;
                let lambda = 2.0 * (x[3] * x[3] + x[4] * x[4] - 9.81 * x[7]) / 6.0;
                for (i, value) in x[..3].iter().enumerate() {
                    let error = (value - lambda).abs();
                    assert!(error < limit * lambda.abs(), "λ{i}: {value} against {lambda}, {form:?}");
                    // None of it is undetermined.
                    assert!((value - x[0]).abs() < 1e-9 * lambda.abs(), "λ{i}: {value} against {}", x[0]);
                }
            }
            let refused = |form, kind| setup(&problem, form, kind, solver, jacobian).run(&problem).idid();
            for form in FORMS {
                // With FORM=0 FX1 comes first, with FORM=1 FX1 is empty.
                let lu = if form == Form::Index1 { -2602 } else { -2601 };
                let qr = if form == Form::Index1 { -1402 } else { -1401 };
                assert_eq!(refused(form, DecompositionKind::Lu), lu, "{form:?}");
                assert_eq!(refused(form, DecompositionKind::Qr), qr, "{form:?}");
            }
        }
    }
    print("coupler", Form::StrangenessFree, &summary);
}

/// The pendulum with its constraint `copies` times: x = (λ.., v, p), no Jacobian.
struct Copies(usize);

impl System for Copies {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: self.0, ..Dimensions::default() }
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let k = self.0;
        let sum: f64 = x[..k].iter().sum();
        let &[v1, v2, p1, p2] = &x[k..] else { return Outcome::Stop };
        let f = [-2.0 * p1 * sum, -13.75 - 2.0 * p2 * sum];
        rda[..k].fill(2.0 * (v1 * v1 + v2 * v2 + p1 * f[0] + p2 * f[1]));
        rda[k..2 * k].fill(2.0 * (p1 * v1 + p2 * v2));
        rda[2 * k..3 * k].fill(p1 * p1 + p2 * p2 - 1.0);
        rda[3 * k..].copy_from_slice(&[f[0], f[1], v1, v2]);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }
}

/// A constraint that is there twice changes nothing but the multipliers, which share the force equally.
#[test]
fn duplicated_constraint() {
    let problem = problem("pendulum-2.8");
    let exact = problem.exact.as_ref().unwrap()(problem.tend);
    let options = Options {
        mass: MassStructure::ConstantDiagonal,
        decompose_constraints: DecompositionKind::Svd,
        ..Options::of_call()
    };
    let run = |copies: usize| {
        let lambda = problem.x0[0] / copies as f64;
        let x0 = [vec![lambda; copies], problem.x0[1..].to_vec()].concat();
        let setup = Setup { options: options.clone(), ..Setup::new(&problem, Form::StrangenessFree, TOL) };
        setup.drive(&mut Copies(copies), &x0, |_| {}).good("copies")
    };
    let (once, twice, thrice) = (run(1), run(2), run(3));
    for (copies, x) in [(2, &twice.x), (3, &thrice.x)] {
        // v and p: the same within the tolerance (the norm runs over more components), and right.
        for i in 1..5 {
            let value = x[copies - 1 + i];
            let (other, right) = (value - once.x[i], value - exact[i]);
            assert!(other.abs() < 10.0 * TOL && right.abs() < 20.0 * TOL, "{copies}: {other:e}, {right:e}");
        }
        let share = x[..copies].iter().sum::<f64>() / copies as f64;
        for value in &x[..copies] {
            // The row space is that of a difference Jacobian, whose noise is about 1e-10.
            assert!((value - share).abs() < 1e-9 * share.abs(), "{copies}: {value} against {share}");
        }
        assert!((share * copies as f64 - exact[0]).abs() < 1e-6, "{share}");
    }
}
