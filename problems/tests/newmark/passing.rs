//! Through positions where the constraints lose rank, over ten seconds: all four-bar mechanisms reach the end on their branch, and the
//! error falls with the square of the step.

use crate::harness::{fixed_for, run};
use geoms::layout::Form;
use geoms::options::{NewmarkScheme, Options, Singular};
use geoms_problems::four_bar::{natural, relative};
use geoms_problems::Problem;

/// Largest error of the positions at the end.
fn error(problem: &Problem, scheme: NewmarkScheme, steps: u32) -> f64 {
    let mut system = problem.system(Form::StrangenessFree, true);
    let options = Options { singular: Singular::Always, ..fixed_for(problem, scheme) };
    let h = problem.tend / f64::from(steps);
    let solver = run(&mut *system, &options, (&problem.x0, h, problem.tend), |_, _| {}).expect(&problem.name);
    assert_eq!(solver.t(), problem.tend);
    let exact = problem.exact.as_ref().expect("a closed form")(problem.tend);
    let p = problem.layout(Form::StrangenessFree).x.p;
    p.range().fold(0.0f64, |m, i| m.max((solver.x()[i] - exact[i]).abs()))
}

#[test]
fn four_bars_over_ten_seconds() {
    for (problem, steps) in [
        (natural("one", 1, 10.0), [1000, 2000, 4000]),
        (natural("two", 2, 10.0), [1000, 2000, 4000]),
        (natural("ten", 10, 10.0), [1000, 2000, 4000]),
        (relative("relative", 2.0), [500, 1000, 2000]),
    ] {
        for scheme in [NewmarkScheme::FoxGoodwin, NewmarkScheme::Trapezoidal] {
            let errors = steps.map(|steps| error(&problem, scheme, steps));
            let orders = [0, 1].map(|k| (errors[k] / errors[k + 1]).log2());
            println!("{} {scheme:?}: errors {errors:?}, orders {orders:.2?}", problem.name);
            assert!(orders.iter().all(|order| *order > 1.8), "{orders:?}");
        }
    }
}
