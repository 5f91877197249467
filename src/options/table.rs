//! The table of options itself: name ↔ slot ↔ range ↔ default ↔ meaning ↔ how it is set.

use super::*;

/// Set what a number stands for. A number that stands for nothing is refused, here and below, and changes nothing.
fn one_of<T: Copy>(field: &mut T, value: i64, known: &[(i64, T)]) -> bool {
    known.iter().find(|k| k.0 == value).map(|k| *field = k.1).is_some()
}

/// Set a flag from 0 or 1.
fn flag(field: &mut bool, value: i64) -> bool {
    one_of(field, value, &[(0, false), (1, true)])
}

/// Set a number that passes its range test; zero brings the default back. Those of the handle and of the call are the same here.
fn number<T: Copy + From<f64>>(
    options: &mut Options,
    field: fn(&mut Options) -> &mut T,
    value: f64,
    allowed: bool,
) -> bool {
    if value == 0.0 {
        *field(options) = *field(&mut Options::of_call());
    } else if allowed {
        *field(options) = value.into();
    }
    allowed || value == 0.0
}

macro_rules! option_table {
    ($($name:ident = $slot:ident($k:literal): $range:literal, $default:literal $(, handle $handle:literal)?;
        $meaning:literal;
        $set:expr;)*) => {
        /// The option table, in the order of the manual. IOPT(16) comes before the slots that it opens.
        pub static OPTIONS: &[OptionEntry] = &[$(OptionEntry {
            name: stringify!($name),
            slot: Slot::$slot($k),
            range: $range,
            default: $default,
            handle: option_table!(@handle $($handle)?),
            meaning: $meaning,
            set: option_table!(@set $slot $set),
        },)*];
    };
    (@handle) => { None };
    (@handle $handle:literal) => { Some($handle) };
    (@set Iopt $set:expr) => { Setter::Int($set) };
    (@set Ropt $set:expr) => { Setter::Real($set) };
}

