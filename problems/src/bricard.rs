//! Bricard's rectangular mechanism: five bars in space, six revolute joints, one degree of freedom that
//! no counting of constraints gives: one of five closing conditions is redundant everywhere.
//!
//! Relative angles θ_1..θ_5 about the axes (y, z, x, y, z) along the chain from P0; closed by P5 = (0, 0, 1)
//! and by the last axis being that of the ground: 5 coordinates, 5 constraints, rank 4. λ is not unique.

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};

const SOURCE: &str = "IFToMM library of computational benchmark problems, A04 rectangular Bricard mechanism";
const QUADRUPLE: &str =
    "extrapolation with a rank-revealing solver in quadruple precision, confirmed with Newton-Euler \
                         equations of the bodies";

/// Multipliers at the start.
const START: [f64; 5] = [
    0.722_532_934_131_733_8,
    -15.304_383_233_532_938,
    7.908_700_598_802_396,
    0.722_532_934_131_733_7,
    5.950_616_766_467_068,
];

/// The bars: 1 m, 1 kg, square section of 0.1 m. Invariant: the energy.
#[derive(Clone, Copy, Debug)]
pub struct Bricard;

type Vector<T> = [T; 3];

fn cross<T: Real>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot<T: Real>(a: &Vector<T>, b: &Vector<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn plus<T: Real>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn minus<T: Real>(a: &Vector<T>, b: &Vector<T>) -> Vector<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Turn a frame about one of its own axes.
fn turn<T: Real>(frame: &mut [Vector<T>; 3], axis: usize, angle: T) {
    let (s, c) = (angle.sin(), angle.cos());
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let (ea, eb) = (frame[a], frame[b]);
    frame[a] = std::array::from_fn(|n| ea[n] * c + eb[n] * s);
    frame[b] = std::array::from_fn(|n| eb[n] * c - ea[n] * s);
}

fn sum<T: Real>(a: &Vector<T>, b: &Vector<T>, factor: T) -> Vector<T> {
    [a[0] + b[0] * factor, a[1] + b[1] * factor, a[2] + b[2] * factor]
}

/// A bar: its joint, the axis of the joint, and its direction.
#[derive(Clone, Copy)]
struct Bar<T> {
    joint: Vector<T>,
    axis: Vector<T>,
    along: Vector<T>,
}

impl<T: Real> Bar<T> {
    fn centre(&self) -> Vector<T> {
        sum(&self.joint, &self.along, T::real(0.5))
    }
    fn tip(&self) -> Vector<T> {
        plus(&self.joint, &self.along)
    }
    /// J ω = A ω + (C - A)(u·ω) u with the direction u.
    fn inertia(&self, w: &Vector<T>) -> Vector<T> {
        let spin = dot(w, &self.along) * (Bricard::AXIAL - Bricard::TRANSVERSE);
        let scaled = w.map(|w| w * Bricard::TRANSVERSE);
        sum(&scaled, &self.along, spin)
    }
}

impl Bricard {
    const GRAVITY: f64 = 9.81;
    const AXIAL: f64 = 0.02 / 12.0;
    const TRANSVERSE: f64 = 1.01 / 12.0;
    /// Coordinate axes of the joints, and of the bars with their signs, at the start.
    const AXES: [usize; 5] = [1, 2, 0, 1, 2];
    const BARS: [(usize, f64); 5] = [(0, 1.0), (1, -1.0), (2, 1.0), (0, -1.0), (1, 1.0)];

    /// The bars at given angles.
    fn bars<T: Real>(p: &[T]) -> [Bar<T>; 5] {
        let (mut frame, mut joint) = (Self::axes(), [T::zero(); 3]);
        std::array::from_fn(|i| {
            turn(&mut frame, Self::AXES[i], p[i]);
            let (direction, sign) = Self::BARS[i];
            let along = frame[direction].map(|e| e * sign);
            let bar = Bar { joint, axis: frame[Self::AXES[i]], along };
            joint = bar.tip();
            bar
        })
    }

    /// The coordinate axes.
    fn axes<T: Real>() -> [Vector<T>; 3] {
        let (zero, one) = (T::zero(), T::real(1.0));
        [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    }

    /// The joints P1..P5.
    pub fn points(p: &[f64]) -> [[f64; 3]; 5] {
        Self::bars(p).map(|bar| bar.tip())
    }
}

impl Mechanism for Bricard {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 5, nv: 5, nl: 5, ni: 1, ..Dimensions::default() }
    }

    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        let bars = Self::bars(p);
        for (i, body) in bars.iter().enumerate() {
            let centre = body.centre();
            let lever: [Vector<T>; 5] =
                std::array::from_fn(|j| cross(&bars[j].axis, &minus(&centre, &bars[j].joint)));
            for j in 0..=i {
                let turned = body.inertia(&bars[j].axis);
                for k in 0..=i {
                    m[j + 5 * k] += dot(&lever[j], &lever[k]) + dot(&turned, &bars[k].axis);
                }
            }
        }
    }

    /// Newton and Euler along the chain with θ'' = 0; the joints take the moments about their axes.
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (bars, zero) = (Self::bars(x.p), [T::zero(); 3]);
        let (mut w, mut turning, mut joint) = (zero, zero, zero);
        for (i, body) in bars.iter().enumerate() {
            // Rate of the axis, which the preceding bar carries.
            turning = sum(&turning, &cross(&w, &body.axis), x.v[i]);
            w = sum(&w, &body.axis, x.v[i]);
            let arm = |length: f64| {
                let r = body.along.map(|e| e * length);
                let (tangential, inward) = (cross(&turning, &r), cross(&w, &cross(&w, &r)));
                plus(&plus(&joint, &tangential), &inward)
            };
            let mut push = arm(0.5).map(|a| -a);
            push[1] = push[1] - Self::GRAVITY;
            let gyration = plus(&body.inertia(&turning), &cross(&w, &body.inertia(&w)));
            let centre = body.centre();
            for (j, hinge) in bars.iter().enumerate().take(i + 1) {
                let lever = cross(&hinge.axis, &minus(&centre, &hinge.joint));
                f[j] += dot(&lever, &push) - dot(&hinge.axis, &gyration);
            }
            joint = arm(1.0);
        }
    }

    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        // The last bar alone, without the others: most evaluations are of these rows.
        let (mut frame, mut tip) = (Self::axes::<T>(), [T::zero(); 3]);
        for (i, &angle) in p.iter().enumerate() {
            turn(&mut frame, Self::AXES[i], angle);
            let (direction, sign) = Self::BARS[i];
            tip.iter_mut().zip(&frame[direction]).for_each(|(tip, e)| *tip += *e * sign);
        }
        g[..3].copy_from_slice(&tip);
        g[2] = tip[2] - 1.0;
        g[3] = frame[0][1];
        g[4] = frame[0][2];
    }

    /// From the motion of the joints: the velocity of a point is its derivative.
    fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let bars = Self::bars(p);
        let (mut w, mut joint) = ([T::zero(); 3], [T::zero(); 3]);
        for (body, &rate) in bars.iter().zip(v) {
            w = sum(&w, &body.axis, rate);
            let centre = sum(&joint, &cross(&w, &body.along), T::real(0.5));
            e[0] += (dot(&centre, &centre) + dot(&w, &body.inertia(&w))) * 0.5;
            e[0] += body.centre()[1] * Self::GRAVITY;
            joint = plus(&joint, &cross(&w, &body.along));
        }
    }
}

