//! Values after constant steps with α = -0.3, every step solved to rounding, computed independently in another language: p and v
//! to 8 digits, λ to 6.

use crate::harness::{fixed, fixed_system, options, problem, Run, FREE};
use geoms::layout::{Block, Dimensions};
use geoms::options::{MassStructure, MethodKind, Options};
use geoms_problems::dual::Real;
use geoms_problems::{derived, Blocks, Mechanism, Model};

/// Compare a block to a number of digits, relative to its largest entry.
fn compare(name: &str, block: Block, x: &[f64], expected: &[f64], digits: i32) {
    let size = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert_eq!(block.len(), expected.len(), "{name}");
    for (x, expected) in block.of(x).iter().zip(expected) {
        let error = (x - expected).abs() / size;
        assert!(error < 0.5 * 10f64.powi(-digits), "{name}: {x} against {expected}, {error:.1e}");
    }
}

fn check(name: &str, tend: f64, steps: u32, p: &[f64], v: &[f64], lambda: &[f64]) -> Run {
    let mut problem = problem(name);
    problem.tend = tend;
    let run = fixed(&problem, &options(&problem), steps).good(name);
    assert_eq!(run.stats.naccpt, u64::from(steps));
    let l = problem.layout(FREE);
    compare(name, l.x.p, &run.x, p, 8);
    if !v.is_empty() {
        compare(name, l.x.v, &run.x, v, 8);
    }
    compare(name, l.x.lambda, &run.x, lambda, 6);
    run
}

#[test]
fn pendulum() {
    // Mirrored, and with g = p·p - 1 instead of (p·p - 1)/2: λ is half of theirs.
    check(
        "pendulum-iftomm",
        2.0,
        200,
        &[-0.791_631_796_597_73, -0.610_998_444_036_85],
        &[-2.113_903_108_249_96, 2.740_241_660_478_17],
        &[0.5 * 17.973_317_246_460_44],
    );
}

#[test]
fn rods() {
    check(
        "double-pendulum-rods",
        2.0,
        400,
        &[
            -0.006_509_764_971_08,
            -0.499_957_621_164_06,
            4.699_369_082_595_05,
            -0.130_325_842_069_78,
            -1.740_684_591_812_16,
            4.555_335_721_222_63,
        ],
        &[
            -5.530_679_062_113_22e-3,
            7.173_257_366_846_92e-5,
            -1.106_228_849_042_33e-2,
            2.456_783_407_742_38,
            -3.911_529_991_073_94e-1,
            3.331_468_334_561_01,
        ],
        &[6.214_079_045_399_26, -34.144_383_173_369_21, -3.806_124_245_155_53, -4.585_002_093_352_91],
    );
}

#[test]
fn stiff_rods() {
    check(
        "double-pendulum-stiff",
        0.5,
        100,
        &[
            0.020_622_655_765_32,
            -0.499_574_525_040_24,
            4.753_645_995_130_47,
            0.072_178_075_913_3,
            -1.748_510_887_971_67,
            4.753_644_368_058_89,
        ],
        &[],
        &[10.623_201_184_754_76, -32.373_486_130_099_86, 2.754_422_311_701_35, -2.943_108_154_697_32],
    );
}

#[test]
fn slider_crank() {
    check(
        "slider-crank",
        1.0,
        400,
        &[
            -0.049_281_441_864_12,
            0.056_536_178_574_37,
            14.854_113_346_675_01,
            0.175_669_974_463_86,
            0.056_536_178_574_37,
            -0.203_312_722_632_5,
            0.449_902_832_655_96,
            0.0,
            0.0,
        ],
        &[
            -0.749_689_040_481_79,
            -0.653_213_816_917_04,
            13.256_405_956_539_63,
            -1.364_638_253_678_85,
            -0.653_213_816_917_04,
            2.382_011_305_866_39,
            -1.229_898_426_394_15,
            0.0,
            0.0,
        ],
        &[
            -6.180_372_990_936_04,
            3.603_309_713_153_68,
            -5.216_818_496_033_67,
            1.686_059_084_247_86,
            -4.181_286_634_408_94,
            0.881_878_959_340_68,
            -5.786_878_959_340_68,
            0.0,
        ],
    );
}

/// Mass matrix that depends on positions: with M instead of M̄ the values would differ in the second digit.
#[test]
fn andrews() {
    check(
        "andrews",
        0.03,
        1200,
        &[
            15.810_090_850_340_49,
            -15.755_520_934_654_67,
            0.040_815_713_055_21,
            -0.534_741_530_293_44,
            0.524_409_626_537_85,
            0.534_741_530_293_44,
            1.048_080_549_907_58,
        ],
        &[
            1.139_764_922_196_64e3,
            -1.424_219_668_547_48e3,
            1.084_088_771_421_17e1,
            1.895_765_402_502_81e1,
            5.642_251_995_537_15e-1,
            -1.895_765_402_498_23e1,
            3.155_423_047_685_08e-1,
        ],
        &[
            199.261_733_951_570_9,
            -29.644_882_902_206_72,
            23.082_123_028_090_2,
            31.562_841_071_219_99,
            22.658_294_082_524_72,
            11.454_013_945_637_76,
        ],
    );
}

/// The pendulum with r' = -5r + 10x and the force r in y.
#[derive(Clone, Copy, Debug)]
pub struct Lagging;

impl Mechanism for Lagging {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 2, nv: 2, nr: 1, nl: 1, ..Dimensions::default() }
    }
    fn mass<T: Real>(&self, _t: T, _p: &[T], m: &mut [T]) {
        m[0] = T::real(1.0);
        m[3] = T::real(1.0);
    }
    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        f[1] = x.r[0] - 9.81;
    }
    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        g[0] = (p[0].sq() + p[1].sq() - 1.0) * 0.5;
    }
    fn force_element<T: Real>(&self, _t: T, x: &Blocks<'_, T>, b: &mut [T]) {
        b[0] = x.r[0] * -5.0 + x.p[0] * 10.0;
    }
}

/// x = (λ, r, v, p) at the start.
pub const LAGGING_START: [f64; 6] = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

pub fn lagging(jacobian: bool) -> Model<Lagging> {
    Model::new(Lagging, derived::Options::new(FREE, jacobian), 0.0, &LAGGING_START)
}

pub fn lagging_options(rho: f64) -> Options {
    let mass = MassStructure::ConstantDiagonal;
    Options { method: MethodKind::Hht, mass, slope_weight: rho, nmax: 1_000_000, ..Options::of_call() }
}

#[test]
fn force_element() {
    let cases = [
        (
            0.5,
            [0.910_286_830_121_41, -0.413_978_123_706_45],
            [1.132_970_941_016_76, 2.491_694_091_586_68],
            0.795_228_964_475_418,
            11.223_187_043_969_707,
        ),
        (
            0.8,
            [0.910_399_815_233_57, -0.413_729_593_361_04],
            [1.132_514_560_249_06, 2.492_496_148_692_78],
            0.795_428_134_639_486_7,
            11.223_828_505_225_27,
        ),
    ];
    for (rho, p, v, r, lambda) in cases {
        let run = fixed_system(&mut lagging(true), &lagging_options(rho), &LAGGING_START, 2.0, 400).good("r");
        let block = |start: usize, end: usize| Block { start, end };
        compare("p", block(4, 6), &run.x, &p, 8);
        compare("v", block(2, 4), &run.x, &v, 8);
        compare("r", block(1, 2), &run.x, &[r], 8);
        compare("lambda", block(0, 1), &run.x, &[lambda], 6);
    }
}
