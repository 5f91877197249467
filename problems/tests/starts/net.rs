//! Particles in the plane on rods, springs and under a constant field, and a free rigid body in space.

use geoms::layout::Dimensions;
use geoms_problems::dual::Real;
use geoms_problems::{Blocks, Mechanism};

/// Where a rod or spring ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Particle(usize),
    Fixed([f64; 2]),
}

/// The particles. Positions are measured from `origin`, each from its own.
#[derive(Clone, Debug)]
pub struct Net {
    pub masses: Vec<f64>,
    pub origin: Vec<[f64; 2]>,
    pub field: [f64; 2],
    /// Ends and length.
    pub rods: Vec<(End, End, f64)>,
    /// Ends, natural length, stiffness, damping.
    pub springs: Vec<(End, End, f64, f64, f64)>,
}

impl Net {
    fn place<T: Real>(&self, p: &[T], end: End) -> [T; 2] {
        match end {
            End::Particle(i) => [p[2 * i] + self.origin[i][0], p[2 * i + 1] + self.origin[i][1]],
            End::Fixed([x, y]) => [T::real(x), T::real(y)],
        }
    }

    fn speed<T: Real>(v: &[T], end: End) -> [T; 2] {
        match end {
            End::Particle(i) => [v[2 * i], v[2 * i + 1]],
            End::Fixed(_) => [T::zero(), T::zero()],
        }
    }

    fn add<T: Real>(f: &mut [T], end: End, force: [T; 2], sign: f64) {
        if let End::Particle(i) = end {
            f[2 * i] += force[0] * sign;
            f[2 * i + 1] += force[1] * sign;
        }
    }
}

impl Mechanism for Net {
    fn dimensions(&self) -> Dimensions {
        let n = 2 * self.masses.len();
        Dimensions { np: n, nv: n, nl: self.rods.len(), ..Dimensions::default() }
    }

    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let n = 2 * self.masses.len();
        (0..n).for_each(|i| m[i * (n + 1)] = T::real(self.masses[i / 2]));
    }

    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        for (i, mass) in self.masses.iter().enumerate() {
            f[2 * i] = T::real(mass * self.field[0]);
            f[2 * i + 1] = T::real(mass * self.field[1]);
        }
        for &(a, b, natural, stiffness, damping) in &self.springs {
            let (pa, pb) = (self.place(x.p, a), self.place(x.p, b));
            let (va, vb) = (Self::speed(x.v, a), Self::speed(x.v, b));
            let d = [pb[0] - pa[0], pb[1] - pa[1]];
            let length = (d[0].sq() + d[1].sq()).sqrt();
            let rate = ((vb[0] - va[0]) * d[0] + (vb[1] - va[1]) * d[1]) / length;
            let pull = ((length - natural) * stiffness + rate * damping) / length;
            Self::add(f, a, [d[0] * pull, d[1] * pull], 1.0);
            Self::add(f, b, [d[0] * pull, d[1] * pull], -1.0);
        }
    }

    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        for (g, &(a, b, length)) in g.iter_mut().zip(&self.rods) {
            let (a, b) = (self.place(p, a), self.place(p, b));
            *g = ((b[0] - a[0]).sq() + (b[1] - a[1]).sq() - length * length) * 0.5;
        }
    }
}

/// p = (r, q) with a unit quaternion, v = (r', ω) in the body frame: Z ≠ I. A constant force, and no moment about a ball.
#[derive(Clone, Debug)]
pub struct Ball {
    pub mass: f64,
    pub inertia: f64,
    pub force: [f64; 3],
}

impl Mechanism for Ball {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 7, nv: 6, ..Dimensions::default() }
    }

    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..6).for_each(|i| m[7 * i] = T::real(if i < 3 { self.mass } else { self.inertia }));
    }

    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f.iter_mut().zip(self.force).for_each(|(f, force)| *f = T::real(force));
    }

    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        pdot[..3].copy_from_slice(&v[..3]);
        let (q, w) = (&p[3..], &v[3..]);
        pdot[3] = (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) * -0.5;
        pdot[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * 0.5;
        pdot[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) * 0.5;
        pdot[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * 0.5;
    }
}