option_table! {
    LUN = Iopt(2): ">= 0 (0, 6 or > 10 recommended)", "0";
        "Fortran unit for messages; 0 is silent, 6 the screen.";
        |o, v| {
            o.lun = v;
            v >= 0
        };
    NIT = Iopt(3): ">= 0", "10";
        "Maximal number of Newton iterations in a step.";
        |o, v| {
            // Iterations that are left are counted in 32 bits with a sign.
            match v {
                0 => o.nit = Options::of_call().nit,
                1.. => o.nit = v.min(i64::from(i32::MAX)) as u32,
                _ => {}
            }
            v >= 0
        };
    STARTN = Iopt(4): "0, 1", "0";
        "Starting values of Newton's method: 0 extrapolated collocation polynomial, 1 the last point.";
        |o, v| flag(&mut o.zero_start, v);
    FORM = Iopt(5): "0, 1", "0";
        "Formulation: 0 projected-strangeness-free (gII, hI supplied), 1 projected-strangeness-index-1.";
        |o, v| one_of(&mut o.form, v, &[(0, Form::StrangenessFree), (1, Form::Index1)]);
    NMAX = Iopt(6): ">= 0", "100000";
        "Maximal number of steps, rejected ones included. With a handle they count from the start or the last reset, and a \
         new value acts at once.";
        |o, v| {
            match v {
                0 => o.nmax = Options::of_call().nmax,
                1.. => o.nmax = v as u64,
                _ => {}
            }
            v >= 0
        };
    PRED = Iopt(8): "0, 1, 2", "1";
        "Step size controller: 1 predictive (Gustafsson), 2 classical.";
        |o, v| {
            let (predictive, classical) = (Controller::Predictive, Controller::Classical);
            one_of(&mut o.controller, v, &[(0, predictive), (1, predictive), (2, classical)])
        };
    NWTMAT = Iopt(9): "0, 1, 2, 3; not 0 only with STARTN=0", "0", handle "2, with STARTN=1 0";
        "Point at which the Newton matrix is taken: 0 the last point, i = extrapolated stage i.";
        |o, v| one_of(&mut o.newton_reference, v, &[0, 1, 2, 3].map(|k| (i64::from(k), Some(k))));
    NWTUPD = Iopt(10): ">= 0", "0";
        "Updates of the Newton matrix allowed within a step before it is repeated with a smaller size; more than 100 count \
         as 100.";
        |o, v| {
            // What a hundred matrices did not bring to convergence would go on for ever.
            o.newton_updates = v.clamp(0, 100) as u32;
            v >= 0
        };
    DECOMPC = Iopt(11): "0, 1, 2, 3", "1";
        "Decomposition of the algebraic part: 1 LU with full pivoting, 2 QR with pivoting, 3 SVD. \
         Redundant constraints need 3.";
        |o, v| {
            use DecompositionKind::{Lu, Qr, Svd};
            one_of(&mut o.decompose_constraints, v, &[(0, Lu), (1, Lu), (2, Qr), (3, Svd)])
        };
    DECOMPD = Iopt(12): "0, 1", "0";
        "Decomposition of the differential part: 0 LU with partial pivoting, 1 QR.";
        |o, v| one_of(&mut o.decompose_differential, v, &[(0, SolverKind::Lu), (1, SolverKind::Qr)]);
    SELCOMP = Iopt(13): "0, 1", "0";
        "Selectors: 0 kept while the pivot columns of the constraints stay and Newton converges \
         (with DECOMPC=1 and DECOMPD=0, otherwise as 1), 1 recomputed with every predecomposition.";
        |o, v| flag(&mut o.selectors_every_step, v);
    AUTONOM = Iopt(14): "0, 1", "0";
        "1: the equations do not depend on time. Without effect in method 0: no part of the step uses a \
         time derivative. Differences in time are saved by method 1 at its start and with PROJECT, by method 4 \
         with FORM=1.";
        |o, v| flag(&mut o.autonomous, v);
    MASSTRCT = Iopt(15): "0, 1, 2, 3, 4", "1";
        "Mass matrix: 1 full, 2 diagonal, 3 full and constant, 4 diagonal and constant.";
        |o, v| {
            use MassStructure::{ConstantDiagonal, ConstantFull, Diagonal, Full};
            one_of(&mut o.mass, v, &[(0, Full), (1, Full), (2, Diagonal), (3, ConstantFull), (4, ConstantDiagonal)])
        };
    EXTEND = Iopt(16): "0, 1", "0";
        "1: the entries IOPT(18..40) are read.";
        |o, v| flag(&mut o.extended, v);
    IVCNSST = Iopt(17): "0, 1", "0";
        "Initial values: 0 checked and, with IVCOND, corrected; 1 taken as consistent. Method 1 goes on from what it has returned: \
         velocities that are off gI and h by up to 10*RTOL**(2/3) of their size are corrected, multipliers whatever they are.";
        |o, v| flag(&mut o.consistent, v);
    METHOD = Iopt(18): "0, 1, 2, 3, 4, -1, -2", "0", handle "-2";
        "Integration method: 0 Radau IIA; 1 HHT on the index-3 equations (second order); 2 Rosenbrock-Nyström in \
         state space (order 4, linearly implicit); 3 Newmark's method in the tangent space of the constraints (second order); \
         4 half-explicit Runge-Kutta of order 5, or 8 if RTOL <= 1e-6, for nonstiff systems; -1 automatic choice: method 4 until \
         the problem is found to be stiff, then method 0 with ORDER=-1 (from the start with FORM=1, FIXED=1, s, e, or without JAC); \
         -2 by the model: method 0 unless PARTS are supplied and FORM=0, FIXED=0 and there is no e; then half-explicit of order 8 to \
         the accuracy of method 0, and method 0 as soon as the problem is found to be stiff.";
        |o, v| one_of(&mut o.method, v, &MethodKind::ALL.map(|method| (method as i64, method)));
    FIXED = Iopt(19): "0, 1", "0";
        "1: constant step size H, no error control.";
        |o, v| flag(&mut o.fixed_step, v);
    RECOVER = Iopt(20): "0, 1", "0", handle "1";
        "1: a positive IERR rejects the step; IERR is set to 0 and a smaller step is tried.";
        |o, v| flag(&mut o.recover, v);
    ORDER = Iopt(21): "0, 5, 9, 13, -1", "0", handle "9";
        "Order of method 0: 0 or 5, 9, 13, or -1 for an automatic choice between them. SOLOUT is given a cubic \
         whatever the order.";
        |o, v| {
            use Order::{Automatic, Five, Nine, Thirteen};
            one_of(&mut o.order, v, &[(0, Five), (5, Five), (9, Nine), (13, Thirteen), (-1, Automatic)])
        };
    PROJECT = Iopt(22): "0, 1, 2, 3", "0";
        "Method 1, what is projected before it is reported: bit 1 velocities, onto gI = 0; bit 2 accelerations and \
         multipliers, from positions and velocities. Without it X is off gI and gII by the errors of the method (but after steps that are short beside those that accuracy asks for, which always end as with 3); 3 leaves values that \
         every method takes as consistent.";
        |o, v| one_of(&mut o.project, v, &[0, 1, 2, 3].map(|bits| (i64::from(bits), bits)));
    FAMILY = Iopt(23): "0, 1", "0";
        "Method 1: 0 HHT, 1 generalised-alpha.";
        |o, v| one_of(&mut o.family, v, &[(0, Family::Hht), (1, Family::GeneralizedAlpha)]);
    RELAXE = Iopt(25): "0, 1", "0";
        "1: an invariant is suspended while it is nearly rank deficient, instead of stopping the run.";
        |o, v| flag(&mut o.relax_invariants, v);
    CHECK = Iopt(26): "0, 1, 2", "0", handle "1";
        "Check of the model at the start: 0 none; 1 a few evaluations, which warn if rows do not fit each other; 2 all of \
         geoms_check_model. Warnings go to the unit, to the log of a handle and to geoms_warning. Not counted in NEOM.";
        |o, v| one_of(&mut o.check, v, &[(0, CheckLevel::Off), (1, CheckLevel::Quick), (2, CheckLevel::Full)]);
    WATCH = Iopt(27): "0, 1, 2", "0", handle "1";
        "Checks of the model at a few accepted points: 0 none; 1 a row that does not fit the others is a warning; 2 it ends the \
         run with -1120, also at the start.";
        |o, v| one_of(&mut o.watch, v, &[(0, WatchLevel::Off), (1, WatchLevel::Warn), (2, WatchLevel::Fail)]);
    NWTMULT = Iopt(28): "0, 1, -1", "0", handle "-1";
        "Method 0 with FORM=0, multipliers within Newton's method: 0 from gII and hI at every stage; 1 from the dynamic \
         equations, as with FORM=1, and from gII and hI at the accepted points; -1 as 0, with a new Newton matrix \
         in the step where multipliers make Newton's method fail, until they do so twice within three steps whose errors leave room for \
         longer ones, then as 1, to a twentieth of the tolerance (if RTOL <= 1e-3); whatever FORM, constraints that hold only if Newton's rate of convergence is believed \
         are measured. With 1, whatever FORM, step sizes also follow the rate of convergence, and there is one iteration more than \
         NIT for each stage beyond three.";
        |o, v| {
            use StageMultipliers::{Automatic, Constraints, Dynamics};
            one_of(&mut o.stage_multipliers, v, &[(0, Constraints), (1, Dynamics), (-1, Automatic)])
        };
    SCHEME = Iopt(30): "0, 1, 2, 3, 4", "1";
        "Method 3: 1 Fox-Goodwin (beta = 1/12), 2 linear acceleration (1/6), 3 trapezoidal (1/4), 4 with the numerical dissipation of \
         method 1 (FAMILY, ALPHA). 1 and 2 are stable up to a step size (MONITOR), 3 and 4 always. BETA and GAMMA take the place \
         of its parameters.";
        |o, v| {
            use NewmarkScheme::{Damped, FoxGoodwin, LinearAcceleration, Trapezoidal};
            let known = [(0, FoxGoodwin), (1, FoxGoodwin), (2, LinearAcceleration), (3, Trapezoidal), (4, Damped)];
            one_of(&mut o.newmark_scheme, v, &known)
        };
    MONITOR = Iopt(31): "0, 1, 2", "0";
        "Method 3, the largest natural frequency: 0 found in every step, and reported with the linear limit of the step size \
         (geoms_measure); 1 also used to keep the step size below that limit, where it is not constant; 2 not found.";
        |o, v| one_of(&mut o.monitor, v, &[(0, MonitorUse::Report), (1, MonitorUse::Bound), (2, MonitorUse::Off)]);
    SINGULAR = Iopt(32): "0, 1, 2", "0", handle "1";
        "Positions where the constraints lose rank for one instant while the motion is smooth (bars of a parallelogram in one \
         line): 0 the run ends with -2406, 1 it passes them, 2 all steps of method 0 are made as there, for \
         comparison (other methods: as 1).";
        |o, v| one_of(&mut o.singular, v, &[(0, Singular::Stop), (1, Singular::Pass), (2, Singular::Always)]);
    UROUND = Ropt(1): "0 or 1e-19 < UROUND < 1e-3", "1e-16";
        "Rounding unit.";
        |o, v| number(o, |o| &mut o.uround, v, v > 1e-19 && v < 1e-3);
    SAFE = Ropt(2): "0 or 0.001 < SAFE < 1", "0.9";
        "Safety factor of the step size prediction.";
        |o, v| number(o, |o| &mut o.safe, v, v > 1e-3 && v < 1.0);
    THET = Ropt(3): "< 1; negative: Jacobian after every accepted step", "0.001";
        "The Jacobian is kept while the rate of convergence of Newton's method stays below THET.";
        |o, v| number(o, |o| &mut o.thet, v, v < 1.0 && v.is_finite());
    FNEWT = Ropt(4): "0 or UROUND/RTOL' < FNEWT < 1", "max(10*UROUND/RTOL', min(0.03, sqrt(RTOL')))";
        "Stopping criterion of Newton's method; RTOL' = 0.1*RTOL**(2/3) is the internal tolerance. \
         With invariants (NI > 0) the default has a sixteenth of the second term. Method 1: part of the tolerance to \
         which increments are solved, default 0.001.";
        |o, v| number(o, |o| &mut o.fnewt, v, v > 0.0 && v < 1.0);
    QUOT1 = Ropt(5): "0 or 0 < QUOT1 <= 1", "1.0";
        "The step size is kept if QUOT1 <= HNEW/HOLD <= QUOT2 and the Jacobian is kept.";
        |o, v| number(o, |o| &mut o.quot1, v, v > 0.0 && v <= 1.0);
    QUOT2 = Ropt(6): "0 or >= 1", "1.2";
        "See QUOT1.";
        |o, v| number(o, |o| &mut o.quot2, v, v >= 1.0 && v.is_finite());
    HMAX = Ropt(7): "0 or > 0", "TEND-T";
        "Maximal step size.";
        |o, v| number(o, |o| &mut o.hmax, v, v > 0.0 && v.is_finite());
    FACL = Ropt(8): "0 or >= 1", "8.0";
        "Largest HNEW/HOLD; in method 1 at most 5.";
        |o, v| number(o, |o| &mut o.facl, v, v >= 1.0 && v.is_finite());
    FACR = Ropt(9): "0 or 0 < FACR <= 1", "0.2";
        "Smallest HNEW/HOLD.";
        |o, v| number(o, |o| &mut o.facr, v, v > 0.0 && v <= 1.0);
    ALPHA = Ropt(10): "HHT: 0 or -1/3 <= ALPHA < 0, or 1; generalised-alpha: 0 or 0 < ALPHA <= 1", "-0.3 (HHT), 0.8 (generalised-alpha)";
        "Numerical dissipation of method 1: alpha of HHT, where 1 asks for alpha = 0, which is only weakly stable; \
         spectral radius at infinity of generalised-alpha.";
        |o, v| number(o, |o| &mut o.dissipation, v, (-1.0 / 3.0..=1.0).contains(&v));
    RHO = Ropt(11): "0 or 0.5 <= RHO <= 1", "0.5";
        "Methods 1 and 3: weight of the new slope of the force elements r; only 0.5 is of second order.";
        |o, v| number(o, |o| &mut o.slope_weight, v, (0.5..=1.0).contains(&v));
    BETA = Ropt(12): "0 or 0 < BETA <= 1", "that of SCHEME";
        "Method 3: Newmark's beta.";
        |o, v| number(o, |o| &mut o.newmark_beta, v, (0.0..=1.0).contains(&v));
    GAMMA = Ropt(13): "0 or 0.5 <= GAMMA <= 1", "that of SCHEME";
        "Method 3: Newmark's gamma. Beside BETA of the schemes 1 to 3 only 0.5 is of second order.";
        |o, v| number(o, |o| &mut o.newmark_gamma, v, (0.5..=1.0).contains(&v));
}
