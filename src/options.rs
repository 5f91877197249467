//! Options: one table (name ↔ slot ↔ range ↔ default ↔ meaning) from which IOPT and ROPT are decoded,
//! options are set by name, and the reference is written.
//!
//! Slots 2 to 17 of IOPT and 1 to 9 of ROPT are those of the GEOMS manual. Slots 18 to 40 are read only
//! if IOPT(16)=1, because drivers written from the manual need not clear them.

use crate::decompose::DecompositionKind;
use crate::layout::Form;
use crate::linalg::SolverKind;
use std::fmt;

/// Step size controller (IOPT(8) = PRED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Gustafsson's predictive controller.
    Predictive,
    /// The classical controller.
    Classical,
}

/// Integration method (IOPT(18) = METHOD).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// Radau IIA on the projected-strangeness-free form.
    Radau = 0,
    /// HHT-α on the index-3 equations, or its relative generalised-α.
    Hht = 1,
    /// Half-explicit Runge-Kutta with projection, for nonstiff systems.
    HalfExplicit = 4,
}

/// Order of Radau IIA (IOPT(21) = ORDER).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// 5, three stages.
    Five,
    /// 9, five stages.
    Nine,
    /// 13, seven stages.
    Thirteen,
    /// Chosen from step to step.
    Automatic,
}

impl Order {
    /// The numbers of stages in question, lowest first.
    pub fn stages(self) -> &'static [usize] {
        match self {
            Order::Five => &[3],
            Order::Nine => &[5],
            Order::Thirteen => &[7],
            Order::Automatic => &[3, 5, 7],
        }
    }
}

/// Member of the family of method 1 (IOPT(23) = FAMILY).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// HHT-α.
    Hht,
    /// Generalised-α.
    GeneralizedAlpha,
}

/// Bit of PROJECT: velocities.
pub const PROJECT_VELOCITIES: u8 = 1;
/// Bit of PROJECT: accelerations and multipliers.
pub const PROJECT_ACCELERATIONS: u8 = 2;

/// Structure of the mass matrix (IOPT(15) = MASSTRCT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MassStructure {
    /// Full, depends on time or state.
    Full,
    /// Diagonal, depends on time or state.
    Diagonal,
    /// Full and constant.
    ConstantFull,
    /// Diagonal and constant.
    ConstantDiagonal,
}

impl MassStructure {
    /// True if one evaluation serves the whole run.
    pub fn is_constant(self) -> bool {
        matches!(self, MassStructure::ConstantFull | MassStructure::ConstantDiagonal)
    }
    /// True if only the diagonal is used.
    pub fn is_diagonal(self) -> bool {
        matches!(self, MassStructure::Diagonal | MassStructure::ConstantDiagonal)
    }
}

