//! Chain of N links in the plane, hung up at the origin and released from the horizontal: as many
//! constraints as wanted, with tridiagonal G M⁻¹ Gᵀ.

use super::chain_references::{HUNDREDTHS_100, TENTHS_10, UNITS_10, UNITS_50};
use super::linkage::{Bar, End, Linkage};
use super::problem::Problem;
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};

const SOURCE: &str =
    "rope of N point masses on massless links, a common scalable model problem; data as stated";
const QUADRUPLE: &str =
    "extrapolation with elimination of λ in 28 digits, two step sizes; energy balance 1e-16 or better";

/// N point masses on links. p = (x_1, y_1, ...), λ from the fixed end outwards.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Number of links.
    pub n: usize,
    /// Length of a link.
    pub length: f64,
    /// Mass of a point.
    pub mass: f64,
}

impl Chain {
    const GRAVITY: f64 = 9.81;

    /// Total length 1 and mass 1.
    pub fn of_unit_length(n: usize) -> Self {
        Chain { n, length: 1.0 / n as f64, mass: 1.0 / n as f64 }
    }

    /// Links of length 1 and points of mass 1.
    pub fn of_unit_links(n: usize) -> Self {
        Chain { n, length: 1.0, mass: 1.0 }
    }

    /// Horizontal, at rest: no link pulls.
    pub fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; 5 * self.n];
        (0..self.n).for_each(|i| x[3 * self.n + 2 * i] = (i + 1) as f64 * self.length);
        x
    }

    /// With the Jacobian written out.
    pub fn linkage(&self) -> Linkage {
        let Chain { n, length, mass } = *self;
        let other = |i: usize| if i == 0 { End::Ground([0.0; 2]) } else { End::Point(i - 1) };
        Linkage {
            points: n,
            mass: (0..n).map(|i| (i, i, mass)).collect(),
            inverse: (0..n).map(|i| vec![(i, 1.0 / mass)]).collect(),
            force: [0.0, -mass * Self::GRAVITY].repeat(n),
            bars: (0..n).map(|i| Bar { point: i, other: other(i), length }).collect(),
        }
    }

    /// As a problem, for any N.
    pub fn problem(&self, name: &str, tend: f64) -> Problem {
        self.linkage().problem(name, SOURCE, tend, self.start())
    }
}

/// The equations for the general machinery, which the written-out Jacobian is checked against.
impl Mechanism for Chain {
    fn dimensions(&self) -> Dimensions {
        self.linkage().dimensions()
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..2 * self.n).for_each(|i| m[i * (2 * self.n + 1)] = T::real(self.mass));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f.chunks_mut(2).for_each(|f| f[1] = T::real(-self.mass * Self::GRAVITY));
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let mut last = [T::zero(); 2];
        for (g, p) in g.iter_mut().zip(p.chunks(2)) {
            *g = (p[0] - last[0]).sq() + (p[1] - last[1]).sq() - self.length * self.length;
            last = [p[0], p[1]];
        }
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        for (p, v) in p.chunks(2).zip(v.chunks(2)) {
            e[0] += (v[0].sq() + v[1].sq()) * (0.5 * self.mass) + p[1] * (self.mass * Self::GRAVITY);
        }
    }
}

/// Index into x and value for numbered links of a chain of n.
fn values<'a>(n: usize, list: impl Iterator<Item = (usize, &'a [f64; 5])>) -> Vec<(usize, f64)> {
    let place = |i: usize| [i, n + 2 * i, n + 2 * i + 1, 3 * n + 2 * i, 3 * n + 2 * i + 1];
    let mut all: Vec<(usize, f64)> = list.flat_map(|(i, row)| place(i).into_iter().zip(*row)).collect();
    all.sort_by_key(|&(i, _)| i);
    all
}

/// Chains with known end values; [`Chain::problem`] makes others.
pub fn problems() -> Vec<Problem> {
    let some = HUNDREDTHS_100.iter().map(|(number, row)| (number - 1, row));
    vec![
        Chain::of_unit_length(10).problem("chain-10", 0.5).with_reference(
            0.5,
            QUADRUPLE,
            values(10, TENTHS_10.iter().enumerate()),
        ),
        Chain::of_unit_length(100).problem("chain-100", 0.5).with_reference(
            0.5,
            QUADRUPLE,
            values(100, some),
        ),
        Chain::of_unit_links(10).problem("chain-unit-10", 1.0).with_reference(
            1.0,
            QUADRUPLE,
            values(10, UNITS_10.iter().enumerate()),
        ),
        Chain::of_unit_links(50).problem("chain-unit-50", 1.0).with_reference(
            1.0,
            QUADRUPLE,
            values(50, UNITS_50.iter().enumerate()),
        ),
    ]
}
