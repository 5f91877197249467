//! Tolerances and the weighted root mean square norm (19) of the report.

use crate::layout::{Form, Layout};
use crate::options::BadOption;

/// Below this RTOL rounding errors count, and tolerances are not made tighter than they are.
const TIGHTEST: f64 = 1e-13;
/// Below this the squares of what is measured in it are lost.
const LEAST_ATOL: f64 = 1e-150;

/// RTOL and ATOL as the user gave them: both scalar (length 1) or both of length N.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative tolerances.
    pub rtol: Vec<f64>,
    /// Absolute tolerances.
    pub atol: Vec<f64>,
}

impl Tolerance {
    /// The same tolerance for everything.
    pub fn scalar(rtol: f64, atol: f64) -> Self {
        Tolerance { rtol: vec![rtol], atol: vec![atol] }
    }

    /// This part of all tolerances, or what leaves RTOL at 1e-13, below which rounding errors count.
    pub fn part(&self, part: f64) -> Self {
        let part = possible_part(part, self.rtol.iter().fold(0.0f64, |m, r| m.max(*r)));
        let of = |tol: &[f64]| tol.iter().map(|t| part * t).collect();
        Tolerance { rtol: of(&self.rtol), atol: of(&self.atol) }
    }

    /// RTOL and ATOL of n components.
    pub fn of_components(&self, n: usize) -> [Vec<f64>; 2] {
        [&self.rtol, &self.atol].map(|tol| if tol.len() == 1 { vec![tol[0]; n] } else { tol.clone() })
    }

    /// Refuse lengths and values that are not allowed.
    pub fn validate(&self, n: usize, uround: f64) -> Result<(), BadOption> {
        let vector = self.rtol.len() != 1 || self.atol.len() != 1;
        if vector && (self.rtol.len() != n || self.atol.len() != n) {
            let lengths = format!("lengths {} and {}", self.rtol.len(), self.atol.len());
            return Err(BadOption::new("RTOL, ATOL", lengths, format_args!("both 1 or both N = {n}")));
        }
        let refuse = |name: &str, i: usize, value: f64, allowed: String| {
            let name = if vector { format!("{name}({})", i + 1) } else { name.to_string() };
            Err(BadOption::new(name, value, allowed))
        };
        for (i, &r) in self.rtol.iter().enumerate() {
            if !(r >= 10.0 * uround && r.is_finite()) {
                return refuse("RTOL", i, r, format!(">= 10*UROUND = {:e}", 10.0 * uround));
            }
        }
        for (i, &a) in self.atol.iter().enumerate() {
            if !(a >= LEAST_ATOL && a.is_finite()) {
                return refuse("ATOL", i, a, format!("> 0, at least {LEAST_ATOL:e}"));
            }
        }
        Ok(())
    }
}

/// This part of a tolerance, or what leaves `rtol` where rounding errors do not count.
fn possible_part(part: f64, rtol: f64) -> f64 {
    part.max(TIGHTEST / rtol).min(1.0)
}

/// The internal tolerances RTOL' = 0.1·RTOL^((s+1)/(2s)), 2/3 for three stages, and ATOL' = RTOL'·ATOL/RTOL (as
/// RADAU5 and RADAU do), one pair per component. The user's values are never overwritten.
#[derive(Clone, Debug)]
pub struct Scaling {
    rtol: Vec<f64>,
    atol: Vec<f64>,
    /// RTOL as given.
    given: Vec<f64>,
    /// ATOL/RTOL: the magnitude below which the user calls a component small.
    pub typical: Vec<f64>,
    /// RTOL' of the first component, which enters FNEWT.
    pub rtol_first: f64,
    /// Largest RTOL of the user.
    pub rtol_user: f64,
}

impl Scaling {
    /// For n components and three stages.
    pub fn new(tol: &Tolerance, n: usize) -> Self {
        Scaling::for_stages(tol, n, 3)
    }

