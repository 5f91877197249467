//! Four-bar linkages: a parallelogram in relative angles, and a row of N parallelograms in natural
//! coordinates. Both have exact solutions, and both pass positions where the constraint matrix loses
//! rank and the multipliers have poles.

use super::elliptic::{complete, jacobi};
use super::linkage::{Bar, End, Linkage};
use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::{solve_in_place, Real};
use geoms::mechanism::{Blocks, Mechanism};
use std::f64::consts::PI;
use std::sync::Arc;

const HULBERT: &str =
    "F.-C. Tseng, G. M. Hulbert, A gluing algorithm for network-distributed multibody dynamics simulation, \
     Multibody System Dynamics (2001), section 3.3";
const IFTOMM: &str = "IFToMM library of computational benchmark problems, A02 N-four-bar mechanism";
const CLOSED_FORM: &str = "closed form, 25 digits";

/// Parallel four-bar in relative angles q, cut at the last joint; torque -2t on the first angle.
#[derive(Clone, Copy, Debug)]
pub struct RelativeFourBar;

impl RelativeFourBar {
    /// Length of the coupler; the cranks have length 1.
    const COUPLER: f64 = 2.0;
    /// Coefficients of the mass matrix in absolute angles a: `K[i][j] cos(a_i - a_j)`, from masses
    /// 10, 20, 10, moments of inertia 1, 2, 1 and centres in the middle of the links.
    const K: [[f64; 3]; 3] = [[33.5, 40.0, 5.0], [40.0, 62.0, 10.0], [5.0, 10.0, 3.5]];

    /// x(t) = (λ, v, p). The first multiplier has poles where sin q1 = 0.
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let q = 0.5 * PI + 2.0 * PI * t - t.powi(3) / 81.0;
        let (rate, acc) = (2.0 * PI - t * t / 27.0, -2.0 * t / 27.0);
        let (sin, cos) = q.sin_cos();
        let k = &Self::K;
        // Rows of the coupler and of the last crank in absolute angles.
        let l2 = (k[1][0] - k[1][2]) / Self::COUPLER * (sin * rate * rate - cos * acc);
        let l1 = (cos * l2 - (k[2][2] - k[2][0]) * acc) / sin;
        vec![l1, l2, rate, -rate, rate, q, 2.0 * PI - q, PI + q]
    }

    fn absolute<T: Real>(q: &[T]) -> [T; 3] {
        [q[0], q[0] + q[1], q[0] + q[1] + q[2]]
    }
}

impl Mechanism for RelativeFourBar {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        let a = Self::absolute(p);
        // M = Aᵀ M_a A, where a = A q and A is the lower triangle of ones.
        for (i, row) in Self::K.iter().enumerate() {
            for (j, &k) in row.iter().enumerate() {
                let entry = (a[i] - a[j]).cos() * k;
                for c in 0..=j {
                    for r in 0..=i {
                        m[r + 3 * c] += entry;
                    }
                }
            }
        }
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (a, w) = (Self::absolute(x.p), Self::absolute(x.v));
        f[0] = t * -2.0;
        for (i, row) in Self::K.iter().enumerate() {
            for (j, &k) in row.iter().enumerate() {
                let centrifugal = (a[i] - a[j]).sin() * w[j].sq() * k;
                f[..=i].iter_mut().for_each(|fr| *fr -= centrifugal);
            }
        }
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let a = Self::absolute(p);
        g[0] = a[0].cos() + a[1].cos() * Self::COUPLER + a[2].cos() - Self::COUPLER;
        g[1] = a[0].sin() + a[1].sin() * Self::COUPLER + a[2].sin();
    }
}

/// N parallelograms in a row, in the coordinates of the points B_0..B_N; bars of mass and length 1.
///
/// Multipliers: the N+1 cranks, then the N couplers.
#[derive(Clone, Copy, Debug)]
pub struct NaturalFourBar {
    /// Number of parallelograms.
    pub n: usize,
}

impl NaturalFourBar {
    const GRAVITY: f64 = 9.81;

    /// Number of couplers at a point.
    fn couplers(&self, i: usize) -> f64 {
        f64::from(u8::from(i > 0) + u8::from(i < self.n))
    }

