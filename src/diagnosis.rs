//! Questions about a model at one point: is its Jacobian right, which constraints are redundant, what are the
//! constraint forces. A cold path: it allocates, and uses ndarray.

use crate::error::{Code, Failure};
use crate::jacobian::Differences;
use crate::layout::{Layout, Name};
use crate::model::{self, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::system::{JacobianBlocks, Outcome, Parts, System};
use ndarray::Array2;
use ndarray_linalg::SVD;
use std::fmt;

/// A wrong entry of JAC.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// FX1 to FX6: 1 to 6.
    pub block: usize,
    /// Equation of the row.
    pub row: Name,
    /// Variable of the column.
    pub column: Name,
    /// What JAC delivered.
    pub given: f64,
    /// Negative difference quotient of EOM.
    pub expected: f64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { block, row, column, given, expected } = self;
        write!(f, "FX{block}: -d {row}/d {column} = {expected:.6e}, JAC gives {given:.6e}")
    }
}

/// A mistake that explains the wrong entries of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suspicion {
    /// Positive instead of negative derivatives.
    Sign,
    /// Rows and columns exchanged.
    Transposed,
}

/// Comparison of JAC with differences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JacobianReport {
    /// Wrong entries, largest relative deviation first.
    pub mismatches: Vec<Mismatch>,
    /// Blocks (1 to 6) that one of the classic mistakes explains.
    pub suspicions: Vec<(usize, Suspicion)>,
}

/// Deviations below this, relative to the larger of the entry and a typical one of its row, are difference errors.
const DIFFERENCE_ERROR: f64 = 1e-6;

/// Compare JAC with central differences of EOM at (t, x).
pub fn check_jacobian(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<JacobianReport, Failure> {
    let layout = Layout::new(system.dimensions(), system.form());
    let given = evaluate(system, &layout, tolerance, (t, x), true)?;
    let expected = evaluate(system, &layout, tolerance, (t, x), false)?;
    let mut report = JacobianReport::default();
    let mut found: Vec<(f64, Mismatch)> = Vec::new();
    for (k, (rows, first)) in layout.fx_position().into_iter().enumerate() {
        let (m, n) = given.shape[k];
        let (a, b) = (&given.fx[k], &expected.fx[k]);
        // Large entries anywhere in the block make differences of the small ones noisy.
        let largest = b.iter().fold(1.0f64, |s, v| s.max(v.abs()));
        let mut wrong = 0;
        for i in 0..m {
            let size = (0..n).fold(0.0f64, |s, j| s.max(b[i + j * m].abs()));
            for j in 0..n {
                let deviation = (a[i + j * m] - b[i + j * m]).abs();
                let scale = b[i + j * m].abs().max(size).max(1e-3 * largest);
                if deviation > DIFFERENCE_ERROR * scale {
                    wrong += 1;
                    let row = layout.residual_name(rows.start + i);
                    let column = layout.state_name(first + j);
                    let (given, expected) = (a[i + j * m], b[i + j * m]);
                    found.push((deviation / scale, Mismatch { block: k + 1, row, column, given, expected }));
                }
            }
        }
        if wrong > 0 {
            report.suspicions.extend(suspect(a, b, m, n).map(|s| (k + 1, s)));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    report.mismatches = found.into_iter().map(|(_, m)| m).collect();
    Ok(report)
}

/// A wrong number of PARTS ([`System::parts`]), or of what to supply them says.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsMismatch {
    /// Which one: a row of RDA, an entry of M or of C, or a derivative.
    pub what: String,
    /// What PARTS deliver or imply.
    pub given: f64,
    /// What EOM, MAS or a difference of EOM delivers.
    pub expected: f64,
}

impl fmt::Display for PartsMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PartsMismatch { what, given, expected } = self;
        write!(f, "PARTS: {what} = {expected:.6e}, PARTS give {given:.6e}")
    }
}

/// Two ways to compute the same number may differ by this part of the largest of its kind.
const SAME: f64 = 1e-10;

