//! Sums that do not depend on who adds what in which order, so that all decisions, and with them all digits, are the same however the
//! subdomains are spread over participants: the terms are cut into digits of 32 bits, whose sums are whole numbers and exact.

/// Digits of a sum, from 2¹⁹² downwards.
pub const DIGITS: usize = 12;
/// Bits of a digit; with 53 bits in a double there may be 2²¹ terms.
const BITS: i32 = 32;
/// Exponent above the first digit.
const TOP: i32 = 192;

/// A sum of nonnegative terms; what is below 2⁻¹⁹² is dropped, 2¹⁹² and more is infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum(pub [f64; DIGITS]);

fn unit(digit: usize) -> f64 {
    2f64.powi(TOP - BITS * (digit as i32 + 1))
}

impl Sum {
    /// Add a term.
    pub fn add(&mut self, term: f64) {
        if !(0.0..2f64.powi(TOP)).contains(&term) {
            self.0[0] += if term.is_nan() { term } else { f64::INFINITY };
            return;
        }
        let mut rest = term;
        for (k, digit) in self.0.iter_mut().enumerate() {
            let whole = (rest / unit(k)).floor();
            *digit += whole;
            rest -= whole * unit(k);
        }
    }

    /// The sum, rounded.
    pub fn value(&self) -> f64 {
        self.0.iter().enumerate().rev().map(|(k, digit)| digit * unit(k)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_terms_does_not_matter() {
        let terms: Vec<f64> = (0..500).map(|k: i32| 1.7f64.powi((k * 37) % 111 - 60) / 3.0).collect();
        let exact = |terms: &mut dyn Iterator<Item = &f64>| {
            let mut sum = Sum::default();
            terms.for_each(|t| sum.add(*t));
            sum
        };
        let forwards = exact(&mut terms.iter());
        assert_eq!(forwards, exact(&mut terms.iter().rev()));
        // In two participants, added up digit by digit.
        let (left, right) = terms.split_at(123);
        let (mut left, right) = (exact(&mut left.iter()), exact(&mut right.iter()));
        left.0.iter_mut().zip(right.0).for_each(|(l, r)| *l += r);
        assert_eq!(forwards, left);
        let plain: f64 = terms.iter().sum();
        assert!((forwards.value() - plain).abs() < 1e-14 * plain);
        // Sums of doubles do depend on the order.
        let few = [1e16, 1.0, 1.0];
        assert!(few.iter().sum::<f64>() != few.iter().rev().sum::<f64>());
        assert_eq!(exact(&mut few.iter()).value(), 1e16 + 2.0);
        assert_eq!(exact(&mut few.iter()), exact(&mut few.iter().rev()));
    }

    #[test]
    fn single_terms_and_what_is_not_finite() {
        for term in [0.0, 1.0, 0.1, 1e-20, 3e24, 1e40, 2f64.powi(-190)] {
            let mut sum = Sum::default();
            sum.add(term);
            assert!((sum.value() - term).abs() <= 2f64.powi(-TOP), "{term}: {}", sum.value());
        }
        for (term, nan) in [(f64::NAN, true), (f64::INFINITY, false), (1e60, false), (-1.0, false)] {
            let mut sum = Sum::default();
            sum.add(term);
            assert!(sum.value().is_nan() == nan && !sum.value().is_finite());
        }
    }
}
