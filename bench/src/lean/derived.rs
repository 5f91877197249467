//! Any mechanism of the test set, differentiated by dual numbers: slow, but the same for everybody, and what the
//! hand-written models are checked against.

use super::{Lean, Mass, Sink};
use geoms_problems::dual::{solve_in_place, Dual, Real};
use geoms_problems::{Blocks, Mechanism};
use std::cell::OnceCell;

/// Largest number of coordinates or constraints; stack space instead of allocation.
const MAX: usize = 16;

#[derive(Clone, Debug)]
pub struct Derived<M> {
    mechanism: M,
    kind: Mass,
    np: usize,
    nl: usize,
    /// Rows of g that are kept: peers cannot solve redundant constraints.
    rows: Vec<usize>,
    t: f64,
    p: [f64; MAX],
    /// Made when it is first asked for at a point.
    matrix: OnceCell<[f64; MAX * MAX]>,
}

impl<M: Mechanism> Derived<M> {
    pub fn new(mechanism: M, kind: Mass) -> Self {
        let d = mechanism.dimensions();
        assert!(d.np == d.nv && d.np <= MAX && d.nl <= MAX, "too large or of another kind");
        let rows = (0..d.nl).collect();
        Derived { mechanism, kind, np: d.np, nl: d.nl, rows, t: 0.0, p: [0.0; MAX], matrix: OnceCell::new() }
    }

    /// Without some of the constraints.
    pub fn without(mut self, dropped: &[usize]) -> Self {
        self.rows.retain(|row| !dropped.contains(row));
        self
    }

    fn constraints<T: Real>(&self, t: T, p: &[T; MAX]) -> [T; MAX] {
        let mut all = [T::zero(); MAX];
        self.mechanism.holonomic(t, &p[..self.np], &[], &mut all[..self.nl]);
        let mut kept = [T::zero(); MAX];
        self.rows.iter().enumerate().for_each(|(i, &row)| kept[i] = all[row]);
        kept
    }

    fn forces<T: Real>(&self, t: T, p: &[T; MAX], v: &[T; MAX]) -> [T; MAX] {
        let mut f = [T::zero(); MAX];
        let (p, v) = (&p[..self.np], &v[..self.np]);
        let blocks = Blocks { w: &[], lambda: &[], mu: &[], r: &[], v, s: &[], p };
        self.mechanism.force(t, &blocks, &mut f[..self.np]);
        f
    }

    fn masses<T: Real>(&self, p: &[T; MAX]) -> [T; MAX * MAX] {
        let mut m = [T::zero(); MAX * MAX];
        self.mechanism.mass(T::real(self.t), &p[..self.np], &mut m[..self.np * self.np]);
        m
    }

    fn matrix(&self) -> &[f64; MAX * MAX] {
        self.matrix.get_or_init(|| self.masses(&self.p))
    }

    /// g along p + s v, t + s, twice differentiable in s, over numbers of which p and t are made.
    fn along<T: Real>(&self, t: T, p: &[T; MAX], v: &[T; MAX], time: f64) -> [Dual<Dual<T>>; MAX] {
        let line = |x: T, d: T| Dual::new(Dual::new(x, d), Dual::constant(d));
        let q = std::array::from_fn(|i| line(p[i], v[i]));
        self.constraints(line(t, T::real(time)), &q)
    }

    fn lifted(&self, column: usize) -> [Dual<f64>; MAX] {
        std::array::from_fn(|i| Dual::new(self.p[i], f64::from(u8::from(i == column))))
    }

    fn padded(v: &[f64]) -> [f64; MAX] {
        std::array::from_fn(|i| v.get(i).copied().unwrap_or(0.0))
    }

    fn constants(v: &[f64]) -> [Dual<f64>; MAX] {
        Self::padded(v).map(Dual::constant)
    }

    /// d/dp of the first or second derivative along v.
    fn along_dp(
        &self,
        v: &[f64],
        time: f64,
        sink: &mut impl Sink,
        pick: impl Fn(&Dual<Dual<Dual<f64>>>) -> f64,
    ) {
        let w = Self::constants(v);
        for j in 0..self.np {
            let g = self.along(Dual::constant(self.t), &self.lifted(j), &w, time);
            (0..self.rows.len()).for_each(|i| sink.put(i, j, pick(&g[i])));
        }
    }
}

