//! Our side: a lean model as a [`System`], and the table of settings that compete for "best".

use crate::lean::{Lean, Mass};
use crate::run::Ending;
use geoms::decompose::DecompositionKind;
use geoms::layout::{Dimensions, Form, Layout};
use geoms::norm::Tolerance;
use geoms::options::{MassStructure, Options};
use geoms::solver::Solver;
use geoms::system::{JacobianBlocks, Outcome, Parts, System};

/// Rows and Jacobian of a lean model for our solver.
pub struct Adapter<L> {
    model: L,
    layout: Layout,
    a: Vec<f64>,
    /// M⁻¹ Gᵀ.
    inverse: Vec<f64>,
    /// Where the model was prepared: EOM and MAS are called at the same points.
    prepared: (f64, Vec<f64>),
}

impl<L: Lean> Adapter<L> {
    pub fn new(model: L, form: Form) -> Self {
        let (np, nl) = (model.np(), model.nl());
        let layout = Layout::new(Dimensions { np, nv: np, nl, ..Dimensions::default() }, form);
        Adapter {
            model,
            layout,
            a: vec![0.0; np],
            inverse: vec![0.0; np * nl],
            prepared: (f64::NAN, vec![0.0; np]),
        }
    }
}

/// Prepare the model unless it is prepared for this point.
fn prepare<L: Lean>(model: &mut L, prepared: &mut (f64, Vec<f64>), t: f64, p: &[f64]) {
    if prepared.0 != t || prepared.1 != p {
        prepared.0 = t;
        prepared.1.copy_from_slice(p);
        model.prepare(t, p);
    }
}

impl<L: Lean> System for Adapter<L> {
    fn dimensions(&self) -> Dimensions {
        self.layout.dims
    }

    fn form(&self) -> Form {
        self.layout.form
    }

    fn eom(&mut self, t: f64, x: &[f64], rda: &mut [f64]) -> Outcome {
        let (b, at, model) = (self.layout.x, self.layout.rda, &mut self.model);
        let (lambda, v, p) = (b.lambda.of(x), b.v.of(x), b.p.of(x));
        prepare(model, &mut self.prepared, t, p);
        let f = at.f_dyn.of_mut(rda);
        model.force(v, f);
        model.subtract_gtl(lambda, f);
        if !at.g_acceleration.is_empty() {
            self.a.copy_from_slice(f);
            model.solve_mass(&mut self.a);
            let rows = at.g_acceleration.of_mut(rda);
            model.gvv(v, rows);
            model.add_ga(&self.a, rows);
        }
        model.gv(v, at.g_velocity.of_mut(rda));
        model.g(at.g.of_mut(rda));
        at.f_kin.of_mut(rda).copy_from_slice(v);
        Outcome::Continue
    }

    fn mass(&mut self, t: f64, x: &[f64], mass: &mut [f64]) -> Outcome {
        let n = self.layout.n3();
        prepare(&mut self.model, &mut self.prepared, t, self.layout.x.p.of(x));
        mass.fill(0.0);
        self.model.mass(&mut |i: usize, j: usize, value: f64| mass[i + j * n] += value);
        Outcome::Continue
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, t: f64, x: &[f64], fx: &mut JacobianBlocks) -> Outcome {
        let (b, model) = (self.layout.x, &mut self.model);
        let (lambda, v, p) = (b.lambda.of(x), b.v.of(x), b.p.of(x));
        let (n, nv, nl) = (self.layout.n, v.len(), lambda.len());
        prepare(model, &mut self.prepared, t, p);
        let [fx1, fx2, fx3, _, fx5, fx6] = &mut fx.fx;
        model.force_dp(v, &mut |i: usize, j: usize, value: f64| fx5[i + (b.p.start + j) * nv] -= value);
        model.gtl_dp(lambda, &mut |i: usize, j: usize, value: f64| fx5[i + (b.p.start + j) * nv] += value);
        model.force_dv(v, &mut |i: usize, j: usize, value: f64| fx5[i + (b.v.start + j) * nv] -= value);
        model.gq(&mut |i: usize, j: usize, value: f64| {
            fx5[j + i * nv] += value;
            fx2[i + j * nl] -= value;
            fx3[i + j * nl] -= value;
        });
        model.gv_dp(v, &mut |i: usize, j: usize, value: f64| fx2[i + (nv + j) * nl] -= value);
        (0..nv).for_each(|i| fx6[i + i * nv] = -1.0);
        if fx1.is_empty() {
            return Outcome::Continue;
        }
        // gII = gvv + G M⁻¹ f_dyn.
        model.force(v, &mut self.a);
        model.subtract_gtl(lambda, &mut self.a);
        model.solve_mass(&mut self.a);
        self.inverse.fill(0.0);
        model.gq(&mut |i: usize, j: usize, value: f64| self.inverse[j + i * nv] += value);
        self.inverse.chunks_exact_mut(nv).for_each(|column| model.solve_mass(column));
        for j in 0..n {
            let column = &fx5[j * nv..][..nv];
            for (entry, row) in fx1[j * nl..][..nl].iter_mut().zip(self.inverse.chunks_exact(nv)) {
                *entry = row.iter().zip(column).map(|(a, b)| a * b).sum();
            }
        }
        let inverse = &self.inverse;
        model.mass_dp(&self.a, &mut |k: usize, j: usize, value: f64| {
            for i in 0..nl {
                fx1[i + (b.p.start + j) * nl] += inverse[k + i * nv] * value;
            }
        });
        model.gv_dp(v, &mut |i: usize, j: usize, value: f64| fx1[i + (b.v.start + j) * nl] -= 2.0 * value);
        let mut at_p = |i: usize, j: usize, value: f64| fx1[i + (b.p.start + j) * nl] -= value;
        model.ga_dp(&self.a, &mut at_p);
        model.gvv_dp(v, &mut at_p);
        Outcome::Continue
    }

