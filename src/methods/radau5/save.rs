//! Saving and restoring: after it the run goes on as if nothing had happened, bit for bit.
//!
//! Saved is what the next steps depend on: the state, a Jacobian and mass matrix that are still in use, and the
//! decisions of the formulation. Decompositions are made again from these; they are deterministic.

use super::Radau5;
use crate::control::Memory;
use crate::formulation;
use crate::methods::state::Linearized;
use crate::stats::Stats;

/// First bytes of a saved state.
const MAGIC: &[u8; 8] = b"geoms\0\x00\x01";

/// What is wrong with a saved state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadState {
    /// Not a state of this version of the library.
    Foreign,
    /// Of a system or of options that do not fit.
    Different,
    /// Too short, too long, or damaged.
    Damaged,
}

/// Appends numbers to a byte array.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn int(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    fn reals(&mut self, values: &[f64]) {
        self.int(values.len() as u64);
        values.iter().for_each(|v| self.int(v.to_bits()));
    }
    fn indices(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.int(values.len() as u64);
        values.for_each(|v| self.int(v));
    }
}

/// Takes them out again.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn int(&mut self) -> Result<u64, BadState> {
        let (head, tail) = self.0.split_first_chunk::<8>().ok_or(BadState::Damaged)?;
        self.0 = tail;
        Ok(u64::from_le_bytes(*head))
    }
    fn real(&mut self) -> Result<f64, BadState> {
        self.int().map(f64::from_bits)
    }
    fn length(&mut self) -> Result<usize, BadState> {
        let length = usize::try_from(self.int()?).map_err(|_| BadState::Damaged)?;
        if length > self.0.len() / 8 {
            Err(BadState::Damaged)
        } else {
            Ok(length)
        }
    }
    fn reals(&mut self, into: &mut [f64]) -> Result<(), BadState> {
        if self.length()? != into.len() {
            return Err(BadState::Damaged);
        }
        into.iter_mut().try_for_each(|v| self.real().map(|r| *v = r))
    }
    fn indices(&mut self, below: usize) -> Result<Vec<usize>, BadState> {
        let length = self.length()?;
        (0..length)
            .map(|_| {
                let value = self.int()?;
                // usize::MAX separates the pivots of two blocks.
                let index = if value == u64::MAX { usize::MAX } else { value as usize };
                if index < below || index == usize::MAX {
                    Ok(index)
                } else {
                    Err(BadState::Damaged)
                }
            })
            .collect()
    }
}

impl Radau5 {
    /// What a saved state must agree with: dimensions, formulation and decompositions.
    fn signature(&self) -> [u64; 12] {
        let d = &self.layout.dims;
        let sizes = [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|n| n as u64);
        let mut out = [0; 12];
        out[..8].copy_from_slice(&sizes);
        out[8] = self.layout.form as u64;
        out[9] = self.options.decompose_constraints as u64;
        out[10] = self.options.decompose_differential as u64;
        out[11] = self.options.mass as u64;
        out
    }

    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut w = Writer(MAGIC.to_vec());
        self.signature().into_iter().for_each(|v| w.int(v));
        let s = &self.state;
        w.reals(&[s.t, s.h, s.h_last, s.t_old, s.faccon, s.theta, s.t_start, self.decomposed_for]);
        w.reals(&s.memory.map_or(vec![], |m| vec![m.h, m.err]));
        w.reals(&s.x);
        w.reals(&s.contx);
        for flag in [s.rejected, s.restarted, self.renew_selectors] {
            w.int(u64::from(flag));
        }
        w.int(s.linearized as u64);
        w.int(u64::from(self.singular));
        w.int(s.since_start);
        s.stats.to_array().into_iter().for_each(|v| w.int(v));
        w.reals(self.mass.saved().unwrap_or(&[]));
        w.reals(self.stage_mass.saved().unwrap_or(&[]));
        if s.linearized != Linearized::Nowhere {
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
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader(saved.strip_prefix(MAGIC.as_slice()).ok_or(BadState::Foreign)?);
        for expected in self.signature() {
            if r.int()? != expected {
                return Err(BadState::Different);
            }
        }
        let mut numbers = [0.0; 8];
        r.reals(&mut numbers)?;
        let [t, h, h_last, t_old, faccon, theta, t_start, decomposed_for] = numbers;
        let memory = match r.length()? {
            0 => None,
            2 => Some(Memory { h: r.real()?, err: r.real()? }),
            _ => return Err(BadState::Damaged),
        };
        let s = &mut self.state;
        (s.t, s.h, s.h_last, s.t_old, s.faccon, s.theta, s.t_start) =
            (t, h, h_last, t_old, faccon, theta, t_start);
        s.memory = memory;
        r.reals(&mut s.x)?;
        r.reals(&mut s.contx)?;
        (s.rejected, s.restarted) = (r.int()? != 0, r.int()? != 0);
        self.renew_selectors = r.int()? != 0;
        s.linearized = match r.int()? {
            0 => Linearized::Nowhere,
            1 => Linearized::Here,
            2 => Linearized::Elsewhere,
            _ => return Err(BadState::Damaged),
        };
        self.singular = u32::try_from(r.int()?).map_err(|_| BadState::Damaged)?;
        self.state.since_start = r.int()?;
        let mut counters = Stats::default().to_array();
        counters.iter_mut().try_for_each(|c| r.int().map(|v| *c = v))?;
        self.restore_matrices(&mut r)?;
        self.restore_formulation(&mut r, decomposed_for)?;
        self.state.stats = Stats::from_array(&counters);
        self.work.here_valid = false;
        if r.0.is_empty() {
            Ok(())
        } else {
            Err(BadState::Damaged)
        }
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
            self.formulation.reduce(&self.fx);
            self.factor_reduced(decomposed_for).map_err(|_| BadState::Damaged)?;
        }
        Ok(())
    }
}
