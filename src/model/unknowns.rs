//! The unknowns of a step and their order: y = [ a | λ μ | r' | w | s | q ].
//!
//! Rows follow the same order: f_dyn | g h | b | d | c | f_kin. The last block exists only if Z ≠ I, where
//! p = p_n + h f_kin,n + βh² q; with Z = I the positions follow from a alone.

use crate::layout::{Block, Layout};

/// Blocks of the unknowns, and of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknowns {
    /// Accelerations; rows f_dyn.
    pub a: Block,
    /// Holonomic multipliers; rows g.
    pub lambda: Block,
    /// Nonholonomic multipliers; rows h.
    pub mu: Block,
    /// Both.
    pub multipliers: Block,
    /// Slopes of the force elements; rows b.
    pub slope: Block,
    /// Auxiliary variables; rows d.
    pub w: Block,
    /// Contact variables; rows c.
    pub s: Block,
    /// Curvature of the positions; rows f_kin. Empty if Z = I.
    pub q: Block,
    /// Their number.
    pub n: usize,
}

impl Unknowns {
    /// For a layout; `general` if Z ≠ I.
    pub fn new(layout: &Layout, general: bool) -> Self {
        let d = &layout.dims;
        let mut next = Block::in_order();
        let (a, lambda, mu, slope) = (next(d.nv), next(d.nl), next(d.nm), next(d.nr));
        let (w, s, q) = (next(d.nw), next(d.ns), next(if general { d.np } else { 0 }));
        let multipliers = Block { start: lambda.start, end: mu.end };
        Unknowns { a, lambda, mu, multipliers, slope, w, s, q, n: q.end }
    }

    /// The block from which the positions follow: p = … + βh² y.
    pub fn position(&self) -> Block {
        if self.q.is_empty() {
            self.a
        } else {
            self.q
        }
    }
}
