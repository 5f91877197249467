//! What the checks find: the equation, both values, and the slip that explains them.

use crate::layout::Name;
use std::fmt;

/// A part of a rate: what a differentiation by hand may lose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// G v', or H Z v': the acceleration.
    Acceleration,
    /// The change of G Z, or H Z, while p moves.
    MovingMatrix,
    /// The partial derivative by time.
    Time,
    /// The second partial derivative of g by time.
    SecondTime,
    /// What time and motion do together: the change of G with time.
    Mixed,
    /// All partial derivatives of g by time, those of G included.
    AllTime,
    /// The motion of the contact point s.
    Contact,
    /// What one position contributes.
    Position(usize),
    /// What one acceleration contributes.
    AccelerationOf(usize),
    /// The constraint forces within v'.
    ConstraintForces,
    /// The applied forces within v'.
    AppliedForces,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Acceleration => write!(f, "the term with v'"),
            Term::MovingMatrix => write!(f, "the velocity term (the rate of G, or H, times v)"),
            Term::Time => write!(f, "the partial time derivative"),
            Term::SecondTime => write!(f, "the second partial time derivative"),
            Term::Mixed => write!(f, "the mixed derivative by time and position"),
            Term::AllTime => write!(f, "every term with a derivative by time"),
            Term::Contact => write!(f, "the motion of the contact point s"),
            Term::Position(k) => write!(f, "the term with the rate of p({})", k + 1),
            Term::AccelerationOf(k) => write!(f, "the term with v'({})", k + 1),
            Term::ConstraintForces => write!(f, "the constraint forces in v'"),
            Term::AppliedForces => write!(f, "the applied forces in v'"),
        }
    }
}

