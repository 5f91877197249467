//! Planar truck with a load on a road with a bump: five bodies, nine coordinates, two constraints.
//! Badly scaled: λ is about 7e4, the motion about 0.1.
//!
//! p = (y of the rear wheel; y and angle of the chassis; y of the front wheel; y and angle of the cabin;
//! x, y and angle of the load). The 11-coordinate truck of B. Simeon, F. Grupp, C. Führer, P. Rentrop (J.
//! Comput. Appl. Math. 50, 1994), which the GEOMS report uses, has no data that could be found.

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};
use geoms::options::MassStructure;

const SOURCE: &str =
    "E. Eich-Soellner, C. Führer, Numerical Methods in Multibody Dynamics, Teubner 1998, the truck";
const QUADRUPLE: &str = "extrapolation of the index-1 equations in quadruple precision, two tolerances";
const GRAVITY: f64 = 9.81;

/// Masses and moments of inertia in the order of p.
const INERTIA: [f64; 9] = [1450.0, 3335.0, 14313.0, 600.0, 1100.0, 948.0, 11515.0, 11515.0, 33000.0];
/// Those that gravity acts on.
const WEIGHT: [f64; 9] = [1450.0, 3335.0, 0.0, 600.0, 1100.0, 0.0, 0.0, 11515.0, 0.0];

/// Horizontal positions in the chassis: wheels, cabin, load spring, load joint.
const REAR: f64 = -2.06;
const FRONT: f64 = 2.44;
const CABIN: [f64; 2] = [1.94, 3.64];
const LOAD: f64 = 0.98;
/// Height of the suspensions in the chassis.
const UNDER: f64 = -1.34;
/// The same points in the cabin and in the load.
const IN_CABIN: [f64; 2] = [-0.8, 0.9];
const IN_LOAD: f64 = 2.44;
/// Joint in the chassis and in the load.
const HINGE: [f64; 2] = [-3.07, 0.15];
const HINGE_LOAD: [f64; 2] = [-1.61, -0.75];
const SPEED: f64 = 15.0;

/// Spring-damper along its length: force `k·length + d·length' + nominal`.
struct Element {
    stiffness: f64,
    damping: f64,
    nominal: f64,
}

const fn element(stiffness: f64, damping: f64, nominal: f64) -> Element {
    Element { stiffness, damping, nominal }
}

const TYRE_REAR: Element = element(44e5, 600.0, -2.329_145_162e6);
const TYRE_FRONT: Element = element(22e5, 300.0, -1.147_434_838e6);
const AXLE_REAR: Element = element(8.247e5, 21593.0, -0.246_872_662e6);
const AXLE_FRONT: Element = element(2.711e5, 38537.0, -0.084_924_838e6);
const MOUNTS: [Element; 2] =
    [element(1.357e5, 12218.0, -0.127_842_882_352_94e6), element(1.357e5, 12218.0, -0.127_208_117_647_06e6)];
const LOADING: Element = element(9e5, 38500.0, -0.854_905_941_111_11e6);

/// A point and its velocity.
#[derive(Clone, Copy)]
struct Moving<T> {
    at: [T; 2],
    rate: [T; 2],
}

impl Element {
    /// Force that pulls `to` towards `from` where positive; as a vector from `from` to `to`.
    fn force<T: Real>(&self, from: &Moving<T>, to: &Moving<T>) -> [T; 2] {
        let d = [to.at[0] - from.at[0], to.at[1] - from.at[1]];
        let w = [to.rate[0] - from.rate[0], to.rate[1] - from.rate[1]];
        let length = (d[0].sq() + d[1].sq()).sqrt();
        let rate = (d[0] * w[0] + d[1] * w[1]) / length;
        let size = (length * self.stiffness + rate * self.damping + self.nominal) / length;
        [size * d[0], size * d[1]]
    }
}

