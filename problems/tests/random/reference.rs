//! The judge: extrapolation of the explicit midpoint rule (Gragg, Bulirsch, Stoer; HW I, II.9), order 16, on the index-1
//! equations v' = a(p, v, t) with a from its own elimination. It shares neither method nor constraint code with the library.

use crate::dense::{solve, Matrix};
use crate::generator::{independent, Case, Random};
use crate::system::Equations;
use geoms::layout::Form;

/// Times at which solutions are compared.
pub const SAMPLES: usize = 16;
const COLUMNS: usize = 8;
/// Below this step, as a part of the interval, a motion cannot go on.
const SMALLEST: f64 = 1e-7;
/// Evaluations after which the reference gives up.
const MOST: usize = 300_000;

/// How the reference ended.
#[derive(Clone, Debug)]
pub enum Motion {
    /// (p, v) at the samples, the start included.
    Whole(Vec<Vec<f64>>),
    /// The constraints cannot be satisfied beyond this time.
    Lockup(f64),
    /// Too expensive, or it blows up.
    Unknown(String),
}

pub struct Reference {
    pub motion: Motion,
    /// Largest factor by which a perturbation grows between two of the samples.
    pub growth: f64,
}

struct Slope {
    equations: Equations,
    np: usize,
    evaluations: usize,
    /// Smallest pivot of C M⁻¹ Cᵀ relative to the largest, at the last evaluation.
    pivot: f64,
}

impl Slope {
    fn new(case: &Case) -> Self {
        let equations = Equations::new(&case.mechanism, Form::StrangenessFree, true);
        Slope { np: equations.layout.dims.np, equations, evaluations: 0, pivot: 1.0 }
    }

    /// y' for y = (p, v).
    fn at(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        self.evaluations += 1;
        let e = &self.equations;
        let (p, v) = y.split_at(self.np);
        let (c, rows) = independent(&e.mechanism, &e.constraint_matrix(t, p));
        // M⁻¹ [f, Cᵀ], then C M⁻¹ Cᵀ λ = C M⁻¹ f + γ.
        let n = v.len();
        let mut b = Matrix::new(n, 1 + c.rows);
        b.a[..n].copy_from_slice(&e.forces(t, p, v));
        for i in 0..c.rows {
            (0..n).for_each(|j| *b.at(j, 1 + i) = c.get(i, j));
        }
        e.solve_mass(p, &mut b);
        let products = c.times(&b);
        let mut matrix = Matrix::new(c.rows, c.rows);
        matrix.a.copy_from_slice(&products.a[c.rows..]);
        let bias = e.acceleration_rows(t, p, v, &vec![0.0; n]);
        let mut lambda = Matrix::new(c.rows, 1);
        rows.iter().enumerate().for_each(|(k, &i)| lambda.a[k] = products.a[k] + bias[i]);
        self.pivot = solve(matrix, &mut lambda);
        let mut out = e.kinematics(p, v);
        out.extend(
            (0..n).map(|j| b.get(j, 0) - (0..c.rows).map(|i| b.get(j, 1 + i) * lambda.a[i]).sum::<f64>()),
        );
        out
    }

    /// p and v moved onto the constraints by least corrections.
    fn project(&self, t: f64, y: &mut [f64]) {
        let e = &self.equations;
        for level in [0, 0, 0, 1, 1] {
            let (p, v) = y.split_at_mut(self.np);
            let (c, rows) = independent(&e.mechanism, &e.constraint_matrix(t, p));
            let residual = if level == 0 { e.position_rows(t, p) } else { e.velocity_rows(t, p, v) };
            let mut b = Matrix::new(c.rows, 1);
            rows.iter().enumerate().for_each(|(k, &i)| b.a[k] = residual.get(i).copied().unwrap_or(0.0));
            let transposed = c.transposed();
            solve(c.times(&transposed), &mut b);
            let correction = transposed.times(&b).a;
            if level == 0 {
                let moved = e.kinematics(p, &correction);
                p.iter_mut().zip(&moved).for_each(|(p, d)| *p -= d);
            } else {
                v.iter_mut().zip(&correction).for_each(|(v, d)| *v -= d);
            }
        }
    }

    /// One step with all columns: the result and the norm of the error estimate.
    fn extrapolate(&mut self, t: f64, y: &[f64], slope: &[f64], h: f64, tolerance: f64) -> (Vec<f64>, f64) {
        let mut table: Vec<Vec<f64>> = Vec::new();
        let mut error = 0.0;
        for j in 0..COLUMNS {
            let n = 2 * (j + 1);
            let sub = h / n as f64;
            let mut before = y.to_vec();
            let mut now: Vec<f64> = y.iter().zip(slope).map(|(y, f)| y + sub * f).collect();
            for k in 1..n {
                let f = self.at(t + k as f64 * sub, &now);
                for ((b, n), f) in before.iter_mut().zip(now.iter_mut()).zip(&f) {
                    let next = *b + 2.0 * sub * f;
                    *b = *n;
                    *n = next;
                }
            }
            // Aitken and Neville in 1/n².
            let mut row = vec![now];
            for k in 1..=j {
                let ratio = (n as f64 / (2 * (j + 1 - k)) as f64).powi(2) - 1.0;
                let (left, above) = (&row[k - 1], &table[k - 1]);
                let next = left.iter().zip(above).map(|(l, a)| l + (l - a) / ratio).collect();
                row.push(next);
            }
            if j + 1 == COLUMNS {
                error = distance(&row[j], &row[j - 1]) / tolerance;
            }
            table = row;
        }
        (table.pop().unwrap_or_default(), error)
    }

