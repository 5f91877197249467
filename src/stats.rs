//! Counters of a run: IWORK(1..11) of the manual, and why steps were rejected and matrices renewed.
//!
//! Conventions (they matter when counters are compared with the report): NEOM counts neither the
//! evaluations of the initial value correction nor those of a difference Jacobian; every attempt counts
//! once in NSTEP = NACCPT + NERJCT + NCRJCT; NBSUB counts Newton iterations, not the error estimate. Where a model supplies
//! parts ([`crate::system::System::parts`]) a call counts as the evaluations that it takes the place of: in NEOM if it asks for the force or the
//! positions, in NMAS for the mass matrix, in NJAC for C.

use std::fmt;

/// The table of all counters: what follows gets the list as it is written here. The structure of C has those of the first two
/// groups, with NSTEP between them as in IWORK, and does not grow any more; new ones go to the third group, which C and Fortran
/// read by name.
macro_rules! with_counters {
    ($receiver:ident) => {
        $receiver! {
            {
                /// Accepted steps.
                naccpt,
                /// Evaluations of EOM, without those for differences and initial values.
                neom,
                /// Evaluations of the mass matrix.
                nmas,
                /// Evaluations of the Jacobian.
                njac,
                /// Determinations of selectors.
                nsel,
                /// Predecompositions.
                npdec,
                /// Decompositions of the Newton matrices (E1 and E2).
                nedec,
                /// Backward substitutions (Newton iterations).
                nbsub,
            }
            {
                /// Steps rejected by the error test.
                nerjct,
                /// Steps rejected for another reason: the sum of the next four and of rejected_rank_loss.
                ncrjct,
                /// Of NCRJCT: Newton's method diverged or was too slow.
                rejected_newton,
                /// Of NCRJCT: the Newton matrix was singular.
                rejected_singular,
                /// Of NCRJCT: NaN or Inf in the right-hand side.
                rejected_not_finite,
                /// Of NCRJCT: the model asked for a smaller step.
                rejected_by_model,
                /// Updates of the Newton matrix within a step (NWTUPD).
                newton_updates,
                /// Selectors renewed because the pivot columns changed.
                pivot_changes,
                /// Selectors renewed because they had become a poor choice.
                selectors_poor,
                /// Newton iterations that ended at the level of rounding errors.
                at_round_off,
                /// Steps that reused the Jacobian of an earlier point (THET).
                jacobian_reused,
                /// Accepted points at which an invariant was suspended (RELAXE).
                invariants_suspended,
                /// Evaluations of EOM for difference Jacobians.
                eom_for_differences,
                /// Evaluations of EOM for the initial values.
                eom_for_initial_values,
                /// Multiplications with entries of the mass matrix: what MASSTRCT saves.
                mass_multiplications,
                /// Times that the half-explicit method found the problem stiff: its steps were limited by stability. With the
                /// automatic choice (method -1) the first time ends its use: 1 from then on.
                stiffness_suspected,
            }
            {
                /// Evaluations of EOM for checks of the model.
                eom_for_checks,
                /// Warnings about the model and the run: geoms_warning.
                warnings,
                /// Accepted steps past or near a position where the constraints lose rank (SINGULAR=1): there multipliers may have
                /// poles, and their errors are not controlled.
                critical_steps,
                /// Of NCRJCT: a stage or the end was too close to such a position, or Newton's method failed there.
                rejected_rank_loss,
                /// Accepted steps of the half-explicit method: with METHOD=-1 and -2 those before the problem was found to be stiff.
                half_explicit_steps,
                /// Times that Newton's method limited the step, so that multipliers of the stages follow from the dynamic equations
                /// (NWTMULT=-1): 1 from then on.
                multipliers_switched,
            }
        }
    };
}
pub(crate) use with_counters;

