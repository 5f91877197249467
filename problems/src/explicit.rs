//! Independent reference solutions for the tests: extrapolation of the explicit midpoint rule (Gragg,
//! Bulirsch, Stoer) on explicit differential equations.

use geoms::layout::{Form, Layout};
use geoms::mechanism::dual::solve_in_place;
use geoms::system::{Outcome, System};

/// Integrate y' = f(t, y) from t0 with `steps` equal steps of order 16.
pub(super) fn integrate(
    mut f: impl FnMut(f64, &[f64]) -> Vec<f64>,
    t0: f64,
    tend: f64,
    y0: &[f64],
    steps: usize,
) -> Vec<f64> {
    let h = (tend - t0) / steps as f64;
    let mut y = y0.to_vec();
    for step in 0..steps {
        let t = t0 + step as f64 * h;
        let mut table: Vec<Vec<f64>> = Vec::new();
        for k in 1..=8 {
            let mut row = midpoint(&mut f, t, h, &y, 2 * k);
            for j in 1..k {
                // Aitken and Neville in powers of the squared step.
                let ratio = (k as f64 / (k - j) as f64).powi(2);
                let lower = &table[j - 1];
                let next: Vec<f64> =
                    row.iter().zip(lower).map(|(a, b)| a + (a - b) / (ratio - 1.0)).collect();
                table[j - 1] = row;
                row = next;
            }
            table.push(row);
        }
        y = table.swap_remove(7);
    }
    y
}

/// Midpoint rule with n substeps; even n gives an expansion in h².
fn midpoint(f: &mut impl FnMut(f64, &[f64]) -> Vec<f64>, t: f64, h: f64, y: &[f64], n: usize) -> Vec<f64> {
    let d = h / n as f64;
    let mut old = y.to_vec();
    let mut new: Vec<f64> = y.iter().zip(f(t, y)).map(|(a, b)| a + d * b).collect();
    for i in 1..n {
        let slope = f(t + i as f64 * d, &new);
        let next = old.iter().zip(slope).map(|(a, b)| a + 2.0 * d * b).collect();
        old = std::mem::replace(&mut new, next);
    }
    new
}

/// x with λ, μ solved from the rows gII, hI at the given positions and velocities; these rows are
/// linear in the multipliers, so that differences are exact.
pub(super) fn settle(system: &mut dyn System, t: f64, x: &mut [f64], rda: &mut [f64]) {
    let layout = Layout::new(system.dimensions(), Form::StrangenessFree);
    let n = layout.n1();
    assert_eq!(system.eom(t, x, rda), Outcome::Continue);
    let mut step = rda[..n].to_vec();
    let mut matrix = vec![0.0; n * n];
    for j in 0..n {
        let (kept, shift) = (x[j], x[j].abs().max(1.0));
        x[j] += shift;
        assert_eq!(system.eom(t, x, rda), Outcome::Continue);
        x[j] = kept;
        for i in 0..n {
            matrix[i + j * n] = (rda[i] - step[i]) / shift;
        }
    }
    solve_in_place(n, &mut matrix, &mut step);
    x.iter_mut().zip(step).for_each(|(xi, d)| *xi -= d);
    assert_eq!(system.eom(t, x, rda), Outcome::Continue);
}

/// Solution at `tend` of the index-1 equations: x' of r, v, p with multipliers solved at every call.
pub(super) fn solve_index1(
    system: &mut dyn System,
    t0: f64,
    tend: f64,
    x0: &[f64],
    steps: usize,
) -> Vec<f64> {
    let layout = Layout::new(system.dimensions(), Form::StrangenessFree);
    let (first, nv) = (layout.x.r.start, layout.dims.nv);
    let mut rda = vec![0.0; layout.m];
    let mut x = x0.to_vec();
    let y = integrate(
        |t, y| {
            x[first..].copy_from_slice(y);
            settle(system, t, &mut x, &mut rda);
            let mut mass = vec![0.0; nv * nv];
            assert_eq!(system.mass(t, &x, &mut mass), Outcome::Continue);
            let mut vdot = layout.rda.f_dyn.of(&rda).to_vec();
            solve_in_place(nv, &mut mass, &mut vdot);
            [layout.rda.b.of(&rda), &vdot, layout.rda.f_kin.of(&rda)].concat()
        },
        t0,
        tend,
        &x0[first..],
        steps,
    );
    let mut x = [&x0[..first], &y[..]].concat();
    settle(system, tend, &mut x, &mut rda);
    x
}
