//! How the constraints on acceleration level bend: the derivative of C a + γ along displacements u at constant v and a, G̈ u of the
//! paper. It is the mixed derivative of gI along u and along the motion, so that four evaluations of EOM give it for one u, with
//! neither gII nor M⁻¹. It enters the iteration matrix and the frequencies, not the equations that are solved.

use super::linearize::Linearization;
use crate::error::Code;
use crate::layout::{Block, Layout};
use crate::model::{self, Trouble};
use crate::stats::Stats;
use crate::system::System;

/// Displacements along u and along the motion, in units of the positions: rounding and truncation both leave about 1e-8.
const RELATIVE: f64 = 1e-4;

/// Work space.
#[derive(Debug)]
pub struct Curvature {
    layout: Layout,
    /// Magnitude below which the user calls positions small.
    small: f64,
    x: Vec<f64>,
    rows: Vec<f64>,
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

impl Curvature {
    /// Allocate; `typical` is ATOL/RTOL of every component.
    pub fn new(layout: &Layout, typical: &[f64]) -> Self {
        let small = largest(layout.x.p.of(typical));
        Curvature { layout: *layout, small, x: vec![0.0; layout.n], rows: vec![0.0; layout.m] }
    }

    /// Into `out`, m by k, for k directions u, NP by k, at the point of a linearisation. Zero where the model cannot be evaluated.
    #[allow(clippy::too_many_arguments)] // one call site; a struct would only rename them
    pub fn evaluate(
        &mut self,
        system: &mut dyn System,
        lin: &Linearization,
        (t, x): (f64, &[f64]),
        (a, h): (&[f64], f64),
        directions: &[f64],
        out: &mut [f64],
        stats: &mut Stats,
    ) -> Result<(), Trouble> {
        let l = self.layout;
        let (np, m) = (l.dims.np, l.dims.nl + l.dims.nm);
        out.fill(0.0);
        if m == 0 {
            return Ok(());
        }
        let size = largest(l.x.p.of(x)) + self.small;
        let speed = largest(l.rda.f_kin.of(&lin.rda));
        let time = if speed > 0.0 { h.min(RELATIVE * size / speed) } else { h };
        for (u, out) in directions.chunks_exact(np.max(1)).zip(out.chunks_exact_mut(m)) {
            let width = RELATIVE * size / largest(u).max(f64::MIN_POSITIVE);
            for (along, forth, sign) in
                [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]
            {
                match self.rows_at(system, lin, (t, x), a, (u, along * width), forth * time, stats) {
                    Ok(()) => {}
                    Err(stop @ Trouble::Stop { .. }) => return Err(stop),
                    Err(_) => {
                        out.fill(0.0);
                        break;
                    }
                }
                let rows = Block { start: l.rda.g_velocity.start, end: l.rda.h.end };
                let factor = sign / (4.0 * width * time);
                out.iter_mut().zip(rows.of(&self.rows)).for_each(|(o, r)| *o += factor * r);
            }
        }
        Ok(())
    }

    /// EOM at p + width·u, after `time` of the motion.
    #[allow(clippy::too_many_arguments)] // private helper of the loop above
    fn rows_at(
        &mut self,
        system: &mut dyn System,
        lin: &Linearization,
        (t, x): (f64, &[f64]),
        a: &[f64],
        (u, width): (&[f64], f64),
        time: f64,
        stats: &mut Stats,
    ) -> Result<(), Trouble> {
        let l = &self.layout;
        self.x.copy_from_slice(x);
        let moved = u.iter().zip(l.rda.f_kin.of(&lin.rda)).map(|(u, rate)| width * u + time * rate);
        l.x.p.of_mut(&mut self.x).iter_mut().zip(moved).for_each(|(p, change)| *p += change);
        l.x.v.of_mut(&mut self.x).iter_mut().zip(a).for_each(|(v, a)| *v += time * a);
        let ns = l.dims.ns;
        for (i, s) in l.x.s.of_mut(&mut self.x).iter_mut().enumerate() {
            let along: f64 = u.iter().enumerate().map(|(j, u)| lin.contact_slope[i + j * ns] * u).sum();
            *s += width * along + time * lin.contact_rate()[i];
        }
        stats.neom += 1;
        model::eom(system, Code::StoppedByEom, t + time, &self.x, &mut self.rows)
    }
}
