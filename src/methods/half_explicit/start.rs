//! The first step size, where the user gave none (HNW I, II.4).

use super::*;
use crate::methods::plan;
use crate::norm::weighted_rms;

impl HalfExplicit {
    /// A hundredth of the time in which y changes by its own size; then, with a second derivative from an Euler step of that
    /// size, the step for which h^order max(|y'|, |y''|) is a hundredth.
    pub(super) fn first_step(&mut self, system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        let span = (tend - self.state.t).min(self.options.hmax.unwrap_or(f64::INFINITY));
        match self.begin_step(system, 1e-3 * span) {
            Ok(()) => {}
            Err(Setback::Fatal(failure)) => return Err(*failure),
            Err(Setback::Reject { .. }) => {
                // If the model cannot be evaluated the first step will say so.
                self.state.h = (1e-6 * span).max(plan::least_first_step(&self.options, self.state.t, span));
                return Ok(());
            }
        }
        let nd = self.y.len();
        for (i, s) in self.scal.iter_mut().enumerate() {
            *s = self.atol[i] + self.rtol[i] * self.y[i].abs();
        }
        let (size, rate) = (weighted_rms(&self.y, &self.scal), weighted_rms(&self.k[..nd], &self.scal));
        let guess = if size <= 1e-5 || rate <= 1e-5 { 1e-6 * span } else { (0.01 * size / rate).min(span) };
        let curvature = self.curvature(system, guess)?;
        let largest = rate.max(curvature);
        let order = 1.0 / f64::from(self.tableau.order);
        let next = if largest <= 1e-15 { 1e-3 * guess } else { (0.01 / largest).powf(order) };
        let least = plan::least_first_step(&self.options, self.state.t, span);
        self.state.h = next.min(100.0 * guess).min(span).max(least);
        Ok(())
    }

    /// |y''| from an Euler step; none if the model cannot be evaluated there.
    fn curvature(&mut self, system: &mut dyn System, h: f64) -> Result<f64, Failure> {
        let nd = self.y.len();
        match self.rate_of_stage(system, h, 1, &[self.tableau.c[1]]) {
            Ok(()) => {
                let (first, second) = self.k[..2 * nd].split_at(nd);
                self.error.iter_mut().zip(first.iter().zip(second)).for_each(|(e, (a, b))| *e = b - a);
                Ok(weighted_rms(&self.error, &self.scal) / (self.tableau.c[1] * h))
            }
            Err(Setback::Fatal(failure)) => Err(*failure),
            Err(Setback::Reject { .. }) => Ok(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};
    use crate::mechanism::dual::Real;
    use crate::mechanism::{self, Blocks, Mechanism, Model};

    /// v' = a, p' = v.
    #[derive(Clone)]
    struct Pushed(f64);
    impl Mechanism for Pushed {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 1, nv: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(1.0);
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[0] = T::real(self.0);
        }
    }

    #[test]
    fn the_first_step_follows_rates_and_their_change() {
        let first = |a: f64, x: [f64; 2]| {
            let layout = Layout::new(Pushed(a).dimensions(), Form::StrangenessFree);
            let presented = mechanism::Options::new(Form::StrangenessFree, true);
            let mut system = Model::new(Pushed(a), presented, 0.0, &x);
            let (options, tolerance) = (Options::of_call(), Tolerance::scalar(1e-3, 1e-3));
            let mut method = HalfExplicit::new(&layout, &options, &tolerance, true, (0.0, &x, 0.0));
            method.first_step(&mut system, 50.0).expect("values");
            method.state.h
        };
        let close = |h: f64, expected: f64| assert!((h / expected - 1.0).abs() < 1e-9, "{h} for {expected}");
        // The change of p' is a, in units of 1e-3.
        close(first(100.0, [20.0, 0.0]), (0.01 * 2f64.sqrt() / 1e5).powf(0.2));
        // p' is 20 in units of 1e-3·(1 + 9).
        close(first(0.0, [20.0, 9.0]), (0.01 * 2f64.sqrt() / 2e3).powf(0.2));
        // A hundred times what lets v change by a hundredth: the rates are 100 in units of 0.00101 and 0.01 in units of 0.001.
        close(first(100.0, [0.01, 0.0]), (0.01 / 0.00101) / (100f64 / 0.00101).hypot(10.0));
        // At rest: a thousandth of a millionth of the interval.
        close(first(0.0, [0.0, 9.0]), 1e-9 * 50.0);
    }
}
