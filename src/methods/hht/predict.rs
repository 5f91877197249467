//! Prediction of the unknowns from the last accepted points, and what Newton's method says of its own increments. Pure.

use crate::methods::save::{require, BadState, Reader, Writer};

/// Points that are kept: the prediction has degree 3 at most.
pub const POINTS: usize = 4;

/// A step is at most this times as long as the distance of the points that it is predicted from.
const FARTHEST: f64 = 10.0;

/// Weights with which the values at `times` give the interpolation polynomial at t: the divided differences of the paper,
/// summed up.
pub fn extrapolation_weights<const N: usize>(times: &[f64], t: f64) -> [f64; N] {
    let mut weights = [0.0; N];
    for (j, (weight, tj)) in weights.iter_mut().zip(times).enumerate() {
        let others = times.iter().enumerate().filter(|(k, _)| *k != j);
        *weight = others.fold(1.0, |w, (_, tk)| w * ((t - tk) / (tj - tk)));
    }
    weights
}

/// The last accepted points, newest first, N at most.
#[derive(Clone, Debug)]
pub struct Points<const N: usize = POINTS> {
    times: [f64; N],
    values: [Vec<f64>; N],
    count: usize,
}

impl<const N: usize> Points<N> {
    /// None yet; vectors of length n.
    pub fn new(n: usize) -> Self {
        Points { times: [0.0; N], values: std::array::from_fn(|_| vec![0.0; n]), count: 0 }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Times, newest first.
    pub fn times(&self) -> &[f64] {
        &self.times[..self.count]
    }

    /// Values at point k, newest first.
    pub fn values(&self, k: usize) -> &[f64] {
        &self.values[k]
    }

    /// Forget all.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Keep the newest only: the next prediction is a constant.
    pub fn keep_newest(&mut self) {
        self.count = self.count.min(1);
    }

    /// Before a step of size h: points that lie too close together to say anything of its end are forgotten but the newest. A step
    /// that was cut to meet an end leaves such.
    pub fn forget_dense(&mut self, h: f64) {
        if self.count > 1 && h > FARTHEST * (self.times[0] - self.times[1]) {
            self.keep_newest();
        }
    }

    /// A new point.
    pub fn push(&mut self, t: f64, y: &[f64]) {
        self.times.rotate_right(1);
        self.values.rotate_right(1);
        self.times[0] = t;
        self.values[0].copy_from_slice(y);
        self.count = (self.count + 1).min(N);
    }

    /// The polynomial through the newest `degree + 1` points, or as many as there are, at t.
    pub fn predict(&self, t: f64, degree: usize, y: &mut [f64]) {
        self.extrapolate(0..self.count.min(degree + 1), t, y);
    }

    /// What would have been predicted for the newest point, from those before it; false if they are too few for this degree.
    pub fn foretell(&self, degree: usize, y: &mut [f64]) -> bool {
        let enough = self.count > degree + 1;
        if enough {
            self.extrapolate(1..degree + 2, self.times[0], y);
        }
        enough
    }

    fn extrapolate(&self, points: std::ops::Range<usize>, t: f64, y: &mut [f64]) {
        let weights = extrapolation_weights::<N>(&self.times[points.clone()], t);
        y.fill(0.0);
        for (values, weight) in self.values[points].iter().zip(weights) {
            y.iter_mut().zip(values).for_each(|(y, v)| *y += weight * v);
        }
    }

    /// Among the parts of a saved state.
    pub fn save(&self, w: &mut Writer) {
        w.reals(self.times());
        (0..self.count).for_each(|k| w.reals(self.values(k)));
    }

    /// Put back; the newest, if one is `needed`, does not lie behind t.
    pub fn restore(&mut self, r: &mut Reader<'_>, t: f64, needed: bool) -> Result<(), BadState> {
        let count = r.index("points", N + 1)?;
        let mut times = vec![0.0; count];
        times.iter_mut().try_for_each(|t| r.finite("points").map(|v| *t = v))?;
        require("points", times.windows(2).all(|pair| pair[0] > pair[1]))?;
        require("points", !needed || times.first().is_some_and(|newest| *newest <= t))?;
        let mut values = vec![vec![0.0; self.values[0].len()]; count];
        values.iter_mut().try_for_each(|v| r.reals("points", v))?;
        self.clear();
        times.iter().zip(&values).rev().for_each(|(t, v)| self.push(*t, v));
        Ok(())
    }
}

/// What Newton's method does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// One more iteration.
    Continue,
    /// Converged.
    Converged,
    /// Converged as far as rounding errors allow.
    AtRoundOff,
    /// Diverges.
    Diverged,
}

