//! Rates of rows of EOM in time, by differences: what ∂/∂t contributes to the constraints on acceleration level where the model
//! does not say it.
//!
//! Times near t are ε|t| apart, and a model computes with a t that is rounded so: a difference of width δ carries the noise
//! ε|t|/δ times the rate, however smooth the model. Near t = 0 a narrow central difference serves. Far from it δ has to be as
//! wide as the motion allows, which only the step size tells, and the error δ² of a wide difference is removed by
//! extrapolation (Ridders 1982).

use super::{Result, Trouble};
use crate::layout::Block;

/// Noise of a narrow difference, relative to the rate, up to which it is taken.
const NOISE: f64 = 4e-8;
/// Differences are extrapolated from three widths.
const WIDTHS: usize = 3;
/// A further width is not tried once the estimated error, relative to the rate, is below this.
const ENOUGH: f64 = 1e-10;

/// How wide a difference may be.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The width near t = 0.
    pub narrow: f64,
    /// A time over which the rows are smooth: the step size.
    pub smooth: f64,
    /// Widths beyond `smooth` that are tried far from t = 0, each twice the last, as long as the result improves.
    pub further: usize,
}

/// Work space.
#[derive(Clone, Debug)]
pub struct TimeRate {
    later: Vec<f64>,
    earlier: Vec<f64>,
    /// The last difference, and its extrapolations.
    table: [Vec<f64>; WIDTHS],
    /// The rates, where they were asked for.
    pub rate: Vec<f64>,
}

impl TimeRate {
    /// For vectors of m rows.
    pub fn new(m: usize) -> Self {
        let zero = || vec![0.0; m];
        TimeRate { later: zero(), earlier: zero(), table: [zero(), zero(), zero()], rate: zero() }
    }

    /// Rates at t of some rows, into `rate`; `base` holds all rows at t. `rows_at` gives them at t plus an offset.
    pub fn evaluate(
        &mut self,
        (t, base): (f64, &[f64]),
        rows: Block,
        span: Span,
        mut rows_at: impl FnMut(f64, &mut [f64]) -> Result,
    ) -> Result {
        rows.of_mut(&mut self.rate).fill(0.0);
        if span.narrow <= 0.0 || rows.is_empty() {
            return Ok(());
        }
        if f64::EPSILON * t.abs() <= NOISE * span.narrow {
            self.difference((t, base), span.narrow, &mut rows_at)?;
            rows.range().for_each(|i| self.rate[i] = self.later[i]);
            return Ok(());
        }
        self.evaluate_far((t, base), rows, span, &mut rows_at)
    }

    /// The same far from t = 0: wide differences, extrapolated.
    fn evaluate_far(
        &mut self,
        (t, base): (f64, &[f64]),
        rows: Block,
        span: Span,
        rows_at: &mut impl FnMut(f64, &mut [f64]) -> Result,
    ) -> Result {
        let (mut width, mut best) = (first_width(t, span.smooth), f64::INFINITY);
        for k in 0..WIDTHS + span.further {
            let symmetric = self.difference((t, base), width, rows_at)?;
            if k == 0 && rows.of(&self.later).iter().all(|rate| *rate == 0.0) {
                // Nothing depends on time.
                return Ok(());
            }
            let (error, size) = self.extrapolate(rows, k, if symmetric { 4.0 } else { 2.0 });
            // Agreement by chance does not count for more than what the times resolve.
            let error = error.max(f64::EPSILON * t.abs() / width * size);
            if k + 1 >= WIDTHS {
                if error >= best {
                    break;
                }
                rows.of_mut(&mut self.rate).copy_from_slice(rows.of(&self.table[WIDTHS - 1]));
                best = error;
                if error <= ENOUGH * size {
                    break;
                }
            }
            width *= 2.0;
        }
        Ok(())
    }

    /// The difference over t ± width, in `later`; false if it looks to one side only, because the model begins or ends at t.
    fn difference(
        &mut self,
        (t, base): (f64, &[f64]),
        width: f64,
        rows_at: &mut impl FnMut(f64, &mut [f64]) -> Result,
    ) -> Result<bool> {
        let (up, down) = (t + width, t - width);
        let ahead = rows_at(up - t, &mut self.later);
        let (symmetric, span) = match (&ahead, rows_at(down - t, &mut self.earlier)) {
            (Ok(()), Ok(())) => (true, up - down),
            (Err(stop @ Trouble::Stop { .. }), _) => return Err(*stop),
            (_, Err(stop @ Trouble::Stop { .. })) => return Err(stop),
            (Ok(()), Err(_)) => {
                self.earlier.copy_from_slice(base);
                (false, up - t)
            }
            (Err(_), Ok(())) => {
                self.later.copy_from_slice(base);
                (false, t - down)
            }
            (Err(_), Err(_)) => return ahead.map(|()| false),
        };
        self.later
            .iter_mut()
            .zip(&self.earlier)
            .for_each(|(later, earlier)| *later = (*later - earlier) / span);
        Ok(symmetric)
    }

