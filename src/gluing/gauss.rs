//! The gluing algorithm of Tseng and Hulbert, to compare with and to learn from: the dynamics of the subdomains are solved apart, with trial
//! accelerations, which are then projected onto the constraints of the whole system.
//!
//! With Newmark's β = 1/4, γ = 1/2, the constraint matrix G of all joints, P = I - G⁺G and r = M a - f an iteration is
//!
//! ```text
//! GL-DYN  K̄ dâ = -P r                                         by subdomains
//! GL-ACC  da = P dâ - G⁺ (G a + γ)                             naive, (27): diverges
//!         da = dâ - M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ [G (a + dâ) + γ]        after Gauss's principle of least constraint, (32)
//! GL-POS  dq = P (βh² da) - G⁺ g,    GL-VEL  dv = P (γh da) - G⁺ G(q + dq) v
//! ```
//!
//! (32) as printed evaluates the constraint at a; that converges too, but more slowly. G⁺ and M are global, in every iteration: this
//! is what the interface variant of [`super::run`] does without. The converged point depends on the path of the iteration, by O(h⁵).

use super::check::check_assembly;
use super::description::Assembly;
use super::joint::{Joint, Kind};
use super::local::{refused, Local};
use super::rank::Factor;
use super::run::report;
use super::tree::{self, Topology};
use crate::error::{Code, Failure};
use crate::linalg::products::{mul_vec, mul_vec_transposed};
use crate::linalg::Svd;
use crate::model::Trouble;

/// Iterations after which a step has failed.
const MAX_ITERATIONS: usize = 60;
/// Residuals above this diverge.
const DIVERGED: f64 = 1e12;
/// Singular values of G below this part of the largest are zero.
const NEGLIGIBLE: f64 = 1e-15;
const BETA: f64 = 0.25;
const GAMMA: f64 = 0.5;

/// How accelerations are projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Orthogonally: the paper's first attempt.
    Naive,
    /// By Gauss's principle.
    Gauss,
}

/// How the run is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How accelerations are projected.
    pub projection: Projection,
    /// K̄ with stiffness and damping, or M alone.
    pub full_matrix: bool,
    /// Residuals at which the iteration ends.
    pub tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { projection: Projection::Gauss, full_matrix: false, tolerance: 1e-8 }
    }
}

/// Residuals of dynamics, accelerations, velocities and positions.
pub type Residuals = [f64; 4];

/// Subdomains in motion.
pub struct Gauss<'s> {
    settings: Settings,
    joints: Vec<Joint>,
    locals: Vec<Local<'s>>,
    /// First velocity and first constraint of each subdomain, and the ends.
    first: Vec<(usize, usize)>,
    n: usize,
    m: usize,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
    /// Residuals of every iteration of every step, the last of which has converged.
    pub history: Vec<Vec<Residuals>>,
}

/// The whole system at one point.
struct Whole {
    mass: Vec<f64>,
    matrix: Vec<f64>,
    force: Vec<f64>,
    g: Vec<f64>,
    constraint: Vec<f64>,
    gamma: Vec<f64>,
}

impl<'s> Gauss<'s> {
    /// All subdomains in this process, at time t. Joints are coincidences and linear forces.
    pub fn start(assembly: Assembly<'s>, settings: Settings, t: f64) -> Result<Self, Failure> {
        check_assembly(&assembly, 1)?;
        let Assembly { owners, parts, joints, .. } = assembly;
        if let Some(i) = joints.iter().position(|j| j.law.kind() == Kind::General) {
            return Err(Failure::new(
                Code::BadArgument,
                format!("joint {i}: coincidences and bushings only"),
            ));
        }
        let nodes = tree::build(Topology::Flat, &owners, &joints);
        let mut locals = Vec::new();
        let (mut first, mut n, mut m) = (Vec::new(), 0, 0);
        for (k, part) in parts.into_iter().enumerate() {
            let leaf = nodes.iter().position(|n| n.subdomain == Some(k)).unwrap_or(0);
            let part =
                part.ok_or_else(|| Failure::new(Code::NotReady, format!("subdomain {k} has no model")))?;
            let local = Local::new(part, (k, leaf), &nodes[leaf].boundary, &joints)?;
            let d = local.view.layout.dims;
            for (name, value) in [("NR", d.nr), ("NW", d.nw), ("NS", d.ns), ("NM", d.nm)] {
                if value > 0 {
                    return Err(refused(k, name, value, "0: this algorithm has p, v and λ only"));
                }
            }
            if d.np != d.nv {
                return Err(refused(k, "NP", d.np, "NV, with p' = v"));
            }
            first.push((n, m));
            n += local.view.layout.dims.nv;
            m += local.view.layout.dims.nl;
            locals.push(local);
        }
        m += joints.iter().filter(|j| j.law.kind() == Kind::Coincide).map(|j| j.law.size()).sum::<usize>();
        let mut made = Gauss {
            settings,
            joints,
            locals,
            first,
            n,
            m,
            t,
            q: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            lambda: vec![0.0; m],
            history: Vec::new(),
        };
        for (local, &(at, _)) in made.locals.iter().zip(&made.first) {
            let l = local.view.layout;
            made.q[at..at + l.dims.nv].copy_from_slice(l.x.p.of(&local.old.x));
            made.v[at..at + l.dims.nv].copy_from_slice(l.x.v.of(&local.old.x));
        }
        made.begin()?;
        Ok(made)
    }

