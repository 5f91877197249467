//! Orders of convergence.
//!
//! Radau IIA with s stages: 2s-1 for p, v, r, s with both formulations; the same for w, λ, μ with FORM=0, where they follow
//! algebraically from p and v; s with FORM=1, where they are of index 2. HHT and generalised-α: 2 for every block at the end of
//! the interval; in the first steps λ and a have an error of order h, which dies out. Half-explicit: 5 and 8.

use crate::listed::Listed;
use geoms::layout::Form;
use geoms::options::Options;
use geoms_problems::convergence::{Expected, Study};

/// Every study of the method.
pub fn check(method: &Listed) {
    assert!(!method.studies.is_empty(), "{}: a method has to show its order", method.name);
    let mut options = Options { method: method.features.kind, ..Options::of_call() };
    (method.choose)(&mut options);
    let order = f64::from(method.features.orders[method.nth]);
    let mut declared = false;
    for study in method.studies {
        declared |= study
            .expected
            .iter()
            .any(|(block, low, high)| ["p", "v"].contains(block) && (*low..=*high).contains(&order));
        study.check(method.make, &options);
    }
    assert!(declared, "{}: order {order} is declared", method.name);
}

/// Newton's method to round-off, errors at all points.
const fn radau(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Study {
    Study { increment: 3e-15, at_end: false, ..Study::new(problem, tend, first, expected) }
}

const fn index1(study: Study, expected: &'static [Expected]) -> Study {
    Study { form: Form::Index1, expected, ..study }
}

/// The long steps of high orders: time to converge.
const fn patient(study: Study) -> Study {
    Study { change: |o| (o.newton_updates, o.nit) = (2, 30), ..study }
}

const PENDULUM: Study =
    radau("pendulum-2.8", 5.0, 100, &[("p", 4.9, 5.2), ("v", 4.9, 5.2), ("lambda", 4.9, 5.2)]);
/// Goes through all pivot changes.
const ROTATING: Study = Study { problem: "pendulum-rotating", first: 200, ..PENDULUM };
/// Before the first singular position. (The other four-bar, in relative angles, cannot show an order: its angles are cubics
/// of time, on which the method is exact.)
const FOUR_BAR: Study =
    radau("n-four-bar-2", 0.5, 10, &[("p", 4.8, 5.2), ("v", 4.8, 5.2), ("lambda", 4.8, 5.2)]);
/// Mass matrix that depends on positions. λ is badly conditioned: smaller increments, and a fourth run, meet round-off.
const ANDREWS: Study = Study {
    increment: 1e-13,
    runs: 3,
    ..radau("andrews", 0.03, 600, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("lambda", 4.8, 5.3)])
};
/// λ is constant here and exact to round-off.
const MAXWELL: Study =
    radau("maxwell-element", 5.0, 100, &[("p", 4.8, 5.2), ("v", 4.8, 5.2), ("r", 4.8, 5.2)]);
const CYCLOID: Study =
    radau("cycloid", 2.5, 50, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("s", 4.8, 5.3), ("lambda", 4.8, 5.3)]);
/// With FORM=1 the h³ term of w and λ is small, because the motion is nearly uniform, and of the sign opposite to the next
/// one: slopes of 4.5 turn to 1.6 and go back to 3 only where round-off begins. They are printed.
const BEAD: Study = Study {
    runs: 3,
    ..radau(
        "friction-bead",
        1.0,
        50,
        &[("p", 4.7, 5.3), ("v", 4.7, 5.3), ("w", 4.7, 5.3), ("lambda", 4.7, 5.3)],
    )
};
const ROD: Study = radau("rotating-rod", 2.0, 20, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("lambda", 4.8, 5.3)]);
const KNIFE: Study = radau("knife-edge", 10.0, 100, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("mu", 4.8, 5.3)]);
const DISK: Study = Study { problem: "upright-disk", ..KNIFE };
const LEANING: Study = Study { problem: "leaning-disk", first: 200, ..KNIFE };
/// Z ≠ I, NP ≠ NV.
const TOP: Study = radau("top-steady", 5.0, 200, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("lambda", 4.8, 5.3)]);
const NUTATING: Study = Study { problem: "top-nutating", tend: 2.0, first: 100, ..TOP };
const SINGULAR_MASS: Study = radau("singular-mass", 10.0, 50, &[("v", 4.7, 5.3)]);

