//! Any problem as a model that supplies parts.

use geoms::layout::{Form, Layout};
use geoms::system::{JacobianBlocks, Outcome, Parts, System};
use geoms_problems::Problem;

/// What can be wrong with parts.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    Force,
    Mass,
    Constraint,
    AtRest,
    Velocity,
    Position,
}

impl Part {
    pub const ALL: [Part; 6] =
        [Part::Force, Part::Mass, Part::Constraint, Part::AtRest, Part::Velocity, Part::Position];
}

/// A problem with parts from its rows and its Jacobian; f and γ without the multipliers.
pub struct Supplied {
    inner: Box<dyn System + Send>,
    layout: Layout,
    fx: JacobianBlocks,
    rows: Vec<f64>,
    /// This part has a wrong sign somewhere.
    pub wrong: Option<Part>,
    /// Calls of PARTS that ask for something.
    pub asked: u64,
}

impl Supplied {
    pub fn new(problem: &Problem, form: Form) -> Self {
        let inner = problem.system(form, true);
        let layout = Layout::new(inner.dimensions(), form);
        let (fx, rows) = (JacobianBlocks::new(&layout), vec![0.0; layout.m]);
        Supplied { inner, layout, fx, rows, wrong: None, asked: 0 }
    }
}

impl System for Supplied {
    geoms_problems::pass_on!(dimensions, eom, mass, jacobian);

    fn form(&self) -> Form {
        self.layout.form
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn parts(&mut self, t: f64, x: &[f64], mut parts: Parts<'_>) -> Option<Outcome> {
        if parts.force.is_none() && parts.constraint.is_none() && parts.position.is_none() {
            return Some(Outcome::Continue);
        }
        self.asked += 1;
        let l = self.layout;
        let mut at = x.to_vec();
        l.x.multipliers.of_mut(&mut at).fill(0.0);
        let outcome = self.inner.eom(t, &at, &mut self.rows);
        self.fx.clear();
        let _ = self.inner.jacobian(t, &at, &mut self.fx);
        let (nv, m, m2, fx2) = (l.dims.nv, l.dims.nl + l.dims.nm, l.m2(), &self.fx.fx[1]);
        if let Some(mass) = &mut parts.mass {
            let _ = self.inner.mass(t, &at, mass);
        }
        if let Some(c) = &mut parts.constraint {
            for (c, fx) in c.chunks_exact_mut(m).zip(fx2.chunks_exact(m2)) {
                c.iter_mut().zip(fx).for_each(|(c, fx)| *c = -fx);
            }
        }
        if let Some(at_rest) = &mut parts.at_rest {
            // The rate of (gI, h) with p moving and, by a difference, with time.
            at_rest.fill(0.0);
            for (fx, v) in fx2[nv * m2..].chunks_exact(m2).zip(l.x.v.of(x)) {
                at_rest.iter_mut().zip(fx).for_each(|(rate, fx)| *rate -= fx * v);
            }
            let (width, span) = (1e-4, l.rda.g_velocity.start..l.rda.h.end);
            let mut other = vec![0.0; l.m];
            for (weight, by) in [(8.0, 1.0), (-8.0, -1.0), (-1.0, 2.0), (1.0, -2.0)] {
                let _ = self.inner.eom(t + by * width, &at, &mut other);
                let rows = &other[span.clone()];
                at_rest.iter_mut().zip(rows).for_each(|(rate, r)| *rate += weight * r / (12.0 * width));
            }
        }
        let rows = l.rda.g_velocity.start..l.rda.h.end;
        for (part, rows) in [
            (&mut parts.force, l.rda.f_dyn.range()),
            (&mut parts.velocity, rows),
            (&mut parts.position, l.rda.g.range()),
        ] {
            if let Some(part) = part {
                part.copy_from_slice(&self.rows[rows]);
            }
        }
        let Parts { force, mass, constraint, at_rest, velocity, position } = parts;
        let wrong = match self.wrong {
            None => None,
            Some(Part::Force) => force,
            Some(Part::Mass) => mass,
            Some(Part::Constraint) => constraint,
            Some(Part::AtRest) => at_rest,
            Some(Part::Velocity) => velocity,
            Some(Part::Position) => position,
        };
        if let Some(largest) =
            wrong.and_then(|part| part.iter_mut().max_by(|a, b| a.abs().total_cmp(&b.abs())))
        {
            *largest = -*largest;
        }
        Some(outcome)
    }
}
