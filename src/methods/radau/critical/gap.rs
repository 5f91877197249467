//! Whether the position that a critical step passes exists. Lengths that differ by ε from those of a singular position leave a gap of √ε
//! there, too short for the stages to see: the mechanism turns or locks up, and the step would leap over it.
//!
//! At a singular position uᵀ G = 0, so that uᵀ g does not feel errors of the path between the stages but by their square. What is left
//! is ε.

use super::super::stages::Stages;
use super::{Critical, Radau, Setback};
use crate::linalg::lanes::Lanes;
use crate::linalg::svd::Svd;
use crate::methods::save::{BadState, Reader, Writer};
use crate::model::Trouble;
use crate::system::System;

/// The part of what the tolerance makes of the rows that a gap may be.
const EXPLAINED: f64 = 0.25;
/// Errors of the path between the stages, in units of the internal tolerance: they count with the singular value.
const PATH: f64 = 10.0;
/// Rounding errors of rows, in the same units as the tolerances.
const ROUND_OFF: f64 = 1e-14;
/// The smallest magnitude falls to this part of what it is at the stages, if the rank is lost in between.
const LOST: f64 = 0.5;
/// The place is found if it has fallen to this part.
const FOUND: f64 = 1e-3;
/// Points that are tried for it.
const TRIED: u32 = 8;
/// Directions with larger singular values, relative to the largest, have not lost their rank.
const STRONG: f64 = 0.1;
/// A gap that becomes smaller than this part in a shorter step was an error of the longer one.
const SHRINKS: f64 = 0.5;

/// What is remembered of a gap until it lies behind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::methods) struct Refusal {
    /// Size of the gap that the last critical step would have passed.
    size: Option<f64>,
    /// It is one: no critical steps, until this time has passed and the rank is regained.
    until: Option<f64>,
}

impl Refusal {
    pub(in crate::methods) fn is_final(&self) -> bool {
        self.until.is_some()
    }

    /// Where the gap lies.
    pub(in crate::methods) fn time(&self) -> Option<f64> {
        self.until
    }

    /// At time t after a step that is not critical.
    pub(in crate::methods) fn forget_behind(&mut self, t: f64, has_fallen: bool) {
        if !has_fallen && self.until.is_some_and(|until| t > until) {
            *self = Refusal::default();
        }
    }

    pub(in crate::methods) fn save(&self, w: &mut Writer) {
        w.reals(self.size.as_slice());
        w.reals(self.until.as_slice());
    }

    pub(in crate::methods) fn restore(r: &mut Reader<'_>) -> Result<Self, BadState> {
        let mut value = [0.0];
        let size = r.optional("gap", &mut value)?.then_some(value[0]);
        let until = r.optional("gap", &mut value)?.then_some(value[0]);
        Ok(Refusal { size, until })
    }
}

/// Work space.
#[derive(Debug)]
pub(super) struct Gap {
    svd: Svd,
    /// What the tolerance makes of the rows, where they are largest in the step.
    tolerable: Vec<f64>,
    x: Vec<f64>,
    rows: Vec<f64>,
}

impl Gap {
    pub(super) fn new(layout: &crate::layout::Layout) -> Self {
        Gap {
            svd: Svd::new(layout.m3(), layout.n4()),
            tolerable: vec![0.0; layout.m3()],
            x: vec![0.0; layout.n],
            rows: vec![0.0; layout.m],
        }
    }
}

