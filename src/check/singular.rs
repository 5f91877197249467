//! gII and hI where the mass matrix is singular: v' and the multipliers follow together from M v' = f_dyn and C v' + γ = 0, and
//! with these multipliers gII and hI must vanish.

use super::findings::{Finding, Slip};
use super::forces::coupling;
use super::motion::Motion;
use super::probe::{largest, solve, Probe};

/// Rows of gII and hI that do not vanish where the motion says that they do.
pub(super) fn findings(probe: &mut Probe<'_>, motions: &[Motion]) -> Vec<Finding> {
    let l = probe.l;
    let (nv, nc) = (l.dims.nv, l.dims.nl + l.dims.nm);
    let rows = l.rda.g_acceleration.start..l.rda.h_acceleration.end;
    let mut found: Vec<Finding> = Vec::new();
    for m in motions {
        let Some(both) = coupling(probe, &m.at) else { continue };
        // M v' + Cᵀ δ = f_dyn(λ), C v' = -γ, with δ the change of the multipliers.
        let n = nv + nc;
        let (mut matrix, mut rhs) = (vec![0.0; n * n], vec![0.0; n]);
        for j in 0..nv {
            matrix[j * n..j * n + nv].copy_from_slice(&m.mass[j * nv..(j + 1) * nv]);
            for (i, c) in both.c.iter().enumerate() {
                matrix[j * n + nv + i] = c[j];
                matrix[(nv + i) * n + j] = both.e[i][j];
            }
        }
        rhs[..nv].copy_from_slice(l.rda.f_dyn.of(&m.at.rda));
        for (i, row) in (l.rda.g_velocity.start..l.rda.h.end).enumerate() {
            rhs[nv + i] = -(m.by_p.value[row] + m.by_t.value[row]);
        }
        let Some(solution) = solve(n, &matrix, &rhs) else { continue };
        let mut x = m.at.x.clone();
        l.x.multipliers.of_mut(&mut x).iter_mut().zip(&solution[nv..]).for_each(|(x, d)| *x += d);
        let Some(there) = probe.eom(m.at.t, &x) else { continue };
        // What the rows are the sum of: their change with the multipliers, and with v.
        let mut sizes = vec![0.0f64; rows.len()];
        for shift in [0.5, -0.75] {
            let mut other = x.clone();
            l.x.multipliers.of_mut(&mut other).iter_mut().for_each(|v| *v *= 1.0 + shift);
            l.x.v.of_mut(&mut other).iter_mut().for_each(|v| *v *= 1.0 + 0.5 * shift);
            if let Some(moved) = probe.eom(m.at.t, &other) {
                for (size, row) in sizes.iter_mut().zip(rows.clone()) {
                    *size = size.max((moved[row] - there[row]).abs());
                }
            }
        }
        for (row, size) in rows.clone().zip(&sizes) {
            let name = l.residual_name(row);
            let limit = 1e-5 * size + 1e-9 * largest(l.rda.f_dyn.of(&there)) + 100.0 * m.at.noise[row];
            if there[row].abs() > limit && !found.iter().any(|f| f.row == name) {
                found.push(Finding {
                    row: name,
                    what: format!("{name} where M v' = f_dyn and the rates of gI and h vanish"),
                    given: there[row],
                    expected: 0.0,
                    slip: zero_inertia(m, nv),
                    t: m.at.t,
                });
            }
        }
    }
    found
}

/// A zero on the diagonal is the first suspect.
fn zero_inertia(m: &Motion, nv: usize) -> Option<Slip> {
    (0..nv).find(|&k| m.mass[k * (nv + 1)] == 0.0).map(Slip::ZeroMass)
}
