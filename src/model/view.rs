//! The model at one point, for a method that asks for rates and projections and needs no matrices of its own.

use super::{Calls, Derivatives, Halt, Index1, Mass};
use crate::layout::Layout;
use crate::norm::{Scaling, Tolerance};
use crate::options::Options;
use crate::stats::Stats;
use crate::system::System;

/// Corrections of the positions after which they count as not convergent.
const MAX_CORRECTIONS: usize = 60;
/// A correction of this size, relative to what the user calls small, is one of rounding errors.
const ROUNDING: f64 = 1e-14;

/// Derivatives, mass matrix, accelerations and multipliers of the last point.
#[derive(Debug)]
pub struct View {
    layout: Layout,
    typical: Vec<f64>,
    derivatives: Derivatives,
    /// The mass matrix, which a run saves: a constant one is evaluated once.
    pub mass: Mass,
    index1: Index1,
    a: Vec<f64>,
    change: Vec<f64>,
}

impl View {
    /// At no point yet.
    pub fn new(layout: &Layout, options: &Options, tolerance: &Tolerance, analytic: bool) -> Self {
        let Scaling { rtol_user, typical, .. } = Scaling::new(tolerance, layout.n);
        View {
            layout: *layout,
            derivatives: Derivatives::new(layout, options, analytic, typical.clone()),
            typical,
            mass: Mass::new(layout, options.mass),
            index1: Index1::new(layout, options, analytic, rtol_user),
            a: vec![0.0; layout.dims.nv],
            change: vec![0.0; layout.n],
        }
    }

    /// Derivatives and mass matrix at (t, x), decomposed for what follows.
    pub fn linearize(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &[f64]),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let model = &mut Calls { system, stats };
        self.index1.linearize(model, &mut self.derivatives, &mut self.mass, (t, x))?;
        self.index1.decompose(&self.mass, stats)
    }

    /// Rates of p, v and r at the point of the linearisation, as a vector like x; w, λ and μ in x are found. h is the size of
    /// the step, for differences in time.
    pub fn rates(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &mut [f64]),
        h: f64,
        rates: &mut [f64],
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let (l, view) = (self.layout, &mut self.index1);
        self.a.fill(0.0);
        view.solve(&mut Calls { system, stats }, &self.mass, (t, x), &mut self.a, h)?;
        l.x.p.of_mut(rates).copy_from_slice(l.rda.f_kin.of(&view.rda));
        l.x.r.of_mut(rates).copy_from_slice(l.rda.b.of(&view.rda));
        l.x.v.of_mut(rates).copy_from_slice(&self.a);
        Ok(())
    }

    /// Move the velocities in x onto gI = 0 and h = 0, with the matrix of the last linearisation.
    pub fn project_velocities(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &mut [f64]),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        Calls { system, stats }.eom(t, x, &mut self.index1.rda)?;
        self.index1.project_velocities(x);
        Ok(())
    }

    /// Move the positions in x onto g = 0, with the matrix of the last linearisation; contact points are not moved.
    pub fn project_positions(
        &mut self,
        system: &mut dyn System,
        (t, x): (f64, &mut [f64]),
        stats: &mut Stats,
    ) -> Result<(), Halt> {
        let (l, view) = (self.layout, &mut self.index1);
        let mut model = Calls { system, stats };
        for _ in 0..MAX_CORRECTIONS {
            model.eom(t, x, &mut view.rda)?;
            view.rda.copy_within(l.rda.g.range(), l.rda.g_velocity.start);
            l.rda.h.of_mut(&mut view.rda).fill(0.0);
            self.change.fill(0.0);
            view.project_velocities(&mut self.change);
            // FX6 holds -Z in the columns of v.
            let (z, u) = (&view.fx.fx[5], l.x.v.of(&self.change));
            let mut size = 0.0f64;
            for (i, at) in l.x.p.range().enumerate() {
                let moved: f64 = u.iter().enumerate().map(|(j, u)| -z[i + j * l.dims.np] * u).sum();
                x[at] += moved;
                size = size.max(moved.abs() / (x[at].abs() + self.typical[at]));
            }
            if size <= ROUNDING {
                return Ok(());
            }
        }
        Err(Halt::NoConvergence)
    }
}
