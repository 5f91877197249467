//! The Jacobian of the reduced equations, exact where the model's is: total derivatives of the accelerations through the same
//! matrices that give the accelerations themselves.
//!
//! The reduced state is z = (p_I, v_J, r). Along every column of its tangent
//!
//! ```text
//! M δa = f_x δx + f_(w,λ,μ) δ(w,λ,μ) - (M a)_p δp,    0 = δ(d, gII, hI)
//! ```
//!
//! With Z = I and holonomic constraints alone J = [0 I; J1 J2] with the J1 = ∂v''/∂v and J2 = ∂v''/∂v' of Sandu et al. 2003, (24) to
//! (31). An inexact one would cost the order.

use super::shifted::Shape;
use super::tangent::time_span;
use super::Rosenbrock;
use crate::error::Code;
use crate::layout::{Block, Form, Layout};
use crate::linalg::{all_finite, products};
use crate::methods::motion::{factored, Halt};
use crate::model::{self, Mass, TimeRate};
use crate::options::Options;
use crate::system::System;

/// Entries of FX6 that differ from -I by less than this are those of p' = v; the rate itself has to agree exactly.
const PLAIN: f64 = 1e-6;

/// J and ∂f/∂t of the reduced equations, and the work space for them.
#[derive(Debug)]
pub struct Reduced {
    /// J, column by column.
    pub j: Vec<f64>,
    /// ∂f/∂t.
    pub time: Vec<f64>,
    /// Its shape.
    pub shape: Shape,
    /// x' at the point, w, λ, μ and s among it.
    pub slope: Vec<f64>,
    /// Rows of EOM along the columns: d, gII, hI, and f_dyn.
    upper: Vec<f64>,
    force: Vec<f64>,
    kinematic: Vec<f64>,
    /// For (M a)_p.
    by_positions: Vec<f64>,
    mass: Option<Mass>,
    by_time: TimeRate,
    moved: Vec<f64>,
    change: [Vec<f64>; 2],
}

impl Reduced {
    /// For a layout.
    pub fn new(layout: &Layout, options: &Options) -> Self {
        let d = layout.dims;
        let most = d.np + d.nv + d.nr;
        let constant = options.mass.is_constant();
        Reduced {
            j: vec![0.0; most * most],
            time: vec![0.0; most],
            shape: Shape { order: 0, nystroem: false },
            slope: vec![0.0; layout.n],
            upper: vec![0.0; (d.nw + d.nl + d.nm) * (most + 1)],
            force: vec![0.0; d.nv * (most + 1)],
            kinematic: vec![0.0; d.np],
            by_positions: vec![0.0; if constant { 0 } else { d.nv * d.np }],
            mass: (!constant).then(|| Mass::new(layout, options.mass)),
            by_time: TimeRate::new(d.nv),
            moved: vec![0.0; layout.n],
            change: [vec![0.0; d.nv], vec![0.0; d.nv]],
        }
    }
}

impl Rosenbrock {
    /// Everything that a step needs of its first point: constraints, partition, tangent, J. h is the size of the step, for
    /// differences in time. The rate is in hand.
    pub(super) fn linearize(
        &mut self,
        system: &mut dyn System,
        h: f64,
        repartition: bool,
    ) -> Result<(), Halt> {
        let t = self.state.t;
        self.coupled = self.motion.linearize_all(&mut self.state.counted(system), (t, &self.x))?;
        self.plain = self.is_plain();
        self.read_constraints()?;
        self.partition(repartition)?;
        self.rates_in_time(system, h)?;
        self.make_tangent();
        self.reduce(system, h)?;
        (self.linearized, self.frozen.spoiled) = (true, false);
        Ok(())
    }

    /// p' = v.
    fn is_plain(&self) -> bool {
        let (l, d) = (self.layout, self.layout.dims);
        let rate = &self.rate[d.nr + d.nv..];
        if d.np != d.nv || rate != l.x.v.of(&self.x) {
            return false;
        }
        self.motion.fx.fx[5].iter().enumerate().all(|(at, fx)| {
            let unit = f64::from(u8::from(at / d.np == at % d.np));
            (fx + unit).abs() <= PLAIN
        })
    }

    /// The rates of the reduced state along every column.
    fn reduce(&mut self, system: &mut dyn System, h: f64) -> Result<(), Halt> {
        self.forces_along()?;
        self.mass_along(system, h)?;
        self.accelerations_along(system, h)?;
        self.rates_along();
        self.slopes();
        Ok(())
    }

