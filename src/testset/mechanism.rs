//! A mechanism written once, over any [`Real`]: the undifferentiated equations (1) of the report.

use super::dual::Real;
use crate::layout::{Dimensions, StateBlocks};

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
