//! Accuracy test and step size, (36) to (38) of the paper, in weights ATOL + RTOL·max|x|.

use super::{Hht, Plan};
use crate::layout::{Block, Layout};
use crate::norm::{dominating, weighted_rms, Tolerance};
use crate::options::Options;

/// Largest growth of the step size; FACL may ask for less.
pub(super) const GROWTH: f64 = 5.0;
/// Rounding errors of positions that satisfy constraints, in units of their size.
const FLOOR: f64 = 2.0;
/// And only up to this part of the criterion: ATOL/RTOL may be any size.
const NEGLIGIBLE: f64 = 0.1;
/// Increments that do not shrink are rounding errors up to this multiple of what the sizes of all terms explain.
const EXPLAINED: f64 = 500.0;

/// Weights of positions and force elements: ATOL_i + RTOL_i times the largest |x_i| so far. The paper's scalar ε with
/// Y_i = max(1, max|q_i|) is RTOL = 0 with ATOL_i = ε Y_i.
#[derive(Debug)]
pub struct Weights {
    rtol: Vec<f64>,
    atol: Vec<f64>,
    /// Largest magnitudes at accepted points.
    pub peak: Vec<f64>,
    scal: Vec<f64>,
}

impl Weights {
    /// Nothing seen yet.
    pub fn new(layout: &Layout, tolerance: &Tolerance) -> Self {
        let (n, [rtol, atol]) = (layout.n, tolerance.of_components(layout.n));
        Weights { rtol, atol, peak: vec![0.0; n], scal: vec![1.0; n] }
    }

    /// Another accepted point.
    pub fn see(&mut self, layout: &Layout, x: &[f64]) {
        for i in layout.x.contact_position.range().chain(layout.x.r.range()).chain(layout.x.w.range()) {
            self.peak[i] = self.peak[i].max(x[i].abs());
        }
        self.renew();
    }

    /// Weights from the magnitudes.
    pub fn renew(&mut self) {
        for (i, s) in self.scal.iter_mut().enumerate() {
            *s = self.atol[i] + self.rtol[i] * self.peak[i];
        }
    }

    /// Size of component i of x: what was seen of it, and ATOL/RTOL.
    pub fn size(&self, i: usize) -> f64 {
        self.scal[i] / self.rtol[i]
    }

    /// Weighted rms norm of v, which belongs to a block of x; 0 if there is none.
    pub fn rms(&self, block: Block, v: &[f64]) -> f64 {
        if block.is_empty() {
            0.0
        } else {
            weighted_rms(v, block.of(&self.scal))
        }
    }

    /// Component with the largest share of v, which belongs to a block of x, as an index into x.
    pub fn dominating(&self, block: Block, v: &[f64]) -> Option<usize> {
        dominating(v, block.of(&self.scal)).map(|i| block.start + i)
    }
}

/// Result of the accuracy test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// √Θ: accepted up to 1.
    pub err: f64,
    /// For the next step size.
    pub factor: f64,
    /// Component of x with the largest share.
    pub component: Option<usize>,
}

/// h_new/h: SAFE·err^(-1/k) for an error that falls with h^k, within FACR and min(5, FACL).
pub fn step_factor(options: &Options, err: f64, power: f64) -> f64 {
    let most = GROWTH.min(options.facl);
    (options.safe * err.max(1e-12).powf(-1.0 / power)).clamp(options.facr.min(most), most)
}

impl Hht {
    /// Size of an increment of the unknowns as an error of positions or force elements, in units of the tolerance.
    pub(super) fn increment_size(&mut self, h: f64) -> f64 {
        let (l, u, c) = (&self.layout, &self.unknowns, &self.coefficients);
        let of = |block: Block, part: Block| self.weights.rms(block, part.of(&self.work.e));
        // Contact variables belong to the positions: where they begin far off, a sees it only in the second iteration.
        let both = of(l.x.p, u.position()) + if u.s.is_empty() { 0.0 } else { of(l.x.s, u.s) };
        let positions = c.position_error() * h * h * both;
        let factor = if c.state_error() > 0.0 { c.state_error() } else { 1.0 / 6.0 };
        let slopes = factor * h * of(l.x.r, u.slope);
        // A maximum would lose NaN.
        if positions >= slopes || positions.is_nan() {
            positions
        } else {
            slopes
        }
    }

    /// Size of what the rows d by themselves ask of w, and of its rounding errors, in units of the tolerance. The increments of w say less:
    /// they have the rounding errors of λ, which grow as h falls.
    pub(super) fn auxiliary_size(&self) -> (f64, f64) {
        let (w, u, weights) = (self.layout.x.w, self.unknowns.w, &self.weights);
        if w.is_empty() {
            return (0.0, 0.0);
        }
        let (mut left, mut floor) = (0.0, 0.0);
        for (k, i) in w.range().enumerate() {
            let now = u.of(&self.work.y)[k].abs();
            let scal = weights.atol[i] + weights.rtol[i] * weights.peak[i].max(now);
            left += (u.of(&self.work.d)[k] / scal).powi(2);
            floor += (now / scal).powi(2);
        }
        let unit = FLOOR * f64::EPSILON.max(self.options.uround);
        let mean = |sum: f64| (sum / w.len() as f64).sqrt();
        (mean(left), unit * mean(floor))
    }