/// (v, p) at 1, 2 and 10 s: the odd and the even angles are equal among themselves.
const KNOWN: [(f64, [f64; 2], [f64; 2]); 3] = [
    (
        1.0,
        [2.036_415_380_969_969_7, -0.338_933_399_215_778_64],
        [1.035_028_459_518_062, -0.480_621_104_177_184_73],
    ),
    (
        2.0,
        [1.024_431_027_733_364_6, 0.652_731_256_230_290_9],
        [2.893_328_205_981_293_3, -0.198_554_737_795_862_02],
    ),
    (
        10.0,
        [0.032_462_011_740_997_92, -0.032_444_551_051_542_36],
        [0.000_269_048_883_324_646_04, -0.000_268_976_515_492_640_04],
    ),
];

/// The problem `bricard`; the initial multipliers are those of minimum norm.
pub fn problems() -> Vec<Problem> {
    let mut x0 = vec![0.0; 15];
    x0[..5].copy_from_slice(&START);
    let problem = Problem::of_mechanism("bricard", SOURCE, Bricard, 2.0, x0);
    let problem = Problem { rank_deficient: true, redundant: true, ..problem };
    vec![KNOWN.into_iter().fold(problem, |problem: Problem, (t, [v1, v2], [p1, p2])| {
        let values = [v1, v2, v1, v2, v1, p1, p2, p1, p2, p1];
        problem.with_reference(t, QUADRUPLE, from_index(5, &values))
    })]
}