/// All options of a run, with the manual's defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Fortran unit for messages, 0 = silent.
    pub lun: i64,
    /// Maximal number of Newton iterations.
    pub nit: u32,
    /// Start Newton's method from x_k instead of the extrapolated polynomial.
    pub zero_start: bool,
    /// Formulation.
    pub form: Form,
    /// Maximal number of steps.
    pub nmax: u64,
    /// Step size controller.
    pub controller: Controller,
    /// Reference point of the Newton matrix: 0 = x_k, 1..3 = extrapolated stage.
    pub newton_reference: u8,
    /// Allowed updates of the Newton matrix within a step.
    pub newton_updates: u32,
    /// Decomposition of the algebraic part.
    pub decompose_constraints: DecompositionKind,
    /// Decomposition of the differential part.
    pub decompose_differential: SolverKind,
    /// Recompute the selectors in every step.
    pub selectors_every_step: bool,
    /// The equations do not depend on time explicitly.
    pub autonomous: bool,
    /// Structure of the mass matrix.
    pub mass: MassStructure,
    /// The initial values are known to be consistent.
    pub consistent: bool,
    /// Slots 18 to 40 of IOPT are read.
    pub extended: bool,
    /// Integration method.
    pub method: MethodKind,
    /// Order of method 0.
    pub order: Order,
    /// Constant step size.
    pub fixed_step: bool,
    /// A positive IERR rejects the step.
    pub recover: bool,
    /// What is projected before it is reported: [`PROJECT_VELOCITIES`], [`PROJECT_ACCELERATIONS`].
    pub project: u8,
    /// Member of the family of method 1.
    pub family: Family,
    /// α of HHT or spectral radius of generalised-α; `None` = default.
    pub dissipation: Option<f64>,
    /// ρ of the force elements in method 1.
    pub slope_weight: f64,
    /// Suspend invariants while they are rank deficient.
    pub relax_invariants: bool,
    /// Rounding unit.
    pub uround: f64,
    /// Safety factor of the step size prediction.
    pub safe: f64,
    /// Jacobian kept below this rate of convergence.
    pub thet: f64,
    /// Stopping criterion of Newton's method; `None` = from the tolerance.
    pub fnewt: Option<f64>,
    /// Step size kept if QUOT1 <= HNEW/HOLD <= QUOT2.
    pub quot1: f64,
    /// See `quot1`.
    pub quot2: f64,
    /// Maximal step size; `None` = TEND-T.
    pub hmax: Option<f64>,
    /// Largest HNEW/HOLD.
    pub facl: f64,
    /// Smallest HNEW/HOLD.
    pub facr: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            lun: 0,
            nit: 10,
            zero_start: false,
            form: Form::StrangenessFree,
            nmax: 100_000,
            controller: Controller::Predictive,
            newton_reference: 0,
            newton_updates: 0,
            decompose_constraints: DecompositionKind::Lu,
            decompose_differential: SolverKind::Lu,
            selectors_every_step: false,
            autonomous: false,
            mass: MassStructure::Full,
            consistent: false,
            extended: false,
            method: MethodKind::Radau,
            order: Order::Five,
            fixed_step: false,
            recover: false,
            project: 0,
            family: Family::Hht,
            dissipation: None,
            slope_weight: 0.5,
            relax_invariants: false,
            uround: 1e-16,
            safe: 0.9,
            thet: 0.001,
            fnewt: None,
            quot1: 1.0,
            quot2: 1.2,
            hmax: None,
            facl: 8.0,
            facr: 0.2,
        }
    }
}

/// Place of an option in the arrays of the legacy call, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Entry of IOPT.
    Iopt(usize),
    /// Entry of ROPT.
    Ropt(usize),
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slot::Iopt(k) => write!(f, "IOPT({k})"),
            Slot::Ropt(k) => write!(f, "ROPT({k})"),
        }
    }
}

/// How an entry writes its value; `false` = out of range.
enum Setter {
    Int(fn(&mut Options, i64) -> bool),
    Real(fn(&mut Options, f64) -> bool),
}

/// One row of the option table.
pub struct OptionEntry {
    /// Name, as in the manual.
    pub name: &'static str,
    /// Place in the legacy arrays.
    pub slot: Slot,
    /// Allowed values.
    pub range: &'static str,
    /// Default, taken for the value 0.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
    set: Setter,
}

/// A value that is not allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct BadOption {
    /// Option and slot, or argument.
    pub name: String,
    /// The value found.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} is not allowed; allowed: {}", self.name, self.value, self.allowed)
    }
}

/// Set a flag from 0 or 1.
fn flag(field: &mut bool, value: i64) -> bool {
    *field = value == 1;
    value == 0 || value == 1
}

/// Set a number that passes its range test; zero leaves the default.
fn number(field: &mut f64, value: f64, allowed: bool) -> bool {
    if value != 0.0 {
        *field = value;
    }
    value == 0.0 || allowed
}

macro_rules! entry {
    ($name:literal, $slot:expr, $range:literal, $default:literal, $meaning:literal, $set:expr) => {
        OptionEntry {
            name: $name,
            slot: $slot,
            range: $range,
            default: $default,
            meaning: $meaning,
            set: $set,
        }
    };
}

use Setter::{Int, Real};
use Slot::{Iopt, Ropt};

