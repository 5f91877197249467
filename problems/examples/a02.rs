//! IFToMM's benchmark A02, two four-bars in natural coordinates over 10 s (`a02 [RUNS [TOL]]`): for each tolerance the largest change of
//! energy at accepted points and the CPU time of a run with the handle's default options, the model written out by hand. The
//! benchmark asks for 0.1 J.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, Options};
use geoms::solver::Solver;
use geoms::system::{AcceptedStep, JacobianBlocks, Observer, Outcome, System};

/// Parallelograms in the row.
const N: usize = 2;
/// Positions: x and y of B_0 to B_N.
const NP: usize = 2 * (N + 1);
/// Constraints: a crank for each point, a coupler between neighbours.
const NL: usize = 2 * N + 1;
const GRAVITY: f64 = 9.81;

/// Bars of length and mass 1: cranks from (i, 0) to B_i, couplers from B_i to B_{i+1}.
struct Row {
    layout: Layout,
    mass: [[f64; NP]; NP],
    inverse: [[f64; NP]; NP],
    weight: [f64; NP],
}

impl Row {
    fn new() -> Self {
        let (mut mass, mut weight) = ([[0.0; NP]; NP], [0.0; NP]);
        for i in 0..=N {
            let couplers = f64::from(u8::from(i > 0)) + f64::from(u8::from(i < N));
            for k in 0..2 {
                mass[2 * i + k][2 * i + k] = (1.0 + couplers) / 3.0;
                if i < N {
                    mass[2 * i + k][2 * i + 2 + k] = 1.0 / 6.0;
                    mass[2 * i + 2 + k][2 * i + k] = 1.0 / 6.0;
                }
            }
            weight[2 * i + 1] = -0.5 * GRAVITY * (1.0 + couplers);
        }
        let dims = Dimensions { np: NP, nv: NP, nl: NL, ..Dimensions::default() };
        let layout = Layout::new(dims, Form::StrangenessFree);
        Row { layout, inverse: inverse(mass), mass, weight }
    }

    /// Half the gradient of each constraint in direction p: G(p) = 2 of it.
    fn bars(p: &[f64]) -> [[f64; 2]; NL] {
        std::array::from_fn(|k| match k {
            k if k <= N => [p[2 * k] - k as f64, p[2 * k + 1]],
            k => {
                let i = k - N - 1;
                [p[2 * i + 2] - p[2 * i], p[2 * i + 3] - p[2 * i + 1]]
            }
        })
    }

    /// The rows of G(p) times a, without the constant of the bars: bilinear in both.
    fn along(bars: &[[f64; 2]; NL], a: &[f64], out: &mut [f64]) {
        for (k, (o, b)) in out.iter_mut().zip(bars).enumerate() {
            *o = if k <= N {
                2.0 * (b[0] * a[2 * k] + b[1] * a[2 * k + 1])
            } else {
                let i = k - N - 1;
                2.0 * (b[0] * (a[2 * i + 2] - a[2 * i]) + b[1] * (a[2 * i + 3] - a[2 * i + 1]))
            };
        }
    }

    /// G as columns: the entries of constraint k by coordinate j.
    fn gradient(bars: &[[f64; 2]; NL]) -> [[f64; NP]; NL] {
        let mut g = [[0.0; NP]; NL];
        for (k, b) in bars.iter().enumerate() {
            for c in 0..2 {
                if k <= N {
                    g[k][2 * k + c] = 2.0 * b[c];
                } else {
                    let i = k - N - 1;
                    (g[k][2 * i + 2 + c], g[k][2 * i + c]) = (2.0 * b[c], -2.0 * b[c]);
                }
            }
        }
        g
    }

