//! Planar rigid bodies that can be cut into subdomains anywhere: the test problems of gluing.
//!
//! Coordinates x, y, θ per body; pins as revolute joints, torsional spring-dampers, gravity in -y, a moment on the first body.

use geoms::gluing::port::{Coordinates, PlanarFrame};
use geoms::gluing::{Assembly, End, Joint, Law, Part};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::options::MassStructure;
use geoms::system::{JacobianBlocks, Outcome, System};
use std::f64::consts::PI;

/// The other side of a pin.
#[derive(Clone, Copy, Debug)]
pub enum Other {
    Ground([f64; 2]),
    Body(usize, [f64; 2]),
}

#[derive(Clone, Copy, Debug)]
pub struct Pin {
    pub body: usize,
    pub at: [f64; 2],
    pub other: Other,
}

#[derive(Clone, Copy, Debug)]
pub struct Torsion {
    pub body: usize,
    pub other: Option<usize>,
    pub stiffness: f64,
    pub damping: f64,
    pub rest: f64,
}

#[derive(Clone, Debug)]
pub struct Bodies {
    /// Mass and moment of inertia.
    pub bodies: Vec<[f64; 2]>,
    pub pins: Vec<Pin>,
    pub torsions: Vec<Torsion>,
    pub gravity: f64,
    /// Moment torque·t on the first body.
    pub torque: f64,
    pub p: Vec<f64>,
    pub v: Vec<f64>,
}

fn arm(angle: f64, at: [f64; 2]) -> [f64; 2] {
    let (s, c) = angle.sin_cos();
    [c * at[0] - s * at[1], s * at[0] + c * at[1]]
}

impl Pin {
    /// Sign, body and arm of each side that is a body.
    fn sides(&self, p: &[f64]) -> impl Iterator<Item = (f64, usize, [f64; 2])> {
        let first = (1.0, self.body, arm(p[3 * self.body + 2], self.at));
        let second = match self.other {
            Other::Body(body, at) => Some((-1.0, body, arm(p[3 * body + 2], at))),
            Other::Ground(_) => None,
        };
        std::iter::once(first).chain(second)
    }
}

/// The bodies as a model, in the form without gII.
#[derive(Clone, Debug)]
pub struct Model {
    b: Bodies,
    layout: Layout,
}

impl Model {
    pub fn new(b: Bodies) -> Self {
        let np = b.p.len();
        let dims = Dimensions { np, nv: np, nl: 2 * b.pins.len(), ..Dimensions::default() };
        Model { b, layout: Layout::new(dims, Form::Index1) }
    }

    pub fn initial(&self) -> Vec<f64> {
        [vec![0.0; self.layout.dims.nl], self.b.v.clone(), self.b.p.clone()].concat()
    }
}

impl System for Model {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        Form::Index1
    }

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = self.layout;
        let (lambda, v, p) = (l.x.lambda.of(x), l.x.v.of(x), l.x.p.of(x));
        rda.fill(0.0);
        let f0 = l.rda.f_dyn.start;
        for (i, body) in self.b.bodies.iter().enumerate() {
            rda[f0 + 3 * i + 1] = -self.b.gravity * body[0];
        }
        rda[f0 + 2] += self.b.torque * t;
        for s in &self.b.torsions {
            let i = 3 * s.body + 2;
            let j = s.other.map(|o| 3 * o + 2);
            let (angle, rate) = (p[i] - j.map_or(0.0, |j| p[j]), v[i] - j.map_or(0.0, |j| v[j]));
            let moment = -s.stiffness * (angle - s.rest) - s.damping * rate;
            rda[f0 + i] += moment;
            if let Some(j) = j {
                rda[f0 + j] -= moment;
            }
        }
        for (k, pin) in self.b.pins.iter().enumerate() {
            let (g, gi, force) = (l.rda.g.start + 2 * k, l.rda.g_velocity.start + 2 * k, &lambda[2 * k..]);
            if let Other::Ground(at) = pin.other {
                rda[g] -= at[0];
                rda[g + 1] -= at[1];
            }
            for (sign, body, [a, b]) in pin.sides(p) {
                let i = 3 * body;
                rda[g] += sign * (p[i] + a);
                rda[g + 1] += sign * (p[i + 1] + b);
                rda[gi] += sign * (v[i] - b * v[i + 2]);
                rda[gi + 1] += sign * (v[i + 1] + a * v[i + 2]);
                rda[f0 + i] -= sign * force[0];
                rda[f0 + i + 1] -= sign * force[1];
                rda[f0 + i + 2] -= sign * (a * force[1] - b * force[0]);
            }
        }
        l.rda.f_kin.of_mut(rda).copy_from_slice(v);
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        let n = self.layout.dims.nv;
        for (i, [m, j]) in self.b.bodies.iter().enumerate() {
            for (k, value) in [(3 * i, m), (3 * i + 1, m), (3 * i + 2, j)] {
                mass[k * (n + 1)] = *value;
            }
        }
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let l = self.layout;
        let (n, m) = (l.dims.nv, l.dims.nl);
        let (lambda, v, p) = (l.x.lambda.of(x), l.x.v.of(x), l.x.p.of(x));
        let (v0, p0) = (l.x.v.start, l.x.p.start);
        for (k, pin) in self.b.pins.iter().enumerate() {
            for (sign, body, [a, b]) in pin.sides(p) {
                let (i, rate) = (3 * body, v[3 * body + 2]);
                for (row, column, value) in [(0, i, 1.0), (1, i + 1, 1.0), (0, i + 2, -b), (1, i + 2, a)] {
                    let r = 2 * k + row;
                    fx.fx[2][r + column * m] -= sign * value;
                    fx.fx[1][r + column * m] -= sign * value;
                    fx.fx[4][column + r * n] += sign * value;
                }
                // d(G v)/dθ and d(Gᵀ λ)/dθ
                fx.fx[1][2 * k + (n + i + 2) * m] -= sign * (-a * rate);
                fx.fx[1][2 * k + 1 + (n + i + 2) * m] -= sign * (-b * rate);
                let turned = -(a * lambda[2 * k] + b * lambda[2 * k + 1]);
                fx.fx[4][i + 2 + (p0 + i + 2) * n] += sign * turned;
            }
        }
        for s in &self.b.torsions {
            let i = 3 * s.body + 2;
            let ends = [Some((i, 1.0)), s.other.map(|o| (3 * o + 2, -1.0))];
            for (row, si) in ends.iter().flatten() {
                for (column, sj) in ends.iter().flatten() {
                    fx.fx[4][row + (p0 + column) * n] += s.stiffness * si * sj;
                    fx.fx[4][row + (v0 + column) * n] += s.damping * si * sj;
                }
            }
        }
        (0..n).for_each(|i| fx.fx[5][i * (n + 1)] = -1.0);
        Outcome::Continue
    }
}