    /// d, gII, hI and f_dyn along the columns at constant w, λ, μ.
    fn forces_along(&mut self) -> Result<(), Halt> {
        let (l, k) = (self.layout, self.directions());
        let (n, m1, nv) = (l.n, l.m1(), l.dims.nv);
        let (x, r, fx) = (&self.tangent.columns, &mut self.reduced, &self.motion.fx.fx);
        r.upper[..m1 * k].fill(0.0);
        r.force[..nv * k].fill(0.0);
        products::add_mul(m1, n, k, -1.0, &fx[0], x, &mut r.upper);
        products::add_mul(nv, n, k, -1.0, &fx[4], x, &mut r.force);
        if k > self.free.len() {
            let rates = &self.tangent.by_time.rate;
            let last = self.free.len();
            add(&mut r.upper[last * m1..k * m1], l.rda.rows1.of(rates));
            add(&mut r.force[last * nv..k * nv], l.rda.f_dyn.of(rates));
        }
        Ok(())
    }

    /// Subtract (M a)_p δp, and (M a)_t.
    fn mass_along(&mut self, system: &mut dyn System, h: f64) -> Result<(), Halt> {
        if self.reduced.mass.is_none() {
            return Ok(());
        }
        let (l, t, nq) = (self.layout, self.state.t, self.positions.independent.len());
        let nv = l.dims.nv;
        let a = l.dims.nr..l.dims.nr + nv;
        let r = &mut self.reduced;
        let told = system.mass_acceleration_dp(t, &self.x, &self.rate[a], &mut r.by_positions);
        if let Some(outcome) = told {
            model::check(outcome, Code::StoppedByMas, || all_finite(&r.by_positions))?;
        }
        let order = self.free.len();
        for k in (0..self.directions()).filter(|k| *k < nq || *k >= order) {
            if told.is_some() {
                let (column, r) = (self.tangent.column(l.n, k), &mut self.reduced);
                let force = &mut r.force[k * nv..(k + 1) * nv];
                products::add_mul_vec(nv, l.dims.np, -1.0, &r.by_positions, l.x.p.of(column), force);
            } else {
                self.mass_difference(system, k)?;
            }
        }
        if self.options.autonomous {
            Ok(())
        } else {
            self.mass_in_time(system, h)
        }
    }

    /// The same by a central difference of MAS along column k.
    fn mass_difference(&mut self, system: &mut dyn System, k: usize) -> Result<(), Halt> {
        let (l, t, stats) = (self.layout, self.state.t, &mut self.state.stats);
        let (nv, nr) = (l.dims.nv, l.dims.nr);
        let column = &self.tangent.columns[k * l.n..(k + 1) * l.n];
        let width = f64::EPSILON.cbrt() * reach(l.x.p, &self.x, column, &self.typical);
        let r = &mut self.reduced;
        let Some(mass) = r.mass.as_mut().filter(|_| width.is_finite()) else { return Ok(()) };
        for (offset, product) in [width, -width].into_iter().zip(&mut r.change) {
            r.moved.copy_from_slice(&self.x);
            let moved = l.x.p.of_mut(&mut r.moved).iter_mut().zip(l.x.p.of(column));
            moved.for_each(|(p, d)| *p += offset * d);
            mass.evaluate(system, t, &r.moved, &mut stats.nmas)?;
            mass.mul(1, &self.rate[nr..nr + nv], product, &mut stats.mass_multiplications);
        }
        let [later, earlier] = &r.change;
        for ((f, later), earlier) in r.force[k * nv..(k + 1) * nv].iter_mut().zip(later).zip(earlier) {
            *f -= (later - earlier) / (2.0 * width);
        }
        Ok(())
    }

    /// M in time, at constant positions.
    fn mass_in_time(&mut self, system: &mut dyn System, h: f64) -> Result<(), Halt> {
        let (l, t, stats) = (self.layout, self.state.t, &mut self.state.stats);
        let (nv, nr, last) = (l.dims.nv, l.dims.nr, self.free.len());
        let (x, a, r) = (&self.x, &self.rate[nr..nr + nv], &mut self.reduced);
        let Some(mass) = &mut r.mass else { return Ok(()) };
        self.motion.mass.mul(1, a, &mut r.change[0], &mut stats.mass_multiplications);
        let span = time_span(h);
        let all = Block { start: 0, end: nv };
        r.by_time.evaluate((t, &r.change[0]), all, span, |offset, rows| {
            mass.evaluate(system, t + offset, x, &mut stats.nmas)?;
            mass.mul(1, a, rows, &mut stats.mass_multiplications);
            Ok(())
        })?;
        let force = &mut r.force[last * nv..(last + 1) * nv];
        force.iter_mut().zip(&r.by_time.rate).for_each(|(f, rate)| *f -= rate);
        Ok(())
    }

