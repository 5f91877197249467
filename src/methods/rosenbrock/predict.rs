//! Where the assembly of a point begins: on the tangent of the first point, bent as at the point found last.
//!
//! The tangent leaves an error of second order in the time from the first point, at all stages nearly with the same coefficient, also
//! in the next step: what was found there corrects the next prediction.

use super::Rosenbrock;

impl Rosenbrock {
    /// x + ∂x/∂z (z - z_n) + ∂x/∂t (t - t_n) + `bend` τ², with the independent coordinates as they are given; τ is the time from
    /// the first point, 0 for a point that is not one of a step.
    pub(super) fn predict(&mut self, t: f64, tau: f64) {
        let (l, d) = (self.layout, self.layout.dims);
        let x = &mut self.x_new;
        x.copy_from_slice(&self.x);
        let times = if self.options.autonomous { 0.0 } else { t - self.state.t };
        let changes = self.z.iter().zip(&self.free).map(|(z, &i)| z - self.y[i]).chain([times]);
        for (change, column) in changes.zip(self.tangent.columns.chunks_exact(l.n.max(1))) {
            if change != 0.0 {
                x.iter_mut().zip(column).for_each(|(x, c)| *x += change * c);
            }
        }
        x.iter_mut().zip(&self.bend).for_each(|(x, b)| *x += tau * tau * b);
        for block in [l.x.s, l.x.algebraic] {
            block.of_mut(&mut self.motion.x).copy_from_slice(block.of(x));
        }
        self.y_new[..d.nr + d.nv].copy_from_slice(&x[l.x.r.start..l.x.v.end]);
        self.y_new[d.nr + d.nv..].copy_from_slice(l.x.p.of(x));
        self.free.iter().zip(&self.z).for_each(|(&i, z)| self.y_new[i] = *z);
    }

    /// What the point that was found says about the next one.
    pub(super) fn learn(&mut self, tau: f64) {
        if tau == 0.0 {
            return;
        }
        let (l, square) = (self.layout, tau * tau);
        let mut see = |at: usize, found: f64, predicted: f64| self.bend[at] += (found - predicted) / square;
        let differential = l.x.r.range().chain(l.x.v.range()).chain(l.x.p.range());
        for (at, y) in differential.zip(&self.y_new) {
            see(at, *y, self.x_new[at]);
        }
        for at in l.x.algebraic.range().chain(l.x.s.range()) {
            see(at, self.motion.x[at], self.x_new[at]);
        }
        for k in 0..self.free.len() {
            let at = self.component(self.free[k]);
            self.bend[at] = 0.0;
        }
        if !crate::linalg::all_finite(&self.bend) {
            self.bend.fill(0.0);
        }
    }
}
