//! Where everything is: the blocks of the state `x`, of the reduced derivative array `RDA` and of
//! the Jacobian blocks `FX1..FX6`.
//!
//! This is the only place with index arithmetic (GEOMS manual, arguments X, EOM and JAC). All other
//! code addresses blocks by name:
//!
//! ```text
//! x   = [ w λ μ | r | v | s p ]            N1 | N2 | N3 | N4
//! RDA = [ d gII hI | gI h e | c g | b | f_dyn | f_kin ]   M1 | M2 | M3 | M4 | M5 | M6
//! ```
//!
//! With [`Form::Index1`] the rows `gII` and `hI` are absent.

use std::fmt;

/// A contiguous, named piece of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Block {
    /// First index.
    pub start: usize,
    /// One past the last index.
    pub end: usize,
}

impl Block {
    /// Blocks of the lengths asked for, one behind the other.
    pub(crate) fn in_order() -> impl FnMut(usize) -> Block {
        let mut at = 0;
        move |len| {
            at += len;
            Block { start: at - len, end: at }
        }
    }

    const fn joined(self, next: Block) -> Self {
        Block { start: self.start, end: next.end }
    }

    /// Number of entries.
    #[inline]
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// True for a block without entries.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.end == self.start
    }

    /// The index range.
    #[inline]
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// This block of `v`.
    #[inline]
    pub fn of(self, v: &[f64]) -> &[f64] {
        &v[self.start..self.end]
    }

    /// This block of `v`, to be written.
    #[inline]
    pub fn of_mut(self, v: &mut [f64]) -> &mut [f64] {
        &mut v[self.start..self.end]
    }

    /// True if `index` lies in the block.
    #[inline]
    pub const fn contains(self, index: usize) -> bool {
        index >= self.start && index < self.end
    }
}

/// The formulation that the user's equations are written for (IOPT(5) = FORM).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Form {
    /// Projected-strangeness-free: `gII` and `hI` are supplied and determine λ, μ.
    #[default]
    StrangenessFree,
    /// Projected-strangeness-index-1: without `gII` and `hI`; λ, μ follow from the dynamics.
    Index1,
}

/// Numbers of variables of each kind, as in the argument list of GEOMS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Dimensions {
    /// Position variables p.
    pub np: usize,
    /// Velocity variables v.
    pub nv: usize,
    /// Dynamic force element variables r.
    pub nr: usize,
    /// Auxiliary variables w.
    pub nw: usize,
    /// Contact point variables s.
    pub ns: usize,
    /// Holonomic constraints g and multipliers λ.
    pub nl: usize,
    /// Nonholonomic constraints h and multipliers μ.
    pub nm: usize,
    /// Solution invariants e.
    pub ni: usize,
}

/// Blocks of the state vector x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateBlocks {
    /// Auxiliary variables.
    pub w: Block,
    /// Holonomic multipliers λ.
    pub lambda: Block,
    /// Nonholonomic multipliers μ.
    pub mu: Block,
    /// Dynamic force elements.
    pub r: Block,
    /// Velocities.
    pub v: Block,
    /// Contact point coordinates.
    pub s: Block,
    /// Positions.
    pub p: Block,
    /// `[w λ μ]`, the N1 columns.
    pub algebraic: Block,
    /// `[λ μ]`.
    pub multipliers: Block,
    /// `[s p]`, the N4 columns.
    pub contact_position: Block,
}

impl StateBlocks {
    /// Component of x that is entry i of `[r v | p]`, the variables with rates of their own.
    pub fn with_rate(&self, i: usize) -> usize {
        let rv = self.v.end - self.r.start;
        if i < rv {
            self.r.start + i
        } else {
            self.p.start + i - rv
        }
    }
}

