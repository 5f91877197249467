//! Consistent initial values (GEINIVAL): all constraints of (10) together with the user's conditions IVCOND,
//! solved by a damped Gauss-Newton method whose SVD also tells what is wrong.
//!
//! The invariants e are not imposed. With FORM=1 there are no equations for λ and μ: they stay as given.
//! Unknowns are measured in D_j = |x_j| + ATOL_j/RTOL_j and rows are scaled to unit size, so one
//! tolerance serves residuals and corrections. This is a cold path: it allocates, and uses ndarray.

mod left_by_hht;
mod scaled;
mod verdict;

use crate::error::{Code, Failure, Result};
use crate::layout::{Block, Form, Layout, Name};
use crate::model::{self, all_finite, Calls, Derivatives, Trouble};
use crate::newton::stopping_criterion;
use crate::norm::Scaling;
use crate::options::{BadOption, MethodKind, Options};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, Outcome, System};
use ndarray::{Array1, Array2};
use scaled::{decompose, Scaled};
use std::ops::Range;

/// Iterations after which the correction counts as not convergent.
const MAX_ITERATIONS: usize = 50;
/// Halvings of one correction.
const MAX_HALVINGS: usize = 10;

/// A guess beside the one given, in D.
const BESIDE: f64 = 1e-3;

/// Conditions that a system may have, whatever its size.
const MANY_CONDITIONS: usize = 1000;
/// Or so many for each variable: more than one can be of use only where they depend on each other.
const CONDITIONS_PER_VARIABLE: usize = 10;
/// Rows of a matrix whose square can be counted in the INTEGER of LAPACK, 32 bits with a sign.
const MOST_ROWS: usize = 46_340;

/// Refuse a number of conditions that cannot be meant, under the name that the caller has for it.
pub fn check_conditions(layout: &Layout, name: &str, count: usize) -> Result<(), BadOption> {
    let most = MANY_CONDITIONS.max(CONDITIONS_PER_VARIABLE.saturating_mul(layout.n));
    let most = most.min(MOST_ROWS.saturating_sub(layout.m));
    if count <= most {
        return Ok(());
    }
    Err(BadOption::new(name, count, format_args!("0 <= {name} <= {most} for N = {}", layout.n)))
}

/// Memory for the decomposition of so many rows, or a code.
fn check_room(rows: usize, columns: usize) -> Result {
    let numbers = rows.saturating_mul(rows).saturating_add(rows.saturating_mul(columns).saturating_mul(4));
    Vec::<f64>::new().try_reserve_exact(numbers).map_err(|_| {
        let detail = format!("{numbers} numbers needed for {rows} equations of the initial values");
        Failure::new(Code::OutOfMemory, detail)
    })
}

/// Check x for consistency and correct it if necessary and possible. On failure x is unchanged.
pub fn make_consistent(
    system: &mut dyn System,
    layout: &Layout,
    options: &Options,
    scaling: &Scaling,
    t: f64,
    x: &mut [f64],
    stats: &mut Stats,
) -> Result {
    let conditions = system.initial_condition_count();
    check_conditions(layout, "NIVCOND", conditions)?;
    check_room(layout.m + conditions, layout.n)?;
    let of = (layout, options, scaling);
    let solved = Consistency::new(system, of, (t, x)).run(x, stats, Consistency::solve);
    let own = |refusal: &Failure| {
        options.method == MethodKind::Hht && refusal.code == Code::InconsistentInitialValues
    };
    match solved {
        Err(refusal) if own(&refusal) => left_by_hht::settle(system, of, (t, x), stats).or(Err(refusal)),
        solved => solved,
    }
}

/// Move x to a consistent point nearby, level by level: the smallest correction, in units of ATOL/RTOL, of s and p that satisfies c and g,
/// then of v for gI and h, then of w, λ and μ for d, gII and hI. So positions and velocities that fit stay, and
/// multipliers follow from them. Conditions are not asked for. On failure x is unchanged.
pub fn move_to_constraints(
    system: &mut dyn System,
    layout: &Layout,
    options: &Options,
    scaling: &Scaling,
    t: f64,
    x: &mut [f64],
    stats: &mut Stats,
) -> Result {
    approach_levels(system, (layout, options, scaling), (t, x), &levels(layout), stats)
}

