//! Systems that are another system in disguise.

use geoms::layout::{Dimensions, Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, System};

/// The same motion in other units: x̂ = D·x per component, rows of RDA multiplied by their own factors, and
/// time t̂ = clock·t. With powers of two nothing but the exponents of the numbers changes.
pub struct Units {
    inner: Box<dyn System + Send>,
    layout: Layout,
    /// D.
    pub state: Vec<f64>,
    row: Vec<f64>,
    force: f64,
    clock: f64,
    x: Vec<f64>,
}

/// Factors of the units.
#[derive(Clone, Copy)]
pub struct Factors {
    pub length: f64,
    pub multiplier: f64,
    pub force: f64,
    pub constraint: f64,
    pub clock: f64,
}

impl Units {
    pub fn new(inner: Box<dyn System + Send>, f: Factors) -> Self {
        let layout = Layout::new(inner.dimensions(), inner.form());
        let (l, speed) = (&layout, f.length / f.clock);
        let mut state = vec![1.0; l.n];
        l.x.multipliers.of_mut(&mut state).fill(f.multiplier);
        l.x.v.of_mut(&mut state).fill(speed);
        l.x.p.of_mut(&mut state).fill(f.length);
        let mut row = vec![1.0; l.m];
        for rows in [l.rda.rows1, l.rda.rows2, l.rda.rows3] {
            rows.of_mut(&mut row).fill(f.constraint);
        }
        l.rda.f_dyn.of_mut(&mut row).fill(f.force);
        l.rda.f_kin.of_mut(&mut row).fill(speed);
        Units { x: vec![0.0; l.n], inner, layout, state, row, force: f.force, clock: f.clock }
    }

    fn original(&mut self, x: &[f64]) {
        for ((o, x), d) in self.x.iter_mut().zip(x).zip(&self.state) {
            *o = x / d;
        }
    }
}

impl System for Units {
    geoms_problems::pass_on!(dimensions, form, has_jacobian);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.original(x);
        let outcome = self.inner.eom(t / self.clock, &self.x, rda);
        rda.iter_mut().zip(&self.row).for_each(|(r, f)| *r *= f);
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.original(x);
        let outcome = self.inner.mass(t / self.clock, &self.x, mass);
        let speed = self.layout.x.v.of(&self.state).first().copied().unwrap_or(1.0);
        // force·f = M̂·d v̂/d t̂ with v̂ = speed·v and t̂ = clock·t.
        mass.iter_mut().for_each(|m| *m *= self.force * self.clock / speed);
        outcome
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.original(x);
        let outcome = self.inner.jacobian(t / self.clock, &self.x, fx);
        for (k, (rows, first)) in self.layout.fx_position().into_iter().enumerate() {
            let (m, n) = fx.shape[k];
            for j in 0..n {
                for i in 0..m {
                    fx.fx[k][i + j * m] *= self.row[rows.start + i] / self.state[first + j];
                }
            }
        }
        outcome
    }
}

/// The same system with coordinates, velocities and constraints in another order.
pub struct Renumbered {
    inner: Box<dyn System + Send>,
    layout: Layout,
    /// Component i of the new x is component `state[i]` of the old one.
    pub state: Vec<usize>,
    row: Vec<usize>,
    x: Vec<f64>,
    rda: Vec<f64>,
    mass: Vec<f64>,
    fx: JacobianBlocks,
}

impl Renumbered {
    /// Reverse the order within every block.
    pub fn new(inner: Box<dyn System + Send>) -> Self {
        let layout = Layout::new(inner.dimensions(), inner.form());
        let l = &layout;
        let reverse = |blocks: &[geoms::layout::Block], len: usize| {
            let mut order: Vec<usize> = (0..len).collect();
            blocks.iter().for_each(|b| order[b.range()].reverse());
            order
        };
        let x = [l.x.w, l.x.lambda, l.x.mu, l.x.r, l.x.v, l.x.s, l.x.p];
        let r = &l.rda;
        let rows = [
            r.d,
            r.g_acceleration,
            r.h_acceleration,
            r.g_velocity,
            r.h,
            r.e,
            r.c,
            r.g,
            r.b,
            r.f_dyn,
            r.f_kin,
        ];
        Renumbered {
            state: reverse(&x, l.n),
            row: reverse(&rows, l.m),
            x: vec![0.0; l.n],
            rda: vec![0.0; l.m],
            mass: vec![0.0; l.dims.nv * l.dims.nv],
            fx: JacobianBlocks::new(&layout),
            inner,
            layout,
        }
    }

    /// x of the inner system from x of this one; its own inverse.
    pub fn swap(&self, x: &[f64]) -> Vec<f64> {
        self.state.iter().map(|&i| x[i]).collect()
    }

    fn original(&mut self, x: &[f64]) {
        for (i, &k) in self.state.iter().enumerate() {
            self.x[k] = x[i];
        }
    }
}

