//! Experiments on a model: evaluations at moved points, and derivatives along a direction with an estimate of their error.

use super::time_to;
use crate::error::{Code, Failure};
use crate::layout::{Block, Layout};
use crate::model::all_finite;
use crate::system::{Outcome, System};

/// The widest difference, relative to the size of the variables.
const WIDTH: f64 = 1.0 / 64.0;
/// Widths of an extrapolation, each a quarter of the one before.
const WIDTHS: usize = 4;
/// Errors that are good enough, relative to the derivative.
const SETTLED: f64 = 1e-7;
/// Estimates whose distance is so many of their errors contradict each other.
const CONTRADICTION: f64 = 10.0;
/// Extrapolations from ever smaller widths, if the model varies faster than its variables say.
const ROUNDS: usize = 4;
/// A difference in t spans at least so many of its rounding units.
const TIME_UNITS: f64 = 16384.0;

/// A model, asked outside of a run.
pub(super) struct Probe<'a> {
    pub system: &'a mut dyn System,
    pub l: Layout,
    pub calls: u64,
    /// The model asked to stop, or cannot be evaluated.
    pub stopped: Option<Failure>,
    /// The time of the check: a model that stops at another one is none that stops.
    now: f64,
    /// Velocities below this are small: what the forces of the model give it over its own size.
    pub speed: f64,
    seed: u64,
}

/// A point and what belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub t: f64,
    pub x: Vec<f64>,
    pub rda: Vec<f64>,
    /// What counts as large in a variable.
    pub size: Vec<f64>,
    /// What rounding errors of x and t do to a row.
    pub noise: Vec<f64>,
    /// Time in which positions change by their size.
    pub time: f64,
}

/// A direction in (t, x).
#[derive(Clone, Debug)]
pub(super) struct Direction {
    pub dt: f64,
    pub dx: Vec<f64>,
    /// Differences stay within this distance.
    pub within: f64,
}

/// The derivative of all rows along a direction.
#[derive(Clone, Debug)]
pub(super) struct Slope {
    pub value: Vec<f64>,
    pub error: Vec<f64>,
}

impl Slope {
    pub fn zero(m: usize) -> Self {
        Slope { value: vec![0.0; m], error: vec![0.0; m] }
    }

    /// The sum, of derivatives along directions that are added: each was taken with the width that suits it.
    pub fn plus(&self, other: &Slope) -> Self {
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
        Slope { value: sum(&self.value, &other.value), error: sum(&self.error, &other.error) }
    }

    /// Row by row the one with the smaller error.
    fn or_better(mut self, other: Slope) -> Self {
        for i in 0..self.value.len() {
            if other.error[i] < self.error[i] {
                (self.value[i], self.error[i]) = (other.value[i], other.error[i]);
            }
        }
        self
    }

    /// How far two estimates are apart beyond what their errors allow. One of these is an accident then: differences of a few units in
    /// the last place repeat themselves.
    fn contradiction(&self, other: &Slope, i: usize) -> f64 {
        let apart = (self.value[i] - other.value[i]).abs();
        if apart > CONTRADICTION * (self.error[i] + other.error[i]) {
            apart
        } else {
            0.0
        }
    }

    /// Errors are not smaller than these.
    fn doubted(mut self, doubt: &[f64]) -> Self {
        self.error.iter_mut().zip(doubt).for_each(|(e, d)| *e = e.max(*d));
        self
    }

    /// Nothing would be gained by smaller widths.
    fn is_settled(&self, noise: &[f64], width: f64) -> bool {
        let rows = self.value.iter().zip(&self.error).zip(noise);
        rows.into_iter().all(|((v, e), n)| *e <= SETTLED * v.abs() + 64.0 * n / width)
    }
}

impl Direction {
    pub fn zero(n: usize) -> Self {
        Direction { dt: 0.0, dx: vec![0.0; n], within: f64::INFINITY }
    }

    /// The same with `values` in a block.
    pub fn with(mut self, block: Block, values: &[f64]) -> Self {
        block.of_mut(&mut self.dx).copy_from_slice(values);
        self
    }

    /// The sum.
    pub fn plus(&self, other: &Direction) -> Self {
        let dx = self.dx.iter().zip(&other.dx).map(|(a, b)| a + b).collect();
        Direction { dt: self.dt + other.dt, dx, within: self.within.min(other.within) }
    }
}

pub(super) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| m.max(x.abs()))
}

impl<'a> Probe<'a> {
    pub fn new(system: &'a mut dyn System, now: f64) -> Self {
        let l = Layout::new(system.dimensions(), system.form());
        Probe { system, l, calls: 0, stopped: None, now, speed: 0.0, seed: 0x9E37_79B9_7F4A_7C15 }
    }

