//! What a step misses of p' = Zv. In the directions that constraints determine, the equations of a step do not ask for it: a driven
//! mechanism satisfies its constraints after any step, on any of their branches, and an error test of the free directions has nothing to
//! say. Where free directions limit the steps, less than a tolerance is missed.

/// So many tolerances may be missed ...
const TOLERANCES: f64 = 10.0;
/// ... and below this part of them the step size is what it was.
const FELT: f64 = 0.3;
/// Without the rates of p': the part of the way that the trapezoidal rule may miss.
const PART_OF_THE_WAY: f64 = 0.25;

/// The error norm of a step that misses so many tolerances.
pub fn felt(err: f64, missed: f64) -> f64 {
    let missed = missed / TOLERANCES;
    if missed > FELT {
        err.max(missed)
    } else {
        err
    }
}

/// Both ends of a step: p, p' and, if they are known, the rates of p'.
pub struct Ends<'a> {
    pub p: [&'a [f64]; 2],
    pub rates: [&'a [f64]; 2],
    pub bend: Option<[&'a [f64]; 2]>,
}

impl Ends<'_> {
    /// The rms norm of p beside the integral of its rates: by the trapezoidal rule with the correction of Euler and Maclaurin.
    pub fn missed(&self, h: f64, weight: impl Fn(usize) -> f64) -> f64 {
        let n = self.p[0].len();
        let of = |i: usize| {
            let [r0, r1] = self.rates.map(|r| r[i]);
            let missed = self.p[1][i] - self.p[0][i] - 0.5 * h * (r0 + r1);
            let missed = match self.bend {
                Some([b0, b1]) => missed + h * h / 12.0 * (b1[i] - b0[i]),
                None => (missed.abs() - 0.5 * PART_OF_THE_WAY * h * (r0.abs() + r1.abs())).max(0.0),
            };
            (missed / weight(i)).powi(2)
        };
        ((0..n).map(of).sum::<f64>() / n.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quartic_is_met_and_a_jump_is_missed() {
        let p = |t: f64| t * t * t * t - t;
        let (rate, bend) = (|t: f64| 4.0 * t * t * t - 1.0, |t: f64| 12.0 * t * t);
        let (t, h) = (0.5, 0.25);
        for (jump, known) in [(0.0, true), (0.0, false), (-3.0, true), (-3.0, false)] {
            let (p, rates) = ([[p(t)], [p(t + h) + jump]], [[rate(t)], [rate(t + h)]]);
            let bends = [[bend(t)], [bend(t + h)]];
            let ends = Ends {
                p: [&p[0], &p[1]],
                rates: [&rates[0], &rates[1]],
                bend: known.then_some([&bends[0], &bends[1]]),
            };
            let missed = ends.missed(h, |_| 0.5);
            let way = if known { 0.0 } else { 0.125 * h * (rates[0][0].abs() + rates[1][0].abs()) };
            assert!((missed - (2.0 * f64::abs(jump) - 2.0 * way).max(0.0)).abs() < 0.05, "{jump} {missed}");
        }
    }

    #[test]
    fn little_is_not_felt() {
        assert_eq!(felt(0.125, 2.5), 0.125);
        assert_eq!(felt(0.125, 5.0), 0.5);
        assert_eq!(felt(0.75, 5.0), 0.75);
    }
}
