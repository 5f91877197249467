//! The double pendulum with an eigenvalue of -4e5: stable at steps where an explicit method of the same order is not.

use crate::harness::{distance, fixed, options, problem};
use geoms::layout::Form;
use geoms::methods::rosenbrock::Rosenbrock;
use geoms::norm::Tolerance;

const FREE: Form = Form::StrangenessFree;

/// A step of the classical Runge-Kutta method of order 4 on the same reduced equations.
fn classical(f: &mut dyn FnMut(f64, &[f64]) -> Vec<f64>, t: f64, z: &[f64], h: f64) -> Vec<f64> {
    let moved = |k: &[f64], part: f64| z.iter().zip(k).map(|(z, k)| z + part * h * k).collect::<Vec<_>>();
    let k1 = f(t, z);
    let k2 = f(t + 0.5 * h, &moved(&k1, 0.5));
    let k3 = f(t + 0.5 * h, &moved(&k2, 0.5));
    let k4 = f(t + h, &moved(&k3, 1.0));
    (0..z.len()).map(|i| z[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).collect()
}

#[test]
fn stable_where_an_explicit_method_is_not() {
    let problem = problem("double-pendulum-stiff");
    let layout = problem.layout(FREE);
    let options = options(&problem, FREE);
    let reference = fixed(&problem, &options, 2560, |_| {}).good("reference").x;
    let runs: Vec<[f64; 2]> = [10, 20, 40, 80, 160]
        .iter()
        .map(|&n| {
            let x = fixed(&problem, &options, n, |_| {}).good("stiff").x;
            [layout.x.p, layout.x.v].map(|block| distance(block, &x, &reference))
        })
        .collect();
    println!("stiff rods, errors of p and v for 10 to 160 steps: {runs:?}");
    let orders: Vec<f64> = runs.windows(2).map(|e| (e[0][0] / e[1][0]).log2()).collect();
    assert!(orders.last().is_some_and(|o| (3.8..4.1).contains(o)), "{orders:?}");
    assert!(runs[0][0] < 2e-3, "already ten steps are good: {runs:?}");

    // The same equations by the classical method: |λ h| must stay below 2.8.
    let mut system = problem.system(FREE, true);
    let h = problem.tend / 160.0;
    let tolerance = Tolerance::scalar(1e-6, 1e-6);
    let mut method = Rosenbrock::new(&layout, &options, &tolerance, true, (0.0, &problem.x0, h));
    let space = method.state_space(&mut *system, h).expect("the start");
    let trace: f64 = (0..4).map(|i| space.jacobian[i * 5]).sum();
    assert!(trace < -4e5, "the eigenvalue: {trace}");
    let mut explicit = |h: f64| {
        // Off the equilibrium of the stiff mode by a millionth.
        let mut z = space.z.clone();
        z[1] += 1e-6;
        let mut f = |t: f64, z: &[f64]| method.rate_at(&mut *system, t, z, h).unwrap_or(vec![f64::NAN; 4]);
        let mut sizes = Vec::new();
        for _ in 0..4 {
            z = classical(&mut f, 0.0, &z, h);
            sizes.push(space.rate.len() as f64 * (z[3] - z[2]).abs());
        }
        sizes
    };
    let unstable = explicit(h);
    assert!(unstable.iter().any(|s| s.is_nan() || *s > 1e3), "h = {h}: {unstable:?}");
    let stable = explicit(5e-6);
    assert!(stable.iter().all(|s| *s < 10.0), "below the limit of stability: {stable:?}");
}
