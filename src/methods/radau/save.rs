//! What the next steps of Radau IIA depend on beside the common state: a Jacobian and mass matrix that are still in
//! use, and the decisions of the formulation. Decompositions are made again from these; they are deterministic.

use super::{critical, Evidence, Linearized, Radau, MAX_SINGULAR};
use crate::formulation;
use crate::methods::save::{require, BadState, Reader, Writer};

/// More than any run has between two changes of order.
const MANY_FAILURES: u32 = u32::MAX / 16;

impl<const L: usize> Radau<L> {
    /// The state as bytes.
    pub(super) fn saved(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.state(&self.state);
        w.real(self.faccon);
        w.int(self.linearized as u64);
        w.int(self.order as u64);
        w.int(u64::from(self.evidence.since_change));
        w.int(u64::from(self.evidence.failures));
        w.int(u64::from(self.evidence.slow));
        w.int(self.state.nodes.len() as u64 + 1);
        w.real(self.formulation.factored_for().map_or(0.0, |shifts| shifts.h));
        w.flag(self.renew_selectors);
        w.int(u64::from(self.singular));
        w.mass(&self.mass);
        w.mass(&self.stage_mass);
        if self.linearized != Linearized::Nowhere {
            self.fx.fx.iter().for_each(|block| w.reals(block));
            self.rows.whole.iter().for_each(|whole| w.reals(&whole.fx.fx[0]));
        }
        w.flag(self.work.here_valid);
        if self.work.here_valid {
            w.reals(&self.work.here);
        }
        let memory = self.formulation.memory();
        w.flag(memory.known_ranks.is_some());
        memory.known_ranks.iter().flatten().for_each(|&r| w.int(r as u64));
        memory.imposed.iter().for_each(|&i| w.flag(i));
        for list in [&memory.rows_v, &memory.rows_p, &memory.selected_for] {
            w.indices(list.iter().map(|&i| i as u64));
        }
        self.save_critical(&mut w);
        w.seal()
    }

    /// Put a saved state back. The integrator must have been made for the same system and decompositions. After an
    /// error it must not be used.
    pub(super) fn put_back(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        r.state(&mut self.state)?;
        self.faccon = r.size("faccon")?;
        let known = [Linearized::Nowhere, Linearized::Here, Linearized::Elsewhere];
        self.linearized = r.choice("linearized", &known)?;
        let counters = self.state.stats;
        self.order = r.index("order", self.orders.len())?;
        let since_change = r.small("steps since the last change of order", u32::MAX)?;
        let failures = r.small("failures since the last change of order", MANY_FAILURES)?;
        let slow = r.small("slow steps", u32::MAX)?;
        self.evidence = Evidence { failures, since_change, iterations: 0, slow, increment: 0.0 };
        self.restore_nodes(&mut r)?;
        let decomposed_for = r.size("step size of the matrices")?;
        self.renew_selectors = r.flag("selectors")?;
        self.singular = r.small("singular matrices", MAX_SINGULAR)?;
        self.restore_matrices(&mut r)?;
        self.restore_formulation(&mut r, decomposed_for)?;
        self.state.stats = counters;
        self.restore_critical(&mut r)?;
        r.end()
    }

    /// What is remembered of rank losses of the constraints.
    fn save_critical(&self, w: &mut Writer) {
        w.real(self.memory.best);
        w.reals(self.memory.time.as_slice());
        w.flag(self.memory.passed);
        w.int(u64::from(self.memory.shifts));
        self.memory.refusal.save(w);
        // How many constraints are redundant, where critical steps may come.
        w.indices(
            self.critical.iter().map(|critical| critical.redundant() as u64).collect::<Vec<_>>().into_iter(),
        );
    }

    /// What is remembered of rank losses.
    fn restore_critical(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        self.memory.best = r.not_negative("constraints")?;
        let mut time = [0.0];
        self.memory.time = r.optional("time to the rank loss", &mut time)?.then_some(time[0]);
        self.memory.passed = r.flag("rank loss")?;
        self.memory.shifts = r.small("rank loss", u32::MAX - 1)?;
        self.memory.refusal = critical::Refusal::restore(r)?;
        match r.distinct("redundant constraints", self.layout.dims.nl + self.layout.dims.nm + 1)?[..] {
            [] => {}
            [redundant] => self.make_room_for_critical_steps(redundant),
            _ => return Err(BadState::Field("redundant constraints")),
        }
        Ok(())
    }

    /// The polynomial of the last step may be one of another order.
    fn restore_nodes(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        let stages = r.index("nodes of the dense output", usize::MAX)?;
        let known = self.orders.iter().find(|order| order.tableau.stages == stages);
        let known = known.ok_or(BadState::Field("nodes of the dense output"))?;
        self.state.nodes = known.tableau.of.newton_nodes;
        let needed = (self.state.nodes.len() + 2) * self.layout.n;
        require("nodes of the dense output", needed <= self.state.contx.len())
    }

    fn restore_matrices(&mut self, r: &mut Reader<'_>) -> Result<(), BadState> {
        r.mass(&mut self.mass)?;
        r.mass(&mut self.stage_mass)?;
        if self.linearized != Linearized::Nowhere {
            require("mass matrix", self.mass.saved().is_some())?;
            self.fx.fx.iter_mut().try_for_each(|block| r.reals("Jacobian", block))?;
            let whole = self.rows.whole.iter_mut();
            whole.map(|whole| &mut whole.fx.fx[0]).try_for_each(|block| r.reals("Jacobian", block))?;
        }
        self.forget_closing();
        self.forget_end();
        self.work.here_valid = r.flag("rows here")?;
        if self.work.here_valid {
            r.reals("rows here", &mut self.work.here)?;
        }
        Ok(())
    }

    fn restore_formulation(&mut self, r: &mut Reader<'_>, decomposed_for: f64) -> Result<(), BadState> {
        let l = &self.layout;
        let mut known_ranks = None;
        if r.flag("ranks")? {
            let blocks = [(l.m1(), l.x.algebraic.len()), (l.m2(), l.n3()), (l.m3(), l.n4())];
            let mut ranks = [0; 3];
            for (rank, (rows, columns)) in ranks.iter_mut().zip(blocks) {
                *rank = r.index("ranks", rows.min(columns) + 1)?;
            }
            known_ranks = Some(ranks);
        }
        let mut imposed = vec![true; l.dims.ni];
        imposed.iter_mut().try_for_each(|i| r.flag("invariants").map(|v| *i = v))?;
        let memory = formulation::Memory {
            known_ranks,
            imposed,
            rows_v: r.distinct("selectors", l.dims.nv)?,
            rows_p: r.distinct("selectors", l.dims.np)?,
            selected_for: r.pivots("pivots", l.n)?,
        };
        self.formulation.values().recall(&memory);
        if self.linearized == Linearized::Nowhere {
            return Ok(());
        }
        let (fx, mass, mut ignored) = (&self.fx, &self.mass, 0);
        let formulation = self.formulation.values();
        formulation.decompose(fx, mass, None, &mut ignored).map_err(|_| BadState::Field("Jacobian"))?;
        if decomposed_for != 0.0 && formulation.selectors_fit() {
            formulation.reduce(fx, mass);
            self.factor_reduced(decomposed_for).map_err(|_| BadState::Field("Jacobian"))?;
        }
        Ok(())
    }
}
