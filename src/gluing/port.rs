//! Ports: what a subdomain shows of itself at a joint, functions y = C(p, t) such as a joint point and its orientation.

use crate::system::Outcome;

/// A vector function of the positions. Matrices are column-major.
pub trait Port {
    /// Number of components.
    fn size(&self) -> usize;

    /// y, and ∂y/∂p (size by NP, comes in as zeros).
    fn evaluate(&mut self, t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]) -> Outcome;

    /// Add `factor`·∂(Cₚᵀ f)/∂p, NP by NP, for a constant f; false if it is to be had by differences.
    fn add_stiffness(&mut self, _t: f64, _p: &[f64], _f: &[f64], _factor: f64, _into: &mut [f64]) -> bool {
        false
    }

    /// The part of y'' that does not depend on v'; false if it is to be had by differences.
    fn curvature(&mut self, _t: f64, _p: &[f64], _v: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// True if y depends on t: then its rate is had by differences.
    fn depends_on_time(&self) -> bool {
        false
    }
}

/// Some of the positions themselves.
#[derive(Clone, Debug)]
pub struct Coordinates(pub Vec<usize>);

impl Port for Coordinates {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn evaluate(&mut self, _t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]) -> Outcome {
        let n = self.0.len();
        for (i, &k) in self.0.iter().enumerate() {
            (y[i], jacobian[i + k * n]) = (p[k], 1.0);
        }
        Outcome::Continue
    }

    fn add_stiffness(&mut self, _t: f64, _p: &[f64], _f: &[f64], _factor: f64, _into: &mut [f64]) -> bool {
        true
    }

    fn curvature(&mut self, _t: f64, _p: &[f64], _v: &[f64], out: &mut [f64]) -> bool {
        out.fill(0.0);
        true
    }
}

/// A point of a planar body and the angle of the body: (x, y, θ).
#[derive(Clone, Copy, Debug)]
pub struct PlanarFrame {
    /// Indices of the x, y and θ of the body among the positions.
    pub body: [usize; 3],
    /// The point in the frame of the body.
    pub at: [f64; 2],
}

impl PlanarFrame {
    /// The point relative to the origin of the body, in the fixed frame.
    fn arm(&self, p: &[f64]) -> [f64; 2] {
        let (s, c) = p[self.body[2]].sin_cos();
        let [a, b] = self.at;
        [c * a - s * b, s * a + c * b]
    }
}

impl Port for PlanarFrame {
    fn size(&self) -> usize {
        3
    }

    fn evaluate(&mut self, _t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]) -> Outcome {
        let [ix, iy, ia] = self.body;
        let [x, up] = self.arm(p);
        y.copy_from_slice(&[p[ix] + x, p[iy] + up, p[ia]]);
        for (row, column, value) in [(0, ix, 1.0), (1, iy, 1.0), (0, ia, -up), (1, ia, x), (2, ia, 1.0)] {
            jacobian[row + 3 * column] += value;
        }
        Outcome::Continue
    }

    fn add_stiffness(&mut self, _t: f64, p: &[f64], f: &[f64], factor: f64, into: &mut [f64]) -> bool {
        let [x, up] = self.arm(p);
        into[self.body[2] * (p.len() + 1)] -= factor * (x * f[0] + up * f[1]);
        true
    }

    fn curvature(&mut self, _t: f64, p: &[f64], v: &[f64], out: &mut [f64]) -> bool {
        let ([x, up], rate) = (self.arm(p), v[self.body[2]]);
        out.copy_from_slice(&[-x * rate * rate, -up * rate * rate, 0.0]);
        true
    }
}

/// A port given by a function (t, p, y, ∂y/∂p) of Rust; what else is needed is had by differences.
pub struct Function<F> {
    /// Number of components.
    pub size: usize,
    /// True if y depends on t.
    pub depends_on_time: bool,
    /// The function.
    pub function: F,
}

impl<F: FnMut(f64, &[f64], &mut [f64], &mut [f64]) -> Outcome> Port for Function<F> {
    fn size(&self) -> usize {
        self.size
    }

