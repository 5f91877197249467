//! Constant steps, Newton's method to rounding: the collocation equations have one solution, whatever the iteration.

use crate::mechanisms::{CartesianFourBar, SpatialFourBar};
use geoms::decompose::DecompositionKind;
use geoms::layout::Form;
use geoms::mechanism::{Model, Options as Presented};
use geoms::norm::Tolerance;
use geoms::options::{CheckLevel, MassStructure, MethodKind, Options, Order, Singular};
use geoms::system::System;
use geoms_problems::four_bar::natural;
use geoms_problems::trial::{drive, Run};

fn fixed(
    system: &mut dyn System,
    mass: MassStructure,
    order: Order,
    x0: &[f64],
    (h, tend): (f64, f64),
) -> Run {
    let options = Options {
        order,
        mass,
        fixed_step: true,
        consistent: true,
        singular: Singular::Always,
        nit: 50,
        fnewt: Some(1e-6),
        ..Options::of_call()
    };
    drive(system, &options, &Tolerance::scalar(1e-13, 1e-13), (0.0, x0, h, tend), |_| {})
}

/// B_0 and its velocity at t = 1, from an implementation of the equations with Newton's method to rounding.
const REFERENCE: [(usize, Order, f64, [f64; 4]); 7] = [
    (1, Order::Five, 20.0, [-0.26071213074423, -0.96541658618588, -6.63777642612578, 1.79254102345187]),
    (1, Order::Five, 40.0, [-0.26071266489355, -0.96541644193794, -6.63780844679362, 1.79255361110549]),
    (1, Order::Nine, 20.0, [-0.26071267518068, -0.96541643915988, -6.63780949600433, 1.79255397033527]),
    (2, Order::Five, 20.0, [-0.1950201931466, -0.98079922729632, -6.67664771523002, 1.32757152611682]),
    (2, Order::Five, 40.0, [-0.19502030448404, -0.9807992051582, -6.67667707863143, 1.32757815256009]),
    (2, Order::Nine, 20.0, [-0.19502030194824, -0.98079920566241, -6.67667803677913, 1.32757832513171]),
    (10, Order::Five, 20.0, [-0.12930625944782, -0.99160470514596, -6.6752546291275, 0.87045997510388]),
];

#[test]
fn reference_rows_agree_to_ten_digits() {
    for (n, order, steps, expected) in REFERENCE {
        let problem = natural("row", n, 1.0);
        let mut system = problem.system(Form::StrangenessFree, true);
        let run = fixed(system.as_mut(), problem.mass, order, &problem.x0, (1.0 / steps, 1.0))
            .good("constant steps");
        assert!(run.stats.critical_steps > 0);
        let (v, p) = (2 * n + 1, 4 * n + 3);
        let found = [run.x[p], run.x[p + 1], run.x[v], run.x[v + 1]];
        for (a, b) in found.iter().zip(expected) {
            let far = (a - b).abs() / b.abs().max(1.0);
            println!("N={n} {order:?} 1/{steps}: {a:.14} {b:.14} {far:.1e}");
            assert!(far < 1e-10, "{far}");
        }
    }
}

#[test]
fn the_order_is_kept_through_the_rank_loss() {
    for (order, expected, steps) in [(Order::Five, 4.5, [20, 40]), (Order::Nine, 8.0, [10, 20])] {
        let problem = natural("row", 2, 1.0);
        let exact = problem.exact.as_ref().unwrap()(1.0);
        let error = |steps: i32| {
            let mut system = problem.system(Form::StrangenessFree, true);
            let h = 1.0 / f64::from(steps);
            let run = fixed(system.as_mut(), problem.mass, order, &problem.x0, (h, 1.0)).good("steps");
            (5..17).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()))
        };
        let errors = steps.map(error);
        let observed = (errors[0] / errors[1]).log2();
        println!("{order:?}: {errors:?} order {observed}");
        assert!(observed > expected, "{order:?}: {errors:?}");
    }
}

/// (x, y, angle) of the first crank and their rates at t = 0.6 with h = 0.04, from the same implementation as [`REFERENCE`].
const CARTESIAN: [f64; 6] = [
    0.2928124997879,
    -0.40529105586968,
    5.33803987387387,
    2.5411136891443,
    1.8358901357124,
    6.26984892052836,
];

#[test]
fn cartesian_coordinates_have_the_printed_point() {
    let x0 = CartesianFourBar::exact(0.0);
    let exact = CartesianFourBar::exact(0.6);
    let errors = [0.04, 0.02].map(|h| {
        let mut model = Model::new(CartesianFourBar, Presented::new(Form::StrangenessFree, true), 0.0, &x0);
        let run =
            fixed(&mut model, MassStructure::ConstantDiagonal, Order::Five, &x0, (h, 0.6)).good("Cartesian");
        assert!(run.stats.critical_steps > 0);
        if h == 0.04 {
            for (found, expected) in run.x[17..20].iter().chain(&run.x[8..11]).zip(CARTESIAN) {
                let far = (found - expected).abs() / expected.abs();
                println!("{found:.14} {expected:.14} {far:.1e}");
                assert!(far < 1e-10, "{far}");
            }
        }
        (17..26).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()))
    });
    println!("Cartesian: errors of p {errors:?}");
    // As printed with the reference.
    assert!(
        (errors[0] / 9.7e-7 - 1.0).abs() < 0.02 && (errors[1] / 2.96e-8 - 1.0).abs() < 0.02,
        "{errors:?}"
    );
}