    /// Accelerations at the start: those of Gauss's principle.
    fn begin(&mut self) -> Result<(), Failure> {
        let (q, v, a) = (self.q.clone(), self.v.clone(), vec![0.0; self.n]);
        let whole = self.evaluate(self.t, (&q, &v, &a), 0.0)?;
        let mut free = whole.force.clone();
        let mut mass = factor(self.n, &whole.mass, self.t)?;
        mass.solve(&mut free);
        self.a = free;
        let correction = self.least_constraint(&whole, &mut mass, &self.a)?;
        self.a.iter_mut().zip(&correction).for_each(|(a, c)| *a -= c);
        Ok(())
    }

    /// Masses, forces and constraints of all subdomains and joints; K̄ for a step h.
    fn evaluate(&mut self, t: f64, (q, v, a): (&[f64], &[f64], &[f64]), h: f64) -> Result<Whole, Failure> {
        let (n, m) = (self.n, self.m);
        let zeros = |n: usize| vec![0.0; n];
        let mut w = Whole {
            mass: zeros(n * n),
            matrix: zeros(n * n),
            force: zeros(n),
            g: zeros(m * n),
            constraint: zeros(m),
            gamma: zeros(m),
        };
        let (by_v, by_p) = if self.settings.full_matrix { (GAMMA * h, BETA * h * h) } else { (0.0, 0.0) };
        let mut sums: Vec<[Vec<f64>; 4]> = self
            .joints
            .iter()
            .map(|j| [zeros(j.law.size()), zeros(j.law.size()), zeros(j.law.size()), zeros(j.law.size() * n)])
            .collect();
        for (local, &(at, row)) in self.locals.iter_mut().zip(&self.first) {
            let l = local.view.layout;
            let (nv, nl) = (l.dims.nv, l.dims.nl);
            let here = at..at + nv;
            l.x.lambda.of_mut(&mut local.new.x).fill(0.0);
            l.x.p.of_mut(&mut local.new.x).copy_from_slice(&q[here.clone()]);
            l.x.v.of_mut(&mut local.new.x).copy_from_slice(&v[here.clone()]);
            local.new.w.copy_from_slice(&a[here.clone()]);
            local.evaluate_for_gauss(t, h).map_err(|trouble| failed(trouble, local.subdomain, t))?;
            w.force[here.clone()].copy_from_slice(local.view.rows(l.rda.f_dyn));
            w.constraint[row..row + nl].copy_from_slice(local.view.rows(l.rda.g));
            w.gamma[row..row + nl].copy_from_slice(local.view.gamma());
            let mut block = zeros(nv * nv);
            local.view.copy_mass(&mut block);
            paste(&block, nv, &mut w.mass, n, at);
            local.view.stiffness((by_v, by_p), &mut block, nv);
            paste(&block, nv, &mut w.matrix, n, at);
            for k in 0..nl {
                for j in 0..nv {
                    w.g[row + k + (at + j) * m] = local.view.constraint_by_position(k, j);
                }
            }
            local.rows_for_gauss(|joint, i, values, b| {
                for (sum, value) in sums[joint][..3].iter_mut().zip(values) {
                    sum[i] += value;
                }
                let rows = self.joints[joint].law.size();
                for j in 0..nv {
                    sums[joint][3][i + (at + j) * rows] += b(j);
                }
            });
        }
        let mut row =
            self.first.last().map_or(0, |f| f.1) + self.locals.last().map_or(0, |l| l.view.layout.dims.nl);
        for (joint, [u, rate, curvature, b]) in self.joints.iter().zip(&sums) {
            let rows = joint.law.size();
            for i in 0..rows {
                if let super::joint::Law::Coincide { offset } = &joint.law {
                    (w.constraint[row], w.gamma[row]) = (u[i] - offset[i], curvature[i]);
                    (0..n).for_each(|j| w.g[row + j * m] = b[i + j * rows]);
                    row += 1;
                } else {
                    let (k, c, rest) = joint.law.linear(i);
                    let force = k * (u[i] - rest) + c * rate[i];
                    for j in 0..n {
                        w.force[j] -= b[i + j * rows] * force;
                        for l in 0..n {
                            w.matrix[j + l * n] += (by_p * k + by_v * c) * b[i + j * rows] * b[i + l * rows];
                        }
                    }
                }
            }
        }
        Ok(w)
    }

