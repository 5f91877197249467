//! The kinematic rows solved for the free velocities: reduced systems of half the order.
//!
//! With as many free velocities as free positions the kinematic rows read C_pv·z_v + (θ·B_pp + C_pp)·z_p = r_p, and C_pv
//! does not depend on the step size. With z_p = B_pp⁻¹·y_p and z_v = C_pv⁻¹·(y_v - C_pp·z_p) they become
//!
//! ```text
//! y_v + w = r_p,   w = θ·y_p
//! ```
//!
//! and what is left of (θ·B + C)·z = r is, with the columns of B and C for y,
//!
//! ```text
//! (-θ·B_v + B_p - C_v + C_p/θ)·w + (θ·B_r + C_r)·z_r = r - (θ·B_v + C_v)·r_p
//! ```
//!
//! z_r being force variables and, with FORM=1, multipliers. w and not y_p is solved for: θ² may overflow. RADAU5 does the same for y'' = f (HW II, IV.8, M1), on a larger system.

use super::Formulation;
use crate::linalg::lanes;
use crate::linalg::{products, Lanes, LuReal, Theta};

/// Condition numbers above this leave the kinematic rows where they are: rounding errors times it still leave
/// Newton's method a rate of convergence of 1e-8.
const WELL_CONDITIONED: f64 = 1e8;

/// What the elimination of the free velocities needs.
#[derive(Debug)]
pub(super) struct Kinematics {
    allowed: bool,
    /// Free velocities eliminated; 0 if they are not.
    eliminated: usize,
    change: Change,
}

/// The change of bases.
#[derive(Debug)]
struct Change {
    /// C_pv = -I, B_pp = I, C_pp = 0: only the sign of z_v changes.
    sign_only: bool,
    lu: LuReal,
    /// C_pv⁻¹, B_pp⁻¹ and C_pp, d×d.
    inverse_v: Vec<f64>,
    inverse_p: Vec<f64>,
    coupling: Vec<f64>,
    scratch: Vec<f64>,
}

impl Kinematics {
    pub(super) fn new(allowed: bool, rows: usize, free: usize) -> Self {
        let square = || vec![0.0; free * free];
        let change = Change {
            sign_only: false,
            lu: LuReal::new(free),
            inverse_v: square(),
            inverse_p: square(),
            coupling: square(),
            scratch: vec![0.0; rows * free],
        };
        Kinematics { allowed, eliminated: 0, change }
    }
}

impl Change {
    /// Find it from the kinematic rows, which come first in B and C of order nz; false if there is no good one.
    fn find(&mut self, d: usize, nz: usize, b: &[f64], c: &[f64]) -> bool {
        let (b_pp, c_pv, c_pp) = (&b[nz * d..], c, &c[nz * d..]);
        // p' = v with the same basis for both: most mechanisms.
        self.sign_only = [(b_pp, 1.0), (c_pv, -1.0), (c_pp, 0.0)]
            .iter()
            .all(|(a, value)| is_multiple_of_identity(d, a, nz, *value));
        if self.sign_only {
            return true;
        }
        for (to, from) in self.coupling.chunks_exact_mut(d).zip(c_pp.chunks(nz)).take(d) {
            to.copy_from_slice(&from[..d]);
        }
        invert(&mut self.lu, d, c_pv, nz, &mut self.inverse_v)
            && invert(&mut self.lu, d, b_pp, nz, &mut self.inverse_p)
    }

    /// X_v := X_v·C_pv⁻¹, X_p := (X_p - X_v·C_pp)·B_pp⁻¹ for `rows` rows of a matrix.
    fn apply(&mut self, d: usize, rows: usize, x: &mut [f64], ld: usize) {
        let (v, p) = x.split_at_mut(ld * d);
        if self.sign_only {
            v.chunks_mut(ld).for_each(|v| v[..rows].iter_mut().for_each(|v| *v = -*v));
            return;
        }
        multiply(rows, d, v, ld, &self.inverse_v, &mut self.scratch);
        products::add_mul_ld((rows, d, d), -1.0, (v, ld), (&self.coupling, d), (p, ld));
        multiply(rows, d, p, ld, &self.inverse_p, &mut self.scratch);
    }
}

/// True if the leading d×d block is `value` times the identity.
fn is_multiple_of_identity(d: usize, a: &[f64], ld: usize, value: f64) -> bool {
    let expected = |i: usize, j: usize| if i == j { value } else { 0.0 };
    a.chunks(ld)
        .take(d)
        .enumerate()
        .all(|(j, a)| a[..d].iter().enumerate().all(|(i, a)| *a == expected(i, j)))
}

