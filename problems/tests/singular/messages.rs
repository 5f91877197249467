//! What a run says that ends: a singular position, redundancy, a wrong Jacobian and a lockup are told apart.

use crate::mechanisms::Parallelogram;
use geoms::decompose::DecompositionKind;
use geoms::error::{Code, Failure};
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options as Presented};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Singular, WatchLevel};
use geoms::system::{JacobianBlocks, Outcome, System};
use geoms_problems::trial::drive;

fn options() -> Options {
    let (check, watch) = (CheckLevel::Off, WatchLevel::Off);
    Options { mass: MassStructure::ConstantFull, consistent: true, check, watch, ..Options::default() }
}

fn ends(system: &mut dyn System, options: &Options, x0: &[f64]) -> Failure {
    let run = drive(system, options, &Tolerance::scalar(1e-6, 1e-6), (0.0, x0, 0.0, 3.0), |_| {});
    run.result.expect_err("a run that cannot go on")
}

fn bars() -> Parallelogram {
    Parallelogram::plain(1.0, 1.5, 0.3, [1.0, 0.7, 1.4])
}

/// θ = angle is reached with speed: the run ends there if it is told so.
#[test]
fn without_passing_the_position_is_named() {
    let x0 = bars().state(1.5, -8.0);
    for order in [geoms::options::Order::Five, geoms::options::Order::Nine] {
        for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            let options =
                Options { singular: Singular::Stop, order, decompose_constraints: kind, ..options() };
            let mut system = bars().model(options.form, true, &x0);
            let run = drive(
                system.as_mut(),
                &options,
                &Tolerance::scalar(1e-8, 1e-8),
                (0.0, &x0, 0.0, 3.0),
                |_| {},
            );
            // Some settings step over it.
            let Err(failure) = run.result else { continue };
            println!("{failure}");
            assert_eq!(failure.code, Code::SingularConfiguration, "{order:?} {kind:?}: {failure}");
            for part in ["gI(1)", "gI(3)", "lose rank at t =", "smallest singular value", "IOPT(32)=1"] {
                assert!(failure.to_string().contains(part), "{part}: {failure}");
            }
        }
    }
}

#[test]
fn at_rest_in_the_position_no_branch_is_chosen() {
    let x0 = bars().state(0.3, 0.0);
    for method in [MethodKind::Radau, MethodKind::HalfExplicit, MethodKind::Hht, MethodKind::Automatic] {
        for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
            let options = Options { method, decompose_constraints: kind, ..options() };
            let mut system = bars().model(options.form, true, &x0);
            let failure = ends(system.as_mut(), &options, &x0);
            assert_eq!(failure.code, Code::SingularConfiguration, "{method:?} {kind:?}: {failure}");
            assert!(failure.to_string().contains("at rest"), "{failure}");
        }
    }
}

#[test]
fn redundancy_is_still_redundancy() {
    let bars = Parallelogram { redundant: true, ..bars() };
    for rate in [0.0, 5.0] {
        let x0 = bars.state(1.0, rate);
        let mut system = bars.model(Form::StrangenessFree, true, &x0);
        let failure = ends(system.as_mut(), &options(), &x0);
        assert_eq!(failure.code, Code::Fx1DeficientLu, "{failure}");
    }
}

/// A slip in JAC.
struct Wrong(Box<dyn System + Send>, fn(&mut JacobianBlocks));

impl System for Wrong {
    fn dimensions(&self) -> Dimensions {
        self.0.dimensions()
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
        self.1(fx);
        outcome
    }
}

/// Every other entry of FX3 has the wrong sign.
fn every_other_sign(fx: &mut JacobianBlocks) {
    fx.fx[2].iter_mut().step_by(2).for_each(|v| *v = -*v);
}

/// The derivatives themselves, where the negative ones are asked for.
fn all_signs(fx: &mut JacobianBlocks) {
    fx.fx.iter_mut().flat_map(|block| block.iter_mut()).for_each(|v| *v = -*v);
}

#[test]
fn a_wrong_jacobian_is_not_taken_for_a_singular_position() {
    let x0 = bars().state(1.0, 0.5);
    let mut system = Wrong(bars().model(Form::StrangenessFree, true, &x0), every_other_sign);
    let failure = ends(&mut system, &options(), &x0);
    println!("{failure}");
    assert!(matches!(failure.code, Code::NewtonDiverges | Code::StepTooSmall), "{failure}");
}

/// A crank of length 1 is driven, a coupler of length 1.2 from it to a slider cannot follow below -1.2: it locks up.
#[derive(Clone, Copy, Debug)]
struct Toggle;

impl Mechanism for Toggle {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _f: &mut [T]) {}
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
        g[1] = p[0] - t - 0.2;
    }
}

#[test]
fn a_lockup_is_still_a_lockup() {
    let x0 = [0.0, 0.0, 1.0, -0.2 / 0.96f64.sqrt(), 0.2, 0.96f64.sqrt()];
    let mut model = Model::new(Toggle, Presented::new(Form::StrangenessFree, true), 0.0, &x0);
    let failure = ends(&mut model, &options(), &x0);
    assert_eq!(failure.code, Code::Lockup, "{failure}");
}