/// Blocks of the reduced derivative array RDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidualBlocks {
    /// Equations of the auxiliary variables.
    pub d: Block,
    /// Holonomic constraints on acceleration level (empty for [`Form::Index1`]).
    pub g_acceleration: Block,
    /// Nonholonomic constraints on acceleration level (empty for [`Form::Index1`]).
    pub h_acceleration: Block,
    /// Holonomic constraints on velocity level.
    pub g_velocity: Block,
    /// Nonholonomic constraints.
    pub h: Block,
    /// Invariants.
    pub e: Block,
    /// Contact equations.
    pub c: Block,
    /// Holonomic constraints.
    pub g: Block,
    /// Right-hand side of the force elements.
    pub b: Block,
    /// Right-hand side of the dynamic equations, constraint forces included.
    pub f_dyn: Block,
    /// Right-hand side of the kinematic equations.
    pub f_kin: Block,
    /// M1 rows: d, gII, hI.
    pub rows1: Block,
    /// M2 rows: gI, h, e.
    pub rows2: Block,
    /// M3 rows: c, g.
    pub rows3: Block,
}

/// All block positions for one set of dimensions and one formulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The dimensions this layout was made from.
    pub dims: Dimensions,
    /// The formulation.
    pub form: Form,
    /// Blocks of x.
    pub x: StateBlocks,
    /// Blocks of RDA.
    pub rda: ResidualBlocks,
    /// Length of x (N).
    pub n: usize,
    /// Length of RDA (M).
    pub m: usize,
}

impl Layout {
    /// The layout of a system with these dimensions.
    pub fn new(dims: Dimensions, form: Form) -> Self {
        let mut next = Block::in_order();
        let (w, lambda, mu) = (next(dims.nw), next(dims.nl), next(dims.nm));
        let (r, v, s, p) = (next(dims.nr), next(dims.nv), next(dims.ns), next(dims.np));
        let n = p.end;
        let x = StateBlocks {
            w,
            lambda,
            mu,
            r,
            v,
            s,
            p,
            algebraic: w.joined(mu),
            multipliers: lambda.joined(mu),
            contact_position: s.joined(p),
        };

        let (acc_l, acc_m) = match form {
            Form::StrangenessFree => (dims.nl, dims.nm),
            Form::Index1 => (0, 0),
        };
        let mut next = Block::in_order();
        let (d, g_acceleration, h_acceleration) = (next(dims.nw), next(acc_l), next(acc_m));
        let (g_velocity, h, e) = (next(dims.nl), next(dims.nm), next(dims.ni));
        let (c, g) = (next(dims.ns), next(dims.nl));
        let (b, f_dyn, f_kin) = (next(dims.nr), next(dims.nv), next(dims.np));
        let m = f_kin.end;
        let rda = ResidualBlocks {
            d,
            g_acceleration,
            h_acceleration,
            g_velocity,
            h,
            e,
            c,
            g,
            b,
            f_dyn,
            f_kin,
            rows1: d.joined(h_acceleration),
            rows2: g_velocity.joined(e),
            rows3: c.joined(g),
        };
        Layout { dims, form, x, rda, n, m }
    }

    /// N1 = NW+NL+NM, columns of `[w λ μ]`.
    pub fn n1(&self) -> usize {
        self.x.algebraic.len()
    }
    /// N2 = NR.
    pub fn n2(&self) -> usize {
        self.x.r.len()
    }
    /// N3 = NV.
    pub fn n3(&self) -> usize {
        self.x.v.len()
    }
    /// N4 = NS+NP.
    pub fn n4(&self) -> usize {
        self.x.contact_position.len()
    }
    /// M1, rows of FX1.
    pub fn m1(&self) -> usize {
        self.rda.rows1.len()
    }
    /// M2, rows of FX2.
    pub fn m2(&self) -> usize {
        self.rda.rows2.len()
    }
    /// M3, rows of FX3.
    pub fn m3(&self) -> usize {
        self.rda.rows3.len()
    }

    /// Shapes (rows, columns) of FX1..FX6 (manual, subroutine JAC).
    pub fn fx_shapes(&self) -> [(usize, usize); 6] {
        let (n, n34) = (self.n, self.n3() + self.n4());
        [
            (self.m1(), n),
            (self.m2(), n34),
            (self.m3(), self.n4()),
            (self.dims.nr, n),
            (self.dims.nv, n),
            (self.dims.np, n34),
        ]
    }

