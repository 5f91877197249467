//! The parts of a step: which calls they are, how often they are made, and the operations they need.

use crate::callgrind::Profile;
use crate::flops::Dimensions;
use geoms::stats::Stats;

/// Instructions of one part and the operations it needs, over the run.
pub struct Row {
    pub name: &'static str,
    /// Part of the row before it that is not marked.
    pub detail: bool,
    /// Times it was done.
    pub times: u64,
    pub instructions: u64,
    /// `None` for the user's code and for what has none.
    pub flops: Option<f64>,
}

/// Calls within a run: functions whose names end so.
pub struct Counted<'a> {
    profile: &'a Profile,
    missing: Vec<String>,
}

impl<'a> Counted<'a> {
    /// Look into a profile.
    pub fn new(profile: &'a Profile) -> Self {
        Counted { profile, missing: Vec::new() }
    }

    /// Instructions of the calls, which have to be as many as the counters of the run say.
    fn exactly(&mut self, times: u64, caller: &str, callee: &str) -> u64 {
        let (calls, cost) = self.profile.calls(caller, callee);
        if calls != times {
            self.missing.push(format!("{callee} from {caller:?}: {calls} calls, {times} by the counters"));
        }
        cost
    }

    /// The same for calls that no counter counts.
    fn some(&mut self, caller: &str, callee: &str) -> u64 {
        let (calls, cost) = self.profile.calls(caller, callee);
        if calls == 0 {
            self.missing.push(format!("{callee} from {caller:?}: no calls"));
        }
        cost
    }

    /// Those that a run may do without.
    fn any(&self, caller: &str, callee: &str) -> u64 {
        self.profile.calls(caller, callee).1
    }

    /// How often a function was called.
    fn calls(&self, callee: &str) -> u64 {
        self.profile.calls("", callee).0
    }

    /// All that were not found where they should be.
    pub fn finish(self) -> Result<(), String> {
        if self.missing.is_empty() {
            Ok(())
        } else {
            Err(format!("the profile is not that of the step:\n{}", self.missing.join("\n")))
        }
    }
}

const STEP: &str = "geoms::driver::Driver::step";
const ATTEMPT: &str = " as geoms::methods::Method>::attempt";
const INCREMENTS: &str = "Radau<_>>::solve_increments";

/// Instructions of a run beside its steps.
pub struct Run {
    pub all: u64,
    /// With its steps, what comes before them left out.
    pub driven: u64,
}

/// All of a run and of its steps.
pub fn totals(c: &mut Counted<'_>, stats: &Stats) -> (Run, u64) {
    let all = c.exactly(1, "", "geoms::integrate::integrate");
    let driven = c.exactly(1, "geoms::integrate::integrate_and_warn", "Solver::integrate");
    (Run { all, driven }, c.exactly(stats.naccpt, "", STEP))
}

/// The parts of a step of Radau IIA, in the order of `attempt` in src/methods/radau/mod.rs.
pub fn radau(c: &mut Counted<'_>, stats: &Stats, d: &Dimensions, steps: u64) -> Vec<Row> {
    let mut rows = Rows::default();
    let (attempts, linearised, iterations) = (stats.nstep(), stats.npdec, stats.nbsub);
    let eom = c.exactly(stats.neom, "", "System>::eom");
    let mas = if stats.nmas > 0 { c.exactly(stats.nmas, "", "System>::mass") } else { 0 };
    let jac = c.exactly(stats.njac, "", "System>::jacobian");
    rows.without("EOM", stats.neom, eom);
    rows.without("MAS", stats.nmas, mas);
    rows.without("JAC", stats.njac, jac);

    let predict = c.exactly(attempts, "", "Stages<_>::predict");
    rows.part("prediction of the stages", attempts, predict, d.predict());

    let guarded = c.exactly(stats.njac, "", "Derivatives::jacobian") - jac;
    rows.without("JAC cleared before, checked after", stats.njac, guarded);
    let predecompose = c.exactly(linearised, "", "Formulation>::predecompose");
    let (lu, null) = (
        c.exactly(3 * linearised, "", "ConstraintDecomposition::decompose"),
        c.exactly(3 * linearised, "", "ConstraintDecomposition::set_rank"),
    );
    let mass_columns = c.exactly(linearised, "", "Formulation>::apply_mass");
    let flops = [d.constraint_lu(), d.null_spaces(), d.null_space_of_all()];
    rows.part("predecomposition of the constraints", linearised, predecompose, flops.iter().sum());
    rows.detail("LU with complete pivoting", linearised, lu, flops[0]);
    rows.detail("null spaces", linearised, null, flops[1]);
    rows.detail("N, with what is copied", linearised, predecompose - lu - null, flops[2]);
    rows.part("M N", linearised, mass_columns, d.mass_columns());

    let selectors =
        c.any("", "Formulation>::selectors_poor") + c.exactly(stats.nsel, "", "Formulation>::select");
    let tried = c.calls("Formulation>::selectors_poor") + stats.nsel;
    rows.part("selectors", tried, selectors, d.selectors());
    let reduce = c.exactly(linearised, "", "Formulation>::reduce");
    rows.part("reduced matrices B, C", linearised, reduce, d.reduce());
    let decompose = c.exactly(stats.nedec, "", "Radau<_>>::factor_reduced");
    rows.part("decomposition of E1, E2", stats.nedec, decompose, d.decompose());

    let transform =
        c.some("", "Stages<_>::transform") + c.exactly(iterations, "", "Stages<_>::transform_residuals");
    let per_attempt = d.transform() * attempts as f64 / iterations as f64;
    rows.part(
        "Newton: residuals and stages transformed",
        iterations,
        transform,
        d.transform_residuals() + per_attempt,
    );
    let masses = c.any("", "Stages<_>::velocity_rates") + c.any(ATTEMPT, "Mass::add_rows");
    if masses > 0 {
        rows.part("Newton: mass matrices of the stages times rates", iterations, masses, d.stage_masses());
    }
    let increments = c.exactly(iterations, "", INCREMENTS);
    let particular = c.exactly(iterations, INCREMENTS, "Formulation>::particular");
    let right = c.exactly(iterations, INCREMENTS, "Formulation>::reduced_rhs");
    let substitute = c.exactly(iterations, INCREMENTS, "Formulation>::substitute");
    let solves = increments - particular - right - substitute;
    rows.part("Newton: particular solution", iterations, particular, d.particular(d.s));
    rows.part("Newton: right-hand sides", iterations, right, d.right_hand_side(d.s));
    rows.part("Newton: solves with E1, E2", iterations, solves, d.solves());
    rows.part("Newton: substitution", iterations, substitute, d.substitute(d.s));
    let update = c.some("", "Stages<_>::update");
    rows.part("Newton: update", iterations, update, d.update());

    let made = c.calls("Radau<_>>::error_norm");
    let estimate = c.some("", "Radau<_>>::error_norm");
    rows.part("error estimate", made, estimate, d.estimate());
    let noisy = c.calls("Radau<_>>::estimate_round_off");
    if noisy > 0 {
        let noise = c.any("", "Radau<_>>::estimate_round_off");
        rows.part("rounding errors estimated, where the error is too large", noisy, noise, d.round_off());
    }
    let accept = c.exactly(stats.naccpt, "", " as geoms::methods::Method>::accept");
    rows.part("acceptance, dense output", stats.naccpt, accept, d.accept());
    let rest = steps - rows.sum();
    rows.part(
        "stages, checks of EOM and MAS, residuals gathered, norms, control",
        iterations,
        rest,
        d.stages_and_norm(),
    );
    rows.list
}

