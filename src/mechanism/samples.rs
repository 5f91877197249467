//! Small mechanisms for the unit tests; the published problems are in the package `problems`.

use super::dual::Real;
use super::{Blocks, Mechanism, Model, Options};
use crate::layout::{Dimensions, Form};

/// Point mass on the unit circle, g = (p·p - 1)/2.
#[derive(Clone)]
pub struct Circle;

impl Mechanism for Circle {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-9.81);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
    }
}

impl Circle {
    /// At rest at the height of the centre.
    pub fn x0() -> Vec<f64> {
        vec![0.0, 0.0, 0.0, 1.0, 0.0]
    }
}

/// Two rods in a row on a support that moves; the mass matrix depends on the position, the forces on the velocity.
#[derive(Clone)]
pub struct Arm;

impl Mechanism for Arm {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        for i in 0..4 {
            m[5 * i] = T::real(1.0 + 0.5 * i as f64);
        }
        m[0] += p[0].sq() * 0.2;
        (m[2], m[8]) = (p[1] * 0.1, p[1] * 0.1);
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        for (f, (v, p)) in f.iter_mut().zip(x.v.iter().zip(x.p)) {
            *f = -*v * 0.3 - p.powi(3) + t.sin() * 0.1;
        }
        f[1] -= T::real(9.81);
        f[3] -= T::real(9.81);
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = (p[0] - t.sin() * 0.1).sq() + p[1].sq() - 1.0;
        g[1] = (p[2] - p[0]).sq() + (p[3] - p[1]).sq() - 1.0;
    }
}

impl Arm {
    /// The first rod lies, the second hangs; the support moves with 0.1 and the whole arm with it.
    pub fn x0() -> Vec<f64> {
        let mut x = vec![0.0, 0.0, 0.1, 0.4, 0.1, 0.4, 1.0, 0.0, 1.0, -1.0];
        Model::new(Arm, Options::new(Form::StrangenessFree, true), 0.0, &x).settle_algebraic(0.0, &mut x);
        x
    }
}

/// Every kind of unknown and equation at once: p' = Z(p) v with Z ≠ I, a force element r, a contact point s, friction
/// through w, a holonomic constraint with s and t in it and a nonholonomic one.
#[derive(Clone)]
pub struct Everything;

impl Mechanism for Everything {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nr: 1, nw: 1, ns: 1, nl: 1, nm: 1, ni: 0 }
    }
    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        (m[0], m[4], m[8]) = (p[0].sq() * 0.1 + 1.0, T::real(2.0), p[2].sin() * 0.1 + 0.5);
        (m[1], m[3]) = (p[1] * 0.1, p[1] * 0.1);
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = x.r[0] - x.w[0] * x.v[0] - x.p[0] * 2.0;
        f[1] = T::real(-1.0) - x.w[0] * x.v[1] + t.cos() * 0.1;
        f[2] = x.s[0] * 0.1 - x.v[2] * 0.2;
    }
    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        pdot[0] = v[0] * (p[1] * 0.2 + 1.0);
        pdot[1] = v[1];
        pdot[2] = v[2] + v[0] * p[2] * 0.1;
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], s: &[T], g: &mut [T]) {
        g[0] = s[0].sq() + p[1].sq() + p[2].sq() * 0.25 - 1.0 - t * 0.1;
    }
    fn nonholonomic<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], h: &mut [T]) {
        h[0] = v[0] * p[2].sin() - v[1] * p[2].cos() + 0.1;
    }
    fn contact<T: Real>(&self, _t: T, p: &[T], s: &[T], c: &mut [T]) {
        c[0] = s[0] * (s[0].sq() * 0.1 + 1.0) - p[0];
    }
    fn auxiliary<T: Real>(&self, _t: T, x: &Blocks<'_, T>, d: &mut [T]) {
        d[0] = x.w[0] - x.lambda[0] * 0.1 - x.v[1] * 0.05;
    }
    fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        b[0] = x.p[0] - x.r[0] * 2.0;
    }
}

impl Everything {
    /// y, φ and φ' are chosen; the constraints say the rest.
    pub fn x0() -> Vec<f64> {
        let (y, angle, turn) = (0.2f64, 0.3f64, 0.4);
        let s = (1.0 - y * y - 0.25 * angle * angle).sqrt();
        let x = s * (1.0 + 0.1 * s * s);
        // ġ = 2 s s' + 2 y v2 + φ φ'/2 - 0.1 with s' = x'/(1 + 0.3 s²), and v2 from the nonholonomic constraint.
        let per_x = 2.0 * s / (1.0 + 0.3 * s * s) * (1.0 + 0.2 * y);
        let v1 = (0.1 - 0.5 * angle * turn - 2.0 * y * 0.1 / angle.cos()) / (per_x + 2.0 * y * angle.tan());
        let v2 = (v1 * angle.sin() + 0.1) / angle.cos();
        let mut all = vec![0.0, 0.0, 0.0, 0.1, v1, v2, turn - 0.1 * v1 * angle, s, x, y, angle];
        let mut model = Model::new(Everything, Options::new(Form::StrangenessFree, true), 0.0, &all);
        model.settle_algebraic(0.0, &mut all);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::system::System;

    fn algebraic_rows_vanish(mechanism: impl Mechanism, x0: &[f64]) {
        let mut model = Model::new(mechanism, Options::new(Form::StrangenessFree, true), 0.0, x0);
        let layout = Layout::new(model.dimensions(), Form::StrangenessFree);
        let mut rda = vec![0.0; layout.m];
        let _ = model.eom(0.0, x0, &mut rda);
        for (i, row) in rda[..layout.rda.rows3.end].iter().enumerate() {
            assert!(row.abs() < 1e-12, "row {i}: {row}");
        }
    }

    #[test]
    fn initial_values_are_consistent() {
        algebraic_rows_vanish(Circle, &Circle::x0());
        algebraic_rows_vanish(Arm, &Arm::x0());
        algebraic_rows_vanish(Everything, &Everything::x0());
    }
}
