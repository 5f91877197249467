//! The work of one node of the elimination tree.
//!
//! Inside a node the relative accelerations are q = c - S dF, with S and c the sums over its children. For an eliminated joint
//!
//! ```text
//! dF = φ_uᵀ dλ + D q + φ_uᵀ λ + f - F,    φ_u q = -φ/(β̂h²),    D = β̂h² (φ_uᵀ λ + f)_u + γ̂h f_u'
//! ```
//!
//! which for [`Kind::Coincide`] is S dF = c + (u - offset)/(β̂h²). With these joints eliminated the rest is again q = c - S dF,
//! for the boundary alone. A child sends its shares of c and u folded into one number per row where the law is linear, and c,
//! u, u' where it is not.

use super::joint::{Evaluated, Joint, Kind, Law};
use super::rank::Factor;
use super::tree::Node;
use crate::linalg::LinalgError;

/// What is solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// A step: changes of accelerations, with the factors γ̂h and β̂h² of velocities and positions.
    Step {
        /// γ̂h.
        by_v: f64,
        /// β̂h².
        by_p: f64,
    },
    /// Accelerations at the start.
    Start,
    /// Corrections of the velocities.
    Project,
}

impl Mode {
    /// Number of the set of shapes that belongs to it.
    pub fn index(self) -> usize {
        match self {
            Mode::Step { .. } => 0,
            Mode::Start => 1,
            Mode::Project => 2,
        }
    }
}

/// Number of modes.
pub const MODES: usize = 3;

/// Rows of a joint in a mode: elements without constraints have none in a projection.
pub fn rows(law: &Law, mode: usize) -> usize {
    if mode == Mode::Project.index() && law.constraints() == 0 {
        0
    } else {
        law.size()
    }
}

/// Numbers that a subdomain sends for a joint.
pub fn channels(law: &Law, mode: usize) -> usize {
    match law.kind() {
        Kind::General => 3 * rows(law, mode),
        _ => rows(law, mode),
    }
}

/// Fold the shares c, u, u' and y'' of one subdomain into what it sends.
pub fn fold(law: &Law, mode: Mode, shares: [&[f64]; 4], out: &mut [f64]) {
    let [c, u, rate, curvature] = shares;
    let n = c.len();
    match (law.kind(), mode) {
        (Kind::LinearForce, _) => {
            for i in 0..n {
                let (k, d, _) = law.linear(i);
                out[i] = stiffening(law, mode, i) * c[i] + k * u[i] + d * rate[i];
            }
        }
        (kind, _) => {
            for i in 0..n {
                out[i] = c[i]
                    + match mode {
                        Mode::Step { by_p, .. } if kind == Kind::Coincide => u[i] / by_p,
                        Mode::Step { .. } => 0.0,
                        Mode::Start => curvature[i],
                        Mode::Project => rate[i],
                    };
            }
            if kind == Kind::General {
                out[n..2 * n].copy_from_slice(u);
                out[2 * n..3 * n].copy_from_slice(rate);
            }
        }
    }
}

/// D of a component of a linear force.
fn stiffening(law: &Law, mode: Mode, component: usize) -> f64 {
    let (k, c, _) = law.linear(component);
    match mode {
        Mode::Step { by_v, by_p } => by_p * k + by_v * c,
        _ => 0.0,
    }
}

/// Forces in a joint, where it is eliminated.
#[derive(Clone, Debug)]
pub struct JointState {
    /// F at the last accepted point.
    pub force_old: Vec<f64>,
    /// λ of a general joint at the last accepted point.
    pub lambda_old: Vec<f64>,
    /// F at the iterate.
    pub force: Vec<f64>,
    /// λ at the iterate.
    pub lambda: Vec<f64>,
    now: Evaluated,
    /// φ_u and D of the matrix.
    phi_u: Vec<f64>,
    d: Vec<f64>,
}

impl JointState {
    /// Without force.
    pub fn new(law: &Law) -> Self {
        let (n, m) = (law.size(), if law.kind() == Kind::General { law.constraints() } else { 0 });
        JointState {
            force_old: vec![0.0; n],
            lambda_old: vec![0.0; m],
            force: vec![0.0; n],
            lambda: vec![0.0; m],
            now: Evaluated::new(law),
            phi_u: vec![0.0; n * law.constraints()],
            d: vec![0.0; n * n],
        }
    }

    /// The iterate becomes the accepted point.
    pub fn accept(&mut self) {
        self.force_old.copy_from_slice(&self.force);
        self.lambda_old.copy_from_slice(&self.lambda);
    }

