//! Convergence monitor of the simplified Newton method (HW II, IV.8; as in RADAU5). Pure: it sees
//! norms of increments and answers what to do.

/// What the monitor says after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// One more iteration.
    Continue,
    /// Converged.
    Converged,
    /// Will not converge in the iterations left; try again with h times this factor.
    Slow {
        /// Factor for the step size.
        factor: f64,
    },
    /// Diverges.
    Diverged,
}

/// Monitor of one Newton iteration.
#[derive(Clone, Copy, Debug)]
pub struct Monitor {
    fnewt: f64,
    nit: u32,
    uround: f64,
    iterations: u32,
    last_norm: f64,
    last_rate: f64,
    /// FACCON = θ/(1-θ), carried over from step to step.
    pub faccon: f64,
    /// Rate of convergence θ.
    pub theta: f64,
}

/// Rate of convergence from which on an iteration counts as divergent.
const DIVERGENT: f64 = 0.99;
/// The FACCON of the last step counts as this at least: it says nothing of how far this step is from linear. FNEWT is about 0.03
/// TOL for all orders, so one iteration suffices only if its increment is within TOL itself.
const INHERITED: f64 = 0.03;
/// One that this step has shown counts as this at least: the first increments of a step exaggerate it.
const SHOWN: f64 = 1e-3;

impl Monitor {
    /// A new iteration; `faccon` is that of the last step (1 in the first), `theta` the value reported if one
    /// iteration suffices.
    pub fn new(nit: u32, fnewt: f64, uround: f64, faccon: f64, theta: f64) -> Self {
        Monitor {
            fnewt,
            nit,
            uround,
            iterations: 0,
            last_norm: 0.0,
            last_rate: 0.0,
            faccon: faccon.max(uround).powf(0.8),
            theta,
        }
    }

    /// Iterations so far (NEWT).
    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Judge the iteration whose increment had the norm `norm`.
    pub fn judge(&mut self, norm: f64) -> Verdict {
        if !norm.is_finite() {
            return Verdict::Diverged;
        }
        self.iterations += 1;
        let newt = self.iterations;
        if newt > 1 && newt < self.nit {
            let rate = norm / self.last_norm;
            self.theta = if newt == 2 { rate } else { (rate * self.last_rate).sqrt() };
            self.last_rate = rate;
            if self.theta >= DIVERGENT {
                return Verdict::Diverged;
            }
            self.faccon = self.theta / (1.0 - self.theta);
            let left = (self.nit - 1 - newt) as i32;
            let expected = self.faccon * norm * self.theta.powi(left) / self.fnewt;
            if expected >= 1.0 {
                let q = expected.clamp(1e-4, 20.0);
                return Verdict::Slow { factor: 0.8 * q.powf(-1.0 / (4.0 + f64::from(left))) };
            }
        }
        self.last_norm = norm.max(self.uround);
        let least = if newt == 1 { INHERITED } else { SHOWN };
        if self.faccon.max(least) * norm <= self.fnewt {
            Verdict::Converged
        } else if newt >= self.nit {
            Verdict::Diverged
        } else {
            Verdict::Continue
        }
    }
}