impl Bodies {
    /// The subdomains `parts`, lists of bodies, with the joints between them. `owner` says who has which; the others get no model.
    pub fn cut<'s>(&self, parts: &[Vec<usize>], owner: impl Fn(usize) -> usize, rank: usize) -> Assembly<'s> {
        self.cut_with(parts, owner, rank, |_, model| (Box::new(model), MassStructure::ConstantDiagonal))
    }

    /// The same, with models wrapped, and what is said of their masses.
    pub fn cut_with<'s>(
        &self,
        parts: &[Vec<usize>],
        owner: impl Fn(usize) -> usize,
        rank: usize,
        wrap: impl Fn(usize, Model) -> (Box<dyn System + 's>, MassStructure),
    ) -> Assembly<'s> {
        let part_of = |body: usize| parts.iter().position(|part| part.contains(&body)).unwrap();
        let place = |body: usize| parts[part_of(body)].iter().position(|b| *b == body).unwrap();
        let mut assembly = Assembly::new();
        let mut ports: Vec<Vec<(usize, Option<[f64; 2]>)>> = vec![Vec::new(); parts.len()];
        let mut joints = Vec::new();
        let mut end = |body: usize, at: Option<[f64; 2]>| {
            let subdomain = part_of(body);
            ports[subdomain].push((place(body), at));
            End { subdomain, port: ports[subdomain].len() - 1 }
        };
        for pin in &self.pins {
            if let Other::Body(other, at) = pin.other {
                if part_of(other) != part_of(pin.body) {
                    let ends = [end(pin.body, Some(pin.at)), end(other, Some(at))];
                    joints.push(Joint { ends, law: Law::coincide(2) });
                }
            }
        }
        for s in &self.torsions {
            if let Some(other) = s.other.filter(|&o| part_of(o) != part_of(s.body)) {
                let ends = [end(s.body, None), end(other, None)];
                let law = Law::Bushing {
                    stiffness: vec![s.stiffness],
                    damping: vec![s.damping],
                    rest: vec![s.rest],
                };
                joints.push(Joint { ends, law });
            }
        }
        for (k, part) in parts.iter().enumerate() {
            let who = owner(k);
            let made = (who == rank).then(|| {
                let model = Model::new(self.some(part));
                let x = model.initial();
                let (system, mass) = wrap(k, model);
                let mut made = Part::new(system, &x).with_mass(mass);
                for &(body, at) in &ports[k] {
                    made = match at {
                        Some(at) => {
                            made.with_port(PlanarFrame { body: [3 * body, 3 * body + 1, 3 * body + 2], at })
                        }
                        None => made.with_port(Coordinates(vec![3 * body + 2])),
                    };
                }
                made
            });
            assembly.subdomain(who, made);
        }
        joints.into_iter().for_each(|j| {
            assembly.join(j);
        });
        assembly
    }

    /// Some of the bodies, with all that is between them or the ground.
    pub fn some(&self, part: &[usize]) -> Bodies {
        let place = |body: usize| part.iter().position(|b| *b == body);
        let mut pins = Vec::new();
        for pin in &self.pins {
            let other = match pin.other {
                Other::Ground(at) => Some(Other::Ground(at)),
                Other::Body(body, at) => place(body).map(|b| Other::Body(b, at)),
            };
            if let (Some(body), Some(other)) = (place(pin.body), other) {
                pins.push(Pin { body, at: pin.at, other });
            }
        }
        let mut torsions = Vec::new();
        for s in &self.torsions {
            let other = match s.other {
                None => Some(None),
                Some(o) => place(o).map(Some),
            };
            if let (Some(body), Some(other)) = (place(s.body), other) {
                torsions.push(Torsion { body, other, ..*s });
            }
        }
        let pick = |v: &[f64]| part.iter().flat_map(|b| v[3 * b..3 * b + 3].to_vec()).collect();
        Bodies {
            bodies: part.iter().map(|b| self.bodies[*b]).collect(),
            pins,
            torsions,
            gravity: self.gravity,
            torque: if part.contains(&0) { self.torque } else { 0.0 },
            p: pick(&self.p),
            v: pick(&self.v),
        }
    }

    /// All bodies in one.
    pub fn all(&self) -> Vec<Vec<usize>> {
        vec![(0..self.bodies.len()).collect()]
    }

    /// Pieces of consecutive bodies, as equal as possible.
    pub fn pieces(&self, count: usize) -> Vec<Vec<usize>> {
        let n = self.bodies.len();
        (0..count).map(|k| (k * n / count..(k + 1) * n / count).collect()).collect()
    }
}

