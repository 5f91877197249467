//! Points at constant distances with a constant mass matrix: chains and rows of four-bars of any length.

use super::{Lean, Mass, Sink};
use geoms_problems::linkage::{End, Linkage};

#[derive(Clone, Debug)]
pub struct Bars {
    link: Linkage,
    kind: Mass,
    /// Point, other point (`usize::MAX` for the ground), length.
    bars: Vec<(usize, usize, f64)>,
    ground: Vec<[f64; 2]>,
    /// Vectors of the bars.
    d: Vec<[f64; 2]>,
    /// Cholesky factor of a banded mass matrix of one direction: diagonal and subdiagonal.
    factor: Vec<[f64; 2]>,
}

const GROUND: usize = usize::MAX;

impl Bars {
    pub fn new(link: Linkage) -> Self {
        let diagonal = link.mass.iter().all(|&(i, j, _)| i == j);
        let mut ground = Vec::new();
        let bars = link.bars.iter().map(|bar| match bar.other {
            End::Point(j) => (bar.point, j, bar.length),
            End::Ground(_) => (bar.point, GROUND, bar.length),
        });
        let bars: Vec<_> = bars.collect();
        for bar in &link.bars {
            ground.push(match bar.other {
                End::Ground(at) => at,
                End::Point(_) => [0.0; 2],
            });
        }
        // LDLᵀ of a tridiagonal matrix.
        let entry = |r: usize, c: usize| {
            link.mass.iter().filter(|&&(i, j, _)| i == r && j == c).map(|&(_, _, m)| m).sum::<f64>()
        };
        assert!(link.mass.iter().all(|&(i, j, _)| i.abs_diff(j) <= 1), "not tridiagonal");
        let mut factor: Vec<[f64; 2]> = Vec::new();
        for i in 0..link.points {
            let (below, last) = match i.checked_sub(1) {
                Some(k) => (entry(i, k) / factor[k][0], factor[k][0]),
                None => (0.0, 0.0),
            };
            factor.push([entry(i, i) - below * below * last, below]);
        }
        let d = vec![[0.0; 2]; bars.len()];
        // Neighbours are two coordinates apart.
        let kind = if diagonal { Mass::Diagonal } else { Mass::Band(2) };
        Bars { link, kind, bars, ground, d, factor }
    }

    #[inline(always)]
    fn difference(&(i, j, _): &(usize, usize, f64), v: &[f64]) -> [f64; 2] {
        if j == GROUND {
            [v[2 * i], v[2 * i + 1]]
        } else {
            [v[2 * i] - v[2 * j], v[2 * i + 1] - v[2 * j + 1]]
        }
    }
}

impl Lean for Bars {
    fn np(&self) -> usize {
        2 * self.link.points
    }
    fn nl(&self) -> usize {
        self.bars.len()
    }
    fn mass_kind(&self) -> Mass {
        self.kind
    }
    fn prepare(&mut self, _t: f64, p: &[f64]) {
        for ((d, bar), ground) in self.d.iter_mut().zip(&self.bars).zip(&self.ground) {
            let [x, y] = Self::difference(bar, p);
            *d = [x - ground[0], y - ground[1]];
        }
    }
    fn mass(&self, sink: &mut impl Sink) {
        for &(i, j, m) in &self.link.mass {
            sink.put(2 * i, 2 * j, m);
            sink.put(2 * i + 1, 2 * j + 1, m);
        }
    }
    fn solve_mass(&self, x: &mut [f64]) {
        let n = self.link.points;
        if self.kind == Mass::Diagonal {
            for (x, f) in x.chunks_exact_mut(2).zip(&self.factor) {
                x[0] /= f[0];
                x[1] /= f[0];
            }
            return;
        }
        for c in 0..2 {
            for i in 1..n {
                x[2 * i + c] -= self.factor[i][1] * x[2 * i + c - 2];
            }
            for i in (0..n).rev() {
                x[2 * i + c] /= self.factor[i][0];
                if i + 1 < n {
                    x[2 * i + c] -= self.factor[i + 1][1] * x[2 * i + c + 2];
                }
            }
        }
    }
    fn force(&self, _v: &[f64], f: &mut [f64]) {
        f.copy_from_slice(&self.link.force);
    }
    fn force_dp(&self, _v: &[f64], _sink: &mut impl Sink) {}
    fn force_dv(&self, _v: &[f64], _sink: &mut impl Sink) {}
    fn gq(&self, sink: &mut impl Sink) {
        for (k, (&(i, j, _), d)) in self.bars.iter().zip(&self.d).enumerate() {
            sink.put(k, 2 * i, 2.0 * d[0]);
            sink.put(k, 2 * i + 1, 2.0 * d[1]);
            if j != GROUND {
                sink.put(k, 2 * j, -2.0 * d[0]);
                sink.put(k, 2 * j + 1, -2.0 * d[1]);
            }
        }
    }
    fn g(&self, out: &mut [f64]) {
        for ((out, d), bar) in out.iter_mut().zip(&self.d).zip(&self.bars) {
            *out = d[0] * d[0] + d[1] * d[1] - bar.2 * bar.2;
        }
    }
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        for ((out, d), bar) in out.iter_mut().zip(&self.d).zip(&self.bars) {
            let w = Self::difference(bar, v);
            *out = 2.0 * (d[0] * w[0] + d[1] * w[1]);
        }
    }
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        for (out, bar) in out.iter_mut().zip(&self.bars) {
            let w = Self::difference(bar, v);
            *out = 2.0 * (w[0] * w[0] + w[1] * w[1]);
        }
    }
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        for (k, bar) in self.bars.iter().enumerate() {
            let w = Self::difference(bar, v);
            let &(i, j, _) = bar;
            sink.put(k, 2 * i, 2.0 * w[0]);
            sink.put(k, 2 * i + 1, 2.0 * w[1]);
            if j != GROUND {
                sink.put(k, 2 * j, -2.0 * w[0]);
                sink.put(k, 2 * j + 1, -2.0 * w[1]);
            }
        }
    }
    fn gvv_dp(&self, _v: &[f64], _sink: &mut impl Sink) {}
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        for (&(i, j, _), &l) in self.bars.iter().zip(lambda) {
            for c in 0..2 {
                sink.put(2 * i + c, 2 * i + c, 2.0 * l);
                if j != GROUND {
                    sink.put(2 * j + c, 2 * j + c, 2.0 * l);
                    sink.put(2 * i + c, 2 * j + c, -2.0 * l);
                    sink.put(2 * j + c, 2 * i + c, -2.0 * l);
                }
            }
        }
    }
}