    /// Take the difference of twice the last width into the table: the error falls by `ratio` with half the width, that of the
    /// next column by its square. Gives the change that the last column made, and the largest rate.
    fn extrapolate(&mut self, rows: Block, k: usize, ratio: f64) -> (f64, f64) {
        let (mut change, mut size) = (0.0f64, 0.0f64);
        for i in rows.range() {
            let mut new = self.later[i];
            size = size.max(new.abs());
            let mut factor = ratio;
            for (j, column) in self.table.iter_mut().enumerate().take(k + 1) {
                let narrower = std::mem::replace(&mut column[i], new);
                if j < WIDTHS - 1 && j < k {
                    let better = (factor * narrower - new) / (factor - 1.0);
                    if j == WIDTHS - 2 {
                        change = change.max((better - new).abs());
                    }
                    new = better;
                    factor *= ratio;
                }
            }
        }
        (change, size)
    }
}

/// A quarter of the smooth time, as a power of two and not below the distance of times: t ± 2ᵏ is exact.
fn first_width(t: f64, smooth: f64) -> f64 {
    let power = |v: f64| v.log2().floor().exp2();
    power(0.25 * smooth).max(power(t.abs()) * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    fn rate(t: f64, smooth: f64, further: usize, f: impl Fn(f64) -> f64) -> (f64, u32) {
        let (mut rates, mut calls) = (TimeRate::new(1), 0);
        let span = Span { narrow: 1e-5 * smooth, smooth, further };
        let rows = Block { start: 0, end: 1 };
        let at = |offset: f64, out: &mut [f64]| {
            calls += 1;
            out[0] = f(t + offset);
            Ok(())
        };
        assert!(rates.evaluate((t, &[f(t)]), rows, span, at).is_ok());
        (rates.rate[0], calls)
    }

    /// d/dt sin 3t, whose argument is rounded as t is.
    #[test]
    fn noise_grows_only_as_times_are_rounded() {
        for t in [0.0f64, 1.0, 1e3, 1e5, 1e7, 1e9, -1e8] {
            let exact = 3.0 * (3.0 * t).cos();
            let resolved = f64::EPSILON * t.abs();
            for (smooth, further, slack) in [(0.1, 0, 60.0 / 0.1), (0.1, 6, 300.0), (1e-4, 30, 300.0)] {
                let (found, calls) = rate(t, smooth, further, |t| (3.0 * t).sin());
                let allowed = 2e-7 + slack * resolved;
                assert!(
                    (found - exact).abs() < allowed,
                    "t = {t:e}, {smooth}: {found} for {exact}, {calls} calls"
                );
                assert!(calls <= 6 + 2 * further as u32);
            }
        }
    }

    #[test]
    fn constants_cost_two_evaluations() {
        assert_eq!(rate(1e8, 0.1, 9, |_| 0.3), (0.0, 2));
        assert_eq!(rate(0.0, 0.1, 9, |_| 0.3), (0.0, 2));
    }

    #[test]
    fn a_model_that_begins_or_ends_at_t_is_looked_at_from_there() {
        let code = Code::StoppedByEom;
        for (t, allowed, side, trouble) in [
            (0.0, 1e-5, -1.0, Trouble::Retry { code }),
            (1e8, 1e-3, -1.0, Trouble::NotFinite { code }),
            (0.0, 1e-5, 1.0, Trouble::NotFinite { code }),
            (1e8, 1e-3, 1.0, Trouble::Retry { code }),
        ] {
            let mut rates = TimeRate::new(1);
            let span = Span { narrow: 1e-6, smooth: 0.1, further: 4 };
            let rows = Block { start: 0, end: 1 };
            let at = |offset: f64, out: &mut [f64]| {
                out[0] = (offset * 2.0).exp();
                if offset * side > 0.0 {
                    Err(trouble)
                } else {
                    Ok(())
                }
            };
            assert!(rates.evaluate((t, &[1.0]), rows, span, at).is_ok());
            assert!((rates.rate[0] - 2.0).abs() < allowed, "{}", rates.rate[0]);
        }
    }
}