/// The parallel four-bar of Tseng and Hulbert in Cartesian coordinates; moment -2t on the first crank.
pub fn four_bar() -> Bodies {
    let (q, w) = (0.5 * PI, 2.0 * PI);
    let (s, c) = q.sin_cos();
    let pin = |body, at: f64, other| Pin { body, at: [at, 0.0], other };
    Bodies {
        bodies: vec![[10.0, 1.0], [20.0, 2.0], [10.0, 1.0]],
        pins: vec![
            pin(0, -0.5, Other::Ground([0.0, 0.0])),
            pin(0, 0.5, Other::Body(1, [-1.0, 0.0])),
            pin(1, 1.0, Other::Body(2, [-0.5, 0.0])),
            pin(2, 0.5, Other::Ground([2.0, 0.0])),
        ],
        torsions: Vec::new(),
        gravity: 0.0,
        torque: -2.0,
        p: vec![0.5 * c, 0.5 * s, q, c + 1.0, s, 0.0, 2.0 + 0.5 * c, 0.5 * s, q + PI],
        v: vec![-0.5 * w * s, 0.5 * w * c, w, -w * s, w * c, 0.0, -0.5 * w * s, 0.5 * w * c, w],
    }
}

/// Angle of the first crank at time t, and its rate.
pub fn four_bar_angle(t: f64) -> (f64, f64) {
    (0.5 * PI + 2.0 * PI * t - t.powi(3) / 81.0, 2.0 * PI - t * t / 27.0)
}

/// Two rods with torsional spring-dampers (DP-mild for 40, 0.5, 30, 0.2).
pub fn double_pendulum([k1, c1, k2, c2]: [f64; 4], angles: [f64; 2]) -> Bodies {
    let (m1, l1, m2, l2) = (3.0, 1.0, 0.3, 1.5);
    let [a, b] = angles;
    let ((s1, e1), (s2, e2)) = (a.sin_cos(), b.sin_cos());
    Bodies {
        bodies: vec![[m1, m1 * l1 * l1 / 12.0], [m2, m2 * l2 * l2 / 12.0]],
        pins: vec![
            Pin { body: 0, at: [-0.5 * l1, 0.0], other: Other::Ground([0.0, 0.0]) },
            Pin { body: 1, at: [-0.5 * l2, 0.0], other: Other::Body(0, [0.5 * l1, 0.0]) },
        ],
        torsions: vec![
            Torsion { body: 0, other: None, stiffness: k1, damping: c1, rest: 1.5 * PI },
            Torsion { body: 1, other: Some(0), stiffness: k2, damping: c2, rest: 0.0 },
        ],
        gravity: 9.81,
        torque: 0.0,
        p: vec![0.5 * l1 * e1, 0.5 * l1 * s1, a, l1 * e1 + 0.5 * l2 * e2, l1 * s1 + 0.5 * l2 * s2, b],
        v: vec![0.0; 6],
    }
}

pub fn mild() -> Bodies {
    double_pendulum([40.0, 0.5, 30.0, 0.2], [1.5 * PI + 0.5, 1.5 * PI - 0.7])
}

/// nb equal rods in a horizontal line, at rest; the first one is pinned to the ground.
pub fn chain(nb: usize) -> Bodies {
    let (l, m) = (0.5, 1.0);
    let pin = |i: usize| Pin {
        body: i,
        at: [-0.5 * l, 0.0],
        other: if i == 0 { Other::Ground([0.0; 2]) } else { Other::Body(i - 1, [0.5 * l, 0.0]) },
    };
    Bodies {
        bodies: vec![[m, m * l * l / 12.0]; nb],
        pins: (0..nb).map(pin).collect(),
        torsions: Vec::new(),
        gravity: 9.81,
        torque: 0.0,
        p: (0..nb).flat_map(|i| [l * (i as f64 + 0.5), 0.0, 0.0]).collect(),
        v: vec![0.0; 3 * nb],
    }
}
