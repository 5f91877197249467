//! The constraint blocks: their decomposition, their ranks, and N (GEDECCLU, GEDECCQR, GEDECCSV).

use super::*;
use crate::linalg::{products, LinalgError, Scalar};
use crate::rank::{RESUME, SUSPEND};

impl Formulation {
    /// Decompose the constraint blocks (GEDECCLU, GEDECCQR, GEDECCSV) and build N.
    /// Which invariants are imposed depends on `scal`; without it they stay as they are.
    #[inline(never)] // a part of `make profile`
    pub(super) fn predecompose(&mut self, fx: &JacobianBlocks, scal: Option<&[f64]>) -> Result {
        self.decompose_block1(fx)?;
        self.decompose_block2(fx, scal)?;
        self.decompose_block3(fx)?;
        self.compare_ranks()?;
        self.decide_multipliers(fx)?;
        self.build_columns(fx);
        Ok(())
    }

    /// d, gII, hI on the columns they determine.
    fn decompose_block1(&mut self, fx: &JacobianBlocks) -> Result {
        let m = self.layout.m1();
        let a = &fx.fx[0][..m * self.solved.len()];
        unit_rows(m, a, &mut self.row_scale);
        let first = self.layout.rda.rows1.start;
        let rule = self.rule(1);
        rule.decide(&mut self.block1, m, a, &self.row_scale, |i| first + i)
    }

    /// gI, h and the imposed invariants on v.
    fn decompose_block2(&mut self, fx: &JacobianBlocks, scal: Option<&[f64]>) -> Result {
        let l = self.layout;
        let constraints = l.dims.nl + l.dims.nm;
        if let Some(scal) = scal.filter(|_| l.dims.ni > 0) {
            self.gather_rows2(fx, constraints);
            let a = &self.fx2[..constraints * l.n3()];
            unit_rows(constraints, a, &mut self.row_scale);
            let (rule, rows) = (self.rule(2), &self.rows2);
            rule.decide(&mut self.block2, constraints, a, &self.row_scale, |i| rows[i])?;
            self.judge_invariants(fx, scal)?;
        }
        self.gather_rows2(fx, l.m2());
        let m = self.rows2.len();
        unit_rows(m, &self.fx2[..m * l.n3()], &mut self.row_scale);
        let (rule, rows) = (self.rule(2), &self.rows2);
        rule.decide(&mut self.block2, m, &self.fx2[..m * l.n3()], &self.row_scale, |i| rows[i])
    }

    /// c, g on [s p].
    fn decompose_block3(&mut self, fx: &JacobianBlocks) -> Result {
        let m = self.layout.m3();
        unit_rows(m, &fx.fx[2], &mut self.row_scale);
        let first = self.layout.rda.rows3.start;
        let rule = self.rule(3);
        rule.decide(&mut self.block3, m, &fx.fx[2], &self.row_scale, |i| first + i)
    }

    /// Copy the first `limit` rows of FX2, without suspended invariants.
    fn gather_rows2(&mut self, fx: &JacobianBlocks, limit: usize) {
        let l = self.layout;
        let first = l.rda.rows2.start;
        let constraints = l.dims.nl + l.dims.nm;
        self.rows2.clear();
        for i in 0..limit {
            if i < constraints || self.imposed[i - constraints] {
                self.rows2.push(first + i);
            }
        }
        let (m2, m) = (l.m2(), self.rows2.len());
        for j in 0..l.n3() + l.n4() {
            for (k, &row) in self.rows2.iter().enumerate() {
                self.fx2[k + j * m] = fx.fx[1][row - first + j * m2];
            }
        }
    }

    /// How much each invariant still says about the free velocities: |e_v K| against what errors of the
    /// size of the tolerance do to e. Condition e) of the manual fails where this vanishes.
    fn judge_invariants(&mut self, fx: &JacobianBlocks, scal: &[f64]) -> Result {
        let l = self.layout;
        let (m2, nv, nq) = (l.m2(), l.n3(), l.n4());
        let free = nv - self.block2.rank();
        let scal_v = rms(l.x.v.of(scal));
        let scal_q = l.x.contact_position.of(scal);
        for i in 0..l.dims.ni {
            let row = l.dims.nl + l.dims.nm + i;
            let entry = |j: usize| fx.fx[1][row + j * m2];
            let by_v = (0..nv).fold(0.0f64, |m, j| m.max(entry(j).abs()));
            let by_q = (0..nq).fold(0.0f64, |m, j| m.max(entry(nv + j).abs() * scal_q[j] / scal_v));
            let mut along = 0.0f64;
            for column in self.block2.null_basis().chunks_exact(nv.max(1)).take(free) {
                let dot: f64 = column.iter().enumerate().map(|(j, k)| entry(j) * k).sum();
                let size = column.iter().map(|k| k * k).sum::<f64>().sqrt();
                along = along.max(dot.abs() / size);
            }
            let measure = along / by_v.max(by_q).max(f64::MIN_POSITIVE);
            if self.relax_invariants {
                self.imposed[i] = measure > if self.imposed[i] { SUSPEND } else { RESUME };
            } else if measure < self.policy.invariant {
                let code = self.code(2).unwrap_or(Code::RankChanged);
                let rank = self.block2.rank();
                return Err(Deficiency { code, row: Some(l.rda.e.start + i), rank, rows: m2 });
            }
        }
        Ok(())
    }

