//! The constraints on acceleration level along the tangent, where the model does not supply them (FORM=1) or M is not definite: how
//! d/dt (gI, h) = C a + γ changes at constant a, by differences of the rows gI and h alone.
//!
//! The derivative along the motion is taken over a part of the step, by a formula of order 4: then rounding errors count little, and
//! the error of J, of order h⁴, costs no order.

use super::jacobians::reach;
use super::Rosenbrock;
use crate::error::Code;
use crate::layout::{Block, Layout};
use crate::methods::motion::Halt;
use crate::model::{self, Trouble};
use crate::stats::Stats;
use crate::system::System;

/// Part of the step between the points of a formula.
const PART: f64 = 0.125;
/// Of the distance over which a component changes by its own size: width of the difference along a column.
const WIDTH: f64 = 6e-5;
/// Offsets and weights.
type Formula = [(f64, f64)];
/// Of the first derivative, central; ahead and back only, where the model begins or ends at t.
const FORMULAS: [&Formula; 3] = [
    &[(1.0, 2.0 / 3.0), (-1.0, -2.0 / 3.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0)],
    &[(0.0, -25.0 / 12.0), (1.0, 4.0), (2.0, -3.0), (3.0, 4.0 / 3.0), (4.0, -0.25)],
    &[(0.0, 25.0 / 12.0), (-1.0, -4.0), (-2.0, 3.0), (-3.0, -4.0 / 3.0), (-4.0, 0.25)],
];

/// Work space.
#[derive(Debug)]
pub struct Curvature {
    /// The derivative along the last column.
    pub value: Vec<f64>,
    along_motion: Vec<f64>,
    rows: Vec<f64>,
    kinematic: Vec<f64>,
    at: Vec<f64>,
    moved: Vec<f64>,
}

impl Curvature {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let (m, d) = (layout.m, layout.dims);
        let constraints = || vec![0.0; d.nl + d.nm];
        Curvature {
            value: constraints(),
            along_motion: constraints(),
            rows: vec![0.0; m],
            kinematic: vec![0.0; d.np],
            at: vec![0.0; layout.n],
            moved: vec![0.0; layout.n],
        }
    }

    /// C a + γ at (t, `at`), into `along_motion`.
    fn along_motion(
        &mut self,
        system: &mut dyn System,
        l: &Layout,
        (t, width): (f64, f64),
        a: &[f64],
        stats: &mut Stats,
    ) -> Result<(), Trouble> {
        stats.neom += 1;
        model::eom(system, Code::StoppedByEom, t, &self.at, &mut self.rows)?;
        self.kinematic.copy_from_slice(l.rda.f_kin.of(&self.rows));
        let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
        self.moved.copy_from_slice(&self.at);
        first_possible(&mut |formula: &Formula| {
            self.along_motion.fill(0.0);
            for (offset, weight) in formula {
                let step = offset * width;
                shift(l.x.p, &self.at, step, &self.kinematic, &mut self.moved);
                shift(l.x.v, &self.at, step, a, &mut self.moved);
                stats.neom += 1;
                model::eom(system, Code::StoppedByEom, t + step, &self.moved, &mut self.rows)?;
                let found = self.along_motion.iter_mut().zip(rows.of(&self.rows));
                found.for_each(|(sum, row)| *sum += weight / width * row);
            }
            Ok(())
        })
    }
}

/// The central formula, or one to one side if the model cannot be evaluated on the other.
fn first_possible(by: &mut impl FnMut(&Formula) -> Result<(), Trouble>) -> Result<(), Trouble> {
    let unless_stopped = |trouble| match trouble {
        Trouble::Stop { .. } => Err(trouble),
        _ => Ok(()),
    };
    for formula in &FORMULAS[..2] {
        match by(formula) {
            Ok(()) => return Ok(()),
            Err(trouble) => unless_stopped(trouble)?,
        }
    }
    by(FORMULAS[2])
}

/// A block of x moved along a direction.
fn shift(block: Block, x: &[f64], step: f64, along: &[f64], out: &mut [f64]) {
    let moved = block.of_mut(out).iter_mut().zip(block.of(x)).zip(along);
    moved.for_each(|((o, x), d)| *o = x + step * d);
}

impl Rosenbrock {
    /// The derivative of C a + γ along column k, into `curvature.value`.
    pub(super) fn acceleration_along(
        &mut self,
        system: &mut dyn System,
        k: usize,
        h: f64,
    ) -> Result<(), Halt> {
        let (l, t, stats) = (self.layout, self.state.t, &mut self.state.stats);
        let a = &self.rate[l.dims.nr..l.dims.nr + l.dims.nv];
        let (column, x, c) = (self.tangent.column(l.n, k), &self.x, &mut self.curvature);
        let moving = Block { start: l.x.v.start, end: l.x.p.end };
        c.value.fill(0.0);
        if c.value.is_empty() {
            return Ok(());
        }
        let by_time = k == self.free.len();
        let farthest = reach(moving, x, column, &self.typical);
        let width = if by_time { PART * h } else { WIDTH * farthest };
        if !width.is_finite() {
            return Ok(());
        }
        c.at.copy_from_slice(x);
        // In time the formula of order 4 again, over times that the model resolves; otherwise a central difference is enough.
        let central: &Formula = &[(1.0, 0.5), (-1.0, -0.5)];
        let mut by = |formula: &Formula| {
            c.value.fill(0.0);
            for (offset, weight) in formula {
                let step = offset * width;
                shift(moving, x, step, moving.of(column), &mut c.at);
                let t = if by_time { t + step } else { t };
                c.along_motion(system, &l, (t, PART * h), a, stats)?;
                let found = c.value.iter_mut().zip(&c.along_motion);
                found.for_each(|(sum, row)| *sum += weight / width * row);
            }
            Ok(())
        };
        if by_time {
            Ok(first_possible(&mut by)?)
        } else {
            Ok(by(central)?)
        }
    }
}
