//! Models without ballast: each callback computes what it is asked for and nothing else. Ours and all peers use them.
//!
//! M(p,t) v' = f(t,p,v) - Gᵀλ, p' = v, g(p,t) = 0. Matrices are emitted entry by entry, so that dense and sparse
//! matrices are filled without a detour. [`check`] compares a model with that of the test set.

pub mod andrews;
pub mod car_axis;
pub mod check;
pub mod derived;
pub mod linkage;
pub mod pendulum;
pub mod truck;

/// Takes a matrix entry: row, column, value. Entries of the same place add up.
pub trait Sink {
    /// One entry.
    fn put(&mut self, row: usize, column: usize, value: f64);
}

impl<F: FnMut(usize, usize, f64)> Sink for F {
    #[inline(always)]
    fn put(&mut self, row: usize, column: usize, value: f64) {
        self(row, column, value);
    }
}

/// What is known of the mass matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mass {
    /// Constant and diagonal.
    Diagonal,
    /// Constant with this many diagonals on either side.
    Band(usize),
    /// Depends on p.
    Variable,
}

/// A mechanical system with as many velocities as positions. [`Lean::prepare`] comes before anything that depends on p.
pub trait Lean {
    fn np(&self) -> usize;
    fn nl(&self) -> usize;
    fn mass_kind(&self) -> Mass;

    /// Remember the point and what all of the following share (sines, cosines, distances).
    fn prepare(&mut self, t: f64, p: &[f64]);

    /// Nonzeros of M.
    fn mass(&self, sink: &mut impl Sink);
    /// x := M⁻¹ x.
    fn solve_mass(&self, x: &mut [f64]);
    /// Nonzeros of d(M a)/dp.
    fn mass_dp(&self, _a: &[f64], _sink: &mut impl Sink) {}

    /// Applied forces.
    fn force(&self, v: &[f64], f: &mut [f64]);
    fn force_dp(&self, v: &[f64], sink: &mut impl Sink);
    fn force_dv(&self, v: &[f64], sink: &mut impl Sink);

    /// Nonzeros of G.
    fn gq(&self, sink: &mut impl Sink);
    fn g(&self, out: &mut [f64]);
    /// Partial derivative of g with respect to time.
    fn gt(&self, out: &mut [f64]) {
        out.fill(0.0);
    }
    /// Gv + g_t.
    fn gv(&self, v: &[f64], out: &mut [f64]);
    /// vᵀ g_pp v + 2 g_pt v + g_tt: what gII has beside G v'.
    fn gvv(&self, v: &[f64], out: &mut [f64]);
    /// d(Gv + g_t)/dp, which is also half of d(gvv)/dv.
    fn gv_dp(&self, v: &[f64], sink: &mut impl Sink);
    /// d(Ga)/dp.
    fn ga_dp(&self, a: &[f64], sink: &mut impl Sink) {
        self.gv_dp(a, sink);
    }
    /// d(gvv)/dp.
    fn gvv_dp(&self, v: &[f64], sink: &mut impl Sink);
    /// d(Gᵀλ)/dp.
    fn gtl_dp(&self, lambda: &[f64], sink: &mut impl Sink);

    /// f -= Gᵀλ.
    #[inline]
    fn subtract_gtl(&self, lambda: &[f64], f: &mut [f64]) {
        self.gq(&mut |i: usize, j: usize, value: f64| f[j] -= value * lambda[i]);
    }
    /// out += G a.
    #[inline]
    fn add_ga(&self, a: &[f64], out: &mut [f64]) {
        self.gq(&mut |i: usize, j: usize, value: f64| out[i] += value * a[j]);
    }
}