    /// Redundancy must be uniform (SVD), and is refused by LU and QR.
    fn compare_ranks(&mut self) -> Result {
        let blocks = [&self.block1, &self.block2, &self.block3];
        let ranks = blocks.map(|b| b.rank());
        let missing = blocks.map(|b| b.rows() - b.rank());
        self.pivots.clear();
        if let (Some(v), Some(q)) = (self.block2.dependent_columns(), self.block3.dependent_columns()) {
            self.pivots.extend_from_slice(v);
            self.pivots.push(usize::MAX);
            self.pivots.extend_from_slice(q);
        }
        if self.kind != DecompositionKind::Svd {
            return Ok(());
        }
        let refuse = |code, k: usize| {
            let (rank, rows) = (ranks[k], blocks[k].rows());
            Err(Deficiency { code, row: None, rank, rows })
        };
        // With FORM=1 block 1 has no constraints.
        let expected = if self.layout.form == Form::Index1 { missing[2] } else { missing[0] };
        if expected != missing[1] {
            return refuse(Code::DeficiencyFx2, 1);
        } else if expected != missing[2] {
            return refuse(Code::DeficiencyFx3, 2);
        } else if self.layout.form == Form::Index1 && missing[0] > 0 {
            return refuse(Code::RedundantIndex1, 0);
        }
        match self.known_ranks {
            // Suspended invariants change the rank of block 2 on purpose.
            Some(known) if known[0] != ranks[0] || known[2] != ranks[2] => {
                refuse(Code::RankChanged, if known[0] == ranks[0] { 2 } else { 0 })
            }
            Some(_) => Ok(()),
            None => {
                self.known_ranks = Some(ranks);
                Ok(())
            }
        }
    }

    /// FORM=1: which multipliers are unknowns. Those that redundant constraints leave undetermined make no force; the unknowns are
    /// then coordinates in what is orthogonal to them, so that λ and μ have minimum norm.
    fn decide_multipliers(&mut self, fx: &JacobianBlocks) -> Result {
        let (all, nv) = (free_multipliers(&self.layout), self.layout.n3());
        let deficiency = if all.is_empty() { 0 } else { self.deficiency() };
        self.free_m = all.len() - deficiency;
        let Some(block) = self.forces.as_mut().filter(|_| deficiency > 0) else { return Ok(()) };
        let code = Code::RedundantIndex1;
        let refused = |rank| Deficiency { code, row: None, rank, rows: all.len() };
        let a = &fx.fx[4][nv * all.start..nv * all.end];
        self.row_scale[..nv].fill(1.0);
        block.decompose(nv, a, &self.row_scale[..nv]).map_err(|_| refused(0))?;
        let (policy, known) = (self.policy, Some(self.free_m));
        let rank = policy.rank(block.magnitudes(), policy.constraint, known);
        if rank != self.free_m {
            return Err(refused(rank));
        }
        block.set_rank(rank).map_err(|_| refused(0))
    }

    /// How the rank of FX`block` is decided.
    fn rule(&self, block: usize) -> Rule {
        let tolerance = if block == 1 { self.policy.acceleration } else { self.policy.constraint };
        // Invariants come and go (RELAXE): the rank of block 2 is then no constant.
        let watched = block != 2 || self.layout.dims.ni == 0;
        let known = self.known_ranks.filter(|_| watched).map(|k| k[block - 1]);
        Rule { policy: self.policy, tolerance, known, code: self.code(block) }
    }

    /// The code for a rank deficiency of FX`block`; the SVD allows it.
    fn code(&self, block: usize) -> Option<Code> {
        match (self.kind, block) {
            (DecompositionKind::Lu, 1) => Some(Code::Fx1DeficientLu),
            (DecompositionKind::Lu, 2) => Some(Code::Fx2DeficientLu),
            (DecompositionKind::Lu, _) => Some(Code::Fx3DeficientLu),
            (DecompositionKind::Qr, 1) => Some(Code::Fx1DeficientQr),
            (DecompositionKind::Qr, 2) => Some(Code::Fx2DeficientQr),
            (DecompositionKind::Qr, _) => Some(Code::Fx3DeficientQr),
            (DecompositionKind::Svd, _) => None,
        }
    }

