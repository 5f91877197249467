//! The planar truck with its force elements differentiated by hand (see the test set for the data).
//!
//! p = (y of the rear wheel; y and angle of the chassis; y of the front wheel; y and angle of the cabin; x, y and angle
//! of the load).

use super::{Lean, Mass, Sink};

const GRAVITY: f64 = 9.81;
const INERTIA: [f64; 9] = [1450.0, 3335.0, 14313.0, 600.0, 1100.0, 948.0, 11515.0, 11515.0, 33000.0];
const WEIGHT: [f64; 9] = [1450.0, 3335.0, 0.0, 600.0, 1100.0, 0.0, 0.0, 11515.0, 0.0];
const REAR: f64 = -2.06;
const FRONT: f64 = 2.44;
const CABIN: [f64; 2] = [1.94, 3.64];
const LOAD: f64 = 0.98;
const UNDER: f64 = -1.34;
const IN_CABIN: [f64; 2] = [-0.8, 0.9];
const IN_LOAD: f64 = 2.44;
const HINGE: [f64; 2] = [-3.07, 0.15];
const HINGE_LOAD: [f64; 2] = [-1.61, -0.75];
const SPEED: f64 = 15.0;

/// Stiffness, damping, nominal force.
type Element = [f64; 3];
const TYRES: [Element; 2] = [[44e5, 600.0, -2.329_145_162e6], [22e5, 300.0, -1.147_434_838e6]];
const AXLES: [Element; 2] = [[8.247e5, 21593.0, -0.246_872_662e6], [2.711e5, 38537.0, -0.084_924_838e6]];
const MOUNTS: [Element; 2] =
    [[1.357e5, 12218.0, -0.127_842_882_352_94e6], [1.357e5, 12218.0, -0.127_208_117_647_06e6]];
const LOADING: Element = [9e5, 38500.0, -0.854_905_941_111_11e6];

type Vector = [f64; 2];

#[inline(always)]
fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A coordinate that moves a point: derivative of the position, and the lever that a force acts on it with.
#[derive(Clone, Copy, Default)]
struct Moved {
    by: usize,
    along: Vector,
    lever: Vector,
    /// For an angle: derivatives of the point's velocity and of the lever.
    turn: Vector,
    lever_dp: Vector,
}

/// A point with its velocity and the coordinates that move it.
#[derive(Clone, Copy, Default)]
struct Place {
    at: Vector,
    rate: Vector,
    count: usize,
    moved: [Moved; 3],
}

impl Place {
    fn fixed(at: Vector, rate: Vector) -> Self {
        Place { at, rate, ..Place::default() }
    }

    #[inline(always)]
    fn and(mut self, moved: Moved, rate: f64) -> Self {
        self.moved[self.count] = moved;
        self.count += 1;
        self.rate = [self.rate[0] + rate * moved.along[0], self.rate[1] + rate * moved.along[1]];
        self
    }

    /// Moved by a coordinate along an axis.
    #[inline(always)]
    fn shifted(self, by: usize, along: Vector, v: &[f64]) -> Self {
        let zero = [0.0; 2];
        self.and(Moved { by, along, lever: along, turn: zero, lever_dp: zero }, v[by])
    }

    /// Turned by an angle about a centre from which it is at (a, h) of the body's frame.
    #[inline(always)]
    fn turned(mut self, by: usize, (s, c): (f64, f64), [a, h]: Vector, v: &[f64]) -> Self {
        let arm = [c * a - s * h, s * a + c * h];
        self.at = [self.at[0] + arm[0], self.at[1] + arm[1]];
        let along = [-arm[1], arm[0]];
        let (turn, lever_dp) = ([-arm[0] * v[by], -arm[1] * v[by]], [-arm[0], -arm[1]]);
        self.and(Moved { by, along, lever: along, turn, lever_dp }, v[by])
    }
}

#[derive(Clone, Debug, Default)]
pub struct Truck {
    t: f64,
    p: [f64; 9],
    /// Sines and cosines of the angles of chassis, cabin and load.
    angle: [(f64, f64); 3],
}

