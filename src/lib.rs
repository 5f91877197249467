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
//! A model implements [`system::System`], or says no more than its mass matrix, forces and constraints and leaves the rest
//! to [`mechanism`], where a whole program stands; [`integrate::integrate`] runs it.
//!
//! [`solver::Solver`] makes the same run step by step: it can be stopped, saved and resumed bit for bit, watch for
//! [`events`], and go on from a changed state. [`diagnosis`] checks a Jacobian and names dependent constraints. From
//! Fortran and C the same core is called through [`capi`].
//!
//! [`methods`] beside Radau IIA: HHT on the index-3 equations ([`methods::hht`]), chosen by
//! [`options::MethodKind`]. [`gluing`] couples separately written models at their joints, also across processes.
//!
//! # Where to find the parts of GEOMS
//!
//! | routine of the report (Table 2) | here |
//! | --- | --- |
//! | GEOMS | [`capi::fortran`] (arguments), [`integrate`], [`solver`] and [`driver`] (steps) |
//! | GECORE | [`methods::radau::Radau`] |
//! | GEINIVAL | [`initial`] |
//! | GEFXNUM | [`model::differences`] |
//! | GEDECCLU, GEDECCQR, GEDECCSV | [`decompose`], ranks in [`rank`] |
//! | GEELIMFXQ, GEELIMFXS, GEELIMMIQ, GEELIMMIS, GEGREPEQ, GEGREPES | [`formulation`]: N, B = S·M·N, C = S·FX·N |
//! | GETRFRHSC, GEBSUBST | the factored [`formulation::Formulation`] ([`linalg::linear::Factored`]) |
//! | GEDECDLU, GESOLDLU, GESOLDQR | [`formulation::Formulation::factor`], [`linalg::square`] |
//! | GEERREST | `estimate_error` in [`methods::radau`] |
//! | GEDENSOUT | [`polynomial`] |
//! | EOM, MAS, JAC, IVCOND | [`system::System`], guarded by [`model`] |
//! | SOLOUT | [`system::Observer`] |
//!
//! # Where to change what
//!
//! | to change | look into |
//! | --- | --- |
//! | position of a block in x, RDA or FX1..FX6 | [`layout`]; `fx[0]` to `fx[5]` are FX1 to FX6 of the manual |
//! | an option: name, slot, range, default | the table in [`options`]; `make docs` renews reference and header |
//! | a code: IDID, sentence, advice | the table in [`error`]; `make docs` likewise |
//! | the step loop, limits, taking steps back | [`driver`] |
//! | step size controller | [`control`] and, where a method has its own, beside it (`half_explicit/control.rs`, `hht/estimate.rs`): pure functions |
//! | when Newton's method stops or gives up | [`newton`]; of HHT `hht/predict.rs`: pure monitors |
//! | what a method asks of a model: derivatives, γ, accelerations | [`model`] |
//! | when a linear system is analysed, factored, solved | [`linalg::linear`] |
//! | what is stored and factored by the pattern of the model | [`model::by_pattern`], [`linalg::stored`], [`linalg::row_merge`] |
//! | Butcher tableau and transformation | [`methods::radau::tableau`], made by derivations/radau.py |
//! | what counts as rank deficient | [`rank`] |
//! | when a rank loss ahead is seen, and how it is passed | [`singular`], `critical` in [`methods::radau`] |
//! | selectors | [`formulation::selector`] |
//! | counters | [`stats`] |
//! | when LAPACK is called and when own kernels | [`linalg`] |
//! | what a model is checked for, and how a slip is named | [`check`] |
//! | how a model is made of its equations alone | [`mechanism`] |
//! | a test problem | the package `problems`; no part of the library |
//! | the header, the Fortran module, the generated pages | the package `documents` |
//!
//! # Dependences
//!
//! A room uses the rooms below its line only (problems/tests/architecture.rs reads this list and the imports):
//!
//! ```text
//! capi
//! integrate  gluing
//! solver
//! diagnosis
//! check
//! arguments  events  driver  lockup  singularity
//! methods
//! formulation  initial  control
//! model
//! mechanism  rank  newton  norm  singular
//! options  error  system  stats
//! polynomial  layout  decompose
//! linalg
//! ```
//!
//! `unsafe` is confined to [`capi`], [`linalg::lapack`], and the kernels that choose AVX2 and FMA at run time: [`linalg::lu`],
//! [`linalg::full_pivot`], [`linalg::lanes`], [`linalg::processor`].

mod arguments;
// The boundary is where raw pointers come in.
#[allow(unsafe_code)]
pub mod capi;
pub mod check;
pub mod control;
pub mod decompose;
pub mod diagnosis;
pub mod driver;
pub mod error;
pub mod events;
pub mod formulation;
pub mod gluing;
pub mod initial;
pub mod integrate;
pub mod layout;
pub mod linalg;
mod lockup;
pub mod mechanism;
pub mod methods;
pub mod model;
pub mod newton;
pub mod norm;
pub mod options;
pub mod polynomial;
pub mod rank;
pub mod singular;
mod singularity;
pub mod solver;
pub mod stats;
pub mod system;

/// Version of the library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

// The examples of the README are run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
