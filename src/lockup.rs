//! Why a run cannot go on: the mechanism locks up. A drive asks for more than the constraints allow, so that no positions
//! (or velocities) satisfy them a little later.
//!
//! It is looked for after a run has failed, whatever the method said: constraints that depend on time are followed a little
//! beyond the last point by damped Gauss-Newton steps (Levenberg, Marquardt). A lockup is a fold of the solution: behind it
//! the smallest residual is not zero.

use crate::error::{Code, Failure};
use crate::layout::Layout;
use crate::linalg::svd::Svd;
use crate::model::{self, derivatives::Derivatives, Calls};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};

/// How far beyond the last point the constraints are tried, in parts of the time left. A run of tight tolerances ends some way before
/// a lockup, because forces and accelerations grow without bound there: two neighbours must fail.
const AHEAD: [f64; 5] = [1e-4, 1e-3, 2e-3, 4e-3, 5e-3];
/// No more time counts as left than so many times what positions take to change by their own size: however far TEND, a regular
/// motion stays near.
const MOST: f64 = 50.0;
/// A residual that has become this small, relative to the one at first, is a solution's.
const SOLVED: f64 = 1e-6;
/// ... or in units of the positions.
const ROUND_OFF: f64 = 1e-14;
/// A solution that is farther away than this times 1 + |q| belongs to another branch.
const NEAR: f64 = 0.3;
const ITERATIONS: usize = 60;
/// With nonholonomic constraints: velocities blow up where the singular values have this ratio ...
const RATIO: f64 = 1e-4;
/// ... and this part of the right-hand side belongs to the smallest.
const SHARE: f64 = 1e-3;

/// The failure, told as a lockup if it is one. `typical` is ATOL/RTOL, for differences; the end of the run is `tend`. At `gap` the
/// method has seen that there may be no positions.
pub(crate) fn explain(
    system: &mut dyn System,
    layout: &Layout,
    typical: &[f64],
    (t, x, tend): (f64, &[f64], f64),
    gap: Option<f64>,
    failure: Failure,
) -> Failure {
    // Near a lockup method 4 takes forces that grow without bound for such that depend on λ.
    let possible = failure.code.ends_steps() || failure.code == Code::BadArgument;
    if !possible || layout.dims.nl + layout.dims.nm == 0 {
        return failure;
    }
    let mut search = Search::new(system, layout, typical, x);
    let lost = matches!(failure.code, Code::SingularConfiguration | Code::BadArgument);
    let row = search.positions(t, x, (tend - t, lost));
    // A gap may be too short to be seen from here.
    let row = row.or_else(|| search.until(t, x, gap.filter(|gap| *gap > t)?));
    let row = row.or_else(|| search.velocities(t, x));
    let Some(row) = row else { return failure };
    let detail = format!(
        "the constraints cannot be satisfied beyond t = {t:.9e}; the method ended with {}",
        failure.code.idid()
    );
    Failure { code: Code::Lockup, detail, component: Some(layout.residual_name(row)), ..failure }
}