    fn evaluate(&mut self, t: f64, p: &[f64], y: &mut [f64], jacobian: &mut [f64]) -> Outcome {
        (self.function)(t, p, y, jacobian)
    }

    fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }
}

/// A port that is evaluated, with its answers and work space.
pub struct Evaluator<'s> {
    port: Box<dyn Port + 's>,
    /// y.
    pub y: Vec<f64>,
    /// ∂y/∂p, size by NP.
    pub jacobian: Vec<f64>,
    /// y'.
    pub rate: Vec<f64>,
    /// The part of y'' without v'.
    pub curvature: Vec<f64>,
    moved: Moved,
    /// Differences over a wider range.
    wide: Vec<f64>,
}

/// A derivative of a port that is not that of its function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongDerivative {
    /// Component of y.
    pub component: usize,
    /// Number of the direction.
    pub direction: usize,
    /// As the port says.
    pub given: f64,
    /// As differences say.
    pub found: f64,
}

/// Derivatives that differ by more than this part from differences are wrong.
const WRONG: f64 = 1e-3;

struct Moved {
    p: Vec<f64>,
    y: [Vec<f64>; 2],
    jacobian: [Vec<f64>; 2],
}

/// Relative increments of central differences.
fn increment(x: f64) -> f64 {
    f64::EPSILON.cbrt() * x.abs().max(1.0)
}

impl<'s> Evaluator<'s> {
    /// For a system with `np` positions.
    pub fn new(port: Box<dyn Port + 's>, np: usize) -> Self {
        let n = port.size();
        let zeros = |n: usize| vec![0.0; n];
        Evaluator {
            y: zeros(n),
            jacobian: zeros(n * np),
            rate: zeros(n),
            curvature: zeros(n),
            wide: zeros(n),
            moved: Moved { p: zeros(np), y: [zeros(n), zeros(n)], jacobian: [zeros(n * np), zeros(n * np)] },
            port,
        }
    }

    /// Number of components.
    pub fn size(&self) -> usize {
        self.y.len()
    }

    /// y, ∂y/∂p and y' at (t, p, v).
    pub fn evaluate(&mut self, t: f64, p: &[f64], v: &[f64]) -> Outcome {
        self.jacobian.fill(0.0);
        let outcome = self.port.evaluate(t, p, &mut self.y, &mut self.jacobian);
        if outcome != Outcome::Continue {
            return outcome;
        }
        crate::linalg::products::mul_vec(self.y.len(), p.len(), &self.jacobian, v, &mut self.rate);
        if self.port.depends_on_time() {
            let d = increment(t);
            let outcome = self.two(|_| {}, p, t, d);
            let [plus, minus] = &self.moved.y;
            for ((r, a), b) in self.rate.iter_mut().zip(plus).zip(minus) {
                *r += (a - b) / (2.0 * d);
            }
            return outcome;
        }
        Outcome::Continue
    }

