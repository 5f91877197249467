//! Observed order of convergence with constant steps, one study for all methods.

use crate::trial::{blocks, distance, problem};
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::methods::Maker;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::Solver;

/// A block of x and the range of its order.
pub type Expected = (&'static str, f64, f64);

/// A series of runs with constant steps, each with more steps than the one before.
#[derive(Clone, Copy)]
pub struct Study {
    /// The problem.
    pub problem: &'static str,
    /// Formulation.
    pub form: Form,
    /// End.
    pub tend: f64,
    /// Steps of the first run.
    pub first: u32,
    /// Number of runs.
    pub runs: u32,
    /// Times as many steps as in the run before.
    pub times: u32,
    /// RTOL and ATOL: how accurately equations are solved, and what some methods choose their order by.
    pub tol: f64,
    /// Relative increments at which Newton's method of Radau IIA stops; 0: the default.
    pub increment: f64,
    /// Errors at the end only; otherwise the largest over all points where a closed form is known.
    pub at_end: bool,
    /// Slopes from errors below this are rounding.
    pub floor: f64,
    /// What has to be seen.
    pub expected: &'static [Expected],
    /// Other options.
    pub change: fn(&mut Options),
}

impl Study {
    /// Four runs, each with half the step size of the one before, equations solved to round-off.
    pub const fn new(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Self {
        Study {
            problem,
            form: Form::StrangenessFree,
            tend,
            first,
            runs: 4,
            times: 2,
            tol: 1e-13,
            increment: 0.0,
            at_end: true,
            floor: 0.0,
            expected,
            change: |_| {},
        }
    }

    /// The options of its runs, from those of the method.
    fn options(&self, method: &Options) -> Options {
        let problem = problem(self.problem);
        let mut options = Options {
            form: self.form,
            mass: problem.mass,
            fixed_step: true,
            consistent: true,
            nmax: 10_000_000,
            nit: 200,
            ..method.clone()
        };
        if problem.redundant {
            options.decompose_constraints = DecompositionKind::Svd;
        }
        if self.increment > 0.0 {
            options.fnewt = Some(self.increment / (0.1 * self.tol.powf(2.0 / 3.0)));
        }
        (self.change)(&mut options);
        options
    }

    /// Error of each block in each run.
    #[allow(clippy::expect_used)] // a study that cannot be made has failed
    pub fn errors(&self, make: Maker, method: &Options) -> Vec<(&'static str, Vec<f64>)> {
        let mut problem = problem(self.problem);
        problem.tend = self.tend;
        let layout = problem.layout(self.form);
        let options = self.options(method);
        let tolerance = Tolerance::scalar(self.tol, self.tol);
        let mut table: Vec<_> = blocks(&layout).iter().map(|b| (b.0, Vec::new())).collect();
        for k in 0..self.runs {
            let steps = self.first * self.times.pow(k);
            let mut worst = vec![0.0; table.len()];
            let mut compare = |x: &[f64], reference: &[f64]| {
                for (w, (_, block)) in worst.iter_mut().zip(blocks(&layout)) {
                    *w = f64::max(*w, distance(block, x, reference));
                }
            };
            let mut system = problem.system(self.form, true);
            let start = (problem.t0, &problem.x0[..], (self.tend - problem.t0) / f64::from(steps));
            let mut solver =
                Solver::start_with(make, &mut *system, &options, &tolerance, start).expect(self.problem);
            let mut look = |step: &geoms::system::AcceptedStep<'_>| {
                if let (Some(exact), false) = (&problem.exact, self.at_end) {
                    compare(step.x, &exact(step.t));
                }
                geoms::system::Outcome::Continue
            };
            solver.integrate(&mut *system, Some(&mut look), None, self.tend).expect(self.problem);
            assert_eq!(solver.stats().naccpt, u64::from(steps), "{}", self.problem);
            if problem.exact.is_none() || self.at_end {
                let mut reference = solver.x().to_vec();
                let known = problem.at_end().expect("a solution at the end");
                known.into_iter().for_each(|(i, value)| reference[i] = value);
                compare(solver.x(), &reference);
            }
            table.iter_mut().zip(worst).for_each(|(row, w)| row.1.push(w));
        }
        table
    }

    /// Measure, print, and compare every slope of the blocks that are expected with its range.
    pub fn check(&self, make: Maker, method: &Options) {
        judge(&format!("{} {:?}", self.problem, self.form), &self.errors(make, method), self);
    }
}

/// Print the slopes and compare them with what is expected.
pub fn judge(name: &str, table: &[(&str, Vec<f64>)], study: &Study) {
    let mut seen = 0;
    for (block, errors) in table {
        let slope = |e: &[f64]| (e[0] / e[1]).ln() / f64::from(study.times).ln();
        let slopes: Vec<(f64, f64)> = errors.windows(2).map(|e| (e[0], slope(e))).collect();
        let columns: String = errors.iter().map(|e| format!("{e:9.1e}")).collect();
        let orders: String = slopes.iter().map(|s| format!("{:6.2}", s.1)).collect();
        println!("{name:40} {block:7} {columns} |{orders}");
        let Some((_, low, high)) = study.expected.iter().find(|e| e.0 == *block) else { continue };
        for (_, slope) in slopes.iter().filter(|(error, _)| *error > study.floor) {
            seen += 1;
            assert!((*low..=*high).contains(slope), "{name} {block}: order {slope:.2}");
        }
    }
    for (block, ..) in study.expected {
        assert!(table.iter().any(|row| row.0 == *block), "{name}: no block {block}");
    }
    assert!(seen > 0 || study.expected.is_empty(), "{name}: nothing but rounding");
}
