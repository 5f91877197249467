//! The interface variant against the reference values of an independent program (Python, dense, one process) and against one domain.

use crate::harness::*;
use crate::planar::*;
use geoms::gluing::{Glued, Projection, Settings, Topology};

/// The doubles of one step by the formula: m_k² for every matrix, 2 m_k for every iteration, and once more both for the projection.
fn expected_doubles(rows: &[u64], constraint_rows: &[u64], glued: &Glued<'_>, project: Projection) -> u64 {
    let s = glued.statistics();
    let each = |m: &[u64], matrices: u64, iterations: u64| -> u64 {
        m.iter().map(|m| matrices * m * m + iterations * 2 * m).sum()
    };
    let projections = if project == Projection::None { 0 } else { s.steps };
    each(rows, s.refreshes, s.iterations) + each(constraint_rows, projections, projections)
}

struct Row {
    project: Projection,
    steps: u32,
    errors: [f64; 2],
    iterations: f64,
    doubles: u64,
}

#[test]
fn four_bar_as_three_subdomains() {
    let rows = [
        (false, 50, [0.0605750199381, 0.4066771662852], 5.94, 143),
        (false, 100, [0.0156920330345, 0.006481174229], 3.38, 80),
        (false, 200, [0.0039021206145, 0.0015929719662], 2.37, 62),
        (false, 400, [0.0009726907155, 0.0003951424402], 2.12, 58),
        (true, 50, [0.0666608691238, 0.0008041444895], 3.72, 124),
        (true, 100, [0.016152228613, 0.0004485410499], 3.06, 113),
        (true, 200, [0.0039613589627, 0.0001959478018], 2.15, 98),
        (true, 400, [9.8018002522693e-4, 5.9447988032701e-5], 2.04, 97),
    ];
    let rows = rows.map(|(project, steps, errors, iterations, doubles)| Row {
        project: if project { Projection::Continued } else { Projection::None },
        steps,
        errors,
        iterations,
        doubles,
    });
    let (b, (angle, rate)) = (four_bar(), four_bar_angle(2.0));
    for row in rows {
        let parts = b.pieces(3);
        let glued = run(&b, &parts, fixed(row.project), 2.0, row.steps);
        let one = run(&b, &b.all(), fixed(row.project), 2.0, row.steps);
        let name = format!("project {:?} N {}", row.project, row.steps);
        let ((v, p), (v1, p1)) = (motion(&glued, &parts), motion(&one, &b.all()));
        assert_near(&name, &[p[2] - angle, v[2] - rate].map(f64::abs), &row.errors, 1e-9);
        assert_near(&name, &p, &p1, 1e-11);
        assert_near(&name, &v, &v1, 1e-11);
        // Near the stretched positions round-off decides about the last iteration.
        for g in [&glued, &one] {
            assert!(
                (iterations_per_step(g) - row.iterations).abs() < 0.025,
                "{name}: {}",
                iterations_per_step(g)
            );
        }
        let doubles = glued.statistics().interface_doubles;
        assert_eq!(doubles, expected_doubles(&[2, 4, 2], &[2, 4, 2], &glued, row.project));
        assert!(doubles.div_ceil(u64::from(row.steps)).abs_diff(row.doubles) <= 2, "{name}: {doubles}");
    }
}

#[test]
fn four_bar_values() {
    let b = four_bar();
    let parts = b.pieces(3);
    let p = [
        5.7103860112834e-2,
        4.9672844609526e-1,
        1.4022709476021e1,
        1.1142077202257,
        9.9345689219052e-1,
        0.0,
        2.0571038601128,
    ];
    let v = [
        -3.0481948060547,
        3.5037285350876e-1,
        6.1285559848024,
        -6.0963896121094,
        7.0074570701739e-1,
        0.0,
        -3.0481948060546,
    ];
    let lambda = [
        60.323827211578,
        561.5625549111464,
        -39.5448273395143,
        -374.3750366083267,
        43.5711721488,
        374.3750366088659,
        64.3501720195949,
        561.5625549142947,
    ];
    let glued = run(&b, &parts, fixed(Projection::None), 2.0, 100);
    let found = motion(&glued, &parts);
    assert_near("p", &found.1[..7], &p, 1e-11);
    assert_near("v", &found.0[..7], &v, 1e-11);
    let of = |k: usize| glued.state(k).unwrap()[..2].to_vec();
    let forces =
        [of(0), glued.joint_force(0).unwrap().to_vec(), glued.joint_force(1).unwrap().to_vec(), of(2)]
            .concat();
    // The last iteration changes accelerations by 1e-10 relative to 400.
    assert_near("lambda", &forces, &lambda, 1e-7);
    let p = [
        5.7332446292676e-2,
        4.9670211455368e-1,
        1.4022249280442e1,
        1.1146648925854,
        9.9340422910736e-1,
        0.0,
        2.0573324462927,
    ];
    let v = [
        -3.0475087210443,
        3.5176240437939e-1,
        6.1354857000813,
        -6.0950174420885,
        7.0352480875877e-1,
        0.0,
        -3.0475087210443,
    ];
    let glued = run(&b, &parts, fixed(Projection::Continued), 2.0, 100);
    let found = motion(&glued, &parts);
    assert_near("p, projected", &found.1[..7], &p, 1e-11);
    assert_near("v, projected", &found.0[..7], &v, 1e-11);
}