    /// x(t) = (λ, v, p). All cranks share an angle θ from the vertical, which obeys a pendulum equation
    /// (rotating). For N > 1 the multipliers have poles where cos θ = 0.
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let n = self.n as f64;
        let g = Self::GRAVITY;
        let c = (0.5 * (n + 1.0) + n) / ((n + 1.0) / 3.0 + n);
        let top = (1.0 + 4.0 * c * g).sqrt();
        let k2 = 4.0 * c * g / (top * top);
        let j = jacobi(0.5 * top * t - complete(k2), k2);
        let (sin, cos, rate) = (-2.0 * j.sn * j.cn, 2.0 * j.sn * j.sn - 1.0, top * j.dn);

        let points = self.n + 1;
        let mut x = vec![0.0; points + self.n];
        let mut coupler = 0.0;
        for i in 0..points {
            let (mass, load) = (1.0 / 3.0 + 0.5 * self.couplers(i), 0.5 + 0.5 * self.couplers(i));
            // Tangential balance gives the difference of the coupler multipliers, radial that of the crank.
            // The factor vanishes for N = 1: clear it of round-off, which the pole would magnify.
            let unbalance = mass * c - load;
            let jump = if unbalance.abs() < 1e-14 { 0.0 } else { 0.5 * unbalance * g * sin / cos };
            x[i] = 0.5 * (mass * rate * rate - load * g * cos) + jump * sin;
            coupler += jump;
            if i < self.n {
                x[points + i] = coupler;
            }
        }
        (0..points).for_each(|_| x.extend([rate * cos, -rate * sin]));
        (0..points).for_each(|i| x.extend([i as f64 + sin, cos]));
        x
    }
}

impl NaturalFourBar {
    /// With the Jacobian written out: bars in the order of the multipliers.
    pub fn linkage(&self) -> Linkage {
        let points = self.n + 1;
        let mut mass = vec![0.0; 4 * points * points];
        self.mass(0.0, &[], &mut mass);
        let entry = |i: usize, j: usize| mass[2 * i + 2 * j * 2 * points];
        let pairs = (0..points * points).map(|k| (k / points, k % points, entry(k / points, k % points)));
        let mut force = vec![0.0; 2 * points];
        (0..points).for_each(|i| force[2 * i + 1] = -0.5 * Self::GRAVITY * (1.0 + self.couplers(i)));
        let crank = |i| Bar { point: i, other: End::Ground([i as f64, 0.0]), length: 1.0 };
        let coupler = |i| Bar { point: i + 1, other: End::Point(i), length: 1.0 };
        let inverse = (0..points).map(|i| {
            let mut column = vec![0.0; points];
            column[i] = 1.0;
            let mut matrix: Vec<f64> = (0..points * points).map(|k| entry(k % points, k / points)).collect();
            solve_in_place(points, &mut matrix, &mut column);
            column.into_iter().enumerate().collect()
        });
        Linkage {
            points,
            inverse: inverse.collect(),
            mass: pairs.filter(|&(_, _, m)| m != 0.0).collect(),
            force,
            bars: (0..points).map(crank).chain((0..self.n).map(coupler)).collect(),
        }
    }
}

impl Mechanism for NaturalFourBar {
    fn dimensions(&self) -> Dimensions {
        let np = 2 * (self.n + 1);
        Dimensions { np, nv: np, nl: 2 * self.n + 1, ni: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let size = 2 * (self.n + 1);
        for k in 0..size {
            m[k + k * size] = T::real((1.0 + self.couplers(k / 2)) / 3.0);
            if k + 2 < size {
                m[k + 2 + k * size] = T::real(1.0 / 6.0);
                m[k + (k + 2) * size] = T::real(1.0 / 6.0);
            }
        }
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        for i in 0..=self.n {
            f[2 * i + 1] = T::real(-0.5 * Self::GRAVITY * (1.0 + self.couplers(i)));
        }
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        for i in 0..=self.n {
            g[i] = (p[2 * i] - i as f64).sq() + p[2 * i + 1].sq() - 1.0;
        }
        for i in 0..self.n {
            let (dx, dy) = (p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]);
            g[self.n + 1 + i] = dx.sq() + dy.sq() - 1.0;
        }
    }
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        for i in 0..=self.n {
            let share = 1.0 + self.couplers(i);
            e[0] += (v[2 * i].sq() + v[2 * i + 1].sq()) * (share / 6.0);
            e[0] += p[2 * i + 1] * (0.5 * Self::GRAVITY * share);
        }
        for k in 0..2 * self.n {
            e[0] += v[k] * v[k + 2] / 6.0;
        }
    }
}