    /// Back to the accepted point.
    pub fn take_back(&mut self) {
        self.force.copy_from_slice(&self.force_old);
        self.lambda.copy_from_slice(&self.lambda_old);
    }
}

/// Where a joint is in a front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub joint: usize,
    pub rows: usize,
    row: usize,
    pub unknown: usize,
    channel: usize,
}

#[derive(Clone, Debug)]
struct Child {
    node: usize,
    /// Row and channel in this front of each row and channel of the child's boundary.
    rows: Vec<usize>,
    channels: Vec<usize>,
}

/// Sums and factors of one node in one mode.
#[derive(Debug)]
pub struct Front {
    pub(super) eliminated: Vec<Placed>,
    boundary: Vec<Placed>,
    children: Vec<Child>,
    /// Eliminated rows, all rows, unknowns.
    inner: usize,
    size: usize,
    pub(super) unknowns: usize,
    inner_channels: usize,
    s: Vec<f64>,
    e: Vec<f64>,
    pub(super) factor: Factor,
    /// E⁻¹ T S of the boundary columns.
    influence: Vec<f64>,
    z0: Vec<f64>,
    pub(super) z: Vec<f64>,
    /// Undetermined directions, orthonormal in their forces.
    pub(super) free: Vec<f64>,
    /// dF of all rows.
    all: Vec<f64>,
}

/// Number of rows of a boundary.
pub fn boundary_rows(node: &Node, joints: &[Joint], mode: usize) -> usize {
    node.boundary.iter().map(|&j| rows(&joints[j].law, mode)).sum()
}

/// Number of channels of a boundary.
pub fn boundary_channels(node: &Node, joints: &[Joint], mode: usize) -> usize {
    node.boundary.iter().map(|&j| channels(&joints[j].law, mode)).sum()
}

impl Front {
    /// Of an inner node.
    pub fn new(nodes: &[Node], at: usize, joints: &[Joint], mode: usize) -> Self {
        let node = &nodes[at];
        let (mut row, mut unknown, mut channel) = (0, 0, 0);
        let mut place = |&joint: &usize| {
            let law = &joints[joint].law;
            let rows = rows(law, mode);
            let placed = Placed { joint, rows, row, unknown, channel };
            row += rows;
            channel += channels(law, mode);
            unknown += rows + if law.kind() == Kind::General && rows > 0 { law.constraints() } else { 0 };
            (placed, row, unknown, channel)
        };
        let (mut inner, mut unknowns, mut inner_channels) = (0, 0, 0);
        let eliminated: Vec<Placed> = node
            .eliminated
            .iter()
            .map(|j| {
                let (placed, r, u, c) = place(j);
                (inner, unknowns, inner_channels) = (r, u, c);
                placed
            })
            .collect();
        let boundary: Vec<Placed> = node.boundary.iter().map(|j| place(j).0).collect();
        let (size, all_channels) = (row, channel);
        let find =
            |joint: usize| eliminated.iter().chain(&boundary).find(|p| p.joint == joint).copied().into_iter();
        let children = node.children.iter().map(|&child| {
            let placed: Vec<Placed> = nodes[child].boundary.iter().flat_map(|&j| find(j)).collect();
            let channels = |p: &Placed| p.channel..p.channel + channels(&joints[p.joint].law, mode);
            Child {
                node: child,
                rows: placed.iter().flat_map(|p| p.row..p.row + p.rows).collect(),
                channels: placed.iter().flat_map(channels).collect(),
            }
        });
        Front {
            children: children.collect(),
            s: vec![0.0; size * size],
            e: vec![0.0; all_channels],
            factor: Factor::new(unknowns),
            influence: vec![0.0; unknowns * (size - inner)],
            z0: vec![0.0; unknowns],
            z: vec![0.0; unknowns],
            free: Vec::new(),
            all: vec![0.0; size],
            eliminated,
            boundary,
            inner,
            size,
            unknowns,
            inner_channels,
        }
    }

    /// Nothing summed up yet.
    pub fn begin(&mut self, refresh: bool) {
        self.e.fill(0.0);
        if refresh {
            self.s.fill(0.0);
        }
    }