/// A pendulum of length 1 on a cart that moves on: every position of the cart can be reached.
#[derive(Clone, Copy, Debug)]
struct OnCart;

impl Mechanism for OnCart {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-9.81);
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = (p[0] - t * 2.0).sq() + p[1].sq() - 1.0;
    }
}

/// It hangs at an angle of 0.5 and moves with the cart; λ follows.
const ON_CART: [f64; 5] = [4.3, 2.0, 0.0, 0.479_425_538_604_203, -0.877_582_561_890_372_8];

/// A wrong JAC leads away from the positions that there are.
#[test]
fn a_wrong_jacobian_is_not_taken_for_a_lockup() {
    let mut failed = 0;
    for slip in [all_signs, every_other_sign] {
        for method in [MethodKind::Radau, MethodKind::RosenbrockNystroem, MethodKind::Newmark] {
            let model = Model::new(OnCart, Presented::new(Form::StrangenessFree, true), 0.0, &ON_CART);
            let options = Options { method, check: CheckLevel::Quick, nmax: 2000, ..options() };
            let tolerance = Tolerance::scalar(1e-6, 1e-6);
            let run = drive(
                &mut Wrong(Box::new(model), slip),
                &options,
                &tolerance,
                (0.0, &ON_CART, 0.0, 3.0),
                |_| {},
            );
            // FX3 matters little to some.
            let Err(failure) = run.result else { continue };
            failed += 1;
            let told = failure.to_string();
            assert_ne!(failure.code, Code::Lockup, "{method:?}: {told}");
            assert!(failure.code == Code::TooManySteps || told.contains("wrong sign"), "{method:?}: {told}");
        }
    }
    assert!(failed >= 3, "{failed}");
}

/// Far ahead the cart is elsewhere, which is no reason that the run ended here.
#[test]
fn a_limit_on_the_number_of_steps_is_no_lockup() {
    for tend in [10.0, 1e3, 1e5] {
        let mut model = Model::new(OnCart, Presented::new(Form::StrangenessFree, true), 0.0, &ON_CART);
        let options = Options { nmax: 8, ..options() };
        let run =
            drive(&mut model, &options, &Tolerance::scalar(1e-6, 1e-6), (0.0, &ON_CART, 0.0, tend), |_| {});
        assert_eq!(run.result.expect_err("nmax").code, Code::TooManySteps, "{tend}");
    }
}

/// A force without bound at t = 1 leaves no step, whatever TEND.
#[test]
fn a_failure_is_no_lockup_because_the_end_is_far() {
    #[derive(Clone, Copy, Debug)]
    struct Stuck;
    impl Mechanism for Stuck {
        fn dimensions(&self) -> Dimensions {
            OnCart.dimensions()
        }
        fn mass<T: Real>(&self, t: T, p: &[T], m: &mut [T]) {
            OnCart.mass(t, p, m);
        }
        fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
            OnCart.force(t, x, f);
            f[0] = (T::real(1.0) - t).powi(-1);
        }
        fn holonomic<T: Real>(&self, t: T, p: &[T], s: &[T], g: &mut [T]) {
            OnCart.holonomic(t, p, s, g);
        }
    }
    for tend in [2.0, 100.0, 1e5] {
        let mut model = Model::new(Stuck, Presented::new(Form::StrangenessFree, true), 0.0, &ON_CART);
        let run =
            drive(&mut model, &options(), &Tolerance::scalar(1e-6, 1e-6), (0.0, &ON_CART, 0.0, tend), |_| {});
        let failure = run.result.expect_err("a force without bound");
        assert!(!matches!(failure.code, Code::Lockup | Code::TooManySteps), "{tend}: {failure}");
    }
}

/// Two planes that close like scissors as a particle moves along: far ahead they are one.
#[test]
fn a_limit_on_the_number_of_steps_is_no_singular_position_because_the_end_is_far() {
    #[derive(Clone, Copy, Debug)]
    struct Scissors;
    impl Mechanism for Scissors {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            (0..3).for_each(|i| m[4 * i] = T::real(1.0));
        }
        fn force<T: Real>(&self, t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = (t * 100.0).sin();
        }
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = p[1];
            g[1] = p[1] + p[2] * (T::real(0.04) - p[0] * 1e-4);
        }
    }
    let x0 = [0.0, 0.0, 0.0, 1e-2, 0.0, 0.0, 0.0, 0.0];
    for tend in [1e3, 1e6, 1e9, 1e300] {
        let mut model = Model::new(Scissors, Presented::new(Form::StrangenessFree, true), 0.0, &x0);
        let options = Options { nmax: 50, mass: MassStructure::ConstantFull, ..options() };
        let tolerance = Tolerance::scalar(1e-6, 1e-6);
        let run = drive(&mut model, &options, &tolerance, (0.0, &x0, 0.0, tend), |_| {});
        let failure = run.result.expect_err("nmax");
        assert_eq!(failure.code, Code::TooManySteps, "{tend}: {failure}");
    }
}
