//! Why a run cannot go on: it has come to a position where the constraints lose rank.
//!
//! It is looked for after a run has failed, whatever the method said. A rank that is missing at the last point, or will be within
//! a short time, is that of a singular position if it is there along the motion, or in some direction in which the mechanism
//! could move; redundant constraints miss it everywhere.

use crate::error::{Code, Failure};
use crate::layout::Layout;
use crate::linalg::svd::Svd;
use crate::model::derivatives::Derivatives;
use crate::model::Calls;
use crate::singular::{rank_ahead, Ahead};
use crate::stats::Stats;
use crate::system::{JacobianBlocks, System};

/// A singular value below this part of the largest ...
const SMALL: f64 = 5e-2;
/// ... that passes zero within this part of the run is that of a singular position.
const SOON: f64 = 1e-2;
/// ... of a run no longer than this many times the way from zero, as far as the last velocities say.
const FAR: f64 = 50.0;
/// Singular values below this part count as zero.
const ZERO: f64 = 1e-9;
/// Rows with this part of the largest share are named.
const SHARE: f64 = 0.1;
/// Velocities of this size in the time of the run, relative to the positions, are none.
const AT_REST: f64 = 1e-9;

/// The failure, told as a singular position if it is one. `typical` is ATOL/RTOL, for differences; `span` the length of the run.
pub(crate) fn explain(
    system: &mut dyn System,
    layout: &Layout,
    typical: &[f64],
    (t, x, span): (f64, &[f64], f64),
    failure: Failure,
) -> Failure {
    if !failure.code.ends_steps() || layout.dims.nl + layout.dims.nm == 0 {
        return failure;
    }
    let Some(found) = look(system, layout, typical, (t, x, span)) else { return failure };
    let rows: Vec<String> = found.rows.iter().map(|&row| layout.residual_name(row).to_string()).collect();
    let when = match found.time {
        Some(time) => format!("they lose rank at t = {:.9e}", t + time),
        None => "their rank is lost here".to_string(),
    };
    let rest =
        if found.at_rest { ", where the mechanism is at rest: its continuation is not unique" } else { "" };
    let ended = match &failure.detail[..] {
        reason if failure.code == Code::SingularConfiguration && !reason.is_empty() => reason.to_string(),
        _ => format!("the method ended with {}", failure.code.idid()),
    };
    let detail = format!(
        "rows {}: {when}{rest}; smallest singular value {:.1e} of the largest; {ended}",
        rows.join(", "),
        found.smallest
    );
    let component = found.rows.first().map(|&row| layout.residual_name(row));
    Failure { code: Code::SingularConfiguration, detail, component, ..failure }
}

struct Found {
    rows: Vec<usize>,
    smallest: f64,
    time: Option<f64>,
    at_rest: bool,
}

fn look(
    system: &mut dyn System,
    layout: &Layout,
    typical: &[f64],
    (t, x, span): (f64, &[f64], f64),
) -> Option<Found> {
    let (m, n) = (layout.dims.nl + layout.dims.nm, layout.n3());
    let mut derivatives = Derivatives::of_rows(layout, system.has_jacobian(), true, typical.to_vec());
    let (mut fx, mut uncounted) = (JacobianBlocks::new(layout), Stats::default());
    let mut model = Calls { system, stats: &mut uncounted };
    derivatives.jacobian(&mut model, t, x, &mut fx).ok()?;
    let mut svd = Svd::new(m, n);
    svd.compute(m, &unit_rows(layout, &fx)).ok()?;
    let values = svd.singular_values().to_vec();
    let here = values.iter().filter(|s| **s > ZERO * values[0]).count();
    // Where the mechanism does not move, any direction in which it could will do.
    let mut moving = x.to_vec();
    let largest = |v: &[f64]| v.iter().fold(0.0f64, |l, v| l.max(v.abs()));
    let (way, speed) = (1.0 + largest(layout.x.p.of(x)), largest(layout.x.v.of(x)));
    let at_rest = speed * span <= AT_REST * way;
    if at_rest {
        let free = |j: usize| (here..n).map(|k| svd.vt()[k + j * n] * (1.0 + k as f64).sqrt()).sum::<f64>();
        layout.x.v.of_mut(&mut moving).iter_mut().enumerate().for_each(|(j, v)| *v = free(j));
        derivatives.jacobian(&mut model, t, &moving, &mut fx).ok()?;
    }
    let rank = rank_ahead(layout, &fx).max(here);
    let smallest = *values.get(rank.checked_sub(1)?)? / values[0];
    let time = if smallest <= ZERO { None } else { Some(soonest(layout, &fx, rank)?) };
    let soon = time.is_none_or(|time| time.abs() < SOON * span.min(FAR * way / speed));
    if smallest > SMALL || (smallest > ZERO && (at_rest || !soon)) {
        return None;
    }
    let share = &svd.u()[(rank - 1) * m..rank * m];
    let named = |i: &usize| share[*i].abs() > SHARE * largest(share);
    let rows = (0..m).filter(named).map(|i| layout.rda.g_velocity.start + i).collect();
    Some(Found { rows, smallest, time, at_rest })
}

fn soonest(layout: &Layout, fx: &JacobianBlocks, rank: usize) -> Option<f64> {
    let rows = layout.dims.nl + layout.dims.nm;
    let mut kept = crate::decompose::kept::KeptRank::new(rows, layout.n3(), rank);
    kept.decompose(&fx.fx[1], fx.shape[1].0).ok()?;
    Ahead::new(layout).time(layout, fx, &mut kept)
}

/// gI and h by v, rows of unit size.
fn unit_rows(layout: &Layout, fx: &JacobianBlocks) -> Vec<f64> {
    let (m, n, ld) = (layout.dims.nl + layout.dims.nm, layout.n3(), fx.shape[1].0);
    let mut a: Vec<f64> = fx.fx[1][..ld * n].chunks(ld.max(1)).flat_map(|c| c[..m].to_vec()).collect();
    for i in 0..m {
        let size = (0..n).fold(0.0f64, |s, j| s.hypot(a[i + j * m]));
        if size > 0.0 {
            (0..n).for_each(|j| a[i + j * m] /= size);
        }
    }
    a
}
