//! Newmark's method on the constrained equations as it is usually written: p and v by Newmark's formulas in all coordinates, M a = f - Gᵀ λ
//! and g = 0 for a and λ. Constraints on velocity and acceleration level are not imposed. What the null-space method is measured
//! against, and no part of the library. For p' = v, holonomic constraints and a constant diagonal M.

use geoms::layout::Layout;
use geoms::linalg::{RealSolver, SolverKind};
use geoms::system::{JacobianBlocks, Outcome, System};

/// A run.
pub struct Classical<'a> {
    system: &'a mut dyn System,
    layout: Layout,
    beta: f64,
    gamma: f64,
    /// Time.
    pub t: f64,
    /// The point.
    pub x: Vec<f64>,
    a: Vec<f64>,
    mass: Vec<f64>,
}

impl<'a> Classical<'a> {
    /// From consistent values; a is f/M where there is mass.
    pub fn new(system: &'a mut dyn System, (beta, gamma): (f64, f64), x: &[f64]) -> Self {
        let layout = Layout::new(system.dimensions(), system.form());
        let nv = layout.dims.nv;
        let mut mass = vec![0.0; nv * nv];
        let _ = system.mass(0.0, x, &mut mass);
        let mut rda = vec![0.0; layout.m];
        let _ = system.eom(0.0, x, &mut rda);
        let force = layout.rda.f_dyn.of(&rda).iter().enumerate();
        let a =
            force.map(|(i, f)| if mass[i * (nv + 1)] > 0.0 { f / mass[i * (nv + 1)] } else { 0.0 }).collect();
        Classical { system, layout, beta, gamma, t: 0.0, x: x.to_vec(), a, mass }
    }

    /// One step; false if the iteration does not converge.
    #[allow(clippy::needless_range_loop)] // formulas by index
    pub fn step(&mut self, h: f64) -> bool {
        let l = self.layout;
        let (nv, nl) = (l.dims.nv, l.dims.nl);
        let n = nv + nl;
        let (old, a_old, t) = (self.x.clone(), self.a.clone(), self.t + h);
        let (mut rda, mut fx) = (vec![0.0; l.m], JacobianBlocks::new(&l));
        let (by_v, by_p) = (self.gamma * h, self.beta * h * h);
        for _ in 0..50 {
            for i in 0..nv {
                let (v, mean) = (l.x.v.of(&old)[i], (0.5 - self.beta) * a_old[i] + self.beta * self.a[i]);
                l.x.p.of_mut(&mut self.x)[i] = l.x.p.of(&old)[i] + h * v + h * h * mean;
                l.x.v.of_mut(&mut self.x)[i] =
                    v + h * ((1.0 - self.gamma) * a_old[i] + self.gamma * self.a[i]);
            }
            fx.clear();
            let evaluated =
                [self.system.eom(t, &self.x, &mut rda), self.system.jacobian(t, &self.x, &mut fx)];
            if evaluated.iter().any(|o| *o != Outcome::Continue) {
                return false;
            }
            let mut solver = RealSolver::new(SolverKind::Lu, n);
            let matrix = solver.matrix_mut();
            // Rows of forces and, divided by βh², of g; columns of FX5 and FX3 as x has them.
            let (rows5, rows3) = (fx.shape[4].0, fx.shape[2].0);
            for j in 0..nv {
                for i in 0..nv {
                    let of_v = fx.fx[4][i + (l.x.v.start + j) * rows5];
                    let of_p = fx.fx[4][i + (l.x.p.start + j) * rows5];
                    matrix[i + j * n] = self.mass[i + j * nv] + by_v * of_v + by_p * of_p;
                }
                for i in 0..nl {
                    let column = l.x.p.start + j - l.x.contact_position.start;
                    matrix[nv + i + j * n] = fx.fx[2][l.dims.ns + i + column * rows3];
                    matrix[j + (nv + i) * n] = fx.fx[4][j + (l.x.lambda.start + i) * rows5];
                }
            }
            let mut e = vec![0.0; n];
            for i in 0..nv {
                let inertia: f64 = (0..nv).map(|j| self.mass[i + j * nv] * self.a[j]).sum();
                e[i] = l.rda.f_dyn.of(&rda)[i] - inertia;
            }
            e[nv..].iter_mut().zip(l.rda.g.of(&rda)).for_each(|(e, g)| *e = g / by_p);
            if solver.factor().is_err() {
                return false;
            }
            solver.solve(&mut e);
            self.a.iter_mut().zip(&e).for_each(|(a, d)| *a += d);
            l.x.lambda.of_mut(&mut self.x).iter_mut().zip(&e[nv..]).for_each(|(x, d)| *x += d);
            let size = e[..nv].iter().fold(0.0f64, |m, d| m.max(d.abs()));
            let all = self.a.iter().fold(0.0f64, |m, a| m.max(a.abs()));
            if !size.is_finite() || all > 1e12 {
                return false;
            }
            if by_p * size <= 1e-12 {
                self.t = t;
                return true;
            }
        }
        false
    }
}
