//! Saving and restoring: after it the run goes on as if nothing had happened, bit for bit.
//!
//! A saved state is a sealed row of 64-bit numbers in little-endian order:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0 to 7 | "geoms", 0, and the version of the format in two bytes |
//! | 8 to 15 | length in bytes, all included |
//! | 16 to 23 | checksum of all other bytes (FNV-1a, 64 bits) |
//! | 24 ... | dimensions and options that must agree, then what all methods save ([`State`]), then what the method adds |
//!
//! The reader is asked for what a field must be, not only for its bytes: a method that reads its fields has checked them.

use super::State;
use crate::control::Memory;
use crate::layout::Layout;
use crate::model::Mass;
use crate::options::Options;
use crate::stats::Stats;

/// First bytes of any saved state.
const FAMILY: &[u8; 6] = b"geoms\0";
/// Version of the format.
const VERSION: u16 = 4;
/// Bytes before the content.
const HEADER: usize = 24;
/// Where the checksum lies.
const CHECKSUM: std::ops::Range<usize> = 16..HEADER;
/// No counter of a run comes here.
const MANY: u64 = 1 << 53;

/// What is wrong with a saved state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadState {
    /// Not a saved state.
    Foreign,
    /// Of another version of the library, with this version of the format.
    Version(u16),
    /// Of a system or of options that do not fit.
    Different,
    /// Too short, too long, or with another checksum.
    Damaged,
    /// This field has a value that no run gives it.
    Field(&'static str),
}

impl std::fmt::Display for BadState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadState::Foreign => write!(f, "the bytes are not a saved state"),
            BadState::Version(found) => write!(
                f,
                "the saved state is of another version: format {found}, allowed: {VERSION}; it cannot be read by this \
                 library"
            ),
            BadState::Different => write!(f, "the saved state belongs to another system or other options"),
            BadState::Damaged => write!(f, "the saved state is damaged: length or checksum do not fit"),
            BadState::Field(name) => write!(f, "the saved state is damaged: {name} has a value that no run gives it"),
        }
    }
}