/// A spring between the rods crosses the interface.
#[test]
fn double_pendulum_as_two_subdomains() {
    let b = mild();
    let parts = b.pieces(2);
    let glued = run(&b, &parts, fixed(Projection::None), 2.0, 400);
    let one = run(&b, &b.all(), fixed(Projection::None), 2.0, 400);
    let (found, whole) = (motion(&glued, &parts), motion(&one, &b.all()));
    assert_near("p", &found.1, &whole.1, 1e-12);
    assert_near("v", &found.0, &whole.0, 1e-12);
    assert!(
        (iterations_per_step(&glued) - 3.42).abs() < 0.005
            && (iterations_per_step(&one) - 3.42).abs() < 0.005
    );
    let p = [
        -0.0067502762976,
        -0.4999544316934,
        4.698888017643,
        -0.1295831582605,
        -1.7408709600301,
        4.556987445882,
    ];
    let v = [
        -7.8475664459694e-3,
        1.0559764691119e-4,
        -1.5696553801758e-2,
        2.4634910724762,
        -3.8858414451842e-1,
        3.3459018698616,
    ];
    let lambda = [6.036417852128, -34.1923651085694, -3.748732439678, -4.6306540293266];
    assert_near("p", &found.1, &p, 1e-11);
    assert_near("v", &found.0, &v, 1e-11);
    let forces = [&glued.state(0).unwrap()[..2], glued.joint_force(0).unwrap()].concat();
    assert_near("lambda", &forces, &lambda, 1e-8);
    // The spring's own force.
    let torque = 30.0 * (found.1[5] - found.1[2]) + 0.2 * (found.0[5] - found.0[2]);
    assert_near("torque", glued.joint_force(1).unwrap(), &[torque], 1e-9);
    assert_eq!(
        glued.statistics().interface_doubles,
        expected_doubles(&[3, 3], &[2, 2], &glued, Projection::None)
    );
    let projected = run(&b, &parts, fixed(Projection::Continued), 2.0, 400);
    let p = [
        -0.006749091418,
        -0.49995444769,
        4.6988903876181,
        -0.1295696478351,
        -1.7408727372866,
        4.5570024812708,
    ];
    assert_near("p, projected", &motion(&projected, &parts).1, &p, 1e-11);
    assert_eq!(
        projected.statistics().interface_doubles,
        expected_doubles(&[3, 3], &[2, 2], &projected, Projection::Continued)
    );
}

/// Order 2 in positions, velocities and forces, against the accurate solution of the problem set.
#[test]
fn second_order_in_p_v_and_lambda() {
    let exact = geoms_problems::by_name("double-pendulum-rods").unwrap();
    let reference: Vec<f64> = exact.references[0].values.iter().map(|v| v.1).collect();
    let b = mild();
    let parts = b.pieces(2);
    for project in [Projection::None, Projection::Result] {
        let errors: Vec<[f64; 3]> = [200, 400, 800]
            .iter()
            .map(|&n| {
                let glued = run(&b, &parts, fixed(project), 2.0, n);
                let (v, p) = motion(&glued, &parts);
                let lambda = [&glued.state(0).unwrap()[..2], glued.joint_force(0).unwrap()].concat();
                [
                    largest_difference(&p, &reference[10..16]),
                    largest_difference(&v, &reference[4..10]),
                    largest_difference(&lambda, &reference[..4]),
                ]
            })
            .collect();
        for k in 0..3 {
            for pair in errors.windows(2) {
                let order = (pair[0][k] / pair[1][k]).log2();
                assert!(
                    (1.9..2.2).contains(&order),
                    "project {project:?}, quantity {k}: order {order}, {errors:?}"
                );
            }
        }
    }
}

