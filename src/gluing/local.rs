//! One subdomain: its model, its ports, its points, and what it tells the interface. Its equations are in `equations`.

use super::check::CONSISTENT;
use super::description::Projection;
use super::front::{fold, rows, Mode};
use super::joint::{Joint, Term};
use super::part::{Part, Point};
use super::port::Evaluator;
use super::scheme::Scheme;
use super::view::View;
use crate::error::{Code, Failure};
use crate::linalg::{all_finite, RealSolver, SolverKind};
use crate::model::blocks::Scales;
use crate::model::matrix;
use crate::model::{Matrix, Trouble, Unknowns};
use crate::system::{Outcome, System};

/// A port's part in a joint.
#[derive(Debug)]
pub(super) struct Connection {
    pub joint: usize,
    pub port: usize,
    pub terms: Vec<Term>,
    pub row: usize,
    pub rows: usize,
}

/// A subdomain in this process.
pub struct Local<'s> {
    /// Its number.
    pub subdomain: usize,
    /// Its leaf in the elimination tree.
    pub leaf: usize,
    /// Its model, derived.
    pub view: View,
    pub(super) system: Box<dyn System + 's>,
    pub(super) ports: Vec<Evaluator<'s>>,
    pub(super) connections: Vec<Connection>,
    /// All rows of the joints.
    pub(super) size: usize,
    pub(super) old: Point,
    pub(super) new: Point,
    /// p' ≠ v was seen: positions are unknowns of their own.
    general: bool,
    /// That was seen in an iteration whose matrix does without.
    pub(super) stale: bool,
    pub(super) unknowns: Unknowns,
    pub(super) matrix: Matrix,
    /// That of d by w alone.
    pub(super) of_w: RealSolver,
    /// Constraints that depend on others, once they have been counted.
    pub(super) deficiency: Option<usize>,
    /// How x changes with the unknowns, and ṽ beside v.
    pub(super) scales: Scales,
    pub(super) shift: f64,
    /// B = U ∂y/∂p, and B Z if Z ≠ I.
    pub(super) b: Vec<f64>,
    pub(super) b_z: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) s: Vec<f64>,
    pub(super) solution: Vec<f64>,
    pub(super) shares: [Vec<f64>; 4],
    pub(super) work: Vec<f64>,
    pub(super) port_force: Vec<f64>,
    /// x with ṽ; p'' without Z v'.
    pub(super) shifted: Vec<f64>,
    pub(super) curvature: Vec<f64>,
}

pub(super) fn answered(outcome: Outcome) -> Result<(), Trouble> {
    match outcome {
        Outcome::Continue => Ok(()),
        Outcome::Retry => Err(Trouble::Retry { code: Code::StoppedByPort }),
        Outcome::Stop => Err(Trouble::Stop { code: Code::StoppedByPort, not_finite: false }),
    }
}

pub(super) fn refused(subdomain: usize, what: &str, value: impl std::fmt::Display, allowed: &str) -> Failure {
    let text = format!("subdomain {subdomain}: {what} = {value} is not allowed; allowed: {allowed}");
    Failure::new(Code::BadArgument, text)
}

