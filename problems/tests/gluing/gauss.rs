//! The paper's algorithm: its figures, its limits, and the reference values of an independent program.

use crate::harness::*;
use crate::planar::*;
use geoms::gluing::gauss::{Gauss, Projection, Settings};
use geoms::gluing::{Assembly, Part};
use geoms::layout::Form;

/// The four-bar in relative angles is one subdomain with the cut joint as its constraint. It begins at the angles of the reference, which differ
/// by a whole turn from those of the problem library.
fn relative(settings: Settings) -> Gauss<'static> {
    let problem = geoms_problems::by_name("four-bar-relative").unwrap();
    let mut assembly = Assembly::new();
    let system = problem.system(Form::StrangenessFree, true);
    let mut x = problem.x0.clone();
    x[6] -= 2.0 * std::f64::consts::PI;
    assembly.subdomain(0, Some(Part::new(system, &x)));
    Gauss::start(assembly, settings, 0.0).unwrap()
}

/// Figures 2 to 5: h = 0.4.
#[test]
fn four_bar_in_relative_angles() {
    let mut errors = Vec::new();
    // At h = 0.4 the accelerations pass on their round-off from step to step, magnified up to 30 times near the stretched positions: one step
    // of ten needs a second iteration (1.10, as in the reference), two if there is more of it (1.20 from the angles a turn further on).
    for (steps, iterations, within) in [(10, 1.10, 0.101), (100, 1.00, 0.006), (1000, 1.00, 0.006)] {
        let mut run = relative(Settings::default());
        let found = run.integrate(4.0, steps).unwrap();
        println!("h = {}: {found} iterations per step", 4.0 / f64::from(steps));
        assert!((found - iterations).abs() < within, "{steps}: {found}");
        let most = run.history.iter().map(|h| h.len() - 1).max().unwrap();
        assert!(most <= 2);
        let (q, v, a) = run.motion();
        let (angle, rate) = four_bar_angle(4.0);
        errors.push((q[0] - angle).abs());
        assert!((q[0] + q[1]).abs() < 1e-8 && (q[2] - q[0] - std::f64::consts::PI).abs() < 1e-8);
        assert!((v[0] - rate).abs() < 1e-8 && (a[0] + 8.0 / 27.0).abs() < 1e-8);
        if steps == 10 {
            // With another number of whole turns than in the reference.
            let turns = 2.0
                * std::f64::consts::PI
                * ((q[0] - 25.909463486058) / (2.0 * std::f64::consts::PI)).round();
            assert!((q[0] - turns - 25.909463486058).abs() < 1e-7, "{}", q[0]);
            assert_near("lambda", run.multipliers(), &[349.030175931, 343.648969030], 1e-4);
        }
        if steps == 100 {
            assert_near("lambda", run.multipliers(), &[347.660928847575, 344.989111754267], 1e-4);
        }
    }
    assert_near("errors", &errors, &[3.95e-3, 3.95e-5, 3.95e-7], 2e-5);
    for pair in errors.windows(2) {
        assert!(((pair[0] / pair[1]).log10() - 2.0).abs() < 0.02, "order 2: {errors:?}");
    }
}

/// The constraint torque on the first angle (Figure 4) is that of the exact motion at the time at which the crank has the computed angle: the
/// motion is computed to 4e-3, the multipliers belong to it.
#[test]
fn constraint_torque_of_figure_4() {
    let mut run = relative(Settings::default());
    let exact = geoms_problems::four_bar::RelativeFourBar;
    let torque_at = |t: f64| {
        let x = exact.exact(t);
        let (a, b, c) = (x[5], x[5] + x[6], x[5] + x[6] + x[7]);
        let column = [-a.sin() - 2.0 * b.sin() - c.sin(), a.cos() + 2.0 * b.cos() + c.cos()];
        -(column[0] * x[0] + column[1] * x[1])
    };
    for _ in 0..10 {
        run.step(0.4).unwrap();
        let (found, angle) = (run.constraint_forces().unwrap()[0], run.motion().0[0]);
        let mut t = run.time();
        (0..5).for_each(|_| t -= (four_bar_angle(t).0 - angle) / four_bar_angle(t).1);
        // The moment -2t and the rate differ a little between the two times.
        assert!((found - torque_at(t)).abs() < 5e-3 * 1200.0, "t {}: {found} {}", run.time(), torque_at(t));
    }
}

/// Figures 2, 3 and 5 at every point of h = 0.4: q1' = 2π - t²/27 and q1'' = -2t/27 have no error but that of the iteration, which is not made anew
/// in more than a second round.
#[test]
fn rates_and_iterations_of_figures_2_3_and_5() {
    let mut run = relative(Settings::default());
    for k in 1..=10 {
        run.step(0.4).unwrap();
        let (t, (_, v, a)) = (run.time(), run.motion());
        assert!((v[0] - four_bar_angle(t).1).abs() < 1e-7, "t {t}: {}", v[0]);
        assert!((a[0] + 2.0 * t / 27.0).abs() < 1e-7, "t {t}: {}", a[0]);
        let history = &run.history[k - 1];
        println!("t {t:.1}: residual of the dynamics {:?}", history.iter().map(|r| r[0]).collect::<Vec<_>>());
        assert!((2..=3).contains(&history.len()), "t {t}: {}", history.len());
    }
}