/// The likely slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slip {
    /// The whole row has the wrong sign.
    Sign,
    /// The whole row has this factor too much.
    Factor(f64),
    /// A term is missing.
    Missing(Term),
    /// A term has the wrong sign.
    SignOf(Term),
    /// A term has this factor too much.
    FactorOf(Term, f64),
    /// The row is zero everywhere: nobody has set it.
    NotSet,
    /// What does not depend on v does not fit, in a constraint that depends on t.
    Drive,
    /// The row holds what belongs into another one.
    OtherRow(Name),
    /// Z is missing: G v where G Z v belongs.
    ForgottenZ,
    /// Zᵀ is missing: Gᵀλ where ZᵀGᵀλ belongs.
    ForgottenZTransposed,
    /// f_dyn where M⁻¹ f_dyn belongs.
    ForgottenInverseMass,
    /// MAS and the mass inside gII and hI differ by this factor.
    MassFactor(f64),
    /// An entry of the diagonal of MAS is not the one inside gII and hI, which is this.
    MassEntry(usize, f64),
    /// A zero on the diagonal of MAS, which gII and hI do not know of.
    ZeroMass(usize),
    /// The mass inside gII and hI is not MAS.
    OtherMass,
    /// The multiplier does not enter the row.
    MultiplierMissing,
    /// A block is transposed.
    Transposed,
    /// g depends on v: gI in the place of g.
    VelocityLevelInPlace,
    /// The row depends on variables that it must not depend on.
    ForbiddenDependence(&'static str),
    /// The row of G Z is zero: the kinematic equations conserve it already.
    AlreadyConserved,
    /// f_kin is not linear in v.
    NotLinear,
    /// A component of f_kin explains the rates of several constraints.
    Kinematics(usize),
    /// g itself: all that is derived from it agrees with each other.
    PositionLevel,
    /// Not symmetric.
    NotSymmetric,
    /// Negative on the diagonal.
    NegativeMass,
    /// Not positive on the velocities that the constraints allow.
    NotPositive,
    /// Zero on the velocities that the constraints allow.
    SingularMass,
    /// Entries off the diagonal, where MASSTRCT says that there are none.
    NotDiagonal,
    /// Changes, where MASSTRCT says that it does not.
    NotConstant,
    /// Not constant along the motion.
    NotInvariant,
    /// JAC has the wrong sign in this block.
    JacobianSign(usize),
    /// JAC is transposed in this block.
    JacobianTransposed(usize),
    /// An entry outside of the pattern.
    OutsidePattern,
    /// The initial values violate the constraint.
    Inconsistent,
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Slip::Sign => write!(f, "wrong sign"),
            Slip::Factor(k) => write!(f, "a factor of {k:.6} too much"),
            Slip::Missing(term) => write!(f, "{term} is missing"),
            Slip::SignOf(term) => write!(f, "{term} has the wrong sign"),
            Slip::FactorOf(term, k) => write!(f, "{term} has a factor of {k} too much"),
            Slip::NotSet => write!(f, "the row is not set: it is 0 everywhere"),
            Slip::Drive => {
                write!(f, "a term without velocities: the acceleration of what is driven (a second derivative by time)")
            }
            Slip::OtherRow(name) => write!(f, "this is the value of {name}: rows exchanged"),
            Slip::ForgottenZ => write!(f, "Z is missing: p' = Z v, not v"),
            Slip::ForgottenZTransposed => {
                write!(f, "Z transposed is missing: the force is -Z^T G^T lambda, not -G^T lambda")
            }
            Slip::ForgottenInverseMass => {
                write!(f, "v' is the inverse of M times f_dyn, not f_dyn")
            }
            Slip::MassFactor(k) => write!(f, "MAS is {k:.6} times the mass used in gII and hI"),
            Slip::MassEntry(k, value) => {
                write!(f, "M({0},{0}) of MAS is not the {value:.6e} used in gII and hI", k + 1)
            }
            Slip::ZeroMass(k) => {
                write!(f, "M({0},{0}) of MAS is zero, and gII and hI use another mass", k + 1)
            }
            Slip::OtherMass => write!(f, "the mass used in gII and hI is not MAS"),
            Slip::MultiplierMissing => write!(f, "the multiplier is missing in this row"),
            Slip::Transposed => write!(f, "a block is transposed"),
            Slip::VelocityLevelInPlace => write!(f, "gI in the place of g"),
            Slip::ForbiddenDependence(on) => write!(f, "the row must not depend on {on}"),
            Slip::AlreadyConserved => {
                write!(
                    f,
                    "p' = Z v keeps it constant by itself (|q| = 1 of quaternions): drop the constraint"
                )
            }
            Slip::NotLinear => write!(f, "f_kin = Z(p) v must be linear in v"),
            Slip::Kinematics(k) => {
                write!(f, "f_kin({}): its value does not fit the rates of several constraints", k + 1)
            }
            Slip::PositionLevel => {
                write!(f, "g itself: gI, gII and the constraint forces agree with each other")
            }
            Slip::NotSymmetric => write!(f, "the mass matrix must be symmetric"),
            Slip::NegativeMass => write!(f, "a mass or inertia must not be negative"),
            Slip::NotPositive => {
                write!(f, "the kinetic energy is not positive for a velocity that the constraints allow")
            }
            Slip::SingularMass => write!(f, "a velocity that the constraints allow has no inertia"),
            Slip::NotDiagonal => write!(f, "MASSTRCT says diagonal: entries off it are not used"),
            Slip::NotConstant => write!(f, "MASSTRCT says constant: it is evaluated once"),
            Slip::NotInvariant => write!(f, "e is not constant along the motion"),
            Slip::JacobianSign(k) => {
                write!(f, "FX{k} has the wrong sign: the NEGATIVE derivatives are asked for")
            }
            Slip::JacobianTransposed(k) => write!(f, "FX{k} is transposed: it is stored column by column"),
            Slip::OutsidePattern => write!(f, "the pattern leaves this entry out"),
            Slip::Inconsistent => {
                write!(f, "the initial values violate this constraint (IVCNSST = 1 takes them as they are)")
            }
        }
    }
}

/// One finding: an equation that does not fit the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The row of RDA, or the entry of M: `M`.
    pub row: Name,
    /// The comparison in words.
    pub what: String,
    /// What the model delivers.
    pub given: f64,
    /// What follows from the other equations.
    pub expected: f64,
    /// The explanation, if one was found.
    pub slip: Option<Slip>,
    /// Where.
    pub t: f64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { what, given, expected, slip, t, .. } = self;
        write!(f, "{what}: given {given:.6e}, expected {expected:.6e} (t = {t:.6e})")?;
        match slip {
            Some(slip) => write!(f, "; likely: {slip}"),
            None => Ok(()),
        }
    }
}

/// All findings, the cause before its consequences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What does not fit.
    pub findings: Vec<Finding>,
    /// Evaluations of EOM.
    pub evaluations: u64,
    /// Points at which the model was looked at.
    pub points: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.findings.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}