    /// δa in place of the forces, and w, λ, μ of the columns.
    fn accelerations_along(&mut self, system: &mut dyn System, h: f64) -> Result<(), Halt> {
        let (l, whole) = (self.layout, self.motion.saddle.is_whole());
        let (n, nv, m1, n1) = (l.n, l.dims.nv, l.m1(), l.n1());
        let by_rows = l.form == Form::StrangenessFree && !whole;
        for k in 0..self.directions() {
            if !by_rows {
                self.acceleration_along(system, k, h)?;
            }
            let r = &mut self.reduced;
            let force = &mut r.force[k * nv..(k + 1) * nv];
            let algebraic = l.x.algebraic.of_mut(&mut self.tangent.columns[k * n..(k + 1) * n]);
            if self.coupled {
                algebraic.copy_from_slice(&r.upper[k * m1..(k + 1) * m1]);
                self.motion.algebraic.solve(algebraic);
                products::add_mul_vec(nv, n1, -1.0, &self.motion.fx.fx[4], algebraic, force);
            } else if by_rows {
                algebraic.copy_from_slice(&r.upper[k * m1..(k + 1) * m1]);
            } else {
                algebraic.iter_mut().zip(&self.curvature.value).for_each(|(a, c)| *a = -c);
            }
            let mut saddle = factored(&mut self.motion.saddle)?;
            match (self.coupled, whole) {
                (true, false) => saddle.solve_mass(force),
                (true, true) => {
                    self.curvature.value.iter_mut().for_each(|c| *c = -*c);
                    saddle.solve(force, &mut self.curvature.value);
                }
                (false, _) if by_rows => saddle.solve_reduced(force, algebraic),
                (false, _) => saddle.solve(force, algebraic),
            }
        }
        Ok(())
    }

    /// J and ∂f/∂t.
    fn rates_along(&mut self) {
        let (l, d) = (self.layout, self.layout.dims);
        let (nq, nu, order) =
            (self.positions.independent.len(), self.velocities.independent.len(), self.free.len());
        let nystroem = self.shares() && d.nr == 0;
        self.reduced.shape = Shape { order, nystroem };
        for k in 0..self.directions() {
            let r = &mut self.reduced;
            let column = self.tangent.column(l.n, k);
            let out = if k < order { &mut r.j[k * order..(k + 1) * order] } else { &mut r.time[..order] };
            let (q, rest) = out.split_at_mut(nq);
            let (u, b) = rest.split_at_mut(nu);
            let force = &r.force[k * d.nv..(k + 1) * d.nv];
            u.iter_mut().zip(&self.velocities.independent).for_each(|(u, &i)| *u = force[i]);
            if self.plain {
                let v = l.x.v.of(column);
                q.iter_mut().zip(&self.positions.independent).for_each(|(q, &i)| *q = v[i]);
            } else {
                let moving = &column[l.x.v.start..l.x.p.end];
                r.kinematic.fill(0.0);
                products::add_mul_vec(
                    d.np,
                    moving.len(),
                    -1.0,
                    &self.motion.fx.fx[5],
                    moving,
                    &mut r.kinematic,
                );
                q.iter_mut().zip(&self.positions.independent).for_each(|(q, &i)| *q = r.kinematic[i]);
            }
            b.fill(0.0);
            products::add_mul_vec(d.nr, l.n, -1.0, &self.motion.fx.fx[3], column, b);
            if k == order {
                let rates = &self.tangent.by_time.rate;
                add(b, l.rda.b.of(rates));
                let f_kin = l.rda.f_kin.of(rates);
                q.iter_mut().zip(&self.positions.independent).for_each(|(q, &i)| *q += f_kin[i]);
            }
        }
        if self.options.autonomous {
            self.reduced.time.fill(0.0);
        }
    }

    /// x' from the rates of the reduced state.
    fn slopes(&mut self) {
        let (n, order, directions) = (self.layout.n, self.free.len(), self.directions());
        let slope = &mut self.reduced.slope;
        slope.fill(0.0);
        for (k, column) in self.tangent.columns.chunks_exact(n.max(1)).take(directions).enumerate() {
            let rate = if k < order { self.rate[self.free[k]] } else { 1.0 };
            slope.iter_mut().zip(column).for_each(|(s, c)| *s += rate * c);
        }
    }
}

/// How far one can go along a column before a component changes by its own size; infinite if none moves.
pub(super) fn reach(block: Block, x: &[f64], column: &[f64], typical: &[f64]) -> f64 {
    block
        .range()
        .filter(|&i| column[i] != 0.0)
        .map(|i| x[i].abs().max(typical[i]) / column[i].abs())
        .fold(f64::INFINITY, f64::min)
}

fn add(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
}
