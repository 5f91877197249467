//! Bodies in space with quaternions (NP ≠ NV, Z ≠ I), glued by joints of frames, against one model with the joint written out.

use crate::harness::*;
use geoms::gluing::spatial::{Spatial, SpatialFrame};
use geoms::gluing::{Assembly, End, Glued, Joint, Law, Part, Projection, Settings};
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism, Model, Options};

/// What holds the second body at the first; nothing if there is only one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    Not,
    Spherical,
    By(Spatial),
}

/// Equal bodies (mass 1, different moments of inertia) whose frames are half a length from their origins. The first may hang on the ground.
#[derive(Clone, Copy, Debug)]
struct Bodies {
    count: usize,
    hanging: bool,
    held: Held,
}

const INERTIA: [f64; 3] = [0.05, 0.12, 0.1];
const HALF: f64 = 0.5;

/// Columns of the rotation matrix.
fn axes<T: Real>(q: &[T]) -> [[T; 3]; 3] {
    let two = |a: T| a * 2.0;
    [
        [
            q[0].sq() + q[1].sq() - q[2].sq() - q[3].sq(),
            two(q[1] * q[2] + q[0] * q[3]),
            two(q[1] * q[3] - q[0] * q[2]),
        ],
        [
            two(q[1] * q[2] - q[0] * q[3]),
            q[0].sq() - q[1].sq() + q[2].sq() - q[3].sq(),
            two(q[2] * q[3] + q[0] * q[1]),
        ],
        [
            two(q[1] * q[3] + q[0] * q[2]),
            two(q[2] * q[3] - q[0] * q[1]),
            q[0].sq() - q[1].sq() - q[2].sq() + q[3].sq(),
        ],
    ]
}

