//! The list of methods, and for each of them the tests of the suite.

use crate::{declared, dense_output, events, faults, languages, processor, save, steps, studies};
use geoms::decompose::DecompositionKind;
use geoms::error::Failure;
use geoms::layout::Form;
use geoms::methods::features::{self, Features, Support};
use geoms::methods::{self, Maker};
use geoms::norm::Tolerance;
use geoms::options::{Family, MethodKind, NewmarkScheme, Options, Order};
use geoms::solver::Solver;
use geoms::system::System;
use geoms_problems::convergence::Study;
use geoms_problems::Problem;

/// A method as the suite sees it.
#[derive(Clone, Copy)]
pub struct Listed {
    pub name: &'static str,
    pub make: Maker,
    /// What it declares.
    pub features: Features,
    /// The options that choose it, from the defaults of the call.
    pub choose: fn(&mut Options),
    /// A tolerance at which it is at home, and at which it has the order below.
    pub tol: f64,
    /// Which of its orders this entry is about.
    pub nth: usize,
    /// Its order on problems of every kind.
    pub studies: &'static [Study],
    /// Options can choose it, so that Fortran and C can.
    pub in_options: bool,
}

impl Listed {
    /// One of the methods that options can choose.
    fn of(kind: MethodKind, name: &'static str, nth: usize, tol: f64) -> Self {
        Listed {
            name,
            make: methods::begin,
            features: *features::of(kind).expect("declared"),
            choose: |_| {},
            tol,
            nth,
            studies: &[],
            in_options: true,
        }
    }

    pub fn options(&self, problem: &Problem, form: Form) -> Options {
        let kind = if problem.redundant { DecompositionKind::Svd } else { DecompositionKind::Lu };
        let mut options = Options {
            method: self.features.kind,
            mass: problem.mass,
            form,
            decompose_constraints: kind,
            ..Options::of_call()
        };
        (self.choose)(&mut options);
        options
    }

    /// A run at its beginning, with first step size h.
    pub fn start(
        &self,
        system: &mut dyn System,
        problem: &Problem,
        options: &Options,
        (tol, h): (f64, f64),
    ) -> Result<Solver, Failure> {
        let tolerance = Tolerance::scalar(tol, tol);
        Solver::start_with(self.make, system, options, &tolerance, (problem.t0, &problem.x0, h))
    }

    /// True if the method declares to be for the problem in this formulation.
    pub fn is_for(&self, problem: &Problem, form: Form) -> bool {
        let (d, f) = (problem.dimensions, &self.features);
        [
            (problem.redundant, f.redundant),
            (d.nm > 0, f.nonholonomic),
            (d.nr > 0, f.force_elements),
            // Friction that comes without w counts as what it is: a force that depends on λ.
            (d.nw > 0, f.auxiliary),
            (d.ns > 0, f.contact),
            (d.np != d.nv, f.kinematics),
            (STIFF.contains(&problem.name.as_str()), f.stiff),
        ]
        .into_iter()
        .all(|(asked, support)| !asked || support.with(form))
    }
}

/// Problems that a method for nonstiff systems does not come to the end of in reasonable time.
const STIFF: [&str; 4] =
    ["stiff-spring-1e6", "stiff-spring-1e8", "double-pendulum-stiff", "pendulum-horizontal"];

/// Explicit Euler declares less than the methods of the library.
const EULER: Features = Features {
    kind: MethodKind::Radau,
    name: "explicit Euler with projection",
    orders: &[1],
    position: Support::Yes,
    velocity: Support::Yes,
    acceleration: Support::No,
    projects: true,
    invariants: Support::No,
    redundant: Support::No,
    nonholonomic: Support::No,
    force_elements: Support::No,
    auxiliary: Support::No,
    contact: Support::No,
    kinematics: Support::No,
    stiff: Support::No,
    dense: &[1],
    controls_p: Support::Yes,
    controls_v: Support::Yes,
    controls_multipliers: Support::No,
};

