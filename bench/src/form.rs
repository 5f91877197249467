//! The formulations in which the peers take a model: right-hand side and exact Jacobian of M y' = F(t, y).
//!
//! ```text
//! y = (p, v, λ, μ)       p' = v - Gᵀμ,  M v' = f - Gᵀλ,  0 = Gv + g_t,  0 = g     GGL, index 2
//! y = (p, v, λ)          p' = v,        M v' = f - Gᵀλ,  0 = gII | Gv + g_t | g   index 1 | 2 | 3
//! y = (p, v, a, λ(, μ))  v' = a,        0 = f - Gᵀλ - M a                         for M(p), as in the IVP test set
//! ```
//!
//! For M(p) there is also the form without a, v' = M⁻¹(f - Gᵀλ): smaller systems, dearer right-hand sides.

use crate::lean::{Lean, Mass, Sink};
use crate::run::Start;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    Ggl,
    One,
    Two,
    Three,
}

/// How v' is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// By a constant mass matrix on the left.
    Mass,
    /// By accelerations as variables.
    Variable,
    /// By M⁻¹ on the right.
    Solved,
}

pub struct Form<L> {
    pub model: L,
    pub index: Index,
    pub rate: Rate,
    np: usize,
    nl: usize,
    /// Places in y.
    a: usize,
    lambda: usize,
    mu: usize,
    n: usize,
    acc: Vec<f64>,
    block: Vec<f64>,
}

impl<L: Lean> Form<L> {
    pub fn new(model: L, index: Index, rate: Rate) -> Self {
        assert!((model.mass_kind() == Mass::Variable) == (rate != Rate::Mass), "form and mass matrix");
        let (np, nl) = (model.np(), model.nl());
        let a = 2 * np;
        let lambda = if rate == Rate::Variable { 3 * np } else { a };
        let mu = lambda + nl;
        let n = if index == Index::Ggl { mu + nl } else { mu };
        let acc = vec![0.0; np];
        let block = vec![0.0; np * (2 * np + nl)];
        Form { model, index, rate, np, nl, a, lambda, mu, n, acc, block }
    }

    pub fn n(&self) -> usize {
        self.n
    }

    /// Numbers of variables of index 1, 2 and 3, which stand in this order.
    pub fn indices(&self) -> [usize; 3] {
        let (np, rest) = (self.np, self.n - 2 * self.np);
        match self.index {
            Index::One => [self.n, 0, 0],
            Index::Two | Index::Ggl => [2 * np, rest, 0],
            Index::Three => [np, np, rest],
        }
    }

    /// Leading equations y_i' = y_(i+np), which RADAU5 and RADAU eliminate by themselves (M1, with M2 = np).
    pub fn trivial(&self) -> usize {
        match (self.index, self.rate) {
            (Index::Ggl, _) => 0,
            (_, Rate::Variable) => 2 * self.np,
            _ => self.np,
        }
    }

    /// Bandwidth of the mass matrix on the left.
    pub fn band(&self) -> usize {
        match self.model.mass_kind() {
            Mass::Band(width) => width,
            _ => 0,
        }
    }

    /// The mass matrix on the left.
    pub fn left(&self, sink: &mut impl Sink) {
        let np = self.np;
        (0..np).for_each(|i| sink.put(i, i, 1.0));
        match self.rate {
            Rate::Mass => self.model.mass(&mut |i: usize, j: usize, m: f64| sink.put(np + i, np + j, m)),
            _ => (np..2 * np).for_each(|i| sink.put(i, i, 1.0)),
        }
    }

    /// y at the start; y' if wanted.
    pub fn start(&mut self, start: &Start, y: &mut [f64], rate: Option<&mut [f64]>) {
        let np = self.np;
        y.fill(0.0);
        y[..np].copy_from_slice(&start.p);
        y[np..2 * np].copy_from_slice(&start.v);
        y[self.lambda..self.lambda + self.nl].copy_from_slice(&start.lambda);
        self.model.prepare(start.t0, &start.p);
        self.model.force(&start.v, &mut self.acc);
        self.model.subtract_gtl(&start.lambda, &mut self.acc);
        self.model.solve_mass(&mut self.acc);
        if self.rate == Rate::Variable {
            y[self.a..self.a + np].copy_from_slice(&self.acc);
        }
        if let Some(rate) = rate {
            rate.fill(0.0);
            rate[..np].copy_from_slice(&start.v);
            rate[np..2 * np].copy_from_slice(&self.acc);
        }
    }

    /// F(t, y).
    #[inline]
    pub fn right(&mut self, t: f64, y: &[f64], out: &mut [f64]) {
        let (np, nl, model) = (self.np, self.nl, &mut self.model);
        let (p, v) = (&y[..np], &y[np..2 * np]);
        let lambda = &y[self.lambda..self.lambda + nl];
        model.prepare(t, p);
        out[..np].copy_from_slice(v);
        let force = if self.rate == Rate::Variable { self.a } else { np };
        let f = &mut out[force..force + np];
        model.force(v, f);
        model.subtract_gtl(lambda, f);
        match self.rate {
            Rate::Mass => {}
            Rate::Solved => model.solve_mass(f),
            Rate::Variable => {
                let a = &y[self.a..self.a + np];
                model.mass(&mut |i: usize, j: usize, m: f64| f[i] -= m * a[j]);
                out[np..2 * np].copy_from_slice(a);
            }
        }
        match self.index {
            Index::Ggl => {
                model.subtract_gtl(&y[self.mu..], &mut out[..np]);
                model.gv(v, &mut out[self.lambda..self.mu]);
                model.g(&mut out[self.mu..]);
            }
            Index::Two => model.gv(v, &mut out[self.lambda..]),
            Index::Three => model.g(&mut out[self.lambda..]),
            Index::One => {
                let (head, rows) = out.split_at_mut(self.lambda);
                model.gvv(v, rows);
                match self.rate {
                    Rate::Variable => model.add_ga(&y[self.a..self.a + np], rows),
                    Rate::Solved => model.add_ga(&head[np..2 * np], rows),
                    Rate::Mass => {
                        self.acc.copy_from_slice(&head[np..2 * np]);
                        model.solve_mass(&mut self.acc);
                        model.add_ga(&self.acc, rows);
                    }
                }
            }
        }
    }

