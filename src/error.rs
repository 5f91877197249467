//! What can go wrong: one table of codes (variant ↔ IDID ↔ sentence ↔ advice), and the report of a
//! failed run.
//!
//! The numbers are those of the GEOMS manual; its first two digits name the part of the solver. Codes
//! marked `added` use free numbers of that scheme, codes marked `unreachable` belong to steps of the
//! original that this implementation does not have.

use crate::layout::Name;
use std::fmt;

/// How a code of the table can occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A code of the manual.
    Manual,
    /// An addition of this library.
    Added,
    /// A code of the manual that this implementation cannot produce.
    Unreachable,
}

macro_rules! code_table {
    ($( $(#[$origin:ident])? $variant:ident = $idid:literal : $sentence:literal ; $advice:literal )*) => {
        /// Reason of an unsuccessful return.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum Code {
            $( #[doc = $sentence] $variant = $idid, )*
        }

        /// All codes in the order of the manual.
        pub const CODES: &[Code] = &[ $( Code::$variant, )* ];

        impl Code {
            /// One sentence that says what happened.
            pub const fn sentence(self) -> &'static str {
                match self { $( Code::$variant => $sentence, )* }
            }
            /// What to try next.
            pub const fn advice(self) -> &'static str {
                match self { $( Code::$variant => $advice, )* }
            }
            /// Where the code comes from.
            pub const fn origin(self) -> Origin {
                match self { $( Code::$variant => code_table!(@origin $($origin)?), )* }
            }
            /// Name of the variant.
            pub const fn name(self) -> &'static str {
                match self { $( Code::$variant => stringify!($variant), )* }
            }
            /// The code with this IDID.
            pub const fn from_idid(idid: i32) -> Option<Code> {
                match idid { $( $idid => Some(Code::$variant), )* _ => None }
            }
        }
    };
    (@origin) => { Origin::Manual };
    (@origin added) => { Origin::Added };
    (@origin unreachable) => { Origin::Unreachable };
}