    /// Increments below this are rounding errors: a is not resolved below ε|p|/(βh²).
    pub(super) fn round_off_floor(&mut self) -> f64 {
        let (l, c) = (&self.layout, &self.coefficients);
        let unit = FLOOR * f64::EPSILON.max(self.options.uround);
        let mut floor = 0.0f64;
        for (block, factor) in [(l.x.contact_position, c.position_error() / c.beta), (l.x.r, 1.0)] {
            let size = block.of(&self.weights.peak).iter().fold(0.0f64, |m, v| m.max(*v));
            block.of_mut(&mut self.work.error).fill(unit * factor * size);
            floor = floor.max(self.weights.rms(block, block.of(&self.work.error)));
        }
        floor
    }

    /// True if increments of this size, which do not fall any more, are explained by rounding errors at the start.
    pub(super) fn is_stagnation(&mut self, size: f64, criterion: f64, h: f64) -> bool {
        size <= NEGLIGIBLE * criterion && size <= EXPLAINED * self.stagnation_floor(h)
    }

    /// The same, generously, for increments that do not shrink: positions are not resolved below the size that the user calls small,
    /// nor below their change over the step, and accelerations not below the forces that balance in them. What is seen
    /// so far of a body that is thrown from the origin, or rests there, says nothing of these.
    fn stagnation_floor(&mut self, h: f64) -> f64 {
        let (l, c) = (self.layout, self.coefficients);
        let unit = FLOOR * f64::EPSILON.max(self.options.uround);
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let way = h * largest(&self.old.f_kin);
        let balance = c.beta * h * h * self.balancing_acceleration();
        let (seen, small) = l.x.contact_position.range().fold((0.0f64, 0.0f64), |(seen, small), i| {
            let peak = self.weights.peak[i];
            (seen.max(peak), small.max(self.weights.size(i) - peak))
        });
        // Positions of a size that matters set the floor themselves.
        if seen >= small {
            return 0.0;
        }
        let (weights, error) = (&self.weights, &mut self.work.error);
        let mut floor = 0.0f64;
        for (block, factor, moved) in [
            (l.x.contact_position, c.position_error() / c.beta, way.max(balance)),
            (l.x.r, 1.0, h * largest(&self.old.slope)),
        ] {
            let size = block.range().fold(moved, |m, i| m.max(weights.size(i)));
            block.of_mut(error).fill(unit * factor * size);
            floor = floor.max(weights.rms(block, block.of(error)));
        }
        floor
    }

    /// Largest acceleration that the terms of one row of forces would cause if they did not balance.
    pub(super) fn balancing_acceleration(&self) -> f64 {
        self.unknowns.a.range().fold(0.0f64, |m, i| m.max(self.balance(i)))
    }

    /// The same of row i.
    pub(super) fn balance(&self, i: usize) -> f64 {
        let (u, n, matrix) = (&self.unknowns, self.unknowns.n, self.matrix.assembled());
        // An iterate that diverges says nothing.
        let last = self.points.values(0);
        let inertia = matrix.row_largest(i, u.a.range());
        if inertia > 0.0 {
            let terms = matrix.row_sum(i, 0..n, |j, value| value.abs() * last[j].abs());
            (terms + self.old.force[i - u.a.start].abs()) / inertia
        } else {
            0.0
        }
    }

