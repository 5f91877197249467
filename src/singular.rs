//! Rank losses of the constraints along a motion, seen from one point: pure functions of the matrices there.
//!
//! C are the rows gI, h by v, and D their change along the motion, D w = ∂(C v)/∂p · Z w. Where one singular value σ of C
//! passes zero, its signed time to zero is τ = -σ/σ', and -1/τ is an eigenvalue of D C⁺, the one of largest modulus if the
//! point is near: power iteration finds it.

use crate::decompose::kept::KeptRank;
use crate::layout::Layout;
use crate::linalg::scalar::Scalar;
use crate::system::JacobianBlocks;

/// Power iterations; near a rank loss each gains the ratio of its distance to the time in which the mechanism moves.
const ITERATIONS: usize = 12;
/// Relative change of the eigenvalue that ends them.
const SETTLED: f64 = 1e-9;
/// The part of |D C⁺ y| that has to lie along y: otherwise the eigenvalue is complex, and no rank is lost.
const REAL: f64 = 0.7;
/// What counts of C itself: C M⁻¹ Cᵀ, by differences, shows the square of this no more.
const HERE: f64 = 2e-5;
/// δ of [`rank_ahead`], in the time in which the constraints change by their own size ...
const AHEAD: f64 = 1e-5;
/// ... and what counts there: between δ and δ².
const THERE: f64 = 1e-7;

/// Work space.
#[derive(Debug)]
pub struct Ahead {
    y: Vec<f64>,
    next: Vec<f64>,
    x: Vec<f64>,
    moved: Vec<f64>,
    along: Vec<f64>,
}

impl Ahead {
    /// For a layout.
    pub fn new(layout: &Layout) -> Self {
        let rows = layout.dims.nl + layout.dims.nm;
        Ahead {
            y: vec![0.0; rows],
            next: vec![0.0; rows],
            x: vec![0.0; layout.n3()],
            moved: vec![0.0; layout.dims.np],
            along: vec![0.0; layout.n3()],
        }
    }

    /// Signed time to the nearest rank loss (past if negative); `None` if there is none. `kept` holds the rows of `fx`.
    pub fn time(&mut self, layout: &Layout, fx: &JacobianBlocks, kept: &mut KeptRank) -> Option<f64> {
        let row = kept.weakest_row()?;
        self.y.fill(0.0);
        self.y[row] = 1.0 / kept.scale(row);
        let mut along = 0.0;
        for _ in 0..ITERATIONS {
            kept.particular(&self.y, &mut self.x);
            rate(layout, fx, &self.x, &mut self.moved, &mut self.next);
            // Both are FX = -∂: the signs cancel. Rows are measured in their own size.
            let (mut yy, mut yn, mut nn) = (0.0, 0.0, 0.0);
            for (i, (y, n)) in self.y.iter().zip(&self.next).enumerate() {
                let (y, n) = (kept.scale(i) * y, kept.scale(i) * n);
                (yy, yn, nn) = (yy + y * y, yn + y * n, nn + n * n);
            }
            if nn == 0.0 || !nn.is_finite() || yy == 0.0 {
                return None;
            }
            let last = along;
            along = if yn * yn < REAL * REAL * yy * nn { 0.0 } else { -yn / yy };
            if along != 0.0 && (along - last).abs() <= SETTLED * along.abs() {
                break;
            }
            let size = 1.0 / nn.sqrt();
            self.y.iter_mut().zip(&self.next).for_each(|(y, n)| *y = n * size);
        }
        (along != 0.0).then(|| 1.0 / along)
    }