/// Increments that stagnate below this multiple of the floor are rounding errors of the model.
const STAGNANT: f64 = 500.0;

/// Judge an iteration whose increment has the size `now`, after one of size `before`: stop if ξ/(1-ξ) ‖d‖ <= `criterion`,
/// the rule (30) of the paper, or at the floor of rounding errors.
pub fn judge(now: f64, before: Option<f64>, criterion: f64, floor: f64) -> Verdict {
    if !now.is_finite() {
        return Verdict::Diverged;
    }
    if now <= floor {
        return Verdict::Converged;
    }
    let Some(before) = before else { return Verdict::Continue };
    let rate = now / before;
    if rate >= 1.0 {
        return if now <= STAGNANT * floor { Verdict::AtRoundOff } else { Verdict::Diverged };
    }
    if rate / (1.0 - rate) * now <= criterion {
        Verdict::Converged
    } else {
        Verdict::Continue
    }
}

/// No better rate of convergence is relied on for what the error test leaves out.
const LEAST_RATE: f64 = 0.01;

/// The same for variables that the error test leaves out, which may jump: with increments of `enough` left, or one so small that its
/// rate need not be known.
pub fn judge_algebraic(now: f64, before: Option<f64>, enough: f64, floor: f64) -> Verdict {
    if now <= LEAST_RATE * enough {
        return Verdict::Converged;
    }
    match judge(now, before.map(|before| before.min(now / LEAST_RATE)), enough, floor) {
        Verdict::Diverged if now <= enough => Verdict::AtRoundOff,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continues_a_cubic() {
        let q = |t: f64| [1.0 - t + 2.0 * t * t - t * t * t, 3.0];
        let mut points = Points::<POINTS>::new(2);
        let mut y = [0.0; 2];
        for (k, t) in [0.0, 0.1, 0.3, 0.35, 0.6].into_iter().enumerate() {
            points.push(t, &q(t));
            assert_eq!(points.count(), (k + 1).min(POINTS));
        }
        points.predict(1.0, 3, &mut y);
        assert!((y[0] - q(1.0)[0]).abs() < 1e-12 && (y[1] - 3.0).abs() < 1e-12, "{y:?}");
        points.predict(1.0, 0, &mut y);
        assert_eq!(y, q(0.6));
        points.forget_dense(2.4);
        assert_eq!(points.count(), POINTS);
        points.forget_dense(2.6);
        assert_eq!(points.count(), 1);
        points.predict(1.0, 3, &mut y);
        assert_eq!(y, q(0.6));
    }

    #[test]
    fn stops_by_the_rate() {
        assert_eq!(judge(1.0, None, 1e-3, 1e-9), Verdict::Continue);
        assert_eq!(judge(0.1, Some(1.0), 1e-3, 1e-9), Verdict::Continue);
        assert_eq!(judge(0.01, Some(1.0), 1e-3, 1e-9), Verdict::Converged);
        assert_eq!(judge(1.0, Some(1.0), 1e-3, 1e-9), Verdict::Diverged);
        assert_eq!(judge(1e-8, Some(1e-8), 1e-12, 1e-9), Verdict::AtRoundOff);
        assert_eq!(judge(1e-10, None, 1e-12, 1e-9), Verdict::Converged);
        assert_eq!(judge(f64::NAN, Some(1.0), 1e-3, 1e-9), Verdict::Diverged);
    }

    #[test]
    fn what_the_error_test_leaves_out_converges_too() {
        assert_eq!(judge_algebraic(1e-3, None, 0.1, 0.0), Verdict::Converged);
        assert_eq!(judge_algebraic(2e-3, None, 0.1, 0.0), Verdict::Continue);
        // No rate below a hundredth is believed.
        assert_eq!(judge_algebraic(9.0, Some(1e9), 0.1, 0.0), Verdict::Converged);
        assert_eq!(judge_algebraic(11.0, Some(1e9), 0.1, 0.0), Verdict::Continue);
        assert_eq!(judge_algebraic(2.0, Some(1.0), 0.1, 0.0), Verdict::Diverged);
        assert_eq!(judge_algebraic(0.05, Some(0.04), 0.1, 0.0), Verdict::AtRoundOff);
        assert_eq!(judge_algebraic(f64::NAN, Some(1.0), 0.1, 1.0), Verdict::Diverged);
    }
}