    /// M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁺ (G a + γ).
    fn least_constraint(&self, w: &Whole, mass: &mut Factor, a: &[f64]) -> Result<Vec<f64>, Failure> {
        let (n, m) = (self.n, self.m);
        let mut columns = vec![0.0; n * m];
        for k in 0..m {
            let column = &mut columns[k * n..(k + 1) * n];
            (0..n).for_each(|j| column[j] = w.g[k + j * m]);
            mass.solve(column);
        }
        let mut small = vec![0.0; m * m];
        crate::linalg::products::mul(m, n, m, &w.g, &columns, &mut small);
        let mut small = factor(m, &small, self.t)?;
        let mut violated = vec![0.0; m];
        mul_vec(m, n, &w.g, a, &mut violated);
        violated.iter_mut().zip(&w.gamma).for_each(|(v, g)| *v += g);
        small.solve(&mut violated);
        let mut out = vec![0.0; n];
        mul_vec(n, m, &columns, &violated, &mut out);
        Ok(out)
    }

    /// One step of size h; gives the number of iterations.
    pub fn step(&mut self, h: f64) -> Result<usize, Failure> {
        let (n, m, t, tolerance) = (self.n, self.m, self.t + h, self.settings.tolerance);
        let (mut q, mut v, mut a) = (self.q.clone(), self.v.clone(), self.a.clone());
        for i in 0..n {
            q[i] += h * v[i] + h * h * ((0.5 - BETA) * self.a[i] + BETA * a[i]);
            v[i] += h * ((1.0 - GAMMA) * self.a[i] + GAMMA * a[i]);
        }
        let mut history = Vec::new();
        for k in 0..=MAX_ITERATIONS {
            let w = self.evaluate(t, (&q, &v, &a), h)?;
            let inverse =
                Pseudo::new(m, n, &w.g).map_err(|_| Failure::new(Code::NewtonDiverges, "").at(self.t, h))?;
            let mut residual = vec![0.0; n];
            mul_vec(n, n, &w.mass, &a, &mut residual);
            residual.iter_mut().zip(&w.force).for_each(|(r, f)| *r -= f);
            let size = norm(&residual);
            let tangential = inverse.tangential(&residual);
            let (mut acceleration, mut velocity) = (vec![0.0; m], vec![0.0; m]);
            mul_vec(m, n, &w.g, &a, &mut acceleration);
            acceleration.iter_mut().zip(&w.gamma).for_each(|(r, g)| *r += g);
            mul_vec(m, n, &w.g, &v, &mut velocity);
            let found = [norm(&tangential), norm(&acceleration), norm(&velocity), norm(&w.constraint)];
            history.push(found);
            let limits = [tolerance * (1.0 + size), tolerance * (1.0 + norm(&w.gamma)), tolerance, tolerance];
            if found.iter().zip(limits).all(|(r, limit)| *r <= limit) {
                residual.iter_mut().for_each(|r| *r = -*r);
                self.lambda = inverse.multipliers(&residual);
                (self.q, self.v, self.a, self.t) = (q, v, a, t);
                self.history.push(history);
                return Ok(k);
            }
            if found[0].is_nan() || found[0] > DIVERGED {
                let text = format!("the residual is {:.1e} in iteration {k}", found[0]);
                return Err(Failure::new(Code::NewtonDiverges, text).at(self.t, h));
            }
            let mut mass = factor(n, &w.mass, self.t)?;
            let mut trial: Vec<f64> = tangential.iter().map(|r| -r).collect();
            factor(n, &w.matrix, self.t)?.solve(&mut trial);
            let change = match self.settings.projection {
                Projection::Gauss => {
                    let moved: Vec<f64> = a.iter().zip(&trial).map(|(a, d)| a + d).collect();
                    let correction = self.least_constraint(&w, &mut mass, &moved)?;
                    trial.iter().zip(correction).map(|(d, c)| d - c).collect()
                }
                Projection::Naive => minus(&inverse.tangential(&trial), &inverse.apply(&acceleration)),
            };
            let scaled = |factor: f64| -> Vec<f64> { change.iter().map(|d| factor * d).collect() };
            let dq = minus(&inverse.tangential(&scaled(BETA * h * h)), &inverse.apply(&w.constraint));
            (0..n).for_each(|i| (q[i], a[i]) = (q[i] + dq[i], a[i] + change[i]));
            let there = self.evaluate(t, (&q, &v, &a), h)?;
            mul_vec(m, n, &there.g, &v, &mut velocity);
            let dv = minus(&inverse.tangential(&scaled(GAMMA * h)), &inverse.apply(&velocity));
            (0..n).for_each(|i| v[i] += dv[i]);
        }
        let text = format!("no convergence in {MAX_ITERATIONS} iterations");
        Err(Failure::new(Code::NewtonDiverges, text).at(self.t, h))
    }