impl<M: Mechanism> Lean for Derived<M> {
    fn np(&self) -> usize {
        self.np
    }
    fn nl(&self) -> usize {
        self.rows.len()
    }
    fn mass_kind(&self) -> Mass {
        self.kind
    }
    fn prepare(&mut self, t: f64, p: &[f64]) {
        self.t = t;
        self.p[..self.np].copy_from_slice(p);
        self.matrix.take();
    }
    fn mass(&self, sink: &mut impl Sink) {
        let (n, matrix) = (self.np, self.matrix());
        // The same entries in every call: the pattern of a sparse matrix is found once.
        let diagonal = self.kind == Mass::Diagonal;
        for k in (0..n * n).filter(|k| !diagonal || k % n == k / n) {
            sink.put(k % n, k / n, matrix[k]);
        }
    }
    fn solve_mass(&self, x: &mut [f64]) {
        let mut copy = *self.matrix();
        solve_in_place(self.np, &mut copy[..self.np * self.np], x);
    }
    fn mass_dp(&self, a: &[f64], sink: &mut impl Sink) {
        let n = self.np;
        for j in 0..n {
            let m = self.masses(&self.lifted(j));
            for i in 0..n {
                sink.put(i, j, (0..n).map(|k| m[i + k * n].d * a[k]).sum());
            }
        }
    }
    fn force(&self, v: &[f64], f: &mut [f64]) {
        f.copy_from_slice(&self.forces(self.t, &self.p, &Self::padded(v))[..self.np]);
    }
    fn force_dp(&self, v: &[f64], sink: &mut impl Sink) {
        for j in 0..self.np {
            let f = self.forces(Dual::constant(self.t), &self.lifted(j), &Self::constants(v));
            (0..self.np).for_each(|i| sink.put(i, j, f[i].d));
        }
    }
    fn force_dv(&self, v: &[f64], sink: &mut impl Sink) {
        for j in 0..self.np {
            let mut w = Self::constants(v);
            w[j].d = 1.0;
            let f = self.forces(Dual::constant(self.t), &self.p.map(Dual::constant), &w);
            (0..self.np).for_each(|i| sink.put(i, j, f[i].d));
        }
    }
    fn gq(&self, sink: &mut impl Sink) {
        for j in 0..self.np {
            let g = self.constraints(Dual::constant(self.t), &self.lifted(j));
            (0..self.rows.len()).for_each(|i| sink.put(i, j, g[i].d));
        }
    }
    fn g(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.constraints(self.t, &self.p)[..self.rows.len()]);
    }
    fn gt(&self, out: &mut [f64]) {
        let g = self.constraints(Dual::new(self.t, 1.0), &self.p.map(Dual::constant));
        out.iter_mut().zip(g).for_each(|(o, g)| *o = g.d);
    }
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        let v = Self::padded(v);
        let q = std::array::from_fn(|i| Dual::new(self.p[i], v[i]));
        let g = self.constraints(Dual::new(self.t, 1.0), &q);
        out.iter_mut().zip(g).for_each(|(o, g)| *o = g.d);
    }
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        let g = self.along(self.t, &self.p, &Self::padded(v), 1.0);
        out.iter_mut().zip(g).for_each(|(o, g)| *o = g.d.d);
    }
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        self.along_dp(v, 1.0, sink, |g| g.v.d.d);
    }
    fn ga_dp(&self, a: &[f64], sink: &mut impl Sink) {
        self.along_dp(a, 0.0, sink, |g| g.v.d.d);
    }
    fn gvv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        self.along_dp(v, 1.0, sink, |g| g.d.d.d);
    }
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        // Column j of the sum of λ_k g_k,pp: the derivative of λᵀg in directions j and i.
        for j in 0..self.np {
            let along = self.lifted(j);
            for i in 0..self.np {
                let q =
                    std::array::from_fn(|k| Dual::new(along[k], Dual::constant(f64::from(u8::from(k == i)))));
                let g = self.constraints(Dual::constant(Dual::constant(self.t)), &q);
                sink.put(i, j, lambda.iter().zip(g).map(|(l, g)| l * g.d.d).sum());
            }
        }
    }
}