impl<'s> Local<'s> {
    /// A part as subdomain number `subdomain`, whose joints are those of the boundary of its leaf.
    pub fn new(
        part: Part<'s>,
        (subdomain, leaf): (usize, usize),
        boundary: &[usize],
        joints: &[Joint],
    ) -> Result<Self, Failure> {
        let view = View::new(&*part.system, part.mass);
        let (l, d) = (view.layout, view.layout.dims);
        if part.x.len() != l.n {
            return Err(refused(subdomain, "length of x", part.x.len(), &l.n.to_string()));
        }
        if let Some(i) = part.x.iter().position(|x| !x.is_finite()) {
            return Err(refused(subdomain, &l.state_name(i).to_string(), part.x[i], "finite"));
        }
        let ports: Vec<Evaluator<'s>> = part.ports.into_iter().map(|p| Evaluator::new(p, d.np)).collect();
        let mut size = 0;
        let mut connections = Vec::new();
        for &joint in boundary {
            let law = &joints[joint].law;
            for (side, end) in joints[joint].ends.iter().enumerate() {
                if end.subdomain != subdomain {
                    continue;
                }
                let available = ports.get(end.port).map(Evaluator::size);
                if available.is_none_or(|n| n < law.port_size()) {
                    let found = available.map_or("missing".to_string(), |n| format!("of {n} components"));
                    let name = format!("port {} of joint {joint}", end.port);
                    return Err(refused(
                        subdomain,
                        &name,
                        found,
                        &format!("at least {} components", law.port_size()),
                    ));
                }
                connections.push(Connection {
                    joint,
                    port: end.port,
                    terms: law.terms(side),
                    row: size,
                    rows: law.size(),
                });
                size += law.size();
            }
        }
        let point = Point::new(&d, part.x, size);
        let most = ports.iter().map(Evaluator::size).max().unwrap_or(0);
        let unknowns = Unknowns::new(&l, false);
        let zeros = |n: usize| vec![0.0; n];
        let mut made = Local {
            subdomain,
            leaf,
            system: part.system,
            ports,
            connections,
            size,
            new: point.clone(),
            old: point,
            general: false,
            stale: false,
            unknowns,
            matrix: matrix::analyse(SolverKind::Lu, unknowns, false),
            of_w: RealSolver::new(SolverKind::Lu, d.nw),
            deficiency: None,
            scales: Scales { by_v: 1.0, by_p: 1.0, by_r: 1.0, h: 0.0 },
            shift: 0.0,
            b: zeros(size * d.np),
            b_z: Vec::new(),
            y: zeros(unknowns.n * size),
            s: zeros(size * size),
            solution: zeros(unknowns.n),
            shares: std::array::from_fn(|_| zeros(size)),
            work: zeros((d.np.max(d.nv) * size.max(d.np.max(d.nv))).max(d.nw)),
            port_force: zeros(most),
            shifted: Vec::new(),
            curvature: zeros(d.np),
            view,
        };
        made.set_general(d.np != d.nv);
        Ok(made)
    }

    /// p' ≠ v was seen.
    pub fn is_general(&self) -> bool {
        self.general
    }

    /// The matrix in hand is not that of the unknowns.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Make positions unknowns of their own; nothing is taken back.
    pub fn set_general(&mut self, general: bool) {
        if !general || self.general {
            return;
        }
        self.general = true;
        self.stale = true;
        let l = self.view.layout;
        self.unknowns = Unknowns::new(&l, true);
        self.make_matrix(self.deficiency.unwrap_or(0) > 0);
        self.y.resize(self.unknowns.n * self.size, 0.0);
        self.solution.resize(self.unknowns.n, 0.0);
        self.b_z.resize(self.size * l.dims.nv, 0.0);
        self.shifted.resize(l.n, 0.0);
    }

    pub(super) fn make_matrix(&mut self, redundant: bool) {
        self.matrix = matrix::analyse(SolverKind::Lu, self.unknowns, redundant);
    }