/// Errors of v at t = 1 that are printed with the reference, and half a unit of their last digit.
const ERRORS: [(usize, Order, f64, f64, f64); 9] = [
    (1, Order::Five, 20.0, 3.307e-5, 5e-9),
    (1, Order::Five, 40.0, 1.049e-6, 5e-10),
    (1, Order::Nine, 20.0, 1.17e-10, 5e-13),
    (1, Order::Nine, 40.0, 2.1e-13, 2e-13),
    (2, Order::Five, 20.0, 3.032e-5, 5e-9),
    (2, Order::Five, 40.0, 9.582e-7, 5e-11),
    (2, Order::Nine, 20.0, 1.02e-10, 5e-13),
    (10, Order::Five, 20.0, 2.721e-5, 5e-9),
    (10, Order::Five, 40.0, 8.57e-7, 5e-10),
];

#[test]
fn errors_are_those_printed_with_the_reference() {
    for (n, order, steps, expected, unit) in ERRORS {
        let problem = natural("row", n, 1.0);
        let exact = problem.exact.as_ref().unwrap()(1.0);
        let mut system = problem.system(Form::StrangenessFree, true);
        let run = fixed(system.as_mut(), problem.mass, order, &problem.x0, (1.0 / steps, 1.0)).good("steps");
        let (v, p) = (2 * n + 1, 4 * n + 3);
        let error = (v..p).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()));
        println!("N={n} {order:?} 1/{steps}: error of v {error:.4e}, printed {expected:.4e}");
        // Rounding errors of Newton's method and of the closed form lie at 2e-13.
        assert!((error - expected).abs() < 1.1 * unit + 3e-13, "{n} {order:?} {steps}: {error:e}");
    }
}

/// Method 1 steps over rank losses with a Newton matrix of its own point: of order 2 all the same.
#[test]
fn method_1_keeps_its_order() {
    let problem = natural("row", 2, 2.0);
    let exact = problem.exact.as_ref().unwrap()(2.0);
    let errors = [800.0, 1600.0, 3200.0].map(|steps: f64| {
        let options = Options {
            method: MethodKind::Hht,
            mass: problem.mass,
            fixed_step: true,
            consistent: true,
            nit: 50,
            check: CheckLevel::Off,
            ..Options::default()
        };
        let mut system = problem.system(Form::StrangenessFree, true);
        let start = (0.0, &problem.x0[..], 2.0 / steps, 2.0);
        let run =
            drive(system.as_mut(), &options, &Tolerance::scalar(1e-10, 1e-10), start, |_| {}).good("HHT");
        (5..17).fold(0.0f64, |m, i| m.max((run.x[i] - exact[i]).abs()))
    });
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    println!("{errors:?} orders {orders:?}");
    assert!(orders.iter().all(|order| (1.9..2.25).contains(order)), "{errors:?}: {orders:?}");
}

/// The same in space. With the same steps errors of method 1 are hundreds of times those of the equation of θ, whose motion is nearly
/// uniform while all coordinates oscillate: its error in space is one of the coordinates, not of the rank losses, and of order 2.
#[test]
fn methods_of_order_2_keep_it_in_space() {
    let (crank, start, tend) = (SpatialFourBar::crank(), [1.0, 7.0], 1.0);
    let x0 = SpatialFourBar::state(start[0], start[1]);
    let end = crank.swing(start, tend);
    let exact = SpatialFourBar::state(end[0], end[1]);
    let error =
        |x: &[f64]| (SpatialFourBar::NL..exact.len()).fold(0.0f64, |m, i| m.max((x[i] - exact[i]).abs()));
    for method in [MethodKind::Hht, MethodKind::Newmark] {
        let both = [400.0, 800.0, 1600.0].map(|steps: f64| {
            let options = Options {
                method,
                mass: MassStructure::ConstantDiagonal,
                decompose_constraints: DecompositionKind::Svd,
                fixed_step: true,
                consistent: true,
                nit: 50,
                check: CheckLevel::Off,
                ..Options::default()
            };
            let presented = || Presented::new(Form::StrangenessFree, true);
            let mut model = Model::new(SpatialFourBar { normalised: true }, presented(), 0.0, &x0);
            let tolerance = Tolerance::scalar(1e-10, 1e-10);
            let run = drive(&mut model, &options, &tolerance, (0.0, &x0, tend / steps, tend), |_| {});
            let angle = [start[1], start[0]];
            let mut model = Model::new(crank, presented(), 0.0, &angle);
            let options = Options { mass: MassStructure::ConstantFull, ..options };
            let one = drive(&mut model, &options, &tolerance, (0.0, &angle, tend / steps, tend), |_| {});
            let one = one.good("one degree");
            (error(&run.good("in space").x), error(&SpatialFourBar::state(one.x[1], one.x[0])))
        });
        let orders = [both[0].0 / both[1].0, both[1].0 / both[2].0].map(f64::log2);
        println!("{method:?} in space, one degree: {both:?} orders {orders:?}");
        assert!(orders.iter().all(|order| (1.9..2.25).contains(order)), "{both:?}: {orders:?}");
    }
}
