//! One subdomain: its model, its ports, and its part of a step.
//!
//! ```text
//! [ K̄  -f_λ ] [dw]   [ f - M w - Bᵀ F ]
//! [ G    0  ] [dλ] = [ -g/(β̂h²)      ] ,   K̄ = M - γ̂h f_v + β̂h² [(M w)_p - f_p + (Bᵀ F)_p],   B = U ∂y/∂p
//! ```
//!
//! Its solution is c - Y dF; with dF from the interface the step is that of Newton's method on the whole system.

use super::front::{fold, rows, Mode};
use super::joint::{Joint, Term};
use super::part::{Part, Point};
use super::port::Evaluator;
use super::scheme::Scheme;
use super::view::View;
use crate::error::{Code, Failure};
use crate::linalg::dense::{mul, mul_vec};
use crate::linalg::{all_finite, RealSolver, SolverKind};
use crate::model::Trouble;
use crate::system::{Outcome, System};

/// A port's part in a joint.
#[derive(Debug)]
struct Connection {
    joint: usize,
    port: usize,
    terms: Vec<Term>,
    row: usize,
    rows: usize,
}

/// A subdomain in this process.
pub struct Local<'s> {
    /// Its number.
    pub subdomain: usize,
    /// Its leaf in the elimination tree.
    pub leaf: usize,
    /// Its model, derived.
    pub view: View,
    system: Box<dyn System + 's>,
    ports: Vec<Evaluator<'s>>,
    connections: Vec<Connection>,
    /// All rows of the joints, and the active ones in a projection.
    size: usize,
    pub(super) old: Point,
    pub(super) new: Point,
    solver: RealSolver,
    b: Vec<f64>,
    y: Vec<f64>,
    s: Vec<f64>,
    solution: Vec<f64>,
    gamma: Vec<f64>,
    shares: [Vec<f64>; 4],
    work: Vec<f64>,
    port_force: Vec<f64>,
}

fn answered(outcome: Outcome) -> Result<(), Trouble> {
    match outcome {
        Outcome::Continue => Ok(()),
        Outcome::Retry => Err(Trouble::Retry),
        Outcome::Stop => Err(Trouble::Stop { code: Code::StoppedByPort, not_finite: false }),
    }
}