/// The option table, in the order of the manual. IOPT(16) comes before the slots that it opens.
pub static OPTIONS: &[OptionEntry] = &[
    entry!(
        "LUN",
        Iopt(2),
        ">= 0 (0, 6 or > 10 recommended)",
        "0",
        "Fortran unit for messages; 0 is silent, 6 the screen.",
        Int(|o, v| {
            o.lun = v;
            v >= 0
        })
    ),
    entry!(
        "NIT",
        Iopt(3),
        ">= 0",
        "10",
        "Maximal number of Newton iterations in a step.",
        Int(|o, v| {
            if v > 0 {
                o.nit = v.min(i64::from(u32::MAX)) as u32;
            }
            v >= 0
        })
    ),
    entry!(
        "STARTN",
        Iopt(4),
        "0, 1",
        "0",
        "Starting values of Newton's method: 0 extrapolated collocation polynomial, 1 the last point.",
        Int(|o, v| flag(&mut o.zero_start, v))
    ),
    entry!(
        "FORM",
        Iopt(5),
        "0, 1",
        "0",
        "Formulation: 0 projected-strangeness-free (gII, hI supplied), 1 projected-strangeness-index-1.",
        Int(|o, v| {
            o.form = if v == 1 { Form::Index1 } else { Form::StrangenessFree };
            v == 0 || v == 1
        })
    ),
    entry!(
        "NMAX",
        Iopt(6),
        ">= 0",
        "100000",
        "Maximal number of steps, rejected ones included.",
        Int(|o, v| {
            if v > 0 {
                o.nmax = v as u64;
            }
            v >= 0
        })
    ),
    entry!(
        "PRED",
        Iopt(8),
        "0, 1, 2",
        "1",
        "Step size controller: 1 predictive (Gustafsson), 2 classical.",
        Int(|o, v| {
            o.controller = if v == 2 { Controller::Classical } else { Controller::Predictive };
            (0..=2).contains(&v)
        })
    ),
    entry!(
        "NWTMAT",
        Iopt(9),
        "0, 1, 2, 3; not 0 only with STARTN=0",
        "0",
        "Point at which the Newton matrix is taken: 0 the last point, i = extrapolated stage i.",
        Int(|o, v| {
            o.newton_reference = v.clamp(0, 3) as u8;
            (0..=3).contains(&v)
        })
    ),
    entry!(
        "NWTUPD",
        Iopt(10),
        ">= 0",
        "0",
        "Updates of the Newton matrix allowed within a step before it is repeated with a smaller size.",
        Int(|o, v| {
            o.newton_updates = v.clamp(0, i64::from(u32::MAX)) as u32;
            v >= 0
        })
    ),
    entry!(
        "DECOMPC",
        Iopt(11),
        "0, 1, 2, 3",
        "1",
        "Decomposition of the algebraic part: 1 LU with full pivoting, 2 QR with pivoting, 3 SVD. \
         Redundant constraints need 3.",
        Int(|o, v| {
            o.decompose_constraints = match v {
                2 => DecompositionKind::Qr,
                3 => DecompositionKind::Svd,
                _ => DecompositionKind::Lu,
            };
            (0..=3).contains(&v)
        })
    ),
    entry!(
        "DECOMPD",
        Iopt(12),
        "0, 1",
        "0",
        "Decomposition of the differential part: 0 LU with partial pivoting, 1 QR.",
        Int(|o, v| {
            o.decompose_differential = if v == 1 { SolverKind::Qr } else { SolverKind::Lu };
            v == 0 || v == 1
        })
    ),
    entry!(
        "SELCOMP",
        Iopt(13),
        "0, 1",
        "0",
        "Selectors: 0 kept while the pivot columns of the constraints stay and Newton converges \
         (with DECOMPC=1 and DECOMPD=0, otherwise as 1), 1 recomputed with every predecomposition.",
        Int(|o, v| flag(&mut o.selectors_every_step, v))
    ),
    entry!(
        "AUTONOM",
        Iopt(14),
        "0, 1",
        "0",
        "1: the equations do not depend on time. Without effect in method 0: no part of the step uses a \
         time derivative. Method 1 saves time differences at its start and with PROJECT.",
        Int(|o, v| flag(&mut o.autonomous, v))
    ),
    entry!(
        "MASSTRCT",
        Iopt(15),
        "0, 1, 2, 3, 4",
        "1",
        "Mass matrix: 1 full, 2 diagonal, 3 full and constant, 4 diagonal and constant.",
        Int(|o, v| {
            o.mass = match v {
                2 => MassStructure::Diagonal,
                3 => MassStructure::ConstantFull,
                4 => MassStructure::ConstantDiagonal,
                _ => MassStructure::Full,
            };
            (0..=4).contains(&v)
        })
    ),
    entry!(
        "EXTEND",
        Iopt(16),
        "0, 1",
        "0",
        "1: the entries IOPT(18..40) are read.",
        Int(|o, v| flag(&mut o.extended, v))
    ),
    entry!(
        "IVCNSST",
        Iopt(17),
        "0, 1",
        "0",
        "Initial values: 0 checked and, with IVCOND, corrected; 1 taken as consistent.",
        Int(|o, v| flag(&mut o.consistent, v))
    ),
    entry!(
        "METHOD",
        Iopt(18),
        "0, 1, 4",
        "0",
        "Integration method: 0 Radau IIA; 1 HHT on the index-3 equations (second order); 4 half-explicit Runge-Kutta of \
         order 5, or 8 if RTOL <= 1e-6, for nonstiff systems.",
        Int(|o, v| {
            let known = [MethodKind::Radau, MethodKind::Hht, MethodKind::HalfExplicit];
            let known = known.into_iter().find(|m| *m as i64 == v);
            known.map(|m| o.method = m).is_some()
        })
    ),
    entry!(
        "FIXED",
        Iopt(19),
        "0, 1",
        "0",
        "1: constant step size H, no error control.",
        Int(|o, v| flag(&mut o.fixed_step, v))
    ),
    entry!(
        "RECOVER",
        Iopt(20),
        "0, 1",
        "0",
        "1: a positive IERR rejects the step; IERR is set to 0 and a smaller step is tried.",
        Int(|o, v| flag(&mut o.recover, v))
    ),
    entry!(
        "ORDER",
        Iopt(21),
        "0, 5, 9, 13, -1",
        "0",
        "Order of method 0: 0 or 5, 9, 13, or -1 for an automatic choice between them. SOLOUT is given a cubic \
         whatever the order.",
        Int(|o, v| {
            let known = [
                (0, Order::Five),
                (5, Order::Five),
                (9, Order::Nine),
                (13, Order::Thirteen),
                (-1, Order::Automatic),
            ];
            known.into_iter().find(|k| k.0 == v).map(|k| o.order = k.1).is_some()
        })
    ),
    entry!(
        "PROJECT",
        Iopt(22),
        "0, 1, 2, 3",
        "0",
        "Method 1, what is projected before it is reported: bit 1 velocities, onto gI = 0; bit 2 accelerations and \
         multipliers, from positions and velocities.",
        Int(|o, v| {
            o.project = v.clamp(0, 3) as u8;
            (0..=3).contains(&v)
        })
    ),
    entry!(
        "FAMILY",
        Iopt(23),
        "0, 1",
        "0",
        "Method 1: 0 HHT, 1 generalised-alpha.",
        Int(|o, v| {
            o.family = if v == 1 { Family::GeneralizedAlpha } else { Family::Hht };
            v == 0 || v == 1
        })
    ),
    entry!(
        "RELAXE",
        Iopt(25),
        "0, 1",
        "0",
        "1: an invariant is suspended while it is nearly rank deficient, instead of stopping the run.",
        Int(|o, v| flag(&mut o.relax_invariants, v))
    ),
    entry!(
        "UROUND",
        Ropt(1),
        "0 or 1e-19 < UROUND < 1e-3",
        "1e-16",
        "Rounding unit.",
        Real(|o, v| number(&mut o.uround, v, v > 1e-19 && v < 1e-3))
    ),
    entry!(
        "SAFE",
        Ropt(2),
        "0 or 0.001 < SAFE < 1",
        "0.9",
        "Safety factor of the step size prediction.",
        Real(|o, v| number(&mut o.safe, v, v > 1e-3 && v < 1.0))
    ),
    entry!(
        "THET",
        Ropt(3),
        "< 1; negative: Jacobian after every accepted step",
        "0.001",
        "The Jacobian is kept while the rate of convergence of Newton's method stays below THET.",
        Real(|o, v| number(&mut o.thet, v, v < 1.0 && v.is_finite()))
    ),
    entry!(
        "FNEWT",
        Ropt(4),
        "0 or UROUND/RTOL' < FNEWT < 1",
        "max(10*UROUND/RTOL', min(0.03, sqrt(RTOL')))",
        "Stopping criterion of Newton's method; RTOL' = 0.1*RTOL**(2/3) is the internal tolerance. \
         With invariants (NI > 0) the default has a sixteenth of the second term. Method 1: part of the tolerance to \
         which increments are solved, default 0.001.",
        Real(|o, v| {
            if v != 0.0 {
                o.fnewt = Some(v);
            }
            v == 0.0 || (v > 0.0 && v < 1.0)
        })
    ),
    entry!(
        "QUOT1",
        Ropt(5),
        "0 or 0 < QUOT1 <= 1",
        "1.0",
        "The step size is kept if QUOT1 <= HNEW/HOLD <= QUOT2 and the Jacobian is kept.",
        Real(|o, v| number(&mut o.quot1, v, v > 0.0 && v <= 1.0))
    ),
    entry!(
        "QUOT2",
        Ropt(6),
        "0 or >= 1",
        "1.2",
        "See QUOT1.",
        Real(|o, v| number(&mut o.quot2, v, v >= 1.0 && v.is_finite()))
    ),
    entry!(
        "HMAX",
        Ropt(7),
        "0 or > 0",
        "TEND-T",
        "Maximal step size.",
        Real(|o, v| {
            if v != 0.0 {
                o.hmax = Some(v);
            }
            v == 0.0 || (v > 0.0 && v.is_finite())
        })
    ),
    entry!(
        "FACL",
        Ropt(8),
        "0 or >= 1",
        "8.0",
        "Largest HNEW/HOLD; in method 1 at most 5.",
        Real(|o, v| number(&mut o.facl, v, v >= 1.0 && v.is_finite()))
    ),
    entry!(
        "FACR",
        Ropt(9),
        "0 or 0 < FACR <= 1",
        "0.2",
        "Smallest HNEW/HOLD.",
        Real(|o, v| number(&mut o.facr, v, v > 0.0 && v <= 1.0))
    ),
    entry!(
        "ALPHA",
        Ropt(10),
        "HHT: 0 or -1/3 <= ALPHA < 0, or 1; generalised-alpha: 0 or 0 < ALPHA <= 1",
        "-0.3 (HHT), 0.8 (generalised-alpha)",
        "Numerical dissipation of method 1: alpha of HHT, where 1 asks for alpha = 0, which is only weakly stable; \
         spectral radius at infinity of generalised-alpha.",
        Real(|o, v| {
            o.dissipation = (v != 0.0).then_some(v);
            (-1.0 / 3.0..=1.0).contains(&v)
        })
    ),
    entry!(
        "RHO",
        Ropt(11),
        "0 or 0.5 <= RHO <= 1",
        "0.5",
        "Method 1: weight of the new slope of the force elements r; only 0.5 is of second order.",
        Real(|o, v| number(&mut o.slope_weight, v, (0.5..=1.0).contains(&v)))
    ),
];