/// Compare PARTS with EOM, MAS and central differences of EOM at (t, x), and p' = v and -Cᵀ as the derivative of f_dyn by the
/// multipliers with EOM; `None` if there are none, or none are asked for with these dimensions.
pub fn check_parts(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<Option<Vec<PartsMismatch>>, Failure> {
    let l = Layout::new(system.dimensions(), system.form());
    if !Parts::suit(&l.dims) || system.parts(t, x, Parts::default()).is_none() {
        return Ok(None);
    }
    let (nv, nl, nc) = (l.dims.nv, l.dims.nl, l.dims.nl + l.dims.nm);
    let [mut force, mut mass, mut c] = [nv, nv * nv, nc * nv].map(|n| vec![0.0; n]);
    let [mut gamma, mut velocity, mut position] = [nc, nc, nl].map(|n| vec![0.0; n]);
    let parts = Parts {
        force: Some(&mut force),
        mass: Some(&mut mass),
        constraint: Some(&mut c),
        at_rest: Some(&mut gamma),
        velocity: Some(&mut velocity),
        position: (nl > 0).then_some(&mut position),
    };
    let outcome = system.parts(t, x, parts).unwrap_or(Outcome::Stop);
    let all = [&force, &mass, &c, &gamma, &velocity, &position];
    let refuse = |trouble| refused(trouble, t);
    model::check(outcome, Code::StoppedByParts, || all.iter().all(|part| model::all_finite(part)))
        .map_err(refuse)?;

    let mut free = x.to_vec();
    l.x.multipliers.of_mut(&mut free).fill(0.0);
    let (mut rows, mut full) = (vec![0.0; l.m], vec![0.0; nv * nv]);
    model::eom(system, Code::StoppedByEom, t, &free, &mut rows).map_err(refuse)?;
    let outcome = system.mass(t, x, &mut full);
    model::check(outcome, Code::StoppedByMas, || model::all_finite(&full)).map_err(refuse)?;
    // With the multipliers of the point: without them friction does not show.
    let fx = evaluate(system, &l, tolerance, (t, x), false)?;
    let expected_c: Vec<f64> = (0..nc * nv).map(|k| -fx.fx[1][k % nc + k / nc * l.m2()]).collect();
    let rate = rate_at_rest(system, &l, (t, &free)).map_err(refuse)?;

    let mut found = Vec::new();
    let mut compare = |given: &[f64], expected: &[f64], part: f64, name: &dyn Fn(usize) -> String| {
        let largest = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for (k, (&given, &expected)) in given.iter().zip(expected).enumerate() {
            if (given - expected).abs() > part * largest {
                found.push(PartsMismatch { what: name(k), given, expected });
            }
        }
    };
    let (at, first) = (l.rda, l.rda.g_velocity.start);
    let row = |start: usize| move |k: usize| l.residual_name(start + k).to_string();
    compare(&force, at.f_dyn.of(&rows), SAME, &row(at.f_dyn.start));
    compare(&mass, &full, SAME, &|k| format!("M({},{})", k % nv + 1, k / nv + 1));
    let derivative = |i: usize, j: usize| format!("d {}/d {}", row(first)(i), l.state_name(l.x.v.start + j));
    let entry = |k: usize| format!("C({},{}) = {}", k % nc + 1, k / nc + 1, derivative(k % nc, k / nc));
    compare(&c, &expected_c, DIFFERENCE_ERROR, &entry);
    compare(&gamma, &rate, DIFFERENCE_ERROR, &|k| format!("gamma({}), the rate of {}", k + 1, row(first)(k)));
    compare(&velocity, &rows[first..at.h.end], SAME, &row(first));
    compare(&position, at.g.of(&rows), SAME, &row(at.g.start));
    compare(l.x.v.of(x), at.f_kin.of(&rows), SAME, &row(at.f_kin.start));
    let multipliers = l.x.multipliers.start;
    let by_multipliers: Vec<f64> =
        (0..nc * nv).map(|k| -fx.fx[4][k / nc + (multipliers + k % nc) * nv]).collect();
    let negative: Vec<f64> = expected_c.iter().map(|c| -c).collect();
    let entry =
        |k: usize| format!("d {}/d {}", row(at.f_dyn.start)(k / nc), l.state_name(multipliers + k % nc));
    compare(&negative, &by_multipliers, DIFFERENCE_ERROR, &entry);
    Ok(Some(found))
}

/// The rate of (gI, h) while p moves with v, by central differences of EOM.
fn rate_at_rest(system: &mut dyn System, l: &Layout, (t, x): (f64, &[f64])) -> Result<Vec<f64>, Trouble> {
    let size = |v: &[f64]| v.iter().fold(1.0f64, |m, v| m.max(v.abs()));
    let dt = f64::EPSILON.cbrt() * size(l.x.p.of(x)) / size(l.x.v.of(x));
    let (mut rate, mut rows) = (vec![0.0; l.dims.nl + l.dims.nm], vec![0.0; l.m]);
    for sign in [1.0, -1.0] {
        let mut moved = x.to_vec();
        for (p, v) in l.x.p.of_mut(&mut moved).iter_mut().zip(l.x.v.of(x)) {
            *p += sign * dt * v;
        }
        model::eom(system, Code::StoppedByEom, t + sign * dt, &moved, &mut rows)?;
        let rows = &rows[l.rda.g_velocity.start..l.rda.h.end];
        rate.iter_mut().zip(rows).for_each(|(rate, row)| *rate += sign * row / (2.0 * dt));
    }
    Ok(rate)
}

/// The classic mistake that turns `b` into `a`, if there is one.
fn suspect(a: &[f64], b: &[f64], m: usize, n: usize) -> Option<Suspicion> {
    let size = b.iter().fold(0.0f64, |s, v| s.max(v.abs())).max(1e-3);
    let near = |x: f64, y: f64| (x - y).abs() <= 10.0 * DIFFERENCE_ERROR * size;
    if a.iter().zip(b).all(|(a, b)| near(*a, -b)) {
        return Some(Suspicion::Sign);
    }
    // A block filled row by row where columns were asked for.
    let transposed = (0..m).all(|i| (0..n).all(|j| near(a[j + i * n], b[i + j * m])));
    transposed.then_some(Suspicion::Transposed)
}

/// Ranks of the constraints at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct RankReport {
    /// Holonomic constraints, position level: rows of c, g and their rank.
    pub position: (usize, usize),
    /// Velocity level: rows of gI, h and their rank.
    pub velocity: (usize, usize),
    /// Groups of dependent rows: in each group one row can be dropped.
    pub dependent: Vec<Vec<Name>>,
    /// Smallest singular value that was kept, relative to the largest.
    pub smallest: f64,
}

