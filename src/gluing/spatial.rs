//! Bodies in space: a port with a point and three axes, and the joints that need axes.

use super::joint::{Evaluated, Term};
use super::port::Port;
use crate::system::Outcome;

/// A point of a body in space and the axes of the body: (point, e1, e2, e3), 12 components. Three of them are a spherical joint.
#[derive(Clone, Copy, Debug)]
pub struct SpatialFrame {
    /// Indices of the coordinates of the body's origin among the positions.
    pub origin: [usize; 3],
    /// Indices of the unit quaternion of its attitude, the real part first.
    pub attitude: [usize; 4],
    /// The point in the frame of the body.
    pub at: [f64; 3],
}

/// Components of the port.
const SIZE: usize = 12;

type Vector = [f64; 3];

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The symmetric bilinear form whose diagonal q, q is R(q) a, quadratic in q.
fn turned([q0, q @ ..]: [f64; 4], [s0, s @ ..]: [f64; 4], a: Vector) -> Vector {
    let (along, qa, sa) = (q0 * s0 - dot(&q, &s), dot(&q, &a), dot(&s, &a));
    let (qxa, sxa) = (cross(q, a), cross(s, a));
    std::array::from_fn(|i| along * a[i] + qa * s[i] + sa * q[i] + q0 * sxa[i] + s0 * qxa[i])
}

fn unit(k: usize) -> [f64; 4] {
    std::array::from_fn(|i| f64::from(u8::from(i == k)))
}

impl SpatialFrame {
    /// What is turned: the point and the axes.
    fn vectors(&self) -> [Vector; 4] {
        [self.at, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    }

    fn quaternion(&self, p: &[f64]) -> [f64; 4] {
        self.attitude.map(|i| p[i])
    }
}

impl Port for SpatialFrame {
    fn size(&self) -> usize {
        SIZE
    }

    fn evaluate(&mut self, _t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]) -> Outcome {
        let q = self.quaternion(p);
        for (block, a) in self.vectors().into_iter().enumerate() {
            y[3 * block..3 * block + 3].copy_from_slice(&turned(q, q, a));
            for (k, &column) in self.attitude.iter().enumerate() {
                for (i, d) in turned(q, unit(k), a).into_iter().enumerate() {
                    jacobian[3 * block + i + SIZE * column] += 2.0 * d;
                }
            }
        }
        for (i, &k) in self.origin.iter().enumerate() {
            y[i] += p[k];
            jacobian[i + SIZE * k] += 1.0;
        }
        Outcome::Continue
    }

    fn add_stiffness(&mut self, _t: f64, p: &[f64], f: &[f64], factor: f64, into: &mut [f64]) -> bool {
        for (block, a) in self.vectors().into_iter().enumerate() {
            for (k, &row) in self.attitude.iter().enumerate() {
                for (l, &column) in self.attitude.iter().enumerate() {
                    let second = turned(unit(k), unit(l), a);
                    into[row + column * p.len()] += 2.0 * factor * dot(&second, &f[3 * block..3 * block + 3]);
                }
            }
        }
        true
    }

    fn curvature(&mut self, _t: f64, _p: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        let rate = self.quaternion(v);
        for (out, a) in out.chunks_exact_mut(3).zip(self.vectors()) {
            let second = turned(rate, rate, a);
            out.iter_mut().zip(second).for_each(|(out, s)| *out = 2.0 * s);
        }
        true
    }
}

/// Joints of [`SpatialFrame`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spatial {
    /// The points coincide, the bodies turn about their common e3.
    Revolute,
    /// The bodies turn about their common e3 and slide along it.
    Cylindrical,
    /// The bodies slide along their common e3 without turning.
    Prismatic,
    /// The points coincide, e1 of a stays perpendicular to e2 of b: a Cardan joint.
    Universal,
    /// Points and axes coincide.
    Fixed,
}

/// A constraint of such a joint; numbers are of 3-vectors of u, of which 0 is the difference of the points.
#[derive(Clone, Copy)]
enum Row {
    Component(usize),
    Perpendicular(usize, usize),
}