/// X := X·T, X `rows`×d with leading dimension `ld`, T d×d.
fn multiply(rows: usize, d: usize, x: &mut [f64], ld: usize, t: &[f64], copy: &mut [f64]) {
    for (copy, x) in copy.chunks_exact_mut(rows.max(1)).zip(x.chunks_mut(ld)).take(d) {
        copy.copy_from_slice(&x[..rows]);
        x[..rows].fill(0.0);
    }
    products::add_mul_ld((rows, d, d), 1.0, (copy, rows), (t, d), (x, ld));
}

/// The inverse of the leading d×d block of `a`, if that is well conditioned.
fn invert(lu: &mut LuReal, d: usize, a: &[f64], ld: usize, inverse: &mut [f64]) -> bool {
    lu.resize(d);
    for (to, from) in lu.matrix_mut().chunks_exact_mut(d).zip(a.chunks(ld)) {
        to.copy_from_slice(&from[..d]);
    }
    let norm =
        |columns: &[f64]| columns.chunks_exact(d).fold(0.0f64, |m, c| m.max(c.iter().map(|v| v.abs()).sum()));
    let size = norm(lu.matrix_mut());
    if lu.factor().is_err() {
        return false;
    }
    let inverse = &mut inverse[..d * d];
    inverse.fill(0.0);
    for (j, column) in inverse.chunks_exact_mut(d).enumerate() {
        column[j] = 1.0;
        lu.solve(column);
    }
    size * norm(inverse) <= WELL_CONDITIONED
}

impl Formulation {
    /// Unknowns of the reduced systems that the kinematic rows give; E1 and E2 are smaller by so many.
    pub fn eliminated(&self) -> usize {
        self.kinematics.eliminated
    }

    /// Go over to the unknowns y in B and C.
    pub(super) fn solve_kinematics(&mut self) {
        let (d, nz) = (self.free_v, self.reduced_size());
        let kinematics = &mut self.kinematics;
        kinematics.eliminated = 0;
        if !kinematics.allowed || d == 0 || self.free_q != d || self.rows_p.len() != d {
            return;
        }
        let (b, c) = (&mut self.b[..nz * nz], &mut self.c[..nz * nz]);
        let change = &mut kinematics.change;
        if !change.find(d, nz, b, c) {
            return;
        }
        change.apply(d, nz - d, &mut b[d..], nz);
        change.apply(d, nz - d, &mut c[d..], nz);
        // B_p - C_v in place of B_p.
        for (b, c) in b[nz * d..].chunks_exact_mut(nz).zip(c.chunks_exact(nz)).take(d) {
            b[d..].iter_mut().zip(&c[d..]).for_each(|(b, c)| *b -= c);
        }
        kinematics.eliminated = d;
    }

    /// The right-hand side without the kinematic rows, which come first: r -= (θ·B_v + C_v)·r_p.
    pub(super) fn eliminate_velocities<const L: usize>(
        &self,
        theta: &Theta<L>,
        z: &mut [Lanes<L>],
        moved: &mut [Lanes<L>],
    ) {
        let (d, nz) = (self.kinematics.eliminated, z.len());
        if d == 0 {
            return;
        }
        let (r_p, r) = z.split_at_mut(d);
        moved.iter_mut().zip(r_p.iter()).for_each(|(m, r)| *m = theta.apply(r));
        lanes::subtract_product(self.processor, &self.b[d..], nz, &moved[..d], r);
        lanes::subtract_product(self.processor, &self.c[d..], nz, r_p, r);
    }