/// Positions, velocities, accelerations: rows, and the unknowns that satisfy them.
fn levels(l: &Layout) -> [(Range<usize>, Block); 3] {
    let free = if l.form == Form::Index1 { l.x.w } else { l.x.algebraic };
    let velocity = l.rda.g_velocity.start..l.rda.h.end;
    [(l.rda.rows3.range(), l.x.contact_position), (velocity, l.x.v), (l.rda.rows1.range(), free)]
}

/// The smallest corrections that satisfy some rows by some unknowns, one after the other.
fn approach_levels(
    system: &mut dyn System,
    of: (&Layout, &Options, &Scaling),
    (t, x): (f64, &mut [f64]),
    levels: &[(Range<usize>, Block)],
    stats: &mut Stats,
) -> Result {
    let mut problem = Consistency::new(system, of, (t, x));
    problem.conditions = 0;
    problem.run(x, stats, |problem, y| {
        for (rows, unknowns) in levels.iter().filter(|level| !level.0.is_empty()) {
            problem.rows = rows.clone().collect();
            problem.unknowns = unknowns.range().collect();
            // In one measure for all, or a component that is zero would hardly change.
            let typical = &problem.scaling.typical;
            let of = |j: usize| y[j].abs() / typical[j];
            let top = unknowns.range().map(of).fold(0.0, f64::max);
            for j in unknowns.range() {
                problem.size[j] = (1.0 + top) * typical[j];
            }
            problem.approach(y)?;
        }
        Ok(())
    })
}

/// w, λ and μ that belong to p and v at t, by the rows d, gII and hI. On failure x is unchanged.
pub fn settle_multipliers(
    system: &mut dyn System,
    layout: &Layout,
    options: &Options,
    scaling: &Scaling,
    t: f64,
    x: &mut [f64],
    stats: &mut Stats,
) -> Result {
    let levels = [(layout.rda.rows1.range(), layout.x.algebraic)];
    approach_levels(system, (layout, options, scaling), (t, x), &levels, stats)
}

/// Why the correction ended.
struct Stopped {
    failure: Box<Failure>,
    /// The model could not be evaluated at this point, but may be at another.
    only_here: bool,
}

impl Stopped {
    /// A function of the model asked for it.
    fn by_model(&self) -> bool {
        use Code::{ContradictoryConditions, InitialValuesDiverge, SvdInInitialValues};
        let of_values = [ContradictoryConditions, InitialValuesDiverge, SvdInInitialValues];
        !self.only_here && !of_values.contains(&self.failure.code)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped { failure: Box::new(failure), only_here: false }
    }
}

/// One linearised system, decomposed.
struct Linear {
    /// Correction of the unknowns.
    correction: Vec<f64>,
    /// Its size in units of the internal tolerance.
    size: f64,
    /// What no correction can remove, per row, in units of the internal tolerance.
    leftover: Vec<f64>,
    /// A variable that neither constraints nor conditions determine.
    undetermined: Option<usize>,
    /// More independent-looking rows than the rank.
    overdetermined: bool,
    rank: usize,
}

struct Consistency<'a> {
    system: &'a mut dyn System,
    layout: Layout,
    scaling: &'a Scaling,
    fnewt: f64,
    t: f64,
    analytic: bool,
    /// Rows of RDA that are imposed.
    rows: Vec<usize>,
    /// Components of x that may be changed.
    unknowns: Vec<usize>,
    conditions: usize,
    /// D_j.
    size: Vec<f64>,
    rda: Vec<f64>,
    fx: JacobianBlocks,
    derivatives: Derivatives,
    calls: u64,
}

