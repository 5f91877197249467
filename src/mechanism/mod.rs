//! A model from its equations alone: a [`Mechanism`] says the mass matrix, the forces and the constraints, written once
//! over any [`Real`] number; [`Model`] makes a [`System`](crate::system::System) of it. The constraints on velocity and
//! acceleration level, the constraint forces and the Jacobian follow by [`dual`] numbers, exact to round-off.
//!
//! A bead on a circle of radius 1, from rest at the height of the centre:
//!
//! ```
//! use geoms::mechanism::{dual::Real, Blocks, Mechanism, Model, Options as Presented};
//! use geoms::{integrate::*, layout::{Dimensions, Form}, norm::Tolerance, options::Options, stats::Stats};
//!
//! struct Pendulum;
//!
//! impl Mechanism for Pendulum {
//!     fn dimensions(&self) -> Dimensions {
//!         Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
//!     }
//!     fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
//!         (m[0], m[3]) = (T::real(1.0), T::real(1.0));
//!     }
//!     fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
//!         f[1] = T::real(-9.81);
//!     }
//!     fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
//!         g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
//!     }
//! }
//!
//! let mut x = [0.0, 0.0, 0.0, 1.0, 0.0]; // λ, v, p
//! let mut model = Model::new(Pendulum, Presented::new(Form::StrangenessFree, true), 0.0, &x);
//! let (options, tolerance) = (Options::default(), Tolerance::scalar(1e-8, 1e-8));
//! let (mut t, mut h, mut stats) = (0.0, 0.0, Stats::default());
//! let run = Integration { system: &mut model, observer: None, options: &options, tolerance: &tolerance };
//! integrate(run, &mut t, &mut x, &mut h, 2.0, &mut stats)?;
//! let [_, v1, v2, p1, p2] = x;
//! assert!((p1 * p1 + p2 * p2 - 1.0).abs() < 1e-9, "on the circle");
//! assert!((0.5 * (v1 * v1 + v2 * v2) + 9.81 * p2).abs() < 1e-6, "with the energy of the start");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod derivation;
pub mod derived;
pub mod dual;
mod lanes;
#[cfg(test)]
pub(crate) mod samples;

pub use derived::{Model, Options};

use crate::layout::{Dimensions, StateBlocks};
use dual::Real;

/// The state by blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a, T> {
    /// Auxiliary variables.
    pub w: &'a [T],
    /// Holonomic multipliers.
    pub lambda: &'a [T],
    /// Nonholonomic multipliers.
    pub mu: &'a [T],
    /// Dynamic force elements.
    pub r: &'a [T],
    /// Velocities.
    pub v: &'a [T],
    /// Contact point coordinates.
    pub s: &'a [T],
    /// Positions.
    pub p: &'a [T],
}

impl<'a, T> Blocks<'a, T> {
    /// The blocks of a state vector.
    pub fn of(blocks: &StateBlocks, x: &'a [T]) -> Self {
        Blocks {
            w: &x[blocks.w.range()],
            lambda: &x[blocks.lambda.range()],
            mu: &x[blocks.mu.range()],
            r: &x[blocks.r.range()],
            v: &x[blocks.v.range()],
            s: &x[blocks.s.range()],
            p: &x[blocks.p.range()],
        }
    }
}

/// The equations of a mechanism without their derivatives. All output slices come in as zeros.
pub trait Mechanism {
    /// Numbers of variables; `ni` counts the invariants that [`Mechanism::invariants`] knows.
    fn dimensions(&self) -> Dimensions;

    /// Mass matrix, NV by NV, column-major.
    fn mass<T: Real>(&self, t: T, p: &[T], m: &mut [T]);

    /// Applied and gyroscopic forces f, without the constraint forces.
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]);

    /// Kinematic equations `p' = Z(p) v`, linear in v.
    fn kinematics<T: Real>(&self, _p: &[T], v: &[T], pdot: &mut [T]) {
        pdot.copy_from_slice(v);
    }

    /// Holonomic constraints g(p, s, t).
    fn holonomic<T: Real>(&self, _t: T, _p: &[T], _s: &[T], _g: &mut [T]) {}

    /// Nonholonomic constraints H(p, s, t) Z(p) v + h(p, s, t), affine in v.
    fn nonholonomic<T: Real>(&self, _t: T, _p: &[T], _v: &[T], _s: &[T], _h: &mut [T]) {}

    /// Contact equations c(p, s, t), which determine s.
    fn contact<T: Real>(&self, _t: T, _p: &[T], _s: &[T], _c: &mut [T]) {}

    /// Equations d of the auxiliary variables w.
    fn auxiliary<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _d: &mut [T]) {}

    /// Right-hand side b of `r' = b`.
    fn force_element<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _b: &mut [T]) {}

    /// Quantities that stay constant along a solution.
    fn invariants<T: Real>(&self, _t: T, _p: &[T], _v: &[T], _s: &[T], _e: &mut [T]) {}

    /// Constraints on acceleration level where `M⁻¹` does not exist: fill the rows and return true.
    fn acceleration_level<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, _g: &mut [T], _h: &mut [T]) -> bool {
        false
    }
}