    /// The force f - Gᵀλ, and the acceleration that it gives.
    fn force(&self, g: &[[f64; NP]; NL], lambda: &[f64]) -> ([f64; NP], [f64; NP]) {
        let mut f = self.weight;
        for (row, l) in g.iter().zip(lambda) {
            f.iter_mut().zip(row).for_each(|(f, g)| *f -= g * l);
        }
        (f, std::array::from_fn(|i| self.inverse[i].iter().zip(&f).map(|(w, f)| w * f).sum()))
    }

    fn energy(&self, x: &[f64]) -> f64 {
        let (v, p) = (self.layout.x.v.of(x), self.layout.x.p.of(x));
        let kinetic: f64 =
            (0..NP).map(|i| 0.5 * v[i] * self.mass[i].iter().zip(v).map(|(m, v)| m * v).sum::<f64>()).sum();
        kinetic - self.weight.iter().zip(p).map(|(w, p)| w * p).sum::<f64>()
    }

    fn start(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.layout.n];
        for i in 0..=N {
            self.layout.x.v.of_mut(&mut x)[2 * i] = 1.0;
            self.layout.x.p.of_mut(&mut x)[2 * i] = i as f64;
            self.layout.x.p.of_mut(&mut x)[2 * i + 1] = 1.0;
        }
        x
    }
}

fn inverse(mut a: [[f64; NP]; NP]) -> [[f64; NP]; NP] {
    let mut b: [[f64; NP]; NP] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for k in 0..NP {
        let pivot = 1.0 / a[k][k];
        (0..NP).for_each(|j| (a[k][j], b[k][j]) = (a[k][j] * pivot, b[k][j] * pivot));
        for i in (0..NP).filter(|i| *i != k) {
            let factor = a[i][k];
            for j in 0..NP {
                a[i][j] -= factor * a[k][j];
                b[i][j] -= factor * b[k][j];
            }
        }
    }
    b
}

impl System for Row {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = self.layout;
        let (v, p) = (l.x.v.of(x), l.x.p.of(x));
        let bars = Self::bars(p);
        let g = Self::gradient(&bars);
        let (f, a) = self.force(&g, l.x.lambda.of(x));
        let mut rates = [[0.0; 2]; NL];
        rates.copy_from_slice(&Self::bars(v));
        // Bars are affine in p: their rates have no constant.
        (0..=N).for_each(|k| rates[k][0] = v[2 * k]);
        let mut second = [0.0; NL];
        Self::along(&rates, v, &mut second);
        let acceleration = l.rda.g_acceleration.of_mut(rda);
        Self::along(&bars, &a, acceleration);
        acceleration.iter_mut().zip(second).for_each(|(r, s)| *r += s);
        Self::along(&bars, v, l.rda.g_velocity.of_mut(rda));
        l.rda.g.of_mut(rda).iter_mut().zip(&bars).for_each(|(g, b)| *g = b[0] * b[0] + b[1] * b[1] - 1.0);
        l.rda.f_dyn.of_mut(rda).copy_from_slice(&f);
        l.rda.f_kin.of_mut(rda).copy_from_slice(v);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(self.mass.as_flattened());
        Outcome::Continue
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    /// FX1 to FX6 are the negative derivatives.
    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let l = self.layout;
        let (lambda, v, p) = (l.x.lambda.of(x), l.x.v.of(x), l.x.p.of(x));
        let g = Self::gradient(&Self::bars(p));
        let (_, a) = self.force(&g, lambda);
        let homogeneous = |d: &[f64]| {
            let mut bars = Self::bars(d);
            (0..=N).for_each(|k| bars[k][0] = d[2 * k]);
            Self::gradient(&bars)
        };
        let (by_v, by_a) = (homogeneous(v), homogeneous(&a));
        // ∂(Gᵀλ)/∂p, and W = M⁻¹.
        let mut bent = [[0.0; NP]; NP];
        for (k, l) in lambda.iter().enumerate() {
            for c in 0..2 {
                if k <= N {
                    bent[2 * k + c][2 * k + c] += 2.0 * l;
                } else {
                    let i = 2 * (k - N - 1) + c;
                    bent[i][i] += 2.0 * l;
                    bent[i + 2][i + 2] += 2.0 * l;
                    bent[i][i + 2] -= 2.0 * l;
                    bent[i + 2][i] -= 2.0 * l;
                }
            }
        }
        for k in 0..NL {
            let mut moved = [0.0; NP];
            for (g, row) in g[k].iter().zip(&self.inverse).filter(|(g, _)| **g != 0.0) {
                moved.iter_mut().zip(row).for_each(|(m, w)| *m += g * w);
            }
            let mut through = [0.0; NP];
            for (m, row) in moved.iter().zip(&bent) {
                through.iter_mut().zip(row).for_each(|(t, b)| *t += m * b);
            }
            for (j, row) in g.iter().enumerate() {
                fx.fx[0][k + j * NL] = moved.iter().zip(row).map(|(m, g)| m * g).sum();
            }
            for j in 0..NP {
                fx.fx[0][k + (NL + j) * NL] = -2.0 * by_v[k][j];
                fx.fx[0][k + (NL + NP + j) * NL] = through[j] - by_a[k][j];
                fx.fx[1][k + j * NL] = -g[k][j];
                fx.fx[1][k + (NP + j) * NL] = -by_v[k][j];
                fx.fx[2][k + j * NL] = -g[k][j];
                fx.fx[4][j + k * NP] = g[k][j];
            }
        }
        for (i, row) in bent.iter().enumerate() {
            fx.fx[5][i + i * NP] = -1.0;
            for (j, b) in row.iter().enumerate() {
                fx.fx[4][i + (NL + NP + j) * NP] = *b;
            }
        }
        Outcome::Continue
    }
}

