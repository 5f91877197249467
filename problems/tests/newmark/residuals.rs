//! Double pendulums at h = 5e-4 and DP-mild: norms of g, gI and gII over the run.

use crate::harness::{fixed_for, problem, run};
use geoms::layout::{Block, Form};
use geoms::mechanism::dual::solve_in_place;
use geoms::options::NewmarkScheme;
use geoms::solver::Solver;
use geoms::system::{JacobianBlocks, System};

/// Largest norms of g, gI, gII at accepted points; and of gII for the best multipliers that can be stored there, found by Newton's
/// method on the rows themselves: what their evaluation leaves.
fn norms(name: &str, h: f64) -> [f64; 4] {
    let problem = problem(name);
    let l = problem.layout(Form::StrangenessFree);
    let mut system = problem.system(Form::StrangenessFree, true);
    let (mut rda, mut most) = (vec![0.0; l.m], [0.0f64; 4]);
    let mut fx = JacobianBlocks::new(&l);
    let norm = |block: Block, rda: &[f64]| block.of(rda).iter().fold(0.0f64, |s, v| s.hypot(*v));
    let look = |system: &mut dyn System, s: &Solver| {
        let _ = system.eom(s.t(), s.x(), &mut rda);
        let levels = [l.rda.g, l.rda.g_velocity, l.rda.g_acceleration];
        most.iter_mut().zip(levels).for_each(|(m, level)| *m = m.max(norm(level, &rda)));
        let (mut x, mut least) = (s.x().to_vec(), f64::INFINITY);
        let _ = system.jacobian(s.t(), &x, &mut fx);
        for _ in 0..4 {
            let _ = system.eom(s.t(), &x, &mut rda);
            let mut step = l.rda.g_acceleration.of(&rda).to_vec();
            least = least.min(norm(l.rda.g_acceleration, &rda));
            let mut matrix = fx.fx[0][..l.m1() * l.dims.nl].to_vec();
            solve_in_place(l.dims.nl, &mut matrix, &mut step);
            l.x.lambda.of_mut(&mut x).iter_mut().zip(step).for_each(|(x, d)| *x += d);
        }
        most[3] = most[3].max(least);
    };
    let options = fixed_for(&problem, NewmarkScheme::FoxGoodwin);
    run(&mut *system, &options, (&problem.x0, h, problem.tend), look).expect(name);
    let [g, velocity, acceleration, least] = most;
    println!("{name} h {h}: |g| {g:.1e} |gI| {velocity:.1e} |gII| {acceleration:.1e}, at best {least:.1e}");
    most
}

#[test]
fn constraints_hold_on_all_three_levels() {
    let [g, velocity, acceleration, _] = norms("double-pendulum-springs", 5e-4);
    assert!(g < 5e-14 && velocity < 5e-14 && acceleration < 1e-10);
    let [g, velocity, acceleration, _] = norms("double-pendulum-rods", 2.5e-3);
    assert!(g < 1e-13 && velocity < 1e-13 && acceleration < 1e-13);
}

/// Contact variables follow the positions by c = 0, which is met as exactly as the constraints.
#[test]
fn contact_equations_hold() {
    let problem = problem("cycloid");
    let l = problem.layout(Form::StrangenessFree);
    let mut system = problem.system(Form::StrangenessFree, true);
    let (mut rda, mut most, mut moved) = (vec![0.0; l.m], 0.0f64, 0.0f64);
    let options = fixed_for(&problem, NewmarkScheme::FoxGoodwin);
    run(&mut *system, &options, (&problem.x0, 1e-2, 1.0), |system, s| {
        let _ = system.eom(s.t(), s.x(), &mut rda);
        most = l.rda.c.of(&rda).iter().fold(most, |m, c| m.max(c.abs()));
        moved = moved.max((l.x.s.of(s.x())[0] - l.x.s.of(&problem.x0)[0]).abs());
    })
    .expect("cycloid");
    println!("cycloid: |c| {most:.1e}, s moves by {moved:.1e}");
    assert!(most < 1e-13 && moved > 0.1, "{most} {moved}");
}
