//! A pendulum with p' = Z v, Z not the identity, for the slips of Z.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{Outcome, System};

/// What is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forgotten {
    InGi,
    Transposed,
    InGii,
}

pub struct Geared(pub Option<Forgotten>);

const Z: [[f64; 2]; 2] = [[2.0, 0.3], [-0.5, 1.0]];

fn times(z: [[f64; 2]; 2], v: [f64; 2]) -> [f64; 2] {
    [z[0][0] * v[0] + z[0][1] * v[1], z[1][0] * v[0] + z[1][1] * v[1]]
}

fn transposed(v: [f64; 2]) -> [f64; 2] {
    [Z[0][0] * v[0] + Z[1][0] * v[1], Z[0][1] * v[0] + Z[1][1] * v[1]]
}

impl Geared {
    /// Consistent: p on the unit circle, Z v tangent to it.
    pub fn start() -> Vec<f64> {
        let (p, tangent): ([f64; 2], [f64; 2]) = ([0.6, -0.8], [0.8, 0.6]);
        let det = Z[0][0] * Z[1][1] - Z[0][1] * Z[1][0];
        let v = [
            (Z[1][1] * tangent[0] - Z[0][1] * tangent[1]) / det,
            (Z[0][0] * tangent[1] - Z[1][0] * tangent[0]) / det,
        ];
        let mut x = vec![0.0, v[0], v[1], p[0], p[1]];
        // gII is affine in the multiplier.
        let gii = |lambda: f64| {
            let mut y = x.clone();
            y[0] = lambda;
            let mut rda = vec![0.0; 7];
            let _ = Geared(None).eom(0.0, &y, &mut rda);
            rda[0]
        };
        x[0] = gii(0.0) / (gii(0.0) - gii(1.0));
        x
    }
}

impl System for Geared {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let l = Layout::new(self.dimensions(), Form::StrangenessFree);
        let (lambda, v, p) = (x[0], [x[1], x[2]], [x[3], x[4]]);
        let pd = times(Z, v);
        let c = transposed([2.0 * p[0], 2.0 * p[1]]);
        let force = if self.0 == Some(Forgotten::Transposed) { [2.0 * p[0], 2.0 * p[1]] } else { c };
        let f = [-force[0] * lambda, -9.81 - force[1] * lambda];
        let right = [-c[0] * lambda, -9.81 - c[1] * lambda];
        let rate = if self.0 == Some(Forgotten::InGi) { v } else { pd };
        rda[l.rda.g.start] = p[0] * p[0] + p[1] * p[1] - 1.0;
        rda[l.rda.g_velocity.start] = 2.0 * (p[0] * rate[0] + p[1] * rate[1]);
        let pdd = if self.0 == Some(Forgotten::InGii) { right } else { times(Z, right) };
        rda[0] = 2.0 * (pd[0] * pd[0] + pd[1] * pd[1] + p[0] * pdd[0] + p[1] * pdd[1]);
        l.rda.f_dyn.of_mut(rda).copy_from_slice(&f);
        l.rda.f_kin.of_mut(rda).copy_from_slice(&pd);
        Outcome::Continue
    }
    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }
}
