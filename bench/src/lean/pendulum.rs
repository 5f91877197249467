//! The pendulum, m = L = 1.

use super::{Lean, Mass, Sink};

#[derive(Clone, Debug)]
pub struct Pendulum {
    gravity: f64,
    p: [f64; 2],
}

impl Pendulum {
    pub fn new(gravity: f64) -> Self {
        Pendulum { gravity, p: [0.0; 2] }
    }
}

impl Lean for Pendulum {
    fn np(&self) -> usize {
        2
    }
    fn nl(&self) -> usize {
        1
    }
    fn mass_kind(&self) -> Mass {
        Mass::Diagonal
    }
    #[inline]
    fn prepare(&mut self, _t: f64, p: &[f64]) {
        self.p = [p[0], p[1]];
    }
    #[inline]
    fn mass(&self, sink: &mut impl Sink) {
        sink.put(0, 0, 1.0);
        sink.put(1, 1, 1.0);
    }
    #[inline]
    fn solve_mass(&self, _x: &mut [f64]) {}
    #[inline]
    fn force(&self, _v: &[f64], f: &mut [f64]) {
        f[0] = 0.0;
        f[1] = -self.gravity;
    }
    fn force_dp(&self, _v: &[f64], _sink: &mut impl Sink) {}
    fn force_dv(&self, _v: &[f64], _sink: &mut impl Sink) {}
    #[inline]
    fn gq(&self, sink: &mut impl Sink) {
        sink.put(0, 0, 2.0 * self.p[0]);
        sink.put(0, 1, 2.0 * self.p[1]);
    }
    #[inline]
    fn g(&self, out: &mut [f64]) {
        let [x, y] = self.p;
        out[0] = x * x + y * y - 1.0;
    }
    #[inline]
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        out[0] = 2.0 * (self.p[0] * v[0] + self.p[1] * v[1]);
    }
    #[inline]
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        out[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]);
    }
    #[inline]
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        sink.put(0, 0, 2.0 * v[0]);
        sink.put(0, 1, 2.0 * v[1]);
    }
    fn gvv_dp(&self, _v: &[f64], _sink: &mut impl Sink) {}
    #[inline]
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        sink.put(0, 0, 2.0 * lambda[0]);
        sink.put(1, 1, 2.0 * lambda[0]);
    }
}
