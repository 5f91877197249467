//! A model of one's own, row by row: a bead on a circle, with its Jacobian. (From the equations alone, without derivatives
//! by hand: see `geoms::mechanism` and the other examples.)
//!
//!     cargo run --release --example own_model

use geoms::integrate::{integrate, Integration};
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, Options};
use geoms::stats::Stats;
use geoms::system::{AcceptedStep, JacobianBlocks, Outcome, System};

/// Mass 1 on x² + y² = 1 under gravity.
struct Bead {
    gravity: f64,
}

impl System for Bead {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }
    }

    /// All rows, in the order of the layout: gII | gI | g | f_dyn | f_kin.
    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let &[l, u, v, x, y] = x else { return Outcome::Stop };
        // M v' = f - Gᵀ λ with G = (2x, 2y).
        let (fx, fy) = (-2.0 * x * l, -self.gravity - 2.0 * y * l);
        rda.copy_from_slice(&[
            2.0 * (x * fx + y * fy + u * u + v * v),
            2.0 * (x * u + y * v),
            x * x + y * y - 1.0,
            fx,
            fy,
            u,
            v,
        ]);
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        (mass[0], mass[3]) = (1.0, 1.0);
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    /// The whole Jacobian, M by N, column by column; the blocks take what they need of it.
    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let &[l, u, v, x, y] = x else { return Outcome::Stop };
        let g = self.gravity;
        #[rustfmt::skip]
        let full = [
            -4.0 * (x * x + y * y), 0.0, 0.0, -2.0 * x, -2.0 * y, 0.0, 0.0,    // by λ
            4.0 * u, 2.0 * x, 0.0, 0.0, 0.0, 1.0, 0.0,                          // by v
            4.0 * v, 2.0 * y, 0.0, 0.0, 0.0, 0.0, 1.0,
            -8.0 * x * l, 2.0 * u, 2.0 * x, -2.0 * l, 0.0, 0.0, 0.0,            // by p
            -8.0 * y * l - 2.0 * g, 2.0 * v, 2.0 * y, 0.0, -2.0 * l, 0.0, 0.0,
        ];
        fx.set_from_full(&Layout::new(self.dimensions(), Form::StrangenessFree), &full);
        Outcome::Continue
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Bead { gravity: 9.81 };
    let (mut t, mut x, mut h, mut stats) = (0.0, [0.0, 0.0, 0.0, 1.0, 0.0], 0.0, Stats::default());
    let tolerance = Tolerance::scalar(1e-8, 1e-8);
    // A wrong derivative is the usual mistake: it is found before the run, away from rest, where nothing is hidden by zeros.
    let report = geoms::diagnosis::check_jacobian(&mut model, &tolerance, t, &[1.5, 0.3, -0.4, 0.6, -0.8])?;
    assert!(report.mismatches.is_empty(), "{:?}", report.mismatches);

    let options = Options { mass: MassStructure::ConstantDiagonal, ..Options::default() };
    let mut observer = |step: &AcceptedStep<'_>| {
        println!("t = {:8.5}  p = ({:8.5}, {:8.5})  λ = {:8.5}", step.t, step.x[3], step.x[4], step.x[0]);
        Outcome::Continue
    };
    let run = Integration {
        system: &mut model,
        observer: Some(&mut observer),
        options: &options,
        tolerance: &tolerance,
    };
    integrate(run, &mut t, &mut x, &mut h, 2.0, &mut stats)?;
    println!("{stats}");
    let energy = 0.5 * (x[1] * x[1] + x[2] * x[2]) + 9.81 * x[4];
    println!("energy {energy:.1e}, constraint {:.1e}", x[3] * x[3] + x[4] * x[4] - 1.0);
    assert!(energy.abs() < 1e-6, "the energy of the start is 0");
    Ok(())
}