macro_rules! statistics {
    ({ $($(#[doc = $d:literal])* $before:ident,)* } { $($(#[doc = $e:literal])* $behind:ident,)* }
     { $($(#[doc = $l:literal])* $later:ident,)* }) => {
        /// Statistics of a run.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Stats {
            $($(#[doc = $d])* pub $before: u64,)*
            $($(#[doc = $e])* pub $behind: u64,)*
            $($(#[doc = $l])* pub $later: u64,)*
        }

        /// Name and meaning of every counter, in the order of C: NSTEP, a sum, among them.
        pub const COUNTERS: &[(&str, &str)] = &[
            $((stringify!($before), concat!($($d, "\n"),*)),)*
            ("nstep", " Attempted steps: naccpt + nerjct + ncrjct.\n"),
            $((stringify!($behind), concat!($($e, "\n"),*)),)*
            $((stringify!($later), concat!($($l, "\n"),*)),)*
        ];

        impl Stats {
            /// All counters in a fixed order, for saving.
            pub fn to_array(&self) -> [u64; COUNTERS.len() - 1] {
                [$(self.$before,)* $(self.$behind,)* $(self.$later,)*]
            }

            /// From what [`Stats::to_array`] gave.
            pub fn from_array(array: &[u64; COUNTERS.len() - 1]) -> Self {
                let [$($before,)* $($behind,)* $($later,)*] = *array;
                Stats { $($before,)* $($behind,)* $($later,)* }
            }

            /// The counter with this name, NSTEP included; any case.
            pub fn by_name(&self, name: &str) -> Option<u64> {
                $(if name.eq_ignore_ascii_case(stringify!($before)) { return Some(self.$before); })*
                $(if name.eq_ignore_ascii_case(stringify!($behind)) { return Some(self.$behind); })*
                $(if name.eq_ignore_ascii_case(stringify!($later)) { return Some(self.$later); })*
                name.eq_ignore_ascii_case("nstep").then(|| self.nstep())
            }
        }
    };
}
with_counters!(statistics);

impl Stats {
    /// NSTEP: attempts in all.
    pub fn nstep(&self) -> u64 {
        self.naccpt + self.nerjct + self.ncrjct
    }

    /// IWORK(1..11) with names, in the order of the manual: the first counters of the table.
    pub fn iwork(&self) -> [(&'static str, u64); 11] {
        std::array::from_fn(|k| {
            let (name, _) = COUNTERS[k];
            (IWORK[k], self.by_name(name).unwrap_or_default())
        })
    }
}

/// Names of IWORK(1..11) in the manual.
const IWORK: [&str; 11] =
    ["NACCPT", "NEOM", "NMAS", "NJAC", "NSEL", "NPDEC", "NEDEC", "NBSUB", "NSTEP", "NERJCT", "NCRJCT"];

/// What a method measures beside the solution; zero as long as nothing has been measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Largest natural frequency at the last accepted point.
    pub frequency: f64,
    /// The largest of them so far.
    pub largest_frequency: f64,
    /// Linear limit of stability for the step size.
    pub stable_step: f64,
    /// What the last accepted steps, all of them beyond that limit, made of an oscillation by the linear theory: a factor, or 0 if the
    /// last step was stable.
    pub growth: f64,
    /// Largest frequency whose oscillation grew until the accuracy test saw it; 0 if that did not happen.
    pub excited: f64,
}

/// Growth over consecutive steps from which on a rejected step is taken for an oscillation that became visible. Newton's method leaves
/// about a thousandth of the tolerance behind.
const VISIBLE: f64 = 1e3;
/// Errors of v, in units of its tolerance, up to which such an oscillation is not worth a word.
const HARMFUL: f64 = 100.0;

/// Name and meaning of every measure.
pub const MEASURES: &[(&str, &str)] = &[
    (
        "frequency",
        "Method 3: largest natural circular frequency of the motion that the constraints leave free, at the last accepted point; \
         infinite where a free direction has no mass.",
    ),
    ("largest_frequency", "Method 3: the largest frequency of the run so far."),
    (
        "stable_step",
        "Method 3: the step size up to which oscillations of that frequency stay bounded, by the linear theory; infinite if BETA >= \
         GAMMA/2.",
    ),
];

impl Measures {
    /// The measure with this name; any case.
    pub fn by_name(&self, name: &str) -> Option<f64> {
        let values = [self.frequency, self.largest_frequency, self.stable_step];
        MEASURES
            .iter()
            .zip(values)
            .find(|(entry, _)| entry.0.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The point of the last measurement has been accepted.
    pub fn see(&mut self) {
        self.largest_frequency = self.largest_frequency.max(self.frequency);
    }

    /// A step was accepted that multiplies oscillations by this factor.
    pub fn accepted(&mut self, factor: f64) {
        self.growth = if factor > 1.0 { (self.growth.max(1.0) * factor).min(f64::MAX) } else { 0.0 };
    }

    /// The accuracy test has rejected a step. `ratio` is the tolerance of p over that of v: what is one of p in an oscillation of p is ω
    /// of them in v.
    pub fn inaccurate(&mut self, ratio: f64) {
        if self.growth > VISIBLE && self.frequency * ratio > HARMFUL {
            self.excited = self.excited.max(self.frequency);
        }
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iwork().iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_in_a_row_excite_an_oscillation() {
        let mut measured = Measures { frequency: 7.0, ..Measures::default() };
        let ratio = 20.0;
        for factors in [&[9.0, 9.0, 9.0][..], &[9.0, 9.0, 9.0, 9.0, 1.0, 9.0], &[1.0; 50]] {
            factors.iter().for_each(|f| measured.accepted(*f));
            measured.inaccurate(ratio);
            assert_eq!(measured.excited, 0.0, "{factors:?}");
            measured.accepted(1.0);
        }
        (0..4).for_each(|_| measured.accepted(9.0));
        measured.inaccurate(10.0);
        assert_eq!(measured.excited, 0.0);
        measured.inaccurate(ratio);
        assert_eq!(measured.excited, 7.0);
        (0..400).for_each(|_| measured.accepted(9.0));
        assert!(measured.growth.is_finite());
    }

    #[test]
    fn every_counter_is_found_by_its_name_and_saved() {
        let array = std::array::from_fn(|k| 10 + k as u64);
        let stats = Stats::from_array(&array);
        assert_eq!(stats.to_array(), array);
        let mut values: Vec<u64> =
            COUNTERS.iter().map(|(name, _)| stats.by_name(&name.to_uppercase()).expect(name)).collect();
        assert_eq!(values.remove(8), stats.nstep());
        assert_eq!(values, array);
        assert_eq!(stats.by_name("nonsense"), None);
        for (name, value) in stats.iwork() {
            assert_eq!(stats.by_name(name), Some(value));
        }
    }
}
