//! Flexible arm with a payload: a ladder of point masses joined by stiff spring-dampers (a lumped flexible body), pinned to the
//! ground at one corner, with a second mass on a rigid link at its tip. High frequencies of small amplitude, few constraints.
//!
//! Written by hand with its Jacobian, so that the cost of the model is that of a program for such bodies.

use geoms::initial;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::mechanism::derived::Options;
use geoms::norm::{Scaling, Tolerance};
use geoms::options::MassStructure;
use geoms::stats::Stats;
use geoms::system::{JacobianBlocks, Outcome, System};

const GRAVITY: f64 = 9.81;

/// Spring-damper between two points.
#[derive(Clone, Copy, Debug)]
struct Spring {
    ends: [usize; 2],
    rest: f64,
}

/// The arm. p = points of the lower and upper row alternately, then the payload.
#[derive(Clone, Debug)]
pub struct FlexibleBeam {
    stiffness: f64,
    damping: f64,
    springs: Vec<Spring>,
    /// Mass of each point.
    mass: Vec<f64>,
    link: f64,
    options: Options,
    layout: Layout,
    /// -∂f_dyn/∂x.
    slope: Vec<f64>,
}

impl FlexibleBeam {
    /// An arm of length 1, height 0.1 and mass 2 in so many cells; damping proportional to the stiffness, 1e-4 of it. The payload
    /// of mass 1 hangs on a link of length 0.5.
    pub fn new(cells: usize, stiffness: f64, options: Options) -> Self {
        let points = 2 * (cells + 1);
        let position = |i: usize| Self::undeformed(cells, i);
        let pairs = (0..cells).flat_map(|c| {
            let [a, b, d, e] = [0, 1, 2, 3].map(|k| 2 * c + k);
            [[a, b], [a, d], [b, e], [a, e], [b, d]]
        });
        let springs = pairs
            .chain([[points - 2, points - 1]])
            .map(|ends| {
                let [p, q] = ends.map(position);
                Spring { ends, rest: (p[0] - q[0]).hypot(p[1] - q[1]) }
            })
            .collect();
        let mut mass = vec![2.0 / points as f64; points];
        mass.push(1.0);
        let np = 2 * (points + 1);
        let layout = Layout::new(Dimensions { np, nv: np, nl: 3, ..Dimensions::default() }, options.form);
        let slope = vec![0.0; np * layout.n];
        FlexibleBeam {
            stiffness,
            damping: 1e-4 * stiffness,
            springs,
            mass,
            link: 0.5,
            options,
            layout,
            slope,
        }
    }

    fn undeformed(cells: usize, i: usize) -> [f64; 2] {
        [(i / 2) as f64 / cells as f64, 0.1 * (i % 2) as f64]
    }

    /// Structure of the mass matrix.
    pub const MASS: MassStructure = MassStructure::ConstantDiagonal;

    /// At rest, undeformed and horizontal, with the multipliers that belong to it; `None` if these cannot be found.
    pub fn start(&self) -> Option<Vec<f64>> {
        let mut free = FlexibleBeam::new(
            (self.mass.len() - 1) / 2 - 1,
            self.stiffness,
            Options::new(Form::StrangenessFree, true),
        );
        let l = free.layout;
        let mut x = vec![0.0; l.n];
        let points = self.mass.len() - 1;
        let p = l.x.p.of_mut(&mut x);
        for i in 0..points {
            p[2 * i..2 * i + 2].copy_from_slice(&Self::undeformed(points / 2 - 1, i));
        }
        let tip = [p[2 * points - 4], p[2 * points - 3] - self.link];
        p[2 * points..].copy_from_slice(&tip);
        let tolerance = Tolerance::scalar(1e-12, 1e-12);
        let options = geoms::options::Options::of_call();
        let scaling = Scaling::new(&tolerance, l.n);
        let mut stats = Stats::default();
        initial::move_to_constraints(&mut free, &l, &options, &scaling, 0.0, &mut x, &mut stats).ok()?;
        Some(x)
    }

    /// Points of the link: the payload and the tip.
    fn link_ends(&self) -> [usize; 2] {
        let payload = self.mass.len() - 1;
        [payload, payload - 2]
    }

    fn difference(v: &[f64], [i, j]: [usize; 2]) -> [f64; 2] {
        [v[2 * i] - v[2 * j], v[2 * i + 1] - v[2 * j + 1]]
    }