    /// Θ of positions and force elements.
    pub(super) fn estimate_error(&mut self, plan: Plan) -> Estimate {
        let h = plan.h;
        let (l, u, c) = (&self.layout, &self.unknowns, &self.coefficients);
        let y = &self.work.y;
        let newest = self.points.values(0);
        let before = (self.points.count() > 1).then(|| plan.t_new - h - self.points.times()[1]);
        // c h² (a - a_n); for q the same with the change of p'' over this step, seen from the middle thirds of two steps.
        let factor = match (self.general, before) {
            (false, _) => c.position_error() * h * h,
            (true, before) => {
                let distance = before.map_or(h / 3.0, |b| (2.0 * b + h) / 3.0);
                c.position_error() * h * h * 2.0 * c.beta * h / distance
            }
        };
        let block = u.position();
        let error = &mut self.work.error;
        for (e, (y, old)) in l.x.p.of_mut(error).iter_mut().zip(block.of(y).iter().zip(block.of(newest))) {
            *e = factor * (y - old);
        }
        let power = if c.state_error() > 0.0 { 2.0 } else { 3.0 };
        let slopes = [&self.new.smooth, &self.old.smooth, &self.smooth_before];
        for (i, e) in l.x.r.of_mut(error).iter_mut().enumerate() {
            let [new, newest, older] = slopes.map(|slope| slope[i]);
            let change = new - newest;
            *e = match before {
                _ if c.state_error() > 0.0 => c.state_error() * h * change,
                // h³/6 times the second divided difference of r'.
                Some(b) => {
                    let last = newest - older;
                    h * h * h / 6.0 * (change / h - last / b) / (h + b)
                }
                None => h / 6.0 * change,
            };
        }
        let of_p = self.weights.rms(l.x.p, l.x.p.of(error));
        let of_r = self.weights.rms(l.x.r, l.x.r.of(error));
        let factor = step_factor(&self.options, of_p, 3.0).min(step_factor(&self.options, of_r, power));
        let (block, err) = if of_r > of_p { (l.x.r, of_r) } else { (l.x.p, of_p) };
        let component = dominating(block.of(error), block.of(&self.weights.scal)).map(|i| block.start + i);
        Estimate { err, factor, component }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Form;
    use crate::mechanism::samples::Everything;
    use crate::options::Family;
    use crate::system::Supplied;

    #[test]
    fn step_size_follows_the_error_within_limits() {
        let options = Options::of_call();
        assert!((step_factor(&options, 1.0 / 8.0, 3.0) - 1.8).abs() < 1e-14);
        assert!((step_factor(&options, 0.25, 2.0) - 1.8).abs() < 1e-14);
        assert_eq!(step_factor(&options, 0.0, 3.0), GROWTH);
        assert_eq!(step_factor(&options, 1e9, 3.0), options.facr);
        assert_eq!(step_factor(&Options { facl: 2.0, ..options }, 0.0, 3.0), 2.0);
    }

    fn hht(family: Family) -> Hht {
        use crate::mechanism::Mechanism;
        let layout = Layout::new(Everything.dimensions(), Form::StrangenessFree);
        let (options, tolerance) = (Options { family, ..Options::of_call() }, Tolerance::scalar(1e-3, 1e-3));
        let start = (0.0, &Everything::x0()[..], 0.1);
        Hht::new(&layout, &options, &tolerance, Supplied::default(), start)
    }

    /// Sizes are those of positions, c h² a, or of force elements: h/6 r' where the family has no error of lower order.
    #[test]
    fn increments_are_measured_as_errors() {
        for family in [Family::Hht, Family::GeneralizedAlpha] {
            let mut hht = hht(family);
            let (u, c) = (hht.unknowns, hht.coefficients);
            let of_slope = if c.state_error() > 0.0 { c.state_error() } else { 1.0 / 6.0 };
            // Weights are 1 before the first point; one of three positions moves.
            let of_a = c.position_error() * 0.1 / 3f64.sqrt();
            for (at, value, expected) in [
                (u.position().start, 2.0, 2.0 * 0.1 * of_a),
                (u.slope.start, -3.0, 3.0 * 0.1 * of_slope),
                (u.position().start, f64::NAN, f64::NAN),
                (u.slope.start, f64::NAN, f64::NAN),
            ] {
                hht.work.e.fill(0.0);
                hht.work.e[at] = value;
                let size = hht.increment_size(0.1);
                assert!(
                    (size / expected - 1.0).abs() < 1e-14 || (size.is_nan() && expected.is_nan()),
                    "{size}"
                );
            }
        }
    }

    #[test]
    fn rounding_errors_are_those_of_positions_and_force_elements() {
        let mut hht = hht(Family::Hht);
        assert_eq!(hht.round_off_floor(), 0.0);
        let (l, c) = (hht.layout, hht.coefficients);
        let unit = FLOOR * f64::EPSILON;
        let (p, r) = (l.x.contact_position, l.x.r);
        let mut x = vec![0.0; l.n];
        p.of_mut(&mut x).copy_from_slice(&[0.0, -4.0, 0.0, 0.0]);
        hht.weights.see(&l, &x);
        // One of four has the weight 5e-3, the other ones 1e-3.
        let by_weights = ((3.0 * 1e6 + 4e4) / 4.0f64).sqrt();
        let expected = unit * c.position_error() / c.beta * 4.0 * by_weights;
        assert!((hht.round_off_floor() / expected - 1.0).abs() < 1e-12);
        r.of_mut(&mut x)[0] = 1e6;
        hht.weights.see(&l, &x);
        let expected = unit * 1e6 / (1e-3 + 1e3);
        assert!(hht.round_off_floor() >= expected);
        hht.weights.peak[p.start + 1] = 0.0;
        hht.weights.renew();
        assert!((hht.round_off_floor() / expected - 1.0).abs() < 1e-12);
    }
}
