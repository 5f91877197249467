//! What the next steps of Radau IIA depend on beside the common state: a Jacobian and mass matrix that are still in
//! use, and the decisions of the formulation. Decompositions are made again from these; they are deterministic.

use super::{tableau, Evidence, Radau};
use crate::formulation;
use crate::methods::save::{BadState, Reader, Writer};
use crate::methods::state::Linearized;

impl<const L: usize> Radau<L> {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.state(&self.state);
        w.int(self.order as u64);
        w.int(u64::from(self.evidence.since_change));
        w.int(u64::from(self.evidence.failures));
        w.int(self.state.nodes.len() as u64 + 1);
        w.reals(&[self.decomposed_for]);
        w.int(u64::from(self.renew_selectors));
        w.int(u64::from(self.singular));
        w.reals(self.mass.saved().unwrap_or(&[]));
        w.reals(self.stage_mass.saved().unwrap_or(&[]));
        if self.state.linearized != Linearized::Nowhere {
            self.fx.fx.iter().for_each(|block| w.reals(block));
        }
        let memory = self.formulation.memory();
        w.indices(memory.known_ranks.iter().flatten().map(|&r| r as u64).collect::<Vec<_>>().into_iter());
        w.indices(memory.imposed.iter().map(|&i| u64::from(i)));
        for list in [&memory.rows_v, &memory.rows_p, &memory.selected_for] {
            w.indices(list.iter().map(|&i| i as u64));
        }
        w.0
    }

    /// Put a saved state back. The integrator must have been made for the same system and decompositions. After an
    /// error it must not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        r.state(&mut self.state)?;
        let counters = self.state.stats;
        self.order = usize::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        if self.order >= self.orders.len() {
            return Err(BadState::Damaged);
        }
        let since_change = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        let failures = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        self.evidence = Evidence { failures, since_change };
        // The polynomial of the last step may be one of another order.
        self.state.nodes =
            tableau::coefficients(usize::try_from(r.int()?).map_err(|_| BadState::Damaged)?).newton_nodes;
        let mut decomposed_for = [0.0];
        r.reals(&mut decomposed_for)?;
        self.renew_selectors = r.flag()?;
        self.singular = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        self.restore_matrices(&mut r)?;
        self.restore_formulation(&mut r, decomposed_for[0])?;
        self.state.stats = counters;
        self.work.here_valid = false;
        r.end()
    }

    fn restore_matrices(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let entries = self.layout.dims.nv * self.layout.dims.nv;
        let mut full = vec![0.0; entries];
        for mass in [&mut self.mass, &mut self.stage_mass] {
            match r.length()? {
                0 => {}
                n if n == entries => {
                    full.iter_mut().try_for_each(|v| r.real().map(|x| *v = x))?;
                    mass.restore(&full);
                }
                _ => return Err(BadState::Damaged),
            }
        }
        if self.state.linearized != Linearized::Nowhere {
            self.fx.fx.iter_mut().try_for_each(|block| r.reals(block))?;
        }
        Ok(())
    }

    fn restore_formulation(&mut self, r: &mut Reader<'_>, decomposed_for: f64) -> Result<(), BadState> {
        let (rows, n) = (self.layout.m.max(1) + 1, self.layout.n);
        let ranks = r.indices(rows)?;
        let memory = formulation::Memory {
            known_ranks: <[usize; 3]>::try_from(ranks).ok(),
            imposed: r.indices(2)?.into_iter().map(|i| i == 1).collect(),
            rows_v: r.indices(self.layout.dims.nv)?,
            rows_p: r.indices(self.layout.dims.np)?,
            selected_for: r.indices(n)?,
        };
        if memory.imposed.len() != self.layout.dims.ni {
            return Err(BadState::Damaged);
        }
        self.formulation.recall(&memory);
        self.decomposed_for = 0.0;
        if self.state.linearized == Linearized::Nowhere {
            return Ok(());
        }
        self.formulation.predecompose(&self.fx, None).map_err(|_| BadState::Damaged)?;
        let mut ignored = 0;
        self.formulation.apply_mass(&self.mass, &mut ignored);
        if decomposed_for != 0.0 && self.formulation.selectors_fit() {
            self.formulation.reduce(&self.fx, &self.mass);
            self.factor_reduced(decomposed_for).map_err(|_| BadState::Damaged)?;
        }
        Ok(())
    }
}
