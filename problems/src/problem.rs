//! A test problem: equations, consistent initial values, and what is known of the solution.

use geoms::layout::{Block, Dimensions, Form, Layout};
use geoms::mechanism::derived::{Model, Options};
use geoms::mechanism::Mechanism;
use geoms::options::MassStructure;
use geoms::system::System;
use std::fmt;
use std::sync::Arc;

/// Solution values at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Time.
    pub t: f64,
    /// Index into x and value. Components that are not known accurately are left out.
    pub values: Vec<(usize, f64)>,
    /// Where the values come from.
    pub source: &'static str,
}

/// The solution x(t) in closed form.
pub type Exact = Arc<dyn Fn(f64) -> Vec<f64> + Send + Sync>;

type Build = Arc<dyn Fn(Options) -> Box<dyn System + Send> + Send + Sync>;

/// A problem of the test set.
#[derive(Clone)]
pub struct Problem {
    /// Name, as [`super::by_name`] takes it.
    pub name: String,
    /// Where the problem was published.
    pub source: &'static str,
    /// Dimensions; `ni` is the number of invariants that [`Options::invariants`] imposes.
    pub dimensions: Dimensions,
    /// Initial time.
    pub t0: f64,
    /// End time.
    pub tend: f64,
    /// Consistent initial values, multipliers and auxiliary variables included.
    pub x0: Vec<f64>,
    /// Structure of the mass matrix.
    pub mass: MassStructure,
    /// True if some row depends on t explicitly.
    pub time_dependent: bool,
    /// True if the constraint matrix loses rank on `[t0, tend]`.
    pub rank_deficient: bool,
    /// True if constraints are redundant throughout: the SVD is needed, and the problem is regular with it.
    pub redundant: bool,
    /// Closed form, if there is one.
    pub exact: Option<Exact>,
    /// Known values.
    pub references: Vec<Reference>,
    pub(super) build: Build,
}

impl Problem {
    /// A problem whose equations are a [`Mechanism`].
    pub(super) fn of_mechanism<M>(
        name: &str,
        source: &'static str,
        mechanism: M,
        tend: f64,
        x0: Vec<f64>,
    ) -> Self
    where
        M: Mechanism + Clone + Send + Sync + 'static,
    {
        let (dimensions, start) = (mechanism.dimensions(), x0.clone());
        let build: Build = Arc::new(move |o| Box::new(Model::new(mechanism.clone(), o, 0.0, &start)));
        Problem {
            name: name.to_owned(),
            source,
            dimensions,
            t0: 0.0,
            tend,
            x0,
            mass: MassStructure::Full,
            time_dependent: false,
            rank_deficient: false,
            redundant: false,
            exact: None,
            references: Vec::new(),
            build,
        }
    }

    /// The same for a solution in closed form, from which the initial values are taken.
    pub(super) fn of_solution<M>(
        name: &str,
        source: &'static str,
        mechanism: M,
        tend: f64,
        exact: Exact,
    ) -> Self
    where
        M: Mechanism + Clone + Send + Sync + 'static,
    {
        let x0 = exact(0.0);
        Problem { exact: Some(exact), ..Problem::of_mechanism(name, source, mechanism, tend, x0) }
    }

    pub(super) fn with_mass(self, mass: MassStructure) -> Self {
        Problem { mass, ..self }
    }

    pub(super) fn with_reference(mut self, t: f64, source: &'static str, values: Vec<(usize, f64)>) -> Self {
        self.references.push(Reference { t, values, source });
        self
    }

    /// The equations in a formulation, with or without analytic Jacobian.
    pub fn system(&self, form: Form, analytic_jacobian: bool) -> Box<dyn System + Send> {
        self.system_with(Options::new(form, analytic_jacobian))
    }

    /// The equations with all options.
    pub fn system_with(&self, options: Options) -> Box<dyn System + Send> {
        (self.build)(options)
    }

    /// The layout of x and RDA without invariants.
    pub fn layout(&self, form: Form) -> Layout {
        Layout::new(Dimensions { ni: 0, ..self.dimensions }, form)
    }

    /// What is known of the solution at `tend`: the closed form or the printed values.
    pub fn at_end(&self) -> Option<Vec<(usize, f64)>> {
        match &self.exact {
            Some(exact) => Some(exact(self.tend).into_iter().enumerate().collect()),
            None => self.references.iter().find(|r| r.t == self.tend).map(|r| r.values.clone()),
        }
    }

    /// Error of p and v at `tend`, relative to the largest of each, if the solution is known there.
    pub fn error_at_end(&self, x: &[f64]) -> Option<f64> {
        let (known, l) = (self.at_end()?, self.layout(Form::StrangenessFree));
        let of = |block: Block| {
            let known: Vec<_> = known.iter().filter(|(i, _)| block.contains(*i)).collect();
            let size = known.iter().fold(1.0f64, |m, (_, v)| m.max(v.abs()));
            known.iter().fold(0.0f64, |m, (i, v)| m.max((x[*i] - v).abs())) / size
        };
        Some(of(l.x.p).max(of(l.x.v)))
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("name", &self.name)
            .field("dimensions", &self.dimensions)
            .field("tend", &self.tend)
            .finish_non_exhaustive()
    }
}

/// Pair consecutive components of x, from `start`, with values.
pub(super) fn from_index(start: usize, values: &[f64]) -> Vec<(usize, f64)> {
    values.iter().enumerate().map(|(i, &v)| (start + i, v)).collect()
}
