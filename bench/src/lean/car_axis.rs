//! The car axis: p = (x_l, y_l, x_r, y_r), one constraint depends on time.

use super::{Lean, Mass, Sink};

const REST: f64 = 0.5;
const GRAVITY: f64 = 1.0;
const AMPLITUDE: f64 = 0.1;
const FREQUENCY: f64 = 10.0;
/// M ε²/2 with M = 10, ε = 1e-2.
const MASS: f64 = 10.0 * 1e-2 * 1e-2 / 2.0;

#[derive(Clone, Debug, Default)]
pub struct CarAxis {
    p: [f64; 4],
    /// The right wheel, its velocity and acceleration.
    road: [[f64; 2]; 3],
}

impl CarAxis {
    /// Vectors of the two springs.
    #[inline]
    fn springs(&self) -> [[f64; 2]; 2] {
        let [xl, yl, xr, yr] = self.p;
        let [xb, yb] = self.road[0];
        [[xl, yl], [xr - xb, yr - yb]]
    }
}

impl Lean for CarAxis {
    fn np(&self) -> usize {
        4
    }
    fn nl(&self) -> usize {
        2
    }
    fn mass_kind(&self) -> Mass {
        Mass::Diagonal
    }
    #[inline]
    fn prepare(&mut self, t: f64, p: &[f64]) {
        self.p.copy_from_slice(p);
        let (s, c) = (FREQUENCY * t).sin_cos();
        let (y, dy) = (AMPLITUDE * s, AMPLITUDE * FREQUENCY * c);
        let ddy = -FREQUENCY * FREQUENCY * y;
        // x² + y² = 1.
        let x = (1.0 - y * y).sqrt();
        let dx = -y * dy / x;
        self.road = [[x, y], [dx, dy], [-(dx * dx + dy * dy + y * ddy) / x, ddy]];
    }
    #[inline]
    fn mass(&self, sink: &mut impl Sink) {
        (0..4).for_each(|i| sink.put(i, i, MASS));
    }
    #[inline]
    fn solve_mass(&self, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x *= 1.0 / MASS);
    }
    #[inline]
    fn force(&self, _v: &[f64], f: &mut [f64]) {
        for (f, [dx, dy]) in f.chunks_exact_mut(2).zip(self.springs()) {
            let push = REST / (dx * dx + dy * dy).sqrt() - 1.0;
            f[0] = push * dx;
            f[1] = push * dy - MASS * GRAVITY;
        }
    }
    #[inline]
    fn force_dp(&self, _v: &[f64], sink: &mut impl Sink) {
        for (k, [dx, dy]) in self.springs().into_iter().enumerate() {
            let square = dx * dx + dy * dy;
            let push = REST / square.sqrt();
            let slope = push / square;
            sink.put(2 * k, 2 * k, push - 1.0 - slope * dx * dx);
            sink.put(2 * k, 2 * k + 1, -slope * dx * dy);
            sink.put(2 * k + 1, 2 * k, -slope * dx * dy);
            sink.put(2 * k + 1, 2 * k + 1, push - 1.0 - slope * dy * dy);
        }
    }
    fn force_dv(&self, _v: &[f64], _sink: &mut impl Sink) {}
    #[inline]
    fn gq(&self, sink: &mut impl Sink) {
        let [xl, yl, xr, yr] = self.p;
        let [xb, yb] = self.road[0];
        sink.put(0, 0, xb);
        sink.put(0, 1, yb);
        sink.put(1, 0, 2.0 * (xl - xr));
        sink.put(1, 1, 2.0 * (yl - yr));
        sink.put(1, 2, -2.0 * (xl - xr));
        sink.put(1, 3, -2.0 * (yl - yr));
    }
    #[inline]
    fn g(&self, out: &mut [f64]) {
        let [xl, yl, xr, yr] = self.p;
        let [xb, yb] = self.road[0];
        out[0] = xl * xb + yl * yb;
        out[1] = (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - 1.0;
    }
    #[inline]
    fn gt(&self, out: &mut [f64]) {
        let [dx, dy] = self.road[1];
        out[0] = self.p[0] * dx + self.p[1] * dy;
        out[1] = 0.0;
    }
    #[inline]
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        self.gt(out);
        self.add_ga(v, out);
    }
    #[inline]
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        let ([dx, dy], [ddx, ddy]) = (self.road[1], self.road[2]);
        let (wx, wy) = (v[0] - v[2], v[1] - v[3]);
        out[0] = 2.0 * (v[0] * dx + v[1] * dy) + self.p[0] * ddx + self.p[1] * ddy;
        out[1] = 2.0 * (wx * wx + wy * wy);
    }
    #[inline]
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        sink.put(0, 0, self.road[1][0]);
        sink.put(0, 1, self.road[1][1]);
        self.ga_dp(v, sink);
    }
    #[inline]
    fn ga_dp(&self, a: &[f64], sink: &mut impl Sink) {
        let (wx, wy) = (2.0 * (a[0] - a[2]), 2.0 * (a[1] - a[3]));
        sink.put(1, 0, wx);
        sink.put(1, 1, wy);
        sink.put(1, 2, -wx);
        sink.put(1, 3, -wy);
    }
    #[inline]
    fn gvv_dp(&self, _v: &[f64], sink: &mut impl Sink) {
        sink.put(0, 0, self.road[2][0]);
        sink.put(0, 1, self.road[2][1]);
    }
    #[inline]
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        let l = 2.0 * lambda[1];
        for i in 0..2 {
            sink.put(i, i, l);
            sink.put(i + 2, i + 2, l);
            sink.put(i, i + 2, -l);
            sink.put(i + 2, i, -l);
        }
    }
}