pub const RADAU_5: &[Study] = &[
    PENDULUM,
    index1(PENDULUM, &[("p", 4.9, 5.1), ("v", 4.9, 5.1), ("lambda", 2.9, 3.1)]),
    ROTATING,
    index1(ROTATING, &[("p", 4.9, 5.1), ("v", 4.9, 5.1), ("lambda", 2.9, 3.1)]),
    FOUR_BAR,
    index1(FOUR_BAR, &[("p", 4.8, 5.2), ("v", 4.8, 5.2), ("lambda", 2.8, 3.2)]),
    ANDREWS,
    // With FORM=1 the weight 1/h of λ admits increments that v shows: they have to be smaller ...
    Study { increment: 3e-15, runs: 3, first: 400, ..index1(ANDREWS, &[("p", 4.8, 5.2), ("v", 4.8, 5.2)]) },
    // ... while λ reaches its order only with small steps.
    Study { runs: 3, first: 2400, ..index1(ANDREWS, &[("lambda", 2.7, 3.1)]) },
    MAXWELL,
    Study { form: Form::Index1, ..MAXWELL },
    CYCLOID,
    index1(CYCLOID, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("s", 4.8, 5.3), ("lambda", 2.8, 3.2)]),
    BEAD,
    index1(BEAD, &[("p", 4.7, 5.3), ("v", 4.7, 5.3)]),
    ROD,
    // λ gains an order: the coefficient of h³ is that of G v⁗ + G' p⁗, which vanishes for this motion (p = r exp(iωt),
    // r = cosh ωt, has p⁗ = -4ω⁴ p).
    index1(ROD, &[("p", 4.7, 5.3), ("v", 4.7, 5.3), ("lambda", 3.8, 4.2)]),
    KNIFE,
    index1(KNIFE, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("mu", 2.9, 3.1)]),
    DISK,
    index1(DISK, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("mu", 2.9, 3.1)]),
    // Mass matrix that depends on positions. μ with FORM=1 comes down to 3 from above.
    LEANING,
    index1(LEANING, &[("p", 4.7, 5.3), ("v", 4.7, 5.3), ("mu", 2.9, 3.6)]),
    TOP,
    index1(TOP, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("lambda", 2.9, 3.1)]),
    NUTATING,
    index1(NUTATING, &[("p", 4.8, 5.3), ("v", 4.8, 5.3), ("lambda", 2.9, 3.1)]),
    SINGULAR_MASS,
    Study { form: Form::Index1, ..SINGULAR_MASS },
];

const NINE: &[Expected] = &[("p", 8.7, 9.3), ("v", 8.7, 9.3), ("lambda", 8.7, 9.3)];
const NINE_WIDE: &[Expected] = &[("p", 8.3, 9.9), ("v", 8.3, 9.9)];

pub const RADAU_9: &[Study] = &[
    patient(Study { runs: 3, ..radau("pendulum-2.8", 5.0, 20, NINE) }),
    patient(index1(
        Study { runs: 3, ..radau("pendulum-2.8", 5.0, 20, NINE) },
        &[("p", 8.7, 9.3), ("v", 8.7, 9.3), ("lambda", 4.8, 5.3)],
    )),
    // A mass matrix that depends on positions, nonholonomic and rheonomic constraints.
    patient(Study { runs: 2, ..radau("leaning-disk", 10.0, 100, NINE_WIDE) }),
    patient(Study { runs: 2, ..radau("rotating-rod", 2.0, 5, NINE_WIDE) }),
];