impl Spatial {
    /// Axes in u behind the difference of the points: side and number of the axis.
    fn axes(self) -> &'static [(usize, usize)] {
        match self {
            Spatial::Revolute | Spatial::Cylindrical => &[(0, 0), (0, 1), (1, 2)],
            Spatial::Prismatic | Spatial::Fixed => &[(0, 0), (0, 1), (1, 2), (1, 1)],
            Spatial::Universal => &[(0, 0), (1, 1)],
        }
    }

    fn rows(self) -> &'static [Row] {
        use Row::{Component, Perpendicular};
        const TURN: [Row; 2] = [Perpendicular(1, 3), Perpendicular(2, 3)];
        const POINT: [Row; 3] = [Component(0), Component(1), Component(2)];
        const ACROSS: [Row; 2] = [Perpendicular(0, 1), Perpendicular(0, 2)];
        const ABOUT: Row = Perpendicular(1, 4);
        match self {
            Spatial::Revolute => &const { [POINT[0], POINT[1], POINT[2], TURN[0], TURN[1]] },
            Spatial::Cylindrical => &const { [ACROSS[0], ACROSS[1], TURN[0], TURN[1]] },
            Spatial::Prismatic => &const { [ACROSS[0], ACROSS[1], TURN[0], TURN[1], ABOUT] },
            Spatial::Universal => &const { [POINT[0], POINT[1], POINT[2], Perpendicular(1, 2)] },
            Spatial::Fixed => &const { [POINT[0], POINT[1], POINT[2], TURN[0], TURN[1], ABOUT] },
        }
    }

    /// Number of relative coordinates.
    pub fn size(self) -> usize {
        3 + 3 * self.axes().len()
    }

    /// Number of constraints.
    pub fn constraints(self) -> usize {
        self.rows().len()
    }

    /// Components that each port must have.
    pub const PORT: usize = SIZE;

    /// The entries of U at end a (0) or b (1).
    pub fn terms(self, side: usize) -> Vec<Term> {
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let point = (0..3).map(|i| Term { row: i, component: i, sign });
        let own = self.axes().iter().enumerate().filter(|(_, a)| a.0 == side);
        let axes = own.flat_map(|(k, &(_, axis))| {
            (0..3).map(move |i| Term { row: 3 + 3 * k + i, component: 3 + 3 * axis + i, sign: 1.0 })
        });
        point.chain(axes).collect()
    }

    /// φ, its derivatives, and those of φ_uᵀ λ.
    pub fn evaluate(self, u: &[f64], rate: &[f64], lambda: &[f64], out: &mut Evaluated) {
        let (m, n) = (self.constraints(), self.size());
        let vector = |v: &[f64], k: usize| -> Vector { [v[3 * k], v[3 * k + 1], v[3 * k + 2]] };
        for (row, kind) in self.rows().iter().enumerate() {
            match *kind {
                Row::Component(i) => {
                    out.phi[row] = u[i];
                    out.phi_u[row + i * m] = 1.0;
                }
                Row::Perpendicular(a, b) => {
                    let (ua, ub) = (vector(u, a), vector(u, b));
                    out.phi[row] = dot(&ua, &ub);
                    out.curvature[row] = 2.0 * dot(&vector(rate, a), &vector(rate, b));
                    for i in 0..3 {
                        out.phi_u[row + (3 * a + i) * m] = ub[i];
                        out.phi_u[row + (3 * b + i) * m] = ua[i];
                        out.by_u[3 * a + i + (3 * b + i) * n] += lambda[row];
                        out.by_u[3 * b + i + (3 * a + i) * n] += lambda[row];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gluing::port::{Evaluator, Function};

    /// Rotation by 90° about z, and derivatives against those that are had by differences.
    #[test]
    fn frame_of_a_body() {
        let frame = SpatialFrame { origin: [1, 2, 0], attitude: [3, 4, 5, 6], at: [0.3, -0.2, 0.5] };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut port = frame;
        let (mut y, mut j) = ([0.0; SIZE], [0.0; SIZE * 7]);
        let _ = port.evaluate(0.0, &[3.0, 1.0, 2.0, half, 0.0, 0.0, half], &mut y, &mut j);
        let expected = [1.2, 2.3, 3.5, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(y.iter().zip(expected).all(|(y, e)| (y - e).abs() < 1e-15), "{y:?}");

        let mut same = frame;
        let function = move |t: f64, p: &[f64], y: &mut [f64], j: &mut [f64]| same.evaluate(t, p, y, j);
        let by_differences = Function { size: SIZE, depends_on_time: false, function };
        let mut ports = [Evaluator::new(Box::new(frame), 7), Evaluator::new(Box::new(by_differences), 7)];
        let (p, v) = ([0.1, 0.7, -0.4, 0.5, -0.5, 0.6, 0.4], [0.2, 0.9, 0.1, -0.3, 0.8, 0.5, -0.7]);
        let f: Vec<f64> = (0..SIZE).map(|i| 0.3 * i as f64 - 1.0).collect();
        let answers = ports.each_mut().map(|port| {
            let mut stiffness = [0.0; 49];
            let _ = port.evaluate(0.0, &p, &v);
            let _ = port.evaluate_curvature(0.0, &p, &v);
            let _ = port.add_stiffness(0.0, &p, &f, 2.0, &mut stiffness);
            [port.curvature.clone(), stiffness.to_vec()].concat()
        });
        for (a, b) in answers[0].iter().zip(&answers[1]) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
        // ∂y/∂p against differences of y.
        for k in 0..7 {
            let at = |d: f64| {
                let (mut moved, mut y, mut j) = (p, [0.0; SIZE], [0.0; SIZE * 7]);
                moved[k] += d;
                let mut other = frame;
                let _ = other.evaluate(0.0, &moved, &mut y, &mut j);
                (y, j)
            };
            let ((plus, _), (minus, _), (_, j)) = (at(1e-5), at(-1e-5), at(0.0));
            for i in 0..SIZE {
                assert!(((plus[i] - minus[i]) / 2e-5 - j[i + SIZE * k]).abs() < 1e-9);
            }
        }
    }
}