struct Search<'a> {
    system: &'a mut dyn System,
    layout: &'a Layout,
    derivatives: Derivatives,
    fx: JacobianBlocks,
    x: Vec<f64>,
    rda: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(system: &'a mut dyn System, layout: &'a Layout, typical: &'a [f64], x: &[f64]) -> Self {
        // By differences: a JAC that is wrong would lead away from the solution.
        let derivatives = Derivatives::of_rows(layout, false, true, typical.to_vec());
        Search {
            system,
            layout,
            derivatives,
            fx: JacobianBlocks::new(layout),
            x: x.to_vec(),
            rda: vec![0.0; layout.m],
        }
    }

    /// EOM at (t, self.x); None if the model cannot be evaluated there.
    fn evaluate(&mut self, t: f64) -> Option<()> {
        model::eom(self.system, Code::StoppedByEom, t, &self.x, &mut self.rda).ok()
    }

    fn linearize(&mut self, t: f64) -> Option<()> {
        let mut uncounted = Stats::default();
        let model = &mut Calls { system: self.system, stats: &mut uncounted };
        self.derivatives.jacobian(model, t, &self.x, &mut self.fx).ok()
    }

    /// The row of RDA that cannot be kept, if there are no positions beyond t. Where a rank is `lost`, or forces grow without bound, the last
    /// velocities say nothing of the motion.
    fn positions(&mut self, t: f64, x: &[f64], (left, lost): (f64, bool)) -> Option<usize> {
        self.x.copy_from_slice(x);
        self.evaluate(t)?;
        let (p, rate) = (self.layout.x.p.of(x), self.layout.rda.f_kin.of(&self.rda));
        let time = |(p, rate): (&f64, &f64)| MOST * (1.0 + p.abs()) / rate.abs();
        let span = p.iter().zip(rate).map(time).fold(left, f64::min);
        let tried = AHEAD.map(|ahead| self.beyond(t, x, (ahead * span, NEAR)));
        let none = tried.windows(2).find_map(|pair| pair[0].and(pair[1]));
        if none.is_some() || !lost {
            return none;
        }
        let tried = AHEAD.map(|ahead| self.beyond(t, x, (ahead * left, f64::INFINITY)));
        tried.windows(2).find_map(|pair| pair[0].and(pair[1]))
    }

    /// The row of RDA that cannot be kept on the way to a gap and in it.
    fn until(&mut self, t: f64, x: &[f64], gap: f64) -> Option<usize> {
        let [before, within] = [0.5, 1.0].map(|part| self.beyond(t, x, (part * (gap - t), NEAR)));
        before.and(within)
    }

    /// The row with the largest residual at t + ahead, if it cannot be made zero near x.
    fn beyond(&mut self, t: f64, x: &[f64], (ahead, near): (f64, f64)) -> Option<usize> {
        let (rows, q) = (self.layout.rda.rows3, self.layout.x.contact_position);
        let (m, n) = (rows.len(), q.len());
        if m == 0 || n == 0 {
            return None;
        }
        self.x.copy_from_slice(x);
        self.evaluate(t)?;
        // What x_k leaves of the constraints is no matter of time.
        let base = rows.of(&self.rda).to_vec();
        let residual =
            |rda: &[f64]| -> Vec<f64> { rows.of(rda).iter().zip(&base).map(|(r, b)| r - b).collect() };
        self.evaluate(t + ahead)?;
        let mut r = residual(&self.rda);
        let first = norm(&r);
        if first == 0.0 {
            return None;
        }
        let mut svd = Svd::new(m, n);
        let (mut damping, mut round_off) = (1e-3, 0.0);
        let size = 1.0 + q.of(x).iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for _ in 0..ITERATIONS {
            self.linearize(t + ahead)?;
            svd.compute(m, &self.fx.fx[2]).ok()?;
            let largest = svd.singular_values().first().copied().unwrap_or(0.0);
            round_off = ROUND_OFF * largest * size;
            let now = norm(&r);
            let before = self.x.clone();
            let mut better = false;
            for _ in 0..8 {
                let step = damped(&svd, &r, damping * largest * largest);
                q.of_mut(&mut self.x).iter_mut().zip(&step).for_each(|(x, d)| *x += d);
                self.evaluate(t + ahead)?;
                let next = residual(&self.rda);
                if norm(&next) < now {
                    (r, better) = (next, true);
                    damping *= 0.1;
                    break;
                }
                self.x.copy_from_slice(&before);
                damping *= 10.0;
            }
            if norm(&r) <= SOLVED * first {
                let far =
                    q.of(&self.x).iter().zip(q.of(x)).any(|(a, b)| (a - b).abs() > near * (1.0 + b.abs()));
                return far.then_some(rows.start + largest_of(&r));
            }
            // At the smallest residual progress ends.
            if !better || norm(&r) > (1.0 - 1e-9) * now {
                break;
            }
        }
        (norm(&r) > round_off).then(|| rows.start + largest_of(&r))
    }

    /// With nonholonomic constraints: the row that the velocities cannot satisfy.
    fn velocities(&mut self, t: f64, x: &[f64]) -> Option<usize> {
        let (rows, v) = (self.layout.rda.rows2, self.layout.x.v);
        let (m, n) = (rows.len(), v.len());
        if self.layout.dims.nm == 0 || m == 0 || m > n {
            return None;
        }
        self.x.copy_from_slice(x);
        self.linearize(t)?;
        v.of_mut(&mut self.x).fill(0.0);
        self.evaluate(t)?;
        let mut matrix = self.fx.fx[1][..m * n].to_vec();
        let mut b = rows.of(&self.rda).to_vec();
        for (i, b) in b.iter_mut().enumerate() {
            let size = (0..n).map(|j| matrix[i + j * m].powi(2)).sum::<f64>().sqrt();
            if size == 0.0 {
                return None;
            }
            (0..n).for_each(|j| matrix[i + j * m] /= size);
            *b /= size;
        }
        let mut svd = Svd::new(m, n);
        svd.compute(m, &matrix).ok()?;
        let s = svd.singular_values();
        let left = &svd.u()[(m - 1) * m..];
        let share = left.iter().zip(&b).map(|(u, b)| u * b).sum::<f64>().abs();
        let locked = s[m - 1] < RATIO * s[0] && share > SHARE * norm(&b) && norm(&b) > 0.0;
        locked.then(|| rows.start + largest_of(left))
    }
}

/// V (Σ² + μ)⁻¹ Σ Uᵀ r.
fn damped(svd: &Svd, r: &[f64], mu: f64) -> Vec<f64> {
    let (m, n) = svd.shape();
    let mut step = vec![0.0; n];
    for (k, s) in svd.singular_values().iter().enumerate() {
        let along: f64 = svd.u()[k * m..][..m].iter().zip(r).map(|(u, r)| u * r).sum();
        let size = if *s > 0.0 { along * s / (s * s + mu) } else { 0.0 };
        step.iter_mut().enumerate().for_each(|(j, x)| *x += size * svd.vt()[k + j * n]);
    }
    step
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn largest_of(v: &[f64]) -> usize {
    v.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(i, _)| i)
}
