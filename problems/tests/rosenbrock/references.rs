//! Runs with constant steps against values of an independent implementation, and what holds at all of their points.

use crate::harness::{distance, fixed, options, problem};
use geoms::layout::Form;
use geoms_problems::pendulum::{self, Start};
use geoms_problems::Problem;
use std::f64::consts::FRAC_PI_2;

const FREE: Form = Form::StrangenessFree;

/// m = L = 1, g = 9.81, from (1, 0) at rest.
fn pend() -> Problem {
    pendulum::problem("pend", "", Start { gravity: 9.81, angle: FRAC_PI_2, rate: 0.0 }, 2.0)
}

/// Largest differences of p and v, relative to the largest of each, from the reference row.
fn compare(problem: &Problem, steps: u32, p: &[f64], v: &[f64]) -> u64 {
    let layout = problem.layout(FREE);
    let run = fixed(problem, &options(problem, FREE), steps, |_| {}).good(&problem.name);
    let (found_p, found_v) = (layout.x.p.of(&run.x), layout.x.v.of(&run.x));
    for (found, expected) in [(found_p, p), (found_v, v)] {
        let size = expected.iter().fold(0.0f64, |m, e| m.max(e.abs()));
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < 1e-9 * size, "{} {steps}: {found:?} against {expected:?}", problem.name);
        }
    }
    println!("{} {steps}: partitions {}", problem.name, run.stats.nsel);
    run.stats.nsel
}

#[test]
fn pendulum() {
    let parts = compare(
        &pend(),
        100,
        &[0.793_549_920_899_63, -0.608_505_154_489_42],
        &[2.102_523_883_955_35, 2.741_895_692_243_27],
    );
    // At the start and after steps 19, 22, 41 and 81, when the constraint has turned away from its coordinate.
    assert_eq!(parts, 5);
}

#[test]
fn rods() {
    let parts = compare(
        &problem("double-pendulum-rods"),
        200,
        &[
            -0.007_385_107_389_2,
            -0.499_945_457_213_93,
            4.697_618_228_510_42,
            -0.127_655_954_222_16,
            -1.741_346_786_230_25,
            4.561_300_482_196_83,
        ],
        &[
            -1.291_266_846_025_85e-2,
            1.907_436_939_052_01e-4,
            -2.582_815_439_951_68e-2,
            2.478_275_347_531_41,
            -0.380_864_744_729_602,
            3.377_275_411_367_07,
        ],
    );
    assert_eq!(parts, 1);
}

#[test]
fn stiff_rods() {
    compare(
        &problem("double-pendulum-stiff"),
        40,
        &[
            0.020_504_048_068_47,
            -0.499_579_407_114_43,
            4.753_408_578_867_62,
            0.071_767_782_736_62,
            -1.748_527_776_543_35,
            4.753_413_402_254_77,
        ],
        &[
            -0.232_116_204_852_25,
            -0.009_526_657_332_12,
            -0.464_623_244_166_43,
            -0.812_394_676_463_7,
            -0.033_344_488_638_5,
            -0.464_607_268_606_21,
        ],
    );
}

#[test]
fn slider_crank() {
    let parts = compare(
        &problem("slider-crank"),
        200,
        &[
            -4.988_898_405_846_89e-2,
            5.600_079_704_445_14e-2,
            14.864_910_443_164_6,
            0.174_564_720_377_555,
            5.600_079_704_445_14e-2,
            -0.201_360_826_077_217,
            0.448_907_408_872_047,
            0.0,
            0.0,
        ],
        &[
            -0.748_195_426_338_034,
            -0.666_538_900_644_019,
            13.360_442_454_848_3,
            -1.360_332_152_143_41,
            -0.666_538_900_644_019,
            2.429_585_072_238_58,
            -1.224_273_451_610_74,
            0.0,
            0.0,
        ],
    );
    assert_eq!(parts, 1);
}

#[test]
fn andrews() {
    let parts = compare(
        &problem("andrews"),
        600,
        &[
            15.810_772_063_912_86,
            -15.756_372_143_963_65,
            0.040_822_248_528_17,
            -0.534_730_101_638,
            0.524_409_966_317_09,
            0.534_730_101_638,
            1.048_080_741_288_24,
        ],
        &[
            1.139_920_158_562_91e3,
            -1.424_379_099_563_53e3,
            11.033_157_707_437_5,
            19.293_803_923_212_2,
            0.573_582_612_672_107,
            -19.293_803_923_212_2,
            0.323_186_602_844_053,
        ],
    );
    assert_eq!(parts, 1);
}

/// g and gI are rounding errors at every accepted point: of the sizes that the prototypes have.
#[test]
fn residuals_are_rounding_errors() {
    for (problem, steps, bounds) in [
        (pend(), 100, [3e-16, 1e-15]),
        (problem("double-pendulum-rods"), 200, [1e-15, 4e-15]),
        (problem("double-pendulum-stiff"), 40, [1e-15, 4e-15]),
        (problem("slider-crank"), 200, [1e-15, 8e-15]),
        (problem("andrews"), 600, [1e-16, 4e-14]),
        (problem("andrews-bodies"), 600, [1e-16, 4e-14]),
    ] {
        let layout = problem.layout(FREE);
        let (mut system, mut rda) = (problem.system(FREE, true), vec![0.0; layout.m]);
        let (zero, mut worst, mut points) = (vec![0.0; layout.m], [0.0f64; 2], 0);
        let look = |step: &geoms::system::AcceptedStep<'_>| {
            let _ = system.eom(step.t, step.x, &mut rda);
            if step.naccpt > 0 {
                points += 1;
                for (worst, rows) in worst.iter_mut().zip([layout.rda.g, layout.rda.g_velocity]) {
                    *worst = worst.max(distance(rows, &rda, &zero));
                }
            }
        };
        fixed(&problem, &options(&problem, FREE), steps, look).good(&problem.name);
        println!("{}: g {:.1e}, gI {:.1e} at {points} points", problem.name, worst[0], worst[1]);
        assert!(worst[0] <= bounds[0] && worst[1] <= bounds[1], "{}: {worst:?}", problem.name);
        assert_eq!(points, steps);
    }
}