/// The parts of a step of the half-explicit method, as `attempt` in src/methods/half_explicit/mod.rs has them.
pub fn half_explicit(c: &mut Counted<'_>, stats: &Stats, d: &Dimensions, steps: u64) -> Vec<Row> {
    let mut rows = Rows::default();
    let (attempts, rates) = (stats.nstep(), stats.npdec);
    let asked = c.calls("System>::parts");
    let model = c.some("", "System>::parts");
    rows.without("parts of the model that are asked for", asked, model);

    let rate = "Motion::rate";
    let combine = c.some("", "HalfExplicit::rate_of_stage") - c.some("HalfExplicit::rate_of_stage", rate)
        + c.any(ATTEMPT, "products::add_columns");
    rows.part("stages combined", attempts, combine, d.explicit_stages());
    let decompose = c.exactly(rates, "", "Saddle::decompose");
    let factor = c.exactly(2 * rates, "Saddle::decompose", "Cholesky::factor");
    let triangle = c.exactly(rates, "Saddle::decompose", "Cholesky::solve_rows");
    let flops = [d.mass_and_schur(), d.eliminated_rows(), d.schur_matrix()];
    rows.part("decomposition of the saddle point problem", rates, decompose, flops.iter().sum());
    rows.detail("Cholesky decompositions of M and S", rates, factor, flops[0]);
    rows.detail("Y = C L⁻ᵀ", rates, triangle, flops[1]);
    rows.detail("S = Y Yᵀ, with what is copied", rates, decompose - factor - triangle, flops[2]);
    let solves = c.calls("Saddle>>::solve");
    let solve = c.some("", "Saddle>>::solve");
    rows.part("multipliers and accelerations", solves, solve, d.saddle_solve());
    let projections = c.calls("Saddle>>::correction");
    let project = c.some("", "HalfExplicit>::correct_velocities") + c.any(ATTEMPT, "Saddle>>::correction");
    rows.part("projection", projections, project, d.saddle_correction());
    let tests = c.calls("HalfExplicit::error_norm");
    let estimate = c.some("", "HalfExplicit::error_norm");
    rows.part("error estimate", tests, estimate, d.explicit_estimate());
    let rest = steps - rows.sum();
    rows.without("checks of the model, points and rates copied, control", rates, rest);
    rows.list
}

/// Rows in the making.
#[derive(Default)]
struct Rows {
    list: Vec<Row>,
}

impl Rows {
    fn push(&mut self, name: &'static str, detail: bool, times: u64, instructions: u64, flops: Option<f64>) {
        let flops = flops.map(|f| f * times as f64);
        self.list.push(Row { name, detail, times, instructions, flops });
    }

    /// A part without operations of ours.
    fn without(&mut self, name: &'static str, times: u64, instructions: u64) {
        self.push(name, false, times, instructions, None);
    }

    /// A part with the operations that it needs each time.
    fn part(&mut self, name: &'static str, times: u64, instructions: u64, flops: f64) {
        self.push(name, false, times, instructions, Some(flops));
    }

    fn detail(&mut self, name: &'static str, times: u64, instructions: u64, flops: f64) {
        self.push(name, true, times, instructions, Some(flops));
    }

    /// Instructions so far.
    fn sum(&self) -> u64 {
        self.list.iter().filter(|row| !row.detail).map(|row| row.instructions).sum()
    }
}
