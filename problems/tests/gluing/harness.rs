//! Runs and comparisons.

use crate::planar::Bodies;
use geoms::gluing::{Glued, Projection, Settings};

pub fn fixed(project: Projection) -> Settings {
    Settings { project, fixed_step: true, ..Settings::default() }
}

/// A run in steps of constant size, in one process.
pub fn run<'s>(
    bodies: &Bodies,
    parts: &[Vec<usize>],
    settings: Settings,
    tend: f64,
    steps: u32,
) -> Glued<'s> {
    let assembly = bodies.cut(parts, |_| 0, 0);
    let mut glued = Glued::alone(assembly, settings, 0.0, tend / f64::from(steps)).unwrap();
    glued.integrate(tend).unwrap();
    assert_eq!(glued.statistics().steps, u64::from(steps));
    glued
}

/// (v, p) of all bodies in their order.
pub fn motion(glued: &Glued<'_>, parts: &[Vec<usize>]) -> (Vec<f64>, Vec<f64>) {
    let bodies: usize = parts.iter().map(Vec::len).sum();
    let (mut v, mut p) = (vec![f64::NAN; 3 * bodies], vec![f64::NAN; 3 * bodies]);
    for (k, part) in parts.iter().enumerate() {
        let x = glued.state(k).unwrap();
        let n = 3 * part.len();
        let (vs, ps) = (&x[x.len() - 2 * n..x.len() - n], &x[x.len() - n..]);
        for (i, body) in part.iter().enumerate() {
            v[3 * body..3 * body + 3].copy_from_slice(&vs[3 * i..3 * i + 3]);
            p[3 * body..3 * body + 3].copy_from_slice(&ps[3 * i..3 * i + 3]);
        }
    }
    (v, p)
}

pub fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| if (a - b).is_nan() { f64::NAN } else { m.max((a - b).abs()) })
}

pub fn assert_near(name: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let difference = largest_difference(found, expected);
    assert!(difference < tolerance, "{name}: {difference:e}\n{found:?}\n{expected:?}");
}

pub fn iterations_per_step(glued: &Glued<'_>) -> f64 {
    let s = glued.statistics();
    s.iterations as f64 / s.steps as f64
}