/// A point (a, h) of a body with position r, angle φ and their rates.
fn point<T: Real>(r: [T; 2], rate: [T; 2], angle: (T, T), [a, h]: [f64; 2]) -> Moving<T> {
    let (s, c) = (angle.0.sin(), angle.0.cos());
    let arm = [c * a - s * h, s * a + c * h];
    Moving {
        at: [r[0] + arm[0], r[1] + arm[1]],
        rate: [rate[0] - arm[1] * angle.1, rate[1] + arm[0] * angle.1],
    }
}

/// Sign of the lever arm of the suspensions' horizontal forces on the chassis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Torque {
    /// As in the published program: the wrong sign, `+h F_x` in place of `-h F_x`.
    AsPublished,
    /// As mechanics has it.
    Physical,
}

/// The truck.
#[derive(Clone, Copy, Debug)]
pub struct Truck {
    /// Sign of a torque.
    pub torque: Torque,
}

impl Truck {
    /// Height of the road at a wheel that meets the bump at `start`, and its rate.
    fn road<T: Real>(t: T, start: f64) -> [T; 2] {
        let z = t - start;
        if z.value() <= 0.0 {
            return [T::zero(); 2];
        }
        let decay = (-z).exp() * 0.001;
        [z.powi(6) * decay, (-z + 6.0) * z.powi(5) * decay]
    }
}

impl Mechanism for Truck {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 9, nv: 9, nl: 2, ..Dimensions::default() }
    }

    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        INERTIA.iter().enumerate().for_each(|(i, &value)| m[10 * i] = T::real(value));
    }

    fn force<T: Real>(&self, t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (p, v, zero) = (x.p, x.v, T::zero());
        let fixed = |place: f64, [y, rate]: [T; 2]| Moving { at: [T::real(place), y], rate: [zero, rate] };
        let chassis = |at: [f64; 2]| point([zero, p[1]], [zero, v[1]], (p[2], v[2]), at);
        let middle = T::real(CABIN[0] - IN_CABIN[0]);
        let cabin = |at: f64| point([middle, p[4]], [zero, v[4]], (p[5], v[5]), [at, 0.0]);
        let load = |at: f64| point([p[6], p[7]], [v[6], v[7]], (p[8], v[8]), [at, 0.0]);

        for (f, weight) in f.iter_mut().zip(WEIGHT) {
            *f = T::real(-GRAVITY * weight);
        }
        // Moment of a force on a body turned by `angle`, at (a, h) of its frame.
        let moment = |angle: T, [a, h]: [f64; 2], [fx, fy]: [T; 2]| {
            let (s, c) = (angle.sin(), angle.cos());
            (fy * a - fx * h) * c - (fx * a + fy * h) * s
        };

        let front = 2.0 / SPEED;
        let rear = front + (FRONT - REAR) / SPEED;
        let wheels = [(0, REAR, rear, TYRE_REAR, AXLE_REAR), (3, FRONT, front, TYRE_FRONT, AXLE_FRONT)];
        for (i, place, start, tyre, axle) in wheels {
            let wheel = fixed(place, [p[i], v[i]]);
            let [_, up] = tyre.force(&fixed(place, Self::road(t, start)), &wheel);
            let [fx, fy] = axle.force(&wheel, &chassis([place, UNDER]));
            f[i] += fy - up;
            f[1] -= fy;
            let at = match self.torque {
                Torque::Physical => moment(p[2], [place, UNDER], [fx, fy]),
                Torque::AsPublished => {
                    (fy * place + fx * UNDER) * p[2].cos() - (fx * place + fy * UNDER) * p[2].sin()
                }
            };
            f[2] -= at;
        }
        for k in 0..2 {
            let pull = MOUNTS[k].force(&chassis([CABIN[k], 0.0]), &cabin(IN_CABIN[k]));
            f[1] += pull[1];
            f[2] += moment(p[2], [CABIN[k], 0.0], pull);
            f[4] -= pull[1];
            f[5] -= moment(p[5], [IN_CABIN[k], 0.0], pull);
        }
        let pull = LOADING.force(&chassis([LOAD, 0.0]), &load(IN_LOAD));
        f[1] += pull[1];
        f[2] += moment(p[2], [LOAD, 0.0], pull);
        f[6] -= pull[0];
        f[7] -= pull[1];
        f[8] -= moment(p[8], [IN_LOAD, 0.0], pull);
    }

    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let zero = [T::zero(); 2];
        let load = point([p[6], p[7]], zero, (p[8], T::zero()), HINGE_LOAD).at;
        let chassis = point([T::zero(), p[1]], zero, (p[2], T::zero()), HINGE).at;
        g[0] = load[0] - chassis[0];
        g[1] = load[1] - chassis[1];
    }
}