    /// For n components and a method with so many stages.
    pub fn for_stages(tol: &Tolerance, n: usize, stages: usize) -> Self {
        let exponent = (stages + 1) as f64 / (2 * stages) as f64;
        let internal = |r: f64| 0.1 * r.powf(exponent);
        let pairs = tol.rtol.iter().zip(&tol.atol);
        let mut rtol: Vec<f64> = tol.rtol.iter().map(|r| internal(*r)).collect();
        let mut typical: Vec<f64> = pairs.map(|(r, a)| a / r).collect();
        let mut atol: Vec<f64> = rtol.iter().zip(&typical).map(|(r, t)| r * t).collect();
        if let ([r], [a], [t]) = (&rtol[..], &atol[..], &typical[..]) {
            (rtol, atol, typical) = (vec![*r; n], vec![*a; n], vec![*t; n]);
        }
        let [given, _] = tol.of_components(n);
        let rtol_user = tol.rtol.iter().fold(0.0f64, |m, &r| m.max(r));
        Scaling { rtol_first: rtol.first().copied().unwrap_or(1.0), rtol, atol, given, typical, rtol_user }
    }

    /// ATOL + RTOL |x| of a component, as the user gave them.
    pub fn tolerance(&self, i: usize, x: f64) -> f64 {
        self.given[i] * (self.typical[i] + x.abs())
    }

    /// This part of the user's tolerances, or what leaves RTOL at 1e-13.
    pub(crate) fn possible_part(&self, part: f64) -> f64 {
        possible_part(part, self.rtol_user)
    }

    /// How much larger than the user's the internal tolerances are at most.
    pub fn loosened(&self) -> f64 {
        self.rtol.iter().zip(&self.given).fold(0.0, |m: f64, (internal, given)| m.max(internal / given))
    }

    /// scal_i = ATOL'_i + RTOL'_i |x_i|. With [`Form::Index1`] the multipliers and auxiliary variables are of
    /// index 2 and are weighted by h, as RADAU5 does.
    pub fn weights(&self, layout: &Layout, x: &[f64], h: f64, scal: &mut [f64]) {
        for (i, s) in scal.iter_mut().enumerate() {
            *s = self.atol[i] + self.rtol[i] * x[i].abs();
        }
        if layout.form == Form::Index1 {
            layout.x.algebraic.of_mut(scal).iter_mut().for_each(|s| *s /= h.min(1.0));
        }
    }
}

/// Σ (v_i/scal_i)².
pub fn weighted_square(v: &[f64], scal: &[f64]) -> f64 {
    v.iter().zip(scal).map(|(v, s)| (v / s) * (v / s)).sum()
}

/// Weighted rms norm (19).
pub fn weighted_rms(v: &[f64], scal: &[f64]) -> f64 {
    (weighted_square(v, scal) / v.len().max(1) as f64).sqrt()
}

/// Σ (max(0, |v_i| - noise_i)/scal_i)²: what is left of v when rounding errors explain `noise`.
pub fn excess_square(v: &[f64], noise: &[f64], scal: &[f64]) -> f64 {
    v.iter().zip(noise).zip(scal).map(|((v, n), s)| ((v.abs() - n).max(0.0) / s).powi(2)).sum()
}