    fn forces(&self, x: &[f64], f: &mut [f64]) {
        let l = &self.layout;
        let (p, v, lambda) = (l.x.p.of(x), l.x.v.of(x), l.x.lambda.of(x));
        for (f, m) in f.chunks_exact_mut(2).zip(&self.mass) {
            f.copy_from_slice(&[0.0, -GRAVITY * m]);
        }
        for spring in &self.springs {
            let (d, rate) = (Self::difference(p, spring.ends), Self::difference(v, spring.ends));
            let square = d[0] * d[0] + d[1] * d[1];
            let along = d[0] * rate[0] + d[1] * rate[1];
            let pull = self.stiffness * (1.0 - spring.rest / square.sqrt()) + self.damping * along / square;
            for k in 0..2 {
                f[2 * spring.ends[0] + k] -= pull * d[k];
                f[2 * spring.ends[1] + k] += pull * d[k];
            }
        }
        f[0] -= lambda[0];
        f[1] -= lambda[1];
        let ends = self.link_ends();
        let d = Self::difference(p, ends);
        for k in 0..2 {
            f[2 * ends[0] + k] -= 2.0 * d[k] * lambda[2];
            f[2 * ends[1] + k] += 2.0 * d[k] * lambda[2];
        }
    }

    /// -∂f_dyn/∂x.
    fn differentiate_forces(&mut self, x: &[f64]) {
        let l = self.layout;
        let nv = l.dims.nv;
        self.slope.fill(0.0);
        let (p, v) = (l.x.p.of(x), l.x.v.of(x));
        for spring in &self.springs {
            let (d, rate) = (Self::difference(p, spring.ends), Self::difference(v, spring.ends));
            let square = d[0] * d[0] + d[1] * d[1];
            let length = square.sqrt();
            let along = d[0] * rate[0] + d[1] * rate[1];
            let pull = self.stiffness * (1.0 - spring.rest / length) + self.damping * along / square;
            let by_length = self.stiffness * spring.rest / (square * length)
                - 2.0 * self.damping * along / (square * square);
            for a in 0..2 {
                for b in 0..2 {
                    let diagonal = if a == b { pull } else { 0.0 };
                    let by_p = diagonal + d[a] * (by_length * d[b] + self.damping / square * rate[b]);
                    let by_v = d[a] * self.damping / square * d[b];
                    for (i, sign_i) in [(0, 1.0), (1, -1.0)] {
                        for (j, sign_j) in [(0, 1.0), (1, -1.0)] {
                            let (row, point) = (2 * spring.ends[i] + a, 2 * spring.ends[j] + b);
                            self.slope[row + (l.x.p.start + point) * nv] += sign_i * sign_j * by_p;
                            self.slope[row + (l.x.v.start + point) * nv] += sign_i * sign_j * by_v;
                        }
                    }
                }
            }
        }
        self.slope[0] += 1.0;
        self.slope[1 + nv] += 1.0;
        let ends = self.link_ends();
        let (d, lambda) = (Self::difference(p, ends), l.x.lambda.of(x)[2]);
        for (k, d) in d.into_iter().enumerate() {
            for (i, sign_i) in [(0, 1.0), (1, -1.0)] {
                let row = 2 * ends[i] + k;
                self.slope[row + 2 * nv] += 2.0 * sign_i * d;
                for (j, sign_j) in [(0, 1.0), (1, -1.0)] {
                    let column = l.x.p.start + 2 * ends[j] + k;
                    self.slope[row + column * nv] += 2.0 * sign_i * sign_j * lambda;
                }
            }
        }
    }
}

