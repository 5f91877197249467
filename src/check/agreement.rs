//! Whether PARTS say the same as EOM and MAS, by two evaluations of EOM and one of the others: what a run can afford that is about to
//! use them. What differs, and by how much, is said by [`super::check_parts`].

use super::quick::take_sizes;
use super::supplied::differ;
use super::MOVED;
use crate::layout::Layout;
use crate::linalg::LuReal;
use crate::model::all_finite;
use crate::model::parts::{Ask, Room};
use crate::norm::{Scaling, Tolerance};
use crate::system::{Outcome, Parts, System};

/// Two ways to compute the same number may differ by this part of the largest of its kind.
const SAME: f64 = 1e-7;

/// A number in 0.5..1.5, another one for every k.
fn number(k: usize) -> f64 {
    0.5 + (k as f64 * 0.618_033_988_749_895).fract()
}

fn same(given: &[f64], expected: &[f64]) -> bool {
    !differ(given, expected, SAME)
}

/// True if the model supplies parts that agree with EOM and MAS at a point near (t, x): f, M, C, γ, the rows of velocities and
/// positions, p' = v, and forces -Cᵀ of the multipliers. For FORM=0, whose rows gII and hI show γ.
pub(crate) fn parts_agree(
    system: &mut dyn System,
    l: &Layout,
    tolerance: &Tolerance,
    (t, x): (f64, &[f64]),
    calls: &mut u64,
) -> bool {
    if !(t.is_finite() && all_finite(x)) || system.parts(t, x, Parts::default()).is_none() {
        return false;
    }
    let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
    let mut at = x.to_vec();
    let mut size = vec![0.0; l.n];
    take_sizes(l, x, &Scaling::new(tolerance, l.n).typical, &mut size);
    l.x.p.range().for_each(|i| at[i] += MOVED * size[i] * number(i));
    l.x.v.range().for_each(|i| at[i] += size[i] * number(i));
    let multipliers: Vec<f64> = (0..nc).map(number).collect();
    l.x.multipliers.of_mut(&mut at).fill(0.0);
    let mut parts = Room::new(l);
    let outcome = parts.ask(system, t, &at, Ask::All);
    if outcome == Some(Outcome::Stop) {
        // The run meets it and says so.
        return true;
    }
    if outcome != Some(Outcome::Continue) || !parts.is_finite(Ask::All) {
        return false;
    }
    let (mut free, mut loaded, mut full) = (vec![0.0; l.m], vec![0.0; l.m], vec![0.0; nv * nv]);
    *calls += 2;
    let mut answered = system.eom(t, &at, &mut free) == Outcome::Continue;
    l.x.multipliers.of_mut(&mut at).copy_from_slice(&multipliers);
    answered &= system.eom(t, &at, &mut loaded) == Outcome::Continue;
    answered &= system.mass(t, &at, &mut full) == Outcome::Continue;
    if !(answered && [&free, &loaded, &full].iter().all(|rows| all_finite(rows))) {
        return false;
    }
    let rows = l.rda;
    let mut pulled = rows.f_dyn.of(&free).to_vec();
    for (pulled, c) in pulled.iter_mut().zip(parts.constraint.chunks_exact(nc)) {
        *pulled -= c.iter().zip(&multipliers).map(|(c, m)| c * m).sum::<f64>();
    }
    let mut factors = LuReal::new(nv);
    factors.matrix_mut().copy_from_slice(&parts.mass);
    if factors.factor().is_err() {
        return false;
    }
    let mut acceleration = parts.force.clone();
    factors.solve(&mut acceleration);
    let mut second = parts.at_rest.clone();
    for (a, c) in acceleration.iter().zip(parts.constraint.chunks_exact(nc)) {
        second.iter_mut().zip(c).for_each(|(s, c)| *s += c * a);
    }
    same(&parts.force, rows.f_dyn.of(&free))
        && same(&parts.mass, &full)
        && same(&pulled, rows.f_dyn.of(&loaded))
        && same(&second, &free[rows.g_acceleration.start..rows.h_acceleration.end])
        && same(&parts.velocity, &free[rows.g_velocity.start..rows.h.end])
        && same(&parts.position, rows.g.of(&free))
        && same(l.x.v.of(&at), rows.f_kin.of(&free))
}