/// Component with the largest |v_i|/scal_i; a component that is not finite wins.
pub fn dominating(v: &[f64], scal: &[f64]) -> Option<usize> {
    let mut best = None;
    let mut largest = -1.0;
    for (i, (v, s)) in v.iter().zip(scal).enumerate() {
        let q = (v / s).abs();
        if !q.is_finite() {
            return Some(i);
        }
        if q > largest {
            (best, largest) = (Some(i), q);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Dimensions;

    #[test]
    fn refuses_by_name() {
        let tol = Tolerance { rtol: vec![1e-6, 1e-6], atol: vec![1e-6, 0.0] };
        let bad = tol.validate(2, 1e-16).expect_err("zero ATOL");
        assert!(bad.to_string().contains("ATOL(2)"), "{bad}");
        assert!(Tolerance::scalar(1e-6, 5e-324).validate(1, 1e-16).is_err());
        assert!(Tolerance::scalar(1e-6, 1e-140).validate(1, 1e-16).is_ok());
        assert!(Tolerance::scalar(1e-16, 1e-6).validate(2, 1e-16).is_err());
        assert!(Tolerance::scalar(f64::NAN, 1e-6).validate(2, 1e-16).is_err());
        assert!(Tolerance::scalar(1e-6, 1e-6).validate(2, 1e-16).is_ok());
        // One of both a vector, or of another length.
        for (r, a) in [(2, 1), (1, 2), (2, 3), (3, 2)] {
            let tol = Tolerance { rtol: vec![1e-6; r], atol: vec![1e-6; a] };
            let bad = tol.validate(2, 1e-16).expect_err("lengths");
            assert!(bad.to_string().contains(&format!("lengths {r} and {a}")), "{bad}");
        }
    }

    /// RTOL falls to 1e-13 at most, and is not raised where it is below that already.
    #[test]
    fn a_part_of_a_tolerance_stays_above_rounding_errors() {
        let part = |rtol: f64| Tolerance::scalar(rtol, 2.0 * rtol).part(0.1);
        let close = |a: &Tolerance, rtol: f64| {
            (a.rtol[0] / rtol - 1.0).abs() < 1e-12 && (a.atol[0] / rtol - 2.0).abs() < 1e-12
        };
        assert!(close(&part(1e-6), 1e-7) && close(&part(5e-13), 1e-13) && close(&part(5e-14), 5e-14));
        let vector = Tolerance { rtol: vec![1e-13, 1e-12], atol: vec![1.0, 1.0] }.part(0.01);
        assert!((vector.rtol[0] / 1e-14 - 1.0).abs() < 1e-12 && (vector.atol[1] - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_tolerances_of_the_user_are_kept() {
        let tol = Tolerance { rtol: vec![1e-6, 1e-3], atol: vec![1e-9, 1e-2] };
        let scaling = Scaling::new(&tol, 2);
        assert!((scaling.tolerance(0, -2.0) / (1e-9 + 2e-6) - 1.0).abs() < 1e-12);
        assert!((scaling.tolerance(1, 0.5) / (1e-2 + 5e-4) - 1.0).abs() < 1e-12);
        // 0.1 (1e-6)^(2/3) is 1e-5, ten times as much; of 1e-3 it is 1e-3.
        assert!((scaling.loosened() - 10.0).abs() < 1e-9, "{}", scaling.loosened());
        assert!((Scaling::new(&Tolerance::scalar(1e-9, 1.0), 3).loosened() - 100.0).abs() < 1e-9);
        // 0.1 (0.125)^(2/3) is 0.025: the internal one may be the smaller.
        assert!((Scaling::new(&Tolerance::scalar(0.125, 1.0), 3).loosened() - 0.2).abs() < 1e-12);
        let possible = |part| Scaling::new(&Tolerance::scalar(1e-12, 1.0), 3).possible_part(part);
        assert!((possible(0.5) - 0.5).abs() < 1e-12 && (possible(0.01) - 0.1).abs() < 1e-12);
    }

    /// ATOL' = RTOL' ATOL/RTOL, with RTOL' = 1e-5 for 1e-6; multipliers of index 2 by h, in steps up to 1.
    #[test]
    fn weights_are_internal_tolerances() {
        let dims = Dimensions { np: 1, nv: 1, nl: 1, ..Dimensions::default() };
        let scaling = Scaling::new(&Tolerance::scalar(1e-6, 2e-3), 3);
        let mut scal = [0.0; 3];
        for (form, h, of_multiplier) in [
            (Form::StrangenessFree, 0.5, 1.0),
            (Form::Index1, 0.5, 2.0),
            (Form::Index1, 1.0, 1.0),
            (Form::Index1, 5.0, 1.0),
        ] {
            scaling.weights(&Layout::new(dims, form), &[-3.0, 0.0, 1e3], h, &mut scal);
            for (s, expected) in scal.iter().zip([of_multiplier * (2e-2 + 3e-5), 2e-2, 2e-2 + 1e-2]) {
                assert!((s / expected - 1.0).abs() < 1e-9, "{form:?} {h}: {scal:?}");
            }
        }
    }

    #[test]
    fn norm_is_rms_of_ratios() {
        assert!((weighted_rms(&[3.0, 8.0], &[1.0, 2.0]) - (12.5f64).sqrt()).abs() < 1e-15);
        assert!((excess_square(&[-3.0, 1.0], &[1.0, 2.0], &[2.0, 1.0]) - 1.0).abs() < 1e-15);
        assert_eq!(dominating(&[3.0, 8.0], &[1.0, 2.0]), Some(1));
        assert_eq!(dominating(&[3.0, 4.0], &[1.0, 2.0]), Some(0));
        assert_eq!(dominating(&[f64::NAN, 8.0], &[1.0, 2.0]), Some(0));
        // The first of equals, also of zeros; what is not finite wins from anywhere.
        assert_eq!(dominating(&[1.0, -3.0, 3.0], &[1.0; 3]), Some(1));
        assert_eq!(dominating(&[0.0, 0.0], &[1.0; 2]), Some(0));
        assert_eq!(dominating(&[8.0, 1.0, f64::INFINITY], &[1.0; 3]), Some(2));
        assert_eq!(dominating(&[], &[]), None);
    }
}