    fn parts(&mut self, t: f64, x: &[f64], parts: Parts<'_>) -> Option<Outcome> {
        let (nv, nl, b) = (self.layout.n3(), self.layout.dims.nl, self.layout.x);
        let (model, v) = (&mut self.model, b.v.of(x));
        prepare(model, &mut self.prepared, t, b.p.of(x));
        if let Some(force) = parts.force {
            model.force(v, force);
        }
        if let Some(mass) = parts.mass {
            model.mass(&mut |i: usize, j: usize, value: f64| mass[i + j * nv] += value);
        }
        if let Some(c) = parts.constraint {
            model.gq(&mut |i: usize, j: usize, value: f64| c[i + j * nl] += value);
        }
        if let Some(rows) = parts.at_rest {
            model.gvv(v, rows);
        }
        if let Some(rows) = parts.velocity {
            model.gv(v, rows);
        }
        if let Some(rows) = parts.position {
            model.g(rows);
        }
        Some(Outcome::Continue)
    }

    fn mass_acceleration_dp(&mut self, t: f64, x: &[f64], a: &[f64], out: &mut [f64]) -> Option<Outcome> {
        let n = self.layout.n3();
        prepare(&mut self.model, &mut self.prepared, t, self.layout.x.p.of(x));
        out.fill(0.0);
        self.model.mass_dp(a, &mut |i: usize, j: usize, value: f64| out[i + j * n] += value);
        Some(Outcome::Continue)
    }
}

/// One of our settings: changes of the options of the `geoms_` call, by their names.
#[derive(Clone, Copy)]
pub struct Setting {
    pub name: &'static str,
    pub set: &'static str,
}

const fn setting(name: &'static str, set: &'static str) -> Setting {
    Setting { name, set }
}

/// The one setting that is not the implicit core.
pub const HALF_EXPLICIT: &str = "half-explicit";
/// The documented default of the `geoms_` call, mass structure included.
const LEGACY: &str = "legacy";
/// What the handle and Rust programs have whose user chooses nothing, but a decomposition if constraints are redundant.
const DEFAULT: &str = "default";

/// `--defaults`: who chooses nothing against the peers, and each method with those defaults.
pub const DEFAULTS: &[Setting] = &[
    setting(LEGACY, ""),
    setting(DEFAULT, ""),
    setting("default-before", "method=0,nwtmult=0"),
    setting("default-radau", "method=0"),
    setting("default-automatic", "method=-1"),
];

/// The first is the documented default, the second that of the handle; the others compete for "best" with the mass structure that the model has. Further
/// methods and orders are lines of this table.
pub const SETTINGS: &[Setting] = &[
    setting(LEGACY, ""),
    setting(DEFAULT, ""),
    setting("mass", ""),
    setting("nwtmat2", "nwtmat=2"),
    setting("thet.1-keep", "thet=0.1,quot1=0.99,quot2=2"),
    setting("form1", "form=1"),
    setting("form1-nwtmat2", "form=1,nwtmat=2"),
    setting("order9-nwtmat2", "order=9,nwtmat=2"),
    setting("order9-form1-nwtmat2", "order=9,form=1,nwtmat=2"),
    setting("order13-nwtmat2", "order=13,nwtmat=2"),
    setting("order13-form1-nwtmat2", "order=13,form=1,nwtmat=2"),
    setting("auto-nwtmat2", "order=-1,nwtmat=2"),
    setting("auto-thet.1", "order=-1,thet=0.1"),
    setting("order9-thet.1-facl100", "order=9,thet=0.1,facl=100"),
    setting("order9-bold", "order=9,thet=0.1,facl=100,safe=0.99,fnewt=0.3"),
    setting("order13-form1-thet.1", "order=13,form=1,thet=0.1"),
    setting(HALF_EXPLICIT, "method=4"),
];