    /// A number in [-1, 1], the same ones in every check.
    pub fn random(&mut self) -> f64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// EOM, or nothing where it cannot be evaluated; a model that stops is not asked again.
    pub fn eom(&mut self, t: f64, x: &[f64]) -> Option<Vec<f64>> {
        if self.stopped.is_some() {
            return None;
        }
        self.calls += 1;
        let mut rda = vec![0.0; self.l.m];
        match self.system.eom(t, x, &mut rda) {
            Outcome::Continue if all_finite(&rda) => Some(rda),
            Outcome::Stop if t == self.now => {
                self.stopped = Some(Failure::new(Code::StoppedByEom, "IERR < 0").at(t, 0.0));
                None
            }
            _ => None,
        }
    }

    /// MAS, likewise.
    pub fn mass(&mut self, t: f64, x: &[f64]) -> Option<Vec<f64>> {
        if self.stopped.is_some() {
            return None;
        }
        let nv = self.l.dims.nv;
        let mut mass = vec![0.0; nv * nv];
        if nv == 0 {
            return Some(mass);
        }
        match self.system.mass(t, x, &mut mass) {
            Outcome::Continue if all_finite(&mass) => Some(mass),
            Outcome::Stop if t == self.now => {
                self.stopped = Some(Failure::new(Code::StoppedByMas, "IERR < 0").at(t, 0.0));
                None
            }
            _ => None,
        }
    }

    /// The point (t, x), if the model can be evaluated there. `typical` is the size of a block of zeros.
    pub fn point(&mut self, t: f64, x: &[f64], typical: &[f64]) -> Option<Point> {
        let rda = self.eom(t, x)?;
        let l = self.l;
        let mut size = vec![0.0; l.n];
        for block in [l.x.w, l.x.lambda, l.x.mu, l.x.r, l.x.v, l.x.s, l.x.p] {
            let top = largest(block.of(x));
            for i in block.range() {
                size[i] = x[i].abs().max(0.1 * top);
                if l.x.v.contains(i) {
                    size[i] = size[i].max(0.1 * self.speed);
                }
                if size[i] == 0.0 {
                    size[i] = typical[i];
                }
            }
        }
        let rates = l.rda.f_kin.of(&rda).iter().zip(l.x.p.of(&size));
        let time = rates.fold(f64::INFINITY, |m, (rate, size)| m.min(time_to(*size, *rate)));
        let mut noise: Vec<f64> = rda.iter().map(|r| f64::EPSILON * r.abs()).collect();
        for _ in 0..4 {
            let mut y = x.to_vec();
            for y in &mut y {
                *y += 4.0 * f64::EPSILON * self.random().signum() * *y;
            }
            let shaken = t + f64::EPSILON * self.random().signum() * t;
            if let Some(moved) = self.eom(shaken, &y) {
                for ((n, a), b) in noise.iter_mut().zip(&moved).zip(&rda) {
                    *n = n.max((a - b).abs());
                }
            }
        }
        let time = if time.is_finite() { time } else { 1.0 };
        Some(Point { t, x: x.to_vec(), rda, size, noise, time })
    }

    /// d/dτ of all rows at (t + τ dt, x + τ dx): central differences of four widths, extrapolated (Ridders 1982). The error is
    /// what the entries of the table disagree by, and what rounding does.
    pub fn slope(&mut self, at: &Point, along: &Direction) -> Option<Slope> {
        let m = self.l.m;
        let span = |(d, s): (&f64, &f64)| time_to(*s, *d);
        let mut span = along.dx.iter().zip(&at.size).map(span).fold(f64::INFINITY, f64::min);
        if along.dt != 0.0 {
            span = span.min(at.time / along.dt.abs());
        } else if !span.is_finite() {
            return Some(Slope::zero(m));
        }
        span = span.min(along.within);
        if !span.is_finite() {
            return Some(Slope::zero(m));
        }
        let mut width = WIDTH * span;
        if along.dt != 0.0 {
            width = width.max(TIME_UNITS * f64::EPSILON * at.t.abs());
        }
        let (mut found, mut doubt): (Option<Slope>, _) = (None, vec![0.0f64; m]);
        for _ in 0..ROUNDS {
            if let Some(slope) = self.extrapolate(at, along, width) {
                let merged = match found.take() {
                    Some(before) => {
                        let rows = doubt.iter_mut().enumerate();
                        rows.for_each(|(i, d)| *d = d.max(before.contradiction(&slope, i)));
                        before.or_better(slope)
                    }
                    None => slope,
                };
                if merged.is_settled(&at.noise, width) {
                    return Some(merged.doubted(&doubt));
                }
                found = Some(merged);
            }
            if self.stopped.is_some() {
                return None;
            }
            width /= 64.0;
        }
        found.map(|slope| slope.doubted(&doubt))
    }

