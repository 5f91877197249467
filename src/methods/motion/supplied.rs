//! Models that supply f, γ, M and C themselves ([`System::parts`]); then p' = v.

use super::{factored, Motion, Result};
use crate::error::Code;
use crate::linalg::all_finite;
use crate::model::{self, Calls};
use crate::stats::Stats;
use crate::system::{Outcome, Parts};

/// What is asked of a model that supplies parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// All that a rate needs.
    Stage,
    /// M, C and the rows gI, h.
    Matrices,
    /// What a rate needs beside the matrices.
    Forces,
    /// The rows g.
    Positions,
}

impl Motion {
    /// The matrices at y and the rows gI, h. For supplied parts only; then [`Motion::rate_with_matrices`].
    pub fn matrices(&mut self, model: &mut Calls<'_>, t: f64, y: &[f64]) -> Result {
        self.place(y);
        self.ask(model, t, Ask::Matrices)?;
        self.decompose()?;
        model.stats.npdec += 1;
        Ok(())
    }

    /// The rate at y, which differs in v alone from the point of the matrices.
    pub fn rate_with_matrices(
        &mut self,
        model: &mut Calls<'_>,
        t: f64,
        y: &[f64],
        rate: &mut [f64],
    ) -> Result {
        self.place(y);
        self.ask(model, t, Ask::Forces)?;
        self.solve_supplied(model.stats)?;
        self.write_rate(rate);
        Ok(())
    }

    /// Parts that the model supplies.
    pub(super) fn ask(&mut self, model: &mut Calls<'_>, t: f64, ask: Ask) -> Result {
        let Calls { system, stats } = model;
        let (rows, mut parts) = (self.layout.rda, Parts::default());
        let (matrices, forces) =
            (matches!(ask, Ask::Stage | Ask::Matrices), matches!(ask, Ask::Stage | Ask::Forces));
        let written = match ask {
            Ask::Stage | Ask::Forces => rows.f_dyn.range(),
            Ask::Matrices => rows.g_velocity.start..rows.h.end,
            Ask::Positions => rows.g.range(),
        };
        let vector = Some(&mut self.rda[written.clone()]);
        if matrices {
            stats.njac += 1;
            self.c.fill(0.0);
            parts.constraint = Some(&mut self.c);
            parts.mass = self.mass.receive();
        }
        let with_mass = parts.mass.is_some();
        stats.nmas += u64::from(with_mass);
        stats.neom += u64::from(ask != Ask::Matrices);
        match ask {
            Ask::Stage | Ask::Forces => (parts.force, parts.at_rest) = (vector, Some(&mut self.nu[..])),
            Ask::Matrices => parts.velocity = vector,
            Ask::Positions => parts.position = vector,
        }
        let outcome = system.parts(t, &self.x, parts).unwrap_or(Outcome::Stop);
        // What a refused call left in M is none.
        let finite = !with_mass || outcome != Outcome::Continue || self.mass.received();
        let (vector, c, nu) = (&self.rda[written], &self.c, &self.nu);
        let finite =
            || finite && all_finite(vector) && (!matrices || all_finite(c)) && (!forces || all_finite(nu));
        Ok(model::check(outcome, Code::StoppedByParts, finite)?)
    }

    /// λ, μ and the acceleration (in place of f_dyn) from supplied parts.
    pub(super) fn solve_supplied(&mut self, stats: &mut Stats) -> Result {
        let (b, rows) = (self.layout.x, self.layout.rda);
        // C a = -γ.
        self.nu.iter_mut().for_each(|nu| *nu = -*nu);
        factored(&mut self.saddle)?.solve(rows.f_dyn.of_mut(&mut self.rda), &mut self.nu);
        b.multipliers.of_mut(&mut self.x).copy_from_slice(&self.nu);
        stats.nbsub += 1;
        Ok(())
    }
}
