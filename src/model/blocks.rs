//! Where the blocks of FX1..FX6 go in the matrix of a step and in that of accelerations, for [`Unknowns`].

use super::{IterationMatrix, Unknowns};
use crate::layout::{Block, Layout};
use crate::system::JacobianBlocks;

/// How x changes with the unknowns of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// Of v with a.
    pub by_v: f64,
    /// Of p with a or q, and of s.
    pub by_p: f64,
    /// Of r with r'.
    pub by_r: f64,
    /// The step size.
    pub h: f64,
}

/// Rows of a block within the rows of its FX.
pub fn local(rows: Block, of: Block) -> Block {
    Block { start: rows.start - of.start, end: rows.end - of.start }
}

/// The matrix of a step without the masses. With Δx = κ Δy the columns of FX are multiplied by κ = 1 for w, λ, μ, by_r for r, by_v for
/// v, by_p for s and p; the rows c and g by 1/by_p, h by 1/by_v. Then no entry grows as h → 0.
pub fn add_step(
    matrix: &mut dyn IterationMatrix,
    l: &Layout,
    u: &Unknowns,
    fx: &JacobianBlocks,
    scales: Scales,
) {
    let Scales { by_v, by_p, by_r, h } = scales;
    let columns = [
        (l.x.w, u.w, 1.0),
        (l.x.lambda, u.lambda, 1.0),
        (l.x.mu, u.mu, 1.0),
        (l.x.r, u.slope, by_r),
        (l.x.v, u.a, by_v),
        (l.x.s, u.s, by_p),
        (l.x.p, u.position(), by_p),
    ];
    let rows = [
        (0, l.rda.d, u.w, 1.0),
        (1, l.rda.h, u.mu, 1.0 / by_v),
        (2, l.rda.c, u.s, 1.0 / by_p),
        (2, l.rda.g, u.lambda, 1.0 / by_p),
        (3, l.rda.b, u.slope, 1.0),
        (4, l.rda.f_dyn, u.a, 1.0),
    ];
    let mut add = |k: usize, from: (Block, Block), to: (Block, Block), factor: f64| {
        let (all, first) = l.fx_position()[k];
        let covered = from.1.start >= first && !from.1.is_empty();
        if covered && !from.0.is_empty() {
            let columns = Block { start: from.1.start - first, end: from.1.end - first };
            let place = (to.0.start, to.1.start);
            matrix.add_stored(&fx.fx[k], (local(from.0, all), columns), place, factor);
        }
    };
    for (k, row, to, row_factor) in rows {
        for (column, unknown, factor) in columns {
            add(k, (row, column), (to, unknown), row_factor * factor);
        }
    }
    if !u.q.is_empty() {
        // q - (f_kin(p, ṽ) - f_kin,n)/(2βh), where ṽ changes by 2βh.
        for (column, unknown, factor) in [(l.x.v, u.a, 1.0), (l.x.s, u.s, 0.5 * h), (l.x.p, u.q, 0.5 * h)] {
            add(5, (l.rda.f_kin, column), (u.q, unknown), factor);
        }
        matrix.add_identity(u.q);
    }
    matrix.add_identity(u.slope);
}

/// The matrix of a, λ, μ, w at given positions and velocities, without the masses: f_dyn and d by λ, μ, w, and gI, h by v.
pub fn add_accelerations(matrix: &mut dyn IterationMatrix, l: &Layout, u: &Unknowns, fx: &JacobianBlocks) {
    for (k, of, row) in [(4, l.rda.f_dyn, u.a), (0, l.rda.d, u.w)] {
        let of = local(of, l.fx_position()[k].0);
        for (by, column) in [(l.x.w, u.w), (l.x.lambda, u.lambda), (l.x.mu, u.mu)] {
            matrix.add_stored(&fx.fx[k], (of, by), (row.start, column.start), 1.0);
        }
    }
    let constraints = Block { start: 0, end: u.multipliers.len() };
    let velocities = Block { start: 0, end: l.dims.nv };
    let place = (u.multipliers.start, u.a.start);
    matrix.add_stored(&fx.fx[1], (constraints, velocities), place, 1.0);
}
