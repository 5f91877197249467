//! Counters of a run: IWORK(1..11) of the manual, and why steps were rejected and matrices renewed.
//!
//! Conventions (they matter when counters are compared with the report): NEOM counts neither the
//! evaluations of the initial value correction nor those of a difference Jacobian; every attempt counts
//! once in NSTEP = NACCPT + NERJCT + NCRJCT; NBSUB counts Newton iterations, not the error estimate. Where a model supplies
//! parts ([`crate::system::System::parts`]) a call counts as the evaluations that it takes the place of: in NEOM if it asks for the force or the
//! positions, in NMAS for the mass matrix, in NJAC for C.

use std::fmt;

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Accepted steps.
    pub naccpt: u64,
    /// Evaluations of EOM.
    pub neom: u64,
    /// Evaluations of MAS.
    pub nmas: u64,
    /// Evaluations of the Jacobian.
    pub njac: u64,
    /// Determinations of selectors.
    pub nsel: u64,
    /// Predecompositions.
    pub npdec: u64,
    /// Decompositions of E1 and E2.
    pub nedec: u64,
    /// Backward substitutions (Newton iterations).
    pub nbsub: u64,
    /// Rejections by the error test.
    pub nerjct: u64,
    /// Rejections by Newton's method, singular matrices, NaN or the model.
    pub ncrjct: u64,
    /// Of NCRJCT: Newton diverged or was too slow.
    pub rejected_newton: u64,
    /// Of NCRJCT: E1 or E2 singular.
    pub rejected_singular: u64,
    /// Of NCRJCT: NaN or Inf in the right-hand side.
    pub rejected_not_finite: u64,
    /// Of NCRJCT: the model asked for a smaller step.
    pub rejected_by_model: u64,
    /// Updates of the Newton matrix within a step (NWTUPD).
    pub newton_updates: u64,
    /// Selectors renewed because the pivot columns changed.
    pub pivot_changes: u64,
    /// Selectors renewed because they had become a poor choice.
    pub selectors_poor: u64,
    /// Newton iterations that ended at the level of rounding errors.
    pub at_round_off: u64,
    /// Steps that reused the Jacobian of an earlier point (THET).
    pub jacobian_reused: u64,
    /// Accepted points at which an invariant was suspended (RELAXE).
    pub invariants_suspended: u64,
    /// EOM calls for difference Jacobians.
    pub eom_for_differences: u64,
    /// EOM calls for the initial values.
    pub eom_for_initial_values: u64,
    /// Multiplications with entries of the mass matrix: what MASSTRCT saves.
    pub mass_multiplications: u64,
    /// Times that the steps of an explicit method were found to be limited by stability: the problem is stiff.
    pub stiffness_suspected: u64,
}

impl Stats {
    /// All counters in a fixed order, for saving.
    pub fn to_array(&self) -> [u64; 24] {
        [
            self.naccpt,
            self.neom,
            self.nmas,
            self.njac,
            self.nsel,
            self.npdec,
            self.nedec,
            self.nbsub,
            self.nerjct,
            self.ncrjct,
            self.rejected_newton,
            self.rejected_singular,
            self.rejected_not_finite,
            self.rejected_by_model,
            self.newton_updates,
            self.pivot_changes,
            self.selectors_poor,
            self.at_round_off,
            self.jacobian_reused,
            self.invariants_suspended,
            self.eom_for_differences,
            self.eom_for_initial_values,
            self.mass_multiplications,
            self.stiffness_suspected,
        ]
    }

    /// From what [`Stats::to_array`] gave.
    pub fn from_array(a: &[u64; 24]) -> Self {
        let [naccpt, neom, nmas, njac, nsel, npdec, nedec, nbsub, nerjct, ncrjct, rejected_newton, rejected_singular, rejected_not_finite, rejected_by_model, newton_updates, pivot_changes, selectors_poor, at_round_off, jacobian_reused, invariants_suspended, eom_for_differences, eom_for_initial_values, mass_multiplications, stiffness_suspected] =
            *a;
        Stats {
            naccpt,
            neom,
            nmas,
            njac,
            nsel,
            npdec,
            nedec,
            nbsub,
            nerjct,
            ncrjct,
            rejected_newton,
            rejected_singular,
            rejected_not_finite,
            rejected_by_model,
            newton_updates,
            pivot_changes,
            selectors_poor,
            at_round_off,
            jacobian_reused,
            invariants_suspended,
            eom_for_differences,
            eom_for_initial_values,
            mass_multiplications,
            stiffness_suspected,
        }
    }

    /// NSTEP: attempts in all.
    pub fn nstep(&self) -> u64 {
        self.naccpt + self.nerjct + self.ncrjct
    }

    /// IWORK(1..11) with names, in the order of the manual.
    pub fn iwork(&self) -> [(&'static str, u64); 11] {
        [
            ("NACCPT", self.naccpt),
            ("NEOM", self.neom),
            ("NMAS", self.nmas),
            ("NJAC", self.njac),
            ("NSEL", self.nsel),
            ("NPDEC", self.npdec),
            ("NEDEC", self.nedec),
            ("NBSUB", self.nbsub),
            ("NSTEP", self.nstep()),
            ("NERJCT", self.nerjct),
            ("NCRJCT", self.ncrjct),
        ]
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