code_table! {
    BadArgument = -1001:
        "An argument, an option or a tolerance has a value that is not allowed.";
        "The message names the argument, its value and what is allowed; set IOPT(2)=6 to see it."
    NegativeIdid = -1002:
        "IDID is negative on entry.";
        "Set IDID=0 before the call; a negative IDID of an earlier call has not been looked at."
    #[added] Internal = -1003:
        "Internal error; the run was abandoned and the process protected.";
        "Please report it with the model and the options; X and T hold the values given at the call."
    #[added] OutOfMemory = -1004:
        "The work space could not be allocated.";
        "Check the dimensions; the work space grows with the square of N."
    #[added] InUse = -1005:
        "The handle is in use: the function was called from one of its callbacks, or from another thread.";
        "Call it after the running call has returned; geoms_request_stop may be called at any time."
    #[added] NotReady = -1006:
        "A function was called before one that it depends on.";
        "The message names what is missing; the order is: create, set callbacks and options, start, integrate."
    StoppedBySolout = -1101:
        "SOLOUT stopped the run (IERR<0).";
        "X and T hold the point at which SOLOUT was called."
    StoppedByEom = -1102:
        "EOM stopped the run (IERR<0).";
        "X and T hold the last accepted point."
    StoppedByMas = -1103:
        "MAS stopped the run (IERR<0), or returned NaN or Inf twice at the same point.";
        "X and T hold the last accepted point; check the mass matrix there."
    StoppedByJac = -1104:
        "JAC stopped the run (IERR<0), or returned NaN or Inf twice at the same point.";
        "X and T hold the last accepted point; check the partial derivatives there, or use IJAC=0."
    InconsistentInitialValues = -1105:
        "The initial values are not consistent and there are no conditions to correct them with.";
        "Supply IVCOND (NIVCOND>0), correct X, or set IOPT(17)=1 if p and v are consistent. X of method 1 is, for the others, \
         with IOPT(22)=3."
    TendBeforeT = -1106:
        "The final time TEND lies before the initial time T.";
        "Integrate forwards in time; T=TEND only makes the initial values consistent."
    #[added] EomNotEvaluable = -1107:
        "EOM or PARTS returned NaN or Inf, or a subroutine a positive IERR (RECOVER), down to the smallest step size.";
        "The model cannot be evaluated beyond the reported point: check it there, or reduce HMAX."
    #[added] StopRequested = -1108:
        "The run was stopped on request.";
        "X and T hold the last accepted point; the run can be resumed there."
    #[added] RootFunctionFailed = -1109:
        "A root function returned NaN or Inf, stopped the run, or asked for a smaller step down to the smallest one.";
        "X and T hold the last accepted point; check the root function at the time that the cause names."
    #[added] StoppedByParts = -1110:
        "PARTS (geoms_set_parts, System::parts) stopped the run with a negative return.";
        "X and T hold the last accepted point; without PARTS the method takes EOM, MAS and JAC."
    #[unreachable] QrOfFx1 = -1111:
        "QR decomposition of FX1 not possible.";
        "Not produced: matrices are checked for NaN and Inf before they are decomposed."
    #[unreachable] QrOfFx2 = -1112:
        "QR decomposition of FX2 not possible.";
        "Not produced: matrices are checked for NaN and Inf before they are decomposed."
    #[unreachable] QrOfFx3 = -1113:
        "QR decomposition of FX3 not possible.";
        "Not produced: matrices are checked for NaN and Inf before they are decomposed."
    QrOfNewtonMatrix = -1114:
        "The Newton matrix E1 or E2 was singular in its QR decomposition five times in a row.";
        "Check conditions b) to e) of the manual (mass matrix, constraints, invariants) at this point."
    SingularNewtonMatrix = -1115:
        "The Newton matrix E1 or E2 was singular in its LU decomposition five times in a row.";
        "Check conditions b) to e) of the manual (mass matrix, constraints, invariants) at this point."
    NewtonDiverges = -1116:
        "Newton's method does not converge, whatever the step size.";
        "Check JAC against differences (IJAC=0), try IOPT(4)=1 or IOPT(10)=1, and look for a jump in EOM."
    TooManySteps = -1117:
        "More than NMAX steps are needed.";
        "Increase IOPT(6), or call again with the returned X and T to go on."
    StepTooSmall = -1118:
        "Step size too small.";
        "The error test fails at any step size: look for a jump or a singularity, or enlarge the tolerances."
    #[added] Lockup = -1119:
        "The constraints cannot be satisfied beyond this point: the mechanism locks up.";
        "The row named cannot be kept up: a drive asks for more than the mechanism can reach, or a loop is stretched to \
         its end. Change the drive or the lengths, or end the run before."
    #[added] ModelContradiction = -1120:
        "The model contradicts itself: a check found a row that does not fit the others (IOPT(27)=2).";
        "Mend the named row; geoms_check_model shows all findings. IOPT(27)=1 only warns."
    #[added] PeerLost = -1121:
        "A participant of a glued run does not answer.";
        "The message names it; all others have ended too. Resume from what was saved, with the same number of participants."
    #[added] InterfaceSingular = -1122:
        "The interface equations of a glued run cannot be solved.";
        "Check the Jacobians of the ports and the mass matrices of the subdomains for entries that are not finite."
    #[added] StoppedByPort = -1123:
        "A port of a glued subdomain stopped the run with a negative return, or gave NaN or Inf.";
        "The last accepted point is kept by all participants; check the port there."
    #[added] NotGlueable = -1124:
        "The algorithm of Tseng and Hulbert is for models with p' = v.";
        "Glue the model by the interface equations, the default, or write it with velocities that are the derivatives of its positions."
    #[unreachable] DormqrReal = -1128:
        "An error occurred during use of DORMQR.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    #[unreachable] DormqrComplex = -1129:
        "An error occurred during use of DORMQR.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    StoppedByEomInDifferences = -1201:
        "EOM stopped the run (IERR<0) while the Jacobian was approximated by differences.";
        "X and T hold the last accepted point; supply JAC if the model cannot be evaluated around it."
    Fx1DeficientQr = -1401:
        "Constraints redundant or dd/dw singular (FX1 rank deficient in its QR decomposition).";
        "Try the integration again with IOPT(11)=3 (SVD)."
    Fx2DeficientQr = -1402:
        "Constraints or invariants redundant (FX2 rank deficient in its QR decomposition).";
        "Try IOPT(11)=3 (SVD); for an invariant that loses rank, IOPT(16)=1 and IOPT(25)=1."
    Fx3DeficientQr = -1403:
        "Constraints redundant or dc/ds singular (FX3 rank deficient in its QR decomposition).";
        "Try the integration again with IOPT(11)=3 (SVD)."
    #[unreachable] MultiplyQ1 = -1801:
        "Multiplication with Q1 not possible.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    #[unreachable] MultiplyQ2 = -1802:
        "Multiplication with Q2 not possible.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    #[unreachable] MultiplyQ3 = -1803:
        "Multiplication with Q3 not possible.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    #[unreachable] MultiplyQ4 = -1804:
        "Multiplication with Q4 not possible.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    #[unreachable] MultiplyQ4InErrorEstimate = -2004:
        "Multiplication with Q4 not possible in the error estimate.";
        "Not produced: the arguments of the orthogonal transformations are checked beforehand."
    StoppedByEomInInitialValues = -2101:
        "EOM stopped the run (IERR<0), or returned NaN or Inf, during the check of the initial values.";
        "X and T are unchanged; check EOM at the initial point."
    StoppedByIvcond = -2102:
        "IVCOND stopped the run (IERR<0), or returned NaN or Inf.";
        "X and T are unchanged; check IVCOND at the initial point."
    #[unreachable] SvdInInitialValues = -2103:
        "An error occurred during the SVD of the initial value equations.";
        "Not produced: the matrix is checked for NaN and Inf before it is decomposed."
    ContradictoryConditions = -2104:
        "The conditions of IVCOND and the constraints contradict each other.";
        "Compare the named condition with the constraints, or set IOPT(17)=1 if p and v are consistent."
    InitialValuesDiverge = -2105:
        "No convergence in the determination of consistent initial values.";
        "Give initial values nearer to the conditions of IVCOND."
    TooFewConditions = -2106:
        "Constraints and conditions of IVCOND do not determine the initial values, which are not consistent.";
        "Supply a condition for the named variable, check NIVCOND, or correct X and set IOPT(17)=1."
    RankChanged = -2401:
        "The rank of the constraints changed between two steps.";
        "A singular configuration lies at this point: start behind it, or change the model there."
    DeficiencyFx2 = -2402:
        "Constraints not uniformly redundant: the rank deficiencies of FX1 and FX2 differ.";
        "Check gII, hI and gI, h for consistency; an invariant must not depend on the constraints."
    DeficiencyFx3 = -2403:
        "Constraints not uniformly redundant: the rank deficiencies of FX1 and FX3 differ.";
        "Check gII and g for consistency; redundancy among nonholonomic constraints alone is not covered."
    #[unreachable] SvdFailed = -2404:
        "An error occurred during the SVD of FX1, FX2 or FX3.";
        "Not produced by finite matrices; report it with the model."
    #[added] RedundantIndex1 = -2405:
        "The forces of the multipliers have not the rank of the constraints, or dd/dw is singular (IOPT(5)=1, SVD).";
        "Check the terms of lambda and mu in f_dyn against gI and h, and d; or remove the redundant constraint."
    #[added] SingularConfiguration = -2406:
        "The constraints lose rank at this position, and the run cannot go on beyond it.";
        "Where the motion is smooth, IOPT(16)=1 and IOPT(32)=1 pass it. If it comes to rest there its continuation is not \
         unique: give it more speed, change the lengths, or add a constraint that chooses the branch."
    Fx1DeficientLu = -2601:
        "Constraints redundant or dd/dw singular (FX1 rank deficient in its LU decomposition).";
        "Try the integration again with IOPT(11)=3 (SVD)."
    Fx2DeficientLu = -2602:
        "Constraints or invariants redundant (FX2 rank deficient in its LU decomposition).";
        "Try IOPT(11)=3 (SVD); for an invariant that loses rank, IOPT(16)=1 and IOPT(25)=1."
    Fx3DeficientLu = -2603:
        "Constraints redundant or dc/ds singular (FX3 rank deficient in its LU decomposition).";
        "Try the integration again with IOPT(11)=3 (SVD)."
}