    /// Add what a child has sent.
    pub fn add(&mut self, child: usize, s: Option<&[f64]>, e: &[f64]) {
        let Some(map) = self.children.iter().find(|c| c.node == child) else { return };
        map.channels.iter().zip(e).for_each(|(&i, e)| self.e[i] += e);
        if let Some(s) = s {
            let n = map.rows.len();
            for (j, &column) in map.rows.iter().enumerate() {
                for (i, &row) in map.rows.iter().enumerate() {
                    self.s[row + column * self.size] += s[i + j * n];
                }
            }
        }
    }

    /// Eliminate; false if a joint cannot be evaluated.
    pub fn eliminate(
        &mut self,
        mode: Mode,
        refresh: bool,
        joints: &[Joint],
        states: &mut [Option<JointState>],
    ) -> Result<bool, LinalgError> {
        for placed in &self.eliminated {
            let (law, n) = (&joints[placed.joint].law, placed.rows);
            let Some(state) = &mut states[placed.joint] else { continue };
            if law.kind() != Kind::General || n == 0 {
                continue;
            }
            let e = &self.e[placed.channel..placed.channel + 3 * n];
            if !law.evaluate(&e[n..2 * n], &e[2 * n..], &state.lambda, &mut state.now) {
                return Ok(false);
            }
            if refresh {
                state.phi_u.copy_from_slice(&state.now.phi_u);
                let (by_v, by_p) = match mode {
                    Mode::Step { by_v, by_p } => (by_v, by_p),
                    _ => (0.0, 0.0),
                };
                for ((d, k), c) in state.d.iter_mut().zip(&state.now.by_u).zip(&state.now.by_rate) {
                    *d = by_p * k + by_v * c;
                }
            }
        }
        if refresh {
            self.build(mode, joints, states)?;
        }
        self.right_side(mode, joints, states);
        self.factor.solve(&mut self.z0);
        self.condense(mode, joints);
        Ok(true)
    }

    /// E and its factors, T S of the boundary, and the condensed S.
    fn build(
        &mut self,
        mode: Mode,
        joints: &[Joint],
        states: &[Option<JointState>],
    ) -> Result<(), LinalgError> {
        let (n, size, inner) = (self.unknowns, self.size, self.inner);
        let matrix = self.factor.matrix_mut();
        matrix.fill(0.0);
        self.influence.fill(0.0);
        for p in &self.eliminated {
            let (law, Some(state)) = (&joints[p.joint].law, &states[p.joint]) else { continue };
            let general = law.kind() == Kind::General;
            let m = if general && p.rows > 0 { law.constraints() } else { 0 };
            // Row i of T S: (weight of row k of S) summed over k.
            let equations = p.rows + m;
            for i in 0..equations {
                let weight = |k: usize| match law.kind() {
                    Kind::Coincide => f64::from(u8::from(i == k)),
                    Kind::LinearForce if i == k => stiffening(law, mode, i),
                    Kind::LinearForce => 0.0,
                    Kind::General if i < p.rows => state.d[i + k * p.rows],
                    Kind::General => state.phi_u[i - p.rows + k * m],
                };
                for k in 0..p.rows {
                    let w = weight(k);
                    if w == 0.0 {
                        continue;
                    }
                    for q in &self.eliminated {
                        for c in 0..q.rows {
                            matrix[p.unknown + i + (q.unknown + c) * n] +=
                                w * self.s[p.row + k + (q.row + c) * size];
                        }
                    }
                    for b in inner..size {
                        self.influence[p.unknown + i + (b - inner) * n] += w * self.s[p.row + k + b * size];
                    }
                }
                if law.kind() != Kind::Coincide && i < p.rows {
                    matrix[p.unknown + i + (p.unknown + i) * n] += 1.0;
                    for k in 0..m {
                        matrix[p.unknown + i + (p.unknown + p.rows + k) * n] -= state.phi_u[k + i * m];
                    }
                }
            }
        }
        self.factor.factor()?;
        self.find_free();
        for column in self.influence.chunks_exact_mut(n.max(1)) {
            self.factor.solve(column);
        }
        // S_bb - S_be P E⁻¹ T S_eb in place.
        for b in inner..size {
            for q in &self.eliminated {
                for c in 0..q.rows {
                    let z = self.influence[q.unknown + c + (b - inner) * n];
                    let (left, right) = self.s.split_at_mut(b * size);
                    let column = &left[(q.row + c) * size..(q.row + c + 1) * size];
                    for i in inner..size {
                        right[i] -= column[i] * z;
                    }
                }
            }
        }
        Ok(())
    }