    /// For each FX block: its rows of RDA and the first column of x that it covers.
    pub fn fx_position(&self) -> [(Block, usize); 6] {
        let rda = &self.rda;
        let (v0, sp0) = (self.x.v.start, self.x.contact_position.start);
        [(rda.rows1, 0), (rda.rows2, v0), (rda.rows3, sp0), (rda.b, 0), (rda.f_dyn, 0), (rda.f_kin, v0)]
    }

    /// Name of component `index` of x, as block and number: `v(7)`.
    pub fn state_name(&self, index: usize) -> Name {
        let x = &self.x;
        let blocks =
            [("w", x.w), ("lambda", x.lambda), ("mu", x.mu), ("r", x.r), ("v", x.v), ("s", x.s), ("p", x.p)];
        Name::find(&blocks, index)
    }

    /// The first row of RDA that is not a finite number.
    pub fn first_not_finite(&self, rda: &[f64]) -> Option<(Name, f64)> {
        let row = rda.iter().position(|v| !v.is_finite())?;
        Some((self.residual_name(row), rda[row]))
    }

    /// Name of row `index` of RDA, as block and number: `gI(2)`.
    pub fn residual_name(&self, index: usize) -> Name {
        let r = &self.rda;
        let blocks = [
            ("d", r.d),
            ("gII", r.g_acceleration),
            ("hI", r.h_acceleration),
            ("gI", r.g_velocity),
            ("h", r.h),
            ("e", r.e),
            ("c", r.c),
            ("g", r.g),
            ("b", r.b),
            ("f_dyn", r.f_dyn),
            ("f_kin", r.f_kin),
        ];
        Name::find(&blocks, index)
    }
}

/// A component named by block and number within the block, counted from 1 as in Fortran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Name of the block.
    pub block: &'static str,
    /// Number within the block, from 1.
    pub number: usize,
}

impl Name {
    fn find(blocks: &[(&'static str, Block)], index: usize) -> Name {
        blocks.iter().find(|(_, b)| b.contains(index)).map_or(
            Name { block: "?", number: index + 1 },
            |(name, b)| Name { block: name, number: index - b.start + 1 },
        )
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.block, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMS: Dimensions = Dimensions { np: 7, nv: 6, nr: 5, nw: 4, ns: 3, nl: 2, nm: 1, ni: 1 };

    #[test]
    fn lengths_are_those_of_the_manual() {
        let d = DIMS;
        let n = d.np + d.nv + d.nr + d.nw + d.ns + d.nl + d.nm;
        let full = Layout::new(d, Form::StrangenessFree);
        assert_eq!(full.n, n);
        assert_eq!(full.m, d.np + d.nv + d.nr + d.nw + d.ns + 3 * d.nl + 2 * d.nm + d.ni);
        let short = Layout::new(d, Form::Index1);
        assert_eq!(short.n, n);
        assert_eq!(short.m, d.np + d.nv + d.nr + d.nw + d.ns + 2 * d.nl + d.nm + d.ni);
        assert_eq!(short.m1(), d.nw);
        assert_eq!(full.fx_shapes().iter().map(|s| s.0).sum::<usize>(), full.m);
    }

    #[test]
    fn names_follow_the_blocks() {
        let l = Layout::new(DIMS, Form::StrangenessFree);
        assert_eq!(l.state_name(l.x.v.start + 4).to_string(), "v(5)");
        assert_eq!(l.residual_name(l.rda.g_velocity.start).to_string(), "gI(1)");
        assert_eq!(l.state_name(l.x.s.start).to_string(), "s(1)");
        let rates = [0, DIMS.nr, DIMS.nr + DIMS.nv].map(|i| l.state_name(l.x.with_rate(i)).to_string());
        assert_eq!(rates, ["r(1)", "v(1)", "p(1)"]);
    }
}