pub const RADAU_13: &[Study] = &[
    patient(Study {
        runs: 2,
        ..radau("pendulum-2.8", 5.0, 15, &[("p", 12.4, 13.6), ("v", 12.4, 13.6), ("lambda", 12.4, 13.6)])
    }),
    // Here p and v meet round-off first.
    patient(index1(Study { runs: 2, ..radau("pendulum-2.8", 5.0, 20, &[]) }, &[("lambda", 6.6, 7.5)])),
];

/// Radau IIA of automatic order: 5 at least.
pub const AUTOMATIC: &[Study] = &[Study {
    runs: 2,
    floor: 1e-10,
    ..radau("pendulum-2.8", 5.0, 25, &[("p", 4.8, HIGH), ("v", 4.8, HIGH)])
}];

const TWO: &[Expected] = &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("lambda", 1.9, 2.1)];
const TWO_MU: &[Expected] = &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("mu", 1.9, 2.1)];

/// Equations solved to round-off.
const fn hht(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Study {
    Study { tol: 1e-14, ..Study::new(problem, tend, first, expected) }
}

pub const HHT: &[Study] = &[
    hht("pendulum-2.8", 5.0, 800, TWO),
    // Mass matrix that depends on positions.
    hht("andrews", 0.03, 600, &[("p", 1.95, 2.2), ("v", 1.95, 2.2), ("lambda", 1.95, 2.1)]),
    hht("car-axis", 3.0, 6000, &[("p", 1.9, 2.2), ("v", 1.9, 2.2), ("lambda", 1.9, 2.2)]),
    hht("rotating-rod", 2.0, 100, TWO),
    // The angle of the knife edge is exact, and μ is better than of second order.
    hht("knife-edge", 10.0, 800, &[("p", 1.9, 2.1), ("v", 1.9, 2.1)]),
    hht("upright-disk", 10.0, 1600, TWO_MU),
    hht("leaning-disk", 10.0, 3200, TWO_MU),
    hht("top-steady", 5.0, 2000, TWO),
    hht("top-nutating", 2.0, 1000, TWO),
    hht("cycloid", 2.5, 200, &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("s", 1.9, 2.1), ("lambda", 1.9, 2.1)]),
    hht(
        "friction-bead",
        1.0,
        100,
        &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("w", 1.9, 2.1), ("lambda", 1.9, 2.1)],
    ),
    hht("maxwell-element", 5.0, 200, &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("r", 1.9, 2.1)]),
    // Redundant.
    hht("coupler", 10.0, 2000, TWO),
];

const ALPHA: &[Expected] = &[("p", 1.9, 2.3), ("v", 1.9, 2.3), ("lambda", 1.9, 2.3)];

pub const GENERALIZED_ALPHA: &[Study] = &[
    hht("pendulum-2.8", 5.0, 800, ALPHA),
    // Smaller steps meet rounding errors of λ.
    Study { runs: 3, ..hht("andrews", 0.03, 1200, ALPHA) },
];

/// Positions of Andrews' mechanism come down to 2 from above.
const TWO_FROM_ABOVE: &[Expected] = &[("p", 1.9, 2.8), ("v", 1.9, 2.1), ("lambda", 1.9, 2.1)];