    fn right_side(&mut self, mode: Mode, joints: &[Joint], states: &[Option<JointState>]) {
        for p in &self.eliminated {
            let (law, Some(state)) = (&joints[p.joint].law, &states[p.joint]) else { continue };
            let n = p.rows;
            let e = &self.e[p.channel..];
            let out = &mut self.z0[p.unknown..];
            match (law, law.kind()) {
                (Law::Coincide { offset }, _) => {
                    for i in 0..n {
                        out[i] = match mode {
                            Mode::Step { by_p, .. } => e[i] - offset[i] / by_p,
                            _ => e[i],
                        };
                    }
                }
                (_, Kind::LinearForce) => {
                    for i in 0..n {
                        let (k, _, rest) = law.linear(i);
                        out[i] = e[i] - k * rest - state.force[i];
                    }
                }
                _ if n == 0 => {}
                _ => general_right_side(mode, law, state, e, out),
            }
        }
    }

    /// What the boundary sees of the eliminated joints: c_b - S_be dF_e.
    fn condense(&mut self, mode: Mode, joints: &[Joint]) {
        for b in &self.boundary {
            let law = &joints[b.joint].law;
            for i in 0..b.rows {
                let mut sum = 0.0;
                for q in &self.eliminated {
                    for c in 0..q.rows {
                        sum += self.s[b.row + i + (q.row + c) * self.size] * self.z0[q.unknown + c];
                    }
                }
                let factor = if law.kind() == Kind::LinearForce { stiffening(law, mode, i) } else { 1.0 };
                self.e[b.channel + i] -= factor * sum;
            }
        }
    }

    /// The condensed S and channels, for the parent.
    pub fn condensed(&self, s: Option<&mut [f64]>, e: &mut [f64]) {
        e.copy_from_slice(&self.e[self.inner_channels..]);
        if let Some(s) = s {
            let n = self.size - self.inner;
            for j in 0..n {
                let first = self.inner + (self.inner + j) * self.size;
                s[j * n..(j + 1) * n].copy_from_slice(&self.s[first..first + n]);
            }
        }
    }

    /// From dF of the boundary to that of all joints here.
    pub fn substitute(&mut self, boundary: &[f64], mode: Mode, states: &mut [Option<JointState>]) {
        let n = self.unknowns;
        self.z.copy_from_slice(&self.z0);
        for (column, d) in self.influence.chunks_exact(n.max(1)).zip(boundary) {
            self.z.iter_mut().zip(column).for_each(|(z, w)| *z -= w * d);
        }
        self.share_among_redundant(mode, states);
        self.all[self.inner..].copy_from_slice(boundary);
        for p in &self.eliminated {
            let change = &self.z[p.unknown..p.unknown + p.rows];
            self.all[p.row..p.row + p.rows].copy_from_slice(change);
            let Some(state) = &mut states[p.joint] else { continue };
            if mode != Mode::Project {
                state.force.iter_mut().zip(change).for_each(|(f, d)| *f += d);
                let multipliers = &self.z[p.unknown + p.rows..];
                state.lambda.iter_mut().zip(multipliers).for_each(|(l, d)| *l += d);
            }
        }
    }

    /// dF for a child.
    pub fn for_child(&self, child: usize, out: &mut [f64]) {
        if let Some(map) = self.children.iter().find(|c| c.node == child) {
            out.iter_mut().zip(&map.rows).for_each(|(o, &r)| *o = self.all[r]);
        }
    }

    /// Directions in which forces are undetermined.
    pub fn deficiency(&self) -> usize {
        self.factor.deficiency()
    }
}

fn general_right_side(mode: Mode, law: &Law, state: &JointState, e: &[f64], out: &mut [f64]) {
    let (n, m) = (law.size(), law.constraints());
    let now = &state.now;
    for (i, out) in out[..n].iter_mut().enumerate() {
        *out = match mode {
            Mode::Project => 0.0,
            _ => {
                let multiplied: f64 = (0..m).map(|k| now.phi_u[k + i * m] * state.lambda[k]).sum();
                let along: f64 = (0..n).map(|k| state.d[i + k * n] * e[k]).sum();
                along + multiplied + now.force[i] - state.force[i]
            }
        };
    }
    for k in 0..m {
        let along: f64 = (0..n).map(|i| state.phi_u[k + i * m] * e[i]).sum();
        out[n + k] = along
            + match mode {
                Mode::Step { by_p, .. } => now.phi[k] / by_p,
                Mode::Start => now.curvature[k],
                Mode::Project => 0.0,
            };
    }
}
