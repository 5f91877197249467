//! How redundant joints share their forces, in time. Four masses of 1 kg, joined by the sides and diagonals of a square, turn at 2 rad/s: each
//! is drawn to the middle with √2·a + d = 2√2 by two sides a and a diagonal d, which the motion does not determine any further.

use crate::joints::{body, joint, part, start};
use geoms::gluing::{Glued, Law, Settings, Topology};

const BARS: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)];

fn square(settings: Settings) -> Glued<'static> {
    let corners = [[0.5f64, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let mass =
        |[x, y]: [f64; 2]| part(body([x, y, 0.0], [-2.0 * y, 2.0 * x, 0.0], [1.0, 0.1], 0.0), &[[0.0, 0.0]]);
    let bar = |(i, k): (usize, usize)| {
        let length = (corners[i][0] - corners[k][0]).hypot(corners[i][1] - corners[k][1]);
        joint((i, 0), (k, 0), Law::Distance { dimension: 2, length })
    };
    start(corners.map(mass).into(), BARS.map(bar).into(), settings, 1e-2)
}

/// Sides and diagonals at several times.
fn check(settings: &Settings, [side, diagonal]: [f64; 2]) {
    let mut glued = square(settings.clone());
    for tend in [0.0, 0.25, 1.0, 4.0, 12.0] {
        glued.integrate(tend).unwrap();
        for j in 0..BARS.len() {
            let f = glued.joint_force(j).unwrap();
            let exact = if j < 4 { side } else { diagonal };
            let found = f[0].hypot(f[1]);
            assert!(
                (found - exact).abs() < 1e-4,
                "{:?} t {tend} bar {j}: {found} {exact}",
                settings.topology
            );
        }
    }
    assert_eq!(glued.statistics().deficiency, 1);
}

/// Of all bars together, 4 a² + 2 d² is least at a = 1, d = √2; of those across the cut, 2 a² + 2 d² at a = 4/3, d = √8/3.
#[test]
fn forces_of_minimum_norm_stay_so() {
    let flat = [1.0, 2f64.sqrt()];
    let halves = [4.0 / 3.0, 8f64.sqrt() / 3.0];
    for fixed_step in [true, false] {
        for (topology, exact) in
            [(Topology::Flat, flat), (Topology::Grouped, flat), (Topology::Bisection, halves)]
        {
            check(&Settings { topology, fixed_step, rtol: 1e-7, atol: 1e-7, ..Settings::default() }, exact);
        }
    }
}

/// Parallel bars share, whatever else there is.
#[test]
fn parallel_bars_share_equally() {
    let side = |s: f64| part(body([s, 0.0, 0.0], [0.0, 3.0 * s, 0.0], [2.0, 0.1], 0.0), &[[0.0, 0.0]]);
    let bar = || joint((0, 0), (1, 0), Law::Distance { dimension: 2, length: 2.0 });
    let settings = Settings { rtol: 1e-7, atol: 1e-7, ..Settings::default() };
    let mut glued = start(vec![side(1.0), side(-1.0)], vec![bar(), bar(), bar()], settings, 1e-2);
    for tend in [0.0, 1.0, 10.0] {
        glued.integrate(tend).unwrap();
        for j in 0..3 {
            let f = glued.joint_force(j).unwrap();
            assert!((f[0].hypot(f[1]) - 6.0).abs() < 1e-3, "{tend} {j}: {f:?}");
        }
    }
}