/// Figures 6 and 7: x' and x'' of the first crank in Cartesian coordinates, whose amplitudes are π and 2π². At h = 0.04 they follow the motion within 4 %,
/// with half the step within a quarter of that.
#[test]
fn rates_of_figures_6_and_7() {
    let b = four_bar();
    let deviations = [50, 100].map(|steps: u32| {
        let mut run = Gauss::start(b.cut(&b.pieces(3), |_| 0, 0), Settings::default(), 0.0).unwrap();
        let mut worst = [0.0_f64; 2];
        for _ in 0..steps {
            run.step(2.0 / f64::from(steps)).unwrap();
            let (t, (_, v, a)) = (run.time(), run.motion());
            let ((q, rate), acceleration) = (four_bar_angle(t), -2.0 * t / 27.0);
            let exact = [-0.5 * q.sin() * rate, -0.5 * (q.cos() * rate * rate + q.sin() * acceleration)];
            worst[0] = worst[0].max((v[0] - exact[0]).abs() / std::f64::consts::PI);
            worst[1] = worst[1].max((a[0] - exact[1]).abs() / (2.0 * std::f64::consts::PI.powi(2)));
        }
        println!("h {}: relative deviations of x' and x'' {worst:.4?}", 2.0 / f64::from(steps));
        worst
    });
    for k in 0..2 {
        assert!(deviations[0][k] < 0.04 && deviations[0][k] / deviations[1][k] > 3.5, "{deviations:?}");
    }
}

#[test]
fn naive_projection_diverges() {
    for h in [0.4, 0.04, 0.004] {
        for full_matrix in [false, true] {
            let mut run =
                relative(Settings { projection: Projection::Naive, full_matrix, ..Settings::default() });
            assert!(run.integrate(4.0, (4.0 / h) as u32).is_err(), "h {h} full {full_matrix}");
        }
    }
    let b = four_bar();
    for h in [0.1, 0.02, 0.005] {
        let mut run = Gauss::start(
            b.cut(&b.pieces(3), |_| 0, 0),
            Settings { projection: Projection::Naive, ..Settings::default() },
            0.0,
        )
        .unwrap();
        assert!(run.integrate(2.0, (2.0 / h) as u32).is_err(), "h {h}");
    }
}

/// Figures 6 and 7, in Cartesian coordinates, three subdomains.
#[test]
fn four_bar_in_cartesian_coordinates() {
    let b = four_bar();
    let rows = [
        (0.1, 6.0, 0.329, 0.207196774362),
        (0.04, 4.0, 3.85e-2, 0.068428943426),
        (0.02, 3.0, 8.15e-3, 0.053355905003),
        (0.01, 3.0, 1.84e-3, 0.050220380062),
        (0.005, 3.0, 4.37e-4, 0.049519840403),
    ];
    for (h, iterations, error, x) in rows {
        let mut run = Gauss::start(b.cut(&b.pieces(3), |_| 0, 0), Settings::default(), 0.0).unwrap();
        let found = run.integrate(2.0, (2.0 / h + 0.5) as u32).unwrap();
        let (q, _, _) = run.motion();
        println!("h {h}: {found:.2} iterations, error {:.3e}, x {:.12}", q[2] - four_bar_angle(2.0).0, q[0]);
        assert!((found - iterations).abs() < 0.051, "h {h}: {found}");
        assert!(((q[2] - four_bar_angle(2.0).0).abs() / error - 1.0).abs() < 0.02, "h {h}");
        assert!((q[0] - x).abs() < 1e-6, "h {h}: {}", q[0]);
    }
}

#[test]
fn chains_and_their_limits() {
    for (nb, h, iterations) in [(2, 0.04, 6.90), (4, 0.04, 8.10), (8, 0.04, 11.10), (8, 0.005, 3.84)] {
        let b = chain(nb);
        let mut run = Gauss::start(b.cut(&b.pieces(nb), |_| 0, 0), Settings::default(), 0.0).unwrap();
        let found = run.integrate(0.4, (0.4 / h + 0.5) as u32).unwrap();
        println!("chain {nb} h {h}: {found:.2} (reference {iterations})");
        assert!((found - iterations).abs() < 0.011, "chain {nb} h {h}: {found}");
    }
}

#[test]
fn double_pendulum_is_of_second_order() {
    let b = mild();
    let settings = Settings { full_matrix: true, tolerance: 1e-11, ..Settings::default() };
    let mut run = Gauss::start(b.cut(&b.pieces(2), |_| 0, 0), settings, 0.0).unwrap();
    let found = run.integrate(2.0, 400).unwrap();
    assert!((found - 4.9).abs() < 2.2, "{found}");
    let p = [
        -0.006867618954,
        -0.49995283358523,
        4.69865331056577,
        -0.12918180353963,
        -1.7409671291855,
        4.55784578580643,
    ];
    assert_near("p", run.motion().0, &p, 1e-7);
    // A stiff spring across the interface: with M alone it diverges.
    let stiff = double_pendulum(
        [40.0, 0.5, 3000.0, 50.0],
        [1.5 * std::f64::consts::PI + 0.3, 1.5 * std::f64::consts::PI + 0.3],
    );
    let mut run = Gauss::start(stiff.cut(&stiff.pieces(2), |_| 0, 0), Settings::default(), 0.0).unwrap();
    assert!(run.integrate(0.1, 10).is_err());
    let settings = Settings { full_matrix: true, ..Settings::default() };
    let mut run = Gauss::start(stiff.cut(&stiff.pieces(2), |_| 0, 0), settings, 0.0).unwrap();
    assert!(run.integrate(0.1, 10).unwrap() > 10.0, "converges, but slowly");
}
