//! Where a body is: the position of its point of reference and its rotation, as functions of its coordinates.

use geoms_problems::dual::{Dual, Real};

/// A point or direction in a body's frame; planar ones have no third component.
pub type Vec3 = [f64; 3];

/// Sine and cosine at once: nested dual numbers would call for each of them over and over.
pub trait Number: Real {
    fn sin_cos(self) -> (Self, Self);
}

impl Number for f64 {
    fn sin_cos(self) -> (Self, Self) {
        f64::sin_cos(self)
    }
}

impl<T: Number> Number for Dual<T> {
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.v.sin_cos();
        (Dual::new(s, self.d * c), Dual::new(c, -(self.d * s)))
    }
}

#[inline]
pub fn dot<T: Number>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub fn cross<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// w × u with a constant u.
#[inline]
pub fn turning<T: Number>(w: [T; 3], u: Vec3) -> [T; 3] {
    [w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]]
}

#[inline]
pub fn real<T: Number>(a: Vec3) -> [T; 3] {
    a.map(T::real)
}

#[inline]
pub fn minus<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[derive(Clone, Copy, Debug)]
pub struct Frame<T> {
    at: [T; 3],
    /// Rows of R.
    rotation: [[T; 3]; 3],
    /// θ of planar bodies.
    pub angle: T,
}

impl<T: Number> Frame<T> {
    /// That of the ground.
    #[inline]
    pub fn ground() -> Self {
        let (zero, one) = (T::zero(), T::real(1.0));
        let rotation = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        Frame { at: [zero; 3], rotation, angle: zero }
    }

    /// Of a body with coordinates (x, y, θ) or (r, q). R does not depend on |q|: constraints that are redundant for the attitude are
    /// so for all of q.
    #[inline]
    pub fn new(spatial: bool, q: &[T]) -> Self {
        let (zero, one) = (T::zero(), T::real(1.0));
        if !spatial {
            let (s, c) = q[2].sin_cos();
            let rotation = [[c, -s, zero], [s, c, zero], [zero, zero, one]];
            return Frame { at: [q[0], q[1], zero], rotation, angle: q[2] };
        }
        let [e, x, y, z] = [q[3], q[4], q[5], q[6]];
        let scale = (e.sq() + x.sq() + y.sq() + z.sq()).recip() * 2.0;
        let [sx, sy, sz] = [x * scale, y * scale, z * scale];
        let [xx, yy, zz] = [x * sx, y * sy, z * sz];
        let [xy, yz, zx] = [x * sy, y * sz, z * sx];
        let [ex, ey, ez] = [e * sx, e * sy, e * sz];
        let rotation = [
            [one - yy - zz, xy - ez, zx + ey],
            [xy + ez, one - xx - zz, yz - ex],
            [zx - ey, yz + ex, one - xx - yy],
        ];
        Frame { at: [q[0], q[1], q[2]], rotation, angle: zero }
    }

    /// R u.
    #[inline]
    pub fn turn(&self, u: Vec3) -> [T; 3] {
        [0, 1, 2].map(|i| {
            let [a, b, c] = self.rotation[i];
            a * u[0] + b * u[1] + c * u[2]
        })
    }

    #[inline]
    pub fn turn_any(&self, u: [T; 3]) -> [T; 3] {
        self.rotation.map(|row| dot(row, u))
    }

    /// Rᵀ u.
    #[inline]
    pub fn back(&self, u: [T; 3]) -> [T; 3] {
        let r = &self.rotation;
        [0, 1, 2].map(|j| r[0][j] * u[0] + r[1][j] * u[1] + r[2][j] * u[2])
    }

    /// The place in the world of a point of the body.
    #[inline]
    pub fn point(&self, u: Vec3) -> [T; 3] {
        let arm = self.turn(u);
        [0, 1, 2].map(|k| self.at[k] + arm[k])
    }
}
