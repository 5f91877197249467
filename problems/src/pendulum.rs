//! The mathematical pendulum, Examples 2.8 and 4.1 of the report (equations (13) and (21)), m = L = 1.
//!
//! Written by hand, without allocation: it is the problem of the published step counts. The closed
//! form is that of the swinging and of the rotating pendulum by Jacobi's elliptic functions.

use super::elliptic::{complete, incomplete, jacobi};
use super::problem::{from_index, Exact, Problem};
use geoms::layout::{Dimensions, Form};
use geoms::mechanism::derived::Options;
use geoms::options::MassStructure;
use geoms::system::{JacobianBlocks, Outcome, System};
use std::sync::Arc;

/// GEOMS report, the document of all problems of this file but one.
const REPORT: &str =
    "A. Steinbrecher, GEOMS: a software package for the numerical integration of general model equations \
     of multibody systems, WIAS preprint 1259 (2007), Examples 2.8, 4.1";
const IFTOMM: &str = "IFToMM library of computational benchmark problems, A01 simple pendulum";
const CLOSED_FORM: &str = "closed form by elliptic functions, 25 digits";

/// Initial data of a pendulum: p = (sin θ, -cos θ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Acceleration of gravity.
    pub gravity: f64,
    /// Angle from the lowest position.
    pub angle: f64,
    /// Angular velocity.
    pub rate: f64,
}

impl Start {
    /// θ, as sin and cos, and θ' at time t.
    pub fn motion(&self, t: f64) -> (f64, f64, f64) {
        let w = self.gravity.sqrt();
        let (s0, sign) = ((0.5 * self.angle).sin(), if self.rate < 0.0 { -1.0 } else { 1.0 });
        let (half_sin, half_cos, rate) = {
            let k2 = s0 * s0 + (0.5 * self.rate / w).powi(2);
            if k2 < 1.0 {
                // sin(θ/2) = k sn(wt + φ), θ' = 2 k w cn, cos(θ/2) = dn.
                let k = k2.sqrt();
                let rise = incomplete((s0 / k).clamp(-1.0, 1.0), k2);
                let phase = if sign < 0.0 { 2.0 * complete(k2) - rise } else { rise };
                let j = jacobi(w * t + phase, k2);
                (k * j.sn, j.dn, 2.0 * k * w * j.cn)
            } else {
                // sin(θ/2) = sn(k w t + φ | 1/k²), θ' = 2 k w dn; mirrored for θ' < 0.
                let k = k2.sqrt();
                let j = jacobi(k * w * t + incomplete(sign * s0, 1.0 / k2), 1.0 / k2);
                (sign * j.sn, j.cn, sign * 2.0 * k * w * j.dn)
            }
        };
        (2.0 * half_sin * half_cos, 1.0 - 2.0 * half_sin * half_sin, rate)
    }

    /// x(t) = (λ, v, p).
    pub fn exact(&self, t: f64) -> Vec<f64> {
        let (sin, cos, rate) = self.motion(t);
        vec![0.5 * (rate * rate + self.gravity * cos), rate * cos, rate * sin, sin, -cos]
    }
}

/// The equations (13), optionally with the energy (21) as invariant.
#[derive(Clone, Debug)]
pub struct Pendulum {
    gravity: f64,
    energy: f64,
    options: Options,
}

impl Pendulum {
    /// A pendulum with the energy of its initial data.
    pub fn new(start: &Start, options: Options) -> Self {
        let energy = 0.5 * start.rate * start.rate - start.gravity * start.angle.cos();
        Pendulum { gravity: start.gravity, energy, options }
    }
}

