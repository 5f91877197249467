//! The reduced equations at a point, to look at: what the method integrates, and its Jacobian.

use super::assemble::Wanted;
use super::{Rosenbrock, Setback};
use crate::layout::Name;
use crate::system::System;

/// z' = f(t, z) at a point of the constraints.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// The components of x that are independent: positions, velocities, force elements.
    pub coordinates: Vec<Name>,
    /// Their values z.
    pub z: Vec<f64>,
    /// f.
    pub rate: Vec<f64>,
    /// ∂f/∂z, column by column.
    pub jacobian: Vec<f64>,
    /// ∂f/∂t.
    pub by_time: Vec<f64>,
    /// The matrix is [0 I; J1 J2], with as many positions as velocities.
    pub of_second_order: bool,
}

impl Rosenbrock {
    /// The equations at the last point; h is the size of a step, for differences in time.
    pub fn state_space(&mut self, system: &mut dyn System, h: f64) -> Result<StateSpace, Setback> {
        self.begin(system, h)?;
        let (n, of) = (self.free.len(), |v: &[f64]| self.free.iter().map(|&i| v[i]).collect());
        Ok(StateSpace {
            coordinates: self.free.iter().map(|&i| self.layout.state_name(self.component(i))).collect(),
            z: of(&self.y),
            rate: of(&self.rate),
            jacobian: self.reduced.j[..n * n].to_vec(),
            by_time: self.reduced.time[..n].to_vec(),
            of_second_order: self.reduced.shape.nystroem,
        })
    }

    /// f(t, z) near the last point, with its independent coordinates, after [`Rosenbrock::state_space`]. h as there.
    pub fn rate_at(
        &mut self,
        system: &mut dyn System,
        t: f64,
        z: &[f64],
        h: f64,
    ) -> Result<Vec<f64>, Setback> {
        self.z.clear();
        self.z.extend_from_slice(z);
        self.evaluate(system, (t, h), Wanted::exactly(0.0)).map_err(|halt| self.setback(halt))?;
        Ok(self.free.iter().map(|&i| self.rate_new[i]).collect())
    }
}