impl<'a> Consistency<'a> {
    fn new(
        system: &'a mut dyn System,
        (layout, options, scaling): (&Layout, &Options, &'a Scaling),
        (t, x): (f64, &[f64]),
    ) -> Self {
        let (l, analytic) = (*layout, system.has_jacobian());
        let rows = l.rda.rows1.range().chain(l.rda.g_velocity.start..l.rda.h.end).chain(l.rda.rows3.range());
        let fixed = |i: &usize| l.form == Form::Index1 && l.x.multipliers.contains(*i);
        Consistency {
            analytic,
            conditions: system.initial_condition_count(),
            system,
            layout: l,
            scaling,
            fnewt: stopping_criterion(options.fnewt, options.uround, scaling.rtol_first, 3, false),
            t,
            rows: rows.collect(),
            unknowns: (0..l.n).filter(|i| !fixed(i)).collect(),
            size: x.iter().zip(&scaling.typical).map(|(x, typical)| x.abs() + typical).collect(),
            rda: vec![0.0; l.m],
            fx: JacobianBlocks::new(layout),
            derivatives: Derivatives::of_rows(layout, analytic, true, scaling.typical.clone())
                .reporting(Code::StoppedByEomInInitialValues),
            calls: 0,
        }
    }

    /// Solve for y from x on; what is found becomes x.
    fn run(
        mut self,
        x: &mut [f64],
        stats: &mut Stats,
        solve: impl FnOnce(&mut Self, &mut [f64]) -> Result<(), Stopped>,
    ) -> Result {
        let mut y = x.to_vec();
        let result = solve(&mut self, &mut y);
        stats.eom_for_initial_values += self.calls;
        result.map_err(|stopped| stopped.failure.at(self.t, 0.0))?;
        x.copy_from_slice(&y);
        Ok(())
    }

    /// The smallest correction, whatever is left undetermined; the equations at the point that it reaches.
    fn approach(&mut self, y: &mut [f64]) -> Result<Linear, Stopped> {
        let residual = self.residual(y)?;
        let first = self.linearize(y, &residual)?;
        self.iterate(y, residual, first)
    }

    fn solve(&mut self, y: &mut [f64]) -> Result<(), Stopped> {
        let residual = self.residual(y)?;
        let equations = self.scale(y, &residual)?;
        let small = 0.5 * self.fnewt * self.scaling.rtol_first;
        if self.conditions == 0 && equations.clearly_hold(small, self.analytic) {
            return Ok(());
        }
        let first = self.decompose(&equations)?;
        if first.undetermined.is_some() {
            return self.go_on(y, residual, first);
        }
        if first.size <= self.fnewt && largest(&first.leftover).1 <= 1.0 {
            return Ok(());
        }
        self.iterate(y, residual, first).map(drop)
    }

    /// Where equations are missing at the guess, they may be missing there alone: a pendulum that hangs has v_y from its constraint
    /// and v_x from nothing. Refused is what is not determined at the point that is reached either, from the guess or from beside it.
    fn go_on(&mut self, y: &mut [f64], residual: Vec<f64>, first: Linear) -> Result<(), Stopped> {
        let Err(refusal) = self.check_only(&first, &residual) else { return Ok(()) };
        if self.conditions > 0 {
            let guess = y.to_vec();
            for away in [0.0, BESIDE] {
                for &j in &self.unknowns {
                    y[j] = guess[j] + away * self.size[j] * (1.0 + (j as f64).sin());
                }
                match self.approach(y) {
                    Ok(reached) if reached.undetermined.is_none() => return Ok(()),
                    Err(stopped) if stopped.by_model() => return Err(stopped),
                    _ => {}
                }
            }
        }
        Err(refusal.into())
    }

    /// Gauss-Newton until the correction is small, and once more; the equations there.
    fn iterate(
        &mut self,
        y: &mut [f64],
        mut residual: Vec<f64>,
        mut linear: Linear,
    ) -> Result<Linear, Stopped> {
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let stagnates = linear.size > 0.5 * last;
            let done = linear.size <= self.fnewt || stagnates && self.size_at(y, &linear) <= self.fnewt;
            last = linear.size;
            residual = self.damped_step(y, &linear, &residual)?;
            linear = self.linearize(y, &residual)?;
            if done {
                self.check_leftover(&linear)?;
                return Ok(linear);
            }
        }
        // A least-squares iteration that crawls has met a contradiction.
        let code =
            if linear.overdetermined { Code::ContradictoryConditions } else { Code::InitialValuesDiverge };
        let row = largest(&linear.leftover).0;
        let detail =
            format!("{MAX_ITERATIONS} iterations, last correction {:.2e} times the tolerance", linear.size);
        Err(Failure::new(code, detail).about(self.row_name(row)).into())
    }

