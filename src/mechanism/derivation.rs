//! From the undifferentiated equations of a [`Mechanism`] to all rows of RDA: the constraints on
//! velocity level (7), on acceleration level (8), (9) and the constraint forces of the report.
//!
//! All buffers live in [`Workspace`]: nothing is allocated during an evaluation.

use super::dual::{solve_in_place, Dual, Real};
use super::{Blocks, Mechanism};
use crate::layout::{Dimensions, Form, Layout};

/// Buffers of a total time derivative of g with numbers `T`.
#[derive(Clone, Debug)]
struct Total<T> {
    pdot: Vec<T>,
    sdot: Vec<T>,
    contact_s: Vec<T>,
    p: Vec<Dual<T>>,
    s: Vec<Dual<T>>,
    c: Vec<Dual<T>>,
    g: Vec<Dual<T>>,
}

impl<T: Real> Total<T> {
    fn new(d: &Dimensions) -> Self {
        let (zero, flat) = (T::zero(), Dual::real(0.0));
        Total {
            pdot: vec![zero; d.np],
            sdot: vec![zero; d.ns],
            contact_s: vec![zero; d.ns * d.ns],
            p: vec![flat; d.np],
            s: vec![flat; d.ns],
            c: vec![flat; d.ns],
            g: vec![flat; d.nl],
        }
    }

    /// s' = -c_s⁻¹ (c_p p' + c_t t') for the direction (t', `self.pdot`).
    fn contact_rate<M: Mechanism>(&mut self, mech: &M, t: Dual<T>, p: &[T], s: &[T]) {
        let n = s.len();
        if n == 0 {
            return;
        }
        lift(&mut self.p, p, &self.pdot);
        lift_constant(&mut self.s, s);
        self.c.fill(Dual::real(0.0));
        mech.contact(t, &self.p, &self.s, &mut self.c);
        for (rate, c) in self.sdot.iter_mut().zip(&self.c) {
            *rate = -c.d;
        }
        lift_constant(&mut self.p, p);
        for k in 0..n {
            lift_constant(&mut self.s, s);
            self.s[k].d = T::real(1.0);
            self.c.fill(Dual::real(0.0));
            mech.contact(Dual::constant(t.v), &self.p, &self.s, &mut self.c);
            for i in 0..n {
                self.contact_s[i + k * n] = self.c[i].d;
            }
        }
        solve_in_place(n, &mut self.contact_s, &mut self.sdot);
    }

    /// d/dt g(p, s(p,t), t) for p' = Z v and t' = `t.d`, into the derivatives of `self.g`.
    fn constraint_rate<M: Mechanism>(&mut self, mech: &M, t: Dual<T>, p: &[T], v: &[T], s: &[T]) {
        self.pdot.fill(T::zero());
        mech.kinematics(p, v, &mut self.pdot);
        self.contact_rate(mech, t, p, s);
        lift(&mut self.p, p, &self.pdot);
        lift(&mut self.s, s, &self.sdot);
        self.g.fill(Dual::real(0.0));
        mech.holonomic(t, &self.p, &self.s, &mut self.g);
    }
}

/// Buffers for all rows of RDA with numbers `T`.
#[derive(Clone, Debug)]
pub(super) struct Workspace<T> {
    first: Total<T>,
    second: Total<Dual<T>>,
    unit: Vec<T>,
    /// G Z, column by column, and whether it is that of the next evaluation.
    constraints: Vec<T>,
    kept: bool,
    acceleration: Vec<T>,
    mass: Vec<T>,
    p: Vec<Dual<T>>,
    v: Vec<Dual<T>>,
    s: Vec<Dual<T>>,
    h: Vec<Dual<T>>,
}

impl<T: Real> Workspace<T> {
    pub(super) fn new(d: &Dimensions) -> Self {
        let (zero, flat) = (T::zero(), Dual::real(0.0));
        Workspace {
            first: Total::new(d),
            second: Total::new(d),
            unit: vec![zero; d.nv],
            constraints: vec![zero; d.nl * d.nv],
            kept: false,
            acceleration: vec![zero; d.nv],
            mass: vec![zero; d.nv * d.nv],
            p: vec![flat; d.np],
            v: vec![flat; d.nv],
            s: vec![flat; d.ns],
            h: vec![flat; d.nm],
        }
    }

    /// Say whether p, s and t of the next evaluations are those of the last one, and do not vary.
    pub(super) fn keeps_constraints(&mut self, kept: bool) {
        self.kept = kept;
    }