impl OptionEntry {
    fn refusal(&self, value: impl fmt::Display) -> BadOption {
        BadOption {
            name: format!("{} = {}", self.slot, self.name),
            value: value.to_string(),
            allowed: self.range.to_string(),
        }
    }

    fn set_int(&self, options: &mut Options, value: i64) -> Result<(), BadOption> {
        match self.set {
            Int(set) if set(options, value) => Ok(()),
            _ => Err(self.refusal(value)),
        }
    }

    fn set_real(&self, options: &mut Options, value: f64) -> Result<(), BadOption> {
        match self.set {
            Real(set) if set(options, value) => Ok(()),
            _ => Err(self.refusal(value)),
        }
    }
}

impl Options {
    /// Decode the arrays of the legacy call (both of length 40).
    pub fn from_arrays(iopt: &[i64; 40], ropt: &[f64; 40]) -> Result<Options, BadOption> {
        let mut options = Options::default();
        let mut used = [false; 40];
        for entry in OPTIONS {
            match entry.slot {
                Iopt(k) if k < 18 || options.extended => {
                    used[k - 1] = true;
                    entry.set_int(&mut options, iopt[k - 1])?;
                }
                Iopt(_) => {}
                Ropt(k) => entry.set_real(&mut options, ropt[k - 1])?,
            }
        }
        if options.extended {
            reserved(&iopt[17..], &used[17..], "IOPT", 18)?;
        }
        let mut used = [false; 40];
        for entry in OPTIONS {
            if let Ropt(k) = entry.slot {
                used[k - 1] = true;
            }
        }
        reserved(&ropt[9..], &used[9..], "ROPT", 10)?;
        options.validate()?;
        Ok(options)
    }