struct Energy<'a>(&'a Row, f64, f64);

impl Observer for Energy<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) -> Outcome {
        self.2 = self.2.max((self.0.energy(step.x) - self.1).abs());
        Outcome::Continue
    }
}

/// CPU time of this process in seconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|n| n.parse::<f64>().ok()).map_or(0.0, |n| 1e-9 * n)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: usize = std::env::args().nth(1).map_or(Ok(200), |n| n.parse())?;
    let options = Options { mass: MassStructure::ConstantFull, consistent: true, ..Options::default() };
    println!(
        "TOL, change of energy, steps, of them critical, rejected, EOM, JAC, ms of CPU in the mean of {runs}"
    );
    let only = std::env::args().nth(2).map(|t| t.parse::<f64>()).transpose()?;
    for tol in [1e-1, 5e-2, 2e-2, 1e-2, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4, 3e-4, 1e-4]
        .into_iter()
        .filter(|tol| only.is_none_or(|only| only == *tol))
    {
        let (mut system, tolerance) = (Row::new(), Tolerance::scalar(tol, tol));
        let x0 = system.start();
        let mut solver = Solver::start(&mut system, &options, &tolerance, (0.0, &x0, 0.0))?;
        solver.integrate(&mut system, None, None, 10.0)?;
        let s = *solver.stats();
        let begin = cpu();
        for _ in 0..runs {
            solver = solver.start_again(&mut system, &options, &tolerance, (0.0, &x0, 0.0))?;
            solver.integrate(&mut system, None, None, 10.0)?;
        }
        let mean = (cpu() - begin) / runs as f64;
        let row = Row::new();
        let mut energy = Energy(&row, row.energy(&x0), 0.0);
        solver = solver.start_again(&mut system, &options, &tolerance, (0.0, &x0, 0.0))?;
        solver.integrate(&mut system, Some(&mut energy), None, 10.0)?;
        println!(
            "{tol:.0e} {:.2e} J {} {} {} {} {} {:.2}",
            energy.2,
            s.naccpt,
            s.critical_steps,
            s.nstep() - s.naccpt,
            s.neom,
            s.njac,
            1e3 * mean
        );
    }
    Ok(())
}