    /// The port at p changed by `change(±1, p)` and t ± dt.
    fn two(&mut self, change: impl Fn((f64, &mut [f64])), p: &[f64], t: f64, dt: f64) -> Outcome {
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            self.moved.p.copy_from_slice(p);
            change((sign, &mut self.moved.p));
            self.moved.jacobian[k].fill(0.0);
            let (y, jacobian) = (&mut self.moved.y[k], &mut self.moved.jacobian[k]);
            let outcome = self.port.evaluate(t + sign * dt, &self.moved.p, y, jacobian);
            if outcome != Outcome::Continue {
                return outcome;
            }
        }
        Outcome::Continue
    }

    /// The first derivative along one of these directions that is not that of y, with y and ∂y/∂p evaluated at (t, p). Where differences do
    /// not agree among themselves, or cannot be had, nothing is said.
    pub fn wrong_derivative(
        &mut self,
        (t, p): (f64, &[f64]),
        count: usize,
        direction: impl Fn(usize, usize) -> f64,
    ) -> Option<WrongDerivative> {
        let n = self.y.len();
        let largest = |v: &[f64]| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for j in 0..count {
            let length = (0..p.len()).fold(0.0, |m: f64, k| m.max(direction(j, k).abs()));
            let d = increment(largest(p)) / length.max(1.0);
            let moving = |d: f64| {
                let direction = &direction;
                move |(sign, p): (f64, &mut [f64])| {
                    p.iter_mut().enumerate().for_each(|(k, p)| *p += sign * d * direction(j, k));
                }
            };
            // The wider one first: the closer one stays.
            if self.two(moving(8.0 * d), p, t, 0.0) != Outcome::Continue {
                continue;
            }
            let [plus, minus] = &self.moved.y;
            self.wide
                .iter_mut()
                .zip(plus.iter().zip(minus))
                .for_each(|(w, (a, b))| *w = (a - b) / (16.0 * d));
            if self.two(moving(d), p, t, 0.0) != Outcome::Continue {
                continue;
            }
            for i in 0..n {
                let given: f64 = (0..p.len()).map(|k| self.jacobian[i + k * n] * direction(j, k)).sum();
                let (plus, minus, y) = (self.moved.y[0][i], self.moved.y[1][i], self.y[i]);
                let found = (plus - minus) / (2.0 * d);
                let allowed = WRONG * given.abs().max(found.abs())
                    + 10.0 * (found - self.wide[i]).abs()
                    + 1e-8 * (1.0 + y.abs());
                // At a kink the derivative on either side will do.
                let differences = [found, (plus - y) / d, (y - minus) / d];
                if differences.iter().all(|found| (given - found).abs() > allowed) {
                    return Some(WrongDerivative { component: i, direction: j, given, found });
                }
            }
        }
        None
    }

    /// Add `factor`·∂(Cₚᵀ f)/∂p to an NP by NP matrix.
    pub fn add_stiffness(&mut self, t: f64, p: &[f64], f: &[f64], factor: f64, into: &mut [f64]) -> Outcome {
        if f.iter().all(|f| *f == 0.0) || self.port.add_stiffness(t, p, f, factor, into) {
            return Outcome::Continue;
        }
        let (np, n) = (p.len(), self.y.len());
        for j in 0..np {
            let d = increment(p[j]);
            let outcome = self.two(|(sign, p)| p[j] += sign * d, p, t, 0.0);
            if outcome != Outcome::Continue {
                return outcome;
            }
            let [plus, minus] = &self.moved.jacobian;
            for i in 0..np {
                let column = i * n..(i + 1) * n;
                let change = plus[column.clone()].iter().zip(&minus[column]).zip(f);
                let sum: f64 = change.map(|((a, b), f)| (a - b) * f).sum();
                into[i + j * np] += factor * sum / (2.0 * d);
            }
        }
        Outcome::Continue
    }

    /// Add C_p times a curvature of the positions.
    pub fn add_curvature(&mut self, of_positions: &[f64]) {
        let n = self.y.len();
        for (column, c) in self.jacobian.chunks_exact(n.max(1)).zip(of_positions) {
            self.curvature.iter_mut().zip(column).for_each(|(out, j)| *out += j * c);
        }
    }

    /// The part of y'' without v', into `curvature`.
    pub fn evaluate_curvature(&mut self, t: f64, p: &[f64], v: &[f64]) -> Outcome {
        if !self.port.depends_on_time() && self.port.curvature(t, p, v, &mut self.curvature) {
            return Outcome::Continue;
        }
        // Second difference of y along the path p + s v, t + s.
        let size = v.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
        let d = f64::EPSILON.powf(0.25) / size;
        let path = |(sign, p): (f64, &mut [f64])| p.iter_mut().zip(v).for_each(|(p, v)| *p += sign * d * v);
        let outcome = self.two(path, p, t, d);
        let [plus, minus] = &self.moved.y;
        for (((c, a), b), y) in self.curvature.iter_mut().zip(plus).zip(minus).zip(&self.y) {
            *c = ((a - y) - (y - b)) / (d * d);
        }
        outcome
    }
}