    /// Size of the correction beside y as it is now: multipliers that began at zero may have grown far beyond D, and their rounding
    /// errors with them.
    fn size_at(&self, y: &[f64], linear: &Linear) -> f64 {
        let relative = |&j: &usize| linear.correction[j] / self.size[j].max(y[j].abs());
        let sum: f64 = self.unknowns.iter().map(|j| relative(j).powi(2)).sum();
        (sum / self.unknowns.len() as f64).sqrt() / self.scaling.rtol_first
    }

    /// y += factor·correction with the largest factor 1, 1/2, 1/4 ... that does not enlarge the residual much.
    fn damped_step(&mut self, y: &mut [f64], linear: &Linear, residual: &[f64]) -> Result<Vec<f64>, Stopped> {
        let old = norm(residual);
        let mut factor = 1.0;
        let start = y.to_vec();
        for halving in 0..=MAX_HALVINGS {
            for (y, (s, c)) in y.iter_mut().zip(start.iter().zip(&linear.correction)) {
                *y = s + factor * c;
            }
            match self.residual(y) {
                Ok(new) if norm(&new) <= 2.0 * old || halving == MAX_HALVINGS || linear.size < 1.0 => {
                    return Ok(new);
                }
                Err(stopped) if halving == MAX_HALVINGS || !stopped.only_here => return Err(stopped),
                _ => factor *= 0.5,
            }
        }
        Ok(residual.to_vec())
    }

    /// Residuals of the constraints, then of the conditions.
    fn residual(&mut self, y: &[f64]) -> Result<Vec<f64>, Stopped> {
        self.calls += 1;
        let code = Code::StoppedByEomInInitialValues;
        let evaluated = model::eom(self.system, code, self.t, y, &mut self.rda);
        evaluated.map_err(|trouble| self.name_row(trouble, explain(trouble, code)))?;
        let mut out: Vec<f64> = self.rows.iter().map(|&i| self.rda[i]).collect();
        out.extend(self.evaluate_conditions(y)?);
        Ok(out)
    }

    fn evaluate_conditions(&mut self, y: &[f64]) -> Result<Vec<f64>, Stopped> {
        let mut cond = vec![0.0; self.conditions];
        if self.conditions > 0 {
            let code = Code::StoppedByIvcond;
            match self.system.initial_conditions(self.t, y, &mut cond) {
                Outcome::Continue if all_finite(&cond) => {}
                Outcome::Continue => return Err(explain(Trouble::NotFinite { code }, code)),
                Outcome::Retry => return Err(explain(Trouble::Retry { code }, code)),
                Outcome::Stop => return Err(explain(Trouble::Stop { code, not_finite: false }, code)),
            }
        }
        Ok(cond)
    }

    /// Jacobian by rows of the imposed equations and conditions, columns all of x.
    fn derivative(&mut self, y: &[f64]) -> Result<Array2<f64>, Stopped> {
        let l = self.layout;
        let code = Code::StoppedByEomInInitialValues;
        let mut counted = Stats::default();
        let model = &mut Calls { system: self.system, stats: &mut counted };
        let result = self.derivatives.jacobian(model, self.t, y, &mut self.fx);
        self.calls += counted.eom_for_differences;
        result.map_err(|trouble| explain(trouble, if self.analytic { Code::StoppedByJac } else { code }))?;
        let mut jac = Array2::zeros((self.rows.len() + self.conditions, l.n));
        for (k, (block, first)) in l.fx_position().into_iter().enumerate() {
            let (m, n) = self.fx.shape[k];
            for (i, &row) in self.rows.iter().enumerate().filter(|(_, &row)| block.contains(row)) {
                for j in 0..n {
                    jac[(i, first + j)] = -self.fx.fx[k][row - block.start + j * m];
                }
            }
        }
        if self.conditions > 0 {
            self.condition_derivative(y, &mut jac)?;
        }
        Ok(jac)
    }