    /// dF/dy without its first `skip` rows, which are trivial.
    #[inline]
    pub fn jacobian(&mut self, t: f64, y: &[f64], skip: usize, sink: &mut impl Sink) {
        let (np, nl, lam, mu, at_a) = (self.np, self.nl, self.lambda, self.mu, self.a);
        let (p, v) = (&y[..np], &y[np..2 * np]);
        let lambda = &y[lam..lam + nl];
        let model = &mut self.model;
        model.prepare(t, p);
        if skip == 0 {
            (0..np).for_each(|i| sink.put(i, np + i, 1.0));
        }
        if self.index == Index::Ggl {
            model.gtl_dp(&y[mu..], &mut |i: usize, j: usize, value: f64| sink.put(i, j, -value));
            model.gq(&mut |i: usize, j: usize, value: f64| sink.put(j, mu + i, -value));
        }
        let acceleration_rows = self.index == Index::One;
        // Derivatives of f - Gᵀλ, into the rows of v or a, or into a block that M⁻¹ or G is applied to.
        let dense = self.rate == Rate::Solved || (acceleration_rows && self.rate == Rate::Mass);
        if dense {
            let block = &mut self.block;
            block.fill(0.0);
            model.force_dp(v, &mut |i: usize, j: usize, value: f64| block[i + j * np] += value);
            model.gtl_dp(lambda, &mut |i: usize, j: usize, value: f64| block[i + j * np] -= value);
            model.force_dv(v, &mut |i: usize, j: usize, value: f64| block[i + (np + j) * np] += value);
            model.gq(&mut |i: usize, j: usize, value: f64| block[j + (2 * np + i) * np] -= value);
            model.force(v, &mut self.acc);
            model.subtract_gtl(lambda, &mut self.acc);
            model.solve_mass(&mut self.acc);
            model.mass_dp(&self.acc, &mut |i: usize, j: usize, value: f64| block[i + j * np] -= value);
            if self.rate == Rate::Mass {
                emit(block, np, np, sink);
            }
            block.chunks_exact_mut(np).for_each(|column| model.solve_mass(column));
            if self.rate == Rate::Solved {
                emit(block, np, np, sink);
            }
        } else {
            let row = if self.rate == Rate::Variable { at_a } else { np };
            model.force_dp(v, &mut |i: usize, j: usize, value: f64| sink.put(row + i, j, value));
            model.gtl_dp(lambda, &mut |i: usize, j: usize, value: f64| sink.put(row + i, j, -value));
            model.force_dv(v, &mut |i: usize, j: usize, value: f64| sink.put(row + i, np + j, value));
            model.gq(&mut |i: usize, j: usize, value: f64| sink.put(row + j, lam + i, -value));
            if self.rate == Rate::Variable {
                if skip < 2 * np {
                    (0..np).for_each(|i| sink.put(np + i, at_a + i, 1.0));
                }
                model.mass(&mut |i: usize, j: usize, m: f64| sink.put(at_a + i, at_a + j, -m));
                let a = &y[at_a..at_a + np];
                model.mass_dp(a, &mut |i: usize, j: usize, value: f64| sink.put(at_a + i, j, -value));
            }
        }
        match self.index {
            Index::Ggl => {
                model.gv_dp(v, &mut |i: usize, j: usize, value: f64| sink.put(lam + i, j, value));
                model.gq(&mut |i: usize, j: usize, value: f64| {
                    sink.put(lam + i, np + j, value);
                    sink.put(mu + i, j, value);
                });
            }
            Index::Two => {
                model.gv_dp(v, &mut |i: usize, j: usize, value: f64| sink.put(lam + i, j, value));
                model.gq(&mut |i: usize, j: usize, value: f64| sink.put(lam + i, np + j, value));
            }
            Index::Three => model.gq(&mut |i: usize, j: usize, value: f64| sink.put(lam + i, j, value)),
            Index::One => {
                let acc = if self.rate == Rate::Variable { &y[at_a..at_a + np] } else { &self.acc };
                model.gvv_dp(v, &mut |i: usize, j: usize, value: f64| sink.put(lam + i, j, value));
                model.ga_dp(acc, &mut |i: usize, j: usize, value: f64| sink.put(lam + i, j, value));
                model.gv_dp(v, &mut |i: usize, j: usize, value: f64| sink.put(lam + i, np + j, 2.0 * value));
                if self.rate == Rate::Variable {
                    model.gq(&mut |i: usize, j: usize, value: f64| sink.put(lam + i, at_a + j, value));
                } else {
                    let block = &self.block;
                    model.gq(&mut |i: usize, k: usize, value: f64| {
                        for j in 0..2 * np + nl {
                            sink.put(lam + i, j, value * block[k + j * np]);
                        }
                    });
                }
            }
        }
    }
}

/// All entries of a block with `rows` rows, from row `first` on.
#[inline]
fn emit(block: &[f64], rows: usize, first: usize, sink: &mut impl Sink) {
    for (j, column) in block.chunks_exact(rows).enumerate() {
        for (i, &value) in column.iter().enumerate() {
            sink.put(first + i, j, value);
        }
    }
}