fn dot<T: Real>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Bodies {
    fn rows(&self) -> usize {
        let between = match self.held {
            Held::Not => 0,
            Held::Spherical => 3,
            Held::By(kind) => kind.constraints(),
        };
        between + if self.hanging { 3 } else { 0 }
    }

    /// (λ, v, p), all bodies in a row along x, turning as one.
    fn start(&self, first: usize) -> Vec<f64> {
        let omega = [0.4, -0.9, 1.3];
        let mut x = vec![0.0; self.rows()];
        for i in 0..self.count {
            let arm = HALF * (2 * (first + i) + 1) as f64;
            x.extend([0.0, omega[2] * arm, -omega[1] * arm]);
            x.extend(omega);
        }
        for i in 0..self.count {
            x.extend([HALF * (2 * (first + i) + 1) as f64, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        }
        x
    }

    fn part(&self, first: usize) -> Part<'static> {
        let x = self.start(first);
        let model = Model::new(*self, Options::new(Form::Index1, true), 0.0, &x);
        Part::new(Box::new(model), &x)
    }
}

impl Mechanism for Bodies {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 7 * self.count, nv: 6 * self.count, nl: self.rows(), ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        let n = 6 * self.count;
        for i in 0..n {
            m[i * (n + 1)] = T::real(if i % 6 < 3 { 1.0 } else { INERTIA[i % 6 - 3] });
        }
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let [a, b, c] = INERTIA;
        for k in 0..self.count {
            let (w, f) = (&x.v[6 * k + 3..], &mut f[6 * k..]);
            f[2] = T::real(-9.81);
            f[3] = w[1] * w[2] * (b - c);
            f[4] = w[2] * w[0] * (c - a);
            f[5] = w[0] * w[1] * (a - b);
        }
    }
    fn kinematics<T: Real>(&self, p: &[T], v: &[T], pdot: &mut [T]) {
        for k in 0..self.count {
            let (q, w, pdot) = (&p[7 * k + 3..], &v[6 * k + 3..], &mut pdot[7 * k..]);
            pdot[..3].copy_from_slice(&v[6 * k..6 * k + 3]);
            pdot[3] = (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) * -0.5;
            pdot[4] = (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * 0.5;
            pdot[5] = (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) * 0.5;
            pdot[6] = (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * 0.5;
        }
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let mut at = 0;
        let mut add = |value: T| {
            g[at] = value;
            at += 1;
        };
        let a = axes(&p[3..7]);
        if self.hanging {
            (0..3).for_each(|i| add(p[i] - a[0][i] * HALF));
        }
        if self.held == Held::Not {
            return;
        }
        let b = axes(&p[10..14]);
        let apart: [T; 3] = [0, 1, 2].map(|i| p[i] + a[0][i] * HALF - p[7 + i] + b[0][i] * HALF);
        let kind = match self.held {
            Held::By(kind) => Some(kind),
            _ => None,
        };
        match kind {
            Some(Spatial::Cylindrical | Spatial::Prismatic) => {
                add(dot(apart, a[0]));
                add(dot(apart, a[1]));
            }
            _ => apart.into_iter().for_each(&mut add),
        }
        match kind {
            None => {}
            Some(Spatial::Universal) => add(dot(a[0], b[1])),
            Some(kind) => {
                add(dot(a[0], b[2]));
                add(dot(a[1], b[2]));
                if matches!(kind, Spatial::Prismatic | Spatial::Fixed) {
                    add(dot(a[0], b[1]));
                }
            }
        }
    }
}

const ALL: [Held; 6] = [
    Held::Spherical,
    Held::By(Spatial::Revolute),
    Held::By(Spatial::Cylindrical),
    Held::By(Spatial::Prismatic),
    Held::By(Spatial::Universal),
    Held::By(Spatial::Fixed),
];

fn glued(held: Held, settings: Settings, h: f64) -> Glued<'static> {
    let body = |hanging| Bodies { count: 1, hanging, held: Held::Not };
    let frame = |x: f64| SpatialFrame { origin: [0, 1, 2], attitude: [3, 4, 5, 6], at: [x, 0.0, 0.0] };
    let mut assembly = Assembly::new();
    assembly.subdomain(0, Some(body(true).part(0).with_port(frame(HALF))));
    assembly.subdomain(0, Some(body(false).part(1).with_port(frame(-HALF))));
    let law = match held {
        Held::By(kind) => Law::Spatial(kind),
        _ => Law::coincide(3),
    };
    assembly.join(Joint { ends: [End { subdomain: 0, port: 0 }, End { subdomain: 1, port: 0 }], law });
    Glued::alone(assembly, settings, 0.0, h).unwrap()
}

#[test]
fn joints_in_space_are_those_of_one_model() {
    for held in ALL {
        let mut assembly = Assembly::new();
        let both = Bodies { count: 2, hanging: true, held };
        assembly.subdomain(0, Some(both.part(0)));
        let mut one = Glued::alone(assembly, fixed(Projection::Result), 0.0, 0.01).unwrap();
        let mut two = glued(held, fixed(Projection::Result), 0.01);
        one.integrate(0.5).unwrap();
        two.integrate(0.5).unwrap();
        let (x, a, b) = (one.state(0).unwrap(), two.state(0).unwrap(), two.state(1).unwrap());
        let n = both.rows();
        assert_near("v of a", &a[3..9], &x[n..n + 6], 1e-10);
        assert_near("v of b", &b[..6], &x[n + 6..n + 12], 1e-10);
        assert_near("p of a", &a[9..], &x[n + 12..n + 19], 1e-11);
        assert_near("p of b", &b[6..], &x[n + 19..], 1e-11);
        if held == Held::Spherical {
            assert_near("force", two.joint_force(0).unwrap(), &x[3..6], 1e-6);
        }
        let (s, o) = (two.statistics(), one.statistics());
        println!("{held:?}: iterations {} of one model {}", s.iterations, o.iterations);
        assert!(s.iterations <= o.iterations + o.steps, "{held:?}: {} {}", s.iterations, o.iterations);
        // Something has happened: b is not where a rigid body would have it, except where it must be.
        let rigid: f64 = (0..3).map(|i| (b[6 + i] - 3.0 * a[9 + i]).powi(2)).sum::<f64>().sqrt();
        assert_eq!(rigid < 1e-8, held == Held::By(Spatial::Fixed), "{held:?} {rigid}");
    }
}

/// Order 2, and steps of variable size, against a fine solution.
#[test]
fn second_order_in_space() {
    for held in ALL {
        let at_end = |settings: Settings, h: f64| {
            let mut run = glued(held, settings, h);
            run.integrate(0.5).unwrap();
            [&run.state(0).unwrap()[9..], &run.state(1).unwrap()[6..]].concat()
        };
        let reference = at_end(fixed(Projection::None), 0.5 / 1600.0);
        let error = |n: f64| largest_difference(&at_end(fixed(Projection::None), 0.5 / n), &reference);
        let order = (error(50.0) / error(100.0)).log2();
        assert!((1.9..2.1).contains(&order), "{held:?} {order}");
        let adaptive = largest_difference(&at_end(Settings::default(), 1e-3), &reference);
        assert!(adaptive < 1e-3, "{held:?} {adaptive:e}");
    }
}