    /// From a sample to the end, with the values at it and behind it.
    fn integrate(&mut self, from: usize, y0: &[f64], tend: f64, tolerance: f64) -> Motion {
        let time = |sample: usize| tend * sample as f64 / SAMPLES as f64;
        let (mut t, mut y, mut h) = (time(from), y0.to_vec(), 0.02 * tend);
        let mut samples = vec![y.clone()];
        while from + samples.len() <= SAMPLES {
            let goal = time(from + samples.len());
            let step = if t + h * 1.0001 >= goal { goal - t } else { h };
            let slope = self.at(t, &y);
            let pivot = self.pivot;
            let (next, error) = self.extrapolate(t, &y, &slope, step, tolerance);
            let fits = error.is_finite() && error <= 1.0;
            let factor = if error.is_finite() { 0.8 * error.max(1e-30).powf(-1.0 / 15.0) } else { 0.2 };
            if fits {
                t = if step == goal - t { goal } else { t + step };
                y = next;
                if t == goal {
                    samples.push(y.clone());
                }
                h = if step < h {
                    h.max(step * factor.clamp(0.1, 3.0))
                } else {
                    step * factor.clamp(0.1, 3.0)
                };
            } else {
                h = step * factor.clamp(0.1, 0.7);
            }
            if h < SMALLEST * tend {
                if pivot < 1e-4 {
                    return Motion::Lockup(t);
                }
                return Motion::Unknown(format!("h = {h:.1e} at t = {t:.6}, pivot {pivot:.1e}"));
            }
            if self.evaluations > MOST {
                return Motion::Unknown(format!("{MOST} evaluations until t = {t:.6} of {tend:.6}"));
            }
        }
        Motion::Whole(samples)
    }
}

/// Largest difference relative to 1 + |a|.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| {
        let d = (a - b).abs() / (1.0 + a.abs());
        if d <= m {
            m
        } else {
            d
        }
    })
}

/// The motion of a case, and how its errors grow.
pub fn reference(case: &Case) -> Reference {
    let mut slope = Slope::new(case);
    let start = [&case.p[..], &case.v[..]].concat();
    let motion = slope.integrate(0, &start, case.tend, 1e-12);
    let Motion::Whole(exact) = &motion else { return Reference { motion, growth: 1.0 } };
    let mut random = Random(case.seed ^ 0x5eed);
    let mut growth = 1.0f64;
    // From every sample: what a step adds need not point where errors of the start have come to. A knife edge damps the turning of
    // a body that it trails, and lets it grow once the body is pushed the other way.
    for from in std::iter::repeat_n(0, 3).chain(1..SAMPLES) {
        let mut y: Vec<f64> = exact[from].iter().map(|y| y + 1e-6 * random.within(-1.0, 1.0)).collect();
        slope.project(case.tend * from as f64 / SAMPLES as f64, &mut y);
        slope.evaluations = 0;
        match slope.integrate(from, &y, case.tend, 1e-10) {
            Motion::Whole(other) => {
                let apart: Vec<f64> = exact[from..].iter().zip(&other).map(|(a, b)| distance(a, b)).collect();
                for (i, late) in apart.iter().enumerate() {
                    for early in &apart[..i] {
                        growth = growth.max(late / early.max(1e-9));
                    }
                }
            }
            // A neighbour that locks: as sensitive as can be.
            _ => growth = f64::INFINITY,
        }
    }
    Reference { motion, growth }
}

/// λ and μ at the start, of least norm where constraints are redundant: initial values of the library.
pub fn initial_state(case: &Case) -> Vec<f64> {
    let e = Equations::new(&case.mechanism, Form::StrangenessFree, true);
    let (at, dims) = (e.layout.x, e.layout.dims);
    let (c, rows) = independent(&case.mechanism, &e.constraint_matrix(0.0, &case.p));
    let mut slope = Slope::new(case);
    let start = [&case.p[..], &case.v[..]].concat();
    let y = slope.at(0.0, &start);
    // Cᵀ(λ, μ) = f - M a in the sense of least squares.
    let mut left = e.forces(0.0, &case.p, &case.v);
    let mass = e.mass_matrix(&case.p);
    for (j, a) in y[dims.np..].iter().enumerate() {
        (0..dims.nv).for_each(|i| left[i] -= mass.get(i, j) * a);
    }
    let mut b = Matrix::new(dims.nv, 1);
    b.a = left;
    let mut b = c.times(&b);
    solve(c.times(&c.transposed()), &mut b);
    let mut x = vec![0.0; e.layout.n];
    let joints = case.mechanism.joints.len();
    for (k, &i) in rows.iter().enumerate() {
        let place = if i < joints { at.lambda.start + i } else { at.mu.start + i - joints };
        x[place] = b.a[k];
    }
    at.v.of_mut(&mut x).copy_from_slice(&case.v);
    at.p.of_mut(&mut x).copy_from_slice(&case.p);
    x
}
