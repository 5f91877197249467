//! Options: one table (name ↔ slot ↔ range ↔ default ↔ meaning) from which IOPT and ROPT are decoded,
//! options are set by name, and the reference is written.
//!
//! Slots 2 to 17 of IOPT and 1 to 9 of ROPT are those of the GEOMS manual. Slots 18 to 40 are read only
//! if IOPT(16)=1, because drivers written from the manual need not clear them.

mod checks;
mod method;
mod multipliers;
mod second_order;
mod singular;
mod table;

pub use checks::{CheckLevel, WatchLevel};
pub use method::MethodKind;
pub use multipliers::StageMultipliers;
pub use second_order::{Family, MonitorUse, NewmarkScheme};
pub use singular::Singular;
pub use table::OPTIONS;

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

/// The fields of [`Options`], each with its default of the `geoms_` call.
macro_rules! options {
    ($($(#[$doc:meta])* pub $field:ident: $kind:ty = $of_call:expr,)*) => {
        /// All options of a run. [`Options::default`] is what the handle and Rust programs begin with, [`Options::of_call`] has the
        /// manual's defaults, those of the `geoms_` call.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Options {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Options {
            /// The defaults of the `geoms_` call, which the manual documents: they never change.
            pub fn of_call() -> Self {
                Options { $($field: $of_call,)* }
            }
        }
    };
}

options! {
    /// Fortran unit for messages, 0 = silent.
    pub lun: i64 = 0,
    /// Maximal number of Newton iterations.
    pub nit: u32 = 10,
    /// Start Newton's method from x_k instead of the extrapolated polynomial.
    pub zero_start: bool = false,
    /// Formulation.
    pub form: Form = Form::StrangenessFree,
    /// Maximal number of steps.
    pub nmax: u64 = 100_000,
    /// Step size controller.
    pub controller: Controller = Controller::Predictive,
    /// Reference point of the Newton matrix: 0 = x_k, 1..3 = extrapolated stage; `None` = the middle stage if stages are
    /// extrapolated.
    pub newton_reference: Option<u8> = Some(0),
    /// Allowed updates of the Newton matrix within a step.
    pub newton_updates: u32 = 0,
    /// Decomposition of the algebraic part.
    pub decompose_constraints: DecompositionKind = DecompositionKind::Lu,
    /// Decomposition of the differential part.
    pub decompose_differential: SolverKind = SolverKind::Lu,
    /// Recompute the selectors in every step.
    pub selectors_every_step: bool = false,
    /// The equations do not depend on time explicitly.
    pub autonomous: bool = false,
    /// Structure of the mass matrix.
    pub mass: MassStructure = MassStructure::Full,
    /// The initial values are known to be consistent.
    pub consistent: bool = false,
    /// Slots 18 to 40 of IOPT are read.
    pub extended: bool = false,
    /// Integration method.
    pub method: MethodKind = MethodKind::Radau,
    /// Order of method 0.
    pub order: Order = Order::Five,
    /// Constant step size.
    pub fixed_step: bool = false,
    /// A positive IERR rejects the step.
    pub recover: bool = false,
    /// What is projected before it is reported: [`PROJECT_VELOCITIES`], [`PROJECT_ACCELERATIONS`].
    pub project: u8 = 0,
    /// Member of the family of method 1.
    pub family: Family = Family::Hht,
    /// α of HHT or spectral radius of generalised-α; `None` = default.
    pub dissipation: Option<f64> = None,
    /// ρ of the force elements in method 1.
    pub slope_weight: f64 = 0.5,
    /// Member of the family of method 3.
    pub newmark_scheme: NewmarkScheme = NewmarkScheme::FoxGoodwin,
    /// β of method 3; `None` = that of the scheme.
    pub newmark_beta: Option<f64> = None,
    /// γ of method 3; `None` = that of the scheme.
    pub newmark_gamma: Option<f64> = None,
    /// What method 3 does with the largest natural frequency.
    pub monitor: MonitorUse = MonitorUse::Report,
    /// Suspend invariants while they are rank deficient.
    pub relax_invariants: bool = false,
    /// Check of the model at the start.
    pub check: CheckLevel = CheckLevel::Off,
    /// Checks of the model during the run.
    pub watch: WatchLevel = WatchLevel::Off,
    /// FORM=0: what multipliers of the stages follow from.
    pub stage_multipliers: StageMultipliers = StageMultipliers::Constraints,
    /// What is done where the constraints lose rank for an instant.
    pub singular: Singular = Singular::Stop,
    /// Rounding unit.
    pub uround: f64 = 1e-16,
    /// Safety factor of the step size prediction.
    pub safe: f64 = 0.9,
    /// Jacobian kept below this rate of convergence.
    pub thet: f64 = 0.001,
    /// Stopping criterion of Newton's method; `None` = from the tolerance.
    pub fnewt: Option<f64> = None,
    /// Step size kept if QUOT1 <= HNEW/HOLD <= QUOT2.
    pub quot1: f64 = 1.0,
    /// See `quot1`.
    pub quot2: f64 = 1.2,
    /// Maximal step size; `None` = TEND-T.
    pub hmax: Option<f64> = None,
    /// Largest HNEW/HOLD.
    pub facl: f64 = 8.0,
    /// Smallest HNEW/HOLD.
    pub facr: f64 = 0.2,
}

/// What wins over the benchmark problems (`geoms-bench --settings`): NWTMAT=2 and order 9. Models are checked, singular positions passed.
impl Default for Options {
    fn default() -> Self {
        Options {
            newton_reference: None,
            method: MethodKind::ByModel,
            order: Order::Nine,
            check: CheckLevel::Quick,
            watch: WatchLevel::Warn,
            singular: Singular::Pass,
            stage_multipliers: StageMultipliers::Automatic,
            ..Options::of_call()
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
    /// Default of the call, taken for the value 0.
    pub default: &'static str,
    /// What the handle begins with, if that is something else.
    pub handle: Option<&'static str>,
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

impl BadOption {
    /// From whatever can be written.
    pub fn new(name: impl fmt::Display, value: impl fmt::Display, allowed: impl fmt::Display) -> Self {
        BadOption { name: name.to_string(), value: value.to_string(), allowed: allowed.to_string() }
    }
}

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} is not allowed; allowed: {}", self.name, self.value, self.allowed)
    }
}

use Setter::{Int, Real};
use Slot::{Iopt, Ropt};

impl OptionEntry {
    /// True if its values are integers.
    pub fn is_integer(&self) -> bool {
        matches!(self.set, Int(_))
    }

    fn refusal(&self, value: impl fmt::Display) -> BadOption {
        BadOption::new(format_args!("{} = {}", self.slot, self.name), value, self.range)
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
    /// The reference point of the Newton matrix that is taken: 0 = x_k, 1..3 = extrapolated stage.
    pub fn newton_reference(&self) -> u8 {
        self.newton_reference.unwrap_or(if self.zero_start { 0 } else { 2 })
    }

    /// Decode the arrays of the legacy call (both of length 40).
    pub fn from_arrays(iopt: &[i64; 40], ropt: &[f64; 40]) -> Result<Options, BadOption> {
        let mut options = Options::of_call();
        for entry in OPTIONS {
            match entry.slot {
                Iopt(k) if k < 18 || options.extended => entry.set_int(&mut options, iopt[k - 1])?,
                Iopt(_) => {}
                Ropt(k) => entry.set_real(&mut options, ropt[k - 1])?,
            }
        }
        if options.extended {
            reserved(iopt, Iopt, 18)?;
        }
        reserved(ropt, Ropt, 10)?;
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
        if self.newton_reference() != 0 && self.zero_start {
            let value = format!("{} with IOPT(4) = STARTN = 1", self.newton_reference());
            let allowed = "1, 2, 3 only with STARTN=0 (there is no extrapolated stage otherwise)";
            return Err(BadOption::new("IOPT(9) = NWTMAT", value, allowed));
        }
        let allowed = match (self.family, self.dissipation) {
            (_, None) => true,
            (Family::Hht, Some(v)) => v == 1.0 || (-1.0 / 3.0..=0.0).contains(&v),
            (Family::GeneralizedAlpha, Some(v)) => (0.0..=1.0).contains(&v),
        };
        if !allowed {
            let value = format!("{} with {:?}", self.dissipation.unwrap_or_default(), self.family);
            let allowed = "-1/3 <= ALPHA <= 0 with HHT (alpha = 0 by the value 1), 0 < ALPHA <= 1 with \
                           generalised-alpha (set IOPT(23) = FAMILY first)";
            return Err(BadOption::new("ROPT(10) = ALPHA", value, allowed));
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

/// A text of the call in the names of the options, as a handle sets them: `IOPT(11)=3` becomes `"decompc" = 3`.
pub fn in_names(text: &str) -> String {
    let mut out = text.to_string();
    for (call, handle) in [
        ("; set IOPT(2)=6 to see it", ""),
        ("IOPT(16)=1 and IOPT(25)=1", "IOPT(25)=1"),
        (
            "Check JAC against differences (IJAC=0)",
            "Check the Jacobian against differences (geoms_check_jacobian)",
        ),
        ("Supply IVCOND (NIVCOND>0)", "Supply conditions (geoms_set_conditions)"),
        (", or use IJAC=0", ", or set no Jacobian"),
        ("IERR < 0", "a negative number was returned"),
        ("IERR<0", "a negative number was returned"),
        ("IERR > 0 with IOPT(20)=1", "a positive number was returned"),
        ("conditions of IVCOND", "conditions"),
        ("NIVCOND", "their number"),
        ("IVCOND", "the conditions"),
    ] {
        if out.contains(call) {
            out = out.replace(call, handle);
        }
    }
    // A handle that refuses calls in a loop should not spend its time on texts that name no slot.
    if !out.contains("OPT(") {
        return out;
    }
    for entry in OPTIONS {
        let slot = entry.slot.to_string();
        if !out.contains(&slot) {
            continue;
        }
        let name = format!("\"{}\"", entry.name.to_lowercase());
        out = out.replace(&format!("{slot} = {}", entry.name), entry.name);
        out = out.replace(&format!("{slot}="), &format!("{name} = "));
        out = out.replace(&slot, &name);
    }
    out
}

fn find(name: &str, value: impl fmt::Display) -> Result<&'static OptionEntry, BadOption> {
    let found = OPTIONS.iter().find(|e| e.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| BadOption::new(name, value, "the names of the option table"))
}

/// Slots that no option uses must be zero, so that they can be given a meaning later.
fn reserved<T>(values: &[T], slot: fn(usize) -> Slot, first: usize) -> Result<(), BadOption>
where
    T: PartialEq + Default + fmt::Display,
{
    for (k, value) in (1..).zip(values).skip(first - 1) {
        if *value != T::default() && OPTIONS.iter().all(|entry| entry.slot != slot(k)) {
            return Err(BadOption::new(slot(k), value, "0 (reserved)"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