    /// Steps of equal size to `tend`; gives iterations per step.
    pub fn integrate(&mut self, tend: f64, steps: u32) -> Result<f64, Failure> {
        let h = (tend - self.t) / f64::from(steps);
        let mut iterations = 0;
        for _ in 0..steps {
            iterations += self.step(h)?;
        }
        Ok(iterations as f64 / f64::from(steps))
    }

    /// Time.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Positions, velocities and accelerations of all subdomains.
    pub fn motion(&self) -> (&[f64], &[f64], &[f64]) {
        (&self.q, &self.v, &self.a)
    }

    /// Multipliers: of the subdomains, then of the joints.
    pub fn multipliers(&self) -> &[f64] {
        &self.lambda
    }

    /// The constraint forces -Gᵀ λ at the last point.
    pub fn constraint_forces(&mut self) -> Result<Vec<f64>, Failure> {
        let (q, v, a) = (self.q.clone(), self.v.clone(), self.a.clone());
        let w = self.evaluate(self.t, (&q, &v, &a), 0.0)?;
        let mut out = vec![0.0; self.n];
        mul_vec_transposed(self.m, self.n, &w.g, &self.lambda, &mut out);
        out.iter_mut().for_each(|f| *f = -*f);
        Ok(out)
    }
}

fn paste(block: &[f64], nv: usize, into: &mut [f64], n: usize, at: usize) {
    for j in 0..nv {
        into[at + (at + j) * n..][..nv].copy_from_slice(&block[j * nv..(j + 1) * nv]);
    }
}

fn failed(trouble: Trouble, subdomain: usize, t: f64) -> Failure {
    Failure::new(report(trouble, subdomain).code, format!("subdomain {subdomain}")).at(t, 0.0)
}

fn factor(n: usize, matrix: &[f64], t: f64) -> Result<Factor, Failure> {
    let mut made = Factor::new(n);
    made.matrix_mut().copy_from_slice(matrix);
    made.factor().map_err(|e| Failure::new(Code::SingularNewtonMatrix, e.to_string()).at(t, 0.0))?;
    Ok(made)
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// G⁺ by singular values.
struct Pseudo {
    m: usize,
    n: usize,
    rank: usize,
    svd: Svd,
}

impl Pseudo {
    fn new(m: usize, n: usize, g: &[f64]) -> Result<Self, crate::linalg::LinalgError> {
        let mut svd = Svd::new(m, n);
        svd.compute(m, g)?;
        let values = svd.singular_values();
        let rank = values.iter().take_while(|&&s| s > NEGLIGIBLE * values[0]).count();
        Ok(Pseudo { m, n, rank, svd })
    }

    /// Components along the right singular vectors.
    fn along(&self, k: usize, x: &[f64]) -> f64 {
        (0..self.n).map(|j| self.svd.vt()[k + j * self.n] * x[j]).sum()
    }

    /// P x.
    fn tangential(&self, x: &[f64]) -> Vec<f64> {
        let mut out = x.to_vec();
        for k in 0..self.rank {
            let along = self.along(k, x);
            (0..self.n).for_each(|j| out[j] -= along * self.svd.vt()[k + j * self.n]);
        }
        out
    }

    /// G⁺ y.
    fn apply(&self, y: &[f64]) -> Vec<f64> {
        let (u, sigma) = (self.svd.u(), self.svd.singular_values());
        let mut out = vec![0.0; self.n];
        for k in 0..self.rank {
            let along: f64 = (0..self.m).map(|i| u[i + k * self.m] * y[i]).sum::<f64>() / sigma[k];
            (0..self.n).for_each(|j| out[j] += along * self.svd.vt()[k + j * self.n]);
        }
        out
    }

    /// (G⁺)ᵀ x.
    fn multipliers(&self, x: &[f64]) -> Vec<f64> {
        let (u, sigma) = (self.svd.u(), self.svd.singular_values());
        let mut out = vec![0.0; self.m];
        for k in 0..self.rank {
            let along = self.along(k, x) / sigma[k];
            (0..self.m).for_each(|i| out[i] += along * u[i + k * self.m]);
        }
        out
    }
}
