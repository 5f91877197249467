//! Points in the plane at constant distances, under constant forces and with a constant mass matrix:
//! chains and rows of bars of any length, with the Jacobian written out.
//!
//! With d = P_i - P_j every constraint is g = |d|² - l²; gI = 2 d·d', gII = 2 |d'|² + 2 d·(a_i - a_j),
//! a = M⁻¹ (f - Gᵀλ). The derivatives of gII cost O(N) where M⁻¹ is diagonal.

use super::problem::Problem;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::linalg::stored::Stored;
use geoms::mechanism::derived::Options;
use geoms::options::MassStructure;
use geoms::system::{Entries, JacobianBlocks, Outcome, Sparsity, System};
use std::sync::Arc;

/// Bar from a point to another one, or to a point of the ground.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// The point.
    pub point: usize,
    /// The other end.
    pub other: End,
    /// Length.
    pub length: f64,
}

/// End of a bar.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// Another point.
    Point(usize),
    /// Fixed in the ground.
    Ground([f64; 2]),
}

impl Bar {
    /// The moving ends and their signs in d.
    fn ends(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        let other = match self.other {
            End::Point(j) => Some((j, -1.0)),
            End::Ground(_) => None,
        };
        std::iter::once((self.point, 1.0)).chain(other)
    }

    /// d in the positions p.
    fn vector(&self, p: &[f64]) -> [f64; 2] {
        let tail = match self.other {
            End::Point(j) => [p[2 * j], p[2 * j + 1]],
            End::Ground(at) => at,
        };
        [p[2 * self.point] - tail[0], p[2 * self.point + 1] - tail[1]]
    }

