//! Selectors, and the reduced matrices B = S·M·N and C = S·FX·N.

use super::*;
use crate::linalg::products;

/// Why the selectors are those in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selectors {
    /// They still serve.
    Kept,
    /// Chosen anew without a look at the old ones.
    Renewed,
    /// Chosen anew because the pivot columns changed.
    PivotsChanged,
    /// Chosen anew because they had become a poor choice.
    Poor,
}

impl Formulation {
    /// Choose selectors, which may stay as they are if `keep`, and make B and C.
    pub fn select_and_reduce(&mut self, fx: &JacobianBlocks, mass: &Mass, keep: bool) -> Selectors {
        let selectors = if !(keep && self.watches_pivots() && self.selectors_fit()) {
            Selectors::Renewed
        } else if self.pivots_changed() {
            Selectors::PivotsChanged
        } else if self.selectors_poor(fx) {
            Selectors::Poor
        } else {
            Selectors::Kept
        };
        if selectors != Selectors::Kept {
            self.select(fx);
        }
        self.reduce(fx, mass);
        selectors
    }

    /// M·N, needed by selectors and B.
    #[inline(never)] // a part of `make profile`
    pub(super) fn apply_mass(&mut self, mass: &Mass, count: &mut u64) {
        let l = self.layout;
        let (n, nv) = (l.n, l.n3());
        if nv == 0 {
            return;
        }
        let k = self.free_v + self.free_q;
        let gathered = &mut self.scratch.many_out;
        for (column, out) in self.columns.chunks_exact(n.max(1)).zip(gathered.chunks_exact_mut(nv)).take(k) {
            out.copy_from_slice(l.x.v.of(column));
        }
        mass.mul(k, &gathered[..nv * k], &mut self.mass_columns[..nv * k], count);
    }

    /// True if the selectors were made for other pivot columns.
    fn pivots_changed(&self) -> bool {
        self.pivots != self.selected_for
    }

    /// True if the pivot columns of the constraints can be watched (LU), so that selectors may be kept.
    fn watches_pivots(&self) -> bool {
        self.kind == DecompositionKind::Lu
    }

    /// True if the selectors in hand fit the sizes of the current predecomposition.
    pub fn selectors_fit(&self) -> bool {
        self.rows_v.len() == self.dynamic_rows() && self.rows_p.len() == self.free_q
    }

    fn dynamic_rows(&self) -> usize {
        (self.free_v + self.free_m).min(self.layout.dims.nv)
    }

    /// Determine selectors from the current predecomposition. With FORM=1 the dynamic rows also carry λ and μ:
    /// all of them are kept, less one for each invariant.
    #[inline(never)] // a part of `make profile`
    fn select(&mut self, fx: &JacobianBlocks) {
        let (nv, np) = (self.layout.dims.nv, self.layout.dims.np);
        let columns = self.gather_dynamic(fx);
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::select_rows(nv, columns, select, &mut self.rows_v, taken);
        self.gather_kinematic();
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::select_rows(np, self.free_q, select, &mut self.rows_p, taken);
        self.selected_for.clone_from(&self.pivots);
    }

    /// True if the selectors in hand have become a poor choice although the pivot columns are the same: the
    /// mass matrix and the free directions have turned. Kept, they slow Newton's method down and cost
    /// accuracy (slider-crank at TOL = 1e-8: 40 times).
    #[inline(never)] // a part of `make profile`
    fn selectors_poor(&mut self, fx: &JacobianBlocks) -> bool {
        let (nv, np) = (self.layout.dims.nv, self.layout.dims.np);
        let columns = self.gather_dynamic(fx);
        let Scratch { select, taken, .. } = &mut self.scratch;
        if selector::is_poor(nv, columns, select, &self.rows_v, taken) {
            return true;
        }
        self.gather_kinematic();
        let Scratch { select, taken, .. } = &mut self.scratch;
        selector::is_poor(np, self.free_q, select, &self.rows_p, taken)
    }

    /// M·K_v, with FORM=1 followed by the columns of λ and μ, into the work space; returns the columns.
    fn gather_dynamic(&mut self, fx: &JacobianBlocks) -> usize {
        let (nv, multipliers) = (self.layout.dims.nv, free_multipliers(&self.layout));
        let work = &mut self.scratch.select;
        work[..nv * self.free_v].copy_from_slice(&self.mass_columns[..nv * self.free_v]);
        let columns = self.free_v + self.free_m;
        let forces = &fx.fx[4][nv * multipliers.start..nv * multipliers.end];
        let out = &mut work[nv * self.free_v..nv * columns];
        if self.free_m == multipliers.len() {
            out.copy_from_slice(forces);
        } else if let Some(block) = &self.forces {
            products::mul(nv, multipliers.len(), self.free_m, forces, block.row_basis(), out);
        }
        columns
    }

    /// K_p into the work space.
    fn gather_kinematic(&mut self) {
        let (ns, np, nq) = (self.layout.dims.ns, self.layout.dims.np, self.layout.n4());
        let kq = self.block3.null_basis();
        for j in 0..self.free_q {
            let column = &kq[nq * j..nq * (j + 1)];
            self.scratch.select[np * j..np * (j + 1)].copy_from_slice(&column[ns..]);
        }
    }

    /// B = S·M·N and C = S·FX·N.
    #[inline(never)] // a part of `make profile`
    pub fn reduce(&mut self, fx: &JacobianBlocks, mass: &Mass) {
        self.mass_rows.take(mass, &self.rows_v);
        let rda = &self.layout.rda;
        self.selected.clear();
        self.selected.extend(self.rows_p.iter().map(|i| rda.f_kin.start + i));
        self.selected.extend(self.rows_v.iter().map(|i| rda.f_dyn.start + i));
        self.selected.extend(rda.b.range());
        let l = self.layout;
        let (n, nz, nv) = (l.n, self.reduced_size(), l.dims.nv);
        let (dv, dp) = (self.rows_v.len(), self.rows_p.len());
        let k = self.free_v + self.free_q;

        self.reduce_jacobian(fx);
        let b = &mut self.b[..nz * nz];
        b.fill(0.0);
        for j in 0..nz {
            let column = &self.columns[n * j..n * (j + 1)];
            let target = &mut b[nz * j..nz * (j + 1)];
            for (t, &i) in target.iter_mut().zip(&self.rows_p) {
                *t = column[l.x.p.start + i];
            }
            if j < k {
                for (t, &i) in target[dp..].iter_mut().zip(&self.rows_v) {
                    *t = self.mass_columns[i + j * nv];
                }
            }
            target[dp + dv..].copy_from_slice(l.x.r.of(column));
        }
        self.solve_kinematics();
    }
}