    /// N = ∂x/∂z from the null space bases.
    fn build_columns(&mut self, fx: &JacobianBlocks) {
        let l = self.layout;
        let (n, nv, nq, nr) = (l.n, l.n3(), l.n4(), l.n2());
        self.free_v = nv - self.block2.rank();
        self.free_q = nq - self.block3.rank();
        self.find_dependents();
        let multipliers = free_multipliers(&self.layout);
        let nz = self.reduced_size();
        let (fv, fq) = (self.free_v, self.free_q);
        let columns = &mut self.columns[..n * nz];
        columns.chunks_exact_mut(n.max(1)).for_each(|column| column.fill(0.0));

        // [s p] and its effect on v through gI, h, e.
        let m2 = self.rows2.len();
        let fx2q = &self.fx2[m2 * nv..m2 * (nv + nq)];
        let (many, out) = (&mut self.scratch.many_rhs, &mut self.scratch.many_out);
        products::mul(m2, nq, fq, fx2q, self.block3.null_basis(), many);
        self.block2.particular_many(self.processor, fq, &many[..m2 * fq], out);
        for j in 0..fv {
            let column = &mut columns[n * j..n * (j + 1)];
            l.x.v.of_mut(column).copy_from_slice(&self.block2.null_basis()[nv * j..nv * (j + 1)]);
        }
        for j in 0..fq {
            let column = &mut columns[n * (fv + j)..n * (fv + j + 1)];
            l.x.contact_position
                .of_mut(column)
                .copy_from_slice(&self.block3.null_basis()[nq * j..nq * (j + 1)]);
            for (v, p) in l.x.v.of_mut(column).iter_mut().zip(&out[nv * j..nv * (j + 1)]) {
                *v = -p;
            }
        }
        for j in 0..nr {
            columns[n * (fv + fq + j) + l.x.r.start + j] = 1.0;
        }
        for (j, column) in columns.chunks_exact_mut(n.max(1)).skip(fv + fq + nr).enumerate() {
            let column = multipliers.of_mut(column);
            match &self.forces {
                Some(block) if self.free_m < multipliers.len() => {
                    column.copy_from_slice(&block.row_basis()[multipliers.len() * j..][..multipliers.len()]);
                }
                _ => column[j] = 1.0,
            }
        }

        // What block 1 determines follows all of these.
        let (m1, ns) = (l.m1(), self.solved.len());
        let Dependents { rows, free, .. } = &self.dependents;
        let of_fx1 = |j: usize| &fx.fx[0][m1 * j..m1 * (j + 1)];
        for (k, (column, rhs)) in
            columns.chunks_exact(n.max(1)).zip(many[..m1 * nz].chunks_exact_mut(m1.max(1))).enumerate()
        {
            match free.get(k) {
                Some(&j) => rhs.copy_from_slice(of_fx1(j)),
                None => rhs.fill(0.0),
            }
            for &j in rows.iter().filter(|&&j| j >= ns && column[j] != 0.0) {
                f64::axpy(column[j], of_fx1(j), rhs);
            }
        }
        self.block1.particular_many(self.processor, nz, &many[..m1 * nz], out);
        for (column, y) in columns.chunks_exact_mut(n.max(1)).zip(out.chunks_exact(ns.max(1))).take(nz) {
            for (c, y) in column[..ns].iter_mut().zip(y) {
                *c = -y;
            }
        }
        self.gather_dependent_rows();
    }
}

/// Scale factors that give every row of `a` (m×n) the largest entry 1; a zero row stays.
fn unit_rows(m: usize, a: &[f64], scale: &mut [f64]) {
    scale[..m].fill(0.0);
    for column in a.chunks_exact(m.max(1)) {
        for (s, v) in scale.iter_mut().zip(column) {
            *s = s.max(v.abs());
        }
    }
    for s in &mut scale[..m] {
        *s = if *s > 0.0 { 1.0 / *s } else { 1.0 };
    }
}

/// How the rank of a block is decided; with a `code` full row rank is required.
struct Rule {
    policy: RankPolicy,
    tolerance: f64,
    known: Option<usize>,
    code: Option<Code>,
}

impl Rule {
    /// Decompose a block and fix its rank.
    fn decide(
        &self,
        block: &mut ConstraintDecomposition,
        m: usize,
        a: &[f64],
        scale: &[f64],
        row_of: impl Fn(usize) -> usize,
    ) -> Result {
        let code = self.code.unwrap_or(Code::SvdFailed);
        let failed = |_: LinalgError| Deficiency { code, row: None, rank: 0, rows: m };
        block.decompose(m, a, scale).map_err(failed)?;
        let rank = self.policy.rank(block.magnitudes(), self.tolerance, self.known);
        if self.code.is_some() && rank < m {
            return Err(Deficiency { code, row: block.weakest_row().map(row_of), rank, rows: m });
        }
        block.set_rank(rank).map_err(failed)
    }
}

fn rms(v: &[f64]) -> f64 {
    (v.iter().map(|x| x * x).sum::<f64>() / v.len().max(1) as f64).sqrt().max(f64::MIN_POSITIVE)
}
