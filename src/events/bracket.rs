//! A zero between two times at which a function has different signs: bisection and inverse quadratic interpolation
//! (T. R. Chandrupatla, Adv. Eng. Software 28, 1997, 145-149). Interpolated is where the three points in hand let expect a monotonic
//! inverse; a function that is a step is bisected. No quotient has a zero below it.

/// A time and the value there.
type Point = (f64, f64);

/// The zero lies between `new` and `other`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket {
    /// The last point.
    new: Point,
    /// The other end, where the function has the other sign.
    other: Point,
    /// The point that left the bracket last.
    left: Option<Point>,
}

impl Bracket {
    /// Values are not zero and differ in sign.
    pub fn new(a: Point, b: Point) -> Self {
        Bracket { new: b, other: a, left: None }
    }

    pub fn width(&self) -> f64 {
        (self.other.0 - self.new.0).abs()
    }

    /// The end behind the zero.
    pub fn later(&self) -> f64 {
        self.new.0.max(self.other.0)
    }

    /// Where to look next: at least half of `enough` from both ends, so that in the end both move.
    pub fn next(&self, enough: f64) -> f64 {
        let least = 0.5 * enough / self.width();
        self.new.0 + self.part().clamp(least, 1.0 - least) * (self.other.0 - self.new.0)
    }

    /// The part of the way from the last point to the other end.
    fn part(&self) -> f64 {
        let ((x1, f1), (x2, f2)) = (self.new, self.other);
        // Halves, so that large values do not overflow.
        let (f1, f2) = (0.5 * f1, 0.5 * f2);
        let Some((x3, f3)) = self.left else {
            // The secant.
            return if f1 == f2 { 0.5 } else { f1 / (f1 - f2) };
        };
        let f3 = 0.5 * f3;
        if f3 == f2 {
            return 0.5;
        }
        let (xi, phi) = ((x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2));
        if phi * phi >= xi || (1.0 - phi) * (1.0 - phi) >= 1.0 - xi {
            return 0.5;
        }
        let part =
            f1 / (f2 - f1) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
        // Where values differ by hundreds of decades.
        if part.is_nan() {
            0.5
        } else {
            part
        }
    }

    /// With the value at the point that was asked for, which is not zero.
    pub fn narrow(&mut self, point: Point) {
        if (point.1 < 0.0) == (self.new.1 < 0.0) {
            self.left = Some(self.new);
        } else {
            self.left = Some(self.other);
            self.other = self.new;
        }
        self.new = point;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The zero in [0, 1] and the evaluations.
    fn zero(f: impl Fn(f64) -> f64) -> (f64, usize) {
        let enough = 4.0 * f64::EPSILON;
        let mut bracket = Bracket::new((0.0, f(0.0)), (1.0, f(1.0)));
        for count in 0..200 {
            if bracket.width() <= enough {
                return (bracket.later(), count);
            }
            let t = bracket.next(enough);
            assert!(t > bracket.new.0.min(bracket.other.0) && t < bracket.later());
            match f(t) {
                0.0 => return (t, count + 1),
                value => bracket.narrow((t, value)),
            }
        }
        (f64::NAN, 200)
    }

    #[test]
    fn smooth_functions_take_a_dozen_evaluations() {
        let all: [(&dyn Fn(f64) -> f64, f64); 8] = [
            (&|t| t.powi(9) - 1e-3, 1e-3f64.powf(1.0 / 9.0)),
            (&|t| 1e-3 - t.powi(9), 1e-3f64.powf(1.0 / 9.0)),
            (&|t| (1.0 - t).powi(9) - 1e-3, 1.0 - 1e-3f64.powf(1.0 / 9.0)),
            (&|t| (8.0 * t).exp() - 20.0, 20.0f64.ln() / 8.0),
            (&|t| 1.0 - 20.0 * (-8.0 * t).exp(), 20.0f64.ln() / 8.0),
            (&|t| (t + 1e-3).ln() + 1.0, (-1.0f64).exp() - 1e-3),
            (&|t| t * t - 0.3, 0.3f64.sqrt()),
            (&|t| 1e-300 * ((1.5 * t).sin() - 0.5), 0.5f64.asin() / 1.5),
        ];
        for (k, (f, exact)) in all.into_iter().enumerate() {
            let (t, count) = zero(f);
            assert!((t - exact).abs() < 1e-14 && count <= 12, "{k}: {t} for {exact}, {count} evaluations");
        }
    }

    #[test]
    fn a_straight_line_takes_one() {
        assert_eq!(zero(|t| t - 0.25), (0.25, 1));
        assert_eq!(zero(|t| 1e308 * (0.5 - 2.0 * t)), (0.25, 1));
    }

    /// Bisection takes 50; what is returned lies behind the step.
    #[test]
    fn steps_and_flat_zeros_end() {
        for end in [0.3, 1e-9, 1.0 - 1e-9] {
            let (t, count) = zero(|t| if t < end { -1.0 } else { 1.0 });
            assert!((0.0..1e-15).contains(&(t - end)) && count <= 52, "{end}: {t}, {count}");
            let (t, count) = zero(|t| if t < end { -1e-300 } else { 1e300 });
            assert!((0.0..1e-15).contains(&(t - end)) && count <= 104, "{end}: {t}, {count}");
            let (t, count) = zero(|t| if t < end { 1e300 } else { -f64::MIN_POSITIVE });
            assert!((0.0..1e-15).contains(&(t - end)) && count <= 104, "{end}: {t}, {count}");
        }
        let (t, count) = zero(|t| (t - 0.3).powi(3));
        assert!((t - 0.3).abs() < 1e-14 && count <= 104, "{t}, {count}");
    }

    /// The smallest values there are: their halves are zero, and the bracket is halved.
    #[test]
    fn values_that_vanish_when_halved_are_bisected() {
        let least = f64::from_bits(1);
        let mut bracket = Bracket::new((0.0, -least), (1.0, least));
        assert_eq!(bracket.next(0.0), 0.5);
        bracket.narrow((0.5, least));
        assert_eq!(bracket.next(0.0), 0.25);
        bracket.narrow((0.25, -least));
        assert_eq!(bracket.next(0.0), 0.375);
    }
}
