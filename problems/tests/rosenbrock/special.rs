//! What is free, what has no freedom, and what is refused.

use crate::harness::{drive, options, problem};
use geoms::error::Code;
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, MethodKind, Options};

const FORMS: [Form; 2] = [Form::StrangenessFree, Form::Index1];

fn of(mass: MassStructure, form: Form) -> Options {
    Options { method: MethodKind::RosenbrockNystroem, mass, form, ..Options::of_call() }
}

/// A point in the plane held by both coordinates, which move as (sin t, t²): no degree of freedom. f = (0, -1).
#[derive(Clone)]
struct Guided;

impl Mechanism for Guided {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(2.0), T::real(2.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-1.0);
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0] - t.sin();
        g[1] = p[1] - t.sq();
    }
}

#[test]
fn without_degrees_of_freedom() {
    for form in FORMS {
        let x0 = [0.0, -5.0, 1.0, 0.0, 0.0, 0.0];
        let mut system = Model::new(Guided, geoms_problems::Options::new(form, true), 0.0, &x0);
        let run = drive(
            &mut system,
            &of(MassStructure::ConstantDiagonal, form),
            &Tolerance::scalar(1e-6, 1e-6),
            (0.0, &x0, 0.0, 3.0),
            |_| {},
        )
        .good("guided");
        // λ = f - M a.
        let expected = [2.0 * 3.0f64.sin(), -5.0, 3.0f64.cos(), 6.0, 3.0f64.sin(), 9.0];
        for (i, (x, e)) in run.x.iter().zip(expected).enumerate() {
            let bound = if i < 2 { 1e-6 } else { 1e-14 };
            assert!((x - e).abs() < bound * e.abs().max(1.0), "{form:?}: {:?}", run.x);
        }
    }
}

/// A thrown body: the parabola is exact, and steps grow without bound.
#[derive(Clone)]
struct Thrown;

impl Mechanism for Thrown {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(2.0), T::real(2.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-20.0);
    }
}

#[test]
fn free_bodies() {
    for (form, analytic) in [(FORMS[0], true), (FORMS[0], false), (FORMS[1], true)] {
        let x0 = [3.0, 4.0, 0.0, 1.0];
        let mut system = Model::new(Thrown, geoms_problems::Options::new(form, analytic), 0.0, &x0);
        let run = drive(
            &mut system,
            &of(MassStructure::ConstantDiagonal, form),
            &Tolerance::scalar(1e-6, 1e-6),
            (0.0, &x0, 0.0, 10.0),
            |_| {},
        )
        .good("thrown");
        for (x, e) in run.x.iter().zip([3.0, -96.0, 30.0, -459.0]) {
            assert!((x - e).abs() < 1e-12 * f64::max(1.0, e.abs()), "{analytic}: {:?}", run.x);
        }
        assert!(run.stats.nstep() < 40, "{}", run.stats);
    }
}

/// A mass matrix that is singular where constraints make up for it is no obstacle; one that is singular in free directions is
/// refused at the start by its code.
#[test]
fn singular_mass_matrices() {
    let problem = problem("singular-mass");
    for form in FORMS {
        let mut system = problem.system(form, true);
        let start = (0.0, &problem.x0[..], 0.0, problem.tend);
        let tolerance = Tolerance::scalar(1e-8, 1e-8);
        let run = drive(&mut *system, &options(&problem, form), &tolerance, start, |_| {}).good("singular");
        for (i, value) in problem.at_end().expect("closed form") {
            let block = problem.layout(form).state_name(i).block;
            if ["p", "v"].contains(&block) {
                assert!((run.x[i] - value).abs() < 1e-5, "{form:?} {i}: {} for {value}", run.x[i]);
            }
        }
    }
    #[derive(Clone)]
    struct Massless;
    impl Mechanism for Massless {
        fn dimensions(&self) -> Dimensions {
            Thrown.dimensions()
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(1.0);
        }
        fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
            f[1] = -x.v[1];
        }
    }
    let x0 = [1.0, 0.0, 0.0, 0.0];
    let mut system = Model::new(Massless, geoms_problems::Options::new(FORMS[0], true), 0.0, &x0);
    let run = drive(
        &mut system,
        &of(MassStructure::Full, FORMS[0]),
        &Tolerance::scalar(1e-6, 1e-6),
        (0.0, &x0, 0.0, 1.0),
        |_| {},
    );
    let failure = run.result.expect_err("no acceleration is determined");
    assert!(matches!(failure.code, Code::Fx1DeficientLu), "{failure}");
    assert_eq!(run.x, x0, "the caller's data stay as they were");
}

/// Rows of constraints in other units do not change the partition.
#[test]
fn units_of_constraints_do_not_matter() {
    #[derive(Clone)]
    struct Scaled([f64; 2]);
    impl Mechanism for Scaled {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 4, nv: 4, nl: 2, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (0..4).for_each(|i| m[5 * i] = T::real(1.0));
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            (f[1], f[3]) = (T::real(-9.81), T::real(-9.81));
        }
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = (p[0].sq() + p[1].sq() - 1.0) * self.0[0];
            g[1] = ((p[2] - p[0]).sq() + (p[3] - p[1]).sq() - 1.0) * self.0[1];
        }
    }
    let ends = [[1.0, 1.0], [1e6, 1e-8]].map(|scale| {
        let x0 = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0];
        let mut system = Model::new(Scaled(scale), geoms_problems::Options::new(FORMS[0], true), 0.0, &x0);
        let options = of(MassStructure::ConstantDiagonal, FORMS[0]);
        let start = (0.0, &x0[..], 0.0, 2.0);
        let run = drive(&mut system, &options, &Tolerance::scalar(1e-8, 1e-8), start, |_| {}).good("scaled");
        (run.x[2..].to_vec(), run.stats.naccpt, run.stats.nsel)
    });
    assert_eq!((ends[0].1, ends[0].2), (ends[1].1, ends[1].2));
    for (a, b) in ends[0].0.iter().zip(&ends[1].0) {
        assert!((a - b).abs() < 1e-9, "{ends:?}");
    }
}