impl Code {
    /// The number returned in IDID.
    pub const fn idid(self) -> i32 {
        self as i32
    }

    /// The callback whose code this is.
    pub(crate) const fn callback(self) -> &'static str {
        match self {
            Code::StoppedByMas => "MAS",
            Code::StoppedByJac => "JAC",
            Code::StoppedByParts => "PARTS",
            Code::StoppedByPort => "a port",
            Code::RootFunctionFailed => "the root functions",
            _ => "EOM",
        }
    }

    /// True if a method could make no more steps, which may lie in the configuration that the mechanism has come to.
    pub(crate) const fn ends_steps(self) -> bool {
        use Code::*;
        matches!(
            self,
            StepTooSmall
                | TooManySteps
                | NewtonDiverges
                | SingularNewtonMatrix
                | QrOfNewtonMatrix
                | RankChanged
                | SingularConfiguration
                | DeficiencyFx2
                | DeficiencyFx3
                | Fx1DeficientQr
                | Fx2DeficientQr
                | Fx3DeficientQr
                | Fx1DeficientLu
                | Fx2DeficientLu
                | Fx3DeficientLu
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IDID = {}: {}", self.idid(), self.sentence())
    }
}

/// Why a step was not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rejection {
    /// The error estimate was too large.
    ErrorTest {
        /// Its weighted norm.
        err: f64,
    },
    /// Newton's method diverged or would not converge in the iterations left.
    Newton {
        /// Estimated rate of convergence.
        theta: f64,
    },
    /// E1 or E2 singular.
    SingularMatrix,
    /// The step meets a position where the constraints lose rank.
    RankLoss {
        /// Smallest magnitude of the constraints in the step, relative to the largest.
        smallest: f64,
    },
    /// NaN or Inf in the right-hand side.
    NotFinite {
        /// The code of the callback that returned it; none if it arose in the step.
        by: Option<Code>,
    },
    /// The model asked for a smaller step.
    Model {
        /// The code of the callback that did.
        by: Code,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::ErrorTest { err } => write!(f, "error test failed (norm {err:.2e})"),
            Rejection::Newton { theta } => write!(f, "Newton did not converge (rate {theta:.2e})"),
            Rejection::SingularMatrix => write!(f, "Newton matrix singular"),
            Rejection::RankLoss { smallest } => {
                write!(f, "constraints lose rank within the step (smallest magnitude {smallest:.1e})")
            }
            Rejection::NotFinite { by: None } => write!(f, "NaN or Inf in the right-hand side"),
            Rejection::NotFinite { by: Some(code) } => write!(f, "{} returned NaN or Inf", code.callback()),
            Rejection::Model { by } => {
                write!(f, "{} asked for a smaller step with a positive return", by.callback())
            }
        }
    }
}