pub const NEWMARK: &[Study] = &[
    hht("pendulum-2.8", 5.0, 800, TWO),
    // Mass matrix that depends on positions.
    hht("andrews", 0.03, 600, TWO_FROM_ABOVE),
    hht("car-axis", 3.0, 3000, TWO),
    hht("rotating-rod", 2.0, 100, TWO),
    hht("knife-edge", 10.0, 800, &[("p", 1.9, 2.1), ("v", 1.9, 2.1)]),
    // Velocities turn uniformly here, for which Fox-Goodwin gains an order.
    hht("upright-disk", 10.0, 1600, &[("p", 1.9, 2.1), ("v", 2.9, 3.1), ("mu", 2.9, 3.1)]),
    // The order of μ comes from below.
    Study { runs: 3, ..hht("leaning-disk", 10.0, 6400, TWO_MU) },
    hht("top-steady", 5.0, 2000, TWO),
    hht("top-nutating", 2.0, 1000, TWO),
    hht("cycloid", 2.5, 200, &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("s", 1.9, 2.1), ("lambda", 1.9, 2.1)]),
    hht(
        "friction-bead",
        1.0,
        100,
        &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("w", 1.9, 2.1), ("lambda", 1.9, 2.1)],
    ),
    hht("maxwell-element", 5.0, 200, &[("p", 1.9, 2.1), ("v", 1.9, 2.1), ("r", 1.9, 2.1)]),
    // Its velocities are better than of second order; λ reaches 2 from below.
    Study { runs: 3, ..hht("singular-mass", 10.0, 200, &[("lambda", 1.7, 2.1)]) },
    // Redundant.
    hht("coupler", 10.0, 2000, TWO),
    hht("bricard", 2.0, 500, &[("v", 1.9, 2.1)]),
    index1(hht("andrews", 0.03, 600, TWO_FROM_ABOVE), TWO_FROM_ABOVE),
    index1(Study { runs: 2, ..hht("leaning-disk", 10.0, 6400, TWO_MU) }, TWO_MU),
    index1(Study { runs: 3, ..hht("singular-mass", 10.0, 200, TWO) }, &[("lambda", 1.7, 2.1)]),
];

pub const NEWMARK_TRAPEZOIDAL: &[Study] = &[
    hht("pendulum-2.8", 5.0, 800, TWO),
    hht("andrews", 0.03, 600, TWO_FROM_ABOVE),
    // The order of μ comes from below.
    Study { runs: 3, ..hht("leaning-disk", 10.0, 6400, TWO_MU) },
];

pub const NEWMARK_DAMPED: &[Study] = &[
    hht("pendulum-2.8", 5.0, 800, TWO),
    hht("andrews", 0.03, 600, TWO_FROM_ABOVE),
    Study { runs: 3, ..hht("leaning-disk", 10.0, 12800, TWO_MU) },
];

/// The tolerance chooses the order; it has no other meaning with constant steps.
const fn half_explicit(
    problem: &'static str,
    tend: f64,
    first: u32,
    tol: f64,
    expected: &'static [Expected],
) -> Study {
    Study { tol, runs: 2, floor: 1e-13, ..Study::new(problem, tend, first, expected) }
}

const HIGH: f64 = 99.0;
const FIVE: &[Expected] = &[("p", 4.6, HIGH), ("v", 4.6, HIGH), ("lambda", 4.6, HIGH)];
const FIVE_MU: &[Expected] = &[("p", 4.6, HIGH), ("v", 4.6, HIGH), ("mu", 4.6, HIGH)];
const EIGHT: &[Expected] = &[("p", 7.2, HIGH), ("v", 7.2, HIGH), ("lambda", 7.2, HIGH)];

