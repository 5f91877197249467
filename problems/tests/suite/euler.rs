//! Explicit Euler with projection onto the constraints of positions and velocities: what a method takes, in one file.

use geoms::error::{Failure, Rejection};
use geoms::layout::Layout;
use geoms::methods::plan::{Attempted, Plan};
use geoms::methods::save::{BadState, Reader, Writer};
use geoms::methods::setback::{of_trouble, Setback};
use geoms::methods::{state::State, Method};
use geoms::model::{index1::Halt, view::View};
use geoms::norm::{Scaling, Tolerance};
use geoms::options::Options;
use geoms::system::{Supplied, System};

#[derive(Debug)]
struct Euler {
    state: State,
    layout: Layout,
    options: Options,
    scaling: Scaling,
    view: View,
    /// The new point, and the rates at both ends.
    x: Vec<f64>,
    rates: [Vec<f64>; 2],
}

/// A maker, as `Solver::start_with` takes it.
pub fn begin(
    l: &Layout,
    o: &Options,
    tol: &Tolerance,
    supplied: Supplied<'_>,
    at: (f64, &[f64], f64),
) -> Box<dyn Method> {
    let zeros = || vec![0.0; l.n];
    Box::new(Euler {
        state: State::new(at.0, at.1, at.2, &[]),
        view: View::new(l, o, tol, supplied.jacobian),
        scaling: Scaling::new(tol, l.n),
        x: zeros(),
        rates: [zeros(), zeros()],
        layout: *l,
        options: o.clone(),
    })
}

impl Euler {
    /// The new point: a step along the rates, onto the constraints, with the rates and multipliers there.
    fn step(&mut self, system: &mut dyn System, plan: &Plan) -> Result<(), Halt> {
        let (stats, view, x, h) = (&mut self.state.stats, &mut self.view, &mut self.x, plan.h);
        let [old, new] = &mut self.rates;
        let (begin, end) = (self.state.t, plan.t_new);
        x.copy_from_slice(&self.state.x);
        view.linearize(system, (begin, x), stats)?;
        view.rates(system, (begin, x), h, old, stats)?;
        x.iter_mut().zip(old).for_each(|(x, rate)| *x += h * *rate);
        view.project_positions(system, (end, x), stats)?;
        view.linearize(system, (end, x), stats)?;
        view.project_velocities(system, (end, x), stats)?;
        view.rates(system, (end, x), h, new, stats)
    }
}

impl Method for Euler {
    fn state(&self) -> &State {
        &self.state
    }
    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
    fn choose_first_step(&mut self, _system: &mut dyn System, tend: f64) -> Result<(), Failure> {
        self.state.h = 1e-4 * (tend - self.state.t);
        Ok(())
    }
    fn attempt(&mut self, system: &mut dyn System, plan: &Plan) -> Result<Attempted, Setback> {
        let rejected = |why, factor| Setback::Reject { why, factor, component: None };
        self.step(system, plan).map_err(|halt| match halt {
            Halt::Model(trouble) => of_trouble(&self.state, &self.layout, trouble),
            _ => rejected(Rejection::SingularMatrix, 0.25),
        })?;
        let share = |i: usize| {
            let error = 0.5 * plan.h * (self.rates[1][i] - self.rates[0][i]);
            error / (self.scaling.rtol_user * (self.scaling.typical[i] + self.x[i].abs()))
        };
        let err = ((0..self.x.len()).map(|i| share(i).powi(2)).sum::<f64>() / self.x.len() as f64).sqrt();
        let factor = (0.9 / err.sqrt()).clamp(0.2, 5.0);
        if err < 1.0 || self.options.fixed_step {
            return Ok(Attempted { err, next: plan.h * factor });
        }
        Err(rejected(Rejection::ErrorTest { err }, factor))
    }
    fn attempted(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.x);
    }
    fn accept(&mut self, _plan: &Plan, _attempted: &Attempted) {
        let (end, rise) = self.state.contx.split_at_mut(self.x.len());
        end.copy_from_slice(&self.x);
        rise.iter_mut().zip(self.x.iter().zip(&self.state.x)).for_each(|(r, (new, old))| *r = new - old);
        self.state.x.copy_from_slice(&self.x);
    }
    fn restart(&mut self, t: f64, x: &[f64]) {
        self.state.restart(t, x);
    }
    fn save(&self) -> Vec<u8> {
        let mut w = Writer::begin(&self.layout, &self.options);
        w.state(&self.state);
        w.reals(self.view.mass.saved().unwrap_or(&[]));
        w.seal()
    }
    fn restore(&mut self, saved: &[u8]) -> Result<(), BadState> {
        let mut r = Reader::begin(saved, &self.layout, &self.options)?;
        r.state(&mut self.state)?;
        let mut full = vec![0.0; self.layout.dims.nv.pow(2)];
        if r.optional("mass matrix", &mut full)? {
            self.view.mass.restore(&full);
        }
        r.end()
    }
}