/// One rejected attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Start of the step.
    pub t: f64,
    /// Its size.
    pub h: f64,
    /// Why it was rejected.
    pub why: Rejection,
    /// Component of x with the largest weighted contribution.
    pub component: Option<usize>,
}

/// Number of rejected attempts kept for the report.
pub const HISTORY: usize = 5;

/// An unsuccessful run: the code and what was known when it ended.
#[derive(Clone)]
pub struct Failure {
    /// Reason.
    pub code: Code,
    /// Last accepted time.
    pub t: f64,
    /// Step size of the last attempt.
    pub h: f64,
    /// Specific sentence: the argument and its value, the row, the rank.
    pub detail: String,
    /// Dominating component of x, or the row concerned.
    pub component: Option<Name>,
    /// Last estimate of Newton's rate of convergence.
    pub theta: Option<f64>,
    /// The last rejected attempts, oldest first.
    pub attempts: Vec<Attempt>,
    /// What is known beyond that, if anything is.
    pub note: Option<Box<Note>>,
}

/// What the model has to do with a failure. Seldom there, and boxed: failures are passed on from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Note {
    /// What the checks of the model say ([`crate::check`]).
    pub findings: Vec<String>,
    /// What happened, where that of the code does not fit the model.
    pub sentence: Option<&'static str>,
    /// What to try, where more is known than the code says.
    pub advice: Option<String>,
}

