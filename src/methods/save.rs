//! Saving and restoring: after it the run goes on as if nothing had happened, bit for bit.
//!
//! Here are the format and what all methods save ([`State`]); each method adds what its next steps depend on.

use super::state::{Linearized, State};
use crate::control::Memory;
use crate::layout::Layout;
use crate::options::Options;
use crate::stats::Stats;

/// First bytes of a saved state.
const MAGIC: &[u8; 8] = b"geoms\0\x00\x02";

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
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A number.
    pub fn int(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    /// Real numbers with their count.
    pub fn reals(&mut self, values: &[f64]) {
        self.int(values.len() as u64);
        values.iter().for_each(|v| self.int(v.to_bits()));
    }
    /// Indices with their count.
    pub fn indices(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.int(values.len() as u64);
        values.for_each(|v| self.int(v));
    }
}

/// Takes them out again.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// A number.
    pub fn int(&mut self) -> Result<u64, BadState> {
        let (head, tail) = self.0.split_first_chunk::<8>().ok_or(BadState::Damaged)?;
        self.0 = tail;
        Ok(u64::from_le_bytes(*head))
    }
    /// A real number.
    pub fn real(&mut self) -> Result<f64, BadState> {
        self.int().map(f64::from_bits)
    }
    /// A count, not more than can follow.
    pub fn length(&mut self) -> Result<usize, BadState> {
        let length = usize::try_from(self.int()?).map_err(|_| BadState::Damaged)?;
        if length > self.0.len() / 8 {
            Err(BadState::Damaged)
        } else {
            Ok(length)
        }
    }
    /// Real numbers, as many as expected.
    pub fn reals(&mut self, into: &mut [f64]) -> Result<(), BadState> {
        if self.length()? != into.len() {
            return Err(BadState::Damaged);
        }
        into.iter_mut().try_for_each(|v| self.real().map(|r| *v = r))
    }
    /// Indices below a limit.
    pub fn indices(&mut self, below: usize) -> Result<Vec<usize>, BadState> {
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

/// What a saved state must agree with: dimensions, formulation, method and decompositions.
fn signature(layout: &Layout, options: &Options) -> [u64; 14] {
    let d = &layout.dims;
    let sizes = [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|n| n as u64);
    let mut out = [0; 14];
    out[..8].copy_from_slice(&sizes);
    out[8] = layout.form as u64;
    out[9] = options.decompose_constraints as u64;
    out[10] = options.decompose_differential as u64;
    out[11] = options.mass as u64;
    out[12] = options.method as u64;
    out[13] = options.order as u64;
    out
}

impl Writer {
    /// Begin a saved state of a run with these options.
    pub fn begin(layout: &Layout, options: &Options) -> Self {
        let mut w = Writer(MAGIC.to_vec());
        signature(layout, options).into_iter().for_each(|v| w.int(v));
        w
    }

    /// What every method has.
    pub fn state(&mut self, s: &State) {
        self.reals(&[s.t, s.h, s.h_last, s.t_old, s.faccon, s.theta, s.t_start]);
        self.reals(&s.memory.map_or(vec![], |m| vec![m.h, m.err]));
        self.reals(&s.x);
        self.reals(&s.contx);
        for flag in [s.rejected, s.restarted] {
            self.int(u64::from(flag));
        }
        self.int(s.linearized as u64);
        self.int(s.since_start);
        s.stats.to_array().into_iter().for_each(|v| self.int(v));
    }
}

impl<'a> Reader<'a> {
    /// Begin to read; the run must be one of the same system, method and decompositions.
    pub fn begin(saved: &'a [u8], layout: &Layout, options: &Options) -> Result<Self, BadState> {
        let mut r = Reader(saved.strip_prefix(MAGIC.as_slice()).ok_or(BadState::Foreign)?);
        for expected in signature(layout, options) {
            if r.int()? != expected {
                return Err(BadState::Different);
            }
        }
        Ok(r)
    }

    /// What [`Writer::state`] wrote.
    pub fn state(&mut self, s: &mut State) -> Result<(), BadState> {
        let mut numbers = [0.0; 7];
        self.reals(&mut numbers)?;
        [s.t, s.h, s.h_last, s.t_old, s.faccon, s.theta, s.t_start] = numbers;
        s.memory = match self.length()? {
            0 => None,
            2 => Some(Memory { h: self.real()?, err: self.real()? }),
            _ => return Err(BadState::Damaged),
        };
        self.reals(&mut s.x)?;
        self.reals(&mut s.contx)?;
        (s.rejected, s.restarted) = (self.flag()?, self.flag()?);
        s.linearized = match self.int()? {
            0 => Linearized::Nowhere,
            1 => Linearized::Here,
            2 => Linearized::Elsewhere,
            _ => return Err(BadState::Damaged),
        };
        s.since_start = self.int()?;
        let mut counters = Stats::default().to_array();
        counters.iter_mut().try_for_each(|c| self.int().map(|v| *c = v))?;
        s.stats = Stats::from_array(&counters);
        Ok(())
    }

    /// Yes or no.
    pub fn flag(&mut self) -> Result<bool, BadState> {
        self.int().map(|v| v != 0)
    }

    /// Nothing may be left over.
    pub fn end(&self) -> Result<(), BadState> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(BadState::Damaged)
        }
    }
}
