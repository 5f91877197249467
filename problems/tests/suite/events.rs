//! Events: as accurate as the solution, at points of the method, and the run goes on behind them.

use crate::listed::Listed;
use geoms::events::{Direction, RootFunctions, Rule};
use geoms::layout::Form;
use geoms::solver::Ending;
use geoms::system::Outcome;
use geoms_problems::trial::problem;

/// p1 of the pendulum.
struct Bottom;

impl RootFunctions for Bottom {
    fn count(&self) -> usize {
        1
    }
    fn evaluate(&mut self, _t: f64, x: &[f64], values: &mut [f64]) -> Outcome {
        values[0] = x[3];
        Outcome::Continue
    }
}

/// The pendulum released from the horizontal passes the bottom after a quarter of its period; reflected there, it takes as
/// long back, and ends at the height of the start.
pub fn check(method: &Listed) {
    let problem = problem("pendulum-iftomm");
    let exact = problem.exact.clone().expect("closed form");
    let (mut low, mut high) = (0.1, 1.0);
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        *(if exact(middle)[3] < 0.0 { &mut low } else { &mut high }) = middle;
    }
    let form = Form::StrangenessFree;
    let options = method.options(&problem, form);
    let mut system = problem.system(form, true);
    let mut errors = Vec::new();
    for tol in [method.tol, 1e-2 * method.tol] {
        let mut solver = method.start(&mut *system, &problem, &options, (tol, 0.0)).expect(method.name);
        let rule = Rule { terminal: true, direction: Direction::Rising };
        solver.watch(&mut Bottom, &[rule], 0.0).expect("watch");
        let ending = solver.integrate(&mut *system, None, Some(&mut Bottom), 2.0).expect(method.name);
        let Ending::Event(hit) = ending else { panic!("{}: {ending:?}", method.name) };
        assert_eq!((hit.index, hit.t), (0, solver.t()));
        assert!(solver.x()[3].abs() < 1e-2 * tol.sqrt(), "{}: {:e}", method.name, solver.x()[3]);
        let error = (solver.t() - low).abs();
        // Saved at the event and resumed, it is not found again.
        let saved = solver.save();
        solver.restore(&saved).expect("its own state");
        let (t, mut x) = (solver.t(), solver.x().to_vec());
        (x[1], x[2]) = (-x[1], -x[2]);
        solver.move_to(&mut *system, t, &x).expect("restart");
        solver.rewatch(&mut Bottom).expect("watch");
        let ending = solver.integrate(&mut *system, None, Some(&mut Bottom), 2.0 * low).expect(method.name);
        assert_eq!(ending, Ending::Reached, "{}", method.name);
        let order = f64::from(method.features.orders[method.nth]);
        // A method of order k has an error of about TOL^(k/(k+1)) or better.
        let bound = 100.0 * tol.powf(order / (order + 1.0));
        println!(
            "{} {tol:e}: time of the event {error:.1e}, height after it {:.1e}",
            method.name,
            solver.x()[3] + 1.0
        );
        assert!(
            error < bound && (solver.x()[3] + 1.0).abs() < bound,
            "{}: {error:e} {:?}",
            method.name,
            solver.x()
        );
        errors.push(error);
    }
    assert!(errors[1] < 0.5 * errors[0] || errors[1] < 1e-10, "{}: {errors:?}", method.name);
}