    /// The same combination of velocities or accelerations.
    fn rate(&self, v: &[f64]) -> [f64; 2] {
        let head = [v[2 * self.point], v[2 * self.point + 1]];
        match self.other {
            End::Point(j) => [head[0] - v[2 * j], head[1] - v[2 * j + 1]],
            End::Ground(_) => head,
        }
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// What the system is made of.
#[derive(Clone, Debug)]
pub struct Linkage {
    /// Number of points.
    pub points: usize,
    /// Nonzero entries of the mass matrix of one direction: row, column, value.
    pub mass: Vec<(usize, usize, f64)>,
    /// Nonzero entries of its inverse, by rows: column and value.
    pub inverse: Vec<Vec<(usize, f64)>>,
    /// Forces.
    pub force: Vec<f64>,
    /// Bars, in the order of the multipliers.
    pub bars: Vec<Bar>,
}

impl Linkage {
    /// Dimensions; the invariant is the energy.
    pub fn dimensions(&self) -> Dimensions {
        let np = 2 * self.points;
        Dimensions { np, nv: np, nl: self.bars.len(), ni: 1, ..Dimensions::default() }
    }

    /// f - Gᵀλ.
    fn dynamics(&self, lambda: &[f64], p: &[f64], f: &mut [f64]) {
        f.copy_from_slice(&self.force);
        for (bar, lambda) in self.bars.iter().zip(lambda) {
            let d = bar.vector(p);
            for (i, sign) in bar.ends() {
                f[2 * i] -= 2.0 * lambda * sign * d[0];
                f[2 * i + 1] -= 2.0 * lambda * sign * d[1];
            }
        }
    }

    /// a = M⁻¹ f.
    fn accelerations(&self, f: &[f64], a: &mut [f64]) {
        for (i, row) in self.inverse.iter().enumerate() {
            let sum = row.iter().fold([0.0; 2], |s, &(j, w)| [s[0] + w * f[2 * j], s[1] + w * f[2 * j + 1]]);
            a[2 * i..2 * i + 2].copy_from_slice(&sum);
        }
    }

    /// M v.
    fn momentum(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for &(i, j, m) in &self.mass {
            out[2 * i] += m * v[2 * j];
            out[2 * i + 1] += m * v[2 * j + 1];
        }
    }

    /// As a problem, with [`Layout`] of the dimensions for x0.
    pub(super) fn problem(self, name: &str, source: &'static str, tend: f64, x0: Vec<f64>) -> Problem {
        let (dimensions, start) = (self.dimensions(), x0.clone());
        let diagonal = self.mass.iter().all(|&(i, j, _)| i == j);
        let build = move |options| -> Box<dyn System + Send> {
            Box::new(LinkageSystem::new(self.clone(), options, &start))
        };
        Problem {
            name: name.to_owned(),
            source,
            dimensions,
            t0: 0.0,
            tend,
            x0,
            mass: if diagonal { MassStructure::ConstantDiagonal } else { MassStructure::ConstantFull },
            time_dependent: false,
            rank_deficient: false,
            redundant: false,
            exact: None,
            references: Vec::new(),
            build: Arc::new(build),
        }
    }
}

/// A linkage as the integrators see it. After construction no call allocates.
#[derive(Clone, Debug)]
pub struct LinkageSystem {
    linkage: Linkage,
    layout: Layout,
    options: Options,
    energy: f64,
    f: Vec<f64>,
    a: Vec<f64>,
    /// Bars at every point, with their signs.
    at: Vec<Vec<(usize, f64)>>,
    sparsity: Sparsity,
}

impl LinkageSystem {
    /// The linkage with these options; the constant of the energy is that of `x0`.
    pub fn new(linkage: Linkage, options: Options, x0: &[f64]) -> Self {
        let mut dims = linkage.dimensions();
        dims.ni = usize::from(options.invariants);
        let layout = Layout::new(dims, options.form);
        let mut at = vec![Vec::new(); linkage.points];
        for (k, bar) in linkage.bars.iter().enumerate() {
            bar.ends().for_each(|(i, sign)| at[i].push((k, sign)));
        }
        let (f, a) = (vec![0.0; dims.nv], vec![0.0; dims.nv]);
        let sparsity = Sparsity::default();
        let mut system = LinkageSystem { linkage, layout, options, energy: 0.0, f, a, at, sparsity };
        system.energy = system.energy(x0);
        system.sparsity = system.structure();
        system
    }

    fn energy(&mut self, x: &[f64]) -> f64 {
        let (v, p) = (self.layout.x.v.of(x), self.layout.x.p.of(x));
        self.linkage.momentum(v, &mut self.a);
        let kinetic: f64 = self.a.iter().zip(v).map(|(a, v)| 0.5 * a * v).sum();
        kinetic - self.linkage.force.iter().zip(p).map(|(f, p)| f * p).sum::<f64>()
    }

    /// Where the derivatives below are not zero.
    fn structure(&self) -> Sparsity {
        let (link, l) = (&self.linkage, &self.layout);
        let (x, nv) = (&l.x, l.dims.nv);
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let mut sparsity = Sparsity::default();
        let mut add = |block: usize, i: usize, j: usize| sparsity.fx[block].push((index(i), index(j)));
        for (k, bar) in link.bars.iter().enumerate() {
            for column in bar.ends().flat_map(|(i, _)| [2 * i, 2 * i + 1]) {
                add(1, k, column);
                add(1, k, nv + column);
                add(2, k, column);
                add(4, column, x.lambda.start + k);
                bar.ends().for_each(|(j, _)| add(4, column, x.p.start + 2 * j + column % 2));
                if l.m1() > 0 {
                    add(0, k, x.v.start + column);
                    add(0, k, x.p.start + column);
                }
            }
            let moved = bar.ends().filter(|_| l.m1() > 0).flat_map(|(i, _)| &link.inverse[i]);
            for &(other, _) in moved.flat_map(|&(j, _)| &self.at[j]) {
                add(0, k, other);
                let ends = link.bars[other].ends();
                ends.flat_map(|(i, _)| [2 * i, 2 * i + 1]).for_each(|column| add(0, k, x.p.start + column));
            }
        }
        for column in 0..nv {
            add(5, column, column);
            if l.dims.ni > 0 {
                add(1, link.bars.len(), column);
                if link.force[column] != 0.0 {
                    add(1, link.bars.len(), nv + column);
                }
            }
        }
        for list in &mut sparsity.fx {
            list.sort_unstable_by_key(|&(i, j)| (j, i));
            list.dedup();
        }
        for &(i, j, _) in &link.mass {
            sparsity.mass.extend([0, 1].map(|k| (index(2 * i + k), index(2 * j + k))));
        }
        sparsity
    }

    /// Rows gII of FX1. A bar k pulls at its ends; through M⁻¹ that moves the ends of the others.
    fn acceleration_rows(&mut self, lambda: &[f64], v: &[f64], p: &[f64], fx: &mut Stored) {
        let (link, x) = (&self.linkage, &self.layout.x);
        link.dynamics(lambda, p, &mut self.f);
        link.accelerations(&self.f, &mut self.a);
        for (k, bar) in link.bars.iter().enumerate() {
            let (d, rate, acc) = (bar.vector(p), bar.rate(v), bar.rate(&self.a));
            for (i, sign) in bar.ends() {
                for c in 0..2 {
                    fx.add(k, x.v.start + 2 * i + c, -(4.0 * sign * rate[c]));
                    fx.add(k, x.p.start + 2 * i + c, -(2.0 * sign * acc[c]));
                }
                for &(j, w) in &link.inverse[i] {
                    for &(other, turn) in &self.at[j] {
                        let factor = 4.0 * sign * w * turn;
                        let e = link.bars[other].vector(p);
                        fx.add(k, other, factor * dot(d, e));
                        for (l, side) in link.bars[other].ends() {
                            for (c, d) in d.iter().enumerate() {
                                fx.add(k, x.p.start + 2 * l + c, factor * side * lambda[other] * d);
                            }
                        }
                    }
                }
            }
        }
    }
}

impl System for LinkageSystem {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (b, at) = (self.layout.x, self.layout.rda);
        let (lambda, v, p) = (b.lambda.of(x), b.v.of(x), b.p.of(x));
        let link = &self.linkage;
        link.dynamics(lambda, p, &mut self.f);
        link.accelerations(&self.f, &mut self.a);
        at.f_dyn.of_mut(rda).copy_from_slice(&self.f);
        at.f_kin.of_mut(rda).copy_from_slice(v);
        for (k, bar) in link.bars.iter().enumerate() {
            let (d, rate) = (bar.vector(p), bar.rate(v));
            rda[at.g.start + k] = dot(d, d) - bar.length * bar.length;
            rda[at.g_velocity.start + k] = 2.0 * dot(d, rate);
            if !at.g_acceleration.is_empty() {
                let acc = bar.rate(&self.a);
                rda[at.g_acceleration.start + k] = 2.0 * (dot(rate, rate) + dot(d, acc));
            }
        }
        if !at.e.is_empty() {
            rda[at.e.start] = self.energy(x) - self.energy;
        }
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        let nv = self.layout.dims.nv;
        mass.fill(0.0);
        for &(i, j, m) in &self.linkage.mass {
            mass[2 * i + 2 * j * nv] = m;
            mass[2 * i + 1 + (2 * j + 1) * nv] = m;
        }
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        self.options.jacobian
    }

    fn jacobian(&mut self, _t: f64, x: &[f64], blocks: &mut JacobianBlocks) -> Outcome {
        let b = self.layout.x;
        let (lambda, v, p) = (b.lambda.of(x), b.v.of(x), b.p.of(x));
        let [fx1, fx2, fx3, _, fx5, fx6] = &mut blocks.fx;
        if self.layout.m1() > 0 {
            self.acceleration_rows(lambda, v, p, fx1);
        }
        let nv = self.layout.dims.nv;
        for (k, bar) in self.linkage.bars.iter().enumerate() {
            let (d, rate) = (bar.vector(p), bar.rate(v));
            for (i, sign) in bar.ends() {
                for c in 0..2 {
                    let column = 2 * i + c;
                    fx2.set(k, column, -2.0 * sign * d[c]);
                    fx2.set(k, nv + column, -2.0 * sign * rate[c]);
                    fx3.set(k, column, -2.0 * sign * d[c]);
                    fx5.set(column, b.lambda.start + k, 2.0 * sign * d[c]);
                    for (j, side) in bar.ends() {
                        fx5.add(column, b.p.start + 2 * j + c, 2.0 * sign * side * lambda[k]);
                    }
                }
            }
        }
        if self.layout.dims.ni > 0 {
            self.linkage.momentum(v, &mut self.a);
            let row = self.linkage.bars.len();
            for column in 0..nv {
                fx2.set(row, column, -self.a[column]);
                fx2.set(row, nv + column, self.linkage.force[column]);
            }
        }
        (0..nv).for_each(|i| fx6.set(i, i, -1.0));
        Outcome::Continue
    }

    fn initial_condition_count(&self) -> usize {
        self.options.conditions.len()
    }

    fn initial_conditions(&mut self, _t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        self.options.condition_residuals(x, cond);
        Outcome::Continue
    }

    fn mass_acceleration_dp(&mut self, _t: f64, _x: &[f64], _a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        out.fill(0.0);
        Some(Outcome::Continue)
    }

    fn sparsity(&self) -> Option<&Sparsity> {
        Some(&self.sparsity)
    }

    fn has_entries(&self) -> bool {
        true
    }

    fn entries(&mut self, t: f64, x: &[f64], of: Entries<'_>) -> Outcome {
        let mass = match of {
            Entries::Jacobian(blocks) => return self.jacobian(t, x, blocks),
            Entries::Mass(mass) => mass,
        };
        for &(i, j, m) in &self.linkage.mass {
            (0..2).for_each(|c| mass.set(2 * i + c, 2 * j + c, m));
        }
        Outcome::Continue
    }
}
