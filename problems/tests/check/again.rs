//! Runs in the memory of others: a model that was found clear is not looked at again before it moves, and one that has changed is.

use super::handle;
use super::slips::Spoilt;
use geoms::layout::Form;
use geoms::norm::Tolerance;
use geoms::options::Options;
use geoms::solver::Solver;
use geoms_problems as testset;

#[test]
fn a_clear_model_is_looked_at_once_before_it_moves() {
    let problem = testset::by_name("pendulum-2.8").expect("pendulum");
    let model = || problem.system(Form::StrangenessFree, true);
    let mut right = Spoilt::rows(model(), |_, _, _, _| {});
    // The initial values stay consistent.
    let mut wrong = Spoilt::rows(model(), |s, t, x, rda| {
        let square: f64 = s.l.x.v.of(x).iter().map(|v| v * v).sum();
        s.l.rda.g_acceleration.of_mut(rda)[0] += t * square;
    });
    let (options, tolerance) = (Options::default(), Tolerance::scalar(1e-6, 1e-6));
    let start = (problem.t0, &problem.x0[..], 0.0);

    let solver = Solver::start(&mut right, &options, &tolerance, start).expect("start");
    let looked = solver.stats().eom_for_checks;
    assert!(looked > 0);
    // Nothing is known of a model that has not moved.
    let mut solver = solver.start_again(&mut right, &options, &tolerance, start).expect("again");
    assert_eq!(solver.stats().eom_for_checks, looked);
    solver.integrate(&mut right, None, None, problem.tend).expect("run");
    let (end, saved) = (solver.x().to_vec(), solver.save());

    let mut solver = solver.start_again(&mut right, &options, &tolerance, start).expect("again");
    assert_eq!(solver.stats().eom_for_checks, 0);
    solver.integrate(&mut right, None, None, problem.tend).expect("run");
    assert_eq!(solver.x(), &end[..]);
    assert!(solver.take_warnings().is_empty());

    // A saved state does not say what was seen.
    let solver = Solver::resume(&mut right, &options, &tolerance, &saved).expect("resume");
    let solver = solver.start_again(&mut right, &options, &tolerance, start).expect("again");
    assert_eq!(solver.stats().eom_for_checks, looked);

    // Said to have changed, it is looked at from the start; if not, as soon as it moves.
    for told in [true, false] {
        let mut solver = Solver::start(&mut right, &options, &tolerance, start).expect("start");
        solver.integrate(&mut right, None, None, problem.tend).expect("run");
        if told {
            solver.distrust();
        }
        let mut solver = solver.start_again(&mut wrong, &options, &tolerance, start).expect("again");
        assert_eq!(solver.stats().eom_for_checks > 0, told);
        let _ = solver.integrate(&mut wrong, None, None, problem.tend);
        let warnings = solver.take_warnings();
        assert!(warnings.iter().any(|w| w.contains("gII")), "{told} {warnings:?}");
        // What was found is not forgotten: the next run begins with a look.
        let solver = solver.start_again(&mut right, &options, &tolerance, start).expect("again");
        assert!(solver.stats().eom_for_checks > 0);
    }
}

#[test]
fn a_handle_looks_again_at_what_was_set_anew() {
    let problem = testset::by_name("pendulum-2.8").expect("pendulum");
    let mut solver = handle::Solver::new(problem.system(Form::StrangenessFree, true), Form::StrangenessFree);
    let looks = |solver: &handle::Solver| {
        assert_eq!(solver.start(problem.t0, &problem.x0), 0);
        let before = solver.counter("eom_for_checks");
        assert_eq!(solver.integrate(problem.tend), 0);
        before
    };
    assert!(looks(&solver) > 0);
    assert_eq!(looks(&solver), 0);
    solver.set_user_again();
    assert!(looks(&solver) > 0);
    assert_eq!(looks(&solver), 0);
}
