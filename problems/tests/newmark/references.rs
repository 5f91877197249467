//! Values after constant steps, every step solved to rounding, computed independently in another language: to 8 digits and more.

use crate::harness::{fixed_for, problem, run};
use geoms::layout::{Block, Form};
use geoms::options::NewmarkScheme;

/// Compare a block to 8 digits, relative to its largest entry.
fn compare(name: &str, block: Block, x: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (x, expected) in block.of(x).iter().zip(expected) {
        let error = (x - expected).abs() / size;
        assert!(error < 0.5e-8, "{name}: {x} against {expected}, {error:.1e}");
    }
}

struct Expected<'a> {
    p: &'a [f64],
    v: &'a [f64],
    lambda: &'a [f64],
}

fn check(name: &str, scheme: NewmarkScheme, tend: f64, steps: u32, expected: &Expected<'_>) {
    let mut problem = problem(name);
    problem.tend = tend;
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = fixed_for(&problem, scheme);
    let solver =
        run(&mut *system, &options, (&problem.x0, tend / f64::from(steps), tend), |_, _| {}).expect(name);
    assert_eq!(solver.stats().naccpt, u64::from(steps));
    let l = problem.layout(Form::StrangenessFree);
    compare(name, l.x.p, solver.x(), expected.p);
    compare(name, l.x.v, solver.x(), expected.v);
    compare(name, l.x.lambda, solver.x(), expected.lambda);
}

#[test]
fn pendulum() {
    // Mirrored, and with g = p·p - 1 instead of (p·p - 1)/2: λ is half of theirs.
    let (p, v) =
        ([-0.793_307_163_929_23, -0.608_821_602_490_06], [-2.103_589_309_730_34, 2.741_020_460_753_55]);
    let expected = Expected { p: &p, v: &v, lambda: &[0.5 * 17.910_821_070_708_84] };
    check("pendulum-iftomm", NewmarkScheme::FoxGoodwin, 2.0, 200, &expected);
    let (p, v) =
        ([-0.792_531_974_151_84, -0.609_830_361_614_59], [-2.109_051_918_459_8, 2.740_911_548_090_57]);
    let expected = Expected { p: &p, v: &v, lambda: &[0.5 * 17.943_131_956_654_34] };
    check("pendulum-iftomm", NewmarkScheme::Trapezoidal, 2.0, 200, &expected);
}

#[test]
fn rods() {
    let expected = Expected {
        p: &[
            -0.007_322_675_244_15,
            -0.499_946_375_551_69,
            4.697_743_106_308_03,
            -0.127_811_665_221_24,
            -1.741_305_851_344_91,
            4.560_922_059_974_62,
        ],
        v: &[
            -1.287_834_466_796_81e-2,
            1.886_281_015_277_67e-4,
            -2.575_945_200_874_19e-2,
            2.477_528_588_418_39,
            -3.817_141_440_114_65e-1,
            3.376_370_443_061_78,
        ],
        lambda: &[5.615_171_193_622_02, -34.298_141_239_328_96, -3.611_465_228_935_4, -4.732_003_990_471],
    };
    check("double-pendulum-rods", NewmarkScheme::FoxGoodwin, 2.0, 400, &expected);
    let expected = Expected {
        p: &[
            -0.006_867_664_108_45,
            -0.499_952_832_964_97,
            4.698_653_220_248_36,
            -0.129_181_859_024_43,
            -1.740_967_133_370_05,
            4.557_845_832_798_61,
        ],
        v: &[
            -8.479_861_761_704_45e-3,
            1.164_846_730_044_73e-4,
            -1.696_132_355_409_36e-2,
            2.467_829_814_517_23,
            -3.868_608_744_947_05e-1,
            3.353_014_084_815_32,
        ],
        lambda: &[5.947_269_191_090_5, -34.212_538_838_956_63, -3.718_406_337_917_91, -4.649_333_517_582_48],
    };
    check("double-pendulum-rods", NewmarkScheme::Trapezoidal, 2.0, 400, &expected);
    let expected = Expected {
        p: &[
            3.255_076_563_847_94e-3,
            -4.999_894_043_642_97e-1,
            4.718_899_179_498_92,
            1.275_146_724_387_84e-2,
            -1.749_952_838_944_38,
            4.720_710_828_591_64,
        ],
        v: &[
            -0.034_577_639_202_16,
            -0.000_225_110_496_38,
            -0.069_156_743_923_65,
            -0.144_466_168_150_07,
            -0.001_076_961_253_53,
            -0.100_417_996_772_6,
        ],
        lambda: &[],
    };
    check("double-pendulum-springs", NewmarkScheme::FoxGoodwin, 1.0, 2000, &expected);
}

/// Seven angles with M(p).
#[test]
fn andrews() {
    let expected = Expected {
        p: &[
            15.810_768_454_855_93,
            -15.756_367_634_292_19,
            0.040_822_213_598_14,
            -0.534_730_162_720_52,
            0.524_409_964_501_17,
            0.534_730_162_720_52,
            1.048_080_740_265_06,
        ],
        v: &[],
        lambda: &[],
    };
    check("andrews", NewmarkScheme::FoxGoodwin, 0.03, 3000, &expected);
}
