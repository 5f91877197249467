//! What a run of any solver answers.

#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// Ended at tend.
    pub reached: bool,
    /// Code of the solver, if it did not.
    pub code: i64,
    pub steps: u64,
    /// Calls of the right-hand side and of the Jacobian.
    pub calls: u64,
    pub jacobians: u64,
}

impl Ending {
    pub fn reached(steps: u64, calls: u64, jacobians: u64) -> Self {
        Ending { reached: true, code: 0, steps, calls, jacobians }
    }
    pub fn failed(code: i64) -> Self {
        Ending { reached: false, code, steps: 0, calls: 0, jacobians: 0 }
    }
}

/// A solver with a model, ready to run at any tolerance.
pub trait Runner {
    /// From the initial values to tend. Positions and velocities at the end go into `p` and `v`.
    fn run(&mut self, tol: f64, p: &mut [f64], v: &mut [f64]) -> Ending;
}

/// Initial values and interval.
#[derive(Clone, Debug)]
pub struct Start {
    pub t0: f64,
    pub tend: f64,
    /// First step; the same for everybody.
    pub h0: f64,
    pub p: Vec<f64>,
    pub v: Vec<f64>,
    pub lambda: Vec<f64>,
}