macro_rules! listed {
    ($($name:ident => $listed:expr;)*) => {
        /// All of them.
        pub fn all() -> Vec<Listed> {
            vec![$($name::listed()),*]
        }
        $(
            mod $name {
                use super::*;

                pub fn listed() -> Listed {
                    Listed { name: stringify!($name), ..$listed }
                }
                #[test]
                fn order() {
                    studies::check(&listed());
                }
                #[test]
                fn dense_output_between_points() {
                    dense_output::check(&listed());
                }
                #[test]
                fn dense_output_ends_at_the_points() {
                    dense_output::ends(&listed());
                }
                #[test]
                fn saved_and_restored() {
                    save::check(&listed());
                }
                #[test]
                fn damaged_states() {
                    save::damaged(&listed());
                }
                #[test]
                fn events() {
                    events::check(&listed());
                }
                #[test]
                fn faults_of_the_model() {
                    faults::check(&listed());
                }
                #[test]
                fn constraints_as_declared() {
                    declared::constraints(&listed());
                }
                #[test]
                fn refusals_as_declared() {
                    declared::refusals(&listed());
                }
                #[test]
                fn steps_by_attempts() {
                    steps::attempts_make_the_run_of_the_steps(&listed());
                }
                #[test]
                fn common_steps() {
                    steps::a_common_step_is_taken_by_all_or_by_none(&listed());
                }
                #[test]
                fn steps_undone() {
                    steps::an_accepted_step_is_undone_once(&listed());
                }
                #[test]
                fn languages() {
                    languages::check(&listed());
                }
                #[test]
                fn processors() {
                    processor::check(&listed());
                }
            }
        )*
    };
}

listed! {
    radau_5 => Listed { studies: studies::RADAU_5, ..Listed::of(MethodKind::Radau, "", 0, 1e-6) };
    radau_9 => Listed {
        choose: |o| (o.order, o.newton_reference) = (Order::Nine, Some(2)),
        studies: studies::RADAU_9,
        ..Listed::of(MethodKind::Radau, "", 1, 1e-8)
    };
    radau_13 => Listed {
        choose: |o| (o.order, o.newton_reference) = (Order::Thirteen, Some(2)),
        studies: studies::RADAU_13,
        ..Listed::of(MethodKind::Radau, "", 2, 1e-9)
    };
    hht => Listed { studies: studies::HHT, ..Listed::of(MethodKind::Hht, "", 0, 1e-5) };
    generalized_alpha => Listed {
        choose: |o| o.family = Family::GeneralizedAlpha,
        studies: studies::GENERALIZED_ALPHA,
        ..Listed::of(MethodKind::Hht, "", 0, 1e-5)
    };
    rosenbrock => Listed { studies: studies::ROSENBROCK, ..Listed::of(MethodKind::RosenbrockNystroem, "", 0, 1e-5) };
    newmark => Listed { studies: studies::NEWMARK, ..Listed::of(MethodKind::Newmark, "", 0, 1e-5) };
    newmark_trapezoidal => Listed {
        choose: |o| o.newmark_scheme = NewmarkScheme::Trapezoidal,
        studies: studies::NEWMARK_TRAPEZOIDAL,
        ..Listed::of(MethodKind::Newmark, "", 0, 1e-5)
    };
    newmark_damped => Listed {
        choose: |o| o.newmark_scheme = NewmarkScheme::Damped,
        studies: studies::NEWMARK_DAMPED,
        ..Listed::of(MethodKind::Newmark, "", 0, 1e-5)
    };
    half_explicit_5 => Listed { studies: studies::HALF_EXPLICIT_5, ..Listed::of(MethodKind::HalfExplicit, "", 0, 1e-4) };
    half_explicit_8 => Listed { studies: studies::HALF_EXPLICIT_8, ..Listed::of(MethodKind::HalfExplicit, "", 1, 1e-8) };
    // With constant steps it is Radau IIA from the start.
    automatic => Listed { studies: studies::AUTOMATIC, ..Listed::of(MethodKind::Automatic, "", 0, 1e-6) };
    euler => Listed {
        make: crate::euler::begin,
        features: EULER,
        studies: studies::EULER,
        in_options: false,
        ..Listed::of(MethodKind::Radau, "", 0, 1e-4)
    };
}
