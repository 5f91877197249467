//! Drift-free integration of the equations of motion of constrained multibody systems.
//!
//! The crate solves
//!
//! ```text
//! p' = Z(p) v                                             (1) kinematic equations
//! M(p,t) v' = f(p,v,r,w,s,λ,μ,t) - Zᵀ Gᵀ λ - Zᵀ Hᵀ μ      (2) dynamic equations
//! r' = b(p,v,r,w,s,λ,μ,t)                                 (3) dynamic force elements
//! 0  = d(p,v,r,w,s,λ,μ,t)                                 (4) auxiliary variables
//! 0  = c(p,s,t)                                           (5) contact points
//! 0  = H(p,s,t) Z(p) v + h(p,s,t)                         (6) nonholonomic constraints
//! 0  = g(p,s,t)                                           (7) holonomic constraints
//! 0  = e(p,v,s,t)                                         (8) solution invariants
//! ```
//!
//! after A. Steinbrecher, *GEOMS: A software package for the numerical integration of general model equations of
//! multibody systems* (WIAS preprint 1259, 2007; "the report", whose appendix is "the manual"). The user supplies, beside
//! (1) to (8), the derivatives gI, gII and hI of the constraints. All of them are imposed at every step, so there is no
//! drift; the differential equations that the constraints make superfluous are dropped by selectors. This
//! *projected-strangeness-free* form has index 1 and is integrated by Radau IIA of order 5 with step size control,
//! dense output and consistent initial values. Constraints may be redundant.
//!
//! # From Rust
//!
//! A model implements [`system::System`]; [`integrate::integrate`] runs it. The equations of the pendulum are in
//! [`testset::pendulum`]:
//!
//! ```
//! use geoms::{integrate::*, layout::Form, norm::Tolerance, options::Options, stats::Stats, testset};
//!
//! let problem = testset::by_name("pendulum-2.8").ok_or("no such problem")?;
//! let mut system = problem.system(Form::StrangenessFree, true);
//! let options = Options { mass: problem.mass, ..Options::default() }; // order 9: five stages
//! let tolerance = Tolerance::scalar(1e-8, 1e-8);
//! let (mut t, mut x, mut h, mut stats) = (0.0, problem.x0.clone(), 0.01, Stats::default());
//! let run = Integration { system: &mut *system, observer: None, options: &options, tolerance: &tolerance };
//! integrate(run, &mut t, &mut x, &mut h, 5.0, &mut stats)?;
//! assert!((x[3] + 0.608_937_263_148_838).abs() < 1e-7, "p1 at t = 5");
//! assert_eq!(stats.neom, 5 * stats.nbsub + stats.naccpt);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`solver::Solver`] makes the same run step by step: it can be stopped, saved and resumed bit for bit, watch for
//! [`events`], and go on from a changed state. [`diagnosis`] checks a Jacobian and names dependent constraints. From
//! Fortran and C the same core is called through [`capi`].
//!
//! [`methods`] beside Radau IIA: HHT on the index-3 equations ([`methods::hht`]), chosen by
//! [`options::MethodKind`].
//!
//! # Where to find the parts of GEOMS
//!
//! | routine of the report (Table 2) | here |
//! | --- | --- |
//! | GEOMS | [`capi::fortran`] (arguments), [`integrate`] and [`solver`] (driver) |
//! | GECORE | [`methods::radau::Radau`] |
//! | GEINIVAL | [`initial`] |
//! | GEFXNUM | [`jacobian`] |
//! | GEDECCLU, GEDECCQR, GEDECCSV | [`decompose`], ranks in [`formulation::rank`] |
//! | GEELIMFXQ, GEELIMFXS, GEELIMMIQ, GEELIMMIS, GEGREPEQ, GEGREPES | [`formulation`]: N, B = S·M·N, C = S·FX·N |
//! | GETRFRHSC, GEBSUBST | [`formulation::Formulation::particular`], [`formulation::Formulation::substitute`] |
//! | GEDECDLU, GESOLDLU, GESOLDQR | [`linalg::solver`] |
//! | GEERREST | `estimate_error` in [`methods::radau`] |
//! | GEDENSOUT | [`dense`] |
//! | EOM, MAS, JAC, IVCOND | [`system::System`], guarded by [`model`] |
//! | SOLOUT | [`system::Observer`] |
//!
//! # Where to change what
//!
//! | to change | look into |
//! | --- | --- |
//! | position of a block in x, RDA or FX1..FX6 | [`layout`], the only index arithmetic |
//! | an option: name, slot, range, default | the table in [`options`]; `make docs` renews reference and header |
//! | a code: IDID, sentence, advice | the table in [`error`]; `make docs` likewise |
//! | step size controller | [`control`], a pure function |
//! | when Newton's method stops or gives up | [`newton`], a pure monitor |
//! | Butcher tableau and transformation | [`methods::radau::tableau`], made by derivations/radau.py |
//! | what counts as rank deficient | [`formulation::rank`] |
//! | selectors | [`formulation::selector`] |
//! | counters | [`stats`] |
//! | when LAPACK is called and when own kernels | [`linalg`] |
//! | a test problem | [`testset`] |
//!
//! Dependences go one way: `capi → integrate → solver → methods → formulation → decompose → linalg`. `unsafe` is confined to
//! [`capi`] and [`linalg::lapack`].

// The boundary is where raw pointers come in.
#[allow(unsafe_code)]
pub mod capi;
pub mod control;
pub mod decompose;
pub mod dense;
pub mod diagnosis;
pub mod error;
pub mod events;
pub mod formulation;
pub mod initial;
pub mod integrate;
pub mod jacobian;
pub mod layout;
pub mod linalg;
pub mod methods;
pub mod model;
pub mod newton;
pub mod norm;
pub mod options;
pub mod reference;
pub mod solver;
pub mod stats;
pub mod system;
pub mod testset;