/// FNEWT: the user's value, or RADAU's max(10·UROUND/RTOL', min(0.03, RTOL'^q)) with q = (s-1)/(s+1), a square root for
/// three stages. Invariants are kept only as
/// well as Newton's method converges, so with them the default is a sixteenth of that: a quarter let the energy of a
/// fast double pendulum go to 33 TOL over 1000 s.
pub fn stopping_criterion(user: Option<f64>, uround: f64, rtol: f64, stages: usize, invariants: bool) -> f64 {
    let power = (stages - 1) as f64 / (stages + 1) as f64;
    let factor = if invariants { 1.0 / 16.0 } else { 1.0 };
    user.unwrap_or_else(|| (10.0 * uround / rtol).max(factor * rtol.powf(power).min(0.03)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rate: f64, first: f64, faccon: f64) -> (Verdict, u32) {
        let mut monitor = Monitor::new(10, 0.01, 1e-16, faccon, 0.001);
        let mut norm = first;
        loop {
            let verdict = monitor.judge(norm);
            if verdict != Verdict::Continue {
                return (verdict, monitor.iterations());
            }
            norm *= rate;
        }
    }

    #[test]
    fn stops_when_the_remaining_error_is_small() {
        // Rate 0.1: error after k iterations is 0.1^(k-1)·0.1/0.9 <= 0.01 for k = 3.
        assert_eq!(run(0.1, 1.0, 1.0), (Verdict::Converged, 3));
        // A small FACCON of the last step ends the iteration at once, if the increment is small, too.
        assert_eq!(run(0.1, 0.3, 1e-4), (Verdict::Converged, 1));
        assert_eq!(run(0.1, 1.0, 1e-4).0, Verdict::Converged);
        assert!(run(0.1, 1.0, 1e-4).1 > 1);
        // A rate that is too good does not make up for a large increment: 1e-6·100 is not believed.
        assert_eq!(run(1e-6, 1e8, 1.0), (Verdict::Converged, 3));
        assert_eq!(run(1e-2, 10.0, 1.0), (Verdict::Converged, 2));
    }

    #[test]
    fn gives_up_early() {
        assert_eq!(run(1.5, 1.0, 1.0), (Verdict::Diverged, 2));
        let (verdict, iterations) = run(0.9, 1.0, 1.0);
        assert!(matches!(verdict, Verdict::Slow { factor } if factor < 0.8) && iterations == 2);
        assert_eq!(Monitor::new(10, 0.01, 1e-16, 1.0, 0.0).judge(f64::NAN), Verdict::Diverged);
    }

    #[test]
    fn default_criterion() {
        assert_eq!(stopping_criterion(Some(0.5), 1e-16, 1e-8, 3, false), 0.5);
        assert!((stopping_criterion(None, 1e-16, 1e-8, 3, false) - 1e-4).abs() < 1e-18);
        assert_eq!(stopping_criterion(None, 1e-16, 0.5, 3, false), 0.03);
        assert!((stopping_criterion(None, 1e-16, 1e-12, 3, false) - 1e-3).abs() < 1e-18);
        // Of seven stages the power is 3/4, and invariants make it a sixteenth.
        assert!((stopping_criterion(None, 1e-16, 1e-8, 7, false) - 1e-6).abs() < 1e-18);
        assert!((stopping_criterion(None, 1e-16, 1e-8, 3, true) - 1e-4 / 16.0).abs() < 1e-18);
    }

    /// The rate of the last step counts with a power below one, and never as none at all.
    #[test]
    fn what_the_last_step_showed_is_forgotten_slowly() {
        let begun = |faccon: f64| Monitor::new(10, 0.01, 1e-10, faccon, 0.001).faccon;
        assert!((begun(1e-5) / 1e-4 - 1.0).abs() < 1e-12 && begun(1.0) == 1.0);
        assert!((begun(0.0) / 1e-8 - 1.0).abs() < 1e-12);
        assert_eq!((begun(-1.0), begun(1e-30)), (begun(0.0), begun(0.0)));
    }

    /// From the third iteration on the rate is the geometric mean of the last two.
    #[test]
    fn rates_are_those_of_the_increments() {
        let mut monitor = Monitor::new(10, 0.01, 1e-16, 1.0, 0.001);
        assert_eq!(monitor.judge(1.0), Verdict::Continue);
        assert_eq!(monitor.judge(0.2), Verdict::Continue);
        assert!((monitor.theta - 0.2).abs() < 1e-15 && (monitor.faccon - 0.25).abs() < 1e-15);
        assert_eq!(monitor.judge(0.02), Verdict::Converged);
        let theta = 0.02f64.sqrt();
        assert!((monitor.theta - theta).abs() < 1e-15);
        assert!((monitor.faccon - theta / (1.0 - theta)).abs() < 1e-15);
        assert_eq!(monitor.iterations(), 3);
    }

    /// With a rate of 1/2 and one iteration left 1·0.5·0.5 is left of the second increment.
    #[test]
    fn a_slow_iteration_says_by_how_much_the_step_is_too_long() {
        let factor = |fnewt: f64| {
            let mut monitor = Monitor::new(4, fnewt, 1e-16, 1.0, 0.001);
            assert_eq!(monitor.judge(1.0), Verdict::Continue);
            monitor.judge(0.5)
        };
        let expected = |q: f64| Verdict::Slow { factor: 0.8 * f64::powf(q, -1.0 / 5.0) };
        assert_eq!(factor(0.1), expected(2.5));
        assert_eq!(factor(0.001), expected(20.0));
        assert_eq!(factor(0.26), Verdict::Continue);
    }

    #[test]
    fn the_last_iteration_converges_or_fails() {
        let mut monitor = Monitor::new(2, 0.01, 1e-16, 1.0, 0.001);
        assert_eq!((monitor.judge(1.0), monitor.judge(0.005)), (Verdict::Continue, Verdict::Converged));
        assert_eq!(monitor.theta, 0.001, "there is none left whose number a rate would tell");
        let mut monitor = Monitor::new(2, 0.01, 1e-16, 1.0, 0.001);
        assert_eq!((monitor.judge(1.0), monitor.judge(0.5)), (Verdict::Continue, Verdict::Diverged));
        let mut monitor = Monitor::new(10, 0.01, 1e-16, 1.0, 0.001);
        assert_eq!((monitor.judge(1.0), monitor.judge(0.995)), (Verdict::Continue, Verdict::Diverged));
    }

    /// An increment of zero is no rate: the next one is compared with the unit of rounding.
    #[test]
    fn a_vanishing_increment_does_not_divide() {
        let mut monitor = Monitor::new(10, 1e-20, 1e-16, 1.0, 0.001);
        assert_eq!(monitor.judge(0.0), Verdict::Converged);
        let verdict = monitor.judge(1e-17);
        assert!((monitor.theta - 0.1).abs() < 1e-12, "{verdict:?} {}", monitor.theta);
    }

    /// The first iteration shows no rate: what was known before counts, and NIT=1 leaves none to show one.
    #[test]
    fn the_first_iteration_shows_no_rate() {
        let mut monitor = Monitor::new(10, 0.01, 1e-16, 1.0, 0.001);
        assert_eq!(monitor.judge(0.05), Verdict::Continue);
        assert_eq!((monitor.faccon, monitor.theta), (1.0, 0.001));
        assert_eq!(Monitor::new(1, 0.01, 1e-16, 1.0, 0.001).judge(0.05), Verdict::Diverged);
    }
}
