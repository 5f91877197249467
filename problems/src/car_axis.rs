//! Car axis on a bumpy road: two point masses on springs, one wheel driven by the road, so that a
//! constraint depends on time; small masses against unit lengths.
//!
//! p = (x_l, y_l, x_r, y_r). The Test Set writes +Gᵀλ; here λ has the sign of the report, -Gᵀλ.

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str =
    "Test Set for IVP Solvers (F. Mazzia, C. Magherini, release 2.4), car axis; S. Schneider (1994)";
const PUBLISHED: &str = "Test Set for IVP Solvers: 12 digits of p, 11 of v";
const QUADRUPLE: &str =
    "extrapolation of the index-1 equations in quadruple precision, confirmed with two degrees of freedom";

/// The axis.
#[derive(Clone, Copy, Debug)]
pub struct CarAxis;

impl CarAxis {
    const LENGTH: f64 = 1.0;
    const REST: f64 = 0.5;
    const GRAVITY: f64 = 1.0;
    const AMPLITUDE: f64 = 0.1;
    const FREQUENCY: f64 = 10.0;
    /// M ε²/2 with M = 10, ε = 1e-2.
    const MASS: f64 = 10.0 * 1e-2 * 1e-2 / 2.0;

    /// The right wheel; the left one stands at the origin.
    fn road<T: Real>(t: T) -> [T; 2] {
        let y = (t * Self::FREQUENCY).sin() * Self::AMPLITUDE;
        [(-y.sq() + Self::LENGTH * Self::LENGTH).sqrt(), y]
    }
}

impl Mechanism for CarAxis {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 4, nv: 4, nl: 2, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        (0..4).for_each(|i| m[5 * i] = T::real(Self::MASS));
    }
    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let right = Self::road(t);
        for (f, (p, foot)) in f.chunks_mut(2).zip(x.p.chunks(2).zip([[T::zero(); 2], right])) {
            let (dx, dy) = (p[0] - foot[0], p[1] - foot[1]);
            let length = (dx.sq() + dy.sq()).sqrt();
            let push = (-length + Self::REST) / length;
            f[0] = push * dx;
            f[1] = push * dy - Self::MASS * Self::GRAVITY;
        }
    }
    fn holonomic<T: Real>(&self, t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let [xb, yb] = Self::road(t);
        g[0] = p[0] * xb + p[1] * yb;
        g[1] = (p[0] - p[2]).sq() + (p[1] - p[3]).sq() - Self::LENGTH * Self::LENGTH;
    }
}

/// The problem `car-axis`.
pub fn problems() -> Vec<Problem> {
    let x0 = vec![0.0, 0.0, -0.5, 0.0, -0.5, 0.0, 0.0, 0.5, 1.0, 0.5];
    let accurate = [
        4.736_886_590_853_326e-3,
        1.104_680_331_259_565_8e-3,
        -7.705_836_840_359_208e-2,
        7.446_866_592_068_417e-3,
        1.755_681_575_354_173_7e-2,
        7.703_410_437_796_011e-1,
        4.934_557_842_752_409e-2,
        4.969_894_602_300_081e-1,
        1.041_742_524_885_426_1,
        3.739_110_272_653_658e-1,
    ];
    let published = [
        -0.770_583_684_032_148_5e-1,
        0.744_686_659_632_777_6e-2,
        0.175_568_157_494_289_9e-1,
        0.770_341_043_779_403,
        0.493_455_784_275_562_9e-1,
        0.496_989_460_230_332_4,
        0.104_174_252_488_54e1,
        0.373_911_027_265_221_4,
    ];
    let problem = Problem::of_mechanism("car-axis", SOURCE, CarAxis, 3.0, x0)
        .with_mass(MassStructure::ConstantDiagonal)
        .with_reference(3.0, QUADRUPLE, from_index(0, &accurate))
        .with_reference(3.0, PUBLISHED, from_index(2, &published));
    vec![Problem { time_dependent: true, ..problem }]
}