impl Truck {
    /// Height of the road at a wheel that meets the bump at `start`, and its rate.
    #[inline]
    fn road(&self, start: f64) -> Vector {
        let z = self.t - start;
        if z <= 0.0 {
            return [0.0; 2];
        }
        let decay = (-z).exp() * 0.001;
        let fifth = z.powi(5) * decay;
        [z * fifth, (6.0 - z) * fifth]
    }

    fn chassis(&self, at: Vector, v: &[f64]) -> Place {
        Place::fixed([0.0, self.p[1]], [0.0; 2]).shifted(1, [0.0, 1.0], v).turned(2, self.angle[0], at, v)
    }

    /// Calls back with every force element and its ends.
    #[inline(always)]
    fn elements(&self, v: &[f64], mut each: impl FnMut(&Element, &Place, &Place)) {
        let p = &self.p;
        let front = 2.0 / SPEED;
        let wheels = [(0, REAR, front + (FRONT - REAR) / SPEED), (3, FRONT, front)];
        for (k, (i, place, start)) in wheels.into_iter().enumerate() {
            let [y, rate] = self.road(start);
            let wheel = Place::fixed([place, p[i]], [0.0; 2]).shifted(i, [0.0, 1.0], v);
            each(&TYRES[k], &Place::fixed([place, y], [0.0, rate]), &wheel);
            let mut above = self.chassis([place, UNDER], v);
            // The published program has a sign of the torque wrong; the references are for it.
            let (s, c) = self.angle[0];
            above.moved[1].lever = [UNDER * c - place * s, place * c - UNDER * s];
            above.moved[1].lever_dp = [-UNDER * s - place * c, -place * s - UNDER * c];
            each(&AXLES[k], &wheel, &above);
        }
        for k in 0..2 {
            let middle = [CABIN[0] - IN_CABIN[0], p[4]];
            let cabin = Place::fixed(middle, [0.0; 2]).shifted(4, [0.0, 1.0], v);
            let cabin = cabin.turned(5, self.angle[1], [IN_CABIN[k], 0.0], v);
            each(&MOUNTS[k], &self.chassis([CABIN[k], 0.0], v), &cabin);
        }
        let load = Place::fixed([p[6], p[7]], [0.0; 2]).shifted(6, [1.0, 0.0], v).shifted(7, [0.0, 1.0], v);
        let load = load.turned(8, self.angle[2], [IN_LOAD, 0.0], v);
        each(&LOADING, &self.chassis([LOAD, 0.0], v), &load);
    }

    /// Force between two places and its derivatives with respect to their difference and its rate.
    #[inline(always)]
    fn pull(&[k, c, nominal]: &Element, from: &Place, to: &Place) -> (Vector, [Vector; 2], [Vector; 2]) {
        let d = [to.at[0] - from.at[0], to.at[1] - from.at[1]];
        let w = [to.rate[0] - from.rate[0], to.rate[1] - from.rate[1]];
        let square = dot(d, d);
        let (length, along) = (square.sqrt(), dot(d, w));
        let size = k + c * along / square + nominal / length;
        let radial = -2.0 * c * along / (square * square) - nominal / (square * length);
        let slope = [c * w[0] / square + radial * d[0], c * w[1] / square + radial * d[1]];
        let by_d = [[size + d[0] * slope[0], d[0] * slope[1]], [d[1] * slope[0], size + d[1] * slope[1]]];
        let damping = c / square;
        let by_w =
            [[damping * d[0] * d[0], damping * d[0] * d[1]], [damping * d[1] * d[0], damping * d[1] * d[1]]];
        ([size * d[0], size * d[1]], by_d, by_w)
    }

    /// Derivatives of the forces with respect to p or v.
    #[inline(always)]
    fn slopes(&self, v: &[f64], velocity: bool, sink: &mut impl Sink) {
        self.elements(v, |element, from, to| {
            let (force, by_d, by_w) = Self::pull(element, from, to);
            let ends = [(from, -1.0), (to, 1.0)];
            for (end, sign) in ends {
                for q in &end.moved[..end.count] {
                    let change = |m: &[Vector; 2], u: Vector| [sign * dot(m[0], u), sign * dot(m[1], u)];
                    let df = if velocity {
                        change(&by_w, q.along)
                    } else {
                        let (a, b) = (change(&by_d, q.along), change(&by_w, q.turn));
                        [a[0] + b[0], a[1] + b[1]]
                    };
                    for (other, side) in ends {
                        for r in &other.moved[..other.count] {
                            sink.put(r.by, q.by, -side * dot(r.lever, df));
                        }
                    }
                    if !velocity {
                        sink.put(q.by, q.by, -sign * dot(q.lever_dp, force));
                    }
                }
            }
        });
    }