impl System for FlexibleBeam {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = self.layout;
        let (p, v) = (l.x.p.of(x), l.x.v.of(x));
        self.forces(x, l.rda.f_dyn.of_mut(rda));
        let ends = self.link_ends();
        let (d, rate) = (Self::difference(p, ends), Self::difference(v, ends));
        if l.form == Form::StrangenessFree {
            let a = |i: usize, k: usize| l.rda.f_dyn.of(rda)[2 * i + k] / self.mass[i];
            let first = [a(0, 0), a(0, 1)];
            let along: f64 = (0..2).map(|k| rate[k] * rate[k] + d[k] * (a(ends[0], k) - a(ends[1], k))).sum();
            l.rda.g_acceleration.of_mut(rda).copy_from_slice(&[first[0], first[1], 2.0 * along]);
        }
        let speed = 2.0 * (d[0] * rate[0] + d[1] * rate[1]);
        l.rda.g_velocity.of_mut(rda).copy_from_slice(&[v[0], v[1], speed]);
        let distance = d[0] * d[0] + d[1] * d[1] - self.link * self.link;
        l.rda.g.of_mut(rda).copy_from_slice(&[p[0], p[1], distance]);
        l.rda.f_kin.of_mut(rda).copy_from_slice(v);
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        let nv = self.layout.dims.nv;
        for i in 0..nv {
            mass[i * (nv + 1)] = self.mass[i / 2];
        }
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        self.options.jacobian
    }

    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let l = self.layout;
        let (nv, v0, p0) = (l.dims.nv, l.x.v.start, l.x.p.start);
        self.differentiate_forces(x);
        fx.fx[4].copy_from_slice(&self.slope);
        let ends = self.link_ends();
        let (d, rate) = (Self::difference(l.x.p.of(x), ends), Self::difference(l.x.v.of(x), ends));
        for k in 0..2 {
            fx.fx[1][k + k * 3] = -1.0;
            fx.fx[2][k + k * 3] = -1.0;
            for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                let at = 2 * end + k;
                fx.fx[1][2 + at * 3] -= 2.0 * sign * d[k];
                fx.fx[1][2 + (p0 - v0 + at) * 3] -= 2.0 * sign * rate[k];
                fx.fx[2][2 + at * 3] -= 2.0 * sign * d[k];
            }
        }
        (0..nv).for_each(|i| fx.fx[5][i * (nv + 1)] = -1.0);
        if l.form == Form::StrangenessFree {
            let mut f = vec![0.0; nv];
            self.forces(x, &mut f);
            for (j, column) in fx.fx[0].chunks_exact_mut(3).enumerate() {
                let by = |i: usize, k: usize| self.slope[2 * i + k + j * nv] / self.mass[i];
                column[0] = by(0, 0);
                column[1] = by(0, 1);
                column[2] = (0..2).map(|k| 2.0 * d[k] * (by(ends[0], k) - by(ends[1], k))).sum();
            }
            for k in 0..2 {
                let a = ends.map(|i| f[2 * i + k] / self.mass[i]);
                for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                    let at = 2 * end + k;
                    fx.fx[0][2 + (p0 + at) * 3] -= 2.0 * sign * (a[0] - a[1]);
                    fx.fx[0][2 + (v0 + at) * 3] -= 4.0 * sign * rate[k];
                }
            }
        }
        Outcome::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jacobian_is_that_of_the_rows() {
        for form in [Form::StrangenessFree, Form::Index1] {
            let mut beam = FlexibleBeam::new(3, 1e3, Options::new(form, true));
            let l = beam.layout;
            let mut x = beam.start().unwrap();
            x.iter_mut().enumerate().for_each(|(i, x)| *x += 0.01 * (1.7 * i as f64).sin());
            let mut fx = JacobianBlocks::new(&l);
            assert_eq!(beam.jacobian(0.0, &x, &mut fx), Outcome::Continue);
            let [mut up, mut down] = [vec![0.0; l.m], vec![0.0; l.m]];
            for j in 0..l.n {
                let mut moved = x.clone();
                moved[j] = x[j] + 1e-6;
                let _ = beam.eom(0.0, &moved, &mut up);
                moved[j] = x[j] - 1e-6;
                let _ = beam.eom(0.0, &moved, &mut down);
                for (k, (rows, first)) in l.fx_position().into_iter().enumerate() {
                    let (m, n) = fx.shape[k];
                    if j < first || j >= first + n {
                        continue;
                    }
                    for (i, row) in rows.range().enumerate() {
                        let slope = -(up[row] - down[row]) / 2e-6;
                        let entry = fx.fx[k][i + (j - first) * m];
                        assert!((slope - entry).abs() < 1e-5 * (1.0 + entry.abs()), "FX{} ({i}, {j})", k + 1);
                    }
                }
            }
        }
    }

    #[test]
    fn start_is_consistent() {
        let mut beam = FlexibleBeam::new(5, 1e6, Options::new(Form::StrangenessFree, true));
        let (x, mut rda) = (beam.start().unwrap(), vec![0.0; beam.layout.m]);
        let _ = beam.eom(0.0, &x, &mut rda);
        let l = beam.layout;
        for rows in [l.rda.g_acceleration, l.rda.g_velocity, l.rda.g] {
            assert!(rows.of(&rda).iter().all(|v| v.abs() < 1e-10), "{:?}", rows.of(&rda));
        }
    }
}