/// FNV-1a over all bytes but those of the checksum itself.
fn checksum(saved: &[u8]) -> u64 {
    let (head, tail) = (&saved[..CHECKSUM.start], &saved[CHECKSUM.end..]);
    head.iter()
        .chain(tail)
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Appends numbers to a byte array.
pub struct Writer(Vec<u8>);

impl Writer {
    /// Begin a saved state of a run with these options.
    pub fn begin(layout: &Layout, options: &Options) -> Self {
        let mut w = Self::of(FAMILY);
        signature(layout, options).into_iter().for_each(|v| w.int(v));
        w
    }

    /// Begin a saved state of another kind.
    pub fn of(family: &[u8; 6]) -> Self {
        let mut w = Writer(family.to_vec());
        w.0.extend_from_slice(&VERSION.to_be_bytes());
        w.0.resize(HEADER, 0);
        w
    }

    /// The bytes, with length and checksum.
    pub fn seal(mut self) -> Vec<u8> {
        let length = (self.0.len() as u64).to_le_bytes();
        self.0[8..16].copy_from_slice(&length);
        let sum = checksum(&self.0).to_le_bytes();
        self.0[CHECKSUM].copy_from_slice(&sum);
        self.0
    }

    /// A mass matrix, if it has been evaluated.
    pub fn mass(&mut self, mass: &Mass) {
        self.reals(mass.saved().unwrap_or(&[]));
    }

    /// A number.
    pub fn int(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
    /// Yes or no.
    pub fn flag(&mut self, value: bool) {
        self.int(u64::from(value));
    }
    /// A real number.
    pub fn real(&mut self, value: f64) {
        self.int(value.to_bits());
    }
    /// Real numbers with their count.
    pub fn reals(&mut self, values: &[f64]) {
        self.int(values.len() as u64);
        values.iter().for_each(|v| self.real(*v));
    }
    /// Indices with their count.
    pub fn indices(&mut self, values: impl ExactSizeIterator<Item = u64>) {
        self.int(values.len() as u64);
        values.for_each(|v| self.int(v));
    }
    /// A saved state as a part of another one.
    pub fn nested(&mut self, saved: &[u8]) {
        self.int(saved.len() as u64);
        self.0.extend_from_slice(saved);
    }

    /// What every method has.
    pub fn state(&mut self, s: &State) {
        [s.t, s.t_old, s.t_start, s.h, s.h_last, s.theta].into_iter().for_each(|v| self.real(v));
        self.reals(&s.memory.map_or(vec![], |m| vec![m.h, m.err]));
        self.reals(&s.x);
        self.reals(&s.contx);
        for flag in [s.rejected, s.restarted] {
            self.flag(flag);
        }
        s.stats.to_array().into_iter().for_each(|v| self.int(v));
        self.int(s.since_start);
        self.int(s.limit_from);
    }
}

/// What a saved state must agree with: dimensions, formulation, method and decompositions.
fn signature(layout: &Layout, options: &Options) -> Vec<u64> {
    let d = &layout.dims;
    let sizes = [d.np, d.nv, d.nr, d.nw, d.ns, d.nl, d.nm, d.ni].map(|n| n as u64);
    let decompositions = [options.decompose_constraints as u64, options.decompose_differential as u64];
    let run = [options.mass as u64, options.method as u64, options.order as u64];
    [&sizes[..], &[layout.form as u64], &decompositions, &run].concat()
}

/// Takes numbers out again, each with what is known of it.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begin to read; the bytes must be whole, and the run one of the same system, method and decompositions.
    pub fn begin(saved: &'a [u8], layout: &Layout, options: &Options) -> Result<Self, BadState> {
        let mut r = Self::of(FAMILY, saved)?;
        for expected in signature(layout, options) {
            if r.int()? != expected {
                return Err(BadState::Different);
            }
        }
        Ok(r)
    }

    /// Begin to read a saved state of this kind; the bytes must be whole.
    pub fn of(family: &[u8; 6], saved: &'a [u8]) -> Result<Self, BadState> {
        let after = saved.strip_prefix(family.as_slice()).ok_or(BadState::Foreign)?;
        let (version, _) = after.split_first_chunk::<2>().ok_or(BadState::Foreign)?;
        match u16::from_be_bytes(*version) {
            VERSION => {}
            other => return Err(BadState::Version(other)),
        }
        let rest = saved.get(HEADER..).ok_or(BadState::Damaged)?;
        let mut header = Reader { rest: &saved[8..HEADER] };
        if header.int()? != saved.len() as u64 || header.int()? != checksum(saved) {
            return Err(BadState::Damaged);
        }
        Ok(Reader { rest })
    }

    /// Nothing may be left over.
    pub fn end(&self) -> Result<(), BadState> {
        require("the end", self.rest.is_empty())
    }

    /// A number.
    pub fn int(&mut self) -> Result<u64, BadState> {
        let (head, tail) = self.rest.split_first_chunk::<8>().ok_or(BadState::Damaged)?;
        self.rest = tail;
        Ok(u64::from_le_bytes(*head))
    }

    /// A number up to a largest one.
    pub fn at_most(&mut self, name: &'static str, most: u64) -> Result<u64, BadState> {
        self.int().and_then(|v| if v <= most { Ok(v) } else { Err(BadState::Field(name)) })
    }

    /// An index below a limit.
    pub fn index(&mut self, name: &'static str, below: usize) -> Result<usize, BadState> {
        let value = self.int()?;
        usize::try_from(value).ok().filter(|v| *v < below).ok_or(BadState::Field(name))
    }

    /// A small counter.
    pub fn small(&mut self, name: &'static str, most: u32) -> Result<u32, BadState> {
        u32::try_from(self.at_most(name, u64::from(most))?).map_err(|_| BadState::Field(name))
    }

    /// Yes or no.
    pub fn flag(&mut self, name: &'static str) -> Result<bool, BadState> {
        Ok(self.at_most(name, 1)? == 1)
    }

    /// One of these, by its number.
    pub fn choice<T: Copy>(&mut self, name: &'static str, of: &[T]) -> Result<T, BadState> {
        Ok(of[self.index(name, of.len())?])
    }

    /// A finite number.
    pub fn finite(&mut self, name: &'static str) -> Result<f64, BadState> {
        let value = f64::from_bits(self.int()?);
        require(name, value.is_finite())?;
        Ok(value)
    }

    /// A number that is zero or positive; infinity is allowed.
    pub fn not_negative(&mut self, name: &'static str) -> Result<f64, BadState> {
        let value = f64::from_bits(self.int()?);
        require(name, value >= 0.0)?;
        Ok(value)
    }

    /// A finite number that is zero or positive.
    pub fn size(&mut self, name: &'static str) -> Result<f64, BadState> {
        let value = self.not_negative(name)?;
        require(name, value.is_finite())?;
        Ok(value)
    }

    /// A count, not more than can follow.
    pub fn length(&mut self, name: &'static str) -> Result<usize, BadState> {
        // Behind the count itself.
        let most = self.rest.len() / 8;
        self.index(name, most)
    }

    /// Finite numbers, as many as expected.
    pub fn reals(&mut self, name: &'static str, into: &mut [f64]) -> Result<(), BadState> {
        require(name, self.int()? == into.len() as u64)?;
        into.iter_mut().try_for_each(|v| self.finite(name).map(|r| *v = r))
    }

    /// Finite numbers that may be absent; false if they are.
    pub fn optional(&mut self, name: &'static str, into: &mut [f64]) -> Result<bool, BadState> {
        match self.int()? {
            0 => Ok(into.is_empty()),
            n => {
                require(name, n == into.len() as u64)?;
                into.iter_mut().try_for_each(|v| self.finite(name).map(|x| *v = x)).map(|()| true)
            }
        }
    }

    /// A mass matrix, if there is one.
    pub fn mass(&mut self, mass: &mut Mass) -> Result<(), BadState> {
        let mut full = vec![0.0; mass.len()];
        if self.optional("mass matrix", &mut full)? {
            mass.restore(&full);
        }
        Ok(())
    }

    /// Indices below a limit; `usize::MAX` separates the pivots of two blocks.
    pub fn pivots(&mut self, name: &'static str, below: usize) -> Result<Vec<usize>, BadState> {
        let length = self.length(name)?;
        (0..length)
            .map(|_| match self.int()? {
                u64::MAX => Ok(usize::MAX),
                value => usize::try_from(value).ok().filter(|v| *v < below).ok_or(BadState::Field(name)),
            })
            .collect()
    }

    /// Indices below a limit, each at most once.
    pub fn distinct(&mut self, name: &'static str, below: usize) -> Result<Vec<usize>, BadState> {
        let found = self.pivots(name, below)?;
        let mut seen = vec![false; below];
        for &index in &found {
            let first = seen.get_mut(index).is_some_and(|seen| !std::mem::replace(seen, true));
            require(name, first)?;
        }
        Ok(found)
    }

    /// A saved state that is a part of this one.
    pub fn nested(&mut self, name: &'static str) -> Result<&'a [u8], BadState> {
        let length = self.index(name, self.rest.len())?;
        let (part, rest) = self.rest.split_at_checked(length).ok_or(BadState::Field(name))?;
        self.rest = rest;
        Ok(part)
    }

    /// What [`Writer::state`] wrote.
    pub fn state(&mut self, s: &mut State) -> Result<(), BadState> {
        (s.t, s.t_old, s.t_start) = (self.finite("t")?, self.finite("t_old")?, self.finite("t_start")?);
        require("t_old", s.t_old <= s.t)?;
        require("t_start", s.t_start <= s.t)?;
        // A first step given as infinite is cut at TEND.
        (s.h, s.h_last) = (self.not_negative("h")?, self.size("h_last")?);
        s.theta = self.not_negative("theta")?;
        // The polynomial is one over the last step.
        let rounding = 1e-3 * s.h_last + 4.0 * f64::EPSILON * s.t.abs().max(s.t_old.abs());
        require("h_last", ((s.t - s.t_old) - s.h_last).abs() <= rounding)?;
        let mut memory = [0.0; 2];
        s.memory =
            self.optional("controller", &mut memory)?.then_some(Memory { h: memory[0], err: memory[1] });
        require("controller", s.memory.is_none_or(|m| m.h > 0.0 && m.err > 0.0))?;
        self.reals("x", &mut s.x)?;
        self.reals("dense output", &mut s.contx)?;
        (s.rejected, s.restarted) = (self.flag("rejected")?, self.flag("restarted")?);
        require("h", s.h.is_finite() || s.restarted)?;
        require("restarted", s.restarted || s.h_last > 0.0)?;
        let mut counters = Stats::default().to_array();
        counters.iter_mut().try_for_each(|c| self.at_most("counters", MANY).map(|v| *c = v))?;
        s.stats = Stats::from_array(&counters);
        s.since_start = self.at_most("steps since the start", s.stats.naccpt)?;
        s.limit_from = self.at_most("steps before the limit", s.stats.nstep())?;
        Ok(())
    }
}

/// A field has a value that a run can give it.
pub fn require(name: &'static str, holds: bool) -> Result<(), BadState> {
    if holds {
        Ok(())
    } else {
        Err(BadState::Field(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};

    /// A state in the middle of a run is read as it was written; none with a value that no run gives it.
    #[test]
    fn states_are_checked() {
        let dims = Dimensions { np: 1, nv: 1, ..Dimensions::default() };
        let (layout, options) = (Layout::new(dims, Form::StrangenessFree), Options::of_call());
        let mut good = State::new(1.0, &[2.0, 3.0], 0.1, &[]);
        (good.t, good.h_last, good.theta, good.restarted) = (1.25, 0.25, 0.5, false);
        (good.memory, good.since_start, good.limit_from) = (Some(Memory { h: 0.25, err: 0.5 }), 3, 4);
        (good.stats.naccpt, good.stats.ncrjct, good.stats.neom) = (3, 1, 7);
        good.contx = vec![1.0, 2.0, 3.0, 4.0];
        let read = |s: &State| {
            let mut w = Writer::begin(&layout, &options);
            w.state(s);
            let saved = w.seal();
            let mut found = State::new(0.0, &[0.0; 2], 0.0, &[]);
            let mut r = Reader::begin(&saved, &layout, &options)?;
            r.state(&mut found).and_then(|()| r.end()).map(|()| found)
        };
        let found = read(&good).expect("good");
        assert_eq!(format!("{found:?}"), format!("{good:?}"));
        // After a restart there is no step, and its size may be infinite.
        let start = State::new(1.0, &[2.0, 3.0], f64::INFINITY, &[]);
        assert!(read(&start).is_ok_and(|s| s.restarted && s.memory.is_none()));
        let refused = |change: fn(&mut State)| {
            let mut state = good.clone();
            change(&mut state);
            match read(&state) {
                Err(BadState::Field(name)) => name,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(refused(|s| s.t = f64::NAN), "t");
        assert_eq!(refused(|s| s.t_old = 1.5), "t_old");
        assert_eq!(refused(|s| s.t_start = 1.5), "t_start");
        assert_eq!(refused(|s| s.h = -0.1), "h");
        assert_eq!(refused(|s| s.h = f64::INFINITY), "h");
        assert_eq!(refused(|s| s.h_last = 0.251), "h_last");
        assert_eq!(refused(|s| s.h_last = 0.249), "h_last");
        assert_eq!(refused(|s| s.theta = -1.0), "theta");
        assert_eq!(refused(|s| s.memory = Some(Memory { h: 0.0, err: 0.5 })), "controller");
        assert_eq!(refused(|s| s.memory = Some(Memory { h: 0.25, err: 0.0 })), "controller");
        assert_eq!(refused(|s| (s.t, s.h_last) = (1.0, 0.0)), "restarted");
        assert_eq!(refused(|s| s.since_start = 4), "steps since the start");
        assert_eq!(refused(|s| s.limit_from = 5), "steps before the limit");
        assert_eq!(refused(|s| s.stats.neom = MANY + 1), "counters");
    }
}