    /// Arms of the hinge in load and chassis.
    #[inline]
    fn arms(&self) -> [Vector; 2] {
        let arm = |(s, c): (f64, f64), [a, h]: Vector| [c * a - s * h, s * a + c * h];
        [arm(self.angle[2], HINGE_LOAD), arm(self.angle[0], HINGE)]
    }
}

impl Lean for Truck {
    fn np(&self) -> usize {
        9
    }
    fn nl(&self) -> usize {
        2
    }
    fn mass_kind(&self) -> Mass {
        Mass::Diagonal
    }
    #[inline]
    fn prepare(&mut self, t: f64, p: &[f64]) {
        self.t = t;
        self.p.copy_from_slice(p);
        self.angle = [p[2].sin_cos(), p[5].sin_cos(), p[8].sin_cos()];
    }
    #[inline]
    fn mass(&self, sink: &mut impl Sink) {
        INERTIA.iter().enumerate().for_each(|(i, &m)| sink.put(i, i, m));
    }
    #[inline]
    fn solve_mass(&self, x: &mut [f64]) {
        x.iter_mut().zip(INERTIA).for_each(|(x, m)| *x /= m);
    }
    #[inline]
    fn force(&self, v: &[f64], f: &mut [f64]) {
        f.iter_mut().zip(WEIGHT).for_each(|(f, weight)| *f = -GRAVITY * weight);
        self.elements(v, |element, from, to| {
            let (force, _, _) = Self::pull(element, from, to);
            from.moved[..from.count].iter().for_each(|q| f[q.by] += dot(q.lever, force));
            to.moved[..to.count].iter().for_each(|q| f[q.by] -= dot(q.lever, force));
        });
    }
    #[inline]
    fn force_dp(&self, v: &[f64], sink: &mut impl Sink) {
        self.slopes(v, false, sink);
    }
    #[inline]
    fn force_dv(&self, v: &[f64], sink: &mut impl Sink) {
        self.slopes(v, true, sink);
    }
    #[inline]
    fn gq(&self, sink: &mut impl Sink) {
        let [load, chassis] = self.arms();
        sink.put(0, 6, 1.0);
        sink.put(0, 8, -load[1]);
        sink.put(0, 2, chassis[1]);
        sink.put(1, 7, 1.0);
        sink.put(1, 8, load[0]);
        sink.put(1, 1, -1.0);
        sink.put(1, 2, -chassis[0]);
    }
    #[inline]
    fn g(&self, out: &mut [f64]) {
        let [load, chassis] = self.arms();
        out[0] = self.p[6] + load[0] - chassis[0];
        out[1] = self.p[7] + load[1] - self.p[1] - chassis[1];
    }
    #[inline]
    fn gv(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_ga(v, out);
    }
    #[inline]
    fn gvv(&self, v: &[f64], out: &mut [f64]) {
        let [load, chassis] = self.arms();
        for i in 0..2 {
            out[i] = chassis[i] * v[2] * v[2] - load[i] * v[8] * v[8];
        }
    }
    #[inline]
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        let [load, chassis] = self.arms();
        for i in 0..2 {
            sink.put(i, 8, -load[i] * v[8]);
            sink.put(i, 2, chassis[i] * v[2]);
        }
    }
    #[inline]
    fn gvv_dp(&self, v: &[f64], sink: &mut impl Sink) {
        let [load, chassis] = self.arms();
        let (a, b) = (v[8] * v[8], v[2] * v[2]);
        sink.put(0, 8, load[1] * a);
        sink.put(1, 8, -load[0] * a);
        sink.put(0, 2, -chassis[1] * b);
        sink.put(1, 2, chassis[0] * b);
    }
    #[inline]
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink) {
        let [load, chassis] = self.arms();
        sink.put(8, 8, -(load[0] * lambda[0] + load[1] * lambda[1]));
        sink.put(2, 2, chassis[0] * lambda[0] + chassis[1] * lambda[1]);
    }
}