fn refused(subdomain: usize, what: &str, value: impl std::fmt::Display, allowed: &str) -> Failure {
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
        for (name, value) in [("NR", d.nr), ("NW", d.nw), ("NS", d.ns), ("NM", d.nm)] {
            if value > 0 {
                return Err(refused(subdomain, name, value, "0: glued models have p, v and λ only"));
            }
        }
        if d.np != d.nv {
            return Err(refused(subdomain, "NP", d.np, "NV, with p' = v"));
        }
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
        let (n, m) = (d.nv, d.nl);
        let point = Point { x: part.x, w: vec![0.0; n], a: vec![0.0; n], force: vec![0.0; size] };
        let most = ports.iter().map(Evaluator::size).max().unwrap_or(0);
        Ok(Local {
            subdomain,
            leaf,
            system: part.system,
            ports,
            connections,
            size,
            new: point.clone(),
            old: point,
            solver: RealSolver::new(SolverKind::Lu, n + m),
            b: vec![0.0; size * n],
            y: vec![0.0; (n + m) * size],
            s: vec![0.0; size * size],
            solution: vec![0.0; n + m],
            gamma: vec![0.0; m],
            shares: std::array::from_fn(|_| vec![0.0; size]),
            work: vec![0.0; (n * size).max(n)],
            port_force: vec![0.0; most],
            view,
        })
    }

    /// Numbers of velocities and constraints.
    fn sizes(&self) -> (usize, usize) {
        (self.view.layout.dims.nv, self.view.layout.dims.nl)
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

    /// p, v and a that belong to w.
    pub fn compose(&mut self, scheme: &Scheme, h: f64) {
        let (l, s) = (self.view.layout, scheme);
        let (old, new) = (&self.old, &mut self.new);
        for i in 0..l.dims.nv {
            let (w, w_old, a_old) = (new.w[i], old.w[i], old.a[i]);
            let a = ((1.0 - s.alpha_f) * w + s.alpha_f * w_old - s.alpha_m * a_old) / (1.0 - s.alpha_m);
            let (p, v) = (old.x[l.x.p.start + i], old.x[l.x.v.start + i]);
            new.a[i] = a;
            new.x[l.x.p.start + i] = p + h * v + h * h * ((0.5 - s.beta) * a_old + s.beta * a);
            new.x[l.x.v.start + i] = v + h * ((1.0 - s.gamma) * a_old + s.gamma * a);
        }
    }

    /// The model and the ports at the iterate.
    pub fn evaluate(&mut self, t: f64) -> Result<(), Trouble> {
        self.view.evaluate(&mut *self.system, t, &self.new.x)?;
        let l = self.view.layout;
        let (p, v) = (l.x.p.of(&self.new.x), l.x.v.of(&self.new.x));
        for port in &mut self.ports {
            answered(port.evaluate(t, p, v))?;
            if !(all_finite(&port.y) && all_finite(&port.jacobian) && all_finite(&port.rate)) {
                return Err(Trouble::NotFinite);
            }
        }
        self.share(1, |port| &port.y);
        self.share(2, |port| &port.rate);
        Ok(())
    }

    /// This subdomain's share of u, u' or their like.
    fn share(&mut self, which: usize, of: impl for<'a> Fn(&'a Evaluator<'s>) -> &'a [f64]) {
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

    /// B = U ∂y/∂p.
    fn rows_of_ports(&mut self) {
        let (n, _) = self.sizes();
        self.b.fill(0.0);
        for c in &self.connections {
            let port = &self.ports[c.port];
            let m = port.size();
            for t in &c.terms {
                for j in 0..n {
                    self.b[c.row + t.row + j * self.size] += t.sign * port.jacobian[t.component + j * m];
                }
            }
        }
    }

    /// Uᵀ F of a connection, into `port_force`.
    fn force_on_port(&mut self, connection: usize) -> usize {
        let c = &self.connections[connection];
        let n = self.ports[c.port].size();
        self.port_force[..n].fill(0.0);
        for t in &c.terms {
            self.port_force[t.component] += t.sign * self.new.force[c.row + t.row];
        }
        n
    }

    /// Matrix, its factors, Y = matrix⁻¹ [Bᵀ; 0] and S = B Y at the iterate.
    pub fn linearize(&mut self, t: f64, mode: Mode) -> Result<(), Trouble> {
        let (n, m) = self.sizes();
        let l = self.view.layout;
        self.view.linearize(&mut *self.system, t, &self.new.x, &self.new.w)?;
        let ld = n + m;
        let singular = |_| Trouble::Stop { code: Code::SingularNewtonMatrix, not_finite: false };
        self.solver.matrix_mut().fill(0.0);
        match mode {
            Mode::Step { by_v, by_p } => {
                self.view.stiffness((by_v, by_p), self.solver.matrix_mut(), ld);
                let mut stiffness = std::mem::take(&mut self.work);
                stiffness.resize(n * n.max(self.size), 0.0);
                stiffness[..n * n].fill(0.0);
                for k in 0..self.connections.len() {
                    let size = self.force_on_port(k);
                    let port = &mut self.ports[self.connections[k].port];
                    let (p, f) = (l.x.p.of(&self.new.x), &self.port_force[..size]);
                    answered(port.add_stiffness(t, p, f, by_p, &mut stiffness[..n * n]))?;
                }
                let matrix = self.solver.matrix_mut();
                for j in 0..n {
                    let column = matrix[j * ld..j * ld + n].iter_mut();
                    column.zip(&stiffness[j * n..]).for_each(|(a, b)| *a += b);
                }
                self.work = stiffness;
            }
            Mode::Start | Mode::Project => self.view.stiffness((0.0, 0.0), self.solver.matrix_mut(), ld),
        }
        let (view, matrix) = (&self.view, self.solver.matrix_mut());
        for k in 0..m {
            for j in 0..n {
                matrix[j + (n + k) * ld] = view.force_by_multiplier(j, k);
                matrix[n + k + j * ld] = match mode {
                    Mode::Step { .. } => view.constraint_by_position(k, j),
                    Mode::Start | Mode::Project => view.constraint_by_velocity(k, j),
                };
            }
        }
        self.solver.factor().map_err(singular)?;
        self.rows_of_ports();
        self.y.fill(0.0);
        for r in 0..self.size {
            let column = &mut self.y[r * ld..(r + 1) * ld];
            for (j, y) in column[..n].iter_mut().enumerate() {
                *y = self.b[r + j * self.size];
            }
            self.solver.solve(column);
        }
        // The leading n rows of Y, contiguous, for the product.
        self.work.resize((n * self.size).max(self.work.len()), 0.0);
        for r in 0..self.size {
            self.work[r * n..(r + 1) * n].copy_from_slice(&self.y[r * ld..r * ld + n]);
        }
        if self.size > 0 {
            mul(self.size, n, self.size, &self.b, &self.work, &mut self.s);
        }
        Ok(())
    }

    /// What gII and y'' are without v'.
    fn curvatures(&mut self, t: f64) -> Result<(), Trouble> {
        let l = self.view.layout;
        let Local { view, system, new, gamma, .. } = self;
        view.gamma(&mut **system, t, &new.x, gamma)?;
        let (p, v) = (l.x.p.of(&self.new.x), l.x.v.of(&self.new.x));
        for port in &mut self.ports {
            answered(port.evaluate_curvature(t, p, v))?;
        }
        self.share(3, |port| &port.curvature);
        Ok(())
    }

    /// Everything that the algorithm of [`super::gauss`] asks for, at the iterate.
    pub(super) fn evaluate_for_gauss(&mut self, t: f64) -> Result<(), Trouble> {
        self.evaluate(t)?;
        self.view.linearize(&mut *self.system, t, &self.new.x, &self.new.w)?;
        self.rows_of_ports();
        self.curvatures(t)
    }

    /// gII without v'.
    pub(super) fn gamma(&self) -> &[f64] {
        &self.gamma
    }

    /// Tell, for every row of a joint: its shares of u, u' and y'' without v', and its row of B.
    pub(super) fn rows_for_gauss(&self, mut tell: impl FnMut(usize, usize, [f64; 3], &dyn Fn(usize) -> f64)) {
        for c in &self.connections {
            for i in 0..c.rows {
                let row = c.row + i;
                let shares = [self.shares[1][row], self.shares[2][row], self.shares[3][row]];
                tell(c.joint, i, shares, &|j| self.b[row + j * self.size]);
            }
        }
    }

    /// The solution for dF = 0 and its relative accelerations c.
    pub fn solve(&mut self, t: f64, mode: Mode) -> Result<(), Trouble> {
        let (n, m) = self.sizes();
        let l = self.view.layout;
        if mode == Mode::Start {
            self.curvatures(t)?;
        }
        if mode == Mode::Project {
            self.solution[..n].fill(0.0);
        } else {
            self.residual();
        }
        for k in 0..m {
            self.solution[n + k] = match mode {
                Mode::Step { by_p, .. } => -self.view.rows(l.rda.g)[k] / by_p,
                Mode::Start => -self.gamma[k],
                Mode::Project => -self.view.rows(l.rda.g_velocity)[k],
            };
        }
        self.solver.solve(&mut self.solution);
        mul_vec(self.size, n, &self.b, &self.solution[..n], &mut self.shares[0]);
        Ok(())
    }

    /// f - M w - Bᵀ F into the solution, with the ports as they are now.
    fn residual(&mut self) {
        let (n, _) = self.sizes();
        let l = self.view.layout;
        self.view.mass_times(&self.new.w, &mut self.work[..n]);
        let force = self.view.rows(l.rda.f_dyn);
        for (i, (f, inertia)) in force.iter().zip(&self.work).enumerate() {
            self.solution[i] = f - inertia;
        }
        for k in 0..self.connections.len() {
            let size = self.force_on_port(k);
            let jacobian = &self.ports[self.connections[k].port].jacobian;
            for (i, column) in jacobian.chunks_exact(size.max(1)).enumerate() {
                let sum: f64 = column.iter().zip(&self.port_force).map(|(c, f)| c * f).sum();
                self.solution[i] -= sum;
            }
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

    /// Add the solution c - Y dF; gives |dw|² and |w|².
    pub fn update(&mut self, joints: &[Joint], mode: Mode, change: &[f64]) -> [f64; 2] {
        let (n, m) = self.sizes();
        let (ld, l) = (n + m, self.view.layout);
        let mut change = change.iter();
        for c in &self.connections {
            let count = rows(&joints[c.joint].law, mode.index());
            for (r, d) in (c.row..c.row + count).zip(&mut change) {
                let column = &self.y[r * ld..(r + 1) * ld];
                self.solution.iter_mut().zip(column).for_each(|(x, y)| *x -= y * d);
                if mode != Mode::Project {
                    self.new.force[r] += d;
                }
            }
        }
        let dw = &self.solution[..n];
        if mode == Mode::Project {
            l.x.v.of_mut(&mut self.new.x).iter_mut().zip(dw).for_each(|(v, d)| *v += d);
            return [0.0; 2];
        }
        self.new.w.iter_mut().zip(dw).for_each(|(w, d)| *w += d);
        let lambda = l.x.lambda.of_mut(&mut self.new.x).iter_mut();
        lambda.zip(&self.solution[n..]).for_each(|(l, d)| *l += d);
        let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        [square(dw), square(&self.new.w)]
    }

    /// The iterate becomes the accepted point.
    pub fn accept(&mut self) {
        let Local { old, new, .. } = self;
        old.copy_from(new);
    }

    /// Force of a joint, if it touches this subdomain.
    pub fn joint_force(&self, joint: usize) -> Option<&[f64]> {
        let c = self.connections.iter().find(|c| c.joint == joint)?;
        Some(&self.old.force[c.row..c.row + c.rows])
    }

    /// Rows and channels of a message to the interface.
    pub fn message(&self, joints: &[Joint], mode: Mode) -> (usize, usize) {
        self.active(joints, mode).fold((0, 0), |(rows, sent), (j, _, n)| {
            (rows + n, sent + super::front::channels(&joints[j].law, mode.index()))
        })
    }

    /// Sum of squares of the weighted error c h² (a - a_n) of the positions, and their number.
    pub fn error(&self, factor: f64, (rtol, atol): (f64, f64)) -> [f64; 2] {
        let p = self.view.layout.x.p;
        let (old, new) = (p.of(&self.old.x), p.of(&self.new.x));
        let mut sum = 0.0;
        for i in 0..p.len() {
            let weight = atol + rtol * old[i].abs().max(new[i].abs());
            sum += (factor * (self.new.a[i] - self.old.a[i]) / weight).powi(2);
        }
        [sum, p.len() as f64]
    }
}