const fn five(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Study {
    Study { times: 4, ..half_explicit(problem, tend, first, 1e-4, expected) }
}

pub const HALF_EXPLICIT_5: &[Study] = &[
    five("pendulum-2.8", 5.0, 100, FIVE),
    five("andrews", 0.03, 300, FIVE),
    five("car-axis", 3.0, 1200, FIVE),
    five("leaning-disk", 10.0, 100, FIVE_MU),
    five("maxwell-element", 5.0, 100, &[("p", 4.6, HIGH), ("v", 4.6, HIGH), ("r", 4.6, HIGH)]),
    five("top-nutating", 2.0, 80, FIVE),
    five("friction-bead", 10.0, 40, FIVE),
    five("wheel", 2.0, 200, &[("p", 4.6, HIGH), ("v", 4.6, HIGH)]),
    five("singular-mass", 10.0, 100, &[("v", 4.6, HIGH)]),
    index1(five("andrews", 0.03, 300, FIVE), FIVE),
    // On the car axis differences in time leave 1e-10 in λ.
    index1(five("car-axis", 3.0, 1200, FIVE), &[("p", 4.6, HIGH), ("v", 4.6, HIGH)]),
    index1(five("leaning-disk", 10.0, 100, FIVE_MU), FIVE_MU),
    // Redundant; the positions of its reference have ten digits.
    half_explicit("bricard", 2.0, 30, 1e-4, &[("v", 4.6, HIGH)]),
];

pub const HALF_EXPLICIT_8: &[Study] = &[
    half_explicit("andrews", 0.03, 150, 1e-8, EIGHT),
    half_explicit("car-axis", 3.0, 150, 1e-8, EIGHT),
    half_explicit("leaning-disk", 10.0, 40, 1e-8, &[("p", 7.2, HIGH), ("v", 7.2, HIGH), ("mu", 7.2, HIGH)]),
    half_explicit("top-nutating", 2.0, 24, 1e-8, EIGHT),
    half_explicit("bricard", 2.0, 15, 1e-8, &[("v", 7.2, HIGH)]),
];

const FOUR: &[Expected] = &[("p", 3.7, 4.6), ("v", 3.7, 4.6), ("lambda", 3.7, 4.6)];
/// The angle is exact, and other components nearly so where the motion is steady: higher orders show up first.
const KNIFE_4: &[Expected] = &[("p", 3.7, HIGH), ("v", 3.7, HIGH), ("mu", 3.7, HIGH)];

/// Errors at the end only; where partitions change on the way they do so at other times with other steps.
const fn four(problem: &'static str, tend: f64, first: u32, expected: &'static [Expected]) -> Study {
    Study { runs: 3, floor: 1e-11, tol: 1e-6, ..Study::new(problem, tend, first, expected) }
}

pub const ROSENBROCK: &[Study] = &[
    // Z ≠ I, a unit quaternion, one partition. p has 4.0 at once; v comes to it from below and λ from above, as terms of order 5 that
    // are as large as those of order 4: 3.4, 3.7, 3.7, 3.9 and 4.8, 4.7, 4.5, 4.4 from 320 steps on.
    four("top-nutating", 2.0, 1280, &[("p", 3.9, 4.1), ("v", 3.6, 4.1), ("lambda", 3.9, 4.7)]),
    four("cycloid", 2.5, 50, &[("p", 3.7, HIGH), ("v", 3.7, HIGH), ("s", 3.7, HIGH), ("lambda", 3.7, HIGH)]),
    four("friction-bead", 10.0, 100, &[("p", 3.7, HIGH), ("v", 3.7, HIGH), ("w", 3.7, HIGH)]),
    four("singular-mass", 10.0, 100, &[("v", 3.7, HIGH)]),
    // Redundant; the positions of its reference have ten digits.
    Study { runs: 2, ..four("bricard", 2.0, 60, &[("v", 3.7, HIGH)]) },
    index1(Study { runs: 2, ..four("andrews", 0.03, 1200, FOUR) }, FOUR),
    // On the car axis differences in time leave 1e-10 in λ.
    index1(Study { runs: 2, ..four("car-axis", 3.0, 4800, FOUR) }, &[("p", 3.7, HIGH), ("v", 3.7, HIGH)]),
    index1(four("knife-edge", 10.0, 100, KNIFE_4), KNIFE_4),
    four("pendulum-2.8", 5.0, 400, FOUR),
    four("double-pendulum-rods", 2.0, 800, FOUR),
    four("slider-crank", 1.0, 800, FOUR),
    four("andrews", 0.03, 1200, FOUR),
    Study { runs: 2, ..four("andrews-bodies", 0.03, 600, FOUR) },
    Study { runs: 2, ..four("car-axis", 3.0, 4800, FOUR) },
    four("rotating-rod", 2.0, 80, FOUR),
    four("knife-edge", 10.0, 100, KNIFE_4),
    four("leaning-disk", 10.0, 100, KNIFE_4),
    four("maxwell-element", 5.0, 200, &[("p", 3.7, HIGH), ("v", 3.7, HIGH), ("r", 3.7, HIGH)]),
];

pub const EULER: &[Study] = &[Study {
    tol: 1e-3,
    runs: 3,
    ..Study::new("pendulum-2.8", 5.0, 10_000, &[("p", 0.9, 1.1), ("v", 0.9, 1.1)])
}];
