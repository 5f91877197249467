//! Questions about a model at one point: is its Jacobian right, which constraints are redundant, what are the
//! constraint forces. A cold path: it allocates, and uses ndarray.

use crate::error::{Code, Failure};
use crate::jacobian::Differences;
use crate::layout::{Layout, Name};
use crate::model::{self, Trouble};
use crate::norm::{Scaling, Tolerance};
use crate::system::{JacobianBlocks, System};
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

/// A wrong number of STAGE ([`System::stage`]).
#[derive(Clone, Debug, PartialEq)]
pub struct StageMismatch {
    /// Which one: a row of RDA, an entry of M or of C.
    pub what: String,
    /// What STAGE delivered.
    pub given: f64,
    /// What EOM, MAS or a difference of EOM delivers.
    pub expected: f64,
}

impl fmt::Display for StageMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StageMismatch { what, given, expected } = self;
        write!(f, "STAGE: {what} = {expected:.6e}, STAGE gives {given:.6e}")
    }
}

/// Two ways to compute the same number may differ by this part of the largest of its kind.
const SAME: f64 = 1e-10;

/// Compare STAGE with EOM, MAS and central differences of EOM at (t, x), with λ = μ = 0; `None` if there is no STAGE.
pub fn check_stage(
    system: &mut dyn System,
    tolerance: &Tolerance,
    t: f64,
    x: &[f64],
) -> Result<Option<Vec<StageMismatch>>, Failure> {
    let l = Layout::new(system.dimensions(), system.form());
    let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
    let mut x = x.to_vec();
    l.x.multipliers.of_mut(&mut x).fill(0.0);
    let (mut rda, mut mass, mut c) = (vec![0.0; l.m], vec![0.0; nv * nv], vec![0.0; nc * nv]);
    let Some(outcome) = system.stage(t, &x, &mut rda, Some(&mut mass), &mut c) else { return Ok(None) };
    let finite = || [&rda, &mass, &c].into_iter().all(|v| model::all_finite(v));
    model::check(outcome, Code::StoppedByStage, finite).map_err(|trouble| refused(trouble, t))?;
    let (mut rows, mut full) = (vec![0.0; l.m], vec![0.0; nv * nv]);
    model::eom(system, Code::StoppedByEom, t, &x, &mut rows).map_err(|trouble| refused(trouble, t))?;
    let outcome = system.mass(t, &x, &mut full);
    model::check(outcome, Code::StoppedByMas, || model::all_finite(&full))
        .map_err(|trouble| refused(trouble, t))?;
    let fx = evaluate(system, &l, tolerance, (t, &x), false)?;
    let expected: Vec<f64> = (0..nc * nv).map(|k| -fx.fx[1][k % nc + k / nc * l.m2()]).collect();
    let mut found = Vec::new();
    let mut compare = |given: &[f64], expected: &[f64], part: f64, name: &dyn Fn(usize) -> String| {
        let largest = expected.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        for (k, (&given, &expected)) in given.iter().zip(expected).enumerate() {
            if (given - expected).abs() > part * largest {
                found.push(StageMismatch { what: name(k), given, expected });
            }
        }
    };
    compare(&rda, &rows, SAME, &|k| l.residual_name(k).to_string());
    compare(&mass, &full, SAME, &|k| format!("M({},{})", k % nv + 1, k / nv + 1));
    let entry = |k: usize| {
        let row = l.residual_name(l.rda.g_velocity.start + k % nc);
        format!("C({},{}) = d {row}/d {}", k % nc + 1, k / nc + 1, l.state_name(l.x.v.start + k / nc))
    };
    compare(&c, &expected, DIFFERENCE_ERROR, &entry);
    Ok(Some(found))
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
    use crate::system::Outcome;
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