    /// In a rank loss the free directions are not the null space of C, which is too large, but those of the motion through it: with
    /// yᵀ C = 0 they satisfy yᵀ D w = 0, too. So the row of `fx` that depends on the others is replaced, on both levels where it does
    /// (magnitude below `small`), and decides nothing but the directions. `kept` holds the rows on velocity and position level.
    pub fn replace_lost_rows(
        &mut self,
        layout: &Layout,
        fx: &mut JacobianBlocks,
        (velocity, position): (&mut KeptRank, &KeptRank),
        small: f64,
    ) {
        let (nv, ld, ld3) = (layout.n3(), fx.shape[1].0, fx.shape[2].0);
        let Some(row) = velocity.weakest_row().filter(|_| velocity.smallest() < small) else { return };
        let on_position_level = position.weakest_row().filter(|_| position.smallest() < small);
        velocity.dependence(&mut self.y);
        for j in 0..nv {
            self.x.fill(0.0);
            self.x[j] = 1.0;
            rate(layout, fx, &self.x, &mut self.moved, &mut self.next);
            self.along[j] = f64::dot(&self.y, &self.next);
        }
        let [_, second, third, ..] = &mut fx.fx;
        let (by_v, by_q) = second.split_at_mut(nv * ld);
        by_v.iter_mut().skip(row).step_by(ld.max(1)).zip(&self.along).for_each(|(c, a)| *c = *a);
        for (j, column) in by_q.chunks_exact_mut(ld.max(1)).enumerate() {
            if let Some(row) = on_position_level {
                third[row + j * ld3] = f64::dot(&self.y, &column[..self.y.len()]);
            }
            column[row] = 0.0;
        }
    }
}

/// The rank of C. A cold path: it allocates.
pub fn rank_here(layout: &Layout, fx: &JacobianBlocks) -> usize {
    let (m, n) = (layout.dims.nl + layout.dims.nm, layout.n3());
    let mut kept = KeptRank::new(m, n, 0);
    kept.decompose(&fx.fx[1], fx.shape[1].0).map_or(0, |()| kept.count(HERE))
}

/// The rank of C a little further along the motion, C + δ D: above that of C if the rank is missing here only. Redundant
/// constraints stay dependent wherever the mechanism goes, up to δ². A cold path: it allocates.
pub fn rank_ahead(layout: &Layout, fx: &JacobianBlocks) -> usize {
    let (m, n, ld) = (layout.dims.nl + layout.dims.nm, layout.n3(), fx.shape[1].0);
    let largest = |a: &[f64]| a.iter().fold(0.0f64, |l, v| l.max(v.abs()));
    let mut further: Vec<f64> = fx.fx[1][..ld * n].chunks(ld.max(1)).flat_map(|c| c[..m].to_vec()).collect();
    let (mut moved, mut unit) = (vec![0.0; layout.dims.np], vec![0.0; n]);
    let mut d = vec![0.0; m * n];
    for (j, column) in d.chunks_exact_mut(m.max(1)).enumerate() {
        unit.fill(0.0);
        unit[j] = 1.0;
        rate(layout, fx, &unit, &mut moved, column);
    }
    let size = largest(&d);
    if size > 0.0 {
        let delta = AHEAD * largest(&further) / size;
        further.iter_mut().zip(&d).for_each(|(c, d)| *c += delta * d);
    }
    let mut kept = KeptRank::new(m, n, 0);
    kept.decompose(&further, m).map_or(0, |()| kept.count(THERE))
}

/// D w: FX2 by [s p] times Z w, Z being -FX6 by v.
fn rate(layout: &Layout, fx: &JacobianBlocks, w: &[f64], moved: &mut [f64], out: &mut [f64]) {
    let (v0, p) = (layout.x.v.start, layout.x.p);
    moved.fill(0.0);
    for (column, w) in fx.fx[5].chunks_exact(moved.len().max(1)).zip(w) {
        moved.iter_mut().zip(column).for_each(|(m, z)| *m -= z * w);
    }
    out.fill(0.0);
    let ld = fx.shape[1].0;
    for (column, m) in fx.fx[1][(p.start - v0) * ld..].chunks_exact(ld.max(1)).zip(moved.iter()) {
        out.iter_mut().zip(column).for_each(|(o, d)| *o += d * m);
    }
}