    /// All rows of RDA; the invariants are left as the mechanism gives them.
    pub(super) fn rows<M: Mechanism>(&mut self, mech: &M, layout: &Layout, t: T, x: &[T], rda: &mut [T]) {
        rda.fill(T::zero());
        let b = Blocks::of(&layout.x, x);
        let at = &layout.rda;
        mech.auxiliary(t, &b, &mut rda[at.d.range()]);
        mech.contact(t, b.p, b.s, &mut rda[at.c.range()]);
        mech.holonomic(t, b.p, b.s, &mut rda[at.g.range()]);
        mech.nonholonomic(t, b.p, b.v, b.s, &mut rda[at.h.range()]);
        mech.force_element(t, &b, &mut rda[at.b.range()]);
        if !at.e.is_empty() {
            mech.invariants(t, b.p, b.v, b.s, &mut rda[at.e.range()]);
        }
        mech.kinematics(b.p, b.v, &mut rda[at.f_kin.range()]);
        self.dynamics(mech, t, &b, &mut rda[at.f_dyn.range()]);
        self.first.constraint_rate(mech, Dual::new(t, T::real(1.0)), b.p, b.v, b.s);
        derivatives(&self.first.g, &mut rda[at.g_velocity.range()]);
        if layout.form == Form::StrangenessFree {
            self.acceleration_level(mech, layout, t, &b, rda);
        }
    }

    /// f - (GZ)ᵀ λ - (HZ)ᵀ μ. GZ and HZ are taken column by column: gI and h are affine in v.
    fn dynamics<M: Mechanism>(&mut self, mech: &M, t: T, b: &Blocks<'_, T>, f: &mut [T]) {
        mech.force(t, b, f);
        let t = Dual::constant(t);
        if !b.lambda.is_empty() {
            self.unit.fill(T::zero());
            for ((j, fj), column) in
                f.iter_mut().enumerate().zip(self.constraints.chunks_exact_mut(b.lambda.len()))
            {
                if !self.kept {
                    self.unit[j] = T::real(1.0);
                    self.first.constraint_rate(mech, t, b.p, &self.unit, b.s);
                    self.unit[j] = T::zero();
                    derivatives(&self.first.g, column);
                }
                for (&g, &lambda) in column.iter().zip(b.lambda) {
                    *fj -= g * lambda;
                }
            }
        }
        if !b.mu.is_empty() {
            lift_constant(&mut self.p, b.p);
            lift_constant(&mut self.s, b.s);
            lift_constant(&mut self.v, b.v);
            for (j, fj) in f.iter_mut().enumerate() {
                self.v[j].d = T::real(1.0);
                self.h.fill(Dual::real(0.0));
                mech.nonholonomic(t, &self.p, &self.v, &self.s, &mut self.h);
                self.v[j].d = T::zero();
                for (h, &mu) in self.h.iter().zip(b.mu) {
                    *fj -= h.d * mu;
                }
            }
        }
    }

    /// gII and hI with v' = M⁻¹ f_dyn, which stands in `rda` already. Expects `first` at the point.
    fn acceleration_level<M: Mechanism>(
        &mut self,
        mech: &M,
        layout: &Layout,
        t: T,
        b: &Blocks<'_, T>,
        rda: &mut [T],
    ) {
        let at = &layout.rda;
        if at.g_acceleration.is_empty() && at.h_acceleration.is_empty() {
            return;
        }
        let split = at.h_acceleration.start;
        let (head, tail) = rda.split_at_mut(split);
        let (g_rows, h_rows) = (&mut head[at.g_acceleration.range()], &mut tail[..at.h_acceleration.len()]);
        if mech.acceleration_level(t, b, g_rows, h_rows) {
            return;
        }
        self.mass.fill(T::zero());
        mech.mass(t, b.p, &mut self.mass);
        self.acceleration.copy_from_slice(&rda[at.f_dyn.range()]);
        solve_in_place(b.v.len(), &mut self.mass, &mut self.acceleration);

        lift(&mut self.p, b.p, &self.first.pdot);
        lift(&mut self.s, b.s, &self.first.sdot);
        lift(&mut self.v, b.v, &self.acceleration);
        let time = Dual::new(t, T::real(1.0));
        let outer = Dual::new(time, Dual::real(1.0));
        self.second.constraint_rate(mech, outer, &self.p, &self.v, &self.s);
        for (row, g) in rda[at.g_acceleration.range()].iter_mut().zip(&self.second.g) {
            *row = g.d.d;
        }
        self.h.fill(Dual::real(0.0));
        mech.nonholonomic(time, &self.p, &self.v, &self.s, &mut self.h);
        derivatives(&self.h, &mut rda[at.h_acceleration.range()]);
    }
}

/// Numbers with given derivatives.
fn lift<T: Real>(out: &mut [Dual<T>], value: &[T], rate: &[T]) {
    for ((o, &v), &d) in out.iter_mut().zip(value).zip(rate) {
        *o = Dual::new(v, d);
    }
}

/// Numbers that do not vary.
fn lift_constant<T: Real>(out: &mut [Dual<T>], value: &[T]) {
    for (o, &v) in out.iter_mut().zip(value) {
        *o = Dual::constant(v);
    }
}

fn derivatives<T: Real>(from: &[Dual<T>], to: &mut [T]) {
    for (o, f) in to.iter_mut().zip(from) {
        *o = f.d;
    }
}
