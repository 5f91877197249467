//! A pendulum with an algebraic variable z that bends: z³ + z = A sin ωt, as w with d or as s with c; and one with r' = λ. What error tests
//! leave out shows whether it was solved.

use super::trial::{drive, Run};
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::dual::Real;
use geoms::mechanism::{self, Blocks, Mechanism, Model};
use geoms::norm::Tolerance;
use geoms::options::{Family, MethodKind, Options};

const GRAVITY: f64 = 9.81;

/// What the pendulum has beside itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// w and d.
    Auxiliary,
    /// s and c.
    Contact,
    /// r' = λ.
    Sum,
}

/// The pendulum of length 1 and mass 1.
#[derive(Clone, Copy, Debug)]
pub struct Rooted {
    /// Its variable.
    pub beside: Beside,
    /// A.
    pub amplitude: f64,
    /// ω.
    pub frequency: f64,
    /// Horizontal force for w = 1.
    pub coupling: f64,
    /// From rest at the lowest point, instead of the horizontal.
    pub hangs: bool,
}

impl Rooted {
    /// The only real z, by Newton's method from the side from which it converges.
    pub fn root(&self, t: f64) -> f64 {
        let load = self.amplitude * (self.frequency * t).sin();
        let mut z = load;
        for _ in 0..100 {
            z -= (z * z * z + z - load) / (3.0 * z * z + 1.0);
        }
        z
    }

    /// x at t = 0.
    pub fn x0(&self) -> Vec<f64> {
        let (lambda, p) = if self.hangs { (0.5 * GRAVITY, [0.0, -1.0]) } else { (0.0, [1.0, 0.0]) };
        match self.beside {
            Beside::Auxiliary => vec![0.0, lambda, 0.0, 0.0, p[0], p[1]],
            Beside::Sum => vec![lambda, 0.0, 0.0, 0.0, p[0], p[1]],
            Beside::Contact => vec![lambda, 0.0, 0.0, 0.0, p[0], p[1]],
        }
    }

    /// A run to t = 2 by a method, with steps of size h if one is given, and the largest error of z at its points.
    pub fn run(&self, method: MethodKind, tolerance: f64, h: Option<f64>) -> (Run, f64) {
        self.run_by(method, Family::Hht, tolerance, h)
    }

    fn run_by(&self, method: MethodKind, family: Family, tolerance: f64, h: Option<f64>) -> (Run, f64) {
        let options = Options {
            method,
            family,
            fixed_step: h.is_some(),
            consistent: h.is_some(),
            nmax: 1_000_000,
            ..Options::of_call()
        };
        let x0 = self.x0();
        let mut system = Model::new(*self, mechanism::Options::new(Form::StrangenessFree, true), 0.0, &x0);
        let at = if self.beside == Beside::Auxiliary { 0 } else { 3 };
        let mut worst = 0.0f64;
        let start = (0.0, &x0[..], h.unwrap_or(0.0), 2.0);
        let run = drive(&mut system, &options, &Tolerance::scalar(tolerance, tolerance), start, |step| {
            if self.beside != Beside::Sum {
                worst = worst.max((step.x[at] - self.root(step.t)).abs());
            }
        });
        (run, worst)
    }

    fn bend<T: Real>(&self, t: T, z: &[T], row: &mut [T]) {
        for (row, z) in row.iter_mut().zip(z) {
            *row = z.sq() * *z + *z - (t * self.frequency).sin() * self.amplitude;
        }
    }

    /// The variants whose z must be solved at each point: at rest and moving, slow and fast.
    pub fn cases() -> Vec<Rooted> {
        let mut cases = Vec::new();
        for beside in [Beside::Auxiliary, Beside::Contact] {
            for hangs in [true, false] {
                for (amplitude, frequency) in
                    [(1.0, 1.0), (20.0, 1.0), (20.0, 3.0), (20.0, 10.0), (100.0, 10.0)]
                {
                    cases.push(Rooted { beside, amplitude, frequency, coupling: 0.0, hangs });
                }
            }
        }
        cases
    }

    /// All of these with steps by tolerance and constant ones: they end, and z is right. Constant steps over which z bends too much may be
    /// refused.
    pub fn check(method: MethodKind, sizes: &[f64]) {
        for case in Self::cases() {
            for tolerance in [1e-3, 1e-4, 1e-5, 1e-7] {
                let what = format!("{case:?} {tolerance:e}");
                let (run, worst) = case.run(method, tolerance, None);
                run.good(&what);
                println!("{what}: {worst:.1e}");
                assert!(worst <= 5.0 * tolerance, "{what}: {worst:e}");
            }
            for &h in sizes {
                let what = format!("{case:?} h = {h:e}");
                let (run, worst) = case.run(method, 1e-6, Some(h));
                if h > 2e-3 || case.amplitude > 50.0 {
                    if let Err(failure) = &run.result {
                        println!("{what}: {:?}", failure.code);
                    }
                } else {
                    run.good(&what);
                }
                assert!(worst <= 5e-6, "{what}: {worst:e}");
            }
        }
    }

    /// A force 0.3 w: the largest error of p at the end, in tolerances, against method 0 at a tight one.
    pub fn coupled(method: MethodKind, tolerance: f64) -> f64 {
        let case = Rooted {
            beside: Beside::Auxiliary,
            amplitude: 20.0,
            frequency: 10.0,
            coupling: 0.3,
            hangs: false,
        };
        let exact = case.run(MethodKind::Radau, 1e-10, None).0.good("tight").x;
        let (run, worst) = case.run(method, tolerance, None);
        let x = run.good("coupled").x;
        let missed = (x[4] - exact[4]).abs().max((x[5] - exact[5]).abs());
        println!("coupled, {method:?} {tolerance:e}: w {worst:.1e} p {missed:.1e}");
        assert!(worst <= 5.0 * tolerance, "{method:?} {tolerance:e}: {worst:e}");
        missed / tolerance
    }

    /// r' = λ: errors of r and of p at the end against method 0 at a tight tolerance.
    pub fn sum(method: MethodKind, family: Family, tolerance: f64) -> [f64; 2] {
        let case =
            Rooted { beside: Beside::Sum, amplitude: 0.0, frequency: 0.0, coupling: 0.0, hangs: false };
        let exact = case.run(MethodKind::Radau, 1e-10, None).0.good("tight").x;
        let x = case.run_by(method, family, tolerance, None).0.good("sum").x;
        [(x[1] - exact[1]).abs(), (x[4] - exact[4]).abs().max((x[5] - exact[5]).abs())]
    }
}

impl Mechanism for Rooted {
    fn dimensions(&self) -> Dimensions {
        let (nw, ns, nr) = match self.beside {
            Beside::Auxiliary => (1, 0, 0),
            Beside::Contact => (0, 1, 0),
            Beside::Sum => (0, 0, 1),
        };
        Dimensions { np: 2, nv: 2, nl: 1, nw, ns, nr, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (m[0], m[3]) = (T::real(1.0), T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[0] = if x.w.is_empty() { T::real(0.0) } else { x.w[0] * self.coupling };
        f[1] = T::real(-GRAVITY);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() - 1.0;
    }
    fn auxiliary<T: Real>(&self, t: T, x: &Blocks<'_, T>, d: &mut [T]) {
        self.bend(t, x.w, d);
    }
    fn contact<T: Real>(&self, t: T, _p: &[T], s: &[T], c: &mut [T]) {
        self.bend(t, s, c);
    }
    fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        b.iter_mut().zip(x.lambda).for_each(|(b, lambda)| *b = *lambda);
    }
}