    /// z from what the kinematic rows and the reduced systems left in it, r_p and w.
    pub(super) fn restore_velocities<const L: usize>(
        &self,
        theta: &Theta<L>,
        z: &mut [Lanes<L>],
        moved: &mut [Lanes<L>],
    ) {
        let d = self.kinematics.eliminated;
        if d == 0 {
            return;
        }
        let (v, p) = z[..2 * d].split_at_mut(d);
        let inverse = theta.inverse();
        for (v, p) in v.iter_mut().zip(p.iter_mut()) {
            v.iter_mut().zip(p.iter()).for_each(|(v, w)| *v -= w);
            *p = inverse.apply(p);
        }
        let Change { sign_only, inverse_v, inverse_p, coupling, .. } = &self.kinematics.change;
        if *sign_only {
            v.iter_mut().for_each(|v| *v = v.map(|v| -v));
            return;
        }
        let moved = &mut moved[..d];
        moved.copy_from_slice(p);
        p.fill([0.0; L]);
        lanes::add_product(self.processor, inverse_p, d, moved, p);
        lanes::subtract_product(self.processor, coupling, d, p, v);
        moved.copy_from_slice(v);
        v.fill([0.0; L]);
        lanes::add_product(self.processor, inverse_v, d, moved, v);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LaneWork, Missing, Shifts};
    use super::*;
    use crate::decompose::DecompositionKind;
    use crate::layout::{Form, Layout};
    use crate::linalg::linear::Linear;
    use crate::linalg::testing::Random;
    use crate::linalg::SolverKind;
    use crate::mechanism::samples::{Arm, Circle, Everything};
    use crate::mechanism::{self, Mechanism, Model};
    use crate::model::Mass;
    use crate::options::MassStructure;
    use crate::rank::RankPolicy;
    use crate::system::{JacobianBlocks, System};

    /// Δx for random right-hand sides, and how many velocities were eliminated on the way. Only LU eliminates them.
    fn increments(
        mechanism: impl Mechanism,
        x0: &[f64],
        form: Form,
        kind: DecompositionKind,
        by: SolverKind,
    ) -> (Vec<Lanes<4>>, usize) {
        let mut system = Model::new(mechanism, mechanism::Options::new(form, true), 0.0, x0);
        let layout = Layout::new(system.dimensions(), form);
        let (mut fx, mut mass) = (JacobianBlocks::new(&layout), Mass::new(&layout, MassStructure::Full));
        let mut random = Random::new(7);
        // Away from the initial position, where much is zero.
        let x: Vec<f64> = x0.iter().map(|x| x + 0.1 * random.next()).collect();
        let _ = system.jacobian(0.0, &x, &mut fx);
        mass.evaluate(&mut system, 0.0, &x, &mut 0).expect("mass matrix");

        let policy = RankPolicy::new(kind, true, 1e-6);
        let mut f = Linear::analysed(Formulation::new(&layout, (kind, by), policy, false, 1));
        f.values().decompose(&fx, &mass, None, &mut 0).expect("full rank");
        f.values().select_and_reduce(&fx, &mass, false);
        let mut lanes =
            |n: usize| -> Vec<Lanes<4>> { (0..n).map(|_| std::array::from_fn(|_| random.next())).collect() };
        let (algebraic, selected) = (lanes(layout.rda.rows3.end), lanes(layout.m));
        // One right-hand side per row of RDA: the selectors may keep others.
        let selected: Vec<_> = f.selected_rows().iter().map(|&i| selected[i]).collect();

        let shifts = Shifts { gamma: 3.6, pairs: &[(2.7, 3.05)], h: 1e-2 };
        let (mut x, mut work) = (vec![[0.0; 4]; layout.n], LaneWork::new(&f));
        let mut factored = f.factor(shifts, |f| f.factor(&shifts)).expect("regular");
        factored.solve(&fx, (&algebraic, &selected), Missing::Nothing, &mut work, &mut x);
        // The fourth lane has no system.
        x.iter_mut().for_each(|x| x[3] = 0.0);
        (x, f.eliminated())
    }

    /// `possible`: whether there are as many free velocities as positions.
    fn compare(name: &str, mechanism: impl Mechanism + Clone, x0: &[f64], possible: bool) {
        for form in [Form::StrangenessFree, Form::Index1] {
            for kind in [DecompositionKind::Lu, DecompositionKind::Qr] {
                let (with, eliminated) = increments(mechanism.clone(), x0, form, kind, SolverKind::Lu);
                let (without, none) = increments(mechanism.clone(), x0, form, kind, SolverKind::Qr);
                assert_eq!((eliminated > 0, none), (possible, 0), "{name} {form:?} {kind:?}");
                let size = without.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
                for (a, b) in with.iter().flatten().zip(without.iter().flatten()) {
                    assert!((a - b).abs() <= 1e-9 * size, "{name} {form:?} {kind:?}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn increments_are_the_same_with_and_without_the_elimination() {
        compare("circle", Circle, &Circle::x0(), true);
        compare("arm", Arm, &Arm::x0(), true);
        compare("everything", Everything, &Everything::x0(), false);
    }
}