impl<const L: usize> Radau<L> {
    /// Refuse a step that would leap over a gap: a shorter one shows whether it is an error of this one.
    pub(super) fn refuse_gap(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<(), Setback> {
        let Some((theta, size)) = self.widest_gap(critical, system, h)? else { return Ok(()) };
        let refusal = &mut self.memory.refusal;
        if size <= 1.0 {
            refusal.size = None;
            return Ok(());
        }
        let before = refusal.size.replace(size);
        let shrinks = !self.options.fixed_step && before.is_none_or(|before| size <= SHRINKS * before);
        let last = !refusal.is_final() && !shrinks;
        if last {
            refusal.until = Some(self.state.t + theta * h);
        }
        let (_, smallest) = critical.nodes(&self.tableau().nodes, self.tableau().stages).fold(
            (0.0, f64::INFINITY),
            |least: (f64, f64), node| if node.1 < least.1 { node } else { least },
        );
        let why = crate::error::Rejection::RankLoss { smallest };
        Err(Setback::Reject { why, factor: if last { 1.0 } else { 0.5 }, component: None })
    }

    /// The places of the step where a rank is lost: the one with the largest gap in units of what is explained.
    fn widest_gap(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        h: f64,
    ) -> Result<Option<(f64, f64)>, Setback> {
        let stages = self.tableau().stages;
        let here = critical.points.len() - 1;
        if self.layout.m3() == 0 || self.layout.n4() == 0 {
            return Ok(None);
        }
        if self.options.fixed_step && self.magnitude(critical, system, (here, 0.0), h)?.is_none() {
            return Ok(None);
        }
        let mut widest: Option<(f64, f64)> = None;
        let nodes = self.tableau().nodes;
        let node =
            |critical: &Critical<L>, i: usize| critical.nodes(&nodes, stages).nth(i).unwrap_or((1.0, 1.0));
        for i in 0..=stages {
            let magnitude = node(critical, i).1;
            let higher = |j: usize| magnitude <= node(critical, j).1;
            if (i > 0 && !higher(i - 1)) || (i < stages && !higher(i + 1)) {
                continue;
            }
            let mut best: Option<(f64, f64)> = None;
            for j in i.max(1)..=(i + 1).min(stages) {
                let ends = (node(critical, j - 1), node(critical, j));
                let found = self.loses_rank_between(critical, system, ends, h)?;
                best = [best, found].into_iter().flatten().min_by(|a, b| a.1.total_cmp(&b.1));
            }
            let Some((theta, _)) = best else { continue };
            if let Some(size) = self.gap_at(critical, system, theta, h)? {
                if widest.is_none_or(|widest| size > widest.1) {
                    widest = Some((theta, size));
                }
            }
        }
        Ok(widest)
    }

    /// The place between two nodes where the smallest magnitude passes zero, if it does. It changes its sign there, which magnitudes do not
    /// show.
    fn loses_rank_between(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        (mut low, mut high): ((f64, f64), (f64, f64)),
        h: f64,
    ) -> Result<Option<(f64, f64)>, Setback> {
        let between = critical.between();
        let least = low.1.min(high.1);
        let zero = |a: (f64, f64), b: (f64, f64)| {
            let sum = (a.1 + b.1).max(f64::MIN_POSITIVE);
            (b.1 * a.0 + a.1 * b.0) / sum
        };
        let theta = zero(low, high);
        let Some(magnitude) = self.magnitude(critical, system, (between, theta), h)? else { return Ok(None) };
        let mut best = (theta, magnitude);
        let mut tried = 1;
        if magnitude > LOST * least {
            return Ok((magnitude == 0.0).then_some(best));
        }
        while tried < TRIED && best.1 > FOUND * least {
            let (right, left) = (zero(best, high), zero(low, best));
            let at_right = self.magnitude(critical, system, (between, right), h)?;
            tried += 1;
            if let Some(at_right) = at_right.filter(|at_right| *at_right < best.1) {
                (low, best) = (best, (right, at_right));
                continue;
            }
            let at_left = self.magnitude(critical, system, (between, left), h)?;
            tried += 1;
            match at_left.filter(|at_left| *at_left < best.1) {
                Some(at_left) => (high, best) = (best, (left, at_left)),
                None => break,
            }
        }
        Ok(Some(best))
    }

    /// The smallest magnitude of the constraints on the path, left in a point; `None` if the model cannot be evaluated there.
    fn magnitude(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        (point, theta): (usize, f64),
        h: f64,
    ) -> Result<Option<f64>, Setback> {
        let tableau = &self.orders[self.order].tableau;
        self.stages.between(&tableau.nodes[..tableau.stages], theta, &self.state.x, &mut critical.gap.x);
        let (l, multipliers) = (&self.layout, self.layout.x.multipliers);
        multipliers.of_mut(&mut critical.gap.x).copy_from_slice(l.x.multipliers.of(&self.state.x));
        let Critical { points, gap, factors, between, .. } = critical;
        let at = (self.state.t + theta * h, &gap.x[..]);
        let reduced = if point < points.len() { &mut points[point] } else { between };
        let result = self.rows.jacobian(system, at, &mut reduced.fx, &mut self.state.stats);
        let result = result.and_then(|()| {
            self.state.stats.neom += 1;
            self.rows.eom(system, at.0, at.1, &mut gap.rows)
        });
        match result {
            Ok(()) => {}
            Err(trouble @ Trouble::Stop { .. }) => return Err(self.setback(trouble)),
            Err(_) => return Ok(None),
        }
        self.state.stats.npdec += 1;
        if reduced.decompose().is_err() {
            return Ok(None);
        }
        reduced.compare_rows(factors);
        Ok(Some(reduced.smallest))
    }

    /// What the constraints leave in the directions that are lost there, in units of what the tolerance and the path explain.
    fn gap_at(
        &mut self,
        critical: &mut Critical<L>,
        system: &mut dyn System,
        theta: f64,
        h: f64,
    ) -> Result<Option<f64>, Setback> {
        let (l, stages) = (self.layout, self.tableau().stages);
        let between = critical.between();
        if self.magnitude(critical, system, (between, theta), h)?.is_none() {
            return Ok(None);
        }
        let (m, n, first) = (l.m3(), l.n4(), l.x.contact_position.start);
        let scaling = &self.orders[self.order].scaling;
        // That of the run: this method's may be a part of it.
        let whole = self.rtol_of_run / scaling.rtol_user;
        let rank = critical.position_rank();
        let Critical { points, between, gap, factors, .. } = critical;
        let Gap { svd, tolerable, x, rows } = gap;
        tolerable.fill(0.0);
        for point in points[..stages].iter().chain(std::iter::once(&*between)) {
            let (fx, ld) = (&point.fx.fx[2], point.fx.shape[2].0);
            for (i, most) in tolerable.iter_mut().enumerate() {
                let of_column = |j: usize| {
                    let x = x[first + j];
                    let error = whole * scaling.tolerance(first + j, x) + ROUND_OFF * (1.0 + x.abs());
                    fx[i + j * ld].abs() * error
                };
                *most = most.max((0..n).map(of_column).sum());
            }
        }
        svd.resize(m);
        let (fx, ld) = (&between.fx.fx[2], between.fx.shape[2].0);
        for (j, column) in svd.matrix_mut().chunks_exact_mut(m).enumerate() {
            column.iter_mut().enumerate().for_each(|(i, a)| *a = factors[1][i] * fx[i + j * ld]);
        }
        if svd.factor().is_err() {
            return Ok(None);
        }
        let (values, g) = (svd.singular_values(), l.rda.rows3.of(rows));
        let mut widest = 0.0f64;
        for (k, value) in values.iter().enumerate().take(rank) {
            if *value > STRONG * values[0] {
                continue;
            }
            let u = &svd.u()[k * m..(k + 1) * m];
            let (mut left, mut explained) = (0.0, 0.0);
            for (i, u) in u.iter().enumerate() {
                left += u * factors[1][i] * g[i];
                explained += EXPLAINED * u.abs() * factors[1][i] * tolerable[i];
            }
            for j in 0..n {
                explained += PATH * value * svd.vt()[k + j * n].abs() * self.work.scal[first + j];
            }
            widest = widest.max(left.abs() / explained.max(f64::MIN_POSITIVE));
        }
        Ok(Some(widest))
    }

    /// A gap was found and lies ahead.
    pub(in crate::methods) fn refusal(&self) -> Refusal {
        self.memory.refusal
    }

    /// It is known from elsewhere.
    pub(in crate::methods) fn recall_refusal(&mut self, refusal: Refusal) {
        self.memory.refusal = refusal;
    }

    /// The tolerance of the run, of which that of this method is a part.
    pub(in crate::methods) fn belongs_to_run_with(&mut self, rtol: f64) {
        self.rtol_of_run = rtol;
    }
}

impl<const L: usize> Critical<L> {
    /// x_k and the stages: places in the step and smallest magnitudes.
    fn nodes(&self, nodes: &Lanes<L>, stages: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let here = self.points.last().map_or(1.0, |here| here.smallest);
        let nodes = *nodes;
        let of_stages = self.points[..stages].iter().enumerate().map(move |(i, p)| (nodes[i], p.smallest));
        std::iter::once((0.0, here)).chain(of_stages)
    }

    /// The point between the nodes.
    fn between(&self) -> usize {
        self.points.len()
    }
}

impl<const L: usize> Stages<L> {
    /// The polynomial through x_k and the stages at a part of the step.
    fn between(&self, nodes: &[f64], theta: f64, x: &[f64], out: &mut [f64]) {
        let mut weights = [0.0; L];
        for (i, weight) in weights.iter_mut().enumerate().take(nodes.len()) {
            let others = nodes.iter().enumerate().filter(|(j, _)| *j != i);
            *weight = others.fold(theta / nodes[i], |w, (_, c)| w * (theta - c) / (nodes[i] - c));
        }
        for ((out, x), z) in out.iter_mut().zip(x).zip(&self.z) {
            *out = x + z.iter().zip(&weights).map(|(z, w)| z * w).sum::<f64>();
        }
    }
}