fn truck(name: &str, torque: Torque) -> Problem {
    let mut x0 = vec![0.0; 20];
    // The static force of the hinge, published with the opposite sign.
    x0[1] = -6.805_620_888_888_888e4;
    x0[11..].copy_from_slice(&[0.5, 2.0, 0.0, 0.5, 2.9, 0.0, -1.46, 2.9, 0.0]);
    let problem = Problem::of_mechanism(name, SOURCE, Truck { torque }, 6.0, x0)
        .with_mass(MassStructure::ConstantDiagonal);
    Problem { time_dependent: true, ..problem }
}

/// The problems of this file.
pub fn problems() -> Vec<Problem> {
    let published = [
        -9.841_385_806_353_63,
        -67_911.752_558_611_32,
        0.008_774_666_387_193_611,
        0.006_312_036_065_341_683_5,
        -0.000_991_551_996_539_642_5,
        0.002_756_461_188_027_291_6,
        0.003_577_347_986_435_085_8,
        -0.000_992_522_694_193_071_8,
        0.000_900_187_307_306_264_7,
        0.007_742_567_156_543_451_5,
        -0.001_002_344_551_608_073,
        0.613_844_354_066_487_9,
        2.114_757_776_119_491_3,
        0.000_244_308_683_443_280_04,
        0.615_484_222_944_570_6,
        3.015_511_948_385_042_6,
        0.000_237_583_260_755_687_85,
        -1.460_241_019_350_187_8,
        3.014_446_505_266_298,
        0.000_272_539_834_589_422,
    ];
    let later = [
        0.215_111_439_070_817_6,
        -68_056.674_905_658_86,
        -0.000_123_283_310_629_079_8,
        -0.000_113_880_559_320_052_92,
        3.518_877_171_276_155e-06,
        -0.000_101_482_216_971_617_83,
        -0.000_104_042_104_443_984_12,
        3.498_251_899_892_131_2e-06,
        -3.229_720_880_957_471e-06,
        -0.000_118_883_493_781_547_3,
        3.602_485_249_545_165_6e-06,
        0.500_177_778_622_260_2,
        2.000_163_777_125_96,
        -5.219_169_265_063_817e-06,
        0.500_145_408_141_615_8,
        2.900_149_172_470_335_7,
        -5.186_642_943_055_165e-06,
        -1.459_995_206_638_554_9,
        2.900_171_190_826_452_7,
        -5.347_289_680_379_119e-06,
    ];
    let physical = [
        -54.429_109_188_002,
        -67_927.052_165_226_62,
        0.009_196_259_439_531_035,
        0.004_285_277_327_197_466,
        -0.003_323_589_712_633_582_4,
        0.001_911_696_951_939_178_8,
        -0.004_855_454_546_385_627,
        -0.003_328_604_865_180_781_4,
        0.003_005_160_847_811_106,
        0.009_098_715_133_985_634,
        -0.003_350_317_497_860_400_3,
        0.613_692_502_961_012_2,
        2.115_912_452_141_566,
        0.001_310_079_899_590_629_2,
        0.615_790_339_504_599_7,
        3.019_584_682_612_318,
        0.001_302_310_215_613_450_6,
        -1.461_203_988_121_795_5,
        3.014_054_946_522_205_3,
        0.001_344_873_387_793_455,
    ];
    vec![
        truck("truck", Torque::AsPublished)
            .with_reference(6.0, QUADRUPLE, from_index(0, &published))
            .with_reference(20.0, QUADRUPLE, from_index(0, &later)),
        truck("truck-physical", Torque::Physical).with_reference(6.0, QUADRUPLE, from_index(0, &physical)),
    ]
}