impl System for Renumbered {
    geoms_problems::pass_on!(dimensions, form, has_jacobian);

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.original(x);
        let outcome = self.inner.eom(t, &self.x, &mut self.rda);
        for (r, &k) in rda.iter_mut().zip(&self.row) {
            *r = self.rda[k];
        }
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.original(x);
        let outcome = self.inner.mass(t, &self.x, &mut self.mass);
        let (nv, last) = (self.layout.dims.nv, self.mass.len());
        for (i, m) in mass.iter_mut().enumerate().take(nv * nv) {
            *m = self.mass[last - 1 - i];
        }
        outcome
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.original(x);
        self.fx.clear();
        let outcome = self.inner.jacobian(t, &self.x, &mut self.fx);
        for (k, (rows, first)) in self.layout.fx_position().into_iter().enumerate() {
            let (m, n) = fx.shape[k];
            for j in 0..n {
                for i in 0..m {
                    let (row, column) =
                        (self.row[rows.start + i] - rows.start, self.state[first + j] - first);
                    fx.fx[k][i + j * m] = self.fx.fx[k][row + column * m];
                }
            }
        }
        outcome
    }
}

/// The same system with its first holonomic constraint stated twice.
pub struct Doubled {
    inner: Box<dyn System + Send>,
    old: Layout,
    new: Layout,
    x: Vec<f64>,
    rda: Vec<f64>,
    fx: JacobianBlocks,
    full: Vec<f64>,
}

impl Doubled {
    pub fn new(inner: Box<dyn System + Send>) -> Self {
        let dims = inner.dimensions();
        let old = Layout::new(dims, inner.form());
        let new = Layout::new(Dimensions { nl: dims.nl + 1, ..dims }, inner.form());
        Doubled {
            x: vec![0.0; old.n],
            rda: vec![0.0; old.m],
            fx: JacobianBlocks::new(&old),
            full: vec![0.0; new.m * new.n],
            inner,
            old,
            new,
        }
    }

    /// Layout with the additional constraint.
    pub fn layout(&self) -> Layout {
        self.new
    }

    /// The additional multiplier comes last among the λ and starts with half of the first.
    pub fn start(&self, x: &[f64]) -> Vec<f64> {
        let (first, last) = (self.old.x.lambda.start, self.old.x.lambda.end);
        let mut y = x.to_vec();
        y[first] *= 0.5;
        y.insert(last, y[first]);
        y
    }

    /// Components of the old x in the new one.
    fn column(&self, j: usize) -> usize {
        if j < self.old.x.lambda.end {
            j
        } else {
            j + 1
        }
    }

    /// Rows of the new RDA with the rows of the old one that they repeat.
    fn rows(&self) -> Vec<usize> {
        let (o, n) = (&self.old.rda, &self.new.rda);
        let mut map = vec![0; self.new.m];
        let pairs = [
            (o.d, n.d),
            (o.g_acceleration, n.g_acceleration),
            (o.h_acceleration, n.h_acceleration),
            (o.g_velocity, n.g_velocity),
            (o.h, n.h),
            (o.e, n.e),
            (o.c, n.c),
            (o.g, n.g),
            (o.b, n.b),
            (o.f_dyn, n.f_dyn),
            (o.f_kin, n.f_kin),
        ];
        for (old, new) in pairs {
            for i in 0..new.len() {
                map[new.start + i] = old.start + if i < old.len() { i } else { 0 };
            }
        }
        map
    }

    fn original(&mut self, x: &[f64]) {
        for j in 0..self.old.n {
            self.x[j] = x[self.column(j)];
        }
        self.x[self.old.x.lambda.start] += x[self.old.x.lambda.end];
    }
}

impl System for Doubled {
    fn dimensions(&self) -> Dimensions {
        self.new.dims
    }
    fn form(&self) -> Form {
        self.new.form
    }
    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        self.original(x);
        let outcome = self.inner.eom(t, &self.x, &mut self.rda);
        for (r, k) in rda.iter_mut().zip(self.rows()) {
            *r = self.rda[k];
        }
        outcome
    }
    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        self.original(x);
        self.inner.mass(t, &self.x, mass)
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        self.original(x);
        self.fx.clear();
        let outcome = self.inner.jacobian(t, &self.x, &mut self.fx);
        let (rows, new) = (self.rows(), self.new);
        let mut old_full = vec![0.0; self.old.m * self.old.n];
        for (k, (block, first)) in self.old.fx_position().into_iter().enumerate() {
            let (m, n) = self.fx.shape[k];
            for j in 0..n {
                for i in 0..m {
                    old_full[block.start + i + (first + j) * self.old.m] = -self.fx.fx[k][i + j * m];
                }
            }
        }
        let (first, added) = (self.old.x.lambda.start, self.old.x.lambda.end);
        for j in 0..self.old.n {
            let column = self.column(j);
            for (i, &row) in rows.iter().enumerate() {
                let value = old_full[row + j * self.old.m];
                self.full[i + column * new.m] = value;
                if j == first {
                    self.full[i + added * new.m] = value;
                }
            }
        }
        fx.set_from_full(&new, &self.full);
        outcome
    }
}