impl System for Pendulum {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nl: 1, ni: usize::from(self.options.invariants), ..Dimensions::default() }
    }

    fn form(&self) -> Form {
        self.options.form
    }

    fn eom(&mut self, _t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let &[lambda, v1, v2, p1, p2] = x else { return Outcome::Stop };
        let f = [-2.0 * p1 * lambda, -self.gravity - 2.0 * p2 * lambda];
        let mut row = 0;
        let mut put = |value: f64| {
            rda[row] = value;
            row += 1;
        };
        if self.options.form == Form::StrangenessFree {
            put(2.0 * (v1 * v1 + v2 * v2 + p1 * f[0] + p2 * f[1]));
        }
        put(2.0 * (p1 * v1 + p2 * v2));
        if self.options.invariants {
            put(0.5 * (v1 * v1 + v2 * v2) + self.gravity * p2 - self.energy);
        }
        put(p1 * p1 + p2 * p2 - 1.0);
        put(f[0]);
        put(f[1]);
        put(v1);
        put(v2);
        Outcome::Continue
    }

    fn mass(&mut self, _t: f64, _x: &[f64], mass: &mut [f64]) -> Outcome {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        self.options.jacobian
    }

    fn jacobian(&mut self, _t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let &[lambda, v1, v2, p1, p2] = x else { return Outcome::Stop };
        let [fx1, fx2, fx3, _, fx5, fx6] = &mut fx.fx;
        if self.options.form == Form::StrangenessFree {
            fx1.copy_from_slice(&[
                4.0 * (p1 * p1 + p2 * p2),
                -4.0 * v1,
                -4.0 * v2,
                8.0 * lambda * p1,
                8.0 * lambda * p2 + 2.0 * self.gravity,
            ]);
        }
        let velocity_row = [-2.0 * p1, -2.0 * p2, -2.0 * v1, -2.0 * v2];
        if self.options.invariants {
            let energy_row = [-v1, -v2, 0.0, -self.gravity];
            for j in 0..4 {
                fx2[2 * j] = velocity_row[j];
                fx2[2 * j + 1] = energy_row[j];
            }
        } else {
            fx2.copy_from_slice(&velocity_row);
        }
        fx3.copy_from_slice(&[-2.0 * p1, -2.0 * p2]);
        fx5.copy_from_slice(&[2.0 * p1, 2.0 * p2, 0.0, 0.0, 0.0, 0.0, 2.0 * lambda, 0.0, 0.0, 2.0 * lambda]);
        fx6.copy_from_slice(&[-1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        Outcome::Continue
    }

    fn initial_condition_count(&self) -> usize {
        self.options.conditions.len()
    }

    fn initial_conditions(&mut self, _t: f64, x: &[f64], cond: &mut [f64]) -> Outcome {
        self.options.condition_residuals(x, cond);
        Outcome::Continue
    }

    fn mass_acceleration_dp(&mut self, _t: f64, _x: &[f64], _a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        out.fill(0.0);
        Some(Outcome::Continue)
    }
}

/// A pendulum with any initial data.
pub fn problem(name: &str, source: &'static str, start: Start, tend: f64) -> Problem {
    let exact: Exact = Arc::new(move |t| start.exact(t));
    Problem {
        name: name.to_owned(),
        source,
        dimensions: Dimensions { np: 2, nv: 2, nl: 1, ni: 1, ..Dimensions::default() },
        t0: 0.0,
        tend,
        x0: start.exact(0.0),
        mass: MassStructure::ConstantDiagonal,
        time_dependent: false,
        rank_deficient: false,
        redundant: false,
        exact: Some(exact),
        references: Vec::new(),
        build: Arc::new(move |options| Box::new(Pendulum::new(&start, options))),
    }
}

/// The pendulums of the report and of the IFToMM library.
pub fn problems() -> Vec<Problem> {
    let from_bottom = |rate| Start { gravity: 13.75, angle: 0.0, rate };
    let horizontal =
        |gravity, side: f64| Start { gravity, angle: side * std::f64::consts::FRAC_PI_2, rate: 0.0 };
    vec![
        problem("pendulum-2.8", REPORT, from_bottom(2.8), 5.0).with_reference(
            5.0,
            CLOSED_FORM,
            from_index(
                0,
                &[
                    6.530_129_232_836_035,
                    1.164_034_305_982_725_1,
                    -0.893_604_934_116_132,
                    -0.608_937_263_148_838,
                    -0.793_218_387_046_595_7,
                ],
            ),
        ),
        problem("pendulum-2.9", REPORT, from_bottom(2.9), 5.0).with_reference(
            5.0,
            CLOSED_FORM,
            from_index(
                0,
                &[
                    6.212_926_445_626_725,
                    1.058_814_848_683_800_6,
                    -0.894_136_292_952_963_3,
                    -0.645_191_759_411_768_8,
                    -0.764_020_676_151_598_8,
                ],
            ),
        ),
        problem("pendulum-horizontal", REPORT, horizontal(13.75, 1.0), 1000.0).with_reference(
            1000.0,
            CLOSED_FORM,
            from_index(
                0,
                &[
                    0.025_895_894_399_828_02,
                    0.000_233_303_784_765_033_72,
                    0.185_816_589_057_906,
                    0.999_999_211_786_095_4,
                    -0.001_255_558_516_355_298,
                ],
            ),
        ),
        problem("pendulum-rotating", REPORT, from_bottom(8.0), 5.0),
        problem("pendulum-iftomm", IFTOMM, horizontal(9.81, -1.0), 10.0)
            .with_reference(
                1.0,
                CLOSED_FORM,
                from_index(
                    0,
                    &[
                        2.428_134_703_742_338,
                        0.296_905_515_916_315_8,
                        1.774_643_641_112_655_6,
                        0.986_291_751_131_875_3,
                        -0.165_010_853_125_541_17,
                    ],
                ),
            )
            .with_reference(
                10.0,
                CLOSED_FORM,
                from_index(
                    0,
                    &[
                        14.147_283_603_033_625,
                        4.175_598_100_951_729,
                        -1.194_749_054_560_475_3,
                        -0.275_087_462_576_116_9,
                        -0.961_419_205_099_125,
                    ],
                ),
            ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use geoms::layout::Layout;
    use geoms::mechanism::dual::Real;
    use geoms::mechanism::{Blocks, Mechanism, Model};

    /// The same pendulum, derived by dual numbers.
    struct Derived(f64);

    impl Mechanism for Derived {
        fn dimensions(&self) -> Dimensions {
            Dimensions { np: 2, nv: 2, nl: 1, ni: 1, ..Dimensions::default() }
        }
        fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
            m[0] = T::real(1.0);
            m[3] = T::real(1.0);
        }
        fn force<T: Real>(&self, _t: T, _x: &Blocks<'_, T>, f: &mut [T]) {
            f[1] = T::real(-self.0);
        }
        fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
            g[0] = p[0].sq() + p[1].sq() - 1.0;
        }
        fn invariants<T: Real>(&self, _t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
            e[0] = (v[0].sq() + v[1].sq()) * 0.5 + p[1] * self.0;
        }
    }

    #[test]
    fn hand_written_rows_are_the_derived_ones() {
        let start = Start { gravity: 13.75, angle: 0.4, rate: 2.8 };
        let x = [3.1, 1.1, -0.7, 0.3, -1.2];
        for form in [Form::StrangenessFree, Form::Index1] {
            for invariants in [false, true] {
                let options = Options { invariants, ..Options::new(form, true) };
                let mut by_hand = Pendulum::new(&start, options.clone());
                let mut derived = Model::new(Derived(start.gravity), options, 0.0, &start.exact(0.0));
                let layout = Layout::new(by_hand.dimensions(), form);
                let mut rows = [vec![f64::NAN; layout.m], vec![f64::NAN; layout.m]];
                let mut fx = [JacobianBlocks::new(&layout), JacobianBlocks::new(&layout)];
                assert_eq!(by_hand.eom(0.0, &x, &mut rows[0]), derived.eom(0.0, &x, &mut rows[1]));
                assert_eq!(by_hand.jacobian(0.0, &x, &mut fx[0]), derived.jacobian(0.0, &x, &mut fx[1]));
                let pairs = fx[0].fx.iter().flatten().zip(fx[1].fx.iter().flatten());
                for (a, b) in rows[0].iter().zip(&rows[1]).chain(pairs) {
                    assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{a} against {b}");
                }
            }
        }
    }

    #[test]
    fn closed_form_starts_where_it_should() {
        for gravity in [9.81, 13.75] {
            for angle in [-2.0, -0.3, 0.0, 1.4, 3.0] {
                for rate in [-9.0, -8.0, -0.5, 0.7, 2.0, 12.0] {
                    let (sin, cos, speed) = Start { gravity, angle, rate }.motion(0.0);
                    let error = (sin - angle.sin()).abs() + (cos - angle.cos()).abs() + (speed - rate).abs();
                    assert!(error < 1e-12, "{gravity} {angle} {rate}: {error:e}");
                }
            }
        }
    }
}