    /// Set an integer option by its name in the table (any case).
    pub fn set_int(&mut self, name: &str, value: i64) -> Result<(), BadOption> {
        find(name, value)?.set_int(self, value)?;
        self.validate()
    }

    /// Set a real option by its name in the table (any case).
    pub fn set_real(&mut self, name: &str, value: f64) -> Result<(), BadOption> {
        find(name, value)?.set_real(self, value)?;
        self.validate()
    }

    /// Refuse contradictory combinations.
    pub fn validate(&self) -> Result<(), BadOption> {
        if self.newton_reference != 0 && self.zero_start {
            return Err(BadOption {
                name: "IOPT(9) = NWTMAT".into(),
                value: format!("{} with IOPT(4) = STARTN = 1", self.newton_reference),
                allowed: "1, 2, 3 only with STARTN=0 (there is no extrapolated stage otherwise)".into(),
            });
        }
        let allowed = match (self.family, self.dissipation) {
            (_, None) => true,
            (Family::Hht, Some(v)) => v == 1.0 || (-1.0 / 3.0..=0.0).contains(&v),
            (Family::GeneralizedAlpha, Some(v)) => (0.0..=1.0).contains(&v),
        };
        if !allowed {
            return Err(BadOption {
                name: "ROPT(10) = ALPHA".into(),
                value: format!("{} with {:?}", self.dissipation.unwrap_or_default(), self.family),
                allowed: "-1/3 <= ALPHA <= 0 with HHT (alpha = 0 by the value 1), 0 < ALPHA <= 1 with \
                          generalised-alpha (set IOPT(23) = FAMILY first)"
                    .into(),
            });
        }
        Ok(())
    }