    fn extrapolate(&mut self, at: &Point, along: &Direction, width: f64) -> Option<Slope> {
        let m = self.l.m;
        let mut quotients = Vec::with_capacity(WIDTHS);
        let mut widths = [0.0; WIDTHS];
        let mut tau = width;
        for w in &mut widths {
            let mut ends = Vec::with_capacity(2);
            for sign in [1.0, -1.0] {
                // The step as t can make it.
                let step = if along.dt == 0.0 {
                    sign * tau
                } else {
                    (at.t + sign * tau * along.dt - at.t) / along.dt
                };
                let x: Vec<f64> = at.x.iter().zip(&along.dx).map(|(x, d)| x + step * d).collect();
                ends.push((step, self.eom(at.t + step * along.dt, &x)?));
            }
            let (up, down) = (&ends[0], &ends[1]);
            *w = up.0 - down.0;
            quotients.push((0..m).map(|i| (up.1[i] - down.1[i]) / *w).collect::<Vec<f64>>());
            tau /= 4.0;
        }
        let mut slope = Slope::zero(m);
        for (i, (value, error)) in slope.value.iter_mut().zip(&mut slope.error).enumerate() {
            let first = std::array::from_fn(|k| quotients[k][i]);
            (*value, *error) = best(first, &widths, at.noise[i]);
        }
        Some(slope)
    }
}

/// The most reliable entry of the extrapolation table in powers of the squared width.
fn best(first: [f64; WIDTHS], widths: &[f64; WIDTHS], noise: f64) -> (f64, f64) {
    let mut table = [[0.0; WIDTHS]; WIDTHS];
    let (mut found, mut smallest) = ((first[0], f64::INFINITY), f64::INFINITY);
    for k in 0..WIDTHS {
        table[k][0] = first[k];
        let mut factor = 1.0;
        for j in 1..=k {
            factor *= 16.0;
            table[k][j] = table[k][j - 1] + (table[k][j - 1] - table[k - 1][j - 1]) / (factor - 1.0);
            let spread = (table[k][j] - table[k][j - 1]).abs().max((table[k][j] - table[k - 1][j - 1]).abs());
            let error = spread.max(8.0 * noise / widths[k].abs());
            // Two entries may agree by accident: the error is that of the second best.
            if error < smallest {
                found = (table[k][j], smallest);
                smallest = error;
            } else {
                found.1 = found.1.min(error);
            }
        }
    }
    found
}

/// Solve a square system by elimination with row pivoting; nothing if it is singular to working precision.
pub(super) fn solve(n: usize, a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    let mut scale: Vec<f64> = (0..n).map(|i| (0..n).fold(0.0f64, |m, j| m.max(a[i + j * n].abs()))).collect();
    if scale.contains(&0.0) {
        return None;
    }
    for k in 0..n {
        let size = |i: usize| a[i + k * n].abs() / scale[i];
        let pivot = (k..n).max_by(|&i, &j| size(i).total_cmp(&size(j)))?;
        if size(pivot) < 1e-11 {
            return None;
        }
        if pivot != k {
            (0..n).for_each(|j| a.swap(pivot + j * n, k + j * n));
            b.swap(pivot, k);
            scale.swap(pivot, k);
        }
        for i in k + 1..n {
            let factor = a[i + k * n] / a[k + k * n];
            if factor != 0.0 {
                (k..n).for_each(|j| a[i + j * n] -= factor * a[k + j * n]);
                b[i] -= factor * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k + j * n] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k + k * n];
    }
    Some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of Bricard's energy as it was once found: three differences of a few units were the same, and their error was none.
    #[test]
    fn slopes_that_contradict_each_other_are_not_believed() {
        let slope = |value: f64, error: f64| Slope { value: vec![value], error: vec![error] };
        let (wide, accident) = (slope(-8.113_625e-3, 1e-9), slope(-8.112_786e-3, 0.0));
        let doubt = wide.contradiction(&accident, 0);
        assert!((doubt - 8.39e-7).abs() < 1e-12, "{doubt:e}");
        assert_eq!(wide.clone().or_better(accident).doubted(&[doubt]).error, [doubt]);
        // Within their errors nothing contradicts.
        assert_eq!(wide.contradiction(&slope(-8.113_624e-3, 1e-10), 0), 0.0);
        assert_eq!(wide.doubted(&[0.0]).error, [1e-9]);
    }
}
