//! PARTS against the rows of EOM at one point: what a run of the half-explicit method can afford, one call and no difference.

use super::probe::largest;
use crate::layout::Layout;
use crate::system::{Outcome, Parts, System};

/// Room for all parts.
#[derive(Debug)]
pub(super) struct Supplied {
    l: Layout,
    force: Vec<f64>,
    mass: Vec<f64>,
    c: Vec<f64>,
    gamma: Vec<f64>,
    velocity: Vec<f64>,
    position: Vec<f64>,
}

/// What is known of the point without them.
pub(super) struct Known<'a> {
    pub t: f64,
    pub x: &'a [f64],
    pub rows: &'a [f64],
    pub mass: &'a [f64],
    pub acceleration: &'a [f64],
    /// Rates of gI and h along the motion, where they are not rows.
    pub rates: &'a dyn Fn(usize) -> f64,
}

impl Supplied {
    /// None if no parts are asked of such models.
    pub fn new(l: &Layout) -> Option<Self> {
        let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
        let [force, mass, c] = [nv, nv * nv, nc * nv].map(|n| vec![0.0; n]);
        let [gamma, velocity, position] = [nc, nc, l.dims.nl].map(|n| vec![0.0; n]);
        Parts::suit(&l.dims).then_some(Supplied { l: *l, force, mass, c, gamma, velocity, position })
    }

    /// False if a part is not what EOM and MAS say, by more than this part of its terms.
    pub fn fits(&mut self, system: &mut dyn System, at: &Known<'_>, suspicious: f64) -> bool {
        self.mass.fill(0.0);
        self.c.fill(0.0);
        let asked = Parts {
            force: Some(&mut self.force),
            mass: Some(&mut self.mass),
            constraint: Some(&mut self.c),
            at_rest: Some(&mut self.gamma),
            velocity: Some(&mut self.velocity),
            position: (self.l.dims.nl > 0).then_some(&mut self.position),
        };
        // One that cannot be evaluated is the method's to tell.
        if !matches!(system.parts(at.t, at.x, asked), Some(Outcome::Continue)) {
            return true;
        }
        let (l, nc) = (&self.l, self.gamma.len());
        let multipliers = l.x.multipliers.of(at.x);
        let near = |given: f64, expected: f64, scale: f64| {
            (given - expected).abs() <= suspicious * (scale + given.abs() + expected.abs())
        };
        let size = largest(at.mass);
        let mass = self.mass.iter().zip(at.mass).all(|(a, b)| near(*a, *b, size));
        // f_dyn = force - Cᵀ(λ, μ).
        let forces = self.force.iter().zip(self.c.chunks_exact(nc)).zip(l.rda.f_dyn.of(at.rows));
        let force = forces.into_iter().all(|((f, column), row)| {
            let part = |sum: (f64, f64), (c, m): (&f64, &f64)| (sum.0 + c * m, sum.1 + (c * m).abs());
            let (load, scale) = column.iter().zip(multipliers).fold((0.0, 0.0), part);
            near(f - load, *row, f.abs() + scale)
        });
        // C times a vector of velocities: the sum, and that of its terms.
        let times = |i: usize, v: &[f64]| {
            let part = |sum: (f64, f64), (k, v): (usize, &f64)| {
                let term = self.c[i + k * nc] * v;
                (sum.0 + term, sum.1 + term.abs())
            };
            v.iter().enumerate().fold((0.0, 0.0), part)
        };
        let (v, p) = (l.x.v.of(at.x), l.x.p.of(at.x));
        let given = l.rda.g_velocity.of(at.rows).iter().chain(l.rda.h.of(at.rows));
        let velocity =
            given.zip(&self.velocity).enumerate().all(|(i, (row, part))| near(*part, *row, times(i, v).1));
        let given = l.rda.g.of(at.rows).iter().zip(&self.position).enumerate();
        let position = given.into_iter().all(|(i, (row, part))| near(*part, *row, times(i, p).1));
        // gII = C v' + γ.
        let gamma = (0..nc).all(|i| {
            let (sum, scale) = times(i, at.acceleration);
            near(self.gamma[i] + sum, (at.rates)(i), scale)
        });
        mass && force && velocity && position && gamma
    }
}
