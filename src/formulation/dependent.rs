//! Which components of Δx need products. With the LU decomposition every free component is one entry of z and only
//! those that depend on them are sums; with QR and SVD all are. Both S·FX·N and N·z then cost the number of
//! dependent components instead of n.

use super::Formulation;
use crate::system::JacobianBlocks;

/// Dependent components with their parts of N and S·FX, and the free ones.
#[derive(Debug)]
pub(super) struct Dependents {
    /// Components of x that are sums over z, and the only ones in which a particular solution is not zero.
    pub(super) rows: Vec<usize>,
    /// LU: the component that each entry of z is. Empty otherwise.
    pub(super) free: Vec<usize>,
    /// These rows of N, rows×nz.
    pub(super) n: Vec<f64>,
    /// These columns of S·FX, nz×rows.
    pub(super) fx: Vec<f64>,
}

impl Dependents {
    pub(super) fn new(n: usize, nz: usize) -> Self {
        Dependents {
            rows: Vec::with_capacity(n),
            free: Vec::with_capacity(nz),
            n: vec![0.0; n * nz],
            fx: vec![0.0; nz * n],
        }
    }
}

impl Formulation {
    /// Sort the components by the decompositions in hand, before N is made.
    pub(super) fn find_dependents(&mut self) {
        let l = &self.layout;
        let (v, q) = (l.x.v, l.x.contact_position);
        let Dependents { rows, free, .. } = &mut self.dependents;
        rows.clear();
        free.clear();
        let (Some(dependent_v), Some(dependent_q)) =
            (self.block2.dependent_columns(), self.block3.dependent_columns())
        else {
            rows.extend(0..l.n);
            return;
        };
        rows.extend(self.solved.range());
        for (block, dependent) in [(v, dependent_v), (q, dependent_q)] {
            let mut next = dependent.iter().peekable();
            for j in 0..block.len() {
                if next.next_if(|d| **d == j).is_some() {
                    rows.push(block.start + j);
                } else {
                    free.push(block.start + j);
                }
            }
        }
        free.extend(l.x.r.range());
        free.extend(super::free_multipliers(l).range());
    }

    /// Their rows of N, which is complete now.
    pub(super) fn gather_dependent_rows(&mut self) {
        let (n, nz) = (self.layout.n, self.reduced_size());
        let Dependents { rows, n: part, .. } = &mut self.dependents;
        for (part, column) in
            part.chunks_exact_mut(rows.len().max(1)).zip(self.columns.chunks_exact(n.max(1))).take(nz)
        {
            part.iter_mut().zip(rows.iter()).for_each(|(p, &i)| *p = column[i]);
        }
    }

    /// Column j of S·FX.
    pub(super) fn selected_column(&self, fx: &JacobianBlocks, j: usize, out: &mut [f64]) {
        let (l, nz) = (&self.layout, self.reduced_size());
        let (v0, np, nv, nr) = (l.x.v.start, l.dims.np, l.dims.nv, l.dims.nr);
        let (kinematic, rest) = out[..nz].split_at_mut(self.rows_p.len());
        let (dynamic, force) = rest.split_at_mut(self.rows_v.len());
        if j >= v0 {
            let column = &fx.fx[5][np * (j - v0)..][..np];
            kinematic.iter_mut().zip(&self.rows_p).for_each(|(t, &i)| *t = column[i]);
        } else {
            kinematic.fill(0.0);
        }
        let column = &fx.fx[4][nv * j..][..nv];
        dynamic.iter_mut().zip(&self.rows_v).for_each(|(t, &i)| *t = column[i]);
        force.copy_from_slice(&fx.fx[3][nr * j..][..nr]);
    }

    /// C = S·FX·N.
    pub(super) fn reduce_jacobian(&mut self, fx: &JacobianBlocks) {
        let nz = self.reduced_size();
        let (mut c, mut part) = (std::mem::take(&mut self.c), std::mem::take(&mut self.dependents.fx));
        for (part, &j) in part.chunks_exact_mut(nz.max(1)).zip(&self.dependents.rows) {
            self.selected_column(fx, j, part);
        }
        if self.dependents.free.is_empty() {
            c[..nz * nz].fill(0.0);
        }
        for (c, &j) in c.chunks_exact_mut(nz.max(1)).zip(&self.dependents.free) {
            self.selected_column(fx, j, c);
        }
        let count = self.dependents.rows.len();
        crate::linalg::products::add_mul(nz, count, nz, 1.0, &part, &self.dependents.n, &mut c);
        (self.c, self.dependents.fx) = (c, part);
    }
}