    /// Rows that are active in a mode, as (joint, first row, number).
    fn active<'a>(
        &'a self,
        joints: &'a [Joint],
        mode: Mode,
    ) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
        let of = move |c: &Connection| (c.joint, c.row, rows(&joints[c.joint].law, mode.index()));
        self.connections.iter().map(of).filter(|(_, _, n)| *n > 0)
    }

    /// The iteration begins at the last accepted accelerations and forces.
    pub fn begin(&mut self) {
        let Local { old, new, .. } = self;
        new.copy_from(old);
    }

    /// The next step goes on from the velocities in x.
    pub fn go_on_from_result(&mut self) {
        let v = self.view.layout.x.v;
        self.new.v.copy_from_slice(v.of(&self.new.x));
    }

    /// Forces as they are shown, and from where the next step goes on.
    pub fn finish(&mut self, project: Projection, scheme: &Scheme, h: f64) {
        self.new.shown.copy_from_slice(&self.new.force);
        match project {
            Projection::None => {}
            Projection::Continued => self.go_on_from_result(),
            Projection::Result => {
                let multipliers = self.view.layout.x.multipliers;
                self.new.correct_forces(&self.old, (scheme, h), multipliers);
            }
        }
    }

    /// p' at the last accepted point, where it is not v.
    pub fn evaluate_rates(&mut self, t: f64) -> Result<(), Trouble> {
        if self.general {
            let Local { view, system, old, shifted, .. } = self;
            shifted.copy_from_slice(&old.x);
            view.layout.x.v.of_mut(shifted).copy_from_slice(&old.v);
            let rate = view.position_rate(&mut **system, t, shifted)?;
            old.p_rate.copy_from_slice(rate);
        }
        Ok(())
    }

    /// r, v, p and a that belong to r', v' and q.
    pub fn compose(&mut self, scheme: &Scheme, h: f64) {
        let (l, s) = (self.view.layout, scheme);
        let (by_v, by_p) = (s.gamma_hat * h, s.beta_hat * h * h);
        self.scales = Scales { by_v, by_p, by_r: s.rho * h, h };
        self.shift = h * s.shift;
        let (old, new) = (&self.old, &mut self.new);
        for i in 0..l.dims.nv {
            let (w, w_old, a_old) = (new.w[i], old.w[i], old.a[i]);
            let a = ((1.0 - s.alpha_f) * w + s.alpha_f * w_old - s.alpha_m * a_old) / (1.0 - s.alpha_m);
            let v = old.v[i];
            new.a[i] = a;
            if !self.general {
                let p = old.x[l.x.p.start + i];
                new.x[l.x.p.start + i] = p + h * v + h * h * ((0.5 - s.beta) * a_old + s.beta * a);
            }
            new.v[i] = v + h * ((1.0 - s.gamma) * a_old + s.gamma * a);
            new.x[l.x.v.start + i] = new.v[i];
        }
        if self.general {
            let p_old = l.x.p.of(&old.x);
            for (i, p) in l.x.p.of_mut(&mut new.x).iter_mut().enumerate() {
                *p = p_old[i] + h * old.p_rate[i] + by_p * new.q[i];
            }
        }
        let r_old = l.x.r.of(&old.x);
        for (i, r) in l.x.r.of_mut(&mut new.x).iter_mut().enumerate() {
            *r = r_old[i] + h * ((1.0 - s.rho) * old.slope[i] + s.rho * new.slope[i]);
        }
    }

    /// The model and the ports at the iterate.
    pub fn evaluate(&mut self, t: f64) -> Result<(), Trouble> {
        self.view.evaluate(&mut *self.system, t, &self.new.x)?;
        let l = self.view.layout;
        if !self.general && self.view.rows(l.rda.f_kin) != l.x.v.of(&self.new.x) {
            self.turn_general();
        }
        if self.general && self.size > 0 {
            // The forces of the joints act along the columns of B Z.
            self.view.differentiate(&mut *self.system, t, &self.new.x)?;
        }
        let (p, rate) = (l.x.p.of(&self.new.x), self.view.rows(l.rda.f_kin));
        for port in &mut self.ports {
            answered(port.evaluate(t, p, rate))?;
            if !(all_finite(&port.y) && all_finite(&port.jacobian) && all_finite(&port.rate)) {
                return Err(Trouble::NotFinite { code: Code::StoppedByPort });
            }
        }
        self.share(1, |port| &port.y);
        self.share(2, |port| &port.rate);
        Ok(())
    }

    /// p' was v up to here: q is what gives the positions in hand.
    fn turn_general(&mut self) {
        self.set_general(true);
        let l = self.view.layout;
        self.old.p_rate.copy_from_slice(&self.old.v);
        self.old.q.copy_from_slice(&self.old.w);
        let Scales { by_p, h, .. } = self.scales;
        for i in 0..l.dims.np {
            let (new, old) = (l.x.p.of(&self.new.x)[i], l.x.p.of(&self.old.x)[i]);
            self.new.q[i] = if h > 0.0 { (new - old - h * self.old.p_rate[i]) / by_p } else { self.old.q[i] };
        }
    }

    /// Initial values that do not satisfy the constraints are refused.
    pub fn check_start(&self) -> Result<(), Trouble> {
        let l = self.view.layout;
        let largest = |v: &[f64]| v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let scale = 1.0 + largest(&self.new.x);
        for block in [l.rda.g, l.rda.g_velocity, l.rda.h, l.rda.c] {
            if largest(self.view.rows(block)) > CONSISTENT * scale {
                return Err(Trouble::Stop { code: Code::InconsistentInitialValues, not_finite: false });
            }
        }
        Ok(())
    }

    /// This subdomain's share of u, u' or their like.
    pub(super) fn share(&mut self, which: usize, of: impl for<'a> Fn(&'a Evaluator<'s>) -> &'a [f64]) {
        let out = &mut self.shares[which];
        out.fill(0.0);
        for c in &self.connections {
            let values = of(&self.ports[c.port]);
            c.terms.iter().for_each(|t| out[c.row + t.row] += t.sign * values[t.component]);
        }
    }

    /// u and u' of this subdomain, for the check of the initial values.
    pub fn relative(&self, mut tell: impl FnMut(usize, &[f64], &[f64])) {
        for c in &self.connections {
            let range = c.row..c.row + c.rows;
            tell(c.joint, &self.shares[1][range.clone()], &self.shares[2][range]);
        }
    }

    /// What goes to the interface: S, if it is new, and the folded shares.
    pub fn write(&self, joints: &[Joint], mode: Mode, s: Option<&mut [f64]>, e: &mut [f64]) {
        let mut at = 0;
        for (joint, row, n) in self.active(joints, mode) {
            let law = &joints[joint].law;
            let count = super::front::channels(law, mode.index());
            let of = |k: usize| &self.shares[k][row..row + n];
            fold(law, mode, [of(0), of(1), of(2), of(3)], &mut e[at..at + count]);
            at += count;
        }
        let Some(s) = s else { return };
        let mut out = s.iter_mut();
        for (_, column, n) in self.active(joints, mode) {
            for j in column..column + n {
                for (_, row, n) in self.active(joints, mode) {
                    let entries = &self.s[row + j * self.size..][..n];
                    entries.iter().zip(&mut out).for_each(|(s, out)| *out = *s);
                }
            }
        }
    }

    /// Add the solution c - Y dF; gives squares of the changes of v', r' and w, and of these.
    pub fn update(&mut self, joints: &[Joint], mode: Mode, change: &[f64]) -> [f64; 2] {
        let (ld, l, u) = (self.unknowns.n, self.view.layout, self.unknowns);
        let mut change = change.iter();
        for c in &self.connections {
            let count = rows(&joints[c.joint].law, mode.index());
            for (r, d) in (c.row..c.row + count).zip(&mut change) {
                let column = &self.y[r * ld..(r + 1) * ld];
                self.solution.iter_mut().zip(column).for_each(|(x, y)| *x -= y * d);
                if mode == Mode::Project {
                    self.new.impulse[self.unknowns.multipliers.len() + r] = *d;
                } else {
                    self.new.force[r] += d;
                }
            }
        }
        let add = |to: &mut [f64], from: &[f64], factor: f64| {
            to.iter_mut().zip(from).for_each(|(to, d)| *to += factor * d);
        };
        let (new, solution) = (&mut self.new, &self.solution);
        if mode == Mode::Project {
            add(l.x.v.of_mut(&mut new.x), u.a.of(solution), 1.0);
            new.impulse[..u.multipliers.len()].copy_from_slice(u.multipliers.of(solution));
            return [0.0; 2];
        }
        add(&mut new.w, u.a.of(solution), 1.0);
        add(l.x.multipliers.of_mut(&mut new.x), u.multipliers.of(solution), 1.0);
        add(l.x.w.of_mut(&mut new.x), u.w.of(solution), 1.0);
        if mode == Mode::Start {
            self.begin_slopes();
        } else {
            add(&mut new.slope, u.slope.of(solution), 1.0);
            add(l.x.s.of_mut(&mut new.x), u.s.of(solution), self.scales.by_p);
            add(&mut new.q, u.q.of(solution), 1.0);
        }
        let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        let (new, solution) = (&self.new, &self.solution);
        [
            square(u.a.of(solution)) + square(u.slope.of(solution)) + square(u.w.of(solution)),
            square(&new.w) + square(&new.slope) + square(l.x.w.of(&new.x)),
        ]
    }

    /// r' and q that belong to the accelerations at the start.
    fn begin_slopes(&mut self) {
        let l = self.view.layout;
        self.new.slope.copy_from_slice(self.view.rows(l.rda.b));
        if self.general {
            for (i, q) in self.new.q.iter_mut().enumerate() {
                let along = self.new.w.iter().enumerate();
                let along: f64 = along.map(|(j, w)| self.view.position_rate_by_velocity(i, j) * w).sum();
                *q = along + self.curvature[i];
            }
        }
    }

    /// The iterate becomes the accepted point, a step h after the last one.
    pub fn accept(&mut self, h: f64) {
        let Local { old, new, .. } = self;
        new.slope_before.copy_from_slice(&old.slope);
        new.h_before = h;
        old.copy_from(new);
    }

    /// Force of a joint, if it touches this subdomain.
    pub fn joint_force(&self, joint: usize) -> Option<&[f64]> {
        let c = self.connections.iter().find(|c| c.joint == joint)?;
        Some(&self.old.shown[c.row..c.row + c.rows])
    }

    /// Rows and channels of a message to the interface.
    pub fn message(&self, joints: &[Joint], mode: Mode) -> (usize, usize) {
        self.active(joints, mode).fold((0, 0), |(rows, sent), (j, _, n)| {
            (rows + n, sent + super::front::channels(&joints[j].law, mode.index()))
        })
    }

    /// Sum of squares of the weighted errors c h² Z (a - a_n) of the positions and h³/6 r'\[n+1, n, n-1\] of r, and their number.
    pub fn error(&self, factor: f64, h: f64, (rtol, atol): (f64, f64)) -> [f64; 2] {
        let l = self.view.layout;
        let mut sum = 0.0;
        let mut add = |i: usize, error: f64| {
            let weight = atol + rtol * self.old.x[i].abs().max(self.new.x[i].abs());
            sum += (error / weight).powi(2);
        };
        let change = |j: usize| self.new.a[j] - self.old.a[j];
        for (i, at) in l.x.p.range().enumerate() {
            let moved = if self.general {
                (0..l.dims.nv).map(|j| self.view.position_rate_by_velocity(i, j) * change(j)).sum()
            } else {
                change(i)
            };
            add(at, factor * h * h * moved);
        }
        // Not after a start: there is no point before.
        let before = self.old.h_before;
        for (i, at) in l.x.r.range().enumerate().filter(|_| before > 0.0) {
            let (now, last) =
                (self.new.slope[i] - self.old.slope[i], self.old.slope[i] - self.old.slope_before[i]);
            add(at, h.powi(3) / 6.0 * (now / h - last / before) / (h + before));
        }
        [sum, (l.dims.np + l.dims.nr) as f64]
    }
}