    /// Central differences of IVCOND.
    fn condition_derivative(&mut self, y: &[f64], jac: &mut Array2<f64>) -> Result<(), Stopped> {
        let mut moved = y.to_vec();
        for j in 0..self.layout.n {
            let step = f64::EPSILON.cbrt() * self.size[j].max(y[j].abs());
            moved[j] = y[j] + step;
            let up = moved[j];
            let plus = self.evaluate_conditions(&moved)?;
            moved[j] = y[j] - step;
            let down = moved[j];
            let minus = self.evaluate_conditions(&moved)?;
            moved[j] = y[j];
            for i in 0..self.conditions {
                jac[(self.rows.len() + i, j)] = (plus[i] - minus[i]) / (up - down);
            }
        }
        Ok(())
    }

    fn linearize(&mut self, y: &[f64], residual: &[f64]) -> Result<Linear, Stopped> {
        let equations = self.scale(y, residual)?;
        Ok(self.decompose(&equations)?)
    }

    /// The equations linearised at y.
    fn scale(&mut self, y: &[f64], residual: &[f64]) -> Result<Scaled, Stopped> {
        let jac = self.derivative(y)?;
        let (rows, cols) = (residual.len(), self.unknowns.len());
        let mut scaled =
            Scaled { a: Array2::zeros((rows, cols)), rhs: Array1::zeros(rows), dependent_rows: 0 };
        for i in 0..rows {
            for (k, &j) in self.unknowns.iter().enumerate() {
                scaled.a[(i, k)] = jac[(i, j)] * self.size[j];
            }
            let unit = scaled.a.row(i).iter().fold(0.0f64, |m, v| m.max(v.abs()));
            let factor = if unit > 0.0 { 1.0 / unit } else { 1.0 };
            scaled.dependent_rows += usize::from(unit == 0.0);
            scaled.a.row_mut(i).mapv_inplace(|v| v * factor);
            scaled.rhs[i] = -residual[i] * factor;
        }
        Ok(scaled)
    }

    fn decompose(&self, equations: &Scaled) -> Result<Linear> {
        let (rows, cols) = equations.a.dim();
        let multiplier = |k: usize| self.layout.x.multipliers.contains(self.unknowns[k]);
        let found = decompose(&equations.a, &equations.rhs, self.analytic, multiplier);
        let mut linear = found.ok_or_else(|| {
            Failure::new(Code::SvdInInitialValues, format!("matrix of {rows} rows, {cols} columns"))
        })?;
        linear.overdetermined = rows > linear.rank + equations.dependent_rows;
        let tolerance = self.scaling.rtol_first;
        linear.leftover.iter_mut().for_each(|v| *v /= tolerance);
        linear.size /= tolerance;
        self.restore(&mut linear);
        Ok(linear)
    }

    /// Back to x: unscale the correction and name the undetermined variable.
    fn restore(&self, linear: &mut Linear) {
        let mut correction = vec![0.0; self.layout.n];
        for (c, &j) in linear.correction.iter().zip(&self.unknowns) {
            correction[j] = c * self.size[j];
        }
        linear.correction = correction;
        linear.undetermined = linear.undetermined.map(|k| self.unknowns[k]);
    }

    fn row_name(&self, i: usize) -> Name {
        match self.rows.get(i) {
            Some(&row) => self.layout.residual_name(row),
            None => Name { block: "COND", number: i - self.rows.len() + 1 },
        }
    }
}

fn explain(trouble: Trouble, code: Code) -> Stopped {
    let (code, detail, only_here) = match trouble {
        Trouble::Stop { code, not_finite: false } => (code, "IERR < 0", false),
        Trouble::Stop { code, not_finite: true } => (code, "non-finite values (NaN or Inf), twice", false),
        Trouble::Retry { .. } => (code, "IERR > 0 with IOPT(20)=1", true),
        Trouble::NotFinite { .. } => (code, "non-finite values (NaN or Inf)", true),
    };
    Stopped { failure: Box::new(Failure::new(code, detail)), only_here }
}

/// Index and value of the entry of largest magnitude.
fn largest(v: &[f64]) -> (usize, f64) {
    v.iter().enumerate().fold(
        (0, 0.0),
        |best, (i, &value)| {
            if value.abs() > f64::abs(best.1) {
                (i, value)
            } else {
                best
            }
        },
    )
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
