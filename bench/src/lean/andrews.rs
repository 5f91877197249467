//! Andrews' squeezing mechanism in seven angles (β, Θ, γ, Φ, δ, Ω, ε). The mass matrix couples β with Θ, Φ with δ and
//! Ω with ε only.

use super::{Lean, Mass, Sink};

const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
const XA: f64 = -0.06934;
const YA: f64 = -0.00227;
const XB: f64 = -0.03635;
const YB: f64 = 0.03273;
const XC: f64 = 0.014;
const YC: f64 = 0.072;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const C0: f64 = 4530.0;
const L0: f64 = 0.07785;
const MOMENT: f64 = 0.033;
const Z: f64 = E - EA;
const W: f64 = ZF - FA;

/// Couplings m12, m45, m67: constant part and factor of cos Θ, sin Φ, sin Ω.
const K12: f64 = M[1] * DA * RR;
const K45: f64 = M[3] * ZT * Z;
const K67: f64 = M[5] * U * W;

/// Sine and cosine of an angle.
#[derive(Clone, Copy, Debug, Default)]
struct Angle {
    s: f64,
    c: f64,
}

impl Angle {
    #[inline]
    fn of(x: f64) -> Self {
        let (s, c) = x.sin_cos();
        Angle { s, c }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Andrews {
    /// β, Θ, γ, Φ, δ, Ω, ε, then β+Θ, Φ+δ, Ω+ε.
    a: [Angle; 10],
}

impl Andrews {
    /// g as a sum of terms in single angles: row, the angle's coordinates, value, first and second derivative. All six
    /// rows begin with the same two terms.
    #[inline(always)]
    fn terms(&self, mut term: impl FnMut(usize, &'static [usize], [f64; 2])) {
        let a = &self.a;
        // term = (slope, curvature): d/dθ and d²/dθ².
        for k in 0..3 {
            term(2 * k, &[0], [-RR * a[0].s, -RR * a[0].c]);
            term(2 * k, &[0, 1], [D * a[7].s, D * a[7].c]);
            term(2 * k + 1, &[0], [RR * a[0].c, -RR * a[0].s]);
            term(2 * k + 1, &[0, 1], [-D * a[7].c, D * a[7].s]);
        }
        term(0, &[2], [-SS * a[2].c, SS * a[2].s]);
        term(1, &[2], [-SS * a[2].s, -SS * a[2].c]);
        term(2, &[3, 4], [-E * a[8].c, E * a[8].s]);
        term(2, &[4], [ZT * a[4].s, ZT * a[4].c]);
        term(3, &[3, 4], [-E * a[8].s, -E * a[8].c]);
        term(3, &[4], [-ZT * a[4].c, ZT * a[4].s]);
        term(4, &[5, 6], [ZF * a[9].s, ZF * a[9].c]);
        term(4, &[6], [-U * a[6].c, U * a[6].s]);
        term(5, &[5, 6], [-ZF * a[9].c, ZF * a[9].s]);
        term(5, &[6], [-U * a[6].s, -U * a[6].c]);
    }

    /// Rates of the sums of angles.
    #[inline(always)]
    fn rate(of: &[usize], v: &[f64]) -> f64 {
        of.iter().map(|&j| v[j]).sum()
    }

    fn blocks(&self) -> [[f64; 3]; 3] {
        let (ct, sp, so) = (self.a[1].c, self.a[3].s, self.a[5].s);
        [
            [
                M[1] * (RR * RR + DA * DA) - 2.0 * K12 * ct + (M[0] * RA * RA + I[0] + I[1]),
                M[1] * DA * DA - K12 * ct + I[1],
                M[1] * DA * DA + I[1],
            ],
            [
                M[3] * Z * Z + I[3],
                M[3] * Z * Z + K45 * sp + I[3],
                M[3] * (ZT * ZT + Z * Z) + 2.0 * K45 * sp + (M[4] * (TA * TA + TB * TB) + I[3] + I[4]),
            ],
            [
                M[5] * W * W + I[5],
                M[5] * W * W - K67 * so + I[5],
                M[5] * (W * W + U * U) - 2.0 * K67 * so + (M[6] * (UA * UA + UB * UB) + I[5] + I[6]),
            ],
        ]
    }

    /// Moment of the spring about γ and its derivative.
    #[inline]
    fn spring(&self) -> (f64, f64) {
        let Angle { s, c } = self.a[2];
        let (dx, dy) = (c * SD + s * SC + (XB - XC), s * SD - c * SC + (YB - YC));
        let (ex, ey) = (c * SC - s * SD, c * SD + s * SC);
        let length = (dx * dx + dy * dy).sqrt();
        let (along, pull) = (dx * ex + dy * ey, C0 * (L0 / length - 1.0));
        // d(ex, ey) = (-ey, ex).
        let turn = ex * ex + ey * ey - dx * ey + dy * ex;
        (pull * along, pull * turn - C0 * L0 * along * along / (length * length * length))
    }
}

const AT: [(usize, usize); 3] = [(0, 1), (3, 4), (5, 6)];
const M33: f64 = M[2] * (SA * SA + SB * SB) + I[2];

impl Lean for Andrews {
    fn np(&self) -> usize {
        7
    }
    fn nl(&self) -> usize {
        6
    }
    fn mass_kind(&self) -> Mass {
        Mass::Variable
    }
    #[inline]
    fn prepare(&mut self, _t: f64, p: &[f64]) {
        for (a, &p) in self.a.iter_mut().zip(p) {
            *a = Angle::of(p);
        }
        // Sums of angles by the addition theorems.
        for (k, &(i, j)) in AT.iter().enumerate() {
            let (x, y) = (self.a[i], self.a[j]);
            self.a[7 + k] = Angle { s: x.s * y.c + x.c * y.s, c: x.c * y.c - x.s * y.s };
        }
    }
    #[inline]
    fn mass(&self, sink: &mut impl Sink) {
        for ((i, j), [x, y, z]) in AT.into_iter().zip(self.blocks()) {
            sink.put(i, i, x);
            sink.put(i, j, y);
            sink.put(j, i, y);
            sink.put(j, j, z);
        }
        sink.put(2, 2, M33);
    }
    #[inline]
    fn solve_mass(&self, b: &mut [f64]) {
        for ((i, j), [x, y, z]) in AT.into_iter().zip(self.blocks()) {
            let det = 1.0 / (x * z - y * y);
            (b[i], b[j]) = ((z * b[i] - y * b[j]) * det, (x * b[j] - y * b[i]) * det);
        }
        b[2] /= M33;
    }
    #[inline]
    fn mass_dp(&self, a: &[f64], sink: &mut impl Sink) {
        let (t, p, o) = (K12 * self.a[1].s, K45 * self.a[3].c, -K67 * self.a[5].c);
        sink.put(0, 1, t * (2.0 * a[0] + a[1]));
        sink.put(1, 1, t * a[0]);
        sink.put(3, 3, p * a[4]);
        sink.put(4, 3, p * (a[3] + 2.0 * a[4]));
        sink.put(5, 5, o * a[6]);
        sink.put(6, 5, o * (a[5] + 2.0 * a[6]));
    }
    #[inline]
    fn force(&self, v: &[f64], f: &mut [f64]) {
        let (t, p, o) = (K12 * self.a[1].s, K45 * self.a[3].c, K67 * self.a[5].c);
        f[0] = MOMENT - t * v[1] * (v[1] + 2.0 * v[0]);
        f[1] = t * v[0] * v[0];
        f[2] = self.spring().0;
        f[3] = p * v[4] * v[4];
        f[4] = -p * v[3] * (v[3] + 2.0 * v[4]);
        f[5] = -o * v[6] * v[6];
        f[6] = o * v[5] * (v[5] + 2.0 * v[6]);
    }
    #[inline]
    fn force_dp(&self, v: &[f64], sink: &mut impl Sink) {
        let (t, p, o) = (K12 * self.a[1].c, -K45 * self.a[3].s, -K67 * self.a[5].s);
        sink.put(0, 1, -t * v[1] * (v[1] + 2.0 * v[0]));
        sink.put(1, 1, t * v[0] * v[0]);
        sink.put(2, 2, self.spring().1);
        sink.put(3, 3, p * v[4] * v[4]);
        sink.put(4, 3, -p * v[3] * (v[3] + 2.0 * v[4]));
        sink.put(5, 5, -o * v[6] * v[6]);
        sink.put(6, 5, o * v[5] * (v[5] + 2.0 * v[6]));
    }
    #[inline]
    fn force_dv(&self, v: &[f64], sink: &mut impl Sink) {
        let (t, p, o) = (2.0 * K12 * self.a[1].s, 2.0 * K45 * self.a[3].c, 2.0 * K67 * self.a[5].c);
        sink.put(0, 0, -t * v[1]);
        sink.put(0, 1, -t * (v[0] + v[1]));
        sink.put(1, 0, t * v[0]);
        sink.put(3, 4, p * v[4]);
        sink.put(4, 3, -p * (v[3] + v[4]));
        sink.put(4, 4, -p * v[3]);
        sink.put(5, 6, -o * v[6]);
        sink.put(6, 5, o * (v[5] + v[6]));
        sink.put(6, 6, o * v[5]);
    }
    #[inline]
    fn gq(&self, sink: &mut impl Sink) {
        self.terms(|row, of, [slope, _]| of.iter().for_each(|&j| sink.put(row, j, slope)));
    }
    #[inline]
    fn g(&self, g: &mut [f64]) {
        let a = &self.a;
        let (x, y) = (RR * a[0].c - D * a[7].c, RR * a[0].s - D * a[7].s);
        g[0] = x - SS * a[2].s - XB;
        g[1] = y + SS * a[2].c - YB;
        g[2] = x - E * a[8].s - ZT * a[4].c - XA;
        g[3] = y + E * a[8].c - ZT * a[4].s - YA;
        g[4] = x - ZF * a[9].c - U * a[6].s - XA;
        g[5] = y - ZF * a[9].s + U * a[6].c - YA;
    }
    #[inline]
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.terms(|row, of, [slope, _]| out[row] += slope * Self::rate(of, v));
    }
    #[inline]
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.terms(|row, of, [_, curvature]| {
            let w = Self::rate(of, v);
            out[row] += curvature * w * w;
        });
    }
    #[inline]
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        self.terms(|row, of, [_, curvature]| {
            let w = curvature * Self::rate(of, v);
            of.iter().for_each(|&j| sink.put(row, j, w));
        });
    }
    #[inline]
    fn gvv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        // The third derivative of a sine is minus the first.
        self.terms(|row, of, [slope, _]| {
            let w = Self::rate(of, v);
            of.iter().for_each(|&j| sink.put(row, j, -slope * w * w));
        });
    }
    #[inline]
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        self.terms(|row, of, [_, curvature]| {
            let w = curvature * lambda[row];
            for &i in of {
                of.iter().for_each(|&j| sink.put(i, j, w));
            }
        });
    }
}