    /// A word of caution about options that are allowed but seldom wanted.
    pub fn caution(&self) -> Option<&'static str> {
        let undamped = match (self.family, self.dissipation) {
            (Family::Hht, Some(v)) => v == 0.0 || v == 1.0,
            (Family::GeneralizedAlpha, Some(v)) => v == 1.0,
            (_, None) => false,
        };
        (self.method == MethodKind::Hht && undamped).then_some(
            "warning: without numerical dissipation (ROPT(10) = ALPHA = 1) the index-3 equations are only weakly stable: \
             errors of the multipliers are not damped and Newton's method may fail after some time; ALPHA <= -0.05 is \
             recommended",
        )
    }
}

fn find(name: &str, value: impl fmt::Display) -> Result<&'static OptionEntry, BadOption> {
    OPTIONS.iter().find(|e| e.name.eq_ignore_ascii_case(name)).ok_or_else(|| BadOption {
        name: name.to_string(),
        value: value.to_string(),
        allowed: "the names of the option table".into(),
    })
}

/// Slots that no option uses must be zero, so that they can be given a meaning later.
fn reserved<T>(values: &[T], used: &[bool], array: &str, first: usize) -> Result<(), BadOption>
where
    T: PartialEq + Default + fmt::Display,
{
    for (k, (value, used)) in values.iter().zip(used).enumerate() {
        if !used && *value != T::default() {
            return Err(BadOption {
                name: format!("{array}({})", first + k),
                value: value.to_string(),
                allowed: "0 (reserved)".into(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_arrays_give_the_defaults() {
        let options = Options::from_arrays(&[0; 40], &[0.0; 40]);
        assert_eq!(options, Ok(Options::default()));
    }

    #[test]
    fn old_drivers_may_leave_anything_behind_slot_17() {
        let mut iopt = [0; 40];
        iopt[17..].fill(-7);
        assert!(Options::from_arrays(&iopt, &[0.0; 40]).is_ok());
        iopt[15] = 1;
        assert!(Options::from_arrays(&iopt, &[0.0; 40]).is_err());
    }

    #[test]
    fn every_entry_refuses_a_value_and_names_itself() {
        for entry in OPTIONS {
            let (mut iopt, mut ropt) = ([0; 40], [0.0; 40]);
            match entry.slot {
                Iopt(k) => {
                    iopt[15] = 1;
                    iopt[k - 1] = -7;
                }
                Ropt(k) => ropt[k - 1] = if entry.name == "THET" { 1.5 } else { -1.0 },
            }
            let bad = Options::from_arrays(&iopt, &ropt).expect_err(entry.name);
            assert!(bad.name.contains(entry.name), "{bad}");
            if let Ropt(k) = entry.slot {
                ropt[k - 1] = f64::NAN;
                let bad = Options::from_arrays(&iopt, &ropt).expect_err(entry.name);
                assert!(bad.to_string().contains("NaN"), "{bad}");
            }
        }
    }

    #[test]
    fn reference_point_needs_extrapolation() {
        let mut iopt = [0; 40];
        (iopt[8], iopt[3]) = (2, 1);
        let bad = Options::from_arrays(&iopt, &[0.0; 40]).expect_err("contradiction");
        assert!(bad.name.contains("NWTMAT"));
    }

    #[test]
    fn names_and_slots_are_unique() {
        for (i, a) in OPTIONS.iter().enumerate() {
            for b in &OPTIONS[..i] {
                assert!(a.name != b.name && a.slot != b.slot);
            }
        }
    }
}