/// Singular values below this, relative to the largest, count as zero.
const RANK_TOLERANCE: f64 = 1e-9;
/// Entries of a null vector below this do not take part in a dependence.
const PART: f64 = 1e-6;

/// Which constraints depend on each other at (t, x).
pub fn rank_report(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<RankReport, Failure> {
    let layout = Layout::new(system.dimensions(), system.form());
    let analytic = system.has_jacobian();
    let fx = evaluate(system, &layout, tolerance, (t, x), analytic)?;
    let (l, constraints) = (&layout, layout.dims.nl + layout.dims.nm);
    let position = rows_of(&fx.fx[2], layout.m3(), layout.m3(), layout.n4());
    let velocity = rows_of(&fx.fx[1], layout.m2(), constraints, layout.n3());
    let mut report = RankReport { position: (0, 0), velocity: (0, 0), dependent: vec![], smallest: 1.0 };
    let levels = [(position, l.rda.rows3.start, true), (velocity, l.rda.g_velocity.start, false)];
    for (matrix, first, is_position) in levels {
        let (rank, nulls, smallest) = dependences(&matrix)?;
        let sizes = (matrix.nrows(), rank);
        if is_position {
            report.position = sizes;
        } else {
            report.velocity = sizes;
        }
        report.smallest = report.smallest.min(smallest);
        for null in nulls {
            let group = null.iter().enumerate().filter(|(_, v)| v.abs() > PART);
            report.dependent.push(group.map(|(i, _)| layout.residual_name(first + i)).collect());
        }
    }
    Ok(report)
}

/// The first `rows` rows of a block, each scaled to unit size.
fn rows_of(block: &[f64], m: usize, rows: usize, columns: usize) -> Array2<f64> {
    let mut out = Array2::from_shape_fn((rows, columns), |(i, j)| block[i + j * m]);
    for mut row in out.rows_mut() {
        let size = row.iter().fold(0.0f64, |s, v| s.max(v.abs()));
        if size > 0.0 {
            row.mapv_inplace(|v| v / size);
        }
    }
    out
}

/// Rank, left null vectors and smallest kept singular value.
#[allow(clippy::type_complexity)] // three results of one decomposition
fn dependences(a: &Array2<f64>) -> Result<(usize, Vec<Vec<f64>>, f64), Failure> {
    let (rows, columns) = a.dim();
    if rows == 0 || columns == 0 {
        let unit = |k: usize| (0..rows).map(|i| f64::from(u8::from(i == k))).collect();
        return Ok((0, (0..rows).map(unit).collect(), 1.0));
    }
    let failed = || Failure::new(Code::SvdFailed, "singular values of the constraints");
    let (u, s, _) = a.svd(true, false).map_err(|_| failed())?;
    let u = u.ok_or_else(failed)?;
    let top = s.iter().fold(0.0f64, |m, v| m.max(*v));
    let rank = s.iter().filter(|&&v| v > RANK_TOLERANCE * top).count();
    let nulls = (rank..rows).map(|k| u.column(k).to_vec()).collect();
    let smallest = if rank > 0 { s[rank - 1] / top } else { 1.0 };
    Ok((rank, nulls, smallest))
}

/// Constraint forces Zᵀ(Gᵀλ + Hᵀμ) at (t, x), NV long: unique also where redundant constraints leave the multipliers
/// undetermined. They enter the dynamic equations with a minus sign.
pub fn constraint_forces(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
    force: &mut [f64],
) -> Result<(), Failure> {
    let layout = Layout::new(system.dimensions(), system.form());
    let analytic = system.has_jacobian();
    let fx = evaluate(system, &layout, tolerance, (t, x), analytic)?;
    let (m2, multipliers) = (layout.m2(), layout.x.multipliers.of(x));
    for (j, f) in force.iter_mut().enumerate().take(layout.dims.nv) {
        // GZ and HZ are the derivatives of gI and h by v, of which FX2 holds the negative.
        *f = multipliers.iter().enumerate().map(|(i, lambda)| -fx.fx[1][i + j * m2] * lambda).sum();
    }
    Ok(())
}

/// FX1..FX6 by JAC or by central differences.
fn evaluate(
    system: &mut dyn System,
    layout: &Layout,
    tolerance: &Tolerance,
    (t, x): (f64, &[f64]),
    by_jac: bool,
) -> Result<JacobianBlocks, Failure> {
    let mut fx = JacobianBlocks::new(layout);
    let mut calls = 0;
    let result = if by_jac {
        model::jacobian(system, t, x, &mut fx, &mut calls)
    } else {
        let typical = Scaling::new(tolerance, layout.n).typical;
        let code = Code::StoppedByEomInDifferences;
        Differences::new(layout).evaluate(system, layout, code, true, (t, x), &typical, &mut fx, &mut calls)
    };
    result.map_err(|trouble| refused(trouble, t))?;
    Ok(fx)
}

/// A model that cannot be evaluated at the point in question.
fn refused(trouble: Trouble, t: f64) -> Failure {
    let (code, detail) = match trouble {
        Trouble::Stop { code, not_finite: false } => (code, "IERR < 0"),
        Trouble::Stop { code, not_finite: true } => (code, "non-finite values (NaN or Inf)"),
        Trouble::Retry | Trouble::NotFinite => (Code::EomNotEvaluable, "at the point of the diagnosis"),
    };
    Failure::new(code, detail).at(t, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};
    use crate::testset;

    fn tolerance() -> Tolerance {
        Tolerance::scalar(1e-6, 1e-6)
    }

    /// A system whose JAC is spoilt in one block.
    struct Spoilt<F: FnMut(&mut JacobianBlocks)>(Box<dyn System + Send>, F);

    impl<F: FnMut(&mut JacobianBlocks)> System for Spoilt<F> {
        fn dimensions(&self) -> Dimensions {
            self.0.dimensions()
        }
        fn form(&self) -> Form {
            self.0.form()
        }
        fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
            self.0.eom(t, x, rda)
        }
        fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
            self.0.mass(t, x, mass)
        }
        fn has_jacobian(&self) -> bool {
            true
        }
        fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
            let outcome = self.0.jacobian(t, x, fx);
            (self.1)(fx);
            outcome
        }
    }

    fn spoilt(change: impl FnMut(&mut JacobianBlocks)) -> JacobianReport {
        let problem = testset::by_name("andrews").expect("problem");
        let mut x = problem.x0.clone();
        // Away from the start, where velocities vanish.
        x.iter_mut().enumerate().for_each(|(i, v)| *v += 0.01 * (i as f64 + 1.0));
        let mut system = Spoilt(problem.system(Form::StrangenessFree, true), change);
        check_jacobian(&mut system, &tolerance(), 0.0, &x).expect("report")
    }

    #[test]
    fn a_right_jacobian_passes_on_every_problem() {
        for problem in testset::all() {
            for form in [Form::StrangenessFree, Form::Index1] {
                let mut system = problem.system(form, true);
                let report =
                    check_jacobian(&mut *system, &tolerance(), problem.t0, &problem.x0).expect("report");
                let first = report.mismatches.first().map(|m| m.to_string());
                assert_eq!(first, None, "{} {form:?}", problem.name);
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let one = spoilt(|fx| fx.fx[4][3] += 1.0);
        assert_eq!((one.mismatches.len(), one.suspicions.len()), (1, 0));
        assert!(
            one.mismatches[0].to_string().contains("FX5: -d f_dyn(4)/d lambda(1)"),
            "{}",
            one.mismatches[0]
        );
        let sign = spoilt(|fx| fx.fx[2].iter_mut().for_each(|v| *v = -*v));
        assert_eq!(sign.suspicions, [(3, Suspicion::Sign)]);
        let transposed = spoilt(|fx| {
            let (m, n) = fx.shape[2];
            let old = fx.fx[2].clone();
            for i in 0..m {
                for j in 0..n {
                    fx.fx[2][j + i * n] = old[i + j * m];
                }
            }
        });
        assert_eq!(transposed.suspicions, [(3, Suspicion::Transposed)]);
    }

    /// A pendulum that supplies parts, and may be what parts say it is not: p' = gear v, friction in λ.
    struct Declared {
        gear: f64,
        friction: f64,
        form: Form,
    }

    impl System for Declared {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
        }
        fn form(&self) -> Form {
            self.form
        }
        fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
            let l = Layout::new(self.dimensions(), self.form);
            let (lambda, v, p) = (x[0], l.x.v.of(x), l.x.p.of(x));
            l.rda.g_velocity.of_mut(rda)[0] = 2.0 * self.gear * (p[0] * v[0] + p[1] * v[1]) - 2.0 * t;
            l.rda.g.of_mut(rda)[0] = p[0] * p[0] + p[1] * p[1] - 1.0 - t * t;
            for i in 0..2 {
                let c = 2.0 * self.gear * p[i];
                l.rda.f_dyn.of_mut(rda)[i] =
                    -9.81 * i as f64 - c * lambda - self.friction * lambda.abs() * v[i];
                l.rda.f_kin.of_mut(rda)[i] = self.gear * v[i];
            }
            // gII is not looked at.
            l.rda.g_acceleration.of_mut(rda).fill(0.0);
            Outcome::Continue
        }
        fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
            mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
            Outcome::Continue
        }
        fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
            let [_, v1, v2, p1, p2] = *x else { return Some(Outcome::Stop) };
            let Parts { force, mass, constraint, at_rest, velocity, position } = parts;
            force.into_iter().for_each(|f| f.copy_from_slice(&[0.0, -9.81]));
            mass.into_iter().for_each(|m| (m[0], m[3]) = (1.0, 1.0));
            let gear = self.gear;
            constraint.into_iter().for_each(|c| c.copy_from_slice(&[2.0 * gear * p1, 2.0 * gear * p2]));
            at_rest.into_iter().for_each(|r| r[0] = 2.0 * gear * (v1 * v1 + v2 * v2) - 2.0);
            velocity.into_iter().for_each(|r| r[0] = 2.0 * gear * (p1 * v1 + p2 * v2) - 2.0 * t);
            position.into_iter().for_each(|r| r[0] = p1 * p1 + p2 * p2 - 1.0 - t * t);
            Some(Outcome::Continue)
        }
    }

    #[test]
    fn what_parts_say_of_the_model_is_checked() {
        let x = [1.5, 0.3, -0.4, 0.6, -0.8];
        for form in [Form::StrangenessFree, Form::Index1] {
            let check = |gear, friction| {
                let mut system = Declared { gear, friction, form };
                let found = check_parts(&mut system, &tolerance(), 0.5, &x).expect("checked").expect("parts");
                found.iter().map(ToString::to_string).collect::<Vec<_>>()
            };
            assert_eq!(check(1.0, 0.0), Vec::<String>::new());
            let geared = check(2.0, 0.0);
            assert_eq!(geared.len(), 2, "{geared:?}");
            assert!(geared[0].contains("f_kin(1)") && geared[1].contains("f_kin(2)"), "{geared:?}");
            let rubbing = check(1.0, 0.25);
            assert_eq!(rubbing.len(), 2, "{rubbing:?}");
            assert!(rubbing[0].contains("d f_dyn(1)/d lambda(1)"), "{rubbing:?}");
        }
        let none = testset::by_name("andrews").expect("problem");
        let mut system = none.system(Form::StrangenessFree, true);
        assert_eq!(check_parts(&mut *system, &tolerance(), 0.0, &none.x0).expect("checked"), None);
    }

    #[test]
    fn dependent_constraints_are_named() {
        let problem = testset::by_name("coupler").expect("problem");
        let mut system = problem.system(Form::StrangenessFree, true);
        let report = rank_report(&mut *system, &tolerance(), 0.0, &problem.x0).expect("report");
        assert_eq!((report.position, report.velocity), ((3, 2), (3, 2)));
        let names: Vec<String> = report.dependent[0].iter().map(ToString::to_string).collect();
        assert_eq!(names, ["g(1)", "g(2)", "g(3)"]);
        let regular = testset::by_name("andrews").expect("problem");
        let mut system = regular.system(Form::StrangenessFree, false);
        let report = rank_report(&mut *system, &tolerance(), 0.0, &regular.x0).expect("report");
        assert!(report.dependent.is_empty() && report.smallest > 1e-4, "{report:?}");
    }

    #[test]
    fn forces_do_not_depend_on_undetermined_multipliers() {
        let problem = testset::by_name("coupler").expect("problem");
        let mut system = problem.system(Form::StrangenessFree, true);
        let mut x = problem.x0.clone();
        let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
        constraint_forces(&mut *system, &tolerance(), 0.0, &x, &mut a).expect("forces");
        // (1, -2, 1) is the direction that the three links leave open.
        x.iter_mut().zip([5.0, -10.0, 5.0]).for_each(|(x, d)| *x += d);
        constraint_forces(&mut *system, &tolerance(), 0.0, &x, &mut b).expect("forces");
        // At rest the links carry the part of the weight along them: m g cos 60° in the direction of the links.
        let (weight, cos) = (2.0 * 9.81, 0.5);
        let expected = [weight * cos * problem.x0[6], weight * cos * problem.x0[7], 0.0];
        for k in 0..3 {
            assert!(
                (a[k] - b[k]).abs() < 1e-12 && (a[k] - expected[k]).abs() < 1e-9,
                "{a:?} {b:?} {expected:?}"
            );
        }
    }
}