/// The relative-angle linkage up to a given time; the first singular position is at t = 0.25.
pub fn relative(name: &str, tend: f64) -> Problem {
    let exact = Arc::new(|t| RelativeFourBar.exact(t));
    let (q, rate) = (14.038_401_509_055_304, 6.135_037_159_031_438);
    let values = [55.468_800_362_722_235, 562.047_943_821_161, rate, -rate, rate, q, 2.0 * PI - q, PI + q];
    let problem = Problem::of_solution(name, HULBERT, RelativeFourBar, tend, exact)
        .with_reference(2.0, CLOSED_FORM, from_index(0, &values))
        .with_reference(4.0, CLOSED_FORM, from_index(0, &[347.647_072_691_211_2, 345.002_621_684_897_04]))
        .with_reference(10.0, CLOSED_FORM, from_index(0, &[-22.441_016_293_858_463, 94.952_944_796_751_6]));
    Problem { time_dependent: true, rank_deficient: tend >= 0.25, ..problem }
}

/// N parallelograms up to a given time; the first singular position is at t = 0.708 for N = 1 and
/// between that and 0.722 for all others.
pub fn natural(name: &str, n: usize, tend: f64) -> Problem {
    let bars = NaturalFourBar { n };
    let problem = bars.linkage().problem(name, IFTOMM, tend, bars.exact(0.0));
    let problem = Problem { exact: Some(Arc::new(move |t| bars.exact(t))), ..problem };
    // v and p of B_0 at t = 10.
    let printed: Option<[f64; 4]> = match n {
        1 => Some([
            1.727_264_075_547_153_6,
            -0.940_952_179_371_515_6,
            0.478_385_057_760_970_56,
            0.878_150_178_791_209_3,
        ]),
        2 => Some([
            1.423_051_470_206_944_1,
            -0.494_868_845_487_042_96,
            0.328_458_111_540_815_4,
            0.944_518_538_178_601,
        ]),
        40 => Some([
            1.148_441_277_469_414_1,
            -0.210_770_066_779_423_93,
            0.180_512_226_686_728_4,
            0.983_572_740_582_311_6,
        ]),
        _ => None,
    };
    let (v, p) = (2 * n + 1, 4 * n + 3);
    let problem = Problem { rank_deficient: tend > 0.7, ..problem };
    match printed {
        Some([vx, vy, px, py]) => {
            let values = vec![(v, vx), (v + 1, vy), (p, px), (p + 1, py)];
            problem.with_reference(10.0, CLOSED_FORM, values)
        }
        None => problem,
    }
}

/// The four-bar problems.
pub fn problems() -> Vec<Problem> {
    vec![
        relative("four-bar-relative", 0.2),
        relative("four-bar-relative-singular", 2.0),
        natural("n-four-bar-1", 1, 10.0),
        natural("n-four-bar-2", 2, 0.5),
        natural("n-four-bar-2-singular", 2, 10.0),
        natural("n-four-bar-10", 10, 0.5),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipliers_of_the_double_four_bar_are_the_printed_ones() {
        let start = NaturalFourBar { n: 2 }.exact(0.0);
        for (i, value) in
            [-4.488_333_333_333_3, -6.690_833_333_333_3, -4.488_333_333_333_3, 0.0, 0.0].iter().enumerate()
        {
            assert!((start[i] - value).abs() < 1e-12, "{i}: {}", start[i]);
        }
        let end = NaturalFourBar { n: 2 }.exact(10.0);
        let printed = [
            -3.702_605_059_039_2,
            -5.404_855_894_465_1,
            -3.702_605_059_039_2,
            -0.047_381_195_697_6,
            0.047_381_195_697_6,
        ];
        for (i, value) in printed.iter().enumerate() {
            assert!((end[i] - value).abs() < 1e-11, "{i}: {}", end[i]);
        }
    }

    #[test]
    fn a_long_row_has_the_printed_end_values() {
        let problem = natural("n-four-bar-40", 40, 10.0);
        let x = NaturalFourBar { n: 40 }.exact(10.0);
        for &(i, value) in &problem.references[0].values {
            assert!((x[i] - value).abs() < 1e-12, "{i}: {} against {value}", x[i]);
        }
    }
}