/// What a run or a part of it gives.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure that has nothing to say beyond its code and a sentence.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Failure {
            code,
            t: f64::NAN,
            h: f64::NAN,
            detail: detail.into(),
            component: None,
            theta: None,
            attempts: Vec::new(),
            note: None,
        }
    }

    /// To be written to.
    pub fn note_mut(&mut self) -> &mut Note {
        self.note.get_or_insert_default()
    }

    /// One sentence that says what happened.
    pub fn sentence(&self) -> &str {
        self.note.as_ref().and_then(|note| note.sentence).unwrap_or_else(|| self.code.sentence())
    }

    /// What to try next.
    pub fn advice(&self) -> &str {
        let own = self.note.as_ref().and_then(|note| note.advice.as_deref());
        own.unwrap_or_else(|| self.code.advice())
    }

    /// The same at a point in time.
    #[must_use]
    pub fn at(mut self, t: f64, h: f64) -> Self {
        (self.t, self.h) = (t, h);
        self
    }

    /// The same with the component or row concerned.
    #[must_use]
    pub fn about(mut self, name: Name) -> Self {
        self.component = Some(name);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IDID = {}: {}", self.code.idid(), self.sentence())?;
        if self.t.is_finite() {
            write!(f, "\n  at t = {:.15e}, h = {:.3e}", self.t, self.h)?;
        }
        if !self.detail.is_empty() {
            write!(f, "\n  cause: {}", self.detail)?;
        }
        if let Some(name) = &self.component {
            write!(f, "\n  component: {name}")?;
        }
        if let Some(theta) = self.theta {
            write!(f, "\n  convergence rate of Newton's method: {theta:.2e}")?;
        }
        for a in &self.attempts {
            write!(f, "\n  rejected: t = {:.9e}, h = {:.3e}: {}", a.t, a.h, a.why)?;
        }
        for finding in self.note.iter().flat_map(|note| &note.findings) {
            write!(f, "\n  check: {finding}")?;
        }
        write!(f, "\n  try: {}", self.advice())
    }
}

/// The report: what a program prints that unwraps a failed run.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_one_to_one() {
        for code in CODES {
            assert_eq!(Code::from_idid(code.idid()), Some(*code));
            assert!(code.idid() < 0 && !code.sentence().is_empty() && !code.advice().is_empty());
        }
        let mut ids: Vec<i32> = CODES.iter().map(|c| c.idid()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), CODES.len());
        assert_eq!(Code::from_idid(0), None);
    }

    #[test]
    fn every_code_of_the_manual_is_listed() {
        let manual = [
            1001, 1002, 1101, 1102, 1103, 1104, 1105, 1106, 1111, 1112, 1113, 1114, 1115, 1116, 1117, 1118,
            1128, 1129, 1201, 1401, 1402, 1403, 1801, 1802, 1803, 1804, 2004, 2101, 2102, 2103, 2104, 2105,
            2106, 2401, 2402, 2403, 2404, 2601, 2602, 2603,
        ];
        for id in manual {
            assert!(Code::from_idid(-id).is_some(), "-{id} missing");
        }
        let added = CODES.iter().filter(|c| c.origin() == Origin::Added).count();
        assert_eq!(CODES.len(), manual.len() + added);
    }
}
