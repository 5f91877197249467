//! Through positions where the constraints lose rank, over ten seconds: rows of four-bars reach the end on their branch, and the
//! error falls at least with the square of the step.

use crate::harness::{fixed_for, run};
use geoms::layout::Form;
use geoms::options::{NewmarkScheme, Options, Singular};
use geoms_problems::four_bar::natural;
use geoms_problems::Problem;

/// Largest error of the positions at the end.
fn error(problem: &Problem, scheme: NewmarkScheme, steps: u32) -> f64 {
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = Options { singular: Singular::Pass, ..fixed_for(problem, scheme) };
    let h = problem.tend / f64::from(steps);
    let solver = run(&mut *system, &options, (&problem.x0, h, problem.tend), |_, _| {}).expect(&problem.name);
    assert_eq!(solver.t(), problem.tend);
    let exact = problem.exact.as_ref().expect("a closed form")(problem.tend);
    let p = problem.layout(Form::StrangenessFree).x.p;
    p.range().fold(0.0f64, |m, i| m.max((solver.x()[i] - exact[i]).abs()))
}

/// Steps that end within some 1e-5 s of such a position, where accelerations are lost to rounding, are among those of N=2 with 2857 steps.
#[test]
fn four_bars_over_ten_seconds() {
    for n in [1, 2, 10] {
        for scheme in [NewmarkScheme::FoxGoodwin, NewmarkScheme::Trapezoidal] {
            let problem = natural("row", n, 10.0);
            let errors = [1000, 2000, 4000].map(|steps| error(&problem, scheme, steps));
            // Both from the longest steps: which of the others pass a position closely depends on rounding errors, and the error by a factor.
            let orders = [(errors[0] / errors[1]).log2(), 0.5 * (errors[0] / errors[2]).log2()];
            println!("N={n} {scheme:?}: errors {errors:?}, orders {orders:.2?}");
            assert!(orders.iter().all(|order| *order > 1.8) && errors[2] < 5e-3, "{orders:?}");
        }
    }
    let near = error(&natural("row", 2, 10.0), NewmarkScheme::FoxGoodwin, 2857);
    assert!(near < 1e-2, "{near:e}");
}
