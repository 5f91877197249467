//! Turns of the velocity on which lengths within the tolerance decide.
//!
//! Where the constraints lose rank two branches of the motion cross. Lengths that differ by ε from those with which they cross part
//! them into hyperbolas: the motion turns from one branch to the other, with a radius of about √ε in the size of the mechanism. If ε is
//! within the tolerance, the errors of the run and not the model have chosen the branch. The turn itself is resolved: it fails the
//! error test in longer steps. So one step shows it.

use crate::layout::{Block, Layout};

/// The sine of the angle by which the velocity turns in a step; less is nothing.
const TURN: f64 = 5e-3;
/// The same in units of RTOL, below which it is an error of v.
const ERROR: f64 = 10.0;
/// The square of a radius that the tolerance explains, relative to the size of the mechanism, in units of RTOL.
const EXPLAINED: f64 = 0.05;
/// The constraints are next to a rank loss with a smallest magnitude of so many of these radii.
const NEXT_TO: f64 = 10.0;
/// A turn keeps the speed up to this factor in a step; what begins to move or comes to rest does not.
const SPEED: f64 = 2.0;

/// What a failure says of it.
pub(super) const REASON: &str =
    "the velocity turns so sharply that lengths which differ by less than the tolerance decide on the branch";

/// The smallest magnitude of constraints below which a turn is one between the branches of a rank loss.
pub(super) fn next_to(rtol: f64) -> f64 {
    NEXT_TO * (EXPLAINED * rtol).sqrt()
}

/// True if the velocity turns in the step to x, in which component k changes by `change(k)`, with a radius that the tolerance RTOL
/// explains. `typical` is ATOL/RTOL.
pub(super) fn is_explained(
    layout: &Layout,
    (rtol, typical): (f64, &[f64]),
    x: &[f64],
    change: impl Fn(usize) -> f64,
) -> bool {
    let largest = |block: Block, of: &dyn Fn(usize) -> f64| block.range().fold(0.0f64, |m, k| m.max(of(k)));
    let (mut old, mut new, mut both) = (0.0, 0.0, 0.0);
    for k in layout.x.v.range() {
        let (v, before) = (x[k], x[k] - change(k));
        (old, new, both) = (old + before * before, new + v * v, both + v * before);
    }
    if old.max(new) > SPEED * SPEED * old.min(new) {
        return false;
    }
    // The square of the sine; a reversal has none.
    let sine = 1.0 - both * both / (old * new).max(f64::MIN_POSITIVE);
    if sine < TURN.max(ERROR * rtol).powi(2) {
        return false;
    }
    let way = largest(layout.x.p, &|k| change(k).abs());
    let size = largest(layout.x.p, &|k| typical[k] + x[k].abs());
    way * way < EXPLAINED * rtol * size * size * sine
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Dimensions, Form};

    /// Along x y = ε at unit speed, steps that turn by a tenth.
    fn along_hyperbola(epsilon: f64, rtol: f64) -> bool {
        let layout =
            Layout::new(Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }, Form::StrangenessFree);
        let point = |s: f64| {
            let (x, y) = (epsilon.sqrt() * s.exp(), epsilon.sqrt() * (-s).exp());
            let speed = x.hypot(y);
            let mut at = vec![0.0; layout.n];
            layout.x.v.of_mut(&mut at).copy_from_slice(&[x / speed, -y / speed]);
            layout.x.p.of_mut(&mut at).copy_from_slice(&[x, y]);
            at
        };
        (-20..20).any(|k| {
            let (old, new) = (point(0.1 * f64::from(k)), point(0.1 * f64::from(k + 1)));
            is_explained(&layout, (rtol, &vec![1.0; layout.n]), &new, |i| new[i] - old[i])
        })
    }

    #[test]
    fn lengths_beyond_the_tolerance_may_turn() {
        for rtol in [1e-3, 1e-6, 1e-9] {
            assert!(along_hyperbola(0.01 * rtol, rtol), "{rtol}");
            assert!(!along_hyperbola(10.0 * rtol, rtol), "{rtol}");
        }
    }

    /// Ten radii of √(0.05·RTOL).
    #[test]
    fn branches_part_next_to_a_rank_loss() {
        assert!((next_to(2e-5) / 1e-2 - 1.0).abs() < 1e-12 && (next_to(2e-9) / 1e-4 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_begins_to_move_does_not_turn() {
        let layout =
            Layout::new(Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }, Form::StrangenessFree);
        let (mut x, still) = (vec![0.0; layout.n], 1e-9);
        layout.x.v.of_mut(&mut x).copy_from_slice(&[0.0, 1e-3]);
        let change = |k: usize| if layout.x.v.contains(k) { x[k] } else { still };
        assert!(!is_explained(&layout, (1e-4, &vec![1.0; layout.n]), &x, change));
    }

    /// A turn by a tenth, at a speed that changes by up to a factor of two, on a way of up to √(0.05 RTOL) sin 0.1 = 2.2e-4.
    #[test]
    fn a_turn_is_short_and_keeps_the_speed() {
        let layout =
            Layout::new(Dimensions { np: 2, nv: 2, nl: 1, ..Dimensions::default() }, Form::StrangenessFree);
        for (speed, way, explained) in [
            (0.4, 0.0, false),
            (0.6, 0.0, true),
            (1.9, 0.0, true),
            (2.1, 0.0, false),
            (1.0, 2.1e-4, true),
            (1.0, 2.4e-4, false),
        ] {
            let mut x = vec![0.0; layout.n];
            layout.x.v.of_mut(&mut x).copy_from_slice(&[speed * 0.1f64.cos(), speed * 0.1f64.sin()]);
            layout.x.p.of_mut(&mut x)[1] = way;
            let mut change = x.clone();
            layout.x.v.of_mut(&mut change)[0] -= 1.0;
            let found = is_explained(&layout, (1e-4, &vec![1.0; layout.n]), &x, |k| change[k]);
            assert_eq!(found, explained, "{speed} {way}");
        }
    }
}
