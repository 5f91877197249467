//! The equations of one subdomain and their solution.
//!
//! ```text
//! [ K̄  -f_λ ] [dw]   [ f - M w - (B Z)ᵀ F ]
//! [ G    0  ] [dλ] = [ -g/(β̂h²)           ] ,   K̄ = M - γ̂h f_v + β̂h² [(M w)_p - f_p + Zᵀ (Bᵀ F)_p],   B = U ∂y/∂p
//! ```
//!
//! and beside these, if they are there, the rows of μ, r', w, s and, where Z ≠ I, of the positions ([`crate::model::unknowns`]). The solution
//! is c - Y dF; with dF from the interface the step is that of Newton's method on the whole system.

use super::front::Mode;
use super::local::{answered, Local};
use crate::error::Code;
use crate::layout::Block;
use crate::linalg::products::{mul, mul_vec};
use crate::model::Trouble;

impl Local<'_> {
    /// B, and B Z.
    fn rows_of_ports(&mut self) {
        let d = self.view.layout.dims;
        self.b.fill(0.0);
        for c in &self.connections {
            let port = &self.ports[c.port];
            let m = port.size();
            for t in &c.terms {
                for j in 0..d.np {
                    self.b[c.row + t.row + j * self.size] += t.sign * port.jacobian[t.component + j * m];
                }
            }
        }
        if self.is_general() {
            for j in 0..d.nv {
                for i in 0..self.size {
                    let along = (0..d.np)
                        .map(|k| self.b[i + k * self.size] * self.view.position_rate_by_velocity(k, j));
                    self.b_z[i + j * self.size] = along.sum();
                }
            }
        }
    }

    /// Along what forces of the joints act on v'.
    fn b_z(&self) -> &[f64] {
        if self.is_general() {
            &self.b_z
        } else {
            &self.b
        }
    }

    /// What moves the ports in a mode: positions by B, accelerations and velocities by B Z.
    fn moving(&self, mode: Mode) -> (&[f64], Block) {
        match mode {
            Mode::Step { .. } => (&self.b, self.unknowns.position()),
            Mode::Start | Mode::Project => (self.b_z(), self.unknowns.a),
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

    /// Matrix, its factors, Y = matrix⁻¹ [(B Z)ᵀ; 0] and S = B Y at the iterate.
    pub fn linearize(&mut self, t: f64, mode: Mode) -> Result<(), Trouble> {
        self.view.linearize(&mut *self.system, t, &self.new.x, &self.new.w)?;
        self.stale = false;
        if self.deficiency.is_none() {
            let found = self.view.count_dependent();
            self.deficiency = Some(found);
            if found > 0 {
                self.make_matrix(true);
                if mode == Mode::Start {
                    // Of minimum norm, whatever was given.
                    self.view.layout.x.multipliers.of_mut(&mut self.new.x).fill(0.0);
                }
            }
        }
        self.matrix.values().clear();
        if mode == Mode::Start || mode == Mode::Project {
            self.view.add_accelerations(&mut **self.matrix.values(), &self.unknowns);
        } else {
            self.view.add_step(&mut **self.matrix.values(), &self.unknowns, self.scales);
            self.add_stiffness_of_ports(t)?;
        }
        let deficiency = self.deficiency.unwrap_or(0);
        self.matrix
            .factor(self.scales.h, |matrix| matrix.factor(deficiency))
            .map_err(|_| Trouble::Stop { code: Code::SingularNewtonMatrix, not_finite: false })?;
        self.rows_of_ports();
        self.solve_for_forces(mode);
        Ok(())
    }

    /// β̂h² Zᵀ (Bᵀ F)_p. Where Z depends on p that of Zᵀ is left out: the iteration is then Newton's but for O(h²).
    fn add_stiffness_of_ports(&mut self, t: f64) -> Result<(), Trouble> {
        let (l, u) = (self.view.layout, self.unknowns);
        let (np, nv) = (l.dims.np, l.dims.nv);
        let mut stiffness = std::mem::take(&mut self.work);
        stiffness[..np * np].fill(0.0);
        let mut added = Ok(());
        for k in 0..self.connections.len() {
            let size = self.force_on_port(k);
            let port = &mut self.ports[self.connections[k].port];
            let (p, f) = (l.x.p.of(&self.new.x), &self.port_force[..size]);
            let outcome = port.add_stiffness(t, p, f, self.scales.by_p, &mut stiffness[..np * np]);
            added = added.and(answered(outcome));
        }
        let general = self.is_general();
        let (view, matrix) = (&self.view, self.matrix.values());
        for (j, column) in stiffness[..np * np].chunks_exact(np.max(1)).enumerate() {
            for i in 0..nv {
                let value = if general {
                    column.iter().enumerate().map(|(k, s)| view.position_rate_by_velocity(k, i) * s).sum()
                } else {
                    column[i]
                };
                if value != 0.0 {
                    matrix.add(u.a.start + i, u.position().start + j, value);
                }
            }
        }
        self.work = stiffness;
        added
    }

    fn solve_for_forces(&mut self, mode: Mode) {
        let (ld, size, nv) = (self.unknowns.n, self.size, self.view.layout.dims.nv);
        let general = self.is_general();
        self.y.fill(0.0);
        for r in 0..size {
            let column = &mut self.y[r * ld..(r + 1) * ld];
            let b_z = if general { &self.b_z } else { &self.b };
            (0..nv).for_each(|j| column[j] = b_z[r + j * size]);
            if let Some(mut factored) = self.matrix.factored() {
                factored.solve(column);
            }
        }
        // The rows of Y that move the ports, contiguous, for the product.
        let (mut moved, mut s) = (std::mem::take(&mut self.work), std::mem::take(&mut self.s));
        let (b, block) = self.moving(mode);
        let n = block.len();
        for r in 0..size {
            moved[r * n..(r + 1) * n].copy_from_slice(block.of(&self.y[r * ld..(r + 1) * ld]));
        }
        if size > 0 {
            mul(size, n, size, b, &moved, &mut s);
        }
        (self.s, self.work) = (s, moved);
    }

    /// What gI', h' and y'' are without v'. FX1..FX6 must be those of the iterate.
    pub fn curvatures(&mut self, t: f64, h: f64) -> Result<(), Trouble> {
        let l = self.view.layout;
        self.view.evaluate_gamma(&mut *self.system, t, &self.new.x, h)?;
        let (p, rate) = (l.x.p.of(&self.new.x), self.view.rows(l.rda.f_kin));
        for port in &mut self.ports {
            answered(port.evaluate_curvature(t, p, rate))?;
        }
        if self.is_general() {
            self.view.position_curvature(&mut self.curvature);
            for port in &mut self.ports {
                port.add_curvature(&self.curvature);
            }
        }
        self.share(3, |port| &port.curvature);
        Ok(())
    }

    /// Everything that the algorithm of [`super::gauss`] asks for, at the iterate.
    pub(super) fn evaluate_for_gauss(&mut self, t: f64, h: f64) -> Result<(), Trouble> {
        self.evaluate(t)?;
        if self.is_general() {
            return Err(Trouble::Stop { code: Code::NotGlueable, not_finite: false });
        }
        self.view.linearize(&mut *self.system, t, &self.new.x, &self.new.w)?;
        self.rows_of_ports();
        self.curvatures(t, h)
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
        self.solution.fill(0.0);
        if mode != Mode::Project {
            self.residual();
        }
        match mode {
            Mode::Step { .. } => self.residuals_of_a_step(t)?,
            Mode::Start => self.residuals_at_the_start(),
            Mode::Project => {
                let (l, u) = (self.view.layout, self.unknowns);
                let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
                u.multipliers.of_mut(&mut self.solution).copy_from_slice(self.view.rows(rows));
            }
        }
        if let Some(mut factored) = self.matrix.factored() {
            factored.solve(&mut self.solution);
        }
        let mut moved = std::mem::take(&mut self.work);
        let mut shares = std::mem::take(&mut self.shares[0]);
        let (b, block) = self.moving(mode);
        moved[..block.len()].copy_from_slice(block.of(&self.solution));
        if mode == Mode::Start {
            moved.iter_mut().zip(&self.new.w).for_each(|(m, w)| *m += w);
        }
        mul_vec(self.size, block.len(), b, &moved[..block.len()], &mut shares);
        (self.work, self.shares[0]) = (moved, shares);
        Ok(())
    }

    /// f - M w - (B Z)ᵀ F into the solution, with the ports as they are now.
    fn residual(&mut self) {
        let l = self.view.layout;
        let (nv, np) = (l.dims.nv, l.dims.np);
        self.view.mass_times(&self.new.w, &mut self.work[..nv]);
        let force = self.view.rows(l.rda.f_dyn);
        for (i, (f, inertia)) in force.iter().zip(&self.work).enumerate() {
            self.solution[i] = f - inertia;
        }
        self.work[..np].fill(0.0);
        for k in 0..self.connections.len() {
            let size = self.force_on_port(k);
            let jacobian = &self.ports[self.connections[k].port].jacobian;
            for (i, column) in jacobian.chunks_exact(size.max(1)).enumerate() {
                let sum: f64 = column.iter().zip(&self.port_force).map(|(c, f)| c * f).sum();
                if self.is_general() {
                    self.work[i] += sum;
                } else {
                    self.solution[i] -= sum;
                }
            }
        }
        if self.is_general() && self.size > 0 {
            for i in 0..nv {
                let along = (0..np).map(|k| self.view.position_rate_by_velocity(k, i) * self.work[k]);
                self.solution[i] -= along.sum::<f64>();
            }
        }
    }

    /// g and c over β̂h², h over γ̂h, d, b - r', and what the positions lack of p_n + h/2 (f_kin,n + f_kin(p, ṽ)).
    fn residuals_of_a_step(&mut self, t: f64) -> Result<(), Trouble> {
        let (l, u, scales) = (self.view.layout, self.unknowns, self.scales);
        for (block, rows, factor) in [
            (u.lambda, l.rda.g, 1.0 / scales.by_p),
            (u.mu, l.rda.h, 1.0 / scales.by_v),
            (u.w, l.rda.d, 1.0),
            (u.s, l.rda.c, 1.0 / scales.by_p),
            (u.slope, l.rda.b, 1.0),
        ] {
            let rows = self.view.rows(rows).iter();
            block.of_mut(&mut self.solution).iter_mut().zip(rows).for_each(|(e, r)| *e = factor * r);
        }
        let slopes = u.slope.of_mut(&mut self.solution).iter_mut().zip(&self.new.slope);
        slopes.for_each(|(e, s)| *e -= s);
        if !self.is_general() {
            return Ok(());
        }
        let Local { view, system, shifted, old, new, solution, .. } = self;
        shifted.copy_from_slice(&new.x);
        for (i, v) in l.x.v.of_mut(shifted).iter_mut().enumerate() {
            *v += self.shift * (new.a[i] - old.a[i]);
        }
        let rate = view.position_rate(&mut **system, t, shifted)?;
        let inverse = 0.5 * scales.h / scales.by_p;
        for (i, e) in u.q.of_mut(solution).iter_mut().enumerate() {
            *e = inverse * (rate[i] - old.p_rate[i]) - new.q[i];
        }
        Ok(())
    }

    fn residuals_at_the_start(&mut self) {
        let (l, u) = (self.view.layout, self.unknowns);
        u.w.of_mut(&mut self.solution).copy_from_slice(self.view.rows(l.rda.d));
        for (k, e) in u.multipliers.of_mut(&mut self.solution).iter_mut().enumerate() {
            *e = self.view.gamma()[k] - self.view.negative_constraint_acceleration(k, &self.new.w);
        }
    }
}