/// What the defaults of the handle and of Rust were chosen from (`--settings`), with the rows of FORM=0 and the model's mass
/// structure: both are not for the library to choose.
pub const CANDIDATES: &[Setting] = &[
    setting("call", ""),
    setting("classical", "pred=2"),
    setting("startn1", "startn=1"),
    setting("fnewt.1", "fnewt=0.1"),
    setting("fnewt1e-3", "fnewt=0.001"),
    setting("nwtmat1", "nwtmat=1"),
    setting("nwtmat2", "nwtmat=2"),
    setting("thet.01", "thet=0.01"),
    setting("thet.1", "thet=0.1"),
    setting("thet.1-keep", "thet=0.1,quot1=0.99,quot2=2"),
    setting("facl100", "facl=100"),
    setting("order9", "order=9"),
    setting("order9-nwtmat2", "order=9,nwtmat=2"),
    setting("order9-thet.01", "order=9,thet=0.01"),
    setting("order9-thet.1", "order=9,thet=0.1"),
    setting("order9-nwtmat2-facl100", "order=9,nwtmat=2,facl=100"),
    setting("order13-nwtmat2", "order=13,nwtmat=2"),
    setting("auto", "order=-1"),
    setting("auto-nwtmat2", "order=-1,nwtmat=2"),
    setting("auto-thet.1", "order=-1,thet=0.1"),
    setting("method-auto", "method=-1,nwtmat=2"),
    setting(HALF_EXPLICIT, "method=4"),
];

/// The options of a setting for a model; `None` if it names none.
pub fn options(setting: &Setting, mass: Mass, redundant: bool) -> Option<Options> {
    let untouched = setting.name.starts_with(DEFAULT);
    let plain = setting.name == LEGACY || untouched;
    let structure = match mass {
        Mass::Diagonal if !plain => MassStructure::ConstantDiagonal,
        Mass::Band(_) if !plain => MassStructure::ConstantFull,
        _ => MassStructure::Full,
    };
    let base = if untouched { Options::default() } else { Options::of_call() };
    // The initial values are consistent, and the peers take them as they are.
    let mut options = Options { mass: structure, nmax: 10_000_000, consistent: !plain, ..base };
    if redundant {
        options.decompose_constraints = DecompositionKind::Svd;
    }
    for item in setting.set.split(',').filter(|item| !item.is_empty()) {
        let (name, value) = item.split_once('=')?;
        match value.parse() {
            Ok(value) if options.set_int(name, value).is_ok() => {}
            _ => options.set_real(name, value.parse().ok()?).ok()?,
        }
    }
    Some(options)
}

/// The setting of `--once PROBLEM custom TOL RUNS`: `SET=name=value,...` in the environment.
pub fn custom() -> Option<Setting> {
    let set = std::env::var("SET").ok()?;
    Some(Setting { name: "custom", set: set.leak() })
}

/// One run; x comes in as the initial values. The memory of the last run is used again, as the peers do.
pub fn run(
    solver: &mut Option<Solver>,
    system: &mut dyn System,
    options: &Options,
    tol: f64,
    (t0, tend, h0): (f64, f64, f64),
    x: &mut [f64],
) -> Ending {
    let (tolerance, start) = (Tolerance::scalar(tol, tol), (t0, &*x, h0));
    let begun = match solver.take() {
        Some(earlier) => earlier.start_again(system, options, &tolerance, start),
        None => Solver::start(system, options, &tolerance, start),
    };
    let result = begun.and_then(|begun| solver.insert(begun).integrate(system, None, None, tend));
    match (result, solver) {
        (Ok(_), Some(solver)) => {
            x.copy_from_slice(solver.x());
            let stats = solver.stats();
            Ending::reached(stats.nstep(), stats.neom, stats.njac)
        }
        (Err(failure), _) => Ending::failed(failure.code.idid().into()),
        (Ok(_), None) => Ending::failed(0),
    }
}
