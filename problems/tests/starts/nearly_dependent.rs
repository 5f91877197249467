//! Constraints that are nearly dependent, but are not: a mechanism near, not at, a singular position. With differences for JAC the
//! rows gII hold the squares of the singular values of G, and were once taken for singular ones.

use crate::settings::{run, FORMS};
use geoms::decompose::DecompositionKind;
use geoms::layout::Dimensions;
use geoms::options::{MassStructure, MethodKind, Options, Order};
use geoms_problems::dual::Real;
use geoms_problems::{Blocks, Mechanism, Model, Options as Of};

/// A particle in space on a sphere about the origin and on one about (0, 0, e): it swings in a plane near z = 0, where the two
/// touch but for an angle of e.
#[derive(Clone)]
struct TwoSpheres(f64);

impl Mechanism for TwoSpheres {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 3, nv: 3, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..3).for_each(|i| m[4 * i] = T::real(1.0));
    }
    fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = T::real(-9.81);
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = p[0].sq() + p[1].sq() + p[2].sq() - 1.0;
        g[1] = p[0].sq() + p[1].sq() + (p[2] - self.0).sq() - (1.0 + self.0 * self.0);
    }
}

#[test]
fn nearly_dependent_constraints_are_not_singular_ones() {
    let mut failures = Vec::new();
    for angle in [1e-1, 1e-2, 3.5e-3, 1e-3, 3e-4, 7e-5] {
        for form in FORMS {
            for (analytic, tol) in [(true, 1e-6), (false, 1e-4), (false, 1e-6)] {
                for kind in [DecompositionKind::Lu, DecompositionKind::Qr, DecompositionKind::Svd] {
                    for order in [Order::Five, Order::Nine] {
                        let mut x = [0.0; 8];
                        // p = (1, 0, 0) satisfies both.
                        x[5] = 1.0;
                        let mut model = Model::new(TwoSpheres(angle), Of::new(form, analytic), 0.0, &x);
                        let mass = MassStructure::ConstantDiagonal;
                        let options = Options {
                            method: MethodKind::Radau,
                            decompose_constraints: kind,
                            order,
                            form,
                            mass,
                            consistent: true,
                            ..Options::default()
                        };
                        let what = format!(
                            "e = {angle:e}, {form:?}, JAC {analytic}, {kind:?}, {order:?}, TOL {tol:e}"
                        );
                        match run(&mut model, &options, tol, (0.0, &x, 0.0, 1.0)) {
                            Err(failure) => failures.push(format!("{what}: {failure}")),
                            Ok((end, _)) => {
                                // The pendulum of length 1, from rest at the height of its centre: |v|² = -2 g y, and z stays 0.
                                let energy =
                                    end[2..5].iter().map(|v| v * v).sum::<f64>() + 2.0 * 9.81 * end[6];
                                if energy.abs() > 1e4 * tol || end[7].abs() > 1e4 * tol {
                                    failures.push(format!("{what}: energy {energy:e}, z {:e}", end[7]));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of 216\n{}", failures.len(), failures.join("\n"));
}
