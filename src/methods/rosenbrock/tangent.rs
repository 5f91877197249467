//! How a point moves with the reduced state: the columns ∂x/∂(p_I, v_J, r) and ∂x/∂t of v, s, p and r on the constraints.

use super::Rosenbrock;
use crate::layout::{Block, Layout};
use crate::model::{self, Span, TimeRate, Trouble};
use crate::system::System;

/// The columns; those of w, λ, μ follow with the accelerations.
#[derive(Debug)]
pub struct Tangent {
    /// N entries per column; the last column is that of time.
    pub columns: Vec<f64>,
    /// Rates of all rows of EOM in time, at the point.
    pub by_time: TimeRate,
    rows: Vec<f64>,
    change: Vec<f64>,
    moved: Vec<f64>,
}

impl Tangent {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let d = layout.dims;
        let constraints = d.nl + d.nm;
        Tangent {
            columns: vec![0.0; layout.n * (d.np + d.nv + d.nr + 1)],
            by_time: TimeRate::new(layout.m),
            rows: vec![0.0; layout.m],
            change: vec![0.0; constraints],
            moved: vec![0.0; constraints.max(d.ns)],
        }
    }

    /// Column k.
    pub fn column(&self, n: usize, k: usize) -> &[f64] {
        &self.columns[k * n..(k + 1) * n]
    }
}

/// Widths of differences in time for a step of size h. Their error, of order h², is a millionth of what would count.
pub(super) fn time_span(h: f64) -> Span {
    Span { narrow: 1e-3 * h, smooth: h, further: 0 }
}

impl Rosenbrock {
    /// Columns in use: the reduced state, and time unless nothing depends on it.
    pub(super) fn directions(&self) -> usize {
        self.free.len() + usize::from(!self.options.autonomous)
    }

    /// ∂/∂t of the rows of EOM at the point. h is the size of the step.
    pub(super) fn rates_in_time(&mut self, system: &mut dyn System, h: f64) -> Result<(), Trouble> {
        if self.options.autonomous {
            return Ok(());
        }
        let (t, x, stats) = (self.state.t, &self.x, &mut self.state.stats);
        let tangent = &mut self.tangent;
        stats.neom += 1;
        model::eom(system, crate::error::Code::StoppedByEom, t, x, &mut tangent.rows)?;
        let span = time_span(h);
        let all = Block { start: 0, end: self.layout.m };
        tangent.by_time.evaluate((t, &tangent.rows), all, span, |offset, rows| {
            stats.neom += 1;
            model::eom(system, crate::error::Code::StoppedByEom, t + offset, x, rows)
        })
    }

    /// All columns.
    pub(super) fn make_tangent(&mut self) {
        let n = self.layout.n;
        let (nq, nu) = (self.positions.independent.len(), self.velocities.independent.len());
        let used = n * self.directions();
        let mut columns = std::mem::take(&mut self.tangent.columns);
        columns[..used].fill(0.0);
        for (k, column) in columns[..used].chunks_exact_mut(n.max(1)).enumerate() {
            if k < nq {
                self.along_position(k, column);
            } else if k < nq + nu {
                self.along_velocity(k - nq, column);
            } else if k < self.free.len() {
                self.layout.x.r.of_mut(column)[k - nq - nu] = 1.0;
            } else {
                self.along_time(column);
            }
        }
        self.tangent.columns = columns;
    }

    fn along_position(&mut self, k: usize, column: &mut [f64]) {
        let p = self.layout.x.p.of_mut(column);
        p[self.positions.independent[k]] = 1.0;
        self.positions.dependent.iter().zip(self.positions.dependence(k)).for_each(|(&i, h)| p[i] = *h);
        self.contact_follows(column);
        self.tangent.change.fill(0.0);
        self.velocities_follow(column);
    }

    fn along_velocity(&mut self, k: usize, column: &mut [f64]) {
        let v = self.layout.x.v.of_mut(column);
        v[self.velocities.independent[k]] = 1.0;
        self.velocities.dependent.iter().zip(self.velocities.dependence(k)).for_each(|(&i, h)| v[i] = *h);
    }

    fn along_time(&mut self, column: &mut [f64]) {
        let (l, d) = (self.layout, self.layout.dims);
        let tangent = &mut self.tangent;
        let rates = &tangent.by_time.rate;
        tangent.change[..d.nl].copy_from_slice(l.rda.g.of(rates));
        // s moves by itself, and with the positions that follow.
        let s = l.x.s.of_mut(column);
        s.iter_mut().zip(l.rda.c.of(rates)).for_each(|(s, c)| *s = -c);
        if d.ns > 0 {
            self.contact.lu.solve(s);
            for (k, s) in s.iter().enumerate() {
                let g_s = &self.contact.g_s[k * d.nl..];
                tangent.change[..d.nl].iter_mut().zip(g_s).for_each(|(c, g)| *c += g * s);
            }
        }
        self.positions.compensate(&tangent.change, &mut tangent.moved);
        let p = l.x.p.of_mut(column);
        self.positions.dependent.iter().zip(&tangent.moved).for_each(|(&i, d)| p[i] = *d);
        self.contact_follows(column);
        let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
        self.tangent.change.copy_from_slice(rows.of(&self.tangent.by_time.rate));
        self.velocities_follow(column);
    }

    /// s -= c_s⁻¹ c_p p.
    fn contact_follows(&self, column: &mut [f64]) {
        let (l, ns) = (self.layout, self.layout.dims.ns);
        if ns == 0 {
            return;
        }
        let (before, p) = column.split_at_mut(l.x.p.start);
        let s = l.x.s.of_mut(before);
        for (along, p) in self.contact.along.chunks_exact(ns).zip(p) {
            s.iter_mut().zip(along).for_each(|(s, a)| *s -= a * *p);
        }
    }

    /// v_D := -C_D⁻¹ (what is in `change` + (gI, h)_(s,p) along the column).
    fn velocities_follow(&mut self, column: &mut [f64]) {
        let l = self.layout;
        let (fx2, m2) = (&self.motion.fx.fx[1], l.m2());
        let first = l.x.v.start;
        let tangent = &mut self.tangent;
        for j in l.x.contact_position.range().filter(|&j| column[j] != 0.0) {
            let fx = &fx2[(j - first) * m2..];
            tangent.change.iter_mut().zip(fx).for_each(|(c, fx)| *c -= fx * column[j]);
        }
        self.velocities.compensate(&tangent.change, &mut tangent.moved);
        let v = l.x.v.of_mut(column);
        self.velocities.dependent.iter().zip(&tangent.moved).for_each(|(&i, d)| v[i] += *d);
    }
}