/// The iteration count does not depend on the stiffness of what crosses the interface, is that of one domain, and that of the reference: the stiff
/// double pendulum with other springs between its rods.
#[test]
fn stiff_crossing_springs() {
    let rows = [
        (300.0, 5.0, [4.00, 2.69]),
        (3000.0, 50.0, [3.95, 2.69]),
        (30000.0, 500.0, [4.15, 2.69]),
        (3e5, 5e4, [4.50, 2.71]),
    ];
    let angle = 1.5 * std::f64::consts::PI + 0.3;
    for (k, c, expected) in rows {
        let b = double_pendulum([400.0, 15.0, k, c], [angle, angle]);
        let parts = b.pieces(2);
        for (steps, expected) in [(20, expected[0]), (200, expected[1])] {
            let glued = run(&b, &parts, fixed(Projection::None), 0.2, steps);
            let one = run(&b, &b.all(), fixed(Projection::None), 0.2, steps);
            let its = [iterations_per_step(&glued), iterations_per_step(&one)];
            println!("k {k} h {}: {its:?} expected {expected}", 0.2 / f64::from(steps));
            // Round-off decides about the last iteration of one or two steps.
            assert!(its.iter().all(|i| (i - expected).abs() < 0.0151), "k {k} {steps} steps: {its:?}");
            assert_near("p", &motion(&glued, &parts).1, &motion(&one, &b.all()).1, 1e-11);
        }
    }
}

#[test]
fn chains_of_many_subdomains() {
    let tip = [
        3.2605008150751,
        -1.2268187066476,
        0.0073750374954,
        -2.8517667407723,
        -4.918064874725,
        0.1435520936622,
    ];
    let b = chain(8);
    let one = run(&b, &b.all(), fixed(Projection::Continued), 0.5, 100);
    for (count, doubles) in [(2, 53), (4, 192), (8, 469)] {
        for topology in [Topology::Flat, Topology::Bisection, Topology::Neighbour, Topology::Dissection] {
            let parts = b.pieces(count);
            let settings = Settings { topology, ..fixed(Projection::Continued) };
            let glued = run(&b, &parts, settings, 0.5, 100);
            let (v, p) = motion(&glued, &parts);
            assert_near("tip", &[&p[21..], &v[21..]].concat(), &tip, 1e-11);
            let whole = motion(&one, &b.all());
            assert_near("p", &p, &whole.1, 1e-11);
            assert_near("v", &v, &whole.0, 1e-11);
            assert!((iterations_per_step(&glued) - iterations_per_step(&one)).abs() <= 0.011, "{count}");
            let rows: Vec<u64> =
                (0..count).map(|k| 2 * (u64::from(k > 0) + u64::from(k + 1 < count))).collect();
            let found = glued.statistics().interface_doubles;
            assert_eq!(found, expected_doubles(&rows, &rows, &glued, Projection::Continued));
            assert!(found.abs_diff(100 * doubles) < 150, "{count}: {found}");
        }
    }
}

#[test]
fn iterations_do_not_depend_on_the_number_of_subdomains() {
    let b = chain(16);
    let one = run(&b, &b.all(), fixed(Projection::Continued), 0.5, 100);
    for count in [2, 4, 8, 16] {
        let parts = b.pieces(count);
        let glued = run(&b, &parts, fixed(Projection::Continued), 0.5, 100);
        println!(
            "16 rods, {count} subdomains: {:.2} iterations per step, {} doubles per step",
            iterations_per_step(&glued),
            glued.statistics().interface_doubles / 100
        );
        assert!((iterations_per_step(&glued) - iterations_per_step(&one)).abs() <= 0.011);
        assert_near("p", &motion(&glued, &parts).1, &motion(&one, &b.all()).1, 1e-11);
    }
}

/// Generalised-α of the one-domain solver of this library is another implementation of the same scheme.
#[test]
fn agrees_with_the_solver_of_one_model() {
    use geoms::integrate::{integrate, Integration};
    use geoms::norm::Tolerance;
    use geoms::options::{Family, MassStructure, MethodKind, Options};
    let b = mild();
    let mut model = Model::new(b.clone());
    let options = Options {
        method: MethodKind::Hht,
        family: Family::GeneralizedAlpha,
        fixed_step: true,
        form: geoms::layout::Form::Index1,
        mass: MassStructure::ConstantDiagonal,
        consistent: true,
        ..Options::default()
    };
    let (mut t, mut x, mut h) = (0.0, model.initial(), 0.005);
    let tolerance = Tolerance::scalar(1e-13, 1e-13);
    let run_ = Integration { system: &mut model, observer: None, options: &options, tolerance: &tolerance };
    integrate(run_, &mut t, &mut x, &mut h, 2.0, &mut geoms::stats::Stats::default()).unwrap();
    let parts = b.pieces(2);
    let glued = run(&b, &parts, fixed(Projection::None), 2.0, 400);
    assert_near("p", &motion(&glued, &parts).1, &x[10..], 1e-11);
    assert_near("v", &motion(&glued, &parts).0, &x[4..10], 1e-11);
}
